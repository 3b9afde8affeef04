// SPDX-License-Identifier: GPL-2.0
//! Decodes the length of ordinary instructions from a table, at a tenth of the cost of iced.
//!
//! A kernel has some four million instructions, and nearly all have one of the few hundred forms
//! below. For those, [`quick`] returns what iced would; tests check this on random bytes and on
//! real code. For all others it returns nothing, and the caller uses iced.
//!
//! ```text
//!   [66 26 2e 36 3e 64 65]*  [REX]  [0f] opcode  [ModRM [SIB] [displacement]]  [immediate]
//! ```

use crate::{Flow, Insn, MAX_LEN};

/// The number of bytes that are examined.
pub(crate) const WINDOW: usize = 16;

/// The maximum number of prefixes; compilers pad with fewer.
const MAX_PREFIXES: usize = 4;

// Flags for what follows an opcode. The lowest bits are the length of the immediate in bytes.
const IMMEDIATE: u8 = 0x07;
/// The opcode is one of those known here.
const KNOWN: u8 = 0x80;
const MODRM: u8 = 0x88;
const IMM8: u8 = 0x81;
/// An immediate of four bytes, or of two after a prefix 66.
const IMMZ: u8 = 0x94;
/// The opcode needs a closer look.
const SPECIAL: u8 = 0xa0;
/// The byte is not the opcode yet.
const MORE: u8 = 0x40;

const fn one_byte(op: u8) -> u8 {
    match op {
        0x0f | 0x40..=0x4f | 0x66 | 0x26 | 0x2e | 0x36 | 0x3e | 0x64 | 0x65 => MORE,
        0x00..=0x3f => match op & 7 {
            0..=3 => MODRM,
            4 => IMM8,
            5 => IMMZ,
            _ => 0,
        },
        0x50..=0x5f | 0x90..=0x99 | 0x9c | 0x9d | 0xa4..=0xa7 | 0xaa..=0xaf => KNOWN,
        0xf8..=0xfd => KNOWN,
        0x63 | 0x84..=0x8b | 0xd0..=0xd3 => MODRM,
        0x68 | 0xa9 => IMMZ,
        0x69 | 0x81 => MODRM | IMMZ,
        0x6a | 0xa8 | 0xb0..=0xb7 => IMM8,
        0x6b | 0x80 | 0x83 | 0xc0 | 0xc1 => MODRM | IMM8,
        // mov to a register
        0xb8..=0xbf => SPECIAL | IMMZ,
        // Depends on the middle of ModRM.
        0x8d | 0xf6 | 0xf7 | 0xfe | 0xff => SPECIAL | MODRM,
        0xc6 => SPECIAL | MODRM | IMM8,
        0xc7 => SPECIAL | MODRM | IMMZ,
        _ => 0,
    }
}

const fn two_bytes(op: u8) -> u8 {
    match op {
        0x40..=0x4f | 0x90..=0x9f => MODRM,
        0xa3 | 0xa5 | 0xab | 0xad | 0xaf | 0xb0 | 0xb1 | 0xb3 | 0xb6 | 0xb7 => MODRM,
        0xbb..=0xc1 => MODRM,
        0xa4 | 0xac => MODRM | IMM8,
        0xc8..=0xcf => KNOWN,
        0x1f => SPECIAL | MODRM,
        0xba => SPECIAL | MODRM | IMM8,
        _ => 0,
    }
}

/// Returns the number of bytes of ModRM, SIB and displacement; with [`BASE`] set, the SIB's base
/// may add more.
const fn operand(modrm: u8) -> u8 {
    let sib = (modrm & 7 == 4) as u8;
    match modrm >> 6 {
        0 if modrm & 7 == 5 => 5,
        0 if sib == 1 => 2 | BASE,
        0 => 1,
        1 => sib.wrapping_add(2),
        2 => sib.wrapping_add(5),
        _ => 1,
    }
}

const BASE: u8 = 0x80;

macro_rules! table {
    ($f:ident) => {{
        let mut table = [0; 256];
        let mut left: &mut [u8] = &mut table;
        let mut op = 0u8;
        while let Some((entry, rest)) = left.split_first_mut() {
            *entry = $f(op);
            op = op.wrapping_add(1);
            left = rest;
        }
        table
    }};
}

static ONE_BYTE: [u8; 256] = table!(one_byte);
static TWO_BYTES: [u8; 256] = table!(two_bytes);
static OPERAND: [u8; 256] = table!(operand);

fn of(table: &[u8; 256], byte: u8) -> u8 {
    table.get(usize::from(byte)).copied().unwrap_or(0)
}

/// Returns the length of the instruction at the beginning of `b`, if it is an ordinary one after
/// which control goes to the next; otherwise 0. If the code is shorter than `b`, the rest is zero,
/// and the caller checks the length.
#[inline(always)]
pub(crate) fn plain(b: &[u8; WINDOW]) -> usize {
    let byte = |i: usize| b.get(i & (WINDOW - 1)).copied().unwrap_or(0);
    let mut at = 1usize;
    let mut op = byte(0);
    let mut class = of(&ONE_BYTE, op);
    let (mut short, mut long, mut two) = (false, false, false);
    if class & MORE != 0 {
        while matches!(op, 0x66 | 0x26 | 0x2e | 0x36 | 0x3e | 0x64 | 0x65) {
            short |= op == 0x66;
            if at > MAX_PREFIXES {
                return 0;
            }
            op = byte(at);
            at = at.wrapping_add(1);
        }
        if op & 0xf0 == 0x40 {
            long = op & 8 != 0;
            op = byte(at);
            at = at.wrapping_add(1);
        }
        two = op == 0x0f;
        class = if two {
            op = byte(at);
            at = at.wrapping_add(1);
            of(&TWO_BYTES, op)
        } else {
            of(&ONE_BYTE, op)
        };
    }
    if class & KNOWN == 0 {
        return 0;
    }
    let mut len = at;
    if class & MODRM == MODRM {
        let n = of(&OPERAND, byte(at));
        if n & BASE != 0 && byte(at.wrapping_add(1)) & 7 == 5 {
            len = len.wrapping_add(4);
        }
        len = len.wrapping_add(usize::from(n & !BASE));
    }
    if class & SPECIAL == SPECIAL {
        let Some(more) = special(class, two, op, byte(at)) else { return 0 };
        class = more;
        if long && class & MODRM != MODRM {
            len = len.wrapping_add(4);
        }
    }
    len = len.wrapping_add(usize::from(class & IMMEDIATE));
    if short {
        if class & IMMZ == IMMZ && !long {
            len = len.wrapping_sub(2);
        }
        if len > MAX_LEN {
            return 0;
        }
    }
    len
}

/// Returns what follows an opcode whose ModRM determines the instruction; `None` if it is not
/// ordinary.
fn special(class: u8, two: bool, op: u8, modrm: u8) -> Option<u8> {
    let reg = (modrm >> 3) & 7;
    Some(match (two, op) {
        (false, 0xb8..=0xbf) => class,
        (false, 0x8d) if modrm < 0xc0 => class,
        (false, 0xf6) if reg == 0 => class | IMM8,
        (false, 0xf7) if reg == 0 => class | IMMZ,
        (false, 0xf6 | 0xf7) if reg > 1 => class,
        (false, 0xfe) if reg < 2 => class,
        (false, 0xff) if matches!(reg, 0 | 1 | 6) => class,
        (false, 0xc6 | 0xc7) | (true, 0x1f) if reg == 0 => class,
        (true, 0xba) if reg >= 4 => class,
        _ => return None,
    })
}

/// Decodes the instruction at the beginning of `b`, whose address is `ip`, if it is an ordinary
/// one.
pub(crate) fn quick(b: &[u8; WINDOW], ip: u64) -> Option<Insn> {
    match plain(b) {
        0 => flow(b, ip),
        len => Some(Insn { len, kind: Flow::Next }),
    }
}

/// Works like [`quick`] for an instruction that is not [`plain`]: those that change the flow of
/// control, and a few others that are frequent in the kernel.
pub(crate) fn flow(b: &[u8; WINDOW], ip: u64) -> Option<Insn> {
    let [b0, b1, b2, b3, b4, b5, ..] = *b;
    let to = |len: u64, distance: i64| ip.wrapping_add(len).wrapping_add_signed(distance);
    // CAST: the byte is signed.
    let near = |len| to(len, i64::from(b1 as i8));
    let far = |len, bytes| to(len, i64::from(i32::from_le_bytes(bytes)));
    let (len, kind) = match (b0, b1) {
        (0x70..=0x7f, _) => (2, Flow::Branch(near(2))),
        (0xeb, _) => (2, Flow::Jump(near(2))),
        (0xe8, _) => (5, Flow::Call(far(5, [b1, b2, b3, b4]))),
        (0xe9, _) => (5, Flow::Jump(far(5, [b1, b2, b3, b4]))),
        (0xc3, _) => (1, Flow::Return),
        (0xcc, _) => (1, Flow::Trap),
        (0x0f, 0x80..=0x8f) => (6, Flow::Branch(far(6, [b2, b3, b4, b5]))),
        (0x0f, 0x0b) => (2, Flow::Trap),
        // `endbr64`, which begins a third of the kernel's functions, and string instructions that repeat.
        (0xf3, 0x0f) if (b2, b3) == (0x1e, 0xfa) => (4, Flow::Next),
        (0xf3, 0x48) if matches!(b2, 0xa4 | 0xa5 | 0xaa | 0xab) => (3, Flow::Next),
        _ => return None,
    };
    Some(Insn { len, kind })
}
