// SPDX-License-Identifier: GPL-2.0
//! Format strings of printf and printa. They are parsed once, so that the printer walks pieces, not
//! text.

/// A parsed format string.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Format {
    /// The pieces, in order.
    pub pieces: Vec<Piece>,
}

/// Text or conversion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// Printed as it is (`%%` is already `%`).
    Text(String),
    /// A value.
    Conversion(Conversion),
}

/// The value that a conversion prints.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Value {
    /// Value number n of the statement's data (printf), key number n (printa).
    Arg(usize),
    /// Value of aggregation number n of the printa statement's list.
    Aggregation(usize),
}

/// Width or precision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// A number in the text.
    Fixed(u32),
    /// `*`: value number n of the statement's data, an int. A negative width means left-aligned.
    Arg(usize),
}

/// A conversion: `%` with its flags, width, precision and letter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conversion {
    /// `-`.
    pub left: bool,
    /// `+`.
    pub plus: bool,
    /// ` `.
    pub space: bool,
    /// `#`.
    pub alternate: bool,
    /// `0`.
    pub zero: bool,
    /// `'`.
    pub group: bool,
    /// `@` before the letter (`%@d`): the conversion prints the aggregation's value.
    pub aggregation: bool,
    /// The minimum number of columns.
    pub width: Option<Extent>,
    /// The number after the dot.
    pub precision: Option<Extent>,
    /// `h`, `hh`, `l`, `ll`, `L`, `w` as written. Sizes adapt to the value, so only `w` and `l`
    /// before `c` and `s` have an effect.
    pub length: String,
    /// The letter: one of `aAcCdiIkopPsSTuxXYeEfFgG`, `@` for a bare `%@`.
    pub letter: char,
    /// The value to print.
    pub value: Value,
    /// The text as written, such as `%5d`, for messages.
    pub text: String,
}
