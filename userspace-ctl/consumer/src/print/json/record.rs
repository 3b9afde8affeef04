// SPDX-License-Identifier: GPL-2.0
//! Prints a record as a line: its actions, each with its values as well as its text.

use super::super::report::{Data, Effect, Field, Planned, Report, Reporter};
use super::{text, typed::Typed, Action, Aggregation, Body, Datum, Line, Probe, Thread};
use crate::aggregate::Store;
use crate::consume::Record;
use crate::datum::is_unsigned;
use abi::record::RecordHeader;
use d::format::{Format, Piece, Value};
use d::{Program, StatementKind};
use std::os::unix::ffi::OsStrExt;
use zerocopy::FromBytes;

impl Reporter {
    /// Prints a record as a line of JSON.
    pub fn line(
        &mut self,
        out: &mut Vec<u8>,
        record: &Record<'_>,
        programs: &[Program],
        store: &mut Store,
        effect: &mut dyn FnMut(&mut Vec<u8>, Effect),
    ) -> Report {
        let mut report = Report::Printed;
        let plan = self.plan(record, programs);
        let (mut actions, mut effects) = (Vec::new(), Vec::new());
        let mut thread = None;
        for planned in &plan.statements {
            let data = planned.data(record.bytes);
            if planned.statement(programs).is_some_and(|s| s.kind == StatementKind::Thread) {
                thread = Thread::of(data);
                continue;
            }
            let mut said = Vec::new();
            let seen = effects.len();
            let mut ask = |_: &mut Vec<u8>, effect| effects.push(effect);
            let done = self.planned(&mut said, planned, data, programs, store, &mut ask);
            if let Some(status) = done {
                report = Report::Exit(status);
            }
            if let Some(Effect::System(line) | Effect::Freopen(line)) = effects.get(seen) {
                said.extend_from_slice(line.as_bytes());
            }
            self.actions(&mut actions, planned, data, &said, (programs, store));
        }
        let timestamp = RecordHeader::read_from_prefix(record.bytes).map(|(h, _)| h.timestamp());
        let (timestamp, probe) = (timestamp.unwrap_or(0), Probe::from(&*record.enabled));
        Line::Record { timestamp, cpu: record.cpu, thread, probe, actions }.write(out);
        for wish in effects {
            // The stream must stay whole and in its place.
            if !matches!(wish, Effect::Freopen(_) | Effect::Ftruncate) {
                effect(out, wish);
            }
        }
        report
    }

    /// Appends what a statement has recorded; `said` is the statement's text.
    fn actions<'p>(
        &self,
        actions: &mut Vec<Action<'p>>,
        planned: &Planned,
        data: Data<'_>,
        said: &[u8],
        (programs, store): (&'p [Program], &Store),
    ) {
        let datum = |f: &Field, is_unsigned| {
            Datum::new(f.action, data.bytes(f), f.ty, is_unsigned, &self.symbols)
        };
        let all = |is_unsigned: &dyn Fn(usize) -> bool| -> Vec<Datum> {
            let fields = data.fields.iter().enumerate();
            fields.map(|(n, f)| datum(f, is_unsigned(n))).collect()
        };
        let name = |n: u32| Aggregation::of(programs, n).map_or("", |a| a.name.as_str());
        let changed = |n, by| Body::Changed { aggregation: name(n), by };
        let mut push = |action, body| actions.push(Action { action, body });
        match planned.statement(programs).map(|s| &s.kind) {
            Some(StatementKind::Expr | StatementKind::Thread) => {}
            Some(StatementKind::Trace(ty)) => {
                for f in data.fields {
                    push(f.action.name(), Body::Value(datum(f, is_unsigned(*ty))));
                }
            }
            Some(StatementKind::Tracemem(_)) => {
                push("tracemem", Body::Value(Datum::hex(data.meant())));
            }
            Some(StatementKind::Print(shown)) => {
                let bytes = data.first().unwrap_or_default().to_vec();
                let value = Typed { shape: &shown.shape, bytes: bytes.into() };
                push("print", Body::Printed { ctype: &shown.ty, value });
            }
            Some(StatementKind::Printf(format)) => {
                let values = all(&|n| is_shown_unsigned(format, n));
                push("printf", Body::Formatted { text: text(said), values });
            }
            Some(StatementKind::Printa { format, aggregations }) => {
                let one = |n: &u32| self.aggregation(programs, store, *n);
                let body = Body::Aggregations {
                    text: format.is_some().then(|| text(said)),
                    aggregations: aggregations.iter().filter_map(one).collect(),
                };
                push("printa", body);
            }
            Some(StatementKind::Exit) => {
                push("exit", Body::Exit { status: data.int(0).unwrap_or(0) as i32 });
            }
            Some(StatementKind::System(_)) => push("system", Body::Text { text: text(said) }),
            Some(StatementKind::Freopen(_)) => push("freopen", Body::Text { text: text(said) }),
            Some(StatementKind::Ftruncate) => push("ftruncate", Body::Bare {}),
            Some(StatementKind::Setopt) => {
                let body = Body::Option { option: data.text(0), value: data.text(1) };
                push("setopt", body);
            }
            Some(StatementKind::Clear(n)) => push("clear", changed(*n, None)),
            Some(StatementKind::Normalize(n)) => push("normalize", changed(*n, data.int(1))),
            Some(StatementKind::Denormalize(n)) => push("denormalize", changed(*n, None)),
            Some(StatementKind::Trunc { aggregation, .. }) => {
                push("trunc", changed(*aggregation, data.int(1)));
            }
            None => all(&|_| false).into_iter().for_each(|v| push("trace", Body::Value(v))),
        }
    }

    /// Returns the current state of an aggregation.
    pub fn aggregation<'p>(
        &self,
        programs: &'p [Program],
        store: &Store,
        number: u32,
    ) -> Option<Aggregation<'p>> {
        let rows = store.rows(&[number], self.sort);
        Some(Aggregation::new(Aggregation::of(programs, number)?, &rows, &self.symbols))
    }
}

impl Thread {
    fn of(data: Data<'_>) -> Option<Self> {
        let number = |n| u32::try_from(data.int(n)?).ok();
        Some(Self { pid: number(0)?, tid: number(1)?, execname: data.text(2)? })
    }
}

/// Tells whether a format shows this value as an unsigned number.
fn is_shown_unsigned(format: &Format, n: usize) -> bool {
    let letter = format.pieces.iter().find_map(|piece| match piece {
        Piece::Conversion(c) if c.value == Value::Arg(n) => Some(c.letter),
        _ => None,
    });
    letter.is_some_and(|l| "uxXopaA".contains(l))
}
