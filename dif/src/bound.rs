// SPDX-License-Identifier: GPL-2.0
//! The most that a run of an object can do, found out before it runs.
//!
//! Branches go forward only, so the most is the longest path to a `ret`. It is walked once, in order of
//! the text: what it costs to get to an instruction is the dearest of falling into it and of the branches
//! to it. Branches whose target is still ahead wait in a table; code that a compiler makes has a handful
//! of them at a time. Should they be more than the table holds, the answer is the sum of all
//! instructions: more than the longest path, never less.
//!
//! Two answers: instructions, and **steps**, which is what [`Env::spend`](crate::Env::spend) counts and a
//! consumer's budget is made of: an instruction is one, and what works on strings or copies bytes is one
//! for each 32 of them besides.

use abi::dif::{Op, Subr};
use abi::difo::MAX_BY_REF;

use crate::difo::Difo;
use crate::env::PATH_STEPS;
use crate::op::Insn;
use crate::scratch;
use crate::verify::scope_of;

/// Branches that may wait for their target at the same time.
const AHEAD: usize = 32;

/// What the length of strings and of copies costs: the consumer's settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Prices {
    string: u32,
    copy: u32,
}

impl Prices {
    /// Prices where strings have at most `strsize` bytes, and scratch memory is what
    /// [`scratch::size`] makes it.
    pub fn new(strsize: usize) -> Self {
        // CAST: usize has at most 64 bits, and at least 32.
        let longest = scratch::size(strsize, MAX_BY_REF as usize) as u64;
        Self { string: of_bytes(strsize as u64), copy: of_bytes(longest) }
    }

    /// What an instruction costs at most.
    fn of<D: Difo + ?Sized>(&self, difo: &D, insn: Insn) -> u32 {
        match insn.op() {
            Some(Op::Scmp) => self.string,
            Some(Op::Copys) => self.copy,
            Some(Op::Call) => match Subr::from_id(insn.index()) {
                Some(Subr::DPath) => self.string.saturating_add(PATH_STEPS),
                Some(s) if copies(s) => self.string.saturating_add(self.copy),
                _ => self.string,
            },
            Some(op @ (Op::Stgs | Op::Stts | Op::Stls | Op::Stgaa | Op::Sttaa)) => {
                let scope = scope_of(op);
                let id = u32::from(insn.index());
                let row = difo.vars().iter().find(|v| v.id == id && v.scope == scope);
                let size = row.filter(|v| v.ty.is_by_ref()).map(|v| of_bytes(v.ty.size.into()));
                size.unwrap_or(0).saturating_add(1)
            }
            _ => 1,
        }
    }
}

/// What work on so many bytes costs.
pub(crate) fn of_bytes(bytes: u64) -> u32 {
    u32::try_from(bytes >> 5).unwrap_or(u32::MAX).saturating_add(1)
}

/// Subroutines that copy as many bytes as they are told, as often as they are told. (What `copyin` copies
/// stays in scratch, whose end comes soon.)
const fn copies(s: Subr) -> bool {
    matches!(s, Subr::Bcopy | Subr::Copyinto | Subr::Copyout)
}

/// Most instructions that a run of a verified object executes.
pub(crate) fn instructions<D: Difo + ?Sized>(difo: &D) -> u32 {
    longest(difo, |_| 1)
}

/// Most steps that a run of a verified object takes.
pub(crate) fn steps<D: Difo + ?Sized>(difo: &D, prices: &Prices) -> u32 {
    longest(difo, |insn| prices.of(difo, insn))
}

/// A branch to an instruction still ahead, and the dearest way to there.
#[derive(Clone, Copy)]
struct Ahead {
    target: u32,
    cost: u32,
}

fn longest<D: Difo + ?Sized>(difo: &D, price: impl Fn(Insn) -> u32) -> u32 {
    let mut waiting: heapless::Vec<Ahead, AHEAD> = heapless::Vec::new();
    // What it costs to fall into the next instruction; `None`: nobody falls into it.
    let mut falls = Some(0u32);
    let mut most = 0u32;
    for (pc, word) in (0u32..).zip(difo.text()) {
        let insn = Insn(*word);
        let arrivals = waiting.iter().filter(|a| a.target == pc).map(|a| a.cost);
        let Some(here) = arrivals.chain(falls).max() else { continue };
        waiting.retain(|a| a.target > pc);
        let after = here.saturating_add(price(insn));
        falls = Some(after);
        let Some(op) = insn.op() else { continue };
        if op == Op::Ret {
            most = most.max(after);
            falls = None;
        }
        if op.format() != crate::op::Format::Branch {
            continue;
        }
        let target = insn.label();
        if let Some(known) = waiting.iter_mut().find(|a| a.target == target) {
            known.cost = known.cost.max(after);
        } else if waiting.push(Ahead { target, cost: after }).is_err() {
            let all = difo.text().iter().map(|word| price(Insn(*word)));
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
        // What nobody reaches costs nothing.
        assert_eq!(most("ba 3\nnop\nnop\nret %r0"), 2);
        assert_eq!(most("tst %r1\nbe 3\nret %r0\nnop\nnop\nret %r0"), 5);
    }

    #[test]
    fn work_on_bytes_has_its_price() {
        let of = |source: &str| steps(&assemble(source).expect("assembles"), &Prices::new(256));
        assert_eq!(of("scmp %r1, %r2\nret %r0"), 10);
        assert_eq!(of("call DIF_SUBR(12), %r1\nret %r1"), 10);
        assert_eq!(of("copys %r1, %r2, %r3\nret %r1"), 1 + (4096 + 2 * MAX_BY_REF) / 32 + 1);
    }

    /// Every path, one after the other.
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
