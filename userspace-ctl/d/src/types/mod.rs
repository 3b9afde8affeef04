// SPDX-License-Identifier: GPL-2.0
//! D's types, and conversions between them.

pub mod aggregate;
pub mod convert;
pub mod ctype;
mod display;
pub mod name;

pub use aggregate::{Function, Member, Struct, StructId, StructKind};
pub use ctype::{Int, Type};
