// SPDX-License-Identifier: GPL-2.0
//! A consumer, from open to close. Each open file is one consumer.
//!
//! ```text
//! open ─► Idle ──ENABLE──► Enabled ──GO──► Tracing ──STOP──► Stopped ─► close
//! ```
//! ENABLE checks and plans; GO allocates the buffers, enables the probes and fires BEGIN; STOP
//! fires END. In every phase, closing (also by a kill) disables and frees everything.

use crate::framework::Framework;
use crate::memory;
use crate::provider::Explanation;
use crate::pulse::{Beat, Pulse};
use crate::tracing::{go_on, Held};
use crate::{Error, Result};
use abi::ids::{AggId, Epid, FormatId, ProbeId};
use abi::ioctl::{Go, MAX_DONE};
use abi::option::policy;
use abi::probe::Techniques;
use abi::record::{AggDesc, EprobeDesc, RecDesc, RecordHeader};
use abi::status::{killed, Status};
use abi::unwind::{Key, MAX_STRANGERS};
use buffers::speculation::End;
use core::ops::Deref;
use core::sync::atomic::Ordering::Relaxed;
use fire::deadman::{Life, INTERVAL};
use fire::fire_special;
use fire::shared::{Activity, CpuState, Shared};
use fire::steps::end_speculations;
use fire::unwind::Unwind;
use fire::Probe;
use kapi::context::ProbeCtx;
use kapi::follow::Follower;
use kapi::task::{self, ROOT};
use kapi::timer::{Interrupted, Tick, Ticker};
use kapi::wake::{self, Waker};
use kapi::{mem, xcall};
use kernel::prelude::*;
use kernel::sync::{new_mutex, Arc, Mutex};
use kernel::time::Delta;
use plan::enabling::Enabling;
use plan::matching::Matcher;
use plan::probe::Special;
use plan::report::Text;

enum Phase {
    Idle,
    Enabled(KBox<Enabling>),
    Tracing(Arc<Shared>),
    Stopped(Arc<Shared>),
}

/// The process-side state of a consumer. Its lock comes before the framework's.
struct Inner {
    phase: Phase,
    /// Memory that replaces the buffer that the next snapshot takes.
    spare: Spare<KVVec<u8>>,
    spare_aggs: Spare<KVVec<u64>>,
    report: Text,
    /// Wakes the consumer, from GO on.
    waker: Option<Arc<Waker>>,
    /// Follows processes, until the tracing ends.
    follower: Option<Follower>,
    /// Exists while tracing goes on.
    deadman: Option<Ticker<Watch>>,
}

/// Spare memory that replaces a buffer that is taken. It exists while there are records to take.
///
/// Only one snapshot is on its way to the user at a time: each would keep a buffer for as long as
/// the user's memory does not answer, and [`memory`] has counted only one spare.
#[derive(Default)]
struct Spare<M> {
    memory: M,
    /// A snapshot is on its way.
    is_out: bool,
    /// The time when it was last used, in ns.
    used: u64,
}

/// Spare memory that is unused for this long is freed, in ns.
const IDLE: u64 = 2_000_000_000;

/// Ends the tracing if the consumer has been silent for too long, if its probes keep a CPU from
/// running threads, or if a firing has died by an error of ours. Each CPU checks this each second.
/// If the program may stop processes and CPUs, only the last reason counts.
struct Watch {
    shared: Arc<Shared>,
    pulse: Arc<Pulse>,
    /// The firings that had died when the tracing began.
    deaths: u64,
}

impl Tick for Watch {
    fn tick(&self, _: Interrupted) {
        let (now, shared) = (kapi::time::monotonic_ns(), &*self.shared);
        if kapi::context::deaths() != self.deaths {
            return shared.kill(killed::DIED);
        }
        if shared.may_destroy {
            return;
        }
        if self.pulse.is_gone(now) {
            shared.kill(killed::UNRESPONSIVE);
        }
        let look = |ctx: &ProbeCtx| match shared.cpus.get(ctx).try_borrow() {
            Ok(cpu) => shared.deadman.look(ctx, now, cpu.budget.spent()),
            Err(_) => Life::Quiet,
        };
        match kapi::context::enter(look) {
            None | Some(Life::Quiet) => {}
            // This is outside of the probe context, because the called code may have probes.
            Some(Life::Busy) => kapi::alive::ask(),
            Some(Life::Dead) => shared.kill(killed::UNRESPONSIVE),
        }
    }
}

/// The parts that end with the consumer in every phase.
struct Session {
    framework: Arc<Framework>,
    number: u64,
    pulse: Arc<Pulse>,
    unwind: Arc<Unwind>,
}

impl Drop for Session {
    fn drop(&mut self) {
        self.framework.end(self.number);
    }
}

/// A consumer.
#[pin_data]
pub struct Consumer {
    session: Session,
    #[pin]
    inner: Mutex<Inner>,
}

/// The result of a snapshot, besides its data.
pub struct Snapshot {
    /// The bytes that the sink got.
    pub size: usize,
    /// The offset of the oldest record.
    pub oldest: usize,
    /// The records or keys that found no room.
    pub drops: u64,
    /// Faults.
    pub errors: u32,
    /// Monotonic time of the swap, ns.
    pub timestamp: u64,
}

impl Snapshot {
    /// An empty result without a time.
    const NOTHING: Self = Self { size: 0, oldest: 0, drops: 0, errors: 0, timestamp: 0 };
}

impl Consumer {
    /// Creates a consumer in the phase Idle.
    pub fn new(framework: Arc<Framework>) -> impl PinInit<Self, kernel::error::Error> {
        let number = framework.new_consumer();
        try_pin_init!(Self {
            session: Session {
                framework,
                number,
                pulse: mem::arc(Pulse::new())?,
                unwind: mem::arc(memory::unwind().map_err(|e| e.errno())?)?,
            },
            inner <- new_mutex!(Inner {
                phase: Phase::Idle,
                spare: Spare::default(),
                spare_aggs: Spare::default(),
                report: Text::new(),
                waker: None,
                follower: None,
                deadman: None,
            }),
        })
    }

    /// Marks the consumer as alive until the returned value is dropped.
    pub fn beat(&self) -> Beat<'_> {
        self.session.pulse.beat()
    }

    /// Keeps the consumer alive although nobody takes its records, until [`Self::expect`].
    pub fn excuse(&self) {
        self.session.pulse.excuse();
    }

    /// Ends [`Self::excuse`]: from here on, somebody must take the records. Call it once.
    pub fn expect(&self) {
        self.session.pulse.expect();
    }

    /// Keeps the text of a refusal until it is read.
    pub fn set_report(&self, e: &Error) {
        self.inner.lock().report = Text::of(e);
    }

    /// Passes the text of the last refusal to `sink`, which may wait for user memory.
    pub fn report<R>(&self, sink: impl FnOnce(&[u8]) -> R) -> R {
        // The text is not copied, because the refusal may be a lack of memory.
        let text = core::mem::take(&mut self.inner.lock().report);
        let given = sink(text.bytes());
        let mut inner = self.inner.lock();
        if inner.report.is_empty() {
            inner.report = text;
        }
        given
    }

    /// Calls `sink` with matching probes and how they are implemented, until it returns stop.
    /// Returns the position to continue from.
    pub fn probes(
        &self,
        pattern: &abi::probe::ProbeDesc,
        cursor: u32,
        sink: impl FnMut(&Probe, Techniques) -> Result<bool>,
    ) -> Result<u32> {
        let parts = pattern.parts();
        if parts.iter().any(|p| abi::probe::is_glob_too_deep(p)) {
            return Err(Error::TooMany("globbing characters in a probe description"));
        }
        let matcher = Matcher::new(pattern.id, parts);
        let framework = &self.session.framework;
        if cursor == 0 {
            framework.provide(&matcher, None)?;
        }
        let exactly = pattern.how != 0;
        let end = framework.for_matching(&matcher, cursor as usize, exactly, sink)?;
        // CAST: positions are probe ids, which have 32 bits.
        Ok(end as u32)
    }

    /// Explains why there is no probe of this name.
    pub fn explain(&self, pattern: &abi::probe::ProbeDesc) -> Result<Explanation> {
        let [provider, module, function, name] = pattern.parts();
        if function.is_empty() && name.is_empty() {
            return Err(Error::NoSuch("explanation: it takes a function or a name"));
        }
        let matcher = Matcher::new(ProbeId::NONE, [provider, b"", b"", b""]);
        let of = |p: &dyn crate::Provider| matcher.may_be(p.name(), &[]);
        self.session.framework.provide(&matcher, None)?;
        self.session.framework.explain(of, [module, function, name])
    }

    /// Adds an enabling. Returns the number of probes that it matches now.
    pub fn enable(&self, dof: &[u8]) -> Result<u32> {
        let mut inner = self.inner.lock();
        let mut first = None;
        let enabling = match &mut inner.phase {
            Phase::Enabled(e) => e,
            Phase::Idle => first.insert(Enabling::of(task::owner() == ROOT)?),
            _ => return Err(Error::Phase("tracing has started: nothing more can be enabled")),
        };
        let before = enabling.mark()?;
        let added = enabling.add(dof, may_destroy, &mut go_on);
        let matched = match added.and_then(|from| self.matches(enabling, from)) {
            Ok(matched) => matched,
            Err(e) => {
                enabling.back_to(before);
                return Err(e);
            }
        };
        if let Some(e) = first {
            inner.phase = Phase::Enabled(e);
        }
        Ok(matched)
    }

    /// Returns how many probes the statements from position `from` on match, after all providers
    /// have offered theirs.
    #[inline(never)]
    fn matches(&self, enabling: &Enabling, from: usize) -> Result<u32> {
        let Session { framework, number, .. } = &self.session;
        for s in enabling.statements.get(from..).unwrap_or_default() {
            go_on()?;
            framework.provide(&s.pattern.matcher(), Some(*number))?;
        }
        framework.count(enabling, from)
    }

    /// Sets the eventfd that wakes the consumer, from GO on.
    pub fn wake_by(&self, fd: i32) -> Result {
        let mut inner = self.inner.lock();
        match inner.phase {
            Phase::Idle | Phase::Enabled(_) => {
                inner.waker = Some(mem::arc(wake::waker(fd)?)?);
                inner.follower = Some(Follower::new(fd)?);
            }
            _ => {
                return Err(Error::Phase(
                    "tracing has started: what wakes the consumer is said before",
                ))
            }
        }
        Ok(())
    }

    /// Follows a process, or every process (0): reports new mappings from now on.
    pub fn follow(&self, pid: u32) -> Result {
        let inner = self.inner.lock();
        let follower = inner.follower()?;
        match pid {
            0 => Ok(follower.follow_everyone()?),
            _ => Ok(follower.follow(pid)?),
        }
    }

    /// Stops reports about a file that any process may map.
    pub fn ignore(&self, key: &Key) -> Result {
        Ok(self.inner.lock().follower()?.ignore(key.inode, key.modified, key.device)?)
    }

    /// Takes the ids of processes that have mapped something while all processes are followed; 0 is
    /// none.
    pub fn begun(&self) -> Result<[u32; MAX_STRANGERS]> {
        let mut pids = [0; MAX_STRANGERS];
        self.inner.lock().follower()?.begun(&mut pids);
        Ok(pids)
    }

    /// Acknowledges all mappings up to this number. Returns how many threads did not wait for that.
    pub fn seen(&self, mapped: u32) -> Result<u32> {
        Ok(self.inner.lock().follower()?.answer(mapped))
    }

    /// Adds the unwinding rows of a file.
    pub fn add_object(&self, key: Key, rows: KVVec<u8>) -> Result {
        let _one = self.inner.lock();
        memory::add_rows(&self.session.unwind, key, rows)
    }

    /// Removes the unwinding rows of a file.
    pub fn remove_object(&self, key: Key) -> Result {
        let _one = self.inner.lock();
        memory::remove_rows(&self.session.unwind, key)
    }

    /// Takes the ids of processes whose mappings the consumer must read.
    pub fn take_strangers(&self) -> [u32; MAX_STRANGERS] {
        self.session.unwind.take_strangers()
    }

    /// Starts the tracing and runs BEGIN. If that fails, the enablings are dropped.
    pub fn go(&self) -> Result<Go> {
        let mut inner = self.inner.lock();
        if let Phase::Enabled(e) = &inner.phase {
            if e.is_destructive() {
                may_destroy()?;
            }
        }
        let mut enabling = match core::mem::replace(&mut inner.phase, Phase::Idle) {
            Phase::Enabled(e) => e,
            other => {
                inner.phase = other;
                return Err(Error::Phase("nothing is enabled, or tracing has started already"));
            }
        };
        let Session { pulse, unwind, .. } = &self.session;
        let waker = inner.waker.clone();
        let shared = memory::shared(&mut enabling, waker, unwind.clone())?;
        let shared = mem::arc(shared)?;
        let deaths = kapi::context::deaths();
        let watch = mem::boxed(Watch { shared: shared.clone(), pulse: pulse.clone(), deaths })?;
        let deadman = Ticker::start(watch, Delta::from_nanos(INTERVAL), true)?;
        self.session.framework.start(self.session.number, enabling, shared.clone())?;
        inner.deadman = Some(deadman);
        inner.phase = Phase::Tracing(shared.clone());
        shared.set_activity(Activity::Warmup);
        let cpu = run_special(&shared, Special::Begin);
        shared.advance(Activity::Warmup, Activity::Active);
        let framework = &self.session.framework;
        let (left_out, probes) =
            framework.with(self.session.number, |t| (t.left_out().count, t.count()))?;
        Ok(Go {
            cpu,
            left_out,
            bufsize: shared.bufsize as u64,
            aggsize: shared.aggsize as u64,
            dynvarsize: shared.dynvarsize as u64,
            specsize: shared.specsize as u64,
            probes,
            pad: 0,
        })
    }

    /// Runs END and stops the tracing.
    pub fn stop(&self) -> Result<Go> {
        let mut inner = self.inner.lock();
        let shared = match &inner.phase {
            Phase::Tracing(s) => s.clone(),
            _ => return Err(Error::Phase("tracing has not been started, or is stopped already")),
        };
        inner.deadman = None;
        inner.follower = None;
        shared.set_activity(Activity::Cooldown);
        // Every probe that was firing has ended before END begins.
        xcall::sync();
        let cpu = run_special(&shared, Special::End);
        shared.set_activity(Activity::Stopped);
        // The consumer takes the buffers for the last time, so all must be there.
        while shared.speculations.pending().next().is_some() && clean(&shared) {}
        inner.phase = Phase::Stopped(shared);
        Ok(Go { cpu, ..Go::default() })
    }

    /// Takes the records of a CPU and passes them to `sink`, which may wait for user memory,
    /// because no lock is held then. Until then, and until the tracing ends, another call is
    /// refused. `room` is the size of the user's buffer: if it is smaller than a whole buffer,
    /// nothing is taken.
    pub fn take_records(
        &self,
        cpu: usize,
        room: usize,
        sink: impl FnOnce(&[u8]) -> Result,
    ) -> Result<Snapshot> {
        let mut inner = self.inner.lock();
        let shared = inner.shared()?;
        let is_over = matches!(inner.phase, Phase::Stopped(_));
        if shared.policy != policy::SWITCH && !is_over {
            return Err(Error::Phase("buffers of this policy are taken when tracing has ended"));
        }
        if room < shared.bufsize {
            return Err(Error::NoRoom(shared.bufsize));
        }
        // When tracing is over, or a buffer is taken only once, no replacement is needed.
        let size = if is_over { 0 } else { inner.spare.size(shared.bufsize)? };
        let exchanged = exchange(
            &shared,
            cpu,
            &mut inner.spare,
            || kapi::mem::zeroed_bytes(size),
            |c, fresh| match fresh {
                _ if c.principal.is_empty() => Ok(c.principal.swap_nothing()),
                None if c.principal.capacity() > 0 && size > 0 => Err(()),
                fresh => Ok(c.principal.swap(fresh.take().unwrap_or_default())),
            },
        )?;
        let Some((mut taken, timestamp)) = exchanged else { return Ok(Snapshot::NOTHING) };
        inner.spare.is_out |= !is_over;
        drop(inner);
        let result = sink(taken.records());
        if !is_over {
            self.inner.lock().spare.give_back(&mut taken.memory, timestamp);
        }
        result?;
        Ok(Snapshot {
            size: taken.used,
            oldest: taken.oldest,
            drops: taken.drops,
            errors: taken.errors,
            timestamp,
        })
    }

    /// Takes the values that a CPU has aggregated since the last call and passes them to `sink`,
    /// like [`Self::take_records`].
    pub fn take_aggregations(
        &self,
        cpu: usize,
        room: usize,
        sink: impl FnOnce(&[u8]) -> Result,
    ) -> Result<Snapshot> {
        use zerocopy::IntoBytes;
        let mut inner = self.inner.lock();
        let shared = inner.shared()?;
        if room < shared.aggsize {
            return Err(Error::NoRoom(shared.aggsize));
        }
        let is_over = matches!(inner.phase, Phase::Stopped(_));
        let words = if is_over { 0 } else { inner.spare_aggs.size(shared.aggsize / 8)? };
        let exchanged = exchange(
            &shared,
            cpu,
            &mut inner.spare_aggs,
            || kapi::mem::zeroed_words(words),
            |c, fresh| match fresh {
                _ if c.aggs.is_empty() => Ok(c.aggs.swap_nothing()),
                None if words > 0 => Err(()),
                fresh => Ok(c.aggs.swap(fresh.take().unwrap_or_default())),
            },
        )?;
        let Some((mut taken, timestamp)) = exchanged else { return Ok(Snapshot::NOTHING) };
        inner.spare_aggs.is_out |= !is_over;
        drop(inner);
        let entries = taken.memory.get(taken.from..taken.to).unwrap_or_default().as_bytes();
        let size = entries.len();
        let result = sink(entries);
        if !is_over {
            buffers::aggregation::clear(&mut taken.memory);
            self.inner.lock().spare_aggs.give_back(&mut taken.memory, timestamp);
        }
        result?;
        Ok(Snapshot { size, oldest: 0, drops: taken.drops, errors: 0, timestamp })
    }

    /// Returns at most `room` EPIDs of retired probes, after the consumer has processed all records
    /// older than `until`. When the consumer knows them, call [`Self::reuse`].
    pub fn free(&self, until: u64, room: usize) -> Result<KVVec<Epid>> {
        let shared = self.inner.lock().shared()?;
        let (mut until, mut held) = (until.min(kapi::time::monotonic_ns()), None);
        // These places have records that the consumer cannot take yet.
        if shared.policy != policy::SWITCH {
            until = until.min(self.oldest(&shared, |c| time_of(c.principal.oldest())));
        }
        if shared.has_parts {
            let oldest = self.oldest(&shared, |c| {
                c.parts.iter().filter_map(|p| time_of(p.buffer.oldest())).min()
            });
            held = Some(Held { oldest, at: kapi::time::monotonic_ns() });
        }
        self.session.framework.free(self.session.number, until, held, room.min(MAX_DONE))
    }

    /// Allows the reuse of EPIDs, because the consumer knows that they are free.
    pub fn reuse(&self, freed: &[Epid]) {
        self.session.framework.reuse(self.session.number, freed);
    }

    /// Returns the least of a time over all CPUs; 0 if a CPU cannot be asked, because it may have
    /// any.
    fn oldest(&self, shared: &Shared, of: impl Fn(&CpuState) -> Option<u64> + Sync) -> u64 {
        let mut oldest = u64::MAX;
        for cpu in 0..kapi::context::cpus() {
            match on_state(shared, cpu, |c| of(c)) {
                Ok((time, _)) => oldest = oldest.min(time.unwrap_or(u64::MAX)),
                Err(Error::NoSuch(_)) => {}
                Err(_) => return 0,
            }
        }
        oldest
    }

    /// Describes an enabled probe, and passes its record descriptions to `sink`.
    pub fn eprobe(
        &self,
        epid: Epid,
        sink: impl FnOnce(&[RecDesc]) -> Result,
    ) -> Result<EprobeDesc> {
        let found = self.session.framework.with(self.session.number, |t| {
            t.enabled(epid).map(|(probe, s)| (probe.id(), s.clause.clone()))
        })?;
        let (probe, c) = found.ok_or(Error::NoSuch("EPID"))?;
        sink(&c.records)?;
        Ok(EprobeDesc {
            epid,
            probe,
            uarg: c.uarg,
            // CAST: bounded by MAX_RECORD and MAX_ACTIONS.
            size: c.size as u32,
            nrecs: c.records.len() as u32,
            ..EprobeDesc::default()
        })
    }

    /// Returns a probe that this consumer has enabled, even if it is retired.
    pub fn enabled_probe(&self, id: ProbeId) -> Result<Arc<Probe>> {
        self.session
            .framework
            .with(self.session.number, |t| t.probe(id).cloned())?
            .ok_or(Error::NoSuch("probe"))
    }

    /// Returns a line for each probe that was left out.
    pub fn left_out(&self) -> Result<KVVec<u8>> {
        self.session
            .framework
            .with(self.session.number, |t| Ok(mem::exact_copy(t.left_out().text.bytes())?))?
    }

    /// Describes an aggregation: its key and its value.
    pub fn aggregation(&self, id: AggId) -> Result<(AggDesc, KVec<RecDesc>)> {
        self.session.framework.with(self.session.number, |t| {
            let info = id.index().and_then(|i| t.enabling.aggs.get(i));
            let info = info.ok_or(Error::NoSuch("aggregation id"))?;
            let mut records = mem::vec(info.records.len())?;
            mem::extend(&mut records, &info.records)?;
            let desc = AggDesc {
                id,
                variable: info.variable,
                size: info.size,
                // CAST: bounded by MAX_ACTIONS.
                nrecs: info.records.len() as u32,
                ..AggDesc::default()
            };
            Ok((desc, records))
        })?
    }

    /// Returns a format string, without NUL.
    pub fn format(&self, id: FormatId) -> Result<KVec<u8>> {
        self.session.framework.with(self.session.number, |t| {
            let text = id.index().and_then(|i| t.enabling.formats.get(i));
            let text = text.ok_or(Error::NoSuch("format"))?;
            let mut copy = mem::vec(text.len().saturating_add(1))?;
            mem::extend(&mut copy, text)?;
            Ok(copy)
        })?
    }

    /// Returns drops and liveness.
    pub fn status(&self) -> Result<Status> {
        let mut inner = self.inner.lock();
        let s = inner.shared()?;
        clean(&s);
        free_variables(&s);
        let activity = s.activity();
        Ok(Status {
            dyndrops: s.counters.dyndrops.load(Relaxed),
            dyndrops_busy: s.counters.dyndrops_busy.load(Relaxed),
            left_out: s.counters.left_out.load(Relaxed),
            specdrops: s.counters.specdrops.load(Relaxed),
            specdrops_busy: s.counters.specdrops_busy.load(Relaxed),
            specdrops_unavail: s.counters.specdrops_unavail.load(Relaxed),
            dblerrors: s.counters.dblerrors.load(Relaxed),
            sigdrops: s.counters.sigdrops.load(Relaxed),
            killed: s.counters.killed.load(Relaxed),
            pauses: s.pauses(),
            forgotten: s.counters.forgotten.load(Relaxed),
            filled: s.counters.filled.load(Relaxed),
            pressing: s.counters.pressing.swap(0, Relaxed),
            nested: kapi::context::nested().wrapping_sub(s.nested_before),
            early: s.unwind.early(),
            strangers: s.unwind.strangers(),
            mapped: inner.follower.as_ref().map_or(0, Follower::asked),
            exiting: (activity as u32 >= Activity::Draining as u32).into(),
            ..Status::default()
        })
    }
}

/// Checks the privilege for destructive actions, when they are enabled and again when they are
/// started, because an open file can be passed on.
fn may_destroy() -> Result {
    if !kapi::task::may_destroy() {
        return Err(Error::MayNotDestroy);
    }
    if !kapi::task::destructive() {
        return Err(Error::Forbidden);
    }
    kapi::task::locked_down(true).map_err(|_| Error::LockedForWrites)
}

/// Returns the time of the first of these records.
fn time_of(records: &[u8]) -> Option<u64> {
    use zerocopy::FromBytes;
    RecordHeader::read_from_prefix(records).ok().map(|(head, _)| head.timestamp())
}

/// Lets every CPU do its part of the speculations that end, or of 64 of them; then these are free.
/// Returns false if a CPU could not be asked. The consumer's lock is held, so this runs only once
/// at a time.
fn clean(shared: &Shared) -> bool {
    // Speculations that end meanwhile wait for the next call, because some CPUs have already done
    // their part.
    let mut ending = [(0, End::Discard); 64];
    let mut n = 0;
    for (one, slot) in shared.speculations.pending().zip(&mut ending) {
        *slot = one;
        n += 1;
    }
    let ending = ending.get(..n).unwrap_or_default();
    for cpu in 0..kapi::context::cpus() {
        let mut rest = ending;
        // Interrupts are off on the CPU meanwhile, so it does a part at a time.
        while !rest.is_empty() {
            match on_state(shared, cpu, |c| end_speculations(shared, c, rest)) {
                Ok((done, _)) => rest = rest.get(done..).unwrap_or_default(),
                Err(Error::NoSuch(_)) => break,
                // If a CPU cannot be asked now, none of the speculations is free yet.
                Err(_) => return false,
            }
        }
    }
    for (index, _) in ending {
        shared.speculations.done(*index);
    }
    true
}

/// Frees more of the variables that ended threads have left, a piece at a time. The next call
/// continues.
fn free_variables(shared: &Shared) {
    const PIECES: usize = 256;
    for _ in 0..PIECES {
        let free = |ctx: &ProbeCtx| shared.dynvars.free_more(ctx.cpu(), &shared.vars.thread);
        if kapi::context::enter(free) == Some(true) {
            return;
        }
    }
}

impl Inner {
    fn shared(&mut self) -> Result<Arc<Shared>> {
        match &self.phase {
            Phase::Tracing(s) | Phase::Stopped(s) => Ok(s.clone()),
            _ => Err(Error::Phase("tracing has not been started")),
        }
    }

    fn follower(&self) -> Result<&Follower> {
        self.follower.as_ref().ok_or(Error::Phase(
            "processes are followed from when it is said what wakes the consumer until tracing stops",
        ))
    }
}

/// Runs BEGIN or END, here or on the only CPU that traces. If this CPU has no buffer because it
/// came online after GO, it runs on behalf of another one. Returns the CPU.
fn run_special(shared: &Shared, which: Special) -> u32 {
    let run = |ctx: &ProbeCtx| {
        let state = shared.cpus.get(ctx);
        if state.try_borrow().is_ok_and(|c| c.scratch.is_empty()) {
            return None;
        }
        fire_special(ctx, shared, which);
        // CAST: there are less than 2^32 CPUs.
        Some(ctx.cpu() as u32)
    };
    if let Ok(only) = usize::try_from(shared.only_cpu) {
        if let Ok(Some(cpu)) = xcall::on_cpu(only, run) {
            return cpu;
        }
    }
    // This CPU is not inside a probe, because we run here. If a probe died on this CPU, BEGIN is
    // not tried again.
    kapi::context::enter(run)
        .flatten()
        .or_else(|| (0..kapi::context::cpus()).find_map(|cpu| xcall::on_cpu(cpu, run).ok()?))
        .unwrap_or(0)
}

/// Takes the data that a CPU has written, and returns it with the time. `swap` gets the spare, and
/// uses it if there is something to take. If there is no spare, `swap` says so, and `fresh` makes
/// one. `None`: there is no memory for it, and the records stay for the next call; or a firing has
/// died there. A CPU that came online after GO has no buffer; its drops are counted.
fn exchange<M: Default + Deref<Target = [W]> + Send, W, T: Send>(
    shared: &Shared,
    cpu: usize,
    spare: &mut Spare<M>,
    fresh: impl FnOnce() -> kernel::error::Result<M>,
    swap: impl Fn(&mut CpuState, &mut Option<M>) -> core::result::Result<T, ()> + Send + Sync,
) -> Result<Option<(T, u64)>> {
    let mut hand = Some(core::mem::take(&mut spare.memory)).filter(|m| !m.is_empty());
    let mut fresh = Some(fresh);
    loop {
        match on_state(shared, cpu, |c| swap(c, &mut hand)) {
            Ok((Ok(taken), now)) => {
                let is_idle = now.saturating_sub(spare.used) > IDLE;
                spare.memory = hand.filter(|_| !is_idle).unwrap_or_default();
                return Ok(Some((taken, now)));
            }
            Ok((Err(()), _)) => match fresh.take().map(|make| make()) {
                Some(Ok(memory)) => hand = Some(memory),
                _ => return Ok(None),
            },
            Err(e) => {
                spare.memory = hand.unwrap_or_default();
                return match e {
                    // See `on_state`.
                    Error::Phase(_) => Ok(None),
                    e => Err(e),
                };
            }
        }
    }
}

impl<M: Default + Deref<Target = [W]>, W> Spare<M> {
    /// Returns `size`, which a replacement needs, if there may be another snapshot.
    fn size(&self, size: usize) -> Result<usize> {
        match self.is_out {
            true => Err(Error::Phase("another snapshot of this file is not finished")),
            false => Ok(size),
        }
    }

    /// Ends a snapshot, and keeps the taken memory as the spare.
    fn give_back(&mut self, taken: &mut M, now: u64) {
        self.is_out = false;
        if self.memory.is_empty() && !taken.is_empty() {
            (self.memory, self.used) = (core::mem::take(taken), now);
        }
    }
}

/// Changes a CPU's state on that CPU, in probe context, and returns the result with the time.
fn on_state<T: Send>(
    shared: &Shared,
    cpu: usize,
    f: impl FnOnce(&mut CpuState) -> T + Send,
) -> Result<(T, u64)> {
    let done = xcall::on_cpu(cpu, |ctx| {
        let now = kapi::time::monotonic_ns();
        let mut state = shared.cpus.get(ctx).try_borrow_mut().ok()?;
        Some((f(&mut state), now))
    });
    match done {
        Ok(Some(t)) => Ok(t),
        // No probe runs there now, so a firing has died and left its state borrowed. What it has
        // recorded stays there; the status tells the consumer why.
        Ok(None) => {
            shared.kill(killed::DIED);
            Err(Error::Phase("a firing has died on the CPU"))
        }
        Err(e) if e == kernel::error::code::ENXIO => Err(Error::NoSuch("CPU")),
        Err(e) => Err(e.into()),
    }
}
