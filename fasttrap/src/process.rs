// SPDX-License-Identifier: GPL-2.0
//! A process: the places that have had a breakpoint, and the slots for them.
//!
//! When the last breakpoint is gone and no thread is in a slot, the slots are unmapped. Some time
//! later the places are forgotten, once no copy of the process can contain one of their
//! breakpoints. A `fork` is faster without them.

use crate::code::{Code, Reader, PAGE};
use crate::index::Index;
use crate::litter::Sums;
use crate::probes::{Part, Probes};
use crate::processes::Keyed;
use crate::raised::Raised;
use crate::table::{Entry, Hit, Role, Table, Use, SLOT_SIZE};
use abi::user::{Expected, MappedFile, UserReason};
use core::sync::atomic::Ordering;
use framework::Group;
use kapi::mem;
use kapi::publish::Retired;
use kapi::user::{Ground, Poke, Room, Space};
use kernel::prelude::*;
use kernel::sync::Arc;
use x86::displace::{self, Act, Cannot, Mode};
use x86::encoding::{is_call, INT3};

/// `xor %eax,%eax`
const CLEAR: [u8; 2] = [0x31, 0xc0];

/// The numbers of breakpoints that are changed at a time: with memory for it, and without.
const MANY: usize = 1 << 12;
const FEW: usize = 64;

/// Room for changes of breakpoints. After a fork, a thread is made for each call that changes some
/// (`kapi::errand`), so a call should change many.
pub(crate) struct Batch<T> {
    many: KVVec<T>,
    few: [T; FEW],
}

impl<T: Copy> Batch<T> {
    /// Creates room for as many as are wanted, or for a part of them.
    pub(crate) fn new(empty: T, wanted: usize) -> Self {
        let (mut many, n) = (KVVec::new(), wanted.min(MANY));
        if n > FEW && mem::reserve(&mut many, n).is_ok() {
            (0..n).for_each(|_| drop(many.push_within_capacity(empty)));
        }
        Self { many, few: [empty; FEW] }
    }

    /// Returns all of it.
    pub(crate) fn room(&mut self) -> &mut [T] {
        match self.many.is_empty() {
            true => &mut self.few,
            false => &mut self.many,
        }
    }
}

/// The number of slots in the first piece of memory of a process, and in the largest.
const LEAST_SLOTS: u64 = 1 << 10;
const MOST_SLOTS: u64 = 1 << 14;
/// The most pieces of memory for slots in a process. A program decides how far its places are from
/// each other.
const MOST_ROOMS: usize = 1 << 10;
/// The largest distance of a slot from its instruction, in bytes. An operand of the instruction can
/// be as far away again.
const REACH: u64 = (2 << 30) - (64 << 20);

/// So many replaced places of a process are kept, or as many as it has others.
const LEAST_REPLACED: usize = 1 << 10;

/// A place: an instruction that has or had a breakpoint.
#[derive(Clone, Copy)]
pub(crate) struct Point {
    pub(crate) addr: u64,
    /// The text it is in, as returned by [`Space::ground`].
    pub(crate) text: u64,
    /// The address of its slot; 0 if it has none.
    pub(crate) slot: u64,
    pub(crate) act: Act,
    pub(crate) bytes: [u8; x86::MAX_LEN],
    pub(crate) len: u8,
    /// It has a breakpoint.
    pub(crate) armed: bool,
    /// Why the last change of its breakpoint failed.
    pub(crate) failed: Option<Ground>,
    /// The number of uses by enabled probes.
    pub(crate) users: u32,
    /// Only probes that the program brings along have used it.
    pub(crate) is_own: bool,
}

impl Point {
    /// Returns the first byte of the original instruction.
    pub(crate) fn first(&self) -> u8 {
        let [first, ..] = self.bytes;
        first
    }

    /// Returns the instruction.
    pub(crate) fn code(&self) -> &[u8] {
        self.bytes.get(..self.len.into()).unwrap_or_default()
    }

    /// Returns the change that writes the breakpoint (`on`) or restores the original byte.
    pub(crate) fn poke(&self, on: bool) -> Poke {
        match on {
            true => self.change(self.first(), INT3),
            false => self.change(INT3, self.first()),
        }
    }

    pub(crate) fn change(&self, old: u8, new: u8) -> Poke {
        Poke::new(self.addr, self.text, old, new)
    }

    /// Tells whether the instruction is the expected one, as far as `expected` reaches.
    fn agrees(&self, expected: &Expected) -> bool {
        self.bytes.iter().zip(expected).take(self.len.into()).all(|(is, wanted)| is == wanted)
    }

    /// Tells whether the text still contains this instruction, apart from our breakpoint.
    fn is(&self, text: u64, code: &[u8]) -> bool {
        let here = self.bytes.iter().zip(code).take(self.len.into());
        let same = |(i, (old, now)): (usize, (&u8, &u8))| {
            old == now || (i == 0 && self.armed && *now == INT3)
        };
        self.text == text && code.len() >= self.len.into() && here.enumerate().all(same)
    }
}

/// A piece of memory for slots.
pub(crate) struct Slots {
    pub(crate) room: Room,
    pub(crate) used: u64,
    /// The offset from which nothing has been written yet, and the bytes to be written there.
    pub(crate) written: u64,
    pub(crate) fresh: KVVec<u8>,
    /// The process has unmapped it or it could not be written, so it gets no more slots.
    pub(crate) lost: bool,
}

impl Slots {
    fn is_near(&self, addr: u64) -> bool {
        let end = self.room.start().wrapping_add(self.room.size());
        addr.abs_diff(self.room.start()) < REACH && addr.abs_diff(end) < REACH
    }

    fn has_room(&self) -> bool {
        !self.lost && self.room.size().wrapping_sub(self.used) >= SLOT_SIZE
    }

    pub(crate) fn holds(&self, slot: u64) -> bool {
        slot.wrapping_sub(self.room.start()) < self.room.size()
    }

    fn write(&mut self, space: &Space) -> Result {
        if !self.fresh.is_empty() && !self.lost {
            space.fill(&self.room, self.written, &self.fresh)?;
            self.written = self.used;
            self.fresh.clear();
        }
        Ok(())
    }
}

/// The probes that a program has registered in one call.
pub(crate) struct Helper {
    /// The number by which the program removes them.
    pub(crate) number: u32,
    /// The id in their names: that of the process that registered them. Others may use the same
    /// memory.
    pub(crate) pid: u32,
    /// The number of places of all its probes.
    pub(crate) places: usize,
    /// The probes of the DOF, packed.
    pub(crate) packed: Arc<KVVec<u8>>,
    /// Memory that nobody uses: it is charged to the program's cgroup for what is made of the
    /// probes, which is allocated under locks, where nobody can be charged.
    pub(crate) paid: KVVec<u8>,
    /// At the last check, that process did not use the memory any more, and others did.
    pub(crate) is_left: bool,
}

impl Helper {
    pub(crate) fn new(number: u32, places: usize, packed: Arc<KVVec<u8>>, paid: KVVec<u8>) -> Self {
        Self { number, pid: 0, places, packed, paid, is_left: false }
    }
}

/// A process, or the rest of one that has ended.
pub(crate) struct Process {
    pub(crate) space: Space,
    pub(crate) mode: Mode,
    pub(crate) shadow_stack: bool,
    pub(crate) points: KVVec<Point>,
    /// Places whose addresses other text has taken. A child that was copied before still needs
    /// them; see [`replace`](Self::replace).
    pub(crate) replaced: KVVec<Point>,
    /// At the last check, a thread may have been forking.
    pub(crate) may_fork: bool,
    /// Finds points by their addresses.
    pub(crate) index: Index,
    pub(crate) slots: KVec<Slots>,
    /// Why slots could not be written at the last attempt.
    pub(crate) broken: Option<UserReason>,
    /// It has probes with semaphores.
    pub(crate) has_counters: bool,
    /// The semaphores that we have raised.
    pub(crate) raised: Raised,
    /// Disabled probes have semaphores that could not be lowered.
    pub(crate) owes: bool,
    /// The entry that its threads read when they hit a breakpoint.
    pub(crate) entry: Arc<Entry>,
    /// The previous table, which threads may still read.
    pub(crate) retired: Option<Retired<Table>>,
    /// Its places or their users differ from those in its entry.
    pub(crate) changed: bool,
    /// Some places have a breakpoint or users. Only valid while [`changed`](Self::changed) is
    /// false.
    busy: bool,
    /// Some places have no users, but a breakpoint that could not be removed. Valid as above.
    stuck: bool,
    /// The numbers of its places; see `litter`.
    pub(crate) sums: Sums,
    /// Its places have been written anew since the last change; see [`rewrite`](Self::rewrite).
    pub(crate) rewritten: bool,
    /// At the last check, a thread was in a slot, or might return to one or copy the process.
    pub(crate) awaited: bool,
    /// The numbers of all its probes.
    pub(crate) numbers: KVVec<u32>,
    /// Finds probes by the hashes of their names.
    pub(crate) names: Index,
    pub(crate) groups: KVec<Offered>,
    /// The helpers that it has registered.
    pub(crate) helpers: KVec<Helper>,
    /// The number of places of all helpers.
    pub(crate) places: usize,
    /// The number of places of the probes that it brings along in notes.
    pub(crate) notes: usize,
    /// The user who is accountable for the process.
    pub(crate) owner: u32,
    /// The number of the last helper.
    pub(crate) last_helper: u32,
    /// For the check of helpers: no thread that uses it was found yet.
    pub(crate) may_have_ended: bool,
}

impl Keyed for Process {
    fn key(&self) -> u64 {
        self.space.key()
    }
}

/// Probes that were offered together.
pub(crate) struct Offered {
    pub(crate) group: Group,
    pub(crate) numbers: KVVec<u32>,
    /// The number of the helper that owns them; 0: none.
    pub(crate) helper: u32,
}

impl Process {
    pub(crate) fn new(of: kapi::user::Found) -> Result<Self> {
        Ok(Self {
            owner: of.space.owner(),
            space: of.space,
            mode: if of.is_wide { Mode::Bits64 } else { Mode::Bits32 },
            shadow_stack: of.has_shadow_stack,
            points: KVVec::new(),
            replaced: KVVec::new(),
            may_fork: false,
            index: Index::new(),
            slots: KVec::new(),
            broken: None,
            has_counters: false,
            raised: Raised::new(),
            owes: false,
            entry: mem::arc(Entry::new())?,
            retired: None,
            changed: false,
            busy: false,
            stuck: false,
            sums: Sums::default(),
            rewritten: false,
            awaited: false,
            numbers: KVVec::new(),
            names: Index::new(),
            groups: KVec::new(),
            helpers: KVec::new(),
            places: 0,
            notes: 0,
            last_helper: 0,
            may_have_ended: false,
        })
    }

    /// Returns the index of the place at an address, if it is known.
    pub(crate) fn find(&self, addr: u64) -> Option<usize> {
        let is = |n: u32| self.points.get(n as usize).is_some_and(|p| p.addr == addr);
        self.index.find(addr, is).map(|n| n as usize)
    }

    pub(crate) fn at(&self, addr: u64) -> Option<&Point> {
        self.points.get(self.find(addr)?)
    }

    pub(crate) fn at_mut(&mut self, addr: u64) -> Option<&mut Point> {
        let at = self.find(addr)?;
        self.points.get_mut(at)
    }

    /// Returns the number of the text that is at an address.
    fn text(&self, addr: u64, reader: &mut Reader) -> Result<u64, UserReason> {
        self.text_and_file(addr, reader).map(|(text, _)| text)
    }

    /// Returns the number of the text that is at an address, and its file.
    pub(crate) fn text_and_file(
        &self,
        addr: u64,
        reader: &mut Reader,
    ) -> Result<(u64, MappedFile), UserReason> {
        reader.at(&self.space, addr).map(|code| (code.text, code.file))
    }

    /// Checks whether a place can have a breakpoint, is of the kind `role`, and has the expected
    /// bytes. A known place that is still there can have one.
    pub(crate) fn check(
        &self,
        addr: u64,
        role: Role,
        expected: Option<&Expected>,
        reader: &mut Reader,
    ) -> Result<(), UserReason> {
        let is_clear = |p: &Point| p.bytes.starts_with(&CLEAR);
        let known = self.known(addr, reader)?.and_then(|at| self.points.get(at));
        let planned;
        let point = match known {
            Some(known) => known,
            None => {
                planned = self.plan(addr, reader);
                match &planned {
                    Ok(point) => point,
                    // The address may be in the middle of an instruction because the code has
                    // moved; then it proves nothing that the bytes cannot be decoded.
                    Err(UserReason::Undecodable) if !self.begins(addr, expected, reader) => {
                        return Err(UserReason::Differs)
                    }
                    Err(why) => return Err(*why),
                }
            }
        };
        if expected.is_some_and(|expected| !point.agrees(expected)) {
            return Err(UserReason::Differs);
        }
        if role == Role::Question && !is_clear(point) {
            return Err(UserReason::Question);
        }
        Ok(())
    }

    /// Tells whether the first byte at an address is the expected one, or nothing is expected.
    fn begins(&self, addr: u64, expected: Option<&Expected>, reader: &mut Reader) -> bool {
        let Some([first, ..]) = expected else { return true };
        reader.at(&self.space, addr).is_ok_and(|code| code.bytes.first() == Some(first))
    }

    /// Tells whether a part of a probe is present: its text, and the instructions it was made from.
    pub(crate) fn has(&self, part: &Part, reader: &mut Reader) -> bool {
        if self.text(part.address, reader) != Ok(part.text) {
            return false;
        }
        part.expected().all(|(addr, expected)| {
            let Ok(Code { text, bytes: code, .. }) = reader.at(&self.space, addr) else {
                return false;
            };
            // The common case: we have no breakpoint near.
            if code.starts_with(expected) {
                return true;
            }
            match self.at(addr) {
                Some(point) if point.is(text, code) => point.agrees(expected),
                _ => self.plan(addr, reader).is_ok_and(|point| point.agrees(expected)),
            }
        })
    }

    /// Returns the index of the place at an address. `None`: it is new, or its text has changed, so
    /// it must be planned.
    fn known(&self, addr: u64, reader: &mut Reader) -> Result<Option<usize>, UserReason> {
        let Some(at) = self.find(addr) else { return Ok(None) };
        let Some(point) = self.points.get(at) else { return Ok(None) };
        let code = reader.at(&self.space, addr)?;
        match point.is(code.text, code.bytes) {
            true => Ok(Some(at)),
            false if code.is_away => Err(UserReason::Away),
            // The program has overwritten the instruction under enabled probes.
            false if point.text == code.text && point.users > 0 => Err(UserReason::Breakpoint),
            false => Ok(None),
        }
    }

    fn plan(&self, addr: u64, reader: &mut Reader) -> Result<Point, UserReason> {
        let Code { text, bytes: code, is_away, .. } = reader.at(&self.space, addr)?;
        let or_away = |why| if is_away { UserReason::Away } else { why };
        let Some(first) = code.first() else { return Err(or_away(UserReason::Unmapped)) };
        if *first == INT3 {
            return Err(UserReason::Breakpoint);
        }
        let plan = displace::plan(code, addr, self.mode).map_err(|e| or_away(cannot(e)))?;
        if self.shadow_stack && is_call(code) {
            return Err(UserReason::CannotMove);
        }
        let mut bytes = [0; x86::MAX_LEN];
        let n = usize::from(plan.len);
        bytes.iter_mut().zip(code.iter().take(n)).for_each(|(to, from)| *to = *from);
        // If another breakpoint overlaps, the bytes that we see are not the instruction's.
        let wanted = |p: &&Point| p.text == text && (p.users > 0 || p.armed);
        let inside = (1..n as u64).any(|n| self.at(addr.wrapping_add(n)).filter(wanted).is_some());
        let around = (1..x86::MAX_LEN as u64).any(|n| {
            let before = self.at(addr.wrapping_sub(n)).filter(wanted);
            before.is_some_and(|p| u64::from(p.len) > n)
        });
        if inside || around {
            return Err(UserReason::Undecodable);
        }
        let (act, len) = (plan.act, plan.len);
        let (armed, failed, users, is_own) = (false, None, 0, true);
        Ok(Point { addr, text, slot: 0, act, bytes, len, armed, failed, users, is_own })
    }

    /// Tells whether our breakpoint has disappeared, because the text was mapped anew.
    pub(crate) fn is_lost(&self, addr: u64) -> bool {
        let mut code = [INT3];
        self.at(addr).is_some_and(|p| p.armed) && {
            self.space.read(addr, &mut code);
            code != [INT3]
        }
    }

    /// Returns the index of the place at an address. It makes a new one if needed, with a slot of
    /// its own. `is_own`: it is for a probe that the program brings along.
    pub(crate) fn point(
        &mut self,
        addr: u64,
        is_own: bool,
        reader: &mut Reader,
    ) -> Result<usize, UserReason> {
        self.changed = true;
        if let Some(at) = self.known(addr, reader)? {
            if self.points.get(at).is_some_and(|p| self.is_barred(p)) {
                return Err(UserReason::CannotMove);
            }
            if self.is_lost(addr) {
                self.points.get_mut(at).into_iter().for_each(|p| p.armed = false);
            }
            if let Some(point) = self.points.get(at).filter(|p| p.slot == 0).copied() {
                let slot = self.slot(&point)?;
                self.points.get_mut(at).into_iter().for_each(|p| p.slot = slot);
            }
            self.points.get_mut(at).into_iter().for_each(|p| p.is_own &= is_own);
            return Ok(at);
        }
        if self.is_full(is_own) {
            return Err(UserReason::Full);
        }
        let mut point = self.plan(addr, reader)?;
        point.is_own = is_own;
        let memory = |_| UserReason::NoMemory;
        if self.find(addr).is_some() {
            self.reserve_replaced()?;
        }
        mem::reserve(&mut self.points, 1).map_err(memory)?;
        let points = &self.points;
        let by = |n: u32| Some(points.get(n as usize)?.addr);
        self.index.reserve(1, by).map_err(memory)?;
        point.slot = self.slot(&point)?;
        let at = self.find(addr).unwrap_or(self.points.len());
        let number = u32::try_from(at).map_err(|_| UserReason::NoMemory)?;
        if let Some(stale) = self.points.get(at).copied() {
            self.replace(at, stale, point);
            return Ok(at);
        }
        let _ = self.points.push_within_capacity(point);
        self.index.insert(addr, number);
        if is_own {
            self.count_own();
        }
        Ok(at)
    }

    /// Makes room for a place that is replaced.
    fn reserve_replaced(&mut self) -> Result<(), UserReason> {
        // A program may replace its text again and again while a child waits to be cleaned.
        if self.replaced.len() >= self.points.len().max(LEAST_REPLACED) {
            return Err(UserReason::Full);
        }
        mem::reserve(&mut self.replaced, 1).map_err(|_| UserReason::NoMemory)
    }

    /// Puts a place of new text where a stale one of other text is. A thread may have copied the
    /// process before, and the child has the stale one's breakpoint, but was not reported yet or
    /// waits to be cleaned. So that one is kept until [`State::vacate`] finds no such thread.
    ///
    /// [`State::vacate`]: crate::attach::State::vacate
    fn replace(&mut self, at: usize, stale: Point, mut point: Point) {
        // A thread may be in the previous slot, from which nothing leads to a place now: see
        // `signal`.
        if stale.slot != 0 {
            self.entry.interrupted.store(true, Ordering::Release);
        }
        // The probes of the previous text release the place later.
        point.users = stale.users;
        point.is_own &= stale.is_own;
        if let Some(to) = self.points.get_mut(at) {
            *to = point;
        }
        // The text tells which of the two breakpoints a child has. If the program has overwritten
        // its text, nothing does.
        if stale.text != point.text {
            // `stays_in_copy` could take the breakpoint of the new text for this one.
            let stale = Point { armed: false, users: 0, ..stale };
            let _ = self.replaced.push_within_capacity(stale);
        }
    }

    /// Reserves a slot for an instruction and returns its address.
    fn slot(&mut self, point: &Point) -> Result<u64, UserReason> {
        let mode = self.mode;
        let memory = |_| UserReason::NoMemory;
        let room = self.room(point.addr)?;
        let at = room.room.start().wrapping_add(room.used);
        let slot = displace::slot(point.code(), point.addr, mode, at).map_err(cannot)?;
        let used = room.used;
        mem::reserve(&mut room.fresh, SLOT_SIZE as usize).map_err(memory)?;
        mem::extend(&mut room.fresh, &slot.code).map_err(memory)?;
        let gap = [INT3; SLOT_SIZE as usize];
        let gap = gap.get(slot.code.len()..).unwrap_or_default();
        if mem::extend(&mut room.fresh, gap).is_err() {
            // Keep `fresh` in step with `used`.
            room.fresh.truncate(used.wrapping_sub(room.written) as usize);
            return Err(UserReason::NoMemory);
        }
        room.used = used.wrapping_add(SLOT_SIZE);
        Ok(at)
    }

    /// Returns memory with a free slot within reach of an address.
    fn room(&mut self, addr: u64) -> Result<&mut Slots, UserReason> {
        let fits = |s: &Slots| s.is_near(addr) && s.has_room();
        let at = match self.slots.iter().position(fits) {
            Some(at) => at,
            None => self.more_room(addr)?,
        };
        self.slots.get_mut(at).ok_or(UserReason::NoMemory)
    }

    fn more_room(&mut self, addr: u64) -> Result<usize, UserReason> {
        if self.slots.len() >= MOST_ROOMS {
            return Err(UserReason::NoMemory);
        }
        mem::reserve(&mut self.slots, 1).map_err(|_| UserReason::NoMemory)?;
        let so_far = self.points.len() as u64;
        let slots = so_far.clamp(LEAST_SLOTS, MOST_SLOTS);
        let size = slots.wrapping_mul(SLOT_SIZE).next_multiple_of(PAGE);
        let room = self.space.map(addr, size).map_err(|e| match e {
            ENOSPC => UserReason::NoRoom,
            ESRCH => UserReason::Gone,
            EAGAIN => UserReason::Away,
            _ => UserReason::NoMemory,
        })?;
        let at = self.slots.len();
        let slots = Slots { room, used: 0, written: 0, fresh: KVVec::new(), lost: false };
        let _ = self.slots.push_within_capacity(slots);
        Ok(at)
    }

    /// Writes the code of all new slots. If that fails, the places lose the new slots, and `broken`
    /// says why. Unless the memory map is only busy, it gives up the piece of memory: its other
    /// places without a breakpoint lose their slots, too.
    pub(crate) fn write_slots(&mut self) {
        let Self { slots, space, points, entry, .. } = self;
        self.broken = None;
        for s in slots.iter_mut() {
            let Err(e) = s.write(space) else { continue };
            self.broken = Some(match e {
                ESRCH => UserReason::Gone,
                EFAULT => UserReason::Slots,
                EAGAIN => UserReason::Away,
                _ => UserReason::NoMemory,
            });
            s.lost = e != EAGAIN;
            for p in points.iter_mut().filter(|p| !p.armed && s.holds(p.slot)) {
                let is_new = p.slot.wrapping_sub(s.room.start()) >= s.written;
                if is_new || s.lost {
                    p.slot = 0;
                }
                // A thread may be in an old one, from which nothing leads to its place now: see
                // `signal`.
                if !is_new && s.lost {
                    entry.interrupted.store(true, Ordering::Release);
                }
            }
            (s.used, s.fresh) = (s.written, KVVec::new());
        }
    }

    /// Builds the index of names anew, without the probes that are gone.
    pub(crate) fn reindex(&mut self, probes: &Probes) {
        let all = || self.groups.iter().flat_map(|g| g.numbers.iter().copied());
        let hashes = || all().filter_map(|n| Some((probes.get(n)?.hash, n)));
        let names = Index::of(all().count(), |names| {
            hashes().for_each(|(hash, n)| names.insert(hash, n));
        });
        // Without memory, keep the old one; its surplus entries lead to nothing.
        if let Ok(names) = names {
            self.names = names;
        }
    }

    /// Returns a place in the form that threads read when they hit it.
    pub(crate) fn hit(&self, p: &Point) -> Hit {
        Hit {
            addr: p.addr,
            slot: p.slot,
            act: p.act,
            bytes: p.bytes,
            len: p.len,
            mode: self.mode,
            armed: p.armed,
            is_call: is_call(p.code()),
            from: 0,
            uses: 0,
        }
    }

    /// Returns a piece of memory for slots. A copy of the process has it, too.
    pub(crate) fn room_of(&self, n: usize) -> Option<Room> {
        self.slots.get(n).map(|s| s.room.clone())
    }

    pub(crate) fn is_interrupted(&self) -> bool {
        self.entry.interrupted.load(Ordering::Acquire)
    }

    /// Tells whether it has places or slots, but no users and no breakpoints, so that they can be
    /// freed.
    pub(crate) fn is_idle(&self) -> bool {
        let has_any = !self.slots.is_empty() || !self.points.is_empty();
        has_any && if self.changed { !self.finds_busy() } else { !self.busy }
    }

    /// Tells whether it has breakpoints without users that could not be removed.
    pub(crate) fn is_stuck(&self) -> bool {
        self.stuck
    }

    /// Tells whether a place is a call in a process with a shadow stack: only the call itself can
    /// write to that, so it can have no breakpoint.
    pub(crate) fn is_barred(&self, point: &Point) -> bool {
        self.shadow_stack && is_call(point.code())
    }

    /// Tells whether a place should have a breakpoint.
    pub(crate) fn wants(&self, point: &Point) -> bool {
        point.users > 0 && !self.is_barred(point)
    }

    fn finds_busy(&self) -> bool {
        self.points.iter().any(|p| p.users > 0 || p.armed)
    }

    /// Marks the entry as up to date with the places.
    pub(crate) fn settled(&mut self) {
        self.changed = false;
        self.busy = self.finds_busy();
        self.stuck = self.points.iter().any(|p| p.armed && !self.wants(p));
        self.rewritten = false;
        self.count_places();
    }

    /// Tells whether an address is in a slot.
    pub(crate) fn is_inside(&self, ip: u64) -> bool {
        self.slots.iter().any(|s| s.holds(ip))
    }

    /// Tells whether a copy of the process may contain breakpoints.
    pub(crate) fn has_points(&self) -> bool {
        !self.points.is_empty() || self.has_replaced()
    }

    pub(crate) fn has_replaced(&self) -> bool {
        !self.replaced.is_empty()
    }

    pub(crate) fn has_slots(&self) -> bool {
        !self.slots.is_empty()
    }

    /// Unmaps the slots of a process that [is idle](Self::is_idle) and has no thread in a slot. All
    /// CPUs have been waited for since its last breakpoint was removed.
    pub(crate) fn vacate(&mut self) -> bool {
        self.points.iter_mut().for_each(|p| p.slot = 0);
        self.changed = true;
        while let Some(s) = self.slots.pop() {
            // If memory is short, a later call retries.
            // This may be the current process, and the others wait for the lock.
            if self.space.unmap_later(&s.room).is_err() {
                let _ = self.slots.push_within_capacity(s);
                return false;
            }
        }
        true
    }

    /// Forgets all places of an idle process. No copy of the process has breakpoints of them any
    /// more.
    pub(crate) fn forget(&mut self) {
        self.points = KVVec::new();
        self.index = Index::new();
        self.count_places();
        self.changed = true;
    }

    /// Returns the table for its threads, with the places of all its enabled probes.
    pub(crate) fn table(&self, probes: &Probes) -> Result<Option<KBox<Table>>> {
        if self.points.is_empty() {
            return Ok(None);
        }
        let n = self.points.len();
        let mut hits = mem::exact(n)?;
        for point in self.points.iter() {
            mem::push(&mut hits, self.hit(point))?;
        }
        let mut table = Table { index: Index::new(), hits, uses: KVVec::new() };
        self.each_use(probes, |at, _| {
            let Some(hit) = table.hits.get_mut(at) else { return };
            hit.uses = hit.uses.saturating_add(1);
        });
        let mut from = 0u32;
        for hit in table.hits.iter_mut() {
            hit.from = from;
            from = from.saturating_add(hit.uses);
            hit.uses = 0;
        }
        table.uses = mem::exact(from as usize)?;
        for _ in 0..from {
            mem::push(&mut table.uses, None)?;
        }
        self.each_use(probes, |at, u| {
            let Some(hit) = table.hits.get_mut(at) else { return };
            let to = hit.from.wrapping_add(hit.uses) as usize;
            if let Some(to) = table.uses.get_mut(to) {
                *to = Some(u());
                hit.uses = hit.uses.wrapping_add(1);
            }
        });
        let hits = &table.hits;
        // Every place has a number, so there are not too many.
        table.index = Index::of(n.checked_mul(2).ok_or(ENOMEM)?, |index| {
            for (number, hit) in (0..).zip(hits.iter()) {
                index.insert(hit.addr, number);
                if hit.slot != 0 {
                    index.insert(hit.slot, number);
                }
            }
        })?;
        Ok(Some(mem::boxed(table)?))
    }

    /// Calls `f` with each place of each enabled probe, by the index of the place, always in the
    /// same order.
    fn each_use(&self, probes: &Probes, mut f: impl FnMut(usize, &dyn Fn() -> Use)) {
        for known in self.numbers.iter().filter_map(|n| probes.get(*n)) {
            let Some(probe) = &known.enabled else { continue };
            for part in known.parts() {
                for place in part.places() {
                    let addr = part.address.wrapping_add((*place).into());
                    let Some(point) = self.find(addr) else { continue };
                    if self.points.get(point).is_none_or(|p| p.text != part.text) {
                        continue;
                    }
                    f(point, &|| Use {
                        probe: probe.clone(),
                        role: part.role,
                        place: *place,
                        size: part.size,
                        args: part.args.clone(),
                    });
                }
            }
        }
    }

    /// Writes the original bytes once more. TCG may have translated a breakpoint while it was being
    /// removed, and discards the translation when the page is written. Returns the number of
    /// failures.
    pub(crate) fn rewrite(&self) -> usize {
        self.poke_all(&self.space, |p| p.change(p.first(), p.first()))
    }

    /// Changes all places, in the memory of this process or of a copy. Returns how many changes
    /// failed because memory was short, the page was not in memory, or it was a copy of the text
    /// that cannot be changed.
    pub(crate) fn poke_all(&self, space: &Space, poke: impl Fn(&Point) -> Poke) -> usize {
        let (mut room, mut left) = (Batch::new(Poke::NONE, self.points.len()), 0usize);
        let room = room.room();
        for points in self.points.chunks(room.len()) {
            room.iter_mut().zip(points).for_each(|(to, point)| *to = poke(point));
            let pokes = room.get_mut(..points.len()).unwrap_or_default();
            space.poke(pokes);
            let is_left = |(poke, point): &(&Poke, &Point)| match poke.result() {
                Err(Ground::NoMemory | Ground::Away) => point.armed,
                Err(why) => may_be_copy(why) && point.armed && point.stays_in_copy(space, false),
                Ok(()) => false,
            };
            left = left.wrapping_add(pokes.iter().zip(points).filter(is_left).count());
        }
        left
    }
}

/// Tells whether a change of text may have failed because the program has mapped a copy over it.
pub(crate) fn may_be_copy(why: Ground) -> bool {
    matches!(why, Ground::Differs | Ground::NotText | Ground::Shared)
}

/// Logs that breakpoints without users could not be removed.
pub(crate) fn complain_of(left: usize) {
    if left > 0 {
        pr_warn!(
            "fasttrap: breakpoints could not be taken out of a process, which may end by them\n"
        );
    }
}

fn cannot(why: Cannot) -> UserReason {
    match why {
        Cannot::Undecodable => UserReason::Undecodable,
        Cannot::CannotMove(_) => UserReason::CannotMove,
        Cannot::TooFar => UserReason::TooFar,
    }
}
