// SPDX-License-Identifier: GPL-2.0
//! Any bytes: verify, then run. This is the property of the fuzz targets, with a seeded generator.
//!
//! `DIF_CASES` sets the number of cases, `DIF_SEED` the seed.

use std::cell::Cell;
use std::convert::Infallible;
use std::sync::atomic::Ordering::Relaxed;

use abi::difo::{DifType, DifVar};

use crate::asm::assemble;
use crate::difo::Difo;
use crate::fault::FaultKind;
use crate::generate::{grown_keeps_promise, COUNTS};
use crate::harness::{keeps_promise, many_cases, reads_back, Fate, Script, Seeded};
use crate::{run, verify, Clause, Program, Rules};

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(default)
}

#[test]
fn any_bytes_keep_the_promise() {
    let cases = setting("DIF_CASES", 150_000);
    let [refused, returned, faulted] =
        many_cases(setting("DIF_SEED", 0x9e37_79b9_7f4a_7c15), cases as usize);
    println!("{refused} refused, {returned} returned, {faulted} faulted");
    // A generator that rarely passes the verifier, or rarely reaches a `ret`, tests nothing.
    let most = cases as usize / 20;
    assert!(refused > most && returned > most && faulted > most);
}

#[test]
fn grown_programs_keep_the_promise() {
    let mut random = Seeded(setting("DIF_SEED", 0x9e37_79b9_7f4a_7c15) | 1);
    let cases = setting("DIF_CASES", 60_000);
    for _ in 0..cases {
        let len = 4 + (random.number() % 200) as usize;
        grown_keeps_promise(&random.bytes(len));
    }
    let [verified, returned, faulted] = COUNTS.each_ref().map(|n| n.load(Relaxed));
    println!("{verified} verified; {returned} runs returned, {faulted} faulted");
    assert!(verified == cases && returned > cases / 20 && faulted > cases / 20);
}

#[test]
fn nothing_is_a_program() {
    assert_eq!(keeps_promise(&[]), Fate::Refused);
    assert_eq!(keeps_promise(&[0; 64]), Fate::Refused);
    reads_back(&[]);
}

/// An object that changes after it was verified, which breaks the contract of [`Difo`].
struct Liar {
    honest: Vec<u32>,
    other: Vec<u32>,
    verified: Cell<bool>,
}

impl Difo for Liar {
    fn text(&self) -> &[u32] {
        if self.verified.get() {
            &self.other
        } else {
            &self.honest
        }
    }
    fn inttab(&self) -> &[u64] {
        &[]
    }
    fn strtab(&self) -> &[u8] {
        &[]
    }
    fn vars(&self) -> &[DifVar] {
        &[]
    }
    fn rtype(&self) -> DifType {
        DifType::integer(8)
    }
}

#[test]
fn even_a_liar_halts() {
    let words = |source: &str| assemble(source).expect("assembles").text;
    let others = [
        words("nop\nba 0\nret %r0"),
        words("ba 0xffffff\nret %r0"),
        words("nop"),
        words(".word 0xff000000"),
        words("call DIF_SUBR(999), %r1\nret %r0"),
        words("ldgs DT_VAR(0x500), %r255\nret %r0"),
        words("setx DT_INTEGER[7], %r1\nret %r0"),
        words("xlate DT_XLREF[0], %r1\nret %r0"),
    ];
    for other in others {
        let liar = Liar { honest: words("nop\nnop\nret %r0"), other, verified: Cell::new(false) };
        let difo = verify(liar, &Rules::DEFAULT, &mut |e| panic!("{e}")).expect("honest so far");
        difo.verified.set(true);
        let Ok(difo) = Program::new(difo, |all| Ok::<Vec<_>, Infallible>(all.collect()));
        let mut env = Script::new();
        env.watch(&difo);
        let answer = run(&difo, &mut Clause::new(&mut [], 16), &mut env);
        assert_eq!(answer.map_err(|fault| fault.kind), Err(FaultKind::IllOp));
        assert_eq!(env.violations, Vec::<String>::new());
    }
}
