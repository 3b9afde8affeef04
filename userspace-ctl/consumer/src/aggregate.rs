// SPDX-License-Identifier: GPL-2.0
//! Aggregations: CPUs folded together, cleared, truncated, normalised, sorted.
//!
//! A snapshot is the full state of one CPU's aggregations since GO, so it replaces the CPU's last
//! one, and the value of a key is the sum over the CPUs. Taking a snapshot clears nothing in the
//! kernel: clear() and trunc() remember where the counting stood and subtract it from then on.
//!
//! Several aggregating actions (of several clauses and probes) may feed one D variable: what counts
//! is the variable and the key's bytes.

use crate::error::{Error, Failure};
use crate::kernel::{Aggregation, Buffer, Kernel};
use crate::status::{self, Drops};
use abi::action::ActionKind;
use abi::aggregation::{isqrt, quantize_value, AggFunc};
use abi::difo::DifType;
use abi::ids::AggId;
use abi::option::{OptionId, Options};
use abi::record::{AggEntry, RecDesc};
use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::rc::Rc;
use zerocopy::FromBytes;

/// One part of a key: its bytes (a string without NUL) and type.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Key {
    /// Datum.
    pub bytes: Vec<u8>,
    /// How to print and compare it.
    pub ty: DifType,
}

impl Key {
    fn new(bytes: &[u8], ty: DifType) -> Self {
        match ty.is_string() {
            // The room a string had is not part of its value.
            true => {
                Self { bytes: abi::probe::until_nul(bytes).to_vec(), ty: DifType { size: 0, ..ty } }
            }
            false => Self { bytes: bytes.to_vec(), ty },
        }
    }

    fn compare(&self, other: &Self) -> Ordering {
        let int = |k: &Self| match k.ty.is_string() || k.ty.is_by_ref() {
            true => None,
            false => crate::print::value::signed(&k.bytes),
        };
        match (int(self), int(other)) {
            (Some(a), Some(b)) => a.cmp(&b),
            _ => self.bytes.cmp(&other.bytes),
        }
    }
}

/// An aggregated value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Value {
    /// What was aggregated.
    pub func: AggFunc,
    /// [`AggFunc::words`] of them.
    pub words: Vec<u64>,
    /// normalize()'s divisor.
    pub normal: i64,
}

impl Value {
    /// The number that stands for it: count, sum, extreme, average, deviation; of a distribution
    /// its weighted total.
    pub fn scalar(&self) -> i64 {
        let word = |i: usize| self.words.get(i).copied().unwrap_or(0);
        let normal = self.normal.max(1);
        match self.func {
            AggFunc::Avg => match word(0) {
                0 => 0,
                n => (word(1) as i64).wrapping_div(normal).wrapping_div(n as i64),
            },
            AggFunc::Stddev => self.deviation(normal),
            AggFunc::Quantize | AggFunc::Lquantize(_) => self.weighted() as i64,
            _ => (word(0) as i64).wrapping_div(normal),
        }
    }

    /// Square root of the mean of the squares less the square of the mean.
    fn deviation(&self, normal: i64) -> i64 {
        let &[n, total, low, high] = self.words.as_slice() else {
            return 0;
        };
        if n == 0 {
            return 0;
        }
        let normal = normal.unsigned_abs();
        let squares =
            (u128::from(high) << 64 | u128::from(low)) / u128::from(normal) / u128::from(normal);
        let mean = u128::from((total as i64).unsigned_abs() / normal / n);
        isqrt((squares / u128::from(n)).saturating_sub(mean.saturating_mul(mean))) as i64
    }

    fn weighted(&self) -> f64 {
        match self.func {
            AggFunc::Quantize => {
                let terms = self.words.iter().enumerate();
                terms.map(|(b, &w)| quantize_value(b) as f64 * w as i64 as f64).sum()
            }
            AggFunc::Lquantize(l) => {
                let terms = self.words.iter().skip(1).enumerate();
                terms.map(|(b, &w)| l.lower_bound(b) as f64 * w as i64 as f64).sum()
            }
            _ => self.scalar() as f64,
        }
    }

    fn compare(&self, other: &Self) -> Ordering {
        match self.func {
            AggFunc::Quantize | AggFunc::Lquantize(_) => {
                self.weighted().total_cmp(&other.weighted())
            }
            _ => self.scalar().cmp(&other.scalar()),
        }
    }

    fn is_zero(&self) -> bool {
        let skip = usize::from(matches!(self.func, AggFunc::Lquantize(_)));
        self.words.iter().skip(skip).all(|&w| w == 0)
    }

    /// Takes away what was counted up to a clear().
    fn subtract(&mut self, base: &[u64]) {
        if let (AggFunc::Stddev, [n, total, low, high], &[bn, bt, bl, bh]) =
            (self.func, self.words.as_mut_slice(), base)
        {
            let wide = |l: u64, h: u64| u128::from(h) << 64 | u128::from(l);
            let rest = wide(*low, *high).wrapping_sub(wide(bl, bh));
            (*n, *total) = (n.wrapping_sub(bn), total.wrapping_sub(bt));
            (*low, *high) = (rest as u64, (rest >> 64) as u64);
            return;
        }
        let skip = usize::from(matches!(self.func, AggFunc::Lquantize(_)));
        for (w, b) in self.words.iter_mut().zip(base).skip(skip) {
            *w = w.wrapping_sub(*b);
        }
    }
}

/// True if clear() and trunc() can be computed from running totals.
pub fn is_clearable(func: AggFunc) -> bool {
    !matches!(func, AggFunc::Min | AggFunc::Max)
}

/// A row to print: a key and its values, one for each aggregation of the printa.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// Parts of the key, none for `@ = ...`.
    pub keys: Vec<Key>,
    /// Values.
    pub values: Vec<Value>,
}

/// `-x aggsort*`.
#[derive(Debug, Clone, Copy, Default)]
pub struct Sort {
    by_key: bool,
    is_reversed: bool,
    value_position: usize,
    key_position: usize,
}

impl Sort {
    /// From the options in force.
    pub fn new(options: &Options) -> Self {
        let count = |id| usize::try_from(options.get(id)).unwrap_or(0);
        Self {
            by_key: options.get(OptionId::Aggsortkey) == 1,
            is_reversed: options.get(OptionId::Aggsortrev) == 1,
            value_position: count(OptionId::Aggsortpos),
            key_position: count(OptionId::Aggsortkeypos),
        }
    }

    fn sort(&self, rows: &mut [Row]) {
        rows.sort_by(|a, b| {
            let (values, keys) = (self.values(a, b), self.keys(a, b));
            let order = if self.by_key { keys.then(values) } else { values.then(keys) };
            if self.is_reversed {
                order.reverse()
            } else {
                order
            }
        });
    }

    fn values(&self, a: &Row, b: &Row) -> Ordering {
        let at = |i: usize| match (a.values.get(i), b.values.get(i)) {
            (Some(a), Some(b)) => a.compare(b),
            _ => Ordering::Equal,
        };
        (0..a.values.len()).fold(at(self.value_position), |order, i| order.then_with(|| at(i)))
    }

    fn keys(&self, a: &Row, b: &Row) -> Ordering {
        let at = |i: usize| match (a.keys.get(i), b.keys.get(i)) {
            (Some(a), Some(b)) => a.compare(b),
            _ => Ordering::Equal,
        };
        (0..a.keys.len()).fold(at(self.key_position), |order, i| order.then_with(|| at(i)))
    }
}

/// Variable and key.
type Place = (u32, Vec<Key>);

/// All aggregations of a session.
#[derive(Debug, Default)]
pub struct Store {
    /// What each CPU said last.
    cpus: BTreeMap<u32, HashMap<Place, Value>>,
    /// Where the counting stood at the last clear() or trunc(), and whether the key is out of
    /// sight until it counts again.
    bases: HashMap<Place, (Vec<u64>, bool)>,
    normals: HashMap<u32, i64>,
    printed: HashSet<u32>,
    layouts: HashMap<AggId, Rc<Layout>>,
}

/// How an entry of one aggregating action lies in a snapshot.
#[derive(Debug)]
struct Layout {
    variable: u32,
    size: usize,
    keys: Vec<RecDesc>,
    value: RecDesc,
    func: AggFunc,
}

impl Layout {
    fn new(a: Aggregation) -> Option<Self> {
        let (value, keys) = a.recs.split_last()?;
        let kind = ActionKind::from_number(value.action)?;
        let func = AggFunc::from_action(kind, value.arg)?;
        let size = usize::try_from(a.desc.size).ok()?;
        Some(Self { variable: a.desc.variable, size, keys: keys.to_vec(), value: *value, func })
    }

    fn entry(&self, bytes: &[u8]) -> Option<(Place, Value)> {
        let keys: Option<Vec<Key>> =
            self.keys.iter().map(|r| Some(Key::new(datum(bytes, r)?, r.ty))).collect();
        let words: Vec<u64> = datum(bytes, &self.value)?
            .chunks_exact(8)
            .map(|c| u64::from_le_bytes(c.try_into().unwrap_or_default()))
            .collect();
        let whole = words.len() >= self.func.words();
        whole
            .then(|| ((self.variable, keys?), Value { func: self.func, words, normal: 1 }).into())?
    }
}

/// The bytes that a record description names, if they are there.
pub fn datum<'a>(bytes: &'a [u8], rec: &RecDesc) -> Option<&'a [u8]> {
    let start = usize::try_from(rec.offset).ok()?;
    bytes.get(start..start.checked_add(usize::try_from(rec.size).ok()?)?)
}

impl Store {
    /// Takes a snapshot of every CPU; gives what was dropped.
    pub fn snap(&mut self, kernel: &mut dyn Kernel, cpus: &[u32]) -> Result<Vec<Drops>, Failure> {
        let mut drops = Vec::new();
        let mut data = Vec::new();
        for &cpu in cpus {
            let taken = kernel
                .snap(Buffer::Aggregation, cpu, &mut data)
                .map_err(|r| r.doing(format!("failed to take the aggregations of CPU {cpu}")))?;
            let Some(snapshot) = taken else { continue };
            if snapshot.drops > 0 {
                drops.push(status::aggregation(snapshot.drops, cpu));
            }
            let entries = self.read(kernel, &data)?;
            self.cpus.insert(cpu, entries);
        }
        Ok(drops)
    }

    fn read(
        &mut self,
        kernel: &mut dyn Kernel,
        mut data: &[u8],
    ) -> Result<HashMap<Place, Value>, Failure> {
        let mut entries: HashMap<Place, Value> = HashMap::new();
        while let Ok((head, rest)) = AggEntry::read_from_prefix(data) {
            if head.id == AggId::NONE {
                break;
            }
            let layout = self.layout(kernel, head.id)?;
            let Some(bytes) = rest.get(..layout.size) else {
                return Err(broken("an aggregation snapshot ends within an entry").into());
            };
            let Some((place, value)) = layout.entry(bytes) else {
                return Err(broken("an aggregation does not have the size it should have").into());
            };
            match entries.get_mut(&place) {
                Some(known) => known.func.merge(&mut known.words, &value.words),
                None => {
                    entries.insert(place, value);
                }
            }
            data = rest.get(layout.size.next_multiple_of(8)..).unwrap_or(&[]);
        }
        Ok(entries)
    }

    fn layout(&mut self, kernel: &mut dyn Kernel, id: AggId) -> Result<Rc<Layout>, Failure> {
        if let Some(layout) = self.layouts.get(&id) {
            return Ok(layout.clone());
        }
        let doing = || format!("failed to learn the layout of aggregation {}", id.0);
        let described = kernel.aggregation(id).map_err(|r| r.doing(doing()))?;
        let layout = Layout::new(described)
            .ok_or_else(|| Error::new(doing(), "the kernel describes no aggregating function"))?;
        let layout = Rc::new(layout);
        self.layouts.insert(id, layout.clone());
        Ok(layout)
    }

    /// The entries of one variable, CPUs folded together.
    fn merged(&self, variable: u32) -> HashMap<&[Key], Value> {
        let mut sum: HashMap<&[Key], Value> = HashMap::new();
        for entries in self.cpus.values() {
            for ((v, keys), value) in entries {
                if *v != variable {
                    continue;
                }
                match sum.get_mut(keys.as_slice()) {
                    Some(known) => known.func.merge(&mut known.words, &value.words),
                    None => {
                        sum.insert(keys, value.clone());
                    }
                }
            }
        }
        sum
    }

    fn current(&self, variable: u32) -> Vec<(Vec<Key>, Value)> {
        let normal = self.normals.get(&variable).copied().unwrap_or(1);
        let mut current = Vec::new();
        for (keys, mut value) in self.merged(variable) {
            value.normal = normal;
            if let Some((base, is_hidden)) = self.bases.get(&(variable, keys.to_vec())) {
                value.subtract(base);
                if *is_hidden && value.is_zero() {
                    continue;
                }
            }
            current.push((keys.to_vec(), value));
        }
        current
    }

    /// Rows of one or several aggregations, joined by key, sorted. A key that one of them lacks has
    /// a zero there.
    pub fn rows(&self, variables: &[u32], sort: Sort) -> Vec<Row> {
        let columns: Vec<Vec<(Vec<Key>, Value)>> =
            variables.iter().map(|&v| self.current(v)).collect();
        let blanks: Vec<Option<Value>> = columns
            .iter()
            .map(|c| {
                c.first().map(|(_, v)| {
                    let mut words = vec![0; v.words.len()];
                    if let (AggFunc::Lquantize(l), Some(first)) = (v.func, words.first_mut()) {
                        *first = l.encode();
                    }
                    Value { words, ..v.clone() }
                })
            })
            .collect();
        let count = Value { func: AggFunc::Count, words: vec![0], normal: 1 };
        let blank = || blanks.iter().map(|b| b.clone().unwrap_or(count.clone())).collect();
        let mut rows: HashMap<Vec<Key>, Vec<Value>> = HashMap::new();
        for (i, column) in columns.into_iter().enumerate() {
            for (keys, value) in column {
                if let Some(slot) = rows.entry(keys).or_insert_with(&blank).get_mut(i) {
                    *slot = value;
                }
            }
        }
        let mut rows: Vec<Row> =
            rows.into_iter().map(|(keys, values)| Row { keys, values }).collect();
        sort.sort(&mut rows);
        rows
    }

    /// printa() has shown it: not again at the end.
    pub fn mark_printed(&mut self, variable: u32) {
        self.printed.insert(variable);
    }

    /// Variables with entries that nothing has printed, in order of their definition.
    pub fn unprinted(&self) -> Vec<u32> {
        let mut all: Vec<u32> =
            self.cpus.values().flat_map(|e| e.keys().map(|place| place.0)).collect();
        all.sort_unstable();
        all.dedup();
        all.retain(|v| !self.printed.contains(v));
        all
    }

    /// clear(): keys stay, values are 0.
    pub fn clear(&mut self, variable: u32) {
        self.rebase(variable, |_| true, false);
    }

    /// trunc(): only `keep` entries stay, the highest, or the lowest if it is negative.
    pub fn truncate(&mut self, variable: u32, keep: i64) {
        let mut rows = self.rows(&[variable], Sort { is_reversed: keep > 0, ..Sort::default() });
        let keep = usize::try_from(keep.unsigned_abs()).unwrap_or(usize::MAX).min(rows.len());
        let gone: HashSet<Vec<Key>> = rows.drain(keep..).map(|r| r.keys).collect();
        self.rebase(variable, |keys| gone.contains(keys), true);
    }

    fn rebase(&mut self, variable: u32, wanted: impl Fn(&[Key]) -> bool, hide: bool) {
        let bases: Vec<(Place, (Vec<u64>, bool))> = self
            .merged(variable)
            .into_iter()
            .filter(|(keys, _)| wanted(keys))
            .map(|(keys, value)| ((variable, keys.to_vec()), (value.words, hide)))
            .collect();
        self.bases.extend(bases);
    }

    /// normalize(): values are shown divided by this.
    pub fn normalize(&mut self, variable: u32, by: i64) {
        self.normals.insert(variable, by.max(1));
    }

    /// denormalize().
    pub fn denormalize(&mut self, variable: u32) {
        self.normals.remove(&variable);
    }
}

fn broken(what: &str) -> Error {
    Error::new("failed to read the aggregations", what)
}
