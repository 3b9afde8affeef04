// SPDX-License-Identifier: GPL-2.0
//! What names mean: macro variables while reading, everything else while checking.

pub mod macros;
pub mod scope;
