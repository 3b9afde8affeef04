// SPDX-License-Identifier: GPL-2.0
//! Events that the processor or the kernel counts (perf), on every CPU: something happens each time that a
//! CPU has counted so many.

use crate::sys;
use kernel::error::{from_err_ptr, to_result};
use kernel::ffi::c_void;
use kernel::prelude::*;

/// The event that a counter counts.
#[derive(Debug, Clone, Copy)]
pub struct Event {
    /// `type` of a `perf_event_attr`.
    pub kind: u32,
    /// `config` of it.
    pub config: u64,
    /// After so many of them it happens.
    pub period: u64,
    /// Those of processes.
    pub user: bool,
    /// Those of the kernel.
    pub kernel: bool,
}

impl Event {
    /// Whether this machine can count it; the errno that perf has for it if not. `ENOMEM`
    ///
    /// # Context
    ///
    /// *process*
    pub fn exists(&self) -> Result {
        crate::mem::ask()?;
        let Self { kind, config, period, user, kernel } = *self;
        to_result(sys::kapi_counter_exists(kind, config, period, user, kernel))
    }
}

/// What happens.
pub trait Count: Send + Sync {
    /// The CPU was at one of these places, in the kernel or in a process; the other is 0. With the
    /// processor's counters it has come some instructions further since the last one of the events.
    ///
    /// # Context
    ///
    /// *any*: an NMI, or where an event of the kernel is, on several CPUs at the same time.
    fn counted(&self, kernel_pc: u64, user_pc: u64);
}

/// As long as it exists, it counts. CPUs that come do their part, soon after they have.
///
/// # Invariants
///
/// `at` is from `kapi_counter_start`, with `what`; that is from `KBox::into_raw`, and this its owner.
pub struct Counter<T: Count> {
    at: *mut c_void,
    what: *mut T,
}

// SAFETY: a counter can be stopped from any task; `T` is `Send` and `Sync`.
unsafe impl<T: Count> Send for Counter<T> {}

/// # Safety
///
/// `arg` is a `T`.
unsafe extern "C" fn counted<T: Count>(arg: *mut c_void, kernel_pc: u64, user_pc: u64) {
    // SAFETY: by the caller; all have it by shared reference only.
    let what = unsafe { &*arg.cast::<T>() };
    what.counted(kernel_pc, user_pc);
}

impl<T: Count> Counter<T> {
    /// From now on. `EBUSY`: others use all counters that can do it; `ENOENT`: there is none.
    ///
    /// # Context
    ///
    /// *process*
    pub fn start(what: KBox<T>, event: Event) -> Result<Self> {
        crate::mem::ask()?;
        let what = KBox::into_raw(what);
        let Event { kind, config, period, user, kernel } = event;
        let (f, arg) = (counted::<T>, what.cast());
        // SAFETY: `counted::<T>` accepts a `T`, which this is; it goes after the counter was stopped.
        let at = unsafe { sys::kapi_counter_start(kind, config, period, user, kernel, f, arg) };
        match from_err_ptr(at) {
            // INVARIANT: so it is.
            Ok(at) => Ok(Self { at, what }),
            Err(e) => {
                // SAFETY: from `into_raw`; whom it was given to has given it up before it failed.
                drop(unsafe { KBox::from_raw(what) });
                Err(e)
            }
        }
    }
}

impl<T: Count> Drop for Counter<T> {
    /// Waits for who is at it.
    ///
    /// # Context
    ///
    /// *process*
    fn drop(&mut self) {
        // SAFETY: by the invariant; nobody has another copy.
        unsafe { sys::kapi_counter_stop(self.at) };
        // SAFETY: by the invariant, and nobody is told of it any more.
        drop(unsafe { KBox::from_raw(self.what) });
    }
}
