// SPDX-License-Identifier: GPL-2.0
//! The kernel as the consumer sees it: one method per ioctl, in safe values.
//!
//! [`crate::device::Device`] is the real one. Tests give a fake one, so that everything between an
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
use std::fs::File;

/// Answer of the kernel.
pub type Answer<T> = Result<T, Refusal>;

/// Which of a CPU's two buffers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Buffer {
    /// Records.
    Principal,
    /// Aggregations.
    Aggregation,
}

/// A taken buffer, but for its bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Snapshot {
    /// Records that found no room since the last snapshot.
    pub drops: u64,
    /// Faults since the last snapshot.
    pub errors: u32,
    /// Where the oldest record stands (ring policy).
    pub oldest: u64,
    /// No later record of this CPU is older than this, ns.
    pub timestamp: u64,
}

/// Memory that a buffer is taken into. Of one that was never used the system has promised the pages and
/// given none: it costs what was taken at most, however large the buffer is.
#[derive(Debug, Default)]
pub struct Room {
    memory: Vec<u8>,
    used: usize,
}

impl Room {
    /// So many bytes for the kernel to write to.
    pub fn reserve(&mut self, size: usize) -> &mut [u8] {
        if self.memory.len() < size {
            self.memory = vec![0; size];
            sys::in_small_pages(&mut self.memory);
        }
        self.used = 0;
        &mut self.memory
    }

    /// So many of them are what was taken.
    pub fn set_taken(&mut self, size: usize) {
        self.used = size.min(self.memory.len());
    }

    /// What was taken.
    #[inline]
    pub fn taken(&self) -> &[u8] {
        self.memory.get(..self.used).unwrap_or_default()
    }
}

/// What stands behind an EPID.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Eprobe {
    /// Probe, size and the clause's number.
    pub desc: EprobeDesc,
    /// The data of a record.
    pub recs: Vec<RecDesc>,
}

/// What stands behind an aggregation id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Aggregation {
    /// D variable and size.
    pub desc: AggDesc,
    /// Keys, then the value.
    pub recs: Vec<RecDesc>,
}

/// How many probes match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Count {
    /// So many.
    pub probes: u32,
    /// Most arguments that one of them is known to pass, or [`NARGS_UNKNOWN`].
    pub nargs: u32,
}

/// What GO tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Started {
    /// The CPU that ran BEGIN.
    pub cpu: u32,
    /// Matching probes.
    pub probes: u32,
    /// Those of them that could not be enabled.
    pub left_out: u32,
    /// The sizes in force, of those that the kernel lowers when memory is short; 0: it has none.
    pub sizes: [(OptionId, u64); 4],
}

/// What MAKE tells.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Made {
    /// Places without a probe, the first of them.
    pub refusals: Vec<user::Refusal>,
    /// How many there are.
    pub refused: u32,
}

/// A pattern that matches every probe; the empty one leaves out probes without a function.
pub fn every_probe() -> ProbeDesc {
    ProbeDesc::new(b"*", b"", b"", b"").unwrap_or(ProbeDesc::EMPTY)
}

/// The kernel side of one consumer state.
pub trait Kernel {
    /// What the module can do.
    fn conf(&mut self) -> Answer<Conf>;
    /// Appends the next batch of probes that match; false when there are no more.
    fn probes(
        &mut self,
        pattern: &ProbeDesc,
        cursor: &mut u32,
        into: &mut Vec<ProbeDesc>,
    ) -> Answer<bool>;
    /// Enables a DOF; gives the number of probes matched.
    fn enable(&mut self, dof: &[u8]) -> Answer<u32>;
    /// Starts tracing.
    fn go(&mut self) -> Answer<Started>;
    /// Stops tracing; gives the CPU that ran END.
    fn stop(&mut self) -> Answer<u32>;
    /// Takes a buffer of a CPU into `room` (replacing what it held). `None`: there is no such CPU.
    fn snap(&mut self, which: Buffer, cpu: u32, room: &mut Room) -> Answer<Option<Snapshot>>;
    /// Describes an enabled probe.
    fn eprobe(&mut self, epid: Epid) -> Answer<Eprobe>;
    /// Describes an aggregation.
    fn aggregation(&mut self, id: AggId) -> Answer<Aggregation>;
    /// Fetches a format string, without its NUL.
    fn format(&mut self, id: FormatId) -> Answer<Vec<u8>>;
    /// Makes packed probes in a process.
    fn make(&mut self, pid: u32, packed: &[u8]) -> Answer<Made>;
    /// Drops and liveness.
    fn status(&mut self) -> Answer<Status>;

    /// What becomes readable when a buffer is half full, and when the tracing ends by itself; to be asked for
    /// before it starts. `None`: only looking tells.
    fn bell(&mut self) -> Answer<Option<File>> {
        Ok(None)
    }

    /// Has [`Status::mapped`] say what a process maps from now on, while that waits for being [`seen`](Self::seen).
    fn follow(&mut self, pid: u32) -> Answer<()> {
        let _ = pid;
        Ok(())
    }

    /// Follows everyone: of code that any process maps [`Status::mapped`] says from now on, and [`Kernel::begun`] whose.
    fn follow_everyone(&mut self) -> Answer<()> {
        self.follow(0)
    }

    /// Is not told of a file any more that any process may map.
    fn ignore(&mut self, key: Key) -> Answer<()> {
        let _ = key;
        Ok(())
    }

    /// Processes that were told because everyone is followed; each is taken once.
    fn begun(&mut self) -> Answer<Vec<u32>> {
        Ok(Vec::new())
    }

    /// What was mapped up to this number has been looked at; gives how many threads have not waited for that.
    fn seen(&mut self, mapped: u32) -> Answer<u32> {
        let _ = mapped;
        Ok(0)
    }

    /// Tells how the frames of a file are left.
    fn object(&mut self, key: Key, rows: Vec<Row>) -> Answer<()> {
        let _ = (key, rows);
        Ok(())
    }

    /// Which processes had a stack walked and are not known.
    fn strangers(&mut self) -> Answer<Vec<u32>> {
        Ok(Vec::new())
    }

    /// Every record older than this has been printed: gives EPIDs of probes that have gone, which will mean something
    /// else from now on. None: there are no more.
    fn done(&mut self, until: u64) -> Answer<Vec<Epid>> {
        let _ = until;
        Ok(Vec::new())
    }

    /// Which probes GO left out and why: a line of each of the first.
    fn left_out(&mut self) -> Answer<String> {
        Ok(String::new())
    }

    /// Why the function of this pattern, spelt out, has no probe, and a related name where the reason
    /// has one. `None`: nobody knows.
    fn explain(&mut self, pattern: &ProbeDesc) -> Answer<Option<(Reason, String)>> {
        let _ = pattern;
        Ok(None)
    }

    /// Where a symbol is: `name`, or `module:name` of one module. `None`: there is none.
    fn symbol(&mut self, name: &str) -> Answer<Option<u64>> {
        let _ = name;
        Ok(None)
    }

    /// Calls `f` with every probe that matches, until it says stop.
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

    /// How many probes match, without looking at each.
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

    /// The probe of this id, if it is still there.
    fn probe(&mut self, id: ProbeId) -> Answer<Option<ProbeDesc>> {
        let pattern = ProbeDesc { id, ..ProbeDesc::EMPTY };
        let (mut cursor, mut found) = (0, Vec::new());
        self.probes(&pattern, &mut cursor, &mut found)?;
        Ok(found.into_iter().find(|p| p.id == id))
    }

    /// Every probe that matches.
    fn all_probes(&mut self, pattern: &ProbeDesc) -> Answer<Vec<ProbeDesc>> {
        let (mut cursor, mut found) = (0, Vec::new());
        while self.probes(pattern, &mut cursor, &mut found)? {}
        Ok(found)
    }
}
