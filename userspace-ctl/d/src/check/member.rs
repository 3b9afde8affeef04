// SPDX-License-Identifier: GPL-2.0
//! Structs, unions, arrays: members, bit fields, addresses.
//!
//! The value of a struct or an array is its address, so `a->b.c` is one sum and at most one load. A
//! small struct that is passed by value lies in a register instead; its members are shifted out of
//! the register.

use std::sync::Arc;

use super::Checker;
use crate::ast::{self, BinOp, MemberName};
use crate::diag::{did_you_mean, Diagnostic, Tag};
use crate::source::Span;
use crate::typed::{Expr, Kind};
use crate::types::{Int, Member, Struct, StructId, StructKind, Type};
use crate::world::TypeSpace;
use abi::difo::MAX_BY_REF;

/// The deepest nesting of structs without a name.
const MAX_NESTING: u8 = 16;

impl Checker<'_> {
    /// Returns the members of a struct of the program or of the world.
    pub(super) fn members(&self, s: &Struct) -> Option<Arc<[Member]>> {
        match s.id {
            StructId(id) if id >= StructId::PROGRAM => self.names.structs.get(&id).cloned(),
            id => self.world.members(id),
        }
    }

    /// Returns the definition of a struct of which only the name was known before.
    pub(super) fn complete(&self, ty: &Type) -> Type {
        match ty {
            Type::Struct(s) if s.size.is_none() && !s.tag.is_empty() => {
                let space = match s.kind {
                    StructKind::Struct => TypeSpace::Struct,
                    StructKind::Union => TypeSpace::Union,
                };
                self.tagged(space, &s.tag).unwrap_or_else(|| ty.clone())
            }
            Type::Array(of, count) => self.complete(of).array_of(*count),
            _ => ty.clone(),
        }
    }

    /// Returns `struct tag` of the program or of the world.
    pub(super) fn tagged(&self, space: TypeSpace, tag: &str) -> Option<Type> {
        let own = self.names.tags.get(&(space, tag.to_string())).cloned();
        own.or_else(|| self.world.find_type(space, tag))
    }

    /// Returns the bytes of a value of this type.
    pub(super) fn size_of(&self, ty: &Type) -> Option<u32> {
        self.complete(ty).size(self.settings.strsize)
    }

    /// Checks `base.name` and `base->name`.
    pub(super) fn member(&mut self, base: &ast::Expr, m: &MemberName, span: Span) -> Expr {
        let base = self.place(base);
        if base.ty.is_error() {
            return base;
        }
        let is_pointer = matches!(base.ty, Type::Pointer(_));
        let base = match base.kind {
            Kind::Xlate(id, from) if is_pointer == m.is_arrow => {
                return self.translated(id, *from, m, span)
            }
            _ if m.is_arrow => decay(base),
            _ => base,
        };
        let (s, base) = match (base.ty.clone(), m.is_arrow) {
            (Type::Pointer(to), true) => match &*to {
                Type::Struct(s) => (s.clone(), base),
                _ => return self.not_a_struct(&base, m, span),
            },
            (Type::Struct(s), false) if is_in_register(&base) => {
                return match self.find(&s, m, span) {
                    Some((offset, member)) => self.shifted(base, offset, &member, span),
                    None => Expr::error(span),
                }
            }
            (Type::Struct(s), false) => {
                let pointer = base.ty.clone().pointer_to();
                (s, address(base, pointer))
            }
            _ => return self.not_a_struct(&base, m, span),
        };
        match self.find(&s, m, span) {
            Some((offset, member)) => self.loaded(base, offset, &member, span),
            None => Expr::error(span),
        }
    }

    fn not_a_struct(&mut self, base: &Expr, m: &MemberName, span: Span) -> Expr {
        let (op, other) = if m.is_arrow { ("->", ".") } else { (".", "->") };
        let other_fits = match &base.ty {
            Type::Struct(_) => m.is_arrow,
            Type::Pointer(to) => !m.is_arrow && matches!(**to, Type::Struct(_)),
            _ => false,
        };
        let (tag, wanted) = match m.is_arrow {
            true => (Tag::OpPtr, "a pointer to a struct or union"),
            false => (Tag::OpSou, "a struct or union"),
        };
        let message = format!("operator {op} requires {wanted} before it, found {}", base.ty);
        let d =
            Diagnostic::new(tag, span, message).other(base.span, format!("this is {}", base.ty));
        let text = self.source.slice(base.span).to_string();
        self.fail(match (&base.ty, other_fits) {
            (_, true) => d.hint(format!("use {other} instead: {text}{other}{}", m.name)),
            (Type::Int(i), _) if m.is_arrow && i.size == 8 => {
                d.hint(format!("cast it: ((struct name *){text})->{}", m.name))
            }
            _ => d,
        })
    }

    /// Returns a member with its offset in bits, or complains.
    pub(super) fn find(
        &mut self,
        s: &Arc<Struct>,
        m: &MemberName,
        span: Span,
    ) -> Option<(u64, Member)> {
        let Type::Struct(s) = self.complete(&Type::Struct(s.clone())) else { return None };
        let Some(members) = self.members(&s) else {
            let message = format!("{s} has no members here: only its name is known");
            let mut d = Diagnostic::new(Tag::OpIncomplete, span, message).label("not defined");
            let space = match s.kind {
                StructKind::Union => TypeSpace::Union,
                StructKind::Struct => TypeSpace::Struct,
            };
            d.hint = did_you_mean(&s.tag, self.world.nearest_types(space, &s.tag));
            self.fail(d);
            return None;
        };
        if let Some(found) = self.search(&members, &m.name, 0) {
            return Some(found);
        }
        let d = self.no_member(Tag::TypeMember, &s, &members, m);
        self.fail(d);
        None
    }

    /// Makes the complaint about a missing member.
    pub(super) fn no_member(
        &self,
        tag: Tag,
        s: &Struct,
        members: &[Member],
        m: &MemberName,
    ) -> Diagnostic {
        let message = format!("{} is not a member of {s}", m.name);
        let mut d = Diagnostic::new(tag, m.span, message).label("no such member");
        let mut names = Vec::new();
        self.member_names(members, &mut names, 0);
        d.hint = did_you_mean(&m.name, names.iter().cloned());
        if d.hint.is_none() && !names.is_empty() {
            let few = names.len().min(12);
            let list = names.get(..few).unwrap_or(&[]).join(", ");
            let more = if few < names.len() {
                format!(" and {} more", names.len() - few)
            } else {
                String::new()
            };
            d = d.note(format!("the members of {s} are {list}{more}"));
        }
        d
    }

    pub(super) fn search(
        &self,
        members: &[Member],
        name: &str,
        depth: u8,
    ) -> Option<(u64, Member)> {
        if let Some(m) = members.iter().find(|m| m.name == name && !name.is_empty()) {
            return Some((u64::from(m.offset), m.clone()));
        }
        if depth >= MAX_NESTING {
            return None;
        }
        members.iter().filter(|m| m.name.is_empty()).find_map(|m| {
            let Type::Struct(inner) = &m.ty else { return None };
            let (offset, found) = self.search(&self.members(inner)?, name, depth + 1)?;
            Some((u64::from(m.offset).saturating_add(offset), found))
        })
    }

    fn member_names(&self, members: &[Member], into: &mut Vec<String>, depth: u8) {
        for m in members {
            match &m.ty {
                Type::Struct(inner) if m.name.is_empty() && depth < MAX_NESTING => {
                    if let Some(members) = self.members(inner) {
                        self.member_names(&members, into, depth + 1);
                    }
                }
                _ if m.name.is_empty() => {}
                _ => into.push(m.name.clone()),
            }
        }
    }

    /// Returns a member of the struct at an address.
    pub(super) fn loaded(&mut self, base: Expr, offset: u64, m: &Member, span: Span) -> Expr {
        let Some(bits) = m.bits else {
            let at = advance(base, offset / 8, m.ty.clone().pointer_to(), span);
            return self.load(at, &m.ty, span);
        };
        let Some((int, unit)) = self.unit(offset, bits, m, span) else { return Expr::error(span) };
        let start = offset / unit * unit;
        let ty = Type::Int(int);
        let at = advance(base, start / 8, ty.clone().pointer_to(), span);
        let word = Expr::new(Kind::Load(Box::new(at)), ty, span);
        // CAST: both are below 64.
        Expr::new(Kind::Bits(Box::new(word), (offset - start) as u8, bits), m.ty.clone(), span)
    }

    /// Returns the smallest aligned integer that contains the whole bit field, with its number of
    /// bits.
    fn unit(&mut self, offset: u64, bits: u8, m: &Member, span: Span) -> Option<(Int, u64)> {
        let fits = |unit: &u64| (offset % unit).saturating_add(u64::from(bits)) <= *unit;
        let unit = [8u64, 16, 32, 64].into_iter().find(fits);
        let int = unit.and_then(|u| Int::new((u / 8) as u8, false, &format!("uint{u}_t")));
        match (int, unit, m.ty.int()) {
            (Some(int), Some(unit), Some(_)) if bits > 0 => Some((int, unit)),
            _ => {
                self.later(Tag::Unknown, span, &format!("bit field {} is", m.name));
                None
            }
        }
    }

    /// Returns a member of the struct in a register.
    fn shifted(&mut self, base: Expr, offset: u64, m: &Member, span: Span) -> Expr {
        let (word, low) = match base.kind {
            Kind::Bits(word, low, _) => (word, u64::from(low)),
            kind => {
                let word = Expr { kind, ty: Type::Int(Int::UINT64), ..base };
                (Box::new(word), 0)
            }
        };
        let low = low.saturating_add(offset);
        let size = self.size_of(&m.ty).unwrap_or(u32::MAX);
        let count = m.bits.map_or(u64::from(size).saturating_mul(8), u64::from);
        if low.saturating_add(count) > 64 || count == 0 {
            let message = format!("member {} is not in the register with the rest", m.name);
            return self.fail(Diagnostic::new(Tag::ArgsType, span, message));
        }
        // CAST: the sum is at most 64.
        let e = Expr::new(Kind::Bits(word, low as u8, count as u8), m.ty.clone(), span);
        match m.ty {
            Type::Float(_) => self.later(Tag::Unknown, span, "floating-point values are"),
            _ => e,
        }
    }

    /// Tells whether the value can be recorded; complains if not.
    pub(super) fn recordable(&mut self, action: &str, e: &Expr) -> bool {
        if !matches!(e.ty, Type::Struct(_) | Type::Array(..)) {
            return true;
        }
        match e.ty.size(self.settings.strsize) {
            Some(size) if (1..=MAX_BY_REF).contains(&size) => return true,
            _ => {}
        }
        let message = match e.ty.size(self.settings.strsize) {
            Some(size) if size > 0 => {
                format!("{action}( ) of {size} bytes: {} is larger than {MAX_BY_REF}", e.ty)
            }
            _ => format!("{action}( ) may not be applied to {}: its size is not known", e.ty),
        };
        let d = Diagnostic::new(Tag::TraceDyn, e.span, message).label(format!("this is {}", e.ty));
        let text = self.source.slice(e.span).to_string();
        self.fail(match e.ty.is_stringlike() {
            true => d.hint(format!("as text: stringof({text})")),
            false => d.hint(format!("some of its bytes: tracemem({text}, n)")),
        });
        false
    }
}

/// Tells whether the value is the struct itself, not its address.
pub(super) fn is_in_register(e: &Expr) -> bool {
    matches!(e.ty, Type::Struct(_) | Type::Array(..))
        && matches!(e.kind, Kind::Builtin(_) | Kind::Element(..) | Kind::Bits(..))
}

/// Returns the address of a struct or an array, as a pointer of type `pointer`.
pub(super) fn address(e: Expr, pointer: Type) -> Expr {
    match e.kind {
        Kind::Load(at) => Expr { ty: pointer, span: e.span, ..*at },
        _ => Expr { ty: pointer, ..e },
    }
}

/// Turns an array into the pointer to its first element; returns other values unchanged.
pub(super) fn decay(e: Expr) -> Expr {
    match &e.ty {
        Type::Array(of, _) if !is_in_register(&e) => {
            let pointer = Type::Pointer(of.clone());
            address(e, pointer)
        }
        _ => e,
    }
}

/// Returns an address plus a number of bytes; merges sums of constants.
fn advance(base: Expr, bytes: u64, ty: Type, span: Span) -> Expr {
    if bytes == 0 {
        return Expr { ty, span, ..base };
    }
    if let Kind::Int(at) = base.kind {
        return Expr::new(Kind::Int(at.wrapping_add(bytes)), ty, span);
    }
    let (start, before) = match base.kind {
        Kind::Binary(BinOp::Add, start, by) if by.as_constant().is_some() => {
            (start, by.as_constant().unwrap_or(0))
        }
        kind => (Box::new(Expr { kind, ..base }), 0),
    };
    let by = Expr::constant(bytes.wrapping_add(before), Int::LONG, span);
    Expr::new(Kind::Binary(BinOp::Add, start, Box::new(by)), ty, span)
}
