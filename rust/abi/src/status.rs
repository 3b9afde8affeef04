// SPDX-License-Identifier: GPL-2.0
//! What the kernel says of a consumer's health: drops, by cause, and whether it is ending.

use zerocopy_derive::{FromBytes, Immutable, IntoBytes, KnownLayout};

/// Answer to the STATUS ioctl. All counters run since GO; the consumer reports differences.
#[repr(C)]
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Default, FromBytes, IntoBytes, Immutable, KnownLayout,
)]
pub struct Status {
    /// Dynamic variables that found no room.
    pub dyndrops: u64,
    /// Probes that came while tracing, that the enabling means, and that could not be made or enabled.
    pub left_out: u64,
    /// Dynamic variables whose hash chain another CPU held for too long.
    pub dyndrops_busy: u64,
    /// Records that found no room in a speculative buffer.
    pub specdrops: u64,
    /// `speculation()` with every buffer busy committing.
    pub specdrops_busy: u64,
    /// `speculation()` with no buffer free.
    pub specdrops_unavail: u64,
    /// Faults inside an ERROR clause.
    pub dblerrors: u64,
    /// Firings skipped because the CPU was already inside a probe (an NMI, or a fault in a probe).
    pub nested: u64,
    /// Overflows of ustack()'s string table.
    pub stkstroverflows: u64,
    /// Signals of `stop()` and `raise()` that found too many others waiting on their CPU.
    pub sigdrops: u64,
    /// Stacks of processes that ended early, for there were no rows yet of a file that they led through.
    pub early: u64,
    /// 1 when a fill-policy buffer is full.
    pub filled: u32,
    /// 1 after `exit()`: END will run at STOP.
    pub exiting: u32,
    /// 1 when the dead-man ended the tracing.
    pub killed: u32,
    /// 1 when a buffer has become half full since the last answer, which was said by [`crate::ioctl::WAKE`].
    pub pressing: u32,
    /// How many [strangers](crate::unwind::STRANGERS) there are.
    pub strangers: u32,
    /// What processes have mapped waits for being looked at, up to this number: [`crate::user::SEEN`]. 0: nothing.
    pub mapped: u32,
}
