// SPDX-License-Identifier: GPL-2.0
//! The data about sites that is needed when a CPU comes from one: the table of `helpers/sites.c`,
//! and the pool of displaced instructions. For [`crate::int3`] and [`crate::text`].

use crate::lock::{Held, Lock};
use crate::mem;
use crate::symbols;
use crate::sys;
pub(crate) use crate::sys::{Kind, Site};
use core::ops::Range;
use core::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use kernel::bindings;
use kernel::ffi::c_int;

/// The number of sites that are changed while the kernel's locks are held once.
pub(crate) const CHUNK: usize = 256;

/// Why a site was left unchanged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refused {
    /// This kernel does not have the required functions.
    Unsupported,
    /// This change is not possible for any site.
    Malformed,
    /// The address is not text, or is no longer text; for ftrace: it is not the entry of a function
    /// that ftrace knows.
    NotText,
    /// Another tracer has changed the bytes there, or already holds the site.
    Busy,
    /// There is no room for another displaced instruction.
    NoRoom,
    /// No memory.
    Memory,
}

impl Refused {
    /// Returns the errno for a helper.
    pub(crate) fn errno(self) -> u8 {
        (match self {
            Self::Unsupported => bindings::EOPNOTSUPP,
            Self::Malformed => bindings::EINVAL,
            Self::NotText => bindings::ENXIO,
            Self::Busy => bindings::EEXIST,
            Self::NoRoom => bindings::ENOSPC,
            Self::Memory => bindings::ENOMEM,
        }) as u8
    }

    /// Returns the reason for an errno that a helper wrote to `why`.
    pub(crate) fn of(errno: u8) -> Option<Self> {
        match u32::from(errno) {
            0 => None,
            bindings::EINVAL | bindings::ENOENT => Some(Self::Malformed),
            bindings::EOPNOTSUPP => Some(Self::Unsupported),
            bindings::ENXIO => Some(Self::NotText),
            bindings::ENOSPC => Some(Self::NoRoom),
            bindings::ENOMEM => Some(Self::Memory),
            _ => Some(Self::Busy),
        }
    }
}

impl Site {
    pub(crate) fn new(addr: u64, kind: Kind, target: u64, len: u8) -> Self {
        Self { addr, target, kind, reg: 0, len, first: 0, armed: 0, touched: 0, unused: [0; 2] }
    }
}

/// Bytes of the pool.
pub(crate) const POOL: usize = 256 << 10;

static POOL_USED: AtomicUsize = AtomicUsize::new(0);
static EXPECTED: AtomicBool = AtomicBool::new(false);
static BREAKPOINTS: AtomicBool = AtomicBool::new(false);

/// Notes that from now on a task may enter our text through a site.
pub(crate) fn expect() {
    EXPECTED.store(true, Relaxed);
}

/// Tells whether a task may ever have entered.
pub(crate) fn expected() -> bool {
    EXPECTED.load(Relaxed)
}

/// A place in the pool.
pub(crate) struct Slot(usize);

impl Slot {
    pub(crate) fn addr(&self) -> u64 {
        (sys::kapi_pool as *const () as u64).wrapping_add(self.0 as u64)
    }
}

/// The exclusive right to change the table.
pub(crate) struct Table {
    _held: Held,
}

impl Table {
    pub(crate) fn lock() -> Self {
        Self { _held: Lock::Sites.hold() }
    }

    /// Makes room for `n` more sites.
    pub(crate) fn reserve(&self, n: usize) -> Result<(), Refused> {
        mem::ask().map_err(|_| Refused::Memory)?;
        // SAFETY: a `Table` exists, so we hold the lock that guards the table.
        match unsafe { sys::kapi_sites_reserve(n) } {
            0 => Ok(()),
            _ => Err(Refused::Memory),
        }
    }

    /// Tells whether `site` is registered with the same effect; the place of its slot does not
    /// matter.
    pub(crate) fn knows(&self, site: &Site) -> Result<bool, Refused> {
        const UNKNOWN: c_int = -(bindings::ENOENT as c_int);
        // SAFETY: a `Table` exists, so we hold the lock.
        match unsafe { sys::kapi_sites_check(site) } {
            0 => Ok(true),
            UNKNOWN => Ok(false),
            _ => Err(Refused::Busy),
        }
    }

    /// Registers `site`. There must be room for it.
    pub(crate) fn add(&self, site: &Site) -> Result<(), Refused> {
        if self.knows(site)? {
            return Ok(());
        }
        // SAFETY: a `Table` exists, so we hold the lock; the site is not in the table yet.
        match unsafe { sys::kapi_sites_add(site) } {
            0 => Ok(()),
            _ => Err(Refused::Memory),
        }
    }

    /// Arms or disarms at most [`CHUNK`] breakpoints. `why` gets the reasons for those
    /// that fail.
    pub(crate) fn poke(&self, addrs: &[u64], on: bool, why: &mut [u8; CHUNK]) {
        let Some(fns) = symbols::breakpoint_fns() else { return };
        let n = addrs.len().min(why.len());
        // SAFETY: a `Table` exists, so we hold the lock; `fns` comes from `symbols`; `addrs` and
        // `why` have at least `n` members.
        unsafe { sys::kapi_sites_poke(fns, addrs.as_ptr(), n, on, why.as_mut_ptr()) };
    }

    pub(crate) fn forget(&self, range: Range<u64>) {
        // SAFETY: a `Table` exists, so we hold the lock.
        unsafe { sys::kapi_sites_forget(range.start, range.end) };
    }

    /// Makes every CPU see the written text.
    pub(crate) fn sync_text(&self) {
        if let Some(fns) = symbols::breakpoint_fns() {
            // SAFETY: `fns` comes from `symbols`.
            unsafe { sys::kapi_sites_sync(fns) };
        }
    }

    /// Returns a slot for a displaced instruction of this length.
    pub(crate) fn slot(&self, len: u8) -> Slot {
        // SAFETY: a `Table` exists, so we hold the lock.
        let at = match usize::try_from(unsafe { sys::kapi_slot_again(len) }) {
            Ok(again) => again,
            Err(_) => POOL_USED.load(Relaxed),
        };
        Slot(at)
    }

    /// Writes `code` into the slot.
    pub(crate) fn fill(&self, slot: Slot, code: &[u8]) -> Result<(), Refused> {
        let fns = symbols::breakpoint_fns().ok_or(Refused::Unsupported)?;
        let Slot(at) = slot;
        let end = at.checked_add(code.len()).filter(|end| *end <= POOL).ok_or(Refused::NoRoom)?;
        // SAFETY: `fns` comes from `symbols`; `code` has that many bytes, and they end within the
        // pool. `slot` lies behind all used slots, or was the slot of a forgotten instruction of
        // the same length.
        match unsafe { sys::kapi_pool_write(fns, at, code.as_ptr(), code.len()) } {
            0 => {
                POOL_USED.fetch_max(end, Relaxed);
                Ok(())
            }
            _ => Err(Refused::Malformed),
        }
    }

    /// Starts to receive breakpoints.
    pub(crate) fn breakpoints_on(&self) -> Result<(), Refused> {
        if BREAKPOINTS.load(Relaxed) {
            return Ok(());
        }
        // SAFETY: this is called once: we hold the lock, and `BREAKPOINTS` was not set.
        if unsafe { sys::kapi_breakpoints_on() } != 0 {
            return Err(Refused::Memory);
        }
        BREAKPOINTS.store(true, Relaxed);
        Ok(())
    }

    /// Removes all breakpoints that are still armed, and stops receiving breakpoints.
    pub(crate) fn breakpoints_off(&self) {
        let Some(fns) = symbols::breakpoint_fns() else { return };
        if BREAKPOINTS.swap(false, Relaxed) {
            // SAFETY: a `Table` exists, so we hold the lock; `fns` comes from `symbols`.
            unsafe { sys::kapi_sites_restore(fns) };
            // SAFETY: no breakpoint is armed any more, and the notifier was registered.
            unsafe { sys::kapi_breakpoints_off() };
        }
    }

    /// Waits until no task is on its way from a site, and forgets all sites. Call it after
    /// [`Table::breakpoints_off`], and after each call that replaced a jump is a jump again.
    pub(crate) fn end(self) {
        sys::kapi_quiesce();
        let Some(fns) = symbols::text_fns() else { return };
        // SAFETY: we hold the lock, and `fns` comes from `symbols`. Without the notifier no
        // breakpoint is armed, and `kapi_quiesce` has waited for all tasks that came from one.
        if unsafe { sys::kapi_sites_free(fns) } {
            POOL_USED.store(0, Relaxed);
        }
    }
}
