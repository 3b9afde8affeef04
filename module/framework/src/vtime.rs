// SPDX-License-Identifier: GPL-2.0
//! `vtimestamp`: how long a thread has been on a CPU, without what its probes took.
//!
//! ```text
//! vtimestamp = base + (now - since)      since: when the thread got the CPU, later by each firing's time
//!                                        base: what it had come to before
//! ```
//! The scheduler's own account is brought up to date at ticks and switches only, by a clock that
//! cannot be read from anywhere, and knows nothing of probes. So it is asked once, for the base of a thread that
//! was not seen before; from then on the time is ours: each CPU notes when it changes threads,
//! and what the thread that goes has come to stands in a table, for the CPU on which it goes on. Only
//! threads that have asked are in there, so that nobody else's number depends on it.
//!
//! All of this is there while an enabling uses `vtimestamp`, and only then. Interrupts are part of
//! the thread that they come over, as their probes are.

use crate::words::Words;
use crate::{Error, Result};
use core::cell::Cell;
use core::sync::atomic::Ordering::Relaxed;
use kapi::context::ProbeCtx;
use kapi::percpu::PerCpu;
use kapi::publish::Published;
use kapi::threads::{self, Ended, Switch};
use kapi::{mem, task, time};
use kernel::error::code;

/// Threads that may have asked at the same time: half a megabyte. A power of two.
const THREADS: usize = 1 << 15;
/// A thread is in one of so many neighbouring places.
const WAYS: usize = 8;

/// Per thread its key, 0 if the place is free, and its time.
struct Table(Words);

#[derive(Clone, Copy)]
struct Place(usize);

impl Table {
    /// The thread's place. Its key is put and looked for by itself alone.
    fn find(&self, key: u64) -> Option<Place> {
        places(key).find(|at| self.key(*at) == key)
    }

    fn key(&self, Place(at): Place) -> u64 {
        self.0.word(at).map_or(0, |w| w.load(Relaxed))
    }

    /// The thread's place, which it gets now if it has none; `None`: all that it could have are taken.
    fn take(&self, key: u64, time: u64) -> Option<Place> {
        let free = |Place(at): &Place| {
            self.0.word(*at).is_some_and(|w| w.compare_exchange(0, key, Relaxed, Relaxed).is_ok())
        };
        self.find(key).or_else(|| {
            let at = places(key).find(free)?;
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

fn places(key: u64) -> impl Iterator<Item = Place> {
    // CAST: bounded by the mask.
    let first = key as usize & (THREADS - 1) & !(WAYS - 1);
    (first..first.wrapping_add(WAYS)).map(|n| Place(n.wrapping_mul(2)))
}

/// What a CPU knows of the thread that has it.
struct Turn {
    /// 0: no switch has been seen here.
    task: Cell<u64>,
    since: Cell<u64>,
    base: Cell<u64>,
    /// If it has asked.
    place: Cell<Option<Place>>,
}

impl Turn {
    fn begin(&self, task: u64, now: u64, place: Option<Place>, base: u64) {
        self.task.set(task);
        self.since.set(now);
        self.place.set(place);
        self.base.set(base);
    }

    /// Of two times that are nearly the same the later one may have been taken first.
    fn time(&self, now: u64) -> u64 {
        self.base.get().wrapping_add(now.saturating_sub(self.since.get()))
    }
}

/// The account of all threads.
pub(crate) struct Clock {
    turns: PerCpu<Turn>,
    table: Table,
}

static CLOCK: Published<Clock> = Published::empty();

impl Clock {
    fn switch(&self, ctx: &ProbeCtx, next: &Switch) {
        let (now, turn) = (time::monotonic_ns(), self.turns.get(ctx));
        if let Some(place) = turn.place.get() {
            self.table.store(place, turn.time(now));
        }
        let place = self.table.find(key_of(next.key()));
        let base = place.map_or(next.runtime(), |place| self.table.time(place));
        turn.begin(next.task(), now, place, base);
    }

    /// `None`: there is no room for one more thread.
    fn get(&self, ctx: &ProbeCtx, now: u64) -> Option<u64> {
        let (turn, me, key) = (self.turns.get(ctx), task::curthread(), key_of(task::own_key()));
        if turn.task.get() == 0 {
            // It got the CPU before anybody looked.
            let place = self.table.find(key);
            let base = place.map_or_else(task::runtime, |place| self.table.time(place));
            turn.begin(me, now, place, base);
        }
        if turn.task.get() != me {
            // In the middle of the switch: its turn is over.
            let place = self.table.take(key, task::runtime())?;
            return Some(self.table.time(place));
        }
        let time = turn.time(now);
        if turn.place.get().is_none() {
            turn.place.set(Some(self.table.take(key, time)?));
        }
        Some(time)
    }

    /// Runs what a probe does, which began at `now`, at nobody's expense.
    #[inline(never)]
    pub(crate) fn apart(&self, ctx: &ProbeCtx, now: u64, f: &mut dyn FnMut()) {
        f();
        let turn = self.turns.get(ctx);
        if turn.task.get() == task::curthread() {
            let took = time::monotonic_ns().saturating_sub(now);
            turn.since.set(turn.since.get().wrapping_add(took));
        }
    }
}

/// 0 is nobody's key.
fn key_of(key: u64) -> u64 {
    key.max(1)
}

fn on_switch(ctx: &ProbeCtx, next: &Switch) {
    if let Some(clock) = CLOCK.load(ctx) {
        clock.switch(ctx, next);
    }
}

/// The clock, while somebody uses it.
///
/// # Context
/// *probe*.
#[inline(always)]
pub(crate) fn clock(ctx: &ProbeCtx) -> Option<&Clock> {
    CLOCK.load(ctx)
}

/// The current thread's time; the probe has fired at `now`. `None`: it is not known, for too many
/// threads have asked.
///
/// # Context
/// *probe*.
pub(crate) fn now(ctx: &ProbeCtx, now: u64) -> Option<u64> {
    CLOCK.load(ctx)?.get(ctx, now)
}

/// A thread has ended: nobody will ask for its time.
///
/// # Context
/// *probe*.
pub(crate) fn thread_ended(ctx: &ProbeCtx, ended: &Ended) {
    if let (Some(clock), [key, ..]) = (CLOCK.load(ctx), ended.keys()) {
        clock.table.free(key_of(key));
    }
}

/// Begins the account.
///
/// # Context
/// *process*; it is not kept yet.
pub(crate) fn start() -> Result {
    let turn = |_| {
        let zero = || Cell::new(0);
        Ok(Turn { task: zero(), since: zero(), base: zero(), place: Cell::new(None) })
    };
    let clock = Clock { turns: PerCpu::new(turn)?, table: Table(Words::new(2 * THREADS)?) };
    drop(CLOCK.swap(Some(mem::boxed(clock)?)));
    threads::watch_switches(on_switch).map_err(|e| {
        drop(CLOCK.swap(None));
        match e {
            code::ENODEV => Error::NoSuch("tracepoint as sched_switch, which vtimestamp needs"),
            e => e.into(),
        }
    })
}

/// Ends it.
///
/// # Context
/// *process*.
pub(crate) fn stop() {
    threads::unwatch_switches();
    drop(CLOCK.swap(None));
}
