// SPDX-License-Identifier: GPL-2.0
//! Asks the module for the probes of one process, and collects the refusals.

use super::miss::Missed;
use super::wanted::{key, Sign, Wanted};
use super::ProcessProbes;
use crate::kernel::Kernel;
use abi::probe::is_glob;
use abi::user::UserReason;
use d::ProbePattern;
use libproc::account::Account;
use libproc::budget;
use libproc::expand::{self, Batches, Pattern, Refused, MOST_PLACES};
use libproc::process::{Object, Process, PROGRAM};
use libproc::Miss;
use plaintext::clean;
use std::collections::HashSet;

/// The most refusals that are reported by name.
const TOLD: usize = 8;
/// The most refusals in one process that are remembered: a process decides the length of names.
const MOST_REPORTED: usize = 500;

/// Returns the name of an object for a message.
fn shown(object: &Object) -> String {
    clean(&object.name).into_owned()
}

/// The refusals in one process that were reported, by module, function, place: several descriptions
/// may mean one place.
#[derive(Debug, Default)]
pub(super) struct Reported {
    places: HashSet<[String; 3]>,
    is_full: bool,
}

impl Reported {
    /// Keeps the refusals that were not reported yet. Returns how many more there are than are
    /// remembered; only the first call with too many tells: later ones cannot know which are new.
    fn keep_new(&mut self, refused: &mut Vec<Refused>) -> usize {
        let (mut more, was_full) = (0, self.is_full);
        refused.retain(|r| {
            let [module, function, name] = r.names.clone();
            // `entry` and `0` mean the same place.
            let place = r.place.map_or(name, |at| format!("{at:x}"));
            let place = [module, function, place];
            if self.places.len() < MOST_REPORTED {
                return self.places.insert(place);
            }
            if !self.places.contains(&place) {
                self.is_full = true;
                more += usize::from(!was_full);
            }
            false
        });
        more
    }
}

impl ProcessProbes {
    /// Makes the probes of a description in objects that are not known yet. An object that is
    /// `being_mapped` gets them only after the dynamic linker has chosen the functions behind its
    /// names. The process's user pays for the memory.
    pub(super) fn make(
        &mut self,
        kernel: &mut dyn Kernel,
        process: &Process,
        wanted: &mut Wanted,
        being_mapped: bool,
    ) -> Result<(), Missed> {
        let out = Batches::with(kernel.pulse());
        self.add(kernel, process, wanted, being_mapped, out)
    }

    /// Does the same with the probes in `out`.
    fn add(
        &mut self,
        kernel: &mut dyn Kernel,
        process: &Process,
        wanted: &mut Wanted,
        being_mapped: bool,
        mut out: Batches,
    ) -> Result<(), Missed> {
        let _bill = budget::bill(Account::of(process.pid));
        let Wanted { pid, pattern, known, .. } = wanted;
        if !known.reserve(process.objects.len()) {
            self.was_short(*pid);
            return Ok(());
        }
        let mut objects = process.called(&pattern.module).peekable();
        if objects.peek().is_none() {
            return Err(self.no_object(process, pattern));
        }
        let (mut signs, mut missed) = (Vec::new(), None);
        let (mut is_found, mut is_short) = (false, false);
        for object in objects {
            let key = key(object);
            if known.signs.contains_key(&key) {
                continue;
            }
            kernel.beat();
            let placed = object.placed(*pid, &self.images);
            let chosen = object.chosen(*pid, &self.images);
            kernel.beat();
            if being_mapped && !chosen.is_linked {
                continue;
            }
            let meant = Pattern { function: &pattern.function, name: &pattern.name };
            let before = out.meant();
            match expand::expand(placed, chosen, meant, &mut out) {
                Ok(()) => is_found |= out.meant() > before,
                // One of several objects may have the function; an error in that one counts.
                Err(Miss::Function) => {}
                Err(miss) => missed = Some(Missed::Of(shown(object), miss)),
            }
            let sign = Sign::take(&mut out);
            // Without a sign, the next look reads it again.
            match object.is_read(*pid, &self.images) {
                true => signs.push((key, sign)),
                false => is_short |= object.was_short(),
            }
            let too_much = match (out.are_too_many(), out.took_too_much()) {
                (true, _) => Missed::TooMany(MOST_PLACES),
                (_, true) => Missed::TooLarge,
                _ => continue,
            };
            // None of these objects gets a breakpoint. A sign that waits for one would make each
            // look read all of them again.
            known.signs.extend(signs.into_iter().map(|(key, _)| (key, Sign::default())));
            return Err(too_much);
        }
        known.signs.extend(signs);
        if is_short {
            self.was_short(*pid);
        }
        self.send(kernel, *pid, out)?;
        match missed {
            Some(missed) if !is_found => Err(missed),
            // Similar names take long to find, and a look reports no miss.
            None if !is_found && !self.is_looking => {
                Err(Missed::Function(self.near(process, pattern)))
            }
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
        let (mut more, mut failed) = (out.more_refused, None);
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

    fn tell(&mut self, pid: u32, mut refused: Vec<Refused>, mut more: usize) {
        // Places that vanished since we read the process are not reported; the next look reads what
        // replaced them.
        let is_gone = |r: UserReason| {
            matches!(r, UserReason::Unmapped | UserReason::NotText | UserReason::Replaced)
        };
        refused.retain(|r| !(self.is_looking && is_gone(r.reason)));
        let known = self.refused.entry(pid).or_default();
        more += known.keep_new(&mut refused);
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

    /// Forgets the refusals in processes that no description names any more.
    pub(super) fn forget_refusals(&mut self) {
        let named: HashSet<u32> = self.named().into_iter().collect();
        self.refused.retain(|pid, _| named.contains(pid));
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

#[cfg(test)]
mod tests {
    use super::super::wanted::Known;
    use super::*;
    use crate::kernel::Deaf;

    fn refusals(names: std::ops::Range<usize>) -> Vec<Refused> {
        let refused = |n| Refused {
            names: ["m".into(), "f".into(), format!("{n}")],
            place: None,
            reason: UserReason::Unmapped,
        };
        names.map(refused).collect()
    }

    /// The objects are known afterwards, and another look has nothing to do.
    #[test]
    fn a_description_that_means_too_much_is_expanded_once() {
        let pid = std::process::id();
        let process = Process::read(pid).unwrap();
        let pattern = ProbePattern::new(&format!("pid{pid}"), "", "main", "entry");
        let mut wanted = Wanted::new(pid, pattern, true, Known::default());
        let mut add = |places| {
            let (mut probes, mut out) = (ProcessProbes::default(), Batches::default());
            out.places = places;
            probes.add(&mut Deaf::default(), &process, &mut wanted, false, out)
        };
        let now = process.objects.iter().map(key).collect();
        let program = process.called(PROGRAM).map(key).next().unwrap();
        assert_eq!(add(MOST_PLACES), Err(Missed::TooMany(MOST_PLACES)));
        wanted.is_told = true;
        wanted.check(&now, None);
        assert!(wanted.known.signs.contains_key(&program));
    }

    /// Otherwise each look at a large program would take seconds.
    #[test]
    fn a_look_at_objects_that_are_known_finds_no_similar_names() {
        let process = Process::read(std::process::id()).unwrap();
        let pattern = ProbePattern::new(&format!("pid{}", process.pid), "libc", "maloc", "entry");
        let mut wanted = Wanted::new(process.pid, pattern, true, Known::default());
        let mut probes = ProcessProbes::default();
        let mut make = |probes: &mut ProcessProbes| {
            probes.make(&mut Deaf::default(), &process, &mut wanted, true)
        };
        let missed = make(&mut probes).unwrap_err();
        assert!(matches!(&missed, Missed::Function(near) if !near.is_empty()), "{missed:?}");
        probes.is_looking = true;
        assert_eq!(make(&mut probes), Ok(()));
    }

    #[test]
    fn refusals_are_remembered_while_their_process_is() {
        let mut probes = ProcessProbes::default();
        for n in 0..20 {
            probes.tell(1, refusals(400 * n..400 * (n + 1)), 0);
        }
        assert_eq!(probes.refused[&1].places.len(), MOST_REPORTED);
        // The first 400, the next 100 and how many more, once.
        let told = probes.take_told();
        assert!(told.len() == 2 && told[1].contains("and 392 more"), "{told:?}");
        probes.tell(1, refusals(0..400), 0);
        probes.tell(1, Vec::new(), 3);
        assert_eq!(probes.take_told(), ["3 places of pid 1 were left out:\n  and 3 more"]);
        probes.tell(2, refusals(0..1), 0);
        let pattern = ProbePattern::new("pid2", "", "", "");
        probes.wanted.push(Wanted::new(2, pattern, true, Known::default()));
        probes.forget_refusals();
        assert_eq!(probes.refused.keys().collect::<Vec<_>>(), [&2]);
    }
}
