// SPDX-License-Identifier: GPL-2.0
//! What the clauses of a consumer may cost in one firing: interrupts are off meanwhile.
//!
//! ```text
//! BUDGET = 2^20 units | a slice, 2^12 | a slice | a slice | ...
//!                     ^ no clock      ^ the clock is read: more than LIMIT since the firing began?
//! ```
//! A unit is at most 64 instructions of the processor, cache misses and division by less (`selftests/bound` measures
//! it): a budget is 2^26 instructions, 20 ms for a processor of 3.3 GHz that finishes one in each cycle. Slower
//! ones, emulated ones among them, are bounded by the clock. It is read behind each slice, so a firing
//! takes at most LIMIT, a slice, and the one operation that is under way. A clause that is shorter than a slice never
//! reads it.
//!
//! A virtual processor may stand still for long while its host is busy: the clause cannot help that. So no
//! slice counts for more than a part of LIMIT, and only several slow ones end the tracing.

use kapi::time::monotonic_ns;

/// Most units of a firing. A program that needs more is ended.
pub(crate) const BUDGET: u32 = 1 << 20;
/// The clock is read each time that so many were spent.
pub(crate) const SLICE: u32 = 1 << 12;
/// What is behind the first slice.
const REST: u32 = BUDGET - SLICE;
/// Longest firing, ns.
const LIMIT: u64 = 20_000_000;
/// For how much a slice counts at most, ns.
const MOST: u64 = LIMIT / 4;

/// Of one CPU.
pub(crate) struct Budget {
    /// Units of the slice.
    left: u32,
    /// Units that are no part of a slice yet.
    rest: u32,
    /// When the slice began, ns, and how long the ones before it took; of the first one nothing is known.
    since: u64,
    took: u64,
    /// Units of all slices so far, those of this one that are left included. It wraps.
    given: u32,
}

impl Budget {
    /// A full one.
    pub(crate) fn new() -> Self {
        Self { left: SLICE, rest: REST, since: 0, took: 0, given: SLICE }
    }

    /// A firing begins.
    #[inline(always)]
    pub(crate) fn refill(&mut self) {
        self.given = self.given.wrapping_add(SLICE).wrapping_sub(self.left);
        self.left = SLICE;
        self.rest = REST;
    }

    /// Units spent so far, in all firings. It wraps.
    #[inline(always)]
    pub(crate) fn spent(&self) -> u32 {
        self.given.wrapping_sub(self.left)
    }

    /// Spends some; false if the firing has taken too much.
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

    /// Takes what is missing from the rest, in whole slices.
    #[cold]
    #[inline(never)]
    fn spend_more(&mut self, cost: u32) -> bool {
        let now = monotonic_ns();
        self.took = match self.rest {
            REST => 0,
            _ => self.took.saturating_add(now.saturating_sub(self.since).min(MOST)),
        };
        self.since = now;
        let missing = cost.saturating_sub(self.left);
        let more = missing.checked_next_multiple_of(SLICE).unwrap_or(u32::MAX);
        let Some(rest) = self.rest.checked_sub(more) else { return false };
        if self.took > LIMIT {
            return false;
        }
        self.rest = rest;
        self.given = self.given.wrapping_add(more);
        self.left = self.left.wrapping_add(more).wrapping_sub(cost);
        true
    }

    /// Notes what a clause spends that is too short to be kept from it.
    #[inline(always)]
    pub(crate) fn note(&mut self, cost: u32) {
        self.given = self.given.wrapping_add(cost);
    }

    /// The CPU was kept on purpose: that counts for nothing.
    pub(crate) fn excuse(&mut self) {
        self.since = monotonic_ns();
    }
}
