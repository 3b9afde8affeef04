// SPDX-License-Identifier: GPL-2.0
//! The functions that livepatches have replaced. Callers of such a function run the livepatch's
//! function instead: the kernel diverts them at the function's ftrace site, so that nothing behind
//! it runs any more. ftrace alone cannot tell: a kprobe may hold a function in the same way as a
//! livepatch, and lets it run.

use crate::lock::KernelMutex;
use crate::mem;
use crate::symbols;
use crate::sys;
use core::ptr;
use kernel::alloc::KVVec;
use kernel::prelude::*;

/// Returns the addresses of the functions of the kernel and of modules that a livepatch has
/// replaced, in no order; an address may appear several times. `ENOMEM`: they are not known.
///
/// # Context
///
/// *process* or *notifier*; the caller may hold locks of this module, but none of the kernel that a
/// livepatch takes when it is enabled: those of ftrace, the text, CPUs, threads and sysfs.
pub fn replaced() -> Result<KVVec<u64>> {
    let Some(fns) = symbols::livepatch_fns() else { return Ok(KVVec::new()) };
    // A task that holds this mutex waits for none of our locks, which our caller may hold: livepatch
    // calls us under it only through ftrace, and `kapi_ftrace_share` takes no lock. The notifiers of
    // modules, in which we may be, are called after `klp_module_coming` and before
    // `klp_module_going`, not by them. (A livepatch whose callback registers a notifier of modules
    // would have to wait for ours; none is known.) Otherwise the task waits for the locks above, and
    // for a work on each CPU, and we hold up neither.
    // SAFETY: it is `klp_mutex` of `kernel/livepatch/core.c`: `symbols` takes no module's symbol of
    // that name for it. No caller holds it.
    let _held = unsafe { KernelMutex::hold(fns.mutex) };
    // SAFETY: as above, it is `klp_patches`, which the mutex guards; nothing is written.
    let n = unsafe { sys::kapi_replaced(fns.patches, ptr::null_mut(), 0) };
    if n == 0 {
        return Ok(KVVec::new());
    }
    let mut all = mem::filled(n, 0)?;
    // SAFETY: as above; `all` has `n` members.
    unsafe { sys::kapi_replaced(fns.patches, all.as_mut_ptr(), n) };
    Ok(all)
}
