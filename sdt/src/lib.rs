// SPDX-License-Identifier: GPL-2.0
//! placeholder
#![cfg_attr(not(test), no_std)]
#![forbid(unsafe_code)]
pub mod record;
