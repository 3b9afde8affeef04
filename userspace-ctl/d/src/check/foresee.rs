// SPDX-License-Identifier: GPL-2.0
//! Variables that are read before the text that assigns them.
//!
//! A clause may read a variable that a later statement of the same clause assigns, and a `self->`
//! variable that any later clause assigns: the probe may have fired before. The type is the one
//! that the assignment will give.

use std::sync::Arc;

use super::Checker;
use crate::ast::{self, Expr, ExprKind, Item, Stmt, StmtKind, UnOp};
use crate::scope::{Scope, Variable};
use crate::source::Span;
use crate::types::{Int, Type};

/// The most variables whose types may depend on each other.
const MAX_DEPTH: usize = 8;

/// Returns the variable that an expression names, with or without keys.
fn named(left: &Expr) -> Option<(Scope, &str)> {
    match &left.kind {
        ExprKind::Ident(name) => Some((Scope::Global, name)),
        ExprKind::Scoped(pseudo, name) => Some((Scope::from(*pseudo), name)),
        ExprKind::Index(base, _) if !matches!(base.kind, ExprKind::Index(..)) => named(base),
        _ => None,
    }
}

/// Returns the first assignment to the variable within an expression.
fn within(e: &Expr, wanted: (Scope, &str)) -> Option<Expr> {
    let left = match &e.kind {
        ExprKind::Assign(_, left, _) => Some(left),
        ExprKind::Unary(UnOp::PreInc | UnOp::PreDec | UnOp::PostInc | UnOp::PostDec, operand) => {
            Some(operand)
        }
        _ => None,
    };
    if left.and_then(|left| named(left)) == Some(wanted) {
        return Some(e.clone());
    }
    let mut found = None;
    e.kind.each_child(&mut |child| found = found.take().or_else(|| within(child, wanted)));
    found
}

fn among(list: &[Stmt], wanted: (Scope, &str)) -> Option<Expr> {
    list.iter().find_map(|s| match &s.kind {
        StmtKind::Expr(e) => within(e, wanted),
        StmtKind::If(condition, then, other) => within(condition, wanted)
            .or_else(|| among(then, wanted))
            .or_else(|| among(other, wanted)),
    })
}

fn of_clause(clause: &ast::Clause, wanted: (Scope, &str)) -> Option<Expr> {
    let body = clause.body.as_deref().unwrap_or(&[]);
    let predicate = || clause.predicate.as_ref().and_then(|p| within(p, wanted));
    among(body, wanted).or_else(predicate)
}

impl Checker<'_> {
    /// Defines the variable as a later assignment will; returns `None` if there is no such
    /// assignment.
    pub(super) fn foresee(&mut self, scope: Scope, name: &str, at: Span) -> Option<Arc<Variable>> {
        let is_open = self.foreseen.iter().any(|(s, n)| (*s, n.as_str()) == (scope, name));
        if is_open {
            // `x = x + 1`: the variable starts as a number.
            return self.define(scope, name, Type::Int(Int::INT64), at);
        }
        if !self.has_probe || self.foreseen.len() >= MAX_DEPTH {
            return None;
        }
        let clauses = self.coming.iter().filter_map(|item| match item {
            Item::Clause(clause) => Some(clause),
            _ => None,
        });
        let reach = if scope == Scope::Thread { usize::MAX } else { 1 };
        let assignment = clauses.take(reach).find_map(|c| of_clause(c, (scope, name)))?;
        let (names, complaints) = (self.names.clone(), self.diagnostics.len());
        self.foreseen.push((scope, name.to_string()));
        self.expr(&assignment);
        self.foreseen.pop();
        let found = self.names.variable(scope, name).cloned();
        self.names = names;
        self.diagnostics.truncate(complaints);
        let found = found.filter(|v| !v.ty.is_error())?;
        self.define_as(scope, name, found.keys.clone(), found.ty.clone(), assignment.span)
    }
}
