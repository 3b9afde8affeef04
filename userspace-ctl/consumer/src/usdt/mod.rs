// SPDX-License-Identifier: GPL-2.0
//! Probes that are built into programs: what `-h` and `-G` write.
//!
//! ```text
//!   toy.d ── dtrace -h ──► toy.h     TOY_TICK(a, b)  ──► a call of __dtrace_toy___tick
//!                            │
//!   toy.c ── cc -c ──► toy.o ┘
//!   toy.d, toy.o ── dtrace -G ──► toy.o    the calls are nops now
//!                            └──► prov.o   where they are, and what tells the kernel so as the program starts
//! ```
//! Neither needs the module or root.

mod dof;
mod elf;
pub mod header;
pub mod link;
mod sites;

use crate::world::Prepare;
use d::types::{Struct, StructId, StructKind, Type};
use d::world::{Matches, TypeSpace};
use d::{ProbePattern, World};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

/// The prefix of the functions that a probe's macro calls; provider and probe follow.
const CALL: &str = "__dtrace_";
/// The prefix of the functions that tell whether a probe is enabled.
const QUESTION: &str = "__dtraceenabled_";
/// The text between provider and probe.
const BETWEEN: &str = "___";

/// The world in which provider declarations are compiled: every probe exists, and only the names of
/// structs are known.
#[derive(Debug, Default)]
pub struct Declarations;

impl Prepare for Declarations {}

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
