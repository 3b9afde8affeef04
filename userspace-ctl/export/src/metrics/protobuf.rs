// SPDX-License-Identifier: GPL-2.0
//! Writes families as delimited messages, the only form in which Prometheus takes native
//! histograms.
//!
//! Bucket `n` of schema 0 holds values above 2^(n-1) and up to 2^n. The bucket of `quantize` that
//! begins with 2^k holds the integers from 2^k to 2^(k+1)-1, so it becomes bucket k+1: only the
//! value 2^k itself is on the other side of the bound.

use super::family::{Family, Kind, Series};
use super::proto::{Bucket, BucketSpan, Histogram, LabelPair, Metric, MetricFamily, Number};
use super::text::cumulative;
use crate::wire::Encode;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The width of the bucket for 0, as in client libraries.
const ZERO_THRESHOLD: f64 = 2.938_735_877_055_719e-39;

/// Writes all families.
pub fn write(families: &[Arc<Family>]) -> Vec<u8> {
    let mut out = Vec::new();
    for family in families.iter().filter(|f| !f.series.is_empty()) {
        // Writing to memory does not fail.
        out.extend(message(family).encoded_with_length());
    }
    out
}

fn message(family: &Family) -> MetricFamily {
    let (ty, suffix) = match family.kind {
        Kind::Counter => (0, "_total"),
        Kind::Gauge => (1, ""),
        Kind::Histogram | Kind::Powers => (4, ""),
    };
    let bounds = family.bounds();
    let metric = |(labels, series): (&super::family::Labels, &Series)| {
        let label =
            |(k, v): &(String, String)| LabelPair { name: Some(k.clone()), value: Some(v.clone()) };
        let mut metric = Metric { label: labels.iter().map(label).collect(), ..Metric::default() };
        let number = Number { value: Some(series.number() as f64) };
        match family.kind {
            Kind::Counter => metric.counter = Some(number),
            Kind::Gauge => metric.gauge = Some(number),
            Kind::Histogram => metric.histogram = Some(classic(series, &bounds)),
            Kind::Powers => metric.histogram = Some(native(series, classic(series, &bounds))),
        }
        metric
    };
    MetricFamily {
        name: Some(format!("{}{suffix}", family.name)),
        help: Some(family.help.into()),
        r#type: Some(ty),
        metric: family.series.iter().map(metric).collect(),
    }
}

/// Converts a count, which is never below 0.
pub(super) fn count(n: i128) -> u64 {
    u64::try_from(n.max(0)).unwrap_or(u64::MAX)
}

fn classic(series: &Series, bounds: &[i64]) -> Histogram {
    let bucket = |(bound, n): (i64, i128)| Bucket {
        cumulative_count: Some(count(n)),
        upper_bound: Some(bound as f64),
    };
    Histogram {
        sample_count: Some(count(series.count())),
        // A distribution does not know the sum of its values.
        sample_sum: Some(f64::NAN),
        bucket: cumulative(series, bounds).into_iter().map(bucket).collect(),
        ..Histogram::default()
    }
}

/// Adds the native buckets.
fn native(series: &Series, classic: Histogram) -> Histogram {
    let (zero, positive, negative) = exponential(series);
    let (negative_span, negative_delta) = spans(&negative);
    let (positive_span, positive_delta) = spans(&positive);
    Histogram {
        schema: Some(0),
        zero_threshold: Some(ZERO_THRESHOLD),
        zero_count: Some(zero),
        negative_span,
        negative_delta,
        positive_span,
        positive_delta,
        ..classic
    }
}

/// The counts of buckets by their indices, the smallest magnitude first.
pub(super) type Powers = BTreeMap<i32, u64>;

/// Returns the buckets of `quantize` by their index in schema 0: the number of zeros, then the
/// positive and the negative buckets, the smallest magnitude first.
pub(super) fn exponential(series: &Series) -> (u64, Powers, Powers) {
    let (mut zero, mut positive, mut negative) = (0, Powers::new(), Powers::new());
    // The magnitude begins with 2^k; k+1 is the number of its digits.
    let digits = |magnitude: u64| (u64::BITS - magnitude.leading_zeros()) as i32;
    for ((low, high), n) in series.buckets() {
        // The buckets of a forged stream may share an index.
        let of_index = match (low, high) {
            (0, 0) => &mut zero,
            (low, _) if low > 0 => positive.entry(digits(low.unsigned_abs())).or_default(),
            (_, high) => negative.entry(digits(high.unsigned_abs())).or_default(),
        };
        *of_index = of_index.saturating_add(count(n));
    }
    (zero, positive, negative)
}

/// Returns spans of neighbouring buckets, and the differences of their counts.
fn spans(buckets: &Powers) -> (Vec<BucketSpan>, Vec<i64>) {
    let (mut spans, mut deltas): (Vec<BucketSpan>, Vec<i64>) = (Vec::new(), Vec::new());
    let (mut next, mut before) = (0, 0i64);
    for (&index, &n) in buckets {
        let gap = index - next;
        match spans.last_mut() {
            Some(last) if gap == 0 => last.length = last.length.map(|l| l + 1),
            _ => spans.push(BucketSpan { offset: Some(gap), length: Some(1) }),
        }
        let n = i64::try_from(n).unwrap_or(i64::MAX);
        deltas.push(n - before);
        (next, before) = (index + 1, n);
    }
    (spans, deltas)
}
