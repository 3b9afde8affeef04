// SPDX-License-Identifier: GPL-2.0
//! Probes by their numbers, with their places and their consumers.

use crate::table::Role;
use abi::helper::MAX_PLACES;
use abi::user::{Expected, UserArg, UserReason};
use buffers::siphash::{Seed, SipHash};
use framework::Probe;
use kapi::mem;
use kapi::user::Counter;
use kernel::prelude::*;
use kernel::sync::Arc;

/// Places of a probe around one address.
pub(crate) struct Part {
    pub(crate) address: u64,
    pub(crate) size: u32,
    /// The text it is in, as returned by [`kapi::user::Space::ground`].
    pub(crate) text: u64,
    /// The part was present at the last check.
    pub(crate) is_there: bool,
    /// The address of a counter in the process, or 0.
    pub(crate) semaphore: u64,
    /// We have raised the counter for this part, and not lowered it yet.
    pub(crate) raised: bool,
    /// The mapping that the counter was in when we raised it.
    pub(crate) home: Option<u64>,
    /// We have raised the counter for this part before, and lowered it.
    pub(crate) lowered: bool,
    /// The kind of its places.
    pub(crate) role: Role,
    /// For USDT: the locations of the arguments at these places.
    pub(crate) args: Option<Arc<KVVec<UserArg>>>,
    places: Places,
    /// The bytes that the file has at each place; empty if the consumer did not pass them.
    expected: KVVec<Expected>,
}

/// Offsets of places. Most parts have only one.
enum Places {
    One(u32),
    Some(KVVec<u32>),
}

impl Part {
    pub(crate) fn new(
        role: Role,
        address: u64,
        size: u32,
        text: u64,
        mut places: impl Iterator<Item = u32> + Clone,
        expected: KVVec<Expected>,
    ) -> Result<Self> {
        let n = places.clone().count();
        let places = match (n, places.next()) {
            (1, Some(only)) => Places::One(only),
            (_, first) => {
                let mut all = mem::exact(n)?;
                for place in Iterator::chain(first.into_iter(), places) {
                    mem::push(&mut all, place)?;
                }
                Places::Some(all)
            }
        };
        let (is_there, raised, home, lowered) = (true, false, None, false);
        let (semaphore, args) = (0, None);
        Ok(Self {
            address,
            size,
            text,
            is_there,
            semaphore,
            raised,
            home,
            lowered,
            role,
            args,
            places,
            expected,
        })
    }

    /// Returns the offsets of the places from the address.
    pub(crate) fn places(&self) -> &[u32] {
        match &self.places {
            Places::One(place) => core::slice::from_ref(place),
            Places::Some(all) => all,
        }
    }

    /// Returns the addresses with their expected bytes, as far as those were passed.
    pub(crate) fn expected(&self) -> impl Iterator<Item = (u64, &Expected)> + '_ {
        self.addresses().zip(self.expected.iter())
    }

    /// Returns its counter; one at address 0 does not exist.
    pub(crate) fn counter(&self) -> Counter {
        let Self { semaphore: at, address: probe, text, home, .. } = *self;
        Counter { at, probe, text, home }
    }

    pub(crate) fn addresses(&self) -> impl Iterator<Item = u64> + '_ {
        self.places().iter().map(|place| self.address.wrapping_add((*place).into()))
    }
}

/// A probe.
pub(crate) struct Known {
    /// The key of its process.
    pub(crate) space: u64,
    /// The hash of its names.
    pub(crate) hash: u64,
    /// The number of the process's helper that owns it; 0: none.
    pub(crate) helper: u32,
    first: Part,
    /// Parts for other functions with the same name.
    more: KVVec<Part>,
    /// The last request that has checked which parts are present.
    pub(crate) checked: u64,
    /// The framework's probe, while it is enabled.
    pub(crate) enabled: Option<Arc<Probe>>,
}

impl Known {
    pub(crate) fn new(space: u64, helper: u32, hash: u64, first: Part) -> Self {
        let more = KVVec::new();
        Self { space, helper, hash, first, more, checked: 0, enabled: None }
    }

    pub(crate) fn all_parts(&self) -> impl Iterator<Item = &Part> + Clone {
        Iterator::chain(core::iter::once(&self.first), self.more.iter())
    }

    /// Returns a part by its index.
    pub(crate) fn part(&self, n: usize) -> Option<&Part> {
        n.checked_sub(1).map_or(Some(&self.first), |n| self.more.get(n))
    }

    /// Returns the parts that were present at the last check.
    pub(crate) fn parts(&self) -> impl Iterator<Item = &Part> + Clone {
        self.all_parts().filter(|part| part.is_there)
    }

    /// Tells whether the program brings the probe along.
    pub(crate) fn is_own(&self) -> bool {
        matches!(self.first.role, Role::Usdt | Role::Question)
    }

    /// Checks which parts are present.
    pub(crate) fn find_parts(&mut self, mut is_there: impl FnMut(&Part) -> bool) {
        for part in self.all_parts_mut() {
            part.is_there = is_there(part);
        }
    }

    pub(crate) fn all_parts_mut(&mut self) -> impl Iterator<Item = &mut Part> {
        Iterator::chain(core::iter::once(&mut self.first), self.more.iter_mut())
    }

    /// Returns the number of its parts, if it comes from notes.
    pub(crate) fn notes(&self) -> Option<usize> {
        let parts = self.more.len().wrapping_add(1);
        (self.helper == 0 && self.is_own()).then_some(parts)
    }

    /// Adds a part; it replaces one that is not present, if there is one. Otherwise `allowed` says
    /// whether the probe may get one more.
    pub(crate) fn add(
        &mut self,
        part: Part,
        allowed: Result<(), UserReason>,
    ) -> kernel::error::Result<Result<(), UserReason>> {
        if let Some(gone) = self.all_parts_mut().find(|p| !p.is_there && !p.raised) {
            *gone = part;
            return Ok(Ok(()));
        }
        if self.more.len().wrapping_add(1) >= MOST_PARTS {
            return Ok(Err(UserReason::Places));
        }
        if allowed.is_ok() {
            mem::push(&mut self.more, part)?;
        }
        Ok(allowed)
    }

    /// Returns the present parts that have a counter, one for each counter.
    pub(crate) fn semaphores_mut(&mut self) -> impl Iterator<Item = &mut Part> {
        let mut last = 0;
        self.all_parts_mut().filter(|part| part.is_there).filter(move |part| {
            // In one object, all parts have the same counter.
            let before = core::mem::replace(&mut last, part.semaphore);
            part.semaphore != 0 && part.semaphore != before
        })
    }

    /// Returns the addresses of all places of the present parts.
    pub(crate) fn addresses(&self) -> impl Iterator<Item = u64> + '_ {
        self.parts().flat_map(Part::addresses)
    }
}

/// All probes. The number of a removed probe is used again.
pub(crate) struct Probes {
    all: KVVec<Option<Known>>,
    free: KVVec<u32>,
    /// The secret of [`hash`](Self::hash).
    seed: Seed,
    /// The number of requests so far.
    requests: u64,
}

/// The most parts of a probe: each new one is compared with all others. A helper may register that
/// many places of one name.
const MOST_PARTS: usize = MAX_PLACES;
// `UserReason::Places` tells the user this number.
const _: () = assert!(MOST_PARTS == 8192);

/// The most probes that consumers can make.
const MOST: usize = 4 << 20;

impl Probes {
    pub(crate) fn new(seed: Seed) -> Self {
        Self { all: KVVec::new(), free: KVVec::new(), seed, requests: 0 }
    }

    /// Begins a request and returns its number.
    pub(crate) fn begin(&mut self) -> u64 {
        self.requests = self.requests.wrapping_add(1);
        self.requests
    }

    /// Returns a hash of a probe's names. Equal hashes mean equal names: programs choose the names,
    /// but cannot compute the hashes.
    pub(crate) fn hash(&self, names: [&[u8]; 4]) -> u64 {
        let mut hash = SipHash::new(self.seed);
        for name in names {
            for piece in name.chunks(8) {
                let mut word = [0; 8];
                word.iter_mut().zip(piece).for_each(|(to, from)| *to = *from);
                hash.word(u64::from_le_bytes(word));
            }
            hash.word(name.len() as u64);
        }
        hash.end(0)
    }

    pub(crate) fn get(&self, number: u32) -> Option<&Known> {
        self.all.get(number as usize)?.as_ref()
    }

    pub(crate) fn get_mut(&mut self, number: u32) -> Option<&mut Known> {
        self.all.get_mut(number as usize)?.as_mut()
    }

    /// Stores a probe and returns its number.
    pub(crate) fn add(&mut self, known: Known) -> Result<u32> {
        if let Some(number) = self.free.pop() {
            if let Some(at) = self.all.get_mut(number as usize) {
                *at = Some(known);
            }
            return Ok(number);
        }
        let number = self.all.len();
        if number >= MOST {
            return Err(ENOMEM);
        }
        // Reserve room now, because `remove` must not fail.
        mem::reserve(&mut self.free, number.wrapping_add(1))?;
        mem::push(&mut self.all, Some(known))?;
        // CAST: less than `MOST`.
        Ok(number as u32)
    }

    /// Forgets a probe.
    pub(crate) fn remove(&mut self, number: u32) {
        if let Some(at @ Some(_)) = self.all.get_mut(number as usize) {
            *at = None;
            // `add` has reserved the room.
            let _ = self.free.push_within_capacity(number);
        }
    }
}
