// SPDX-License-Identifier: GPL-2.0
//! An enabling control block: one clause of one consumer on one probe.

use crate::shared::Shared;
use abi::ids::Epid;
use nosleep::stack::Start;
use nosleep::Arc;
use nosleep::KVec;
use nosleep::Published;
use plan::clause::Clause;

/// A probe with the ECBs that run when it fires, in the order of enabling.
pub type Probe = plan::probe::Probe<Published<Chain>>;

/// All probes.
pub type ProbeTable = plan::probe::ProbeTable<Published<Chain>>;

/// An ECB. Its records begin with its EPID.
#[derive(Clone)]
pub struct Ecb {
    /// Its number.
    pub epid: Epid,
    /// The number of the first of its values whose keys are constant here
    /// ([`Shared::take_numbers`]).
    pub slot: u32,
    /// The place where stacks at its probe begin.
    pub start: Start,
    /// Its probe.
    pub probe: Arc<Probe>,
    /// Its clause.
    pub clause: Arc<Clause>,
    /// Its consumer, and the data that it writes.
    pub shared: Arc<Shared>,
}

/// The ECBs of one probe, in the order of enabling. Immutable once published.
///
/// Nearly every chain has one ECB, and there may be a hundred thousand chains, so the ECB is stored
/// inline.
pub struct Chain {
    first: Ecb,
    more: KVec<Ecb>,
}

/// It is allocated in a 64-byte slab.
const _: () = assert!(size_of::<Chain>() <= 64);

impl Chain {
    /// Returns the ECBs, in order.
    #[inline]
    pub fn ecbs(&self) -> impl Iterator<Item = &Ecb> {
        Iterator::chain(core::iter::once(&self.first), &self.more)
    }

    /// Returns the ECB, if there is exactly one.
    #[inline(always)]
    pub fn only(&self) -> Option<&Ecb> {
        self.more.is_empty().then_some(&self.first)
    }

    /// Returns the number of consumers that have ECBs here. The ECBs of a consumer are neighbours.
    pub fn consumers(&self) -> u32 {
        let mut last = &self.first.shared;
        self.more.iter().fold(1, |n: u32, e| {
            let same = Arc::ptr_eq(core::mem::replace(&mut last, &e.shared), &e.shared);
            n.saturating_add((!same).into())
        })
    }

    /// Creates a chain of these ECBs.
    pub fn new(first: Ecb, more: KVec<Ecb>) -> Self {
        Self { first, more }
    }

    /// Tells whether a consumer has an ECB here.
    pub fn has(&self, shared: &Arc<Shared>) -> bool {
        self.ecbs().any(|e| Arc::ptr_eq(&e.shared, shared))
    }

    /// Tells whether another consumer has an ECB here.
    pub fn has_others(&self, shared: &Arc<Shared>) -> bool {
        self.ecbs().any(|e| !Arc::ptr_eq(&e.shared, shared))
    }

    /// Removes a consumer's ECBs in place. Returns false, and changes nothing, if none would be
    /// left.
    pub fn leave(&mut self, shared: &Arc<Shared>) -> bool {
        if Arc::ptr_eq(&self.first.shared, shared) {
            let others = self.more.iter().position(|e| !Arc::ptr_eq(&e.shared, shared));
            let Some(Ok(first)) = others.map(|at| self.more.remove(at)) else { return false };
            self.first = first;
        }
        self.more.retain(|e| !Arc::ptr_eq(&e.shared, shared));
        true
    }
}
