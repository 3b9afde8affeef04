// SPDX-License-Identifier: GPL-2.0
//! The forms in which a session writes: columns for a reader, or a stream of JSON.

use super::json::Line;
use super::report::{Progress, Reporter};
use super::Out;
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
    /// Writes a record, or a part of it: `progress` says how far, and gets what the record asks for
    /// besides text.
    fn record(
        &self,
        reporter: &mut Reporter,
        out: &mut Out<'_>,
        record: &Record<'_>,
        programs: &[Program],
        store: &mut Store,
        progress: &mut Progress,
    );

    /// Writes something that is not traced data, and says which output it belongs to.
    fn news(&self, out: &mut Vec<u8>, news: &Line<'_>) -> Stream;

    /// Writes a message about losses, with its tag if `droptags`.
    fn drops(&self, out: &mut Vec<u8>, drops: &Drops, droptags: bool) -> Stream;

    /// Tells whether the form shows all aggregations from time to time (`-x snaprate`).
    fn has_snapshots(&self) -> bool;

    /// Writes the aggregations at this time, in ns, if the form shows them.
    fn snapshot(&self, out: &mut Out<'_>, timestamp: u64, all: Aggregated<'_>);

    /// Writes the aggregations that nothing has printed, at the end.
    fn rest(&self, out: &mut Out<'_>, all: Aggregated<'_>);

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
        out: &mut Out<'_>,
        record: &Record<'_>,
        programs: &[Program],
        store: &mut Store,
        progress: &mut Progress,
    ) {
        reporter.record(out, record, programs, store, progress);
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

    fn snapshot(&self, _: &mut Out<'_>, _: u64, _: Aggregated<'_>) {}

    /// Writes them as at the end of a program without printa().
    fn rest(&self, out: &mut Out<'_>, Aggregated { store, reporter, .. }: Aggregated<'_>) {
        out.push(b'\n');
        for variable in store.unprinted() {
            reporter.rows(out, &reporter.shown(store, &[variable]));
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
        out: &mut Out<'_>,
        record: &Record<'_>,
        programs: &[Program],
        store: &mut Store,
        progress: &mut Progress,
    ) {
        reporter.line(out, record, programs, store, progress);
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

    fn snapshot(&self, out: &mut Out<'_>, timestamp: u64, all: Aggregated<'_>) {
        let Aggregated { programs, store, reporter } = all;
        let one = |n| reporter.aggregation(programs, store, n);
        let aggregations = store.filled().into_iter().filter_map(one).collect();
        Line::Snapshot { timestamp, aggregations }.write(out);
    }

    fn rest(&self, out: &mut Out<'_>, Aggregated { programs, store, reporter }: Aggregated<'_>) {
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
    use super::super::bars::Encoding;
    use super::super::written;
    use super::*;
    use crate::aggregate::{Key, Value};
    use crate::consume::EnabledProbe;
    use crate::symbol::Symbols;
    use abi::action::ActionKind;
    use abi::aggregation::AggFunc;
    use abi::difo::DifType;
    use abi::ids::{Epid, ProbeId};
    use abi::option::Options;
    use abi::record::RecDesc;
    use d::format::{Conversion, Format, Piece, Value as Shown};
    use d::{Statement, StatementKind};
    use std::rc::Rc;

    /// A program chooses the names of its functions, so a key of a few bytes has a text of half a
    /// megabyte, and all keys together have one of gigabytes.
    #[test]
    fn long_text_goes_out_in_pieces() {
        const ROWS: u64 = 4;
        let (at, long) = (0xffff_ffff_8100_0000_u64, "f".repeat(60_000));
        let symbols = Symbols::fixed(vec![(at, format!("vmlinux`{long}"))]);
        let mut reporter = Reporter::new(&Options::default(), Encoding::Ascii, symbols);
        let ty = DifType::default();
        let key = |n: u64| {
            let bytes = (at + 16 + n).to_le_bytes().repeat(8);
            vec![Key { bytes, ty, is_unsigned: true, action: ActionKind::Stack }]
        };
        let count = Value { func: AggFunc::Count, words: vec![1], normal: 1, is_cleared: false };
        let conversion = Conversion {
            left: false,
            plus: false,
            space: false,
            alternate: false,
            zero: false,
            group: false,
            aggregation: false,
            width: None,
            precision: None,
            length: String::new(),
            letter: 'k',
            value: Shown::Arg(0),
            text: "%k".into(),
        };
        let pieces = vec![Piece::Conversion(conversion)];
        let printa = |format| StatementKind::Printa { format, aggregations: vec![1] };
        let statements = [printa(None), printa(Some(Format { pieces }))];
        let number = |(n, kind)| Statement { number: n as u64 + 1, kind };
        let programs = [Program {
            first_statement: 1,
            statements: statements.into_iter().enumerate().map(number).collect(),
            aggregations: vec![d::Aggregation {
                number: 1,
                name: "a".into(),
                func: AggFunc::Count,
                keys: Vec::new(),
                key_names: Vec::new(),
            }],
            ..Program::default()
        }];
        let rec = |uarg| RecDesc { uarg, size: 8, offset: 16, ..RecDesc::default() };
        let parts = ["p", "m", "f", "n"].map(String::from);
        let (epid, probe, recs) = (Epid(1), ProbeId(1), vec![rec(1), rec(2)]);
        let enabled = Rc::new(EnabledProbe { epid, probe, parts, uarg: 1, size: 24, recs });
        let bytes = &[0; 24];
        let record = Record { cpu: 0, enabled, is_followed_by_same_firing: false, bytes };
        let table = ROWS as usize * 8 * long.len();
        for form in [&Text as &dyn Form, &Json] {
            let mut store = Store::fixed((0..ROWS).map(|n| (key(n), count.clone())));
            let all = Aggregated { programs: &programs, store: &store, reporter: &reporter };
            let rest = written(|out| form.rest(out, all));
            let snapshot = written(|out| form.snapshot(out, 1, all));
            let printed = written(|out| {
                let (store, progress) = (&mut store, &mut Progress::default());
                form.record(&mut reporter, out, &record, &programs, store, progress);
            });
            for ((text, longest), tables) in
                [(rest, 1), (snapshot, usize::from(form.has_snapshots())), (printed, 2)]
            {
                assert!(text.len() >= tables * table, "{form:?} {tables}: {}", text.len());
                assert!(longest < 1 << 20, "{form:?} {tables}: {longest}");
                if form.is_stream() {
                    let line: serde_json::Value = serde_json::from_slice(&text).unwrap();
                    assert!(line["type"].is_string());
                }
            }
        }
    }

    #[test]
    fn messages_are_harmless() {
        let mut out = Vec::new();
        Text.news(&mut out, &Line::Note { text: "2 left out:\n  a\u{1b}[2J:f" });
        assert_eq!(String::from_utf8_lossy(&out), "dtrace: 2 left out:\n  a\u{fffd}[2J:f\n");
    }
}
