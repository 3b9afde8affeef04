// SPDX-License-Identifier: GPL-2.0
//! What a provider is.
//!
//! A provider *offers* probes and knows how to *enable* and *disable* each. It never sees an ECB, a
//! buffer or a consumer. When one of its probes is hit it enters probe context and calls
//! [`crate::fire`].

use crate::probe::Probe;
use kernel::sync::Arc;

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

/// A source of probes.
pub trait Provider: Send + Sync {
    /// Arms a probe: from now on it fires.
    ///
    /// # Context
    /// *process*, may sleep. The framework's lock is held: must not call the framework.
    fn enable(&self, probe: &Arc<Probe>) -> core::result::Result<(), EnableError>;

    /// Disarms a probe, which is as before: not a byte differs. It may still fire until the caller
    /// has synchronised.
    ///
    /// # Context
    /// *process*, may sleep. The framework's lock is held: must not call the framework.
    fn disable(&self, probe: &Arc<Probe>);
}
