// SPDX-License-Identifier: GPL-2.0
//! What a thread that is hit looks into: a space and an address to what is there.
//!
//! The table is never changed but replaced. A place stays in it as long as its process, whether it has
//! a breakpoint or not: a thread may come from one that has just been taken away, or be in its slot.

use crate::index::Index;
use abi::user::UserArg;
use core::sync::atomic::AtomicBool;
use framework::Probe;
use kapi::publish::Published;
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
    pub(crate) space: u64,
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

/// A place and its slot have different addresses, and are found by both.
pub(crate) struct Table {
    pub(crate) index: Index,
    pub(crate) hits: KVVec<Hit>,
    pub(crate) uses: KVVec<Option<Use>>,
    /// Of all processes in there; with whether signals have found threads in slots.
    pub(crate) spaces: KVVec<(u64, Arc<AtomicBool>)>,
}

/// The one that is looked into.
pub(crate) static TABLE: Published<Table> = Published::empty();

/// By what a place or a slot is found.
#[inline]
pub(crate) fn hash(space: u64, addr: u64) -> u64 {
    addr ^ space.rotate_left(20)
}

impl Table {
    /// What is at an address.
    #[inline]
    pub(crate) fn at(&self, space: u64, addr: u64) -> Option<&Hit> {
        self.find(space, addr, |h| h.addr)
    }

    /// Whose slot begins there.
    pub(crate) fn of_slot(&self, space: u64, addr: u64) -> Option<&Hit> {
        self.find(space, addr, |h| h.slot)
    }

    #[inline]
    fn find(&self, space: u64, addr: u64, by: impl Fn(&Hit) -> u64) -> Option<&Hit> {
        let is = |n: u32| {
            let hit = self.hits.get(n as usize);
            hit.is_some_and(|h| by(h) == addr && h.space == space)
        };
        self.hits.get(self.index.find(hash(space, addr), is)? as usize)
    }

    /// Who is there.
    #[inline]
    pub(crate) fn uses(&self, hit: &Hit) -> impl Iterator<Item = &Use> + Clone {
        let (from, n) = (hit.from as usize, hit.uses as usize);
        self.uses.get(from..from.wrapping_add(n)).unwrap_or_default().iter().flatten()
    }
}
