// SPDX-License-Identifier: GPL-2.0
//! How long we may still wait for the memory of processes while others wait for us. All waits
//! together take at most a second, and a tenth of the time that passes. Many processes that keep
//! their maps locked cost no more than one, and one user's processes cannot use up what is left for
//! those of other users. A wait that took longer than there was time is owed: later waits pay.

use crate::task::ROOT;
use crate::time;
use kernel::prelude::*;

/// The time for all waits, in ns.
const MOST: u64 = 1_000_000_000;
/// The time for waits for all users except root.
const MOST_OF_USERS: u64 = MOST / 4 * 3;
/// The time for waits for one user.
const MOST_OF_USER: u64 = MOST / 4;
/// The time after which all of it is there again, in ns.
const REFILL: u64 = 10 * MOST;
/// The time that a wait for a thread of ours (`errand.c`) must have, in ns. With less, an empty purse
/// would still pay for one thread after the other.
pub const LEAST: u64 = 50_000_000;
/// Users who have waited lately. All others share what users except root have.
const USERS: usize = 64;

/// Time for waits.
#[derive(Clone, Copy)]
struct Purse {
    most: u64,
    /// Less than 0: it is owed, at most as much as the purse can hold.
    left: i64,
    /// When `left` was set; 0: never.
    at: u64,
}

impl Purse {
    const fn new(most: u64) -> Self {
        Self { most, left: most as i64, at: 0 }
    }

    /// Returns what is left at `now`.
    fn left(&self, now: u64) -> i64 {
        // In µs, so that the product is no more than a `u64` has. After twice the time it is full,
        // whatever it owes.
        let passed = now.saturating_sub(self.at).min(2 * REFILL) / 1000;
        let more = passed * self.most / (REFILL / 1000);
        // CAST: `most` is at most a second.
        self.left.saturating_add(more as i64).min(self.most as i64)
    }

    /// Returns the rest; 0: nothing is left.
    fn take(&mut self, time: u64, now: u64) -> u64 {
        let left = self.left(now).saturating_sub(i64::try_from(time).unwrap_or(i64::MAX));
        let left = left.max(-(self.most as i64));
        *self = Self { left, at: now, ..*self };
        u64::try_from(left).unwrap_or(0)
    }
}

/// The time left for all waits, and for the waits of each user. Tests use it, so it is public.
pub struct Patience {
    all: Purse,
    users: Purse,
    each: [(u32, Purse); USERS],
}

impl Patience {
    /// Makes one of which nothing is used.
    pub const fn new() -> Self {
        Self {
            all: Purse::new(MOST),
            users: Purse::new(MOST_OF_USERS),
            each: [(ROOT, Purse::new(MOST_OF_USER)); USERS],
        }
    }

    /// Takes a time off what is left at `now` for waits for processes of this user
    /// ([`task::owner`](crate::task::owner)). Returns the rest. All times are in ns.
    pub fn take(&mut self, owner: u32, time: u64, now: u64) -> u64 {
        let all = self.all.take(time, now);
        if owner == ROOT {
            return all;
        }
        let rest = self.users.take(time, now).min(all);
        let unused = |p: &Purse| p.left(now) == p.most as i64;
        let find = |wanted: &dyn Fn(&(u32, Purse)) -> bool| self.each.iter().position(wanted);
        let place = find(&|(user, _)| *user == owner).or_else(|| find(&|(_, p)| unused(p)));
        match place.and_then(|at| self.each.get_mut(at)) {
            Some((user, purse)) => {
                *user = owner;
                purse.take(time, now).min(rest)
            }
            None => rest,
        }
    }
}

impl Default for Patience {
    fn default() -> Self {
        Self::new()
    }
}

kernel::sync::global_lock! {
    // SAFETY: `init` is called by `kapi::init`, before anything else of the module.
    unsafe(uninit) static PATIENCE: SpinLock<Patience> = Patience::new();
}

/// # Safety
///
/// Call it once, before [`take`].
pub(crate) unsafe fn init() {
    // SAFETY: by the caller.
    unsafe { PATIENCE.init() };
}

/// Takes the time from `since` (of [`time::monotonic_ns`]) to now off the patience with this user's
/// processes. Returns the rest, in ns.
///
/// # Context
///
/// *process*
pub(crate) fn take(owner: u32, since: u64) -> u64 {
    let now = time::monotonic_ns();
    PATIENCE.lock().take(owner, now.saturating_sub(since), now)
}

/// Returns how long a thread of ours may take for a process of this user, in ns. `None`: there is no
/// time for that now.
///
/// # Context
///
/// *process*
pub(crate) fn left_for_errand(owner: u32) -> Option<u64> {
    let left = PATIENCE.lock().take(owner, 0, time::monotonic_ns());
    (left >= LEAST).then_some(left)
}
