// SPDX-License-Identifier: GPL-2.0
//! The unfinished calls on one track; each return finds its entry.

use super::event::{Event, Phase};
use super::Track;
use recording::{Probe, Record};
use serde_json::{json, Map, Value};

/// The names of the two probes of a pair, or the ends of their names.
const PAIRS: &[(&str, &str)] = &[
    ("entry", "return"),
    ("-entry", "-return"),
    ("-begin", "-end"),
    ("-start", "-done"),
    ("-start", "-end"),
    ("-start", "-stop"),
];

/// The end of a slice that a probe marks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    First,
    Last,
}

/// The common part of two probes of a pair: provider, module, function, and the name without its
/// end.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Subject {
    provider: String,
    module: String,
    function: String,
    stem: String,
}

impl Subject {
    /// Returns the subject that a probe begins or ends.
    fn of(probe: &Probe) -> Option<(Self, End)> {
        let split = |(first, last): &(&str, &str)| {
            let cut = |end: &str| {
                let stem = probe.name.strip_suffix(end)?;
                // A whole name, or the end of a longer one.
                (stem.is_empty() != end.starts_with('-')).then(|| stem.to_string())
            };
            let begins = cut(first).map(|stem| (stem, End::First));
            begins.or_else(|| cut(last).map(|stem| (stem, End::Last)))
        };
        let (stem, end) = PAIRS.iter().find_map(split)?;
        // The two probes of a program's pair may be in different functions.
        let function = match stem.is_empty() {
            true => probe.function.clone(),
            false => String::new(),
        };
        let (provider, module) = (probe.provider.clone(), probe.module.clone());
        Some((Self { provider, module, function, stem }, end))
    }

    fn title(&self) -> String {
        match (self.stem.as_str(), self.function.as_str()) {
            ("", "") => self.provider.clone(),
            ("", function) => function.into(),
            (stem, _) => stem.into(),
        }
    }
}

/// An unfinished call.
#[derive(Debug)]
struct Call {
    subject: Subject,
    event: Event,
}

/// The calls of a track, the innermost last.
#[derive(Debug, Default)]
pub(super) struct Calls {
    open: Vec<Call>,
    /// The probe and the time of the last record: each clause of a probe leaves a record.
    last: Option<(u32, u64)>,
    /// The index of that record's event, if it is complete.
    made: Option<usize>,
}

impl Calls {
    /// Adds a record of this track; complete calls become events.
    pub(super) fn add(
        &mut self,
        record: &Record,
        track: Track,
        args: Map<String, Value>,
        events: &mut Vec<Event>,
    ) {
        let (probe, at) = (&record.probe, record.timestamp);
        if self.last == Some((probe.id, at)) {
            let known = match self.made {
                Some(n) => events.get_mut(n),
                None => self.open.last_mut().map(|c| &mut c.event),
            };
            known.into_iter().for_each(|e| e.args.extend(args.clone()));
            return;
        }
        self.last = Some((probe.id, at));
        let event = |name, phase, args| {
            let category = probe.provider.clone();
            Event { name, category, phase, at, lasted: 0, track, args }
        };
        self.made = None;
        match Subject::of(probe) {
            Some((subject, End::First)) => {
                let event = event(subject.title(), Phase::Begin, args);
                self.open.push(Call { subject, event });
            }
            Some((subject, End::Last)) => {
                match self.open.iter().rposition(|c| c.subject == subject) {
                    Some(n) => self.close(n, at, args, events),
                    None => events.push(event(probe.full_name(), Phase::Instant, args)),
                }
                self.made = events.len().checked_sub(1);
            }
            None => {
                events.push(event(probe.full_name(), Phase::Instant, args));
                self.made = events.len().checked_sub(1);
            }
        }
    }

    /// Ends call `n` at this time, and the calls inside it, whose returns were not recorded.
    fn close(&mut self, n: usize, at: u64, args: Map<String, Value>, events: &mut Vec<Event>) {
        for (depth, mut call) in
            self.open.drain(n..).enumerate().collect::<Vec<_>>().into_iter().rev()
        {
            call.event.phase = Phase::Complete;
            call.event.lasted = at.saturating_sub(call.event.at);
            match depth {
                // The names of the data of entry and return must not clash.
                0 => call
                    .event
                    .args
                    .extend(args.iter().map(|(k, v)| (format!("return {k}"), v.clone()))),
                _ => drop(call.event.args.insert("return".into(), json!("not recorded"))),
            }
            events.push(call.event);
        }
    }

    /// Adds the calls that are unfinished at the end.
    pub(super) fn end(&mut self, events: &mut Vec<Event>) {
        events.extend(self.open.drain(..).map(|c| c.event));
    }
}
