// SPDX-License-Identifier: GPL-2.0
//! The lines of a stream, as `docs/json.md` describes them.

use crate::Datum;
use serde::Deserialize;

/// A line of any type.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum Line {
    /// The first one.
    Dtrace {
        /// Of the stream.
        schema: u32,
        /// Of the command.
        version: String,
    },
    /// An enabled program.
    Program {
        /// Its file, or its text up to the first body.
        name: String,
        /// How many probes it matched.
        probes: u64,
    },
    /// A clause that ran.
    Record(Record),
    /// An aggregation at the end.
    Aggregation(Aggregation),
    /// Data that was lost.
    Drop(Drop),
    /// A clause that a fault ended.
    Fault(Fault),
    /// Other news.
    Note {
        /// In words.
        text: String,
    },
    /// What ended the run.
    Error {
        /// In words.
        text: String,
    },
    /// The last one.
    Exit {
        /// Of the command.
        status: i32,
    },
    /// A type that this crate does not know.
    #[serde(other)]
    Other,
}

/// A probe's number and name.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Deserialize)]
pub struct Probe {
    /// As `-l` shows it.
    pub id: u32,
    /// Part of its name.
    pub provider: String,
    /// Part of its name.
    pub module: String,
    /// Part of its name.
    pub function: String,
    /// Part of its name.
    pub name: String,
}

impl Probe {
    /// The four parts with colons.
    pub fn full_name(&self) -> String {
        format!("{}:{}:{}:{}", self.provider, self.module, self.function, self.name)
    }
}

/// A clause that ran.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Record {
    /// When, in nanoseconds of D's `timestamp`.
    pub timestamp: u64,
    /// Where.
    pub cpu: u32,
    /// What fired.
    pub probe: Probe,
    /// What the clause recorded, in order.
    pub actions: Vec<Action>,
}

/// What one action recorded. Which of the members are there depends on the action.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Action {
    /// Its name in D.
    pub action: String,
    /// The value of `trace`, `stack` and their kin; any JSON for `print`.
    #[serde(flatten, deserialize_with = "crate::value::maybe")]
    pub value: Option<Datum>,
    /// What it prints.
    #[serde(default)]
    pub text: Option<String>,
    /// Of `printf`.
    #[serde(default)]
    pub values: Vec<Datum>,
    /// Of `printa`.
    #[serde(default)]
    pub aggregations: Vec<Aggregation>,
    /// Of `exit`.
    #[serde(default)]
    pub status: Option<i32>,
}

/// An aggregation as it stood at some time.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Aggregation {
    /// Without the `@`.
    pub name: String,
    /// Its name in D.
    pub function: String,
    /// One for each combination of keys.
    pub entries: Vec<Entry>,
}

/// The value of an aggregation for certain keys.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Entry {
    /// In order.
    pub keys: Vec<Datum>,
    /// The number of a `count`, `sum`, `min`, `max`, `avg` or `stddev`.
    #[serde(default)]
    pub value: Option<i64>,
    /// The buckets of a distribution that are not empty.
    #[serde(default)]
    pub buckets: Vec<Bucket>,
    /// The divisor of `normalize()`.
    #[serde(default)]
    pub normal: Option<i64>,
}

/// Values from `low` to `high`, both included; `None` means without a bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub struct Bucket {
    /// The least value.
    pub low: Option<i64>,
    /// The greatest value.
    pub high: Option<i64>,
    /// How many values.
    pub count: i64,
}

/// Data that was lost.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Drop {
    /// What and why, as `-x droptags` says it.
    pub tag: String,
    /// How many.
    pub count: u64,
    /// Where, if that is known.
    pub cpu: Option<u32>,
    /// In words.
    pub text: String,
}

/// A clause that a fault ended.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Fault {
    /// What had fired.
    pub probe: Probe,
    /// The kind of fault.
    pub fault: String,
    /// In words.
    pub text: String,
}
