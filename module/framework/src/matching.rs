// SPDX-License-Identifier: GPL-2.0
//! Probe descriptions against probes.

use crate::probe::Probe;
use crate::Result;
use abi::ids::ProbeId;
use abi::probe::part_matches;
use kapi::mem;
use kernel::prelude::*;

/// A probe description that outlives the DOF it came in.
pub(crate) struct Pattern {
    id: ProbeId,
    text: KVec<u8>,
    ends: [usize; 4],
}

impl Pattern {
    pub(crate) fn new(pattern: &dof::Pattern<'_>) -> Result<Self> {
        let mut text = KVec::new();
        let mut ends = [0; 4];
        for (part, end) in pattern.parts.iter().zip(&mut ends) {
            mem::extend(&mut text, part)?;
            *end = text.len();
        }
        Ok(Self { id: pattern.id, text, ends })
    }

    fn view(&self) -> dof::Pattern<'_> {
        let mut from = 0;
        let parts = self.ends.map(|to| {
            let part = self.text.get(from..to).unwrap_or_default();
            from = to;
            part
        });
        dof::Pattern { id: self.id, parts }
    }

    pub(crate) fn matches(&self, probe: &Probe) -> bool {
        matches(&self.view(), probe)
    }
}

/// Does the probe answer to the description? An id decides alone; a description without any part
/// means every probe that has a function.
pub fn matches(pattern: &dof::Pattern<'_>, probe: &Probe) -> bool {
    if pattern.id != ProbeId::NONE {
        return pattern.id == probe.id();
    }
    if pattern.parts.iter().all(|p| p.is_empty()) {
        return !probe.part(2).is_empty();
    }
    pattern.parts.iter().enumerate().all(|(n, p)| part_matches(p, probe.part(n)))
}
