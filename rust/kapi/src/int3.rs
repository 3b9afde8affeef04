// SPDX-License-Identifier: GPL-2.0
//! Breakpoints on instructions. A breakpoint changes one byte, so it can be wherever an instruction
//! begins. The hidden instruction is emulated, or runs from a copy elsewhere.
//!
//! [`add`] registers instructions, [`arm`] and [`disarm`] write and remove the byte, [`forget`] is
//! for text that disappears. Until then an address stays registered: a CPU may have hit a
//! breakpoint that has just been removed, and must still be able to continue.
//!
//! This module creates no machine code that is not already in the kernel's text: [`add`] reads the
//! instruction at the address, and refuses a different emulation. That an instruction begins there
//! is the meaning of a [`Boundary`], which only the decoder makes (crate `x86`). [`add`] refuses text
//! that runs without the kernel's handlers ([`forbidden::is_in_section`]). The caller leaves out the
//! functions of ordinary sections that run on a CPU without an IDT, which only following the code
//! can find (`patch/src/unready.rs`).

use crate::forbidden;
use crate::nofault;
use crate::sites::{self, Kind, Refused, Site, Table, CHUNK};
use crate::symbols;
use core::ops::Range;
use x86::encoding::{CALL, INT3, JMP, RET};
use x86::Boundary;

/// The effect of the hidden instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Emulate {
    /// Nothing; the instruction has this length.
    Skip(u8),
    /// Pushes the register of this number, in one byte, or in two from 8 on.
    Push(u8),
    /// Jumps.
    Jump(u64),
    /// Jumps if a condition holds: the low four bits of its opcode.
    Branch {
        /// The condition.
        cc: u8,
        /// The target if the condition holds.
        target: u64,
        /// The address after the instruction.
        next: u64,
    },
    /// Calls.
    Call {
        /// The target.
        target: u64,
        /// The address after the instruction.
        next: u64,
    },
    /// Returns.
    Return,
    /// Jumps to the address in a register.
    JumpReg(u8),
    /// Calls the address in a register.
    CallReg {
        /// Its number.
        reg: u8,
        /// The address after the instruction.
        next: u64,
    },
    /// Any instruction that works at another address: no control flow, no fault that the kernel
    /// handles by its address ([`crate::text::may_fault`]).
    Displaced {
        /// The instruction.
        bytes: [u8; 15],
        /// Its length.
        len: u8,
        /// The offset in it of a displacement from the instruction pointer, if there is one.
        rip_disp: Option<u8>,
    },
}

/// An instruction that may have a breakpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Trap {
    /// The instruction.
    pub at: Boundary,
    /// Its first byte.
    pub first: u8,
    /// Its effect.
    pub emulate: Emulate,
}

impl Trap {
    fn addr(&self) -> u64 {
        self.at.addr()
    }

    fn site(&self) -> Option<Site> {
        let len_to = |next: u64| u8::try_from(next.checked_sub(self.addr())?).ok();
        let new = |kind, target, len| Some(Site::new(self.addr(), kind, target, len));
        let (site, reg) = match self.emulate {
            Emulate::Skip(len) => (new(Kind::Skip, 0, len), 0),
            Emulate::Push(reg) => (new(Kind::Push, 0, if reg < 8 { 1 } else { 2 }), reg),
            Emulate::Jump(target) => (new(Kind::Jump, target, 1), 0),
            Emulate::Branch { cc, target, next } => (new(Kind::Branch, target, len_to(next)?), cc),
            Emulate::Call { target, next } => (new(Kind::Call, target, len_to(next)?), 0),
            Emulate::Return => (new(Kind::Return, 0, 1), 0),
            Emulate::JumpReg(reg) => (new(Kind::JumpReg, 0, 1), reg),
            Emulate::CallReg { reg, next } => (new(Kind::CallReg, 0, len_to(next)?), reg),
            Emulate::Displaced { bytes, len, rip_disp } => {
                let inside = rip_disp.is_none_or(|at| at >= 1 && at.saturating_add(4) <= len);
                let whole = bytes.first() == Some(&self.first) && inside;
                (new(Kind::Slot, 0, len).filter(|_| whole), 0)
            }
        };
        let mut site = site?;
        site.reg = reg;
        site.first = self.first;
        (reg < 16 && (1..=15).contains(&site.len) && self.first != INT3).then_some(site)
    }
}

/// Tells whether this prefix does not change how a jump, call or return is emulated: padding by
/// segments, `notrack`, `bnd`.
fn is_prefix(byte: u8) -> bool {
    matches!(byte, 0x26 | 0x2e | 0x36 | 0x3e | 0x40..=0x4f | 0x66 | 0xf2 | 0xf3)
}

/// Tells whether this instruction at `addr` has the effect that is to be emulated.
fn does(code: &[u8], addr: u64, emulate: &Emulate) -> bool {
    let bare = code.iter().position(|b| !is_prefix(*b)).unwrap_or(code.len());
    let (prefixes, rest) = code.split_at_checked(bare).unwrap_or((code, &[]));
    // Distances count from the end of the instruction.
    let end = |len: usize| addr.wrapping_add(bare as u64).wrapping_add(len as u64);
    let near = |d: u8| end(2).wrapping_add_signed((d as i8).into());
    let far = |len, d: [u8; 4]| end(len).wrapping_add_signed(i32::from_le_bytes(d).into());
    // The register of an operand, with the bit that a prefix adds.
    let high = prefixes
        .last()
        .is_some_and(|p| matches!(p, 0x41 | 0x43 | 0x45 | 0x47 | 0x49 | 0x4b | 0x4d | 0x4f));
    let number = |low: u8| (low & 7) | if high { 8 } else { 0 };
    match (*emulate, rest) {
        (Emulate::Skip(len), [0x90, ..]) => !high && end(1) == addr.wrapping_add(len.into()),
        (Emulate::Skip(len), [0x0f, 0x1e | 0x1f, ..]) => usize::from(len) <= code.len(),
        // `Trap::site` derives the length from the register.
        (Emulate::Push(reg), [op @ 0x50..=0x57, ..]) => {
            number(*op) == reg && bare == usize::from(reg >= 8)
        }
        (Emulate::Jump(to), [JMP, a, b, c, d, ..]) => to == far(5, [*a, *b, *c, *d]),
        (Emulate::Jump(to), [0xeb, d, ..]) => to == near(*d),
        (Emulate::Branch { cc, target, next }, [0x0f, op @ 0x80..=0x8f, a, b, c, d, ..]) => {
            cc == op & 15 && next == end(6) && target == far(6, [*a, *b, *c, *d])
        }
        (Emulate::Branch { cc, target, next }, [op @ 0x70..=0x7f, d, ..]) => {
            cc == op & 15 && next == end(2) && target == near(*d)
        }
        (Emulate::Call { target, next }, [CALL, a, b, c, d, ..]) => {
            next == end(5) && target == far(5, [*a, *b, *c, *d])
        }
        (Emulate::Return, [RET, ..]) => true,
        (Emulate::JumpReg(reg), [0xff, op @ 0xe0..=0xe7, ..]) => number(*op) == reg,
        (Emulate::CallReg { reg, next }, [0xff, op @ 0xd0..=0xd7, ..]) => {
            number(*op) == reg && next == end(2)
        }
        // A copy would jump to another place, or return to the copy.
        (Emulate::Displaced { .. }, [0x70..=0x7f | 0xe0..=0xe3 | CALL | JMP | 0xeb | INT3, ..]) => {
            false
        }
        (Emulate::Displaced { .. }, [0x0f, 0x80..=0x8f, ..]) => false,
        (Emulate::Displaced { bytes, len, .. }, _) => {
            let len = usize::from(len);
            len <= code.len() && code.get(..len) == bytes.get(..len)
        }
        _ => false,
    }
}

/// Tells whether the text there has this instruction.
fn stands(trap: &Trap) -> bool {
    let mut code = [0; 15];
    // After the last page of a text, nothing is mapped.
    let most = (4096_u64.wrapping_sub(trap.addr() & 4095) as usize).min(code.len());
    let read = nofault::read_kernel(trap.addr(), &mut code).is_ok()
        || code.get_mut(..most).is_some_and(|c| nofault::read_kernel(trap.addr(), c).is_ok());
    read && code.first() == Some(&trap.first) && does(&code, trap.addr(), &trap.emulate)
}

/// An instruction of up to 15 bytes and a jump of 5.
const SLOT: usize = 20;

/// Returns the bytes for `slot` and their number: the instruction, and a jump back.
fn displaced(trap: &Trap, slot: u64) -> Result<([u8; SLOT], usize), Refused> {
    let Emulate::Displaced { bytes, len, rip_disp } = trap.emulate else {
        return Err(Refused::Malformed);
    };
    let mut code = [0; SLOT];
    code.iter_mut().zip(bytes).for_each(|(to, from)| *to = from);
    if let Some(at) = rip_disp.map(usize::from) {
        let field = code.get_mut(at..at.wrapping_add(4)).ok_or(Refused::Malformed)?;
        let was = <[u8; 4]>::try_from(&*field).map_err(|_| Refused::Malformed)?;
        // The displacement now counts from another address.
        let moved = trap.addr().wrapping_sub(slot) as i64;
        let new = moved.checked_add(i64::from(i32::from_le_bytes(was)));
        let new = new.and_then(|d| i32::try_from(d).ok()).ok_or(Refused::NoRoom)?;
        field.iter_mut().zip(new.to_le_bytes()).for_each(|(to, from)| *to = from);
    }
    let n = usize::from(len);
    let end = n.wrapping_add(5);
    let next = trap.addr().wrapping_add(u64::from(len));
    let back = next.wrapping_sub(slot.wrapping_add(end as u64)) as i64;
    let [a, b, c, d] = i32::try_from(back).map_err(|_| Refused::NoRoom)?.to_le_bytes();
    let jump = code.get_mut(n..end).ok_or(Refused::Malformed)?;
    jump.iter_mut().zip([JMP, a, b, c, d]).for_each(|(to, from)| *to = from);
    Ok((code, end))
}

fn add_one(table: &Table, trap: &Trap) -> Result<(), Refused> {
    let mut site = trap.site().ok_or(Refused::Malformed)?;
    if table.knows(&site)? {
        return Ok(());
    }
    if forbidden::is_in_section(site.addr) {
        return Err(Refused::Malformed);
    }
    if !stands(trap) {
        return Err(Refused::Busy);
    }
    if site.kind == Kind::Slot {
        let slot = table.slot(site.len);
        site.target = slot.addr();
        let (code, len) = displaced(trap, site.target)?;
        table.fill(slot, code.get(..len).ok_or(Refused::Malformed)?)?;
    }
    table.add(&site)
}

/// Registers traps. Calls `refused` with the index of each that cannot be registered. A trap that
/// is already registered with the same effect is no error.
///
/// # Context
///
/// *process*
pub fn add(traps: &[Trap], refused: &mut dyn FnMut(usize, Refused)) {
    let table = Table::lock();
    let ready = match symbols::breakpoint_fns() {
        None => Err(Refused::Unsupported),
        Some(_) => table.reserve(traps.len()),
    };
    for (i, trap) in traps.iter().enumerate() {
        if let Err(why) = ready.and_then(|()| add_one(&table, trap)) {
            refused(i, why);
        }
    }
}

/// Writes breakpoints on registered instructions. Calls `refused` with the index of each that
/// cannot be armed. From the first breakpoint on, [the
/// handler](crate::trampoline::set_trap_handler) may be called.
///
/// # Context
///
/// *process*; not under a lock that is taken in a callback of
/// [`crate::modules::ModuleRef::for_each_symbol`].
pub fn arm(addrs: &[u64], refused: &mut dyn FnMut(usize, Refused)) {
    if addrs.is_empty() {
        return;
    }
    let table = Table::lock();
    sites::expect();
    if let Err(why) = table.breakpoints_on() {
        return (0..addrs.len()).for_each(|i| refused(i, why));
    }
    poke(&table, addrs, true, refused);
}

/// Removes breakpoints; none of them fires after that. An address without one is no error. A
/// breakpoint whose text another tracer has changed meanwhile is left alone; if it is still hit, it
/// is emulated.
///
/// # Context
///
/// *process* or *notifier*; as [`arm`].
pub fn disarm(addrs: &[u64]) {
    if !addrs.is_empty() {
        poke(&Table::lock(), addrs, false, &mut |_, _| {});
    }
}

fn poke(table: &Table, addrs: &[u64], on: bool, refused: &mut dyn FnMut(usize, Refused)) {
    for (n, chunk) in addrs.chunks(CHUNK).enumerate() {
        let mut whys = [None; CHUNK];
        table.poke(chunk, on, &mut whys);
        for (i, why) in whys.iter().enumerate() {
            if let Some(why) = why {
                refused(n.wrapping_mul(CHUNK).wrapping_add(i), *why);
            }
        }
    }
    table.sync_text();
}

/// Forgets the instructions in text that disappears. Its breakpoints must be disarmed, and no CPU
/// may still come from there.
///
/// # Context
///
/// *process* or *notifier*
pub fn forget(range: Range<u64>) {
    Table::lock().forget(range);
}
