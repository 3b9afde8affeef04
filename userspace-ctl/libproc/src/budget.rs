// SPDX-License-Identifier: GPL-2.0
//! One bound for the memory that symbols take, whichever files and processes they come from, and a
//! share of it for each user.
//!
//! A small file can describe a large table: its symbols share one long name, its units share one
//! list. So everything that is kept of files and processes is counted when it is made, for the user
//! who is [billed](bill). A file or process that has had its part yields no
//! more. When all parts of a user, or all together, are too many, the caller forgets them and
//! begins anew ([`was_short`]).

use crate::account::{Account, Excess, Shares};
use std::cell::Cell;
use std::collections::HashSet;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

/// The most bytes of all files and processes, unless a quarter of the memory is less. Half of it is
/// for one user, and three quarters for all users except root.
const MOST: usize = 2 << 30;
/// The most bytes of one file or process; fewer in tests, which are slow.
pub(crate) const MOST_OF_ONE: usize = if cfg!(test) { 128 << 20 } else { 512 << 20 };

thread_local! {
    static PAYER: Cell<Account> = const { Cell::new(Account::ROOT) };
}

/// While it exists, what is kept is counted for a user, then again for the user before.
#[must_use]
#[derive(Debug)]
pub struct Bill {
    before: Account,
}

/// Counts for a user what is kept from now on. Without a [`Bill`], it is counted for root.
pub fn bill(of: Account) -> Bill {
    Bill { before: PAYER.replace(of) }
}

impl Drop for Bill {
    fn drop(&mut self) {
        PAYER.set(self.before);
    }
}

/// Counts what `f` keeps for a user.
pub fn on_behalf<T>(of: Account, f: impl FnOnce() -> T) -> T {
    let _bill = bill(of);
    f()
}

/// Returns the user for whom everything is counted now.
pub(crate) fn payer() -> Account {
    PAYER.get()
}

/// The bytes that each user has in use.
#[derive(Default)]
struct Used {
    by: Shares,
    /// The users who had too much; root: all users together had.
    short: HashSet<Account>,
}

impl Used {
    /// Adds bytes; returns false if they are too many.
    fn add(&mut self, of: Account, bytes: usize, most: usize) -> bool {
        let whose = match self.by.excess(of, bytes, most) {
            None => {
                self.by.add(of, bytes);
                return true;
            }
            Some(Excess::User(whose)) => whose,
            Some(Excess::All) => Account::ROOT,
        };
        self.short.insert(whose);
        false
    }
}

fn used() -> MutexGuard<'static, Used> {
    static USED: OnceLock<Mutex<Used>> = OnceLock::new();
    USED.get_or_init(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the most bytes that are kept in total.
fn most() -> usize {
    memory().map_or(MOST, |bytes| (bytes / 4).min(MOST))
}

/// Returns the bytes of this machine's memory.
pub fn memory() -> Option<usize> {
    static FOUND: OnceLock<Option<usize>> = OnceLock::new();
    let read = || {
        let text = std::fs::read_to_string("/proc/meminfo").ok()?;
        let total = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
        let kb = total.trim().strip_suffix("kB")?.trim().parse::<usize>().ok()?;
        kb.checked_mul(1024)
    };
    *FOUND.get_or_init(read)
}

/// Returns the users whose files and processes took so much since the last call that one got less
/// than it needs; root: all together took too much.
pub fn was_short() -> HashSet<Account> {
    std::mem::take(&mut used().short)
}

/// The bytes of one file or process. They are free again when it is dropped.
#[derive(Debug)]
pub struct Share {
    bytes: usize,
    /// The bytes that are counted. They grow in steps, because a file may have a million symbols.
    granted: usize,
    of: Account,
    was_short: bool,
}

/// The least bytes that a share asks for.
const STEP: usize = 4096;

impl Default for Share {
    fn default() -> Self {
        Self { bytes: 0, granted: 0, of: payer(), was_short: false }
    }
}

impl Share {
    /// Takes this many bytes more; returns false if they are too many.
    pub fn grow(&mut self, bytes: usize) -> bool {
        let needed = self.bytes.saturating_add(bytes);
        if needed > MOST_OF_ONE {
            return false;
        }
        if needed > self.granted {
            let more = (needed - self.granted).max(self.granted / 4).max(STEP);
            if !used().add(self.of, more, most()) {
                self.was_short = true;
                return false;
            }
            self.granted += more;
        }
        self.bytes = needed;
        true
    }

    /// Tells whether it got less than it needs because others have too much.
    pub fn was_short(&self) -> bool {
        self.was_short
    }

    /// Returns the user for whom they are counted.
    pub fn of(&self) -> Account {
        self.of
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        used().by.take(self.of, self.granted);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_has_a_part_only() {
        let mut share = Share::default();
        assert!(share.grow(1000) && !share.grow(MOST_OF_ONE) && !share.grow(usize::MAX));
        assert_eq!((share.bytes, share.of()), (1000, Account::ROOT));
        assert!(most() <= MOST);
        let user = Account::user(1);
        let other = on_behalf(user, Share::default);
        assert_eq!((other.of(), Share::default().of()), (user, Account::ROOT));
    }

    #[test]
    fn a_user_has_half_and_all_users_leave_a_quarter() {
        let [a, b, c] = [1, 2, 3].map(Account::user);
        let mut used = Used::default();
        let short = |used: &mut Used, whose: &[Account]| {
            assert_eq!(std::mem::take(&mut used.short), whose.iter().copied().collect());
        };
        assert!(used.add(a, 500, 1000) && !used.add(a, 1, 1000));
        short(&mut used, &[a]);
        assert!(used.add(b, 240, 1000) && !used.add(c, 20, 1000));
        short(&mut used, &[a]);
        assert!(used.add(Account::ROOT, 260, 1000) && !used.add(Account::ROOT, 1, 1000));
        short(&mut used, &[Account::ROOT]);
        // A user with two accounts must not make dtrace forget everybody.
        assert!(!used.add(a, 1, 1000) && !used.add(b, 300, 1000));
        short(&mut used, &[a, b]);
        used.by.take(a, 500);
        assert!(used.add(c, 400, 1000) && !used.add(c, usize::MAX, 1000));
        assert_eq!(used.by.used(a), 0);
    }
}
