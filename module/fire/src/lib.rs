// SPDX-License-Identifier: GPL-2.0
//! Runs when a probe fires, in probe context.
//!
//! Nothing here sleeps, allocates, takes a lock or logs. The imports of this crate prove it: of the
//! kernel, it imports only `nosleep`. The framework allocated all memory, and `plan` made all
//! decisions, before the probe was enabled.
//!
//! Read in this order:
//!
//! | file | holds |
//! |---|---|
//! | `firing` | the path of a firing, from the provider to each clause |
//! | [`ecb`] | a clause on a probe |
//! | [`shared`] | the data that a consumer's probes write |
//! | [`args`] | the arguments of a firing probe |
//! | `shortcut` | clauses that need no machine |
//! | [`steps`] | all others |
//! | `env`, `held` | the answers to the machine's questions; those about variables |
//! | [`budget`], `burst` | how much time a firing may take; many with one cause |
//! | [`deadman`] | whether the machine is alive |
//! | [`dynvar`], [`words`] | the memory of variables |
//! | [`unwind`] | stacks of processes |
//! | [`vtime`] | the account behind `vtimestamp` |
//!
//! # Context
//!
//! *probe*, for everything that takes a [`nosleep::ProbeCtx`]. The constructors take memory that
//! exists.
#![cfg_attr(not(test), no_std)]
#![forbid(unsafe_code)]
#![deny(missing_docs)]

pub mod args;
pub mod budget;
mod burst;
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
pub use burst::Burst;
pub use ecb::Probe;
pub use firing::{fire, fire_special, fire_without, forget, pause, Rest};
