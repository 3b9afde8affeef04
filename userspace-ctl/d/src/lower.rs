// SPDX-License-Identifier: GPL-2.0
//! Typed clauses to clauses of actions; each expression becomes a DIF object.
//!
//! `if` has no instruction of its own: the machine knows only predicates. A clause with an `if`
//! becomes several clauses on the same probes, run one after the other. The condition is kept in a
//! hidden clause-local variable, and the parts have it as their predicate:
//!
//! ```text
//! p /x/ { a; if (c) { b; } else { d; } e; }
//!
//! p           { this->?0 = x != 0; }          the clause's own predicate, kept
//! p /this->?0/ { a; this->?1 = c; }
//! p /this->?0 && this->?1/  { b; }
//! p /this->?0 && !this->?1/ { d; }
//! p /this->?0/ { e; }
//! ```

use std::sync::Arc;

use crate::ast::BinOp;
use crate::codegen::{self, Problem, Use};
use crate::diag::{Diagnostic, Tag};
use crate::names::scope::{Names, Scope, Variable};
use crate::program::{Action, Clause, DifObject, Statement, StatementKind};
use crate::source::Span;
use crate::typed::{self, Expr, Kind, Stmt};
use crate::types::{Int, Type};
use abi::action::{ActionKind, LibAct};

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
}

/// A condition that a part of a clause stands under.
type Conditions = Vec<(Arc<Variable>, bool)>;

impl<'a> Lower<'a> {
    /// Numbers go on from earlier programs.
    pub fn new(names: &'a mut Names, strsize: u32, next: u64, next_clause: u64) -> Self {
        Self {
            names,
            strsize,
            next,
            next_clause,
            statements: Vec::new(),
            diagnostics: Vec::new(),
            hidden: 0,
        }
    }

    /// One clause; several if it has an `if`.
    pub fn clause(&mut self, clause: &typed::Clause) -> Vec<Clause> {
        let mut out = Vec::new();
        if !clause.body.iter().any(|s| matches!(s, Stmt::If(..))) {
            let predicate = clause.predicate.as_ref().and_then(|p| self.object(p, Use::Whole));
            let mut part = self.part(clause, predicate);
            self.statements(&clause.body, &mut part);
            out.push(part);
            return out;
        }
        let mut conditions = Conditions::new();
        if let Some(predicate) = &clause.predicate {
            let mut part = self.part(clause, None);
            let Some(kept) = self.keep(predicate, &mut part) else { return out };
            conditions.push((kept, true));
            out.push(part);
        }
        self.block(clause, &clause.body, &mut conditions, &mut out);
        out
    }

    fn part(&mut self, clause: &typed::Clause, predicate: Option<Arc<DifObject>>) -> Clause {
        let uarg = self.next_clause;
        self.next_clause += 1;
        Clause { probes: clause.probes.clone(), predicate, actions: Vec::new(), uarg }
    }

    /// Statements under conditions: one part up to each `if`, then the parts of the `if`.
    fn block(
        &mut self,
        clause: &typed::Clause,
        body: &[Stmt],
        conditions: &mut Conditions,
        out: &mut Vec<Clause>,
    ) {
        let mut rest = body;
        while !rest.is_empty() {
            let plain = rest.iter().position(|s| matches!(s, Stmt::If(..))).unwrap_or(rest.len());
            let (now, later) = rest.split_at(plain);
            let predicate = self.conjunction(conditions, clause.span);
            let mut part = self.part(clause, predicate);
            self.statements(now, &mut part);
            let Some((Stmt::If(condition, then, other), after)) = later.split_first() else {
                out.push(part);
                return;
            };
            let Some(kept) = self.keep(condition, &mut part) else { return };
            out.push(part);
            for (branch, wanted) in [(then, true), (other, false)] {
                conditions.push((kept.clone(), wanted));
                self.block(clause, branch, conditions, out);
                conditions.pop();
            }
            rest = after;
        }
    }

    /// Adds `this->?n = condition != 0` to a part.
    fn keep(&mut self, condition: &Expr, part: &mut Clause) -> Option<Arc<Variable>> {
        let span = condition.span;
        let name = format!("?{}", self.hidden);
        self.hidden += 1;
        let Some(v) = self.names.define(Scope::Local, &name, Type::INT, span) else {
            self.complain(Diagnostic::new(Tag::IdOflow, span, "too many variables"));
            return None;
        };
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

    fn statement(&mut self, s: &Stmt, part: &mut Clause) {
        let number = self.next;
        let mut kind = StatementKind::Expr;
        let mut push = |kind, difo| {
            part.actions.push(Action { kind, difo, format: None, ntuple: 0, arg: 0, uarg: number });
        };
        match s {
            Stmt::Expr(e) => {
                let Some(o) = self.object(e, Use::Effect) else { return };
                push(ActionKind::DifExpr, Some(o));
            }
            Stmt::Trace(e) => {
                kind = StatementKind::Trace(e.ty.value(self.strsize));
                let Some(o) = self.object(e, Use::Record) else { return };
                push(ActionKind::DifExpr, Some(o));
            }
            Stmt::Exit(e) => {
                kind = StatementKind::Exit;
                let Some(o) = self.object(e, Use::Record) else { return };
                push(ActionKind::Exit, Some(o));
            }
            Stmt::Tracemem(e, size) => {
                kind = StatementKind::Tracemem(*size);
                let Some(o) = self.object(e, Use::Bytes(*size)) else { return };
                push(ActionKind::Tracemem, Some(o));
            }
            Stmt::Printf(text, format, values) => {
                kind = StatementKind::Printf(format.clone());
                let first = part.actions.len();
                let mut push = |difo| {
                    let is_first = part.actions.len() == first;
                    part.actions.push(Action {
                        kind: ActionKind::Printf,
                        difo,
                        format: is_first.then(|| text.clone()),
                        ntuple: 0,
                        arg: 0,
                        uarg: number,
                    });
                };
                for v in values {
                    let Some(o) = self.object(v, Use::Record) else { return };
                    push(Some(o));
                }
                if values.is_empty() {
                    push(None);
                }
            }
            Stmt::Printa(format, aggs) => {
                let (text, format) = match format {
                    Some((text, format)) => (Some(text.clone()), Some(format.clone())),
                    None => (None, None),
                };
                kind = StatementKind::Printa { format, aggregations: aggs.clone() };
                let Some(o) = self.number(aggs.first().copied().unwrap_or(0)) else { return };
                push(ActionKind::Printa, Some(o));
                if let Some(last) = part.actions.last_mut() {
                    last.format = text;
                }
            }
            Stmt::Aggregate(number, keys, func, arg, value) => {
                self.aggregate(*number, keys, (*func, *arg), value.as_ref(), part);
                return;
            }
            Stmt::LibAct(act, aggregation, operand) => {
                kind = match act {
                    LibAct::Clear => StatementKind::Clear(*aggregation),
                    LibAct::Normalize => StatementKind::Normalize(*aggregation),
                    LibAct::Denormalize => StatementKind::Denormalize(*aggregation),
                    LibAct::Trunc => StatementKind::Trunc {
                        aggregation: *aggregation,
                        has_count: operand.is_some(),
                    },
                };
                let Some(o) = self.number(*aggregation) else { return };
                push(ActionKind::LibAct, Some(o));
                if let Some(e) = operand {
                    let Some(o) = self.object(e, Use::Record) else { return };
                    push(ActionKind::LibAct, Some(o));
                }
                for a in part.actions.iter_mut().filter(|a| a.uarg == number) {
                    if a.kind == ActionKind::LibAct {
                        a.arg = *act as u64;
                    }
                }
            }
            // Blocks with an `if` are split before.
            Stmt::If(..) => return,
        }
        self.statements.push(Statement { number, kind });
        self.next += 1;
    }

    fn aggregate(
        &mut self,
        number: u32,
        keys: &[Expr],
        (kind, arg): (ActionKind, u64),
        value: Option<&Expr>,
        part: &mut Clause,
    ) {
        let uarg = u64::from(number);
        for key in keys {
            let Some(o) = self.object(key, Use::Record) else { return };
            let kind = ActionKind::DifExpr;
            part.actions.push(Action {
                kind,
                difo: Some(o),
                format: None,
                ntuple: 0,
                arg: 0,
                uarg,
            });
        }
        let difo = match value {
            None => None,
            Some(v) => match self.object(v, Use::Whole) {
                Some(o) => Some(o),
                None => return,
            },
        };
        let ntuple = u32::try_from(keys.len()).unwrap_or(u32::MAX);
        part.actions.push(Action { kind, difo, format: None, ntuple, arg, uarg });
    }

    /// An object that returns the number of an aggregation, 4 bytes.
    fn number(&mut self, number: u32) -> Option<Arc<DifObject>> {
        let e = Expr::constant(u64::from(number), Int::UINT, Span::default());
        self.object(&e, Use::Record)
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

    /// The kernel's own verifier has the last word, here already: a rejection is our bug.
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
    fn rtype(&self) -> abi::difo::DifType {
        self.rtype
    }
}
