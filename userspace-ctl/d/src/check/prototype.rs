// SPDX-License-Identifier: GPL-2.0
//! Parameters: of functions, to which D can point but which it cannot call, and of associative
//! arrays, where they are the keys.

use std::sync::Arc;

use super::Checker;
use crate::ast::{Extent, Param, Prototype};
use crate::diag::{Diagnostic, Tag};
use crate::types::{Function, Type};

impl Checker<'_> {
    /// Returns the type of a function with this result.
    pub(super) fn function_type(&mut self, result: Type, prototype: &Prototype) -> Type {
        if result.is_error() {
            return result;
        }
        let mut params = Vec::new();
        let is_only = prototype.params.len() == 1 && prototype.dots.is_none();
        for param in &prototype.params {
            let Some(ty) = self.param(param, "a function") else { return Type::Error };
            if ty != Type::Void {
                // A function pointer as parameter loses its type: D cannot call the function.
                params.push(if leads_to_function(&ty) { Type::Void.pointer_to() } else { ty });
            } else if !is_only {
                return self.void_among("a function", param);
            }
        }
        // `f()` declares nothing about its parameters.
        let is_variadic = prototype.dots.is_some() || prototype.params.is_empty();
        Type::Function(Arc::new(Function { result, params, is_variadic }))
    }

    /// Returns the types of a declared array's keys.
    pub(super) fn key_types(&mut self, prototype: &Prototype) -> Option<Arc<[Type]>> {
        self.without_dots(
            prototype,
            "an associative array may not have a variable number of keys",
        )?;
        let mut types = Vec::new();
        for param in &prototype.params {
            match self.param(param, "an associative array")? {
                Type::Void => {
                    self.void_among("an associative array", param);
                    return None;
                }
                ty @ (Type::Int(_) | Type::Pointer(_) | Type::String) => types.push(ty),
                ty @ Type::Struct(_) if self.size_of(&ty).is_some() => types.push(ty),
                ty => {
                    let message = format!("a value of type {ty} cannot be a key");
                    let d = Diagnostic::new(Tag::DeclProtoType, param.span, message);
                    self.fail(d.label("expected a number, a pointer, a string or a struct"));
                    return None;
                }
            }
        }
        Some(types.into())
    }

    /// Returns names and types of the arguments that a probe passes, or that scripts see.
    pub(super) fn probe_params(&mut self, prototype: &Prototype) -> Option<Vec<(String, Type)>> {
        self.without_dots(prototype, "a probe may not have a variable number of arguments")?;
        let mut params = Vec::new();
        for param in &prototype.params {
            match self.param(param, "a probe")? {
                Type::Void if prototype.params.len() == 1 => {}
                Type::Void => {
                    self.void_among("a probe", param);
                    return None;
                }
                ty => params.push((param.name.name.clone(), ty)),
            }
        }
        Some(params)
    }

    fn without_dots(&mut self, prototype: &Prototype, message: &str) -> Option<()> {
        let Some(dots) = prototype.dots else { return Some(()) };
        let d = Diagnostic::new(Tag::DeclProtoVarargs, dots, message);
        self.fail(d.label("expected a type"));
        None
    }

    fn param(&mut self, param: &Param, of: &str) -> Option<Type> {
        if let Some((class, span)) = param.class.as_ref().filter(|c| c.0 != "register") {
            let message =
                format!("storage class {class} is not appropriate for a parameter of {of}");
            let d = Diagnostic::new(Tag::DeclParmclass, *span, message);
            self.fail(d.label("expected a type"));
            return None;
        }
        let base = self.type_name(&param.ty);
        let associative = param.name.arrays.iter().find(|a| matches!(a, Extent::Tuple(_)));
        if associative.is_some() {
            let message = format!("a parameter of {of} cannot be an associative array");
            self.fail(Diagnostic::new(Tag::DeclProtoType, param.span, message));
            return None;
        }
        // As in C, an array is a pointer to its first element, whatever its size.
        let (outer, arrays) = match param.name.arrays.split_first() {
            Some((_, rest)) if param.name.inner.is_none() => (true, rest),
            _ => (false, param.name.arrays.as_slice()),
        };
        let ty = match self.declared(base, &param.name, arrays) {
            Type::Error => return None,
            ty @ Type::Function(_) => ty.pointer_to(),
            ty if outer => ty.pointer_to(),
            ty => ty,
        };
        if ty == Type::Void && !param.name.name.is_empty() {
            let message =
                format!("void has no values: parameter {} cannot be void", param.name.name);
            let d = Diagnostic::new(Tag::DeclProtoName, param.span, message);
            self.fail(d.label("expected void without a name, or another type"));
            return None;
        }
        Some(ty)
    }

    fn void_among(&mut self, of: &str, param: &Param) -> Type {
        let message = match of {
            "an associative array" => "a key of an associative array cannot be void".into(),
            of => format!("void must be the only parameter of {of}"),
        };
        self.fail(Diagnostic::new(Tag::DeclProtoVoid, param.span, message).label("void"));
        Type::Error
    }
}

/// Tells whether the type contains a function. This bounds the nesting of parameters in parameters.
fn leads_to_function(ty: &Type) -> bool {
    match ty {
        Type::Function(_) => true,
        Type::Pointer(to) | Type::Array(to, _) => leads_to_function(to),
        _ => false,
    }
}
