// SPDX-License-Identifier: GPL-2.0
//! The messages of Prometheus' `io.prometheus.client`. Field numbers and names are the format's.

use prost::Message;

/// A metric with its series.
#[derive(Clone, PartialEq, Message)]
pub struct MetricFamily {
    /// With `_total`.
    #[prost(string, optional, tag = "1")]
    pub name: Option<String>,
    /// A sentence.
    #[prost(string, optional, tag = "2")]
    pub help: Option<String>,
    /// COUNTER 0, GAUGE 1, HISTOGRAM 4.
    #[prost(int32, optional, tag = "3")]
    pub r#type: Option<i32>,
    /// Its series.
    #[prost(message, repeated, tag = "4")]
    pub metric: Vec<Metric>,
}

/// A series.
#[derive(Clone, PartialEq, Message)]
pub struct Metric {
    /// Its labels.
    #[prost(message, repeated, tag = "1")]
    pub label: Vec<LabelPair>,
    /// Its number, if it is a gauge.
    #[prost(message, optional, tag = "2")]
    pub gauge: Option<Number>,
    /// Its number, if it is a counter.
    #[prost(message, optional, tag = "3")]
    pub counter: Option<Number>,
    /// Its buckets, if it is a histogram.
    #[prost(message, optional, tag = "7")]
    pub histogram: Option<Histogram>,
}

/// A label.
#[derive(Clone, PartialEq, Message)]
pub struct LabelPair {
    /// Its name.
    #[prost(string, optional, tag = "1")]
    pub name: Option<String>,
    /// Its value.
    #[prost(string, optional, tag = "2")]
    pub value: Option<String>,
}

/// The number of a counter or gauge.
#[derive(Clone, Copy, PartialEq, Message)]
pub struct Number {
    /// The number.
    #[prost(double, optional, tag = "1")]
    pub value: Option<f64>,
}

/// A histogram: classic, native, or both.
#[derive(Clone, PartialEq, Message)]
pub struct Histogram {
    /// How many values.
    #[prost(uint64, optional, tag = "1")]
    pub sample_count: Option<u64>,
    /// Their sum.
    #[prost(double, optional, tag = "2")]
    pub sample_sum: Option<f64>,
    /// Classic buckets.
    #[prost(message, repeated, tag = "3")]
    pub bucket: Vec<Bucket>,
    /// The resolution of native buckets; 0: each is twice as wide as the one before.
    #[prost(sint32, optional, tag = "5")]
    pub schema: Option<i32>,
    /// Values up to this far from 0 are in no other bucket.
    #[prost(double, optional, tag = "6")]
    pub zero_threshold: Option<f64>,
    /// How many these are.
    #[prost(uint64, optional, tag = "7")]
    pub zero_count: Option<u64>,
    /// Which buckets below 0 follow.
    #[prost(message, repeated, tag = "9")]
    pub negative_span: Vec<BucketSpan>,
    /// Their counts, each less the one before.
    #[prost(sint64, repeated, packed = "false", tag = "10")]
    pub negative_delta: Vec<i64>,
    /// Which buckets above 0 follow.
    #[prost(message, repeated, tag = "12")]
    pub positive_span: Vec<BucketSpan>,
    /// Their counts, each less the one before.
    #[prost(sint64, repeated, packed = "false", tag = "13")]
    pub positive_delta: Vec<i64>,
}

/// A classic bucket.
#[derive(Clone, Copy, PartialEq, Message)]
pub struct Bucket {
    /// How many values up to the bound.
    #[prost(uint64, optional, tag = "1")]
    pub cumulative_count: Option<u64>,
    /// The bound.
    #[prost(double, optional, tag = "2")]
    pub upper_bound: Option<f64>,
}

/// Native buckets in a row.
#[derive(Clone, Copy, PartialEq, Eq, Message)]
pub struct BucketSpan {
    /// The first one's index, or the gap behind the span before.
    #[prost(sint32, optional, tag = "1")]
    pub offset: Option<i32>,
    /// How many.
    #[prost(uint32, optional, tag = "2")]
    pub length: Option<u32>,
}
