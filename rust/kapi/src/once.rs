// SPDX-License-Identifier: GPL-2.0
//! A value that is set once and read by probes.
//!
//! `kernel::sync::SetOnce` calls a function of the kernel proper to read its state. Where a
//! breakpoint leads there must be no such call: that function can have a breakpoint as well.

use core::cell::UnsafeCell;
use core::sync::atomic::{AtomicU32, Ordering};

const EMPTY: u32 = 0;
const BEING_SET: u32 = 1;
const SET: u32 = 2;

/// Nothing, and later a `T`.
pub(crate) struct Once<T> {
    state: AtomicU32,
    /// INVARIANT: does not change any more once `state` is `SET`, and is `Some` then.
    value: UnsafeCell<Option<T>>,
}

// SAFETY: `value` is written by the one who won the change to `BEING_SET`, before anybody reads it,
// and read by shared reference only.
unsafe impl<T: Send + Sync> Sync for Once<T> {}

impl<T> Once<T> {
    pub(crate) const fn new() -> Self {
        Self { state: AtomicU32::new(EMPTY), value: UnsafeCell::new(None) }
    }

    /// Sets it, if it has not been set.
    pub(crate) fn populate(&self, value: T) {
        let (from, to) = (EMPTY, BEING_SET);
        if self.state.compare_exchange(from, to, Ordering::Relaxed, Ordering::Relaxed).is_ok() {
            // SAFETY: one comes here, and nobody reads before the store below.
            unsafe { *self.value.get() = Some(value) };
            self.state.store(SET, Ordering::Release);
        }
    }

    /// What it was set to.
    #[inline]
    pub(crate) fn as_ref(&self) -> Option<&T> {
        if self.state.load(Ordering::Acquire) != SET {
            return None;
        }
        // SAFETY: by the invariant.
        unsafe { (*self.value.get()).as_ref() }
    }
}
