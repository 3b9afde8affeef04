// SPDX-License-Identifier: GPL-2.0
//! A description of a process's probes, and the objects that have them.

use d::ProbePattern;
use libproc::expand::Batches;
use libproc::maps::Identity;
use libproc::process::Object;
use libproc::Memory;
use std::collections::HashMap;

/// A description that names a process.
#[derive(Debug)]
pub(super) struct Wanted {
    pub(super) pid: u32,
    pub(super) pattern: ProbePattern,
    /// A library that is mapped later may have more matches.
    pub(super) is_open: bool,
    /// The objects whose probes have been asked for.
    pub(super) known: Known,
}

impl Wanted {
    /// From here on, a breakpoint that disappears counts as missed.
    pub(super) fn note(&mut self, memory: Option<&Memory>) {
        let Some(memory) = memory else { return };
        self.known.values_mut().for_each(|sign| sign.note(memory));
    }
}

pub(super) fn memory(pid: u32) -> Option<Memory> {
    Memory::open(pid).ok()
}

/// The objects whose probes have been asked for, each with the sign that shows when it is mapped
/// anew.
pub(super) type Known = HashMap<(u64, Identity), Sign>;

/// The breakpoint of one of an object's probes, and the counter that tells the program that it is
/// traced. If they disappear, so have all others: the object was loaded again at its old place,
/// which the list of mappings does not show.
#[derive(Debug, Default)]
pub(super) struct Sign {
    place: Option<u64>,
    counter: Option<u64>,
    was_there: bool,
    /// The number of the object's places that were asked for.
    pub(super) asked: usize,
}

impl Sign {
    pub(super) fn take(out: &mut Batches) -> Self {
        Self { place: out.last.take(), counter: out.counter.take(), ..Self::default() }
    }

    /// Tells whether the sign is in memory; `None`: it cannot be read.
    fn is_there(&self, memory: &Memory) -> Option<bool> {
        let (mut code, mut count) = ([0], [1, 0]);
        memory.read(&mut code, self.place?).ok()?;
        if let Some(at) = self.counter {
            memory.read(&mut count, at).ok()?;
        }
        Some(code == [INT3] && count != [0, 0])
    }

    fn note(&mut self, memory: &Memory) {
        self.was_there |= self.is_there(memory) == Some(true);
    }

    pub(super) fn is_lost(&mut self, memory: &Memory) -> bool {
        self.is_there(memory) == Some(false) && std::mem::take(&mut self.was_there)
    }

    /// Tells whether the probe was made but never seen in memory: the object may have been mapped
    /// anew after we read it.
    pub(super) fn is_open(&self) -> bool {
        self.place.is_some() && !self.was_there
    }
}

/// The instruction of a breakpoint.
const INT3: u8 = 0xcc;

/// Returns the key of an object in [`Known`].
pub(super) fn key(object: &Object) -> (u64, Identity) {
    let (start, identity) = object.key();
    (start, identity.clone())
}
