// SPDX-License-Identifier: GPL-2.0
//! The functions that the kernel calls at events of programs, as long as somebody watches programs.

use crate::hook::{self, Hook};
use crate::sys;
use core::sync::atomic::{AtomicBool, Ordering::Relaxed};
use kernel::bindings::{linux_binprm, task_struct};
use kernel::error::to_result;
use kernel::ffi::{c_int, c_void};
use kernel::prelude::*;

/// `TP_PROTO(struct task_struct *p)`: the thread is gone, and with the last one of a process its
/// memory.
extern "C" fn freed(_data: *mut c_void, _task: *mut task_struct) {
    sys::kapi_spaces_changed();
}

/// `TP_PROTO(struct task_struct *p, pid_t old_pid, struct linux_binprm *bprm)`: the process has
/// other memory now.
extern "C" fn executed(
    _data: *mut c_void,
    _task: *mut task_struct,
    _old_pid: c_int,
    _program: *mut linux_binprm,
) {
    sys::kapi_spaces_changed();
}

static HOOKS: [Hook; 4] = [
    // SAFETY: each function has the parameters of its tracepoint; those in C are made for it.
    unsafe { Hook::new(c"signal_deliver", sys::kapi_signal_delivered as *mut c_void) },
    // SAFETY: as above.
    unsafe { Hook::new(c"sched_process_fork", sys::kapi_forked as *mut c_void) },
    // SAFETY: as above.
    unsafe { Hook::new(c"sched_process_exec", executed as *mut c_void) },
    // SAFETY: as above.
    unsafe { Hook::new(c"sched_process_free", freed as *mut c_void) },
];

static WATCHING: AtomicBool = AtomicBool::new(false);

/// Has all these events reported. Calls of this and of [`off`] do not overlap.
///
/// # Context
///
/// *process*
pub(crate) fn on() -> Result {
    if WATCHING.load(Relaxed) {
        return Ok(());
    }
    to_result(sys::kapi_children_reserve())?;
    let watched = to_result(sys::kapi_unmaps_begin()).and_then(|()| {
        attach().inspect_err(|_| {
            // SAFETY: `kapi_unmaps_begin` has succeeded.
            unsafe { sys::kapi_unmaps_end() };
        })
    });
    if watched.is_err() {
        // SAFETY: no function that uses them is attached.
        unsafe { sys::kapi_children_free() };
        return watched;
    }
    WATCHING.store(true, Relaxed);
    Ok(())
}

fn attach() -> Result {
    to_result(sys::kapi_user_breakpoints_on())?;
    let attached = HOOKS.iter().try_for_each(Hook::on);
    if attached.is_err() {
        detach();
        sys::kapi_user_breakpoints_off();
    }
    attached
}

fn detach() {
    HOOKS.iter().for_each(Hook::off);
    hook::synchronize();
}

/// Ends the reports, when no child has a breakpoint any more. No other process has one.
///
/// # Context
///
/// *process*
pub(crate) fn off() {
    if !WATCHING.load(Relaxed) {
        return;
    }
    detach();
    sys::kapi_children_await();
    sys::kapi_user_breakpoints_off();
    sys::kapi_user_works_end();
    // SAFETY: `on` has begun it.
    unsafe { sys::kapi_unmaps_end() };
    // SAFETY: no function that uses them is attached, and no child is left.
    unsafe { sys::kapi_children_free() };
    WATCHING.store(false, Relaxed);
}

/// Tells whether the events are reported.
pub(crate) fn are_on() -> bool {
    WATCHING.load(Relaxed)
}
