// SPDX-License-Identifier: GPL-2.0
//! The tuple stack: arguments of a subroutine, keys of an associative array.

use abi::dif::NTUPLE;

/// One key of an associative array, as the host sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Key<'k> {
    /// An integer or pointer.
    Value(u64),
    /// A string without its NUL, or the bytes of a structure.
    Bytes(&'k [u8]),
}

/// One entry of the stack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Pushed {
    /// The value, or the address.
    pub(crate) value: u64,
    pub(crate) how: How,
}

/// How an entry was pushed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum How {
    /// `pushtv`.
    Value,
    /// `pushtr` of a string; at most so many bytes, NUL included.
    String(u64),
    /// `pushtr` of so many bytes.
    Bytes(u64),
}

pub(crate) type Tuple = heapless::Vec<Pushed, NTUPLE>;
