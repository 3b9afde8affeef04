// SPDX-License-Identifier: GPL-2.0
//! Tells, for one consumer, whether the machine is alive: if its probes take nearly all of a CPU's
//! time, no thread can run there.
//!
//! ```text
//!   each second, on each CPU,     if probes have spent little here, the CPU is alive;
//!   in an interrupt:              else a thread must run here and note the time
//!   each time that MUCH was       if no thread has run for TIMEOUT, and this was first seen
//!   spent, in a probe:            GRACE ago: the machine is dead, and the tracing ends
//! ```
//! Several consumers can do together what none does alone. So the interrupt takes it that each has
//! spent as much as this one.
//!
//! A lean clause that is alone on its probe only notes its cost and has no time to check; the
//! interrupt checks instead.
//!
//! Late interrupts are no sign: they are served while nothing else is, and on a slow machine they
//! are late although all is well. The share of a CPU that probes take is no sign either: nine
//! tenths of it only make the machine slow. And if a machine stood still as a whole, such as a
//! guest whose host was busy, its probes have spent nothing meanwhile.

use core::cell::Cell;
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};
use nosleep::alive;
use nosleep::time::monotonic_ns;
use nosleep::PerCpu;
use nosleep::ProbeCtx;
use plan::code::BUDGET;

/// The interval between checks of a CPU, in ns.
pub const INTERVAL: i64 = 1_000_000_000;
/// How long a CPU may run no thread, in ns; and how long it may continue after this was first seen.
/// The kernel's own watchdog reports it after 20 s.
const TIMEOUT: u64 = 8_000_000_000;
const GRACE: u64 = 2_000_000_000;
/// A large cost, in the machine's units; and how often it must have been spent meanwhile.
pub(crate) const MUCH: u32 = BUDGET / 8;
const TIMES: u32 = 8;
/// A cost below this in a second is negligible.
const LITTLE: u32 = BUDGET / 16;

/// The number of consumers that are tracing.
static CONSUMERS: AtomicU32 = AtomicU32::new(1);

/// Sets the number of consumers that are tracing.
pub fn set_consumers(n: usize) {
    CONSUMERS.store(u32::try_from(n).unwrap_or(u32::MAX), Relaxed);
}

/// The state of a CPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Life {
    /// Probes take next to none of its time.
    Quiet,
    /// Probes take a part of its time, so it must show that it runs threads.
    Busy,
    /// It has run no thread for long, and probes take a part of its time.
    Dead,
}

/// The state of one CPU.
pub struct Here {
    /// The units spent up to a second ago.
    spent: Cell<u32>,
    /// The time when it was last quiet.
    quiet: Cell<u64>,
    /// The time when it was first seen to run no thread; 0: it runs threads.
    since: Cell<u64>,
    times: Cell<u32>,
}

impl Here {
    /// Creates it for a CPU that lives.
    pub fn new() -> Self {
        let quiet = Cell::new(monotonic_ns());
        Self { spent: Cell::new(0), quiet, since: Cell::new(0), times: Cell::new(0) }
    }
}

impl Default for Here {
    fn default() -> Self {
        Self::new()
    }
}

/// The state of all CPUs.
pub struct Deadman(PerCpu<Here>);

impl Deadman {
    /// Makes it of one [`Here`] for each CPU.
    pub fn new(here: PerCpu<Here>) -> Self {
        Self(here)
    }

    /// Checks a CPU, each second, with the total units spent there.
    pub fn look(&self, ctx: &ProbeCtx, now: u64, spent: u32) -> Life {
        let here = self.0.get(ctx);
        let spent = spent.wrapping_sub(here.spent.replace(spent));
        let spent = spent.saturating_mul(CONSUMERS.load(Relaxed));
        if spent < LITTLE {
            here.quiet.set(now);
            return Life::Quiet;
        }
        match spent / MUCH {
            0 => Life::Busy,
            times if self.is_dead(ctx, now, times) => Life::Dead,
            _ => Life::Busy,
        }
    }

    /// Tells whether the machine is dead, after a large cost was spent here `more` times.
    pub(crate) fn is_dead(&self, ctx: &ProbeCtx, now: u64, more: u32) -> bool {
        let here = self.0.get(ctx);
        let alive = alive::answered(ctx).max(here.quiet.get());
        if now.saturating_sub(alive) < TIMEOUT {
            here.since.set(0);
            return false;
        }
        if here.since.get() == 0 {
            here.since.set(now);
            here.times.set(0);
        }
        let times = here.times.get().saturating_add(more);
        here.times.set(times);
        times >= TIMES && now.saturating_sub(here.since.get()) >= GRACE
    }
}
