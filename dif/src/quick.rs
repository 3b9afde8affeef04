// SPDX-License-Identifier: GPL-2.0
//! What most expressions are, found out once: `pid == 12`, `arg2`, `timestamp - self->ts`,
//! `self->ts = timestamp` need no loop over instructions.
//!
//! [`Quick::of`] follows a verified text as the machine would, with symbols in place of values. Where
//! it ends up with one of a few shapes, [`Quick::run`] computes that, with the same loads in the same
//! order, the same faults at the same place, at the same cost. All other objects are left to the
//! loop of [`crate::interp`], which decides what is right: tests compare the two.

use abi::dif::{Builtin, Op, NREGS, VAR_USER_BASE};

use crate::difo::Difo;
use crate::env::{Env, Scope, Var};
use crate::fault::{Fault, Raised};
use crate::op::Insn;

/// Where a value comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Term {
    /// A number.
    Number(u64),
    /// A builtin variable, loaded at this pc.
    Builtin(Builtin, u8),
    /// A variable, loaded at this pc.
    Var(Var, u8),
}

/// An operation that cannot fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the opcode of the same name is the documentation")]
pub enum Binary {
    Sub,
    Add,
    And,
    Or,
    Xor,
    Mul,
    Sll,
    Srl,
    Sra,
}

/// What a branch asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the branch of the same name is the documentation")]
pub enum Test {
    Equal,
    NotEqual,
    Greater,
    GreaterEqual,
    Less,
    LessEqual,
    Above,
    AboveEqual,
    Below,
    BelowEqual,
}

/// A way to the end: what is returned there, and the instructions up to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct End {
    /// The value returned.
    pub value: u64,
    /// Instructions executed, from the first one of the object on.
    pub cost: u32,
}

/// The shape of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the variants say what their fields are")]
pub enum Quick {
    /// None of these.
    No,
    /// Returns a term.
    Term { term: Term, cost: u32 },
    /// Returns what an operation makes of two.
    Binary { op: Binary, a: Term, b: Term, cost: u32 },
    /// Returns one number or another.
    Choice { test: Test, a: Term, b: Term, taken: End, other: End },
    /// Stores a term into a variable held by value, and returns it. Costs `at + 1` up to the store.
    Store { var: Var, at: u8, term: Term, cost: u32 },
}

/// A predicate that holds if a builtin variable has a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Only {
    /// The variable.
    pub builtin: Builtin,
    /// Its value.
    pub value: u64,
    /// What it costs to find that it holds.
    pub holds: u32,
    /// What it costs to find that it does not.
    pub fails: u32,
}

/// What a register holds.
#[derive(Clone, Copy)]
enum Symbol {
    Term(Term),
    Binary(Binary, Term, Term),
}

/// Longest text that is looked at: a pc fits a byte.
const MAX_LEN: usize = 64;

fn binary(op: Op) -> Option<Binary> {
    Some(match op {
        Op::Sub => Binary::Sub,
        Op::Add => Binary::Add,
        Op::And => Binary::And,
        Op::Or => Binary::Or,
        Op::Xor => Binary::Xor,
        Op::Mul => Binary::Mul,
        Op::Sll => Binary::Sll,
        Op::Srl => Binary::Srl,
        Op::Sra => Binary::Sra,
        _ => return None,
    })
}

fn test(op: Op) -> Option<Test> {
    Some(match op {
        Op::Be => Test::Equal,
        Op::Bne => Test::NotEqual,
        Op::Bg => Test::Greater,
        Op::Bge => Test::GreaterEqual,
        Op::Bl => Test::Less,
        Op::Ble => Test::LessEqual,
        Op::Bgu => Test::Above,
        Op::Bgeu => Test::AboveEqual,
        Op::Blu => Test::Below,
        Op::Bleu => Test::BelowEqual,
        _ => return None,
    })
}

impl Binary {
    /// As the opcode computes it.
    // CAST: between u64 and i64, the same bits; a shift uses the low six bits of its count.
    #[inline]
    pub fn of(self, a: u64, b: u64) -> u64 {
        match self {
            Binary::Sub => a.wrapping_sub(b),
            Binary::Add => a.wrapping_add(b),
            Binary::And => a & b,
            Binary::Or => a | b,
            Binary::Xor => a ^ b,
            Binary::Mul => a.wrapping_mul(b),
            Binary::Sll => a.wrapping_shl(b as u32),
            Binary::Srl => a.wrapping_shr(b as u32),
            Binary::Sra => (a as i64).wrapping_shr(b as u32) as u64,
        }
    }
}

impl Test {
    /// As the branch decides after comparing.
    // CAST: the same bits, signed.
    #[inline]
    pub fn of(self, a: u64, b: u64) -> bool {
        let (sa, sb) = (a as i64, b as i64);
        match self {
            Test::Equal => a == b,
            Test::NotEqual => a != b,
            Test::Greater => sa > sb,
            Test::GreaterEqual => sa >= sb,
            Test::Less => sa < sb,
            Test::LessEqual => sa <= sb,
            Test::Above => a > b,
            Test::AboveEqual => a >= b,
            Test::Below => a < b,
            Test::BelowEqual => a <= b,
        }
    }
}

impl Term {
    fn pc(&self) -> Option<u8> {
        match *self {
            Term::Number(_) => None,
            Term::Builtin(_, pc) | Term::Var(_, pc) => Some(pc),
        }
    }

    #[inline(always)]
    fn value<E: Env>(&self, env: &mut E) -> Result<u64, Fault> {
        let (answer, pc) = match self {
            Term::Number(n) => return Ok(*n),
            Term::Builtin(b, pc) => (env.builtin(*b, 0), *pc),
            Term::Var(var, pc) => (env.load_var(var), *pc),
        };
        answer.map_err(|raised| failed(env, raised, pc))
    }
}

/// A fault, after what the instructions up to it cost.
#[cold]
fn failed<E: Env>(env: &mut E, raised: Raised, pc: u8) -> Fault {
    let pc = u32::from(pc);
    env.spend(pc.wrapping_add(1)).err().unwrap_or(raised).at(pc)
}

/// Follows the machine.
struct Walk<'d, D> {
    difo: &'d D,
    regs: [Option<Symbol>; NREGS],
    /// Terms loaded, which must all be in the answer.
    loads: usize,
    pc: usize,
    steps: u32,
}

impl<D: Difo> Walk<'_, D> {
    fn next(&mut self) -> Option<(Op, Insn)> {
        let insn = Insn(*self.difo.text().get(self.pc)?);
        self.pc = self.pc.wrapping_add(1);
        self.steps = self.steps.wrapping_add(1);
        // A verified text ends before; this ends another one.
        (self.steps as usize <= MAX_LEN).then_some((insn.op()?, insn))
    }

    fn get(&self, r: u8) -> Option<Symbol> {
        *self.regs.get(usize::from(r))?
    }

    fn term(&self, r: u8) -> Option<Term> {
        match self.get(r)? {
            Symbol::Term(t) => Some(t),
            Symbol::Binary(..) => None,
        }
    }

    fn set(&mut self, r: u8, symbol: Symbol) -> Option<()> {
        *self.regs.get_mut(usize::from(r))? = Some(symbol);
        Some(())
    }

    fn var(&self, scope: Scope, id: u16) -> Option<Var> {
        self.difo.vars().iter().map(Var::from_row).find(|v| v.scope == scope && v.id == id)
    }

    /// True if the terms hold every load that was made, each once, in the order of loading.
    fn uses_all(&self, terms: &[Term]) -> bool {
        let mut last = None;
        let mut used: usize = 0;
        for pc in terms.iter().filter_map(Term::pc) {
            if last.is_some_and(|l| l >= pc) {
                return false;
            }
            last = Some(pc);
            used = used.wrapping_add(1);
        }
        used == self.loads
    }

    /// Goes on to a `ret`, over nothing but numbers.
    fn end(mut self, at: usize) -> Option<End> {
        self.pc = at;
        loop {
            let (op, insn) = self.next()?;
            match op {
                Op::Nop => {}
                Op::Ba => self.pc = insn.label() as usize,
                Op::Mov => self.set(insn.rd(), self.get(insn.r1())?)?,
                Op::Setx => self.set_number(insn)?,
                Op::Ret => match self.term(insn.rd())? {
                    Term::Number(value) => return Some(End { value, cost: self.steps }),
                    _ => return None,
                },
                _ => return None,
            }
        }
    }

    fn set_number(&mut self, insn: Insn) -> Option<()> {
        let n = *self.difo.inttab().get(usize::from(insn.index()))?;
        self.set(insn.rd(), Symbol::Term(Term::Number(n)))
    }

    /// What follows a comparison of two terms.
    fn choice(mut self, a: Term, b: Term, with_zero: bool) -> Option<Quick> {
        let (op, insn) = self.next()?;
        let test = test(op)?;
        // `tst` sets no other condition.
        if !self.uses_all(&[a, b]) || with_zero && !matches!(test, Test::Equal | Test::NotEqual) {
            return None;
        }
        let (here, pc) = (self.regs, self.pc);
        let again = Walk { difo: self.difo, regs: here, ..self };
        let taken = again.end(insn.label() as usize)?;
        let other = self.end(pc)?;
        Some(Quick::Choice { test, a, b, taken, other })
    }

    fn walk(mut self) -> Option<Quick> {
        loop {
            // CAST: MAX_LEN.
            let pc = self.pc as u8;
            let (op, insn) = self.next()?;
            match op {
                Op::Nop => {}
                Op::Mov => self.set(insn.rd(), self.get(insn.r1())?)?,
                Op::Setx => self.set_number(insn)?,
                Op::Ldgs | Op::Ldts | Op::Ldls => {
                    let term = match (op, Builtin::from_id(insn.index())) {
                        (Op::Ldgs, Some(b)) if insn.index() < VAR_USER_BASE => Term::Builtin(b, pc),
                        (Op::Ldgs, _) => Term::Var(self.var(Scope::Global, insn.index())?, pc),
                        (Op::Ldts, _) => Term::Var(self.var(Scope::Thread, insn.index())?, pc),
                        _ => Term::Var(self.var(Scope::Local, insn.index())?, pc),
                    };
                    self.loads = self.loads.wrapping_add(1);
                    self.set(insn.rd(), Symbol::Term(term))?;
                }
                Op::Stgs | Op::Stts | Op::Stls => {
                    let scope = match op {
                        Op::Stgs => Scope::Global,
                        Op::Stts => Scope::Thread,
                        _ => Scope::Local,
                    };
                    let var = self.var(scope, insn.index())?;
                    let term = self.term(insn.rd())?;
                    let (after, ret) = self.next()?;
                    if var.ty.is_by_ref()
                        || after != Op::Ret
                        || ret.rd() != insn.rd()
                        || !self.uses_all(&[term])
                    {
                        return None;
                    }
                    return Some(Quick::Store { var, at: pc, term, cost: self.steps });
                }
                Op::Cmp => {
                    let (a, b) = (self.term(insn.r1())?, self.term(insn.r2())?);
                    return self.choice(a, b, false);
                }
                Op::Tst => {
                    let a = self.term(insn.r1())?;
                    return self.choice(a, Term::Number(0), true);
                }
                Op::Ret => {
                    let cost = self.steps;
                    return match self.get(insn.rd())? {
                        Symbol::Term(term) if self.uses_all(&[term]) => {
                            Some(Quick::Term { term, cost })
                        }
                        Symbol::Binary(op, a, b) if self.uses_all(&[a, b]) => {
                            Some(Quick::Binary { op, a, b, cost })
                        }
                        _ => None,
                    };
                }
                op => {
                    let op = binary(op)?;
                    let (a, b) = (self.term(insn.r1())?, self.term(insn.r2())?);
                    self.set(insn.rd(), Symbol::Binary(op, a, b))?;
                }
            }
        }
    }
}

impl Quick {
    /// The shape of a text that keeps the rules.
    pub(crate) fn of<D: Difo>(difo: &D) -> Quick {
        if difo.text().len() > MAX_LEN {
            return Quick::No;
        }
        let regs = [Some(Symbol::Term(Term::Number(0))); NREGS];
        Walk { difo, regs, loads: 0, pc: 0, steps: 0 }.walk().unwrap_or(Quick::No)
    }

    /// The builtin variable that is all there is to the object, and what loading it costs.
    #[inline]
    pub fn builtin(&self) -> Option<(Builtin, u32)> {
        match *self {
            Quick::Term { term: Term::Builtin(b, _), cost } => Some((b, cost)),
            _ => None,
        }
    }

    /// If the object is a predicate that holds for one value of a builtin variable only.
    pub fn only(&self) -> Option<Only> {
        let Quick::Choice {
            test,
            a: Term::Builtin(builtin, _),
            b: Term::Number(value),
            taken,
            other,
        } = *self
        else {
            return None;
        };
        let (holds, fails) = match test {
            Test::Equal => (taken, other),
            Test::NotEqual => (other, taken),
            _ => return None,
        };
        (holds.value != 0 && fails.value == 0).then_some(Only {
            builtin,
            value,
            holds: holds.cost,
            fails: fails.cost,
        })
    }

    /// What the object returns; `None` if the loop has to tell.
    #[inline]
    pub(crate) fn run<E: Env>(&self, env: &mut E) -> Option<Result<u64, Fault>> {
        Some(match self {
            Quick::No => return None,
            Quick::Term { term, cost } => (|| {
                let value = term.value(env)?;
                env.spend(*cost).map_err(|raised| raised.at(0))?;
                Ok(value)
            })(),
            Quick::Binary { op, a, b, cost } => (|| {
                let (a, b) = (a.value(env)?, b.value(env)?);
                env.spend(*cost).map_err(|raised| raised.at(0))?;
                Ok(op.of(a, b))
            })(),
            Quick::Choice { test, a, b, taken, other } => (|| {
                let (a, b) = (a.value(env)?, b.value(env)?);
                let end = if test.of(a, b) { taken } else { other };
                env.spend(end.cost).map_err(|raised| raised.at(0))?;
                Ok(end.value)
            })(),
            Quick::Store { var, at, term, cost } => (|| {
                let value = term.value(env)?;
                let before = u32::from(*at).wrapping_add(1);
                env.spend(before).map_err(|raised| raised.at(0))?;
                env.store_var(var, value).map_err(|raised| raised.at(u32::from(*at)))?;
                env.spend(cost.wrapping_sub(before)).map_err(|raised| raised.at(0))?;
                Ok(value)
            })(),
        })
    }
}
