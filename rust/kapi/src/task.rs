// SPDX-License-Identifier: GPL-2.0
//! The current task: who it is, and what it may. Numbers are those of the initial namespaces.
//!
//! # Context
//!
//! *any*, NMI included, for all but [`may_trace`] and [`locked_down`].

use crate::sys;
use kernel::error::to_result;
use kernel::prelude::*;

/// The process: what Linux calls the thread group.
pub fn pid() -> i32 {
    sys::kapi_task_tgid()
}

/// The thread.
pub fn tid() -> i32 {
    sys::kapi_task_pid()
}

/// The parent process.
pub fn ppid() -> i32 {
    sys::kapi_task_ppid()
}

/// Whether it is process `pid` or descends from it.
pub fn is_progeny_of(pid: i32) -> bool {
    sys::kapi_task_descends_from(pid)
}

/// The real user id.
pub fn uid() -> u32 {
    sys::kapi_task_uid()
}

/// The real group id.
pub fn gid() -> u32 {
    sys::kapi_task_gid()
}

/// The thread's name, with a NUL at its end.
pub fn comm(into: &mut [u8; 16]) {
    sys::kapi_task_comm(into);
}

/// The address of its `task_struct`.
pub fn curthread() -> u64 {
    sys::kapi_task_address()
}

/// A number for the thread of control that runs now; no other one, at any time since boot, has it.
///
/// The address of the task alone would come again with another task; with its start time it does
/// not. The two are mixed into 62 bits, so two keys are the same by chance only. The upper two bits
/// tell what runs over the task: a soft interrupt, a hard interrupt, an NMI are threads of control
/// of their own, as `self->x` set by a task is not meant for the interrupt that comes over it. Idle
/// tasks are distinct by their addresses, one for each CPU.
pub fn thread_key() -> u64 {
    let mut k = sys::kapi_task_address() ^ sys::kapi_task_start().rotate_left(32);
    // The finalizer of MurmurHash3: a bijection, so nothing is lost before the two bits are cut
    // off.
    k = (k ^ (k >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    k = (k ^ (k >> 33)).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    k ^= k >> 33;
    (k >> 2) | (u64::from(sys::kapi_task_context() & 3) << 62)
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

/// An error if the kernel is locked down against reading its memory.
///
/// # Context
///
/// *process*
pub fn locked_down() -> Result {
    to_result(sys::kapi_task_locked_down())
}
