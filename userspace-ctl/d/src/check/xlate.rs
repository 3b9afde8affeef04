// SPDX-License-Identifier: GPL-2.0
//! Translators and inlines: expressions that replace others.
//!
//! The output of a translator never exists as a whole. A member of it is its rule, with the
//! translated value in place of the parameter. A program's rules are checked at their definition, a
//! library's when they are used: a member that this kernel cannot provide does not affect the
//! others.

use std::sync::Arc;

use super::convert::convert;
use super::member::decay;
use super::Checker;
use crate::ast::{self, MemberName};
use crate::diag::{Diagnostic, Tag};
use crate::library::Sort;
use crate::names::{Inline, Translator};
use crate::scope::Scope;
use crate::source::Span;
use crate::typed::{self, is_repeatable, Expr, Kind};
use crate::types::convert::is_assignable;
use crate::types::{Int, Struct, Type};
use crate::vocabulary;
use abi::dif::Subr;

/// The most nodes that all uses of inlines and translators may insert.
const MAX_EXPANDED: u32 = 1 << 20;
/// The highest tree that they may make, in levels.
const MAX_LEVELS: u16 = 400;
/// The most levels and nodes of one inline or rule.
const MAX_BODY: (u16, u32) = (60, 4096);

/// The most rules that need each other.
const MAX_OPEN: usize = 32;

/// Tells whether the value fits: as in an assignment, or text for text.
fn fits(to: &Type, from: &Type) -> bool {
    is_assignable(to, from) || to.is_stringlike() && from.is_stringlike()
}

/// Tells whether computing the value again costs no more than a variable.
fn is_simple(e: &Expr) -> bool {
    match &e.kind {
        Kind::Int(_) | Kind::Str(_) | Kind::Var(_) | Kind::Builtin(_) | Kind::Param(_) => true,
        Kind::Load(a) | Kind::Convert(a) | Kind::As(a) => is_simple(a),
        Kind::Binary(_, a, b) => is_simple(a) && is_simple(b),
        _ => false,
    }
}

impl Checker<'_> {
    /// Checks a `translator` declaration.
    pub(super) fn translator(&mut self, t: &ast::Translator) {
        let (output, input) = (self.type_name(&t.output), self.type_name(&t.input));
        if output.is_error() || input.is_error() {
            return;
        }
        let output = self.complete(&output);
        let members = match &output {
            Type::Struct(s) => self.members(s),
            _ => None,
        };
        let (Type::Struct(s), Some(members)) = (&output, members) else {
            let message = format!("a translator makes a struct or a union, not {output}");
            let d = Diagnostic::new(Tag::XlateSou, t.output.span, message);
            self.fail(d.label("expected a struct or union with its members"));
            return;
        };
        if input == Type::Void {
            let message = "cannot translate from void";
            self.fail(Diagnostic::new(Tag::DeclVoidobj, t.input.span, message));
            return;
        }
        let same = |known: &Arc<Translator>| known.output == output && known.input == input;
        if let Some(known) = self.names.translators.iter().rev().find(|known| same(known)) {
            if self.library.is_some() {
                return;
            }
            if known.library.is_none() {
                let message = format!("translator redeclared: {output} < {input} >");
                let d = Diagnostic::new(Tag::XlateRedecl, t.span, message);
                self.fail(d.label("there is one already"));
                return;
            }
        }
        let mut seen: Vec<&str> = Vec::new();
        for rule in &t.rules {
            let name = MemberName { name: rule.name.clone(), is_arrow: false, span: rule.span };
            if self.search(&members, &rule.name, 0).is_none() {
                let d = self.no_member(Tag::XlateMemb, s, &members, &name);
                self.complain(d);
            } else if seen.contains(&rule.name.as_str()) {
                let message = format!("member {} is translated twice", rule.name);
                self.fail(Diagnostic::new(Tag::XlateRedecl, rule.span, message));
            }
            seen.push(&rule.name);
        }
        let Ok(id) = u32::try_from(self.names.translators.len()) else { return };
        self.names.translators.push(Arc::new(Translator {
            output: output.clone(),
            input,
            param: t.param.clone(),
            rules: t.rules.clone(),
            library: self.library.clone(),
        }));
        if self.library.is_none() {
            for rule in &t.rules {
                if let Some((_, member)) = self.search(&members, &rule.name, 0) {
                    self.rule(id, &rule.name, &member.ty, rule.span);
                }
            }
        }
    }

    /// Checks `xlate <to> (from)`.
    pub(super) fn xlate(&mut self, to: Type, from: Expr, span: Span) -> Expr {
        let from = decay(from);
        if to.is_error() || from.ty.is_error() {
            return Expr::error(span);
        }
        let of = match &to {
            Type::Pointer(of) => self.complete(of),
            of => self.complete(of),
        };
        if !matches!(of, Type::Struct(_)) {
            let message = format!("xlate makes a struct or a pointer to one, not {to}");
            let d = Diagnostic::new(Tag::XlateSou, span, message);
            return self.fail(d.label("expected a struct that a translator makes"));
        }
        let Some(id) = self.translator_for(&of, &from.ty, span) else {
            let message = format!("translator does not exist from type {} to {of}", from.ty);
            let d = Diagnostic::new(Tag::XlateNone, span, message).label("no such translator");
            let all = self.names.translators.iter().filter(|t| t.output == of);
            let inputs: Vec<String> = all.map(|t| t.input.to_string()).collect();
            return self.fail(match inputs.as_slice() {
                [] => d.hint(format!("define one: translator {of} < {} T > {{ .. }};", from.ty)),
                list => d.note(format!("{of} can be made from {}", list.join(", "))),
            });
        };
        self.translation(id, to, from, span)
    }

    /// Makes the output of a known translator.
    pub(super) fn translation(&mut self, id: u32, to: Type, from: Expr, span: Span) -> Expr {
        let input = self.names.translators.get(id as usize).map(|t| t.input.clone());
        let from = convert(from, &input.unwrap_or(Type::Error));
        Expr::new(Kind::Xlate(id, Box::new(from)), to, span)
    }

    /// Returns the translator from one type to another. An exact match of the input has precedence,
    /// then the later one.
    pub(super) fn translator_for(&mut self, of: &Type, from: &Type, at: Span) -> Option<u32> {
        if let Type::Struct(s) = of {
            for name in [s.alias.clone(), s.tag.clone()] {
                self.consult(Sort::Translator, &name, at);
            }
        }
        let (mut exact, mut other) = (None, None);
        for (t, id) in self.names.translators.iter().zip(0u32..) {
            if t.output == *of && is_assignable(&t.input, from) {
                *(if t.input == *from { &mut exact } else { &mut other }) = Some(id);
            }
        }
        exact.or(other)
    }

    /// Returns a member of a translator's output.
    pub(super) fn translated(&mut self, id: u32, from: Expr, m: &MemberName, span: Span) -> Expr {
        let output = self.names.translators.get(id as usize).map(|t| t.output.clone());
        let Some(Type::Struct(s)) = output else { return Expr::error(span) };
        let Some((_, member)) = self.find(&s, m, span) else { return Expr::error(span) };
        match self.rule(id, &member.name, &member.ty, span) {
            Some(rule) => self.stand_for(&m.name, &rule, vec![from], span),
            None => Expr::error(span),
        }
    }

    /// Returns the rule for a member, as an expression of the parameter.
    fn rule(&mut self, id: u32, name: &str, ty: &Type, span: Span) -> Option<Expr> {
        let key = (id, name.to_string());
        if let Some(known) = self.names.rules.get(&key) {
            return Some(known.clone());
        }
        let t = self.names.translators.get(id as usize)?.clone();
        let Some(rule) = t.rules.iter().find(|r| r.name == name) else {
            let message =
                format!("translator does not define conversion for member: {}.{name}", t.output);
            let d = Diagnostic::new(Tag::XlateNoconv, span, message).label("is not translated");
            let few: Vec<&str> = t.rules.iter().take(24).map(|r| r.name.as_str()).collect();
            self.fail(d.note(match few.as_slice() {
                [] => "the translator has no rules".into(),
                few => format!("there are {}", few.join(", ")),
            }));
            return None;
        };
        let is_endless = self.open_rules.contains(&key);
        if is_endless || self.open_rules.len() >= MAX_OPEN {
            let how = match is_endless {
                true => "by means of itself".into(),
                false => format!("over more than {MAX_OPEN} others"),
            };
            let message = format!("member {}.{name} is translated {how}", t.output);
            let d = Diagnostic::new(Tag::XlateNoconv, span, message);
            self.fail(d.label("no way to a value"));
            return None;
        }
        self.open_rules.push(key.clone());
        let value = match &t.library {
            Some(source) => self.aside(source, span, |c| c.rule_value(&t, rule, ty)),
            None => self.rule_value(&t, rule, ty),
        };
        self.open_rules.pop();
        self.names.rules.insert(key, value.clone());
        Some(value)
    }

    fn rule_value(&mut self, t: &Translator, rule: &ast::Rule, ty: &Type) -> Expr {
        let value = self.body(vec![(t.param.clone(), t.input.clone())], &rule.value);
        let (name, output, span) = (&rule.name, &t.output, rule.value.span);
        if value.ty.is_error() {
            return value;
        }
        if !fits(ty, &value.ty) && !value.is_null_constant() {
            let message = format!(
                "translator member {name} definition uses incompatible types: {ty} = {}",
                value.ty
            );
            let d = Diagnostic::new(Tag::XlateIncompat, span, message)
                .label(format!("expected {ty}, found {}", value.ty));
            return self.fail(d.note(format!("{name} is a member of {output}")));
        }
        self.as_body(&format!("member {name}"), value, ty)
    }

    /// Checks the expression of an inline or a rule, with these names as its parameters.
    fn body(&mut self, params: Vec<(String, Type)>, e: &ast::Expr) -> Expr {
        let params = std::mem::replace(&mut self.params, params);
        let has_probe = std::mem::replace(&mut self.has_probe, false);
        let value = self.place(e);
        let value = match value.kind {
            Kind::Xlate(..) => value,
            _ => self.whole(value, e.span),
        };
        (self.params, self.has_probe) = (params, has_probe);
        value
    }

    fn as_body(&mut self, what: &str, value: Expr, ty: &Type) -> Expr {
        let (height, size) = MAX_BODY;
        if value.height > height || value.size > size {
            let message = format!("{what} is too large");
            return self.fail(Diagnostic::new(Tag::Unknown, value.span, message));
        }
        // Text keeps its type: an array of characters or a string.
        if value.ty.is_stringlike() && matches!(ty, Type::Array(..)) {
            return value;
        }
        convert(value, ty)
    }

    /// Checks `inline type name = init;` or `inline type name[type param] = init;`
    pub(super) fn declare_inline(&mut self, name: &ast::Declarator, ty: Type) {
        let Some(init) = &name.init else {
            let message = format!("inline definition expected for {}", name.name);
            self.fail(
                Diagnostic::new(Tag::Syntax, name.span, message).label("expected `= expression`"),
            );
            return;
        };
        let taken = self.names.variable(Scope::Global, &name.name).is_some()
            || vocabulary::builtin(&name.name).is_some()
            || self.names.inlines.get(&name.name).is_some_and(|i| !i.is_library);
        if taken {
            if self.library.is_none() {
                self.redeclared(&name.name, "already defined", Scope::Global, name);
            }
            return;
        }
        let Some(params) = self.inline_params(name) else { return };
        let types = params.iter().map(|p| p.1.clone()).collect();
        let value = self.body(params, init);
        let body = if value.ty.is_error() {
            value
        } else if !is_assignable(&ty, &value.ty) && !value.is_null_constant() {
            let message = format!(
                "inline {} definition uses incompatible types: {ty} = {}",
                name.name, value.ty
            );
            self.fail(Diagnostic::new(Tag::OpIncompat, init.span, message));
            return;
        } else {
            self.as_body(&format!("inline {}", name.name), value, &ty)
        };
        let inline = Inline { params: types, body, is_library: self.library.is_some() };
        self.names.inlines.insert(name.name.clone(), inline);
    }

    fn inline_params(&mut self, name: &ast::Declarator) -> Option<Vec<(String, Type)>> {
        let list = match name.arrays.as_slice() {
            [] => return Some(Vec::new()),
            [ast::Extent::Tuple(list)] if list.params.len() < 256 => list,
            _ => {
                let message = format!("an inline is a value or has parameters: {}", name.name);
                let d = Diagnostic::new(Tag::DeclArrsub, name.span, message);
                self.fail(d.label(format!("expected {}[type name, ..]", name.name)));
                return None;
            }
        };
        let types = self.key_types(list)?;
        let mut params = Vec::new();
        for (param, ty) in list.params.iter().zip(types.iter()) {
            params.push((param.name.name.clone(), ty.clone()));
        }
        Some(params)
    }

    /// Returns the inline of this name, from the program or a library.
    pub(super) fn inline(&mut self, name: &str, at: Span) -> Option<Inline> {
        let is_other = self.names.variable(Scope::Global, name).is_some()
            || vocabulary::builtin(name).is_some();
        if !self.names.inlines.contains_key(name) && !is_other {
            self.consult(Sort::Value, name, at);
        }
        self.names.inlines.get(name).cloned()
    }

    /// Returns the value of an inline without an index.
    pub(super) fn inlined(&mut self, name: &str, inline: &Inline, span: Span) -> Expr {
        if inline.params.is_empty() {
            return self.stand_for(name, &inline.body, Vec::new(), span);
        }
        let types: Vec<String> = inline.params.iter().map(|t| t.to_string()).collect();
        let message = format!("inline {name} has parameters: values for them are missing");
        let d = Diagnostic::new(Tag::IdentBadref, span, message);
        self.fail(d.label(format!("expected {name}[{}]", types.join(", "))))
    }

    /// Returns the value of `name[values]`.
    pub(super) fn inlined_with(
        &mut self,
        name: &str,
        inline: &Inline,
        values: &[ast::Expr],
        span: Span,
    ) -> Expr {
        match self.fitted(name, &inline.params, values, span) {
            Some(values) => self.stand_for(name, &inline.body, values, span),
            None => Expr::error(span),
        }
    }

    /// Replaces an inline or a rule by its expression.
    fn stand_for(&mut self, name: &str, body: &Expr, values: Vec<Expr>, span: Span) -> Expr {
        let mut before = Vec::new();
        let mut ready = Vec::new();
        let is_whole = !matches!(body.kind, Kind::Xlate(..));
        for value in values {
            // Each given value is computed once.
            let often = typed::params(body) > 1 && !value.ty.is_by_ref() && !is_simple(&value);
            let keep = is_whole && (often || !is_repeatable(&value));
            ready.push(match keep {
                true => match self.kept(value, &mut before) {
                    Some(value) => value,
                    None => return Expr::error(span),
                },
                false => value,
            });
        }
        let e = typed::filled(body, &ready, span);
        self.expanded = self.expanded.saturating_add(e.size);
        if self.expanded > MAX_EXPANDED || e.height > MAX_LEVELS {
            let message = format!("{name} stands for too much: the program becomes too large");
            return self.fail(Diagnostic::new(Tag::Unknown, span, message));
        }
        super::assign::after(before, e)
    }

    /// Writes the whole output of a translator into memory of the clause.
    pub(super) fn written_out(&mut self, id: u32, from: Expr, ty: Type, span: Span) -> Expr {
        let Some(t) = self.names.translators.get(id as usize).cloned() else {
            return Expr::error(span);
        };
        let Type::Struct(s) = &t.output else { return Expr::error(span) };
        // The empty name stands for the whole, because all members have names.
        let key = (id, String::new());
        if self.open_rules.contains(&key) || self.open_rules.len() >= MAX_OPEN {
            let message = format!("{} cannot be had as a whole: it leads to another one", t.output);
            let d = Diagnostic::new(Tag::XlateNoconv, span, message).label("has no end");
            return self.fail(d.hint("take the members that are needed"));
        }
        self.open_rules.push(key);
        let whole = self.write_rules(id, &t, s, from, span);
        self.open_rules.pop();
        match (whole, ty) {
            (Some(whole), Type::Pointer(_)) => whole,
            (Some(whole), ty) => Expr::new(Kind::Load(Box::new(whole)), ty, span),
            (None, _) => Expr::error(span),
        }
    }

    fn write_rules(
        &mut self,
        id: u32,
        t: &Translator,
        s: &Arc<Struct>,
        from: Expr,
        span: Span,
    ) -> Option<Expr> {
        let pointer = t.output.clone().pointer_to();
        let size = Expr::constant(self.size_of(&t.output).unwrap_or(0).into(), Int::SIZE, span);
        let memory = Expr::new(Kind::Call(Subr::Alloca, vec![size]), pointer.clone(), span);
        let mut before = Vec::new();
        let from = match is_simple(&from) {
            true => Some(from),
            false => self.kept(from, &mut before),
        };
        let (from, at) = (from?, self.kept(memory, &mut before)?);
        for rule in &t.rules {
            let name = MemberName { name: rule.name.clone(), is_arrow: false, span };
            let Some((offset, member)) = self.find(s, &name, span) else { continue };
            let value = self.translated(id, from.clone(), &name, span);
            let value = self.whole(value, span);
            let place = self.loaded(at.clone(), offset, &member, span);
            let set = self.put(place, value, span);
            if set.ty.is_error() {
                return None;
            }
            before.push(set);
        }
        Some(super::assign::after(before, at))
    }
}

/// Makes `*` of the pointer to a translator's output.
pub(super) fn dereferenced(e: Expr, span: Span) -> Expr {
    match (e.kind, e.ty) {
        (Kind::Xlate(id, from), Type::Pointer(to)) => {
            Expr::new(Kind::Xlate(id, from), (*to).clone(), span)
        }
        (kind, ty) => Expr::new(kind, ty, span),
    }
}
