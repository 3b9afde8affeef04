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
use std::mem::{replace, take};
use std::sync::Arc;

/// The number of text lines that are kept.
pub const LINES: usize = 1000;
/// The most bytes of a line; what follows them is another line.
pub const LONGEST: usize = 64 << 10;
/// The number of snapshot entries, and of records, that are kept for saving.
const KEPT: usize = 100_000;
/// The bytes of snapshots, and of records, that are kept for saving.
const BYTES: usize = if cfg!(test) { 1 << 20 } else { 128 << 20 };

/// The longest and the shortest time whose samples a table keeps, in ns.
const LONGEST_SPAN: u64 = 300_000_000_000;
const SHORTEST_SPAN: u64 = 1_000_000_000;
/// The bytes of the samples of all rows of a table.
const SAMPLES: usize = if cfg!(test) { 1 << 20 } else { 128 << 20 };
/// The bytes of the keys of a table's rows that are not in its last state.
const GONE: usize = if cfg!(test) { 1 << 20 } else { 128 << 20 };

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
    rows: HashMap<Arc<[Datum]>, Row>,
    /// The time when its last state was read.
    pub at: u64,
    /// The time when the counts of its rows began.
    pub since: u64,
    /// The divisor of `normalize()` that all entries of its last state have, or will have; 1 if they
    /// have different ones. All rows are shown divided by it.
    pub divisor: i64,
    /// The program has cleared it or removed all rows since its last state.
    is_fresh: bool,
    /// The program has removed some of its rows since its last state.
    is_cut: bool,
}

/// The value for certain keys, over time.
#[derive(Debug, Clone)]
pub struct Row {
    /// The keys, in order. A traced program can make them long, so nothing here has a copy.
    pub keys: Arc<[Datum]>,
    /// The place of its entry in the table's last state, if it is there.
    pub(crate) at: Option<usize>,
    /// The change since the view's counts began; a minimum, maximum or deviation is D's own. It is
    /// not divided, and neither are the samples. It has no keys.
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
            let function = table.latest.function.as_str();
            for row in table.rows.values_mut() {
                row.series = Series::default();
                if adds_up(function) {
                    row.total = nothing(function);
                }
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
        let mut rest = line;
        loop {
            let mut end = rest.len().min(LONGEST);
            while !rest.is_char_boundary(end) {
                end -= 1;
            }
            let (piece, after) = rest.split_at(end);
            if self.lines.len() >= LINES {
                let gone = self.lines.pop_front();
                self.lost_lines += u64::from(gone.is_some_and(|l| l.0 == Kind::Text));
            }
            self.lines.push_back((kind, clean(piece).into_owned()));
            if after.is_empty() {
                return;
            }
            rest = after;
        }
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
        let before = replace(&mut self.latest, now.clone()).entries;
        let has_shrunk = |e: &Entry| {
            let row = self.rows.get(e.keys.as_slice());
            let last = row.and_then(|row| before.get(row.at?));
            last.is_some_and(|last| e.has_shrunk(last, function))
        };
        // A row that was removed may be back with a smaller value; the others go on.
        let is_reset = is_fresh || (!is_cut && now.entries.iter().any(has_shrunk));
        let from = self.at.max(since);
        let known: HashSet<&[Datum]> = now.entries.iter().map(|e| e.keys.as_slice()).collect();
        // After clear() or trunc() a row counts from zero. It is shown until its samples are old.
        self.rows.retain(|keys, row| {
            let is_known = known.contains(&**keys);
            row.at = row.at.filter(|_| is_known);
            is_known || !row.series.is_old(timestamp)
        });
        self.forget_gone();
        for (at, entry) in now.entries.iter().enumerate() {
            let row = match self.rows.get_mut(entry.keys.as_slice()) {
                Some(row) => row,
                None => {
                    let keys: Arc<[Datum]> = entry.keys.as_slice().into();
                    let (total, series) = (nothing(function), Series::default());
                    let row = Row { keys: keys.clone(), at: None, total, series };
                    self.rows.entry(keys).or_insert(row)
                }
            };
            let last = row.at.replace(at).and_then(|at| before.get(at));
            // Most rows of a large table do not change.
            if !is_reset && last == Some(entry) {
                continue;
            }
            let is_new = |last: &Entry| is_reset || (is_cut && entry.has_fallen(last, function));
            let mut added = match last.filter(|last| !is_new(last)) {
                Some(last) => entry.since(last, function),
                None => entry.clone(),
            };
            added.denormalize(function);
            added.keys = Vec::new();
            row.series.push(Sample::new(from, timestamp, &added, function));
            match adds_up(function) {
                true => row.total.merge(&added, function),
                false => row.total = added,
            }
        }
        if !now.entries.is_empty() {
            self.divisor = now.common_divisor().unwrap_or(1);
        }
        self.at = self.at.max(timestamp);
        self.forget();
    }

    /// Drops old samples of all rows if they take too much memory: a traced program can change a
    /// hundred thousand keys in each second.
    fn forget(&mut self) {
        let mut span = LONGEST_SPAN;
        let size = |rows: &HashMap<_, Row>| rows.values().map(|r| r.series.size()).sum::<usize>();
        while size(&self.rows) > SAMPLES && span > SHORTEST_SPAN {
            span = (span / 2).max(SHORTEST_SPAN);
            let begin = self.at.saturating_sub(span);
            self.rows.values_mut().for_each(|row| row.series.forget(begin));
        }
    }

    /// Drops the rows that the program has removed, if their keys take too much memory: each state
    /// may have as many new ones.
    fn forget_gone(&mut self) {
        let gone = self.rows.iter().filter(|(_, row)| row.at.is_none());
        let size: usize = gone.flat_map(|(keys, _)| keys.iter().map(Datum::size)).sum();
        if size > GONE {
            self.rows.retain(|_, row| row.at.is_some());
        }
    }
}

/// Tells whether additions can be added up. For other functions the later value counts.
fn adds_up(function: &str) -> bool {
    !matches!(function, "min" | "max" | "stddev")
}

/// Returns the total before the first addition.
fn nothing(function: &str) -> Entry {
    match function {
        "count" | "sum" => Entry { value: Some(0), ..Entry::default() },
        "avg" => Entry { value: Some(0), count: Some(0), sum: Some(0), ..Entry::default() },
        _ => Entry::default(),
    }
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

    /// A traced program can have keys of gigabytes: its functions' names, in many stacks.
    #[test]
    fn a_row_has_no_copy_of_its_keys() {
        let state = |timestamp: u64, function: &str, value: i64| {
            let stack = r#"{"type":"stack","value":["f","g"]}"#;
            let text = format!(
                r#"{{"type":"snapshot","timestamp":{timestamp},"aggregations":[{{"name":"a","function":"{function}","entries":[{{"keys":[{stack}],"value":{value}}}]}}]}}"#
            );
            recording::read_line(text.as_bytes()).unwrap()
        };
        let mut model = Model::default();
        for function in ["count", "max"] {
            (1..4).for_each(|n| model.take(state(n, function, n as i64)));
        }
        model.clear();
        for row in model.tables.iter().flat_map(Table::rows) {
            assert!(row.total.keys.is_empty());
            // The table's map has them, too.
            assert_eq!((row.keys.len(), Arc::strong_count(&row.keys)), (1, 2));
        }
        let totals = |model: &Model| -> Vec<Option<i64>> {
            model.tables.iter().flat_map(Table::rows).map(|row| row.total.value).collect()
        };
        assert_eq!(totals(&model), [Some(0), Some(3)]);
        model.take(state(4, "count", 9));
        assert_eq!(totals(&model), [Some(6), Some(3)]);
    }

    /// Each state changes a thousand keys.
    #[test]
    fn samples_have_a_limit() {
        let entry = |key: i64, value: i64| Entry {
            keys: vec![Datum::Int(key)],
            value: Some(value),
            ..Entry::default()
        };
        let mut model = Model::default();
        for second in 1..60 {
            let entries = (0..1000).map(|key| entry(key, second)).collect();
            let [name, function] = ["a", "count"].map(String::from);
            let (parameters, keynames) = (Vec::new(), Vec::new());
            let state = Aggregation { name, function, parameters, keynames, entries };
            let timestamp = second as u64 * 1_000_000_000;
            let aggregations = vec![state];
            model.take(Line::Snapshot(Snapshot { timestamp, aggregations, after: 0 }));
            let table = &model.tables[0];
            let size: usize = table.rows().map(|row| row.series.size()).sum();
            assert!(size <= SAMPLES, "{size}");
            assert!(table.rows().all(|row| row.total.value == Some(second)));
            assert!(table.rows().all(|row| row.series.after(timestamp - 1).count() == 1));
        }
    }

    /// The program prints its stacks and truncates them, each second.
    #[test]
    fn rows_that_are_gone_have_a_limit() {
        let (mut model, mut most) = (Model::default(), 0);
        for second in 1..20 {
            let keys = vec![Datum::Int(second), Datum::String("x".repeat(GONE / 4))];
            let [name, function] = ["a", "count"].map(String::from);
            let entries = vec![Entry { keys, value: Some(1), ..Entry::default() }];
            let (parameters, keynames) = (Vec::new(), Vec::new());
            let state = Aggregation { name, function, parameters, keynames, entries };
            let timestamp = second as u64 * 1_000_000_000;
            let aggregations = vec![state];
            model.take(Line::Snapshot(Snapshot { timestamp, aggregations, after: 0 }));
            most = most.max(model.tables[0].row_count());
        }
        assert_eq!(most, 4);
    }

    #[test]
    fn long_lines_are_cut() {
        let mut model = Model::default();
        model.say(Kind::Text, &"\u{e4}x".repeat(LONGEST / 3 + 9));
        model.print(&"x".repeat(3 * LONGEST));
        model.say(Kind::Text, "\n");
        let sizes: Vec<usize> = model.lines.iter().map(|l| l.1.len()).collect();
        assert_eq!(sizes, [LONGEST - 1, 27, LONGEST, LONGEST, LONGEST, 0]);
    }

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
