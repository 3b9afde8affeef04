// SPDX-License-Identifier: GPL-2.0
//! The table of everything: providers, probes, consumers; under one lock.
//!
//! Set-up is rare and may sleep, so one mutex is enough and nothing can be taken in the wrong order.
//! Firing does not come here.
//!
//! A provider that finds new probes *offers* them one by one and then says [`Framework::provided`]:
//! only then are they matched against the enablings of consumers that are already tracing, and only
//! then may the provider's `enable` be called. When the code of a probe goes away the provider
//! *retires* it; consumers live on, and its name can still be asked for.

use crate::ecb::{Chain, Ecb};
use crate::enabling::Enabling;
use crate::matching;
use crate::probe::{Probe, ProbeTable, Special};
use crate::provider::{EnableError, Provider};
use crate::report::Text;
use crate::shared::{Activity, Shared};
use crate::{Error, Result};
use abi::ids::{Epid, ProbeId, MAX_EPIDS};
use abi::probe::NARGS_UNKNOWN;
use kapi::mem;
use kapi::publish::Retired;
use kernel::prelude::*;
use kernel::sync::{new_mutex, Arc, Mutex};

/// A consumer that is tracing.
pub(crate) struct Tracing {
    pub(crate) enabling: KBox<Enabling>,
    pub(crate) shared: Arc<Shared>,
    pub(crate) ecbs: KVVec<Arc<Ecb>>,
    /// Probes below this position of the table have been matched.
    matched_to: usize,
}

pub(crate) struct Config {
    providers: KVec<Arc<dyn Provider>>,
    pub(crate) probes: ProbeTable,
    /// Consumers that are tracing, by their number.
    tracing: KVec<(u64, Tracing)>,
    next_consumer: u64,
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
    fn enable(&self, _probe: &Arc<Probe>) -> core::result::Result<(), EnableError> {
        Ok(())
    }
    fn disable(&self, _probe: &Arc<Probe>) {}
}

/// A registered provider, to offer probes with.
#[derive(Clone, Copy)]
pub struct ProviderId(usize);

impl Framework {
    /// A framework with the probes of the provider `dtrace`.
    pub fn new() -> Result<Arc<Self>> {
        mem::ask()?;
        let this = Arc::pin_init(
            pin_init!(Self {
                config <- new_mutex!(Config {
                    providers: KVec::new(),
                    probes: ProbeTable::new(),
                    tracing: KVec::new(),
                    next_consumer: 1,
                }),
            }),
            GFP_KERNEL,
        )?;
        let id = this.register(mem::arc(DtraceProvider)?)?;
        for s in Special::ALL {
            let parts = [&b"dtrace"[..], b"", b"", s.name()];
            this.add(id, parts, NARGS_UNKNOWN, 0, Some(s))?;
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
        parts: [&[u8]; 4],
        nargs: u32,
        cookie: usize,
    ) -> Result<Arc<Probe>> {
        self.add(provider, parts, nargs, cookie, None)
    }

    fn add(
        &self,
        provider: ProviderId,
        parts: [&[u8]; 4],
        nargs: u32,
        cookie: usize,
        special: Option<Special>,
    ) -> Result<Arc<Probe>> {
        let mut c = self.config.lock();
        let id = c.probes.next_id();
        let probe = Probe::new(id, parts, nargs, cookie, provider.0, special)?;
        c.probes.add(probe.clone())?;
        Ok(probe)
    }

    /// Matches new probes against the enablings of consumers that are tracing. A probe that cannot
    /// be enabled is left out, and the log says why.
    ///
    /// # Context
    /// *process*; the provider holds no lock that its `enable` takes.
    pub fn provided(&self) {
        let mut guard = self.config.lock();
        let c = &mut *guard;
        let mut old = KVec::new();
        for (_, t) in c.tracing.iter_mut() {
            // Each round gets past the probe that it fails on.
            while let Err(e) = t.attach(&c.probes, &c.providers, &mut old) {
                pr_warn!("a new probe is left out: {}\n", core::format_args!("{e}"));
            }
        }
        Retired::free_all(old);
    }

    /// The code of these probes goes away: they fire no more, for anybody. `disable` is not called:
    /// the provider knows. On return no CPU is inside one of them.
    ///
    /// # Context
    /// *process*; the provider holds no lock that its `enable` takes.
    pub fn retire<'a>(&self, probes: impl Iterator<Item = &'a Arc<Probe>>) {
        let mut c = self.config.lock();
        for p in probes {
            c.probes.remove(p.id());
            // One at a time: this must not fail for want of memory to collect them in.
            drop(p.chain.swap(None));
        }
    }

    /// A number for a new consumer.
    pub(crate) fn new_consumer(&self) -> u64 {
        let mut c = self.config.lock();
        let n = c.next_consumer;
        c.next_consumer = n.wrapping_add(1);
        n
    }

    /// Calls `f` with probes that match, from position `cursor` of the table on, until it says stop.
    /// Gives the position where to go on.
    pub(crate) fn for_matching(
        &self,
        pattern: &dof::Pattern<'_>,
        cursor: usize,
        mut f: impl FnMut(&Arc<Probe>) -> Result<bool>,
    ) -> Result<usize> {
        let c = self.config.lock();
        let mut next = cursor;
        // Who asks for everything gets all, those without a function included.
        let all = pattern.id == ProbeId::NONE && pattern.parts.iter().all(|p| p.is_empty());
        for (i, probe) in c.probes.iter(cursor) {
            if (all || matching::matches(pattern, probe)) && !f(probe)? {
                return Ok(i);
            }
            next = i.saturating_add(1);
        }
        Ok(next)
    }

    /// How many probes the statements from position `from` on match, all together.
    pub(crate) fn count(&self, enabling: &Enabling, from: usize) -> u32 {
        let c = self.config.lock();
        let mut n: u32 = 0;
        for (_, probe) in c.probes.iter(0) {
            for s in enabling.statements.iter().skip(from) {
                n = n.saturating_add(s.pattern.matches(probe).into());
            }
        }
        n
    }

    /// Makes the ECBs of a consumer and enables their probes. If one cannot be enabled, none stays.
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
        let mut t = Tracing { enabling, shared, ecbs: KVVec::new(), matched_to: 0 };
        let mut old = KVec::new();
        let attached = t.attach(&c.probes, &c.providers, &mut old);
        Retired::free_all(old);
        if let Err(e) = attached {
            t.detach(&c.providers);
            return Err(e);
        }
        if let Err(kernel::alloc::kvec::PushError(_)) =
            c.tracing.push_within_capacity((consumer, t))
        {
            return Err(Error::Memory);
        }
        Ok(())
    }

    /// Disables what a consumer enabled and frees its ECBs.
    pub(crate) fn end(&self, consumer: u64) {
        let mut c = self.config.lock();
        let Some(i) = c.tracing.iter().position(|(n, _)| *n == consumer) else { return };
        let Ok((_, mut t)) = c.tracing.remove(i) else { return };
        t.detach(&c.providers);
    }

    /// Asks about a consumer that is tracing.
    pub(crate) fn with<R>(&self, consumer: u64, f: impl FnOnce(&Tracing) -> R) -> Result<R> {
        let c = self.config.lock();
        match c.tracing.iter().find(|(n, _)| *n == consumer) {
            Some((_, t)) => Ok(f(t)),
            None => Err(Error::Phase("tracing has not been started")),
        }
    }
}

impl Tracing {
    /// Matches the probes that have come since the last time and enables what matches.
    fn attach(
        &mut self,
        probes: &ProbeTable,
        providers: &KVec<Arc<dyn Provider>>,
        old: &mut KVec<Retired<Chain>>,
    ) -> Result {
        let from = self.matched_to;
        for (i, probe) in probes.iter(from) {
            // Even if this probe fails: it is not tried again.
            self.matched_to = i.saturating_add(1);
            self.attach_one(probe, providers, old)?;
        }
        Ok(())
    }

    fn attach_one(
        &mut self,
        probe: &Arc<Probe>,
        providers: &KVec<Arc<dyn Provider>>,
        old: &mut KVec<Retired<Chain>>,
    ) -> Result {
        let first = self.ecbs.len();
        for s in &self.enabling.statements {
            if !s.pattern.matches(probe) {
                continue;
            }
            if self.ecbs.len() >= MAX_EPIDS as usize {
                self.ecbs.truncate(first);
                return Err(Error::TooMany("enabled probes"));
            }
            let ecb = Ecb {
                epid: Epid::from_index(self.ecbs.len()),
                probe: probe.clone(),
                clause: s.clause.clone(),
                shared: self.shared.clone(),
            };
            let made = mem::arc(ecb).and_then(|e| mem::push(&mut self.ecbs, e));
            if made.is_err() {
                self.ecbs.truncate(first);
                return Err(Error::Memory);
            }
        }
        let new = self.ecbs.get(first..).unwrap_or_default();
        if new.is_empty() {
            return Ok(());
        }
        let result = publish(probe, new, &self.shared, providers, old);
        if result.is_err() {
            self.ecbs.truncate(first);
        }
        result
    }

    /// Takes this consumer's ECBs off all probes.
    fn detach(&mut self, providers: &KVec<Arc<dyn Provider>>) {
        // Nothing fires for this consumer from here on, even while probes are being disabled.
        self.shared.set_activity(Activity::Stopped);
        let mut old = KVec::new();
        for chain in self.shared.take_special().into_iter().flatten() {
            bury(chain, &mut old);
        }
        // ECBs of one probe are neighbours: it is enough to look at the first of each.
        let mut last = None;
        for ecb in &self.ecbs {
            if ecb.probe.special.is_some() || last == Some(ecb.probe.id()) {
                continue;
            }
            last = Some(ecb.probe.id());
            withdraw(&ecb.probe, &self.shared, providers, &mut old);
        }
        Retired::free_all(old);
    }
}

/// Keeps what was replaced until all can be freed after one synchronisation; without memory for
/// that, synchronises now.
fn bury(chain: Retired<Chain>, old: &mut KVec<Retired<Chain>>) {
    if mem::reserve(old, 1).is_ok() {
        let _ = old.push_within_capacity(chain);
    }
}

/// Puts ECBs behind those that a probe has; enables it if they are its first.
fn publish(
    probe: &Arc<Probe>,
    new: &[Arc<Ecb>],
    shared: &Shared,
    providers: &KVec<Arc<dyn Provider>>,
    old: &mut KVec<Retired<Chain>>,
) -> Result {
    if let Some(which) = probe.special {
        let chain = shared.special(which);
        let next = chain.with(|c| Chain::extended(c, new))?;
        if let Some(chain) = chain.swap(Some(next)) {
            bury(chain, old);
        }
        return Ok(());
    }
    let next = probe.chain.with(|c| Chain::extended(c, new))?;
    match probe.chain.swap(Some(next)) {
        Some(chain) => bury(chain, old),
        None => {
            let Some(p) = providers.get(probe.provider) else { return Ok(()) };
            if let Err(e) = p.enable(probe) {
                drop(probe.chain.swap(None));
                let mut name = Text::new();
                for (n, part) in probe.parts().into_iter().enumerate() {
                    if n > 0 {
                        name.add(&":");
                    }
                    name.add(&core::str::from_utf8(part).unwrap_or("?"));
                }
                return Err(Error::Enable(name, e));
            }
        }
    }
    Ok(())
}

/// Takes a consumer's ECBs off a probe; disables it if nobody else has any.
fn withdraw(
    probe: &Arc<Probe>,
    shared: &Arc<Shared>,
    providers: &KVec<Arc<dyn Provider>>,
    old: &mut KVec<Retired<Chain>>,
) {
    // A probe that was retired has no chain any more.
    let (ours, others) = probe.chain.with(|c| match c {
        Some(c) => (c.has(shared), c.ecbs.iter().any(|e| !Arc::ptr_eq(&e.shared, shared))),
        None => (false, false),
    });
    if !ours {
        return;
    }
    if !others {
        if let Some(p) = providers.get(probe.provider) {
            p.disable(probe);
        }
        if let Some(chain) = probe.chain.swap(None) {
            bury(chain, old);
        }
        return;
    }
    let rest = probe.chain.with(|c| c.map(|c| without(c, shared)));
    match rest {
        Some(Ok(chain)) => {
            if let Some(chain) = probe.chain.swap(Some(chain)) {
                bury(chain, old);
            }
        }
        // No memory for a second chain: take the first one off, change it, put it back. The others
        // miss the firings of this moment; it beats keeping a dead consumer's buffers.
        _ => {
            if let Some(chain) = probe.chain.swap(None) {
                if let Some(mut chain) = chain.into_inner() {
                    chain.ecbs.retain(|e| !Arc::ptr_eq(&e.shared, shared));
                    drop(probe.chain.swap(Some(chain)));
                }
            }
        }
    }
}

/// A copy of the chain without a consumer's ECBs.
fn without(chain: &Chain, shared: &Arc<Shared>) -> kernel::error::Result<KBox<Chain>> {
    let mut ecbs = KVec::new();
    for e in chain.ecbs.iter().filter(|e| !Arc::ptr_eq(&e.shared, shared)) {
        mem::push(&mut ecbs, e.clone())?;
    }
    Ok(mem::boxed(Chain { ecbs })?)
}
