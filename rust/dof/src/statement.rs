// SPDX-License-Identifier: GPL-2.0
//! Statements: probe description, predicate, actions, as views of a checked DOF.

use crate::{Dof, DofError, Problem, Section};
use abi::action::ActionKind;
use abi::difo::{DifType, DifVar};
use abi::dof::{ActDesc, DifoHdr, DofProbeDesc, EcbDesc, SectionKind, SECIDX_NONE};
use abi::ids::ProbeId;
use abi::probe::{is_glob_too_deep, PART_LENS};
use zerocopy::FromBytes;

/// The most bytes of a format string.
const MAX_FORMAT: usize = 1 << 16;

/// A probe description to match against.
#[derive(Clone, Copy)]
pub struct Pattern<'a> {
    /// A probe by id, or [`ProbeId::NONE`].
    pub id: ProbeId,
    /// Provider, module, function, name.
    pub parts: [&'a [u8]; 4],
}

/// One statement of the enabling.
#[derive(Clone, Copy)]
pub struct Statement<'a> {
    /// The probes that it enables.
    pub pattern: Pattern<'a>,
    /// The condition, if there is one.
    pub predicate: Option<Difo<'a>>,
    /// The actions.
    pub actions: Actions<'a>,
    /// The clause's own number.
    pub uarg: u64,
    /// The sections of predicate and actions: statements with equal ones share a clause.
    pub clause: (u32, u32),
}

/// One action.
#[derive(Clone, Copy)]
pub struct Action<'a> {
    /// What the action does.
    pub kind: ActionKind,
    /// Its expression.
    pub difo: Option<Difo<'a>>,
    /// Its format string.
    pub format: Option<&'a [u8]>,
    /// For aggregations: the number of actions before this one that make its key.
    pub ntuple: u32,
    /// Its argument.
    pub arg: u64,
    /// The statement's number; for an aggregation, its variable.
    pub uarg: u64,
}

impl<'a> Statement<'a> {
    pub(crate) fn read(dof: Dof<'a>, section: Section<'a>) -> Result<Self, DofError> {
        let at = section.index;
        let e: EcbDesc = section.one()?;
        let pattern = Pattern::read(dof, dof.section_of(e.probe, SectionKind::ProbeDesc, at)?)?;
        let predicate = Difo::follow(dof, e.predicate, at)?;
        let section = match e.actions {
            SECIDX_NONE => None,
            i => Some(dof.section_of(i, SectionKind::ActDesc, at)?),
        };
        Ok(Self {
            pattern,
            predicate,
            actions: Actions { dof, section },
            uarg: e.uarg,
            clause: (e.predicate, e.actions),
        })
    }
}

impl<'a> Pattern<'a> {
    /// Returns the number of bytes of all parts.
    pub fn bytes(&self) -> usize {
        self.parts.iter().fold(0, |n, p| n.saturating_add(p.len()))
    }

    fn read(dof: Dof<'a>, section: Section<'a>) -> Result<Self, DofError> {
        let at = section.index;
        let bad = |problem| DofError { section: at, problem };
        let p: DofProbeDesc = section.one()?;
        let strings = dof.section_of(p.strtab, SectionKind::StrTab, at)?;
        let mut parts = [&[][..]; 4];
        let offsets = [p.provider, p.module, p.function, p.name];
        for ((part, offset), most) in parts.iter_mut().zip(offsets).zip(PART_LENS) {
            *part = strings.text(u64::from(offset), most.saturating_sub(1)).map_err(|e| match e
                .problem
            {
                Problem::TextLength(_) => bad(Problem::PartLength),
                _ => e,
            })?;
            if is_glob_too_deep(part) {
                return Err(bad(Problem::Globs));
            }
        }
        Ok(Self { id: ProbeId(p.id), parts })
    }
}

/// The actions of a statement.
#[derive(Clone, Copy)]
pub struct Actions<'a> {
    dof: Dof<'a>,
    section: Option<Section<'a>>,
}

impl<'a> Actions<'a> {
    /// Returns the actions, in order.
    pub fn iter(&self) -> impl Iterator<Item = Result<Action<'a>, DofError>> {
        let dof = self.dof;
        self.section.into_iter().flat_map(move |s| {
            s.entries::<ActDesc>()
                .enumerate()
                .map(move |(nth, a)| Action::read(dof, s.index, nth, a?))
        })
    }
}

impl<'a> Action<'a> {
    fn read(dof: Dof<'a>, at: u32, nth: usize, a: ActDesc) -> Result<Self, DofError> {
        let bad = |problem| DofError { section: at, problem };
        let kind = ActionKind::from_number(a.kind).ok_or(bad(Problem::ActionKind(a.kind)))?;
        if a.ntuple as usize > nth {
            return Err(bad(Problem::Tuple));
        }
        let format = match a.strtab {
            SECIDX_NONE => None,
            i => Some(dof.section_of(i, SectionKind::StrTab, at)?.text(a.arg, MAX_FORMAT)?),
        };
        let difo = Difo::follow(dof, a.difo, at)?;
        Ok(Self { kind, difo, format, ntuple: a.ntuple, arg: a.arg, uarg: a.uarg })
    }
}

/// A DIF object that is not verified.
#[derive(Clone, Copy)]
pub struct Difo<'a> {
    /// The type of its value.
    pub rtype: DifType,
    text: &'a [u8],
    ints: &'a [u8],
    /// The string table.
    pub strings: &'a [u8],
    vars: &'a [u8],
}

impl<'a> Difo<'a> {
    fn follow(dof: Dof<'a>, index: u32, from: u32) -> Result<Option<Self>, DofError> {
        if index == SECIDX_NONE {
            return Ok(None);
        }
        let section = dof.section_of(index, SectionKind::DifoHdr, from)?;
        let bad = DofError { section: index, problem: Problem::DifoLinks };
        let header: DifoHdr = section.one()?;
        let links = section.data.get(size_of::<DifoHdr>()..).ok_or(bad)?;
        let (mut text, mut ints, mut strings, mut vars) = (None, None, None, None);
        for link in links.chunks_exact(4).take(8) {
            let link = u32::read_from_bytes(link).map_err(|_| bad)?;
            let s = dof.section(link, index)?;
            let (slot, entry) = match SectionKind::from_number(s.header.kind) {
                Some(SectionKind::Dif) => (&mut text, 4),
                Some(SectionKind::IntTab) => (&mut ints, 8),
                Some(SectionKind::StrTab) => (&mut strings, 1),
                Some(SectionKind::VarTab) => (&mut vars, size_of::<DifVar>()),
                _ => return Err(bad),
            };
            if slot.is_some() {
                return Err(bad);
            }
            if s.data.len().checked_rem(entry) != Some(0) {
                return Err(DofError { section: link, problem: Problem::EntrySize });
            }
            *slot = Some(s.data);
        }
        Ok(Some(Self {
            rtype: header.rtype,
            text: text.filter(|t| !t.is_empty()).ok_or(bad)?,
            ints: ints.unwrap_or_default(),
            strings: strings.unwrap_or_default(),
            vars: vars.unwrap_or_default(),
        }))
    }

    /// Returns the instruction words.
    pub fn text(&self) -> impl ExactSizeIterator<Item = u32> + 'a {
        self.text.chunks_exact(4).map(|b| u32::read_from_bytes(b).unwrap_or_default())
    }
    /// Returns the integer table.
    pub fn ints(&self) -> impl ExactSizeIterator<Item = u64> + 'a {
        self.ints.chunks_exact(8).map(|b| u64::read_from_bytes(b).unwrap_or_default())
    }
    /// Returns the variable table.
    pub fn vars(&self) -> impl ExactSizeIterator<Item = DifVar> + 'a {
        self.vars
            .chunks_exact(size_of::<DifVar>())
            .map(|b| DifVar::read_from_bytes(b).unwrap_or_default())
    }
}
