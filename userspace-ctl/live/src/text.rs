// SPDX-License-Identifier: GPL-2.0
//! Short forms of numbers and durations.

/// Returns a number in at most seven characters: `1234567`, `12.3M`, `-4.57G`.
pub fn number(n: f64) -> String {
    let size = n.abs();
    if !n.is_finite() {
        return "-".into();
    }
    if size < 1e7 {
        let is_whole = (n - n.round()).abs() < 1e-9;
        return match size {
            // Avoids -0.
            _ if is_whole => format!("{:.0}", n.round() + 0.0),
            0.0..10.0 => format!("{n:.2}"),
            10.0..1000.0 => format!("{n:.1}"),
            _ => format!("{n:.0}"),
        };
    }
    for (unit, name) in [(1e6, 'M'), (1e9, 'G'), (1e12, 'T'), (1e15, 'P'), (1e18, 'E')] {
        let scaled = n / unit;
        if scaled.abs() < 999.5 {
            let places = match scaled.abs() {
                s if s < 9.995 => 2,
                s if s < 99.95 => 1,
                _ => 0,
            };
            return format!("{scaled:.places$}{name}");
        }
    }
    format!("{n:.1e}")
}

/// Returns nanoseconds as a clock: `01:05`, `2:00:03`.
pub fn clock(ns: u64) -> String {
    let s = ns / 1_000_000_000;
    match s / 3600 {
        0 => format!("{:02}:{:02}", s / 60, s % 60),
        hours => format!("{hours}:{:02}:{:02}", s / 60 % 60, s % 60),
    }
}

/// Returns a number with the word for its things.
pub fn count(n: u64, thing: &str) -> String {
    let s = if n == 1 { "" } else { "s" };
    format!("{n} {thing}{s}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        let all = [-0.0, 0.5, 12.34, 1234.0, 1234.5, 9_999_999.0, 12_345_678.0, -4.567e9, 1e19];
        let text: Vec<String> = all.iter().map(|n| number(*n)).collect();
        let expected = ["0", "0.50", "12.3", "1234", "1234", "9999999", "12.3M", "-4.57G", "10.0E"];
        assert_eq!(text, expected);
        assert_eq!(number(i64::MIN as f64), "-9.22E");
        assert_eq!(
            (clock(65_000_000_000), clock(7_203_000_000_000)),
            ("01:05".into(), "2:00:03".into())
        );
    }
}
