// SPDX-License-Identifier: GPL-2.0
//! `vtimestamp`: how long a thread has been on a CPU, without the time of its probes.
//!
//! ```text
//! vtimestamp = base + (now - since)    since: when the thread got the CPU, plus each firing's time
//!                                      base: its total before that
//! ```
//! The scheduler updates its own account only at ticks and switches, with a clock that cannot be
//! read in every context, and does not know about probes. So it is only used for the base of a
//! thread that was not seen before. From then on, each CPU notes when it changes threads, and
//! writes the total of the leaving thread to a table, for the CPU on which it continues. Only
//! threads that have read `vtimestamp` are in this table, so no other thread depends on it.
//!
//! All of this exists only while an enabling uses `vtimestamp`. Interrupts, and their probes, count
//! for the interrupted thread.

use crate::words::Words;
use core::sync::atomic::AtomicU64;
use core::sync::atomic::Ordering::Relaxed;
use nosleep::threads::{Ended, Switch};
use nosleep::PerCpu;
use nosleep::ProbeCtx;
use nosleep::Published;
use nosleep::{task, time};

/// The least and the most places of the table, half a megabyte and 32 MiB. Powers of two.
const LEAST: usize = 1 << 15;
const MOST: usize = 1 << 21;
/// The number of neighbouring places where a thread can be.
const WAYS: usize = 8;

/// For each thread its key, or 0 if the place is free, and its time. The number of places is a
/// power of two.
struct Table(Words);

#[derive(Clone, Copy)]
struct Place(usize);

impl Table {
    /// Returns the thread's place. Only the thread itself writes and searches its key.
    fn find(&self, key: u64) -> Option<Place> {
        self.places(key).find(|at| self.key(*at) == key)
    }

    fn places(&self, key: u64) -> impl Iterator<Item = Place> {
        let last = (self.0.len() / 2).wrapping_sub(1);
        // CAST: bounded by the mask.
        let first = key as usize & last & !(WAYS - 1);
        (first..first.wrapping_add(WAYS)).map(|n| Place(n.wrapping_mul(2)))
    }

    fn key(&self, Place(at): Place) -> u64 {
        self.0.word(at).map_or(0, |w| w.load(Relaxed))
    }

    /// Returns the thread's place, and assigns one if it has none. `None`: all its possible places
    /// are taken.
    fn take(&self, key: u64, time: u64) -> Option<Place> {
        let free = |Place(at): &Place| {
            self.0.word(*at).is_some_and(|w| w.compare_exchange(0, key, Relaxed, Relaxed).is_ok())
        };
        self.find(key).or_else(|| {
            let at = self.places(key).find(free)?;
            self.store(at, time);
            Some(at)
        })
    }

    fn time(&self, Place(at): Place) -> u64 {
        self.0.word(at.wrapping_add(1)).map_or(0, |w| w.load(Relaxed))
    }

    fn store(&self, Place(at): Place, time: u64) {
        if let Some(w) = self.0.word(at.wrapping_add(1)) {
            w.store(time, Relaxed);
        }
    }

    fn free(&self, key: u64) {
        if let Some(w) = self.find(key).and_then(|Place(at)| self.0.word(at)) {
            w.store(0, Relaxed);
        }
    }
}

/// A CPU's data about its current thread. Only that CPU uses it.
#[derive(Default)]
pub struct Turn {
    /// 0: no switch has been seen on this CPU.
    task: AtomicU64,
    since: AtomicU64,
    base: AtomicU64,
    /// The place of its total in the table, plus 1; 0: it has none, as it has not read
    /// `vtimestamp`.
    place: AtomicU64,
}

impl Turn {
    fn begin(&self, task: u64, now: u64, place: Option<Place>, base: u64) {
        self.task.store(task, Relaxed);
        self.since.store(now, Relaxed);
        self.set_place(place);
        self.base.store(base, Relaxed);
    }

    fn place(&self) -> Option<Place> {
        // CAST: 64 bits.
        self.place.load(Relaxed).checked_sub(1).map(|at| Place(at as usize))
    }

    fn set_place(&self, place: Option<Place>) {
        // CAST: 64 bits.
        let at = place.map_or(0, |Place(at)| (at as u64).wrapping_add(1));
        self.place.store(at, Relaxed);
    }

    /// Returns the thread's time at `now`. If two times are nearly equal, the later one may have
    /// been taken first.
    fn time(&self, now: u64) -> u64 {
        self.base.load(Relaxed).wrapping_add(now.saturating_sub(self.since.load(Relaxed)))
    }
}

/// The account of all threads.
pub struct Clock {
    turns: PerCpu<Turn>,
    table: Table,
}

/// The account, while a consumer needs it.
pub static CLOCK: Published<Clock> = Published::empty();

impl Clock {
    /// Returns the number of words of a table for this many threads. One user can have half of
    /// them, which take an eighth of the places. Then one new thread in 100,000 finds no place.
    pub fn words(threads: usize) -> usize {
        let places = threads.saturating_mul(4).clamp(LEAST, MOST);
        places.next_power_of_two().saturating_mul(2)
    }

    /// Makes an account of one [`Turn`] for each CPU and a table of [`Self::words`] words.
    pub fn new(turns: PerCpu<Turn>, table: Words) -> Self {
        Self { turns, table: Table(table) }
    }

    fn switch(&self, ctx: &ProbeCtx, next: &Switch) {
        let (now, turn) = (time::monotonic_ns(), self.turns.get(ctx));
        if let Some(place) = turn.place() {
            self.table.store(place, turn.time(now));
        }
        let place = self.table.find(key_of(next.key()));
        let base = place.map_or(next.runtime(), |place| self.table.time(place));
        turn.begin(next.task(), now, place, base);
    }

    /// Returns `None` if there is no room for another thread.
    fn get(&self, ctx: &ProbeCtx, now: u64) -> Option<u64> {
        let (turn, me, key) = (self.turns.get(ctx), task::curthread(), key_of(task::own_key()));
        if turn.task.load(Relaxed) == 0 {
            // The thread got the CPU before the account began.
            let place = self.table.find(key);
            let base = place.map_or_else(task::runtime, |place| self.table.time(place));
            turn.begin(me, now, place, base);
        }
        if turn.task.load(Relaxed) != me {
            // This is in the middle of a switch; the thread's turn is over.
            let place = self.table.take(key, task::runtime())?;
            return Some(self.table.time(place));
        }
        let time = turn.time(now);
        if turn.place().is_none() {
            turn.set_place(Some(self.table.take(key, time)?));
        }
        Some(time)
    }

    /// Runs the work of a probe that began at `now`, without counting its time for a thread.
    #[inline(never)]
    pub(crate) fn apart(&self, ctx: &ProbeCtx, now: u64, f: &mut dyn FnMut()) {
        f();
        let turn = self.turns.get(ctx);
        if turn.task.load(Relaxed) == task::curthread() {
            let took = time::monotonic_ns().saturating_sub(now);
            turn.since.store(turn.since.load(Relaxed).wrapping_add(took), Relaxed);
        }
    }
}

/// Makes sure that no thread has the key 0.
fn key_of(key: u64) -> u64 {
    key.max(1)
}

/// Notes that a thread gets this CPU.
///
/// # Context
/// *probe*.
pub fn on_switch(ctx: &ProbeCtx, next: &Switch) {
    if let Some(clock) = CLOCK.load(ctx) {
        clock.switch(ctx, next);
    }
}

/// Returns the account, while it is in use.
///
/// # Context
/// *probe*.
#[inline(always)]
pub(crate) fn clock(ctx: &ProbeCtx) -> Option<&Clock> {
    CLOCK.load(ctx)
}

/// Returns the current thread's time; the probe has fired at `now`. `None`: it is unknown, because
/// too many threads have read it.
///
/// # Context
/// *probe*.
pub(crate) fn now(ctx: &ProbeCtx, now: u64) -> Option<u64> {
    CLOCK.load(ctx)?.get(ctx, now)
}

/// Frees the place of a thread that has ended.
///
/// # Context
/// *probe*.
pub fn thread_ended(ctx: &ProbeCtx, ended: &Ended) {
    if let (Some(clock), [key, ..]) = (CLOCK.load(ctx), ended.keys()) {
        clock.table.free(key_of(key));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_with_all_threads_of_a_user_leaves_places_for_others() {
        let mut x = 7u64;
        let mut random = || {
            x = x.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            x >> 24
        };
        // The kernel's limit on a machine with 8 and with 64 GiB.
        for most in [1 << 16, 1 << 19] {
            let table = Table(Words::new(mem::zeroed_atomics(Clock::words(most)).unwrap()));
            let mut without_place =
                |n: usize| (0..n).filter(|_| table.take(key_of(random()), 1).is_none()).count();
            let (hostile, others) = (without_place(most / 2), without_place(10_000));
            assert!(hostile <= most / 100_000 && others < 10, "{hostile}, {others}");
        }
    }

    #[test]
    fn the_size_of_the_table_is_bounded() {
        assert_eq!(Clock::words(0), 2 * LEAST);
        assert_eq!(Clock::words(usize::MAX), 2 * MOST);
        assert_eq!(Clock::words(100_000), 2 << 19);
    }
}
