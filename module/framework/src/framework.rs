// SPDX-License-Identifier: GPL-2.0
//! The table of everything: providers, probes, consumers; under one lock.
//!
//! Set-up is rare and may sleep, so one mutex is enough and nothing can be taken in the wrong order.
//! Firing does not come here.
//!
//! A provider that finds new probes *offers* them, one by one or many at once, and then says [`Framework::provided`]:
//! only then are they matched against the enablings of consumers that are already tracing, and only
//! then may the provider's `enable` be called. When the code of a probe goes away the provider
//! *retires* it; consumers live on, and its name can still be asked for.

use crate::enabling::Enabling;
use crate::matching::{self, Matcher};
use crate::probe::{self, Draft, Offer, Probe, ProbeTable, Special};
use crate::provider::{EnableError, Explanation, Provider};
use crate::shared::Shared;
use crate::tracing::{Grave, Held, Tracing};
use crate::vtime;
use crate::{Error, Result};
use abi::ids::{Epid, ProbeId, MAX_EPIDS};
use abi::probe::{Techniques, NARGS_UNKNOWN};
use core::ops::Range;
use kapi::context::ProbeCtx;
use kapi::mem;
use kapi::publish::Published;
use kapi::threads::{self, Ended};
use kernel::prelude::*;
use kernel::sync::{new_mutex, Arc, Mutex};

pub(crate) struct Config {
    providers: KVec<Arc<dyn Provider>>,
    pub(crate) probes: ProbeTable,
    /// Consumers that are tracing, by their number.
    tracing: KVec<(u64, Tracing)>,
    next_consumer: u64,
    /// EPIDs of each consumer.
    most_epids: usize,
}

/// How many ids there are; tests take few.
#[derive(Clone, Copy)]
pub struct Limits {
    /// Of probes.
    pub probes: u32,
    /// Enabled probes of one consumer.
    pub epids: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self { probes: probe::MAX_PROBES, epids: MAX_EPIDS }
    }
}

/// Consumers with thread-local variables: they want to hear of threads that end.
static THREADS: Published<KVec<Arc<Shared>>> = Published::empty();

/// A thread has ended: nobody will ask for its variables.
///
/// # Context
/// *probe*.
fn thread_ended(ctx: &ProbeCtx, ended: &Ended) {
    vtime::thread_ended(ctx, ended);
    let Some(all) = THREADS.load(ctx) else { return };
    for key in ended.keys() {
        all.iter().for_each(|shared| shared.end_thread(ctx, key));
    }
}

impl Config {
    /// Whether somebody uses `vtimestamp`.
    fn keeps_time(&self) -> bool {
        self.tracing.iter().any(|(_, t)| t.shared().vars.vtimestamp)
    }

    /// Takes in new probes, by ids that no consumer has for others.
    fn add(&mut self, draft: &Draft, special: Option<Special>) -> Result<usize> {
        let tracing = &self.tracing;
        let known = |ids: Range<usize>| tracing.iter().filter_map(|(_, t)| t.last_in(&ids)).max();
        self.probes.add(draft, special, known)
    }

    /// Probes at these positions fire no more, as of now: nobody is inside of one.
    fn retired(&mut self, places: Range<usize>) {
        let now = kapi::time::monotonic_ns();
        self.tracing.iter_mut().for_each(|(_, t)| t.retired(&places, now));
    }

    /// Says anew which consumers hear of threads that end.
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

/// Provider of BEGIN, END and ERROR; what it offers fires for one consumer alone.
struct DtraceProvider;

impl Provider for DtraceProvider {
    fn name(&self) -> &[u8] {
        b"dtrace"
    }
    fn enable(&self, _: &[Arc<Probe>], _: &mut dyn FnMut(usize, EnableError)) {}
    fn disable(&self, _: &[Arc<Probe>]) {}
}

/// Probes that were offered together, to retire them by. Dropping it leaves them as they are.
#[must_use = "probes whose code may go must be retired"]
pub struct Group {
    /// Position of the first; None if there is none.
    first: Option<usize>,
    skipped: u32,
}

impl Group {
    /// How many were not taken because a part of their name is longer than a probe description holds.
    pub fn skipped(&self) -> u32 {
        self.skipped
    }
}

/// A registered provider, to offer probes with.
#[derive(Clone, Copy)]
pub struct ProviderId(usize);

impl Framework {
    /// A framework with the probes of the provider `dtrace`.
    pub fn new(limits: Limits) -> Result<Arc<Self>> {
        mem::ask()?;
        let this = Arc::pin_init(
            pin_init!(Self {
                config <- new_mutex!(Config {
                    providers: KVec::new(),
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
        let id = c.providers.len();
        mem::push(&mut c.providers, provider)?;
        Ok(ProviderId(id))
    }

    /// Offers a probe: provider, module, function, name. `cookie` is the provider's own number for
    /// it. It is not matched before [`Self::provided`].
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

    /// A draft of probes that share provider and module, and are offered and retired together. Probes of one
    /// function should be neighbours: then its name is kept once. Room is made for so many probes.
    ///
    /// # Context
    /// *process*.
    pub fn draft(&self, provider: ProviderId, module: &[u8], room: usize) -> Result<Draft> {
        self.large_draft(provider, module, room, 0)
    }

    /// The same, with room for so many bytes of their names as well.
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
        let of = self.config.lock().providers.get(provider.0).cloned();
        let of = of.ok_or(Error::NoSuch("provider"))?;
        Draft::new(provider.0, [of.name(), module], probes, bytes)
    }

    /// The same for a provider whose probes have several first names.
    ///
    /// # Context
    /// *process*.
    pub fn named_draft(provider: ProviderId, names: [&[u8]; 2]) -> Result<Draft> {
        Draft::new(provider.0, names, 0, 0)
    }

    /// Offers a draft. The probes are not matched before [`Self::provided`]. On an error none is offered.
    ///
    /// # Context
    /// *process*; the provider holds no lock that its `enable` takes.
    pub fn offer_draft(&self, draft: Draft) -> Result<Group> {
        let first = self.config.lock().add(&draft, None)?;
        let first = (!draft.is_empty()).then_some(first);
        Ok(Group { first, skipped: draft.skipped() })
    }

    /// Matches new probes against the enablings of consumers that are tracing. A probe that cannot
    /// be enabled is left out, and the log says why.
    ///
    /// # Context
    /// *process*; the provider holds no lock that its `enable` takes.
    pub fn provided(&self) {
        let mut guard = self.config.lock();
        let c = &mut *guard;
        for (_, t) in c.tracing.iter_mut() {
            t.extend(&c.probes, &c.providers);
        }
    }

    /// The code of these probes goes away: they fire no more, for anybody. `disable` is not called:
    /// the provider knows. On return no CPU is inside one of them.
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

    /// The same for all probes of a group.
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

    /// Lets the providers offer what they have not offered yet, if the description may mean probes of
    /// theirs.
    pub(crate) fn provide(&self, wanted: &Matcher<'_>) -> Result {
        let all = self.providers()?;
        let may_be = |p: &dyn Provider| wanted.may_be(p.name(), p.probe_names());
        for (id, p) in all.iter().enumerate().filter(|(_, p)| may_be(&***p)) {
            p.provide(self, ProviderId(id), wanted.lone_name());
        }
        Ok(())
    }

    /// What the first provider says that knows why this probe does not exist.
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
        let mut all = mem::vec(c.providers.len())?;
        mem::extend(&mut all, &c.providers)?;
        Ok(all)
    }

    /// A number for a new consumer.
    pub(crate) fn new_consumer(&self) -> u64 {
        let mut c = self.config.lock();
        let n = c.next_consumer;
        c.next_consumer = n.wrapping_add(1);
        n
    }

    /// Calls `f` with probes that match, from position `cursor` of the table on, until it says stop.
    /// Gives the position where to go on. How they are implemented is as the provider says now if that
    /// is wanted `exactly`.
    pub(crate) fn for_matching(
        &self,
        matcher: &Matcher<'_>,
        cursor: usize,
        exactly: bool,
        mut f: impl FnMut(&Probe, Techniques) -> Result<bool>,
    ) -> Result<usize> {
        let c = self.config.lock();
        matcher.find(&c.probes, cursor, |p| {
            let provider = c.providers.get(p.provider()).filter(|_| exactly);
            f(p, provider.map_or(p.how(), |provider| provider.how(p)))
        })
    }

    /// How many probes the statements from position `from` on match, all together.
    pub(crate) fn count(&self, enabling: &Enabling, from: usize) -> Result<u32> {
        let c = self.config.lock();
        let mut n: usize = 0;
        let statements = enabling.statements.get(from..).unwrap_or_default();
        matching::each(statements.iter().map(|s| &s.pattern), &c.probes, 0, |_, which| {
            n = n.saturating_add(which.count());
            Ok(())
        })?;
        Ok(u32::try_from(n).unwrap_or(u32::MAX))
    }

    /// Makes the ECBs of a consumer and enables their probes. Some may be left out, see
    /// [`Tracing::left_out`]; on an error none stays.
    pub(crate) fn start(
        &self,
        consumer: u64,
        enabling: KBox<Enabling>,
        shared: Arc<Shared>,
    ) -> Result {
        let mut guard = self.config.lock();
        let c = &mut *guard;
        // Room first, so that nothing can fail once probes are enabled.
        mem::reserve(&mut c.tracing, 1)?;
        let is_first = shared.vars.vtimestamp && !c.keeps_time();
        if is_first {
            vtime::start()?;
        }
        let mut t = Tracing::new(enabling, shared, c.most_epids);
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
        c.watch_threads();
        Ok(())
    }

    /// Disables what a consumer enabled and frees its ECBs.
    pub(crate) fn end(&self, consumer: u64) {
        let mut c = self.config.lock();
        let Some(i) = c.tracing.iter().position(|(n, _)| *n == consumer) else { return };
        let Ok((_, mut t)) = c.tracing.remove(i) else { return };
        t.detach(&c.providers);
        if t.shared().vars.vtimestamp && !c.keeps_time() {
            vtime::stop();
        }
        c.watch_threads();
    }

    /// Frees EPIDs of a consumer that has done with all records older than `until`, as many as there is room for. They
    /// are nobody's until they are given back by [`Self::reuse`]. `held`: when the oldest record that it cannot take
    /// yet was made, and when that was looked at.
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

    /// The consumer knows that these are free.
    pub(crate) fn reuse(&self, consumer: u64, freed: &[Epid]) {
        let mut c = self.config.lock();
        if let Some((_, t)) = c.tracing.iter_mut().find(|(n, _)| *n == consumer) {
            t.reuse(freed);
        }
    }

    /// Asks about a consumer that is tracing. Everybody waits for the lock: `f` does not touch user memory.
    pub(crate) fn with<R>(&self, consumer: u64, f: impl FnOnce(&Tracing) -> R) -> Result<R> {
        let c = self.config.lock();
        match c.tracing.iter().find(|(n, _)| *n == consumer) {
            Some((_, t)) => Ok(f(t)),
            None => Err(Error::Phase("tracing has not been started")),
        }
    }
}
