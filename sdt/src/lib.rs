// SPDX-License-Identifier: GPL-2.0
//! The sdt provider: probes that drivers bring along, as `dtrace/sdt.h` makes them.
//!
//! A driver has five bytes of text where something worth knowing happens, and a record that names
//! the place. As the driver is loaded, its records are found by their symbols and checked; sites of
//! the call form are rewritten to a nop; every name becomes a probe. Enabling it makes its sites call
//! a trampoline, which finds the arguments in registers. The driver goes, and its probes with it.
//!
//! | file | holds |
//! |---|---|
//! | [`record`] | what a record is and when it is believed; pure |
//! | `scan` | a module's symbols to records |
//! | `attach` | sites to probes; nop to call and back; modules that come and go |
//! | `args` | a site that was hit to its probe and arguments |
//!
//! Locks: `Events`, then the framework's, then `State`. The framework calls `enable` with its lock
//! held; what a module event does is therefore done in steps, and `Events` keeps other events out.
#![cfg_attr(not(test), no_std)]
#![forbid(unsafe_code)]

pub mod record;

#[cfg(CONFIG_RUST)]
mod args;
#[cfg(CONFIG_RUST)]
mod attach;
#[cfg(CONFIG_RUST)]
mod scan;

#[cfg(CONFIG_RUST)]
pub use attach::{start, Running};

// `pr_info!` and friends take their prefix from the crate root.
#[cfg(CONFIG_RUST)]
const __LOG_PREFIX: &[u8] = kapi::log::PREFIX;
