// SPDX-License-Identifier: GPL-2.0
//! Who is accountable for what is kept of a process, so that one user cannot use up what there is
//! for all.

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
        static OURS: OnceLock<String> = OnceLock::new();
        // The name that the process has given itself has any bytes.
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        let read = |path| std::fs::read(path).map(text).unwrap_or_default();
        // A link to the namespace can only be read with privileges. Only root can give another
        // namespace the same ids.
        let ours = OURS.get_or_init(|| read("/proc/self/uid_map".to_string()));
        if *ours != read(format!("/proc/{pid}/uid_map")) {
            return Self::OTHERS;
        }
        let status = read(format!("/proc/{pid}/status"));
        let line = status.lines().find_map(|line| line.strip_prefix("Uid:"));
        let real = line.and_then(|ids| ids.split_whitespace().next()?.parse().ok());
        real.map_or(Self::OTHERS, Self)
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
