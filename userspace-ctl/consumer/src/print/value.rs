// SPDX-License-Identifier: GPL-2.0
//! Prints one datum: the value of `trace(x)` or a key of an aggregation.

use super::{pad_right, put};
use crate::datum::{signed, unsigned};
use abi::difo::DifType;
use abi::probe::until_nul;

/// The columns of a traced string.
pub const TRACE_WIDTH: usize = 33;
/// The columns of a string key.
pub const KEY_WIDTH: usize = 50;

/// The way data are shown.
#[derive(Debug, Clone, Copy)]
pub struct Style {
    /// `-q`: bare values without columns.
    pub is_quiet: bool,
    /// `-x rawbytes`: everything except integers is dumped.
    pub is_raw: bool,
    /// The columns of a string.
    pub width: usize,
    /// Tells whether an integer is unsigned.
    pub is_unsigned: bool,
}

/// Prints a datum.
pub fn datum(out: &mut Vec<u8>, bytes: &[u8], ty: DifType, style: Style) {
    if ty.is_string() && !style.is_raw {
        return string(out, until_nul(bytes), style);
    }
    if ty.is_float() && !style.is_raw {
        let number = super::float::short(bytes);
        return match style.is_quiet {
            true => put!(out, "{number}"),
            false => put!(out, " {number:>16}"),
        };
    }
    let scalar = match (ty.is_by_ref(), style.is_unsigned) {
        (true, _) => None,
        (_, true) => unsigned(bytes).map(i128::from),
        (_, false) => signed(bytes).map(i128::from),
    };
    match (scalar, bytes.len()) {
        (Some(v), _) if style.is_quiet => put!(out, "{v}"),
        (Some(v), 1) => put!(out, " {v:3}"),
        (Some(v), 2) => put!(out, " {v:5}"),
        (Some(v), 4) => put!(out, " {v:8}"),
        (Some(v), _) => put!(out, " {v:16}"),
        (None, _) => match text_of(bytes) {
            Some(text) if !style.is_raw => string(out, text, style),
            _ => dump(out, bytes),
        },
    }
}

fn string(out: &mut Vec<u8>, text: &[u8], style: Style) {
    if style.is_quiet {
        return out.extend_from_slice(text);
    }
    out.extend_from_slice(b"  ");
    pad_right(out, text, style.width);
}

/// Returns the text in bytes that look like text: printable up to a NUL, then only NULs.
pub(super) fn text_of(bytes: &[u8]) -> Option<&[u8]> {
    let text = until_nul(bytes);
    let rest = bytes.get(text.len()..)?;
    let printable = |&b: &u8| (b' '..0x7f).contains(&b) || (7..=13).contains(&b);
    (!text.is_empty() && text.iter().all(printable) && rest.iter().all(|&b| b == 0)).then_some(text)
}

/// Prints bytes in hex and as characters under a ruler.
pub fn dump(out: &mut Vec<u8>, bytes: &[u8]) {
    put!(out, "\n{:11}", "");
    for column in 0..16 {
        put!(out, "  {column:x}");
    }
    put!(out, "  0123456789abcdef\n");
    for (row, line) in bytes.chunks(16).enumerate() {
        put!(out, "{:5}{:5x}:", "", row * 16);
        for b in line {
            put!(out, " {b:02x}");
        }
        put!(out, "{:width$}  ", "", width = (16 - line.len()) * 3);
        out.extend(line.iter().map(|&b| if (b' '..0x7f).contains(&b) { b } else { b'.' }));
        out.push(b'\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(bytes: &[u8], ty: DifType, is_quiet: bool) -> String {
        let mut out = Vec::new();
        let style = Style { is_quiet, is_raw: false, width: TRACE_WIDTH, is_unsigned: false };
        datum(&mut out, bytes, ty, style);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn integers_by_size() {
        for (bytes, want) in [
            (&(-1i8).to_le_bytes()[..], "  -1"),
            (&258i16.to_le_bytes(), "   258"),
            (&3i32.to_le_bytes(), "        3"),
            (&i64::MIN.to_le_bytes(), " -9223372036854775808"),
            (&7u64.to_le_bytes(), "                7"),
        ] {
            assert_eq!(show(bytes, DifType::integer(bytes.len() as u32), false), want);
        }
        assert_eq!(show(&3i32.to_le_bytes(), DifType::integer(4), true), "3");
        assert_eq!(unsigned(&[0xff, 0xff]), Some(0xffff));
        assert_eq!(unsigned(&u64::MAX.to_le_bytes()), Some(u64::MAX));
        assert_eq!(unsigned(&[1, 2, 3]), None);
    }

    #[test]
    fn signs_are_the_types() {
        let style = Style { is_quiet: true, is_raw: false, width: 0, is_unsigned: true };
        for (size, want) in [(1, "255"), (4, "4294967295"), (8, "18446744073709551615")] {
            let mut out = Vec::new();
            datum(&mut out, &vec![0xff; size], DifType::integer(size as u32), style);
            assert_eq!(out, want.as_bytes());
        }
    }

    #[test]
    fn strings() {
        let bytes = b"hello\0garbage...";
        assert_eq!(show(bytes, DifType::string(16), false), format!("  {:33}", "hello"));
        assert_eq!(show(bytes, DifType::string(16), true), "hello");
        // The size of a string never makes it a number.
        assert_eq!(show(b"abc\0", DifType::string(4), true), "abc");
        assert_eq!(show(b"\0\0\0\0", DifType::string(4), false), format!("  {:33}", ""));
    }

    #[test]
    fn raw_bytes_stand_under_a_ruler() {
        let bytes: Vec<u8> = (0x3e..0x50).collect();
        let ty = DifType { flags: abi::difo::BY_REF, ..DifType::integer(18) };
        let mut bytes = bytes;
        bytes[1] = 0;
        assert_eq!(
            show(&bytes, ty, false),
            "\n             0  1  2  3  4  5  6  7  8  9  a  b  c  d  e  f  0123456789abcdef\n\
             \u{20}        0: 3e 00 40 41 42 43 44 45 46 47 48 49 4a 4b 4c 4d  >.@ABCDEFGHIJKLM\n\
             \u{20}       10: 4e 4f                                            NO\n"
        );
    }
}
