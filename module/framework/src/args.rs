// SPDX-License-Identifier: GPL-2.0
//! Arguments of a firing probe: a view, nothing copied.
//!
//! A provider hands them down with the firing, so nobody calls back into it to ask for more.

use kapi::nofault;

/// What `arg0` .. `arg9` and `args[]` read.
#[derive(Clone, Copy)]
pub struct Args<'a> {
    values: &'a [u64],
    /// Where those behind `values` stand in memory; 0: there are none.
    stack: u64,
}

/// Arguments that a function is believed to have at most: what lies behind them on its caller's
/// stack is somebody else's.
const MOST: u64 = 32;

impl<'a> Args<'a> {
    /// No arguments: BEGIN, END.
    pub const NONE: Self = Self { values: &[], stack: 0 };

    /// Values in order; what lies beyond reads 0.
    #[inline]
    pub const fn values(values: &'a [u64]) -> Self {
        Self { values, stack: 0 }
    }

    /// Of a function that was just entered: six in registers, the seventh at address `stack` and the
    /// others behind it.
    #[inline]
    pub const fn entry(regs: &'a [u64; 6], stack: u64) -> Self {
        Self { values: regs, stack }
    }

    /// The two parts.
    #[inline(always)]
    pub(crate) const fn split(self) -> (&'a [u64], u64) {
        (self.values, self.stack)
    }

    /// Of [`Self::split`].
    #[inline(always)]
    pub(crate) const fn joined(values: &'a [u64], stack: u64) -> Self {
        Self { values, stack }
    }

    /// Argument `n`, 0 if the probe has none.
    #[inline]
    pub fn get(&self, n: u64) -> u64 {
        match usize::try_from(n).ok().and_then(|n| self.values.get(n)) {
            Some(&value) => value,
            None => self.stacked(n),
        }
    }

    #[cold]
    fn stacked(&self, n: u64) -> u64 {
        if self.stack == 0 || n >= MOST {
            return 0;
        }
        let behind = n.wrapping_sub(self.values.len() as u64).wrapping_mul(8);
        let mut bytes = [0; 8];
        match nofault::read_kernel(self.stack.wrapping_add(behind), &mut bytes) {
            Ok(()) => u64::from_le_bytes(bytes),
            Err(_) => 0,
        }
    }
}
