// SPDX-License-Identifier: GPL-2.0
//! What processes map, told to who follows them before they run it: the thread that maps waits, for a
//! bounded time, until that is answered (`follow.c`).

use crate::sites;
use crate::sys;
use kernel::error::{from_err_ptr, to_result};
use kernel::ffi::{c_int, c_void};
use kernel::prelude::*;

/// Who follows processes. Dropping it lets all go on that wait for its answer.
///
/// # Invariants
///
/// It is from `kapi_follower_new`, and this its owner.
pub struct Follower(*mut c_void);

// SAFETY: it can be given up by any task that may sleep.
unsafe impl Send for Follower {}
// SAFETY: what is asked of it guards itself.
unsafe impl Sync for Follower {}

impl Follower {
    /// The current process, which is told by an eventfd that it has open. `EBADF`, `EINVAL`: the number is of
    /// none.
    ///
    /// # Context
    ///
    /// *process*
    pub fn new(fd: c_int) -> Result<Self> {
        crate::mem::ask()?;
        // INVARIANT: so it is.
        Ok(Self(from_err_ptr(sys::kapi_follower_new(fd))?))
    }

    /// From now on what a process maps is told, as the caller's namespace numbers it; it may be followed already.
    ///
    /// # Context
    ///
    /// *process*, may sleep
    pub fn follow(&self, pid: u32) -> Result {
        crate::mem::ask()?;
        // Tasks come to us of which somebody must be able to say that they have left.
        sites::expect();
        let pid = c_int::try_from(pid).ok().filter(|pid| *pid != 0).ok_or(ESRCH)?;
        // SAFETY: by the invariant.
        to_result(unsafe { sys::kapi_follower_add(self.0, pid) })
    }

    /// From now on code that any process maps is told, a program that begins included, unless its file is
    /// [ignored](Self::ignore). `ENOSPC`: too many do so.
    ///
    /// # Context
    ///
    /// *process*, may sleep
    pub fn follow_everyone(&self) -> Result {
        crate::mem::ask()?;
        sites::expect();
        // SAFETY: by the invariant.
        to_result(unsafe { sys::kapi_follower_add(self.0, 0) })
    }

    /// Nothing is told of this file as long as it was last changed then (ns), if the process is not followed itself. Of
    /// very many files the oldest are forgotten.
    ///
    /// # Context
    ///
    /// *process*, may sleep
    pub fn ignore(&self, inode: u64, modified: u64, device: u32) -> Result {
        crate::mem::ask()?;
        // SAFETY: by the invariant.
        to_result(unsafe { sys::kapi_follower_ignore(self.0, inode, modified, device) })
    }

    /// Takes the processes that were told because everyone is followed, as the caller's namespace numbers them; the rest
    /// is left alone.
    ///
    /// # Context
    ///
    /// *process*
    pub fn begun(&self, to: &mut [u32]) {
        let room = u32::try_from(to.len()).unwrap_or(u32::MAX);
        // SAFETY: by the invariant; `to` has that room.
        unsafe { sys::kapi_follower_begun(self.0, to.as_mut_ptr(), room) };
    }

    /// A number for what has been told and is not [answered](Self::answer); 0: nothing.
    ///
    /// # Context
    ///
    /// *process*
    pub fn asked(&self) -> u32 {
        // SAFETY: by the invariant.
        unsafe { sys::kapi_follower_asked(self.0) }
    }

    /// What was told up to this number has been looked at. Gives how many threads went on before they were answered,
    /// since this was last called.
    ///
    /// # Context
    ///
    /// *process*
    pub fn answer(&self, asked: u32) -> u32 {
        // SAFETY: by the invariant.
        unsafe { sys::kapi_follower_answer(self.0, asked) }
    }
}

impl Drop for Follower {
    /// # Context
    ///
    /// *process*, may sleep
    fn drop(&mut self) {
        // SAFETY: by the invariant; nobody has another copy.
        unsafe { sys::kapi_follower_free(self.0) };
    }
}

/// No thread is on its way to tell anything any more. There are no followers.
///
/// # Context
///
/// *process*, may sleep
pub(crate) fn quiesce() {
    sys::kapi_follow_quiesce();
}
