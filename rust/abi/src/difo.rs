// SPDX-License-Identifier: GPL-2.0
//! The parts of a DIF object: the type of a value, and a row of the variable table.

use zerocopy_derive::{FromBytes, Immutable, IntoBytes, KnownLayout};

/// The type of a value in DIF: of an object's result, or of a variable.
#[repr(C)]
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, Default, FromBytes, IntoBytes, Immutable, KnownLayout,
)]
pub struct DifType {
    /// [`KIND_CTF`] or [`KIND_STRING`].
    pub kind: u8,
    /// Kind of the C type, for listings (`ctf::*`).
    pub ctf_kind: u8,
    /// [`BY_REF`], [`BY_UREF`].
    pub flags: u8,
    /// Zero.
    pub pad: u8,
    /// Size in bytes; by value 0, 1, 2, 4 or 8.
    pub size: u32,
}

/// A D type.
pub const KIND_CTF: u8 = 0;
/// A string.
pub const KIND_STRING: u8 = 1;
/// The value is an address of `size` bytes.
pub const BY_REF: u8 = 1;
/// The value is a user address of `size` bytes.
pub const BY_UREF: u8 = 2;

/// `ctf_kind` values, for listings.
#[allow(missing_docs, reason = "C's own words")]
pub mod ctf {
    pub const UNKNOWN: u8 = 0;
    pub const INTEGER: u8 = 1;
    pub const FLOAT: u8 = 2;
    pub const POINTER: u8 = 3;
    pub const ARRAY: u8 = 4;
    pub const FUNCTION: u8 = 5;
    pub const STRUCT: u8 = 6;
    pub const UNION: u8 = 7;
    pub const ENUM: u8 = 8;
    pub const FORWARD: u8 = 9;
    pub const TYPEDEF: u8 = 10;
}

impl DifType {
    /// Returns the type of an integer by value.
    pub const fn integer(size: u32) -> Self {
        Self { kind: KIND_CTF, ctf_kind: ctf::INTEGER, flags: 0, pad: 0, size }
    }
    /// Returns the type of a pointer by value.
    pub const fn pointer() -> Self {
        Self { kind: KIND_CTF, ctf_kind: ctf::POINTER, flags: 0, pad: 0, size: 8 }
    }
    /// Returns the type of a string of at most `size` bytes, NUL included.
    pub const fn string(size: u32) -> Self {
        Self { kind: KIND_STRING, ctf_kind: ctf::UNKNOWN, flags: BY_REF, pad: 0, size }
    }
    /// Returns the type of no value.
    pub const fn void() -> Self {
        Self { kind: KIND_CTF, ctf_kind: ctf::UNKNOWN, flags: 0, pad: 0, size: 0 }
    }
    /// Tells whether the value is the address of the bytes instead of the bytes themselves.
    pub const fn is_by_ref(self) -> bool {
        self.flags & (BY_REF | BY_UREF) != 0
    }
    /// Tells whether it is a floating-point number by value.
    pub const fn is_float(self) -> bool {
        self.kind == KIND_CTF && self.ctf_kind == ctf::FLOAT && !self.is_by_ref()
    }
    /// Tells whether it is a string.
    pub const fn is_string(self) -> bool {
        self.kind == KIND_STRING
    }
}

/// Scope of global variables.
pub const SCOPE_GLOBAL: u8 = 0;
/// Scope of `self->`.
pub const SCOPE_THREAD: u8 = 1;
/// Scope of `this->`.
pub const SCOPE_LOCAL: u8 = 2;
/// It is indexed by a tuple or a register.
pub const VAR_ARRAY: u8 = 0;
/// It has one value.
pub const VAR_SCALAR: u8 = 1;
/// The object reads it.
pub const VAR_REF: u16 = 1;
/// The object writes it.
pub const VAR_MOD: u16 = 2;

/// A row of an object's variable table.
#[repr(C)]
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Default, FromBytes, IntoBytes, Immutable, KnownLayout,
)]
pub struct DifVar {
    /// Byte offset of the name in the string table.
    pub name: u32,
    /// Variable id.
    pub id: u32,
    /// [`VAR_ARRAY`] or [`VAR_SCALAR`].
    pub kind: u8,
    /// [`SCOPE_GLOBAL`], [`SCOPE_THREAD`] or [`SCOPE_LOCAL`].
    pub scope: u8,
    /// [`VAR_REF`], [`VAR_MOD`].
    pub flags: u16,
    /// The type of its value.
    pub ty: DifType,
}

/// Size in bytes of the largest variable by reference: the longest string that `-x strsize` allows.
pub const MAX_BY_REF: u32 = 64 << 10;
