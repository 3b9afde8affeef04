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
#![no_std]
#![forbid(unsafe_code)]

mod attach;
mod catalog;
mod catalogs;
mod detach;
mod eligible;
mod engine;
mod explain;
mod functions;
mod hit;
mod limits;
mod list;
mod names;
mod path;
mod plan;
mod site;
mod state;
mod symtab;
mod text;
mod unready;
mod walk;

pub use catalog::{Collected, Sides, MAX_FUNCTIONS};
pub use catalogs::MAX_CATALOGS;
pub use engine::{start, Engine, Running, Vacated};
pub use functions::{Functions, Wanted};
pub use plan::Target;
pub use site::{Ask, Event, View};
pub use text::Source;

// `pr_info!` and friends take their prefix from the crate root.
const __LOG_PREFIX: &[u8] = kapi::log::PREFIX;
