// SPDX-License-Identifier: GPL-2.0
//! Typed expressions to DIF.
//!
//! **Registers** form a stack: an expression compiled at register n leaves its value in n and may
//! use n and everything above. So "lowest first" comes by itself, both branches of `?:` end in the
//! same register, and nothing has to be saved. Where one operand needs more registers than the
//! other, it goes first, if that cannot be noticed ([`crate::typed::is_reversed`]).
//!
//! **64 bits.** An int lies in 64 bits, and operators compute in 64 bits: the sum of two ints may be
//! more than an int holds, and counts as what it is until it is stored or cast. [`Gen::expr`] says what
//! of a value is in the register; a cast leaves the low bits alone and says so, and the next to look at
//! more of them ([`Gen::value`]) extends them first. So `trace(a + b)` is one `add`, as it always was.

mod branch;
mod emit;
mod expr;

use crate::program::DifObject;
use crate::source::Span;
use crate::typed::Expr;
use crate::types::Type;
use abi::difo::{DifType, BY_REF, KIND_CTF};
pub use emit::Gen;

/// What keeps an expression from becoming an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Problem {
    /// The expression needs more registers than there are.
    NoReg(Span),
    /// One object has limits on text, tables, variables and arguments.
    TooLarge(Span, &'static str),
}

/// What an object's value is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Use {
    /// Only the effect matters.
    Effect,
    /// As many bytes as its type has are recorded.
    Record,
    /// All 64 bits are looked at: predicates, aggregating functions.
    Whole,
    /// So many bytes at the address are recorded.
    Bytes(u32),
}

/// Compiles one expression to one object.
pub fn object(e: &Expr, how: Use, strsize: u32) -> Result<DifObject, Problem> {
    let mut gen = Gen::new(strsize);
    match how {
        Use::Whole => gen.value(e, 1)?,
        _ => gen.expr(e, 1)?,
    };
    let rtype = match how {
        Use::Effect => DifType::void(),
        Use::Record => e.ty.dif(strsize),
        Use::Whole => match &e.ty {
            Type::Int(_) | Type::Pointer(_) => e.ty.dif(strsize),
            _ => DifType::integer(8),
        },
        Use::Bytes(size) => DifType { kind: KIND_CTF, flags: BY_REF, size, ..DifType::void() },
    };
    gen.finish(rtype, e.span)
}
