// SPDX-License-Identifier: GPL-2.0
//! The syscall provider: entry and return of every system call.
//!
//! One function serves each call, and the probes are in it: the engine (`patch`) finds the function
//! and patches it, as it does for fbt's probes. A place can serve both providers. A call that is
//! not traced costs nothing, whatever other calls are traced.
//!
//! ```text
//!   number ──► the kernel's table ──► __x64_sys_openat ──► entry: its beginning
//!                                        │                 return: its return to the dispatcher
//!                                        └─jump─► do_sys_openat2: or the return of this function
//! ```
//! A third of these functions end with a jump to another function, which returns in their place.
//! The value of the call is known there, but the other function has other callers, too. So the
//! probe checks the number of the current call, and that the function returns to the dispatcher.
//!
//! | file | holds |
//! |---|---|
//! | [`names`] | the names of calls; pure |
//! | `provider` | makes probes of calls |
//!
//! Locks: `offered`, then the engine's and the framework's; enabling takes the engine's alone.
#![cfg_attr(not(test), no_std)]
#![forbid(unsafe_code)]

pub mod names;

#[cfg(CONFIG_RUST)]
mod provider;

#[cfg(CONFIG_RUST)]
pub use provider::{start, Running};

// `pr_info!` and friends take their prefix from the crate root.
#[cfg(CONFIG_RUST)]
const __LOG_PREFIX: &[u8] = kapi::log::PREFIX;
