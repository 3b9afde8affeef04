// SPDX-License-Identifier: GPL-2.0
//! Stacks of processes, walked while a probe fires.
//!
//! ```text
//! instruction ──► its mapping: a file, an offset ──► the file's rows ──► a rule ──► the caller
//! ```
//! The consumer provides the rows; [`abi::unwind`] defines them. If a file has no rows, rbp is used
//! as a frame pointer, and the process becomes a *stranger*, whose mappings the consumer must read.
//! It also does so when a process is first seen, because the process may have ended when its
//! addresses are printed.
//!
//! A search needs no lock: it ends at the first empty place, and a place that was used is never
//! empty again; what a removed file leaves there matches no file. Programs choose the numbers and
//! times of their files, so the hash is one that they cannot compute.

use abi::unwind::{self as rows, Frame, Key, Row, Rule, Step, FILES, MAX_STRANGERS};
use buffers::siphash::SipHash;
use buffers::Seed;
use core::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};
use nosleep::stack::{self, Mapping, Start};
use nosleep::ProbeCtx;
use nosleep::{nofault, task, KVVec, Published};
use plan::quota::{Portion, Quota};
use zerocopy::FromBytes;

/// The number of places that are searched for a file.
const TRIES: usize = 32;
/// The number of processes that are remembered as seen: a power of two.
pub const MET: usize = 1024;
/// The least interval between requests to the consumer for rows that it may not find, in ns.
const PAUSE: u64 = 20_000_000;

/// The most bytes of rows from one consumer, and from all.
// CAST: 64 bits.
const MOST: usize = rows::MAX_GIVEN as usize;
const MOST_BY_ALL: usize = rows::MAX_GIVEN_BY_ALL as usize;

/// The bytes of rows from all consumers.
static GIVEN: Quota = Quota::new();

/// The unwinding rows of a file.
pub struct Object {
    /// The file. `None`: it was removed.
    pub key: Option<Key>,
    /// Its [`Row`]s.
    pub rows: KVVec<u8>,
}

impl Object {
    /// Checks that `rows` are whole rows that ascend; an error says what was expected.
    pub fn check(rows: &[u8]) -> Result<(), &'static str> {
        let rows = rows_of(rows).ok_or("whole rows")?;
        match rows.is_sorted_by(|a, b| a.start < b.start) {
            true => Ok(()),
            false => Err("rows that ascend"),
        }
    }
}

/// The rows of files from a consumer, and the processes that it must read.
pub struct Unwind {
    seed: Seed,
    files: KVVec<Published<Object>>,
    given: Portion,
    met: KVVec<AtomicU64>,
    /// The ids of processes; 0: none.
    strangers: [AtomicU32; MAX_STRANGERS],
    /// The time when a process was last reported because of missing rows, in ns.
    told: AtomicU64,
    /// The number of stacks that ended early because of that.
    early: AtomicU64,
}

/// Returns bytes as rows. An empty vector has no memory, so it may be unaligned.
fn rows_of(bytes: &[u8]) -> Option<&[Row]> {
    if bytes.is_empty() {
        return Some(&[]);
    }
    <[Row]>::ref_from_bytes(bytes).ok()
}

/// Returns the first place to search for a file, of [`FILES`].
fn first_place(seed: Seed, key: Key) -> usize {
    let mut hash = SipHash::new(seed);
    hash.word(key.inode);
    hash.word(key.modified);
    // CAST: 64 bits.
    hash.end(key.device.into()) as usize & (FILES - 1)
}

impl Unwind {
    /// Makes it of as many empty places as [`FILES`] and zeroed words as [`MET`]. `seed` is random.
    /// `is_root`: its consumer belongs to root.
    pub fn new(
        files: KVVec<Published<Object>>,
        met: KVVec<AtomicU64>,
        seed: Seed,
        is_root: bool,
    ) -> Self {
        Self {
            seed,
            files,
            given: Portion::new(&GIVEN, is_root),
            met,
            strangers: [const { AtomicU32::new(0) }; MAX_STRANGERS],
            told: AtomicU64::new(0),
            early: AtomicU64::new(0),
        }
    }

    /// Returns the places where the rows of a file may be, in the order of the search.
    pub fn places(&self, key: Key) -> impl Iterator<Item = &Published<Object>> {
        let first = first_place(self.seed, key);
        (0..TRIES).filter_map(move |n| self.files.get(first.wrapping_add(n) & (FILES - 1)))
    }

    /// Returns all places.
    pub fn all_places(&self) -> impl Iterator<Item = &Published<Object>> {
        self.files.iter()
    }

    /// Counts the bytes of rows that are added. Returns false if so many are not allowed.
    pub fn pay(&self, size: usize) -> bool {
        let own = self.given.amount().saturating_add(size);
        own <= MOST && self.given.take(size, MOST_BY_ALL)
    }

    /// Undoes [`Self::pay`] for rows that are freed.
    pub fn refund(&self, size: usize) {
        self.given.give_back(size);
    }

    fn find<'c>(&'c self, ctx: &'c ProbeCtx, key: Key) -> Option<&'c [Row]> {
        for place in self.places(key) {
            let object = place.load(ctx)?;
            if object.key == Some(key) {
                return rows_of(&object.rows);
            }
        }
        None
    }

    /// Records a process for the consumer. Returns whether it is new.
    fn note(&self, pid: u32) -> bool {
        let place = self.strangers.get(pid as usize & (MAX_STRANGERS - 1));
        place.is_some_and(|p| p.compare_exchange(0, pid, Relaxed, Relaxed).is_ok())
    }

    /// Records that the current process was seen. The first time, the consumer must read its
    /// mappings.
    fn meet(&self, wake: &dyn Fn()) {
        // CAST: pids are not negative.
        let (pid, memory) = (task::pid() as u32, task::memory());
        let who = memory ^ u64::from(pid).rotate_right(16);
        // CAST: 64 bits. A program does not know the address of its memory's description.
        let Some(place) = self.met.get(buffers::mix(0, who) as usize & (MET - 1)) else { return };
        if place.load(Relaxed) != who && self.note(pid) {
            place.store(who, Relaxed);
            wake();
        }
    }

    /// Records that the current process has a file without rows.
    fn miss(&self, wake: &dyn Fn()) {
        let now = nosleep::time::monotonic_ns();
        let last = self.told.load(Relaxed);
        // CAST: pids are not negative.
        if now.wrapping_sub(last) >= PAUSE && self.note(task::pid() as u32) {
            self.told.store(now, Relaxed);
            wake();
        }
    }

    /// Records that a stack ended before the start of its thread, perhaps because rows are missing.
    fn ends_early(&self, lacks_rows: bool) {
        if lacks_rows {
            self.early.fetch_add(1, Relaxed);
        }
    }

    /// Returns how many stacks ended early because rows were missing.
    pub fn early(&self) -> u64 {
        self.early.load(Relaxed)
    }

    /// Returns how many processes the consumer must read.
    pub fn strangers(&self) -> u32 {
        let there = self.strangers.iter().filter(|p| p.load(Relaxed) != 0);
        // CAST: at most MAX_STRANGERS.
        there.count() as u32
    }

    /// Takes these processes.
    pub fn take_strangers(&self) -> [u32; MAX_STRANGERS] {
        let mut pids = [0; MAX_STRANGERS];
        for (pid, place) in pids.iter_mut().zip(&self.strangers) {
            *pid = place.swap(0, Relaxed);
        }
        pids
    }
}

/// A piece of code and its rows.
struct Place<'c> {
    mapping: Mapping,
    rows: &'c [Row],
    /// Whether the rows are missing so far.
    is_unknown: bool,
}

impl<'c> Place<'c> {
    fn at(ctx: &'c ProbeCtx, unwind: &'c Unwind, wake: &dyn Fn(), addr: u64) -> Option<Self> {
        let mapping = stack::mapping(ctx, addr)?;
        if !mapping.is_object {
            return Some(Self { mapping, rows: &[], is_unknown: false });
        }
        let key = Key {
            inode: mapping.inode,
            modified: Key::modified(mapping.modified_s, mapping.modified_ns),
            device: mapping.device,
            pad: 0,
        };
        let found = unwind.find(ctx, key);
        if found.is_none() {
            unwind.miss(wake);
        }
        let is_unknown = found.is_none();
        Some(Self { mapping, rows: found.unwrap_or_default(), is_unknown })
    }

    fn covers(&self, addr: u64) -> bool {
        (self.mapping.start..self.mapping.end).contains(&addr)
    }

    fn row(&self, addr: u64) -> Option<Row> {
        let offset = addr.wrapping_sub(self.mapping.start).wrapping_add(self.mapping.offset);
        let row = rows::find(self.rows, u32::try_from(offset).ok()?)?;
        (row.rule != Rule::Unknown as u8).then_some(row)
    }
}

/// Reads a word of the process's memory.
fn word(wide: bool, at: u64) -> Option<u64> {
    let mut word = [0; 8];
    let size = if wide { 8 } else { 4 };
    nofault::read_user(at, word.get_mut(..size)?).ok()?;
    Some(u64::from_le_bytes(word))
}

/// Fills `into` with the process's addresses, 8 bytes each, the innermost first, at most `most`.
/// `wake` wakes the consumer. Returns their number; addresses without room are only counted. The
/// rest of `into` is unchanged.
pub(crate) fn walk(
    ctx: &ProbeCtx,
    start: Start,
    unwind: &Unwind,
    wake: &dyn Fn(),
    most: usize,
    into: &mut [u8],
) -> usize {
    let Some(came) = stack::came(ctx) else { return 0 };
    unwind.meet(wake);
    let read = |at| word(came.wide, at);
    let mut frame = Frame { ip: came.ip, sp: came.sp, bp: came.bp };
    let mut place: Option<Place<'_>> = None;
    let mut lacks_rows = false;
    // A return address is after its call, which may be another function's last instruction. The
    // same holds for the place where a system call continues.
    let mut back = u64::from(came.called);
    let mut room = into.chunks_exact_mut(8);
    for n in 0..most {
        if frame.ip == 0 || frame.ip > ADDRESSES {
            unwind.ends_early(lacks_rows);
            return n;
        }
        if let Some(room) = room.next() {
            room.copy_from_slice(&frame.ip.to_le_bytes());
        }
        if n.wrapping_add(1) == most {
            return most;
        }
        let at = frame.ip.wrapping_sub(back);
        if !place.as_ref().is_some_and(|p| p.covers(at)) {
            place = if came.wide { Place::at(ctx, unwind, wake, at) } else { None };
            lacks_rows |= place.as_ref().is_some_and(|p| p.is_unknown);
        }
        let step = match place.as_ref().and_then(|p| p.row(at)) {
            Some(row) => {
                let register = |r| if n == 0 { stack::came_with(ctx, r) } else { None };
                rows::step(row, frame, register, read)
            }
            None if n == 0 && start.entered() => entered(frame, came.wide, read),
            None if came.wide && rows::leaves_signal(frame, read) => {
                rows::step(SIGNAL, frame, |_| None, read)
            }
            None => rows::by_pointer(frame, if came.wide { 8 } else { 4 }, read),
        };
        (frame, back) = match step {
            Step::Caller(next) => (next, 1),
            Step::Interrupted(next) => (next, 0),
            Step::End => return n.wrapping_add(1),
            Step::Lost => {
                unwind.ends_early(lacks_rows);
                return n.wrapping_add(1);
            }
        };
    }
    most
}

/// The row for code that returns from a signal handler and has no unwinding data; C libraries other
/// than glibc have such code.
const SIGNAL: Row = Row { start: 0, cfa: 0, rbp: 0, rule: Rule::Signal as u8 };

/// The highest address that a process may have.
const ADDRESSES: u64 = i64::MAX as u64;

/// At the first instruction of a function, the return address is on top of the stack.
fn entered(frame: Frame, wide: bool, read: impl Fn(u64) -> Option<u64>) -> Step {
    let Some(ip) = read(frame.sp) else { return Step::Lost };
    let sp = frame.sp.wrapping_add(if wide { 8 } else { 4 });
    Step::Caller(Frame { ip, sp, ..frame })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A program can choose files whose places are the same only for a seed that it knows.
    #[test]
    fn places_depend_on_the_seed() {
        let key = |modified| Key { inode: 7, modified, device: 1, pad: 0 };
        let first = |seed, modified| first_place(seed, key(modified));
        let chosen = (0..).filter(|&modified| first([1, 2], modified) == 5).take(TRIES + 1);
        let mut places: Vec<_> = chosen.map(|modified| first([1, 3], modified)).collect();
        places.sort_unstable();
        places.dedup();
        assert!(places.len() > TRIES / 2, "{places:?}");
    }
}
