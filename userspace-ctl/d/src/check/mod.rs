// SPDX-License-Identifier: GPL-2.0
//! Turns the tree as written into the tree as meant: resolves names, finds types, reports mistakes.
//!
//! The text is read once from top to bottom, as D prescribes: a variable exists from its first
//! assignment on. An expression that caused a complaint gets [`Type::Error`], which fits
//! everywhere, so one mistake gives one complaint.

mod action;
mod aggregation;
mod assign;
mod binary;
pub(crate) mod call;
mod convert;
pub mod decl;
mod expr;
mod foresee;
mod library;
mod member;
mod print;
mod printf;
mod probe_args;
mod prototype;
mod provider;
pub mod stability;
mod symbol;
mod tag;
pub(crate) mod variable;
mod xlate;

use crate::ast;
use crate::diag::{Diagnostic, Region, Tag};
use crate::library::Libraries;
use crate::names::Names;
use crate::parser::probe_desc;
use crate::program::Provider;
use crate::scope::Scope;
use crate::source::{Source, Span, SystemHeaders};
use crate::typed;
use crate::types::Type;
use crate::world::{Signature, World};
use abi::stability::Attributes;
use probe_args::Used;
use stability::Least;
use std::sync::Arc;

/// After this many complaints, further ones would be noise.
const MAX_COMPLAINTS: usize = 20;

/// The actions that a clause has done so far, as far as they limit the following ones.
#[derive(Debug, Clone, Copy, Default)]
struct Order {
    records: bool,
    speculates: bool,
    commits: bool,
}

/// Settings of one program.
#[derive(Debug, Clone, Copy)]
pub struct Settings<'a> {
    /// Bytes of a string with its NUL.
    pub strsize: u32,
    /// A description may match no probe.
    pub allow_zero: bool,
    /// Nothing will be traced: the process of a `pid$` description need not exist.
    pub is_dry: bool,
    /// The libraries with names that the program does not define.
    pub libraries: &'a Libraries,
    /// The least stability that the program may depend on.
    pub amin: Option<Attributes>,
    /// Whether to compute the stability.
    pub is_weighed: bool,
}

/// The state of checking one program.
pub struct Checker<'a> {
    source: &'a Source,
    world: &'a dyn World,
    settings: Settings<'a>,
    /// The names known so far.
    pub names: Names,
    /// The complaints, in order.
    pub diagnostics: Vec<Diagnostic>,
    /// Remarks that are not mistakes.
    pub notes: Vec<Diagnostic>,
    /// Number of probes that all descriptions match.
    pub matched: usize,
    /// The stability of everything that the program uses, if it is computed.
    pub stability: Least,
    /// The providers that the program declares.
    pub providers: Vec<Provider>,
    region: Option<Region>,
    /// The actions of the clause so far.
    order: Order,
    /// The most arguments of the clause's probes, if known.
    nargs: Option<u32>,
    /// Types of `args[]`, if known.
    signature: Option<Arc<Signature>>,
    /// Number of nodes that inlines have inserted so far.
    expanded: u32,
    /// Number of hidden variables of the clause so far, for values that are evaluated once.
    kept: u32,
    /// The code is in a clause (not in an inline's definition).
    has_probe: bool,
    /// No probe of the clause exists, which caused a complaint: nothing is known about `args[]`.
    is_missing: bool,
    /// Names and types of the parameters of an inline or a translator.
    params: Vec<(String, Type)>,
    /// The rules of translators that are being checked; none of them may need itself.
    open_rules: Vec<(u32, String)>,
    /// The items of the program from the current one on.
    coming: &'a [ast::Item],
    /// Variables whose later assignments are being checked.
    foreseen: Vec<(Scope, String)>,
    /// The library that is being read.
    library: Option<Arc<Source>>,
    system: SystemHeaders,
    /// The current item is C from a system header: declarations that D cannot have are ignored
    /// without a complaint.
    is_lenient: bool,
    /// An undefined tag stands for a type that is defined later.
    may_announce: bool,
}

impl<'a> Checker<'a> {
    /// Makes a checker for `source` with the `names` of earlier programs.
    pub fn new(
        source: &'a Source,
        world: &'a dyn World,
        settings: Settings<'a>,
        mut names: Names,
    ) -> Self {
        names.begin_program();
        Self::within(source, world, settings, names)
    }

    /// Makes a checker for a text that belongs to a program, but is in another place.
    fn within(
        source: &'a Source,
        world: &'a dyn World,
        settings: Settings<'a>,
        names: Names,
    ) -> Self {
        Self {
            source,
            world,
            settings,
            names,
            diagnostics: Vec::new(),
            notes: Vec::new(),
            matched: 0,
            stability: Least::default(),
            providers: Vec::new(),
            region: None,
            order: Order::default(),
            nargs: None,
            signature: None,
            expanded: 0,
            kept: 0,
            has_probe: false,
            is_missing: false,
            params: Vec::new(),
            open_rules: Vec::new(),
            coming: &[],
            foreseen: Vec::new(),
            library: None,
            system: source.system_headers(),
            is_lenient: false,
            may_announce: true,
        }
    }

    /// Checks the whole program.
    pub fn program(&mut self, items: &'a [ast::Item]) -> Vec<typed::Clause> {
        let mut clauses = Vec::new();
        for (n, item) in items.iter().enumerate() {
            self.coming = items.get(n..).unwrap_or(&[]);
            match item {
                ast::Item::Clause(c) => clauses.push(self.clause(c)),
                ast::Item::Decl(d) => {
                    self.is_lenient = self.system.contain(d.span.start);
                    self.declaration(d);
                    self.is_lenient = false;
                }
                ast::Item::Translator(t) => self.translator(t),
                ast::Item::Provider(p) => self.provider(p),
            }
        }
        clauses
    }

    fn clause(&mut self, clause: &ast::Clause) -> typed::Clause {
        let mut probes = Vec::new();
        let (before, matched) = (self.diagnostics.len(), self.matched);
        for (text, span) in &clause.probes {
            match probe_desc::pattern(text, *span, self.source) {
                Ok(pattern) => {
                    let pattern = self.world.called(pattern);
                    let found = self.world.matches(&pattern);
                    self.matched = self.matched.saturating_add(found.count);
                    let is_of_macro = self.source.slice(*span).starts_with("pid$");
                    let is_excused = self.settings.is_dry && is_of_macro;
                    if found.count == 0 && !self.settings.allow_zero && !is_excused {
                        self.no_match(&pattern, *span);
                    }
                    probes.push((pattern, *span, found.nargs));
                }
                Err(d) => self.complain(d),
            }
        }
        let is_absent = self.matched == matched;
        self.is_missing = is_absent && self.diagnostics.len() > before;
        let described: Vec<_> = probes.iter().map(|p| (p.0.clone(), p.1)).collect();
        self.weigh(clause, &described);
        let (groups, counts) = self.groups(&probes, &Used::of(clause));
        let is_split = groups.len() > 1;
        let mut variants = Vec::new();
        self.has_probe = true;
        for group in groups {
            let errors = self.diagnostics.len();
            (self.nargs, self.signature) = (group.nargs, group.signature);
            self.region = Some(Region::ActionList);
            self.order = Order::default();
            self.kept = 0;
            // The body comes first: a predicate may use a variable that its clause defines.
            let body = self.statements(clause.body.as_deref().unwrap_or(&[]));
            let predicate = clause.predicate.as_ref().map(|p| {
                self.region = Some(Region::Predicate);
                self.predicate(p)
            });
            self.region = None;
            variants.push(typed::Variant { members: group.members, predicate, body });
            if let (Some(d), Some(probe)) = (self.diagnostics.get_mut(errors), &group.untyped) {
                if let (Tag::OpPtr | Tag::OpSou | Tag::DerefNonptr, Some(why)) =
                    (d.tag, self.world.untyped(probe))
                {
                    let name = probe.parts.join(":");
                    d.notes.push(format!("args[] of {name} have no types: {why}"));
                }
            }
            if let (Some(d), true) = (self.diagnostics.get_mut(errors), is_absent) {
                if let Tag::OpPtr | Tag::OpSou | Tag::DerefNonptr = d.tag {
                    d.notes.push(
                        "there is no probe yet, so args[] have no types; a provider declaration sets them"
                            .into(),
                    );
                }
            }
            if let (Some(d), true) = (self.diagnostics.get_mut(errors), is_split) {
                // The other groups would give the same complaint.
                if !group.example.is_empty() {
                    d.notes.push(format!(
                        "so for {}: the probes differ in their args[]",
                        group.example
                    ));
                }
                break;
            }
        }
        self.has_probe = false;
        self.signature = None;
        let span = clause.probes.first().map(|p| p.1).unwrap_or_default();
        let probes = probes.into_iter().map(|p| p.0).collect();
        typed::Clause { probes, counts, variants, span }
    }

    fn no_match(&mut self, pattern: &crate::world::ProbePattern, span: Span) {
        let message = match pattern.id {
            0 => format!("probe description {pattern} does not match any probes"),
            id => format!("probe identifier {id} does not match any probes"),
        };
        if self.diagnostics.len() >= MAX_COMPLAINTS {
            // Finding the reason costs the kernel a search.
            return;
        }
        let mut d = Diagnostic::new(Tag::PdescZero, span, message).label("no such probe");
        d.is_bare = true;
        if let Some(why) = self.world.why(pattern) {
            if let Some((tag, message)) = why.verdict {
                (d.tag, d.message) = (tag, message);
            }
            d.primary.text = why.label;
            d.notes = why.notes;
            d.hint = why.hint;
            return self.complain(d);
        }
        let near = self.world.nearest(pattern);
        if !near.is_empty() {
            let near: Vec<String> =
                near.iter().map(|n| format!("`{}`", n.trim_start_matches(':'))).collect();
            d = d.hint(format!("did you mean {}?", near.join(" or ")));
        } else if pattern.id == 0 {
            let [provider, ..] = pattern.parts();
            let known = self.world.providers();
            let is_there = |p: &String| abi::probe::part_matches(provider.as_bytes(), p.as_bytes());
            if !provider.is_empty() && !known.is_empty() && !known.iter().any(is_there) {
                let list = known.join(", ");
                d = d.note(format!("there is no provider `{provider}`; the providers are: {list}"));
            } else {
                d = d.hint("`dtrace -l` lists all probes");
            }
        }
        self.complain(d);
    }

    fn predicate(&mut self, expr: &ast::Expr) -> typed::Expr {
        let e = self.expr(expr);
        if !e.ty.is_scalar() && !e.ty.is_error() {
            let message = format!("predicate result must be of scalar type, found {}", e.ty);
            let d = Diagnostic::new(Tag::PredScalar, e.span, message)
                .label(format!("expected a number or a pointer, found {}", e.ty));
            self.complain(match e.ty {
                Type::String => d.hint("compare the string: != \"\""),
                _ => d,
            });
        }
        e
    }

    fn complain(&mut self, mut d: Diagnostic) {
        d.region = d.region.or(self.region);
        if self.diagnostics.len() < MAX_COMPLAINTS && !self.is_lenient {
            self.diagnostics.push(d);
        }
    }

    /// Complains and returns an expression that fits everywhere.
    fn fail(&mut self, d: Diagnostic) -> typed::Expr {
        let span = d.primary.span;
        self.complain(d);
        typed::Expr::error(span)
    }

    /// Complains about a feature that this version does not support.
    fn later(&mut self, tag: Tag, span: Span, what: &str) -> typed::Expr {
        let text = self.source.slice(span).chars().take(60).collect::<String>();
        // In `stack() is` or `variable curpsinfo is`, the text would be repeated.
        let is_named = what.contains(&text)
            || what.split_once("()").is_some_and(|(name, _)| text.starts_with(name));
        let message = match is_named {
            true => format!("{what} not supported yet"),
            false => format!("{what} not supported yet: {text}"),
        };
        self.fail(Diagnostic::new(tag, span, message).label("this version cannot compile it"))
    }
}
