// SPDX-License-Identifier: GPL-2.0
//! Aggregations, and adding up those of several machines.

use crate::line::is_no;
use crate::Datum;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::mem::size_of;

/// An aggregation at some time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Aggregation {
    /// The name without `@`.
    pub name: String,
    /// The name of the function in D.
    pub function: String,
    /// The arguments of `lquantize` and `llquantize` after the value, in D's order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parameters: Vec<i64>,
    /// Names of the keys, if the program's text has them; "" for a key without one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub keynames: Vec<String>,
    /// The entries, one for each combination of keys.
    pub entries: Vec<Entry>,
}

/// The value of an aggregation for certain keys.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// The keys in order.
    pub keys: Vec<Datum>,
    /// The number of a `count`, `sum`, `min`, `max`, `avg` or `stddev`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<i64>,
    /// The buckets of a distribution in the order of their values, without empty ones.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "sorted")]
    pub buckets: Vec<Bucket>,
    /// The number of values that an `avg` or `stddev` has seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<u64>,
    /// Their sum, not divided by `normal`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sum: Option<i64>,
    /// The sum of the squares of a `stddev`, not divided by `normal`: up to 128 bits as decimal
    /// digits.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "digits")]
    pub squares: Option<u128>,
    /// The value before `normalize()` divided it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub raw: Option<i64>,
    /// The divisor of `normalize()`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub normal: Option<i64>,
    /// A `min` or `max` that has seen no value since `clear()`.
    #[serde(default, skip_serializing_if = "is_no")]
    pub empty: bool,
}

/// Values from `low` to `high`, both included; `None` means without a bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bucket {
    /// The least value.
    pub low: Option<i64>,
    /// The greatest value.
    pub high: Option<i64>,
    /// The number of values.
    pub count: i64,
    /// The count before `normalize()` divided it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub raw: Option<i64>,
}

impl Aggregation {
    /// Tells whether the aggregation counts values in buckets.
    pub fn is_distribution(&self) -> bool {
        matches!(self.function.as_str(), "quantize" | "lquantize" | "llquantize")
    }

    /// Tells whether both come from the same statement of a program.
    pub fn is_like(&self, other: &Self) -> bool {
        self.name == other.name
            && self.function == other.function
            && self.parameters == other.parameters
    }

    /// Returns about how many bytes of memory the aggregation takes.
    pub fn size(&self) -> usize {
        size_of::<Self>() + self.entries.iter().map(Entry::size).sum::<usize>()
    }

    /// Returns the keys that several entries have. The bytes of such keys differ: a name may be cut
    /// within a character, and the same functions have other addresses in another process.
    pub fn twins(&self) -> HashSet<&[Datum]> {
        let mut seen = HashSet::new();
        let keys = self.entries.iter().map(|entry| entry.keys.as_slice());
        keys.filter(|keys| !seen.insert(*keys)).collect()
    }

    /// Adds up entries with the same keys. States are compared by keys, and an entry must not be
    /// compared with another one's value.
    pub fn add_up(&mut self) {
        if !self.twins().is_empty() {
            let entries = std::mem::take(&mut self.entries);
            self.entries = Sum::new(Self { entries, ..self.clone() }).aggregation.entries;
        }
    }

    /// Returns the divisor of `normalize()`, 1 without one; `None` if entries have different ones.
    pub fn divisor(&self) -> Option<i64> {
        let mut all = self.entries.iter().map(Entry::divisor);
        let first = all.next().unwrap_or(1);
        all.all(|other| other == first).then_some(first)
    }

    /// Returns the divisor of the entries that have one: a key that is new has none before the
    /// program's next `normalize()`. `None`: they have different ones, or none has one.
    pub fn common_divisor(&self) -> Option<i64> {
        let mut all = self.entries.iter().map(Entry::divisor).filter(|by| *by != 1);
        let first = all.next()?;
        all.all(|other| other == first).then_some(first)
    }

    /// Shows the values as they were before `normalize()`.
    pub fn denormalize(&mut self) {
        let function = &self.function;
        self.entries.iter_mut().for_each(|entry| entry.denormalize(function));
    }

    /// Returns the aggregation, undivided if its entries have different divisors: only values with
    /// the same divisor can be compared.
    pub fn comparable(&self) -> Cow<'_, Self> {
        let mut all = Cow::Borrowed(self);
        if self.divisor().is_none() {
            all.to_mut().denormalize();
        }
        all
    }

    /// Sorts the entries as dtrace does: by the value before `normalize()`, then by key.
    pub fn sort(&mut self) {
        let function = self.function.clone();
        self.entries.sort_by(|a, b| {
            let by_value = a.undivided(&function).cmp(&b.undivided(&function));
            let by_value =
                by_value.then_with(|| a.weight(&function).total_cmp(&b.weight(&function)));
            let by_value = by_value.then_with(|| a.zeros().cmp(&b.zeros()));
            by_value.then_with(|| a.keys.partial_cmp(&b.keys).unwrap_or(Ordering::Equal))
        });
    }
}

/// An aggregation that grows by those of other machines. It knows where each key's entry is, so
/// adding takes time for the added entries only.
#[derive(Debug)]
pub struct Sum {
    /// The sum so far.
    pub aggregation: Aggregation,
    /// The entries' places by the hash of their keys. If that number is taken by another entry, the
    /// place is at the next free one.
    places: HashMap<u64, usize>,
}

impl Sum {
    /// Begins with an aggregation.
    pub fn new(mut first: Aggregation) -> Self {
        let entries = std::mem::take(&mut first.entries);
        let mut sum = Self { aggregation: first, places: HashMap::new() };
        sum.put(entries);
        sum
    }

    /// Returns the sum, undivided if its entries have different divisors.
    pub fn finish(self) -> Aggregation {
        let mut sum = self.aggregation;
        if sum.divisor().is_none() {
            sum.denormalize();
        }
        sum
    }

    /// Adds another machine's values. The values of a key that both have are added up without loss.
    pub fn add(&mut self, other: Aggregation) {
        self.put(other.entries);
    }

    fn put(&mut self, entries: Vec<Entry>) {
        let all = &mut self.aggregation.entries;
        all.reserve(entries.len());
        for entry in entries {
            let mut number = hash(&entry.keys);
            let known = loop {
                let Some(at) = self.places.get(&number) else { break None };
                match all.get_mut(*at) {
                    Some(known) if known.keys == entry.keys => break Some(known),
                    _ => number = number.wrapping_add(1),
                }
            };
            match known {
                Some(known) => known.merge(&entry, &self.aggregation.function),
                None => {
                    self.places.insert(number, all.len());
                    all.push(entry);
                }
            }
        }
    }
}

fn hash(keys: &[Datum]) -> u64 {
    let mut hasher = DefaultHasher::new();
    keys.hash(&mut hasher);
    hasher.finish()
}

impl Entry {
    /// Returns the number by which entries are sorted: the value or, for a distribution, the sum of
    /// the buckets' bounds times their counts, all as they were before `normalize()`. The bound is
    /// the lower one; for negative `quantize` buckets it is the upper one.
    pub fn weight(&self, function: &str) -> f64 {
        let near = |b: &Bucket| match (b.low, b.high) {
            (Some(low), Some(high)) if function == "quantize" && high < 0 => high.max(low),
            (Some(low), _) => low,
            (None, high) => high.unwrap_or(0),
        };
        let buckets = self.buckets.iter().map(|b| near(b) as f64 * b.whole() as f64);
        self.undivided(function).map_or_else(|| buckets.sum(), |v| v as f64)
    }

    /// Returns the count of a distribution's row for 0, which adds nothing to the weight.
    fn zeros(&self) -> i64 {
        self.buckets.iter().find(|b| b.low == Some(0)).map_or(0, Bucket::whole)
    }

    /// Returns about how many bytes of memory the entry takes.
    pub fn size(&self) -> usize {
        let keys: usize = self.keys.iter().map(Datum::size).sum();
        size_of::<Self>() + keys + self.buckets.len() * size_of::<Bucket>()
    }

    /// Returns the number of values that a distribution has counted.
    pub fn total(&self) -> i64 {
        self.buckets.iter().fold(0, |sum, b| sum.wrapping_add(b.count))
    }

    /// Returns the buckets with the values that were added after an earlier state: `bucket` makes
    /// each from its bounds and the added count.
    pub(crate) fn buckets_since(
        &self,
        before: &Self,
        bucket: impl Fn(&Bucket, i64) -> Bucket,
    ) -> Vec<Bucket> {
        let added = |(now, old): (Option<&Bucket>, Option<&Bucket>)| {
            let now = now?;
            let added = now.whole().wrapping_sub(old.map_or(0, Bucket::whole));
            (added != 0).then(|| bucket(now, added))
        };
        pairs(&self.buckets, &before.buckets).filter_map(added).collect()
    }

    /// Tells whether something is missing that an earlier state of this entry had; then the program
    /// has cleared the aggregation.
    pub fn has_shrunk(&self, before: &Self, function: &str) -> bool {
        let whole = |e: &Self| e.raw.or(e.value);
        let count = |b: Option<&Bucket>| b.map_or(0, Bucket::whole);
        let mut both = pairs(&self.buckets, &before.buckets).map(|(a, b)| (count(a), count(b)));
        both.any(|(now, old)| old > 0 && now < old)
            || (function == "count" && whole(self) < whole(before))
            || self.count < before.count
    }

    /// Tells whether the entry is smaller than in an earlier state, so that `trunc(@a, N)` has
    /// removed it meanwhile. A sum can also fall by itself, but there it looks the same.
    pub fn has_fallen(&self, before: &Self, function: &str) -> bool {
        let whole = |e: &Self| e.raw.or(e.value);
        self.has_shrunk(before, function) || (function == "sum" && whole(self) < whole(before))
    }

    /// Returns an entry for the values that were added after an earlier state. Extremes and
    /// deviations stay those of this state.
    pub fn since(&self, before: &Self, function: &str) -> Self {
        let mut entry = self.clone();
        let normal = self.divisor();
        let whole = |e: &Self| e.raw.or(e.value).unwrap_or(0);
        match function {
            "count" | "sum" => {
                let added = whole(self).wrapping_sub(whole(before));
                entry.value = Some(added.wrapping_div(normal));
                entry.raw = self.normal.map(|_| added);
            }
            "avg" => {
                entry.count = self.count.zip(before.count).map(|(a, b)| a.wrapping_sub(b));
                entry.sum = self.sum.zip(before.sum).map(|(a, b)| a.wrapping_sub(b));
                entry.value = entry.of_moments(normal);
            }
            _ => {}
        }
        entry.buckets = self.buckets_since(before, |bucket, added| Bucket {
            count: added.wrapping_div(normal),
            raw: self.normal.map(|_| added),
            ..*bucket
        });
        entry
    }

    /// Adds the values of another machine for the same keys.
    pub fn merge(&mut self, other: &Self, function: &str) {
        if self.normal != other.normal {
            // Values with different divisors have no sum, so both are shown undivided.
            self.denormalize(function);
            let mut other = other.clone();
            other.denormalize(function);
            return self.add(&other, function);
        }
        self.add(other, function);
    }

    fn add(&mut self, other: &Self, function: &str) {
        let whole = |e: &Self| e.raw.or(e.value).unwrap_or(0);
        let both = (whole(self), whole(other));
        let both = match function {
            "min" if !self.empty && !other.empty => both.0.min(both.1),
            "max" if !self.empty && !other.empty => both.0.max(both.1),
            "min" | "max" if self.empty => both.1,
            "min" | "max" => both.0,
            _ => both.0.wrapping_add(both.1),
        };
        self.empty &= other.empty;
        if let (Some(count), Some(more)) = (self.count, other.count) {
            self.count = Some(count.wrapping_add(more));
            let sum = self.sum.unwrap_or(0).wrapping_add(other.sum.unwrap_or(0));
            self.sum = Some(sum);
            if let (Some(squares), Some(more)) = (self.squares, other.squares) {
                self.squares = Some(squares.wrapping_add(more));
            }
            self.value = self.of_moments(self.divisor());
        } else if self.value.is_some() {
            self.value = Some(both.wrapping_div(self.divisor()));
            self.raw = self.normal.map(|_| both);
        }
        let normal = self.divisor();
        let sum = |(own, more): (Option<&Bucket>, Option<&Bucket>)| {
            let (Some(own), Some(more)) = (own, more) else { return own.or(more).copied() };
            let all = own.whole().wrapping_add(more.whole());
            Some(Bucket { count: all.wrapping_div(normal), raw: own.raw.and(Some(all)), ..*own })
        };
        self.buckets = pairs(&self.buckets, &other.buckets).filter_map(sum).collect();
    }

    /// Returns the divisor of `normalize()`, 1 without one.
    pub fn divisor(&self) -> i64 {
        self.normal.unwrap_or(1).max(1)
    }

    /// Shows the values as they were before `normalize()`.
    pub fn denormalize(&mut self, function: &str) {
        self.value = self.undivided(function);
        self.normal = None;
        self.raw = None;
        for bucket in &mut self.buckets {
            bucket.count = bucket.whole();
            bucket.raw = None;
        }
    }

    /// Returns the value before `normalize()`; `None` for a distribution.
    pub fn undivided(&self, function: &str) -> Option<i64> {
        self.divided(function, 1)
    }

    /// Returns the value as it would be with this divisor, whatever divisor it has; `None` for a
    /// distribution.
    pub fn divided(&self, function: &str, by: i64) -> Option<i64> {
        match function {
            "avg" | "stddev" => self.of_moments(by),
            _ => self.raw.or(self.value).map(|whole| whole.wrapping_div(by.max(1))),
        }
    }

    /// Returns the average or deviation with this divisor, by dtrace's arithmetic; the unchanged
    /// value if the stream has no moments.
    fn of_moments(&self, normal: i64) -> Option<i64> {
        let (Some(count), Some(sum)) = (self.count, self.sum) else { return self.value };
        if count == 0 {
            return Some(0);
        }
        let Some(squares) = self.squares else {
            return Some(sum.wrapping_div(normal).wrapping_div(i64::try_from(count).unwrap_or(1)));
        };
        let normal = u128::from(normal.unsigned_abs());
        let count = u128::from(count);
        let mean = u128::from(sum.unsigned_abs()) / normal / count;
        let variance =
            (squares / normal / normal / count).saturating_sub(mean.saturating_mul(mean));
        Some(i64::try_from(variance.isqrt()).unwrap_or(i64::MAX))
    }
}

/// Goes through two sorted lists side by side: buckets of the same bounds come together. A program
/// may use thousands of buckets, so nothing here may search a list for each.
fn pairs<'a>(
    a: &'a [Bucket],
    b: &'a [Bucket],
) -> impl Iterator<Item = (Option<&'a Bucket>, Option<&'a Bucket>)> {
    let (mut a, mut b) = (a.iter().peekable(), b.iter().peekable());
    std::iter::from_fn(move || {
        let order = match (a.peek(), b.peek()) {
            (None, None) => return None,
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some(a), Some(b)) => a.order().cmp(&b.order()),
        };
        Some((a.next_if(|_| order != Ordering::Greater), b.next_if(|_| order != Ordering::Less)))
    })
}

/// Reads buckets. The order of a stream from elsewhere is not trusted.
fn sorted<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Vec<Bucket>, D::Error> {
    let mut buckets = Vec::<Bucket>::deserialize(from)?;
    buckets.sort_by_key(Bucket::order);
    Ok(buckets)
}

impl Bucket {
    fn order(&self) -> (i64, i64) {
        (self.low.unwrap_or(i64::MIN), self.high.unwrap_or(i64::MAX))
    }

    /// Returns the count before `normalize()`.
    pub fn whole(&self) -> i64 {
        self.raw.unwrap_or(self.count)
    }
}

/// Writes a number of 128 bits as a string of digits.
mod digits {
    use serde::{de::Error, Deserialize, Deserializer, Serializer};

    pub fn serialize<S: Serializer>(n: &Option<u128>, to: S) -> Result<S::Ok, S::Error> {
        match n {
            Some(n) => to.serialize_str(&n.to_string()),
            None => to.serialize_none(),
        }
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<u128>, D::Error> {
        let text = Option::<String>::deserialize(from)?;
        text.map(|t| t.parse().map_err(D::Error::custom)).transpose()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_weights_are_sorted_by_the_count_of_0() {
        let entry = |key: &str, buckets: &[(i64, i64)]| Entry {
            keys: vec![Datum::String(key.into())],
            buckets: (buckets.iter())
                .map(|&(at, count)| Bucket { low: Some(at), high: Some(at), count, raw: None })
                .collect(),
            ..Entry::default()
        };
        let mut a = Aggregation {
            name: String::new(),
            function: "quantize".into(),
            parameters: Vec::new(),
            keynames: Vec::new(),
            entries: vec![
                entry("a", &[(0, 2)]),
                entry("b", &[(0, 1)]),
                entry("c", &[(-1, 1), (1, 1)]),
                entry("d", &[(1, 1)]),
            ],
        };
        a.sort();
        let order: Vec<String> = a.entries.iter().map(|e| e.keys[0].to_string()).collect();
        assert_eq!(order, ["c", "b", "a", "d"]);
    }

    /// normalize() divides the entries that it finds, and a later key is not divided.
    #[test]
    fn values_are_sorted_and_compared_undivided() {
        let sorted = |function: &str, entries: &str| {
            let text = format!(r#"{{"name":"","function":"{function}","entries":[{entries}]}}"#);
            let mut a: Aggregation = serde_json::from_str(&text).unwrap();
            a.sort();
            a
        };
        let values = |a: &Aggregation| a.entries.iter().map(|e| e.value).collect::<Vec<_>>();
        let mixed = sorted(
            "count",
            r#"{"keys":[],"value":7,"raw":7001,"normal":1000},{"keys":[],"value":900},
               {"keys":[],"value":7,"raw":7000,"normal":1000}"#,
        );
        assert_eq!(values(&mixed), [Some(900), Some(7), Some(7)]);
        assert_eq!(mixed.entries[1].raw, Some(7000));
        assert_eq!(mixed.divisor(), None);
        let shown = mixed.comparable();
        assert_eq!(values(&shown), [Some(900), Some(7000), Some(7001)]);
        assert_eq!(shown.divisor(), Some(1));
        let averages = sorted(
            "avg",
            r#"{"keys":[],"value":1,"count":2,"sum":39,"normal":10},
               {"keys":[],"value":1,"count":1,"sum":12,"normal":10}"#,
        );
        assert_eq!(averages.entries[0].sum, Some(12));
        assert_eq!(averages.divisor(), Some(10));
        assert!(matches!(averages.comparable(), Cow::Borrowed(_)));
        let spread = sorted(
            "quantize",
            r#"{"keys":[],"buckets":[{"low":4,"high":7,"count":1,"raw":15}],"normal":10},
               {"keys":[],"buckets":[{"low":4,"high":7,"count":9}]}"#,
        );
        let shown = spread.comparable();
        assert_eq!(shown.entries.iter().map(Entry::total).collect::<Vec<_>>(), [9, 15]);
    }

    /// Returns an entry with these buckets, each from `at` to `at + 9`, read from a stream.
    fn spread(buckets: &[(i64, i64)]) -> Entry {
        let bucket = |(at, count): &(i64, i64)| {
            format!(r#"{{"low":{at},"high":{},"count":{count}}}"#, at + 9)
        };
        let buckets: Vec<String> = buckets.iter().map(bucket).collect();
        serde_json::from_str(&format!(r#"{{"keys":[],"buckets":[{}]}}"#, buckets.join(",")))
            .unwrap()
    }

    fn counts(entry: &Entry) -> Vec<(i64, i64)> {
        entry.buckets.iter().map(|b| (b.low.unwrap(), b.count)).collect()
    }

    #[test]
    fn buckets_of_two_states_meet() {
        let before = spread(&[(0, 1), (20, 5)]);
        let now = spread(&[(30, 2), (0, 1), (20, 7), (-10, 3)]);
        assert_eq!(counts(&now), [(-10, 3), (0, 1), (20, 7), (30, 2)]);
        assert!(!now.has_shrunk(&before, "lquantize"));
        assert!(before.has_shrunk(&now, "lquantize"));
        assert!(spread(&[(20, 9)]).has_shrunk(&before, "lquantize"));
        assert_eq!(counts(&now.since(&before, "lquantize")), [(-10, 3), (20, 2), (30, 2)]);
        let mut both = now;
        both.merge(&spread(&[(40, 1), (10, 4), (30, 1)]), "lquantize");
        let expected = [(-10, 3), (0, 1), (10, 4), (20, 7), (30, 3), (40, 1)];
        assert_eq!(counts(&both), expected);
    }
}
