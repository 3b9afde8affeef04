// SPDX-License-Identifier: GPL-2.0
//! The last minutes of a row: the change in each interval between two states.

use recording::buckets::Range;
use recording::Entry;
use std::collections::VecDeque;

/// The number of samples that a row keeps. At one a second, these are five minutes.
const SAMPLES: usize = 300;
/// How long a row is shown after its last sample if the program has cleared it, in ns.
const SHOWN: u64 = 60_000_000_000;
/// The length of the present, in ns: the rate counts what happened in it.
const NOW: u64 = 950_000_000;

/// The change in an interval.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Sample {
    /// The start, in D's `timestamp`.
    pub from: u64,
    /// The end, in D's `timestamp`.
    pub to: u64,
    /// The amount that can be added up: a count, a sum, or the number of values of an average or a
    /// distribution.
    pub amount: f64,
    /// The level at the end: the average of the interval, or the extreme or deviation so far.
    pub level: Option<f64>,
    /// The buckets of a distribution that got values.
    pub buckets: Vec<(Range, i64)>,
}

/// Samples, the oldest first. An interval that added nothing has none.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Series {
    samples: VecDeque<Sample>,
    /// The memory that they take.
    size: usize,
}

impl Sample {
    /// Makes a sample from the change, which is not divided.
    pub fn new(from: u64, to: u64, added: &Entry, function: &str) -> Self {
        let value = added.value.map(|v| v as f64);
        let (amount, level) = match function {
            "count" | "sum" => (value.unwrap_or(0.0), None),
            "avg" => {
                let count = added.count.unwrap_or(0) as f64;
                (count, value.filter(|_| count > 0.0))
            }
            "stddev" => (added.count.unwrap_or(0) as f64, value),
            "min" | "max" => (0.0, value.filter(|_| !added.empty)),
            _ => (added.buckets.iter().map(|b| b.count as f64).sum(), None),
        };
        let buckets = added.buckets.iter().filter(|b| b.count != 0);
        let buckets = buckets.map(|b| ((b.low, b.high), b.count)).collect();
        Self { from: from.min(to), to, amount, level, buckets }
    }

    fn size(&self) -> usize {
        size_of::<Self>() + size_of_val(&self.buckets[..])
    }
}

impl Series {
    /// Adds the next sample.
    pub fn push(&mut self, sample: Sample) {
        let is_nothing =
            sample.amount == 0.0 && sample.level.is_none() && sample.buckets.is_empty();
        if is_nothing {
            return;
        }
        if self.samples.len() >= SAMPLES {
            self.drop_first();
        }
        self.size += sample.size();
        self.samples.push_back(sample);
    }

    fn drop_first(&mut self) {
        self.size -= self.samples.pop_front().map_or(0, |first| first.size());
    }

    /// Drops the samples that end before this time.
    pub fn forget(&mut self, begin: u64) {
        while self.samples.front().is_some_and(|first| first.to < begin) {
            self.drop_first();
        }
        self.samples.shrink_to_fit();
    }

    /// Returns the bytes of memory that the samples take.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Tells whether the last sample is so old that a row without a value need not be shown.
    pub fn is_old(&self, now: u64) -> bool {
        self.samples.back().is_none_or(|s| now.saturating_sub(s.to) > SHOWN)
    }

    /// Returns the recent amount in a second. `at` is the time of the last snapshot.
    pub fn rate(&self, at: u64) -> f64 {
        let begin = at.saturating_sub(NOW);
        let lately = || self.samples.iter().rev().take_while(|s| s.to > begin);
        let from = lately().map(|s| s.from).min().unwrap_or(begin).min(begin);
        let amount: f64 = lately().map(|s| s.amount).sum();
        amount / (at.saturating_sub(from).max(1) as f64 / 1e9)
    }

    /// Returns the level of the last sample.
    pub fn level(&self) -> Option<f64> {
        self.samples.back().and_then(|s| s.level)
    }

    /// Returns the samples that end after this time.
    pub fn after(&self, begin: u64) -> impl Iterator<Item = &Sample> {
        let first = self.samples.partition_point(|s| s.to <= begin);
        self.samples.range(first..)
    }

    /// Divides the time from `end - span` to `end` into equal parts, and returns for each part the
    /// amount added in it, or the last level. A sample is spread over the parts that its interval
    /// touches; an extreme holds until the next one.
    pub fn parts(&self, end: u64, span: u64, n: usize) -> Vec<f64> {
        let mut parts = vec![0.0; n];
        let begin = end.saturating_sub(span);
        if self.samples.back().is_some_and(|s| s.amount == 0.0 && s.level.is_some()) {
            for sample in &self.samples {
                let first = shares(begin, span, n, &Sample { from: sample.to, ..sample.clone() });
                let first = first.first().map_or(n, |s| s.0);
                parts.iter_mut().skip(first).for_each(|p| *p = sample.level.unwrap_or(0.0));
            }
            return parts;
        }
        for sample in self.after(begin) {
            for (part, share) in shares(begin, span, n, sample) {
                if let Some(p) = parts.get_mut(part) {
                    match sample.level {
                        Some(level) => *p = level,
                        None => *p += sample.amount * share,
                    }
                }
            }
        }
        parts
    }
}

/// Returns which of `n` parts of a span an interval touches, and its share in each.
pub fn shares(begin: u64, span: u64, n: usize, of: &Sample) -> Vec<(usize, f64)> {
    let width = span as f64 / n.max(1) as f64;
    let place = |t: u64| t.saturating_sub(begin) as f64 / width;
    let (from, to) = (place(of.from), place(of.to));
    // An interval without a length belongs to the part in which it ends.
    if to - from < 1e-9 {
        return vec![((to.ceil() as usize).max(1) - 1, 1.0)];
    }
    let whole = (of.to - of.from) as f64 / width;
    let (first, last) = (from.floor() as usize, (to.ceil() as usize).min(n));
    let part = |p: usize| {
        let overlap = to.min(p as f64 + 1.0) - from.max(p as f64);
        (p, overlap.max(0.0) / whole)
    };
    (first..last).map(part).filter(|p| p.1 > 1e-9).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: u64 = 1_000_000_000;

    fn series(samples: &[(u64, u64, f64, Option<f64>)]) -> Series {
        let mut series = Series::default();
        for (from, to, amount, level) in samples {
            let (from, to) = (from * SECOND, to * SECOND);
            series.push(Sample { from, to, amount: *amount, level: *level, buckets: Vec::new() });
        }
        series
    }

    #[test]
    fn amounts_are_spread() {
        let of = series(&[(0, 1, 4.0, None), (1, 3, 6.0, None), (3, 4, 0.0, None)]);
        assert_eq!(of.parts(4 * SECOND, 4 * SECOND, 4), [4.0, 3.0, 3.0, 0.0]);
        assert_eq!(of.parts(4 * SECOND, 4 * SECOND, 2), [7.0, 3.0]);
        assert_eq!(of.parts(4 * SECOND, 2 * SECOND, 2), [3.0, 0.0]);
        assert_eq!((of.rate(3 * SECOND), of.rate(5 * SECOND)), (3.0, 0.0));
    }

    #[test]
    fn extremes_hold() {
        let of = series(&[(0, 1, 0.0, Some(7.0)), (2, 3, 0.0, Some(9.0))]);
        assert_eq!(of.parts(4 * SECOND, 4 * SECOND, 4), [7.0, 7.0, 9.0, 9.0]);
        assert_eq!(of.parts(9 * SECOND, 4 * SECOND, 2), [9.0, 9.0]);
    }

    #[test]
    fn a_row_without_news_grows_old() {
        let of = series(&[(0, 1, 1.0, None)]);
        assert!(!of.is_old(61 * SECOND) && of.is_old(62 * SECOND));
    }
}
