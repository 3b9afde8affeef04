// SPDX-License-Identifier: GPL-2.0
//! A model of the whole machine, compared with it on random programs. The model has no addresses,
//! no byte registers and no condition codes: numbers are 128-bit, texts are vectors, memory is a
//! map.
//!
//! Registers 1 to 4 hold numbers and 5 to 7 texts, so that no program computes with a text's
//! address.

use std::collections::HashMap;

use abi::dif::{Builtin, Op, Subr, VAR_USER_BASE};
use abi::difo::{
    DifType, DifVar, KIND_CTF, KIND_STRING, SCOPE_GLOBAL, SCOPE_LOCAL, SCOPE_THREAD, VAR_ARRAY,
    VAR_SCALAR,
};

use super::model::{meaning, taken, ARITHMETIC, BRANCHES};
use crate::asm::Object;
use crate::fault::FaultKind;
use crate::harness::{listing, Script, Seeded};
use crate::interp::fetch_str;
use crate::op::Insn;
use crate::{run, Clause, Program, Rules};

const STRSIZE: usize = 40;
/// For each space: its address, the first of its load instructions, and its 24 bytes.
const SPACES: [(u64, Op); 3] = [
    (0xffff_8880_0000_1000, Op::Ldsb),
    (0x5555_0000_1000, Op::Uldsb),
    (0xffff_8880_0000_2000, Op::Rldsb),
];
const MEMORY: u64 = 24;
/// (array, scope, text): their ids count up from the first.
const VARS: [(bool, u8, bool); 9] = [
    (false, SCOPE_GLOBAL, false),
    (false, SCOPE_THREAD, false),
    (false, SCOPE_LOCAL, false),
    (false, SCOPE_GLOBAL, true),
    (false, SCOPE_THREAD, true),
    (false, SCOPE_LOCAL, true),
    (true, SCOPE_GLOBAL, false),
    (true, SCOPE_THREAD, false),
    (true, SCOPE_GLOBAL, true),
];
const TEXTS: [&[u8]; 9] = [
    b"",
    b"a",
    b"/usr/bin/",
    b"aXbXcX",
    b"X",
    b"0x2a",
    b"-17 and",
    b"The quick brown fox jumps over the",
    b"bX",
];

fn byte(space: usize, at: u64) -> u8 {
    (at.wrapping_mul(37) as u8).wrapping_add((space as u8).wrapping_mul(0x55)) | 1
}

#[derive(Debug, Clone)]
enum Line {
    Compute(Op, u8, u8, u8),
    Set(u64, u8),
    Skip(Op, u8, u8, usize),
    SkipTst(Op, u8, usize),
    SkipText(Op, u8, u8, usize),
    /// The space, the number of the load instruction (0 to 6), the offset.
    Load(usize, u8, u64, u8),
    /// Allocates 16 bytes, stores 1, 2, 4 or 8 bytes of a register at one offset, loads from
    /// another.
    Memory(u8, u8, u64, u8, u64, u8),
    /// Copies bytes of kernel memory into an allocation of 16 bytes, loads the first 8.
    Copy(u64, u64, u8),
    Number(usize, bool, u8),
    Text(usize, bool, u8),
    Entry(usize, bool, Vec<u8>, u8),
    Literal(usize, u8),
    Builtin(Builtin, u8),
    Arg(u8, u8),
    Strings(Subr, u8, u8, u8),
    Numbers(Subr, u8, u8),
    Lost,
}

fn line(random: &mut Seeded) -> Line {
    let mut n = |below: u64| (random.number() >> 20) % below;
    let number = |n: &mut dyn FnMut(u64) -> u64| 1 + n(4) as u8;
    let text = |n: &mut dyn FnMut(u64) -> u64| 5 + n(3) as u8;
    let edges = [0, 1, 2, u64::MAX, 1 << 31, 1 << 63, (1 << 63) - 1, 63, 64, 0xffff_ffff, 36, 10];
    let (a, b, d) = (number(&mut n), number(&mut n), number(&mut n));
    let (x, y, z) = (text(&mut n), text(&mut n), text(&mut n));
    let skip = n(4) as usize;
    match n(18) {
        0 | 1 => Line::Compute(ARITHMETIC[n(15) as usize], a, b, d),
        2 | 3 => Line::Set(edges[n(12) as usize], d),
        4 => Line::Set(n(40).wrapping_sub(8), d),
        5 => Line::Skip(BRANCHES[n(11) as usize], a, b, skip),
        6 => Line::SkipTst([Op::Be, Op::Bne][n(2) as usize], a, skip),
        7 => Line::SkipText(BRANCHES[n(11) as usize], x, y, skip),
        8 => Line::Load(n(3) as usize, n(7) as u8, n(MEMORY + 1), d),
        9 => Line::Memory(n(4) as u8, a, n(10), n(7) as u8, n(10), d),
        10 => Line::Copy(n(10), n(15), d),
        11 => Line::Number(n(3) as usize, n(2) == 0, d),
        12 => Line::Text(3 + n(3) as usize, n(2) == 0, x),
        13 => {
            let keys = (0..n(3)).map(|_| 1 + n(7) as u8).collect();
            let which = 6 + n(3) as usize;
            Line::Entry(which, n(2) == 0, keys, if which == 8 { x } else { d })
        }
        14 => Line::Literal(n(TEXTS.len() as u64) as usize, x),
        15 => match n(12) {
            0..=5 => Line::Builtin([Builtin::Pid, Builtin::Uid][n(2) as usize], d),
            6..=10 => Line::Arg(a, d),
            _ => Line::Lost,
        },
        16 => {
            let of = [Subr::Strjoin, Subr::Strstr, Subr::Toupper, Subr::Tolower, Subr::Substr];
            Line::Strings(of[n(5) as usize], x, if n(5) == 0 { a } else { y }, z)
        }
        _ => {
            let of = [
                Subr::Strlen,
                Subr::Index,
                Subr::Rindex,
                Subr::Htons,
                Subr::Ntohl,
                Subr::Htonll,
                Subr::Strtoll,
            ];
            Line::Numbers(of[n(7) as usize], a, d)
        }
    }
}

/// Returns the text register next to `x`, which holds the second argument of a call.
fn beside(x: u8) -> u8 {
    5 + (x - 5 + 1) % 3
}

struct Build {
    object: Object,
    /// The index of a branch, and the number of the line that it goes to.
    open: Vec<(usize, usize)>,
}

impl Build {
    fn op(&mut self, op: Op, r1: u8, r2: u8, rd: u8) {
        self.object.text.push(Insn::registers(op, r1, r2, rd).0);
    }
    fn index(&mut self, op: Op, index: u16, rd: u8) {
        self.object.text.push(Insn::indexed(op, index, rd).0);
    }
    fn set(&mut self, value: u64, rd: u8) {
        let n = self.object.inttab.len() as u16;
        self.object.inttab.push(value);
        self.index(Op::Setx, n, rd);
    }
    /// Pushes a register: `%r0` and numbers by value, texts by reference.
    fn push(&mut self, r: u8) {
        match r >= 5 {
            true => self.op(Op::Pushtr, KIND_STRING, 0, r),
            false => self.op(Op::Pushtv, KIND_CTF, 0, r),
        }
    }
    fn call(&mut self, subr: Subr, args: &[u8], rd: u8) {
        self.op(Op::Flushts, 0, 0, 0);
        args.iter().for_each(|r| self.push(*r));
        // Push one more entry and pop it, which must leave the stack unchanged.
        self.op(Op::Pushtv, KIND_CTF, 0, 0);
        self.op(Op::Popts, 0, 0, 0);
        self.index(Op::Call, subr as u16, rd);
    }
    /// Gives a text register a copy that no later store changes.
    fn own(&mut self, x: u8) {
        let empty = self.object.strtab.len() as u16 - 1;
        self.op(Op::Flushts, 0, 0, 0);
        self.push(x);
        self.index(Op::Sets, empty, x);
        self.push(x);
        self.index(Op::Call, Subr::Strjoin as u16, x);
    }
    fn branch(&mut self, op: Op, to: usize) {
        self.open.push((self.object.text.len(), to));
        self.object.text.push(Insn::branch(op, 0).0);
    }

    fn line(&mut self, at: usize, line: &Line) {
        let var = |n: usize| VAR_USER_BASE + n as u16;
        let free = |r: u8| r % 4 + 1;
        match *line {
            Line::Compute(op @ (Op::Not | Op::Mov), a, _, d) => self.op(op, a, 0, d),
            Line::Compute(op, a, b, d) => self.op(op, a, b, d),
            Line::Set(value, d) => self.set(value, d),
            Line::Skip(op, a, b, skip) => {
                self.op(Op::Cmp, a, b, 0);
                self.branch(op, at + 1 + skip);
            }
            Line::SkipTst(op, a, skip) => {
                self.op(Op::Tst, a, 0, 0);
                self.branch(op, at + 1 + skip);
            }
            Line::SkipText(op, x, y, skip) => {
                self.op(Op::Scmp, x, y, 0);
                self.branch(op, at + 1 + skip);
            }
            Line::Load(space, which, off, d) => {
                let (base, first) = SPACES[space];
                self.set(base + off, d);
                let op = Op::from_number(first as u8 + which).expect("a load");
                self.op(op, d, 0, d);
            }
            Line::Memory(size, src, to, which, from, d) => {
                // The value is kept in a variable, because all registers may be in use.
                self.index(Op::Stls, var(VARS.len()), src);
                let (at, value) = (d, free(d));
                self.index(Op::Stls, var(VARS.len() + 1), value);
                self.set(16, at);
                self.op(Op::Allocs, at, 0, at);
                self.index(Op::Ldls, var(VARS.len()), value);
                self.index(Op::Stls, var(VARS.len()), at);
                let spare = free(value);
                self.index(Op::Stls, var(VARS.len() + 2), spare);
                self.set(to, spare);
                self.op(Op::Add, at, spare, at);
                let store = Op::from_number(Op::Stb as u8 + size).expect("a store");
                self.op(store, value, 0, at);
                self.index(Op::Ldls, var(VARS.len()), at);
                self.set(from, spare);
                self.op(Op::Add, at, spare, at);
                let load = Op::from_number(Op::Ldsb as u8 + which).expect("a load");
                self.op(load, at, 0, at);
                self.index(Op::Ldls, var(VARS.len() + 1), value);
                self.index(Op::Ldls, var(VARS.len() + 2), spare);
            }
            Line::Copy(off, len, d) => {
                let (from, size) = (free(d), free(free(d)));
                self.index(Op::Stls, var(VARS.len()), from);
                self.index(Op::Stls, var(VARS.len() + 1), size);
                self.set(16, d);
                self.op(Op::Allocs, d, 0, d);
                self.set(SPACES[0].0 + off, from);
                self.set(len, size);
                self.op(Op::Copys, from, size, d);
                self.op(Op::Ldx, d, 0, d);
                self.index(Op::Ldls, var(VARS.len()), from);
                self.index(Op::Ldls, var(VARS.len() + 1), size);
            }
            Line::Number(n, store, r) | Line::Text(n, store, r) => {
                let op = match (VARS[n].1, store) {
                    (SCOPE_GLOBAL, true) => Op::Stgs,
                    (SCOPE_GLOBAL, false) => Op::Ldgs,
                    (SCOPE_THREAD, true) => Op::Stts,
                    (SCOPE_THREAD, false) => Op::Ldts,
                    (_, true) => Op::Stls,
                    (_, false) => Op::Ldls,
                };
                self.index(op, var(n), r);
                if !store && r >= 5 {
                    self.own(r);
                }
            }
            Line::Entry(n, store, ref keys, r) => {
                self.op(Op::Flushts, 0, 0, 0);
                keys.iter().for_each(|k| self.push(*k));
                let op = match (VARS[n].1, store) {
                    (SCOPE_GLOBAL, true) => Op::Stgaa,
                    (SCOPE_GLOBAL, false) => Op::Ldgaa,
                    (_, true) => Op::Sttaa,
                    (_, false) => Op::Ldtaa,
                };
                self.index(op, var(n), r);
                if !store && r >= 5 {
                    self.own(r);
                }
            }
            Line::Literal(n, x) => {
                let at: usize = TEXTS[..n].iter().map(|t| t.len() + 1).sum();
                self.index(Op::Sets, at as u16, x);
            }
            Line::Builtin(b, d) => self.index(Op::Ldgs, b.id(), d),
            Line::Arg(index, d) => self.op(Op::Ldga, Builtin::Args.id() as u8, index, d),
            Line::Strings(s @ (Subr::Toupper | Subr::Tolower), x, _, z) => self.call(s, &[x], z),
            Line::Strings(Subr::Substr, x, b, z) if b < 5 => {
                self.call(Subr::Substr, &[x, b, free(b)], z)
            }
            Line::Strings(Subr::Substr, x, _, z) => self.call(Subr::Substr, &[x, 1], z),
            Line::Strings(s, x, b, z) => self.call(s, &[x, b.max(5)], z),
            Line::Numbers(s @ Subr::Strlen, a, d) => self.call(s, &[5 + a % 3], d),
            Line::Numbers(s @ (Subr::Index | Subr::Rindex), a, d) => {
                let x = 5 + a % 3;
                match a & 1 {
                    0 => self.call(s, &[x, beside(x)], d),
                    _ => self.call(s, &[x, beside(x), a], d),
                }
            }
            Line::Numbers(s @ Subr::Strtoll, a, d) => self.call(s, &[5 + a % 3], d),
            Line::Numbers(s, a, d) => self.call(s, &[a], d),
            Line::Lost => {
                self.op(Op::Nop, 0, 0, 0);
                self.op(Op::Ldta, 0, 0, 1);
            }
        }
    }
}

fn object(lines: &[Line], ret: u8) -> Object {
    let mut build = Build { object: Object::default(), open: Vec::new() };
    for text in TEXTS {
        build.object.strtab.extend_from_slice(text);
        build.object.strtab.push(0);
    }
    // Another empty text, for copies.
    build.object.strtab.push(0);
    let own = [(false, SCOPE_LOCAL, false); 3];
    for (id, (array, scope, text)) in (VAR_USER_BASE..).zip(VARS.iter().chain(&own)) {
        let kind = if *array { VAR_ARRAY } else { VAR_SCALAR };
        let ty = if *text { DifType::string(STRSIZE as u32) } else { DifType::integer(8) };
        build.object.vars.push(DifVar {
            name: 0,
            id: id.into(),
            kind,
            scope: *scope,
            flags: 0,
            ty,
        });
    }
    build.object.rtype = match ret >= 5 {
        true => DifType::string(STRSIZE as u32),
        false => DifType::integer(8),
    };
    let mut starts = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        starts.push(build.object.text.len());
        build.line(at, line);
    }
    let end = build.object.text.len();
    for (at, to) in std::mem::take(&mut build.open) {
        build.object.text[at] |= starts.get(to).copied().unwrap_or(end) as u32;
    }
    build.op(Op::Ret, 0, 0, ret);
    build.object
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Key {
    Number(u64),
    Text(Vec<u8>),
}

#[derive(Default)]
struct Naive {
    numbers: [u64; 5],
    texts: [Option<Vec<u8>>; 8],
    vars: HashMap<(usize, Vec<Key>), u64>,
    text_vars: HashMap<(usize, Vec<Key>), Vec<u8>>,
}

fn cut(mut text: Vec<u8>) -> Vec<u8> {
    text.truncate(STRSIZE - 1);
    text
}

fn widened(bytes: &[u8], which: u8) -> u64 {
    let value = bytes.iter().rev().fold(0i128, |sum, b| sum * 256 + i128::from(*b));
    let sign = 1i128 << (8 * bytes.len() - 1);
    (if which < 3 && value >= sign { value - 2 * sign } else { value }) as u64
}

fn width(which: u8) -> usize {
    [1, 2, 4, 1, 2, 4, 8][usize::from(which)]
}

impl Naive {
    fn text(&self, x: u8) -> Vec<u8> {
        self.texts[usize::from(x)].clone().unwrap_or_default()
    }
    fn key(&self, r: u8) -> Key {
        match r >= 5 {
            true => Key::Text(self.text(r)),
            false => Key::Number(self.numbers[usize::from(r)]),
        }
    }

    fn run(&mut self, lines: &[Line]) -> Result<(), FaultKind> {
        let mut at = 0;
        while let Some(line) = lines.get(at) {
            at += 1 + self.line(line)?;
        }
        Ok(())
    }

    /// Runs a line and returns how many lines are skipped.
    fn line(&mut self, line: &Line) -> Result<usize, FaultKind> {
        let n = |r: u8| self.numbers[usize::from(r)];
        match *line {
            Line::Compute(op, a, b, d) => {
                let value = meaning(op, n(a), n(b)).ok_or(FaultKind::DivZero)?;
                self.numbers[usize::from(d)] = value;
            }
            Line::Set(value, d) => self.numbers[usize::from(d)] = value,
            Line::Skip(op, a, b, skip) => return Ok(if taken(op, n(a), n(b)) { skip } else { 0 }),
            Line::SkipTst(op, a, skip) => return Ok(if taken(op, n(a), 0) { skip } else { 0 }),
            Line::SkipText(op, x, y, skip) => {
                // The order of texts as a signed number; texts have no unsigned order.
                let order = self.text(x).cmp(&self.text(y)) as i64;
                let is = match op {
                    Op::Bgu => order != 0,
                    Op::Bgeu => true,
                    Op::Blu => false,
                    Op::Bleu => order == 0,
                    op => taken(op, order as u64, 0),
                };
                return Ok(if is { skip } else { 0 });
            }
            Line::Load(space, which, off, d) => {
                let bytes: Vec<u8> = (off..).take(width(which)).map(|at| byte(space, at)).collect();
                if off + width(which) as u64 > MEMORY {
                    return Err(FaultKind::BadAddr);
                }
                self.numbers[usize::from(d)] = widened(&bytes, which);
            }
            Line::Memory(size, src, to, which, from, d) => {
                let mut memory = [0u8; 16];
                let stored = n(src).to_le_bytes();
                let (to, from) = (to as usize, from as usize);
                let room = memory.get_mut(to..to + (1 << size)).ok_or(FaultKind::BadAddr)?;
                room.copy_from_slice(&stored[..1 << size]);
                let loaded = memory.get(from..from + width(which)).ok_or(FaultKind::BadAddr)?;
                self.numbers[usize::from(d)] = widened(loaded, which);
            }
            Line::Copy(off, len, d) => {
                if off + len > MEMORY {
                    return Err(FaultKind::BadAddr);
                }
                let all: Vec<u8> =
                    (0..8).map(|i| if i < len { byte(0, off + i) } else { 0 }).collect();
                self.numbers[usize::from(d)] = widened(&all, 6);
            }
            Line::Number(v, true, r) => {
                let value = n(r);
                self.vars.insert((v, Vec::new()), value);
            }
            Line::Number(v, false, r) => {
                let value = self.vars.get(&(v, Vec::new())).copied().unwrap_or(0);
                self.numbers[usize::from(r)] = value;
            }
            Line::Text(v, store, x) => self.text_var(v, store, Vec::new(), x),
            Line::Entry(v, store, ref keys, r) => {
                let keys = keys.iter().map(|k| self.key(*k)).collect();
                match (VARS[v].2, store) {
                    (true, _) => self.text_var(v, store, keys, r),
                    (_, true) => {
                        self.vars.insert((v, keys), self.numbers[usize::from(r)]);
                    }
                    _ => {
                        let value = self.vars.get(&(v, keys)).copied().unwrap_or(0);
                        self.numbers[usize::from(r)] = value;
                    }
                }
            }
            Line::Literal(t, x) => self.texts[usize::from(x)] = Some(TEXTS[t].to_vec()),
            Line::Builtin(b, d) => self.numbers[usize::from(d)] = u64::from(b.id()) * 3,
            Line::Arg(index, d) => {
                let value = if n(index) < 5 { 1000 + n(index) } else { 0 };
                self.numbers[usize::from(d)] = value;
            }
            Line::Strings(s, x, b, z) => self.texts[usize::from(z)] = self.strings(s, x, b),
            Line::Numbers(s, a, d) => self.numbers[usize::from(d)] = self.counted(s, a),
            Line::Lost => return Err(FaultKind::IllOp),
        }
        Ok(0)
    }

    fn text_var(&mut self, v: usize, store: bool, keys: Vec<Key>, x: u8) {
        match (store, self.texts[usize::from(x)].clone()) {
            (true, Some(text)) => {
                self.text_vars.insert((v, keys), cut(text));
            }
            (true, None) => {
                self.text_vars.remove(&(v, keys));
            }
            (false, _) => {
                let text = self.text_vars.get(&(v, keys)).cloned().unwrap_or_default();
                self.texts[usize::from(x)] = Some(text);
            }
        }
    }

    fn strings(&self, s: Subr, x: u8, b: u8) -> Option<Vec<u8>> {
        let text = self.text(x);
        let number = |r: u8| self.numbers[usize::from(r)] as i64;
        match s {
            Subr::Toupper => Some(text.to_ascii_uppercase()),
            Subr::Tolower => Some(text.to_ascii_lowercase()),
            Subr::Strjoin => Some(cut([text, self.text(b.max(5))].concat())),
            Subr::Strstr => {
                let wanted = self.text(b.max(5));
                (0..=text.len())
                    .find(|n| text[*n..].starts_with(&wanted))
                    .map(|n| text[n..].to_vec())
                    // NULL has no beginning either.
                    .filter(|_| self.texts[usize::from(x)].is_some())
            }
            _ => {
                let (index, length) = match b < 5 {
                    true => (number(b), Some(number(b % 4 + 1))),
                    false => (number(1), None),
                };
                let len = text.len() as i128;
                let start = i128::from(index) + if index < 0 { len } else { 0 };
                let end = match length.map(i128::from) {
                    None => len,
                    Some(n) if n < 0 => len + n,
                    Some(n) => start + n,
                };
                let inside = |(i, _): &(usize, &u8)| (start..end).contains(&(*i as i128));
                Some(text.iter().enumerate().filter(inside).map(|(_, c)| *c).collect())
            }
        }
    }

    fn counted(&self, s: Subr, a: u8) -> u64 {
        let number = self.numbers[usize::from(a)];
        match s {
            Subr::Strlen => self.text(5 + a % 3).len() as u64,
            Subr::Htons => u64::from((number as u16).swap_bytes()),
            Subr::Ntohl => u64::from((number as u32).swap_bytes()),
            Subr::Htonll => number.swap_bytes(),
            Subr::Strtoll => {
                let text = String::from_utf8(self.text(5 + a % 3)).expect("ASCII");
                let text = text.trim_start();
                let (sign, digits) = match text.strip_prefix('-') {
                    Some(rest) => (-1, rest),
                    None => (1, text.strip_prefix('+').unwrap_or(text)),
                };
                let number = digits.chars().map_while(|c| c.to_digit(10));
                (sign * number.fold(0, |sum: i64, d| sum * 10 + i64::from(d))) as u64
            }
            _ => {
                let x = 5 + a % 3;
                let (text, wanted) = (self.text(x), self.text(beside(x)));
                let start = (a & 1 != 0).then_some(number as i64);
                let places = (0..=text.len()).filter(|n| text[*n..].starts_with(&wanted));
                let found = match (s, start) {
                    (Subr::Index, None) => places.min(),
                    (Subr::Index, Some(from)) => {
                        let from =
                            if wanted.is_empty() { from.min(text.len() as i64) } else { from };
                        places.filter(|n| *n as i64 >= from).min()
                    }
                    (_, None) => places.max(),
                    (_, Some(from)) => {
                        let from = if wanted.is_empty() { from.max(0) } else { from };
                        places.filter(|n| *n as i64 <= from).max()
                    }
                };
                found.map_or(u64::MAX, |n| n as u64)
            }
        }
    }
}

#[test]
fn programs_do_what_the_model_does() {
    let mut random = Seeded(0x0dd_ba11);
    let (mut returned, mut faulted) = (0, 0);
    for _ in 0..40_000 {
        let count = 2 + (random.number() >> 20) % 24;
        let lines: Vec<Line> = (0..count).map(|_| line(&mut random)).collect();
        let ret = 1 + ((random.number() >> 20) % 7) as u8;
        let difo =
            Program::of(object(&lines, ret), &Rules::DEFAULT, &mut |e| panic!("{e}: {lines:?}"))
                .expect("verifies");
        let mut env = Script::new();
        let bytes = |space: usize| (0..MEMORY).map(|at| byte(space, at)).collect::<Vec<u8>>();
        env.kernel.push((SPACES[0].0, bytes(0)));
        env.user.push((SPACES[1].0, bytes(1)));
        env.restricted.push((SPACES[2].0, bytes(2)));
        for b in [Builtin::Pid, Builtin::Uid] {
            env.builtins.insert((b.id(), 0), u64::from(b.id()) * 3);
        }
        env.builtins.extend((0..5).map(|n| ((Builtin::Args.id(), n), 1000 + n)));
        env.watch(&difo);
        let mut memory = vec![0; 16 << 10];
        let mut clause = Clause::new(&mut memory, STRSIZE);
        let answer = run(&difo, &mut clause, &mut env);

        let mut naive = Naive::default();
        let wanted = naive.run(&lines);
        let text = || format!("{lines:#?}\n{}", listing(&**difo));
        match (answer, wanted) {
            (Ok(value), Ok(())) if ret < 5 => {
                assert_eq!(value, naive.numbers[usize::from(ret)], "{}", text());
                returned += 1;
            }
            (Ok(at), Ok(())) => {
                let mut out = [0xff; STRSIZE];
                let len = fetch_str(&difo, &mut clause, &mut env, at, &mut out).expect("a text");
                assert_eq!(out[..len], naive.text(ret), "{}", text());
                returned += 1;
            }
            (Err(fault), Err(kind)) => {
                assert_eq!(fault.kind, kind, "{}", text());
                faulted += 1;
            }
            other => panic!("{other:?}\n{}", text()),
        }
        assert!(env.violations.is_empty(), "{:?}", env.violations);
    }
    println!("{returned} returned, {faulted} faulted");
    assert!(returned > 10_000 && faulted > 2_000);
}
