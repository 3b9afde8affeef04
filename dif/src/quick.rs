// SPDX-License-Identifier: GPL-2.0
//! The shapes of most expressions, determined once: `pid == 12`, `arg2`, `timestamp - self->ts`,
//! `self->ts = timestamp` need no loop over instructions.
//!
//! [`Quick::of`] follows a verified text as the machine would, with symbols in place of values. If
//! the result is one of a few shapes, [`Quick::run`] computes it, with the same loads in the same
//! order, the same faults at the same place, and the same cost. All other objects use the loop of
//! [`crate::interp`], which is the reference: tests compare the two.

use abi::dif::{Builtin, NREGS};

use crate::decode::{Binary, Does, Reg, Test};
use crate::difo::Difo;
use crate::env::{Env, Var};
use crate::fault::{Fault, Raised};
use crate::verify::Verified;

/// The source of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Term {
    /// A number.
    Number(u64),
    /// A builtin variable, loaded at this pc.
    Builtin(Builtin, u8),
    /// A variable, loaded at this pc.
    Var(Var, u8),
}

/// An end of the text: the value returned there, and the instructions up to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct End {
    /// The value returned.
    pub value: u64,
    /// The number of instructions executed, from the first one of the object.
    pub cost: u32,
}

/// The shape of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the variants say what their fields are")]
pub enum Quick {
    /// None of the shapes below.
    No,
    /// Returns a term.
    Term { term: Term, cost: u32 },
    /// Returns the result of an operation on two terms.
    Binary { op: Binary, a: Term, b: Term, cost: u32 },
    /// Returns one number or another.
    Choice { test: Test, a: Term, b: Term, taken: End, other: End },
    /// Stores a term into a variable held by value, and returns it. It costs `at + 1` up to the
    /// store.
    Store { var: Var, at: u8, term: Term, cost: u32 },
}

/// A predicate that holds only if a builtin variable has a certain value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Only {
    /// The variable.
    pub builtin: Builtin,
    /// The value.
    pub value: u64,
    /// The cost if it holds.
    pub holds: u32,
    /// The cost if it does not hold.
    pub fails: u32,
}

/// The contents of a register.
#[derive(Clone, Copy)]
enum Symbol {
    Term(Term),
    Binary(Binary, Term, Term),
}

/// The length of the longest text that is examined; a pc fits into a byte.
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

/// Charges for the instructions up to a fault, and returns the fault.
#[cold]
fn failed<E: Env>(env: &mut E, raised: Raised, pc: u8) -> Fault {
    let pc = u32::from(pc);
    env.spend(pc.wrapping_add(1)).err().unwrap_or(raised).at(pc)
}

/// Follows a text as the machine would.
struct Walk<'d, D: Difo> {
    difo: &'d Verified<D>,
    regs: [Symbol; NREGS],
    /// The number of terms loaded, all of which must be in the result.
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

    /// Tells whether the terms are all loads, each once, in the order of loading.
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

    /// Runs an instruction that only handles numbers; `None` if it is another one.
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

    /// Continues to a `ret`, through instructions that only handle numbers.
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

    /// Returns the shape of what follows a comparison of two terms.
    fn choice(mut self, a: Term, b: Term, with_zero: bool) -> Option<Quick> {
        let Does::Branch { test, skip } = self.next() else { return None };
        // For other tests, all values except zero count as 1.
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
            // CAST: less than `MAX_LEN`.
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
    /// Returns the shape of an object.
    pub(crate) fn of<D: Difo>(difo: &Verified<D>) -> Quick {
        if difo.text().len() > MAX_LEN {
            return Quick::No;
        }
        let regs = [Symbol::Term(Term::Number(0)); NREGS];
        Walk { difo, regs, loads: 0, pc: 0, cost: 0 }.walk().unwrap_or(Quick::No)
    }

    /// If the object only returns a builtin variable, returns the variable and the cost.
    #[inline]
    pub fn builtin(&self) -> Option<(Builtin, u32)> {
        match *self {
            Quick::Term { term: Term::Builtin(b, _), cost } => Some((b, cost)),
            _ => None,
        }
    }

    /// Returns the condition, if the object is a predicate on one value of one builtin variable.
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

    /// Returns the result of the object; `None` if it needs the loop.
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
