// SPDX-License-Identifier: GPL-2.0
//! Memory that several CPUs read and write without a lock: 64-bit atomic words.
//!
//! A by-value variable is one word, so it is always whole. A string has many words: two CPUs that
//! store to the same global string at once leave a mixture, as in every DTrace, and nothing worse.

use abi::probe::until_nul;
use core::sync::atomic::{AtomicU64, Ordering::Relaxed};
use nosleep::KVVec;

/// The bytes of a string that are read at a time. The bytes after its NUL cost time too.
const PIECE: usize = 64;

/// Zeroed atomic words.
pub struct Words(KVVec<AtomicU64>);

impl Words {
    /// Makes it of zeroed memory.
    pub fn new(memory: KVVec<AtomicU64>) -> Self {
        Self(memory)
    }

    /// Returns how many words there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Tells whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    #[inline]
    pub(crate) fn word(&self, at: usize) -> Option<&AtomicU64> {
        self.0.get(at)
    }

    /// Returns `N` consecutive words.
    #[inline(always)]
    pub(crate) fn some<const N: usize>(&self, at: usize) -> Option<&[AtomicU64; N]> {
        self.0.get(at..at.wrapping_add(N))?.first_chunk()
    }

    /// Copies bytes out from `at` on. Returns false if the range is not inside.
    pub(crate) fn read(&self, at: usize, into: &mut [u8]) -> bool {
        let Some(end) = at.checked_add(into.len()) else { return false };
        if end > self.0.len().saturating_mul(8) {
            return false;
        }
        let (mut at, mut rest) = (at, into);
        if at & 7 == 0 {
            let words = self.0.get(at >> 3..).unwrap_or_default();
            at = at.wrapping_add(rest.len() & !7);
            let mut whole = rest.chunks_exact_mut(8);
            for (to, word) in whole.by_ref().zip(words) {
                to.copy_from_slice(&word.load(Relaxed).to_le_bytes());
            }
            rest = whole.into_remainder();
        }
        while !rest.is_empty() {
            let word = self.0.get(at >> 3).map_or(0, |w| w.load(Relaxed)).to_le_bytes();
            let bytes = word.get(at & 7..).unwrap_or_default();
            let n = bytes.len().min(rest.len());
            let Some((head, tail)) = rest.split_at_mut_checked(n) else { return false };
            head.copy_from_slice(bytes.get(..n).unwrap_or_default());
            rest = tail;
            at = at.wrapping_add(n);
        }
        true
    }

    /// Copies a string out from `at` on, up to its NUL. Returns its length, or that of `into`.
    /// `None`: the memory ends before the NUL.
    pub(crate) fn read_str(&self, at: usize, into: &mut [u8]) -> Option<usize> {
        let inside = self.0.len().saturating_mul(8).checked_sub(at)?;
        let most = into.len();
        let n = most.min(inside);
        let mut len: usize = 0;
        for piece in into.get_mut(..n)?.chunks_mut(PIECE) {
            if !self.read(at.wrapping_add(len), piece) {
                return None;
            }
            let here = until_nul(piece).len();
            len = len.wrapping_add(here);
            if here < piece.len() {
                return Some(len);
            }
        }
        (len == most).then_some(len)
    }

    /// Copies bytes in from `at` on. Returns false, and writes nothing, if the range is not inside.
    pub(crate) fn write(&self, at: usize, from: &[u8]) -> bool {
        let Some(end) = at.checked_add(from.len()) else { return false };
        if end > self.0.len().saturating_mul(8) {
            return false;
        }
        let mut at = at;
        let mut rest = from;
        while !rest.is_empty() {
            let Some(cell) = self.0.get(at >> 3) else { return false };
            let n = 8usize.wrapping_sub(at & 7).min(rest.len());
            let Some((head, tail)) = rest.split_at_checked(n) else { return false };
            // Another CPU may set the other bytes of the word: `by[cpu]++`.
            let _ = cell.fetch_update(Relaxed, Relaxed, |word| {
                let mut bytes = word.to_le_bytes();
                let into = bytes.get_mut(at & 7..).unwrap_or_default();
                into.get_mut(..n)?.copy_from_slice(head);
                Some(u64::from_le_bytes(bytes))
            });
            rest = tail;
            at = at.wrapping_add(n);
        }
        true
    }
}
