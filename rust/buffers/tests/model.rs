// SPDX-License-Identifier: GPL-2.0
//! Every protocol that relies on memory order, under loom: `tools/model`. For this crate, its own
//! code runs. Protocols of crates that need a kernel are written again here, with the name of the
//! place.
//!
//! A CPU's probe context is a lock that the CPU holds. Interrupts are off meanwhile, so the
//! interrupt from another CPU, which takes the lock, comes before or after it (`kapi::xcall`). This
//! orders memory as the kernel's IPIs do.
#![cfg(loom)]

use buffers::elements::{self, Elements, Owner, Part, Value};
use buffers::speculation::{End, States, Unavailable};
use buffers::{Principal, Seed};
use loom::sync::atomic::Ordering::{self, AcqRel, Acquire, Relaxed, Release};
use loom::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize};
use loom::sync::{Arc, Mutex, Notify};
use loom::thread;

const SEED: Seed = [1, 2];
const MINE: Owner = Owner { thread: 0, id: 7 };

/// A space for two CPUs, with room for few elements.
fn space() -> Arc<Elements<Vec<AtomicU64>>> {
    let words = (0..144).map(|_| AtomicU64::new(0)).collect();
    Arc::new(Elements::new(words, 2, SEED))
}

fn none() -> impl Iterator<Item = Part<'static>> + Clone {
    std::iter::empty()
}

/// A read during another CPU's write returns the old value or the new one, never a mixture.
#[test]
fn elements_are_not_torn() {
    loom::model(|| {
        let all = space();
        all.set(0, MINE, none(), Value::Bytes(&[1; 16]), None).unwrap();
        let address = all.address(MINE, none()).unwrap().unwrap();
        let writer = {
            let all = all.clone();
            thread::spawn(move || {
                all.set(1, MINE, none(), Value::Bytes(&[2; 16]), None).unwrap();
            })
        };
        let mut seen = [9; 16];
        assert!(all.read(address, &mut seen).unwrap());
        assert!(seen == [1; 16] || seen == [2; 16], "{seen:?}");
        writer.join().unwrap();
    });
}

/// The address of a freed element reads zeros, even if another element has its memory by then.
#[test]
fn addresses_end_with_their_element() {
    loom::model(|| {
        let all = space();
        all.set(0, MINE, none(), Value::Bytes(&[1; 16]), None).unwrap();
        let address = all.address(MINE, none()).unwrap().unwrap();
        let writer = {
            let all = all.clone();
            thread::spawn(move || {
                all.remove(1, MINE, none(), None).unwrap();
                let other = Owner { thread: 0, id: 8 };
                all.set(1, other, none(), Value::Bytes(&[3; 16]), None).unwrap();
            })
        };
        let mut seen = [9; 16];
        assert!(all.read(address, &mut seen).unwrap());
        assert!(seen == [1; 16] || seen == [0; 16], "{seen:?}");
        writer.join().unwrap();
    });
}

fn set(all: &Elements<Vec<AtomicU64>>, cpu: usize, id: u16, bytes: &[u8]) -> bool {
    all.set(cpu, Owner { thread: 0, id }, none(), Value::Bytes(bytes), None).is_ok()
}

/// Sets an element, if need be of memory that is gathered for it.
fn set_somehow(all: &Elements<Vec<AtomicU64>>, cpu: usize, id: u16, bytes: &[u8]) -> bool {
    let owner = Owner { thread: 0, id };
    match all.set(cpu, owner, none(), Value::Bytes(bytes), None) {
        Err(elements::Drop::Cut(size)) => {
            all.gather(cpu, size, || true) && set(all, cpu, id, bytes)
        }
        done => done.is_ok(),
    }
}

/// So does the address of an element whose memory is inside of a larger one by then.
#[test]
fn addresses_end_when_memory_joins() {
    loom::model(|| {
        let all = space();
        assert!(set_somehow(&all, 0, 7, &[1; 16]) && set_somehow(&all, 0, 8, &[1; 16]));
        let other = Owner { thread: 0, id: 8 };
        let address = all.address(other, none()).unwrap().unwrap();
        let writer = {
            let all = all.clone();
            thread::spawn(move || {
                all.remove(1, MINE, none(), None).unwrap();
                all.remove(1, other, none(), None).unwrap();
                assert!(set_somehow(&all, 1, 9, &[3; 80]));
            })
        };
        let mut seen = [9; 16];
        assert!(all.read(address, &mut seen).unwrap());
        assert!(seen == [1; 16] || seen == [0; 16], "{seen:?}");
        writer.join().unwrap();
    });
}

/// If two CPUs want the same loose units, one of them gets them, and the other one those that are
/// left, if it needs no more.
#[test]
fn loose_units_are_taken_once() {
    loom::model(|| {
        let all = space();
        for id in [7, 8, 9] {
            assert!(set(&all, 0, id, &[1; 16]));
        }
        for id in [7, 8] {
            all.remove(0, Owner { thread: 0, id }, none(), None).unwrap();
        }
        // All units are needed, so two become loose, but nothing is taken.
        assert!(!set_somehow(&all, 0, 7, &[1; 144]));
        let other = {
            let all = all.clone();
            thread::spawn(move || set(&all, 1, 10, &[4; 16]))
        };
        let (two, one) = (set(&all, 0, 7, &[3; 80]), other.join().unwrap());
        assert!(two != one);
        let (id, byte) = if two { (7, 3) } else { (10, 4) };
        let mut seen = [9; 16];
        let address = all.address(Owner { thread: 0, id }, none()).unwrap().unwrap();
        assert!(all.read(address, &mut seen).unwrap());
        assert_eq!(seen, [byte; 16]);
        for id in [7, 9, 10] {
            all.remove(0, Owner { thread: 0, id }, none(), None).unwrap();
        }
        assert!(set_somehow(&all, 0, 7, &[3; 144]), "none is lost");
    });
}

/// Two CPUs that set the same key make one element.
#[test]
fn an_element_is_made_once() {
    loom::model(|| {
        let all = space();
        let other = {
            let all = all.clone();
            thread::spawn(move || all.set(1, MINE, none(), Value::Word(5), None).unwrap())
        };
        all.set(0, MINE, none(), Value::Word(6), None).unwrap();
        other.join().unwrap();
        assert!([5, 6].contains(&all.get(MINE, none()).unwrap()));
        all.remove(0, MINE, none(), None).unwrap();
        assert_eq!(all.get(MINE, none()).unwrap(), 0);
    });
}

/// The trace of a CPU, and its part of the speculation. The lock is the CPU's probe context.
type Cpu = Mutex<(Vec<u32>, Vec<u32>)>;

fn end_part(cpu: &mut (Vec<u32>, Vec<u32>), end: End) {
    let part = std::mem::take(&mut cpu.1);
    if end == End::Commit {
        cpu.0.extend(part);
    }
}

/// One CPU records while another one commits, and the consumer cleans (`clean` in
/// framework/src/state.rs): each record is in the trace once, and a free speculation has no record
/// anywhere.
#[test]
fn speculations_end_as_a_whole() {
    loom::model(|| {
        let states = Arc::new(States::new(vec![AtomicU32::new(0)]));
        let cpus: Arc<[Cpu; 2]> =
            Arc::new([Default::default(), Default::default()].map(Mutex::new));
        assert_eq!(states.start(), Ok(1));
        let firing = {
            let (states, cpus) = (states.clone(), cpus.clone());
            thread::spawn(move || {
                let mut cpu = cpus[0].lock().unwrap();
                let joined = states.join(1, 0).is_some();
                if joined {
                    cpu.1.push(1);
                }
                joined
            })
        };
        let ending = {
            let (states, cpus) = (states.clone(), cpus.clone());
            thread::spawn(move || {
                let mut cpu = cpus[1].lock().unwrap();
                if states.join(1, 1).is_some() {
                    cpu.1.push(2);
                }
                states.end(1, 1, End::Commit, |_| end_part(&mut cpu, End::Commit));
            })
        };
        let clean = || {
            let pending: Vec<_> = states.pending().collect();
            for &(index, end) in &pending {
                for cpu in cpus.iter() {
                    end_part(&mut cpu.lock().unwrap(), end);
                }
                states.done(index);
            }
        };
        clean();
        let joined = firing.join().unwrap();
        ending.join().unwrap();
        clean();
        assert_eq!(states.start(), Ok(1));
        for (n, cpu) in cpus.iter().enumerate() {
            let (trace, part) = &*cpu.lock().unwrap();
            assert!(part.is_empty(), "CPU {n}: {part:?}");
            let wanted = match n {
                1 => vec![2],
                _ if joined => vec![1],
                _ => vec![],
            };
            assert_eq!(trace, &wanted, "CPU {n}");
        }
    });
}

/// If two CPUs request the only speculation, one of them gets it.
#[test]
fn a_speculation_is_given_once() {
    loom::model(|| {
        let states = Arc::new(States::new(vec![AtomicU32::new(0)]));
        let other = {
            let states = states.clone();
            thread::spawn(move || states.start())
        };
        let mine = states.start();
        let both = [mine, other.join().unwrap()];
        assert_eq!(both.iter().filter(|s| **s == Ok(1)).count(), 1);
        assert!(both.contains(&Err(Unavailable::InUse)));
    });
}

/// kapi/src/publish.rs and `kapi_sync` (kapi/helpers/xcall.c): a value is seen as it was made, and
/// it is not freed while a probe still uses it. `load` and `synced` can leave out a part of the
/// protocol, to show that the model finds the error.
fn publish(load: Ordering, synced: bool) {
    const FREED: u64 = 99;
    loom::model(move || {
        let at = Arc::new(AtomicUsize::new(0));
        let values = Arc::new([AtomicU64::new(10), AtomicU64::new(0)]);
        let cpu = Arc::new(Mutex::new(()));
        let probe = {
            let (at, values, cpu) = (at.clone(), values.clone(), cpu.clone());
            thread::spawn(move || {
                let _off = cpu.lock().unwrap();
                // Published::load
                let n = at.load(load);
                assert_eq!(values[n].load(Relaxed), 10 + n as u64);
            })
        };
        values[1].store(11, Relaxed);
        // Published::swap, Retired::drop
        let old = at.swap(1, AcqRel);
        if synced {
            drop(cpu.lock().unwrap());
        }
        values[old].store(FREED, Relaxed);
        probe.join().unwrap();
    });
}

#[test]
fn what_is_published_is_seen_whole_and_outlives_its_probes() {
    publish(Acquire, true);
}

#[test]
#[should_panic]
fn without_waiting_it_would_be_freed_too_early() {
    publish(Acquire, false);
}

#[test]
#[should_panic]
fn without_acquire_it_would_be_seen_half_made() {
    publish(Relaxed, true);
}

/// `exchange` and `on_state` (framework/src/state.rs): each record of a CPU is in one snapshot, or
/// counted as a drop.
#[test]
fn snapshots_lose_nothing_uncounted() {
    loom::model(|| {
        let cpu = Arc::new(Mutex::new(Principal::new(vec![0u8; 16])));
        let probes = {
            let cpu = cpu.clone();
            thread::spawn(move || {
                for n in 1..=3 {
                    if let Some(mut room) = cpu.lock().unwrap().reserve(8) {
                        room.fill(n);
                        room.commit();
                    }
                }
            })
        };
        let take = || {
            let mut taken = cpu.lock().unwrap().swap(vec![0; 16]);
            let drops = taken.drops;
            let records: Vec<u8> = taken.records().chunks(8).map(|r| r[0]).collect();
            (records, drops)
        };
        let (mut records, drops) = take();
        probes.join().unwrap();
        let (rest, later) = take();
        records.extend(rest);
        assert!(records.is_sorted(), "{records:?}");
        assert_eq!(records.len() as u64 + drops + later, 3);
    });
}

/// framework/src/pulse.rs: a consumer that is being served, or was a moment ago, does not count as
/// dead.
fn pulse(calls_first: bool) {
    const TIMEOUT: u64 = 30;
    loom::model(move || {
        // A call that began long ago ends now, at 100.
        let (calls, last) = (Arc::new(AtomicU32::new(1)), Arc::new(AtomicU64::new(0)));
        let call = {
            let (calls, last) = (calls.clone(), last.clone());
            thread::spawn(move || {
                last.store(100, Relaxed);
                calls.fetch_sub(1, Release);
            })
        };
        let is_silent = || 100 - last.load(Relaxed) >= TIMEOUT;
        let is_gone = match calls_first {
            true => calls.load(Acquire) == 0 && is_silent(),
            false => is_silent() && calls.load(Acquire) == 0,
        };
        assert!(!is_gone);
        call.join().unwrap();
    });
}

#[test]
fn who_was_served_a_moment_ago_lives() {
    pulse(true);
}

#[test]
#[should_panic]
fn the_other_way_round_a_long_call_would_kill() {
    pulse(false);
}

/// `Shared::press` (fire/src/shared.rs), STATUS, which resets the word, and BUFSNAP: in the end, no
/// buffer is more than half full unless the consumer has been woken.
#[test]
fn who_presses_is_heard() {
    struct All {
        pressing: AtomicU32,
        /// The eventfd, whose count is under a lock.
        rung: Mutex<bool>,
        bell: Notify,
        /// The records in the buffers; 2 are more than half.
        cpus: [Mutex<u32>; 2],
    }
    fn record(all: &All, cpu: usize) {
        let mut used = all.cpus[cpu].lock().unwrap();
        *used += 1;
        if *used >= 2 && all.pressing.load(Relaxed) == 0 {
            all.pressing.store(1, Relaxed);
            // Waker::wake
            *all.rung.lock().unwrap() = true;
            all.bell.notify();
        }
    }
    loom::model(|| {
        let all = Arc::new(All {
            pressing: AtomicU32::new(0),
            rung: Mutex::new(false),
            bell: Notify::new(),
            cpus: [Mutex::new(1), Mutex::new(1)],
        });
        let probes = [0, 1].map(|cpu| {
            let all = all.clone();
            thread::spawn(move || record(&all, cpu))
        });
        all.bell.wait();
        *all.rung.lock().unwrap() = false;
        if all.pressing.swap(0, Relaxed) != 0 {
            for cpu in &all.cpus {
                *cpu.lock().unwrap() = 0;
            }
        }
        for probe in probes {
            probe.join().unwrap();
        }
        let is_left = all.cpus.iter().any(|cpu| *cpu.lock().unwrap() >= 2);
        let used: Vec<u32> = all.cpus.iter().map(|cpu| *cpu.lock().unwrap()).collect();
        let rung = *all.rung.lock().unwrap();
        assert!(!is_left || rung, "{used:?}");
    });
}
