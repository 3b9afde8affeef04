// SPDX-License-Identifier: GPL-2.0
//! A clause that is ready to run: predicate, actions, and the plan of its record.
//!
//! The plan is made once, when the enabling arrives. Each recording action gets its offset, each
//! aggregation its key, so nothing is left to decide at probe time.

use crate::budget::BUDGET;
use crate::lean::Lean;
use crate::probe::Probe;
use crate::report::Text;
use crate::vars::Vars;
use crate::{Error, Result};
use abi::action::ActionKind;
use abi::aggregation::AggFunc;
use abi::dif::{Builtin, Op, Subr};
use abi::difo::{DifType, DifVar};
use abi::ids::{AggId, FormatId};
use abi::option::{OptionId, Options};
use abi::probe::{until_nul, PART_LENS};
use abi::record::{Layout, RecDesc, HEADER_SIZE};
use buffers::speculation::End;
use dif::bound::Prices;
use dif::op::Insn;
use dif::{Decoded, Difo, Program, Rules};
use kapi::{mem, task};
use kernel::prelude::*;
use kernel::sync::Arc;

/// The most actions of one clause.
const MAX_ACTIONS: usize = 1024;
/// The most bytes of one record, and of one aggregation's key.
pub(crate) const MAX_RECORD: usize = 256 << 10;

/// The most different format strings of one consumer. Each is compared with all before it.
const MAX_FORMATS: usize = 1 << 14;
/// The most bytes of kernel memory for the clauses of one consumer. A DOF may refer to a section
/// any number of times, so its own size is no bound.
const MAX_BYTES: usize = 64 << 20;

/// A DIF object in the kernel's memory.
pub(crate) struct OwnedDifo {
    text: KVVec<u32>,
    ints: KVVec<u64>,
    strings: KVVec<u8>,
    vars: KVVec<DifVar>,
    rtype: DifType,
}

impl Difo for OwnedDifo {
    fn text(&self) -> &[u32] {
        &self.text
    }
    fn inttab(&self) -> &[u64] {
        &self.ints
    }
    fn strtab(&self) -> &[u8] {
        &self.strings
    }
    fn vars(&self) -> &[DifVar] {
        &self.vars
    }
    fn rtype(&self) -> DifType {
        self.rtype
    }
}

/// A verified expression.
pub(crate) type Code = Program<OwnedDifo, KVVec<Decoded>>;

#[inline(never)]
fn collect<T>(items: impl ExactSizeIterator<Item = T>) -> Result<KVVec<T>> {
    let mut v = mem::vec(items.len())?;
    for item in items {
        mem::push(&mut v, item)?;
    }
    Ok(v)
}

/// Copies an object out of the DOF and verifies it.
fn admit(
    difo: &dof::Difo<'_>,
    rules: &Rules,
    strsize: usize,
    vars: &mut Vars,
    spent: &mut usize,
) -> Result<Code> {
    if difo.text().len() > abi::dif::MAX_TEXT
        || difo.ints().len() > abi::dif::MAX_INTTAB
        || difo.strings.len() > abi::dif::MAX_STRTAB
        || difo.vars().len() > abi::dif::MAX_TEXT
    {
        return Err(Error::TooMany("instructions or table entries in a DIF object"));
    }
    let size = difo.text().len() * (4 + size_of::<Decoded>())
        + difo.ints().len() * 8
        + difo.strings.len()
        + difo.vars().len() * size_of::<DifVar>();
    charge(spent, size)?;
    let owned = OwnedDifo {
        text: collect(difo.text())?,
        ints: collect(difo.ints())?,
        strings: collect(difo.strings.iter().copied())?,
        vars: collect(difo.vars())?,
        rtype: difo.rtype,
    };
    let mut errors = Text::new();
    let verified = dif::verify(owned, rules, &mut |e| {
        if !errors.is_empty() {
            errors.add(&"\n");
        }
        errors.add(&e);
    })
    .ok_or(Error::Verify(errors))?;
    if let Some(what) = verified.text().iter().find_map(|word| never(Insn(*word))) {
        let mut text = Text::new();
        text.add(&what);
        return Err(Error::Verify(text));
    }
    let steps = verified.max_steps(&Prices::new(strsize));
    if steps > BUDGET {
        return Err(Error::Steps(steps));
    }
    vars.declare(verified.vars())?;
    vars.vtimestamp |= verified.asks_for(Builtin::Vtimestamp);
    Program::new(verified, |decoded| collect(decoded))
}

/// Returns what this instruction needs and this host never has. The verifier accepts it for other
/// hosts; here it would always fault. So it is refused; our compiler never makes it.
fn never(insn: Insn) -> Option<&'static str> {
    match (insn.op()?, Subr::from_id(insn.index())) {
        (Op::Stga, _) => Some("uregs[] cannot be set on Linux"),
        (Op::Call, Some(Subr::Msgsize)) => Some("msgsize( ) is not available on Linux"),
        (Op::Call, Some(Subr::Msgdsize)) => Some("msgdsize( ) is not available on Linux"),
        (Op::Call, Some(Subr::DdiPathname)) => Some("ddi_pathname( ) is not available on Linux"),
        _ => None,
    }
}

/// Counts memory against the limit of one consumer.
pub(crate) fn charge(spent: &mut usize, bytes: usize) -> Result {
    *spent = spent.saturating_add(bytes);
    if *spent > MAX_BYTES {
        return Err(Error::TooMany("bytes of clauses"));
    }
    Ok(())
}

/// A value at an offset of a record or key.
#[derive(Clone, Copy)]
pub(crate) struct Datum {
    pub(crate) offset: usize,
    pub(crate) size: usize,
    pub(crate) form: Form,
}

/// The way to store the value of an expression.
#[derive(Clone, Copy)]
pub(crate) enum Form {
    /// The value itself.
    Value,
    /// The bytes that it points to.
    Bytes,
    /// The string that it points to.
    String,
    /// The process, then the value, which is an address in it.
    OfProcess,
}

/// The owner of a stack.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Whose {
    /// The stack of the kernel.
    Kernel,
    /// The stack of the process: its id, then the frames.
    Process,
}

/// The most frames of a stack.
pub(crate) const MAX_FRAMES: u32 = 512;

/// A string that needs no evaluation of an expression.
#[derive(Clone, Copy)]
pub(crate) enum Name {
    /// The name of the thread.
    Execname,
    /// A part of the probe's name.
    Probe(usize),
}

impl Name {
    /// Returns the string and its cost, if an object only loads a builtin string.
    fn of(code: &Code) -> Option<(Self, u32)> {
        let (builtin, cost) = code.quick().builtin()?;
        let name = match builtin {
            Builtin::Execname => Self::Execname,
            Builtin::Probeprov => Self::Probe(0),
            Builtin::Probemod => Self::Probe(1),
            Builtin::Probefunc => Self::Probe(2),
            Builtin::Probename => Self::Probe(3),
            _ => return None,
        };
        Some((name, cost))
    }

    /// Returns the most bytes that it takes, with its NUL.
    fn most(self) -> usize {
        match self {
            Self::Execname => task::COMM_LEN,
            Self::Probe(n) => PART_LENS.get(n).copied().unwrap_or(0),
        }
    }

    /// Writes it into a record, followed by zeros.
    #[inline]
    pub(crate) fn put(self, probe: &Probe, room: &mut [u8]) {
        let mut comm = [0; task::COMM_LEN];
        let text = match self {
            Self::Execname => {
                task::comm(&mut comm);
                until_nul(&comm)
            }
            Self::Probe(part) => probe.part(part),
        };
        let n = text.len().min(room.len().saturating_sub(1));
        let (Some((to, rest)), Some(text)) = (room.split_at_mut_checked(n), text.get(..n)) else {
            return;
        };
        to.copy_from_slice(text);
        rest.fill(0);
    }
}

/// A predicate `pid == N`, which is tested before anything else.
#[derive(Clone, Copy)]
pub(crate) struct Gate {
    pub(crate) pid: u64,
    /// The cost when it holds, and when it does not.
    pub(crate) open: u32,
    pub(crate) shut: u32,
}

impl Gate {
    fn of(predicate: &Code) -> Option<Self> {
        let only = predicate.quick().only()?;
        (only.builtin == Builtin::Pid).then_some(Self {
            pid: only.value,
            open: only.holds,
            shut: only.fails,
        })
    }

    /// Tells whether the current process is another one.
    #[inline(always)]
    pub(crate) fn is_shut(&self) -> bool {
        // CAST: the sign is extended, as the machine does.
        self.pid != task::pid() as u64
    }
}

/// The counter of a clause that only counts and has no predicate besides the gate.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub(crate) enum Counts {
    /// The clause does something else.
    No,
    /// It counts without a key; the number of the value is the index of the aggregation.
    Alone(u32),
    /// It counts under a key that is constant for a probe.
    OfProbe,
}

/// One step of a clause.
pub(crate) enum Step {
    /// Store a value.
    Record(Code, Datum),
    /// Store a string that needs no evaluation; its cost is that of the expression.
    RecordName(Name, Datum, u32),
    /// Store the status and end the tracing.
    Exit(Code, Datum),
    /// Evaluate for the effects: an assignment.
    Evaluate(Code),
    /// Do nothing at probe time; the consumer acts when it reads the record.
    Note,
    /// Store a stack.
    Stack(Whose, Datum),
    /// Send a signal to the process; `None`: stop it.
    Signal(Option<Code>),
    /// Spend this many nanoseconds.
    Chill(Code),
    /// Stop the machine.
    Panic,
    /// Record the following steps in the speculation with this id.
    Speculate(Code),
    /// End the speculation with this id.
    EndSpeculation(Code, End),
    /// Add a value to the key of the next aggregation.
    Key(Code, Datum),
    /// Add a stack to that key.
    KeyStack(Whose, Datum),
    /// Add a string that needs no evaluation to that key; its cost is that of the expression.
    KeyName(Name, Datum, u32),
    /// Add a value to an aggregation.
    Aggregate {
        func: AggFunc,
        id: AggId,
        key_words: usize,
        words: usize,
        value: Option<Code>,
        /// The weight of the value; 1 without it.
        weight: Option<Code>,
    },
}

/// A clause.
pub(crate) struct Clause {
    pub(crate) gate: Option<Gate>,
    /// The predicate, unless the gate is all of it.
    pub(crate) predicate: Option<Code>,
    pub(crate) counts: Counts,
    pub(crate) steps: KVec<Step>,
    /// The same clause for the hot path, if it is simple enough.
    pub(crate) lean: Option<KBox<Lean>>,
    /// The description of the record, for the consumer.
    pub(crate) records: KVec<RecDesc>,
    /// The bytes of the record; 0 if the clause only aggregates.
    pub(crate) size: usize,
    /// The words of the longest key.
    pub(crate) key_words: usize,
    /// The step that selects the speculation for its records.
    pub(crate) speculates: Option<usize>,
    /// Its cost without its instructions, in the machine's units.
    pub(crate) cost: u32,
    pub(crate) uarg: u64,
}

impl Clause {
    /// Returns how many numbers it needs on each probe.
    pub(crate) fn numbers(&self) -> u32 {
        self.lean.as_ref().map_or(0, |lean| lean.fixed)
    }
}

/// An aggregation, as the consumer sees it.
pub(crate) struct AggInfo {
    pub(crate) variable: u32,
    pub(crate) size: u32,
    pub(crate) records: KVec<RecDesc>,
}

/// Data that is collected over all clauses of an enabling.
pub(crate) struct Builder<'a> {
    pub(crate) rules: Rules,
    pub(crate) strsize: usize,
    pub(crate) options: &'a Options,
    pub(crate) vars: &'a mut Vars,
    pub(crate) formats: &'a mut KVec<KVec<u8>>,
    pub(crate) aggs: &'a mut KVec<AggInfo>,
    pub(crate) spent: &'a mut usize,
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
        let gate = predicate.as_ref().and_then(Gate::of);
        let mut clause = Clause {
            gate,
            predicate: if gate.is_some() { None } else { predicate },
            counts: Counts::No,
            lean: None,
            steps: mem::vec(actions.len())?,
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
        charge(self.spent, clause.steps.len().saturating_mul(Lean::STEP))?;
        clause.lean = Lean::of(&clause)?;
        clause.counts = clause.lean.as_ref().map_or(Counts::No, |lean| lean.counts());
        Ok(mem::arc(clause)?)
    }

    #[inline(never)]
    fn actions<'d>(&mut self, s: &dof::Statement<'d>) -> Result<KVec<dof::Action<'d>>> {
        let mut actions = KVec::new();
        for a in s.actions.iter() {
            if actions.len() >= MAX_ACTIONS {
                return Err(Error::TooMany("actions in a clause"));
            }
            charge(self.spent, size_of::<Step>() + 2 * size_of::<RecDesc>())?;
            mem::push(&mut actions, a?)?;
        }
        Ok(actions)
    }

    /// Plans a datum and describes it. `size` is the most bytes of a string.
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
            mem::push(&mut c.records, RecDesc { uarg: a.uarg, format, ..desc })?;
            return Ok(mem::push(&mut c.steps, Step::Stack(whose, datum))?);
        }
        let code = match &a.difo {
            Some(d) => Some(admit(d, &self.rules, self.strsize, self.vars, self.spent)?),
            None => None,
        };
        if a.kind.is_destructive() && !self.rules.allow_destructive {
            return Err(Error::Destructive(a.kind));
        }
        let operand = code.as_ref().is_some_and(|c| !c.rtype().is_by_ref() && c.rtype().size > 0);
        let effect = match (a.kind, code.is_some()) {
            (ActionKind::Stop, false) => Some(Step::Signal(None)),
            (ActionKind::Panic, false) => Some(Step::Panic),
            (ActionKind::Raise | ActionKind::Chill, _) if !operand => {
                return Err(Error::ActionShape(a.kind))
            }
            (ActionKind::Stop | ActionKind::Panic, true) => return Err(Error::ActionShape(a.kind)),
            _ => None,
        };
        if let Some(step) = effect {
            return Ok(mem::push(&mut c.steps, step)?);
        }
        let effect = match (a.kind, &code) {
            (ActionKind::Speculate | ActionKind::Commit | ActionKind::Discard, Some(code))
                if code.rtype().is_by_ref() || code.rtype().size == 0 =>
            {
                return Err(Error::ActionShape(a.kind));
            }
            (ActionKind::Raise, _) => Some((|c| Step::Signal(Some(c))) as fn(Code) -> Step),
            (ActionKind::Chill, _) => Some(Step::Chill as fn(_) -> _),
            (ActionKind::Speculate, _) => Some(Step::Speculate as fn(_) -> _),
            (ActionKind::Commit, _) => {
                Some((|c| Step::EndSpeculation(c, End::Commit)) as fn(_) -> _)
            }
            (ActionKind::Discard, _) => {
                Some((|c| Step::EndSpeculation(c, End::Discard)) as fn(_) -> _)
            }
            _ => None,
        };
        if let Some(step) = effect {
            let code = code.ok_or(Error::ActionShape(a.kind))?;
            return Ok(mem::push(&mut c.steps, step(code))?);
        }
        let format = match a.format {
            Some(text) => self.format(text)?,
            None => FormatId::NONE,
        };
        let ty = code.as_ref().map_or(DifType::void(), |c| c.rtype());
        // An assignment is evaluated for its effect, and has no value to record.
        let code = match (a.kind, code) {
            (ActionKind::DifExpr, Some(code)) if !ty.is_by_ref() && ty.size == 0 => {
                return Ok(mem::push(&mut c.steps, Step::Evaluate(code))?);
            }
            (_, code) => code,
        };
        // If a value is printed with a format, the size of its room does not show.
        let name = code.as_ref().filter(|_| a.kind == ActionKind::Printf).and_then(Name::of);
        let most = name.map_or(usize::MAX, |(name, _)| name.most());
        let (datum, mut desc) = self.datum(layout, ty, a.kind, most)?;
        let step = match (a.kind, code) {
            (ActionKind::System | ActionKind::Freopen, Some(code)) => Step::Record(code, datum),
            (ActionKind::System | ActionKind::Freopen, None) => Step::Note,
            (ActionKind::Exit, Some(code)) if matches!(datum.form, Form::Value) => {
                Step::Exit(code, datum)
            }
            (
                ActionKind::Sym
                | ActionKind::Mod
                | ActionKind::Usym
                | ActionKind::Umod
                | ActionKind::Uaddr,
                code,
            ) => match code {
                Some(code) if !ty.is_by_ref() && ty.size == 8 => Step::Record(code, datum),
                _ => return Err(Error::ActionShape(a.kind)),
            },
            (ActionKind::DifExpr | ActionKind::Tracemem, Some(code))
            | (ActionKind::Printf | ActionKind::Printa | ActionKind::LibAct, Some(code)) => {
                Step::Record(code, datum)
            }
            (ActionKind::Printf | ActionKind::Printa | ActionKind::LibAct, None) => Step::Note,
            (ActionKind::Exit | ActionKind::DifExpr | ActionKind::Tracemem, _) => {
                return Err(Error::ActionShape(a.kind))
            }
            (kind, _) => return Err(Error::Action(kind)),
        };
        let step = match name {
            Some((name, cost)) => Step::RecordName(name, datum, cost),
            None => step,
        };
        desc.format = format;
        desc.arg = a.arg;
        desc.uarg = a.uarg;
        mem::push(&mut c.records, desc)?;
        mem::push(&mut c.steps, step)?;
        Ok(())
    }

    #[inline(never)]
    fn aggregation(
        &mut self,
        c: &mut Clause,
        keys: &[dof::Action<'_>],
        agg: &dof::Action<'_>,
    ) -> Result {
        let shape = Error::ActionShape(agg.kind);
        let mut layout = Layout::aggregation();
        let mut records = KVec::new();
        let mut weight = None;
        for key in keys {
            if weight.is_some() {
                return Err(shape);
            }
            if matches!(key.kind, ActionKind::Stack | ActionKind::Ustack | ActionKind::Jstack) {
                let (whose, datum, desc) = self.stack(&mut layout, key)?;
                mem::push(&mut records, RecDesc { uarg: key.uarg, ..desc })?;
                mem::push(&mut c.steps, Step::KeyStack(whose, datum))?;
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
            let Some(difo) = &key.difo else { return Err(shape) };
            if key.kind != ActionKind::DifExpr && !symbolic {
                return Err(shape);
            }
            let code = admit(difo, &self.rules, self.strsize, self.vars, self.spent)?;
            if symbolic && (code.rtype().is_by_ref() || code.rtype().size != 8) {
                return Err(shape);
            }
            // The last one may be the weight of the value instead of a part of the key.
            if !code.rtype().is_by_ref() && code.rtype().size == 0 {
                weight = Some(code);
                continue;
            }
            let (datum, desc) = self.datum(&mut layout, code.rtype(), key.kind, usize::MAX)?;
            mem::push(&mut records, RecDesc { uarg: key.uarg, ..desc })?;
            let step = match Name::of(&code) {
                Some((name, cost)) if !symbolic => Step::KeyName(name, datum, cost),
                _ => Step::Key(code, datum),
            };
            mem::push(&mut c.steps, step)?;
        }
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
            return Err(shape);
        }
        if weight.is_some() && !func.takes_weight() {
            return Err(shape);
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
        mem::push(&mut records, value_desc)?;
        let id = AggId::from_index(self.aggs.len());
        // CAST: the compiler numbers the variables; a larger number belongs to no variable.
        let info = AggInfo { variable: agg.uarg as u32, size: total as u32, records };
        mem::push(&mut self.aggs, info)?;
        mem::push(
            &mut c.steps,
            Step::Aggregate { func, id, key_words, words: func.words(), value, weight },
        )?;
        c.key_words = c.key_words.max(key_words);
        Ok(())
    }

    fn format(&mut self, text: &[u8]) -> Result<FormatId> {
        if let Some(i) = self.formats.iter().position(|f| f.as_slice() == text) {
            return Ok(FormatId::from_index(i));
        }
        if self.formats.len() >= MAX_FORMATS {
            return Err(Error::TooMany("format strings"));
        }
        charge(self.spent, text.len() + size_of::<KVec<u8>>())?;
        let mut copy = KVec::new();
        mem::extend(&mut copy, text)?;
        mem::push(&mut self.formats, copy)?;
        Ok(FormatId::from_index(self.formats.len().wrapping_sub(1)))
    }
}
