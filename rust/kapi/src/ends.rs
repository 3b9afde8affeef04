// SPDX-License-Identifier: GPL-2.0
//! Threads that have ended.
//!
//! The kernel tells when nothing can run in a thread's name any more, just before its number may be
//! given to another one. It may be any CPU that is told.

use crate::context::{self, ProbeCtx};
use crate::once::Once;
use crate::sys;
use crate::task;
use kernel::error::to_result;
use kernel::prelude::*;

/// A thread that has ended.
pub struct Ended {
    task: u64,
    start: u64,
}

impl Ended {
    /// What [`task::thread_key`] was in the thread, and in interrupts over it.
    pub fn keys(&self) -> [u64; 4] {
        [0, 1, 2, 3].map(|over| task::key_of(self.task, self.start, over))
    }
}

/// What is told. Runs in *probe* context.
pub type Watcher = fn(&ProbeCtx, &Ended);

static WATCHER: Once<Watcher> = Once::new();

extern "C" fn on_end(task: u64, start: u64) {
    let Some(watcher) = WATCHER.as_ref() else { return };
    context::enter(|ctx| watcher(ctx, &Ended { task, start }));
}

/// Has `f` told of every thread that ends from now on; the same `f` each time. `ENODEV`: this kernel
/// does not tell.
///
/// # Context
///
/// *process*
pub fn watch(f: Watcher) -> Result {
    WATCHER.populate(f);
    to_result(sys::kapi_ends_watch(on_end))
}

/// Ends that; one that ends now may still be told of.
///
/// # Context
///
/// *process*
pub fn unwatch() {
    sys::kapi_ends_unwatch();
}

/// After [`unwatch`]: waits until nobody is in `f`.
pub(crate) fn quiesce() {
    sys::kapi_ends_quiesce();
}
