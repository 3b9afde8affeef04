// SPDX-License-Identifier: GPL-2.0
//! A row of the table: an event that fires a probe.

use crate::event::{Each, Value, When};
use Source::{Entry, Return, Tracepoint};
use Value::Number;

/// The source of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// The tracepoint with this name.
    Tracepoint(&'static str),
    /// The entry of this function, to whose name the compiler may have added a suffix.
    Entry(&'static str),
    /// The return of this function.
    Return(&'static str),
}

impl Source {
    /// Returns the kernel's name for it.
    pub fn name(self) -> &'static str {
        match self {
            Tracepoint(name) | Entry(name) | Return(name) => name,
        }
    }

    /// Tells whether it is a function and not a tracepoint.
    pub fn is_function(self) -> bool {
        matches!(self, Entry(_) | Return(_))
    }
}

/// An event that fires a probe.
#[derive(Debug, Clone, Copy)]
pub struct Row {
    /// The provider of the probe.
    pub provider: &'static str,
    /// The name of the probe.
    pub probe: &'static str,
    /// The event.
    pub source: Source,
    /// The conditions under which it counts.
    pub when: &'static [When],
    /// How often it fires the probe.
    pub each: Each,
    /// The probe's arguments: `arg0` and so on.
    pub values: &'static [Value],
}

/// Functions that make a row of the provider with their name.
macro_rules! rows_of {
    ($($provider:ident)*) => {
        $(const fn $provider(
            probe: &'static str,
            source: Source,
            when: &'static [When],
            values: &'static [Value],
        ) -> Row {
            row(stringify!($provider), probe, source, when, values)
        })*
    };
}
pub(crate) use rows_of;

/// The usual row.
pub(crate) const fn row(
    provider: &'static str,
    probe: &'static str,
    source: Source,
    when: &'static [When],
    values: &'static [Value],
) -> Row {
    Row { provider, probe, source, when, each: Each::One, values }
}

/// An event that begins a thing: this argument is kept for the current thread until the thing ends.
pub(crate) const fn begins(
    provider: &'static str,
    probe: &'static str,
    source: Source,
    what: u32,
) -> Row {
    let each = Each::Begins(what, Number(0));
    Row { provider, probe, source, when: &[], each, values: &[] }
}

/// The event that ends it, in the same thread, whatever the argument was.
pub(crate) const fn ends(
    provider: &'static str,
    probe: &'static str,
    source: Source,
    when: &'static [When],
    values: &'static [Value],
) -> Row {
    Row { provider, probe, source, when, each: Each::Ends(None), values }
}
