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
//!
//! A module's symbol table and the size of its text change once in its life, when its init is over.
//! The kernel changes them under `module_mutex`, so a holder of it reads the old or the new ones.

use crate::lock::{KernelMutex, Lock};
use crate::nofault::{self, BadAddr};
use crate::notifier::Notifier;
use crate::once::Once;
use crate::symbols;
use crate::sys::{self, TextFns};
use core::ffi::CStr;
use core::marker::PhantomData;
use core::mem::offset_of;
use core::ops::Range;
use core::sync::atomic::{AtomicPtr, AtomicU32, Ordering};
use core::{ptr, slice};
use kernel::bindings::{self, list_head, module, module_memory, notifier_block};
use kernel::error::to_result;
use kernel::ffi::{c_int, c_ulong, c_void};
use kernel::prelude::*;

/// A module that stays where it is for `'a`.
///
/// # Invariants
///
/// For `'a`, `at` is a module for which a notifier is being called, or to which a reference is
/// held.
pub struct ModuleRef<'a> {
    at: *mut module,
    _for: PhantomData<&'a ()>,
}

/// Returns our own module.
fn own() -> *mut module {
    (&raw const sys::__this_module).cast_mut().cast()
}

/// Takes a reference to our own module; false: it is being unloaded.
pub(crate) fn hold_own() -> bool {
    // SAFETY: our own module exists as long as this code runs.
    unsafe { bindings::try_module_get(own()) }
}

/// Tells whether our own module is being unloaded.
pub(crate) fn is_ending() -> bool {
    sys::kapi_is_ending()
}

/// Drops a reference to our own module.
///
/// # Safety
///
/// [`hold_own`] has taken it. Somebody waits for the caller before the module is freed.
pub(crate) unsafe fn release_own() {
    // SAFETY: by the caller.
    unsafe { bindings::module_put(own()) };
}

/// The number of a module's pieces of memory, which a `mod_mem_type` indexes.
const PIECES: c_int = bindings::mod_mem_type_MOD_MEM_NUM_TYPES;

/// Returns a piece of a module's memory. It is empty if the module has none, or none any more: at
/// the end of its init, the kernel clears the pieces for that, first their addresses, while others
/// read them.
///
/// # Safety
///
/// The module exists.
unsafe fn memory(at: *const module, kind: c_int) -> Range<u64> {
    if !(0..PIECES).contains(&kind) {
        return 0..0;
    }
    let pieces: *const module_memory = at.wrapping_byte_add(offset_of!(module, mem)).cast();
    let piece = pieces.wrapping_add(kind as usize);
    let base: *const u64 = piece.wrapping_byte_add(offset_of!(module_memory, base)).cast();
    let size: *const u32 = piece.wrapping_byte_add(offset_of!(module_memory, size)).cast();
    // SAFETY: a pointer in the module, which exists by the caller. The kernel may clear it now.
    let base = unsafe { base.read_volatile() };
    // SAFETY: as above, a number.
    let size = unsafe { size.read_volatile() };
    if base == 0 {
        0..0
    } else {
        base..base.wrapping_add(size.into())
    }
}

/// Tells whether all of `[addr, addr + len)` is in this memory. No sum can overflow.
fn contains(memory: &Range<u64>, addr: u64, len: usize) -> bool {
    memory.contains(&addr) && len as u64 <= memory.end.wrapping_sub(addr)
}

/// The modules of the kernel's list, while `module_mutex` is held.
struct List<'a> {
    head: *const list_head,
    at: *const list_head,
    _held: PhantomData<&'a KernelMutex>,
}

impl<'a> List<'a> {
    /// Begins behind `prev`, which is in the list, or with the first if that is null.
    ///
    /// # Safety
    ///
    /// `fns` comes from `symbols`, and the mutex is `module_mutex`.
    unsafe fn new(fns: &TextFns, prev: *const module, _: &'a KernelMutex) -> Self {
        let head = fns.modules as *const list_head;
        let at = prev.wrapping_byte_add(offset_of!(module, list)).cast();
        Self { head, at: if prev.is_null() { head } else { at }, _held: PhantomData }
    }
}

impl Iterator for List<'_> {
    type Item = *mut module;

    fn next(&mut self) -> Option<*mut module> {
        // SAFETY: `at` is the list's head or in the list, which does not change.
        self.at = unsafe { (*self.at).next };
        let at = self.at.cast_mut().wrapping_byte_sub(offset_of!(module, list));
        (self.at != self.head).then_some(at.cast())
    }
}

/// Tells whether all of `[addr, addr + len)` is text of a module in which a probe may fire.
///
/// # Safety
///
/// `fns` comes from `symbols`, and the mutex is `module_mutex`.
pub(crate) unsafe fn is_text(fns: &TextFns, addr: u64, len: usize, held: &KernelMutex) -> bool {
    const TEXT: [c_int; 2] =
        [bindings::mod_mem_type_MOD_TEXT, bindings::mod_mem_type_MOD_INIT_TEXT];
    // SAFETY: by the caller.
    let mut list = unsafe { List::new(fns, ptr::null(), held) };
    list.any(|module| {
        // SAFETY: it is in the list, so it exists, here and below.
        if unsafe { (*module).state } == bindings::module_state_MODULE_STATE_UNFORMED {
            return false;
        }
        // SAFETY: as above.
        let pieces = TEXT.map(|kind| unsafe { memory(module, kind) });
        let is_text = pieces.iter().any(|piece| contains(piece, addr, len));
        // SAFETY: as above. The loader writes both before the module is formed.
        let (start, size) =
            unsafe { ((*module).noinstr_text_start as u64, (*module).noinstr_text_size) };
        let end = start.wrapping_add(size.into());
        is_text && !(addr < end && addr.wrapping_add(len as u64) > start)
    })
}

impl ModuleRef<'_> {
    /// Tells whether it is a livepatch.
    pub fn is_livepatch(&self) -> bool {
        // SAFETY: the module exists by the invariant. The loader writes this before it reports it.
        #[cfg(CONFIG_LIVEPATCH)]
        let is = unsafe { (*self.at).klp };
        #[cfg(not(CONFIG_LIVEPATCH))]
        let is = false;
        is
    }

    /// Returns its name.
    pub fn name(&self) -> &[u8] {
        // SAFETY: the module exists by the invariant.
        let name = unsafe { &raw const (*self.at).name };
        // SAFETY: the kernel ends a module's name with a NUL, and does not change it.
        unsafe { CStr::from_char_ptr(name.cast()) }.to_bytes()
    }

    /// Returns our own module.
    pub fn own() -> Self {
        // INVARIANT: our own module exists as long as this code runs.
        Self { at: own(), _for: PhantomData }
    }

    /// Returns a number that distinguishes it from all other modules until it is unloaded.
    pub fn id(&self) -> u64 {
        self.at as u64
    }

    /// Returns the `struct module`, which exists as long as this value.
    pub(crate) fn as_ptr(&self) -> *mut module {
        self.at
    }

    fn range(&self, kind: c_int) -> Range<u64> {
        // SAFETY: the module exists by the invariant.
        unsafe { memory(self.at, kind) }
    }

    /// Returns the range of its text.
    pub fn text_range(&self) -> Range<u64> {
        self.range(bindings::mod_mem_type_MOD_TEXT)
    }

    /// Returns the range of the text that is freed after its init.
    pub fn init_text_range(&self) -> Range<u64> {
        self.range(bindings::mod_mem_type_MOD_INIT_TEXT)
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
        if !(0..PIECES).any(|kind| contains(&self.range(kind), addr, into.len())) {
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

    fn symbols(&self, f: &mut dyn FnMut(&[u8], u64, u8)) {
        let Some(fns) = symbols::text_fns() else { return };
        // SAFETY: `fns` comes from `symbols`, so this is the kernel's `module_mutex`, which no caller
        // holds.
        let _held = unsafe { KernelMutex::hold(fns.module_mutex) };
        // SAFETY: the module exists by the invariant.
        let table = unsafe { (*self.at).kallsyms };
        // SAFETY: it is null, or stays as it is as long as the mutex is held.
        let Some(table) = (unsafe { table.as_ref() }) else { return };
        let n = table.num_symtab as usize;
        if n == 0 {
            return;
        }
        // SAFETY: the table has so many symbols.
        let symbols = unsafe { slice::from_raw_parts(table.symtab, n) };
        // SAFETY: and so many types.
        let types = unsafe { slice::from_raw_parts(table.typetab, n) };
        for (symbol, kind) in symbols.iter().zip(types) {
            let name = table.strtab.wrapping_add(symbol.st_name as usize);
            // SAFETY: each symbol's name is a string of the table.
            let name = unsafe { CStr::from_char_ptr(name) };
            f(name.to_bytes(), symbol.st_value, *kind);
        }
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
/// Only the kernel may call this; `module` is the module of the event.
unsafe extern "C" fn notified(
    _: *mut notifier_block,
    event: c_ulong,
    module: *mut c_void,
) -> c_int {
    let module = module.cast();
    if module == own() {
        return bindings::NOTIFY_DONE as c_int;
    }
    // INVARIANT: the notifier is being called for this module until we return.
    report(event as u32, &ModuleRef { at: module, _for: PhantomData });
    if event as u32 == bindings::module_state_MODULE_STATE_GOING {
        gone(Some(module as u64));
    }
    bindings::NOTIFY_OK as c_int
}

fn report(event: u32, module: &ModuleRef<'_>) {
    let event = match event {
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
            watcher(event, module);
        }
    }
}

/// Called with the address of a module that unloads, after the watchers; with `None` when nobody
/// watches any more.
pub(crate) type Gone = fn(Option<u64>);

static GONE: Once<Gone> = Once::new();

/// Sets the function that is called when modules unload. There is only one.
pub(crate) fn when_gone(f: Gone) {
    GONE.populate(f);
}

fn gone(module: Option<u64>) {
    if let Some(f) = GONE.as_ref() {
        f(module);
    }
}

/// One notifier serves all watches. It is the first of all: it runs when a module loads, before any
/// of the module's code may run.
static NOTIFIER: Notifier = Notifier::new(notified, c_int::MAX);

/// The number of watches. [`Lock::Watch`] guards changes.
static WATCHES: AtomicU32 = AtomicU32::new(0);

/// Tells whether [`Gone`] is called when a module unloads.
pub(crate) fn are_watched() -> bool {
    WATCHES.load(Ordering::Relaxed) != 0
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
    let _held = Lock::Watch.hold();
    if WATCHES.fetch_add(1, Ordering::Relaxed) == 0 {
        // SAFETY: the notifier is static, and not registered yet.
        to_result(unsafe { bindings::register_module_notifier(NOTIFIER.get()) })?;
    }
    Ok(watch)
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.place.store(ptr::null_mut(), Ordering::Release);
        let _held = Lock::Watch.hold();
        if WATCHES.fetch_sub(1, Ordering::Relaxed) == 1 {
            // SAFETY: `watch` has registered it; if that failed, the kernel does not find it. This
            // waits for an event in progress.
            unsafe { bindings::unregister_module_notifier(NOTIFIER.get()) };
            gone(None);
        }
    }
}

/// A reference to a module.
///
/// # Invariants
///
/// This value owns one reference.
struct Loaded(*mut module);

impl Loaded {
    /// Returns the next live module behind `prev`, or the first. A module that loads now is put at
    /// the front of the list, which this walk has passed; the watcher sees it.
    fn next(fns: &TextFns, prev: Option<&Self>) -> Option<Self> {
        // SAFETY: `fns` comes from `symbols`, so this is the kernel's `module_mutex`, which no caller
        // holds.
        let held = unsafe { KernelMutex::hold(fns.module_mutex) };
        let prev = prev.map_or(ptr::null_mut(), |prev| prev.0);
        // SAFETY: as above. A module to which a reference is held stays in the list.
        let mut list = unsafe { List::new(fns, prev, &held) };
        list.find(|at| {
            // SAFETY: it is in the list, so it exists, here and below.
            let live = unsafe { (**at).state } == bindings::module_state_MODULE_STATE_LIVE;
            // SAFETY: as above.
            *at != own() && live && unsafe { bindings::try_module_get(*at) }
        })
        // INVARIANT: `try_module_get` has taken the reference.
        .map(Self)
    }
}

impl Drop for Loaded {
    fn drop(&mut self) {
        // SAFETY: this value owns the reference by the invariant.
        unsafe { bindings::module_put(self.0) };
    }
}

/// Calls `f` with each module that is live now, one after the other, holding a reference to it.
///
/// # Context
///
/// *process*; `f` may sleep, and may patch the module's text.
pub fn for_each_loaded(f: &mut dyn FnMut(&ModuleRef<'_>)) -> Result {
    let fns = symbols::text_fns().ok_or(ENODEV)?;
    let mut module = Loaded::next(fns, None);
    while let Some(now) = module {
        // INVARIANT: `now` holds a reference until the next one is found.
        f(&ModuleRef { at: now.0, _for: PhantomData });
        module = Loaded::next(fns, Some(&now));
    }
    Ok(())
}
