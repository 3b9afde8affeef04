// SPDX-License-Identifier: GPL-2.0
//! The compiler's questions, answered by the kernel; or, for `-e` without one, by nobody.

use crate::kernel::{every_probe, Kernel};
use crate::types::KernelTypes;
use abi::ids::ProbeId;
use abi::probe::{ProbeDesc, NARGS_UNKNOWN};
use d::types::{Member, StructId, Type};
use d::world::{Probe, Signature, TypeSpace};
use d::{Matches, ProbePattern, World};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The probes of a kernel, and its types.
pub struct KernelWorld<'k> {
    kernel: RefCell<&'k mut dyn Kernel>,
    types: KernelTypes,
}

impl<'k> KernelWorld<'k> {
    /// Asks this kernel.
    pub fn new(kernel: &'k mut dyn Kernel) -> Self {
        Self::with_types(kernel, KernelTypes::default())
    }

    /// With the types of another kernel than the running one.
    pub fn with_types(kernel: &'k mut dyn Kernel, types: KernelTypes) -> Self {
        Self { kernel: RefCell::new(kernel), types }
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

    fn probes(&self, wanted: &ProbePattern) -> Vec<Probe> {
        let Some(pattern) = pattern(wanted) else {
            return Vec::new();
        };
        let found = self.kernel.borrow_mut().all_probes(&pattern).unwrap_or_default();
        let probe = |p: &ProbeDesc| Probe {
            id: p.id.0,
            parts: p.parts().map(|part| String::from_utf8_lossy(part).into_owned()),
            nargs: (p.nargs != NARGS_UNKNOWN).then_some(p.nargs),
        };
        found.iter().map(probe).collect()
    }

    fn probe_signature(&self, probe: &Probe) -> Option<Arc<Signature>> {
        self.types.signature(probe.parts.each_ref().map(String::as_str)).ok()
    }

    fn find_type(&self, space: TypeSpace, name: &str) -> Option<Type> {
        self.types.find(space, name)
    }

    fn members(&self, of: StructId) -> Option<Arc<[Member]>> {
        self.types.members(of)
    }

    fn enum_constant(&self, name: &str) -> Option<(u64, Type)> {
        self.types.constant(name)
    }

    fn nearest_types(&self, space: TypeSpace, name: &str) -> Vec<String> {
        self.types.nearest(space, name)
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

/// A world in which every description matches: compiling without a device (`-e`). Types are those
/// of the kernel that runs here all the same.
#[derive(Debug, Default)]
pub struct AnyProbe {
    types: KernelTypes,
}

impl AnyProbe {
    /// With the types of another kernel than the running one.
    pub fn with_types(types: KernelTypes) -> Self {
        Self { types }
    }
}

impl World for AnyProbe {
    fn matches(&self, _: &ProbePattern) -> Matches {
        Matches { count: 1, nargs: None }
    }

    fn probes(&self, wanted: &ProbePattern) -> Vec<Probe> {
        let parts = wanted.parts();
        if parts.iter().any(|p| abi::probe::is_glob(p.as_bytes())) {
            return Vec::new();
        }
        vec![Probe { id: 0, parts: parts.map(String::from), nargs: None }]
    }

    fn probe_signature(&self, probe: &Probe) -> Option<Arc<Signature>> {
        self.types.signature(probe.parts.each_ref().map(String::as_str)).ok()
    }

    fn find_type(&self, space: TypeSpace, name: &str) -> Option<Type> {
        self.types.find(space, name)
    }

    fn members(&self, of: StructId) -> Option<Arc<[Member]>> {
        self.types.members(of)
    }

    fn enum_constant(&self, name: &str) -> Option<(u64, Type)> {
        self.types.constant(name)
    }

    fn nearest_types(&self, space: TypeSpace, name: &str) -> Vec<String> {
        self.types.nearest(space, name)
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
