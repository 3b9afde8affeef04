// SPDX-License-Identifier: GPL-2.0
//! Writes the kernel's text, by the kernel's own functions and under its own locks.
//!
//! Those functions are not exported, and their ENDBR is gone: they are reached by `kapi_call4`
//! only. They BUG() on anything that they do not expect, so [`crate::text`] and [`crate::sites`]
//! refuse all of that.

use crate::lock::KernelMutex;
use crate::modules;
use crate::nofault;
use crate::once::Once;
use crate::symbols;
use crate::sys::{self, TextFns};
use crate::xcall::Cpus;
use core::cell::UnsafeCell;
use core::ops::Range;
use core::ptr;
use kernel::bindings;
use kernel::ffi::c_ulong;
use kernel::page::PAGE_SIZE;
use kernel::sync::rcu;

impl Cpus {
    /// Makes every CPU see what was written, and finish each breakpoint that it has hit before.
    pub(crate) fn sync(&self, fns: &TextFns) {
        // SAFETY: `fns` comes from `symbols`; the caller holds the CPUs.
        unsafe { sys::kapi_call4(fns.sync, 0, 0, 0, 0) };
    }
}

/// No kprobe is registered, armed, optimized, disarmed or removed as long as this exists. A kprobe
/// writes bytes that it has read when it was registered. So nothing is written near one, even if it
/// is disarmed: it would later write a byte of the old instruction into the new one, and it would
/// call our trampoline, which it has read, after we have gone.
///
/// The kernel takes its mutex before it holds the CPUs, and so do we.
pub(crate) struct Kprobes {
    get: c_ulong,
    any: bool,
    _mutex: KernelMutex,
}

/// The heads of the lists of all kprobes (`kprobe_table`). If all of them are null, nobody has to be
/// asked for each byte.
static TABLE: Once<Range<u64>> = Once::new();

/// Finds the heads. Called once, after the symbols have been resolved.
pub(crate) fn init() {
    let table = symbols::find_kernel(c"kprobe_table").and_then(symbols::around);
    if let Some(table) = table.filter(|t| t.start % 8 == 0 && t.end.wrapping_sub(t.start) <= 4096) {
        TABLE.populate(table);
    }
}

/// Tells whether there is a kprobe at all, or may be one. `kprobe_mutex` guards the heads: who does
/// not hold it learns of kprobes that were there before. The range ends at the next symbol, so it
/// may contain padding, which KASAN does not let us read plainly.
pub(crate) fn any_kprobe() -> bool {
    TABLE.as_ref().is_none_or(|table| {
        table.clone().step_by(HEADS).any(|at| {
            let mut heads = [0; HEADS];
            let rest = table.end.wrapping_sub(at) as usize;
            let heads = heads.get_mut(..rest.min(HEADS)).unwrap_or_default();
            nofault::read_kernel(at, heads).is_err() || heads.iter().any(|byte| *byte != 0)
        })
    })
}

/// The bytes of [`TABLE`] that are read at once.
const HEADS: usize = 64;

impl Kprobes {
    pub(crate) fn hold(fns: &TextFns) -> Self {
        // SAFETY: `fns` comes from `symbols`, so this is the kernel's `kprobe_mutex`. A `Kprobes` is
        // made only where no caller holds it.
        let mutex = unsafe { KernelMutex::hold(fns.kprobe_mutex) };
        Self { get: fns.get_kprobe, any: any_kprobe(), _mutex: mutex }
    }

    /// Tells whether a kprobe has its breakpoint at `addr`, or may yet write it.
    pub(crate) fn at(&self, addr: u64) -> bool {
        // SAFETY: `get` comes from `symbols`, and this value holds the mutex.
        self.any && unsafe { sys::kapi_kprobe_at(self.get, addr) }
    }

    /// Returns the byte that the breakpoint of a kprobe at `addr` hides, if there is one.
    pub(crate) fn hidden(&self, addr: u64) -> Option<u8> {
        if !self.any {
            return None;
        }
        // SAFETY: `get` comes from `symbols`, and this value holds the mutex.
        u8::try_from(unsafe { sys::kapi_kprobe_hides(self.get, addr) }).ok()
    }

    /// Tells whether a kprobe has, or may yet write, one of `[addr, addr + len)`.
    pub(crate) fn near(&self, addr: u64, len: usize) -> bool {
        // SAFETY: `get` comes from `symbols`, and this value holds the mutex.
        self.any && unsafe { sys::kapi_kprobe_near(self.get, addr, len) }
    }
}

/// The right to change text: `text_mutex`, and before it `module_mutex`, so that no module frees
/// the text that was found to be its own. The order is that of the kernel's jump labels.
pub(crate) struct Text {
    fns: &'static TextFns,
    // Released in this order.
    _text: KernelMutex,
    modules: Option<KernelMutex>,
}

impl Text {
    pub(crate) fn hold(fns: &'static TextFns) -> Self {
        // SAFETY: `fns` comes from `symbols`, so this is the kernel's `module_mutex`. A `Text` is
        // made only where no caller holds it.
        let modules = unsafe { KernelMutex::hold(fns.module_mutex) };
        // SAFETY: as above, `text_mutex`.
        let text = unsafe { KernelMutex::hold(fns.text_mutex) };
        Self { fns, _text: text, modules: Some(modules) }
    }

    /// Holds `text_mutex` only, for text that no module frees.
    pub(crate) fn hold_own(fns: &'static TextFns) -> Self {
        // SAFETY: `fns` comes from `symbols`, so this is the kernel's `text_mutex`. A `Text` is made
        // only where no caller holds it.
        let text = unsafe { KernelMutex::hold(fns.text_mutex) };
        Self { fns, _text: text, modules: None }
    }

    /// Tells whether all of `[addr, addr + len)` is text of the kernel or of a module.
    pub(crate) fn is_text(&self, addr: u64, len: usize) -> bool {
        is_kernel_text(self.fns, addr, len)
            || self.modules.as_ref().is_some_and(|held| {
                // SAFETY: `fns` comes from `symbols`, and `held` is `module_mutex`, as in `hold`.
                unsafe { modules::is_text(self.fns, addr, len, held) }
            })
    }

    /// Reads text; `None`: it cannot be read.
    pub(crate) fn read<const N: usize>(&self, addr: u64) -> Option<[u8; N]> {
        let mut bytes = [0; N];
        let to = bytes.as_mut_ptr().cast();
        // SAFETY: `bytes` has room for `N` bytes, and the function takes any address.
        let err = unsafe { bindings::copy_from_kernel_nofault(to, addr as *const _, N) };
        (err == 0).then_some(bytes)
    }

    /// Leaves a change of five bytes to the kernel's own method, until [`Self::finish`].
    ///
    /// # Safety
    ///
    /// One known instruction replaces another one there, and both have five bytes, which `new`
    /// keeps until `finish`. The CPUs are held.
    pub(crate) unsafe fn queue(&mut self, addr: u64, new: &[u8; 5]) {
        let (to, from) = (addr as c_ulong, new.as_ptr() as c_ulong);
        // SAFETY: `fns` comes from `symbols`, this value holds `text_mutex`; the rest by the caller.
        unsafe { sys::kapi_call4(self.fns.batch_add, to, from, new.len() as c_ulong, 0) };
    }

    /// Completes the changes of [`Self::queue`]. The CPUs are held.
    pub(crate) fn finish(&mut self) {
        // SAFETY: as in `queue`.
        unsafe { sys::kapi_call4(self.fns.batch_finish, 0, 0, 0, 0) };
    }

    /// Tells perf what text becomes: a decoder of what a processor has recorded (Intel PT) needs to
    /// know. The kernel does so for its own changes. A change to another instruction is reported
    /// while a breakpoint stands there, so that neither the old nor the new one runs; a breakpoint
    /// alone is reported before it is written.
    pub(crate) fn event(&mut self, at: u64, old: &[u8], new: &[u8]) {
        if self.fns.poke_event == 0 {
            return;
        }
        let (old, old_len) = (old.as_ptr() as c_ulong, old.len() as c_ulong);
        let (new, new_len) = (new.as_ptr() as c_ulong, new.len() as c_ulong);
        // SAFETY: `fns` comes from `symbols`; the function reads the bytes that it is given.
        unsafe {
            sys::kapi_call5(self.fns.poke_event, at as c_ulong, old, old_len, new, new_len);
        }
    }

    /// Writes bytes.
    ///
    /// # Safety
    ///
    /// Each CPU that runs there can run the old bytes, the new ones, and what is there meanwhile:
    /// the bytes are one byte that begins an instruction, or follow a breakpoint, or no CPU runs
    /// there.
    pub(crate) unsafe fn write(&mut self, at: u64, bytes: &[u8]) {
        let (to, from) = (at as c_ulong, bytes.as_ptr() as c_ulong);
        // SAFETY: `fns` comes from `symbols`, this value holds `text_mutex`; the rest by the caller.
        unsafe { sys::kapi_call4(self.fns.poke, to, from, bytes.len() as c_ulong, 0) };
    }
}

/// Tells whether all of `[addr, addr + len)` is text of the kernel itself.
fn is_kernel_text(fns: &TextFns, addr: u64, len: usize) -> bool {
    let (start, end) = (fns.stext as u64, fns.etext as u64);
    addr >= start && addr < end && len as u64 <= end.wrapping_sub(addr)
}

/// Tells whether another part of the kernel patches these bytes.
pub(crate) fn is_reserved(fns: &'static TextFns, addr: u64, len: usize) -> bool {
    let (first, last) = (addr as c_ulong, addr.wrapping_add(len as u64).wrapping_sub(1) as c_ulong);
    // The functions walk lists of modules and of ftrace's pages; `text_mutex` guards that of the
    // alternatives.
    // SAFETY: `fns` comes from `symbols`, so this is the kernel's `text_mutex`; no caller holds it.
    let _text = unsafe { KernelMutex::hold(fns.text_mutex) };
    let _list = rcu::read_lock();
    let asked = [fns.jump_label_reserved, fns.static_call_reserved, fns.ftrace_reserved];
    asked.into_iter().chain([fns.alternatives_reserved]).filter(|f| *f != 0).any(|f| {
        // SAFETY: `fns` comes from `symbols`; all four take any range. They return an `int`.
        unsafe { sys::kapi_call4(f, first, last, 0, 0) as i32 != 0 }
    })
}

/// A piece of text as it will be.
struct Page(UnsafeCell<[u8; PAGE_SIZE]>);

// SAFETY: only a `Span` uses it, by the `Text` that it borrows; only one exists at a time, because
// it holds `text_mutex`.
unsafe impl Sync for Page {}

static NEW: Page = Page(UnsafeCell::new([0; PAGE_SIZE]));

/// Text to be written. Pieces ascend, and are kept until a page is complete: the text between two
/// pieces is written unchanged. Writing a piece costs thousands of instructions, writing a page
/// hardly more. The [`Text`] is held meanwhile, so nobody else writes text.
pub(crate) struct Span<'a> {
    text: &'a mut Text,
    from: u64,
    /// `[from, to)` is in [`NEW`].
    to: u64,
}

impl<'a> Span<'a> {
    pub(crate) fn new(text: &'a mut Text) -> Self {
        Self { text, from: 0, to: 0 }
    }

    pub(crate) fn text(&mut self) -> &mut Text {
        self.text
    }

    /// Adds a piece of a few bytes.
    ///
    /// # Safety
    ///
    /// There is text; for the rest see [`Text::write`]. [`Self::end`] writes the last pieces.
    pub(crate) unsafe fn add(&mut self, at: u64, bytes: &[u8]) {
        let end = at.wrapping_add(bytes.len() as u64);
        let page = |addr: u64| addr / PAGE_SIZE as u64;
        if self.from < self.to && (at < self.to || page(end.wrapping_sub(1)) != page(self.from)) {
            self.end();
        }
        if self.from == self.to {
            (self.from, self.to) = (at, at);
        }
        // SAFETY: this `Span` is the only user, by its `Text`.
        let new = unsafe { &mut *NEW.0.get() };
        let (gap, piece) = (self.to.wrapping_sub(self.from), at.wrapping_sub(self.from));
        let gap = new.get_mut(gap as usize..piece as usize).unwrap_or(&mut []);
        // SAFETY: the gap lies between two pieces of text, in one page; nobody else writes text.
        unsafe { ptr::copy_nonoverlapping(self.to as *const u8, gap.as_mut_ptr(), gap.len()) };
        let place = new.get_mut(piece as usize..).unwrap_or(&mut []);
        place.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
        self.to = end;
    }

    pub(crate) fn end(&mut self) {
        // SAFETY: this `Span` is the only user, by its `Text`.
        let new = unsafe { &*NEW.0.get() };
        let len = self.to.wrapping_sub(self.from) as usize;
        if let Some(new @ [_, ..]) = new.get(..len) {
            // SAFETY: the callers of `add` have promised this of each piece; the bytes between them
            // do not change.
            unsafe { self.text.write(self.from, new) };
        }
        self.from = self.to;
    }
}
