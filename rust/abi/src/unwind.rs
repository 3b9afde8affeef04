// SPDX-License-Identifier: GPL-2.0
//! Stacks of programs that keep no frame pointers: the table that the consumer makes of an object's
//! `.eh_frame`, and the step from a frame to its caller.
//!
//! An object has a row of 8 bytes for each piece of code with one rule, in ascending order; a piece
//! ends where the next one begins. A row contains only what the next step needs: where the caller's
//! frame begins (the *CFA*; the return address is in the word before it), and where this frame has
//! saved rbp.
//!
//! The module gets the rows of files, not of processes: it looks up the mappings itself when it
//! walks a stack. So the rows of a library serve all processes, also those that begin later.

use crate::ioctl::iowr;
use zerocopy_derive::{FromBytes, Immutable, IntoBytes, KnownLayout};

/// Adds the unwinding rows of a file; argument [`Object`].
pub const OBJECT: u32 = iowr::<Object>(41);
/// Takes the processes whose mappings the consumer must read, because their stacks were walked and
/// the process, or a file that the stack led through, was unknown; argument [`Strangers`].
pub const STRANGERS: u32 = iowr::<Strangers>(42);
/// Removes the unwinding rows of a file, to make room for others; argument [`Key`]. ENOENT: it has
/// none.
pub const FORGET: u32 = iowr::<Key>(47);

/// Identifies a file, with the values from `/proc/PID/maps` and `stat()`. All zero: the kernel's
/// vDSO.
#[repr(C)]
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, Hash, FromBytes, IntoBytes, Immutable, KnownLayout,
)]
pub struct Key {
    /// The inode number in its file system.
    pub inode: u64,
    /// The time of the last change, in ns, because another file may get the same inode number.
    pub modified: u64,
    /// The file system: major << 20 | minor.
    pub device: u32,
    /// Zero.
    pub pad: u32,
}

impl Key {
    /// Returns [`Key::modified`] for a time in seconds and nanoseconds.
    pub const fn modified(seconds: i64, ns: i64) -> u64 {
        seconds.wrapping_mul(1_000_000_000).wrapping_add(ns) as u64
    }
}

/// Argument of [`OBJECT`]. More rows than [`MAX_ROWS`], more bytes than [`MAX_GIVEN`] or
/// [`MAX_GIVEN_BY_ALL`], or a file more than there are places for, are E2BIG. If only the places
/// for this file are taken, that is ENOSPC. Rows that do not ascend are EINVAL. The rows of a known
/// file are replaced.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, FromBytes, IntoBytes, Immutable, KnownLayout)]
pub struct Object {
    /// In: the file.
    pub key: Key,
    /// In: user address of its [`Row`]s.
    pub rows: u64,
    /// In: the size of the rows, in bytes.
    pub size: u64,
}

/// The places for files that a consumer has: a power of two. If more than half of them are in use,
/// a file may find none.
pub const FILES: usize = 4096;
/// Most rows of one object.
pub const MAX_ROWS: usize = 8 << 20;
/// Most bytes of rows that one consumer may add.
pub const MAX_GIVEN: u64 = 256 << 20;
/// Most bytes of rows that all consumers together may add.
pub const MAX_GIVEN_BY_ALL: u64 = 1 << 30;

/// Argument of [`STRANGERS`]. Each process is returned once, unless the module meets it again.
#[repr(C)]
#[derive(Debug, Clone, Copy, FromBytes, IntoBytes, Immutable, KnownLayout)]
pub struct Strangers {
    /// Out: the process ids; 0 is none.
    pub pids: [u32; MAX_STRANGERS],
}

/// Most processes that one call returns.
pub const MAX_STRANGERS: usize = 64;

/// The rule for the code from `start` on.
#[repr(C)]
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout,
)]
pub struct Row {
    /// The offset in the file, in bytes.
    pub start: u32,
    /// The operand of the rule, in bytes.
    pub cfa: i16,
    /// The place where rbp is saved, in words from the CFA; 0: rbp is unchanged. With
    /// [`Rule::Saved`], rbp is always saved, and the place counts from rbp.
    pub rbp: i8,
    /// A [`Rule`], or [`REGISTER`] plus the DWARF number of a register.
    pub rule: u8,
}

/// The CFA is `cfa` bytes after the address in a register, whose value is known only in the
/// innermost frame: code in assembly that keeps its stack pointer there.
pub const REGISTER: u8 = 16;

/// The place where the caller's frame begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Rule {
    /// It is unknown; the step uses frame pointers.
    Unknown = 0,
    /// There is no caller: the thread began here.
    End = 1,
    /// `cfa` bytes after rsp.
    Rsp = 2,
    /// `cfa` bytes after rbp.
    Rbp = 3,
    /// The address in the word `cfa` bytes after rbp: a function that has aligned its stack.
    Saved = 4,
    /// 8 bytes after rsp; 16 in the bytes from `cfa` on of an entry of 16 bytes: a procedure
    /// linkage table.
    Plt = 5,
    /// A signal's frame: the kernel has saved the registers in it.
    Signal = 6,
    /// 8 bytes after the address in the word `cfa` bytes after rsp: code in assembly that has saved
    /// its stack pointer there.
    Kept = 7,
}

impl Rule {
    /// Returns the rule with this number.
    pub const fn from_number(n: u8) -> Option<Self> {
        match n {
            0 => Some(Self::Unknown),
            1 => Some(Self::End),
            2 => Some(Self::Rsp),
            3 => Some(Self::Rbp),
            4 => Some(Self::Saved),
            5 => Some(Self::Plt),
            6 => Some(Self::Signal),
            7 => Some(Self::Kept),
            _ => None,
        }
    }
}

/// The registers that a step needs and returns.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Frame {
    /// The address where it continues.
    pub ip: u64,
    /// The stack pointer.
    pub sp: u64,
    /// rbp.
    pub bp: u64,
}

/// The result of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// The caller.
    Caller(Frame),
    /// The frame that a signal has interrupted; its `ip` is not a return address.
    Interrupted(Frame),
    /// The frame was the first one.
    End,
    /// No rule leads further, or memory cannot be read.
    Lost,
}

/// The offsets of the needed registers in a signal's frame, in bytes from rsp; `mcontext` is at 40.
const SAVED_BP: u64 = 120;
const SAVED_SP: u64 = 160;
const SAVED_IP: u64 = 168;

/// Returns the row for an offset in the file.
pub fn find(rows: &[Row], offset: u32) -> Option<Row> {
    let after = rows.partition_point(|r| r.start <= offset);
    rows.get(after.checked_sub(1)?).copied()
}

/// Steps from a frame to its caller. `read` returns a word of the thread's memory, `register` the
/// value of one of the other registers, by its DWARF number.
pub fn step(
    row: Row,
    frame: Frame,
    register: impl Fn(u8) -> Option<u64>,
    read: impl Fn(u64) -> Option<u64>,
) -> Step {
    let caller = || -> Option<Step> {
        let Frame { ip, sp, bp } = frame;
        let behind = |base: u64| base.wrapping_add_signed(row.cfa.into());
        let words = i64::from(row.rbp).wrapping_mul(8);
        let rule = match row.rule.checked_sub(REGISTER) {
            Some(_) => None,
            None => Some(Rule::from_number(row.rule)?),
        };
        let (cfa, saved) = match rule {
            None => (behind(register(row.rule.wrapping_sub(REGISTER))?), None),
            Some(rule) => match rule {
                Rule::Unknown => return None,
                Rule::End => return Some(Step::End),
                Rule::Signal => {
                    return Some(Step::Interrupted(Frame {
                        ip: read(sp.wrapping_add(SAVED_IP))?,
                        sp: read(sp.wrapping_add(SAVED_SP))?,
                        bp: read(sp.wrapping_add(SAVED_BP))?,
                    }))
                }
                Rule::Rsp => (behind(sp), None),
                Rule::Rbp => (behind(bp), None),
                Rule::Saved => (read(behind(bp))?, Some(bp.wrapping_add_signed(words))),
                Rule::Plt if (ip & 15) as i64 >= i64::from(row.cfa) => (sp.wrapping_add(16), None),
                Rule::Plt => (sp.wrapping_add(8), None),
                Rule::Kept => (read(behind(sp))?.wrapping_add(8), None),
            },
        };
        // Stacks grow downwards: a wrong rule must not lead in circles.
        if cfa <= sp {
            return None;
        }
        let bp = match (saved, row.rbp) {
            (Some(at), _) => read(at)?,
            (None, 0) => bp,
            (None, _) => read(cfa.wrapping_add_signed(words))?,
        };
        let ip = read(cfa.wrapping_sub(8))?;
        Some(Step::Caller(Frame { ip, sp: cfa, bp }))
    };
    caller().unwrap_or(Step::Lost)
}

/// Tells whether the frame continues in the code that returns from a signal handler. That code is
/// the same everywhere: `mov $15, %rax` (rt_sigreturn); `syscall`.
pub fn leaves_signal(frame: Frame, read: impl Fn(u64) -> Option<u64>) -> bool {
    read(frame.ip) == Some(u64::from_le_bytes([0x48, 0xc7, 0xc0, 15, 0, 0, 0, 0x0f]))
}

/// Makes a [`step`] in code without rules: rbp is a frame pointer, or leads nowhere. `size` is the
/// size of a word, in bytes.
pub fn by_pointer(frame: Frame, size: u64, read: impl Fn(u64) -> Option<u64>) -> Step {
    let Frame { sp, bp, .. } = frame;
    if bp < sp || bp & size.wrapping_sub(1) != 0 {
        return Step::Lost;
    }
    let caller = || {
        let (bp, ip) = (read(bp)?, read(bp.wrapping_add(size))?);
        Some(Frame { ip, sp: frame.bp.wrapping_add(size.wrapping_mul(2)), bp })
    };
    caller().map_or(Step::Lost, Step::Caller)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(start: u32, rule: Rule, cfa: i16, rbp: i8) -> Row {
        Row { start, cfa, rbp, rule: rule as u8 }
    }

    /// Each word of this memory contains its own address plus 1.
    fn own(at: u64) -> Option<u64> {
        (0x1000..0x2000).contains(&at).then_some(at + 1)
    }

    /// The only other register that has a value.
    fn rsi(number: u8) -> Option<u64> {
        (number == 4).then_some(0x1300)
    }

    #[test]
    fn rows_are_found() {
        let rows = [row(0x10, Rule::Rsp, 8, 0), row(0x20, Rule::Unknown, 0, 0)];
        assert_eq!(find(&rows, 0xf), None);
        assert_eq!(find(&rows, 0x10), Some(rows[0]));
        assert_eq!(find(&rows, 0x1f), Some(rows[0]));
        assert_eq!(find(&rows, u32::MAX), Some(rows[1]));
        assert_eq!(find(&[], 0), None);
    }

    #[test]
    fn every_rule() {
        let frame = Frame { ip: 0x40000b, sp: 0x1100, bp: 0x1200 };
        let caller = |ip, sp, bp| Step::Caller(Frame { ip, sp, bp });
        for (row, want) in [
            (row(0, Rule::Unknown, 0, 0), Step::Lost),
            (row(0, Rule::End, 0, 0), Step::End),
            (row(0, Rule::Rsp, 24, 0), caller(0x1111, 0x1118, 0x1200)),
            (row(0, Rule::Rsp, 24, -2), caller(0x1111, 0x1118, 0x1109)),
            (row(0, Rule::Rbp, 16, -2), caller(0x1209, 0x1210, 0x1201)),
            // The word at 0x11f8 is 0x11f9.
            (row(0, Rule::Saved, -8, 0), caller(0x11f2, 0x11f9, 0x1201)),
            (row(0, Rule::Plt, 11, 0), caller(0x1109, 0x1110, 0x1200)),
            (row(0, Rule::Plt, 12, 0), caller(0x1101, 0x1108, 0x1200)),
            (
                row(0, Rule::Signal, 0, 0),
                Step::Interrupted(Frame { ip: 0x11a9, sp: 0x11a1, bp: 0x1179 }),
            ),
            // The word at 0x1128 is 0x1129.
            (row(0, Rule::Kept, 40, -2), caller(0x112a, 0x1131, 0x1122)),
            (Row { rule: REGISTER + 4, cfa: 8, ..Row::default() }, caller(0x1301, 0x1308, 0x1200)),
            (Row { rule: REGISTER + 5, cfa: 8, ..Row::default() }, Step::Lost),
            // The CFA must be above rsp, and in memory.
            (row(0, Rule::Rsp, 0, 0), Step::Lost),
            (row(0, Rule::Rsp, -8, 0), Step::Lost),
            (row(0, Rule::Rbp, 0x2000, 0), Step::Lost),
            (Row { rule: 15, ..Row::default() }, Step::Lost),
        ] {
            assert_eq!(step(row, frame, rsi, own), want, "{row:?}");
        }
    }

    #[test]
    fn code_that_leaves_a_signal() {
        let code = |at| (at == 0x1000).then_some(0x0f00_0000_0fc0_c748);
        let at = |ip| Frame { ip, sp: 0x1100, bp: 0 };
        assert!(leaves_signal(at(0x1000), code));
        assert!(!leaves_signal(at(0x1008), code) && !leaves_signal(at(0x1001), own));
    }

    #[test]
    fn frame_pointers() {
        let frame = Frame { ip: 0x40000b, sp: 0x1100, bp: 0x1200 };
        let caller = |ip, sp, bp| Step::Caller(Frame { ip, sp, bp });
        assert_eq!(by_pointer(frame, 8, own), caller(0x1209, 0x1210, 0x1201));
        assert_eq!(by_pointer(frame, 4, own), caller(0x1205, 0x1208, 0x1201));
        // Below rsp, between words, outside of the memory.
        for bp in [0, 0x10f8, 0x1204, 0x2000] {
            assert_eq!(by_pointer(Frame { bp, ..frame }, 8, own), Step::Lost, "{bp:x}");
        }
    }
}
