// SPDX-License-Identifier: GPL-2.0
//! Things that threads have begun and not ended: the wait for a lock, the call of a function. One
//! event begins such a thing, and a later one in the same thread of control ends it.
//!
//! The table has sets of a few slots each, and a thread's key chooses the set. A slot belongs to
//! the thread whose key it holds. Only that thread changes its words, in probe context, so nothing
//! else of the thread comes between. If a set is full, the oldest slot is given to another thread,
//! and the end of what it held finds nothing. Few threads wait at a time, so the oldest slot is
//! usually one whose end was skipped because the CPU was in a probe.

use core::sync::atomic::AtomicU64;
use core::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed};

/// The number of slots of a set.
const WAYS: usize = 8;
/// The number of sets; a power of two.
pub const SETS: usize = 256;

/// The key of a free slot.
const FREE: u64 = 0;

#[derive(Default)]
struct Slot {
    key: AtomicU64,
    what: AtomicU64,
    since: AtomicU64,
    mark: AtomicU64,
}

/// The table.
#[derive(Default)]
pub struct Set([Slot; WAYS]);

/// A thing that a thread has begun.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Kept {
    /// The lock, or another argument of the event that began it.
    pub what: u64,
    /// The time at which it began, in ns.
    pub since: u64,
    /// The marks of the events that began it, joined by OR.
    pub mark: u64,
}

/// Returns the key of a thread of control for one probe; never [`FREE`].
pub fn key_of(thread: u64, probe: u64) -> u64 {
    thread ^ probe.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_right(2) | 1
}

impl Set {
    /// Begins a thing, or adds a mark to one that has begun.
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
        // Another CPU may take the slot first; then this thing is not kept.
        if oldest.key.compare_exchange(was, key, Acquire, Relaxed).is_ok() {
            oldest.put(what, now, mark);
        }
    }

    /// Ends `what`, or the latest thing of the thread, and returns it.
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
        // If the slot was given away meanwhile, these words belong to another thread.
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
        // A second call adds its mark and does not begin the thing again.
        set.begin(a, 7, 110, 1);
        assert_eq!(set.end(a, Some(8)), None);
        assert_eq!(set.end(a, Some(7)), Some(Kept { what: 7, since: 100, mark: 1 }));
        assert_eq!(set.end(a, Some(7)), None);
        assert_eq!(set.end(b, None), Some(Kept { what: 7, since: 101, mark: 0 }));
        // Two waits, one inside the other.
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
