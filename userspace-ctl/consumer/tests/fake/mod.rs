// SPDX-License-Identifier: GPL-2.0
//! A kernel for tests: the crates that the module links read, verify, plan and run the DOF that the
//! consumer writes, on any machine. Only the kernel itself is missing: probes fire when the test
//! says so, with the values that it gives.

mod steps;
mod tracing;

pub use steps::Steps;

use abi::conf::{Conf, ABI_VERSION};
use abi::dif::DIF_VERSION;
use abi::ids::{AggId, Epid, FormatId};
use abi::ioctl::MAX_LEFT_OUT;
use abi::option::{OptionId, Options};
use abi::probe::{ProbeDesc, Techniques};
use abi::status::Status;
use abi::unwind::{Key, Row};
use abi::user::{Refusal as Refused, UserKind, UserProbeView, UserReason};
use consumer::kernel::{
    Aggregation, Answer, Buffer, Eprobe, Kernel, Made, Room, Snapshot, Started,
};
use consumer::Refusal;
use fire::ecb::{Probe, ProbeTable};
use nosleep::{machine, Machine};
use plan::enabling::Enabling;
use plan::matching::{Found, Matcher};
use plan::probe::{Draft, Offer, Special};
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use tracing::Tracing;

/// Arguments and identity of one firing.
#[derive(Debug, Clone, Copy)]
pub struct Firing<'a> {
    pub cpu: u32,
    pub at: u64,
    pub args: &'a [u64],
    pub execname: &'a str,
    pub pid: i32,
}

impl Default for Firing<'_> {
    fn default() -> Self {
        Self { cpu: 0, at: 0, args: &[], execname: "sh", pid: 100 }
    }
}

impl Firing<'_> {
    /// Makes the machine the one that this firing sees.
    fn describe(&self) {
        machine(|m| {
            // Reading the clock advances it by 1.
            *m = Machine { now: self.at - 1, pid: self.pid, tid: self.pid, ..Machine::default() };
            m.comm.fill(0);
            m.comm[..self.execname.len()].copy_from_slice(self.execname.as_bytes());
        });
    }
}

/// The kernel behind a [`Fake`].
pub struct Inner {
    probes: ProbeTable,
    pub status: Status,
    /// The CPU that runs BEGIN and END.
    own_cpu: u32,
    pub now: u64,
    /// The next ENABLE fails with this reason.
    pub refusal: Option<String>,
    /// The probes that GO leaves out: name and reason of each.
    pub left_out: Vec<String>,
    /// The next MAKE fails with this.
    pub refusal_of_make: Option<Refusal>,
    /// The functions of programs whose places MAKE refuses, and the reasons.
    pub left_out_of: Vec<(String, UserReason)>,
    /// The files that OBJECT has taken, each with the number of its rows.
    pub objects: Vec<(Key, usize)>,
    /// OBJECT refuses so many rows, and more, with this errno.
    pub refuses_rows: Option<(usize, i32)>,
    /// How many files OBJECT has refused.
    pub refused_files: usize,
    /// How often STATUS was asked for.
    pub looks: usize,
    /// The arguments of SEEN, and its answer.
    pub seen: Vec<u32>,
    pub late: u32,
    /// An option that memory is short for, and the value that GO lowers it to.
    pub lowered: Option<(OptionId, u64)>,
    ncpus: u32,
    enabling: Option<mem::KBox<Enabling>>,
    tracing: Option<Tracing>,
    is_stopped: bool,
}

/// A handle: the consumer has one, the test another.
#[derive(Clone)]
pub struct Fake(pub Rc<RefCell<Inner>>);

fn refuse(reason: impl Into<String>) -> Refusal {
    Refusal { errno: 22, reason: reason.into() }
}

impl Fake {
    /// Makes a kernel with `cpus` CPUs and these probes (`provider:module:function:name`), whose
    /// ids follow those of BEGIN, END, ERROR.
    pub fn new(cpus: u32, probes: &[&str]) -> Self {
        let mut inner = Inner {
            probes: ProbeTable::new(1 << 16),
            status: Status::default(),
            own_cpu: 0,
            now: 1_000,
            refusal: None,
            left_out: Vec::new(),
            refusal_of_make: None,
            left_out_of: Vec::new(),
            objects: Vec::new(),
            refuses_rows: None,
            refused_files: 0,
            looks: 0,
            seen: Vec::new(),
            late: 0,
            lowered: None,
            ncpus: cpus,
            enabling: None,
            tracing: None,
            is_stopped: false,
        };
        for special in Special::ALL {
            let name = String::from_utf8_lossy(special.name());
            inner.offer(["dtrace", "", "", &name], Some(special));
        }
        for text in probes {
            let parts: Vec<&str> = text.split(':').collect();
            inner.offer(parts.try_into().unwrap(), None);
        }
        Self(Rc::new(RefCell::new(inner)))
    }
}

impl Inner {
    /// Adds a probe.
    fn offer(&mut self, parts: [&str; 4], special: Option<Special>) {
        let [provider, module, function, name] = parts.map(str::as_bytes);
        let mut draft = Draft::new(0, [provider, module], 1, 0).unwrap();
        let how = Techniques::empty();
        draft.add(&Offer { function, name, nargs: 2, cookie: 0, how }).unwrap();
        assert_eq!(draft.skipped(), 0, "{parts:?} is too long");
        self.probes.add(&draft, special, |_| None).unwrap();
    }

    fn all_probes(&self) -> impl Iterator<Item = &Arc<Probe>> {
        self.probes.segments(0).flat_map(|s| s.iter())
    }

    /// Returns the names of all probes.
    pub fn names(&self) -> Vec<[String; 4]> {
        let text = |part: &[u8]| String::from_utf8_lossy(part).into_owned();
        self.all_probes().map(|p| p.parts().map(text)).collect()
    }

    /// Fires a probe.
    pub fn fire(&mut self, name: &str, firing: Firing<'_>) {
        let is_meant = |p: &&Arc<Probe>| {
            p.parts().map(|part| String::from_utf8_lossy(part).into_owned()).join(":") == name
        };
        let probe = self.all_probes().find(is_meant).unwrap_or_else(|| panic!("no probe {name}"));
        let probe = probe.clone();
        self.now = self.now.max(firing.at);
        firing.describe();
        tracing::fire_probe(firing.cpu, &probe, firing.args);
    }

    fn tracing(&self) -> Answer<&Tracing> {
        self.tracing.as_ref().ok_or_else(|| refuse("tracing has not been started"))
    }
}

impl Kernel for Fake {
    fn conf(&mut self) -> Answer<Conf> {
        let ncpus = self.0.borrow().ncpus;
        Ok(Conf {
            abi_version: ABI_VERSION,
            dif_version: DIF_VERSION.into(),
            ncpus,
            ..Conf::default()
        })
    }

    fn probes(
        &mut self,
        pattern: &ProbeDesc,
        cursor: &mut u32,
        into: &mut Vec<ProbeDesc>,
    ) -> Answer<bool> {
        let inner = self.0.borrow();
        // Two at a time, so that the test covers batches.
        let mut left = 2;
        let found = Matcher::new(pattern.id, pattern.parts()).find(
            &inner.probes,
            *cursor as usize,
            usize::MAX,
            |probe| {
                if left == 0 {
                    return Ok(false);
                }
                left -= 1;
                let [a, b, c, d] = probe.parts();
                let (id, nargs) = (probe.id(), probe.nargs());
                into.push(ProbeDesc { id, nargs, ..ProbeDesc::new(a, b, c, d).unwrap() });
                Ok(true)
            },
        );
        let (Found::All(at) | Found::Some(at)) = found.map_err(|e| refuse(e.to_string()))?;
        *cursor = at as u32;
        Ok(left < 2)
    }

    /// Makes a probe at every place, except in functions that the test leaves out.
    fn make(&mut self, pid: u32, packed: &[u8]) -> Answer<Made> {
        let mut inner = self.0.borrow_mut();
        if let Some(refusal) = inner.refusal_of_make.take() {
            return Err(refusal);
        }
        let (mut rest, mut refusals) = (packed, Vec::new());
        for n in 0.. {
            let Some(p) = UserProbeView::unpack(&mut rest) else { break };
            let [provider, module, function, name] =
                p.names.map(|n| String::from_utf8_lossy(n).into_owned());
            if let Some((_, reason)) = inner.left_out_of.iter().find(|f| f.0 == function) {
                let reason = *reason as u32;
                refusals.extend(p.places().map(|place| Refused {
                    probe: n,
                    place,
                    reason,
                    pad: 0,
                }));
                continue;
            }
            let names = match UserKind::from_number(p.head.kind).unwrap() {
                UserKind::Entry => vec!["entry".to_string()],
                UserKind::Return => vec!["return".to_string()],
                UserKind::Offset => p.places().map(|at| format!("{at:x}")).collect(),
                UserKind::Usdt | UserKind::Question => vec![name],
            };
            let provider = if provider.is_empty() { "pid".to_string() } else { provider };
            for name in names {
                inner.offer([&format!("{provider}{pid}"), &module, &function, &name], None);
            }
        }
        let refused = refusals.len() as u32;
        Ok(Made { refusals, refused })
    }

    fn enable(&mut self, bytes: &[u8]) -> Answer<u32> {
        let mut inner = self.0.borrow_mut();
        if let Some(reason) = inner.refusal.take() {
            return Err(refuse(reason));
        }
        if inner.enabling.is_some() || inner.tracing.is_some() {
            return Err(refuse("this consumer has an enabling already"));
        }
        let mut enabling = Enabling::new().unwrap();
        enabling.add(bytes, || Ok(()), &mut || Ok(())).map_err(|e| refuse(e.to_string()))?;
        let mut matched = 0;
        for statement in &*enabling.statements {
            let count = |_: &_| {
                matched += 1;
                Ok(true)
            };
            statement.pattern.matcher().find(&inner.probes, 0, usize::MAX, count).unwrap();
        }
        inner.enabling = Some(enabling);
        Ok(matched)
    }

    fn go(&mut self) -> Answer<Started> {
        let mut inner = self.0.borrow_mut();
        let enabling = inner.enabling.take().ok_or_else(|| refuse("nothing is enabled"))?;
        let (cpu, at) = (inner.own_cpu, inner.now);
        let options: Options = enabling.options.clone();
        Firing { at, ..Firing::default() }.describe();
        let tracing = Tracing::new(enabling, &inner.probes, inner.ncpus as usize);
        Firing { at, ..Firing::default() }.describe();
        tracing.begin(cpu);
        let probes = tracing.probes();
        inner.tracing = Some(tracing);
        let left_out = inner.left_out.len() as u32;
        let sizes =
            [OptionId::Bufsize, OptionId::Aggsize, OptionId::Dynvarsize, OptionId::Specsize]
                .map(|id| inner.lowered.filter(|l| l.0 == id).unwrap_or((id, options.get(id))));
        Ok(Started { cpu, probes, left_out, sizes })
    }

    fn left_out(&mut self) -> Answer<String> {
        Ok(self.0.borrow().left_out.iter().take(MAX_LEFT_OUT).map(|l| format!("{l}\n")).collect())
    }

    fn stop(&mut self) -> Answer<u32> {
        let mut inner = self.0.borrow_mut();
        assert!(!std::mem::replace(&mut inner.is_stopped, true), "stopped twice");
        inner.now += 1;
        let (cpu, at) = (inner.own_cpu, inner.now);
        Firing { at, ..Firing::default() }.describe();
        inner.tracing()?.end(cpu);
        Ok(cpu)
    }

    fn snap(&mut self, which: Buffer, cpu: u32, room: &mut Room) -> Answer<Option<Snapshot>> {
        let mut inner = self.0.borrow_mut();
        inner.now += 1;
        let timestamp = inner.now;
        let snapshot = inner.tracing()?.snap(which, cpu, room);
        Ok(snapshot.map(|s| Snapshot { timestamp, ..s }))
    }

    fn eprobe(&mut self, epid: Epid) -> Answer<Eprobe> {
        self.0.borrow().tracing()?.eprobe(epid).ok_or_else(|| refuse("no EPID"))
    }

    fn aggregation(&mut self, id: AggId) -> Answer<Aggregation> {
        self.0.borrow().tracing()?.aggregation(id).ok_or_else(|| refuse("no aggregation"))
    }

    fn format(&mut self, id: FormatId) -> Answer<Vec<u8>> {
        let inner = self.0.borrow();
        let tracing = inner.tracing()?;
        id.index().and_then(|i| tracing.format(i)).ok_or_else(|| refuse("no format"))
    }

    fn object(&mut self, key: Key, rows: Vec<Row>) -> Answer<()> {
        let mut inner = self.0.borrow_mut();
        if let Some((_, errno)) = inner.refuses_rows.filter(|(least, _)| rows.len() >= *least) {
            inner.refused_files += 1;
            return Err(Refusal { errno, reason: "too many rows".into() });
        }
        inner.objects.push((key, rows.len()));
        Ok(())
    }

    fn forget(&mut self, key: Key) -> Answer<()> {
        self.0.borrow_mut().objects.retain(|(known, _)| *known != key);
        Ok(())
    }

    fn seen(&mut self, mapped: u32) -> Answer<u32> {
        let mut inner = self.0.borrow_mut();
        inner.seen.push(mapped);
        inner.status.mapped = 0;
        Ok(std::mem::take(&mut inner.late))
    }

    fn status(&mut self) -> Answer<Status> {
        self.0.borrow_mut().looks += 1;
        let inner = self.0.borrow();
        let mut status = inner.status;
        if let Some(tracing) = &inner.tracing {
            tracing.note(&mut status);
        }
        Ok(status)
    }
}
