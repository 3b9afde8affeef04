// SPDX-License-Identifier: GPL-2.0
//! A record as lines: the columns in front, then what its statements say.

use super::printf::{self, Data, Datum};
use super::value::{self, Style, TRACE_WIDTH};
use super::{aggregation, put, stack, typed};
use crate::aggregate::{datum, Row, Sort, Store};
use crate::consume::Record;
use crate::symbol::Symbols;
use abi::action::ActionKind;
use abi::option::{OptionId, Options};
use abi::record::RecDesc;
use d::{option, Program, StatementKind};
use std::collections::HashMap;

/// What came of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Report {
    /// It is printed.
    Printed,
    /// It is printed, and the program said exit().
    Exit(i32),
}

/// What a record asks for beside text; the text before it has to be out first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// `system()`: a command line.
    System(String),
    /// `freopen()`: where output goes from here on; empty: back.
    Freopen(String),
    /// `ftruncate()`: the file that output goes to is empty again.
    Ftruncate,
    /// `setopt()`: an option has this value from here on, or why it has not.
    Setopt(Result<(OptionId, u64), String>),
}

/// What printing remembers between records.
#[derive(Debug)]
pub struct Reporter {
    options: Options,
    is_quiet: bool,
    is_raw: bool,
    is_flow: bool,
    zoom: bool,
    sort: Sort,
    has_heading: bool,
    flow: HashMap<u32, Flow>,
    indent: usize,
    symbols: Symbols,
}

/// Where a CPU is in its calls (`-F`).
#[derive(Debug, Default)]
struct Flow {
    indent: usize,
    last_probe: u32,
}

impl Reporter {
    /// By the options in force.
    pub fn new(options: &Options, symbols: Symbols) -> Self {
        let mut this = Self {
            options: options.clone(),
            is_quiet: false,
            is_raw: false,
            is_flow: false,
            zoom: false,
            sort: Sort::new(options),
            has_heading: false,
            flow: HashMap::new(),
            indent: 0,
            symbols,
        };
        this.read_options();
        this
    }

    fn read_options(&mut self) {
        let options = &self.options;
        let flag = |id| options.get(id) == 1;
        self.is_quiet = flag(OptionId::Quiet);
        self.is_raw = flag(OptionId::Rawbytes);
        self.is_flow = flag(OptionId::Flowindent);
        self.zoom = flag(OptionId::Aggzoom);
        self.sort = Sort::new(options);
        self.indent = usize::try_from(options.get(OptionId::Stackindent)).unwrap_or(0);
    }

    /// Sets an option as a program wants it, from here on.
    fn set_option(&mut self, texts: &[Datum<'_>]) -> Result<(OptionId, u64), String> {
        let text = |d: &Datum<'_>| {
            let end = d.bytes.iter().position(|b| *b == 0).unwrap_or(d.bytes.len());
            String::from_utf8_lossy(d.bytes.get(..end).unwrap_or_default()).into_owned()
        };
        let name = texts.first().map(text).unwrap_or_default();
        let value = texts.get(1).map(text);
        let said = match &value {
            Some(value) => format!("setopt(\"{name}\", \"{value}\")"),
            None => format!("setopt(\"{name}\")"),
        };
        let id = option::by_name(&name).ok_or_else(|| match option::nearest(&name) {
            Some(near) => format!("{said}: no such option; did you mean {near}?"),
            None => format!("{said}: no such option"),
        })?;
        if !id.is_dynamic() {
            return Err(format!("{said}: it cannot change while tracing goes on; use -x {name}"));
        }
        let value = option::value(id, value.as_deref()).map_err(|why| format!("{said}: {why}"))?;
        self.options.set(id, value);
        self.read_options();
        Ok((id, value))
    }

    /// Prints a record.
    pub fn record(
        &mut self,
        out: &mut Vec<u8>,
        record: &Record,
        programs: &[Program],
        store: &mut Store,
        effect: &mut dyn FnMut(&mut Vec<u8>, Effect),
    ) -> Report {
        let mut report = Report::Printed;
        self.columns(out, record);
        let recs = record.enabled.recs.as_slice();
        for group in recs.chunk_by(|a, b| a.uarg == b.uarg) {
            let number = group.first().map_or(0, |r| r.uarg);
            let kind = programs.iter().find_map(|p| p.statement(number)).map(|s| &s.kind);
            let data: Vec<Datum> = group.iter().filter_map(|r| datum_of(record, r)).collect();
            match kind {
                Some(kind) => {
                    if let Some(status) = self.statement(out, kind, &data, store, effect) {
                        report = Report::Exit(status);
                    }
                }
                None => data.iter().for_each(|d| self.trace(out, *d, false)),
            }
        }
        if !self.is_quiet {
            out.push(b'\n');
        }
        report
    }

    /// Prints one statement's data; gives the status of exit().
    fn statement(
        &mut self,
        out: &mut Vec<u8>,
        kind: &StatementKind,
        data: &[Datum<'_>],
        store: &mut Store,
        effect: &mut dyn FnMut(&mut Vec<u8>, Effect),
    ) -> Option<i32> {
        let int = |i: usize| data.get(i).and_then(|d| value::signed(d.bytes));
        match kind {
            StatementKind::Expr => {}
            StatementKind::Trace(ty) => {
                data.iter().for_each(|d| self.trace(out, *d, value::is_unsigned(*ty)));
            }
            StatementKind::Tracemem(_) => {
                let bytes = data.first()?.bytes;
                let some = int(1).map(|n| usize::try_from(n).unwrap_or(0));
                let len = some.map_or(bytes.len(), |n| n.min(bytes.len()));
                value::dump(out, bytes.get(..len).unwrap_or_default());
            }
            StatementKind::Print(shown) => {
                data.iter().for_each(|d| typed::value(out, shown, d.bytes));
            }
            StatementKind::Printf(format) => {
                let data =
                    Data { args: data, aggregations: &[], zoom: self.zoom, indent: self.indent };
                printf::format(out, format, data, &self.symbols);
            }
            StatementKind::System(format) | StatementKind::Freopen(format) => {
                let mut text = Vec::new();
                let (zoom, indent) = (self.zoom, self.indent);
                let data = Data { args: data, aggregations: &[], zoom, indent };
                printf::format(&mut text, format, data, &self.symbols);
                let text = String::from_utf8_lossy(&text).into_owned();
                effect(
                    out,
                    match kind {
                        StatementKind::System(_) => Effect::System(text),
                        _ => Effect::Freopen(text),
                    },
                );
            }
            StatementKind::Ftruncate => effect(out, Effect::Ftruncate),
            StatementKind::Setopt => {
                let set = self.set_option(data);
                effect(out, Effect::Setopt(set));
            }
            StatementKind::Printa { format, aggregations } => {
                let rows = store.rows(aggregations, self.sort);
                aggregations.iter().for_each(|&a| store.mark_printed(a));
                match format {
                    None => {
                        out.push(b'\n');
                        self.rows(out, &rows);
                    }
                    Some(format) => rows.iter().for_each(|row| {
                        let keys: Vec<Datum> = row.keys.iter().map(Datum::from).collect();
                        let aggregations = &row.values;
                        let (zoom, indent) = (self.zoom, self.indent);
                        let data = Data { args: &keys, aggregations, zoom, indent };
                        printf::format(out, format, data, &self.symbols);
                    }),
                }
            }
            StatementKind::Exit => return Some(int(0).unwrap_or(0) as i32),
            StatementKind::Clear(a) => store.clear(*a),
            StatementKind::Normalize(a) => store.normalize(*a, int(1).unwrap_or(1)),
            StatementKind::Denormalize(a) => store.denormalize(*a),
            StatementKind::Trunc { aggregation, has_count } => {
                let keep = if *has_count { int(1).unwrap_or(0) } else { 0 };
                store.truncate(*aggregation, keep);
            }
        }
        None
    }

    fn trace(&self, out: &mut Vec<u8>, d: Datum<'_>, is_unsigned: bool) {
        let (is_quiet, is_raw) = (self.is_quiet, self.is_raw);
        if stack::is_stack(d.action) {
            return stack::stack(out, d.action, d.bytes, self.indent, &self.symbols);
        }
        if stack::is_symbol(d.action) {
            return stack::symbol(out, &self.symbols.recorded(d.action, d.bytes));
        }
        let style = Style { is_quiet, is_raw, width: TRACE_WIDTH, is_unsigned };
        value::datum(out, d.bytes, d.ty, style);
    }

    /// Rows of an aggregation without a format.
    pub fn rows(&self, out: &mut Vec<u8>, rows: &[Row]) {
        let Self { zoom, is_raw, indent, symbols, .. } = self;
        let look = aggregation::Look { zoom: *zoom, is_raw: *is_raw, indent: *indent, symbols };
        aggregation::rows(out, rows, look);
    }

    /// CPU, probe id and name; with `-F` CPU and name, indented by calls.
    fn columns(&mut self, out: &mut Vec<u8>, record: &Record) {
        if self.is_flow {
            return self.flow(out, record);
        }
        if self.is_quiet {
            return;
        }
        if !std::mem::replace(&mut self.has_heading, true) {
            put!(out, "{:>3} {:>6} {:>32}\n", "CPU", "ID", "FUNCTION:NAME");
        }
        let [_, _, function, name] = &record.enabled.parts;
        let id = record.enabled.probe.0;
        put!(out, "{:>3} {id:>6} {:>32} ", record.cpu, format!("{function}:{name}"));
    }

    fn flow(&mut self, out: &mut Vec<u8>, record: &Record) {
        if !std::mem::replace(&mut self.has_heading, true) {
            put!(out, "{:>3} {:<41}\n", "CPU", "FUNCTION");
        }
        let [provider, _, function, name] = &record.enabled.parts;
        let probe = record.enabled.probe.0;
        let flow = self.flow.entry(record.cpu).or_default();
        // Of several clauses of one firing only the outermost moves the indentation.
        let is_entry = name == "entry" && flow.last_probe != probe;
        let is_return = name == "return" && !record.is_followed_by_same_probe;
        flow.last_probe = probe;
        if is_return {
            flow.indent = flow.indent.saturating_sub(2);
        }
        let arrow = match (is_entry, is_return, provider == "syscall") {
            (true, _, false) => " -> ",
            (true, _, true) => " => ",
            (_, true, false) => " <- ",
            (_, true, true) => " <= ",
            _ => " | ",
        };
        let what = match is_entry || is_return {
            true => function.clone(),
            false => format!("{function}:{name}"),
        };
        let name = format!("{:indent$}{arrow}{what}", "", indent = flow.indent);
        put!(out, "{:>3} {name:<41} ", record.cpu);
        if is_entry {
            flow.indent += 2;
        }
    }
}

/// The datum of a record description; `None` if it records nothing.
fn datum_of<'a>(record: &'a Record, rec: &RecDesc) -> Option<Datum<'a>> {
    let action = ActionKind::from_number(rec.action).unwrap_or(ActionKind::DifExpr);
    if rec.size == 0 || action.is_aggregating() {
        return None;
    }
    Some(Datum { bytes: datum(record.bytes(), rec)?, ty: rec.ty, action })
}
