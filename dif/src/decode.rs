// SPDX-License-Identifier: GPL-2.0
//! The decoded form of a verified text. Each instruction is one [`Decoded`] of eight bytes, with
//! existing registers, small numbers in place, variables as rows of the table, and branches as the
//! number of instructions to skip. The loop of [`crate::interp`] dispatches on it.
//!
//! Branches can only skip instructions, never go back. So a run of any decoded text ends, whatever
//! the text was. Text that the verifier would refuse decodes to [`Does::Illegal`].

use core::ops::Deref;
#[cfg(any(test, feature = "std"))]
use std::vec::Vec;

use abi::dif::{Builtin, Op, Subr, NREGS, VAR_USER_BASE};
use abi::difo::KIND_STRING;

use crate::difo::Difo;
use crate::env::Space;
use crate::op::{scope_of, Insn};
use crate::quick::Quick;
use crate::verify::Verified;
#[cfg(any(test, feature = "std"))]
use crate::verify::{verify, Rules, VerifyError};

/// A register. No other registers exist.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
#[allow(missing_docs, reason = "named as everywhere")]
pub enum Reg {
    R0,
    R1,
    R2,
    R3,
    R4,
    R5,
    R6,
    R7,
}

impl Reg {
    const ALL: [Reg; NREGS] =
        [Reg::R0, Reg::R1, Reg::R2, Reg::R3, Reg::R4, Reg::R5, Reg::R6, Reg::R7];

    fn of(number: u8) -> Option<Self> {
        Self::ALL.get(usize::from(number)).copied()
    }
}

/// An operation on two numbers that cannot fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
#[allow(missing_docs, reason = "the opcode of the same name is the documentation")]
pub enum Binary {
    Sub,
    Add,
    And,
    Or,
    Xor,
    Mul,
    Sll,
    Srl,
    Sra,
}

/// The condition of a branch, on the two numbers compared last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
#[allow(missing_docs, reason = "the branch of the same name is the documentation")]
pub enum Test {
    Equal,
    NotEqual,
    Greater,
    GreaterEqual,
    Less,
    LessEqual,
    Above,
    AboveEqual,
    Below,
    BelowEqual,
}

impl Binary {
    fn of_op(op: Op) -> Option<Self> {
        Some(match op {
            Op::Sub => Self::Sub,
            Op::Add => Self::Add,
            Op::And => Self::And,
            Op::Or => Self::Or,
            Op::Xor => Self::Xor,
            Op::Mul => Self::Mul,
            Op::Sll => Self::Sll,
            Op::Srl => Self::Srl,
            Op::Sra => Self::Sra,
            _ => return None,
        })
    }

    /// Returns the result of the operation. It wraps; a shift uses the low six bits of its count.
    // CAST: between u64 and i64, the same bits.
    #[inline(always)]
    pub fn of(self, a: u64, b: u64) -> u64 {
        match self {
            Self::Sub => a.wrapping_sub(b),
            Self::Add => a.wrapping_add(b),
            Self::And => a & b,
            Self::Or => a | b,
            Self::Xor => a ^ b,
            Self::Mul => a.wrapping_mul(b),
            Self::Sll => a.wrapping_shl(b as u32),
            Self::Srl => a.wrapping_shr(b as u32),
            Self::Sra => (a as i64).wrapping_shr(b as u32) as u64,
        }
    }
}

impl Test {
    fn of_op(op: Op) -> Option<Self> {
        Some(match op {
            Op::Be => Self::Equal,
            Op::Bne => Self::NotEqual,
            Op::Bg => Self::Greater,
            Op::Bge => Self::GreaterEqual,
            Op::Bl => Self::Less,
            Op::Ble => Self::LessEqual,
            Op::Bgu => Self::Above,
            Op::Bgeu => Self::AboveEqual,
            Op::Blu => Self::Below,
            Op::Bleu => Self::BelowEqual,
            _ => return None,
        })
    }

    /// Tells whether the branch is taken after `a` and `b` were compared. There are no condition
    /// codes, so signed conditions are right even where the difference would overflow.
    // CAST: the same bits, signed.
    #[inline(always)]
    pub fn of(self, a: u64, b: u64) -> bool {
        let (sa, sb) = (a as i64, b as i64);
        match self {
            Self::Equal => a == b,
            Self::NotEqual => a != b,
            Self::Greater => sa > sb,
            Self::GreaterEqual => sa >= sb,
            Self::Less => sa < sb,
            Self::LessEqual => sa <= sb,
            Self::Above => a > b,
            Self::AboveEqual => a >= b,
            Self::Below => a < b,
            Self::BelowEqual => a <= b,
        }
    }
}

/// A division: whether the numbers are signed, and whether the result is the remainder.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Division {
    pub(crate) signed: bool,
    pub(crate) remainder: bool,
}

/// A decoded instruction.
#[derive(Debug, Clone, Copy)]
pub struct Decoded(pub(crate) Does);

/// The work of an instruction. The most frequent kinds come first.
#[derive(Debug, Clone, Copy)]
#[repr(u8)]
pub(crate) enum Does {
    Set {
        to: Reg,
        value: i32,
    },
    Binary {
        op: Binary,
        a: Reg,
        b: Reg,
        to: Reg,
    },
    /// Sets `b`, then works like [`Does::Binary`]: two instructions.
    SetBinary {
        op: Binary,
        a: Reg,
        b: Reg,
        to: Reg,
        value: i16,
    },
    Compare {
        a: Reg,
        b: Reg,
    },
    /// Compares, then works like [`Does::Branch`]: two instructions.
    CompareBranch {
        test: Test,
        a: Reg,
        b: Reg,
        skip: u32,
    },
    /// Compares a truth value, 0 or 1, with zero.
    Truth {
        of: Reg,
    },
    Branch {
        test: Test,
        skip: u32,
    },
    Jump {
        skip: u32,
    },
    Builtin {
        which: Builtin,
        to: Reg,
    },
    Var {
        row: u16,
        to: Reg,
    },
    StoreVar {
        row: u16,
        from: Reg,
    },
    Load {
        space: Space,
        size: u8,
        signed: bool,
        from: Reg,
        to: Reg,
    },
    Return {
        value: Reg,
    },

    Nothing,
    Not {
        a: Reg,
        to: Reg,
    },
    /// Sets a number of more than 32 bits.
    Integer {
        index: u16,
        to: Reg,
    },
    String {
        offset: u16,
        to: Reg,
    },
    Divide {
        how: Division,
        a: Reg,
        b: Reg,
        to: Reg,
    },
    CompareStrings {
        a: Reg,
        b: Reg,
    },
    Store {
        size: u8,
        from: Reg,
        at: Reg,
    },
    Copy {
        from: Reg,
        to: Reg,
        len: Reg,
    },
    Alloc {
        size: Reg,
        to: Reg,
    },
    Element {
        of: Builtin,
        index: Reg,
        to: Reg,
    },
    StoreElement {
        of: Builtin,
        index: Reg,
        from: Reg,
    },
    Array {
        row: u16,
        to: Reg,
    },
    StoreArray {
        row: u16,
        from: Reg,
    },
    Call {
        subr: Subr,
        to: Reg,
    },
    Push {
        from: Reg,
    },
    PushRef {
        from: Reg,
        size: Reg,
        is_string: bool,
    },
    Pop,
    Flush,
    Illegal,
}

const _: () = assert!(size_of::<Decoded>() == 8);

impl Does {
    /// Decodes instruction `pc` alone.
    pub(crate) fn alone<D: Difo>(difo: &Verified<D>, pc: usize) -> Self {
        let word = difo.text().get(pc).copied();
        word.and_then(|word| Self::of(difo, pc, Insn(word))).unwrap_or(Self::Illegal)
    }

    /// Decodes instruction `pc` together with the next one, if one dispatch can do both. The next
    /// one also has its own decoded form, for branches to it.
    fn together<D: Difo>(difo: &Verified<D>, pc: usize) -> Self {
        let first = Self::alone(difo, pc);
        let second = || Self::alone(difo, pc.wrapping_add(1));
        match first {
            Self::Set { to, value } => match (second(), i16::try_from(value)) {
                (Self::Binary { op, a, b, to: sum }, Ok(value)) if b == to && a != to => {
                    Self::SetBinary { op, a, b, to: sum, value }
                }
                _ => first,
            },
            Self::Compare { a, b } => match second() {
                Self::Branch { test, skip } => Self::CompareBranch { test, a, b, skip },
                _ => first,
            },
            _ => first,
        }
    }

    fn of<D: Difo>(difo: &Verified<D>, pc: usize, insn: Insn) -> Option<Self> {
        let op = insn.op()?;
        let kernel = difo.kernel_loads();
        let (r1, r2, rd) = (Reg::of(insn.r1()), Reg::of(insn.r2()), Reg::of(insn.rd()));
        let builtin = || Builtin::from_id(insn.index());
        let element = || Builtin::from_id(u16::from(insn.r1()));
        let row = || {
            let (id, scope) = (u32::from(insn.index()), scope_of(op));
            let row = difo.vars().iter().position(|v| v.id == id && v.scope == scope)?;
            u16::try_from(row).ok()
        };
        // The number of instructions to skip after the next one.
        let skip = || insn.label().checked_sub(u32::try_from(pc).ok()?.checked_add(1)?);
        let load =
            |space, size, signed| Some(Self::Load { space, size, signed, from: r1?, to: rd? });
        let divide = |signed, remainder| {
            Some(Self::Divide { how: Division { signed, remainder }, a: r1?, b: r2?, to: rd? })
        };
        let store = |size| Some(Self::Store { size, from: r1?, at: rd? });
        Some(match op {
            Op::Not => Self::Not { a: r1?, to: rd? },
            Op::Mov => Self::Binary { op: Binary::Or, a: r1?, b: Reg::R0, to: rd? },
            Op::Sdiv => divide(true, false)?,
            Op::Udiv => divide(false, false)?,
            Op::Srem => divide(true, true)?,
            Op::Urem => divide(false, true)?,
            Op::Cmp => Self::Compare { a: r1?, b: r2? },
            Op::Tst => Self::Truth { of: r1? },
            Op::Scmp => Self::CompareStrings { a: r1?, b: r2? },
            Op::Ba => Self::Jump { skip: skip()? },
            Op::Ldsb => load(kernel, 1, true)?,
            Op::Ldsh => load(kernel, 2, true)?,
            Op::Ldsw => load(kernel, 4, true)?,
            Op::Ldub => load(kernel, 1, false)?,
            Op::Lduh => load(kernel, 2, false)?,
            Op::Lduw => load(kernel, 4, false)?,
            Op::Ldx => load(kernel, 8, false)?,
            Op::Uldsb => load(Space::User, 1, true)?,
            Op::Uldsh => load(Space::User, 2, true)?,
            Op::Uldsw => load(Space::User, 4, true)?,
            Op::Uldub => load(Space::User, 1, false)?,
            Op::Ulduh => load(Space::User, 2, false)?,
            Op::Ulduw => load(Space::User, 4, false)?,
            Op::Uldx => load(Space::User, 8, false)?,
            Op::Rldsb => load(Space::Restricted, 1, true)?,
            Op::Rldsh => load(Space::Restricted, 2, true)?,
            Op::Rldsw => load(Space::Restricted, 4, true)?,
            Op::Rldub => load(Space::Restricted, 1, false)?,
            Op::Rlduh => load(Space::Restricted, 2, false)?,
            Op::Rlduw => load(Space::Restricted, 4, false)?,
            Op::Rldx => load(Space::Restricted, 8, false)?,
            Op::Stb => store(1)?,
            Op::Sth => store(2)?,
            Op::Stw => store(4)?,
            Op::Stx => store(8)?,
            Op::Copys => Self::Copy { from: r1?, to: rd?, len: r2? },
            Op::Allocs => Self::Alloc { size: r1?, to: rd? },
            Op::Ret => Self::Return { value: rd? },
            Op::Nop => Self::Nothing,
            Op::Setx => {
                let value = *difo.inttab().get(usize::from(insn.index()))?;
                // CAST: the same bits, signed.
                match i32::try_from(value as i64) {
                    Ok(value) => Self::Set { to: rd?, value },
                    Err(_) => Self::Integer { index: insn.index(), to: rd? },
                }
            }
            Op::Sets => Self::String { offset: insn.index(), to: rd? },
            Op::Ldga => Self::Element { of: element()?, index: r2?, to: rd? },
            Op::Stga => Self::StoreElement { of: element()?, index: r2?, from: rd? },
            Op::Ldgs if insn.index() < VAR_USER_BASE => {
                Self::Builtin { which: builtin()?, to: rd? }
            }
            Op::Ldgs | Op::Ldts | Op::Ldls => Self::Var { row: row()?, to: rd? },
            Op::Stgs | Op::Stts | Op::Stls => Self::StoreVar { row: row()?, from: rd? },
            Op::Ldgaa | Op::Ldtaa => Self::Array { row: row()?, to: rd? },
            Op::Stgaa | Op::Sttaa => Self::StoreArray { row: row()?, from: rd? },
            Op::Call => Self::Call { subr: Subr::from_id(insn.index())?, to: rd? },
            Op::Pushtv => Self::Push { from: rd? },
            Op::Pushtr => {
                Self::PushRef { from: rd?, size: r2?, is_string: insn.r1() == KIND_STRING }
            }
            Op::Popts => Self::Pop,
            Op::Flushts => Self::Flush,
            // Thread-local arrays of this kind have never existed; the verifier refuses the other
            // two.
            Op::Ldta | Op::Xlate | Op::Xlarg => Self::Illegal,
            op => match (Binary::of_op(op), Test::of_op(op)) {
                (Some(op), _) => Self::Binary { op, a: r1?, b: r2?, to: rd? },
                (_, Some(test)) => Self::Branch { test, skip: skip()? },
                _ => Self::Illegal,
            },
        })
    }
}

/// A verified object with its decoded form, which [`crate::run`] needs.
#[derive(Debug)]
pub struct Program<D: Difo, S> {
    verified: Verified<D>,
    steps: S,
    quick: Quick,
}

impl<D: Difo, S: Deref<Target = [Decoded]>> Program<D, S> {
    /// Decodes an object. `keep` stores the decoded instructions, in order; its error is returned.
    ///
    /// # Context
    ///
    /// Process: time is proportional to instructions times variables.
    pub fn new<R>(
        verified: Verified<D>,
        keep: impl FnOnce(&mut dyn ExactSizeIterator<Item = Decoded>) -> Result<S, R>,
    ) -> Result<Self, R> {
        let steps = {
            let all = 0..verified.text().len();
            keep(&mut all.map(|pc| Decoded(Does::together(&verified, pc))))?
        };
        let quick = Quick::of(&verified);
        Ok(Self { verified, steps, quick })
    }

    /// Returns the decoded text.
    #[inline]
    pub(crate) fn steps(&self) -> &[Decoded] {
        &self.steps
    }

    /// Returns the shape of the object; [`Quick::No`] if it has no simple one.
    #[inline]
    pub fn quick(&self) -> &Quick {
        &self.quick
    }
}

#[cfg(any(test, feature = "std"))]
impl<D: Difo> Program<D, Vec<Decoded>> {
    /// Verifies an object and decodes it.
    pub fn of(difo: D, rules: &Rules, report: &mut dyn FnMut(VerifyError)) -> Option<Self> {
        let verified = verify(difo, rules, report)?;
        Self::new(verified, |all| Ok::<_, ()>(all.collect())).ok()
    }
}

impl<D: Difo, S> Deref for Program<D, S> {
    type Target = Verified<D>;
    fn deref(&self) -> &Verified<D> {
        &self.verified
    }
}
