// SPDX-License-Identifier: GPL-2.0
//! Profiles for `go tool pprof`, Pyroscope and speedscope: stacks with their counts and sums.
//!
//! A sample of a profile has one number for each aggregation that has a stack among its keys. The
//! tools add up the numbers of samples, so `min`, `max`, `avg` and `stddev` have no place here; a
//! distribution counts its values. Records with a stack are samples too, and each counts as one.

mod proto;

use crate::gzip::{compressed, Compression};
use crate::keys;
use crate::wire::Encode;
use proto::{Function, Label, Line, Location, Mapping, Profile, Sample, ValueType};
use recording::{Aggregation, Datum, Entry, Frame, Record, Recording};
use std::collections::HashMap;
use std::hash::Hash;

/// The sentence that explains an empty profile.
const NOTHING: &str = "no profile: the program neither recorded a stack nor aggregated by one with count(), sum() or \
                       a distribution; try @[stack()] = count()";

/// Draws the profile of a recording, compressed as the tools expect it. The error is a sentence.
pub fn draw(recording: &Recording) -> Result<Vec<u8>, String> {
    let profile = profile(recording).ok_or(NOTHING)?;
    Ok(compressed(&profile.encoded(), Compression::default()))
}

fn profile(recording: &Recording) -> Option<Profile> {
    let mut maker = Maker::default();
    maker.texts.number(String::new());
    let stacked = |a: &Aggregation| a.entries.iter().any(|e| e.keys.iter().any(is_stack));
    let mut aggregations = recording.shown();
    aggregations.retain(|a| unit(a).is_some() && stacked(a));
    for aggregation in &aggregations {
        maker.kind(title(aggregation), unit(aggregation)?);
    }
    let has_records = recording.records.iter().any(|r| !stacks(r).is_empty());
    if has_records {
        maker.kind("records", "count");
    }
    if maker.kinds.is_empty() {
        return None;
    }
    for (n, aggregation) in aggregations.iter().enumerate() {
        let names = keys::names(aggregation);
        for entry in &aggregation.entries {
            maker.entry(n, &names, entry);
        }
    }
    for record in &recording.records {
        maker.record(aggregations.len(), record);
    }
    let mut profile = maker.finish();
    let ran = recording.span().map_or(0, |(first, last)| last.saturating_sub(first));
    let began = recording.machine().map_or(0, |m| m.walltimestamp);
    profile.time_nanos = i64::try_from(began).unwrap_or(0);
    profile.duration_nanos = i64::try_from(ran).unwrap_or(i64::MAX);
    Some(profile)
}

/// Tells whether a key is a stack.
pub(crate) fn is_stack(datum: &Datum) -> bool {
    matches!(datum, Datum::Stack(_) | Datum::Ustack(_))
}

/// Returns the stacks of a record.
fn stacks(record: &Record) -> Vec<&Datum> {
    let all = record.actions.iter().flat_map(|a| a.value.iter().chain(&a.values));
    all.filter(|d| is_stack(d)).collect()
}

/// Returns the name of an aggregation in a profile.
pub(crate) fn title(aggregation: &Aggregation) -> &str {
    match aggregation.name.as_str() {
        "" => &aggregation.function,
        name => name,
    }
}

/// Returns the unit of an aggregation's numbers; `None` if they cannot be added up. The end of a
/// sum's name tells its unit.
pub(crate) fn unit(aggregation: &Aggregation) -> Option<&'static str> {
    match aggregation.function.as_str() {
        "count" | "quantize" | "lquantize" | "llquantize" => Some("count"),
        "sum" => Some(match aggregation.name.rsplit('_').next() {
            Some("ns" | "nsecs" | "nanoseconds") => "nanoseconds",
            Some("us" | "usecs" | "microseconds") => "microseconds",
            Some("ms" | "msecs" | "milliseconds") => "milliseconds",
            Some("s" | "secs" | "seconds") if aggregation.name.contains('_') => "seconds",
            Some("bytes") => "bytes",
            _ => "units",
        }),
        _ => None,
    }
}

/// Returns the number of an entry, in its aggregation's unit.
fn number(entry: &Entry) -> i64 {
    let all = || entry.buckets.iter().fold(0i64, |sum, b| sum.saturating_add(b.count));
    entry.value.unwrap_or_else(all)
}

/// Things with numbers, each once.
#[derive(Debug)]
pub(crate) struct Numbered<T> {
    numbers: HashMap<T, u64>,
    first: u64,
}

impl<T: Hash + Eq> Numbered<T> {
    /// Makes an empty table whose first thing gets the number `first`.
    pub(crate) fn from(first: u64) -> Self {
        Self { numbers: HashMap::new(), first }
    }

    /// Returns the number of a thing, and whether it is new.
    pub(crate) fn number(&mut self, thing: T) -> (u64, bool) {
        let next = self.first + self.numbers.len() as u64;
        let number = *self.numbers.entry(thing).or_insert(next);
        (number, number == next)
    }

    /// Returns the things in the order of their numbers.
    pub(crate) fn in_order(self) -> Vec<T> {
        let mut all: Vec<(T, u64)> = self.numbers.into_iter().collect();
        all.sort_by_key(|t| t.1);
        all.into_iter().map(|t| t.0).collect()
    }
}

/// A profile under construction.
#[derive(Debug)]
struct Maker {
    kinds: Vec<ValueType>,
    texts: Numbered<String>,
    mappings: Numbered<i64>,
    functions: Numbered<(i64, i64)>,
    locations: Numbered<(u64, Vec<Line>)>,
    samples: Numbered<(Vec<u64>, Vec<Label>)>,
    made: Profile,
}

impl Default for Maker {
    fn default() -> Self {
        Self {
            kinds: Vec::new(),
            texts: Numbered::from(0),
            mappings: Numbered::from(1),
            functions: Numbered::from(1),
            locations: Numbered::from(1),
            samples: Numbered::from(0),
            made: Profile::default(),
        }
    }
}

impl Maker {
    /// Adds a sample type.
    fn kind(&mut self, name: &str, unit: &str) {
        let kind = ValueType { r#type: self.text(name), unit: self.text(unit) };
        self.kinds.push(kind);
    }

    fn text(&mut self, text: &str) -> i64 {
        self.texts.number(text.into()).0 as i64
    }

    fn entry(&mut self, kind: usize, names: &[String], entry: &Entry) {
        let number = number(entry);
        if number == 0 {
            return;
        }
        let stacks: Vec<&Datum> = entry.keys.iter().filter(|k| is_stack(k)).collect();
        let mut labels = Vec::new();
        for (name, key) in names.iter().zip(&entry.keys).filter(|(_, k)| !is_stack(k)) {
            labels.push(self.label(name, key));
        }
        self.sample(kind, &stacks, labels, number);
    }

    fn record(&mut self, kind: usize, record: &Record) {
        let stacks = stacks(record);
        if !stacks.is_empty() {
            let probe = Datum::String(record.probe.full_name());
            let labels = vec![self.label("probe", &probe)];
            self.sample(kind, &stacks, labels, 1);
        }
    }

    fn label(&mut self, name: &str, key: &Datum) -> Label {
        let name = self.text(name);
        match key {
            Datum::Int(n) => Label { key: name, str: 0, num: *n },
            Datum::Uint(n) if i64::try_from(*n).is_ok() => {
                Label { key: name, str: 0, num: *n as i64 }
            }
            other => Label { key: name, str: self.text(&other.to_string()), num: 0 },
        }
    }

    /// Adds to the sample of these stacks and labels. The kernel's frames are the innermost ones.
    fn sample(&mut self, kind: usize, stacks: &[&Datum], labels: Vec<Label>, number: i64) {
        let mut stacks = stacks.to_vec();
        stacks.sort_by_key(|s| matches!(s, Datum::Ustack(_)));
        let mut frames = Vec::new();
        for stack in stacks {
            let mut lines = Vec::new();
            for frame in stack.frames().into_iter().flatten() {
                lines.push(self.line(frame));
                if !frame.is_inlined {
                    frames.push(self.location(frame, std::mem::take(&mut lines)));
                }
            }
        }
        let (at, is_new) = self.samples.number((frames.clone(), labels.clone()));
        if is_new {
            let value = vec![0; self.kinds.len()];
            self.made.sample.push(Sample { location_id: frames, value, label: labels });
        }
        let value = self.made.sample.get_mut(at as usize).and_then(|s| s.value.get_mut(kind));
        if let Some(value) = value {
            *value = value.saturating_add(number);
        }
    }

    fn line(&mut self, frame: Frame<'_>) -> Line {
        let (name, object) = (self.text(frame.function), self.text(frame.object));
        let (id, is_new) = self.functions.number((name, object));
        if is_new {
            let function = Function { id, name, system_name: name, filename: object };
            self.made.function.push(function);
        }
        Line { function_id: id }
    }

    fn location(&mut self, frame: Frame<'_>, line: Vec<Line>) -> u64 {
        let mapping_id = match frame.object {
            "" => 0,
            object => self.mapping(object),
        };
        let (id, is_new) = self.locations.number((mapping_id, line.clone()));
        if is_new {
            self.made.location.push(Location { id, mapping_id, line });
        }
        id
    }

    fn mapping(&mut self, object: &str) -> u64 {
        let filename = self.text(object);
        let (id, is_new) = self.mappings.number(filename);
        if is_new {
            let (has_functions, has_inline_frames) = (true, true);
            self.made.mapping.push(Mapping { id, filename, has_functions, has_inline_frames });
        }
        id
    }

    fn finish(mut self) -> Profile {
        self.made.default_sample_type = self.kinds.first().map_or(0, |k| k.r#type);
        self.made.sample_type = self.kinds;
        self.made.string_table = self.texts.in_order();
        self.made
    }
}

#[cfg(test)]
mod tests;
