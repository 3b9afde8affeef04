// SPDX-License-Identifier: GPL-2.0
//! Buffers to records in order of time.
//!
//! Each CPU's snapshot is in order of time by itself; a *round* is a snapshot of every CPU. The
//! rounds' snapshots are taken one after the other, so a CPU that was asked late brings records
//! newer than what an earlier one still holds back. A record is therefore released only when no CPU
//! can bring an older one any more: up to the least time of switching of the round.
//!
//! The order of one CPU's records is never changed: a record that carries an older time than the one
//! before it (the ERROR probe fires in the middle of another firing) counts as being of that time.

use crate::error::{Error, Failure};
use crate::kernel::{Buffer, Kernel};
use crate::status::{self, Drops};
use abi::ids::{Epid, ProbeId};
use abi::probe::ProbeDesc;
use abi::record::{RecDesc, RecordHeader, HEADER_SIZE, RECORD_ALIGN};
use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;
use zerocopy::FromBytes;

/// What stands behind an EPID, as the consumer keeps it.
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

/// One firing of one enabled probe.
#[derive(Clone)]
pub struct Record {
    /// CPU it fired on.
    pub cpu: u32,
    /// When, ns; never less than that of the CPU's record before it.
    pub timestamp: u64,
    /// What fired.
    pub enabled: Rc<EnabledProbe>,
    /// The CPU's next record is of the same probe (another clause of the same firing).
    pub is_followed_by_same_probe: bool,
    blob: Rc<Vec<u8>>,
    range: Range<usize>,
}

impl Record {
    /// Header and data.
    pub fn bytes(&self) -> &[u8] {
        self.blob.get(self.range.clone()).unwrap_or(&[])
    }
}

/// Everything known of EPIDs, asked when first needed.
#[derive(Default)]
pub struct EnabledProbes {
    known: HashMap<Epid, Rc<EnabledProbe>>,
    probes: HashMap<ProbeId, ProbeDesc>,
}

impl EnabledProbes {
    /// The layout behind an EPID.
    pub fn get(&mut self, kernel: &mut dyn Kernel, epid: Epid) -> Result<Rc<EnabledProbe>, Error> {
        if let Some(known) = self.known.get(&epid) {
            return Ok(known.clone());
        }
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
        let enabled =
            Rc::new(EnabledProbe { epid, probe: id, parts, uarg, size, recs: eprobe.recs });
        self.known.insert(epid, enabled.clone());
        Ok(enabled)
    }

    /// Does any probe that can fire again and again leave records, of those learnt?
    pub fn any_records(&self) -> bool {
        let again = |e: &EnabledProbe| e.size > 0 && e.parts.first().is_some_and(|p| p != "dtrace");
        self.known.values().any(|e| again(e))
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

/// Records taken but not yet released.
#[derive(Default)]
pub struct Timeline {
    held: Vec<Record>,
    /// Newest time seen on each CPU.
    newest: HashMap<u32, u64>,
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

impl Timeline {
    /// Takes the principal buffers of `cpus`; gives the records that are due and what was dropped.
    pub fn round(
        &mut self,
        kernel: &mut dyn Kernel,
        enabled: &mut EnabledProbes,
        cpus: &[u32],
        release: Release,
    ) -> Result<(Vec<Record>, Vec<Drops>), Failure> {
        let (drops, until) = self.take(kernel, enabled, cpus)?;
        if release == Release::Unordered {
            return Ok((std::mem::take(&mut self.held), drops));
        }
        // Stable: records of one CPU and one moment stay in the order of their clauses.
        self.held.sort_by_key(|r| (r.timestamp, r.cpu));
        let due = match release {
            Release::Last => self.held.len(),
            _ => self.held.partition_point(|r| r.timestamp <= until),
        };
        let later = self.held.split_off(due);
        Ok((std::mem::replace(&mut self.held, later), drops))
    }

    /// Records taken but not yet released.
    pub fn held(&self) -> usize {
        self.held.len()
    }

    /// Takes the principal buffers of `cpus`; gives what was dropped, and the time up to which no CPU can
    /// bring a record any more.
    pub fn take(
        &mut self,
        kernel: &mut dyn Kernel,
        enabled: &mut EnabledProbes,
        cpus: &[u32],
    ) -> Result<(Vec<Drops>, u64), Failure> {
        let (mut drops, mut until) = (Vec::new(), u64::MAX);
        for &cpu in cpus {
            let mut data = Vec::new();
            let taken = kernel
                .snap(Buffer::Principal, cpu, &mut data)
                .map_err(|r| r.doing(format!("failed to take the buffer of CPU {cpu}")))?;
            let Some(snapshot) = taken else { continue };
            if snapshot.drops > 0 {
                drops.push(status::principal(snapshot.drops, cpu));
            }
            until = until.min(snapshot.timestamp);
            self.walk(kernel, enabled, cpu, data, snapshot.oldest as usize)?;
        }
        Ok((drops, until))
    }

    fn walk(
        &mut self,
        kernel: &mut dyn Kernel,
        enabled: &mut EnabledProbes,
        cpu: u32,
        data: Vec<u8>,
        oldest: usize,
    ) -> Result<(), Failure> {
        let blob = Rc::new(data);
        let end = blob.len();
        let oldest = oldest.min(end);
        let first = self.held.len();
        let newest = self.newest.entry(cpu).or_default();
        // Nearly always the next record is of the same probe.
        let mut last: Option<Rc<EnabledProbe>> = None;
        for (mut at, end) in [(oldest, end), (0, oldest)] {
            while let Some(rest) = blob.get(at..end).filter(|r| r.len() >= 4) {
                let epid = rest.first_chunk().map_or(0, |b| u32::from_le_bytes(*b));
                if epid == 0 {
                    at += 4;
                    continue;
                }
                let enabled = match last.take() {
                    Some(same) if same.epid.0 == epid => same,
                    _ => enabled.get(kernel, Epid(epid))?,
                };
                last = Some(enabled.clone());
                let Some(record) = rest.get(..enabled.size).filter(|r| !r.is_empty()) else {
                    let what = format!("the buffer of CPU {cpu} ends within a record");
                    return Err(Error::new("failed to consume records", what).into());
                };
                if let Ok((head, _)) = RecordHeader::read_from_prefix(record) {
                    *newest = head.timestamp().max(*newest);
                }
                let timestamp = *newest;
                let range = at..at + enabled.size;
                at = range.end;
                let blob = blob.clone();
                let is_followed_by_same_probe = false;
                self.held.push(Record {
                    cpu,
                    timestamp,
                    enabled,
                    is_followed_by_same_probe,
                    blob,
                    range,
                });
            }
        }
        let mut next: Option<ProbeId> = None;
        for record in self.held.iter_mut().skip(first).rev() {
            let probe = Some(record.enabled.probe);
            record.is_followed_by_same_probe = next == probe;
            next = probe;
        }
        Ok(())
    }
}
