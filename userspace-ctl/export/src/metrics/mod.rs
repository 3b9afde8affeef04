// SPDX-License-Identifier: GPL-2.0
//! Aggregations as metrics. A [`Registry`] reads the lines of a stream as they arrive, and can
//! answer a scrape at any time.
//!
//! Counters never go back while the exporter runs. A program that clears or truncates an
//! aggregation starts it anew; the registry adds the earlier counts.

mod family;
mod otlp;
mod proto;
mod protobuf;
mod text;

pub(crate) use family::Total;
use family::{Family, Kind, Labels, Room};
pub use text::Dialect;

use crate::containers::{self, Containers};
use crate::keys;
use crate::profiles::{Added, Sent, Stacks};
use crate::source::Source;
use recording::{Aggregation, Datum, Line, Record};
use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};
use std::sync::{Arc, Mutex};
use std::time::Instant;

/// The default limit of series in a registry.
pub const LIMIT: usize = 10_000;

/// The lines of histograms for each series of the limit.
const LINES: usize = 16;
/// The least limit of those lines.
const LEAST_LINES: usize = 1 << 16;
/// The most bytes of the labels in all lines. A traced program can have names of many kilobytes.
const BYTES: usize = if cfg!(test) { 4 << 20 } else { 256 << 20 };
/// The most families of a registry, and the most causes of losses. A program has few, but a stream
/// from elsewhere may name any.
const FAMILIES: usize = 1000;
/// What may follow the name of a family in those of its samples.
const SAMPLES: [&str; 4] = ["", "_bucket", "_count", "_sum"];
/// Stands for the families and causes beyond.
const OTHERS: &str = "others";

/// The number of a registry's state. Text that was made for another one is old.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Version {
    /// Grows with every state of an aggregation.
    pub states: u64,
    /// Grows with every loss and fault.
    pub losses: u64,
}

/// The entries of an aggregation's last state that are not or not fully exported.
#[derive(Debug, Clone, Copy, Default)]
struct LeftOut {
    /// Entries beyond the limit.
    limit: u64,
    /// Entries with stacks as keys.
    stack: u64,
    /// Buckets without bounds of their own.
    bucket: u64,
    /// Entries of groups whose names may still come.
    container: u64,
}

/// A registry that a session writes and scrapes read.
pub type Shared = Arc<Mutex<Registry>>;

/// The state of all aggregations.
#[derive(Debug)]
pub struct Registry {
    /// The most series.
    limit: usize,
    /// The most lines of histograms.
    lines: usize,
    /// By the aggregation's name and function. Text is made from them without the registry's lock.
    families: BTreeMap<(String, String), Arc<Family>>,
    /// By the family's name.
    left_out: BTreeMap<String, LeftOut>,
    /// Names for control groups, if they are wanted.
    containers: Option<Containers>,
    /// The totals of stacks, if a collector wants them.
    stacks: Option<Stacks>,
    lost: BTreeMap<String, u64>,
    faults: u64,
    probes: u64,
    source: Source,
    version: Version,
}

/// All metrics at some time. The text for a scrape can be long, and a session must not wait for it:
/// this is made while the registry is locked, and the text afterwards.
#[derive(Debug)]
pub struct Metrics {
    families: Vec<Arc<Family>>,
    source: Source,
}

impl Metrics {
    /// Returns the text that Prometheus reads.
    pub fn text(&self, dialect: Dialect) -> Vec<u8> {
        text::write(&self.families, dialect)
    }

    /// Returns the body of an OTLP request: all families, as of `now`, counted since `start`.
    pub(crate) fn otlp(&self, start: u64, now: u64) -> Vec<u8> {
        otlp::write(&self.families, &self.source, start, now)
    }

    /// Returns the delimited messages that Prometheus reads, with native histograms.
    pub fn protobuf(&self) -> Vec<u8> {
        protobuf::write(&self.families)
    }
}

impl Registry {
    /// Makes a registry that keeps at most `limit` series.
    pub fn new(limit: usize) -> Self {
        Self {
            limit,
            lines: limit.saturating_mul(LINES).max(LEAST_LINES),
            families: BTreeMap::new(),
            left_out: BTreeMap::new(),
            containers: None,
            stacks: None,
            lost: BTreeMap::new(),
            faults: 0,
            probes: 0,
            source: Source::default(),
            version: Version::default(),
        }
    }

    /// Names control groups from here on.
    pub(crate) fn name_containers(&mut self, containers: Containers) {
        self.containers = Some(containers);
    }

    /// Keeps stacks for profiles from here on.
    pub fn keep_stacks(&mut self) {
        self.stacks = Some(Stacks::new(self.limit));
    }

    /// Takes a line of the stream.
    pub fn take(&mut self, line: &Line) {
        match line {
            Line::Machine(machine) => self.source.host.clone_from(&machine.host),
            Line::Program { probes, .. } => {
                self.version.states += 1;
                self.probes = self.probes.saturating_add(*probes);
            }
            Line::Drop(drop) => self.lose(&drop.tag, drop.count),
            Line::Fault(_) => {
                self.version.losses += 1;
                self.faults += 1;
            }
            Line::Aggregation(aggregation) => self.update(aggregation),
            Line::Snapshot(snapshot) => snapshot.aggregations.iter().for_each(|a| self.update(a)),
            Line::Record(record) => self.record(record),
            _ => {}
        }
    }

    /// Returns the number of the registry's state.
    pub fn version(&self) -> Version {
        self.version
    }

    /// Counts losses.
    fn lose(&mut self, cause: &str, count: u64) {
        self.version.losses += 1;
        let is_known = self.lost.contains_key(cause) || self.lost.len() < FAMILIES;
        let cause = if is_known { cause } else { OTHERS };
        let lost = self.lost.entry(cause.into()).or_default();
        *lost = lost.saturating_add(count);
    }

    /// Takes a record: printed aggregations are newer than the last snapshot, and reset ones start
    /// anew. In a merged stream a record is about one machine, and metrics are the sums of all.
    fn record(&mut self, record: &Record) {
        for action in record.actions.iter().filter(|_| record.host.is_none()) {
            action.aggregations.iter().for_each(|a| self.update(a));
            if let Some((name, how)) = action.reset() {
                let named = self.families.iter_mut().filter(|((of, _), _)| of == name);
                named.for_each(|(_, family)| Arc::make_mut(family).reset(how));
                self.stacks.iter_mut().for_each(|s| s.reset(name, how));
            }
        }
    }

    /// Takes the state of an aggregation.
    pub fn update(&mut self, aggregation: &Aggregation) {
        let Some(kind) = Kind::of(&aggregation.function) else { return };
        self.version.states += 1;
        let named = self.containers.as_mut().and_then(|c| c.named(aggregation, Instant::now()));
        let aggregation = named.as_ref().map_or(aggregation, |n| &n.aggregation);
        let twins = aggregation.twins();
        let mut aggregation = Cow::Borrowed(aggregation);
        if !twins.is_empty() {
            aggregation.to_mut().add_up();
        }
        let aggregation = &*aggregation;
        let mut room = self.room();
        let Some(key) = self.key(aggregation, kind) else {
            let limit = aggregation.entries.len() as u64;
            self.left_out.insert(OTHERS.into(), LeftOut { limit, ..LeftOut::default() });
            return;
        };
        let Some(family) = self.families.get_mut(&key).map(Arc::make_mut) else { return };
        let names = keys::changed_names(aggregation, label);
        let container = named.as_ref().map_or(0, |n| n.waiting);
        let mut left_out = LeftOut { container, ..LeftOut::default() };
        family.begin_state();
        for entry in &aggregation.entries {
            let is_sum = twins.contains(entry.keys.as_slice());
            if entry.keys.iter().any(|k| matches!(k, Datum::Stack(_) | Datum::Ustack(_))) {
                let stacks = self.stacks.as_mut();
                let kept = stacks.is_some_and(|s| s.update(aggregation, entry, is_sum));
                left_out.stack += u64::from(!kept);
                continue;
            }
            let values = entry.keys.iter().map(ToString::to_string);
            let mut labels: Labels = names.iter().cloned().zip(values).collect();
            if named.is_some() {
                // A group has a container's names or a path.
                let is_own = |key: &str| containers::NAMES.contains(&key);
                labels.retain(|(key, value)| !value.is_empty() || !is_own(key));
            }
            match family.update(labels, &aggregation.function, entry, is_sum, &mut room) {
                Some(buckets) => left_out.bucket += buckets as u64,
                None => left_out.limit += 1,
            }
        }
        family.end_state();
        self.stacks.iter_mut().for_each(|s| s.end_state(aggregation));
        self.left_out.insert(family.name.clone(), left_out);
    }

    /// Returns the room for further series.
    fn room(&self) -> Room {
        let series: usize = self.families.values().map(|f| f.series.len()).sum();
        let lines: usize = self.families.values().map(|f| f.lines()).sum();
        let bytes: usize = self.families.values().map(|f| f.bytes()).sum();
        Room {
            series: self.limit.saturating_sub(series),
            lines: self.lines.saturating_sub(lines),
            bytes: BYTES.saturating_sub(bytes),
        }
    }

    /// Returns the key of an aggregation's family, and makes the family if there is none; `None` if
    /// there are too many.
    fn key(&mut self, aggregation: &Aggregation, kind: Kind) -> Option<(String, String)> {
        let key = (aggregation.name.clone(), aggregation.function.clone());
        if !self.families.contains_key(&key) {
            if self.families.len() >= FAMILIES {
                return None;
            }
            let family = Family::new(self.free_name(aggregation), kind);
            self.families.insert(key.clone(), Arc::new(family));
        }
        Some(key)
    }

    /// Returns the metric's name: that of the aggregation, or of its function if it has no name.
    fn free_name(&self, aggregation: &Aggregation) -> String {
        let own = match aggregation.name.as_str() {
            "" => &aggregation.function,
            name => name,
        };
        let families = self.families.values().map(|f| f.name.as_str());
        let taken: HashSet<&str> = families.chain(OWN.iter().map(|(own, ..)| *own)).collect();
        // The samples of histograms have names of their own.
        let samples = |name: &str| SAMPLES.map(|suffix| format!("{name}{suffix}"));
        let all: HashSet<String> = taken.iter().flat_map(|name| samples(name)).collect();
        let is_free = |name: &str| {
            !all.contains(name) && samples(name).iter().all(|name| !taken.contains(name.as_str()))
        };
        let mut name = format!("dtrace_{}", plain(own.strip_suffix("_total").unwrap_or(own)));
        while !is_free(&name) {
            name.push('_');
        }
        name
    }

    /// Returns all metrics: the program's, then those about the tracing.
    pub fn metrics(&self) -> Metrics {
        let mut families: Vec<Arc<Family>> = self.families.values().cloned().collect();
        let one = |labels: &[(&str, &str)], value: u64| {
            let text = |(k, v): &(&str, &str)| (k.to_string(), v.to_string());
            (labels.iter().map(text).collect::<Vec<_>>(), value)
        };
        let lost = self.lost.iter().map(|(cause, n)| one(&[("cause", cause)], *n)).collect();
        let mut left_out = Vec::new();
        for (metric, left) in &self.left_out {
            let LeftOut { limit, stack, bucket, container } = *left;
            let causes = [("limit", limit), ("stack", stack), ("bucket", bucket)];
            for (cause, n) in causes.into_iter().chain([("container", container)]) {
                if n > 0 {
                    left_out.push(one(&[("cause", cause), ("metric", metric)], n));
                }
            }
        }
        let series = self.families.values().map(|f| f.series.len() as u64).sum();
        let values: [Vec<(Labels, u64)>; OWN.len()] = [
            lost,
            vec![one(&[], self.faults)],
            vec![one(&[], self.probes)],
            vec![one(&[], series)],
            left_out,
        ];
        for ((name, kind, help), values) in OWN.iter().zip(values) {
            let mut family = Family::new((*name).into(), *kind);
            family.help = help;
            values.into_iter().for_each(|(labels, value)| family.set(labels, value));
            families.push(Arc::new(family));
        }
        Metrics { families, source: self.source.clone() }
    }

    /// Returns what stacks have counted beyond `sent`.
    pub(crate) fn profiles(&self, sent: &Sent) -> Option<Added> {
        self.stacks.as_ref()?.added(sent, &self.source)
    }

    /// Returns the machine that the stream comes from.
    pub(crate) fn source(&self) -> Source {
        self.source.clone()
    }

    /// Counts printed events that no collector got.
    pub(crate) fn lose_events(&mut self, count: u64) {
        self.lose("OTLP", count);
    }
}

/// Metrics about the tracing itself.
const OWN: [(&str, Kind, &str); 5] = [
    ("dtrace_lost", Kind::Counter, "Data that was lost, by the tag of -x droptags."),
    ("dtrace_faults", Kind::Counter, "Clauses that a fault ended."),
    ("dtrace_probes", Kind::Gauge, "Probes that the programs matched."),
    ("dtrace_export_series", Kind::Gauge, "Series of the programs' aggregations."),
    ("dtrace_export_left_out", Kind::Gauge, "Entries of aggregations without a series."),
];

/// Returns a name for a label. Prometheus gives some names a meaning, and `le` belongs to
/// histograms.
fn label(name: &str) -> String {
    let name = plain(name);
    match name.as_str() {
        "le" | "quantile" | "job" | "instance" => format!("key_{name}"),
        _ if name.starts_with("__") || name.starts_with(|c: char| c.is_ascii_digit()) => {
            format!("key{name}")
        }
        _ => name,
    }
}

/// Returns a name without characters that Prometheus forbids. A stream from elsewhere may have any;
/// one bad line makes Prometheus refuse the whole scrape.
fn plain(name: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    name.chars().map(plain).collect()
}

#[cfg(test)]
mod tests;
