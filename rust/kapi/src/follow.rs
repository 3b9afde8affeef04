// SPDX-License-Identifier: GPL-2.0
//! Reports to followers what processes map, before they run it: the thread that maps waits, for a
//! bounded time, for the follower's answer (`follow.c`).

use crate::sites;
use crate::sys;
use kernel::error::{from_err_ptr, to_result};
use kernel::ffi::{c_int, c_void};
use kernel::prelude::*;

/// A follower of processes. Dropping it releases all threads that wait for its answer.
///
/// # Invariants
///
/// The pointer is from `kapi_follower_new`, and this value owns it.
pub struct Follower(*mut c_void);

// SAFETY: any task that may sleep can free a follower.
unsafe impl Send for Follower {}
// SAFETY: every helper function takes the locks that it needs.
unsafe impl Sync for Follower {}

impl Follower {
    /// Makes the current process a follower that is notified through an eventfd. `EBADF`, `EINVAL`:
    /// `fd` is not an open eventfd.
    ///
    /// # Context
    ///
    /// *process*
    pub fn new(fd: c_int) -> Result<Self> {
        crate::mem::ask()?;
        // INVARIANT: the pointer comes from `kapi_follower_new`, and only this value gets it.
        Ok(Self(from_err_ptr(sys::kapi_follower_new(fd))?))
    }

    /// Reports from now on what a process maps; `pid` is its id in the caller's namespace. It may
    /// be followed already.
    ///
    /// # Context
    ///
    /// *process*, may sleep
    pub fn follow(&self, pid: u32) -> Result {
        crate::mem::ask()?;
        // Tasks will enter our code, and we must be able to tell when they have left it.
        sites::expect();
        let pid = c_int::try_from(pid).ok().filter(|pid| *pid != 0).ok_or(ESRCH)?;
        // SAFETY: `self.0` is a live follower by the invariant.
        to_result(unsafe { sys::kapi_follower_add(self.0, pid) })
    }

    /// Reports from now on code that any process maps, also a new program, unless its file is
    /// [ignored](Self::ignore). `ENOSPC`: too many followers do so.
    ///
    /// # Context
    ///
    /// *process*, may sleep
    pub fn follow_everyone(&self) -> Result {
        crate::mem::ask()?;
        sites::expect();
        // SAFETY: `self.0` is a live follower by the invariant.
        to_result(unsafe { sys::kapi_follower_add(self.0, 0) })
    }

    /// Stops reports about this file as long as its last change was at `modified` (ns), except for
    /// processes that are followed themselves. If there are too many files, the oldest are
    /// forgotten.
    ///
    /// # Context
    ///
    /// *process*, may sleep
    pub fn ignore(&self, inode: u64, modified: u64, device: u32) -> Result {
        crate::mem::ask()?;
        // SAFETY: `self.0` is a live follower by the invariant.
        to_result(unsafe { sys::kapi_follower_ignore(self.0, inode, modified, device) })
    }

    /// Takes the ids, in the caller's namespace, of processes that were reported because everyone
    /// is followed. The rest of `to` is unchanged.
    ///
    /// # Context
    ///
    /// *process*
    pub fn begun(&self, to: &mut [u32]) {
        let room = u32::try_from(to.len()).unwrap_or(u32::MAX);
        // SAFETY: `self.0` is a live follower by the invariant; `to` has `room` members or more.
        unsafe { sys::kapi_follower_begun(self.0, to.as_mut_ptr(), room) };
    }

    /// Returns the number of the last report that is not [answered](Self::answer), or 0.
    ///
    /// # Context
    ///
    /// *process*
    pub fn asked(&self) -> u32 {
        // SAFETY: `self.0` is a live follower by the invariant.
        unsafe { sys::kapi_follower_asked(self.0) }
    }

    /// Answers all reports up to this number. Returns how many threads went on without an answer
    /// since the last call.
    ///
    /// # Context
    ///
    /// *process*
    pub fn answer(&self, asked: u32) -> u32 {
        // SAFETY: `self.0` is a live follower by the invariant.
        unsafe { sys::kapi_follower_answer(self.0, asked) }
    }
}

impl Drop for Follower {
    /// # Context
    ///
    /// *process*, may sleep
    fn drop(&mut self) {
        // SAFETY: this value owns the follower by the invariant, and nobody has a copy of the
        // pointer.
        unsafe { sys::kapi_follower_free(self.0) };
    }
}

/// Waits until no thread is about to report anything. There must be no followers.
///
/// # Context
///
/// *process*, may sleep
pub(crate) fn quiesce() {
    sys::kapi_follow_quiesce();
}
