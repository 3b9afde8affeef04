// SPDX-License-Identifier: GPL-2.0
//! Stands in for the decoder of `rust/x86`, of which kapi uses only the types that the decoder makes.
//! The tests know where their instructions begin and what they do, and must also be able to lie.
#![no_std]
#![forbid(unsafe_code)]

#[path = "rust/x86/src/encoding.rs"]
pub mod encoding;

#[path = "rust/x86/src/decoded.rs"]
mod decoded;
pub use decoded::{Boundary, Decoded, Shape};

/// The maximum length of an instruction in bytes.
pub const MAX_LEN: usize = 15;

/// Claims that an instruction begins there.
pub fn boundary(addr: u64) -> Boundary {
    Boundary(addr)
}

/// Claims that this is an instruction of this shape.
pub fn decoded(addr: u64, shape: Shape, bytes: &[u8]) -> Option<Decoded> {
    Decoded::claim(Boundary(addr), shape, bytes)
}
