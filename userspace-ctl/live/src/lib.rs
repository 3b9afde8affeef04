// SPDX-License-Identifier: GPL-2.0
//! The live view, `dtrace -T`: shows a running session's stream of JSON as a screen of tables,
//! distributions and heat maps. The view has its own thread, so that it answers keys while the
//! session works.
//!
//! ```text
//! session -> stream -> Model  <- clear -  Ui <- keys
//!                        \--- draw ---------/
//! ```

#![forbid(unsafe_code)]
#![warn(clippy::too_many_lines)]
// They panic if the stream is closed or its disk is full.
#![cfg_attr(not(test), deny(clippy::print_stderr, clippy::print_stdout))]
#![warn(missing_docs)]
#![deny(clippy::unwrap_used, clippy::expect_used)]
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used))]

mod capture;
pub mod draw;
pub mod look;
pub mod model;
mod series;
mod text;
pub mod ui;
mod view;

pub use view::{Save, View};
