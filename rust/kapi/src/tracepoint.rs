// SPDX-License-Identifier: GPL-2.0
//! The kernel's tracepoints: what there is, and being called where one is passed.
//!
//! All attached ones call one function, which is told the number that each was attached with. A call
//! may be under way when [`Attached`] is dropped, and come later: so the number must not lead to
//! anything that goes then. [`crate::quiesce`] waits for the last call.

use crate::mem;
use crate::once::Once;
use crate::sys;
use core::ffi::CStr;
use kernel::error::to_result;
use kernel::ffi::c_void;
use kernel::prelude::*;

/// A tracepoint of the kernel proper.
///
/// # Invariants
///
/// `at` is from `kapi_tracepoints`; the kernel proper does not go.
#[derive(Clone, Copy)]
pub struct Tracepoint {
    at: *mut c_void,
}

// SAFETY: the kernel has a lock of its own for who attaches.
unsafe impl Send for Tracepoint {}
// SAFETY: as above.
unsafe impl Sync for Tracepoint {}

/// What a tracepoint passes.
#[derive(Clone, Copy)]
pub struct Passed<'a> {
    /// The first arguments, as they are in registers: what is narrower than 64 bits has anything above
    /// itself. There may be less.
    pub registers: &'a [u64; 5],
    /// Where the others are in memory, if there are more.
    pub stack: u64,
}

/// What is called. Runs in *any* context, with interrupts on or off.
pub type OnHit = fn(number: u64, passed: Passed<'_>);

static ON_HIT: Once<OnHit> = Once::new();

/// # Safety
///
/// `args` are five numbers.
unsafe extern "C" fn hit(number: u64, args: *const u64, stack: u64) {
    let Some(f) = ON_HIT.as_ref() else { return };
    // SAFETY: by the caller, and they stay until this returns.
    let registers = unsafe { &*args.cast::<[u64; 5]>() };
    f(number, Passed { registers, stack });
}

/// Has tracepoints call `f`; the same `f` each time.
pub fn set_handler(f: OnHit) {
    ON_HIT.populate(f);
}

/// Calls `f` with every tracepoint of the kernel proper and its name. Those of modules are not told of.
///
/// # Context
///
/// *process*
pub fn for_each(mut f: impl FnMut(&'static [u8], Tracepoint)) {
    /// # Safety
    ///
    /// `arg` is a `&mut dyn FnMut(..)` that nobody else uses; `tp` is a tracepoint of the kernel proper.
    unsafe extern "C" fn one(tp: *mut c_void, arg: *mut c_void) {
        // SAFETY: by the caller.
        let f = unsafe { &mut *arg.cast::<&mut dyn FnMut(&'static [u8], Tracepoint)>() };
        // SAFETY: by the caller.
        let name = unsafe { sys::kapi_tracepoint_name(tp) };
        // SAFETY: it ends with a NUL, and stays as long as the tracepoint.
        let name: &'static CStr = unsafe { CStr::from_ptr(name.cast()) };
        // INVARIANT: so it is.
        f(name.to_bytes(), Tracepoint { at: tp });
    }
    let mut f: &mut dyn FnMut(&'static [u8], Tracepoint) = &mut f;
    // SAFETY: `one` accepts it, and it is lent until this returns.
    unsafe { sys::kapi_tracepoints(one, (&raw mut f).cast()) };
}

/// As long as it exists, the tracepoint calls.
pub struct Attached {
    to: Tracepoint,
    number: u64,
}

impl Tracepoint {
    /// Has it call from now on, with this number.
    ///
    /// # Context
    ///
    /// *process*
    pub fn attach(self, number: u64) -> Result<Attached> {
        mem::ask()?;
        // SAFETY: by the invariant; it is `hit` each time, which accepts what it is called with.
        to_result(unsafe { sys::kapi_tracepoint_attach(self.at, number, hit) })?;
        Ok(Attached { to: self, number })
    }
}

impl Drop for Attached {
    /// A call that is under way may still come.
    ///
    /// # Context
    ///
    /// *process*
    fn drop(&mut self) {
        // SAFETY: by the invariant.
        unsafe { sys::kapi_tracepoint_detach(self.to.at, self.number) };
    }
}

/// When nothing is attached: waits until no call is under way.
pub(crate) fn quiesce() {
    sys::kapi_tracepoints_quiesce();
}
