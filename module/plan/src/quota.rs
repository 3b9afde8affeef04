// SPDX-License-Identifier: GPL-2.0
//! Adds up what consumers have of something that they share. A quarter of it is for root alone, so
//! that nothing that other users do can keep root from tracing.

use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Two sums: of all consumers, and of those of all users except root.
pub struct Quota {
    all: AtomicUsize,
    users: AtomicUsize,
}

/// Returns the part of `most` that all users except root may have together.
pub const fn of_users(most: usize) -> usize {
    most / 4 * 3
}

/// Raises a sum, unless it would exceed `most`.
fn raise(sum: &AtomicUsize, n: usize, most: usize) -> bool {
    let more = |sum: usize| sum.checked_add(n).filter(|sum| *sum <= most);
    sum.fetch_update(Relaxed, Relaxed, more).is_ok()
}

impl Quota {
    /// Creates it with nothing in use.
    pub const fn new() -> Self {
        Self { all: AtomicUsize::new(0), users: AtomicUsize::new(0) }
    }

    /// Returns how much more a consumer may have, if all together may have `most`.
    pub fn room(&self, most: usize, is_root: bool) -> usize {
        let all = most.saturating_sub(self.all.load(Relaxed));
        let users = of_users(most).saturating_sub(self.users.load(Relaxed));
        if is_root {
            all
        } else {
            all.min(users)
        }
    }

    /// Adds what a consumer gets. Returns false, and adds nothing, if it may not have so much.
    pub fn take(&self, n: usize, most: usize, is_root: bool) -> bool {
        if !is_root && !raise(&self.users, n, of_users(most)) {
            return false;
        }
        let is_taken = raise(&self.all, n, most);
        if !is_root && !is_taken {
            self.users.fetch_sub(n, Relaxed);
        }
        is_taken
    }

    /// Adds what a consumer has already.
    pub fn add(&self, n: usize, is_root: bool) {
        self.take(n, usize::MAX, is_root);
    }

    /// Subtracts what a consumer gives back.
    pub fn give_back(&self, n: usize, is_root: bool) {
        self.all.fetch_sub(n, Relaxed);
        if !is_root {
            self.users.fetch_sub(n, Relaxed);
        }
    }
}

impl Default for Quota {
    fn default() -> Self {
        Self::new()
    }
}

/// What one consumer has of a quota. Dropping it gives everything back.
pub struct Portion {
    of: &'static Quota,
    is_root: bool,
    amount: AtomicUsize,
}

impl Portion {
    /// Creates an empty one.
    pub const fn new(of: &'static Quota, is_root: bool) -> Self {
        Self { of, is_root, amount: AtomicUsize::new(0) }
    }

    /// Returns how much it is.
    pub fn amount(&self) -> usize {
        self.amount.load(Relaxed)
    }

    /// Takes more, if all consumers together may have `most`. Returns false if that is too much.
    pub fn take(&self, n: usize, most: usize) -> bool {
        let is_taken = self.of.take(n, most, self.is_root);
        if is_taken {
            self.amount.fetch_add(n, Relaxed);
        }
        is_taken
    }

    /// Gives a part back.
    pub fn give_back(&self, n: usize) {
        self.amount.fetch_sub(n, Relaxed);
        self.of.give_back(n, self.is_root);
    }
}

impl Drop for Portion {
    fn drop(&mut self) {
        self.of.give_back(self.amount(), self.is_root);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn users_leave_a_quarter_for_root_and_root_leaves_theirs() {
        static QUOTA: Quota = Quota::new();
        let [user, another] = [(); 2].map(|()| Portion::new(&QUOTA, false));
        let root = Portion::new(&QUOTA, true);
        // What root has does not count as that of users.
        assert!(root.take(25, 100) && user.take(70, 100));
        assert_eq!((QUOTA.room(100, false), QUOTA.room(100, true)), (5, 5));
        assert!(!another.take(6, 100) && another.take(5, 100) && !root.take(1, 100));
        root.give_back(20);
        assert_eq!((QUOTA.room(100, false), QUOTA.room(100, true)), (0, 20));
        assert!(!another.take(1, 100) && root.take(20, 100));
        // A refusal leaves nothing counted, nor does the end of a consumer.
        drop(user);
        drop(another);
        assert_eq!((QUOTA.room(100, false), QUOTA.room(100, true)), (75, 75));
        drop(root);
        assert_eq!((QUOTA.room(100, false), QUOTA.room(100, true)), (75, 100));
        assert!(!QUOTA.take(usize::MAX, usize::MAX, false));
        assert_eq!(QUOTA.room(100, true), 100);
    }
}
