// SPDX-License-Identifier: GPL-2.0
//! Copies of the text that a program has mapped over the text itself, with our breakpoints in them.
//!
//! A breakpoint is removed from a copy in private memory. Other memory cannot be changed: then the
//! place stays armed, so the provider knows its breakpoint and threads pass it. A child that has
//! such a copy is made known with the place.

use crate::process::{Point, Process, Slots};
use kapi::mem;
use kapi::user::{Ground, Room, Space};
use kernel::prelude::*;
use x86::encoding::INT3;

/// The value of [`Space::ground`] for anonymous memory.
pub(crate) const NO_FILE: u64 = 0;

/// The most places that a child takes over from its parent. They count for its user.
pub(crate) const MOST_ADOPTED: usize = 1 << 10;

impl Point {
    /// Removes the breakpoint from a copy of the text that the program has mapped over it, as
    /// programs do to have their text in huge pages. Returns true if it is still there: the copy is
    /// in memory that cannot be changed (huge pages of hugetlbfs, shared memory), or that needs a
    /// wait. `patient`: the caller holds no lock that others wait for.
    pub(crate) fn stays_in_copy(&self, space: &Space, patient: bool) -> bool {
        let mut code = [0; x86::MAX_LEN];
        let code = code.get_mut(..self.len.into()).unwrap_or_default();
        let (_, why) = match patient {
            true => space.read_patiently(self.addr, code),
            false => space.read(self.addr, code),
        };
        if why == Some(Ground::Away) {
            return true;
        }
        let rest = self.code().get(1..).unwrap_or_default();
        if why.is_some() || !code.starts_with(&[INT3]) || !code.ends_with(rest) {
            return false;
        }
        match space.text(self.addr) {
            // Nothing but `int3` is compared. Compilers put that between functions of a library,
            // which may have been loaded here since then.
            Ok(text) if text != NO_FILE && rest.is_empty() => false,
            Ok(text) => {
                let mut poke = [Self { text, ..*self }.poke(false)];
                if patient {
                    let _ = space.poke_patiently(&mut poke);
                } else {
                    space.poke(&mut poke);
                }
                let [poke] = poke;
                matches!(poke.result(), Err(Ground::NoMemory | Ground::Away))
            }
            Err(why) => matches!(why, Ground::NotText | Ground::Shared | Ground::Away),
        }
    }
}

impl Process {
    /// Takes over a breakpoint that cannot be removed from this copy of another process, with its
    /// slot in `room`, which the copy has, too. The caller has checked that it may have more.
    pub(crate) fn adopt(&mut self, point: Point, room: Room) -> Result {
        if self.find(point.addr).is_some() {
            return Ok(());
        }
        let number = u32::try_from(self.points.len()).map_err(|_| ENOMEM)?;
        mem::reserve(&mut self.points, 1)?;
        mem::reserve(&mut self.slots, 1)?;
        let points = &self.points;
        let by = |n: u32| Some(points.get(n as usize)?.addr);
        self.index.reserve(1, by)?;
        if !self.slots.iter().any(|s| s.holds(point.slot)) {
            let used = room.size();
            let slots = Slots { room, used, written: used, fresh: KVVec::new(), lost: true };
            let _ = self.slots.push_within_capacity(slots);
        }
        // The program made the copy, so the place counts for its user, even if it belongs to a
        // `pid` probe.
        let point = Point { armed: true, users: 0, is_own: true, ..point };
        let _ = self.points.push_within_capacity(point);
        self.index.insert(point.addr, number);
        self.count_own();
        self.changed = true;
        Ok(())
    }

    /// Returns the piece of memory that a slot is in.
    pub(crate) fn room_with(&self, slot: u64) -> Option<Room> {
        self.slots.iter().find(|s| s.holds(slot)).map(|s| s.room.clone())
    }
}
