// SPDX-License-Identifier: GPL-2.0
//! The current task: its identity and its permissions. Ids are those of the initial namespaces.
//!
//! # Context
//!
//! *any*, NMI included, unless a function states another context.

pub use crate::path::{path, path_of, Dir};
use crate::{sys, xcall};
use core::arch::asm;
use core::ops::Range;
use core::ptr;
use kernel::bindings::{self, pt_regs, task_struct};
use kernel::error::to_result;
use kernel::prelude::*;
use kernel::sync::rcu::{self, Guard};

/// Returns the current task, which exists as long as the calling code runs on its behalf. The
/// fields that are read here do not change meanwhile, or change atomically: each is a number that
/// one load reads.
#[inline(always)]
fn current() -> *const task_struct {
    let task;
    // SAFETY: loads a variable of this CPU, through this CPU's segment. It is the same task
    // wherever this code is moved to.
    unsafe {
        asm!("mov {t}, gs:[rip + {v}]", t = out(reg) task, v = sym sys::const_current_task,
            options(pure, readonly, nostack, preserves_flags));
    }
    task
}

/// Returns the id of the process, which Linux calls the thread group.
#[inline(always)]
pub fn pid() -> i32 {
    // SAFETY: `current` exists.
    unsafe { (*current()).tgid }
}

/// Returns the id of the thread.
#[inline(always)]
pub fn tid() -> i32 {
    // SAFETY: `current` exists.
    unsafe { (*current()).pid }
}

/// Returns the address of its `mm_struct`; 0 for a kernel thread, unless it uses that of another
/// task (`kthread_use_mm`).
#[inline(always)]
pub fn memory() -> u64 {
    // SAFETY: `current` exists.
    unsafe { (*current()).mm as u64 }
}

/// Returns the parent, or null. A task runs on for a while after it was reaped; then nobody keeps
/// its `real_parent` up to date, and what that points to may be gone.
///
/// # Safety
///
/// `task` is the current task, or comes from this function under the same guard.
unsafe fn parent(task: *const task_struct, _: &Guard) -> *const task_struct {
    // SAFETY: by the caller, `task` exists: RCU keeps the parent of a task that was not reaped.
    if unsafe { (*task).thread_pid }.is_null() {
        return ptr::null();
    }
    // SAFETY: as above.
    unsafe { (*task).real_parent }
}

/// Returns the id of the parent process; 0 if there is none to read.
pub fn ppid() -> i32 {
    let guard = rcu::read_lock();
    // SAFETY: it is the current task.
    let parent = unsafe { parent(current(), &guard) };
    if parent.is_null() {
        return 0;
    }
    // SAFETY: RCU keeps it.
    unsafe { (*parent).tgid }
}

/// Anybody can build a chain of a million processes, and a probe has no time for it.
const MOST_ANCESTORS: usize = 1024;

/// Tells whether it is process `pid` or a descendant of it. `None`: it has too many ancestors, or
/// one of them ended meanwhile.
pub fn is_progeny_of(pid: i32) -> Option<bool> {
    let guard = rcu::read_lock();
    let mut task = current();
    for _ in 0..MOST_ANCESTORS {
        // SAFETY: it is the current task, or an ancestor that RCU keeps.
        if unsafe { (*task).tgid } == pid {
            return Some(true);
        }
        // SAFETY: as above.
        let parent = unsafe { parent(task, &guard) };
        if parent.is_null() {
            return None;
        }
        // The first task of all is its own parent.
        if parent == task {
            return Some(false);
        }
        task = parent;
    }
    None
}

/// Returns its credentials, which only the task itself replaces.
fn cred() -> *const bindings::cred {
    // SAFETY: `current` exists.
    unsafe { (*current()).cred }
}

/// Returns the real user id.
pub fn uid() -> u32 {
    // SAFETY: the credentials exist while the task has them.
    unsafe { (*cred()).uid.val }
}

/// Returns the real group id.
pub fn gid() -> u32 {
    // SAFETY: as in `uid`.
    unsafe { (*cred()).gid.val }
}

/// Returns the effective user id.
pub fn euid() -> u32 {
    // SAFETY: as in `uid`.
    unsafe { (*cred()).euid.val }
}

/// Returns the effective group id.
pub fn egid() -> u32 {
    // SAFETY: as in `uid`.
    unsafe { (*cred()).egid.val }
}

/// Returns the id in the innermost namespace; 0 for null.
///
/// # Safety
///
/// `pid` is null, or was read from the current task under this guard.
unsafe fn innermost(pid: *const bindings::pid, _: &Guard) -> i32 {
    if pid.is_null() {
        return 0;
    }
    // SAFETY: by the caller, RCU keeps it.
    let level = unsafe { (*pid).level };
    // SAFETY: as above; this only computes an address.
    let numbers = unsafe { &raw const (*pid).numbers }.cast::<bindings::upid>();
    // SAFETY: a `struct pid` has a number for each namespace that it is in, down to this one.
    let number = unsafe { numbers.add(level as usize) };
    // SAFETY: as above.
    unsafe { (*number).nr }
}

/// Returns the id of the process in its own namespace; 0 if it was reaped.
pub fn ns_pid() -> i32 {
    let guard = rcu::read_lock();
    // SAFETY: `current` exists.
    let signal = unsafe { (*current()).signal };
    // SAFETY: a task keeps its `signal_struct`.
    let [_, process, ..] = unsafe { (*signal).pids };
    const { assert!(bindings::pid_type_PIDTYPE_TGID == 1) };
    // SAFETY: it was read under the guard.
    unsafe { innermost(process, &guard) }
}

/// Returns the id of the thread in its own namespace; 0 if it was reaped.
pub fn ns_tid() -> i32 {
    let guard = rcu::read_lock();
    // SAFETY: `current` exists.
    let thread = unsafe { (*current()).thread_pid };
    // SAFETY: it was read under the guard.
    unsafe { innermost(thread, &guard) }
}

/// Returns the id of its cgroup (version 2): the inode number of its directory; 0 if the kernel has
/// no cgroups.
pub fn cgroup() -> u64 {
    #[cfg(not(CONFIG_CGROUPS))]
    return 0;
    #[cfg(CONFIG_CGROUPS)]
    {
        let _guard = rcu::read_lock();
        // SAFETY: `current` exists.
        let set = unsafe { (*current()).cgroups };
        // SAFETY: RCU keeps a task's set of cgroups, which keeps the cgroups and their directories.
        let group = unsafe { (*set).dfl_cgrp };
        // SAFETY: as above.
        let directory = unsafe { (*group).kn };
        // SAFETY: as above.
        unsafe { (*directory).id }
    }
}

/// Returns the address of the `struct file` of an open file; 0 if there is none.
pub fn file(fd: u32) -> u64 {
    sys::kapi_task_file(fd)
}

/// Returns the range of its memory that has the program's arguments, separated by NULs.
pub fn args() -> Option<Range<u64>> {
    let mm = memory() as *const bindings::mm_struct;
    if mm.is_null() {
        return None;
    }
    // SAFETY: the current task keeps its memory.
    let start = unsafe { (*mm).__bindgen_anon_1.arg_start };
    // SAFETY: as above.
    let end = unsafe { (*mm).__bindgen_anon_1.arg_end };
    Some(start as u64..end as u64)
}

/// Returns a register of the process from its entry into the kernel, by its place in
/// `struct pt_regs`. `None`: there is no such register, or no process.
pub fn register(n: u32) -> Option<u64> {
    const NONE: u32 = bindings::PF_KTHREAD | bindings::PF_EXITING;
    let regs = registers();
    // SAFETY: `current` exists.
    let flags = unsafe { (*current()).flags };
    // SAFETY: the registers stay as long as this code runs on behalf of the task.
    let saved = unsafe { &*regs };
    // SAFETY: all members of this union are numbers.
    let is_user = unsafe { saved.__bindgen_anon_1.cs } & 3 != 0;
    if n >= 21 || memory() == 0 || flags & NONE != 0 || !is_user {
        return None;
    }
    // SAFETY: there are 21 registers.
    Some(unsafe { sys::kapi_register_of(regs, n) })
}

/// Returns the registers from the last entry of the task into the kernel, at the end of its stack.
#[inline]
pub(crate) fn registers() -> *const pt_regs {
    sys::kapi_task_registers()
}

/// Returns the address of its `struct fs_struct`, which has its directories; 0: it has none.
pub(crate) fn directories() -> u64 {
    // SAFETY: `current` exists.
    unsafe { (*current()).fs as u64 }
}

/// Reads the state of locks by their address.
pub mod locks {
    use crate::sys;

    /// Returns the address of the word of a `struct mutex` that holds its owner; the lowest three
    /// bits are flags.
    pub fn mutex_owner(mutex: u64) -> u64 {
        mutex.wrapping_add(sys::kapi_mutex_owner.into())
    }

    /// Returns the address of the count of a `struct rw_semaphore`; [`has_readers`] and
    /// [`has_writer`] interpret the count.
    pub fn rwsem_count(rwsem: u64) -> u64 {
        rwsem.wrapping_add(sys::kapi_rwsem_count.into())
    }

    /// Tells whether readers hold the semaphore.
    pub fn has_readers(count: u64) -> bool {
        count & sys::kapi_rwsem_readers != 0
    }

    /// Tells whether a writer holds the semaphore.
    pub fn has_writer(count: u64) -> bool {
        count & sys::kapi_rwsem_writer != 0
    }

    /// Returns the address of the word that holds its owner, as in a mutex.
    pub fn rwsem_owner(rwsem: u64) -> u64 {
        rwsem.wrapping_add(sys::kapi_rwsem_owner.into())
    }
}

/// Returns the current context: 0 the task, 1 a soft interrupt, 2 a hard interrupt, 3 an NMI.
pub fn level() -> u64 {
    over_task()
}

/// Bytes of a thread's name, including its NUL.
pub const COMM_LEN: usize = 16;

/// Reads the thread's name, with a NUL at its end.
pub fn comm(into: &mut [u8; COMM_LEN]) {
    let [a, b] = comm_words();
    let (first, second) = into.split_at_mut(8);
    first.copy_from_slice(&a.to_ne_bytes());
    second.copy_from_slice(&b.to_ne_bytes());
}

/// Returns [`comm`] as two words.
#[inline(always)]
pub fn comm_words() -> [u64; 2] {
    // SAFETY: `current` exists; this only computes an address within it.
    let comm = unsafe { ptr::addr_of!((*current()).comm) };
    let words = comm.cast::<[u64; 2]>();
    const { assert!(size_of::<[kernel::ffi::c_char; COMM_LEN]>() == size_of::<[u64; 2]>()) };
    // SAFETY: 16 bytes are there; a change meanwhile gives some of the old and some of the new
    // ones.
    unsafe { words.read_unaligned() }
}

/// Returns the address of its `task_struct`.
#[inline(always)]
pub fn curthread() -> u64 {
    current() as u64
}

/// Returns a number for the thread of control that runs now; no other one, at any time since boot,
/// has it.
///
/// The address of the task alone is not enough, because another task may get it later; the random
/// number that guards the task's stack is added. (Its start time would do, too, but that changes: a
/// thread that executes a program takes its leader's.) The two are mixed into 62 bits, so two keys
/// are the same by chance only. The upper two bits say what runs over the task: a soft interrupt, a
/// hard interrupt and an NMI are threads of control of their own, because `self->x` that a task
/// sets is not meant for an interrupt over it. Idle tasks are distinct by their addresses, one for
/// each CPU.
#[inline(always)]
pub fn thread_key() -> u64 {
    key_of(curthread(), mark(), over_task())
}

/// Returns [`thread_key`] of the thread, also in an interrupt.
#[inline]
pub fn own_key() -> u64 {
    key_of(curthread(), mark(), 0)
}

/// Returns how long the thread has run, in ns, as the scheduler last noted: at a tick, or when the
/// thread got the CPU.
pub fn runtime() -> u64 {
    // SAFETY: `current` exists.
    unsafe { runtime_of(current()) }
}

/// Returns [`runtime`] of another thread.
///
/// # Safety
///
/// The task exists.
pub(crate) unsafe fn runtime_of(task: *const task_struct) -> u64 {
    // SAFETY: by the caller.
    unsafe { (*task).se.sum_exec_runtime }
}

/// Returns the part of a thread's key that is not its address: a value that no other task at this
/// address has had, and that does not change while the task lives.
///
/// # Safety
///
/// The task exists.
#[inline(always)]
pub(crate) unsafe fn mark_of(task: *const task_struct) -> u64 {
    #[cfg(CONFIG_STACKPROTECTOR)]
    // SAFETY: by the caller.
    return unsafe { (*task).stack_canary } as u64;
    #[cfg(not(CONFIG_STACKPROTECTOR))]
    // SAFETY: by the caller.
    return unsafe { (*task).start_boottime };
}

/// Returns [`mark_of`] the current task.
#[inline(always)]
fn mark() -> u64 {
    // SAFETY: `current` exists.
    unsafe { mark_of(current()) }
}

/// Returns [`thread_key`] for this `task_struct`, mark and context.
#[inline(always)]
pub(crate) fn key_of(task: u64, mark: u64, over: u64) -> u64 {
    let mut k = task ^ mark.rotate_left(32);
    // The finalizer of MurmurHash3: a bijection, so nothing is lost before the two bits are cut
    // off.
    k = (k ^ (k >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    k = (k ^ (k >> 33)).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    k ^= k >> 33;
    (k >> 2) | (over << 62)
}

/// Returns the current context: 0 the task, 1 a soft interrupt, 2 a hard interrupt, 3 an NMI.
#[inline(always)]
fn over_task() -> u64 {
    let count: u32;
    // SAFETY: loads a variable of this CPU.
    unsafe {
        asm!("mov {c:e}, gs:[rip + {v}]", c = out(reg) count, v = sym sys::__preempt_count,
            options(readonly, nostack, preserves_flags));
    }
    if count & sys::kapi_over_task == 0 {
        return 0;
    }
    u64::from(sys::kapi_task_context() & 3)
}

/// Lets other tasks run, and tells whether a signal is about to kill the current thread. Long work
/// should then stop.
///
/// # Context
///
/// *process*, may sleep
pub fn is_dying() -> bool {
    xcall::breathe();
    sys::kapi_task_is_dying()
}

fn has(capability: u32) -> bool {
    // SAFETY: it is a number of a capability, from the kernel.
    unsafe { bindings::capable(capability as kernel::ffi::c_int) }
}

/// Tells whether it may trace: it has `CAP_SYS_ADMIN`, or both `CAP_PERFMON` and `CAP_BPF`, which
/// allow BPF the same.
///
/// # Context
///
/// *process*
pub fn may_trace() -> bool {
    has(bindings::CAP_SYS_ADMIN) || has(bindings::CAP_PERFMON) && has(bindings::CAP_BPF)
}

/// Tells whether the task may change processes and the machine: `CAP_SYS_ADMIN`. This needs more
/// rights, as it does for BPF (`bpf_probe_write_user`, `bpf_send_signal_task` to others).
///
/// # Context
///
/// *process*
pub fn may_destroy() -> bool {
    has(bindings::CAP_SYS_ADMIN)
}

/// The [`owner`] without a quota.
pub const ROOT: u32 = 0;

/// Returns the user who is accountable for the task's memory in the kernel: its real uid, or in a
/// user namespace the user who created the outermost one, unless that was root: there, one user may
/// have tens of thousands of uids.
///
/// # Context
///
/// *any*: it reads what the task's credentials keep.
pub fn owner() -> u32 {
    // SAFETY: `current` exists.
    unsafe { sys::kapi_owner(current().cast()) }
}

/// Tells whether anybody may change processes and the machine: the module's parameter
/// `destructive`. Once false, it stays false.
///
/// # Context
///
/// *any*
pub fn destructive() -> bool {
    sys::kapi_task_destructive()
}

/// Returns an error if the kernel is locked down against reading its memory or, with `writes`,
/// against changing processes' memory, which is the lower level. BPF programs may not do it then
/// either.
///
/// # Context
///
/// *process*
pub fn locked_down(writes: bool) -> Result {
    let refuses = |what| to_result(sys::kapi_locked_down(what));
    if writes {
        return refuses(bindings::lockdown_reason_LOCKDOWN_BPF_WRITE_USER);
    }
    refuses(bindings::lockdown_reason_LOCKDOWN_KPROBES)?;
    refuses(bindings::lockdown_reason_LOCKDOWN_BPF_READ_KERNEL)
}
