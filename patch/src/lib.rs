// SPDX-License-Identifier: GPL-2.0
//! Patches the text of the running kernel where a function begins and ends, and takes every patch back.
//!
//! The engine below the providers whose probes are functions: fbt, syscall and the stable ones. It knows none of
//! them. A function is found in the symbol table, and is not there for tracers to break: so the engine first asks
//! whether it may be traced at all, and keeps the answer as a reason that people can be told. It changes as little
//! as possible:
//!
//! ```text
//!   entry    the compiler left a five-byte nop for ftrace        a call of our trampoline, by ftrace
//!            it did not, or somebody else has it                 a breakpoint on the first instruction
//!   return   `ret` with room behind it, or a jump to the thunk   a call of our trampoline
//!            a jump to another function (tail call)              the same; our trampoline jumps on
//!            anything else                                       a breakpoint
//! ```
//!
//! It changes nothing before somebody enables a probe. When the last one is disabled, everything is as before.
//!
//! | file | holds |
//! |---|---|
//! | [`body`] | a function's code: where it is left; pure |
//! | [`follow`] | a piece of code to where it leads; pure |
//! | `list` | long lists: appending, searching, sorting |
//! | `names` | what the name of a symbol tells |
//! | `site` | a place that is patched, and the table by which a hit finds it |
//! | `hit` | a place that was hit to its probe and arguments |
//! | `text` | a piece of text, read as it was before anything was patched |
//! | `symtab`, `limits` | its symbols, and what in it must not be touched |
//! | `walk` | from some places in code to all functions that run from there |
//! | `path` | the functions that a firing probe runs |
//! | `unready` | the functions that run on a CPU that cannot take a breakpoint |
//! | `eligible` | may this function be traced, and if not, why; how, if it may |
//! | `catalog`, `catalogs` | the functions of one piece of text; of all |
//! | `plan` | a probe to the places that have to be patched |
//! | `state` | what is known and done, under one lock |
//! | `attach`, `detach` | enabling and disabling, in batches |
//! | `explain` | why there is no such probe |
//! | `engine` | start and end; what a provider of all functions asks |
//! | `functions` | chosen functions, for providers of a few |
//!
//! A file imports only from those above it.
#![cfg_attr(not(test), no_std)]
#![forbid(unsafe_code)]

pub mod body;
pub mod follow;

#[cfg(CONFIG_RUST)]
mod attach;
#[cfg(CONFIG_RUST)]
mod catalog;
#[cfg(CONFIG_RUST)]
mod catalogs;
#[cfg(CONFIG_RUST)]
mod detach;
#[cfg(CONFIG_RUST)]
mod eligible;
#[cfg(CONFIG_RUST)]
mod engine;
#[cfg(CONFIG_RUST)]
mod explain;
#[cfg(CONFIG_RUST)]
mod functions;
#[cfg(CONFIG_RUST)]
mod hit;
#[cfg(CONFIG_RUST)]
mod limits;
#[cfg(CONFIG_RUST)]
mod list;
#[cfg(CONFIG_RUST)]
mod names;
#[cfg(CONFIG_RUST)]
mod path;
#[cfg(CONFIG_RUST)]
mod plan;
#[cfg(CONFIG_RUST)]
mod site;
#[cfg(CONFIG_RUST)]
mod state;
#[cfg(CONFIG_RUST)]
mod symtab;
#[cfg(CONFIG_RUST)]
mod text;
#[cfg(CONFIG_RUST)]
mod unready;
#[cfg(CONFIG_RUST)]
mod walk;

#[cfg(CONFIG_RUST)]
pub use catalog::{Collected, Sides, MAX_FUNCTIONS};
#[cfg(CONFIG_RUST)]
pub use catalogs::MAX_CATALOGS;
#[cfg(CONFIG_RUST)]
pub use engine::{start, Engine, Running, Vacated};
#[cfg(CONFIG_RUST)]
pub use functions::{Functions, Wanted};
#[cfg(CONFIG_RUST)]
pub use plan::Target;
#[cfg(CONFIG_RUST)]
pub use site::{Ask, Event, View};
#[cfg(CONFIG_RUST)]
pub use text::Source;

// `pr_info!` and friends take their prefix from the crate root.
#[cfg(CONFIG_RUST)]
const __LOG_PREFIX: &[u8] = kapi::log::PREFIX;
