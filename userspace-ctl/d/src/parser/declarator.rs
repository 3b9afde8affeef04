// SPDX-License-Identifier: GPL-2.0
//! The form of a declared name: `*name[4]`, `(*name)(int, char *)`, `name : 3`, `name = 5`; also
//! the parameters of functions and the keys of associative arrays.

use super::decl::is_class;
use super::{Parse, Parser};
use std::sync::Arc;

use crate::ast::{Declarator, Extent, Param, Prototype};
use crate::diag::{Diagnostic, Tag};
use crate::source::Span;
use crate::token::Tok;

impl Parser<'_> {
    /// Parses a name to declare with everything that belongs to it.
    pub(super) fn parse_declarator(&mut self) -> Parse<Declarator> {
        let pointers = self.stars();
        if self.is(":") {
            // A bit field without a name moves the members after it.
            let span = self.bump().span;
            let bits = Some(self.parse_assignment()?);
            return Ok(Declarator { bits, ..Declarator::plain(String::new(), pointers, span) });
        }
        let mut d = self.parse_around(pointers, true)?;
        if self.is("`") {
            let message = "scoping operator may not be used in a declaration: `";
            let span = self.bump().span;
            let d = Diagnostic::new(Tag::DeclScope, d.span.to(span), message);
            return Err(self.complain(
                d.label("expected a plain name")
                    .hint("symbols of the kernel need no declaration: `name is its value"),
            ));
        }
        if self.maybe(":") {
            d.bits = Some(self.parse_assignment()?);
        }
        if self.maybe("=") {
            d.init = Some(self.parse_assignment()?);
        }
        Ok(d)
    }

    /// Parses a name, brackets, arrays and parameters. The name of a parameter may be missing.
    fn parse_around(&mut self, pointers: u16, needs_name: bool) -> Parse<Declarator> {
        let mut inner = None;
        let at = self.peek().span;
        let (name, span) = match self.peek().tok.clone() {
            Tok::Ident(name) => (name, self.bump().span),
            Tok::Punct("(") => {
                self.bump();
                let stars = self.stars();
                let named = match self.peek().tok.clone() {
                    Tok::Ident(name) => (name, self.bump().span),
                    _ if needs_name => return Err(self.unexpected("a name to declare")),
                    _ => (String::new(), at),
                };
                inner = Some((stars, self.parse_extents()?));
                self.expect(")")?;
                named
            }
            _ if needs_name => return Err(self.unexpected("a name to declare")),
            _ => (String::new(), Span::new(at.start, at.start)),
        };
        let mut d = Declarator { inner, ..Declarator::plain(name, pointers, span) };
        if self.maybe("(") {
            d.function = Some(Arc::new(self.parse_prototype(")")?));
        } else {
            d.arrays = self.parse_extents()?;
        }
        Ok(d)
    }

    pub(super) fn parse_extents(&mut self) -> Parse<Vec<Extent>> {
        let mut extents = Vec::new();
        while self.maybe("[") {
            extents.push(self.parse_extent()?);
        }
        Ok(extents)
    }

    /// Parses the text after `[`, up to and including `]`.
    fn parse_extent(&mut self) -> Parse<Extent> {
        if self.maybe("]") {
            return Ok(Extent::Open);
        }
        let is_class =
            matches!(&self.peek().tok, Tok::Ident(w) if is_class(w) && w != "self" && w != "this");
        if !is_class && !self.is("...") && !self.at_type() {
            let e = self.parse_assignment()?;
            if self.maybe("]") {
                return Ok(Extent::Count(e));
            }
        }
        Ok(Extent::Tuple(self.parse_prototype("]")?))
    }

    /// Parses parameters up to the closing bracket; the opening one has been read.
    pub(super) fn parse_prototype(&mut self, close: &str) -> Parse<Prototype> {
        self.deeper()?;
        let mut prototype = Prototype { params: Vec::new(), dots: None };
        if !self.maybe(close) {
            loop {
                if self.is("...") {
                    let span = self.bump().span;
                    prototype.dots = Some(span);
                    if !self.is(close) {
                        let message = "`...` must be the last of the parameters";
                        let d = Diagnostic::new(Tag::DeclProtoVarargs, span, message);
                        return Err(self.complain(d.label(format!("expected `{close}` after it"))));
                    }
                } else {
                    prototype.params.push(self.parse_param()?);
                }
                if !self.maybe(",") {
                    break;
                }
            }
            self.expect(close)?;
        }
        self.shallower();
        Ok(prototype)
    }

    fn parse_param(&mut self) -> Parse<Param> {
        let mut class = None;
        let start = self.peek().span;
        if let Tok::Ident(word) = self.peek().tok.clone() {
            if is_class(&word) {
                class = Some((word, self.bump().span));
            } else if !self.at_type()
                && self.lexer.follows(start.end, |c| matches!(c, ',' | ')' | ']'))
            {
                let message = format!("parameter {word} has a name, but no type");
                let d = Diagnostic::new(Tag::DeclProtoForm, start, message);
                return Err(self.complain(d.label(format!("expected a type: int {word}"))));
            }
        }
        let ty = self.parse_base_type(None)?;
        let pointers = self.stars();
        let name = self.parse_around(pointers, false)?;
        let span = start.to(self.last);
        Ok(Param { class, ty, name, span })
    }
}
