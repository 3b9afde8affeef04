// SPDX-License-Identifier: GPL-2.0
//! Things that threads have begun and not ended: the wait for a lock, the call of a function. One
//! event begins such a thing, and a later one in the same thread of control ends it.
//!
//! The table has sets of a few slots each, and a thread's key chooses the set. A slot belongs to
//! the thread whose key it holds. Only that thread changes its words, in probe context, so nothing
//! else of the thread comes between. If a set is full, the oldest slot is given to another thread,
//! and the end of what it held finds nothing: that counts as lost, although the slot may be one
//! whose end was skipped because the CPU was in a probe.

use core::sync::atomic::AtomicU64;
use core::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed};

/// The number of slots of a set.
const WAYS: usize = 8;
/// The number of sets; a power of two.
pub const SETS: usize = 1024;

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
    /// Begins a thing, or adds a mark to one that has begun since its probe was enabled at `from`.
    /// Returns false if that lost another thing, or this one.
    pub fn begin(&self, key: u64, new: Kept, from: u64) -> bool {
        let begun = |s: &&Slot| s.key.load(Relaxed) == key && s.what.load(Relaxed) == new.what;
        if let Some(slot) = self.0.iter().find(begun) {
            // Nobody saw the end of a thing that an earlier tracing left.
            match slot.since.load(Relaxed) >= from {
                true => drop(slot.mark.fetch_or(new.mark, Relaxed)),
                false => slot.put(new),
            }
            return true;
        }
        for slot in &self.0 {
            if slot.key.compare_exchange(FREE, key, Acquire, Relaxed).is_ok() {
                slot.put(new);
                return true;
            }
        }
        let Some(oldest) = self.0.iter().min_by_key(|s| s.since.load(Relaxed)) else {
            return false;
        };
        let was = oldest.key.load(Relaxed);
        // Another CPU may take the slot first; then this thing is not kept.
        if oldest.key.compare_exchange(was, key, Acquire, Relaxed).is_ok() {
            oldest.put(new);
        }
        false
    }

    /// Ends `what`, or the latest thing of the thread, and returns it, if it began at `from` or
    /// later.
    pub fn end(&self, key: u64, what: Option<u64>, from: u64) -> Option<Kept> {
        let of_it = |s: &&Slot| {
            s.key.load(Relaxed) == key
                && s.since.load(Relaxed) >= from
                && what.is_none_or(|what| s.what.load(Relaxed) == what)
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
    fn put(&self, kept: Kept) {
        self.what.store(kept.what, Relaxed);
        self.since.store(kept.since, Relaxed);
        self.mark.store(kept.mark, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(what: u64, since: u64, mark: u64) -> Kept {
        Kept { what, since, mark }
    }

    #[test]
    fn what_is_begun_is_ended_once() {
        let set = Set::default();
        let (a, b) = (key_of(0x10, 1), key_of(0x20, 1));
        assert!(a != b && a != key_of(0x10, 2));
        set.begin(a, kept(7, 100, 0), 0);
        set.begin(b, kept(7, 101, 0), 0);
        // A second call adds its mark and does not begin the thing again.
        set.begin(a, kept(7, 110, 1), 0);
        assert_eq!(set.end(a, Some(8), 0), None);
        assert_eq!(set.end(a, Some(7), 0), Some(Kept { what: 7, since: 100, mark: 1 }));
        assert_eq!(set.end(a, Some(7), 0), None);
        assert_eq!(set.end(b, None, 0), Some(Kept { what: 7, since: 101, mark: 0 }));
        // Two waits, one inside the other.
        set.begin(a, kept(1, 200, 0), 0);
        set.begin(a, kept(2, 201, 0), 0);
        assert_eq!(set.end(a, None, 0).map(|k| k.what), Some(2));
        assert_eq!(set.end(a, None, 0).map(|k| k.what), Some(1));
        assert_eq!(set.end(a, None, 0), None);
    }

    #[test]
    fn what_an_earlier_tracing_left_is_no_beginning() {
        let set = Set::default();
        let a = key_of(0x10, 1);
        assert!(set.begin(a, kept(7, 100, 1), 50));
        // The next tracing began at 200.
        assert_eq!(set.end(a, Some(7), 200), None);
        assert!(set.begin(a, kept(7, 300, 2), 200));
        assert_eq!(set.end(a, Some(7), 200), Some(kept(7, 300, 2)));
    }

    #[test]
    fn a_full_set_gives_the_oldest_away() {
        let set = Set::default();
        let key = |n: u64| key_of(n << 8, 0);
        for n in 0..=WAYS as u64 {
            assert_eq!(set.begin(key(n), kept(n, 100 + n, 0), 0), n < WAYS as u64);
        }
        assert_eq!(set.end(key(0), None, 0), None);
        for n in 1..=WAYS as u64 {
            assert_eq!(set.end(key(n), None, 0).map(|k| k.what), Some(n));
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
                        set.begin(key, kept((t << 32) | n, n, t), 0);
                        let kept = Kept { what: (t << 32) | n, since: n, mark: t };
                        assert_eq!(set.end(key, None, 0), Some(kept));
                    }
                });
            }
        });
    }
}
