// SPDX-License-Identifier: GPL-2.0
//! Disabling probes, in batches.
//!
//! ```text
//!   publish the table without the places ─► restore the places
//! ```
//! Disabling must not fail, so it can work without memory. Then it works in small steps, and leaves
//! entries in the table that lead to probes that nobody has enabled.

use crate::list::{first, sort, unique};
use crate::site::{How, Site, Table, TABLE};
use crate::state::{State, SMALL};
use core::ops::Range;
use framework::Probe;
use kapi::publish::{Replace, Retired};
use kapi::stuck::{self, Who};
use kapi::text::Refused;
use kapi::{ftrace, int3, mem, symbols, text};
use kernel::prelude::*;
use kernel::str::BStr;
use kernel::sync::Arc;

impl State {
    /// Disables probes.
    pub(crate) fn disable(&mut self, probes: &[Arc<Probe>]) {
        // Probes normally come in the order of their ids; otherwise this is slow.
        let ordered = probes.iter().zip(probes.iter().skip(1)).all(|(a, b)| a.id() < b.id());
        let lowest = probes.first().map_or(0, |p| p.id().0);
        self.detach(&|s| {
            let id = s.probe.id();
            if !ordered {
                return probes.iter().any(|p| p.id() == id);
            }
            // If the list is complete, its ids have no gaps, and the index follows from the id.
            let is = |at: usize| probes.get(at).is_some_and(|p| p.id() == id);
            is(id.0.wrapping_sub(lowest) as usize) || is(first(probes, |p| p.id() >= id))
        });
    }

    /// Restores the places for which `leaves` holds, and those that could not be restored before,
    /// and removes them from the table. It cannot fail. A place stays until the next time, without
    /// effect, if another tracer has changed it or memory is short.
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
        // In the reverse order of arming.
        for how in [How::Trap, How::Return, How::Tail, How::Fentry] {
            self.disarm(&book, how, n, alone);
        }
        match book {
            Book::Old(old) if !old.iter().any(|s| s.is_orphan() && s.is_armed()) => return,
            // Keep the places that could not be restored.
            Book::Old(old) => drop(TABLE.swap(Some(old))),
            Book::Published => {}
        }
        let _ = self.publish();
        self.keep_stuck();
    }

    /// Tells whether no place is left that should have been restored or attached.
    pub(crate) fn is_clean(&self) -> bool {
        !self.lost && self.stuck().is_none()
    }

    /// Returns the number of stuck places and the lowest address.
    fn stuck(&self) -> Option<(usize, u64)> {
        TABLE.with(|t| {
            let sites = t.into_iter().flat_map(Table::iter);
            let stuck = sites.filter(|s| s.is_orphan() && s.is_armed()).map(|s| s.addr);
            let (n, least) =
                stuck.fold((0_usize, u64::MAX), |(n, a), b| (n.wrapping_add(1), a.min(b)));
            (n != 0).then_some((n, least))
        })
    }

    /// While places are stuck, holds the module and has the restoring retried.
    fn keep_stuck(&mut self) {
        let Some((n, addr)) = self.stuck() else {
            self.told = false;
            return;
        };
        stuck::keep(Who::Fbt, self.again);
        if !core::mem::replace(&mut self.told, true) {
            symbols::with_name(addr, |name| {
                let name = BStr::from_bytes(name);
                pr_warn!("{n} places in kernel text cannot be patched back, the first in {name}: another tracer, such as a kprobe, is there, or memory is short; dtrace.ko cannot be removed before that is gone\n");
            });
        }
    }

    /// Restores the leaving places of one kind; there are at most `n`. `alone`: all patched places
    /// leave.
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
                    if let Some(p) = s.restoring() {
                        let _ = self.spare_patches.push_within_capacity(p);
                    }
                }
            });
            text::patch_each(&self.spare_patches, &mut |i, _| book.stuck(some, i));
        }
    }

    /// Restores the places in a piece of text that is about to be freed.
    ///
    /// A patch that could not be removed for lack of memory disappears with the text, but an entry
    /// of ftrace's hashes does not: ftrace clears only those of its own tracers
    /// (`clear_mod_from_hashes()` in `kernel/trace/ftrace.c`). If a function of another module came
    /// to that address, ftrace would warn, and not count our call (`referenced_filters()`); when we
    /// remove it, ftrace would switch itself off (`__ftrace_hash_rec_update()`). So all calls are
    /// removed, which needs no memory, and those in other text are attached again. Once ftrace has
    /// switched itself off, it uses its hashes no more.
    pub(crate) fn vacate(&mut self, range: &Range<u64>) {
        self.detach(&|s| range.contains(&s.addr));
        let called = |s: &&Site| s.how == How::Fentry && s.is_armed();
        let is_left = TABLE.with(|t| {
            let mut all = t.into_iter().flat_map(Table::iter).filter(called);
            all.any(|s| range.contains(&s.addr))
        });
        let removed = is_left && ftrace::detach_all().is_ok();
        self.forget(range);
        if !removed {
            return;
        }
        TABLE.with(|t| {
            let all = t.into_iter().flat_map(Table::iter).filter(called);
            all.filter(|s| s.is_orphan()).for_each(|s| s.set_armed(false));
        });
        pr_warn!("no memory to detach the functions of a module that is unloaded: those of others are attached anew, and calls meanwhile were missed\n");
        self.lost = true;
        self.attach_lost();
    }

    /// Attaches the entries that are enabled, but that [`Self::vacate`] had to detach. Those for
    /// which there is no memory yet are tried again each second.
    pub(crate) fn attach_lost(&mut self) {
        if !self.lost {
            return;
        }
        self.lost = self.attach_entries().is_err();
        if self.lost {
            stuck::keep(Who::Fbt, self.again);
        }
    }

    /// Attaches all entries that are enabled. It fails if memory is short.
    fn attach_entries(&self) -> Result {
        let wanted = |s: &&Site| s.how == How::Fentry && s.is_armed() && !s.is_orphan();
        let n = TABLE.with(|t| t.into_iter().flat_map(Table::iter).filter(wanted).count());
        let (mut entries, mut busy) = (mem::exact(n)?, mem::exact(n)?);
        TABLE.with(|t| {
            for s in t.into_iter().flat_map(Table::iter).filter(wanted) {
                let _ = entries.push_within_capacity(s.addr);
            }
        });
        sort(&mut entries, |a| *a);
        unique(&mut entries, |a| *a);
        let mut result = Ok(());
        ftrace::attach(&entries, &mut |i, why| match (why, entries.get(i)) {
            (Refused::Memory, _) => result = Err(ENOMEM),
            (_, Some(addr)) => drop(busy.push_within_capacity(*addr)),
            (_, None) => {}
        });
        if !busy.is_empty() {
            let n = busy.len();
            pr_warn!("another tracer has taken the entries of {n} functions, whose probes fire no more\n");
        }
        TABLE.with(|t| {
            let all = busy.iter().flat_map(|a| t.into_iter().flat_map(|t| t.at(*a)));
            all.for_each(|s| s.set_armed(false));
        });
        result
    }

    /// Marks all places in a piece of text as restored.
    fn forget(&mut self, range: &Range<u64>) {
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

    /// Returns the number of patched places.
    pub(crate) fn armed(&self) -> usize {
        TABLE.with(|t| t.into_iter().flat_map(Table::iter).filter(|s| s.is_armed()).count())
    }
}

/// The table whose places are being restored.
enum Book {
    /// A table that is no longer published.
    Old(KBox<Table>),
    /// The published table, because there was no memory for a new one.
    Published,
}

impl Book {
    fn with(&self, f: impl FnOnce(&Table)) {
        match self {
            Self::Old(t) => f(t),
            Self::Published => TABLE.with(|t| t.map_or((), f)),
        }
    }

    /// Keeps a place in the table for the next time, because it could not be restored. `i` is its
    /// index in `list`.
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
