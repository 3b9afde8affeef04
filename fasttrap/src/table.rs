// SPDX-License-Identifier: GPL-2.0
//! The tables that a hit reads: first the process, then the address, which gives the probes.
//!
//! ```text
//!   SPACES ─► its entry ─► table ─► hit ─► uses
//! ```
//! Each process has its own table, so the cost of a change depends on that process alone. A table
//! is never changed, only replaced. A place stays in it, with or without a breakpoint, until no
//! thread can come from its breakpoint or be in its slot.

use crate::index::Index;
use abi::user::UserArg;
use core::sync::atomic::AtomicBool;
use framework::Probe;
use kapi::mem;
use kapi::publish::Published;
use kapi::ProbeCtx;
use kernel::prelude::*;
use kernel::sync::Arc;
use x86::displace::{Act, Mode};

/// The alignment of slots.
pub(crate) const SLOT_SIZE: u64 = 64;

/// The kind of a place for its probe.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// The entry of a function, or any instruction.
    Before,
    /// A return of a function.
    Return,
    /// A USDT probe.
    Usdt,
    /// A question of the program whether the probe is enabled.
    Question,
}

/// A probe at a place.
pub(crate) struct Use {
    pub(crate) probe: Arc<Probe>,
    pub(crate) role: Role,
    /// The offset from the beginning of the function.
    pub(crate) place: u32,
    /// The length of the function in bytes; 0 if it is unknown.
    pub(crate) size: u32,
    pub(crate) args: Option<Arc<KVVec<UserArg>>>,
}

/// A place.
#[derive(Clone, Copy)]
pub(crate) struct Hit {
    pub(crate) addr: u64,
    /// The address of its slot; 0 if it has none any more.
    pub(crate) slot: u64,
    pub(crate) act: Act,
    /// The instruction.
    pub(crate) bytes: [u8; x86::MAX_LEN],
    pub(crate) len: u8,
    pub(crate) mode: Mode,
    /// It had our breakpoint when the table was made, also one that could not be removed.
    pub(crate) armed: bool,
    /// It is a call.
    pub(crate) is_call: bool,
    /// The probes at the place.
    pub(crate) from: u32,
    pub(crate) uses: u32,
}

impl Hit {
    /// The address behind the instruction.
    #[inline]
    pub(crate) fn next(&self) -> u64 {
        self.addr.wrapping_add(self.len.into())
    }

    /// The instruction.
    pub(crate) fn code(&self) -> &[u8] {
        self.bytes.get(..usize::from(self.len)).unwrap_or_default()
    }
}

/// The places of a process. A place is found by its own address and by that of its slot.
pub(crate) struct Table {
    pub(crate) index: Index,
    pub(crate) hits: KVVec<Hit>,
    pub(crate) uses: KVVec<Option<Use>>,
}

impl Table {
    /// Returns the place at an address.
    #[inline]
    pub(crate) fn at(&self, addr: u64) -> Option<&Hit> {
        self.find(addr, |h| h.addr)
    }

    /// Returns the place whose slot begins at an address. A place without a slot has 0 for it,
    /// where a thread may well be: it has called a function by a null pointer.
    pub(crate) fn of_slot(&self, addr: u64) -> Option<&Hit> {
        (addr != 0).then(|| self.find(addr, |h| h.slot))?
    }

    #[inline]
    fn find(&self, addr: u64, by: impl Fn(&Hit) -> u64) -> Option<&Hit> {
        let is = |n: u32| self.hits.get(n as usize).is_some_and(|h| by(h) == addr);
        self.hits.get(self.index.find(addr, is)? as usize)
    }

    /// Returns the probes at a place.
    #[inline]
    pub(crate) fn uses(&self, hit: &Hit) -> impl Iterator<Item = &Use> + Clone {
        let (from, n) = (hit.from as usize, hit.uses as usize);
        self.uses.get(from..from.wrapping_add(n)).unwrap_or_default().iter().flatten()
    }
}

/// A process, for hits of its threads.
pub(crate) struct Entry {
    pub(crate) table: Published<Table>,
    /// A thread got a signal while it was in a slot; the handler may return there at any time.
    pub(crate) interrupted: AtomicBool,
    /// A thread with a shadow stack has reached a breakpoint on a call.
    pub(crate) shadowed: AtomicBool,
}

impl Entry {
    pub(crate) fn new() -> Self {
        let (interrupted, shadowed) = (AtomicBool::new(false), AtomicBool::new(false));
        Self { table: Published::empty(), interrupted, shadowed }
    }
}

/// All known processes, by their memory: open addressing, at most half full. The key of a free slot
/// is 0.
pub(crate) struct Spaces {
    slots: KVVec<(u64, Option<Arc<Entry>>)>,
    /// The shift that turns a hash into the first slot.
    shift: u32,
}

/// The table that hits read.
pub(crate) static SPACES: Published<Spaces> = Published::empty();

impl Spaces {
    pub(crate) fn new<'a>(
        n: usize,
        all: impl Iterator<Item = (u64, &'a Arc<Entry>)>,
    ) -> Result<Self> {
        let len = n.checked_mul(2).and_then(|n| n.max(2).checked_next_power_of_two());
        let len = len.ok_or(ENOMEM)?;
        let mut slots = mem::exact(len)?;
        for _ in 0..len {
            mem::push(&mut slots, (0, None))?;
        }
        let mut spaces = Self { slots, shift: (len as u64).leading_zeros().wrapping_add(1) };
        for (key, entry) in all {
            let mut at = spaces.first(key);
            while spaces.slots.get(at).is_some_and(|(other, _)| *other != 0) {
                at = spaces.after(at);
            }
            if let Some(slot) = spaces.slots.get_mut(at) {
                *slot = (key, Some(entry.clone()));
            }
        }
        Ok(spaces)
    }

    /// Returns the first slot for a key.
    #[inline]
    fn first(&self, key: u64) -> usize {
        // Fibonacci hashing: the upper bits of the product depend on all bits.
        (key.wrapping_mul(buffers::GOLDEN) >> (self.shift & 63)) as usize
    }

    #[inline]
    fn after(&self, at: usize) -> usize {
        at.wrapping_add(1) & self.slots.len().wrapping_sub(1)
    }

    /// Returns the process with this key; no process has key 0.
    #[inline]
    pub(crate) fn get(&self, key: u64) -> Option<&Entry> {
        let mut at = self.first(key);
        // The search ends at a free slot; at least half of the slots are free.
        loop {
            match self.slots.get(at)? {
                (other, Some(entry)) if *other == key => return Some(entry),
                (0, _) => return None,
                _ => at = self.after(at),
            }
        }
    }
}

/// Returns the entry of a process, if it is known.
#[inline]
pub(crate) fn entry(ctx: &ProbeCtx, key: u64) -> Option<&Entry> {
    SPACES.load(ctx)?.get(key)
}
