// SPDX-License-Identifier: GPL-2.0
//! `@name[keys] = function(value);`

use super::convert::{convert, widened};
use super::member::decay;
use super::Checker;
use crate::ast::{self, ExprKind};
use crate::diag::{did_you_mean, Diagnostic, Tag};
use crate::names::Agg;
use crate::source::Span;
use crate::typed::{Expr, Stmt};
use crate::types::convert::is_assignable;
use crate::types::{Int, Type};
use crate::vocabulary;
use abi::action::ActionKind;
use abi::aggregation::{AggFunc, Linear, LogLinear, LogLinearProblem, LQUANTIZE_MAX_LEVELS};

/// Functions whose result takes the name of their argument.
const SYMBOLS: &[&str] = &["sym", "func", "mod", "usym", "ufunc", "umod", "uaddr"];

/// Returns the name of a key where one is needed; "" if the key is computed.
fn key_name(key: &ast::Expr) -> &str {
    match &key.kind {
        ExprKind::Ident(name) | ExprKind::Scoped(_, name) => name,
        ExprKind::Member(_, member) => &member.name,
        ExprKind::Cast(_, of) | ExprKind::Stringof(of) => key_name(of),
        ExprKind::Call(callee, args) => match (&callee.kind, args.as_slice()) {
            (ExprKind::Ident(f), [of]) if SYMBOLS.contains(&f.as_str()) => key_name(of),
            _ => "",
        },
        _ => "",
    }
}

impl Checker<'_> {
    /// Checks an assignment to an aggregation.
    pub(super) fn aggregate(
        &mut self,
        name: &str,
        keys: Option<&[ast::Expr]>,
        right: &ast::Expr,
        span: Span,
    ) -> Option<Stmt> {
        // Text in an array becomes a string as a key: the bytes after its NUL do not count.
        let text = |k: Expr| match k.ty {
            Type::Array(..) if k.ty.is_stringlike() => convert(k, &Type::String),
            _ => k,
        };
        let key_names = keys.unwrap_or(&[]).iter().map(|k| key_name(k).into()).collect();
        let keys: Vec<Expr> = keys.unwrap_or(&[]).iter().map(|k| text(self.record(k))).collect();
        if !keys.iter().all(|k| self.recordable("aggregation key", k)) {
            return None;
        }
        let function = match &right.kind {
            ExprKind::Call(callee, args) => match &callee.kind {
                ExprKind::Ident(f) => Some((f.as_str(), args.as_slice())),
                _ => None,
            },
            _ => None,
        };
        let kind = function.and_then(|(f, _)| vocabulary::aggregating(f));
        let (Some((fname, args)), Some(kind)) = (function, kind) else {
            let message = format!("aggregation @{name} must be assigned an aggregating function");
            let mut d = Diagnostic::new(Tag::AggFunc, right.span, message)
                .label("expected count(), sum(x), min(x), max(x), avg(x), stddev(x), quantize(x), lquantize(..) or llquantize(..)");
            if let Some((f, _)) = function {
                let names = (0x701..=0x709).filter_map(ActionKind::from_number);
                d.hint = did_you_mean(f, names.map(|k| k.name().to_string()));
            }
            self.fail(d);
            return None;
        };
        let (args, weight) = self.weight(kind, fname, args)?;
        let (value, arg) = self.function(kind, fname, args, right.span)?;
        let func = AggFunc::from_action(kind, arg)?;
        if keys.iter().any(|k| k.ty.is_error()) {
            return None;
        }
        for (i, key) in keys.iter().enumerate() {
            if matches!(key.ty, Type::Void | Type::Float(_)) {
                let what = match key.ty {
                    Type::Void => "has no value".into(),
                    _ => format!("is {}", key.ty),
                };
                let message = format!("aggregation @{name} key #{} {what}", i + 1);
                self.fail(
                    Diagnostic::new(Tag::KeyType, key.span, message)
                        .label("expected a number, a pointer or a string"),
                );
                return None;
            }
        }
        let (number, keys) = match self.names.agg(name).cloned() {
            Some(agg) => {
                self.same_function(&agg, func, right.span)?;
                (agg.number, self.same_keys(&agg, keys, span)?)
            }
            None => {
                let number =
                    u32::try_from(self.names.aggs.len()).unwrap_or(u32::MAX).saturating_add(1);
                let types = keys.iter().map(|k| k.ty.clone()).collect();
                let agg = Agg { number, name: name.into(), func, keys: types, key_names };
                self.names.aggs.push(agg);
                (number, keys)
            }
        };
        Some(Stmt::Aggregate(number, keys, kind, arg, value, weight))
    }

    /// Splits off the last argument if it is the weight of the value; returns the others with it.
    fn weight<'a>(
        &mut self,
        kind: ActionKind,
        name: &str,
        args: &'a [ast::Expr],
    ) -> Option<(&'a [ast::Expr], Option<Expr>)> {
        let without = match kind {
            ActionKind::Quantize => 1,
            ActionKind::Lquantize => 4,
            ActionKind::Llquantize => 5,
            _ => return Some((args, None)),
        };
        let Some((others, [last])) = args.split_at_checked(without) else {
            return Some((args, None));
        };
        let e = decay(self.expr(last));
        match e.ty {
            Type::Int(_) => Some((others, Some(widened(e, &Type::Int(Int::INT64))))),
            Type::Error => None,
            _ => {
                let message = format!(
                    "{name}( ) argument #{} must be an increment of integer type, found {}",
                    without + 1,
                    e.ty
                );
                self.fail(
                    Diagnostic::new(Tag::ProtoArg, e.span, message)
                        .label("expected the weight of the value"),
                );
                None
            }
        }
    }

    /// Returns the value and the encoded parameters.
    fn function(
        &mut self,
        kind: ActionKind,
        name: &str,
        args: &[ast::Expr],
        span: Span,
    ) -> Option<(Option<Expr>, u64)> {
        let (least, most) = match kind {
            ActionKind::Count => (0, 0),
            ActionKind::Quantize => (1, 2),
            ActionKind::Lquantize => (3, 5),
            ActionKind::Llquantize => (5, 6),
            _ => (1, 1),
        };
        if kind == ActionKind::Quantize && args.len() > most {
            let message = format!(
                "quantize( ) prototype mismatch: {} arguments passed, 1 or 2 expected",
                args.len()
            );
            let d = Diagnostic::new(Tag::QuantProto, span, message);
            self.fail(d.label("expected quantize(value, [weight])"));
            return None;
        }
        if !(least..=most).contains(&args.len()) {
            self.wrong_count(name, args.len(), least, most, "", span);
            return None;
        }
        let mut args = args.iter();
        let Some(first) = args.next() else { return Some((None, 0)) };
        let value = decay(self.expr(first));
        let value = match value.ty {
            Type::Int(_) | Type::Pointer(_) => widened(value, &Type::Int(Int::INT64)),
            Type::Error => return None,
            _ => {
                let message =
                    format!("{name}( ) argument #1 must be of scalar type, found {}", value.ty);
                self.fail(
                    Diagnostic::new(Tag::AggScalar, value.span, message).label("expected a number"),
                );
                return None;
            }
        };
        let parameters = match kind {
            ActionKind::Lquantize => self.linear(args, span)?,
            ActionKind::Llquantize => self.log_linear(args, span)?,
            _ => 0,
        };
        Some((Some(value), parameters))
    }

    /// Returns the encoded parameters of lquantize.
    fn linear<'a>(
        &mut self,
        mut args: impl Iterator<Item = &'a ast::Expr>,
        span: Span,
    ) -> Option<u64> {
        let base = self.parameter(
            "lquantize",
            args.next(),
            "base",
            Tag::LquantBasetype,
            Tag::LquantBaseval,
        )?;
        let limit = self.parameter(
            "lquantize",
            args.next(),
            "limit",
            Tag::LquantLimtype,
            Tag::LquantLimval,
        )?;
        let step = match args.next() {
            Some(e) => self.parameter(
                "lquantize",
                Some(e),
                "step",
                Tag::LquantSteptype,
                Tag::LquantStepval,
            )?,
            None => 1,
        };
        let mut wrong = |tag, message: String| {
            self.fail(Diagnostic::new(tag, span, message));
        };
        let range = i64::from(limit) - i64::from(base);
        if range <= 0 {
            wrong(
                Tag::LquantMismatch,
                format!("lquantize( ) base {base} must be less than limit {limit}"),
            );
            return None;
        }
        if step <= 0 {
            wrong(
                Tag::LquantStepval,
                format!("lquantize( ) step value must be a non-zero positive number, found {step}"),
            );
            return None;
        }
        let (Ok(step16), levels) = (u16::try_from(step), range / i64::from(step)) else {
            wrong(
                Tag::LquantSteplarge,
                format!("lquantize( ) step {step} is too large: {} at most", u16::MAX),
            );
            return None;
        };
        if levels == 0 {
            wrong(
                Tag::LquantSteplarge,
                format!("lquantize( ) step {step} is wider than the range from {base} to {limit}"),
            );
            return None;
        }
        let levels = match u16::try_from(levels) {
            Ok(n) if n <= LQUANTIZE_MAX_LEVELS => n,
            _ => {
                wrong(Tag::LquantStepsmall, format!("lquantize( ) step {step} gives {levels} levels: {LQUANTIZE_MAX_LEVELS} at most"));
                return None;
            }
        };
        Some(Linear { base, step: step16, levels }.encode())
    }

    /// Returns the encoded parameters of llquantize.
    fn log_linear<'a>(
        &mut self,
        mut args: impl Iterator<Item = &'a ast::Expr>,
        span: Span,
    ) -> Option<u64> {
        let mut next = |what: &str, ty: Tag, range: Tag| {
            let e = args.next()?;
            let v = self.parameter("llquantize", Some(e), what, ty, range)?;
            let Ok(v) = u16::try_from(v) else {
                let message = format!("llquantize( ) {what} must be an unsigned 16-bit quantity");
                let d = Diagnostic::new(range, e.span, message);
                self.fail(d.label(format!("expected 0 to {}", u16::MAX)));
                return None;
            };
            Some(v)
        };
        let factor = next("factor", Tag::LlquantFactortype, Tag::LlquantFactorval)?;
        let low = next("low magnitude", Tag::LlquantLowtype, Tag::LlquantLowval)?;
        let high = next("high magnitude", Tag::LlquantHightype, Tag::LlquantHighval)?;
        let steps = next("number of steps", Tag::LlquantNsteptype, Tag::LlquantNstepval)?;
        let parameters = LogLinear { factor, low, high, steps };
        let (tag, message) = match parameters.problem() {
            None => return Some(parameters.encode()),
            Some(LogLinearProblem::FactorSmall) => {
                (Tag::LlquantFactorsmall, format!("factor {factor} must be two or more"))
            }
            Some(LogLinearProblem::MagnitudeRange) => (
                Tag::LlquantMagrange,
                format!("high magnitude {high} must be at least low magnitude {low}"),
            ),
            Some(LogLinearProblem::FactorSteps) => (
                Tag::LlquantFactornsteps,
                format!("factor {factor} must be at most the number of steps {steps}"),
            ),
            Some(LogLinearProblem::MagnitudeBig) => (
                Tag::LlquantMagtoobig,
                format!(
                    "{factor} to the power of {} does not fit into 64 bits",
                    u32::from(high) + 1
                ),
            ),
            Some(LogLinearProblem::FactorEven) => (
                Tag::LlquantFactoreven,
                format!("{steps} steps do not divide every power of {factor} evenly"),
            ),
        };
        self.fail(Diagnostic::new(tag, span, format!("llquantize( ) {message}")));
        None
    }

    fn parameter(
        &mut self,
        function: &str,
        e: Option<&ast::Expr>,
        what: &str,
        ty: Tag,
        range: Tag,
    ) -> Option<i32> {
        let e = self.expr(e?);
        if e.ty.is_error() {
            return None;
        }
        let (Some(v), Some(int)) = (e.as_constant(), e.ty.int()) else {
            let message = format!("{function}( ) {what} must be an integer constant");
            self.fail(
                Diagnostic::new(ty, e.span, message)
                    .label("expected a number known at compile time"),
            );
            return None;
        };
        let fits = if int.signed { i32::try_from(v as i64).ok() } else { i32::try_from(v).ok() };
        if fits.is_none() {
            let message = format!("{function}( ) {what} must fit into 32 bits");
            self.fail(Diagnostic::new(range, e.span, message).label("too large"));
        }
        fits
    }

    fn same_function(&mut self, agg: &Agg, func: AggFunc, span: Span) -> Option<()> {
        if agg.func == func {
            return Some(());
        }
        let name = &agg.name;
        let (tag, message) = match (agg.func, func) {
            (AggFunc::Lquantize(a), AggFunc::Lquantize(b)) => {
                let (tag, what, was, is) = if a.base != b.base {
                    (Tag::LquantMatchbase, "base", i64::from(a.base), i64::from(b.base))
                } else if a.step != b.step {
                    (Tag::LquantMatchstep, "step", i64::from(a.step), i64::from(b.step))
                } else {
                    let of = |l: Linear| l.lower_bound(usize::from(l.levels) + 1);
                    (Tag::LquantMatchlim, "limit", of(a), of(b))
                };
                (tag, format!("lquantize( ) {what} of @{name} is {is}, was {was} before"))
            }
            (AggFunc::Llquantize(a), AggFunc::Llquantize(b)) => {
                let (tag, what, was, is) = if a.factor != b.factor {
                    (Tag::LlquantFactormatch, "factor", a.factor, b.factor)
                } else if a.low != b.low {
                    (Tag::LlquantLowmatch, "low magnitude", a.low, b.low)
                } else if a.high != b.high {
                    (Tag::LlquantHighmatch, "high magnitude", a.high, b.high)
                } else {
                    (Tag::LlquantNstepmatch, "number of steps", a.steps, b.steps)
                };
                (tag, format!("llquantize( ) {what} of @{name} is {is}, was {was} before"))
            }
            (a, b) => {
                let (a, b) = (a.name(), b.name());
                (
                    Tag::AggRedef,
                    format!("aggregation redefined: @{name} is {b}(), was {a}() before"),
                )
            }
        };
        self.fail(Diagnostic::new(tag, span, message).label("differs from the first use"));
        None
    }

    fn same_keys(&mut self, agg: &Agg, keys: Vec<Expr>, span: Span) -> Option<Vec<Expr>> {
        let name = &agg.name;
        if keys.len() != agg.keys.len() {
            let (found, wanted) = (keys.len(), agg.keys.len());
            let message =
                format!("@{name}[ ] prototype mismatch: {found} keys passed, {wanted} expected");
            self.fail(
                Diagnostic::new(Tag::ProtoLen, span, message).label("differs from the first use"),
            );
            return None;
        }
        let mut out = Vec::new();
        for (i, (key, ty)) in keys.into_iter().zip(&agg.keys).enumerate() {
            // All pointer types are equal as keys.
            let both = matches!((ty, &key.ty), (Type::Pointer(_), Type::Pointer(_)));
            let null = key.is_null_constant() && matches!(ty, Type::Pointer(_));
            // Each record names its action, so one key can be a kernel stack here and a user stack
            // there.
            if let (Type::Action(_), Type::Action(_)) = (ty, &key.ty) {
                out.push(key);
                continue;
            }
            if !both && !null && !is_assignable(ty, &key.ty) {
                let message = format!(
                    "@{name}[ ] key #{} is incompatible with its first use: expected {ty}, found {}",
                    i + 1, key.ty
                );
                self.fail(
                    Diagnostic::new(Tag::ProtoArg, key.span, message)
                        .label(format!("expected {ty}")),
                );
                return None;
            }
            out.push(widened(key, ty));
        }
        Some(out)
    }
}
