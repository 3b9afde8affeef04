// SPDX-License-Identifier: GPL-2.0
//! The kernel's tracepoints: lists them and attaches to them.
//!
//! All attached tracepoints call one function, with the number that was given when they were
//! attached. A call in progress may arrive after a tracepoint is detached, so the number must not
//! lead to anything that is freed then. [`quiesce`] waits for the last call.

use crate::hook;
use crate::lock::{Guarded, Lock};
use crate::mem;
use crate::modules::{self, ModuleRef};
use crate::once::Once;
use crate::typed;
use core::cell::UnsafeCell;
use core::sync::atomic::{AtomicBool, Ordering::Relaxed};
use kernel::alloc::KVVec;
use kernel::bindings::{self, tracepoint};
use kernel::error::to_result;
use kernel::ffi::{c_int, c_void};
use kernel::prelude::*;
use kernel::sync::Arc;

/// A tracepoint of the kernel or of a module. Dropping it detaches it.
pub struct Tracepoint {
    at: Place,
    /// The number with which it is attached.
    number: Option<u64>,
}

enum Place {
    Kernel(Raw),
    Module(Arc<OfModule>),
}

/// A `struct tracepoint`.
///
/// # Invariants
///
/// It exists: it is the kernel's own, which never disappears; or it is in an [`OfModule`], which
/// loses it when the module unloads.
#[derive(Clone, Copy)]
struct Raw(*mut tracepoint);

// SAFETY: the kernel locks its tracepoints when somebody attaches or detaches.
unsafe impl Send for Raw {}
// SAFETY: as above.
unsafe impl Sync for Raw {}

/// Some tracepoint was attached.
static ATTACHED: AtomicBool = AtomicBool::new(false);

impl Raw {
    fn attach(self, number: u64) -> Result {
        // SAFETY: the tracepoint exists by the invariant.
        let entry = unsafe { typed::entry(self.0) };
        // 7.2's `kernel` crate has no constant for it.
        let unsupported = Error::from_errno(-(bindings::EOPNOTSUPP as c_int));
        let entry = entry.ok_or(unsupported)?;
        ATTACHED.store(true, Relaxed);
        // SAFETY: as above. `entry` leads to `kapi_tracepoint`, which takes any arguments.
        to_result(unsafe {
            bindings::tracepoint_probe_register(self.0, entry, number as *mut c_void)
        })
    }

    /// The last calls may still be under way. If the kernel has no memory, it leaves a call of an
    /// empty function in our place.
    fn detach(self, number: u64) {
        // SAFETY: the tracepoint exists by the invariant.
        let entry = unsafe { typed::attached(self.0) };
        // SAFETY: as above.
        unsafe {
            bindings::tracepoint_probe_unregister(self.0, entry, number as *mut c_void);
        }
    }
}

/// A tracepoint of a module. Its user may keep it longer than the module is loaded: when the module
/// unloads, we detach from it before the kernel checks whether anybody is attached.
struct OfModule {
    /// The address of the module.
    module: u64,
    state: UnsafeCell<State>,
}

struct State {
    /// `None`: the module has unloaded.
    at: Option<Raw>,
    /// The number with which it is attached.
    number: Option<u64>,
}

// SAFETY: only `Modules` reaches `state`, by one task at a time.
unsafe impl Send for OfModule {}
// SAFETY: as above.
unsafe impl Sync for OfModule {}

impl State {
    fn leave(&mut self) {
        if let (Some(at), Some(number)) = (self.at, self.number.take()) {
            at.detach(number);
        }
    }
}

/// All tracepoints of modules.
struct Modules(Guarded<KVVec<Arc<OfModule>>>);

static MODULES: Modules = Modules(Guarded::new(Lock::Tracepoints, KVVec::new()));

impl Modules {
    /// Calls `f` with the state of one of them.
    fn with<R>(&self, of: &OfModule, f: impl FnOnce(&mut State) -> R) -> R {
        self.0.with(|_| {
            // SAFETY: only the holder of the lock borrows a state, and this is the only one here.
            f(unsafe { &mut *of.state.get() })
        })
    }

    /// Adds one; `ENOMEM`: there is no memory, or nobody watches modules unload.
    fn add(&self, module: u64, at: Raw) -> Result<Arc<OfModule>> {
        let state = UnsafeCell::new(State { at: Some(at), number: None });
        let new = Arc::new(OfModule { module, state }, GFP_KERNEL)?;
        self.0.with(|all| {
            if !modules::are_watched() {
                return Err(ENOMEM);
            }
            all.push(new.clone(), GFP_KERNEL)?;
            Ok(new)
        })
    }

    /// Removes one that is detached.
    fn remove(&self, of: &Arc<OfModule>) {
        self.0.with(|all| {
            all.retain(|other| !Arc::ptr_eq(other, of));
            // A static is never dropped.
            if all.is_empty() {
                *all = KVVec::new();
            }
        });
    }
}

/// A module unloads, by its address; `None`: nobody watches modules unload any more.
fn gone(module: Option<u64>) {
    MODULES.0.with(|all| {
        for of in all.iter().filter(|of| module.is_none_or(|module| of.module == module)) {
            // SAFETY: only the holder of the lock borrows a state, and this is the only one here.
            let state = unsafe { &mut *of.state.get() };
            state.leave();
            state.at = None;
        }
    });
}

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
/// Only `kapi_tracepoint` calls this; `args` are five numbers.
#[no_mangle]
unsafe extern "C" fn kapi_tracepoint_hit(number: u64, args: *const u64, stack: u64) {
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
    hook::for_each(&mut |tp| {
        // SAFETY: the kernel never frees its own tracepoints.
        let name = unsafe { hook::name(tp) };
        // INVARIANT: `tp` is a tracepoint of the kernel itself.
        f(name, Tracepoint { at: Place::Kernel(Raw(tp)), number: None });
    });
}

impl ModuleRef<'_> {
    /// Returns the number of its tracepoints.
    pub fn tracepoints(&self) -> u32 {
        // SAFETY: the module exists as long as `self`.
        unsafe { (*self.as_ptr()).num_tracepoints }
    }

    fn raw_tracepoint(&self, n: u32) -> Option<*mut tracepoint> {
        if n >= self.tracepoints() {
            return None;
        }
        // SAFETY: the module exists as long as `self`.
        let places = unsafe { (*self.as_ptr()).tracepoints_ptrs };
        let place = places.wrapping_add(n as usize);
        // SAFETY: there are more than `n` of them.
        let distance = unsafe { *place };
        // Each tells how far its tracepoint is from here.
        Some(place.wrapping_byte_offset(distance as isize).cast_mut().cast())
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
        let at = self.raw_tracepoint(n).ok_or(ENOENT)?;
        mem::ask()?;
        modules::when_gone(gone);
        // INVARIANT: the module exists, and `MODULES` keeps the tracepoint no longer than that.
        let at = Raw(at);
        let of = MODULES.add(self.id(), at)?;
        // SAFETY: the tracepoint lives as long as its module, which outlives `self`.
        let name = unsafe { hook::name(at.0) };
        Ok((name, Tracepoint { at: Place::Module(of), number: None }))
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
        match &self.at {
            Place::Kernel(at) => at.attach(number)?,
            Place::Module(of) => MODULES.with(of, |state| {
                state.at.ok_or(ENODEV)?.attach(number)?;
                state.number = Some(number);
                Ok::<(), Error>(())
            })?,
        }
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
        match &self.at {
            Place::Kernel(at) => at.detach(number),
            Place::Module(of) => MODULES.with(of, State::leave),
        }
    }
}

impl Drop for Tracepoint {
    /// # Context
    ///
    /// *process* or *notifier*
    fn drop(&mut self) {
        self.detach();
        if let Place::Module(of) = &self.at {
            MODULES.remove(of);
        }
    }
}

/// Waits until no call of a detached tracepoint is in progress.
///
/// # Context
///
/// *process* or *notifier*
pub fn quiesce() {
    if ATTACHED.load(Relaxed) {
        hook::synchronize();
    }
}
