// SPDX-License-Identifier: GPL-2.0
//! Operators with two and three operands.

use super::convert::{convert, fold, widened};
use super::member::decay;
use super::Checker;
use crate::ast::BinOp;
use crate::diag::{Diagnostic, Tag};
use crate::source::Span;
use crate::typed::{Expr, Kind};
use crate::types::convert::{common, promote};
use crate::types::{Int, Type};

impl Checker<'_> {
    /// Makes an operator's node with its type, or complains.
    pub(super) fn binary(&mut self, op: BinOp, a: Expr, b: Expr, span: Span) -> Expr {
        if a.ty.is_error() || b.ty.is_error() {
            return Expr::error(span);
        }
        // Text in an array is compared with a string as text.
        let is_text = op.is_comparison() && (a.ty == Type::String || b.ty == Type::String);
        let (a, b) = if is_text { (a, b) } else { (decay(a), decay(b)) };
        match op {
            BinOp::LogAnd | BinOp::LogOr | BinOp::LogXor => {
                for side in [&a, &b] {
                    if !side.ty.is_scalar() {
                        let (ty, at) = (side.ty.clone(), side.span);
                        return self.bad_operand(
                            Tag::OpScalar,
                            op.text(),
                            "a number or a pointer",
                            &ty,
                            at,
                        );
                    }
                }
                return fold(Expr::new(Kind::Logic(op, Box::new(a), Box::new(b)), Type::INT, span));
            }
            _ if op.is_comparison() => return self.compare(op, a, b, span),
            _ => {}
        }
        match (a.ty.clone(), b.ty.clone()) {
            (Type::Int(x), Type::Int(y)) => {
                let shift = matches!(op, BinOp::Shl | BinOp::Shr);
                let ty = Type::Int(if shift { promote(x) } else { common(x, y) });
                if matches!(op, BinOp::Div | BinOp::Rem) && b.as_constant() == Some(0) {
                    let d =
                        Diagnostic::new(Tag::DivZero, span, "expression contains division by zero");
                    return self.fail(d.other(b.span, "this is 0"));
                }
                let b = widened(b, &if shift { Type::Int(promote(y)) } else { ty.clone() });
                let kind = Kind::Binary(op, Box::new(widened(a, &ty)), Box::new(b));
                fold(Expr::new(kind, ty, span))
            }
            (Type::Pointer(to), Type::Int(_)) if matches!(op, BinOp::Add | BinOp::Sub) => {
                self.offset(op, a, b, &to, span)
            }
            (Type::Int(_), Type::Pointer(to)) if op == BinOp::Add => {
                self.offset(op, b, a, &to, span)
            }
            (Type::Pointer(x), Type::Pointer(y)) if op == BinOp::Sub && x == y => {
                let Some(size) = self.size_of(&x).filter(|s| *s != 0) else {
                    return self.unscaled(op, &x, span);
                };
                let long = Type::Int(Int::LONG);
                let kind = Kind::Binary(
                    BinOp::Sub,
                    Box::new(convert(a, &long)),
                    Box::new(convert(b, &long)),
                );
                let bytes = Expr::new(kind, long.clone(), span);
                let size = Expr::constant(u64::from(size), Int::LONG, span);
                fold(Expr::new(
                    Kind::Binary(BinOp::Div, Box::new(bytes), Box::new(size)),
                    long,
                    span,
                ))
            }
            _ => {
                let bad = if a.ty.int().is_none() { &a } else { &b };
                let (ty, at) = (bad.ty.clone(), bad.span);
                match op {
                    _ if matches!(ty, Type::Pointer(_)) => {
                        self.incompatible(op.text(), &a, &b, span)
                    }
                    BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Div => {
                        self.bad_operand(Tag::OpArith, op.text(), "a number", &ty, at)
                    }
                    _ => self.bad_operand(Tag::OpInt, op.text(), "an integer", &ty, at),
                }
            }
        }
    }

    pub(super) fn incompatible(&mut self, op: &str, a: &Expr, b: &Expr, span: Span) -> Expr {
        let message = format!("operands have incompatible types: {} {op} {}", a.ty, b.ty);
        self.fail(
            Diagnostic::new(Tag::OpIncompat, span, message)
                .other(a.span, a.ty.to_string())
                .other(b.span, b.ty.to_string()),
        )
    }

    /// Makes a pointer plus or minus a number of elements.
    fn offset(&mut self, op: BinOp, base: Expr, index: Expr, to: &Type, span: Span) -> Expr {
        let Some(size) = self.size_of(to) else { return self.unscaled(op, to, span) };
        let long = Type::Int(Int::LONG);
        let mut bytes = widened(index, &long);
        if size != 1 {
            let size = Expr::constant(u64::from(size), Int::LONG, span);
            let kind = Kind::Binary(BinOp::Mul, Box::new(bytes), Box::new(size));
            bytes = fold(Expr::new(kind, long, span));
        }
        let ty = base.ty.clone();
        Expr::new(Kind::Binary(op, Box::new(base), Box::new(bytes)), ty, span)
    }

    /// Complains: a pointer moves by the size of its target, and this target has no size.
    fn unscaled(&mut self, op: BinOp, to: &Type, span: Span) -> Expr {
        let (tag, why) = match to {
            Type::Void | Type::Function(_) => (Tag::OpVfptr, "which has no size"),
            _ => (Tag::OpIncomplete, "whose size is not known"),
        };
        let message =
            format!("operator {} may not be applied to a pointer to {to}, {why}", op.text());
        let d = Diagnostic::new(tag, span, message).label("by how many bytes?");
        self.fail(d.hint("cast it to char * first: that moves by bytes"))
    }

    fn compare(&mut self, op: BinOp, a: Expr, b: Expr, span: Span) -> Expr {
        let is_string = |e: &Expr| e.ty == Type::String;
        if is_string(&a) || is_string(&b) {
            let fits = |e: &Expr| e.ty.is_stringlike() || e.is_null_constant();
            if !(fits(&a) && fits(&b)) {
                return self.incompatible(op.text(), &a, &b, span);
            }
            return Expr::new(Kind::StrCompare(op, Box::new(a), Box::new(b)), Type::INT, span);
        }
        let (a, b) = match (&a.ty, &b.ty) {
            (Type::Int(x), Type::Int(y)) => {
                let ty = Type::Int(common(*x, *y));
                (widened(a, &ty), widened(b, &ty))
            }
            (Type::Pointer(x), Type::Pointer(y))
                if x == y || **x == Type::Void || **y == Type::Void =>
            {
                (a, b)
            }
            (Type::Pointer(_), Type::Int(_)) if b.is_null_constant() => (a, b),
            (Type::Int(_), Type::Pointer(_)) if a.is_null_constant() => (a, b),
            _ => return self.incompatible(op.text(), &a, &b, span),
        };
        fold(Expr::new(Kind::Compare(op, Box::new(a), Box::new(b)), Type::INT, span))
    }

    pub(super) fn conditional(&mut self, c: Expr, a: Expr, b: Expr, span: Span) -> Expr {
        if c.ty.is_error() || a.ty.is_error() || b.ty.is_error() {
            return Expr::error(span);
        }
        if !c.ty.is_scalar() {
            let (ty, at) = (c.ty, c.span);
            return self.bad_operand(
                Tag::OpScalar,
                "?:",
                "a number or a pointer before `?`",
                &ty,
                at,
            );
        }
        // Two arrays of one type stay arrays; text beside a string becomes a string.
        let keep = a.ty == b.ty || a.ty == Type::String || b.ty == Type::String;
        let (a, b) = if keep { (a, b) } else { (decay(a), decay(b)) };
        let ty = match (&a.ty, &b.ty) {
            (Type::Int(x), Type::Int(y)) => Type::Int(common(*x, *y)),
            (x, y) if x == y => x.clone(),
            (Type::String, y) if y.is_stringlike() || b.is_null_constant() => Type::String,
            (x, Type::String) if x.is_stringlike() || a.is_null_constant() => Type::String,
            (Type::Pointer(_), Type::Pointer(y)) if **y == Type::Void => a.ty.clone(),
            (Type::Pointer(x), Type::Pointer(_)) if **x == Type::Void => b.ty.clone(),
            (Type::Pointer(_), Type::Int(_)) if b.is_null_constant() => a.ty.clone(),
            (Type::Int(_), Type::Pointer(_)) if a.is_null_constant() => b.ty.clone(),
            _ => {
                let message =
                    format!("operator ?: operands have incompatible types: {} and {}", a.ty, b.ty);
                return self.fail(
                    Diagnostic::new(Tag::OpIncompat, span, message)
                        .other(a.span, a.ty.to_string())
                        .other(b.span, b.ty.to_string()),
                );
            }
        };
        let (a, b) = (widened(a, &ty), widened(b, &ty));
        match c.as_constant() {
            Some(0) => b,
            Some(_) => a,
            None => Expr::new(Kind::Cond(Box::new(c), Box::new(a), Box::new(b)), ty, span),
        }
    }
}
