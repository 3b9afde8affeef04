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
use crate::modules;
use crate::sites::{self, Refused};
use crate::sort;
use crate::symbols;
use crate::sys::{self, FtraceFns};
use crate::xcall;
use core::sync::atomic::{AtomicBool, Ordering::Relaxed};
use kernel::bindings;
use kernel::error::to_result;
use kernel::ffi::{c_int, c_ulong};
use kernel::prelude::*;

/// Returns the site of the function that begins at `addr`, or the site at `addr`.
///
/// # Context
///
/// *process*
pub fn location(addr: u64) -> Option<u64> {
    let at = symbols::ftrace_fns()?.location(addr);
    (at != 0).then_some(at)
}

impl FtraceFns {
    /// Returns the site of the function that begins at `addr`, or the site at `addr`; 0: there is
    /// none.
    fn location(&self, addr: u64) -> u64 {
        // SAFETY: `self` comes from `symbols`; `ftrace_location` takes any address.
        unsafe { sys::kapi_call4(self.location, addr as c_ulong, 0, 0, 0) as u64 }
    }

    /// Returns the target of the direct call at a site; 0: there is none.
    fn direct(&self, site: u64) -> u64 {
        // SAFETY: `self` comes from `symbols`; `ftrace_find_rec_direct` takes any address.
        unsafe { sys::kapi_call4(self.find_direct, site as c_ulong, 0, 0, 0) as u64 }
    }

    /// Tells whether ftrace has switched itself off after a failure of its own. That is for good.
    ///
    /// `ftrace_enabled` does not tell: the sysctl of that name stores any number there, and takes a
    /// 0 back under a lock that we cannot hold. Its 0 cannot take effect while a site is attached,
    /// and makes ftrace refuse the first site.
    fn is_dead(&self) -> bool {
        // SAFETY: `self` comes from `symbols`; `ftrace_is_dead` only reads. It returns an `int`.
        self.is_dead != 0 && unsafe { sys::kapi_call4(self.is_dead, 0, 0, 0, 0) } as c_int != 0
    }
}

/// A `struct ftrace_hash` of sites that call our trampoline.
struct Hash {
    fns: &'static FtraceFns,
    at: c_ulong,
}

impl Hash {
    /// Makes a hash for `n` sites.
    fn new(fns: &'static FtraceFns, n: usize) -> Option<Self> {
        let bits = n.checked_ilog2()?.clamp(1, 12);
        // SAFETY: `fns` comes from `symbols`; `alloc_ftrace_hash` takes up to 12 bits.
        let at = unsafe { sys::kapi_call4(fns.hash_alloc, bits as c_ulong, 0, 0, 0) };
        (at != 0).then_some(Self { fns, at: at as c_ulong })
    }

    /// Adds a site; false: there is no memory.
    fn add(&mut self, site: u64) -> bool {
        let (site, ours) = (site as c_ulong, trampoline() as c_ulong);
        // SAFETY: `fns` comes from `symbols`, and the hash exists.
        unsafe { sys::kapi_call4(self.fns.hash_add, self.at, site, ours, 0) != 0 }
    }
}

impl Drop for Hash {
    fn drop(&mut self) {
        // SAFETY: `fns` comes from `symbols`, and the hash is not used any more.
        unsafe { sys::kapi_call4(self.fns.hash_free, self.at, 0, 0, 0) };
    }
}

fn trampoline() -> u64 {
    sys::kapi_entry_trampoline as *const () as u64
}

/// How often a batch is sorted out again because another tracer has interfered.
const TRIES: usize = 4;

/// The kernel side's room for functions of an update that turn out to be replaced.
const SHARED: usize = 256;

/// How many sites are detached at a time if there is no memory.
const FEW: usize = 64;

/// Tells that ftrace has switched itself off while sites were attached, or in a change of ours.
/// Nobody knows which calls it has left in the text, and it forgets that there are any, so the
/// module stays for good.
static DEAD: AtomicBool = AtomicBool::new(false);

/// The verdict on a site of a batch.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Verdict {
    /// It is to be added or removed.
    Change,
    /// It already is.
    Done,
    Refused(Refused),
}

/// Returns the result of a function of the kernel that has failed.
const fn failure(errno: u32) -> c_int {
    -(errno as c_int)
}

/// A batch in progress.
struct Batch<'a> {
    fns: &'static FtraceFns,
    sites: &'a [u64],
    verdicts: &'a mut [Verdict],
    /// Room for the sites that are to be changed.
    rest: &'a mut [u64],
}

impl Batch<'_> {
    /// Determines which sites can be added or removed, or already are. Obstacles that are known
    /// already stay.
    fn sort_out(&mut self, on: bool) {
        for (site, verdict) in self.sites.iter().zip(self.verdicts.iter_mut()) {
            if *verdict != Verdict::Change {
                continue;
            }
            if on && (*site == 0 || self.fns.location(*site) != *site) {
                *verdict = Verdict::Refused(Refused::NotText);
                continue;
            }
            let direct = self.fns.direct(*site);
            if (direct == trampoline()) == on {
                *verdict = Verdict::Done;
            } else if on && direct != 0 {
                *verdict = Verdict::Refused(Refused::Busy);
            }
            xcall::breathe();
        }
    }

    /// Adds or removes all other sites, or none. `EBUSY`: [`Self::sort_out`] did not see them, or
    /// things have changed. The lock is held.
    fn update(&mut self, on: bool) -> c_int {
        let all = self.sites.iter().zip(self.verdicts.iter());
        let wanted = all.filter(|(_, verdict)| **verdict == Verdict::Change);
        let mut n: usize = 0;
        for ((site, _), to) in wanted.zip(self.rest.iter_mut()) {
            *to = *site;
            n = n.wrapping_add(1);
        }
        sys::kapi_ftrace_share_none();
        if n == 0 {
            return 0;
        }
        // After a failure of its own, ftrace changes no text any more, but says so only when the
        // last site goes. Until the machine restarts, all calls stay, and so must the trampoline.
        let err = match self.fns.is_dead() {
            true => failure(bindings::ENODEV),
            false => self.change(on, n),
        };
        if !self.fns.is_dead() || err != 0 && !sys::kapi_ftrace_attached() {
            return err;
        }
        if !DEAD.swap(true, Relaxed) {
            modules::hold_own();
            pr_err!("ftrace has failed; dtrace.ko cannot be removed any more\n");
        }
        failure(bindings::ENODEV)
    }

    /// Adds or removes the first `n` sites of `rest`, as [`Self::update`] does.
    fn change(&mut self, on: bool, n: usize) -> c_int {
        let rest = self.rest.get_mut(..n).unwrap_or_default();
        if on && !sys::kapi_ftrace_attached() {
            // SAFETY: the callers hold the lock; `rest` has `n` members.
            return unsafe { sys::kapi_ftrace_first(rest.as_mut_ptr(), n) };
        }
        let Some(mut hash) = Hash::new(self.fns, n) else { return failure(bindings::ENOMEM) };
        sort::heap(rest, &|site| *site);
        // A site that is added twice can be removed only once.
        let mut last = None;
        for site in rest.iter() {
            if last.replace(*site) != Some(*site) && !hash.add(*site) {
                return failure(bindings::ENOMEM);
            }
        }
        let update = if on { self.fns.add } else { self.fns.del };
        // SAFETY: the callers hold the lock; `fns` comes from `symbols`, and the hash exists.
        unsafe { sys::kapi_ftrace_change(update, hash.at) }
    }

    /// Adds all sites that can be added. The lock is held.
    fn add(&mut self) -> c_int {
        let mut tries = TRIES;
        loop {
            self.sort_out(true);
            let err = self.update(true);
            // Another tracer has got one of the places since `sort_out`: EBUSY from the first call
            // of ftrace, EINVAL from later ones.
            if ![bindings::EBUSY, bindings::EINVAL].map(failure).contains(&err) {
                return err;
            }
            // Or there was no room for all that are replaced. Each such round refuses some.
            let n = self.shared();
            if n == SHARED && self.refuse(n) {
                continue;
            }
            tries = tries.saturating_sub(1);
            if tries == 0 {
                return err;
            }
        }
    }

    /// Puts the functions of the last update that turned out to be replaced into `rest`, and
    /// returns their number. The lock is held.
    fn shared(&mut self) -> usize {
        // SAFETY: `rest` has as many members as its length says.
        unsafe { sys::kapi_ftrace_shared(self.rest.as_mut_ptr(), self.rest.len()) }
    }

    /// Refuses the first `n` sites of `rest`. Returns true if some of them were to be changed.
    fn refuse(&mut self, n: usize) -> bool {
        let sites = self.rest.get(..n).unwrap_or(&[]);
        let mut some = false;
        let all = self.verdicts.iter_mut().zip(self.sites);
        for (verdict, _) in all.filter(|(_, site)| sites.contains(site)) {
            some |= *verdict == Verdict::Change;
            *verdict = Verdict::Refused(Refused::Busy);
        }
        some
    }

    /// Detaches and refuses the functions that turned out to be replaced. The lock is held.
    fn let_go_of_shared(&mut self) {
        let n = self.shared();
        let shared = self.rest.get(..n).unwrap_or(&[]);
        if !shared.is_empty() && detach_held(self.fns, shared).is_ok() {
            self.refuse(n);
        }
    }

    fn remove(mut self) -> Result {
        self.sort_out(false);
        match self.update(false) {
            0 => Ok(()),
            err => Err(Error::from_errno(err)),
        }
    }

    fn refuse_rest(&mut self, why: Refused) {
        let rest = self.verdicts.iter_mut().filter(|verdict| **verdict == Verdict::Change);
        rest.for_each(|verdict| *verdict = Verdict::Refused(why));
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
    let (Ok(mut verdicts), Ok(mut rest), Ok(())) =
        (mem::filled(sites.len(), Verdict::Change), mem::filled(sites.len(), 0), mem::ask())
    else {
        return all(Refused::Memory);
    };
    let mut batch = Batch { fns, sites, verdicts: &mut verdicts, rest: &mut rest };
    let _held = Lock::Ftrace.hold();
    sites::expect();
    let err = batch.add();
    match u32::try_from(-err) {
        Ok(0) => batch.let_go_of_shared(),
        Ok(bindings::ENOMEM) => batch.refuse_rest(Refused::Memory),
        Ok(bindings::EOPNOTSUPP | bindings::ENODEV) => batch.refuse_rest(Refused::Unsupported),
        _ => batch.refuse_rest(Refused::Busy),
    }
    for (i, verdict) in batch.verdicts.iter().enumerate() {
        if let Verdict::Refused(why) = verdict {
            refused(i, *why);
        }
    }
}

/// Detaches the sites. A site that is not attached is no error. `ENOMEM`: the kernel had no memory
/// for it, and some sites stay attached; [`detach_all`] needs no memory. `ENODEV`: ftrace has
/// switched itself off, and they stay for good.
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
    if DEAD.load(Relaxed) {
        return Err(ENODEV);
    }
    if sites.is_empty() || !sys::kapi_ftrace_attached() {
        return Ok(());
    }
    let room = mem::filled(sites.len(), Verdict::Change);
    let rest = mem::filled(sites.len(), 0);
    if let (Ok(mut verdicts), Ok(mut rest)) = (room, rest) {
        return Batch { fns, sites, verdicts: &mut verdicts, rest: &mut rest }.remove();
    }
    // Our own lack of memory must not leave our calls in place.
    sites.chunks(FEW).try_for_each(|sites| {
        let verdicts = &mut [Verdict::Change; FEW];
        Batch { fns, sites, verdicts, rest: &mut [0; FEW] }.remove()
    })
}

/// Detaches all attached sites, which needs no memory. `ENODEV`: as [`detach`].
///
/// # Context
///
/// *process* or *notifier*
pub fn detach_all() -> Result {
    let _held = Lock::Ftrace.hold();
    let err = match DEAD.load(Relaxed) {
        true => failure(bindings::ENODEV),
        false => sys::kapi_ftrace_detach_all(),
    };
    if err != 0 {
        pr_err!("ftrace keeps what was attached: errno {err}\n");
    }
    to_result(err)
}
