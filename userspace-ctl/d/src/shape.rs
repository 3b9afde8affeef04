// SPDX-License-Identifier: GPL-2.0
//! The types of values that `print()` prints, in a form that needs no type information.

/// The type of a printed value: its C name and its shape.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown {
    /// The type as C writes it, such as `struct timespec64`.
    pub ty: String,
    /// The meaning of its bytes.
    pub shape: Shape,
}

/// The meaning of some bytes.
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
        /// The names of the values, which are extended to 64 bits.
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
        /// Bytes that the text may take.
        size: u32,
    },
    /// Elements of one type.
    Array {
        /// The shape of each element.
        of: Box<Shape>,
        /// Bytes of each element.
        size: u32,
        /// Number of elements.
        count: u32,
    },
    /// A struct or union: its members in order.
    Struct(Vec<Field>),
    /// Too large to show, or not known.
    Unknown,
}

/// A member.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    /// The name; "" for a struct or union whose members count as members of the enclosing one.
    pub name: String,
    /// The type as C writes it.
    pub ty: String,
    /// Offset from the start of the struct, in bits.
    pub offset: u32,
    /// Number of bits of a bit field.
    pub bits: Option<u8>,
    /// The shape.
    pub shape: Shape,
}
