// SPDX-License-Identifier: GPL-2.0
//! The destructive actions, by which a probe changes a process or the machine on purpose.

use crate::context::ProbeCtx;
use crate::{sys, time};
use core::hint;
use kernel::bindings;
use kernel::ffi::c_int;

/// Sends a signal to the current process, as soon as interrupts are on. Sends none to a kernel
/// thread or the first process, or if there is no such signal. Returns false if the signal is lost,
/// because too many wait on this CPU, or because the CPU is about to go offline.
///
/// # Context
///
/// *probe*
pub fn signal(_: &ProbeCtx, signal: i32) -> bool {
    // SAFETY: the `ProbeCtx` proves probe context.
    unsafe { sys::kapi_signal(signal) >= 0 }
}

/// The signal that stops a process.
pub const STOP: i32 = bindings::SIGSTOP as i32;

/// Spends `ns` nanoseconds. All callers together may spend at most half a second in each interval of
/// a CPU. Returns false, and spends no time, if it would be more.
///
/// # Context
///
/// *probe*; threads that wait for this CPU wait as long.
pub fn chill(_: &ProbeCtx, ns: u64) -> bool {
    let from = time::monotonic_ns();
    if !sys::kapi_keep(from, ns) {
        return false;
    }
    while time::monotonic_ns().wrapping_sub(from) < ns {
        hint::spin_loop();
    }
    true
}

/// Stops the machine with a message that names the probe, and the name and id of the process.
///
/// # Context
///
/// *any*
pub fn panic(_: &ProbeCtx, probe: [&[u8]; 4], comm: &[u8; 16], pid: i32) -> ! {
    let text = c"dtrace: panic() at probe %.*s:%.*s:%.*s:%.*s, in a program of %.16s, process %d";
    let [(p, a), (m, b), (f, c), (n, d)] = probe.map(|part| (part.len() as c_int, part.as_ptr()));
    // SAFETY: each part of the probe has its length before it, and the format reads at most 16
    // bytes of `comm`.
    unsafe { bindings::panic(text.as_ptr().cast(), p, a, m, b, f, c, n, d, comm.as_ptr(), pid) }
}

/// Waits until the signals that probes have sent are delivered. No probe may fire any more.
///
/// # Context
///
/// *process*
pub(crate) fn quiesce() {
    sys::kapi_signals_quiesce();
}
