// SPDX-License-Identifier: GPL-2.0
//! A kernel for tests: the crates that the module links read, verify, plan and run the DOF that the
//! consumer writes, on any machine. Only the kernel itself is missing: probes fire when the test
//! says so, with the values that it gives.

use abi::action::ActionKind;
use abi::aggregation::AggFunc;
use abi::conf::{Conf, ABI_VERSION};
use abi::dif::{Builtin, DIF_VERSION};
use abi::difo::DifType;
use abi::ids::{AggId, Epid, FormatId, ProbeId};
use abi::ioctl::MAX_LEFT_OUT;
use abi::option::{OptionId, Options};
use abi::probe::{part_matches, ProbeDesc};
use abi::record::{AggDesc, EprobeDesc, Layout, RecDesc, RecordHeader, HEADER_SIZE};
use abi::status::Status;
use abi::user::{Refusal as Refused, UserKind, UserProbeView, UserReason};
use buffers::aggregation::AggBuffer;
use buffers::principal::Principal;
use buffers::Key;
use consumer::kernel::{
    Aggregation, Answer, Buffer, Eprobe, Kernel, Made, Room, Snapshot, Started,
};
use consumer::wait::{Event, Waiter};
use consumer::Refusal;
use dif::asm::Object;
use dif::harness::Script;
use dif::{Decoded, Program};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::fs::File;
use std::rc::Rc;
use zerocopy::IntoBytes;

/// Arguments and identity of one firing.
#[derive(Debug, Clone, Copy)]
pub struct Firing<'a> {
    pub cpu: u32,
    pub at: u64,
    pub args: &'a [u64],
    pub execname: &'a str,
    pub pid: u64,
}

impl Default for Firing<'_> {
    fn default() -> Self {
        Self { cpu: 0, at: 0, args: &[], execname: "sh", pid: 100 }
    }
}

type Code = Box<Program<Object, Vec<Decoded>>>;

enum Step {
    Record(Code, usize, DifType),
    Evaluate(Code),
    Note,
    Key(Code, usize, DifType),
    Aggregate(AggFunc, AggId, usize, Option<Code>, Option<Code>),
}

struct Clause {
    predicate: Option<Code>,
    steps: Vec<Step>,
    records: Vec<RecDesc>,
    size: usize,
    uarg: u64,
}

struct Cpu {
    principal: Principal<Vec<u8>>,
    aggregations: AggBuffer<Vec<u64>>,
    agg_drops: u64,
}

/// The kernel behind a [`Fake`].
pub struct Inner {
    pub probes: Vec<ProbeDesc>,
    pub status: Status,
    /// The CPU that runs BEGIN and END.
    pub own_cpu: u32,
    pub now: u64,
    pub options: Options,
    pub script: Script,
    /// The next ENABLE fails with this reason.
    pub refusal: Option<String>,
    /// The probes that GO leaves out: name and reason of each.
    pub left_out: Vec<String>,
    /// The next MAKE fails with this.
    pub refusal_of_make: Option<Refusal>,
    /// The functions of programs whose places MAKE refuses, and the reasons.
    pub left_out_of: Vec<(String, UserReason)>,
    /// The arguments of SEEN, and its answer.
    pub seen: Vec<u32>,
    pub late: u32,
    /// An option that memory is short for, and the value that GO lowers it to.
    pub lowered: Option<(OptionId, u64)>,
    clauses: Vec<Rc<Clause>>,
    ecbs: Vec<(usize, Rc<Clause>)>,
    formats: Vec<Vec<u8>>,
    aggs: Vec<Aggregation>,
    cpus: Vec<Cpu>,
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
        let own = ["dtrace:::BEGIN", "dtrace:::END", "dtrace:::ERROR"];
        let describe = |(i, text): (usize, &&str)| {
            let parts: Vec<&[u8]> = text.split(':').map(str::as_bytes).collect();
            let desc = ProbeDesc::new(parts[0], parts[1], parts[2], parts[3]).unwrap();
            ProbeDesc { id: ProbeId(i as u32 + 1), nargs: 2, ..desc }
        };
        let inner = Inner {
            probes: own.iter().chain(probes).enumerate().map(describe).collect(),
            status: Status::default(),
            own_cpu: 0,
            now: 1_000,
            options: Options::default(),
            script: Script::new(),
            refusal: None,
            left_out: Vec::new(),
            refusal_of_make: None,
            left_out_of: Vec::new(),
            seen: Vec::new(),
            late: 0,
            lowered: None,
            clauses: Vec::new(),
            ecbs: Vec::new(),
            formats: Vec::new(),
            aggs: Vec::new(),
            cpus: (0..cpus)
                .map(|_| Cpu {
                    principal: Principal::new(vec![0; 1 << 16]),
                    aggregations: AggBuffer::new(vec![0; 1 << 14], [0, 0], vec![0; 64], Vec::new()),
                    agg_drops: 0,
                })
                .collect(),
            is_stopped: false,
        };
        Self(Rc::new(RefCell::new(inner)))
    }
}

impl Inner {
    /// Fires a probe.
    pub fn fire(&mut self, name: &str, firing: Firing<'_>) {
        let found = self.probes.iter().position(|p| {
            p.parts().map(|p| String::from_utf8_lossy(p).into_owned()).join(":") == name
        });
        let index = found.unwrap_or_else(|| panic!("no probe {name}"));
        self.now = self.now.max(firing.at);
        let ecbs: Vec<(usize, Rc<Clause>)> = self.ecbs.clone();
        for (epid, (_, clause)) in ecbs.iter().enumerate().filter(|(_, e)| e.0 == index) {
            let epid = epid as u32 + 1;
            let Err((action, fault)) = self.run(epid, index, clause, firing) else { continue };
            self.cpus[firing.cpu as usize].principal.count_error();
            let args =
                [0, epid.into(), action, u64::from(fault.pc) * 4, fault.kind as u64, fault.addr];
            if !name.ends_with("ERROR") {
                self.fire("dtrace:::ERROR", Firing { args: &args, at: firing.at + 1, ..firing });
            }
        }
    }

    fn run(
        &mut self,
        epid: u32,
        probe: usize,
        clause: &Clause,
        firing: Firing<'_>,
    ) -> Result<(), (u64, dif::Fault)> {
        let script = &mut self.script;
        for (i, arg) in (0..10).zip(firing.args.iter().chain(std::iter::repeat(&0))) {
            script.builtins.insert((0x106 + i, 0), *arg);
        }
        for (b, v) in [
            (Builtin::Pid, firing.pid),
            (Builtin::Tid, firing.pid),
            (Builtin::Timestamp, firing.at),
            (Builtin::Epid, epid.into()),
            (Builtin::Id, probe as u64 + 1),
        ] {
            script.builtins.insert((b.id(), 0), v);
        }
        let names = [Builtin::Probeprov, Builtin::Probemod, Builtin::Probefunc, Builtin::Probename];
        for (b, part) in names.into_iter().zip(self.probes[probe].parts()) {
            script.set_string(b, part);
        }
        script.set_string(Builtin::Execname, firing.execname.as_bytes());

        let strsize = self.options.get(OptionId::Strsize) as usize;
        let mut scratch = vec![0; 4096];
        let mut memory = dif::Clause::new(&mut scratch, strsize);
        let mut value = |code: &Code, into: Option<(&mut [u8], DifType)>, script: &mut Script| {
            script.watch(code);
            let v = dif::run(code, &mut memory, script)?;
            match into {
                Some((room, ty)) if ty.is_string() => {
                    dif::fetch_str(code, &mut memory, script, v, room)?;
                }
                Some((room, ty)) if ty.is_by_ref() => {
                    dif::fetch_bytes(code, &mut memory, script, v, room)?;
                }
                Some((room, _)) => room.copy_from_slice(&v.to_le_bytes()[..room.len()]),
                None => {}
            }
            Ok(v)
        };
        if let Some(p) = &clause.predicate {
            if value(p, None, script).map_err(|f| (0, f))? == 0 {
                return Ok(());
            }
        }
        let cpu = &mut self.cpus[firing.cpu as usize];
        let mut record = vec![0; clause.size];
        if clause.size > 0 {
            let head = RecordHeader::new(Epid(epid), firing.at);
            record[..HEADER_SIZE].copy_from_slice(head.as_bytes());
        }
        let mut key = vec![0u64; 1024];
        for (n, step) in clause.steps.iter().enumerate() {
            let at = |f| (n as u64 + 1, f);
            match step {
                Step::Note => {}
                Step::Evaluate(code) => {
                    value(code, None, script).map_err(at)?;
                }
                Step::Record(code, offset, ty) => {
                    let end = offset + size_of_datum(*ty, strsize);
                    let room = &mut record[*offset..end];
                    let v = value(code, Some((room, *ty)), script).map_err(at)?;
                    let is_exit = clause.records.iter().any(|r| {
                        r.offset as usize == *offset && r.action == ActionKind::Exit.number()
                    });
                    if is_exit {
                        let _ = v;
                        self.status.exiting = 1;
                    }
                }
                Step::Key(code, offset, ty) => {
                    let end = offset + size_of_datum(*ty, strsize);
                    let room = &mut key.as_mut_bytes()[*offset..end];
                    value(code, Some((room, *ty)), script).map_err(at)?;
                }
                Step::Aggregate(func, id, key_words, code, weight) => {
                    let v = match code {
                        Some(code) => value(code, None, script).map_err(at)? as i64,
                        None => 0,
                    };
                    let by = match weight {
                        Some(code) => value(code, None, script).map_err(at)? as i64,
                        None => 1,
                    };
                    let init = |w: &mut [u64]| func.init(w);
                    let mut k = Key::new(vec![0; *key_words], vec![0; *key_words]);
                    for (n, word) in key.iter().enumerate().take(*key_words) {
                        k.put_value(n * 8, 8, *word);
                    }
                    match cpu.aggregations.value(*id, &k, *key_words, func.words(), init) {
                        Some(words) => func.update(words, v, by),
                        None => cpu.agg_drops += 1,
                    }
                    key.fill(0);
                }
            }
        }
        if clause.size > 0 {
            if let Some(mut room) = cpu.principal.reserve(clause.size) {
                room.copy_from_slice(&record);
                room.commit();
            }
        }
        Ok(())
    }

    fn admit(&mut self, d: &dof::Difo<'_>) -> Answer<Code> {
        let object = Object {
            text: d.text().collect(),
            inttab: d.ints().collect(),
            strtab: d.strings.to_vec(),
            vars: d.vars().collect(),
            rtype: d.rtype,
        };
        let mut errors = String::new();
        let mut report = |e| errors.push_str(&format!("{e}\n"));
        let code = Program::of(object, &dif::Rules::DEFAULT, &mut report);
        code.map(Box::new).ok_or_else(|| refuse(errors))
    }

    /// Plans a datum; returns its description.
    fn datum(&self, layout: &mut Layout, ty: DifType, action: &dof::Action<'_>) -> RecDesc {
        let strsize = self.options.get(OptionId::Strsize) as usize;
        let size = size_of_datum(ty, strsize);
        let alignment = Layout::alignment(size, ty.is_by_ref());
        RecDesc {
            action: action.kind.number(),
            size: size as u32,
            offset: layout.place(size, alignment) as u32,
            alignment: alignment as u32,
            arg: action.arg,
            uarg: action.uarg,
            ty,
            ..RecDesc::default()
        }
    }

    fn plan(&mut self, s: &dof::Statement<'_>) -> Answer<Clause> {
        let predicate = s.predicate.as_ref().map(|p| self.admit(p)).transpose()?;
        let actions: Result<Vec<_>, _> = s.actions.iter().collect();
        let actions = actions.map_err(|e| refuse(format!("{e}")))?;
        let (mut steps, mut records) = (Vec::new(), Vec::new());
        let mut layout = Layout::record();
        let mut i = 0;
        while i < actions.len() {
            let a = &actions[i];
            let keys = (i..actions.len()).find_map(|j| {
                let ends = actions[j].kind.is_aggregating() && actions[j].ntuple as usize == j - i;
                ends.then_some(j - i)
            });
            if let Some(n) = keys.filter(|&n| n > 0 || a.kind.is_aggregating()) {
                self.aggregate(&mut steps, &actions[i..=i + n])?;
                i += n + 1;
                continue;
            }
            i += 1;
            let code = a.difo.as_ref().map(|d| self.admit(d)).transpose()?;
            let ty = code.as_ref().map_or(DifType::void(), |c| c.rtype);
            let mut desc = self.datum(&mut layout, ty, a);
            if let Some(text) = a.format {
                self.formats.push(text.to_vec());
                desc.format = FormatId(self.formats.len() as u32);
            }
            match code {
                // A statement that only has effects leaves no datum.
                Some(code) if a.kind == ActionKind::DifExpr && ty.size == 0 => {
                    steps.push(Step::Evaluate(code));
                    continue;
                }
                Some(code) => steps.push(Step::Record(code, desc.offset as usize, ty)),
                None => steps.push(Step::Note),
            }
            records.push(desc);
        }
        let recording = !records.is_empty() || steps.is_empty();
        let size = if recording { layout.size() } else { 0 };
        Ok(Clause { predicate, steps, records, size, uarg: s.uarg })
    }

    fn aggregate(&mut self, steps: &mut Vec<Step>, actions: &[dof::Action<'_>]) -> Answer<()> {
        let (agg, keys) = actions.split_last().unwrap();
        let mut weight = None;
        let mut layout = Layout::aggregation();
        let mut records = Vec::new();
        for k in keys {
            let code = self.admit(k.difo.as_ref().ok_or_else(|| refuse("key"))?)?;
            if code.rtype.size == 0 {
                weight = Some(code);
                continue;
            }
            let desc = self.datum(&mut layout, code.rtype, k);
            steps.push(Step::Key(code, desc.offset as usize, desc.ty));
            records.push(desc);
        }
        let func = AggFunc::from_action(agg.kind, agg.arg).ok_or_else(|| refuse("function"))?;
        let offset = layout.size();
        records.push(RecDesc {
            action: agg.kind.number(),
            size: func.words() as u32 * 8,
            offset: offset as u32,
            alignment: 8,
            arg: agg.arg,
            uarg: agg.uarg,
            ..RecDesc::default()
        });
        let code = agg.difo.as_ref().map(|d| self.admit(d)).transpose()?;
        let id = AggId::from_index(self.aggs.len());
        let desc = AggDesc {
            id,
            variable: agg.uarg as u32,
            size: (offset + func.words() * 8) as u32,
            nrecs: records.len() as u32,
            ..AggDesc::default()
        };
        self.aggs.push(Aggregation { desc, recs: records });
        steps.push(Step::Aggregate(func, id, offset / 8, code, weight));
        Ok(())
    }

    fn matching(&self, id: ProbeId, parts: [&[u8]; 4]) -> Vec<usize> {
        let hit = |p: &ProbeDesc| match id {
            ProbeId::NONE if parts.iter().all(|p| p.is_empty()) => !p.parts()[2].is_empty(),
            ProbeId::NONE => {
                p.parts().iter().zip(parts).all(|(text, pattern)| part_matches(pattern, text))
            }
            id => p.id == id,
        };
        (0..self.probes.len()).filter(|&i| hit(&self.probes[i])).collect()
    }
}

fn size_of_datum(ty: DifType, strsize: usize) -> usize {
    if ty.is_string() {
        strsize
    } else {
        ty.size as usize
    }
}

fn put(room: &mut Room, bytes: &[u8]) {
    room.reserve(bytes.len())[..bytes.len()].copy_from_slice(bytes);
    room.set_taken(bytes.len());
}

impl Kernel for Fake {
    fn conf(&mut self) -> Answer<Conf> {
        let ncpus = self.0.borrow().cpus.len() as u32;
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
        let found = inner.matching(pattern.id, pattern.parts());
        // Two at a time, so that the test covers batches.
        let batch: Vec<usize> =
            found.into_iter().filter(|&i| i >= *cursor as usize).take(2).collect();
        into.extend(batch.iter().map(|&i| inner.probes[i]));
        *cursor = batch.last().map_or(*cursor, |&i| i as u32 + 1);
        Ok(!batch.is_empty())
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
                let parts = [format!("{provider}{pid}"), module.clone(), function.clone(), name];
                let [a, b, c, d] = parts.each_ref().map(|p| p.as_bytes());
                let id = ProbeId(inner.probes.len() as u32 + 1);
                inner.probes.push(ProbeDesc { id, ..ProbeDesc::new(a, b, c, d).unwrap() });
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
        if !inner.clauses.is_empty() {
            return Err(refuse("this consumer has an enabling already"));
        }
        let dof = dof::Dof::check(bytes).map_err(|e| refuse(format!("{e}")))?;
        for o in dof.options() {
            let o = o.map_err(|e| refuse(format!("{e}")))?;
            let id = OptionId::from_number(o.option).ok_or_else(|| refuse("option"))?;
            assert!(inner.options.set(id, o.value));
        }
        let mut last: Option<((u32, u32), Rc<Clause>)> = None;
        let mut matched = 0;
        for s in dof.statements() {
            let s = s.map_err(|e| refuse(format!("{e}")))?;
            let clause = match &last {
                Some((key, clause)) if *key == s.clause && clause.uarg == s.uarg => clause.clone(),
                _ => Rc::new(inner.plan(&s)?),
            };
            last = Some((s.clause, clause.clone()));
            inner.clauses.push(clause.clone());
            for probe in inner.matching(s.pattern.id, s.pattern.parts) {
                matched += 1;
                inner.ecbs.push((probe, clause.clone()));
            }
        }
        Ok(matched)
    }

    fn go(&mut self) -> Answer<Started> {
        let mut inner = self.0.borrow_mut();
        let (cpu, at) = (inner.own_cpu, inner.now);
        inner.fire("dtrace:::BEGIN", Firing { cpu, at, ..Firing::default() });
        let mut probes: Vec<usize> = inner.ecbs.iter().map(|e| e.0).filter(|&i| i > 2).collect();
        probes.dedup();
        let left_out = inner.left_out.len() as u32;
        let sizes =
            [OptionId::Bufsize, OptionId::Aggsize, OptionId::Dynvarsize, OptionId::Specsize].map(
                |id| inner.lowered.filter(|l| l.0 == id).unwrap_or((id, inner.options.get(id))),
            );
        Ok(Started { cpu, probes: probes.len() as u32, left_out, sizes })
    }

    fn left_out(&mut self) -> Answer<String> {
        Ok(self.0.borrow().left_out.iter().take(MAX_LEFT_OUT).map(|l| format!("{l}\n")).collect())
    }

    fn stop(&mut self) -> Answer<u32> {
        let mut inner = self.0.borrow_mut();
        assert!(!std::mem::replace(&mut inner.is_stopped, true), "stopped twice");
        inner.now += 1;
        let (cpu, at) = (inner.own_cpu, inner.now);
        inner.fire("dtrace:::END", Firing { cpu, at, ..Firing::default() });
        Ok(cpu)
    }

    fn snap(&mut self, which: Buffer, cpu: u32, room: &mut Room) -> Answer<Option<Snapshot>> {
        let mut inner = self.0.borrow_mut();
        inner.now += 1;
        let timestamp = inner.now;
        let Some(cpu) = inner.cpus.get_mut(cpu as usize) else { return Ok(None) };
        let mut snapshot = Snapshot { timestamp, ..Snapshot::default() };
        match which {
            Buffer::Principal => {
                let size = 1 << 16;
                let taken = cpu.principal.swap(vec![0; size]);
                put(room, &taken.memory[..taken.used]);
                (snapshot.drops, snapshot.errors) = (taken.drops, taken.errors);
            }
            Buffer::Aggregation => {
                let taken = cpu.aggregations.swap(vec![0; 1 << 14]);
                put(room, taken.memory[taken.from..taken.to].as_bytes());
                snapshot.drops = taken.drops;
            }
        }
        Ok(Some(snapshot))
    }

    fn eprobe(&mut self, epid: Epid) -> Answer<Eprobe> {
        let inner = self.0.borrow();
        let ecb = epid.index().and_then(|i| inner.ecbs.get(i)).ok_or_else(|| refuse("no EPID"))?;
        let desc = EprobeDesc {
            epid,
            probe: inner.probes[ecb.0].id,
            uarg: ecb.1.uarg,
            size: ecb.1.size as u32,
            nrecs: ecb.1.records.len() as u32,
            ..EprobeDesc::default()
        };
        Ok(Eprobe { desc, recs: ecb.1.records.clone() })
    }

    fn aggregation(&mut self, id: AggId) -> Answer<Aggregation> {
        let inner = self.0.borrow();
        let found = id.index().and_then(|i| inner.aggs.get(i)).cloned();
        found.ok_or_else(|| refuse("no aggregation"))
    }

    fn format(&mut self, id: FormatId) -> Answer<Vec<u8>> {
        let inner = self.0.borrow();
        id.index().and_then(|i| inner.formats.get(i)).cloned().ok_or_else(|| refuse("no format"))
    }

    fn seen(&mut self, mapped: u32) -> Answer<u32> {
        let mut inner = self.0.borrow_mut();
        inner.seen.push(mapped);
        inner.status.mapped = 0;
        Ok(std::mem::take(&mut inner.late))
    }

    fn status(&mut self) -> Answer<Status> {
        Ok(self.0.borrow().status)
    }
}

/// The events of one second.
pub type Act = Box<dyn FnMut(&mut Inner)>;

/// The events while the consumer sleeps: one step in each second, then ^C.
pub struct Steps {
    pub fake: Fake,
    pub steps: VecDeque<Act>,
    pub epitaphs: Option<Vec<String>>,
    clock: u64,
}

impl Steps {
    pub fn new(fake: &Fake) -> Self {
        Self { fake: fake.clone(), steps: VecDeque::new(), epitaphs: None, clock: 0 }
    }

    pub fn then(mut self, step: impl FnMut(&mut Inner) + 'static) -> Self {
        self.steps.push_back(Box::new(step));
        self
    }
}

impl Waiter for Steps {
    fn now(&self) -> u64 {
        self.clock
    }

    fn wait(&mut self, ns: u64, _bell: Option<&File>) -> Event {
        self.clock += ns;
        match self.steps.pop_front() {
            Some(mut step) => {
                step(&mut self.fake.0.borrow_mut());
                Event::Timeout
            }
            None => self.epitaphs.take().map_or(Event::Interrupt, Event::TargetsGone),
        }
    }
}
