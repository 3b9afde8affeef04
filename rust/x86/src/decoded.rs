// SPDX-License-Identifier: GPL-2.0
//! The types by which the decoder gives its word. Patches of kernel text rely on them, so only this
//! crate makes their values.
//!
//! The word is as true as the caller's claim that a function begins at the start of the code and
//! has these bytes.

use crate::MAX_LEN;

/// The address of an instruction, found by decoding code from its beginning. Only at a boundary may
/// a patch of text begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Boundary(pub(crate) u64);

impl Boundary {
    /// Returns the address.
    #[inline]
    pub fn addr(self) -> u64 {
        self.0
    }
}

/// The shape of an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// An instruction without effect: a nop, an endbr.
    Nop,
    /// `push` of a 64-bit register, by its number in encodings.
    Push(u8),
    /// A direct jump.
    Jump(u64),
    /// A conditional jump: the condition code as in encodings, and the target.
    Branch(u8, u64),
    /// A direct call.
    Call(u64),
    /// A return that pops nothing else.
    Return,
    /// A jump through a register, by its number.
    JumpReg(u8),
    /// A call through a register, by its number.
    CallReg(u8),
    /// An instruction that a copy can replace. If it addresses memory relative to itself, the
    /// offset of the 32-bit displacement.
    Plain(Option<u8>),
    /// An instruction that always traps: ud2, int3.
    Trap,
    /// An instruction for which none of this is known to be right.
    Other,
}

/// An instruction: its address, bytes and shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Decoded {
    at: Boundary,
    shape: Shape,
    bytes: [u8; MAX_LEN],
    len: u8,
}

impl Decoded {
    /// `bytes` are those of the instruction, and have its shape. `None`: there are none, or too many.
    pub(crate) fn claim(at: Boundary, shape: Shape, bytes: &[u8]) -> Option<Self> {
        let mut copy = [0; MAX_LEN];
        copy.get_mut(..bytes.len()).filter(|to| !to.is_empty())?.copy_from_slice(bytes);
        // CAST: at most 15.
        Some(Self { at, shape, bytes: copy, len: bytes.len() as u8 })
    }

    /// Returns its address.
    pub fn at(&self) -> Boundary {
        self.at
    }

    /// Returns its shape.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// Returns its bytes, of which there are 1 to [`MAX_LEN`].
    pub fn bytes(&self) -> &[u8] {
        self.bytes.get(..self.len.into()).unwrap_or(&self.bytes)
    }

    /// Returns the number of its bytes.
    pub fn size(&self) -> u8 {
        self.len
    }

    /// Returns the address after it.
    pub fn next(&self) -> u64 {
        self.at.addr().wrapping_add(self.len.into())
    }
}
