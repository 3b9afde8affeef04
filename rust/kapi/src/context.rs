// SPDX-License-Identifier: GPL-2.0
//! Probe context, and the evidence for it.
//!
//! A probe may fire anywhere: with any lock held, in any interrupt, inside the allocator, and
//! inside what a probe itself calls. [`enter`] turns interrupts off and marks the CPU before
//! anything else happens, so that
//!
//! - whoever holds a [`ProbeCtx`] is alone on its CPU among all who hold one, and may use that
//!   CPU's memory freely;
//! - a probe that fires while one is being served here, by our own doing or from an NMI, is counted
//!   and dropped;
//! - to know that all who could have seen some memory are gone, it is enough that each CPU has
//!   taken an interrupt ([`crate::xcall::sync`]).

use crate::sys;
use core::marker::PhantomData;
use kernel::ffi::c_ulong;

/// Evidence: interrupts are off, and nobody else serves a probe in the name of this CPU.
///
/// # Invariants
///
/// At most one exists per CPU number; it neither leaves the function it was lent to nor the CPU
/// that function runs on. Code with interrupts on does not hold one.
pub struct ProbeCtx {
    cpu: usize,
    _here: PhantomData<*mut ()>,
}

impl ProbeCtx {
    /// The CPU whose memory its holder may use; below [`cpus`].
    pub fn cpu(&self) -> usize {
        self.cpu
    }

    /// # Safety
    ///
    /// Nobody can enter a probe on `cpu`, nor has another such context for it, as long as the
    /// result is used; and interrupts are off.
    pub(crate) unsafe fn of_idle_cpu(cpu: usize) -> Self {
        // INVARIANT: by the caller.
        Self { cpu, _here: PhantomData }
    }
}

/// Serves a probe: calls `f` in probe context. `None`: one is being served on this CPU already;
/// this one is counted.
///
/// # Context
///
/// *any*, NMI included; `f` runs in *probe* context.
#[inline]
pub fn enter<R>(f: impl FnOnce(&ProbeCtx) -> R) -> Option<R> {
    let mut flags: c_ulong = 0;
    // SAFETY: `flags` goes to `kapi_probe_leave` below: interrupts stay off in between, so on the
    // same CPU, and a panic in `f` does not unwind but stops the machine.
    let cpu = unsafe { sys::kapi_probe_enter(&mut flags) };
    if cpu < 0 {
        return None;
    }
    // INVARIANT: the CPU's busy word was clear and is set until `f` has returned. `f` cannot keep
    // the reference, for it has to accept one of any lifetime.
    let r = f(&ProbeCtx { cpu: cpu as usize, _here: PhantomData });
    // SAFETY: `flags` comes from the success above.
    unsafe { sys::kapi_probe_leave(flags) };
    Some(r)
}

/// How many probes were dropped because they fired inside a probe, on all CPUs.
pub fn nested() -> u64 {
    let on = |cpu| {
        if !sys::kapi_cpu_possible(cpu) {
            return 0;
        }
        // SAFETY: `cpu` is possible.
        unsafe { sys::kapi_probe_nested(cpu) }
    };
    (0..cpus() as u32).map(on).fold(0, u64::wrapping_add)
}

/// All CPU numbers are below this.
pub fn cpus() -> usize {
    // SAFETY: written at boot only.
    unsafe { kernel::bindings::nr_cpu_ids as usize }
}
