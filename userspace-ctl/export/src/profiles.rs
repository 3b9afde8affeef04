// SPDX-License-Identifier: GPL-2.0
//! Stacks as OTLP profiles: what aggregations by stack have counted since the collector last took
//! a request (`ExportProfilesServiceRequest` of `v1development`, with the stacks in its dictionary).
//!
//! A profile counts over an interval, while an aggregation counts from the start. Each sender
//! therefore remembers what it has sent of each entry.

use crate::keys;
use crate::metrics::Total;
use crate::pprof::{is_stack, title, unit, Numbered};
use crate::source::Source;
use crate::wire::Writer;
use recording::{Aggregation, Datum, Entry, Frame, Reset};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// The most bytes of the keys of all entries. A traced program can have names of many kilobytes.
const BYTES: usize = if cfg!(test) { 1 << 20 } else { 256 << 20 };

/// Where a request begins and ends, in nanoseconds since 1970.
#[derive(Debug, Clone, Copy)]
pub struct Interval {
    /// The end of the last interval.
    pub start: u64,
    /// The end of this one.
    pub end: u64,
}

/// What a profile says of its aggregation.
#[derive(Debug)]
struct About {
    title: String,
    unit: &'static str,
    keynames: Vec<String>,
}

/// An aggregation by stack.
#[derive(Debug)]
struct Kind {
    name: String,
    function: String,
    about: Arc<About>,
    /// The places of its entries, by their keys.
    places: HashMap<Arc<[Datum]>, usize>,
    /// The program has removed some of its entries since its last state.
    is_cut: bool,
}

/// An entry of an aggregation by stack.
#[derive(Debug)]
struct Stacked {
    kind: usize,
    keys: Arc<[Datum]>,
    total: Total,
    /// It has been the sum of several entries, of which the program may remove some.
    is_sum: bool,
}

/// The totals of all aggregations by stack. An entry keeps its place.
#[derive(Debug, Default)]
pub struct Stacks {
    limit: usize,
    kinds: Vec<Kind>,
    entries: Vec<Stacked>,
    /// The bytes of their keys.
    size: usize,
}

/// What a collector has got of each entry, by its place.
pub type Sent = Vec<i128>;

/// The keys of an entry, and what it has counted.
type Sample = (Arc<[Datum]>, i128);

/// What stacks have counted since the last request. This is taken while the registry is locked, and
/// the request is made afterwards, because the session must not wait for it.
#[derive(Debug)]
pub struct Added {
    kinds: Vec<(Arc<About>, Vec<Sample>)>,
    source: Source,
    /// The new totals.
    pub totals: Sent,
}

impl Stacks {
    /// Makes totals for at most `limit` entries.
    pub fn new(limit: usize) -> Self {
        Self { limit, ..Self::default() }
    }

    /// Takes the state of an entry, which may be a sum of several; returns false if it has no place:
    /// its aggregation does not add up, or there are too many entries or bytes.
    pub fn update(&mut self, aggregation: &Aggregation, entry: &Entry, is_sum: bool) -> bool {
        let Some(kind) = self.kind(aggregation) else { return false };
        let next = self.entries.len();
        let Some(Kind { places, is_cut, .. }) = self.kinds.get_mut(kind) else { return false };
        let at = match places.get(entry.keys.as_slice()) {
            Some(at) => *at,
            None if next >= self.limit => return false,
            None => {
                let size = self.size + entry.keys.iter().map(Datum::size).sum::<usize>();
                if size > BYTES {
                    return false;
                }
                self.size = size;
                let keys: Arc<[Datum]> = entry.keys.as_slice().into();
                places.insert(keys.clone(), next);
                self.entries.push(Stacked { kind, keys, total: Total::default(), is_sum });
                next
            }
        };
        let all = || entry.buckets.iter().fold(0i64, |sum, b| sum.saturating_add(b.whole()));
        let number = entry.raw.or(entry.value).unwrap_or_else(all);
        if let Some(known) = self.entries.get_mut(at) {
            known.is_sum |= is_sum;
            known.total.update(number, *is_cut && known.is_sum);
        }
        true
    }

    fn kind(&mut self, of: &Aggregation) -> Option<usize> {
        let is_known = |k: &Kind| k.name == of.name && k.function == of.function;
        if let Some(at) = self.kinds.iter().position(is_known) {
            return Some(at);
        }
        self.kinds.push(Kind {
            name: of.name.clone(),
            function: of.function.clone(),
            about: Arc::new(About {
                title: title(of).into(),
                unit: unit(of)?,
                keynames: keys::names(of),
            }),
            places: HashMap::new(),
            is_cut: false,
        });
        Some(self.kinds.len() - 1)
    }

    /// Notes that the program has reset an aggregation.
    pub fn reset(&mut self, name: &str, how: Reset) {
        if how == Reset::Cut {
            self.kinds.iter_mut().filter(|k| k.name == name).for_each(|k| k.is_cut = true);
            return;
        }
        for entry in &mut self.entries {
            if self.kinds.get(entry.kind).is_some_and(|k| k.name == name) {
                entry.total.restart();
            }
        }
    }

    /// Ends a state, after an update for each of its entries: an entry that the program has removed
    /// begins anew.
    pub fn end_state(&mut self, of: &Aggregation) {
        let is_cut = |k: &&mut Kind| k.is_cut && k.name == of.name && k.function == of.function;
        let Some(kind) = self.kinds.iter_mut().find(is_cut) else { return };
        kind.is_cut = false;
        let stay: HashSet<&[Datum]> = of.entries.iter().map(|e| e.keys.as_slice()).collect();
        for (_, at) in kind.places.iter().filter(|(keys, _)| !stay.contains(&***keys)) {
            if let Some(entry) = self.entries.get_mut(*at) {
                entry.total.restart();
            }
        }
    }

    /// Returns what was added to `sent`; `None` if there is nothing.
    pub fn added(&self, sent: &Sent, source: &Source) -> Option<Added> {
        let totals: Sent = self.entries.iter().map(|e| e.total.value()).collect();
        let mut kinds: Vec<(_, Vec<Sample>)> =
            self.kinds.iter().map(|kind| (kind.about.clone(), Vec::new())).collect();
        let before = sent.iter().copied().chain(std::iter::repeat(0));
        for ((entry, now), before) in self.entries.iter().zip(&totals).zip(before) {
            let kind = kinds.get_mut(entry.kind).filter(|_| *now != before);
            kind.into_iter().for_each(|k| k.1.push((entry.keys.clone(), now - before)));
        }
        kinds.retain(|(_, samples)| !samples.is_empty());
        (!kinds.is_empty()).then(|| Added { kinds, source: source.clone(), totals })
    }
}

impl Added {
    /// Writes the body of a request.
    pub fn written(&self, time: Interval) -> Vec<u8> {
        let mut tables = Tables::new();
        let mut profiles = Vec::new();
        for (about, all) in &self.kinds {
            let samples: Vec<_> =
                all.iter().map(|(keys, added)| tables.sample(about, keys, *added)).collect();
            let of = (tables.text(&about.title), tables.text(about.unit));
            profiles.push(profile(of, &samples, time));
        }
        let mut body = Writer::written(|to| {
            self.source.put(to, |to| profiles.iter().for_each(|p| to.bytes(2, p)));
        });
        body.extend(Writer::written(|to| to.bytes(2, &tables.finish())));
        body
    }
}

fn profile((ty, of_unit): (u64, u64), samples: &[Vec<u8>], time: Interval) -> Vec<u8> {
    Writer::written(|to| {
        to.nested(1, |to| {
            to.uint(1, ty);
            to.uint(2, of_unit);
        });
        samples.iter().for_each(|s| to.bytes(2, s));
        to.fixed(3, time.start);
        to.uint(4, time.end.saturating_sub(time.start));
    })
}

/// A function: its name and its file.
type Function = (u64, u64);
/// A location: its mapping and its functions, those inlined first.
type Location = (u64, Vec<u64>);

/// The dictionary of a request. In every table, place 0 means "nothing".
#[derive(Debug)]
struct Tables {
    texts: Numbered<String>,
    mappings: Numbered<u64>,
    functions: Numbered<Function>,
    locations: Numbered<Location>,
    stacks: Numbered<Vec<u64>>,
    attributes: Numbered<(u64, Value)>,
}

/// The value of an attribute.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Value {
    Text(String),
    Number(i64),
}

impl Tables {
    fn new() -> Self {
        Self {
            texts: Numbered::from(1),
            mappings: Numbered::from(1),
            functions: Numbered::from(1),
            locations: Numbered::from(1),
            stacks: Numbered::from(1),
            attributes: Numbered::from(1),
        }
    }

    fn text(&mut self, text: &str) -> u64 {
        match text {
            "" => 0,
            text => self.texts.number(text.into()).0,
        }
    }

    fn sample(&mut self, about: &About, keys: &[Datum], added: i128) -> Vec<u8> {
        // The kernel's frames are the innermost ones.
        let mut stacks: Vec<&Datum> = keys.iter().filter(|k| is_stack(k)).collect();
        stacks.sort_by_key(|s| matches!(s, Datum::Ustack(_)));
        let mut places = Vec::new();
        for stack in stacks {
            let mut lines = Vec::new();
            for frame in stack.frames().into_iter().flatten() {
                lines.push(self.function(frame));
                if !frame.is_inlined {
                    places.push(self.location(frame, std::mem::take(&mut lines)));
                }
            }
        }
        let stack = self.stacks.number(places).0;
        let mut attributes = Vec::new();
        for (name, key) in about.keynames.iter().zip(keys).filter(|(_, k)| !is_stack(k)) {
            let value = match key {
                Datum::Int(n) => Value::Number(*n),
                other => Value::Text(other.to_string()),
            };
            let name = self.text(name);
            attributes.push(self.attributes.number((name, value)).0);
        }
        let most = i128::from(i64::MAX);
        let added = added.clamp(-most, most);
        Writer::written(|to| {
            to.uint(1, stack);
            to.packed(2, attributes.into_iter());
            // CAST: an `int64` has the bits of the number.
            to.packed(4, std::iter::once(added as u64));
        })
    }

    fn function(&mut self, frame: Frame<'_>) -> u64 {
        let (name, object) = (self.text(frame.function), self.text(frame.object));
        self.functions.number((name, object)).0
    }

    fn location(&mut self, frame: Frame<'_>, lines: Vec<u64>) -> u64 {
        let mapping = match self.text(frame.object) {
            0 => 0,
            object => self.mappings.number(object).0,
        };
        self.locations.number((mapping, lines)).0
    }

    /// Writes the dictionary.
    fn finish(self) -> Vec<u8> {
        Writer::written(|to| {
            table(to, 1, self.mappings, |to, filename| to.uint(4, *filename));
            table(to, 2, self.locations, |to, (mapping, lines)| {
                to.uint_unless_0(1, *mapping);
                lines.iter().for_each(|function| to.nested(3, |to| to.uint(1, *function)));
            });
            table(to, 3, self.functions, |to, (name, file)| {
                to.uint(1, *name);
                to.uint(2, *name);
                to.uint_unless_0(3, *file);
            });
            to.nested(4, |_| {});
            to.text(5, "");
            self.texts.in_order().iter().for_each(|text| to.text(5, text));
            table(to, 6, self.attributes, |to, (key, value)| {
                to.uint(1, *key);
                to.nested(2, |to| match value {
                    Value::Text(text) => to.text(1, text),
                    Value::Number(n) => to.int(3, *n),
                });
            });
            table(to, 7, self.stacks, |to, places| to.packed(1, places.iter().copied()));
        })
    }
}

/// Writes a table; the empty message at place 0 comes first.
fn table<T: std::hash::Hash + Eq>(
    to: &mut Writer,
    field: u64,
    table: Numbered<T>,
    put: impl Fn(&mut Writer, &T),
) {
    to.nested(field, |_| {});
    table.in_order().iter().for_each(|thing| to.nested(field, |to| put(to, thing)));
}

#[cfg(test)]
mod tests;
