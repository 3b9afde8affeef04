// SPDX-License-Identifier: GPL-2.0
//! Programs that pass the verifier, grown from any bytes, and run: for coverage-guided fuzzing.
//!
//! Random words rarely make a valid program. A program grown here is a sequence of idioms that a
//! compiler would emit, with operands that are right most of the time: a load usually has a valid
//! address, and a subroutine gets arguments of the kinds in its prototype. Each program is
//! verified, run twice in one clause (so that `strtok` and scratch continue), and its value is
//! fetched. [`COUNTS`] counts the programs.

#![cfg_attr(
    not(test),
    allow(
        clippy::indexing_slicing,
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::arithmetic_side_effects,
        reason = "host only: a panic is a finding"
    )
)]

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::vec::Vec;

use abi::dif::{Builtin, Op, Subr, VAR_USER_BASE};
use abi::difo::{
    DifType, DifVar, BY_REF, KIND_CTF, KIND_STRING, SCOPE_GLOBAL, SCOPE_LOCAL, SCOPE_THREAD,
    VAR_ARRAY, VAR_SCALAR,
};

use crate::addr;
use crate::asm::Object;
use crate::bound::Prices;
use crate::decode::Program;
use crate::difo::Difo;
use crate::harness::{listing, quick_and_loop_agree, Script};
use crate::interp::{fetch_bytes, fetch_str, run};
use crate::op::Insn;
use crate::scratch::Clause;
use crate::verify::Rules;

/// Instructions that compute from one or two registers.
pub(crate) const ARITHMETIC: [Op; 15] = [
    Op::Or,
    Op::Xor,
    Op::And,
    Op::Sll,
    Op::Srl,
    Op::Sra,
    Op::Sub,
    Op::Add,
    Op::Mul,
    Op::Sdiv,
    Op::Udiv,
    Op::Srem,
    Op::Urem,
    Op::Not,
    Op::Mov,
];

/// Branches, unconditional and conditional.
pub(crate) const BRANCHES: [Op; 11] = [
    Op::Ba,
    Op::Be,
    Op::Bne,
    Op::Bg,
    Op::Bgu,
    Op::Bge,
    Op::Bgeu,
    Op::Bl,
    Op::Blu,
    Op::Ble,
    Op::Bleu,
];

/// The numbers of programs that were verified and run, that returned, and that faulted.
pub static COUNTS: [AtomicU64; 3] = [AtomicU64::new(0), AtomicU64::new(0), AtomicU64::new(0)];

const KERNEL: u64 = 0xffff_8880_0000_1000;
const USER: u64 = 0x5555_5555_4000;

const NUMBERS: [u64; 32] = [
    0,
    1,
    2,
    3,
    4,
    7,
    8,
    10,
    16,
    31,
    32,
    36,
    63,
    64,
    65,
    255,
    256,
    4096,
    65_535,
    65_536,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
    1 << 32,
    i64::MAX as u64,
    i64::MIN as u64,
    u64::MAX,
    u64::MAX - 7,
    u64::MAX - 31,
    KERNEL,
    USER,
    0xdead_0000_0000_0000,
];

const STRINGS: &[u8] =
    b"\0/usr/lib/../bin//sh/./\0{\"a\": [1, {\"b\": \"c\\\"d\"}], \"e\": -12.5}\0a[1].b\0\
a,b;;c,\0,;\0-0x7fffffffffffffff\0  0777zz\0aXbXcX\0X\0a\0\0";

fn by_ref(kind: u8, size: u32) -> DifType {
    DifType { kind, ctf_kind: 0, flags: BY_REF, pad: 0, size }
}

/// Returns variables of every scope and kind, by value and by reference. Their ids count up from
/// the first, in this order.
fn variables() -> Vec<DifVar> {
    let rows = [
        (VAR_SCALAR, SCOPE_GLOBAL, DifType::integer(8)),
        (VAR_SCALAR, SCOPE_GLOBAL, DifType::integer(1)),
        (VAR_SCALAR, SCOPE_GLOBAL, by_ref(KIND_STRING, 40)),
        (VAR_SCALAR, SCOPE_GLOBAL, by_ref(KIND_CTF, 24)),
        (VAR_ARRAY, SCOPE_GLOBAL, DifType::integer(4)),
        (VAR_ARRAY, SCOPE_GLOBAL, by_ref(KIND_STRING, 64)),
        (VAR_SCALAR, SCOPE_THREAD, DifType::integer(8)),
        (VAR_SCALAR, SCOPE_THREAD, by_ref(KIND_STRING, 33)),
        (VAR_ARRAY, SCOPE_THREAD, DifType::integer(2)),
        (VAR_ARRAY, SCOPE_THREAD, by_ref(KIND_CTF, 9)),
        (VAR_SCALAR, SCOPE_LOCAL, DifType::integer(4)),
        (VAR_SCALAR, SCOPE_LOCAL, by_ref(KIND_STRING, 20)),
    ];
    let row = |(n, (kind, scope, ty))| DifVar {
        name: 0,
        id: u32::from(VAR_USER_BASE) + n,
        kind,
        scope,
        flags: 0,
        ty,
    };
    (0u32..).zip(rows).map(row).collect()
}

struct Grow<'b> {
    bytes: &'b [u8],
    object: Object,
    /// The open branches: the index of the instruction, and the number of idioms to its target.
    open: Vec<(usize, usize)>,
}

impl Grow<'_> {
    fn byte(&mut self) -> u8 {
        let first = self.bytes.first().copied().unwrap_or(0);
        self.bytes = self.bytes.get(1..).unwrap_or_default();
        first
    }
    fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[usize::from(self.byte()) % of.len()]
    }
    fn source(&mut self) -> u8 {
        self.byte() & 7
    }
    fn target(&mut self) -> u8 {
        (self.byte() % 7) + 1
    }
    fn three(&mut self, op: Op, r1: u8, r2: u8, rd: u8) {
        self.object.text.push(Insn::registers(op, r1, r2, rd).0);
    }
    fn index(&mut self, op: Op, index: u16, rd: u8) {
        self.object.text.push(Insn::indexed(op, index, rd).0);
    }

    fn number(&mut self, value: u64, rd: u8) {
        let n = self.object.inttab.len();
        self.object.inttab.push(value);
        // CAST: a program has a few hundred idioms.
        self.index(Op::Setx, n as u16, rd);
    }

    /// Sets a number, usually one that programs often mishandle.
    fn any_number(&mut self, rd: u8) {
        let value = match self.byte() {
            b @ 0..=191 => NUMBERS[usize::from(b) % NUMBERS.len()],
            b @ 192..=223 => u64::from(b & 31),
            _ => u64::from_le_bytes(std::array::from_fn(|_| self.byte())),
        };
        self.number(value, rd);
    }

    /// Sets a number that a string subroutine might get.
    fn small_number(&mut self, rd: u8) {
        let b = self.byte();
        self.number(i64::from(b as i8) as u64, rd);
    }

    fn string(&mut self, rd: u8) {
        match self.byte() {
            // CAST: the strings are a few dozen bytes.
            b @ 0..=159 => self.index(Op::Sets, (usize::from(b) % STRINGS.len()) as u16, rd),
            160..=191 => self.index(Op::Ldgs, Builtin::Execname.id(), rd),
            192..=223 => {
                let id = self.pick(&[(Op::Ldgs, 2), (Op::Ldts, 7), (Op::Ldls, 11)]);
                self.index(id.0, VAR_USER_BASE + id.1, rd);
            }
            224..=239 => self.address(rd),
            // Any register: perhaps it holds a string that was made earlier.
            _ => {
                let r = self.source();
                self.three(Op::Mov, r, 0, rd);
            }
        }
    }

    /// Sets an address in some memory.
    fn address(&mut self, rd: u8) {
        let off = u64::from(self.byte());
        match self.byte() % 8 {
            0 => self.number(KERNEL + off * 8, rd),
            1 => self.number(USER + off, rd),
            2 => self.number(addr::make(addr::SCRATCH, off), rd),
            3 => self.number(addr::make(addr::ENV_FIRST, off), rd),
            4 => self.number(addr::make(addr::STRTAB, off), rd),
            5 => {
                self.number(off & 63, rd);
                self.three(Op::Allocs, rd, 0, rd);
            }
            6 => self.index(Op::Ldgs, VAR_USER_BASE + 3, rd),
            _ => self.any_number(rd),
        }
    }

    fn arithmetic(&mut self) {
        let op = self.pick(&ARITHMETIC);
        let (r1, r2, rd) = (self.source(), self.source(), self.target());
        let r2 = if matches!(op, Op::Not | Op::Mov) { 0 } else { r2 };
        self.three(op, r1, r2, rd);
    }

    fn branch(&mut self) {
        let (r1, r2) = (self.source(), self.source());
        match self.byte() % 8 {
            0..=3 => self.three(Op::Cmp, r1, r2, 0),
            4 => self.three(Op::Tst, r1, 0, 0),
            5 => {
                self.string(1);
                self.string(2);
                self.three(Op::Scmp, 1, 2, 0);
            }
            _ => {}
        }
        let op = self.pick(&BRANCHES);
        let ahead = usize::from(self.byte() % 6);
        self.open.push((self.object.text.len(), ahead));
        self.object.text.push(Insn::branch(op, 0).0);
    }

    fn memory(&mut self) {
        let (r1, rd) = (self.target(), self.target());
        self.address(r1);
        let op = self.byte() % 26;
        let loads = [Op::Ldsb as u8, Op::Uldsb as u8, Op::Rldsb as u8];
        if op < 21 {
            // CAST: the three families have seven loads each.
            let op = Op::from_number(loads[usize::from(op / 7)] + op % 7).expect("a load");
            self.three(op, r1, 0, rd);
        } else if op < 25 {
            let op = Op::from_number(Op::Stb as u8 + (op - 21)).expect("a store");
            self.three(op, rd, 0, r1);
        } else {
            self.address(rd);
            let size = self.pick(&[0, 1, 8, 24, 33, 1 << 20, u64::MAX]);
            let at = r1 % 7 + 1;
            self.number(size, at);
            self.three(Op::Copys, r1, at, rd);
        }
    }

    fn variable(&mut self) {
        let n = u16::from(self.byte() % 12);
        let store = self.byte() & 1 != 0;
        let op = match (n, store) {
            (0..=3, false) => Op::Ldgs,
            (0..=3, true) => Op::Stgs,
            (4 | 5, false) => Op::Ldgaa,
            (4 | 5, true) => Op::Stgaa,
            (6 | 7, false) => Op::Ldts,
            (6 | 7, true) => Op::Stts,
            (8 | 9, false) => Op::Ldtaa,
            (8 | 9, true) => Op::Sttaa,
            (_, false) => Op::Ldls,
            (_, true) => Op::Stls,
        };
        let r = self.target();
        if store {
            match n {
                2 | 5 | 7 | 11 => self.string(r),
                3 | 9 => self.address(r),
                _ => {}
            }
        }
        if matches!(n, 4 | 5 | 8 | 9) {
            let spare = r % 7 + 1;
            self.three(Op::Flushts, 0, 0, 0);
            for _ in 0..self.byte() % 5 {
                self.push(spare);
            }
        }
        self.index(op, VAR_USER_BASE + n, r);
    }

    /// Pushes a key or argument of any kind.
    fn push(&mut self, spare: u8) {
        match self.byte() % 4 {
            0 => {
                self.string(spare);
                self.three(Op::Pushtr, KIND_STRING, 0, spare);
            }
            1 => {
                self.address(spare);
                let size = self.pick(&[0, 1, 8, 24, 70, 1 << 40]);
                let at = spare % 7 + 1;
                self.number(size, at);
                self.three(Op::Pushtr, KIND_CTF, at, spare);
            }
            2 => {
                let r = self.source();
                self.three(Op::Pushtv, KIND_CTF, 0, r);
            }
            _ => {
                self.any_number(spare);
                self.three(Op::Pushtv, KIND_CTF, 0, spare);
            }
        }
    }

    /// Calls a subroutine with arguments that fit its prototype.
    fn call(&mut self) {
        let subr = self.pick(Subr::ALL);
        let params = subr.prototype().split_once('(').map_or("", |p| p.1);
        self.three(Op::Flushts, 0, 0, 0);
        for param in params.trim_end_matches(')').split(',').filter(|p| !p.trim().is_empty()) {
            let param = param.trim();
            if param.starts_with('[') && self.byte() & 1 == 0 {
                break;
            }
            if param.contains("char *") {
                self.string(1);
                self.three(Op::Pushtr, KIND_STRING, 0, 1);
                continue;
            }
            if param.contains('*') || param.contains("uintptr_t") {
                self.address(1);
            } else if matches!(self.byte() % 4, 0) {
                self.any_number(1);
            } else {
                self.small_number(1);
            }
            self.three(Op::Pushtv, KIND_CTF, 0, 1);
        }
        if self.byte() == 255 {
            self.three(Op::Popts, 0, 0, 0);
        }
        let rd = self.target();
        // CAST: the number of a subroutine.
        self.index(Op::Call, subr as u16, rd);
    }

    fn builtin(&mut self) {
        let rd = self.target();
        let b = self.pick(Builtin::ALL);
        // CAST: arrays have the lowest ids.
        match b.id() {
            id @ 0..=3 => {
                // `args` or `uregs`.
                let (id, r) = (id & 2, self.source());
                let op = if id == 2 && self.byte() & 1 != 0 { Op::Stga } else { Op::Ldga };
                self.three(op, id as u8, r, rd);
            }
            id => self.index(Op::Ldgs, id, rd),
        }
    }

    fn idiom(&mut self) {
        match self.byte() % 16 {
            0..=2 => self.arithmetic(),
            3 | 4 => self.branch(),
            5 | 6 => self.memory(),
            7 | 8 => self.variable(),
            9..=11 => self.call(),
            12 => self.builtin(),
            13 => {
                let rd = self.target();
                self.any_number(rd);
            }
            14 => {
                let rd = self.target();
                self.string(rd);
            }
            _ => match self.byte() {
                0..=7 => {
                    let r = self.source();
                    self.three(Op::Ret, 0, 0, r);
                }
                8..=15 => {
                    let (r, rd) = (self.source(), self.target());
                    self.three(Op::Ldta, 0, r, rd);
                }
                _ => self.three(Op::Nop, 0, 0, 0),
            },
        }
    }

    /// Sets the targets of branches that are due, or of all of them, to the next instruction.
    fn place(&mut self, all: bool) {
        let here = self.object.text.len();
        let text = &mut self.object.text;
        self.open.retain_mut(|(at, ahead)| {
            if *ahead > 0 && !all {
                *ahead -= 1;
                return true;
            }
            // CAST: as above.
            text[*at] |= here as u32;
            false
        });
    }

    fn program(mut self, idioms: usize) -> Object {
        self.object.strtab = STRINGS.to_vec();
        self.object.vars = variables();
        self.object.rtype = match self.byte() % 4 {
            0 => DifType::string(64),
            1 => by_ref(KIND_CTF, 24),
            _ => DifType::integer(8),
        };
        for _ in 0..idioms {
            self.idiom();
            self.place(false);
        }
        self.place(true);
        let r = self.source();
        self.three(Op::Ret, 0, 0, r);
        self.object
    }
}

/// Grows a program from some bytes, verifies it and runs it. Panics if the verifier refuses it, or
/// if the machine breaks a promise.
pub fn grown_keeps_promise(bytes: &[u8]) {
    let mut grow = Grow { bytes, object: Object::default(), open: Vec::new() };
    let (mode, sizes) = (grow.byte(), grow.byte());
    let idioms = 1 + bytes.len() / 6;
    let object = grow.program(idioms.min(200));
    let rules =
        Rules { allow_destructive: true, allow_kernel_loads: mode & 3 != 0, ..Rules::DEFAULT };
    // The rules allow every program that is grown here.
    let mut refusal = None;
    let Some(difo) = Program::of(object, &rules, &mut |e| refusal = Some(e)) else {
        panic!("refused: {refusal:?}");
    };
    COUNTS[0].fetch_add(1, Relaxed);
    let mut memory = [0xa5; 1024];
    let size = [1024, 1024, 512, 512, 100, 33, 8, 0][usize::from(sizes & 7)];
    let strsize = [256, 64, 64, 33, 32, 17, 8, 1][usize::from(sizes >> 3 & 7)];
    let mut clause = Clause::new(&mut memory[..size], strsize);
    let mut env = Script::new();
    env.room = if mode & 16 != 0 { 0 } else { 600 };
    env.wild = mode & 32 != 0;
    env.kernel.push((KERNEL, b"kernel text\0and more of it, with /paths/and,tokens\0".to_vec()));
    env.user.push((USER, b"/home/user/file.txt\0~ 42 0x2a\0".to_vec()));
    env.set_string(Builtin::Execname, b"/usr/bin/sh, {\"a\": [1, 2]}");
    env.builtins.insert((Builtin::Arg0.id(), 0), KERNEL);
    quick_and_loop_agree(&difo, &env);
    let most = u64::from(difo.max_steps(&Prices::new(strsize)));
    for _ in 0..2 {
        env.watch(&difo);
        env.spent = 0;
        let answer = run(&difo, &mut clause, &mut env);
        assert!(env.spent <= most, "{} steps, at most {most}\n{}", env.spent, listing(&**difo));
        assert!(clause.used() <= size);
        match answer {
            Err(fault) => {
                assert!((fault.pc as usize) < difo.text().len(), "{fault:?}");
                COUNTS[2].fetch_add(1, Relaxed);
            }
            Ok(at) => {
                COUNTS[1].fetch_add(1, Relaxed);
                if difo.rtype().is_string() {
                    let mut out = [0xff; 64];
                    if let Ok(len) = fetch_str(&difo, &mut clause, &mut env, at, &mut out) {
                        assert!(len < out.len() && out[len..].iter().all(|b| *b == 0));
                        assert!(!out[..len].contains(&0));
                    }
                } else if difo.rtype().is_by_ref() {
                    let _ = fetch_bytes(&difo, &mut clause, &mut env, at, &mut [0; 24]);
                }
            }
        }
    }
    assert!(env.violations.is_empty(), "{:?}\n{}", env.violations, listing(&**difo));
}
