// SPDX-License-Identifier: GPL-2.0
//! Turns buffers into records in order of time.
//!
//! Each CPU's snapshot is in order of time. A *round* is a snapshot of every CPU. The snapshots of
//! a round are taken one after the other, so a CPU taken late brings records that are newer than
//! records still waiting on an earlier CPU. Therefore a record is released only when no CPU can
//! bring an older one any more: up to the earliest switching time of the round.
//!
//! Records stay where the kernel put them until they are printed. The merge compares the next
//! record of each CPU. Mostly it reads from one CPU alone, as long as that CPU's next record is
//! older than the next record of all others.
//!
//! The order of one CPU's records never changes. A record with an older time than the one before it
//! (the ERROR probe fires in the middle of another firing) counts as having that record's time.

use crate::error::{Error, Failure};
use crate::kernel::{Buffer, Kernel, Room};
use crate::status::{self, Drops};
use abi::ids::{Epid, ProbeId};
use abi::probe::ProbeDesc;
use abi::record::{RecDesc, RecordHeader, HEADER_SIZE, RECORD_ALIGN};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, VecDeque};
use std::ops::Range;
use std::rc::Rc;
use zerocopy::FromBytes;

/// The consumer's description of an EPID.
#[derive(Debug)]
pub struct EnabledProbe {
    /// The EPID.
    pub epid: Epid,
    /// The probe.
    pub probe: ProbeId,
    /// The four parts of its name, empty if the probe vanished before we could ask.
    pub parts: [String; 4],
    /// The clause's number.
    pub uarg: u64,
    /// Bytes of a record; 0: the clause leaves no record.
    pub size: usize,
    /// The data items of a record.
    pub recs: Vec<RecDesc>,
}

impl EnabledProbe {
    /// Tells whether this record belongs to the same firing as `before`, the CPU's previous record.
    /// It does if it is from the same probe and a later clause. A function that calls itself fires
    /// the first clause again.
    pub fn is_after(&self, before: &Self) -> bool {
        self.probe == before.probe && self.epid > before.epid
    }
}

/// One firing of one enabled probe.
pub struct Record<'a> {
    /// The CPU that it fired on.
    pub cpu: u32,
    /// The enabled probe that fired.
    pub enabled: Rc<EnabledProbe>,
    /// Tells whether the CPU's next record is of the same firing.
    pub is_followed_by_same_firing: bool,
    /// The header and the data.
    pub bytes: &'a [u8],
}

/// The descriptions of EPIDs, each asked for when first needed.
#[derive(Default)]
pub struct EnabledProbes {
    /// By EPID.
    known: Vec<Option<Rc<EnabledProbe>>>,
    probes: HashMap<ProbeId, ProbeDesc>,
}

impl EnabledProbes {
    /// Returns the description of an EPID.
    pub fn get(&mut self, kernel: &mut dyn Kernel, epid: Epid) -> Result<Rc<EnabledProbe>, Error> {
        let at = epid.0 as usize;
        match self.known.get(at) {
            Some(Some(known)) => Ok(known.clone()),
            _ => {
                let enabled = Rc::new(self.learn(kernel, epid)?);
                // The kernel knows this EPID and numbers EPIDs in sequence, so the size is bounded.
                self.known.resize_with(self.known.len().max(at + 1), || None);
                if let Some(place) = self.known.get_mut(at) {
                    *place = Some(enabled.clone());
                }
                Ok(enabled)
            }
        }
    }

    fn learn(&mut self, kernel: &mut dyn Kernel, epid: Epid) -> Result<EnabledProbe, Error> {
        let doing = || format!("failed to learn the layout of enabled probe {}", epid.0);
        let eprobe = kernel.eprobe(epid).map_err(|r| r.doing(doing()))?;
        let id = eprobe.desc.probe;
        let probe = match self.probes.get(&id) {
            Some(probe) => *probe,
            None => {
                let found = kernel.probe(id).ok().flatten().unwrap_or(ProbeDesc::EMPTY);
                self.probes.insert(id, found);
                found
            }
        };
        let parts = probe.parts().map(|p| String::from_utf8_lossy(p).into_owned());
        let size = eprobe.desc.size as usize;
        // A clause that records nothing has no layout, but it can fault, and then its name is
        // needed.
        if size != 0 && (size < HEADER_SIZE || size % RECORD_ALIGN != 0) {
            return Err(Error::new(doing(), format!("the kernel says a record has {size} bytes")));
        }
        let uarg = eprobe.desc.uarg;
        Ok(EnabledProbe { epid, probe: id, parts, uarg, size, recs: eprobe.recs })
    }

    /// Forgets EPIDs that the kernel will use for other probes.
    pub fn forget(&mut self, epids: &[Epid]) {
        for epid in epids {
            let known = self.known.get_mut(epid.0 as usize).and_then(Option::take);
            if let Some(known) = known {
                self.probes.remove(&known.probe);
            }
        }
    }

    /// Learns the first `count` EPIDs now, because a probe's name vanishes when its driver is
    /// unloaded.
    pub fn prefetch(&mut self, kernel: &mut dyn Kernel, count: u32) {
        for epid in 1..=count {
            if self.get(kernel, Epid(epid)).is_err() {
                break;
            }
        }
    }
}

/// Which records a round releases.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Release {
    /// In order of time; the newest records are held back.
    Temporal,
    /// All, CPU by CPU.
    Unordered,
    /// All, in order of time: the last round.
    Last,
}

/// A snapshot, or the rest of it.
struct Snapshot {
    room: Room,
    /// The two ranges of its unread records; the records of the second are newer.
    left: [Range<usize>; 2],
}

/// The next record of a CPU.
struct Next {
    enabled: Rc<EnabledProbe>,
    /// Never less than the time of the CPU's previous record.
    timestamp: u64,
    range: Range<usize>,
}

/// The records of a CPU.
struct Stream {
    cpu: u32,
    snapshots: VecDeque<Snapshot>,
    /// The number of snapshots that existed when the round began.
    due: usize,
    /// The next record, from the first snapshot.
    next: Option<Next>,
    /// The newest time seen.
    newest: u64,
}

impl Stream {
    /// Reads the next record of the first snapshot; `before` is the probe of the previous record.
    #[inline]
    fn look(
        &mut self,
        kernel: &mut dyn Kernel,
        probes: &mut EnabledProbes,
        before: Option<&Rc<EnabledProbe>>,
    ) -> Result<(), Failure> {
        let Some(Snapshot { room, left }) = self.snapshots.front_mut() else { return Ok(()) };
        for part in left {
            while let Some(rest) = room.taken().get(part.clone()).filter(|r| r.len() >= 4) {
                let epid = rest.first_chunk().map_or(0, |b| u32::from_le_bytes(*b));
                if epid == 0 {
                    part.start += 4;
                    continue;
                }
                // Nearly always the next record is of the same probe.
                let enabled = match before {
                    Some(same) if same.epid.0 == epid => same.clone(),
                    _ => probes.get(kernel, Epid(epid))?,
                };
                let Some(record) = rest.get(..enabled.size).filter(|r| !r.is_empty()) else {
                    let what = format!("the buffer of CPU {} ends within a record", self.cpu);
                    return Err(Error::new("failed to consume records", what).into());
                };
                if let Ok((head, _)) = RecordHeader::read_from_prefix(record) {
                    self.newest = head.timestamp().max(self.newest);
                }
                let range = part.start..part.start + enabled.size;
                part.start = range.end;
                self.next = Some(Next { enabled, timestamp: self.newest, range });
                return Ok(());
            }
        }
        Ok(())
    }

    /// If there is no next record, looks for one in the other snapshots of this round. The rooms of
    /// used-up snapshots become free.
    fn turn_over(
        &mut self,
        kernel: &mut dyn Kernel,
        probes: &mut EnabledProbes,
        free: &mut Vec<Room>,
    ) -> Result<(), Failure> {
        while self.next.is_none() && self.due > 0 {
            self.look(kernel, probes, None)?;
            if self.next.is_none() {
                self.due -= 1;
                let used_up = self.snapshots.pop_front();
                give_back(free, used_up.map(|s| s.room));
            }
        }
        Ok(())
    }
}

/// The most rooms that are kept for reuse. A round needs two for each busy CPU, one of them for the
/// records held back.
const MOST_FREE: usize = 4;

fn give_back(free: &mut Vec<Room>, room: Option<Room>) {
    if free.len() < MOST_FREE {
        free.extend(room);
    }
}

/// A stream's turn: the time of its next record, its CPU, and its index.
type Turn = (u64, u32, usize);

/// Records that were taken but not released, and the merge of those that are due.
#[derive(Default)]
pub struct Timeline {
    streams: Vec<Stream>,
    free: Vec<Room>,
    /// Tells whether records come in order of time.
    is_ordered: bool,
    /// Newer records wait for the next round.
    until: u64,
    /// When the round began, no CPU had a record older than this.
    taken_until: u64,
    /// The stream that records come from now; after the time and CPU `up_to` it is another stream's
    /// turn.
    current: usize,
    up_to: (u64, u32),
    /// The streams that wait for their turn.
    others: BinaryHeap<Reverse<Turn>>,
}

impl Timeline {
    /// Takes the principal buffers of `cpus`; [`Self::next`] then returns the records that are due.
    /// Returns what was dropped.
    pub fn round(
        &mut self,
        kernel: &mut dyn Kernel,
        probes: &mut EnabledProbes,
        cpus: &[u32],
        release: Release,
    ) -> Result<Vec<Drops>, Failure> {
        let (drops, until) = self.take(kernel, cpus)?;
        self.taken_until = until;
        self.is_ordered = release != Release::Unordered;
        self.until = if release == Release::Temporal { until } else { u64::MAX };
        self.streams.sort_by_key(|s| cpus.iter().position(|c| *c == s.cpu));
        self.current = usize::MAX;
        self.others.clear();
        for at in 0..self.streams.len() {
            if let Some(stream) = self.streams.get_mut(at) {
                stream.due = stream.snapshots.len();
            }
            self.wait(kernel, probes, at)?;
        }
        Ok(drops)
    }

    /// Queues a stream for its turn, if it has a record that is due.
    fn wait(
        &mut self,
        kernel: &mut dyn Kernel,
        probes: &mut EnabledProbes,
        at: usize,
    ) -> Result<(), Failure> {
        let Some(stream) = self.streams.get_mut(at) else { return Ok(()) };
        stream.turn_over(kernel, probes, &mut self.free)?;
        let turn = match &stream.next {
            Some(_) if !self.is_ordered => Some((0, 0, at)),
            Some(next) => {
                (next.timestamp <= self.until).then_some((next.timestamp, stream.cpu, at))
            }
            None => None,
        };
        self.others.extend(turn.map(Reverse));
        Ok(())
    }

    /// Changes to the stream that has the next record; returns false if none is due.
    fn change(
        &mut self,
        kernel: &mut dyn Kernel,
        probes: &mut EnabledProbes,
    ) -> Result<bool, Failure> {
        self.wait(kernel, probes, self.current)?;
        let Some(Reverse(turn)) = self.others.pop() else { return Ok(false) };
        self.current = turn.2;
        self.up_to = match self.others.peek() {
            Some(Reverse((time, cpu, _))) if self.is_ordered => (*time, *cpu),
            _ => (self.until, u32::MAX),
        };
        Ok(true)
    }

    /// Returns the next record that is due.
    #[inline]
    pub fn next(
        &mut self,
        kernel: &mut dyn Kernel,
        probes: &mut EnabledProbes,
    ) -> Result<Option<Record<'_>>, Failure> {
        let is_its_turn =
            |s: &Stream| s.next.as_ref().is_some_and(|next| (next.timestamp, s.cpu) <= self.up_to);
        if !self.streams.get(self.current).is_some_and(is_its_turn)
            && !self.change(kernel, probes)?
        {
            return Ok(None);
        }
        let Some(stream) = self.streams.get_mut(self.current) else { return Ok(None) };
        let Some(Next { enabled, range, .. }) = stream.next.take() else { return Ok(None) };
        stream.look(kernel, probes, Some(&enabled))?;
        let next = stream.next.as_ref();
        Ok(Some(Record {
            cpu: stream.cpu,
            is_followed_by_same_firing: next.is_some_and(|n| n.enabled.is_after(&enabled)),
            enabled,
            bytes: stream.snapshots.front().and_then(|s| s.room.taken().get(range)).unwrap_or(&[]),
        }))
    }

    /// Returns a time: once everything due has been printed, every record older than this has been
    /// printed.
    pub fn taken_until(&self) -> u64 {
        self.taken_until
    }

    /// Returns the number of bytes taken but not released.
    pub fn held(&self) -> usize {
        let snapshots = self.streams.iter().flat_map(|s| &s.snapshots);
        snapshots.map(|s| s.room.taken().len()).sum()
    }

    /// Takes the principal buffers of `cpus`. Returns what was dropped, and the time up to which no
    /// CPU can bring another record.
    pub fn take(
        &mut self,
        kernel: &mut dyn Kernel,
        cpus: &[u32],
    ) -> Result<(Vec<Drops>, u64), Failure> {
        let (mut drops, mut until) = (Vec::new(), u64::MAX);
        for &cpu in cpus {
            let mut room = self.free.pop().unwrap_or_default();
            let taken = kernel
                .snap(Buffer::Principal, cpu, &mut room)
                .map_err(|r| r.doing(format!("failed to take the buffer of CPU {cpu}")))?;
            if let Some(snapshot) = taken {
                if snapshot.drops > 0 {
                    drops.push(status::principal(snapshot.drops, cpu));
                }
                until = until.min(snapshot.timestamp);
                if !room.taken().is_empty() {
                    self.keep(cpu, room, snapshot.oldest as usize);
                    continue;
                }
            }
            give_back(&mut self.free, Some(room));
        }
        Ok((drops, until))
    }

    /// Keeps a snapshot behind the CPU's other snapshots.
    fn keep(&mut self, cpu: u32, room: Room, oldest: usize) {
        let end = room.taken().len();
        let oldest = oldest.min(end);
        let snapshot = Snapshot { room, left: [oldest..end, 0..oldest] };
        match self.streams.iter_mut().find(|s| s.cpu == cpu) {
            Some(stream) => stream.snapshots.push_back(snapshot),
            None => self.streams.push(Stream {
                cpu,
                snapshots: VecDeque::from([snapshot]),
                due: 0,
                next: None,
                newest: 0,
            }),
        }
    }
}
