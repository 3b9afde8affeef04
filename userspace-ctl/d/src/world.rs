// SPDX-License-Identifier: GPL-2.0
//! The only questions the compiler asks: which probes are there, and what do they pass.

use std::fmt;

/// A probe description as the program gives it: four parts (empty matches all, globs allowed), or
/// an id.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct ProbePattern {
    /// Provider.
    pub provider: String,
    /// Module.
    pub module: String,
    /// Function.
    pub function: String,
    /// Name.
    pub name: String,
    /// Probe id of `-i`, 0 to match by the parts.
    pub id: u32,
}

impl ProbePattern {
    /// A pattern by parts.
    pub fn new(provider: &str, module: &str, function: &str, name: &str) -> Self {
        Self {
            provider: provider.into(),
            module: module.into(),
            function: function.into(),
            name: name.into(),
            id: 0,
        }
    }
    /// The parts in order.
    pub fn parts(&self) -> [&str; 4] {
        [&self.provider, &self.module, &self.function, &self.name]
    }
    /// Does the pattern match a probe of this name? (Ids are compared by the caller.)
    pub fn matches(&self, parts: [&str; 4]) -> bool {
        self.parts()
            .iter()
            .zip(parts)
            .all(|(p, t)| abi::probe::part_matches(p.as_bytes(), t.as_bytes()))
    }
}

impl fmt::Display for ProbePattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.id != 0 {
            return write!(f, "{}", self.id);
        }
        write!(f, "{}:{}:{}:{}", self.provider, self.module, self.function, self.name)
    }
}

/// What a pattern matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Matches {
    /// Probes.
    pub count: usize,
    /// Most arguments one of them passes, if the providers know; decides which `args[N]` exist.
    pub nargs: Option<u32>,
}

/// The world as the compiler sees it.
pub trait World {
    /// How many probes match, and what they pass.
    fn matches(&self, pattern: &ProbePattern) -> Matches;
    /// Names of probes near to a pattern that matches none, best first; for the hint.
    fn nearest(&self, pattern: &ProbePattern) -> Vec<String> {
        let _ = pattern;
        Vec::new()
    }
    /// Names of the providers there are; for the hint.
    fn providers(&self) -> Vec<String> {
        Vec::new()
    }
}

/// A world of listed probes, for tests and for `-e` without a kernel.
#[derive(Debug, Clone, Default)]
pub struct Fixture {
    /// Provider, module, function, name, number of arguments if known. Ids count from 1.
    pub probes: Vec<([String; 4], Option<u32>)>,
}

impl Fixture {
    /// The probes of the `dtrace` provider and those given as `provider:module:function:name`.
    pub fn new(probes: &[&str]) -> Self {
        let own = ["dtrace:::BEGIN", "dtrace:::END", "dtrace:::ERROR"];
        let row = |text: &&str| {
            let mut parts = text.split(':').map(String::from);
            let mut part = || parts.next().unwrap_or_default();
            ([part(), part(), part(), part()], None)
        };
        Self { probes: own.iter().chain(probes).map(row).collect() }
    }
}

impl World for Fixture {
    fn matches(&self, pattern: &ProbePattern) -> Matches {
        let mut found = Matches::default();
        for (i, (parts, nargs)) in self.probes.iter().enumerate() {
            let [a, b, c, d] = parts;
            let hit = match pattern.id {
                0 => pattern.matches([a, b, c, d]),
                id => id as usize == i + 1,
            };
            if hit {
                found.count += 1;
                found.nargs = found.nargs.max(*nargs);
            }
        }
        found
    }
    fn nearest(&self, pattern: &ProbePattern) -> Vec<String> {
        let names = self.probes.iter().map(|(p, _)| p.join(":"));
        crate::diag::nearest(&pattern.to_string(), names)
    }
}
