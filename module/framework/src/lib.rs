// SPDX-License-Identifier: GPL-2.0
//! The framework joins consumers, which enable probes, and providers, which know where probes are.
//!
//! What is decided before a probe fires is in the crate `plan`. Read in this order:
//!
//! | file | holds |
//! |---|---|
//! | [`provider`] | what a provider is, and what it may call |
//! | [`ecb`] | a clause on a probe |
//! | [`state`] | a consumer from open to close |
//! | [`tracing`] | a consumer's ECBs on probes, and off them again |
//! | [`framework`] | the table of everything, under one lock |
//! | [`fire`] | what happens when a probe fires |
//! | [`shortcut`] | clauses that need no machine |
//! | [`env`], [`held`] | the questions of the machine, answered; those about variables |
//! | [`shared`] | what a consumer's probes write into |
//! | [`dynvar`], [`words`] | memory behind variables |
//! | [`pulse`], [`deadman`] | whether a consumer lives, and the machine |
//! | `unwind` | stacks of processes |
//! | [`vtime`] | the account behind `vtimestamp` |
//! | [`args`] | where argN comes from |
//!
//! Locks: `Consumer::inner` before `Framework::config`. Probe context takes none. It reads what is
//! [`kapi::publish::Published`], writes what is [`kapi::percpu::PerCpu`], and shares atomics;
//! nothing reachable from [`fire::fire`] sleeps, allocates, logs or waits.
#![no_std]
#![forbid(unsafe_code)]

pub mod args;
mod budget;
pub mod deadman;
pub mod dynvar;
pub mod ecb;
pub mod env;
pub mod fire;
pub mod framework;
pub mod held;
pub mod provider;
pub mod pulse;
pub mod shared;
pub mod shortcut;
pub mod state;
pub mod tracing;
mod unwind;
pub mod vtime;
pub mod words;

pub use args::{Args, Outcome};
pub use ecb::Probe;
pub use fire::{fire, fire_without, Rest};
pub use framework::{Framework, Group};
pub use plan::probe::{Draft, Offer};
pub use plan::{EnableError, Error, Result};
pub use provider::{Explanation, Offered, Provider};
pub use state::Consumer;

// `pr_info!` and friends take their prefix from the crate root.
const __LOG_PREFIX: &[u8] = kapi::log::PREFIX;
