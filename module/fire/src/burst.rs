// SPDX-License-Identifier: GPL-2.0
//! The time of a burst: many firings with one cause, such as the parts of a request or the probes
//! of a program at one place. Each of them has a budget of its own, and interrupts are off until
//! the last one has ended.

use crate::budget::LIMIT;
use core::cell::Cell;
use nosleep::time::monotonic_ns;

#[derive(Clone, Copy)]
enum Phase {
    Unbegun,
    /// It ends at this time in ns.
    Until(u64),
    Over,
}

/// A burst. Its firings begin within the time that one may take; the last one may take as long
/// again.
pub struct Burst(Cell<Phase>);

impl Burst {
    /// A burst that begins with the first question whether it goes on.
    pub const fn new() -> Self {
        Self(Cell::new(Phase::Unbegun))
    }

    /// Tells whether one more firing may begin. Once it is over, it stays over, and the answer
    /// takes no time.
    pub fn goes_on(&self) -> bool {
        let next = match self.0.get() {
            Phase::Over => return false,
            Phase::Until(end) if monotonic_ns() >= end => Phase::Over,
            Phase::Until(_) => return true,
            Phase::Unbegun => Phase::Until(monotonic_ns().saturating_add(LIMIT)),
        };
        self.0.set(next);
        matches!(next, Phase::Until(_))
    }
}

impl Default for Burst {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nosleep::machine;

    #[test]
    fn the_first_firing_counts_and_the_end_stays() {
        let burst = Burst::new();
        assert!(burst.goes_on());
        machine(|m| m.now += LIMIT / 2);
        assert!(burst.goes_on());
        machine(|m| m.now += LIMIT / 2);
        assert!(!burst.goes_on());
        let end = machine(|m| m.now);
        assert!(!burst.goes_on() && machine(|m| m.now) == end, "it reads the clock again");
    }
}
