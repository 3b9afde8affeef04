// SPDX-License-Identifier: GPL-2.0
//! Runs the shortcuts that `plan::shortcut` has found in a clause.

use crate::ecb::Ecb;
use crate::env::Firing;
use crate::shared::{CpuState, Shared};
use crate::steps::{begin, no_room, of_copy, put_name, run_steps};
use abi::aggregation::AggFunc;
use buffers::aggregation::Short;
use buffers::AggBuffer;
use core::sync::atomic::Ordering::Relaxed;
use nosleep::{task, KVVec};
use plan::shortcut::{Action, Fold, Gate, Keyed, Leaf, Lean, Value, Words};

/// Tells whether the current process is not the one of a gate.
#[inline(always)]
pub(crate) fn is_shut(gate: &Gate) -> bool {
    // CAST: the sign is extended, as the machine does.
    gate.pid != task::pid() as u64
}

#[inline(always)]
fn leaf(leaf: Leaf, firing: &Firing<'_>, shared: &Shared) -> u64 {
    match leaf {
        Leaf::Arg(n) => firing.args.get(n),
        Leaf::Timestamp => firing.now(),
        Leaf::Thread(id) => shared.dynvars.get(firing.thread(), id),
        Leaf::Number(n) => n,
        // CAST: the sign is extended, as the machine does.
        Leaf::Pid => task::pid() as u64,
        Leaf::Tid => task::tid() as u64,
        Leaf::Cpu => firing.ctx.cpu() as u64,
    }
}

#[inline(always)]
fn value(value: &Value, firing: &Firing<'_>, shared: &Shared) -> u64 {
    match *value {
        Value::Leaf(a) => leaf(a, firing, shared),
        Value::Binary(op, a, b) => op.of(leaf(a, firing, shared), leaf(b, firing, shared)),
        Value::Choice { test, a, b, taken, other } => {
            if test.of(leaf(a, firing, shared), leaf(b, firing, shared)) {
                taken
            } else {
                other
            }
        }
    }
}

/// Returns the words by which the cache identifies a key.
#[inline(always)]
fn short(words: &Words, firing: &Firing<'_>, ecb: &Ecb) -> Short {
    let mut short = [0; 4];
    if words.execname {
        let [a, b] = task::comm_words();
        short = [a, b, 0, 0];
    }
    if words.probe {
        short[2] = ecb.probe.id().0.into();
    }
    for (place, source) in words.leaves.iter().take(words.n.into()) {
        if let Some(word) = short.get_mut(usize::from(*place)) {
            *word = leaf(*source, firing, &ecb.shared);
        }
    }
    short
}

/// Runs any step except those with a key, which need more than the CPU's values. Adds the words of
/// a new value to `cleared`.
#[inline(always)]
fn act(
    action: &Action,
    firing: &Firing<'_>,
    ecb: &Ecb,
    aggs: &mut AggBuffer<KVVec<u64>>,
    record: &mut [u8],
    cleared: &mut usize,
) {
    let shared = &*ecb.shared;
    match action {
        Action::Record { offset, size, value: source } => {
            put(record, *offset, *size, value(source, firing, shared));
        }
        Action::Name { offset, size, name } => {
            let room = record.get_mut(*offset..offset.wrapping_add(*size));
            put_name(*name, &ecb.probe, room.unwrap_or_default());
        }
        Action::Count(index) => {
            if let Some([count]) = aggs.single(*index, 1, |_| {}) {
                *count = count.wrapping_add(1);
            }
        }
        Action::Single { index, fold } => {
            let init = |w: &mut [u64]| {
                *cleared = cleared.saturating_add(w.len());
                fold.func.init(w);
            };
            if let Some(at) = aggs.single(*index, fold.words, init) {
                update(fold, at, firing, shared);
            }
        }
        Action::Store { id, value: source } => {
            let new = leaf(*source, firing, shared);
            if !shared.dynvars.set(firing.thread(), *id, new) {
                shared.counters.dyndrops.fetch_add(1, Relaxed);
            }
        }
        Action::Keyed(_) | Action::Fixed(..) => {}
    }
}

/// Writes the lowest bytes of a value.
#[inline(always)]
fn put(record: &mut [u8], offset: usize, size: usize, value: u64) {
    let Some(room) = record.get_mut(offset..) else { return };
    if let (8, Some(room)) = (size, room.first_chunk_mut()) {
        *room = value.to_le_bytes();
    } else if let (4, Some(room)) = (size, room.first_chunk_mut()) {
        // CAST: its lower half.
        *room = (value as u32).to_le_bytes();
    } else {
        let bytes = value.to_le_bytes();
        room.iter_mut().zip(bytes).take(size).for_each(|(to, byte)| *to = byte);
    }
}

#[inline(always)]
fn run_keyed(keyed: &Keyed, firing: &Firing<'_>, ecb: &Ecb, cpu: &mut CpuState) {
    let key = short(&keyed.key, firing, ecb);
    match cpu.aggs.cached(keyed.id, &key, keyed.fold.words) {
        Some(at) => update(&keyed.fold, at, firing, &ecb.shared),
        None => learn(keyed, key, firing, ecb, cpu),
    }
}

/// Runs the steps, and remembers the place of the key if the steps have stored the same one. Others
/// can change a thread's name and the arguments on a program's stack at any time, and change them
/// back: so the steps get the name that was read here, and no such argument is remembered.
#[cold]
#[inline(never)]
fn learn(keyed: &Keyed, key: Short, firing: &Firing<'_>, ecb: &Ecb, cpu: &mut CpuState) {
    let words = &keyed.key;
    if words.execname {
        let [a, b, ..] = key;
        firing.call([a, b]);
    }
    run_steps(firing, ecb, cpu, keyed.steps.0, keyed.steps.1);
    let is_steady = |leaf: &Leaf| !matches!(leaf, Leaf::Arg(n) if firing.args.is_program_s(*n));
    let is_steady = words.leaves.iter().take(words.n.into()).all(|(_, leaf)| is_steady(leaf));
    if is_steady && short(words, firing, ecb) == key {
        cpu.aggs.remember(keyed.id, &key);
    }
}

/// Works like [`run_keyed`], for a value that may get a number.
#[cold]
#[inline(never)]
fn run_anew(keyed: &Keyed, number: usize, firing: &Firing<'_>, ecb: &Ecb, cpu: &mut CpuState) {
    cpu.aggs.forget_last();
    run_keyed(keyed, firing, ecb, cpu);
    cpu.aggs.know(number);
}

#[inline(always)]
fn update(fold: &Fold, at: &mut [u64], firing: &Firing<'_>, shared: &Shared) {
    if fold.func == AggFunc::Quantize {
        // CAST: the same bits, signed.
        let bucket = abi::aggregation::quantize_bucket(value(&fold.value, firing, shared) as i64);
        if let Some(count) = at.get_mut(bucket) {
            *count = count.wrapping_add(1);
        }
    } else {
        update_other(fold, at, firing, shared);
    }
}

#[inline(never)]
fn update_other(fold: &Fold, at: &mut [u64], firing: &Firing<'_>, shared: &Shared) {
    fold.func.update(at, value(&fold.value, firing, shared) as i64, 1);
}

/// Runs a lean clause. Returns true if its predicate was true. Nothing in it can fault.
///
/// # Context
/// *probe*.
#[inline(always)]
pub(crate) fn run(lean: &Lean, firing: &Firing<'_>, ecb: &Ecb, cpu: &mut CpuState) -> bool {
    let shared = &*ecb.shared;
    if let Some(predicate) = &lean.predicate {
        if value(predicate, firing, shared) == 0 {
            return false;
        }
    }
    if lean.size > 0 {
        record(lean, firing, ecb, cpu);
        return true;
    }
    let mut cleared = 0;
    for action in &lean.actions {
        match action {
            Action::Keyed(keyed) => run_keyed(keyed, firing, ecb, cpu),
            Action::Fixed(n, keyed) => {
                let number = ecb.slot.saturating_add(*n) as usize;
                match cpu.aggs.known(number, keyed.fold.words) {
                    Some(at) => update(&keyed.fold, at, firing, shared),
                    None => run_anew(keyed, number, firing, ecb, cpu),
                }
            }
            other => act(other, firing, ecb, &mut cpu.aggs, &mut [], &mut cleared),
        }
    }
    if cleared > 0 {
        cpu.budget.owe(of_copy(cleared.saturating_mul(8)));
    }
    true
}

/// Writes a record.
#[inline(never)]
fn record(lean: &Lean, firing: &Firing<'_>, ecb: &Ecb, cpu: &mut CpuState) {
    let shared = &*ecb.shared;
    let CpuState { principal, aggs, budget, .. } = cpu;
    let mut cleared = 0;
    if principal.is_pressing() {
        shared.press();
    }
    let Some(mut room) = principal.reserve(lean.size) else {
        return no_room(firing, shared, principal);
    };
    begin(firing, ecb, &mut room);
    for action in &lean.actions {
        act(action, firing, ecb, aggs, &mut room, &mut cleared);
    }
    room.commit();
    if cleared > 0 {
        budget.owe(of_copy(cleared.saturating_mul(8)));
    }
}
