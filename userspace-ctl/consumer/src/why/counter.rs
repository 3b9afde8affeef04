// SPDX-License-Identifier: GPL-2.0
//! Probes that fire when events are counted. The provider makes any valid probe on demand if the
//! machine can count its event. So a description that matches none has an invalid name or an event
//! that does not exist.

use super::{did_you_mean, said, Case};
use abi::cpc::{self, NotCounter};
use abi::probe::is_glob;
use d::world::Why;
use d::ProbePattern;

/// The provider of these probes.
const CPC: &str = "cpc";

impl Case<'_> {
    /// Returns an answer, if the description means such a probe and its provider exists.
    pub(super) fn counter(&mut self) -> Option<Why> {
        let wanted = self.wanted;
        let name = wanted.name.as_str();
        let parsed = cpc::parse(name.as_bytes());
        let is_meant = match wanted.provider.as_str() {
            CPC => !name.is_empty(),
            // Without the provider, only a name that cannot mean any other probe counts.
            "" => !matches!(parsed, Err(NotCounter::Other | NotCounter::Event)),
            _ => false,
        };
        let is_there = |case: &mut Self| case.is_there(&ProbePattern::new(CPC, "", "", ""));
        if !is_meant || is_glob(name.as_bytes()) || !is_there(self) {
            return None;
        }
        let mut why = said("no such probe");
        let right = ProbePattern::new(CPC, "", "", name);
        match parsed {
            Err(not) => why.notes.push(format!("`{name}`: {}", not.words())),
            Ok(_) if !wanted.module.is_empty() || !wanted.function.is_empty() => {
                why.notes.push(format!("`{name}` is a probe's name, of provider `{CPC}`"));
                why.hint = did_you_mean(&[right]);
            }
            Ok(_) => {
                let pattern = crate::kernel::pattern(&right)?;
                why.notes.push(match self.kernel.explain(&pattern) {
                    Ok(Some((reason, event))) => reason.sentence(name, &event).to_string(),
                    _ => {
                        format!("`{name}` could not be made: the kernel's log (`dmesg`) says why")
                    }
                });
                why.hint = Some("`dtrace -l -P cpc` lists what this machine can count".into());
            }
        }
        Some(why)
    }
}
