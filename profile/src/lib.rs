// SPDX-License-Identifier: GPL-2.0
//! Probes that interrupt a CPU at any place, after some time or after a number of events. No text
//! is patched. The arguments of a probe tell where the CPU was.
//!
//! | file | holds |
//! |---|---|
//! | `time` | the provider profile |
//! | `counters` | the provider cpc |
//! | `made` | their probes: a probe is made when a consumer asks for its name; some usual ones are always listed |
//! | `running` | the enabled probes |
//!
//! Locks: `Offered`, then `made`, then the framework's, then `running`.
#![no_std]
#![forbid(unsafe_code)]

mod counters;
mod made;
mod running;
mod time;

use framework::Framework;
use kapi::mem;
use kernel::prelude::*;
use kernel::sync::Arc;

// `pr_info!` and friends take their prefix from the crate root.
const __LOG_PREFIX: &[u8] = kapi::log::PREFIX;

/// Registers the providers.
///
/// # Context
/// *process*; call it once.
pub fn start(framework: &Framework) -> Result {
    mem::ask()?;
    let profile = Arc::pin_init(time::Profile::new(), GFP_KERNEL)?;
    framework.register(profile).map_err(|e| e.errno())?;
    mem::ask()?;
    let cpc = Arc::pin_init(counters::Cpc::new(), GFP_KERNEL)?;
    framework.register(cpc).map(|_| ()).map_err(|e| e.errno())
}
