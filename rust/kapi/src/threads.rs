// SPDX-License-Identifier: GPL-2.0
//! Threads that end, and threads that give the CPU to another one.
//!
//! The kernel tells of an end when nothing can run in the thread's name any more, just before its number
//! may be given to another one; it may be any CPU that is told. Of a switch the CPU is told that
//! makes it, in the name of the thread that goes.

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
    /// What [`task::thread_key`] was in the thread, and in interrupts over it. The first one is what
    /// [`task::own_key`] was.
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
    /// What [`task::curthread`] will be.
    pub fn task(&self) -> u64 {
        self.task
    }

    /// What [`task::own_key`] will be.
    pub fn key(&self) -> u64 {
        task::key_of(self.task, self.mark, 0)
    }

    /// How long it has run, ns.
    pub fn runtime(&self) -> u64 {
        self.runtime
    }
}

/// What is told of ends. Runs in *probe* context.
pub type OnEnd = fn(&ProbeCtx, &Ended);

/// What is told of switches. Runs in *probe* context.
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

/// Has `f` told of every thread that ends from now on; the same `f` each time. `ENODEV`: this kernel
/// does not tell.
///
/// # Context
///
/// *process*
pub fn watch_ends(f: OnEnd) -> Result {
    ON_END.populate(f);
    to_result(sys::kapi_ends_watch(on_end))
}

/// Ends that; one that ends now may still be told of.
///
/// # Context
///
/// *process*
pub fn unwatch_ends() {
    sys::kapi_ends_unwatch();
}

/// Has `f` told of every switch from now on; as [`watch_ends`].
///
/// # Context
///
/// *process*
pub fn watch_switches(f: OnSwitch) -> Result {
    ON_SWITCH.populate(f);
    to_result(sys::kapi_switches_watch(on_switch))
}

/// Ends that; of a switch that is made now may still be told.
///
/// # Context
///
/// *process*
pub fn unwatch_switches() {
    sys::kapi_switches_unwatch();
}

/// When nothing is watched: waits until nobody is being told.
pub(crate) fn quiesce() {
    sys::kapi_threads_quiesce();
}
