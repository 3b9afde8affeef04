// SPDX-License-Identifier: GPL-2.0
//! A value that static code can find as long as it exists.
//!
//! An `open` gets no pointer from the module that registered it, and a Rust static is never
//! dropped. So the module puts its framework here when it is ready, and takes it out when it ends.

use crate::lock::Lock;
use core::cell::UnsafeCell;
use core::mem;
use kernel::sync::Arc;

/// Holds an `Arc`, or nothing.
pub struct Global<T: Send + Sync> {
    value: UnsafeCell<Option<Arc<T>>>,
}

// SAFETY: only `locked` accesses `value`, by one task at a time, and its content is itself `Send +
// Sync`.
unsafe impl<T: Send + Sync> Sync for Global<T> {}

impl<T: Send + Sync> Global<T> {
    /// Creates an empty one.
    pub const fn empty() -> Self {
        Self { value: UnsafeCell::new(None) }
    }

    fn locked<R>(&self, f: impl FnOnce(&mut Option<Arc<T>>) -> R) -> R {
        let _held = Lock::Global.hold();
        // SAFETY: nobody else holds the lock, so nobody else has a reference.
        f(unsafe { &mut *self.value.get() })
    }

    /// Returns the value.
    ///
    /// # Context
    ///
    /// *process*
    pub fn get(&self) -> Option<Arc<T>> {
        self.locked(|v| v.clone())
    }

    /// Replaces the value by `new` and returns the old one.
    ///
    /// # Context
    ///
    /// *process*
    pub fn swap(&self, new: Option<Arc<T>>) -> Option<Arc<T>> {
        self.locked(|v| mem::replace(v, new))
    }
}
