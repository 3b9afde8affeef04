// SPDX-License-Identifier: GPL-2.0
//! The kernel's tracepoints: lists them and attaches to them.
//!
//! All attached tracepoints call one function, with the number that was given when they were
//! attached. A call in progress may arrive after a tracepoint is detached, so the number must not
//! lead to anything that is freed then. [`quiesce`] waits for the last call.

use crate::mem;
use crate::modules::ModuleRef;
use crate::once::Once;
use crate::symbols;
use crate::sys;
use core::ffi::CStr;
use kernel::error::to_result;
use kernel::ffi::c_void;
use kernel::prelude::*;

/// A tracepoint of the kernel or of a module. Dropping it detaches it.
pub struct Tracepoint {
    at: Place,
    /// The number with which it is attached.
    number: Option<u64>,
}

/// # Invariants
///
/// Each variant states where its pointer comes from.
#[derive(Clone, Copy)]
enum Place {
    /// It is from `kapi_tracepoints`; the kernel itself never disappears.
    Kernel(*mut c_void),
    /// It is from `kapi_module_tracepoint_get`, which allows the module to be unloaded; only this
    /// value has it.
    Module(*mut c_void),
}

// SAFETY: the kernel locks its tracepoints when somebody attaches, and `tracepoint.c` locks those
// of modules.
unsafe impl Send for Tracepoint {}
// SAFETY: as above.
unsafe impl Sync for Tracepoint {}

/// The arguments of a tracepoint.
#[derive(Clone, Copy)]
pub struct Passed<'a> {
    /// The first arguments, as they are in registers. The upper bits of an argument narrower than
    /// 64 bits are undefined. There may be fewer arguments.
    pub registers: &'a [u64; 5],
    /// The address of the other arguments, if there are any.
    pub stack: u64,
}

/// The callback. It runs in *any* context, with interrupts on or off.
pub type OnHit = fn(number: u64, passed: Passed<'_>);

static ON_HIT: Once<OnHit> = Once::new();

/// # Safety
///
/// `args` are five numbers.
unsafe extern "C" fn hit(number: u64, args: *const u64, stack: u64) {
    let Some(f) = ON_HIT.as_ref() else { return };
    // SAFETY: by the caller, `args` are five numbers; they stay until this returns.
    let registers = unsafe { &*args.cast::<[u64; 5]>() };
    f(number, Passed { registers, stack });
}

/// Sets the callback of all tracepoints. Pass the same `f` each time.
pub fn set_handler(f: OnHit) {
    ON_HIT.populate(f);
}

/// Calls `f` with every tracepoint of the kernel itself and its name.
///
/// # Context
///
/// *process*
pub fn for_each(mut f: impl FnMut(&'static [u8], Tracepoint)) {
    /// # Safety
    ///
    /// `arg` is a `&mut dyn FnMut(..)` that no other code uses; `tp` is a tracepoint of the kernel
    /// itself.
    unsafe extern "C" fn one(tp: *mut c_void, arg: *mut c_void) {
        // SAFETY: by the caller.
        let f = unsafe { &mut *arg.cast::<&mut dyn FnMut(&'static [u8], Tracepoint)>() };
        // SAFETY: by the caller.
        let name = unsafe { sys::kapi_tracepoint_name(tp) };
        // SAFETY: the name ends with a NUL and lives as long as its tracepoint, which the kernel
        // never frees.
        let name: &'static CStr = unsafe { CStr::from_ptr(name.cast()) };
        // INVARIANT: `kapi_tracepoints` gives `tp`, a tracepoint of the kernel itself.
        f(name.to_bytes(), Tracepoint { at: Place::Kernel(tp), number: None });
    }
    let mut f: &mut dyn FnMut(&'static [u8], Tracepoint) = &mut f;
    // SAFETY: `one` accepts the pointer to `f`, which is lent until this returns.
    unsafe { sys::kapi_tracepoints(one, (&raw mut f).cast()) };
}

impl ModuleRef<'_> {
    /// Returns the number of its tracepoints.
    pub fn tracepoints(&self) -> u32 {
        // SAFETY: the module exists by the invariant.
        unsafe { sys::kapi_module_tracepoint_count(self.as_ptr()) }
    }

    /// Returns one of its tracepoints and its name. It works only while modules are
    /// [watched](crate::modules::watch); when the module is unloaded, its tracepoints are detached.
    /// `ENOENT`: it does not have so many. `ENOMEM`: there is no memory, or modules are not
    /// watched.
    ///
    /// # Context
    ///
    /// *process* or *notifier*
    pub fn tracepoint(&self, n: u32) -> Result<(&[u8], Tracepoint)> {
        if n >= self.tracepoints() {
            return Err(ENOENT);
        }
        mem::ask()?;
        // SAFETY: the module exists by the invariant, and has more than `n` tracepoints.
        let name = unsafe { sys::kapi_module_tracepoint_name(self.as_ptr(), n) };
        // SAFETY: the name ends with a NUL and lives as long as the module, which outlives `self`.
        let name = unsafe { CStr::from_ptr(name.cast()) };
        // SAFETY: as above.
        let at = unsafe { sys::kapi_module_tracepoint_get(self.as_ptr(), n) };
        if at.is_null() {
            return Err(ENOMEM);
        }
        // INVARIANT: `at` comes from `kapi_module_tracepoint_get`, and only this value gets it.
        Ok((name.to_bytes(), Tracepoint { at: Place::Module(at), number: None }))
    }
}

impl Tracepoint {
    /// Attaches it with this number. `EBUSY`: it is already attached. `ENODEV`: its module was
    /// unloaded. `EOPNOTSUPP`: the kernel checks types (CFI), and we cannot pass the check.
    ///
    /// # Context
    ///
    /// *process*
    pub fn attach(&mut self, number: u64) -> Result {
        if self.is_attached() {
            return Err(EBUSY);
        }
        mem::ask()?;
        let fns = symbols::breakpoint_fns().map_or(core::ptr::null(), core::ptr::from_ref);
        to_result(match self.at {
            // SAFETY: `fns` is null or comes from `symbols`. `at` is a tracepoint by the invariant. The
            // function is `hit` each time, and `kapi_tracepoint` calls it with five numbers, as it
            // demands.
            Place::Kernel(at) => unsafe { sys::kapi_tracepoint_attach(fns, at, number, hit) },
            // SAFETY: as above.
            Place::Module(at) => unsafe {
                sys::kapi_module_tracepoint_attach(fns, at, number, hit)
            },
        })?;
        self.number = Some(number);
        Ok(())
    }

    /// Tells whether it is attached.
    pub fn is_attached(&self) -> bool {
        self.number.is_some()
    }

    /// Detaches it. A call in progress may still arrive.
    ///
    /// # Context
    ///
    /// *process*
    pub fn detach(&mut self) {
        let Some(number) = self.number.take() else { return };
        match self.at {
            // SAFETY: `at` is a tracepoint by the invariant.
            Place::Kernel(at) => unsafe { sys::kapi_tracepoint_detach(at, number) },
            // SAFETY: as above.
            Place::Module(at) => unsafe { sys::kapi_module_tracepoint_detach(at) },
        }
    }
}

impl Drop for Tracepoint {
    /// # Context
    ///
    /// *process* or *notifier*
    fn drop(&mut self) {
        self.detach();
        if let Place::Module(at) = self.at {
            // SAFETY: only this value has `at`, by the invariant, and it does not use it any more.
            unsafe { sys::kapi_module_tracepoint_put(at) };
        }
    }
}

/// Waits until no call of a detached tracepoint is in progress.
///
/// # Context
///
/// *process* or *notifier*
pub fn quiesce() {
    sys::kapi_tracepoints_quiesce();
}
