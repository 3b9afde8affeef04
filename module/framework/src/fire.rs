// SPDX-License-Identifier: GPL-2.0
//! What happens when a probe fires.
//!
//! A provider has entered probe context: interrupts are off on this CPU and no other probe is being
//! processed on it; an NMI that hits a probe now is turned away and counted. Each ECB of the probe
//! then runs by itself: predicate, room in the buffer, steps, commit. A clause that faults leaves no
//! record; its fault goes to the consumer's own ERROR probe, and a fault in there is only counted.

use crate::args::Args;
use crate::clause::{Code, Datum, Form, Step};
use crate::ecb::Ecb;
use crate::env::ProbeEnv;
use crate::probe::{Probe, Special};
use crate::shared::{Activity, CpuState, Shared, BUDGET};
use abi::option::UNSET;
use abi::record::{RecordHeader, HEADER_SIZE};
use core::sync::atomic::Ordering::Relaxed;
use dif::{Env, Fault};
use kapi::context::ProbeCtx;
use zerocopy::IntoBytes;

/// A probe of any provider but `dtrace` has been hit.
///
/// # Context
/// *probe*.
#[inline]
pub fn fire(ctx: &ProbeCtx, probe: &Probe, args: Args<'_>) {
    let Some(chain) = probe.chain.load(ctx) else { return };
    let now = kapi::time::monotonic_ns();
    for ecb in chain.ecbs() {
        let shared = &*ecb.shared;
        if shared.activity() == Activity::Active
            && (shared.only_cpu == UNSET || shared.only_cpu == ctx.cpu() as u64)
        {
            run(ctx, ecb, args, now);
        }
    }
}

/// Runs the consumer's own BEGIN, END or ERROR.
pub(crate) fn fire_special(
    ctx: &ProbeCtx,
    shared: &Shared,
    which: Special,
    args: Args<'_>,
    now: u64,
) {
    let Some(chain) = shared.special(which).load(ctx) else { return };
    for ecb in chain.ecbs() {
        run(ctx, ecb, args, now);
    }
}

/// What went wrong, and in which step: 0 is the predicate.
struct Failure {
    step: usize,
    fault: Fault,
}

fn run(ctx: &ProbeCtx, ecb: &Ecb, args: Args<'_>, now: u64) {
    let shared = &*ecb.shared;
    // Nobody else borrows a CPU's state: its probes are serialised by the probe context.
    let Ok(mut cpu) = shared.cpus.get(ctx).try_borrow_mut() else { return };
    if cpu.firing != now {
        cpu.firing = now;
        cpu.budget = BUDGET;
    }
    let Err(failure) = run_clause(ctx, ecb, args, now, &mut cpu) else { return };
    // What a clause left of its key must not get into the next one's.
    cpu.key.fill(0);
    if shared.counters.killed.load(Relaxed) != 0 {
        cpu.principal.count_drop();
        return;
    }
    cpu.principal.count_error();
    drop(cpu);
    if ecb.probe.special == Some(Special::Error) {
        shared.counters.dblerrors.fetch_add(1, Relaxed);
        return;
    }
    let Fault { kind, pc, addr } = failure.fault;
    // arg0 is the consumer in classic systems; we have no number for it that a program could use.
    let args = [
        0,
        ecb.epid.0.into(),
        failure.step as u64,
        u64::from(pc).wrapping_mul(4),
        kind as u64,
        addr,
    ];
    // The same firing, so the same time and the same budget.
    fire_special(ctx, shared, Special::Error, Args::values(&args), now);
}

fn run_clause(
    ctx: &ProbeCtx,
    ecb: &Ecb,
    args: Args<'_>,
    now: u64,
    cpu: &mut CpuState,
) -> Result<(), Failure> {
    let shared = &*ecb.shared;
    let clause = &*ecb.clause;
    let CpuState { principal, aggs, scratch, locals, key, random, budget, .. } = cpu;
    let mut env = ProbeEnv { ctx, ecb, args, now, locals, random, budget };
    env.spend(clause.cost).map_err(|raised| Failure { step: 0, fault: raised.at(0) })?;
    let mut memory = dif::Clause::new(scratch, shared.strsize);
    if let Some(predicate) = &clause.predicate {
        match dif::run(predicate, &mut memory, &mut env) {
            Ok(0) => return Ok(()),
            Ok(_) => {}
            Err(fault) => return Err(Failure { step: 0, fault }),
        }
    }
    let mut record = match clause.size {
        0 => None,
        size => match principal.reserve(size) {
            Some(mut room) => {
                // Gaps and strings' tails must not show what stood here before.
                room.fill(0);
                if let Some(head) = room.get_mut(..HEADER_SIZE) {
                    head.copy_from_slice(RecordHeader::new(ecb.epid, now).as_bytes());
                }
                Some(room)
            }
            None => return Ok(()),
        },
    };
    for (n, step) in clause.steps.iter().enumerate() {
        let bytes = match &mut record {
            Some(r) => &mut r[..],
            None => &mut [],
        };
        run_step(step, &mut memory, &mut env, shared, bytes, key, aggs)
            .map_err(|fault| Failure { step: n.wrapping_add(1), fault })?;
    }
    if let Some(r) = record {
        r.commit();
    }
    Ok(())
}

#[inline]
fn run_step(
    step: &Step,
    memory: &mut dif::Clause<'_>,
    env: &mut ProbeEnv<'_>,
    shared: &Shared,
    record: &mut [u8],
    key: &mut [u64],
    aggs: &mut buffers::AggBuffer<kernel::alloc::KVVec<u64>>,
) -> Result<(), Fault> {
    match step {
        Step::Note => {}
        Step::Evaluate(code) => {
            dif::run(code, memory, env)?;
        }
        Step::Record(code, datum) => store(code, datum, memory, env, record)?,
        Step::Exit(code, datum) => {
            store(code, datum, memory, env, record)?;
            shared.drain();
        }
        Step::Key(code, datum) => store(code, datum, memory, env, key.as_mut_bytes())?,
        Step::Aggregate { func, id, key_words, value } => {
            let value = match value {
                Some(code) => dif::run(code, memory, env)? as i64,
                None => 0,
            };
            let key = key.get_mut(..*key_words).unwrap_or_default();
            if let Some(words) = aggs.value(*id, key, func.words(), |w| func.init(w)) {
                func.update(words, value, 1);
            }
            // The next key starts from zeros: gaps must not make equal keys differ.
            key.fill(0);
        }
    }
    Ok(())
}

/// Runs an expression and puts its value where it belongs.
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
        Form::String => {
            dif::fetch_str(code, memory, env, value, room)?;
        }
        Form::Bytes => dif::fetch_bytes(code, memory, env, value, room)?,
    }
    Ok(())
}
