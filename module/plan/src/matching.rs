// SPDX-License-Identifier: GPL-2.0
//! Compares probe descriptions with probes.
//!
//! There may be a hundred thousand probes, so a description is prepared once ([`Matcher`]).
//! Provider, module and, if there are few of them, names are compared once per group. A function is
//! searched in an index, if the group has one. A part without globbing characters is first compared
//! by its length.

use crate::probe::{Candidates, Probe, ProbeTable, Segment, Special};
use crate::{Error, Result};
use abi::ids::ProbeId;
use abi::probe::{glob_counted, split_glob};
use mem::{accounted, Arc, KVVec, KVec};

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
            accounted::extend(&mut text, part)?;
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

    /// Adds the steps of a glob to `steps`.
    #[inline]
    fn matches(self, text: &[u8], steps: &mut usize) -> bool {
        match self {
            Self::Any => true,
            Self::Exact(p) => p.len() == text.len() && p == text,
            Self::Glob(head, rest) => {
                text.strip_prefix(head).is_some_and(|t| glob_counted(rest, t, steps))
            }
        }
    }

    /// Tells whether a part without characters matches.
    fn matches_none(self) -> bool {
        self.matches(b"", &mut 0)
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
            && p.matches(provider, &mut 0)
            && (names.is_empty() || names.iter().any(|name| n.matches(name, &mut 0)))
    }

    /// Returns the probe name, if the description has exactly one and neither a module nor a
    /// function.
    pub fn lone_name(&self) -> Option<&'a [u8]> {
        match self.parts {
            [_, m, f, Part::Exact(name)] if m.matches_none() && f.matches_none() => Some(name),
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
                    && m.matches_none()
                    && f.matches_none()
            }
            id => id == which.id(),
        }
    }

    /// Returns the probes of a segment that may match, from position `from` of the table on.
    fn candidates<'s, C>(
        &self,
        segment: &'s Segment<C>,
        from: usize,
        steps: &mut usize,
    ) -> Option<Candidates<'s, C>>
    where
        'a: 's,
    {
        if self.id != ProbeId::NONE {
            return segment.one(self.id, from);
        }
        let [p, m, f, n] = self.parts;
        let names = segment.names();
        let here = p.matches(names.provider(), steps)
            && m.matches(names.module(), steps)
            && names.any_kind(|name| n.matches(name, steps));
        here.then(|| match f {
            Part::Exact(function) => segment.named(function, from),
            _ => segment.all(from),
        })
    }

    #[inline]
    fn matches<C>(&self, probe: &Probe<C>, steps: &mut usize) -> bool {
        let [_, _, f, n] = self.parts;
        self.id != ProbeId::NONE
            || n.matches(probe.part(3), steps)
                && f.matches(probe.part(2), steps)
                && !(self.is_empty && probe.part(2).is_empty())
    }

    /// Calls `f` with each matching probe, from position `from` of the table on, until it returns
    /// stop, or until the search has taken about `most` comparisons.
    pub fn find<C: Default>(
        &self,
        table: &ProbeTable<C>,
        from: usize,
        most: usize,
        mut f: impl FnMut(&Arc<Probe<C>>) -> Result<bool>,
    ) -> Result<Found> {
        let mut left = most;
        // Each comparison is paid for afterwards, so every search gets on.
        let mut pay = |steps: usize| {
            left = left.saturating_sub(price(steps));
            left > 0
        };
        for segment in table.segments(from) {
            let mut steps = 0;
            for probe in self.candidates(segment, from, &mut steps).into_iter().flatten() {
                let at = probe.id().index().unwrap_or(from);
                if self.matches(probe, &mut steps) && !f(probe)? {
                    return Ok(Found::All(at));
                }
                if !pay(core::mem::take(&mut steps)) {
                    return Ok(Found::Some(at.saturating_add(1)));
                }
            }
            if !pay(steps) {
                return Ok(Found::Some(segment.places().end));
            }
        }
        Ok(Found::All(table.end().max(from)))
    }
}

/// The position in the table to continue from after [`Matcher::find`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Found {
    /// The caller has all probes, or all that it takes.
    All(usize),
    /// The search has taken its time, and may find more.
    Some(usize),
}

/// The work of one [`Matcher::find`] while others wait for the table: some milliseconds.
pub const AT_ONCE: usize = 1 << 18;

/// The most work of one [`each`], in comparisons. Everybody who wants to change the table waits
/// meanwhile: a few seconds at most.
const MAX_COMPARED: usize = 1 << 28;
/// So many steps of a glob take as long as the rest of a comparison.
const STEPS: usize = 4;

/// Returns the price, in comparisons, of one that has taken so many steps of globs.
fn price(steps: usize) -> usize {
    1usize.saturating_add(steps / STEPS)
}

/// After so many comparisons the caller is asked whether it goes on.
const ASK: usize = 1 << 16;

/// The bound of an [`each`].
pub struct Work<G> {
    /// The comparisons that are left.
    left: usize,
    /// Asks the caller.
    go_on: G,
}

impl<G: FnMut() -> Result> Work<G> {
    /// Creates the usual bound. An error of `go_on`, which is called now and then, ends the work.
    pub fn new(go_on: G) -> Self {
        Self::of(MAX_COMPARED, go_on)
    }

    /// Creates a bound of `most` comparisons.
    pub fn of(most: usize, go_on: G) -> Self {
        Self { left: most, go_on }
    }

    /// Pays for a comparison that has taken so many steps of globs.
    fn spend(&mut self, steps: usize) -> Result {
        let left = self.left.checked_sub(price(steps));
        let left =
            left.ok_or(Error::TooMany("descriptions of probes to compare with all probes"))?;
        if left / ASK != core::mem::replace(&mut self.left, left) / ASK {
            (self.go_on)()?;
        }
        Ok(())
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
    fn new(matcher: Matcher<'a>) -> Self {
        Self { matcher, candidates: None, next: None }
    }

    fn open(&mut self, segment: &'a Segment<C>, work: &mut Work<impl FnMut() -> Result>) -> Result {
        let mut steps = 0;
        self.candidates = self.matcher.candidates(segment, 0, &mut steps);
        work.spend(steps)?;
        self.advance(work)
    }

    fn advance(&mut self, work: &mut Work<impl FnMut() -> Result>) -> Result {
        self.next = None;
        for probe in self.candidates.iter_mut().flatten() {
            let mut steps = 0;
            let is_match = self.matcher.matches(probe, &mut steps);
            work.spend(steps)?;
            if is_match {
                self.next = Some(probe);
                break;
            }
        }
        Ok(())
    }
}

/// Moves the entry at `at` of a heap down to its place; the least entry is the first.
fn sink<K: Ord>(heap: &mut [usize], mut at: usize, key: impl Fn(usize) -> K) {
    loop {
        let left = at.saturating_mul(2).saturating_add(1);
        let child = |n: usize| heap.get(n).map(|&entry| (key(entry), n));
        let least = child(left).into_iter().chain(child(left.saturating_add(1))).min();
        match (least, heap.get(at)) {
            (Some((least, child)), Some(&entry)) if least < key(entry) => {
                heap.swap(at, child);
                at = child;
            }
            _ => return,
        }
    }
}

/// Calls `f` with each probe that matches one of the descriptions, in the segments from this serial
/// number on, and with the ascending numbers of the descriptions that it matches. An error of `f`
/// ends it.
pub fn each<'a, C: Default>(
    patterns: impl Iterator<Item = &'a Pattern>,
    table: &'a ProbeTable<C>,
    serial: u64,
    mut work: Work<impl FnMut() -> Result>,
    mut f: impl FnMut(&Arc<Probe<C>>, &[usize]) -> Result,
) -> Result {
    let mut readings: KVVec<Reading<'a, C>> = KVVec::new();
    for p in patterns {
        mem::push(&mut readings, Reading::new(p.matcher()))?;
    }
    // The readings with a next probe, as a heap; and those of one probe.
    let mut heap: KVVec<usize> = mem::vec(readings.len())?;
    let mut there: KVVec<usize> = mem::vec(readings.len())?;
    for segment in table.since(serial) {
        for (i, r) in readings.iter_mut().enumerate() {
            r.open(segment, &mut work)?;
            if r.next.is_some() {
                mem::push(&mut heap, i)?;
            }
        }
        for at in (0..heap.len()).rev() {
            sink(&mut heap, at, |i| (next(&readings, i), i));
        }
        while let Some(probe) = heap.first().and_then(|&i| readings.get(i)?.next) {
            there.truncate(0);
            while let Some(&i) = heap.first() {
                let Some(r) = readings.get_mut(i) else { break };
                if r.next.is_none_or(|p| p.id() != probe.id()) {
                    break;
                }
                mem::push(&mut there, i)?;
                r.advance(&mut work)?;
                if r.next.is_none() {
                    let last = heap.len().saturating_sub(1);
                    heap.swap(0, last);
                    heap.truncate(last);
                }
                sink(&mut heap, 0, |i| (next(&readings, i), i));
            }
            f(probe, &there)?;
        }
    }
    Ok(())
}

/// Returns the id of the next probe of a reading.
fn next<C>(readings: &[Reading<'_, C>], i: usize) -> Option<u32> {
    Some(readings.get(i)?.next?.id().0)
}
