// SPDX-License-Identifier: GPL-2.0
//! The fbt provider: entry and return of every kernel function.
//!
//! The engine (`patch`) finds the functions, patches them, and explains why one cannot be traced.
//! This crate gives them names. It looks through the kernel when somebody first asks for fbt's
//! probes, and through a module when the module is loaded.
//!
//! Locks: `Events`, then the framework's, then the engine's, as in sdt.
#![no_std]
#![forbid(unsafe_code)]

mod cookie;
mod provider;

pub use provider::{start, Running};

// `pr_info!` and friends take their prefix from the crate root.
const __LOG_PREFIX: &[u8] = kapi::log::PREFIX;
