// SPDX-License-Identifier: GPL-2.0
//! Other modules: those that are loaded or unloaded, and those that are already loaded.
//!
//! To know them all, call first [`watch`], then [`for_each_loaded`], and record modules by
//! [`ModuleRef::id`]:
//!
//! - a module may be reported twice, by `Live` and by the walk; the second time its id is known;
//! - a module that arrives before the watch and becomes live after it is reported only by `Live`.
//!   So at `Live`, an unknown module is a new one;
//! - a module cannot disappear while the walk reports it; its `Going` comes afterwards.
//!
//! So no module is missed between the two. Our own module is never reported.

use crate::nofault::{self, BadAddr};
use crate::symbols;
use crate::sys;
use core::ffi::CStr;
use core::marker::PhantomData;
use core::ops::Range;
use core::ptr;
use core::sync::atomic::{AtomicPtr, Ordering};
use kernel::bindings;
use kernel::error::to_result;
use kernel::ffi::{c_char, c_ulong, c_void};
use kernel::prelude::*;

/// A module that stays where it is for `'a`.
///
/// # Invariants
///
/// For `'a`, `at` is a module for which a notifier is being called, or to which a reference is
/// held.
pub struct ModuleRef<'a> {
    at: *mut c_void,
    _for: PhantomData<&'a ()>,
}

impl ModuleRef<'_> {
    /// Returns its name.
    pub fn name(&self) -> &[u8] {
        // SAFETY: the module exists by the invariant.
        let name = unsafe { sys::kapi_module_name(self.at) };
        // SAFETY: the kernel ends a module's name with a NUL, and does not change it.
        unsafe { CStr::from_char_ptr(name) }.to_bytes()
    }

    /// Returns our own module.
    pub fn own() -> Self {
        // INVARIANT: our own module exists as long as this code runs.
        Self { at: sys::kapi_module_own(), _for: PhantomData }
    }

    /// Returns a number that distinguishes it from all other modules until it is unloaded.
    pub fn id(&self) -> u64 {
        self.at as u64
    }

    /// Returns the `struct module`, for helpers.
    pub(crate) fn as_ptr(&self) -> *mut c_void {
        self.at
    }

    fn text(&self, init: bool) -> Range<u64> {
        let (mut base, mut size) = (0, 0);
        // SAFETY: the module exists by the invariant.
        unsafe { sys::kapi_module_text(self.at, init, &mut base, &mut size) };
        base..base.wrapping_add(size)
    }

    /// Returns the range of its text.
    pub fn text_range(&self) -> Range<u64> {
        self.text(false)
    }

    /// Returns the range of the text that is freed after its init.
    pub fn init_text_range(&self) -> Range<u64> {
        self.text(true)
    }

    /// Tells whether `addr` is in its text.
    pub fn contains_text(&self, addr: u64) -> bool {
        self.text_range().contains(&addr)
    }

    /// Tells whether `addr` is in its init text, and that is not freed yet.
    pub fn contains_init_text(&self, addr: u64) -> bool {
        self.init_text_range().contains(&addr)
    }

    /// Fills `into` from the module's own text or data.
    pub fn read(&self, addr: u64, into: &mut [u8]) -> Result<(), BadAddr> {
        // SAFETY: the module exists by the invariant.
        if !unsafe { sys::kapi_module_contains(self.at, addr, into.len()) } {
            return Err(BadAddr(addr));
        }
        nofault::read_kernel(addr, into)
    }

    /// Calls `f` with each of its symbols, also local ones: name, value, and type as in `nm`.
    ///
    /// # Context
    ///
    /// *process* or *notifier*; `f` runs under module_mutex. It may allocate, but not call
    /// [`crate::text::patch`], [`for_each_loaded`] or this function. It should collect its results
    /// for later work.
    pub fn for_each_symbol(&self, mut f: impl FnMut(&[u8], u64, u8)) {
        self.symbols(&mut f);
    }

    fn symbols(&self, mut f: &mut dyn FnMut(&[u8], u64, u8)) {
        /// # Safety
        ///
        /// `arg` is a `&mut dyn FnMut(..)` that nobody else uses; `name` is a C string.
        unsafe extern "C" fn symbol(
            arg: *mut c_void,
            name: *const c_char,
            addr: c_ulong,
            kind: c_char,
        ) {
            // SAFETY: by the caller.
            let f = unsafe { &mut *arg.cast::<&mut dyn FnMut(&[u8], u64, u8)>() };
            // SAFETY: by the caller.
            f(unsafe { CStr::from_char_ptr(name) }.to_bytes(), addr as u64, kind);
        }
        let Some(fns) = symbols::text_fns() else { return };
        let arg: *mut &mut dyn FnMut(&[u8], u64, u8) = &mut f;
        // SAFETY: the module exists by the invariant. The mutex is `module_mutex`, because `fns`
        // comes from `symbols`. `symbol` accepts `arg`, which is lent until this returns.
        unsafe { sys::kapi_module_symbols(self.at, fns.module_mutex, symbol, arg.cast()) };
    }
}

/// An event in the life of a module.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModuleEvent {
    /// It is loaded and has not run yet. No other watcher knows it yet.
    Coming,
    /// Its init has succeeded; its init text is about to be freed.
    Live,
    /// It has ended, or its init has failed; its text is about to be freed.
    Going,
}

/// The callback for events. It runs in *notifier* context: it may sleep, and the module waits.
pub type Watcher = fn(ModuleEvent, &ModuleRef<'_>);

/// The most watchers at a time.
const WATCHERS: usize = 4;

/// INVARIANT: each is null or a `Watcher`. They are called in this order.
static WATCHER: [AtomicPtr<()>; WATCHERS] = [const { AtomicPtr::new(ptr::null_mut()) }; WATCHERS];

/// # Safety
///
/// Only the notifier in `modules.c` may call this; `module` is the module of the event.
unsafe extern "C" fn on_event(event: c_ulong, module: *mut c_void) {
    let event = match event as u32 {
        bindings::module_state_MODULE_STATE_COMING => ModuleEvent::Coming,
        bindings::module_state_MODULE_STATE_LIVE => ModuleEvent::Live,
        bindings::module_state_MODULE_STATE_GOING => ModuleEvent::Going,
        _ => return,
    };
    for place in &WATCHER {
        let watcher = place.load(Ordering::Acquire);
        if !watcher.is_null() {
            // SAFETY: it is not null, so it is a `Watcher` by the invariant.
            let watcher = unsafe { core::mem::transmute::<*mut (), Watcher>(watcher) };
            // INVARIANT: the notifier is being called for this module until we return.
            watcher(event, &ModuleRef { at: module, _for: PhantomData });
        }
    }
}

/// Evidence that modules are watched. Dropping it ends the watch. An event in progress may still
/// arrive; dropping the last watch waits for it.
pub struct Watch {
    place: &'static AtomicPtr<()>,
}

/// Calls `f` at every event from now on, before all other notifiers except earlier watchers.
/// `EBUSY`: there are too many watchers.
///
/// # Context
///
/// *process*
pub fn watch(f: Watcher) -> Result<Watch> {
    let take = |place: &&'static AtomicPtr<()>| {
        let null = ptr::null_mut();
        place.compare_exchange(null, f as *mut (), Ordering::AcqRel, Ordering::Relaxed).is_ok()
    };
    let watch = Watch { place: WATCHER.iter().find(take).ok_or(EBUSY)? };
    // If this fails, `watch` is dropped.
    to_result(sys::kapi_modules_watch(on_event))?;
    Ok(watch)
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.place.store(ptr::null_mut(), Ordering::Release);
        sys::kapi_modules_unwatch();
    }
}

/// Calls `f` with each module that is live now, one after the other, holding a reference to it.
///
/// # Context
///
/// *process*; `f` may sleep, and may patch the module's text.
pub fn for_each_loaded(f: &mut dyn FnMut(&ModuleRef<'_>)) -> Result {
    let fns = symbols::text_fns().ok_or(ENODEV)?;
    let mut at = ptr::null_mut();
    loop {
        // SAFETY: `at` is null or the previous result, which is not used again; `fns` comes from
        // `symbols`.
        at = unsafe { sys::kapi_module_next(at, fns.modules, fns.module_mutex) };
        if at.is_null() {
            return Ok(());
        }
        // INVARIANT: `kapi_module_next` gave us a reference, which the next call takes back.
        f(&ModuleRef { at, _for: PhantomData });
    }
}
