// SPDX-License-Identifier: GPL-2.0
//! Allocates everything that a consumer's probes write, because a firing probe cannot allocate.

use crate::{Error, Result};
use abi::difo::MAX_BY_REF;
use abi::option::{policy, OptionId, Options, UNSET};
use abi::unwind::FILES;
use buffers::elements::Elements;
use buffers::speculation::{Part, States};
use buffers::{principal, AggBuffer, Key, Principal};
use core::cell::{Cell, RefCell};
use core::sync::atomic::AtomicU32;
use fire::budget::Budget;
use fire::deadman::{Deadman, Here};
use fire::dynvar::DynVars;
use fire::shared::{Activity, Counters, CpuState, Shared, LINE};
use fire::unwind::{Object, Unwind, MET};
use fire::words::Words;
use kapi::percpu::{self, PerCpu};
use kapi::publish::{Published, Replace, Retired};
use kapi::task::ROOT;
use kapi::wake::Waker;
use kapi::{mem, task, xcall};
use kernel::prelude::*;
use kernel::sync::Arc;
use plan::enabling::Enabling;
use plan::quota::{Portion, Quota};
use plan::sizes::Sizes;
use plan::vars::Vars;

/// The words of each CPU's cache of keys: a power of two.
const CACHE: usize = 512 * buffers::aggregation::SLOT;

/// The most values with constant keys that have a number.
const NUMBERS: usize = 4096;

/// Returns how many values have a number: aggregations without a key, and those with constant keys.
fn numbers(e: &Enabling) -> usize {
    let fixed = e.statements.iter().any(|s| s.clause.shortcut.numbers() > 0);
    e.aggs.len().saturating_add(if fixed { NUMBERS } else { 0 })
}

/// Allocates a CPU's parts of `n` speculations.
fn parts_of(n: usize, size: usize) -> kernel::error::Result<KVVec<Part<KVVec<u8>>>> {
    let mut parts = mem::accounted::vec(n)?;
    for _ in 0..n {
        let _ = parts.push_within_capacity(Part::new(mem::zeroed_bytes(size)?));
    }
    Ok(parts)
}

/// No size is halved to less than this, in bytes.
const LEAST: u64 = 4096;

/// The memory of all consumers whose size options set, in bytes.
static ALL: Quota = Quota::new();

/// Counts memory of these sizes on so many CPUs. A consumer may have a quarter of the memory that is
/// available, and all together half of the machine's. If that is too little, `short` is the option
/// that needs most, unless there is too little even for what no option sets.
fn pay(
    sizes: &Sizes,
    cpus: usize,
    is_root: bool,
    short: &Cell<Option<OptionId>>,
) -> Result<Portion> {
    let memory = Portion::new(&ALL, is_root);
    let fits = |n| n <= mem::available() / 4 && memory.take(n, mem::total() / 2);
    let (needs, rest) = sizes.on(cpus);
    if fits(needs.iter().fold(rest, |sum, (_, bytes)| sum.saturating_add(*bytes))) {
        return Ok(memory);
    }
    if !fits(rest) {
        return Err(Error::TooMany("bytes of variables and speculations for the memory there is"));
    }
    short.set(needs.iter().max_by_key(|(_, bytes)| *bytes).map(|(id, _)| *id));
    Err(Error::Memory)
}

/// The memory of a consumer whose size an option sets.
struct Memory {
    cpus: PerCpu<RefCell<CpuState>>,
    dynvars: DynVars,
    paid: Portion,
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
    let memory = mem::zeroed_bytes(size)?;
    Ok(match policy {
        policy::FILL => Principal::fill(memory, reserve),
        policy::RING => Principal::ring(memory, mem::zeroed_bytes(principal::starts_for(size))?),
        _ => Principal::new(memory),
    })
}

/// Returns the bytes that [`dynvars`] allocates.
fn dynvars_size(bytes: usize, vars: &Vars) -> usize {
    let room = DynVars::room(bytes, vars, kapi::context::cpus());
    let words = room.words.saturating_add(room.elements).saturating_add(room.ended);
    words.saturating_mul(size_of::<u64>())
}

/// Allocates a space of `bytes` for these variables.
fn dynvars(bytes: usize, vars: &Vars) -> kernel::error::Result<DynVars> {
    let cpus = kapi::context::cpus();
    let room = DynVars::room(bytes, vars, cpus);
    let words = mem::zeroed_atomics(room.words)?;
    let memory = mem::zeroed_atomics(room.elements)?;
    let ended = mem::zeroed_atomics(room.ended)?;
    Ok(DynVars::new(words, Elements::new(memory, cpus, kapi::time::seed()), ended))
}

impl Memory {
    /// Allocates it by `options`. If memory is short, `short` is the option to lower.
    #[inline(never)]
    fn new(e: &Enabling, options: &Options, short: &Cell<Option<OptionId>>) -> Result<Self> {
        // CAST: the options' bounds; 64 bits.
        let size = |id| options.get(id) as usize;
        let (bufsize, specsize) = (size(OptionId::Bufsize), size(OptionId::Specsize));
        // Without aggregations, no memory is needed for them.
        let aggsize = if e.aggs.is_empty() { 0 } else { size(OptionId::Aggsize) };
        let policy = options.get(OptionId::Bufpolicy);
        let reserve = if policy == policy::FILL { e.end_size() } else { 0 };
        if reserve > bufsize {
            return Err(Error::End);
        }
        // Such a clause would never record anything, and an `exit()` in it would never end the
        // tracing.
        if e.largest_record() > bufsize {
            return Err(Error::Large);
        }
        let only_cpu = options.get(OptionId::Cpu);
        // Without speculate(), no memory is needed, but speculation() must still find free ones.
        let parts = if e.speculates { size(OptionId::Nspec) } else { 0 };
        // `tracemem(copyin(arg1, 4096), 4096)` needs as much as it records. The second half is for
        // memory that clauses keep for later ones.
        let largest = e.vars.largest().max(e.largest_record().min(MAX_BY_REF as usize));
        let scratch = dif::scratch::size(size(OptionId::Strsize), largest).saturating_mul(2);
        let s = Sizes {
            buffer: bufsize,
            starts: if policy == policy::RING { principal::starts_for(bufsize) } else { 0 },
            aggs: aggsize / 8,
            known: numbers(e),
            cache: if e.key_words > 0 { CACHE } else { 0 },
            parts,
            part: specsize,
            scratch,
            locals: e.vars.local.words(),
            key: e.key_words,
            dynvars: dynvars_size(size(OptionId::Dynvarsize), &e.vars),
            globals: e.vars.global.words(),
            speculations: size(OptionId::Nspec),
        };
        // A CPU that is offline gets nothing, even if it comes online from here on.
        let is_here = |cpu| xcall::is_online(cpu) && (only_cpu == UNSET || only_cpu == cpu as u64);
        let mut here = mem::filled(kapi::context::cpus(), false)?;
        here.iter_mut().enumerate().for_each(|(cpu, here)| *here = is_here(cpu));
        let paid = pay(&s, here.iter().filter(|here| **here).count(), e.is_root, short)?;
        let seed = kapi::time::seed();
        let cpus = percpu::new(|cpu| {
            let is_here = here.get(cpu) == Some(&true);
            let some = |n: usize| if is_here { n } else { 0 };
            let words = |n: usize| mem::zeroed_words(some(n));
            Ok(RefCell::new(CpuState {
                principal: of(
                    OptionId::Bufsize,
                    short,
                    principal_of(policy, some(s.buffer), reserve),
                )?,
                aggs: AggBuffer::new(
                    of(OptionId::Aggsize, short, words(s.aggs))?,
                    seed,
                    words(s.known)?,
                    words(s.cache)?,
                ),
                parts: of(OptionId::Specsize, short, parts_of(some(s.parts), s.part))?,
                scratch: mem::zeroed_bytes(some(s.scratch))?,
                kept: 0,
                locals: words(s.locals)?,
                key: Key::new(words(s.key)?, words(s.key)?),
                budget: Budget::default(),
                asked: 0,
                random: kapi::time::monotonic_ns() ^ (cpu as u64) << 32 | 1,
            }))
        })?;
        let dynvars = dynvars(size(OptionId::Dynvarsize), &e.vars);
        Ok(Self { cpus, dynvars: of(OptionId::Dynvarsize, short, dynvars)?, paid })
    }
}

/// Allocates the memory for an enabling, whose variables move here. With bufresize=auto, a size
/// without memory is halved until it fits.
#[inline(never)]
pub(crate) fn shared(
    e: &mut Enabling,
    waker: Option<Arc<Waker>>,
    unwind: Arc<Unwind>,
) -> Result<Shared> {
    let mut options = e.options.clone();
    let may_shrink = options.get(OptionId::Bufresize) == 0;
    let only_cpu = options.get(OptionId::Cpu);
    let is_there = |cpu| usize::try_from(cpu).is_ok_and(xcall::is_online);
    if only_cpu != UNSET && !is_there(only_cpu) {
        return Err(Error::Cpu(only_cpu));
    }
    let Memory { cpus, dynvars, paid } = loop {
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
    let mut states = mem::vec(nspec)?;
    for _ in 0..nspec {
        let _ = states.push_within_capacity(AtomicU32::new(0));
    }
    let mut owner = ([0; 16], task::pid());
    task::comm(&mut owner.0);
    let globals = Words::new(mem::zeroed_atomics(e.vars.global.words())?);
    Ok(Shared {
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
        pauses: Words::new(mem::zeroed_atomics(kapi::context::cpus().saturating_mul(LINE))?),
        deadman: Deadman::new(percpu::new(|_| Ok(Here::new()))?),
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
        memory: paid,
    })
}

/// Allocates the places for the unwinding rows of files, for a consumer of the current task.
pub(crate) fn unwind() -> Result<Unwind> {
    let mut files = mem::accounted::vec(FILES)?;
    for _ in 0..FILES {
        let _ = files.push_within_capacity(Published::empty());
    }
    let is_root = task::owner() == ROOT;
    Ok(Unwind::new(files, mem::zeroed_atomics(MET)?, kapi::time::seed(), is_root))
}

/// Adds the unwinding rows of a file. It must not run twice at the same time for a consumer.
pub(crate) fn add_rows(unwind: &Unwind, key: abi::unwind::Key, rows: KVVec<u8>) -> Result {
    Object::check(&rows).map_err(Error::Rows)?;
    let size = rows.len();
    let object = mem::boxed(Object { key: Some(key), rows })?;
    let is_free = |p: &&Published<Object>| p.with(|o| o.is_none_or(|o| o.key.is_none()));
    let is_full = || !unwind.all_places().any(|p| is_free(&p));
    let place = place_of(unwind, key).or_else(|| unwind.places(key).find(is_free));
    let place = place.ok_or_else(|| match is_full() {
        true => Error::TooMany("files with rows"),
        false => Error::Taken,
    })?;
    if !unwind.pay(size) {
        return Err(Error::TooMany("bytes of rows"));
    }
    if let Some(old) = place.swap(Some(object)).and_then(Retired::into_inner) {
        unwind.refund(old.rows.len());
    }
    Ok(())
}

/// Removes the unwinding rows of a file. It must not run at the same time as [`add_rows`].
pub(crate) fn remove_rows(unwind: &Unwind, key: abi::unwind::Key) -> Result {
    let place = place_of(unwind, key).ok_or(ENOENT)?;
    let removed = mem::boxed(Object { key: None, rows: KVVec::new() })?;
    if let Some(old) = place.swap(Some(removed)).and_then(Retired::into_inner) {
        unwind.refund(old.rows.len());
    }
    Ok(())
}

/// Returns the place of a file that has rows.
fn place_of(unwind: &Unwind, key: abi::unwind::Key) -> Option<&Published<Object>> {
    unwind.places(key).find(|p| p.with(|o| o.is_some_and(|o| o.key == Some(key))))
}
