// SPDX-License-Identifier: GPL-2.0
//! What a thread that is hit looks into: its process, then an address to what is there.
//!
//! ```text
//!   SPACES ─► its entry ─► table ─► hit ─► uses
//! ```
//! Each process has a table of its own, so a change costs what that process has, however many others there are. A table is
//! never changed but replaced. A place stays in it until no thread can come from its breakpoint or be in its slot, whether
//! it has a breakpoint or not.

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

/// Slots begin at multiples of this.
pub(crate) const SLOT_SIZE: u64 = 64;

/// What a place is to its probe.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// A function begins, or it is any instruction.
    Before,
    /// A function ends.
    Return,
    /// The program says so.
    Usdt,
    /// The program asks whether the probe is enabled.
    Question,
}

/// A probe at a place.
pub(crate) struct Use {
    pub(crate) probe: Arc<Probe>,
    pub(crate) role: Role,
    /// From where the function begins.
    pub(crate) place: u32,
    /// Its bytes; 0: not known.
    pub(crate) size: u32,
    pub(crate) args: Option<Arc<KVVec<UserArg>>>,
}

/// A place.
#[derive(Clone, Copy)]
pub(crate) struct Hit {
    pub(crate) addr: u64,
    /// The slot's address; 0: it has none any more.
    pub(crate) slot: u64,
    pub(crate) act: Act,
    /// The instruction.
    pub(crate) bytes: [u8; x86::MAX_LEN],
    pub(crate) len: u8,
    pub(crate) mode: Mode,
    /// Has a breakpoint of ours, or had one that could not be taken away, when the table was made.
    pub(crate) armed: bool,
    /// Its uses.
    pub(crate) from: u32,
    pub(crate) uses: u32,
}

impl Hit {
    /// Behind the instruction.
    #[inline]
    pub(crate) fn next(&self) -> u64 {
        self.addr.wrapping_add(self.len.into())
    }

    /// The instruction.
    pub(crate) fn code(&self) -> &[u8] {
        self.bytes.get(..usize::from(self.len)).unwrap_or_default()
    }
}

/// Places of a process. A place and its slot have different addresses, and are found by both.
pub(crate) struct Table {
    pub(crate) index: Index,
    pub(crate) hits: KVVec<Hit>,
    pub(crate) uses: KVVec<Option<Use>>,
}

impl Table {
    /// What is at an address.
    #[inline]
    pub(crate) fn at(&self, addr: u64) -> Option<&Hit> {
        self.find(addr, |h| h.addr)
    }

    /// The hit whose slot begins there.
    pub(crate) fn of_slot(&self, addr: u64) -> Option<&Hit> {
        self.find(addr, |h| h.slot)
    }

    #[inline]
    fn find(&self, addr: u64, by: impl Fn(&Hit) -> u64) -> Option<&Hit> {
        let is = |n: u32| self.hits.get(n as usize).is_some_and(|h| by(h) == addr);
        self.hits.get(self.index.find(addr, is)? as usize)
    }

    /// The uses of a place.
    #[inline]
    pub(crate) fn uses(&self, hit: &Hit) -> impl Iterator<Item = &Use> + Clone {
        let (from, n) = (hit.from as usize, hit.uses as usize);
        self.uses.get(from..from.wrapping_add(n)).unwrap_or_default().iter().flatten()
    }
}

/// A process, as its threads that are hit see it.
pub(crate) struct Entry {
    pub(crate) table: Published<Table>,
    /// A signal has come to a thread in a slot: its handler may return there at any time.
    pub(crate) interrupted: AtomicBool,
}

impl Entry {
    pub(crate) fn new() -> Self {
        Self { table: Published::empty(), interrupted: AtomicBool::new(false) }
    }
}

/// All processes that are known, by their memory: open addressing, at most half full. The key of a free one is 0.
pub(crate) struct Spaces {
    slots: KVVec<(u64, Option<Arc<Entry>>)>,
    /// What is left of a hash that says where to begin.
    shift: u32,
}

/// The ones that are looked into.
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

    /// Where to look for a key first.
    #[inline]
    fn first(&self, key: u64) -> usize {
        // Fibonacci hashing: the product's upper bits depend on all of the key.
        (key.wrapping_mul(buffers::GOLDEN) >> (self.shift & 63)) as usize
    }

    #[inline]
    fn after(&self, at: usize) -> usize {
        at.wrapping_add(1) & self.slots.len().wrapping_sub(1)
    }

    /// The process with this key; no process has 0.
    #[inline]
    pub(crate) fn get(&self, key: u64) -> Option<&Entry> {
        let mut at = self.first(key);
        // Ends at a free slot: at least half of them are.
        loop {
            match self.slots.get(at)? {
                (other, Some(entry)) if *other == key => return Some(entry),
                (0, _) => return None,
                _ => at = self.after(at),
            }
        }
    }
}

/// The entry of a process, if it is known.
#[inline]
pub(crate) fn entry(ctx: &ProbeCtx, key: u64) -> Option<&Entry> {
    SPACES.load(ctx)?.get(key)
}
