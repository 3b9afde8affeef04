// SPDX-License-Identifier: GPL-2.0
//! Things that threads have begun and not ended: the wait for a lock, the call of a function. One
//! event begins such a thing, and a later one in the same thread of control ends it.
//!
//! The table has sets of a few slots each, and a thread's key chooses the set. A slot belongs to
//! the thread whose key it holds. Only that thread changes its words, in probe context, so nothing
//! else of the thread comes between. If a set is full, another thread takes a slot: one that an
//! earlier tracing left, or else the oldest. The end of what that slot held finds nothing: this
//! counts as lost, although the slot may be one whose end was skipped because the CPU was in a
//! probe.

use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use core::sync::atomic::{AtomicU32, AtomicU64};

/// The number of slots of a set.
const WAYS: usize = 8;
/// The number of sets; a power of two.
pub const SETS: usize = 1024;

/// The key of a free slot.
const FREE: u64 = 0;
/// The key of a slot whose words are being changed. Nobody takes it, and it is nobody's.
const BUSY: u64 = 2;

#[derive(Default)]
struct Slot {
    key: AtomicU64,
    probe: AtomicU32,
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
    /// The cookie of the probe that tells of it.
    pub probe: u32,
    /// The lock, or another argument of the event that began it.
    pub what: u64,
    /// The time at which it began, in ns.
    pub since: u64,
    /// The marks of the events that began it, joined by OR.
    pub mark: u64,
}

/// Returns the key of a thread of control for one probe; neither [`FREE`] nor
/// [`BUSY`].
pub fn key_of(thread: u64, probe: u64) -> u64 {
    thread ^ probe.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_right(2) | 1
}

impl Set {
    /// Begins a thing, or adds a mark to one that has begun. `from` returns the time from which a
    /// probe is enabled: what began earlier belongs to an earlier tracing, and nobody misses it.
    /// Returns the probe of the thing that this lost, which may be the new one.
    pub fn begin(&self, key: u64, new: Kept, from: impl Fn(u32) -> u64) -> Option<u32> {
        let is_missed = |slot: &Slot| slot.since.load(Relaxed) >= from(slot.probe.load(Relaxed));
        let begun = |s: &&Slot| s.key.load(Relaxed) == key && s.what.load(Relaxed) == new.what;
        if let Some(slot) = self.0.iter().find(begun).filter(|slot| slot.take(key)) {
            match is_missed(slot) {
                true => drop(slot.mark.fetch_or(new.mark, Relaxed)),
                false => slot.put(new),
            }
            slot.key.store(key, Release);
            return None;
        }
        if let Some(slot) = self.0.iter().find(|slot| slot.take(FREE)) {
            slot.put(new);
            slot.key.store(key, Release);
            return None;
        }
        let slots = self.0.iter().map(|slot| (slot, slot.key.load(Relaxed)));
        let oldest = slots
            .filter(|(_, was)| *was != BUSY)
            .min_by_key(|(slot, _)| (is_missed(slot), slot.since.load(Relaxed)));
        // If another CPU takes the slot first, this thing is not kept.
        let Some((slot, was)) = oldest.filter(|(slot, was)| slot.take(*was)) else {
            return Some(new.probe);
        };
        let is_lost = was != FREE && is_missed(slot);
        let lost = is_lost.then(|| slot.probe.load(Relaxed));
        slot.put(new);
        slot.key.store(key, Release);
        lost
    }

    /// Tells whether the thread has begun `what` at `from` or later, and not ended it.
    pub fn has(&self, key: u64, what: u64, from: u64) -> bool {
        let is_it = |s: &Slot| {
            s.key.load(Relaxed) == key
                && s.since.load(Relaxed) >= from
                && s.what.load(Relaxed) == what
        };
        self.0.iter().any(is_it)
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
        // Another thread may have taken the slot.
        slot.take(key).then_some(())?;
        let kept = Kept {
            probe: slot.probe.load(Relaxed),
            what: slot.what.load(Relaxed),
            since: slot.since.load(Relaxed),
            mark: slot.mark.load(Relaxed),
        };
        slot.key.store(FREE, Release);
        Some(kept)
    }
}

impl Slot {
    /// Takes the slot if it has this key and is not [`BUSY`]. Its words are the caller's until the
    /// caller stores a key.
    fn take(&self, key: u64) -> bool {
        key != BUSY && self.key.compare_exchange(key, BUSY, Acquire, Relaxed).is_ok()
    }

    fn put(&self, kept: Kept) {
        self.probe.store(kept.probe, Relaxed);
        self.what.store(kept.what, Relaxed);
        self.since.store(kept.since, Relaxed);
        self.mark.store(kept.mark, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(what: u64, since: u64, mark: u64) -> Kept {
        Kept { probe: 1, what, since, mark }
    }

    /// Every probe is enabled from this time on.
    fn from(time: u64) -> impl Fn(u32) -> u64 {
        move |_| time
    }

    #[test]
    fn what_is_begun_is_ended_once() {
        let set = Set::default();
        let (a, b) = (key_of(0x10, 1), key_of(0x20, 1));
        assert!(a != b && a != key_of(0x10, 2));
        set.begin(a, kept(7, 100, 0), from(0));
        set.begin(b, kept(7, 101, 0), from(0));
        assert_eq!(
            [set.has(a, 7, 100), set.has(a, 7, 101), set.has(a, 8, 0)],
            [true, false, false]
        );
        // A second call adds its mark and does not begin the thing again.
        set.begin(a, kept(7, 110, 1), from(0));
        assert_eq!(set.end(a, Some(8), 0), None);
        assert_eq!(set.end(a, Some(7), 0), Some(kept(7, 100, 1)));
        assert_eq!(set.end(a, Some(7), 0), None);
        assert!(!set.has(a, 7, 0));
        assert_eq!(set.end(b, None, 0), Some(kept(7, 101, 0)));
        // Two waits, one inside the other.
        set.begin(a, kept(1, 200, 0), from(0));
        set.begin(a, kept(2, 201, 0), from(0));
        assert_eq!(set.end(a, None, 0).map(|k| k.what), Some(2));
        assert_eq!(set.end(a, None, 0).map(|k| k.what), Some(1));
        assert_eq!(set.end(a, None, 0), None);
    }

    #[test]
    fn what_an_earlier_tracing_left_is_no_beginning() {
        let set = Set::default();
        let a = key_of(0x10, 1);
        assert_eq!(set.begin(a, kept(7, 100, 1), from(50)), None);
        // The next tracing began at 200.
        assert_eq!(set.end(a, Some(7), 200), None);
        assert_eq!(set.begin(a, kept(7, 300, 2), from(200)), None);
        assert_eq!(set.end(a, Some(7), 200), Some(kept(7, 300, 2)));
    }

    #[test]
    fn a_full_set_gives_the_oldest_away() {
        let set = Set::default();
        let key = |n: u64| key_of(n << 8, 0);
        let thing = |n: u64| Kept { probe: 10 + n as u32, ..kept(n, 100 + n, 0) };
        for n in 0..WAYS as u64 {
            assert_eq!(set.begin(key(n), thing(n), from(0)), None);
        }
        // The loss is that of the probe whose thing went.
        assert_eq!(set.begin(key(8), thing(8), from(0)), Some(10));
        assert_eq!(set.end(key(0), None, 0), None);
        for n in 1..=WAYS as u64 {
            assert_eq!(set.end(key(n), None, 0), Some(thing(n)));
        }
    }

    #[test]
    fn what_an_earlier_tracing_left_makes_room_first() {
        let set = Set::default();
        let key = |n: u64| key_of(n << 8, 0);
        for n in 0..WAYS as u64 {
            set.begin(key(n), Kept { probe: n as u32, ..kept(n, 100 + n, 0) }, from(0));
        }
        // Probe 5 was enabled again since, and probe 6 is not enabled any more.
        let from = |probe| [0, 0, 0, 0, 0, 200, u64::MAX, 0][probe as usize];
        assert_eq!(set.begin(key(20), kept(20, 300, 0), from), None);
        assert_eq!(set.begin(key(21), kept(21, 301, 0), from), None);
        assert_eq!(set.begin(key(22), kept(22, 302, 0), from), Some(0));
        assert_eq!(set.end(key(1), None, 0).map(|k| k.what), Some(1));
    }

    #[test]
    fn threads_do_not_see_each_other() {
        // The most threads for which there is always room, and more.
        for threads in [4, WAYS as u64 + 3] {
            let set = Set::default();
            let (lost, missed) = (AtomicU64::new(0), AtomicU64::new(0));
            std::thread::scope(|scope| {
                for t in 1..=threads {
                    let (set, lost, missed) = (&set, &lost, &missed);
                    scope.spawn(move || {
                        let key = key_of(t << 8, 0);
                        for n in 1..50_000 {
                            let thing =
                                Kept { probe: t as u32, what: (t << 32) | n, since: n, mark: t };
                            if set.begin(key, thing, |_| 0).is_some() {
                                lost.fetch_add(1, Relaxed);
                            }
                            match set.end(key, None, 0) {
                                Some(ended) => assert_eq!(ended, thing),
                                None => drop(missed.fetch_add(1, Relaxed)),
                            }
                        }
                    });
                }
            });
            let (lost, missed) = (lost.into_inner(), missed.into_inner());
            assert_eq!(lost, missed);
            assert!(threads > WAYS as u64 || lost == 0);
        }
    }
}
