// SPDX-License-Identifier: GPL-2.0
//! Variables, aggregations, inlines and type names known so far.
//!
//! Each scope counts its variables from 0x0500 in order of appearance. Globals, `self->`
//! variables and aggregations outlive a program: all programs of one consumer share them.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crate::ast;
use crate::parser::pragma::About;
use crate::parser::Known;
use crate::scope::{Scope, Variable};
use crate::source::{Source, Span};
use crate::typed;
use crate::types::{Int, Member, Type};
use crate::world::{Declaration, Signature, TypeSpace};
use abi::aggregation::AggFunc;
use abi::dif::VAR_USER_BASE;
use abi::stability::{Attributes, ProviderAttributes};

/// An aggregation.
#[derive(Debug, Clone)]
pub struct Agg {
    /// The number, from 1.
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
    /// Types of the values between the brackets of `name[..]`; none for a plain name.
    pub params: Arc<[Type]>,
    /// The expression that replaces the name.
    pub body: typed::Expr,
    /// It comes from a library: a program may define the same name itself.
    pub is_library: bool,
}

/// `translator output < input param > { rules };`
#[derive(Debug)]
pub struct Translator {
    /// The type that it makes: a struct or union.
    pub output: Type,
    /// The type that it translates.
    pub input: Type,
    /// The name of the input in the rules.
    pub param: String,
    /// The expression for each member.
    pub rules: Vec<ast::Rule>,
    /// The library that it comes from, if any; its rules are checked when they are used.
    pub library: Option<Arc<Source>>,
}

/// The variables of one scope.
#[derive(Debug, Clone, Default)]
struct Variables {
    by_name: HashMap<String, Arc<Variable>>,
    count: u16,
}

/// All names known so far.
#[derive(Debug, Clone, Default)]
pub struct Names {
    globals: Variables,
    thread: Variables,
    locals: Variables,
    /// Aggregations, in order of their numbers.
    pub aggs: Vec<Agg>,
    /// Inlines by name.
    pub inlines: HashMap<String, Inline>,
    /// Translators by number.
    pub translators: Vec<Arc<Translator>>,
    /// The checked rules so far, by translator number and member.
    pub rules: HashMap<(u32, String), typed::Expr>,
    /// The arguments of the probes of declared providers, by provider and name.
    pub providers: HashMap<String, HashMap<String, Arc<Signature>>>,
    /// The arguments that programs describe for their probes, with the types known here.
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
    /// Alignments of the same structs and unions, in bytes.
    pub aligns: HashMap<u64, u32>,
    /// The number of the next struct or union.
    pub next_struct: u64,
    /// Constants of the program's own enumerations.
    pub enumerators: HashMap<String, (u64, Int)>,
    /// The stability that `#pragma D attributes` promises for names.
    pub promised: HashMap<String, Attributes>,
    /// The stability that it promises for providers.
    pub promised_of: HashMap<String, ProviderAttributes>,
    /// Where this program first defined each variable, for messages.
    pub places: HashMap<(Scope, String), Span>,
}

impl Names {
    /// Records a `#pragma D attributes`.
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

    /// Forgets the names that belong to one program. Ids of `this->` variables are not reused: to
    /// the kernel, all programs of a consumer are one, and a variable has one type.
    pub fn begin_program(&mut self) {
        self.locals.by_name.clear();
        self.places.clear();
    }

    fn scope(&self, scope: Scope) -> &Variables {
        match scope {
            Scope::Global => &self.globals,
            Scope::Thread => &self.thread,
            Scope::Local => &self.locals,
        }
    }

    /// Returns the variable of this name.
    pub fn variable(&self, scope: Scope, name: &str) -> Option<&Arc<Variable>> {
        self.scope(scope).by_name.get(name)
    }

    /// Returns the names of the variables of a scope.
    pub fn variables(&self, scope: Scope) -> impl Iterator<Item = String> + '_ {
        self.scope(scope).by_name.keys().cloned()
    }

    /// Returns the names that affect how a text is read.
    pub fn known(&self) -> Known {
        Known {
            typedefs: self.typedefs.keys().cloned().collect(),
            variables: self.values().collect(),
        }
    }

    /// Returns the names of values; the parser does not take these for types of the world.
    pub fn values(&self) -> impl Iterator<Item = String> + '_ {
        let variables = self.globals.by_name.keys();
        variables.chain(self.inlines.keys()).chain(self.enumerators.keys()).cloned()
    }

    /// Defines a variable; returns `None` if there are too many.
    pub fn define(
        &mut self,
        scope: Scope,
        name: &str,
        keys: Option<Arc<[Type]>>,
        ty: Type,
        at: Span,
    ) -> Option<Arc<Variable>> {
        let variables = match scope {
            Scope::Global => &mut self.globals,
            Scope::Thread => &mut self.thread,
            Scope::Local => &mut self.locals,
        };
        let id = VAR_USER_BASE.checked_add(variables.count)?;
        variables.count = variables.count.checked_add(1)?;
        let v = Arc::new(Variable { scope, id, name: name.into(), ty, keys });
        variables.by_name.insert(name.into(), v.clone());
        self.places.insert((scope, name.into()), at);
        Some(v)
    }

    /// Returns the aggregation of this name.
    pub fn agg(&self, name: &str) -> Option<&Agg> {
        self.aggs.iter().find(|a| a.name == name)
    }
}
