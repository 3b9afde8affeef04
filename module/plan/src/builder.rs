// SPDX-License-Identifier: GPL-2.0
//! Plans clauses: each recording action gets its offset, each aggregation its key.
//!
//! The plan is made once, when the enabling arrives, so nothing is left to decide when a probe
//! fires.

use crate::clause::{AggInfo, Clause};
use crate::code::{admit, Code, Spent};
use crate::shortcut::{self, Gate, Shortcut, Whole};
use crate::step::{Datum, Form, Name, Step, Whose, MAX_FRAMES, MAX_RECORD};
use crate::vars::Vars;
use crate::{Error, Result};
use abi::action::ActionKind;
use abi::aggregation::AggFunc;
use abi::difo::DifType;
use abi::ids::{AggId, FormatId};
use abi::option::{OptionId, Options};
use abi::record::{Layout, RecDesc, HEADER_SIZE};
use buffers::speculation::End;
use dif::{Difo, Rules};
use mem::{accounted, Arc, KVec};

/// The most actions of one clause.
const MAX_ACTIONS: usize = 1024;
/// The most different format strings of one consumer. Each is compared with all before it.
const MAX_FORMATS: usize = 1 << 14;

/// Data that is collected over all clauses of an enabling.
pub(crate) struct Builder<'a> {
    pub(crate) rules: Rules,
    pub(crate) strsize: usize,
    pub(crate) options: &'a Options,
    pub(crate) vars: &'a mut Vars,
    pub(crate) formats: &'a mut KVec<KVec<u8>>,
    pub(crate) aggs: &'a mut KVec<AggInfo>,
    pub(crate) spent: &'a mut Spent,
    pub(crate) takes_shortcuts: bool,
}

/// Notes the step where a clause begins to record in a speculation. A clause records in only one
/// place, and a clause that ends a speculation does not record in one.
fn check_speculation(c: &mut Clause) -> Result {
    let mut recorded = false;
    for (n, step) in c.steps.iter().enumerate() {
        match step {
            Step::Speculate(_) if c.speculates.is_some() || recorded => {
                return Err(Error::ActionShape(ActionKind::Speculate));
            }
            Step::Speculate(_) => c.speculates = Some(n),
            Step::EndSpeculation(_, end) => {
                let commits = *end == End::Commit;
                if c.speculates.is_some() || commits && !c.records.is_empty() {
                    return Err(Error::ActionShape(match commits {
                        true => ActionKind::Commit,
                        false => ActionKind::Discard,
                    }));
                }
            }
            Step::Exit(..) | Step::Aggregate { .. } if c.speculates.is_some() => {
                return Err(Error::ActionShape(ActionKind::Speculate));
            }
            Step::Record(..)
            | Step::RecordName(..)
            | Step::Stack(..)
            | Step::Note
            | Step::Exit(..) => recorded = true,
            _ => {}
        }
    }
    Ok(())
}

impl Builder<'_> {
    /// Admits all parts of a clause and plans its record.
    #[inline(never)]
    pub(crate) fn clause(&mut self, s: &dof::Statement<'_>) -> Result<Arc<Clause>> {
        let predicate = match &s.predicate {
            Some(p) => Some(admit(p, &self.rules, self.strsize, self.vars, self.spent)?),
            None => None,
        };
        let actions = self.actions(s)?;
        let gate = predicate.as_ref().filter(|_| self.takes_shortcuts).and_then(Gate::of);
        let mut clause = Clause {
            predicate: if gate.is_some() { None } else { predicate },
            shortcut: Shortcut::NONE,
            steps: accounted::vec(actions.len())?,
            records: KVec::new(),
            size: 0,
            key_words: 0,
            speculates: None,
            cost: 0,
            uarg: s.uarg,
        };
        let mut layout = Layout::record();
        let mut i = 0;
        while let Some(action) = actions.get(i) {
            // Is this the first part of an aggregation's key?
            let key = actions.iter().skip(i).enumerate().find_map(|(n, a)| {
                (a.kind.is_aggregating() && a.ntuple as usize == n && n > 0).then_some(n)
            });
            let keys = actions.get(i..i.saturating_add(key.unwrap_or(0))).unwrap_or_default();
            if action.kind.is_aggregating() || !keys.is_empty() {
                let at = i.saturating_add(keys.len());
                let Some(agg) = actions.get(at) else { break };
                if agg.ntuple as usize != keys.len() {
                    return Err(Error::ActionShape(agg.kind));
                }
                self.aggregation(&mut clause, keys, agg)?;
                i = at.saturating_add(1);
            } else {
                self.recording(&mut clause, &mut layout, action)?;
                i = i.saturating_add(1);
            }
        }
        if layout.size() > MAX_RECORD {
            return Err(Error::TooMany("bytes in a record"));
        }
        check_speculation(&mut clause)?;
        // A clause that only aggregates or assigns leaves no record. An empty clause leaves its
        // EPID.
        if !clause.records.is_empty() || clause.steps.is_empty() {
            clause.size = layout.size().max(HEADER_SIZE);
        }
        let bytes = clause.size.saturating_add(clause.key_words.saturating_mul(8));
        // CAST: a record and a key have at most MAX_RECORD bytes, a clause MAX_ACTIONS actions.
        clause.cost = 16 + (bytes >> 5) as u32 + 2 * clause.steps.len() as u32;
        self.spent.charge(clause.steps.len().saturating_mul(shortcut::STEP))?;
        let whole = Whole {
            predicate: clause.predicate.as_ref(),
            steps: &clause.steps,
            size: clause.size,
            key_words: clause.key_words,
            cost: clause.cost,
        };
        if self.takes_shortcuts {
            clause.shortcut = Shortcut::of(gate, &whole)?;
        }
        Ok(accounted::arc(clause)?)
    }

    #[inline(never)]
    fn actions<'d>(&mut self, s: &dof::Statement<'d>) -> Result<KVec<dof::Action<'d>>> {
        let mut actions = KVec::new();
        for a in s.actions.iter() {
            if actions.len() >= MAX_ACTIONS {
                return Err(Error::TooMany("actions in a clause"));
            }
            self.spent.charge(size_of::<Step>() + 2 * size_of::<RecDesc>())?;
            accounted::push(&mut actions, a?)?;
        }
        Ok(actions)
    }

    /// Plans a datum and describes it. `most` is the most bytes of a string.
    fn datum(
        &self,
        layout: &mut Layout,
        ty: DifType,
        kind: ActionKind,
        most: usize,
    ) -> Result<(Datum, RecDesc)> {
        let (size, form) = match ty {
            _ if matches!(kind, ActionKind::Usym | ActionKind::Umod | ActionKind::Uaddr) => {
                (16, Form::OfProcess)
            }
            t if t.is_string() => (self.strsize.min(most), Form::String),
            t if t.is_by_ref() => (t.size as usize, Form::Bytes),
            t => (t.size as usize, Form::Value),
        };
        if size > MAX_RECORD {
            return Err(Error::TooMany("bytes in a datum"));
        }
        let alignment = Layout::alignment(size, ty.is_by_ref());
        let desc = Self::place(layout, size, alignment, ty, kind)?;
        Ok((Datum { offset: desc.offset as usize, size, form }, desc))
    }

    fn place(
        layout: &mut Layout,
        size: usize,
        alignment: usize,
        ty: DifType,
        kind: ActionKind,
    ) -> Result<RecDesc> {
        let offset = layout.place(size, alignment);
        if offset > MAX_RECORD {
            return Err(Error::TooMany("bytes in a record"));
        }
        Ok(RecDesc {
            action: kind.number(),
            // CAST: both are at most MAX_RECORD.
            size: size as u32,
            offset: offset as u32,
            alignment: alignment as u32,
            ty,
            ..RecDesc::default()
        })
    }

    /// Plans a stack with the frames of the action, or of the options if the action says 0. A
    /// process's stack also has room for text, which the consumer fills in.
    fn stack(&self, layout: &mut Layout, a: &dof::Action<'_>) -> Result<(Whose, Datum, RecDesc)> {
        if a.difo.is_some() {
            return Err(Error::ActionShape(a.kind));
        }
        let option = |id| self.options.get(id);
        // CAST: the two halves of the argument.
        let (frames, text) = (a.arg as u32, (a.arg >> 32) as u32);
        let (frames, text) = match (a.kind, frames) {
            (ActionKind::Stack, 0) => (option(OptionId::Stackframes) as u32, 0),
            (ActionKind::Stack, n) => (n, 0),
            (ActionKind::Jstack, 0) => {
                (option(OptionId::Jstackframes) as u32, option(OptionId::Jstackstrsize) as u32)
            }
            (_, 0) => (option(OptionId::Ustackframes) as u32, text),
            (_, n) => (n, text),
        };
        if frames > MAX_FRAMES || text > abi::difo::MAX_BY_REF {
            return Err(Error::TooMany("frames of a stack, or bytes of text for them"));
        }
        let whose = match a.kind {
            ActionKind::Stack => Whose::Kernel,
            _ => Whose::Process,
        };
        let words = frames.saturating_add((whose == Whose::Process).into());
        let size = words.saturating_mul(8).saturating_add(text.next_multiple_of(8)) as usize;
        let desc = Self::place(layout, size, 8, DifType::void(), a.kind)?;
        let arg = u64::from(text) << 32 | u64::from(frames);
        // The room for text stays zero; it is not used when a stack is a key.
        let size = words.saturating_mul(8) as usize;
        let datum = Datum { offset: desc.offset as usize, size, form: Form::Bytes };
        Ok((whose, datum, RecDesc { arg, ..desc }))
    }

    #[inline(never)]
    fn recording(&mut self, c: &mut Clause, layout: &mut Layout, a: &dof::Action<'_>) -> Result {
        if matches!(a.kind, ActionKind::Stack | ActionKind::Ustack | ActionKind::Jstack) {
            let (whose, datum, desc) = self.stack(layout, a)?;
            let format = match a.format {
                Some(text) => self.format(text)?,
                None => FormatId::NONE,
            };
            accounted::push(&mut c.records, RecDesc { uarg: a.uarg, format, ..desc })?;
            return Ok(accounted::push(&mut c.steps, Step::Stack(whose, datum))?);
        }
        let mut code = match &a.difo {
            Some(d) => Some(admit(d, &self.rules, self.strsize, self.vars, self.spent)?),
            None => None,
        };
        if a.kind.is_destructive() && !self.rules.allow_destructive {
            return Err(Error::Destructive(a.kind));
        }
        if let Some(step) = effect(a.kind, &mut code)? {
            return Ok(accounted::push(&mut c.steps, step)?);
        }
        let format = match a.format {
            Some(text) => self.format(text)?,
            None => FormatId::NONE,
        };
        let ty = code.as_ref().map_or(DifType::void(), |c| c.rtype());
        // An assignment is evaluated for its effect, and has no value to record.
        let code = match (a.kind, code) {
            (ActionKind::DifExpr, Some(code)) if !ty.is_by_ref() && ty.size == 0 => {
                return Ok(accounted::push(&mut c.steps, Step::Evaluate(code))?);
            }
            (_, code) => code,
        };
        // If a value is printed with a format, the user does not see the size of its room.
        let name = code.as_ref().filter(|_| a.kind == ActionKind::Printf).and_then(Name::of);
        let most = name.map_or(usize::MAX, |(name, _)| name.most());
        let (datum, mut desc) = self.datum(layout, ty, a.kind, most)?;
        let step = record(a.kind, code, datum)?;
        let step = match name {
            Some((name, cost)) => Step::RecordName(name, datum, cost),
            None => step,
        };
        desc.format = format;
        desc.arg = a.arg;
        desc.uarg = a.uarg;
        accounted::push(&mut c.records, desc)?;
        accounted::push(&mut c.steps, step)?;
        Ok(())
    }

    /// Adds the steps and records for the keys of an aggregation. Returns the code of the weight, if
    /// the last one is that.
    fn keys(
        &mut self,
        c: &mut Clause,
        keys: &[dof::Action<'_>],
        agg: ActionKind,
        layout: &mut Layout,
        records: &mut KVec<RecDesc>,
    ) -> Result<Option<Code>> {
        let shape = || Error::ActionShape(agg);
        let mut weight = None;
        for key in keys {
            if weight.is_some() {
                return Err(shape());
            }
            if matches!(key.kind, ActionKind::Stack | ActionKind::Ustack | ActionKind::Jstack) {
                let (whose, datum, desc) = self.stack(layout, key)?;
                accounted::push(records, RecDesc { uarg: key.uarg, ..desc })?;
                accounted::push(&mut c.steps, Step::KeyStack(whose, datum))?;
                continue;
            }
            let symbolic = matches!(
                key.kind,
                ActionKind::Sym
                    | ActionKind::Mod
                    | ActionKind::Usym
                    | ActionKind::Umod
                    | ActionKind::Uaddr
            );
            let Some(difo) = &key.difo else { return Err(shape()) };
            if key.kind != ActionKind::DifExpr && !symbolic {
                return Err(shape());
            }
            let code = admit(difo, &self.rules, self.strsize, self.vars, self.spent)?;
            if symbolic && (code.rtype().is_by_ref() || code.rtype().size != 8) {
                return Err(shape());
            }
            // The last one may be the weight of the value instead of a part of the key.
            if !code.rtype().is_by_ref() && code.rtype().size == 0 {
                weight = Some(code);
                continue;
            }
            let (datum, desc) = self.datum(layout, code.rtype(), key.kind, usize::MAX)?;
            accounted::push(records, RecDesc { uarg: key.uarg, ..desc })?;
            let step = match Name::of(&code) {
                Some((name, cost)) if !symbolic => Step::KeyName(name, datum, cost),
                _ => Step::Key(code, datum),
            };
            accounted::push(&mut c.steps, step)?;
        }
        Ok(weight)
    }

    #[inline(never)]
    fn aggregation(
        &mut self,
        c: &mut Clause,
        keys: &[dof::Action<'_>],
        agg: &dof::Action<'_>,
    ) -> Result {
        let shape = || Error::ActionShape(agg.kind);
        let mut layout = Layout::aggregation();
        let mut records = KVec::new();
        let weight = self.keys(c, keys, agg.kind, &mut layout, &mut records)?;
        let key_words = layout.size() / 8;
        let func = AggFunc::from_action(agg.kind, agg.arg);
        let func = func.ok_or(match agg.kind {
            ActionKind::Llquantize => Error::Action(agg.kind),
            _ => Error::ActionShape(agg.kind),
        })?;
        let value = match &agg.difo {
            Some(d) => Some(admit(d, &self.rules, self.strsize, self.vars, self.spent)?),
            None => None,
        };
        let wants_value = func != AggFunc::Count;
        if value.is_some() != wants_value || value.as_ref().is_some_and(|v| v.rtype().is_by_ref()) {
            return Err(shape());
        }
        if weight.is_some() && !func.takes_weight() {
            return Err(shape());
        }
        let size = func.words().saturating_mul(8);
        let offset = key_words.saturating_mul(8);
        let total = offset.saturating_add(size);
        if total > MAX_RECORD.saturating_mul(4) {
            return Err(Error::TooMany("bytes in an aggregation"));
        }
        let value_desc = RecDesc {
            action: agg.kind.number(),
            // CAST: at most 4 * MAX_RECORD.
            size: size as u32,
            offset: offset as u32,
            alignment: 8,
            arg: agg.arg,
            uarg: agg.uarg,
            ..RecDesc::default()
        };
        accounted::push(&mut records, value_desc)?;
        let id = AggId::from_index(self.aggs.len());
        // CAST: the compiler numbers the variables; a larger number belongs to no variable.
        let info = AggInfo { variable: agg.uarg as u32, size: total as u32, records };
        accounted::push(self.aggs, info)?;
        accounted::push(
            &mut c.steps,
            Step::Aggregate { func, id, key_words, words: func.words(), value, weight },
        )?;
        c.key_words = c.key_words.max(key_words);
        Ok(())
    }

    fn format(&mut self, text: &[u8]) -> Result<FormatId> {
        // This also bounds the bytes that are compared.
        self.spent.charge(text.len())?;
        if let Some(i) = self.formats.iter().position(|f| f.as_slice() == text) {
            return Ok(FormatId::from_index(i));
        }
        if self.formats.len() >= MAX_FORMATS {
            return Err(Error::TooMany("format strings"));
        }
        self.spent.charge(size_of::<KVec<u8>>())?;
        let mut copy = KVec::new();
        accounted::extend(&mut copy, text)?;
        accounted::push(self.formats, copy)?;
        Ok(FormatId::from_index(self.formats.len().wrapping_sub(1)))
    }
}

/// Returns the step of an action that acts at once and records nothing. `None`: it is another one,
/// and `code` is as it was.
fn effect(kind: ActionKind, code: &mut Option<Code>) -> Result<Option<Step>> {
    let is_operand = |c: &Code| !c.rtype().is_by_ref() && c.rtype().size > 0;
    let step = match (kind, code.take()) {
        (ActionKind::Stop, None) => Step::Signal(None),
        (ActionKind::Panic, None) => Step::Panic,
        (ActionKind::Raise, Some(c)) if is_operand(&c) => Step::Signal(Some(c)),
        (ActionKind::Chill, Some(c)) if is_operand(&c) => Step::Chill(c),
        (ActionKind::Speculate, Some(c)) if is_operand(&c) => Step::Speculate(c),
        (ActionKind::Commit, Some(c)) if is_operand(&c) => Step::EndSpeculation(c, End::Commit),
        (ActionKind::Discard, Some(c)) if is_operand(&c) => Step::EndSpeculation(c, End::Discard),
        (
            ActionKind::Stop
            | ActionKind::Panic
            | ActionKind::Raise
            | ActionKind::Chill
            | ActionKind::Speculate
            | ActionKind::Commit
            | ActionKind::Discard,
            _,
        ) => return Err(Error::ActionShape(kind)),
        (_, other) => {
            *code = other;
            return Ok(None);
        }
    };
    Ok(Some(step))
}

/// Returns the step of an action that records a value, or only that it was reached.
fn record(kind: ActionKind, code: Option<Code>, datum: Datum) -> Result<Step> {
    Ok(match (kind, code) {
        (
            ActionKind::System
            | ActionKind::Freopen
            | ActionKind::DifExpr
            | ActionKind::Tracemem
            | ActionKind::Printf
            | ActionKind::Printa
            | ActionKind::LibAct,
            Some(code),
        ) => Step::Record(code, datum),
        (
            ActionKind::System
            | ActionKind::Freopen
            | ActionKind::Printf
            | ActionKind::Printa
            | ActionKind::LibAct,
            None,
        ) => Step::Note,
        (ActionKind::Exit, Some(code)) if matches!(datum.form, Form::Value) => {
            Step::Exit(code, datum)
        }
        (
            ActionKind::Sym
            | ActionKind::Mod
            | ActionKind::Usym
            | ActionKind::Umod
            | ActionKind::Uaddr,
            Some(code),
        ) if !code.rtype().is_by_ref() && code.rtype().size == 8 => Step::Record(code, datum),
        (
            ActionKind::Exit
            | ActionKind::DifExpr
            | ActionKind::Tracemem
            | ActionKind::Sym
            | ActionKind::Mod
            | ActionKind::Usym
            | ActionKind::Umod
            | ActionKind::Uaddr,
            _,
        ) => return Err(Error::ActionShape(kind)),
        (kind, _) => return Err(Error::Action(kind)),
    })
}
