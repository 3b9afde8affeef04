// SPDX-License-Identifier: GPL-2.0
//! Breakpoints on instructions. A breakpoint begins with one byte, so it can be wherever an
//! instruction begins; then it covers the whole instruction. That is emulated, or runs from a copy
//! elsewhere.
//!
//! [`add`] registers instructions, [`arm`] and [`disarm`] write and remove breakpoints, [`forget`]
//! is for text that disappears. Until then an address stays registered: a CPU may have hit a
//! breakpoint that has just been removed, and must still be able to continue.
//!
//! This module creates no machine code that is not already in the kernel's text. That an instruction
//! begins at an address, and what it does, is the meaning of a [`Decoded`], which only the decoder
//! makes (crate `x86`); [`add`] checks that its bytes are there. It refuses text that runs without
//! the kernel's handlers ([`forbidden::is_in_section`]). The caller leaves out the functions of
//! ordinary sections that run on a CPU without an IDT, which only following the code can find
//! (`patch/src/unready.rs`).

use crate::forbidden;
use crate::sites::{self, Kind, Refused, Site, Table, CHUNK};
use crate::symbols;
use core::ops::Range;
use x86::encoding::JMP;
use x86::{Decoded, Shape};

/// Returns the site of an instruction; `None` if the shape can have no breakpoint.
fn site(insn: &Decoded) -> Option<Site> {
    let (kind, target, reg) = match insn.shape() {
        Shape::Nop => (Kind::Skip, 0, 0),
        Shape::Push(reg) => (Kind::Push, 0, reg),
        Shape::Jump(target) => (Kind::Jump, target, 0),
        Shape::Branch(cc, target) => (Kind::Branch, target, cc),
        Shape::Call(target) => (Kind::Call, target, 0),
        Shape::Return => (Kind::Return, 0, 0),
        Shape::JumpReg(reg) => (Kind::JumpReg, 0, reg),
        Shape::CallReg(reg) => (Kind::CallReg, 0, reg),
        Shape::Plain(_) => (Kind::Slot, 0, 0),
        Shape::Trap | Shape::Other => return None,
    };
    let mut site = Site::new(insn.at().addr(), kind, target, insn.size());
    site.reg = reg;
    site.bytes.iter_mut().zip(insn.bytes()).for_each(|(to, from)| *to = *from);
    Some(site)
}

/// An instruction of up to 15 bytes and a jump of 5.
const SLOT: usize = 20;

/// Returns the bytes for `slot` and their number: the instruction, and a jump back. `rip_disp` is the
/// offset of a displacement from the instruction pointer.
fn displaced(
    insn: &Decoded,
    rip_disp: Option<u8>,
    slot: u64,
) -> Result<([u8; SLOT], usize), Refused> {
    let mut code = [0; SLOT];
    code.iter_mut().zip(insn.bytes()).for_each(|(to, from)| *to = *from);
    if let Some(at) = rip_disp.map(usize::from) {
        let field = code.get_mut(at..at.wrapping_add(4)).ok_or(Refused::Malformed)?;
        let was = <[u8; 4]>::try_from(&*field).map_err(|_| Refused::Malformed)?;
        // The displacement now counts from another address.
        let moved = insn.at().addr().wrapping_sub(slot) as i64;
        let new = moved.checked_add(i64::from(i32::from_le_bytes(was)));
        let new = new.and_then(|d| i32::try_from(d).ok()).ok_or(Refused::NoRoom)?;
        field.iter_mut().zip(new.to_le_bytes()).for_each(|(to, from)| *to = from);
    }
    let n = usize::from(insn.size());
    let end = n.wrapping_add(5);
    let back = insn.next().wrapping_sub(slot.wrapping_add(end as u64)) as i64;
    let [a, b, c, d] = i32::try_from(back).map_err(|_| Refused::NoRoom)?.to_le_bytes();
    let jump = code.get_mut(n..end).ok_or(Refused::Malformed)?;
    jump.iter_mut().zip([JMP, a, b, c, d]).for_each(|(to, from)| *to = from);
    Ok((code, end))
}

fn add_one(table: &Table, insn: &Decoded) -> Result<(), Refused> {
    let mut site = site(insn).ok_or(Refused::Malformed)?;
    if table.knows(&site)? {
        return Ok(());
    }
    if forbidden::is_in_section(site.addr) {
        return Err(Refused::Malformed);
    }
    if !sites::stand(site.addr, insn.bytes()) {
        return Err(Refused::Busy);
    }
    if let Shape::Plain(rip_disp) = insn.shape() {
        let slot = table.slot(site.len);
        site.target = slot.addr();
        let (code, len) = displaced(insn, rip_disp, site.target)?;
        table.fill(slot, code.get(..len).ok_or(Refused::Malformed)?)?;
    }
    table.add(&site)
}

/// Registers instructions. Calls `refused` with the index of each that cannot be registered. One that
/// is already registered with the same effect is no error.
///
/// # Context
///
/// *process*
pub fn add(insns: &[Decoded], refused: &mut dyn FnMut(usize, Refused)) {
    let table = Table::lock();
    let ready = match symbols::breakpoint_fns() {
        None => Err(Refused::Unsupported),
        Some(_) => table.reserve(insns.len()),
    };
    for (i, insn) in insns.iter().enumerate() {
        if let Err(why) = ready.and_then(|()| add_one(&table, insn)) {
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

/// Replaces breakpoints in `bytes`, a copy of the text at `start`, by the instructions under them.
///
/// # Context
///
/// *process* or *notifier*
pub fn uncover(start: u64, bytes: &mut [u8]) {
    if sites::has_breakpoints() {
        Table::lock().uncover(start, bytes);
    }
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
