// SPDX-License-Identifier: GPL-2.0
//! The upper bound of what a run of an object can do, computed before it runs.
//!
//! Branches only go forward, so the bound is the longest path to a `ret`. The text is walked once,
//! in order. The cost of reaching an instruction is the maximum over the instruction before it and
//! the branches to it. Branches to targets ahead wait in a table; compiled code has only a few of
//! them at a time. If there are more than the table holds, the answer is the sum of all
//! instructions, which is never less than the longest path.
//!
//! There are two results: instructions, and **steps**, the unit of
//! [`Env::spend`](crate::Env::spend) and of a consumer's budget. A step is at most 64 instructions
//! of the processor. An instruction of the object is one step; work on strings and copies costs a
//! [`price`] for each 32 bytes. `selftests/bound` measures every price in the guest.

use abi::dif::{Op, Subr, NTUPLE};
use abi::difo::{KIND_STRING, MAX_BY_REF};

use crate::difo::Difo;
use crate::env::PATH_STEPS;
use crate::op::{scope_of, Insn};
use crate::scratch;

/// The cost of work in steps: for each 32 bytes, and once for the rest, unless it says otherwise.
pub mod price {
    /// Reading a string in pieces, from any memory.
    pub const LOOK: u32 = 10;
    /// Putting a string where all of it can be accessed as a slice.
    pub const TEXT: u32 = 6;
    /// Making a string in scratch memory.
    pub const MADE: u32 = 6;
    /// Writing to the host's memory, or to a process, in pieces.
    pub const WRITE: u32 = 12;
    /// Writing to the host's memory at once.
    pub const WHOLE: u32 = 6;
    /// Making, finding, comparing and storing a key.
    pub const KEY: u32 = 8;
    /// Searching each byte for a character or a set of characters.
    pub const SCAN: u32 = 8;
    /// Searching a string for another one.
    pub const SEARCH: u32 = 20;
    /// Preparing the string to search for.
    pub const WANTED: u32 = 32;
    /// Splitting a path.
    pub const PATH: u32 = 10;
    /// Reading JSON twice.
    pub const JSON: u32 = 24;
    /// A call of any subroutine.
    pub const CALL: u32 = 12;
    /// Formatting a number or an address.
    pub const DIGITS: u32 = 96;
    /// An element of an associative array, or a thread-local variable by reference.
    pub const ELEMENT: u32 = 32;
    /// A load.
    pub const LOAD: u32 = 5;
    /// A division, which must be checked.
    pub const DIVIDE: u32 = 6;
    /// A store to D memory.
    pub const STORE: u32 = 8;
}

/// The maximum number of targets that can wait at the same time.
const AHEAD: usize = 32;

/// The cost of strings and copies of maximum length, from the consumer's settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Prices {
    string: u32,
    copy: u32,
}

impl Prices {
    /// Returns the prices for strings of at most `strsize` bytes, and for scratch memory of the
    /// size that [`scratch::size`] returns.
    pub fn new(strsize: usize) -> Self {
        // CAST: usize has at most 64 bits, and at least 32.
        let longest = scratch::size(strsize, MAX_BY_REF as usize) as u64;
        Self { string: of_bytes(strsize as u64), copy: of_bytes(longest) }
    }

    /// Returns the maximum cost of an instruction, with `tuple` on the tuple stack.
    fn of<D: Difo + ?Sized>(&self, difo: &D, insn: Insn, tuple: Pushes) -> u32 {
        let by_ref = |op: Op| {
            let (scope, id) = (scope_of(op), u32::from(insn.index()));
            let row = difo.vars().iter().find(|v| v.id == id && v.scope == scope);
            row.filter(|v| v.ty.is_by_ref()).map_or(0, |v| of_bytes(v.ty.size.into()))
        };
        let times = u32::saturating_mul;
        match insn.op() {
            Some(Op::Scmp) => times(self.string, 2 * price::LOOK).saturating_add(1),
            Some(Op::Copys) => self.copy(),
            Some(Op::Allocs) => self.cleared().saturating_add(1),
            Some(Op::Call) => Subr::from_id(insn.index()).map_or(1, |s| self.call(s)),
            Some(Op::Sdiv | Op::Udiv | Op::Srem | Op::Urem) => price::DIVIDE,
            Some(op) if op.format() == crate::op::Format::Load => price::LOAD,
            Some(Op::Stb | Op::Sth | Op::Stw | Op::Stx) => price::STORE,
            Some(op @ (Op::Stgs | Op::Stls)) => {
                times(by_ref(op), 1 + price::LOOK + price::WRITE).saturating_add(1)
            }
            Some(op @ Op::Ldts) if by_ref(op) != 0 => 1 + price::ELEMENT,
            // A struct that is not set is cleared.
            Some(op @ Op::Ldls) => by_ref(op).saturating_add(1),
            Some(op @ Op::Stts) => match by_ref(op) {
                0 => 1,
                n => times(n, price::TEXT + price::WHOLE)
                    .saturating_add(1 + price::ELEMENT)
                    .saturating_add(NTUPLE as u32),
            },
            Some(Op::Ldgaa | Op::Ldtaa) => self.keys(tuple).saturating_add(1 + price::ELEMENT),
            Some(op @ (Op::Stgaa | Op::Sttaa)) => times(by_ref(op), price::TEXT + price::WHOLE)
                .saturating_add(self.keys(tuple))
                .saturating_add(1 + price::ELEMENT),
            _ => 1,
        }
    }

    /// Returns the cost of a copy, the larger of two: all at once in scratch memory, or a variable
    /// in pieces.
    fn copy(&self) -> u32 {
        let pieces = of_bytes(MAX_BY_REF.into()).saturating_mul(price::LOOK + price::WRITE);
        self.copy.max(pieces).saturating_add(1)
    }

    /// Returns the cost of clearing all of scratch memory.
    fn cleared(&self) -> u32 {
        (self.copy >> 1).saturating_add(1)
    }

    /// Returns the cost of the keys on the tuple stack.
    fn keys(&self, tuple: Pushes) -> u32 {
        let string = self.string.saturating_mul(price::TEXT + price::KEY);
        let bytes = of_bytes(MAX_BY_REF.into()).saturating_mul(1 + price::KEY);
        let all = |n: u8, price: u32| u32::from(n).saturating_mul(price);
        all(tuple.strings, string).saturating_add(all(tuple.bytes, bytes)).saturating_add(
            // A number costs one step.
            NTUPLE as u32,
        )
    }

    fn call(&self, subr: Subr) -> u32 {
        use price::*;
        let fixed = match subr {
            Subr::Lltostr | Subr::InetNtop | Subr::InetNtoa | Subr::InetNtoa6 | Subr::LinkNtop => {
                DIGITS
            }
            Subr::DPath | Subr::MntPath => PATH_STEPS,
            Subr::Alloca => self.cleared(),
            Subr::Copyin | Subr::Copyinto => self.copy,
            Subr::Bcopy => self.copy(),
            Subr::Copyout => self.copy.saturating_mul(WRITE),
            _ => 0,
        };
        let for_each_piece = match subr {
            Subr::Strlen | Subr::Strchr | Subr::Strrchr => LOOK,
            Subr::Copyoutstr | Subr::Memstr => LOOK + WRITE,
            Subr::Strjoin => 2 * TEXT + MADE,
            Subr::Substr | Subr::Copyinstr => TEXT + MADE,
            Subr::Strstr | Subr::Index | Subr::Rindex => 2 * TEXT + SEARCH + WANTED,
            Subr::Strtok => 2 * (TEXT + SCAN) + MADE,
            Subr::Toupper | Subr::Tolower => TEXT + SCAN + MADE,
            Subr::Basename | Subr::Dirname | Subr::Cleanpath => TEXT + PATH + MADE,
            Subr::Strtoll => TEXT + SCAN,
            Subr::Json => 2 * (TEXT + JSON) + MADE,
            Subr::Lltostr
            | Subr::InetNtop
            | Subr::InetNtoa
            | Subr::InetNtoa6
            | Subr::LinkNtop
            | Subr::DPath
            | Subr::MntPath => MADE,
            _ => 0,
        };
        let pieces = self.string.saturating_mul(for_each_piece);
        CALL.saturating_add(fixed).saturating_add(pieces)
    }
}

/// Returns the number of 32-byte pieces that are paid for.
pub(crate) fn of_bytes(bytes: u64) -> u32 {
    u32::try_from(bytes >> 5).unwrap_or(u32::MAX).saturating_add(1)
}

/// Returns the maximum number of instructions that a run of a verified object executes.
pub(crate) fn instructions<D: Difo + ?Sized>(difo: &D) -> u32 {
    longest(difo, |_, _| 1)
}

/// Returns the maximum number of steps that a run of a verified object takes.
pub(crate) fn steps<D: Difo + ?Sized>(difo: &D, prices: &Prices) -> u32 {
    longest(difo, |insn, tuple| prices.of(difo, insn, tuple))
}

/// The maximum numbers of entries on the tuple stack, counted separately for each kind.
#[derive(Clone, Copy, Default)]
struct Pushes {
    strings: u8,
    bytes: u8,
}

impl Pushes {
    /// A full stack, of both kinds.
    const MOST: Self = Self { strings: NTUPLE as u8, bytes: NTUPLE as u8 };

    fn or(self, other: Self) -> Self {
        Self { strings: self.strings.max(other.strings), bytes: self.bytes.max(other.bytes) }
    }

    /// Returns the numbers after an instruction. A pop does not lower them, because its kind is
    /// unknown.
    fn after(self, insn: Insn) -> Self {
        let more = |n: u8| n.saturating_add(1).min(NTUPLE as u8);
        match insn.op() {
            Some(Op::Pushtr) if insn.r1() == KIND_STRING => {
                Self { strings: more(self.strings), ..self }
            }
            Some(Op::Pushtr) => Self { bytes: more(self.bytes), ..self },
            Some(Op::Flushts) => Self::default(),
            _ => self,
        }
    }
}

/// The maximum cost of reaching an instruction, and the tuple stack there.
#[derive(Clone, Copy)]
struct Way {
    cost: u32,
    tuple: Pushes,
}

impl Way {
    fn or(self, other: Self) -> Self {
        Self { cost: self.cost.max(other.cost), tuple: self.tuple.or(other.tuple) }
    }
}

/// The target of a branch ahead, and the most expensive way to it.
#[derive(Clone, Copy)]
struct Ahead {
    target: u32,
    way: Way,
}

fn longest<D: Difo + ?Sized>(difo: &D, price: impl Fn(Insn, Pushes) -> u32) -> u32 {
    let mut waiting: heapless::Vec<Ahead, AHEAD> = heapless::Vec::new();
    // The way from the previous instruction; `None` if control cannot come from there.
    let mut falls = Some(Way { cost: 0, tuple: Pushes::default() });
    let mut most = 0u32;
    for (pc, word) in (0u32..).zip(difo.text()) {
        let insn = Insn(*word);
        let arrivals = waiting.iter().filter(|a| a.target == pc).map(|a| a.way);
        let Some(here) = arrivals.chain(falls).reduce(Way::or) else { continue };
        waiting.retain(|a| a.target > pc);
        let cost = here.cost.saturating_add(price(insn, here.tuple));
        let after = Way { cost, tuple: here.tuple.after(insn) };
        falls = Some(after);
        let Some(op) = insn.op() else { continue };
        if op == Op::Ret {
            most = most.max(cost);
            falls = None;
        }
        if op.format() != crate::op::Format::Branch {
            continue;
        }
        let target = insn.label();
        if let Some(known) = waiting.iter_mut().find(|a| a.target == target) {
            known.way = known.way.or(after);
        } else if waiting.push(Ahead { target, way: after }).is_err() {
            let all = difo.text().iter().map(|word| price(Insn(*word), Pushes::MOST));
            return all.fold(0, u32::saturating_add);
        }
        if op == Op::Ba {
            falls = None;
        }
    }
    most
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::asm::{assemble, Object};

    fn most(source: &str) -> u32 {
        instructions(&assemble(source).expect("assembles"))
    }

    #[test]
    fn the_longest_path_counts() {
        assert_eq!(most("ret %r0"), 1);
        assert_eq!(most("nop\nnop\nret %r0"), 3);
        // Either arm of a choice, not both.
        assert_eq!(most("tst %r1\nbe 4\nnop\nba 6\nnop\nnop\nret %r0"), 5);
        // Unreachable code costs nothing.
        assert_eq!(most("ba 3\nnop\nnop\nret %r0"), 2);
        assert_eq!(most("tst %r1\nbe 3\nret %r0\nnop\nnop\nret %r0"), 5);
    }

    #[test]
    fn work_on_bytes_has_its_price() {
        let of = |source: &str| steps(&assemble(source).expect("assembles"), &Prices::new(256));
        use price::*;
        assert_eq!(of("scmp %r1, %r2\nret %r0"), 9 * 2 * LOOK + 2);
        assert_eq!(of("call DIF_SUBR(12), %r1\nret %r1"), CALL + 9 * LOOK + 1);
        let pieces = (MAX_BY_REF / 32 + 1) * (LOOK + WRITE);
        assert_eq!(of("copys %r1, %r2, %r3\nret %r1"), pieces + 2);
    }

    /// Tries every path.
    fn by_trying(object: &Object, pc: usize) -> u32 {
        let insn = Insn(object.text[pc]);
        let op = insn.op().expect("known");
        let on = match op {
            Op::Ret => 0,
            Op::Ba => by_trying(object, insn.label() as usize),
            op if op.format() == crate::op::Format::Branch => {
                by_trying(object, insn.label() as usize).max(by_trying(object, pc + 1))
            }
            _ => by_trying(object, pc + 1),
        };
        on + 1
    }

    #[test]
    fn as_long_as_trying_every_path_finds() {
        let mut random = crate::harness::Seeded(0x5eed);
        for _ in 0..20_000 {
            let len = 2 + (random.number() % 14) as u32;
            let mut object = Object::default();
            for pc in 0..len - 1 {
                let to = pc + 1 + (random.number() % u64::from(len - 1 - pc).max(1)) as u32;
                let to = to.min(len - 1);
                object.text.push(match random.number() % 5 {
                    0 => Insn::branch(Op::Be, to).0,
                    1 => Insn::branch(Op::Ba, to).0,
                    2 if pc % 3 == 0 => Insn::registers(Op::Ret, 0, 0, 0).0,
                    _ => Insn::registers(Op::Nop, 0, 0, 0).0,
                });
            }
            object.text.push(Insn::registers(Op::Ret, 0, 0, 0).0);
            assert_eq!(instructions(&object), by_trying(&object, 0));
        }
    }

    #[test]
    fn more_branches_than_the_table_holds() {
        let mut object = Object::default();
        let n = 3 * AHEAD as u32;
        object.text.extend((0..n).map(|pc| Insn::branch(Op::Be, n + pc).0));
        object.text.extend((0..=n).map(|_| Insn::registers(Op::Ret, 0, 0, 0).0));
        assert_eq!(instructions(&object), 2 * n + 1);
    }
}
