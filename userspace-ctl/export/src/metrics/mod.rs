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
use family::{Family, Kind, Labels};
pub use text::Dialect;

use crate::containers::{self, Containers};
use crate::keys;
use crate::profiles::{Interval, Sent, Stacks};
use crate::source::Source;
use recording::{Aggregation, Datum, Line, Record, Sum};
use std::collections::{BTreeMap, HashSet};
use std::sync::{Arc, Mutex};

/// The default limit of series in a registry.
pub const LIMIT: usize = 10_000;

/// A registry that a session writes and scrapes read.
pub type Shared = Arc<Mutex<Registry>>;

/// The state of all aggregations.
#[derive(Debug)]
pub struct Registry {
    limit: usize,
    /// By the aggregation's name and function.
    families: BTreeMap<(String, String), Family>,
    /// The numbers of entries without a series, by the family's name: entries beyond the limit, and
    /// entries with stacks as keys.
    left_out: BTreeMap<String, (u64, u64)>,
    /// Names for control groups, if they are wanted.
    containers: Option<Containers>,
    /// The totals of stacks, if a collector wants them.
    stacks: Option<Stacks>,
    lost: BTreeMap<String, u64>,
    faults: u64,
    probes: u64,
    source: Source,
    /// Grows with every line of the stream.
    version: u64,
}

impl Registry {
    /// Makes a registry that keeps at most `limit` series.
    pub fn new(limit: usize) -> Self {
        Self {
            limit,
            families: BTreeMap::new(),
            left_out: BTreeMap::new(),
            containers: None,
            stacks: None,
            lost: BTreeMap::new(),
            faults: 0,
            probes: 0,
            source: Source::default(),
            version: 0,
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
        self.version += 1;
        match line {
            Line::Machine(machine) => self.source.host.clone_from(&machine.host),
            Line::Program { probes, .. } => self.probes += probes,
            Line::Drop(drop) => {
                let lost = self.lost.entry(drop.tag.clone()).or_default();
                *lost = lost.saturating_add(drop.count);
            }
            Line::Fault(_) => self.faults += 1,
            Line::Aggregation(aggregation) => self.update(aggregation),
            Line::Snapshot(snapshot) => snapshot.aggregations.iter().for_each(|a| self.update(a)),
            Line::Record(record) => self.record(record),
            _ => {}
        }
    }

    /// Returns the number of the registry's state.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// Takes a record: printed aggregations are newer than the last snapshot, and reset ones start
    /// anew.
    fn record(&mut self, record: &Record) {
        for action in &record.actions {
            action.aggregations.iter().for_each(|a| self.update(a));
            if let Some((name, how)) = action.reset() {
                let named = self.families.iter_mut().filter(|((of, _), _)| of == name);
                named.for_each(|(_, family)| family.reset(how));
                self.stacks.iter_mut().for_each(|s| s.reset(name, how));
            }
        }
    }

    /// Takes the state of an aggregation.
    pub fn update(&mut self, aggregation: &Aggregation) {
        let Some(kind) = Kind::of(&aggregation.function) else { return };
        let named = self.containers.as_mut().and_then(|c| c.named(aggregation));
        let aggregation = named.as_ref().unwrap_or(aggregation);
        let summed = summed(aggregation);
        let aggregation = summed.as_ref().unwrap_or(aggregation);
        let known: usize = self.families.values().map(|f| f.series.len()).sum();
        let mut room = self.limit.saturating_sub(known);
        let key = (aggregation.name.clone(), aggregation.function.clone());
        if !self.families.contains_key(&key) {
            let name = self.free_name(aggregation);
            self.families.insert(key.clone(), Family::new(name, kind));
        }
        let Some(family) = self.families.get_mut(&key) else { return };
        let names = keys::changed_names(aggregation, label);
        let (mut beyond, mut stacks) = (0, 0);
        family.begin_state();
        for entry in &aggregation.entries {
            if entry.keys.iter().any(|k| matches!(k, Datum::Stack(_) | Datum::Ustack(_))) {
                let kept = self.stacks.as_mut().is_some_and(|s| s.update(aggregation, entry));
                stacks += u64::from(!kept);
                continue;
            }
            let values = entry.keys.iter().map(ToString::to_string);
            let mut labels: Labels = names.iter().cloned().zip(values).collect();
            if named.is_some() {
                // A group has a container's names or a path.
                let is_own = |key: &str| containers::NAMES.contains(&key);
                labels.retain(|(key, value)| !value.is_empty() || !is_own(key));
            }
            let is_known = family.series.contains_key(&labels);
            if !is_known && room == 0 {
                beyond += 1;
                continue;
            }
            room -= usize::from(!is_known);
            family.update(labels, entry);
        }
        family.end_state();
        self.stacks.iter_mut().for_each(|s| s.end_state(aggregation));
        self.left_out.insert(family.name.clone(), (beyond, stacks));
    }

    /// Returns the metric's name: that of the aggregation, or of its function if it has no name.
    fn free_name(&self, aggregation: &Aggregation) -> String {
        let own = match aggregation.name.as_str() {
            "" => &aggregation.function,
            name => name,
        };
        let taken: HashSet<&str> = self.families.values().map(|f| f.name.as_str()).collect();
        let mut name = format!("dtrace_{}", plain(own.strip_suffix("_total").unwrap_or(own)));
        while taken.contains(name.as_str()) || OWN.iter().any(|(own, ..)| *own == name) {
            name.push('_');
        }
        name
    }

    /// Returns all families: the program's, then those about the tracing.
    fn all(&self) -> Vec<Family> {
        let mut all: Vec<Family> = self.families.values().cloned().collect();
        let one = |labels: &[(&str, &str)], value: u64| {
            let text = |(k, v): &(&str, &str)| (k.to_string(), v.to_string());
            (labels.iter().map(text).collect::<Vec<_>>(), value)
        };
        let lost = self.lost.iter().map(|(cause, n)| one(&[("cause", cause)], *n)).collect();
        let mut left_out = Vec::new();
        for (metric, (beyond, stacks)) in &self.left_out {
            for (cause, n) in [("limit", *beyond), ("stack", *stacks)] {
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
            all.push(family);
        }
        all
    }

    /// Returns the text that Prometheus reads.
    pub fn text(&self, dialect: Dialect) -> Vec<u8> {
        text::write(&self.all(), dialect)
    }

    /// Returns the body of an OTLP request: all families, as of `now`, counted since `start`.
    pub(crate) fn otlp(&self, start: u64, now: u64) -> Vec<u8> {
        otlp::write(&self.all(), &self.source, start, now)
    }

    /// Returns the body of an OTLP request with what stacks have counted beyond `sent`, and the new
    /// totals.
    pub(crate) fn profiles(&self, sent: &Sent, time: Interval) -> Option<(Vec<u8>, Sent)> {
        self.stacks.as_ref()?.written(sent, time, &self.source)
    }

    /// Returns the machine that the stream comes from.
    pub(crate) fn source(&self) -> Source {
        self.source.clone()
    }

    /// Counts printed events that no collector got.
    pub(crate) fn lose_events(&mut self, count: u64) {
        *self.lost.entry("OTLP".into()).or_default() += count;
    }

    /// Returns the delimited messages that Prometheus reads, with native histograms.
    pub fn protobuf(&self) -> Vec<u8> {
        protobuf::write(&self.all())
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

/// Adds up entries whose keys have the same text; returns `None` if there are none. The bytes of
/// such keys differ: a name may be cut within a character, and the same functions have other
/// addresses in another process.
fn summed(aggregation: &Aggregation) -> Option<Aggregation> {
    let mut seen = HashSet::new();
    let has_twins = !aggregation.entries.iter().all(|entry| seen.insert(&entry.keys));
    has_twins.then(|| Sum::new(aggregation.clone()).aggregation)
}

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
