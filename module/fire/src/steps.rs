// SPDX-License-Identifier: GPL-2.0
//! Runs a clause with the machine: predicate, room in the buffer, steps, commit.

use crate::budget::Budget;
use crate::ecb::{Ecb, Probe};
use crate::env::{ill_op, process, Firing, ProbeEnv};
use crate::shared::{Activity, CpuState, Shared};
use abi::aggregation::AggFunc;
use abi::fault::FaultKind;
use abi::ids::AggId;
use abi::option::OptionId;
use abi::probe::until_nul;
use abi::record::{RecordHeader, HEADER_SIZE};
use buffers::principal::Reservation;
use buffers::speculation::{End, Part};
use buffers::{AggBuffer, Principal};
use core::sync::atomic::Ordering::Relaxed;
use dif::{Env, Fault, Raised};
use nosleep::{act, task, KVVec};
use plan::code::{Code, BUDGET};
use plan::step::{price_of_aggregating, Datum, Form, Name, Step, COMM_LEN};
use zerocopy::IntoBytes;

/// The bytes of speculations that a CPU copies at a time, outside of a firing.
const AT_ONCE: usize = 1 << 20;
/// A part is copied as a whole, with interrupts off. A commit can pay for the largest one.
const _: () = assert!(OptionId::Specsize.bounds().1 >> 6 <= BUDGET as u64 / 2);

/// A fault and the step in which it happened; 0 is the predicate.
pub(crate) struct Failure {
    pub(crate) step: usize,
    pub(crate) fault: Fault,
}

/// Runs steps of a clause that cannot fault and leaves no record. Their cost is already paid, but
/// not that of clearing a new value.
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
    let mut budget = Budget::default();
    let before = budget.spent();
    let mut env = ProbeEnv { firing, ecb, locals, random, budget: &mut budget };
    let mut memory = dif::Clause::within(scratch, ecb.shared.strsize, kept);
    key.clear();
    for step in ecb.clause.steps.get(from..to).unwrap_or_default() {
        let none = &mut Hand::default();
        let _ = run_step(step, &mut memory, &mut env, &ecb.shared, &mut [], key, aggs, none);
    }
    let paid = ecb.clause.shortcut.lean.as_ref().map_or(0, |lean| lean.rest);
    let more = budget.spent().wrapping_sub(before).saturating_sub(paid);
    if more > 0 {
        cpu.budget.owe(more);
    }
}

/// Runs a clause with the machine.
#[inline(never)]
pub(crate) fn run_clause(
    firing: &Firing<'_>,
    ecb: &Ecb,
    cpu: &mut CpuState,
) -> Result<(), Failure> {
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
                // It may end a speculation, whose number the clause may get again.
                let hand = &mut Hand { trace: Some(principal), parts };
                run_step(step, &mut memory, &mut env, shared, &mut [], key, aggs, hand)
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
    let Some(place) = reserve(shared, clause.size, part, principal, parts) else {
        if part.is_none() {
            no_room(firing, shared, principal);
        }
        return Ok(());
    };
    let Place { room, records, mut hand } = place;
    let mut record = room.map(|mut room| {
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

/// Where a clause's record goes, and what its steps may change.
struct Place<'a> {
    /// `None` if the clause leaves no record.
    room: Option<Reservation<'a>>,
    /// The number of records of the part of a speculation that gets this one.
    records: Option<&'a mut u64>,
    hand: Hand<'a>,
}

/// Reserves room for a record of `size` bytes in the trace or in a part of a speculation. Counts a
/// drop and returns `None` if there is none.
#[inline]
fn reserve<'a>(
    shared: &Shared,
    size: usize,
    part: Option<usize>,
    principal: &'a mut Principal<KVVec<u8>>,
    parts: &'a mut [Part<KVVec<u8>>],
) -> Option<Place<'a>> {
    if size == 0 {
        let hand = Hand { trace: Some(principal), parts };
        return Some(Place { room: None, records: None, hand });
    }
    if let Some(index) = part {
        // A CPU that came online after GO has no speculations.
        let room = parts
            .get_mut(index)
            .and_then(|Part { buffer, records }| Some((buffer.reserve(size)?, records)));
        let Some((room, records)) = room else {
            shared.counters.specdrops.fetch_add(1, Relaxed);
            return None;
        };
        return Some(Place { room: Some(room), records: Some(records), hand: Hand::default() });
    }
    if principal.is_pressing() {
        shared.press();
    }
    let room = Some(principal.reserve(size)?);
    Some(Place { room, records: None, hand: Hand { trace: None, parts } })
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

/// Runs a step.
#[inline]
#[allow(clippy::too_many_arguments, reason = "they are a CPU's, and stay in registers")]
fn run_step(
    step: &Step,
    memory: &mut dif::Clause<'_>,
    env: &mut ProbeEnv<'_>,
    shared: &Shared,
    record: &mut [u8],
    key: &mut buffers::Key<KVVec<u64>>,
    aggs: &mut AggBuffer<KVVec<u64>>,
    hand: &mut Hand<'_>,
) -> Result<(), Fault> {
    match step {
        Step::Signal(_) | Step::Chill(_) | Step::Panic => destroy(step, memory, env, shared)?,
        // These only concern the clause's own record.
        Step::Note | Step::Speculate(_) => {}
        Step::EndSpeculation(code, end) => end_speculation(code, *end, memory, env, shared, hand)?,
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
                Name::Execname => key.put_short(datum.offset, datum.size, env.firing.comm()),
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
            let place = (*id, *key_words, *words);
            aggregate(*func, place, value, weight, env, key, aggs).map_err(|r| r.at(0))?;
        }
    }
    Ok(())
}

/// Runs a destructive action.
#[cold]
#[inline(never)]
fn destroy(
    step: &Step,
    memory: &mut dif::Clause<'_>,
    env: &mut ProbeEnv<'_>,
    shared: &Shared,
) -> Result<(), Fault> {
    // Destructive actions may have been forbidden since this program began.
    if !task::destructive() {
        return Err(ill_op().at(0));
    }
    match step {
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
        _ => {}
    }
    Ok(())
}

/// Commits or discards a speculation.
#[inline(never)]
fn end_speculation(
    code: &Code,
    end: End,
    memory: &mut dif::Clause<'_>,
    env: &mut ProbeEnv<'_>,
    shared: &Shared,
    hand: &mut Hand<'_>,
) -> Result<(), Fault> {
    let id = dif::run(code, memory, env)?;
    if end == End::Commit {
        // It is copied as a whole.
        let part = usize::try_from(id.wrapping_sub(1)).ok();
        let part = part.and_then(|n| hand.parts.get_mut(n));
        let bytes = part.map_or(0, |part| part.buffer.records().len());
        env.spend(of_copy(bytes)).map_err(|raised| raised.at(0))?;
    }
    // CAST: there are less than 2^32 CPUs.
    let cpu = env.firing.ctx.cpu() as u32;
    shared.speculations.end(id, cpu, end, |index| {
        end_part(shared, hand.parts, index, end, hand.trace.as_deref_mut());
    });
    Ok(())
}

/// Adds a value to an aggregation, which is given with the words of its key and its value.
#[inline]
fn aggregate(
    func: AggFunc,
    (id, key_words, words): (AggId, usize, usize),
    value: i64,
    weight: i64,
    env: &mut ProbeEnv<'_>,
    key: &mut buffers::Key<KVVec<u64>>,
    aggs: &mut AggBuffer<KVVec<u64>>,
) -> Result<(), Raised> {
    env.spend(price_of_aggregating(func, key.len()))?;
    let mut cleared = 0;
    let init = |w: &mut [u64]| {
        cleared = key_words.saturating_add(w.len()).saturating_mul(8);
        func.init(w);
    };
    let at = match key_words {
        0 => aggs.single(id.index().unwrap_or(usize::MAX), words, init),
        _ => aggs.value(id, key, key_words, words, init),
    };
    if let Some(at) = at {
        func.update(at, value, weight);
    }
    key.clear();
    env.spend(of_copy(cleared))
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
pub(crate) fn of_copy(bytes: usize) -> u32 {
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

/// Does this CPU's part of speculations that end: of one at least, but not of more after it has
/// copied [`AT_ONCE`] bytes. Returns how many it has done.
///
/// # Context
/// *probe*
pub fn end_speculations(shared: &Shared, cpu: &mut CpuState, ending: &[(usize, End)]) -> usize {
    let (mut done, mut bytes) = (0usize, 0usize);
    for (index, end) in ending {
        if bytes >= AT_ONCE {
            break;
        }
        let size = cpu.parts.get(*index).map_or(0, |part| part.buffer.records().len());
        bytes = bytes.saturating_add(size);
        end_part(shared, &mut cpu.parts, *index, *end, Some(&mut cpu.principal));
        done = done.wrapping_add(1);
    }
    done
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
