// SPDX-License-Identifier: GPL-2.0
//! The data of an enabling on the host, as the framework allocates it in the kernel, for tests that
//! fire its probes. Memory is never refused here, so nothing returns an error.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

use abi::option::{OptionId, UNSET};
use abi::unwind::FILES;
use buffers::aggregation::SLOT;
use buffers::elements::Elements;
use buffers::speculation::{Part, States};
use buffers::{AggBuffer, Key, Principal};
use fire::budget::Budget;
use fire::deadman::{Deadman, Here};
use fire::dynvar::DynVars;
use fire::shared::{Activity, Counters, CpuState, Shared, LINE};
use fire::unwind::{Unwind, MET};
use fire::words::Words;
use mem::{zeroed_atomics, zeroed_bytes, zeroed_words, Arc, KVec};
use nosleep::{PerCpu, Published};
use plan::enabling::Enabling;
use plan::quota::{Portion, Quota};
use std::cell::RefCell;
use std::sync::atomic::AtomicU32;

/// The sizes of the data, instead of those in the enabling's options.
#[derive(Debug, Clone, Copy)]
pub struct Sizes {
    /// The number of CPUs.
    pub cpus: usize,
    /// The bytes of a CPU's trace, and of its part of a speculation.
    pub bufsize: usize,
    /// The words of a CPU's aggregations.
    pub agg_words: usize,
    /// The bytes of dynamic variables.
    pub dynvarsize: usize,
    /// The most values with constant keys.
    pub numbers: usize,
}

static MEMORY: Quota = Quota::new();

/// Collects items into a vector of the kernel's kind.
pub fn vector<T>(items: impl IntoIterator<Item = T>) -> KVec<T> {
    let mut all = KVec::new();
    items.into_iter().for_each(|item| mem::push(&mut all, item).expect("memory"));
    all
}

/// Makes the data that the probes of an enabling write. The enabling's variables move there.
pub fn shared(e: &mut Enabling, sizes: Sizes) -> Shared {
    let Sizes { cpus, bufsize, agg_words, dynvarsize, numbers } = sizes;
    let vars = std::mem::take(&mut e.vars);
    let strsize = e.options.get(OptionId::Strsize) as usize;
    let scratch = dif::scratch::size(strsize, vars.largest());
    let room = DynVars::room(dynvarsize, &vars, cpus);
    let words = |n| zeroed_words(n).expect("memory");
    let bytes = |n| zeroed_bytes(n).expect("memory");
    let atomics = |n| zeroed_atomics(n).expect("memory");
    let nspec = e.options.get(OptionId::Nspec) as usize;
    let parts = if e.speculates { nspec } else { 0 };
    let state = |_| {
        RefCell::new(CpuState {
            principal: Principal::new(bytes(bufsize)),
            aggs: AggBuffer::new(
                words(agg_words),
                [1, 2],
                words(e.aggs.len() + numbers),
                words(if e.key_words > 0 { 512 * SLOT } else { 0 }),
            ),
            parts: vector((0..parts).map(|_| Part::new(bytes(bufsize)))),
            scratch: bytes(2 * scratch),
            kept: 0,
            locals: words(vars.local.words()),
            key: Key::new(words(e.key_words), words(e.key_words)),
            budget: Budget::default(),
            asked: 0,
            random: 1,
        })
    };
    let files = vector((0..FILES).map(|_| Published::empty()));
    let elements = Elements::new(atomics(room.elements), cpus, [1, 2]);
    let aggs = e.aggs.len() as u32;
    Shared {
        activity: AtomicU32::new(Activity::Inactive as u32),
        cpus: PerCpu::of(cpus, state),
        globals: Words::new(atomics(vars.global.words())),
        dynvars: DynVars::new(atomics(room.words), elements, atomics(room.ended)),
        vars,
        speculations: States::new(vector((0..nspec).map(|_| AtomicU32::new(0)))),
        strsize,
        has_parts: e.speculates,
        only_cpu: UNSET,
        counters: Counters::default(),
        pauses: Words::new(atomics(cpus * LINE)),
        deadman: Deadman::new(PerCpu::of(cpus, |_| Here::new())),
        waker: None,
        unwind: Arc::new(Unwind::new(files, atomics(MET), [1, 2], true)),
        special: [Published::empty(), Published::empty(), Published::empty()],
        owner: ([0; 16], 1),
        numbers: (AtomicU32::new(aggs), aggs + numbers as u32),
        may_destroy: e.is_destructive(),
        policy: 0,
        bufsize,
        aggsize: 8 * agg_words,
        dynvarsize,
        specsize: bufsize,
        nested_before: 0,
        memory: Portion::new(&MEMORY, true),
    }
}
