// SPDX-License-Identifier: GPL-2.0
//! Thread-local variables: a hash of (thread, variable) over a fixed space.
//!
//! ```text
//! | set 0: 8 slots | set 1 | ...        slot: | thread | variable | value words ... |
//! ```
//! A key hashes to one set and lives in any of its slots. Only the thread itself, on the CPU where it
//! runs, in probe context, ever touches its own keys: so a key is never looked for while it is
//! inserted, and a slot is claimed by one compare-and-swap of its first word. There are no chains to
//! repair, and freeing is one store. A full set is a dynamic variable drop, counted.

use crate::words::Words;
use core::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use kernel::prelude::*;

const WAYS: usize = 8;
const HEAD: usize = 2;
/// In place of a thread: nobody's, and somebody's who is about to write which.
const FREE: u64 = 0;
const CLAIMED: u64 = 1;
/// Threads have numbers from here on.
pub(crate) const FIRST_THREAD: u64 = 2;

/// The dynamic variable space of a consumer.
pub(crate) struct DynVars {
    words: Words,
    slot_words: usize,
    /// A power of two, or 0.
    sets: usize,
}

impl DynVars {
    /// Space of `bytes` for variables of at most `value_words`.
    pub(crate) fn new(bytes: usize, value_words: usize) -> Result<Self> {
        if value_words == 0 {
            return Ok(Self { words: Words::new(0)?, slot_words: HEAD, sets: 0 });
        }
        let slot_words = HEAD.saturating_add(value_words);
        let slots = bytes.checked_div(slot_words.saturating_mul(8)).unwrap_or(0);
        let sets = match slots / WAYS {
            0 => 1,
            n => 1 << n.ilog2(),
        };
        let words = Words::new(slot_words.saturating_mul(WAYS).saturating_mul(sets))?;
        Ok(Self { words, slot_words, sets })
    }

    /// The slots where a key may live, by their first word.
    #[inline(always)]
    fn ways(&self, thread: u64, id: u16) -> impl Iterator<Item = usize> {
        let hash = (thread ^ u64::from(id)).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 24;
        let set = hash as usize & self.sets.wrapping_sub(1);
        let slot_words = self.slot_words;
        let n = if self.sets == 0 { 0 } else { WAYS };
        let base = set.wrapping_mul(WAYS).wrapping_mul(slot_words);
        (0..n).map(move |way| base.wrapping_add(way.wrapping_mul(slot_words)))
    }

    #[inline(always)]
    fn load(&self, at: usize) -> u64 {
        self.words.word(at).map_or(0, |w| w.load(Relaxed))
    }

    #[inline(always)]
    fn store(&self, at: usize, value: u64) {
        if let Some(w) = self.words.word(at) {
            w.store(value, Relaxed);
        }
    }

    /// First value word of the variable, if the thread has set it.
    #[inline(always)]
    pub(crate) fn find(&self, thread: u64, id: u16) -> Option<usize> {
        for slot in self.ways(thread, id) {
            // One bound for both, and for the value.
            let [t, v, ..] = self.words.some::<3>(slot)?;
            if t.load(Acquire) == thread && v.load(Relaxed) == u64::from(id) {
                return Some(slot.wrapping_add(HEAD));
            }
        }
        None
    }

    /// First value word of the variable, which is made if it is new; a new one reads 0. `None`: no
    /// room.
    #[inline(never)]
    pub(crate) fn find_or_make(&self, thread: u64, id: u16) -> Option<usize> {
        if let Some(at) = self.find(thread, id) {
            return Some(at);
        }
        for slot in self.ways(thread, id) {
            let [t, v, ..] = self.words.some::<3>(slot)?;
            if t.load(Relaxed) != FREE
                || t.compare_exchange(FREE, CLAIMED, AcqRel, Relaxed).is_err()
            {
                continue;
            }
            v.store(id.into(), Relaxed);
            for n in HEAD..self.slot_words {
                self.store(slot.wrapping_add(n), 0);
            }
            t.store(thread, Release);
            return Some(slot.wrapping_add(HEAD));
        }
        None
    }

    /// Frees the variable.
    #[inline(always)]
    pub(crate) fn free(&self, thread: u64, id: u16) {
        if let Some(at) = self.find(thread, id) {
            if let Some(t) = self.words.word(at.wrapping_sub(HEAD)) {
                t.store(FREE, Release);
            }
        }
    }

    /// The value of a variable by value, 0 if the thread has not set it.
    #[inline(always)]
    pub(crate) fn get(&self, thread: u64, id: u16) -> u64 {
        self.find(thread, id).map_or(0, |at| self.load(at))
    }

    /// Sets a variable by value; 0 frees it. False: no room.
    #[inline(always)]
    pub(crate) fn set(&self, thread: u64, id: u16, value: u64) -> bool {
        if value == 0 {
            self.free(thread, id);
            return true;
        }
        let at = self.find_or_make(thread, id);
        if let Some(at) = at {
            self.store(at, value);
        }
        at.is_some()
    }

    /// The memory, for loads and stores by byte.
    pub(crate) fn words(&self) -> &Words {
        &self.words
    }
}

impl DynVars {
    /// Writes into values by byte. A range that touches the head of a slot is refused: a D program
    /// can compute such an address, but not store there.
    pub(crate) fn write_value(&self, at: usize, bytes: &[u8]) -> bool {
        let slot_bytes = self.slot_words.saturating_mul(8);
        let head = HEAD.saturating_mul(8);
        let inside = at.checked_rem(slot_bytes).unwrap_or(0);
        let end = inside.checked_add(bytes.len());
        if inside < head || end.map_or(true, |end| end > slot_bytes) {
            return false;
        }
        self.words.write(at, bytes)
    }
}
