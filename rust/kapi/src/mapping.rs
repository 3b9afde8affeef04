// SPDX-License-Identifier: GPL-2.0
//! Memory of our own in processes: finding a place for it, mapping, filling and unmapping it.

use crate::pages::Locked;
use crate::patience;
use crate::space::Space;
use crate::sys::{self, Area};
use crate::task;
use crate::time;
use crate::walk::{each_thread, Thread};
use kernel::bindings;
use kernel::error::to_result;
use kernel::ffi::{c_int, c_long, c_void};
use kernel::mm::MmWithUser;
use kernel::page::{PAGE_MASK, PAGE_SIZE};
use kernel::prelude::*;
use kernel::sizes::{SZ_2G, SZ_64K, SZ_64M};

/// The largest distance: jumps, and instructions that refer to memory near themselves, must reach.
const REACH: u64 = (SZ_2G - SZ_64M) as u64;

/// A map that succeeds and looks at no more mappings of the process costs so much less patience, in
/// ns. A program may have tens of thousands of mappings with no hole between them.
const FREE: u64 = 5_000_000;
const FEW: u64 = 1 << 10;

/// How often a place is looked for if another thread takes it first.
const TRIES: usize = 8;

/// Memory that was mapped into a process. It stays until it is [unmapped](Space::unmap) or the
/// process ends. A copy of the process has it too.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Room {
    start: u64,
    size: u64,
}

impl Room {
    /// Returns its first address.
    pub fn start(&self) -> u64 {
        self.start
    }

    /// Returns its size in bytes.
    pub fn size(&self) -> u64 {
        self.size
    }
}

/// The end of what 32-bit code can address.
const NARROW: u64 = 1 << 32;

/// Finds an address with `size` free bytes, as near as possible: below, because heaps grow upwards;
/// else above. What may be near 32-bit code stays where that can run. It counts the mappings that
/// it looks at. `EINTR`: a signal has killed the thread.
fn hole(locked: &Locked<'_>, near: u64, size: u64, looked: &mut u64) -> Result<u64> {
    let mut area_from = |at| {
        *looked = looked.wrapping_add(1);
        (!task::is_dying()).then(|| locked.area_from(at)).ok_or(EINTR)
    };
    let least = near.saturating_sub(REACH).max(SZ_64K as u64);
    let end = if near < NARROW { NARROW } else { sys::kapi_space_limit() };
    let most = near.saturating_add(REACH).min(end.saturating_sub(size));
    let mut at = near & PAGE_MASK as u64;
    while at >= least.saturating_add(size) {
        let start = at.saturating_sub(size);
        match area_from(start)? {
            Some(area) if area.start < at => at = area.start,
            _ => return Ok(start),
        }
    }
    at = near.saturating_add(PAGE_SIZE as u64 - 1) & PAGE_MASK as u64;
    while at <= most {
        match area_from(at)? {
            Some(area) if area.start < at.saturating_add(size) => at = area.end,
            _ => return Ok(at),
        }
    }
    Err(ENOSPC)
}

/// Maps `size` bytes near `near`. Returns their address, or an errno; `looked` counts the mappings
/// that it looks at.
///
/// # Safety
///
/// Only the thread in `errand.c` may call this; it uses the memory `mm`, which has users.
#[no_mangle]
unsafe extern "C" fn kapi_map_here(
    mm: *mut c_void,
    near: u64,
    size: u64,
    looked: &mut u64,
) -> c_long {
    // SAFETY: by the caller, `mm` is an `mm_struct` and has users until this returns.
    let mm = unsafe { MmWithUser::from_raw(mm.cast()) };
    let mut map = || {
        let locked = Locked::killable(mm).ok_or(EINTR)?;
        let at = hole(&locked, near, size, looked)?;
        drop(locked);
        // SAFETY: by the caller, the current thread uses a process's memory; nothing is replaced.
        match unsafe { sys::kapi_map_code(at, size) } {
            // CAST: an errno.
            errno @ ..0 => Err(Error::from_errno(errno as i32)),
            at => Ok(at),
        }
    };
    let mut result = Err(EEXIST);
    for _ in 0..TRIES {
        result = map();
        // Another thread may have taken the place first.
        if result != Err(EEXIST) {
            break;
        }
    }
    // CAST: an `isize` has all errnos.
    result.unwrap_or_else(|e| e.to_errno() as c_long)
}

/// Unmaps our memory if it is still there. Returns 0 or an errno.
///
/// # Safety
///
/// The current thread uses the memory `mm`, which has users, and no thread is at these addresses,
/// or gets there.
#[no_mangle]
unsafe extern "C" fn kapi_unmap_here(mm: *mut c_void, from: u64, size: u64) -> c_int {
    // SAFETY: by the caller, `mm` is an `mm_struct` and has users until this returns.
    let mm = unsafe { MmWithUser::from_raw(mm.cast()) };
    let Some(locked) = Locked::killable(mm) else { return EINTR.to_errno() };
    let (mut at, end) = (from, from.saturating_add(size));
    while at < end {
        match locked.area(at).filter(Area::is_as_ours) {
            Some(a) => at = a.end,
            None => return 0,
        }
    }
    drop(locked);
    // SAFETY: unmaps memory of the current process, which no thread needs by the caller.
    unsafe { bindings::vm_munmap(from as usize, size as usize) }
}

impl Space {
    /// Maps memory that its threads can execute but not write, within reach of a near jump from
    /// `near`. A thread of our own does it, which is killed, or left behind, if it takes too long.
    /// `EAGAIN`: that happened, or the user's processes have used up our patience.
    ///
    /// # Context
    ///
    /// *process*, may sleep
    pub fn map(&self, near: u64, size: u64) -> Result<Room> {
        let since = time::monotonic_ns();
        let user = self.in_use().ok_or(ESRCH)?;
        let owner = self.owner();
        let left = patience::left_for_errand(owner).ok_or(EAGAIN)?;
        let (mm, mut looked) = (user.as_raw().cast(), 0);
        // SAFETY: `user` keeps the users of the `mm_struct`.
        let at = unsafe { sys::kapi_map_there(mm, owner, near, size, left, &mut looked) };
        let is_free = at >= 0 && looked <= FEW;
        patience::take(owner, if is_free { since.saturating_add(FREE) } else { since });
        match u64::try_from(at) {
            Ok(start) => Ok(Room { start, size }),
            // CAST: an errno.
            Err(_) => match Error::from_errno(at as i32) {
                e if e == EINTR => Err(EAGAIN),
                e => Err(e),
            },
        }
    }

    /// Tells whether a thread may be in memory that was mapped here and that no breakpoint leads to
    /// any more, or whether a debugger may have saved registers that point into it.
    ///
    /// # Context
    ///
    /// *process*
    pub fn is_inside(&self, room: &Room) -> bool {
        let is_in = |t: &Thread| t.is_debugged() || t.ip().wrapping_sub(room.start) < room.size;
        let mut thread = Thread::default();
        // SAFETY: `self` holds the `mm_struct`.
        if unsafe { sys::kapi_thread_alone(self.raw(), &mut thread) } {
            return is_in(&thread);
        }
        let (key, mut inside) = (self.key(), false);
        each_thread(|of, thread| {
            inside |= thread.is_some_and(is_in);
            of == key
        });
        inside
    }

    /// Unmaps memory that was mapped here, if it still exists. Call it after
    /// [`is_inside`](Self::is_inside) has returned false; a process that enters it nevertheless is
    /// killed. In the current process it happens at once and takes as long as the process likes, so
    /// hold no lock that others wait for. In another process it happens some time later.
    ///
    /// # Context
    ///
    /// *process*, may sleep
    pub fn unmap(&self, room: &Room) -> Result {
        if task::memory() != self.key() {
            return self.unmap_later(room);
        }
        // SAFETY: the current thread uses this memory. If another thread is still inside, only its
        // own process is hurt.
        to_result(unsafe { kapi_unmap_here(self.raw(), room.start, room.size) })
    }

    /// Does the work of [`unmap`](Self::unmap) some time later, whatever process it is.
    ///
    /// # Context
    ///
    /// *process*
    pub fn unmap_later(&self, room: &Room) -> Result {
        // SAFETY: `self` holds the `mm_struct`. If a thread is still inside, only its own process
        // is hurt.
        to_result(unsafe { sys::kapi_unmaps_add(self.raw(), room.start, room.size) })
    }

    /// Writes to memory that was mapped here and that no thread executes yet.
    ///
    /// # Context
    ///
    /// *process*, may sleep
    pub fn fill(&self, room: &Room, at: u64, bytes: &[u8]) -> Result {
        let end = at.checked_add(bytes.len() as u64).ok_or(EINVAL)?;
        if end > room.size {
            return Err(EINVAL);
        }
        self.write(room.start.wrapping_add(at), bytes)
    }
}
