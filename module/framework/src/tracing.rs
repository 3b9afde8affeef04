// SPDX-License-Identifier: GPL-2.0
//! A consumer that is tracing: its ECBs on probes, and off them again.
//!
//! What can fail is done first, in order that nothing is half done: probes are counted, all chains
//! made, all room reserved. Then they are published, and each provider is given its probes at once. A
//! probe that its provider refuses loses its chain and is *left out*; its EPIDs stay unused.
//!
//! All of it happens under the framework's lock, so that nobody else changes a chain. The loops are
//! long, but a kernel that has `PREEMPT_LAZY` interrupts them as it likes: they need not offer it.

use crate::clause::Counts;
use crate::ecb::{Chain, Ecb};
use crate::enabling::{Enabling, Statement};
use crate::matching;
use crate::probe::{Probe, ProbeTable};
use crate::provider::{EnableError, Provider};
use crate::report::Text;
use crate::shared::{Activity, Shared};
use crate::{Error, Result};
use abi::ids::{Epid, ProbeId, MAX_EPIDS};
use abi::ioctl::MAX_LEFT_OUT;
use kapi::mem;
use kapi::publish::Retired;
use kapi::stack::Start;
use kernel::prelude::*;
use kernel::sync::Arc;

type Providers = KVec<Arc<dyn Provider>>;

/// A consumer that is tracing.
pub(crate) struct Tracing {
    pub(crate) enabling: KBox<Enabling>,
    shared: Arc<Shared>,
    /// Probes that match, ascending.
    probes: KVVec<Arc<Probe>>,
    /// By EPID: which of `probes`, and which statement.
    ecbs: KVVec<(u32, u32)>,
    /// Probes below this position of the table have been matched.
    matched_to: usize,
    left_out: LeftOut,
}

/// Probes that match but could not be enabled.
#[derive(Default)]
pub(crate) struct LeftOut {
    pub(crate) count: u32,
    /// A line of each of the first, and why.
    pub(crate) text: Text,
}

/// What one round of attaching came to.
struct Round {
    /// Refused probes: which of `Tracing::probes`, and why.
    refused: KVVec<(usize, EnableError)>,
    /// ECBs of each statement that are in place.
    live: KVVec<u32>,
    /// Of each statement: has it matched a probe?
    matched: KVVec<u32>,
}

/// A full name.
fn name(probe: &Probe) -> Text {
    let mut name = Text::new();
    for (n, part) in probe.parts().into_iter().enumerate() {
        if n > 0 {
            name.add(&":");
        }
        name.add(&core::str::from_utf8(part).unwrap_or("?"));
    }
    name
}

impl Tracing {
    pub(crate) fn new(enabling: KBox<Enabling>, shared: Arc<Shared>) -> Self {
        let (probes, ecbs) = (KVVec::new(), KVVec::new());
        Self { enabling, shared, probes, ecbs, matched_to: 0, left_out: LeftOut::default() }
    }

    /// What its probes write into.
    pub(crate) fn shared(&self) -> &Arc<Shared> {
        &self.shared
    }

    /// What was left out.
    pub(crate) fn left_out(&self) -> &LeftOut {
        &self.left_out
    }

    /// How many probes match; those of the provider `dtrace` do not count.
    pub(crate) fn count(&self) -> u32 {
        let others = self.probes.iter().filter(|p| p.special.is_none()).count();
        // CAST: bounded by MAX_EPIDS.
        others as u32
    }

    /// The probe and the statement of an EPID.
    pub(crate) fn enabled(&self, epid: Epid) -> Option<(&Arc<Probe>, &Statement)> {
        let &(probe, statement) = self.ecbs.get(epid.index()?)?;
        Some((self.probes.get(probe as usize)?, self.enabling.statements.get(statement as usize)?))
    }

    /// A probe that matches, even if it is retired.
    pub(crate) fn probe(&self, id: ProbeId) -> Option<&Arc<Probe>> {
        let at = self.probes.partition_point(|p| p.id() < id);
        self.probes.get(at).filter(|p| p.id() == id)
    }

    /// Enables all that matches. An error: a statement matches, but all its probes were refused; or
    /// memory. Then what was enabled is left for [`Self::detach`].
    pub(crate) fn start(&mut self, table: &ProbeTable, providers: &Providers) -> Result {
        let round = self.attach(table, providers)?;
        self.note(&round.refused);
        let counts = round.live.iter().zip(&round.matched);
        let Some(lost) = counts.into_iter().position(|(&live, &all)| live == 0 && all > 0) else {
            return Ok(());
        };
        // All of its probes were refused: any of them speaks for it.
        let its = self.ecbs.iter().find(|&&(_, n)| n as usize == lost);
        let why = its.and_then(|&(p, _)| round.refused.iter().find(|r| r.0 == p as usize));
        match why.and_then(|&(at, why)| Some((self.probes.get(at)?, why))) {
            Some((probe, why)) => Err(Error::Enable(name(probe), why)),
            None => Ok(()),
        }
    }

    /// Enables what has come since the last time. What cannot be is left out, and the log says why.
    pub(crate) fn extend(&mut self, table: &ProbeTable, providers: &Providers) {
        match self.attach(table, providers) {
            Ok(round) => {
                self.note(&round.refused);
                if let Some(&(at, why)) = round.refused.as_slice().first() {
                    let (n, which) = (round.refused.len(), self.probes.get(at));
                    let which = which.map_or_else(Text::new, |p| name(p));
                    pr_warn!(
                        "{} new probes are left out: {}\n",
                        n,
                        core::format_args!("{which}: {why}")
                    );
                }
            }
            Err(e) => pr_warn!("new probes are left out: {}\n", core::format_args!("{e}")),
        }
    }

    fn note(&mut self, refused: &[(usize, EnableError)]) {
        for &(at, why) in refused {
            // CAST: positions are 32 bits.
            if (self.left_out.count as usize) < MAX_LEFT_OUT {
                if let Some(p) = self.probes.get(at) {
                    self.left_out.text.add(&core::format_args!("{}: {why}\n", name(p)));
                }
            }
            self.left_out.count = self.left_out.count.saturating_add(1);
        }
    }

    /// Matches the probes that have come since the last time and enables what matches. On an error
    /// there is nothing more of it than before, unless probes had been given to providers already.
    fn attach(&mut self, table: &ProbeTable, providers: &Providers) -> Result<Round> {
        let from = self.matched_to;
        // Even if it fails: they are not tried again.
        self.matched_to = table.end();
        let (first_probe, first_ecb) = (self.probes.len(), self.ecbs.len());
        let statements = self.enabling.statements.len();
        let mut round = Round {
            refused: KVVec::new(),
            live: mem::zeroed(statements)?,
            matched: mem::zeroed(statements)?,
        };
        let (mut probes, mut ecbs) = (0usize, 0usize);
        matching::each(patterns_of(&self.enabling.statements), table, from, |_, which| {
            probes = probes.wrapping_add(1);
            ecbs = ecbs.wrapping_add(which.count());
            Ok(())
        })?;
        if self.ecbs.len().saturating_add(ecbs) > MAX_EPIDS as usize {
            return Err(Error::TooMany("enabled probes"));
        }
        if probes == 0 {
            return Ok(round);
        }
        // All room that is needed.
        mem::reserve(&mut self.probes, probes)?;
        mem::reserve(&mut self.ecbs, ecbs)?;
        let mut chains: KVVec<KBox<Chain>> = mem::vec(probes)?;
        let mut fresh: KVVec<Arc<Probe>> = mem::vec(probes)?;
        let (shared, all) = (&self.shared, &self.enabling.statements);
        let (list, table_of_ecbs) = (&mut self.probes, &mut self.ecbs);
        let (live, matched) = (&mut round.live, &mut round.matched);
        let made = matching::each(patterns_of(all), table, from, |probe, which| {
            // CAST: bounded by MAX_EPIDS, as are the statements.
            let at = list.len() as u32;
            let new = which.filter_map(|n| {
                let epid = Epid::from_index(table_of_ecbs.len());
                table_of_ecbs.push_within_capacity((at, n as u32)).ok()?;
                for count in [live.get_mut(n)?, matched.get_mut(n)?] {
                    *count = count.saturating_add(1);
                }
                let clause = all.get(n)?.clause.clone();
                let start = start_of(probe, providers);
                let slot = match clause.counts {
                    Counts::Alone(index) => index,
                    _ => shared.take_numbers(clause.numbers()),
                };
                let (probe, shared) = (probe.clone(), shared.clone());
                Some(Ecb { epid, slot, start, probe, clause, shared })
            });
            let place = match probe.special {
                Some(which) => shared.special(which),
                None => &probe.chain,
            };
            let chain = place.with(|old| {
                let old = old.map(Chain::ecbs).into_iter().flatten().cloned();
                Chain::of(Iterator::chain(old, new))
            })?;
            if let Some(chain) = chain {
                let _ = list.push_within_capacity(probe.clone());
                let _ = chains.push_within_capacity(chain);
            }
            Ok(())
        });
        if let Err(e) = made {
            self.probes.truncate(first_probe);
            self.ecbs.truncate(first_ecb);
            return Err(e);
        }
        // Nothing below can fail.
        let mut grave = Grave::new();
        let new = self.probes.get(first_probe..).unwrap_or_default();
        for (probe, chain) in new.iter().zip(chains) {
            let place = match probe.special {
                Some(which) => self.shared.special(which),
                None => &probe.chain,
            };
            match place.swap(Some(chain)) {
                Some(old) => grave.bury(old),
                None if probe.special.is_none() => {
                    let _ = fresh.push_within_capacity(probe.clone());
                }
                None => {}
            }
        }
        let mut memory = false;
        for batch in fresh.chunk_by(|a, b| a.provider() == b.provider()) {
            let Some(provider) = batch.first().and_then(|p| providers.get(p.provider())) else {
                continue;
            };
            provider.enable(batch, &mut |i, why| {
                let Some(probe) = batch.get(i) else { return };
                if let Some(chain) = probe.chain.swap(None) {
                    grave.bury(chain);
                }
                let at = new.partition_point(|p| p.id() < probe.id()).saturating_add(first_probe);
                memory |= why == EnableError::Memory;
                memory |= mem::push(&mut round.refused, (at, why)).is_err();
            });
        }
        grave.close();
        for &(at, _) in &round.refused {
            let its = self.ecbs.partition_point(|&(p, _)| (p as usize) < at);
            let its = self.ecbs.get(its..).unwrap_or_default().iter();
            for &(_, n) in its.take_while(|&&(p, _)| p as usize == at) {
                if let Some(live) = round.live.get_mut(n as usize) {
                    *live = live.saturating_sub(1);
                }
            }
        }
        match memory {
            true => Err(Error::Memory),
            false => Ok(round),
        }
    }

    /// Takes this consumer's ECBs off all probes. Nothing in here can fail.
    pub(crate) fn detach(&mut self, providers: &Providers) {
        // Nothing fires for this consumer from here on, even while probes are being disabled.
        self.shared.set_activity(Activity::Stopped);
        let mut grave = Grave::new();
        for chain in self.shared.take_special().into_iter().flatten() {
            grave.bury(chain);
        }
        // Those that nobody else has come first in the list, in the same order as before.
        let mut alone = 0;
        for i in 0..self.probes.len() {
            let Some(probe) = self.probes.get(i) else { continue };
            // A probe that was retired or left out has no chain.
            let (ours, others) = probe.chain.with(|c| match c {
                Some(c) => (c.has(&self.shared), c.has_others(&self.shared)),
                None => (false, false),
            });
            match (ours, others) {
                (true, true) => withdraw(probe, &self.shared, &mut grave),
                (true, false) => {
                    self.probes.swap(alone, i);
                    alone = alone.wrapping_add(1);
                }
                (false, _) => {}
            }
        }
        let alone = self.probes.get(..alone).unwrap_or_default();
        for batch in alone.chunk_by(|a, b| a.provider() == b.provider()) {
            if let Some(p) = batch.first().and_then(|p| providers.get(p.provider())) {
                p.disable(batch);
            }
        }
        grave.expect(alone.len());
        for chain in alone.iter().filter_map(|p| p.chain.swap(None)) {
            grave.bury(chain);
        }
        grave.close();
    }
}

/// Where the stacks of a probe begin. One that is of no function is fired by an interrupt.
fn start_of(probe: &Probe, providers: &Providers) -> Start {
    if probe.special.is_some() {
        return Start::Here(0);
    }
    if probe.part(2).is_empty() {
        return Start::Interrupt;
    }
    match providers.get(probe.provider()) {
        Some(p) if p.is_of_programs() => {
            Start::Program { entered: matches!(probe.part(3), b"entry" | b"0") }
        }
        Some(p) => Start::Here(p.own_frames()),
        None => Start::Here(0),
    }
}

fn patterns_of(statements: &[Statement]) -> impl Iterator<Item = &matching::Pattern> {
    statements.iter().map(|s| &s.pattern)
}

/// Takes a consumer's ECBs off a probe that others have as well.
fn withdraw(probe: &Probe, shared: &Arc<Shared>, grave: &mut Grave) {
    let rest = probe.chain.with(|c| {
        let all = c.map(Chain::ecbs).into_iter().flatten();
        Chain::of(all.filter(|e| !Arc::ptr_eq(&e.shared, shared)).cloned())
    });
    if let Ok(rest) = rest {
        if let Some(chain) = probe.chain.swap(rest) {
            grave.bury(chain);
        }
        return;
    }
    // No memory for a second chain: take the first one off, change it, put it back. The others miss
    // the firings of this moment; it beats keeping a dead consumer's buffers.
    if let Some(mut chain) = probe.chain.swap(None).and_then(Retired::into_inner) {
        if chain.leave(shared) {
            drop(probe.chain.swap(Some(chain)));
        }
    }
}

/// Chains that probes under way may still read: all of them are freed after one synchronisation.
pub(crate) struct Grave(KVVec<Retired<Chain>>);

impl Grave {
    pub(crate) const fn new() -> Self {
        Self(KVVec::new())
    }

    /// So many more will come.
    pub(crate) fn expect(&mut self, n: usize) {
        let _ = mem::reserve(&mut self.0, n);
    }

    pub(crate) fn bury(&mut self, chain: Retired<Chain>) {
        if self.0.len() == self.0.capacity() && mem::reserve(&mut self.0, 1).is_err() {
            // Those that are here make room, at the price of a synchronisation.
            Retired::free_all(self.0.drain_all());
        }
        // Without any memory it is dropped, which synchronises.
        let _ = self.0.push_within_capacity(chain);
    }

    /// Frees them.
    pub(crate) fn close(self) {
        Retired::free_all(self.0);
    }
}
