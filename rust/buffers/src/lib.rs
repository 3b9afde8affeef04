// SPDX-License-Identifier: GPL-2.0
//! The memory into which probes write: one buffer per CPU and kind, over slices that others own.
//!
//! ```text
//!            probe context (one CPU)                      process context (ioctl)
//!   reserve -> store -> commit ─► active memory
//!                                      │  swap: on that CPU, interrupts off, O(1)
//!                                      ▼
//!                                 full memory ───────────► copied out, cleared, next spare
//! ```
//! A buffer never has two writers: the probe context serialises a CPU's probes, and the swap runs
//! in probe context too. So there is no lock and no unsafe code, except that all CPUs share the
//! [`elements`], which have locks. The EPID at the head of a record is its only metadata:
//! everything else about its layout was fixed when the probe was enabled.
#![cfg_attr(not(test), no_std)]
#![forbid(unsafe_code)]
#![deny(missing_docs)]
#![cfg_attr(
    not(test),
    deny(clippy::indexing_slicing, clippy::unwrap_used, clippy::arithmetic_side_effects)
)]

pub mod aggregation;
pub mod elements;
pub mod key;
pub mod principal;
pub mod siphash;
pub mod speculation;
mod sync;

/// An odd number with its bits well mixed: 2^64 divided by the golden ratio.
pub const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// Adds one more word to a hash. Only for words that traced programs cannot choose; for the others,
/// use [`siphash`].
#[inline(always)]
pub fn mix(hash: u64, word: u64) -> u64 {
    (hash ^ word).wrapping_mul(GOLDEN).rotate_left(29)
}

pub use aggregation::AggBuffer;
pub use elements::Elements;
pub use key::Key;
pub use principal::Principal;
pub use siphash::Seed;
