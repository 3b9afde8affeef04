// SPDX-License-Identifier: GPL-2.0
//! Feeds mutated DOFs to the live module: `hostile COUNT [SEED]`; or every number of a variable, a
//! register array and a subroutine: `hostile numbers`.
//!
//! It compiles real programs and damages their bytes: it flips bits, sets fields to special values,
//! copies ranges over each other, and cuts off ends. The module must either refuse a DOF with an
//! errno and a reason, or accept it; accepted programs are run. In any case the machine must
//! survive, no probe may stay enabled, and no memory may leak.
#![forbid(unsafe_code)]

use abi::dif::{Builtin, Op, Subr, VarKind, VAR_USER_BASE};
use abi::dof::{Header, SectionHeader};
use abi::option::OptionId;
use consumer::device::Device;
use consumer::kernel::{Buffer, Kernel, Room};
use dif::op::Insn;
use std::collections::BTreeMap;
use std::process::ExitCode;
use zerocopy::FromBytes;

const PROGRAMS: &[&str] = &[
    "BEGIN { a = 1; b = 2; trace(a + b); }",
    "BEGIN { self->s = \"text\"; this->n = strlen(self->s); printf(\"%s %d\", self->s, this->n); }",
    "BEGIN /pid > 0/ { @a[execname, pid] = count(); @b = quantize(pid); @c = lquantize(pid, 0, 100, 10); }",
    "BEGIN { x = strjoin(probename, \"!\"); trace(substr(x, 1, 3)); trace(x == \"y\" ? 1 : 2); }",
    "BEGIN, END, ERROR { @[probename] = sum(timestamp); printa(@); }",
    "BEGIN { trace(*(int *)0); } ERROR { trace(arg4); } END { exit(3); }",
    "hworld:::entry { self->t = timestamp; } hworld:::return /self->t/ { @ = avg(timestamp - self->t); self->t = 0; }",
];

/// xorshift64*: repeatable from its seed.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }
    fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }
}

/// Compiles programs for probes that need not exist.
fn compiled(programs: &[&str]) -> Vec<Vec<u8>> {
    let world = d::world::Fixture {
        probes: ["BEGIN", "END", "ERROR"]
            .iter()
            .map(|n| (["dtrace".into(), String::new(), String::new(), (*n).into()], None))
            .chain(["entry", "return"].iter().map(|n| {
                (["hworld".into(), "open_module".into(), "open1".into(), (*n).into()], Some(1))
            }))
            .collect(),
    };
    // Small buffers, so that most of the time is spent in the attacked code.
    let options = [
        (OptionId::Bufsize, 16 << 10),
        (OptionId::Aggsize, 16 << 10),
        (OptionId::Dynvarsize, 4096),
    ];
    programs
        .iter()
        .map(|text| {
            let source = d::Source {
                name: d::SourceName::Script("hostile.d".into()),
                text: (*text).to_owned(),
            };
            let compiled = d::compile(&source, &world, &d::Options::default());
            let Some(program) = compiled.program else {
                panic!("{text}: {:?}", compiled.diagnostics);
            };
            d::dof::write::write(&program, &options)
        })
        .collect()
}

/// Values that often expose bugs.
const TELLING: &[u64] = &[
    0,
    1,
    2,
    7,
    8,
    0x7f,
    0x80,
    0xff,
    0x100,
    0xffff,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
    u64::MAX,
];

fn mutate(dof: &mut Vec<u8>, r: &mut Random) {
    for _ in 0..=r.below(4) {
        let len = dof.len();
        if len == 0 {
            return;
        }
        let at = r.below(len);
        match r.below(9) {
            0 => dof[at] ^= 1 << r.below(8),
            1 => dof[at] = r.next() as u8,
            // A field of the header.
            2 => put(dof, r.below(size_of::<Header>()), TELLING[r.below(TELLING.len())], 4),
            // A field of a section header.
            3 => {
                let Ok((h, _)) = Header::read_from_prefix(&dof[..]) else { continue };
                let n = r.below(h.section_count as usize);
                let base = h.section_offset as usize + n * size_of::<SectionHeader>();
                let value = match r.below(2) {
                    0 => TELLING[r.below(TELLING.len())],
                    _ => r.below(2 * len) as u64,
                };
                put(dof, base.saturating_add(4 * r.below(8)), value, [4, 8][r.below(2)]);
            }
            // Any aligned word of the contents.
            4 => put(dof, at & !3, TELLING[r.below(TELLING.len())], 4),
            5 => put(dof, at & !3, r.below(64) as u64, 4),
            // A range over another.
            6 => {
                let n = r.below(64).min(len - at);
                let to = r.below(len - n + 1);
                dof.copy_within(at..at + n, to);
            }
            7 => dof.truncate(at),
            _ => {
                let extra = r.below(64);
                dof.extend((0..extra).map(|i| i as u8));
            }
        }
    }
}

fn put(dof: &mut [u8], at: usize, value: u64, bytes: usize) {
    if let Some(field) = dof.get_mut(at..at.saturating_add(bytes)) {
        field.copy_from_slice(&value.to_le_bytes()[..bytes]);
    }
}

/// Returns the kernel memory that a leak would use, in KiB: slab and vmalloc.
fn kernel_memory() -> u64 {
    let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    text.lines()
        .filter(|l| l.starts_with("SUnreclaim:") || l.starts_with("VmallocUsed:"))
        .filter_map(|l| l.split_whitespace().nth(1)?.parse::<u64>().ok())
        .sum()
}

/// Offers the module a program with one instruction replaced by another.
fn offer(dof: &[u8], word: u32, other: u32) -> Result<(), String> {
    let mut dof = dof.to_vec();
    let places: Vec<usize> = (0..dof.len() - 3)
        .step_by(4)
        .filter(|at| dof[*at..*at + 4] == word.to_le_bytes())
        .collect();
    let [at] = places[..] else { panic!("{word:#x} stands at {places:?}") };
    put(&mut dof, at, other.into(), 4);
    let mut device = Device::open().map_err(|e| e.to_string())?;
    device.enable(&dof).map(|_| ()).map_err(|refusal| refusal.reason)
}

/// Tries every number that a load or a call can name. The module must accept exactly those in the
/// tables.
fn numbers() -> ExitCode {
    let dofs = compiled(&[
        "BEGIN { trace(pid); }",
        "BEGIN { trace(uregs[R_R15]); }",
        "BEGIN { trace(rand()); }",
    ]);
    let mut wrong = 0;
    let mut taken = [0; 3];
    let mut check = |which: usize, what: &str, number: u16, word: u32, other: u32, has: bool| {
        let rule = ["(rule 13)", "(rule 13)", "(rule 12)"][which];
        let answer = offer(&dofs[which], word, other);
        taken[which] += u32::from(answer.is_ok());
        let good = match &answer {
            Ok(()) => has,
            // Destructive ones exist, but need permission; some belong to other systems.
            Err(reason) if has => {
                reason.contains("(rule 19)") || reason.contains("is not available on Linux")
            }
            Err(reason) => reason.contains(rule),
        };
        if !good {
            wrong += 1;
            eprintln!(
                "hostile: {what} {number:#x} is in the table: {has}; the module says {answer:?}"
            );
        }
    };
    for n in 0..VAR_USER_BASE {
        let has = Builtin::from_id(n).is_some_and(|b| b.kind() != VarKind::Array);
        let load = |id: u16| Insn::indexed(Op::Ldgs, id, 1).0;
        check(0, "variable", n, load(Builtin::Pid.id()), load(n), has);
    }
    for n in 0..=u8::MAX {
        let id = u16::from(n);
        let has = Builtin::from_id(id).is_some_and(|b| b.kind() == VarKind::Array && b.is_had());
        let load = |id: u8| Insn::registers(Op::Ldga, id, 1, 1).0;
        check(1, "array", id, load(Builtin::Uregs.id() as u8), load(n), has);
    }
    for n in 0..=2 * Subr::DPath as u16 {
        let call = |id: u16| Insn::indexed(Op::Call, id, 1).0;
        check(2, "subroutine", n, call(Subr::Rand as u16), call(n), Subr::from_id(n).is_some());
    }
    println!("{} variables, {} arrays, {} subroutines", taken[0], taken[1], taken[2]);
    ExitCode::from(u8::from(wrong != 0))
}

fn main() -> ExitCode {
    if std::env::args().nth(1).is_some_and(|a| a == "numbers") {
        return numbers();
    }
    let mut args = std::env::args().skip(1).map(|a| a.parse::<u64>().unwrap_or(0));
    let count = args.next().unwrap_or(1000);
    let mut random = Random(args.next().unwrap_or(1).max(1));
    let seeds = compiled(PROGRAMS);
    let mut outcomes: BTreeMap<String, u64> = BTreeMap::new();
    let (mut taken, mut silent) = (0u64, 0u64);
    let mut baseline = 0;
    for i in 0..count {
        // By then everything that is loaded lazily is loaded.
        if i == count / 4 {
            baseline = kernel_memory();
        }
        let mut dof = seeds[random.below(seeds.len())].clone();
        // Some stay undamaged, because valid programs must still work.
        if i % 64 != 0 {
            mutate(&mut dof, &mut random);
        }
        let mut device = match Device::open() {
            Ok(d) => d,
            Err(e) => {
                eprintln!("hostile: the device is gone after {i}: {e}");
                return ExitCode::FAILURE;
            }
        };
        match device.enable(&dof) {
            Err(refusal) => {
                silent += u64::from(refusal.reason.is_empty());
                // The shape of the reason, because its numbers differ from case to case.
                let shape: String = refusal
                    .reason
                    .lines()
                    .next()
                    .unwrap_or_default()
                    .chars()
                    .filter(|c| !c.is_ascii_digit())
                    .collect();
                *outcomes.entry(shape).or_default() += 1;
            }
            Ok(_) => {
                taken += 1;
                if device.go().is_ok() {
                    let _ = device.stop();
                    let mut room = Room::default();
                    for which in [Buffer::Principal, Buffer::Aggregation] {
                        let _ = device.snap(which, 0, &mut room);
                    }
                    let _ = device.status();
                }
                if i % 64 == 0 && device.status().is_err() {
                    eprintln!("hostile: a sound DOF was not run");
                    return ExitCode::FAILURE;
                }
            }
        }
    }
    let grown = kernel_memory().saturating_sub(baseline);
    println!("{count} DOFs: {taken} taken, {} refused", count - taken);
    for (reason, n) in &outcomes {
        eprintln!("{n:8} {reason}");
    }
    if silent != 0 {
        eprintln!("hostile: {silent} refusals gave no reason");
        return ExitCode::FAILURE;
    }
    if taken == 0 || outcomes.len() < 10 {
        eprintln!("hostile: the mutations do not reach far enough");
        return ExitCode::FAILURE;
    }
    // Over 75,000 DOFs, a leak of one statement in a hundred would exceed this.
    if grown > 2048 {
        eprintln!("hostile: kernel memory grew by {grown} KiB");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}
