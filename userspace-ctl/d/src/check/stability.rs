// SPDX-License-Identifier: GPL-2.0
//! The stability of a program: the least of its probe descriptions, and the least of the names in
//! its statements. `-x amin` refuses programs below a limit.

use super::Checker;
use crate::ast::{self, ExprKind, StmtKind};
use crate::diag::{Diagnostic, Region, Tag};
use crate::library::Sort;
use crate::scope::Scope;
use crate::source::Span;
use crate::types::Type;
use crate::vocabulary;
use crate::world::ProbePattern;
use abi::dif::Builtin;
use abi::probe::is_glob;
use abi::stability::{Attributes, Class, ProviderAttributes, Stability};

/// The least stability of descriptions and of statements so far.
#[derive(Debug, Clone, Copy)]
pub struct Least {
    /// The probe descriptions.
    pub probes: Attributes,
    /// The statements.
    pub statements: Attributes,
}

impl Default for Least {
    fn default() -> Self {
        Self { probes: Attributes::STABLE, statements: Attributes::STABLE }
    }
}

impl Checker<'_> {
    /// Takes a clause into account, if stability is computed.
    pub(super) fn weigh(&mut self, clause: &ast::Clause, probes: &[(ProbePattern, Span)]) {
        if !self.settings.is_weighed {
            return;
        }
        let mut of_args = Attributes::STABLE;
        self.region = Some(Region::ProbeDescription);
        for (pattern, span) in probes {
            for (provider, is_named) in self.described(pattern) {
                let promised = self.promised_of(&provider, *span);
                let probe = promised.of_probes(is_named);
                of_args = of_args.min(promised.of_args());
                self.stability.probes = self.stability.probes.min(probe);
                self.at_least(probe, &format!("probe description {pattern}"), *span);
            }
        }
        let statements = clause.body.as_deref().unwrap_or_default();
        let mut todo: Vec<&ast::Stmt> = statements.iter().rev().collect();
        if let Some(predicate) = &clause.predicate {
            self.region = Some(Region::Predicate);
            self.weigh_expr(predicate, of_args);
        }
        self.region = Some(Region::ActionList);
        while let Some(statement) = todo.pop() {
            match &statement.kind {
                StmtKind::Expr(e) => self.weigh_expr(e, of_args),
                StmtKind::If(condition, then, other) => {
                    self.weigh_expr(condition, of_args);
                    todo.extend(then.iter().chain(other).rev());
                }
            }
        }
        self.region = None;
    }

    pub(super) fn promised_of(&mut self, provider: &str, at: Span) -> ProviderAttributes {
        self.consult(Sort::Provider, provider, at);
        let promised = self.names.promised_of.get(provider).copied();
        let promised = promised.or_else(|| self.world.promised(provider));
        promised.unwrap_or_else(|| ProviderAttributes::of(provider))
    }

    /// Returns the providers of a description, and which of its parts are given.
    fn described(&self, pattern: &ProbePattern) -> Vec<(String, [bool; 4])> {
        let is_named = pattern.parts().map(|part| !part.is_empty());
        let has_provider = !pattern.provider.is_empty() && !is_glob(pattern.provider.as_bytes());
        if has_provider && pattern.id == 0 {
            return vec![(pattern.provider.clone(), is_named)];
        }
        let is_own = |provider: &str| {
            provider.is_empty() && matches!(pattern.name.as_str(), "BEGIN" | "END" | "ERROR")
        };
        let mut described: Vec<(String, [bool; 4])> = Vec::new();
        for probe in self.world.probes(pattern) {
            let is_named = match pattern.id {
                0 => is_named,
                _ => probe.parts.each_ref().map(|part| !part.is_empty()),
            };
            let [provider, ..] = probe.parts;
            let provider = if is_own(&provider) { "dtrace".into() } else { provider };
            described.push((provider, is_named));
        }
        described.sort();
        described.dedup();
        described
    }

    fn weigh_expr(&mut self, e: &ast::Expr, of_args: Attributes) {
        let found = match &e.kind {
            ExprKind::Ident(name) => self.weight_of(name, of_args).map(|a| (name.clone(), a)),
            ExprKind::Symbol(name) => Some((format!("`{name}"), Attributes::KERNEL)),
            ExprKind::Cast(ty, _) | ExprKind::SizeofType(ty) | ExprKind::Offsetof(ty, _) => {
                let text = self.source.slice(ty.span).to_string();
                self.is_kernels(ty).then_some((text, Attributes::KERNEL))
            }
            _ => None,
        };
        if let Some((what, attributes)) = found {
            self.stability.statements = self.stability.statements.min(attributes);
            self.at_least(attributes, &what, e.span);
        }
        e.kind.each_child(&mut |child| self.weigh_expr(child, of_args));
    }

    /// Returns the stability of a plain name. Names without one have D's own, which lowers nothing.
    fn weight_of(&self, name: &str, of_args: Attributes) -> Option<Attributes> {
        if let Some(promised) = self.names.promised.get(name) {
            return Some(*promised);
        }
        if self.names.variable(Scope::Global, name).is_some()
            || self.names.inlines.contains_key(name)
        {
            return None;
        }
        let stable = Stability::Stable;
        match vocabulary::builtin(name) {
            Some(Builtin::Args) => Some(of_args),
            Some(Builtin::Curthread) => {
                Some(Attributes::new(stable, Stability::Private, Class::Common))
            }
            Some(Builtin::Uregs | Builtin::Regs) => {
                Some(Attributes::new(stable, stable, Class::Isa))
            }
            Some(_) => None,
            None => (!self.world.enum_constants(name).is_empty()).then_some(Attributes::KERNEL),
        }
    }

    /// Tells whether neither D nor the program defines the type.
    fn is_kernels(&self, ty: &ast::TypeName) -> bool {
        let words: Vec<&str> = ty.words.iter().map(|w| w.0.as_str()).collect();
        match words.as_slice() {
            [.., "struct" | "union" | "enum", tag] => {
                ty.body.is_none() && !self.names.tags.keys().any(|(_, known)| known == tag)
            }
            [.., name] => {
                Type::named(name).is_none()
                    && !crate::parser::is_type_word(name)
                    && !self.names.typedefs.contains_key(*name)
            }
            [] => false,
        }
    }

    fn at_least(&mut self, found: Attributes, what: &str, span: Span) {
        let Some(least) = self.settings.amin.filter(|least| found.min(*least) != *least) else {
            return;
        };
        let message = format!("attributes for {what} ({found}) are less than predefined minimum");
        let d = Diagnostic::new(Tag::AttrMin, span, message);
        self.fail(
            d.label(format!("expected {least} or more"))
                .hint("-x amin sets the required stability"),
        );
    }
}
