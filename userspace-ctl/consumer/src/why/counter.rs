// SPDX-License-Identifier: GPL-2.0
//! Probes that fire as events are counted: any that its provider accepts, and that the machine can count, is made when
//! asked for, so a description that matches none has a name that is refused, or an event that is not there.

use super::{did_you_mean, said, Case};
use abi::cpc::{self, NotCounter};
use abi::probe::is_glob;
use d::world::Why;
use d::ProbePattern;

/// The provider of these probes.
const CPC: &str = "cpc";

impl Case<'_> {
    /// An answer, if such a probe is meant and its provider is there.
    pub(super) fn counter(&mut self) -> Option<Why> {
        let wanted = self.wanted;
        let name = wanted.name.as_str();
        let parsed = cpc::parse(name.as_bytes());
        let is_meant = match wanted.provider.as_str() {
            CPC => !name.is_empty(),
            // Without its provider only a name that can be no other one's.
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
                let pattern = crate::world::pattern(&right)?;
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
