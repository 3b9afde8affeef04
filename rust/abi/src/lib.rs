// SPDX-License-Identifier: GPL-2.0
//! The interface between the module and its consumer, and nothing else.
//!
//! Each term has its own file. Everything that crosses the ioctl boundary, or that both sides must
//! compute alike, has its number, layout and arithmetic here: the same source is compiled into
//! `dtrace.ko` and into `dtrace`. Layouts are `repr(C)` without implicit padding (zerocopy's
//! derives refuse it), little endian, and listed in `layout.golden`, so that a change shows up in
//! review.
//!
//! A vocabulary is one `for_each_*!` table: number, name and shape are in one row, and the enum,
//! the parser and the listing follow from it.
#![cfg_attr(not(test), no_std)]
#![forbid(unsafe_code)]
#![deny(missing_docs, clippy::indexing_slicing, clippy::unwrap_used)]

pub mod action;
pub mod aggregation;
pub mod conf;
pub mod cpc;
pub mod dif;
pub mod difo;
pub mod dof;
pub mod fault;
pub mod helper;
pub mod ids;
pub mod ioctl;
pub mod option;
pub mod probe;
pub mod rate;
pub mod reason;
pub mod record;
pub mod stability;
pub mod status;
pub mod syscall;
pub mod unwind;
pub mod user;

#[cfg(test)]
mod layout;
