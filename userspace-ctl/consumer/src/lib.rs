// SPDX-License-Identifier: GPL-2.0
//! The consumer's work: open the device, compile, enable, go, work, stop, print.
//!
//! ```text
//!  D text -> crate d -> Program -> enable -> GO -> | work: snap -> consume -> print | -> STOP -> print
//!                 (world: which probes are there)    status -> drops, exit()
//! ```
//! Everything above [`kernel::Kernel`] runs without a kernel: tests use a fake one and read what is
//! printed. [`sys`] contains the only unsafe code of userspace.
#![deny(unsafe_code, missing_docs)]
#![warn(clippy::too_many_lines)]
// They panic if the stream is closed or its disk is full.
#![cfg_attr(not(test), deny(clippy::print_stderr, clippy::print_stdout))]
#![deny(clippy::unwrap_used, clippy::expect_used)]
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used))]

pub mod aggregate;
pub mod anonymous;
pub mod clock;
pub mod consume;
pub mod datum;
pub mod device;
pub mod enable;
pub mod error;
pub mod kernel;
pub mod library;
pub mod nearest;
pub mod option;
pub mod print;
pub mod process;
pub mod session;
pub mod status;
pub mod symbol;
pub mod sys;
pub mod types;
pub mod usdt;
pub mod user;
pub mod wait;
pub mod why;
pub mod world;

pub use error::{Error, Failure, Refusal};
pub use kernel::Kernel;
pub use session::{Enabled, Ended, Tracing};
