// SPDX-License-Identifier: GPL-2.0
//! Aggregations: the sum over all CPUs, cleared, truncated, normalised, sorted.
//!
//! A snapshot holds what a CPU aggregated since its last one, and taking it empties the kernel's
//! table. So every snapshot is merged into one running total, and clear() only resets that total.
//!
//! A traced program can choose the keys, and choose ever new ones. So the totals have a limit;
//! beyond it, entries with new keys are dropped and counted.
//!
//! Several aggregating actions (of several clauses and probes) may feed one D variable. Entries are
//! joined by variable and the bytes of the key.

use crate::datum::{self, is_stack, is_symbol};
use crate::error::{Error, Failure};
use crate::kernel::{Aggregation, Buffer, Kernel, Room};
use crate::status::{self, Drops};
use crate::symbol::{stack_of, Symbols};
use abi::action::ActionKind;
use abi::aggregation::{isqrt, quantize_value, AggFunc, QUANTIZE_ZERO};
use abi::difo::DifType;
use abi::ids::AggId;
use abi::option::{OptionId, Options};
use abi::record::{AggEntry, RecDesc};
use d::ValueType;
use libproc::budget;
use std::cmp::Ordering;
use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use zerocopy::FromBytes;

/// One part of a key: its bytes (a string without NUL) and type.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Key {
    /// The value's bytes.
    pub bytes: Vec<u8>,
    /// The type, which decides how to print and compare it.
    pub ty: DifType,
    /// Tells whether an integer is unsigned; the kernel does not know.
    pub is_unsigned: bool,
    /// The action that recorded it.
    pub action: ActionKind,
}

impl Key {
    fn new(bytes: &[u8], rec: &RecDesc, is_unsigned: bool, symbols: &Symbols) -> Self {
        let ty = rec.ty;
        let action = ActionKind::from_number(rec.action).unwrap_or(ActionKind::DifExpr);
        if is_symbol(action) {
            // All addresses of a function or a module become one key.
            let bytes = symbols.recorded(action, bytes).into_bytes();
            let (ty, action) = (DifType::string(0), ActionKind::DifExpr);
            return Self { bytes, ty, is_unsigned, action };
        }
        let (bytes, ty) = match ty.is_string() {
            _ if is_stack(action) => (stack_of(action, bytes), ty),
            // The space reserved for a string is not part of its value.
            true => (abi::probe::until_nul(bytes), DifType { size: 0, ..ty }),
            false => (bytes, ty),
        };
        if let (ActionKind::Ustack | ActionKind::Jstack, Some(pid)) = (action, bytes.first_chunk())
        {
            symbols.refresh_process(u64::from_le_bytes(*pid));
        }
        Self { bytes: bytes.to_vec(), ty, is_unsigned, action }
    }

    /// Orders all keys in one line, whatever they hold: a sort panics if they go in a circle.
    fn compare(&self, other: &Self) -> Ordering {
        // A stack of one address is as long as an integer.
        let int = |k: &Self| match k.ty.is_string() || k.ty.is_by_ref() || is_stack(k.action) {
            true => None,
            false if k.is_unsigned => datum::unsigned(&k.bytes).map(i128::from),
            false => datum::signed(&k.bytes).map(i128::from),
        };
        match (int(self), int(other)) {
            (None, None) => self.bytes.cmp(&other.bytes),
            (a, b) => a.cmp(&b),
        }
    }
}

/// An aggregated value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Value {
    /// The aggregating function.
    pub func: AggFunc,
    /// The words of the value, [`AggFunc::words`] in number.
    pub words: Vec<u64>,
    /// The divisor of normalize().
    pub normal: i64,
    /// clear() reset it and no value has arrived since, so an extreme has no meaning.
    pub is_cleared: bool,
}

impl Value {
    /// Returns one number for the value: count, sum, extreme, average or deviation; for a
    /// distribution its weighted total.
    pub fn scalar(&self) -> i64 {
        self.divided(self.normal.max(1))
    }

    fn divided(&self, normal: i64) -> i64 {
        let word = |i: usize| self.words.get(i).copied().unwrap_or(0);
        match self.func {
            AggFunc::Avg => match word(0) {
                0 => 0,
                n => (word(1) as i64).wrapping_div(normal).wrapping_div(n as i64),
            },
            AggFunc::Stddev => self.deviation(normal),
            AggFunc::Quantize | AggFunc::Lquantize(_) | AggFunc::Llquantize(_) => {
                self.weighted() as i64
            }
            AggFunc::Min | AggFunc::Max if self.is_cleared => 0,
            _ => (word(0) as i64).wrapping_div(normal),
        }
    }

    /// Returns the square root of: the mean of the squares minus the square of the mean.
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
            AggFunc::Llquantize(l) => {
                let terms = self.words.iter().skip(1).enumerate();
                terms.map(|(b, &w)| l.lower_bound(b) as f64 * w as i64 as f64).sum()
            }
            _ => self.scalar() as f64,
        }
    }

    /// Returns the count of a distribution's row for 0, which adds nothing to the weighted total.
    fn zeros(&self) -> i64 {
        let at = match self.func {
            AggFunc::Quantize => Some(QUANTIZE_ZERO),
            // The words before the rows are the parameters, and the values below the first row.
            AggFunc::Lquantize(l) => (2..self.words.len()).find(|at| l.lower_bound(at - 1) == 0),
            _ => None,
        };
        at.and_then(|at| self.words.get(at)).map_or(0, |n| *n as i64)
    }

    fn compare(&self, other: &Self) -> Ordering {
        match self.func {
            AggFunc::Quantize | AggFunc::Lquantize(_) | AggFunc::Llquantize(_) => {
                let by_weight = self.weighted().total_cmp(&other.weighted());
                by_weight.then_with(|| self.zeros().cmp(&other.zeros()))
            }
            // normalize() changes what is shown, not the order: quotients may be equal.
            _ => self.divided(1).cmp(&other.divided(1)),
        }
    }

    /// Returns the state before the first value.
    fn none(func: AggFunc) -> Self {
        let mut words = vec![0; func.words()];
        func.init(&mut words);
        Self { func, words, normal: 1, is_cleared: true }
    }

    /// Returns the value that a missing entry shows: 0, also for extremes.
    fn zeroed(&self) -> Self {
        let mut words = vec![0; self.words.len()];
        if let (AggFunc::Lquantize(_) | AggFunc::Llquantize(_), Some(to), Some(from)) =
            (self.func, words.first_mut(), self.words.first())
        {
            *to = *from;
        }
        Self { words, ..*self }
    }

    /// Returns the value reset to the state before the first value.
    fn cleared(&self) -> Self {
        let mut value = self.zeroed();
        self.func.init(&mut value.words);
        value.is_cleared = true;
        value
    }
}

/// A row to print: a key and its values, one for each aggregation of the printa.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// The parts of the key; none for `@ = ...`.
    pub keys: Vec<Key>,
    /// The values.
    pub values: Vec<Value>,
}

/// The sort order of `-x aggsort*`.
#[derive(Debug, Clone, Copy, Default)]
pub struct Sort {
    by_key: bool,
    is_reversed: bool,
    value_position: usize,
    key_position: usize,
}

impl Sort {
    /// Reads the sort order from the options in force.
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

/// The part of the machine's memory that the entries may have. Printing them takes as much again.
const PART: usize = 8;
/// Without a known size of the memory.
const MOST: usize = 1 << 30;

/// Returns the bytes of memory that an entry takes. A table that grows has up to three places for
/// each entry, and each list is an allocation.
fn weight(keys: &[Key], value: &Value) -> usize {
    const LIST: usize = 16;
    let of_keys = keys.iter().map(|k| size_of::<Key>() + k.bytes.len() + LIST).sum::<usize>();
    3 * size_of::<(Vec<Key>, Value)>() + of_keys + size_of_val(&value.words[..]) + 2 * LIST
}

/// All aggregations of a session.
#[derive(Debug, Default)]
pub struct Store {
    totals: HashMap<u32, HashMap<Vec<Key>, Value>>,
    /// The memory that the totals take, and the most that they may take.
    weight: usize,
    most: usize,
    printed: HashSet<u32>,
    layouts: HashMap<AggId, Rc<Layout>>,
    /// The types of the keys, by variable.
    types: HashMap<u32, Vec<ValueType>>,
    /// The aggregating functions, by variable.
    funcs: HashMap<u32, AggFunc>,
    symbols: Symbols,
    room: Room,
}

/// The layout of an entry of one aggregating action in a snapshot.
#[derive(Debug)]
struct Layout {
    variable: u32,
    keys: Vec<(RecDesc, bool)>,
    value: RecDesc,
    func: AggFunc,
}

impl Layout {
    fn new(a: Aggregation, types: &HashMap<u32, Vec<ValueType>>) -> Option<Self> {
        let (value, keys) = a.recs.split_last()?;
        let types = types.get(&a.desc.variable).map_or(&[][..], Vec::as_slice);
        let is_unsigned = |i| types.get(i).copied().is_some_and(datum::is_unsigned);
        let keys = keys.iter().enumerate().map(|(i, rec)| (*rec, is_unsigned(i))).collect();
        let kind = ActionKind::from_number(value.action)?;
        let func = AggFunc::from_action(kind, value.arg)?;
        Some(Self { variable: a.desc.variable, keys, value: *value, func })
    }

    fn entry(&self, bytes: &[u8], symbols: &Symbols) -> Option<(Vec<Key>, Value)> {
        let key =
            |(r, u): &(RecDesc, bool)| Some(Key::new(datum::bytes(bytes, r)?, r, *u, symbols));
        let keys: Option<Vec<Key>> = self.keys.iter().map(key).collect();
        let words: Vec<u64> = datum::bytes(bytes, &self.value)?
            .chunks_exact(8)
            .map(|c| u64::from_le_bytes(c.try_into().unwrap_or_default()))
            .collect();
        let whole = words.len() >= self.func.words();
        whole.then_some((keys?, Value { func: self.func, words, normal: 1, is_cleared: false }))
    }
}

impl Store {
    /// Makes a store for the aggregations of the programs.
    pub fn new(known: &[d::Aggregation], symbols: Symbols) -> Self {
        let types = known.iter().map(|a| (a.number, a.keys.clone())).collect();
        let funcs = known.iter().map(|a| (a.number, a.func)).collect();
        let most = budget::memory().map_or(MOST, |bytes| bytes / PART);
        Self { types, funcs, symbols, most, ..Self::default() }
    }

    /// Takes a snapshot of every CPU; returns what was dropped.
    pub fn snap(&mut self, kernel: &mut dyn Kernel, cpus: &[u32]) -> Result<Vec<Drops>, Failure> {
        let mut drops = Vec::new();
        let mut room = std::mem::take(&mut self.room);
        for &cpu in cpus {
            let taken = kernel
                .snap(Buffer::Aggregation, cpu, &mut room)
                .map_err(|r| r.doing(format!("failed to take the aggregations of CPU {cpu}")))?;
            let Some(snapshot) = taken else { continue };
            let dropped = snapshot.drops + self.fold(kernel, room.taken())?;
            if dropped > 0 {
                drops.push(status::aggregation(dropped, cpu));
            }
        }
        self.room = room;
        Ok(drops)
    }

    /// Adds a snapshot to the totals; returns how many entries found no room.
    fn fold(&mut self, kernel: &mut dyn Kernel, mut data: &[u8]) -> Result<u64, Failure> {
        let mut dropped = 0;
        while let Ok((head, rest)) = AggEntry::read_from_prefix(data) {
            if head.id == AggId::NONE {
                break;
            }
            let layout = self.layout(kernel, head.id)?;
            let Some(bytes) = rest.get(..head.size as usize) else {
                return Err(broken("a snapshot ends within an entry").into());
            };
            let Some((keys, value)) = layout.entry(bytes, &self.symbols) else {
                return Err(broken("an entry is smaller than its key and value").into());
            };
            dropped += u64::from(!self.add(layout.variable, keys, value));
            data = rest.get(bytes.len()..).unwrap_or(&[]);
        }
        Ok(dropped)
    }

    /// Adds a value to the total of its key; returns false if there is no room for a new key.
    fn add(&mut self, variable: u32, keys: Vec<Key>, value: Value) -> bool {
        match self.totals.entry(variable).or_default().entry(keys) {
            Entry::Occupied(mut known) => {
                let known = known.get_mut();
                known.func.merge(&mut known.words, &value.words);
                known.is_cleared = false;
            }
            Entry::Vacant(place) => {
                let needed = self.weight.saturating_add(weight(place.key(), &value));
                if needed > self.most {
                    return false;
                }
                self.weight = needed;
                place.insert(value);
            }
        }
        true
    }

    fn layout(&mut self, kernel: &mut dyn Kernel, id: AggId) -> Result<Rc<Layout>, Failure> {
        if let Some(layout) = self.layouts.get(&id) {
            return Ok(layout.clone());
        }
        let doing = || format!("failed to learn the layout of aggregation {}", id.0);
        let described = kernel.aggregation(id).map_err(|r| r.doing(doing()))?;
        let layout = Layout::new(described, &self.types)
            .ok_or_else(|| Error::new(doing(), "the kernel describes no aggregating function"))?;
        let layout = Rc::new(layout);
        self.layouts.insert(id, layout.clone());
        Ok(layout)
    }

    fn current(&self, variable: u32) -> Vec<(Vec<Key>, Value)> {
        let entries = self.totals.get(&variable).into_iter().flatten();
        entries.map(|(keys, value)| (keys.clone(), value.clone())).collect()
    }

    /// Returns the rows of one or several aggregations, joined by key and sorted. A key that one of
    /// the aggregations lacks has a zero there.
    pub fn rows(&self, variables: &[u32], sort: Sort) -> Vec<Row> {
        let columns: Vec<Vec<(Vec<Key>, Value)>> =
            variables.iter().map(|&v| self.current(v)).collect();
        let func = |variable| self.funcs.get(variable).copied().unwrap_or(AggFunc::Count);
        let blank: Vec<Value> = columns
            .iter()
            .zip(variables)
            .map(|(c, variable)| match c.first() {
                Some((_, value)) => Value { normal: 1, ..value.zeroed() },
                None => Value::none(func(variable)),
            })
            .collect();
        let mut rows: HashMap<Vec<Key>, Vec<Value>> = HashMap::new();
        for (i, column) in columns.into_iter().enumerate() {
            for (keys, value) in column {
                if let Some(slot) = rows.entry(keys).or_insert_with(|| blank.clone()).get_mut(i) {
                    *slot = value;
                }
            }
        }
        let mut rows: Vec<Row> =
            rows.into_iter().map(|(keys, values)| Row { keys, values }).collect();
        sort.sort(&mut rows);
        rows
    }

    /// Notes that printa() has shown the variable, so it is not printed again at the end.
    pub fn mark_printed(&mut self, variable: u32) {
        self.printed.insert(variable);
    }

    /// Returns the variables that have entries, in order of their definition.
    pub fn filled(&self) -> Vec<u32> {
        let filled = self.totals.iter().filter(|(_, entries)| !entries.is_empty());
        let mut all: Vec<u32> = filled.map(|(v, _)| *v).collect();
        all.sort_unstable();
        all
    }

    /// Returns the filled variables that nothing has printed.
    pub fn unprinted(&self) -> Vec<u32> {
        let mut all = self.filled();
        all.retain(|v| !self.printed.contains(v));
        all
    }

    /// Does clear(): keys stay, values become 0.
    pub fn clear(&mut self, variable: u32) {
        let entries = self.totals.get_mut(&variable).into_iter().flatten();
        entries.for_each(|(_, value)| *value = value.cleared());
    }

    /// Does trunc(): keeps only `keep` entries, the highest ones, or the lowest ones if `keep` is
    /// negative.
    pub fn truncate(&mut self, variable: u32, keep: i64) {
        let mut rows = self.rows(&[variable], Sort { is_reversed: keep > 0, ..Sort::default() });
        let keep = usize::try_from(keep.unsigned_abs()).unwrap_or(usize::MAX).min(rows.len());
        if let Some(entries) = self.totals.get_mut(&variable) {
            for row in rows.drain(keep..) {
                if let Some((keys, value)) = entries.remove_entry(&row.keys) {
                    self.weight -= weight(&keys, &value);
                }
            }
        }
    }

    /// Does normalize(): the values that exist are shown divided by `by`, which is at least 1.
    /// Entries that come later have no divisor.
    pub fn normalize(&mut self, variable: u32, by: i64) {
        let entries = self.totals.get_mut(&variable).into_iter().flatten();
        entries.for_each(|(_, value)| value.normal = by);
    }

    /// Does denormalize().
    pub fn denormalize(&mut self, variable: u32) {
        self.normalize(variable, 1);
    }
}

fn broken(what: &str) -> Error {
    Error::new("failed to read the aggregations", what)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test")]
mod tests {
    use super::*;

    /// Stacks of one address and of several, whose bytes and numbers stand in opposite orders.
    #[test]
    fn the_order_of_stacks_has_no_circle() {
        let rec = RecDesc { action: ActionKind::Stack.number(), ..RecDesc::default() };
        let symbols = Symbols::default();
        let keys: Vec<Key> = [vec![0xff_u64], vec![0x100], vec![0x80, 1], vec![1 << 63]]
            .iter()
            .map(|stack| {
                let bytes: Vec<u8> = stack.iter().flat_map(|at| at.to_le_bytes()).collect();
                Key::new(&bytes, &rec, false, &symbols)
            })
            .collect();
        for a in &keys {
            for b in &keys {
                assert_eq!(a.compare(b), b.compare(a).reverse(), "{a:?} {b:?}");
                for c in &keys {
                    let in_line =
                        a.compare(b).is_gt() || b.compare(c).is_gt() || a.compare(c).is_le();
                    assert!(in_line, "{a:?} <= {b:?} <= {c:?}");
                }
            }
        }
    }

    /// A traced program that chooses ever new keys takes no more than there is for all. What it has
    /// is counted on, and trunc() makes room.
    #[test]
    fn totals_have_a_limit() {
        let key = |n: u64| {
            let (bytes, action) = (n.to_le_bytes().to_vec(), ActionKind::DifExpr);
            vec![Key { bytes, ty: DifType::default(), is_unsigned: true, action }]
        };
        let (words, func) = (vec![1], AggFunc::Count);
        let value = Value { func, words, normal: 1, is_cleared: false };
        let most = 100 * weight(&key(0), &value);
        let mut store = Store { most, ..Store::default() };
        let add = |store: &mut Store, variable, n| store.add(variable, key(n), value.clone());
        let fit = (0..1000).filter(|n| add(&mut store, 1, *n)).count();
        assert_eq!((fit, add(&mut store, 2, 0), add(&mut store, 1, 99)), (100, false, true));
        let row = store.rows(&[1], Sort::default()).pop().unwrap();
        assert_eq!((row.keys, row.values[0].scalar()), (key(99), 2));
        store.clear(1);
        assert!(!add(&mut store, 2, 0));
        store.truncate(1, 60);
        let fit = (0..1000).filter(|n| add(&mut store, 2, *n)).count();
        assert_eq!(fit, 40);
        [1, 2].map(|variable| store.truncate(variable, 0));
        assert_eq!(store.weight, 0);
    }

    /// normalize() is for the entries that it finds, and clear() keeps them.
    #[test]
    fn a_divisor_is_of_an_entry() {
        let mut store = Store { most: usize::MAX, ..Store::default() };
        let key = |n: u64| {
            let (bytes, action) = (n.to_le_bytes().to_vec(), ActionKind::DifExpr);
            vec![Key { bytes, ty: DifType::default(), is_unsigned: true, action }]
        };
        let (words, func) = (vec![1000], AggFunc::Count);
        let value = Value { func, words, normal: 1, is_cleared: false };
        let add = |store: &mut Store, n| assert!(store.add(1, key(n), value.clone()));
        let shown = |store: &Store| -> Vec<i64> {
            let rows = store.rows(&[1], Sort { by_key: true, ..Sort::default() });
            rows.iter().map(|row| row.values[0].scalar()).collect()
        };
        add(&mut store, 1);
        store.normalize(1, 10);
        add(&mut store, 2);
        assert_eq!(shown(&store), [100, 1000]);
        store.clear(1);
        [1, 2].map(|n| add(&mut store, n));
        assert_eq!(shown(&store), [100, 1000]);
        store.truncate(1, 0);
        [1, 2].map(|n| add(&mut store, n));
        assert_eq!(shown(&store), [1000, 1000]);
        store.normalize(1, 4);
        store.denormalize(1);
        assert_eq!(shown(&store), [1000, 1000]);
    }
}
