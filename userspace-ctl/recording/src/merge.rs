// SPDX-License-Identifier: GPL-2.0
//! Merges streams of several machines. Counts, sums, extremes, moments and buckets are added up
//! without loss; records are sorted by wall-clock time.

use crate::aggregation::Sum;
use crate::{Aggregation, Datum, Machine, Recording, Snapshot};

/// The most bytes of merged snapshots, as a multiple of those that were read.
const GROWTH: usize = 4;

/// Adds streams up. Times are converted to the first machine's `timestamp`. With `by_host`, the
/// machine's name becomes the first key of every aggregation.
pub fn merge(all: impl IntoIterator<Item = Recording>, by_host: bool) -> Recording {
    let mut sum = Merge::new(by_host);
    all.into_iter().for_each(|one| sum.add(one));
    sum.finish()
}

/// Streams that are being added up, one after the other. It keeps the sums, the records and the
/// snapshots, so the number of machines does not matter to streams that only aggregate.
#[derive(Debug)]
pub struct Merge {
    by_host: bool,
    /// Everything but the aggregations.
    sum: Recording,
    sums: Vec<Sum>,
    /// The number of streams.
    count: usize,
    /// The machine whose clock counts.
    first: Option<Machine>,
    status: Option<i32>,
    snapshots: Vec<(u64, usize, Vec<Aggregation>)>,
}

impl Merge {
    /// Begins without a stream.
    pub fn new(by_host: bool) -> Self {
        let (sum, sums, snapshots) = (Recording::default(), Vec::new(), Vec::new());
        Self { by_host, sum, sums, count: 0, first: None, status: Some(0), snapshots }
    }

    /// Adds a stream.
    pub fn add(&mut self, one: Recording) {
        let merged = &mut self.sum;
        let n = self.count;
        self.count += 1;
        let machine = one.machine().cloned().unwrap_or_default();
        let to = self.first.get_or_insert_with(|| machine.clone()).clone();
        let shift = Shift { from: machine.clone(), to };
        let host = match machine.host.is_empty() {
            true => format!("machine {}", n + 1),
            false => machine.host,
        };
        let keyed = |a: &Aggregation| match self.by_host {
            true => with_host(a, &host),
            false => a.clone(),
        };
        for a in one.shown() {
            put(&mut self.sums, keyed(&a));
        }
        for s in &one.snapshots {
            let aggregations = s.aggregations.iter().map(keyed).collect();
            self.snapshots.push((shift.time(s.timestamp), n, aggregations));
        }
        let named = |own: Option<String>| Some(own.unwrap_or_else(|| host.clone()));
        for mut record in one.records {
            record.timestamp = shift.time(record.timestamp);
            record.host = named(record.host);
            merged.records.push(record);
        }
        for mut drop in one.drops {
            drop.host = named(drop.host);
            merged.drops.push(drop);
        }
        for mut fault in one.faults {
            fault.host = named(fault.host);
            merged.faults.push(fault);
        }
        let told = |text: String| format!("{host}: {text}");
        merged.notes.extend(one.notes.into_iter().map(told));
        merged.errors.extend(one.errors.into_iter().map(told));
        for (name, probes) in one.programs {
            match merged.programs.iter_mut().find(|p| p.0 == name) {
                Some(known) => known.1 = known.1.max(probes),
                None => merged.programs.push((name, probes)),
            }
        }
        for mut m in one.machines {
            m.timestamp = shift.time(m.timestamp);
            merged.machines.push(m);
        }
        // The first status other than 0 counts; one stream without an end makes the result
        // incomplete.
        let other = one.status;
        self.status = self.status.and_then(|s| other.map(|other| if s == 0 { other } else { s }));
        merged.ended = merged.ended.max(one.ended.map(|t| shift.time(t)));
        if one.version > merged.version {
            merged.version = one.version;
        }
    }

    /// Returns the sum.
    pub fn finish(self) -> Recording {
        let mut merged = self.sum;
        merged.status = self.status;
        merged.aggregations = self.sums.into_iter().map(Sum::finish).collect();
        merged.records.sort_by_key(|r| r.timestamp);
        merged.aggregations.iter_mut().for_each(Aggregation::sort);
        let left_out;
        (merged.snapshots, left_out) = rounds(self.snapshots, &merged);
        if left_out > 0 {
            merged.notes.push(format!(
                "the machines' snapshots differ so much in size or number that {left_out} rounds of \
                 them were left out; sums are exact, but steps in time are coarser"
            ));
        }
        merged
    }
}

/// Converts times from one machine's clock to another's, by their wall-clock times.
struct Shift {
    from: Machine,
    to: Machine,
}

impl Shift {
    fn time(&self, timestamp: u64) -> u64 {
        let wall = i128::from(timestamp) - i128::from(self.from.timestamp)
            + i128::from(self.from.walltimestamp);
        let there = wall - i128::from(self.to.walltimestamp) + i128::from(self.to.timestamp);
        u64::try_from(there.max(0)).unwrap_or(u64::MAX)
    }
}

/// Adds an aggregation to the sum of its like.
fn put(sums: &mut Vec<Sum>, a: Aggregation) {
    match sums.iter_mut().find(|s| s.aggregation.is_like(&a)) {
        Some(known) => known.add(a),
        None => sums.push(Sum::new(a)),
    }
}

fn with_host(a: &Aggregation, host: &str) -> Aggregation {
    let mut a = a.clone();
    a.keynames.insert(0, "host".into());
    for entry in &mut a.entries {
        entry.keys.insert(0, Datum::String(host.into()));
    }
    a
}

/// The snapshots of all machines while they are made.
struct Rounds<'a> {
    merged: &'a Recording,
    found: Vec<Snapshot>,
    /// The bytes that the machines' own snapshots take, of those that were read so far.
    read: usize,
    /// The bytes that the found ones take.
    made: usize,
    left_out: usize,
}

impl Rounds<'_> {
    /// Adds up the machines' last snapshots, which take `size` bytes. Without `must`, the round is
    /// left out if the result would become too large.
    fn close(&mut self, timestamp: u64, latest: &[Vec<Aggregation>], size: usize, must: bool) {
        if !must && self.made + size > self.read.saturating_mul(GROWTH) {
            self.left_out += 1;
            return;
        }
        self.made += size;
        let mut sums = Vec::new();
        latest.iter().flatten().for_each(|a| put(&mut sums, a.clone()));
        let aggregations = sums.into_iter().map(Sum::finish).collect();
        let after = self.merged.records.partition_point(|r| r.timestamp <= timestamp);
        self.found.push(Snapshot { timestamp, aggregations, after });
    }
}

/// Returns about how many bytes of memory aggregations take.
fn size(all: &[Aggregation]) -> usize {
    all.iter().map(Aggregation::size).sum()
}

/// Makes one snapshot of all machines for each round of their snapshots. A machine without one in a
/// round counts with its last one. Also returns the number of rounds that have none: many small
/// snapshots of one machine must not copy the large one of another machine each time.
fn rounds(
    mut all: Vec<(u64, usize, Vec<Aggregation>)>,
    merged: &Recording,
) -> (Vec<Snapshot>, usize) {
    all.sort_by_key(|s| s.0);
    let count = all.iter().map(|s| s.1 + 1).max().unwrap_or(0);
    let mut latest: Vec<Vec<Aggregation>> = vec![Vec::new(); count];
    let mut is_new = vec![false; count];
    let mut rounds = Rounds { merged, found: Vec::new(), read: 0, made: 0, left_out: 0 };
    let (mut last, mut all_latest) = (0, 0);
    for (timestamp, machine, aggregations) in all {
        if is_new.get(machine) == Some(&true) {
            rounds.close(last, &latest, all_latest, false);
            is_new.fill(false);
        }
        if let (Some(slot), Some(flag)) = (latest.get_mut(machine), is_new.get_mut(machine)) {
            let bytes = size(&aggregations);
            rounds.read += bytes;
            all_latest = all_latest + bytes - size(slot);
            (*slot, *flag) = (aggregations, true);
        }
        last = timestamp;
    }
    if is_new.contains(&true) {
        rounds.close(last, &latest, all_latest, true);
    }
    (rounds.found, rounds.left_out)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a stream of a machine whose clock began at `wall`.
    fn stream(host: &str, wall: u64, lines: &str) -> Recording {
        let text = format!(
            r#"{{"type":"dtrace","schema":1,"version":"0.1.0"}}
{{"type":"machine","host":"{host}","kernel":"7.3","architecture":"x86_64","cpus":2,"walltimestamp":{wall},"timestamp":1000}}
{lines}
{{"type":"exit","status":0,"timestamp":9000}}
"#
        );
        Recording::read(text.as_bytes()).unwrap()
    }

    fn aggregation(name: &str, function: &str, entries: &str) -> String {
        format!(
            r#"{{"type":"aggregation","name":"{name}","function":"{function}","entries":[{entries}]}}"#
        )
    }

    fn entry<'a>(r: &'a Recording, name: &str, n: usize) -> &'a crate::Entry {
        &r.aggregations.iter().find(|a| a.name == name).unwrap().entries[n]
    }

    #[test]
    fn every_function_adds_up() {
        let one = [
            aggregation("c", "count", r#"{"keys":[{"type":"string","value":"sh"}],"value":3}"#),
            aggregation("n", "sum", r#"{"keys":[],"value":3,"raw":7,"normal":2}"#),
            aggregation("min", "min", r#"{"keys":[],"value":0,"empty":true}"#),
            aggregation("max", "max", r#"{"keys":[],"value":-5}"#),
            aggregation("a", "avg", r#"{"keys":[],"value":10,"count":1,"sum":10}"#),
            aggregation("s", "stddev", r#"{"keys":[],"value":0,"count":1,"sum":2,"squares":"4"}"#),
            aggregation("q", "quantize", r#"{"keys":[],"buckets":[{"low":4,"high":7,"count":1}]}"#),
        ];
        let other = [
            aggregation(
                "c",
                "count",
                r#"{"keys":[{"type":"string","value":"cat"}],"value":1},{"keys":[{"type":"string","value":"sh"}],"value":4}"#,
            ),
            aggregation("n", "sum", r#"{"keys":[],"value":3,"raw":7,"normal":2}"#),
            aggregation("min", "min", r#"{"keys":[],"value":6}"#),
            aggregation("max", "max", r#"{"keys":[],"value":-2}"#),
            aggregation("a", "avg", r#"{"keys":[],"value":2,"count":3,"sum":6}"#),
            aggregation("s", "stddev", r#"{"keys":[],"value":0,"count":1,"sum":6,"squares":"36"}"#),
            aggregation(
                "q",
                "quantize",
                r#"{"keys":[],"buckets":[{"low":1,"high":1,"count":5},{"low":4,"high":7,"count":2}]}"#,
            ),
        ];
        let all = || vec![stream("a", 5000, &one.join("\n")), stream("b", 6000, &other.join("\n"))];
        let found = merge(all(), false);
        assert_eq!(entry(&found, "c", 1).value, Some(7));
        // 7 + 7 is 14, and half of that is 7: more than 3 + 3, the sum of the halves.
        assert_eq!((entry(&found, "n", 0).value, entry(&found, "n", 0).raw), (Some(7), Some(14)));
        assert_eq!(entry(&found, "min", 0).value, Some(6));
        assert_eq!(entry(&found, "max", 0).value, Some(-2));
        // The result is not the average of the averages.
        assert_eq!(entry(&found, "a", 0).value, Some(4));
        assert_eq!(entry(&found, "s", 0).value, Some(2));
        let counts: Vec<i64> = entry(&found, "q", 0).buckets.iter().map(|b| b.count).collect();
        assert_eq!(counts, [5, 3]);
        let apart = merge(all(), true);
        assert_eq!(apart.aggregations[0].entries.len(), 3);
        assert_eq!(entry(&apart, "a", 0).keys, [Datum::String("b".into())]);
    }

    #[test]
    fn different_divisors_show_what_was_divided() {
        let with = |normal: i64| {
            let entry =
                format!(r#"{{"keys":[],"value":{},"raw":12,"normal":{normal}}}"#, 12 / normal);
            stream("a", 5000, &aggregation("n", "count", &entry))
        };
        let found = merge(vec![with(2), with(3)], false);
        let entry = entry(&found, "n", 0);
        assert_eq!((entry.value, entry.raw, entry.normal), (Some(24), None, None));
    }

    /// If one machine has normalized a key and the other has not, no key of the sum is divided.
    #[test]
    fn a_sum_has_one_divisor() {
        let divided = |key: &str| {
            let key = format!(r#"{{"type":"string","value":"{key}"}}"#);
            format!(r#"{{"keys":[{key}],"value":12,"raw":12345,"normal":1000}}"#)
        };
        let whole = r#"{"keys":[{"type":"string","value":"both"}],"value":5}"#;
        let one = aggregation("n", "count", &[divided("both"), divided("one")].join(","));
        let all = || {
            let snapshot = format!(
                r#"{{"type":"snapshot","timestamp":2000,"aggregations":[{}]}}"#,
                one.replace(r#""type":"aggregation","#, "")
            );
            let one = stream("a", 5000, &format!("{snapshot}\n{one}"));
            let other = stream("b", 5000, &aggregation("n", "count", whole));
            vec![one, other]
        };
        let values = |a: &Aggregation| -> Vec<(Option<i64>, Option<i64>)> {
            a.entries.iter().map(|e| (e.value, e.normal)).collect()
        };
        let found = merge(all(), false);
        assert_eq!(values(&found.aggregations[0]), [(Some(12345), None), (Some(12350), None)]);
        // Only one machine has snapshots, and its divisors agree.
        let snapshot = &found.snapshots[0].aggregations[0];
        assert_eq!(values(snapshot), [(Some(12), Some(1000)); 2]);
        let found = merge(all(), true);
        let expected = [(Some(5), None), (Some(12345), None), (Some(12345), None)];
        assert_eq!(values(&found.aggregations[0]), expected);
    }

    #[test]
    fn records_come_in_the_order_of_the_wall_clock() {
        let record = |t: u64| {
            format!(
                r#"{{"type":"record","timestamp":{t},"cpu":0,"probe":{{"id":1,"provider":"p","module":"","function":"","name":"n"}},"actions":[]}}"#
            )
        };
        // The second machine's clock shows 1000 when the first one's shows 1500.
        let snapshot = |t: u64, v: u64| {
            format!(
                r#"{{"type":"snapshot","timestamp":{t},"aggregations":[{{"name":"c","function":"count","entries":[{{"keys":[],"value":{v}}}]}}]}}"#
            )
        };
        let one = [record(1100), snapshot(1200, 1), record(1600), snapshot(2200, 2)].join("\n");
        let two = [record(1050), record(1200), snapshot(1300, 10)].join("\n");
        let found = merge(vec![stream("a", 5000, &one), stream("b", 5500, &two)], false);
        let order: Vec<(u64, &str)> =
            found.records.iter().map(|r| (r.timestamp, r.host.as_deref().unwrap())).collect();
        assert_eq!(order, [(1100, "a"), (1550, "b"), (1600, "a"), (1700, "b")]);
        let value = |s: &Snapshot| s.aggregations[0].entries[0].value.unwrap();
        let snapshots: Vec<_> =
            found.snapshots.iter().map(|s| (s.timestamp, s.after, value(s))).collect();
        assert_eq!(snapshots, [(1800, 4, 11), (2200, 4, 12)]);
        assert_eq!(found.machines[1].wall(1500), 5500);
    }
    #[test]
    fn small_snapshots_do_not_copy_a_large_one_each_time() {
        let snapshot = |t: u64, entries: &[String]| {
            format!(
                r#"{{"type":"snapshot","timestamp":{t},"aggregations":[{{"name":"c","function":"count","entries":[{}]}}]}}"#,
                entries.join(",")
            )
        };
        let keyed = |n: u64| format!(r#"{{"keys":[{{"type":"int","value":{n}}}],"value":1}}"#);
        let many: Vec<String> = (1..=100).map(keyed).collect();
        let few = |t: u64| snapshot(1000 + t, &[format!(r#"{{"keys":[],"value":{t}}}"#)]);
        let small: Vec<String> = (1..=50).map(few).collect();
        let all =
            vec![stream("a", 5000, &snapshot(1000, &many)), stream("b", 5000, &small.join("\n"))];
        let found = merge(all, false);
        let entries = |s: &Snapshot| s.aggregations[0].entries.len();
        let kept: usize = found.snapshots.iter().map(entries).sum();
        // A copy of the large one for each small one would make 5,050.
        assert!(kept < 1000, "{kept}");
        let last = found.snapshots.last().unwrap();
        assert_eq!((last.timestamp, entries(last)), (1050, 101));
        assert_eq!(last.aggregations[0].entries[100].value, Some(50));
        assert!(found.notes[0].contains("rounds of them were left out"), "{:?}", found.notes);
    }
}
