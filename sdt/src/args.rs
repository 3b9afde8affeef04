// SPDX-License-Identifier: GPL-2.0
//! Finds the probe of a site that was hit, by one lookup in a hash table, and fires it.

use framework::{fire, Args, Probe};
use kapi::publish::Published;
use kapi::{context, mem};
use kernel::prelude::*;
use kernel::sync::Arc;

/// One armed site.
pub(crate) struct Entry {
    pub(crate) site: u64,
    /// The number of registers that hold arguments, at most eight.
    pub(crate) nargs: usize,
    pub(crate) probe: Arc<Probe>,
}

/// The armed sites. Each is in the first free slot from its hash on. At least half of the slots are
/// free, so a search ends soon. (A binary search would need a sort, and `core`'s sorts can panic in
/// ways that objtool does not know.)
pub(crate) struct Table {
    slots: KVVec<Option<Entry>>,
}

/// The table that firing probes read.
pub(crate) static TABLE: Published<Table> = Published::empty();

impl Table {
    /// Makes a table with room for `n` entries.
    pub(crate) fn new(n: usize) -> Result<Self> {
        let len = n.checked_mul(2).and_then(usize::checked_next_power_of_two).ok_or(ENOMEM)?;
        let mut slots = mem::vec(len)?;
        for _ in 0..len {
            mem::push(&mut slots, None)?;
        }
        Ok(Self { slots })
    }

    /// Returns the slots to try for a site, in order.
    fn path(&self, site: u64) -> impl Iterator<Item = usize> {
        let mask = self.slots.len().wrapping_sub(1);
        // Fibonacci hashing: the upper half of the product depends on all bits.
        let from = (site.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize;
        (0..self.slots.len()).map(move |i| from.wrapping_add(i) & mask)
    }

    pub(crate) fn add(&mut self, entry: Entry) {
        for at in self.path(entry.site) {
            if let Some(slot @ None) = self.slots.get_mut(at) {
                *slot = Some(entry);
                return;
            }
        }
    }

    fn find(&self, site: u64) -> Option<&Entry> {
        self.path(site)
            .map_while(|at| self.slots.get(at)?.as_ref())
            .find(|entry| entry.site == site)
    }
}

/// Fires the probe of a site. A site that was just disarmed is no longer in the table, and nothing
/// happens.
///
/// # Context
/// *any*: that of the site.
pub(crate) fn hit(site: u64, args: &[u64; 8]) {
    context::enter(|ctx| {
        let Some(entry) = TABLE.load(ctx).and_then(|table| table.find(site)) else { return };
        let args = args.get(..entry.nargs).unwrap_or(args);
        fire(ctx, &entry.probe, Args::Registers(args));
    });
}
