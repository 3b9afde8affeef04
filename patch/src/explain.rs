// SPDX-License-Identifier: GPL-2.0
//! Explains why a probe does not exist, by repeating the checks of `eligible` for one function.

use crate::catalog::{look, Desk, Look, Rules};
use crate::limits::Limits;
use crate::list::first;
use crate::names::{self, PADDING, TYPED};
use crate::state::State;
use crate::symtab::Symbols;
use crate::text::Source;
use abi::probe::{put, FUNCTION_LEN};
use abi::reason::Reason;
use core::ffi::CStr;
use framework::Explanation;
use kapi::{modules, symbols};

/// The best answer so far.
struct Answer {
    reason: Reason,
    symbol: [u8; FUNCTION_LEN],
    /// A better answer may replace it.
    weak: bool,
}

impl Answer {
    fn new(reason: Reason, symbol: &[u8], weak: bool) -> Self {
        let mut text = [0; FUNCTION_LEN];
        put(&mut text, symbol);
        Self { reason, symbol: text, weak }
    }
}

/// Explains why there is no probe `name` of `function`. `None`: there is one, or memory is short.
#[inline(never)]
pub(crate) fn explain(
    state: &State,
    module: &[u8],
    function: &[u8],
    name: &[u8],
) -> Option<Explanation> {
    if function.is_empty() || abi::probe::is_glob(function) {
        return None;
    }
    if function.len() >= FUNCTION_LEN {
        return Some(Explanation { reason: Reason::NameTooLong, symbol: [0; FUNCTION_LEN] });
    }
    let mut desk = Desk::new(false).ok()?;
    let mut best = Answer::new(Reason::Unknown, b"", true);
    let mut found = false;
    let mut ask = |source: &Source<'_>| {
        if !best.weak {
            return;
        }
        match of(state, source, function, name, &mut desk) {
            Some(Verdict::Traced) => {
                found = true;
                // The probe exists, but in another module than the requested one.
                if !module.is_empty() && !abi::probe::part_matches(module, source.name()) {
                    best = Answer::new(Reason::OtherModule, source.name(), false);
                }
            }
            Some(Verdict::Not(answer)) => {
                if !answer.weak || best.reason == Reason::Unknown {
                    best = answer;
                }
            }
            None => {}
        }
    };
    ask(&Source::Kernel);
    let _ = modules::for_each_loaded(&mut |m| ask(&Source::Module(m)));
    if found && best.reason != Reason::OtherModule {
        return None;
    }
    Some(Explanation { reason: best.reason, symbol: best.symbol })
}

enum Verdict {
    Traced,
    Not(Answer),
}

/// The places where a symbol was found.
#[derive(Default)]
struct Located {
    /// Its address in text that stays.
    at: Option<u64>,
    /// Its address elsewhere.
    outside: Option<u64>,
    /// It has padding in front, as functions have.
    padded: bool,
    /// A variant of the function that the compiler made.
    clone: Option<Answer>,
}

fn locate(source: &Source<'_>, function: &[u8]) -> Option<Located> {
    let range = source.range();
    let mut this = Located::default();
    if let Source::Kernel = source {
        // The kernel's own search is faster than reading all symbols. That is only needed to find
        // clones.
        if let Some(addr) = find(b"", function).filter(|a| symbols::is_kernel(*a)) {
            match range.contains(&addr) {
                true => this.at = Some(addr),
                false => this.outside = Some(addr),
            }
            this.padded = find(PADDING, function).or_else(|| find(TYPED, function)).is_some();
            return Some(this);
        }
    }
    source
        .for_each(&mut |symbol, addr| {
            let symbol = symbols::own_name(symbol);
            if symbol == function {
                match range.contains(&addr) {
                    true => this.at = Some(addr),
                    false => this.outside = Some(addr),
                }
            } else if let Some([b'.', ..]) = symbol.strip_prefix(function) {
                if this.clone.is_none() && !names::is_cold(symbol) {
                    this.clone = Some(Answer::new(Reason::Clone, symbol, true));
                }
            }
        })
        .ok()?;
    Some(this)
}

/// Returns the address of the symbol `prefix` + `name` in the kernel or a module.
fn find(prefix: &[u8], name: &[u8]) -> Option<u64> {
    let mut text = [0; FUNCTION_LEN + 8];
    let both = Iterator::chain(prefix.iter(), name);
    for (to, from) in text.iter_mut().zip(both) {
        *to = *from;
    }
    symbols::find(CStr::from_bytes_until_nul(&text).ok()?)
}

/// Examines the function in one piece of text. `None`: it has no such symbol, or memory is short.
#[inline(never)]
fn of(
    state: &State,
    source: &Source<'_>,
    function: &[u8],
    name: &[u8],
    desk: &mut Desk,
) -> Option<Verdict> {
    let not = |reason, symbol: &[u8]| Some(Verdict::Not(Answer::new(reason, symbol, false)));
    let range = source.range();
    let Located { at, outside, padded, clone } = locate(source, function)?;
    if let Some(reason) = names::not_by_name(function).filter(|_| at.or(outside).is_some()) {
        let behind = names::behind_padding(function).unwrap_or(b"");
        return not(reason, behind);
    }
    let Some(at) = at else {
        return match (outside, clone) {
            // Init code is outside of the text, as data is; only code has padding in front.
            (Some(addr), _) if source.is_init(addr, padded) => not(Reason::InitText, b""),
            (Some(_), _) => not(Reason::NotFunction, b""),
            (None, clone) => clone.map(Verdict::Not),
        };
    };
    let own;
    // A catalog of this text already has the limits, which take a while to collect.
    let known = state.catalogs.iter().find(|c| c.range == range);
    let limits = match known {
        Some(catalog) => &catalog.limits,
        None => {
            own = Limits::of(source).ok()?;
            &own
        }
    };
    let rules: Rules<'_> = state.rules(state.only_breakpoints);
    let judge = rules.judge(limits);
    if let Err(reason) = judge.place(at).or_else(|r| match r {
        // The symbols below tell which function contains the label.
        Reason::NotFunction => Ok(()),
        r => Err(r),
    }) {
        return not(reason, b"");
    }
    let symbols = Symbols::of(source).ok()?;
    let n = first(&symbols.list, |s| s.addr >= at);
    let size = symbols.extent(n, &range);
    let Look { entry, returns } =
        look(&judge, &rules, at, size, &|a| symbols.has(a), &range, desk).ok()?;
    let reasons = match name {
        b"entry" => [entry.err(), None],
        b"return" => [returns.err(), None],
        _ => [entry.err(), returns.err()],
    };
    if name != b"entry" && name != b"return" && (entry.is_ok() || returns.is_ok()) {
        return Some(Verdict::Traced);
    }
    match reasons.into_iter().flatten().next() {
        None => Some(Verdict::Traced),
        Some(Reason::NotFunction) => {
            // Find the function that contains the label.
            let before = symbols.list.get(..n).unwrap_or_default().iter().rev();
            let inside = before.into_iter().find(|s| s.addr & 15 == 0);
            not(Reason::NotFunction, inside.map_or(b"", |s| symbols.name(s)))
        }
        Some(reason) => not(reason, b""),
    }
}
