// SPDX-License-Identifier: GPL-2.0
//! The framework joins consumers, which enable probes, and providers, which know where probes are.
//!
//! It runs in process context: it may sleep, and it may fail. The crate `plan` decides everything
//! before a probe fires, the crate `fire` acts when it fires, and this crate allocates the memory
//! of both. Read in this order:
//!
//! | file | holds |
//! |---|---|
//! | [`provider`] | the trait of a provider |
//! | [`mod@framework`] | the table of everything, under one lock |
//! | [`state`] | a consumer from open to close |
//! | `tracing` | attaches a consumer's ECBs to probes, and detaches them |
//! | `memory` | the memory that its probes write |
//! | `pulse` | whether a consumer is alive |
//! | `vtime` | start and end of the account behind `vtimestamp` |
//!
//! Locks: `Consumer::inner` before `Framework::config`. Probe context takes none: it reads data
//! that is [`kapi::publish::Published`], writes data that is [`kapi::percpu::PerCpu`], and shares
//! atomics.
#![no_std]
#![forbid(unsafe_code)]

pub mod framework;
mod memory;
pub mod provider;
mod pulse;
pub mod state;
mod tracing;
mod vtime;

pub use fire::{fire, fire_without, forget, pause, Args, Burst, Outcome, Packed, Probe, Rest};
pub use framework::{Framework, Group};
pub use plan::probe::{Draft, Offer};
pub use plan::{EnableError, Error, Result};
pub use provider::{Explanation, Offered, Provider};
pub use state::Consumer;

// `pr_info!` and friends take their prefix from the crate root.
const __LOG_PREFIX: &[u8] = kapi::log::PREFIX;
