// SPDX-License-Identifier: GPL-2.0
//! Buffers to records in order of time.
//!
//! Each CPU's snapshot is in order of time by itself; a *round* is a snapshot of every CPU. The
//! rounds' snapshots are taken one after the other, so a CPU that was asked late brings records
//! newer than what an earlier one still holds back. A record is therefore released only when no CPU
//! can bring an older one any more: up to the least time of switching of the round.
//!
//! Records stay where the kernel has put them until they are printed. The CPUs' snapshots are merged
//! by looking at the next record of each, and mostly at one alone: as long as that is older than
//! the next one of all others.
//!
//! The order of one CPU's records is never changed: a record that carries an older time than the one
//! before it (the ERROR probe fires in the middle of another firing) counts as being of that time.

use crate::error::{Error, Failure};
use crate::kernel::{Buffer, Kernel, Room};
use crate::print::json;
use crate::status::{self, Drops};
use abi::ids::{Epid, ProbeId};
use abi::probe::ProbeDesc;
use abi::record::{RecDesc, RecordHeader, HEADER_SIZE, RECORD_ALIGN};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, VecDeque};
use std::ops::Range;
use std::rc::Rc;
use zerocopy::FromBytes;

/// What stands behind an EPID, as the consumer keeps it.
#[derive(Debug)]
pub struct EnabledProbe {
    /// EPID.
    pub epid: Epid,
    /// The probe.
    pub probe: ProbeId,
    /// Its name; the parts are empty if it vanished before we could ask.
    pub parts: [String; 4],
    /// The clause's number.
    pub uarg: u64,
    /// Bytes of a record; 0: it leaves none.
    pub size: usize,
    /// Its data.
    pub recs: Vec<RecDesc>,
}

impl EnabledProbe {
    /// Whether, of two records of one CPU in a row, this one's is of the same firing as the one before: another
    /// clause of the probe, and a later one. A function that calls itself fires the first one again.
    pub fn is_after(&self, before: &Self) -> bool {
        self.probe == before.probe && self.epid > before.epid
    }

    /// The probe, for JSON.
    pub fn named(&self) -> json::Probe<'_> {
        json::Probe::new(self.probe.0, self.parts.each_ref().map(String::as_str))
    }
}

/// One firing of one enabled probe.
pub struct Record<'a> {
    /// CPU it fired on.
    pub cpu: u32,
    /// What fired.
    pub enabled: Rc<EnabledProbe>,
    /// The CPU's next record is of the same firing.
    pub is_followed_by_same_firing: bool,
    /// Header and data.
    pub bytes: &'a [u8],
}

/// Everything known of EPIDs, asked when first needed.
#[derive(Default)]
pub struct EnabledProbes {
    /// By EPID.
    known: Vec<Option<Rc<EnabledProbe>>>,
    probes: HashMap<ProbeId, ProbeDesc>,
}

impl EnabledProbes {
    /// The layout behind an EPID.
    pub fn get(&mut self, kernel: &mut dyn Kernel, epid: Epid) -> Result<Rc<EnabledProbe>, Error> {
        let at = epid.0 as usize;
        match self.known.get(at) {
            Some(Some(known)) => Ok(known.clone()),
            _ => {
                let enabled = Rc::new(self.learn(kernel, epid)?);
                // The kernel knows it, and gives them one after the other.
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
        // A clause that records nothing has no layout, but it can fault and then has a name.
        if size != 0 && (size < HEADER_SIZE || size % RECORD_ALIGN != 0) {
            return Err(Error::new(doing(), format!("the kernel says a record has {size} bytes")));
        }
        let uarg = eprobe.desc.uarg;
        Ok(EnabledProbe { epid, probe: id, parts, uarg, size, recs: eprobe.recs })
    }

    /// Does any probe that can fire again and again leave records, of those learnt?
    pub fn any_records(&self) -> bool {
        let again = |e: &EnabledProbe| e.size > 0 && e.parts.first().is_some_and(|p| p != "dtrace");
        self.known.iter().flatten().any(|e| again(e))
    }

    /// The kernel will use these EPIDs for other probes.
    pub fn forget(&mut self, epids: &[Epid]) {
        for epid in epids {
            let known = self.known.get_mut(epid.0 as usize).and_then(Option::take);
            if let Some(known) = known {
                self.probes.remove(&known.probe);
            }
        }
    }

    /// Learns the first `count` EPIDs now: a probe's name is gone when its driver is unloaded.
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
    /// In order of time, newest ones held back.
    Temporal,
    /// All, CPU by CPU as they come.
    Unordered,
    /// All, in order of time: the last round.
    Last,
}

/// A snapshot, or what is left of it.
struct Snapshot {
    room: Room,
    /// Where its records are that nobody has looked at yet; those of the second part are newer.
    left: [Range<usize>; 2],
}

/// A record that is the next one of its CPU.
struct Next {
    enabled: Rc<EnabledProbe>,
    /// Never less than that of the CPU's record before it.
    timestamp: u64,
    range: Range<usize>,
}

/// The records of a CPU.
struct Stream {
    cpu: u32,
    snapshots: VecDeque<Snapshot>,
    /// Of those, so many were there when the round began.
    due: usize,
    /// The next one, of the first snapshot.
    next: Option<Next>,
    /// Newest time seen.
    newest: u64,
}

impl Stream {
    /// Looks at the next record of the first snapshot, after one of the probe `before`.
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
                // Nearly always it is of the same probe.
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

    /// If there is no next record, looks for one in the other snapshots of this round; the rooms of those
    /// that are used up are free.
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

/// Most rooms that wait for being used again: a round needs two of each busy CPU's, one of them for
/// what is held back.
const MOST_FREE: usize = 4;

fn give_back(free: &mut Vec<Room>, room: Option<Room>) {
    if free.len() < MOST_FREE {
        free.extend(room);
    }
}

/// When it is a stream's turn: the time of its next record, its CPU, and where it stands.
type Turn = (u64, u32, usize);

/// Records taken but not yet released, and the merge of those that are.
#[derive(Default)]
pub struct Timeline {
    streams: Vec<Stream>,
    free: Vec<Room>,
    /// Times matter.
    is_ordered: bool,
    /// What is newer waits for the next round.
    until: u64,
    /// No CPU had anything older any more as the round began.
    taken_until: u64,
    /// The stream that records come from now, up to a time and a CPU: then it is another one's turn.
    current: usize,
    up_to: (u64, u32),
    /// Those.
    others: BinaryHeap<Reverse<Turn>>,
}

impl Timeline {
    /// Takes the principal buffers of `cpus`; what of them is due comes from [`Self::next`]. Gives what
    /// was dropped.
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

    /// Lets a stream wait for its turn, if it has something that is due.
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

    /// Turns to the stream whose record is the next one; false if none is due.
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

    /// The next record that is due.
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

    /// When all that is due has been printed, every record older than this has been.
    pub fn taken_until(&self) -> u64 {
        self.taken_until
    }

    /// Bytes taken but not yet released.
    pub fn held(&self) -> usize {
        let snapshots = self.streams.iter().flat_map(|s| &s.snapshots);
        snapshots.map(|s| s.room.taken().len()).sum()
    }

    /// Takes the principal buffers of `cpus`; gives what was dropped, and the time up to which no CPU can
    /// bring a record any more.
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

    /// Keeps a snapshot behind the others of its CPU.
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
