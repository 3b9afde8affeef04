// SPDX-License-Identifier: GPL-2.0
//! The threads of other processes.

use crate::sys;
pub use crate::sys::Thread;
use kernel::bindings;
use kernel::ffi::c_void;

impl Thread {
    /// Returns the address at which it goes on, or was when it last entered the kernel.
    pub fn ip(&self) -> u64 {
        self.ip
    }

    /// Tells whether a debugger may have saved registers of it.
    pub fn is_debugged(&self) -> bool {
        self.debugged
    }

    /// Returns its id.
    pub fn id(&self) -> u32 {
        self.id
    }

    /// Tells whether it may be forking right now, in a fork that has not been reported yet. A later
    /// call of [`awaits_children`](crate::user::awaits_children) takes that fork into account.
    ///
    /// Between the copy of the pages, breakpoints included, and the report of the child, the thread
    /// is in one of these system calls. Its saved number stays until it enters the kernel again; so
    /// this may say yes for a thread that has left, and never no for one that is still in. It takes
    /// the numbers of 64-bit and 32-bit programs for each other: work that this delays is tried
    /// again. A child that shares the memory (vfork, threads) has no copy of it.
    pub fn may_fork(&self) -> bool {
        const X32: u32 = 0x4000_0000;
        const SHARED: u64 = bindings::CLONE_VM as u64;
        match self.call & !X32 {
            // fork of 64-bit and 32-bit programs; clone3, whose flags are in the program's memory
            57 | 2 | 435 => true,
            // clone of 64-bit programs, and of 32-bit programs
            56 => self.di & SHARED == 0,
            120 => self.bx & SHARED == 0,
            _ => false,
        }
    }
}

/// Calls `f` with each thread of some processes, by their keys. A call with `None` asks `f` whether
/// a process is one of them. `f` must not sleep.
///
/// # Context
///
/// *process*
pub fn each_thread<F: FnMut(u64, Option<&Thread>) -> bool>(mut f: F) {
    /// # Safety
    ///
    /// `data` is an `F` that nobody else uses; `thread` is null or a thread.
    unsafe extern "C" fn tell<F: FnMut(u64, Option<&Thread>) -> bool>(
        data: *mut c_void,
        mm: u64,
        thread: *const c_void,
    ) -> bool {
        // SAFETY: by the caller.
        let f = unsafe { &mut *data.cast::<F>() };
        // SAFETY: by the caller.
        let thread = unsafe { thread.cast::<Thread>().as_ref() };
        f(mm, thread)
    }
    // SAFETY: `tell` gets a pointer to `f`, which nothing else uses until this returns.
    unsafe { sys::kapi_each_thread(tell::<F>, core::ptr::from_mut(&mut f).cast()) };
}
