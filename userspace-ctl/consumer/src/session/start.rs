// SPDX-License-Identifier: GPL-2.0
//! GO, and what the kernel answers to it.

use super::Session;
use crate::enable;
use crate::error::{Failure, Refusal};
use crate::kernel::Started;
use abi::option::OptionId;

/// The number of EPIDs whose layouts are read before tracing starts; the others follow when they
/// first appear.
pub(super) const PREFETCH: u32 = 1024;

impl Session<'_> {
    /// Starts tracing; BEGIN fires.
    pub(super) fn go(&mut self) -> Result<(), Failure> {
        let failed = |r: Refusal| r.doing("could not enable tracing");
        self.bell = self.kernel.bell().map_err(failed)?;
        if self.needs.stacks {
            let mut first = self.process_probes.named();
            first.extend(&self.targets);
            self.objects.learn_all(self.kernel, first);
        }
        let started = self.kernel.go().map_err(failed)?;
        self.process_probes.begin();
        self.tell_left_out(&started)?;
        self.tell_sizes(&started)?;
        let count = self.matched.saturating_add(enable::OWN_PROBES).min(PREFETCH);
        self.enabled.prefetch(self.kernel, count);
        // Without temporal order, the CPU that ran BEGIN comes first.
        self.cpus.sort_by_key(|&c| c != started.cpu);
        Ok(())
    }

    /// Reports the probes that match but could not be enabled.
    pub(super) fn tell_left_out(&mut self, started: &Started) -> Result<(), Failure> {
        let Started { left_out: n, probes, .. } = *started;
        if n == 0 {
            return Ok(());
        }
        let were = if n == 1 { "was" } else { "were" };
        let mut text = format!("{n} of {probes} probes {were} left out:");
        // Without names the number is still useful.
        let names = self.kernel.left_out().unwrap_or_default();
        for line in names.lines() {
            text.push_str("\n  ");
            text.push_str(line);
        }
        match (n as usize).saturating_sub(names.lines().count()) {
            0 => {}
            more => text.push_str(&format!("\n  and {more} more")),
        }
        self.outputs.say(&text)
    }

    /// Reports the sizes that the kernel lowered for lack of memory.
    pub(super) fn tell_sizes(&mut self, started: &Started) -> Result<(), Failure> {
        for (id, size) in started.sizes {
            if size == 0 || size >= self.options.get(id) {
                continue;
            }
            let what = match id {
                OptionId::Bufsize => "buffer",
                OptionId::Aggsize => "aggregation",
                OptionId::Dynvarsize => "dynamic variable",
                _ => "speculation",
            };
            let size = crate::option::text(id.unit(), size);
            self.outputs.say(&format!("{what} size lowered to {size}"))?;
        }
        Ok(())
    }
}
