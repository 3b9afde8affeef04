// SPDX-License-Identifier: GPL-2.0
//! Patches that cannot be undone yet, because another tracer has patched over them, or because
//! there was no memory. The module must stay as long as a patched place leads to it.

use crate::sys;

/// The provider that has patched the place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum Who {
    /// Functions.
    Fbt = 0,
    /// Sites of drivers.
    Sdt = 1,
}

/// Keeps the module loaded because something is stuck (`rmmod` reports that it is in use). `again`
/// is called each second until it returns true: nothing is stuck any more. Pass the same `again`
/// each time. Returns false if the module is already being removed.
///
/// # Context
///
/// *process*, may sleep. `again` runs in *process* context without any lock, and may take those
/// under which this is called.
pub fn keep(who: Who, again: extern "C" fn() -> bool) -> bool {
    // SAFETY: `stuck.c` has a place for each value of `Who`, and `again` can be called as long as
    // the module is loaded.
    unsafe { sys::kapi_stuck_keep(who as u32, again) }
}

/// Waits until no retry is in progress.
pub(crate) fn quiesce() {
    sys::kapi_stuck_end();
}
