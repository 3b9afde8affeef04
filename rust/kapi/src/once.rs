// SPDX-License-Identifier: GPL-2.0
//! A value that is set once and read by probes.
//!
//! `kernel::sync::SetOnce` calls a kernel function to read its state. Code that a breakpoint leads
//! to must not call it, because that function can have a breakpoint too.

use core::cell::UnsafeCell;
use core::sync::atomic::{AtomicU32, Ordering};

const EMPTY: u32 = 0;
const BEING_SET: u32 = 1;
const SET: u32 = 2;

/// A place that is empty at first, and later holds a `T`.
pub(crate) struct Once<T> {
    state: AtomicU32,
    /// INVARIANT: once `state` is `SET`, this is `Some` and does not change any more.
    value: UnsafeCell<Option<T>>,
}

// SAFETY: only the caller that won the change to `BEING_SET` writes `value`, before anybody reads
// it; it is read by shared reference only.
unsafe impl<T: Send + Sync> Sync for Once<T> {}

impl<T> Once<T> {
    pub(crate) const fn new() -> Self {
        Self { state: AtomicU32::new(EMPTY), value: UnsafeCell::new(None) }
    }

    /// Sets the value if it has not been set.
    pub(crate) fn populate(&self, value: T) {
        let (from, to) = (EMPTY, BEING_SET);
        if self.state.compare_exchange(from, to, Ordering::Relaxed, Ordering::Relaxed).is_ok() {
            // SAFETY: only one caller gets here, and nobody reads before the store below.
            unsafe { *self.value.get() = Some(value) };
            self.state.store(SET, Ordering::Release);
        }
    }

    /// Returns the value, if it was set.
    #[inline]
    pub(crate) fn as_ref(&self) -> Option<&T> {
        if self.state.load(Ordering::Acquire) != SET {
            return None;
        }
        // SAFETY: `state` is `SET`, so `value` does not change any more, by the invariant.
        unsafe { (*self.value.get()).as_ref() }
    }
}
