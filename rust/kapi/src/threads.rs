// SPDX-License-Identifier: GPL-2.0
//! Threads that end, and threads that leave the CPU to another one.
//!
//! The kernel reports an end when nothing can run on the thread's behalf any more, just before its
//! id may be given to another one; it may report it on any CPU. It reports a switch on the CPU that
//! makes it, on behalf of the thread that leaves.

use crate::context::{self, ProbeCtx};
use crate::once::Once;
use crate::sys;
use crate::task;
use kernel::error::to_result;
use kernel::prelude::*;

/// A thread that has ended.
pub struct Ended {
    task: u64,
    mark: u64,
}

impl Ended {
    /// Returns the values of [`task::thread_key`] in the thread, and in interrupts over it. The
    /// first one is that of [`task::own_key`].
    pub fn keys(&self) -> [u64; 4] {
        [0, 1, 2, 3].map(|over| task::key_of(self.task, self.mark, over))
    }
}

/// A thread that gets this CPU.
pub struct Switch {
    task: u64,
    mark: u64,
    runtime: u64,
}

impl Switch {
    /// Returns the value that [`task::curthread`] will have.
    pub fn task(&self) -> u64 {
        self.task
    }

    /// Returns the value that [`task::own_key`] will have.
    pub fn key(&self) -> u64 {
        task::key_of(self.task, self.mark, 0)
    }

    /// Returns how long it has run, in ns.
    pub fn runtime(&self) -> u64 {
        self.runtime
    }
}

/// The callback for ends. It runs in *probe* context.
pub type OnEnd = fn(&ProbeCtx, &Ended);

/// The callback for switches. It runs in *probe* context.
pub type OnSwitch = fn(&ProbeCtx, &Switch);

static ON_END: Once<OnEnd> = Once::new();
static ON_SWITCH: Once<OnSwitch> = Once::new();

extern "C" fn on_end(task: u64, mark: u64) {
    let Some(f) = ON_END.as_ref() else { return };
    context::enter(|ctx| f(ctx, &Ended { task, mark }));
}

extern "C" fn on_switch(task: u64, mark: u64, runtime: u64) {
    let Some(f) = ON_SWITCH.as_ref() else { return };
    context::enter(|ctx| f(ctx, &Switch { task, mark, runtime }));
}

/// Calls `f` for every thread that ends from now on. Pass the same `f` each time. `ENODEV`: this
/// kernel does not report ends.
///
/// # Context
///
/// *process*
pub fn watch_ends(f: OnEnd) -> Result {
    ON_END.populate(f);
    to_result(sys::kapi_ends_watch(on_end))
}

/// Stops the calls; an end that happens now may still be reported.
///
/// # Context
///
/// *process*
pub fn unwatch_ends() {
    sys::kapi_ends_unwatch();
}

/// Calls `f` for every switch from now on; see [`watch_ends`].
///
/// # Context
///
/// *process*
pub fn watch_switches(f: OnSwitch) -> Result {
    ON_SWITCH.populate(f);
    to_result(sys::kapi_switches_watch(on_switch))
}

/// Stops the calls; a switch that happens now may still be reported.
///
/// # Context
///
/// *process*
pub fn unwatch_switches() {
    sys::kapi_switches_unwatch();
}

/// Waits until no callback is running. Nothing may be watched.
pub(crate) fn quiesce() {
    sys::kapi_threads_quiesce();
}
