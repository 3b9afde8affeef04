// SPDX-License-Identifier: GPL-2.0
//! What most expressions are, found out once: `pid == 12`, `arg2`, `timestamp - self->ts`,
//! `self->ts = timestamp` need no loop over instructions.
//!
//! [`Quick::of`] follows a verified text as the machine would, with symbols in place of values. Where
//! it ends up with one of a few shapes, [`Quick::run`] computes that, with the same loads in the same
//! order, the same faults at the same place, at the same cost. All other objects are left to the
//! loop of [`crate::interp`], which decides what is right: tests compare the two.

use abi::dif::{Builtin, NREGS};

use crate::decode::{Binary, Does, Reg, Test};
use crate::difo::Difo;
use crate::env::{Env, Var};
use crate::fault::{Fault, Raised};
use crate::verify::Verified;

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
struct Walk<'d, D: Difo> {
    difo: &'d Verified<D>,
    regs: [Symbol; NREGS],
    /// Terms loaded, which must all be in the answer.
    loads: usize,
    pc: usize,
    cost: u32,
}

impl<D: Difo> Walk<'_, D> {
    fn next(&mut self) -> Does {
        let does = Does::alone(self.difo, self.pc);
        self.pc = self.pc.wrapping_add(1);
        self.cost = self.cost.wrapping_add(1);
        does
    }

    fn get(&self, r: Reg) -> Option<Symbol> {
        self.regs.get(r as usize).copied()
    }

    fn term(&self, r: Reg) -> Option<Term> {
        match self.get(r)? {
            Symbol::Term(t) => Some(t),
            Symbol::Binary(..) => None,
        }
    }

    fn set(&mut self, r: Reg, symbol: Symbol) -> Option<()> {
        *self.regs.get_mut(r as usize)? = symbol;
        Some(())
    }

    fn load(&mut self, r: Reg, term: Term) -> Option<()> {
        self.loads = self.loads.wrapping_add(1);
        self.set(r, Symbol::Term(term))
    }

    fn var(&self, row: u16) -> Option<Var> {
        self.difo.vars().get(usize::from(row)).map(Var::from_row)
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

    /// Does what is done with nothing but numbers; `None` if it is something else.
    fn compute(&mut self, does: Does) -> Option<()> {
        match does {
            Does::Nothing => Some(()),
            // CAST: the sign is extended.
            Does::Set { to, value } => {
                self.set(to, Symbol::Term(Term::Number(i64::from(value) as u64)))
            }
            Does::Integer { index, to } => {
                let n = *self.difo.inttab().get(usize::from(index))?;
                self.set(to, Symbol::Term(Term::Number(n)))
            }
            // `mov`.
            Does::Binary { op: Binary::Or, a, b: Reg::R0, to } => self.set(to, self.get(a)?),
            _ => None,
        }
    }

    /// Goes on to a `ret`, over nothing but numbers.
    fn end(mut self, skip: u32) -> Option<End> {
        // CAST: 32 bits fit a usize wherever this runs.
        self.pc = self.pc.wrapping_add(skip as usize);
        loop {
            match self.next() {
                Does::Jump { skip } => self.pc = self.pc.wrapping_add(skip as usize),
                Does::Return { value } => match self.term(value)? {
                    Term::Number(value) => return Some(End { value, cost: self.cost }),
                    _ => return None,
                },
                does => self.compute(does)?,
            }
        }
    }

    /// What follows a comparison of two terms.
    fn choice(mut self, a: Term, b: Term, with_zero: bool) -> Option<Quick> {
        let Does::Branch { test, skip } = self.next() else { return None };
        // For other tests, everything that is not zero is 1.
        if !self.uses_all(&[a, b]) || with_zero && !matches!(test, Test::Equal | Test::NotEqual) {
            return None;
        }
        let again = Walk { ..self };
        let taken = again.end(skip)?;
        let other = self.end(0)?;
        Some(Quick::Choice { test, a, b, taken, other })
    }

    fn walk(mut self) -> Option<Quick> {
        loop {
            // CAST: MAX_LEN.
            let pc = self.pc as u8;
            match self.next() {
                Does::Builtin { which, to } => self.load(to, Term::Builtin(which, pc))?,
                Does::Var { row, to } => self.load(to, Term::Var(self.var(row)?, pc))?,
                Does::StoreVar { row, from } => {
                    let (var, term) = (self.var(row)?, self.term(from)?);
                    let Does::Return { value } = self.next() else { return None };
                    if var.ty.is_by_ref() || value != from || !self.uses_all(&[term]) {
                        return None;
                    }
                    return Some(Quick::Store { var, at: pc, term, cost: self.cost });
                }
                Does::Compare { a, b } => {
                    let (a, b) = (self.term(a)?, self.term(b)?);
                    return self.choice(a, b, false);
                }
                Does::Truth { of } => {
                    let a = self.term(of)?;
                    return self.choice(a, Term::Number(0), true);
                }
                Does::Return { value } => {
                    let cost = self.cost;
                    return match self.get(value)? {
                        Symbol::Term(term) if self.uses_all(&[term]) => {
                            Some(Quick::Term { term, cost })
                        }
                        Symbol::Binary(op, a, b) if self.uses_all(&[a, b]) => {
                            Some(Quick::Binary { op, a, b, cost })
                        }
                        _ => None,
                    };
                }
                does => match self.compute(does) {
                    Some(()) => {}
                    None => {
                        let Does::Binary { op, a, b, to } = does else { return None };
                        let (a, b) = (self.term(a)?, self.term(b)?);
                        self.set(to, Symbol::Binary(op, a, b))?;
                    }
                },
            }
        }
    }
}

impl Quick {
    /// The shape of an object.
    pub(crate) fn of<D: Difo>(difo: &Verified<D>) -> Quick {
        if difo.text().len() > MAX_LEN {
            return Quick::No;
        }
        let regs = [Symbol::Term(Term::Number(0)); NREGS];
        Walk { difo, regs, loads: 0, pc: 0, cost: 0 }.walk().unwrap_or(Quick::No)
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
