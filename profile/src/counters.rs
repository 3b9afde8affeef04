// SPDX-License-Identifier: GPL-2.0
//! The provider cpc: a probe fires each time a CPU has counted a number of events of the processor
//! (cycles, cache misses) or of the kernel (page faults, context switches). Perf counts them.
//! `abi::cpc` defines the names.
//!
//! | probe | arg0 | arg1 |
//! |---|---|---|
//! | all | the program counter in the kernel, or 0 | the program counter in the process, or 0 |
//!
//! The processor's events fire in NMIs, as in any other context: `kapi::context` argues why that is
//! safe, and `rust/kapi/helpers/counter.c` lists the code that runs from here.

use crate::made::Made;
use crate::running::Running;
use abi::cpc::{self, Class, Mode, EVENTS};
use abi::probe::{put, FUNCTION_LEN, NAME_LEN};
use abi::reason::Reason;
use framework::framework::ProviderId;
use framework::{fire, pause, Args, EnableError, Explanation, Framework, Offered, Probe, Provider};
use kapi::counter::{Count, Counter, Event};
use kapi::stack::Start;
use kapi::{context, mem};
use kernel::prelude::*;
use kernel::sync::Arc;

/// The number of arguments of a probe.
const NARGS: u32 = 2;

/// The provider.
#[pin_data]
pub(crate) struct Cpc {
    #[pin]
    made: Made,
    /// The probes for `-l` have been offered: one for each event that this machine counts, with a
    /// usual count.
    #[pin]
    offered: Offered,
    #[pin]
    running: Running<Counter<Full>>,
}

/// Fires a probe when a CPU has counted its number of events.
struct Full(Arc<Probe>);

impl Count for Full {
    fn counted(&self, kernel_pc: u64, user_pc: u64) {
        let args = [kernel_pc, user_pc];
        context::enter(|ctx| fire(ctx, &self.0, Args::Values(&args)));
    }

    fn paused(&self) {
        context::enter(|ctx| pause(ctx, &self.0, 1));
    }
}

/// The event as perf's attributes describe it.
fn event(counter: &cpc::Counter) -> Event {
    Event {
        kind: counter.kind,
        config: counter.config,
        period: counter.count,
        user: counter.mode != Mode::Kernel,
        kernel: counter.mode != Mode::User,
    }
}

/// Tells whether this machine has such a counter. It always has those of the kernel. Whether a
/// counter of the processor is free is known only when the probe is enabled.
fn exists(counter: &cpc::Counter) -> bool {
    let is_lacking = |e: Error| e != ENOMEM && e != EBUSY;
    counter.class != Class::Hardware || !event(counter).exists().is_err_and(is_lacking)
}

impl Cpc {
    pub(crate) fn new() -> impl PinInit<Self> {
        pin_init!(Self {
            made <- Made::new(),
            offered <- Offered::new(),
            running <- Running::new(),
        })
    }

    /// Offers a probe for each event that this machine counts.
    fn usual(&self, framework: &Framework, own: ProviderId) -> Result {
        let mut names = KVVec::new();
        for e in EVENTS {
            let (mut name, mut len) = ([0; NAME_LEN], 0_usize);
            for part in [e.names.first().copied().unwrap_or_default(), "-all-", e.class.usual()] {
                let to = len.saturating_add(part.len());
                name.get_mut(len..to).ok_or(EINVAL)?.copy_from_slice(part.as_bytes());
                len = to;
            }
            if cpc::parse(name.get(..len).unwrap_or_default()).is_ok_and(|c| exists(&c)) {
                mem::push(&mut names, (name, len))?;
            }
        }
        let mut parts = KVVec::new();
        for (name, len) in &names {
            mem::push(&mut parts, name.get(..*len).unwrap_or_default())?;
        }
        self.made.usual(framework, own, "cpc", &parts, NARGS);
        Ok(())
    }
}

impl Provider for Cpc {
    fn name(&self) -> &[u8] {
        b"cpc"
    }

    /// An interrupt fires the probe.
    fn start(&self, _: &Probe) -> Start {
        Start::Interrupt
    }

    fn provide(&self, framework: &Framework, own: ProviderId) {
        self.offered.once(framework, "cpc", || self.usual(framework, own));
    }

    fn provide_one(
        &self,
        framework: &Framework,
        own: ProviderId,
        name: &[u8],
        consumer: Option<u64>,
    ) -> framework::Result {
        match cpc::parse(name) {
            Ok(counter) if exists(&counter) => {
                self.made.make(framework, own, "cpc", name, NARGS, consumer)
            }
            // The consumer explains a wrong name; it parses names as we do.
            _ => Ok(()),
        }
    }

    fn leave(&self, consumer: u64) {
        self.made.leave(consumer);
    }

    fn enable(&self, probes: &[Arc<Probe>], refuse: &mut dyn FnMut(usize, EnableError)) {
        let start = |probe: &Arc<Probe>| {
            let counter = cpc::parse(probe.part(3)).map_err(|e| e.words())?;
            let probe = probe.clone();
            Ok(move || Counter::start(mem::boxed(Full(probe))?, event(&counter)))
        };
        self.running.enable(probes, refuse, start, |e| match e {
            e if e == EBUSY => EnableError::Busy(
                "all counters of the processor that can count it are in use: by perf, the kernel's watchdog or other cpc probes",
            ),
            _ => EnableError::Unsupported("no CPU of this machine can count it"),
        });
    }

    fn disable(&self, probes: &[Arc<Probe>]) {
        self.running.disable(probes);
    }

    fn explain(&self, _module: &[u8], _function: &[u8], name: &[u8]) -> Option<Explanation> {
        let counter = cpc::parse(name).ok().filter(|c| !exists(c))?;
        let mut symbol = [0; FUNCTION_LEN];
        let event = EVENTS.iter().find(|e| e.is(&counter));
        put(&mut symbol, event.and_then(|e| e.names.first()).map_or(b"", |n| n.as_bytes()));
        Some(Explanation { reason: Reason::NoCounter, symbol })
    }
}
