// SPDX-License-Identifier: GPL-2.0
//! Enabling and disabling, in batches.
//!
//! ```text
//!   enable:   plan ─► publish the table with the new places ─► patch ─► those refused: out again
//!   disable:  patch back ─► publish the table without them
//! ```
//! A place that is patched is always in the table. Several probes may share a place: it is patched
//! for the first and patched back after the last. Disabling must not fail, so it gets by without
//! memory: it then works in small steps, and leaves entries in the table that lead to probes that
//! nobody has enabled.

use crate::catalog::{Catalog, Cookie, Desk, Rules};
use crate::hit::{How, Site, Table, TABLE};
use crate::path::FirePath;
use crate::sites::{self, Plan};
use crate::text::{first, sort};
use framework::{EnableError, Probe};
use kapi::int3::{self, Trap};
use kapi::text::{self, Patch, Refused};
use kapi::trampoline::Trampoline;
use kapi::{ftrace, mem};
use kernel::prelude::*;
use kernel::sync::Arc;

/// How many places are patched back at a time if there is no memory for a list of all.
const SMALL: usize = 256;

/// What is known and done, under the lock `State`.
pub(crate) struct State {
    /// By their numbers; one that has gone leaves its place to the next.
    pub(crate) catalogs: KVVec<Option<KBox<Catalog>>>,
    /// Computed with the kernel's catalog.
    pub(crate) path: FirePath,
    pub(crate) return_thunk: u64,
    pub(crate) only_breakpoints: bool,
    /// For patching back without memory.
    spare: KVVec<u64>,
    spare_patches: KVVec<Patch>,
}

type Refuse<'a> = &'a mut dyn FnMut(usize, EnableError);

impl State {
    pub(crate) fn new(only_breakpoints: bool) -> Result<Self> {
        Ok(Self {
            catalogs: KVVec::new(),
            path: FirePath::default(),
            return_thunk: 0,
            only_breakpoints,
            spare: mem::vec(SMALL)?,
            spare_patches: mem::vec(SMALL)?,
        })
    }

    pub(crate) fn rules(&self, only_breakpoints: bool) -> Rules<'_> {
        Rules { path: &self.path, only_breakpoints, return_thunk: self.return_thunk }
    }

    /// Arms probes.
    pub(crate) fn enable(&mut self, probes: &[Arc<Probe>], refuse: Refuse<'_>) {
        // What could not be patched back earlier.
        self.detach(&|_| false);
        let mut again = KVVec::new();
        let only = self.only_breakpoints;
        self.attempt(probes, &|_| true, only, &mut |i, why| {
            // Who had the place of an entry leaves us the one behind it.
            let is_entry = probes.get(i).is_some_and(|p| !Cookie(p.cookie()).is_return());
            let behind = is_entry && !only && matches!(why, EnableError::Busy(_));
            if !behind || mem::push(&mut again, i).is_err() {
                refuse(i, why);
            }
        });
        if !again.is_empty() {
            sort(&mut again, |i| *i as u64);
            let chosen = |i: usize| again.get(first(&again, |a| *a >= i)) == Some(&i);
            self.attempt(probes, &chosen, true, refuse);
        }
    }

    /// Disarms probes.
    pub(crate) fn disable(&mut self, probes: &[Arc<Probe>]) {
        // They come in the order of their ids; if not, this is slow.
        let ordered = probes.iter().zip(probes.iter().skip(1)).all(|(a, b)| a.id() < b.id());
        self.detach(&|s| {
            if !ordered {
                return probes.iter().any(|p| p.id() == s.probe.id());
            }
            let at = first(probes, |p| p.id() >= s.probe.id());
            probes.get(at).is_some_and(|p| p.id() == s.probe.id())
        });
    }

    /// Arms those probes that are chosen by their place in `probes`.
    fn attempt(
        &mut self,
        probes: &[Arc<Probe>],
        chosen: &dyn Fn(usize) -> bool,
        only_breakpoints: bool,
        refuse: Refuse<'_>,
    ) {
        let mut plans = KVVec::new();
        let mut desk = Desk::new();
        for (i, probe) in probes.iter().enumerate().filter(|(i, _)| chosen(*i)) {
            let before = plans.len();
            let planned = match &mut desk {
                Ok(desk) => self.plan(i, probe, only_breakpoints, desk, &mut plans),
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
                let _ = self.publish(&mut KVVec::new());
                let mut last = None;
                for p in plans.iter() {
                    if last.replace(p.owner) != Some(p.owner) {
                        refuse(p.owner as usize, EnableError::Memory);
                    }
                }
            }
        }
    }

    /// The places of one probe.
    fn plan(
        &self,
        i: usize,
        probe: &Arc<Probe>,
        only_breakpoints: bool,
        desk: &mut Desk,
        plans: &mut KVVec<Plan>,
    ) -> core::result::Result<(), EnableError> {
        let catalog = self.catalogs.get(Cookie(probe.cookie()).catalog());
        let Some(Some(catalog)) = catalog else { return Err(EnableError::Gone) };
        // CAST: there are less probes than ids.
        sites::plan(catalog, probe, i as u32, &self.rules(only_breakpoints), desk, plans)
    }

    /// Puts places into the table and patches them. What was refused goes to `failed`, in the order
    /// of addresses; on an error nothing has been patched.
    fn arm(&mut self, plans: &mut KVVec<Plan>, failed: &mut KVVec<(u64, EnableError)>) -> Result {
        // A breakpoint can be refused twice.
        mem::reserve(failed, plans.len().saturating_mul(2))?;
        self.publish(plans)?;
        let Lists { mut fentries, mut traps, mut patches } = Lists::of(plans)?;
        sort(&mut fentries, |a| *a);
        unique(&mut fentries, |a| *a);
        sort(&mut traps, |t| t.addr);
        unique(&mut traps, |t| t.addr);
        sort(&mut patches, |p| p.addr());
        unique(&mut patches, |p| p.addr());
        let mut addrs: KVVec<u64> = mem::vec(traps.len())?;
        for t in traps.iter() {
            mem::push(&mut addrs, t.addr)?;
        }
        // Nothing can fail for want of memory from here on.
        let mut fail = |addr: Option<u64>, why| {
            if let Some(addr) = addr {
                let _ = failed.push_within_capacity((addr, why));
            }
        };
        int3::add(&traps, &mut |i, e| fail(addrs.get(i).copied(), words(e)));
        // ftrace first, which runs most code for each place, and breakpoints, which slow all of it
        // down, last.
        ftrace::attach(&fentries, &mut |i, e| fail(fentries.get(i).copied(), words(e)));
        text::patch_each(&patches, &mut |i, e| fail(patches.get(i).map(Patch::addr), words(e)));
        int3::arm(&addrs, &mut |i, e| fail(addrs.get(i).copied(), words(e)));
        sort(failed, |(addr, _)| *addr);
        TABLE.with(|t| {
            for s in t.into_iter().flat_map(Table::iter) {
                s.set_armed(find(failed, s.addr).is_none());
            }
        });
        self.adopt(plans);
        Ok(())
    }

    /// Those of what is enabled now that could not be patched back when it was disabled.
    fn adopt(&self, plans: &[Plan]) {
        TABLE.with(|t| {
            let Some(t) = t.filter(|t| t.iter().any(Site::is_orphan)) else { return };
            for p in plans.iter() {
                t.at(p.site.addr).filter(|s| p.is(s)).for_each(|s| s.set_orphan(false));
            }
        });
    }

    /// Probes of which a place was refused give up the others, too.
    fn give_up(
        &mut self,
        plans: &[Plan],
        failed: &mut KVVec<(u64, EnableError)>,
        refuse: Refuse<'_>,
    ) {
        let bad = |p: &&Plan| find(failed, p.site.addr).is_some();
        self.detach(&|s| plans.iter().filter(bad).any(|p| p.site.probe.id() == s.probe.id()));
        let mut last = None;
        for p in plans.iter() {
            let Some(why) = find(failed, p.site.addr) else { continue };
            if last.replace(p.owner) != Some(p.owner) {
                refuse(p.owner as usize, why);
            }
        }
    }

    /// Disarms places, and those that could not be disarmed before, and takes them out of the table.
    /// Cannot fail; a place that another tracer has changed meanwhile, or for which there is no memory,
    /// stays until the next time, and leads nowhere.
    pub(crate) fn detach(&mut self, leaves: &dyn Fn(&Site) -> bool) {
        let mut n = 0_usize;
        TABLE.with(|t| {
            for s in t.into_iter().flat_map(Table::iter) {
                s.set_leaving(s.is_orphan() || leaves(s));
                n = n.wrapping_add(s.is_leaving().into());
            }
        });
        if n == 0 {
            return;
        }
        // The other way round than they were armed.
        for how in [How::Trap, How::Return, How::Tail, How::Fentry] {
            self.disarm(how, n);
        }
        let _ = self.publish(&mut KVVec::new());
    }

    /// Patches back the places of one kind that leave; there are at most `n`.
    fn disarm(&mut self, how: How, n: usize) {
        let mut spare = core::mem::take(&mut self.spare);
        let mut large = mem::vec(n);
        let list = large.as_mut().unwrap_or(&mut spare);
        loop {
            list.clear();
            TABLE.with(|t| {
                let Some(t) = t else { return };
                let last = |s: &&Site| {
                    let stays = |o: &Site| o.is_armed() && !o.is_leaving();
                    s.how == how && s.is_armed() && s.is_leaving() && !t.at(s.addr).any(stays)
                };
                for s in t.iter().filter(last) {
                    if list.push_within_capacity(s.addr).is_err() {
                        break;
                    }
                }
            });
            if list.is_empty() {
                break;
            }
            sort(list, |a| *a);
            unique(list, |a| *a);
            match how {
                How::Fentry => {
                    if ftrace::detach(list).is_err() {
                        (0..list.len()).for_each(|i| stuck(list, i));
                    }
                }
                How::Trap => int3::disarm(list),
                How::Return | How::Tail => self.unpatch(list),
            }
            TABLE.with(|t| {
                let Some(t) = t else { return };
                for s in list.iter().flat_map(|a| t.at(*a)).filter(|s| s.is_leaving()) {
                    s.set_armed(false);
                }
            });
        }
        spare.clear();
        self.spare = spare;
    }

    fn unpatch(&mut self, list: &[u64]) {
        for some in list.chunks(SMALL) {
            self.spare_patches.clear();
            TABLE.with(|t| {
                let Some(t) = t else { return };
                for s in some.iter().filter_map(|a| t.at(*a).next()) {
                    if let Some(p) = s.patch() {
                        let _ = self.spare_patches.push_within_capacity(p.undo());
                    }
                }
            });
            text::patch_each(&self.spare_patches, &mut |i, _| stuck(some, i));
        }
    }

    /// Takes what is left in a piece of text for unpatched.
    pub(crate) fn forget(&mut self, range: &core::ops::Range<u64>) {
        let mut any = false;
        TABLE.with(|t| {
            let here = |s: &&Site| s.is_armed() && range.contains(&s.addr);
            for s in t.into_iter().flat_map(Table::iter).filter(here) {
                s.set_armed(false);
                any = true;
            }
        });
        if any {
            let _ = self.publish(&mut KVVec::new());
        }
    }

    /// How many places are patched.
    pub(crate) fn armed(&self) -> usize {
        TABLE.with(|t| t.into_iter().flat_map(Table::iter).filter(|s| s.is_armed()).count())
    }

    /// Replaces the table: without those that leave or lead nowhere, with those that come.
    fn publish(&self, plans: &mut KVVec<Plan>) -> Result {
        let stays = |s: &&Site| s.is_armed() && !s.is_leaving();
        let kept = TABLE.with(|t| t.into_iter().flat_map(Table::iter).filter(stays).count());
        let n = kept.wrapping_add(plans.len());
        if n == 0 {
            drop(TABLE.swap(None));
            return Ok(());
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
        drop(TABLE.swap(Some(mem::boxed(new)?)));
        Ok(())
    }
}

/// What is to be patched, by what patches it.
struct Lists {
    fentries: KVVec<u64>,
    traps: KVVec<Trap>,
    patches: KVVec<Patch>,
}

impl Lists {
    fn of(plans: &[Plan]) -> Result<Self> {
        let mut this = Self { fentries: KVVec::new(), traps: KVVec::new(), patches: KVVec::new() };
        for p in plans.iter().filter(|p| !p.shared) {
            match (p.site.how, p.trap, p.site.patch()) {
                (How::Fentry, ..) => mem::push(&mut this.fentries, p.site.addr)?,
                (How::Trap, Some(trap), _) => mem::push(&mut this.traps, trap)?,
                (_, _, Some(patch)) => mem::push(&mut this.patches, patch)?,
                _ => return Err(EINVAL),
            }
        }
        Ok(this)
    }
}

impl Plan {
    /// Is it this one, from earlier?
    fn is(&self, s: &Site) -> bool {
        s.addr == self.site.addr && s.probe.id() == self.site.probe.id()
    }
}

impl Site {
    /// From what stood here to a call.
    fn patch(&self) -> Option<Patch> {
        let trampoline = match self.how {
            How::Return => Trampoline::Return,
            How::Tail => Trampoline::Tail,
            How::Fentry | How::Trap => return None,
        };
        Patch::to_call(self.addr, self.old, trampoline)
    }
}

/// The place at this position of the list could not be patched back: it stays in the table, for the
/// next time.
fn stuck(list: &[u64], i: usize) {
    let Some(addr) = list.get(i) else { return };
    TABLE.with(|t| {
        for s in t.into_iter().flat_map(|t| t.at(*addr)) {
            s.set_orphan(s.is_leaving());
            s.set_leaving(false);
        }
    });
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

/// Keeps the first of neighbours with the same key.
fn unique<T: Copy>(list: &mut KVVec<T>, key: impl Fn(&T) -> u64) {
    let mut last = None;
    list.retain(|m| last.replace(key(m)) != Some(key(m)));
}
