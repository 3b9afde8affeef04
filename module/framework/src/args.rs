// SPDX-License-Identifier: GPL-2.0
//! Arguments of a firing probe: a view, nothing copied.
//!
//! A provider hands them down with the firing, so nobody calls back into it to ask for more.

/// What `arg0` .. `arg9` and `args[]` read.
#[derive(Clone, Copy)]
pub struct Args<'a> {
    values: &'a [u64],
}

impl<'a> Args<'a> {
    /// No arguments: BEGIN, END.
    pub const NONE: Self = Self { values: &[] };

    /// Values in order; what lies beyond reads 0.
    pub const fn values(values: &'a [u64]) -> Self {
        Self { values }
    }

    /// Argument `n`, 0 if the probe has none.
    #[inline]
    pub fn get(&self, n: u64) -> u64 {
        usize::try_from(n).ok().and_then(|n| self.values.get(n)).copied().unwrap_or(0)
    }
}
