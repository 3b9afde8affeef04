// SPDX-License-Identifier: GPL-2.0
//! Whether a consumer lives: it is being served, or was a moment ago.
//!
//! To enable all of fbt by breakpoints may take longer than a living consumer is silent; who waits for us
//! is not silent.

use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use core::sync::atomic::{AtomicU32, AtomicU64};
use kapi::alive::awake_since;
use kapi::time::monotonic_ns;

/// For how long it may be silent, ns.
const TIMEOUT: u64 = 30_000_000_000;

/// Of one consumer.
pub(crate) struct Pulse {
    /// Calls under way.
    calls: AtomicU32,
    /// When the last one ended.
    last: AtomicU64,
}

impl Pulse {
    pub(crate) fn new() -> Self {
        Self { calls: AtomicU32::new(0), last: AtomicU64::new(monotonic_ns()) }
    }

    /// Until the answer is dropped it is being served.
    pub(crate) fn beat(&self) -> Beat<'_> {
        self.calls.fetch_add(1, Relaxed);
        Beat(self)
    }

    /// From here on it need not be heard of, until it is [`Self::expect`]ed to be.
    pub(crate) fn excuse(&self) {
        core::mem::forget(self.beat());
    }

    /// It has to be heard of again; once after each [`Self::excuse`].
    pub(crate) fn expect(&self) {
        drop(Beat(self));
    }

    /// Tells whether the consumer has been silent for too long. A frozen one cannot speak: the time that a suspend or a
    /// hibernation takes does not count.
    pub(crate) fn is_gone(&self, now: u64) -> bool {
        // In this order, which is the reverse of a call's end: whoever sees no call under way sees when the last one
        // ended. The other way round a long call that ends between the two would be missed.
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
