// SPDX-License-Identifier: GPL-2.0
//! Declarations: `int x;`, `self string s;`, `inline int N = 5;`, `typedef unsigned int u;`.
//! `declarator.rs` reads the names with their stars and brackets.

use super::{Complained, Parse, Parser};
use std::sync::Arc;

use crate::ast::{Body, Decl, Declarator, TypeName};
use crate::diag::{Diagnostic, Tag};
use crate::source::Span;
use crate::token::Tok;

/// Tells whether the word begins a declaration and gives the scope of its names.
pub fn is_class(word: &str) -> bool {
    matches!(
        word,
        "self"
            | "this"
            | "inline"
            | "typedef"
            | "extern"
            | "static"
            | "auto"
            | "register"
            | "translator"
            | "provider"
            | "counter"
            | "import"
    )
}

/// Tells whether the word is reserved: nothing in D begins with it or has it as a name.
pub fn is_reserved(word: &str) -> bool {
    matches!(word, "counter" | "import")
}

/// Tells whether the word can be part of a type; the names of types do not count.
pub fn is_type_word(word: &str) -> bool {
    matches!(
        word,
        "unsigned"
            | "signed"
            | "short"
            | "long"
            | "int"
            | "char"
            | "void"
            | "float"
            | "double"
            | "const"
            | "volatile"
            | "restrict"
            | "struct"
            | "union"
            | "enum"
            | "userland"
    )
}

/// Tells whether the word needs another one to be a type, or means int.
fn is_attribute(word: &str) -> bool {
    matches!(
        word,
        "unsigned" | "signed" | "short" | "long" | "const" | "volatile" | "restrict" | "userland"
    )
}

/// The most words that a base type may have.
const MAX_WORDS: usize = 16;

impl Parser<'_> {
    /// Complains about the use of a reserved word.
    pub(super) fn reserved(&mut self, word: &str, span: Span) -> Complained {
        let message = format!("syntax error near `{word}`: the word is reserved");
        let d = Diagnostic::new(Tag::Syntax, span, message).label("not a name in D");
        self.complain(d.hint(format!("use another name, such as {word}s or my_{word}")))
    }

    /// Parses a declaration whose first word has been read as text.
    pub(super) fn parse_decl(&mut self, word: String, span: Span) -> Parse<Decl> {
        if is_reserved(&word) {
            return Err(self.reserved(&word, span));
        }
        let mut class = None;
        let mut first = Some((word, span));
        if let Some((word, at)) = first.take() {
            if is_class(&word) {
                class = Some((word, at));
            } else {
                first = Some((word, at));
            }
        }
        if let (Some((one, at)), Tok::Ident(two)) = (&class, self.peek().tok.clone()) {
            if is_class(&two) {
                let (at, second) = (*at, self.peek().span);
                let message = format!("only one storage class allowed: {one} or {two}");
                let d = Diagnostic::new(Tag::DeclClass, second, message).other(at, "the first");
                return Err(self.complain(d));
            }
        }
        let ty = match (&class, &first) {
            (Some((_, at)), None) if self.is_implicit_int() => {
                let words = vec![("int".to_string(), *at)];
                TypeName { words, body: None, pointers: 0, arrays: Vec::new(), span: *at }
            }
            _ => self.parse_base_type(first)?,
        };
        let names = self.parse_declarators()?;
        let end = self.expect(";")?;
        let declared = names.iter().map(|n| n.name.clone());
        match class.as_ref().map(|(c, _)| c.as_str()) {
            Some("typedef") => self.typedefs.extend(declared),
            _ => self.variables.extend(declared),
        }
        Ok(Decl { class, ty, names, span: span.to(end) })
    }

    /// After a storage class: tells whether a name without a type follows, as in `self x;`.
    fn is_implicit_int(&mut self) -> bool {
        let end = self.peek().span.end;
        match self.peek().tok.clone() {
            Tok::Punct("*") => true,
            Tok::Ident(word) => {
                !self.is_type_name(&word)
                    && self.lexer.follows(end, |c| matches!(c, ';' | ',' | '[' | '='))
            }
            _ => false,
        }
    }

    /// Tells whether the name that ends at `end` is the scope of a type, as in `` D`int ``.
    pub(super) fn is_scoped_type(&mut self, end: usize) -> bool {
        let Some(name) = self.lexer.scoped_name(end) else { return false };
        self.is_type_name(name) || self.is_typedef(name)
    }

    fn parse_declarators(&mut self) -> Parse<Vec<Declarator>> {
        let mut names = Vec::new();
        if !self.is(";") {
            loop {
                names.push(self.parse_declarator()?);
                if !self.maybe(",") {
                    break;
                }
            }
        }
        Ok(names)
    }

    /// Parses `{ members }` or `{ constants }`.
    fn parse_type_body(&mut self, is_enum: bool) -> Parse<Body> {
        self.expect("{")?;
        self.deeper()?;
        let mut members = Vec::new();
        let mut constants = Vec::new();
        while !self.is("}") {
            if is_enum {
                let (name, span) = self.expect_ident("a constant's name")?;
                let init = if self.maybe("=") { Some(self.parse_assignment()?) } else { None };
                self.variables.insert(name.clone());
                constants.push(Declarator { init, ..Declarator::plain(name, 0, span) });
                if !self.maybe(",") {
                    break;
                }
            } else {
                let ty = self.parse_base_type(None)?;
                let names = self.parse_declarators()?;
                let span = ty.span.to(self.expect(";")?);
                members.push(Decl { class: None, ty, names, span });
            }
        }
        self.expect("}")?;
        self.shallower();
        Ok(if is_enum { Body::Constants(constants) } else { Body::Members(members) })
    }

    pub(super) fn stars(&mut self) -> u16 {
        let mut n: u16 = 0;
        loop {
            match &self.peek().tok {
                Tok::Punct("*") => n = n.saturating_add(1),
                Tok::Ident(w)
                    if n > 0 && matches!(w.as_str(), "const" | "volatile" | "restrict") => {}
                _ => return n,
            }
            self.bump();
        }
    }

    /// Parses the words of a base type; `first` has already been read.
    pub(super) fn parse_base_type(&mut self, first: Option<(String, Span)>) -> Parse<TypeName> {
        let mut words: Vec<(String, Span)> = first.into_iter().collect();
        while let Tok::Ident(mut word) = self.peek().tok.clone() {
            let end = self.peek().span.end;
            let is_tag =
                matches!(words.last().map(|(w, _)| w.as_str()), Some("struct" | "union" | "enum"));
            if is_tag && self.lexer.scoped_name(end).is_some() || self.is_scoped_type(end) {
                // All types share one name space, so the object before the backquote adds nothing.
                self.bump();
                self.bump();
                let Tok::Ident(name) = self.peek().tok.clone() else { break };
                word = name;
            }
            let last = words.last().map(|(w, _)| w.as_str());
            let after_tag = matches!(last, Some("struct" | "union" | "enum"));
            let has_base = words.iter().any(|(w, _)| !is_attribute(w));
            let is_first = words.iter().all(|(w, _)| matches!(w.as_str(), "const" | "volatile"));
            let is_type = after_tag
                || is_type_word(&word)
                || !has_base && self.is_type_name(&word)
                || is_first && self.is_typedef(&word);
            if !is_type {
                break;
            }
            let span = self.bump().span;
            if words.len() >= MAX_WORDS {
                let message = format!("a type has {MAX_WORDS} words at most");
                return Err(self.complain(Diagnostic::new(Tag::DeclCombo, span, message)));
            }
            words.push((word, span));
        }
        let at = words.iter().position(|(w, _)| matches!(w.as_str(), "struct" | "union" | "enum"));
        let is_enum = words.iter().any(|(w, _)| w == "enum");
        let mut body = None;
        if at.is_some_and(|at| words.len() <= at + 2) && self.is("{") {
            body = Some(Arc::new(self.parse_type_body(is_enum)?));
            if let Tok::Ident(word) = self.peek().tok.clone() {
                let span = self.peek().span;
                let is_other = self.is_type_name(&word) || is_class(&word);
                if is_other && !matches!(word.as_str(), "const" | "volatile" | "restrict") {
                    let message = format!("invalid type combination near `{word}`");
                    let d = Diagnostic::new(Tag::DeclCombo, span, message);
                    return Err(self.complain(d.label("expected `;` or a name before it")));
                }
            }
        }
        match (words.first(), words.last()) {
            (Some((_, a)), Some((_, b))) => {
                let span = a.to(*b);
                Ok(TypeName { words, body, pointers: 0, arrays: Vec::new(), span })
            }
            _ => Err(self.unexpected("a type")),
        }
    }

    /// Parses a type without a name, as in casts.
    pub(super) fn parse_type_name(&mut self) -> Parse<TypeName> {
        let mut ty = self.parse_base_type(None)?;
        ty.pointers = self.stars();
        if self.is("[") {
            ty.arrays = self.parse_extents()?;
        }
        ty.span = ty.span.to(self.last);
        Ok(ty)
    }
}
