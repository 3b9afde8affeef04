// SPDX-License-Identifier: GPL-2.0
//! Numbers by their hashes: open addressing, at most half full, so that a search ends soon. Whoever
//! searches knows whether a number is the one that is meant.

use kapi::mem;
use kernel::prelude::*;

/// Nothing is ever taken out.
pub(crate) struct Index {
    /// A number and one; 0: free. A power of two, or none.
    slots: KVVec<u32>,
    /// What is left of a hash that says where to begin.
    shift: u32,
    used: usize,
}

impl Index {
    pub(crate) fn new() -> Self {
        Self { slots: KVVec::new(), shift: 0, used: 0 }
    }

    /// Where to look for a hash first.
    #[inline]
    fn first(&self, hash: u64) -> usize {
        // Fibonacci hashing: the product's upper bits depend on all of the hash.
        (hash.wrapping_mul(buffers::GOLDEN) >> (self.shift & 63)) as usize
    }

    #[inline]
    fn after(&self, at: usize) -> usize {
        at.wrapping_add(1) & self.slots.len().wrapping_sub(1)
    }

    /// The number of this hash that is the one.
    #[inline]
    pub(crate) fn find(&self, hash: u64, is: impl Fn(u32) -> bool) -> Option<u32> {
        let mut at = self.first(hash);
        // Ends at a free slot: at least half of them are.
        loop {
            let number = self.slots.get(at)?.checked_sub(1)?;
            if is(number) {
                return Some(number);
            }
            at = self.after(at);
        }
    }

    /// Makes room for so many more; `hash` is that of each number in it.
    pub(crate) fn reserve(&mut self, more: usize, hash: impl Fn(u32) -> u64) -> Result {
        let want = self.used.checked_add(more).and_then(|n| n.checked_mul(2)).ok_or(ENOMEM)?;
        if want <= self.slots.len() {
            return Ok(());
        }
        let len = want.max(64).checked_next_power_of_two().ok_or(ENOMEM)?;
        let old = core::mem::replace(&mut self.slots, mem::zeroed(len)?);
        self.shift = (len as u64).leading_zeros().wrapping_add(1);
        self.used = 0;
        for number in old.iter().filter_map(|n| n.checked_sub(1)) {
            self.insert(hash(number), number);
        }
        Ok(())
    }

    /// There is room.
    pub(crate) fn insert(&mut self, hash: u64, number: u32) {
        let mut at = self.first(hash);
        for _ in 0..self.slots.len() {
            let next = self.after(at);
            if let Some(slot @ 0) = self.slots.get_mut(at) {
                *slot = number.wrapping_add(1);
                self.used = self.used.wrapping_add(1);
                return;
            }
            at = next;
        }
    }
}
