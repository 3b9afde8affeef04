// SPDX-License-Identifier: GPL-2.0
//! Something that happens at regular intervals, in interrupts: on every CPU, or on one.

use crate::sys;
use kernel::error::from_err_ptr;
use kernel::ffi::c_void;
use kernel::prelude::*;
use kernel::time::Delta;

/// What an interrupt of the timer came over.
#[derive(Debug, Clone, Copy)]
pub struct Interrupted {
    /// Where the kernel was; 0: it was not in the kernel.
    pub kernel_pc: u64,
    /// Where a process was; 0: it was in the kernel.
    pub user_pc: u64,
    /// How many nanoseconds ago it should have come.
    pub late_ns: u64,
}

/// What happens.
pub trait Tick: Send + Sync {
    /// # Context
    ///
    /// *any*: a hard interrupt, on several CPUs at the same time.
    fn tick(&self, at: Interrupted);
}

/// As long as it exists, it happens. CPUs that come do their part, and what one did that goes is
/// done by another.
///
/// # Invariants
///
/// `at` is from `kapi_ticker_start`, with `what`; that is from `KBox::into_raw`, and this its owner.
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
    // SAFETY: by the caller; all have it by shared reference only.
    let what = unsafe { &*arg.cast::<T>() };
    what.tick(Interrupted { kernel_pc, user_pc, late_ns });
}

impl<T: Tick> Ticker<T> {
    /// From now on, each `interval`; `everywhere`: on every CPU that is on, else on one of them.
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
        // SAFETY: `tick::<T>` accepts a `T`, which this is; it goes after the ticker was stopped.
        let at = unsafe { sys::kapi_ticker_start(ns, everywhere, tick::<T>, what.cast()) };
        match from_err_ptr(at) {
            // INVARIANT: so it is.
            Ok(at) => Ok(Self { at, what }),
            Err(e) => {
                // SAFETY: from `into_raw`, and nobody was given it.
                drop(unsafe { KBox::from_raw(what) });
                Err(e)
            }
        }
    }
}

impl<T: Tick> Drop for Ticker<T> {
    /// Waits for who is at it.
    ///
    /// # Context
    ///
    /// *process*
    fn drop(&mut self) {
        // SAFETY: by the invariant; nobody has another copy.
        unsafe { sys::kapi_ticker_stop(self.at) };
        // SAFETY: by the invariant, and nobody is told of it any more.
        drop(unsafe { KBox::from_raw(self.what) });
    }
}
