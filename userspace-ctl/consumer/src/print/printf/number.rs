// SPDX-License-Identifier: GPL-2.0
//! Integers, written with C's rules.

use super::Shape;
use crate::datum::{signed, unsigned};
use d::format::Conversion;

/// An integer conversion with C's rules.
#[derive(Debug)]
pub(super) struct Number {
    base: Base,
    /// No flag is set.
    is_bare: bool,
    is_signed: bool,
    /// The text in front of a number that is not negative.
    plus: &'static str,
    /// `#`.
    is_alternate: bool,
    /// `0`.
    is_zero_filled: bool,
    /// `'`.
    is_grouped: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Base {
    Decimal,
    Octal,
    Hex,
    HexUpper,
}

/// Room for the digits of a 64-bit number in base 8.
type Room = [u8; 22];

/// Returns all pairs of digits in a base, in order.
const fn pairs<const N: usize>(base: usize, digits: &[u8; 16]) -> [[u8; 2]; N] {
    let mut pairs = [[0; 2]; N];
    let mut n = 0;
    while n < N {
        pairs[n] = [digits[n / base], digits[n % base]];
        n += 1;
    }
    pairs
}

const LOWER: &[u8; 16] = b"0123456789abcdef";
const UPPER: &[u8; 16] = b"0123456789ABCDEF";
static DECIMAL: [[u8; 2]; 100] = pairs(10, LOWER);
static OCTAL: [[u8; 2]; 64] = pairs(8, LOWER);
static HEX: [[u8; 2]; 256] = pairs(16, LOWER);
static HEX_UPPER: [[u8; 2]; 256] = pairs(16, UPPER);

impl Base {
    /// Returns the digits of a number.
    #[inline]
    fn digits(self, room: &mut Room, value: u64) -> &[u8] {
        match self {
            Self::Decimal => by_pairs(room, value, &DECIMAL),
            Self::Octal => by_pairs(room, value, &OCTAL),
            Self::Hex => by_pairs(room, value, &HEX),
            Self::HexUpper => by_pairs(room, value, &HEX_UPPER),
        }
    }
}

/// Returns the digits of a number, made two at a time.
#[inline(always)]
fn by_pairs<'r, const N: usize>(
    room: &'r mut Room,
    mut value: u64,
    pairs: &[[u8; 2]; N],
) -> &'r [u8] {
    let mut at = room.len();
    for place in room.rchunks_exact_mut(2) {
        // CAST: below N.
        place.copy_from_slice(pairs.get((value % N as u64) as usize).unwrap_or(&[0; 2]));
        value /= N as u64;
        at -= 2;
        if value == 0 {
            break;
        }
    }
    // The first pair may begin with a superfluous zero.
    let is_odd = room.get(at) == Some(&b'0');
    room.get(at + usize::from(is_odd)..).unwrap_or_default()
}

impl Number {
    pub(super) fn new(c: &Conversion) -> Self {
        let base = match c.letter {
            'x' | 'p' => Base::Hex,
            'X' => Base::HexUpper,
            'o' => Base::Octal,
            _ => Base::Decimal,
        };
        let is_signed = matches!(c.letter, 'd' | 'i' | '@');
        Self {
            base,
            is_bare: !(c.plus || c.space || c.alternate || c.zero || c.group),
            is_signed,
            plus: match (c.plus, c.space) {
                (true, _) if is_signed => "+",
                (_, true) if is_signed => " ",
                _ => "",
            },
            is_alternate: c.alternate,
            is_zero_filled: c.zero,
            is_grouped: c.group && base == Base::Decimal,
        }
    }

    /// Returns the text before the digits, and the magnitude.
    #[inline(always)]
    fn parts(&self, bytes: &[u8]) -> (&'static str, u64) {
        // CAST: the same bits.
        let word = if self.is_signed { signed(bytes).map(|v| v as u64) } else { unsigned(bytes) };
        let value = word.unwrap_or(0);
        match self.base {
            Base::Decimal if self.is_signed && (value as i64) < 0 => ("-", value.wrapping_neg()),
            Base::Decimal => (self.plus, value),
            Base::Hex if self.is_alternate && value != 0 => ("0x", value),
            Base::HexUpper if self.is_alternate && value != 0 => ("0X", value),
            _ => ("", value),
        }
    }

    /// Prints a number.
    #[inline]
    pub(super) fn print(&self, out: &mut Vec<u8>, s: &Shape, bytes: &[u8]) {
        let (prefix, magnitude) = self.parts(bytes);
        let mut room = [0; 22];
        let digits = self.base.digits(&mut room, magnitude);
        if !(s.is_bare && self.is_bare) {
            return self.arrange(out, s, prefix, digits, magnitude);
        }
        if !prefix.is_empty() {
            out.push(b'-');
        }
        out.extend_from_slice(digits);
    }

    /// Applies C's rules for `#`, precision, width and zeros.
    fn arrange(&self, out: &mut Vec<u8>, s: &Shape, prefix: &str, digits: &[u8], value: u64) {
        let mut digits = digits;
        let with_commas;
        if self.is_grouped {
            with_commas = grouped(digits);
            digits = &with_commas;
        }
        // The 0 of `%#o` is one of the digits.
        let is_octal = self.base == Base::Octal && self.is_alternate && value != 0;
        let there = digits.len() + usize::from(is_octal);
        let least = match s.precision {
            Some(p) => p,
            None if self.is_zero_filled && !s.is_left => s.width.saturating_sub(prefix.len()),
            None => 1,
        };
        let zeros = least.saturating_sub(there) + usize::from(is_octal);
        let blanks = s.width.saturating_sub(prefix.len() + zeros + digits.len());
        if !s.is_left {
            fill(out, b' ', blanks);
        }
        if !prefix.is_empty() {
            out.extend_from_slice(prefix.as_bytes());
        }
        fill(out, b'0', zeros);
        out.extend_from_slice(digits);
        if s.is_left {
            fill(out, b' ', blanks);
        }
    }
}

/// Appends `n` copies of a byte; mostly none.
#[inline]
fn fill(out: &mut Vec<u8>, byte: u8, n: usize) {
    if n > 0 {
        out.resize(out.len() + n, byte);
    }
}

/// Prints a decimal number, padded to `width` columns.
pub(crate) fn column(out: &mut Vec<u8>, value: u64, width: usize) {
    let mut room = [0; 22];
    let digits = Base::Decimal.digits(&mut room, value);
    fill(out, b' ', width.saturating_sub(digits.len()));
    out.extend_from_slice(digits);
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
