// SPDX-License-Identifier: GPL-2.0
//! The memory of one clause, for `alloca`, `copyin` and the string subroutines.
//!
//! ```text
//!  0                    used              mem.len()
//! +--------------------+----------------------------+
//! | live: readable and | free: the next allocation, |
//! | writable by D      | a string being made        |
//! +--------------------+----------------------------+
//! ```
//!
//! Allocations are 8-aligned, begin as zeros and live until the clause ends. If a variable holds
//! the address of an allocation, that allocation and all before it are kept for the other clauses
//! of the same firing. A subroutine that needs its operands as slices copies those of the host
//! behind `used`, and frees them when the result is in place. A comfortable size is about four
//! times strsize, plus what the program allocates itself.

use core::ops::Range;

use crate::fault::{FaultKind, Raised};

/// Returns the size of a clause's memory: room for a few strings, and for the largest variable
/// twice.
pub const fn size(strsize: usize, largest: usize) -> usize {
    let strings = strsize.saturating_mul(16);
    let strings = if strings < 4096 { 4096 } else { strings };
    strings.saturating_add(largest.saturating_mul(2))
}

/// One execution of a clause: its scratch memory and the state that its objects share.
///
/// The objects of a clause (predicate and actions) run with the same `Clause`, so that one can read
/// what an earlier one has allocated, and `strtok` continues where it stopped.
pub struct Clause<'m> {
    mem: &'m mut [u8],
    /// The offset at which this clause's allocations begin.
    base: usize,
    used: usize,
    /// The number of bytes that are kept for the next clause of this firing.
    kept: Option<&'m mut usize>,
    strsize: usize,
    /// What `strtok` has not yet read: the rest of a string in scratch.
    pub(crate) strtok: Option<Range<usize>>,
}

impl<'m> Clause<'m> {
    /// Begins a clause. `strsize` is the length of the longest string, NUL included, and at least
    /// 1.
    pub fn new(scratch: &'m mut [u8], strsize: usize) -> Self {
        // Offsets must fit an address, and sums of two of them a usize.
        let strsize = strsize.clamp(1, 1 << 24);
        Self { mem: scratch, base: 0, used: 0, kept: None, strsize, strtok: None }
    }

    /// Begins another clause of a firing. The first `kept` bytes are those that earlier clauses
    /// have kept; 0 for the first clause. Each clause has half of the memory for itself, so at most
    /// the other half is kept.
    pub fn within(scratch: &'m mut [u8], strsize: usize, kept: &'m mut usize) -> Self {
        let half = scratch.len() >> 1;
        let base = (*kept).min(half);
        let mem = scratch.get_mut(..base.saturating_add(half)).unwrap_or_default();
        Self { base, used: base, kept: Some(kept), ..Self::new(mem, strsize) }
    }

    /// Keeps all memory in use, because a variable has an address in it. If it is more than can be
    /// kept, it is freed with the clause.
    pub(crate) fn keep(&mut self) {
        let half = self.room();
        if let Some(kept) = self.kept.as_deref_mut().filter(|_| self.used <= half) {
            *kept = self.used;
        }
    }

    /// Returns the size of the memory that this clause began with.
    fn room(&self) -> usize {
        self.mem.len().saturating_sub(self.base)
    }

    /// Returns the number of bytes in use.
    pub fn used(&self) -> usize {
        self.used
    }

    /// Returns the length of the longest string, NUL included.
    pub fn strsize(&self) -> usize {
        self.strsize
    }

    /// Returns the length of the longest copy of any instruction: what fits into scratch or into a
    /// variable.
    pub(crate) fn longest_copy(&self) -> u64 {
        // CAST: usize has at most 64 bits.
        (self.room() as u64).max(u64::from(abi::difo::MAX_BY_REF))
    }

    /// Allocates `size` zeroed bytes and returns their offset.
    pub(crate) fn alloc(&mut self, size: u64) -> Result<usize, Raised> {
        let no_scratch = Raised::new(FaultKind::NoScratch, size);
        let size = usize::try_from(size).map_err(|_| no_scratch)?;
        let start = self.used;
        let free = self.mem.get_mut(start..).ok_or(no_scratch)?;
        free.get_mut(..size).ok_or(no_scratch)?.fill(0);
        self.take(start, size);
        Ok(start)
    }

    /// Makes `size` bytes from `start` live, and frees everything after them.
    fn take(&mut self, start: usize, size: usize) {
        let end = start.saturating_add(size);
        let aligned = end.checked_add(7).map_or(end, |e| e & !7);
        // The last allocation may end at the end of memory, not at a multiple of 8. Then nothing is
        // free, so the next allocation still begins at an aligned offset or fails.
        let end = aligned.min(self.mem.len());
        let pad = start.saturating_add(size)..end;
        if let Some(pad) = self.mem.get_mut(pad) {
            pad.fill(0);
        }
        self.used = end;
    }

    /// Returns the offset of the next allocation.
    pub(crate) fn mark(&self) -> usize {
        self.used
    }

    /// Frees everything that was allocated since `mark`.
    pub(crate) fn release(&mut self, mark: usize) {
        self.used = self.used.min(mark);
    }

    /// Returns the memory that D programs may read.
    pub(crate) fn live(&self) -> &[u8] {
        self.mem.get(..self.used).unwrap_or_default()
    }

    /// Returns `len` live bytes at `offset`.
    pub(crate) fn slice(&self, offset: u64, len: usize) -> Option<&[u8]> {
        let start = usize::try_from(offset).ok()?;
        self.live().get(start..start.checked_add(len)?)
    }

    /// Returns `len` live bytes at `offset`, for writing.
    pub(crate) fn slice_mut(&mut self, offset: u64, len: usize) -> Option<&mut [u8]> {
        let start = usize::try_from(offset).ok()?;
        let end = start.checked_add(len)?;
        self.mem.get_mut(..self.used)?.get_mut(start..end)
    }

    /// Copies within live memory, like `memmove`. Returns false if either range is not live.
    pub(crate) fn copy_within(&mut self, from: u64, to: u64, len: usize) -> bool {
        if self.slice(from, len).is_none() || self.slice(to, len).is_none() {
            return false;
        }
        let (Ok(from), Ok(to)) = (usize::try_from(from), usize::try_from(to)) else {
            return false;
        };
        // PANIC: the checks above have shown that both ranges lie within memory.
        self.mem.copy_within(from..from.saturating_add(len), to);
        true
    }

    /// Returns live memory for reading, and free memory for writing.
    pub(crate) fn split(&mut self) -> (&[u8], &mut [u8]) {
        let used = self.used.min(self.mem.len());
        let (live, free) = self.mem.split_at_mut(used);
        (live, free)
    }

    /// Makes the first `len` free bytes the allocation at `mark`, and frees everything between.
    pub(crate) fn settle(&mut self, mark: usize, len: usize) {
        let end = self.used.saturating_add(len);
        if mark <= self.used && end <= self.mem.len() {
            // PANIC: the source ends within memory and the target begins no later.
            self.mem.copy_within(self.used..end, mark);
            self.take(mark, len);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn allocations_are_aligned_zeroed_and_bounded() {
        let mut mem = [0xaa; 29];
        let mut c = Clause::new(&mut mem, 16);
        assert_eq!(c.alloc(3), Ok(0));
        assert_eq!(c.alloc(8), Ok(8));
        assert_eq!(c.live(), [0; 16]);
        assert!(c.alloc(14).is_err());
        assert!(c.alloc(u64::MAX).is_err());
        assert_eq!(c.alloc(13), Ok(16));
        assert_eq!(c.used(), 29);
        assert!(c.alloc(1).is_err());
        assert!(c.slice(16, 14).is_none());
        assert!(c.slice(u64::MAX, 1).is_none());
    }

    #[test]
    fn what_is_kept_is_there_for_the_next_clause() {
        let (mut mem, mut kept) = ([0; 64], 0);
        let mut c = Clause::within(&mut mem, 16, &mut kept);
        c.alloc(8).unwrap();
        c.slice_mut(0, 1).unwrap()[0] = 7;
        c.keep();
        c.alloc(8).unwrap();
        // However much is kept, each clause has as much as the first.
        let mut c = Clause::within(&mut mem, 16, &mut kept);
        assert_eq!((c.used(), c.slice(0, 1)), (8, Some(&[7][..])));
        assert_eq!(c.alloc(32), Ok(8));
        assert!(c.alloc(1).is_err());
        c.keep();
        assert_eq!(kept, 8);
    }

    #[test]
    fn settling_gives_back_the_operands() {
        let mut mem = [0; 64];
        let mut c = Clause::new(&mut mem, 16);
        c.alloc(8).unwrap();
        let mark = c.mark();
        c.alloc(24).unwrap();
        let (live, free) = c.split();
        assert_eq!(live.len(), 32);
        free[..3].copy_from_slice(b"ab\0");
        c.settle(mark, 3);
        assert_eq!(c.used(), 16);
        assert_eq!(c.slice(8, 8), Some(&b"ab\0\0\0\0\0\0"[..]));
    }
}
