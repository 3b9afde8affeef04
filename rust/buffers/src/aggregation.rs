// SPDX-License-Identifier: GPL-2.0
//! The aggregation buffer: a hash table that is also the snapshot.
//!
//! ```text
//! | bucket heads u64 x 2^n | AggEntry | key ... value ... | AggEntry | key ... value ... | free |
//!                            ^ link chains entries of one bucket
//! ```
//! An entry without a key is in no bucket: its place is known by the aggregation's id. Likewise,
//! the host gives numbers to keys that never change where they are used, and their places are known
//! by number. If the host can identify a key of a few words faster than it can write it (a probe's
//! id for its function's name), a cache finds the entry; a key that is not in the cache is written
//! and searched once. Entries are appended and never move, so the used part is the snapshot for the
//! consumer, as it is. The memory consists of 64-bit words: a key is compared word by word, a value
//! is updated in place.
//!
//! Traced programs choose the keys. Only the owner of the seed can predict their hash, and a chain
//! has a maximal length: a value that finds no place there is a drop, as is one that finds no
//! memory. So a search takes bounded time with any keys.

use crate::key::Key;
use crate::siphash::{Seed, SipHash};
use crate::GOLDEN;
use abi::ids::AggId;
use abi::record::AggEntry;
use core::ops::DerefMut;
use zerocopy::{FromBytes, IntoBytes};

/// Words of an [`AggEntry`].
const HEAD: usize = size_of::<AggEntry>() / 8;

/// The values that one CPU has aggregated since the last swap.
pub struct AggBuffer<B> {
    memory: B,
    /// The number of bucket heads at the start of the memory: a power of two, or 0 if it has no
    /// room.
    buckets: usize,
    /// The words in use, including the bucket heads.
    used: usize,
    seed: Seed,
    drops: u64,
    /// The places of values that are requested by number: generation << 32 | word. First come the
    /// ids without a key, then the numbers of the host.
    known: B,
    /// The generation of this memory. Places of an earlier one are invalid.
    generation: u32,
    /// Slots of [`SLOT`] words: generation << 32 | id, place of the value, short key.
    cache: B,
    /// The place of the value that was last searched by its key; 0: there is none.
    last: usize,
}

/// The words by which the host identifies a key. If they are equal, the keys are equal.
pub type Short = [u64; 4];

/// The words of a slot of the cache.
pub const SLOT: usize = 8;

/// The result of a swap; the entries are `memory[from..to]`, in words.
pub struct Taken<B> {
    /// The memory with the entries.
    pub memory: B,
    /// The first word of the entries.
    pub from: usize,
    /// The end of the entries.
    pub to: usize,
    /// The number of values that have found no room since the last swap.
    pub drops: u64,
}

/// Returns one bucket for every 32 words: an entry of a short key and a count has 4.
fn buckets_for(words: usize) -> usize {
    match words / 32 {
        0 => 0,
        n => 1 << n.ilog2(),
    }
}

/// Clears the bucket heads, so that the memory can be used again.
pub fn clear(memory: &mut [u64]) {
    let n = buckets_for(memory.len());
    if let Some(heads) = memory.get_mut(..n) {
        heads.fill(0);
    }
}

/// The longest chain. With the smallest entries, a full memory has eight per bucket; with a random
/// hash, fewer than one table in 10^30 has a chain of this length.
const MAX_CHAIN: usize = 64;

/// Returns the hash of a key. Words that are always zero do not count. Two different keys of an
/// aggregation have different words, because the end of a part shows if it may be shorter than its
/// room.
#[inline]
fn hash<K: DerefMut<Target = [u64]>>(seed: Seed, id: AggId, key: &Key<K>) -> u32 {
    let mut h = SipHash::new(seed);
    let mut n: u32 = 0;
    for (_, words) in key.parts() {
        for &w in words {
            h.word(w);
            n = n.wrapping_add(1);
        }
    }
    // CAST: half of its bits are as good as all.
    h.end(u64::from(id.0) << 32 | u64::from(n)) as u32
}

/// The place of a key.
enum Place {
    /// Its entry begins at this word.
    At(usize),
    /// It has no entry.
    Nowhere,
    /// It has no entry, and its chain is full.
    Full,
}

impl<B: DerefMut<Target = [u64]>> AggBuffer<B> {
    /// Creates an empty table over cleared memory. `known` has a word for each id and for each
    /// number of the host; `cache` has a power of two of slots of [`SLOT`] words, or none.
    pub fn new(memory: B, seed: Seed, known: B, cache: B) -> Self {
        let buckets = buckets_for(memory.len());
        Self {
            memory,
            buckets,
            used: buckets,
            seed,
            drops: 0,
            known,
            generation: 1,
            cache,
            last: 0,
        }
    }

    /// Returns the words of the memory.
    pub fn capacity(&self) -> usize {
        self.memory.len()
    }

    /// Returns the value of an aggregation without a key, by the index of its id. A new one is made
    /// with `init`. `None`: there is no room, which is counted as a drop.
    #[inline(always)]
    pub fn single(
        &mut self,
        index: usize,
        words: usize,
        init: impl FnOnce(&mut [u64]),
    ) -> Option<&mut [u64]> {
        let at = match self.place(index) {
            Some(at) => at,
            None => self.insert_single(index, words, init)?,
        };
        self.words(at, words)
    }

    /// Returns the value with this number, if its place is known.
    #[inline(always)]
    pub fn known(&mut self, number: usize, words: usize) -> Option<&mut [u64]> {
        let at = self.place(number)?;
        self.words(at, words)
    }

    #[inline(always)]
    fn place(&self, number: usize) -> Option<usize> {
        let known = *self.known.get(number)?;
        // CAST: the two halves.
        ((known >> 32) as u32 == self.generation).then_some(known as u32 as usize)
    }

    /// Forgets the last search, so that [`Self::know`] cannot use it.
    pub fn forget_last(&mut self) {
        self.last = 0;
    }

    /// Gives a number to the key that was last searched, if there is such a number.
    pub fn know(&mut self, number: usize) {
        let known = u64::from(self.generation) << 32 | self.last as u64;
        match self.known.get_mut(number) {
            Some(at) if self.last != 0 => *at = known,
            _ => {}
        }
    }

    /// Returns `n` words of the memory.
    #[inline(always)]
    fn words(&mut self, at: usize, n: usize) -> Option<&mut [u64]> {
        self.memory.get_mut(at..at.wrapping_add(n))
    }

    #[cold]
    fn insert_single(
        &mut self,
        index: usize,
        words: usize,
        init: impl FnOnce(&mut [u64]),
    ) -> Option<usize> {
        // `known` has a word for every id, or is empty on a CPU that came online later.
        let is_known = self.known.get(index).is_some();
        let nothing: Key<&mut [u64]> = Key::new(&mut [], &mut []);
        let id = AggId::from_index(index);
        let new = is_known.then(|| self.append(id, 0, &nothing, 0, words, 0, init)).flatten();
        let Some(at) = new.map(|at| at.wrapping_add(HEAD)) else {
            self.drops = self.drops.wrapping_add(1);
            return None;
        };
        *self.known.get_mut(index)? = u64::from(self.generation) << 32 | at as u64;
        Some(at)
    }

    /// Returns the first word of the slot of a key of this aggregation.
    #[inline(always)]
    fn tag(&self, id: AggId) -> u64 {
        u64::from(self.generation) << 32 | u64::from(id.0)
    }

    #[inline(always)]
    fn slot(&self, tag: u64, short: &Short) -> usize {
        let [a, b, c, d] = *short;
        let mixed = tag ^ a ^ b.rotate_left(17) ^ c.rotate_left(31) ^ d.rotate_left(47);
        let slots = self.cache.len() / SLOT;
        // CAST: the upper half depends on all bits.
        (mixed.wrapping_mul(GOLDEN) >> 32) as usize & slots.wrapping_sub(1)
    }

    /// Returns the value of a key that is in the cache.
    #[inline(always)]
    pub fn cached(&mut self, id: AggId, short: &Short, words: usize) -> Option<&mut [u64]> {
        let tag = self.tag(id);
        let from = self.slot(tag, short).wrapping_mul(SLOT);
        let [t, at, a, b, c, d] = *self.cache.get(from..from.wrapping_add(6))? else { return None };
        let [e, f, g, h] = *short;
        // Not `==` of arrays, because it calls memcmp.
        match t == tag && (a ^ e) | (b ^ f) | (c ^ g) | (d ^ h) == 0 {
            true => self.words(at as usize, words),
            false => None,
        }
    }

    /// Adds the key that was last searched to the cache.
    pub fn remember(&mut self, id: AggId, short: &Short) {
        let (tag, at) = (self.tag(id), self.last as u64);
        let from = self.slot(tag, short).wrapping_mul(SLOT);
        if let Some([t, a, key @ ..]) = self.cache.get_mut(from..from.wrapping_add(6)) {
            if at != 0 {
                *t = tag;
                *a = at;
                for (k, s) in key.iter_mut().zip(short) {
                    *k = *s;
                }
            }
        }
    }

    /// Returns the value of `key`, which has `len` words, in the aggregation `id`. A new one is
    /// made with `init`. `None`: there is no room, which is counted as a drop.
    ///
    /// It has a frame of its own, so that an aggregation without a key does not save registers for
    /// the search.
    #[inline(never)]
    pub fn value<K: DerefMut<Target = [u64]>>(
        &mut self,
        id: AggId,
        key: &Key<K>,
        len: usize,
        words: usize,
        init: impl FnOnce(&mut [u64]),
    ) -> Option<&mut [u64]> {
        let hash = hash(self.seed, id, key);
        self.last = 0;
        let at = match self.find(id, key, hash) {
            Place::At(at) => Some(at),
            Place::Nowhere => self.insert(id, hash, key, len, words, init),
            Place::Full => None,
        };
        let Some(at) = at else {
            self.drops = self.drops.wrapping_add(1);
            return None;
        };
        self.last = at.wrapping_add(HEAD).wrapping_add(len);
        self.words(self.last, words)
    }

    fn bucket(&self, hash: u32) -> usize {
        hash as usize & self.buckets.wrapping_sub(1)
    }

    fn entry(&self, at: usize) -> Option<AggEntry> {
        let words = self.memory.get(at..at.wrapping_add(HEAD))?;
        AggEntry::read_from_bytes(words.as_bytes()).ok()
    }

    #[inline]
    fn find<K: DerefMut<Target = [u64]>>(&self, id: AggId, key: &Key<K>, hash: u32) -> Place {
        let mut at = self.memory.get(self.bucket(hash)).map_or(0, |head| *head as usize);
        for _ in 0..MAX_CHAIN {
            if at == 0 {
                return Place::Nowhere;
            }
            let Some(e) = self.entry(at) else { return Place::Nowhere };
            if e.hash == hash && e.id == id && self.is_key(at.wrapping_add(HEAD), key) {
                return Place::At(at);
            }
            at = e.link as usize;
        }
        Place::Full
    }

    /// Tells whether this key is at the word `at`.
    #[inline]
    fn is_key<K: DerefMut<Target = [u64]>>(&self, at: usize, key: &Key<K>) -> bool {
        key.parts().all(|(from, words)| {
            let from = at.wrapping_add(from);
            let there = self.memory.get(from..from.wrapping_add(words.len()));
            // Not `==`, because it calls memcmp for a word or two.
            there.is_some_and(|there| there.iter().zip(words).all(|(a, b)| a == b))
        })
    }

    #[cold]
    fn insert<K: DerefMut<Target = [u64]>>(
        &mut self,
        id: AggId,
        hash: u32,
        key: &Key<K>,
        len: usize,
        words: usize,
        init: impl FnOnce(&mut [u64]),
    ) -> Option<usize> {
        let bucket = self.bucket(hash);
        // CAST: a place in this memory; `append` checks that it has 32 bits.
        let link = *self.memory.get(bucket)? as u32;
        let at = self.append(id, hash, key, len, words, link, init)?;
        *self.memory.get_mut(bucket)? = at as u64;
        Some(at)
    }

    /// Makes an entry at the end of the used memory.
    #[allow(clippy::too_many_arguments, reason = "the fields of an entry")]
    fn append<K: DerefMut<Target = [u64]>>(
        &mut self,
        id: AggId,
        hash: u32,
        key: &Key<K>,
        len: usize,
        words: usize,
        link: u32,
        init: impl FnOnce(&mut [u64]),
    ) -> Option<usize> {
        if self.buckets == 0 {
            return None;
        }
        let at = self.used;
        // `link` has 32 bits.
        u32::try_from(at).ok()?;
        let data = len.checked_add(words)?;
        let end = at.checked_add(HEAD)?.checked_add(data)?;
        let size = u32::try_from(data.checked_mul(8)?).ok()?;
        let entry = self.memory.get_mut(at..end)?;
        let (head, rest) = entry.split_at_mut_checked(HEAD)?;
        head.as_mut_bytes().copy_from_slice(AggEntry { id, hash, size, link }.as_bytes());
        rest.fill(0);
        let (there, value) = rest.split_at_mut_checked(len)?;
        for (from, words) in key.parts() {
            let to = from.wrapping_add(words.len());
            there.get_mut(from..to)?.copy_from_slice(words);
        }
        init(value);
        self.used = end;
        Some(at)
    }

    /// Tells whether nothing was aggregated.
    pub fn is_empty(&self) -> bool {
        self.used == self.buckets
    }

    /// Does what [`Self::swap`] does, for an empty buffer: returns the drops. The memory stays.
    pub fn swap_nothing(&mut self) -> Taken<B>
    where
        B: Default,
    {
        Taken { memory: B::default(), from: 0, to: 0, drops: core::mem::take(&mut self.drops) }
    }

    /// Installs `fresh`, which must be cleared, and returns the aggregated values.
    pub fn swap(&mut self, fresh: B) -> Taken<B> {
        let memory = core::mem::replace(&mut self.memory, fresh);
        let taken = Taken {
            memory,
            from: self.buckets,
            to: self.used,
            drops: core::mem::take(&mut self.drops),
        };
        self.buckets = buckets_for(self.memory.len());
        self.used = self.buckets;
        self.generation = match self.generation.wrapping_add(1) {
            // Places from four billion snapshots ago must not seem known now.
            0 => {
                self.known.fill(0);
                self.cache.fill(0);
                1
            }
            next => next,
        };
        taken
    }

    /// Returns the number of values that have found no room so far.
    pub fn drops(&self) -> u64 {
        self.drops
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn known() -> Vec<u64> {
        vec![0; 4]
    }

    fn key(words: &[u64]) -> Key<Vec<u64>> {
        let mut key = Key::new(vec![u64::MAX; words.len()], vec![0; words.len()]);
        for (n, w) in words.iter().enumerate() {
            key.put_value(8 * n, 8, *w);
        }
        key
    }

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
        let mut a = AggBuffer::new(vec![0u64; 4096], [5, 6], known(), vec![0; 4 * SLOT]);
        let mut want = BTreeMap::new();
        let mut x = 1u64;
        for _ in 0..20_000 {
            x = x.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let (id, words) = (AggId(1 + (x >> 60) as u32 % 3), [(x >> 40) % 50, (x >> 33) % 2]);
            a.value(id, &key(&words), 2, 1, |_| {}).unwrap()[0] += 1;
            want.entry((id.0, words.to_vec())).or_insert_with(|| vec![0])[0] += 1;
        }
        let t = a.swap(vec![0; 4096]);
        assert_eq!(t.drops, 0);
        assert_eq!(entries(&t, 2), want);
        assert!(entries(&a.swap(vec![0; 64]), 2).is_empty());
    }

    #[test]
    fn no_room_is_counted_and_what_is_there_still_counts() {
        let mut a = AggBuffer::new(vec![0u64; 32 + 4], [5, 6], known(), vec![0; 4 * SLOT]);
        for _ in 0..10 {
            for k in 0..100u64 {
                if let Some(v) = a.value(AggId(1), &key(&[k]), 1, 1, |_| {}) {
                    v[0] += 1;
                }
            }
        }
        let t = a.swap(Vec::new());
        let m = entries(&t, 1);
        let counted: u64 = m.values().map(|v| v[0]).sum();
        assert_eq!(counted + t.drops, 1000);
        assert!(m.values().all(|v| v[0] == 10));
        assert!(a.single(0, 1, |_| {}).is_none(), "no memory");
        assert_eq!(a.drops(), 1);
        // A CPU that came online after the buffers were made has nothing at all.
        let mut a = AggBuffer::new(Vec::new(), [5, 6], Vec::new(), Vec::new());
        assert!(a.single(0, 1, |_| {}).is_none());
        assert!(a.value(AggId(1), &key(&[1]), 1, 1, |_| {}).is_none());
        assert_eq!(a.drops(), 2);
    }

    #[test]
    fn cleared_memory_serves_again() {
        let mut a = AggBuffer::new(vec![0u64; 256], [5, 6], known(), vec![0; 4 * SLOT]);
        for k in 0..20 {
            a.value(AggId(1), &key(&[k]), 1, 1, |v| v[0] = 5).unwrap()[0] += 1;
        }
        let mut t = a.swap(vec![0; 256]);
        clear(&mut t.memory);
        a.swap(t.memory);
        assert_eq!(a.value(AggId(1), &key(&[3]), 1, 1, |v| v[0] = 7).unwrap()[0], 7);
    }

    #[test]
    fn without_a_key() {
        let mut a = AggBuffer::new(vec![0u64; 256], [5, 6], vec![0; 3], vec![0; 4 * SLOT]);
        // Places of an earlier generation must not be valid when the number wraps.
        a.generation = u32::MAX - 1;
        for round in 0..5u64 {
            for n in 0..=round {
                for id in 1..=3 {
                    let value = a.single(id as usize - 1, 2, |v| v[1] = u64::from(id)).unwrap();
                    value[0] += 1;
                    assert_eq!(value, [n + 1, u64::from(id)]);
                    let keyed = a.value(AggId(id), &key(&[n % 2]), 1, 2, |_| {}).unwrap();
                    keyed[0] += 1;
                }
            }
            assert!(a.single(3, 1, |_| {}).is_none(), "an id that nobody has");
            let t = a.swap(vec![0; 256]);
            let singles: Vec<_> = singles(&t);
            let want = |id| (id, vec![round + 1, u64::from(id)]);
            assert_eq!(singles, [want(1), want(2), want(3)]);
        }
        assert_eq!(a.generation, 4);
    }

    #[test]
    fn keys_by_number() {
        let mut a = AggBuffer::new(vec![0u64; 256], [5, 6], vec![0; 4], Vec::new());
        a.generation = u32::MAX - 1;
        let mut known = 0;
        for round in 1..5u64 {
            for n in 0..30u64 {
                // Two numbers of one key, and one number that does not exist.
                let number = 1 + n as usize % 4;
                let value = match a.known(number, 1) {
                    Some(value) => {
                        known += 1;
                        value
                    }
                    None => {
                        a.value(AggId(1), &key(&[number as u64 / 2]), 1, 1, |_| {}).unwrap();
                        a.know(number);
                        a.value(AggId(1), &key(&[number as u64 / 2]), 1, 1, |_| {}).unwrap()
                    }
                };
                value[0] += round;
            }
            let found = entries(&a.swap(vec![0; 256]), 1);
            let want = [(0, 8), (1, 15), (2, 7)];
            assert_eq!(found, want.map(|(k, n)| ((1, vec![k]), vec![n * round])).into());
        }
        assert_eq!(known, 4 * (8 - 1 + 8 - 1 + 7 - 1));
    }

    /// Returns the entries that are one word shorter than the others.
    fn singles(t: &Taken<Vec<u64>>) -> Vec<(u32, Vec<u64>)> {
        let mut found = Vec::new();
        let mut rest = &t.memory[t.from..t.to];
        while !rest.is_empty() {
            let e = AggEntry::read_from_bytes(rest[..HEAD].as_bytes()).unwrap();
            let data = &rest[HEAD..HEAD + e.size as usize / 8];
            if data.len() == 2 {
                found.push((e.id.0, data.to_vec()));
            }
            rest = &rest[HEAD + data.len()..];
        }
        found
    }

    #[test]
    fn strings_by_what_is_used_of_them() {
        let mut a = AggBuffer::new(vec![0u64; 4096], [5, 6], known(), vec![0; 4 * SLOT]);
        let mut k = Key::new(vec![u64::MAX; 64], vec![0; 64]);
        for (text, tail) in [("vfs_read", 1), ("vfs_readv", 1), ("vfs_read", 2), ("vfs_read", 1)] {
            k.clear();
            k.put_text(0, 256, text.as_bytes());
            k.put_text(256, 248, b"x");
            k.put_value(504, 8, tail);
            a.value(AggId(1), &k, 64, 1, |_| {}).unwrap()[0] += 1;
        }
        let counts: Vec<u64> =
            entries(&a.swap(vec![0; 64]), 64).into_values().map(|v| v[0]).collect();
        assert_eq!(counts.len(), 3);
        assert_eq!(counts.iter().sum::<u64>(), 4);
    }

    #[test]
    fn what_the_cache_says_is_so() {
        let mut a = AggBuffer::new(vec![0u64; 1024], [5, 6], known(), vec![0; 4 * SLOT]);
        a.generation = u32::MAX - 1;
        let (mut hits, mut want) = (0, BTreeMap::new());
        for round in 0..3u64 {
            for n in 0..200u64 {
                // There are more keys than slots.
                let (id, k) = (AggId(1 + (n % 2) as u32), n / 7 % 5);
                let short = [k, round & 1, 0, 9];
                let value = match a.cached(id, &short, 1) {
                    Some(value) => {
                        hits += 1;
                        value
                    }
                    None => {
                        a.value(id, &key(&[k]), 1, 1, |_| {}).unwrap();
                        a.remember(id, &short);
                        a.cached(id, &short, 1).unwrap()
                    }
                };
                value[0] += 1;
                *want.entry((id.0, vec![k])).or_insert(0) += 1;
            }
            let t = a.swap(vec![0; 1024]);
            let found = entries(&t, 1).into_iter().map(|(k, v)| (k, v[0])).collect();
            assert_eq!(core::mem::take(&mut want), found);
        }
        assert!(hits > 100);
        // A drop is not remembered, and a missing cache does no harm.
        let mut a = AggBuffer::new(Vec::new(), [5, 6], vec![0; 2], Vec::new());
        assert!(a.value(AggId(1), &key(&[1]), 1, 1, |_| {}).is_none());
        a.know(1);
        assert!(a.known(1, 1).is_none());
        a.remember(AggId(1), &[0; 4]);
        assert!(a.cached(AggId(1), &[0; 4], 1).is_none());
    }

    /// Keys that had the same hash with every seed: one bit is flipped in each of two words.
    #[test]
    fn no_keys_collide_whatever_the_seed() {
        // The hash that this replaced: multiply, rotate by 29.
        let old = |seed: u64, words: [u64; 2]| {
            let h = (seed ^ 1).wrapping_mul(GOLDEN);
            let h = words.into_iter().fold(h, crate::mix);
            (h ^ (h >> 32)) as u32
        };
        let (mut before, mut now) = (0, 0);
        let mut random = 1u64;
        let mut roll = || {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            random ^ random >> 29
        };
        for _ in 0..200 {
            let seed = [roll(), roll()];
            let a = [roll(), roll()];
            let b = [a[0] ^ 1 << 63, a[1] ^ 1 << 28];
            before += u32::from(old(seed[0], a) == old(seed[0], b));
            let of = |words: [u64; 2]| hash(seed, AggId(1), &key(&words));
            now += u32::from(of(a) == of(b));
        }
        assert_eq!((before, now), (200, 0));
    }

    /// Even if a program could make keys of one bucket, the chain ends, and the others are drops.
    #[test]
    fn a_chain_is_never_longer_than_the_longest() {
        let seed = [5, 6];
        let mut a = AggBuffer::new(vec![0u64; 1 << 12], seed, known(), Vec::new());
        let buckets = a.buckets as u32;
        let same = (0u64..).filter(|n| hash(seed, AggId(1), &key(&[*n])) & (buckets - 1) == 3);
        let all: Vec<u64> = same.take(MAX_CHAIN + 20).collect();
        for round in 1..=3 {
            for (i, n) in all.iter().enumerate() {
                match a.value(AggId(1), &key(&[*n]), 1, 1, |_| {}) {
                    Some(value) => {
                        assert!(i < MAX_CHAIN);
                        value[0] += 1;
                    }
                    None => assert!(i >= MAX_CHAIN),
                }
            }
            assert_eq!(a.drops(), 20 * round);
        }
        let t = a.swap(vec![0; 1 << 12]);
        let found = entries(&t, 1);
        assert_eq!(found.len(), MAX_CHAIN, "none is there twice");
        assert!(found.iter().all(|(_, value)| value[0] == 3));
    }
}
