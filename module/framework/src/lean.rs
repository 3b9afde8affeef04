// SPDX-License-Identifier: GPL-2.0
//! Clauses that need no machine.
//!
//! Most clauses consist of a few kinds of expressions: arguments, the time, the current thread, a
//! thread's variable; records of these and of names; aggregations with names as keys. A clause with
//! nothing else is lean. Its values need no host, and none of them can fault, so no record can be
//! abandoned and no ERROR can fire. Its steps do the same as those in `fire.rs`, for the same
//! price.
//!
//! Keys are not written each time. The buffer has a cache that identifies them by other words:
//! execname by its 16 bytes, a part of the probe's name by the probe's id. A key that is not in the
//! cache goes through the steps of `fire.rs` once. A key that is constant for a probe, such as its
//! name, needs no search: its value has a number.

use crate::clause::{Clause, Code, Counts, Datum, Form, Name, Step};
use crate::ecb::Ecb;
use crate::env::Firing;
use crate::fire::{begin, cost_of, no_room};
use crate::shared::{CpuState, Shared};
use crate::Result;
use abi::aggregation::AggFunc;
use abi::dif::Builtin;
use abi::ids::AggId;
use abi::record::HEADER_SIZE;
use buffers::aggregation::Short;
use buffers::AggBuffer;
use core::sync::atomic::Ordering::Relaxed;
use dif::decode::{Binary, Test};
use dif::quick::Term;
use dif::{Difo, Quick, Scope};
use kapi::{mem, task};
use kernel::prelude::*;

/// The source of a value.
// The enums of this file have a tag of their own (`repr`), so one comparison selects the variant,
// not three.
#[derive(Clone, Copy)]
#[repr(u8)]
enum Leaf {
    Arg(u64),
    Timestamp,
    /// A thread's variable by value, by its id.
    Thread(u16),
    Number(u64),
    Pid,
    Tid,
    Cpu,
}

/// A value.
#[derive(Clone, Copy)]
#[repr(u8)]
enum Value {
    Leaf(Leaf),
    Binary(Binary, Leaf, Leaf),
    /// The only other one: a comparison.
    Choice {
        test: Test,
        a: Leaf,
        b: Leaf,
        taken: u64,
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

    #[inline(always)]
    fn get(self, firing: &Firing<'_>, shared: &Shared) -> u64 {
        match self {
            Self::Arg(n) => firing.args.get(n),
            Self::Timestamp => firing.now(),
            Self::Thread(id) => shared.dynvars.get(firing.thread(), id),
            Self::Number(n) => n,
            // CAST: the sign is extended, as the machine does.
            Self::Pid => task::pid() as u64,
            Self::Tid => task::tid() as u64,
            Self::Cpu => firing.ctx.cpu() as u64,
        }
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

    #[inline(always)]
    fn get(&self, firing: &Firing<'_>, shared: &Shared) -> u64 {
        match *self {
            Self::Leaf(leaf) => leaf.get(firing, shared),
            Self::Binary(op, a, b) => op.of(a.get(firing, shared), b.get(firing, shared)),
            Self::Choice { test, a, b, taken, other } => {
                if test.of(a.get(firing, shared), b.get(firing, shared)) {
                    taken
                } else {
                    other
                }
            }
        }
    }
}

/// The words by which the cache identifies a key.
#[derive(Clone, Copy)]
struct Words {
    /// Words 0 and 1 are execname's.
    execname: bool,
    /// Word 2 is the probe, for any parts of its name.
    probe: bool,
    /// Other words: their place and their source.
    leaves: [(u8, Leaf); 4],
    n: u8,
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

    #[inline(always)]
    fn get(&self, firing: &Firing<'_>, ecb: &Ecb) -> Short {
        let mut short = [0; 4];
        if self.execname {
            let [a, b] = task::comm_words();
            short = [a, b, 0, 0];
        }
        if self.probe {
            short[2] = ecb.probe.id().0.into();
        }
        for (place, leaf) in self.leaves.iter().take(self.n.into()) {
            if let Some(word) = short.get_mut(usize::from(*place)) {
                *word = leaf.get(firing, &ecb.shared);
            }
        }
        short
    }
}

/// A step.
#[repr(u8)]
enum Action {
    /// A value at an offset of the record, with this many bytes.
    Record { offset: usize, size: usize, value: Value },
    /// A name.
    Name { offset: usize, size: usize, name: Name },
    /// `@ = count()`, by the index of the aggregation.
    Count(usize),
    /// Any other aggregation without a key.
    Single { index: usize, fold: Fold },
    /// An aggregation with a key.
    Keyed(Keyed),
    /// An aggregation with a key that is constant for a probe, by its index among those of the
    /// clause.
    Fixed(u32, Keyed),
    /// `self->x =`.
    Store { id: u16, value: Leaf },
}

impl Action {
    /// Runs all steps except those with a key, which need more than the CPU's values.
    #[inline(always)]
    fn act(
        &self,
        firing: &Firing<'_>,
        ecb: &Ecb,
        aggs: &mut AggBuffer<KVVec<u64>>,
        record: &mut [u8],
    ) {
        let shared = &*ecb.shared;
        match self {
            Action::Record { offset, size, value } => {
                put(record, *offset, *size, value.get(firing, shared));
            }
            Action::Name { offset, size, name } => {
                let room = record.get_mut(*offset..offset.wrapping_add(*size));
                name.put(&ecb.probe, room.unwrap_or_default());
            }
            Action::Count(index) => {
                if let Some([count]) = aggs.single(*index, 1, |_| {}) {
                    *count = count.wrapping_add(1);
                }
            }
            Action::Single { index, fold } => {
                let init = |w: &mut [u64]| fold.func.init(w);
                if let Some(at) = aggs.single(*index, fold.words, init) {
                    fold.update(at, firing, shared);
                }
            }
            Action::Store { id, value } => {
                let value = value.get(firing, shared);
                if !shared.dynvars.set(firing.thread(), *id, value) {
                    shared.counters.dyndrops.fetch_add(1, Relaxed);
                }
            }
            Action::Keyed(_) | Action::Fixed(..) => {}
        }
    }
}

/// Writes zeros into the gap before the datum at `offset`, so that no old data is revealed.
fn clear(actions: &mut KVec<Action>, end: &mut usize, offset: usize, size: usize) -> Result {
    let gap = offset.saturating_sub(*end);
    if gap > 0 {
        let value = Value::Leaf(Leaf::Number(0));
        mem::push(actions, Action::Record { offset: *end, size: gap, value })?;
    }
    *end = offset.saturating_add(size);
    Ok(())
}

/// Writes the lowest bytes of a value.
#[inline(always)]
fn put(record: &mut [u8], offset: usize, size: usize, value: u64) {
    let Some(room) = record.get_mut(offset..) else { return };
    if let (8, Some(room)) = (size, room.first_chunk_mut()) {
        *room = value.to_le_bytes();
    } else if let (4, Some(room)) = (size, room.first_chunk_mut()) {
        // CAST: its lower half.
        *room = (value as u32).to_le_bytes();
    } else {
        let bytes = value.to_le_bytes();
        room.iter_mut().zip(bytes).take(size).for_each(|(to, byte)| *to = byte);
    }
}

/// Runs an aggregation with a key, which `steps` of the clause make.
struct Keyed {
    id: AggId,
    key: Words,
    fold: Fold,
    steps: (usize, usize),
}

impl Keyed {
    #[inline(always)]
    fn run(&self, firing: &Firing<'_>, ecb: &Ecb, cpu: &mut CpuState) {
        let short = self.key.get(firing, ecb);
        match cpu.aggs.cached(self.id, &short, self.fold.words) {
            Some(at) => self.fold.update(at, firing, &ecb.shared),
            None => {
                crate::fire::run_steps(firing, ecb, cpu, self.steps.0, self.steps.1);
                cpu.aggs.remember(self.id, &short);
            }
        }
    }

    /// Works like [`Self::run`], for a value that may get a number.
    #[cold]
    #[inline(never)]
    fn run_anew(&self, number: usize, firing: &Firing<'_>, ecb: &Ecb, cpu: &mut CpuState) {
        cpu.aggs.forget_last();
        self.run(firing, ecb, cpu);
        cpu.aggs.know(number);
    }
}

/// The operation on an aggregation.
struct Fold {
    func: AggFunc,
    words: usize,
    value: Value,
}

impl Fold {
    #[inline(always)]
    fn update(&self, at: &mut [u64], firing: &Firing<'_>, shared: &Shared) {
        if self.func == AggFunc::Quantize {
            // CAST: the same bits, signed.
            let bucket = abi::aggregation::quantize_bucket(self.value.get(firing, shared) as i64);
            if let Some(count) = at.get_mut(bucket) {
                *count = count.wrapping_add(1);
            }
        } else {
            self.update_other(at, firing, shared);
        }
    }

    #[inline(never)]
    fn update_other(&self, at: &mut [u64], firing: &Firing<'_>, shared: &Shared) {
        self.func.update(at, self.value.get(firing, shared) as i64, 1);
    }
}

/// A lean clause.
pub(crate) struct Lean {
    predicate: Option<Value>,
    actions: KVec<Action>,
    /// The bytes of the record, or 0 if there is none.
    size: usize,
    /// The number of [`Action::Fixed`].
    pub(crate) fixed: u32,
    /// The cost if the predicate is false, and the additional cost if it is true.
    pub(crate) least: u32,
    pub(crate) rest: u32,
}

/// The most that a quick object costs.
fn cost(code: &Code) -> u32 {
    match *code.quick() {
        Quick::No => u32::MAX,
        Quick::Term { cost, .. } | Quick::Binary { cost, .. } | Quick::Store { cost, .. } => cost,
        Quick::Choice { taken, other, .. } => taken.cost.max(other.cost),
    }
}

impl Lean {
    /// The bytes that a step takes here.
    pub(crate) const STEP: usize = size_of::<Action>();
    /// The cost of a count with a known place, including the probe itself.
    pub(crate) const COUNT: u32 = 16;
    /// The cost of an action without its expressions.
    const ACTION: u32 = 4;

    /// Returns the lean form of a clause, if it has one.
    pub(crate) fn of(clause: &Clause) -> Result<Option<KBox<Self>>> {
        let predicate = match &clause.predicate {
            None => None,
            Some(code) => match Value::of(code) {
                Some(value) => Some(value),
                None => return Ok(None),
            },
        };
        let size = clause.size;
        let mut actions = KVec::new();
        let (mut rest, mut fixed): (u32, u32) = (0, 0);
        let mut key = Words::NONE;
        let mut from = 0;
        let mut end = HEADER_SIZE;
        for (at, step) in clause.steps.iter().enumerate() {
            let action = match step {
                Step::Note => continue,
                Step::Record(code, Datum { offset, size, form: Form::Value }) => {
                    let Some(value) = Value::of(code) else { return Ok(None) };
                    rest = rest.saturating_add(cost(code));
                    clear(&mut actions, &mut end, *offset, *size)?;
                    Action::Record { offset: *offset, size: *size, value }
                }
                Step::RecordName(name, Datum { offset, size, .. }, cost) => {
                    rest = rest.saturating_add(*cost);
                    clear(&mut actions, &mut end, *offset, *size)?;
                    Action::Name { offset: *offset, size: *size, name: *name }
                }
                Step::KeyName(name, _, cost) => {
                    match name {
                        Name::Execname => key.execname = true,
                        Name::Probe(_) => key.probe = true,
                    }
                    rest = rest.saturating_add(*cost);
                    continue;
                }
                Step::Key(code, datum) if matches!(datum.form, Form::Value) => {
                    match Value::of(code) {
                        Some(Value::Leaf(leaf)) if !code.rtype().is_by_ref() => {
                            if key.add(leaf).is_none() {
                                return Ok(None);
                            }
                            rest = rest.saturating_add(cost(code));
                            continue;
                        }
                        _ => return Ok(None),
                    }
                }
                Step::Evaluate(code) => match *code.quick() {
                    Quick::Store { var, term, .. }
                        if var.scope == Scope::Thread && !var.ty.is_by_ref() =>
                    {
                        let Some(leaf) = Leaf::of(term) else { return Ok(None) };
                        rest = rest.saturating_add(cost(code));
                        Action::Store { id: var.id, value: leaf }
                    }
                    _ => return Ok(None),
                },
                Step::Aggregate { weight: Some(_), .. } => return Ok(None),
                Step::Aggregate { func, id, key_words, words, value, weight: None } => {
                    let (func, words) = (*func, *words);
                    let found = match value {
                        None => Some(Value::Leaf(Leaf::Number(0))),
                        Some(code) => {
                            rest = rest.saturating_add(cost(code));
                            Value::of(code)
                        }
                    };
                    let (Some(value), Some(index)) = (found, id.index()) else { return Ok(None) };
                    let fold = Fold { func, words, value };
                    match *key_words {
                        0 if func == AggFunc::Count => Action::Count(index),
                        0 => Action::Single { index, fold },
                        // The record is in progress, so nothing else of the CPU can be changed.
                        _ if size > 0 => return Ok(None),
                        _ if !key.place() => return Ok(None),
                        _ => {
                            let steps = (from, at.wrapping_add(1));
                            let keyed = Keyed { id: *id, key, fold, steps };
                            match key.is_fixed() {
                                true => {
                                    fixed = fixed.wrapping_add(1);
                                    Action::Fixed(fixed.wrapping_sub(1), keyed)
                                }
                                false => Action::Keyed(keyed),
                            }
                        }
                    }
                }
                Step::Record(..)
                | Step::Stack(..)
                | Step::Exit(..)
                | Step::Signal(..)
                | Step::Chill(..)
                | Step::Panic
                | Step::Speculate(..)
                | Step::EndSpeculation(..)
                | Step::Key(..)
                | Step::KeyStack(..) => return Ok(None),
            };
            let own = match &action {
                // In the worst case, its steps run and the key is searched.
                Action::Keyed(keyed) | Action::Fixed(_, keyed) => {
                    cost_of(keyed.fold.func, clause.key_words.min(64))
                }
                Action::Single { fold, .. } => cost_of(fold.func, 0),
                _ => Self::ACTION,
            };
            rest = rest.saturating_add(own);
            mem::push(&mut actions, action)?;
            (key, from) = (Words::NONE, at.wrapping_add(1));
        }
        if size > 0 {
            clear(&mut actions, &mut end, size, 0)?;
        }
        let least = clause.cost.saturating_add(clause.predicate.as_ref().map_or(0, cost));
        Ok(Some(mem::boxed(Self { predicate, actions, size, fixed, least, rest })?))
    }

    /// Returns what it counts, if it does nothing else.
    pub(crate) fn counts(&self) -> Counts {
        match (&self.predicate, self.actions.as_slice()) {
            _ if self.size > 0 => Counts::No,
            // CAST: there are less aggregations.
            (None, [Action::Count(index)]) => Counts::Alone(*index as u32),
            (None, [Action::Fixed(_, keyed)]) if keyed.fold.func == AggFunc::Count => {
                Counts::OfProbe
            }
            _ => Counts::No,
        }
    }

    /// Runs it. Returns true if the predicate was true. Nothing in it can fault.
    ///
    /// # Context
    /// *probe*.
    #[inline(always)]
    pub(crate) fn run(&self, firing: &Firing<'_>, ecb: &Ecb, cpu: &mut CpuState) -> bool {
        let shared = &*ecb.shared;
        if let Some(predicate) = &self.predicate {
            if predicate.get(firing, shared) == 0 {
                return false;
            }
        }
        if self.size > 0 {
            self.record(self.size, firing, ecb, cpu);
            return true;
        }
        for action in &self.actions {
            match action {
                Action::Keyed(keyed) => keyed.run(firing, ecb, cpu),
                Action::Fixed(n, keyed) => {
                    let number = ecb.slot.saturating_add(*n) as usize;
                    match cpu.aggs.known(number, keyed.fold.words) {
                        Some(at) => keyed.fold.update(at, firing, shared),
                        None => keyed.run_anew(number, firing, ecb, cpu),
                    }
                }
                other => other.act(firing, ecb, &mut cpu.aggs, &mut []),
            }
        }
        true
    }

    /// Writes a record.
    #[inline(never)]
    fn record(&self, size: usize, firing: &Firing<'_>, ecb: &Ecb, cpu: &mut CpuState) {
        let shared = &*ecb.shared;
        let CpuState { principal, aggs, .. } = cpu;
        if principal.is_pressing() {
            shared.press();
        }
        let Some(mut room) = principal.reserve(size) else {
            return no_room(firing, shared, principal);
        };
        begin(firing, ecb, &mut room);
        for action in &self.actions {
            action.act(firing, ecb, aggs, &mut room);
        }
        room.commit();
    }
}
