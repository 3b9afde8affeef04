// SPDX-License-Identifier: GPL-2.0
//! The engine's state: the catalogs, and the memory that disabling needs.

use crate::body::SCRATCH_WORDS;
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

/// How many places are patched back at a time if there is no memory for a list of all.
pub(crate) const SMALL: usize = 256;

/// The state of the engine. One lock protects it.
pub(crate) struct State {
    pub(crate) catalogs: Catalogs,
    /// Computed with the kernel's catalog.
    pub(crate) never: Untraceable,
    pub(crate) return_thunk: u64,
    pub(crate) only_breakpoints: bool,
    /// For looking at one function, if anybody ever has.
    scratch: KVVec<u64>,
    /// For patching back without memory.
    pub(crate) spare: KVVec<u64>,
    pub(crate) spare_patches: KVVec<Patch>,
    /// The log has what is stuck.
    pub(crate) told: bool,
    /// Tries again what is stuck.
    pub(crate) again: extern "C" fn() -> bool,
}

/// A probe to its target; `None`: that has gone.
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
            again,
        })
    }

    pub(crate) fn rules(&self, only_breakpoints: bool) -> Rules<'_> {
        Rules { never: &self.never, only_breakpoints, return_thunk: self.return_thunk }
    }

    /// What has to be known before any function is looked at.
    pub(crate) fn prepare(&mut self) -> Result {
        if !self.never.is_computed() {
            self.never = Untraceable::compute()?;
            self.return_thunk = symbols::return_thunk().unwrap_or(0);
        }
        Ok(())
    }

    /// The places of one probe.
    pub(crate) fn plan(
        &self,
        i: usize,
        probe: &Arc<Probe>,
        target: Target,
        only_breakpoints: bool,
        desk: &mut Desk,
        plans: &mut KVVec<Plan>,
    ) -> core::result::Result<(), EnableError> {
        let catalog = self.catalogs.get(target.catalog).ok_or(EnableError::Gone)?;
        // CAST: there are less probes than ids.
        let of = Of {
            catalog,
            probe: Some(probe),
            owner: i as u32,
            rules: &self.rules(only_breakpoints),
        };
        plan::plan(of, target, desk, plans)
    }

    /// How a probe would be implemented now. `None`: that cannot be told, or an entry, of which all is
    /// known.
    pub(crate) fn how(&mut self, probe: &Arc<Probe>, target: Target) -> Option<Techniques> {
        if !target.is_return {
            return None;
        }
        if self.scratch.is_empty() {
            self.scratch = mem::zeroed_words(SCRATCH_WORDS).ok()?;
        }
        let mut desk = Desk::with(core::mem::take(&mut self.scratch), false);
        let mut plans = KVVec::new();
        let planned = self.plan(0, probe, target, self.only_breakpoints, &mut desk, &mut plans);
        self.scratch = desk.words;
        planned.ok()?;
        // What seemed to be an exit may be none.
        let all = plans.iter().fold(Techniques::empty(), |all, p| all | p.site.how.of_return());
        (!all.is_empty()).then_some(all)
    }

    /// A table without those that leave or lead nowhere, and with those that come. `None`: it would be
    /// empty.
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
            // Twice in the table it would fire twice.
            if !new.at(p.site.addr).any(|s| p.is(s)) {
                new.add(p.site.copy());
            }
        }
        Ok(Some(mem::boxed(new)?))
    }

    /// Replaces the table: without those that leave or lead nowhere.
    pub(crate) fn publish(&self) -> Result {
        drop(TABLE.swap(self.table(&mut KVVec::new())?));
        Ok(())
    }
}
