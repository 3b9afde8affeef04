// SPDX-License-Identifier: GPL-2.0
//! The messages of Prometheus' `io.prometheus.client`. Field numbers and names are the format's.

use crate::wire::{Encode, Writer};

/// A metric with its series.
#[derive(Clone, PartialEq)]
#[cfg_attr(test, derive(prost::Message))]
#[cfg_attr(not(test), derive(Debug, Default))]
pub struct MetricFamily {
    /// The name, with `_total`.
    #[cfg_attr(test, prost(string, optional, tag = "1"))]
    pub name: Option<String>,
    /// A sentence about it.
    #[cfg_attr(test, prost(string, optional, tag = "2"))]
    pub help: Option<String>,
    /// COUNTER 0, GAUGE 1, HISTOGRAM 4.
    #[cfg_attr(test, prost(int32, optional, tag = "3"))]
    pub r#type: Option<i32>,
    /// Its series.
    #[cfg_attr(test, prost(message, repeated, tag = "4"))]
    pub metric: Vec<Metric>,
}

/// A series.
#[derive(Clone, PartialEq)]
#[cfg_attr(test, derive(prost::Message))]
#[cfg_attr(not(test), derive(Debug, Default))]
pub struct Metric {
    /// Its labels.
    #[cfg_attr(test, prost(message, repeated, tag = "1"))]
    pub label: Vec<LabelPair>,
    /// Its number, if it is a gauge.
    #[cfg_attr(test, prost(message, optional, tag = "2"))]
    pub gauge: Option<Number>,
    /// Its number, if it is a counter.
    #[cfg_attr(test, prost(message, optional, tag = "3"))]
    pub counter: Option<Number>,
    /// Its buckets, if it is a histogram.
    #[cfg_attr(test, prost(message, optional, tag = "7"))]
    pub histogram: Option<Histogram>,
}

/// A label.
#[derive(Clone, PartialEq)]
#[cfg_attr(test, derive(prost::Message))]
#[cfg_attr(not(test), derive(Debug, Default))]
pub struct LabelPair {
    /// Its name.
    #[cfg_attr(test, prost(string, optional, tag = "1"))]
    pub name: Option<String>,
    /// Its value.
    #[cfg_attr(test, prost(string, optional, tag = "2"))]
    pub value: Option<String>,
}

/// The number of a counter or gauge.
#[derive(Clone, Copy, PartialEq)]
#[cfg_attr(test, derive(prost::Message))]
#[cfg_attr(not(test), derive(Debug, Default))]
pub struct Number {
    /// The number.
    #[cfg_attr(test, prost(double, optional, tag = "1"))]
    pub value: Option<f64>,
}

/// A histogram: classic, native, or both.
#[derive(Clone, PartialEq)]
#[cfg_attr(test, derive(prost::Message))]
#[cfg_attr(not(test), derive(Debug, Default))]
pub struct Histogram {
    /// The number of values.
    #[cfg_attr(test, prost(uint64, optional, tag = "1"))]
    pub sample_count: Option<u64>,
    /// Their sum.
    #[cfg_attr(test, prost(double, optional, tag = "2"))]
    pub sample_sum: Option<f64>,
    /// Classic buckets.
    #[cfg_attr(test, prost(message, repeated, tag = "3"))]
    pub bucket: Vec<Bucket>,
    /// The resolution of native buckets; 0: each bucket is twice as wide as the previous one.
    #[cfg_attr(test, prost(sint32, optional, tag = "5"))]
    pub schema: Option<i32>,
    /// Values at most this far from 0 are in no other bucket.
    #[cfg_attr(test, prost(double, optional, tag = "6"))]
    pub zero_threshold: Option<f64>,
    /// The number of values near 0.
    #[cfg_attr(test, prost(uint64, optional, tag = "7"))]
    pub zero_count: Option<u64>,
    /// The indices of the buckets below 0.
    #[cfg_attr(test, prost(message, repeated, tag = "9"))]
    pub negative_span: Vec<BucketSpan>,
    /// Their counts, each as the difference from the previous one.
    #[cfg_attr(test, prost(sint64, repeated, packed = "false", tag = "10"))]
    pub negative_delta: Vec<i64>,
    /// The indices of the buckets above 0.
    #[cfg_attr(test, prost(message, repeated, tag = "12"))]
    pub positive_span: Vec<BucketSpan>,
    /// Their counts, each as the difference from the previous one.
    #[cfg_attr(test, prost(sint64, repeated, packed = "false", tag = "13"))]
    pub positive_delta: Vec<i64>,
}

/// A classic bucket.
#[derive(Clone, Copy, PartialEq)]
#[cfg_attr(test, derive(prost::Message))]
#[cfg_attr(not(test), derive(Debug, Default))]
pub struct Bucket {
    /// The number of values up to the bound.
    #[cfg_attr(test, prost(uint64, optional, tag = "1"))]
    pub cumulative_count: Option<u64>,
    /// The bound.
    #[cfg_attr(test, prost(double, optional, tag = "2"))]
    pub upper_bound: Option<f64>,
}

/// Native buckets in a row.
#[derive(Clone, Copy, PartialEq, Eq)]
#[cfg_attr(test, derive(prost::Message))]
#[cfg_attr(not(test), derive(Debug, Default))]
pub struct BucketSpan {
    /// The first index, or the gap behind the previous span.
    #[cfg_attr(test, prost(sint32, optional, tag = "1"))]
    pub offset: Option<i32>,
    /// The number of buckets.
    #[cfg_attr(test, prost(uint32, optional, tag = "2"))]
    pub length: Option<u32>,
}

impl Encode for MetricFamily {
    fn put(&self, to: &mut Writer) {
        self.name.iter().for_each(|v| to.text(1, v));
        self.help.iter().for_each(|v| to.text(2, v));
        self.r#type.iter().for_each(|v| to.int(3, (*v).into()));
        self.metric.iter().for_each(|v| to.message(4, v));
    }
}

impl Encode for Metric {
    fn put(&self, to: &mut Writer) {
        self.label.iter().for_each(|v| to.message(1, v));
        self.gauge.iter().for_each(|v| to.message(2, v));
        self.counter.iter().for_each(|v| to.message(3, v));
        self.histogram.iter().for_each(|v| to.message(7, v));
    }
}

impl Encode for LabelPair {
    fn put(&self, to: &mut Writer) {
        self.name.iter().for_each(|v| to.text(1, v));
        self.value.iter().for_each(|v| to.text(2, v));
    }
}

impl Encode for Number {
    fn put(&self, to: &mut Writer) {
        self.value.iter().for_each(|v| to.double(1, *v));
    }
}

impl Encode for Histogram {
    fn put(&self, to: &mut Writer) {
        self.sample_count.iter().for_each(|v| to.uint(1, *v));
        self.sample_sum.iter().for_each(|v| to.double(2, *v));
        self.bucket.iter().for_each(|v| to.message(3, v));
        self.schema.iter().for_each(|v| to.sint(5, (*v).into()));
        self.zero_threshold.iter().for_each(|v| to.double(6, *v));
        self.zero_count.iter().for_each(|v| to.uint(7, *v));
        self.negative_span.iter().for_each(|v| to.message(9, v));
        self.negative_delta.iter().for_each(|v| to.sint(10, *v));
        self.positive_span.iter().for_each(|v| to.message(12, v));
        self.positive_delta.iter().for_each(|v| to.sint(13, *v));
    }
}

impl Encode for Bucket {
    fn put(&self, to: &mut Writer) {
        self.cumulative_count.iter().for_each(|v| to.uint(1, *v));
        self.upper_bound.iter().for_each(|v| to.double(2, *v));
    }
}

impl Encode for BucketSpan {
    fn put(&self, to: &mut Writer) {
        self.offset.iter().for_each(|v| to.sint(1, (*v).into()));
        self.length.iter().for_each(|v| to.uint(2, (*v).into()));
    }
}
