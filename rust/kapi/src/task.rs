// SPDX-License-Identifier: GPL-2.0
//! The current task: who it is, and what it may. Numbers are those of the initial namespaces.
//!
//! # Context
//!
//! *any*, NMI included, for all but [`may_trace`] and [`locked_down`].

use crate::sys;
use core::arch::asm;
use core::ops::Range;
use core::ptr;
use kernel::bindings::task_struct;
use kernel::error::to_result;
use kernel::prelude::*;

/// The current task: it exists as long as the code that asks runs in its name. The fields that are
/// read here change under nobody's feet, or whole: numbers, each loaded at once.
#[inline(always)]
fn current() -> *const task_struct {
    let task;
    // SAFETY: a load of the CPU's own variable, by the segment that is the CPU's. It names the same
    // task wherever this code is moved to.
    unsafe {
        asm!("mov {t}, gs:[rip + {v}]", t = out(reg) task, v = sym sys::const_current_task,
            options(pure, readonly, nostack, preserves_flags));
    }
    task
}

/// The process: what Linux calls the thread group.
#[inline(always)]
pub fn pid() -> i32 {
    // SAFETY: `current` exists.
    unsafe { (*current()).tgid }
}

/// The thread.
#[inline(always)]
pub fn tid() -> i32 {
    // SAFETY: `current` exists.
    unsafe { (*current()).pid }
}

/// The address of its memory's `mm_struct`; 0 for a thread of the kernel's, which may use that of
/// another one but has none.
#[inline(always)]
pub fn memory() -> u64 {
    // SAFETY: `current` exists.
    unsafe { (*current()).mm as u64 }
}

/// The parent process.
pub fn ppid() -> i32 {
    sys::kapi_task_ppid()
}

/// Whether it is process `pid` or descends from it.
pub fn is_progeny_of(pid: i32) -> Option<bool> {
    match sys::kapi_task_descends_from(pid) {
        0 => Some(false),
        1 => Some(true),
        _ => None,
    }
}

/// The real user id.
pub fn uid() -> u32 {
    sys::kapi_task_uid()
}

/// The real group id.
pub fn gid() -> u32 {
    sys::kapi_task_gid()
}

/// The effective user id.
pub fn euid() -> u32 {
    sys::kapi_task_euid()
}

/// The effective group id.
pub fn egid() -> u32 {
    sys::kapi_task_egid()
}

/// The process in its own namespace; 0 if it was reaped.
pub fn ns_pid() -> i32 {
    sys::kapi_task_ns_number(false)
}

/// The thread in its own namespace; 0 if it was reaped.
pub fn ns_tid() -> i32 {
    sys::kapi_task_ns_number(true)
}

/// The id of its cgroup (version 2): the inode number of its directory.
pub fn cgroup() -> u64 {
    sys::kapi_task_cgroup()
}

/// The address of the `struct file` of an open file; 0 if there is none.
pub fn file(fd: u32) -> u64 {
    sys::kapi_task_file(fd)
}

/// Where in its memory the arguments are that the program was started with, NULs between them.
pub fn args() -> Option<Range<u64>> {
    let (mut start, mut end) = (0, 0);
    sys::kapi_task_args(&mut start, &mut end).then_some(start..end)
}

/// A register of the process as it came into the kernel, by its place in `struct pt_regs`. `None`: there
/// is no such one, or no process.
pub fn register(n: u32) -> Option<u64> {
    let mut value = 0;
    sys::kapi_task_register(n, &mut value).then_some(value)
}

/// Which place in the tree of files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dir {
    /// The current directory, from the process's root on.
    Current,
    /// That root.
    Root,
}

/// Its name; of one that `into` has no room for the end. Empty: it has none.
pub fn path(dir: Dir, into: &mut [u8; 256]) -> &[u8] {
    let size = into.len();
    // SAFETY: `into` takes as many bytes.
    // CAST: 256.
    let at = unsafe { sys::kapi_task_path(dir == Dir::Root, into.as_mut_ptr(), size as u32) };
    into.get(at as usize..size.wrapping_sub(1)).unwrap_or_default()
}

/// The name of what the `struct path` at an address of the kernel's stands for, from the process's root on,
/// as [`path`]; or of where what it is on is mounted. Empty: it has none, as a pipe. `None`: nothing such
/// is there.
pub fn path_of(at: u64, of_mount: bool, into: &mut [u8; 256]) -> Option<&[u8]> {
    let size = into.len();
    // SAFETY: `into` takes as many bytes; `at` may be any address.
    // CAST: 256.
    let at = unsafe { sys::kapi_path(at, of_mount, into.as_mut_ptr(), size as u32) };
    into.get(at as usize..size.wrapping_sub(1))
}

/// Where locks tell of themselves, from their address on.
pub mod locks {
    use crate::sys;

    /// The word of a `struct mutex` that is its owner, but for the lowest three bits.
    pub fn mutex_owner(mutex: u64) -> u64 {
        mutex.wrapping_add(sys::kapi_mutex_owner.into())
    }

    /// The word of a `struct rw_semaphore` that counts; [`has_readers`] and [`has_writer`] read it.
    pub fn rwsem_count(rwsem: u64) -> u64 {
        rwsem.wrapping_add(sys::kapi_rwsem_count.into())
    }

    /// Do readers have it?
    pub fn has_readers(count: u64) -> bool {
        count & sys::kapi_rwsem_readers != 0
    }

    /// Does a writer have it?
    pub fn has_writer(count: u64) -> bool {
        count & sys::kapi_rwsem_writer != 0
    }

    /// The word that is its owner, as of a mutex.
    pub fn rwsem_owner(rwsem: u64) -> u64 {
        rwsem.wrapping_add(sys::kapi_rwsem_owner.into())
    }
}

/// What runs: 0 the task, 1 a soft interrupt over it, 2 a hard one, 3 an NMI.
pub fn level() -> u64 {
    over_task()
}

/// Bytes of a thread's name, its NUL among them.
pub const COMM_LEN: usize = 16;

/// The thread's name, with a NUL at its end.
pub fn comm(into: &mut [u8; COMM_LEN]) {
    let [a, b] = comm_words();
    let (first, second) = into.split_at_mut(8);
    first.copy_from_slice(&a.to_ne_bytes());
    second.copy_from_slice(&b.to_ne_bytes());
}

/// [`comm`] as two words of memory.
#[inline(always)]
pub fn comm_words() -> [u64; 2] {
    // SAFETY: `current` exists; this is an address within it.
    let comm = unsafe { ptr::addr_of!((*current()).comm) };
    let words = comm.cast::<[u64; 2]>();
    const { assert!(size_of::<[kernel::ffi::c_char; COMM_LEN]>() == size_of::<[u64; 2]>()) };
    // SAFETY: 16 bytes there; who changes them meanwhile leaves some of the old and some of the new.
    unsafe { words.read_unaligned() }
}

/// The address of its `task_struct`.
#[inline(always)]
pub fn curthread() -> u64 {
    current() as u64
}

/// A number for the thread of control that runs now; no other one, at any time since boot, has it.
///
/// The address of the task alone would come again with another task; with the random number that
/// guards its stack it does not. (With its start time it would not, either, but that changes: a
/// thread that executes a program takes its leader's.) The two are mixed into 62 bits, so two keys
/// are the same by chance only. The upper two bits
/// tell what runs over the task: a soft interrupt, a hard interrupt, an NMI are threads of control
/// of their own, as `self->x` set by a task is not meant for the interrupt that comes over it. Idle
/// tasks are distinct by their addresses, one for each CPU.
#[inline(always)]
pub fn thread_key() -> u64 {
    key_of(curthread(), mark(), over_task())
}

/// [`thread_key`] of the thread, even if it is asked in an interrupt over it.
#[inline]
pub fn own_key() -> u64 {
    key_of(curthread(), mark(), 0)
}

/// How long the thread has run, ns, as the scheduler noted last: at a tick, or when it got the CPU.
pub fn runtime() -> u64 {
    sys::kapi_task_runtime()
}

/// The part of a thread's key that is not its address.
#[inline(always)]
fn mark() -> u64 {
    let at = current().wrapping_byte_add(sys::kapi_task_mark as usize).cast::<u64>();
    // SAFETY: `current` exists; a word of it is there.
    unsafe { *at }
}

/// [`thread_key`] of the thread with this `task_struct` and mark, with what runs over it.
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

/// What runs: 0 the task, 1 to 3 a soft interrupt, a hard one, an NMI over it.
#[inline(always)]
fn over_task() -> u64 {
    let count: u32;
    // SAFETY: a load of the CPU's own variable.
    unsafe {
        asm!("mov {c:e}, gs:[rip + {v}]", c = out(reg) count, v = sym sys::__preempt_count,
            options(readonly, nostack, preserves_flags));
    }
    if count & sys::kapi_over_task == 0 {
        return 0;
    }
    u64::from(sys::kapi_task_context() & 3)
}

/// Lets others run, and tells whether a signal is about to end the current thread: then long work for it
/// stops.
///
/// # Context
///
/// *process*, may sleep
pub fn is_dying() -> bool {
    sys::kapi_task_is_dying()
}

/// Whether it may trace: `CAP_SYS_ADMIN`, or both `CAP_PERFMON` and `CAP_BPF`, which together allow
/// the same to BPF.
///
/// # Context
///
/// *process*
pub fn may_trace() -> bool {
    sys::kapi_task_may_trace()
}

/// Tells whether the task may change processes and the machine: `CAP_SYS_ADMIN`.
///
/// # Context
///
/// *process*
pub fn may_destroy() -> bool {
    sys::kapi_task_may_destroy()
}

/// The user to whom what the task keeps in the kernel is added up: its real uid; in a user namespace, the user who made
/// that one, unless it was root.
///
/// # Context
///
/// *process*
pub fn owner() -> u32 {
    sys::kapi_task_owner()
}

/// Tells whether anybody may change processes and the machine: the module's parameter `destructive`.
/// Once false, it stays false.
///
/// # Context
///
/// *any*
pub fn destructive() -> bool {
    sys::kapi_task_destructive()
}

/// An error if the kernel is locked down against reading its memory; `writes`: against changing
/// processes' memory, which comes earlier.
///
/// # Context
///
/// *process*
pub fn locked_down(writes: bool) -> Result {
    to_result(sys::kapi_task_locked_down(writes))
}
