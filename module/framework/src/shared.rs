// SPDX-License-Identifier: GPL-2.0
//! The data that the probes of one consumer read and write in probe context.
//!
//! It is made at GO, when options and variables are known, and freed with the last ECB. ECBs hold
//! it, and it holds the chains of the consumer's own BEGIN, END and ERROR. [`Shared::take_special`]
//! breaks this cycle at the end.

use crate::budget::Budget;
use crate::deadman::{Deadman, Life};
use crate::dynvar::DynVars;
use crate::ecb::Chain;
use crate::pulse::Pulse;
use crate::unwind::Unwind;
use crate::words::Words;
use crate::{Error, Result};
use abi::option::{policy, OptionId, Options, UNSET};
use buffers::speculation::{Part, States};
use buffers::{principal, AggBuffer, Key, Principal};
use core::cell::{Cell, RefCell};
use core::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use kapi::context::ProbeCtx;
use kapi::percpu::PerCpu;
use kapi::publish::{Published, Retired};
use kapi::wake::Waker;
use kernel::prelude::*;
use kernel::sync::Arc;
use plan::enabling::Enabling;
use plan::probe::Special;
use plan::vars::Vars;

/// The phase of the tracing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub(crate) enum Activity {
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
pub(crate) struct CpuState {
    pub(crate) principal: Principal<KVVec<u8>>,
    pub(crate) aggs: AggBuffer<KVVec<u64>>,
    pub(crate) scratch: KVVec<u8>,
    /// The bytes of it that the clauses of this firing have kept.
    pub(crate) kept: usize,
    /// This CPU's parts of the speculations.
    pub(crate) parts: KVVec<Part<KVVec<u8>>>,
    /// `this->` variables.
    pub(crate) locals: KVVec<u64>,
    /// Key of the aggregation being built.
    pub(crate) key: Key<KVVec<u64>>,
    /// State of the pseudo-random numbers.
    pub(crate) random: u64,
    /// The remaining budget of this consumer's clauses in this firing.
    pub(crate) budget: Budget,
    /// Their total cost at the last check whether the machine is alive.
    pub(crate) asked: u32,
}

/// The words of each CPU's cache of keys: a power of two.
const CACHE: usize = 512 * buffers::aggregation::SLOT;

/// The most values with constant keys that have a number.
const NUMBERS: usize = 4096;

/// Returns how many values have a number: aggregations without a key, and those with constant keys.
fn numbers(e: &Enabling) -> usize {
    let fixed = e.statements.iter().any(|s| s.clause.shortcut.numbers() > 0);
    e.aggs.len().saturating_add(if fixed { NUMBERS } else { 0 })
}

/// Counters that any CPU may raise.
#[derive(Default)]
pub(crate) struct Counters {
    pub(crate) dyndrops: AtomicU64,
    pub(crate) dyndrops_busy: AtomicU64,
    /// Probes that came while tracing and should have been enabled.
    pub(crate) left_out: AtomicU64,
    pub(crate) dblerrors: AtomicU64,
    /// Records without room in a speculation, or in the trace when it was committed.
    pub(crate) specdrops: AtomicU64,
    pub(crate) specdrops_busy: AtomicU64,
    pub(crate) specdrops_unavail: AtomicU64,
    /// Signals that could not be queued.
    pub(crate) sigdrops: AtomicU64,
    /// 1 when a buffer of the policy fill had no room.
    pub(crate) filled: AtomicU32,
    /// 1 when a buffer has become half full, and the consumer has not been woken yet.
    pub(crate) pressing: AtomicU32,
    /// 1 when a firing cost too much.
    pub(crate) killed: AtomicU32,
}

/// Shared by all ECBs of a consumer.
pub struct Shared {
    activity: AtomicU32,
    pub(crate) cpus: PerCpu<RefCell<CpuState>>,
    pub(crate) vars: Vars,
    pub(crate) globals: Words,
    pub(crate) dynvars: DynVars,
    pub(crate) speculations: States<KVVec<AtomicU32>>,
    pub(crate) strsize: usize,
    /// Whether CPUs have parts of speculations.
    pub(crate) has_parts: bool,
    /// Only this CPU traces, if not [`UNSET`].
    pub(crate) only_cpu: u64,
    pub(crate) counters: Counters,
    /// The deadman: the checks of the machine and of the consumer.
    deadman: Deadman,
    pulse: Arc<Pulse>,
    waker: Option<Waker>,
    pub(crate) unwind: Arc<Unwind>,
    special: [Published<Chain>; 3],
    /// The consumer's process: its name and id.
    pub(crate) owner: ([u8; 16], i32),
    /// The first number that is not used yet, and the end of the numbers. The lowest ones belong to
    /// aggregations without a key.
    numbers: (AtomicU32, u32),
    /// Whether it may stop processes and CPUs. It may do so for long, so the deadman ignores it.
    pub(crate) may_destroy: bool,
    /// One of [`abi::option::policy`].
    pub(crate) policy: u64,
    pub(crate) bufsize: usize,
    pub(crate) aggsize: usize,
    pub(crate) dynvarsize: usize,
    pub(crate) specsize: usize,
    /// The nested probes that the CPUs had dropped before this consumer started.
    pub(crate) nested_before: u64,
}

/// Allocates a CPU's parts of `n` speculations.
fn parts_of(n: usize, size: usize) -> kernel::error::Result<KVVec<Part<KVVec<u8>>>> {
    let mut parts = kapi::mem::vec(n)?;
    for _ in 0..n {
        let _ = parts.push_within_capacity(Part::new(kapi::mem::zeroed_bytes(size)?));
    }
    Ok(parts)
}

/// No size is lowered below this.
const LEAST: u64 = 4096;

/// The memory of a consumer whose size an option sets.
struct Memory {
    cpus: PerCpu<RefCell<CpuState>>,
    dynvars: DynVars,
}

/// Names the option if there is no memory for its size.
fn of<T>(
    id: OptionId,
    short: &Cell<Option<OptionId>>,
    made: kernel::error::Result<T>,
) -> kernel::error::Result<T> {
    if made.is_err() {
        short.set(Some(id));
    }
    made
}

/// Allocates a principal buffer. With the policy fill, `reserve` bytes are kept for END.
fn principal_of(
    policy: u64,
    size: usize,
    reserve: usize,
) -> kernel::error::Result<Principal<KVVec<u8>>> {
    let memory = kapi::mem::zeroed_bytes(size)?;
    Ok(match policy {
        policy::FILL => Principal::fill(memory, reserve),
        policy::RING => {
            Principal::ring(memory, kapi::mem::zeroed_bytes(principal::starts_for(size))?)
        }
        _ => Principal::new(memory),
    })
}

impl Memory {
    /// Allocates it by `options`. If memory is short, `short` is the option to lower.
    #[inline(never)]
    fn new(e: &Enabling, options: &Options, short: &Cell<Option<OptionId>>) -> Result<Self> {
        // CAST: the options' bounds; 64 bits.
        let size = |id| options.get(id) as usize;
        let (bufsize, specsize) = (size(OptionId::Bufsize), size(OptionId::Specsize));
        // No aggregation, no memory for it.
        let aggsize = if e.aggs.is_empty() { 0 } else { size(OptionId::Aggsize) };
        let policy = options.get(OptionId::Bufpolicy);
        let reserve = if policy == policy::FILL { e.end_size() } else { 0 };
        if reserve > bufsize {
            return Err(Error::End);
        }
        // It would never record anything, and `exit()` in it would never end the tracing.
        if e.largest_record() > bufsize {
            return Err(Error::Large);
        }
        let only_cpu = options.get(OptionId::Cpu);
        // No speculate(), no memory for it; but speculation() finds what it may.
        let parts = if e.speculates { size(OptionId::Nspec) } else { 0 };
        let (locals, key, known) = (e.vars.local.words(), e.key_words, numbers(e));
        let scratch = dif::scratch::size(size(OptionId::Strsize), e.vars.largest());
        let seed = kapi::time::seed();
        let cpus = PerCpu::new(|cpu| {
            let here = kapi::xcall::is_online(cpu) && (only_cpu == UNSET || only_cpu == cpu as u64);
            // An offline CPU gets nothing.
            let some = |n: usize| if here { n } else { 0 };
            let words = |n: usize| kapi::mem::zeroed_words(some(n));
            Ok(RefCell::new(CpuState {
                principal: of(
                    OptionId::Bufsize,
                    short,
                    principal_of(policy, some(bufsize), reserve),
                )?,
                aggs: AggBuffer::new(
                    of(OptionId::Aggsize, short, words(aggsize / 8))?,
                    seed,
                    words(known)?,
                    words(if key > 0 { CACHE } else { 0 })?,
                ),
                parts: of(OptionId::Specsize, short, parts_of(some(parts), specsize))?,
                // The second half is for memory that clauses keep for later ones.
                scratch: kapi::mem::zeroed_bytes(some(scratch.saturating_mul(2)))?,
                kept: 0,
                locals: words(locals)?,
                key: Key::new(words(key)?, words(key)?),
                budget: Budget::new(),
                asked: 0,
                random: kapi::time::monotonic_ns() ^ (cpu as u64) << 32 | 1,
            }))
        })?;
        let dynvars = DynVars::new(size(OptionId::Dynvarsize), &e.vars);
        Ok(Self { cpus, dynvars: of(OptionId::Dynvarsize, short, dynvars)? })
    }
}

impl Shared {
    /// Allocates the memory for an enabling, whose variables move here. With bufresize=auto, a size
    /// without memory is halved until it fits.
    #[inline(never)]
    pub(crate) fn new(
        e: &mut Enabling,
        pulse: Arc<Pulse>,
        waker: Option<Waker>,
        unwind: Arc<Unwind>,
    ) -> Result<Self> {
        let mut options = e.options.clone();
        let may_shrink = options.get(OptionId::Bufresize) == 0;
        let only_cpu = options.get(OptionId::Cpu);
        let is_there = |cpu| usize::try_from(cpu).is_ok_and(kapi::xcall::is_online);
        if only_cpu != UNSET && !is_there(only_cpu) {
            return Err(Error::Cpu(only_cpu));
        }
        let Memory { cpus, dynvars } = loop {
            let short = Cell::new(None);
            match Memory::new(e, &options, &short) {
                Ok(memory) => break memory,
                Err(why) => {
                    let Some(id) = short.get() else { return Err(why) };
                    let half = options.get(id) / 2;
                    if !may_shrink || half < LEAST || !options.set(id, half) {
                        return Err(Error::Short(id, options.get(id)));
                    }
                }
            }
        };
        // CAST: the options' bounds; 64 bits.
        let size = |id| options.get(id) as usize;
        let nspec = size(OptionId::Nspec);
        let mut states = kapi::mem::vec(nspec)?;
        for _ in 0..nspec {
            let _ = states.push_within_capacity(AtomicU32::new(0));
        }
        let mut owner = ([0; 16], kapi::task::pid());
        kapi::task::comm(&mut owner.0);
        let globals = Words::new(e.vars.global.words())?;
        let this = Self {
            activity: AtomicU32::new(Activity::Inactive as u32),
            cpus,
            vars: core::mem::take(&mut e.vars),
            globals,
            dynvars,
            speculations: States::new(states),
            strsize: size(OptionId::Strsize),
            has_parts: e.speculates,
            only_cpu,
            counters: Counters::default(),
            deadman: Deadman::new()?,
            pulse,
            waker,
            unwind,
            special: [Published::empty(), Published::empty(), Published::empty()],
            owner,
            // CAST: both are less than the bytes of an enabling.
            numbers: (AtomicU32::new(e.aggs.len() as u32), numbers(e) as u32),
            may_destroy: options.get(OptionId::Destructive) == 1,
            policy: options.get(OptionId::Bufpolicy),
            bufsize: size(OptionId::Bufsize),
            aggsize: if e.aggs.is_empty() { 0 } else { size(OptionId::Aggsize) },
            dynvarsize: size(OptionId::Dynvarsize),
            specsize: size(OptionId::Specsize),
            nested_before: kapi::context::nested(),
        };
        Ok(this)
    }

    /// Ends the tracing because a buffer with the policy fill has no room for a record.
    pub(crate) fn fill(&self) {
        self.counters.filled.store(1, Ordering::Relaxed);
        self.drain();
    }

    /// Counts probes that came while tracing and were left out.
    pub(crate) fn count_left_out(&self, n: u64) {
        self.counters.left_out.fetch_add(n, Ordering::Relaxed);
    }

    /// Frees the variables of a thread that has ended.
    pub(crate) fn end_thread(&self, ctx: &ProbeCtx, thread: u64) {
        if !self.dynvars.end_thread(ctx.cpu(), thread, &self.vars.thread) {
            // Its space is lost until the tracing ends.
            self.counters.dyndrops.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Reserves `n` numbers and returns the first one; [`u32::MAX`], which is never used, if there
    /// are not enough.
    pub(crate) fn take_numbers(&self, n: u32) -> u32 {
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

    /// The phase of the tracing.
    #[inline]
    pub(crate) fn activity(&self) -> Activity {
        Activity::from_number(self.activity.load(Ordering::Acquire))
    }

    /// Tells whether probes fire on this CPU now.
    #[inline]
    pub(crate) fn is_live(&self, ctx: &ProbeCtx) -> bool {
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
    pub(crate) fn advance(&self, from: Activity, to: Activity) -> bool {
        let (from, to) = (self.number(from), self.number(to));
        self.activity.compare_exchange(from, to, Ordering::AcqRel, Ordering::Acquire).is_ok()
    }

    /// Sets the phase, whatever the last one was.
    pub(crate) fn set_activity(&self, to: Activity) {
        self.activity.store(self.number(to), Ordering::Release);
    }

    /// Ends the tracing if the consumer has been silent for too long. It runs each second, on each
    /// CPU, in an interrupt.
    pub(crate) fn watch(&self) {
        let now = kapi::time::monotonic_ns();
        if self.pulse.is_gone(now) {
            self.kill();
        }
        let look = |ctx: &ProbeCtx| match self.cpus.get(ctx).try_borrow() {
            Ok(cpu) => self.deadman.look(ctx, now, cpu.budget.spent()),
            Err(_) => Life::Quiet,
        };
        match kapi::context::enter(look) {
            None | Some(Life::Quiet) => {}
            // This is outside of the probe context, because the called code may have probes.
            Some(Life::Busy) => kapi::alive::ask(),
            Some(Life::Dead) if self.may_destroy => {}
            Some(Life::Dead) => self.kill(),
        }
    }

    /// Tells whether this CPU only serves probes, and has just served some. It ignores consumers
    /// that may stop CPUs.
    pub(crate) fn is_unresponsive(&self, ctx: &ProbeCtx, now: u64) -> bool {
        !self.may_destroy && self.deadman.is_dead(ctx, now, 1)
    }

    /// Wakes the consumer because a buffer is more than half full.
    pub(crate) fn press(&self) {
        // It is written only once, because all CPUs read this word.
        if self.counters.pressing.load(Ordering::Relaxed) == 0 {
            self.counters.pressing.store(1, Ordering::Relaxed);
            self.wake();
        }
    }

    /// Wakes the consumer.
    #[cold]
    pub(crate) fn wake(&self) {
        if let Some(waker) = &self.waker {
            waker.wake();
        }
    }

    /// Ends the tracing of a consumer whose clauses cost too much.
    pub(crate) fn kill(&self) {
        self.counters.killed.store(1, Ordering::Relaxed);
        self.drain();
    }

    /// Lets only END fire from here on. The first caller wins.
    pub(crate) fn drain(&self) {
        if self.advance(Activity::Active, Activity::Draining)
            || self.advance(Activity::Warmup, Activity::Draining)
        {
            self.wake();
        }
    }

    /// Returns the consumer's own chain of a special probe.
    pub(crate) fn special(&self, which: Special) -> &Published<Chain> {
        let [begin, end, error] = &self.special;
        match which {
            Special::Begin => begin,
            Special::End => end,
            Special::Error => error,
        }
    }

    /// Removes the special chains, which breaks the cycle of references.
    pub(crate) fn take_special(&self) -> [Option<Retired<Chain>>; 3] {
        Special::ALL.map(|s| self.special(s).swap(None))
    }
}
