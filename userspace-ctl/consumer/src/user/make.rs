// SPDX-License-Identifier: GPL-2.0
//! Asks the module for the probes of one process, and collects the refusals.

use super::miss::Missed;
use super::wanted::{key, Sign, Wanted};
use super::ProcessProbes;
use crate::kernel::Kernel;
use abi::probe::is_glob;
use abi::user::UserReason;
use d::ProbePattern;
use libproc::expand::{self, Batches, Pattern, Refused};
use libproc::process::{Object, Process, PROGRAM};
use libproc::Miss;
use plaintext::clean;
use std::collections::hash_map::Entry;

/// The most places that one description may mean in a process.
const MOST_PLACES: usize = 4 << 20;
/// The most refusals that are reported by name.
const TOLD: usize = 8;

/// Returns the name of an object for a message.
fn shown(object: &Object) -> String {
    clean(&object.name).into_owned()
}

impl ProcessProbes {
    /// Makes the probes of a description in objects that are not known yet. An object that is
    /// `being_mapped` gets them only after the dynamic linker has chosen the functions behind its
    /// names.
    pub(super) fn make(
        &mut self,
        kernel: &mut dyn Kernel,
        process: &Process,
        wanted: &mut Wanted,
        being_mapped: bool,
    ) -> Result<(), Missed> {
        let Wanted { pid, pattern, known, .. } = wanted;
        let mut objects = process.called(&pattern.module).peekable();
        if objects.peek().is_none() {
            return Err(self.no_object(process, pattern));
        }
        let (mut out, mut missed, mut is_found) = (Batches::default(), None, false);
        for object in objects {
            let Entry::Vacant(new) = known.entry(key(object)) else { continue };
            let (image, bias) = object.image(*pid, &self.images);
            let chosen = object.chosen(*pid, &self.images);
            if being_mapped && !chosen.is_linked {
                continue;
            }
            let meant = Pattern { function: &pattern.function, name: &pattern.name };
            let asked = |out: &Batches| out.places + out.refused.len();
            let before = asked(&out);
            match expand::expand((&object.name, image, *bias), chosen, meant, &mut out) {
                Ok(()) => is_found |= asked(&out) > before,
                // One of several objects may have the function; an error in that one counts.
                Err(Miss::Function) => {}
                Err(miss) => missed = Some(Missed::Of(shown(object), miss)),
            }
            new.insert(Sign::take(&mut out));
            if out.places > MOST_PLACES {
                return Err(Missed::TooMany(MOST_PLACES));
            }
        }
        self.send(kernel, *pid, out)?;
        match missed {
            Some(missed) if !is_found => Err(missed),
            None if !is_found => Err(Missed::Function(self.near(process, pattern))),
            _ => Ok(()),
        }
    }

    /// Asks the module for probes and notes the refusals.
    pub(super) fn send(
        &mut self,
        kernel: &mut dyn Kernel,
        pid: u32,
        out: Batches,
    ) -> Result<(), Missed> {
        let mut refused = out.refused;
        let (mut more, mut failed) = (0, None);
        for batch in &out.packed {
            match kernel.make(pid, batch) {
                Ok(made) => {
                    more += (made.refused as usize).saturating_sub(made.refusals.len());
                    let of = made.refusals.iter().filter_map(|r| expand::refused(batch, r));
                    refused.extend(of);
                }
                Err(e) => failed = Some(e),
            }
        }
        let last = refused.last().map(|r| r.reason);
        self.tell(pid, refused, more);
        match (failed, last) {
            (Some(e), _) => Err(Missed::Kernel(pid, e)),
            (None, Some(reason)) => Err(Missed::Refused(reason)),
            (None, None) => Ok(()),
        }
    }

    fn tell(&mut self, pid: u32, mut refused: Vec<Refused>, more: usize) {
        // Places that vanished since we read the process are not reported; the next look reads what
        // replaced them.
        let is_gone = |r: UserReason| matches!(r, UserReason::Unmapped | UserReason::NotText);
        refused.retain(|r| {
            if self.is_looking && is_gone(r.reason) {
                return false;
            }
            let [module, function, name] = r.names.clone();
            // `entry` and `0` mean the same place.
            let place = r.place.map_or(name, |at| format!("{at:x}"));
            self.refused.insert((pid, [module, function, place]))
        });
        let n = refused.len() + more;
        if n == 0 {
            return;
        }
        let (s, were) = if n == 1 { ("", "was") } else { ("s", "were") };
        let mut text = format!("{n} place{s} of pid {pid} {were} left out:");
        let left = n.saturating_sub(TOLD.min(refused.len()));
        for Refused { names, reason, .. } in refused.into_iter().take(TOLD) {
            let place = names.map(|name| clean(&name).into_owned()).join(":");
            text.push_str(&format!("\n  {}: {}", place.trim_end_matches(':'), reason.words()));
        }
        match left {
            0 => {}
            rest => text.push_str(&format!("\n  and {rest} more")),
        }
        self.told.push(text);
    }

    fn no_object(&self, process: &Process, pattern: &ProbePattern) -> Missed {
        let mut names: Vec<String> = process.objects.iter().map(shown).collect();
        names.dedup();
        let mut program = process.called(PROGRAM);
        let is_static = program.next().is_some_and(|o| {
            let (image, _) = o.image(process.pid, &self.images);
            image.is_native && !image.is_dynamic
        });
        match is_static && !is_glob(pattern.module.as_bytes()) {
            true => Missed::Static(pattern.module.clone()),
            false => Missed::Object(names),
        }
    }

    /// Returns names similar to that of a missing function.
    fn near(&self, process: &Process, pattern: &ProbePattern) -> Vec<String> {
        let mut near = Vec::new();
        for object in process.called(&pattern.module) {
            let (image, _) = object.image(process.pid, &self.images);
            let names = image.functions().iter().map(|f| &*f.name);
            let found = crate::nearest::nearest(&pattern.function, || names.clone(), 3);
            near.extend(found.iter().map(|n| format!("{}:{}", shown(object), clean(n.name))));
        }
        near.truncate(3);
        near
    }
}
