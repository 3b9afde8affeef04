// SPDX-License-Identifier: GPL-2.0
//! The pages of a process, while its memory map is locked: getting them, and changing bytes in them.
//! [`space`](crate::space) tells whom a page may keep waiting.

use crate::modules;
use crate::patience;
use crate::sys::{self, Area};
use crate::task;
use crate::time;
use core::marker::PhantomData;
use core::mem;
use core::ptr::{self, NonNull};
use kernel::bindings;
use kernel::ffi::{c_long, c_void};
use kernel::mm::virt::flags;
use kernel::mm::MmWithUser;
use kernel::page::{PAGE_MASK, PAGE_SIZE};
use kernel::prelude::*;
use kernel::types::NotThreadSafe;

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

pub(crate) type Grounded<T = ()> = core::result::Result<T, Ground>;

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
    pub(crate) addr: u64,
    pub(crate) text: u64,
    old: u8,
    pub(crate) new: u8,
    pub(crate) result: Grounded,
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
    pub(crate) fn is_away(&self) -> bool {
        self.result == Err(Ground::Away) && self.old != self.new
    }

    /// Returns the result.
    pub fn result(&self) -> core::result::Result<(), Ground> {
        self.result
    }
}

/// How often pages that have disappeared again are loaded.
pub(crate) const TRIES: usize = 8;

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
    pub(crate) fn text(&self) -> u64 {
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
    pub(crate) fn ground(&self) -> Grounded {
        match self.flags {
            f if f & SHARED != 0 => Err(Ground::Shared),
            f if f & FOREIGN != 0 => Err(Ground::NotText),
            _ => Ok(()),
        }
    }

    pub(crate) fn runs(&self) -> bool {
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
    pub(crate) fn page(&self, addr: u64, flags: u32) -> Grounded<Page<'_>> {
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
    pub(crate) fn ground(&self, addr: u64) -> Grounded<Text> {
        let area = self.area(addr).ok_or(Ground::Unmapped)?;
        area.ground()?;
        let (inode, device) = (area.shown_number, area.shown_device);
        let text = Text { number: area.text(), inode, device };
        area.runs().then_some(text).ok_or(Ground::NotText)
    }

    /// Returns the text of an address, as [`Space::text`] does.
    pub(crate) fn text(&self, addr: u64) -> Grounded<u64> {
        let area = self.area(addr).ok_or(Ground::Unmapped)?;
        area.ground().map(|()| area.text())
    }

    /// Checks a counter, as [`Space::may_count`] does. One that passes is within a page.
    pub(crate) fn may_count(&self, addr: u64, probe: u64) -> Grounded {
        let area = self.area(addr).ok_or(Ground::Unmapped)?;
        let text = self.area(probe).ok_or(Ground::Unmapped)?;
        let may = area.inode != 0 && area.inode == text.inode && area.counts(addr);
        may.then_some(()).ok_or(Ground::Differs)
    }

    /// Changes a counter, as [`Space::count`] demands.
    pub(crate) fn count(&self, c: &Counter, mut change: impl FnMut(u16) -> u16) -> Grounded<u64> {
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
    pub(crate) fn touch(self, addr: u64) -> Result {
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
pub(crate) fn next_part(addr: u64, done: usize, len: usize) -> (u64, usize) {
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
pub(crate) struct Page<'a> {
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
    pub(crate) fn read(&self, addr: u64, to: &mut [u8]) {
        self.mapped(addr, |at| {
            // SAFETY: by the callers, the page has that many bytes there.
            unsafe { at.copy_to_nonoverlapping(to.as_mut_ptr(), to.len()) }
        });
    }

    /// Writes to an address in this page, which is `own`. `from` does not reach beyond its end.
    pub(crate) fn write(&self, addr: u64, from: &[u8]) {
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
    pub(crate) fn poke(&mut self, locked: &'a Locked<'_>, poke: &Poke) -> Grounded {
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
