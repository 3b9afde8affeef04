// SPDX-License-Identifier: GPL-2.0
//! The lines of a stream, as `docs/json.md` describes them.

use crate::{Aggregation, Datum};
use serde::{Deserialize, Serialize};
use std::ops::Not;

/// A line of any type.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum Line {
    /// The first one.
    Dtrace {
        /// Of the stream.
        schema: u32,
        /// Of the command.
        version: String,
    },
    /// The machine that was traced.
    Machine(Machine),
    /// An enabled program.
    Program {
        /// Its file, or its text up to the first body.
        name: String,
        /// How many probes it matched.
        probes: u64,
    },
    /// A clause that ran.
    Record(Record),
    /// All aggregations as they stood.
    Snapshot(Snapshot),
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
        /// When, in D's `timestamp`; older streams do not tell it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        timestamp: Option<u64>,
    },
    /// A type that this crate does not know.
    #[serde(other)]
    Other,
}

/// The machine that was traced.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Machine {
    /// Its name.
    pub host: String,
    /// The kernel's release.
    pub kernel: String,
    /// As `uname -m` calls it.
    pub architecture: String,
    /// How many are online.
    pub cpus: u32,
    /// Nanoseconds since 1970 when the command began.
    pub walltimestamp: u64,
    /// D's `timestamp` at the same moment.
    pub timestamp: u64,
}

impl Machine {
    /// Nanoseconds since 1970 at a `timestamp` of this machine.
    pub fn wall(&self, timestamp: u64) -> u64 {
        let since = i128::from(timestamp) - i128::from(self.timestamp);
        u64::try_from(i128::from(self.walltimestamp) + since).unwrap_or(0)
    }
}

/// A probe's number and name.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
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
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// When, in nanoseconds of D's `timestamp`.
    pub timestamp: u64,
    /// Where.
    pub cpu: u32,
    /// The process that ran, with `-x threads`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pid: Option<u32>,
    /// Its thread.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tid: Option<u32>,
    /// The name of the thread.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub execname: Option<String>,
    /// In a merged stream, the machine's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// What fired.
    pub probe: Probe,
    /// What the clause recorded, in order.
    pub actions: Vec<Action>,
}

/// What one action recorded. Which of the members are there depends on the action.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Members", into = "Members")]
pub struct Action {
    /// Its name in D.
    pub action: String,
    /// The value of `trace`, `stack` and their kin.
    pub value: Option<Datum>,
    /// Of `print`.
    pub printed: Option<Printed>,
    /// What it prints.
    pub text: Option<String>,
    /// Of `printf`.
    pub values: Vec<Datum>,
    /// Of `printa`.
    pub aggregations: Vec<Aggregation>,
    /// The name of the aggregation that `clear`, `trunc`, `normalize` and `denormalize` change.
    pub aggregation: Option<String>,
    /// The second argument of `trunc` and `normalize`.
    pub by: Option<i64>,
    /// Of `exit`.
    pub status: Option<i32>,
    /// The name that `setopt` sets.
    pub option: Option<String>,
}

/// A value with its type in C.
#[derive(Debug, Clone, PartialEq)]
pub struct Printed {
    /// The type.
    pub ctype: String,
    /// Structs are objects, arrays lists.
    pub value: serde_json::Value,
}

/// An action as it stands in the stream: `value` means one thing with `type`, another with `ctype`, and a third one
/// with `option`.
#[derive(Serialize, Deserialize)]
struct Members {
    action: String,
    #[serde(rename = "type", default, skip_serializing_if = "Option::is_none")]
    ty: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ctype: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    option: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    value: Option<serde_json::Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    values: Vec<Datum>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    aggregations: Vec<Aggregation>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    aggregation: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    by: Option<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    status: Option<i32>,
}

impl TryFrom<Members> for Action {
    type Error = serde_json::Error;

    fn try_from(m: Members) -> Result<Self, Self::Error> {
        let mut action = Self {
            action: m.action,
            text: m.text,
            values: m.values,
            aggregations: m.aggregations,
            aggregation: m.aggregation,
            by: m.by,
            status: m.status,
            option: m.option,
            ..Self::default()
        };
        let value = m.value.unwrap_or_default();
        if let Some(ty) = m.ty {
            action.value = Some(Datum::from_members(ty, value)?);
        } else if let Some(ctype) = m.ctype {
            action.printed = Some(Printed { ctype, value });
        } else if let (Some(_), serde_json::Value::String(text)) = (&action.option, value) {
            action.text = Some(text);
        }
        Ok(action)
    }
}

impl From<Action> for Members {
    fn from(a: Action) -> Self {
        let (ty, of_type) = a.value.map(Datum::into_members).unzip();
        let (ctype, of_ctype) = a.printed.map(|p| (p.ctype, p.value)).unzip();
        let (text, of_option) = match &a.option {
            Some(_) => (None, Some(a.text.into())),
            None => (a.text, None),
        };
        Self {
            action: a.action,
            ty,
            ctype,
            option: a.option,
            value: of_type.or(of_ctype).or(of_option),
            text,
            values: a.values,
            aggregations: a.aggregations,
            aggregation: a.aggregation,
            by: a.by,
            status: a.status,
        }
    }
}

/// All aggregations as they stood at some time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Snapshot {
    /// When they were read, in D's `timestamp`.
    pub timestamp: u64,
    /// Those that had entries.
    pub aggregations: Vec<Aggregation>,
    /// How many records stand before it in the stream.
    #[serde(skip)]
    pub after: usize,
}

/// Data that was lost.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Drop {
    /// What and why, as `-x droptags` says it.
    pub tag: String,
    /// How many.
    pub count: u64,
    /// Where, if that is known.
    pub cpu: Option<u32>,
    /// In a merged stream, the machine's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// In words.
    pub text: String,
}

/// A clause that a fault ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Fault {
    /// What had fired.
    pub probe: Probe,
    /// Its enabled probe.
    #[serde(default)]
    pub epid: u32,
    /// Which action, from 1; 0 is the predicate.
    #[serde(default)]
    pub action: u32,
    /// Of the instruction, if there is one.
    #[serde(default)]
    pub offset: Option<i64>,
    /// The kind of fault.
    pub fault: String,
    /// Where, if it is a matter of an address.
    #[serde(default)]
    pub address: Option<String>,
    /// In a merged stream, the machine's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// In words.
    pub text: String,
}

/// Is this the value that a stream leaves out?
pub(crate) fn is_no(flag: &bool) -> bool {
    flag.not()
}
