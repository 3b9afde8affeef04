// SPDX-License-Identifier: GPL-2.0
//! Assignments, `op=`, `++` and `--`. All of them become "set this to that".

use std::sync::Arc;

use super::convert::{convert, cut, stored, widened};
use super::Checker;
use crate::ast::{self, BinOp, ExprKind, UnOp};
use crate::diag::{Diagnostic, Tag};
use crate::scope::{Scope, Variable};
use crate::source::Span;
use crate::typed::{is_repeatable, Expr, Kind};
use crate::types::convert::is_assignable;
use crate::types::{Int, Type};
use crate::vocabulary;
use abi::dif::Subr;
use abi::difo::MAX_BY_REF;

/// A thing that can be assigned to.
enum Assignable {
    /// A variable.
    Var(Arc<Variable>),
    /// A name that becomes a variable when it is assigned.
    New(Scope, String),
    /// An element of an associative array.
    Entry(Arc<Variable>, Vec<Expr>),
    /// An element of a name that becomes an associative array when it is assigned.
    NewEntry(Scope, String, Vec<Expr>),
    /// Memory at an address.
    Mem(Expr, Type),
    /// A bit field: address and type of the integer that contains it, its lowest bit, its number of
    /// bits, its type.
    Bits(Expr, Type, u8, u8, Type),
}

/// Returns the builtin variable that an address was computed from.
fn found_from(address: &Expr) -> Option<&'static str> {
    match &address.kind {
        Kind::Builtin(b) | Kind::Element(b, _) => Some(b.name()),
        Kind::Binary(BinOp::Add, a, _) | Kind::Load(a) | Kind::Convert(a) => found_from(a),
        _ => None,
    }
}

/// Makes an expression that evaluates `before` for its effects and then returns `value`.
pub(super) fn after(before: Vec<Expr>, value: Expr) -> Expr {
    before.into_iter().rev().fold(value, |value, first| {
        let (ty, span) = (value.ty.clone(), value.span);
        Expr::new(Kind::Comma(Box::new(first), Box::new(value)), ty, span)
    })
}

impl Checker<'_> {
    /// Checks `a = b` and `a op= b`.
    pub(super) fn assign(
        &mut self,
        op: Option<BinOp>,
        left: &ast::Expr,
        right: &ast::Expr,
        span: Span,
    ) -> Expr {
        if let ExprKind::Agg(name, _) = &left.kind {
            let message = format!("aggregation @{name} is assigned within an expression");
            return self.fail(
                Diagnostic::new(Tag::AggFunc, span, message)
                    .label("expected a statement of its own: @name[keys] = func(x);"),
            );
        }
        if let ExprKind::Index(base, _) = &left.kind {
            if matches!(base.kind, ExprKind::Agg(..)) {
                return self.expr(left);
            }
        }
        let value = self.operand("=", right);
        let Some(mut target) = self.target(left) else { return Expr::error(span) };
        let mut before = Vec::new();
        if op.is_some() {
            let Some(once) = self.once(target, &mut before) else { return Expr::error(span) };
            target = once;
        }
        let value = match op {
            None => value,
            Some(op) => {
                if value.ty.is_error() {
                    return Expr::error(span);
                }
                match self.current(&target, left.span) {
                    Some(now) => {
                        if now.ty.is_error() {
                            return now;
                        }
                        if let Type::Array(..) = now.ty {
                            return self.whole_array(
                                &format!("{}=", op.text()),
                                &now.ty,
                                left.span,
                            );
                        }
                        // `c += 1` for a char: the sum is converted back without a complaint.
                        self.binary(op, now, value, span)
                    }
                    None => return Expr::error(span),
                }
            }
        };
        let set = self.set(target, value, left.span, span);
        after(before, set)
    }

    /// Checks `++a`, `a++` and so on.
    pub(super) fn increment(&mut self, op: UnOp, operand: &ast::Expr, span: Span) -> Expr {
        let Some(target) = self.target(operand) else { return Expr::error(span) };
        let mut before = Vec::new();
        let Some(target) = self.once(target, &mut before) else { return Expr::error(span) };
        let Some(now) = self.current(&target, operand.span) else { return Expr::error(span) };
        if now.ty.is_error() {
            return now;
        }
        if let Type::Array(..) = now.ty {
            return self.whole_array(op.text(), &now.ty, operand.span);
        }
        if !now.ty.is_scalar() || now.ty.is_by_ref() {
            let message = format!(
                "operator {} requires an operand of scalar type, found {}",
                op.text(),
                now.ty
            );
            return self.fail(
                Diagnostic::new(Tag::OpScalar, span, message)
                    .label("expected a number or a pointer"),
            );
        }
        let one = || Expr::constant(1, Int::INT, span);
        let (there, back) = match op {
            UnOp::PreInc | UnOp::PostInc => (BinOp::Add, BinOp::Sub),
            _ => (BinOp::Sub, BinOp::Add),
        };
        let ty = now.ty.clone();
        let next = self.binary(there, now, one(), span);
        let set = self.set(target, next, operand.span, span);
        if set.ty.is_error() || matches!(op, UnOp::PreInc | UnOp::PreDec) {
            return after(before, set);
        }
        // Compute the old value: one step back from the new one, wrapped to the type.
        let old = self.binary(back, set, one(), span);
        after(before, cut(old, &ty))
    }

    fn whole_array(&mut self, op: &str, ty: &Type, span: Span) -> Expr {
        let message = format!("operator {op} may not be applied to an operand of type {ty}");
        let d = Diagnostic::new(Tag::OpArrfun, span, message).label(format!("this is {ty}"));
        self.fail(d.hint("assign its elements, or an array of the same type as a whole"))
    }

    /// Evaluates the keys or the address only once for a target that is both read and set: hidden
    /// variables keep them.
    fn once(&mut self, target: Assignable, before: &mut Vec<Expr>) -> Option<Assignable> {
        let mut keep = |checker: &mut Self, keys: Vec<Expr>| -> Option<Vec<Expr>> {
            keys.into_iter()
                .map(|k| if is_repeatable(&k) { Some(k) } else { checker.kept(k, before) })
                .collect()
        };
        Some(match target {
            Assignable::Entry(v, keys) => Assignable::Entry(v, keep(self, keys)?),
            Assignable::NewEntry(scope, name, keys) => {
                Assignable::NewEntry(scope, name, keep(self, keys)?)
            }
            Assignable::Mem(address, ty) if !address.is_pure => {
                Assignable::Mem(self.kept(address, before)?, ty)
            }
            target => target,
        })
    }

    pub(super) fn kept(&mut self, e: Expr, before: &mut Vec<Expr>) -> Option<Expr> {
        let (ty, span) = (e.ty.clone(), e.span);
        let name = format!("?{ty}{}", self.kept);
        self.kept += 1;
        let v = self.define(Scope::Local, &name, ty.clone(), span)?;
        before.push(Expr::new(Kind::SetVar(v.clone(), Box::new(e)), ty.clone(), span));
        Some(Expr::new(Kind::Var(v), ty, span))
    }

    /// Checks the left side of `=`.
    fn target(&mut self, left: &ast::Expr) -> Option<Assignable> {
        let (scope, name) = match &left.kind {
            ExprKind::Ident(name) => (Scope::Global, name),
            ExprKind::Scoped(pseudo, name) => (Scope::from(*pseudo), name),
            ExprKind::Index(base, indices) => {
                if let ExprKind::Ident(name) = &base.kind {
                    if self.names.variable(Scope::Global, name).is_none()
                        && vocabulary::builtin(name).is_some()
                    {
                        self.read_only(name, left.span);
                        return None;
                    }
                }
                return match self.array_name(base) {
                    Some((scope, name)) => self.entry_target(scope, name, indices, left.span),
                    None => self.memory(left),
                };
            }
            ExprKind::Unary(UnOp::Deref, _) => return self.memory(left),
            ExprKind::Member(..) => return self.memory(left),
            ExprKind::Symbol(name) => {
                let message = format!("cannot assign to `{name}");
                let d = Diagnostic::new(Tag::OpWrite, left.span, message);
                self.fail(d.label("the kernel's memory cannot be written"));
                return None;
            }
            _ => {
                self.fail(
                    Diagnostic::new(
                        Tag::OpLval,
                        left.span,
                        "operator = requires a variable or memory on its left",
                    )
                    .label("this cannot be assigned to"),
                );
                return None;
            }
        };
        if let Some(v) = self.names.variable(scope, name).cloned() {
            if v.keys.is_some() {
                self.expr(left);
                return None;
            }
            return Some(Assignable::Var(v));
        }
        if scope == Scope::Global {
            let is_constant =
                self.names.inlines.contains_key(name) || self.names.enumerators.contains_key(name);
            if vocabulary::builtin(name).is_some() || is_constant {
                self.read_only(name, left.span);
                return None;
            }
            if vocabulary::is_function(name) || name == "NULL" {
                let message = format!("{name} cannot be assigned: it is not a variable");
                self.fail(Diagnostic::new(Tag::IdentBadref, left.span, message));
                return None;
            }
        }
        Some(Assignable::New(scope, name.clone()))
    }

    /// Returns scope and name of an associative array, or of a name that is still unknown and can
    /// become one.
    fn array_name(&self, base: &ast::Expr) -> Option<(Scope, String)> {
        let (scope, name) = match &base.kind {
            ExprKind::Ident(name) => (Scope::Global, name),
            ExprKind::Scoped(ast::Pseudo::Thread, name) => (Scope::Thread, name),
            _ => return None,
        };
        let is_value = scope == Scope::Global
            && (self.names.inlines.contains_key(name)
                || self.names.enumerators.contains_key(name)
                || vocabulary::is_function(name)
                || name == "NULL");
        let is_other = self.names.variable(scope, name).is_some_and(|v| v.keys.is_none());
        (!is_value && !is_other).then(|| (scope, name.clone()))
    }

    fn entry_target(
        &mut self,
        scope: Scope,
        name: String,
        keys: &[ast::Expr],
        span: Span,
    ) -> Option<Assignable> {
        if let Some(v) = self.array(scope, &name) {
            let keys = self.keys_of(&v, keys, span)?;
            return Some(Assignable::Entry(v, keys));
        }
        let keys = self.keys_for_new(keys)?;
        Some(Assignable::NewEntry(scope, name, keys))
    }

    fn read_only(&mut self, name: &str, span: Span) {
        let message = format!("operator = requires a writable variable: {name} is read-only");
        self.fail(
            Diagnostic::new(Tag::OpWrite, span, message)
                .label("set by the system, not by D programs"),
        );
    }

    fn memory(&mut self, left: &ast::Expr) -> Option<Assignable> {
        let e = self.expr(left);
        self.lies_in(e, left.span)
    }

    /// Sets a place that has just been read.
    pub(super) fn put(&mut self, place: Expr, value: Expr, span: Span) -> Expr {
        match self.lies_in(place, span) {
            Some(target) => self.set(target, value, span, span),
            None => Expr::error(span),
        }
    }

    fn lies_in(&mut self, e: Expr, at: Span) -> Option<Assignable> {
        let (address, bits) = match e.kind {
            Kind::Load(address) => (*address, None),
            Kind::Bits(word, low, count) => match (word.kind, word.ty) {
                (Kind::Load(address), ty) => (*address, Some((ty, low, count))),
                _ => return self.not_assignable(at),
            },
            _ if e.ty.is_error() => return None,
            _ => return self.not_assignable(at),
        };
        if let Some(name) = found_from(&address) {
            let message = format!(
                "operator = requires the D program's own memory: {name} points to memory of the system"
            );
            let d = Diagnostic::new(Tag::OpLval, at, message).label("is only read");
            self.fail(d.hint("write a process's memory with copyout() and copyoutstr(), with -w"));
            return None;
        }
        match bits {
            None => Some(Assignable::Mem(address, e.ty)),
            Some((word, low, count)) if address.is_pure => {
                Some(Assignable::Bits(address, word, low, count, e.ty))
            }
            Some(_) => self.not_assignable(at),
        }
    }

    fn not_assignable(&mut self, span: Span) -> Option<Assignable> {
        self.fail(Diagnostic::new(Tag::OpLval, span, "this cannot be assigned to"));
        None
    }

    /// Returns the value before the assignment. An unknown variable starts as an int64_t of 0.
    fn current(&mut self, target: &Assignable, span: Span) -> Option<Expr> {
        Some(match target {
            Assignable::Var(v) => Expr::new(Kind::Var(v.clone()), v.ty.clone(), span),
            Assignable::New(scope, name) => {
                let v = self.define(*scope, name, Type::Int(Int::INT64), span)?;
                let ty = v.ty.clone();
                Expr::new(Kind::Var(v), ty, span)
            }
            Assignable::Entry(v, keys) => {
                Expr::new(Kind::Entry(v.clone(), keys.clone()), v.ty.clone(), span)
            }
            Assignable::NewEntry(scope, name, keys) => {
                let types = Some(keys.iter().map(|k| k.ty.clone()).collect());
                let v = self.define_as(*scope, name, types, Type::Int(Int::INT64), span)?;
                let ty = v.ty.clone();
                Expr::new(Kind::Entry(v, keys.clone()), ty, span)
            }
            Assignable::Mem(address, ty) => {
                Expr::new(Kind::Load(Box::new(address.clone())), ty.clone(), span)
            }
            Assignable::Bits(address, word, low, count, ty) => {
                let word = Expr::new(Kind::Load(Box::new(address.clone())), word.clone(), span);
                Expr::new(Kind::Bits(Box::new(word), *low, *count), ty.clone(), span)
            }
        })
    }

    /// Defines a variable, or complains.
    pub(super) fn define(
        &mut self,
        scope: Scope,
        name: &str,
        ty: Type,
        span: Span,
    ) -> Option<Arc<Variable>> {
        self.define_as(scope, name, None, ty, span)
    }

    /// [`Self::define`]; with keys, it defines an associative array.
    pub(super) fn define_as(
        &mut self,
        scope: Scope,
        name: &str,
        keys: Option<Arc<[Type]>>,
        ty: Type,
        span: Span,
    ) -> Option<Arc<Variable>> {
        // `current` may have just defined it.
        if let Some(v) = self.names.variable(scope, name) {
            return Some(v.clone());
        }
        if ty.is_by_ref() {
            let size = ty.size(self.settings.strsize).unwrap_or(0);
            if !(1..=MAX_BY_REF).contains(&size) {
                let message = format!(
                    "{}{name} cannot be {ty}: a variable has 1 to {MAX_BY_REF} bytes, this has {size}",
                    scope.prefix()
                );
                let d = Diagnostic::new(Tag::DeclIncomplete, span, message);
                self.fail(d.hint("keep its address: &x"));
                return None;
            }
        }
        let v = self.names.define(scope, name, keys, ty, span);
        if v.is_none() {
            let message = format!("cannot define {}{name}: too many variables", scope.prefix());
            self.fail(Diagnostic::new(Tag::IdOflow, span, message));
        }
        v
    }

    fn set(&mut self, target: Assignable, value: Expr, at: Span, span: Span) -> Expr {
        let is_void = value.ty == Type::Void;
        if is_void {
            let message = "cannot assign a value of type void";
            return self.fail(
                Diagnostic::new(Tag::OpIncompat, span, message).other(value.span, "no value"),
            );
        }
        match target {
            Assignable::New(scope, name) => {
                // Even a value that caused a complaint defines the variable, so that its later uses
                // cause no complaints.
                let ty = value.ty.clone();
                let Some(v) = self.define(scope, &name, ty, at) else { return Expr::error(span) };
                self.set_var(v, value, at, span)
            }
            Assignable::Var(v) => self.set_var(v, value, at, span),
            Assignable::NewEntry(scope, name, keys) => {
                let types = Some(keys.iter().map(|k| k.ty.clone()).collect());
                let ty = value.ty.clone();
                let Some(v) = self.define_as(scope, &name, types, ty, at) else {
                    return Expr::error(span);
                };
                self.set_entry(v, keys, value, at, span)
            }
            Assignable::Entry(v, keys) => self.set_entry(v, keys, value, at, span),
            Assignable::Mem(address, ty) => {
                if value.ty.is_error() {
                    return value;
                }
                if ty == Type::String {
                    return self.set_text(address, value, at, span);
                }
                if ty.is_by_ref() {
                    let Some(value) = self.fit(value, &ty, at, span) else {
                        return Expr::error(span);
                    };
                    return Expr::new(Kind::SetBytes(Box::new(address), Box::new(value)), ty, span);
                }
                let Some(value) = self.fit(value, &ty, at, span) else { return Expr::error(span) };
                Expr::new(Kind::SetMem(Box::new(address), Box::new(value)), ty, span)
            }
            Assignable::Bits(address, word, low, count, ty) => {
                if value.ty.is_error() {
                    return value;
                }
                let Some(value) = self.fit(value, &ty, at, span) else { return Expr::error(span) };
                set_bits(address, word, (low, count), value, ty, span)
            }
        }
    }

    /// Copies a string up to its NUL into memory that has room for the longest string.
    fn set_text(&mut self, address: Expr, value: Expr, at: Span, span: Span) -> Expr {
        let Some(value) = self.fit(value, &Type::String, at, span) else {
            return Expr::error(span);
        };
        let value = match value.is_null_constant() {
            true => Expr::new(Kind::Str(Vec::new()), Type::String, span),
            false => value,
        };
        let mut before = Vec::new();
        let text = convert(value, &Type::char_pointer());
        let (Some(to), Some(text)) =
            (self.kept(address, &mut before), self.kept(text, &mut before))
        else {
            return Expr::error(span);
        };
        let size = Type::Int(Int::SIZE);
        let length = Expr::new(Kind::Call(Subr::Strlen, vec![text.clone()]), size.clone(), span);
        let one = Box::new(Expr::constant(1, Int::SIZE, span));
        let bytes = Expr::new(Kind::Binary(BinOp::Add, Box::new(length), one), size, span);
        let copy = Kind::Call(Subr::Bcopy, vec![text, to.clone(), bytes]);
        before.push(Expr::new(copy, Type::Void, span));
        after(before, Expr::new(Kind::Load(Box::new(to)), Type::String, span))
    }

    fn set_entry(
        &mut self,
        v: Arc<Variable>,
        keys: Vec<Expr>,
        value: Expr,
        at: Span,
        span: Span,
    ) -> Expr {
        if value.ty.is_error() || v.ty.is_error() {
            return Expr::error(span);
        }
        let ty = v.ty.clone();
        match self.fit(value, &ty, at, span) {
            Some(value) => Expr::new(Kind::SetEntry(v, keys, Box::new(value)), ty, span),
            None => Expr::error(span),
        }
    }

    fn set_var(&mut self, v: Arc<Variable>, value: Expr, at: Span, span: Span) -> Expr {
        if value.ty.is_error() || v.ty.is_error() {
            return Expr::error(span);
        }
        let ty = v.ty.clone();
        match self.fit(value, &ty, at, span) {
            Some(value) => Expr::new(Kind::SetVar(v, Box::new(value)), ty, span),
            None => Expr::error(span),
        }
    }

    /// Converts the value to the target's type.
    fn fit(&mut self, value: Expr, ty: &Type, at: Span, span: Span) -> Option<Expr> {
        let null = value.is_null_constant() && (ty.is_by_ref() || matches!(ty, Type::Pointer(_)));
        if null || is_assignable(ty, &value.ty) {
            // 0 unsets a string: it becomes address 0, not the text "0".
            return Some(if null { Expr { ty: ty.clone(), ..value } } else { stored(value, ty) });
        }
        if let Type::Array(..) = ty {
            self.whole_array("=", ty, at);
            return None;
        }
        let message = format!("operands have incompatible types: {ty} = {}", value.ty);
        let d = Diagnostic::new(Tag::OpIncompat, span, message)
            .other(at, format!("this is {ty}"))
            .other(value.span, format!("this is {}", value.ty));
        self.fail(match (ty, &value.ty) {
            (Type::String, Type::Int(_)) => d.hint(
                "lltostr(x) turns a number into text; stringof(x) or copyinstr(x) read text at an address",
            ),
            (Type::Pointer(_), Type::Int(_)) => d.hint(format!("cast it: ({ty})x")),
            _ => d,
        });
        None
    }
}

/// Sets the integer around a bit field, with the field's bits replaced; the value is the field's.
fn set_bits(
    address: Expr,
    word: Type,
    (low, count): (u8, u8),
    value: Expr,
    ty: Type,
    span: Span,
) -> Expr {
    let wide = Type::Int(Int::UINT64);
    let ones = u64::MAX >> 64u32.saturating_sub(count.into()).min(63);
    let number = |n: u64| Box::new(Expr::constant(n, Int::UINT64, span));
    let binary = |op, a, b| Box::new(Expr::new(Kind::Binary(op, a, b), wide.clone(), span));
    let old = Expr::new(Kind::Load(Box::new(address.clone())), word.clone(), span);
    let others = binary(BinOp::And, Box::new(widened(old, &wide)), number(!(ones << low)));
    let own = binary(BinOp::And, Box::new(widened(value, &wide)), number(ones));
    let moved = binary(BinOp::Shl, own, number(low.into()));
    let both = convert(*binary(BinOp::Or, others, moved), &word);
    let set = Expr::new(Kind::SetMem(Box::new(address), Box::new(both)), word, span);
    Expr::new(Kind::Bits(Box::new(set), low, count), ty, span)
}
