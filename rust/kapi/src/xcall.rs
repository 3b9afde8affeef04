// SPDX-License-Identifier: GPL-2.0
//! Cross calls: run code on a given CPU; wait for all CPUs.

use crate::context::{self, cpus, ProbeCtx};
use crate::lock::Lock;
use crate::sys;
use core::marker::PhantomData;
use kernel::bindings;
use kernel::error::to_result;
use kernel::ffi::{c_int, c_void};
use kernel::prelude::*;

/// No CPU comes online or goes offline as long as this exists.
pub(crate) struct Cpus(PhantomData<*mut ()>);

impl Cpus {
    pub(crate) fn hold() -> Self {
        // SAFETY: a task may always wait for this lock; none holds it twice, because no caller of
        // this module does.
        unsafe { bindings::cpus_read_lock() };
        Self(PhantomData)
    }
}

impl Drop for Cpus {
    fn drop(&mut self) {
        // SAFETY: `hold` took the lock in this task.
        unsafe { bindings::cpus_read_unlock() };
    }
}

/// Tells whether the CPU with this number is online. It may go offline at any time.
///
/// # Context
///
/// *any*
pub fn is_online(cpu: usize) -> bool {
    match u32::try_from(cpu) {
        Ok(cpu) => sys::kapi_cpu_online(cpu),
        Err(_) => false,
    }
}

/// Waits until every CPU has left every probe that it entered before this call.
///
/// Probes run with interrupts off, so an interrupt that each CPU has taken is enough. Returns
/// false, without waiting, if interrupts are off: the caller may be in such a probe.
///
/// # Context
///
/// *process*
pub fn sync() -> bool {
    sys::kapi_sync()
}

struct Call<F, R> {
    cpu: usize,
    f: Option<F>,
    result: Option<R>,
}

/// # Safety
///
/// `arg` is a `Call<F, R>` that its owner does not use meanwhile.
unsafe extern "C" fn there<F: FnOnce(&ProbeCtx) -> R, R>(arg: *mut c_void) {
    // SAFETY: by the caller.
    let call = unsafe { &mut *arg.cast::<Call<F, R>>() };
    if let Some(f) = call.f.take() {
        call.result = context::enter(f);
    }
}

/// Calls on behalf of an offline CPU, here.
///
/// # Safety
///
/// The call's CPU is offline and stays so, and no other code acts on its behalf.
unsafe fn instead<F: FnOnce(&ProbeCtx) -> R, R>(call: &mut Call<F, R>) {
    if let Some(f) = call.f.take() {
        let cpu = call.cpu;
        call.result = context::enter(|ctx| {
            // SAFETY: `cpu` enters no probe, and nobody else acts for it. The caller holds the
            // hotplug lock, so the CPU is off, not on its way up or down. It may still run from
            // `cpuhp_ap_report_dead` to its last `hlt`, but that code has no probe
            // (`patch/src/unready.rs`) and no tracepoint, and an NMI there turns back before it
            // reaches either. The caller excludes others who act for the CPU.
            unsafe { ctx.instead(cpu, f) }
        });
    }
}

/// Runs `f` on `cpu`, in probe context, and waits for its result.
///
/// For an offline CPU, `f` runs here with that CPU's memory, so its records are not lost. `ENXIO`:
/// there is no such CPU. `EBUSY`: the caller is in a probe.
///
/// # Context
///
/// *process*; `f` runs in *probe* context.
pub fn on_cpu<R: Send>(cpu: usize, f: impl FnOnce(&ProbeCtx) -> R + Send) -> Result<R> {
    fn run<F: FnOnce(&ProbeCtx) -> R, R>(call: &mut Call<F, R>) -> Result {
        let cpu = u32::try_from(call.cpu).map_err(|_| ENXIO)?;
        if !sys::kapi_cpu_possible(cpu) {
            return Err(ENXIO);
        }
        // In a probe, two CPUs that wait for each other would never end.
        if sys::kapi_irqs_are_off() {
            return Err(EBUSY);
        }
        let _cpus = Cpus::hold();
        if sys::kapi_cpu_online(cpu) {
            let arg: *mut Call<F, R> = call;
            // SAFETY: `there` accepts `arg`, a `Call<F, R>` that is lent to this function; it does
            // not run any more when this returns, because this waits.
            return to_result(unsafe {
                bindings::smp_call_function_single(
                    cpu as c_int,
                    Some(there::<F, R>),
                    arg.cast(),
                    // A `bool`; in 7.2 an `int`.
                    true.into(),
                )
            });
        }
        let _one = Lock::Offline.hold();
        // SAFETY: the CPU is offline, and stays so as long as `_cpus` exists; only a holder of the
        // lock acts for a CPU that is off.
        unsafe { instead(call) };
        Ok(())
    }
    let mut call = Call { cpu, f: Some(f), result: None };
    run(&mut call)?;
    call.result.ok_or(EBUSY)
}

/// Runs `f` on behalf of every CPU, one after the other, including offline ones.
///
/// # Context
///
/// *process*; `f` runs in *probe* context.
pub fn on_each(f: impl Fn(&ProbeCtx) + Sync) -> Result {
    for cpu in 0..cpus() {
        match on_cpu(cpu, &f) {
            Err(e) if e != ENXIO => return Err(e),
            _ => {}
        }
    }
    Ok(())
}

/// Runs `f` in a thread of the kernel, and waits until it has returned. That thread belongs to no
/// user's cgroup, so no limit of a cgroup makes it wait.
///
/// # Context
///
/// *process*, may sleep; `f` takes no lock that the caller holds.
pub fn aside<F: FnOnce() + Send>(f: F) {
    /// # Safety
    ///
    /// `arg` is an `Option<F>` that nobody else uses meanwhile.
    unsafe extern "C" fn run<F: FnOnce()>(arg: *mut c_void) {
        // SAFETY: by the caller.
        let f = unsafe { &mut *arg.cast::<Option<F>>() };
        if let Some(f) = f.take() {
            f();
        }
    }
    let mut f = Some(f);
    let arg: *mut Option<F> = &mut f;
    // SAFETY: `run` accepts `arg`, which lives until this returns, and is not used meanwhile;
    // another thread may call `f`, which is `Send`.
    unsafe { sys::kapi_aside(run::<F>, arg.cast()) };
}

/// Lets a millisecond pass, or two.
///
/// # Context
///
/// *process*, may sleep
pub fn pause() {
    // SAFETY: the caller may sleep.
    unsafe { bindings::usleep_range_state(1000, 2000, bindings::TASK_UNINTERRUPTIBLE) };
}

/// Lets other tasks run, if any wait for this CPU.
///
/// # Context
///
/// *process*, may sleep
pub fn breathe() {
    sys::kapi_breathe();
}
