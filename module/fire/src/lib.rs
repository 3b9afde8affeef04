// SPDX-License-Identifier: GPL-2.0
//! What happens when a probe fires: probe context, and nothing else.
//!
//! Nothing here sleeps, allocates, takes a lock or logs. The proof is what this crate imports: of the
//! kernel, only `nosleep`. All memory was allocated by the framework, and all decisions were made by
//! `plan`, before the probe was enabled.
//!
//! Read in this order:
//!
//! | file | holds |
//! |---|---|
//! | `firing` | the path of a firing, from the provider to each clause |
//! | [`ecb`] | a clause on a probe |
//! | [`shared`] | what a consumer's probes write into |
//! | [`args`] | where argN comes from |
//! | `shortcut` | clauses that need no machine |
//! | [`steps`] | all others |
//! | `env`, `held` | the questions of the machine, answered; those about variables |
//! | [`budget`] | how much a firing may take |
//! | [`deadman`] | whether the machine is alive |
//! | [`dynvar`], [`words`] | memory behind variables |
//! | [`unwind`] | stacks of processes |
//! | [`vtime`] | the account behind `vtimestamp` |
//!
//! # Context
//!
//! *probe*, for everything that takes a [`nosleep::ProbeCtx`]. The constructors take memory that
//! exists.
#![no_std]
#![forbid(unsafe_code)]
#![deny(missing_docs)]

pub mod args;
pub mod budget;
pub mod deadman;
pub mod dynvar;
pub mod ecb;
mod env;
mod firing;
mod held;
pub mod shared;
mod shortcut;
pub mod steps;
pub mod unwind;
pub mod vtime;
pub mod words;

pub use args::{Args, Outcome, Packed};
pub use ecb::Probe;
pub use firing::{fire, fire_special, fire_without, Rest};
