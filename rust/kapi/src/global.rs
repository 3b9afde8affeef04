// SPDX-License-Identifier: GPL-2.0
//! A value that static code can find as long as it exists.
//!
//! An `open` gets no pointer from the module that registered it, and a Rust static is never
//! dropped. So the module puts its framework here when it is ready, and takes it out when it ends.

use crate::lock::{Guarded, Lock};
use core::mem;
use kernel::sync::Arc;

/// Holds an `Arc`, or nothing.
pub struct Global<T: Send + Sync> {
    value: Guarded<Option<Arc<T>>>,
}

impl<T: Send + Sync> Global<T> {
    /// Creates an empty one.
    pub const fn empty() -> Self {
        Self { value: Guarded::new(Lock::Global, None) }
    }

    /// Returns the value.
    ///
    /// # Context
    ///
    /// *process*
    pub fn get(&self) -> Option<Arc<T>> {
        self.value.with(|v| v.clone())
    }

    /// Replaces the value by `new` and returns the old one.
    ///
    /// # Context
    ///
    /// *process*
    pub fn swap(&self, new: Option<Arc<T>>) -> Option<Arc<T>> {
        self.value.with(|v| mem::replace(v, new))
    }
}
