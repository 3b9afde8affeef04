// SPDX-License-Identifier: GPL-2.0
//! Probes whose names contain a number. Each is made when a consumer first asks for its name. When
//! there is no room for another, the oldest one that no consumer has enabled makes room: otherwise
//! a consumer could take all names by listing them.
//!
//! A name counts for the users who trace it, because they keep it: for all whose consumers have
//! asked for it, else for one whose consumer has enabled it by a pattern. A name that nobody traces
//! counts for the user who asked for it first.

use abi::probe::{put, Techniques, NAME_LEN};
use core::sync::atomic::{AtomicU64, Ordering::Relaxed};
use framework::framework::ProviderId;
use framework::{Draft, Error, Framework, Offer, Probe, Result};
use kapi::mem;
use kapi::task::{self, ROOT};
use kapi::time::monotonic_ns;
use kernel::prelude::*;
use kernel::str::BStr;
use kernel::sync::{new_mutex, Arc, Mutex};

/// The most probes of a provider, besides the usual ones: for one user, for all users except root,
/// and for all. Each has the test whether a name counts, for the caller and a user of the name.
type Limit = (usize, fn(u32, u32) -> bool);
const LIMITS: [Limit; 3] =
    [(256, |own, user| user == own), (384, |_, user| user != ROOT), (512, |_, _| true)];

/// The time of the last log entry about a name that could not be listed, and the least time between
/// two of them, in ns. A tracer may list as often as it likes.
static LOGGED: AtomicU64 = AtomicU64::new(0);
const PAUSE: u64 = 60_000_000_000;

/// A name that has a probe.
struct One {
    name: [u8; NAME_LEN],
    /// `None`: it is a usual one, which stays.
    probe: Option<Arc<Probe>>,
    /// The user for whom it counts while no consumer has asked for it.
    owner: u32,
    /// The consumers that have asked for the name in an enabling, and their users. They may have
    /// matched the probe and not started yet.
    consumers: KVVec<(u64, u32)>,
}

/// The names that have a probe, the oldest first.
#[pin_data]
pub(crate) struct Made {
    #[pin]
    all: Mutex<KVVec<One>>,
}

impl Made {
    pub(crate) fn new() -> impl PinInit<Self> {
        pin_init!(Self { all <- new_mutex!(KVVec::new()) })
    }

    /// Makes a probe with `nargs` arguments for each of these names, and keeps it.
    pub(crate) fn usual(
        &self,
        framework: &Framework,
        own: ProviderId,
        provider: &str,
        names: &[&[u8]],
        nargs: u32,
    ) {
        let mut all = self.all.lock();
        let known = all.len();
        let draft = framework.draft(own, b"", names.len());
        let result = draft
            .and_then(|draft| collect(draft, &mut all, names, nargs))
            .and_then(|draft| framework.offer_draft(draft));
        if result.is_err() {
            all.truncate(known);
        }
        let is_new = all.len() > known;
        drop(all);
        match result {
            // These probes are never removed.
            Ok(_group) if is_new => framework.provided(),
            Ok(_) => {}
            Err(e) => {
                pr_warn!("{provider}: the usual probes: not made: {}\n", core::format_args!("{e}"));
            }
        }
    }

    /// Makes a probe with `nargs` arguments for a name, and keeps it for this consumer, if any.
    /// Without one, the name is only listed, and the command refers to the log if that fails.
    pub(crate) fn make(
        &self,
        framework: &Framework,
        own: ProviderId,
        provider: &str,
        name: &[u8],
        nargs: u32,
        consumer: Option<u64>,
    ) -> Result {
        let made = self.try_make(framework, own, provider, name, nargs, consumer);
        if let (Err(e), None) = (&made, consumer) {
            let (now, last) = (monotonic_ns(), LOGGED.load(Relaxed));
            let is_due = last == 0 || now.saturating_sub(last) >= PAUSE;
            if is_due && LOGGED.compare_exchange(last, now, Relaxed, Relaxed).is_ok() {
                let name = BStr::from_bytes(name);
                pr_warn!("{provider}: {name}: not made: {}\n", core::format_args!("{e}"));
            }
        }
        made
    }

    fn try_make(
        &self,
        framework: &Framework,
        own: ProviderId,
        provider: &str,
        name: &[u8],
        nargs: u32,
        consumer: Option<u64>,
    ) -> Result {
        let Some(name_of) = long(name) else { return Ok(()) };
        let mut all = self.all.lock();
        let user = task::owner();
        if let Some(at) = all.iter().position(|one| one.name == name_of) {
            return keep(&mut all, at, framework, consumer, user);
        }
        mem::reserve(&mut all, 1)?;
        let mut consumers = KVVec::new();
        if let Some(n) = consumer {
            mem::push(&mut consumers, (n, user))?;
        }
        make_room(&mut all, framework, user)?;
        let parts = [provider.as_bytes(), b"", b"", name];
        let probe = Some(framework.offer(own, parts, nargs, 0)?);
        let _ = all.push_within_capacity(One { name: name_of, probe, owner: user, consumers });
        drop(all);
        framework.provided();
        Ok(())
    }

    /// Forgets a consumer.
    pub(crate) fn leave(&self, consumer: u64) {
        self.all.lock().iter_mut().for_each(|one| one.consumers.retain(|c| c.0 != consumer));
    }
}

/// Keeps the name at a position for a consumer of this user.
fn keep(
    all: &mut KVVec<One>,
    at: usize,
    framework: &Framework,
    consumer: Option<u64>,
    user: u32,
) -> Result {
    let (Some(n), Some(one)) = (consumer, all.get_mut(at)) else { return Ok(()) };
    if one.probe.is_none() || one.consumers.iter().any(|c| c.0 == n) {
        return Ok(());
    }
    let is_own = one.counts(|u| u == user);
    mem::push(&mut one.consumers, (n, user))?;
    if is_own {
        return Ok(());
    }
    // The user must have room for one more. The name itself needs no second place.
    let mut one = all.remove(at).map_err(|_| Error::Memory)?;
    let has_room = make_room(all, framework, user);
    if has_room.is_err() {
        one.consumers.retain(|c| c.0 != n);
    }
    let _ = all.push_within_capacity(one);
    has_room
}

/// Makes room for one more name of this user.
fn make_room(all: &mut KVVec<One>, framework: &Framework, user: u32) -> Result {
    // Only the last limit is for root.
    let limits = LIMITS.iter().skip(if user == ROOT { 2 } else { 0 });
    for (most, is_among) in limits {
        let its = |one: &One| one.probe.is_some() && one.counts(|u| is_among(user, u));
        let is_full = |all: &[One]| all.iter().filter(|one| its(one)).count() >= *most;
        if !is_full(all) {
            continue;
        }
        if let Some(at) = all.iter_mut().position(|one| its(one) && one.retire(framework)) {
            let _ = all.remove(at);
        } else if is_full(all) {
            return Err(Error::TooMany("enabled probes with a number in their names"));
        }
    }
    Ok(())
}

impl One {
    /// Tells whether it counts for a user for whom `is_meant` is true.
    fn counts(&self, is_meant: impl Fn(u32) -> bool) -> bool {
        match self.consumers.is_empty() {
            true => is_meant(self.owner),
            false => self.consumers.iter().any(|c| is_meant(c.1)),
        }
    }

    /// Retires the probe, if no consumer uses it. Returns true if it did. If a consumer has enabled
    /// it by a pattern, it counts for that consumer's user from here on.
    fn retire(&mut self, framework: &Framework) -> bool {
        let Some(probe) = self.probe.as_ref().filter(|_| self.consumers.is_empty()) else {
            return false;
        };
        match framework.retire_unused(probe, self.owner) {
            Ok(()) => true,
            Err(user) => {
                self.owner = user;
                false
            }
        }
    }
}

/// Returns a name with its NULs. `None`: it is too long for a probe.
fn long(name: &[u8]) -> Option<[u8; NAME_LEN]> {
    let mut own = [0; NAME_LEN];
    put(&mut own, name).then_some(own)
}

fn collect(mut draft: Draft, all: &mut KVVec<One>, names: &[&[u8]], nargs: u32) -> Result<Draft> {
    for name in names {
        let Some(own) = long(name) else { continue };
        if let Some(one) = all.iter_mut().find(|one| one.name == own) {
            one.probe = None;
            continue;
        }
        mem::push(all, One { name: own, probe: None, owner: ROOT, consumers: KVVec::new() })?;
        let offer = Offer { function: b"", name, nargs, cookie: 0, how: Techniques::empty() };
        draft.add(&offer)?;
    }
    Ok(draft)
}
