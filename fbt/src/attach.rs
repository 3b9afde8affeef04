// SPDX-License-Identifier: GPL-2.0
//! Enabling and disabling, in batches.
//!
//! ```text
//!   enable:   plan ─► patch ─► publish the table with the new places ─► those refused: out again
//!   disable:  publish the table without them ─► patch back
//! ```
//! While all of that goes on, places that are in no table are hit, thousands of times; then nothing is
//! looked for. Several probes may share a place: it is patched for the first and patched back after the
//! last. Disabling must not fail, so it gets by without memory: it then works in small steps, and leaves
//! entries in the table that lead to probes that nobody has enabled.

use crate::body::SCRATCH_WORDS;
use crate::catalog::{Catalog, Cookie, Desk, Rules};
use crate::eligible::Untraceable;
use crate::hit::{How, Site, Table, View, TABLE};
use crate::provider;
use crate::sites::{self, Of, Plan};
use crate::text::{add, first, sort, unique};
use abi::probe::Technique;
use framework::{EnableError, Probe};
use kapi::int3::{self, Trap};
use kapi::publish::Retired;
use kapi::stuck::{self, Who};
use kapi::text::{self, Patch, Refused};
use kapi::trampoline::Trampoline;
use kapi::{ftrace, mem, symbols};
use kernel::prelude::*;
use kernel::str::BStr;
use kernel::sync::Arc;

/// How many places are patched back at a time if there is no memory for a list of all.
const SMALL: usize = 256;

/// What is known and done, under the lock `State`.
pub(crate) struct State {
    /// By their numbers; one that has gone leaves its place to the next.
    pub(crate) catalogs: KVVec<Option<KBox<Catalog>>>,
    /// Computed with the kernel's catalog.
    pub(crate) never: Untraceable,
    pub(crate) return_thunk: u64,
    pub(crate) only_breakpoints: bool,
    /// For looking at one function, if anybody ever has.
    scratch: KVVec<u64>,
    /// For patching back without memory.
    spare: KVVec<u64>,
    /// The log has what is stuck.
    told: bool,
    spare_patches: KVVec<Patch>,
}

/// What a probe is on: which catalog, which function of it, its entry or its end; and how it is read.
#[derive(Clone, Copy)]
pub(crate) struct Target {
    pub(crate) catalog: usize,
    pub(crate) function: usize,
    pub(crate) is_return: bool,
    pub(crate) view: View,
}

/// A probe to its target; `None`: that has gone.
pub(crate) type Find<'a> = &'a dyn Fn(&State, &Probe) -> Option<Target>;

/// Of fbt's own.
pub(crate) fn own(_: &State, probe: &Probe) -> Option<Target> {
    let cookie = Cookie(probe.cookie());
    Some(Target {
        catalog: cookie.catalog(),
        function: cookie.function(),
        is_return: cookie.is_return(),
        view: View::Function,
    })
}

type Refuse<'a> = &'a mut dyn FnMut(usize, EnableError);

impl State {
    pub(crate) fn new(only_breakpoints: bool) -> Result<Self> {
        Ok(Self {
            catalogs: KVVec::new(),
            never: Untraceable::default(),
            return_thunk: 0,
            only_breakpoints,
            scratch: KVVec::new(),
            spare: mem::vec(SMALL)?,
            told: false,
            spare_patches: mem::vec(SMALL)?,
        })
    }

    pub(crate) fn rules(&self, only_breakpoints: bool) -> Rules<'_> {
        Rules { never: &self.never, only_breakpoints, return_thunk: self.return_thunk }
    }

    /// Arms probes.
    pub(crate) fn enable(&mut self, probes: &[Arc<Probe>], find: Find<'_>, refuse: Refuse<'_>) {
        // What could not be patched back earlier.
        self.detach(&|_| false);
        let mut again = KVVec::new();
        let only = self.only_breakpoints;
        self.attempt(probes, find, &|_| true, only, &mut |i, why| {
            // Who had the place of an entry leaves us the one behind it.
            let is_entry = probes.get(i).is_some_and(|p| p.part(3) == b"entry");
            let behind = is_entry && !only && matches!(why, EnableError::Busy(_));
            if !behind || mem::push(&mut again, i).is_err() {
                refuse(i, why);
            }
        });
        if !again.is_empty() {
            sort(&mut again, |i| *i as u64);
            let chosen = |i: usize| again.get(first(&again, |a| *a >= i)) == Some(&i);
            self.attempt(probes, find, &chosen, true, refuse);
        }
    }

    /// Disarms probes.
    pub(crate) fn disable(&mut self, probes: &[Arc<Probe>]) {
        // They come in the order of their ids; if not, this is slow.
        let ordered = probes.iter().zip(probes.iter().skip(1)).all(|(a, b)| a.id() < b.id());
        let lowest = probes.first().map_or(0, |p| p.id().0);
        self.detach(&|s| {
            let id = s.probe.id();
            if !ordered {
                return probes.iter().any(|p| p.id() == id);
            }
            // If it is all of them, none is missing in between.
            let is = |at: usize| probes.get(at).is_some_and(|p| p.id() == id);
            is(id.0.wrapping_sub(lowest) as usize) || is(first(probes, |p| p.id() >= id))
        });
    }

    /// Arms those probes that are chosen by their place in `probes`.
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
        for (i, probe) in probes.iter().enumerate().filter(|(i, _)| chosen(*i)) {
            let before = plans.len();
            let planned = match &mut desk {
                Ok(desk) => match find(self, probe) {
                    Some(to) => self.plan(i, probe, to, only_breakpoints, desk, &mut plans),
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

    /// The places of one probe.
    fn plan(
        &self,
        i: usize,
        probe: &Arc<Probe>,
        target: Target,
        only_breakpoints: bool,
        desk: &mut Desk,
        plans: &mut KVVec<Plan>,
    ) -> core::result::Result<(), EnableError> {
        let Some(Some(catalog)) = self.catalogs.get(target.catalog) else {
            return Err(EnableError::Gone);
        };
        // CAST: there are less probes than ids.
        let of = Of {
            catalog,
            probe: Some(probe),
            owner: i as u32,
            rules: &self.rules(only_breakpoints),
        };
        sites::plan(of, target, desk, plans)
    }

    /// How a probe would be implemented now. `None`: that cannot be told, or an entry, of which all is
    /// known.
    pub(crate) fn how(&mut self, probe: &Arc<Probe>) -> Option<u32> {
        if !Cookie(probe.cookie()).is_return() {
            return None;
        }
        if self.scratch.is_empty() {
            self.scratch = mem::zeroed_words(SCRATCH_WORDS).ok()?;
        }
        let mut desk = Desk::with(core::mem::take(&mut self.scratch), false);
        let mut plans = KVVec::new();
        let only = self.only_breakpoints;
        let planned = self.plan(0, probe, own(self, probe)?, only, &mut desk, &mut plans);
        self.scratch = desk.words;
        planned.ok()?;
        // What seemed to be an exit may be none.
        let bits = plans.iter().fold(0, |bits, p| bits | p.site.how.of_return().bit());
        (bits != 0).then_some(bits)
    }

    /// Puts places into the table and patches them. What was refused goes to `failed`, in the order
    /// of addresses; on an error nothing has been patched.
    fn arm(&mut self, plans: &mut KVVec<Plan>, failed: &mut KVVec<(u64, EnableError)>) -> Result {
        if plans.is_empty() {
            return Ok(());
        }
        // A breakpoint can be refused twice.
        mem::reserve(failed, plans.len().saturating_mul(2))?;
        let Some(new) = self.table(plans)? else { return Ok(()) };
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
        for s in new.iter() {
            s.set_armed(find(failed, s.addr).is_none());
        }
        drop(TABLE.swap(Some(new)));
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
        let (mut n, mut alone) = (0_usize, true);
        TABLE.with(|t| {
            for s in t.into_iter().flat_map(Table::iter) {
                s.set_leaving(s.is_orphan() || leaves(s));
                n = n.wrapping_add(s.is_leaving().into());
                alone &= s.is_leaving() || !s.is_armed();
            }
        });
        if n == 0 {
            return;
        }
        let book = match self.table(&mut KVVec::new()) {
            Ok(rest) => TABLE.swap(rest).and_then(Retired::into_inner).map(Book::Old),
            Err(_) => None,
        };
        let book = book.unwrap_or(Book::Published);
        // The other way round than they were armed.
        for how in [How::Trap, How::Return, How::Tail, How::Fentry] {
            self.disarm(&book, how, n, alone);
        }
        match book {
            Book::Old(old) if !old.iter().any(|s| s.is_orphan() && s.is_armed()) => return,
            // What could not be patched back must not be forgotten.
            Book::Old(old) => drop(TABLE.swap(Some(old))),
            Book::Published => {}
        }
        let _ = self.publish();
        self.keep_stuck();
    }

    /// Is there nothing that should have been patched back, and was not?
    pub(crate) fn is_clean(&self) -> bool {
        self.stuck().is_none()
    }

    /// How many places are stuck, and the lowest of them.
    fn stuck(&self) -> Option<(usize, u64)> {
        TABLE.with(|t| {
            let sites = t.into_iter().flat_map(Table::iter);
            let stuck = sites.filter(|s| s.is_orphan() && s.is_armed()).map(|s| s.addr);
            let (n, least) =
                stuck.fold((0_usize, u64::MAX), |(n, a), b| (n.wrapping_add(1), a.min(b)));
            (n != 0).then_some((n, least))
        })
    }

    /// As long as something is stuck, the module stays, and it is tried again.
    fn keep_stuck(&mut self) {
        let Some((n, addr)) = self.stuck() else {
            self.told = false;
            return;
        };
        stuck::keep(Who::Fbt, provider::again);
        if !core::mem::replace(&mut self.told, true) {
            symbols::with_name(addr, |name| {
                let name = BStr::from_bytes(name);
                pr_warn!("fbt: {n} places cannot be patched back, the first in {name}: another tracer, such as a kprobe, has changed what we had put there; dtrace.ko cannot be removed before that is gone\n");
            });
        }
    }

    /// Patches back the places of one kind that leave; there are at most `n`. `alone`: no other ones
    /// are patched.
    fn disarm(&mut self, book: &Book, how: How, n: usize, alone: bool) {
        let mut spare = core::mem::take(&mut self.spare);
        let mut large = mem::exact(n);
        let all = large.is_ok();
        let list = large.as_mut().unwrap_or(&mut spare);
        loop {
            list.clear();
            book.with(|t| {
                let last = |s: &&Site| {
                    let stays = |o: &Site| o.is_armed() && !o.is_leaving();
                    let gone = s.how == how && s.is_armed() && s.is_leaving();
                    gone && (alone || !t.at(s.addr).any(stays))
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
                        (0..list.len()).for_each(|i| book.stuck(list, i));
                    }
                }
                How::Trap => int3::disarm(list),
                How::Return | How::Tail => self.unpatch(book, list),
            }
            book.with(|t| {
                if all && alone {
                    let done = t.iter().filter(|s| s.how == how && s.is_leaving());
                    return done.for_each(|s| s.set_armed(false));
                }
                for s in list.iter().flat_map(|a| t.at(*a)).filter(|s| s.is_leaving()) {
                    s.set_armed(false);
                }
            });
        }
        spare.clear();
        self.spare = spare;
    }

    fn unpatch(&mut self, book: &Book, list: &[u64]) {
        for some in list.chunks(SMALL) {
            self.spare_patches.clear();
            book.with(|t| {
                for s in some.iter().filter_map(|a| t.at(*a).next()) {
                    if let Some(p) = s.patch() {
                        let _ = self.spare_patches.push_within_capacity(p.undo());
                    }
                }
            });
            text::patch_each(&self.spare_patches, &mut |i, _| book.stuck(some, i));
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
            let _ = self.publish();
        }
    }

    /// How many places are patched.
    pub(crate) fn armed(&self) -> usize {
        TABLE.with(|t| t.into_iter().flat_map(Table::iter).filter(|s| s.is_armed()).count())
    }

    /// Replaces the table: without those that leave or lead nowhere.
    fn publish(&self) -> Result {
        drop(TABLE.swap(self.table(&mut KVVec::new())?));
        Ok(())
    }

    /// A table without those that leave or lead nowhere, and with those that come. `None`: it would be
    /// empty.
    fn table(&self, plans: &mut KVVec<Plan>) -> Result<Option<KBox<Table>>> {
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
}

/// The table whose places are patched back.
enum Book {
    /// It is not published any more.
    Old(KBox<Table>),
    /// There was no memory for one to take its place.
    Published,
}

impl Book {
    fn with(&self, f: impl FnOnce(&Table)) {
        match self {
            Self::Old(t) => f(t),
            Self::Published => TABLE.with(|t| t.map_or((), f)),
        }
    }

    /// The place at this position of the list could not be patched back: it stays in the table, for
    /// the next time.
    fn stuck(&self, list: &[u64], i: usize) {
        let Some(addr) = list.get(i) else { return };
        self.with(|t| {
            for s in t.at(*addr) {
                s.set_orphan(s.is_leaving());
                s.set_leaving(false);
            }
        });
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
        let new = || plans.iter().filter(|p| !p.shared);
        let fentries = new().filter(|p| p.site.how == How::Fentry).count();
        let traps = new().filter(|p| p.site.how == How::Trap).count();
        let patches = plans.len().saturating_sub(fentries).saturating_sub(traps);
        let mut this = Self {
            fentries: mem::exact(fentries)?,
            traps: mem::exact(traps)?,
            patches: mem::exact(patches)?,
        };
        for p in new() {
            match (p.site.how, p.trap) {
                (How::Fentry, _) => add(&mut this.fentries, p.site.addr)?,
                (How::Trap, Some(trap)) => add(&mut this.traps, trap)?,
                _ => add(&mut this.patches, p.site.patch().ok_or(EINVAL)?)?,
            }
        }
        Ok(this)
    }
}

impl How {
    /// What a return is traced by.
    fn of_return(self) -> Technique {
        match self {
            Self::Return => Technique::CallReturn,
            Self::Tail => Technique::CallTail,
            Self::Fentry | Self::Trap => Technique::TrapReturn,
        }
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
