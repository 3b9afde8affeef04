// SPDX-License-Identifier: GPL-2.0
//! Makes all decisions before a probe fires: which probes match a description, what a clause does,
//! and where it writes its data.
//!
//! This crate knows no kernel. It needs memory, and gets it from `mem`, which may refuse it. So the
//! code that plans in the module is also tested on the host, and plans in the tests of the
//! consumer.
//!
//! Read in this order:
//!
//! | file | holds |
//! |---|---|
//! | [`probe`] | probes and their table |
//! | [`matching`] | compares probe descriptions with probes |
//! | [`enabling`] | makes statements and clauses of a checked DOF |
//! | [`clause`], [`step`] | a predicate and actions, ready to run |
//! | `builder` | the plan of a clause's record and keys |
//! | [`code`] | an expression, copied and verified |
//! | [`shortcut`] | the parts of a clause that need no machine |
//! | [`vars`] | the variables of a consumer, by id |
//! | [`sizes`] | the memory that probes of a consumer write |
//! | [`quota`] | what consumers may have together, and the part for root |
//! | [`error`], [`report`] | the reasons for refusals |
//!
//! # Context
//!
//! *process*, for everything that makes or changes data. Probe context reads the results.
#![no_std]
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod builder;
pub mod clause;
pub mod code;
pub mod enabling;
pub mod error;
pub mod matching;
pub mod probe;
pub mod quota;
pub mod report;
pub mod shortcut;
pub mod sizes;
pub mod step;
pub mod vars;

pub use error::{EnableError, Error};

/// The result of an operation that may be refused.
pub type Result<T = ()> = core::result::Result<T, Error>;
