// SPDX-License-Identifier: GPL-2.0
//! Stacks of programs that keep no frame pointers: what the consumer makes of an object's `.eh_frame`, and
//! the step from a frame to its caller.
//!
//! An object is a row of 8 bytes for each piece of code with one rule, ascending; a piece ends where the
//! next begins. Only what the next step needs is in it: where the caller's frame begins (the *CFA*, of
//! which the return address is the word before), and where this frame has saved rbp.
//!
//! The module is told of files, not of processes: what is mapped where, it looks up itself as it walks. So
//! the rows of a library serve all processes, those that begin later too.

use crate::ioctl::iowr;
use zerocopy_derive::{FromBytes, Immutable, IntoBytes, KnownLayout};

/// How frames of a file are left; argument [`Object`].
pub const OBJECT: u32 = iowr::<Object>(41);
/// Which processes had a stack walked whose objects, or who, were not known; argument [`Strangers`].
pub const STRANGERS: u32 = iowr::<Strangers>(42);

/// Which file: as `/proc/PID/maps` and `stat()` tell it. All zero: the kernel's vDSO.
#[repr(C)]
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, Hash, FromBytes, IntoBytes, Immutable, KnownLayout,
)]
pub struct Key {
    /// On its file system.
    pub inode: u64,
    /// When it was last changed, in ns: another file may get the number.
    pub modified: u64,
    /// The file system, major << 20 | minor.
    pub device: u32,
    /// Zero.
    pub pad: u32,
}

impl Key {
    /// [`Key::modified`] of seconds and nanoseconds.
    pub const fn modified(seconds: i64, ns: i64) -> u64 {
        seconds.wrapping_mul(1_000_000_000).wrapping_add(ns) as u64
    }
}

/// Argument of [`OBJECT`]. More than [`MAX_ROWS`], or more than there may be in all, is E2BIG; rows that do
/// not ascend are EINVAL. An object that is known already is replaced.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, FromBytes, IntoBytes, Immutable, KnownLayout)]
pub struct Object {
    /// In: which.
    pub key: Key,
    /// In: user address of its [`Row`]s.
    pub rows: u64,
    /// In: their bytes.
    pub size: u64,
}

/// Most rows of an object.
pub const MAX_ROWS: usize = 8 << 20;
/// Most bytes of rows that a consumer may give, and that all together may.
pub const MAX_GIVEN: u64 = 256 << 20;
/// See [`MAX_GIVEN`].
pub const MAX_GIVEN_BY_ALL: u64 = 1 << 30;

/// Argument of [`STRANGERS`]: each is told once, unless it is met again.
#[repr(C)]
#[derive(Debug, Clone, Copy, FromBytes, IntoBytes, Immutable, KnownLayout)]
pub struct Strangers {
    /// Out: their numbers; 0 is none.
    pub pids: [u32; MAX_STRANGERS],
}

/// Most that are told at once.
pub const MAX_STRANGERS: usize = 64;

/// From `start` on this is the rule.
#[repr(C)]
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout,
)]
pub struct Row {
    /// In the file.
    pub start: u32,
    /// As the rule says.
    pub cfa: i16,
    /// In words from the CFA (of [`Rule::Saved`]: from rbp): there rbp is saved. 0: it is as it was.
    pub rbp: i8,
    /// A [`Rule`], or [`REGISTER`] and a register's number in DWARF.
    pub rule: u8,
}

/// `cfa` behind a register that the innermost frame alone knows: code in assembly that keeps its stack
/// pointer there.
pub const REGISTER: u8 = 16;

/// Where the caller's frame begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Rule {
    /// Nothing is known: frame pointers must do.
    Unknown = 0,
    /// There is no caller: here the thread began.
    End = 1,
    /// `cfa` behind rsp.
    Rsp = 2,
    /// `cfa` behind rbp.
    Rbp = 3,
    /// Where the word at `cfa` from rbp says: a function that has aligned its stack.
    Saved = 4,
    /// 8 behind rsp, 16 from byte `cfa` of 16 on: entries of a procedure linkage table.
    Plt = 5,
    /// A signal's frame: registers are where the kernel has saved them.
    Signal = 6,
    /// 8 behind the word at `cfa` from rsp: code in assembly that has put its stack pointer there.
    Kept = 7,
}

impl Rule {
    /// The rule of this number.
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

/// The registers that a step needs and gives.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Frame {
    /// Where it goes on.
    pub ip: u64,
    /// Its stack pointer.
    pub sp: u64,
    /// rbp.
    pub bp: u64,
}

/// What comes behind a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// Its caller.
    Caller(Frame),
    /// What a signal has interrupted: its `ip` is no return address.
    Interrupted(Frame),
    /// Nobody: it is the first.
    End,
    /// No rule leads further, or memory cannot be read.
    Lost,
}

/// Where a signal's frame has the registers that are needed, from rsp: `mcontext` is 40 bytes behind it.
const SAVED_BP: u64 = 120;
const SAVED_SP: u64 = 160;
const SAVED_IP: u64 = 168;

/// The rule at an offset in the file.
pub fn find(rows: &[Row], offset: u32) -> Option<Row> {
    let after = rows.partition_point(|r| r.start <= offset);
    rows.get(after.checked_sub(1)?).copied()
}

/// From a frame to its caller. `read` gives a word of the thread's memory, `register` what is in one of the
/// other registers, by its number in DWARF.
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
        // Stacks grow downwards: a rule that is wrong must not lead in circles.
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

/// Does the frame go on where a signal's handler is left? That code is the same everywhere:
/// `mov $15, %rax` (rt_sigreturn); `syscall`.
pub fn leaves_signal(frame: Frame, read: impl Fn(u64) -> Option<u64>) -> bool {
    read(frame.ip) == Some(u64::from_le_bytes([0x48, 0xc7, 0xc0, 15, 0, 0, 0, 0x0f]))
}

/// [`step`] of code without rules: rbp is a frame pointer, or leads nowhere. `size`: bytes of a word.
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

    /// Each word of this memory says where it is.
    fn own(at: u64) -> Option<u64> {
        (0x1000..0x2000).contains(&at).then_some(at + 1)
    }

    /// The only other register.
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
            // The word at 0x11f8 says 0x11f9.
            (row(0, Rule::Saved, -8, 0), caller(0x11f2, 0x11f9, 0x1201)),
            (row(0, Rule::Plt, 11, 0), caller(0x1109, 0x1110, 0x1200)),
            (row(0, Rule::Plt, 12, 0), caller(0x1101, 0x1108, 0x1200)),
            (
                row(0, Rule::Signal, 0, 0),
                Step::Interrupted(Frame { ip: 0x11a9, sp: 0x11a1, bp: 0x1179 }),
            ),
            // The word at 0x1128 says 0x1129.
            (row(0, Rule::Kept, 40, -2), caller(0x112a, 0x1131, 0x1122)),
            (Row { rule: REGISTER + 4, cfa: 8, ..Row::default() }, caller(0x1301, 0x1308, 0x1200)),
            (Row { rule: REGISTER + 5, cfa: 8, ..Row::default() }, Step::Lost),
            // Not upwards, and not where nothing is.
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
        // Downwards, between words, where nothing is.
        for bp in [0, 0x10f8, 0x1204, 0x2000] {
            assert_eq!(by_pointer(Frame { bp, ..frame }, 8, own), Step::Lost, "{bp:x}");
        }
    }
}
