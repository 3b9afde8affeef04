// SPDX-License-Identifier: GPL-2.0
//! Variables of D programs and their scopes.

use crate::types::Type;
use abi::difo::{SCOPE_GLOBAL, SCOPE_LOCAL, SCOPE_THREAD};
use std::sync::Arc;

/// The scope of a variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Scope {
    /// `x`.
    Global,
    /// `self->x`.
    Thread,
    /// `this->x`.
    Local,
}

impl Scope {
    /// Returns its number in a variable table.
    pub const fn number(self) -> u8 {
        match self {
            Self::Global => SCOPE_GLOBAL,
            Self::Thread => SCOPE_THREAD,
            Self::Local => SCOPE_LOCAL,
        }
    }
    /// Returns the prefix of a name.
    pub const fn prefix(self) -> &'static str {
        match self {
            Self::Global => "",
            Self::Thread => "self->",
            Self::Local => "this->",
        }
    }
}

/// A variable of the D program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Variable {
    /// The scope.
    pub scope: Scope,
    /// DIF id, unique in its scope.
    pub id: u16,
    /// Name without prefix.
    pub name: Arc<str>,
    /// The type of its value; of an element's value, if it is an associative array.
    pub ty: Type,
    /// The types of an associative array's keys.
    pub keys: Option<Arc<[Type]>>,
}
