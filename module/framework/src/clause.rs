// SPDX-License-Identifier: GPL-2.0
//! A clause ready to run: predicate, actions, and the plan of its record.
//!
//! The plan is made once, when the enabling arrives: each recording action gets its offset, each
//! aggregation its key. At probe time there is nothing left to decide.

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

/// Most actions of one clause.
const MAX_ACTIONS: usize = 1024;
/// Most bytes of one record, and of one aggregation's key.
pub(crate) const MAX_RECORD: usize = 256 << 10;

/// Most different format strings of one consumer. Each is looked for among those before it.
const MAX_FORMATS: usize = 1 << 14;
/// Most bytes of kernel memory that the clauses of one consumer take. Sections of a DOF may be named
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

/// An expression that may run.
pub(crate) type Code = Program<OwnedDifo, KVVec<Decoded>>;

#[inline(never)]
fn collect<T>(items: impl ExactSizeIterator<Item = T>) -> Result<KVVec<T>> {
    let mut v = mem::vec(items.len())?;
    for item in items {
        mem::push(&mut v, item)?;
    }
    Ok(v)
}

/// Copies an object out of the DOF and has it verified.
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

/// What an instruction asks for that this host never has. The verifier knows it, as other hosts have it; here
/// it would fault whenever it runs. So it is refused before: the compiler makes none of it.
fn never(insn: Insn) -> Option<&'static str> {
    match (insn.op()?, Subr::from_id(insn.index())) {
        (Op::Stga, _) => Some("uregs[] cannot be set on Linux"),
        (Op::Call, Some(Subr::Msgsize)) => Some("msgsize( ) cannot be had on Linux"),
        (Op::Call, Some(Subr::Msgdsize)) => Some("msgdsize( ) cannot be had on Linux"),
        (Op::Call, Some(Subr::DdiPathname)) => Some("ddi_pathname( ) cannot be had on Linux"),
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

/// What stands at an offset of a record or key.
#[derive(Clone, Copy)]
pub(crate) struct Datum {
    pub(crate) offset: usize,
    pub(crate) size: usize,
    pub(crate) form: Form,
}

/// How the value of an expression becomes bytes.
#[derive(Clone, Copy)]
pub(crate) enum Form {
    /// The value itself.
    Value,
    /// The bytes it points to.
    Bytes,
    /// The string it points to.
    String,
    /// The process, then the value, an address of it.
    OfProcess,
}

/// Whose stack.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Whose {
    /// The kernel's.
    Kernel,
    /// The process's: its id, then the frames.
    Process,
}

/// Most frames of a stack.
pub(crate) const MAX_FRAMES: u32 = 512;

/// A string that needs no expression to be evaluated.
#[derive(Clone, Copy)]
pub(crate) enum Name {
    /// Of the thread.
    Execname,
    /// A part of the probe's.
    Probe(usize),
}

impl Name {
    /// The string that a builtin variable stands for, and its cost, if an object is nothing else.
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

    /// Bytes that it takes at most, with its NUL.
    fn most(self) -> usize {
        match self {
            Self::Execname => task::COMM_LEN,
            Self::Probe(n) => PART_LENS.get(n).copied().unwrap_or(0),
        }
    }

    /// Puts it into a record, with zeros behind it.
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

/// A predicate `pid == N`: decided before anything else is looked at.
#[derive(Clone, Copy)]
pub(crate) struct Gate {
    pub(crate) pid: u64,
    /// What it costs to find that it holds, and that it does not.
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

    /// Whether the current process is another one.
    #[inline(always)]
    pub(crate) fn is_shut(&self) -> bool {
        // CAST: the sign is extended, as the machine does.
        self.pid != task::pid() as u64
    }
}

/// What a clause counts that has no other predicate than the gate and does nothing but count.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub(crate) enum Counts {
    /// It does something else.
    No,
    /// Without a key; the number of the value is the index of the aggregation.
    Alone(u32),
    /// Under a key that never changes on a probe.
    OfProbe,
}

/// One step of a clause.
pub(crate) enum Step {
    /// Store a value.
    Record(Code, Datum),
    /// The same, for a string that is known without evaluating anything; its cost is the expression's.
    RecordName(Name, Datum, u32),
    /// Store the status and end the tracing.
    Exit(Code, Datum),
    /// Evaluate for the effects: an assignment.
    Evaluate(Code),
    /// Nothing to do at probe time; the consumer acts when it meets the record.
    Note,
    /// Store a stack.
    Stack(Whose, Datum),
    /// Send a signal to the process; `None`: stop it.
    Signal(Option<Code>),
    /// Spend so many nanoseconds.
    Chill(Code),
    /// Stop the machine.
    Panic,
    /// What follows is recorded in the speculation of this id.
    Speculate(Code),
    /// That speculation ends.
    EndSpeculation(Code, End),
    /// Put a value into the key of the aggregation that follows.
    Key(Code, Datum),
    /// The same with a stack.
    KeyStack(Whose, Datum),
    /// The same, for one that is known without evaluating anything; its cost is the expression's.
    KeyName(Name, Datum, u32),
    /// Fold a value into an aggregation.
    Aggregate {
        func: AggFunc,
        id: AggId,
        key_words: usize,
        words: usize,
        value: Option<Code>,
        /// How much the value counts for; 1 without.
        weight: Option<Code>,
    },
}

/// A clause.
pub(crate) struct Clause {
    pub(crate) gate: Option<Gate>,
    /// If there is no gate or it says less.
    pub(crate) predicate: Option<Code>,
    pub(crate) counts: Counts,
    pub(crate) steps: KVec<Step>,
    /// The same for the hot path, if that can do it.
    pub(crate) lean: Option<KBox<Lean>>,
    /// What the record holds, for the consumer.
    pub(crate) records: KVec<RecDesc>,
    /// Bytes of the record; 0 if the clause only aggregates.
    pub(crate) size: usize,
    /// Words of the longest key.
    pub(crate) key_words: usize,
    /// The step that says into which speculation it records.
    pub(crate) speculates: Option<usize>,
    /// What it costs beside its instructions, in the machine's units.
    pub(crate) cost: u32,
    pub(crate) uarg: u64,
}

impl Clause {
    /// How many numbers it takes on each probe.
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

/// What is collected over all clauses of an enabling.
pub(crate) struct Builder<'a> {
    pub(crate) rules: Rules,
    pub(crate) strsize: usize,
    pub(crate) options: &'a Options,
    pub(crate) vars: &'a mut Vars,
    pub(crate) formats: &'a mut KVec<KVec<u8>>,
    pub(crate) aggs: &'a mut KVec<AggInfo>,
    pub(crate) spent: &'a mut usize,
}

/// Notes where a clause turns to a speculation. What it records belongs to one place; and what ends
/// speculations does not record in one.
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
        // A clause that only aggregates or assigns leaves no record; an empty one leaves its EPID.
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

    /// Plans a datum and describes it. A string has so many bytes at most.
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

    /// Plans a stack: as many frames as the action says, or as the options say if it says 0; of a
    /// process also room for text, which is the consumer's to fill.
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
        // The text's room stays zero: nobody looks at it when a stack is a key.
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
        // An assignment is evaluated for its effect: it has no value to record.
        let code = match (a.kind, code) {
            (ActionKind::DifExpr, Some(code)) if !ty.is_by_ref() && ty.size == 0 => {
                return Ok(mem::push(&mut c.steps, Step::Evaluate(code))?);
            }
            (_, code) => code,
        };
        // Of what is printed with a format nobody sees how much room it had.
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
            // The last one may be no part of the key but say how much the value counts for.
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
        // CAST: variables are numbered by the compiler; a larger number is no variable of anybody.
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
