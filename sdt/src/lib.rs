// SPDX-License-Identifier: GPL-2.0
//! The sdt provider: probes in drivers, as the macros of `dtrace/sdt.h` make them.
//!
//! A driver has five bytes of text at each probe site, and a record that names the site. When the
//! driver is loaded, we find its records by their symbols, check them, rewrite sites of the call
//! form to nops, and make a probe of each name. Enabling a probe patches its sites to call a
//! trampoline, which finds the arguments in registers. The probes disappear when the driver is
//! unloaded.
//!
//! | file | holds |
//! |---|---|
//! | [`record`] | the layout of a record and the rules that it must pass; pure |
//! | `scan` | finds the records of a module by its symbols |
//! | `attach` | makes probes of sites; patches nop to call and back; follows modules |
//! | `args` | finds the probe and the arguments of a site that was hit |
//!
//! Locks: `Events`, then the framework's, then `State`. The framework calls `enable` with its lock
//! held. A module event is therefore handled in steps, and `Events` keeps other events out.
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
