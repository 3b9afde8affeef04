// SPDX-License-Identifier: GPL-2.0
//! A recording: the stream of `-x oformat=json` (`docs/json.md`), read back. Each view of a program
//! draws a recording, whether the program runs now or ran last week on another machine.

#![forbid(unsafe_code)]
#![warn(clippy::too_many_lines)]
// They panic if the stream is closed or its disk is full.
#![cfg_attr(not(test), deny(clippy::print_stderr, clippy::print_stdout))]
#![warn(missing_docs)]

mod aggregation;
pub mod buckets;
mod line;
mod merge;
mod pieces;
mod states;
mod value;

pub use aggregation::{Aggregation, Bucket, Entry, Sum};
pub use line::{Action, Drop, Fault, Line, Machine, Printed, Probe, Record, Reset, Snapshot};
pub use merge::{merge, Merge};
pub use pieces::Pieces;
pub use states::State;
pub use value::{Datum, Frame};

use std::io::{BufRead, Write};

/// The schema that this crate reads.
pub const SCHEMA: u32 = 1;

/// The contents of a stream.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Recording {
    /// The version of the command that wrote it.
    pub version: String,
    /// The machine that was traced; a merged stream has several, older streams have none.
    pub machines: Vec<Machine>,
    /// Programs, each with the number of probes that it matched.
    pub programs: Vec<(String, u64)>,
    /// Clauses that ran, in order of time.
    pub records: Vec<Record>,
    /// Snapshots of all aggregations.
    pub snapshots: Vec<Snapshot>,
    /// Aggregations at the end, which the programs did not print.
    pub aggregations: Vec<Aggregation>,
    /// Lost data.
    pub drops: Vec<Drop>,
    /// Faults that ended clauses.
    pub faults: Vec<Fault>,
    /// Other messages.
    pub notes: Vec<String>,
    /// Errors that ended the run.
    pub errors: Vec<String>,
    /// The command's exit status; `None` if the stream is incomplete.
    pub status: Option<i32>,
    /// When the command ended, in D's `timestamp`, if the stream has it.
    pub ended: Option<u64>,
}

/// The reason why a stream cannot be read.
#[derive(Debug)]
pub enum Error {
    /// The file could not be read.
    Io(std::io::Error),
    /// This line (from 1) is not JSON of this schema.
    Line(usize, String),
    /// The first line does not begin a stream of dtrace.
    NotDtrace,
    /// The stream has this schema, which is later than [`SCHEMA`].
    Schema(u32),
}

impl std::error::Error for Error {}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Io(e) => write!(f, "{e}"),
            Self::Line(n, why) => write!(f, "line {n} is not a line of dtrace's JSON: {why}"),
            Self::NotDtrace => {
                f.write_str("this is not a stream of dtrace: make one with -x oformat=json -o FILE")
            }
            Self::Schema(n) => {
                write!(f, "the stream has schema {n}, this dtrace reads schema {SCHEMA}")
            }
        }
    }
}

/// Reads one line of a stream.
pub fn read_line(text: &[u8]) -> Result<Line, Error> {
    serde_json::from_slice(text).map_err(|e| Error::Line(1, e.to_string()))
}

impl Recording {
    /// Reads a stream to its end. Lines of unknown types are skipped.
    pub fn read(from: impl BufRead) -> Result<Self, Error> {
        let mut found = Self::default();
        let is_empty = found.lines(from, true)?;
        match is_empty {
            true => Err(Error::NotDtrace),
            false => Ok(found),
        }
    }

    /// Adds more lines of the stream.
    pub fn extend(&mut self, from: impl BufRead) -> Result<(), Error> {
        self.lines(from, false).map(|_| ())
    }

    /// Reads lines; the first must be the head of a stream if `needs_head`. Returns whether there
    /// was no line.
    fn lines(&mut self, mut from: impl BufRead, mut needs_head: bool) -> Result<bool, Error> {
        let (mut is_empty, mut text, mut n) = (true, Vec::new(), 0);
        while pieces::next_line(&mut from, &mut text).map_err(Error::Io)? {
            n += 1;
            match serde_json::from_slice(&text) {
                Ok(Line::Dtrace { schema, .. }) if schema > SCHEMA => {
                    return Err(Error::Schema(schema))
                }
                Ok(line @ Line::Dtrace { .. }) => self.add(line),
                _ if needs_head => return Err(Error::NotDtrace),
                Ok(line) => self.add(line),
                Err(e) => return Err(Error::Line(n, e.to_string())),
            }
            (is_empty, needs_head) = (false, false);
        }
        Ok(is_empty)
    }

    /// Adds the contents of a line.
    pub fn add(&mut self, mut line: Line) {
        line.add_up();
        match line {
            Line::Dtrace { version, .. } => self.version = version,
            Line::Machine(machine) => self.machines.push(machine),
            Line::Program { name, probes } => self.programs.push((name, probes)),
            Line::Record(record) => self.records.push(record),
            Line::Snapshot(snapshot) => {
                self.snapshots.push(Snapshot { after: self.records.len(), ..snapshot });
            }
            Line::Aggregation(aggregation) => self.aggregations.push(aggregation),
            Line::Drop(drop) => self.drops.push(drop),
            Line::Fault(fault) => self.faults.push(fault),
            Line::Note { text } => self.notes.push(text),
            Line::Error { text } => self.errors.push(text),
            Line::Exit { status, timestamp } => {
                (self.status, self.ended) = (Some(status), timestamp)
            }
            Line::Other => {}
        }
    }

    /// Writes the stream.
    pub fn write(&self, to: &mut impl Write) -> std::io::Result<()> {
        let mut put = |line: &Line| -> std::io::Result<()> {
            serde_json::to_writer(&mut *to, line)?;
            to.write_all(b"\n")
        };
        put(&Line::Dtrace { schema: SCHEMA, version: self.version.clone() })?;
        self.machines.iter().try_for_each(|m| put(&Line::Machine(m.clone())))?;
        for (name, probes) in &self.programs {
            put(&Line::Program { name: name.clone(), probes: *probes })?;
        }
        let mut snapshots = self.snapshots.iter().peekable();
        for (n, record) in self.records.iter().enumerate() {
            while let Some(snapshot) = snapshots.next_if(|s| s.after <= n) {
                put(&Line::Snapshot(snapshot.clone()))?;
            }
            put(&Line::Record(record.clone()))?;
        }
        snapshots.try_for_each(|s| put(&Line::Snapshot(s.clone())))?;
        self.drops.iter().try_for_each(|d| put(&Line::Drop(d.clone())))?;
        self.faults.iter().try_for_each(|f| put(&Line::Fault(f.clone())))?;
        self.notes.iter().try_for_each(|n| put(&Line::Note { text: n.clone() }))?;
        self.aggregations.iter().try_for_each(|a| put(&Line::Aggregation(a.clone())))?;
        self.errors.iter().try_for_each(|e| put(&Line::Error { text: e.clone() }))?;
        let exit = self.status.map(|status| Line::Exit { status, timestamp: self.ended });
        exit.iter().try_for_each(put)
    }

    /// Returns the machine that was traced; the first one of a merged stream.
    pub fn machine(&self) -> Option<&Machine> {
        self.machines.first()
    }

    /// Returns the first and the last time in the stream, in D's `timestamp`.
    pub fn span(&self) -> Option<(u64, u64)> {
        let machines = self.machines.first().map(|m| m.timestamp).into_iter();
        let records = self.records.iter().map(|r| r.timestamp);
        let snapshots = self.snapshots.iter().map(|s| s.timestamp);
        let all =
            || machines.clone().chain(records.clone()).chain(snapshots.clone()).chain(self.ended);
        Some((all().min()?, all().max()?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STREAM: &str = r#"{"type":"dtrace","schema":1,"version":"0.1.0"}
{"type":"machine","host":"web1","kernel":"7.3.1","architecture":"x86_64","cpus":4,"walltimestamp":1700000000000000000,"timestamp":1185000000}
{"type":"program","name":"BEGIN","probes":1}
{"type":"record","timestamp":1185392177,"cpu":0,"probe":{"id":1,"provider":"dtrace","module":"","function":"","name":"BEGIN"},"actions":[{"action":"trace","type":"string","value":"dtrace"},{"action":"printf","text":"42 of n","values":[{"type":"int","value":42},{"type":"uint","value":18446744073709551615}]},{"action":"print","ctype":"struct s","value":{"a":null}},{"action":"setopt","option":"quiet","value":null},{"action":"clear","aggregation":"n"},{"action":"exit","status":0}]}
{"type":"snapshot","timestamp":1185400000,"aggregations":[{"name":"n","function":"avg","entries":[{"keys":[],"value":2,"count":2,"sum":4}]}]}
{"type":"later","number":7}
{"type":"aggregation","name":"","function":"quantize","entries":[{"keys":[{"type":"string","value":"answers"},{"type":"stack","value":["vmlinux`vfs_read+0x1c"]}],"buckets":[{"low":null,"high":-1,"count":1},{"low":32,"high":63,"count":1}]}]}
{"type":"aggregation","name":"n","function":"avg","entries":[{"keys":[],"value":3,"count":3,"sum":9}]}
{"type":"aggregation","name":"s","function":"stddev","entries":[{"keys":[],"value":1,"count":2,"sum":4,"squares":"340282366920938463463374607431768211455"}]}
{"type":"aggregation","name":"l","function":"lquantize","parameters":[0,10,5],"entries":[{"keys":[],"buckets":[{"low":0,"high":4,"count":1,"raw":2}],"normal":2}]}
{"type":"exit","status":0,"timestamp":1185500000}
"#;

    #[test]
    fn a_stream_is_read_back() {
        let found = Recording::read(STREAM.as_bytes()).unwrap();
        assert_eq!(found.status, Some(0));
        let [record] = &found.records[..] else { panic!("{found:?}") };
        assert_eq!(record.probe.full_name(), "dtrace:::BEGIN");
        let [trace, printf, print, setopt, clear, exit] = &record.actions[..] else {
            panic!("{record:?}")
        };
        assert_eq!(trace.value, Some(Datum::String("dtrace".into())));
        assert_eq!(printf.values[1], Datum::Uint(u64::MAX));
        assert_eq!(exit.status, Some(0));
        assert_eq!(print.printed.as_ref().unwrap().ctype, "struct s");
        assert_eq!(setopt.option.as_deref(), Some("quiet"));
        assert_eq!((printf.said(), setopt.said()), (Some("42 of n"), None));
        let system = Action { action: "system".into(), ..printf.clone() };
        assert_eq!(system.said(), None);
        assert_eq!(clear.aggregation.as_deref(), Some("n"));
        let [quantize, avg, stddev, _] = &found.aggregations[..] else { panic!("{found:?}") };
        assert_eq!(stddev.entries[0].squares, Some(u128::MAX));
        assert_eq!(quantize.entries[0].buckets[1].high, Some(63));
        assert_eq!(avg.entries[0].value, Some(3));
        assert_eq!((found.snapshots[0].after, found.span()), (1, Some((1185000000, 1185500000))));
    }

    #[test]
    fn a_stream_is_written_as_it_was_read() {
        let mut again = Vec::new();
        Recording::read(STREAM.as_bytes()).unwrap().write(&mut again).unwrap();
        let lines = |text: &str| -> Vec<serde_json::Value> {
            text.lines().map(|l| serde_json::from_str(l).unwrap()).collect()
        };
        let mut known = lines(STREAM);
        known.retain(|l| l["type"] != "later");
        assert_eq!(lines(&String::from_utf8(again).unwrap()), known);
    }

    #[test]
    fn states_are_those_of_snapshots_and_of_the_end() {
        let found = Recording::read(STREAM.as_bytes()).unwrap();
        let avg = found.aggregations.iter().find(|a| a.name == "n").unwrap();
        let states: Vec<_> = found.states(avg).iter().map(|s| (s.timestamp, s.is_fresh)).collect();
        assert_eq!(states, [(1185400000, true), (1185500000, false)]);
    }

    /// Names that were cut within different characters have the same text.
    #[test]
    fn entries_with_the_same_text_are_one() {
        let name = r#"[{"type":"string","value":"caf\ufffd"}]"#;
        let entries = |a: u32, b: u32| {
            let entries = [a, b].map(|n| format!(r#"{{"keys":{name},"value":{n}}}"#)).join(",");
            format!(r#"{{"name":"n","function":"count","entries":[{entries}]}}"#)
        };
        let of_type = |ty: &str, of: String| of.replacen('{', &format!(r#"{{"type":"{ty}","#), 1);
        let lines = [
            r#"{"type":"dtrace","schema":1,"version":"0.1.0"}"#.into(),
            format!(r#"{{"type":"snapshot","timestamp":1,"aggregations":[{}]}}"#, entries(5, 3)),
            format!(
                r#"{{"type":"record","timestamp":2,"cpu":0,"probe":{{"id":1,"provider":"p","module":"","function":"","name":"n"}},"actions":[{{"action":"printa","aggregations":[{}]}}]}}"#,
                entries(6, 3)
            ),
            of_type("aggregation", entries(6, 4)),
        ];
        let found = Recording::read(lines.join("\n").as_bytes()).unwrap();
        let added = found.increments(&found.aggregations[0]).into_iter();
        let added: Vec<Vec<i64>> =
            added.map(|(_, _, all)| all.iter().map(|e| e.value.unwrap()).collect()).collect();
        assert_eq!(added, [[8], [1], [1]]);
    }

    #[test]
    fn what_is_no_stream_is_refused() {
        let refused = |text: &str| Recording::read(text.as_bytes()).unwrap_err().to_string();
        assert!(refused("").contains("not a stream of dtrace"));
        assert!(refused("CPU ID\n").contains("not a stream of dtrace"));
        assert!(
            refused("{\"type\":\"dtrace\",\"schema\":9,\"version\":\"9\"}\n").contains("schema 9")
        );
        assert!(refused(&STREAM.replace("\"probes\":1", "\"probes\":")).contains("line 3"));
    }
}
