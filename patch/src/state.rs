// SPDX-License-Identifier: GPL-2.0
//! The engine's state: the catalogs, and the memory that disabling needs.

use crate::catalog::{Desk, Rules};
use crate::catalogs::Catalogs;
use crate::eligible::Untraceable;
use crate::plan::{self, Of, Plan, Target};
use crate::site::{Site, Table, TABLE};
use abi::probe::Techniques;
use framework::{EnableError, Probe};
use kapi::publish::Replace;
use kapi::text::Patch;
use kapi::{mem, symbols};
use kernel::prelude::*;
use kernel::sync::Arc;
use x86::body::SCRATCH_WORDS;

/// The number of places that are restored at a time if there is no memory for a list of all.
pub(crate) const SMALL: usize = 256;

/// The state of the engine. One lock protects it.
pub(crate) struct State {
    pub(crate) catalogs: Catalogs,
    /// Computed with the kernel's catalog.
    pub(crate) never: Untraceable,
    pub(crate) return_thunk: u64,
    pub(crate) only_breakpoints: bool,
    /// Memory for examining one function; empty until the first use.
    scratch: KVVec<u64>,
    /// Memory for restoring places when memory is short.
    pub(crate) spare: KVVec<u64>,
    pub(crate) spare_patches: KVVec<Patch>,
    /// The log has a message about stuck places.
    pub(crate) told: bool,
    /// ftrace has detached entries that are enabled, for lack of memory.
    pub(crate) lost: bool,
    /// Tries again to restore stuck places and to attach lost ones.
    pub(crate) again: extern "C" fn() -> bool,
}

/// Returns the target of a probe; `None` if it is gone.
pub(crate) type Find<'a> = &'a dyn Fn(&Catalogs, &Probe) -> Option<Target>;

pub(crate) type Refuse<'a> = &'a mut dyn FnMut(usize, EnableError);

impl State {
    pub(crate) fn new(only_breakpoints: bool, again: extern "C" fn() -> bool) -> Result<Self> {
        Ok(Self {
            catalogs: Catalogs::default(),
            never: Untraceable::default(),
            return_thunk: 0,
            only_breakpoints,
            scratch: KVVec::new(),
            spare: mem::vec(SMALL)?,
            spare_patches: mem::vec(SMALL)?,
            told: false,
            lost: false,
            again,
        })
    }

    pub(crate) fn rules(&self, only_breakpoints: bool) -> Rules<'_> {
        let Self { never, return_thunk, .. } = self;
        Rules { never, only_breakpoints, return_thunk: *return_thunk, replaced: &[] }
    }

    /// Computes what must be known before any function is examined.
    pub(crate) fn prepare(&mut self) -> Result {
        if !self.never.is_computed() {
            self.never = Untraceable::compute()?;
            self.return_thunk = symbols::return_thunk().unwrap_or(0);
        }
        Ok(())
    }

    /// Plans the places of one probe.
    pub(crate) fn plan(
        &self,
        i: usize,
        probe: &Arc<Probe>,
        target: Target,
        rules: &Rules<'_>,
        desk: &mut Desk,
        plans: &mut KVVec<Plan>,
    ) -> core::result::Result<(), EnableError> {
        let catalog = self.catalogs.get(target.catalog).ok_or(EnableError::Gone)?;
        // CAST: there are fewer probes than ids.
        let of = Of { catalog, probe: Some(probe), owner: i as u32, rules };
        plan::plan(of, target, desk, plans)
    }

    /// Returns the techniques that a probe would use now. `None`: they cannot be determined, or it
    /// is an entry, for which the catalog has them.
    pub(crate) fn how(&mut self, probe: &Arc<Probe>, target: Target) -> Option<Techniques> {
        if !target.is_return {
            return None;
        }
        if self.scratch.is_empty() {
            self.scratch = mem::filled(SCRATCH_WORDS, 0).ok()?;
        }
        let mut desk = Desk::with(core::mem::take(&mut self.scratch), false);
        let mut plans = KVVec::new();
        let rules = self.rules(self.only_breakpoints);
        let planned = self.plan(0, probe, target, &rules, &mut desk, &mut plans);
        self.scratch = desk.words;
        planned.ok()?;
        // A seeming exit may be none.
        let all = plans.iter().fold(Techniques::empty(), |all, p| all | p.site.how.of_return());
        (!all.is_empty()).then_some(all)
    }

    /// Creates a table without leaving and unpatched sites, and with the planned ones. `None`: it
    /// would be empty.
    pub(crate) fn table(&self, plans: &mut KVVec<Plan>) -> Result<Option<KBox<Table>>> {
        let stays = |s: &&Site| s.is_armed() && !s.is_leaving();
        let kept = TABLE.with(|t| t.into_iter().flat_map(Table::iter).filter(stays).count());
        let n = kept.wrapping_add(plans.len());
        if n == 0 {
            return Ok(None);
        }
        let mut new = Table::new(n)?;
        TABLE.with(|t| {
            for s in t.into_iter().flat_map(Table::iter).filter(stays) {
                new.add(s.copy());
            }
        });
        for p in plans.iter_mut() {
            p.shared = new.at(p.site.addr).any(Site::is_armed);
            // A site that is in the table twice would fire twice.
            if !new.at(p.site.addr).any(|s| p.is(s)) {
                new.add(p.site.copy());
            }
        }
        Ok(Some(mem::boxed(new)?))
    }

    /// Replaces the table by one without leaving and unpatched sites.
    pub(crate) fn publish(&self) -> Result {
        drop(TABLE.swap(self.table(&mut KVVec::new())?));
        Ok(())
    }
}
