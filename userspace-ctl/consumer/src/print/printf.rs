// SPDX-License-Identifier: GPL-2.0
//! printf() and printa() with a format: pieces parsed by the compiler, filled with data.

use super::value::{signed, unsigned};
use super::{aggregation, pad_left, pad_right, put, stack, time};
use crate::aggregate::{Key, Value as Aggregated};
use crate::symbol::Symbols;
use abi::action::ActionKind;
use abi::difo::DifType;
use abi::probe::until_nul;
use d::format::{Conversion, Extent, Format, Piece, Value};

/// One datum to print.
#[derive(Debug, Clone, Copy)]
pub struct Datum<'a> {
    /// Its bytes.
    pub bytes: &'a [u8],
    /// Its type.
    pub ty: DifType,
    /// What recorded it.
    pub action: ActionKind,
}

impl<'a> From<&'a Key> for Datum<'a> {
    fn from(key: &'a Key) -> Self {
        Self { bytes: &key.bytes, ty: key.ty, action: key.action }
    }
}

/// What conversions draw from.
#[derive(Debug, Clone, Copy, Default)]
pub struct Data<'a> {
    /// Values of a printf, keys of a printa.
    pub args: &'a [Datum<'a>],
    /// Values of a printa's aggregations.
    pub aggregations: &'a [Aggregated],
    /// `-x aggzoom`.
    pub zoom: bool,
    /// `-x stackindent`.
    pub indent: usize,
}

/// Prints a format once.
pub fn format(out: &mut Vec<u8>, format: &Format, data: Data<'_>, symbols: &Symbols) {
    for piece in &format.pieces {
        match piece {
            Piece::Text(text) => out.extend_from_slice(text.as_bytes()),
            Piece::Conversion(c) => conversion(out, c, data, symbols),
        }
    }
}

/// Flags, width and precision of one conversion, looked up.
struct Shape {
    is_left: bool,
    width: usize,
    precision: Option<usize>,
}

fn conversion(out: &mut Vec<u8>, c: &Conversion, data: Data<'_>, symbols: &Symbols) {
    let extent = |e: Extent| match e {
        Extent::Fixed(n) => i64::from(n),
        Extent::Arg(n) => data.args.get(n).and_then(|d| signed(d.bytes)).unwrap_or(0),
    };
    // No terminal is this wide; a program's `*` must not make us allocate at will.
    let columns = |n: i64| usize::try_from(n.unsigned_abs()).unwrap_or(usize::MAX).min(1 << 16);
    let width = c.width.map_or(0, extent);
    let precision = c.precision.map(extent).filter(|&p| p >= 0).map(columns);
    let shape = Shape { is_left: c.left || width < 0, width: columns(width), precision };
    match c.value {
        Value::Aggregation(n) => {
            if let Some(value) = data.aggregations.get(n) {
                if !aggregation::distribution(out, value, data.zoom) {
                    let bytes = value.scalar().to_le_bytes();
                    number(out, c, &shape, &bytes);
                }
            }
        }
        Value::Arg(n) => {
            if let Some(&datum) = data.args.get(n) {
                argument(out, c, &shape, datum, data.indent, symbols);
            }
        }
    }
}

fn argument(
    out: &mut Vec<u8>,
    c: &Conversion,
    s: &Shape,
    datum: Datum<'_>,
    indent: usize,
    symbols: &Symbols,
) {
    if stack::is_stack(datum.action) {
        let indent = if s.width > 0 { s.width } else { indent };
        return stack::stack(out, datum.action, datum.bytes, indent, symbols);
    }
    if stack::is_symbol(datum.action) {
        return text(out, s, symbols.recorded(datum.action, datum.bytes).as_bytes());
    }
    // A symbol that is a key has been looked up already.
    if matches!(c.letter, 'a' | 'A') && datum.ty.is_string() {
        return text(out, s, until_nul(datum.bytes));
    }
    let value = || unsigned(datum.bytes).unwrap_or(0);
    let is_wide = c.length.starts_with(['l', 'w']);
    match c.letter {
        's' | 'S' | 'I' if datum.ty.is_by_ref() || signed(datum.bytes).is_none() => {
            let bytes = until_nul(datum.bytes);
            match c.letter {
                'S' => text(out, s, &escaped(bytes)),
                _ => text(out, s, bytes),
            }
        }
        'I' => {
            let mut octets = [0; 4];
            octets.iter_mut().zip(datum.bytes).for_each(|(o, b)| *o = *b);
            text(out, s, std::net::Ipv4Addr::from(octets).to_string().as_bytes());
        }
        'c' | 'C' => {
            let mut buffer = [0; 4];
            let low = [value() as u8];
            let bytes = match char::from_u32(value() as u32) {
                Some(wide) if is_wide => wide.encode_utf8(&mut buffer).as_bytes(),
                _ => &low,
            };
            let unlimited = Shape { precision: None, ..*s };
            match c.letter {
                'C' => text(out, &unlimited, &escaped(bytes)),
                _ => text(out, &unlimited, bytes),
            }
        }
        'a' => text(out, s, symbols.name(value()).as_bytes()),
        'A' => text(out, s, format!("0x{:x}", value()).as_bytes()),
        'Y' => text(out, s, time::date(value()).as_bytes()),
        'T' => text(out, s, time::mail_date(value()).as_bytes()),
        _ => number(out, c, s, datum.bytes),
    }
}

/// Text, cut at the precision, in its columns.
fn text(out: &mut Vec<u8>, s: &Shape, bytes: &[u8]) {
    let bytes = bytes.get(..s.precision.unwrap_or(bytes.len())).unwrap_or(bytes);
    match s.is_left {
        true => pad_right(out, bytes, s.width),
        false => pad_left(out, bytes, s.width),
    }
}

/// C's escapes for what cannot be printed.
fn escaped(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    for &b in bytes {
        match b {
            7 => out.extend(b"\\a"),
            8 => out.extend(b"\\b"),
            9 => out.extend(b"\\t"),
            10 => out.extend(b"\\n"),
            11 => out.extend(b"\\v"),
            12 => out.extend(b"\\f"),
            13 => out.extend(b"\\r"),
            b'"' | b'\\' => out.extend([b'\\', b]),
            b' '..=b'~' => out.push(b),
            _ => put!(&mut out, "\\{b:03o}"),
        }
    }
    out
}

/// Digits of 64 bits to the base 8, and a zero before them.
type Room = [u8; 23];

/// The digits of a number, in what the conversion's letter says.
fn digits(room: &mut Room, letter: char, mut value: u64) -> &[u8] {
    let ten = if letter == 'X' { b'A' } else { b'a' };
    let mut n = 0;
    for slot in room.iter_mut().rev() {
        let (digit, rest) = match letter {
            'x' | 'X' | 'p' => (value % 16, value / 16),
            'o' => (value % 8, value / 8),
            _ => (value % 10, value / 10),
        };
        // CAST: below 16.
        let digit = digit as u8;
        *slot = if digit < 10 { b'0' + digit } else { ten + (digit - 10) };
        (n, value) = (n + 1, rest);
        if value == 0 {
            break;
        }
    }
    room.get(room.len() - n..).unwrap_or_default()
}

/// An integer: C's rules for sign, `#`, precision and zeros.
fn number(out: &mut Vec<u8>, c: &Conversion, s: &Shape, bytes: &[u8]) {
    let value = unsigned(bytes).unwrap_or(0);
    let as_signed = signed(bytes).unwrap_or(0);
    let (prefix, magnitude) = match c.letter {
        'x' | 'p' if c.alternate && value != 0 => ("0x", value),
        'X' if c.alternate && value != 0 => ("0X", value),
        'd' | 'i' | '@' => match (as_signed < 0, c.plus, c.space) {
            (true, ..) => ("-", as_signed.unsigned_abs()),
            (_, true, _) => ("+", as_signed.unsigned_abs()),
            (_, _, true) => (" ", as_signed.unsigned_abs()),
            _ => ("", as_signed.unsigned_abs()),
        },
        _ => ("", value),
    };
    let (mut room, comma) = ([0; 23], c.group && !matches!(c.letter, 'x' | 'X' | 'o' | 'p'));
    let mut digits = digits(&mut room, c.letter, magnitude);
    let with_commas;
    if comma {
        with_commas = grouped(digits);
        digits = &with_commas;
    }
    // A precision of 0 prints a 0 as nothing.
    if s.precision == Some(0) && value == 0 {
        digits = b"";
    }
    // The 0 of `%#o` is one of the digits.
    let is_octal = c.letter == 'o' && c.alternate && value != 0;
    let there = digits.len() + usize::from(is_octal);
    let least = match s.precision {
        Some(p) => p,
        None if c.zero && !s.is_left => s.width.saturating_sub(prefix.len()),
        None => 1,
    };
    let zeros = least.saturating_sub(there) + usize::from(is_octal);
    let columns = prefix.len() + zeros + digits.len();
    let blanks = s.width.saturating_sub(columns);
    if !s.is_left {
        out.resize(out.len() + blanks, b' ');
    }
    out.extend_from_slice(prefix.as_bytes());
    out.resize(out.len() + zeros, b'0');
    out.extend_from_slice(digits);
    if s.is_left {
        out.resize(out.len() + blanks, b' ');
    }
}

fn grouped(digits: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    for (i, &digit) in digits.iter().enumerate() {
        if i > 0 && (digits.len() - i) % 3 == 0 {
            out.push(b',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `%-05.2d` to a conversion of value 0: enough of a parser for these tests.
    fn parse(text: &str) -> Conversion {
        let mut rest = text.trim_start_matches('%');
        let flags: String = rest.chars().take_while(|c| "-+ #0'".contains(*c)).collect();
        rest = &rest[flags.len()..];
        let digits = |r: &mut &str| {
            let n: String = r.chars().take_while(char::is_ascii_digit).collect();
            *r = &r[n.len()..];
            n.parse().ok()
        };
        let width = digits(&mut rest).map(Extent::Fixed);
        let mut precision = None;
        if let Some(r) = rest.strip_prefix('.') {
            rest = r;
            precision = Some(Extent::Fixed(digits(&mut rest).unwrap_or(0)));
        }
        let length: String = rest.chars().take_while(|c| "hlLw".contains(*c)).collect();
        Conversion {
            left: flags.contains('-'),
            plus: flags.contains('+'),
            space: flags.contains(' '),
            alternate: flags.contains('#'),
            zero: flags.contains('0'),
            group: flags.contains('\''),
            aggregation: false,
            width,
            precision,
            letter: rest[length.len()..].chars().next().unwrap(),
            length,
            value: Value::Arg(0),
            text: text.into(),
        }
    }

    fn shown(spec: &str, bytes: &[u8], ty: DifType) -> String {
        let f = Format { pieces: vec![Piece::Conversion(parse(spec))] };
        let args = [Datum { bytes, ty, action: ActionKind::Printf }];
        let mut out = Vec::new();
        let symbols = Symbols::fixed(vec![(0xffff_ffff_8100_0000, "vmlinux`f".into())]);
        format(&mut out, &f, Data { args: &args, ..Data::default() }, &symbols);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn integers_as_c_prints_them() {
        for (spec, v, want) in [
            ("%d", -5i64, "-5"),
            ("%i", 5, "5"),
            ("%5d", 42, "   42"),
            ("%-5d|", 42, "42   "),
            ("%05d", -42, "-0042"),
            ("%+d", 42, "+42"),
            ("% d", 42, " 42"),
            ("%.3d", 7, "007"),
            ("%6.3d", -7, "  -007"),
            ("%.0d", 0, ""),
            ("%u", -1, "18446744073709551615"),
            ("%x", 255, "ff"),
            ("%#x", 255, "0xff"),
            ("%#x", 0, "0"),
            ("%#08x", 255, "0x0000ff"),
            ("%X", 255, "FF"),
            ("%#X", 255, "0XFF"),
            ("%o", 8, "10"),
            ("%#o", 8, "010"),
            ("%p", -1, "ffffffffffffffff"),
            ("%'d", 1234567, "1,234,567"),
            ("%'d", 123, "123"),
            ("%lld", i64::MIN, "-9223372036854775808"),
            ("%c", 65, "A"),
            ("%3c", 65, "  A"),
            ("%wc", 0x20ac, "€"),
            ("%a", 0xffff_ffff_8100_0010u64 as i64, "vmlinux`f+0x10"),
            ("%A", 0x1000, "0x1000"),
        ] {
            assert_eq!(shown(spec, &v.to_le_bytes(), DifType::integer(8)), want, "{spec} {v}");
        }
    }

    #[test]
    fn sizes_adapt() {
        let minus = |size: usize| vec![0xff; size];
        for (size, hex) in [(1, "ff"), (2, "ffff"), (4, "ffffffff"), (8, "ffffffffffffffff")] {
            let ty = DifType::integer(size as u32);
            assert_eq!(shown("%x", &minus(size), ty), hex);
            assert_eq!(shown("%d", &minus(size), ty), "-1");
        }
        assert_eq!(shown("%u", &minus(4), DifType::integer(4)), "4294967295");
    }

    #[test]
    fn strings() {
        let ty = DifType::string(8);
        for (spec, want) in [
            ("%s", "ab\tc"),
            ("%6s", "  ab\tc"),
            ("%-6s", "ab\tc  "),
            ("%.2s", "ab"),
            ("%S", "ab\\tc"),
            ("%ls", "ab\tc"),
        ] {
            assert_eq!(shown(spec, b"ab\tc\0zzz", ty), want, "{spec}");
        }
        assert_eq!(shown("%S", b"\x01\"\0", ty), "\\001\\\"");
        // An array of characters, even of a number's size.
        let array = DifType { flags: abi::difo::BY_REF, ..DifType::integer(4) };
        assert_eq!(shown("%s", b"ab\0z", array), "ab");
        assert_eq!(shown("%s", b"abcd", array), "abcd");
    }

    #[test]
    fn widths_from_arguments() {
        let mut c = parse("%d");
        (c.width, c.value) = (Some(Extent::Arg(0)), Value::Arg(1));
        let f = Format { pieces: vec![Piece::Conversion(c)] };
        let (w, v) = ((-4i32).to_le_bytes(), 7i64.to_le_bytes());
        let args = [
            Datum { bytes: &w, ty: DifType::integer(4), action: ActionKind::Printf },
            Datum { bytes: &v, ty: DifType::integer(8), action: ActionKind::Printf },
        ];
        let mut out = Vec::new();
        format(&mut out, &f, Data { args: &args, ..Data::default() }, &Symbols::default());
        assert_eq!(out, b"7   ");
    }
}
