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

use crate::modules;
use crate::patience;
use crate::symbols;
use crate::sys::{self, Area};
use crate::task;
use crate::time;
use core::marker::PhantomData;
use core::mem;
use core::ptr::{self, NonNull};
use kernel::bindings;
use kernel::error::to_result;
use kernel::ffi::{c_long, c_void};
use kernel::mm::virt::flags;
use kernel::mm::{Mm, MmWithUser, MmWithUserAsync};
use kernel::page::{PAGE_MASK, PAGE_SIZE};
use kernel::prelude::*;
use kernel::sync::aref::ARef;
use kernel::types::NotThreadSafe;
use x86::encoding::INT3;

/// Why text of a process cannot be changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ground {
    /// Nothing is mapped there.
    Unmapped,
    /// It is not executable, or not memory that can be copied.
    NotText,
    /// It is memory that other processes share.
    Shared,
    /// There was no memory for a copy of it.
    NoMemory,
    /// The space has no thread any more.
    Gone,
    /// Other bytes are there than expected.
    Differs,
    /// It is not present, and only a program can make it present (FUSE, userfaultfd); or the
    /// process keeps its memory map locked; or the machine has little free memory.
    Away,
}

/// A part of a file that is mapped at an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Text {
    /// A number that changes when another part of a file, or another file, is mapped there.
    pub number: u64,
    /// The inode number of the file, as `/proc/PID/maps` shows it; 0: there is no file.
    pub inode: u64,
    /// The device of the file, likewise.
    pub device: u32,
}

type Grounded<T = ()> = core::result::Result<T, Ground>;

/// A counter of two bytes, by which a program sees that a probe is enabled.
#[derive(Debug, Clone, Copy, Default)]
pub struct Counter {
    /// Its address.
    pub at: u64,
    /// The address of the probe.
    pub probe: u64,
    /// The [number](Text::number) of the text of the probe.
    pub text: u64,
    /// The mapping that it was in, as returned by [`Space::count`]. Then it does not matter what is
    /// at the address of the probe now: a program may have replaced its text by a copy.
    pub home: Option<u64>,
}

/// A change of a byte of text.
#[derive(Debug, Clone, Copy)]
pub struct Poke {
    addr: u64,
    text: u64,
    old: u8,
    new: u8,
    result: Grounded,
}

impl Poke {
    /// A change of nothing.
    pub const NONE: Self = Self { addr: 0, text: 0, old: 0, new: 0, result: Ok(()) };

    /// Changes `old` to `new`, in the text with this number. A byte that is
    /// neither is left alone.
    pub fn new(addr: u64, text: u64, old: u8, new: u8) -> Self {
        Self { addr, text, old, new, result: Ok(()) }
    }

    /// Tells whether a page is needed for it. One that is not present has nothing to restore.
    fn is_away(&self) -> bool {
        self.result == Err(Ground::Away) && self.old != self.new
    }

    /// Returns the result.
    pub fn result(&self) -> core::result::Result<(), Ground> {
        self.result
    }
}

/// How often pages that have disappeared again are loaded.
const TRIES: usize = 8;

/// How many bytes are changed while other threads wait for the process's memory map.
const CHUNK: usize = 256;

/// What `kapi_space_page` returns if the machine has little free memory.
// CAST: errnos are small.
const WAIT: c_long = -(bindings::EAGAIN as c_long);

/// Flags, as [`Area`] has them.
const EXEC: u64 = flags::EXEC as u64;
const WRITE: u64 = flags::WRITE as u64;
const SHARED: u64 = flags::SHARED as u64;
/// Memory that is not the process's own cannot be copied for it.
const FOREIGN: u64 = (flags::IO | flags::PFNMAP | flags::HUGETLB) as u64;

impl Area {
    /// Returns a number for the part of a file that is mapped there; another part has another
    /// number. Memory of no file has 0.
    fn text(&self) -> u64 {
        if self.inode == 0 {
            return 0;
        }
        let text = self.number.wrapping_mul(sys::GOLDEN_RATIO) ^ u64::from(self.device);
        let text =
            text.wrapping_mul(sys::GOLDEN_RATIO).rotate_left(32) ^ u64::from(self.generation);
        text.wrapping_mul(sys::GOLDEN_RATIO).wrapping_add(self.offset).wrapping_sub(self.start)
    }

    /// Tells whether text there can be changed. Whether it can run matters only for placing a
    /// breakpoint, not for removing it: a program may make text unreadable or writable for a while,
    /// and must not find our breakpoint in it later.
    fn ground(&self) -> Grounded {
        match self.flags {
            f if f & SHARED != 0 => Err(Ground::Shared),
            f if f & FOREIGN != 0 => Err(Ground::NotText),
            _ => Ok(()),
        }
    }

    fn runs(&self) -> bool {
        self.flags & EXEC != 0
    }

    /// Tells whether it is as [`Space::map`] makes memory. The program may have unmapped ours, and
    /// have something else there.
    pub(crate) fn is_as_ours(&self) -> bool {
        self.inode == 0 && self.flags & (EXEC | WRITE | SHARED | FOREIGN) == EXEC
    }

    /// Tells whether a counter can be at this address of it.
    fn counts(&self, addr: u64) -> bool {
        addr % 2 == 0 && self.flags & (WRITE | SHARED) == WRITE
    }
}

/// The memory map of a process, locked for reading.
///
/// # Invariants
///
/// The current thread holds `mmap_lock` for reading.
pub(crate) struct Locked<'a> {
    mm: &'a MmWithUser,
    /// The current thread holds no lock that others wait for.
    patient: bool,
    _here: NotThreadSafe,
}

impl Drop for Locked<'_> {
    fn drop(&mut self) {
        // SAFETY: the current thread holds the lock by the invariant, and `Locked` stays with it.
        unsafe { bindings::mmap_read_unlock(self.mm.as_raw()) };
    }
}

impl<'a> Locked<'a> {
    /// Waits as long as the process likes. `None`: a signal has killed the current thread.
    pub(crate) fn killable(mm: &'a MmWithUser) -> Option<Self> {
        // SAFETY: `mm` has users.
        let locked = unsafe { sys::kapi_space_lock_killable(mm.as_raw().cast()) };
        // INVARIANT: the lock was taken.
        locked.then(|| Self { mm, patient: true, _here: NotThreadSafe })
    }

    fn at_once(mm: &'a MmWithUser) -> Option<Self> {
        // SAFETY: `mm` has users.
        let locked = unsafe { bindings::mmap_read_trylock(mm.as_raw()) };
        // INVARIANT: the lock was taken.
        locked.then(|| Self { mm, patient: false, _here: NotThreadSafe })
    }

    /// Waits for a bounded time, which this user's processes share.
    pub(crate) fn soon(mm: &'a MmWithUser, owner: u32) -> Option<Self> {
        if let Some(locked) = Self::at_once(mm) {
            return Some(locked);
        }
        let mut since = time::monotonic_ns();
        while patience::take(owner, since) != 0 {
            since = time::monotonic_ns();
            // SAFETY: the caller may sleep.
            unsafe { bindings::usleep_range_state(100, 300, bindings::TASK_UNINTERRUPTIBLE) };
            if let Some(locked) = Self::at_once(mm) {
                return Some(locked);
            }
        }
        None
    }

    /// Returns the first mapping that ends after an address.
    pub(crate) fn area_from(&self, addr: u64) -> Option<Area> {
        let mut area = Area::default();
        // SAFETY: the lock is held by the invariant.
        unsafe { sys::kapi_space_area(self.mm.as_raw().cast(), addr, &mut area) }.then_some(area)
    }

    /// Returns the mapping of an address.
    pub(crate) fn area(&self, addr: u64) -> Option<Area> {
        self.area_from(addr).filter(|a| a.start <= addr)
    }

    /// Gets the page of an address. Waits for no user's program, and unless it is patient not for
    /// memory.
    fn page(&self, addr: u64, flags: u32) -> Grounded<Page<'_>> {
        let area = self.area(addr).ok_or(Ground::Unmapped)?;
        let flags = match area.answers {
            true => flags,
            false => flags | bindings::FOLL_NOFAULT,
        };
        let mut page = ptr::null_mut();
        let (mm, start) = (self.mm.as_raw().cast(), start_of_page(addr));
        // SAFETY: the lock is held by the invariant, and kept. `page` has room for one.
        let n = unsafe { sys::kapi_space_page(mm, start, flags, self.patient, &mut page) };
        match NonNull::new(page) {
            // INVARIANT: the call above returned a reference, for writing if we asked for that.
            Some(at) if n == 1 => {
                let own = flags & bindings::FOLL_WRITE != 0;
                Ok(Page { at, own, shared: false, _locked: PhantomData })
            }
            _ if n == WAIT || flags & bindings::FOLL_NOFAULT != 0 => Err(Ground::Away),
            _ => Err(Ground::NoMemory),
        }
    }

    /// Returns the text of an address, as [`Space::ground`] does.
    fn ground(&self, addr: u64) -> Grounded<Text> {
        let area = self.area(addr).ok_or(Ground::Unmapped)?;
        area.ground()?;
        let (inode, device) = (area.shown_number, area.shown_device);
        let text = Text { number: area.text(), inode, device };
        area.runs().then_some(text).ok_or(Ground::NotText)
    }

    /// Returns the text of an address, as [`Space::text`] does.
    fn text(&self, addr: u64) -> Grounded<u64> {
        let area = self.area(addr).ok_or(Ground::Unmapped)?;
        area.ground().map(|()| area.text())
    }

    /// Checks a counter, as [`Space::may_count`] does. One that passes is within a page.
    fn may_count(&self, addr: u64, probe: u64) -> Grounded {
        let area = self.area(addr).ok_or(Ground::Unmapped)?;
        let text = self.area(probe).ok_or(Ground::Unmapped)?;
        let may = area.inode != 0 && area.inode == text.inode && area.counts(addr);
        may.then_some(()).ok_or(Ground::Differs)
    }

    /// Changes a counter, as [`Space::count`] demands.
    fn count(&self, c: &Counter, mut change: impl FnMut(u16) -> u16) -> Grounded<u64> {
        let area = self.area(c.at).ok_or(Ground::Unmapped)?;
        let home = area.text();
        let is_there = match c.home {
            Some(was) => was == home && area.inode != 0 && area.counts(c.at),
            None if self.ground(c.probe)?.number != c.text => false,
            None => self.may_count(c.at, c.probe).map(|()| true)?,
        };
        if !is_there {
            return Err(Ground::Differs);
        }
        let mut bytes = [0; 2];
        // An even address: both bytes are in one page.
        let mut page = self.page(c.at, 0)?;
        for _ in 0..TRIES {
            page.read(c.at, &mut bytes);
            let now = u16::from_le_bytes(bytes);
            let then = change(now).to_le_bytes();
            if then == bytes {
                return Ok(home);
            }
            page.make_own(self, c.at, 0)?;
            page.write(c.at, &then);
            if page.has(self, c.at, &then)? {
                return Ok(home);
            }
        }
        Err(Ground::Away)
    }

    /// Brings in the page of an address, as [`Space::touch`] demands.
    fn touch(self, addr: u64) -> Result {
        let area = self.area(addr).ok_or(EFAULT)?;
        if area.answers {
            // Under locks it is brought in as well, unless the machine has little free memory.
            let _ = self.page(addr, 0);
            return Ok(());
        }
        let write = if area.flags & SHARED == 0 { bindings::FOLL_WRITE } else { 0 };
        if self.page(addr, write).is_ok() {
            return Ok(());
        }
        // A daemon that has read the request may never answer, and then no signal ends the wait.
        // So rmmod must not begin meanwhile; once it has begun, nobody begins to wait.
        if !modules::hold_own() {
            return Err(EFAULT);
        }
        let result = self.fault(addr, write);
        // SAFETY: taken above. A child is awaited before the module goes (`children.c`); any other
        // caller has a file open, which holds the module.
        unsafe { modules::release_own() };
        result
    }

    /// Faults in the page of an address, for as long as that takes.
    pub(crate) fn fault(self, addr: u64, flags: u32) -> Result {
        let (mut page, mut locked) = (ptr::null_mut(), 1);
        // SAFETY: the lock is held by the invariant. `page` has room for one.
        let n = unsafe {
            bindings::get_user_pages_remote(
                self.mm.as_raw(),
                start_of_page(addr) as usize,
                1,
                bindings::FOLL_FORCE | flags,
                &mut page,
                &mut locked,
            )
        };
        match locked {
            // The call above has unlocked it.
            0 => mem::forget(self),
            _ => drop(self),
        }
        if n == 1 {
            // SAFETY: the call above returned a reference to `page`, which is not used again.
            unsafe { sys::kapi_page_put(page.cast(), false) };
            return Ok(());
        }
        Err(if task::is_dying() { EINTR } else { EFAULT })
    }
}

pub(crate) fn start_of_page(addr: u64) -> u64 {
    addr & PAGE_MASK as u64
}

/// CAST: less than the size of a page.
fn offset_in_page(addr: u64) -> usize {
    (addr & !(PAGE_MASK as u64)) as usize
}

/// Returns the part of `len` bytes at `addr`, of which `done` are done, that the next page has:
/// its address, and its end in the bytes.
fn next_part(addr: u64, done: usize, len: usize) -> (u64, usize) {
    let at = addr.wrapping_add(done as u64);
    let offset = offset_in_page(at);
    let room = PAGE_SIZE.saturating_sub(offset);
    (at, len.min(done.saturating_add(room)))
}

/// A page of a process.
///
/// # Invariants
///
/// `at` is a page, and this value has a reference to it. If it is `own`, it may be written to: the
/// process has it for itself, or shares it only with its children while the module is being
/// unloaded.
struct Page<'a> {
    at: NonNull<c_void>,
    own: bool,
    /// It may be shared with children all the same.
    shared: bool,
    _locked: PhantomData<&'a Locked<'a>>,
}

impl Drop for Page<'_> {
    fn drop(&mut self) {
        // SAFETY: this value has a reference by the invariant, and does not use it again.
        unsafe { sys::kapi_page_put(self.at.as_ptr(), self.own) };
    }
}

impl<'a> Page<'a> {
    /// Tells whether it is no page of a file, and only processes that were copied share it.
    fn is_copy(&self) -> bool {
        // SAFETY: `self.at` is a page by the invariant.
        unsafe { sys::kapi_page_is_copy(self.at.as_ptr()) }
    }

    fn byte(&self, addr: u64) -> u8 {
        self.mapped(addr, |at| {
            // SAFETY: `at` is in the page.
            unsafe { at.read_volatile() }
        })
    }

    /// Calls `f` with the place of an address in this page.
    fn mapped<R>(&self, addr: u64, f: impl FnOnce(*mut u8) -> R) -> R {
        // SAFETY: `self.at` is a page by the invariant.
        let at = unsafe { bindings::kmap_local_page(self.at.as_ptr().cast()) };
        let result = f(at.cast::<u8>().wrapping_add(offset_in_page(addr)));
        // SAFETY: it was mapped above, and is not used any more.
        unsafe { bindings::kunmap_local(at) };
        result
    }

    /// Reads from an address in this page. `to` does not reach beyond its end.
    fn read(&self, addr: u64, to: &mut [u8]) {
        self.mapped(addr, |at| {
            // SAFETY: by the callers, the page has that many bytes there.
            unsafe { at.copy_to_nonoverlapping(to.as_mut_ptr(), to.len()) }
        });
    }

    /// Writes to an address in this page, which is `own`. `from` does not reach beyond its end.
    fn write(&self, addr: u64, from: &[u8]) {
        self.mapped(addr, |at| {
            // SAFETY: by the callers, the page has that many bytes there.
            unsafe { at.copy_from_nonoverlapping(from.as_ptr(), from.len()) }
        });
    }

    /// Makes it a page that can be written to: a copy of this one that the process has for itself.
    ///
    /// While the module is being unloaded, no thread of ours can get the process a copy of a page
    /// that it shares with its children (`errand.c`). All of them lose their breakpoints then, and
    /// nobody places one, so the page that they share is changed. A process that writes to it at
    /// that moment may copy what was there before, which [`has`](Self::has) finds.
    fn make_own(&mut self, locked: &'a Locked<'_>, addr: u64, flags: u32) -> Grounded {
        match locked.page(addr, bindings::FOLL_WRITE | flags) {
            Ok(copy) => *self = copy,
            // INVARIANT: it is a copy, and the module is being unloaded.
            Err(Ground::Away) if self.is_copy() && modules::is_ending() => {
                (self.own, self.shared) = (true, true);
            }
            Err(why) => return Err(why),
        }
        Ok(())
    }

    /// Tells whether the process has these bytes, which were written to this page, at an address of
    /// it. Otherwise it has a copy from before, which takes the place of this page.
    fn has(&mut self, locked: &'a Locked<'_>, addr: u64, bytes: &[u8]) -> Grounded<bool> {
        if !self.shared {
            return Ok(true);
        }
        let now = locked.page(addr, 0)?;
        let mut there = [0; 2];
        let there = there.get_mut(..bytes.len()).ok_or(Ground::Away)?;
        now.read(addr, there);
        if there == bytes {
            return Ok(true);
        }
        *self = now;
        Ok(false)
    }

    /// Makes a change on this page. A page with nothing to change is not copied: most pages of a
    /// child have no breakpoint any more. A byte that stays the same is written (TCG takes notice
    /// of that) only if a copy exists.
    fn poke(&mut self, locked: &'a Locked<'_>, poke: &Poke) -> Grounded {
        for _ in 0..TRIES {
            if self.poke_once(locked, poke)? {
                return Ok(());
            }
        }
        Err(Ground::Away)
    }

    /// Returns false if this is another page now: once more.
    fn poke_once(&mut self, locked: &'a Locked<'_>, poke: &Poke) -> Grounded<bool> {
        if self.byte(poke.addr) != poke.old {
            return Err(Ground::Differs);
        }
        if !self.own {
            let stays = poke.old == poke.new;
            let wait = if stays { bindings::FOLL_NOFAULT } else { 0 };
            match self.make_own(locked, poke.addr, wait) {
                Err(_) if stays => return Ok(true),
                result => result?,
            }
            if self.byte(poke.addr) != poke.old {
                return Err(Ground::Differs);
            }
        }
        self.mapped(poke.addr, |at| {
            // SAFETY: `at` is in the page, which is `own`.
            unsafe { at.write_volatile(poke.new) };
        });
        self.has(locked, poke.addr, &[poke.new])
    }
}

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
