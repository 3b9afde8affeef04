// SPDX-License-Identifier: GPL-2.0
//! The atomics of this crate. With `--cfg loom` they are those of the model checker loom: then
//! `tests/model.rs` runs the code with every interleaving, and with every value that the memory
//! order allows.

#[cfg(not(loom))]
pub(crate) use core::{
    hint::spin_loop,
    sync::atomic::{fence, AtomicU32, AtomicU64, Ordering},
};
#[cfg(loom)]
pub(crate) use loom::{
    hint::spin_loop,
    sync::atomic::{fence, AtomicU32, AtomicU64, Ordering},
};
