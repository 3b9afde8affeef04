// SPDX-License-Identifier: GPL-2.0
//! Turns typed clauses into clauses of actions; each expression becomes a DIF object.
//!
//! `if` has no instruction of its own: the VM knows only predicates. A clause with an `if` becomes
//! several clauses on the same probes, which run one after the other. A hidden clause-local
//! variable holds the condition, and the predicates of the parts test it:
//!
//! ```text
//! p /x/ { a; if (c) { b; } else { d; } e; }
//!
//! p                      { this->?e = 1; this->?0 = x != 0; this->?e = 0; }
//! p /!?e && ?0/          { this->?e = 1; a; this->?1 = c != 0; this->?e = 0; }
//! p /!?e && ?0 && ?1/    { this->?e = 1; b; this->?e = 0; }
//! p /!?e && ?0 && !?1/   { this->?e = 1; d; this->?e = 0; }
//! p /!?e && ?0/          { e; }
//! ```
//! `?e` is 1 while a part runs. A part that ends with a fault leaves it at 1, so the rest of the
//! clause does not run, as the manual promises.

mod statement;
mod thread;

use std::sync::Arc;

use crate::ast::BinOp;
use crate::codegen::{self, Problem, Use};
use crate::diag::{Diagnostic, Tag};
use crate::names::Names;
use crate::program::{Action, Clause, DifObject, Statement, StatementKind};
use crate::scope::{Scope, Variable};
use crate::source::Span;
use crate::typed::{self, Expr, Kind, Members, Stmt};
use crate::types::{Int, Type};
use crate::world::ProbePattern;
use abi::action::ActionKind;
use abi::difo::DifType;

/// Clauses and statements under construction.
pub struct Lower<'a> {
    names: &'a mut Names,
    strsize: u32,
    /// Number of the next statement.
    next: u64,
    /// Number of the next clause.
    next_clause: u64,
    /// Statements so far.
    pub statements: Vec<Statement>,
    /// Complaints.
    pub diagnostics: Vec<Diagnostic>,
    hidden: u32,
    /// `this->?e` while a clause with an `if` is being split.
    running: Option<Arc<Variable>>,
    /// The id of the speculation in which the following parts record.
    speculating: Option<Arc<Variable>>,
}

/// The most probes that a clause can name one by one: each takes two of the 65,536 sections of a
/// DOF.
const MAX_ADDRESSED: usize = 24_000;

/// The result of one variant of a clause.
struct Code {
    parts: Vec<Clause>,
    statements: Vec<Statement>,
    /// Number of the first of the statements.
    first: u64,
    members: Vec<Members>,
}

impl Code {
    /// Tells whether two codes are equal except for the probes and the statements' numbers.
    fn is_same(&self, other: &Code) -> bool {
        let number = |a: &Action, b: &Action| {
            a.uarg == b.uarg || a.uarg.wrapping_sub(self.first) == b.uarg.wrapping_sub(other.first)
        };
        let action = |(a, b): (&Action, &Action)| {
            (a.kind, a.ntuple, a.arg) == (b.kind, b.ntuple, b.arg)
                && a.difo == b.difo
                && a.format == b.format
                && number(a, b)
        };
        let part = |(a, b): (&Clause, &Clause)| {
            a.predicate == b.predicate
                && a.actions.len() == b.actions.len()
                && a.actions.iter().zip(&b.actions).all(action)
        };
        self.parts.len() == other.parts.len()
            && self.statements.len() == other.statements.len()
            && self.parts.iter().zip(&other.parts).all(part)
            && self.statements.iter().zip(&other.statements).all(|(a, b)| a.kind == b.kind)
    }
}

/// The conditions of a part of a clause: hidden variables, and the truth that each must have.
type Conditions = Vec<(Arc<Variable>, bool)>;

impl<'a> Lower<'a> {
    /// Starts with the given numbers, which continue from earlier programs.
    pub fn new(names: &'a mut Names, strsize: u32, next: u64, next_clause: u64) -> Self {
        Self {
            names,
            strsize,
            next,
            next_clause,
            statements: Vec::new(),
            diagnostics: Vec::new(),
            hidden: 0,
            running: None,
            speculating: None,
        }
    }

    /// Lowers one clause. It becomes several if it has an `if`, or probes with different arguments.
    pub fn clause(&mut self, clause: &typed::Clause) -> Vec<Clause> {
        let mut codes: Vec<Code> = Vec::new();
        let (hidden, mut most_hidden) = (self.hidden, self.hidden);
        for variant in &clause.variants {
            let (next, next_clause) = (self.next, self.next_clause);
            let before = self.statements.len();
            // No probe runs two variants, so the variants share their hidden variables.
            self.hidden = hidden;
            let parts = self.variant(variant, clause.span);
            most_hidden = most_hidden.max(self.hidden);
            let statements = self.statements.get(before..).unwrap_or(&[]).to_vec();
            let code = Code { parts, statements, first: next, members: variant.members.clone() };
            // Different types often give equal code: a pointer is a pointer.
            match codes.iter_mut().find(|c| c.is_same(&code)) {
                Some(known) => {
                    for (members, more) in known.members.iter_mut().zip(code.members) {
                        members.append(more);
                    }
                    (self.next, self.next_clause) = (next, next_clause);
                    self.statements.truncate(before);
                }
                None => codes.push(code),
            }
        }
        self.hidden = most_hidden;
        let has_if =
            clause.variants.iter().any(|v| v.body.iter().any(|s| matches!(s, Stmt::If(..))));
        let mut out = Vec::new();
        let mut addressed = 0usize;
        for code in codes {
            let probes = clause.addresses(&code.members);
            addressed = addressed.saturating_add(probes.len());
            let mut parts = code.parts;
            parts.iter_mut().for_each(|p| p.probes = probes.clone());
            out.extend(if has_if { per_probe(parts) } else { parts });
        }
        if addressed > MAX_ADDRESSED {
            let message = format!(
                "args[] differ too much: {addressed} probes would be enabled one by one, at most {MAX_ADDRESSED} can be"
            );
            let d = Diagnostic::new(Tag::ArgsMulti, clause.span, message)
                .hint("narrow the description, or use arg0, arg1 .. with a cast");
            self.complain(d);
        }
        out
    }

    /// Returns the parts of one variant, without probes.
    fn variant(&mut self, clause: &typed::Variant, span: Span) -> Vec<Clause> {
        let mut out = Vec::new();
        if !clause.body.iter().any(|s| matches!(s, Stmt::If(..))) {
            let predicate = clause.predicate.as_ref().and_then(|p| self.object(p, Use::Whole));
            let mut part = self.part(predicate);
            self.statements(&clause.body, &mut part);
            out.push(part);
            return out;
        }
        let Some(running) = self.hide("?e", span) else { return out };
        self.running = Some(running);
        let mut conditions = Conditions::new();
        let Some(first) = self.begin(&conditions, true) else { return out };
        match &clause.predicate {
            Some(predicate) => {
                let mut part = first;
                let Some(kept) = self.keep(predicate, &mut part) else { return out };
                conditions.push((kept, true));
                self.end(part, &mut out);
                self.block(&clause.body, &mut conditions, None, &mut out);
            }
            None => self.block(&clause.body, &mut conditions, Some(first), &mut out),
        }
        self.running = None;
        out
    }

    /// Returns a hidden clause-local variable; defines it first if needed.
    fn hide(&mut self, name: &str, span: Span) -> Option<Arc<Variable>> {
        let known = self.names.variable(Scope::Local, name).cloned();
        let v = known.or_else(|| self.names.define(Scope::Local, name, None, Type::INT, span));
        if v.is_none() {
            self.complain(Diagnostic::new(Tag::IdOflow, span, "too many variables"));
        }
        v
    }

    /// Begins a part under conditions and marks it as running.
    fn begin(&mut self, conditions: &Conditions, is_first: bool) -> Option<Clause> {
        let running = self.running.clone()?;
        let predicate = if is_first {
            None
        } else {
            let mut all = vec![(running.clone(), false)];
            all.extend(conditions.iter().cloned());
            self.conjunction(&all, Span::default())
        };
        let mut part = self.part(predicate);
        if let Some(id) = self.speculating.clone() {
            self.speculate(&id, &mut part);
        }
        self.set(&running, 1, &mut part);
        Some(part)
    }

    /// Marks the part as complete and adds it.
    fn end(&mut self, mut part: Clause, out: &mut Vec<Clause>) {
        if let Some(running) = self.running.clone() {
            self.set(&running, 0, &mut part);
        }
        out.push(part);
    }

    fn set(&mut self, v: &Arc<Variable>, value: u64, part: &mut Clause) {
        let value = Expr::constant(value, Int::INT, Span::default());
        let set = Kind::SetVar(v.clone(), Box::new(value));
        self.statements(&[Stmt::Expr(Expr::new(set, Type::INT, Span::default()))], part);
    }

    fn part(&mut self, predicate: Option<Arc<DifObject>>) -> Clause {
        let uarg = self.next_clause;
        self.next_clause += 1;
        Clause { probes: Vec::new(), predicate, actions: Vec::new(), uarg }
    }

    /// Makes the following actions record in the speculation of this id. If that is unavailable,
    /// the part ends, and that is not a fault of the clause.
    fn speculate(&mut self, id: &Arc<Variable>, part: &mut Clause) {
        let e = Expr::new(Kind::Var(id.clone()), id.ty.clone(), Span::default());
        self.statement(&Stmt::Act(ActionKind::Speculate, Some(e)), part);
    }

    /// Lowers the statements of a part. A speculate() among them holds for all later parts of the
    /// block.
    fn plain(&mut self, body: &[Stmt], part: &mut Clause) {
        for s in body {
            let Stmt::Act(ActionKind::Speculate, Some(e)) = s else {
                self.statement(s, part);
                continue;
            };
            let name = format!("?s{}", self.hidden);
            self.hidden += 1;
            let known = self.names.variable(Scope::Local, &name).cloned();
            let int64 = Type::Int(Int::INT64);
            let id = known
                .or_else(|| self.names.define(Scope::Local, &name, None, int64.clone(), e.span));
            let (Some(id), Some(running)) = (id, self.running.clone()) else { return };
            let set = Kind::SetVar(id.clone(), Box::new(e.clone()));
            self.statement(&Stmt::Expr(Expr::new(set, int64, e.span)), part);
            self.set(&running, 0, part);
            self.speculate(&id, part);
            self.set(&running, 1, part);
            self.speculating = Some(id);
        }
    }

    /// Lowers statements under conditions: one part up to each `if`, then the parts of the `if`.
    /// `open` is a part that has already begun.
    fn block(
        &mut self,
        body: &[Stmt],
        conditions: &mut Conditions,
        mut open: Option<Clause>,
        out: &mut Vec<Clause>,
    ) {
        let outer = self.speculating.clone();
        let mut rest = body;
        while !rest.is_empty() {
            let plain = rest.iter().position(|s| matches!(s, Stmt::If(..))).unwrap_or(rest.len());
            let (now, later) = rest.split_at(plain);
            let begun = open.take().or_else(|| self.begin(conditions, false));
            let Some(mut part) = begun else { return };
            self.plain(now, &mut part);
            let Some((Stmt::If(condition, then, other), after)) = later.split_first() else {
                self.end(part, out);
                break;
            };
            let Some(kept) = self.keep(condition, &mut part) else { return };
            self.end(part, out);
            for (branch, wanted) in [(then, true), (other, false)] {
                conditions.push((kept.clone(), wanted));
                self.block(branch, conditions, None, out);
                conditions.pop();
            }
            rest = after;
        }
        self.speculating = outer;
    }

    /// Adds `this->?n = condition != 0` to a part.
    fn keep(&mut self, condition: &Expr, part: &mut Clause) -> Option<Arc<Variable>> {
        let span = condition.span;
        let name = format!("?{}", self.hidden);
        self.hidden += 1;
        let v = self.hide(&name, span)?;
        let not = Expr::new(Kind::LogNot(Box::new(condition.clone())), Type::INT, span);
        let truth = Expr::new(Kind::LogNot(Box::new(not)), Type::INT, span);
        let set = Expr::new(Kind::SetVar(v.clone(), Box::new(truth)), Type::INT, span);
        self.statements(&[Stmt::Expr(set)], part);
        Some(v)
    }

    fn conjunction(&mut self, conditions: &Conditions, span: Span) -> Option<Arc<DifObject>> {
        let mut all: Option<Expr> = None;
        for (v, wanted) in conditions {
            let mut e = Expr::new(Kind::Var(v.clone()), Type::INT, span);
            if !wanted {
                e = Expr::new(Kind::LogNot(Box::new(e)), Type::INT, span);
            }
            all = Some(match all.take() {
                None => e,
                Some(a) => {
                    let kind = Kind::Logic(BinOp::LogAnd, Box::new(a), Box::new(e));
                    Expr::new(kind, Type::INT, span)
                }
            });
        }
        all.and_then(|e| self.object(&e, Use::Whole))
    }

    fn statements(&mut self, body: &[Stmt], part: &mut Clause) {
        for s in body {
            self.statement(s, part);
        }
    }

    fn object(&mut self, e: &Expr, how: Use) -> Option<Arc<DifObject>> {
        if e.ty.is_error() {
            return None;
        }
        match codegen::object(e, how, self.strsize) {
            Ok(o) => {
                self.verify(&o, e.span);
                Some(Arc::new(o))
            }
            Err(Problem::NoReg(span)) => {
                self.complain(
                    Diagnostic::new(Tag::NoReg, span, "Insufficient registers to generate code")
                        .label(format!("more than {} values at once", abi::dif::NREGS - 1))
                        .hint("put a part of it into a this-> variable first"),
                );
                None
            }
            Err(Problem::TooLarge(span, what)) => {
                let message = format!("expression is too large: too many {what}");
                self.complain(Diagnostic::new(Tag::Unknown, span, message));
                None
            }
        }
    }

    /// Runs the kernel's own verifier: if it rejects an object, that is our bug.
    fn verify(&mut self, o: &DifObject, span: Span) {
        let rules = dif::Rules { allow_destructive: true, ..dif::Rules::DEFAULT };
        let mut errors: Vec<String> = Vec::new();
        let verified = dif::verify(o, &rules, &mut |e| errors.push(e.to_string()));
        if verified.is_none() || !errors.is_empty() {
            let message = format!(
                "internal error: the compiler made an object that the kernel would refuse: {}",
                errors.first().map_or("no reason given", String::as_str)
            );
            let mut d = Diagnostic::new(Tag::Unknown, span, message)
                .note("this is a bug of the D compiler, not of your program");
            d.notes.extend(errors.into_iter().skip(1));
            self.complain(d);
        }
    }

    fn complain(&mut self, d: Diagnostic) {
        if self.diagnostics.len() < 20 {
            self.diagnostics.push(d);
        }
    }
}

/// Repeats the parts for each description. A probe that two descriptions match runs all parts for
/// one, then all for the other: the parts of two firings of a clause must not mix.
fn per_probe(parts: Vec<Clause>) -> Vec<Clause> {
    let probes = parts.first().map(|p| p.probes.clone()).unwrap_or_default();
    let one = |probe: &ProbePattern| {
        let probes = vec![probe.clone()];
        parts
            .iter()
            .map(move |p| Clause { probes: probes.clone(), ..p.clone() })
            .collect::<Vec<_>>()
    };
    probes.iter().flat_map(one).collect()
}

impl dif::Difo for DifObject {
    fn text(&self) -> &[u32] {
        &self.text
    }
    fn inttab(&self) -> &[u64] {
        &self.inttab
    }
    fn strtab(&self) -> &[u8] {
        &self.strtab
    }
    fn vars(&self) -> &[abi::difo::DifVar] {
        &self.vars
    }
    fn rtype(&self) -> DifType {
        self.rtype
    }
}
