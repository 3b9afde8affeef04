// SPDX-License-Identifier: GPL-2.0
//! Probe context, and the evidence for it.
//!
//! A probe may fire anywhere: with any lock held, in any interrupt, inside the allocator, and
//! inside what a probe itself calls. [`enter`] turns interrupts off and marks the CPU before
//! anything else happens, so that
//!
//! - the holder of a [`ProbeCtx`] is the only one on its CPU, and may use that CPU's memory freely;
//! - a probe that fires while this CPU serves another one, because of our own code or in an NMI, is
//!   counted and dropped;
//! - once each CPU has taken an interrupt ([`crate::xcall::sync`]), no probe can still use memory
//!   that was unpublished before.

use crate::sys;
use core::arch::asm;
use core::marker::PhantomData;

/// Evidence that interrupts are off and that no other code serves a probe for this CPU.
///
/// It has no size: each use asks for the CPU, which is one load.
///
/// # Invariants
///
/// At most one exists per CPU number. It does not leave the function that borrows it, nor the CPU
/// on which that function runs. Code with interrupts on does not hold one.
pub struct ProbeCtx {
    _here: PhantomData<*mut ()>,
}

impl ProbeCtx {
    /// Returns the CPU whose memory the holder may use; it is below [`cpus`].
    #[inline(always)]
    pub fn cpu(&self) -> usize {
        let cpu;
        // SAFETY: loads a word of this CPU: the holder of a context stays on its CPU. Rust code can
        // name the word only in `asm`. No such `asm` is `pure`, so the compiler keeps their order.
        // They touch no other memory, so `nomem` holds.
        unsafe {
            asm!("mov {c}, gs:[rip + {v}]", c = out(reg) cpu, v = sym sys::kapi_probe_cpu,
                options(nostack, nomem, preserves_flags));
        }
        cpu
    }

    /// Runs `f` on behalf of another CPU. Meanwhile, `self` also names that CPU.
    ///
    /// # Safety
    ///
    /// Until `f` has returned, no code enters a probe on `cpu` or has another context for it.
    pub(crate) unsafe fn instead<R>(&self, cpu: usize, f: impl FnOnce(&ProbeCtx) -> R) -> R {
        let here = self.cpu();
        act_for(cpu);
        let r = f(self);
        act_for(here);
        r
    }
}

/// Changes the CPU that this CPU acts for. Interrupts are off.
fn act_for(cpu: usize) {
    // SAFETY: sets a word of this CPU that only the holder of its context reads; that is our
    // caller. Without `nomem`, accesses on behalf of one CPU stay before it, and those on behalf of
    // another behind.
    unsafe {
        asm!("mov gs:[rip + {v}], {c}", c = in(reg) cpu, v = sym sys::kapi_probe_cpu,
            options(nostack, preserves_flags));
    }
}

/// Prepares the state of each CPU.
pub(crate) fn init() {
    // SAFETY: `crate::init` calls this once, before there is a site that could lead to a probe.
    unsafe { sys::kapi_probe_init() };
}

/// Tells whether this kernel runs on the processor itself, or in a guest that seems to; a Xen PV
/// guest does not, and [`enter`] would not turn interrupts off there.
pub fn is_native() -> bool {
    !sys::kapi_is_xen_pv()
}

/// The flag that is set while interrupts are on.
const IF: u64 = 1 << 9;

/// Serves a probe: calls `f` in probe context. Returns `None`, and counts the probe as dropped, if
/// this CPU is already serving one.
///
/// The two steps of entering, interrupts off and the busy word set, are explained in
/// `helpers/context.c`.
///
/// # Context
///
/// *any*, NMI included; `f` runs in *probe* context.
#[inline(always)]
pub fn enter<R>(f: impl FnOnce(&ProbeCtx) -> R) -> Option<R> {
    let flags: u64;
    // SAFETY: saves the flags and turns interrupts off; `restore` gets the flags. The module does
    // not load where `cli` does not do this ([`is_native`]). It uses the stack, and the kernel's
    // code keeps nothing below the stack pointer (-mno-red-zone).
    unsafe { asm!("pushfq", "pop {f}", "cli", f = out(reg) flags) };
    let busy: u64;
    // SAFETY: loads a word of this CPU, because nothing can move us to another one any more. The
    // load does not happen before interrupts are off: `asm` that is not pure stays in order, and
    // `asm` without `nomem` stays in order with all loads and stores.
    unsafe {
        asm!("mov {b}, gs:[rip + {v}]", b = out(reg) busy, v = sym sys::kapi_probe_busy,
            options(nostack, preserves_flags));
    }
    if busy != 0 {
        drop_nested(flags);
        return None;
    }
    // SAFETY: sets a word of this CPU. The loads and stores of `f` come behind it, as above.
    unsafe {
        asm!("mov qword ptr gs:[rip + {v}], 1", v = sym sys::kapi_probe_busy,
            options(nostack, preserves_flags));
    }
    // INVARIANT: the CPU's busy word was clear and is set until `f` has returned. `f` cannot keep
    // the reference, because it must accept one of any lifetime. A panic in `f` does not unwind: it
    // is a `BUG()`, by which the kernel ends the task, or panics if it was in an interrupt. No code
    // of an ended task runs again, so its context is gone, and `kapi_oops` clears the word and counts
    // the death, by which all tracing ends.
    let r = f(&ProbeCtx { _here: PhantomData });
    // SAFETY: interrupts are still off, so this is the word that was set above.
    unsafe {
        asm!("mov qword ptr gs:[rip + {v}], 0", v = sym sys::kapi_probe_busy,
            options(nostack, preserves_flags));
    }
    restore(flags);
    Some(r)
}

/// Restores the interrupt state from before `enter`.
#[inline(always)]
fn restore(flags: u64) {
    if flags & IF != 0 {
        // SAFETY: interrupts were on before `enter` turned them off.
        unsafe { asm!("sti", options(nostack)) };
    }
}

/// Counts a probe that fired while one was being served.
#[cold]
#[inline(never)]
fn drop_nested(flags: u64) {
    // SAFETY: interrupts are off, because only `enter` calls this.
    unsafe { sys::kapi_probe_count_dropped() };
    restore(flags);
}

/// Returns how many firings have died by an error in this module, since it was loaded.
///
/// # Context
///
/// *any*
pub fn deaths() -> u64 {
    sys::kapi_probe_deaths() as u64
}

/// Returns how many probes were dropped on all CPUs because they fired inside a probe.
pub fn nested() -> u64 {
    let on = |cpu| {
        if !sys::kapi_cpu_possible(cpu) {
            return 0;
        }
        // SAFETY: `cpu` is possible, by the check above.
        unsafe { sys::kapi_probe_nested(cpu) }
    };
    (0..cpus() as u32).map(on).fold(0, u64::wrapping_add)
}

/// Returns a number that is larger than all CPU numbers.
pub fn cpus() -> usize {
    // SAFETY: the kernel writes it at boot only.
    unsafe { kernel::bindings::nr_cpu_ids as usize }
}
