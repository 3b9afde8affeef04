// SPDX-License-Identifier: GPL-2.0
//! Patches that cannot be undone yet, because another tracer has patched over them, or because
//! there was no memory. The module must stay as long as a patched place leads to it, so it is held,
//! and `rmmod` says that it is in use. A work tries again each second.

use crate::lock::{Guarded, Lock};
use crate::modules;
use crate::sys;

/// The provider that has patched the place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Who {
    /// Functions.
    Fbt,
    /// Sites of drivers.
    Sdt,
}

/// Tries again; true: nothing is stuck any more.
pub type Again = extern "C" fn() -> bool;

/// The stuck places of a provider. They hold the module once as long as `again` is set.
struct Stuck {
    again: Option<Again>,
    /// More has become stuck since the last try.
    more: bool,
}

/// One for each [`Who`].
static ALL: Guarded<[Stuck; 2]> =
    Guarded::new(Lock::Stuck, [const { Stuck { again: None, more: false } }; 2]);

fn with<R>(who: Who, f: impl FnOnce(&mut Stuck) -> R) -> R {
    ALL.with(|[fbt, sdt]| {
        f(match who {
            Who::Fbt => fbt,
            Who::Sdt => sdt,
        })
    })
}

/// Keeps the module loaded because something is stuck (`rmmod` reports that it is in use). `again`
/// is called each second until it returns true: nothing is stuck any more. Pass the same `again`
/// each time. Returns false if the module is already being removed.
///
/// # Context
///
/// *process*, may sleep. `again` runs in *process* context without any lock, and may take those
/// under which this is called.
pub fn keep(who: Who, again: Again) -> bool {
    let kept = with(who, |stuck| {
        stuck.more = true;
        if stuck.again.is_none() && modules::hold_own() {
            stuck.again = Some(again);
        }
        stuck.again.is_some()
    });
    if kept {
        sys::kapi_stuck_later();
    }
    kept
}

#[no_mangle]
extern "C" fn kapi_stuck_retry() {
    let mut any = false;
    for who in [Who::Fbt, Who::Sdt] {
        let again = with(who, |stuck| {
            stuck.more = false;
            stuck.again
        });
        let Some(again) = again else { continue };
        // Not under the lock: it takes locks that callers of `keep` hold.
        let done = again();
        let done = with(who, |stuck| {
            let done = done && !stuck.more;
            if done {
                stuck.again = None;
            }
            done
        });
        if done {
            // SAFETY: `keep` has taken the reference. `quiesce` waits until we have returned.
            unsafe { modules::release_own() };
        }
        any |= !done;
    }
    if any {
        sys::kapi_stuck_later();
    }
}

/// Waits until no retry is in progress.
pub(crate) fn quiesce() {
    sys::kapi_stuck_end();
}
