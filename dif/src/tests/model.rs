// SPDX-License-Identifier: GPL-2.0
//! A model of arithmetic and branches. It computes with 128-bit integers and has no condition
//! codes. The machine and the model run the same programs.

use abi::dif::Op;
use abi::difo::DifType;
use proptest::prelude::*;

use crate::asm::Object;
use crate::fault::FaultKind;
pub(super) use crate::generate::{ARITHMETIC, BRANCHES};
use crate::harness::Script;
use crate::op::Insn;
use crate::{run, Clause, Program, Rules};

/// Returns the result of an operation; `None` for a division by zero.
pub(super) fn meaning(op: Op, a: u64, b: u64) -> Option<u64> {
    let (ua, ub) = (i128::from(a), i128::from(b));
    let (sa, sb) = (i128::from(a as i64), i128::from(b as i64));
    let count = (b % 64) as u32;
    let value: i128 = match op {
        Op::Or => ua | ub,
        Op::Xor => ua ^ ub,
        Op::And => ua & ub,
        Op::Sll => (0..count).fold(ua, |v, _| (v * 2) % (1 << 64)),
        Op::Srl => (0..count).fold(ua, |v, _| v / 2),
        Op::Sra => (0..count).fold(sa, |v, _| v.div_euclid(2)),
        Op::Sub => ua - ub,
        Op::Add => ua + ub,
        Op::Mul => return Some(((a as u128).wrapping_mul(b as u128)) as u64),
        Op::Sdiv => sa.checked_div(sb)?,
        Op::Udiv => ua.checked_div(ub)?,
        Op::Srem => sa.checked_rem(sb)?,
        Op::Urem => ua.checked_rem(ub)?,
        Op::Not => -1 - sa,
        _ => ua,
    };
    Some(value.rem_euclid(1 << 64) as u64)
}

/// Tells whether the branch is taken after `a` and `b` were compared.
pub(super) fn taken(op: Op, a: u64, b: u64) -> bool {
    let (sa, sb) = (a as i64, b as i64);
    match op {
        Op::Ba => true,
        Op::Be => a == b,
        Op::Bne => a != b,
        Op::Bg => sa > sb,
        Op::Bge => sa >= sb,
        Op::Bl => sa < sb,
        Op::Ble => sa <= sb,
        Op::Bgu => a > b,
        Op::Bgeu => a >= b,
        Op::Blu => a < b,
        _ => a <= b,
    }
}

/// One line of a generated program.
#[derive(Debug, Clone, Copy)]
enum Line {
    Compute(Op, u8, u8, u8),
    /// Compares, and skips this number of lines if the branch is taken.
    Skip(Op, u8, u8, u8),
    /// Works like `Skip`, with `tst`.
    SkipTst(Op, u8, u8),
    Set(u8, u8),
}

fn line() -> impl Strategy<Value = Line> {
    let r = 0u8..8;
    let d = 1u8..8;
    prop_oneof![
        4 => (prop::sample::select(&ARITHMETIC[..]), r.clone(), r.clone(), d.clone())
            .prop_map(|(op, a, b, d)| Line::Compute(op, a, b, d)),
        2 => (prop::sample::select(&BRANCHES[..]), r.clone(), r.clone(), 0u8..4)
            .prop_map(|(op, a, b, n)| Line::Skip(op, a, b, n)),
        1 => (prop::sample::select(vec![Op::Be, Op::Bne]), r, 0u8..4)
            .prop_map(|(op, a, n)| Line::SkipTst(op, a, n)),
        2 => (0u8..8, d).prop_map(|(n, d)| Line::Set(n, d)),
    ]
}

fn constant() -> impl Strategy<Value = u64> {
    prop_oneof![
        any::<u64>(),
        prop::sample::select(vec![
            0,
            1,
            2,
            u64::MAX,
            i64::MAX as u64,
            i64::MIN as u64,
            63,
            64,
            65,
            1 << 32
        ]),
        (0u64..4).prop_map(u64::wrapping_neg),
    ]
}

fn object(lines: &[Line], constants: &[u64]) -> Object {
    // Each line becomes two words, so labels are easy to compute.
    let label = |n: usize| (2 * n.min(lines.len())) as u32;
    let nop = Insn::registers(Op::Nop, 0, 0, 0);
    let mut text = Vec::new();
    for (n, line) in lines.iter().enumerate() {
        let words = match *line {
            Line::Compute(op @ (Op::Not | Op::Mov), a, _, d) => [Insn::registers(op, a, 0, d), nop],
            Line::Compute(op, a, b, d) => [Insn::registers(op, a, b, d), nop],
            Line::Skip(op, a, b, skip) => [
                Insn::registers(Op::Cmp, a, b, 0),
                Insn::branch(op, label(n + 1 + usize::from(skip))),
            ],
            Line::SkipTst(op, a, skip) => [
                Insn::registers(Op::Tst, a, 0, 0),
                Insn::branch(op, label(n + 1 + usize::from(skip))),
            ],
            Line::Set(index, d) => [Insn::indexed(Op::Setx, u16::from(index), d), nop],
        };
        text.extend(words.map(|w| w.0));
    }
    text.push(Insn::registers(Op::Ret, 0, 0, 1).0);
    let (inttab, rtype) = (constants.to_vec(), DifType::integer(8));
    Object { text, inttab, rtype, ..Object::default() }
}

/// Returns the value of `%r1`, or the line that divides by zero.
fn model(lines: &[Line], constants: &[u64]) -> Result<u64, usize> {
    let mut r = [0u64; 8];
    let mut n = 0;
    while let Some(line) = lines.get(n) {
        let at = n;
        n += 1;
        match *line {
            Line::Compute(op, a, b, d) => {
                r[d as usize] = meaning(op, r[a as usize], r[b as usize]).ok_or(at)?;
            }
            Line::Skip(op, a, b, skip) if taken(op, r[a as usize], r[b as usize]) => {
                n += usize::from(skip);
            }
            Line::SkipTst(op, a, skip) if taken(op, r[a as usize], 0) => n += usize::from(skip),
            Line::Set(index, d) => r[d as usize] = constants[index as usize],
            _ => {}
        }
    }
    Ok(r[1])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn machine_and_model_agree(
        lines in prop::collection::vec(line(), 1..40),
        constants in prop::collection::vec(constant(), 8),
    ) {
        let difo = Program::of(object(&lines, &constants), &Rules::DEFAULT, &mut |e| panic!("{e}"))
            .expect("well formed");
        let mut env = Script::new();
        env.watch(&difo);
        let answer = run(&difo, &mut Clause::new(&mut [], 256), &mut env);
        match (answer, model(&lines, &constants)) {
            (Ok(value), Ok(expected)) => prop_assert_eq!(value, expected),
            (Err(fault), Err(line)) => {
                prop_assert_eq!(fault.kind, FaultKind::DivZero);
                prop_assert_eq!(fault.pc as usize, 2 * line);
            }
            (found, expected) => prop_assert!(false, "{:?} instead of {:?}", found, expected),
        }
    }

    #[test]
    fn one_operation(
        op in prop::sample::select(&ARITHMETIC[..]),
        a in constant(),
        b in constant(),
    ) {
        let lines = [Line::Set(0, 1), Line::Set(1, 2), Line::Compute(op, 1, 2, 1)];
        let difo = Program::of(object(&lines, &[a, b]), &Rules::DEFAULT, &mut |e| panic!("{e}"))
            .expect("well formed");
        let answer = run(&difo, &mut Clause::new(&mut [], 256), &mut Script::new());
        prop_assert_eq!(answer.ok(), meaning(op, a, b));
    }

    #[test]
    fn one_branch(
        op in prop::sample::select(&BRANCHES[..]),
        a in constant(),
        b in constant(),
    ) {
        let lines = [
            Line::Set(0, 1),
            Line::Set(1, 2),
            Line::Skip(op, 1, 2, 1),
            Line::Compute(Op::Sub, 0, 0, 1),
        ];
        let a = if a == 0 { 1 } else { a };
        let difo = Program::of(object(&lines, &[a, b]), &Rules::DEFAULT, &mut |e| panic!("{e}"))
            .expect("well formed");
        let answer = run(&difo, &mut Clause::new(&mut [], 256), &mut Script::new());
        prop_assert_eq!(answer, Ok(if taken(op, a, b) { a } else { 0 }));
    }
}
