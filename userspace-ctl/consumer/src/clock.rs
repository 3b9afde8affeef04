// SPDX-License-Identifier: GPL-2.0
//! Time that is limited for all processes together, and shared between their users.

use libproc::account::{Account, Shares};
use std::time::{Duration, Instant};

/// The most time that a user may owe and get more.
const MOST_OWED: Duration = Duration::from_secs(3);
/// The part of the time that passes which pays for what users owe.
const PART: u32 = 4;
/// How often it pays. Shorter times would be rounded to nothing.
const TICK: Duration = Duration::from_millis(10);

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

/// The time that each user's processes have taken, of which a part of the time that passes is paid.
/// So a user whose processes take very long waits before they take more, and others do not.
#[derive(Debug, Default)]
pub(crate) struct Debts {
    owed: Shares,
    /// When they were paid last.
    paid: Option<Instant>,
}

impl Debts {
    /// Counts time that a user's process has taken. Those of root may take any.
    pub(crate) fn add(&mut self, of: Account, took: Duration) {
        if of != Account::ROOT {
            self.owed.add(of, micros(took));
        }
    }

    /// Tells whether a user's processes get no time now.
    pub(crate) fn is_over(&mut self, of: Account) -> bool {
        let passed = self.paid.get_or_insert_with(Instant::now).elapsed();
        if passed > TICK {
            self.pay(passed);
            self.paid = Some(Instant::now());
        }
        self.owed.used(of) > micros(MOST_OWED)
    }

    fn pay(&mut self, passed: Duration) {
        self.owed.ease(micros(passed / PART));
    }
}

fn micros(time: Duration) -> usize {
    usize::try_from(time.as_micros()).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debts_are_paid_while_time_passes() {
        let mut debts = Debts::default();
        let [slow, other] = [1, 2].map(Account::user);
        debts.add(slow, Duration::from_secs(3000));
        debts.add(other, Duration::from_secs(1));
        assert!(debts.is_over(slow) && !debts.is_over(other));
        debts.add(Account::ROOT, Duration::from_secs(3000));
        assert!(!debts.is_over(Account::ROOT));
        debts.pay(PART * Duration::from_secs(2));
        assert_eq!(debts.owed.used(other), 0);
        // Nobody else owes anything.
        debts.pay(PART * Duration::from_secs(2990));
        assert!(debts.is_over(slow));
        debts.pay(PART * Duration::from_secs(10));
        assert!(!debts.is_over(slow));
    }
}
