// SPDX-License-Identifier: GPL-2.0
//! An enabling control block: one clause of one consumer on one probe.

use crate::shared::Shared;
use abi::ids::Epid;
use nosleep::stack::Start;
use nosleep::Arc;
use nosleep::KVVec;
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
    /// The number of ECBs of its consumer that follow it in its chain, if it is the first of them;
    /// [`Chain::new`] sets this.
    pub followers: u32,
}

/// The ECBs of one probe, in the order of enabling. Immutable once published.
///
/// Nearly every chain has one ECB, and there may be a hundred thousand chains, so the ECB is stored
/// inline. All others can be many, so their memory need not be contiguous.
pub struct Chain {
    first: Ecb,
    more: KVVec<Ecb>,
}

/// It is allocated in a 64-byte slab.
const _: () = assert!(size_of::<Chain>() <= 64);

fn are_of_one(a: &Ecb, b: &Ecb) -> bool {
    Arc::ptr_eq(&a.shared, &b.shared)
}

impl Chain {
    /// Creates a chain of these ECBs. Those of a consumer are neighbours.
    pub fn new(mut first: Ecb, mut more: KVVec<Ecb>) -> Self {
        first.followers = 0;
        for ecbs in more.chunk_by_mut(are_of_one) {
            // CAST: a chain has less than 2^32 ECBs.
            let n = ecbs.len() as u32;
            match ecbs.first_mut() {
                Some(ecb) if are_of_one(&first, ecb) => first.followers = n,
                Some(ecb) => ecb.followers = n.saturating_sub(1),
                None => {}
            }
        }
        Self { first, more }
    }

    /// Returns the ECBs, in order.
    #[inline]
    pub fn ecbs(&self) -> impl Iterator<Item = &Ecb> {
        Iterator::chain(core::iter::once(&self.first), &self.more)
    }

    /// Returns the number of ECBs.
    #[expect(clippy::len_without_is_empty, reason = "a chain is never empty")]
    pub fn len(&self) -> usize {
        self.more.len().saturating_add(1)
    }

    /// Returns the ECB, if there is exactly one.
    #[inline(always)]
    pub fn only(&self) -> Option<&Ecb> {
        self.more.is_empty().then_some(&self.first)
    }

    /// Returns the first ECB of each consumer, and its others. The time for a consumer does not
    /// depend on how many it has.
    pub fn consumers(&self) -> impl Iterator<Item = (&Ecb, &[Ecb])> {
        let (mut next, mut rest) = (Some(&self.first), &*self.more);
        core::iter::from_fn(move || {
            let first = next.take()?;
            // CAST: 64 bits.
            let (own, others) = rest.split_at_checked(first.followers as usize)?;
            if let Some((head, tail)) = others.split_first() {
                (next, rest) = (Some(head), tail);
            }
            Some((first, own))
        })
    }

    /// Tells whether a consumer has an ECB here.
    pub fn has(&self, shared: &Arc<Shared>) -> bool {
        self.consumers().any(|(e, _)| Arc::ptr_eq(&e.shared, shared))
    }

    /// Tells whether another consumer has an ECB here.
    pub fn has_others(&self, shared: &Arc<Shared>) -> bool {
        self.consumers().any(|(e, _)| !Arc::ptr_eq(&e.shared, shared))
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
