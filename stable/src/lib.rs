// SPDX-License-Identifier: GPL-2.0
//! The stable providers: events of the kernel under names and with arguments that stay the same
//! from kernel to kernel; and `sdt`, the kernel's tracepoints under their own names.
//!
//! The places and names of events change with the kernel; the meaning of `proc:::exec-success` or
//! `io:::start` does not. So each probe is a row of a table: the event on this kernel, the
//! conditions under which it counts, and the arguments. Most events are tracepoints, which cost
//! nothing until they are attached. Where the kernel has none, the event is the entry or return of
//! a function, which the engine (`patch`) traces for us.
//!
//! | file | holds |
//! |---|---|
//! | [`table`] | the rows; pure |
//! | [`event`] | the vocabulary of the rows; pure |
//! | [`pending`] | things that threads have begun and not ended; pure |
//! | `hub` | attached tracepoints and the probes that they fire |
//! | `row`, `locks` | a row of the table; the rows of `lockstat` |
//! | `modules` | tracepoints of modules that are loaded and unloaded |
//! | `provider` | makes probes of rows and tracepoints |
//!
//! Locks: `offered`, then `Events`, then the framework's, then the hub's `State`, then the
//! engine's.
#![cfg_attr(not(test), no_std)]
#![forbid(unsafe_code)]

pub mod event;
mod locks;
pub mod pending;
mod row;
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
