// SPDX-License-Identifier: GPL-2.0
//! How long we may still wait for the memory maps of all processes together while others wait for
//! us: at most a second, and a tenth of the time that passes. Many processes that keep their maps
//! locked cost no more than one.

use crate::time;
use kernel::prelude::*;

const MOST: u64 = 1_000_000_000;

struct Patience {
    left: u64,
    /// When `left` was set; 0: never.
    at: u64,
}

kernel::sync::global_lock! {
    // SAFETY: `init` is called by `kapi::init`, before anything else of the module.
    unsafe(uninit) static PATIENCE: SpinLock<Patience> = Patience { left: MOST, at: 0 };
}

/// # Safety
///
/// Call it once, before any other function of this file.
pub(crate) unsafe fn init() {
    // SAFETY: by the caller.
    unsafe { PATIENCE.init() };
}

/// Takes the time from `since` (of [`time::monotonic_ns`]) to now off the patience. Returns the rest, in ns.
///
/// # Context
///
/// *process*
pub(crate) fn take(since: u64) -> u64 {
    let now = time::monotonic_ns();
    let mut patience = PATIENCE.lock();
    if patience.at != 0 {
        let more = now.saturating_sub(patience.at) / 10;
        patience.left = patience.left.saturating_add(more).min(MOST);
    }
    patience.at = now;
    patience.left = patience.left.saturating_sub(now.saturating_sub(since));
    patience.left
}
