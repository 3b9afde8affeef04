// SPDX-License-Identifier: GPL-2.0
//! What threads have begun and not ended: a lock that is waited for, a function that is not over. It is kept where an event
//! begins and taken where it ends, by the same thread of control.
//!
//! A table of sets, each of a few slots; the key says in which set one is. A slot belongs to the thread whose key is
//! in it, and only that thread changes its words, in probe context, so nothing else of its thread comes between. If a set
//! is full, the slot that was begun first is given to another thread: its end finds nothing. Few threads wait at a time, so such a
//! slot is one whose end never came: it was turned away because the CPU was in a probe.

use core::sync::atomic::AtomicU64;
use core::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed};

/// Slots of a set.
const WAYS: usize = 8;
/// Sets; a power of two.
pub const SETS: usize = 256;

/// Nobody's.
const FREE: u64 = 0;

#[derive(Default)]
struct Slot {
    key: AtomicU64,
    what: AtomicU64,
    since: AtomicU64,
    mark: AtomicU64,
}

/// Some slots.
#[derive(Default)]
pub struct Set([Slot; WAYS]);

/// What was begun.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Kept {
    /// The lock, or what else it was begun with.
    pub what: u64,
    /// When.
    pub since: u64,
    /// What was said of it, all together.
    pub mark: u64,
}

/// The key of a thread of control for one probe; never [`FREE`].
pub fn key_of(thread: u64, probe: u64) -> u64 {
    thread ^ probe.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_right(2) | 1
}

impl Set {
    /// Begins something, or says more of what was begun.
    pub fn begin(&self, key: u64, what: u64, now: u64, mark: u64) {
        let begun = |s: &&Slot| s.key.load(Relaxed) == key && s.what.load(Relaxed) == what;
        if let Some(slot) = self.0.iter().find(begun) {
            slot.mark.fetch_or(mark, Relaxed);
            return;
        }
        for slot in &self.0 {
            if slot.key.compare_exchange(FREE, key, Acquire, Relaxed).is_ok() {
                return slot.put(what, now, mark);
            }
        }
        let Some(oldest) = self.0.iter().min_by_key(|s| s.since.load(Relaxed)) else { return };
        let was = oldest.key.load(Relaxed);
        // Another CPU may want it as well; who comes second goes without.
        if oldest.key.compare_exchange(was, key, Acquire, Relaxed).is_ok() {
            oldest.put(what, now, mark);
        }
    }

    /// Ends it: that of `what`, or what was begun last.
    pub fn end(&self, key: u64, what: Option<u64>) -> Option<Kept> {
        let of_it = |s: &&Slot| {
            s.key.load(Relaxed) == key && what.is_none_or(|what| s.what.load(Relaxed) == what)
        };
        let slot = self.0.iter().filter(of_it).max_by_key(|s| s.since.load(Relaxed))?;
        let kept = Kept {
            what: slot.what.load(Relaxed),
            since: slot.since.load(Relaxed),
            mark: slot.mark.load(Relaxed),
        };
        // If it was given away meanwhile, these are not its words.
        slot.key.compare_exchange(key, FREE, AcqRel, Relaxed).ok()?;
        Some(kept)
    }
}

impl Slot {
    fn put(&self, what: u64, now: u64, mark: u64) {
        self.what.store(what, Relaxed);
        self.since.store(now, Relaxed);
        self.mark.store(mark, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_begun_is_ended_once() {
        let set = Set::default();
        let (a, b) = (key_of(0x10, 1), key_of(0x20, 1));
        assert!(a != b && a != key_of(0x10, 2));
        set.begin(a, 7, 100, 0);
        set.begin(b, 7, 101, 0);
        // A second time says more of it, and does not begin it again.
        set.begin(a, 7, 110, 1);
        assert_eq!(set.end(a, Some(8)), None);
        assert_eq!(set.end(a, Some(7)), Some(Kept { what: 7, since: 100, mark: 1 }));
        assert_eq!(set.end(a, Some(7)), None);
        assert_eq!(set.end(b, None), Some(Kept { what: 7, since: 101, mark: 0 }));
        // One within the other.
        set.begin(a, 1, 200, 0);
        set.begin(a, 2, 201, 0);
        assert_eq!(set.end(a, None).map(|k| k.what), Some(2));
        assert_eq!(set.end(a, None).map(|k| k.what), Some(1));
        assert_eq!(set.end(a, None), None);
    }

    #[test]
    fn a_full_set_gives_the_oldest_away() {
        let set = Set::default();
        let key = |n: u64| key_of(n << 8, 0);
        for n in 0..=WAYS as u64 {
            set.begin(key(n), n, 100 + n, 0);
        }
        assert_eq!(set.end(key(0), None), None);
        for n in 1..=WAYS as u64 {
            assert_eq!(set.end(key(n), None).map(|k| k.what), Some(n));
        }
    }

    #[test]
    fn threads_do_not_see_each_other() {
        let set = Set::default();
        std::thread::scope(|scope| {
            for t in 0..4u64 {
                let set = &set;
                scope.spawn(move || {
                    let key = key_of(t << 8, 0);
                    for n in 0..50_000 {
                        set.begin(key, (t << 32) | n, n, t);
                        let kept = Kept { what: (t << 32) | n, since: n, mark: t };
                        assert_eq!(set.end(key, None), Some(kept));
                    }
                });
            }
        });
    }
}
