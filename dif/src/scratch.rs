// SPDX-License-Identifier: GPL-2.0
//! The memory of one clause: what `alloca` and the string subroutines hand out.

/// One execution of a clause: its scratch memory and the state that its objects share.
pub struct Clause<'m> {
    scratch: &'m mut [u8],
    used: usize,
    strsize: usize,
}

impl<'m> Clause<'m> {
    /// A clause begins. `strsize` is the longest string, NUL included.
    pub fn new(scratch: &'m mut [u8], strsize: usize) -> Self {
        Self { scratch, used: 0, strsize }
    }
}
