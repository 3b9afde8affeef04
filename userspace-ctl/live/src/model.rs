// SPDX-License-Identifier: GPL-2.0
//! The data of a view: the stream of a session (`docs/json.md`), as far as a screen can show it.
//! Memory is bounded: a table keeps its rows, and each row keeps the samples of the last minutes.

use crate::series::{Sample, Series};
use plaintext::clean;
use recording::{
    Action, Aggregation, Datum, Drop, Entry, Line, Record, Recording, Reset, Snapshot,
};
use std::borrow::Cow;
use std::collections::{HashMap, HashSet, VecDeque};
use std::mem::take;

/// The number of text lines that are kept.
pub const LINES: usize = 1000;
/// The bytes after which text without a newline becomes a line.
pub const LONGEST: usize = 64 << 10;
/// The number of snapshot entries, and of records, that are kept for saving.
const KEPT: usize = 100_000;
/// The bytes of snapshots, and of records, that are kept for saving.
const BYTES: usize = if cfg!(test) { 1 << 20 } else { 128 << 20 };

/// The origin of a line of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The program printed the line.
    Text,
    /// dtrace or a command printed the line.
    Message,
}

/// All data that a view shows.
#[derive(Debug, Clone, Default)]
pub struct Model {
    /// The programs, each with the number of probes that it matched.
    pub programs: Vec<(String, u64)>,
    /// The host name.
    pub host: String,
    /// The time when the session began, in D's `timestamp`.
    pub start: u64,
    /// The latest time in the stream.
    pub now: u64,
    /// The time when the view's counts began: the start, or the last [`Model::clear`].
    pub since: u64,
    /// One table for each aggregation, in order of first appearance.
    pub tables: Vec<Table>,
    /// The last lines of text.
    pub lines: VecDeque<(Kind, String)>,
    /// The number of lines of the program's text that are no longer kept.
    pub lost_lines: u64,
    /// Text of the program without a newline so far.
    partial: String,
    /// Lost data: the cause and the number.
    pub drops: Vec<(String, u64)>,
    /// The number of clauses that a fault ended.
    pub faults: u64,
    /// The part of the stream that can be saved.
    kept: Recording,
    kept_entries: usize,
    /// The bytes of the kept snapshots.
    kept_states: usize,
    /// The bytes of the kept records.
    kept_records: usize,
}

/// An aggregation.
#[derive(Debug, Clone)]
pub struct Table {
    /// The description of the aggregation, with the entries of its last state.
    pub latest: Aggregation,
    /// The rows by their keys.
    rows: HashMap<Vec<Datum>, Row>,
    /// The time when its last state was read.
    pub at: u64,
    /// The time when the counts of its rows began.
    pub since: u64,
    /// The divisor of `normalize()` if all entries of its last state have it, otherwise 1. Rows are
    /// shown divided by it: a new key has no divisor until the program's next `normalize()`.
    pub divisor: i64,
    /// The program has cleared it or removed all rows since its last state.
    is_fresh: bool,
    /// The program has removed some of its rows since its last state.
    is_cut: bool,
}

/// The value for certain keys, over time.
#[derive(Debug, Clone)]
pub struct Row {
    /// The keys, in order.
    pub keys: Vec<Datum>,
    /// The last state.
    pub entry: Entry,
    /// The change since the view's counts began; a minimum, maximum or deviation is D's own. It is
    /// not divided, and neither are the samples.
    pub total: Entry,
    /// The samples of the last minutes.
    pub series: Series,
}

impl Model {
    /// Takes a line of the stream.
    pub fn take(&mut self, mut line: Line) {
        line.add_up();
        match &line {
            Line::Machine(machine) => {
                self.host.clone_from(&machine.host);
                (self.start, self.since) = (machine.timestamp, machine.timestamp);
                self.now = self.now.max(machine.timestamp);
            }
            Line::Program { name, probes } => self.programs.push((name.clone(), *probes)),
            Line::Record(record) => self.record(record),
            Line::Snapshot(snapshot) => {
                self.now = self.now.max(snapshot.timestamp);
                let states = snapshot.aggregations.iter();
                states.for_each(|a| self.state(snapshot.timestamp, a));
            }
            Line::Aggregation(aggregation) => self.state(self.now, aggregation),
            Line::Drop(drop) => self.drop(drop),
            Line::Fault(fault) => {
                self.faults += 1;
                self.say(Kind::Message, &format!("dtrace: {}", fault.text));
            }
            Line::Note { text } => self.say(Kind::Message, &format!("dtrace: {text}")),
            Line::Exit { timestamp, .. } => self.now = self.now.max(timestamp.unwrap_or(0)),
            // An error is reported after the view has ended.
            Line::Dtrace { .. } | Line::Error { .. } | Line::Other => {}
        }
        self.keep(line);
    }

    /// Adds text of the program; lines end with newlines.
    pub fn print(&mut self, text: &str) {
        for piece in text.split_inclusive('\n') {
            self.partial.push_str(piece);
            if self.partial.ends_with('\n') || self.partial.len() >= LONGEST {
                let line = take(&mut self.partial);
                self.push(Kind::Text, line.trim_end_matches('\n'));
            }
        }
    }

    /// Adds lines to the printed ones.
    pub fn say(&mut self, kind: Kind, text: &str) {
        text.lines().for_each(|line| self.push(kind, line));
    }

    /// Returns all lines, including one without a newline so far.
    pub fn all_lines(&self) -> impl DoubleEndedIterator<Item = (Kind, Cow<'_, str>)> {
        let whole = self.lines.iter().map(|(kind, line)| (*kind, line.into()));
        let partial = (!self.partial.is_empty()).then(|| (Kind::Text, clean(&self.partial)));
        whole.chain(partial)
    }

    /// Restarts the view's counts. The program's aggregations stay unchanged.
    pub fn clear(&mut self) {
        self.since = self.now;
        for table in &mut self.tables {
            table.since = self.now;
            let function = table.latest.function.clone();
            for row in table.rows.values_mut() {
                row.series = Series::default();
                row.total = nothing(&row.entry, &function);
            }
        }
    }

    /// Returns the number of losses.
    pub fn lost(&self) -> u64 {
        self.drops.iter().fold(0, |sum, d| sum.saturating_add(d.1))
    }

    /// Returns the part of the stream that is kept, for saving.
    pub fn recording(&self) -> Recording {
        let mut recording = self.kept.clone();
        recording.aggregations = self.tables.iter().map(|t| t.latest.clone()).collect();
        (recording.status, recording.ended) = (Some(0), Some(self.now));
        recording
    }

    fn push(&mut self, kind: Kind, line: &str) {
        if self.lines.len() >= LINES {
            let gone = self.lines.pop_front();
            self.lost_lines += u64::from(gone.is_some_and(|l| l.0 == Kind::Text));
        }
        self.lines.push_back((kind, clean(line).into_owned()));
    }

    fn record(&mut self, record: &Record) {
        self.now = self.now.max(record.timestamp);
        let mut loose = Vec::new();
        for action in &record.actions {
            for aggregation in &action.aggregations {
                self.state(record.timestamp, aggregation);
            }
            if let Some((name, reset)) = action.reset() {
                for table in self.tables.iter_mut().filter(|t| t.latest.name == name) {
                    match reset {
                        Reset::Cleared | Reset::Removed => table.is_fresh = true,
                        Reset::Cut => table.is_cut = true,
                    }
                }
            }
            match action.said() {
                // A table shows it.
                _ if action.action == "printa" => {}
                Some(text) => self.print(text),
                None => loose.extend(value_of(action)),
            }
        }
        if !loose.is_empty() {
            let probe = &record.probe;
            let text = format!("{}:{} {}", probe.function, probe.name, loose.join(" "));
            self.say(Kind::Text, &text);
        }
    }

    fn state(&mut self, timestamp: u64, aggregation: &Aggregation) {
        let since = self.since;
        let known = self.tables.iter_mut().find(|t| t.latest.is_like(aggregation));
        match known {
            Some(table) => table.take(timestamp, aggregation, since),
            None => {
                let latest = Aggregation { entries: Vec::new(), ..aggregation.clone() };
                let (rows, is_fresh, is_cut) = (HashMap::new(), false, false);
                let divisor = 1;
                let mut table = Table { latest, rows, at: since, since, divisor, is_fresh, is_cut };
                table.take(timestamp, aggregation, since);
                self.tables.push(table);
            }
        }
    }

    fn drop(&mut self, drop: &Drop) {
        self.say(Kind::Message, &format!("dtrace: {}", drop.text));
        match self.drops.iter_mut().find(|d| d.0 == drop.tag) {
            Some(known) => known.1 = known.1.saturating_add(drop.count),
            None => self.drops.push((drop.tag.clone(), drop.count)),
        }
    }

    fn keep(&mut self, line: Line) {
        match &line {
            Line::Snapshot(snapshot) => {
                self.kept_entries += entries(snapshot);
                self.kept_states += snapshot.size();
            }
            Line::Record(record) => self.kept_records += record.size(),
            _ => {}
        }
        // The final aggregations are taken from the tables.
        if !matches!(line, Line::Aggregation(_) | Line::Exit { .. }) {
            self.kept.add(line);
        }
        while (self.kept_entries > KEPT || self.kept_states > BYTES)
            && self.kept.snapshots.len() > 1
        {
            let gone = self.kept.snapshots.remove(0);
            self.kept_entries -= entries(&gone);
            self.kept_states -= gone.size();
        }
        if self.kept.records.len() > KEPT || self.kept_records > BYTES {
            self.drop_records();
        }
        self.kept.notes.truncate(LINES);
        self.kept.faults.truncate(LINES);
        self.kept.drops.truncate(KEPT);
    }

    /// Drops the older half of the records, so that this is seldom.
    fn drop_records(&mut self) {
        let (mut gone, mut count) = (0, self.kept.records.len());
        for record in &self.kept.records {
            if count <= KEPT / 2 && self.kept_records <= BYTES / 2 {
                break;
            }
            self.kept_records -= record.size();
            (gone, count) = (gone + 1, count - 1);
        }
        self.kept.records.drain(..gone);
        for snapshot in &mut self.kept.snapshots {
            snapshot.after = snapshot.after.saturating_sub(gone);
        }
    }
}

fn entries(snapshot: &Snapshot) -> usize {
    snapshot.aggregations.iter().map(|a| a.entries.len()).sum()
}

impl Table {
    /// Returns the aggregation's name in D.
    pub fn title(&self) -> String {
        format!("@{}", self.latest.name)
    }

    /// Tells whether it counts values by buckets.
    pub fn is_distribution(&self) -> bool {
        self.latest.is_distribution()
    }

    /// Returns the rows, in no order.
    pub fn rows(&self) -> impl Iterator<Item = &Row> {
        self.rows.values()
    }

    /// Returns the row with these keys.
    pub fn row(&self, keys: &[Datum]) -> Option<&Row> {
        self.rows.get(keys)
    }

    /// Returns the number of its rows.
    pub fn row_count(&self) -> usize {
        self.rows.len()
    }

    fn take(&mut self, timestamp: u64, now: &Aggregation, since: u64) {
        let function = now.function.as_str();
        let (is_fresh, is_cut) = (take(&mut self.is_fresh), take(&mut self.is_cut));
        let has_shrunk = |e: &Entry| {
            let before = self.rows.get(&e.keys);
            before.is_some_and(|row| e.has_shrunk(&row.entry, function))
        };
        // A row that was removed may be back with a smaller value; the others go on.
        let is_reset = is_fresh || (!is_cut && now.entries.iter().any(has_shrunk));
        let from = self.at.max(since);
        let known: HashSet<&[Datum]> = now.entries.iter().map(|e| e.keys.as_slice()).collect();
        // After clear() or trunc() a row counts from zero. It is shown until its samples are old.
        let gone = |row: &Row| !known.contains(row.keys.as_slice());
        self.rows.retain(|_, row| !gone(row) || !row.series.is_old(timestamp));
        for row in self.rows.values_mut().filter(|row| gone(row)) {
            row.entry = nothing(&row.entry, function);
        }
        for entry in &now.entries {
            let before = self.rows.get(&entry.keys).map(|row| &row.entry);
            // Most rows of a large table do not change.
            if !is_reset && before == Some(entry) {
                continue;
            }
            let is_new = |row: &Entry| is_reset || (is_cut && entry.has_fallen(row, function));
            let mut added = match before.filter(|row| !is_new(row)) {
                Some(before) => entry.since(before, function),
                None => entry.clone(),
            };
            added.denormalize(function);
            let sample = Sample::new(from, timestamp, &added, function);
            match self.rows.get_mut(&entry.keys) {
                Some(row) => {
                    row.total = sum(&row.total, &added, function);
                    row.entry.clone_from(entry);
                    row.series.push(sample);
                }
                None => {
                    let mut series = Series::default();
                    series.push(sample);
                    let row = Row {
                        keys: entry.keys.clone(),
                        entry: entry.clone(),
                        total: added,
                        series,
                    };
                    self.rows.insert(entry.keys.clone(), row);
                }
            }
        }
        if !now.entries.is_empty() {
            self.divisor = now.divisor().unwrap_or(1);
        }
        self.latest.clone_from(now);
        self.at = self.at.max(timestamp);
    }
}

/// Returns an empty entry with the same keys; extremes and deviations have no empty value and stay.
/// It is not divided.
fn nothing(entry: &Entry, function: &str) -> Entry {
    let zero = Entry { keys: entry.keys.clone(), ..Entry::default() };
    match function {
        "count" | "sum" => Entry { value: Some(0), ..zero },
        "avg" => Entry { value: Some(0), count: Some(0), sum: Some(0), ..zero },
        "min" | "max" | "stddev" => {
            let mut same = entry.clone();
            same.denormalize(function);
            same
        }
        _ => zero,
    }
}

/// Adds up two entries; for values that cannot be added, returns the later one.
fn sum(a: &Entry, b: &Entry, function: &str) -> Entry {
    if matches!(function, "min" | "max" | "stddev") {
        return b.clone();
    }
    let mut both = a.clone();
    both.merge(b, function);
    both
}

/// Returns the text of the data that an action without text recorded.
fn value_of(action: &Action) -> Option<String> {
    match (&action.value, &action.printed) {
        (Some(Datum::Stack(frames) | Datum::Ustack(frames)), _) => Some(frames.join(" < ")),
        (Some(value), _) => Some(value.to_string()),
        (None, Some(printed)) => Some(printed.value.to_string()),
        (None, None) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A record of printa() has a copy of the aggregation.
    #[test]
    fn what_is_kept_for_saving_has_a_limit_of_bytes() {
        let entry = |n: i64| Entry {
            keys: vec![Datum::String("x".repeat(BYTES / 128)), Datum::Int(n)],
            ..Entry::default()
        };
        let [name, function] = ["a", "count"].map(String::from);
        let (parameters, keynames) = (Vec::new(), Vec::new());
        let entries = (0..8).map(entry).collect();
        let all = vec![Aggregation { name, function, parameters, keynames, entries }];
        let printa =
            Action { action: "printa".into(), aggregations: all.clone(), ..Action::default() };
        let record = br#"{"type":"record","timestamp":1,"cpu":0,"probe":{"id":1,"provider":"p","module":"","function":"","name":"n"},"actions":[]}"#;
        let Ok(Line::Record(record)) = recording::read_line(record) else { panic!() };
        let record = Record { actions: vec![printa], ..record };
        let mut model = Model::default();
        for timestamp in 1..40 {
            model.take(Line::Record(Record { timestamp, ..record.clone() }));
            let aggregations = all.clone();
            model.take(Line::Snapshot(Snapshot { timestamp, aggregations, after: 0 }));
        }
        let kept = &model.kept;
        let (records, snapshots) = (&kept.records, &kept.snapshots);
        assert!((6..16).contains(&records.len()), "{}", records.len());
        assert_eq!(snapshots.len(), 15);
        let last = |n: usize| records.get(n).map(|r| r.timestamp);
        assert_eq!(last(records.len() - 1), Some(39));
        assert_eq!(snapshots.last().map(|s| (s.timestamp, s.after)), Some((39, records.len())));
        assert_eq!(model.kept_records, records.iter().map(Record::size).sum::<usize>());
        assert_eq!(model.kept_states, snapshots.iter().map(Snapshot::size).sum::<usize>());
    }
}
