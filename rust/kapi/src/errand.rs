// SPDX-License-Identifier: GPL-2.0
//! Pages that a process shares with its children: a thread of our own (`errand.c`) gives it copies
//! of its own to write to, while the caller holds locks that others wait for.

use crate::mem;
use crate::pages::{start_of_page, Locked};
use crate::patience;
use crate::space::Space;
use crate::sys;
use crate::time;
use core::slice;
use kernel::bindings;
use kernel::ffi::{c_long, c_void};
use kernel::mm::MmWithUser;
use kernel::prelude::*;

/// How many pages are copied at a time.
const PAGES: usize = 1 << 12;

/// Gives the process its own copies of these pages. Returns how many it has got; a signal that
/// kills the thread ends this.
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
    let mut copied: c_long = 0;
    for addr in pages {
        let copy = |locked: Locked<'_>| locked.fault(*addr, bindings::FOLL_WRITE);
        match Locked::killable(mm).ok_or(EINTR).and_then(copy) {
            Ok(()) => copied = copied.wrapping_add(1),
            Err(e) if e == EINTR => break,
            // The program may have unmapped it. The others are copied all the same.
            Err(_) => {}
        }
    }
    copied
}

impl Space {
    /// Gives the process its own copies of pages that it shares with its children. They may be
    /// shared again at once, if it forks. Returns false if it got none: there is nothing to do, or
    /// no time or memory for it, or the module is being unloaded and no thread could be left behind.
    pub(crate) fn copy(&self, addrs: impl Iterator<Item = u64>) -> bool {
        let mut pages = KVVec::new();
        for page in addrs.map(start_of_page) {
            if pages.last() == Some(&page) {
                continue;
            }
            if pages.len() == PAGES || mem::push(&mut pages, page).is_err() {
                break;
            }
        }
        let Some(user) = self.in_use().filter(|_| !pages.is_empty()) else { return false };
        let (since, owner) = (time::monotonic_ns(), self.owner());
        let copied = patience::left_for_errand(owner).map(|left| {
            let mm = user.as_raw().cast();
            // SAFETY: `user` keeps the users of the `mm_struct`, and `pages` has so many addresses.
            // CAST: at most `PAGES`.
            unsafe { sys::kapi_copy_there(mm, owner, pages.as_ptr(), pages.len() as u32, left) }
        });
        if copied.is_some() {
            patience::take(owner, since);
        }
        copied.is_some_and(|copied| copied > 0)
    }
}
