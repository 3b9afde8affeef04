// SPDX-License-Identifier: GPL-2.0
//! The compiler's questions, answered by the kernel; or, for `-e` without one, by nobody.

use crate::kernel::{every_probe, Kernel};
use abi::ids::ProbeId;
use abi::probe::{ProbeDesc, NARGS_UNKNOWN};
use d::{Matches, ProbePattern, World};
use std::cell::RefCell;
use std::collections::BTreeSet;

/// The probes of a kernel.
pub struct KernelWorld<'k> {
    kernel: RefCell<&'k mut dyn Kernel>,
}

impl<'k> KernelWorld<'k> {
    /// Asks this kernel.
    pub fn new(kernel: &'k mut dyn Kernel) -> Self {
        Self { kernel: RefCell::new(kernel) }
    }
}

/// The pattern as the kernel takes it; `None` if a part is too long for any probe.
pub fn pattern(p: &ProbePattern) -> Option<ProbeDesc> {
    let [a, b, c, d] = p.parts().map(str::as_bytes);
    Some(ProbeDesc { id: ProbeId(p.id), ..ProbeDesc::new(a, b, c, d)? })
}

impl World for KernelWorld<'_> {
    fn matches(&self, p: &ProbePattern) -> Matches {
        let mut matches = Matches::default();
        let Some(pattern) = pattern(p) else {
            return matches;
        };
        let mut kernel = self.kernel.borrow_mut();
        for probe in kernel.all_probes(&pattern).unwrap_or_default() {
            matches.count += 1;
            if probe.nargs != NARGS_UNKNOWN {
                matches.nargs = matches.nargs.max(Some(probe.nargs));
            }
        }
        matches
    }

    fn nearest(&self, wanted: &ProbePattern) -> Vec<String> {
        if wanted.id != 0 {
            return Vec::new();
        }
        let mut kernel = self.kernel.borrow_mut();
        let probes = kernel.all_probes(&every_probe()).unwrap_or_default();
        let mut names = BTreeSet::new();
        let mut elsewhere = BTreeSet::new();
        for probe in &probes {
            let parts = probe.parts().map(String::from_utf8_lossy);
            let parts = [&*parts[0], &*parts[1], &*parts[2], &*parts[3]];
            names.extend(comparable(wanted, parts));
            elsewhere.extend(misplaced(wanted, parts));
        }
        let near = d::diag::nearest(&wanted.to_string(), names);
        if near.is_empty() {
            elsewhere.into_iter().take(3).collect()
        } else {
            near
        }
    }

    fn providers(&self) -> Vec<String> {
        let mut kernel = self.kernel.borrow_mut();
        let probes = kernel.all_probes(&every_probe()).unwrap_or_default();
        let name = |p: &ProbeDesc| String::from_utf8_lossy(p.parts()[0]).into_owned();
        probes.iter().map(name).collect::<BTreeSet<_>>().into_iter().collect()
    }
}

/// The probe's name with blanks where the wanted one has them, if its globs match: only what was
/// written can be misspelt.
fn comparable(wanted: &ProbePattern, parts: [&str; 4]) -> Option<String> {
    let mut name = Vec::new();
    for (pattern, part) in wanted.parts().into_iter().zip(parts) {
        let is_glob = abi::probe::is_glob(pattern.as_bytes());
        match () {
            () if pattern.is_empty() => name.push(""),
            () if !is_glob => name.push(part),
            () if abi::probe::part_matches(pattern.as_bytes(), part.as_bytes()) => {
                name.push(pattern)
            }
            () => return None,
        }
    }
    Some(name.join(":"))
}

/// A single word that is another part of this probe's name: `-n vfs_read` for `vfs_read:`.
fn misplaced(wanted: &ProbePattern, parts: [&str; 4]) -> Option<String> {
    let mut given = wanted.parts().into_iter().filter(|p| !p.is_empty());
    let word = given.next()?;
    if given.next().is_some() {
        return None;
    }
    match parts.iter().position(|p| *p == word)? {
        0 => Some(format!("{word}:::")),
        1 => Some(format!(":{word}::")),
        2 => Some(format!("::{word}:")),
        _ => None,
    }
}

/// A world in which every description matches: compiling without a kernel (`-e`).
#[derive(Debug, Clone, Copy, Default)]
pub struct AnyProbe;

impl World for AnyProbe {
    fn matches(&self, _: &ProbePattern) -> Matches {
        Matches { count: 1, nargs: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_written_is_compared() {
        let parts = ["hworld", "open_module", "open1", "entry"];
        let p = |a, b, c, d| ProbePattern::new(a, b, c, d);
        assert_eq!(comparable(&p("hwrld", "", "", ""), parts).unwrap(), "hworld:::");
        assert_eq!(comparable(&p("hw*", "", "", "etry"), parts).unwrap(), "hw*:::entry");
        assert_eq!(comparable(&p("x*", "", "", "etry"), parts), None);
        assert_eq!(misplaced(&p("", "", "", "open1"), parts).unwrap(), "::open1:");
        assert_eq!(misplaced(&p("a", "", "", "open1"), parts), None);
    }
}
