// SPDX-License-Identifier: GPL-2.0
//! Probes whose names contain a number. Each is made when a consumer first asks for its name. When
//! there is no room for another, the oldest one that no consumer has enabled makes room: otherwise
//! a consumer could take all names by listing them.

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
/// and for all. Each has the test whether a probe counts, for the caller and the probe's owner.
type Limit = (usize, fn(u32, u32) -> bool);
const LIMITS: [Limit; 3] =
    [(256, |own, owner| owner == own), (384, |_, owner| owner != ROOT), (512, |_, _| true)];

/// The time of the last log entry about a name that could not be listed, and the least time between
/// two of them, in ns. A tracer may list as often as it likes.
static LOGGED: AtomicU64 = AtomicU64::new(0);
const PAUSE: u64 = 60_000_000_000;

/// A name that has a probe.
struct One {
    name: [u8; NAME_LEN],
    /// `None`: it is a usual one, which stays.
    probe: Option<Arc<Probe>>,
    /// The user for whom it was made.
    owner: u32,
    /// The consumers that have asked for the name in an enabling. They may have matched the probe
    /// and not started yet.
    users: KVVec<u64>,
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
        if let Some(one) = all.iter_mut().find(|one| one.name == name_of) {
            return one.keep(consumer);
        }
        mem::reserve(&mut all, 1)?;
        let mut users = KVVec::new();
        if let Some(n) = consumer {
            mem::push(&mut users, n)?;
        }
        let owner = task::owner();
        // Only the last limit is for root.
        let limits = LIMITS.iter().skip(if owner == ROOT { 2 } else { 0 });
        for (most, is_among) in limits {
            let its = |one: &&One| one.probe.is_some() && is_among(owner, one.owner);
            if all.iter().filter(its).count() >= *most {
                let oldest = all.iter().position(|one| its(&one) && one.retire(framework));
                let at =
                    oldest.ok_or(Error::TooMany("enabled probes with a number in their names"))?;
                let _ = all.remove(at);
            }
        }
        let parts = [provider.as_bytes(), b"", b"", name];
        let probe = Some(framework.offer(own, parts, nargs, 0)?);
        let _ = all.push_within_capacity(One { name: name_of, probe, owner, users });
        drop(all);
        framework.provided();
        Ok(())
    }

    /// Forgets a consumer.
    pub(crate) fn leave(&self, consumer: u64) {
        self.all.lock().iter_mut().for_each(|one| one.users.retain(|n| *n != consumer));
    }
}

impl One {
    fn keep(&mut self, consumer: Option<u64>) -> Result {
        match consumer {
            Some(n) if self.probe.is_some() && !self.users.contains(&n) => {
                Ok(mem::push(&mut self.users, n)?)
            }
            _ => Ok(()),
        }
    }

    /// Retires the probe, if no consumer uses it. Returns true if it did.
    fn retire(&self, framework: &Framework) -> bool {
        // A consumer may have enabled it by a pattern.
        self.users.is_empty() && self.probe.as_ref().is_some_and(|p| framework.retire_unused(p))
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
        mem::push(all, One { name: own, probe: None, owner: ROOT, users: KVVec::new() })?;
        let offer = Offer { function: b"", name, nargs, cookie: 0, how: Techniques::empty() };
        draft.add(&offer)?;
    }
    Ok(draft)
}
