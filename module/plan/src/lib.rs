// SPDX-License-Identifier: GPL-2.0
//! What is decided before a probe fires: which probes a description means, what a clause does, and
//! where everything that it writes will be.
//!
//! Nothing here knows a kernel. The crate needs memory, and gets it from `mem`, which may refuse
//! it. So the same code that plans in the module is tested on the host, and plans in the tests of
//! the consumer.
//!
//! Read in this order:
//!
//! | file | holds |
//! |---|---|
//! | [`probe`] | probes and their table |
//! | [`matching`] | probe descriptions against probes |
//! | [`enabling`] | a checked DOF becomes statements and clauses |
//! | [`clause`], [`step`] | a predicate and actions, ready to run |
//! | `builder` | the plan of a clause's record and keys |
//! | [`code`] | an expression, copied and verified |
//! | [`shortcut`] | what of a clause needs no machine |
//! | [`vars`] | the variables of a consumer, by id |
//! | [`error`], [`report`] | why not |
//!
//! # Context
//!
//! *process*, for all that makes or changes something. Probe context reads the results.
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
pub mod report;
pub mod shortcut;
pub mod step;
pub mod vars;

pub use error::{EnableError, Error};

/// The result of an operation that may be refused.
pub type Result<T = ()> = core::result::Result<T, Error>;
