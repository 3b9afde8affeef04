// SPDX-License-Identifier: GPL-2.0
//! Runs every form on this machine: the instruction, its slot and its emulation must have the same
//! outcome.

use forms::{
    assembly, build, forms, is_left_out, outcomes, site, Form, Outcome, Start, BELOW, LANDING, RCX,
    RIP, RSP, SLOTS, STRIDE,
};
use iced_x86::Code;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::{Command, Stdio};
use x86::displace::{count, holds, plan, slot, Act, Cannot, Mode, Place, Plan, Slot};

const SIGILL: u32 = 4;
const SIGTRAP: u32 = 5;
const SIGSEGV: u32 = 11;

/// The resume flag, which only faults set.
const RF: u64 = 1 << 16;

/// A form, its start, and its slot.
struct Case<'a> {
    form: &'a Form,
    start: Start,
    plan: Plan,
    slot: Slot,
    slot_at: u64,
}

fn run(mode: Mode, text: &str) -> Vec<Outcome> {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let program = dir.join(format!("{mode:?}"));
    build(text, &program).expect("built");
    let out = program.with_extension("out");
    let mut run = Command::new(&program);
    run.arg(&out).stdin(Stdio::null()).stdout(Stdio::null());
    assert!(run.status().expect("runs").success());
    outcomes(&std::fs::read(&out).expect("readable")).expect("whole")
}

#[test]
fn in_64_bit_mode() {
    slots_and_hands_do_what_instructions_do(Mode::Bits64);
}

#[test]
fn in_32_bit_mode() {
    slots_and_hands_do_what_instructions_do(Mode::Bits32);
}

fn slots_and_hands_do_what_instructions_do(mode: Mode) {
    let forms = forms(mode);
    let mut refused: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    let mut slots = vec![vec![0xcc]; forms.len()];
    let mut cases = vec![];
    for (n, form) in forms.iter().enumerate() {
        let (ip, slot_at) = (site(n), SLOTS + n as u64 * STRIDE);
        let plan = plan(&form.bytes, ip, mode);
        let slot = slot(&form.bytes, ip, mode, slot_at);
        let (plan, slot) = match (plan, slot) {
            (Ok(plan), Ok(slot)) => (plan, slot),
            (Err(a), Err(b)) => {
                assert_eq!(a, b, "{form:?}");
                let Cannot::CannotMove(why) = a else { panic!("{form:x?}: {a:?}") };
                refused.entry(why.into()).or_default().push(n);
                continue;
            }
            other => panic!("{form:x?}: {other:?}"),
        };
        slots[n] = slot.code.get(..slot.len.into()).expect("inside").to_vec();
        let starts = form.starts(ip, mode).into_iter();
        cases.extend(starts.map(|start| Case { form, start, plan, slot, slot_at }));
    }
    // A breakpoint at the beginning shows the initial state.
    let base = |lands| Start { at: LANDING, rcx: 0, flags: 0, lands, varies: false, mode };
    let mut starts = vec![base(false), base(true)];
    starts.extend(cases.iter().map(|c| c.start));
    starts.extend(cases.iter().map(|c| Start { at: c.slot_at, ..c.start }));
    let outcomes = run(mode, &assembly(&forms, &slots, &starts));
    assert_eq!(outcomes.len(), starts.len());
    let (base, outcomes) = outcomes.split_at(2);
    let (home, away) = outcomes.split_at(cases.len());
    let mut wrong = vec![];
    let (mut ran, mut lacked, mut faulted, mut by_hand) =
        (BTreeSet::new(), BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    for ((case, home), away) in cases.iter().zip(home).zip(away) {
        let away = in_terms_of_home(case, away, home);
        if away != *home {
            wrong.push(format!("{}\n  home {home:x?}\n  slot {away:x?}", describe(case)));
        }
        if let Some(hand) = hand(case, &base[usize::from(case.start.lands)], home) {
            by_hand.insert(case.form.bytes.clone());
            let same = Outcome { digests: home.digests, ..hand };
            if same != *home {
                wrong.push(format!("{}\n  home {home:x?}\n  hand {same:x?}", describe(case)));
            }
        }
        let set = match home.signal[0] {
            SIGTRAP => &mut ran,
            SIGILL => &mut lacked,
            _ => &mut faulted,
        };
        set.insert((case.form.code as u32, case.form.shape));
    }
    faulted.retain(|f| !ran.contains(f));
    let have: BTreeSet<_> = forms.iter().map(|f| f.code as u32).collect();
    // Everything that the decoder knows, except for instructions of CPUs that are obsolete or never
    // existed.
    let decodable = |c: Code| {
        let op = c.op_code();
        // The first is the 8086's; for the others the decoder knows only one address size.
        let none = matches!(c, Code::Popw_CS | Code::Montmul_16 | Code::Montmul_64);
        op.is_instruction()
            && (if mode == Mode::Bits64 { op.intel_decoder64() } else { op.intel_decoder32() })
            && op.decoder_option() == 0
            && !op.fwait()
            && !none
    };
    let missing: Vec<_> = Code::values()
        .filter(|c| decodable(*c) && !is_left_out(*c, mode) && !have.contains(&(*c as u32)))
        .collect();
    println!(
        "{mode:?}: {} forms of {} instructions: {} ran, {} fault, this CPU has not {}; {} also by hand",
        forms.len(),
        have.len(),
        ran.len(),
        faulted.len(),
        lacked.len(),
        by_hand.len()
    );
    for (why, which) in &refused {
        println!("refused {}: {why}", which.len());
    }
    for w in wrong.iter().take(20) {
        println!("{w}");
    }
    assert!(wrong.is_empty(), "{} of {} are wrong", wrong.len(), cases.len());
    assert!(missing.is_empty(), "nothing was found for {missing:?}");
}

fn describe(case: &Case<'_>) -> String {
    let (form, code) = (case.form, &case.slot.code[..case.slot.len.into()]);
    format!(
        "{:?} {:?} {:02x?} {:x?}, slot {code:02x?}",
        form.code, form.shape, form.bytes, case.start
    )
}

/// Translates the position of a thread in a slot into one in the original instruction.
fn in_terms_of_home(case: &Case<'_>, away: &Outcome, home: &Outcome) -> Outcome {
    let mut o = *away;
    let inside = |at: u64| (case.slot_at..case.slot_at + STRIDE).contains(&at);
    let back = |at: u64| match case.slot.place((at - case.slot_at) as u8) {
        Place::Before { pushed } => (case.start.at, pushed),
        Place::After { to, rcx } => {
            assert!(!rcx);
            (to, 0)
        }
    };
    if inside(o.address) {
        o.address = back(o.address).0;
    }
    if inside(o.regs[RIP]) {
        let (ip, pushed) = back(o.regs[RIP]);
        o.regs[RIP] = ip;
        o.regs[RSP] += u64::from(pushed);
        if pushed != 0 {
            o.digests[BELOW] = home.digests[BELOW];
        }
    }
    // This slot writes below the stack that the instruction would use.
    let call = [Code::Call_rm64, Code::Call_rm32].contains(&case.form.code);
    if call && case.slot.code[usize::from(case.slot.len) - 1] == 0xc3 {
        o.digests[BELOW] = home.digests[BELOW];
    }
    o
}

/// The kernel's positions of the registers 0 to 15.
const GENERAL: [usize; 16] = [13, 14, 12, 11, 15, 10, 9, 8, 0, 1, 2, 3, 4, 5, 6, 7];

/// Returns the outcome of emulation, except in memory; `None` if there is no emulation, or if its
/// target is random.
fn hand(case: &Case<'_>, base: &Outcome, home: &Outcome) -> Option<Outcome> {
    let mut o = *base;
    let next = case.start.at + u64::from(case.plan.len);
    let flags = u64::from(case.start.flags);
    o.regs[RCX] = case.start.rcx;
    o.regs[17] |= flags;
    let word = if case.start.mode == Mode::Bits64 { 8 } else { 4 };
    let mut push = || o.regs[RSP] -= word;
    let ip = match case.plan.act {
        Act::Skip => next,
        Act::Jump { to } => to,
        Act::Branch { cc, to } => {
            if holds(cc, flags) {
                to
            } else {
                next
            }
        }
        Act::CountBranch { by, width, to } => {
            let (rcx, is) = count(by, width, case.start.rcx, flags);
            o.regs[RCX] = rcx;
            if is {
                to
            } else {
                next
            }
        }
        Act::Call { to } => {
            push();
            to
        }
        Act::Return { pops } => {
            o.regs[RSP] += word + u64::from(pops);
            LANDING
        }
        Act::Push { .. } => {
            push();
            next
        }
        // The target in memory is LANDING, or random.
        Act::JumpThrough { loads: true, .. } if !case.start.lands => return None,
        Act::JumpThrough { loads: true, .. } => LANDING,
        Act::JumpThrough { by, loads: false } => by.address(|n| o.regs[GENERAL[usize::from(n)]]),
        Act::Displaced => return None,
    };
    // A 16-bit jump leads to unmapped memory; one through a register may lead to memory without
    // code.
    let nowhere = ip < 1 << 16 || matches!(case.plan.act, Act::JumpThrough { loads: false, .. });
    if home.signal[0] == SIGSEGV && nowhere {
        (o.signal, o.address, o.regs[RIP]) = (home.signal, ip, ip);
        o.regs[17] |= RF;
    } else {
        // The breakpoint is one byte long.
        o.regs[RIP] = ip + 1;
    }
    Some(o)
}
