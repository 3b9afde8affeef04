// SPDX-License-Identifier: GPL-2.0
//! printf() and printa() with a format: fills the pieces that the compiler parsed with data.
//!
//! A format gets data of the same kinds each time. So a [`Plan`] decides once what each conversion
//! does; printing then only fetches bytes and writes them.

mod number;

use super::float::{self, Float};
use super::{aggregation, net, pad_left, pad_right, put, stack, time, MOST_COLUMNS};
use crate::aggregate::{Key, Value as Aggregated};
use crate::datum::{is_stack, is_symbol, signed, unsigned};
use crate::symbol::Symbols;
use abi::action::ActionKind;
use abi::difo::DifType;
use abi::probe::until_nul;
use d::format::{Conversion, Extent, Format, Piece, Value};
pub(crate) use number::column;
use number::Number;

/// The kind of a datum, as far as conversions need it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A stack.
    Stack(ActionKind),
    /// An address that is printed as a symbol.
    Symbol(ActionKind),
    /// A string.
    Text,
    /// Other bytes.
    Bytes,
    /// A floating-point number.
    Float,
    /// An integer.
    Integer,
}

impl Kind {
    /// Returns the kind of a datum of `size` bytes that such an action recorded.
    pub fn new(action: ActionKind, ty: DifType, size: usize) -> Self {
        match action {
            _ if is_stack(action) => Self::Stack(action),
            _ if is_symbol(action) => Self::Symbol(action),
            _ if ty.is_string() => Self::Text,
            _ if ty.is_float() => Self::Float,
            _ if ty.is_by_ref() || !matches!(size, 1 | 2 | 4 | 8) => Self::Bytes,
            _ => Self::Integer,
        }
    }

    /// Returns the kind of a part of a key.
    pub fn of_key(key: &Key) -> Self {
        Self::new(key.action, key.ty, key.bytes.len())
    }
}

/// The arguments of conversions: values of a printf, or keys of a printa.
pub trait Args {
    /// Returns the bytes of argument `n`.
    fn bytes(&self, n: usize) -> Option<&[u8]>;
}

impl Args for [Key] {
    fn bytes(&self, n: usize) -> Option<&[u8]> {
        self.get(n).map(|key| key.bytes.as_slice())
    }
}

/// The settings for printing, apart from its data.
#[derive(Debug, Clone, Copy)]
pub struct Look<'a> {
    /// `-x aggzoom`.
    pub zoom: bool,
    /// `-x stackindent`.
    pub indent: usize,
    /// The symbols for addresses.
    pub symbols: &'a Symbols,
}

/// A format prepared for data of certain kinds.
#[derive(Debug)]
pub struct Plan {
    pieces: Vec<Ready>,
    kinds: Vec<Kind>,
}

/// A piece of a plan.
#[derive(Debug)]
enum Ready {
    Text(Box<[u8]>),
    Argument { n: usize, how: How, extent: Extents },
    Aggregation { n: usize, how: How, extent: Extents },
}

/// The way to write the bytes of an argument.
#[derive(Debug)]
enum How {
    Number(Number),
    Float(Float),
    Text,
    Escaped,
    Char { is_wide: bool, is_escaped: bool },
    Stack(ActionKind),
    Symbol(ActionKind),
    Name,
    Address,
    Host,
    Ipv4,
    Service,
    Date,
    MailDate,
}

/// The width and precision, each either in the text or a value.
#[derive(Debug)]
struct Extents {
    /// Neither is given.
    is_bare: bool,
    is_left: bool,
    width: Option<Extent>,
    precision: Option<Extent>,
}

/// A width and precision with their values.
struct Shape {
    is_bare: bool,
    is_left: bool,
    width: usize,
    precision: Option<usize>,
}

impl Plan {
    /// Makes a plan for data of these kinds.
    pub fn new(format: &Format, kinds: Vec<Kind>) -> Self {
        let ready = |piece: &Piece| match piece {
            Piece::Text(text) => Some(Ready::Text(text.as_bytes().into())),
            Piece::Conversion(c) => {
                let (is_left, width, precision) = (c.left, c.width, c.precision);
                let is_bare = width.is_none() && precision.is_none();
                let extent = Extents { is_bare, is_left, width, precision };
                match c.value {
                    Value::Aggregation(n) => {
                        Some(Ready::Aggregation { n, how: How::new(c, Kind::Integer), extent })
                    }
                    Value::Arg(n) => {
                        Some(Ready::Argument { n, how: How::new(c, *kinds.get(n)?), extent })
                    }
                }
            }
        };
        Self { pieces: format.pieces.iter().filter_map(ready).collect(), kinds }
    }

    /// Tells whether the plan was made for data of these kinds.
    pub fn is_for(&self, kinds: impl Iterator<Item = Kind>) -> bool {
        kinds.eq(self.kinds.iter().copied())
    }

    /// Prints the format once.
    pub fn print(
        &self,
        out: &mut Vec<u8>,
        args: &(impl Args + ?Sized),
        aggregations: &[&Aggregated],
        look: Look<'_>,
    ) {
        for piece in &self.pieces {
            match piece {
                Ready::Text(text) => out.extend_from_slice(text),
                Ready::Argument { n, how, extent } => {
                    let Some(bytes) = args.bytes(*n) else { continue };
                    match how {
                        How::Number(number) => number.print(out, &extent.shape(args), bytes),
                        how => argument(out, how, &extent.shape(args), bytes, look),
                    }
                }
                Ready::Aggregation { n, how, extent } => {
                    if let Some(value) = aggregations.get(*n) {
                        if !aggregation::distribution(out, value, look.zoom) {
                            let bytes = value.scalar().to_le_bytes();
                            argument(out, how, &extent.shape(args), &bytes, look);
                        }
                    }
                }
            }
        }
    }
}

impl Extents {
    #[inline]
    fn shape(&self, args: &(impl Args + ?Sized)) -> Shape {
        match self.is_bare {
            true => Shape { is_bare: true, is_left: false, width: 0, precision: None },
            false => self.look_up(args),
        }
    }

    fn look_up(&self, args: &(impl Args + ?Sized)) -> Shape {
        let extent = |e: Extent| match e {
            Extent::Fixed(n) => i64::from(n),
            Extent::Arg(n) => args.bytes(n).and_then(signed).unwrap_or(0),
        };
        // No terminal is wider, and the `*` of a program must not cause huge allocations.
        let columns = |n: i64| {
            usize::try_from(n.unsigned_abs()).map_or(MOST_COLUMNS, |n| n.min(MOST_COLUMNS))
        };
        let width = self.width.map_or(0, extent);
        let precision = self.precision.map(extent).filter(|&p| p > 0).map(columns);
        let is_left = self.is_left || width < 0;
        Shape { is_bare: false, is_left, width: columns(width), precision }
    }
}

impl How {
    fn new(c: &Conversion, kind: Kind) -> Self {
        match (c.letter, kind) {
            (_, Kind::Stack(action)) => Self::Stack(action),
            (_, Kind::Symbol(action)) => Self::Symbol(action),
            // The name of a symbol in a key has been looked up already.
            ('a' | 'A', Kind::Text) => Self::Text,
            ('s', Kind::Text | Kind::Bytes) => Self::Text,
            ('I', Kind::Text | Kind::Bytes) => Self::Host,
            ('S', Kind::Text | Kind::Bytes) => Self::Escaped,
            ('I', _) => Self::Ipv4,
            ('P', _) => Self::Service,
            ('c' | 'C', _) => Self::Char {
                is_wide: c.length.starts_with(['l', 'w']),
                is_escaped: c.letter == 'C',
            },
            ('a', _) => Self::Name,
            ('A', _) => Self::Address,
            ('Y', _) => Self::Date,
            ('T', _) => Self::MailDate,
            (_, Kind::Float) => Self::Float(Float {
                letter: c.letter,
                plus: match (c.plus, c.space) {
                    (true, _) => "+",
                    (_, true) => " ",
                    _ => "",
                },
                is_alternate: c.alternate,
                is_zero_filled: c.zero && !c.left,
            }),
            _ => Self::Number(Number::new(c)),
        }
    }
}

fn argument(out: &mut Vec<u8>, how: &How, s: &Shape, bytes: &[u8], look: Look<'_>) {
    let Look { indent, symbols, .. } = look;
    let value = || unsigned(bytes).unwrap_or(0);
    match *how {
        How::Number(ref number) => number.print(out, s, bytes),
        How::Float(float) => {
            let number = float::value(bytes).unwrap_or(f64::NAN);
            let written = float.text(number, s.precision, s.width);
            text(out, &Shape { precision: None, ..*s }, written.as_bytes());
        }
        How::Text => text(out, s, until_nul(bytes)),
        How::Escaped => text(out, s, &escaped(until_nul(bytes))),
        How::Char { is_wide, is_escaped } => {
            let mut buffer = [0; 4];
            let low = [value() as u8];
            let bytes = match char::from_u32(value() as u32) {
                Some(wide) if is_wide => wide.encode_utf8(&mut buffer).as_bytes(),
                _ => &low,
            };
            let unlimited = Shape { precision: None, ..*s };
            match is_escaped {
                true => text(out, &unlimited, &escaped(bytes)),
                false => text(out, &unlimited, bytes),
            }
        }
        How::Stack(action) => {
            let indent = if s.width > 0 { s.width } else { indent };
            stack::stack(out, action, bytes, indent, symbols);
        }
        How::Symbol(action) => text(out, s, symbols.recorded(action, bytes).as_bytes()),
        How::Name => text(out, s, symbols.name(value()).as_bytes()),
        How::Address => text(out, s, symbols.of_target(value()).as_bytes()),
        How::Host => text(out, s, &net::host(until_nul(bytes), &|| symbols.beat())),
        How::Service => text(out, s, net::service(value() as u16).as_bytes()),
        How::Ipv4 => {
            let mut octets = [0; 4];
            octets.iter_mut().zip(bytes).for_each(|(o, b)| *o = *b);
            text(out, s, std::net::Ipv4Addr::from(octets).to_string().as_bytes());
        }
        How::Date => text(out, s, time::date(value()).as_bytes()),
        How::MailDate => text(out, s, time::mail_date(value()).as_bytes()),
    }
}

/// Prints text, cut at the precision and padded to its width.
fn text(out: &mut Vec<u8>, s: &Shape, bytes: &[u8]) {
    let bytes = bytes.get(..s.precision.unwrap_or(bytes.len())).unwrap_or(bytes);
    match s.is_left {
        true => pad_right(out, bytes, s.width),
        false => pad_left(out, bytes, s.width),
    }
}

/// Returns the text with C's escapes for unprintable bytes.
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Parses a conversion such as `%-05.2d` of value 0, well enough for these tests.
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

    fn print(c: Conversion, data: &[(&[u8], DifType)]) -> String {
        let key = |&(bytes, ty): &(&[u8], DifType)| Key {
            bytes: bytes.to_vec(),
            ty,
            is_unsigned: false,
            action: ActionKind::Printf,
        };
        let keys: Vec<Key> = data.iter().map(key).collect();
        let f = Format { pieces: vec![Piece::Conversion(c)] };
        let plan = Plan::new(&f, keys.iter().map(Kind::of_key).collect());
        assert!(plan.is_for(keys.iter().map(Kind::of_key)));
        let symbols = &Symbols::fixed(vec![(0xffff_ffff_8100_0000, "vmlinux`f".into())]);
        let mut out = Vec::new();
        plan.print(&mut out, &keys[..], &[], Look { zoom: false, indent: 0, symbols });
        String::from_utf8(out).unwrap()
    }

    fn shown(spec: &str, bytes: &[u8], ty: DifType) -> String {
        print(parse(spec), &[(bytes, ty)])
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
            ("%.0d", 0, "0"),
            ("%5.0d", 7, "    7"),
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
            ("%.0s", "ab\tc"),
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
        let (w, v) = ((-4i32).to_le_bytes(), 7i64.to_le_bytes());
        let data: [(&[u8], _); 2] = [(&w, DifType::integer(4)), (&v, DifType::integer(8))];
        assert_eq!(print(c, &data), "7   ");
    }

    /// A traced program may choose any width and precision.
    #[test]
    fn huge_widths_from_arguments() {
        let huge = i64::MAX.to_le_bytes();
        let (integer, string) = (DifType::integer(8), DifType::string(8));
        let float = DifType { ctf_kind: abi::difo::ctf::FLOAT, ..integer };
        let half = 0.5f64.to_le_bytes();
        for (letter, bytes, ty) in
            [("%d", &huge, integer), ("%f", &half, float), ("%s", b"abc\0efgh", string)]
        {
            let mut c = parse(letter);
            (c.width, c.precision) = (Some(Extent::Arg(0)), Some(Extent::Arg(0)));
            c.value = Value::Arg(1);
            let length = print(c, &[(&huge, integer), (bytes, ty)]).len();
            assert!((60_000..=usize::from(u16::MAX)).contains(&length), "{letter}: {length}");
        }
        let mut out = Vec::new();
        let frames = [0xffff_ffff_8100_0000u64, 0].map(u64::to_le_bytes).concat();
        let symbols = Symbols::fixed(vec![(0xffff_ffff_8100_0000, "vmlinux`f".into())]);
        stack::stack(&mut out, ActionKind::Stack, &frames, 1 << 17, &symbols);
        assert_eq!(out.len(), (1 << 17) + "\nvmlinux`f\n".len());
    }

    #[test]
    fn columns() {
        let mut out = Vec::new();
        for (value, width) in [(0, 3), (12345, 6), (u64::MAX, 2), (100, 0)] {
            column(&mut out, value, width);
            out.push(b'|');
        }
        assert_eq!(out, b"  0| 12345|18446744073709551615|100|");
    }
}
