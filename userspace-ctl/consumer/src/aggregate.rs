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
use std::cell::Cell;
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

    /// Returns the place of the value in the order of values.
    fn rank(&self) -> Rank {
        #[cfg(test)]
        tests::RANKED.set(tests::RANKED.get() + 1);
        match self.func {
            AggFunc::Quantize | AggFunc::Lquantize(_) | AggFunc::Llquantize(_) => {
                Rank(in_line(self.weighted()), self.zeros())
            }
            // normalize() changes what is shown, not the order: quotients may be equal.
            _ => Rank(self.divided(1), 0),
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

/// The place of a value in the order of values. It is computed once, because a distribution has
/// thousands of words, and a sort compares each value many times.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Rank(i64, i64);

/// Returns a number for each float, in the order of [`f64::total_cmp`].
fn in_line(float: f64) -> i64 {
    let bits = float.to_bits() as i64;
    bits ^ (((bits >> 63) as u64) >> 1) as i64
}

/// Shows the kernel that we are alive during work of many small steps.
#[derive(Debug)]
struct Steps<'a> {
    symbols: &'a Symbols,
    done: Cell<usize>,
}

impl<'a> Steps<'a> {
    /// A step takes up to some milliseconds, and the kernel waits for half a minute.
    const BETWEEN_SIGNS: usize = 256;

    fn new(symbols: &'a Symbols) -> Self {
        Self { symbols, done: Cell::new(0) }
    }

    #[inline]
    fn step(&self) {
        self.done.set(self.done.get() + 1);
        if self.done.get() % Self::BETWEEN_SIGNS == 0 {
            self.symbols.beat();
        }
    }
}

/// A row to print: a key and its values, one for each aggregation of the printa.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row<'a> {
    /// The parts of the key; none for `@ = ...`.
    pub keys: &'a [Key],
    /// The values.
    pub values: Vec<&'a Value>,
}

/// The rows of one or several aggregations, in order. They refer to the entries, because there may
/// be millions.
#[derive(Debug)]
pub struct Rows<'a> {
    places: Vec<Place<'a>>,
    /// The values of all rows: one for each aggregation, `None` where it lacks the key.
    values: Vec<Option<&'a Value>>,
    /// What a missing entry of each aggregation shows.
    blank: Vec<Value>,
    symbols: &'a Symbols,
}

/// A row while it is sorted.
#[derive(Debug)]
struct Place<'a> {
    /// The rank of the value that decides first.
    rank: Rank,
    keys: &'a [Key],
    /// The number of the row before sorting.
    row: usize,
}

impl Rows<'_> {
    /// Drops all rows but the first ones.
    pub fn truncate(&mut self, most: usize) {
        self.places.truncate(most);
    }

    /// Returns the rows in order, and shows the kernel meanwhile that we are alive.
    pub fn iter(&self) -> impl Iterator<Item = Row<'_>> {
        let steps = Steps::new(self.symbols);
        self.places.iter().map(move |place| {
            steps.step();
            let values = (0..self.blank.len()).filter_map(|i| self.value(place, i)).collect();
            Row { keys: place.keys, values }
        })
    }

    /// Returns a row's value of the aggregation at this position.
    fn value(&self, place: &Place<'_>, position: usize) -> Option<&Value> {
        let blank = self.blank.get(position)?;
        let known = self.values.get(place.row * self.blank.len() + position)?;
        Some(known.unwrap_or(blank))
    }

    fn rank(&self, place: &Place<'_>, position: usize) -> Rank {
        self.value(place, position).map_or(Rank::default(), Value::rank)
    }

    fn sort(&mut self, sort: Sort) {
        let mut places = std::mem::take(&mut self.places);
        let steps = Steps::new(self.symbols);
        let width = self.blank.len();
        // A position that no aggregation has is none: the first one decides.
        let first = Some(sort.value_position).filter(|at| *at < width).unwrap_or(0);
        let others: Vec<usize> = (0..width).filter(|at| *at != first).collect();
        let mut ranks = Vec::with_capacity(places.len() * others.len());
        for place in &mut places {
            steps.step();
            place.rank = self.rank(place, first);
            ranks.extend(others.iter().map(|at| self.rank(place, *at)));
        }
        let others = |place: &Place<'_>| ranks.chunks(others.len().max(1)).nth(place.row);
        places.sort_by(|a, b| {
            steps.step();
            let values = || a.rank.cmp(&b.rank).then_with(|| others(a).cmp(&others(b)));
            sort.order(values, || sort.keys(a.keys, b.keys))
        });
        self.places = places;
    }
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

    fn order(
        &self,
        values: impl FnOnce() -> Ordering,
        keys: impl FnOnce() -> Ordering,
    ) -> Ordering {
        let order = if self.by_key { keys().then_with(values) } else { values().then_with(keys) };
        if self.is_reversed {
            order.reverse()
        } else {
            order
        }
    }

    fn keys(&self, a: &[Key], b: &[Key]) -> Ordering {
        let at = |i: usize| match (a.get(i), b.get(i)) {
            (Some(a), Some(b)) => a.compare(b),
            _ => Ordering::Equal,
        };
        (0..a.len()).fold(at(self.key_position), |order, i| order.then_with(|| at(i)))
    }
}

/// The part of the machine's memory that the entries may have. Sorting them takes as much again at
/// most.
const PART: usize = 8;
/// The most entries, because to sort and print more would take minutes.
const MOST_ENTRIES: usize = 8_000_000;
/// Without a known size of the memory.
const MOST: usize = 1 << 30;

/// Returns the bytes of memory that an entry takes. A table that grows has up to three places for
/// each entry, and each list is an allocation.
fn weight(keys: &[Key], value: &Value) -> usize {
    const LIST: usize = 16;
    let of_keys = keys.iter().map(|k| size_of::<Key>() + k.bytes.len() + LIST).sum::<usize>();
    3 * size_of::<(Vec<Key>, Value)>() + of_keys + size_of_val(&value.words[..]) + 2 * LIST
}

/// The entries of an aggregation.
type Entries = HashMap<Vec<Key>, Value>;

/// All aggregations of a session.
#[derive(Debug, Default)]
pub struct Store {
    totals: HashMap<u32, Entries>,
    /// The memory that the totals take, and the most that they may take.
    weight: usize,
    most: usize,
    /// The number of entries, and the most that there may be.
    entries: usize,
    most_entries: usize,
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
        let most_entries = MOST_ENTRIES;
        Self { types, funcs, symbols, most, most_entries, ..Self::default() }
    }

    /// Makes a store with these entries of aggregation 1, for tests.
    #[cfg(test)]
    pub(crate) fn fixed(entries: impl IntoIterator<Item = (Vec<Key>, Value)>) -> Self {
        let mut store = Self { most: usize::MAX, most_entries: usize::MAX, ..Self::default() };
        for (keys, value) in entries {
            assert!(store.add(1, keys, value));
        }
        store
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
        let symbols = self.symbols.clone();
        let steps = Steps::new(&symbols);
        while let Ok((head, rest)) = AggEntry::read_from_prefix(data) {
            if head.id == AggId::NONE {
                break;
            }
            steps.step();
            let layout = self.layout(kernel, head.id)?;
            let Some(bytes) = rest.get(..head.size as usize) else {
                return Err(broken("a snapshot ends within an entry").into());
            };
            let Some((keys, value)) = layout.entry(bytes, &symbols) else {
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
                if needed > self.most || self.entries >= self.most_entries {
                    return false;
                }
                self.weight = needed;
                self.entries += 1;
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

    /// Returns the rows of one or several aggregations, joined by key and sorted. A key that one of
    /// the aggregations lacks has a zero there.
    pub fn rows(&self, variables: &[u32], sort: Sort) -> Rows<'_> {
        let columns = variables.iter().map(|v| self.totals.get(v));
        let func = |variable: &u32| self.funcs.get(variable).copied().unwrap_or(AggFunc::Count);
        let blank = |(of, entries): (&u32, Option<&Entries>)| match entries
            .and_then(|entries| entries.values().next())
        {
            Some(value) => Value { normal: 1, ..value.zeroed() },
            None => Value::none(func(of)),
        };
        let width = variables.len();
        let mut rows = Rows {
            places: Vec::new(),
            values: Vec::new(),
            blank: variables.iter().zip(columns.clone()).map(blank).collect(),
            symbols: &self.symbols,
        };
        let mut known: HashMap<&[Key], usize> = HashMap::new();
        let steps = Steps::new(&self.symbols);
        for (i, column) in columns.enumerate() {
            for (keys, value) in column.into_iter().flatten() {
                steps.step();
                let new = rows.places.len();
                let row = if width == 1 { new } else { *known.entry(keys).or_insert(new) };
                if row == new {
                    rows.places.push(Place { rank: Rank::default(), keys, row });
                    rows.values.resize(rows.values.len() + width, None);
                }
                if let Some(slot) = rows.values.get_mut(row * width + i) {
                    *slot = Some(value);
                }
            }
        }
        drop(known);
        rows.sort(sort);
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
        self.change(variable, |value| *value = value.cleared());
    }

    /// Does trunc(): keeps only `keep` entries, the highest ones, or the lowest ones if `keep` is
    /// negative.
    pub fn truncate(&mut self, variable: u32, keep: i64) {
        let Some(entries) = self.totals.get_mut(&variable) else { return };
        let most = usize::try_from(keep.unsigned_abs()).unwrap_or(usize::MAX);
        if most >= entries.len() {
            return;
        }
        let steps = Steps::new(&self.symbols);
        // A table that has become large stays so, so the entries that are kept get a new one.
        let all = std::mem::take(entries).into_iter().inspect(|_| steps.step());
        let mut forget = |keys: Vec<Key>, value: Value| {
            self.weight -= weight(&keys, &value);
            self.entries -= 1;
        };
        if most == 0 {
            return all.for_each(|(keys, value)| forget(keys, value));
        }
        let mut ranked: Vec<(Rank, Vec<Key>, Value)> =
            all.map(|(keys, value)| (value.rank(), keys, value)).collect();
        let by_keys = Sort::default();
        ranked.select_nth_unstable_by(most, |a, b| {
            steps.step();
            let order = a.0.cmp(&b.0).then_with(|| by_keys.keys(&a.1, &b.1));
            if keep > 0 {
                order.reverse()
            } else {
                order
            }
        });
        for (_, keys, value) in ranked.drain(most..) {
            steps.step();
            forget(keys, value);
        }
        let kept = ranked.into_iter().inspect(|_| steps.step());
        entries.extend(kept.map(|(_, keys, value)| (keys, value)));
    }

    /// Does normalize(): the values that exist are shown divided by `by`, which is at least 1.
    /// Entries that come later have no divisor.
    pub fn normalize(&mut self, variable: u32, by: i64) {
        self.change(variable, |value| value.normal = by);
    }

    /// Does denormalize().
    pub fn denormalize(&mut self, variable: u32) {
        self.normalize(variable, 1);
    }

    /// Changes the values of all entries.
    fn change(&mut self, variable: u32, f: impl Fn(&mut Value)) {
        let steps = Steps::new(&self.symbols);
        for value in self.totals.get_mut(&variable).into_iter().flat_map(HashMap::values_mut) {
            steps.step();
            f(value);
        }
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

    fn key(n: u64) -> Vec<Key> {
        let (bytes, action) = (n.to_le_bytes().to_vec(), ActionKind::DifExpr);
        vec![Key { bytes, ty: DifType::default(), is_unsigned: true, action }]
    }

    fn count(n: u64) -> Value {
        Value { func: AggFunc::Count, words: vec![n], normal: 1, is_cleared: false }
    }

    /// A traced program that chooses ever new keys takes no more than there is for all. What it has
    /// is counted on, and trunc() makes room.
    #[test]
    fn totals_have_a_limit() {
        let most = 100 * weight(&key(0), &count(1));
        for mut store in
            [Store { most, ..Store::fixed([]) }, Store { most_entries: 100, ..Store::fixed([]) }]
        {
            limited(&mut store);
        }
    }

    fn limited(store: &mut Store) {
        let add = |store: &mut Store, variable, n| store.add(variable, key(n), count(1));
        let fit = (0..1000).filter(|n| add(store, 1, *n)).count();
        assert_eq!((fit, add(store, 2, 0), add(store, 1, 99)), (100, false, true));
        let rows = store.rows(&[1], Sort::default());
        let row = rows.iter().last().unwrap();
        assert_eq!((row.keys, row.values[0].scalar()), (&key(99)[..], 2));
        store.clear(1);
        assert!(!add(store, 2, 0));
        store.truncate(1, 60);
        let fit = (0..1000).filter(|n| add(store, 2, *n)).count();
        assert_eq!(fit, 40);
        [1, 2].map(|variable| store.truncate(variable, 0));
        assert_eq!((store.weight, store.entries), (0, 0));
    }

    /// The kernel takes a consumer for dead after half a minute of silence, which is less than it
    /// takes to sort millions of entries.
    #[test]
    fn long_work_is_not_silent() {
        const MANY: u64 = 20_000;
        let mut store = Store::fixed([]);
        (0..MANY).for_each(|n| assert!(store.add(1, key(n), count(n % 7))));
        let symbols = store.symbols.clone();
        let signs = |before: usize| symbols.asked_to_beat() - before;
        let steps = |times: usize| times * MANY as usize / Steps::BETWEEN_SIGNS - times;
        let before = symbols.asked_to_beat();
        let rows = store.rows(&[1], Sort::default());
        // Each entry is found, ranked, and compared at least once.
        assert!(signs(before) >= steps(3), "{}", signs(before));
        let before = symbols.asked_to_beat();
        assert_eq!(rows.iter().count() as u64, MANY);
        assert!(signs(before) >= steps(1));
        let changes: [fn(&mut Store); 3] =
            [|s| s.clear(1), |s| s.normalize(1, 2), |s| s.truncate(1, -19_999)];
        for change in changes {
            let before = symbols.asked_to_beat();
            change(&mut store);
            assert!(signs(before) >= steps(1));
        }
        let before = symbols.asked_to_beat();
        store.truncate(1, 0);
        assert!(signs(before) >= steps(1) && store.filled().is_empty());
    }

    /// The rows refer to the entries: a copy of all of them would take as much memory again.
    #[test]
    fn rows_of_several_aggregations_are_joined() {
        let mut store = Store::fixed([]);
        for (variable, n, value) in [(1, 1, 5), (1, 2, 5), (2, 2, 7), (2, 3, 1), (1, 4, 4)] {
            assert!(store.add(variable, key(n), count(value)));
        }
        let shown = |sort| -> Vec<(Vec<Key>, Vec<i64>)> {
            let rows = store.rows(&[1, 2, 3], sort);
            let of =
                |row: Row<'_>| (row.keys.to_vec(), row.values.iter().map(|v| v.scalar()).collect());
            rows.iter().map(of).collect()
        };
        let row = |n, a, b| (key(n), vec![a, b, 0]);
        let by_value = [row(3, 0, 1), row(4, 4, 0), row(1, 5, 0), row(2, 5, 7)];
        assert_eq!(shown(Sort::default()), by_value);
        let second = Sort { value_position: 1, is_reversed: true, ..Sort::default() };
        let by_second = [row(2, 5, 7), row(3, 0, 1), row(1, 5, 0), row(4, 4, 0)];
        assert_eq!(shown(second), by_second);
        let by_key = Sort { by_key: true, ..Sort::default() };
        assert_eq!(shown(by_key), [row(1, 5, 0), row(2, 5, 7), row(3, 0, 1), row(4, 4, 0)]);
    }

    #[test]
    fn floats_stand_in_line() {
        let all = [f64::NEG_INFINITY, -2.5, -1.0, -0.0, 0.0, 1e-300, 1.0, 2.5, f64::INFINITY];
        assert!(all.is_sorted_by(|a, b| in_line(*a) < in_line(*b)));
    }

    thread_local! {
        /// The number of ranks that were computed.
        pub(super) static RANKED: Cell<usize> = const { Cell::new(0) };
    }

    /// A distribution may have a thousand words, and a sort of many equal values compares each of
    /// them many times.
    #[test]
    fn a_rank_is_computed_once() {
        let mut store = Store::fixed([]);
        for n in 0..500 {
            [1, 2, 3].map(|variable| assert!(store.add(variable, key(n), count(1))));
        }
        let at = |value_position| Sort { value_position, ..Sort::default() };
        for (variables, sort) in [
            (&[1][..], at(0)),
            (&[1], at(1)),
            (&[1, 2, 3], at(0)),
            (&[1, 2, 3], at(2)),
            (&[1, 2, 3], at(3)),
        ] {
            RANKED.set(0);
            let rows = store.rows(variables, sort);
            assert!(rows.iter().is_sorted_by(|a, b| sort.keys(a.keys, b.keys).is_lt()));
            assert_eq!(RANKED.get(), rows.places.len() * variables.len());
        }
    }

    /// Aggregations that are filled and emptied one after the other share the memory for all.
    #[test]
    fn trunc_gives_back_the_memory_of_the_table() {
        for (keep, most) in [(0, 0), (10, 100), (-10, 100)] {
            let mut store = Store::fixed([]);
            (0..5000).for_each(|n| assert!(store.add(1, key(n), count(n))));
            store.truncate(1, keep);
            let table = &store.totals[&1];
            assert_eq!(table.len() as u64, keep.unsigned_abs());
            assert!(table.capacity() <= most, "{keep}: {}", table.capacity());
            let lowest = if keep < 0 { 0 } else { 5000 - keep.unsigned_abs() };
            (0..keep.unsigned_abs()).for_each(|n| assert!(table.contains_key(&key(lowest + n))));
        }
    }

    /// normalize() is for the entries that it finds, and clear() keeps them.
    #[test]
    fn a_divisor_is_of_an_entry() {
        let mut store = Store::fixed([]);
        let add = |store: &mut Store, n| assert!(store.add(1, key(n), count(1000)));
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
