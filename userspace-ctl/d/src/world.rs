// SPDX-License-Identifier: GPL-2.0
//! The only questions the compiler asks: which probes are there, what do they pass, what is a type.

use std::fmt;
use std::sync::Arc;

use crate::diag::Tag;
use crate::types::{Member, StructId, Type};
use abi::stability::ProviderAttributes;

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

/// A probe that a pattern matches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Probe {
    /// Its id; 0 if it has none, and then it is called by its parts.
    pub id: u32,
    /// Provider, module, function, name.
    pub parts: [String; 4],
    /// Arguments it passes, if the provider knows.
    pub nargs: Option<u32>,
}

/// What `args[]` of a probe are.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Signature {
    /// `args[0]` and so on; as many as there are.
    pub args: Vec<Arg>,
}

/// What a program tells of a probe of its own, in C's words.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Declaration {
    /// The types of what it passes.
    pub natives: Vec<String>,
    /// The types of `args[]`, and which of the natives each is made of.
    pub args: Vec<(String, u8)>,
}

/// One of `args[]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Arg {
    /// Its C type.
    pub ty: Type,
    /// Which `argN` holds it; the first of them for what needs two. `None` if it cannot be had.
    pub slot: Option<u8>,
    /// What lies there, if that has to be translated to the type.
    pub native: Option<Type>,
    /// What its program calls its type, if nobody else knows that name: `ty` is an error then.
    pub unknown: Option<String>,
}

impl Arg {
    /// One that is what it lies there as.
    pub const fn new(ty: Type, slot: Option<u8>) -> Self {
        Self { ty, slot, native: None, unknown: None }
    }
}

/// A symbol of the kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Symbol {
    /// Where it is.
    pub address: u64,
    /// What is there; a function for a function. `None`: not known.
    pub ty: Option<Type>,
    /// Each CPU has its own, so far behind `address` as `vmlinux`__per_cpu_offset` says.
    pub is_per_cpu: bool,
}

/// Kinds of names of types.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "C's own words")]
pub enum TypeSpace {
    Struct,
    Union,
    Enum,
    Typedef,
}

impl TypeSpace {
    /// What stands before the name.
    pub const fn prefix(self) -> &'static str {
        match self {
            Self::Struct => "struct ",
            Self::Union => "union ",
            Self::Enum => "enum ",
            Self::Typedef => "",
        }
    }
}

/// Why a pattern matches nothing.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Why {
    /// A complaint of its own, instead of that nothing matches.
    pub verdict: Option<(Tag, String)>,
    /// What the blamed text is: "no such function".
    pub label: String,
    /// Facts.
    pub notes: Vec<String>,
    /// What to do.
    pub hint: Option<String>,
}

impl Why {
    /// With what to do.
    pub fn hint(mut self, text: impl Into<String>) -> Self {
        self.hint = Some(text.into());
        self
    }
}

/// The world as the compiler sees it.
///
/// Questions about types come only if a program needs them: one without struct, typedef or
/// `args[]` asks none, so an answer may cost a read of the kernel's types.
pub trait World {
    /// A description as its probes are called. A world whose probes are made as they are asked for
    /// makes them now.
    fn resolve(&self, pattern: ProbePattern) -> ProbePattern {
        pattern
    }
    /// How many probes match, and what they pass.
    fn matches(&self, pattern: &ProbePattern) -> Matches;
    /// Why a pattern matches nothing. A world that does not know has near names and providers.
    fn why(&self, pattern: &ProbePattern) -> Option<Why> {
        let _ = pattern;
        None
    }
    /// Names of probes near to a pattern that matches none, best first; for the hint.
    fn nearest(&self, pattern: &ProbePattern) -> Vec<String> {
        let _ = pattern;
        Vec::new()
    }
    /// Names of the providers there are; for the hint.
    fn providers(&self) -> Vec<String> {
        Vec::new()
    }
    /// Is this module of the kernel there? A world that cannot tell has them all.
    fn has_module(&self, name: &str) -> bool {
        let _ = name;
        true
    }
    /// The probes that match, one by one: asked if a clause uses `args[]`. A world that cannot tell
    /// gives none; then `args[]` are what they are without types.
    fn probes(&self, pattern: &ProbePattern) -> Vec<Probe> {
        let _ = pattern;
        Vec::new()
    }
    /// What a probe passes, by C's declarations. `None`: not known, every `args[N]` is `argN`.
    /// Asked once per matching probe; probes with equal arguments may share one.
    fn probe_signature(&self, probe: &Probe) -> Option<Arc<Signature>> {
        let _ = probe;
        None
    }
    /// What the program that a probe is of tells of it.
    fn declaration(&self, probe: &Probe) -> Option<Arc<Declaration>> {
        let _ = probe;
        None
    }
    /// What a provider that a program brings along promises.
    fn promised(&self, provider: &str) -> Option<ProviderAttributes> {
        let _ = provider;
        None
    }
    /// Why a probe has no signature, in words, for who wants to use its arguments' types.
    fn untyped(&self, probe: &Probe) -> Option<String> {
        let _ = probe;
        None
    }
    /// The type of this name: `struct file`, `enum pid_type`, `loff_t`. A struct of which only
    /// the name is known has no size.
    fn find_type(&self, space: TypeSpace, name: &str) -> Option<Type> {
        let _ = (space, name);
        None
    }
    /// The members of a struct that this world made, in order. `None`: only its name is known.
    fn members(&self, of: StructId) -> Option<Arc<[Member]>> {
        let _ = of;
        None
    }
    /// A constant of any enumeration: its value, extended to 64 bits, and its type. Each value once.
    fn enum_constants(&self, name: &str) -> Vec<(u64, Type)> {
        let _ = name;
        Vec::new()
    }
    /// All constants of an enumeration of these types, in order.
    fn enumerators(&self, of: StructId) -> Vec<(String, u64)> {
        let _ = of;
        Vec::new()
    }
    /// A symbol of the kernel proper, of a module, or with "" of any of them.
    fn symbol(&self, module: &str, name: &str) -> Option<Symbol> {
        let _ = (module, name);
        None
    }
    /// Names of types of a kind that are near to one that is not there, best first; for the hint.
    fn nearest_types(&self, space: TypeSpace, name: &str) -> Vec<String> {
        let _ = (space, name);
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
