// SPDX-License-Identifier: GPL-2.0
//! Speculations: records that wait, in a buffer of their own on each CPU, until the program commits
//! or discards them.
//!
//! ```text
//!              speculation()      speculate()             speculate() elsewhere
//!   Inactive ───────────────► Active ───────► One(cpu) ─────────────────────────► Many
//!      ▲                        │                │ commit, discard: there │           │
//!      │◄───────────────────────┴────────────────┴───────────────────────┘           │
//!      │                                         │ elsewhere                          │
//!      └────────── every CPU has done its part ◄─┴── Committing, Discarding ◄─────────┘
//! ```
//! A CPU accesses only its own buffers. The parts of other CPUs are ended on these CPUs, when the
//! framework cleans; until then the speculation is busy.

use crate::sync::{AtomicU32, Ordering};
use crate::Principal;
use core::ops::{Deref, DerefMut};

const INACTIVE: u32 = 0;
const ACTIVE: u32 = 1;
const MANY: u32 = 2;
const COMMITTING: u32 = 3;
const DISCARDING: u32 = 4;
/// The only CPU that has a part is ending it.
const HERE: u32 = 5;
/// This plus the number of a CPU: only that CPU has a part.
const ONE: u32 = 16;

/// The reason why no speculation is available.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unavailable {
    /// One is being committed or discarded.
    Busy,
    /// All are in use.
    InUse,
}

/// The way in which a speculation ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// Its records become part of the trace.
    Commit,
    /// Its records are dropped.
    Discard,
}

/// The states of all speculations of a consumer; their ids count from 1.
pub struct States<S>(S);

impl<S: Deref<Target = [AtomicU32]>> States<S> {
    /// Creates the states from words that are 0.
    pub fn new(words: S) -> Self {
        Self(words)
    }

    /// Returns the number of speculations.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Tells whether there are no speculations at all.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the id of a free speculation, which is then active.
    pub fn start(&self) -> Result<u32, Unavailable> {
        let mut why = Unavailable::InUse;
        for (n, state) in self.0.iter().enumerate() {
            // If there are many, most are in use: a load costs less than an attempt.
            match state.load(Ordering::Relaxed) {
                INACTIVE => {}
                COMMITTING | DISCARDING | HERE => {
                    why = Unavailable::Busy;
                    continue;
                }
                _ => continue,
            }
            match state.compare_exchange(INACTIVE, ACTIVE, Ordering::AcqRel, Ordering::Acquire) {
                // CAST: there are at most 65536.
                Ok(_) => return Ok((n as u32).wrapping_add(1)),
                Err(COMMITTING | DISCARDING | HERE) => why = Unavailable::Busy,
                Err(_) => {}
            }
        }
        Err(why)
    }

    fn state(&self, id: u64) -> Option<(usize, &AtomicU32)> {
        let index = usize::try_from(id.checked_sub(1)?).ok()?;
        Some((index, self.0.get(index)?))
    }

    /// Returns the index of the buffer for this CPU's records of a speculation; `None` if it is not
    /// active.
    pub fn join(&self, id: u64, cpu: u32) -> Option<usize> {
        let (index, state) = self.state(id)?;
        let mine = ONE.wrapping_add(cpu);
        let join = |s| match s {
            ACTIVE => Some(mine),
            MANY => Some(MANY),
            s if s == mine => Some(mine),
            s if s >= ONE => Some(MANY),
            _ => None,
        };
        state.fetch_update(Ordering::AcqRel, Ordering::Acquire, join).ok()?;
        Some(index)
    }

    /// Ends a speculation, and calls `here` with its index if this CPU has a part of it. The parts
    /// of other CPUs are left to [`Self::pending`]. Does nothing if it is not active.
    pub fn end(&self, id: u64, cpu: u32, end: End, here: impl FnOnce(usize)) {
        let Some((index, state)) = self.state(id) else { return };
        let spread = if end == End::Commit { COMMITTING } else { DISCARDING };
        let mine = ONE.wrapping_add(cpu);
        let next = |s| match s {
            ACTIVE => Some(INACTIVE),
            MANY => Some(spread),
            s if s == mine => Some(HERE),
            s if s >= ONE => Some(spread),
            _ => None,
        };
        match state.fetch_update(Ordering::AcqRel, Ordering::Acquire, next) {
            Ok(MANY) => here(index),
            Ok(s) if s == mine => {
                here(index);
                state.store(INACTIVE, Ordering::Release);
            }
            _ => {}
        }
    }

    /// Returns the speculations that wait until every CPU has ended its part.
    pub fn pending(&self) -> impl Iterator<Item = (usize, End)> + '_ {
        self.0.iter().enumerate().filter_map(|(n, s)| match s.load(Ordering::Acquire) {
            COMMITTING => Some((n, End::Commit)),
            DISCARDING => Some((n, End::Discard)),
            _ => None,
        })
    }

    /// Frees a speculation after every CPU has ended its part.
    pub fn done(&self, index: usize) {
        if let Some(state) = self.0.get(index) {
            state.store(INACTIVE, Ordering::Release);
        }
    }
}

/// A CPU's part of a speculation.
pub struct Part<B> {
    /// The records.
    pub buffer: Principal<B>,
    /// The number of records.
    pub records: u64,
}

impl<B: DerefMut<Target = [u8]>> Part<B> {
    /// Creates an empty part.
    pub fn new(memory: B) -> Self {
        Self { buffer: Principal::new(memory), records: 0 }
    }

    /// Moves its records to the trace: all of them, or none if there is no room. Returns the number
    /// of lost records.
    pub fn end(&mut self, end: End, trace: Option<&mut Principal<B>>) -> u64 {
        let records = core::mem::take(&mut self.records);
        let fits = match (end, trace) {
            (End::Discard, _) => true,
            (End::Commit, Some(trace)) => trace.append(self.buffer.records()),
            (End::Commit, None) => false,
        };
        self.buffer.clear();
        if fits {
            0
        } else {
            records
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn states(n: usize) -> States<Vec<AtomicU32>> {
        States::new((0..n).map(|_| AtomicU32::new(0)).collect())
    }

    fn part(text: &[u8]) -> Part<Vec<u8>> {
        let mut part = Part::new(vec![0; 16]);
        if !text.is_empty() {
            let mut room = part.buffer.reserve(text.len()).unwrap();
            room.copy_from_slice(text);
            room.commit();
            part.records = 1;
        }
        part
    }

    #[test]
    fn on_one_cpu_it_is_free_at_once() {
        let s = states(1);
        assert_eq!(s.start(), Ok(1));
        assert_eq!(s.start(), Err(Unavailable::InUse));
        assert_eq!((s.join(1, 3), s.join(1, 3)), (Some(0), Some(0)));
        let mut ended = None;
        s.end(1, 3, End::Commit, |n| ended = Some(n));
        assert_eq!((ended, s.pending().count()), (Some(0), 0));
        // It has ended: nothing is recorded, nothing is committed twice.
        assert_eq!(s.join(1, 3), None);
        s.end(1, 3, End::Commit, |_| panic!("twice"));
        assert_eq!(s.start(), Ok(1));
        // No CPU has recorded anything.
        s.end(1, 0, End::Discard, |_| panic!("empty"));
        assert_eq!(s.start(), Ok(1));
    }

    #[test]
    fn over_several_cpus_it_is_busy_until_all_are_done() {
        for end in [End::Commit, End::Discard] {
            let s = states(1);
            s.start().unwrap();
            s.join(1, 0);
            s.join(1, 1);
            let mut here = 0;
            s.end(1, 1, end, |_| here += 1);
            assert_eq!((here, s.pending().collect::<Vec<_>>()), (1, vec![(0, end)]));
            assert_eq!(s.start(), Err(Unavailable::Busy));
            assert_eq!(s.join(1, 0), None);
            s.done(0);
            assert_eq!(s.start(), Ok(1));
        }
        // The only CPU that has a part is another one.
        let s = states(2);
        assert_eq!((s.start(), s.start()), (Ok(1), Ok(2)));
        s.join(2, 0);
        s.end(2, 1, End::Commit, |_| panic!("not here"));
        assert_eq!(s.pending().collect::<Vec<_>>(), [(1, End::Commit)]);
        assert_eq!(s.start(), Err(Unavailable::Busy));
    }

    #[test]
    fn no_such_speculation() {
        let s = states(1);
        for id in [0, 2, u64::MAX] {
            assert_eq!(s.join(id, 0), None);
            s.end(id, 0, End::Commit, |_| panic!("{id}"));
        }
        assert_eq!(states(0).start(), Err(Unavailable::InUse));
    }

    #[test]
    fn parts_go_to_the_trace_or_nowhere() {
        let mut trace = Principal::new(vec![0; 12]);
        assert_eq!(part(b"").end(End::Commit, Some(&mut trace)), 0);
        assert_eq!(part(b"discard").end(End::Discard, Some(&mut trace)), 0);
        let mut p = part(b"12345678");
        assert_eq!(p.end(End::Commit, Some(&mut trace)), 0);
        // It can be used again.
        assert_eq!(p.end(End::Commit, Some(&mut trace)), 0);
        assert_eq!(part(b"12345678").end(End::Commit, Some(&mut trace)), 1);
        assert_eq!(part(b"12345678").end(End::Commit, None), 1);
        let taken = trace.swap(vec![]);
        assert_eq!((&taken.memory[..taken.used], taken.drops), (&b"12345678"[..], 0));
    }
}
