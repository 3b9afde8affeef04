// SPDX-License-Identifier: GPL-2.0
//! One value that static code must find, for as long as it is there.
//!
//! An `open` gets no pointer from the module that registered it, and a Rust static is never
//! dropped: so the module puts its framework here when it is ready, and takes it out when it ends.

use core::cell::UnsafeCell;
use core::sync::atomic::{AtomicBool, Ordering};
use kernel::sync::Arc;

/// Holds an `Arc`, or nothing.
pub struct Global<T: Send + Sync> {
    /// Set while somebody looks at or changes `value`. Held for a handful of instructions.
    busy: AtomicBool,
    value: UnsafeCell<Option<Arc<T>>>,
}

// SAFETY: `value` is only touched while `busy` is held, and what it holds is itself `Send + Sync`.
unsafe impl<T: Send + Sync> Sync for Global<T> {}

impl<T: Send + Sync> Global<T> {
    /// With nothing in it.
    pub const fn empty() -> Self {
        Self { busy: AtomicBool::new(false), value: UnsafeCell::new(None) }
    }

    fn locked<R>(&self, f: impl FnOnce(&mut Option<Arc<T>>) -> R) -> R {
        while self.busy.swap(true, Ordering::Acquire) {
            core::hint::spin_loop();
        }
        // SAFETY: `busy` was clear and is ours until we clear it: nobody else has a reference.
        let r = f(unsafe { &mut *self.value.get() });
        self.busy.store(false, Ordering::Release);
        r
    }

    /// What is in it.
    ///
    /// # Context
    ///
    /// *process*
    pub fn get(&self) -> Option<Arc<T>> {
        self.locked(|v| v.clone())
    }

    /// Puts `new` in and takes out what was in it.
    ///
    /// # Context
    ///
    /// *process*
    pub fn swap(&self, new: Option<Arc<T>>) -> Option<Arc<T>> {
        self.locked(|v| core::mem::replace(v, new))
    }
}
