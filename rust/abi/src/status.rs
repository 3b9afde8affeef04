// SPDX-License-Identifier: GPL-2.0
//! The health of a consumer: drops by cause, and whether its tracing is ending.

use zerocopy_derive::{FromBytes, Immutable, IntoBytes, KnownLayout};

/// Answer to the STATUS ioctl. All counters run since GO; the consumer reports differences.
#[repr(C)]
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Default, FromBytes, IntoBytes, Immutable, KnownLayout,
)]
pub struct Status {
    /// Dynamic variables that found no room.
    pub dyndrops: u64,
    /// Probes that appeared while tracing and match the enabling, but could not be made or enabled.
    pub left_out: u64,
    /// Dynamic variables whose hash chain another CPU held for too long.
    pub dyndrops_busy: u64,
    /// Records that found no room in a speculation, or in the trace when it was committed.
    pub specdrops: u64,
    /// Calls of `speculation()` while one was being committed or discarded and none was free.
    pub specdrops_busy: u64,
    /// Calls of `speculation()` while all were in use.
    pub specdrops_unavail: u64,
    /// Faults inside an ERROR clause.
    pub dblerrors: u64,
    /// Firings that were skipped because the CPU was already inside a probe (an NMI, or a fault in
    /// a probe).
    pub nested: u64,
    /// How often a probe of `cpc` missed events, for a second at most, because perf had stopped its
    /// counter on a CPU; and for how many parts of long requests `io:::done` did not fire.
    pub pauses: u64,
    /// Waits of `lockstat`, `io` and other probes that fire at the end of something whose beginning
    /// was forgotten, because too many threads wait at a time.
    pub forgotten: u64,
    /// Signals of `stop()` and `raise()` that were lost because too many were queued on their CPU.
    pub sigdrops: u64,
    /// Stacks of processes that ended early because a file on their way had no rows yet.
    pub early: u64,
    /// 1 when a fill-policy buffer is full.
    pub filled: u32,
    /// 1 when only END can still fire, for example after `exit()`: it runs at STOP.
    pub exiting: u32,
    /// Why the module has ended the tracing: a value of [`killed`], or 0 if it has not.
    pub killed: u32,
    /// 1 when a buffer has become half full since the last answer, and [`crate::ioctl::WAKE`] has
    /// woken the consumer.
    pub pressing: u32,
    /// The number of [strangers](crate::unwind::STRANGERS).
    pub strangers: u32,
    /// New mappings of processes wait until the consumer has read them, up to this number, which it
    /// passes to [`crate::user::SEEN`]. 0: none wait.
    pub mapped: u32,
}

/// The values of [`Status::killed`].
pub mod killed {
    /// A firing cost too much, a CPU ran no thread for too long, or the consumer was silent for too
    /// long.
    pub const UNRESPONSIVE: u32 = 1;
    /// A firing has died by an error of the module; perhaps of another consumer.
    pub const DIED: u32 = 2;
}
