// SPDX-License-Identifier: GPL-2.0
//! A consumer's enabling while it traces: the ECBs on its probes and the data that they write, as
//! the framework makes them.
#![allow(
    clippy::arc_with_non_send_sync,
    reason = "the kernel's per-CPU data is; a test has one thread"
)]

use abi::ids::{AggId, Epid, ProbeId};
use abi::record::{AggDesc, EprobeDesc};
use abi::status::Status;
use consumer::kernel::{Aggregation, Buffer, Eprobe, Room, Snapshot};
use fire::ecb::{Chain, Ecb, Probe, ProbeTable};
use fire::shared::{Activity, CpuState, Shared};
use fire::steps::end_speculations;
use fire_host::{vector, Sizes};
use mem::{zeroed_bytes, zeroed_words, Arc};
use nosleep::stack::Start;
use nosleep::ProbeCtx;
use plan::enabling::{Enabling, Statement};
use plan::matching::{self, Work};
use plan::probe::Special;
use plan::shortcut::Counts;
use std::collections::BTreeMap;
use std::sync::atomic::Ordering::Relaxed;
use zerocopy::IntoBytes;

const SIZES: Sizes =
    Sizes { cpus: 1, bufsize: 1 << 16, agg_words: 1 << 14, dynvarsize: 1 << 16, numbers: 64 };

/// An enabling that traces.
pub struct Tracing {
    shared: Arc<Shared>,
    enabling: mem::KBox<Enabling>,
    /// By EPID.
    ecbs: Vec<Ecb>,
    cpus: usize,
}

impl Tracing {
    /// Puts ECBs on all matching probes. Nothing fires yet.
    pub fn new(mut enabling: mem::KBox<Enabling>, table: &ProbeTable, cpus: usize) -> Self {
        let shared = Arc::new(fire_host::shared(&mut enabling, Sizes { cpus, ..SIZES }));
        let mut ecbs = Vec::new();
        let patterns = enabling.statements.iter().map(|s: &Statement| &s.pattern);
        matching::each(patterns, table, 0, Work::new(|| Ok(())), |probe, which| {
            let first = ecbs.len();
            for &n in which {
                let clause = enabling.statements[n].clause.clone();
                let slot = match clause.shortcut.counts {
                    Counts::Alone(index) => index,
                    _ => shared.take_numbers(clause.shortcut.numbers()),
                };
                ecbs.push(Ecb {
                    epid: Epid::from_index(ecbs.len()),
                    slot,
                    start: Start::Here(0),
                    probe: probe.clone(),
                    clause,
                    shared: shared.clone(),
                    followers: 0,
                });
            }
            let chain = Chain::new(ecbs[first].clone(), vector(ecbs[first + 1..].iter().cloned()));
            match probe.special {
                Some(which) => shared.special(which).set(chain),
                None => probe.chain.set(chain),
            }
            Ok(())
        })
        .unwrap();
        Self { shared, enabling, ecbs, cpus }
    }

    /// Runs BEGIN on a CPU; then all probes fire.
    pub fn begin(&self, cpu: u32) {
        self.shared.set_activity(Activity::Warmup);
        self.fire_special(cpu, Special::Begin);
        self.shared.advance(Activity::Warmup, Activity::Active);
    }

    /// Runs END on a CPU; then nothing fires.
    pub fn end(&self, cpu: u32) {
        self.shared.set_activity(Activity::Cooldown);
        self.fire_special(cpu, Special::End);
        self.shared.set_activity(Activity::Stopped);
        self.end_speculations();
    }

    fn fire_special(&self, cpu: u32, which: Special) {
        ProbeCtx::on(cpu as usize, |ctx| fire::fire_special(ctx, &self.shared, which));
    }

    fn on_state<R>(&self, cpu: usize, f: impl FnOnce(&mut CpuState) -> R) -> R {
        ProbeCtx::on(cpu, |ctx| f(&mut self.shared.cpus.get(ctx).borrow_mut()))
    }

    /// Lets every CPU do its part of the speculations that end; then they are free.
    fn end_speculations(&self) {
        let ending: Vec<_> = self.shared.speculations.pending().collect();
        for cpu in 0..self.cpus {
            let mut rest = &ending[..];
            while !rest.is_empty() {
                let done = self.on_state(cpu, |state| end_speculations(&self.shared, state, rest));
                rest = &rest[done..];
            }
        }
        ending.into_iter().for_each(|(index, _)| self.shared.speculations.done(index));
    }

    /// Adds the enabling's state to a status.
    pub fn note(&self, status: &mut Status) {
        self.end_speculations();
        let c = &self.shared.counters;
        status.dyndrops += c.dyndrops.load(Relaxed);
        status.specdrops += c.specdrops.load(Relaxed);
        status.specdrops_busy += c.specdrops_busy.load(Relaxed);
        status.specdrops_unavail += c.specdrops_unavail.load(Relaxed);
        status.dblerrors += c.dblerrors.load(Relaxed);
        status.killed |= c.killed.load(Relaxed);
        status.filled |= c.filled.load(Relaxed);
        status.exiting |= u32::from(self.shared.activity() as u32 >= Activity::Draining as u32);
    }

    /// Returns the number of probes that it traces, without its own.
    pub fn probes(&self) -> u32 {
        let ids = self.ecbs.iter().filter(|e| e.probe.special.is_none()).map(|e| e.probe.id());
        let ids: BTreeMap<ProbeId, ()> = ids.map(|id| (id, ())).collect();
        ids.len() as u32
    }

    /// Takes what a CPU has written; `None`: there is no such CPU.
    pub fn snap(&self, which: Buffer, cpu: u32, room: &mut Room) -> Option<Snapshot> {
        let mut snapshot = Snapshot::default();
        let cpu = usize::try_from(cpu).ok().filter(|&cpu| cpu < self.cpus)?;
        self.on_state(cpu, |state| match which {
            Buffer::Principal => {
                let taken = state.principal.swap(zeroed_bytes(SIZES.bufsize).unwrap());
                put(room, &taken.memory[..taken.used]);
                (snapshot.drops, snapshot.errors) = (taken.drops, taken.errors);
            }
            Buffer::Aggregation => {
                let taken = state.aggs.swap(zeroed_words(SIZES.agg_words).unwrap());
                put(room, taken.memory[taken.from..taken.to].as_bytes());
                snapshot.drops = taken.drops;
            }
        });
        Some(snapshot)
    }

    /// Describes an enabled probe.
    pub fn eprobe(&self, epid: Epid) -> Option<Eprobe> {
        let Ecb { probe, clause, .. } = self.ecbs.get(epid.index()?)?;
        let desc = EprobeDesc {
            epid,
            probe: probe.id(),
            uarg: clause.uarg,
            size: clause.size as u32,
            nrecs: clause.records.len() as u32,
            ..EprobeDesc::default()
        };
        Some(Eprobe { desc, recs: clause.records.to_vec() })
    }

    /// Describes an aggregation.
    pub fn aggregation(&self, id: AggId) -> Option<Aggregation> {
        let agg = self.enabling.aggs.get(id.index()?)?;
        let desc = AggDesc {
            id,
            variable: agg.variable,
            size: agg.size,
            nrecs: agg.records.len() as u32,
            ..AggDesc::default()
        };
        Some(Aggregation { desc, recs: agg.records.to_vec() })
    }

    /// Returns a format string.
    pub fn format(&self, index: usize) -> Option<Vec<u8>> {
        self.enabling.formats.get(index).map(|f| f.to_vec())
    }
}

/// Fires a probe with these arguments.
pub fn fire_probe(cpu: u32, probe: &Probe, args: &[u64]) {
    ProbeCtx::on(cpu as usize, |ctx| fire::fire(ctx, probe, fire::Args::Values(args)));
}

fn put(room: &mut Room, bytes: &[u8]) {
    room.reserve(bytes.len())[..bytes.len()].copy_from_slice(bytes);
    room.set_taken(bytes.len());
}
