// SPDX-License-Identifier: GPL-2.0
//! Running programs: their mappings, functions and instructions.
//!
//! ```text
//!  /proc/PID/maps ──► maps ──► process: objects ──► image: functions ──► parts ──► expand: probes
//!                              │                       images: which processes share one
//!                              │                       debug: where a stripped file's symbols are
//!                              │                       inlined: what its DWARF says of an address
//!                              │                       headers: what a file without sections has
//!                              └──► frames: how its frames are left, for the module
//!  /tmp/perf-PID.map ──► jit                   files: opens all of these
//!                                              listed: whether an open file is the mapped one
//! ```
//! `patient` asks for everything that a process can delay. Nothing here trusts a file: a damaged
//! file only yields less. An object is read when it is needed, and only the needed parts of it.
//! `budget` bounds the memory that all of this takes, `cache` what each user has of it; `work`
//! bounds the steps, `unpack` the time of decoders; `limit` is about open files.
#![forbid(unsafe_code)]
#![warn(clippy::too_many_lines)]
// They panic if the stream is closed or its disk is full.
#![cfg_attr(not(test), deny(clippy::print_stderr, clippy::print_stdout))]
#![deny(missing_docs, clippy::unwrap_used, clippy::expect_used)]
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used))]

pub mod account;
pub mod budget;
pub mod cache;
mod debug;
mod dwarf;
pub mod expand;
mod file_state;
mod files;
mod flow;
pub mod frames;
pub mod function;
mod headers;
pub mod image;
mod images;
mod inlined;
pub mod jit;
pub mod limit;
mod listed;
pub mod locks;
pub mod maps;
mod metered;
mod parts;
mod patient;
pub mod process;
mod ranges;
mod segment;
pub mod stapsdt;
mod status;
pub mod unpack;
mod work;

pub use expand::{Batches, Miss, Pattern};
pub use function::Function;
pub use image::{Chosen, Image};
pub use images::Seen;
pub use maps::Map;
pub use patient::{silent, Memory};
pub use process::Process;
pub use segment::Segment;
pub use work::Beat;
