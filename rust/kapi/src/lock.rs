// SPDX-License-Identifier: GPL-2.0
//! Mutexes for this crate's own statics. A [`Guarded`] value can only be reached under its mutex. What
//! else a mutex protects, Rust does not know; each user states it.

use crate::sys;
use core::cell::UnsafeCell;
use core::marker::PhantomData;
use kernel::bindings::{self, mutex};
use kernel::ffi::c_ulong;

/// The mutexes.
#[derive(Clone, Copy)]
#[repr(u32)]
pub(crate) enum Lock {
    /// Keeps [published](crate::publish) values in place.
    Publish = 0,
    /// The contents of [globals](crate::global).
    Global = 1,
    /// The table of [sites](crate::sites).
    Sites = 2,
    /// The state that [ftrace](crate::ftrace) was given.
    Ftrace = 3,
    /// The tables of [followers](crate::follow).
    Follow = 4,
    /// The [tracepoints](crate::tracepoint) of modules.
    Tracepoints = 5,
    /// The [functions on single tracepoints](crate::hook).
    Hooks = 6,
    /// The notifier of [modules](crate::modules).
    Watch = 7,
    /// The [counters](crate::counter) and their events.
    Counters = 8,
    /// The [timers](crate::timer).
    Tickers = 9,
    /// Acting for a CPU that is [off](crate::xcall).
    Offline = 10,
    /// The places that are [stuck](crate::stuck).
    Stuck = 11,
    /// The [entries](crate::typed) of types of tracepoints.
    #[allow(dead_code, reason = "only a kernel with CFI needs them")]
    Entries = 12,
}

/// The mutex is held as long as this value exists.
pub(crate) struct Held(Lock, PhantomData<*mut ()>);

impl Lock {
    /// Waits for the mutex and holds it. A holder must not call this again.
    ///
    /// # Context
    ///
    /// *process*
    pub(crate) fn hold(self) -> Held {
        // SAFETY: `kapi_mutex` in `lock.c` has a mutex for each value of `Lock`.
        unsafe { sys::kapi_lock(self as u32) };
        Held(self, PhantomData)
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        // SAFETY: `hold` locked it, and a `Held` is neither copied nor sent to another task.
        unsafe { sys::kapi_unlock(self.0 as u32) };
    }
}

/// A value that only a holder of its mutex can reach.
pub(crate) struct Guarded<T> {
    lock: Lock,
    value: UnsafeCell<T>,
}

// SAFETY: only `with` reaches the value, by one task at a time.
unsafe impl<T: Send> Sync for Guarded<T> {}

impl<T> Guarded<T> {
    pub(crate) const fn new(lock: Lock, value: T) -> Self {
        Self { lock, value: UnsafeCell::new(value) }
    }

    /// Lends the value to `f`. A holder of the mutex must not call this.
    ///
    /// # Context
    ///
    /// *process*
    pub(crate) fn with<R>(&self, f: impl FnOnce(&mut T) -> R) -> R {
        let _held = self.lock.hold();
        // SAFETY: nobody else holds the mutex, so nobody else has a reference.
        f(unsafe { &mut *self.value.get() })
    }
}

/// A mutex of the kernel is held as long as this value exists.
pub(crate) struct KernelMutex(*mut mutex);

impl KernelMutex {
    /// # Safety
    ///
    /// `at` is the address of a mutex that never disappears and that the caller does not hold.
    pub(crate) unsafe fn hold(at: c_ulong) -> Self {
        let at = at as *mut mutex;
        // SAFETY: by the caller.
        unsafe { bindings::mutex_lock(at) };
        Self(at)
    }
}

impl Drop for KernelMutex {
    fn drop(&mut self) {
        // SAFETY: `hold` locked it in this task: the pointer keeps the value from being sent.
        unsafe { bindings::mutex_unlock(self.0) };
    }
}
