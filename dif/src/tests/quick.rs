// SPDX-License-Identifier: GPL-2.0
//! Objects of simple shapes: the shape that is found, and a comparison with the loop.

use abi::dif::{Builtin, Op, VAR_USER_BASE};
use abi::difo::{DifType, DifVar, SCOPE_GLOBAL, SCOPE_LOCAL, SCOPE_THREAD, VAR_SCALAR};

use crate::asm::{assemble, Object};
use crate::harness::{quick_and_loop_agree, Script, Seeded};
use crate::op::Insn;
use crate::quick::Only;
use crate::{Decoded, Program, Quick, Rules};

fn verified(object: Object) -> Option<Program<Object, Vec<Decoded>>> {
    Program::of(object, &Rules::DEFAULT, &mut |_| ())
}

fn shape(text: &str) -> Quick {
    let object = assemble(text).unwrap_or_else(|e| panic!("{e}"));
    *verified(object).expect("keeps the rules").quick()
}

#[test]
fn what_the_compiler_emits() {
    let pid_is = "ldgs DT_VAR(0x116), %r1\nsetx DT_INTEGER[0], %r2\ncmp %r1, %r2\nbe 6\n\
                  mov %r0, %r1\nba 7\nsetx DT_INTEGER[1], %r1\nret %r1\n.int 1234\n.int 1\n";
    assert_eq!(
        shape(pid_is).only(),
        Some(Only { builtin: Builtin::Pid, value: 1234, holds: 6, fails: 7 })
    );
    let pid_is_not = pid_is.replace("be 6", "bne 6");
    assert!(matches!(shape(&pid_is_not), Quick::Choice { .. }));
    assert_eq!(shape(&pid_is_not).only(), None);
    assert_eq!(shape("ldgs DT_VAR(0x118), %r1\nret %r1\n").builtin(), Some((Builtin::Execname, 2)));
    // An unused load may still fault, and the host observes the order of two loads.
    for other in [
        "ldgs DT_VAR(0x116), %r1\nret %r0\n",
        "ldgs DT_VAR(0x116), %r1\nldgs DT_VAR(0x117), %r2\nsub %r2, %r1, %r1\nret %r1\n",
        "ldgs DT_VAR(0x116), %r1\nadd %r1, %r1, %r1\nret %r1\n",
        "ldgs DT_VAR(0x116), %r1\nsetx DT_INTEGER[0], %r2\nudiv %r1, %r2, %r1\nret %r1\n.int 0\n",
    ] {
        assert_eq!(shape(other), Quick::No, "{other}");
    }
}

const NUMBERS: [u64; 10] =
    [0, 1, 2, 7, 63, 64, u64::MAX, i64::MAX as u64, i64::MIN as u64, 1 << 32];
const BUILTINS: [Builtin; 4] = [Builtin::Pid, Builtin::Arg0, Builtin::Timestamp, Builtin::Cpu];
const VALUES: [Op; 13] = [
    Op::Sub,
    Op::Add,
    Op::And,
    Op::Or,
    Op::Xor,
    Op::Mul,
    Op::Sll,
    Op::Srl,
    Op::Sra,
    Op::Mov,
    Op::Not,
    Op::Udiv,
    Op::Nop,
];

/// Returns a text of a few instructions, as in simple expressions.
fn text(random: &mut Seeded) -> Vec<u32> {
    let mut pick = |n: u64| random.number() % n;
    let branches: Vec<Op> = Op::ALL
        .iter()
        .copied()
        .filter(|op| *op as u8 >= Op::Ba as u8 && *op as u8 <= Op::Bleu as u8)
        .collect();
    let len = 2 + pick(8) as usize;
    let mut text = Vec::new();
    for pc in 0..len {
        let (r1, r2, rd) = (pick(4) as u8, pick(4) as u8, 1 + pick(3) as u8);
        let row = pick(3) as usize;
        let var = VAR_USER_BASE + row as u16;
        let store = [Op::Stgs, Op::Stts, Op::Stls][row];
        let insn = match pick(12) {
            _ if pc + 1 == len => Insn::registers(Op::Ret, 0, 0, r1),
            0 | 1 => Insn::indexed(Op::Ldgs, BUILTINS[pick(4) as usize].id(), rd),
            2 => Insn::indexed([Op::Ldgs, Op::Ldts, Op::Ldls][row], var, rd),
            3 | 4 => Insn::indexed(Op::Setx, pick(10) as u16, rd),
            5 => Insn::indexed(store, var, rd),
            6 => Insn::registers(Op::Cmp, r1, r2, 0),
            7 => Insn::registers(Op::Tst, r1, 0, 0),
            8 | 9 => {
                let target = pc as u64 + 1 + pick((len - pc - 1).min(3) as u64);
                Insn::branch(branches[pick(branches.len() as u64) as usize], target as u32)
            }
            10 => match VALUES[pick(13) as usize] {
                Op::Nop => Insn::registers(Op::Nop, 0, 0, 0),
                op @ (Op::Mov | Op::Not) => Insn::registers(op, r1, 0, rd),
                op => Insn::registers(op, r1, r2, rd),
            },
            _ => Insn::registers(Op::Ret, 0, 0, rd),
        };
        // After a comparison, usually a branch on it.
        let after = text.last().and_then(|w| Insn(*w).op());
        let insn = match after {
            Some(Op::Cmp | Op::Tst) if pc + 2 < len && pick(8) != 0 => Insn::branch(
                branches[pick(branches.len() as u64) as usize],
                pc as u32 + 1 + pick((len - pc - 1).min(4) as u64) as u32,
            ),
            _ => insn,
        };
        text.push(insn.0);
    }
    text
}

#[test]
fn the_loop_says_the_same() {
    let mut random = Seeded(0x1234_5678_9abc_def1);
    let row = |n: u32, scope| DifVar {
        name: 0,
        id: u32::from(VAR_USER_BASE) + n,
        kind: VAR_SCALAR,
        scope,
        flags: 0,
        ty: DifType::integer(8),
    };
    // Counts of terms, operations, choices and stores, and of faults.
    let mut seen = [0; 5];
    for _ in 0..400_000 {
        let object = Object {
            text: text(&mut random),
            inttab: NUMBERS.to_vec(),
            strtab: vec![0],
            vars: vec![row(0, SCOPE_GLOBAL), row(1, SCOPE_THREAD), row(2, SCOPE_LOCAL)],
            rtype: DifType::integer(8),
        };
        let Some(difo) = verified(object) else { continue };
        let mut script = Script::new();
        for b in BUILTINS {
            let n = random.number();
            script.builtins.insert((b.id(), 0), NUMBERS[n as usize % NUMBERS.len()]);
            if n >> 32 & 15 == 0 {
                script.faulty.push(b);
            }
        }
        if random.number() & 7 == 0 {
            script.limit = Some(random.number() % 10);
        }
        let Some(answer) = quick_and_loop_agree(&difo, &script) else { continue };
        seen[match difo.quick() {
            Quick::Term { .. } => 0,
            Quick::Binary { .. } => 1,
            Quick::Choice { .. } => 2,
            _ => 3,
        }] += 1;
        seen[4] += usize::from(answer.is_err());
    }
    println!("terms, operations, choices, stores; faults: {seen:?}");
    assert!(seen.iter().all(|n| *n > 1000), "{seen:?}");
}
