// SPDX-License-Identifier: GPL-2.0
//! The kernel log. One prefix for all crates: `const __LOG_PREFIX: &[u8] = kapi::log::PREFIX;` at a
//! crate's root, then the kernel's `pr_info!` and its like.
//!
//! Never from probe context: the console is something that one traces.

/// Stands before each line.
pub const PREFIX: &[u8] = b"dtrace\0";
