// SPDX-License-Identifier: GPL-2.0
//! An enabling control block: one clause of one consumer on one probe.

use crate::clause::Clause;
use crate::probe::Probe;
use crate::shared::Shared;
use abi::ids::Epid;
use kapi::mem;
use kernel::prelude::*;
use kernel::sync::Arc;

/// An ECB. Its EPID heads its records.
pub struct Ecb {
    pub(crate) epid: Epid,
    pub(crate) probe: Arc<Probe>,
    pub(crate) clause: Arc<Clause>,
    pub(crate) shared: Arc<Shared>,
}

/// The ECBs of one probe, in the order of enabling. Immutable once published.
pub struct Chain {
    pub(crate) ecbs: KVec<Arc<Ecb>>,
}

impl Chain {
    /// The old chain, if any, followed by `more`.
    pub(crate) fn extended(old: Option<&Chain>, more: &[Arc<Ecb>]) -> Result<KBox<Chain>> {
        let mut ecbs = KVec::new();
        let old = old.map_or(&[][..], |c| &c.ecbs);
        for e in Iterator::chain(old.iter(), more) {
            mem::push(&mut ecbs, Arc::clone(e))?;
        }
        Ok(mem::boxed(Chain { ecbs })?)
    }

    /// True if a consumer has an ECB here.
    pub(crate) fn has(&self, shared: &Arc<Shared>) -> bool {
        self.ecbs.iter().any(|e| Arc::ptr_eq(&e.shared, shared))
    }
}
