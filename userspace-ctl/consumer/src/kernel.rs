// SPDX-License-Identifier: GPL-2.0
//! The kernel as the consumer sees it: one method for each ioctl, with safe values.
//!
//! [`crate::device::Device`] is the real one. Tests use a fake one, so everything between an
//! ioctl's answer and the printed line runs on any machine.

use crate::error::Refusal;
use crate::sys;
use abi::conf::Conf;
use abi::ids::{AggId, Epid, FormatId, ProbeId};
use abi::option::OptionId;
use abi::probe::{ProbeDesc, ProbeView, NARGS_UNKNOWN};
use abi::reason::Reason;
use abi::record::{AggDesc, EprobeDesc, RecDesc};
use abi::status::Status;
use abi::unwind::{Key, Row};
use abi::user;
use d::ProbePattern;
use std::fs::File;

/// The kernel's answer to a call.
pub type Answer<T> = Result<T, Refusal>;

/// Returns the pattern in the kernel's form; `None` if a part is too long for any probe.
pub fn pattern(p: &ProbePattern) -> Option<ProbeDesc> {
    let [a, b, c, d] = p.parts().map(str::as_bytes);
    Some(ProbeDesc { id: ProbeId(p.id), ..ProbeDesc::new(a, b, c, d)? })
}

/// One of the two kinds of buffer that each CPU has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Buffer {
    /// Records.
    Principal,
    /// Aggregations.
    Aggregation,
}

/// The description of a taken buffer; [`Room`] holds its bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Snapshot {
    /// Records that found no room since the last snapshot.
    pub drops: u64,
    /// Faults since the last snapshot.
    pub errors: u32,
    /// Offset of the oldest record (ring policy).
    pub oldest: u64,
    /// No later record of this CPU is older than this, in ns.
    pub timestamp: u64,
}

/// Memory that a buffer is taken into. The system provides pages only when they are written, so it
/// costs at most as much as was taken, however large the buffer is.
#[derive(Debug, Default)]
pub struct Room {
    memory: Vec<u8>,
    used: usize,
}

impl Room {
    /// Returns `size` bytes for the kernel to write to.
    pub fn reserve(&mut self, size: usize) -> &mut [u8] {
        if self.memory.len() < size {
            self.memory = vec![0; size];
            sys::in_small_pages(&mut self.memory);
        }
        self.used = 0;
        &mut self.memory
    }

    /// Notes how many bytes were taken.
    pub fn set_taken(&mut self, size: usize) {
        self.used = size.min(self.memory.len());
    }

    /// Returns the bytes that were taken.
    #[inline]
    pub fn taken(&self) -> &[u8] {
        self.memory.get(..self.used).unwrap_or_default()
    }
}

/// The description of an EPID.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Eprobe {
    /// The probe, the record size and the clause's number.
    pub desc: EprobeDesc,
    /// The data items of a record.
    pub recs: Vec<RecDesc>,
}

/// The description of an aggregation id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Aggregation {
    /// The D variable and the size.
    pub desc: AggDesc,
    /// The keys, then the value.
    pub recs: Vec<RecDesc>,
}

/// How many probes match a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Count {
    /// The number of probes.
    pub probes: u32,
    /// The largest number of arguments that any of them is known to pass, or [`NARGS_UNKNOWN`].
    pub nargs: u32,
}

/// The answer to GO.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Started {
    /// The CPU that ran BEGIN.
    pub cpu: u32,
    /// The number of matching probes.
    pub probes: u32,
    /// How many of them could not be enabled.
    pub left_out: u32,
    /// The sizes in force that the kernel lowers when memory is short; 0: not reported.
    pub sizes: [(OptionId, u64); 4],
}

/// The answer to MAKE.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Made {
    /// The first places that got no probe.
    pub refusals: Vec<user::Refusal>,
    /// How many such places there are.
    pub refused: u32,
}

/// Returns a pattern that matches every probe; the empty pattern leaves out probes without a
/// function.
pub fn every_probe() -> ProbeDesc {
    ProbeDesc::new(b"*", b"", b"", b"").unwrap_or(ProbeDesc::EMPTY)
}

/// The kernel's side of one consumer state.
pub trait Kernel {
    /// Returns what the module can do.
    fn conf(&mut self) -> Answer<Conf>;
    /// Appends the next batch of probes that match; returns false when there are no more.
    fn probes(
        &mut self,
        pattern: &ProbeDesc,
        cursor: &mut u32,
        into: &mut Vec<ProbeDesc>,
    ) -> Answer<bool>;
    /// Enables a DOF; returns the number of probes matched.
    fn enable(&mut self, dof: &[u8]) -> Answer<u32>;
    /// Starts tracing.
    fn go(&mut self) -> Answer<Started>;
    /// Stops tracing; returns the CPU that ran END.
    fn stop(&mut self) -> Answer<u32>;
    /// Takes a buffer of a CPU into `room` and replaces the old content. `None`: there is no such
    /// CPU.
    fn snap(&mut self, which: Buffer, cpu: u32, room: &mut Room) -> Answer<Option<Snapshot>>;
    /// Describes an enabled probe.
    fn eprobe(&mut self, epid: Epid) -> Answer<Eprobe>;
    /// Describes an aggregation.
    fn aggregation(&mut self, id: AggId) -> Answer<Aggregation>;
    /// Fetches a format string, without its NUL.
    fn format(&mut self, id: FormatId) -> Answer<Vec<u8>>;
    /// Makes packed probes in a process.
    fn make(&mut self, pid: u32, packed: &[u8]) -> Answer<Made>;
    /// Returns drop counters and the state of the tracing.
    fn status(&mut self) -> Answer<Status>;

    /// Returns a file that becomes readable when a buffer is half full or when tracing ends on its
    /// own. Call it before tracing starts. `None`: the consumer must poll.
    fn bell(&mut self) -> Answer<Option<File>> {
        Ok(None)
    }

    /// Returns a function that shows the kernel that we are alive; work that takes long calls it.
    fn pulse(&mut self) -> Option<Box<dyn Fn()>> {
        None
    }

    /// Shows the kernel that we are alive, between parts of work that takes long.
    fn beat(&mut self) {
        if let Some(beat) = self.pulse() {
            beat();
        }
    }

    /// Makes [`Status::mapped`] report what a process maps from now on; the process then waits for
    /// [`seen`](Self::seen).
    fn follow(&mut self, pid: u32) -> Answer<()> {
        let _ = pid;
        Ok(())
    }

    /// Follows every process: [`Status::mapped`] reports code that any process maps from now on,
    /// and [`Kernel::begun`] names the process.
    fn follow_everyone(&mut self) -> Answer<()> {
        self.follow(0)
    }

    /// Stops reports about a file that any process may map.
    fn ignore(&mut self, key: Key) -> Answer<()> {
        let _ = key;
        Ok(())
    }

    /// Returns processes that were reported because everyone is followed. Each is returned once.
    fn begun(&mut self) -> Answer<Vec<u32>> {
        Ok(Vec::new())
    }

    /// Tells the kernel that mappings up to this number have been read; returns how many threads
    /// did not wait for that.
    fn seen(&mut self, mapped: u32) -> Answer<u32> {
        let _ = mapped;
        Ok(0)
    }

    /// Tells the kernel how to unwind the frames of a file.
    fn object(&mut self, key: Key, rows: Vec<Row>) -> Answer<()> {
        let _ = (key, rows);
        Ok(())
    }

    /// Takes back what [`object`](Self::object) has told about a file.
    fn forget(&mut self, key: Key) -> Answer<()> {
        let _ = key;
        Ok(())
    }

    /// Returns the unknown processes whose stacks were walked.
    fn strangers(&mut self) -> Answer<Vec<u32>> {
        Ok(Vec::new())
    }

    /// Tells the kernel that every record older than `until` has been printed. Returns EPIDs of
    /// removed probes, which the kernel now reuses; an empty list means that there are no more.
    fn done(&mut self, until: u64) -> Answer<Vec<Epid>> {
        let _ = until;
        Ok(Vec::new())
    }

    /// Tells which probes GO left out and why: one line for each of the first ones.
    fn left_out(&mut self) -> Answer<String> {
        Ok(String::new())
    }

    /// Tells why the function that this pattern spells out has no probe, with a related name where
    /// the reason has one. `None`: the reason is unknown.
    fn explain(&mut self, pattern: &ProbeDesc) -> Answer<Option<(Reason, String)>> {
        let _ = pattern;
        Ok(None)
    }

    /// Returns the address of a symbol: `name`, or `module:name` for one module. `None`: there is
    /// none.
    fn symbol(&mut self, name: &str) -> Answer<Option<u64>> {
        let _ = name;
        Ok(None)
    }

    /// Calls `f` with every probe that matches, until `f` returns false.
    fn each_probe(
        &mut self,
        pattern: &ProbeDesc,
        f: &mut dyn FnMut(&ProbeView<'_>) -> bool,
    ) -> Answer<()> {
        let (mut cursor, mut batch) = (0, Vec::new());
        while self.probes(pattern, &mut cursor, &mut batch)? {
            if !batch.drain(..).all(|p| f(&ProbeView::of(&p))) {
                break;
            }
        }
        Ok(())
    }

    /// Counts the probes that match, without a call for each.
    fn count(&mut self, pattern: &ProbeDesc) -> Answer<Count> {
        let mut count = Count { probes: 0, nargs: NARGS_UNKNOWN };
        self.each_probe(pattern, &mut |p| {
            count.probes += 1;
            let known = [count.nargs, p.nargs].into_iter().filter(|&n| n != NARGS_UNKNOWN);
            count.nargs = known.max().unwrap_or(NARGS_UNKNOWN);
            true
        })?;
        Ok(count)
    }

    /// Returns the probe with this id, if it still exists.
    fn probe(&mut self, id: ProbeId) -> Answer<Option<ProbeDesc>> {
        let pattern = ProbeDesc { id, ..ProbeDesc::EMPTY };
        let (mut cursor, mut found) = (0, Vec::new());
        self.probes(&pattern, &mut cursor, &mut found)?;
        Ok(found.into_iter().find(|p| p.id == id))
    }

    /// Returns every probe that matches.
    fn all_probes(&mut self, pattern: &ProbeDesc) -> Answer<Vec<ProbeDesc>> {
        let (mut cursor, mut found) = (0, Vec::new());
        while self.probes(pattern, &mut cursor, &mut found)? {}
        Ok(found)
    }
}

/// A kernel for tests that refuses everything and counts the signs of life.
#[cfg(test)]
#[derive(Debug, Default)]
pub(crate) struct Deaf(pub(crate) std::rc::Rc<std::cell::Cell<usize>>);

#[cfg(test)]
impl Deaf {
    fn refuse<T>() -> Answer<T> {
        Err(Refusal { errno: libc::EINVAL, reason: "deaf".into() })
    }
}

#[cfg(test)]
impl Kernel for Deaf {
    fn conf(&mut self) -> Answer<Conf> {
        Self::refuse()
    }

    fn probes(&mut self, _: &ProbeDesc, _: &mut u32, _: &mut Vec<ProbeDesc>) -> Answer<bool> {
        Self::refuse()
    }

    fn enable(&mut self, _: &[u8]) -> Answer<u32> {
        Self::refuse()
    }

    fn go(&mut self) -> Answer<Started> {
        Self::refuse()
    }

    fn stop(&mut self) -> Answer<u32> {
        Self::refuse()
    }

    fn snap(&mut self, _: Buffer, _: u32, _: &mut Room) -> Answer<Option<Snapshot>> {
        Self::refuse()
    }

    fn eprobe(&mut self, _: Epid) -> Answer<Eprobe> {
        Self::refuse()
    }

    fn aggregation(&mut self, _: AggId) -> Answer<Aggregation> {
        Self::refuse()
    }

    fn format(&mut self, _: FormatId) -> Answer<Vec<u8>> {
        Self::refuse()
    }

    fn make(&mut self, _: u32, _: &[u8]) -> Answer<Made> {
        Self::refuse()
    }

    fn status(&mut self) -> Answer<Status> {
        Self::refuse()
    }

    fn pulse(&mut self) -> Option<Box<dyn Fn()>> {
        let beats = self.0.clone();
        Some(Box::new(move || beats.set(beats.get() + 1)))
    }
}
