// SPDX-License-Identifier: GPL-2.0
//! Reading names: variables, builtins, inlines.

use super::convert::{convert, widened};
use super::member::is_in_register;
use super::provider::pointed;
use super::Checker;
use crate::ast::{self, Pseudo};
use crate::diag::{did_you_mean, Diagnostic, Tag};
use crate::library::Sort;
use crate::scope::{Scope, Variable};
use crate::source::Span;
use crate::typed::{Expr, Kind};
use crate::types::convert::is_assignable;
use crate::types::{Int, Type};
use crate::vocabulary;
use crate::world::TypeSpace;
use abi::dif::{Builtin, VarKind, REGISTERS};
use abi::difo::MAX_BY_REF;
use std::sync::Arc;

/// Names of DTrace that this version does not support.
const LATER: &[&str] = &["fp"];

impl From<Pseudo> for Scope {
    fn from(p: Pseudo) -> Scope {
        match p {
            Pseudo::Thread => Scope::Thread,
            Pseudo::Local => Scope::Local,
        }
    }
}

impl Checker<'_> {
    /// Checks the reading of a plain name.
    pub(super) fn identifier(&mut self, name: &str, span: Span) -> Expr {
        if let Some((n, (_, ty))) = (0u8..).zip(&self.params).find(|(_, p)| p.0 == name) {
            return Expr::new(Kind::Param(n), ty.clone(), span);
        }
        if let Some(inline) = self.inline(name, span) {
            return self.inlined(name, &inline, span);
        }
        if let Some(v) = self.names.variable(Scope::Global, name) {
            return self.scalar(v.clone(), span);
        }
        if LATER.contains(&name) {
            return self.later(Tag::VarUnsup, span, &format!("variable {name} is"));
        }
        if let Some(b) = vocabulary::builtin(name) {
            return self.builtin(b, span);
        }
        if name == "NULL" {
            return Expr::new(Kind::Int(0), Type::Void.pointer_to(), span);
        }
        if let Some((_, n)) = REGISTERS.iter().find(|(register, _)| *register == name) {
            return Expr::constant(*n, Int::INT, span);
        }
        match self.enumerators(name).as_slice() {
            [] if matches!(name, "jid" | "jailname") => {
                let message = format!("{name} is not available on Linux, which has no jails");
                let d = Diagnostic::new(Tag::VarUnsup, span, message).label("not on Linux");
                self.fail(d.hint("a container has its own namespaces: curthread->nsproxy"))
            }
            [] => match self.foresee(Scope::Global, name, span) {
                Some(v) => self.scalar(v, span),
                None => self.undefined(name, span),
            },
            [(value, int)] => Expr::constant(*value, *int, span),
            many => {
                let message = format!("{name} is ambiguous: enumerations differ in its value");
                // CAST: messages show the values signed, as C does.
                let values = many.iter().map(|(v, of)| match of.name {
                    "enum" => format!("{} in an enum without a name", *v as i64),
                    name => format!("{} in {name}", *v as i64),
                });
                let values: Vec<String> = values.take(8).collect();
                self.fail(
                    Diagnostic::new(Tag::IdentAmbig, span, message)
                        .label("which of them?")
                        .note(format!("it is {}", values.join(", ")))
                        .hint("write the number"),
                )
            }
        }
    }

    /// Checks a variable without an index.
    fn scalar(&mut self, v: Arc<Variable>, span: Span) -> Expr {
        let full = format!("{}{}", v.scope.prefix(), v.name);
        if let Some(keys) = &v.keys {
            let message = format!("{full} is an associative array: its keys are missing");
            let keys: Vec<_> = keys.iter().map(|k| k.to_string()).collect();
            return self.fail(
                Diagnostic::new(Tag::IdentBadref, span, message)
                    .label(format!("expected {full}[{}]", keys.join(", "))),
            );
        }
        let ty = v.ty.clone();
        Expr::new(Kind::Var(v), ty, span)
    }

    /// Returns the associative array of this name.
    pub(super) fn array(&self, scope: Scope, name: &str) -> Option<Arc<Variable>> {
        self.names.variable(scope, name).filter(|v| v.keys.is_some()).cloned()
    }

    /// [`Self::array`] for reading: the array may be one that is assigned later.
    pub(super) fn array_read(
        &mut self,
        scope: Scope,
        name: &str,
        at: Span,
    ) -> Option<Arc<Variable>> {
        let is_taken = self.names.variable(scope, name).is_some()
            || scope == Scope::Global
                && (vocabulary::builtin(name).is_some()
                    || self.names.enumerators.contains_key(name));
        match is_taken {
            true => self.array(scope, name),
            false => self.foresee(scope, name, at).filter(|v| v.keys.is_some()),
        }
    }

    /// Checks the reading of an element of an associative array.
    pub(super) fn entry(&mut self, v: Arc<Variable>, keys: &[ast::Expr], span: Span) -> Expr {
        let ty = v.ty.clone();
        match self.keys_of(&v, keys, span) {
            Some(keys) => Expr::new(Kind::Entry(v, keys), ty, span),
            None => Expr::error(span),
        }
    }

    /// Returns the keys for a known array, converted to its key types.
    pub(super) fn keys_of(
        &mut self,
        v: &Variable,
        keys: &[ast::Expr],
        span: Span,
    ) -> Option<Vec<Expr>> {
        let wanted = v.keys.clone().unwrap_or_default();
        self.fitted(&format!("{}{}", v.scope.prefix(), v.name), &wanted, keys, span)
    }

    /// Returns the values between brackets, converted to the types that the name expects.
    pub(super) fn fitted(
        &mut self,
        full: &str,
        wanted: &[Type],
        keys: &[ast::Expr],
        span: Span,
    ) -> Option<Vec<Expr>> {
        let keys: Vec<Expr> = keys.iter().map(|k| self.key(k)).collect();
        if keys.iter().any(|k| k.ty.is_error()) {
            return None;
        }
        if keys.len() != wanted.len() {
            let (n, m) = (keys.len(), wanted.len());
            let message = format!("{full}[ ] prototype mismatch: {n} keys passed, {m} expected");
            self.fail(
                Diagnostic::new(Tag::ProtoLen, span, message).label("another number of keys"),
            );
            return None;
        }
        let mut out = Vec::new();
        for (i, (key, ty)) in keys.into_iter().zip(wanted.iter()).enumerate() {
            // All pointer types are equal as keys.
            let both = matches!((ty, &key.ty), (Type::Pointer(_), Type::Pointer(_)));
            let null = key.is_null_constant() && matches!(ty, Type::Pointer(_));
            if !both && !null && !is_assignable(ty, &key.ty) {
                let message = format!(
                    "{full}[ ] key #{} is incompatible with prototype: expected {ty}, found {}",
                    i + 1,
                    key.ty
                );
                self.fail(
                    Diagnostic::new(Tag::ProtoArg, key.span, message)
                        .label(format!("expected {ty}, found {}", key.ty)),
                );
                return None;
            }
            out.push(widened(key, ty));
        }
        Some(out)
    }

    /// Returns the keys for a new array; their types become its key types. All integers become one
    /// type, so that a key is found again whatever its width.
    pub(super) fn keys_for_new(&mut self, keys: &[ast::Expr]) -> Option<Vec<Expr>> {
        let keys: Vec<Expr> = keys.iter().map(|k| self.key(k)).collect();
        if keys.iter().any(|k| k.ty.is_error()) {
            return None;
        }
        let wide = |k: Expr| match k.ty {
            Type::Int(_) => widened(k, &Type::Int(Int::INT64)),
            _ => k,
        };
        Some(keys.into_iter().map(wide).collect())
    }

    fn key(&mut self, key: &ast::Expr) -> Expr {
        let key = self.expr(key);
        match &key.ty {
            Type::Array(..) if key.ty.is_stringlike() => convert(key, &Type::String),
            Type::Int(_) | Type::Pointer(_) | Type::String | Type::Error => key,
            Type::Struct(_) | Type::Array(..)
                if !is_in_register(&key)
                    && key.ty.size(self.settings.strsize).is_some_and(|s| s <= MAX_BY_REF) =>
            {
                key
            }
            ty => {
                let message = format!("a value of type {ty} cannot be a key");
                self.fail(
                    Diagnostic::new(Tag::KeyType, key.span, message)
                        .label("expected a number, a pointer, a string or a struct"),
                )
            }
        }
    }

    fn builtin(&mut self, b: Builtin, span: Span) -> Expr {
        match b.kind() {
            VarKind::Array => {
                let message = format!("{} is an array: an index is missing", b.name());
                self.fail(
                    Diagnostic::new(Tag::IdentBadref, span, message)
                        .label(format!("expected {}[N]", b.name())),
                )
            }
            VarKind::Scalar | VarKind::String => {
                let ty = match b {
                    Builtin::Curthread => self.pointer_to("task_struct"),
                    _ => Type::from_table(b.type_name()).unwrap_or(Type::Int(Int::INT64)),
                };
                Expr::new(Kind::Builtin(b), ty, span)
            }
        }
    }

    /// Returns a pointer to a struct of the kernel, or `void *` if the kernel's types are not
    /// known.
    pub(super) fn pointer_to(&self, tag: &str) -> Type {
        self.world.find_type(TypeSpace::Struct, tag).unwrap_or(Type::Void).pointer_to()
    }

    /// Returns the values of an enumeration constant; several if enumerations of the kernel differ.
    fn enumerators(&self, name: &str) -> Vec<(u64, Int)> {
        match self.names.enumerators.get(name) {
            Some(own) => vec![*own],
            None => {
                let found = self.world.enum_constants(name);
                found.into_iter().filter_map(|(value, ty)| Some((value, ty.int()?))).collect()
            }
        }
    }

    fn undefined(&mut self, name: &str, span: Span) -> Expr {
        let what = "Unknown variable name";
        let message = format!("failed to resolve {name}: {what}");
        let mut d = Diagnostic::new(Tag::IdentUndef, span, message).label("not known here");
        let written = self.source.slice(span).to_string();
        if written.starts_with('$') {
            return self.fail(d.hint(format!("${written} is it as a string")));
        }
        if vocabulary::is_function(name) {
            d = d.note(format!("{name} is a function")).hint(format!("call it: {name}(..)"));
            return self.fail(d);
        }
        for scope in [Scope::Thread, Scope::Local] {
            if self.names.variable(scope, name).is_some() {
                return self.fail(d.hint(format!("did you mean `{}{name}`?", scope.prefix())));
            }
        }
        let names = Builtin::ALL.iter().map(|b| b.name().to_string());
        let names: Vec<String> = names
            .chain(self.names.variables(Scope::Global))
            .chain(self.names.inlines.keys().cloned())
            .chain(self.settings.libraries.names(Sort::Value))
            .collect();
        d.hint = did_you_mean(name, names);
        if d.hint.is_none() {
            d = d.note("a variable exists from its first assignment on");
        }
        self.fail(d)
    }

    /// Checks the reading of `self->x` or `this->x`.
    pub(super) fn scoped(&mut self, pseudo: Pseudo, name: &str, span: Span) -> Expr {
        let scope = Scope::from(pseudo);
        if let Some(v) = self.names.variable(scope, name) {
            return self.scalar(v.clone(), span);
        }
        if let Some(v) = self.foresee(scope, name, span) {
            return self.scalar(v, span);
        }
        let full = format!("{}{name}", scope.prefix());
        let message = format!("{full} has not yet been declared or assigned");
        let mut d = Diagnostic::new(Tag::VarUndef, span, message).label("not known here");
        d.hint = did_you_mean(name, self.names.variables(scope)).or_else(|| {
            Some(format!(
                "assign it in an earlier clause, or declare it: {} int {name};",
                scope.keyword()
            ))
        });
        self.fail(d)
    }

    /// Checks `uregs[R_RIP]` and `regs[R_RIP]`.
    fn register(&mut self, of: Builtin, indices: &[ast::Expr], span: Span) -> Expr {
        let name = of.name();
        let names = "R_RIP, R_RSP, R_RAX .. are the names of registers";
        let [index] = indices else {
            let message = format!("{name}[] has one index, found {}", indices.len());
            return self.fail(Diagnostic::new(Tag::RegsIdx, span, message).hint(names));
        };
        let index = self.expr(index);
        if !index.ty.is_error() && index.ty.int().is_none() {
            let message = format!("index of {name}[] must be an integer, found {}", index.ty);
            return self.fail(Diagnostic::new(Tag::RegsIdx, index.span, message).hint(names));
        }
        let most = REGISTERS.iter().map(|r| r.1).max().unwrap_or(0);
        if let Some(n) = index.as_constant().filter(|n| *n > most) {
            // CAST: the message shows the number signed, as written.
            let message = format!("index {} is out of range for {name}[{}]", n as i64, most + 1);
            let d = Diagnostic::new(Tag::RegsIdx, index.span, message);
            return self.fail(d.label(format!("expected 0 to {most}")).hint(names));
        }
        let ty = Type::from_table(of.type_name()).unwrap_or(Type::Int(Int::INT64));
        Expr::new(Kind::Element(of, Box::new(index)), ty, span)
    }

    /// Checks `args[N]` and the like; returns `None` if the name is not a builtin array.
    pub(super) fn builtin_array(
        &mut self,
        name: &str,
        indices: &[ast::Expr],
        span: Span,
    ) -> Option<Expr> {
        if self.names.variable(Scope::Global, name).is_some() {
            return None;
        }
        let b = vocabulary::builtin(name).filter(|b| b.kind() == VarKind::Array)?;
        Some(match b {
            Builtin::Uregs | Builtin::Regs => self.register(b, indices, span),
            Builtin::Vmregs => {
                let message =
                    "vmregs[] is not supported: only the hypervisor knows the registers of a virtual machine";
                let d = Diagnostic::new(Tag::VarUnsup, span, message);
                self.fail(d.hint("regs[] are those of the kernel, uregs[] those of the process"))
            }
            _ => match self.args_index(indices, span) {
                Ok((n, at)) => self.argument(b, n, at, span),
                Err(e) => e,
            },
        })
    }

    /// Returns the index of an element of `args[]`, and its place; an error if a complaint was
    /// made, or if the element has no probe.
    fn args_index(&mut self, indices: &[ast::Expr], span: Span) -> Result<(u64, Span), Expr> {
        let [index] = indices else {
            let message = format!("args[] has one index, found {}", indices.len());
            return Err(self.fail(Diagnostic::new(Tag::ArgsType, span, message)));
        };
        let index = self.expr(index);
        if index.ty.is_error() {
            return Err(index);
        }
        let (Some(n), Some(_)) = (index.as_constant(), index.ty.int()) else {
            let d = Diagnostic::new(
                Tag::ArgsType,
                index.span,
                "index of args[] must be an integer constant",
            )
            .label("the type of the argument depends on it");
            return Err(self.fail(d));
        };
        if !self.has_probe {
            let message = format!("args[{n}]: there is no probe here");
            return Err(self.fail(Diagnostic::new(Tag::ArgsNone, span, message)));
        }
        if self.is_missing {
            return Err(Expr::error(span));
        }
        Ok((n, index.span))
    }

    /// Checks `args[n]`; `at` is the place of the index.
    fn argument(&mut self, b: Builtin, n: u64, at: Span, span: Span) -> Expr {
        let typed = self.signature.clone();
        let most = match &typed {
            Some(signature) => signature.args.len() as u64,
            None => self.nargs.map_or(256, u64::from),
        };
        if n >= most {
            let message = format!("index {n} is out of range for args[{most}]");
            let d = Diagnostic::new(Tag::ArgsIdx, span, message);
            return self.fail(match most {
                0 => d.label("the probe passes no arguments"),
                _ => d.label(format!("expected 0 to {}", most - 1)),
            });
        }
        let element = |n: u64, ty: Type| {
            let index = Expr::constant(n, Int::INT64, at);
            Expr::new(Kind::Element(b, Box::new(index)), ty, span)
        };
        // The first ten arguments have variables of their own, which take one instruction less.
        let slot = |n: u8, ty: Type| match Builtin::Arg0.id().checked_add(n.into()) {
            Some(id) if n < 10 => match Builtin::from_id(id) {
                Some(arg) => Expr::new(Kind::Builtin(arg), ty, span),
                None => element(n.into(), ty),
            },
            _ => element(n.into(), ty),
        };
        let number = Type::from_table(b.type_name()).unwrap_or(Type::Int(Int::INT64));
        // CAST: below 256.
        let Some(arg) = typed.as_ref().and_then(|s| s.args.get(n as usize)) else {
            return element(n, number);
        };
        if let Some(name) = &arg.unknown {
            let message = format!("args[{n}] is of type {name}, which is not known");
            let mut d = Diagnostic::new(Tag::ArgsType, span, message);
            d = d.label("the program has only the name of the type");
            let base = name.trim_end_matches([' ', '*']);
            d = d.hint(match arg.slot {
                Some(slot) => format!("declare {base} in the script; or use arg{slot}, a number"),
                None => format!("declare {base} in the script"),
            });
            return self.fail(d);
        }
        let ty = self.complete(arg.native.as_ref().unwrap_or(&arg.ty));
        let is_small = matches!(&ty, Type::Struct(s) if s.size.is_some_and(|s| s <= 8));
        let value = match (arg.slot, &ty) {
            // The bits above a smaller number in its register are undefined.
            (Some(n), Type::Int(i)) if i.size < 8 => convert(slot(n, number), &ty),
            (Some(n), Type::Int(_) | Type::Pointer(_)) => slot(n, ty),
            // The bits are those of the number in memory.
            (Some(n), Type::Float(4 | 8)) => slot(n, ty),
            (Some(n), Type::Struct(_)) if is_small => slot(n, ty),
            _ => {
                let message = format!("args[{n}] is passed in a way that D cannot read: {ty}");
                let d = Diagnostic::new(Tag::ArgsType, span, message).label("no single register");
                return self.fail(d);
            }
        };
        let Some(native) = &arg.native else { return value };
        match self.translator_for(pointed(&arg.ty), native, span) {
            Some(id) => self.translation(id, arg.ty.clone(), value, span),
            None if is_assignable(&arg.ty, native) => convert(value, &arg.ty),
            None => {
                self.no_translator(Tag::ArgsXlator, &native.to_string(), &arg.ty, span);
                Expr::error(span)
            }
        }
    }
}

impl Scope {
    /// Returns the word that begins a declaration.
    pub const fn keyword(self) -> &'static str {
        match self {
            Self::Global => "",
            Self::Thread => "self",
            Self::Local => "this",
        }
    }
}
