// SPDX-License-Identifier: GPL-2.0
//! A patched place, and the table by which a hit finds it.
//!
//! A table is never changed, only replaced, so a lookup sees either the old one or the new one. A
//! place may serve several probes, because a function may have several names, or its first
//! instruction may be its return.

use abi::probe::Techniques;
use core::sync::atomic::{AtomicBool, Ordering::Relaxed};
use framework::{Packed, Probe};
use kapi::publish::{Published, Replace};
use kapi::syscall::Abi;
use kapi::text::Patch;
use kapi::trampoline::Trampoline;
use kapi::{int3, mem, ProbeCtx};
use kernel::prelude::*;
use kernel::sync::Arc;
use x86::encoding::{CALL, INT3, WIDE};

/// The kind of patch at a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum How {
    /// A call, by ftrace.
    Fentry,
    /// A breakpoint.
    Trap,
    /// A call in place of a return.
    Return,
    /// A call in place of a jump to another function.
    Tail,
}

impl How {
    /// Returns the trampoline that the place calls, if it is a call that [`Patch`] writes.
    pub(crate) fn trampoline(self) -> Option<Trampoline> {
        match self {
            Self::Return => Some(Trampoline::Return),
            Self::Tail => Some(Trampoline::Tail),
            Self::Fentry | Self::Trap => None,
        }
    }

    /// Returns the technique by which a return is traced.
    pub(crate) fn of_return(self) -> Techniques {
        match self {
            Self::Return => Techniques::CALL_RETURN,
            Self::Tail => Techniques::CALL_TAIL,
            Self::Fentry | Self::Trap => Techniques::TRAP_RETURN,
        }
    }
}

/// The role of a place in its function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// The function begins here.
    Entry,
    /// The function ends here.
    Exit,
}

/// The meaning of a place's probe.
#[derive(Debug, Clone, Copy)]
pub enum View {
    /// A function.
    Function,
    /// A system call, which the function serves.
    Call {
        /// The ABI of the call.
        abi: Abi,
        /// The number of the call.
        number: u16,
        /// Which other callers reach the place.
        ask: Ask,
    },
    /// An event of another provider.
    Event(Event),
}

/// A callback for a function that is an event of a provider. It may call only functions that a
/// firing probe runs anyway.
#[derive(Debug, Clone, Copy)]
pub struct Event {
    /// Called with `row`, the probe, and the function's arguments or its return value.
    pub hit: fn(&ProbeCtx, u16, &Probe, Packed<'_>),
    /// The provider's own number.
    pub row: u16,
}

impl Event {
    #[inline(always)]
    pub(crate) fn happens(self, ctx: &ProbeCtx, probe: &Probe, args: Packed<'_>) {
        (self.hit)(ctx, self.row, probe, args);
    }
}

/// Which other callers reach a place of a system call, and so what a hit must check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ask {
    /// No others.
    Nothing,
    /// The same call through another ABI: check the ABI.
    Abi,
    /// Any others: check the ABI, if there is a call at all, and the number of the call.
    All,
}

/// A place and a probe.
pub(crate) struct Site {
    pub(crate) addr: u64,
    pub(crate) probe: Arc<Probe>,
    /// The offset from the beginning of the function in bytes; negative for an unlikely half before
    /// it.
    pub(crate) offset: i32,
    /// The length of the function in bytes.
    pub(crate) size: u32,
    /// The original bytes, at places that [`Patch`] writes.
    pub(crate) old: [u8; WIDE],
    pub(crate) how: How,
    pub(crate) role: Role,
    pub(crate) view: View,
    pub(crate) flags: Flags,
}

/// Flags for process context; only `more` and `odd` are read by hits, and they do not change once
/// published.
pub(crate) struct Flags {
    /// The place is patched.
    armed: AtomicBool,
    /// Another site with the same address follows in the table.
    pub(crate) more: bool,
    /// `more` is set, or the view is not [`View::Function`].
    pub(crate) odd: bool,
    /// The site is about to be removed.
    leaving: AtomicBool,
    /// No probe needs it, but it could not be restored yet.
    orphan: AtomicBool,
}

impl Site {
    pub(crate) fn new(
        addr: u64,
        probe: Arc<Probe>,
        offset: i32,
        size: u32,
        how: How,
        role: Role,
        old: [u8; WIDE],
    ) -> Self {
        let no = || AtomicBool::new(false);
        let flags = Flags { armed: no(), more: false, odd: false, leaving: no(), orphan: no() };
        let view = View::Function;
        Self { addr, probe, offset, size, old, how, role, view, flags }
    }

    /// Returns the site with another view.
    pub(crate) fn read_as(mut self, view: View) -> Self {
        self.view = view;
        self.flags.odd = !matches!(view, View::Function);
        self
    }

    /// Returns a copy for the next table.
    pub(crate) fn copy(&self) -> Self {
        let s = Self::new(
            self.addr,
            self.probe.clone(),
            self.offset,
            self.size,
            self.how,
            self.role,
            self.old,
        )
        .read_as(self.view);
        s.set_armed(self.is_armed());
        s.set_orphan(self.is_orphan());
        s
    }

    pub(crate) fn is_armed(&self) -> bool {
        self.flags.armed.load(Relaxed)
    }
    pub(crate) fn set_armed(&self, to: bool) {
        self.flags.armed.store(to, Relaxed);
    }
    pub(crate) fn is_leaving(&self) -> bool {
        self.flags.leaving.load(Relaxed)
    }
    pub(crate) fn set_leaving(&self, to: bool) {
        self.flags.leaving.store(to, Relaxed);
    }

    pub(crate) fn is_orphan(&self) -> bool {
        self.flags.orphan.load(Relaxed)
    }
    pub(crate) fn set_orphan(&self, to: bool) {
        self.flags.orphan.store(to, Relaxed);
    }

    /// Returns the patch from a call to the original bytes.
    pub(crate) fn restoring(&self) -> Option<Patch> {
        Patch::restore(self.addr, self.old, self.how.trampoline()?)
    }

    /// Tells whether a jump from here to `target` leaves the function. `target` is the site itself
    /// if the jump is not taken.
    pub(crate) fn leaves(&self, target: u64) -> bool {
        let start = self.addr.wrapping_sub(i64::from(self.offset) as u64);
        target != self.addr && target.wrapping_sub(start) >= self.size.into()
    }

    pub(crate) fn arg0(&self) -> u64 {
        i64::from(self.offset) as u64
    }
}

/// All places that are needed, in a hash table with open addressing. More than a third of the slots
/// are free, so a search ends soon.
pub(crate) struct Table {
    pub(crate) slots: KVVec<Option<Site>>,
    shift: u32,
}

/// The table that firing probes read.
pub(crate) static TABLE: Published<Table> = Published::empty();

impl Table {
    /// Creates a table with room for `n` sites.
    pub(crate) fn new(n: usize) -> Result<Self> {
        let len = n.max(8).checked_mul(8).ok_or(ENOMEM)? / 5;
        let len = len.checked_next_power_of_two().ok_or(ENOMEM)?;
        let mut slots = mem::vec(len)?;
        for _ in 0..len {
            let _ = slots.push_within_capacity(None);
        }
        Ok(Self { slots, shift: len.leading_zeros().wrapping_add(1) })
    }

    /// Returns the first slot to try for an address.
    #[inline]
    pub(crate) fn first(&self, addr: u64) -> usize {
        // Fibonacci hashing: the upper bits of the product depend on all bits of the address.
        (addr.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (self.shift & 63)) as usize
    }

    /// Returns the slot after a slot.
    #[inline]
    pub(crate) fn after(&self, at: usize) -> usize {
        at.wrapping_add(1) & self.slots.len().wrapping_sub(1)
    }

    /// Returns all slots in the order in which a search tries them.
    fn path(&self, addr: u64) -> impl Iterator<Item = usize> + '_ {
        let from = Some(self.first(addr));
        core::iter::successors(from, |at| Some(self.after(*at))).take(self.slots.len())
    }

    /// Adds a site; the caller has made the table large enough.
    pub(crate) fn add(&mut self, site: Site) {
        let mut at = self.first(site.addr);
        for _ in 0..self.slots.len() {
            let next = self.after(at);
            match self.slots.get_mut(at) {
                Some(slot @ None) => {
                    *slot = Some(site);
                    return;
                }
                Some(Some(same)) if same.addr == site.addr => {
                    same.flags.more = true;
                    same.flags.odd = true;
                }
                _ => {}
            }
            at = next;
        }
    }

    /// Returns all sites, in no order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Site> {
        self.slots.iter().flatten()
    }

    /// Returns the sites with an address.
    pub(crate) fn at(&self, addr: u64) -> impl Iterator<Item = &Site> {
        let mut done = false;
        self.path(addr)
            .map_while(|at| self.slots.get(at)?.as_ref())
            .take_while(move |s| {
                let go_on = !done;
                done |= s.addr == addr && !s.flags.more;
                go_on
            })
            .filter(move |s| s.addr == addr)
    }
}

/// Restores the original bytes in `bytes`, a copy of the text at `start`, where our patches are.
pub(crate) fn as_it_was(start: u64, bytes: &mut [u8]) {
    int3::uncover(start, bytes);
    TABLE.with(|t| {
        let Some(t) = t else { return };
        for at in 0..bytes.len() {
            // A kprobe's breakpoint may lie over our call.
            if !matches!(bytes.get(at), Some(&(INT3 | CALL))) {
                continue;
            }
            let ours = |s: &&Site| s.is_armed() && s.how.trampoline().is_some();
            let Some(s) = t.at(start.wrapping_add(at as u64)).find(ours) else { continue };
            let to = bytes.get_mut(at..).unwrap_or_default();
            to.iter_mut().zip(s.old).for_each(|(to, was)| *to = was);
        }
    });
}
