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
                    match s.set(cpu, GLOBAL, key.iter().copied(), Value::Bytes(&bytes), None) {
                        Ok(()) => {
                            map.insert(at, bytes);
                        }
                        Err(e) => {
                            assert_eq!(e, Drop::Space);
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
        }
    }
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
        let set = s.set(0, GLOBAL, value(1).into_iter(), Value::Word(1), None);
        assert_eq!(set, Err(Drop::Space), "{words}");
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
                            if s.set(cpu, own, key, Value::Word(round + 1), Some(&list)).is_ok() {
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
                            let bytes = vec![b'a' + dice.roll(26) as u8; [40, 200][n as usize % 2]];
                            let _ = s.set(cpu, GLOBAL, shared, Value::Bytes(&bytes), None);
                        }
                        _ => {
                            let Some(at) = s.address(GLOBAL, shared).unwrap() else { continue };
                            let seen = text(&s, at, 200);
                            let len = seen.iter().position(|b| *b == 0).unwrap_or(200);
                            assert!(matches!(len, 0 | 40 | 200), "{seen:?}");
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
    // Nothing was lost: all used units are in the lists.
    let mut left = 0;
    for cpu in 0..CPUS {
        for (size, units) in SIZES.iter().enumerate() {
            while s.pop(s.list(cpu, size).unwrap()).is_some() {
                left += u64::from(*units);
            }
        }
    }
    assert_eq!(left, s.word(0).unwrap().load(Relaxed));
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
