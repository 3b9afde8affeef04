// SPDX-License-Identifier: GPL-2.0
//! The only questions that the compiler asks: which probes exist, what they pass, what a type is.

use std::fmt;
use std::sync::Arc;

use crate::diag::Tag;
use crate::types::{Member, StructId, Type};
use abi::stability::ProviderAttributes;

/// A probe description as the program gives it: four parts (an empty one matches all, globs are
/// allowed), or an id.
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
    /// The probe id of `-i`; 0 to match by the parts.
    pub id: u32,
}

impl ProbePattern {
    /// Makes a pattern from parts.
    pub fn new(provider: &str, module: &str, function: &str, name: &str) -> Self {
        Self {
            provider: provider.into(),
            module: module.into(),
            function: function.into(),
            name: name.into(),
            id: 0,
        }
    }
    /// Returns the parts in order.
    pub fn parts(&self) -> [&str; 4] {
        [&self.provider, &self.module, &self.function, &self.name]
    }
    /// Tells whether the pattern matches a probe with these parts. The caller compares ids.
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

/// The number of probes that match, and of their arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Matches {
    /// Number of probes.
    pub count: usize,
    /// The most arguments that one of them passes, if the providers know; it decides which
    /// `args[N]` exist.
    pub nargs: Option<u32>,
}

/// A probe that a pattern matches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Probe {
    /// The id; 0 if the probe has none and is named by its parts.
    pub id: u32,
    /// Provider, module, function, name.
    pub parts: [String; 4],
    /// Number of arguments that it passes, if the provider knows.
    pub nargs: Option<u32>,
}

/// The `args[]` of a probe.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Signature {
    /// `args[0]` and so on, all that exist.
    pub args: Vec<Arg>,
}

/// The description that a program gives of its own probe, in C's words.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Declaration {
    /// The types of the arguments that the program passes.
    pub natives: Vec<String>,
    /// The types of `args[]`, each with the number of the native argument that it is made from.
    pub args: Vec<(String, u8)>,
}

/// One of `args[]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Arg {
    /// The C type.
    pub ty: Type,
    /// The number of the `argN` that holds it; of the first one, if it needs two. `None` if it is
    /// unavailable.
    pub slot: Option<u8>,
    /// The type of that argument, if it must be translated to `ty`.
    pub native: Option<Type>,
    /// The program's name for its type, if that name is not known here; `ty` is an error then.
    pub unknown: Option<String>,
}

impl Arg {
    /// Makes an argument that needs no translation.
    pub const fn new(ty: Type, slot: Option<u8>) -> Self {
        Self { ty, slot, native: None, unknown: None }
    }
}

/// A symbol of the kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Symbol {
    /// The address.
    pub address: u64,
    /// The type of the symbol; a function type for a function. `None` if not known.
    pub ty: Option<Type>,
    /// Each CPU has its own copy, at `address` plus the CPU's entry in
    /// `` vmlinux`__per_cpu_offset ``.
    pub is_per_cpu: bool,
}

/// The kinds of type names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "C's own words")]
pub enum TypeSpace {
    Struct,
    Union,
    Enum,
    Typedef,
}

impl TypeSpace {
    /// Returns the word before the name.
    pub const fn prefix(self) -> &'static str {
        match self {
            Self::Struct => "struct ",
            Self::Union => "union ",
            Self::Enum => "enum ",
            Self::Typedef => "",
        }
    }
}

/// The reason why a pattern matches nothing.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Why {
    /// A complaint to make instead of "does not match any probes".
    pub verdict: Option<(Tag, String)>,
    /// The remark at the blamed text: "no such function".
    pub label: String,
    /// Further facts.
    pub notes: Vec<String>,
    /// The remedy.
    pub hint: Option<String>,
}

impl Why {
    /// Sets the remedy.
    pub fn hint(mut self, text: impl Into<String>) -> Self {
        self.hint = Some(text.into());
        self
    }
}

/// The world as the compiler sees it. The compiler only asks; it changes nothing.
///
/// The compiler asks about types only if a program needs them: a program without struct, typedef or
/// `args[]` asks nothing, so an answer may cost a read of the kernel's types.
pub trait World {
    /// Returns a description in the form in which its probes are named: `libc` may be `libc.so.6`.
    fn called(&self, pattern: ProbePattern) -> ProbePattern {
        pattern
    }
    /// Returns how many probes match and how many arguments they pass.
    fn matches(&self, pattern: &ProbePattern) -> Matches;
    /// Returns why a pattern matches nothing. Without an answer, the compiler lists near names and
    /// providers.
    fn why(&self, pattern: &ProbePattern) -> Option<Why> {
        let _ = pattern;
        None
    }
    /// Returns names of probes near a pattern that matches none, best first; for the hint.
    fn nearest(&self, pattern: &ProbePattern) -> Vec<String> {
        let _ = pattern;
        Vec::new()
    }
    /// Returns the names of all providers; for the hint.
    fn providers(&self) -> Vec<String> {
        Vec::new()
    }
    /// Tells whether this kernel module is loaded. A world that does not know says yes.
    fn has_module(&self, name: &str) -> bool {
        let _ = name;
        true
    }
    /// Returns the matching probes one by one. The compiler asks if a clause uses `args[]`. A world
    /// that does not know returns none; then `args[]` have no types.
    fn probes(&self, pattern: &ProbePattern) -> Vec<Probe> {
        let _ = pattern;
        Vec::new()
    }
    /// Returns the arguments of a probe by C's declarations. `None`: not known, every `args[N]` is
    /// `argN`. The compiler asks once per matching probe; probes with equal arguments may share
    /// one.
    fn probe_signature(&self, probe: &Probe) -> Option<Arc<Signature>> {
        let _ = probe;
        None
    }
    /// Returns the description of a probe by the program that the probe is in.
    fn declaration(&self, probe: &Probe) -> Option<Arc<Declaration>> {
        let _ = probe;
        None
    }
    /// Returns the stability that a program promises for its own provider.
    fn promised(&self, provider: &str) -> Option<ProviderAttributes> {
        let _ = provider;
        None
    }
    /// Returns the reason why a probe has no signature, as text for a user of `args[]`.
    fn untyped(&self, probe: &Probe) -> Option<String> {
        let _ = probe;
        None
    }
    /// Returns the reason why this world knows no type at all, if that is so.
    fn no_types(&self) -> Option<String> {
        None
    }
    /// Returns the type of this name: `struct file`, `enum pid_type`, `loff_t`. A struct of which
    /// only the name is known has no size.
    fn find_type(&self, space: TypeSpace, name: &str) -> Option<Type> {
        let _ = (space, name);
        None
    }
    /// Returns the members of a struct of this world, in order. `None`: only its name is known.
    fn members(&self, of: StructId) -> Option<Arc<[Member]>> {
        let _ = of;
        None
    }
    /// Returns the values of an enumeration constant, extended to 64 bits, with their types; each
    /// value once.
    fn enum_constants(&self, name: &str) -> Vec<(u64, Type)> {
        let _ = name;
        Vec::new()
    }
    /// Returns all constants of an enumeration of this world, in order.
    fn enumerators(&self, of: StructId) -> Vec<(String, u64)> {
        let _ = of;
        Vec::new()
    }
    /// Returns a symbol of the kernel itself, of a module or, for "", of any of them.
    fn symbol(&self, module: &str, name: &str) -> Option<Symbol> {
        let _ = (module, name);
        None
    }
    /// Returns names of types of a kind that are near a missing one, best first; for the hint.
    fn nearest_types(&self, space: TypeSpace, name: &str) -> Vec<String> {
        let _ = (space, name);
        Vec::new()
    }
}

/// A world of listed probes, for tests and for `-e` without a kernel.
#[derive(Debug, Clone, Default)]
pub struct Fixture {
    /// Provider, module, function, name, and the number of arguments if known. Ids count from 1.
    pub probes: Vec<([String; 4], Option<u32>)>,
}

impl Fixture {
    /// Makes a world of the `dtrace` provider's probes and of those given as
    /// `provider:module:function:name`.
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
    fn probes(&self, pattern: &ProbePattern) -> Vec<Probe> {
        let rows = (1..).zip(&self.probes);
        let hits = rows.filter(|(id, (parts, _))| {
            let [a, b, c, d] = parts;
            pattern.id == *id || pattern.id == 0 && pattern.matches([a, b, c, d])
        });
        hits.map(|(id, (parts, nargs))| Probe { id, parts: parts.clone(), nargs: *nargs }).collect()
    }
    fn nearest(&self, pattern: &ProbePattern) -> Vec<String> {
        let names = self.probes.iter().map(|(p, _)| p.join(":"));
        crate::diag::nearest(&pattern.to_string(), names)
    }
}
