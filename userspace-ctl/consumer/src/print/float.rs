// SPDX-License-Identifier: GPL-2.0
//! Prints floating-point numbers by C's rules for `%e %f %g`. D reads such numbers from memory, but
//! does not compute with them.

use super::MOST_COLUMNS;

/// The conversion of a number.
#[derive(Debug, Clone, Copy)]
pub struct Float {
    /// One of `eEfFgG`.
    pub letter: char,
    /// The text in front of a number that is not negative.
    pub plus: &'static str,
    /// `#`: keeps the decimal point and trailing zeros.
    pub is_alternate: bool,
    /// `0`.
    pub is_zero_filled: bool,
}

/// Reads a number of 4 or 8 bytes.
pub fn value(bytes: &[u8]) -> Option<f64> {
    match *bytes {
        [a, b, c, d] => Some(f32::from_le_bytes([a, b, c, d]).into()),
        _ => bytes.try_into().ok().map(f64::from_le_bytes),
    }
}

/// Returns the shortest text that identifies the number.
pub fn short(bytes: &[u8]) -> String {
    match *bytes {
        [a, b, c, d] => f32::from_le_bytes([a, b, c, d]).to_string(),
        _ => value(bytes).map_or("?".into(), |v| v.to_string()),
    }
}

impl Float {
    /// Returns the number's text; `width` is the least width if zeros fill it.
    pub fn text(self, value: f64, precision: Option<usize>, width: usize) -> String {
        let sign = if value.is_sign_negative() && !value.is_nan() { "-" } else { self.plus };
        let (magnitude, precision) = (value.abs(), precision.unwrap_or(6).min(MOST_COLUMNS));
        let digits = match self.letter.to_ascii_lowercase() {
            _ if !magnitude.is_finite() => magnitude.to_string().to_ascii_lowercase(),
            'f' => self.fixed(magnitude, precision),
            'e' => self.scientific(magnitude, precision),
            _ => self.general(magnitude, precision.max(1)),
        };
        let zeros = match self.is_zero_filled && magnitude.is_finite() {
            true => width.saturating_sub(sign.len() + digits.len()),
            false => 0,
        };
        let text = format!("{sign}{}{digits}", "0".repeat(zeros));
        if self.letter.is_ascii_uppercase() {
            text.to_ascii_uppercase()
        } else {
            text
        }
    }

    fn fixed(self, v: f64, precision: usize) -> String {
        let point = if self.is_alternate && precision == 0 { "." } else { "" };
        format!("{v:.precision$}{point}")
    }

    fn scientific(self, v: f64, precision: usize) -> String {
        let text = format!("{v:.precision$e}");
        let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        let exponent: i32 = exponent.parse().unwrap_or(0);
        let point = if self.is_alternate && precision == 0 { "." } else { "" };
        let sign = if exponent < 0 { '-' } else { '+' };
        format!("{digits}{point}e{sign}{:02}", exponent.unsigned_abs())
    }

    /// Uses the fixed or the scientific form, by C's rule for `%g`, without trailing zeros.
    fn general(self, v: f64, significant: usize) -> String {
        let text = self.scientific(v, significant - 1);
        let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        let power: i64 = exponent.parse().unwrap_or(0);
        let room = i64::try_from(significant).unwrap_or(i64::MAX);
        if !(-4..room).contains(&power) {
            return format!("{}e{exponent}", self.trimmed(digits));
        }
        let behind = usize::try_from(room - 1 - power).unwrap_or(0);
        self.trimmed(&self.fixed(v, behind)).to_string()
    }

    fn trimmed(self, digits: &str) -> &str {
        match digits.contains('.') && !self.is_alternate {
            true => digits.trim_end_matches('0').trim_end_matches('.'),
            false => digits,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_in_c() {
        let plain = |letter| Float { letter, plus: "", is_alternate: false, is_zero_filled: false };
        for (letter, precision, value, want) in [
            ('f', None, 1.5, "1.500000"),
            ('f', Some(0), 2.5, "2"),
            ('f', Some(2), -0.005, "-0.01"),
            ('e', None, 12345.678, "1.234568e+04"),
            ('E', Some(1), 0.00012, "1.2E-04"),
            ('e', Some(0), 0.0, "0e+00"),
            ('g', None, 100_000.0, "100000"),
            ('g', None, 1_000_000.0, "1e+06"),
            ('g', None, 0.0001, "0.0001"),
            ('g', None, 0.00001, "1e-05"),
            ('G', None, 1e-300, "1E-300"),
            ('g', Some(3), 2.71928, "2.72"),
            ('g', Some(0), 3.0, "3"),
            ('g', None, 0.0, "0"),
            ('f', None, f64::INFINITY, "inf"),
            ('F', None, f64::NAN, "NAN"),
            ('e', None, f64::NEG_INFINITY, "-inf"),
        ] {
            assert_eq!(plain(letter).text(value, precision, 0), want, "%{letter} of {value}");
        }
        // `format!` of newer toolchains takes no precision above `u16::MAX`.
        for letter in ['f', 'e', 'g'] {
            let all = Float { is_alternate: true, ..plain(letter) };
            let text = all.text(0.0001, Some(1 << 20), 0);
            assert!((60_000..=usize::from(u16::MAX)).contains(&text.len()), "{}", text.len());
        }
        let all = Float { letter: 'g', plus: "+", is_alternate: true, is_zero_filled: true };
        assert_eq!(all.text(2.0, None, 10), "+002.00000");
        assert_eq!(all.text(f64::INFINITY, None, 10), "+inf");
        assert_eq!(short(&0.1f32.to_le_bytes()), "0.1");
        assert_eq!(value(&[0; 3]), None);
    }
}
