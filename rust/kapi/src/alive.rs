// SPDX-License-Identifier: GPL-2.0
//! Tells whether threads still run on a CPU. Interrupts may continue for a long time on a CPU where
//! no thread runs.

use crate::context::ProbeCtx;
use crate::sys;

/// Makes this CPU run a thread of high priority as soon as it can; the thread notes the time.
///
/// # Context
///
/// *any* with interrupts off, but neither *probe* nor NMI.
pub fn ask() {
    sys::kapi_alive_ask();
}

/// Returns the time when that thread last ran on this CPU, in ns.
///
/// # Context
///
/// *probe*
pub fn answered(_: &ProbeCtx) -> u64 {
    sys::kapi_alive_answered()
}

/// Returns the time since which user space can run, in ns; `u64::MAX` while the kernel freezes it
/// for a suspend or a hibernation.
///
/// # Context
///
/// *any*
pub fn awake_since() -> u64 {
    sys::kapi_alive_awake()
}
