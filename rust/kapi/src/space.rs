// SPDX-License-Identifier: GPL-2.0
//! The memory of processes, from outside: holding it, reading it, changing text in it.
//!
//! An address space is known by its `mm_struct`, which is held (`mmgrab`), so no other one gets its
//! address; each access checks that a process still uses it (`mmget_not_zero`). The text of a
//! process is private memory: a write goes to a copy of the page that its file and other processes
//! do not see. Pages are changed under `mmap_lock` for reading: fork, which takes it for writing,
//! copies a page before a change or after it, and reports the child afterwards.
//!
//! A process decides how long its memory keeps others waiting. A page may come from a FUSE daemon
//! that never answers, a fault may go to a userfaultfd that nobody reads, and unmapping a file of
//! such a daemon waits for it with `mmap_lock` held. The callers of this file hold locks that every
//! fork, every open and every other user need. So:
//!
//! - Under such locks, only memory that a user cannot serve is faulted in (`Area::answers`); of all
//!   other memory, only pages that are present are used (`FOLL_NOFAULT`). `mmap_lock` is waited for
//!   a bounded time ([`patience`]).
//! - After a fork, parent and child share a page with a breakpoint, and only a fault gives the
//!   parent a copy to write to. On the other memory, a thread of our own takes that fault
//!   (`errand.c`): nobody keeps the page from being removed just before, and then it comes from the
//!   program. The thread is waited for a bounded time, too.
//! - A page that is made under such locks is charged beyond its cgroup's limit, and nothing is
//!   reclaimed or killed for it; while the machine has little free memory, a thread of our own gets
//!   it, too (`kapi_space_page()`).
//! - A thread that holds no lock brings pages in first ([`Space::touch`]). It waits for as long as
//!   the process likes, and a signal that kills the thread ends that wait as far as the file system
//!   allows.
//! - Memory is unmapped by a thread of our own that nobody waits for (`unmapping.c`).
//! - The last reference to the memory is dropped by `mmput_async`: that unmaps all of it.

use crate::pages::{next_part, start_of_page, Locked};
use crate::pages::{Counter, Ground, Grounded, Poke, Text, TRIES};
use crate::symbols;
use crate::sys::{self, Area};
use crate::task;
use core::ptr::{self, NonNull};
use kernel::bindings;
use kernel::error::to_result;
use kernel::ffi::c_void;
use kernel::mm::{Mm, MmWithUser, MmWithUserAsync};
use kernel::page::PAGE_SIZE;
use kernel::prelude::*;
use kernel::sync::aref::ARef;
use x86::encoding::INT3;

/// How many bytes are changed while other threads wait for the process's memory map.
const CHUNK: usize = 256;

/// The memory of a process. A clone is the same memory.
#[derive(Clone)]
pub struct Space {
    mm: ARef<Mm>,
    owner: u32,
}

/// A process.
pub struct Found {
    /// Its memory.
    pub space: Space,
    /// It has 64-bit addresses.
    pub is_wide: bool,
    /// It has a shadow stack; see [`has_shadow_stack`](crate::user::has_shadow_stack).
    pub has_shadow_stack: bool,
}

impl Found {
    fn new(space: Space, found: &sys::Found) -> Self {
        let sys::Found { wide, shadow_stack, .. } = *found;
        Self { space, is_wide: wide, has_shadow_stack: shadow_stack }
    }
}

impl Space {
    /// # Safety
    ///
    /// `mm` is null, or a reference to an `mm_struct`, which the caller gives away.
    unsafe fn from_raw(mm: *mut c_void, owner: u32) -> Option<Self> {
        let mm = NonNull::new(mm)?;
        // SAFETY: by the caller; `Mm` is transparent.
        Some(Self { mm: unsafe { ARef::from_raw(mm.cast()) }, owner })
    }

    /// Finds the process with this id in the caller's namespace. `ESRCH`: there is no such process,
    /// or it has no memory because it is a kernel thread or is ending.
    ///
    /// # Context
    ///
    /// *process*
    pub fn of(pid: u32) -> Result<Found> {
        let mut found = sys::Found::default();
        let pid = i32::try_from(pid).map_err(|_| ESRCH)?;
        let mm = sys::kapi_space_of(pid, &mut found);
        // SAFETY: `kapi_space_of` returns null or an `mm_struct` with a reference.
        let space = unsafe { Self::from_raw(mm, found.owner) }.ok_or(ESRCH)?;
        Ok(Found::new(space, &found))
    }

    /// Does the work of [`Self::of`] if the caller may change the process's memory: if it may
    /// attach to the process as a debugger, by the kernel's own rules. `EPERM`: it may not;
    /// `EINTR`: a signal has killed it.
    ///
    /// # Context
    ///
    /// *process*, may sleep; no lock is held: the process can delay this while it executes a
    /// program.
    pub fn to_change(pid: u32) -> Result<Found> {
        let mut found = sys::Found::default();
        let mut mm = ptr::null_mut();
        let pid = i32::try_from(pid).map_err(|_| ESRCH)?;
        let may_access = symbols::may_access();
        // SAFETY: `may_access` is 0 or `ptrace_may_access`, found in the kernel proper, with the
        // prototype that `prototypes.c` has checked.
        to_result(unsafe { sys::kapi_space_to_change(pid, may_access, &mut found, &mut mm) })?;
        // SAFETY: `kapi_space_to_change` returns an `mm_struct` with a reference.
        let space = unsafe { Self::from_raw(mm, found.owner) }.ok_or(ESRCH)?;
        Ok(Found::new(space, &found))
    }

    /// Returns the memory of the current process. `None`: it has none any more.
    ///
    /// # Context
    ///
    /// *process*
    pub fn current() -> Option<Self> {
        let mm = sys::kapi_space_current();
        // SAFETY: `kapi_space_current` returns null or an `mm_struct` with a reference.
        unsafe { Self::from_raw(mm, task::owner()) }
    }

    /// Returns its `mm_struct`, which exists as long as this value.
    pub(crate) fn raw(&self) -> *mut c_void {
        self.mm.as_raw().cast()
    }

    /// Keeps its users, if it still has any.
    pub(crate) fn in_use(&self) -> Option<ARef<MmWithUserAsync>> {
        self.mm.mmget_not_zero().map(MmWithUser::into_mmput_async)
    }

    /// Returns the user who is accountable for it; see [`task::owner`].
    pub fn owner(&self) -> u32 {
        self.owner
    }

    fn lock<'a>(&self, mm: &'a MmWithUser, patient: bool) -> Option<Locked<'a>> {
        match patient {
            true => Locked::killable(mm),
            false => Locked::soon(mm, self.owner),
        }
    }

    /// Returns a number that no other space has as long as this value exists.
    pub fn key(&self) -> u64 {
        self.raw() as u64
    }

    /// Tells whether a thread still uses it.
    pub fn is_alive(&self) -> bool {
        // SAFETY: `self` holds the `mm_struct`.
        unsafe { sys::kapi_space_alive(self.raw()) }
    }

    /// Tells whether a thread of the process with this id, in the root's namespace, uses it. Other
    /// processes may share it.
    ///
    /// # Context
    ///
    /// *process*
    pub fn is_of(&self, pid: u32) -> bool {
        let Ok(pid) = i32::try_from(pid) else { return false };
        // SAFETY: `self` holds the `mm_struct`.
        unsafe { sys::kapi_space_is_of(self.raw(), pid) }
    }

    /// Loads a page that other functions cannot wait for (see [`Ground::Away`]); they load other
    /// pages themselves. A private page becomes a copy of the process's own, which stays. This
    /// takes as long as the process likes. `EINTR`: the calling thread was killed meanwhile.
    /// `EFAULT`: nothing is there, or the module is being unloaded. A FUSE request that its daemon
    /// has read cannot be given up before the daemon answers or ends; that is so for the program's
    /// own faults, too.
    ///
    /// # Context
    ///
    /// *process*, may sleep; the caller holds no lock that others wait for
    pub fn touch(&self, addr: u64) -> Result {
        let user = self.in_use().ok_or(ESRCH)?;
        let locked = Locked::killable(&user).ok_or(EINTR)?;
        locked.touch(addr)
    }

    /// Reads into `into`. Returns the number of bytes, and the reason if it is less than `into`
    /// has.
    ///
    /// # Context
    ///
    /// *process*, may sleep
    pub fn read(&self, addr: u64, into: &mut [u8]) -> (usize, Option<Ground>) {
        self.read_some(addr, into, false)
    }

    /// Works like [`read`](Self::read), and waits for the memory map as long as the process likes,
    /// at nobody else's cost. `Away`: a page is not present, or the calling thread was killed.
    ///
    /// # Context
    ///
    /// *process*, may sleep; the caller holds no lock that others wait for
    pub fn read_patiently(&self, addr: u64, into: &mut [u8]) -> (usize, Option<Ground>) {
        self.read_some(addr, into, true)
    }

    /// `patient`: only its own process waits for the caller.
    fn read_some(&self, addr: u64, into: &mut [u8], patient: bool) -> (usize, Option<Ground>) {
        let Some(user) = self.in_use() else { return (0, Some(Ground::Gone)) };
        let Some(locked) = self.lock(&user, patient) else { return (0, Some(Ground::Away)) };
        let mut done = 0;
        while done < into.len() {
            let (at, end) = next_part(addr, done, into.len());
            if at >= sys::kapi_space_limit() {
                break;
            }
            let page = match locked.page(at, 0) {
                Ok(page) => page,
                Err(why) => return (done, Some(why)),
            };
            let Some(to) = into.get_mut(done..end) else { break };
            // `next_part` does not pass the end of the page.
            page.read(at, to);
            done = end;
        }
        (done, None)
    }

    /// Tells whether the text at an address can be changed, and which text it is.
    ///
    /// # Context
    ///
    /// *process*, may sleep
    pub fn ground(&self, addr: u64) -> core::result::Result<Text, Ground> {
        let user = self.in_use().ok_or(Ground::Gone)?;
        let locked = Locked::soon(&user, self.owner).ok_or(Ground::Away)?;
        locked.ground(addr)
    }

    /// Returns the [number](Text::number) of the text at an address, even where nothing can run
    /// now.
    ///
    /// # Context
    ///
    /// *process*, may sleep
    pub fn text(&self, addr: u64) -> core::result::Result<u64, Ground> {
        let user = self.in_use().ok_or(Ground::Gone)?;
        let locked = Locked::soon(&user, self.owner).ok_or(Ground::Away)?;
        locked.text(addr)
    }

    /// Changes bytes of text. It is faster if the addresses ascend.
    ///
    /// # Context
    ///
    /// *process*, may sleep
    pub fn poke(&self, pokes: &mut [Poke]) {
        self.poke_some(pokes, false);
        for _ in 0..TRIES {
            let away = pokes.iter().filter(|poke| poke.is_away());
            if !self.copy(away.map(|poke| poke.addr)) {
                break;
            }
            for run in pokes.chunk_by_mut(|a, b| a.is_away() == b.is_away()) {
                if run.first().is_some_and(Poke::is_away) {
                    self.poke_some(run, false);
                }
            }
        }
    }

    /// `patient`: only its own process waits for the caller.
    fn poke_some(&self, pokes: &mut [Poke], patient: bool) {
        for chunk in pokes.chunks_mut(CHUNK) {
            if let Err(why) = self.poke_chunk(chunk, patient) {
                chunk.iter_mut().for_each(|poke| poke.result = Err(why));
            }
        }
    }

    /// Addresses that ascend share the work for a page. `Err`: nothing was changed.
    fn poke_chunk(&self, pokes: &mut [Poke], patient: bool) -> Grounded {
        let user = self.in_use().ok_or(Ground::Gone)?;
        let locked = self.lock(&user, patient).ok_or(Ground::Away)?;
        for on_page in pokes.chunk_by_mut(|a, b| start_of_page(a.addr) == start_of_page(b.addr)) {
            let addr = on_page.first().map_or(0, |poke| poke.addr);
            let mut got = locked.area(addr).ok_or(Ground::Unmapped).and_then(|area| {
                area.ground()?;
                Ok((area, locked.page(addr, 0)?))
            });
            for poke in on_page {
                poke.result = match &mut got {
                    Err(why) => Err(*why),
                    Ok((area, _)) if poke.new == INT3 && !area.runs() => Err(Ground::NotText),
                    Ok((area, _)) if poke.text != area.text() => Err(Ground::Differs),
                    Ok((_, page)) => page.poke(&locked, poke),
                };
            }
        }
        Ok(())
    }

    /// Works like [`poke`](Self::poke), and waits for the memory as long as necessary. `EINTR`: the
    /// calling thread was killed meanwhile.
    ///
    /// # Context
    ///
    /// *process*, may sleep; the caller holds no lock that others wait for
    pub fn poke_patiently(&self, pokes: &mut [Poke]) -> Result {
        for _ in 0..TRIES {
            self.poke_some(pokes, true);
            // The kernel gets no pages for a thread that is being killed, and there is no lack of
            // memory then.
            if task::is_dying() {
                return Err(EINTR);
            }
            let mut any = false;
            for poke in pokes.iter().filter(|p| p.result() == Err(Ground::Away)) {
                match self.touch(poke.addr) {
                    Err(e) if e == EINTR => return Err(e),
                    // Nothing is mapped there, so there is no breakpoint either.
                    Err(_) => {}
                    Ok(()) => any = true,
                }
            }
            if !any {
                break;
            }
        }
        Ok(())
    }

    /// Writes to memory of ours. `EAGAIN`: that needs a wait. `EFAULT`: it is not ours any more. A
    /// page of a file is not written to, because a FUSE daemon can keep its lock, and marking it as
    /// dirty takes that.
    pub(crate) fn write(&self, addr: u64, from: &[u8]) -> Result {
        let end = addr.wrapping_add(from.len() as u64);
        let pages = (start_of_page(addr)..end).step_by(PAGE_SIZE);
        for _ in 0..TRIES {
            match self.write_once(addr, from) {
                Err(e) if e == EAGAIN && self.copy(pages.clone()) => {}
                result => return result,
            }
        }
        Err(EAGAIN)
    }

    fn write_once(&self, addr: u64, from: &[u8]) -> Result {
        let user = self.in_use().ok_or(ESRCH)?;
        let locked = Locked::soon(&user, self.owner).ok_or(EAGAIN)?;
        let mut done = 0;
        while done < from.len() {
            let (at, end) = next_part(addr, done, from.len());
            locked.area(at).filter(Area::is_as_ours).ok_or(EFAULT)?;
            let page = locked.page(at, bindings::FOLL_WRITE).map_err(|why| match why {
                Ground::Away => EAGAIN,
                Ground::Unmapped => EFAULT,
                _ => ENOMEM,
            })?;
            let Some(part) = from.get(done..end) else { break };
            // `next_part` does not pass the end of the page, which is `own`.
            page.write(at, part);
            done = end;
        }
        Ok(())
    }

    /// Tells whether a counter of two bytes at this address may be changed for a probe: it must be
    /// aligned, and in private, writable memory of the file that the probe is in, as the kernel
    /// demands for a uprobe. Any other word may mean something else to the process. `Away`: that
    /// needs a wait.
    ///
    /// # Context
    ///
    /// *process*, may sleep
    pub fn may_count(&self, addr: u64, probe: u64) -> core::result::Result<(), Ground> {
        let user = self.in_use().ok_or(Ground::Gone)?;
        let locked = Locked::soon(&user, self.owner).ok_or(Ground::Away)?;
        locked.may_count(addr, probe)
    }

    /// Returns the value of a counter of two bytes; `None`: it is not present.
    ///
    /// # Context
    ///
    /// *process*, may sleep
    pub fn counted(&self, addr: u64) -> Option<u16> {
        let mut bytes = [0; 2];
        (self.read(addr, &mut bytes).0 == bytes.len()).then(|| u16::from_le_bytes(bytes))
    }

    /// Replaces the value of a counter by `change` of it, which may be called more than once. The
    /// memory map is locked from its last call on, so no change by a uprobe of the kernel, which
    /// locks it for writing, is lost. `Away` and `NoMemory`: a later attempt may succeed; any other
    /// error: the counter is not there any more. Returns a number for the mapping that it is in.
    ///
    /// # Context
    ///
    /// *process*, may sleep
    pub fn count(
        &self,
        counter: &Counter,
        mut change: impl FnMut(u16) -> u16,
    ) -> core::result::Result<u64, Ground> {
        for _ in 0..TRIES {
            match self.count_once(counter, &mut change, false) {
                Err(Ground::Away) if self.copy([counter.at].into_iter()) => {}
                result => return result,
            }
        }
        Err(Ground::Away)
    }

    /// Works like [`count`](Self::count), and waits for the memory map as long as the process
    /// likes. `Away`: the counter is not present, or the calling thread was killed.
    ///
    /// # Context
    ///
    /// *process*, may sleep; the caller holds no lock that others wait for
    pub fn count_patiently(
        &self,
        counter: &Counter,
        change: impl FnMut(u16) -> u16,
    ) -> core::result::Result<u64, Ground> {
        self.count_once(counter, change, true)
    }

    /// `patient`: only its own process waits for the caller.
    fn count_once(
        &self,
        counter: &Counter,
        change: impl FnMut(u16) -> u16,
        patient: bool,
    ) -> Grounded<u64> {
        let user = self.in_use().ok_or(Ground::Gone)?;
        let locked = self.lock(&user, patient).ok_or(Ground::Away)?;
        locked.count(counter, change)
    }
}
