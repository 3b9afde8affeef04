// SPDX-License-Identifier: GPL-2.0
//! What a provider is.
//!
//! A provider *offers* probes and knows how to *enable* and *disable* them, many at a time. It never
//! sees an ECB, a buffer or a consumer. When one of its probes is hit it enters probe context and
//! calls [`crate::fire`].

use crate::framework::{Framework, ProviderId};
use crate::probe::Probe;
use abi::probe::{Techniques, FUNCTION_LEN};
use abi::reason::Reason;
use core::fmt;
use kernel::prelude::*;
use kernel::sync::{Arc, Mutex};

/// Why a probe could not be enabled; the words reach the user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EnableError {
    /// The place is not as the provider left it, or another tracer uses it.
    Busy(&'static str),
    /// This kernel lacks what is needed.
    Unsupported(&'static str),
    /// No memory.
    Memory,
    /// The code of the probe is going away.
    Gone,
}

impl EnableError {
    /// What to say of it.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Busy(why) | Self::Unsupported(why) => why,
            Self::Memory => "no memory",
            Self::Gone => "its module is being unloaded, or its process ends",
        }
    }
}

impl fmt::Display for EnableError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.words())
    }
}

/// Why a function has no probe.
pub struct Explanation {
    /// The reason.
    pub reason: Reason,
    /// The name that the reason's sentence has a place for, NUL-terminated.
    pub symbol: [u8; FUNCTION_LEN],
}

/// Whether a provider has offered its probes: all of them, when somebody first asks.
#[pin_data]
pub struct Offered {
    #[pin]
    done: Mutex<bool>,
}

impl Offered {
    /// It has not.
    pub fn new() -> impl PinInit<Self> {
        // Each provider's crate compiles this for itself. With `new_mutex!` all of them would have one class and
        // each a name of its own, which lockdep does not take.
        static NAME: &CStr = c"Offered::done";
        pin_init!(Self { done <- Mutex::new(false, NAME, kernel::static_lock_class!()) })
    }

    /// Calls `offer`, unless that was done before. If it fails, the next one to ask causes another try.
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
    /// The first part of its probes' names, or its own name if they have several.
    fn name(&self) -> &[u8];

    /// The last parts that its probes' names can have, if there are few: who asks for other ones
    /// need not wait for [`Self::provide`]. Empty: any.
    fn probe_names(&self) -> &[&[u8]] {
        &[]
    }

    /// The innermost frames that a stack of its probes leaves out: 1 if that is the function that the
    /// probe names, of which a stack tells the callers.
    fn own_frames(&self) -> u8 {
        0
    }

    /// Whether its probes are in programs: the processor's registers there are the process's.
    fn is_of_programs(&self) -> bool {
        false
    }

    /// Offers what has not been offered yet: somebody is about to ask for probes that may be ours.
    /// `name`: that of the one probe without module and function which is asked for, if it is so;
    /// where names are endless it is made now. They are offered to `framework`, as `own`.
    ///
    /// # Context
    /// *process*, may sleep. No lock of the framework's is held but that of one consumer.
    fn provide(&self, framework: &Framework, own: ProviderId, name: Option<&[u8]>) {
        let _ = (framework, own, name);
    }

    /// How a probe is implemented: its [`Techniques`]. For who wants it exactly, and
    /// not only as far as it was said with the [`crate::Offer`].
    ///
    /// # Context
    /// *process*, may sleep. The framework's lock is held: must not call the framework.
    fn how(&self, probe: &Arc<Probe>) -> Techniques {
        probe.how()
    }

    /// Arms probes: from now on they fire. `refuse(i, why)` is called for each that cannot be, with
    /// its place in `probes`, and leaves it as it was; all others are armed on return.
    /// [`EnableError::Memory`] for one means that the consumer gets none.
    ///
    /// # Context
    /// *process*, may sleep. The framework's lock is held: must not call the framework.
    fn enable(&self, probes: &[Arc<Probe>], refuse: &mut dyn FnMut(usize, EnableError));

    /// Disarms probes, which are as before: not a byte differs. They may still fire until the caller
    /// has synchronised.
    ///
    /// # Context
    /// *process*, may sleep. The framework's lock is held: must not call the framework.
    fn disable(&self, probes: &[Arc<Probe>]);

    /// Why there is no probe `name` of this function; `module` and `name` may be empty. `None`: it
    /// has one, or the provider has nothing to say.
    ///
    /// # Context
    /// *process*, may sleep. No lock of the framework's is held but that of one consumer.
    fn explain(&self, module: &[u8], function: &[u8], name: &[u8]) -> Option<Explanation> {
        let _ = (module, function, name);
        None
    }
}
