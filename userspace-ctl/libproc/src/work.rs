// SPDX-License-Identifier: GPL-2.0
//! A limit of the steps that a file can make us take.
//!
//! The author of a file decides how often its parts refer to each other: a million functions may
//! overlap, and a million pieces may share their rules. So the size of a file does not bound the
//! time to read it.

use std::cell::Cell;

/// The number of steps that are left.
#[derive(Debug)]
pub(crate) struct Work(Cell<u64>);

impl Work {
    pub(crate) fn new(steps: u64) -> Self {
        Self(Cell::new(steps))
    }

    /// Takes steps; `None`: there are not so many, and none is left.
    pub(crate) fn spend(&self, steps: u64) -> Option<()> {
        let left = self.0.get().checked_sub(steps);
        self.0.set(left.unwrap_or(0));
        left.map(drop)
    }

    /// Takes all steps that are left.
    pub(crate) fn end(&self) {
        self.0.set(0);
    }

    /// Tells whether no step is left.
    pub(crate) fn is_over(&self) -> bool {
        self.0.get() == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_end() {
        let work = Work::new(3);
        assert!(work.spend(2).is_some() && !work.is_over());
        assert!(work.spend(2).is_none() && work.is_over());
    }
}
