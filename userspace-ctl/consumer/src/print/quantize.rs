// SPDX-License-Identifier: GPL-2.0
//! Distributions: quantize, lquantize and llquantize as bars of `@`.
//!
//! ```text
//!            value  ------------- Distribution ------------- count
//!                0 |                                         0
//!                1 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@ 1
//!                2 |                                         0
//! ```
//! One empty bucket is shown on either side. The bar is the bucket's share of the total, in 40
//! columns; when counts of both signs occur (negative weights) each sign has 20 of them.

use super::put;
use abi::aggregation::{quantize_value, Linear, LogLinear, QUANTIZE_BUCKETS, QUANTIZE_ZERO};

/// Columns of the bar.
const BAR: usize = 40;
/// Share of the columns that the largest bucket gets with `-x aggzoom`.
const ZOOM: f64 = 0.95;

/// Bars are scaled to this.
struct Scale {
    total: f64,
    has_positive: bool,
    has_negative: bool,
}

impl Scale {
    fn new(counts: &[i64], zoom: bool) -> Self {
        let sizes = counts.iter().map(|&c| c.unsigned_abs() as f64);
        let total = match zoom {
            true => sizes.fold(0.0, f64::max) / ZOOM,
            false => sizes.sum(),
        };
        let has = |sign| counts.iter().any(|c| c.signum() == sign);
        Self { total, has_positive: has(1), has_negative: has(-1) }
    }

    /// The bar of one bucket, 41 columns with its axis.
    fn bar(&self, count: i64) -> String {
        let columns = if self.has_positive && self.has_negative { BAR / 2 } else { BAR };
        let length = match self.total > 0.0 {
            true => (count.unsigned_abs() as f64 * columns as f64 / self.total + 0.5) as usize,
            false => 0,
        }
        .min(columns);
        let bar = "@".repeat(length);
        match (self.has_positive, self.has_negative) {
            (_, false) => format!("|{bar:BAR$}"),
            (false, true) => format!("{bar:>BAR$}|"),
            (true, true) if count > 0 => format!("{:columns$}|{bar:columns$}", ""),
            (true, true) => format!("{bar:>columns$}|{:columns$}", ""),
        }
    }
}

fn header(out: &mut Vec<u8>) {
    let title = "------------- Distribution -------------";
    put!(out, "\n{:>16} {:>41} {:<9}\n", "value", title, "count");
}

fn row(out: &mut Vec<u8>, label: &str, scale: &Scale, count: i64, normal: i64) {
    let shown = count.wrapping_div(normal.max(1));
    put!(out, "{label:>16} {} {shown:<9}\n", scale.bar(count));
}

/// First and last index to show: the non-zero ones and a neighbour on either side.
fn shown(counts: &[i64]) -> Option<(usize, usize)> {
    let first = counts.iter().position(|&c| c != 0)?;
    let last = counts.iter().rposition(|&c| c != 0)?;
    Some((first.saturating_sub(1), (last + 1).min(counts.len().saturating_sub(1))))
}

/// quantize(): powers of two.
pub fn quantize(out: &mut Vec<u8>, words: &[u64], normal: i64, zoom: bool) {
    let counts: Vec<i64> = words.iter().take(QUANTIZE_BUCKETS).map(|&w| w as i64).collect();
    let scale = Scale::new(&counts, zoom);
    let (first, last) = shown(&counts).unwrap_or((QUANTIZE_ZERO - 1, QUANTIZE_ZERO + 1));
    header(out);
    for (bucket, &count) in counts.iter().enumerate().take(last + 1).skip(first) {
        row(out, &quantize_value(bucket).to_string(), &scale, count, normal);
    }
}

/// lquantize(): equal steps; `words` begins with the parameters.
pub fn lquantize(out: &mut Vec<u8>, linear: Linear, words: &[u64], normal: i64, zoom: bool) {
    steps(out, words, normal, zoom, |bucket| linear.lower_bound(bucket));
}

/// llquantize(): equal steps within each power of the factor; `words` begins with the parameters.
pub fn llquantize(out: &mut Vec<u8>, log: LogLinear, words: &[u64], normal: i64, zoom: bool) {
    steps(out, words, normal, zoom, |bucket| log.lower_bound(bucket));
}

/// The first bucket is of what is below all others, the last one of what is above.
fn steps(
    out: &mut Vec<u8>,
    words: &[u64],
    normal: i64,
    zoom: bool,
    lower_bound: impl Fn(usize) -> i64,
) {
    let counts: Vec<i64> = words.iter().skip(1).map(|&w| w as i64).collect();
    let scale = Scale::new(&counts, zoom);
    let over = counts.len().saturating_sub(1);
    let (first, last) = shown(&counts).unwrap_or((0, 2.min(over)));
    header(out);
    for (bucket, &count) in counts.iter().enumerate().take(last + 1).skip(first) {
        let label = match bucket {
            0 => format!("< {}", lower_bound(1)),
            b if b == over => format!(">= {}", lower_bound(b)),
            b => lower_bound(b).to_string(),
        };
        row(out, &label, &scale, count, normal);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use abi::aggregation::AggFunc;

    fn words(func: AggFunc, values: &[(i64, i64)]) -> Vec<u64> {
        let mut w = vec![0; func.words()];
        func.init(&mut w);
        for &(v, weight) in values {
            func.update(&mut w, v, weight);
        }
        w
    }

    fn drawn(f: impl FnOnce(&mut Vec<u8>)) -> String {
        let mut out = Vec::new();
        f(&mut out);
        String::from_utf8(out).unwrap().replace(' ', ".")
    }

    #[test]
    fn powers_of_two() {
        let w = words(AggFunc::Quantize, &[(1, 1), (2, 1), (3, 1), (-5, 1)]);
        assert_eq!(
            drawn(|o| quantize(o, &w, 1, false)),
            "
...........value..-------------.Distribution.-------------.count....
..............-8.|.........................................0........
..............-4.|@@@@@@@@@@...............................1........
..............-2.|.........................................0........
..............-1.|.........................................0........
...............0.|.........................................0........
...............1.|@@@@@@@@@@...............................1........
...............2.|@@@@@@@@@@@@@@@@@@@@.....................2........
...............4.|.........................................0........
"
        );
    }

    #[test]
    fn no_data_shows_the_buckets_around_zero() {
        let w = words(AggFunc::Quantize, &[]);
        let text = drawn(|o| quantize(o, &w, 1, false));
        let labels: Vec<&str> = text.lines().skip(2).map(|l| l.trim_matches('.')).collect();
        assert_eq!(labels.len(), 3);
        assert!(
            labels[0].starts_with("-1") && labels[1].starts_with('0') && labels[2].starts_with('1')
        );
    }

    #[test]
    fn negative_weights_mirror() {
        let w = words(AggFunc::Quantize, &[(1, 3), (2, -1)]);
        let text = drawn(|o| quantize(o, &w, 1, false));
        assert!(text.contains("1.....................|@@@@@@@@@@@@@@@......3........\n"), "{text}");
        assert!(text.contains("2................@@@@@|.....................-1.......\n"), "{text}");
        let w = words(AggFunc::Quantize, &[(1, -2)]);
        let text = drawn(|o| quantize(o, &w, 1, false));
        assert!(text.contains(&format!("1.{}|.-2.......\n", "@".repeat(40))), "{text}");
    }

    #[test]
    fn steps() {
        let l = Linear { base: -10, step: 5, levels: 4 };
        let w = words(AggFunc::Lquantize(l), &[(-11, 1), (0, 2), (10, 1)]);
        assert_eq!(
            drawn(|o| lquantize(o, l, &w, 1, false)),
            "
...........value..-------------.Distribution.-------------.count....
...........<.-10.|@@@@@@@@@@...............................1........
.............-10.|.........................................0........
..............-5.|.........................................0........
...............0.|@@@@@@@@@@@@@@@@@@@@.....................2........
...............5.|.........................................0........
...........>=.10.|@@@@@@@@@@...............................1........
"
        );
    }

    #[test]
    fn zoom_and_normal() {
        let w = words(AggFunc::Quantize, &[(1, 100), (2, 50)]);
        let text = drawn(|o| quantize(o, &w, 10, true));
        assert!(text.contains(&format!("1.|{}...10.......\n", "@".repeat(38))), "{text}");
        assert!(
            text.contains(&format!("2.|{}{}5........\n", "@".repeat(19), ".".repeat(22))),
            "{text}"
        );
    }
}
