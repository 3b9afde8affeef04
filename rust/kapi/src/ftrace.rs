// SPDX-License-Identifier: GPL-2.0
//! Patches the entries of functions through ftrace: the compiler's nop becomes a call of [the entry
//! handler's](crate::trampoline::set_entry_handler) trampoline. Nothing is cheaper, and it does not
//! affect the kernel's own tracers, kprobes and BPF programs on other functions.
//!
//! Functions to which a BPF program is already attached in this way, or which a livepatch has
//! replaced, are refused one by one. While a function is attached here, the kernel refuses both on
//! it.

use crate::lock::Lock;
use crate::mem;
use crate::sites::{self, Refused};
use crate::symbols;
use crate::sys::{self, FtraceFns};
use kernel::bindings;
use kernel::ffi::c_int;
use kernel::prelude::*;

/// Returns the site of the function that begins at `addr`, or the site at `addr`.
///
/// # Context
///
/// *process*
pub fn location(addr: u64) -> Option<u64> {
    let fns = symbols::ftrace_fns()?;
    // SAFETY: `fns` comes from `symbols`, which checks its functions; `ftrace_location` takes any
    // address.
    let at = unsafe { sys::kapi_ftrace_location(fns, addr) };
    (at != 0).then_some(at)
}

/// How often a batch is sorted out again because another tracer has interfered.
const TRIES: usize = 4;

/// Room for functions of a batch that turn out to be replaced.
const SHARED: usize = 256;

/// How many sites are detached at a time if there is no memory.
const FEW: usize = 64;

/// A batch in progress.
struct Batch<'a> {
    fns: &'static FtraceFns,
    sites: &'a [u64],
    /// For each site 0, or the errno of its obstacle.
    whys: &'a mut [u8],
    /// Room for the sites whose `why` is 0.
    rest: &'a mut [u64],
}

impl Batch<'_> {
    /// Determines which sites can be added or removed.
    fn sort_out(&mut self, on: bool) {
        let n = self.sites.len().min(self.whys.len());
        let (sites, whys) = (self.sites.as_ptr(), self.whys.as_mut_ptr());
        // SAFETY: `fns` comes from `symbols`; `sites` and `whys` have at least `n` members.
        unsafe { sys::kapi_ftrace_sort_out(self.fns, sites, n, on, whys) };
    }

    /// Adds or removes the other sites. The lock is held.
    fn update(&mut self, on: bool) -> c_int {
        let wanted = self.sites.iter().zip(self.whys.iter()).filter(|(_, why)| **why == 0);
        let mut n: usize = 0;
        for ((site, _), to) in wanted.zip(self.rest.iter_mut()) {
            *to = *site;
            n = n.wrapping_add(1);
        }
        // SAFETY: `fns` comes from `symbols`; `rest` has at least `n` members, which the loop above
        // filled; the callers hold the lock.
        unsafe { sys::kapi_ftrace_update(self.fns, self.rest.as_mut_ptr(), n, on) }
    }

    fn remove(mut self) -> Result {
        self.sort_out(false);
        match self.update(false) {
            0 => Ok(()),
            err => Err(Error::from_errno(err)),
        }
    }

    fn refuse_rest(&mut self, why: Refused) {
        self.whys.iter_mut().filter(|w| **w == 0).for_each(|w| *w = why.errno());
    }
}

/// Attaches the sites, which are [locations](location). Calls `refused` with the index of each that
/// cannot be attached. A site that is already attached is no error.
///
/// Any address is sound: ftrace refuses an address that is not a site, and a site is made for calls
/// of any tracer. A call needs no more of the CPU than the function does.
///
/// # Context
///
/// *process* or *notifier*
pub fn attach(sites: &[u64], refused: &mut dyn FnMut(usize, Refused)) {
    if sites.is_empty() {
        return;
    }
    let mut all = |why| (0..sites.len()).for_each(|i| refused(i, why));
    let Some(fns) = symbols::ftrace_fns() else { return all(Refused::Unsupported) };
    let (Ok(mut whys), Ok(mut rest), Ok(())) =
        (mem::zeroed_bytes(sites.len()), mem::zeroed_words(sites.len()), mem::ask())
    else {
        return all(Refused::Memory);
    };
    let mut batch = Batch { fns, sites, whys: &mut whys, rest: &mut rest };
    let _held = Lock::Ftrace.hold();
    sites::expect();
    let mut err = 0;
    for _ in 0..TRIES {
        batch.sort_out(true);
        err = batch.update(true);
        if err != -(bindings::EBUSY as c_int) {
            break;
        }
    }
    match u32::try_from(-err) {
        Ok(0) => let_go_of_shared(&mut batch),
        Ok(bindings::ENOMEM) => batch.refuse_rest(Refused::Memory),
        Ok(bindings::EOPNOTSUPP | bindings::ENODEV) => batch.refuse_rest(Refused::Unsupported),
        _ => batch.refuse_rest(Refused::Busy),
    }
    for (i, why) in batch.whys.iter().enumerate() {
        match u32::from(*why) {
            bindings::EALREADY => {}
            _ => {
                if let Some(why) = Refused::of(*why) {
                    refused(i, why);
                }
            }
        }
    }
}

/// Detaches and refuses the functions that turn out to be replaced.
fn let_go_of_shared(batch: &mut Batch<'_>) {
    let mut shared = [0; SHARED];
    // SAFETY: `shared` has as many members as its length says.
    let n = unsafe { sys::kapi_ftrace_shared(shared.as_mut_ptr(), shared.len()) };
    let Some(shared) = shared.get(..n).filter(|s| !s.is_empty()) else { return };
    if detach_held(batch.fns, shared).is_err() {
        return;
    }
    for (why, _) in batch.whys.iter_mut().zip(batch.sites).filter(|(_, s)| shared.contains(s)) {
        *why = Refused::Busy.errno();
    }
}

/// Detaches the sites. A site that is not attached is no error. `ENOMEM`: the kernel had no memory
/// for it, and some sites stay attached; [`crate::quiesce`] needs no memory.
///
/// # Context
///
/// *process* or *notifier*
pub fn detach(sites: &[u64]) -> Result {
    let Some(fns) = symbols::ftrace_fns() else { return Ok(()) };
    let _held = Lock::Ftrace.hold();
    detach_held(fns, sites)
}

fn detach_held(fns: &'static FtraceFns, sites: &[u64]) -> Result {
    if sites.is_empty() || !sys::kapi_ftrace_attached() {
        return Ok(());
    }
    let (whys, rest) = (mem::zeroed_bytes(sites.len()), mem::zeroed_words(sites.len()));
    if let (Ok(mut whys), Ok(mut rest)) = (whys, rest) {
        return Batch { fns, sites, whys: &mut whys, rest: &mut rest }.remove();
    }
    // Our own lack of memory must not leave our calls in place.
    sites.chunks(FEW).try_for_each(|sites| {
        Batch { fns, sites, whys: &mut [0; FEW], rest: &mut [0; FEW] }.remove()
    })
}

/// Detaches all attached sites.
pub(crate) fn detach_all() {
    let _held = Lock::Ftrace.hold();
    let err = sys::kapi_ftrace_detach_all();
    if err != 0 {
        pr_err!("ftrace keeps what was attached: errno {err}\n");
    }
}
