// SPDX-License-Identifier: GPL-2.0
//! Text that we must not change, from the kernel's own lists. Each list is read once, as a whole.
//!
//! [`ranges`] and [`of_module`] list functions in which a probe would call itself; kernel authors
//! mark them. [`sites`] and [`sites_of_module`] list instructions that the kernel changes while it
//! runs, and expects to find unchanged by others. Functions whose names begin with `__SCT__` are
//! such instructions too; they are in no list.

use crate::modules::ModuleRef;
use crate::once::Once;
use crate::symbols::{self, find_kernel as find};
use crate::sys::{self, OnRange};
use core::ffi::CStr;
use core::ops::Range;
use kernel::ffi::{c_uint, c_ulong, c_void};
use kernel::prelude::*;

/// Why a range is forbidden.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum Why {
    /// `noinstr`: runs while the kernel is not ready for instrumentation.
    Noinstr = 0,
    /// Entries from user space, of exceptions and of interrupts.
    Entry = 1,
    /// `__kprobes`.
    Kprobes = 2,
    /// `NOKPROBE_SYMBOL`, or on the blacklist of kprobes for another reason.
    Nokprobe = 3,
    /// Runs on the way to a breakpoint's handler, where a breakpoint would recurse without end.
    Breakpoint = 4,
}

impl Why {
    fn of(n: c_uint) -> Self {
        match n {
            0 => Self::Noinstr,
            1 => Self::Entry,
            2 => Self::Kprobes,
            3 => Self::Nokprobe,
            _ => Self::Breakpoint,
        }
    }
}

const SECTIONS: [(&CStr, &CStr, Why); 5] = [
    (c"__noinstr_text_start", c"__noinstr_text_end", Why::Noinstr),
    (c"__entry_text_start", c"__entry_text_end", Why::Entry),
    (c"__irqentry_text_start", c"__irqentry_text_end", Why::Entry),
    (c"__softirqentry_text_start", c"__softirqentry_text_end", Why::Entry),
    (c"__kprobes_text_start", c"__kprobes_text_end", Why::Kprobes),
];

/// The ranges of [`SECTIONS`]; one that this kernel lacks is empty.
static RANGES: Once<[Range<u64>; SECTIONS.len()]> = Once::new();

/// Finds the sections. Called once, after the symbols have been resolved.
pub(crate) fn init() {
    let range = |(start, end, _)| find(start).zip(find(end)).map_or(0..0, |(a, b)| a..b);
    RANGES.populate(SECTIONS.map(range));
}

/// Tells whether an address is in a section in which no probe may fire: the kernel may lack the IDT,
/// the page tables or RCU there that a breakpoint's handler needs.
pub(crate) fn is_in_section(addr: u64) -> bool {
    RANGES.as_ref().is_none_or(|all| all.iter().any(|r| r.contains(&addr)))
}

/// Functions that run between a breakpoint and our handler. They are in no list, because kprobes'
/// own handler comes earlier.
const BEFORE_US: [&CStr; 3] =
    [c"__rcu_read_lock", c"__rcu_read_unlock", c"rcu_read_unlock_special"];

/// Calls a helper with a callback that calls `f`.
fn collect(f: &mut dyn FnMut(Range<u64>, c_uint), with: impl FnOnce(OnRange, *mut c_void)) {
    /// # Safety
    ///
    /// `arg` is a `&mut dyn FnMut(..)` that no other code uses.
    unsafe extern "C" fn range(arg: *mut c_void, start: u64, end: u64, why: c_uint) {
        // SAFETY: by the caller.
        let f = unsafe { &mut *arg.cast::<&mut dyn FnMut(Range<u64>, c_uint)>() };
        f(start..end, why);
    }
    let mut f = f;
    let arg: *mut &mut dyn FnMut(Range<u64>, c_uint) = &mut f;
    with(range, arg.cast());
}

/// Calls `f` with each forbidden range of the kernel itself, with some twice. `ENODEV`, `E2BIG`:
/// the ranges cannot be determined.
///
/// # Context
///
/// *process*; `f` may sleep and allocate. It must not register or look for kprobes: it may be
/// called under their mutex.
pub fn ranges(f: &mut dyn FnMut(Range<u64>, Why)) -> Result {
    let size_of = symbols::size_of().ok_or(ENODEV)?;
    let list = find(c"kprobe_blacklist").ok_or(ENODEV)? as c_ulong;
    let mutex = find(c"kprobe_mutex").ok_or(ENODEV)? as c_ulong;
    let chain = find(c"die_chain").ok_or(ENODEV)? as c_ulong;
    for (start, end, why) in SECTIONS {
        if let (Some(start), Some(end)) = (find(start), find(end)) {
            f(start..end, why);
        }
    }
    for start in BEFORE_US.iter().filter_map(|name| find(name)) {
        // SAFETY: `symbols::size_of` only returns the function that this calls, which takes any
        // address.
        f(start..unsafe { sys::kapi_symbol_end(size_of, start) }, Why::Breakpoint);
    }
    let mut f = |range, why| f(range, Why::of(why));
    collect(&mut f, |range, arg| {
        // SAFETY: both are variables of `kernel/kprobes.c`, a list and the mutex that guards it:
        // `find` takes no module's symbol of that name for them. `range` accepts `arg`, which
        // `collect` lends until this returns.
        unsafe { sys::kapi_kprobe_blacklist(list, mutex, range, arg) };
    });
    let mut all = false;
    collect(&mut f, |range, arg| {
        // SAFETY: `chain` is an `atomic_notifier_head` of `kernel/notifier.c`: `find` takes no
        // module's symbol for it. `size_of` is as above. `range` accepts `arg`, and is called after
        // RCU's lock is released.
        all = unsafe { sys::kapi_die_chain(chain, size_of, range, arg) };
    });
    all.then_some(()).ok_or(E2BIG)
}

/// Calls `f` with each forbidden range of a module.
///
/// # Context
///
/// *process* or *notifier*
pub fn of_module(module: &ModuleRef<'_>, f: &mut dyn FnMut(Range<u64>, Why)) -> Result {
    let size_of = symbols::size_of().ok_or(ENODEV)?;
    collect(&mut |range, why| f(range, Why::of(why)), |range, arg| {
        // SAFETY: the module of a `ModuleRef` exists, `size_of` comes from `symbols`, and `range`
        // accepts `arg`.
        unsafe { sys::kapi_module_forbidden(module.as_ptr(), size_of, range, arg) };
    });
    Ok(())
}

/// Calls `f` with each static call and jump label of the kernel itself. `ENODEV`: they cannot be
/// determined.
///
/// # Context
///
/// *process*
pub fn sites(f: &mut dyn FnMut(u64, usize)) -> Result {
    let table = |start, stop| -> Result<Range<u64>> {
        Ok(find(start).ok_or(ENODEV)?..find(stop).ok_or(ENODEV)?)
    };
    let calls = table(c"__start_static_call_sites", c"__stop_static_call_sites")?;
    let jumps = table(c"__start___jump_table", c"__stop___jump_table")?;
    let mut f = |r: Range<u64>, _| f(r.start, r.end.wrapping_sub(r.start) as usize);
    collect(&mut f, |range, arg| {
        // SAFETY: the kernel's linker script (`vmlinux.lds.h`) puts these symbols around that
        // table, which belongs to the kernel proper and is never freed; `range` accepts `arg`.
        unsafe { sys::kapi_static_calls(calls.start, calls.end, range, arg) };
    });
    collect(&mut f, |range, arg| {
        // SAFETY: as above.
        unsafe { sys::kapi_jump_labels(jumps.start, jumps.end, range, arg) };
    });
    Ok(())
}

/// Calls `f` with each static call and jump label of a module.
///
/// # Context
///
/// *process* or *notifier*
pub fn sites_of_module(module: &ModuleRef<'_>, f: &mut dyn FnMut(u64, usize)) {
    let mut f = |r: Range<u64>, _| f(r.start, r.end.wrapping_sub(r.start) as usize);
    collect(&mut f, |range, arg| {
        // SAFETY: the module of a `ModuleRef` exists, and `range` accepts `arg`.
        unsafe { sys::kapi_module_sites(module.as_ptr(), range, arg) };
    });
}
