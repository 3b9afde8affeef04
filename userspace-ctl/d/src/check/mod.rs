// SPDX-License-Identifier: GPL-2.0
//! From the tree as written to the tree as meant: names resolved, types found, mistakes told.
//!
//! The text is read once from top to bottom, as D prescribes: a variable exists from its first
//! assignment on. Whatever has been complained about gets [`Type::Error`], which goes with
//! everything, so one mistake gives one complaint.

mod action;
mod aggregation;
mod assign;
pub(crate) mod call;
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
use crate::names::scope::{Names, Scope};
use crate::parser::probe_desc;
use crate::program::Provider;
use crate::source::{Source, Span, SystemHeaders};
use crate::typed;
use crate::types::Type;
use crate::world::{Signature, World};
use abi::stability::Attributes;
use probe_args::Used;
use stability::Least;
use std::sync::Arc;

/// After so many complaints the rest would be noise.
const MAX_COMPLAINTS: usize = 20;

/// What the statements of a clause have done so far, as far as it matters for what may follow.
#[derive(Debug, Clone, Copy, Default)]
struct Order {
    records: bool,
    speculates: bool,
    commits: bool,
}

/// Settings of one program.
#[derive(Debug, Clone, Copy)]
pub struct Settings<'a> {
    /// Bytes of a string.
    pub strsize: u32,
    /// A description may match nothing.
    pub allow_zero: bool,
    /// Nothing will be traced: a process that a macro names need not be there.
    pub is_dry: bool,
    /// Where names are looked for that the program does not define.
    pub libraries: &'a Libraries,
    /// The least stability that is taken.
    pub amin: Option<Attributes>,
    /// Stability is computed.
    pub is_weighed: bool,
}

/// The state of checking one program.
pub struct Checker<'a> {
    source: &'a Source,
    world: &'a dyn World,
    settings: Settings<'a>,
    /// Known names; grows.
    pub names: Names,
    /// Complaints in order.
    pub diagnostics: Vec<Diagnostic>,
    /// What is no mistake, but should be known.
    pub notes: Vec<Diagnostic>,
    /// Probes matched by all descriptions.
    pub matched: usize,
    /// How stable what the program uses is, if that is computed.
    pub stability: Least,
    /// The providers that the program declares.
    pub providers: Vec<Provider>,
    region: Option<Region>,
    /// What the clause has done so far.
    order: Order,
    /// Most arguments of the clause's probes, if known.
    nargs: Option<u32>,
    /// Types of `args[]`, if known.
    signature: Option<Arc<Signature>>,
    /// Nodes that inlines have put in so far.
    expanded: u32,
    /// Hidden variables of the clause so far, for what is evaluated once.
    kept: u32,
    /// There is a clause around (not in an inline's definition).
    has_probe: bool,
    /// None of the clause's probes is there, which has been said: nothing is known of their `args[]`.
    is_missing: bool,
    /// Names and types of what an inline or a translator is given.
    params: Vec<(String, Type)>,
    /// Rules of translators that are being looked at: none of them can need itself.
    open_rules: Vec<(u32, String)>,
    /// The items of the program from the one that is being checked on.
    coming: &'a [ast::Item],
    /// Variables whose later assignments are being looked at.
    foreseen: Vec<(Scope, String)>,
    /// The library that is being read.
    library: Option<Arc<Source>>,
    system: SystemHeaders,
    /// What is checked is C of the system's: what D cannot have is not declared, and nothing is said.
    is_lenient: bool,
    /// A tag that nobody has defined stands for a type that is defined later.
    may_announce: bool,
}

impl<'a> Checker<'a> {
    /// Ready to check `source` with what earlier programs left in `names`.
    pub fn new(
        source: &'a Source,
        world: &'a dyn World,
        settings: Settings<'a>,
        mut names: Names,
    ) -> Self {
        names.begin_program();
        Self::within(source, world, settings, names)
    }

    /// Ready to check what belongs to a program, but stands elsewhere.
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
                    let pattern = self.world.resolve(pattern);
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
            // The body first: a predicate may name what its clause defines.
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
                // The others would be told the same.
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
            // To find out why costs the kernel a search.
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

    /// Complains and gives an expression that goes with everything.
    fn fail(&mut self, d: Diagnostic) -> typed::Expr {
        let span = d.primary.span;
        self.complain(d);
        typed::Expr::error(span)
    }

    /// Complains about something this version does not do.
    fn later(&mut self, tag: Tag, span: Span, what: &str) -> typed::Expr {
        let text = self.source.slice(span).chars().take(60).collect::<String>();
        // `stack() is`, `variable curpsinfo is` say already what the text would.
        let is_named = what.contains(&text)
            || what.split_once("()").is_some_and(|(name, _)| text.starts_with(name));
        let message = match is_named {
            true => format!("{what} not supported yet"),
            false => format!("{what} not supported yet: {text}"),
        };
        self.fail(Diagnostic::new(tag, span, message).label("this version cannot compile it"))
    }
}
