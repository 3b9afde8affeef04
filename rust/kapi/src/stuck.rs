// SPDX-License-Identifier: GPL-2.0
//! What was patched and cannot be taken back yet: because another tracer has put something over it, or
//! because there was no memory. The module must stay as long as a place leads to it.

use crate::sys;

/// Who has patched it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum Who {
    /// Functions.
    Fbt = 0,
    /// Sites of drivers.
    Sdt = 1,
}

/// Something is stuck. The module cannot be removed (`rmmod` says that it is in use) until `again`, which
/// is called each second, says that nothing is stuck any more; the same `again` each time. False: it is
/// being removed already.
///
/// # Context
///
/// *process*, may sleep. `again` runs in *process* context without any lock, and may take those under which
/// this is called.
pub fn keep(who: Who, again: extern "C" fn() -> bool) -> bool {
    // SAFETY: there is a place for each of `Who`, and `again` can be called as long as the module is there.
    unsafe { sys::kapi_stuck_keep(who as u32, again) }
}

/// Waits until nobody tries any more.
pub(crate) fn quiesce() {
    sys::kapi_stuck_end();
}
