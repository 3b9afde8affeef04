// SPDX-License-Identifier: GPL-2.0
//! A function of ours on one tracepoint of the kernel, by the tracepoint's name.

use crate::lock::Lock;
use crate::sys;
use core::ffi::CStr;
use core::ptr;
use core::sync::atomic::{AtomicBool, AtomicPtr, Ordering::Relaxed};
use kernel::bindings;
use kernel::error::to_result;
use kernel::ffi::c_void;
use kernel::prelude::*;

/// Calls `f` with each tracepoint of the kernel itself; these are never freed.
///
/// # Context
///
/// *process*
pub(crate) fn for_each(mut f: &mut dyn FnMut(*mut bindings::tracepoint)) {
    /// # Safety
    ///
    /// `arg` is a `&mut dyn FnMut(..)` that no other code uses.
    unsafe extern "C" fn one(tp: *mut bindings::tracepoint, arg: *mut c_void) {
        // SAFETY: by the caller.
        let f = unsafe { &mut *arg.cast::<&mut dyn FnMut(*mut bindings::tracepoint)>() };
        f(tp);
    }
    // SAFETY: `one` accepts the pointer to `f`, which is lent until this returns.
    unsafe { bindings::for_each_kernel_tracepoint(Some(one), (&raw mut f).cast()) };
}

/// Returns the name of a tracepoint.
///
/// # Safety
///
/// The tracepoint exists for all of `'a`.
pub(crate) unsafe fn name<'a>(tp: *const bindings::tracepoint) -> &'a [u8] {
    // SAFETY: by the caller.
    let name = unsafe { (*tp).name };
    // SAFETY: the name ends with a NUL and lives as long as its tracepoint.
    unsafe { CStr::from_ptr(name.cast()) }.to_bytes()
}

/// Waits until no call of a function that was detached from a tracepoint is under way.
///
/// # Context
///
/// *process* or *notifier*
pub(crate) fn synchronize() {
    sys::kapi_tracepoints_synchronize();
}

/// A function and the tracepoint to which it is attached. [`Lock::Hooks`] guards changes.
pub(crate) struct Hook {
    name: &'static CStr,
    /// INVARIANT: a function with the parameters of that tracepoint, after a pointer.
    probe: AtomicPtr<c_void>,
    /// Null before the first use.
    at: AtomicPtr<bindings::tracepoint>,
    on: AtomicBool,
    ever: AtomicBool,
}

impl Hook {
    /// # Safety
    ///
    /// `probe` is a function of C whose parameters are a pointer and those of that tracepoint, with
    /// the same types: a kernel with CFI compares them. Any code may call it.
    pub(crate) const unsafe fn new(name: &'static CStr, probe: *mut c_void) -> Self {
        // INVARIANT: by the caller.
        Self {
            name,
            probe: AtomicPtr::new(probe),
            at: AtomicPtr::new(ptr::null_mut()),
            on: AtomicBool::new(false),
            ever: AtomicBool::new(false),
        }
    }

    /// Attaches the function. `ENODEV`: this kernel has no tracepoint of that name.
    ///
    /// # Context
    ///
    /// *process*
    pub(crate) fn on(&self) -> Result {
        let _held = Lock::Hooks.hold();
        if self.on.load(Relaxed) {
            return Ok(());
        }
        if self.at.load(Relaxed).is_null() {
            for_each(&mut |tp| {
                // SAFETY: the kernel never frees its own tracepoints.
                if unsafe { name(tp) } == self.name.to_bytes() {
                    self.at.store(tp, Relaxed);
                }
            });
        }
        let (at, probe) = (self.at.load(Relaxed), self.probe.load(Relaxed));
        if at.is_null() {
            return Err(ENODEV);
        }
        // SAFETY: `at` is a tracepoint of the kernel itself; `probe` has its parameters by the
        // invariant.
        to_result(unsafe { bindings::tracepoint_probe_register(at, probe, ptr::null_mut()) })?;
        self.on.store(true, Relaxed);
        self.ever.store(true, Relaxed);
        Ok(())
    }

    /// Detaches the function. The last calls may still be under way.
    ///
    /// # Context
    ///
    /// *process*
    pub(crate) fn off(&self) {
        let _held = Lock::Hooks.hold();
        if self.on.swap(false, Relaxed) {
            let (at, probe) = (self.at.load(Relaxed), self.probe.load(Relaxed));
            // SAFETY: as in `on`, which has attached it.
            unsafe { bindings::tracepoint_probe_unregister(at, probe, ptr::null_mut()) };
        }
    }

    /// Tells whether the function was ever attached.
    pub(crate) fn was_on(&self) -> bool {
        self.ever.load(Relaxed)
    }
}
