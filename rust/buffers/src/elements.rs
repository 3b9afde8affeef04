// SPDX-License-Identifier: GPL-2.0
//! Dynamic variables of any size: elements of associative arrays, and threads' variables by
//! reference.
//!
//! ```text
//! | chunks of each CPU | lock, head of each bucket | lives, loose units | unit | unit | unit ...
//!                                                             │
//!                                                             └─► version, link, hash, thread,
//!                                                                 sizes, list | key | value
//! ```
//! All CPUs share one hash over a fixed space. An element takes as many units as its key and its
//! value need. Its memory, once freed, serves elements of the same size, and after
//! [`Elements::gather`] those of any other ([`chunks`]).
//!
//! To change a bucket, a CPU holds its lock, a word that is odd meanwhile. Only probes do this,
//! with interrupts off, and one at a time on each CPU: so the holder of a lock is running on
//! another CPU and will release it soon. In any case, no CPU waits for longer than [`PATIENCE`].
//! Readers read without the lock, and read again if the word has changed; after `TRIES` attempts
//! they take the lock.
//!
//! A value by reference is read later, by an address. So an address contains the life of its
//! element: once the element is freed, the address reads zeros, even if the memory has another
//! element by then. Therefore memory can be reused at once, without waiting for readers. The lives
//! are beside the units, because a unit that began an element may be inside of another one later.

mod chunks;

use crate::siphash::{Seed, SipHash};
use crate::sync::{fence, spin_loop, AtomicU64, Ordering};
use chunks::{ALIVE, BITS, LANES, LISTS, MAX_LIFE};
use core::ops::Deref;

use Ordering::{AcqRel, Acquire, Relaxed, Release};

/// The words of a unit.
const UNIT: usize = 8;
/// How often a CPU reads a word that another CPU is about to change: for some 5 ms, which is a part
/// of a firing's time, because the other CPU may be a virtual one that must wait for its turn. (In
/// a test, a thread may have to wait longer.)
const PATIENCE: u32 = if cfg!(any(test, loom)) { u32::MAX } else { 1 << 17 };
/// The attempts to read something that changes meanwhile, before it is read under the lock.
const TRIES: u32 = 16;
/// The complete reads among these attempts.
const PASSES: u32 = 2;
/// The longest chain; no element is added to it. While a CPU walks it with the lock held, others
/// wait. With a random hash, a full space has two to four elements per bucket, and fewer than one
/// space in 10^50 has a chain of this length.
const MAX_CHAIN: usize = 64;
/// The bits of an address: for the byte in the value, the unit, and the life.
const BYTE_BITS: u32 = 16;
const UNIT_BITS: u32 = 22;
const LIFE_BITS: u32 = 10;
const MAX_UNITS: usize = 1 << UNIT_BITS;

// The words of an element's head.
/// A number that is odd while the value is being written.
const VERSION: usize = 0;
/// Size << 32 (an index of [`chunks::SIZES`]), and the next element of the bucket or of the free list.
const LINK: usize = 1;
const HASH: usize = 2;
const THREAD: usize = 3;
/// Variable << 48, words of the key << 24, bytes of the value.
const SHAPE: usize = 4;
/// Next << 32, and previous element of the thread.
const LIST: usize = 5;
const HEAD: usize = 6;

/// A part of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part<'k> {
    /// A number.
    Value(u64),
    /// Bytes.
    Bytes(&'k [u8]),
}

/// The owner of an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Owner {
    /// The thread; 0: the element is global.
    pub thread: u64,
    /// The variable.
    pub id: u16,
}

/// The new value of an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Value<'v> {
    /// By value.
    Word(u64),
    /// By reference.
    Bytes(&'v [u8]),
    /// This many zeros.
    Zeros(usize),
}

/// The reason why an element was not set, or not found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Drop {
    /// There is no memory left for it.
    Space,
    /// No chunk of this size is free. [`Elements::gather`] may make one of others.
    Cut(usize),
    /// Another CPU has held the lock for too long.
    Busy,
}

/// The elements of one consumer, in memory `M`.
pub struct Elements<M> {
    memory: M,
    seed: Seed,
    cpus: usize,
    /// The number of buckets: a power of two; 0 if there is no room at all.
    buckets: usize,
    /// The first words of the lives, of the loose units, and of the first unit.
    lives: usize,
    loose: usize,
    first: usize,
    units: usize,
    /// [`PATIENCE`] for the lock of a bucket; a test sets less.
    patience: u32,
}

fn number(n: usize) -> u64 {
    n as u64
}

/// Returns the low half of a word.
fn low(word: u64) -> usize {
    // CAST: cut on purpose.
    word as u32 as usize
}

fn high(word: u64) -> usize {
    (word >> 32) as usize
}

fn pair(high: usize, low: usize) -> u64 {
    number(high) << 32 | number(low) & 0xffff_ffff
}

/// Calls `f` with the words of a key, until it returns false: a number is one word; bytes are their
/// length, then the bytes. Returns the number of words; `None` if `f` returned false.
fn each_word<'k>(
    keys: impl Iterator<Item = Part<'k>>,
    mut f: impl FnMut(u64) -> bool,
) -> Option<usize> {
    let mut n: usize = 0;
    let mut put = |word: u64| {
        n = n.wrapping_add(1);
        f(word)
    };
    for part in keys {
        match part {
            Part::Value(v) => {
                if !put(v) {
                    return None;
                }
            }
            Part::Bytes(bytes) => {
                if !put(number(bytes.len())) {
                    return None;
                }
                for piece in bytes.chunks(8) {
                    if !put(word_of(piece)) {
                        return None;
                    }
                }
            }
        }
    }
    Some(n)
}

/// Returns up to eight bytes as a word.
fn word_of(piece: &[u8]) -> u64 {
    match piece.first_chunk() {
        Some(all) => u64::from_le_bytes(*all),
        None => piece.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte)),
    }
}

/// The variable of an element, the words of its key, and the bytes of its value.
#[derive(Clone, Copy)]
struct Shape {
    id: u16,
    key: usize,
    value: usize,
}

impl Shape {
    fn of(word: u64) -> Self {
        // CAST: cut on purpose.
        Self {
            id: (word >> 48) as u16,
            key: (word >> 24 & 0xff_ffff) as usize,
            value: (word & 0xff_ffff) as usize,
        }
    }

    fn word(self) -> u64 {
        u64::from(self.id) << 48 | number(self.key) << 24 | number(self.value)
    }
}

/// A bucket whose lock is held.
struct Held<'a> {
    lock: &'a AtomicU64,
    before: u64,
    head: &'a AtomicU64,
}

impl Held<'_> {
    fn release(self) {
        self.lock.store(self.before.wrapping_add(2), Release);
    }
}

/// Returns the number of words before the lives.
fn heads(cpus: usize, buckets: usize) -> usize {
    let lists = cpus.saturating_add(1).saturating_mul(LISTS);
    lists.saturating_add(buckets.saturating_mul(2)).next_multiple_of(UNIT)
}

/// Returns the first words of the loose units and of the first unit, if the lives of so many units
/// are here.
fn behind(lives: usize, units: usize) -> (usize, usize) {
    let loose = lives.saturating_add(units.div_ceil(LANES));
    (loose, loose.saturating_add(units.div_ceil(BITS)).next_multiple_of(UNIT))
}

impl<M: Deref<Target = [AtomicU64]>> Elements<M> {
    /// Returns the least number of words before the units of a space for this many CPUs.
    pub fn overhead(cpus: usize) -> usize {
        heads(cpus, 1)
    }

    /// Returns the number of words of a space that has all units that an address can tell apart. More
    /// are of no use.
    pub fn most(cpus: usize) -> usize {
        let (_, first) = behind(heads(cpus, MAX_UNITS / 2), MAX_UNITS - 1);
        first.saturating_add((MAX_UNITS - 1).saturating_mul(UNIT))
    }

    /// Creates an empty space in zeroed memory. `seed` makes the hash unpredictable for others.
    pub fn new(memory: M, cpus: usize, seed: Seed) -> Self {
        let words = memory.len();
        // A bucket for about two units.
        let buckets = words.checked_div(UNIT.saturating_mul(2)).unwrap_or(0);
        let mut buckets = if buckets == 0 { 0 } else { 1 << buckets.ilog2() };
        if heads(cpus, buckets) >= words {
            buckets = usize::from(heads(cpus, 1) < words);
        }
        let lives = heads(cpus, buckets);
        let mut units = words.saturating_sub(lives).checked_div(UNIT).unwrap_or(0);
        units = units.min(MAX_UNITS - 1);
        let mut places = behind(lives, units);
        while units > 0 && places.1.saturating_add(units.saturating_mul(UNIT)) > words {
            // Each unit that does not fit takes a little more of the words before them, too.
            let over = places.1.saturating_add(units.saturating_mul(UNIT)).saturating_sub(words);
            units = units.saturating_sub(over.div_ceil(2 * UNIT));
            places = behind(lives, units);
        }
        let (loose, first) = places;
        Self { memory, seed, cpus, buckets, lives, loose, first, units, patience: PATIENCE }
    }

    fn word(&self, at: usize) -> Option<&AtomicU64> {
        self.memory.get(at)
    }

    /// Returns word `n` after the start of a unit.
    fn at(&self, unit: usize, n: usize) -> Option<&AtomicU64> {
        // Units count from 1; 0 is none.
        let unit = unit.checked_sub(1)?;
        self.word(self.first.wrapping_add(unit.wrapping_mul(UNIT)).wrapping_add(n))
    }

    /// Returns `len` words of a unit, from word `n` on; none if they are not inside.
    fn some(&self, unit: usize, n: usize, len: usize) -> &[AtomicU64] {
        let first =
            unit.checked_sub(1).map(|unit| self.first.wrapping_add(unit.wrapping_mul(UNIT)));
        let from = first.map_or(usize::MAX, |first| first.wrapping_add(n));
        self.memory.get(from..from.wrapping_add(len)).unwrap_or_default()
    }

    fn load(&self, unit: usize, n: usize) -> u64 {
        self.at(unit, n).map_or(0, |w| w.load(Relaxed))
    }

    fn store(&self, unit: usize, n: usize, value: u64) {
        if let Some(w) = self.at(unit, n) {
            w.store(value, Relaxed);
        }
    }

    fn hash<'k>(&self, owner: Owner, keys: impl Iterator<Item = Part<'k>>) -> u64 {
        let mut h = SipHash::new(self.seed);
        h.word(owner.thread);
        let n = each_word(keys, |word| {
            h.word(word);
            true
        });
        h.end(u64::from(owner.id) << 48 | number(n.unwrap_or(0)))
    }

    fn bucket(&self, hash: u64) -> Option<(&AtomicU64, &AtomicU64)> {
        if self.buckets == 0 {
            return None;
        }
        // CAST: all bits of a hash are equally random.
        let n = hash as usize & self.buckets.wrapping_sub(1);
        let base = self.cpus.wrapping_add(1).wrapping_mul(LISTS).wrapping_add(n.wrapping_mul(2));
        Some((self.word(base)?, self.word(base.wrapping_add(1))?))
    }

    fn hold(&self, hash: u64) -> Result<Held<'_>, Drop> {
        let (lock, head) = self.bucket(hash).ok_or(Drop::Space)?;
        for _ in 0..self.patience {
            let before = lock.load(Relaxed);
            if before & 1 == 0 && lock.compare_exchange(before, before | 1, AcqRel, Relaxed).is_ok()
            {
                // A reader sees the odd number before it sees any change.
                fence(Release);
                return Ok(Held { lock, before, head });
            }
            spin_loop();
        }
        Err(Drop::Busy)
    }

    /// Returns the element with this key in a chain, and the one before it. Checks no more than
    /// [`MAX_CHAIN`] elements.
    fn search<'k>(
        &self,
        head: &AtomicU64,
        hash: u64,
        owner: Owner,
        keys: &(impl Iterator<Item = Part<'k>> + Clone),
    ) -> Option<(usize, usize)> {
        let (mut unit, mut before) = (low(head.load(Relaxed)), 0);
        for _ in 0..MAX_CHAIN {
            if unit == 0 {
                return None;
            }
            if self.load(unit, HASH) == hash && self.is(unit, owner, keys) {
                return Some((unit, before));
            }
            before = unit;
            unit = low(self.load(unit, LINK));
        }
        None
    }

    /// Tells whether a chain has its maximal length.
    fn is_full(&self, head: &AtomicU64) -> bool {
        let mut unit = low(head.load(Relaxed));
        for _ in 0..MAX_CHAIN {
            if unit == 0 {
                return false;
            }
            unit = low(self.load(unit, LINK));
        }
        true
    }

    fn is<'k>(
        &self,
        unit: usize,
        owner: Owner,
        keys: &(impl Iterator<Item = Part<'k>> + Clone),
    ) -> bool {
        let shape = Shape::of(self.load(unit, SHAPE));
        if shape.id != owner.id || self.load(unit, THREAD) != owner.thread {
            return false;
        }
        let mut at = HEAD;
        let same = each_word(keys.clone(), |word| {
            at = at.wrapping_add(1);
            self.load(unit, at.wrapping_sub(1)) == word
        });
        same == Some(shape.key)
    }

    /// Reads a bucket without its lock; with the lock if the bucket changes again and again.
    fn look<R>(&self, hash: u64, f: impl Fn(&AtomicU64) -> R) -> Result<R, Drop> {
        let (lock, head) = self.bucket(hash).ok_or(Drop::Space)?;
        let mut passes: u32 = 0;
        for _ in 0..TRIES {
            let before = lock.load(Acquire);
            // A long key takes a while, so it is compared only a few times.
            if before & 1 == 0 {
                if passes == PASSES {
                    break;
                }
                passes = passes.wrapping_add(1);
                let found = f(head);
                fence(Acquire);
                if lock.load(Relaxed) == before {
                    return Ok(found);
                }
            }
            spin_loop();
        }
        let held = self.hold(hash)?;
        let found = f(head);
        held.release();
        Ok(found)
    }

    /// Works like [`Self::look`]. A space without any room has no element.
    fn find<R>(&self, hash: u64, f: impl Fn(&AtomicU64) -> Option<R>) -> Result<Option<R>, Drop> {
        match self.look(hash, f) {
            Err(Drop::Space) => Ok(None),
            found => found,
        }
    }

    /// Returns the value of an element by value; 0 if it is not set. Fails if another CPU holds the
    /// lock for too long: the caller counts a drop.
    pub fn get<'k>(
        &self,
        owner: Owner,
        keys: impl Iterator<Item = Part<'k>> + Clone,
    ) -> Result<u64, Drop> {
        let hash = self.hash(owner, keys.clone());
        let value = self.find(hash, |head| {
            let (unit, _) = self.search(head, hash, owner, &keys)?;
            let shape = Shape::of(self.load(unit, SHAPE));
            Some(self.load(unit, HEAD.wrapping_add(shape.key)))
        });
        Ok(value?.unwrap_or(0))
    }

    /// Returns the address of an element's value by reference, in 48 bits. `None`: it is not set.
    /// Fails like [`Self::get`].
    pub fn address<'k>(
        &self,
        owner: Owner,
        keys: impl Iterator<Item = Part<'k>> + Clone,
    ) -> Result<Option<u64>, Drop> {
        let hash = self.hash(owner, keys.clone());
        let found = self.find(hash, |head| {
            let (unit, _) = self.search(head, hash, owner, &keys)?;
            Some((unit, self.life(unit) & MAX_LIFE))
        });
        Ok(found?.map(|(unit, life)| life << (BYTE_BITS + UNIT_BITS) | number(unit) << BYTE_BITS))
    }

    /// Returns the unit of an address, its life, and the byte in its value.
    fn split(&self, address: u64) -> Option<(usize, u64, usize)> {
        // CAST: masked.
        let unit = (address >> BYTE_BITS) as usize & (MAX_UNITS - 1);
        let life = address >> (BYTE_BITS + UNIT_BITS);
        let byte = address as usize & ((1 << BYTE_BITS) - 1);
        (1..=self.units).contains(&unit).then_some((unit, life, byte))
    }

    fn lives(&self, unit: usize, life: u64) -> bool {
        self.life(unit) == ALIVE | life
    }

    /// Reads from an element's value. Bytes after its end, or of a freed element, are zeros.
    /// Returns false if the address cannot be one of an element. Fails like [`Self::get`]; then the
    /// bytes are zeros.
    pub fn read(&self, address: u64, into: &mut [u8]) -> Result<bool, Drop> {
        let Some((unit, life, byte)) = self.split(address) else { return Ok(false) };
        let mut passes: u32 = 0;
        for _ in 0..TRIES {
            let Some(version) = self.at(unit, VERSION) else { return Ok(false) };
            let before = version.load(Acquire);
            if !self.lives(unit, life) {
                into.fill(0);
                return Ok(true);
            }
            if before & 1 == 0 {
                passes = passes.wrapping_add(1);
                self.copy_out(unit, byte, into);
                fence(Acquire);
                if version.load(Relaxed) == before && self.lives(unit, life) {
                    return Ok(true);
                }
                if passes == PASSES {
                    break;
                }
            }
            spin_loop();
        }
        // Other CPUs write it all the time.
        into.fill(0);
        let held = self.hold(self.load(unit, HASH))?;
        if self.lives(unit, life) {
            self.copy_out(unit, byte, into);
        }
        held.release();
        Ok(true)
    }

    fn copy_out(&self, unit: usize, byte: usize, into: &mut [u8]) {
        let shape = Shape::of(self.load(unit, SHAPE));
        let base = HEAD.wrapping_add(shape.key);
        let have = shape.value.saturating_sub(byte).min(into.len());
        let Some((mut rest, behind)) = into.split_at_mut_checked(have) else { return };
        behind.fill(0);
        let mut at = byte;
        if at & 7 == 0 {
            at = at.wrapping_add(rest.len() & !7);
            let mut whole = rest.chunks_exact_mut(8);
            let words = self.some(unit, base.wrapping_add(byte >> 3), have >> 3);
            for (to, word) in whole.by_ref().zip(words) {
                to.copy_from_slice(&word.load(Relaxed).to_le_bytes());
            }
            rest = whole.into_remainder();
        }
        while !rest.is_empty() {
            let word = self.load(unit, base.wrapping_add(at >> 3)).to_le_bytes();
            let bytes = word.get(at & 7..).unwrap_or_default();
            let n = bytes.len().min(rest.len());
            let Some((head, tail)) = rest.split_at_mut_checked(n) else { return };
            for (to, from) in head.iter_mut().zip(bytes) {
                *to = *from;
            }
            rest = tail;
            at = at.wrapping_add(n);
        }
    }

    fn copy_in(&self, unit: usize, base: usize, byte: usize, from: &[u8]) {
        let mut at = byte;
        let mut rest = from;
        if at & 7 == 0 {
            at = at.wrapping_add(rest.len() & !7);
            let whole = rest.chunks_exact(8);
            rest = whole.remainder();
            let words = self.some(unit, base.wrapping_add(byte >> 3), from.len() >> 3);
            for (word, piece) in words.iter().zip(whole) {
                word.store(word_of(piece), Relaxed);
            }
        }
        while !rest.is_empty() {
            let place = base.wrapping_add(at >> 3);
            let mut word = self.load(unit, place).to_le_bytes();
            let into = word.get_mut(at & 7..).unwrap_or_default();
            let n = into.len().min(rest.len());
            let Some((head, tail)) = rest.split_at_checked(n) else { return };
            for (to, from) in into.iter_mut().zip(head) {
                *to = *from;
            }
            self.store(unit, place, u64::from_le_bytes(word));
            rest = tail;
            at = at.wrapping_add(n);
        }
    }

    /// Writes into an element's value. Returns `Ok(false)`, and writes nothing, if a byte is outside
    /// of it. Returns `Ok(true)`, but writes nothing, if the element was freed, as if it had been
    /// freed later. Fails, and writes nothing, if another CPU holds the lock for too long: the caller
    /// counts a drop.
    pub fn write(&self, address: u64, bytes: &[u8]) -> Result<bool, Drop> {
        let Some((unit, life, byte)) = self.split(address) else { return Ok(false) };
        let hash = self.load(unit, HASH);
        let held = self.hold(hash)?;
        let shape = Shape::of(self.load(unit, SHAPE));
        let mut inside = true;
        // With the same life and the same hash, the held lock is this element's.
        if self.lives(unit, life) && self.load(unit, HASH) == hash {
            inside = byte.checked_add(bytes.len()).is_some_and(|end| end <= shape.value);
            if inside {
                self.changing(unit, |_| {
                    self.copy_in(unit, HEAD.wrapping_add(shape.key), byte, bytes)
                });
            }
        }
        held.release();
        Ok(inside)
    }

    /// Changes an element so that readers by its address notice it.
    fn changing(&self, unit: usize, f: impl FnOnce(usize)) {
        let version = self.load(unit, VERSION);
        self.store(unit, VERSION, version | 1);
        fence(Release);
        f(unit);
        fence(Release);
        self.store(unit, VERSION, version.wrapping_add(2));
    }

    /// Returns the words for key and value in a chunk.
    fn room(&self, unit: usize) -> usize {
        chunks::units(high(self.load(unit, LINK))).wrapping_mul(UNIT).saturating_sub(HEAD)
    }

    /// Sets an element, on this CPU. `list` contains the first of the thread's elements.
    pub fn set<'k>(
        &self,
        cpu: usize,
        owner: Owner,
        keys: impl Iterator<Item = Part<'k>> + Clone,
        value: Value<'_>,
        list: Option<&AtomicU64>,
    ) -> Result<(), Drop> {
        let hash = self.hash(owner, keys.clone());
        let held = self.hold(hash)?;
        let done = self.set_held(&held, cpu, hash, owner, &keys, value, list);
        held.release();
        done
    }

    #[allow(clippy::too_many_arguments, reason = "all that `set` knows")]
    fn set_held<'k>(
        &self,
        held: &Held<'_>,
        cpu: usize,
        hash: u64,
        owner: Owner,
        keys: &(impl Iterator<Item = Part<'k>> + Clone),
        value: Value<'_>,
        list: Option<&AtomicU64>,
    ) -> Result<(), Drop> {
        let bytes = match value {
            Value::Word(_) => 8,
            Value::Bytes(b) => b.len(),
            Value::Zeros(n) => n,
        };
        let old = self.search(held.head, hash, owner, keys);
        if let Some((unit, _)) = old {
            let shape = Shape::of(self.load(unit, SHAPE));
            if shape.key.saturating_add(bytes.div_ceil(8)) <= self.room(unit) {
                self.put(unit, Shape { value: bytes, ..shape }, value);
                return Ok(());
            }
        }
        let key = each_word(keys.clone(), |_| true).ok_or(Drop::Space)?;
        let words = HEAD.saturating_add(key).saturating_add(bytes.div_ceil(8));
        if bytes > 0xff_ffff || key > 0xff_ffff {
            return Err(Drop::Space);
        }
        // An old element makes room for the new one.
        if old.is_none() && self.is_full(held.head) {
            return Err(Drop::Space);
        }
        let unit = self.alloc(cpu, words)?;
        if let Some((unit, before)) = old {
            self.unlink(held, unit, before);
            self.leave(unit, list);
            self.free(cpu, unit);
        }
        self.store(unit, VERSION, 0);
        self.store(unit, HASH, hash);
        self.store(unit, THREAD, owner.thread);
        let mut at = HEAD;
        each_word(keys.clone(), |word| {
            self.store(unit, at, word);
            at = at.wrapping_add(1);
            true
        });
        self.put(unit, Shape { id: owner.id, key, value: bytes }, value);
        self.join(unit, list);
        self.begin(unit);
        let link = pair(high(self.load(unit, LINK)), low(held.head.load(Relaxed)));
        self.store(unit, LINK, link);
        held.head.store(number(unit), Relaxed);
        Ok(())
    }

    fn put(&self, unit: usize, shape: Shape, value: Value<'_>) {
        let base = HEAD.wrapping_add(shape.key);
        match value {
            Value::Word(word) => {
                self.store(unit, SHAPE, shape.word());
                self.store(unit, base, word);
            }
            Value::Bytes(bytes) => self.changing(unit, |unit| {
                self.store(unit, SHAPE, shape.word());
                self.copy_in(unit, base, 0, bytes);
            }),
            Value::Zeros(n) => self.changing(unit, |unit| {
                self.store(unit, SHAPE, shape.word());
                for at in 0..n.div_ceil(8) {
                    self.store(unit, base.wrapping_add(at), 0);
                }
            }),
        }
    }

    /// Frees an element, if it is set.
    pub fn remove<'k>(
        &self,
        cpu: usize,
        owner: Owner,
        keys: impl Iterator<Item = Part<'k>> + Clone,
        list: Option<&AtomicU64>,
    ) -> Result<(), Drop> {
        let hash = self.hash(owner, keys.clone());
        if self.buckets == 0 {
            return Ok(());
        }
        // Usually there is nothing to free, so look without the lock first.
        if self.look(hash, |head| self.search(head, hash, owner, &keys).is_none())? {
            return Ok(());
        }
        let held = self.hold(hash)?;
        if let Some((unit, before)) = self.search(held.head, hash, owner, &keys) {
            self.unlink(&held, unit, before);
            self.leave(unit, list);
            self.free(cpu, unit);
        }
        held.release();
        Ok(())
    }

    /// Frees elements of a thread that has ended, each for one of `left`. The list tells whether
    /// some stay. After waiting for a lock in vain, it leaves 0.
    pub fn remove_some(&self, cpu: usize, list: &AtomicU64, left: &mut usize) {
        while let Some(less) = left.checked_sub(1) {
            let unit = low(list.load(Relaxed));
            if unit == 0 {
                return;
            }
            *left = less;
            let hash = self.load(unit, HASH);
            let Ok(held) = self.hold(hash) else {
                *left = 0;
                return;
            };
            let (mut at, mut before) = (low(held.head.load(Relaxed)), 0);
            for _ in 0..MAX_CHAIN {
                if at == unit || at == 0 {
                    break;
                }
                before = at;
                at = low(self.load(at, LINK));
            }
            if at == unit {
                self.unlink(&held, unit, before);
            }
            self.leave(unit, Some(list));
            if at == unit {
                self.free(cpu, unit);
            }
            held.release();
        }
    }

    fn unlink(&self, held: &Held<'_>, unit: usize, before: usize) {
        let next = low(self.load(unit, LINK));
        match before {
            0 => held.head.store(number(next), Relaxed),
            _ => self.store(before, LINK, pair(high(self.load(before, LINK)), next)),
        }
    }

    /// Puts an element at the front of its thread's list.
    fn join(&self, unit: usize, list: Option<&AtomicU64>) {
        let Some(list) = list else { return };
        let next = low(list.load(Relaxed));
        self.store(unit, LIST, pair(next, 0));
        if next != 0 {
            self.store(next, LIST, pair(high(self.load(next, LIST)), unit));
        }
        list.store(number(unit), Relaxed);
    }

    fn leave(&self, unit: usize, list: Option<&AtomicU64>) {
        let Some(list) = list else { return };
        let word = self.load(unit, LIST);
        let (next, before) = (high(word), low(word));
        match before {
            0 => list.store(number(next), Relaxed),
            _ => self.store(before, LIST, pair(next, low(self.load(before, LIST)))),
        }
        if next != 0 {
            self.store(next, LIST, pair(high(self.load(next, LIST)), before));
        }
    }
}

#[cfg(test)]
mod tests;
