// SPDX-License-Identifier: GPL-2.0
//! Enabling probes, in batches.
//!
//! ```text
//!   plan ─► patch ─► publish the table with the new places ─► undo probes with a refused place
//! ```
//! Until the table is published, patched places are hit thousands of times; such a hit finds no
//! entry and does nothing. Several probes may share a place: it is patched for the first one and
//! restored after the last.

use crate::catalog::{Desk, Rules};
use crate::list::{add, first, sort, unique};
use crate::plan::{Plan, Work};
use crate::site::{Site, TABLE};
use crate::state::{Find, Refuse, State};
use framework::{EnableError, Probe};
use kapi::int3;
use kapi::publish::Replace;
use kapi::text::{self, Patch, Refused};
use kapi::{ftrace, livepatch, mem};
use kernel::prelude::*;
use kernel::sync::Arc;
use x86::Decoded;

impl State {
    /// Arms probes.
    pub(crate) fn enable(&mut self, probes: &[Arc<Probe>], find: Find<'_>, refuse: Refuse<'_>) {
        // Restore the places that could not be restored earlier.
        self.detach(&|_| false);
        let mut busy: KVVec<(usize, EnableError)> = KVVec::new();
        let only = self.only_breakpoints;
        self.attempt(probes, find, &|_| true, only, &mut |i, why| {
            let may_be = !only && matches!(why, EnableError::Busy(_));
            if !may_be || mem::push(&mut busy, (i, why)).is_err() {
                refuse(i, why);
            }
        });
        // If another tracer has the place of an entry, we can use the instruction behind it.
        let mut again = KVVec::new();
        for (i, why) in busy {
            let target = probes.get(i).and_then(|p| find(&self.catalogs, p));
            let is_entry = target.is_some_and(|t| !t.is_return);
            if !is_entry || mem::push(&mut again, i).is_err() {
                refuse(i, why);
            }
        }
        if !again.is_empty() {
            sort(&mut again, |i| *i as u64);
            let chosen = |i: usize| again.get(first(&again, |a| *a >= i)) == Some(&i);
            self.attempt(probes, find, &chosen, true, refuse);
        }
    }

    /// Enables those probes for which `chosen` holds, by their index in `probes`.
    fn attempt(
        &mut self,
        probes: &[Arc<Probe>],
        find: Find<'_>,
        chosen: &dyn Fn(usize) -> bool,
        only_breakpoints: bool,
        refuse: Refuse<'_>,
    ) {
        // A function has more returns than entries.
        let room = probes.len().saturating_add(probes.len() / 3);
        let (mut plans, mut desk) = (KVVec::new(), Desk::new(probes.len() > 1));
        if mem::reserve(&mut plans, room).is_err() {
            desk = Err(ENOMEM);
        }
        // Read for each attempt: ftrace may have refused a function in the first one because a
        // livepatch has just replaced it.
        let mut replaced = livepatch::replaced().unwrap_or_else(|e| {
            desk = Err(e);
            KVVec::new()
        });
        sort(&mut replaced, |a| *a);
        let rules = Rules { replaced: &replaced, ..self.rules(only_breakpoints) };
        for (i, probe) in probes.iter().enumerate().filter(|(i, _)| chosen(*i)) {
            let before = plans.len();
            let planned = match &mut desk {
                Ok(desk) => match find(&self.catalogs, probe) {
                    Some(to) => self.plan(i, probe, to, &rules, desk, &mut plans),
                    None => Err(EnableError::Gone),
                },
                Err(_) => Err(EnableError::Memory),
            };
            if let Err(why) = planned {
                plans.truncate(before);
                refuse(i, why);
            }
            if i & 63 == 0 {
                kapi::xcall::breathe();
            }
        }
        drop(desk);
        let mut failed = KVVec::new();
        match self.arm(&mut plans, &mut failed) {
            Ok(()) if failed.is_empty() => {}
            Ok(()) => self.give_up(&plans, &mut failed, refuse),
            Err(_) => {
                let mut last = None;
                for p in plans.iter() {
                    if last.replace(p.owner) != Some(p.owner) {
                        refuse(p.owner as usize, EnableError::Memory);
                    }
                }
            }
        }
    }

    /// Adds places to the table and patches them. Refused places go to `failed`, in order of
    /// address. If it returns an error, nothing has been patched.
    fn arm(&mut self, plans: &mut KVVec<Plan>, failed: &mut KVVec<(u64, EnableError)>) -> Result {
        if plans.is_empty() {
            return Ok(());
        }
        // A breakpoint can be refused twice, by `add` and by `arm`.
        mem::reserve(failed, plans.len().saturating_mul(2))?;
        let Some(new) = self.table(plans)? else { return Ok(()) };
        let Lists { mut fentries, mut traps, mut patches } = Lists::of(plans)?;
        sort(&mut fentries, |a| *a);
        unique(&mut fentries, |a| *a);
        sort(&mut traps, |t| t.at().addr());
        unique(&mut traps, |t| t.at().addr());
        sort(&mut patches, |p| p.addr());
        unique(&mut patches, |p| p.addr());
        let mut addrs: KVVec<u64> = mem::vec(traps.len())?;
        for t in traps.iter() {
            mem::push(&mut addrs, t.at().addr())?;
        }
        // From here on, nothing can fail for lack of memory.
        let mut fail = |addr: Option<u64>, why| {
            if let Some(addr) = addr {
                let _ = failed.push_within_capacity((addr, why));
            }
        };
        int3::add(&traps, &mut |i, e| fail(addrs.get(i).copied(), words(e)));
        // ftrace first, because it runs most code for each place. Breakpoints last, because they
        // slow that code down.
        ftrace::attach(&fentries, &mut |i, e| fail(fentries.get(i).copied(), words(e)));
        text::patch_each(&patches, &mut |i, e| fail(patches.get(i).map(Patch::addr), words(e)));
        int3::arm(&addrs, &mut |i, e| fail(addrs.get(i).copied(), words(e)));
        sort(failed, |(addr, _)| *addr);
        for s in new.iter() {
            s.set_armed(find(failed, s.addr).is_none());
        }
        drop(TABLE.swap(Some(new)));
        self.adopt(plans);
        Ok(())
    }

    /// Takes over places that could not be restored when their probe was disabled, and that are
    /// enabled again.
    fn adopt(&self, plans: &[Plan]) {
        TABLE.with(|t| {
            let Some(t) = t.filter(|t| t.iter().any(Site::is_orphan)) else { return };
            for p in plans.iter() {
                t.at(p.site.addr).filter(|s| p.is(s)).for_each(|s| s.set_orphan(false));
            }
        });
    }

    /// Undoes the other places of probes with a refused place, and refuses the probes.
    fn give_up(
        &mut self,
        plans: &[Plan],
        failed: &mut KVVec<(u64, EnableError)>,
        refuse: Refuse<'_>,
    ) {
        let bad = |p: &&Plan| find(failed, p.site.addr).is_some();
        let id = |probe: &Probe| u64::from(probe.id().0);
        let mut ids = KVVec::new();
        let mut note = |p: &Plan| mem::push(&mut ids, id(&p.site.probe));
        let is_listed = plans.iter().filter(bad).try_for_each(&mut note).is_ok();
        sort(&mut ids, |id| *id);
        self.detach(&|s| match is_listed {
            true => ids.get(first(&ids, |i| *i >= id(&s.probe))) == Some(&id(&s.probe)),
            // There is no memory for a list of the probes.
            false => plans.iter().filter(bad).any(|p| id(&p.site.probe) == id(&s.probe)),
        });
        let mut last = None;
        for p in plans.iter() {
            let Some(why) = find(failed, p.site.addr) else { continue };
            if last.replace(p.owner) != Some(p.owner) {
                refuse(p.owner as usize, why);
            }
        }
    }
}

/// The places to patch, by method.
struct Lists {
    fentries: KVVec<u64>,
    traps: KVVec<Decoded>,
    patches: KVVec<Patch>,
}

impl Lists {
    fn of(plans: &[Plan]) -> Result<Self> {
        let new = || plans.iter().filter(|p| !p.shared);
        let (mut fentries, mut traps, mut patches) = (0_usize, 0_usize, 0_usize);
        for p in new() {
            let n = match p.work {
                Work::Fentry => &mut fentries,
                Work::Trap(_) => &mut traps,
                Work::Call(_) => &mut patches,
            };
            *n = n.wrapping_add(1);
        }
        let mut this = Self {
            fentries: mem::exact(fentries)?,
            traps: mem::exact(traps)?,
            patches: mem::exact(patches)?,
        };
        for p in new() {
            match p.work {
                Work::Fentry => add(&mut this.fentries, p.site.addr)?,
                Work::Trap(trap) => add(&mut this.traps, trap)?,
                Work::Call(patch) => add(&mut this.patches, patch)?,
            }
        }
        Ok(this)
    }
}

fn words(e: Refused) -> EnableError {
    match e {
        Refused::Unsupported => EnableError::Unsupported("this kernel's text cannot be patched"),
        Refused::Malformed => EnableError::Unsupported("an instruction there cannot be reproduced"),
        Refused::NotText => EnableError::Gone,
        Refused::Busy => EnableError::Busy("another tracer has changed the instruction there"),
        Refused::NoRoom => {
            EnableError::Unsupported("there is no room left to run its instructions")
        }
        Refused::Memory => EnableError::Memory,
    }
}

fn find(failed: &[(u64, EnableError)], addr: u64) -> Option<EnableError> {
    let at = first(failed, |(a, _)| *a >= addr);
    failed.get(at).filter(|(a, _)| *a == addr).map(|(_, e)| *e)
}
