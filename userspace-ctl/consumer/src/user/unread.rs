// SPDX-License-Identifier: GPL-2.0
//! The files that wait to be read.
//!
//! One user may have half of the places, all users except root three quarters. If there is no place
//! left, a file of the user who has most gives way: the largest one, which would be read last. The
//! user whose files have taken the least time comes first, with the smallest file. So a user with
//! many slow files waits longest.
//!
//! A user who comes later begins with the least time of those who wait. Otherwise a new user with
//! slow files would be served alone until all had the same.
//!
//! Users share libraries. A file that several users wait for is read as soon as one of them would
//! get it alone, and that user pays for the time.

use crate::clock::Clock;
use abi::unwind::Key;
use libproc::account::{Account, Excess, Shares};
use std::fs::File;
use std::time::Duration;

/// The most files, which are kept open. A program of one user may have mapped 200.
const MOST: usize = 512;

/// A file that waits.
#[derive(Debug)]
pub(super) struct Waiting {
    /// The user who has the place, or, of a file to be read, who pays for the time.
    pub(super) of: Account,
    /// Other users who wait for it.
    pub(super) others: Vec<Account>,
    /// Its bytes.
    pub(super) size: u64,
    pub(super) key: Key,
    pub(super) file: File,
}

impl Waiting {
    /// Returns the users who wait for it.
    fn users(&self) -> impl Iterator<Item = Account> + '_ {
        std::iter::once(self.of).chain(self.others.iter().copied())
    }
}

/// All files that wait.
#[derive(Debug, Default)]
pub(super) struct Unread {
    files: Vec<Waiting>,
    places: Shares,
    /// The time to read the files of each user since no file waited; of a user who came later, also
    /// the time that others had before.
    spent: Clock,
}

impl Unread {
    pub(super) fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Adds a file. Returns the file that has no place: another one that gives way, or this one.
    pub(super) fn put(&mut self, new: Waiting) -> Option<Waiting> {
        let whose = self.places.excess(new.of, 1, MOST).and_then(|excess| match excess {
            Excess::User(whose) => Some(whose),
            Excess::All => self.places.largest(),
        });
        if whose == Some(new.of) {
            return Some(new);
        }
        let of_whose = self.files.iter().enumerate().filter(|(_, w)| Some(w.of) == whose);
        // A file that only this user waits for gives way first.
        let largest = of_whose.max_by_key(|(_, w)| (w.others.is_empty(), w.size)).map(|(n, _)| n);
        let gone = largest.map(|n| self.remove(n));
        self.spent.add(new.of, self.behind(new.of));
        self.places.add(new.of, 1);
        self.files.push(new);
        gone
    }

    /// Returns how much less time a user has had than all who wait; zero, if the user waits, too.
    fn behind(&self, of: Account) -> Duration {
        let users = || self.files.iter().flat_map(Waiting::users);
        let least = users().map(|user| self.spent.spent_by(user)).min();
        match users().any(|user| user == of) {
            true => Duration::ZERO,
            false => least.unwrap_or_default().saturating_sub(self.spent.spent_by(of)),
        }
    }

    /// Notes that a user waits for a file, too, if it still waits. Root takes the place: root's
    /// files do not give way to those of others.
    pub(super) fn join(&mut self, key: Key, of: Account) {
        let behind = self.behind(of);
        let Some(file) = self.files.iter_mut().find(|w| w.key == key) else { return };
        if file.of == of || file.others.contains(&of) {
            return;
        }
        self.spent.add(of, behind);
        file.others.push(of);
        if of == Account::ROOT {
            let had = std::mem::replace(&mut file.of, of);
            file.others.retain(|other| *other != of);
            file.others.push(had);
            self.places.take(had, 1);
            self.places.add(of, 1);
        }
    }

    /// Removes the next file to read.
    pub(super) fn next(&mut self) -> Option<Waiting> {
        let files = self.files.iter().enumerate();
        let turns = files.flat_map(|(n, w)| w.users().map(move |of| (n, w.size, of)));
        match turns.min_by_key(|(n, size, of)| (self.spent.spent_by(*of), *size, *n)) {
            Some((n, _, of)) => Some(Waiting { of, ..self.remove(n) }),
            None => {
                self.spent = Clock::default();
                None
            }
        }
    }

    fn remove(&mut self, n: usize) -> Waiting {
        let gone = self.files.swap_remove(n);
        self.places.take(gone.of, 1);
        gone
    }

    /// Counts the time to read a file of this user.
    pub(super) fn spend(&mut self, of: Account, took: Duration) {
        self.spent.add(of, took);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Adds a file; returns the number of the one without a place.
    fn put(unread: &mut Unread, of: Account, n: u64, size: u64) -> Option<u64> {
        let file = File::open("/proc/self/exe").unwrap();
        let key = Key { inode: n, ..Key::default() };
        let others = Vec::new();
        unread.put(Waiting { of, others, size, key, file }).map(|gone| gone.key.inode)
    }

    #[test]
    fn a_user_takes_no_place_from_others() {
        let mut unread = Unread::default();
        let [a, b, c] = [1, 2, 3].map(Account::user);
        let most = MOST as u64;
        for n in 0..most / 2 {
            assert_eq!(put(&mut unread, a, n, 1000 + n), None);
        }
        // However small they are.
        assert_eq!(put(&mut unread, a, 9999, 0), Some(9999));
        for n in most / 2..most / 4 * 3 {
            assert_eq!(put(&mut unread, b, n, 1), None);
        }
        // The largest of the user who has most gives way.
        assert_eq!(put(&mut unread, c, 1000, 1 << 30), Some(most / 2 - 1));
        for n in 0..most / 4 {
            assert_eq!(put(&mut unread, Account::ROOT, 2000 + n, 1), None);
        }
        assert_eq!(put(&mut unread, Account::ROOT, 3000, 1), Some(most / 2 - 2));
        assert_eq!(unread.files.len(), MOST);
    }

    /// A file of 500 KB may take seconds.
    #[test]
    fn the_user_with_the_least_time_comes_first() {
        let mut unread = Unread::default();
        let [slow, other] = [1, 2].map(Account::user);
        for n in 0..9 {
            put(&mut unread, slow, n, 500);
        }
        put(&mut unread, other, 100, 10_000);
        put(&mut unread, other, 101, 9_000);
        put(&mut unread, Account::ROOT, 200, 1 << 20);
        let mut order = Vec::new();
        while let Some(next) = unread.next() {
            let took = if next.of == slow { 1_000_000 } else { next.size };
            unread.spend(next.of, Duration::from_micros(took));
            order.push(next.key.inode);
            if order.len() == 2 {
                put(&mut unread, slow, 9, 1);
            }
        }
        assert_eq!(order[..5], [0, 101, 200, 100, 9]);
        assert!(order.len() == 13 && unread.is_empty());
        // Nobody waited, so everybody begins anew.
        assert_eq!(unread.spent.spent_by(slow), Duration::ZERO);
    }

    /// One with a fresh account may bring slow files.
    #[test]
    fn a_user_who_comes_later_takes_turns() {
        let [a, b, late] = [1, 2, 3].map(Account::user);
        let shared = Key { inode: 1000, ..Key::default() };
        let after = |comes: &dyn Fn(&mut Unread)| {
            let mut unread = Unread::default();
            put(&mut unread, a, shared.inode, 1 << 20);
            for n in 0..9 {
                put(&mut unread, a, n, 1);
                put(&mut unread, b, 10 + n, 1);
            }
            unread.spend(a, Duration::from_secs(60));
            unread.spend(b, Duration::from_secs(61));
            comes(&mut unread);
            let turn = |_| {
                let of = unread.next().unwrap().of;
                unread.spend(of, Duration::from_secs(2));
                of
            };
            (0..6).map(turn).filter(|of| *of == late).count()
        };
        assert_eq!(after(&|_| ()), 0);
        let many = |unread: &mut Unread| {
            for n in 20..29 {
                put(unread, late, n, 1);
            }
        };
        assert_eq!(after(&many), 2);
        // First one that others wait for, too.
        let one_and_many = |unread: &mut Unread| {
            unread.join(shared, late);
            many(unread);
        };
        assert_eq!(after(&one_and_many), 2);
    }

    /// Maps libc after a user with many small files that take long; returns the users who paid, up
    /// to that of libc.
    fn until_libc(others: &[Account]) -> Vec<Account> {
        let (mut unread, slow) = (Unread::default(), Account::user(1));
        let libc = Key { inode: 1000, ..Key::default() };
        put(&mut unread, slow, libc.inode, 1 << 20);
        for n in 0..20 {
            put(&mut unread, slow, n, 1);
        }
        // Each has mapped it often.
        for of in [others, others, &[slow]].concat() {
            unread.join(libc, of);
        }
        let mut paid = Vec::new();
        while let Some(next) = unread.next() {
            paid.push(next.of);
            if next.key == libc {
                break;
            }
            unread.spend(next.of, Duration::from_secs(1));
        }
        paid
    }

    #[test]
    fn a_file_that_others_wait_for_does_not_wait_for_the_first_user() {
        let [slow, a, b] = [1, 2, 3].map(Account::user);
        assert_eq!(until_libc(&[]), [slow; 21]);
        for others in [&[a][..], &[Account::ROOT], &[a, Account::ROOT, b]] {
            let paid = until_libc(others);
            assert!(paid.len() == 2 && paid[0] == slow && others.contains(&paid[1]), "{paid:?}");
        }
    }

    #[test]
    fn a_file_that_others_wait_for_gives_way_last() {
        let mut unread = Unread::default();
        let [a, b] = [1, 2].map(Account::user);
        let key = |inode| Key { inode, ..Key::default() };
        let most = MOST as u64;
        for n in 0..most / 2 {
            put(&mut unread, a, n, 1000 - n);
        }
        unread.join(key(0), b);
        unread.join(key(1), Account::ROOT);
        // It waits no longer.
        unread.join(key(9999), b);
        assert_eq!([a, Account::ROOT].map(|of| unread.places.used(of)), [MOST / 2 - 1, 1]);
        for n in 0..most / 4 {
            assert_eq!(put(&mut unread, b, 1000 + n, 1), None);
            assert_eq!(put(&mut unread, Account::ROOT, 2000 + n, 1), None);
        }
        assert_eq!(put(&mut unread, Account::ROOT, 3000, 1), Some(2));
        while unread.next().is_some() {}
        assert!(unread.places.largest().is_none());
    }
}
