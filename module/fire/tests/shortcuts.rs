// SPDX-License-Identifier: GPL-2.0
//! A clause with shortcuts does the same as the clause without them, on generated programs: it
//! leaves the same records, aggregations and drops, and never costs less than the steps, unless it
//! only counts.
#![allow(
    clippy::arc_with_non_send_sync,
    reason = "the kernel's per-CPU data is; a test has one thread"
)]

use abi::ids::Epid;
use abi::probe::{Techniques, NARGS_UNKNOWN};
use fire::ecb::{Chain, Ecb};
use fire::shared::{Activity, Shared};
use fire::{fire, Args, Probe};
use fire_host::Sizes;
use mem::{zeroed_bytes, zeroed_words, Arc, KVec};
use nosleep::stack::Start;
use nosleep::{machine, ProbeCtx};
use plan::enabling::{Enabling, Statement};
use plan::probe::{Draft, Offer, ProbeTable, Special};
use plan::shortcut::{Counts, COUNT};

const SIZES: Sizes =
    Sizes { cpus: 2, bufsize: 1 << 12, agg_words: 1 << 9, dynvarsize: 1 << 14, numbers: 64 };
/// The additional cost that the steps may have, in units: they pay for clearing the memory of new
/// values, up to a kilobyte each, and for the test of a gate.
const MORE: u32 = 80;

/// A consumer that traces one probe, `test:mod:func:name`.
struct Consumer {
    shared: Arc<Shared>,
    probe: Arc<Probe>,
    shortcuts: Shortcuts,
}

/// The number of clauses, and of those with each shortcut.
#[derive(Debug, Default)]
struct Shortcuts {
    clauses: u32,
    gates: u32,
    lean: u32,
    counts: u32,
}

fn dof(program: &str) -> Vec<u8> {
    let world = d::world::Fixture::new(&["test:mod:func:name"]);
    let source = d::Source::script("test.d", program);
    let compiled = d::compile(&source, &world, &d::Options::default());
    let program =
        compiled.program.unwrap_or_else(|| panic!("{program}: {:?}", compiled.diagnostics));
    d::dof::write(&program, &[])
}

/// The output of a CPU: records, aggregations, the number of lost ones, faults.
type Written = (Vec<u8>, Vec<u64>, u64, u32);

impl Consumer {
    fn new(dof: &[u8], takes_shortcuts: bool) -> Self {
        let mut enabling = Enabling::new().unwrap();
        if !takes_shortcuts {
            enabling.take_no_shortcuts();
        }
        enabling.add(dof, || Ok(()), &mut || Ok(())).unwrap_or_else(|e| panic!("{e}"));
        let shared = Arc::new(fire_host::shared(&mut enabling, SIZES));
        let mut table = ProbeTable::new(16);
        let mut draft = Draft::new(0, [b"test", b"mod"], 1, 0).unwrap();
        let how = Techniques::empty();
        let offer =
            Offer { function: b"func", name: b"name", nargs: NARGS_UNKNOWN, cookie: 0, how };
        draft.add(&offer).unwrap();
        let first = table.add(&draft, None, |_| None).unwrap();
        let probe: Arc<Probe> = table.get(abi::ids::ProbeId::from_index(first)).unwrap().clone();
        let mut ecbs = Vec::new();
        let mut shortcuts = Shortcuts::default();
        let ours = |s: &&Statement| !s.pattern.matcher().matches_special(Special::Begin);
        for (n, s) in enabling.statements.iter().filter(ours).enumerate() {
            let s = &s.clause;
            shortcuts.clauses += 1;
            shortcuts.gates += u32::from(s.shortcut.gate.is_some());
            shortcuts.lean += u32::from(s.shortcut.lean.is_some());
            shortcuts.counts += u32::from(s.shortcut.counts != Counts::No);
            let slot = match s.shortcut.counts {
                Counts::Alone(index) => index,
                _ => shared.take_numbers(s.shortcut.numbers()),
            };
            ecbs.push(Ecb {
                epid: Epid::from_index(n),
                slot,
                start: Start::Here(0),
                probe: probe.clone(),
                clause: s.clone(),
                shared: shared.clone(),
                followers: 0,
            });
        }
        let first = ecbs.remove(0);
        let mut more = KVec::new();
        ecbs.into_iter().for_each(|ecb| mem::push(&mut more, ecb).unwrap());
        probe.chain.set(Chain::new(first, more));
        shared.set_activity(Activity::Active);
        Self { shared, probe, shortcuts }
    }

    /// Fires the probe, and returns the units that it cost.
    fn fire(&self, cpu: usize, args: &[u64]) -> u32 {
        ProbeCtx::on(cpu, |ctx| {
            let spent = || self.shared.cpus.get(ctx).borrow().budget.spent();
            let before = spent();
            fire(ctx, &self.probe, Args::Values(args));
            spent().wrapping_sub(before)
        })
    }

    /// Takes the output: the records and aggregations of each CPU, the drops, and whether it still
    /// traces.
    fn written(&self) -> (Vec<Written>, u64, bool) {
        use std::sync::atomic::Ordering::Relaxed;
        let of = |cpu| {
            ProbeCtx::on(cpu, |ctx| {
                let mut state = self.shared.cpus.get(ctx).borrow_mut();
                let records = state.principal.records().to_vec();
                let lost = state.principal.swap(zeroed_bytes(SIZES.bufsize).unwrap());
                assert_eq!(lost.used, records.len());
                let aggs = state.aggs.swap(zeroed_words(SIZES.agg_words).unwrap());
                let entries = aggs.memory[aggs.from..aggs.to].to_vec();
                (records, entries, lost.drops + aggs.drops, lost.errors)
            })
        };
        let drops = self.shared.counters.dyndrops.load(Relaxed);
        ((0..SIZES.cpus).map(of).collect(), drops, self.shared.activity() == Activity::Active)
    }
}

/// A source of choices.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.0 >> 33) % n
    }

    fn one_of<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[self.below(all.len() as u64) as usize]
    }

    fn leaf(&mut self) -> String {
        match self.below(10) {
            0 | 1 => format!("arg{}", self.below(4)),
            2 => format!("{}", self.below(300)),
            3 => "timestamp".into(),
            4 => "(int)cpu".into(),
            5 => self.one_of(&["pid", "tid"]).into(),
            _ => self.one_of(&["self->a", "self->b", "arg0", "arg1"]).into(),
        }
    }

    fn value(&mut self) -> String {
        match self.below(8) {
            0..=3 => self.leaf(),
            4 => format!("{} ? {} : {}", self.test(), self.below(9), self.below(9)),
            5 => format!("*(int *)({})", self.leaf()),
            _ => {
                let op = self.one_of(&["+", "-", "*", "&", "|", "^", "<<", ">>"]);
                format!("{} {op} {}", self.leaf(), self.leaf())
            }
        }
    }

    fn test(&mut self) -> String {
        let op = self.one_of(&["==", "!=", "<", ">", "<=", ">="]);
        format!("{} {op} {}", self.leaf(), self.leaf())
    }

    fn predicate(&mut self) -> String {
        match self.below(8) {
            0 => "/pid == 100/".into(),
            1 => "/pid == 7/".into(),
            2 => "/self->a/".into(),
            3 => format!("/{}/", self.test()),
            4 => "/execname == \"test\"/".into(),
            _ => String::new(),
        }
    }

    fn key(&mut self) -> String {
        match self.below(9) {
            0..=3 => String::new(),
            4 => "[execname]".into(),
            5 => "[probefunc]".into(),
            6 => format!("[{}]", self.leaf()),
            7 => format!("[probefunc, {}]", self.below(5)),
            _ => format!("[execname, probename, {}]", self.leaf()),
        }
    }

    /// An action; `n` makes the names of aggregations differ.
    fn action(&mut self, n: usize) -> String {
        match self.below(14) {
            0..=2 => format!("@a{n}{} = count();", self.key()),
            3 | 4 => format!("@b{n}{} = quantize({});", self.key(), self.value()),
            5 => {
                let func = self.one_of(&["sum", "avg", "min", "max", "stddev"]);
                format!("@c{n}{} = {func}({});", self.key(), self.value())
            }
            6 => format!("@d{n}{} = lquantize({}, 0, 100, 10);", self.key(), self.leaf()),
            7 | 8 => format!("trace({});", self.value()),
            9 => format!("printf(\"%s %d\", execname, {});", self.value()),
            10 => "printf(\"%s:%s\", probefunc, probename);".into(),
            11 => format!("self->b = {};", self.leaf()),
            12 => "self->a = 0;".into(),
            _ => format!("self->a = {};", self.leaf()),
        }
    }

    fn program(&mut self) -> String {
        if self.below(5) == 0 {
            let predicate = self.one_of(&["", "", "/pid == 100/"]);
            return format!("test:mod:func:name {predicate} {{ @n{} = count(); }}", self.key());
        }
        let mut text = String::new();
        for clause in 0..[1, 1, 1, 2, 3][self.below(5) as usize] {
            text += &format!("test:mod:func:name {} {{ ", self.predicate());
            for n in 0..=self.below(3) as usize {
                text += &self.action(10 * clause + n);
                text.push(' ');
            }
            text += "}\n";
        }
        text
    }
}

/// Gives the variables their types. This clause never runs.
const TYPES: &str = "BEGIN { self->a = (uint64_t)0; self->b = (uint64_t)0; }\n";

#[test]
fn shortcuts_do_what_the_steps_do() {
    let mut all = Shortcuts::default();
    let mut firings_that_recorded = 0;
    for seed in 0..150 {
        let mut dice = Dice(seed * 7919 + 13);
        let text = format!("{TYPES}{}", dice.program());
        let dof = dof(&text);
        let consumers = [true, false].map(|takes| Consumer::new(&dof, takes));
        let [quick, plain] = &consumers;
        assert_eq!(plain.shortcuts.gates + plain.shortcuts.lean + plain.shortcuts.counts, 0);
        let only_counts = quick.shortcuts.counts > 0;
        all.clauses += quick.shortcuts.clauses;
        all.gates += quick.shortcuts.gates;
        all.lean += quick.shortcuts.lean;
        all.counts += quick.shortcuts.counts;
        for n in 0..16 {
            let cpu = dice.below(SIZES.cpus as u64) as usize;
            let args = [0; 3].map(|_| dice.below(200));
            let args = &args[..dice.below(4) as usize];
            let (pid, tid) = (*[100, 7].get(n % 3).unwrap_or(&100), 100 + n as i32 % 4);
            let cost = consumers.each_ref().map(|consumer| {
                machine(|m| {
                    m.now = 1_000_000 * (n as u64 + 1);
                    (m.pid, m.tid) = (pid, tid);
                    m.comm[..4].copy_from_slice([b"test", b"tost"][n % 2]);
                });
                consumer.fire(cpu, args)
            });
            // A clause that only counts has its own price, and a process that a gate keeps out
            // costs nothing. Otherwise the steps cost little more.
            let is_out = quick.shortcuts.gates > 0 && cost[0] == 0;
            assert!(
                is_out || only_counts && cost[0] == COUNT || cost[0] + MORE >= cost[1],
                "the shortcut costs {} units, the steps {}: {text}",
                cost[0],
                cost[1]
            );
            let written = consumers.each_ref().map(Consumer::written);
            firings_that_recorded += usize::from(written[0].0.iter().any(|w| !w.0.is_empty()));
            assert_eq!(written[0], written[1], "firing {n} of {text}");
        }
    }
    // The comparison means nothing if the programs have no shortcuts.
    println!("{all:?}, {firings_that_recorded} firings recorded");
    assert!(all.lean * 3 > all.clauses, "{all:?}");
    assert!(all.gates * 20 > all.clauses && all.counts * 20 > all.clauses, "{all:?}");
    assert!(firings_that_recorded > 500);
}

#[test]
fn a_name_that_changes_and_changes_back_leads_to_no_other_key() {
    let name = |text: &[u8]| {
        let mut name = [0; 16];
        name[..text.len()].copy_from_slice(text);
        name
    };
    let dof = dof("test:mod:func:name { @[execname] = count(); @n[execname, pid] = count(); }");
    let [quick, plain] = [true, false].map(|takes| {
        let consumer = Consumer::new(&dof, takes);
        let readings = [&b"sshd"[..], b"x", b"sshd", b"x", b"sshd", b"x", b"sshd"].map(name);
        machine(|m| (m.comm, m.renamed) = (name(b"sshd"), readings.into()));
        if !takes {
            machine(|m| m.renamed.clear());
        }
        consumer.fire(0, &[]);
        machine(|m| m.renamed.clear());
        consumer.fire(0, &[]);
        consumer
    });
    assert_eq!(quick.shortcuts.lean, 1);
    assert_eq!(quick.written(), plain.written());
}

#[test]
fn a_gate_keeps_other_processes_out() {
    let dof = dof("test:mod:func:name /pid == 100/ { trace(arg0); }");
    let consumer = Consumer::new(&dof, true);
    assert_eq!(consumer.shortcuts.gates, 1);
    for (pid, records) in [(100, 1), (7, 0)] {
        machine(|m| m.pid = pid);
        consumer.fire(0, &[42]);
        let (cpus, ..) = consumer.written();
        assert_eq!(!cpus[0].0.is_empty(), records == 1, "pid {pid}");
    }
}

#[test]
fn clearing_a_large_value_is_paid() {
    let cost = |text: &str, lean: u32| {
        let consumer = Consumer::new(&dof(&format!("test:mod:func:name {{ {text} }}")), true);
        assert_eq!(consumer.shortcuts.lean, lean, "{text}");
        [consumer.fire(0, &[3]), consumer.fire(0, &[3])]
    };
    for (text, lean, words) in [
        ("@ = lquantize(arg0, 0, 400);", 1, 400),
        ("@[probefunc] = lquantize(arg0, 0, 400);", 1, 400),
        ("@[arg0] = lquantize(arg0, 0, 400);", 1, 400),
        // Such a clause is no lean one, because nothing stops a lean one that is alone.
        ("@ = lquantize(arg0, 0, 2000);", 0, 240),
    ] {
        let [first, second] = cost(text, lean);
        assert!(first >= second + words / 8 - 30, "{text}: {first}, then {second}");
    }
}
