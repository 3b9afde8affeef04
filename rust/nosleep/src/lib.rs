// SPDX-License-Identifier: GPL-2.0
//! The part of `kapi` that never sleeps: the functions that code may call while a probe fires.
//!
//! The crate `fire` runs in probe context. It imports this crate and neither `kapi` nor `kernel`,
//! so nothing in it can wait, take a lock, allocate or log: the compiler finds no name for that. To
//! let probe context use another function of `kapi`, export it here and show that it cannot sleep.
//!
//! Types come with their methods. A method that may sleep is therefore in a trait or a function of
//! `kapi` that this crate does not export: `kapi::publish::Replace`, `kapi::percpu::new`,
//! `kapi::wake::waker`. Vectors and counted references can be used and dropped, but they cannot
//! grow, because that takes flags of the allocator.
//!
//! On the host, `host.rs` has the same interface, with a CPU and a thread that a test describes. So
//! `fire` is tested there.
#![no_std]
#![forbid(unsafe_code)]

pub use kapi::context::ProbeCtx;
pub use kapi::percpu::PerCpu;
pub use kapi::publish::Published;
pub use kapi::wake::Waker;
pub use mem::{Arc, KBox, KVVec, KVec};

pub use kapi::{act, nofault};

/// Tells whether CPUs run threads.
pub mod alive {
    pub use kapi::alive::answered;
}

/// Stacks.
pub mod stack {
    pub use kapi::stack::{
        came, came_with, kernel, kernel_depth, mapping, register, Mapping, Start,
    };
}

/// Arguments of system calls.
pub mod syscall {
    pub use kapi::syscall::Abi;
}

/// The current thread.
pub mod task {
    pub use kapi::task::{
        args, cgroup, comm, comm_words, curthread, destructive, egid, euid, file, gid,
        is_progeny_of, level, locks, memory, ns_pid, ns_tid, own_key, path, path_of, pid, ppid,
        register, runtime, thread_key, tid, uid, Dir, COMM_LEN,
    };
}

/// Threads that end or get a CPU.
pub mod threads {
    pub use kapi::threads::{Ended, Switch};
}

/// Clocks.
pub mod time {
    pub use kapi::time::{monotonic_ns, wall_ns};
}
