// SPDX-License-Identifier: GPL-2.0
//! Tokens of expressions, statements and declarations.

use crate::source::Span;
use crate::types::Int;

/// The kind and value of a token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Tok {
    /// An integer with the type that C gives it.
    Int(u64, Int),
    /// A string without its quotes, escapes resolved.
    Str(Vec<u8>),
    /// A name or keyword.
    Ident(String),
    /// `@name`; the name may be empty.
    Agg(String),
    /// An operator or bracket.
    Punct(&'static str),
    /// Text that caused a complaint.
    Bad,
    /// The end of the text.
    Eof,
}

/// A token and its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    /// The kind and value.
    pub tok: Tok,
    /// The place.
    pub span: Span,
}

/// Operators, longest first.
pub const PUNCTS: &[&str] = &[
    "<<=", ">>=", "...", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "^^",
    "+=", "-=", "*=", "/=", "%=", "&=", "^=", "|=", "(", ")", "[", "]", "{", "}", ";", ",", ".",
    "?", ":", "+", "-", "*", "/", "%", "&", "|", "^", "~", "!", "<", ">", "=", "`",
];
