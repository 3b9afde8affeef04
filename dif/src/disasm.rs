// SPDX-License-Identifier: GPL-2.0
//! The listing of `dtrace -S`.

use core::fmt;

use abi::difo::DifType;

use crate::difo::Difo;

/// Writes the listing of an object: header, instructions, variable table.
pub fn write<D: Difo + ?Sized>(_difo: &D, _out: &mut dyn fmt::Write) -> fmt::Result {
    todo!()
}

/// Writes one instruction without offset, word and line end.
pub fn write_insn<D: Difo + ?Sized>(
    _difo: &D,
    _word: u32,
    _out: &mut dyn fmt::Write,
) -> fmt::Result {
    todo!()
}

/// A DIF type as listings show it: `D type (integer) (size 4)`.
#[derive(Debug, Clone, Copy)]
pub struct TypeText(pub DifType);

impl fmt::Display for TypeText {
    fn fmt(&self, _f: &mut fmt::Formatter<'_>) -> fmt::Result {
        todo!()
    }
}
