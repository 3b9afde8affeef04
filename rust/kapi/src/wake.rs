// SPDX-License-Identifier: GPL-2.0
//! Wakes a process that waits for an eventfd, from any context.

use crate::sys;
use kernel::error::from_err_ptr;
use kernel::ffi::{c_int, c_void};
use kernel::prelude::*;

/// Wakes the processes that wait for one eventfd.
///
/// # Invariants
///
/// The pointer is from `kapi_waker_new`, and this value owns it.
pub struct Waker(*mut c_void);

// SAFETY: any task that may sleep can free a waker.
unsafe impl Send for Waker {}
// SAFETY: several CPUs may call `kapi_waker_wake` at once.
unsafe impl Sync for Waker {}

/// Creates a waker for an open eventfd of this process, which may close it afterwards, because the
/// waker holds a reference. `EBADF`, `EINVAL`: `fd` is not an open eventfd.
///
/// # Context
///
/// *process*
pub fn waker(fd: c_int) -> Result<Waker> {
    crate::mem::ask()?;
    // INVARIANT: the pointer comes from `kapi_waker_new`, and only this value gets it.
    Ok(Waker(from_err_ptr(sys::kapi_waker_new(fd))?))
}

impl Waker {
    /// Makes the eventfd readable, as soon as interrupts are on.
    ///
    /// # Context
    ///
    /// *any*
    pub fn wake(&self) {
        // SAFETY: `self.0` comes from `kapi_waker_new` by the invariant.
        unsafe { sys::kapi_waker_wake(self.0) };
    }
}

impl Drop for Waker {
    /// # Context
    ///
    /// *process*
    fn drop(&mut self) {
        // SAFETY: this value owns the waker by the invariant, and nobody has a copy of the pointer.
        unsafe { sys::kapi_waker_free(self.0) };
    }
}
