// SPDX-License-Identifier: GPL-2.0
//! The table of providers, probes and consumers, under one lock.
//!
//! Set-up is rare and may sleep, so one mutex is enough, and there is no wrong lock order. Firing
//! does not use this table.
//!
//! A provider that finds new probes *offers* them, one by one or many at once, and then calls
//! [`Framework::provided`]. Only then are they matched against the enablings of consumers that are
//! already tracing, and only then may the provider's `enable` be called. When the code of a probe
//! disappears, the provider *retires* the probe. Consumers continue, and can still read its name.

use crate::provider::{Explanation, Provider};
use crate::tracing::{go_on, Grave, Held, ProbeTable, Sources, Tracing, MAX_CLAUSES};
use crate::vtime;
use crate::{Error, Result};
use abi::ids::{Epid, ProbeId, MAX_EPIDS};
use abi::probe::{Techniques, NARGS_UNKNOWN};
use core::ops::Range;
use fire::budget::MAX_CONSUMERS;
use fire::deadman;
use fire::dynvar::{share, AT_ONCE};
use fire::ecb::Chain;
use fire::shared::Shared;
use fire::Probe;
use kapi::context::ProbeCtx;
use kapi::mem;
use kapi::publish::{Published, Replace};
use kapi::stack::Start;
use kapi::task::{self, ROOT};
use kapi::threads::{self, Ended};
use kernel::prelude::*;
use kernel::sync::{new_mutex, Arc, Mutex};
use plan::enabling::Enabling;
use plan::matching::{self, Found, Matcher, Work};
use plan::probe::{self, Draft, Offer, Special};
use plan::quota::Quota;
use plan::EnableError;

/// The providers. A probe has the position of its provider.
struct Providers(KVec<Arc<dyn Provider>>);

impl Sources for Providers {
    fn enable(
        &self,
        provider: usize,
        probes: &[Arc<Probe>],
        refuse: &mut dyn FnMut(usize, EnableError),
    ) {
        if let Some(provider) = self.0.get(provider) {
            provider.enable(probes, refuse);
        }
    }

    fn disable(&self, provider: usize, probes: &[Arc<Probe>]) {
        if let Some(provider) = self.0.get(provider) {
            provider.disable(probes);
        }
    }

    fn start(&self, probe: &Probe) -> Start {
        self.0.get(probe.provider()).map_or(Start::Here(0), |provider| provider.start(probe))
    }
}

pub(crate) struct Config {
    providers: Providers,
    pub(crate) probes: ProbeTable,
    /// The consumers that are tracing, by their number.
    tracing: KVec<(u64, Tracing)>,
    next_consumer: u64,
    /// The most EPIDs of each consumer.
    most_epids: usize,
}

/// The limits for ids; tests use small ones.
#[derive(Clone, Copy)]
pub struct Limits {
    /// The most probes.
    pub probes: u32,
    /// The most enabled probes of one consumer.
    pub epids: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self { probes: probe::MAX_PROBES, epids: MAX_EPIDS }
    }
}

/// The most EPIDs of all consumers together, because the memory of ECBs is charged to nobody: they
/// are made under the lock, where a full cgroup must not make others wait.
const ALL_EPIDS: usize = 4 << 20;

/// The most consumers that trace at a time, and those of one user except root.
// CAST: 64 bits.
const ALL_CONSUMERS: usize = MAX_CONSUMERS as usize;
const OF_USER: usize = ALL_CONSUMERS / 2;

/// The consumers with thread-local variables, which need to know which threads end.
static THREADS: Published<KVec<Arc<Shared>>> = Published::empty();

/// Frees the variables of a thread that has ended.
///
/// # Context
/// *probe*.
fn thread_ended(ctx: &ProbeCtx, ended: &Ended) {
    fire::vtime::thread_ended(ctx, ended);
    let Some(all) = THREADS.load(ctx) else { return };
    share(&mut { AT_ONCE }, all, |shared, left| {
        ended.keys().into_iter().for_each(|key| shared.end_thread(ctx, key, left));
    });
}

impl Config {
    /// Tells whether any consumer uses `vtimestamp`.
    fn keeps_time(&self) -> bool {
        self.tracing.iter().any(|(_, t)| t.shared().vars.vtimestamp)
    }

    /// Adds up a number of all consumers.
    fn sum(&self, of: impl Fn(&Tracing) -> usize) -> Quota {
        let sum = Quota::new();
        self.tracing.iter().for_each(|(_, t)| sum.add(of(t), t.owner() == ROOT));
        sum
    }

    /// Checks whether a user may start one more consumer.
    fn admit(&self, owner: u32) -> Result {
        let is_root = owner == ROOT;
        if self.sum(|_| 1).room(ALL_CONSUMERS, is_root) == 0 {
            return Err(Error::TooMany(
                "consumers that trace at a time: there can be 128, of which 32 are for root only",
            ));
        }
        let own = self.tracing.iter().filter(|(_, t)| t.owner() == owner);
        if !is_root && own.count() >= OF_USER {
            return Err(Error::TooMany(
                "consumers that trace at a time: a user other than root can have 64",
            ));
        }
        Ok(())
    }

    /// Adds new probes, with ids that no consumer uses for others.
    fn add(&mut self, draft: &Draft, special: Option<Special>) -> Result<usize> {
        let tracing = &self.tracing;
        let known = |ids: Range<usize>| tracing.iter().filter_map(|(_, t)| t.last_in(&ids)).max();
        self.probes.add(draft, special, known)
    }

    /// Tells the consumers that are tracing that the probes at these positions are retired. No CPU
    /// may be inside one.
    fn retired(&mut self, places: Range<usize>) {
        let (now, serial) = (kapi::time::monotonic_ns(), self.probes.serial());
        self.tracing.iter_mut().for_each(|(_, t)| t.retired(&places, serial, now));
    }

    /// Updates the list of consumers that must know when a thread ends.
    fn watch_threads(&self) {
        let shared = self.tracing.iter().map(|(_, t)| t.shared());
        let make = || -> Result<Option<KBox<KVec<Arc<Shared>>>>> {
            let mut all = KVec::new();
            for shared in shared.filter(|s| s.vars.has_threads()) {
                mem::push(&mut all, shared.clone())?;
            }
            Ok(if all.is_empty() { None } else { Some(mem::boxed(all)?) })
        };
        let heard = match make() {
            Ok(None) => {
                threads::unwatch_ends();
                drop(THREADS.swap(None));
                true
            }
            Ok(some) => {
                drop(THREADS.swap(some));
                threads::watch_ends(thread_ended).is_ok()
            }
            Err(_) => {
                drop(THREADS.swap(None));
                false
            }
        };
        if !heard {
            pr_warn!("not told of threads that end: their variables are kept\n");
        }
    }
}

/// The framework.
#[pin_data]
pub struct Framework {
    #[pin]
    config: Mutex<Config>,
}

/// The provider of BEGIN, END and ERROR; its probes fire for one consumer alone.
struct DtraceProvider;

impl Provider for DtraceProvider {
    fn name(&self) -> &[u8] {
        b"dtrace"
    }
    fn enable(&self, _: &[Arc<Probe>], _: &mut dyn FnMut(usize, EnableError)) {}
    fn disable(&self, _: &[Arc<Probe>]) {}
}

/// A handle to retire probes that were offered together. Dropping it does not change them.
#[must_use = "probes whose code may go must be retired"]
pub struct Group {
    /// The position of the first; `None` if there is none.
    first: Option<usize>,
    skipped: u32,
}

impl Group {
    /// Returns how many probes were skipped because a part of their name is longer than a probe
    /// description allows.
    pub fn skipped(&self) -> u32 {
        self.skipped
    }
}

/// A registered provider.
#[derive(Clone, Copy)]
pub struct ProviderId(usize);

impl Framework {
    /// Creates a framework with the probes of the provider `dtrace`.
    pub fn new(limits: Limits) -> Result<Arc<Self>> {
        mem::ask()?;
        let this = Arc::pin_init(
            pin_init!(Self {
                config <- new_mutex!(Config {
                    providers: Providers(KVec::new()),
                    probes: ProbeTable::new(limits.probes),
                    tracing: KVec::new(),
                    next_consumer: 1,
                    // CAST: 64 bits.
                    most_epids: limits.epids as usize,
                }),
            }),
            GFP_KERNEL,
        )?;
        let id = this.register(mem::arc(DtraceProvider)?)?;
        let how = Techniques::empty();
        for s in Special::ALL {
            let offer =
                Offer { function: b"", name: s.name(), nargs: NARGS_UNKNOWN, cookie: 0, how };
            this.add(id, [b"dtrace", b""], offer, Some(s))?;
        }
        Ok(this)
    }

    /// Registers a provider, for as long as the framework lives.
    ///
    /// # Context
    /// *process*.
    pub fn register(&self, provider: Arc<dyn Provider>) -> Result<ProviderId> {
        let mut c = self.config.lock();
        let id = c.providers.0.len();
        mem::push(&mut c.providers.0, provider)?;
        Ok(ProviderId(id))
    }

    /// Offers a probe: provider, module, function, name. `cookie` is the provider's own number for
    /// it. It is matched only after [`Self::provided`].
    ///
    /// # Context
    /// *process*; the provider holds no lock that its `enable` takes.
    pub fn offer(
        &self,
        provider: ProviderId,
        [name, module, function, probe]: [&[u8]; 4],
        nargs: u32,
        cookie: u32,
    ) -> Result<Arc<Probe>> {
        let how = Techniques::empty();
        let offer = Offer { function, name: probe, nargs, cookie, how };
        self.add(provider, [name, module], offer, None)
    }

    fn add(
        &self,
        provider: ProviderId,
        common: [&[u8]; 2],
        offer: Offer<'_>,
        special: Option<Special>,
    ) -> Result<Arc<Probe>> {
        let mut draft = Draft::new(provider.0, common, 1, 0)?;
        draft.add(&offer)?;
        if draft.skipped() != 0 {
            return Err(Error::ProbeName);
        }
        let mut c = self.config.lock();
        let first = c.add(&draft, special)?;
        c.probes.get(ProbeId::from_index(first)).cloned().ok_or(Error::NoSuch("probe"))
    }

    /// Creates a draft of probes that share provider and module, and are offered and retired
    /// together. Probes of one function should be neighbours: then its name is kept once. `room` is
    /// the number of probes for which memory is allocated.
    ///
    /// # Context
    /// *process*.
    pub fn draft(&self, provider: ProviderId, module: &[u8], room: usize) -> Result<Draft> {
        self.large_draft(provider, module, room, 0)
    }

    /// Works like [`Self::draft`], and also allocates memory for this many bytes of names.
    ///
    /// # Context
    /// *process*.
    pub fn large_draft(
        &self,
        provider: ProviderId,
        module: &[u8],
        probes: usize,
        bytes: usize,
    ) -> Result<Draft> {
        let of = self.config.lock().providers.0.get(provider.0).cloned();
        let of = of.ok_or(Error::NoSuch("provider"))?;
        Draft::new(provider.0, [of.name(), module], probes, bytes)
    }

    /// Works like [`Self::draft`], for a provider whose probes vary in the first part of their
    /// names.
    ///
    /// # Context
    /// *process*.
    pub fn named_draft(provider: ProviderId, names: [&[u8]; 2]) -> Result<Draft> {
        Draft::new(provider.0, names, 0, 0)
    }

    /// Offers a draft. The probes are not matched before [`Self::provided`]. On an error, none is
    /// offered.
    ///
    /// # Context
    /// *process*; the provider holds no lock that its `enable` takes.
    pub fn offer_draft(&self, draft: Draft) -> Result<Group> {
        let first = self.config.lock().add(&draft, None)?;
        let first = (!draft.is_empty()).then_some(first);
        Ok(Group { first, skipped: draft.skipped() })
    }

    /// Matches new probes against the enablings of consumers that are tracing. If a probe cannot be
    /// enabled, it is left out, and the log says why.
    ///
    /// # Context
    /// *process*; the provider holds no lock that its `enable` takes.
    pub fn provided(&self) {
        let mut guard = self.config.lock();
        let c = &mut *guard;
        let sum = c.sum(Tracing::epids);
        for (_, t) in c.tracing.iter_mut() {
            let is_root = t.owner() == ROOT;
            sum.give_back(t.epids(), is_root);
            t.allow(c.most_epids.min(sum.room(ALL_EPIDS, is_root)));
            t.extend(&c.probes, &c.providers);
            sum.add(t.epids(), is_root);
        }
    }

    /// Retires probes whose code disappears: they no longer fire for any consumer. It does not call
    /// `disable`, because the provider knows. On return no CPU is inside one of them.
    ///
    /// # Context
    /// *process*; the provider holds no lock that its `enable` takes.
    pub fn retire<'a>(&self, probes: impl Iterator<Item = &'a Arc<Probe>> + Clone) {
        let mut c = self.config.lock();
        let mut grave = Grave::new();
        for p in probes.clone() {
            c.probes.remove(p.id());
            if let Some(chain) = p.chain.swap(None) {
                grave.bury(chain);
            }
        }
        grave.close();
        for at in probes.filter_map(|p| p.id().index()) {
            c.retired(at..at.saturating_add(1));
        }
    }

    /// Retires a probe, unless consumers have enabled it: then it returns the user of one of them.
    /// That is `user`, if it is the user of any.
    ///
    /// # Context
    /// *process*; the provider holds no lock that its `enable` takes.
    pub fn retire_unused(&self, probe: &Arc<Probe>, user: u32) -> core::result::Result<(), u32> {
        let mut c = self.config.lock();
        let has = |t: &Tracing| probe.chain.with(|all| all.is_some_and(|c| c.has(t.shared())));
        let mut users = c.tracing.iter().filter(|(_, t)| has(t)).map(|(_, t)| t.owner());
        if let Some(first) = users.next() {
            let is_among = first == user || users.any(|another| another == user);
            return Err(if is_among { user } else { first });
        }
        c.probes.remove(probe.id());
        // A consumer may know it, because it was refused.
        if let Some(at) = probe.id().index() {
            c.retired(at..at.saturating_add(1));
        }
        Ok(())
    }

    /// Retires all probes of a group; see [`Self::retire`].
    ///
    /// # Context
    /// *process*; the provider holds no lock that its `enable` takes.
    pub fn retire_group(&self, group: Group) {
        let Some(first) = group.first else { return };
        let mut c = self.config.lock();
        let Some(segment) = c.probes.remove_segment(first) else { return };
        let mut grave = Grave::new();
        for chain in segment.iter().filter_map(|p| p.chain.swap(None)) {
            grave.bury(chain);
        }
        grave.close();
        c.retired(segment.places());
    }

    /// Tells the consumers that have enabled a probe that another process should have the same
    /// probe and cannot have it.
    ///
    /// # Context
    /// *process*.
    pub fn count_left_out(probe: &Probe) {
        probe.chain.with(|chain| {
            for (first, _) in chain.map(Chain::consumers).into_iter().flatten() {
                first.shared.count_left_out(1);
            }
        });
    }

    /// Lets providers offer more probes, if the description may match some of theirs. They keep a
    /// single one for the `consumer` that enables it.
    pub(crate) fn provide(&self, wanted: &Matcher<'_>, consumer: Option<u64>) -> Result {
        let all = self.providers()?;
        let may_be = |p: &dyn Provider| wanted.may_be(p.name(), p.probe_names());
        for (id, p) in all.iter().enumerate().filter(|(_, p)| may_be(&***p)) {
            match wanted.lone_name() {
                Some(name) => p.provide_one(self, ProviderId(id), name, consumer)?,
                None => p.provide(self, ProviderId(id)),
            }
        }
        Ok(())
    }

    /// Returns the first explanation by a provider why this probe does not exist.
    pub(crate) fn explain(
        &self,
        of: impl Fn(&dyn Provider) -> bool,
        [module, function, name]: [&[u8]; 3],
    ) -> Result<Explanation> {
        for p in self.providers()?.iter().filter(|p| of(&***p)) {
            if let Some(why) = p.explain(module, function, name) {
                return Ok(why);
            }
        }
        Err(Error::NoSuch("explanation"))
    }

    fn providers(&self) -> Result<KVec<Arc<dyn Provider>>> {
        let c = self.config.lock();
        let mut all = mem::vec(c.providers.0.len())?;
        mem::extend(&mut all, &c.providers.0)?;
        Ok(all)
    }

    /// Returns a number for a new consumer.
    pub(crate) fn new_consumer(&self) -> u64 {
        let mut c = self.config.lock();
        let n = c.next_consumer;
        c.next_consumer = n.wrapping_add(1);
        n
    }

    /// Calls `f` with matching probes, from position `cursor` of the table on, until it returns
    /// stop. Returns the position to continue from. With `exactly`, the provider is asked how each
    /// probe is implemented.
    pub(crate) fn for_matching(
        &self,
        matcher: &Matcher<'_>,
        cursor: usize,
        exactly: bool,
        mut f: impl FnMut(&Probe, Techniques) -> Result<bool>,
    ) -> Result<usize> {
        let mut from = cursor;
        loop {
            let c = self.config.lock();
            let found = matcher.find(&c.probes, from, matching::AT_ONCE, |p| {
                let provider = c.providers.0.get(p.provider()).filter(|_| exactly);
                f(p, provider.map_or(p.how(), |provider| provider.how(p)))
            })?;
            match found {
                Found::All(at) => return Ok(at),
                Found::Some(at) => from = at,
            }
            // A long glob takes seconds for all probes; nobody else waits for all of them.
            drop(c);
            go_on()?;
        }
    }

    /// Returns how many probes the statements from position `from` on match in total, unless there
    /// are more than a consumer may enable. Probes with too many clauses are never enabled.
    pub(crate) fn count(&self, enabling: &Enabling, from: usize) -> Result<u32> {
        let c = self.config.lock();
        let (mut n, mut most): (usize, usize) = (0, c.most_epids);
        let statements = enabling.statements.get(from..).unwrap_or_default();
        let patterns = statements.iter().map(|s| &s.pattern);
        matching::each(patterns, &c.probes, 0, Work::new(go_on), |_, which| {
            n = n.saturating_add(which.len());
            if which.len() > MAX_CLAUSES {
                most = most.saturating_add(which.len());
            }
            match n > most {
                true => Err(Error::TooMany("enabled probes")),
                false => Ok(()),
            }
        })?;
        Ok(u32::try_from(n).unwrap_or(u32::MAX))
    }

    /// Makes the ECBs of a consumer and enables their probes. Some may be left out, see
    /// [`Tracing::left_out`]. On an error, none stays enabled.
    pub(crate) fn start(
        &self,
        consumer: u64,
        enabling: KBox<Enabling>,
        shared: Arc<Shared>,
    ) -> Result {
        let mut guard = self.config.lock();
        let c = &mut *guard;
        let owner = task::owner();
        c.admit(owner)?;
        // Allocate first, so that nothing can fail after probes are enabled.
        mem::reserve(&mut c.tracing, 1)?;
        let is_first = shared.vars.vtimestamp && !c.keeps_time();
        if is_first {
            vtime::start()?;
        }
        let most = c.most_epids.min(c.sum(Tracing::epids).room(ALL_EPIDS, owner == ROOT));
        let mut t = Tracing::new(enabling, shared, owner, most);
        if let Err(e) = t.start(&c.probes, &c.providers) {
            t.detach(&c.providers);
            if is_first {
                vtime::stop();
            }
            return Err(e);
        }
        if let Err(kernel::alloc::kvec::PushError(_)) =
            c.tracing.push_within_capacity((consumer, t))
        {
            return Err(Error::Memory);
        }
        deadman::set_consumers(c.tracing.len());
        c.watch_threads();
        Ok(())
    }

    /// Disables the probes that a consumer has enabled, frees its ECBs, and tells the providers
    /// that it has ended.
    pub(crate) fn end(&self, consumer: u64) {
        self.detach(consumer);
        // This takes no copy of the list, because it must not fail.
        for id in 0.. {
            let Some(provider) = self.config.lock().providers.0.get(id).cloned() else { break };
            provider.leave(consumer);
        }
    }

    fn detach(&self, consumer: u64) {
        let mut c = self.config.lock();
        let Some(i) = c.tracing.iter().position(|(n, _)| *n == consumer) else { return };
        let Ok((_, mut t)) = c.tracing.remove(i) else { return };
        t.detach(&c.providers);
        deadman::set_consumers(c.tracing.len());
        if t.shared().vars.vtimestamp && !c.keeps_time() {
            vtime::stop();
        }
        c.watch_threads();
    }

    /// Frees EPIDs of a consumer that has processed all records older than `until`, as many as fit.
    /// They stay unused until [`Self::reuse`] returns them. `held` is the time of the oldest record
    /// that the consumer cannot take yet, and the time when that was determined.
    pub(crate) fn free(
        &self,
        consumer: u64,
        until: u64,
        held: Option<Held>,
        room: usize,
    ) -> Result<KVVec<Epid>> {
        let mut c = self.config.lock();
        match c.tracing.iter_mut().find(|(n, _)| *n == consumer) {
            Some((_, t)) => t.free(until, held, room),
            None => Err(Error::Phase("tracing has not been started")),
        }
    }

    /// Allows the reuse of EPIDs, because the consumer knows that they are free.
    pub(crate) fn reuse(&self, consumer: u64, freed: &[Epid]) {
        let mut c = self.config.lock();
        if let Some((_, t)) = c.tracing.iter_mut().find(|(n, _)| *n == consumer) {
            t.reuse(freed);
        }
    }

    /// Calls `f` with a consumer that is tracing. Others wait for the lock meanwhile, so `f` must
    /// not access user memory.
    pub(crate) fn with<R>(&self, consumer: u64, f: impl FnOnce(&Tracing) -> R) -> Result<R> {
        let c = self.config.lock();
        match c.tracing.iter().find(|(n, _)| *n == consumer) {
            Some((_, t)) => Ok(f(t)),
            None => Err(Error::Phase("tracing has not been started")),
        }
    }
}
