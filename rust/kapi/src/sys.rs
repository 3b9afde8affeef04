// SPDX-License-Identifier: GPL-2.0
//! The other side of this crate: the C helpers (`helpers/kapi.h`) and the assembly, as the linker
//! sees them.
//!
//! The `safe` functions accept every argument. The others state what their callers must guarantee.

use core::sync::atomic::{AtomicU32, AtomicU8};
use kernel::bindings::pt_regs;
use kernel::ffi::{c_char, c_int, c_long, c_uint, c_ulong, c_void};

/// `GOLDEN_RATIO_64` of `<linux/hash.h>`: a multiplier that spreads keys over a table.
pub(crate) const GOLDEN_RATIO: u64 = 0x61c8_8646_80b5_83eb;

/// The resolved symbols for text patching. Zero: not found.
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
    pub(crate) get_kprobe: c_ulong,
    pub(crate) kprobe_mutex: c_ulong,
    pub(crate) text_mutex: c_ulong,
    pub(crate) module_mutex: c_ulong,
    pub(crate) modules: c_ulong,
}

/// The resolved symbols of ftrace. `enabled` is the address of an `int`, or 0; no other member is 0.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FtraceFns {
    pub(crate) add: c_ulong,
    pub(crate) del: c_ulong,
    pub(crate) hash_alloc: c_ulong,
    pub(crate) hash_free: c_ulong,
    pub(crate) hash_add: c_ulong,
    pub(crate) location: c_ulong,
    pub(crate) find_direct: c_ulong,
    pub(crate) is_dead: c_ulong,
}

/// The resolved symbols of livepatch: the addresses of its mutex and of its list of patches.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LivepatchFns {
    pub(crate) mutex: c_ulong,
    pub(crate) patches: c_ulong,
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
#[derive(Debug)]
pub(crate) struct Site {
    pub(crate) addr: u64,
    pub(crate) target: u64,
    pub(crate) kind: Kind,
    /// The number of a register, or the condition of a branch.
    pub(crate) reg: u8,
    pub(crate) len: u8,
    pub(crate) armed: AtomicU8,
    /// It ever had a breakpoint.
    pub(crate) touched: AtomicU8,
    /// The instruction, if it may have a breakpoint.
    pub(crate) bytes: [u8; 15],
    pub(crate) unused: [u8; 4],
}

/// A change of one site: its address, the old and the new bytes. It can only be made of a boundary
/// and of known sound instructions, or takes back such a change.
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
#[derive(Debug, Default)]
pub struct Thread {
    pub(crate) ip: u64,
    pub(crate) di: u64,
    pub(crate) bx: u64,
    pub(crate) call: u32,
    pub(crate) id: u32,
    pub(crate) debugged: bool,
}

/// `struct kapi_area`. A mapping of a process. What follows `offset` tells the file, or is 0.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Area {
    pub(crate) start: u64,
    pub(crate) end: u64,
    pub(crate) flags: u64,
    pub(crate) offset: u64,
    /// Its address, which tells it from other files as long as the mapping exists.
    pub(crate) inode: u64,
    pub(crate) number: u64,
    /// The inode number and the device that `/proc/PID/maps` shows.
    pub(crate) shown_number: u64,
    pub(crate) device: u32,
    pub(crate) generation: u32,
    pub(crate) shown_device: u32,
    /// A fault there ends without the help of a user's program.
    pub(crate) answers: bool,
}

/// `struct kapi_event`. The event that a counter counts.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Event {
    /// `config` of a `perf_event_attr`.
    pub config: u64,
    /// The number of events from one call of [`Count::counted`](crate::counter::Count::counted) to
    /// the next.
    pub period: u64,
    /// Its `type`.
    pub kind: u32,
    /// Events in processes count.
    pub user: bool,
    /// Events in the kernel count.
    pub kernel: bool,
}

/// `struct kapi_counting`. The callback of an event.
#[repr(C)]
pub(crate) struct Counting {
    pub(crate) fn_: OnCount,
    pub(crate) arg: *mut c_void,
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
    pub(crate) owner: u32,
}

/// `struct kapi_mapped`. A piece of a file that a process has mapped.
#[repr(C)]
pub(crate) struct Mapped {
    /// The file, if the piece can be run.
    pub(crate) inode: u64,
    pub(crate) modified: u64,
    pub(crate) device: u32,
    pub(crate) shared: bool,
    /// It can be run.
    pub(crate) runs: bool,
    /// It can be written, or was.
    pub(crate) own: bool,
}

pub(crate) type Aside = unsafe extern "C" fn(arg: *mut c_void);
pub(crate) type Done = unsafe extern "C" fn(arg: *mut c_void) -> bool;
pub(crate) type OnTick =
    unsafe extern "C" fn(arg: *mut c_void, kernel_pc: u64, user_pc: u64, late: u64);
pub(crate) type OnCount =
    unsafe extern "C" fn(arg: *mut c_void, kernel_pc: u64, user_pc: u64, what: u32);
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

    /// `f` accepts `arg`.
    pub(crate) fn kapi_aside(f: Aside, arg: *mut c_void);
    pub(crate) safe fn kapi_sync() -> bool;
    pub(crate) safe fn kapi_quiesce();
    pub(crate) safe fn kapi_breathe();
    pub(crate) safe fn kapi_irqs_are_off() -> bool;
    pub(crate) safe fn kapi_cpu_possible(cpu: c_uint) -> bool;
    pub(crate) safe fn kapi_cpu_online(cpu: c_uint) -> bool;

    pub(crate) safe fn kapi_stuck_later();
    pub(crate) safe fn kapi_stuck_end();
    pub(crate) safe fn kapi_keep(now: u64, ns: u64) -> bool;
    pub(crate) safe fn kapi_alive_init();
    pub(crate) safe fn kapi_nofault_init();
    pub(crate) safe fn kapi_alive_ask();
    pub(crate) safe fn kapi_alive_answered() -> u64;
    pub(crate) safe fn kapi_alive_end();

    /// `which` is a `Lock` that the caller does not hold.
    pub(crate) fn kapi_lock(which: c_uint);
    /// `which` is a `Lock` that the caller holds.
    pub(crate) fn kapi_unlock(which: c_uint);

    pub(crate) safe fn kapi_task_context() -> u32;
    /// Constant.
    pub(crate) safe static kapi_over_task: u32;
    pub(crate) safe static kapi_mutex_owner: u32;
    pub(crate) safe static kapi_rwsem_count: u32;
    pub(crate) safe static kapi_rwsem_owner: u32;
    pub(crate) safe static kapi_rwsem_readers: u64;
    pub(crate) safe static kapi_rwsem_writer: u64;
    /// `regs` are registers of a task, `n` is less than 21.
    pub(crate) fn kapi_register_of(regs: *const pt_regs, n: u32) -> u64;
    pub(crate) safe fn kapi_task_registers() -> *const pt_regs;
    pub(crate) safe fn kapi_task_file(fd: c_uint) -> u64;
    pub(crate) safe fn kapi_task_is_dying() -> bool;
    pub(crate) safe fn kapi_task_destructive() -> bool;
    pub(crate) safe fn kapi_locked_down(what: c_uint) -> c_int;

    /// Not to be called: tracepoints call it.
    pub(crate) fn kapi_tracepoint(number: *mut c_void, a: u64, b: u64, c: u64, d: u64, e: u64);
    pub(crate) safe fn kapi_tracepoints_synchronize();

    pub(crate) safe fn kapi_field(n: u32, offset: &mut u32, size: &mut u32) -> bool;
    pub(crate) safe fn kapi_cpu_info(cpu: u32) -> u64;
    pub(crate) safe static kapi_bdev_submits_bios: u32;
    pub(crate) safe static kapi_folio_is_large: u64;
    pub(crate) safe static kapi_dentry_alias: u32;
    pub(crate) safe static kapi_fs_root: u32;
    pub(crate) safe static kapi_fs_pwd: u32;

    /// `to` has room for `len` bytes.
    pub(crate) fn kapi_read_kernel(to: *mut u8, addr: u64, len: usize) -> c_int;
    /// `to` has room for `len` bytes.
    pub(crate) fn kapi_read_user(to: *mut u8, addr: u64, len: usize) -> c_int;
    /// `from` has `len` bytes.
    pub(crate) fn kapi_write_user(addr: u64, from: *const u8, len: usize) -> c_int;

    pub(crate) safe fn kapi_irq_work_runs() -> bool;
    /// Only in probe context.
    pub(crate) fn kapi_signal(sig: c_int) -> c_int;
    pub(crate) safe fn kapi_signals_quiesce();

    /// `to` is null, or has room for `8 * max` bytes. Only in probe context.
    pub(crate) fn kapi_stack_kernel(to: *mut u8, max: u32, skip: u32, interrupt: bool) -> u32;
    /// Only in probe context.
    pub(crate) fn kapi_stack_register(n: u32, interrupt: bool, value: &mut u64) -> bool;
    pub(crate) safe fn kapi_stack_mapping(addr: u64, to: &mut Mapping) -> bool;

    pub(crate) safe fn kapi_space_of(number: c_int, found: &mut Found) -> *mut c_void;
    /// `may_access` is the address of `ptrace_may_access`, or 0.
    pub(crate) fn kapi_space_to_change(
        number: c_int,
        may_access: c_ulong,
        found: &mut Found,
        mm: &mut *mut c_void,
    ) -> c_int;
    pub(crate) safe fn kapi_space_current() -> *mut c_void;
    /// `mm` is an `mm_struct`, here and below.
    pub(crate) fn kapi_space_alive(mm: *mut c_void) -> bool;
    pub(crate) fn kapi_owner(task: *const c_void) -> u32;
    pub(crate) fn kapi_space_is_of(mm: *mut c_void, number: c_int) -> bool;
    pub(crate) safe fn kapi_space_limit() -> u64;
    /// `mm` has users. If it returns true, the caller unlocks it.
    pub(crate) fn kapi_space_lock_killable(mm: *mut c_void) -> bool;
    /// Under `mmap_lock`.
    pub(crate) fn kapi_space_area(mm: *mut c_void, addr: u64, to: &mut Area) -> bool;
    /// `page` is a reference to a page.
    pub(crate) fn kapi_page_is_copy(page: *mut c_void) -> bool;
    /// Under `mmap_lock`. `page` has room for one; if it returns 1, that is a reference.
    pub(crate) fn kapi_space_page(
        mm: *mut c_void,
        addr: u64,
        flags: u32,
        patient: bool,
        page: *mut *mut c_void,
    ) -> c_long;
    pub(crate) safe fn kapi_is_ending() -> bool;
    /// `page` is a reference to a page, and is not used again.
    pub(crate) fn kapi_page_put(page: *mut c_void, dirty: bool);
    /// The current thread uses a process's memory.
    pub(crate) fn kapi_map_code(at: u64, size: u64) -> c_long;
    /// `mm` has users.
    pub(crate) fn kapi_map_there(
        mm: *mut c_void,
        owner: u32,
        near: u64,
        size: u64,
        ns: u64,
        looked: &mut u64,
    ) -> c_long;
    /// `mm` has users, and `pages` has `n` addresses.
    pub(crate) fn kapi_copy_there(
        mm: *mut c_void,
        owner: u32,
        pages: *const u64,
        n: u32,
        ns: u64,
    ) -> c_long;
    /// No thread is there, or gets there.
    pub(crate) fn kapi_unmaps_add(mm: *mut c_void, at: u64, size: u64) -> c_int;
    pub(crate) fn kapi_thread_alone(mm: *mut c_void, thread: &mut Thread) -> bool;
    /// `tell` accepts `data`.
    pub(crate) fn kapi_each_thread(tell: ThreadFn, data: *mut c_void);
    pub(crate) safe fn kapi_user_later(ms: u32);
    pub(crate) safe fn kapi_shadow_stack() -> bool;
    pub(crate) safe fn kapi_shadows_seen();
    pub(crate) safe fn kapi_user_vector(n: u32) -> u64;
    pub(crate) safe fn kapi_user_awaits_children(parent: u64) -> bool;
    pub(crate) safe fn kapi_user_breakpoints_on() -> c_int;
    pub(crate) safe fn kapi_user_breakpoints_off();
    pub(crate) safe fn kapi_user_works_end();
    pub(crate) safe fn kapi_spaces_changed();
    /// Not to be called: a tracepoint calls it, like the next function.
    pub(crate) fn kapi_signal_delivered(
        data: *mut c_void,
        sig: c_int,
        info: *mut c_void,
        action: *mut c_void,
    );
    pub(crate) fn kapi_forked(data: *mut c_void, parent: *mut c_void, task: *mut c_void);
    pub(crate) safe fn kapi_children_reserve() -> c_int;
    pub(crate) safe fn kapi_children_await();
    /// No process is traced.
    pub(crate) fn kapi_children_free();
    pub(crate) safe fn kapi_unmaps_begin() -> c_int;
    /// `kapi_unmaps_begin` has succeeded.
    pub(crate) fn kapi_unmaps_end();

    pub(crate) safe fn kapi_memory_available() -> usize;
    pub(crate) safe fn kapi_memory_total() -> usize;
    pub(crate) safe fn kapi_zalloc(bytes: usize) -> *mut u8;
    pub(crate) safe fn kapi_alloc_exact(bytes: usize) -> *mut u8;
    pub(crate) safe fn kapi_alloc_charged(bytes: usize) -> *mut u8;
    pub(crate) safe fn kapi_most_threads() -> c_ulong;

    pub(crate) safe fn kapi_find_lookup() -> c_ulong;

    pub(crate) safe fn kapi_node_on() -> c_int;
    pub(crate) safe fn kapi_node_off();
    /// `misc` is registered.
    pub(crate) fn kapi_device_own(misc: *mut c_void) -> c_int;

    pub(crate) safe fn kapi_tail_target(addr: u64) -> u64;
    /// Under `text_mutex`. `sites` has `n` members, at most `CHUNK`; the list is empty, or `n` is 0.
    pub(crate) fn kapi_returning_are(sites: *const u64, n: usize);
    /// Only once, until `kapi_breakpoints_off`.
    pub(crate) fn kapi_breakpoints_on() -> c_int;
    /// No site is armed.
    pub(crate) fn kapi_breakpoints_off();
    /// Under `Lock::Sites`, like all changes of the table.
    pub(crate) fn kapi_sites_reserve(more: usize) -> c_int;
    /// Under `Lock::Sites`; the site is not known yet.
    pub(crate) fn kapi_sites_add(site: &Site) -> c_int;
    /// Under `Lock::Sites`. The result is null, or stays until the table changes.
    pub(crate) fn kapi_site_find(addr: u64) -> *const Site;
    /// As above.
    pub(crate) fn kapi_site_next(place: &mut usize) -> *const Site;
    /// Under `Lock::Sites`. `kapi_site_next` has set `place`; its site is not used again.
    pub(crate) fn kapi_site_forget(place: usize);
    /// Under `Lock::Sites`. No breakpoint is armed, and no CPU or task that came from a site of the
    /// table is still on its way.
    pub(crate) fn kapi_sites_free(calls: usize) -> bool;

    /// Under `Lock::Ftrace`, like the next two functions. `sites` has `n` members.
    pub(crate) fn kapi_ftrace_first(sites: *mut u64, n: usize) -> c_int;
    /// `update` is `update_ftrace_direct_add` or `update_ftrace_direct_del`, `hash` is for it.
    pub(crate) fn kapi_ftrace_change(update: c_ulong, hash: c_ulong) -> c_int;
    pub(crate) safe fn kapi_ftrace_share_none();
    /// `sites` has `max` members.
    pub(crate) fn kapi_ftrace_shared(sites: *mut u64, max: usize) -> usize;
    pub(crate) safe fn kapi_ftrace_attached() -> bool;
    pub(crate) safe fn kapi_ftrace_detach_all() -> c_int;

    /// `list` is `kprobe_blacklist`, whose mutex is held; `prev` is null or in it.
    pub(crate) fn kapi_blacklist_next(
        list: c_ulong,
        prev: *const c_void,
        start: &mut u64,
        end: &mut u64,
    ) -> *const c_void;

    /// Returns null, or a constant string.
    pub(crate) safe fn kapi_syscall_symbol(ia32: bool, nr: u32) -> *const c_char;
    pub(crate) safe fn kapi_syscall_is_ia32() -> bool;
    pub(crate) safe fn kapi_syscall_count(ia32: bool) -> u32;

    pub(crate) safe fn kapi_tickers_begin() -> c_int;
    pub(crate) safe fn kapi_tickers_end(state: c_int);
    /// `f` accepts `arg` until the ticker is stopped, in hard interrupts of any CPU.
    pub(crate) fn kapi_ticker_new(
        interval: u64,
        everywhere: bool,
        f: OnTick,
        arg: *mut c_void,
    ) -> *mut c_void;
    /// `ticker` is from `kapi_ticker_new`, here and below; `state` is from `kapi_tickers_begin`, and
    /// has not ended.
    pub(crate) fn kapi_ticker_start(state: c_int, ticker: *mut c_void) -> c_int;
    /// As above; it was started.
    pub(crate) fn kapi_ticker_stop(state: c_int, ticker: *mut c_void);
    /// It does not run, and is not used again.
    pub(crate) fn kapi_ticker_free(ticker: *mut c_void);

    /// Returns an error pointer on failure. `counting` is null, or its function accepts its argument,
    /// in NMIs of any CPU, until the event is released.
    pub(crate) fn kapi_counter_create(
        what: &Event,
        cpu: c_uint,
        counting: *mut Counting,
    ) -> *mut c_void;
    /// `event` is from `kapi_counter_create`, and is not used again.
    pub(crate) fn kapi_counter_release(event: *mut c_void);
    /// `event` is from `kapi_counter_create`, and is not released yet.
    pub(crate) fn kapi_counter_revive(event: *mut c_void) -> bool;
    pub(crate) safe fn kapi_counters_watch() -> c_int;
    pub(crate) safe fn kapi_counters_unwatch(state: c_int);
    pub(crate) safe fn kapi_counters_look();
    pub(crate) safe fn kapi_counters_stop();
    pub(crate) safe fn kapi_counters_take(cpu: c_uint) -> bool;

    /// Under `Lock::Follow`, like the next function.
    pub(crate) safe fn kapi_mapped_on() -> c_int;
    pub(crate) safe fn kapi_mapped_off();
    /// `queue` has room for a `struct wait_queue_head`.
    pub(crate) fn kapi_queue_init(queue: *mut c_void);
    /// `queue` is initialised; `done` accepts `arg`.
    pub(crate) fn kapi_wait_killable(
        queue: *mut c_void,
        done: Done,
        arg: *mut c_void,
        left: c_long,
    ) -> c_long;
    pub(crate) safe fn kapi_told_wait(telling: &AtomicU32);
    pub(crate) safe fn kapi_told_wake();
    pub(crate) safe fn kapi_process() -> *mut c_void;
    pub(crate) safe fn kapi_process_get() -> *mut c_void;
    /// `block` is from `kmalloc`, begins with two words for RCU, and no new reader finds it.
    pub(crate) fn kapi_free_rcu(block: *mut c_void);

    /// `patches` is `klp_patches`, and `klp_mutex` is held. `to` has `max` members.
    pub(crate) fn kapi_replaced(patches: c_ulong, to: *mut u64, max: usize) -> usize;

    /// `get` is `get_kprobe`, and its mutex is held.
    pub(crate) fn kapi_kprobe_at(get: c_ulong, addr: u64) -> bool;
    /// As above.
    pub(crate) fn kapi_kprobe_hides(get: c_ulong, addr: u64) -> c_int;
    /// As above.
    pub(crate) fn kapi_kprobe_near(get: c_ulong, addr: u64, len: usize) -> bool;

    /// `f` is the address of a function that takes these arguments.
    pub(crate) fn kapi_call4(f: c_ulong, a: c_ulong, b: c_ulong, c: c_ulong, d: c_ulong) -> c_long;
    /// As above.
    pub(crate) fn kapi_call5(
        f: c_ulong,
        a: c_ulong,
        b: c_ulong,
        c: c_ulong,
        d: c_ulong,
        e: c_ulong,
    ) -> c_long;
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
    /// Not to be called.
    #[cfg(CONFIG_CFI)]
    pub(crate) fn kapi_typed();
    /// `THIS_MODULE`, which the top crate defines. Only for its address.
    pub(crate) static __this_module: u8;
}
