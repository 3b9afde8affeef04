// SPDX-License-Identifier: GPL-2.0
//! A consumer that is tracing: attaches its ECBs to probes, and detaches them.
//!
//! The steps that can fail come first, so that nothing is done by half: probes are counted, all
//! chains made, all memory reserved. Then the chains are published, and each provider gets its
//! probes at once. A probe that its provider refuses loses its chain and is *left out*; its EPIDs
//! stay unused.
//!
//! EPIDs are used again. A retired probe stays in the list of its consumer, because its records may
//! still be in a buffer, or taken and not printed yet. It leaves the list, and its EPIDs are free,
//! when the consumer has said that it has processed everything older than the retirement
//! ([`abi::ioctl::DONE`]). There are three steps:
//!
//! ```text
//!   retired(): synchronised, noted with the time
//!      ──► free(): removed from the list ──► the consumer knows ──► reuse(): may be used again
//! ```
//! Nothing fires after the first step, so no later record has the EPID: a record is never older
//! than its firing, and the records that a CPU commits after a moment are in its buffer after those
//! that it committed before. Only records that wait in a speculation are moved: they get into the
//! buffer later than others of their time. So with speculations, it takes two calls: the first
//! finds that no part of any CPU has a record of that age, the second finds that the consumer has
//! taken everything since the first.
//!
//! All of this happens under the framework's lock, so that no other code changes a chain. The loops
//! are long, but a kernel with `PREEMPT_LAZY` can preempt them anywhere, so they need not yield.

use crate::{Error, Result};
use abi::ids::{Epid, ProbeId};
use abi::ioctl::MAX_LEFT_OUT;
use core::ops::Range;
use fire::ecb::{Chain, Ecb};
use fire::shared::{Activity, Shared};
use fire::Probe;
use kapi::mem;
use kapi::publish::{Published, Replace, Retired};
use kapi::stack::Start;
use kernel::prelude::*;
use kernel::sync::Arc;
use plan::enabling::{Enabling, Statement};
use plan::matching::{self, Work};
use plan::report::Text;
use plan::shortcut::Counts;
use plan::EnableError;

/// All probes.
pub(crate) type ProbeTable = plan::probe::ProbeTable<Published<Chain>>;

/// The calls of a consumer to the providers, which are identified by their positions in the
/// framework's table.
pub(crate) trait Sources {
    /// Arms probes of a provider; see [`crate::Provider::enable`].
    fn enable(
        &self,
        provider: usize,
        probes: &[Arc<Probe>],
        refuse: &mut dyn FnMut(usize, EnableError),
    );
    /// Disarms probes of a provider.
    fn disable(&self, provider: usize, probes: &[Arc<Probe>]);
    /// Returns where the stacks of a probe begin.
    fn start(&self, probe: &Probe) -> Start;
}

/// Returns an error if the current task is about to be killed.
///
/// # Context
/// *process*, may sleep.
pub(crate) fn go_on() -> Result {
    match kapi::task::is_dying() {
        true => Err(Error::Kernel(EINTR)),
        false => Ok(()),
    }
}

/// The most clauses of one consumer on a probe. Each consumer that starts or ends copies them all.
pub(crate) const MAX_CLAUSES: usize = 1024;
const TOO_MANY_CLAUSES: EnableError =
    EnableError::Unsupported("a program can have at most 1024 clauses on one probe");

/// A consumer that is tracing.
pub(crate) struct Tracing {
    pub(crate) enabling: KBox<Enabling>,
    shared: Arc<Shared>,
    /// The user who has started it.
    owner: u32,
    /// The matching probes, ascending.
    probes: KVVec<Arc<Probe>>,
    /// The first EPID of each of them.
    firsts: KVVec<Epid>,
    /// The owner of each EPID.
    ecbs: KVVec<Place>,
    /// The free EPIDs, descending: the EPIDs of a probe must ascend in the order of its clauses.
    free: KVVec<Epid>,
    /// The most EPIDs that it may have.
    most: usize,
    retired: KVVec<Gone>,
    held: Held,
    /// The serial number below which the segments of the table have been matched.
    matched_to: u64,
    left_out: LeftOut,
    /// The log says that new probes were left out.
    logged: bool,
}

/// The owner of an EPID.
#[derive(Clone, Copy)]
struct Place {
    /// The probe; `NONE` if the EPID is free.
    probe: ProbeId,
    statement: u32,
    /// The next EPID of the same probe.
    next: Epid,
}

/// Probes that were retired together.
#[derive(Clone)]
struct Gone {
    /// Their positions. New probes may have got some of them since.
    places: Range<usize>,
    /// The serial number from which on probes are new.
    serial: u64,
    /// The time when they were retired.
    when: u64,
}

/// The records in the memory of speculations.
#[derive(Clone, Copy, Default)]
pub(crate) struct Held {
    /// The time of the oldest record.
    pub(crate) oldest: u64,
    /// The time when this was determined.
    pub(crate) at: u64,
}

/// The least difference, in ns, by which one time counts as earlier, because the clock of probes
/// differs slightly between CPUs.
const MARGIN: u64 = 1_000_000;

/// Probes that match but could not be enabled.
#[derive(Default)]
pub(crate) struct LeftOut {
    pub(crate) count: u32,
    /// A line for each of the first ones, with the reason.
    pub(crate) text: Text,
}

/// The result of one round of attaching.
struct Round {
    /// The refused probes, and the reasons.
    refused: KVVec<(Arc<Probe>, EnableError)>,
    /// The result for each statement.
    tallies: KVVec<Tally>,
}

/// The result of one round for a statement.
#[derive(Clone, Copy, Default)]
struct Tally {
    /// The number of attached ECBs.
    live: u32,
    /// The position of the first of its probes among the refused ones.
    refused: Option<usize>,
}

impl Round {
    fn new(statements: usize) -> Result<Self> {
        // The framework's lock is held, so no cgroup is charged.
        Ok(Self { refused: KVVec::new(), tallies: mem::filled(statements, Tally::default())? })
    }

    /// Notes that a probe is refused which these statements match.
    fn refuse(&mut self, probe: &Arc<Probe>, why: EnableError, statements: &[usize]) -> Result {
        for n in statements {
            if let Some(tally) = self.tallies.get_mut(*n) {
                tally.refused = tally.refused.or(Some(self.refused.len()));
            }
        }
        Ok(mem::push(&mut self.refused, (probe.clone(), why))?)
    }
}

/// Returns the full name of a probe.
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
    /// Creates it with at most `most` EPIDs.
    pub(crate) fn new(
        enabling: KBox<Enabling>,
        shared: Arc<Shared>,
        owner: u32,
        most: usize,
    ) -> Self {
        Self {
            enabling,
            shared,
            owner,
            probes: KVVec::new(),
            firsts: KVVec::new(),
            ecbs: KVVec::new(),
            free: KVVec::new(),
            most,
            retired: KVVec::new(),
            held: Held::default(),
            matched_to: 0,
            left_out: LeftOut::default(),
            logged: false,
        }
    }

    /// Returns the data that its probes write.
    pub(crate) fn shared(&self) -> &Arc<Shared> {
        &self.shared
    }

    /// Returns the user who has started it.
    pub(crate) fn owner(&self) -> u32 {
        self.owner
    }

    /// Returns the number of its EPIDs, the free ones included.
    pub(crate) fn epids(&self) -> usize {
        self.ecbs.len()
    }

    /// Sets the most EPIDs that it may have. It keeps those that it has: new probes may use the free
    /// ones, even while others have all the rest.
    pub(crate) fn allow(&mut self, most: usize) {
        self.most = most.max(self.epids());
    }

    /// Returns the probes that were left out.
    pub(crate) fn left_out(&self) -> &LeftOut {
        &self.left_out
    }

    /// Returns the number of matching probes, without those of the provider `dtrace`.
    pub(crate) fn count(&self) -> u32 {
        let others = self.probes.iter().filter(|p| p.special.is_none()).count();
        // CAST: bounded by MAX_EPIDS.
        others as u32
    }

    /// Returns the probe and the statement of an EPID.
    pub(crate) fn enabled(&self, epid: Epid) -> Option<(&Arc<Probe>, &Statement)> {
        let &Place { probe, statement, .. } = self.ecbs.get(epid.index()?)?;
        Some((self.probe(probe)?, self.enabling.statements.get(statement as usize)?))
    }

    fn find(&self, id: ProbeId) -> Option<(&Arc<Probe>, Epid)> {
        let at = self.probes.partition_point(|p| p.id() < id);
        let probe = self.probes.get(at).filter(|p| p.id() == id)?;
        Some((probe, *self.firsts.get(at)?))
    }

    /// Returns a matching probe, even if it is retired.
    pub(crate) fn probe(&self, id: ProbeId) -> Option<&Arc<Probe>> {
        self.find(id).map(|(probe, _)| probe)
    }

    /// Returns the statements of a probe.
    fn statements_of(&self, id: ProbeId) -> impl Iterator<Item = usize> + '_ {
        let mut next = self.find(id).map_or(Epid::NONE, |(_, first)| first);
        core::iter::from_fn(move || {
            let place = self.ecbs.get(next.index()?)?;
            next = place.next;
            // CAST: 64 bits.
            Some(place.statement as usize)
        })
    }

    /// Returns which of `probes` are at these positions of the table.
    fn among(&self, places: &Range<usize>) -> Range<usize> {
        let before = |end: usize| self.probes.partition_point(|p| p.id().index() < Some(end));
        before(places.start)..before(places.end)
    }

    /// Returns the last of these positions that has a probe known to this consumer.
    pub(crate) fn last_in(&self, places: &Range<usize>) -> Option<usize> {
        self.probes.get(self.among(places))?.last()?.id().index()
    }

    /// Notes that the probes at these positions are retired; those that are offered from now on
    /// have at least this serial number.
    pub(crate) fn retired(&mut self, places: &Range<usize>, serial: u64, now: u64) {
        // Without memory for this, they keep their EPIDs. That only costs ids.
        if !self.among(places).is_empty() {
            let gone = Gone { places: places.clone(), serial, when: now };
            let _ = mem::push(&mut self.retired, gone);
        }
    }

    /// See [`crate::framework::Framework::free`].
    pub(crate) fn free(
        &mut self,
        until: u64,
        held: Option<Held>,
        room: usize,
    ) -> Result<KVVec<Epid>> {
        let mut bound = until;
        if let Some(now) = held {
            // Records that were not in the speculations at the last check have been taken since.
            let before = self.held;
            let is_taken = before.at.saturating_add(MARGIN) < until;
            bound = if is_taken { before.oldest.min(until) } else { 0 };
            if is_taken || before.at == 0 {
                self.held = now;
            }
        }
        let most = if self.retired.is_empty() { 0 } else { room.min(self.ecbs.len()) };
        let mut freed = mem::vec(most)?;
        let mut done = 0usize;
        for at in 0..self.retired.len() {
            let Some(Gone { places, serial, when }) = self.retired.get(at).cloned() else { break };
            if when.saturating_add(MARGIN) >= bound {
                break;
            }
            let its = self.among(&places);
            let mut rest = false;
            let probes = self.probes.get(its.clone()).unwrap_or_default().iter();
            let firsts = self.firsts.get_mut(its).unwrap_or_default();
            for (_, first) in probes.zip(firsts).filter(|(p, _)| p.serial() < serial) {
                while let Some(place) = first.index().and_then(|epid| self.ecbs.get_mut(epid)) {
                    if freed.push_within_capacity(*first).is_err() {
                        rest = true;
                        break;
                    }
                    *first = place.next;
                    *place = Place { probe: ProbeId::NONE, statement: 0, next: Epid::NONE };
                }
            }
            if rest {
                break;
            }
            done = done.wrapping_add(1);
        }
        if !freed.is_empty() {
            let mut firsts = self.firsts.iter();
            self.probes.retain(|_| firsts.next() != Some(&Epid::NONE));
            self.firsts.retain(|first| *first != Epid::NONE);
        }
        self.retired.rotate_left(done);
        self.retired.truncate(self.retired.len().wrapping_sub(done));
        Ok(freed)
    }

    /// See [`crate::framework::Framework::reuse`].
    pub(crate) fn reuse(&mut self, freed: &[Epid]) {
        // Without memory for this, they stay unused for ever.
        let _ = mem::extend(&mut self.free, freed);
        self.descend();
    }

    /// Orders the free EPIDs, so that the lowest is used first.
    fn descend(&mut self) {
        kapi::sort::heap(&mut self.free, &|epid| u64::from(!epid.0));
    }

    /// Moves the probes after the first `n` to the places of their ids, which are lower after the
    /// last ids have been used. Both parts ascend.
    fn sort(&mut self, n: usize) {
        let (probes, firsts) = (&mut self.probes, &mut self.firsts);
        let mut from = n;
        while let Some(id) = probes.get(from).map(|p| p.id()) {
            let old = probes.get(..from).unwrap_or_default();
            let to = match old.last() {
                Some(last) if last.id() > id => old.partition_point(|p| p.id() < id),
                // All following ones are in order too.
                _ => return,
            };
            let Some(next) = old.get(to).map(|p| p.id()) else { return };
            let new = probes.get(from..).unwrap_or_default().iter();
            let n = new.take_while(|p| p.id() < next).count();
            let end = from.saturating_add(n);
            probes.get_mut(to..end).unwrap_or_default().rotate_right(n);
            firsts.get_mut(to..end).unwrap_or_default().rotate_right(n);
            from = end;
        }
    }

    /// Makes the EPIDs of a probe free again, before its chain has them.
    fn take_back(&mut self, first: Epid) {
        let mut next = first;
        while let Some(place) = next.index().and_then(|epid| self.ecbs.get_mut(epid)) {
            // There is room, because they came from there or it was reserved.
            let _ = self.free.push_within_capacity(next);
            next = place.next;
            *place = Place { probe: ProbeId::NONE, statement: 0, next: Epid::NONE };
        }
    }

    /// Enables all matching probes. Returns an error if a statement matches but all its probes were
    /// refused, or if there is no memory. [`Self::detach`] must then disable what was enabled.
    pub(crate) fn start(&mut self, table: &ProbeTable, providers: &dyn Sources) -> Result {
        let round = self.attach(table, providers, &mut go_on)?;
        self.note(&round.refused);
        // If all probes of a statement were refused, the reason of any of them will do.
        let lost = round.tallies.iter().filter(|t| t.live == 0).find_map(|t| t.refused);
        match lost.and_then(|at| round.refused.get(at)) {
            Some((probe, why)) => Err(Error::Enable(name(probe), *why)),
            None => Ok(()),
        }
    }

    /// Enables probes that are new since the last call. Probes that cannot be enabled are left out:
    /// the consumer learns how many, and the log says why.
    pub(crate) fn extend(&mut self, table: &ProbeTable, providers: &dyn Sources) {
        let from = self.matched_to;
        // The caller is not the consumer, so its end matters nothing.
        match self.attach(table, providers, &mut || Ok(())) {
            Ok(round) => {
                self.shared.count_left_out(round.refused.len() as u64);
                self.note(&round.refused);
                let first = round.refused.as_slice().first();
                if let Some((probe, why)) = first.filter(|_| self.may_log()) {
                    let (n, which) = (round.refused.len(), name(probe));
                    pr_warn!(
                        "{} new probes are left out: {}\n",
                        n,
                        core::format_args!("{which}: {why}")
                    );
                }
            }
            Err(e) => {
                let mut n = 0;
                let all = patterns_of(&self.enabling.statements);
                let _ = matching::each(all, table, from, Work::new(|| Ok(())), |_, _| {
                    n += 1;
                    Ok(())
                });
                self.shared.count_left_out(n);
                if self.may_log() {
                    pr_warn!("new probes are left out: {}\n", core::format_args!("{e}"));
                }
            }
        }
    }

    /// Tells whether the log may say that new probes are left out. Any user's program can bring
    /// such probes along, so each tracing logs this once. Its consumer learns of all of them.
    fn may_log(&mut self) -> bool {
        !core::mem::replace(&mut self.logged, true)
    }

    fn note(&mut self, refused: &[(Arc<Probe>, EnableError)]) {
        for (probe, why) in refused {
            // CAST: 64 bits.
            if (self.left_out.count as usize) < MAX_LEFT_OUT {
                self.left_out.text.add(&core::format_args!("{}: {why}\n", name(probe)));
            }
            self.left_out.count = self.left_out.count.saturating_add(1);
        }
    }

    /// Matches probes that are new since the last call, and enables the matching ones. On an error,
    /// nothing has changed, unless probes had already been passed to providers.
    fn attach(
        &mut self,
        table: &ProbeTable,
        providers: &dyn Sources,
        go_on: &mut dyn FnMut() -> Result,
    ) -> Result<Round> {
        let from = self.matched_to;
        // This holds even if it fails: the probes are not tried again.
        self.matched_to = table.serial();
        let first_probe = self.probes.len();
        let mut round = Round::new(self.enabling.statements.len())?;
        let probes = self.reserve(table, from, &mut round, go_on)?;
        if probes == 0 {
            return Ok(round);
        }
        let mut fresh: KVVec<Arc<Probe>> = mem::vec(probes)?;
        let mut chains: KVVec<KBox<Chain>> = mem::vec(probes)?;
        if let Err(e) = self.make(table, from, providers, &mut round, &mut chains, go_on) {
            self.unmake(first_probe);
            return Err(e);
        }
        // Nothing below can fail.
        let mut grave = Grave::new();
        let new = self.probes.get(first_probe..).unwrap_or_default();
        for (probe, chain) in new.iter().zip(chains) {
            match chain_of(probe, &self.shared).swap(Some(chain)) {
                Some(old) => grave.bury(old),
                None if probe.special.is_none() => {
                    let _ = fresh.push_within_capacity(probe.clone());
                }
                None => {}
            }
        }
        let has_memory = switch_on(&fresh, providers, &mut round, &mut grave);
        grave.close();
        self.sort(first_probe);
        // Probes with too many clauses have no EPIDs.
        for (at, (probe, _)) in round.refused.iter().enumerate() {
            for n in self.statements_of(probe.id()) {
                if let Some(tally) = round.tallies.get_mut(n) {
                    tally.live = tally.live.saturating_sub(1);
                    tally.refused = tally.refused.or(Some(at));
                }
            }
        }
        match has_memory {
            true => Ok(round),
            false => Err(Error::Memory),
        }
    }

    /// Reserves the memory for all matching probes in the segments from serial number `from` on.
    /// Returns their number, without those that have too many clauses, which it refuses.
    fn reserve(
        &mut self,
        table: &ProbeTable,
        from: u64,
        round: &mut Round,
        go_on: &mut dyn FnMut() -> Result,
    ) -> Result<usize> {
        let (mut probes, mut ecbs, mut grown) = (0usize, 0usize, self.ecbs.len());
        let (before, free, most) = (grown, self.free.len(), self.most);
        let patterns = patterns_of(&self.enabling.statements);
        matching::each(patterns, table, from, Work::new(go_on), |probe, which| {
            if which.len() > MAX_CLAUSES {
                return round.refuse(probe, TOO_MANY_CLAUSES, which);
            }
            probes = probes.wrapping_add(1);
            ecbs = ecbs.wrapping_add(which.len());
            grown = before.saturating_add(ecbs.saturating_sub(free));
            match grown > most {
                true => Err(Error::TooMany("enabled probes")),
                false => Ok(()),
            }
        })?;
        mem::reserve(&mut self.probes, probes)?;
        mem::reserve(&mut self.firsts, probes)?;
        let more = grown.saturating_sub(self.ecbs.len());
        mem::reserve(&mut self.ecbs, more)?;
        // If making them fails halfway, all of them are returned.
        mem::reserve(&mut self.free, ecbs)?;
        Ok(probes)
    }

    /// Makes the ECBs of these probes, and the chain of each probe with them.
    fn make(
        &mut self,
        table: &ProbeTable,
        from: u64,
        providers: &dyn Sources,
        round: &mut Round,
        chains: &mut KVVec<KBox<Chain>>,
        go_on: &mut dyn FnMut() -> Result,
    ) -> Result {
        let Self { shared, enabling, probes, firsts, ecbs, free, .. } = self;
        let all = &enabling.statements;
        matching::each(patterns_of(all), table, from, Work::new(go_on), |probe, which| {
            if which.len() > MAX_CLAUSES {
                return Ok(());
            }
            let first = line_up(probe.id(), which, ecbs, free, round);
            let _ = probes.push_within_capacity(probe.clone());
            let _ = firsts.push_within_capacity(first);
            // Ask the provider here: it takes its lock, and it publishes under that.
            let start = providers.start(probe);
            let mut next = first;
            let new = core::iter::from_fn(|| {
                let epid = next;
                let place = ecbs.get(epid.index()?)?;
                next = place.next;
                // CAST: 64 bits.
                let clause = all.get(place.statement as usize)?.clause.clone();
                let slot = match clause.shortcut.counts {
                    Counts::Alone(index) => index,
                    _ => shared.take_numbers(clause.shortcut.numbers()),
                };
                let (probe, shared) = (probe.clone(), shared.clone());
                Some(Ecb { epid, slot, start, probe, clause, shared, followers: 0 })
            });
            let chain = chain_of(probe, shared).with(|old| {
                let n = old.map_or(0, Chain::len).saturating_add(which.len());
                let old = old.map(Chain::ecbs).into_iter().flatten().cloned();
                chain(n, Iterator::chain(old, new))
            })?;
            let _ = chains.push_within_capacity(chain.ok_or(Error::Memory)?);
            Ok(())
        })?;
        Ok(())
    }

    /// Takes back what [`Self::make`] has made of the probes from this index on.
    fn unmake(&mut self, first_probe: usize) {
        self.probes.truncate(first_probe);
        while self.firsts.len() > first_probe {
            let Some(first) = self.firsts.pop() else { break };
            self.take_back(first);
        }
        self.descend();
    }

    /// Removes this consumer's ECBs from all probes. This cannot fail.
    pub(crate) fn detach(&mut self, providers: &dyn Sources) {
        // From here on, nothing fires for this consumer, even while probes are being disabled.
        self.shared.set_activity(Activity::Stopped);
        let mut grave = Grave::new();
        for special in &self.shared.special {
            if let Some(chain) = special.swap(None) {
                grave.bury(chain);
            }
        }
        // Probes without another consumer come first in the list, in their old order.
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
            if let Some(first) = batch.first() {
                providers.disable(first.provider(), batch);
            }
        }
        grave.expect(alone.len());
        for chain in alone.iter().filter_map(|p| p.chain.swap(None)) {
            grave.bury(chain);
        }
        grave.close();
    }
}

/// Gives a clause of a probe an EPID: a free one, or a new one. `None`: no memory was reserved for
/// it.
fn settle(place: Place, ecbs: &mut KVVec<Place>, free: &mut KVVec<Epid>) -> Option<Epid> {
    let Some(epid) = free.pop() else {
        let epid = Epid::from_index(ecbs.len());
        return ecbs.push_within_capacity(place).is_ok().then_some(epid);
    };
    *ecbs.get_mut(epid.index()?)? = place;
    Some(epid)
}

/// Gives an EPID to each of these statements for a probe, and links them. Returns the first.
fn line_up(
    probe: ProbeId,
    which: &[usize],
    ecbs: &mut KVVec<Place>,
    free: &mut KVVec<Epid>,
    round: &mut Round,
) -> Epid {
    let (mut first, mut last) = (Epid::NONE, Epid::NONE);
    for &n in which {
        // CAST: there are less than 2^32 statements.
        let place = Place { probe, statement: n as u32, next: Epid::NONE };
        let Some(epid) = settle(place, ecbs, free) else { break };
        match last.index().and_then(|at| ecbs.get_mut(at)) {
            Some(before) => before.next = epid,
            None => first = epid,
        }
        last = epid;
        if let Some(tally) = round.tallies.get_mut(n) {
            tally.live = tally.live.saturating_add(1);
        }
    }
    first
}

/// Returns the place of a probe's chain. BEGIN, END and ERROR have one for each consumer.
fn chain_of<'a>(probe: &'a Probe, shared: &'a Shared) -> &'a Published<Chain> {
    match probe.special {
        Some(which) => shared.special(which),
        None => &probe.chain,
    }
}

/// Lets the providers enable probes that no consumer has enabled yet, and takes back the chains of
/// those that they refuse. Returns false if there was no memory.
fn switch_on(
    fresh: &[Arc<Probe>],
    providers: &dyn Sources,
    round: &mut Round,
    grave: &mut Grave,
) -> bool {
    let mut has_memory = true;
    for batch in fresh.chunk_by(|a, b| a.provider() == b.provider()) {
        let Some(first) = batch.first() else { continue };
        providers.enable(first.provider(), batch, &mut |i, why| {
            let Some(probe) = batch.get(i) else { return };
            if let Some(chain) = probe.chain.swap(None) {
                grave.bury(chain);
            }
            has_memory &= why != EnableError::Memory;
            has_memory &= round.refuse(probe, why, &[]).is_ok();
        });
    }
    has_memory
}

/// Makes a chain of these `n` ECBs; `None` if there are none.
fn chain(n: usize, mut ecbs: impl Iterator<Item = Ecb>) -> Result<Option<KBox<Chain>>> {
    let Some(first) = ecbs.next() else { return Ok(None) };
    let mut more = mem::exact(n.saturating_sub(1))?;
    for e in ecbs {
        more.push_within_capacity(e).map_err(|_| Error::Memory)?;
    }
    Ok(Some(mem::boxed(Chain::new(first, more))?))
}

fn patterns_of(statements: &[Statement]) -> impl Iterator<Item = &matching::Pattern> {
    statements.iter().map(|s| &s.pattern)
}

/// Removes a consumer's ECBs from a probe that others have too.
fn withdraw(probe: &Probe, shared: &Arc<Shared>, grave: &mut Grave) {
    let rest = probe.chain.with(|c| {
        let all = || c.map(Chain::ecbs).into_iter().flatten();
        let rest = || all().filter(|e| !Arc::ptr_eq(&e.shared, shared));
        chain(rest().count(), rest().cloned())
    });
    if let Ok(rest) = rest {
        if let Some(chain) = probe.chain.swap(rest) {
            grave.bury(chain);
        }
        return;
    }
    // Without memory for a second chain, take the first one off, change it, and put it back. The
    // other consumers miss the firings of this moment, which is better than keeping a dead
    // consumer's buffers.
    if let Some(mut chain) = probe.chain.swap(None).and_then(Retired::into_inner) {
        if chain.leave(shared) {
            drop(probe.chain.swap(Some(chain)));
        }
    }
}

/// Chains that probes in progress may still read. All of them are freed after one synchronisation.
pub(crate) struct Grave(KVVec<Retired<Chain>>);

impl Grave {
    pub(crate) const fn new() -> Self {
        Self(KVVec::new())
    }

    /// Makes room for `n` more.
    pub(crate) fn expect(&mut self, n: usize) {
        let _ = mem::reserve(&mut self.0, n);
    }

    pub(crate) fn bury(&mut self, chain: Retired<Chain>) {
        if self.0.len() == self.0.capacity() && mem::reserve(&mut self.0, 1).is_err() {
            // Freeing the present ones makes room, for the price of a synchronisation.
            Retired::free_all(self.0.drain_all());
        }
        // Without any memory, the chain is dropped, which synchronises.
        let _ = self.0.push_within_capacity(chain);
    }

    /// Frees them.
    pub(crate) fn close(self) {
        Retired::free_all(self.0);
    }
}
