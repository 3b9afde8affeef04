// SPDX-License-Identifier: GPL-2.0
//! Probes that fire at intervals. The provider makes any valid probe on demand, so a description
//! that matches none has an invalid name, or names a function.

use super::{did_you_mean, said, Case};
use abi::probe::is_glob;
use abi::rate::{self, NotRate};
use d::world::Why;
use d::ProbePattern;

/// The provider of these probes.
const PROFILE: &str = "profile";

impl Case<'_> {
    /// Returns an answer, if the description means such a probe and its provider exists.
    pub(super) fn rate(&mut self) -> Option<Why> {
        let wanted = self.wanted;
        let provider = wanted.provider.as_str();
        let (name, moved) = match (provider, wanted.name.as_str()) {
            // `tick-1s:::`
            ("", "") | (_, "") if rate::parse(provider.as_bytes()).is_ok() => (provider, true),
            (PROFILE | "", name) => (name, false),
            _ => return None,
        };
        if is_glob(name.as_bytes()) || !self.is_there(&ProbePattern::new(PROFILE, "", "", "")) {
            return None;
        }
        let why_not = match rate::parse(name.as_bytes()) {
            Err(NotRate::Other) if provider.is_empty() || name.is_empty() => return None,
            Err(why) => why.words(),
            Ok(_) if moved || !wanted.module.is_empty() || !wanted.function.is_empty() => {
                let right = ProbePattern::new(PROFILE, "", "", name);
                let mut why = said("no such probe");
                why.notes.push(format!("`{name}` is a probe's name, of provider `{PROFILE}`"));
                why.hint = did_you_mean(&[right]);
                return Some(why);
            }
            Ok(_) => "it could not be made: the kernel's log (`dmesg`) says why",
        };
        let mut why = said("no such probe");
        why.notes.push(format!("`{name}`: {why_not}"));
        Some(why)
    }
}
