// SPDX-License-Identifier: GPL-2.0
//! The stable providers: what happens in the kernel, by names and with arguments that last; and the
//! kernel's tracepoints, by their own names, on which most of them stand.
//!
//! What a kernel calls a thing and where it happens changes; what `proc:::exec-success` or `io:::start`
//! mean does not. So each of their probes is a row of a table: the event of this kernel that it is, when
//! that counts, and what is passed. Events are tracepoints, which cost nothing until one is attached to; where
//! there is none, functions, which fbt traces for us.
//!
//! | file | holds |
//! |---|---|
//! | [`table`] | the rows; pure |
//! | [`event`] | what the words in them mean; pure |
//! | [`pending`] | what has begun and not ended; pure |
//! | `hub` | tracepoints that are attached to, and whom they lead to |
//! | `modules` | tracepoints of modules, which come and go |
//! | `provider` | rows and tracepoints to probes |
//!
//! Locks: `offered`, then `Events`, then the framework's, then the hub's `State`, then fbt's.
#![cfg_attr(not(test), no_std)]
#![forbid(unsafe_code)]

pub mod event;
pub mod pending;
pub mod table;

#[cfg(CONFIG_RUST)]
mod hub;
#[cfg(CONFIG_RUST)]
mod modules;
#[cfg(CONFIG_RUST)]
mod provider;

#[cfg(CONFIG_RUST)]
pub use provider::{start, Running};

// `pr_info!` and friends take their prefix from the crate root.
#[cfg(CONFIG_RUST)]
const __LOG_PREFIX: &[u8] = kapi::log::PREFIX;
