// SPDX-License-Identifier: GPL-2.0
//! Timelines for ui.perfetto.dev, Perfetto's trace processor, chrome://tracing and speedscope, as
//! Chrome's trace event JSON. An entry and its return make a slice on the track of their thread,
//! other records are instants, and aggregations are counters.
//!
//! A stream without threads (`docs/json.md`) has a track for each CPU instead.

mod calls;
mod event;

use calls::Calls;
use event::{Event, Phase};
use recording::{Action, Aggregation, Datum, Record, Recording};
use serde_json::{json, Map, Value};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// The process of tracks that belong to CPUs: one more than the largest process id.
const CPUS: u32 = (1 << 22) + 1;

/// The track of the events of one thread or of one CPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Track {
    pid: u32,
    tid: u32,
}

impl Track {
    /// Returns the track of a record. All CPUs' idle threads have the id 0, so they use the track
    /// of their CPU.
    fn of(record: &Record) -> Self {
        match (record.pid, record.tid) {
            (Some(pid), Some(tid)) if tid != 0 => Self { pid, tid },
            _ => Self { pid: CPUS, tid: record.cpu + 1 },
        }
    }
}

/// Draws the timeline of a recording. The error is a sentence.
pub fn draw(recording: &Recording) -> Result<Vec<u8>, String> {
    let mut events = Vec::new();
    let mut names: BTreeMap<Track, String> = BTreeMap::new();
    let mut calls: BTreeMap<Track, Calls> = BTreeMap::new();
    let has_threads = recording.records.iter().any(|r| r.tid.is_some());
    let shown = recording.shown();
    for record in &recording.records {
        // A clause that only commits a speculation leaves a record, but cannot record its thread.
        if has_threads && record.tid.is_none() && record.actions.is_empty() {
            continue;
        }
        let track = Track::of(record);
        let name = match &record.execname {
            Some(name) if track.pid != CPUS => name.clone(),
            _ => format!("CPU {}", record.cpu),
        };
        names.insert(track, name);
        let args = args(&record.actions);
        calls.entry(track).or_default().add(record, track, args, &mut events);
        for action in &record.actions {
            counters(record.timestamp, &action.aggregations, &shown, &mut events);
        }
    }
    for snapshot in &recording.snapshots {
        counters(snapshot.timestamp, &snapshot.aggregations, &shown, &mut events);
    }
    for calls in calls.values_mut() {
        calls.end(&mut events);
    }
    if events.is_empty() {
        let why = "no timeline: the program left no record; a clause without actions, printf() or printa() leaves one";
        return Err(why.into());
    }
    // A slice that contains others comes before them.
    events.sort_by_key(|e| (e.at, std::cmp::Reverse(e.lasted)));
    let mut lines = named(&names);
    lines.extend(events.iter().map(Event::line));
    let text = lines.join(",\n");
    Ok(format!("{{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n{text}\n]}}\n").into_bytes())
}

/// Returns the events that name the tracks.
fn named(names: &BTreeMap<Track, String>) -> Vec<String> {
    let mut lines = Vec::new();
    for (track, name) in names {
        let mut say = |what: &str, name: &str| {
            let Track { pid, tid } = *track;
            let event =
                json!({"ph": "M", "name": what, "pid": pid, "tid": tid, "args": {"name": name}});
            lines.push(event.to_string());
        };
        say("thread_name", name);
        match track.pid {
            CPUS => say("process_name", "CPUs"),
            pid if pid == track.tid => say("process_name", name),
            // A thread may have its own name; it names the process only if no better name is known.
            pid if !names.contains_key(&Track { pid, tid: pid }) => say("process_name", name),
            _ => {}
        }
    }
    lines
}

/// Returns the data that a clause recorded, by the names of its actions.
fn args(actions: &[Action]) -> Map<String, Value> {
    let mut args = Map::new();
    for action in actions {
        let value = match (&action.text, &action.value, &action.status) {
            (Some(text), ..) => json!(text),
            (_, Some(datum), _) => value(datum),
            (.., Some(status)) => json!(status),
            _ => continue,
        };
        let same = |n: &u32| !args.contains_key(&numbered(&action.action, *n));
        if let Some(n) = (1..).find(same) {
            args.insert(numbered(&action.action, n), value);
        }
    }
    args
}

fn numbered(name: &str, n: u32) -> String {
    match n {
        1 => name.into(),
        n => format!("{name} {n}"),
    }
}

fn value(datum: &Datum) -> Value {
    match datum {
        Datum::Int(n) => json!(n),
        Datum::Uint(n) => json!(n),
        Datum::Float(n) => json!(n),
        other => json!(other.to_string()),
    }
}

/// Adds a point to the counter of each entry: its number, or the number of values in its
/// distribution. All points of an aggregation are divided as its last state in `shown` is, because
/// a new key has no divisor until the program's next `normalize()`.
fn counters(
    at: u64,
    aggregations: &[Aggregation],
    shown: &[Cow<'_, Aggregation>],
    events: &mut Vec<Event>,
) {
    for aggregation in aggregations {
        let last = shown.iter().find(|last| last.is_like(aggregation));
        let by = last.and_then(|last| last.common_divisor()).unwrap_or(1);
        for entry in &aggregation.entries {
            let keys: Vec<String> =
                entry.keys.iter().map(|k| k.to_string().replace('\n', ";")).collect();
            let name = match keys.is_empty() {
                true => format!("@{}", aggregation.name),
                false => format!("@{}[{}]", aggregation.name, keys.join(", ")),
            };
            let all = || entry.buckets.iter().fold(0i64, |sum, b| sum.saturating_add(b.whole()));
            let number = entry.divided(&aggregation.function, by).unwrap_or_else(|| all() / by);
            let mut args = Map::new();
            args.insert(aggregation.function.clone(), json!(number));
            let track = Track { pid: CPUS, tid: 0 };
            let category = "aggregation".to_string();
            events.push(Event {
                name,
                category,
                phase: Phase::Counter,
                at,
                lasted: 0,
                track,
                args,
            });
        }
    }
}

#[cfg(test)]
mod tests;
