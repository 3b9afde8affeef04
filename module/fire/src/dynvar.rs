// SPDX-License-Identifier: GPL-2.0
//! Dynamic variables, which are made and freed while a consumer traces.
//!
//! Thread-local variables by value, which most programs use, are in their own hash of (thread,
//! variable):
//!
//! ```text
//! set 0: | key 0 .. key 7 | value of slot 0 | .. | of slot 7 |   set 1: ...
//! ```
//! A thread's number, which is a hash itself, is mixed with the variable's id into one word. This
//! key selects a set, and is in any of its slots. Only the thread itself, on the CPU where it runs,
//! in probe context, ever accesses its own keys: so a key is never searched while it is inserted,
//! and a slot is claimed by one compare-and-swap of the key. There are no chains to repair, and
//! freeing is one store. If a set is full, the store is a dynamic variable drop, which is counted.
//!
//! All others are [`buffers::elements`]: thread-local variables by reference, and the elements of
//! associative arrays. A thread's elements are in a list, whose head is one more variable of that
//! thread, so everything that a thread owns is found when it ends.

use crate::words::Words;
use buffers::elements::{Drop, Elements, Owner, Part, Value};
use core::sync::atomic::AtomicU64;
use core::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use nosleep::KVVec;
use plan::vars::{ScopeVars, Vars, MAX_VARS};

const WAYS: usize = 8;
/// Values instead of a key: a free slot, and a slot that is being written.
const FREE: u64 = 0;
const CLAIMED: u64 = 1;
/// The least key.
const FIRST_KEY: u64 = 2;

/// The words of a set: its keys, its values.
const SET: usize = 2 * WAYS;
/// The variable that holds the start of the list of a thread's elements; no variable of a program
/// has this id.
const LIST: u16 = 0;
/// The most variables that are freed at a time, for all consumers together; interrupts are off
/// meanwhile.
pub const AT_ONCE: usize = 4096;
const _: () = assert!(MAX_VARS <= AT_ONCE);
/// The most ended threads that wait until the rest of their variables is freed.
const MOST_WAITING: usize = 256;

/// The dynamic variable space of a consumer.
pub struct DynVars {
    words: Words,
    /// A power of two, or 0.
    sets: usize,
    elements: Elements<KVVec<AtomicU64>>,
    /// Each is an ended thread that still has variables, or [`FREE`], or [`CLAIMED`] while they are
    /// freed.
    ended: KVVec<AtomicU64>,
}

/// Returns the first way for which `f` is true. It is unrolled, because a loop would count and
/// check its counter.
#[inline(always)]
fn way_of(keys: &[AtomicU64; WAYS], is: impl Fn(&AtomicU64) -> bool) -> Option<usize> {
    let [a, b, c, d, e, f, g, h] = keys;
    Some(match () {
        () if is(a) => 0,
        () if is(b) => 1,
        () if is(c) => 2,
        () if is(d) => 3,
        () if is(e) => 4,
        () if is(f) => 5,
        () if is(g) => 6,
        () if is(h) => 7,
        () => return None,
    })
}

/// The memory of a [`DynVars`], in words.
pub struct Room {
    /// For thread-local variables by value.
    pub words: usize,
    /// For all others.
    pub elements: usize,
    /// For threads that have ended and still have variables.
    pub ended: usize,
}

impl DynVars {
    /// Returns the memory that a space of `bytes` needs for these variables on so many CPUs. A kind
    /// of variable that they do not use takes none of it.
    pub fn room(bytes: usize, vars: &Vars, cpus: usize) -> Room {
        let words = bytes / 8;
        let (scalars, elements) = (vars.thread.has_scalars(), vars.has_elements());
        let threads = vars.thread.has_by_ref() || !vars.thread_arrays.is_empty();
        let own = match (scalars, elements) {
            (true, false) => words,
            (true, true) => words / 4,
            // Only the heads of the lists need room.
            (false, true) if threads => words / 16,
            _ => 0,
        };
        let sets = match own / SET {
            0 if own > 0 || scalars => 1,
            0 => 0,
            n => 1 << n.ilog2(),
        };
        let least = Elements::<KVVec<AtomicU64>>::overhead(cpus).saturating_add(64);
        let most = Elements::<KVVec<AtomicU64>>::most(cpus);
        Room {
            words: SET.saturating_mul(sets),
            elements: if elements { words.saturating_sub(own).min(most).max(least) } else { 0 },
            ended: if threads || scalars { MOST_WAITING } else { 0 },
        }
    }

    /// Makes a space of zeroed memory, as [`Self::room`] says.
    pub fn new(
        words: KVVec<AtomicU64>,
        elements: Elements<KVVec<AtomicU64>>,
        ended: KVVec<AtomicU64>,
    ) -> Self {
        Self { sets: words.len() / SET, words: Words::new(words), elements, ended }
    }

    /// Returns the key, its set's keys, and the set's first word.
    #[inline(always)]
    fn set_of(&self, thread: u64, id: u16) -> Option<(u64, &[AtomicU64; WAYS], usize)> {
        let key = thread ^ u64::from(id).wrapping_mul(buffers::GOLDEN);
        let key = key.max(FIRST_KEY);
        // CAST: all bits of a key are equally random.
        let set = (key >> 8) as usize & self.sets.wrapping_sub(1);
        let base = set.wrapping_mul(SET);
        Some((key, self.words.some(base)?, base))
    }

    /// Returns the word of a slot's value.
    #[inline(always)]
    fn value(&self, base: usize, way: usize) -> usize {
        base.wrapping_add(WAYS).wrapping_add(way)
    }

    #[inline(always)]
    fn load(&self, at: usize) -> u64 {
        self.words.word(at).map_or(0, |w| w.load(Relaxed))
    }

    #[inline(always)]
    fn store(&self, at: usize, value: u64) {
        if let Some(w) = self.words.word(at) {
            w.store(value, Relaxed);
        }
    }

    /// Returns the variable's word, if the thread has set it.
    #[inline(always)]
    fn find(&self, thread: u64, id: u16) -> Option<usize> {
        let (key, keys, base) = self.set_of(thread, id)?;
        let way = way_of(keys, |k| k.load(Acquire) == key)?;
        Some(self.value(base, way))
    }

    /// Returns the variable's word, and makes it if it is new; a new one is 0. `None`: there is no
    /// room.
    #[inline(never)]
    fn find_or_make(&self, thread: u64, id: u16) -> Option<usize> {
        let (key, keys, base) = self.set_of(thread, id)?;
        if let Some(way) = way_of(keys, |k| k.load(Acquire) == key) {
            return Some(self.value(base, way));
        }
        let claim = |k: &AtomicU64| {
            k.load(Relaxed) == FREE && k.compare_exchange(FREE, CLAIMED, AcqRel, Relaxed).is_ok()
        };
        let way = way_of(keys, claim)?;
        let at = self.value(base, way);
        self.store(at, 0);
        if let Some(k) = keys.get(way) {
            k.store(key, Release);
        }
        Some(at)
    }

    /// Frees the variable.
    #[inline(always)]
    pub(crate) fn free(&self, thread: u64, id: u16) {
        let Some((key, keys, _)) = self.set_of(thread, id) else { return };
        if let Some(k) = keys.iter().find(|k| k.load(Relaxed) == key) {
            k.store(FREE, Release);
        }
    }

    /// Returns the value of a variable by value, or 0 if the thread has not set it.
    #[inline(always)]
    pub(crate) fn get(&self, thread: u64, id: u16) -> u64 {
        self.find(thread, id).map_or(0, |at| self.load(at))
    }

    /// Sets a variable by value; 0 frees it. Returns false if there is no room.
    #[inline(always)]
    pub(crate) fn set(&self, thread: u64, id: u16, value: u64) -> bool {
        if value == 0 {
            self.free(thread, id);
            return true;
        }
        let at = self.find_or_make(thread, id);
        if let Some(at) = at {
            self.store(at, value);
        }
        at.is_some()
    }

    /// Returns the elements, to read them by address.
    pub(crate) fn elements(&self) -> &Elements<KVVec<AtomicU64>> {
        &self.elements
    }

    /// Sets an element; 0 by value frees it. If memory of other sizes must be gathered for it,
    /// `pay` pays for a part of that, or refuses, and then, told so by `true`, for setting it again.
    #[inline(never)]
    pub(crate) fn set_element<'k>(
        &self,
        cpu: usize,
        owner: Owner,
        keys: impl Iterator<Item = Part<'k>> + Clone,
        value: Value<'_>,
        mut pay: impl FnMut(bool) -> bool,
    ) -> Result<(), Drop> {
        match self.try_to_set(cpu, owner, keys.clone(), value) {
            Err(Drop::Cut(size)) if self.elements.gather(cpu, size, || pay(false)) && pay(true) => {
                self.try_to_set(cpu, owner, keys, value)
            }
            done => done,
        }
    }

    #[inline(never)]
    fn try_to_set<'k>(
        &self,
        cpu: usize,
        owner: Owner,
        keys: impl Iterator<Item = Part<'k>> + Clone,
        value: Value<'_>,
    ) -> Result<(), Drop> {
        if owner.thread == 0 {
            return match value {
                Value::Word(0) => self.elements.remove(cpu, owner, keys, None),
                value => self.elements.set(cpu, owner, keys, value, None),
            };
        }
        // A thread without elements has nothing to free.
        let list = match value {
            Value::Word(0) => self.find(owner.thread, LIST),
            _ => self.find_or_make(owner.thread, LIST),
        };
        let list = match (list.and_then(|at| self.words.word(at)), value) {
            (Some(list), _) => list,
            (None, Value::Word(0)) => return Ok(()),
            (None, _) => return Err(Drop::Space),
        };
        let done = match value {
            Value::Word(0) => self.elements.remove(cpu, owner, keys, Some(list)),
            value => self.elements.set(cpu, owner, keys, value, Some(list)),
        };
        if list.load(Relaxed) == 0 {
            self.free(owner.thread, LIST);
        }
        done
    }

    /// Frees the variables of a thread that has ended, each for one of `left`. If there are more,
    /// [`Self::free_more`] frees the rest. Returns false if the rest stays, because too many
    /// threads wait for that.
    pub fn end_thread(&self, cpu: usize, thread: u64, vars: &ScopeVars, left: &mut usize) -> bool {
        let wait = |place: &AtomicU64| {
            place.load(Relaxed) == FREE
                && place.compare_exchange(FREE, thread.max(FIRST_KEY), AcqRel, Relaxed).is_ok()
        };
        self.free_all(cpu, thread, vars, left) || self.ended.iter().any(wait)
    }

    /// Frees some variables that ended threads have left. Returns true if there were none.
    pub fn free_more(&self, cpu: usize, vars: &ScopeVars) -> bool {
        for place in self.ended.iter() {
            let thread = place.load(Relaxed);
            let is_mine = thread >= FIRST_KEY
                && place.compare_exchange(thread, CLAIMED, AcqRel, Relaxed).is_ok();
            if is_mine {
                let done = self.free_all(cpu, thread, vars, &mut { AT_ONCE });
                place.store(if done { FREE } else { thread }, Release);
                return false;
            }
        }
        true
    }

    /// Frees variables of a thread. Returns true if none are left. No other CPU uses its list.
    fn free_all(&self, cpu: usize, thread: u64, vars: &ScopeVars, left: &mut usize) -> bool {
        if let Some(list) = self.find(thread, LIST).and_then(|at| self.words.word(at)) {
            self.elements.remove_some(cpu, list, left);
            if list.load(Relaxed) != 0 {
                return false;
            }
            self.free(thread, LIST);
        }
        // All of them or none, after the elements: so each call brings the end nearer.
        let Some(less) = left.checked_sub(vars.count_scalars()) else { return false };
        *left = less;
        vars.scalars().for_each(|id| self.free(thread, id));
        true
    }
}

/// Calls `f` for each consumer, which may take an equal share of `left` and of what those before it
/// have left over.
pub fn share<T>(left: &mut usize, all: &[T], mut f: impl FnMut(&T, &mut usize)) {
    for (n, one) in (1..=all.len()).rev().zip(all) {
        let mine = left.checked_div(n).unwrap_or(0);
        let mut rest = mine;
        f(one, &mut rest);
        *left = left.wrapping_sub(mine.wrapping_sub(rest));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use abi::difo::{DifType, DifVar, SCOPE_GLOBAL, SCOPE_THREAD, VAR_ARRAY, VAR_SCALAR};
    use mem::zeroed_atomics;

    /// Returns variables of threads by value, so many of them, and their space.
    fn space(scalars: u32) -> (Vars, DynVars) {
        let mut vars = Vars::new();
        let ty = DifType { size: 8, ..DifType::default() };
        for id in 0x500..0x500 + scalars {
            let (kind, scope) = (VAR_SCALAR, SCOPE_THREAD);
            vars.declare(&[DifVar { id, kind, scope, ty, ..DifVar::default() }]).unwrap();
        }
        assert_eq!(vars.thread.count_scalars(), scalars as usize);
        let room = DynVars::room(1 << 16, &vars, 1);
        let elements = Elements::new(zeroed_atomics(room.elements).unwrap(), 1, [1, 2]);
        let (words, ended) = (zeroed_atomics(room.words), zeroed_atomics(room.ended));
        (vars, DynVars::new(words.unwrap(), elements, ended.unwrap()))
    }

    #[test]
    fn memory_that_no_address_reaches_is_not_taken() {
        let mut vars = Vars::new();
        let ty = DifType { size: 8, ..DifType::default() };
        let (kind, scope) = (VAR_ARRAY, SCOPE_GLOBAL);
        vars.declare(&[DifVar { id: 0x500, kind, scope, ty, ..DifVar::default() }]).unwrap();
        let room = |bytes| DynVars::room(bytes, &vars, 4).elements * 8;
        assert_eq!(room(64 << 20), 64 << 20);
        assert!(room(1 << 30) < 298 << 20 && room(1 << 30) == room(16 << 30));
    }

    #[test]
    fn all_variables_of_a_thread_are_freed() {
        let (vars, all) = space(1500);
        let ids = || 0x500..0x500 + 1500;
        let kept: Vec<u16> = ids().filter(|id| all.set(100, *id, 5)).collect();
        assert!(kept.len() > 1200);
        assert!(all.end_thread(0, 100, &vars.thread, &mut { AT_ONCE }));
        assert_eq!(ids().map(|id| all.get(100, id)).sum::<u64>(), 0);
    }

    #[test]
    fn a_consumer_takes_nothing_from_the_others() {
        let (vars, many) = space(1500);
        let (few_vars, few) = space(3);
        for consumers in [[(&many, &vars), (&few, &few_vars)], [(&few, &few_vars), (&many, &vars)]]
        {
            assert!(many.set(100, 0x500, 5) && few.set(100, 0x502, 5));
            let mut left = 1600;
            share(&mut left, &consumers, |(all, vars), left| {
                assert!(all.end_thread(0, 100, &vars.thread, left));
            });
            assert_eq!(few.get(100, 0x502), 0);
            many.free_more(0, &vars.thread);
            assert_eq!(many.get(100, 0x500), 0);
        }
        let mut left = 100;
        let mut shares = vec![];
        share(&mut left, &[20, 0, 90, 5], |wants, left| {
            shares.push(*left);
            *left -= (*wants).min(*left);
        });
        assert_eq!((shares, left), (vec![25, 26, 40, 40], 35));
    }

    #[test]
    fn what_is_too_much_at_the_end_of_a_thread_is_freed_later() {
        let (vars, all) = space(3);
        let mut left = 7;
        for thread in 100..103 {
            (0x500..0x503).for_each(|id| assert!(all.set(thread, id, 5)));
            assert!(all.end_thread(0, thread, &vars.thread, &mut left));
        }
        assert_eq!(left, 1);
        let values = |thread| [0x500, 0x501, 0x502].map(|id| all.get(thread, id));
        assert_eq!([100, 101, 102].map(values), [[0; 3], [0; 3], [5; 3]]);
        assert!(!all.free_more(0, &vars.thread));
        assert_eq!(values(102), [0; 3]);
        assert!(all.free_more(0, &vars.thread));
    }
}
