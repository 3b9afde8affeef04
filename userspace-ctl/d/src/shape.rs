// SPDX-License-Identifier: GPL-2.0
//! What `print()` shows: a value's type with all that is in it, in a form that needs no types any more.

/// What is printed, and its type as C writes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown {
    /// `struct timespec64`.
    pub ty: String,
    /// What its bytes are.
    pub shape: Shape,
}

/// What some bytes are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Shape {
    /// A number of 1, 2, 4 or 8 bytes.
    Number {
        /// Bytes.
        size: u32,
        /// Two's complement.
        is_signed: bool,
    },
    /// A value of an enumeration.
    Enum {
        /// Bytes.
        size: u32,
        /// The names of values, which are extended to 64 bits.
        names: Vec<(String, u64)>,
    },
    /// One character.
    Char,
    /// A floating-point number of 4 or 8 bytes.
    Float {
        /// Bytes.
        size: u32,
    },
    /// Characters up to a NUL.
    Text {
        /// Bytes that they may take.
        size: u32,
    },
    /// Equal elements.
    Array {
        /// What each is.
        of: Box<Shape>,
        /// Bytes of each.
        size: u32,
        /// How many.
        count: u32,
    },
    /// A struct or union: its members in order.
    Struct(Vec<Field>),
    /// Too much, or not known.
    Unknown,
}

/// A member.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    /// Name; "" for a struct or union whose members count as members of the one around.
    pub name: String,
    /// Type as C writes it.
    pub ty: String,
    /// Bits from the start of the struct.
    pub offset: u32,
    /// Bits of a bit field.
    pub bits: Option<u8>,
    /// What it is.
    pub shape: Shape,
}
