// SPDX-License-Identifier: GPL-2.0
//! Stacks of programs that keep no frame pointers: what the consumer makes of an object's `.eh_frame`, and
//! the step from a frame to its caller.
//!
//! An object is a row of 8 bytes for each piece of code with one rule, ascending; a piece ends where the
//! next begins. Only what the next step needs is in it: where the caller's frame begins (the *CFA*, of
//! which the return address is the word before), and where this frame has saved rbp.

use zerocopy_derive::{FromBytes, Immutable, IntoBytes, KnownLayout};

/// From `start` on this is the rule.
#[repr(C)]
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout,
)]
pub struct Row {
    /// From the object's lowest address.
    pub start: u32,
    /// As the rule says.
    pub cfa: i16,
    /// In words from the CFA (of [`Rule::Saved`]: from rbp): there rbp is saved. 0: it is as it was.
    pub rbp: i8,
    /// A [`Rule`].
    pub rule: u8,
}

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

/// The rule at an offset from the object's lowest address.
pub fn find(rows: &[Row], offset: u32) -> Option<Row> {
    let after = rows.partition_point(|r| r.start <= offset);
    rows.get(after.checked_sub(1)?).copied()
}

/// From a frame to its caller. `read` gives a word of the thread's memory.
pub fn step(row: Row, frame: Frame, read: &mut dyn FnMut(u64) -> Option<u64>) -> Step {
    let mut caller = || -> Option<Step> {
        let Frame { ip, sp, bp } = frame;
        let behind = |base: u64| base.wrapping_add_signed(row.cfa.into());
        let words = i64::from(row.rbp).wrapping_mul(8);
        let (cfa, saved) = match Rule::from_number(row.rule)? {
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
            // Not upwards, and not where nothing is.
            (row(0, Rule::Rsp, 0, 0), Step::Lost),
            (row(0, Rule::Rsp, -8, 0), Step::Lost),
            (row(0, Rule::Rbp, 0x2000, 0), Step::Lost),
            (Row { rule: 99, ..Row::default() }, Step::Lost),
        ] {
            assert_eq!(step(row, frame, &mut own), want, "{row:?}");
        }
    }
}
