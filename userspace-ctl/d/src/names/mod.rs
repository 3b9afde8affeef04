// SPDX-License-Identifier: GPL-2.0
//! The meaning of names: macro variables while reading, everything else while checking.

pub mod macros;
pub mod scope;
