// SPDX-License-Identifier: GPL-2.0
//! The syscall provider: entry and return of every system call.
//!
//! A call is served by one function, so that is where its probes are: fbt finds the function and
//! patches it, for this provider as for its own probes, and a place that both want serves both. A
//! call that nobody traces costs nothing, whichever others are traced.
//!
//! ```text
//!   number ──► the kernel's table ──► __x64_sys_openat ──► entry: its beginning
//!                                        │                 return: where it returns to the dispatcher
//!                                        └─jump─► do_sys_openat2: or where this one does, for it
//! ```
//! A third of these functions end by jumping to another one, which returns in their place. That is
//! where the call's value is known, and others may come there as well: so who is there is asked for
//! the number of the call it is in, and whether it returns to where calls come from.
//!
//! | file | holds |
//! |---|---|
//! | [`names`] | what calls are called; pure |
//! | `provider` | calls to probes |
//!
//! Locks: `offered`, then fbt's and the framework's; enabling takes fbt's alone.
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
