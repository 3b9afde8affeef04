// SPDX-License-Identifier: GPL-2.0
//! Words and numbers in the form that pages show.

use recording::Datum;
use std::borrow::Cow;

/// Returns the text of a traced program without characters that pictures cannot show, or that would
/// change how the surrounding text is read. Markup is escaped elsewhere.
pub fn clean(text: &str) -> Cow<'_, str> {
    let is_odd = |c: char| {
        (c.is_control() && !matches!(c, '\n' | '\t'))
            || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{fffe}' | '\u{ffff}')
    };
    let shown = |c: char| match u32::from(c) {
        0x7f => '\u{2421}',
        n @ 0..0x20 => char::from_u32(0x2400 + n).unwrap_or('\u{fffd}'),
        _ => '\u{fffd}',
    };
    match text.contains(is_odd) {
        true => text.chars().map(|c| if is_odd(c) { shown(c) } else { c }).collect(),
        false => text.into(),
    }
}

/// Returns a key that is no stack, on one line.
pub fn key(datum: &Datum) -> String {
    clean(&datum.to_string()).replace('\n', " ")
}

/// Returns the keys that are no stacks, on one line; `all values` if there are none.
pub fn keys(keys: &[Datum]) -> String {
    let named: Vec<String> = keys.iter().filter(|k| k.frames().is_none()).map(key).collect();
    match named.is_empty() {
        true => "all values".into(),
        false => named.join(", "),
    }
}

/// Returns a number with its digits in groups.
pub fn number(n: i64) -> String {
    let digits = n.unsigned_abs().to_string();
    let mut out = String::from(if n < 0 { "\u{2212}" } else { "" });
    for (i, c) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i) % 3 == 0 {
            out.push('\u{202f}');
        }
        out.push(c);
    }
    out
}

/// Returns a number for an axis, with about three digits.
pub fn short(n: i64) -> String {
    let size = n.unsigned_abs();
    let (unit, name) = match size {
        0..100_000 => return number(n),
        100_000..1_000_000 => (1e3, "k"),
        1_000_000..1_000_000_000 => (1e6, "M"),
        1_000_000_000..1_000_000_000_000 => (1e9, "G"),
        1_000_000_000_000..1_000_000_000_000_000 => (1e12, "T"),
        _ => return format!("{:.1e}", n as f64),
    };
    let scaled = n as f64 / unit;
    let places = if scaled.abs() < 10.0 { 2 } else { 1 };
    let text = format!("{scaled:.places$}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    format!("{}{name}", text.replace('-', "\u{2212}"))
}

/// Returns the bounds of a bucket.
pub fn range((low, high): recording::buckets::Range) -> String {
    match (low, high) {
        (Some(l), Some(h)) if l == h => number(l),
        (Some(l), Some(h)) => format!("{} to {}", number(l), number(h)),
        (Some(l), None) => format!("{} and more", number(l)),
        (None, Some(h)) => format!("{} and less", number(h)),
        (None, None) => "any".into(),
    }
}

/// Returns a part of a whole, in per cent.
pub fn share(part: f64, whole: f64) -> String {
    match whole > 0.0 {
        true => format!("{:.1}\u{202f}%", 100.0 * part / whole),
        false => "\u{2013}".into(),
    }
}

/// Returns nanoseconds in people's units.
pub fn duration(ns: u64) -> String {
    let s = ns as f64 / 1e9;
    match s {
        s if s < 1e-3 => format!("{:.0} \u{b5}s", s * 1e6),
        s if s < 1.0 => format!("{:.0} ms", s * 1e3),
        s if s < 120.0 => format!("{s:.1} s"),
        s if s < 7200.0 => format!("{} min {:.0} s", s as u64 / 60, s % 60.0),
        s => format!("{} h {:.0} min", s as u64 / 3600, s % 3600.0 / 60.0),
    }
}

/// Returns nanoseconds since 1970 as a date, UTC.
pub fn date(ns: u64) -> String {
    let seconds = ns / 1_000_000_000;
    let (days, of_day) = (seconds / 86400, seconds % 86400);
    // Years that begin in March have their leap day at the end.
    let shifted = days + 719_468;
    let (era, of_era) = (shifted / 146_097, shifted % 146_097);
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = era * 400 + year + u64::from(month <= 2);
    let (h, m, s) = (of_day / 3600, of_day / 60 % 60, of_day % 60);
    format!("{year}-{month:02}-{day:02} {h:02}:{m:02}:{s:02} UTC")
}

/// Returns a count with the word for its things.
pub fn count(n: usize, what: &str) -> String {
    let s = if n == 1 { "" } else { "s" };
    format!("{} {what}{s}", number(i64::try_from(n).unwrap_or(i64::MAX)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_numbers() {
        assert_eq!(clean("a\0b\u{202e}c\n\u{7f}"), "a\u{2400}b\u{fffd}c\n\u{2421}");
        assert_eq!(number(-1_234_567), "\u{2212}1\u{202f}234\u{202f}567");
        assert_eq!(short(65_536), "65\u{202f}536");
        assert_eq!(short(1 << 20), "1.05M");
        assert_eq!(short(500_000), "500k");
        assert_eq!(date(1_700_000_000_000_000_000), "2023-11-14 22:13:20 UTC");
        assert_eq!(date(1_709_164_800_000_000_000), "2024-02-29 00:00:00 UTC");
        assert_eq!(duration(1_500_000_000), "1.5 s");
        assert_eq!(duration(9_000_000_000_000), "2 h 30 min");
    }
}
