// SPDX-License-Identifier: GPL-2.0
//! Variables, aggregations, inlines and type names known so far.
//!
//! Each scope counts its variables from 0x0500 in order of appearance. Globals, `self->`
//! variables and aggregations outlive a program: all programs of one consumer share them.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crate::ast;
use crate::parser::pragma::About;
use crate::source::{Source, Span};
use crate::typed;
use crate::types::{Int, Member, Type};
use crate::world::{Declaration, Signature, TypeSpace};
use abi::aggregation::AggFunc;
use abi::dif::VAR_USER_BASE;
use abi::difo::{SCOPE_GLOBAL, SCOPE_LOCAL, SCOPE_THREAD};
use abi::stability::{Attributes, ProviderAttributes};

/// Where a variable lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Scope {
    /// `x`.
    Global,
    /// `self->x`.
    Thread,
    /// `this->x`.
    Local,
}

impl Scope {
    /// The number in a variable table.
    pub const fn number(self) -> u8 {
        match self {
            Self::Global => SCOPE_GLOBAL,
            Self::Thread => SCOPE_THREAD,
            Self::Local => SCOPE_LOCAL,
        }
    }
    /// What stands before the name.
    pub const fn prefix(self) -> &'static str {
        match self {
            Self::Global => "",
            Self::Thread => "self->",
            Self::Local => "this->",
        }
    }
}

/// A variable of the D program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Variable {
    /// Where it lives.
    pub scope: Scope,
    /// DIF id, unique in its scope.
    pub id: u16,
    /// Name without prefix.
    pub name: Arc<str>,
    /// What it holds; each of its elements, if it is an associative array.
    pub ty: Type,
    /// The types of an associative array's keys.
    pub keys: Option<Arc<[Type]>>,
}

/// An aggregation.
#[derive(Debug, Clone)]
pub struct Agg {
    /// From 1.
    pub number: u32,
    /// Name without `@`.
    pub name: String,
    /// Function and parameters of its first use.
    pub func: AggFunc,
    /// Types of the keys of its first use.
    pub keys: Vec<Type>,
    /// Names of the keys of its first use.
    pub key_names: Vec<String>,
}

/// `inline type name = expression;`
#[derive(Debug, Clone)]
pub struct Inline {
    /// Types of what stands between the brackets of `name[..]`; none for a plain name.
    pub params: Arc<[Type]>,
    /// What it stands for.
    pub body: typed::Expr,
    /// A program may have another of this name.
    pub is_library: bool,
}

/// `translator output < input param > { rules };`
#[derive(Debug)]
pub struct Translator {
    /// A struct or union.
    pub output: Type,
    /// What it is made of.
    pub input: Type,
    /// The name of that in the rules.
    pub param: String,
    /// How each member is had.
    pub rules: Vec<ast::Rule>,
    /// The library it stands in: its rules are looked at as they are used.
    pub library: Option<Arc<Source>>,
}

#[derive(Debug, Clone, Default)]
struct Table {
    by_name: HashMap<String, Arc<Variable>>,
    count: u16,
}

/// What is known.
#[derive(Debug, Clone, Default)]
pub struct Names {
    globals: Table,
    thread: Table,
    locals: Table,
    /// In order of number.
    pub aggs: Vec<Agg>,
    /// By name.
    pub inlines: HashMap<String, Inline>,
    /// By number.
    pub translators: Vec<Arc<Translator>>,
    /// Their rules as far as they are known, by number and member.
    pub rules: HashMap<(u32, String), typed::Expr>,
    /// What the probes of declared providers pass, by provider and name.
    pub providers: HashMap<String, HashMap<String, Arc<Signature>>>,
    /// What programs tell of their probes, with the types that are known here.
    pub told: HashMap<Declaration, Arc<Signature>>,
    /// Numbers of the libraries that have been read.
    pub libraries: HashSet<usize>,
    /// `typedef`.
    pub typedefs: HashMap<String, Type>,
    /// Structs, unions and enumerations with a tag.
    pub tags: HashMap<(TypeSpace, String), Type>,
    /// Enumerations whose constants are not known yet.
    pub forward_enums: HashSet<String>,
    /// Members of the program's own structs and unions, by the number of their id.
    pub structs: HashMap<u64, Arc<[Member]>>,
    /// Their alignments.
    pub aligns: HashMap<u64, u32>,
    /// Number of the next of them.
    pub next_struct: u64,
    /// Constants of the program's own enumerations.
    pub enumerators: HashMap<String, (u64, Int)>,
    /// What `#pragma D attributes` promises of names.
    pub promised: HashMap<String, Attributes>,
    /// And of providers.
    pub promised_of: HashMap<String, ProviderAttributes>,
    /// Where a name of this program was first given a meaning, for messages.
    pub places: HashMap<(Scope, String), Span>,
}

impl Names {
    /// Takes a `#pragma D attributes` into account.
    pub fn promise(&mut self, about: &About) {
        let Some(attributes) = about.attributes else { return };
        let Some(part) = about.part else {
            self.promised.insert(about.name.clone(), attributes);
            return;
        };
        let of = || ProviderAttributes::of(&about.name);
        let all = self.promised_of.entry(about.name.clone()).or_insert_with(of);
        if let Some(one) = all.0.get_mut(part) {
            *one = attributes;
        }
    }

    /// Forgets what belongs to one program. Ids of `this->` variables are not given again: to the
    /// kernel all programs of a consumer are one, and a variable has one type.
    pub fn begin_program(&mut self) {
        self.locals.by_name.clear();
        self.places.clear();
    }

    fn table(&self, scope: Scope) -> &Table {
        match scope {
            Scope::Global => &self.globals,
            Scope::Thread => &self.thread,
            Scope::Local => &self.locals,
        }
    }

    /// The variable of this name.
    pub fn variable(&self, scope: Scope, name: &str) -> Option<&Arc<Variable>> {
        self.table(scope).by_name.get(name)
    }

    /// Names of the variables of a scope.
    pub fn variables(&self, scope: Scope) -> impl Iterator<Item = String> + '_ {
        self.table(scope).by_name.keys().cloned()
    }

    /// Names that are values: what the world has as types is none of them.
    pub fn values(&self) -> impl Iterator<Item = String> + '_ {
        let variables = self.globals.by_name.keys();
        variables.chain(self.inlines.keys()).chain(self.enumerators.keys()).cloned()
    }

    /// A new variable; `None` if there are too many.
    pub fn define(
        &mut self,
        scope: Scope,
        name: &str,
        keys: Option<Arc<[Type]>>,
        ty: Type,
        at: Span,
    ) -> Option<Arc<Variable>> {
        let table = match scope {
            Scope::Global => &mut self.globals,
            Scope::Thread => &mut self.thread,
            Scope::Local => &mut self.locals,
        };
        let id = VAR_USER_BASE.checked_add(table.count)?;
        table.count = table.count.checked_add(1)?;
        let v = Arc::new(Variable { scope, id, name: name.into(), ty, keys });
        table.by_name.insert(name.into(), v.clone());
        self.places.insert((scope, name.into()), at);
        Some(v)
    }

    /// The aggregation of this name.
    pub fn agg(&self, name: &str) -> Option<&Agg> {
        self.aggs.iter().find(|a| a.name == name)
    }
}
