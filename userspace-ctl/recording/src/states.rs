// SPDX-License-Identifier: GPL-2.0
//! Aggregations over time: the states in a stream's snapshots and in the output of `printa()`.

use crate::{Aggregation, Bucket, Datum, Entry, Recording, Reset};
use std::borrow::Cow;
use std::collections::HashMap;

/// An aggregation at some time.
#[derive(Debug, Clone, Copy)]
pub struct State<'a> {
    /// When, in D's `timestamp`.
    pub timestamp: u64,
    /// In a merged stream, the machine whose state it is, if it is not that of all machines.
    pub host: Option<&'a str>,
    /// The aggregation at that time.
    pub aggregation: &'a Aggregation,
    /// The program has cleared it or removed all entries since the state before.
    pub is_fresh: bool,
    /// The program has removed some of its entries since the state before.
    pub is_cut: bool,
}

impl Recording {
    /// Returns the aggregations that appear in the stream, each in its last state, in order of
    /// first appearance. An aggregation whose entries have different divisors is undivided.
    pub fn shown(&self) -> Vec<Cow<'_, Aggregation>> {
        let mut found: Vec<&Aggregation> = Vec::new();
        let printed = self.records.iter().flat_map(|r| &r.actions).flat_map(|a| &a.aggregations);
        let snapped = self.snapshots.iter().flat_map(|s| &s.aggregations);
        // Final aggregations have precedence; snapshots show those that a program cleared or
        // printed meanwhile.
        for a in snapped.chain(printed).chain(&self.aggregations) {
            match found.iter_mut().find(|f| f.is_like(a)) {
                Some(known) => *known = a,
                None => found.push(a),
            }
        }
        found.into_iter().map(Aggregation::comparable).collect()
    }

    /// Returns the states of one aggregation in the order of the stream, which is the order in
    /// time. In a merged stream these are the sums of all machines or, if there are no snapshots of
    /// them, what each machine has printed.
    pub fn states(&self, of: &Aggregation) -> Vec<State<'_>> {
        let mut states = Vec::new();
        // For each machine, whether the next state is fresh, and whether it is cut.
        let mut next: HashMap<Option<&str>, (bool, bool)> = HashMap::new();
        let mut push = |timestamp, host, aggregation, next: &mut HashMap<_, _>| {
            let (is_fresh, is_cut) = next.remove(&host).unwrap_or_default();
            states.push(State { timestamp, host, aggregation, is_fresh, is_cut });
        };
        let snapped = self.snapshots.iter().flat_map(|s| &s.aggregations);
        let has_sums = snapped.into_iter().any(|a| a.is_like(of));
        let mut has_parts = false;
        let mut snapshots = self.snapshots.iter().peekable();
        for n in 0..=self.records.len() {
            while let Some(s) = snapshots.next_if(|s| s.after <= n) {
                if let Some(a) = s.aggregations.iter().find(|a| a.is_like(of)) {
                    push(s.timestamp, None, a, &mut next);
                }
            }
            let Some(record) = self.records.get(n) else { break };
            let host = record.host.as_deref();
            for action in record.actions.iter().filter(|_| host.is_none() || !has_sums) {
                if let Some(a) = action.aggregations.iter().find(|a| a.is_like(of)) {
                    push(record.timestamp, host, a, &mut next);
                    has_parts |= host.is_some();
                }
                let reset = action.reset().filter(|(name, _)| *name == of.name).map(|r| r.1);
                if let Some(reset) = reset {
                    let next = next.entry(host).or_default();
                    next.0 |= reset != Reset::Cut;
                    next.1 |= reset == Reset::Cut;
                }
            }
        }
        let last = self.aggregations.iter().find(|a| a.is_like(of));
        if let Some(a) = last.filter(|_| !has_parts) {
            let last = self.span().map_or(0, |s| s.1);
            push(self.ended.unwrap_or(last), None, a, &mut next);
        }
        states
    }

    /// Returns the additions to an aggregation between each state and the next: a pair of times,
    /// and entries with the differences of the counts. The first pair begins with the stream.
    /// Extremes, averages and deviations have no differences; their entries are those of the later
    /// state. No entry is divided, since states may have different divisors.
    pub fn increments(&self, of: &Aggregation) -> Vec<(u64, u64, Vec<Entry>)> {
        let mut from = self.span().map_or(0, |s| s.0);
        let mut last: HashMap<Option<&str>, HashMap<&[Datum], &Entry>> = HashMap::new();
        let mut all = Vec::new();
        for state in self.states(of) {
            let entries = &state.aggregation.entries;
            let before = last.entry(state.host).or_default();
            let old = |e: &Entry| before.get(e.keys.as_slice()).copied();
            let has_shrunk = |e: &Entry| old(e).is_some_and(|o| e.has_shrunk(o, &of.function));
            // An entry that was removed may be back with a smaller value; the others go on.
            let is_reset = state.is_fresh || (!state.is_cut && entries.iter().any(has_shrunk));
            let is_new = |e: &Entry, old: &Entry| {
                is_reset || (state.is_cut && e.has_fallen(old, &of.function))
            };
            let added = |e: &Entry| {
                let mut entry = e.clone();
                entry.denormalize(&of.function);
                match old(e).filter(|old| !is_new(e, old)) {
                    Some(old) => difference(entry, old, &of.function),
                    None => entry,
                }
            };
            all.push((from, state.timestamp, entries.iter().map(added).collect()));
            from = state.timestamp;
            *before = entries.iter().map(|e| (e.keys.as_slice(), e)).collect();
        }
        all
    }
}

fn difference(mut now: Entry, before: &Entry, function: &str) -> Entry {
    if matches!(function, "count" | "sum") {
        let before = before.raw.or(before.value).unwrap_or(0);
        now.value = Some(now.value.unwrap_or(0).wrapping_sub(before));
    }
    now.buckets =
        now.buckets_since(before, |bucket, added| Bucket { count: added, raw: None, ..*bucket });
    now
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Action, Probe, Record, Snapshot};

    fn counted(entries: &[(i64, i64)]) -> Aggregation {
        let bucket =
            |&(at, count): &(i64, i64)| Bucket { low: Some(at), high: Some(at), count, raw: None };
        let entry = Entry { buckets: entries.iter().map(bucket).collect(), ..Entry::default() };
        let (name, function) = ("q".into(), "quantize".into());
        let (parameters, keynames) = (Vec::new(), Vec::new());
        Aggregation { name, function, parameters, keynames, entries: vec![entry] }
    }

    fn record(timestamp: u64, action: Action) -> Record {
        let [provider, module, function, name] = ["dtrace", "", "", "tick"].map(String::from);
        let probe = Probe { id: 1, provider, module, function, name };
        let (pid, tid, execname, host) = (None, None, None, None);
        Record { timestamp, cpu: 0, pid, tid, execname, host, probe, actions: vec![action] }
    }

    #[test]
    fn increments_begin_again_after_clear() {
        let printa = Action { aggregations: vec![counted(&[(1, 6), (2, 1)])], ..Action::default() };
        let clear =
            Action { action: "clear".into(), aggregation: Some("q".into()), ..Action::default() };
        let snapshot = |timestamp, after, a| Snapshot { timestamp, after, aggregations: vec![a] };
        let recording = Recording {
            records: vec![record(20, printa), record(21, clear)],
            // The third one is larger than the one before clear(), the last one is smaller.
            snapshots: vec![
                snapshot(10, 0, counted(&[(1, 2)])),
                snapshot(30, 2, counted(&[(1, 9), (2, 3)])),
                snapshot(40, 2, counted(&[(1, 1)])),
            ],
            ..Recording::default()
        };
        let of = counted(&[]);
        let found: Vec<(u64, Vec<(i64, i64)>)> = recording
            .increments(&of)
            .into_iter()
            .map(|(_, to, entries)| {
                let buckets = entries.iter().flat_map(|e| &e.buckets);
                (to, buckets.map(|b| (b.low.unwrap(), b.count)).collect())
            })
            .collect();
        let expected = [
            (10, vec![(1, 2)]),
            (20, vec![(1, 4), (2, 1)]),
            (30, vec![(1, 9), (2, 3)]),
            (40, vec![(1, 1)]),
        ];
        assert_eq!(found, expected);
    }
    /// Returns a merged stream of two machines that print each second; `then` follows each print.
    fn printed(values: &[(u64, &str, i64)], then: Option<&str>) -> Recording {
        let record = |&(timestamp, host, count): &(u64, &str, i64)| {
            let aggregations = vec![counted(&[(1, count)])];
            let mut record = record(timestamp, Action { aggregations, ..Action::default() });
            record.host = Some(host.into());
            let [action, aggregation] =
                [then, Some("q")].map(|t| t.unwrap_or_default().to_string());
            let aggregation = Some(aggregation);
            record.actions.push(Action { action, aggregation, ..Action::default() });
            record
        };
        let aggregations = vec![counted(&[(1, values.iter().rev().take(2).map(|v| v.2).sum())])];
        Recording {
            records: values.iter().map(record).collect(),
            aggregations,
            ..Recording::default()
        }
    }

    fn steps(recording: &Recording) -> Vec<(u64, i64)> {
        let steps = recording.increments(&counted(&[])).into_iter();
        steps.map(|(_, to, entries)| (to, entries.iter().map(Entry::total).sum())).collect()
    }

    #[test]
    fn machines_that_print_are_told_apart() {
        let values = [(1, "a", 10), (2, "b", 3), (3, "a", 12), (4, "b", 5)];
        let is_cumulative = steps(&printed(&values, None));
        assert_eq!(is_cumulative, [(1, 10), (2, 3), (3, 2), (4, 2)]);
        let is_cleared = steps(&printed(&values, Some("clear")));
        assert_eq!(is_cleared, [(1, 10), (2, 3), (3, 12), (4, 5)]);
        // Snapshots have the sum of both, and a print of one of them says nothing about it.
        let mut both = printed(&values, None);
        let snapshot = |timestamp, after, count| Snapshot {
            timestamp,
            after,
            aggregations: vec![counted(&[(1, count)])],
        };
        both.snapshots = vec![snapshot(2, 2, 13), snapshot(4, 4, 16)];
        assert_eq!(steps(&both), [(2, 13), (4, 3), (4, 1)]);
    }

    /// The first state is all that was added, also if it is divided.
    #[test]
    fn increments_are_not_divided() {
        let state = |count, raw| {
            let mut state = counted(&[(1, count)]);
            state.entries[0].buckets[0].raw = raw;
            state.entries[0].normal = raw.map(|_| 10);
            state
        };
        let snapshot = |timestamp, a| Snapshot { timestamp, after: 0, aggregations: vec![a] };
        let snapshots = vec![
            snapshot(1, state(3, Some(30))),
            snapshot(2, state(5, Some(50))),
            snapshot(3, state(51, None)),
        ];
        let recording = Recording { snapshots, ..Recording::default() };
        assert_eq!(steps(&recording), [(1, 30), (2, 20), (3, 1)]);
    }

    /// `trunc(@a, 2)` keeps two entries with their values.
    #[test]
    fn entries_that_stay_after_trunc_are_counted_once() {
        let state = |function: &str, entries: &[(&str, i64)]| {
            let entry = |&(key, value): &(&str, i64)| Entry {
                keys: vec![Datum::String(key.into())],
                value: Some(value),
                ..Entry::default()
            };
            let (name, function) = ("n".into(), function.into());
            let (parameters, keynames) = (Vec::new(), Vec::new());
            let entries = entries.iter().map(entry).collect();
            Aggregation { name, function, parameters, keynames, entries }
        };
        let trunc = |by| Action {
            action: "trunc".into(),
            aggregation: Some("n".into()),
            by,
            ..Action::default()
        };
        let snapshot = |timestamp, after, a| Snapshot { timestamp, after, aggregations: vec![a] };
        let added = |function, by| {
            let recording = Recording {
                records: vec![record(20, trunc(by))],
                // "c" was removed and is back with a smaller value.
                snapshots: vec![
                    snapshot(10, 0, state(function, &[("a", 100), ("b", 50), ("c", 9)])),
                    snapshot(30, 1, state(function, &[("a", 101), ("b", 50), ("c", 2)])),
                ],
                ..Recording::default()
            };
            let steps = recording.increments(&state(function, &[]));
            steps[1].2.iter().map(|e| e.value.unwrap()).collect::<Vec<_>>()
        };
        assert_eq!(added("count", Some(2)), [1, 0, 2]);
        assert_eq!(added("sum", Some(2)), [1, 0, 2]);
        assert_eq!(added("count", Some(-2)), [1, 0, 2]);
        assert_eq!(added("count", Some(0)), [101, 50, 2]);
        assert_eq!(added("count", None), [101, 50, 2]);
    }
}
