// SPDX-License-Identifier: GPL-2.0
//! The profile provider: probes that fire as time passes, wherever the CPU happens to be.
//!
//! `profile-N` fires on every CPU, `tick-N` on one. Nothing is patched: a timer of each CPU interrupts
//! it, and what it was doing is the probe's argument. The timer runs while somebody has the probe
//! enabled, once for all who have, and its end is waited for.
//!
//! Names are endless, so a probe is made when it is asked for by its name; some that everybody uses
//! are there from the beginning, to be listed. What a name means: `abi::rate`.
//!
//! | probe | arg0 | arg1 | arg2 |
//! |---|---|---|---|
//! | all | where the kernel was, or 0 | where the process was, or 0 | how late it fires, ns |
//!
//! Locks: `made`, then the framework's, then `running`.
#![no_std]
#![forbid(unsafe_code)]

use abi::ids::ProbeId;
use abi::probe::{put, Techniques, NAME_LEN};
use abi::rate::{self, Where};
use framework::framework::ProviderId;
use framework::{fire, Args, Draft, EnableError, Framework, Offer, Probe, Provider};
use kapi::timer::{Interrupted, Tick, Ticker};
use kapi::{context, mem};
use kernel::prelude::*;
use kernel::str::BStr;
use kernel::sync::{new_mutex, Arc, Mutex};
use kernel::time::Delta;

// `pr_info!` and friends take their prefix from the crate root.
const __LOG_PREFIX: &[u8] = kapi::log::PREFIX;

/// There from the beginning.
const USUAL: [&[u8]; 13] = [
    b"profile-97",
    b"profile-199",
    b"profile-499",
    b"profile-997",
    b"profile-1999",
    b"profile-4001",
    b"profile-4999",
    b"tick-1",
    b"tick-10",
    b"tick-100",
    b"tick-500",
    b"tick-1000",
    b"tick-5000",
];

/// Most probes: each stays as long as the module does.
const MAX_PROBES: usize = 512;

/// What a probe passes.
const NARGS: u32 = 3;

type Name = [u8; NAME_LEN];

/// The provider.
#[pin_data]
struct Profile {
    /// The names that have a probe.
    #[pin]
    made: Mutex<KVVec<Name>>,
    /// The probes that are enabled.
    #[pin]
    running: Mutex<KVec<(ProbeId, Ticker<Beat>)>>,
}

/// What happens at each interval.
struct Beat(Arc<Probe>);

impl Tick for Beat {
    fn tick(&self, at: Interrupted) {
        let args = [at.kernel_pc, at.user_pc, at.late_ns];
        context::enter(|ctx| fire(ctx, &self.0, Args::values(&args)));
    }
}

/// Registers the provider.
///
/// # Context
/// *process*; once.
pub fn start(framework: &Framework) -> Result {
    mem::ask()?;
    let profile = Arc::pin_init(
        pin_init!(Profile {
            made <- new_mutex!(KVVec::new()),
            running <- new_mutex!(KVec::new()),
        }),
        GFP_KERNEL,
    )?;
    framework.register(profile).map(|_| ()).map_err(|e| e.errno())
}

impl Profile {
    /// Makes probes of those of these names that have none; false: they all have. Holds `made`.
    fn make(
        framework: &Framework,
        own: ProviderId,
        made: &mut KVVec<Name>,
        names: &[&[u8]],
    ) -> Result<bool> {
        let known = made.len();
        let draft = framework.draft(own, b"", names.len()).map_err(|e| e.errno());
        let result = draft
            .and_then(|draft| Self::collect(draft, made, names))
            .and_then(|draft| framework.offer_draft(draft).map_err(|e| e.errno()));
        if result.is_err() {
            made.truncate(known);
        }
        // They stay.
        result.map(|_group| made.len() > known)
    }

    fn collect(mut draft: Draft, made: &mut KVVec<Name>, names: &[&[u8]]) -> Result<Draft> {
        for name in names {
            let mut own = [0; NAME_LEN];
            if !put(&mut own, name) || made.contains(&own) {
                continue;
            }
            if made.len() >= MAX_PROBES {
                return Err(E2BIG);
            }
            mem::push(made, own)?;
            let offer =
                Offer { function: b"", name, nargs: NARGS, cookie: 0, how: Techniques::empty() };
            draft.add(&offer).map_err(|e| e.errno())?;
        }
        Ok(draft)
    }

    /// Arms one.
    fn arm(&self, probe: &Arc<Probe>) -> core::result::Result<(), EnableError> {
        let rate = rate::parse(probe.part(3)).map_err(|e| EnableError::Unsupported(e.words()))?;
        let start = || {
            let interval = Delta::from_nanos(i64::try_from(rate.interval_ns).map_err(|_| EINVAL)?);
            let mut running = self.running.lock();
            mem::reserve(&mut running, 1)?;
            let beat = mem::boxed(Beat(probe.clone()))?;
            let ticker = Ticker::start(beat, interval, rate.at == Where::Everywhere)?;
            running.push_within_capacity((probe.id(), ticker)).map_err(|_| ENOMEM)
        };
        start().map_err(|e: Error| match e {
            e if e == ENOMEM => EnableError::Memory,
            _ => EnableError::Unsupported("this kernel gives no timer that follows its CPUs"),
        })
    }
}

impl Provider for Profile {
    fn name(&self) -> &[u8] {
        b"profile"
    }

    fn provide(&self, framework: &Framework, own: ProviderId, name: Option<&[u8]>) {
        // What is no name of ours is told by the consumer, which reads it as we do.
        let lone = name.filter(|n| rate::parse(n).is_ok());
        let mut made = self.made.lock();
        let result = match (name, &lone) {
            (Some(_), None) => return,
            (Some(_), Some(name)) => Self::make(framework, own, &mut made, &[name]),
            (None, _) => Self::make(framework, own, &mut made, &USUAL),
        };
        drop(made);
        match result {
            Ok(true) => framework.provided(),
            Ok(false) => {}
            Err(e) => {
                let name = BStr::from_bytes(lone.unwrap_or(b"the usual probes"));
                pr_warn!("profile: {name}: not made: errno {}\n", e.to_errno());
            }
        }
    }

    fn enable(&self, probes: &[Arc<Probe>], refuse: &mut dyn FnMut(usize, EnableError)) {
        for (i, probe) in probes.iter().enumerate() {
            if let Err(why) = self.arm(probe) {
                refuse(i, why);
            }
        }
    }

    fn disable(&self, probes: &[Arc<Probe>]) {
        let mut running = self.running.lock();
        running.retain(|(id, _)| !probes.iter().any(|p| p.id() == *id));
    }
}
