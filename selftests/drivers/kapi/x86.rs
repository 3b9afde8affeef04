// SPDX-License-Identifier: GPL-2.0
//! Stands in for the decoder of `rust/x86`, of which kapi uses only the type that the decoder makes.
//! The tests know where their instructions begin, and must also be able to lie about it.
#![no_std]
#![forbid(unsafe_code)]

#[path = "rust/x86/src/encoding.rs"]
pub mod encoding;

/// The address of an instruction, if the test that made it is right.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Boundary(pub u64);

impl Boundary {
    /// Returns the address.
    pub fn addr(self) -> u64 {
        self.0
    }
}
