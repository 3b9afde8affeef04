// SPDX-License-Identifier: GPL-2.0
//! A DIF object, kept in vectors of the kernel, of a test, or of the compiler.

use abi::difo::{DifType, DifVar};

/// The parts of one DIF object. Every call must return the same bytes, because a
/// [`Verified`](crate::Verified) object must not change.
pub trait Difo {
    /// Returns the instructions.
    fn text(&self) -> &[u32];
    /// Returns the integer table, for `setx`.
    fn inttab(&self) -> &[u64];
    /// Returns the string table, for `sets` and the names of variables.
    fn strtab(&self) -> &[u8];
    /// Returns the variable table.
    fn vars(&self) -> &[DifVar];
    /// Returns the type of the value that `ret` returns.
    fn rtype(&self) -> DifType;

    /// Returns the NUL-terminated string at `offset` of the string table, without its NUL.
    fn string(&self, offset: u32) -> Option<&[u8]> {
        let rest = self.strtab().get(usize::try_from(offset).ok()?..)?;
        let end = rest.iter().position(|&b| b == 0)?;
        rest.get(..end)
    }
}

/// A borrowed object.
#[derive(Debug, Clone, Copy)]
#[allow(missing_docs, reason = "the fields are the methods of the trait")]
pub struct DifoRef<'a> {
    pub text: &'a [u32],
    pub inttab: &'a [u64],
    pub strtab: &'a [u8],
    pub vars: &'a [DifVar],
    pub rtype: DifType,
}

impl Difo for DifoRef<'_> {
    fn text(&self) -> &[u32] {
        self.text
    }
    fn inttab(&self) -> &[u64] {
        self.inttab
    }
    fn strtab(&self) -> &[u8] {
        self.strtab
    }
    fn vars(&self) -> &[DifVar] {
        self.vars
    }
    fn rtype(&self) -> DifType {
        self.rtype
    }
}

impl<D: Difo + ?Sized> Difo for &D {
    fn text(&self) -> &[u32] {
        (**self).text()
    }
    fn inttab(&self) -> &[u64] {
        (**self).inttab()
    }
    fn strtab(&self) -> &[u8] {
        (**self).strtab()
    }
    fn vars(&self) -> &[DifVar] {
        (**self).vars()
    }
    fn rtype(&self) -> DifType {
        (**self).rtype()
    }
}
