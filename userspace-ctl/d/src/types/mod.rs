// SPDX-License-Identifier: GPL-2.0
//! D's types and how values of one become values of another.

pub mod convert;
pub mod ctype;

pub use ctype::{Int, Type};
