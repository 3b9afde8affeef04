// SPDX-License-Identifier: GPL-2.0
//! Code that stands in for an instruction, and what a thread in the middle of it has done.

use super::{Cannot, Kind, Mode, Prefixes, Relative, Seen, Through};
use crate::MAX_LEN;

/// Most bytes of a slot's code.
pub const SLOT_LEN: usize = 48;

/// Most places in it where what has been done changes.
const MARKS: usize = 2;

/// Code that stands in for an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Slot {
    /// The code; the rest is breakpoints.
    pub code: [u8; SLOT_LEN],
    /// Its bytes.
    pub len: u8,
    marks: [(u8, Done); MARKS],
    next: u64,
    to: u64,
}

/// How far the original instruction has got.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Done {
    Nothing,
    Pushed(u8),
    ToNext,
    Syscall,
    ToTarget,
}

/// Where a thread is that stands in a slot, in terms of the original instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// Nothing has happened, but that the stack pointer is so many bytes lower than before: mostly 0.
    Before {
        /// Bytes.
        pushed: u8,
    },
    /// All has happened.
    After {
        /// Where it goes on.
        to: u64,
        /// rcx is to be set to the same: a system call tells there where it goes on.
        rcx: bool,
    },
}

impl Slot {
    /// Where a thread is whose instruction pointer is so many bytes into the slot.
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

/// Code to be written at `at` for the instruction at the beginning of `bytes`, which stand at `ip`. It is
/// a function of its arguments: nobody needs to keep a [`Slot`] in order to ask it for places.
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
            // Not with its other prefixes: 66 would shorten the way to L, too.
            w.branch(seen.opcode().0.last_chunk::<1>().unwrap_or(&[0]), 1);
        }
        Kind::Begin => w.branch(&[0xc7, 0xf8], 4),
        Kind::Return(_) | Kind::Leaves => w.copy(seen.bytes, seen.relative)?,
        Kind::Call => {
            w.push_next();
            w.jump(to);
        }
        Kind::CallThrough(Through::Lost) => {
            w.other(&seen, PUSH)?;
            w.mark(Done::Pushed(mode.word()));
            // Once more what was pushed, and over the first: next.
            w.put(&[0xff, 0x34, 0x24]);
            w.mark(Done::Pushed(mode.word().wrapping_mul(2)));
            w.store(mode.word(), next);
            if mode == Mode::Bits64 {
                w.store(12, next >> 32);
            }
            w.put(&[0xc3]);
        }
        Kind::CallThrough(Through::Same) => {
            w.push_next();
            w.other(&seen, JUMP)?;
        }
        Kind::CallThrough(Through::Stack(distance)) => {
            w.push_next();
            let (op, sib) = seen.opcode();
            w.put(op);
            w.put(&[0x84 | JUMP << 3]);
            w.put(sib);
            w.put(&distance.to_le_bytes());
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

const INT3: u8 = 0xcc;

impl Seen<'_> {
    /// Of an instruction with an opcode of one byte: all up to there, and its SIB byte.
    fn opcode(&self) -> (&[u8], &[u8]) {
        let end = Prefixes::of(self.bytes, self.mode).len.wrapping_add(1);
        let (op, rest) = self.bytes.split_at_checked(end).unwrap_or_default();
        (op, rest.get(1..2).unwrap_or_default())
    }
}

/// What ModRM's middle says behind an opcode ff, where `call *` has 2.
const JUMP: u8 = 4;
const PUSH: u8 = 6;

/// Writes a slot.
struct Writer {
    slot: Slot,
    at: u64,
    mode: Mode,
}

/// `jmp *0(%rip)`; behind it stands where to.
const JUMP_FAR: [u8; 6] = [0xff, 0x25, 0, 0, 0, 0];

impl Writer {
    fn put(&mut self, bytes: &[u8]) {
        let room = self.slot.code.iter_mut().skip(self.slot.len.into());
        room.zip(bytes).for_each(|(to, from)| *to = *from);
        // CAST: below SLOT_LEN.
        self.slot.len = self.slot.len.wrapping_add(bytes.len() as u8);
    }

    /// Address of what is put next.
    fn here(&self) -> u64 {
        self.at.wrapping_add(self.slot.len.into())
    }

    /// From here on, so much has been done.
    fn mark(&mut self, done: Done) {
        let here = self.slot.len;
        if let Some(free) = self.slot.marks.iter_mut().find(|(at, _)| *at == u8::MAX) {
            *free = (here, done);
        }
    }

    /// Distance to there from so many bytes behind here.
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

    /// A branch whose distance is written in a field that long.
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

    /// An instruction, mended.
    fn copy(&mut self, bytes: &[u8], relative: Option<Relative>) -> Result<(), Cannot> {
        let Some(relative) = relative else {
            self.put(bytes);
            return Ok(());
        };
        let behind = bytes.len() as u64;
        let distance = match relative.wide {
            true => self.distance(behind, relative.to).ok_or(Cannot::TooFar)?,
            // CAST: of the sum, too, the lower half counts.
            false => relative.to.wrapping_sub(self.here().wrapping_add(behind)) as i32,
        };
        let (before, rest) = bytes.split_at_checked(relative.field).ok_or(Cannot::Undecodable)?;
        self.put(before);
        self.put(&distance.to_le_bytes());
        self.put(rest.get(4..).unwrap_or_default());
        Ok(())
    }

    /// A `call *` as another instruction of its group.
    fn other(&mut self, seen: &Seen<'_>, group: u8) -> Result<(), Cannot> {
        let mut bytes = [0; MAX_LEN];
        bytes.iter_mut().zip(seen.bytes).for_each(|(to, from)| *to = *from);
        if let Some(modrm) = bytes.get_mut(seen.opcode().0.len()) {
            *modrm = *modrm & 0xc7 | group << 3;
        }
        self.copy(bytes.get(..seen.bytes.len()).unwrap_or_default(), seen.relative)
    }

    /// Pushes the address of the next instruction.
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

    /// Writes the lower half of `value` so far above the stack pointer.
    fn store(&mut self, above: u8, value: u64) {
        self.put(&[0xc7, 0x44, 0x24, above]);
        // CAST: the lower half.
        self.put(&(value as u32).to_le_bytes());
    }
}
