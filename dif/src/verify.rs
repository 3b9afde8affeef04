// SPDX-License-Identifier: GPL-2.0
//! The rules that an object must keep before it can run.

use core::fmt;
use core::ops::Deref;

use crate::difo::Difo;

/// What this consumer may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rules {
    /// Objects may change the traced system (`copyout`, `uregs[] =`).
    pub allow_destructive: bool,
    /// Objects may read any kernel memory; otherwise `ld*` and subroutines load
    /// [`Space::Restricted`](crate::Space::Restricted), as `rld*` does.
    pub allow_kernel_loads: bool,
    /// Largest variable by reference, bytes.
    pub max_by_ref: u32,
}

impl Rules {
    /// Everything a privileged consumer without `-w` may do.
    pub const DEFAULT: Rules = Rules {
        allow_destructive: false,
        allow_kernel_loads: true,
        max_by_ref: abi::difo::MAX_BY_REF,
    };
}

/// An object that keeps all rules: the only thing that [`crate::run`] takes.
pub struct Verified<D: Difo> {
    difo: D,
    destructive: bool,
    restricted: bool,
}

impl<D: Difo> Verified<D> {
    /// Most instructions that a run executes.
    pub fn max_steps(&self) -> usize {
        self.difo.text().len()
    }
    /// True if the object may change the traced system.
    pub fn is_destructive(&self) -> bool {
        self.destructive
    }
    /// True if kernel loads are restricted.
    pub fn is_restricted(&self) -> bool {
        self.restricted
    }
    /// The object, to be verified anew.
    pub fn into_inner(self) -> D {
        self.difo
    }
}

impl<D: Difo> Deref for Verified<D> {
    type Target = D;
    fn deref(&self) -> &D {
        &self.difo
    }
}

/// A rule; the number is cited by errors and tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rule {
    /// soon
    Text = 1,
}

impl Rule {
    /// The number.
    pub const fn number(self) -> u32 {
        self as u32
    }
    /// The rule in one sentence.
    pub const fn text(self) -> &'static str {
        ""
    }
}

/// A rule that an object breaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VerifyError {
    /// Index of the instruction, or [`VerifyError::NO_PC`].
    pub pc: u32,
    /// The rule.
    pub rule: Rule,
    /// What was found.
    pub found: u64,
    /// What bounds it; 0 where there is no bound.
    pub bound: u64,
}

impl VerifyError {
    /// The error is not in an instruction.
    pub const NO_PC: u32 = u32::MAX;
}

impl fmt::Display for VerifyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "rule {}", self.rule.number())
    }
}

/// Checks an object. Every error is reported (up to [`MAX_ERRORS`]), not just the first.
pub fn verify<D: Difo>(
    _difo: D,
    _rules: &Rules,
    _report: &mut dyn FnMut(VerifyError),
) -> Option<Verified<D>> {
    todo!()
}

/// Most errors that are reported of one object.
pub const MAX_ERRORS: usize = 64;
