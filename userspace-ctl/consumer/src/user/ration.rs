// SPDX-License-Identifier: GPL-2.0
//! Which files have unwinding rows in the module, where places and memory are limited.
//!
//! A file that needs room takes it from the files of its own user, if this user has more than a
//! share, or else from those of the user who has most: first from the file that was met longest
//! ago. If it is met again, it is read again. So a program that maps many files displaces its own,
//! and tracing for a long time does not fill all places.

use abi::unwind::{Key, FILES, MAX_GIVEN};
use libproc::account::{Account, Excess, Shares};
use std::collections::HashMap;

/// The weight of all files. A file weighs as much as its rows, in bytes, and at least [`LEAST`], so
/// no more than half of the places are in use.
const MOST: usize = MAX_GIVEN as usize;
const LEAST: usize = MOST / (FILES / 2);

#[derive(Debug)]
struct File {
    of: Account,
    weight: usize,
    /// When it was met last, as a number of the meeting.
    met: u64,
}

/// The files that have rows in the module, or will have them.
#[derive(Debug, Default)]
pub(super) struct Ration {
    files: HashMap<Key, File>,
    /// The weight of each user's files.
    used: Shares,
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

    /// Removes a file that could not wait to be read.
    pub(super) fn remove(&mut self, key: Key) {
        if let Some(file) = self.files.remove(&key) {
            self.used.take(file.of, file.weight);
        }
    }

    /// Sets the bytes that the rows of a known file have. Returns the files to forget.
    pub(super) fn weigh(&mut self, key: Key, bytes: usize) -> Vec<Key> {
        let Some(file) = self.files.get_mut(&key) else { return Vec::new() };
        self.used.take(file.of, file.weight);
        file.weight = bytes.max(LEAST);
        self.used.add(file.of, file.weight);
        let (of, mut forgotten) = (file.of, Vec::new());
        while let Some(excess) = self.used.excess(of, 0, MOST) {
            let whose = match excess {
                Excess::User(whose) => Some(whose),
                Excess::All => self.used.largest(),
            };
            let Some(whose) = whose else { break };
            let of_whose = self.files.iter().filter(|(other, f)| f.of == whose && **other != key);
            let Some((oldest, _)) = of_whose.min_by_key(|(_, f)| f.met) else { break };
            let oldest = *oldest;
            self.remove(oldest);
            forgotten.push(oldest);
        }
        forgotten
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROOT: Account = Account::ROOT;

    fn key(inode: u64) -> Key {
        Key { inode, ..Key::default() }
    }

    /// Adds a file of an own process; returns the forgotten ones.
    fn add(ration: &mut Ration, inode: u64, of: Account) -> Vec<u64> {
        ration.begin();
        ration.add(key(inode), of).into_iter().map(|key| key.inode).collect()
    }

    #[test]
    fn a_user_displaces_own_files() {
        let (mut ration, user) = (Ration::default(), Account::user(1000));
        let share = (MOST / 2 / LEAST) as u64;
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
        for inode in 1..=(MOST / 4 / LEAST) as u64 {
            assert!(add(&mut ration, inode, ROOT).is_empty());
        }
        for inode in 10_000..20_000 {
            let gone = add(&mut ration, inode, Account::user(1 + inode as u32 % 7));
            assert!(gone.iter().all(|gone| *gone >= 10_000), "{gone:?}");
        }
        assert!(ration.files.len() <= MOST / LEAST && MOST / LEAST <= FILES / 2);
    }

    #[test]
    fn root_displaces_those_who_have_most() {
        let mut ration = Ration::default();
        let (a, b) = (Account::user(1), Account::user(2));
        let full = (MOST / LEAST) as u64;
        for inode in 1..=full {
            let of = [ROOT, a, b][inode as usize % 3];
            assert!(add(&mut ration, inode, of).is_empty());
        }
        let more = full + 1;
        assert_eq!(add(&mut ration, more, ROOT).len(), 1);
        // Alone, root has all.
        let mut ration = Ration::default();
        (1..=full).for_each(|inode| assert!(add(&mut ration, inode, ROOT).is_empty()));
        assert_eq!(add(&mut ration, more, ROOT), [1]);
    }
}
