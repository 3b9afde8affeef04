// SPDX-License-Identifier: GPL-2.0
//! Tells whether threads still run on a CPU, and whether user space can run at all. Interrupts may
//! continue for a long time on a CPU where no thread runs. The kernel freezes user space during a
//! suspend or a hibernation, which may be longer than a living process is silent.

use crate::context::ProbeCtx;
use crate::sys;
use core::sync::atomic::{AtomicU64, Ordering::Relaxed};

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

static AWAKE: AtomicU64 = AtomicU64::new(0);

/// Returns the time since which user space can run, in ns; `u64::MAX` while the kernel freezes it
/// for a suspend or a hibernation.
///
/// # Context
///
/// *any*
pub fn awake_since() -> u64 {
    AWAKE.load(Relaxed)
}

#[cfg(CONFIG_PM_SLEEP)]
mod power {
    use super::AWAKE;
    use crate::notifier::Notifier;
    use crate::time;
    use core::sync::atomic::{AtomicBool, Ordering::Relaxed};
    use kernel::bindings::{self, notifier_block};
    use kernel::ffi::{c_int, c_ulong, c_void};

    /// `PREPARE` comes before processes are frozen, `POST` after they have been thawed, also if the
    /// suspend fails.
    extern "C" fn changes(_: *mut notifier_block, event: c_ulong, _: *mut c_void) -> c_int {
        match event as u32 {
            bindings::PM_SUSPEND_PREPARE
            | bindings::PM_HIBERNATION_PREPARE
            | bindings::PM_RESTORE_PREPARE => AWAKE.store(u64::MAX, Relaxed),
            bindings::PM_POST_SUSPEND
            | bindings::PM_POST_HIBERNATION
            | bindings::PM_POST_RESTORE => AWAKE.store(time::monotonic_ns(), Relaxed),
            _ => {}
        }
        bindings::NOTIFY_DONE as c_int
    }

    static CHANGES: Notifier = Notifier::new(changes, 0);
    static TOLD: AtomicBool = AtomicBool::new(false);

    /// Without this, a long suspend ends the tracing. That is no reason to refuse to load.
    pub(super) fn watch() {
        // SAFETY: the notifier is static; `crate::init` calls this once.
        let err = unsafe { bindings::register_pm_notifier(CHANGES.get()) };
        TOLD.store(err == 0, Relaxed);
    }

    pub(super) fn unwatch() {
        if TOLD.swap(false, Relaxed) {
            // SAFETY: it was registered.
            unsafe { bindings::unregister_pm_notifier(CHANGES.get()) };
        }
    }
}

pub(crate) fn init() {
    sys::kapi_alive_init();
    #[cfg(CONFIG_PM_SLEEP)]
    power::watch();
}

/// Waits for the threads. Nobody calls [`ask`] any more.
pub(crate) fn quiesce() {
    #[cfg(CONFIG_PM_SLEEP)]
    power::unwatch();
    sys::kapi_alive_end();
}
