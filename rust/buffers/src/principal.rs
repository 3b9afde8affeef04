// SPDX-License-Identifier: GPL-2.0
//! The principal buffer: records in the order of firing.
//!
//! A record is written into a [`Reservation`], and its commit makes it visible. A clause that
//! faults drops its reservation and leaves no record. A record without room is never lost silently:
//! it is counted, or it ends the recording.
//!
//! The [`Policy`] decides what happens without room. A ring uses its memory round and round:
//!
//! ```text
//! | newer ... newest | nothing |   oldest ... old | nothing |
//! 0                  used      limit              upper     end
//! ```
//! The oldest records make room, always as whole records: a bit map shows where they begin.

use core::ops::{Deref, DerefMut, Range};

/// Records begin at multiples of this, in bytes. In a ring, each multiple has a bit.
const UNIT: usize = abi::record::RECORD_ALIGN;

/// The reaction to a record that finds no room.
pub enum Policy<B> {
    /// The record is dropped. Usually the consumer takes the records before that.
    Switch,
    /// Recording ends. `reserve` bytes are kept for the records of END.
    Fill,
    /// Recording has ended.
    Full,
    /// The oldest records make room for it.
    Ring {
        /// A bit for each unit of the memory: a record begins there.
        starts: B,
        /// The end of the older part; 0: nothing has been overwritten yet.
        upper: usize,
    },
}

/// The records of one CPU.
pub struct Principal<B> {
    memory: B,
    used: usize,
    /// Records must end here.
    limit: usize,
    policy: Policy<B>,
    drops: u64,
    errors: u32,
}

/// The result of a swap.
pub struct Taken<B> {
    /// The memory with the records.
    pub memory: B,
    /// The bytes of records in it.
    pub used: usize,
    /// The start of the oldest record; the records before it are newer than all others.
    pub oldest: usize,
    /// The number of records that have found no room since the last swap.
    pub drops: u64,
    /// Faults since the last swap.
    pub errors: u32,
    /// The bytes between the newest record of a ring and the oldest one.
    gap: Range<usize>,
    /// The memory of the old policy, which the caller may free; probe context may not.
    _policy: Policy<B>,
}

/// Room for one record, not yet visible.
pub struct Reservation<'b> {
    bytes: &'b mut [u8],
    used: &'b mut usize,
}

/// Returns the bytes of the bit map for a ring of `memory` bytes.
pub fn starts_for(memory: usize) -> usize {
    memory.div_ceil(UNIT * 8)
}

/// Returns the bit of a unit in its byte.
fn bit(unit: usize) -> u8 {
    // CAST: below 8.
    1u8.wrapping_shl((unit % 8) as u32)
}

/// Returns the record after the one at `from`, which is forgotten.
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
    /// Creates an empty buffer over `memory`, whose records are taken from time to time.
    pub fn new(memory: B) -> Self {
        let limit = memory.len() / 2;
        Self { memory, used: 0, limit, policy: Policy::Switch, drops: 0, errors: 0 }
    }

    /// Creates a buffer that is filled once. `reserve` bytes are kept for [`Self::reopen`].
    pub fn fill(memory: B, reserve: usize) -> Self {
        let limit = memory.len().saturating_sub(reserve);
        Self { limit, policy: Policy::Fill, ..Self::new(memory) }
    }

    /// Creates a buffer that keeps the newest records; `starts` has the bytes that
    /// [`starts_for`] returns for it, zeroed.
    pub fn ring(memory: B, starts: B) -> Self {
        let limit = memory.len();
        Self { limit, policy: Policy::Ring { starts, upper: 0 }, ..Self::new(memory) }
    }

    /// Returns the bytes of the memory.
    pub fn capacity(&self) -> usize {
        self.memory.len()
    }

    /// Returns room for a record of `size` bytes, or counts a drop.
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

    /// Makes room according to the policy. Returns false if there is none.
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
            // The CPU came online after the buffers were made: only its own records are lost.
            Policy::Fill if all == 0 => false,
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
                        // Start again at 0. A record that was begun here and not committed is none.
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

    /// Tells whether it has the policy switch and is more than half full. A buffer without memory
    /// never is: its CPU came online after the buffers were made, and no swap would help it.
    #[inline]
    pub fn is_pressing(&self) -> bool {
        let all = self.memory.len();
        matches!(self.policy, Policy::Switch) && self.limit == all && all != 0
    }

    /// Tells whether a record without room has ended the recording.
    #[inline]
    pub fn is_full(&self) -> bool {
        matches!(self.policy, Policy::Full)
    }

    /// Makes the reserved bytes usable, even if the buffer is full.
    pub fn reopen(&mut self) {
        if let Policy::Fill | Policy::Full = self.policy {
            self.policy = Policy::Switch;
            self.limit = self.memory.len();
        }
    }

    /// Returns the records so far, if it is not a ring.
    pub fn records(&self) -> &[u8] {
        self.memory.get(..self.used).unwrap_or_default()
    }

    /// Returns the records from the oldest one on, as far as they are contiguous; empty if there
    /// are none.
    pub fn oldest(&self) -> &[u8] {
        let part = match &self.policy {
            Policy::Ring { upper, .. } if self.limit < *upper => self.limit..*upper,
            _ => 0..self.used,
        };
        self.memory.get(part).unwrap_or_default()
    }

    /// Adds records that were made elsewhere. Returns false if there is no room for them. A ring
    /// keeps or overwrites them all together.
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

    /// Tells whether it has the policy switch and no records.
    pub fn is_empty(&self) -> bool {
        matches!(self.policy, Policy::Switch) && self.used == 0
    }

    /// Does what [`Self::swap`] does, for an empty buffer: returns the counts. The memory stays.
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

    /// Installs `fresh` and returns the records. A ring, or a buffer that is filled, is taken only
    /// once: afterwards it has the policy switch.
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
    /// Returns the records; the unused bytes of a ring are zeroes.
    pub fn records(&mut self) -> &[u8] {
        if let Some(gap) = self.memory.get_mut(core::mem::take(&mut self.gap)) {
            gap.fill(0);
        }
        self.memory.get(..self.used).unwrap_or_default()
    }
}

impl Reservation<'_> {
    /// Makes the record part of the buffer.
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
        assert!((0..7).all(|_| p.reserve(8).is_none() && !p.is_pressing()));
        assert_eq!(p.swap(Vec::new()).drops, 7);
        assert!(!p.is_pressing());
        let mut ring = Principal::ring(Vec::new(), Vec::new());
        assert!((0..7).all(|_| ring.reserve(8).is_none()));
        assert_eq!(ring.swap(Vec::new()).drops, 7);
    }
    #[test]
    fn a_record_too_many_ends_the_filling() {
        let mut p = Principal::fill(vec![0u8; 64], 16);
        assert!(put(&mut p, 40, 1) && !p.is_full());
        assert!(!put(&mut p, 16, 2) && p.is_full());
        // This holds even for a record that would have room.
        assert!(!put(&mut p, 8, 3));
        p.reopen();
        assert!(put(&mut p, 16, 4) && !put(&mut p, 16, 5));
        let mut t = p.swap(Vec::new());
        // The record that ends the recording is not a drop; a record of END without room is one.
        assert_eq!((t.used, t.oldest, t.drops), (56, 0, 1));
        assert_eq!(t.records(), [&[1; 40][..], &[4; 16]].concat());
    }

    #[test]
    fn a_cpu_without_a_buffer_does_not_end_the_filling() {
        let mut p = Principal::fill(Vec::new(), 16);
        assert!(!put(&mut p, 8, 1) && !p.is_full());
        assert_eq!(p.swap(Vec::new()).drops, 1);
    }

    /// Returns the whole records of a ring, oldest first. All bytes of a record are its number.
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
                    // This clause has faulted.
                    p.reserve(8 * (1 + next(5))).unwrap().fill(0xff);
                }
                sizes.push(size);
                assert!(put(&mut p, size, n as u8));
            }
            let last = sizes.len() - 1;
            let kept = records(p.swap(Vec::new()), &sizes);
            let first = usize::from(kept[0]);
            assert_eq!(kept, (first..=last).map(|n| n as u8).collect::<Vec<_>>());
            // At least half is used: less than two records are wasted at either end.
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
            // There is room for four.
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
