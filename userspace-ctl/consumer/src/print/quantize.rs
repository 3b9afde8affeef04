// SPDX-License-Identifier: GPL-2.0
//! Draws the distributions of quantize, lquantize and llquantize as bars of `@`.
//!
//! ```text
//!            value  ------------- Distribution ------------- count
//!                0 |                                         0
//!                1 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@ 1
//!                2 |                                         0
//! ```
//! One empty bucket is shown on either side. The length of a bar is the bucket's share of the
//! total, in 40 columns; if counts of both signs occur (negative weights), each sign has 20
//! columns.

use super::{pad_left, put};
use abi::aggregation::{quantize_value, AggFunc, QUANTIZE_BUCKETS, QUANTIZE_ZERO};

/// The columns of the bar.
const BAR: usize = 40;
/// The share of the columns that the largest bucket gets with `-x aggzoom`.
const ZOOM: f64 = 0.95;

/// The scale of a drawing's bars.
pub(super) struct Scale {
    total: f64,
    has_positive: bool,
    has_negative: bool,
}

impl Scale {
    pub fn new(counts: &[i64], zoom: bool) -> Self {
        let sizes = counts.iter().map(|&c| c.unsigned_abs() as f64);
        let total = match zoom {
            true => sizes.fold(0.0, f64::max) / ZOOM,
            false => sizes.sum(),
        };
        let has = |sign| counts.iter().any(|c| c.signum() == sign);
        Self { total, has_positive: has(1), has_negative: has(-1) }
    }

    /// Returns the bar of one bucket: 41 columns with its axis.
    pub fn bar(&self, count: i64) -> String {
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

/// Prints the head of a drawing whose labels have `width` columns.
pub(super) fn header(out: &mut Vec<u8>, what: &str, width: usize) {
    let title = "------------- Distribution -------------";
    out.push(b'\n');
    pad_left(out, what.as_bytes(), width);
    put!(out, " {title:>41} {:<9}\n", "count");
}

/// The buckets of a distribution, from the underflow bucket to the overflow bucket.
pub(super) struct Buckets {
    func: AggFunc,
    /// The count of each bucket.
    pub counts: Vec<i64>,
}

impl Buckets {
    /// Reads the buckets; `None` if the function makes no distribution. The parameters of
    /// `lquantize` and `llquantize` precede the counts.
    pub fn new(func: AggFunc, words: &[u64]) -> Option<Self> {
        let counts = |from: usize| words.iter().skip(from).map(|&w| w as i64);
        let counts = match func {
            AggFunc::Quantize => counts(0).take(QUANTIZE_BUCKETS).collect(),
            AggFunc::Lquantize(_) | AggFunc::Llquantize(_) => counts(1).collect(),
            _ => return None,
        };
        Some(Self { func, counts })
    }

    /// Returns the label of a bucket: the power of two nearest to 0, or the least value. The
    /// outermost stepped buckets have only one bound.
    pub fn label(&self, bucket: usize) -> String {
        let lower_bound: &dyn Fn(usize) -> i64 = match &self.func {
            AggFunc::Lquantize(l) => &|bucket| l.lower_bound(bucket),
            AggFunc::Llquantize(l) => &|bucket| l.lower_bound(bucket),
            _ => return quantize_value(bucket).to_string(),
        };
        match bucket {
            0 => format!("< {}", lower_bound(1)),
            b if b + 1 == self.counts.len() => format!(">= {}", lower_bound(b)),
            b => lower_bound(b).to_string(),
        }
    }

    /// Returns the first and last bucket to show: the non-zero ones and a neighbour on either side.
    pub fn shown(&self) -> Option<(usize, usize)> {
        let counts = &self.counts;
        let first = counts.iter().position(|&c| c != 0)?;
        let last = counts.iter().rposition(|&c| c != 0)?;
        Some((first.saturating_sub(1), (last + 1).min(counts.len().saturating_sub(1))))
    }

    /// Returns the same range, or for an empty distribution the buckets around 0, or the first
    /// stepped ones.
    fn rows(&self) -> (usize, usize) {
        self.shown().unwrap_or(match self.func {
            AggFunc::Quantize => (QUANTIZE_ZERO - 1, QUANTIZE_ZERO + 1),
            _ => (0, 2.min(self.counts.len().saturating_sub(1))),
        })
    }
}

/// Draws a distribution; returns false if the function makes none.
pub fn distribution(
    out: &mut Vec<u8>,
    func: AggFunc,
    words: &[u64],
    normal: i64,
    zoom: bool,
) -> bool {
    let Some(buckets) = Buckets::new(func, words) else { return false };
    let scale = Scale::new(&buckets.counts, zoom);
    let (first, last) = buckets.rows();
    header(out, "value", 16);
    for (bucket, &count) in buckets.counts.iter().enumerate().take(last + 1).skip(first) {
        let shown = count.wrapping_div(normal.max(1));
        put!(out, "{:>16} {} {shown:<9}\n", buckets.label(bucket), scale.bar(count));
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use abi::aggregation::Linear;

    fn words(func: AggFunc, values: &[(i64, i64)]) -> Vec<u64> {
        let mut w = vec![0; func.words()];
        func.init(&mut w);
        for &(v, weight) in values {
            func.update(&mut w, v, weight);
        }
        w
    }

    fn drawn(func: AggFunc, words: &[u64], normal: i64, zoom: bool) -> String {
        let mut out = Vec::new();
        assert!(distribution(&mut out, func, words, normal, zoom));
        String::from_utf8(out).unwrap().replace(' ', ".")
    }

    #[test]
    fn powers_of_two() {
        let w = words(AggFunc::Quantize, &[(1, 1), (2, 1), (3, 1), (-5, 1)]);
        assert_eq!(
            drawn(AggFunc::Quantize, &w, 1, false),
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
        let text = drawn(AggFunc::Quantize, &w, 1, false);
        let labels: Vec<&str> = text.lines().skip(2).map(|l| l.trim_matches('.')).collect();
        assert_eq!(labels.len(), 3);
        assert!(
            labels[0].starts_with("-1") && labels[1].starts_with('0') && labels[2].starts_with('1')
        );
    }

    #[test]
    fn negative_weights_mirror() {
        let w = words(AggFunc::Quantize, &[(1, 3), (2, -1)]);
        let text = drawn(AggFunc::Quantize, &w, 1, false);
        assert!(text.contains("1.....................|@@@@@@@@@@@@@@@......3........\n"), "{text}");
        assert!(text.contains("2................@@@@@|.....................-1.......\n"), "{text}");
        let w = words(AggFunc::Quantize, &[(1, -2)]);
        let text = drawn(AggFunc::Quantize, &w, 1, false);
        assert!(text.contains(&format!("1.{}|.-2.......\n", "@".repeat(40))), "{text}");
    }

    #[test]
    fn steps() {
        let l = Linear { base: -10, step: 5, levels: 4 };
        let w = words(AggFunc::Lquantize(l), &[(-11, 1), (0, 2), (10, 1)]);
        assert_eq!(
            drawn(AggFunc::Lquantize(l), &w, 1, false),
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
        let text = drawn(AggFunc::Quantize, &w, 10, true);
        assert!(text.contains(&format!("1.|{}...10.......\n", "@".repeat(38))), "{text}");
        assert!(
            text.contains(&format!("2.|{}{}5........\n", "@".repeat(19), ".".repeat(22))),
            "{text}"
        );
    }
}
