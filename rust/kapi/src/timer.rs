// SPDX-License-Identifier: GPL-2.0
//! Timers that interrupt at regular intervals, on every CPU or on one.

use crate::lock::{Guarded, Lock};
use crate::sys;
use core::ptr::NonNull;
use kernel::error::to_result;
use kernel::ffi::{c_int, c_void};
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

/// The hotplug callbacks of all tickers are set up as long as there is a ticker.
struct Hotplug {
    state: c_int,
    tickers: u32,
}

static HOTPLUG: Guarded<Hotplug> = Guarded::new(Lock::Tickers, Hotplug { state: 0, tickers: 0 });

impl Hotplug {
    fn join(&mut self) -> Result {
        if self.tickers == 0 {
            let state = sys::kapi_tickers_begin();
            to_result(state.min(0))?;
            self.state = state;
        }
        self.tickers = self.tickers.saturating_add(1);
        Ok(())
    }

    fn leave(&mut self) {
        self.tickers = self.tickers.saturating_sub(1);
        if self.tickers == 0 {
            sys::kapi_tickers_end(self.state);
        }
    }
}

/// A ticker of C.
///
/// # Invariants
///
/// It is from `kapi_ticker_new`, and this value owns it.
struct Raw(NonNull<c_void>);

impl Raw {
    fn start(&self) -> Result {
        HOTPLUG.with(|hotplug| {
            hotplug.join()?;
            // SAFETY: the callbacks are set up; it does not run yet.
            let started = unsafe { sys::kapi_ticker_start(hotplug.state, self.0.as_ptr()) };
            to_result(started).inspect_err(|_| hotplug.leave())
        })
    }

    /// It runs. Waits until no tick is running.
    fn stop(&self) {
        HOTPLUG.with(|hotplug| {
            // SAFETY: `start` has started it with this state.
            unsafe { sys::kapi_ticker_stop(hotplug.state, self.0.as_ptr()) };
            hotplug.leave();
        });
    }
}

impl Drop for Raw {
    fn drop(&mut self) {
        // SAFETY: this value owns it, and it does not run: it was stopped, or has not started.
        unsafe { sys::kapi_ticker_free(self.0.as_ptr()) };
    }
}

/// A running timer; dropping it stops the timer. CPUs that come online join, and another CPU takes
/// over from one that goes offline.
///
/// # Invariants
///
/// `at` runs, with `what`. `what` is from `KBox::into_raw`, and this value owns it.
pub struct Ticker<T: Tick> {
    at: Raw,
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
        let at = unsafe { sys::kapi_ticker_new(ns, everywhere, tick::<T>, what.cast()) };
        // INVARIANT: it comes from `kapi_ticker_new`.
        let started = NonNull::new(at).map(Raw).ok_or(ENOMEM).and_then(|at| {
            at.start()?;
            Ok(at)
        });
        match started {
            // INVARIANT: `at` was started with `what`, which comes from `into_raw`.
            Ok(at) => Ok(Self { at, what }),
            Err(e) => {
                // SAFETY: `what` comes from `into_raw`, and no ticker runs with it.
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
        self.at.stop();
        // SAFETY: `self.what` comes from `into_raw` by the invariant, and no tick uses it any more.
        drop(unsafe { KBox::from_raw(self.what) });
    }
}
