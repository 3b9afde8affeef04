// SPDX-License-Identifier: GPL-2.0
//! The aggregation buffer: a hash table that is also the snapshot.
//!
//! ```text
//! | bucket heads u64 x 2^n | AggEntry | key ... value ... | AggEntry | key ... value ... | free |
//!                            ^ link chains entries of one bucket
//! ```
//! Entries are appended and never move, so the used part, as it stands, is what the consumer gets.
//! Memory is 64-bit words: a key is compared a word at a time, a value is counted in place.

use abi::ids::AggId;
use abi::record::AggEntry;
use core::ops::DerefMut;
use zerocopy::{FromBytes, IntoBytes};

/// Words of an [`AggEntry`].
const HEAD: usize = size_of::<AggEntry>() / 8;

/// What one CPU aggregated since the last swap.
pub struct AggBuffer<B> {
    memory: B,
    /// Bucket heads at the start of the memory; a power of two, or 0 if there is no room at all.
    buckets: usize,
    /// Words in use, bucket heads included.
    used: usize,
    /// Makes the hash one that nobody outside can foresee: keys come from who is traced.
    seed: u64,
    drops: u64,
}

/// What a swap hands over; the entries are `memory[from..to]`, in words.
pub struct Taken<B> {
    /// The memory with the entries.
    pub memory: B,
    /// First word of the entries.
    pub from: usize,
    /// End of the entries.
    pub to: usize,
    /// Values that found no room for their key since the last swap.
    pub drops: u64,
}

/// One bucket for every 32 words: an entry of a short key and a count has 4.
fn buckets_for(words: usize) -> usize {
    match words / 32 {
        0 => 0,
        n => 1 << n.ilog2(),
    }
}

/// Forgets the bucket heads, so that the memory can serve again.
pub fn clear(memory: &mut [u64]) {
    let n = buckets_for(memory.len());
    if let Some(heads) = memory.get_mut(..n) {
        heads.fill(0);
    }
}

/// Hash of a key: multiply and rotate a word at a time.
#[inline]
fn hash(seed: u64, id: AggId, key: &[u64]) -> u32 {
    const M: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut h = (seed ^ u64::from(id.0)).wrapping_mul(M);
    for &w in key {
        h = (h ^ w).wrapping_mul(M).rotate_left(29);
    }
    (h ^ (h >> 32)) as u32
}

impl<B: DerefMut<Target = [u64]>> AggBuffer<B> {
    /// An empty table over cleared memory.
    pub fn new(memory: B, seed: u64) -> Self {
        let buckets = buckets_for(memory.len());
        Self { memory, buckets, used: buckets, seed, drops: 0 }
    }

    /// Words that the memory has.
    pub fn capacity(&self) -> usize {
        self.memory.len()
    }

    /// The value of `key` under `id`, made with `init` if it is new. `None` is a counted drop.
    #[inline]
    pub fn value(
        &mut self,
        id: AggId,
        key: &[u64],
        words: usize,
        init: impl FnOnce(&mut [u64]),
    ) -> Option<&mut [u64]> {
        let hash = hash(self.seed, id, key);
        let at = match self.find(id, key, hash) {
            Some(at) => at,
            None => match self.insert(id, key, hash, words, init) {
                Some(at) => at,
                None => {
                    self.drops = self.drops.wrapping_add(1);
                    return None;
                }
            },
        };
        let from = at.wrapping_add(HEAD).wrapping_add(key.len());
        self.memory.get_mut(from..from.wrapping_add(words))
    }

    fn bucket(&self, hash: u32) -> usize {
        hash as usize & self.buckets.wrapping_sub(1)
    }

    fn entry(&self, at: usize) -> Option<AggEntry> {
        let words = self.memory.get(at..at.wrapping_add(HEAD))?;
        AggEntry::read_from_bytes(words.as_bytes()).ok()
    }

    #[inline]
    fn find(&self, id: AggId, key: &[u64], hash: u32) -> Option<usize> {
        let mut at = *self.memory.get(self.bucket(hash))? as usize;
        // Chains only point backwards, so this ends; the bound is the number of entries.
        while at != 0 {
            let e = self.entry(at)?;
            if e.hash == hash && e.id == id {
                let from = at.wrapping_add(HEAD);
                if self.memory.get(from..from.wrapping_add(key.len())) == Some(key) {
                    return Some(at);
                }
            }
            let next = e.link as usize;
            if next >= at {
                return None;
            }
            at = next;
        }
        None
    }

    fn insert(
        &mut self,
        id: AggId,
        key: &[u64],
        hash: u32,
        words: usize,
        init: impl FnOnce(&mut [u64]),
    ) -> Option<usize> {
        if self.buckets == 0 {
            return None;
        }
        let at = self.used;
        // `link` has 32 bits.
        u32::try_from(at).ok()?;
        let data = key.len().checked_add(words)?;
        let end = at.checked_add(HEAD)?.checked_add(data)?;
        let bucket = self.bucket(hash);
        let link = *self.memory.get(bucket)? as u32;
        let entry = self.memory.get_mut(at..end)?;
        let (head, rest) = entry.split_at_mut_checked(HEAD)?;
        let (k, value) = rest.split_at_mut_checked(key.len())?;
        let size = u32::try_from(data.checked_mul(8)?).ok()?;
        head.as_mut_bytes().copy_from_slice(AggEntry { id, hash, size, link }.as_bytes());
        k.copy_from_slice(key);
        value.fill(0);
        init(value);
        *self.memory.get_mut(bucket)? = at as u64;
        self.used = end;
        Some(at)
    }

    /// Puts `fresh`, which must be cleared, in place and hands over what was aggregated.
    pub fn swap(&mut self, fresh: B) -> Taken<B> {
        let new = Self::new(fresh, self.seed);
        let old = core::mem::replace(self, new);
        Taken { memory: old.memory, from: old.buckets, to: old.used, drops: old.drops }
    }

    /// Values that found no room so far.
    pub fn drops(&self) -> u64 {
        self.drops
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn entries(t: &Taken<Vec<u64>>, key_words: usize) -> BTreeMap<(u32, Vec<u64>), Vec<u64>> {
        let mut m = BTreeMap::new();
        let mut rest = &t.memory[t.from..t.to];
        while !rest.is_empty() {
            let e = AggEntry::read_from_bytes(rest[..HEAD].as_bytes()).unwrap();
            let data = &rest[HEAD..HEAD + e.size as usize / 8];
            let key = (e.id.0, data[..key_words].to_vec());
            assert!(m.insert(key, data[key_words..].to_vec()).is_none(), "key twice");
            rest = &rest[HEAD + data.len()..];
        }
        m
    }

    #[test]
    fn counts_like_a_map() {
        let mut a = AggBuffer::new(vec![0u64; 4096], 5);
        let mut want = BTreeMap::new();
        let mut x = 1u64;
        for _ in 0..20_000 {
            x = x.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let (id, key) = (AggId(1 + (x >> 60) as u32 % 3), [(x >> 40) % 50, (x >> 33) % 2]);
            a.value(id, &key, 1, |_| {}).unwrap()[0] += 1;
            want.entry((id.0, key.to_vec())).or_insert_with(|| vec![0])[0] += 1;
        }
        let t = a.swap(vec![0; 4096]);
        assert_eq!(t.drops, 0);
        assert_eq!(entries(&t, 2), want);
        assert!(entries(&a.swap(vec![0; 64]), 2).is_empty());
    }

    #[test]
    fn no_room_is_counted_and_what_is_there_still_counts() {
        let mut a = AggBuffer::new(vec![0u64; 32 + 4], 5);
        for _ in 0..10 {
            for key in 0..100u64 {
                if let Some(v) = a.value(AggId(1), &[key], 1, |_| {}) {
                    v[0] += 1;
                }
            }
        }
        let t = a.swap(Vec::new());
        let m = entries(&t, 1);
        let counted: u64 = m.values().map(|v| v[0]).sum();
        assert_eq!(counted + t.drops, 1000);
        assert!(m.values().all(|v| v[0] == 10));
        assert!(a.value(AggId(1), &[], 1, |_| {}).is_none(), "no memory");
        assert_eq!(a.drops(), 1);
    }

    #[test]
    fn cleared_memory_serves_again() {
        let mut a = AggBuffer::new(vec![0u64; 256], 5);
        for k in 0..20 {
            a.value(AggId(1), &[k], 1, |v| v[0] = 5).unwrap()[0] += 1;
        }
        let mut t = a.swap(vec![0; 256]);
        clear(&mut t.memory);
        a.swap(t.memory);
        assert_eq!(a.value(AggId(1), &[3], 1, |v| v[0] = 7).unwrap()[0], 7);
    }
}
