// SPDX-License-Identifier: GPL-2.0
//! Patches the text of the running kernel at entries and exits of functions, and restores it.
//!
//! It is the engine of the providers whose probes are functions: fbt, syscall and the stable ones.
//! It knows none of them. The symbol table contains functions, and not all of them are safe to
//! patch. So the engine first checks whether a function may be traced, and reports the reason if
//! not. It changes as little as possible:
//!
//! ```text
//!   entry    the compiler left a five-byte nop for ftrace       a call of our trampoline, by
//!   ftrace
//!            it did not, or another tracer uses it              a breakpoint on the first
//!            instruction
//!   return   `ret` with room behind it, or a jump to the thunk  a call of our trampoline
//!            a jump to another function (tail call)             the same; our trampoline jumps on
//!            anything else                                      a breakpoint
//! ```
//!
//! It patches nothing before a probe is enabled. When the last probe is disabled, everything is
//! restored.
//!
//! | file | holds |
//! |---|---|
//! | [`body`] | a function's code: its exits; pure |
//! | [`follow`] | code to what it calls and jumps to; pure |
//! | `list` | long lists: appending, searching, sorting |
//! | `names` | names of symbols that are no functions |
//! | `site` | a patched place, and the table by which a hit finds it |
//! | `hit` | from a hit place to its probe and its arguments |
//! | `text` | a piece of text, read as it was before it was patched |
//! | `symtab`, `limits` | its symbols, and the parts that must not be patched |
//! | `walk` | from some places in code to all functions that can run from there |
//! | `path` | the functions that a firing probe runs |
//! | `unready` | the functions that run on a CPU that cannot take a breakpoint |
//! | `eligible` | whether a function may be traced, and how; if not, why |
//! | `catalog`, `catalogs` | the functions of one piece of text; all catalogs |
//! | `plan` | from a probe to the places to patch |
//! | `state` | the engine's state, under one lock |
//! | `attach`, `detach` | enabling and disabling, in batches |
//! | `explain` | why a probe does not exist |
//! | `engine` | start and end; the interface for a provider of all functions |
//! | `functions` | selected functions, for providers of a few |
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
