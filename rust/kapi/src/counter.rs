// SPDX-License-Identifier: GPL-2.0
//! Events that the processor or the kernel counts (perf), on every CPU. A callback runs each time
//! that a CPU has counted a given number.

use crate::sys;
use kernel::error::{from_err_ptr, to_result};
use kernel::ffi::c_void;
use kernel::prelude::*;

/// The event that a counter counts.
#[derive(Debug, Clone, Copy)]
pub struct Event {
    /// `type` of a `perf_event_attr`.
    pub kind: u32,
    /// Its `config`.
    pub config: u64,
    /// The number of events from one call of [`Count::counted`] to the next.
    pub period: u64,
    /// Events in processes count.
    pub user: bool,
    /// Events in the kernel count.
    pub kernel: bool,
}

impl Event {
    /// Checks that this machine can count the event. Returns perf's errno if it cannot; `ENOMEM`:
    /// there is no memory to check.
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

/// The work after each period.
pub trait Count: Send + Sync {
    /// The CPU was at one of these addresses, in the kernel or in a process; the other is 0. With
    /// the processor's counters, the CPU has run some instructions since the last event.
    ///
    /// # Context
    ///
    /// *any*: an NMI, or the context of a kernel event, on several CPUs at the same time.
    fn counted(&self, kernel_pc: u64, user_pc: u64);
}

/// A running counter; dropping it stops the counter. CPUs that come online join soon after.
///
/// # Invariants
///
/// `at` is from `kapi_counter_start`, with `what`. `what` is from `KBox::into_raw`, and this value
/// owns it.
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
    // SAFETY: by the caller, `arg` is a `T`; everybody has it by shared reference only.
    let what = unsafe { &*arg.cast::<T>() };
    what.counted(kernel_pc, user_pc);
}

impl<T: Count> Counter<T> {
    /// Starts a counter. `EBUSY`: others use all counters that can do it; `ENOENT`: no CPU can.
    ///
    /// # Context
    ///
    /// *process*
    pub fn start(what: KBox<T>, event: Event) -> Result<Self> {
        crate::mem::ask()?;
        let what = KBox::into_raw(what);
        let Event { kind, config, period, user, kernel } = event;
        let (f, arg) = (counted::<T>, what.cast());
        // SAFETY: `counted::<T>` accepts `what`, which is a `T`; it is freed only after the counter
        // was stopped.
        let at = unsafe { sys::kapi_counter_start(kind, config, period, user, kernel, f, arg) };
        match from_err_ptr(at) {
            // INVARIANT: `at` comes from `kapi_counter_start` with `what`, which comes from
            // `into_raw`.
            Ok(at) => Ok(Self { at, what }),
            Err(e) => {
                // SAFETY: `what` comes from `into_raw`; the helper no longer uses it when it has
                // failed.
                drop(unsafe { KBox::from_raw(what) });
                Err(e)
            }
        }
    }
}

impl<T: Count> Drop for Counter<T> {
    /// Waits until no call is running.
    ///
    /// # Context
    ///
    /// *process*
    fn drop(&mut self) {
        // SAFETY: `self.at` comes from `kapi_counter_start` by the invariant, and nobody has a copy
        // of it.
        unsafe { sys::kapi_counter_stop(self.at) };
        // SAFETY: `self.what` comes from `into_raw` by the invariant, and no call uses it any more.
        drop(unsafe { KBox::from_raw(self.what) });
    }
}
