// SPDX-License-Identifier: GPL-2.0
//! Probes that fire at intervals: `profile-N` on every CPU, `tick-N` on one. Each CPU has a timer
//! that interrupts it. The timer runs while the probe is enabled, once for all consumers, and
//! disabling waits for its end. `abi::rate` defines the names.
//!
//! | probe | arg0 | arg1 | arg2 |
//! |---|---|---|---|
//! | all | the program counter in the kernel, or 0 | the program counter in the process, or 0 | the delay, ns |

use crate::made::Made;
use crate::running::Running;
use abi::rate::{self, Where};
use framework::framework::ProviderId;
use framework::{fire, Args, EnableError, Framework, Probe, Provider, Result};
use kapi::stack::Start;
use kapi::timer::{Interrupted, Tick, Ticker};
use kapi::{context, mem};
use kernel::prelude::*;
use kernel::sync::Arc;
use kernel::time::Delta;

/// The probes that are always listed.
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

/// The number of arguments of a probe.
const NARGS: u32 = 3;

/// The provider.
#[pin_data]
pub(crate) struct Profile {
    #[pin]
    made: Made,
    #[pin]
    running: Running<Ticker<Beat>>,
}

/// Fires a probe at each interval.
struct Beat(Arc<Probe>);

impl Tick for Beat {
    fn tick(&self, at: Interrupted) {
        let args = [at.kernel_pc, at.user_pc, at.late_ns];
        context::enter(|ctx| fire(ctx, &self.0, Args::Values(&args)));
    }
}

impl Profile {
    pub(crate) fn new() -> impl PinInit<Self> {
        pin_init!(Self { made <- Made::new(), running <- Running::new() })
    }
}

impl Provider for Profile {
    fn name(&self) -> &[u8] {
        b"profile"
    }

    /// An interrupt fires the probe.
    fn start(&self, _: &Probe) -> Start {
        Start::Interrupt
    }

    fn provide(&self, framework: &Framework, own: ProviderId) {
        self.made.usual(framework, own, "profile", &USUAL, NARGS);
    }

    fn provide_one(
        &self,
        framework: &Framework,
        own: ProviderId,
        name: &[u8],
        consumer: Option<u64>,
    ) -> Result {
        match rate::parse(name) {
            Ok(_) => self.made.make(framework, own, "profile", name, NARGS, consumer),
            // The consumer explains a wrong name; it parses names as we do.
            Err(_) => Ok(()),
        }
    }

    fn leave(&self, consumer: u64) {
        self.made.leave(consumer);
    }

    fn enable(&self, probes: &[Arc<Probe>], refuse: &mut dyn FnMut(usize, EnableError)) {
        let start = |probe: &Arc<Probe>| {
            let rate = rate::parse(probe.part(3)).map_err(|e| e.words())?;
            let probe = probe.clone();
            Ok(move || {
                let interval = i64::try_from(rate.interval_ns).map_err(|_| EINVAL)?;
                let beat = mem::boxed(Beat(probe))?;
                Ticker::start(beat, Delta::from_nanos(interval), rate.at == Where::Everywhere)
            })
        };
        self.running.enable(probes, refuse, start, |_| {
            EnableError::Unsupported("this kernel gives no timer that follows its CPUs")
        });
    }

    fn disable(&self, probes: &[Arc<Probe>]) {
        self.running.disable(probes);
    }
}
