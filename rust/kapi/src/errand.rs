// SPDX-License-Identifier: GPL-2.0
//! Pages that a process shares with its children: a thread of our own (`errand.c`) gives it copies
//! of its own to write to, while the caller holds locks that others wait for.

use crate::modules;
use crate::patience;
use crate::space::{start_of_page, Locked, Space, PAGES};
use crate::sys;
use crate::time;
use core::slice;
use kernel::bindings;
use kernel::ffi::{c_long, c_void};
use kernel::mm::MmWithUser;
use kernel::prelude::*;

/// Gives the process its own copies of these pages. Returns 0 or an errno: `EINTR`: a signal has
/// killed the thread; `EFAULT`: there is none of some page.
///
/// # Safety
///
/// `mm` is an `mm_struct` and has users until this returns; `pages` has `n` addresses. Until then
/// the module stays.
#[no_mangle]
unsafe extern "C" fn kapi_copy_here(mm: *mut c_void, pages: *const u64, n: u32) -> c_long {
    // SAFETY: by the caller.
    let mm = unsafe { MmWithUser::from_raw(mm.cast()) };
    // SAFETY: by the caller.
    let pages = unsafe { slice::from_raw_parts(pages, n as usize) };
    let mut result = Ok(());
    for addr in pages {
        let copy = |locked: Locked<'_>| locked.fault(*addr, bindings::FOLL_WRITE);
        let done = Locked::killable(mm).ok_or(EINTR).and_then(copy);
        result = result.and(done);
        if done == Err(EINTR) {
            result = done;
            break;
        }
    }
    // CAST: a `c_long` has all errnos.
    result.map_or_else(|e| e.to_errno() as c_long, |()| 0)
}

impl Space {
    /// Gives the process its own copies of pages that it shares with its children. They may be
    /// shared again at once, if it forks. Returns false if there is nothing to do, or no time.
    pub(crate) fn copy(&self, addrs: impl Iterator<Item = u64>) -> bool {
        let (mut pages, mut n) = ([0; PAGES], 0usize);
        for page in addrs.map(start_of_page) {
            if n.checked_sub(1).and_then(|last| pages.get(last)) != Some(&page) {
                let Some(to) = pages.get_mut(n) else { break };
                (*to, n) = (page, n.wrapping_add(1));
            }
        }
        let pages = pages.get(..n).unwrap_or_default();
        let Some(user) = self.in_use().filter(|_| n != 0) else { return false };
        let (since, owner) = (time::monotonic_ns(), self.owner());
        if !modules::hold_own() {
            // The module is being unloaded: a thread could not be left behind.
            let copy = |addr: &u64| {
                let locked = Locked::soon(&user, owner).filter(|locked| locked.is_own(*addr));
                locked.is_some_and(|locked| locked.fault(*addr, bindings::FOLL_WRITE).is_ok())
            };
            return pages.iter().filter(|addr| copy(addr)).count() != 0;
        }
        let copied = patience::left_for_errand(owner).map(|left| {
            let mm = user.as_raw().cast();
            // SAFETY: `user` keeps the users of the `mm_struct`, and `pages` has `n` addresses.
            // CAST: at most `PAGES`.
            unsafe { sys::kapi_copy_there(mm, owner, pages.as_ptr(), n as u32, left) }
        });
        // SAFETY: taken above; the caller is awaited before the module goes.
        unsafe { modules::release_own() };
        if copied.is_some() {
            patience::take(owner, since);
        }
        copied == Some(0)
    }
}
