// SPDX-License-Identifier: GPL-2.0
//! Probes and the table of all of them.
//!
//! There may be a hundred thousand, so a probe is small. The probes of a group share provider,
//! module and one block of text with all their names.
//!
//! ```text
//!   segment ──► [ probe, probe, probe, .. ]      8 bytes each, ids ascend by one
//!                  │      each 64 bytes with its reference count
//!                  ▼
//!                names ──► "fbt" "vmlinux" "vfs_read" "entry" "return" "vfs_write" ..
//! ```
//! Most descriptions name one function, so a large segment has an index by function, which takes
//! some three bytes a probe.
//!
//! Ids ascend. A retired probe leaves the table; its holders can still read its name, but it no
//! longer fires. After the last id has been used, new probes fill the gaps that retired ones have
//! left, where no consumer knows a probe by one of the ids (see `tracing.rs`). So a segment's age
//! follows from its serial number, not from its place.

use crate::{Error, Result};
use abi::ids::ProbeId;
use abi::probe::{ProbeView, Techniques, FUNCTION_LEN, MODULE_LEN, NAME_LEN, PROVIDER_LEN};
use core::ops::Range;
use mem::{code::ENOMEM, Arc, KVVec};

/// The probes of the provider `dtrace` fire for one consumer alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Special {
    /// Fires before all other probes.
    Begin,
    /// Fires after all other probes.
    End,
    /// Fires when a clause faults.
    Error,
}

impl Special {
    /// All of them, in the order of their probes.
    pub const ALL: [Special; 3] = [Special::Begin, Special::End, Special::Error];
    /// Returns the probe's name.
    pub const fn name(self) -> &'static [u8] {
        match self {
            Special::Begin => b"BEGIN",
            Special::End => b"END",
            Special::Error => b"ERROR",
        }
    }
    /// Returns its id: these probes are the first ones of the table.
    pub const fn id(self) -> ProbeId {
        ProbeId::from_index(self as usize)
    }
}

/// One of many probes that are offered together.
#[derive(Clone, Copy)]
pub struct Offer<'a> {
    /// Third part of the name.
    pub function: &'a [u8],
    /// Fourth part of the name.
    pub name: &'a [u8],
    /// The number of arguments, or [`abi::probe::NARGS_UNKNOWN`].
    pub nargs: u32,
    /// The provider's own number for the probe.
    pub cookie: u32,
    /// How it is implemented. This may be incomplete if the provider tells the rest when a consumer
    /// asks for it.
    pub how: Techniques,
}

/// The data that the probes of a group have in common.
pub struct Names {
    /// The provider's position in the framework's table.
    provider: usize,
    /// The serial number of the segment.
    serial: u64,
    /// Provider and module, then functions and names in the order in which they were added.
    text: KVVec<u8>,
    provider_len: u8,
    module_len: u8,
    /// The first different names of probes, and their number; one more than [`KINDS`] if there are
    /// others.
    kinds: [Word; KINDS],
    kinds_len: usize,
}

/// Most providers have `entry` and `return`.
const KINDS: usize = 4;

impl Names {
    #[inline]
    fn get(&self, at: u32, len: u8) -> &[u8] {
        let from = at as usize;
        self.text.get(from..from.wrapping_add(len.into())).unwrap_or_default()
    }

    /// Returns the names of probes that are known, and whether there are others.
    fn kinds(&self) -> (&[Word], bool) {
        match self.kinds.get(..self.kinds_len) {
            Some(all) => (all, false),
            None => (&self.kinds, true),
        }
    }

    /// Tells whether `is_such` can be true for the name of one of the probes.
    pub fn any_kind(&self, mut is_such: impl FnMut(&[u8]) -> bool) -> bool {
        let (known, others) = self.kinds();
        others || known.iter().any(|w| is_such(self.get(w.at, w.len)))
    }

    /// Returns the provider's name.
    #[inline]
    pub fn provider(&self) -> &[u8] {
        self.get(0, self.provider_len)
    }

    /// Returns the module's name.
    #[inline]
    pub fn module(&self) -> &[u8] {
        self.get(self.provider_len.into(), self.module_len)
    }
}

/// A part of a name, by its position in the group's text.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Word {
    at: u32,
    len: u8,
}

/// A place that can be traced. `C` is the data for a firing; this crate does not look inside.
pub struct Probe<C> {
    names: Arc<Names>,
    /// The chain that runs when it fires.
    pub chain: C,
    function_at: u32,
    name_at: u32,
    id: ProbeId,
    nargs: u32,
    cookie: u32,
    how: Techniques,
    function_len: u8,
    name_len: u8,
    /// The special probe of the provider `dtrace`, if it is one.
    pub special: Option<Special>,
}

/// With its reference count and a pointer as its chain, it fits a 64-byte slab.
const _: () = assert!(size_of::<Probe<usize>>() <= 56);

impl<C> Probe<C> {
    /// Returns the id.
    pub fn id(&self) -> ProbeId {
        self.id
    }

    /// Returns the provider's own number for it.
    pub fn cookie(&self) -> u32 {
        self.cookie
    }

    /// Returns the number of arguments that it passes, or [`abi::probe::NARGS_UNKNOWN`].
    pub fn nargs(&self) -> u32 {
        self.nargs
    }

    /// Returns how it is implemented, according to its offer.
    pub fn how(&self) -> Techniques {
        self.how
    }

    /// Returns its provider's position in the framework's table.
    pub fn provider(&self) -> usize {
        self.names.provider
    }

    /// Returns the serial number of its segment, which tells it from a later probe with its id.
    pub fn serial(&self) -> u64 {
        self.names.serial
    }

    /// Returns part `n` of the name: provider, module, function, name.
    ///
    /// # Context
    /// *any*.
    #[inline]
    pub fn part(&self, n: usize) -> &[u8] {
        match n {
            0 => self.names.provider(),
            1 => self.names.module(),
            2 => self.names.get(self.function_at, self.function_len),
            3 => self.names.get(self.name_at, self.name_len),
            _ => &[],
        }
    }

    /// Returns all four parts.
    pub fn parts(&self) -> [&[u8]; 4] {
        [self.part(0), self.part(1), self.part(2), self.part(3)]
    }

    /// Returns the form that crosses the ioctl boundary.
    pub fn view(&self) -> ProbeView<'_> {
        ProbeView { id: self.id, nargs: self.nargs, how: self.how, parts: self.parts() }
    }
}

/// A group that is being collected and is not offered yet.
pub struct Draft {
    names: Names,
    probes: KVVec<Drafted>,
    skipped: u32,
}

struct Drafted {
    function: Word,
    name: Word,
    nargs: u32,
    cookie: u32,
    how: Techniques,
}

fn fits(part: &[u8], room: usize) -> bool {
    part.len() < room && !part.contains(&0)
}

impl Draft {
    /// Creates a draft with this provider and module, and room for this many probes and bytes of
    /// names.
    pub fn new(
        provider: usize,
        [name, module]: [&[u8]; 2],
        probes: usize,
        bytes: usize,
    ) -> Result<Self> {
        if !fits(name, PROVIDER_LEN) || !fits(module, MODULE_LEN) {
            return Err(Error::ProbeName);
        }
        let mut text = mem::exact(bytes.saturating_add(PROVIDER_LEN + MODULE_LEN))?;
        mem::extend(&mut text, name)?;
        mem::extend(&mut text, module)?;
        // CAST: both are shorter than 64.
        let names = Names {
            provider,
            serial: 0,
            text,
            provider_len: name.len() as u8,
            module_len: module.len() as u8,
            kinds: Default::default(),
            kinds_len: 0,
        };
        let probes = mem::exact(probes)?;
        Ok(Self { names, probes, skipped: 0 })
    }

    /// Returns how many probes were skipped because a part of their name is too long, or has a NUL.
    pub fn skipped(&self) -> u32 {
        self.skipped
    }

    /// Tells whether it has no probes.
    pub fn is_empty(&self) -> bool {
        self.probes.is_empty()
    }

    /// Adds a probe. A probe whose name is too long is skipped and counted.
    ///
    /// # Context
    /// *process*.
    pub fn add(&mut self, offer: &Offer<'_>) -> Result {
        let last = self.probes.as_slice().last().map_or(Word::default(), |p| p.function);
        let (known, _) = self.names.kinds();
        let known = known.iter().find(|w| self.names.get(w.at, w.len) == offer.name).copied();
        let is_last = self.names.get(last.at, last.len) == offer.function;
        // A known name fits.
        if !(is_last || fits(offer.function, FUNCTION_LEN))
            || !(known.is_some() || fits(offer.name, NAME_LEN))
        {
            self.skipped = self.skipped.saturating_add(1);
            return Ok(());
        }
        let function = match is_last {
            true => last,
            false => self.write(offer.function)?,
        };
        let name = match known {
            Some(known) => known,
            None => {
                let new = self.write(offer.name)?;
                let names = &mut self.names;
                if let Some(free) = names.kinds.get_mut(names.kinds_len) {
                    *free = new;
                }
                names.kinds_len = names.kinds_len.wrapping_add(1).min(KINDS.wrapping_add(1));
                new
            }
        };
        let Offer { nargs, cookie, how, .. } = *offer;
        if self.probes.len() == self.probes.capacity() {
            let more = self.probes.len().max(1);
            mem::reserve(&mut self.probes, more)?;
        }
        let drafted = Drafted { function, name, nargs, cookie, how };
        Ok(self.probes.push_within_capacity(drafted).map_err(|_| ENOMEM)?)
    }

    fn write(&mut self, part: &[u8]) -> Result<Word> {
        let at = u32::try_from(self.names.text.len()).map_err(|_| Error::TooMany("names"))?;
        mem::extend(&mut self.names.text, part)?;
        // CAST: `fits` has checked it.
        Ok(Word { at, len: part.len() as u8 })
    }
}

/// Probes with consecutive ids and common names.
pub struct Segment<C> {
    first: usize,
    names: Arc<Names>,
    probes: KVVec<Option<Arc<Probe<C>>>>,
    index: Index,
}

/// The index by function: a hash table whose size is a power of two, with at least one free place.
/// From the place of the name's hash on, an entry is 1 + the start of a run of probes of one
/// function. If several functions have one name, the first comes first. It is empty if there is no
/// index.
struct Index(KVVec<u32>);

/// A segment with fewer probes has no index and is searched.
const FEW: usize = 64;

impl Index {
    fn of(draft: &Draft) -> Result<Self> {
        let mut index = KVVec::new();
        if draft.probes.len() < FEW {
            return Ok(Self(index));
        }
        let all = &draft.probes;
        let is_first = |at: &usize| {
            let function = |at: usize| all.get(at).map(|p| p.function);
            at.checked_sub(1).is_none_or(|before| function(before) != function(*at))
        };
        let runs = || (0..all.len()).filter(is_first);
        let places = runs().count().saturating_mul(9) / 8;
        let places = places.saturating_add(1).next_power_of_two();
        mem::reserve(&mut index, places)?;
        (0..places).for_each(|_| drop(index.push_within_capacity(0)));
        for at in runs() {
            let Some(Drafted { function, .. }) = all.get(at) else { continue };
            let name = draft.names.get(function.at, function.len);
            let mut place = Self::place(name);
            while index.get(place & places.wrapping_sub(1)).is_some_and(|at| *at != 0) {
                place = place.wrapping_add(1);
            }
            if let Some(free) = index.get_mut(place & places.wrapping_sub(1)) {
                // CAST: positions of a table fit.
                *free = at.wrapping_add(1) as u32;
            }
        }
        Ok(Self(index))
    }

    fn place(name: &[u8]) -> usize {
        let hash = name.chunks(8).fold(0, |hash: u64, c| {
            let word = match c.first_chunk() {
                Some(word) => u64::from_le_bytes(*word),
                None => c.iter().fold(0, |word, b| word << 8 | u64::from(*b)),
            };
            buffers::mix(hash, word)
        });
        (hash ^ (hash >> 32)) as usize
    }

    /// Returns the start of the run at this place.
    fn get(&self, place: usize) -> Option<usize> {
        let at = self.0.get(place & self.0.len().wrapping_sub(1))?;
        at.checked_sub(1).map(|at| at as usize)
    }
}

/// Probes of a segment, ascending.
pub struct Candidates<'a, C> {
    segment: &'a Segment<C>,
    /// The probes of the current run.
    run: Range<usize>,
    /// The function whose other runs follow, and the place in the index from which to search them.
    named: Option<(&'a [u8], usize)>,
    from: usize,
}

impl<'a, C> Iterator for Candidates<'a, C> {
    type Item = &'a Arc<Probe<C>>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            for at in self.run.by_ref() {
                if let Some(Some(probe)) = self.segment.probes.get(at).filter(|_| at >= self.from) {
                    return Some(probe);
                }
            }
            let (function, place) = self.named.as_mut()?;
            let start = self.segment.index.get(*place)?;
            *place = place.wrapping_add(1);
            let rest = self.segment.probes.get(start..).unwrap_or_default().iter();
            let run = rest.take_while(|p| p.as_ref().is_some_and(|p| p.part(2) == *function));
            self.run = start..start.wrapping_add(run.count());
        }
    }
}

impl<C> Segment<C> {
    fn end(&self) -> usize {
        self.first.saturating_add(self.probes.len())
    }

    /// Returns the positions of its probes.
    pub fn places(&self) -> Range<usize> {
        self.first..self.end()
    }

    /// Returns the data that its probes have in common.
    pub fn names(&self) -> &Names {
        &self.names
    }

    /// Iterates over all probes.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<Probe<C>>> {
        self.probes.iter().flatten()
    }

    /// Returns the probes from position `from` of the table on.
    pub fn all(&self, from: usize) -> Candidates<'_, C> {
        let all = self.probes.len();
        self.candidates(from.saturating_sub(self.first).min(all)..all, None, from)
    }

    /// Returns the probes of a function, or all if there is no index.
    pub fn named<'a>(&'a self, function: &'a [u8], from: usize) -> Candidates<'a, C> {
        match self.index.0.is_empty() {
            true => self.all(from),
            false => self.candidates(0..0, Some((function, Index::place(function))), from),
        }
    }

    /// Returns only this probe; `None` if it is not in the segment.
    pub fn one(&self, id: ProbeId, from: usize) -> Option<Candidates<'_, C>> {
        let at = id.index()?.checked_sub(self.first).filter(|at| *at < self.probes.len())?;
        Some(self.candidates(at..at.saturating_add(1), None, from))
    }

    fn candidates<'a>(
        &'a self,
        run: Range<usize>,
        named: Option<(&'a [u8], usize)>,
        from: usize,
    ) -> Candidates<'a, C> {
        Candidates { segment: self, run, named, from: from.saturating_sub(self.first) }
    }
}

/// All probes, by id.
pub struct ProbeTable<C> {
    /// In ascending order of their positions.
    segments: KVVec<Segment<C>>,
    /// The position from which a place for the next probe is searched: its id minus one.
    next: usize,
    /// All positions are below this number.
    most: usize,
    /// The serial number of the next segment.
    serial: u64,
}

/// The number of ids: all except 0 and the last one, so that an end is also an id.
pub const MAX_PROBES: u32 = u32::MAX - 1;

impl<C: Default> ProbeTable<C> {
    /// Creates a table with this many ids.
    pub const fn new(most: u32) -> Self {
        Self { segments: KVVec::new(), next: 0, most: most as usize, serial: 0 }
    }

    /// Returns the position after the last probe.
    pub fn end(&self) -> usize {
        self.segments.last().map_or(0, Segment::end)
    }

    /// Returns the serial number of the next segment.
    pub fn serial(&self) -> u64 {
        self.serial
    }

    /// Returns the first place for `n` consecutive probes, from `from` on. For a range, `known`
    /// returns the last position whose id a consumer still uses for a retired probe.
    fn gap(
        &self,
        from: usize,
        n: usize,
        known: &impl Fn(Range<usize>) -> Option<usize>,
    ) -> Option<usize> {
        let (mut first, mut at) = (from, self.find(from));
        loop {
            let end = first.checked_add(n).filter(|end| *end <= self.most)?;
            first = match self.segments.get(at) {
                Some(next) if next.first < end => {
                    at = at.wrapping_add(1);
                    next.end()
                }
                _ => match known(first..end) {
                    Some(last) => last.wrapping_add(1),
                    None => return Some(first),
                },
            };
        }
    }

    /// Adds the probes of a draft. Returns the position of the first one. On an error, nothing has
    /// changed.
    pub fn add(
        &mut self,
        draft: &Draft,
        special: Option<Special>,
        known: impl Fn(Range<usize>) -> Option<usize>,
    ) -> Result<usize> {
        let n = draft.probes.len();
        if n == 0 {
            return Ok(self.next);
        }
        let first = self.gap(self.next, n, &known).or_else(|| self.gap(0, n, &known));
        let first = first.ok_or(Error::TooMany("probes"))?;
        let end = first.saturating_add(n);
        mem::reserve(&mut self.segments, 1)?;
        // Allocate exactly the needed size.
        let from = &draft.names;
        let text = mem::exact_copy(&from.text)?;
        let names = mem::arc(Names { text, serial: self.serial, ..*from })?;
        let mut probes = mem::exact(draft.probes.len())?;
        for (at, d) in (first..end).zip(&draft.probes) {
            let probe = Probe {
                names: names.clone(),
                chain: C::default(),
                function_at: d.function.at,
                function_len: d.function.len,
                name_at: d.name.at,
                name_len: d.name.len,
                id: ProbeId::from_index(at),
                nargs: d.nargs,
                cookie: d.cookie,
                how: d.how,
                special,
            };
            mem::push(&mut probes, Some(mem::arc(probe)?))?;
        }
        let index = Index::of(draft)?;
        let place = self.find(first);
        mem::push(&mut self.segments, Segment { first, names, probes, index })?;
        if let Some(behind) = self.segments.get_mut(place..) {
            behind.rotate_right(1);
        }
        self.next = end;
        self.serial = self.serial.wrapping_add(1);
        Ok(first)
    }

    /// Returns the place of the segment that contains position `at`, or of the next one.
    fn find(&self, at: usize) -> usize {
        self.segments.partition_point(|s| s.end() <= at)
    }

    /// Returns the probe with this id, if it exists.
    pub fn get(&self, id: ProbeId) -> Option<&Arc<Probe<C>>> {
        let at = id.index()?;
        let segment = self.segments.get(self.find(at))?;
        segment.probes.get(at.checked_sub(segment.first)?)?.as_ref()
    }

    /// Removes a probe.
    pub fn remove(&mut self, id: ProbeId) -> Option<Arc<Probe<C>>> {
        let at = id.index()?;
        let place = self.find(at);
        let segment = self.segments.get_mut(place)?;
        let probe = segment.probes.get_mut(at.checked_sub(segment.first)?)?.take();
        // It may be the start of a run.
        segment.index = Index(KVVec::new());
        if segment.probes.iter().all(Option::is_none) {
            let _ = self.segments.remove(place);
        }
        probe
    }

    /// Removes all probes that were added together with the one at position `first`.
    pub fn remove_segment(&mut self, first: usize) -> Option<Segment<C>> {
        let place = self.find(first);
        if self.segments.get(place)?.first != first {
            return None;
        }
        self.segments.remove(place).ok()
    }

    /// Returns the segments from this serial number on.
    pub fn since(&self, serial: u64) -> impl Iterator<Item = &Segment<C>> {
        self.segments.iter().filter(move |s| s.names.serial >= serial)
    }

    /// Returns the segments from position `from` on; the first may begin before it.
    pub fn segments(&self, from: usize) -> impl Iterator<Item = &Segment<C>> {
        self.segments.get(self.find(from)..).unwrap_or_default().iter()
    }
}
