// SPDX-License-Identifier: GPL-2.0
//! Writes families as the body of an OTLP request (`ExportMetricsServiceRequest`). The numbers of
//! fields are those of opentelemetry-proto 1.x.
//!
//! An exponential histogram of scale 0 counts values above 2^i and up to 2^(i+1) in bucket `i`, so
//! its indices are those of Prometheus' schema 0, less 1.

use super::family::{Family, Kind, Labels, Series};
use super::protobuf::{count, exponential, Powers};
use super::text::cumulative;
use crate::source::{self, Source};
use crate::wire::Writer;
use std::sync::Arc;

/// `AGGREGATION_TEMPORALITY_CUMULATIVE`: each value counts from the start.
const CUMULATIVE: u64 = 2;

/// The times of a data point, in nanoseconds since 1970.
#[derive(Clone, Copy)]
struct Times {
    start: u64,
    now: u64,
}

impl Times {
    fn put(self, to: &mut Writer) {
        to.fixed(2, self.start);
        to.fixed(3, self.now);
    }
}

/// Writes all families.
pub fn write(families: &[Arc<Family>], source: &Source, start: u64, now: u64) -> Vec<u8> {
    let times = Times { start, now };
    Writer::written(|to| {
        source.put(to, |to| {
            for family in families.iter().filter(|f| !f.series.is_empty()) {
                to.nested(2, |to| metric(to, family, times));
            }
        });
    })
}

fn metric(to: &mut Writer, family: &Family, times: Times) {
    to.text(1, &family.name);
    if !family.help.is_empty() {
        to.text(2, family.help);
    }
    let bounds = family.bounds();
    let field = match family.kind {
        Kind::Gauge => 5,
        Kind::Counter => 7,
        Kind::Histogram => 9,
        Kind::Powers => 10,
    };
    to.nested(field, |to| {
        for (labels, series) in &family.series {
            to.nested(1, |to| match family.kind {
                Kind::Gauge | Kind::Counter => number(to, labels, series, times),
                Kind::Histogram => classic(to, labels, series, &bounds, times),
                Kind::Powers => powers(to, labels, series, times),
            });
        }
        if family.kind != Kind::Gauge {
            to.uint(2, CUMULATIVE);
        }
        if family.kind == Kind::Counter {
            // It only grows.
            to.uint(3, 1);
        }
    });
}

fn attributes(to: &mut Writer, field: u64, labels: &Labels) {
    labels.iter().for_each(|(key, value)| source::attribute(to, field, key, value));
}

fn number(to: &mut Writer, labels: &Labels, series: &Series, times: Times) {
    times.put(to);
    let most = i128::from(i64::MAX);
    // CAST: an `sfixed64` has the bits of the number.
    to.fixed(6, series.number().clamp(-most, most) as u64);
    attributes(to, 7, labels);
}

fn classic(to: &mut Writer, labels: &Labels, series: &Series, bounds: &[i64], times: Times) {
    let all = series.count();
    times.put(to);
    to.fixed(4, count(all));
    let mut before = 0;
    let each = cumulative(series, bounds).into_iter().map(|(_, n)| n).chain([all]);
    let each = each.map(|n| count(n - std::mem::replace(&mut before, n)));
    to.packed_fixed(6, each);
    to.packed_fixed(7, bounds.iter().map(|b| (*b as f64).to_bits()));
    attributes(to, 9, labels);
}

fn powers(to: &mut Writer, labels: &Labels, series: &Series, times: Times) {
    let (zero, positive, negative) = exponential(series);
    attributes(to, 1, labels);
    times.put(to);
    to.fixed(4, count(series.count()));
    to.sint(6, 0);
    to.fixed(7, zero);
    to.nested(8, |to| buckets(to, &positive));
    to.nested(9, |to| buckets(to, &negative));
}

/// Writes buckets without gaps between the first and the last.
fn buckets(to: &mut Writer, all: &Powers) {
    let (Some((first, _)), Some((last, _))) = (all.first_key_value(), all.last_key_value()) else {
        return;
    };
    to.sint(1, i64::from(first - 1));
    to.packed(2, (*first..=*last).map(|index| all.get(&index).copied().unwrap_or(0)));
}
