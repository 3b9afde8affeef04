// SPDX-License-Identifier: GPL-2.0
//! Wakes a process that waits for an eventfd, from any context.
//!
//! The caller may hold any lock and may be in an NMI, so it raises an interrupt, which is taken when
//! interrupts are on again. Under `PREEMPT_RT` eventfd's lock sleeps, so a thread does the waking
//! there: the `irq_work` must not be a hard one.

use crate::mem;
use crate::sys;
use core::cell::UnsafeCell;
use kernel::bindings::{self, eventfd_ctx, irq_work};
use kernel::error::from_err_ptr;
use kernel::ffi::c_int;
use kernel::prelude::*;

/// # Invariants
///
/// This value owns a reference to `of`.
#[repr(C)]
struct Work {
    work: UnsafeCell<irq_work>,
    of: *mut eventfd_ctx,
}

/// # Safety
///
/// `work` is in a [`Work`].
unsafe extern "C" fn signal(work: *mut irq_work) {
    // SAFETY: by the caller; it is the first member.
    let of = unsafe { (*work.cast::<Work>()).of };
    // SAFETY: a `Work` holds a reference.
    unsafe { bindings::eventfd_signal_mask(of, 0) };
}

/// Wakes the processes that wait for one eventfd.
pub struct Waker(KBox<Work>);

// SAFETY: any task that may sleep can free a waker.
unsafe impl Send for Waker {}
// SAFETY: several CPUs may queue an `irq_work` at once.
unsafe impl Sync for Waker {}

/// Creates a waker for an open eventfd of this process, which may close it afterwards, because the
/// waker holds a reference. `EBADF`, `EINVAL`: `fd` is not an open eventfd.
///
/// # Context
///
/// *process*
pub fn waker(fd: c_int) -> Result<Waker> {
    let work = irq_work { func: Some(signal), ..Default::default() };
    let mut new = mem::boxed(Work { work: UnsafeCell::new(work), of: core::ptr::null_mut() })?;
    // SAFETY: the function takes any number.
    new.of = from_err_ptr(unsafe { bindings::eventfd_ctx_fdget(fd) })?;
    // INVARIANT: the function has taken the reference.
    Ok(Waker(new))
}

impl Waker {
    /// Makes the eventfd readable, as soon as interrupts are on. Calls before that give one signal.
    /// On a CPU that would not run the work, nothing is queued: the signal only comes late, from
    /// another CPU, or the process looks by itself.
    ///
    /// # Context
    ///
    /// *any*
    pub fn wake(&self) {
        if sys::kapi_irq_work_runs() {
            // SAFETY: the work is initialised, and `drop` waits for it before it is freed.
            unsafe { bindings::irq_work_queue(self.0.work.get()) };
        }
    }
}

impl Drop for Waker {
    /// # Context
    ///
    /// *process*
    fn drop(&mut self) {
        // SAFETY: the work is initialised. Nobody queues it any more.
        unsafe { bindings::irq_work_sync(self.0.work.get()) };
        // SAFETY: this value owns the reference.
        unsafe { bindings::eventfd_ctx_put(self.0.of) };
    }
}
