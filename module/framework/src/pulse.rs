// SPDX-License-Identifier: GPL-2.0
//! Tells whether a consumer is alive: it is being served, or was a moment ago.
//!
//! Enabling all of fbt by breakpoints may take longer than a live consumer may be silent, so a
//! consumer that waits for us does not count as silent.

use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use core::sync::atomic::{AtomicU32, AtomicU64};
use kapi::alive::awake_since;
use kapi::time::monotonic_ns;

/// How long a consumer may be silent, in ns.
const TIMEOUT: u64 = 30_000_000_000;

/// The pulse of one consumer.
pub(crate) struct Pulse {
    /// The calls in progress.
    calls: AtomicU32,
    /// The time when the last one ended.
    last: AtomicU64,
}

impl Pulse {
    pub(crate) fn new() -> Self {
        Self { calls: AtomicU32::new(0), last: AtomicU64::new(monotonic_ns()) }
    }

    /// Marks it as served until the returned value is dropped.
    pub(crate) fn beat(&self) -> Beat<'_> {
        self.calls.fetch_add(1, Relaxed);
        Beat(self)
    }

    /// Allows it to be silent until [`Self::expect`].
    pub(crate) fn excuse(&self) {
        core::mem::forget(self.beat());
    }

    /// Ends [`Self::excuse`]. Call it once after each.
    pub(crate) fn expect(&self) {
        drop(Beat(self));
    }

    /// Tells whether the consumer has been silent for too long. The time of a suspend or a
    /// hibernation does not count, because a frozen consumer cannot speak.
    pub(crate) fn is_gone(&self, now: u64) -> bool {
        // This order is the reverse of a call's end: after seeing no call in progress, we also see
        // when the last one ended. In the other order, we would miss a long call that ends between
        // the two loads.
        if self.calls.load(Acquire) != 0 {
            return false;
        }
        let heard = self.last.load(Relaxed).max(awake_since());
        now.saturating_sub(heard) >= TIMEOUT
    }
}

/// A call that is being served.
pub struct Beat<'p>(&'p Pulse);

impl Drop for Beat<'_> {
    fn drop(&mut self) {
        self.0.last.store(monotonic_ns(), Relaxed);
        self.0.calls.fetch_sub(1, Release);
    }
}
