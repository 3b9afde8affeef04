// SPDX-License-Identifier: GPL-2.0
//! The budget of a firing, during which interrupts are off. If several consumers have enabled the
//! probe, each gets a slice and an equal share of the rest, and the consumers after it share what
//! it leaves. So all of them together take no longer than one alone may.
//!
//! ```text
//! BUDGET = 2^20 units | a slice, 2^12 | a slice | a slice | ...
//!                     ^ no clock      ^ the clock is read: more than LIMIT since the firing began?
//!          3 consumers | a slice | a slice | a slice | the rest, in three shares
//! ```
//! A unit is at most 64 processor instructions, or fewer with cache misses and divisions
//! (`selftests/bound` measures it). A budget is 2^26 instructions, 20 ms for a processor of 3.3 GHz
//! that finishes one in each cycle. The clock bounds slower processors, also emulated ones. It is
//! read after each slice, so a firing takes at most LIMIT, a slice, and the operation in progress.
//! A clause that is shorter than a slice never reads it.
//!
//! A virtual processor may stop for long while its host is busy, which is not the clause's fault.
//! So each slice counts for at most a part of the time, and only several slow slices end the
//! tracing.

use nosleep::time::monotonic_ns;
use plan::code::BUDGET;

/// The clock is read each time this many units are spent.
pub(crate) const SLICE: u32 = 1 << 12;
/// The most consumers that trace at a time: their first slices take half of a budget.
pub const MAX_CONSUMERS: u32 = 128;
const _: () = assert!(SLICE * MAX_CONSUMERS <= BUDGET / 2);
/// The units after the first slice.
const REST: u32 = BUDGET - SLICE;
/// The longest firing, in ns.
pub(crate) const LIMIT: u64 = 20_000_000;

/// A part of a firing, beyond the slice that each consumer has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Share {
    units: u32,
    /// ns.
    time: u64,
}

impl Share {
    /// All of it, for one consumer.
    pub(crate) const WHOLE: Self = Self { units: REST, time: LIMIT };

    /// Returns what so many consumers have together.
    pub(crate) fn of_all(consumers: u32) -> Self {
        let others = SLICE.saturating_mul(consumers.saturating_sub(1));
        Self { units: REST.saturating_sub(others), time: LIMIT }
    }

    /// Returns the share of one of this many consumers.
    pub(crate) fn one_of(self, n: u32) -> Self {
        let n = n.max(1);
        Self {
            units: self.units.checked_div(n).unwrap_or(0) & !(SLICE - 1),
            time: self.time.checked_div(n.into()).unwrap_or(0),
        }
    }

    /// Returns the most time for which a slice counts, in ns.
    fn most(self) -> u64 {
        self.time / 4
    }

    /// Returns the rest after a part was taken.
    pub(crate) fn without(self, part: Self) -> Self {
        Self {
            units: self.units.saturating_sub(part.units),
            time: self.time.saturating_sub(part.time),
        }
    }
}

/// The budget on one CPU.
pub struct Budget {
    /// The units left in this slice.
    left: u32,
    /// The units that are not in a slice yet.
    rest: u32,
    /// The share of the firing.
    share: Share,
    /// The start of the slice, in ns, and the duration of the slices before it. They are unknown
    /// for the first slice.
    since: u64,
    took: u64,
    /// The units of all slices so far, including those left in this one. It wraps.
    given: u32,
}

impl Default for Budget {
    /// Creates a full budget.
    fn default() -> Self {
        Self { left: SLICE, rest: REST, share: Share::WHOLE, since: 0, took: 0, given: SLICE }
    }
}

impl Budget {
    /// Refills the budget when a firing begins.
    #[inline(always)]
    pub(crate) fn refill(&mut self, share: Share) {
        self.given = self.given.wrapping_add(SLICE).wrapping_sub(self.left);
        self.left = SLICE;
        self.rest = share.units;
        self.share = share;
    }

    /// Returns the part of its share that the firing has taken so far.
    pub(crate) fn taken(&self) -> Share {
        match self.share.units.saturating_sub(self.rest) {
            0 => Share { units: 0, time: 0 },
            units => {
                let last = monotonic_ns().saturating_sub(self.since).min(self.share.most());
                Share { units, time: self.took.saturating_add(last) }
            }
        }
    }

    /// Returns the units spent so far, in all firings. It wraps.
    #[inline(always)]
    pub fn spent(&self) -> u32 {
        self.given.wrapping_sub(self.left)
    }

    /// Spends units. Returns false if the firing has used too much.
    #[inline(always)]
    pub(crate) fn spend(&mut self, cost: u32) -> bool {
        match self.left.checked_sub(cost) {
            Some(left) => {
                self.left = left;
                true
            }
            None => self.spend_more(cost),
        }
    }

    /// Takes missing units from the rest, in whole slices.
    #[cold]
    #[inline(never)]
    fn spend_more(&mut self, cost: u32) -> bool {
        let now = monotonic_ns();
        self.took = match self.rest == self.share.units {
            true => 0,
            false => {
                self.took.saturating_add(now.saturating_sub(self.since).min(self.share.most()))
            }
        };
        self.since = now;
        let missing = cost.saturating_sub(self.left);
        let more = missing.checked_next_multiple_of(SLICE).unwrap_or(u32::MAX);
        let Some(rest) = self.rest.checked_sub(more) else { return false };
        if self.took > self.share.time {
            return false;
        }
        self.rest = rest;
        self.given = self.given.wrapping_add(more);
        self.left = self.left.wrapping_add(more).wrapping_sub(cost);
        true
    }

    /// Spends units on work that is not necessary. Returns false if it takes more than half of what
    /// the firing has beyond its first slice: then the clause goes on without it.
    pub(crate) fn spare(&mut self, cost: u32) -> bool {
        self.rest > self.share.units / 2 && self.spend(cost)
    }

    /// Notes the units of a clause that is too short to be stopped.
    #[inline(always)]
    pub(crate) fn note(&mut self, cost: u32) {
        self.given = self.given.wrapping_add(cost);
    }

    /// Pays for work that is done already. If it was too much, the next clause has nothing left.
    #[cold]
    #[inline(never)]
    pub(crate) fn owe(&mut self, cost: u32) {
        if !self.spend(cost) {
            self.note(cost.saturating_sub(self.left));
            (self.left, self.rest) = (0, 0);
        }
    }

    /// Excludes time that the CPU was kept busy on purpose.
    pub(crate) fn excuse(&mut self) {
        self.since = monotonic_ns();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lets so many consumers spend all that they can in one firing. Returns their units.
    fn spend_all(consumers: u32, price: u32) -> Vec<u32> {
        let mut whole = Share::of_all(consumers);
        let spend = |left: u32| {
            let mut budget = Budget::default();
            budget.refill(whole.one_of(left));
            let mut units = 0;
            while budget.spend(price) {
                units += price;
            }
            whole = whole.without(budget.taken());
            units
        };
        (1..=consumers).rev().map(spend).collect()
    }

    #[test]
    fn work_that_is_done_already_counts() {
        let mut budget = Budget::default();
        for (cost, is_left) in [(0, true), (100, true), (10 * SLICE, true), (2 * BUDGET, false)] {
            budget.refill(Share::WHOLE);
            let before = budget.spent();
            budget.owe(cost);
            assert_eq!(budget.spent().wrapping_sub(before), cost);
            assert_eq!(budget.spend(1), is_left, "{cost}");
        }
    }

    #[test]
    fn half_is_left_after_work_that_is_not_necessary() {
        for consumers in [1, 3, MAX_CONSUMERS] {
            let share = Share::of_all(consumers).one_of(consumers);
            let mut budget = Budget::default();
            budget.refill(share);
            let before = budget.spent();
            while budget.spare(64) {}
            let spent = budget.spent().wrapping_sub(before);
            assert!(spent <= share.units / 2 + 2 * SLICE, "{consumers}: {spent}");
            assert!(budget.spend(share.units / 4), "{consumers}");
        }
    }

    #[test]
    fn all_consumers_together_spend_one_budget() {
        for consumers in [1, 2, 3, 10, 100, MAX_CONSUMERS] {
            let units = spend_all(consumers, 64);
            let all: u32 = units.iter().sum();
            assert!(all <= BUDGET && all > BUDGET / 5 * 4, "{consumers}: {all}");
            assert!(units.iter().all(|n| *n >= SLICE), "{consumers}: {units:?}");
        }
    }
}
