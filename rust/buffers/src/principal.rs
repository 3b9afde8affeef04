// SPDX-License-Identifier: GPL-2.0
//! The principal buffer: records in the order of firing.
//!
//! A record is written into a [`Reservation`] and becomes visible by its commit. A clause that
//! faults drops its reservation and leaves no trace. What finds no room is counted, never silent.
//!
//! What no room means is a [`Policy`]. A ring is the memory used round and round:
//!
//! ```text
//! | newer ... newest | nothing |   oldest ... old | nothing |
//! 0                  used      limit              upper     end
//! ```
//! The oldest records make room, always whole ones: where they begin is in a bit map beside it.

use core::ops::{Deref, DerefMut, Range};

/// Records begin at multiples of it in a ring: a bit each.
const UNIT: usize = abi::record::RECORD_ALIGN;

/// What happens to a record that finds no room.
pub enum Policy<B> {
    /// It is dropped; but mostly others have been taken away before.
    Switch,
    /// It ends the recording. `reserve` bytes are for what is recorded at the very end.
    Fill,
    /// Recording has ended.
    Full,
    /// The oldest ones make room for it.
    Ring {
        /// A bit for each unit of the memory: a record begins here.
        starts: B,
        /// Where the older part ends; 0: nothing has been overwritten yet.
        upper: usize,
    },
}

/// Records of one CPU.
pub struct Principal<B> {
    memory: B,
    used: usize,
    /// Records end here at most.
    limit: usize,
    policy: Policy<B>,
    drops: u64,
    errors: u32,
}

/// What a swap hands over.
pub struct Taken<B> {
    /// The memory with the records.
    pub memory: B,
    /// Bytes of records in it.
    pub used: usize,
    /// Where the oldest one begins; those before it are newer than all others.
    pub oldest: usize,
    /// Records that found no room since the last swap.
    pub drops: u64,
    /// Faults since the last swap.
    pub errors: u32,
    /// Between the newest record of a ring and the oldest one.
    gap: Range<usize>,
    /// To be freed by who may do so.
    _policy: Policy<B>,
}

/// Room for one record, not yet visible.
pub struct Reservation<'b> {
    bytes: &'b mut [u8],
    used: &'b mut usize,
}

/// Bytes of the bit map of a ring over so many bytes.
pub fn starts_for(memory: usize) -> usize {
    memory.div_ceil(UNIT * 8)
}

/// The bit of a unit in its byte.
fn bit(unit: usize) -> u8 {
    // CAST: below 8.
    1u8.wrapping_shl((unit % 8) as u32)
}

/// The next record behind the one at `from`, which is forgotten.
fn next_start(starts: &mut [u8], from: usize, upper: usize) -> usize {
    let mut unit = from / UNIT;
    if let Some(byte) = starts.get_mut(unit / 8) {
        *byte &= !bit(unit);
    }
    unit = unit.wrapping_add(1);
    while let Some(byte) = starts.get(unit / 8) {
        // CAST: below 8.
        let rest = byte.wrapping_shr((unit % 8) as u32);
        if rest != 0 {
            // CAST: below 8.
            unit = unit.wrapping_add(rest.trailing_zeros() as usize);
            return unit.wrapping_mul(UNIT).min(upper);
        }
        unit = (unit | 7).wrapping_add(1);
        if unit.wrapping_mul(UNIT) >= upper {
            break;
        }
    }
    upper
}

impl<B: DerefMut<Target = [u8]>> Principal<B> {
    /// An empty buffer over `memory` whose records are taken from time to time.
    pub fn new(memory: B) -> Self {
        let limit = memory.len() / 2;
        Self { memory, used: 0, limit, policy: Policy::Switch, drops: 0, errors: 0 }
    }

    /// One that is filled once. `reserve` bytes wait for [`Self::reopen`].
    pub fn fill(memory: B, reserve: usize) -> Self {
        let limit = memory.len().saturating_sub(reserve);
        Self { limit, policy: Policy::Fill, ..Self::new(memory) }
    }

    /// One that keeps the newest records; `starts` are [`starts_for`] it, zeroed.
    pub fn ring(memory: B, starts: B) -> Self {
        let limit = memory.len();
        Self { limit, policy: Policy::Ring { starts, upper: 0 }, ..Self::new(memory) }
    }

    /// Bytes that the memory has.
    pub fn capacity(&self) -> usize {
        self.memory.len()
    }

    /// Room for a record of `size` bytes, or a counted drop.
    #[inline]
    pub fn reserve(&mut self, size: usize) -> Option<Reservation<'_>> {
        if self.used.saturating_add(size) > self.limit && !self.find_room(size) {
            if !self.is_full() {
                self.count_drop();
            }
            return None;
        }
        if let Policy::Ring { starts, .. } = &mut self.policy {
            mark(starts, self.used);
        }
        let bytes = self.memory.get_mut(self.used..self.used.wrapping_add(size))?;
        Some(Reservation { bytes, used: &mut self.used })
    }

    /// By the policy; false if there is none.
    #[cold]
    #[inline(never)]
    fn find_room(&mut self, size: usize) -> bool {
        let all = self.memory.len();
        match &mut self.policy {
            Policy::Switch if self.limit < all => {
                // The first half is full.
                self.limit = all;
                self.used.saturating_add(size) <= all
            }
            Policy::Switch | Policy::Full => false,
            Policy::Fill => {
                self.limit = 0;
                self.policy = Policy::Full;
                false
            }
            Policy::Ring { starts, upper } => {
                if size > all {
                    return false;
                }
                while self.used.saturating_add(size) > self.limit {
                    if *upper == 0 {
                        // Round. A record that was begun here and never finished is none.
                        next_start(starts, self.used, 0);
                        (*upper, self.used, self.limit) = (self.used, 0, 0);
                    } else if self.limit < *upper {
                        self.limit = next_start(starts, self.limit, *upper);
                    } else {
                        // Nothing is left of the older part.
                        (*upper, self.limit) = (0, all);
                    }
                }
                true
            }
        }
    }

    /// True if it is to be switched and more than half full.
    #[inline]
    pub fn is_pressing(&self) -> bool {
        matches!(self.policy, Policy::Switch) && self.limit == self.memory.len()
    }

    /// True if a record has found no room, and that has ended the recording.
    #[inline]
    pub fn is_full(&self) -> bool {
        matches!(self.policy, Policy::Full)
    }

    /// What was reserved for the end can be used, even if it is full.
    pub fn reopen(&mut self) {
        if let Policy::Fill | Policy::Full = self.policy {
            self.policy = Policy::Switch;
            self.limit = self.memory.len();
        }
    }

    /// The records so far, of one that is no ring.
    pub fn records(&self) -> &[u8] {
        self.memory.get(..self.used).unwrap_or_default()
    }

    /// The records from the one on that was committed first, as far as they stand in one piece. Empty: there is none.
    pub fn oldest(&self) -> &[u8] {
        let part = match &self.policy {
            Policy::Ring { upper, .. } if self.limit < *upper => self.limit..*upper,
            _ => 0..self.used,
        };
        self.memory.get(part).unwrap_or_default()
    }

    /// Adds records that were made elsewhere; false if there is no room for them. A ring keeps or
    /// overwrites them all together.
    pub fn append(&mut self, records: &[u8]) -> bool {
        if records.is_empty() {
            return true;
        }
        if self.used.saturating_add(records.len()) > self.limit && !self.find_room(records.len()) {
            return false;
        }
        if let Policy::Ring { starts, .. } = &mut self.policy {
            mark(starts, self.used);
        }
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

    /// True if it is to be switched and has no records.
    pub fn is_empty(&self) -> bool {
        matches!(self.policy, Policy::Switch) && self.used == 0
    }

    /// What a swap hands over if it is empty: nothing but what was counted. The memory stays.
    pub fn swap_nothing(&mut self) -> Taken<B>
    where
        B: Default,
    {
        Taken {
            memory: B::default(),
            used: 0,
            oldest: 0,
            drops: core::mem::take(&mut self.drops),
            errors: core::mem::take(&mut self.errors),
            gap: 0..0,
            _policy: Policy::Switch,
        }
    }

    /// Puts `fresh` in place and hands over what was written. What is taken of a ring or of one that is
    /// filled is all there will be: from then on it is neither.
    pub fn swap(&mut self, fresh: B) -> Taken<B> {
        let end = core::mem::take(&mut self.used);
        let (used, oldest) = match self.policy {
            Policy::Ring { upper, .. } if upper != 0 => (upper, self.limit),
            _ => (end, 0),
        };
        self.limit = fresh.len() / 2;
        Taken {
            memory: core::mem::replace(&mut self.memory, fresh),
            used,
            oldest,
            drops: core::mem::take(&mut self.drops),
            errors: core::mem::take(&mut self.errors),
            gap: if oldest == 0 { 0..0 } else { end..oldest },
            _policy: core::mem::replace(&mut self.policy, Policy::Switch),
        }
    }
}

fn mark(starts: &mut [u8], at: usize) {
    let unit = at / UNIT;
    if let Some(byte) = starts.get_mut(unit / 8) {
        *byte |= bit(unit);
    }
}

impl<B: DerefMut<Target = [u8]>> Taken<B> {
    /// The records; where there is none in a ring there are zeroes.
    pub fn records(&mut self) -> &[u8] {
        if let Some(gap) = self.memory.get_mut(core::mem::take(&mut self.gap)) {
            gap.fill(0);
        }
        self.memory.get(..self.used).unwrap_or_default()
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
    use super::{starts_for, Principal};

    fn put(p: &mut Principal<Vec<u8>>, size: usize, with: u8) -> bool {
        p.reserve(size)
            .map(|mut room| {
                room.fill(with);
                room.commit();
            })
            .is_some()
    }

    #[test]
    fn what_is_not_committed_leaves_no_trace() {
        let mut p = Principal::new(vec![0u8; 64]);
        assert!(put(&mut p, 16, 1));
        p.reserve(16).unwrap().fill(9);
        assert!(put(&mut p, 16, 2));
        assert!(p.reserve(33).is_none());
        assert!(p.reserve(usize::MAX).is_none());
        p.count_error();
        let mut t = p.swap(vec![0; 64]);
        assert_eq!((t.used, t.drops, t.errors), (32, 2, 1));
        assert_eq!(t.records(), [[1; 16], [2; 16]].concat());
        assert!(p.reserve(64).is_some());
    }
    #[test]
    fn the_second_half_is_told() {
        let mut p = Principal::new(vec![0u8; 64]);
        assert!(put(&mut p, 16, 1) && put(&mut p, 16, 2) && !p.is_pressing());
        assert!(put(&mut p, 16, 3) && p.is_pressing());
        assert!(!put(&mut p, 32, 4) && put(&mut p, 16, 5) && !put(&mut p, 8, 6));
        assert_eq!(p.swap(vec![0; 64]).used, 64);
        assert!(!p.is_pressing() && put(&mut p, 40, 1) && p.is_pressing());
    }
    #[test]
    fn one_without_records_keeps_its_memory() {
        let mut p = Principal::new(vec![0u8; 64]);
        p.count_drop();
        p.count_error();
        assert!(p.is_empty());
        let t = p.swap_nothing();
        assert_eq!((t.used, t.drops, t.errors, t.memory.len()), (0, 1, 1, 0));
        assert!(put(&mut p, 64, 1) && !p.is_empty());
        assert!(!Principal::ring(vec![0u8; 64], vec![0; starts_for(64)]).is_empty());
        let mut t = p.swap(Vec::new());
        assert_eq!((t.drops, t.records()), (0, &[1; 64][..]));
    }
    #[test]
    fn an_empty_buffer_counts_every_drop() {
        let mut p = Principal::new(Vec::new());
        assert!((0..7).all(|_| p.reserve(8).is_none()));
        assert_eq!(p.swap(Vec::new()).drops, 7);
        let mut ring = Principal::ring(Vec::new(), Vec::new());
        assert!((0..7).all(|_| ring.reserve(8).is_none()));
        assert_eq!(ring.swap(Vec::new()).drops, 7);
    }
    #[test]
    fn a_record_too_many_ends_the_filling() {
        let mut p = Principal::fill(vec![0u8; 64], 16);
        assert!(put(&mut p, 40, 1) && !p.is_full());
        assert!(!put(&mut p, 16, 2) && p.is_full());
        // Not even what would find room.
        assert!(!put(&mut p, 8, 3));
        p.reopen();
        assert!(put(&mut p, 16, 4) && !put(&mut p, 16, 5));
        let mut t = p.swap(Vec::new());
        // What ends the recording is no drop; what has no room at the end is one.
        assert_eq!((t.used, t.oldest, t.drops), (56, 0, 1));
        assert_eq!(t.records(), [&[1; 40][..], &[4; 16]].concat());
    }

    /// Whole records of a ring, from the oldest on: each has its own number in all its bytes.
    fn records(mut t: super::Taken<Vec<u8>>, sizes: &[usize]) -> Vec<u8> {
        let oldest = t.oldest;
        let data = t.records().to_vec();
        let mut numbers = Vec::new();
        for part in [&data[oldest..], &data[..oldest]] {
            let mut rest = part;
            while let Some(&n) = rest.first() {
                if n == 0 {
                    rest = &rest[1..];
                    continue;
                }
                let (record, more) = rest.split_at(sizes[usize::from(n)]);
                assert!(record.iter().all(|b| *b == n), "{record:?}");
                numbers.push(n);
                rest = more;
            }
        }
        numbers
    }

    #[test]
    fn a_ring_keeps_the_newest_whole_records_in_order() {
        for seed in 1..200usize {
            let capacity = 64 + 8 * (seed % 13);
            let mut p = Principal::ring(vec![0u8; capacity], vec![0; starts_for(capacity)]);
            let mut random = seed.wrapping_mul(0x9e37_79b9);
            let mut next = |n: usize| {
                random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                (random >> 33) % n
            };
            let mut sizes = vec![0];
            for n in 1..=(seed % 100) + 1 {
                let size = 8 * (1 + next(5));
                if next(4) == 0 {
                    // A clause that faulted.
                    p.reserve(8 * (1 + next(5))).unwrap().fill(0xff);
                }
                sizes.push(size);
                assert!(put(&mut p, size, n as u8));
            }
            let last = sizes.len() - 1;
            let kept = records(p.swap(Vec::new()), &sizes);
            let first = usize::from(kept[0]);
            assert_eq!(kept, (first..=last).map(|n| n as u8).collect::<Vec<_>>());
            // Not less than half is of use: what is wasted is less than two records at either end.
            let bytes: usize = sizes[first..].iter().sum();
            assert!(first == 1 || bytes + 4 * 40 >= capacity, "{bytes} of {capacity}");
        }
    }
    #[test]
    fn the_oldest_record_is_the_first_that_was_committed() {
        let mut p = Principal::new(vec![0u8; 64]);
        assert!(p.oldest().is_empty() && put(&mut p, 16, 1) && put(&mut p, 16, 2));
        assert_eq!(p.oldest().first(), Some(&1));
        let mut ring = Principal::ring(vec![0u8; 64], vec![0; starts_for(64)]);
        for n in 1..100u8 {
            assert!(put(&mut ring, 16, n));
            // Four have room.
            assert_eq!(ring.oldest().first(), Some(&n.saturating_sub(3).max(1)));
        }
    }
    #[test]
    fn a_ring_drops_what_is_larger_than_itself() {
        let mut p = Principal::ring(vec![0u8; 64], vec![0; starts_for(64)]);
        assert!(put(&mut p, 32, 1) && !put(&mut p, 72, 2));
        assert!(p.append(&[3; 64]));
        let mut t = p.swap(Vec::new());
        assert_eq!((t.used, t.oldest, t.drops, t.records()), (64, 0, 1, &[3; 64][..]));
    }
}
