// SPDX-License-Identifier: GPL-2.0
//! Turns typed expressions into DIF.
//!
//! **Registers** form a stack: an expression compiled at register n leaves its value in n and may
//! use n and all registers above. So the lowest register is always taken first, both branches of
//! `?:` end in the same register, and nothing needs saving. If one operand needs more registers
//! than the other and the program cannot notice the order, it is evaluated first
//! ([`crate::typed::is_reversed`]).
//!
//! **64 bits.** An int lies in 64 bits, and operators compute in 64 bits: the sum of two ints may
//! exceed an int, and keeps its full value until it is stored or cast. [`Gen::expr`] returns how
//! much of the register is valid. A cast emits nothing and reports that only the low bits are; code
//! that needs more of them ([`Gen::value`]) extends them first. So `trace(a + b)` is one `add`, as
//! it always was.

mod branch;
mod emit;
mod expr;

use crate::program::DifObject;
use crate::source::Span;
use crate::typed::Expr;
use crate::types::Type;
use abi::difo::{DifType, BY_REF, KIND_CTF};
pub use emit::Gen;

/// The reason why an expression cannot become an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Problem {
    /// The expression needs more registers than the VM has.
    NoReg(Span),
    /// The object exceeds a limit: on instructions, tables, variables or arguments.
    TooLarge(Span, &'static str),
}

/// The use of an object's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Use {
    /// Only the effect matters.
    Effect,
    /// The value is recorded, in the size of its type.
    Record,
    /// All 64 bits matter: predicates, aggregating functions.
    Whole,
    /// This many bytes at the address are recorded.
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
