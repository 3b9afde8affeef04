// SPDX-License-Identifier: GPL-2.0
//! The forms in which a session writes: columns for a reader, or a stream of JSON.

use super::json::Line;
use super::report::{Effect, Report, Reporter};
use crate::aggregate::Store;
use crate::consume::Record;
use crate::status::Drops;
use d::Program;
use std::fmt::Debug;

/// The two outputs of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stream {
    /// Traced data.
    Data,
    /// Messages.
    Messages,
}

/// The programs of a session and what they have aggregated.
#[derive(Clone, Copy)]
pub struct Aggregated<'a> {
    /// The programs.
    pub programs: &'a [Program],
    /// The aggregations.
    pub store: &'a Store,
    /// How to print them.
    pub reporter: &'a Reporter,
}

/// A form. Each function appends to `out`.
pub trait Form: Debug {
    /// Writes a record; `effect` gets what it asks for besides text.
    fn record(
        &self,
        reporter: &mut Reporter,
        out: &mut Vec<u8>,
        record: &Record<'_>,
        programs: &[Program],
        store: &mut Store,
        effect: &mut dyn FnMut(&mut Vec<u8>, Effect),
    ) -> Report;

    /// Writes something that is not traced data, and says which output it belongs to.
    fn news(&self, out: &mut Vec<u8>, news: &Line<'_>) -> Stream;

    /// Writes a message about losses, with its tag if `droptags`.
    fn drops(&self, out: &mut Vec<u8>, drops: &Drops, droptags: bool) -> Stream;

    /// Tells whether the form shows all aggregations from time to time (`-x snaprate`).
    fn has_snapshots(&self) -> bool;

    /// Writes the aggregations at this time, in ns, if the form shows them.
    fn snapshot(&self, out: &mut Vec<u8>, timestamp: u64, all: Aggregated<'_>);

    /// Writes the aggregations that nothing has printed, at the end.
    fn rest(&self, out: &mut Vec<u8>, all: Aggregated<'_>);

    /// Tells whether the data are a stream that output of commands must not interrupt.
    fn is_stream(&self) -> bool;
}

/// Columns for a reader.
#[derive(Debug)]
pub struct Text;

impl Form for Text {
    fn record(
        &self,
        reporter: &mut Reporter,
        out: &mut Vec<u8>,
        record: &Record<'_>,
        programs: &[Program],
        store: &mut Store,
        effect: &mut dyn FnMut(&mut Vec<u8>, Effect),
    ) -> Report {
        reporter.record(out, record, programs, store, effect)
    }

    fn news(&self, out: &mut Vec<u8>, news: &Line<'_>) -> Stream {
        super::put!(out, "dtrace: {}\n", plaintext::clean_lines(news.text()));
        Stream::Messages
    }

    fn drops(&self, out: &mut Vec<u8>, drops: &Drops, droptags: bool) -> Stream {
        self.news(out, &Line::Note { text: &drops.line(droptags) })
    }

    fn has_snapshots(&self) -> bool {
        false
    }

    fn snapshot(&self, _: &mut Vec<u8>, _: u64, _: Aggregated<'_>) {}

    /// Writes them as at the end of a program without printa().
    fn rest(&self, out: &mut Vec<u8>, Aggregated { store, reporter, .. }: Aggregated<'_>) {
        out.push(b'\n');
        for variable in store.unprinted() {
            reporter.rows(out, &store.rows(&[variable], reporter.sort));
        }
    }

    fn is_stream(&self) -> bool {
        false
    }
}

/// A JSON object on each line.
#[derive(Debug)]
pub struct Json;

impl Form for Json {
    fn record(
        &self,
        reporter: &mut Reporter,
        out: &mut Vec<u8>,
        record: &Record<'_>,
        programs: &[Program],
        store: &mut Store,
        effect: &mut dyn FnMut(&mut Vec<u8>, Effect),
    ) -> Report {
        reporter.line(out, record, programs, store, effect)
    }

    fn news(&self, out: &mut Vec<u8>, news: &Line<'_>) -> Stream {
        news.write(out);
        Stream::Data
    }

    fn drops(&self, out: &mut Vec<u8>, drops: &Drops, _: bool) -> Stream {
        self.news(out, &drops.into())
    }

    fn has_snapshots(&self) -> bool {
        true
    }

    fn snapshot(&self, out: &mut Vec<u8>, timestamp: u64, all: Aggregated<'_>) {
        let Aggregated { programs, store, reporter } = all;
        let one = |n| reporter.aggregation(programs, store, n);
        let aggregations = store.filled().into_iter().filter_map(one).collect();
        Line::Snapshot { timestamp, aggregations }.write(out);
    }

    fn rest(&self, out: &mut Vec<u8>, Aggregated { programs, store, reporter }: Aggregated<'_>) {
        for number in store.unprinted() {
            let found = reporter.aggregation(programs, store, number);
            found.into_iter().for_each(|a| Line::Aggregation(a).write(out));
        }
    }

    fn is_stream(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_harmless() {
        let mut out = Vec::new();
        Text.news(&mut out, &Line::Note { text: "2 left out:\n  a\u{1b}[2J:f" });
        assert_eq!(String::from_utf8_lossy(&out), "dtrace: 2 left out:\n  a\u{fffd}[2J:f\n");
    }
}
