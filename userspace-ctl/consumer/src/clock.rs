// SPDX-License-Identifier: GPL-2.0
//! Time that is limited for all processes together, and shared between their users.

use libproc::account::{Account, Shares};
use std::time::Duration;

/// The time that each user's processes have taken of the time for all, in microseconds.
#[derive(Debug, Default)]
pub struct Clock(Shares);

impl Clock {
    /// Counts time that a user's process has taken.
    pub fn add(&mut self, of: Account, took: Duration) {
        self.0.add(of, micros(took));
    }

    /// Returns the time that a user's processes have taken.
    pub fn spent_by(&self, of: Account) -> Duration {
        Duration::from_micros(self.0.used(of) as u64)
    }

    /// Tells whether a user's processes get no more: one user may take half of the time, all users
    /// except root three quarters.
    pub fn is_over(&self, of: Account, most: Duration) -> bool {
        self.0.excess(of, 1, micros(most)).is_some()
    }
}

fn micros(time: Duration) -> usize {
    usize::try_from(time.as_micros()).unwrap_or(usize::MAX)
}
