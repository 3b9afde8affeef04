// SPDX-License-Identifier: GPL-2.0
//! A hash index of numbers: open addressing, at most half full, so that a search ends soon. The
//! caller of a search decides whether a number is the right one.

use kapi::mem;
use kernel::prelude::*;

/// Entries are never removed.
pub(crate) struct Index {
    /// Each slot is a number plus one, or 0 if it is free. The length is a power of two, or 0.
    slots: KVVec<u32>,
    /// The shift that turns a hash into the first slot.
    shift: u32,
    used: usize,
}

impl Index {
    pub(crate) fn new() -> Self {
        Self { slots: KVVec::new(), shift: 0, used: 0 }
    }

    /// Returns the first slot for a hash.
    #[inline]
    fn first(&self, hash: u64) -> usize {
        // Fibonacci hashing: the upper bits of the product depend on all bits.
        (hash.wrapping_mul(buffers::GOLDEN) >> (self.shift & 63)) as usize
    }

    #[inline]
    fn after(&self, at: usize) -> usize {
        at.wrapping_add(1) & self.slots.len().wrapping_sub(1)
    }

    /// Returns the number with this hash for which `is` holds.
    #[inline]
    pub(crate) fn find(&self, hash: u64, is: impl Fn(u32) -> bool) -> Option<u32> {
        let mut at = self.first(hash);
        // The search ends at a free slot; at least half of the slots are free.
        loop {
            let number = self.slots.get(at)?.checked_sub(1)?;
            if is(number) {
                return Some(number);
            }
            at = self.after(at);
        }
    }

    /// Makes room for `more` numbers. `hash` returns the hash of a number that is already in the
    /// index.
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

    /// Adds a number; `reserve` has made room for it.
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
