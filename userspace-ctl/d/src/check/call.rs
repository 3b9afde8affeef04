// SPDX-License-Identifier: GPL-2.0
//! Calls of subroutines, checked against the prototypes of the contract.

use super::convert::widened;
use super::member::decay;
use super::Checker;
use crate::ast::{self, ExprKind};
use crate::diag::{did_you_mean, Diagnostic, Tag};
use crate::scope::Scope;
use crate::source::Span;
use crate::typed::{Expr, Kind};
use crate::types::convert::is_assignable;
use crate::types::{Int, Type};
use crate::vocabulary;
use abi::action::ActionKind;
use abi::dif::Subr;

/// The most frames that a stack may have.
const MAX_FRAMES: u64 = 512;

/// Parses a prototype: result, parameters, and the number of required parameters.
fn prototype(text: &str) -> Option<(Type, Vec<Type>, usize)> {
    let (result, rest) = text.split_once('(')?;
    let list = rest.strip_suffix(')')?;
    let mut params = Vec::new();
    let mut required = 0;
    for param in list.split(',').map(str::trim).filter(|p| !p.is_empty()) {
        let bare = param.trim_matches(['[', ']']);
        params.push(Type::from_table(bare)?);
        if bare == param {
            required = params.len();
        }
    }
    Some((Type::from_table(result)?, params, required))
}

impl Checker<'_> {
    /// Checks a call within an expression. Calls nest, so the code that only complains is in
    /// functions of its own, to keep this frame small.
    pub(super) fn call(&mut self, callee: &ast::Expr, args: &[ast::Expr], span: Span) -> Expr {
        let ExprKind::Ident(name) = &callee.kind else { return self.no_function(callee) };
        if let Some(s) = vocabulary::subr(name).filter(|_| vocabulary::refused(name).is_none()) {
            return self.subroutine(s, args, span);
        }
        if let Some((_, kind)) = vocabulary::RECORDED.iter().find(|r| r.0 == name) {
            return self.recorded(*kind, name, args, span);
        }
        if vocabulary::ACTIONS.contains(&name.as_str()) || vocabulary::aggregating(name).is_some() {
            return match self.is_undefined_within(args) {
                true => Expr::error(span),
                false => self.no_value(name, None, span),
            };
        }
        self.no_subroutine(name, callee.span)
    }

    fn no_function(&mut self, callee: &ast::Expr) -> Expr {
        let message = "function designator is not of function type";
        let d = Diagnostic::new(Tag::FuncIdent, callee.span, message);
        self.fail(d.label("expected a function's name"))
    }

    fn no_subroutine(&mut self, name: &str, at: Span) -> Expr {
        if let Some(why) = vocabulary::refused(name) {
            let message = format!("{name}( ) is not available on Linux: {why}");
            return self.fail(Diagnostic::new(Tag::FuncUndef, at, message).label("not on Linux"));
        }
        let is_variable = self.names.variable(Scope::Global, name).is_some()
            || self.names.inlines.contains_key(name)
            || vocabulary::builtin(name).is_some();
        if is_variable {
            let message = format!("{name} is a variable and cannot be called");
            let d = Diagnostic::new(Tag::FuncIdkind, at, message);
            return self.fail(d.label("expected a function"));
        }
        let known = Subr::ALL.iter().map(|s| s.name()).chain(vocabulary::ACTIONS.iter().copied());
        let known = known.chain(vocabulary::RECORDED.iter().map(|r| r.0));
        let aggs = (0x701..=0x709).filter_map(ActionKind::from_number).map(|k| k.name());
        let message = format!("undefined function name: {name}");
        let mut d = Diagnostic::new(Tag::FuncUndef, at, message).label("not known");
        d.hint = did_you_mean(name, known.chain(aggs).map(String::from));
        self.fail(d)
    }

    /// Checks an operand of an operator.
    pub(super) fn operand(&mut self, op: &str, e: &ast::Expr) -> Expr {
        match self.refused(op, e) {
            Some(refused) => refused,
            None => self.expr(e),
        }
    }

    /// Complains about an action used as an operand.
    pub(super) fn refused(&mut self, op: &str, e: &ast::Expr) -> Option<Expr> {
        let ExprKind::Call(callee, args) = &e.kind else { return None };
        let ExprKind::Ident(name) = &callee.kind else { return None };
        let is_action = vocabulary::ACTIONS.contains(&name.as_str())
            || vocabulary::aggregating(name).is_some()
            || vocabulary::RECORDED.iter().any(|r| r.0 == name);
        is_action.then(|| match self.is_undefined_within(args) {
            true => Expr::error(e.span),
            false => self.no_value(name, Some(op), e.span),
        })
    }

    /// Complains about an undefined name in the arguments of a misplaced action. This replaces the
    /// complaint about the place.
    fn is_undefined_within(&mut self, args: &[ast::Expr]) -> bool {
        let before = self.diagnostics.len();
        for arg in args.iter().filter(|a| !matches!(a.kind, ExprKind::Agg(..))) {
            self.place(arg);
        }
        let is_undefined = |d: &Diagnostic| {
            matches!(d.tag, Tag::IdentUndef | Tag::VarUndef | Tag::FuncUndef | Tag::SymNotypes)
        };
        let found =
            self.diagnostics.get(before..).and_then(|new| new.iter().find(|d| is_undefined(d)));
        let found = found.cloned();
        self.diagnostics.truncate(before);
        let is_found = found.is_some();
        self.diagnostics.extend(found);
        is_found
    }

    /// Complains about an action in place of a value, or of an operand of `op`.
    pub(super) fn no_value(&mut self, name: &str, op: Option<&str>, span: Span) -> Expr {
        let recorded = vocabulary::RECORDED.iter().find(|r| r.0 == name).map(|r| r.1);
        let (what, hint) = match recorded {
            None if vocabulary::aggregating(name).is_some() => (
                "an aggregating function",
                format!("assign it to an aggregation: @name[keys] = {name}(..);"),
            ),
            None => ("an action", "make it a statement of its own".to_string()),
            Some(kind) => {
                let conversions = if kind == ActionKind::Stack { "%k" } else { "%k, %a" };
                ("an action", format!("it can be a statement, a key of an aggregation, or printed by printf: {conversions}"))
            }
        };
        let tag = match (recorded, op) {
            (None, None) => Tag::CgExpr,
            (None, Some(_)) => Tag::OpAct,
            (Some(_), None) => Tag::CgDyn,
            (Some(_), Some(_)) => Tag::OpDyn,
        };
        let message = format!("{name}( ) is {what} and cannot be used within an expression");
        let label = match op {
            Some(op) => format!("operator {op} needs a value"),
            None => "expected a value".into(),
        };
        let d = Diagnostic::new(tag, span, message).label(label).hint(hint);
        self.fail(match recorded {
            Some(_) => d.note("its value is known only when it is printed"),
            None => d,
        })
    }

    /// Checks `stack(n)`, `ustack(n, m)`, `sym(x)` and the like.
    fn recorded(&mut self, kind: ActionKind, name: &str, args: &[ast::Expr], span: Span) -> Expr {
        let of_process = match kind {
            ActionKind::Stack => false,
            ActionKind::Ustack | ActionKind::Jstack => true,
            _ => return self.symbol_of(kind, name, args, span),
        };
        let (most, proto) = match of_process {
            true => (2, Tag::UstackProto),
            false => (1, Tag::StackProto),
        };
        if args.len() > most {
            let message = format!(
                "{name}( ) prototype mismatch: {} arguments passed, {most} at most expected",
                args.len()
            );
            let wanted = match of_process {
                true => format!("expected {name}(frames, bytes)"),
                false => format!("expected {name}(frames)"),
            };
            return self.fail(Diagnostic::new(proto, span, message).label(wanted));
        }
        let tag = if of_process { Tag::UstackFrames } else { Tag::StackSize };
        let frames = match args.first() {
            Some(e) => self.bounded(name, "size", e, 1..=MAX_FRAMES, tag),
            None => Some(0),
        };
        let bytes = match args.get(1) {
            Some(e) => {
                let bounds = 0..=u64::from(abi::difo::MAX_BY_REF);
                self.bounded(name, "string size", e, bounds, Tag::UstackStrsize)
            }
            None => Some(0),
        };
        match (frames, bytes) {
            (Some(frames), Some(bytes)) => {
                Expr::new(Kind::Action(kind, bytes << 32 | frames, None), Type::Action(kind), span)
            }
            _ => Expr::error(span),
        }
    }

    /// Checks a constant argument.
    fn bounded(
        &mut self,
        name: &str,
        what: &str,
        e: &ast::Expr,
        bounds: std::ops::RangeInclusive<u64>,
        tag: Tag,
    ) -> Option<u64> {
        let e = self.expr(e);
        match e.as_constant() {
            Some(n) if bounds.contains(&n) && e.ty.int().is_some() => return Some(n),
            _ if e.ty.is_error() => return None,
            _ => {}
        }
        let message =
            format!("{name}( ) {what} must be a non-zero positive integral constant expression");
        let (least, most) = (bounds.start(), bounds.end());
        self.fail(
            Diagnostic::new(tag, e.span, message).label(format!("expected {least} to {most}")),
        );
        None
    }

    fn symbol_of(&mut self, kind: ActionKind, name: &str, args: &[ast::Expr], span: Span) -> Expr {
        let [arg] = args else {
            return self.wrong_count(name, args.len(), 1, 1, "(uintptr_t)", span);
        };
        let address = decay(self.expr(arg));
        match address.ty {
            Type::Int(_) | Type::Pointer(_) => {}
            Type::Error => return address,
            _ => {
                let message = format!(
                    "{name}( ) argument #1 is incompatible with prototype: expected an address, found {}",
                    address.ty
                );
                return self.fail(
                    Diagnostic::new(Tag::ProtoArg, address.span, message)
                        .label("expected a pointer or an integer"),
                );
            }
        }
        let address = widened(address, &Type::Int(Int::UINT64));
        Expr::new(Kind::Action(kind, 0, Some(Box::new(address))), Type::Action(kind), span)
    }

    fn subroutine(&mut self, s: Subr, args: &[ast::Expr], span: Span) -> Expr {
        let Some((result, params, required)) = prototype(s.prototype()) else {
            return self.fail(Diagnostic::new(
                Tag::Unknown,
                span,
                format!("{} has no prototype", s.name()),
            ));
        };
        let checked: Vec<Expr> = args.iter().map(|a| decay(self.expr(a))).collect();
        if !(required..=params.len()).contains(&checked.len()) {
            return self.wrong_count(
                s.name(),
                checked.len(),
                required,
                params.len(),
                s.prototype(),
                span,
            );
        }
        let mut out = Vec::new();
        for (i, (arg, param)) in checked.into_iter().zip(&params).enumerate() {
            if arg.ty.is_error() {
                return Expr::error(span);
            }
            let null = arg.is_null_constant() && matches!(param, Type::Pointer(_) | Type::String);
            if !null && !is_assignable(param, &arg.ty) {
                return self.wrong_argument(s, i, param, &arg);
            }
            // Strings stay strings, so that the VM bounds them.
            let keep = arg.ty == Type::String
                || matches!((param, &arg.ty), (Type::Pointer(_), Type::Pointer(_)));
            out.push(if keep { arg } else { widened(arg, param) });
        }
        let result = match s {
            Subr::Getf => self.pointer_to("file"),
            Subr::MutexOwner => self.pointer_to("task_struct"),
            _ => result,
        };
        Expr::new(Kind::Call(s, out), result, span)
    }

    fn wrong_argument(&mut self, s: Subr, i: usize, param: &Type, arg: &Expr) -> Expr {
        let message = format!(
            "{}( ) argument #{} is incompatible with prototype: expected {param}, found {}",
            s.name(),
            i + 1,
            arg.ty
        );
        let d = Diagnostic::new(Tag::ProtoArg, arg.span, message)
            .label(format!("expected {param}, found {}", arg.ty))
            .note(format!("prototype: {} {}", s.name(), s.prototype()));
        let wants_text = param.is_stringlike() && arg.ty.int().is_some();
        self.fail(if wants_text {
            d.hint("read text of the process with copyinstr(x), of the kernel with stringof(x)")
        } else {
            d
        })
    }

    pub(super) fn wrong_count(
        &mut self,
        name: &str,
        found: usize,
        least: usize,
        most: usize,
        prototype: &str,
        span: Span,
    ) -> Expr {
        let wanted = match (least, most) {
            (a, b) if a == b => format!("{a}"),
            (a, b) if b == usize::MAX => format!("at least {a}"),
            (a, b) => format!("{a} to {b}"),
        };
        let message =
            format!("{name}( ) prototype mismatch: {found} arguments passed, {wanted} expected");
        let mut d = Diagnostic::new(Tag::ProtoLen, span, message)
            .label(format!("expected {wanted} argument{}", if wanted == "1" { "" } else { "s" }));
        if !prototype.is_empty() {
            d = d.note(format!("prototype: {name} {prototype}"));
        }
        self.fail(d)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn every_prototype_of_the_contract_is_understood() {
        for s in Subr::ALL {
            assert!(prototype(s.prototype()).is_some(), "{}", s.prototype());
        }
        let (result, params, required) = prototype("string(const char *, int, [int])").unwrap();
        assert_eq!((result, params.len(), required), (Type::String, 3, 2));
    }
}
