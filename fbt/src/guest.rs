// SPDX-License-Identifier: GPL-2.0
//! Functions for other providers: what fbt knows of them, and how it patches them, for probes that
//! are not its own. A place may serve both.

use crate::attach::{State, Target};
use crate::catalog::{self, Desk};
use crate::hit::{View, DISPATCHERS};
use crate::provider::Fbt;
use crate::sites;
use crate::text::{sort, unique};
use framework::{EnableError, Probe};
use kapi::mem;
use kapi::syscall::Dispatchers;
use kernel::prelude::*;
use kernel::sync::Arc;

/// Some functions of the kernel proper.
#[derive(Clone)]
pub struct Functions {
    pub(crate) fbt: Arc<Fbt>,
    /// The id of their catalog.
    pub(crate) set: u64,
}

/// What a probe of another provider is on.
#[derive(Debug, Clone, Copy)]
pub struct Wanted {
    /// Where the function begins.
    pub start: u64,
    /// Its end, not its entry.
    pub is_return: bool,
    /// What the probe tells of.
    pub view: View,
}

/// How a function can be traced: bits of [`abi::probe::Technique`]s; 0: not at all.
#[derive(Debug, Clone, Copy, Default)]
pub struct Sides {
    /// Its entry.
    pub entry: u32,
    /// Its end.
    pub returns: u32,
}

impl Functions {
    /// Has the functions looked at that begin at these addresses, if that has not been done; some may
    /// be there twice.
    ///
    /// # Context
    /// *process*, may sleep.
    pub fn look(&self, starts: &[u64]) -> Result {
        let mut state = self.fbt.state.lock();
        if !state.knows(self.set) {
            state.prepare()?;
            let mut desk = Desk::new(false)?;
            let rules = state.rules(state.only_breakpoints);
            let mut starts: KVVec<u64> = mem::exact_copy(starts)?;
            sort(&mut starts, |s| *s);
            unique(&mut starts, |s| *s);
            let catalog = catalog::collect_some(self.set, &starts, &rules, &mut desk)?;
            let (at, catalog) = (state.room()?, mem::boxed(catalog)?);
            state.place(at, catalog);
        }
        if DISPATCHERS.with(|d| d.is_none()) {
            drop(DISPATCHERS.swap(Some(mem::boxed(Dispatchers::find())?)));
        }
        Ok(())
    }

    /// How the functions that begin at these addresses can be traced, as those that serve system calls.
    ///
    /// # Context
    /// *process*, may sleep.
    pub fn sides(&self, starts: &[u64], mut each: impl FnMut(usize, Sides)) -> Result {
        let mut desk = Desk::new(true)?;
        let state = self.fbt.state.lock();
        let Some(Some(catalog)) = state.position(self.set).and_then(|at| state.catalogs.get(at))
        else {
            return Ok(());
        };
        let rules = state.rules(state.only_breakpoints);
        for (n, start) in starts.iter().enumerate() {
            let function = catalog.position(*start).and_then(|at| catalog.functions.get(at));
            let Some(&f) = function else { continue };
            let mut sides = Sides { entry: f.entry.into(), returns: f.returns.into() };
            // It may end in another function, or not where it seems to.
            if sides.returns != 0 && !sites::ends(catalog, f, &rules, &mut desk) {
                sides.returns = 0;
            }
            each(n, sides);
        }
        Ok(())
    }

    /// As [`framework::Provider::enable`], for another provider's probes, which are called `entry` and `return`.
    pub fn enable(
        &self,
        probes: &[Arc<Probe>],
        wanted: &dyn Fn(&Probe) -> Option<Wanted>,
        refuse: &mut dyn FnMut(usize, EnableError),
    ) {
        let find = |state: &State, probe: &Probe| {
            let Wanted { start, is_return, view } = wanted(probe)?;
            let catalog = state.position(self.set)?;
            let function = state.catalogs.get(catalog)?.as_ref()?.position(start)?;
            Some(Target { catalog, function, is_return, view })
        };
        self.fbt.state.lock().enable(probes, &find, refuse);
    }

    /// As [`framework::Provider::disable`].
    pub fn disable(&self, probes: &[Arc<Probe>]) {
        self.fbt.state.lock().disable(probes);
    }
}
