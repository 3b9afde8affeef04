// SPDX-License-Identifier: GPL-2.0
//! The other side of this crate: the C helpers (`helpers/kapi.h`) and the assembly, as the linker
//! sees them.
//!
//! The `safe` functions accept every argument. The others state what their callers must guarantee.

use kernel::ffi::{c_char, c_int, c_long, c_uint, c_ulong, c_void};

/// `struct kapi_text_fns`: the resolved symbols for text patching. Zero: not found.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub(crate) struct TextFns {
    pub(crate) batch_add: c_ulong,
    pub(crate) batch_finish: c_ulong,
    pub(crate) poke: c_ulong,
    pub(crate) sync: c_ulong,
    pub(crate) poke_event: c_ulong,
    pub(crate) jump_label_reserved: c_ulong,
    pub(crate) static_call_reserved: c_ulong,
    pub(crate) ftrace_reserved: c_ulong,
    pub(crate) alternatives_reserved: c_ulong,
    pub(crate) stext: c_ulong,
    pub(crate) etext: c_ulong,
    pub(crate) text_mutex: c_ulong,
    pub(crate) module_mutex: c_ulong,
    pub(crate) modules: c_ulong,
}

/// `struct kapi_ftrace_fns`. `enabled` is the address of an `int`, or 0; no other member is 0.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub(crate) struct FtraceFns {
    pub(crate) add: c_ulong,
    pub(crate) del: c_ulong,
    pub(crate) hash_alloc: c_ulong,
    pub(crate) hash_free: c_ulong,
    pub(crate) hash_add: c_ulong,
    pub(crate) location: c_ulong,
    pub(crate) find_direct: c_ulong,
    pub(crate) enabled: c_ulong,
}

/// `enum kapi_kind`.
#[repr(u8)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Skip,
    Push,
    Jump,
    Branch,
    Call,
    Return,
    JumpReg,
    CallReg,
    Slot,
    Tail,
}

/// `struct kapi_site`.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub(crate) struct Site {
    pub(crate) addr: u64,
    pub(crate) target: u64,
    pub(crate) kind: Kind,
    /// The number of a register, or the condition of a branch.
    pub(crate) reg: u8,
    pub(crate) len: u8,
    pub(crate) first: u8,
    pub(crate) armed: u8,
    pub(crate) touched: u8,
    pub(crate) unused: [u8; 2],
}

/// `struct kapi_patch`. A change of one site: its address, the old and the new bytes. It can only be made of a boundary
/// and of known sound instructions, or takes back such a change.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Patch {
    pub(crate) addr: u64,
    pub(crate) old: [u8; 5],
    pub(crate) new: [u8; 5],
}

/// `struct kapi_code_mapping`. Mapped code. The C helpers fill it in.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
pub struct Mapping {
    /// Its first address.
    pub start: u64,
    /// The first address after it.
    pub end: u64,
    /// Its offset in the file.
    pub offset: u64,
    /// The inode number of the file.
    pub inode: u64,
    /// The time of the file's last change, in seconds.
    pub modified_s: i64,
    /// The nanoseconds of that time.
    pub modified_ns: i64,
    /// The file's device. All of these are zero for the vDSO.
    pub device: u32,
    /// It belongs to a file, or is the vDSO.
    pub is_object: bool,
}

/// `struct kapi_thread`. The observed state of a thread.
#[repr(C)]
#[derive(Debug)]
pub struct Thread {
    pub(crate) ip: u64,
    pub(crate) debugged: bool,
    pub(crate) may_fork: bool,
}

/// `struct kapi_poke`. A change of a byte of text.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Poke {
    pub(crate) addr: u64,
    pub(crate) text: u64,
    pub(crate) old: u8,
    pub(crate) new: u8,
    pub(crate) why: u8,
}

/// `kapi_thread_fn`
pub(crate) type ThreadFn =
    unsafe extern "C" fn(data: *mut c_void, mm: u64, thread: *const c_void) -> bool;

/// `struct kapi_found`
#[repr(C)]
#[derive(Default)]
pub(crate) struct Found {
    pub(crate) wide: bool,
    pub(crate) shadow_stack: bool,
}

pub(crate) type OnRange = unsafe extern "C" fn(arg: *mut c_void, start: u64, end: u64, why: c_uint);
pub(crate) type Call = unsafe extern "C" fn(arg: *mut c_void);
pub(crate) type OnTick =
    unsafe extern "C" fn(arg: *mut c_void, kernel_pc: u64, user_pc: u64, late: u64);
pub(crate) type OnCount = unsafe extern "C" fn(arg: *mut c_void, kernel_pc: u64, user_pc: u64);
pub(crate) type OnModule = unsafe extern "C" fn(event: c_ulong, module: *mut c_void);
pub(crate) type OnEnd = extern "C" fn(task: u64, mark: u64);
pub(crate) type OnSwitch = extern "C" fn(next: u64, mark: u64, runtime: u64);
pub(crate) type OnTracepoint = unsafe extern "C" fn(tp: *mut c_void, arg: *mut c_void);
pub(crate) type TracepointHit = unsafe extern "C" fn(number: u64, args: *const u64, stack: u64);
pub(crate) type OnSymbol =
    unsafe extern "C" fn(arg: *mut c_void, name: *const c_char, addr: c_ulong, kind: c_char);
pub(crate) type OnKernelSymbol =
    unsafe extern "C" fn(arg: *mut c_void, name: *const c_char, addr: c_ulong) -> c_int;

/// KSYM_NAME_LEN
pub(crate) const NAME_LEN: usize = kernel::bindings::KSYM_NAME_LEN as usize;

unsafe extern "C" {
    /// Interrupts are off.
    pub(crate) fn kapi_probe_count_dropped();
    pub(crate) safe fn kapi_is_xen_pv() -> bool;
    /// Each CPU has one, so by `gs` only: not 0 while a probe is served there.
    pub(crate) static kapi_probe_busy: c_ulong;
    /// Each CPU has one, so by `gs` only: the CPU that a probe there is served for.
    pub(crate) static kapi_probe_cpu: c_ulong;
    /// Nobody has entered a probe yet.
    pub(crate) fn kapi_probe_init();
    pub(crate) safe fn kapi_probe_end();
    /// The kernel's; each CPU has one, so by `gs` only.
    pub(crate) static const_current_task: *mut c_void;
    /// As above.
    pub(crate) static __preempt_count: c_int;
    /// `cpu` is possible.
    pub(crate) fn kapi_probe_nested(cpu: c_uint) -> u64;
    pub(crate) safe fn kapi_probe_deaths() -> c_ulong;

    /// `call` and `offline` accept `arg`.
    pub(crate) fn kapi_call_on(cpu: c_uint, call: Call, offline: Call, arg: *mut c_void) -> c_int;
    pub(crate) safe fn kapi_sync() -> bool;
    pub(crate) safe fn kapi_quiesce();
    pub(crate) safe fn kapi_breathe();
    pub(crate) safe fn kapi_cpu_possible(cpu: c_uint) -> bool;
    pub(crate) safe fn kapi_cpu_online(cpu: c_uint) -> bool;

    /// `who` is less than the number of `stuck::Who`; `again` can be called as long as the module
    /// is loaded.
    pub(crate) fn kapi_stuck_keep(who: c_uint, again: extern "C" fn() -> bool) -> bool;
    pub(crate) safe fn kapi_stuck_end();
    pub(crate) safe fn kapi_keep(now: u64, ns: u64) -> bool;
    pub(crate) safe fn kapi_alive_init();
    pub(crate) safe fn kapi_nofault_init();
    /// The range is the kernel's BTF, or empty (0 twice). Returns a C string that stays, or null.
    pub(crate) fn kapi_prototypes_other(start: u64, stop: u64) -> *const c_char;
    /// As above; `name` and `shape` are C strings.
    pub(crate) fn kapi_prototype_differs(
        start: u64,
        stop: u64,
        name: *const c_char,
        shape: *const c_char,
    ) -> bool;
    pub(crate) safe fn kapi_alive_ask();
    pub(crate) safe fn kapi_alive_answered() -> u64;
    pub(crate) safe fn kapi_alive_awake() -> u64;
    pub(crate) safe fn kapi_alive_end();

    /// `which` is a `Lock` that the caller does not hold.
    pub(crate) fn kapi_lock(which: c_uint);
    /// `which` is a `Lock` that the caller holds.
    pub(crate) fn kapi_unlock(which: c_uint);

    pub(crate) safe fn kapi_task_ppid() -> c_int;
    pub(crate) safe fn kapi_task_descends_from(tgid: c_int) -> c_int;
    pub(crate) safe fn kapi_task_uid() -> u32;
    pub(crate) safe fn kapi_task_gid() -> u32;
    pub(crate) safe fn kapi_task_context() -> u32;
    /// Constant.
    pub(crate) safe static kapi_over_task: u32;
    pub(crate) safe static kapi_task_mark: u32;
    pub(crate) safe fn kapi_task_runtime() -> u64;
    pub(crate) safe fn kapi_task_register(n: u32, value: &mut u64) -> bool;
    /// `to` has room for `size` bytes, and that is not 0.
    pub(crate) fn kapi_task_path(root: bool, to: *mut u8, size: u32) -> u32;
    /// As above; `at` may be any address.
    pub(crate) fn kapi_path(at: u64, of_mount: bool, to: *mut u8, size: u32) -> u32;
    pub(crate) safe static kapi_mutex_owner: u32;
    pub(crate) safe static kapi_rwsem_count: u32;
    pub(crate) safe static kapi_rwsem_owner: u32;
    pub(crate) safe static kapi_rwsem_readers: u64;
    pub(crate) safe static kapi_rwsem_writer: u64;
    pub(crate) safe fn kapi_task_euid() -> u32;
    pub(crate) safe fn kapi_task_egid() -> u32;
    pub(crate) safe fn kapi_task_ns_number(thread: bool) -> c_int;
    pub(crate) safe fn kapi_task_cgroup() -> u64;
    pub(crate) safe fn kapi_task_file(fd: c_uint) -> u64;
    pub(crate) safe fn kapi_task_args(start: &mut u64, end: &mut u64) -> bool;
    pub(crate) safe fn kapi_task_may_trace() -> bool;
    pub(crate) safe fn kapi_task_is_dying() -> bool;
    pub(crate) safe fn kapi_task_may_destroy() -> bool;
    pub(crate) safe fn kapi_task_owner() -> u32;
    pub(crate) safe fn kapi_task_destructive() -> bool;
    pub(crate) safe fn kapi_task_locked_down(writes: bool) -> c_int;

    pub(crate) safe fn kapi_ends_watch(f: OnEnd) -> c_int;
    pub(crate) safe fn kapi_ends_unwatch();
    pub(crate) safe fn kapi_switches_watch(f: OnSwitch) -> c_int;
    pub(crate) safe fn kapi_switches_unwatch();
    pub(crate) safe fn kapi_threads_quiesce();

    /// `f` accepts `arg`.
    pub(crate) fn kapi_tracepoints(f: OnTracepoint, arg: *mut c_void);
    /// `tp` is from `kapi_tracepoints`, here and in the next two functions.
    pub(crate) fn kapi_tracepoint_name(tp: *const c_void) -> *const c_char;
    /// `fns` is null or from `symbols`. `f` is the same each time; it is called with five numbers in
    /// `args`.
    pub(crate) fn kapi_tracepoint_attach(
        fns: *const TextFns,
        tp: *mut c_void,
        number: u64,
        f: TracepointHit,
    ) -> c_int;
    pub(crate) fn kapi_tracepoint_detach(tp: *mut c_void, number: u64);
    pub(crate) safe fn kapi_tracepoints_quiesce();
    /// `module` is held, here and in the next two functions; `n` is less than this number.
    pub(crate) fn kapi_module_tracepoint_count(module: *const c_void) -> u32;
    pub(crate) fn kapi_module_tracepoint_name(module: *const c_void, n: u32) -> *const c_char;
    pub(crate) fn kapi_module_tracepoint_get(module: *mut c_void, n: u32) -> *mut c_void;
    /// `t` is from `kapi_module_tracepoint_get`, here and in the next two functions; the last one
    /// frees it. `f` as above.
    pub(crate) fn kapi_module_tracepoint_attach(
        fns: *const TextFns,
        t: *mut c_void,
        number: u64,
        f: TracepointHit,
    ) -> c_int;
    pub(crate) fn kapi_module_tracepoint_detach(t: *mut c_void);
    pub(crate) fn kapi_module_tracepoint_put(t: *mut c_void);

    pub(crate) safe fn kapi_field(n: u32, offset: &mut u32, size: &mut u32) -> bool;
    pub(crate) safe fn kapi_cpu_info(cpu: u32) -> u64;
    pub(crate) safe static kapi_bdev_submits_bios: u32;
    pub(crate) safe static kapi_folio_is_large: u64;
    pub(crate) safe static kapi_dentry_alias: u32;

    /// `to` has room for `len` bytes.
    pub(crate) fn kapi_read_kernel(to: *mut u8, addr: u64, len: usize) -> c_int;
    /// `to` has room for `len` bytes.
    pub(crate) fn kapi_read_user(to: *mut u8, addr: u64, len: usize) -> c_int;
    /// `from` has `len` bytes.
    pub(crate) fn kapi_write_user(addr: u64, from: *const u8, len: usize) -> c_int;

    /// Only in probe context.
    pub(crate) fn kapi_signal(sig: c_int) -> c_int;
    pub(crate) safe fn kapi_signals_quiesce();

    /// `to` is null, or has room for `8 * max` bytes. Only in probe context.
    pub(crate) fn kapi_stack_kernel(to: *mut u8, max: u32, skip: u32, interrupt: bool) -> u32;
    /// Only in probe context.
    pub(crate) fn kapi_stack_register(n: u32, interrupt: bool, value: &mut u64) -> bool;
    pub(crate) safe fn kapi_stack_mapping(addr: u64, to: &mut Mapping) -> bool;

    pub(crate) safe fn kapi_space_of(number: c_int, found: &mut Found) -> *mut c_void;
    pub(crate) safe fn kapi_space_current() -> *mut c_void;
    /// `mm` is a reference to an `mm_struct`, and is not used again.
    pub(crate) fn kapi_space_drop(mm: *mut c_void);
    /// `mm` is an `mm_struct`, here and below.
    pub(crate) fn kapi_space_alive(mm: *mut c_void) -> bool;
    pub(crate) fn kapi_space_touch(mm: *mut c_void, addr: u64) -> c_int;
    /// `to` has room for `len` bytes.
    pub(crate) fn kapi_space_read(
        mm: *mut c_void,
        addr: u64,
        to: *mut u8,
        len: usize,
        why: &mut u8,
    ) -> usize;
    /// `pokes` has `n` members.
    pub(crate) fn kapi_space_poke(mm: *mut c_void, pokes: *mut Poke, n: usize, patient: bool);
    pub(crate) fn kapi_space_ground(mm: *mut c_void, addr: u64, text: &mut u64) -> u8;
    pub(crate) fn kapi_space_counter(mm: *mut c_void, addr: u64, probe: u64) -> bool;
    /// `from` has `len` bytes.
    pub(crate) fn kapi_space_write(
        mm: *mut c_void,
        addr: u64,
        from: *const u8,
        len: usize,
    ) -> c_int;
    pub(crate) fn kapi_space_map(mm: *mut c_void, near: u64, size: u64) -> c_long;
    /// No thread is there, or gets there.
    pub(crate) fn kapi_space_unmap(mm: *mut c_void, at: u64, size: u64) -> c_int;
    pub(crate) fn kapi_space_inside(mm: *mut c_void, at: u64, size: u64) -> bool;
    /// `tell` accepts `data`.
    pub(crate) fn kapi_each_thread(tell: ThreadFn, data: *mut c_void);
    pub(crate) safe fn kapi_user_later(ms: u32);
    pub(crate) safe fn kapi_shadow_stack() -> bool;
    pub(crate) safe fn kapi_user_vector(n: u32) -> u64;
    pub(crate) safe fn kapi_user_awaits_children(parent: u64) -> bool;
    pub(crate) safe fn kapi_user_watch() -> c_int;
    pub(crate) safe fn kapi_user_unwatch();

    pub(crate) safe fn kapi_zalloc(bytes: usize) -> *mut u8;
    pub(crate) safe fn kapi_alloc_exact(bytes: usize) -> *mut u8;
    pub(crate) safe fn kapi_alloc_charged(bytes: usize) -> *mut u8;

    pub(crate) safe fn kapi_find_lookup() -> c_ulong;
    /// `on_each` is the address of `kallsyms_on_each_symbol`; `f` accepts `arg`.
    pub(crate) fn kapi_each_kernel_symbol(
        on_each: c_ulong,
        f: OnKernelSymbol,
        arg: *mut c_void,
    ) -> c_int;

    /// `size_of` is the address of `kallsyms_lookup_size_offset`.
    pub(crate) fn kapi_symbol_around(
        size_of: c_ulong,
        addr: u64,
        start: &mut u64,
        end: &mut u64,
    ) -> bool;
    /// `name_of` is the address of `lookup_symbol_name`; afterwards `to` holds a C string.
    pub(crate) fn kapi_symbol_name(name_of: c_ulong, addr: u64, to: &mut [u8; NAME_LEN]) -> bool;

    pub(crate) safe fn kapi_modules_watch(f: OnModule) -> c_int;
    pub(crate) safe fn kapi_modules_unwatch();
    pub(crate) safe fn kapi_module_own() -> *mut c_void;
    /// `prev` is null, or from this function and not used again; `list` is `modules`, `mutex` is
    /// `module_mutex`.
    pub(crate) fn kapi_module_next(prev: *mut c_void, list: c_ulong, mutex: c_ulong)
        -> *mut c_void;
    /// `module` exists.
    pub(crate) fn kapi_module_name(module: *mut c_void) -> *const c_char;
    /// `module` exists.
    pub(crate) fn kapi_module_text(module: *mut c_void, init: bool, base: &mut u64, size: &mut u64);
    /// `module` exists.
    pub(crate) fn kapi_module_contains(module: *mut c_void, addr: u64, len: usize) -> bool;
    /// `module` exists; `mutex` is `module_mutex`, which the caller does not hold; `f` accepts
    /// `arg`.
    pub(crate) fn kapi_module_symbols(
        module: *mut c_void,
        mutex: c_ulong,
        f: OnSymbol,
        arg: *mut c_void,
    );

    pub(crate) safe fn kapi_node_on() -> c_int;
    pub(crate) safe fn kapi_node_off();
    /// `misc` is registered.
    pub(crate) fn kapi_device_own(misc: *mut c_void) -> c_int;

    /// `fns` comes from `symbols`: its members are what their names say. `batch` has `n` members.
    pub(crate) fn kapi_text_patch(
        fns: &TextFns,
        batch: *const Patch,
        n: usize,
        at: &mut usize,
    ) -> c_int;
    /// `fns` comes from `symbols`; `batch` and `why` have `n` members, at most `CHUNK`.
    pub(crate) fn kapi_text_patch_each(fns: &TextFns, batch: *const Patch, n: usize, why: *mut u8);
    /// `fns` comes from `symbols`.
    pub(crate) fn kapi_text_reserved(fns: &TextFns, addr: u64, len: usize) -> bool;

    /// Under `Lock::Sites`, like every use of the table.
    pub(crate) fn kapi_sites_reserve(more: usize) -> c_int;
    /// Under `Lock::Sites`.
    pub(crate) fn kapi_sites_check(site: &Site) -> c_int;
    /// Under `Lock::Sites`; the site is not known yet.
    pub(crate) fn kapi_sites_add(site: &Site) -> c_int;
    /// Under `Lock::Sites`.
    pub(crate) fn kapi_slot_again(len: u8) -> c_long;
    /// Under `Lock::Sites`.
    pub(crate) fn kapi_sites_forget(start: u64, end: u64);
    /// Under `Lock::Sites`. `fns` comes from `symbols`. No breakpoint is armed, and no CPU or task
    /// that came from a site of the table is still on its way.
    pub(crate) fn kapi_sites_free(fns: &TextFns) -> bool;
    /// Under `Lock::Sites`. `fns` comes from `symbols`; `addrs` and `why` have `n` members, at most
    /// `CHUNK`.
    pub(crate) fn kapi_sites_poke(
        fns: &TextFns,
        addrs: *const u64,
        n: usize,
        arm: bool,
        why: *mut u8,
    );
    /// `fns` comes from `symbols`.
    pub(crate) fn kapi_sites_sync(fns: &TextFns);
    /// Under `Lock::Sites`. `fns` comes from `symbols`.
    pub(crate) fn kapi_sites_restore(fns: &TextFns);
    /// `fns` comes from `symbols`; `bytes` has `len` bytes, the pool has room for them from `at`
    /// on, and no site leads there yet.
    pub(crate) fn kapi_pool_write(fns: &TextFns, at: usize, bytes: *const u8, len: usize) -> c_int;
    /// Only once, until `kapi_breakpoints_off`.
    pub(crate) fn kapi_breakpoints_on() -> c_int;
    /// No site is armed.
    pub(crate) fn kapi_breakpoints_off();

    /// `fns` comes from `symbols`.
    pub(crate) fn kapi_ftrace_location(fns: &FtraceFns, addr: u64) -> u64;
    /// `fns` comes from `symbols`; `sites` and `why` have `n` members.
    pub(crate) fn kapi_ftrace_sort_out(
        fns: &FtraceFns,
        sites: *const u64,
        n: usize,
        on: bool,
        why: *mut u8,
    );
    /// Under `Lock::Ftrace`. `fns` comes from `symbols`; `sites` has `n` members.
    pub(crate) fn kapi_ftrace_update(fns: &FtraceFns, sites: *mut u64, n: usize, on: bool)
        -> c_int;
    /// `sites` has `max` members.
    pub(crate) fn kapi_ftrace_shared(sites: *mut u64, max: usize) -> usize;
    pub(crate) safe fn kapi_ftrace_attached() -> bool;
    pub(crate) safe fn kapi_ftrace_detach_all() -> c_int;

    /// `list` and `mutex` are those of kprobes; `f` accepts `arg`.
    pub(crate) fn kapi_kprobe_blacklist(
        list: c_ulong,
        mutex: c_ulong,
        f: OnRange,
        arg: *mut c_void,
    );
    /// `module` exists, `size_of` is `kallsyms_lookup_size_offset`; `f` accepts `arg`.
    pub(crate) fn kapi_module_forbidden(
        module: *mut c_void,
        size_of: c_ulong,
        f: OnRange,
        arg: *mut c_void,
    );
    /// `chain` is `die_chain`, `size_of` as above; `f` accepts `arg`.
    pub(crate) fn kapi_die_chain(
        chain: c_ulong,
        size_of: c_ulong,
        f: OnRange,
        arg: *mut c_void,
    ) -> bool;
    /// `size_of` as above.
    pub(crate) fn kapi_symbol_end(size_of: c_ulong, addr: u64) -> u64;
    /// The range is a table of `struct static_call_site`; `f` accepts `arg`.
    pub(crate) fn kapi_static_calls(start: u64, stop: u64, f: OnRange, arg: *mut c_void);
    /// The range is a table of `struct jump_entry`; `f` accepts `arg`.
    pub(crate) fn kapi_jump_labels(start: u64, stop: u64, f: OnRange, arg: *mut c_void);
    /// `module` exists; `f` accepts `arg`.
    pub(crate) fn kapi_module_sites(module: *mut c_void, f: OnRange, arg: *mut c_void);

    /// Returns null, or a constant string.
    pub(crate) safe fn kapi_syscall_symbol(ia32: bool, nr: u32) -> *const c_char;
    pub(crate) safe fn kapi_syscall_count(ia32: bool) -> u32;
    /// `to` has room for six words.
    pub(crate) fn kapi_syscall_args(regs: u64, ia32: bool, to: *mut u64);
    pub(crate) safe fn kapi_syscall_number() -> u32;

    /// `f` accepts `arg` until the ticker is stopped, in hard interrupts of any CPU.
    pub(crate) fn kapi_ticker_start(
        interval: u64,
        everywhere: bool,
        f: OnTick,
        arg: *mut c_void,
    ) -> *mut c_void;
    /// `ticker` is from `kapi_ticker_start`, and is not used again.
    pub(crate) fn kapi_ticker_stop(ticker: *mut c_void);

    pub(crate) safe fn kapi_counter_exists(
        kind: u32,
        config: u64,
        period: u64,
        user: bool,
        kernel: bool,
    ) -> c_int;
    /// `f` accepts `arg` until the counter is stopped, in NMIs of any CPU.
    pub(crate) fn kapi_counter_start(
        kind: u32,
        config: u64,
        period: u64,
        user: bool,
        kernel: bool,
        f: OnCount,
        arg: *mut c_void,
    ) -> *mut c_void;
    /// `counter` is from `kapi_counter_start`, and is not used again.
    pub(crate) fn kapi_counter_stop(counter: *mut c_void);

    pub(crate) safe fn kapi_follower_new(fd: c_int) -> *mut c_void;
    /// `follower` is from `kapi_follower_new`, here and below; after this, it is not used again.
    pub(crate) fn kapi_follower_free(follower: *mut c_void);
    pub(crate) fn kapi_follower_add(follower: *mut c_void, number: c_int) -> c_int;
    pub(crate) fn kapi_follower_ignore(
        follower: *mut c_void,
        inode: u64,
        modified: u64,
        device: u32,
    ) -> c_int;
    /// `to` has room for `room` numbers.
    pub(crate) fn kapi_follower_begun(follower: *mut c_void, to: *mut u32, room: u32) -> u32;
    pub(crate) fn kapi_follower_asked(follower: *mut c_void) -> u32;
    pub(crate) fn kapi_follower_answer(follower: *mut c_void, asked: u32) -> u32;
    pub(crate) safe fn kapi_follow_quiesce();

    pub(crate) safe fn kapi_waker_new(fd: c_int) -> *mut c_void;
    /// `waker` is from `kapi_waker_new`.
    pub(crate) fn kapi_waker_wake(waker: *mut c_void);
    /// `waker` is from `kapi_waker_new`, and is not used again.
    pub(crate) fn kapi_waker_free(waker: *mut c_void);

    /// `f` is the address of a function that takes these arguments.
    pub(crate) fn kapi_call4(f: c_ulong, a: c_ulong, b: c_ulong, c: c_ulong, d: c_ulong) -> c_long;
    /// Not to be called: its address goes into a probe site.
    pub(crate) fn kapi_sdt_trampoline();
    /// Not to be called: its address goes into a probe site.
    pub(crate) fn kapi_entry_trampoline();
    /// Not to be called.
    pub(crate) fn kapi_return_trampoline();
    /// Not to be called.
    pub(crate) fn kapi_tail_trampoline();
    /// Not to be called: it is a call in a trampoline.
    pub(crate) fn kapi_entry_call();
    /// Not to be called: it is a call in a trampoline.
    pub(crate) fn kapi_return_call();
    /// Not to be called: the trampolines call it at first.
    pub(crate) fn kapi_unset_handler();
    /// Not to be called.
    pub(crate) fn kapi_pool();
}
