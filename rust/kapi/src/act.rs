// SPDX-License-Identifier: GPL-2.0
//! What a probe may do to a process, or to the machine, on purpose.

use crate::context::ProbeCtx;
use crate::{sys, time};
use core::hint;
use kernel::bindings;

/// Sends a signal to the current process, as soon as interrupts are on; to nobody if a thread of the
/// kernel's or the first process runs, or there is no such signal. False: it is lost, for too many
/// wait on this CPU.
///
/// # Context
///
/// *probe*
pub fn signal(_: &ProbeCtx, signal: i32) -> bool {
    // SAFETY: in probe context by the evidence.
    unsafe { sys::kapi_signal(signal) >= 0 }
}

/// The signal that stops a process.
pub const STOP: i32 = bindings::SIGSTOP as i32;

/// Spends so many nanoseconds.
///
/// # Context
///
/// *probe*; whoever waits for this CPU waits as long.
pub fn chill(_: &ProbeCtx, ns: u64) {
    let from = time::monotonic_ns();
    while time::monotonic_ns().wrapping_sub(from) < ns {
        hint::spin_loop();
    }
}

/// Stops the machine.
///
/// # Context
///
/// *any*
pub fn panic(_: &ProbeCtx) -> ! {
    // SAFETY: a format without conversions.
    unsafe { bindings::panic(c"dtrace: a D program called panic()".as_ptr().cast()) }
}

/// Waits until the signals that probes have sent are under way; none fires any more.
///
/// # Context
///
/// *process*
pub(crate) fn quiesce() {
    sys::kapi_signals_quiesce();
}
