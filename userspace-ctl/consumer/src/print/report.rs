// SPDX-License-Identifier: GPL-2.0
//! Prints a record as lines: first the columns, then the output of its statements.

use super::bars::Encoding;
use super::json::Aggregation;
use super::printf::{self, Kind, Look};
use super::value::{self, Style, TRACE_WIDTH};
use super::{aggregation, put, stack, typed, Out};
use crate::aggregate::{Row, Rows, Sort, Store};
use crate::consume::{EnabledProbe, Record};
use crate::datum::{self, is_stack, is_symbol};
use crate::symbol::Symbols;
use abi::action::ActionKind;
use abi::difo::DifType;
use abi::option::{OptionId, Options};
use abi::probe::until_nul;
use abi::record::RecDesc;
use d::{option, Program, Statement, StatementKind};
use std::collections::HashMap;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::rc::Rc;

/// How far a record is printed, and what it asks for besides text.
#[derive(Debug)]
pub struct Progress {
    /// The statement to go on with when the effects have been carried out; `None`: the record is
    /// printed.
    pub next: Option<usize>,
    /// The effects, in order.
    pub effects: Vec<Effect>,
    /// The status, if the program called exit().
    pub exit: Option<i32>,
}

impl Default for Progress {
    fn default() -> Self {
        Self { next: Some(0), effects: Vec::new(), exit: None }
    }
}

/// An effect that a record asks for beside text. The text before it must be written first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// `system()`: a command line.
    System(OsString),
    /// `freopen()`: the file for further output; an empty name restores the original output.
    Freopen(OsString),
    /// `ftruncate()`: empties the output file.
    Ftruncate,
    /// `setopt()`: the new value of an option, or the reason why it has none.
    Setopt(Result<(OptionId, u64), String>),
    /// A message: an action did nothing, and why.
    Refused(String),
}

/// The state that printing keeps between records.
#[derive(Debug)]
pub struct Reporter {
    options: Options,
    is_quiet: bool,
    is_raw: bool,
    is_flow: bool,
    zoom: bool,
    is_hist: bool,
    is_packed: bool,
    encoding: Encoding,
    pub(super) sort: Sort,
    /// The most rows that are printed of an aggregation.
    most_rows: usize,
    has_heading: bool,
    flow: HashMap<u32, Flow>,
    indent: usize,
    pub(super) symbols: Symbols,
    /// By EPID.
    plans: Vec<Option<Rc<Plan>>>,
}

/// How to print the records of an enabled probe, decided at the first record.
#[derive(Debug)]
pub(super) struct Plan {
    /// The enabled probe: the kernel uses the EPIDs of removed ones again.
    of: Rc<EnabledProbe>,
    /// The probe id and name, padded to their columns.
    label: String,
    pub(super) statements: Vec<Planned>,
    /// The offsets of the stacks of processes.
    stacks: Vec<usize>,
}

/// The data of one statement.
#[derive(Debug)]
pub(super) struct Planned {
    number: u64,
    /// The index of its program.
    program: usize,
    pub(super) fields: Vec<Field>,
    /// How to print the data, if the statement is a printf.
    printf: Option<printf::Plan>,
}

/// A datum: its place in the record, and its type.
#[derive(Debug, Clone, Copy)]
pub(super) struct Field {
    offset: usize,
    size: usize,
    pub(super) ty: DifType,
    pub(super) action: ActionKind,
}

/// The data of one statement in a record.
#[derive(Clone, Copy)]
pub(super) struct Data<'a> {
    record: &'a [u8],
    pub(super) fields: &'a [Field],
}

impl<'a> Data<'a> {
    pub(super) fn bytes(&self, field: &Field) -> &'a [u8] {
        self.record.get(field.offset..field.offset + field.size).unwrap_or_default()
    }

    /// Returns the bytes of the first field.
    pub(super) fn first(&self) -> Option<&'a [u8]> {
        self.fields.first().map(|f| self.bytes(f))
    }

    pub(super) fn int(&self, n: usize) -> Option<i64> {
        self.fields.get(n).and_then(|f| datum::signed(self.bytes(f)))
    }

    /// Returns the text of a string field.
    pub(super) fn text(&self, n: usize) -> Option<String> {
        let field = self.fields.get(n)?;
        Some(String::from_utf8_lossy(until_nul(self.bytes(field))).into_owned())
    }

    /// Returns the bytes that a tracemem() asked for.
    pub(super) fn meant(&self) -> &'a [u8] {
        let bytes = self.first().unwrap_or_default();
        let some = self.int(1).map(|n| usize::try_from(n).unwrap_or(0));
        bytes.get(..some.map_or(bytes.len(), |n| n.min(bytes.len()))).unwrap_or_default()
    }
}

impl printf::Args for Data<'_> {
    #[inline]
    fn bytes(&self, n: usize) -> Option<&[u8]> {
        self.fields.get(n).map(|f| Data::bytes(self, f))
    }
}

/// Makes a printf plan for the types of these fields.
fn plan_of(format: &d::format::Format, fields: &[Field]) -> printf::Plan {
    let kinds = fields.iter().map(|f| Kind::new(f.action, f.ty, f.size));
    printf::Plan::new(format, kinds.collect())
}

impl Plan {
    fn new(enabled: &Rc<EnabledProbe>, programs: &[Program]) -> Self {
        let field = |rec: &RecDesc| {
            let action = ActionKind::from_number(rec.action).unwrap_or(ActionKind::DifExpr);
            let (offset, size) = (rec.offset as usize, rec.size as usize);
            let is_there = size > 0 && offset.checked_add(size)? <= enabled.size;
            // Aggregated data are not in the record.
            (is_there && !action.is_aggregating()).then_some(Field {
                offset,
                size,
                ty: rec.ty,
                action,
            })
        };
        let planned = |group: &[RecDesc]| {
            let number = group.first()?.uarg;
            let fields: Vec<Field> = group.iter().filter_map(field).collect();
            let program = programs.iter().position(|p| p.statement(number).is_some());
            let program = program.unwrap_or(usize::MAX);
            let statement = programs.get(program).and_then(|p| p.statement(number));
            let printf = match statement.map(|s| &s.kind) {
                Some(StatementKind::Printf(format)) => Some(plan_of(format, &fields)),
                _ => None,
            };
            Some(Planned { number, program, fields, printf })
        };
        let is_of_process = |f: &Field| matches!(f.action, ActionKind::Ustack | ActionKind::Jstack);
        let stacks = enabled.recs.iter().filter_map(field).filter(is_of_process);
        let [_, _, function, name] = &enabled.parts;
        Self {
            of: enabled.clone(),
            label: format!(" {:>6} {:>32} ", enabled.probe.0, format!("{function}:{name}")),
            statements: enabled
                .recs
                .chunk_by(|a, b| a.uarg == b.uarg)
                .filter_map(planned)
                .collect(),
            stacks: stacks.map(|f| f.offset).collect(),
        }
    }
}

impl Planned {
    pub(super) fn data<'a>(&'a self, record: &'a [u8]) -> Data<'a> {
        Data { record, fields: &self.fields }
    }

    /// Returns the format and the aggregations of a printa().
    pub(super) fn printa<'p>(
        &self,
        programs: &'p [Program],
    ) -> Option<(Option<&'p d::format::Format>, &'p [u32])> {
        if self.printf.is_some() {
            return None;
        }
        match &self.statement(programs)?.kind {
            StatementKind::Printa { format, aggregations } => Some((format.as_ref(), aggregations)),
            _ => None,
        }
    }

    pub(super) fn statement<'p>(&self, programs: &'p [Program]) -> Option<&'p Statement> {
        programs.get(self.program)?.statement(self.number)
    }
}

/// The most blanks of an indentation: a program that leaves its functions by longjmp() enters ever
/// deeper ones.
const MOST_INDENT: usize = 1024;

/// A CPU's current depth of calls (`-F`).
#[derive(Debug, Default)]
struct Flow {
    indent: usize,
    last: Option<Rc<EnabledProbe>>,
}

impl Reporter {
    /// Makes a reporter with the options in force.
    pub fn new(options: &Options, encoding: Encoding, symbols: Symbols) -> Self {
        let mut this = Self {
            options: options.clone(),
            is_quiet: false,
            is_raw: false,
            is_flow: false,
            zoom: false,
            is_hist: false,
            is_packed: false,
            encoding,
            sort: Sort::new(options),
            most_rows: usize::MAX,
            has_heading: false,
            flow: HashMap::new(),
            indent: 0,
            symbols,
            plans: Vec::new(),
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
        self.is_hist = flag(OptionId::Agghist);
        self.is_packed = flag(OptionId::Aggpack);
        self.sort = Sort::new(options);
        self.most_rows = usize::try_from(options.get(OptionId::Aggrows)).unwrap_or(usize::MAX);
        self.indent = usize::try_from(options.get(OptionId::Stackindent)).unwrap_or(0);
    }

    /// Sets an option for setopt(), from here on.
    fn set_option(&mut self, texts: Data<'_>) -> Result<(OptionId, u64), String> {
        let name = texts.text(0).unwrap_or_default();
        let value = texts.text(1);
        let said = match &value {
            Some(value) => format!("setopt(\"{name}\", \"{value}\")"),
            None => format!("setopt(\"{name}\")"),
        };
        let id = option::by_name(&name).ok_or_else(|| {
            if let Some(why) = option::ignored(&name) {
                return format!("{said} changes nothing: {why}");
            }
            match option::nearest(&name) {
                Some(near) => format!("{said}: no such option; did you mean {near}?"),
                None => format!("{said}: no such option"),
            }
        })?;
        if !id.is_dynamic() {
            return Err(format!("{said}: it cannot change during tracing; use -x {name}"));
        }
        let value = option::value(id, value.as_deref()).map_err(|why| format!("{said}: {why}"))?;
        self.options.set(id, value);
        self.read_options();
        Ok((id, value))
    }

    /// Prints a record, up to the next statement that has an effect.
    pub fn record(
        &mut self,
        out: &mut Out<'_>,
        record: &Record<'_>,
        programs: &[Program],
        store: &mut Store,
        progress: &mut Progress,
    ) {
        let from = progress.next.take().unwrap_or(0);
        let plan = match from {
            0 => self.plan(record, programs),
            _ => self.known_plan(&record.enabled, programs),
        };
        if from == 0 {
            self.columns(out, record, &plan.label);
        }
        for (n, planned) in plan.statements.iter().enumerate().skip(from) {
            let data = planned.data(record.bytes);
            match planned.printa(programs) {
                Some((format, aggregations)) => self.printa(out, format, aggregations, store),
                None => {
                    self.planned(out, planned, data, programs, store, progress);
                    out.pass_on();
                }
            }
            if !progress.effects.is_empty() {
                progress.next = Some(n + 1);
                return;
            }
        }
        if !self.is_quiet {
            out.push(b'\n');
        }
    }

    /// Prints or does one statement other than printa().
    pub(super) fn planned(
        &mut self,
        out: &mut Vec<u8>,
        planned: &Planned,
        data: Data<'_>,
        programs: &[Program],
        store: &mut Store,
        progress: &mut Progress,
    ) {
        if let Some(printf) = &planned.printf {
            return printf.print(out, &data, &[], self.look());
        }
        match planned.statement(programs) {
            Some(statement) => {
                self.statement(out, &statement.kind, data, programs, store, progress);
            }
            None => self.trace(out, data, false),
        }
    }

    /// Returns how to print a record. Its stacks get names by the current maps of their processes.
    pub(super) fn plan(&mut self, record: &Record<'_>, programs: &[Program]) -> Rc<Plan> {
        let plan = self.known_plan(&record.enabled, programs);
        for offset in &plan.stacks {
            if let Some(pid) = record.bytes.get(*offset..).and_then(<[u8]>::first_chunk) {
                self.symbols.renew_process(u64::from_le_bytes(*pid));
            }
        }
        plan
    }

    fn known_plan(&mut self, enabled: &Rc<EnabledProbe>, programs: &[Program]) -> Rc<Plan> {
        let at = enabled.epid.0 as usize;
        match self.plans.get(at) {
            Some(Some(plan)) if Rc::ptr_eq(&plan.of, enabled) => plan.clone(),
            _ => {
                let plan = Rc::new(Plan::new(enabled, programs));
                // The kernel numbers EPIDs in sequence.
                self.plans.resize_with(self.plans.len().max(at + 1), || None);
                if let Some(place) = self.plans.get_mut(at) {
                    *place = Some(plan.clone());
                }
                plan
            }
        }
    }

    fn look(&self) -> Look<'_> {
        Look { zoom: self.zoom, indent: self.indent, symbols: &self.symbols }
    }

    /// Does a statement other than printf() and printa().
    fn statement(
        &mut self,
        out: &mut Vec<u8>,
        kind: &StatementKind,
        data: Data<'_>,
        programs: &[Program],
        store: &mut Store,
        progress: &mut Progress,
    ) {
        let effects = &mut progress.effects;
        match kind {
            StatementKind::Trace(ty) => self.trace(out, data, datum::is_unsigned(*ty)),
            StatementKind::Tracemem(_) => value::dump(out, data.meant()),
            StatementKind::Print(shown) => {
                data.fields.iter().for_each(|f| typed::value(out, shown, data.bytes(f)));
            }
            StatementKind::Expr
            | StatementKind::Thread
            | StatementKind::Printf(_)
            | StatementKind::Printa { .. } => {}
            StatementKind::System(format) | StatementKind::Freopen(format) => {
                let mut text = Vec::new();
                plan_of(format, data.fields).print(&mut text, &data, &[], self.look());
                // Names of files may have any bytes.
                let text = OsString::from_vec(text);
                effects.push(match kind {
                    StatementKind::System(_) => Effect::System(text),
                    _ => Effect::Freopen(text),
                });
            }
            StatementKind::Ftruncate => effects.push(Effect::Ftruncate),
            StatementKind::Setopt => effects.push(Effect::Setopt(self.set_option(data))),
            StatementKind::Exit => progress.exit = Some(data.int(0).unwrap_or(0) as i32),
            StatementKind::Clear(a) => store.clear(*a),
            StatementKind::Normalize(a) => match data.int(1).unwrap_or(1) {
                by @ 1.. => store.normalize(*a, by),
                by => {
                    let name = Aggregation::of(programs, *a).map_or("", |a| a.name.as_str());
                    effects.push(Effect::Refused(format!(
                        "normalize(@{name}, {by}) changes nothing: the divisor must be at least 1"
                    )));
                }
            },
            StatementKind::Denormalize(a) => store.denormalize(*a),
            StatementKind::Trunc { aggregation, has_count } => {
                let keep = if *has_count { data.int(1).unwrap_or(0) } else { 0 };
                store.truncate(*aggregation, keep);
            }
        }
    }

    fn trace(&self, out: &mut Vec<u8>, data: Data<'_>, is_unsigned: bool) {
        let (is_quiet, is_raw) = (self.is_quiet, self.is_raw);
        for field in data.fields {
            let (action, bytes) = (field.action, data.bytes(field));
            if is_stack(action) {
                stack::stack(out, action, bytes, self.indent, &self.symbols);
            } else if is_symbol(action) {
                stack::symbol(out, &self.symbols.recorded(action, bytes));
            } else {
                let style = Style { is_quiet, is_raw, width: TRACE_WIDTH, is_unsigned };
                value::datum(out, bytes, field.ty, style);
            }
        }
    }

    fn printa(
        &self,
        out: &mut Out<'_>,
        format: Option<&d::format::Format>,
        aggregations: &[u32],
        store: &mut Store,
    ) {
        aggregations.iter().for_each(|&a| store.mark_printed(a));
        let rows = self.shown(store, aggregations);
        match format {
            None => {
                out.push(b'\n');
                self.rows(out, &rows);
            }
            Some(format) => {
                let mut plan = None;
                for row in rows.iter() {
                    self.formatted(out, &mut plan, format, &row);
                    out.pass_on();
                }
            }
        }
    }

    /// Returns the rows of one or several aggregations that are printed.
    pub(super) fn shown<'s>(&self, store: &'s Store, aggregations: &[u32]) -> Rows<'s> {
        let mut rows = store.rows(aggregations, self.sort);
        rows.truncate(self.most_rows);
        rows
    }

    /// Prints a row of a printa() with a format; `plan` is that of the row before.
    pub(super) fn formatted(
        &self,
        out: &mut Vec<u8>,
        plan: &mut Option<printf::Plan>,
        format: &d::format::Format,
        row: &Row<'_>,
    ) {
        let kinds = || row.keys.iter().map(Kind::of_key);
        let known = plan.take().filter(|p| p.is_for(kinds()));
        let plan =
            plan.insert(known.unwrap_or_else(|| printf::Plan::new(format, kinds().collect())));
        plan.print(out, row.keys, &row.values, self.look());
    }

    /// Prints the rows of an aggregation without a format.
    pub fn rows(&self, out: &mut Out<'_>, rows: &Rows<'_>) {
        let Self { zoom, is_hist, is_raw, indent, ref symbols, .. } = *self;
        let pack = self.is_packed.then_some(self.encoding);
        let look = aggregation::Look { zoom, is_hist, pack, is_raw, indent, symbols };
        aggregation::rows(out, rows, look);
    }

    /// Prints CPU, probe id and name; with `-F` CPU and name, indented by calls.
    fn columns(&mut self, out: &mut Vec<u8>, record: &Record<'_>, label: &str) {
        if self.is_flow {
            return self.flow(out, record);
        }
        if self.is_quiet {
            return;
        }
        if !std::mem::replace(&mut self.has_heading, true) {
            put!(out, "{:>3} {:>6} {:>32}\n", "CPU", "ID", "FUNCTION:NAME");
        }
        printf::column(out, record.cpu.into(), 3);
        out.extend_from_slice(label.as_bytes());
    }

    fn flow(&mut self, out: &mut Vec<u8>, record: &Record<'_>) {
        if !std::mem::replace(&mut self.has_heading, true) {
            put!(out, "{:>3} {:<41}\n", "CPU", "FUNCTION");
        }
        let [provider, _, function, name] = &record.enabled.parts;
        let flow = self.flow.entry(record.cpu).or_default();
        // If a firing has several clauses, only the outermost ones change the indentation.
        let is_first = flow.last.as_ref().is_none_or(|last| !record.enabled.is_after(last));
        let is_entry = name == "entry" && is_first;
        let is_return = name == "return" && !record.is_followed_by_same_firing;
        flow.last = Some(record.enabled.clone());
        if is_return {
            flow.indent = flow.indent.saturating_sub(2);
        }
        let arrow = match (is_entry, is_return, provider == "syscall") {
            (true, _, false) => " -> ",
            (true, _, true) => " => ",
            (_, true, false) => " <- ",
            (_, true, true) => " <= ",
            _ => "| ",
        };
        let what = match is_entry || is_return {
            true => function.clone(),
            false => format!("{function}:{name}"),
        };
        let name = format!("{:indent$}{arrow}{what}", "", indent = flow.indent.min(MOST_INDENT));
        put!(out, "{:>3} {name:<41} ", record.cpu);
        if is_entry {
            flow.indent += 2;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use abi::ids::{Epid, ProbeId};

    /// A program that leaves its functions without returning enters deeper and deeper ones.
    #[test]
    fn lines_of_deep_calls_are_bounded() {
        let mut options = Options::default();
        options.set(OptionId::Flowindent, 1);
        let mut reporter = Reporter::new(&options, Encoding::Ascii, Symbols::default());
        let enabled = |name: &str, epid| {
            let (epid, probe) = (Epid(epid), ProbeId(epid));
            let parts = ["fbt", "vmlinux", "f", name].map(String::from);
            Rc::new(EnabledProbe { epid, probe, parts, uarg: 0, size: 0, recs: Vec::new() })
        };
        let mut line = |enabled: &Rc<EnabledProbe>, indent| {
            reporter.flow.entry(0).or_default().indent = indent;
            let (enabled, is_followed_by_same_firing) = (enabled.clone(), false);
            let record = Record { cpu: 0, enabled, is_followed_by_same_firing, bytes: &[] };
            let mut out = Vec::new();
            reporter.columns(&mut out, &record, "");
            (out.len(), reporter.flow[&0].indent)
        };
        let (entry, exit) = (enabled("entry", 1), enabled("return", 2));
        let far = 4 * usize::from(u16::MAX);
        let (length, deeper) = line(&entry, far);
        assert!(length < 2048, "{length}");
        assert_eq!(deeper, far + 2);
        let (length, higher) = line(&exit, deeper);
        assert!(length < 2048, "{length}");
        assert_eq!(higher, far);
    }

    /// After a process has ended, its EPIDs are those of other clauses and probes.
    #[test]
    fn an_epid_that_is_used_again_has_a_new_plan() {
        let mut reporter = Reporter::new(&Options::default(), Encoding::Ascii, Symbols::default());
        let mut print = |name: &str, statement, recs: usize| {
            let rec = RecDesc { uarg: statement, size: 8, offset: 16, ..RecDesc::default() };
            let enabled = Rc::new(EnabledProbe {
                epid: Epid(7),
                probe: ProbeId(9),
                parts: ["web1", "", "f", name].map(String::from),
                uarg: statement,
                size: 24,
                recs: vec![rec; recs],
            });
            // The first record of a probe makes the plan, the second one uses it.
            let plans = [(); 2].map(|()| reporter.known_plan(&enabled, &[]));
            assert!(Rc::ptr_eq(&plans[0], &plans[1]));
            let label = plans[0].label.trim().rsplit(' ').next().unwrap().to_string();
            let numbers: Vec<u64> = plans[0].statements.iter().map(|s| s.number).collect();
            (label, numbers, plans[0].statements[0].fields.len())
        };
        assert_eq!(print("crash", 1, 1), ("f:crash".into(), vec![1], 1));
        assert_eq!(print("slow", 2, 3), ("f:slow".into(), vec![2], 3));
    }
}
