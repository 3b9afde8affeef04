// SPDX-License-Identifier: GPL-2.0
//! Probes and the table of all of them.
//!
//! An id is the probe's place in the table plus one and is never used again. A probe that is
//! retired leaves its place empty; whoever still holds it can ask its name, but it fires no more.

use crate::ecb::Chain;
use crate::Result;
use abi::ids::ProbeId;
use abi::probe::{ProbeDesc, PART_LENS};
use kapi::mem;
use kapi::publish::Published;
use kernel::prelude::*;
use kernel::sync::Arc;

/// The probes of the provider `dtrace` fire for one consumer alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Special {
    /// Before anything else.
    Begin,
    /// After everything else.
    End,
    /// When a clause faults.
    Error,
}

impl Special {
    /// All, in the order of their probes.
    pub const ALL: [Special; 3] = [Special::Begin, Special::End, Special::Error];
    /// The probe's name.
    pub const fn name(self) -> &'static [u8] {
        match self {
            Special::Begin => b"BEGIN",
            Special::End => b"END",
            Special::Error => b"ERROR",
        }
    }
}

/// A place that can be traced.
pub struct Probe {
    id: ProbeId,
    /// The four parts, one after the other.
    text: KVec<u8>,
    ends: [u16; 4],
    nargs: u32,
    /// The provider's own number for the probe.
    cookie: usize,
    /// Which provider, by its place in the framework's table.
    pub(crate) provider: usize,
    pub(crate) special: Option<Special>,
    /// ECBs to run when it fires, in the order of enabling.
    pub(crate) chain: Published<Chain>,
}

impl Probe {
    /// A probe with this id, enabled by nobody. A part that is too long is an error.
    pub(crate) fn new(
        id: ProbeId,
        parts: [&[u8]; 4],
        nargs: u32,
        cookie: usize,
        provider: usize,
        special: Option<Special>,
    ) -> Result<Arc<Self>> {
        let mut text = KVec::new();
        let mut ends = [0; 4];
        for ((part, end), most) in parts.into_iter().zip(&mut ends).zip(PART_LENS) {
            if part.len() >= most || part.contains(&0) {
                return Err(crate::Error::ProbeName);
            }
            mem::extend(&mut text, part)?;
            // CAST: four parts of less than 256 bytes.
            *end = text.len() as u16;
        }
        let probe =
            Self { id, text, ends, nargs, cookie, provider, special, chain: Published::empty() };
        Ok(mem::arc(probe)?)
    }

    /// The id.
    pub fn id(&self) -> ProbeId {
        self.id
    }

    /// The provider's own number.
    pub fn cookie(&self) -> usize {
        self.cookie
    }

    /// Part `n` of the name: provider, module, function, name.
    #[inline]
    pub fn part(&self, n: usize) -> &[u8] {
        let from = match n {
            0 => 0,
            _ => self.ends.get(n.wrapping_sub(1)).copied().unwrap_or(0),
        };
        let to = self.ends.get(n).copied().unwrap_or(from);
        self.text.get(usize::from(from)..usize::from(to)).unwrap_or_default()
    }

    /// All four parts.
    pub fn parts(&self) -> [&[u8]; 4] {
        [self.part(0), self.part(1), self.part(2), self.part(3)]
    }

    /// As it crosses the ioctl boundary.
    pub fn describe(&self) -> ProbeDesc {
        let [p, m, f, n] = self.parts();
        let mut d = ProbeDesc::new(p, m, f, n).unwrap_or(ProbeDesc::EMPTY);
        d.id = self.id;
        d.nargs = self.nargs;
        d
    }
}

/// All probes, by id.
pub(crate) struct ProbeTable {
    places: KVVec<Option<Arc<Probe>>>,
}

impl ProbeTable {
    pub(crate) const fn new() -> Self {
        Self { places: KVVec::new() }
    }

    /// The id that the next probe gets.
    pub(crate) fn next_id(&self) -> ProbeId {
        ProbeId::from_index(self.places.len())
    }

    /// Adds a probe made with [`Self::next_id`].
    pub(crate) fn add(&mut self, probe: Arc<Probe>) -> Result {
        mem::push(&mut self.places, Some(probe))?;
        Ok(())
    }

    /// Leaves the probe's place empty.
    pub(crate) fn remove(&mut self, id: ProbeId) {
        if let Some(place) = id.index().and_then(|i| self.places.get_mut(i)) {
            *place = None;
        }
    }

    /// All probes from position `from` of the table on, each with its position.
    pub(crate) fn iter(&self, from: usize) -> impl Iterator<Item = (usize, &Arc<Probe>)> {
        self.places.iter().enumerate().skip(from).filter_map(|(i, p)| Some((i, p.as_ref()?)))
    }
}
