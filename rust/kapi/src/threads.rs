// SPDX-License-Identifier: GPL-2.0
//! Threads that end, and threads that leave the CPU to another one.
//!
//! The kernel reports an end when nothing can run on the thread's behalf any more, just before its
//! id may be given to another one; it may report it on any CPU. It reports a switch on the CPU that
//! makes it, on behalf of the thread that leaves.

use crate::context::{self, ProbeCtx};
use crate::hook::{self, Hook};
use crate::once::Once;
use crate::task;
use kernel::bindings::task_struct;
use kernel::ffi::{c_uint, c_void};
use kernel::prelude::*;

/// Returns the number of threads that the kernel allows at the same time by default.
pub fn most() -> usize {
    // CAST: 64 bits.
    crate::sys::kapi_most_threads() as usize
}

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

/// `TP_PROTO(struct task_struct *p)`
///
/// # Safety
///
/// Only the tracepoint may call this; `task` exists.
unsafe extern "C" fn ended(_data: *mut c_void, task: *mut task_struct) {
    let Some(f) = ON_END.as_ref() else { return };
    // SAFETY: by the caller.
    let mark = unsafe { task::mark_of(task) };
    context::enter(|ctx| f(ctx, &Ended { task: task as u64, mark }));
}

/// `TP_PROTO(bool preempt, struct task_struct *prev, struct task_struct *next, unsigned int
/// prev_state)`
///
/// # Safety
///
/// As above; `next` exists.
unsafe extern "C" fn switched(
    _data: *mut c_void,
    _preempt: bool,
    _prev: *mut task_struct,
    next: *mut task_struct,
    _prev_state: c_uint,
) {
    let Some(f) = ON_SWITCH.as_ref() else { return };
    // SAFETY: by the caller.
    let mark = unsafe { task::mark_of(next) };
    // SAFETY: by the caller.
    let runtime = unsafe { task::runtime_of(next) };
    context::enter(|ctx| f(ctx, &Switch { task: next as u64, mark, runtime }));
}

// SAFETY: `ended` has the parameters of that tracepoint, which calls it with a task that exists.
static ENDS: Hook = unsafe { Hook::new(c"sched_process_free", ended as *mut c_void) };
// SAFETY: as above.
static SWITCHES: Hook = unsafe { Hook::new(c"sched_switch", switched as *mut c_void) };

/// Calls `f` for every thread that ends from now on. Pass the same `f` each time. `ENODEV`: this
/// kernel does not report ends.
///
/// # Context
///
/// *process*
pub fn watch_ends(f: OnEnd) -> Result {
    ON_END.populate(f);
    ENDS.on()
}

/// Stops the calls; an end that happens now may still be reported.
///
/// # Context
///
/// *process*
pub fn unwatch_ends() {
    ENDS.off();
}

/// Calls `f` for every switch from now on; see [`watch_ends`].
///
/// # Context
///
/// *process*
pub fn watch_switches(f: OnSwitch) -> Result {
    ON_SWITCH.populate(f);
    SWITCHES.on()
}

/// Stops the calls; a switch that happens now may still be reported.
///
/// # Context
///
/// *process*
pub fn unwatch_switches() {
    SWITCHES.off();
}

/// Waits until no callback is running. Nothing may be watched.
pub(crate) fn quiesce() {
    if ENDS.was_on() || SWITCHES.was_on() {
        hook::synchronize();
    }
}
