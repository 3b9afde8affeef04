// SPDX-License-Identifier: GPL-2.0
//! A consumer's enabling while it traces: the ECBs on its probes and the data that they write, as
//! the framework makes them.
#![allow(
    clippy::arc_with_non_send_sync,
    reason = "the kernel's per-CPU data is; a test has one thread"
)]

use abi::ids::{AggId, Epid, ProbeId};
use abi::option::{OptionId, UNSET};
use abi::record::{AggDesc, EprobeDesc};
use abi::status::Status;
use buffers::aggregation::SLOT;
use buffers::elements::Elements;
use buffers::speculation::{Part, States};
use buffers::{AggBuffer, Key, Principal};
use consumer::kernel::{Aggregation, Buffer, Eprobe, Room, Snapshot};
use fire::budget::Budget;
use fire::deadman::{Deadman, Here};
use fire::dynvar::DynVars;
use fire::ecb::{Chain, Ecb, Probe, ProbeTable};
use fire::shared::{Activity, Counters, CpuState, Shared};
use fire::steps::end_speculations;
use fire::unwind::{Unwind, FILES, MET};
use fire::words::Words;
use mem::{zeroed_atomics, zeroed_bytes, zeroed_words, Arc, KVec};
use nosleep::stack::Start;
use nosleep::{PerCpu, ProbeCtx, Published};
use plan::enabling::{Enabling, Statement};
use plan::matching;
use plan::probe::Special;
use plan::shortcut::Counts;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use zerocopy::IntoBytes;

/// The bytes of a CPU's trace, and of its part of a speculation.
const BUFSIZE: usize = 1 << 16;
/// The words of a CPU's aggregations.
const AGGSIZE: usize = 1 << 14;
/// The bytes of dynamic variables.
const DYNVARSIZE: usize = 1 << 16;
/// The most values with constant keys.
const NUMBERS: usize = 64;

/// An enabling that traces.
pub struct Tracing {
    shared: Arc<Shared>,
    enabling: mem::KBox<Enabling>,
    /// By EPID.
    ecbs: Vec<Ecb>,
    cpus: usize,
}

fn vector<T>(items: impl IntoIterator<Item = T>) -> KVec<T> {
    let mut all = KVec::new();
    items.into_iter().for_each(|item| mem::push(&mut all, item).unwrap());
    all
}

/// Makes the data that the probes of an enabling write, for this number of CPUs.
fn shared(e: &mut Enabling, cpus: usize) -> Shared {
    let vars = std::mem::take(&mut e.vars);
    let strsize = e.options.get(OptionId::Strsize) as usize;
    let scratch = dif::scratch::size(strsize, vars.largest());
    let room = DynVars::room(DYNVARSIZE, &vars, cpus);
    let words = |n| zeroed_words(n).unwrap();
    let nspec = e.options.get(OptionId::Nspec) as usize;
    let parts = if e.speculates { nspec } else { 0 };
    let state = |_| {
        RefCell::new(CpuState {
            principal: Principal::new(zeroed_bytes(BUFSIZE).unwrap()),
            aggs: AggBuffer::new(
                words(AGGSIZE),
                [1, 2],
                words(e.aggs.len() + NUMBERS),
                words(if e.key_words > 0 { 512 * SLOT } else { 0 }),
            ),
            parts: vector((0..parts).map(|_| Part::new(zeroed_bytes(BUFSIZE).unwrap()))),
            scratch: zeroed_bytes(2 * scratch).unwrap(),
            kept: 0,
            locals: words(vars.local.words()),
            key: Key::new(words(e.key_words), words(e.key_words)),
            budget: Budget::default(),
            asked: 0,
            random: 1,
        })
    };
    let aggs = e.aggs.len() as u32;
    Shared {
        activity: AtomicU32::new(Activity::Inactive as u32),
        cpus: PerCpu::of(cpus, state),
        globals: Words::new(zeroed_atomics(vars.global.words()).unwrap()),
        dynvars: DynVars::new(
            zeroed_atomics(room.words).unwrap(),
            Elements::new(zeroed_atomics(room.elements).unwrap(), cpus, [1, 2]),
            zeroed_atomics(room.ended).unwrap(),
        ),
        vars,
        speculations: States::new(vector((0..nspec).map(|_| AtomicU32::new(0)))),
        strsize,
        has_parts: e.speculates,
        only_cpu: UNSET,
        counters: Counters::default(),
        deadman: Deadman::new(PerCpu::of(cpus, |_| Here::new())),
        waker: None,
        unwind: Arc::new(Unwind::new(
            vector((0..FILES).map(|_| Published::empty())),
            zeroed_atomics(MET).unwrap(),
        )),
        special: [Published::empty(), Published::empty(), Published::empty()],
        owner: ([0; 16], 1),
        numbers: (AtomicU32::new(aggs), aggs + NUMBERS as u32),
        may_destroy: e.is_destructive(),
        policy: 0,
        bufsize: BUFSIZE,
        aggsize: 8 * AGGSIZE,
        dynvarsize: DYNVARSIZE,
        specsize: BUFSIZE,
        nested_before: 0,
    }
}

impl Tracing {
    /// Puts ECBs on all matching probes. Nothing fires yet.
    pub fn new(mut enabling: mem::KBox<Enabling>, table: &ProbeTable, cpus: usize) -> Self {
        let shared = Arc::new(shared(&mut enabling, cpus));
        let mut ecbs = Vec::new();
        let patterns = enabling.statements.iter().map(|s: &Statement| &s.pattern);
        matching::each(patterns, table, 0, |probe, which| {
            let first = ecbs.len();
            for n in which {
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
        let ending: Vec<usize> = self.shared.speculations.pending().map(|p| p.0).collect();
        for cpu in (0..self.cpus).filter(|_| !ending.is_empty()) {
            self.on_state(cpu, |state| end_speculations(&self.shared, state));
        }
        ending.into_iter().for_each(|index| self.shared.speculations.done(index));
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
                let taken = state.principal.swap(zeroed_bytes(BUFSIZE).unwrap());
                put(room, &taken.memory[..taken.used]);
                (snapshot.drops, snapshot.errors) = (taken.drops, taken.errors);
            }
            Buffer::Aggregation => {
                let taken = state.aggs.swap(zeroed_words(AGGSIZE).unwrap());
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
