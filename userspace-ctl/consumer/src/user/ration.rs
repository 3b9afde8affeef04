// SPDX-License-Identifier: GPL-2.0
//! Which files have unwinding rows in the module, where places and memory are limited.
//!
//! A file that needs room takes it from the files of its own user, if this user has more than a
//! share, or else from those of the user who has most: first from the file that was met longest
//! ago. If it is met again, it is read again. So a program that maps many files displaces its own,
//! and tracing for a long time does not fill all places.

use abi::unwind::{Key, FILES, MAX_GIVEN};
use libproc::account::Account;
use std::collections::HashMap;

/// The weight of all files. A file weighs as much as its rows, in bytes, and at least [`LEAST`], so
/// no more than half of the places are in use.
const MOST: u64 = MAX_GIVEN;
const LEAST: u64 = MOST / (FILES as u64 / 2);
/// The weight of the files of one user, and of all users except root.
const MOST_OF_USER: u64 = MOST / 2;
const MOST_OF_USERS: u64 = MOST / 4 * 3;

#[derive(Debug)]
struct File {
    of: Account,
    weight: u64,
    /// When it was met last, as a number of the meeting.
    met: u64,
}

/// The files that have rows in the module, or will have them.
#[derive(Debug, Default)]
pub(super) struct Ration {
    files: HashMap<Key, File>,
    /// The weight of each user's files.
    used: HashMap<Account, u64>,
    meetings: u64,
}

impl Ration {
    /// Begins to meet files of another process.
    pub(super) fn begin(&mut self) {
        self.meetings += 1;
    }

    /// Notes that a file was met; returns whether it is known.
    pub(super) fn meet(&mut self, key: Key) -> bool {
        let known = self.files.get_mut(&key);
        known.map(|file| file.met = self.meetings).is_some()
    }

    /// Tells whether a file is known.
    pub(super) fn has(&self, key: Key) -> bool {
        self.files.contains_key(&key)
    }

    /// Adds a file of which no row is read yet. Returns the files to forget.
    pub(super) fn add(&mut self, key: Key, of: Account) -> Vec<Key> {
        self.files.insert(key, File { of, weight: 0, met: self.meetings });
        self.weigh(key, 0)
    }

    /// Sets the bytes that the rows of a known file have. Returns the files to forget.
    pub(super) fn weigh(&mut self, key: Key, bytes: u64) -> Vec<Key> {
        let Some(file) = self.files.get_mut(&key) else { return Vec::new() };
        let used = self.used.entry(file.of).or_default();
        *used -= file.weight;
        file.weight = bytes.max(LEAST);
        *used += file.weight;
        let (of, mut forgotten) = (file.of, Vec::new());
        while let Some(whose) = self.excess(of) {
            let of_whose = self.files.iter().filter(|(other, f)| f.of == whose && **other != key);
            let Some((oldest, _)) = of_whose.min_by_key(|(_, f)| f.met) else { break };
            let oldest = *oldest;
            if let Some(file) = self.files.remove(&oldest) {
                *self.used.entry(whose).or_default() -= file.weight;
            }
            forgotten.push(oldest);
        }
        forgotten
    }

    /// Returns the user who must make room after one user got more; `None`: there is enough.
    fn excess(&self, of: Account) -> Option<Account> {
        let is_user = of != Account::ROOT;
        let used = |whose| self.used.get(&whose).copied().unwrap_or_default();
        let all: u64 = self.used.values().sum();
        if is_user && used(of) > MOST_OF_USER {
            return Some(of);
        }
        let too_many_users = is_user && all - used(Account::ROOT) > MOST_OF_USERS;
        if !too_many_users && all <= MOST {
            return None;
        }
        let may = self.used.iter().filter(|(w, _)| !too_many_users || **w != Account::ROOT);
        may.max_by_key(|(_, weight)| **weight).map(|(whose, _)| *whose)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROOT: Account = Account::ROOT;

    fn key(inode: u64) -> Key {
        Key { inode, ..Key::default() }
    }

    /// Adds a file of an own process; returns how many are forgotten.
    fn add(ration: &mut Ration, inode: u64, of: Account) -> Vec<u64> {
        ration.begin();
        ration.add(key(inode), of).into_iter().map(|key| key.inode).collect()
    }

    #[test]
    fn a_user_displaces_own_files() {
        let (mut ration, user) = (Ration::default(), Account::user(1000));
        let share = MOST_OF_USER / LEAST;
        assert!(add(&mut ration, 1, ROOT).is_empty());
        for inode in 2..2 + share {
            assert!(add(&mut ration, inode, user).is_empty());
        }
        ration.begin();
        assert!(ration.meet(key(2)) && !ration.meet(key(0)));
        assert_eq!(add(&mut ration, 100_000, user), [3]);
        // Rows that were read weigh more.
        assert_eq!(ration.weigh(key(100_000), 3 * LEAST).len(), 2);
        assert!(ration.has(key(1)) && ration.has(key(2)) && !ration.has(key(4)));
        assert!(ration.weigh(key(3), MOST).is_empty() && !ration.has(key(3)));
    }

    #[test]
    fn many_users_leave_root_a_quarter() {
        let mut ration = Ration::default();
        for inode in 1..=MOST / 4 / LEAST {
            assert!(add(&mut ration, inode, ROOT).is_empty());
        }
        for inode in 10_000..20_000 {
            let gone = add(&mut ration, inode, Account::user(1 + inode as u32 % 7));
            assert!(gone.iter().all(|gone| *gone >= 10_000), "{gone:?}");
        }
        assert!(ration.files.len() as u64 <= MOST / LEAST && MOST / LEAST <= FILES as u64 / 2);
    }

    #[test]
    fn root_displaces_those_who_have_most() {
        let mut ration = Ration::default();
        let (a, b) = (Account::user(1), Account::user(2));
        for inode in 1..=MOST / LEAST {
            let of = if inode % 3 == 0 {
                ROOT
            } else if inode % 3 == 1 {
                a
            } else {
                b
            };
            assert!(add(&mut ration, inode, of).is_empty());
        }
        let more = MOST / LEAST + 1;
        assert_eq!(add(&mut ration, more, ROOT).len(), 1);
        // Alone, root has all.
        let mut ration = Ration::default();
        (1..=MOST / LEAST).for_each(|inode| assert!(add(&mut ration, inode, ROOT).is_empty()));
        assert_eq!(add(&mut ration, more, ROOT), [1]);
    }
}
