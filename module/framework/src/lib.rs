// SPDX-License-Identifier: GPL-2.0
//! The framework joins consumers, which enable probes, and providers, which know where probes are.
//!
//! Read in this order:
//!
//! | file | holds |
//! |---|---|
//! | [`provider`] | what a provider is, and what it may call |
//! | [`probe`] | probes and their table |
//! | [`matching`] | probe descriptions against probes |
//! | [`enabling`] | a checked DOF becomes statements and clauses |
//! | [`clause`] | predicate and actions, and the plan of their record |
//! | [`ecb`] | a clause on a probe |
//! | [`vars`] | the variables of a consumer, by id |
//! | [`state`] | a consumer from open to close |
//! | [`tracing`] | a consumer's ECBs on probes, and off them again |
//! | [`framework`] | the table of everything, under one lock |
//! | [`fire`] | what happens when a probe fires |
//! | [`lean`] | clauses that need no machine |
//! | [`env`], [`held`] | the questions of the machine, answered; those about variables |
//! | [`shared`] | what a consumer's probes write into |
//! | [`dynvar`], [`words`] | memory behind variables |
//! | [`pulse`], [`deadman`] | whether a consumer lives, and the machine |
//! | `unwind` | stacks of processes |
//! | [`vtime`] | the account behind `vtimestamp` |
//! | [`args`] | where argN comes from |
//! | [`error`], [`report`] | why not |
//!
//! Locks: `Consumer::inner` before `Framework::config`. Probe context takes none. It reads what is
//! [`kapi::publish::Published`], writes what is [`kapi::percpu::PerCpu`], and shares atomics;
//! nothing reachable from [`fire::fire`] sleeps, allocates, logs or waits.
#![no_std]
#![forbid(unsafe_code)]

pub mod args;
mod budget;
pub mod clause;
pub mod deadman;
pub mod dynvar;
pub mod ecb;
pub mod enabling;
pub mod env;
pub mod error;
pub mod fire;
pub mod framework;
pub mod held;
pub mod lean;
pub mod matching;
pub mod probe;
pub mod provider;
pub mod pulse;
pub mod report;
pub mod shared;
pub mod state;
pub mod tracing;
mod unwind;
pub mod vars;
pub mod vtime;
pub mod words;

pub use args::{Args, Outcome};
pub use error::Error;
pub use fire::{fire, fire_without, Rest};
pub use framework::{Framework, Group};
pub use probe::{Draft, Offer, Probe};
pub use provider::{EnableError, Explanation, Offered, Provider};
pub use state::Consumer;

// `pr_info!` and friends take their prefix from the crate root.
const __LOG_PREFIX: &[u8] = kapi::log::PREFIX;

/// The result of an operation that may be refused.
pub type Result<T = ()> = core::result::Result<T, Error>;
