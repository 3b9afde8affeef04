// SPDX-License-Identifier: GPL-2.0
//! Code that replaces an instruction, and the progress of a thread in the middle of it.

use super::{Cannot, Kind, Mode, Prefixes, Relative, Seen};
use crate::encoding::INT3;
use crate::MAX_LEN;

/// The maximum length of a slot's code in bytes.
pub const SLOT_LEN: usize = 48;

/// The maximum number of offsets at which the progress changes.
const MARKS: usize = 2;

/// Code that replaces an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Slot {
    /// The code; the rest is breakpoints.
    pub code: [u8; SLOT_LEN],
    /// The length of the code in bytes.
    pub len: u8,
    marks: [(u8, Done); MARKS],
    next: u64,
    to: u64,
}

/// The progress of the original instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Done {
    Nothing,
    Pushed(u8),
    ToNext,
    Syscall,
    ToTarget,
}

/// The position of a thread in a slot, in terms of the original instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// The instruction has not run, except that the stack pointer is lower by `pushed`, usually 0.
    Before {
        /// The number of bytes.
        pushed: u8,
    },
    /// The instruction has run.
    After {
        /// The address at which the thread continues.
        to: u64,
        /// rcx must be set to the same address, because a system call returns its address there.
        rcx: bool,
    },
}

impl Slot {
    /// Returns the position of a thread whose instruction pointer is at `offset` in the slot.
    pub fn place(&self, offset: u8) -> Place {
        let here = self.marks.iter().rev().find(|(at, _)| *at <= offset);
        match here.map_or(Done::Nothing, |(_, done)| *done) {
            Done::Nothing => Place::Before { pushed: 0 },
            Done::Pushed(bytes) => Place::Before { pushed: bytes },
            Done::ToNext => Place::After { to: self.next, rcx: false },
            Done::Syscall => Place::After { to: self.next, rcx: true },
            Done::ToTarget => Place::After { to: self.to, rcx: false },
        }
    }
}

/// Makes the code for the instruction at the beginning of `bytes`, whose address is `ip`, to be
/// written at `at`. The result depends only on the arguments, so a [`Slot`] can be made again when
/// its places are needed.
pub fn slot(bytes: &[u8], ip: u64, mode: Mode, at: u64) -> Result<Slot, Cannot> {
    let seen = Seen::new(bytes, ip, mode)?;
    let empty = (u8::MAX, Done::Nothing);
    let (next, to) = (seen.next, seen.to);
    let new = Slot { code: [INT3; SLOT_LEN], len: 0, marks: [empty; MARKS], next, to };
    let mut w = Writer { slot: new, at, mode };
    match seen.kind {
        Kind::Jump => w.jump(to),
        Kind::Branch(cc) => w.branch(&[0x70 | cc], 1),
        Kind::CountBranch(_, width) => {
            if width != mode.word() {
                w.put(&[0x67]);
            }
            // Without its other prefixes: 66 would shorten the distance to L, too.
            w.branch(seen.opcode().last_chunk::<1>().unwrap_or(&[0]), 1);
        }
        Kind::Begin => w.branch(&[0xc7, 0xf8], 4),
        Kind::Return(_) | Kind::Leaves => w.copy(seen.bytes, seen.relative)?,
        Kind::Call => {
            w.push_next();
            w.jump(to);
        }
        Kind::CallLoaded => {
            w.other(&seen, PUSH)?;
            w.mark(Done::Pushed(mode.word()));
            // Push the same value once more, and overwrite the first copy with next.
            w.put(&[0xff, 0x34, 0x24]);
            w.mark(Done::Pushed(mode.word().wrapping_mul(2)));
            w.store(mode.word(), next);
            if mode == Mode::Bits64 {
                w.store(12, next >> 32);
            }
            w.put(&[0xc3]);
        }
        Kind::CallRegister => {
            w.push_next();
            w.other(&seen, JUMP)?;
        }
        Kind::Syscall => {
            w.copy(seen.bytes, seen.relative)?;
            w.mark(Done::Syscall);
            w.put(&[0x48, 0xb9]);
            w.put(&next.to_le_bytes());
            w.mark(Done::ToNext);
            w.jump(next);
        }
        Kind::Nop | Kind::Push(_) | Kind::Plain => {
            w.copy(seen.bytes, seen.relative)?;
            w.mark(Done::ToNext);
            w.jump(next);
        }
    }
    Ok(w.slot)
}

impl Seen<'_> {
    /// For an instruction with an opcode of one byte: returns all bytes up to the opcode.
    fn opcode(&self) -> &[u8] {
        let end = Prefixes::of(self.bytes, self.mode).len.wrapping_add(1);
        self.bytes.get(..end).unwrap_or_default()
    }
}

/// The values of ModRM's middle after an opcode ff; `call *` has 2.
const JUMP: u8 = 4;
const PUSH: u8 = 6;

/// Writes a slot.
struct Writer {
    slot: Slot,
    at: u64,
    mode: Mode,
}

/// `jmp *0(%rip)`, which the target follows.
const JUMP_FAR: [u8; 6] = [0xff, 0x25, 0, 0, 0, 0];

impl Writer {
    fn put(&mut self, bytes: &[u8]) {
        let room = self.slot.code.iter_mut().skip(self.slot.len.into());
        room.zip(bytes).for_each(|(to, from)| *to = *from);
        // CAST: below `SLOT_LEN`.
        self.slot.len = self.slot.len.wrapping_add(bytes.len() as u8);
    }

    /// Returns the address of what is written next.
    fn here(&self) -> u64 {
        self.at.wrapping_add(self.slot.len.into())
    }

    /// Records that from here on, this much has been done.
    fn mark(&mut self, done: Done) {
        let here = self.slot.len;
        if let Some(free) = self.slot.marks.iter_mut().find(|(at, _)| *at == u8::MAX) {
            *free = (here, done);
        }
    }

    /// Returns the distance to an address from `bytes` bytes after this point.
    fn distance(&self, bytes: u64, to: u64) -> Option<i32> {
        let d = to.wrapping_sub(self.here().wrapping_add(bytes));
        match self.mode {
            // CAST: as the CPU reads it.
            Mode::Bits64 => i32::try_from(d as i64).ok(),
            Mode::Bits32 => Some(d as i32),
        }
    }

    fn jump(&mut self, to: u64) {
        match self.distance(5, to) {
            Some(d) => {
                self.put(&[0xe9]);
                self.put(&d.to_le_bytes());
            }
            None => {
                self.put(&JUMP_FAR);
                self.put(&to.to_le_bytes());
            }
        }
    }

    /// Writes a branch with a distance field of `field` bytes.
    fn branch(&mut self, op: &[u8], field: usize) {
        let (next, to) = (self.slot.next, self.slot.to);
        self.put(op);
        let over = match self.distance(field.wrapping_add(5) as u64, next) {
            Some(_) => 5u32,
            None => 14,
        };
        self.put(over.to_le_bytes().get(..field).unwrap_or_default());
        self.mark(Done::ToNext);
        self.jump(next);
        self.mark(Done::ToTarget);
        self.jump(to);
    }

    /// Writes a copy of the instruction, with its relative operand fixed.
    fn copy(&mut self, bytes: &[u8], relative: Option<Relative>) -> Result<(), Cannot> {
        let Some(relative) = relative else {
            self.put(bytes);
            return Ok(());
        };
        let behind = bytes.len() as u64;
        let distance = match relative.wide {
            true => self.distance(behind, relative.to).ok_or(Cannot::TooFar)?,
            // CAST: only the lower half counts, in the sum, too.
            false => relative.to.wrapping_sub(self.here().wrapping_add(behind)) as i32,
        };
        let (before, rest) = bytes.split_at_checked(relative.field).ok_or(Cannot::Undecodable)?;
        self.put(before);
        self.put(&distance.to_le_bytes());
        self.put(rest.get(4..).unwrap_or_default());
        Ok(())
    }

    /// Writes a `call *` as another instruction of its group.
    fn other(&mut self, seen: &Seen<'_>, group: u8) -> Result<(), Cannot> {
        let mut bytes = [0; MAX_LEN];
        bytes.iter_mut().zip(seen.bytes).for_each(|(to, from)| *to = *from);
        if let Some(modrm) = bytes.get_mut(seen.opcode().len()) {
            *modrm = *modrm & 0xc7 | group << 3;
        }
        self.copy(bytes.get(..seen.bytes.len()).unwrap_or_default(), seen.relative)
    }

    /// Writes a push of the address of the next instruction.
    fn push_next(&mut self) {
        let next = self.slot.next;
        // CAST: the lower half, which the CPU extends by its sign.
        let low = next as u32;
        self.put(&[0x68]);
        self.put(&low.to_le_bytes());
        self.mark(Done::Pushed(self.mode.word()));
        if self.mode == Mode::Bits64 && low as i32 as i64 as u64 != next {
            self.store(4, next >> 32);
        }
    }

    /// Writes a store of the lower half of `value` at `above` bytes above the stack pointer.
    fn store(&mut self, above: u8, value: u64) {
        self.put(&[0xc7, 0x44, 0x24, above]);
        // CAST: the lower half.
        self.put(&(value as u32).to_le_bytes());
    }
}
