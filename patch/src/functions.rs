// SPDX-License-Identifier: GPL-2.0
//! Selected functions of the kernel proper, for providers that need only a few. They are examined
//! one by one, because examining the whole kernel takes many times as long. A place may serve
//! several providers.

use crate::catalog::{self, Desk, Sides};
use crate::catalogs::Catalogs;
use crate::engine::Engine;
use crate::hit::DISPATCHERS;
use crate::list::{sort, unique};
use crate::plan::{self, Target};
use crate::site::View;
use abi::probe::Techniques;
use framework::{EnableError, Probe};
use kapi::mem;
use kapi::publish::Replace;
use kapi::syscall::Dispatchers;
use kernel::prelude::*;
use kernel::sync::Arc;

/// A set of functions of the kernel proper.
#[derive(Clone)]
pub struct Functions {
    pub(crate) engine: Arc<Engine>,
    /// The id of their catalog.
    pub(crate) set: u64,
}

/// The target of a probe of another provider.
#[derive(Debug, Clone, Copy)]
pub struct Wanted {
    /// The address of the function.
    pub start: u64,
    /// The probe is on its returns, not on its entry.
    pub is_return: bool,
    /// The meaning of the probe.
    pub view: View,
}

impl Functions {
    /// Examines the functions that begin at these addresses, unless this set has been examined
    /// already. Addresses may be repeated.
    ///
    /// # Context
    /// *process*, may sleep.
    pub fn look(&self, starts: &[u64]) -> Result {
        let mut state = self.engine.state.lock();
        if state.catalogs.number(self.set).is_none() {
            state.prepare()?;
            let mut desk = Desk::new(false)?;
            let rules = state.rules(state.only_breakpoints);
            let mut starts: KVVec<u64> = mem::exact_copy(starts)?;
            sort(&mut starts, |s| *s);
            unique(&mut starts, |s| *s);
            let catalog = catalog::collect_some(self.set, &starts, &rules, &mut desk)?;
            let catalog = mem::boxed(catalog)?;
            let number = state.catalogs.reserve()?;
            state.catalogs.fill(number, catalog);
        }
        if DISPATCHERS.with(|d| d.is_none()) {
            drop(DISPATCHERS.swap(Some(mem::boxed(Dispatchers::find())?)));
        }
        Ok(())
    }

    /// Calls `each` with the techniques for each of these functions, for use as functions that
    /// serve system calls.
    ///
    /// # Context
    /// *process*, may sleep.
    pub fn sides(&self, starts: &[u64], mut each: impl FnMut(usize, Sides)) -> Result {
        let mut desk = Desk::new(true)?;
        let state = self.engine.state.lock();
        let catalogs = &state.catalogs;
        let Some(catalog) = catalogs.number(self.set).and_then(|n| catalogs.get(n)) else {
            return Ok(());
        };
        let rules = state.rules(state.only_breakpoints);
        for (n, start) in starts.iter().enumerate() {
            let function = catalog.position(*start).and_then(|at| catalog.functions.get(at));
            let Some(&f) = function else { continue };
            let mut sides = f.sides();
            // It may end in another function, or in a place that is no exit.
            if !sides.returns.is_empty() && !plan::ends(catalog, f, &rules, &mut desk) {
                sides.returns = Techniques::empty();
            }
            each(n, sides);
        }
        Ok(())
    }

    /// Enables probes; see [`framework::Provider::enable`].
    pub fn enable(
        &self,
        probes: &[Arc<Probe>],
        wanted: &dyn Fn(&Probe) -> Option<Wanted>,
        refuse: &mut dyn FnMut(usize, EnableError),
    ) {
        let find = |catalogs: &Catalogs, probe: &Probe| {
            let Wanted { start, is_return, view } = wanted(probe)?;
            let catalog = catalogs.number(self.set)?;
            let function = catalogs.get(catalog)?.position(start)?;
            Some(Target { catalog, function, is_return, view })
        };
        self.engine.state.lock().enable(probes, &find, refuse);
    }

    /// Disables probes; see [`framework::Provider::disable`].
    pub fn disable(&self, probes: &[Arc<Probe>]) {
        self.engine.state.lock().disable(probes);
    }
}
