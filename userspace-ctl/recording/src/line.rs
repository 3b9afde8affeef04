// SPDX-License-Identifier: GPL-2.0
//! The lines of a stream, as `docs/json.md` describes them.

use crate::{Aggregation, Datum};
use serde::{Deserialize, Serialize};
use std::mem::size_of;
use std::ops::Not;

/// A line of any type.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum Line {
    /// The first line.
    Dtrace {
        /// The version of the stream's format.
        schema: u32,
        /// The version of the command.
        version: String,
    },
    /// The machine that was traced.
    Machine(Machine),
    /// An enabled program.
    Program {
        /// Its file, or its text up to the first body.
        name: String,
        /// Number of probes that it matched.
        probes: u64,
    },
    /// A clause that ran.
    Record(Record),
    /// All aggregations at some time.
    Snapshot(Snapshot),
    /// An aggregation at the end.
    Aggregation(Aggregation),
    /// Lost data.
    Drop(Drop),
    /// A fault that ended a clause.
    Fault(Fault),
    /// Another message.
    Note {
        /// The message as text.
        text: String,
    },
    /// An error that ended the run.
    Error {
        /// The message as text.
        text: String,
    },
    /// The last line.
    Exit {
        /// The exit status of the command.
        status: i32,
        /// When the command ended, in D's `timestamp`; older streams lack it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        timestamp: Option<u64>,
    },
    /// A type that this crate does not know.
    #[serde(other)]
    Other,
}

impl Line {
    /// Adds up the entries with the same keys of each aggregation.
    pub fn add_up(&mut self) {
        match self {
            Self::Record(record) => {
                let all = record.actions.iter_mut().flat_map(|a| &mut a.aggregations);
                all.for_each(Aggregation::add_up);
            }
            Self::Snapshot(snapshot) => {
                snapshot.aggregations.iter_mut().for_each(Aggregation::add_up);
            }
            Self::Aggregation(aggregation) => aggregation.add_up(),
            _ => {}
        }
    }
}

/// The machine that was traced.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Machine {
    /// The host name.
    pub host: String,
    /// The kernel's release.
    pub kernel: String,
    /// The name that `uname -m` prints.
    pub architecture: String,
    /// Number of CPUs online.
    pub cpus: u32,
    /// When the command began, in nanoseconds since 1970.
    pub walltimestamp: u64,
    /// D's `timestamp` at the same moment.
    pub timestamp: u64,
}

impl Machine {
    /// Returns the nanoseconds since 1970 at a `timestamp` of this machine.
    pub fn wall(&self, timestamp: u64) -> u64 {
        let since = i128::from(timestamp) - i128::from(self.timestamp);
        u64::try_from(i128::from(self.walltimestamp) + since).unwrap_or(0)
    }
}

/// A probe's number and name.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Probe {
    /// The number that `-l` prints.
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
    /// Returns the four parts joined by colons.
    pub fn full_name(&self) -> String {
        format!("{}:{}:{}:{}", self.provider, self.module, self.function, self.name)
    }
}

/// A clause that ran.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// When it ran, in nanoseconds of D's `timestamp`.
    pub timestamp: u64,
    /// The CPU on which it ran.
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
    /// The probe that fired.
    pub probe: Probe,
    /// The data that the clause recorded, in order.
    pub actions: Vec<Action>,
}

impl Record {
    /// Returns about how many bytes of memory the record takes.
    pub fn size(&self) -> usize {
        let Probe { provider, module, function, name, .. } = &self.probe;
        let names = [provider, module, function, name].map(String::len).into_iter();
        let actions = self.actions.iter().map(Action::size);
        size_of::<Self>() + names.chain(actions).sum::<usize>()
    }
}

/// The data that one action recorded. The action decides which of the members exist.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Members", into = "Members")]
pub struct Action {
    /// The name in D.
    pub action: String,
    /// The value of `trace`, `stack` and similar actions.
    pub value: Option<Datum>,
    /// The value of `print`.
    pub printed: Option<Printed>,
    /// The text that it prints.
    pub text: Option<String>,
    /// The values of `printf`.
    pub values: Vec<Datum>,
    /// The aggregations of `printa`.
    pub aggregations: Vec<Aggregation>,
    /// The name of the aggregation that `clear`, `trunc`, `normalize` and `denormalize` change.
    pub aggregation: Option<String>,
    /// The second argument of `trunc` and `normalize`.
    pub by: Option<i64>,
    /// The status of `exit`.
    pub status: Option<i32>,
    /// The name that `setopt` sets.
    pub option: Option<String>,
}

/// The effect of an action on the entries of an aggregation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reset {
    /// `clear()`: all values begin anew.
    Cleared,
    /// `trunc(@a)`: all entries are removed.
    Removed,
    /// `trunc(@a, N)`: some entries are removed, and the others keep their values.
    Cut,
}

impl Action {
    fn size(&self) -> usize {
        let text = self.text.as_ref().map_or(0, String::len);
        let printed = self.printed.as_ref().map_or(0, |p| p.ctype.len() + json_size(&p.value));
        let data = self.values.iter().chain(&self.value).map(Datum::size);
        let aggregations = self.aggregations.iter().map(Aggregation::size);
        size_of::<Self>() + text + printed + data.chain(aggregations).sum::<usize>()
    }

    /// Returns the text that the program prints. A command of `system()`, a file of `freopen()` and
    /// a value of `setopt()` are none.
    pub fn said(&self) -> Option<&str> {
        let is_said = !matches!(self.action.as_str(), "system" | "freopen" | "setopt");
        self.text.as_deref().filter(|_| is_said)
    }

    /// Returns the name of the aggregation that the action resets, and how.
    pub fn reset(&self) -> Option<(&str, Reset)> {
        let reset = match (self.action.as_str(), self.by) {
            ("clear", _) => Reset::Cleared,
            ("trunc", None | Some(0)) => Reset::Removed,
            ("trunc", Some(_)) => Reset::Cut,
            _ => return None,
        };
        self.aggregation.as_deref().map(|name| (name, reset))
    }
}

/// A value with its type in C.
#[derive(Debug, Clone, PartialEq)]
pub struct Printed {
    /// The type.
    pub ctype: String,
    /// Structs are objects, arrays lists.
    pub value: serde_json::Value,
}

fn json_size(value: &serde_json::Value) -> usize {
    use serde_json::Value;
    let inside = match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
        Value::String(text) => text.len(),
        Value::Array(all) => all.iter().map(json_size).sum(),
        Value::Object(all) => {
            all.iter().map(|(k, v)| size_of::<String>() + k.len() + json_size(v)).sum()
        }
    };
    size_of::<Value>() + inside
}

/// An action in the form of the stream, where `value` has a different meaning with `type`, with
/// `ctype` and with `option`.
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

/// All aggregations at some time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Snapshot {
    /// When they were read, in D's `timestamp`.
    pub timestamp: u64,
    /// The aggregations that had entries.
    pub aggregations: Vec<Aggregation>,
    /// Number of records before it in the stream.
    #[serde(skip)]
    pub after: usize,
}

impl Snapshot {
    /// Returns about how many bytes of memory the snapshot takes.
    pub fn size(&self) -> usize {
        size_of::<Self>() + self.aggregations.iter().map(Aggregation::size).sum::<usize>()
    }
}

/// Lost data.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Drop {
    /// The tag of `-x droptags` for the kind of data and the reason.
    pub tag: String,
    /// The number of losses.
    pub count: u64,
    /// The CPU, if known.
    pub cpu: Option<u32>,
    /// In a merged stream, the machine's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// The message as text.
    pub text: String,
}

/// A fault that ended a clause.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Fault {
    /// The probe that had fired.
    pub probe: Probe,
    /// The id of the enabled probe.
    #[serde(default)]
    pub epid: u32,
    /// The number of the action, from 1; 0 is the predicate.
    #[serde(default)]
    pub action: u32,
    /// The byte offset of the instruction in its object, if there is one.
    #[serde(default)]
    pub offset: Option<i64>,
    /// The kind of fault.
    pub fault: String,
    /// The address, if the fault is about one.
    #[serde(default)]
    pub address: Option<String>,
    /// In a merged stream, the machine's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// The message as text.
    pub text: String,
}

/// Tells whether this is the value that a stream leaves out.
pub(crate) fn is_no(flag: &bool) -> bool {
    flag.not()
}
