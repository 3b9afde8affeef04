// SPDX-License-Identifier: GPL-2.0
//! A recording: the stream of `-x oformat=json` (`docs/json.md`), read back. Each view of a program draws a
//! recording, whether the program runs now or ran last week on another machine.

#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod line;
mod value;

pub use line::{Action, Aggregation, Bucket, Drop, Entry, Fault, Line, Probe, Record};
pub use value::{Datum, Frame};

use std::io::BufRead;

/// The schema that this crate reads.
pub const SCHEMA: u32 = 1;

/// All that a stream says.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Recording {
    /// Programs, each with the number of probes that it matched.
    pub programs: Vec<(String, u64)>,
    /// Clauses that ran, in order of time.
    pub records: Vec<Record>,
    /// Aggregations at the end, which the programs did not print.
    pub aggregations: Vec<Aggregation>,
    /// What was lost.
    pub drops: Vec<Drop>,
    /// What ended clauses.
    pub faults: Vec<Fault>,
    /// Other news.
    pub notes: Vec<String>,
    /// What ended the run.
    pub errors: Vec<String>,
    /// The command's status; none if the stream is incomplete.
    pub status: Option<i32>,
}

/// Why a stream cannot be read.
#[derive(Debug)]
pub enum Error {
    /// The file could not be read.
    Io(std::io::Error),
    /// Line (from 1) is no JSON of this schema.
    Line(usize, String),
    /// The first line is not that of a stream of dtrace.
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

impl Recording {
    /// Reads a stream to its end. Lines of unknown types are skipped.
    pub fn read(from: impl BufRead) -> Result<Self, Error> {
        let mut found = Self::default();
        let mut is_first = true;
        for (n, text) in from.lines().enumerate() {
            let text = text.map_err(Error::Io)?;
            match serde_json::from_str(&text) {
                Ok(Line::Dtrace { schema, .. }) if is_first => match schema {
                    1..=SCHEMA => {}
                    later => return Err(Error::Schema(later)),
                },
                _ if is_first => return Err(Error::NotDtrace),
                Ok(line) => found.add(line),
                Err(e) => return Err(Error::Line(n + 1, e.to_string())),
            }
            is_first = false;
        }
        match is_first {
            true => Err(Error::NotDtrace),
            false => Ok(found),
        }
    }

    /// Adds what a line says.
    pub fn add(&mut self, line: Line) {
        match line {
            Line::Program { name, probes } => self.programs.push((name, probes)),
            Line::Record(record) => self.records.push(record),
            Line::Aggregation(aggregation) => self.aggregations.push(aggregation),
            Line::Drop(drop) => self.drops.push(drop),
            Line::Fault(fault) => self.faults.push(fault),
            Line::Note { text } => self.notes.push(text),
            Line::Error { text } => self.errors.push(text),
            Line::Exit { status } => self.status = Some(status),
            Line::Dtrace { .. } | Line::Other => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STREAM: &str = r#"{"type":"dtrace","schema":1,"version":"0.1.0"}
{"type":"program","name":"BEGIN","probes":1}
{"type":"record","timestamp":1185392177,"cpu":0,"probe":{"id":1,"provider":"dtrace","module":"","function":"","name":"BEGIN"},"actions":[{"action":"trace","type":"string","value":"dtrace"},{"action":"printf","text":"42 of n","values":[{"type":"int","value":42},{"type":"uint","value":18446744073709551615}]},{"action":"exit","status":0}]}
{"type":"later","number":7}
{"type":"aggregation","name":"","function":"quantize","entries":[{"keys":[{"type":"string","value":"answers"},{"type":"stack","value":["vmlinux`vfs_read+0x1c"]}],"buckets":[{"low":null,"high":-1,"count":1},{"low":32,"high":63,"count":1}]}]}
{"type":"aggregation","name":"n","function":"avg","entries":[{"keys":[],"value":3}]}
{"type":"exit","status":0}
"#;

    #[test]
    fn a_stream_is_read_back() {
        let found = Recording::read(STREAM.as_bytes()).unwrap();
        assert_eq!(found.status, Some(0));
        let [record] = &found.records[..] else { panic!("{found:?}") };
        assert_eq!(record.probe.full_name(), "dtrace:::BEGIN");
        let [trace, printf, exit] = &record.actions[..] else { panic!("{record:?}") };
        assert_eq!(trace.value, Some(Datum::String("dtrace".into())));
        assert_eq!(printf.values[1], Datum::Uint(u64::MAX));
        assert_eq!(exit.status, Some(0));
        let [quantize, avg] = &found.aggregations[..] else { panic!("{found:?}") };
        assert_eq!(quantize.entries[0].buckets[1].high, Some(63));
        assert_eq!(avg.entries[0].value, Some(3));
    }

    #[test]
    fn what_is_no_stream_is_refused() {
        let refused = |text: &str| Recording::read(text.as_bytes()).unwrap_err().to_string();
        assert!(refused("").contains("not a stream of dtrace"));
        assert!(refused("CPU ID\n").contains("not a stream of dtrace"));
        assert!(
            refused("{\"type\":\"dtrace\",\"schema\":9,\"version\":\"9\"}\n").contains("schema 9")
        );
        assert!(refused(&STREAM.replace("\"probes\":1", "\"probes\":")).contains("line 2"));
    }
}
