// SPDX-License-Identifier: GPL-2.0
//! A limit of the steps that a file can make us take.
//!
//! The author of a file decides how often its parts refer to each other: a million functions may
//! overlap, and a million pieces may share their rules. So the size of a file does not bound the
//! time to read it.

use std::cell::Cell;
use std::fmt;

/// Called from time to time during work that takes long.
pub type Beat = Option<Box<dyn Fn()>>;

/// How many steps are taken between two beats.
const BEAT: u64 = 1 << 20;

/// The number of steps that are left.
pub(crate) struct Work {
    left: Cell<u64>,
    beat: Beat,
}

impl Work {
    pub(crate) fn new(steps: u64) -> Self {
        Self::with(steps, None)
    }

    pub(crate) fn with(steps: u64, beat: Beat) -> Self {
        Self { left: Cell::new(steps), beat }
    }

    /// Takes steps; `None`: there are not so many, and none is left.
    pub(crate) fn spend(&self, steps: u64) -> Option<()> {
        let before = self.left.get();
        let left = before.checked_sub(steps);
        let now = left.unwrap_or(0);
        self.left.set(now);
        if before / BEAT != now / BEAT {
            self.beat.iter().for_each(|beat| beat());
        }
        left.map(drop)
    }

    /// Takes all steps that are left.
    pub(crate) fn end(&self) {
        self.left.set(0);
    }

    /// Tells whether no step is left.
    pub(crate) fn is_over(&self) -> bool {
        self.left.get() == 0
    }
}

impl fmt::Debug for Work {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Work").field("left", &self.left).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::rc::Rc;

    #[test]
    fn steps_end() {
        let work = Work::new(3);
        assert!(work.spend(2).is_some() && !work.is_over());
        assert!(work.spend(2).is_none() && work.is_over());
    }

    #[test]
    fn long_work_beats() {
        let beats = Rc::new(Cell::new(0));
        let count = beats.clone();
        let work = Work::with(9 * BEAT, Some(Box::new(move || count.set(count.get() + 1))));
        for _ in 0..4 * BEAT {
            work.spend(2).unwrap();
        }
        assert_eq!(beats.get(), 8);
        assert!(work.spend(2 * BEAT).is_none() && beats.get() == 9);
    }
}
