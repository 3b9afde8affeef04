// SPDX-License-Identifier: GPL-2.0
//! The fbt provider: entry and return of every kernel function.
//!
//! A function is found in the symbol table, and is not there for tracers to break: so for each one it
//! is first asked whether it may be traced at all, and the answer is kept as a reason that people can
//! be told. What is traced is changed as little as possible:
//!
//! ```text
//!   entry    the compiler left a five-byte nop for ftrace        a call of our trampoline, by ftrace
//!            it did not, or somebody else has it                 a breakpoint on the first instruction
//!   return   `ret` with room behind it, or a jump to the thunk   a call of our trampoline
//!            a jump to another function (tail call)              the same; our trampoline jumps on
//!            anything else                                       a breakpoint
//! ```
//!
//! Nothing is changed before somebody enables a probe, and everything is as before when the last one
//! is disabled. The kernel is looked through when somebody asks for fbt's probes for the first time.
//!
//! | file | holds |
//! |---|---|
//! | [`body`] | a function's code: where it is left; pure |
//! | `text` | what is known of a piece of text: symbols, and what must not be touched |
//! | [`follow`] | a piece of code to where it leads; pure |
//! | `walk` | from some places in code to all functions that run from there |
//! | `path` | the functions that a firing probe runs |
//! | `unready` | the functions that run on a CPU that cannot take a breakpoint |
//! | `eligible` | may this function be traced, and if not, why; how, if it may |
//! | `catalog` | the functions of the kernel or of a module |
//! | `sites` | a probe to the places that have to be patched |
//! | `hit` | a place that was hit to its probe and arguments |
//! | `attach` | enabling and disabling, in batches |
//! | `guest` | functions for other providers: a place may serve several |
//! | `explain` | why there is no such probe |
//! | `provider` | modules that come and go; start and end |
//!
//! Locks: `Events`, then the framework's, then `State`, as in sdt.
#![cfg_attr(not(test), no_std)]
#![forbid(unsafe_code)]

pub mod body;
pub mod follow;

#[cfg(CONFIG_RUST)]
mod attach;
#[cfg(CONFIG_RUST)]
mod catalog;
#[cfg(CONFIG_RUST)]
mod eligible;
#[cfg(CONFIG_RUST)]
mod explain;
#[cfg(CONFIG_RUST)]
mod guest;
#[cfg(CONFIG_RUST)]
mod hit;
#[cfg(CONFIG_RUST)]
mod path;
#[cfg(CONFIG_RUST)]
mod provider;
#[cfg(CONFIG_RUST)]
mod sites;
#[cfg(CONFIG_RUST)]
mod text;
#[cfg(CONFIG_RUST)]
mod unready;
#[cfg(CONFIG_RUST)]
mod walk;

#[cfg(CONFIG_RUST)]
pub use guest::{Functions, Sides, Wanted};
#[cfg(CONFIG_RUST)]
pub use hit::{Ask, Event, View};
#[cfg(CONFIG_RUST)]
pub use provider::{start, Running};

// `pr_info!` and friends take their prefix from the crate root.
#[cfg(CONFIG_RUST)]
const __LOG_PREFIX: &[u8] = kapi::log::PREFIX;
