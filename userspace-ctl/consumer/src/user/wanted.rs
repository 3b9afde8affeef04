// SPDX-License-Identifier: GPL-2.0
//! A description of a process's probes, and the objects that have them.

use d::ProbePattern;
use libproc::budget::Share;
use libproc::expand::Batches;
use libproc::maps::Identity;
use libproc::process::Object;
use libproc::Memory;
use std::collections::{HashMap, HashSet};

/// A description that names a process.
#[derive(Debug)]
pub(super) struct Wanted {
    pub(super) pid: u32,
    pub(super) pattern: ProbePattern,
    /// A library that is mapped later may have more matches.
    pub(super) is_open: bool,
    /// The module has reported mappings since the process was read.
    pub(super) is_told: bool,
    /// The objects whose probes have been asked for.
    pub(super) known: Known,
}

impl Wanted {
    pub(super) fn new(pid: u32, pattern: ProbePattern, is_open: bool, known: Known) -> Self {
        Self { pid, pattern, is_open, is_told: false, known }
    }

    /// Forgets the objects that are not mapped `now`, those whose signs are lost and, if mappings
    /// were reported, those that may have been mapped anew after they were read.
    pub(super) fn check(&mut self, now: &HashSet<(u64, Identity)>, memory: Option<&Memory>) {
        let is_told = std::mem::take(&mut self.is_told);
        let is_lost = |sign: &mut Sign| memory.is_some_and(|m| sign.is_lost(m));
        let signs = &mut self.known.signs;
        signs.retain(|k, sign| now.contains(k) && !is_lost(sign) && !(is_told && sign.is_open()));
    }

    /// From here on, a breakpoint that disappears counts as missed.
    pub(super) fn note(&mut self, memory: Option<&Memory>) {
        let Some(memory) = memory else { return };
        self.known.signs.values_mut().for_each(|sign| sign.note(memory));
    }
}

pub(super) fn memory(pid: u32) -> Option<Memory> {
    Memory::open(pid).ok()
}

/// The memory of an object in [`Known`], with the room that a map keeps.
const OBJECT: usize = 2 * size_of::<((u64, Identity), Sign)>() + 32;

/// The objects whose probes have been asked for.
#[derive(Debug, Default)]
pub(super) struct Known {
    /// By address and file, each with the sign that shows when it is mapped anew.
    pub(super) signs: HashMap<(u64, Identity), Sign>,
    share: Share,
}

impl Known {
    /// Takes memory for this many objects; returns false if the user who is billed gets no more.
    pub(super) fn reserve(&mut self, objects: usize) -> bool {
        let more = objects.saturating_sub(self.signs.len());
        // Some of the objects that were paid for may have gone.
        self.share = Share::default();
        let mut grow = |objects: usize| self.share.grow(objects.saturating_mul(OBJECT));
        grow(self.signs.len()) && grow(more)
    }
}

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

    fn is_lost(&mut self, memory: &Memory) -> bool {
        self.is_there(memory) == Some(false) && std::mem::take(&mut self.was_there)
    }

    /// Tells whether the probe was made but never seen in memory: the object may have been mapped
    /// anew after we read it.
    fn is_open(&self) -> bool {
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

#[cfg(test)]
mod tests {
    use super::*;
    use libproc::account::Account;
    use libproc::budget::on_behalf;

    /// A user may run a hundred programs with 65,000 mappings each.
    #[test]
    fn a_user_pays_for_the_objects_that_are_known() {
        let reserve = || {
            let mut known = Known::default();
            known.reserve(65_000).then_some(known)
        };
        let many: Vec<_> = (0..1000).map_while(|_| on_behalf(Account::user(1), reserve)).collect();
        assert!((1..500).contains(&many.len()), "{}", many.len());
        let mut other = on_behalf(Account::user(2), reserve).unwrap();
        // One process may have a part only; it keeps what it had.
        assert!(!other.reserve(10 << 20) && other.reserve(1));
    }
}
