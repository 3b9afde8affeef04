// SPDX-License-Identifier: GPL-2.0
//! Probes that programs are built with: what `-h` and `-G` write.
//!
//! ```text
//!   toy.d ── dtrace -h ──► toy.h     TOY_TICK(a, b)  ──► a call of __dtrace_toy___tick
//!                            │
//!   toy.c ── cc -c ──► toy.o ┘
//!   toy.d, toy.o ── dtrace -G ──► toy.o    the calls are nops now
//!                            └──► prov.o   where they are, and what tells the kernel so as the program starts
//! ```
//! Neither needs the module, nor to be root.

mod dof;
mod elf;
pub mod header;
pub mod link;
mod sites;

use d::types::{Struct, StructId, StructKind, Type};
use d::world::{Matches, TypeSpace};
use d::{ProbePattern, World};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

/// What calls of a probe are called, with provider and probe behind it.
const CALL: &str = "__dtrace_";
/// The same of the question whether it is enabled.
const QUESTION: &str = "__dtraceenabled_";
/// Between provider and probe.
const BETWEEN: &str = "___";

/// What declarations of providers are compiled in: every probe is there, of structs only the names are known.
#[derive(Debug, Default)]
pub struct Declarations;

impl World for Declarations {
    fn matches(&self, _: &ProbePattern) -> Matches {
        Matches { count: 1, nargs: None }
    }

    fn find_type(&self, space: TypeSpace, name: &str) -> Option<Type> {
        let kind = match space {
            TypeSpace::Struct => StructKind::Struct,
            TypeSpace::Union => StructKind::Union,
            TypeSpace::Enum | TypeSpace::Typedef => return None,
        };
        let mut id = DefaultHasher::new();
        (space, name).hash(&mut id);
        let id = StructId(id.finish() & (StructId::PROGRAM - 1));
        let (tag, alias) = (name.to_string(), String::new());
        Some(Type::Struct(Arc::new(Struct { kind, tag, alias, size: None, id })))
    }
}
