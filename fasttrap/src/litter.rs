// SPDX-License-Identifier: GPL-2.0
//! Dead places in a process that has other probes.
//!
//! A place without users and breakpoint stays, because threads may be in its slot, and copies of
//! the process may have its breakpoint. A process without any users is freed of its places and
//! slots when it is idle. A process that registers probes again and again, or loads a library at
//! ever new addresses, is never idle. When more of its places are dead than alive, they are
//! forgotten by the same rules: no thread is in their slots or returns there, and no copy of the
//! process has their breakpoints. Pieces of memory without any other slot are unmapped.
//!
//! A program can prevent that for ever: a thread returns into a slot, a debugger traces it, or the
//! breakpoint is in a copy of the text that cannot be changed. So each place of a program's own
//! that belongs to none of its probes any more counts for its user, as the probes do.

use crate::index::Index;
use crate::process::{Batch, Point, Process, Slots};
use crate::table::SLOT_SIZE;
use abi::user::MAX_NOTES;
use kapi::user::{Poke, Thread};
use kernel::prelude::*;

/// So many dead places are no litter.
const LEAST: usize = 1 << 10;

/// The most unused places with which a process gets new ones: those of a program's own probes, and
/// all of them. The first limit is for what the program chooses; the second one is larger, because
/// a consumer may mean all functions of a large program, and then others.
const MOST_OWN: usize = MAX_NOTES;
const MOST: usize = 1 << 20;

/// The most threads in slots that are looked at. If more are there, the places stay for now.
pub(crate) const MOST_INSIDE: usize = 256;

/// Numbers of places.
#[derive(Clone, Copy, Default)]
pub(crate) struct Sums {
    dead: usize,
    /// Those without users, dead or with a breakpoint that could not be removed.
    unused: usize,
    /// Those of the program's own alone.
    own: usize,
    own_unused: usize,
}

impl Point {
    /// Tells whether nobody uses the place, and it has no breakpoint.
    pub(crate) fn is_dead(&self) -> bool {
        self.users == 0 && !self.armed
    }
}

impl Process {
    /// Counts the places.
    pub(crate) fn count_places(&mut self) {
        let mut sum = Sums::default();
        for point in self.points.iter() {
            sum.dead = sum.dead.saturating_add(point.is_dead().into());
            sum.own = sum.own.saturating_add(point.is_own.into());
            sum.unused = sum.unused.saturating_add((point.users == 0).into());
            let is_own_unused = point.is_own && point.users == 0;
            sum.own_unused = sum.own_unused.saturating_add(is_own_unused.into());
        }
        self.sums = sum;
    }

    /// Tells whether it has users or breakpoints, and too many dead places.
    pub(crate) fn is_littered(&self) -> bool {
        let alive = self.points.len().saturating_sub(self.sums.dead);
        !self.changed && self.sums.dead > alive.max(LEAST) && !self.is_idle()
    }

    /// Tells whether places or slots may be freed: all of them, or the dead ones.
    pub(crate) fn may_shrink(&self) -> bool {
        // A process that was interrupted in a slot may return there as long as it lives.
        self.is_idle() || self.is_littered() && !self.is_interrupted()
    }

    /// Counts a new place of the program's own, until [`count_places`](Self::count_places) does.
    pub(crate) fn count_own(&mut self) {
        self.sums.own = self.sums.own.saturating_add(1);
    }

    /// Tells whether the process gets no new places, or none for its own probes.
    pub(crate) fn is_full(&self, is_own: bool) -> bool {
        self.sums.unused >= MOST || is_own && self.sums.own_unused >= MOST_OWN
    }

    /// Returns a lower bound of the number of places that belong to none of the program's own
    /// probes any more. The process's user is accountable for them, whatever keeps them.
    pub(crate) fn litter(&self) -> usize {
        self.sums.own.saturating_sub(self.places.saturating_add(self.notes))
    }

    /// Returns the number of places that count for the process's user: those of the probes that the
    /// program has registered, and its litter.
    pub(crate) fn charged(&self) -> usize {
        self.places.saturating_add(self.litter())
    }

    /// Does for the dead places the work of [`rewrite`](Self::rewrite).
    pub(crate) fn rewrite_dead(&self) {
        let mut pokes = Batch::new(Poke::NONE, self.points.len());
        let mut dead = self.points.iter().filter(|p| p.is_dead());
        loop {
            let mut n = 0usize;
            for (to, point) in pokes.room().iter_mut().zip(dead.by_ref()) {
                *to = point.change(point.first(), point.first());
                n = n.wrapping_add(1);
            }
            if n == 0 {
                return;
            }
            self.space.poke(pokes.room().get_mut(..n).unwrap_or_default());
        }
    }

    /// Checks a thread of a process that [may shrink](Self::may_shrink). If it is in a slot of a
    /// process that is not idle, only that slot must stay: `inside` gets its instruction pointer.
    pub(crate) fn look_at(&mut self, thread: &Thread, inside: &mut KVVec<u64>) {
        let mut is_in_the_way = self.is_inside(thread.ip());
        if is_in_the_way && !self.is_idle() {
            is_in_the_way = inside.push_within_capacity(thread.ip()).is_err();
        }
        // A debugger may have saved registers that lead into a slot.
        self.awaited |= is_in_the_way || thread.is_debugged() || thread.may_fork();
    }

    /// Forgets the dead places, except those in whose slots threads are, and unmaps the memory in
    /// which nothing else is. All CPUs have been waited for since the last breakpoint was removed.
    pub(crate) fn sweep(&mut self, inside: &[u64]) {
        let stays = |p: &Point| {
            let is_inside = |ip: &u64| ip.wrapping_sub(p.slot) < SLOT_SIZE;
            !p.is_dead() || p.slot != 0 && inside.iter().any(is_inside)
        };
        let left = || self.points.iter().filter(|p| stays(p));
        let index = Index::of(left().count(), |index| {
            (0..).zip(left()).for_each(|(n, point)| index.insert(point.addr, n));
        });
        // Without memory, a later call retries.
        let Ok(index) = index else { return };
        self.points.retain(|p| stays(p));
        self.index = index;
        self.count_places();
        self.changed = true;
        let Self { points, slots, space, .. } = self;
        let is_used = |s: &Slots| {
            points.iter().any(|p| s.holds(p.slot)) || inside.iter().any(|ip| s.holds(*ip))
        };
        let mut n = 0usize;
        while let Some(s) = slots.get(n) {
            match is_used(s) || space.unmap_later(&s.room).is_err() {
                true => n = n.wrapping_add(1),
                false => drop(slots.remove(n)),
            }
        }
    }
}
