// SPDX-License-Identifier: GPL-2.0
//! Declarations: `int x;`, `self string s;`, `inline int N = 5;`, `typedef unsigned int u;`.

use super::{Parse, Parser};
use crate::ast::{Decl, Declarator, TypeName};
use crate::diag::{Diagnostic, Tag};
use crate::source::Span;
use crate::token::Tok;

/// Words that begin a declaration and say where the name lives.
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

/// Words that types are made of, besides single names.
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

/// Words that need another one to be a type, or mean int.
fn is_attribute(word: &str) -> bool {
    matches!(
        word,
        "unsigned" | "signed" | "short" | "long" | "const" | "volatile" | "restrict" | "userland"
    )
}

/// Most words of a base type.
const MAX_WORDS: usize = 16;

impl Parser<'_> {
    /// A declaration whose first word has been read as text.
    pub(super) fn parse_decl(&mut self, word: String, span: Span) -> Parse<Decl> {
        if matches!(word.as_str(), "translator" | "provider" | "counter" | "import") {
            let d = Diagnostic::new(
                Tag::Unknown,
                span,
                format!("{word} declarations are not supported yet"),
            );
            return Err(self.complain(d));
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
        let ty = self.parse_base_type(first)?;
        let mut names = Vec::new();
        if !self.is(";") {
            loop {
                names.push(self.parse_declarator()?);
                if !self.maybe(",") {
                    break;
                }
            }
        }
        let end = self.expect(";")?;
        if class.as_ref().is_some_and(|(c, _)| c == "typedef") {
            self.typedefs.extend(names.iter().map(|n| n.name.clone()));
        }
        Ok(Decl { class, ty, names, span: span.to(end) })
    }

    fn parse_declarator(&mut self) -> Parse<Declarator> {
        let pointers = self.stars();
        let (name, span) = match self.peek().tok.clone() {
            // `self->x` instead of `self int x`: say what to write.
            Tok::Ident(name) => {
                let span = self.bump().span;
                (name, span)
            }
            _ => return Err(self.unexpected("a name to declare")),
        };
        let mut is_array = false;
        let mut init = None;
        if self.maybe("[") {
            is_array = true;
            while !self.is("]") {
                if self.peek().tok == Tok::Eof {
                    return Err(self.unexpected("`]`"));
                }
                self.bump();
            }
            self.bump();
        }
        if self.maybe("=") {
            init = Some(self.parse_assignment()?);
        }
        Ok(Declarator { name, pointers, is_array, init, span })
    }

    fn stars(&mut self) -> u16 {
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

    /// Words of a base type; `first` has been read already.
    fn parse_base_type(&mut self, first: Option<(String, Span)>) -> Parse<TypeName> {
        let mut words: Vec<(String, Span)> = first.into_iter().collect();
        while let Tok::Ident(word) = self.peek().tok.clone() {
            let last = words.last().map(|(w, _)| w.as_str());
            let after_tag = matches!(last, Some("struct" | "union" | "enum"));
            let has_base = words.iter().any(|(w, _)| !is_attribute(w));
            if !(after_tag || is_type_word(&word) || self.is_type_name(&word) && !has_base) {
                break;
            }
            let span = self.bump().span;
            if words.len() >= MAX_WORDS {
                let message = format!("a type has {MAX_WORDS} words at most");
                return Err(self.complain(Diagnostic::new(Tag::DeclCombo, span, message)));
            }
            words.push((word, span));
        }
        match (words.first(), words.last()) {
            (Some((_, a)), Some((_, b))) => {
                let span = a.to(*b);
                Ok(TypeName { words, pointers: 0, span })
            }
            _ => Err(self.unexpected("a type")),
        }
    }

    /// A type without a name, as in casts.
    pub(super) fn parse_type_name(&mut self) -> Parse<TypeName> {
        let mut ty = self.parse_base_type(None)?;
        ty.pointers = self.stars();
        ty.span = ty.span.to(self.last);
        Ok(ty)
    }
}
