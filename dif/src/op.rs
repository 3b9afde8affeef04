// SPDX-License-Identifier: GPL-2.0
//! The fields of one instruction word. Names and layouts are those of the table in [`abi::dif`].
//!
//! ```text
//!  31    24 23    16 15     8 7      0
//! +--------+--------+--------+--------+
//! | opcode |   r1   |   r2   |   rd   |   three registers; unused ones are zero
//! | opcode |       label (24)         |   branches
//! | opcode |   index (16)    | rd, rs |   tables, variables, subroutines
//! +--------+--------+--------+--------+
//! ```

use abi::difo::{SCOPE_GLOBAL, SCOPE_LOCAL, SCOPE_THREAD};

pub use abi::dif::{Format, Op};

/// Returns the scope of the variable that an instruction names.
pub(crate) fn scope_of(op: Op) -> u8 {
    match op {
        Op::Ldts | Op::Stts | Op::Ldtaa | Op::Sttaa => SCOPE_THREAD,
        Op::Ldls | Op::Stls => SCOPE_LOCAL,
        _ => SCOPE_GLOBAL,
    }
}

/// An instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Insn(pub u32);

impl Insn {
    /// Returns the opcode's number.
    #[inline(always)]
    pub const fn number(self) -> u8 {
        (self.0 >> 24) as u8
    }
    /// Returns the opcode, if there is one with this number.
    #[inline(always)]
    pub const fn op(self) -> Option<Op> {
        Op::from_number(self.number())
    }
    /// Returns the first source register; the type of a push; the variable of an array access.
    #[inline(always)]
    pub const fn r1(self) -> u8 {
        (self.0 >> 16) as u8
    }
    /// Returns the second source register; the size of a push; the index of an array access.
    #[inline(always)]
    pub const fn r2(self) -> u8 {
        (self.0 >> 8) as u8
    }
    /// Returns the destination register; the source of a variable store, a push, a `ret`.
    #[inline(always)]
    pub const fn rd(self) -> u8 {
        self.0 as u8
    }
    /// Returns the target of a branch.
    #[inline(always)]
    pub const fn label(self) -> u32 {
        self.0 & 0xff_ffff
    }
    /// Returns the index into a table, the id of a variable, or the number of a subroutine.
    #[inline(always)]
    pub const fn index(self) -> u16 {
        (self.0 >> 8) as u16
    }
    /// Returns an instruction with three registers.
    pub const fn registers(op: Op, r1: u8, r2: u8, rd: u8) -> Insn {
        Insn((op as u32) << 24 | (r1 as u32) << 16 | (r2 as u32) << 8 | rd as u32)
    }
    /// Returns an instruction with an index and a register.
    pub const fn indexed(op: Op, index: u16, rd: u8) -> Insn {
        Insn((op as u32) << 24 | (index as u32) << 8 | rd as u32)
    }
    /// Returns a branch; the label is cut to 24 bits.
    pub const fn branch(op: Op, label: u32) -> Insn {
        Insn((op as u32) << 24 | (label & 0xff_ffff))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_the_seed() {
        assert_eq!(Insn::indexed(Op::Setx, 0, 1).0, 0x2500_0001);
        assert_eq!(Insn::indexed(Op::Stgs, 0x500, 1).0, 0x2a05_0001);
        assert_eq!(Insn::indexed(Op::Ldgs, 0x501, 2).0, 0x2905_0102);
        assert_eq!(Insn::registers(Op::Add, 1, 2, 1).0, 0x0701_0201);
        assert_eq!(Insn::registers(Op::Ret, 0, 0, 1).0, 0x2300_0001);
        let i = Insn(0x2905_0102);
        assert_eq!((i.op(), i.index(), i.rd()), (Some(Op::Ldgs), 0x501, 2));
        assert_eq!(Insn::branch(Op::Ba, 7).label(), 7);
    }
}
