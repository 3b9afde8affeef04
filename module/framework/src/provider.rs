// SPDX-License-Identifier: GPL-2.0
//! The trait of a provider, and the data that it uses.
//!
//! A provider *offers* probes and can *enable* and *disable* them, many at a time. It never sees an
//! ECB, a buffer or a consumer. When a thread hits one of its probes, the provider enters probe
//! context and calls [`crate::fire`].

use crate::framework::{Framework, ProviderId};
use abi::probe::{Techniques, FUNCTION_LEN};
use abi::reason::Reason;
use fire::Probe;
use kapi::stack::Start;
use kernel::prelude::*;
use kernel::sync::{Arc, Mutex};
use plan::EnableError;

/// The explanation why a function has no probe.
pub struct Explanation {
    /// The reason.
    pub reason: Reason,
    /// The name for the placeholder in the reason's sentence, NUL-terminated.
    pub symbol: [u8; FUNCTION_LEN],
}

/// Records whether a provider has offered its probes. It offers all of them when they are first
/// needed.
#[pin_data]
pub struct Offered {
    #[pin]
    done: Mutex<bool>,
}

impl Offered {
    /// Creates it in the state "not offered".
    pub fn new() -> impl PinInit<Self> {
        // Each provider's crate compiles this code. With `new_mutex!` all of them would have one
        // lock class but different names, which lockdep rejects.
        static NAME: &CStr = c"Offered::done";
        pin_init!(Self { done <- Mutex::new(false, NAME, kernel::static_lock_class!()) })
    }

    /// Calls `offer`, unless an earlier call succeeded. If it fails, the next call tries again.
    ///
    /// # Context
    /// *process*, may sleep; see [`Provider::provide`].
    pub fn once(&self, framework: &Framework, provider: &str, offer: impl FnOnce() -> Result) {
        let mut done = self.done.lock();
        if *done {
            return;
        }
        if let Err(e) = offer() {
            pr_warn!("{provider}: no probes: errno {}\n", e.to_errno());
            return;
        }
        *done = true;
        drop(done);
        framework.provided();
    }
}

/// A source of probes.
pub trait Provider: Send + Sync {
    /// Returns the first part of its probes' names, or its own name if that part varies.
    fn name(&self) -> &[u8];

    /// Returns the last parts that its probes' names can have, if there are few; for other names,
    /// [`Self::provide`] is not needed. Empty: any.
    fn probe_names(&self) -> &[&[u8]] {
        &[]
    }

    /// Returns where the stacks of a probe begin: at the probe, at the place that an interrupt has
    /// interrupted, or in a program. If the innermost frame is the function in the probe's name,
    /// the stack leaves it out, because it shows the callers.
    ///
    /// # Context
    /// *process*, may sleep. The framework's lock is held: must not call the framework.
    fn start(&self, probe: &Probe) -> Start {
        let _ = probe;
        Start::Here(0)
    }

    /// Offers probes that have not been offered yet, because a description may match some. Offer
    /// them to `framework`, as `own`.
    ///
    /// # Context
    /// *process*, may sleep. The framework holds no lock except that of one consumer.
    fn provide(&self, framework: &Framework, own: ProviderId) {
        let _ = (framework, own);
    }

    /// Works like [`Self::provide`] for a single probe that a consumer names without module and
    /// function. A provider with endlessly many names creates it now. If the `consumer` enables it
    /// and does not only list it, the provider keeps it until [`Self::leave`].
    ///
    /// # Context
    /// *process*, may sleep. The framework holds no lock except that of one consumer.
    fn provide_one(
        &self,
        framework: &Framework,
        own: ProviderId,
        name: &[u8],
        consumer: Option<u64>,
    ) -> crate::Result {
        let _ = (name, consumer);
        self.provide(framework, own);
        Ok(())
    }

    /// Keeps no probes for a consumer any more, because it has ended.
    ///
    /// # Context
    /// *process*, may sleep. The framework holds no lock.
    fn leave(&self, consumer: u64) {
        let _ = consumer;
    }

    /// Returns all [`Techniques`] of a probe; its [`crate::Offer`] may have named only some of
    /// them.
    ///
    /// # Context
    /// *process*, may sleep. The framework's lock is held: must not call the framework.
    fn how(&self, probe: &Arc<Probe>) -> Techniques {
        probe.how()
    }

    /// Arms probes, so that they fire from now on. Calls `refuse(i, why)` for each that cannot be
    /// armed, with its index in `probes`, and leaves it unchanged. All others are armed on return.
    /// After [`EnableError::Memory`] for one, the consumer gets none.
    ///
    /// # Context
    /// *process*, may sleep. The framework's lock is held: must not call the framework.
    fn enable(&self, probes: &[Arc<Probe>], refuse: &mut dyn FnMut(usize, EnableError));

    /// Disarms probes and restores every byte. They may still fire until the caller has
    /// synchronised.
    ///
    /// # Context
    /// *process*, may sleep. The framework's lock is held: must not call the framework.
    fn disable(&self, probes: &[Arc<Probe>]);

    /// Explains why this function has no probe `name`; `module` and `name` may be empty. `None`: it
    /// has one, or the provider does not know.
    ///
    /// # Context
    /// *process*, may sleep. The framework holds no lock except that of one consumer.
    fn explain(&self, module: &[u8], function: &[u8], name: &[u8]) -> Option<Explanation> {
        let _ = (module, function, name);
        None
    }
}
