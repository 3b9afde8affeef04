// SPDX-License-Identifier: GPL-2.0
//! Timers that interrupt at regular intervals, on every CPU or on one.

use crate::sys;
use kernel::error::from_err_ptr;
use kernel::ffi::c_void;
use kernel::prelude::*;
use kernel::time::Delta;

/// The place that the timer interrupted.
#[derive(Debug, Clone, Copy)]
pub struct Interrupted {
    /// The interrupted address in the kernel; 0: it was not in the kernel.
    pub kernel_pc: u64,
    /// The interrupted address in a process; 0: it was in the kernel.
    pub user_pc: u64,
    /// The delay of the interrupt, in ns.
    pub late_ns: u64,
}

/// The work at each interval.
pub trait Tick: Send + Sync {
    /// # Context
    ///
    /// *any*: a hard interrupt, on several CPUs at the same time.
    fn tick(&self, at: Interrupted);
}

/// A running timer; dropping it stops the timer. CPUs that come online join, and another CPU takes
/// over from one that goes offline.
///
/// # Invariants
///
/// `at` is from `kapi_ticker_start`, with `what`. `what` is from `KBox::into_raw`, and this value
/// owns it.
pub struct Ticker<T: Tick> {
    at: *mut c_void,
    what: *mut T,
}

// SAFETY: a ticker can be stopped from any task; `T` is `Send` and `Sync`.
unsafe impl<T: Tick> Send for Ticker<T> {}

/// # Safety
///
/// `arg` is a `T`.
unsafe extern "C" fn tick<T: Tick>(arg: *mut c_void, kernel_pc: u64, user_pc: u64, late_ns: u64) {
    // SAFETY: by the caller, `arg` is a `T`; everybody has it by shared reference only.
    let what = unsafe { &*arg.cast::<T>() };
    what.tick(Interrupted { kernel_pc, user_pc, late_ns });
}

impl<T: Tick> Ticker<T> {
    /// Starts a timer with this `interval`; with `everywhere` on every online CPU, otherwise on one
    /// of them.
    ///
    /// # Context
    ///
    /// *process*
    pub fn start(what: KBox<T>, interval: Delta, everywhere: bool) -> Result<Self> {
        let ns = u64::try_from(interval.as_nanos()).map_err(|_| EINVAL)?;
        if ns == 0 {
            return Err(EINVAL);
        }
        crate::mem::ask()?;
        let what = KBox::into_raw(what);
        // SAFETY: `tick::<T>` accepts `what`, which is a `T`; it is freed only after the ticker was
        // stopped.
        let at = unsafe { sys::kapi_ticker_start(ns, everywhere, tick::<T>, what.cast()) };
        match from_err_ptr(at) {
            // INVARIANT: `at` comes from `kapi_ticker_start` with `what`, which comes from
            // `into_raw`.
            Ok(at) => Ok(Self { at, what }),
            Err(e) => {
                // SAFETY: `what` comes from `into_raw`, and no ticker was given it.
                drop(unsafe { KBox::from_raw(what) });
                Err(e)
            }
        }
    }
}

impl<T: Tick> Drop for Ticker<T> {
    /// Waits until no tick is running.
    ///
    /// # Context
    ///
    /// *process*
    fn drop(&mut self) {
        // SAFETY: `self.at` comes from `kapi_ticker_start` by the invariant, and nobody has a copy
        // of it.
        unsafe { sys::kapi_ticker_stop(self.at) };
        // SAFETY: `self.what` comes from `into_raw` by the invariant, and no tick uses it any more.
        drop(unsafe { KBox::from_raw(self.what) });
    }
}
