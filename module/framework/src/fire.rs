// SPDX-License-Identifier: GPL-2.0
//! What happens when a probe fires.
//!
//! The provider has entered probe context: interrupts are off on this CPU, and the CPU processes no
//! other probe. A probe that an NMI hits now is dropped and counted. Then each ECB of the probe
//! runs: predicate, room in the buffer, steps, commit. A clause that faults leaves no record. Its
//! fault goes to the consumer's own ERROR probe; a fault in there is only counted.

use crate::args::Args;
use crate::budget::{Budget, Share};
use crate::deadman::MUCH;
use crate::ecb::{Chain, Ecb, Probe};
use crate::env::{ill_op, process, Firing, ProbeEnv};
use crate::shared::{Activity, CpuState, Shared};
use crate::shortcut;
use crate::vtime;
use abi::fault::FaultKind;
use abi::probe::until_nul;
use abi::record::{RecordHeader, HEADER_SIZE};
use buffers::speculation::{End, Part};
use buffers::Principal;
use core::ptr;
use core::sync::atomic::Ordering::Relaxed;
use dif::{Env, Fault, Raised};
use kapi::act;
use kapi::context::ProbeCtx;
use kapi::task;
use kernel::alloc::KVVec;
use plan::code::Code;
use plan::probe::Special;
use plan::shortcut::Counts;
use plan::step::{price_of_aggregating, Datum, Form, Name, Step, COMM_LEN};
use zerocopy::IntoBytes;

/// Fires a probe of any provider except `dtrace`.
///
/// # Context
/// *probe*.
#[inline(always)]
pub fn fire(ctx: &ProbeCtx, probe: &Probe, args: Args<'_>) {
    if let Some(rest) = fire_without(ctx, probe) {
        rest.fire(ctx, args);
    }
}

/// The rest of a firing: clauses that may read arguments.
pub struct Rest<'p>(&'p Chain);

/// Does the part of [`fire`] that needs no arguments, which may be expensive to find.
///
/// # Context
/// *probe*.
#[inline(always)]
pub fn fire_without<'p>(ctx: &'p ProbeCtx, probe: &'p Probe) -> Option<Rest<'p>> {
    let chain = probe.chain.load(ctx)?;
    // Tracing one process makes the probe fire in all of them, so the path of a false predicate
    // must be short. Clauses that only count are nearly as common.
    if let Some(only) = chain.only() {
        let clause = &*only.clause;
        if clause.shortcut.gate.as_ref().is_some_and(shortcut::is_shut) {
            return None;
        }
        if !matches!(clause.shortcut.counts, Counts::No) {
            count(ctx, only);
            return None;
        }
    }
    Some(Rest(chain))
}

impl Rest<'_> {
    /// Fires the probe.
    #[inline(always)]
    pub fn fire(self, ctx: &ProbeCtx, args: Args<'_>) {
        // The callee gets the arguments in registers, so nothing is put on the stack before it is
        // needed.
        let (values, stack) = args.split();
        match self.0.only() {
            None => fire_chain(ctx, self.0, values, stack),
            Some(only) => fire_one(ctx, only, values, stack),
        }
    }
}

/// Runs a clause that only counts. It is the only one, so it cannot cost too much.
// Not inlined, because the caller would then save registers for it in every case.
#[inline(never)]
fn count(ctx: &ProbeCtx, ecb: &Ecb) {
    let shared = &*ecb.shared;
    if !shared.is_live(ctx) {
        return;
    }
    let Ok(mut cpu) = shared.cpus.get(ctx).try_borrow_mut() else { return };
    cpu.budget.note(plan::shortcut::COUNT);
    match cpu.aggs.known(ecb.slot as usize, 1) {
        Some([count]) => *count = count.wrapping_add(1),
        _ => count_anew(ctx, ecb, &mut cpu),
    }
}

/// Works like [`count`] when the value has no number yet.
#[cold]
#[inline(never)]
fn count_anew(ctx: &ProbeCtx, ecb: &Ecb, cpu: &mut CpuState) {
    if let Some(lean) = &ecb.clause.shortcut.lean {
        shortcut::run(lean, &Firing::new(ctx, Args::NONE), ecb, cpu);
    }
}

/// Runs the only ECB of a chain, after its gate was passed.
#[inline(never)]
fn fire_one(ctx: &ProbeCtx, ecb: &Ecb, values: &[u64], stack: u64) {
    let shared = &*ecb.shared;
    if !shared.is_live(ctx) {
        return;
    }
    let firing = Firing::new(ctx, Args::joined(values, stack));
    if let Some(clock) = vtime::clock(ctx) {
        return clock.apart(ctx, firing.now(), &mut || run(&firing, ecb, Some(Share::WHOLE)));
    }
    // A single lean clause cannot cost too much: it has at most 1,024 actions, all of them short.
    let Some(lean) = &ecb.clause.shortcut.lean else {
        return run(&firing, ecb, Some(Share::WHOLE));
    };
    let Ok(mut cpu) = shared.cpus.get(ctx).try_borrow_mut() else { return };
    cpu.budget.note(lean.least.wrapping_add(lean.rest));
    shortcut::run(lean, &firing, ecb, &mut cpu);
}

#[inline(never)]
fn fire_chain(ctx: &ProbeCtx, chain: &Chain, values: &[u64], stack: u64) {
    let firing = Firing::new(ctx, Args::joined(values, stack));
    if let Some(clock) = vtime::clock(ctx) {
        return clock.apart(ctx, firing.now(), &mut || run_chain(&firing, chain));
    }
    run_chain(&firing, chain);
}

fn run_chain(firing: &Firing<'_>, chain: &Chain) {
    let (mut last, mut is_live): (Option<&Shared>, bool) = (None, false);
    let (mut whole, mut consumers) = (Share::WHOLE, chain.consumers());
    for ecb in chain.ecbs() {
        let shared = &*ecb.shared;
        // The ECBs of a consumer are neighbours.
        let mut share = None;
        if !last.is_some_and(|last| ptr::eq(last, shared)) {
            if let Some(before) = last.filter(|_| is_live) {
                let cpu = before.cpus.get(firing.ctx).try_borrow_mut();
                whole = cpu.map_or(whole, |cpu| whole.without(cpu.budget.taken()));
            }
            share = Some(whole.one_of(consumers));
            consumers = consumers.saturating_sub(1);
            // In this firing, all clauses of the consumer run or none, because a CPU that stops the
            // tracing waits for the firing. Only a clause of this firing can keep the later ones
            // from running.
            last = Some(shared);
            is_live = shared.is_live(firing.ctx);
            firing.is_over.set(false);
        }
        if is_live && !firing.is_over.get() {
            run(firing, ecb, share);
        }
    }
}

/// Runs the consumer's own BEGIN or END.
pub(crate) fn fire_special(ctx: &ProbeCtx, shared: &Shared, which: Special, args: Args<'_>) {
    let Some(chain) = shared.special(which).load(ctx) else { return };
    if which == Special::End {
        if let Ok(mut cpu) = shared.cpus.get(ctx).try_borrow_mut() {
            cpu.principal.reopen();
        }
    }
    let firing = Firing::new(ctx, args);
    let mut share = Some(Share::WHOLE);
    for ecb in chain.ecbs() {
        if !firing.is_over.get() {
            run(&firing, ecb, share.take());
        }
    }
}

/// Runs steps of a clause that cannot fault and leaves no record. Their cost is already paid.
#[cold]
#[inline(never)]
pub(crate) fn run_steps(
    firing: &Firing<'_>,
    ecb: &Ecb,
    cpu: &mut CpuState,
    from: usize,
    to: usize,
) {
    let CpuState { aggs, scratch, kept, locals, key, random, .. } = cpu;
    let mut budget = Budget::new();
    let mut env = ProbeEnv { firing, ecb, locals, random, budget: &mut budget };
    let mut memory = dif::Clause::within(scratch, ecb.shared.strsize, kept);
    key.clear();
    for step in ecb.clause.steps.get(from..to).unwrap_or_default() {
        let none = &mut Hand::default();
        let _ = run_step(step, &mut memory, &mut env, &ecb.shared, &mut [], key, aggs, none);
    }
}

/// A fault and the step in which it happened; 0 is the predicate.
struct Failure {
    step: usize,
    fault: Fault,
}

/// Runs an ECB. The first one of its consumer in this firing gets the consumer's share of it.
#[inline(never)]
fn run(firing: &Firing<'_>, ecb: &Ecb, share: Option<Share>) {
    let shared = &*ecb.shared;
    let clause = &*ecb.clause;
    // No other code borrows a CPU's state, because the probe context serialises its probes.
    let Ok(mut cpu) = shared.cpus.get(firing.ctx).try_borrow_mut() else { return };
    if let Some(share) = share {
        cpu.kept = 0;
        cpu.budget.refill(share);
        let spent = cpu.budget.spent();
        if spent.wrapping_sub(cpu.asked) >= MUCH {
            cpu.asked = spent;
            if shared.is_unresponsive(firing.ctx, firing.now()) {
                shared.kill();
                firing.is_over.set(true);
                return;
            }
        }
    }
    let mut cost = clause.shortcut.lean.as_ref().map_or(clause.cost, |lean| lean.least);
    let mut shut = false;
    if let Some(gate) = &clause.shortcut.gate {
        shut = shortcut::is_shut(gate);
        cost = cost.wrapping_add(if shut { gate.shut } else { gate.open });
    }
    if !cpu.budget.spend(cost) {
        shared.kill();
        firing.is_over.set(true);
        cpu.principal.count_drop();
        return;
    }
    if shut {
        return;
    }
    if let Some(lean) = &clause.shortcut.lean {
        if shortcut::run(lean, firing, ecb, &mut cpu) {
            if !cpu.budget.spend(lean.rest) {
                shared.kill();
                firing.is_over.set(true);
            }
        }
        return;
    }
    if let Err(failure) = run_clause(firing, ecb, &mut cpu) {
        drop(cpu);
        failed(firing, ecb, &failure);
    }
}

/// A clause has left no record; the consumer's ERROR may leave one.
#[cold]
#[inline(never)]
fn failed(firing: &Firing<'_>, ecb: &Ecb, failure: &Failure) {
    let shared = &*ecb.shared;
    {
        let Ok(mut cpu) = shared.cpus.get(firing.ctx).try_borrow_mut() else { return };
        if shared.counters.killed.load(Relaxed) != 0 {
            cpu.principal.count_drop();
            return;
        }
        cpu.principal.count_error();
    }
    if ecb.probe.special == Some(Special::Error) {
        shared.counters.dblerrors.fetch_add(1, Relaxed);
        return;
    }
    let Fault { kind, pc, addr } = failure.fault;
    // In classic systems, arg0 is the consumer; we have no number that a program could use.
    let args = [
        0,
        ecb.epid.0.into(),
        failure.step as u64,
        u64::from(pc).wrapping_mul(4),
        kind as u64,
        addr,
    ];
    // This is the same firing, so it has the same time and budget.
    let again = firing.with(Args::values(&args));
    let Some(chain) = shared.special(Special::Error).load(firing.ctx) else { return };
    for ecb in chain.ecbs() {
        run(&again, ecb, None);
    }
    if again.is_over.get() {
        firing.is_over.set(true);
    }
}

#[inline(never)]
fn run_clause(firing: &Firing<'_>, ecb: &Ecb, cpu: &mut CpuState) -> Result<(), Failure> {
    let shared = &*ecb.shared;
    let clause = &*ecb.clause;
    let CpuState { principal, aggs, parts, scratch, kept, locals, key, random, budget, .. } = cpu;
    let mut env = ProbeEnv { firing, ecb, locals, random, budget };
    let mut memory = dif::Clause::within(scratch, shared.strsize, kept);
    if let Some(predicate) = &clause.predicate {
        match dif::run(predicate, &mut memory, &mut env) {
            Ok(0) => return Ok(()),
            Ok(_) => {}
            Err(fault) => return Err(Failure { step: 0, fault }),
        }
    }
    // The key of a failed clause must not become part of this one's.
    key.clear();
    let mut steps = clause.steps.iter().enumerate();
    // Selects the trace or a speculation; the steps before it record nothing.
    let mut part = None;
    if let Some(at) = clause.speculates {
        for (n, step) in steps.by_ref().take(at.wrapping_add(1)) {
            let failed = |fault| Failure { step: n.wrapping_add(1), fault };
            let Step::Speculate(code) = step else {
                let none = &mut Hand::default();
                run_step(step, &mut memory, &mut env, shared, &mut [], key, aggs, none)
                    .map_err(failed)?;
                continue;
            };
            let id = dif::run(code, &mut memory, &mut env).map_err(failed)?;
            // CAST: there are less than 2^32 CPUs.
            let cpu = firing.ctx.cpu() as u32;
            let index = shared.speculations.join(id, cpu);
            // No speculation was free, or it has ended, so the record is not needed.
            let Some(index) = index else { return Ok(()) };
            part = Some(index);
        }
    }
    let mut hand = Hand::default();
    let mut records = None;
    let reserved = match (clause.size, part) {
        (0, _) => {
            hand = Hand { trace: Some(principal), parts };
            None
        }
        (size, Some(index)) => {
            let Some(part) = parts.get_mut(index) else {
                // The CPU came online after GO, so it has no speculations.
                shared.counters.specdrops.fetch_add(1, Relaxed);
                return Ok(());
            };
            records = Some(&mut part.records);
            match part.buffer.reserve(size) {
                Some(room) => Some(room),
                None => {
                    shared.counters.specdrops.fetch_add(1, Relaxed);
                    return Ok(());
                }
            }
        }
        (size, None) => {
            hand.parts = parts;
            if principal.is_pressing() {
                shared.press();
            }
            match principal.reserve(size) {
                Some(room) => Some(room),
                None => return Ok(no_room(firing, shared, principal)),
            }
        }
    };
    let mut record = reserved.map(|mut room| {
        // Gaps and the tails of strings must not reveal old data.
        room.fill(0);
        begin(firing, ecb, &mut room);
        room
    });
    for (n, step) in steps {
        let bytes = match &mut record {
            Some(r) => &mut r[..],
            None => &mut [],
        };
        run_step(step, &mut memory, &mut env, shared, bytes, key, aggs, &mut hand)
            .map_err(|fault| Failure { step: n.wrapping_add(1), fault })?;
    }
    if let Some(r) = record {
        r.commit();
        if let Some(records) = records {
            *records = records.wrapping_add(1);
        }
    }
    Ok(())
}

/// Writes the head of a record.
#[inline]
pub(crate) fn begin(firing: &Firing<'_>, ecb: &Ecb, room: &mut [u8]) {
    if let Some(head) = room.get_mut(..HEADER_SIZE) {
        let header = RecordHeader::new(ecb.epid, firing.now());
        head.copy_from_slice(header.as_bytes());
    }
}

/// Counts a record that found no room; with the policy fill, it ends the tracing.
#[cold]
#[inline(never)]
pub(crate) fn no_room(firing: &Firing<'_>, shared: &Shared, full: &Principal<KVVec<u8>>) {
    if full.is_full() {
        shared.fill();
        firing.is_over.set(true);
    }
}

/// State that a step may change and that is not its clause's own.
#[derive(Default)]
struct Hand<'a> {
    /// The trace, if the clause itself does not record there.
    trace: Option<&'a mut Principal<KVVec<u8>>>,
    parts: &'a mut [Part<KVVec<u8>>],
}

#[inline]
#[allow(clippy::too_many_arguments, reason = "they are a CPU's, and stay in registers")]
fn run_step(
    step: &Step,
    memory: &mut dif::Clause<'_>,
    env: &mut ProbeEnv<'_>,
    shared: &Shared,
    record: &mut [u8],
    key: &mut buffers::Key<KVVec<u64>>,
    aggs: &mut buffers::AggBuffer<KVVec<u64>>,
    hand: &mut Hand<'_>,
) -> Result<(), Fault> {
    match step {
        // Destructive actions have been forbidden since this program began.
        Step::Signal(_) | Step::Chill(_) | Step::Panic if !task::destructive() => {
            return Err(ill_op().at(0));
        }
        Step::Signal(code) => {
            let signal = match code {
                // CAST: a number that is not a signal is refused.
                Some(code) => dif::run(code, memory, env)? as i32,
                None => act::STOP,
            };
            if !act::signal(env.firing.ctx, signal) {
                shared.counters.sigdrops.fetch_add(1, Relaxed);
            }
        }
        Step::Chill(code) => {
            let ns = dif::run(code, memory, env)?;
            if !act::chill(env.firing.ctx, ns) {
                return Err(Raised { kind: FaultKind::IllOp, addr: ns }.at(0));
            }
            env.budget.excuse();
        }
        Step::Panic => {
            let (comm, pid) = &shared.owner;
            act::panic(env.firing.ctx, env.ecb.probe.parts(), comm, *pid)
        }
        // These only concern the clause's own record.
        Step::Note | Step::Speculate(_) => {}
        Step::EndSpeculation(code, end) => {
            let id = dif::run(code, memory, env)?;
            if *end == End::Commit {
                // It is copied as a whole.
                let part = usize::try_from(id.wrapping_sub(1)).ok();
                let part = part.and_then(|n| hand.parts.get_mut(n));
                let bytes = part.map_or(0, |part| part.buffer.records().len());
                env.spend(of_copy(bytes)).map_err(|raised| raised.at(0))?;
            }
            // CAST: there are less than 2^32 CPUs.
            let cpu = env.firing.ctx.cpu() as u32;
            shared.speculations.end(id, cpu, *end, |index| {
                end_part(shared, hand.parts, index, *end, hand.trace.as_deref_mut());
            });
        }
        Step::Evaluate(code) => {
            dif::run(code, memory, env)?;
        }
        Step::Record(code, datum) => store(code, datum, memory, env, record)?,
        Step::RecordName(name, datum, cost) => {
            env.spend(*cost).map_err(|raised| raised.at(0))?;
            let room = record.get_mut(datum.offset..datum.offset.wrapping_add(datum.size));
            put_name(*name, &env.ecb.probe, room.unwrap_or_default());
        }
        Step::Exit(code, datum) => {
            store(code, datum, memory, env, record)?;
            shared.drain();
            // In END, there is nothing left to end.
            env.firing.is_over.set(shared.activity() == Activity::Draining);
        }
        Step::Stack(whose, datum) => {
            let room = record.get_mut(datum.offset..datum.offset.wrapping_add(datum.size));
            if let Some(room) = room {
                env.stack(*whose, room).map_err(|raised| raised.at(0))?;
            }
        }
        Step::Key(code, datum) => put_key(code, datum, memory, env, key)?,
        Step::KeyStack(whose, datum) => key
            .put_frames_with(datum.offset, datum.size, |room| env.stack(*whose, room))
            .map_err(|raised| raised.at(0))?,
        Step::KeyName(name, datum, cost) => {
            env.spend(*cost).map_err(|raised| raised.at(0))?;
            match name {
                Name::Execname => key.put_short(datum.offset, datum.size, task::comm_words()),
                Name::Probe(part) => {
                    key.put_text(datum.offset, datum.size, env.ecb.probe.part(*part))
                }
            }
        }
        Step::Aggregate { func, id, key_words, words, value, weight } => {
            // CAST: the same bits, signed.
            let value = match value {
                Some(code) => dif::run(code, memory, env)? as i64,
                None => 0,
            };
            let weight = match weight {
                Some(code) => dif::run(code, memory, env)? as i64,
                None => 1,
            };
            let cost = price_of_aggregating(*func, key.len());
            env.spend(cost).map_err(|raised| raised.at(0))?;
            let mut cleared = 0;
            let init = |w: &mut [u64]| {
                cleared = key_words.saturating_add(w.len()).saturating_mul(8);
                func.init(w);
            };
            let at = match key_words {
                0 => aggs.single(id.index().unwrap_or(usize::MAX), *words, init),
                _ => aggs.value(*id, key, *key_words, *words, init),
            };
            if let Some(at) = at {
                func.update(at, value, weight);
            }
            key.clear();
            env.spend(of_copy(cleared)).map_err(|raised| raised.at(0))?;
        }
    }
    Ok(())
}

/// Writes a name into a record, followed by zeros.
#[inline]
pub(crate) fn put_name(name: Name, probe: &Probe, room: &mut [u8]) {
    const { assert!(COMM_LEN == task::COMM_LEN) };
    let mut comm = [0; COMM_LEN];
    let text = match name {
        Name::Execname => {
            task::comm(&mut comm);
            until_nul(&comm)
        }
        Name::Probe(part) => probe.part(part),
    };
    let n = text.len().min(room.len().saturating_sub(1));
    let (Some((to, rest)), Some(text)) = (room.split_at_mut_checked(n), text.get(..n)) else {
        return;
    };
    to.copy_from_slice(text);
    rest.fill(0);
}

/// Returns the cost of copying or clearing this many bytes at once.
fn of_copy(bytes: usize) -> u32 {
    u32::try_from(bytes >> 6).unwrap_or(u32::MAX)
}

/// Ends a CPU's part of a speculation, and counts lost records.
fn end_part(
    shared: &Shared,
    parts: &mut [Part<KVVec<u8>>],
    index: usize,
    end: End,
    mut trace: Option<&mut Principal<KVVec<u8>>>,
) {
    if let Some(part) = parts.get_mut(index) {
        let lost = part.end(end, trace.as_deref_mut());
        if trace.as_ref().is_some_and(|t| t.is_pressing()) {
            shared.press();
        }
        if lost > 0 {
            shared.counters.specdrops.fetch_add(lost, Relaxed);
            if trace.is_some_and(|t| t.is_full()) {
                shared.fill();
            }
        }
    }
}

/// Does this CPU's part of the speculations that end.
///
/// # Context
/// *probe*
pub(crate) fn end_speculations(shared: &Shared, cpu: &mut CpuState) {
    for (index, end) in shared.speculations.pending() {
        end_part(shared, &mut cpu.parts, index, end, Some(&mut cpu.principal));
    }
}

/// Runs an expression and adds its value to a key.
#[inline]
fn put_key(
    code: &Code,
    datum: &Datum,
    memory: &mut dif::Clause<'_>,
    env: &mut ProbeEnv<'_>,
    key: &mut buffers::Key<KVVec<u64>>,
) -> Result<(), Fault> {
    let value = dif::run(code, memory, env)?;
    let Datum { offset, size, form } = *datum;
    match form {
        Form::Value => {
            key.put_value(offset, size, value);
            Ok(())
        }
        Form::OfProcess => {
            key.put_value(offset, 8, u64::from_le_bytes(process()));
            key.put_value(offset.wrapping_add(8), 8, value);
            Ok(())
        }
        Form::String => {
            key.put_text_with(offset, size, |room| dif::fetch_text(code, memory, env, value, room))
        }
        Form::Bytes => key
            .put_bytes_with(offset, size, |room| dif::fetch_bytes(code, memory, env, value, room)),
    }
}

/// Runs an expression and writes its value to its place in the record.
#[inline]
fn store(
    code: &Code,
    datum: &Datum,
    memory: &mut dif::Clause<'_>,
    env: &mut ProbeEnv<'_>,
    into: &mut [u8],
) -> Result<(), Fault> {
    let value = dif::run(code, memory, env)?;
    let Some(room) = into.get_mut(datum.offset..datum.offset.wrapping_add(datum.size)) else {
        return Ok(());
    };
    match datum.form {
        Form::Value => {
            let bytes = value.to_le_bytes();
            let n = room.len().min(bytes.len());
            if let (Some(to), Some(from)) = (room.get_mut(..n), bytes.get(..n)) {
                to.copy_from_slice(from);
            }
        }
        Form::OfProcess => {
            if let Some((first, second)) = room.split_first_chunk_mut() {
                *first = process();
                if let Some(second) = second.first_chunk_mut() {
                    *second = value.to_le_bytes();
                }
            }
        }
        Form::String => {
            dif::fetch_str(code, memory, env, value, room)?;
        }
        Form::Bytes => dif::fetch_bytes(code, memory, env, value, room)?,
    }
    Ok(())
}
