// SPDX-License-Identifier: GPL-2.0
//! The principal buffer: records in the order of firing.
//!
//! A record is written into a [`Reservation`] and becomes visible by its commit. A clause that
//! faults drops its reservation and leaves no trace. What finds no room is counted, never silent.

use core::ops::{Deref, DerefMut};

/// Records of one CPU.
pub struct Principal<B> {
    memory: B,
    used: usize,
    drops: u64,
    errors: u32,
}

/// What a swap hands over.
pub struct Taken<B> {
    /// The memory with the records.
    pub memory: B,
    /// Bytes of records in it.
    pub used: usize,
    /// Records that found no room since the last swap.
    pub drops: u64,
    /// Faults since the last swap.
    pub errors: u32,
}

/// Room for one record, not yet visible.
pub struct Reservation<'b> {
    bytes: &'b mut [u8],
    used: &'b mut usize,
}

impl<B: DerefMut<Target = [u8]>> Principal<B> {
    /// An empty buffer over `memory`.
    pub fn new(memory: B) -> Self {
        Self { memory, used: 0, drops: 0, errors: 0 }
    }

    /// Bytes that the memory has.
    pub fn capacity(&self) -> usize {
        self.memory.len()
    }

    /// Room for a record of `size` bytes, or a counted drop.
    #[inline]
    pub fn reserve(&mut self, size: usize) -> Option<Reservation<'_>> {
        let end = self.used.wrapping_add(size);
        match self.memory.get_mut(self.used..end) {
            Some(bytes) => Some(Reservation { bytes, used: &mut self.used }),
            None => {
                self.drops = self.drops.wrapping_add(1);
                None
            }
        }
    }

    /// The records so far.
    pub fn records(&self) -> &[u8] {
        self.memory.get(..self.used).unwrap_or_default()
    }

    /// Adds records that were made elsewhere; false if there is no room for them.
    pub fn append(&mut self, records: &[u8]) -> bool {
        let end = self.used.wrapping_add(records.len());
        let Some(room) = self.memory.get_mut(self.used..end) else { return false };
        room.copy_from_slice(records);
        self.used = end;
        true
    }

    /// Forgets the records.
    pub fn clear(&mut self) {
        self.used = 0;
    }

    /// Counts a record that could not be made for another reason.
    pub fn count_drop(&mut self) {
        self.drops = self.drops.wrapping_add(1);
    }

    /// Counts a fault.
    pub fn count_error(&mut self) {
        self.errors = self.errors.wrapping_add(1);
    }

    /// Puts `fresh` in place and hands over what was written.
    pub fn swap(&mut self, fresh: B) -> Taken<B> {
        Taken {
            memory: core::mem::replace(&mut self.memory, fresh),
            used: core::mem::take(&mut self.used),
            drops: core::mem::take(&mut self.drops),
            errors: core::mem::take(&mut self.errors),
        }
    }
}

impl Reservation<'_> {
    /// The record becomes part of the buffer.
    #[inline]
    pub fn commit(self) {
        *self.used = self.used.wrapping_add(self.bytes.len());
    }
}

impl Deref for Reservation<'_> {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        self.bytes
    }
}

impl DerefMut for Reservation<'_> {
    fn deref_mut(&mut self) -> &mut [u8] {
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::Principal;
    #[test]
    fn what_is_not_committed_leaves_no_trace() {
        let mut p = Principal::new(vec![0u8; 64]);
        let mut r = p.reserve(16).unwrap();
        r.fill(1);
        r.commit();
        p.reserve(16).unwrap().fill(9);
        let mut r = p.reserve(16).unwrap();
        r.fill(2);
        r.commit();
        assert!(p.reserve(33).is_none());
        assert!(p.reserve(usize::MAX).is_none());
        p.count_error();
        let t = p.swap(vec![0; 64]);
        assert_eq!((t.used, t.drops, t.errors), (32, 2, 1));
        assert_eq!(&t.memory[..32], [[1; 16], [2; 16]].concat());
        assert!(p.reserve(64).is_some());
    }
    #[test]
    fn an_empty_buffer_counts_every_drop() {
        let mut p = Principal::new(Vec::new());
        assert!((0..7).all(|_| p.reserve(8).is_none()));
        assert_eq!(p.swap(Vec::new()).drops, 7);
    }
}
