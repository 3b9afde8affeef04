// SPDX-License-Identifier: GPL-2.0
//! A metric with its series, one for each combination of labels.

use recording::{Bucket, Entry, Reset};
use std::collections::{BTreeMap, BTreeSet};

/// The type of a metric.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A number that only grows.
    Counter,
    /// A number.
    Gauge,
    /// A stepped distribution.
    Histogram,
    /// A power-of-two distribution.
    Powers,
}

impl Kind {
    /// Returns the kind for an aggregating function.
    pub fn of(function: &str) -> Option<Self> {
        Some(match function {
            "count" | "sum" => Self::Counter,
            "min" | "max" | "avg" | "stddev" => Self::Gauge,
            "quantize" => Self::Powers,
            "lquantize" | "llquantize" => Self::Histogram,
            _ => return None,
        })
    }

    /// Tells whether each value stands for itself, so that it cannot be added to older values.
    pub fn is_gauge(self) -> bool {
        self == Self::Gauge
    }
}

/// Names and values of labels.
pub type Labels = Vec<(String, String)>;

/// A number that never goes back: the total before the last restart, and the value since then.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Total {
    before: i128,
    now: i64,
}

impl Total {
    /// Takes the value; a smaller one than before has restarted.
    pub fn update(&mut self, now: i64) {
        // The value restarted without a report.
        if now < self.now {
            self.restart();
        }
        self.now = now;
    }

    /// Begins anew at 0.
    pub fn restart(&mut self) {
        self.before += i128::from(self.now);
        self.now = 0;
    }

    /// Returns the total.
    pub fn value(self) -> i128 {
        self.before + i128::from(self.now)
    }
}

/// The state of one combination of labels.
#[derive(Debug, Clone, Default)]
pub struct Series {
    number: Total,
    /// By the bucket's bounds.
    buckets: BTreeMap<(i64, i64), Total>,
    is_updated: bool,
}

impl Series {
    fn restart(&mut self) {
        self.number.restart();
        self.buckets.values_mut().for_each(Total::restart);
    }

    /// Returns the value of a counter or gauge.
    pub fn number(&self) -> i128 {
        self.number.value()
    }

    /// Returns the buckets of a distribution: the least and the greatest value of each, and its
    /// count.
    pub fn buckets(&self) -> impl Iterator<Item = ((i64, i64), i128)> + '_ {
        self.buckets.iter().map(|(bounds, total)| (*bounds, total.value()))
    }

    /// Returns the number of values in a distribution.
    pub fn count(&self) -> i128 {
        self.buckets().map(|b| b.1).sum()
    }
}

/// A metric.
#[derive(Debug, Clone)]
pub struct Family {
    /// The name without `_total`.
    pub name: String,
    /// The type.
    pub kind: Kind,
    /// A sentence about the metric, if it is one of ours.
    pub help: &'static str,
    /// The series by labels.
    pub series: BTreeMap<Labels, Series>,
    /// The upper bounds that any series has had. All series show all of them, so that they can be
    /// added up.
    bounds: BTreeSet<i64>,
    /// The program has removed some entries since the last state.
    is_cut: bool,
}

impl Family {
    /// Makes a family without series.
    pub fn new(name: String, kind: Kind) -> Self {
        let (series, bounds) = (BTreeMap::new(), BTreeSet::new());
        Self { name, kind, help: "", series, bounds, is_cut: false }
    }

    /// Takes the state of an entry.
    pub fn update(&mut self, labels: Labels, entry: &Entry) {
        let series = self.series.entry(labels).or_default();
        series.is_updated = true;
        // normalize() may change its divisor, so the numbers here are undivided.
        if let Some(value) = entry.raw.or(entry.value) {
            match self.kind.is_gauge() {
                true => series.number.now = value,
                false => series.number.update(value),
            }
        }
        for Bucket { low, high, count, raw } in &entry.buckets {
            let count = raw.unwrap_or(*count);
            let bounds = (low.unwrap_or(i64::MIN), high.unwrap_or(i64::MAX));
            series.buckets.entry(bounds).or_default().update(count);
            self.bounds.extend(high.filter(|h| *h < i64::MAX));
            self.bounds.extend(low.and_then(|l| l.checked_sub(1)));
        }
    }

    /// Sets the number of a series.
    pub fn set(&mut self, labels: Labels, value: u64) {
        let series = self.series.entry(labels).or_default();
        series.number.now = i64::try_from(value).unwrap_or(i64::MAX);
    }

    /// Begins a new state, before an update for each of its entries.
    pub fn begin_state(&mut self) {
        if self.kind.is_gauge() || self.is_cut {
            self.series.values_mut().for_each(|s| s.is_updated = false);
        }
    }

    /// Ends a state. Gauges without an entry go; counters whose entries the program has removed
    /// begin anew.
    pub fn end_state(&mut self) {
        let is_cut = std::mem::take(&mut self.is_cut);
        if self.kind.is_gauge() {
            self.series.retain(|_, s| s.is_updated);
        } else if is_cut {
            self.series.values_mut().filter(|s| !s.is_updated).for_each(Series::restart);
        }
    }

    /// Notes that the program has reset the aggregation. Only the next state shows which entries a
    /// cut has removed.
    pub fn reset(&mut self, how: Reset) {
        match (how, self.kind.is_gauge()) {
            (Reset::Cut, _) => self.is_cut = true,
            (Reset::Removed, true) => self.series.clear(),
            (Reset::Cleared, true) => {}
            (_, false) => self.series.values_mut().for_each(Series::restart),
        }
    }

    /// Returns the upper bounds of classic buckets. Powers of two have no gaps between the least
    /// and the greatest bound.
    pub fn bounds(&self) -> Vec<i64> {
        let mut all = self.bounds.clone();
        if let (Kind::Powers, Some(least), Some(most)) = (self.kind, all.first(), all.last()) {
            let (least, most) = (*least, *most);
            let powers = (0..63).map(|n| 1i64 << n);
            let between: Vec<i64> = powers.flat_map(|p| [-p, p - 1]).collect();
            all.extend(between.into_iter().filter(|b| least <= *b && *b <= most));
        }
        all.into_iter().collect()
    }
}
