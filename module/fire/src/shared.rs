// SPDX-License-Identifier: GPL-2.0
//! The data that the probes of one consumer read and write in probe context.
//!
//! It is made at GO, when options and variables are known, and freed with the last ECB. ECBs hold
//! it, and it holds the chains of the consumer's own BEGIN, END and ERROR. The framework takes
//! these chains away at the end, which breaks the cycle.

use crate::budget::Budget;
use crate::deadman::Deadman;
use crate::dynvar::DynVars;
use crate::ecb::Chain;
use crate::unwind::Unwind;
use crate::words::Words;
use abi::option::UNSET;
use buffers::speculation::{Part, States};
use buffers::{AggBuffer, Key, Principal};
use core::cell::RefCell;
use core::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use nosleep::{Arc, KVVec, PerCpu, ProbeCtx, Published, Waker};
use plan::probe::Special;
use plan::quota::Portion;
use plan::vars::Vars;

/// The phase of the tracing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum Activity {
    /// Probes are being enabled; nothing fires.
    Inactive = 0,
    /// BEGIN runs; nothing else fires.
    Warmup = 1,
    /// Everything fires.
    Active = 2,
    /// `exit()` was called; only END still fires.
    Draining = 3,
    /// END runs.
    Cooldown = 4,
    /// Nothing fires any more.
    Stopped = 5,
}

/// [`Activity::Active`] of a consumer that traces one CPU only.
const ACTIVE_THERE: u32 = 6;

impl Activity {
    fn from_number(n: u32) -> Self {
        match n {
            0 => Self::Inactive,
            1 => Self::Warmup,
            2 | ACTIVE_THERE => Self::Active,
            3 => Self::Draining,
            4 => Self::Cooldown,
            _ => Self::Stopped,
        }
    }
}

/// The data that one CPU writes.
pub struct CpuState {
    /// The trace.
    pub principal: Principal<KVVec<u8>>,
    /// The aggregations.
    pub aggs: AggBuffer<KVVec<u64>>,
    /// Memory of the machine: strings and `alloca()`.
    pub scratch: KVVec<u8>,
    /// The bytes of it that the clauses of this firing have kept.
    pub kept: usize,
    /// This CPU's parts of the speculations.
    pub parts: KVVec<Part<KVVec<u8>>>,
    /// `this->` variables.
    pub locals: KVVec<u64>,
    /// Key of the aggregation being built.
    pub key: Key<KVVec<u64>>,
    /// State of the pseudo-random numbers.
    pub random: u64,
    /// The remaining budget of this consumer's clauses in this firing.
    pub budget: Budget,
    /// Their total cost at the last check whether the machine is alive.
    pub asked: u32,
}

/// The words of a cache line.
pub const LINE: usize = 8;

/// Counters that any CPU may raise.
#[derive(Default)]
pub struct Counters {
    /// Dynamic variables that found no room.
    pub dyndrops: AtomicU64,
    /// Dynamic variables that another CPU was changing.
    pub dyndrops_busy: AtomicU64,
    /// Probes that appeared while tracing and should have been enabled.
    pub left_out: AtomicU64,
    /// Faults in clauses for ERROR.
    pub dblerrors: AtomicU64,
    /// Records without room in a speculation, or in the trace when it was committed.
    pub specdrops: AtomicU64,
    /// Speculations that were not free, because one had just ended.
    pub specdrops_busy: AtomicU64,
    /// Speculations that were not free, because all were in use.
    pub specdrops_unavail: AtomicU64,
    /// Signals that could not be queued.
    pub sigdrops: AtomicU64,
    /// Things whose beginning was forgotten before they ended.
    pub forgotten: AtomicU64,
    /// 1 when a buffer of the policy fill had no room.
    pub filled: AtomicU32,
    /// 1 when a buffer has become half full, and the consumer has not been woken yet.
    pub pressing: AtomicU32,
    /// 1 when a firing cost too much, a CPU ran no thread for too long, or the consumer was silent
    /// for too long.
    pub killed: AtomicU32,
}

/// Shared by all ECBs of a consumer.
pub struct Shared {
    /// An [`Activity`] as a number; 0 at first.
    pub activity: AtomicU32,
    /// The data that each CPU writes.
    pub cpus: PerCpu<RefCell<CpuState>>,
    /// The variables.
    pub vars: Vars,
    /// The values of global variables.
    pub globals: Words,
    /// The values of all other variables, except those of `this->`.
    pub dynvars: DynVars,
    /// The states of the speculations.
    pub speculations: States<KVVec<AtomicU32>>,
    /// The most bytes of a string.
    pub strsize: usize,
    /// Whether CPUs have parts of speculations.
    pub has_parts: bool,
    /// Only this CPU traces, if not [`UNSET`].
    pub only_cpu: u64,
    /// The counters.
    pub counters: Counters,
    /// How often probes stopped firing for a while: one hit may add thousands. Each CPU has [`LINE`]
    /// words and counts in the first.
    pub pauses: Words,
    /// Tells whether the machine is alive.
    pub deadman: Deadman,
    /// Wakes the consumer.
    pub waker: Option<Arc<Waker>>,
    /// The rows for walking the stacks of processes.
    pub unwind: Arc<Unwind>,
    /// The chains of the consumer's own BEGIN, END and ERROR.
    pub special: [Published<Chain>; 3],
    /// The consumer's process: its name and id.
    pub owner: ([u8; 16], i32),
    /// The first number that is not used yet, and the end of the numbers. The lowest ones belong to
    /// aggregations without a key.
    pub numbers: (AtomicU32, u32),
    /// Whether it may stop processes and CPUs. It may do so for long, so the deadman ignores it.
    pub may_destroy: bool,
    /// One of [`abi::option::policy`].
    pub policy: u64,
    /// The bytes of each CPU's trace.
    pub bufsize: usize,
    /// The bytes of each CPU's aggregations.
    pub aggsize: usize,
    /// The bytes of dynamic variables.
    pub dynvarsize: usize,
    /// The bytes of each CPU's part of a speculation.
    pub specsize: usize,
    /// The nested probes that the CPUs had dropped before this consumer started.
    pub nested_before: u64,
    /// The memory of its buffers, of what all consumers may have.
    pub memory: Portion,
}

impl Shared {
    /// Ends the tracing because a buffer with the policy fill has no room for a record.
    pub fn fill(&self) {
        self.counters.filled.store(1, Ordering::Relaxed);
        self.drain();
    }

    /// Counts pauses of probes.
    pub(crate) fn pause(&self, ctx: &ProbeCtx, times: u64) {
        if let Some(here) = self.pauses.word(ctx.cpu().wrapping_mul(LINE)) {
            here.fetch_add(times, Ordering::Relaxed);
        }
    }

    /// Returns the pauses on all CPUs.
    pub fn pauses(&self) -> u64 {
        let each = (0..self.pauses.len()).step_by(LINE).filter_map(|at| self.pauses.word(at));
        each.fold(0, |sum, n| sum.wrapping_add(n.load(Ordering::Relaxed)))
    }

    /// Counts probes that appeared while tracing and were left out.
    pub fn count_left_out(&self, n: u64) {
        self.counters.left_out.fetch_add(n, Ordering::Relaxed);
    }

    /// Frees the variables of a thread that has ended, each for one of `left`; others wait.
    pub fn end_thread(&self, ctx: &ProbeCtx, thread: u64, left: &mut usize) {
        if !self.dynvars.end_thread(ctx.cpu(), thread, &self.vars.thread, left) {
            // Its space is lost until the tracing ends.
            self.counters.dyndrops.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Reserves `n` numbers and returns the first one; [`u32::MAX`], which is never used, if there
    /// are not enough.
    pub fn take_numbers(&self, n: u32) -> u32 {
        let (next, end) = &self.numbers;
        let first = next.load(Ordering::Relaxed);
        match first.checked_add(n) {
            // Numbers are reserved under the framework's lock.
            Some(behind) if n > 0 && behind <= *end => {
                next.store(behind, Ordering::Relaxed);
                first
            }
            _ => u32::MAX,
        }
    }

    /// Returns the phase of the tracing.
    #[inline]
    pub fn activity(&self) -> Activity {
        Activity::from_number(self.activity.load(Ordering::Acquire))
    }

    /// Tells whether probes fire on this CPU now.
    #[inline]
    pub fn is_live(&self, ctx: &ProbeCtx) -> bool {
        match self.activity.load(Ordering::Acquire) {
            n if n == Activity::Active as u32 => true,
            ACTIVE_THERE => self.only_cpu == ctx.cpu() as u64,
            _ => false,
        }
    }

    fn number(&self, activity: Activity) -> u32 {
        match activity {
            Activity::Active if self.only_cpu != UNSET => ACTIVE_THERE,
            other => other as u32,
        }
    }

    /// Moves from one phase to the next, unless another CPU was faster.
    pub fn advance(&self, from: Activity, to: Activity) -> bool {
        let (from, to) = (self.number(from), self.number(to));
        self.activity.compare_exchange(from, to, Ordering::AcqRel, Ordering::Acquire).is_ok()
    }

    /// Sets the phase, whatever the last one was.
    pub fn set_activity(&self, to: Activity) {
        self.activity.store(self.number(to), Ordering::Release);
    }

    /// Tells whether this CPU only serves probes, and has just served some. It ignores consumers
    /// that may stop CPUs.
    pub fn is_unresponsive(&self, ctx: &ProbeCtx, now: u64) -> bool {
        !self.may_destroy && self.deadman.is_dead(ctx, now, 1)
    }

    /// Wakes the consumer because a buffer is more than half full.
    pub fn press(&self) {
        // It is written only once, because all CPUs read this word.
        if self.counters.pressing.load(Ordering::Relaxed) == 0 {
            self.counters.pressing.store(1, Ordering::Relaxed);
            self.wake();
        }
    }

    /// Wakes the consumer.
    #[cold]
    pub fn wake(&self) {
        if let Some(waker) = &self.waker {
            waker.wake();
        }
    }

    /// Ends the tracing for a reason of [`abi::status::killed`].
    pub fn kill(&self, why: u32) {
        self.counters.killed.store(why, Ordering::Relaxed);
        self.drain();
    }

    /// Lets only END fire from here on. The first caller wins.
    pub fn drain(&self) {
        if self.advance(Activity::Active, Activity::Draining)
            || self.advance(Activity::Warmup, Activity::Draining)
        {
            self.wake();
        }
    }

    /// Returns the consumer's own chain of a special probe.
    pub fn special(&self, which: Special) -> &Published<Chain> {
        let [begin, end, error] = &self.special;
        match which {
            Special::Begin => begin,
            Special::End => end,
            Special::Error => error,
        }
    }
}
