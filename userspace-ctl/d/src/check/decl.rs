// SPDX-License-Identifier: GPL-2.0
//! Declarations, and the types that they name.

use super::Checker;
use std::sync::Arc;

use crate::ast::{Decl, Declarator, Extent, TypeName};
use crate::diag::{did_you_mean, Diagnostic, Tag};
use crate::library::Sort;
use crate::scope::Scope;
use crate::source::Span;
use crate::types::ctype::INTEGERS;
use crate::types::Type;
use crate::vocabulary;
use crate::world::TypeSpace;

/// Complains about words that do not modify this type. `sign` is true for `signed`.
fn ill_combined(
    word: &str,
    sign: Option<bool>,
    longs: u8,
    short: bool,
) -> Option<(Tag, &'static str)> {
    let modified = sign.is_some() || longs > 0 || short;
    match word {
        "void" if modified => Some((Tag::DeclVoidattr, "invalid attributes for void type")),
        "char" if short || longs > 0 => {
            Some((Tag::DeclCharattr, "invalid attributes for char type"))
        }
        "int" if short && longs > 0 => Some((Tag::Unknown, "short and long in one type")),
        "int" if longs > 2 => Some((Tag::DeclCombo, "too many longs in one type")),
        "int" | "char" => None,
        "double" if longs == 1 && sign.is_none() && !short => None,
        _ if sign.is_some() => {
            Some((Tag::DeclSignint, "signed and unsigned may only be used with integer type"))
        }
        _ if modified => Some((Tag::DeclLongint, "short and long may only be used with int")),
        _ => None,
    }
}

impl Checker<'_> {
    /// Returns the type that the words mean.
    pub(super) fn type_name(&mut self, name: &TypeName) -> Type {
        let mut ty = self.base_type(name);
        if ty.is_error() {
            return ty;
        }
        for _ in 0..name.pointers.min(16) {
            ty = ty.pointer_to();
        }
        if name.arrays.is_empty() {
            return ty;
        }
        let plain = Declarator::plain(String::new(), 0, name.span);
        self.declared(ty, &plain, &name.arrays)
    }

    fn base_type(&mut self, name: &TypeName) -> Type {
        let (mut sign, mut longs, mut short): (Option<bool>, u8, bool) = (None, 0, false);
        let mut base: Option<&(String, Span)> = None;
        let mut words = name.words.iter();
        while let Some(word) = words.next() {
            match word.0.as_str() {
                "const" | "volatile" | "restrict" => {}
                "signed" => sign = Some(true),
                "unsigned" => sign = Some(false),
                "short" => short = true,
                "long" => longs = longs.saturating_add(1),
                kind @ ("struct" | "union" | "enum") => {
                    let tag = words.next().map_or("", |(tag, _)| tag);
                    return self.tagged_type(kind, tag, name);
                }
                "userland" => {
                    self.later(Tag::TypeErr, name.span, "type userland is");
                    return Type::Error;
                }
                _ if base.is_some() => {
                    let message =
                        format!("invalid type combination: {}", self.source.slice(name.span));
                    self.fail(Diagnostic::new(Tag::DeclCombo, name.span, message));
                    return Type::Error;
                }
                _ => base = Some(word),
            }
        }
        let modified = sign.is_some() || longs > 0 || short;
        let word = base.map_or("int", |(w, _)| w.as_str());
        if base.is_none() && !modified {
            self.fail(
                Diagnostic::new(Tag::DeclIdent, name.span, "a type is missing")
                    .label("expected a type's name"),
            );
            return Type::Error;
        }
        if let Some((tag, message)) = ill_combined(word, sign, longs, short) {
            self.fail(Diagnostic::new(tag, name.span, message));
            return Type::Error;
        }
        let unsigned = sign == Some(false);
        let full = match (word, short, longs, unsigned) {
            ("char", _, _, true) => "unsigned char",
            ("int", true, _, false) => "short",
            ("int", true, _, true) => "unsigned short",
            ("int", _, 0, true) => "unsigned int",
            ("int", _, 1, false) => "long",
            ("int", _, 1, true) => "unsigned long",
            ("int", _, 2, false) => "long long",
            ("int", _, 2, true) => "unsigned long long",
            ("double", _, 1, _) => return Type::Float(16),
            ("double", ..) => return Type::Float(8),
            ("float", ..) => return Type::Float(4),
            (word, ..) => word,
        };
        if let Some(ty) = self.typedef(full) {
            return ty;
        }
        self.consult(Sort::Type, full, name.span);
        if let Some(ty) = self.typedef(full) {
            return ty;
        }
        if let Some(ty) = self.world.find_type(TypeSpace::Typedef, full) {
            return ty;
        }
        self.no_such_type(TypeSpace::Typedef, full, name.span)
    }

    /// Returns the struct, union or enumeration of this tag; or defines it, if it has a body.
    fn tagged_type(&mut self, kind: &str, tag: &str, name: &TypeName) -> Type {
        let space = match kind {
            "struct" => TypeSpace::Struct,
            "union" => TypeSpace::Union,
            _ => TypeSpace::Enum,
        };
        if let Some(body) = &name.body {
            return self.define_type(space, tag, body, name.span);
        }
        if !self.names.tags.contains_key(&(space, tag.to_string())) {
            self.consult(Sort::Tag, tag, name.span);
        }
        let found = match self.tagged(space, tag) {
            Some(ty) => ty,
            None if tag.is_empty() || !self.may_announce => {
                return self.no_such_type(space, tag, name.span);
            }
            None if space == TypeSpace::Enum => self.announce_enum(tag),
            // As in C, the definition may follow, but need not.
            None => Type::Struct(Arc::new(self.announce(space, tag))),
        };
        match self.ill_attributes(name) {
            Some((tag, message)) => {
                self.fail(Diagnostic::new(tag, name.span, message));
                Type::Error
            }
            None => found,
        }
    }

    /// Complains about words of integer types before a struct, a union or an enumeration.
    fn ill_attributes(&self, name: &TypeName) -> Option<(Tag, &'static str)> {
        let has = |words: [&str; 2]| name.words.iter().any(|(w, _)| words.contains(&w.as_str()));
        match () {
            () if has(["signed", "unsigned"]) => {
                Some((Tag::DeclSignint, "signed and unsigned may only be used with integer type"))
            }
            () if has(["short", "long"]) => {
                Some((Tag::DeclLongint, "short and long may only be used with int"))
            }
            () => None,
        }
    }

    /// Returns the type of this name in the program or the language.
    fn typedef(&self, name: &str) -> Option<Type> {
        self.names.typedefs.get(name).cloned().or_else(|| Type::named(name))
    }

    fn no_such_type(&mut self, space: TypeSpace, name: &str, span: Span) -> Type {
        let full = format!("{}{name}", space.prefix());
        let mut d = Diagnostic::new(Tag::TypeErr, span, format!("there is no type named {full}"))
            .label("unknown type");
        let mut near = self.world.nearest_types(space, name);
        if space == TypeSpace::Typedef {
            near.extend(INTEGERS.iter().map(|i| i.name.to_string()));
        }
        near.extend(self.settings.libraries.names(Sort::Type));
        let own = self.names.tags.keys().filter(|(s, _)| *s == space).map(|(_, tag)| tag.clone());
        d.hint = did_you_mean(name, near.into_iter().chain(own));
        self.fail(d);
        Type::Error
    }

    /// Checks a declaration at the top level.
    pub(super) fn declaration(&mut self, decl: &Decl) {
        if decl.names.is_empty() && self.declares_tag(decl) {
            return;
        }
        let base = self.type_name(&decl.ty);
        if decl.names.is_empty() {
            let message = "declaration declares nothing";
            self.fail(
                Diagnostic::new(Tag::DeclUseless, decl.span, message).label("expected a name"),
            );
            return;
        }
        let class = decl.class.as_ref().map(|(word, span)| (word.as_str(), *span));
        for name in &decl.names {
            let is_type = matches!(class, Some(("typedef", _)));
            let is_sized = !matches!(name.arrays.as_slice(), [Extent::Tuple(_), ..]);
            let arrays = if is_type || is_sized { name.arrays.as_slice() } else { &[] };
            let ty = self.declared(base.clone(), name, arrays);
            if ty.is_error() {
                continue;
            }
            if let Some(bits) = &name.bits {
                let d =
                    Diagnostic::new(Tag::Syntax, bits.span, "only members of structs have bits");
                self.fail(d);
                continue;
            }
            if let (Type::Function(_), Some((class @ ("self" | "this" | "inline"), span))) =
                (&ty, class)
            {
                let message = format!("{} is a function: it cannot be {class}", name.name);
                let d = Diagnostic::new(Tag::DeclBadclass, span, message);
                self.fail(d.hint(format!("a pointer to one can: (*{})(..)", name.name)));
                continue;
            }
            match class {
                // A prototype in a header: D cannot call the function.
                None | Some(("extern" | "static", _)) if matches!(ty, Type::Function(_)) => {}
                // Variables of system headers are not D variables.
                None | Some(("extern", _)) if self.is_lenient => {}
                // An array without a size is declared in full elsewhere.
                Some(("extern", _)) if matches!(ty, Type::Array(_, 0)) => {}
                None | Some(("extern", _)) => self.declare(Scope::Global, name, ty),
                Some(("self", _)) => self.declare(Scope::Thread, name, ty),
                Some(("this", _)) => self.declare(Scope::Local, name, ty),
                Some(("typedef", _)) => self.declare_type(name, ty),
                Some(("inline", _)) => self.declare_inline(name, ty),
                Some((other, span)) => {
                    let message = format!("specified storage class not appropriate in D: {other}");
                    self.fail(
                        Diagnostic::new(Tag::DeclBadclass, span, message)
                            .label("expected self, this, inline or typedef"),
                    );
                }
            }
        }
    }

    fn declare(&mut self, scope: Scope, name: &Declarator, ty: Type) {
        let full = format!("{}{}", scope.prefix(), name.name);
        let keys = match name.arrays.as_slice() {
            [Extent::Tuple(_)] if scope == Scope::Local => {
                let message = format!("local associative arrays are not supported: {full}");
                self.fail(
                    Diagnostic::new(Tag::DeclLocassc, name.span, message).hint(
                        "self-> arrays belong to a thread, arrays without a prefix are global",
                    ),
                );
                return;
            }
            [Extent::Tuple(types)] => match self.key_types(types) {
                Some(keys) => Some(keys),
                None => return,
            },
            [] | [Extent::Open | Extent::Count(_), ..] => None,
            [Extent::Tuple(_), ..] => {
                let message = format!("elements of an associative array cannot be arrays: {full}");
                self.fail(Diagnostic::new(Tag::DeclIncomplete, name.span, message));
                return;
            }
        };
        if let Some(init) = &name.init {
            let d = Diagnostic::new(
                Tag::Syntax,
                init.span,
                format!("{full} cannot be initialised where it is declared"),
            )
            .label("D variables start as 0")
            .hint(format!("assign it: dtrace:::BEGIN {{ {full} = ..; }}"));
            self.fail(d);
            return;
        }
        if ty == Type::Void {
            let message = format!("cannot have void object: {full}");
            self.fail(Diagnostic::new(Tag::DeclVoidobj, name.span, message));
            return;
        }
        let taken = scope == Scope::Global
            && (vocabulary::builtin(&name.name).is_some()
                || vocabulary::is_function(&name.name)
                || self.names.inlines.get(&name.name).is_some_and(|i| !i.is_library));
        if taken {
            self.redeclared(&full, "a name of D's own", scope, name);
            return;
        }
        if scope == Scope::Global && self.names.enumerators.contains_key(&name.name) {
            self.redeclared(&full, "already an enumeration's constant", scope, name);
            return;
        }
        if let Some(v) = self.names.variable(scope, &name.name) {
            let (old, old_keys) = (v.ty.clone(), v.keys.clone());
            if (old != ty || old_keys != keys) && !old.is_error() {
                let text = |ty: &Type, keys: &Option<Arc<[Type]>>| match keys {
                    None => ty.to_string(),
                    Some(keys) => {
                        let keys: Vec<_> = keys.iter().map(|k| k.to_string()).collect();
                        format!("{ty} [{}]", keys.join(", "))
                    }
                };
                let why = format!("already {}, now {}", text(&old, &old_keys), text(&ty, &keys));
                self.redeclared(&full, &why, scope, name);
            }
            return;
        }
        self.define_as(scope, &name.name, keys, ty, name.span);
    }

    pub(super) fn redeclared(&mut self, full: &str, why: &str, scope: Scope, name: &Declarator) {
        let message = format!("identifier redeclared: {full} is {why}");
        let mut d = Diagnostic::new(Tag::DeclIdred, name.span, message).label("declared again");
        if let Some(span) = self.names.places.get(&(scope, name.name.clone())) {
            d = d.other(*span, "first here");
        }
        self.fail(d);
    }

    fn declare_type(&mut self, name: &Declarator, ty: Type) {
        match self.typedef(&name.name) {
            Some(_) if self.library.is_some() => {}
            Some(old) if old != ty => {
                let message = format!("type redeclared: {} is already {old}", name.name);
                self.fail(Diagnostic::new(Tag::DeclTypered, name.span, message));
            }
            _ => {
                self.names.typedefs.insert(name.name.clone(), ty);
            }
        }
    }
}
