// SPDX-License-Identifier: GPL-2.0
//! `print(x)`: prints a value with the names and types of everything in it.
//!
//! ```text
//! struct qstr {
//!     struct {..} = {
//!         u32 hash = 0x1505
//!         u32 len = 0x6
//!     }
//!     const unsigned char *name = 0xffff888012345678
//! }
//! ```

use super::put;
use crate::datum;
use abi::probe::until_nul;
use d::shape::{Field, Shape, Shown};

/// The columns of a nesting level.
const INDENT: usize = 4;

/// Prints a value, with a newline.
pub fn value(out: &mut Vec<u8>, shown: &Shown, bytes: &[u8]) {
    put!(out, "{} ", shown.ty);
    shape(out, &shown.shape, bytes, 0);
    out.push(b'\n');
}

fn shape(out: &mut Vec<u8>, what: &Shape, bytes: &[u8], depth: usize) {
    let some = |size: u32| bytes.get(..size as usize);
    match what {
        Shape::Number { size, .. } => match some(*size).and_then(datum::unsigned) {
            Some(v) => number(out, v),
            None => put!(out, "?"),
        },
        Shape::Enum { size, names } => match some(*size).and_then(datum::unsigned) {
            Some(v) => enumerator(out, names, v, size * 8),
            None => put!(out, "?"),
        },
        Shape::Char => match bytes.first() {
            Some(c @ b' '..=b'~') => put!(out, "'{}'", char::from(*c)),
            Some(c) => number(out, u64::from(*c)),
            None => put!(out, "?"),
        },
        Shape::Float { size: 4 } => match bytes.first_chunk() {
            Some(b) => put!(out, "{}", f32::from_le_bytes(*b)),
            None => put!(out, "?"),
        },
        Shape::Float { .. } => match bytes.first_chunk() {
            Some(b) => put!(out, "{}", f64::from_le_bytes(*b)),
            None => put!(out, "?"),
        },
        Shape::Text { size } => {
            let text = until_nul(some(*size).unwrap_or(bytes));
            out.push(b'"');
            for &c in text {
                match c {
                    b'"' | b'\\' => out.extend_from_slice(&[b'\\', c]),
                    b' '..=b'~' | 0x80.. => out.push(c),
                    b'\n' => out.extend_from_slice(b"\\n"),
                    b'\t' => out.extend_from_slice(b"\\t"),
                    _ => put!(out, "\\{c:03o}"),
                }
            }
            out.push(b'"');
        }
        Shape::Array { of, size, count } => array(out, of, bytes, (*size, *count), depth),
        Shape::Struct(fields) => {
            out.extend_from_slice(b"{\n");
            fields.iter().for_each(|f| field(out, f, bytes, depth + 1));
            indent(out, depth);
            out.push(b'}');
        }
        Shape::Unknown => out.extend_from_slice(b"{ .. }"),
    }
}

fn number(out: &mut Vec<u8>, v: u64) {
    match v {
        0 => out.push(b'0'),
        v => put!(out, "{v:#x}"),
    }
}

/// Returns the name of a value of `bits` bits.
pub(super) fn name_of(names: &[(String, u64)], v: u64, bits: u32) -> Option<&str> {
    let same = |of: u64| (of ^ v).checked_shl(u64::BITS.saturating_sub(bits)) == Some(0);
    names.iter().find(|(_, of)| same(*of)).map(|(name, _)| name.as_str())
}

/// Prints the name of a value of `bits` bits, or the number if it has no name.
fn enumerator(out: &mut Vec<u8>, names: &[(String, u64)], v: u64, bits: u32) {
    match name_of(names, v, bits) {
        Some(name) => put!(out, "{name}"),
        None => number(out, v),
    }
}

fn array(out: &mut Vec<u8>, of: &Shape, bytes: &[u8], (size, count): (u32, u32), depth: usize) {
    let own_lines = matches!(of, Shape::Struct(_) | Shape::Array { .. } | Shape::Text { .. });
    out.push(b'[');
    for n in 0..count {
        if own_lines {
            out.push(b'\n');
            indent(out, depth + 1);
        } else {
            out.extend_from_slice(if n == 0 { b" " } else { b", " });
        }
        let at = n as usize * size as usize;
        let one = bytes.get(at..).unwrap_or_default();
        shape(out, of, one, depth + 1);
    }
    if own_lines && count > 0 {
        out.push(b'\n');
        indent(out, depth);
        out.push(b']');
    } else {
        out.extend_from_slice(b" ]");
    }
}

fn field(out: &mut Vec<u8>, f: &Field, bytes: &[u8], depth: usize) {
    indent(out, depth);
    put!(out, "{}", f.ty);
    if !f.name.is_empty() {
        let gap = if f.ty.ends_with('*') { "" } else { " " };
        put!(out, "{gap}{}", f.name);
    }
    match f.bits {
        Some(count) => {
            put!(out, " :{count} = ");
            match bits(bytes, f.offset, count) {
                Some(v) => match &f.shape {
                    Shape::Enum { names, .. } => enumerator(out, names, v, count.into()),
                    _ => number(out, v),
                },
                None => put!(out, "?"),
            }
        }
        None => {
            put!(out, " = ");
            let inner = bytes.get(f.offset as usize / 8..).unwrap_or_default();
            shape(out, &f.shape, inner, depth);
        }
    }
    out.push(b'\n');
}

/// Returns `count` bits from bit `from` on.
pub(super) fn bits(bytes: &[u8], from: u32, count: u8) -> Option<u64> {
    (0..u32::from(count)).try_fold(0u64, |sum, n| {
        let bit = from.checked_add(n)?;
        let byte = *bytes.get(bit as usize / 8)?;
        Some(sum | u64::from(byte >> (bit % 8) & 1).checked_shl(n)?)
    })
}

fn indent(out: &mut Vec<u8>, depth: usize) {
    out.resize(out.len() + depth * INDENT, b' ');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_struct_with_all_kinds_of_members() {
        let number = |size| Shape::Number { size, is_signed: false };
        let way = |size| {
            let names = [("BACK", -1i64 as u64), ("UP", 5)].map(|(n, v)| (n.into(), v)).to_vec();
            Shape::Enum { size, names }
        };
        let field = |name: &str, ty: &str, offset, bits, shape| Field {
            name: name.into(),
            ty: ty.into(),
            offset,
            bits,
            shape,
        };
        let inner = Shape::Struct(vec![field("a", "u16", 0, None, number(2))]);
        let shape = Shape::Struct(vec![
            field("n", "int", 0, None, number(4)),
            field("low", "unsigned int", 32, Some(3), number(4)),
            field("high", "unsigned int", 35, Some(5), number(4)),
            field("name", "char [4]", 64, None, Shape::Text { size: 4 }),
            field("c", "char", 96, None, Shape::Char),
            field("", "union {..}", 112, None, inner.clone()),
            field(
                "two",
                "struct in [2]",
                112,
                None,
                Shape::Array { of: Box::new(inner), size: 2, count: 2 },
            ),
            field(
                "v",
                "u8 [3]",
                112,
                None,
                Shape::Array { of: Box::new(number(1)), size: 1, count: 3 },
            ),
            field("e", "enum way", 8, None, way(1)),
            field("some", "enum way", 32, Some(3), way(4)),
            field("other", "enum way", 112, None, way(2)),
            field("p", "struct file *", 128, None, number(8)),
        ]);
        let mut bytes = vec![0xff, 0xff, 0xff, 0xff, 0b0101_0101, 0, 0, 0, b'a', b'"', 0, 9];
        bytes.extend([b'x', 0, 0x34, 0x12, 0x78, 0x56]);
        bytes.truncate(16 + 2);
        let mut out = Vec::new();
        value(&mut out, &Shown { ty: "struct out".into(), shape }, &bytes);
        let want = "struct out {
    int n = 0xffffffff
    unsigned int low :3 = 0x5
    unsigned int high :5 = 0xa
    char [4] name = \"a\\\"\"
    char c = 'x'
    union {..} = {
        u16 a = 0x1234
    }
    struct in [2] two = [
        {
            u16 a = 0x1234
        }
        {
            u16 a = 0x5678
        }
    ]
    u8 [3] v = [ 0x34, 0x12, 0x78 ]
    enum way e = BACK
    enum way some :3 = UP
    enum way other = 0x1234
    struct file *p = ?
}
";
        assert_eq!(String::from_utf8_lossy(&out), want);
    }
}
