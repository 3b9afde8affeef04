// SPDX-License-Identifier: GPL-2.0
//! Prints a record as a line: its actions, each with its values as well as its text.

use super::super::report::{Data, Effect, Field, Planned, Progress, Reporter};
use super::{put, text, typed::Typed, Action, Aggregation, Body, Datum, Entries, Formatted};
use super::{Line, Probe, Thread};
use crate::aggregate::Store;
use crate::consume::Record;
use crate::datum::is_unsigned;
use crate::print::Out;
use abi::record::RecordHeader;
use d::format::{Format, Piece, Value};
use d::{Program, StatementKind};
use std::os::unix::ffi::OsStrExt;
use zerocopy::FromBytes;

impl Reporter {
    /// Prints a record as a line of JSON.
    pub fn line(
        &mut self,
        out: &mut Out<'_>,
        record: &Record<'_>,
        programs: &[Program],
        store: &mut Store,
        progress: &mut Progress,
    ) {
        progress.next = None;
        let plan = self.plan(record, programs);
        let is_thread = |planned: &&Planned| {
            planned.statement(programs).is_some_and(|s| s.kind == StatementKind::Thread)
        };
        let thread = plan.statements.iter().find(is_thread);
        let thread = thread.and_then(|planned| Thread::of(planned.data(record.bytes)));
        let timestamp = RecordHeader::read_from_prefix(record.bytes).map(|(h, _)| h.timestamp());
        let (timestamp, probe) = (timestamp.unwrap_or(0), Probe::from(&*record.enabled));
        let actions = Vec::new();
        let head = Line::Record { timestamp, cpu: record.cpu, thread, probe, actions };
        // The actions follow one by one: all together may be larger than the memory.
        put(&mut **out, &head);
        let without_end = out.len() - END.len();
        out.truncate(without_end);
        let mut actions = Actions { out, has_some: false };
        for planned in plan.statements.iter().filter(|planned| !is_thread(planned)) {
            let data = planned.data(record.bytes);
            if let Some((_, aggregations)) = planned.printa(programs) {
                aggregations.iter().for_each(|&a| store.mark_printed(a));
            }
            let mut said = Vec::new();
            let seen = progress.effects.len();
            self.planned(&mut said, planned, data, programs, store, progress);
            let asked = progress.effects.get(seen);
            if let Some(Effect::System(line) | Effect::Freopen(line)) = asked {
                said.extend_from_slice(line.as_bytes());
            }
            self.actions(&mut actions, planned, data, &said, (programs, store));
        }
        out.extend_from_slice(END);
        out.push(b'\n');
        // The stream must stay whole and in its place.
        let is_kept = |wish: &Effect| !matches!(wish, Effect::Freopen(_) | Effect::Ftruncate);
        progress.effects.retain(is_kept);
    }

    /// Writes what a statement has recorded; `said` is the statement's text.
    fn actions(
        &self,
        actions: &mut Actions<'_, '_>,
        planned: &Planned,
        data: Data<'_>,
        said: &[u8],
        (programs, store): (&[Program], &Store),
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
        let mut push = |action, body| actions.push(&Action { action, body });
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
                    text: format.as_ref().map(|format| Formatted {
                        reporter: self,
                        store,
                        format,
                        aggregations,
                    }),
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
    pub fn aggregation<'a>(
        &'a self,
        programs: &'a [Program],
        store: &'a Store,
        number: u32,
    ) -> Option<Aggregation<'a>> {
        let entries = Entries { reporter: self, store, number };
        Some(Aggregation::new(Aggregation::of(programs, number)?, entries))
    }
}

/// The end of a record after its actions.
const END: &[u8] = b"]}";

/// The actions of a record that is being written.
struct Actions<'o, 'a> {
    out: &'o mut Out<'a>,
    has_some: bool,
}

impl Actions<'_, '_> {
    fn push(&mut self, action: &Action<'_>) {
        if std::mem::replace(&mut self.has_some, true) {
            self.out.push(b',');
        }
        put(self.out, action);
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
