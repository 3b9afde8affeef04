// SPDX-License-Identifier: GPL-2.0
//! Probes by their numbers: where they are, and who wants them.

use crate::table::Role;
use abi::user::{Expected, UserArg};
use framework::Probe;
use kapi::mem;
use kernel::prelude::*;
use kernel::sync::Arc;

/// Places of a probe around one address.
pub(crate) struct Part {
    pub(crate) address: u64,
    pub(crate) size: u32,
    /// In which text, as [`kapi::user::Space::ground`] tells.
    pub(crate) text: u64,
    /// That was there when it was last looked for.
    pub(crate) is_there: bool,
    /// A counter in the process, or 0.
    pub(crate) semaphore: u64,
    /// What its places are to the probe.
    pub(crate) role: Role,
    /// Of USDT: where arguments stand here.
    pub(crate) args: Option<Arc<KVVec<UserArg>>>,
    places: Places,
    /// What the file has at each place that the probe was made by; none, if that was not said.
    expected: KVVec<Expected>,
}

/// Most probes have one.
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
        let (is_there, semaphore, args) = (true, 0, None);
        Ok(Self { address, size, text, is_there, semaphore, role, args, places, expected })
    }

    /// Their distances from the address.
    pub(crate) fn places(&self) -> &[u32] {
        match &self.places {
            Places::One(place) => core::slice::from_ref(place),
            Places::Some(all) => all,
        }
    }

    /// What is expected where, as far as that was said.
    pub(crate) fn expected(&self) -> impl Iterator<Item = (u64, &Expected)> + '_ {
        self.addresses().zip(self.expected.iter())
    }

    pub(crate) fn addresses(&self) -> impl Iterator<Item = u64> + '_ {
        self.places().iter().map(|place| self.address.wrapping_add((*place).into()))
    }
}

/// A probe.
pub(crate) struct Known {
    /// Of its process.
    pub(crate) space: u64,
    /// Of its names.
    pub(crate) hash: u64,
    /// Which of the process's helpers it is of; 0: none.
    pub(crate) helper: u32,
    first: Part,
    /// Functions of the same name.
    more: KVVec<Part>,
    /// While it is enabled.
    pub(crate) enabled: Option<Arc<Probe>>,
}

impl Known {
    pub(crate) fn new(space: u64, helper: u32, hash: u64, first: Part) -> Self {
        let more = KVVec::new();
        Self { space, helper, hash, first, more, enabled: None }
    }

    pub(crate) fn all_parts(&self) -> impl Iterator<Item = &Part> + Clone {
        Iterator::chain(core::iter::once(&self.first), self.more.iter())
    }

    /// Those that were there when that was last looked for.
    pub(crate) fn parts(&self) -> impl Iterator<Item = &Part> + Clone {
        self.all_parts().filter(|part| part.is_there)
    }

    /// Looks which parts are there.
    pub(crate) fn find_parts(&mut self, mut is_there: impl FnMut(&Part) -> bool) {
        for part in self.all_parts_mut() {
            part.is_there = is_there(part);
        }
    }

    fn all_parts_mut(&mut self) -> impl Iterator<Item = &mut Part> {
        Iterator::chain(core::iter::once(&mut self.first), self.more.iter_mut())
    }

    /// One more part; in place of one that is not there.
    pub(crate) fn add(&mut self, part: Part) -> Result {
        if let Some(gone) = self.all_parts_mut().find(|p| !p.is_there) {
            *gone = part;
            return Ok(());
        }
        mem::push(&mut self.more, part)
    }

    /// Counters of parts that are there, and what is known of each by.
    pub(crate) fn semaphores(&self) -> impl Iterator<Item = &Part> {
        let mut last = 0;
        self.parts().filter(move |part| {
            // All of them have the same one, if they are in one object.
            let before = core::mem::replace(&mut last, part.semaphore);
            part.semaphore != 0 && part.semaphore != before
        })
    }

    /// All addresses.
    pub(crate) fn addresses(&self) -> impl Iterator<Item = u64> + '_ {
        self.parts().flat_map(Part::addresses)
    }
}

/// All of them. A number whose probe has gone is given to the next.
pub(crate) struct Probes {
    all: KVVec<Option<Known>>,
    free: KVVec<u32>,
}

/// There is a limit to what a consumer may ask for.
const MOST: usize = 4 << 20;

impl Probes {
    pub(crate) fn new() -> Self {
        Self { all: KVVec::new(), free: KVVec::new() }
    }

    pub(crate) fn get(&self, number: u32) -> Option<&Known> {
        self.all.get(number as usize)?.as_ref()
    }

    pub(crate) fn get_mut(&mut self, number: u32) -> Option<&mut Known> {
        self.all.get_mut(number as usize)?.as_mut()
    }

    /// Gives it a number.
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
        // Room to give it back.
        mem::reserve(&mut self.free, number.wrapping_add(1))?;
        mem::push(&mut self.all, Some(known))?;
        // CAST: less than MOST.
        Ok(number as u32)
    }

    /// Forgets one.
    pub(crate) fn remove(&mut self, number: u32) {
        if let Some(at @ Some(_)) = self.all.get_mut(number as usize) {
            *at = None;
            // There is room.
            let _ = self.free.push_within_capacity(number);
        }
    }
}
