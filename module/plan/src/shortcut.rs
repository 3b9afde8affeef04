// SPDX-License-Identifier: GPL-2.0
//! Shortcuts: the parts of a clause that need no machine.
//!
//! Most clauses consist of a few kinds of expressions: arguments, the time, the current thread, a
//! thread's variable; records of these and of names; aggregations with names as keys. This file
//! finds them, once, when the clause is planned. There are three shortcuts, each for fewer clauses
//! than the one before, and each faster:
//!
//! | shortcut | for clauses | saves |
//! |---|---|---|
//! | [`Gate`] | the predicate is `pid == N` | everything, in other processes |
//! | [`Lean`] | all steps are of these few kinds | the machine: none of its values can fault |
//! | [`Counts`] | a lean clause that only counts | the firing itself: only a counter changes |
//!
//! A shortcut does the same as the steps of the clause, for the same price. `fire/src/shortcut.rs`
//! runs it, and a test there compares it with the steps on generated programs.
//!
//! Keys are not written each time. The buffer has a cache that identifies them by other words:
//! execname by its 16 bytes, a part of the probe's name by the probe's id. A key that is not in the
//! cache goes through the steps of the clause once. A key that is constant for a probe, such as its
//! name, needs no search: its value has a number.

use crate::code::Code;
use crate::step::{price_of_aggregating, Datum, Form, Name, Step};
use crate::Result;
use abi::aggregation::AggFunc;
use abi::dif::Builtin;
use abi::ids::AggId;
use abi::record::HEADER_SIZE;
use dif::decode::{Binary, Test};
use dif::quick::Term;
use dif::{Difo, Quick, Scope};
use mem::{accounted, KBox, KVec};

/// The shortcuts of a clause.
pub struct Shortcut {
    /// The test before anything else.
    pub gate: Option<Gate>,
    /// The counter, if the clause only counts and has no predicate besides the gate.
    pub counts: Counts,
    /// The whole clause without the machine, if it is simple enough.
    pub lean: Option<KBox<Lean>>,
}

/// A predicate `pid == N`, which is tested before anything else.
#[derive(Clone, Copy)]
pub struct Gate {
    /// N.
    pub pid: u64,
    /// The price when it holds.
    pub open: u32,
    /// The price when it does not hold.
    pub shut: u32,
}

impl Gate {
    pub(crate) fn of(predicate: &Code) -> Option<Self> {
        let only = predicate.quick().only()?;
        (only.builtin == Builtin::Pid).then_some(Self {
            pid: only.value,
            open: only.holds,
            shut: only.fails,
        })
    }
}

/// The counter of a clause that only counts.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum Counts {
    /// The clause does something else.
    No,
    /// It counts without a key; the number of the value is the index of the aggregation.
    Alone(u32),
    /// It counts under a key that is constant for a probe.
    OfProbe,
}

/// The source of a value.
// The enums of this file have a tag of their own (`repr`), so one comparison selects the variant,
// not three.
#[derive(Clone, Copy)]
#[repr(u8)]
pub enum Leaf {
    /// The argument with this number.
    Arg(u64),
    /// The time of the firing.
    Timestamp,
    /// A thread's variable by value, by its id.
    Thread(u16),
    /// A constant.
    Number(u64),
    /// The process.
    Pid,
    /// The thread.
    Tid,
    /// The processor.
    Cpu,
}

/// A value.
#[derive(Clone, Copy)]
#[repr(u8)]
pub enum Value {
    /// The value of a source.
    Leaf(Leaf),
    /// An operation on two of them.
    Binary(Binary, Leaf, Leaf),
    /// One of two constants, by a comparison. There are no other kinds of values.
    Choice {
        /// The comparison.
        test: Test,
        /// The left side.
        a: Leaf,
        /// The right side.
        b: Leaf,
        /// The value if the comparison holds.
        taken: u64,
        /// The value if it does not.
        other: u64,
    },
}

impl Leaf {
    fn of(term: Term) -> Option<Self> {
        Some(match term {
            Term::Number(n) => Self::Number(n),
            Term::Var(var, _) if var.scope == Scope::Thread && !var.ty.is_by_ref() => {
                Self::Thread(var.id)
            }
            Term::Var(..) => return None,
            Term::Builtin(b, _) => match b {
                Builtin::Timestamp => Self::Timestamp,
                Builtin::Pid => Self::Pid,
                Builtin::Tid => Self::Tid,
                Builtin::Cpu => Self::Cpu,
                b => Self::Arg(arg(b)?),
            },
        })
    }
}

/// Returns the number of an argument.
fn arg(b: Builtin) -> Option<u64> {
    let first = Builtin::Arg0.id();
    b.id().checked_sub(first).filter(|n| *n < 10).map(u64::from)
}

impl Value {
    fn of(code: &Code) -> Option<Self> {
        Some(match *code.quick() {
            Quick::Term { term, .. } => Self::Leaf(Leaf::of(term)?),
            Quick::Binary { op, a, b, .. } => Self::Binary(op, Leaf::of(a)?, Leaf::of(b)?),
            Quick::Choice { test, a, b, taken, other } => Self::Choice {
                test,
                a: Leaf::of(a)?,
                b: Leaf::of(b)?,
                taken: taken.value,
                other: other.value,
            },
            _ => return None,
        })
    }
}

/// The words by which the cache identifies a key.
#[derive(Clone, Copy)]
pub struct Words {
    /// Words 0 and 1 are execname's.
    pub execname: bool,
    /// Word 2 is the probe, for any parts of its name.
    pub probe: bool,
    /// Other words: their place and their source.
    pub leaves: [(u8, Leaf); 4],
    /// The number of these words.
    pub n: u8,
}

impl Words {
    const NONE: Self =
        Self { execname: false, probe: false, leaves: [(0, Leaf::Number(0)); 4], n: 0 };

    /// Assigns places to the leaves. Returns false if there are too many.
    fn place(&mut self) -> bool {
        let free = |at: u8| match at {
            0 | 1 => !self.execname,
            2 => !self.probe,
            _ => at == 3,
        };
        let mut places = (0..4).filter(|at| free(*at));
        let mut leaves = self.leaves;
        for leaf in leaves.iter_mut().take(self.n.into()) {
            let Some(place) = places.next() else { return false };
            leaf.0 = place;
        }
        self.leaves = leaves;
        true
    }

    /// Tells whether the key is the same at each firing of a probe.
    fn is_fixed(&self) -> bool {
        let is_number = |(_, leaf): &(u8, Leaf)| matches!(leaf, Leaf::Number(_));
        !self.execname && self.leaves.iter().take(self.n.into()).all(is_number)
    }

    fn add(&mut self, leaf: Leaf) -> Option<()> {
        self.leaves.get_mut(usize::from(self.n))?.1 = leaf;
        self.n = self.n.wrapping_add(1);
        Some(())
    }
}

/// A step.
#[repr(u8)]
pub enum Action {
    /// Store a value.
    Record {
        /// The offset in the record.
        offset: usize,
        /// The number of bytes.
        size: usize,
        /// The value to store.
        value: Value,
    },
    /// Store a name.
    Name {
        /// The offset in the record.
        offset: usize,
        /// The number of bytes.
        size: usize,
        /// The name to store.
        name: Name,
    },
    /// `@ = count()`, by the index of the aggregation.
    Count(usize),
    /// Any other aggregation without a key.
    Single {
        /// The index of the aggregation.
        index: usize,
        /// The operation on its value.
        fold: Fold,
    },
    /// An aggregation with a key.
    Keyed(Keyed),
    /// An aggregation with a key that is constant for a probe, by its index among those of the
    /// clause.
    Fixed(u32, Keyed),
    /// `self->x =`.
    Store {
        /// The id of the variable.
        id: u16,
        /// Its new value.
        value: Leaf,
    },
}

/// An aggregation with a key.
pub struct Keyed {
    /// The aggregation.
    pub id: AggId,
    /// How the cache identifies the key.
    pub key: Words,
    /// The operation on its value.
    pub fold: Fold,
    /// The first step of the clause that makes the key, and the one after the aggregation.
    pub steps: (usize, usize),
}

/// The operation on an aggregation.
pub struct Fold {
    /// The aggregating function.
    pub func: AggFunc,
    /// The words of its value.
    pub words: usize,
    /// The value to add.
    pub value: Value,
}

/// A clause without the machine. Nothing in it can fault, so no record can be abandoned and no
/// ERROR can fire.
pub struct Lean {
    /// The predicate: the clause runs if it is not 0.
    pub predicate: Option<Value>,
    /// The steps.
    pub actions: KVec<Action>,
    /// The bytes of the record, or 0 if there is none.
    pub size: usize,
    /// The number of [`Action::Fixed`].
    pub fixed: u32,
    /// The price if the predicate is false.
    pub least: u32,
    /// The additional price if the predicate is true.
    pub rest: u32,
}

/// The bytes that a step takes here.
pub(crate) const STEP: usize = size_of::<Action>();
/// The price of a count with a known place, including the probe itself.
pub const COUNT: u32 = 16;
/// The price of an action without its expressions.
const ACTION: u32 = 4;
/// The most words of an aggregation's value here. A lean clause that is alone on its probe is not
/// stopped, so it must not clear much.
const MAX_WORDS: usize = 1024;

/// Returns the most that a quick object costs.
fn price(code: &Code) -> u32 {
    match *code.quick() {
        Quick::No => u32::MAX,
        Quick::Term { cost, .. } | Quick::Binary { cost, .. } | Quick::Store { cost, .. } => cost,
        Quick::Choice { taken, other, .. } => taken.cost.max(other.cost),
    }
}

/// The clause from which shortcuts are made.
pub(crate) struct Whole<'c> {
    /// The predicate without the gate.
    pub(crate) predicate: Option<&'c Code>,
    pub(crate) steps: &'c [Step],
    /// The bytes of the record.
    pub(crate) size: usize,
    /// The words of the longest key.
    pub(crate) key_words: usize,
    /// The price of the clause without its instructions.
    pub(crate) cost: u32,
}

impl Shortcut {
    /// A clause without shortcuts.
    pub(crate) const NONE: Self = Self { gate: None, counts: Counts::No, lean: None };

    /// Finds the shortcuts of a clause; its gate is known.
    pub(crate) fn of(gate: Option<Gate>, clause: &Whole<'_>) -> Result<Self> {
        let lean = match Lean::of(clause)? {
            Some(lean) => Some(accounted::boxed(lean)?),
            None => None,
        };
        let counts = lean.as_ref().map_or(Counts::No, |lean| lean.counts());
        Ok(Self { gate, counts, lean })
    }

    /// Returns how many numbers the clause needs on each probe.
    pub fn numbers(&self) -> u32 {
        self.lean.as_ref().map_or(0, |lean| lean.fixed)
    }
}

impl Lean {
    /// Returns the lean form of a clause, if it has one.
    fn of(clause: &Whole<'_>) -> Result<Option<Self>> {
        let predicate = match clause.predicate {
            None => None,
            Some(code) => match Value::of(code) {
                Some(value) => Some(value),
                None => return Ok(None),
            },
        };
        let mut work = Work {
            size: clause.size,
            key_words: clause.key_words,
            actions: KVec::new(),
            rest: 0,
            fixed: 0,
            end: HEADER_SIZE,
            key: Words::NONE,
            from: 0,
        };
        for (at, step) in clause.steps.iter().enumerate() {
            if !work.step(at, step)? {
                return Ok(None);
            }
        }
        if work.size > 0 {
            work.clear(work.size, 0)?;
        }
        let least = clause.cost.saturating_add(clause.predicate.map_or(0, price));
        let Work { actions, size, fixed, rest, .. } = work;
        Ok(Some(Self { predicate, actions, size, fixed, least, rest }))
    }

    /// Returns the counter, if it only counts.
    fn counts(&self) -> Counts {
        match (&self.predicate, self.actions.as_slice()) {
            _ if self.size > 0 => Counts::No,
            // CAST: there are fewer than 2^32 aggregations.
            (None, [Action::Count(index)]) => Counts::Alone(*index as u32),
            (None, [Action::Fixed(_, keyed)]) if keyed.fold.func == AggFunc::Count => {
                Counts::OfProbe
            }
            _ => Counts::No,
        }
    }
}

/// A lean clause in the making.
struct Work {
    size: usize,
    key_words: usize,
    actions: KVec<Action>,
    rest: u32,
    fixed: u32,
    /// The end of the record so far.
    end: usize,
    /// The key of the next aggregation, and its first step.
    key: Words,
    from: usize,
}

impl Work {
    /// Adds a step. Returns false if it has no lean form.
    fn step(&mut self, at: usize, step: &Step) -> Result<bool> {
        let action = match step {
            Step::Note => return Ok(true),
            Step::Key(..) | Step::KeyName(..) => return Ok(self.key(step).is_some()),
            Step::Record(code, Datum { offset, size, form: Form::Value }) => {
                let Some(value) = Value::of(code) else { return Ok(false) };
                self.pay(price(code));
                self.clear(*offset, *size)?;
                Some(Action::Record { offset: *offset, size: *size, value })
            }
            Step::RecordName(name, Datum { offset, size, .. }, price) => {
                self.pay(*price);
                self.clear(*offset, *size)?;
                Some(Action::Name { offset: *offset, size: *size, name: *name })
            }
            Step::Evaluate(code) => self.assignment(code),
            Step::Aggregate { func, id, key_words, value, weight: None, .. } => {
                self.aggregation(at, (*func, *id), *key_words, value.as_ref())
            }
            Step::Aggregate { weight: Some(_), .. }
            | Step::Record(..)
            | Step::Stack(..)
            | Step::Exit(..)
            | Step::Signal(..)
            | Step::Chill(..)
            | Step::Panic
            | Step::Speculate(..)
            | Step::EndSpeculation(..)
            | Step::KeyStack(..) => None,
        };
        let Some(action) = action else { return Ok(false) };
        self.pay(match &action {
            // In the worst case, the steps of the key run, and the key is searched.
            Action::Keyed(keyed) | Action::Fixed(_, keyed) => {
                price_of_aggregating(keyed.fold.func, self.key_words.min(64))
            }
            Action::Single { fold, .. } => price_of_aggregating(fold.func, 0),
            _ => ACTION,
        });
        accounted::push(&mut self.actions, action)?;
        (self.key, self.from) = (Words::NONE, at.wrapping_add(1));
        Ok(true)
    }

    fn pay(&mut self, price: u32) {
        self.rest = self.rest.saturating_add(price);
    }

    /// Writes zeros into the gap before the datum at `offset`, so that no old data is revealed.
    fn clear(&mut self, offset: usize, size: usize) -> Result {
        let gap = offset.saturating_sub(self.end);
        if gap > 0 {
            let value = Value::Leaf(Leaf::Number(0));
            accounted::push(
                &mut self.actions,
                Action::Record { offset: self.end, size: gap, value },
            )?;
        }
        self.end = offset.saturating_add(size);
        Ok(())
    }

    /// Adds a part of a key. `None`: it has no lean form.
    fn key(&mut self, step: &Step) -> Option<()> {
        match step {
            Step::KeyName(name, _, price) => {
                match name {
                    Name::Execname => self.key.execname = true,
                    Name::Probe(_) => self.key.probe = true,
                }
                self.pay(*price);
                Some(())
            }
            Step::Key(code, Datum { form: Form::Value, .. }) => match Value::of(code)? {
                Value::Leaf(leaf) if !code.rtype().is_by_ref() => {
                    self.key.add(leaf)?;
                    self.pay(price(code));
                    Some(())
                }
                _ => None,
            },
            _ => None,
        }
    }

    fn assignment(&mut self, code: &Code) -> Option<Action> {
        match *code.quick() {
            Quick::Store { var, term, .. } if var.scope == Scope::Thread && !var.ty.is_by_ref() => {
                let value = Leaf::of(term)?;
                self.pay(price(code));
                Some(Action::Store { id: var.id, value })
            }
            _ => None,
        }
    }

    fn aggregation(
        &mut self,
        at: usize,
        (func, id): (AggFunc, AggId),
        key_words: usize,
        value: Option<&Code>,
    ) -> Option<Action> {
        let value = match value {
            None => Value::Leaf(Leaf::Number(0)),
            Some(code) => {
                self.pay(price(code));
                Value::of(code)?
            }
        };
        let index = id.index()?;
        let fold = Fold { func, words: func.words(), value };
        if fold.words > MAX_WORDS {
            return None;
        }
        if key_words == 0 {
            return Some(match func {
                AggFunc::Count => Action::Count(index),
                _ => Action::Single { index, fold },
            });
        }
        // While a record is in progress, nothing else of the CPU can be changed.
        if self.size > 0 || !self.key.place() {
            return None;
        }
        let keyed = Keyed { id, key: self.key, fold, steps: (self.from, at.wrapping_add(1)) };
        if !self.key.is_fixed() {
            return Some(Action::Keyed(keyed));
        }
        let number = self.fixed;
        self.fixed = number.wrapping_add(1);
        Some(Action::Fixed(number, keyed))
    }
}
