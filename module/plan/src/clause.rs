// SPDX-License-Identifier: GPL-2.0
//! A clause that is ready to run: predicate, actions, and the plan of its record.

use crate::code::Code;
use crate::shortcut::Shortcut;
use crate::step::Step;
use abi::record::RecDesc;
use mem::KVec;

/// A clause.
pub struct Clause {
    /// The predicate; `None` if there is none, or if the gate is all of it.
    pub predicate: Option<Code>,
    /// The steps, in order.
    pub steps: KVec<Step>,
    /// The parts of it that need no machine.
    pub shortcut: Shortcut,
    /// The description of the record, for the consumer.
    pub records: KVec<RecDesc>,
    /// The bytes of the record; 0 if the clause only aggregates.
    pub size: usize,
    /// The words of the longest key.
    pub key_words: usize,
    /// The step that selects the speculation for its records.
    pub speculates: Option<usize>,
    /// Its cost without its instructions, in the machine's units.
    pub cost: u32,
    /// The consumer's own number for it.
    pub uarg: u64,
}

/// An aggregation, as the consumer sees it.
pub struct AggInfo {
    /// The consumer's number for the variable.
    pub variable: u32,
    /// The bytes of its key and value.
    pub size: u32,
    /// The description of both.
    pub records: KVec<RecDesc>,
}
