// SPDX-License-Identifier: GPL-2.0
//! The path of a firing probe.
//!
//! The provider has entered probe context: interrupts are off on this CPU, and the CPU processes no
//! other probe. A probe that an NMI hits now is dropped and counted. Then each ECB of the probe
//! runs: predicate, room in the buffer, steps, commit. A clause that faults leaves no record. Its
//! fault goes to the consumer's own ERROR probe; a fault in there is only counted.

use crate::args::{Args, Packed};
use crate::budget::Share;
use crate::deadman::MUCH;
use crate::ecb::{Chain, Ecb, Probe};
use crate::env::Firing;
use crate::shared::{CpuState, Shared};
use crate::shortcut;
use crate::steps::{run_clause, Failure};
use crate::vtime;
use abi::status::killed;
use core::sync::atomic::Ordering::Relaxed;
use dif::Fault;
use nosleep::ProbeCtx;
use plan::probe::Special;
use plan::shortcut::{Counts, COUNT};

/// Fires a probe of any provider except `dtrace`.
///
/// # Context
/// *probe*.
#[inline(always)]
pub fn fire<'a>(ctx: &ProbeCtx, probe: &Probe, args: impl Into<Packed<'a>>) {
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
    pub fn fire<'a>(self, ctx: &ProbeCtx, args: impl Into<Packed<'a>>) {
        // The callee gets the arguments in registers, so nothing is put on the stack before it is
        // needed.
        let (values, stack) = args.into().split();
        match self.0.only() {
            None => fire_chain(ctx, self.0, values, stack),
            Some(only) => fire_one(ctx, only, values, stack),
        }
    }
}

/// Counts, for each consumer of the probe, that it does not fire for a while, or for so many things.
///
/// # Context
/// *probe*.
pub fn pause(ctx: &ProbeCtx, probe: &Probe, times: u64) {
    for_each_consumer(ctx, probe, |shared| shared.pause(ctx, times));
}

/// Counts, for each consumer of the probe, that the beginnings of some things were forgotten, so
/// that their ends do not fire.
///
/// # Context
/// *probe*.
#[cold]
pub fn forget(ctx: &ProbeCtx, probe: &Probe, things: u64) {
    for_each_consumer(ctx, probe, |shared| {
        shared.counters.forgotten.fetch_add(things, Relaxed);
    });
}

fn for_each_consumer(ctx: &ProbeCtx, probe: &Probe, f: impl Fn(&Shared)) {
    let Some(chain) = probe.chain.load(ctx) else { return };
    let live = chain.consumers().filter(|(first, _)| first.shared.is_live(ctx));
    live.for_each(|(first, _)| f(&first.shared));
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
    cpu.budget.note(COUNT);
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
        shortcut::run(lean, &Firing::new(ctx, Args::NONE.pack()), ecb, cpu);
    }
}

/// Runs the only ECB of a chain, after its gate was passed.
#[inline(never)]
fn fire_one(ctx: &ProbeCtx, ecb: &Ecb, values: &[u64], stack: u64) {
    let shared = &*ecb.shared;
    if !shared.is_live(ctx) {
        return;
    }
    let firing = Firing::new(ctx, Packed::joined(values, stack));
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
    let firing = Firing::new(ctx, Packed::joined(values, stack));
    if let Some(clock) = vtime::clock(ctx) {
        return clock.apart(ctx, firing.now(), &mut || run_chain(&firing, chain));
    }
    run_chain(&firing, chain);
}

fn run_chain(firing: &Firing<'_>, chain: &Chain) {
    // CAST: at most MAX_CONSUMERS.
    let mut consumers = chain.consumers().count() as u32;
    let mut whole = Share::of_all(consumers);
    for (first, more) in chain.consumers() {
        let shared = &*first.shared;
        let mut share = Some(whole.one_of(consumers));
        consumers = consumers.saturating_sub(1);
        // In this firing, all clauses of the consumer run or none, because a CPU that stops the
        // tracing waits for the firing. Only a clause of this firing can keep the later ones from
        // running. Clauses that do not run are not even looked at, because nobody pays for that.
        if !shared.is_live(firing.ctx) {
            continue;
        }
        firing.is_over.set(false);
        for ecb in core::iter::once(first).chain(more) {
            run(firing, ecb, share.take());
            if firing.is_over.get() {
                break;
            }
        }
        if let Ok(cpu) = shared.cpus.get(firing.ctx).try_borrow_mut() {
            whole = whole.without(cpu.budget.taken());
        }
    }
}

/// Runs the consumer's own BEGIN or END.
///
/// # Context
/// *probe*.
pub fn fire_special(ctx: &ProbeCtx, shared: &Shared, which: Special) {
    let Some(chain) = shared.special(which).load(ctx) else { return };
    if which == Special::End {
        if let Ok(mut cpu) = shared.cpus.get(ctx).try_borrow_mut() {
            cpu.principal.reopen();
        }
    }
    let firing = Firing::new(ctx, Args::NONE.pack());
    let mut share = Some(Share::WHOLE);
    for ecb in chain.ecbs() {
        run(&firing, ecb, share.take());
        if firing.is_over.get() {
            break;
        }
    }
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
                shared.kill(killed::UNRESPONSIVE);
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
        shared.kill(killed::UNRESPONSIVE);
        firing.is_over.set(true);
        cpu.principal.count_drop();
        return;
    }
    if shut {
        return;
    }
    if let Some(lean) = &clause.shortcut.lean {
        if shortcut::run(lean, firing, ecb, &mut cpu) && !cpu.budget.spend(lean.rest) {
            shared.kill(killed::UNRESPONSIVE);
            firing.is_over.set(true);
        }
        return;
    }
    if let Err(failure) = run_clause(firing, ecb, &mut cpu) {
        drop(cpu);
        failed(firing, ecb, &failure);
    }
}

/// Handles a fault: the clause has left no record, but the consumer's ERROR may leave one.
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
    let again = firing.with(Args::Values(&args).pack());
    let Some(chain) = shared.special(Special::Error).load(firing.ctx) else { return };
    for ecb in chain.ecbs() {
        run(&again, ecb, None);
        if again.is_over.get() {
            firing.is_over.set(true);
            break;
        }
    }
}
