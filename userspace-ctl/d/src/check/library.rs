// SPDX-License-Identifier: GPL-2.0
//! Names that libraries define. A library is read when the program first uses one of its names.

use std::sync::Arc;

use super::provider::pointed;
use super::Checker;
use crate::ast::Item;
use crate::diag::{Diagnostic, Tag};
use crate::library::Sort;
use crate::parser::{self, pragma};
use crate::source::{Source, Span};
use crate::types::Type;
use crate::{Declared, Options};

impl Checker<'_> {
    /// Reads the libraries that define this name; returns true if it read any.
    pub(super) fn consult(&mut self, sort: Sort, name: &str, at: Span) -> bool {
        let libraries = self.settings.libraries;
        let new: Vec<usize> = libraries
            .with(sort, name)
            .iter()
            .copied()
            .filter(|number| self.names.libraries.insert(*number))
            .collect();
        for number in &new {
            if let Some(source) = libraries.source(*number) {
                self.read_library(Arc::new(source), at);
            }
        }
        !new.is_empty()
    }

    /// Returns everything that libraries declare about probes.
    pub fn declared_by_libraries(mut self) -> Declared {
        let names: Vec<String> = self.settings.libraries.names(Sort::Provider).collect();
        names.iter().for_each(|name| {
            self.consult(Sort::Provider, name, Span::default());
        });
        let mut declared = Declared::new();
        for (provider, probes) in &self.names.providers {
            for (probe, signature) in probes {
                let types = signature.args.iter().map(|a| self.as_declared(&a.ty)).collect();
                declared.insert((provider.clone(), probe.clone()), types);
            }
        }
        declared
    }

    /// Returns the type as libraries write it: a struct by the name of its typedef.
    fn as_declared(&self, ty: &Type) -> String {
        let of = pointed(ty);
        let alias = match of {
            Type::Struct(_) => self.names.typedefs.iter().find(|(_, ty)| *ty == of),
            _ => None,
        };
        match (alias, ty) {
            (Some((name, _)), Type::Pointer(_)) => format!("{name} *"),
            (Some((name, _)), _) => name.clone(),
            (None, _) => ty.to_string(),
        }
    }

    fn read_library(&mut self, source: Arc<Source>, at: Span) {
        let parsed = self.parsed(&source);
        if let Some(d) = parsed.diagnostics.first() {
            self.blame(&source, d, at);
            return;
        }
        for (about, _) in pragma::abouts(&source, &parsed.controls) {
            self.names.promise(&about);
        }
        self.aside(&source, at, |checker| {
            for item in &parsed.items {
                match item {
                    Item::Decl(d) => checker.declaration(d),
                    Item::Translator(t) => checker.translator(t),
                    Item::Provider(p) => checker.provider(p),
                    Item::Clause(c) => {
                        let span = c.probes.first().map(|p| p.1).unwrap_or_default();
                        let message = "a library has declarations only, no clauses";
                        checker.complain(Diagnostic::new(Tag::Syntax, span, message));
                    }
                }
            }
        });
    }

    /// Parses a text that is not the program's.
    pub(super) fn parsed(&self, source: &Source) -> parser::Parsed {
        let options = Options { libraries: self.settings.libraries.clone(), ..Options::default() };
        parser::parse(source, &options, self.names.known(), self.world)
    }

    /// Checks something in a library; blames mistakes there on `at`.
    pub(super) fn aside<T>(
        &mut self,
        source: &Arc<Source>,
        at: Span,
        look: impl FnOnce(&mut Checker<'_>) -> T,
    ) -> T {
        let (out, complaints) = self.within_text(source, look);
        if let Some(d) = complaints.first() {
            self.blame(source, d, at);
        }
        out
    }

    /// Checks something in another text; returns the complaints about it.
    pub(super) fn within_text<T>(
        &mut self,
        source: &Arc<Source>,
        look: impl FnOnce(&mut Checker<'_>) -> T,
    ) -> (T, Vec<Diagnostic>) {
        let names = std::mem::take(&mut self.names);
        let mut inner = Checker::within(source, self.world, self.settings, names);
        inner.library = Some(source.clone());
        inner.open_rules = std::mem::take(&mut self.open_rules);
        (inner.expanded, inner.kept) = (self.expanded, self.kept);
        let out = look(&mut inner);
        let (names, complaints) = (inner.names, inner.diagnostics);
        self.open_rules = inner.open_rules;
        (self.expanded, self.kept) = (inner.expanded, inner.kept);
        self.names = names;
        (out, complaints)
    }

    /// Reports a mistake in a library at the place where the program uses it.
    fn blame(&mut self, source: &Source, d: &Diagnostic, at: Span) {
        let line = source.place(d.primary.span.start).line;
        let message = format!("{}, line {line}: {}", source.file(), d.message);
        let mut told = Diagnostic::new(d.tag, at, message).label("the library is needed for this");
        told.notes = d.notes.clone();
        self.complain(
            told.note(source.text.lines().nth(line.wrapping_sub(1)).unwrap_or("").trim()),
        );
    }
}
