// SPDX-License-Identifier: GPL-2.0
//! Who owes the time to read a process and its files.

use super::provider::split;
use libproc::account::Account;
use std::time::Duration;

/// The time to find a file that was read before. Nobody owes it: many processes share libraries.
const FOUND: Duration = Duration::from_micros(200);
/// How often it is free in one process. A program may map 200 files; one that maps the same file
/// ten thousand times makes us find it as often.
const MOST_FOUND: usize = 256;

/// The user who owes the time to read one process.
#[derive(Debug)]
pub(super) struct Debtor {
    pub(super) of: Account,
    /// How many files may still be found for nothing.
    free: usize,
}

impl Debtor {
    /// Returns the user of a process.
    pub(super) fn of(pid: u32) -> Self {
        Self { of: Account::of(pid), free: MOST_FOUND }
    }

    /// Returns who owes the time to read a process for a provider. Root owes nothing, so that is
    /// who owes it if the provider ends with the process id: then the user has chosen to wait for
    /// this process.
    pub(super) fn for_provider(provider: &str, pid: u32) -> Self {
        Self::for_any([provider], pid)
    }

    /// Returns the same for several providers.
    pub(super) fn for_any<'a>(providers: impl IntoIterator<Item = &'a str>, pid: u32) -> Self {
        match providers.into_iter().flat_map(split).any(|(_, of)| of == pid) {
            true => Self { of: Account::ROOT, free: MOST_FOUND },
            false => Self::of(pid),
        }
    }

    /// Returns how much of the time that a reading took is owed.
    pub(super) fn owes(&mut self, took: Duration) -> Duration {
        let left = self.free.checked_sub(1);
        self.free = left.unwrap_or(0);
        match left {
            Some(_) => took.saturating_sub(FOUND),
            None => took,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A program can map one small file 65,000 times.
    #[test]
    fn a_process_owes_the_time_to_find_many_files() {
        let mut debtor = Debtor::of(std::process::id());
        let mut owed = |files, each| (0..files).map(|_| debtor.owes(each)).sum::<Duration>();
        assert_eq!(owed(200, FOUND), Duration::ZERO);
        assert_eq!(owed(56, 2 * FOUND), 56 * FOUND);
        assert_eq!(owed(65_000, FOUND / 4), 65_000 * (FOUND / 4));
    }
}
