// SPDX-License-Identifier: GPL-2.0
//! Who is accountable for what is kept of a process, so that one user cannot use up what there is
//! for all.

use crate::status;
use std::collections::HashMap;
use std::sync::OnceLock;

/// A user, or all processes in other user namespaces than ours: there, one user may have tens of
/// thousands of ids.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Account(u32);

impl Account {
    /// The account without a quota.
    pub const ROOT: Self = Self(0);
    const OTHERS: Self = Self(u32::MAX);

    /// Returns the account of a user in our namespace.
    pub fn user(id: u32) -> Self {
        Self(id)
    }

    /// Returns the account of a process; that of other namespaces if it has ended. The user is the
    /// real one: a process can hide its effective user from us.
    pub fn of(pid: u32) -> Self {
        static OURS: OnceLock<Vec<u8>> = OnceLock::new();
        let read = |path| std::fs::read(path).unwrap_or_default();
        // A link to the namespace can only be read with privileges. Only root can give another
        // namespace the same ids.
        let ours = OURS.get_or_init(|| read("/proc/self/uid_map".to_string()));
        if *ours != read(format!("/proc/{pid}/uid_map")) {
            return Self::OTHERS;
        }
        let ids = status::line(pid, "Uid:");
        let real = ids.and_then(|ids| ids.split_whitespace().next()?.parse().ok());
        real.map_or(Self::OTHERS, Self)
    }
}

/// How much each user has of something that is limited.
#[derive(Debug, Default)]
pub struct Shares(HashMap<Account, usize>);

/// Those who have too much.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Excess {
    /// One user.
    User(Account),
    /// All together.
    All,
}

impl Shares {
    /// Gives a user more.
    pub fn add(&mut self, of: Account, more: usize) {
        *self.0.entry(of).or_default() += more;
    }

    /// Takes some of what a user has.
    pub fn take(&mut self, of: Account, some: usize) {
        if let Some(used) = self.0.get_mut(&of) {
            *used -= some;
            if *used == 0 {
                self.0.remove(&of);
            }
        }
    }

    /// Takes this much in total, from all users alike; at most what each has.
    pub fn ease(&mut self, some: usize) {
        let each = some / self.0.len().max(1);
        self.0.retain(|_, used| {
            *used = used.saturating_sub(each);
            *used > 0
        });
    }

    /// Returns how much a user has.
    pub fn used(&self, of: Account) -> usize {
        self.0.get(&of).copied().unwrap_or_default()
    }

    /// Returns the user who has most.
    pub fn largest(&self) -> Option<Account> {
        self.largest_of(|_| true)
    }

    fn largest_of(&self, may: impl Fn(Account) -> bool) -> Option<Account> {
        let may = self.0.iter().filter(|(whose, _)| may(**whose));
        may.max_by_key(|(_, used)| **used).map(|(whose, _)| *whose)
    }

    /// Tells who would have too much if a user got `more`: one user may have half of `most`, all
    /// users except root three quarters. `None`: it fits.
    pub fn excess(&self, of: Account, more: usize, most: usize) -> Option<Excess> {
        let all = self.0.values().fold(more, |sum, n| sum.saturating_add(*n));
        if of != Account::ROOT {
            if self.used(of).saturating_add(more) > most / 2 {
                return Some(Excess::User(of));
            }
            if all - self.used(Account::ROOT) > most / 4 * 3 {
                let largest = self.largest_of(|whose| whose != Account::ROOT);
                return Some(Excess::User(largest.unwrap_or(of)));
            }
        }
        (all > most).then_some(Excess::All)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::MetadataExt;

    #[test]
    fn of_us_and_of_nobody() {
        let us = std::fs::metadata("/proc/self").unwrap().uid();
        assert_eq!(Account::of(std::process::id()), Account::user(us));
        assert_eq!(Account::of(u32::MAX), Account::OTHERS);
    }
}
