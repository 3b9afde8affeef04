// SPDX-License-Identifier: GPL-2.0
//! Text that we must not change, from the kernel's own lists. Each list is read once, as a whole.
//!
//! [`ranges`] and [`of_module`] list functions in which a probe would call itself; kernel authors
//! mark them. [`sites`] and [`sites_of_module`] list instructions that the kernel changes while it
//! runs, and expects to find unchanged by others. The trampolines of static calls are such
//! instructions, too: those of the kernel proper are in a section of their own, and each ends with
//! [`STATIC_CALL_END`](x86::encoding::STATIC_CALL_END). So are those of a livepatch that refer to a
//! module that it patches.

use crate::lock::KernelMutex;
use crate::modules::ModuleRef;
use crate::nofault;
use crate::once::Once;
use crate::symbols::{self, find_kernel as find, rest};
use crate::sys;
use core::ffi::CStr;
#[cfg(CONFIG_LIVEPATCH)]
use core::mem::offset_of;
use core::ops::Range;
use core::{ptr, slice};
use kernel::bindings::{atomic_notifier_head, jump_entry, static_call_site};
#[cfg(CONFIG_LIVEPATCH)]
use kernel::bindings::{module_state_MODULE_STATE_LIVE, Elf64_Rela, SHF_RELA_LIVEPATCH};
use kernel::ffi::{c_ulong, c_void};
use kernel::prelude::*;
use kernel::sync::rcu;
use x86::encoding::WIDE;
#[cfg(CONFIG_LIVEPATCH)]
use x86::encoding::{is_jump_distance, relocated};

/// Why a range is forbidden.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// `noinstr`: runs while the kernel is not ready for instrumentation.
    Noinstr,
    /// Entries from user space, of exceptions and of interrupts.
    Entry,
    /// `__kprobes`.
    Kprobes,
    /// `NOKPROBE_SYMBOL`, or on the blacklist of kprobes for another reason.
    Nokprobe,
    /// A trampoline of a static call. When the kernel changes it and finds another instruction than
    /// its own, it calls `BUG()`.
    StaticCall,
    /// Runs on the way to a breakpoint's handler, where a breakpoint would recurse without end.
    Breakpoint,
}

/// What the kernel rewrites.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rewrites {
    /// An instruction: a static call or a jump label.
    Instruction,
    /// A part of an instruction by which a livepatch refers to a module that it patches. While that
    /// is not loaded, there are zeros.
    Reference,
    /// Such a part, which is the distance of a jump. With zeros there, it seems to stay in its
    /// function.
    Distance,
}

/// The callback for what is rewritten: its address and length.
type Rewritten<'a> = dyn FnMut(u64, usize, Rewrites) + 'a;

const SECTIONS: [(&CStr, &CStr, Why); 7] = [
    (c"__noinstr_text_start", c"__noinstr_text_end", Why::Noinstr),
    // Each entry into the kernel calls what lies there on some processors (`srso_alias_untrain_ret`).
    (c"_stext", c"__entry_text_start", Why::Entry),
    (c"__entry_text_start", c"__entry_text_end", Why::Entry),
    (c"__static_call_text_start", c"__static_call_text_end", Why::StaticCall),
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
const BEFORE_US: [&CStr; 4] = [
    c"__rcu_read_lock",
    c"__rcu_read_unlock",
    c"rcu_read_unlock_special",
    // `do_int3` calls it first (CONFIG_KGDB_LOW_LEVEL_TRAP). Without a debugger's device it returns
    // at once.
    c"kgdb_ll_trap",
];

/// Returns the blacklist's own ranges.
fn blacklist(f: &mut dyn FnMut(Range<u64>, Why)) -> Result {
    let list = find(c"kprobe_blacklist").ok_or(ENODEV)? as c_ulong;
    let mutex = find(c"kprobe_mutex").ok_or(ENODEV)? as c_ulong;
    // SAFETY: it is a variable of `kernel/kprobes.c`: `find` takes no module's symbol of that name
    // for it. No caller holds it.
    let _held = unsafe { KernelMutex::hold(mutex) };
    let mut entry: *const c_void = ptr::null();
    loop {
        let (mut start, mut end) = (0, 0);
        // SAFETY: as above, it is the list that the mutex guards; `entry` is null or in it.
        entry = unsafe { sys::kapi_blacklist_next(list, entry, &mut start, &mut end) };
        if entry.is_null() {
            return Ok(());
        }
        f(start..end, Why::Nokprobe);
    }
}

/// The most functions on the die chain; no kernel has been seen with so many.
const MOST: usize = 64;

/// Calls `f` with the functions on the die chain: they run at a breakpoint before our handler, or
/// from the same loop. `E2BIG`: there are more than [`MOST`].
fn die_chain(f: &mut dyn FnMut(Range<u64>, Why)) -> Result {
    let chain = find(c"die_chain").ok_or(ENODEV)? as *const atomic_notifier_head;
    let mut starts = [0; MOST];
    let mut places = starts.iter_mut();
    let held = rcu::read_lock();
    // SAFETY: it is a variable of `kernel/notifier.c`: `find` takes no module's symbol for it.
    let mut at = unsafe { (*chain).head };
    // SAFETY: it is null, or RCU keeps it.
    while let Some(block) = unsafe { at.as_ref() } {
        *places.next().ok_or(E2BIG)? = block.notifier_call.map_or(0, |call| call as usize as u64);
        at = block.next;
    }
    drop(held);
    let free = places.len();
    // `f` may sleep.
    for start in starts.iter().take(MOST.wrapping_sub(free)) {
        f(rest(*start), Why::Breakpoint);
    }
    Ok(())
}

/// Calls `f` with each forbidden range of the kernel itself, with some twice. `ENODEV`, `E2BIG`:
/// the ranges cannot be determined.
///
/// # Context
///
/// *process*; `f` may sleep and allocate. It must not register or look for kprobes: it may be
/// called under their mutex.
pub fn ranges(f: &mut dyn FnMut(Range<u64>, Why)) -> Result {
    symbols::size_of().ok_or(ENODEV)?;
    for (start, end, why) in SECTIONS {
        if let (Some(start), Some(end)) = (find(start), find(end)) {
            f(start..end, why);
        }
    }
    for start in BEFORE_US.iter().filter_map(|name| find(name)) {
        f(rest(start), Why::Breakpoint);
    }
    blacklist(f)?;
    die_chain(f)
}

/// Calls `f` with each forbidden range of a module, by the module's own lists: the kernel adds them
/// to its lists only after it has called our notifier.
///
/// # Context
///
/// *process* or *notifier*
pub fn of_module(module: &ModuleRef<'_>, f: &mut dyn FnMut(Range<u64>, Why)) -> Result {
    symbols::size_of().ok_or(ENODEV)?;
    // SAFETY: the module of a `ModuleRef` exists. These members do not change.
    let module = unsafe { &*module.as_ptr() };
    let sections = [
        (module.noinstr_text_start, module.noinstr_text_size, Why::Noinstr),
        (module.kprobes_text_start, module.kprobes_text_size, Why::Kprobes),
    ];
    for (start, size, why) in sections.into_iter().filter(|(start, ..)| !start.is_null()) {
        f(start as u64..(start as u64).wrapping_add(size.into()), why);
    }
    // SAFETY: the module has so many of them.
    let listed = unsafe { table(module.kprobe_blacklist, module.num_kprobe_blacklist as usize) };
    listed.iter().for_each(|start| f(rest(*start as u64), Why::Nokprobe));
    Ok(())
}

/// Returns a table of the kernel; it is empty if there is none.
///
/// # Safety
///
/// `at` is null, or `n` values are there, which stay for all of `'a`.
unsafe fn table<'a, T>(at: *const T, n: usize) -> &'a [T] {
    if at.is_null() {
        return &[];
    }
    // SAFETY: by the caller.
    unsafe { slice::from_raw_parts(at, n) }
}

/// Returns the address to which a relative number points: its own address plus its value.
fn from_here(number: &i32) -> u64 {
    (core::ptr::from_ref(number) as u64).wrapping_add_signed((*number).into())
}

fn static_calls(calls: &[static_call_site], f: &mut Rewritten<'_>) {
    calls.iter().for_each(|call| f(from_here(&call.addr), WIDE, Rewrites::Instruction));
}

/// A jump label is two or five bytes wide: the kernel reads the code to find out, and so do we. Some
/// are in init text, perhaps freed by now. The flag that says so (`jump_entry_is_init()`) means
/// nothing before the kernel has set it: a module that is being loaded has it where objtool was to
/// write a nop (CONFIG_HAVE_JUMP_LABEL_HACK).
fn jump_labels(labels: &[jump_entry], f: &mut Rewritten<'_>) {
    for label in labels {
        let at = from_here(&label.code);
        let len = match nofault::read_kernel_number(at, 1) {
            Ok(0x66 | 0xeb) => 2,
            _ => WIDE,
        };
        f(at, len, Rewrites::Instruction);
    }
}

/// Calls `f` with each static call and jump label of the kernel itself, also in text that is freed.
/// `ENODEV`: they cannot be determined.
///
/// # Context
///
/// *process*
pub fn sites(f: &mut Rewritten<'_>) -> Result {
    // SAFETY: the kernel's linker script (`vmlinux.lds.h`) puts these symbols around that table.
    let calls = unsafe { between(c"__start_static_call_sites", c"__stop_static_call_sites") }?;
    static_calls(calls, f);
    jump_labels(labels()?, f);
    Ok(())
}

/// # Safety
///
/// The symbols are around a table of `T` of the kernel proper, or do not exist.
unsafe fn between<T>(start: &CStr, stop: &CStr) -> Result<&'static [T]> {
    let (start, stop) = (find(start).ok_or(ENODEV)?, find(stop).ok_or(ENODEV)?);
    let n = (stop.wrapping_sub(start) as usize).checked_div(size_of::<T>()).unwrap_or(0);
    // SAFETY: by the caller; such a table is never freed.
    Ok(unsafe { table(start as *const T, n) })
}

fn labels() -> Result<&'static [jump_entry]> {
    // SAFETY: the kernel's linker script (`vmlinux.lds.h`) puts these symbols around that table.
    unsafe { between(c"__start___jump_table", c"__stop___jump_table") }
}

/// Calls `f` with the address, the target and the address of the key of each jump label of the kernel
/// itself and of a module. `ENODEV`: those of the kernel cannot be determined.
///
/// # Context
///
/// *process*
pub fn jumps(module: &ModuleRef<'_>, f: &mut dyn FnMut(u64, u64, u64)) -> Result {
    for label in Iterator::chain(labels()?.iter(), labels_of(module)) {
        // The lowest bits are flags (`jump_entry_key()`).
        let key = (&raw const label.key).wrapping_byte_offset(label.key & !3) as u64;
        f(from_here(&label.code), from_here(&label.target), key);
    }
    Ok(())
}

fn labels_of<'a>(module: &'a ModuleRef<'_>) -> &'a [jump_entry] {
    // SAFETY: the module of a `ModuleRef` exists. These members do not change.
    let module = unsafe { &*module.as_ptr() };
    // SAFETY: the module has so many of them, as long as it exists.
    unsafe { table(module.jump_entries, module.num_jump_entries as usize) }
}

/// Calls `f` with each static call and jump label of a module, also in text that is freed, and with
/// what the kernel writes into a livepatch when another module is loaded or unloaded. `EAGAIN`:
/// that cannot be determined, because the livepatch is not live.
///
/// # Context
///
/// *process* or *notifier*
pub fn sites_of_module(of: &ModuleRef<'_>, f: &mut Rewritten<'_>) -> Result {
    jump_labels(labels_of(of), f);
    // SAFETY: the module of a `ModuleRef` exists. These members do not change.
    let module = unsafe { &*of.as_ptr() };
    // SAFETY: the module has so many of them.
    static_calls(
        unsafe { table(module.static_call_sites, module.num_static_call_sites as usize) },
        f,
    );
    #[cfg(CONFIG_LIVEPATCH)]
    if of.is_livepatch() {
        relocations(of, f)?;
    }
    Ok(())
}

/// Calls `f` with what the kernel writes into the text of a livepatch when a module that it patches
/// is loaded or unloaded. If it finds anything but zeros before, it refuses that module; if it finds
/// anything but what it has written after, it leaves that there (`__write_relocate_add()` in
/// `arch/x86/kernel/module.c`). References to the kernel proper are written once, before the module
/// is coming (`klp_write_section_relocs()` in `kernel/livepatch/core.c`).
#[cfg(CONFIG_LIVEPATCH)]
fn relocations(of: &ModuleRef<'_>, f: &mut Rewritten<'_>) -> Result {
    const KERNEL: &[u8] = b".klp.rela.vmlinux.";
    let at = of.as_ptr();
    // SAFETY: the module of a `ModuleRef` exists.
    if unsafe { (*at).state } != module_state_MODULE_STATE_LIVE {
        return Err(EAGAIN);
    }
    // SAFETY: the module exists, and is live: `load_module()` has set this before that, and
    // `free_module()` frees it after the module is gone.
    let info = unsafe { (*at).klp_info.as_ref() }.ok_or(EAGAIN)?;
    // SAFETY: `copy_module_elf()` has copied so many, which stay as they are as long as `info`.
    let sections = unsafe { table(info.sechdrs, info.hdr.e_shnum.into()) };
    let size = sections.get(usize::from(info.hdr.e_shstrndx)).map_or(0, |s| s.sh_size);
    // SAFETY: as above, of that section.
    let names = unsafe { table(info.secstrings.cast::<u8>(), size as usize) };
    let text = of.text_range();
    let word = |at: u64| {
        let mut bytes = [0; size_of::<u64>()];
        of.read(at, &mut bytes).map_err(|_| EFAULT)?;
        Ok::<_, Error>(u64::from_ne_bytes(bytes))
    };
    for section in sections.iter().filter(|s| s.sh_flags & u64::from(SHF_RELA_LIVEPATCH) != 0) {
        if names.get(section.sh_name as usize..).is_some_and(|name| name.starts_with(KERNEL)) {
            continue;
        }
        let base = sections.get(section.sh_info as usize).ok_or(EINVAL)?.sh_addr;
        let all = section.sh_addr..section.sh_addr.wrapping_add(section.sh_size);
        for entry in all.step_by(size_of::<Elf64_Rela>()) {
            let offset = word(entry.wrapping_add(offset_of!(Elf64_Rela, r_offset) as u64))?;
            // CAST: the lower half is the type.
            let kind = word(entry.wrapping_add(offset_of!(Elf64_Rela, r_info) as u64))? as u32;
            let place = base.wrapping_add(offset);
            if !text.contains(&place) || relocated(kind) == 0 {
                continue;
            }
            let mut before = [0; 2];
            let known = of.read(place.wrapping_sub(2), &mut before).is_ok();
            let what = match known && !is_jump_distance(kind, before) {
                true => Rewrites::Reference,
                false => Rewrites::Distance,
            };
            f(place, relocated(kind), what);
        }
    }
    Ok(())
}
