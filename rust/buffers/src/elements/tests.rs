// SPDX-License-Identifier: GPL-2.0
//! Compares the space with a map of the standard library, and with itself on many CPUs.

use super::*;
use std::collections::HashMap;
use std::sync::Arc;

fn space(words: usize, cpus: usize) -> Elements<Vec<AtomicU64>> {
    Elements::new((0..words).map(|_| AtomicU64::new(0)).collect(), cpus, [0x1234_5678_9abc, 5])
}

struct Dice(u64);

impl Dice {
    fn roll(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % n
    }
}

const GLOBAL: Owner = Owner { thread: 0, id: 0x500 };

fn value(n: u64) -> [Part<'static>; 1] {
    [Part::Value(n)]
}

/// Sets an element; if need be, of memory that is gathered for it.
fn set(
    s: &Elements<Vec<AtomicU64>>,
    cpu: usize,
    owner: Owner,
    key: &[Part<'_>],
    value: Value<'_>,
    list: Option<&AtomicU64>,
) -> Result<(), Drop> {
    match s.set(cpu, owner, key.iter().copied(), value, list) {
        Err(Drop::Cut(size)) if s.gather(cpu, size, || true) => {
            s.set(cpu, owner, key.iter().copied(), value, list)
        }
        done => done,
    }
}

/// Returns the number of free units, after all of them have become loose.
fn free(s: &Elements<Vec<AtomicU64>>) -> usize {
    let largest = chunks::SIZES.len() - 1;
    let taken = if s.gather(0, largest, || true) { chunks::units(largest) } else { 0 };
    let words = &s.memory[s.loose..s.loose + s.units.div_ceil(BITS)];
    taken + words.iter().map(|word| word.load(Relaxed).count_ones() as usize).sum::<usize>()
}

fn text(space: &Elements<Vec<AtomicU64>>, at: u64, len: usize) -> Vec<u8> {
    let mut out = vec![0xaa; len];
    assert!(space.read(at, &mut out).unwrap());
    out
}

#[test]
fn elements_are_told_apart_by_every_part_of_their_key() {
    let s = space(1 << 14, 2);
    let keys: [Vec<Part<'_>>; 7] = [
        vec![],
        vec![Part::Value(1)],
        vec![Part::Value(1), Part::Value(0)],
        vec![Part::Bytes(b"")],
        vec![Part::Bytes(b"ab"), Part::Bytes(b"c")],
        vec![Part::Bytes(b"a"), Part::Bytes(b"bc")],
        vec![Part::Bytes(b"exactly8"), Part::Value(7)],
    ];
    let owners = [GLOBAL, Owner { thread: 7, id: 0x500 }, Owner { thread: 0, id: 0x501 }];
    let mut n = 0;
    for owner in owners {
        for key in &keys {
            n += 1;
            assert_eq!(s.get(owner, key.iter().copied()).unwrap(), 0);
            assert_eq!(s.set(0, owner, key.iter().copied(), Value::Word(n), None), Ok(()));
        }
    }
    for owner in owners.iter().rev() {
        for key in keys.iter().rev() {
            assert_eq!(s.get(*owner, key.iter().copied()).unwrap(), n);
            n -= 1;
        }
    }
}

/// Sets, changes, removes and reads at random, and compares with a map that does the same.
#[test]
fn as_a_map_does() {
    for seed in 1..=8 {
        let mut dice = Dice(seed * 0x9e37_79b9);
        let s = space([1 << 10, 1 << 13, 1 << 16][seed as usize % 3], 3);
        let mut map: HashMap<(u64, Vec<u8>), Vec<u8>> = HashMap::new();
        let mut drops = 0;
        for _ in 0..20_000 {
            let cpu = dice.roll(3) as usize;
            let n = dice.roll(40);
            let name = vec![b'a' + (n % 26) as u8; dice.roll(20) as usize];
            let key = [Part::Value(n), Part::Bytes(&name)];
            let at = (n, name.clone());
            match dice.roll(4) {
                0 => {
                    s.remove(cpu, GLOBAL, key.iter().copied(), None).unwrap();
                    map.remove(&at);
                }
                1 => {
                    let len = [0, 1, 7, 8, 9, 100, 700][dice.roll(7) as usize];
                    let bytes = vec![dice.roll(255) as u8; len];
                    match set(&s, cpu, GLOBAL, &key, Value::Bytes(&bytes), None) {
                        Ok(()) => {
                            map.insert(at, bytes);
                        }
                        Err(e) => {
                            assert!(matches!(e, Drop::Cut(_)));
                            drops += 1;
                        }
                    }
                }
                _ => match (s.address(GLOBAL, key.iter().copied()).unwrap(), map.get(&at)) {
                    (None, None) => {}
                    (Some(a), Some(bytes)) => {
                        assert_eq!(text(&s, a, bytes.len()), *bytes);
                        // After its end there are zeros.
                        assert_eq!(text(&s, a + bytes.len() as u64, 3), [0, 0, 0]);
                    }
                    other => panic!("{other:?}"),
                },
            }
        }
        assert!(!map.is_empty());
        match seed % 3 {
            0 => assert!(drops > 0),
            2 => assert_eq!(drops, 0),
            _ => {}
        }
        for ((n, name), bytes) in &map {
            let key = [Part::Value(*n), Part::Bytes(name)];
            let at = s.address(GLOBAL, key.iter().copied()).unwrap().unwrap();
            assert_eq!(text(&s, at, bytes.len()), *bytes);
            s.remove(0, GLOBAL, key.into_iter(), None).unwrap();
        }
        assert_eq!(free(&s), s.units);
    }
}

/// Fills the space with elements of one size after another. Each time the space has room for as
/// many of them as when it was new, or one less, because a search begins in the middle.
#[test]
fn memory_serves_elements_of_any_size() {
    let s = space(1 << 14, 2);
    let fill = |s: &Elements<Vec<AtomicU64>>, len: usize| {
        let bytes = vec![7; len];
        let set = |n| set(s, (n & 1) as usize, GLOBAL, &value(n), Value::Bytes(&bytes), None);
        let n = (0u64..).find(|n| set(*n).is_err()).unwrap();
        for i in 0..n {
            let at = s.address(GLOBAL, value(i).into_iter()).unwrap().unwrap();
            assert_eq!(text(s, at, len), bytes);
        }
        n
    };
    let mut dice = Dice(99);
    for len in [8, 5000, 300, 60_000, 100, 20_000, 1, 700] {
        let n = fill(&s, len);
        assert!(n + 1 >= fill(&space(1 << 14, 2), len), "{len}: {n}");
        let mut order: Vec<u64> = (0..n).collect();
        order.sort_by_cached_key(|_| dice.roll(1 << 32));
        for i in order {
            s.remove((i & 1) as usize, GLOBAL, value(i).into_iter(), None).unwrap();
        }
    }
    assert_eq!(free(&s), s.units);
}

#[test]
fn a_gathering_does_no_more_than_is_paid_for() {
    let s = space(1 << 14, 2);
    let word = |n| s.set(0, GLOBAL, value(n).into_iter(), Value::Word(1), None);
    let n = (0u64..).find(|n| word(*n).is_err()).unwrap();
    (0..n).for_each(|n| s.remove(0, GLOBAL, value(n).into_iter(), None).unwrap());
    let large = [1; 60_000];
    let set = || s.set(0, GLOBAL, value(n).into_iter(), Value::Bytes(&large), None);
    let Err(Drop::Cut(size)) = set() else { panic!() };
    let mut rounds = 0;
    let gather = |rounds: &mut u32, most: u32| {
        let mut left = most;
        let pay = || {
            *rounds += 1;
            left = left.saturating_sub(1);
            left > 0
        };
        s.gather(0, size, pay)
    };
    // What is refused is not lost.
    while !gather(&mut rounds, 3) {
        assert_eq!(set(), Err(Drop::Cut(size)));
        assert!(rounds < 1000);
    }
    assert!(rounds > 20, "{rounds}");
    assert_eq!(set(), Ok(()));
    s.remove(0, GLOBAL, value(n).into_iter(), None).unwrap();
    assert_eq!(free(&s), s.units);
}

#[test]
fn all_of_the_space_can_be_used_again_and_again() {
    let s = space(1 << 12, 2);
    let fill = |cpu| {
        let n = (0u64..)
            .find(|n| s.set(cpu, GLOBAL, value(*n).into_iter(), Value::Word(1), None).is_err());
        let n = n.unwrap();
        for i in 0..n {
            assert_eq!(s.get(GLOBAL, value(i).into_iter()).unwrap(), 1);
            // Free it on the other CPU.
            s.remove(1 - cpu, GLOBAL, value(i).into_iter(), None).unwrap();
        }
        n
    };
    let first = fill(0);
    assert!(first as usize > (1 << 12) / UNIT * 3 / 4, "{first}");
    for round in 0..10 {
        assert_eq!(fill(round % 2), first);
    }
}

#[test]
fn an_address_dies_with_its_element() {
    let s = space(1 << 12, 1);
    let set = |text: &[u8]| {
        s.set(0, GLOBAL, value(1).into_iter(), Value::Bytes(text), None).unwrap();
        s.address(GLOBAL, value(1).into_iter()).unwrap().unwrap()
    };
    let at = set(b"first");
    assert_eq!(at, set(b"fir"));
    assert_eq!(text(&s, at, 5), *b"fir\0\0");
    assert_eq!(s.write(at + 1, b"a"), Ok(true));
    assert_eq!(text(&s, at, 3), *b"far");
    assert_eq!(s.write(at + 1, b"abc"), Ok(false), "beyond its end");
    s.remove(0, GLOBAL, value(1).into_iter(), None).unwrap();
    let other = set(b"other");
    assert_ne!(at, other, "another life");
    assert_eq!(text(&s, at, 5), [0; 5]);
    assert_eq!(s.write(at, b"x"), Ok(true), "as if before it was freed");
    assert_eq!(text(&s, other, 5), *b"other");
    assert!(!s.read(0, &mut [0]).unwrap());
    assert!(!s.read(1 << 47, &mut [0]).unwrap() || s.read(1 << 47, &mut [0]).unwrap());
}

/// The unit of a freed element is inside of a larger one, whose value looks like an element.
#[test]
fn an_address_inside_of_another_element_is_dead() {
    let s = space(1 << 10, 1);
    let small = |n: u64| {
        s.set(0, GLOBAL, value(n).into_iter(), Value::Bytes(b"small"), None)?;
        Ok::<u64, Drop>(s.address(GLOBAL, value(n).into_iter()).unwrap().unwrap())
    };
    let old: Vec<u64> = (0..).map_while(|n| small(n).ok()).collect();
    let n = old.len() as u64;
    (0..n).for_each(|n| s.remove(0, GLOBAL, value(n).into_iter(), None).unwrap());
    let shape = Shape { id: 0x500, key: 1, value: 5 }.word();
    let hash = s.hash(GLOBAL, value(7).into_iter());
    let unit = [0, 0, hash, 0, shape, 0, 7, 0x4141].map(u64::to_le_bytes).concat();
    // The value begins after the head and the key of a unit.
    let bytes = [vec![0; 8], unit.repeat(n as usize / 2)].concat();
    assert_eq!(set(&s, 0, GLOBAL, &value(n), Value::Bytes(&bytes), None), Ok(()));
    let at = s.address(GLOBAL, value(n).into_iter()).unwrap().unwrap();
    for old in old {
        assert_eq!(text(&s, old, 5), [0; 5]);
        assert_eq!(s.write(old, b"x"), Ok(true), "as if before it was freed");
        // With no life that it may guess does a program reach it.
        for life in (0..1 << LIFE_BITS).map(|life| life << (BYTE_BITS + UNIT_BITS)) {
            let guess = old & ((1 << (BYTE_BITS + UNIT_BITS)) - 1) | life;
            assert!(guess == at || s.write(guess, b"x").is_ok());
        }
    }
    assert_eq!(text(&s, at, bytes.len()), bytes);
}

#[test]
fn a_lock_that_stays_held_is_reported() {
    let mut s = space(1 << 10, 1);
    s.patience = 10;
    s.set(0, GLOBAL, value(1).into_iter(), Value::Bytes(b"old"), None).unwrap();
    let at = s.address(GLOBAL, value(1).into_iter()).unwrap().unwrap();
    let held = s.hold(s.hash(GLOBAL, value(1).into_iter())).unwrap();
    assert_eq!(s.write(at, b"new"), Err(Drop::Busy));
    let set = s.set(0, GLOBAL, value(1).into_iter(), Value::Bytes(b"new"), None);
    assert_eq!(set, Err(Drop::Busy));
    assert_eq!(text(&s, at, 3), *b"old");
    // A reader does not take it for unset either.
    let key = || value(1).into_iter();
    assert_eq!(s.get(GLOBAL, key()), Err(Drop::Busy));
    assert_eq!(s.address(GLOBAL, key()), Err(Drop::Busy));
    assert_eq!(s.remove(0, GLOBAL, key(), None), Err(Drop::Busy));
    let unit = s.split(at).unwrap().0;
    let version = s.load(unit, VERSION);
    s.store(unit, VERSION, version | 1);
    assert_eq!(s.read(at, &mut [1; 3]), Err(Drop::Busy));
    s.store(unit, VERSION, version);
    held.release();
    assert_eq!(s.write(at, b"new"), Ok(true));
    assert_eq!(text(&s, at, 3), *b"new");
}

#[test]
fn a_thread_leaves_nothing_behind() {
    let s = space(1 << 14, 1);
    let lists = [AtomicU64::new(0), AtomicU64::new(0)];
    let owner = |n: usize| Owner { thread: 100 + n as u64, id: 0x500 };
    for i in 0..50 {
        for (n, list) in lists.iter().enumerate() {
            let word = Value::Word(i + 1);
            s.set(0, owner(n), value(i).into_iter(), word, Some(list)).unwrap();
        }
    }
    for i in (0..50).step_by(3) {
        s.remove(0, owner(0), value(i).into_iter(), Some(&lists[0])).unwrap();
        // With another size, the element moves.
        let key = value(i).into_iter();
        s.set(0, owner(1), key, Value::Bytes(&[1; 300]), Some(&lists[1])).unwrap();
    }
    s.remove_some(0, &lists[0], &mut { 1 });
    assert_ne!(lists[0].load(Relaxed), 0);
    s.remove_some(0, &lists[0], &mut { usize::MAX });
    assert_eq!(lists[0].load(Relaxed), 0);
    for i in 0..50 {
        assert_eq!(s.get(owner(0), value(i).into_iter()).unwrap(), 0);
        assert!(s.address(owner(1), value(i).into_iter()).unwrap().is_some());
    }
    s.remove_some(0, &lists[1], &mut { usize::MAX });
    assert!((0..50).all(|i| s.address(owner(1), value(i).into_iter()).unwrap().is_none()));
}

#[test]
fn no_room_at_all() {
    for words in [0, 1, 31, 100, Elements::<Vec<AtomicU64>>::overhead(4)] {
        let s = space(words, 4);
        let set = set(&s, 0, GLOBAL, &value(1), Value::Word(1), None);
        assert!(matches!(set, Err(Drop::Space | Drop::Cut(_))), "{words}");
        assert_eq!(s.get(GLOBAL, value(1).into_iter()).unwrap(), 0);
        assert_eq!(s.remove(0, GLOBAL, value(1).into_iter(), None), Ok(()));
    }
    let s = space(1 << 12, 1);
    let long = vec![1; 1 << 20];
    let set = s.set(0, GLOBAL, value(1).into_iter(), Value::Bytes(&long), None);
    assert_eq!(set, Err(Drop::Space));
}

/// Many CPUs use a space that is nearly full: each knows the values of its own elements, all
/// compete for common ones, and strings are read whole or not at all.
#[test]
fn exact_on_many_cpus() {
    const CPUS: usize = 4;
    let s = Arc::new(space(1 << 13, CPUS));
    let threads: Vec<_> = (0..CPUS)
        .map(|cpu| {
            let s = s.clone();
            std::thread::spawn(move || {
                let mut dice = Dice(cpu as u64 * 77 + 5);
                let own = Owner { thread: 1 + cpu as u64, id: 0x501 };
                let list = AtomicU64::new(0);
                let mut known = HashMap::new();
                for round in 0..30_000u64 {
                    let n = dice.roll(30);
                    let key = value(n).into_iter();
                    match dice.roll(3) {
                        0 => {
                            s.remove(cpu, own, key, Some(&list)).unwrap();
                            known.remove(&n);
                        }
                        1 => {
                            let word = Value::Word(round + 1);
                            if set(&s, cpu, own, &value(n), word, Some(&list)).is_ok() {
                                known.insert(n, round + 1);
                            }
                        }
                        _ => assert_eq!(
                            s.get(own, key).unwrap(),
                            known.get(&n).copied().unwrap_or(0)
                        ),
                    }
                    let shared = value(dice.roll(3)).into_iter();
                    match dice.roll(4) {
                        0 => s.remove(cpu, GLOBAL, shared, None).unwrap(),
                        1 => {
                            let len = [40, 200, 3000][n as usize % 3];
                            let bytes = vec![b'a' + dice.roll(26) as u8; len];
                            let key = value(dice.roll(3));
                            let _ = set(&s, cpu, GLOBAL, &key, Value::Bytes(&bytes), None);
                        }
                        _ => {
                            let Some(at) = s.address(GLOBAL, shared).unwrap() else { continue };
                            let seen = text(&s, at, 3000);
                            let len = seen.iter().position(|b| *b == 0).unwrap_or(3000);
                            assert!(matches!(len, 0 | 40 | 200 | 3000), "{seen:?}");
                            assert!(seen[..len].iter().all(|b| *b == seen[0]), "{seen:?}");
                        }
                    }
                }
                for (n, v) in &known {
                    assert_eq!(s.get(own, value(*n).into_iter()).unwrap(), *v);
                }
                s.remove_some(cpu, &list, &mut { usize::MAX });
            })
        })
        .collect();
    for t in threads {
        t.join().unwrap();
    }
    for n in 0..3 {
        s.remove(0, GLOBAL, value(n).into_iter(), None).unwrap();
    }
    // Nothing was lost.
    assert_eq!(free(&s), s.units);
}

/// Two keys of two words that had the same old hash with every seed: one bit is flipped in each
/// word.
#[test]
fn no_keys_collide_whatever_the_seed() {
    // The hash that this replaced: multiply, rotate by 5.
    let old = |seed: u64, words: [u64; 2]| {
        let mix = |h: u64, w: u64| (h.rotate_left(5) ^ w).wrapping_mul(crate::GOLDEN);
        words.into_iter().fold(mix(mix(seed, 0), 0x500), mix)
    };
    let (mut before, mut now) = (0, 0);
    let mut dice = Dice(7);
    for _ in 0..200 {
        let seed = [dice.roll(u64::MAX), dice.roll(u64::MAX)];
        let s: Elements<Vec<AtomicU64>> = Elements::new(vec![], 1, seed);
        let a = [dice.roll(u64::MAX), dice.roll(u64::MAX)];
        let b = [a[0] ^ 1 << 63, a[1] ^ 1 << 4];
        before += u32::from(old(seed[0], a) == old(seed[0], b));
        let hash = |words: [u64; 2]| s.hash(GLOBAL, words.map(Part::Value).into_iter());
        now += u32::from(hash(a) == hash(b));
    }
    assert_eq!((before, now), (200, 0));
}

/// Even if a program could make keys of one bucket, the chain ends, the others are drops, and no
/// element exists twice.
#[test]
fn a_chain_is_never_longer_than_the_longest() {
    let s = space(1 << 14, 2);
    let bucket = |n: u64| s.hash(GLOBAL, value(n).into_iter()) & (s.buckets as u64 - 1);
    let mut same = (0..).filter(|n| bucket(*n) == 3);
    let all: Vec<u64> = same.by_ref().take(MAX_CHAIN + 20).collect();
    let set = |n: u64, to: u64| s.set(0, GLOBAL, value(n).into_iter(), Value::Word(to), None);
    for (i, n) in all.iter().enumerate() {
        let want = if i < MAX_CHAIN { Ok(()) } else { Err(Drop::Space) };
        assert_eq!(set(*n, 1 + *n), want);
    }
    // Elements that exist can be read and changed; the others do not exist.
    for (i, n) in all.iter().enumerate() {
        let is_there = i < MAX_CHAIN;
        assert_eq!(s.get(GLOBAL, value(*n).into_iter()).unwrap(), if is_there { 1 + n } else { 0 });
        if is_there {
            assert_eq!(set(*n, 7), Ok(()));
        }
    }
    let large = [9; 300];
    let big = |n| s.set(0, GLOBAL, value(n).into_iter(), Value::Bytes(&large), None);
    assert_eq!(big(all[0]), Ok(()), "one that must move to larger memory");
    // After one is freed there is a place, and nothing is left of the freed one.
    assert_eq!(set(all[MAX_CHAIN], 1), Err(Drop::Space));
    s.remove(0, GLOBAL, value(all[5]).into_iter(), None).unwrap();
    assert_eq!(s.get(GLOBAL, value(all[5]).into_iter()).unwrap(), 0);
    assert_eq!(set(all[MAX_CHAIN], 1), Ok(()));
    for n in &all {
        s.remove(0, GLOBAL, value(*n).into_iter(), None).unwrap();
        assert_eq!(s.address(GLOBAL, value(*n).into_iter()).unwrap(), None);
    }
    assert_eq!(low(s.bucket(3).unwrap().1.load(Relaxed)), 0);
}
