// SPDX-License-Identifier: GPL-2.0
//! Compares probe descriptions with probes.
//!
//! There may be a hundred thousand probes, so a description is prepared once ([`Matcher`]).
//! Provider, module and, if there are few of them, names are compared once per group. A function is
//! searched in an index, if the group has one. A part without globbing characters is first compared
//! by its length.

use crate::probe::{Candidates, Probe, ProbeTable, Segment, Special};
use crate::Result;
use abi::ids::ProbeId;
use abi::probe::{glob, split_glob};
use mem::{Arc, KVVec, KVec};

/// A probe description that outlives its DOF.
pub struct Pattern {
    id: ProbeId,
    text: KVec<u8>,
    ends: [usize; 4],
}

impl Pattern {
    /// Copies a description out of a DOF.
    pub fn new(pattern: &dof::Pattern<'_>) -> Result<Self> {
        let mut text = KVec::new();
        let mut ends = [0; 4];
        for (part, end) in pattern.parts.iter().zip(&mut ends) {
            mem::extend(&mut text, part)?;
            *end = text.len();
        }
        Ok(Self { id: pattern.id, text, ends })
    }

    /// Prepares it for comparisons.
    pub fn matcher(&self) -> Matcher<'_> {
        let mut from = 0;
        let parts = self.ends.map(|to| {
            let part = self.text.get(from..to).unwrap_or_default();
            from = to;
            part
        });
        Matcher::new(self.id, parts)
    }
}

/// The way to compare one part.
#[derive(Clone, Copy)]
enum Part<'a> {
    Any,
    Exact(&'a [u8]),
    /// A literal beginning, and the rest of the glob.
    Glob(&'a [u8], &'a [u8]),
}

impl<'a> Part<'a> {
    fn new(pattern: &'a [u8]) -> Self {
        match pattern {
            b"" | b"*" => Self::Any,
            p => match split_glob(p) {
                (_, b"") => Self::Exact(p),
                (head, rest) => Self::Glob(head, rest),
            },
        }
    }

    #[inline]
    fn matches(self, text: &[u8]) -> bool {
        match self {
            Self::Any => true,
            Self::Exact(p) => p.len() == text.len() && p == text,
            Self::Glob(head, rest) => text.strip_prefix(head).is_some_and(|t| glob(rest, t)),
        }
    }
}

/// A probe description, ready to be compared with many probes. An id decides alone; a description
/// without any part means every probe that has a function.
pub struct Matcher<'a> {
    id: ProbeId,
    is_empty: bool,
    parts: [Part<'a>; 4],
}

impl<'a> Matcher<'a> {
    /// Prepares a description; an id other than [`ProbeId::NONE`] decides alone.
    pub fn new(id: ProbeId, parts: [&'a [u8]; 4]) -> Self {
        Self { id, is_empty: parts.iter().all(|p| p.is_empty()), parts: parts.map(Part::new) }
    }

    /// Tells whether probes of this provider, with one of these names, can match the description.
    /// Without `names`, any name is possible.
    pub fn may_be(&self, provider: &[u8], names: &[&[u8]]) -> bool {
        let [p, _, _, n] = self.parts;
        self.id == ProbeId::NONE
            && p.matches(provider)
            && (names.is_empty() || names.iter().any(|name| n.matches(name)))
    }

    /// Returns the probe name, if the description has exactly one and neither a module nor a
    /// function.
    pub fn lone_name(&self) -> Option<&'a [u8]> {
        match self.parts {
            [_, m, f, Part::Exact(name)] if m.matches(b"") && f.matches(b"") => Some(name),
            _ => None,
        }
    }

    /// Tells whether a probe of the provider `dtrace` matches.
    pub fn matches_special(&self, which: Special) -> bool {
        let [_, m, f, _] = self.parts;
        match self.id {
            ProbeId::NONE => {
                !self.is_empty
                    && self.may_be(b"dtrace", &[which.name()])
                    && m.matches(b"")
                    && f.matches(b"")
            }
            id => id == which.id(),
        }
    }

    /// Returns the probes of a segment that may match, from position `from` of the table on.
    fn candidates<'s, C>(&self, segment: &'s Segment<C>, from: usize) -> Option<Candidates<'s, C>>
    where
        'a: 's,
    {
        if self.id != ProbeId::NONE {
            return segment.one(self.id, from);
        }
        let [p, m, f, n] = self.parts;
        let names = segment.names();
        let here = p.matches(names.provider())
            && m.matches(names.module())
            && names.any_kind(|name| n.matches(name));
        here.then(|| match f {
            Part::Exact(function) => segment.named(function, from),
            _ => segment.all(from),
        })
    }

    #[inline]
    fn matches<C>(&self, probe: &Probe<C>) -> bool {
        let [_, _, f, n] = self.parts;
        self.id != ProbeId::NONE
            || n.matches(probe.part(3))
                && f.matches(probe.part(2))
                && !(self.is_empty && probe.part(2).is_empty())
    }

    /// Calls `f` with each matching probe, from position `from` of the table on, until it returns
    /// stop. Returns the position to continue from.
    pub fn find<C: Default>(
        &self,
        table: &ProbeTable<C>,
        from: usize,
        mut f: impl FnMut(&Arc<Probe<C>>) -> Result<bool>,
    ) -> Result<usize> {
        let end = table.end().max(from);
        let all = table.segments(from).filter_map(|s| self.candidates(s, from)).flatten();
        for probe in all.filter(|p| self.matches(p)) {
            if !f(probe)? {
                return Ok(probe.id().index().unwrap_or(end));
            }
        }
        Ok(end)
    }
}

/// One of many descriptions that are compared with a segment.
struct Reading<'a, C> {
    matcher: Matcher<'a>,
    candidates: Option<Candidates<'a, C>>,
    /// The next matching probe.
    next: Option<&'a Arc<Probe<C>>>,
}

impl<'a, C> Reading<'a, C> {
    fn open(&mut self, segment: &'a Segment<C>) {
        self.candidates = self.matcher.candidates(segment, 0);
        self.advance();
    }

    fn advance(&mut self) {
        let matcher = &self.matcher;
        self.next = self.candidates.as_mut().and_then(|c| c.find(|p| matcher.matches(p)));
    }

    fn is_at(&self, probe: &Probe<C>) -> bool {
        self.next.is_some_and(|p| p.id() == probe.id())
    }
}

/// Calls `f` with each probe that matches one of the descriptions, in the segments from this serial
/// number on, and with the ascending numbers of the descriptions that it matches.
pub fn each<'a, C: Default>(
    patterns: impl Iterator<Item = &'a Pattern>,
    table: &'a ProbeTable<C>,
    serial: u64,
    mut f: impl FnMut(&Arc<Probe<C>>, &mut dyn Iterator<Item = usize>) -> Result,
) -> Result {
    let mut readings: KVVec<Reading<'a, C>> = KVVec::new();
    for p in patterns {
        mem::push(&mut readings, Reading { matcher: p.matcher(), candidates: None, next: None })?;
    }
    for segment in table.since(serial) {
        readings.iter_mut().for_each(|r| r.open(segment));
        while let Some(probe) = readings.iter().filter_map(|r| r.next).min_by_key(|p| p.id().0) {
            let there = readings.iter().enumerate().filter(|(_, r)| r.is_at(probe));
            f(probe, &mut there.map(|(i, _)| i))?;
            readings.iter_mut().filter(|r| r.is_at(probe)).for_each(Reading::advance);
        }
    }
    Ok(())
}
