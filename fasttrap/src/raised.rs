// SPDX-License-Identifier: GPL-2.0
//! How often we have raised each semaphore of a process.
//!
//! Each child lowers its copies of the semaphores, and must know how much of their values is ours.
//! A process can have tens of thousands of semaphores, so the parts of its probes are not counted
//! for each of them, but when they are raised and lowered.

use crate::index::Index;
use mem::{KVVec, Result};

/// So many semaphores that are not raised stay.
const LEAST: usize = 1 << 10;

pub(crate) struct Raised {
    /// The address of each semaphore, and how often it is raised.
    all: KVVec<(u64, u32)>,
    index: Index,
    /// The number of those that are not raised any more.
    idle: usize,
}

impl Raised {
    pub(crate) fn new() -> Self {
        Self { all: KVVec::new(), index: Index::new(), idle: 0 }
    }

    fn find(&self, at: u64) -> Option<usize> {
        let is = |n: u32| self.all.get(n as usize).is_some_and(|(addr, _)| *addr == at);
        self.index.find(at, is).map(|n| n as usize)
    }

    /// Makes room for the semaphore at an address, so that it can be [added](Self::add).
    pub(crate) fn reserve(&mut self, at: u64) -> Result {
        if self.find(at).is_some() {
            return Ok(());
        }
        // A program may load its libraries at ever new addresses.
        if self.idle > LEAST.max(self.all.len() / 2) {
            self.forget_idle()?;
        }
        mem::reserve(&mut self.all, 1)?;
        let all = &self.all;
        self.index.reserve(1, |n| Some(all.get(n as usize)?.0))
    }

    fn forget_idle(&mut self) -> Result {
        let left = || self.all.iter().filter(|(_, times)| *times != 0);
        let index = Index::of(left().count(), |index| {
            (0..).zip(left()).for_each(|(n, (addr, _))| index.insert(*addr, n));
        })?;
        self.all.retain(|(_, times)| *times != 0);
        (self.index, self.idle) = (index, 0);
        Ok(())
    }

    /// Counts a semaphore that was raised; [`reserve`](Self::reserve) has made room for it.
    pub(crate) fn add(&mut self, at: u64) {
        if let Some((_, times)) = self.find(at).and_then(|n| self.all.get_mut(n)) {
            self.idle = self.idle.saturating_sub((*times == 0).into());
            *times = times.saturating_add(1);
            return;
        }
        // A number in the index is that of a place.
        if let Ok(number) = u32::try_from(self.all.len()) {
            if self.all.push_within_capacity((at, 1)).is_ok() {
                self.index.insert(at, number);
            }
        }
    }

    /// Counts a semaphore that was lowered.
    pub(crate) fn remove(&mut self, at: u64) {
        if let Some((_, times @ 1..)) = self.find(at).and_then(|n| self.all.get_mut(n)) {
            *times = times.wrapping_sub(1);
            self.idle = self.idle.wrapping_add((*times == 0).into());
        }
    }

    /// Returns how often the semaphore at an address is raised.
    pub(crate) fn times(&self, at: u64) -> u32 {
        self.find(at).and_then(|n| self.all.get(n)).map_or(0, |(_, times)| *times)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn add(raised: &mut Raised, at: u64) {
        raised.reserve(at).unwrap();
        raised.add(at);
    }

    #[test]
    fn each_semaphore_is_counted_by_itself() {
        let mut raised = Raised::new();
        let addr = |n: u64| 0x5555_5555_4000 + 2 * n;
        // As many as a process can have.
        let all = 1 << 16;
        for n in 0..all {
            (0..=n % 3).for_each(|_| add(&mut raised, addr(n)));
        }
        assert_eq!(raised.all.len() as u64, all);
        let times = |raised: &Raised, n| u64::from(raised.times(addr(n)));
        assert!((0..all).all(|n| times(&raised, n) == n % 3 + 1));
        assert_eq!(raised.times(1), 0);
        (0..all).for_each(|n| raised.remove(addr(n)));
        assert!((0..all).all(|n| times(&raised, n) == n % 3));
        // One that is not raised stays so.
        raised.remove(addr(0));
        raised.remove(1);
        assert_eq!((raised.times(addr(0)), raised.times(1)), (0, 0));
    }

    #[test]
    fn a_semaphore_is_found_in_few_steps() {
        let mut raised = Raised::new();
        (0..1 << 16).for_each(|n| add(&mut raised, 0x7fff_0000_0000 + 2 * n));
        assert!(raised.index.longest() < 128, "{}", raised.index.longest());
    }

    #[test]
    fn what_is_lowered_is_forgotten() {
        let mut raised = Raised::new();
        add(&mut raised, 2);
        for at in 1..100_000 {
            add(&mut raised, 4 * at);
            raised.remove(4 * at);
            assert!(raised.all.len() <= LEAST + 3 && raised.times(2) == 1);
        }
        assert!(raised.all.iter().filter(|(_, times)| *times == 0).count() == raised.idle);
        // Those that are raised stay, however many they are.
        let (far, rest) = (1 << 40, 10 * LEAST as u64);
        (0..rest).for_each(|n| add(&mut raised, far + n));
        assert!((0..rest).all(|n| raised.times(far + n) == 1) && raised.times(2) == 1);
    }

    #[test]
    fn without_memory_nothing_changes() {
        let (mut raised, far) = (Raised::new(), 1 << 20);
        add(&mut raised, 2);
        for n in 0..3 {
            mem::fail_after(Some(n));
            let refused = (1..200).find(|at| {
                let room = raised.reserve(far + 2 * at);
                room.map(|()| raised.add(far + 2 * at)).is_err()
            });
            mem::fail_after(None);
            let refused = far + 2 * refused.unwrap();
            assert_eq!((raised.times(2), raised.times(refused)), (1, 0));
            // It is raised already, so it needs none.
            mem::fail_after(Some(0));
            add(&mut raised, 2);
            mem::fail_after(None);
            raised.remove(2);
            add(&mut raised, refused);
            assert_eq!(raised.times(refused), 1);
        }
    }
}
