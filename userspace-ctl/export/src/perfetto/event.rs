// SPDX-License-Identifier: GPL-2.0
//! One event of Chrome's trace event format.

use super::Track;
use serde_json::{json, Map, Value};

/// The kind of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    /// A slice with both ends.
    Complete,
    /// A slice whose end was not recorded.
    Begin,
    /// A point in time.
    Instant,
    /// The value of a counter from here on.
    Counter,
}

/// An event.
#[derive(Debug)]
pub(super) struct Event {
    pub(super) name: String,
    pub(super) category: String,
    pub(super) phase: Phase,
    /// Nanoseconds.
    pub(super) at: u64,
    /// Nanoseconds.
    pub(super) lasted: u64,
    pub(super) track: Track,
    pub(super) args: Map<String, Value>,
}

impl Event {
    /// The event as JSON.
    pub(super) fn line(&self) -> String {
        let Track { pid, tid } = self.track;
        let phase = match self.phase {
            Phase::Complete => "X",
            Phase::Begin => "B",
            Phase::Instant => "i",
            Phase::Counter => "C",
        };
        let event = json!({"ph": phase, "name": self.name, "cat": self.category, "pid": pid, "tid": tid,
            "args": self.args});
        let mut times = format!("\"ts\":{}", microseconds(self.at));
        match self.phase {
            Phase::Complete => times += &format!(",\"dur\":{}", microseconds(self.lasted)),
            // The event is shown on its thread only.
            Phase::Instant => times += ",\"s\":\"t\"",
            Phase::Begin | Phase::Counter => {}
        }
        event.to_string().replacen('{', &format!("{{{times},"), 1)
    }
}

/// Converts to microseconds, the unit of the format. A floating-point number would lose nanoseconds
/// after 104 days.
fn microseconds(ns: u64) -> String {
    format!("{}.{:03}", ns / 1000, ns % 1000)
}
