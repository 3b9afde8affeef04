// SPDX-License-Identifier: GPL-2.0
//! `printa(@a)` and `printa(format, @a, @b ..)`.

use super::{adapt, want, RawPiece, Want};
use crate::ast::{self, ExprKind};
use crate::check::Checker;
use crate::diag::{Diagnostic, Tag};
use crate::format::{Conversion, Format, Piece, Value};
use crate::source::Span;
use crate::typed::{Expr, Stmt};
use crate::types::Type;

impl Checker<'_> {
    /// Checks `printa(@a)` and `printa(format, @a, @b ..)`.
    pub(in crate::check) fn printa(&mut self, args: &[ast::Expr], span: Span) -> Option<Stmt> {
        let (format, aggs) = match args.split_first() {
            Some((first, rest)) if !matches!(first.kind, ExprKind::Agg(..)) => (Some(first), rest),
            _ => (None, args),
        };
        if let ([], Some(only)) = (aggs, format) {
            if !matches!(only.kind, ExprKind::Str(_)) {
                self.agg_argument("printa", only, Tag::PrintaAggarg, Tag::PrintaAggbad)?;
            }
        }
        if aggs.is_empty() {
            let message = "printa( ) prototype mismatch: no aggregation given";
            self.fail(
                Diagnostic::new(Tag::PrintaProto, span, message)
                    .label("expected printa(@name) or printa(\"format\", @name, ..)"),
            );
            return None;
        }
        let text = match format {
            Some(f) => Some((self.format_text("printa", f)?, f.span)),
            None => None,
        };
        let (numbers, keys) = self.printed_together(aggs)?;
        let Some((text, at)) = text else { return Some(Stmt::Printa(None, numbers)) };
        let pieces = self.pieces_of_rows(&text, at, &keys, numbers.len(), span)?;
        Some(Stmt::Printa(Some((text, Format { pieces })), numbers))
    }

    /// Returns the numbers of aggregations, and the types of the keys that all of them have.
    fn printed_together(&mut self, aggs: &[ast::Expr]) -> Option<(Vec<u32>, Vec<Type>)> {
        let mut numbers = Vec::new();
        let mut keys: Option<Vec<Type>> = None;
        for arg in aggs {
            let number = self.agg_argument("printa", arg, Tag::PrintaAggarg, Tag::PrintaAggbad)?;
            let agg = self.names.aggs.iter().find(|a| a.number == number)?;
            let these = agg.keys.clone();
            match &keys {
                Some(first) if *first != these => {
                    let d = different_keys(&agg.name, first, &these, arg.span);
                    self.fail(d);
                    return None;
                }
                Some(_) => {}
                None => keys = Some(these),
            }
            numbers.push(number);
        }
        Some((numbers, keys.unwrap_or_default()))
    }

    /// Returns the pieces of a format, with the key or the aggregation that each one prints.
    fn pieces_of_rows(
        &mut self,
        text: &str,
        at: Span,
        keys: &[Type],
        aggregations: usize,
        span: Span,
    ) -> Option<Vec<Piece>> {
        let raw = self.read("printa", text, at)?;
        let (mut next, mut agg) = (0usize, 0usize);
        let mut pieces = Vec::new();
        for (piece, number) in raw.numbered() {
            let (mut c, stars) = match piece {
                RawPiece::Text(t) => {
                    pieces.push(Piece::Text(t));
                    continue;
                }
                RawPiece::Conversion(c, stars) => (c, stars),
            };
            // A `*` takes the next key.
            let types = || keys.iter().map(|ty| (ty, at));
            if !self.stars("printa", &mut c, stars, &mut next, types, (at, number, 1)) {
                return None;
            }
            if c.aggregation {
                self.fits_aggregation(&c, number, at)?;
                // If there are more conversions than aggregations, they print the last one again.
                c.value = Value::Aggregation(agg.min(aggregations.saturating_sub(1)));
                agg += 1;
            } else {
                let Some(ty) = keys.get(next) else {
                    let message = format!(
                        "printa( ) prototype mismatch: conversion #{number} ({}) has no key",
                        c.text
                    );
                    self.fail(
                        Diagnostic::new(Tag::PrintfArgProto, span, message)
                            .label(format!("the aggregation has {} keys", keys.len())),
                    );
                    return None;
                };
                let mut key = Expr { ty: ty.clone(), ..Expr::error(span) };
                if !self.fits("printa", &c, number, next + 1, &mut key, at) {
                    return None;
                }
                adapt(&mut c, &key.ty);
                c.value = Value::Arg(next);
                next += 1;
            }
            pieces.push(Piece::Conversion(c));
        }
        Some(pieces)
    }

    /// Complains about a conversion that cannot print the value of an aggregation.
    fn fits_aggregation(&mut self, c: &Conversion, number: usize, at: Span) -> Option<()> {
        if c.letter == '@' || matches!(want(c.letter), Want::Integer | Want::Address) {
            return Some(());
        }
        let message = format!(
            "printa( ) conversion #{number} ({}) cannot print an aggregation's value",
            c.text
        );
        self.fail(
            Diagnostic::new(Tag::PrintfAggConv, at, message)
                .label("expected %@ with d, i, u, o, x, Y or T"),
        );
        None
    }
}

/// Returns the complaint about an aggregation whose keys differ from those of the first one.
fn different_keys(name: &str, first: &[Type], these: &[Type], at: Span) -> Diagnostic {
    let (tag, message) = if first.len() != these.len() {
        (
            Tag::PrintaAggproto,
            format!(
                "printa( ) aggregation prototype mismatch: @{name} has {} keys, the first one {}",
                these.len(),
                first.len()
            ),
        )
    } else {
        let nth = first.iter().zip(these).position(|(a, b)| a != b).unwrap_or(0) + 1;
        (
            Tag::PrintaAggkey,
            format!(
                "printa( ) aggregations have different keys: key #{nth} of @{name} has another type than the first one's"
            ),
        )
    };
    let list = |keys: &[Type]| {
        let keys: Vec<String> = keys.iter().map(Type::to_string).collect();
        format!("[{}]", keys.join(", "))
    };
    let found = format!("expected {}, found {}", list(first), list(these));
    Diagnostic::new(tag, at, message).label(found).hint("print each with its own printa()")
}
