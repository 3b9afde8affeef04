// SPDX-License-Identifier: GPL-2.0
//! A hash index of numbers: open addressing, at most half full. The caller of a search decides
//! whether a number is the right one.
//!
//! Traced programs choose the keys: addresses of their code, and names. So each index has a secret,
//! and no number may be far from the first slot of its key: then the index is built again with
//! another secret. A hit that finds its place takes a bounded time.

use mem::{code::ENOMEM, KVVec, Result};

/// The steps of a search after which the index is built again. A million random keys need some 50.
const MOST_STEPS: usize = 128;
/// How many secrets are tried. Only equal keys are near each other with all of them.
const TRIES: usize = 4;

/// Entries are never removed.
pub(crate) struct Index {
    /// Each slot is a number plus one, or 0 if it is free. The length is a power of two, or 0.
    slots: KVVec<u32>,
    /// The shift that turns a hash into the first slot.
    shift: u32,
    /// A random odd number.
    secret: u64,
    used: usize,
    /// The most steps from the first slot of a key to its number.
    longest: usize,
    /// The number of steps at which the index is built again.
    limit: usize,
}

#[cfg(CONFIG_RUST)]
fn random() -> u64 {
    let [random, _] = kapi::time::seed();
    random
}

#[cfg(not(CONFIG_RUST))]
use host::random;

impl Index {
    pub(crate) fn new() -> Self {
        Self { slots: KVVec::new(), shift: 0, secret: 0, used: 0, longest: 0, limit: MOST_STEPS }
    }

    /// Makes an index with room for `n` numbers. `insert` inserts them into the index that it gets,
    /// perhaps more than once.
    pub(crate) fn of(n: usize, insert: impl Fn(&mut Self)) -> Result<Self> {
        let mut index = Self::new();
        index.slots = mem::filled(len_for(n)?, 0)?;
        index.fill(insert);
        Ok(index)
    }

    /// Fills the slots anew, with a secret by which no number is far from the first slot of its
    /// key.
    fn fill(&mut self, insert: impl Fn(&mut Self)) {
        self.shift = (self.slots.len() as u64).leading_zeros().wrapping_add(1);
        for _ in 0..TRIES {
            self.slots.iter_mut().for_each(|slot| *slot = 0);
            (self.secret, self.used, self.longest) = (random() | 1, 0, 0);
            insert(self);
            if self.longest < MOST_STEPS {
                break;
            }
        }
        self.limit = self.longest.saturating_mul(2).max(MOST_STEPS);
    }

    /// Returns the first slot for a key.
    #[inline]
    fn first(&self, key: u64) -> usize {
        // The upper bits of a product depend on all bits. One product alone keeps rows of addresses
        // in rows, which with some secrets are narrow.
        let half = key.wrapping_mul(self.secret);
        ((half ^ (half >> 32)).wrapping_mul(self.secret) >> (self.shift & 63)) as usize
    }

    #[inline]
    fn after(&self, at: usize) -> usize {
        at.wrapping_add(1) & self.slots.len().wrapping_sub(1)
    }

    /// Returns the number with this key for which `is` holds.
    #[inline]
    pub(crate) fn find(&self, key: u64, is: impl Fn(u32) -> bool) -> Option<u32> {
        let (mut at, mut left) = (self.first(key), self.longest);
        loop {
            let number = self.slots.get(at)?.checked_sub(1)?;
            if is(number) {
                return Some(number);
            }
            left = left.checked_sub(1)?;
            at = self.after(at);
        }
    }

    /// Makes room for `more` numbers. `key` returns the key of a number that is already in the
    /// index; `None`: the number is not needed any more.
    pub(crate) fn reserve(&mut self, more: usize, key: impl Fn(u32) -> Option<u64>) -> Result {
        let len = len_for(self.used.checked_add(more).ok_or(ENOMEM)?)?;
        if len <= self.slots.len() && self.longest < self.limit {
            return Ok(());
        }
        let slots = mem::filled(len.max(self.slots.len()), 0)?;
        let old = core::mem::replace(&mut self.slots, slots);
        self.fill(|index| {
            for number in old.iter().filter_map(|n| n.checked_sub(1)) {
                if let Some(key) = key(number) {
                    index.insert(key, number);
                }
            }
        });
        Ok(())
    }

    /// Returns the most steps that a search takes.
    #[cfg(test)]
    pub(crate) fn longest(&self) -> usize {
        self.longest
    }

    /// Adds a number; `reserve` has made room for it.
    pub(crate) fn insert(&mut self, key: u64, number: u32) {
        let mut at = self.first(key);
        for steps in 0..self.slots.len() {
            let next = self.after(at);
            if let Some(slot @ 0) = self.slots.get_mut(at) {
                *slot = number.wrapping_add(1);
                self.used = self.used.wrapping_add(1);
                self.longest = self.longest.max(steps);
                return;
            }
            at = next;
        }
    }
}

/// Returns how many slots `n` numbers need.
fn len_for(n: usize) -> Result<usize> {
    n.checked_mul(2).and_then(|n| n.max(64).checked_next_power_of_two()).ok_or(ENOMEM)
}

#[cfg(not(CONFIG_RUST))]
mod host {
    use std::cell::RefCell;
    use std::hash::{BuildHasher, RandomState};

    thread_local! {
        /// The next secrets, from the last one on.
        static SECRETS: RefCell<Vec<u64>> = const { RefCell::new(Vec::new()) };
    }

    pub(super) fn random() -> u64 {
        let chosen = SECRETS.with_borrow_mut(Vec::pop);
        chosen.unwrap_or_else(|| RandomState::new().hash_one(0))
    }

    #[cfg(test)]
    mod with_keys {
        use super::super::*;
        use super::SECRETS;

        fn filled(keys: &[u64]) -> Index {
            let insert = |index: &mut Index| {
                (0..).zip(keys).for_each(|(n, key)| index.insert(*key, n));
            };
            Index::of(keys.len(), insert).unwrap()
        }

        fn grown(keys: &[u64]) -> Index {
            let mut index = Index::new();
            for (n, key) in (0..).zip(keys) {
                index.reserve(1, |n| keys.get(n as usize).copied()).unwrap();
                index.insert(*key, n);
            }
            index
        }

        fn check(index: &Index, keys: &[u64]) {
            for (n, key) in (0..).zip(keys) {
                assert_eq!(index.find(*key, |at| keys[at as usize] == *key), Some(n));
            }
            assert_eq!(index.find(1, |at| keys[at as usize] == 1), None);
        }

        /// Returns the inverse of an odd number.
        fn inverse(n: u64) -> u64 {
            (0..6).fold(n, |x, _| x.wrapping_mul(2u64.wrapping_sub(n.wrapping_mul(x))))
        }

        #[test]
        fn addresses_are_found_soon() {
            let text = 0x5555_5555_4000u64;
            for step in [2, 3, 16, 64, 4096, 4099, 1 << 20] {
                let keys: Vec<u64> = (0..1 << 16).map(|n| text + n * step).collect();
                for index in [filled(&keys), grown(&keys)] {
                    assert!(index.longest < MOST_STEPS, "{step}: {}", index.longest);
                    check(&index, &keys);
                }
            }
        }

        #[test]
        fn a_secret_that_the_keys_are_made_for_is_replaced() {
            let secret = 0x1234_5678_9abc_def1u64;
            // The hash of each is its number, so all have the first slot.
            let undo = |hash: u64| {
                let half = hash.wrapping_mul(inverse(secret));
                (half ^ (half >> 32)).wrapping_mul(inverse(secret))
            };
            let keys: Vec<u64> = (0..5000).map(|n| undo(n + 2)).collect();
            SECRETS.set(vec![7, secret]);
            let index = filled(&keys);
            assert!(index.secret == 7 && index.longest < MOST_STEPS, "{}", index.longest);
            check(&index, &keys);
            SECRETS.set(vec![secret; 5]);
            let index = grown(&keys);
            assert!(index.secret != secret && index.longest < MOST_STEPS, "{}", index.longest);
            check(&index, &keys);
        }

        #[test]
        fn equal_keys_are_not_tried_for_ever() {
            let keys = [9; 3000];
            SECRETS.set(vec![7; 100]);
            let index = grown(&keys);
            assert!(index.longest == 2999 && SECRETS.take().len() > 30);
            assert_eq!(index.find(9, |n| n == 2999), Some(2999));
        }

        #[test]
        fn numbers_that_are_not_needed_leave() {
            let mut index = filled(&[1, 2, 3]);
            index.reserve(100, |n| (n != 1).then_some(n.into())).unwrap();
            assert_eq!((index.used, index.find(1, |n| n == 1)), (2, None));
        }
    }
}
