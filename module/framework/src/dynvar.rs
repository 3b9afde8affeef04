// SPDX-License-Identifier: GPL-2.0
//! Thread-local variables: a hash of (thread, variable) over a fixed space.
//!
//! ```text
//! set 0: | key 0 .. key 7 | value words of slot 0 | .. | of slot 7 |   set 1: ...
//! ```
//! A thread's number, which is a hash itself, is mixed with the variable's id into one word. It picks
//! a set and lives in any of its slots. Only the thread itself, on the CPU where it runs, in probe
//! context, ever touches its own keys: so a key is never looked for while it is inserted, and a slot
//! is claimed by one compare-and-swap of the key. There are no chains to repair, and freeing is one
//! store. A full set is a dynamic variable drop, counted.

use crate::words::Words;
use core::sync::atomic::AtomicU64;
use core::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use kernel::prelude::*;

const WAYS: usize = 8;
/// In place of a key: nobody's, and somebody's who is about to write.
const FREE: u64 = 0;
const CLAIMED: u64 = 1;
/// Keys are from here on.
const FIRST_KEY: u64 = 2;

/// The dynamic variable space of a consumer.
pub(crate) struct DynVars {
    words: Words,
    value_words: usize,
    set_words: usize,
    /// A power of two, or 0.
    sets: usize,
}

/// The first of the ways that is so. Written out: a loop counts, and checks its counting.
#[inline(always)]
fn way_of(keys: &[AtomicU64; WAYS], is: impl Fn(&AtomicU64) -> bool) -> Option<usize> {
    let [a, b, c, d, e, f, g, h] = keys;
    Some(match () {
        () if is(a) => 0,
        () if is(b) => 1,
        () if is(c) => 2,
        () if is(d) => 3,
        () if is(e) => 4,
        () if is(f) => 5,
        () if is(g) => 6,
        () if is(h) => 7,
        () => return None,
    })
}

/// Words of a set.
const fn set_words(value_words: usize) -> usize {
    value_words.saturating_add(1).saturating_mul(WAYS)
}

impl DynVars {
    /// Space of `bytes` for variables of at most `value_words`.
    pub(crate) fn new(bytes: usize, value_words: usize) -> Result<Self> {
        if value_words == 0 {
            return Ok(Self { words: Words::new(0)?, value_words, set_words: WAYS, sets: 0 });
        }
        let sets = bytes.checked_div(set_words(value_words).saturating_mul(8)).unwrap_or(0);
        let sets = match sets {
            0 => 1,
            n => 1 << n.ilog2(),
        };
        let words = Words::new(set_words(value_words).saturating_mul(sets))?;
        Ok(Self { words, value_words, set_words: set_words(value_words), sets })
    }

    /// The key, its set's keys, and the set's first word.
    #[inline(always)]
    fn set_of(&self, thread: u64, id: u16) -> Option<(u64, &[AtomicU64; WAYS], usize)> {
        let key = thread ^ u64::from(id).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let key = key.max(FIRST_KEY);
        // CAST: all bits of a key are as good as any.
        let set = (key >> 8) as usize & self.sets.wrapping_sub(1);
        let base = set.wrapping_mul(self.set_words);
        Some((key, self.words.some(base)?, base))
    }

    /// First value word of a slot.
    #[inline(always)]
    fn value(&self, base: usize, way: usize) -> usize {
        base.wrapping_add(WAYS).wrapping_add(way.wrapping_mul(self.value_words))
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
        let (key, keys, base) = self.set_of(thread, id)?;
        let way = way_of(keys, |k| k.load(Acquire) == key)?;
        Some(self.value(base, way))
    }

    /// First value word of the variable, which is made if it is new; a new one reads 0. `None`: no
    /// room.
    #[inline(never)]
    pub(crate) fn find_or_make(&self, thread: u64, id: u16) -> Option<usize> {
        let (key, keys, base) = self.set_of(thread, id)?;
        if let Some(way) = way_of(keys, |k| k.load(Acquire) == key) {
            return Some(self.value(base, way));
        }
        let claim = |k: &AtomicU64| {
            k.load(Relaxed) == FREE && k.compare_exchange(FREE, CLAIMED, AcqRel, Relaxed).is_ok()
        };
        let way = way_of(keys, claim)?;
        let at = self.value(base, way);
        for n in 0..self.value_words {
            self.store(at.wrapping_add(n), 0);
        }
        if let Some(k) = keys.get(way) {
            k.store(key, Release);
        }
        Some(at)
    }

    /// Frees the variable.
    #[inline(always)]
    pub(crate) fn free(&self, thread: u64, id: u16) {
        let Some((key, keys, _)) = self.set_of(thread, id) else { return };
        if let Some(k) = keys.iter().find(|k| k.load(Relaxed) == key) {
            k.store(FREE, Release);
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
    /// Writes into a value by byte. A range that touches the keys of a set, or two values, is
    /// refused: a D program can compute such an address, but not store there.
    pub(crate) fn write_value(&self, at: usize, bytes: &[u8]) -> bool {
        let in_set = at.checked_rem(self.set_words.saturating_mul(8)).unwrap_or(0);
        let value_bytes = self.value_words.saturating_mul(8);
        let Some(in_values) = in_set.checked_sub(WAYS * 8) else { return false };
        let in_value = in_values.checked_rem(value_bytes).unwrap_or(0);
        if in_value.checked_add(bytes.len()).is_none_or(|end| end > value_bytes) {
            return false;
        }
        self.words.write(at, bytes)
    }
}
