// SPDX-License-Identifier: GPL-2.0
//! Whether threads still come to run on a CPU. Interrupts may go on for long where they do not.

use crate::context::ProbeCtx;
use crate::sys;

/// Has this CPU run a thread as soon as it can, before nearly all others: it notes when it does.
///
/// # Context
///
/// *any* with interrupts off, but neither *probe* nor NMI.
pub fn ask() {
    sys::kapi_alive_ask();
}

/// When such a thread last ran on this CPU, ns.
///
/// # Context
///
/// *probe*
pub fn answered(_: &ProbeCtx) -> u64 {
    sys::kapi_alive_answered()
}

/// Returns the time since which user space can run, ns; `u64::MAX` while the kernel freezes it for a suspend or a
/// hibernation.
///
/// # Context
///
/// *any*
pub fn awake_since() -> u64 {
    sys::kapi_alive_awake()
}
