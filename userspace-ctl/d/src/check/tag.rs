// SPDX-License-Identifier: GPL-2.0
//! Definitions of structs, unions and enumerations in a program, laid out by the x86-64 ABI.

use std::collections::HashSet;
use std::sync::Arc;

use super::Checker;
use crate::ast::{self, Body, Decl, Declarator, Extent};
use crate::diag::{Diagnostic, Tag};
use crate::scope::Scope;
use crate::source::Span;
use crate::types::{Int, Member, Struct, StructId, StructKind, Type};
use crate::vocabulary;
use crate::world::TypeSpace;

/// The largest type, in bytes: offsets are counted in bits and must fit 32 bits.
const MAX_SIZE: u32 = 1 << 28;
/// The most levels of pointers to arrays of pointers and so on.
const MAX_LEVELS: usize = 48;
/// The deepest nesting of structs in the search for an alignment.
const MAX_NESTING: u8 = 16;

impl Checker<'_> {
    /// Checks `struct name;` and `struct name { .. };`, which declare no variable; returns whether
    /// this is one.
    pub(super) fn declares_tag(&mut self, decl: &Decl) -> bool {
        let words: Vec<&str> = decl.ty.words.iter().map(|w| w.0.as_str()).collect();
        let (space, tag) = match words.as_slice() {
            ["struct", tag] => (TypeSpace::Struct, *tag),
            ["union", tag] => (TypeSpace::Union, *tag),
            ["enum", _] | ["enum"] if decl.ty.body.is_some() || words.len() > 1 => {
                self.type_name(&decl.ty);
                return true;
            }
            _ => return false,
        };
        if decl.ty.body.is_some() {
            self.type_name(&decl.ty);
        } else if self.tagged(space, tag).is_none() {
            self.announce(space, tag);
        }
        true
    }

    fn next_id(&mut self) -> StructId {
        let id = StructId(StructId::PROGRAM + self.names.next_struct);
        self.names.next_struct += 1;
        id
    }

    /// Announces a tag whose definition follows.
    pub(super) fn announce(&mut self, space: TypeSpace, tag: &str) -> Struct {
        let id = self.next_id();
        let kind = match space {
            TypeSpace::Union => StructKind::Union,
            _ => StructKind::Struct,
        };
        let s = Struct { kind, tag: tag.into(), alias: String::new(), size: None, id };
        if !tag.is_empty() {
            self.names.tags.insert((space, tag.into()), Type::Struct(Arc::new(s.clone())));
        }
        s
    }

    /// Announces an enumeration, which has the size of an int.
    pub(super) fn announce_enum(&mut self, tag: &str) -> Type {
        let Some(int) = Int::new(4, true, &format!("enum {tag}")) else { return Type::Error };
        let ty = Type::Int(Int { enumeration: Some(self.next_id()), ..int });
        self.names.forward_enums.insert(tag.into());
        self.names.tags.insert((TypeSpace::Enum, tag.into()), ty.clone());
        ty
    }

    /// Defines a type with its `{ .. }`.
    pub(super) fn define_type(
        &mut self,
        space: TypeSpace,
        tag: &str,
        body: &Body,
        span: Span,
    ) -> Type {
        let known = self.names.tags.get(&(space, tag.to_string()));
        let is_announced = space == TypeSpace::Enum && self.names.forward_enums.remove(tag);
        if known.is_some_and(|t| t.size(0).is_some()) && !is_announced {
            let message = format!("type redeclared: {}{tag}", space.prefix());
            self.fail(Diagnostic::new(Tag::DeclTypered, span, message).label("defined again"));
            return Type::Error;
        }
        match body {
            Body::Members(list) => self.define_struct(space, tag, list),
            Body::Constants(list) => self.define_enum(tag, list),
        }
    }

    fn define_struct(&mut self, space: TypeSpace, tag: &str, list: &[Decl]) -> Type {
        // The members may point to the struct itself.
        let mut s = self.announce(space, tag);
        let mut layout = Layout { is_union: space == TypeSpace::Union, ..Layout::default() };
        let mut members = Vec::new();
        let mut names = HashSet::new();
        for decl in list {
            let base = self.type_name(&decl.ty);
            if base.is_error() {
                return Type::Error;
            }
            if decl.names.is_empty() {
                let is_nameless = matches!(&base, Type::Struct(s) if s.tag.is_empty());
                if !is_nameless {
                    let d = Diagnostic::new(Tag::DeclMname, decl.span, "a member without a name");
                    self.fail(d.label("expected a name"));
                    return Type::Error;
                }
                let Some(at) = self.place_member(&mut layout, &base, None) else {
                    return Type::Error;
                };
                members.push(Member { name: String::new(), ty: base, offset: at, bits: None });
                continue;
            }
            for name in &decl.names {
                let ty = self.declared(base.clone(), name, &name.arrays);
                let Some(bits) = self.bits(&ty, name) else { return Type::Error };
                if ty.is_error() {
                    return Type::Error;
                }
                if !name.name.is_empty() && !names.insert(name.name.clone()) {
                    let message =
                        format!("identifier redeclared: {} is a member already", name.name);
                    self.fail(Diagnostic::new(Tag::Unknown, name.span, message));
                    return Type::Error;
                }
                let is_open = matches!(&ty, Type::Array(_, 0));
                if self.size_of(&ty).is_none() && !is_open {
                    let message = format!("member {} has a type of unknown size: {ty}", name.name);
                    self.fail(Diagnostic::new(Tag::DeclIncomplete, name.span, message));
                    return Type::Error;
                }
                let Some(at) = self.place_member(&mut layout, &ty, bits) else {
                    let message = format!("member {} makes the type too large", name.name);
                    self.fail(Diagnostic::new(Tag::DeclArrbig, name.span, message));
                    return Type::Error;
                };
                if !name.name.is_empty() {
                    let (name, ty) = (name.name.clone(), self.complete(&ty));
                    members.push(Member { name, ty, offset: at, bits });
                }
            }
        }
        let align = layout.align.max(1);
        s.size = Some(layout.end.div_ceil(8).next_multiple_of(align));
        self.names.structs.insert(s.id.0, members.into());
        self.names.aligns.insert(s.id.0, align);
        let ty = Type::Struct(Arc::new(s));
        if !tag.is_empty() {
            self.names.tags.insert((space, tag.into()), ty.clone());
        }
        ty
    }

    fn define_enum(&mut self, tag: &str, list: &[Declarator]) -> Type {
        let name = if tag.is_empty() { "enum {..}".to_string() } else { format!("enum {tag}") };
        let Some(int) = Int::new(4, true, &name) else { return Type::Error };
        let int = Int { enumeration: Some(self.next_id()), ..int };
        let mut next = 0i64;
        for c in list {
            if let Some(init) = &c.init {
                let e = self.expr(init);
                match (e.as_constant(), e.ty.int()) {
                    // CAST: a constant is kept extended by its own sign.
                    (Some(v), Some(_)) => next = v as i64,
                    _ if e.ty.is_error() => return Type::Error,
                    _ => {
                        let message = format!("value of {} must be an integer constant", c.name);
                        self.fail(Diagnostic::new(Tag::DeclEnconst, e.span, message));
                        return Type::Error;
                    }
                }
            }
            let Ok(value) = i32::try_from(next) else {
                let message = format!("value of {} is not in the range of int: {next}", c.name);
                self.fail(Diagnostic::new(Tag::DeclEnoflow, c.span, message));
                return Type::Error;
            };
            let taken = self.names.enumerators.contains_key(&c.name)
                || self.names.variable(Scope::Global, &c.name).is_some()
                || vocabulary::builtin(&c.name).is_some();
            if taken && (self.library.is_some() || self.is_lenient) {
                next = i64::from(value) + 1;
                continue;
            }
            if taken {
                let message = format!("identifier redeclared: {}", c.name);
                // A constant of this list is not yet a name of the program.
                let is_own = list.iter().filter(|other| other.name == c.name).count() > 1;
                let tag = if is_own { Tag::Unknown } else { Tag::DeclIdred };
                self.fail(Diagnostic::new(tag, c.span, message));
                return Type::Error;
            }
            // CAST: constants are kept extended by their sign.
            self.names.enumerators.insert(c.name.clone(), (i64::from(value) as u64, int));
            next = i64::from(value) + 1;
        }
        let ty = Type::Int(int);
        if !tag.is_empty() {
            self.names.tags.insert((TypeSpace::Enum, tag.into()), ty.clone());
        }
        ty
    }

    /// Applies the stars and brackets around the name to the base type.
    pub(super) fn declared(&mut self, base: Type, name: &Declarator, arrays: &[Extent]) -> Type {
        let mut ty = base;
        for _ in 0..name.pointers.min(16) {
            ty = ty.pointer_to();
        }
        let inner =
            name.inner.as_ref().map_or((0, &[][..]), |(stars, arrays)| (*stars, arrays.as_slice()));
        let around = arrays.len().saturating_add(inner.1.len()).saturating_add(inner.0.into());
        let levels = ty.levels().saturating_add(around);
        if levels > MAX_LEVELS {
            let message =
                format!("type of {} has {levels} levels: {MAX_LEVELS} at most", name.name);
            self.fail(Diagnostic::new(Tag::DeclCombo, name.span, message));
            return Type::Error;
        }
        ty = match &name.function {
            Some(prototype) => self.function_type(ty, prototype),
            None => self.arrayed(ty, name, arrays),
        };
        for _ in 0..inner.0 {
            ty = ty.pointer_to();
        }
        self.arrayed(ty, name, inner.1)
    }

    /// Returns arrays of this type.
    fn arrayed(&mut self, mut ty: Type, name: &Declarator, arrays: &[Extent]) -> Type {
        for extent in arrays.iter().rev() {
            let count = match extent {
                Extent::Open => 0,
                Extent::Count(e) => match self.count(e) {
                    Some(count) => count,
                    None => return Type::Error,
                },
                Extent::Tuple(_) => {
                    let message = format!("the size of array {} must be a number", name.name);
                    self.fail(Diagnostic::new(Tag::DeclArrsub, name.span, message));
                    return Type::Error;
                }
            };
            let is_sized = matches!(ty, Type::Array(_, 0));
            if ty.is_error() || is_sized {
                if is_sized {
                    let message = format!("an array of arrays without a size: {}", name.name);
                    self.fail(Diagnostic::new(Tag::DeclArrnull, name.span, message));
                }
                return Type::Error;
            }
            ty = self.complete(&ty).array_of(count);
        }
        if !arrays.is_empty() {
            match ty.size(self.settings.strsize) {
                Some(size) if size <= MAX_SIZE => {}
                found => {
                    let (tag, message) = match found {
                        Some(_) => (Tag::DeclArrbig, format!("array {} is too large", name.name)),
                        None if matches!(ty, Type::Array(ref of, _) if self.size_of(of).is_none()) =>
                        {
                            let what = format!("array {} of elements of unknown size", name.name);
                            (Tag::DeclIncomplete, what)
                        }
                        None => (Tag::DeclArrbig, format!("array {} is too large", name.name)),
                    };
                    self.fail(
                        Diagnostic::new(tag, name.span, message).label(format!("this is {ty}")),
                    );
                    return Type::Error;
                }
            }
        }
        ty
    }

    fn count(&mut self, e: &ast::Expr) -> Option<u32> {
        let value = self.expr(e);
        if value.ty.is_error() {
            return None;
        }
        let (Some(n), Some(int)) = (value.as_constant(), value.ty.int()) else {
            let message = "array size must be an integer constant";
            self.fail(Diagnostic::new(Tag::DeclArrsub, value.span, message));
            return None;
        };
        // CAST: `u32::try_from` refuses a negative number, too.
        let is_negative = int.signed && (n as i64) < 0;
        match u32::try_from(n) {
            Ok(n) if n > 0 => Some(n),
            Ok(_) => {
                let message = "array size must not be 0";
                self.fail(Diagnostic::new(Tag::DeclArrnull, value.span, message));
                None
            }
            Err(_) => {
                let (tag, what) = match is_negative {
                    true => (Tag::DeclArrsub, "negative"),
                    false => (Tag::DeclArrbig, "too large"),
                };
                self.fail(Diagnostic::new(tag, value.span, format!("array size is {what}")));
                None
            }
        }
    }

    /// Returns the number of bits of a bit field; `Some(None)` for other members, `None` after a
    /// complaint.
    fn bits(&mut self, ty: &Type, name: &Declarator) -> Option<Option<u8>> {
        let Some(e) = &name.bits else { return Some(None) };
        let Type::Int(int) = ty else {
            if !ty.is_error() {
                let message = format!("bit field {} must be an integer, is {ty}", name.name);
                self.fail(Diagnostic::new(Tag::DeclBftype, name.span, message));
            }
            return None;
        };
        let value = self.expr(e);
        let (Some(n), Some(_)) = (value.as_constant(), value.ty.int()) else {
            if !value.ty.is_error() {
                let message = "bit-field size must be an integer constant";
                self.fail(Diagnostic::new(Tag::DeclBfconst, value.span, message));
            }
            return None;
        };
        let most = 8 * u64::from(int.size);
        let least = u64::from(!name.name.is_empty());
        match u8::try_from(n) {
            Ok(bits) if (least..=most).contains(&n) => Some(Some(bits)),
            _ => {
                let message = format!("bit field {} of {ty} has {least} to {most} bits", name.name);
                self.fail(Diagnostic::new(Tag::DeclBfsize, value.span, message));
                None
            }
        }
    }

    /// Returns the offset of a new member in bits; `None` if it does not fit.
    fn place_member(&mut self, l: &mut Layout, ty: &Type, bits: Option<u8>) -> Option<u32> {
        let size = match ty {
            Type::Array(_, 0) => 0,
            _ => self.size_of(ty)?.checked_mul(8)?,
        };
        let align = self.align_of(ty, 0);
        let end = if l.is_union { 0 } else { l.end };
        let at = match bits {
            // A bit field that does not fit the rest of its type's unit begins the next unit.
            Some(0) => end.checked_next_multiple_of(size)?,
            Some(bits) if end % size + u32::from(bits) <= size => end,
            Some(_) => end.checked_next_multiple_of(size)?,
            None => end.checked_next_multiple_of(align.checked_mul(8)?)?,
        };
        let after = at.checked_add(bits.map_or(size, u32::from))?;
        l.end = l.end.max(after);
        l.align = l.align.max(align);
        (l.end / 8 <= MAX_SIZE).then_some(at)
    }

    fn align_of(&self, ty: &Type, depth: u8) -> u32 {
        match ty {
            Type::Int(i) => u32::from(i.size),
            Type::Array(of, _) => self.align_of(of, depth),
            Type::Struct(s) if self.names.aligns.contains_key(&s.id.0) => {
                self.names.aligns.get(&s.id.0).copied().unwrap_or(1)
            }
            Type::Struct(s) if depth < MAX_NESTING => {
                let members = self.members(s).unwrap_or_default();
                members.iter().map(|m| self.align_of(&m.ty, depth + 1)).max().unwrap_or(1)
            }
            Type::Float(4) => 4,
            Type::Float(16) => 16,
            Type::String => 1,
            _ => 8,
        }
    }
}

/// A struct under construction: `end` in bits, `align` in bytes.
#[derive(Default)]
struct Layout {
    is_union: bool,
    end: u32,
    align: u32,
}
