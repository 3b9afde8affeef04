// SPDX-License-Identifier: GPL-2.0
//! The memory of elements.
//!
//! A chunk is some units one after another, of one of [`SIZES`]. It is cut from units that were
//! never used, and when its element is freed, it goes to the list for its size of the CPU. So most
//! elements take a chunk that another one has left.
//!
//! When sizes change, the lists have chunks of the wrong sizes. Then [`Elements::gather`] turns them
//! into loose units: each has a bit, so neighbours join by themselves, and a chunk of any size is
//! a row of set bits. To take it, a CPU clears them word by word. If another CPU was faster with one
//! of them, it sets those that it has cleared again.
//!
//! No CPU waits for another one here. What a search may do is limited, and the caller pays for it.

use super::*;

/// The sizes of chunks, in units. (The model checker would look at all lists in every order.)
pub(super) const SIZES: &[u32] = if cfg!(loom) {
    &[1, 2, 3]
} else {
    &[
        1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536,
        2048, 3072, 4096,
    ]
};
/// The words of one CPU's lists, in whole cache lines.
pub(super) const LISTS: usize = 32;
const KINDS: usize = SIZES.len();
const _: () = assert!(KINDS <= LISTS);

// The words before the lists.
/// The first unit that was never used, from 0.
const NEXT: usize = 0;
/// The number of loose units; at least as many as can be taken now.
const COUNT: usize = 1;
/// The loose unit from which the next search goes on.
const SEARCH: usize = 2;
/// The list from which the next gathering goes on.
const GATHER: usize = 3;

/// The bits of a word of loose units. (The model checker takes a row from several words.)
pub(super) const BITS: usize = if cfg!(loom) { 1 } else { 64 };
/// The lives in a word, and the bits of each: its number, and [`ALIVE`].
pub(super) const LANES: usize = 4;
const LANE_BITS: usize = 16;
/// The bit of a life that is set while the unit begins an element.
pub(super) const ALIVE: u64 = 1 << 15;
pub(super) const MAX_LIFE: u64 = (1 << LIFE_BITS) - 1;
const _: () = assert!(MAX_LIFE < ALIVE);

/// The steps of a search for which nobody pays.
const STEPS: usize = 32;
/// The work for which the caller pays at once: an item is a look at a list, a step of a search, or
/// 64 units that become loose. It takes some 40 instructions.
const ITEMS: usize = 64;
/// The most that a gathering does: payments for lists, and all; looks at lists.
const LISTED: usize = 512;
const PAYMENTS: usize = 640;
const LOOKS: usize = 1024;

/// Returns the units of a chunk.
pub(super) fn units(size: usize) -> usize {
    SIZES.get(size).copied().unwrap_or(0) as usize
}

/// Work that is paid for.
struct Work<F> {
    items: usize,
    /// The payments that may still be made.
    left: usize,
    pay: F,
}

impl<F: FnMut() -> bool> Work<F> {
    /// Notes work that is done. Returns false if there must be no more.
    fn does(&mut self, items: usize) -> bool {
        self.items = self.items.wrapping_add(items);
        while self.items >= ITEMS {
            self.items = self.items.wrapping_sub(ITEMS);
            match self.left.checked_sub(1) {
                Some(left) if (self.pay)() => self.left = left,
                _ => return false,
            }
        }
        true
    }
}

impl<M: Deref<Target = [AtomicU64]>> Elements<M> {
    fn list(&self, cpu: usize, size: usize) -> Option<&AtomicU64> {
        self.word(cpu.wrapping_add(1).wrapping_mul(LISTS).wrapping_add(size))
    }

    /// Returns the word with the life of a unit, and its place there.
    fn lane(&self, unit: usize) -> Option<(&AtomicU64, usize)> {
        let at = unit.checked_sub(1).filter(|at| *at < self.units)?;
        let word = self.word(self.lives.wrapping_add(at / LANES))?;
        Some((word, (at % LANES).wrapping_mul(LANE_BITS)))
    }

    /// Returns the life of a unit, with [`ALIVE`].
    pub(super) fn life(&self, unit: usize) -> u64 {
        self.lane(unit).map_or(0, |(word, at)| word.load(Acquire) >> at & (ALIVE | MAX_LIFE))
    }

    /// Begins the life of an element.
    pub(super) fn begin(&self, unit: usize) {
        if let Some((word, at)) = self.lane(unit) {
            word.fetch_or(ALIVE << at, Release);
        }
    }

    /// Frees the chunk of an element; its addresses read zeros from here on.
    pub(super) fn free(&self, cpu: usize, unit: usize) {
        // Other CPUs change the other lives in the word, but not this one.
        let life = self.life(unit);
        let next = (life & MAX_LIFE).wrapping_add(1) & MAX_LIFE;
        if let Some((word, at)) = self.lane(unit) {
            word.fetch_xor((life ^ next) << at, AcqRel);
        }
        self.push(cpu, high(self.load(unit, LINK)), unit);
    }

    /// Puts a chunk in a list.
    fn push(&self, cpu: usize, size: usize, unit: usize) {
        let Some(list) = self.list(cpu, size) else { return };
        let mut now = list.load(Relaxed);
        for _ in 0..PATIENCE {
            self.store(unit, LINK, pair(size, low(now)));
            let then = pair(high(now).wrapping_add(1), unit);
            match list.compare_exchange_weak(now, then, AcqRel, Relaxed) {
                Ok(_) => return,
                Err(other) => now = other,
            }
        }
    }

    /// Takes a chunk from a list. The upper half of a list's word is a counter, so that a head that
    /// was taken and put back meanwhile counts as another one.
    pub(super) fn pop(&self, cpu: usize, size: usize) -> Option<usize> {
        let list = self.list(cpu, size)?;
        let mut now = list.load(Acquire);
        for _ in 0..PATIENCE {
            let unit = low(now);
            if unit == 0 {
                return None;
            }
            let next = low(self.load(unit, LINK));
            let then = pair(high(now).wrapping_add(1), next);
            match list.compare_exchange_weak(now, then, AcqRel, Acquire) {
                Ok(_) => return Some(unit),
                Err(other) => now = other,
            }
        }
        None
    }

    /// Returns a chunk of at least this many words: one that this CPU has freed, a new one, one
    /// of loose units, or one that another CPU has freed.
    pub(super) fn alloc(&self, cpu: usize, words: usize) -> Result<usize, Drop> {
        let wanted = words.div_ceil(UNIT);
        let size = SIZES.iter().position(|n| *n as usize >= wanted).ok_or(Drop::Space)?;
        let others = || {
            let mut others = (0..self.cpus).filter(|other| *other != cpu);
            others.find_map(|other| self.pop(other, size))
        };
        let mut few = Work { items: ITEMS.wrapping_sub(STEPS), left: 0, pay: || false };
        let unit = self
            .pop(cpu, size)
            .or_else(|| self.fresh(units(size)))
            .or_else(|| self.take(units(size), &mut few))
            .or_else(others)
            .ok_or(Drop::Cut(size))?;
        self.store(unit, LINK, pair(size, 0));
        // A reader by an old address sees that its life is over before it sees any change.
        fence(Release);
        Ok(unit)
    }

    /// Returns units that were never used.
    fn fresh(&self, units: usize) -> Option<usize> {
        let next = self.word(NEXT)?;
        let mut now = next.load(Relaxed);
        for _ in 0..PATIENCE {
            let then = now.checked_add(number(units)).filter(|end| *end <= number(self.units))?;
            match next.compare_exchange_weak(now, then, Relaxed, Relaxed) {
                // CAST: below MAX_UNITS.
                Ok(_) => return Some((now as usize).wrapping_add(1)),
                Err(other) => now = other,
            }
        }
        None
    }

    /// Makes a chunk of free memory of any size, after [`Drop::Cut`], and puts it in this CPU's
    /// list. Returns false if there was not enough in one place, or `pay` has refused to pay for
    /// more work: each payment is for less than 3,000 instructions.
    pub fn gather(&self, cpu: usize, size: usize, mut pay: impl FnMut() -> bool) -> bool {
        let (Some(next), Some(from)) = (self.word(NEXT), self.word(GATHER)) else { return false };
        if !pay() {
            return false;
        }
        let mut work = Work { items: 0, left: LISTED, pay };
        let all = number(self.units);
        if next.load(Relaxed) < all {
            // CAST: below MAX_UNITS.
            let old = next.swap(all, Relaxed).min(all) as usize;
            self.loosen(old.wrapping_add(1), self.units.wrapping_sub(old));
        }
        let lists = self.cpus.wrapping_mul(KINDS);
        'lists: for _ in 0..lists.min(LOOKS) {
            // CAST: the number of a list.
            let at = from.load(Relaxed) as usize;
            let (cpu, size) = (at / KINDS, at % KINDS);
            while let Some(unit) = self.pop(cpu, size) {
                self.loosen(unit, units(size));
                if !work.does(units(size).div_ceil(BITS).wrapping_add(1)) {
                    break 'lists;
                }
            }
            let behind = at.wrapping_add(1);
            from.store(number(if behind < lists { behind } else { 0 }), Relaxed);
            if !work.does(1) {
                break;
            }
        }
        work.left = work.left.wrapping_add(PAYMENTS.wrapping_sub(LISTED));
        let found = self.take(units(size), &mut work);
        if let Some(unit) = found {
            self.push(cpu, size, unit);
        }
        found.is_some()
    }

    /// Calls `f` with each word of loose units, and the bits of these units in it, until it returns
    /// false. Returns the number of units before that word.
    fn each_loose(&self, unit: usize, n: usize, f: impl Fn(&AtomicU64, u64) -> bool) -> usize {
        let Some(first) = unit.checked_sub(1) else { return 0 };
        let mut done: usize = 0;
        while done < n {
            let at = first.wrapping_add(done);
            let some = n.wrapping_sub(done).min(BITS.wrapping_sub(at % BITS));
            let bits = u64::MAX >> 64usize.wrapping_sub(some) << (at % BITS);
            let word = self.word(self.loose.wrapping_add(at / BITS));
            if !word.is_some_and(|word| f(word, bits)) {
                return done;
            }
            done = done.wrapping_add(some);
        }
        done
    }

    /// Makes units loose.
    fn loosen(&self, unit: usize, n: usize) {
        if unit.wrapping_add(n) > self.units.wrapping_add(1) {
            return;
        }
        if let Some(count) = self.word(COUNT) {
            count.fetch_add(number(n), Relaxed);
        }
        self.each_loose(unit, n, |word, bits| {
            word.fetch_or(bits, Release);
            true
        });
    }

    /// Takes loose units. Returns false if they are not all loose.
    fn claim(&self, unit: usize, n: usize) -> bool {
        let claimed = self.each_loose(unit, n, |word, bits| {
            let mut now = word.load(Relaxed);
            for _ in 0..PATIENCE {
                if now & bits != bits {
                    return false;
                }
                match word.compare_exchange_weak(now, now & !bits, Acquire, Relaxed) {
                    Ok(_) => return true,
                    Err(other) => now = other,
                }
            }
            false
        });
        if let Some(count) = self.word(COUNT) {
            count.fetch_sub(number(claimed), Relaxed);
        }
        if claimed < n {
            self.loosen(unit, claimed);
        }
        claimed == n
    }

    /// Searches for loose units in a row, and takes them.
    fn take<F: FnMut() -> bool>(&self, n: usize, work: &mut Work<F>) -> Option<usize> {
        let (count, from) = (self.word(COUNT)?, self.word(SEARCH)?);
        if count.load(Relaxed) < number(n) {
            return None;
        }
        // CAST: below MAX_UNITS.
        let start = from.load(Relaxed) as usize;
        let (mut at, mut row, mut turned) = (start, 0usize, false);
        let mut found = None;
        while work.does(1) {
            if at >= self.units {
                if turned {
                    break;
                }
                (at, row, turned) = (0, 0, true);
            }
            if turned && at >= start.wrapping_add(n) {
                break;
            }
            let word = self.word(self.loose.wrapping_add(at / BITS))?.load(Relaxed) >> (at % BITS);
            let rest = BITS.wrapping_sub(at % BITS);
            let free = word.trailing_ones() as usize;
            if free == 0 {
                row = 0;
                at = at.wrapping_add(rest.min(word.trailing_zeros() as usize));
                continue;
            }
            row = row.wrapping_add(free);
            at = at.wrapping_add(free);
            if row < n {
                continue;
            }
            let unit = at.wrapping_sub(row).wrapping_add(1);
            if self.claim(unit, n) {
                row = row.wrapping_sub(n);
                found = Some(unit);
                break;
            }
            row = 0;
        }
        // The next search sees the whole row in which this one has ended.
        from.store(number(at.wrapping_sub(row)), Relaxed);
        found
    }
}
