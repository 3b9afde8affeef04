// SPDX-License-Identifier: GPL-2.0
//! How long we may still wait for the memory maps of processes while others wait for us. All waits
//! together take at most a second, and a tenth of the time that passes. Many processes that keep
//! their maps locked cost no more than one, and one user's processes cannot use up what is left for
//! those of other users.

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
/// Users who have waited lately. All others share what users except root have.
const USERS: usize = 64;

/// Time for waits.
#[derive(Clone, Copy)]
struct Purse {
    most: u64,
    left: u64,
    /// When `left` was set; 0: never.
    at: u64,
}

impl Purse {
    const fn new(most: u64) -> Self {
        Self { most, left: most, at: 0 }
    }

    /// Returns what is left at `now`.
    fn left(&self, now: u64) -> u64 {
        let more = now.saturating_sub(self.at).min(REFILL) * self.most / REFILL;
        self.left.saturating_add(more).min(self.most)
    }

    fn take(&mut self, time: u64, now: u64) -> u64 {
        *self = Self { left: self.left(now).saturating_sub(time), at: now, ..*self };
        self.left
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
        let unused = |p: &Purse| p.left(now) == p.most;
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
