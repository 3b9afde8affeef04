// SPDX-License-Identifier: GPL-2.0
//! `-x oformat=json`: everything that a session reports, one object on each line. `docs/json.md` is
//! the contract; a change of meaning raises [`SCHEMA`].

mod record;
mod typed;

use super::printf;
use super::quantize::Buckets;
use super::report::Reporter;
use super::value::text_of;
use crate::aggregate::{self, Key, Row, Store};
use crate::consume::EnabledProbe;
use crate::datum::{is_stack, is_symbol, signed, unsigned};
use crate::status::Drops;
use crate::symbol::Symbols;
use abi::action::ActionKind;
use abi::aggregation::{quantize_value, AggFunc, QUANTIZE_BUCKETS, QUANTIZE_ZERO};
use abi::difo::DifType;
use abi::probe::until_nul;
use serde::{Serialize, Serializer};
use std::fmt;
use std::io::Write;

/// The number of the schema.
pub const SCHEMA: u32 = 1;

/// A line.
#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum Line<'a> {
    /// The first line.
    Dtrace {
        /// [`SCHEMA`].
        schema: u32,
        /// The version of the command.
        version: &'a str,
    },
    /// The machine that is traced.
    Machine {
        /// The host name.
        host: &'a str,
        /// The kernel's release.
        kernel: &'a str,
        /// The name from `uname -m`.
        architecture: &'a str,
        /// The number of online CPUs.
        cpus: u64,
        /// Nanoseconds since 1970 when the command began.
        walltimestamp: u64,
        /// D's `timestamp` at the same moment.
        timestamp: u64,
    },
    /// An enabled program.
    Program {
        /// Its file, or its text up to the first body.
        name: &'a str,
        /// How many probes it matched.
        probes: usize,
    },
    /// A listed probe.
    Probe {
        /// The probe.
        #[serde(flatten)]
        probe: Probe<'a>,
        /// The types of its arguments (`-v`), if they are known.
        #[serde(skip_serializing_if = "Option::is_none")]
        args: Option<&'a [String]>,
    },
    /// A clause that ran.
    Record {
        /// The time, in D's `timestamp`.
        timestamp: u64,
        /// The CPU.
        cpu: u32,
        /// The thread, with `-x threads`.
        #[serde(flatten)]
        thread: Option<Thread>,
        /// The probe that fired.
        probe: Probe<'a>,
        /// What the clause recorded, in order.
        actions: Vec<Action<'a>>,
    },
    /// An aggregation that nothing has printed, at the end.
    Aggregation(Aggregation<'a>),
    /// The current state of all aggregations (`-x snaprate`).
    Snapshot {
        /// The time when they were read, in D's `timestamp`.
        timestamp: u64,
        /// The aggregations that have entries.
        aggregations: Vec<Aggregation<'a>>,
    },
    /// A loss of data.
    Drop {
        /// The kind of the loss: a tag of `-x droptags`.
        tag: String,
        /// The number of losses since the last such line.
        count: u64,
        /// The CPU, if it is known.
        cpu: Option<u32>,
        /// The loss in words.
        text: &'a str,
    },
    /// A fault that ended a clause.
    Fault {
        /// The probe that had fired.
        probe: Probe<'a>,
        /// The id of the enabled probe.
        epid: u32,
        /// The number of the action, from 1; 0 is the predicate.
        action: u32,
        /// The offset of the instruction, if there is one.
        offset: Option<i64>,
        /// What went wrong.
        fault: &'a str,
        /// The address, if the fault has one.
        address: Option<String>,
        /// The fault in words.
        text: String,
    },
    /// News without a type of its own: targets that ended, probes left out, sizes lowered.
    Note {
        /// The news in words.
        text: &'a str,
    },
    /// The result of `--doctor` for one subject.
    Check {
        /// The subject.
        subject: &'a str,
        /// ok, warn or fail.
        state: &'a str,
        /// The result in words.
        found: &'a str,
        /// What to do, unless it is ok.
        remedy: Option<&'a str>,
    },
    /// The error that ends the session.
    Error {
        /// The error in words.
        text: &'a str,
        /// The compiler's tag.
        #[serde(skip_serializing_if = "Option::is_none")]
        tag: Option<&'a str>,
        /// The line in the program.
        #[serde(skip_serializing_if = "Option::is_none")]
        line: Option<usize>,
        /// The way out.
        #[serde(skip_serializing_if = "Option::is_none")]
        help: Option<&'a str>,
    },
    /// The last line.
    Exit {
        /// The exit status of the command.
        status: i32,
        /// The time, in D's `timestamp`.
        timestamp: u64,
    },
}

/// A probe's number and name.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Probe<'a> {
    /// The number that `-l` shows.
    pub id: u32,
    /// Part of its name.
    pub provider: &'a str,
    /// Part of its name.
    pub module: &'a str,
    /// Part of its name.
    pub function: &'a str,
    /// Part of its name.
    pub name: &'a str,
}

impl<'a> Probe<'a> {
    /// Makes a probe from its number and the four parts of its name.
    pub fn new(id: u32, [provider, module, function, name]: [&'a str; 4]) -> Self {
        Self { id, provider, module, function, name }
    }
}

impl<'a> From<&'a EnabledProbe> for Probe<'a> {
    fn from(e: &'a EnabledProbe) -> Self {
        Self::new(e.probe.0, e.parts.each_ref().map(String::as_str))
    }
}

impl<'a> From<&'a Drops> for Line<'a> {
    fn from(drops: &'a Drops) -> Self {
        let Drops { tag, count, cpu, text, .. } = drops;
        Self::Drop { tag: format!("DTRACEDROP_{tag}"), count: *count, cpu: *cpu, text }
    }
}

/// The thread that a clause ran in.
#[derive(Debug, Serialize)]
pub struct Thread {
    pid: u32,
    tid: u32,
    execname: String,
}

/// The data that one action recorded.
#[derive(Debug, Serialize)]
pub struct Action<'a> {
    action: &'static str,
    #[serde(flatten)]
    body: Body<'a>,
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Body<'a> {
    Value(Datum),
    Formatted {
        text: String,
        values: Vec<Datum>,
    },
    Printed {
        ctype: &'a str,
        value: typed::Typed<'a>,
    },
    Aggregations {
        #[serde(skip_serializing_if = "Option::is_none")]
        text: Option<Formatted<'a>>,
        aggregations: Vec<Aggregation<'a>>,
    },
    Changed {
        aggregation: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        by: Option<i64>,
    },
    Option {
        option: Option<String>,
        value: Option<String>,
    },
    Text {
        text: String,
    },
    Exit {
        status: i32,
    },
    Bare {},
}

/// A value.
#[derive(Debug, PartialEq, Serialize)]
#[serde(tag = "type", content = "value", rename_all = "lowercase")]
enum Datum {
    Int(i64),
    Uint(u64),
    Float(f64),
    String(String),
    Bytes(String),
    Symbol(String),
    Stack(Vec<String>),
    Ustack(Vec<String>),
}

impl Datum {
    /// Makes a value from the bytes that such an action recorded.
    fn new(
        action: ActionKind,
        bytes: &[u8],
        ty: DifType,
        is_unsigned: bool,
        symbols: &Symbols,
    ) -> Self {
        let number = || match is_unsigned {
            true => unsigned(bytes).map(Self::Uint),
            false => signed(bytes).map(Self::Int),
        };
        match action {
            ActionKind::Stack => Self::Stack(symbols.frames(action, bytes, 0)),
            _ if is_stack(action) => Self::Ustack(symbols.frames(action, bytes, 0)),
            _ if is_symbol(action) => Self::Symbol(symbols.recorded(action, bytes)),
            _ if ty.is_string() => Self::String(text(until_nul(bytes))),
            _ if ty.is_float() => {
                super::float::value(bytes).map_or_else(|| Self::hex(bytes), Self::Float)
            }
            _ if ty.is_by_ref() => Self::bytes(bytes),
            _ => number().unwrap_or_else(|| Self::bytes(bytes)),
        }
    }

    /// Makes text if the bytes look like text.
    fn bytes(bytes: &[u8]) -> Self {
        text_of(bytes).map_or_else(|| Self::hex(bytes), |t| Self::String(text(t)))
    }

    fn hex(bytes: &[u8]) -> Self {
        Self::Bytes(bytes.iter().map(|b| format!("{b:02x}")).collect())
    }
}

/// Decodes the text of a traced program, which may be any bytes.
fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The current state of an aggregation.
#[derive(Debug, Serialize)]
pub struct Aggregation<'a> {
    name: &'a str,
    function: &'static str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    parameters: Vec<i64>,
    #[serde(skip_serializing_if = "is_nameless")]
    keynames: &'a [String],
    entries: Entries<'a>,
}

/// All entries of an aggregation, which are made one after the other while they are written.
#[derive(Debug)]
struct Entries<'a> {
    reporter: &'a Reporter,
    store: &'a Store,
    number: u32,
}

impl Serialize for Entries<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let Self { reporter, store, number } = *self;
        let rows = store.rows(&[number], reporter.sort);
        to.collect_seq(rows.iter().filter_map(|row| Entry::new(&row, &reporter.symbols)))
    }
}

/// The text of a printa() with a format, which is made row by row while it is written.
#[derive(Debug)]
struct Formatted<'a> {
    reporter: &'a Reporter,
    store: &'a Store,
    format: &'a d::format::Format,
    aggregations: &'a [u32],
}

impl fmt::Display for Formatted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { reporter, store, format, aggregations } = *self;
        let (mut plan, mut out): (Option<printf::Plan>, _) = (None, Vec::new());
        for row in reporter.shown(store, aggregations).iter() {
            reporter.formatted(&mut out, &mut plan, format, &row);
            let whole = whole_characters(&out);
            f.write_str(&text(out.get(..whole).unwrap_or_default()))?;
            out.drain(..whole);
        }
        f.write_str(&text(&out))
    }
}

impl Serialize for Formatted<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

/// Returns the bytes before a character whose rest may follow.
fn whole_characters(text: &[u8]) -> usize {
    let is_begun = |from: &usize| {
        let tail = text.get(*from..).unwrap_or_default();
        std::str::from_utf8(tail).is_err_and(|e| e.valid_up_to() == 0 && e.error_len().is_none())
    };
    (text.len().saturating_sub(3)..text.len()).find(is_begun).unwrap_or(text.len())
}

fn is_nameless(names: &&[String]) -> bool {
    names.iter().all(String::is_empty)
}

#[derive(Debug, Serialize)]
struct Entry {
    keys: Vec<Datum>,
    #[serde(flatten)]
    value: Value,
    #[serde(flatten)]
    moments: Option<Moments>,
    #[serde(skip_serializing_if = "Option::is_none")]
    raw: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    normal: Option<i64>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    empty: bool,
}

/// Figures from which averages and deviations of several machines can be combined; not divided by
/// `normal`.
#[derive(Debug, PartialEq, Eq, Serialize)]
struct Moments {
    count: u64,
    sum: i64,
    /// 128 bits, in decimal digits.
    #[serde(skip_serializing_if = "Option::is_none")]
    squares: Option<String>,
}

impl Moments {
    fn new(value: &aggregate::Value) -> Option<Self> {
        match (value.func, value.words.as_slice()) {
            (AggFunc::Avg, &[count, sum]) => Some(Self { count, sum: sum as i64, squares: None }),
            (AggFunc::Stddev, &[count, sum, low, high]) => {
                let squares = (u128::from(high) << 64 | u128::from(low)).to_string();
                Some(Self { count, sum: sum as i64, squares: Some(squares) })
            }
            _ => None,
        }
    }
}

/// Returns the arguments of a function in D that follow the value.
fn parameters(func: AggFunc) -> Vec<i64> {
    match func {
        AggFunc::Lquantize(l) => {
            let [base, step, levels] = [i64::from(l.base), l.step.into(), l.levels.into()];
            vec![base, base + step * levels, step]
        }
        AggFunc::Llquantize(l) => [l.factor, l.low, l.high, l.steps].map(i64::from).to_vec(),
        _ => Vec::new(),
    }
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "lowercase")]
enum Value {
    Value(i64),
    Buckets(Vec<Bucket>),
}

/// Values from `low` to `high`, both included; null means no bound.
#[derive(Debug, PartialEq, Eq, Serialize)]
struct Bucket {
    low: Option<i64>,
    high: Option<i64>,
    count: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    raw: Option<i64>,
}

impl<'a> Aggregation<'a> {
    /// Returns the description of the aggregation with this number; the last program has the
    /// descriptions of all.
    pub(super) fn of(programs: &'a [d::Program], number: u32) -> Option<&'a d::Aggregation> {
        let at = usize::try_from(number).ok()?.checked_sub(1)?;
        programs.last()?.aggregations.get(at)
    }

    fn new(of: &'a d::Aggregation, entries: Entries<'a>) -> Self {
        let parameters = parameters(of.func);
        let keynames = of.key_names.as_slice();
        Self { name: &of.name, function: of.func.name(), parameters, keynames, entries }
    }
}

impl Entry {
    fn new(row: &Row<'_>, symbols: &Symbols) -> Option<Self> {
        let key = |k: &Key| Datum::new(k.action, &k.bytes, k.ty, k.is_unsigned, symbols);
        let value = *row.values.first()?;
        let buckets = buckets(value.func, &value.words, value.normal);
        let moments = Moments::new(value);
        let is_scalar = buckets.is_none() && moments.is_none();
        let undivided = || aggregate::Value { normal: 1, ..value.clone() }.scalar();
        Some(Self {
            keys: row.keys.iter().map(key).collect(),
            value: buckets.map_or_else(|| Value::Value(value.scalar()), Value::Buckets),
            moments,
            raw: (value.normal != 1 && is_scalar).then(undivided),
            normal: (value.normal != 1).then_some(value.normal),
            empty: value.is_cleared && matches!(value.func, AggFunc::Min | AggFunc::Max),
        })
    }
}

/// Returns the buckets of a distribution that are not empty.
fn buckets(func: AggFunc, words: &[u64], normal: i64) -> Option<Vec<Bucket>> {
    let counts = Buckets::new(func, words)?.counts;
    let bounds: Vec<(Option<i64>, Option<i64>)> = match func {
        AggFunc::Lquantize(l) => steps(counts.len(), |bucket| l.lower_bound(bucket)),
        AggFunc::Llquantize(l) => steps(counts.len(), |bucket| l.lower_bound(bucket)),
        _ => (0..counts.len()).map(power).collect(),
    };
    let bucket = |((low, high), count): ((Option<i64>, Option<i64>), i64)| {
        let shown = count.wrapping_div(normal.max(1));
        let raw = (normal > 1).then_some(count);
        (count != 0).then_some(Bucket { low, high, count: shown, raw })
    };
    Some(bounds.into_iter().zip(counts).filter_map(bucket).collect())
}

/// Returns the bounds of a power-of-two bucket.
fn power(bucket: usize) -> (Option<i64>, Option<i64>) {
    let near = quantize_value(bucket);
    let beyond = |n: usize, by: i64| (n < QUANTIZE_BUCKETS).then(|| quantize_value(n) + by);
    match bucket {
        QUANTIZE_ZERO => (Some(0), Some(0)),
        b if b > QUANTIZE_ZERO => (Some(near), beyond(b + 1, -1)),
        b => (b.checked_sub(1).and_then(|b| beyond(b, 1)), Some(near)),
    }
}

/// Returns the bounds of stepped buckets: the first bucket has no lower bound, the last one no
/// upper bound.
fn steps(count: usize, lower_bound: impl Fn(usize) -> i64) -> Vec<(Option<i64>, Option<i64>)> {
    let over = count.saturating_sub(1);
    let low = |b: usize| (b > 0).then(|| lower_bound(b));
    let high = |b: usize| (b < over).then(|| lower_bound(b + 1).saturating_sub(1));
    (0..=over).map(|b| (low(b), high(b))).collect()
}

impl Line<'_> {
    /// Writes the line with its newline.
    pub fn write(&self, out: &mut impl Write) {
        put(out, self);
        let _ = out.write_all(b"\n");
    }

    /// Returns the text of a message; "" for data.
    pub fn text(&self) -> &str {
        match self {
            Self::Drop { text, .. } | Self::Note { text } | Self::Error { text, .. } => text,
            Self::Fault { text, .. } => text,
            _ => "",
        }
    }
}

/// Writes a value. Writing to memory does not fail, and all keys are text.
fn put(out: &mut impl Write, value: &impl Serialize) {
    let _ = serde_json::to_writer(out, value);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A row may end within a character, and the next one begin with its rest.
    #[test]
    fn characters_stay_whole() {
        for (text, whole) in [
            (&b"ab"[..], 2),
            (b"", 0),
            ("\u{20ac}".as_bytes(), 3),
            (b"a\xe2\x82", 1),
            (b"\xe2", 0),
            (b"ab\xf0\x9f\x98", 2),
            (b"a\xff", 2),
            (b"a\x82\x82\x82", 4),
        ] {
            assert_eq!(whole_characters(text), whole, "{text:?}");
        }
    }
    use abi::aggregation::{Linear, LogLinear};

    fn counted(func: AggFunc, values: &[i64]) -> Vec<(Option<i64>, Option<i64>, i64)> {
        let mut words = vec![0; func.words()];
        func.init(&mut words);
        values.iter().for_each(|&v| func.update(&mut words, v, 1));
        let found = buckets(func, &words, 1).unwrap();
        found.into_iter().map(|b| (b.low, b.high, b.count)).collect()
    }

    #[test]
    fn a_value_is_within_the_bounds_of_its_bucket() {
        let linear = AggFunc::Lquantize(Linear { base: -10, step: 5, levels: 4 });
        let log = AggFunc::Llquantize(LogLinear { factor: 10, low: 0, high: 3, steps: 20 });
        for func in [AggFunc::Quantize, linear, log] {
            for v in [i64::MIN, -100, -10, -7, -4, -1, 0, 1, 2, 3, 9, 10, 55, 1 << 40, i64::MAX] {
                let [(low, high, 1)] = counted(func, &[v])[..] else { panic!("{func:?} {v}") };
                assert!(
                    low.is_none_or(|l| l <= v) && high.is_none_or(|h| v <= h),
                    "{func:?} {v}: {low:?} {high:?}"
                );
            }
        }
        assert_eq!(
            counted(AggFunc::Quantize, &[5, 7, -5, 0]),
            [(Some(-7), Some(-4), 1), (Some(0), Some(0), 1), (Some(4), Some(7), 2),]
        );
        assert_eq!(
            counted(linear, &[-11, 3, 10]),
            [(None, Some(-11), 1), (Some(0), Some(4), 1), (Some(10), None, 1),]
        );
    }
}
