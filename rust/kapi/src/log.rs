// SPDX-License-Identifier: GPL-2.0
//! The kernel log. All crates have one prefix: put `const __LOG_PREFIX: &[u8] = kapi::log::PREFIX;`
//! at a crate's root, then use the kernel's `pr_info!` and its like.
//!
//! Never log in probe context: users trace the console, too.

/// The text in front of each line.
pub const PREFIX: &[u8] = b"dtrace\0";
