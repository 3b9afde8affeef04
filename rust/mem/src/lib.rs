// SPDX-License-Identifier: GPL-2.0
//! Memory whose allocation can fail: vectors, boxes and counted references.
//!
//! A crate that needs memory and nothing else of the kernel imports this one instead of `kernel`
//! and `kapi`. So it also builds on the host, where `host.rs` has the same interface, and its tests
//! need no guest. Kbuild compiles this file, Cargo the other one.
//!
//! # Context
//!
//! *process*, for all functions. Dropping is allowed in every context.
#![no_std]
#![forbid(unsafe_code)]

pub use kapi::mem::{
    accounted, arc, boxed, exact, exact_copy, extend, filled, push, reserve, vec, zeroed_atomics,
    zeroed_bytes, zeroed_words,
};
pub use kernel::alloc::{AllocError, KBox, KVVec, KVec};
pub use kernel::error::{code, Error as Errno};
pub use kernel::sync::Arc;

/// The result of a function that may find no memory.
pub type Result<T = ()> = core::result::Result<T, Errno>;
