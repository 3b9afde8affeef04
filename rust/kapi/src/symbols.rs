// SPDX-License-Identifier: GPL-2.0
//! Resolves names to addresses, once: the symbols that this crate uses and that the kernel does not
//! export.
//!
//! A missing symbol is no error here. It disables the feature that needs it, with one line in the
//! log, because kernels rename such functions without notice. Their prototypes are checked when the
//! module is compiled, and against the running kernel's BTF before any of them except the first is
//! called ([`crate::prototypes`]).

use crate::mem;
use crate::once::Once as SetOnce;
use crate::prototypes;
use crate::sys::{self, FtraceFns, LivepatchFns, OnKernelSymbol, TextFns};
use core::ffi::CStr;
use core::ops::Range;
use core::slice;
use kernel::ffi::{c_char, c_int, c_ulong, c_void};
use kernel::prelude::*;

struct Found {
    lookup: Lookup,
    text: TextFns,
    extable: c_ulong,
    size_of: c_ulong,
    name_of: c_ulong,
    may_access: c_ulong,
    cancel_work: c_ulong,
    breakpoints: bool,
    ftrace: Option<FtraceFns>,
    livepatch: Option<LivepatchFns>,
    return_thunk: Option<u64>,
}

static FOUND: SetOnce<Found> = SetOnce::new();

/// `kallsyms_lookup_name`, through its address.
struct Lookup {
    addr: c_ulong,
    /// The range of the kernel itself. Other addresses belong to modules.
    kernel: Range<c_ulong>,
    /// `kallsyms_on_each_symbol`; 0: there is none.
    on_each: c_ulong,
    promoted: Promoted,
}

/// Names of the kernel itself to which LTO has added a suffix. If it inlines a function elsewhere,
/// what that function's file had for itself becomes visible to all, as
/// `die_chain.llvm.4109933557664884252`. The number differs from build to build, and
/// `kallsyms_lookup_name` demands it.
#[derive(Default)]
struct Promoted {
    /// The names without the suffix, one after the other.
    names: KVVec<u8>,
    /// Where each name ends, and its address.
    list: KVVec<(usize, c_ulong)>,
}

impl Promoted {
    fn add(&mut self, name: &[u8], addr: u64) -> Result {
        mem::extend(&mut self.names, name)?;
        mem::push(&mut self.list, (self.names.len(), addr as c_ulong))
    }

    /// Finds a name; 0: there is none.
    fn find(&self, name: &[u8]) -> c_ulong {
        let mut from = 0;
        let is_it = |(end, _): &&(usize, c_ulong)| {
            let own = self.names.get(from..*end);
            from = *end;
            own == Some(name)
        };
        self.list.iter().find(is_it).map_or(0, |(_, addr)| *addr)
    }
}

/// Returns a symbol's name as its source has it, without what LTO has added.
pub fn own_name(symbol: &[u8]) -> &[u8] {
    promoted(symbol).unwrap_or(symbol)
}

/// Returns a symbol's name without LTO's suffix if it has one.
fn promoted(symbol: &[u8]) -> Option<&[u8]> {
    const SUFFIX: &[u8] = b".llvm.";
    if !cfg!(CONFIG_LTO_CLANG) {
        return None;
    }
    let at = symbol.windows(SUFFIX.len()).position(|w| w == SUFFIX)?;
    symbol.get(..at)
}

impl Lookup {
    /// Returns `None` if it cannot be reached.
    fn new() -> Option<Self> {
        let addr = sys::kapi_find_lookup();
        if addr == 0 {
            return None;
        }
        let mut this = Self { addr, kernel: 0..0, on_each: 0, promoted: Promoted::default() };
        // Each kernel has these symbols, and the kernel is searched before modules.
        this.kernel = this.find_any(c"_text")..this.find_any(c"_end");
        this.on_each = this.find(c"kallsyms_on_each_symbol");
        Some(this)
    }

    /// Reads the names that LTO has changed, if this kernel was built so.
    fn read_promoted(&mut self) -> Result {
        let mut all = Promoted::default();
        let mut done = Ok(());
        if cfg!(CONFIG_LTO_CLANG) {
            self.each(&mut |symbol, addr| {
                if let Some(name) = promoted(symbol) {
                    done = all.add(name, addr);
                }
                done.is_ok()
            });
        }
        self.promoted = all;
        done
    }

    /// Finds a symbol of the kernel itself or of a module; 0: there is none.
    fn find_any(&self, name: &CStr) -> c_ulong {
        // SAFETY: `self.addr` is `kallsyms_lookup_name`: a kprobe was placed on that name and gave
        // its address. This kernel's headers declare it as taking a C string (`prototypes.c`). It
        // only reads.
        match unsafe { sys::kapi_call4(self.addr, name.as_char_ptr() as c_ulong, 0, 0, 0) } {
            0 => self.promoted.find(name.to_bytes()),
            addr => addr as c_ulong,
        }
    }

    /// Finds a symbol of the kernel itself; 0: it has none of this name.
    fn find(&self, name: &CStr) -> c_ulong {
        let addr = self.find_any(name);
        if self.kernel.contains(&addr) {
            addr
        } else {
            0
        }
    }

    /// Calls `f` with the symbols of the kernel itself until `f` returns false.
    fn each(&self, f: &mut dyn FnMut(&[u8], u64) -> bool) {
        type Ask<'a> = &'a mut dyn FnMut(&[u8], u64) -> bool;
        /// # Safety
        ///
        /// `arg` is an `Ask` that nobody else uses; `name` is a C string.
        unsafe extern "C" fn symbol(arg: *mut c_void, name: *const c_char, addr: c_ulong) -> c_int {
            // SAFETY: by the caller.
            let f = unsafe { &mut *arg.cast::<Ask<'_>>() };
            // SAFETY: by the caller.
            let name = unsafe { CStr::from_char_ptr(name) }.to_bytes();
            (!f(name, addr as u64)).into()
        }
        let mut ask: Ask<'_> = f;
        let arg: *mut Ask<'_> = &mut ask;
        let symbol: OnKernelSymbol = symbol;
        // SAFETY: `on_each` is `kallsyms_on_each_symbol(fn, arg)`, found in the kernel proper, with
        // the prototype that `prototypes.c` has checked; no caller comes here without it. It calls
        // `symbol` with `arg` and a name on its stack, one call after the other, and not after it
        // has returned.
        unsafe { sys::kapi_call4(self.on_each, symbol as c_ulong, arg as c_ulong, 0, 0) };
    }

    /// Returns the kernel's BTF, which is empty if there is none.
    fn btf(&self) -> &'static [u8] {
        match (self.find(c"__start_BTF"), self.find(c"__stop_BTF")) {
            (start @ 1.., stop) if start < stop => {
                let len = stop.wrapping_sub(start) as usize;
                // SAFETY: the kernel's linker script puts these symbols around its BTF, which
                // nobody changes or frees.
                unsafe { slice::from_raw_parts(start as *const u8, len) }
            }
            _ => &[],
        }
    }

    /// Finds a symbol that a feature needs, and sets `missing` if it does not exist.
    fn need(&self, name: &CStr, missing: &mut bool) -> c_ulong {
        let addr = self.find(name);
        if addr == 0 {
            pr_warn!("this kernel has no symbol {}\n", name.to_str().unwrap_or("?"));
            *missing = true;
        }
        addr
    }

    fn ftrace(&self) -> Option<FtraceFns> {
        let mut missing = false;
        let fns = FtraceFns {
            add: self.need(c"update_ftrace_direct_add", &mut missing),
            del: self.need(c"update_ftrace_direct_del", &mut missing),
            hash_alloc: self.need(c"alloc_ftrace_hash", &mut missing),
            hash_free: self.need(c"free_ftrace_hash", &mut missing),
            hash_add: self.need(c"add_ftrace_hash_entry_direct", &mut missing),
            location: self.need(c"ftrace_location", &mut missing),
            find_direct: self.need(c"ftrace_find_rec_direct", &mut missing),
            is_dead: self.find(c"ftrace_is_dead"),
        };
        if missing {
            pr_warn!("unsupported: ftrace needs the symbols above; breakpoints do in its place\n");
            return None;
        }
        Some(fns)
    }

    fn livepatch(&self) -> Option<LivepatchFns> {
        if !cfg!(CONFIG_LIVEPATCH) {
            return None;
        }
        let mut missing = false;
        let fns = LivepatchFns {
            mutex: self.need(c"klp_mutex", &mut missing),
            patches: self.need(c"klp_patches", &mut missing),
        };
        if missing {
            pr_warn!("unsupported: livepatches need the symbols above; probes of functions that a livepatch has replaced never fire\n");
            return None;
        }
        Some(fns)
    }
}

pub(crate) fn resolve(without_text: bool) {
    let lookup = if without_text { None } else { Lookup::new() };
    let Some(mut lookup) = lookup else {
        pr_warn!("unsupported: kallsyms_lookup_name cannot be reached; no probes in kernel text\n");
        return;
    };
    if let Some(name) = prototypes::other(lookup.btf()) {
        let name = name.to_str().unwrap_or("?");
        pr_warn!("unsupported: dtrace.ko was built for a kernel in which {name} takes other arguments; no probes in kernel text\n");
        return;
    }
    let mut missing = lookup.on_each == 0;
    if missing {
        pr_warn!("this kernel has no symbol kallsyms_on_each_symbol\n");
    } else if lookup.read_promoted().is_err() {
        pr_warn!("unsupported: no memory for the kernel's names; no probes in kernel text\n");
        return;
    }
    let text = TextFns {
        batch_add: lookup.need(c"smp_text_poke_batch_add", &mut missing),
        batch_finish: lookup.need(c"smp_text_poke_batch_finish", &mut missing),
        poke: lookup.find(c"text_poke"),
        sync: lookup.find(c"smp_text_poke_sync_each_cpu"),
        poke_event: lookup.find(c"perf_event_text_poke"),
        jump_label_reserved: lookup.need(c"jump_label_text_reserved", &mut missing),
        static_call_reserved: lookup.need(c"static_call_text_reserved", &mut missing),
        ftrace_reserved: lookup.need(c"ftrace_text_reserved", &mut missing),
        // 7.3 does not have it, because it no longer patches lock prefixes.
        alternatives_reserved: lookup.find(c"alternatives_text_reserved"),
        stext: lookup.need(c"_stext", &mut missing),
        etext: lookup.need(c"_etext", &mut missing),
        get_kprobe: lookup.need(c"get_kprobe", &mut missing),
        kprobe_mutex: lookup.need(c"kprobe_mutex", &mut missing),
        text_mutex: lookup.need(c"text_mutex", &mut missing),
        module_mutex: lookup.need(c"module_mutex", &mut missing),
        modules: lookup.need(c"modules", &mut missing),
    };
    if missing {
        pr_warn!("unsupported: text patching needs the symbols above; no probes in kernel text\n");
        return;
    }
    let breakpoints = text.poke != 0 && text.sync != 0;
    if !breakpoints {
        pr_warn!("unsupported: text_poke cannot be reached; no probes by breakpoints\n");
    }
    let ftrace = lookup.ftrace();
    let livepatch = lookup.livepatch();
    let extable = lookup.find(c"search_exception_tables");
    let size_of = lookup.find(c"kallsyms_lookup_size_offset");
    let name_of = lookup.find(c"lookup_symbol_name");
    let may_access = lookup.find(c"ptrace_may_access");
    let cancel_work = lookup.find(c"task_work_cancel");
    let mut thunk = [0; 8];
    let return_thunk = match lookup.find(c"x86_return_thunk") as u64 {
        0 => None,
        at => crate::nofault::read_kernel(at, &mut thunk).ok().map(|()| u64::from_le_bytes(thunk)),
    };
    FOUND.populate(Found {
        lookup,
        text,
        extable,
        size_of,
        name_of,
        may_access,
        cancel_work,
        breakpoints,
        ftrace,
        livepatch,
        return_thunk,
    });
}

/// Tells whether this crate can change instructions of the kernel and inspect modules.
pub fn feature_text() -> bool {
    FOUND.as_ref().is_some()
}

/// Returns the resolved symbols. Having them is the evidence that all were found in the kernel
/// itself, and that functions have the prototypes with which the helpers call them.
pub(crate) fn text_fns() -> Option<&'static TextFns> {
    FOUND.as_ref().map(|found| &found.text)
}

/// Returns the resolved symbols if those for breakpoints are among them; evidence like
/// [`text_fns`].
pub(crate) fn breakpoint_fns() -> Option<&'static TextFns> {
    FOUND.as_ref().filter(|found| found.breakpoints).map(|found| &found.text)
}

/// Returns the resolved symbols of ftrace; evidence like [`text_fns`].
pub(crate) fn ftrace_fns() -> Option<&'static FtraceFns> {
    FOUND.as_ref()?.ftrace.as_ref()
}

/// Returns the resolved symbols of livepatch; evidence like [`text_fns`]. `None`: this kernel has no
/// livepatches, or they cannot be reached.
pub(crate) fn livepatch_fns() -> Option<&'static LivepatchFns> {
    FOUND.as_ref()?.livepatch.as_ref()
}

/// Does the work of [`crate::text::may_fault`]. Returns true if it cannot be determined.
pub(crate) fn may_fault(addr: u64) -> bool {
    match FOUND.as_ref() {
        // SAFETY: `f` is `search_exception_tables`, found in the kernel proper, with the prototype
        // that `prototypes.c` has checked; it takes any address, and only reads.
        Some(Found { extable: f @ 1.., .. }) => unsafe {
            sys::kapi_call4(*f, addr as c_ulong, 0, 0, 0) != 0
        },
        _ => true,
    }
}

/// Returns the address of `kallsyms_lookup_size_offset`.
pub(crate) fn size_of() -> Option<c_ulong> {
    FOUND.as_ref().map(|found| found.size_of).filter(|f| *f != 0)
}

/// Returns the address of `ptrace_may_access`; 0: it cannot be reached.
pub(crate) fn may_access() -> c_ulong {
    FOUND.as_ref().map_or(0, |found| found.may_access)
}

/// Returns the address of `task_work_cancel`; 0: it cannot be reached.
pub(crate) fn cancel_work() -> c_ulong {
    FOUND.as_ref().map_or(0, |found| found.cancel_work)
}

/// Returns the range of the kernel's own text; `None` if its symbols cannot be looked up.
pub fn text_range() -> Option<Range<u64>> {
    text_fns().map(|fns| fns.stext as u64..fns.etext as u64)
}

/// Tells whether a function's prototype in the kernel's BTF differs from `shape` (see
/// `prototypes.rs`). Returns false if it is unknown.
///
/// # Context
///
/// *process*
pub fn has_other_prototype(name: &CStr, shape: &CStr) -> bool {
    FOUND.as_ref().is_some_and(|found| prototypes::differs(found.lookup.btf(), name, shape))
}

/// Returns the address of a symbol of the kernel itself or of a module.
///
/// # Context
///
/// *process*
pub fn find(name: &CStr) -> Option<u64> {
    let addr = FOUND.as_ref()?.lookup.find_any(name);
    (addr != 0).then_some(addr as u64)
}

/// Returns the address of a symbol of the kernel itself.
pub(crate) fn find_kernel(name: &CStr) -> Option<u64> {
    let addr = FOUND.as_ref()?.lookup.find(name);
    (addr != 0).then_some(addr as u64)
}

/// Returns the range of a function of the kernel itself.
///
/// # Context
///
/// *process*
pub fn extent(name: &CStr) -> Option<Range<u64>> {
    let start = find(name)?;
    size_of()?;
    Some(rest(start))
}

/// Returns the range from here to the end of the function, or this one byte if its end is unknown.
pub(crate) fn rest(start: u64) -> Range<u64> {
    start..around(start).map_or(start.wrapping_add(1), |function| function.end)
}

/// Returns the range from the symbol at or before `addr` to the next one, in the kernel itself or
/// in a module.
///
/// # Context
///
/// *process*
pub fn around(addr: u64) -> Option<Range<u64>> {
    let (size_of, mut size, mut offset) = (size_of()?, 0_u64, 0_u64);
    let (to_size, to_offset) = (&raw mut size as c_ulong, &raw mut offset as c_ulong);
    // SAFETY: `size_of` is `kallsyms_lookup_size_offset(addr, size, offset)`, found in the kernel
    // proper, with the prototype that `prototypes.c` has checked; it takes any address.
    let found = unsafe { sys::kapi_call4(size_of, addr as c_ulong, to_size, to_offset, 0) };
    // It returns an `int`.
    if found as c_int == 0 || size <= offset {
        return None;
    }
    let start = addr.wrapping_sub(offset);
    Some(start..start.wrapping_add(size))
}

/// Calls `f` with the name of the symbol that contains `addr`; the name is empty if it is unknown.
///
/// # Context
///
/// *process*
pub fn with_name<R>(addr: u64, f: impl FnOnce(&[u8]) -> R) -> R {
    let mut name = [0; sys::NAME_LEN];
    let name_of = FOUND.as_ref().map(|found| found.name_of).filter(|f| *f != 0);
    let to = name.as_mut_ptr() as c_ulong;
    // SAFETY: `of` is `lookup_symbol_name(addr, to)`, found in the kernel proper, with the prototype
    // that `prototypes.c` has checked; it takes any address, and writes at most `KSYM_NAME_LEN`
    // bytes, which `name` has.
    let call = |of| unsafe { sys::kapi_call4(of, addr as c_ulong, to, 0, 0) };
    // It returns an `int`.
    let found = name_of.is_some_and(|of| call(of) as c_int == 0);
    let name = CStr::from_bytes_until_nul(&name).ok().filter(|_| found);
    f(name.map_or(b"", CStr::to_bytes))
}

/// Tells whether `addr` is in the kernel itself, not in a module.
pub fn is_kernel(addr: u64) -> bool {
    FOUND.as_ref().is_some_and(|found| found.lookup.kernel.contains(&(addr as c_ulong)))
}

/// Returns the range of the text that ran only when the kernel started, and is freed.
pub fn init_text_range() -> Option<Range<u64>> {
    Some(find(c"_sinittext")?..find(c"_einittext")?)
}

/// Returns the range of everything that was freed after the start: that text, data, and exit code
/// of built-in modules.
pub fn init_range() -> Option<Range<u64>> {
    Some(find(c"__init_begin")?..find(c"__init_end")?)
}

/// Returns the return thunk: the target of the jumps that replace returns, on a kernel that needs
/// them. The kernel chooses it when it starts, before modules are loaded.
pub fn return_thunk() -> Option<u64> {
    FOUND.as_ref()?.return_thunk
}

/// Calls `f` with each symbol of the kernel itself, not of modules, whose name begins with
/// `prefix`.
///
/// # Context
///
/// *process*; `f` may sleep.
pub fn for_each_kernel_symbol(prefix: &[u8], f: &mut dyn FnMut(&[u8], u64)) -> Result {
    kernel_symbols(&mut |name, addr| {
        if name.starts_with(prefix) {
            f(name, addr);
        }
        true
    })
}

/// Calls `f` with the symbols of the kernel itself, in the order of their addresses, until `f`
/// returns false.
///
/// # Context
///
/// *process*; `f` may sleep.
pub fn kernel_symbols(f: &mut dyn FnMut(&[u8], u64) -> bool) -> Result {
    FOUND.as_ref().ok_or(ENODEV)?.lookup.each(f);
    Ok(())
}
