// SPDX-License-Identifier: GPL-2.0
//! Probe descriptions against probes.
//!
//! There may be a hundred thousand probes, so a description is prepared once ([`Matcher`]), its first
//! two parts are compared once a group, and a part without globbing characters by its length first.

use crate::probe::{Names, Probe, ProbeTable, Special};
use crate::Result;
use abi::ids::ProbeId;
use abi::probe::{glob, split_glob};
use kapi::mem;
use kernel::prelude::*;
use kernel::sync::Arc;

/// A probe description that outlives the DOF it came in.
pub(crate) struct Pattern {
    id: ProbeId,
    text: KVec<u8>,
    ends: [usize; 4],
}

impl Pattern {
    pub(crate) fn new(pattern: &dof::Pattern<'_>) -> Result<Self> {
        let mut text = KVec::new();
        let mut ends = [0; 4];
        for (part, end) in pattern.parts.iter().zip(&mut ends) {
            mem::extend(&mut text, part)?;
            *end = text.len();
        }
        Ok(Self { id: pattern.id, text, ends })
    }

    pub(crate) fn matcher(&self) -> Matcher<'_> {
        let mut from = 0;
        let parts = self.ends.map(|to| {
            let part = self.text.get(from..to).unwrap_or_default();
            from = to;
            part
        });
        Matcher::new(self.id, parts)
    }
}

/// How one part is compared.
#[derive(Clone, Copy)]
enum Part<'a> {
    Any,
    Exact(&'a [u8]),
    /// What it begins with, and how it goes on.
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
pub(crate) struct Matcher<'a> {
    id: ProbeId,
    is_empty: bool,
    parts: [Part<'a>; 4],
}

impl<'a> Matcher<'a> {
    pub(crate) fn new(id: ProbeId, parts: [&'a [u8]; 4]) -> Self {
        Self { id, is_empty: parts.iter().all(|p| p.is_empty()), parts: parts.map(Part::new) }
    }

    /// Can probes of this provider answer to the description? Without names it is asked of any.
    pub(crate) fn may_be(&self, provider: &[u8], names: &[&[u8]]) -> bool {
        let [p, _, _, n] = self.parts;
        self.id == ProbeId::NONE
            && p.matches(provider)
            && (names.is_empty() || names.iter().any(|name| n.matches(name)))
    }

    /// The name that is asked for, if it is exactly one and neither module nor function is.
    pub(crate) fn lone_name(&self) -> Option<&'a [u8]> {
        match self.parts {
            [_, m, f, Part::Exact(name)] if m.matches(b"") && f.matches(b"") => Some(name),
            _ => None,
        }
    }

    /// Whether a probe of the provider `dtrace` answers to it.
    pub(crate) fn matches_special(&self, which: Special) -> bool {
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

    fn matches_names(&self, names: &Names) -> bool {
        let [p, m, ..] = self.parts;
        p.matches(names.provider()) && m.matches(names.module())
    }

    #[inline]
    fn matches_rest(&self, probe: &Probe) -> bool {
        let [_, _, f, n] = self.parts;
        n.matches(probe.part(3))
            && f.matches(probe.part(2))
            && !(self.is_empty && probe.part(2).is_empty())
    }

    /// Calls `f` with each probe that answers to the description, from position `from` of the table
    /// on, until it says stop. Gives the position where to go on.
    pub(crate) fn find(
        &self,
        table: &ProbeTable,
        from: usize,
        mut f: impl FnMut(&Arc<Probe>) -> Result<bool>,
    ) -> Result<usize> {
        let end = table.end().max(from);
        if self.id != ProbeId::NONE {
            return match table.get(self.id).filter(|_| self.id.index() >= Some(from)) {
                Some(probe) if !f(probe)? => Ok(probe.id().index().unwrap_or(end)),
                _ => Ok(end),
            };
        }
        for segment in table.segments(from).filter(|s| self.matches_names(s.names())) {
            for probe in segment.iter(from).filter(|p| self.matches_rest(p)) {
                if !f(probe)? {
                    return Ok(probe.id().index().unwrap_or(end));
                }
            }
        }
        Ok(end)
    }
}

/// Calls `f` with each probe, from position `from` of the table on, and the numbers of the
/// descriptions that it answers to, ascending; with those alone that answer to one.
pub(crate) fn each<'p>(
    patterns: impl Iterator<Item = &'p Pattern>,
    table: &ProbeTable,
    from: usize,
    mut f: impl FnMut(&Arc<Probe>, &mut dyn Iterator<Item = usize>) -> Result,
) -> Result {
    let mut matchers: KVVec<(Matcher<'_>, bool)> = KVVec::new();
    for p in patterns {
        mem::push(&mut matchers, (p.matcher(), false))?;
    }
    for segment in table.segments(from) {
        let mut any = false;
        for (m, here) in matchers.iter_mut() {
            *here = m.id != ProbeId::NONE || m.matches_names(segment.names());
            any |= *here;
        }
        if !any {
            continue;
        }
        for probe in segment.iter(from) {
            let is_match = |(m, here): &(Matcher<'_>, bool)| {
                *here
                    && match m.id {
                        ProbeId::NONE => m.matches_rest(probe),
                        id => id == probe.id(),
                    }
            };
            let all = matchers.iter().enumerate();
            let mut matching = all.filter(|(_, m)| is_match(m)).map(|(i, _)| i).peekable();
            if matching.peek().is_some() {
                f(probe, &mut matching)?;
            }
        }
    }
    Ok(())
}
