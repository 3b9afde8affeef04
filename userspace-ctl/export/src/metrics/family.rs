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
    /// Takes the value. A smaller one than before has restarted or, if it has lost a part, goes on.
    pub fn update(&mut self, now: i64, has_lost: bool) {
        if now < self.now {
            let lost = i128::from(self.now) - i128::from(now);
            match has_lost {
                true => self.before += lost,
                // The value restarted without a report.
                false => self.restart(),
            }
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

/// The most buckets of a power-of-two distribution; `quantize()` has 127.
const POWERS: usize = 128;

/// The room for more series, for more lines of histograms, and for the labels in all lines. The
/// traced program chooses keys and values, so all have a limit.
#[derive(Debug, Clone, Copy)]
pub struct Room {
    /// The number of series.
    pub series: usize,
    /// The number of lines: one for each bound of each series, and two more.
    pub lines: usize,
    /// The bytes of labels: those of a series in each of its lines.
    pub bytes: usize,
}

fn size(labels: &Labels) -> usize {
    labels.iter().map(|(name, value)| name.len() + value.len()).sum()
}

/// The state of one combination of labels.
#[derive(Debug, Clone, Default)]
pub struct Series {
    number: Total,
    /// By the bucket's bounds.
    buckets: BTreeMap<(i64, i64), Total>,
    /// The values in buckets for whose bounds there was no room.
    rest: Total,
    is_updated: bool,
    /// It has been the sum of several entries. If the program removes some of them, it falls, but
    /// has not restarted.
    is_sum: bool,
}

impl Series {
    fn restart(&mut self) {
        self.number.restart();
        self.buckets.values_mut().for_each(Total::restart);
        self.rest.restart();
    }

    /// Returns the value of a counter or gauge.
    pub fn number(&self) -> i128 {
        self.number.value()
    }

    /// Returns the buckets of a distribution: the least and the greatest value of each, and its
    /// count. Negative weights may make one negative, which no histogram can show.
    pub fn buckets(&self) -> impl Iterator<Item = ((i64, i64), i128)> + '_ {
        self.buckets.iter().map(|(bounds, total)| (*bounds, total.value().max(0)))
    }

    /// Returns the number of values in a distribution.
    pub fn count(&self) -> i128 {
        self.buckets().map(|b| b.1).sum::<i128>() + self.rest.value().max(0)
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

    /// Takes the state of an entry of this aggregating function, which may be a sum of several, as
    /// far as there is room. Returns the number of buckets that have no bounds of their own, or
    /// `None` if the entry has no series.
    pub fn update(
        &mut self,
        labels: Labels,
        function: &str,
        entry: &Entry,
        is_sum: bool,
        room: &mut Room,
    ) -> Option<usize> {
        if !self.series.contains_key(&labels) {
            let lines = self.lines_each();
            let series = room.series.checked_sub(1)?;
            let bytes = room.bytes.checked_sub(size(&labels).saturating_mul(lines.max(1)))?;
            *room = Room { series, lines: room.lines.checked_sub(lines)?, bytes };
            self.series.insert(labels.clone(), Series::default());
        }
        let bounds = |b: &Bucket| (b.low.unwrap_or(i64::MIN), b.high.unwrap_or(i64::MAX));
        let has_bounds: Vec<bool> =
            entry.buckets.iter().map(|b| self.widen(bounds(b), room)).collect();
        let series = self.series.get_mut(&labels)?;
        series.is_updated = true;
        series.is_sum |= is_sum;
        let has_lost = self.is_cut && series.is_sum;
        // normalize() may change its divisor, so the numbers here are undivided.
        if let Some(value) = entry.undivided(function) {
            match self.kind.is_gauge() {
                true => series.number.now = value,
                false => series.number.update(value, has_lost),
            }
        }
        // A native histogram needs no bounds, and has few buckets. Buckets that overlap, which only a
        // forged stream has, would be more than their bounds divide.
        let (needs_bounds, most) = match self.kind {
            Kind::Powers => (false, POWERS),
            _ => (true, self.bounds.len() + 1),
        };
        let (mut without, mut rest) = (0, 0i64);
        for (bucket, has_bounds) in entry.buckets.iter().zip(has_bounds) {
            let has_room = series.buckets.len() < most && (has_bounds || !needs_bounds);
            if has_room || series.buckets.contains_key(&bounds(bucket)) {
                let total = series.buckets.entry(bounds(bucket)).or_default();
                total.update(bucket.whole(), has_lost);
            } else {
                without += 1;
                rest = rest.saturating_add(bucket.whole());
            }
        }
        series.rest.update(rest, has_lost);
        Some(without)
    }

    /// Returns the number of lines that a series has beside its keys.
    fn lines_each(&self) -> usize {
        match self.kind {
            Kind::Counter | Kind::Gauge => 0,
            Kind::Histogram | Kind::Powers => self.bounds.len() + 2,
        }
    }

    /// Returns the number of lines of all series, as far as they are histograms.
    pub fn lines(&self) -> usize {
        self.lines_each() * self.series.len()
    }

    /// Returns the bytes of the labels in all lines.
    pub fn bytes(&self) -> usize {
        self.label_bytes().saturating_mul(self.lines_each().max(1))
    }

    /// Returns the bytes of the labels of all series, once each.
    fn label_bytes(&self) -> usize {
        self.series.keys().map(size).sum()
    }

    /// Adds the bounds of a bucket to all series; returns false if there is no room. Powers of two
    /// have no gaps between the least and the greatest bound.
    fn widen(&mut self, (low, high): (i64, i64), room: &mut Room) -> bool {
        let bounds = [(high < i64::MAX).then_some(high), low.checked_sub(1)];
        let new = bounds.into_iter().flatten().filter(|b| !self.bounds.contains(b));
        let mut new: BTreeSet<i64> = new.collect();
        if new.is_empty() {
            return true;
        }
        if self.kind == Kind::Powers {
            let least = self.bounds.first().into_iter().chain(&new).copied().min();
            let most = self.bounds.last().into_iter().chain(&new).copied().max();
            let between = least.unwrap_or(0)..=most.unwrap_or(0);
            let powers = (0..63).map(|n| 1i64 << n).flat_map(|p| [-p, p - 1]);
            new.extend(powers.filter(|b| between.contains(b) && !self.bounds.contains(b)));
        }
        let lines = room.lines.checked_sub(new.len().saturating_mul(self.series.len()));
        let bytes = room.bytes.checked_sub(new.len().saturating_mul(self.label_bytes()));
        let (Some(lines), Some(bytes)) = (lines, bytes) else { return false };
        (room.lines, room.bytes) = (lines, bytes);
        self.bounds.extend(new);
        true
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

    /// Returns the upper bounds of classic buckets.
    pub fn bounds(&self) -> Vec<i64> {
        self.bounds.iter().copied().collect()
    }
}
