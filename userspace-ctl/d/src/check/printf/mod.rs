// SPDX-License-Identifier: GPL-2.0
//! Formats of printf and printa. They are parsed once and checked against the values here, so that
//! the printer can trust them.

mod conversion;
mod printa;

use super::convert::convert;
use super::Checker;
use crate::ast::{self, ExprKind};
use crate::diag::{Diagnostic, Tag};
use crate::format::{Conversion, Extent, Format, Piece, Value};
use crate::source::Span;
use crate::typed::{Expr, Stmt};
use crate::types::Type;
use abi::action::ActionKind;
use abi::difo::MAX_BY_REF;
use conversion::{adapt, parse, Raw, RawPiece};

/// The kind of value that a conversion prints.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Want {
    Integer,
    Text,
    Address,
    Stack,
    Float,
}

fn want(letter: char) -> Want {
    match letter {
        'd' | 'i' | 'o' | 'u' | 'c' | 'C' | 'Y' | 'T' | 'P' => Want::Integer,
        'x' | 'X' | 'p' | 'a' | 'A' => Want::Address,
        's' | 'S' | 'I' => Want::Text,
        'k' => Want::Stack,
        _ => Want::Float,
    }
}

/// Tells whether the action records a stack.
fn is_stack(kind: ActionKind) -> bool {
    matches!(kind, ActionKind::Stack | ActionKind::Ustack | ActionKind::Jstack)
}

impl Checker<'_> {
    /// Returns the text of a format argument.
    fn format_text(&mut self, action: &str, e: &ast::Expr) -> Option<String> {
        let e2 = self.expr(e);
        let crate::typed::Kind::Str(bytes) = e2.kind else {
            if !e2.ty.is_error() {
                let message = format!("{action}( ) format must be a string constant");
                let d = Diagnostic::new(Tag::PrintfArgFmt, e.span, message)
                    .label("expected text in double quotes");
                self.fail(match e2.ty {
                    Type::String => d.hint(format!("{action}(\"%s\", ..)")),
                    _ => d,
                });
            }
            return None;
        };
        let text = String::from_utf8_lossy(&bytes).split('\0').next().unwrap_or("").to_string();
        // freopen("") returns to the previous output.
        if text.is_empty() && action != "freopen" {
            let message = format!("{action}( ) format string is empty");
            self.fail(Diagnostic::new(Tag::PrintfFmtEmpty, e.span, message));
            return None;
        }
        Some(text)
    }

    fn read(&mut self, action: &str, text: &str, span: Span) -> Option<Raw> {
        match parse(text) {
            Ok(raw) => Some(raw),
            Err((conversion, why)) => {
                let message = format!("{action}( ): {conversion} {why}");
                self.fail(
                    Diagnostic::new(Tag::Syntax, span, message)
                        .label("malformed conversion")
                        .hint("a percent sign is %%"),
                );
                None
            }
        }
    }

    /// Checks `printf(format, values ..)`.
    pub(super) fn printf(&mut self, args: &[ast::Expr], span: Span) -> Option<Stmt> {
        let (text, format, values) = self.values("printf", args, span)?;
        Some(Stmt::Printf(text, format, values))
    }

    /// Checks `system` and `freopen`, which format their text as printf does.
    pub(super) fn formatted(
        &mut self,
        name: &str,
        kind: ActionKind,
        args: &[ast::Expr],
        span: Span,
    ) -> Option<Stmt> {
        let (text, format, values) = self.values(name, args, span)?;
        let is_directory =
            values.is_empty() && (text.ends_with('/') || matches!(&*text, "." | ".."));
        if kind == ActionKind::Freopen && is_directory {
            let message = format!("freopen( ) cannot write to \"{text}\": it is a directory");
            let d = Diagnostic::new(Tag::FreopenInvalid, span, message);
            self.fail(
                d.label("expected the name of a file")
                    .hint("freopen(\"\") restores the previous output"),
            );
            return None;
        }
        Some(Stmt::Format(kind, text, format, values))
    }

    /// Returns the values behind a format.
    fn printed_values(&mut self, action: &str, args: &[ast::Expr]) -> Option<Vec<Expr>> {
        let mut values = Vec::new();
        for arg in args {
            if let ExprKind::Agg(name, _) = &arg.kind {
                let message = format!("{action}( ) cannot print an aggregation: @{name}");
                self.fail(
                    Diagnostic::new(Tag::PrintfArgType, arg.span, message).hint("use printa()"),
                );
                return None;
            }
            values.push(self.record(arg));
        }
        Some(values)
    }

    fn values(
        &mut self,
        action: &str,
        args: &[ast::Expr],
        span: Span,
    ) -> Option<(String, Format, Vec<Expr>)> {
        let Some((format, rest)) = args.split_first() else {
            self.wrong_count(action, 0, 1, usize::MAX, "void(string, ...)", span);
            return None;
        };
        let errors = self.diagnostics.len();
        let text = self.format_text(action, format)?;
        let mut values = self.printed_values(action, rest)?;
        let raw = self.read(action, &text, format.span)?;
        let mut next = 0usize;
        let mut pieces = Vec::new();
        for (piece, number) in raw.numbered() {
            let (mut c, stars) = match piece {
                RawPiece::Text(t) => {
                    pieces.push(Piece::Text(t));
                    continue;
                }
                RawPiece::Conversion(c, stars) => (c, stars),
            };
            if c.aggregation {
                let message =
                    format!("{action}( ) conversion #{number} ({}) is for printa( ) only", c.text);
                self.fail(Diagnostic::new(Tag::PrintfAggConv, format.span, message));
                return None;
            }
            let types = || values.iter().map(|v| (&v.ty, v.span));
            if !self.stars(action, &mut c, stars, &mut next, types, (span, number, 2)) {
                return None;
            }
            let Some(value) = values.get_mut(next) else {
                let message = format!(
                    "{action}( ) prototype mismatch: conversion #{number} ({}) has no value",
                    c.text
                );
                self.fail(
                    Diagnostic::new(Tag::PrintfArgProto, span, message)
                        .label(format!("values given: {}", rest.len())),
                );
                return None;
            };
            let ok = self.fits(action, &c, number, next + 2, value, format.span);
            if !ok {
                return None;
            }
            adapt(&mut c, &value.ty);
            c.value = Value::Arg(next);
            next += 1;
            pieces.push(Piece::Conversion(c));
        }
        if let Some(extra) = values.get(next) {
            let message = format!(
                "{action}( ) prototype mismatch: {} values given, the format has conversions for {next}",
                values.len()
            );
            let at = extra.span;
            self.fail(
                Diagnostic::new(Tag::PrintfArgExtra, at, message)
                    .label("not printed by any conversion"),
            );
            return None;
        }
        if self.diagnostics.len() > errors || values.iter().any(|v| v.ty.is_error()) {
            return None;
        }
        Some((text, Format { pieces }, values))
    }

    /// Takes the values for each `*`, which must be integers. The last parameter holds the place,
    /// the number of the conversion, and the number of the first value.
    fn stars<'v, I: Iterator<Item = (&'v Type, Span)>>(
        &mut self,
        action: &str,
        c: &mut Conversion,
        (star_width, star_precision): (bool, bool),
        next: &mut usize,
        values: impl Fn() -> I,
        (span, number, argument): (Span, usize, usize),
    ) -> bool {
        for (is_star, slot) in [(star_width, &mut c.width), (star_precision, &mut c.precision)] {
            if !is_star {
                continue;
            }
            let Some((ty, at)) = values().nth(*next) else {
                let message =
                    format!("{action}( ) conversion #{number} ({}) has no value for `*`", c.text);
                self.fail(
                    Diagnostic::new(Tag::PrintfDynProto, span, message)
                        .label("expected an integer before the value"),
                );
                return false;
            };
            if ty.int().is_none() && !ty.is_error() {
                let message = format!(
                    "{action}( ) argument #{} is {ty}: `*` of {} expects an integer",
                    *next + argument,
                    c.text
                );
                self.fail(
                    Diagnostic::new(Tag::PrintfDynType, at, message).label("expected an integer"),
                );
                return false;
            }
            *slot = Some(Extent::Arg(*next));
            *next += 1;
        }
        true
    }

    /// Tells whether the value fits the conversion. Pointers to characters become strings for `%s`.
    fn fits(
        &mut self,
        action: &str,
        c: &Conversion,
        number: usize,
        argument: usize,
        value: &mut Expr,
        format: Span,
    ) -> bool {
        let wanted = want(c.letter);
        let ok = match (wanted, &value.ty) {
            (_, Type::Error) => true,
            (Want::Integer, Type::Int(_)) => true,
            (Want::Address, Type::Int(_) | Type::Pointer(_)) => true,
            (Want::Text, Type::String) => true,
            (Want::Float, Type::Float(_)) => true,
            (Want::Stack, Type::Action(kind)) => is_stack(*kind),
            (_, Type::Action(kind)) => matches!(c.letter, 'a' | 'A' | 's') && !is_stack(*kind),
            // The array is printed up to a NUL or, without one, up to its end.
            (Want::Text, Type::Array(_, n))
                if value.ty.is_stringlike() && (1..=MAX_BY_REF).contains(n) =>
            {
                true
            }
            (Want::Text, ty) if ty.is_stringlike() => {
                let span = value.span;
                let e = std::mem::replace(value, Expr::error(span));
                *value = convert(e, &Type::String);
                true
            }
            _ => false,
        };
        if ok {
            return true;
        }
        let wanted = match wanted {
            Want::Integer => "an integer",
            Want::Address => "an integer or a pointer",
            Want::Text => "a string",
            Want::Stack => "a stack",
            Want::Float => "a floating-point number",
        };
        let message = format!(
            "{action}( ) argument #{argument} is incompatible with conversion #{number} ({}): expected {wanted}, found {}",
            c.text, value.ty
        );
        let d = Diagnostic::new(Tag::PrintfArgType, value.span, message)
            .label(format!("this is {}", value.ty))
            .other(format, format!("{} prints {wanted}", c.text));
        let hint = match (&value.ty, want(c.letter)) {
            (Type::String, Want::Integer | Want::Address) => Some("%s prints a string"),
            (Type::Int(_), Want::Text) => {
                Some("%d prints an integer; stringof(x) or copyinstr(x) read text at an address")
            }
            (Type::Float(_), _) => Some("%f, %e and %g print a floating-point number"),
            (_, Want::Float) => Some("D does not convert integers: print an args[n] of type double, or *(double *)address"),
            (Type::Pointer(_), Want::Integer) => Some("%p prints a pointer"),
            (Type::Action(kind), _) if is_stack(*kind) => Some("%k prints a stack"),
            (Type::Action(_), _) => Some("%a prints a symbol"),
            (_, Want::Stack) => Some("stacks come from stack(), ustack() and jstack()"),
            _ => None,
        };
        self.fail(match hint {
            Some(h) => d.hint(h),
            None => d,
        });
        false
    }
}
