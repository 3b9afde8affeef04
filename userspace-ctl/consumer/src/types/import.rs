// SPDX-License-Identifier: GPL-2.0
//! Converts BTF types to D types. Structs are not expanded: each gets a number by which their
//! members can be asked for.

use btf::{Btf, Id, VOID};
use d::types::{Function, Int, Member, Struct, StructId, StructKind, Type};
use d::world::TypeSpace;
use std::sync::Arc;

/// The most conversion steps. Real types take a dozen steps (pointers to functions that take
/// pointers to functions); a damaged type may form a cycle.
const STEPS: u32 = 256;

/// The types of one file, and its place in the list of files.
#[derive(Debug, Clone)]
pub struct Importer {
    place: u32,
    btf: Arc<Btf>,
}

/// Returns the file's place and the type's number.
pub fn place(id: StructId) -> (u32, Id) {
    ((id.0 >> 32) as u32, Id(id.0 as u32))
}

/// Tells whether a type belongs to this C name space.
pub fn is_in(ty: &btf::Type<'_>, space: TypeSpace) -> bool {
    match ty {
        btf::Type::Struct(_) => space == TypeSpace::Struct,
        btf::Type::Union(_) => space == TypeSpace::Union,
        btf::Type::Forward { is_union: false, .. } => space == TypeSpace::Struct,
        btf::Type::Forward { is_union: true, .. } => space == TypeSpace::Union,
        btf::Type::Enum(_) => space == TypeSpace::Enum,
        btf::Type::Typedef { .. } => space == TypeSpace::Typedef,
        _ => false,
    }
}

impl Importer {
    /// Makes an importer for the file at this place.
    pub fn new(place: u32, btf: Arc<Btf>) -> Self {
        Self { place, btf }
    }

    /// Returns the number of a type, which is the same whichever file led to it.
    pub fn number(&self, id: Id) -> StructId {
        let place = if id.0 < self.btf.first() { 0 } else { self.place };
        StructId(u64::from(place) << 32 | u64::from(id.0))
    }

    /// Returns the type in C's spelling.
    pub fn spell(&self, id: Id) -> String {
        self.btf.spell(id)
    }

    /// Returns a prototype's parameters and return value.
    pub fn signature(&self, prototype: Id) -> Option<btf::Signature> {
        btf::Signature::of_prototype(&self.btf, prototype)
    }

    /// Converts a type to D's.
    pub fn ty(&self, id: Id) -> Type {
        self.convert(id, &mut STEPS.clone())
    }

    fn convert(&self, id: Id, steps: &mut u32) -> Type {
        // Numbers and structs without a tag keep the name of the typedef that led to them.
        let mut alias = "";
        let mut id = id;
        loop {
            if *steps == 0 {
                return Type::Void;
            }
            *steps -= 1;
            let named = |name| if alias.is_empty() { name } else { alias };
            let integer = |size: u32, signed, name| match u8::try_from(size) {
                Ok(size) => Int::new(size, signed, name),
                Err(_) => None,
            };
            return match self.btf.get(id) {
                Some(btf::Type::Typedef { name, of }) => {
                    alias = named(name);
                    id = of;
                    continue;
                }
                Some(
                    btf::Type::Const { of }
                    | btf::Type::Volatile { of }
                    | btf::Type::Restrict { of }
                    | btf::Type::TypeTag { of, .. }
                    | btf::Type::Variable { of, .. },
                ) => {
                    id = of;
                    continue;
                }
                Some(btf::Type::Int { name, size, signed, .. }) => {
                    // D has no 16-byte integer; an array can be printed and skipped.
                    let bytes = || Type::Int(Int::ULONG).array_of(size / 8);
                    integer(size, signed, named(name)).map_or_else(bytes, Type::Int)
                }
                Some(btf::Type::Float { size, .. }) => Type::Float(u8::try_from(size).unwrap_or(0)),
                Some(btf::Type::Enum(e)) => {
                    let tag = match e.name {
                        "" => "enum".to_string(),
                        tag => format!("enum {tag}"),
                    };
                    let int = integer(e.size, e.signed, named(&tag)).unwrap_or(Int::INT);
                    Type::Int(Int { enumeration: Some(self.number(id)), ..int })
                }
                Some(btf::Type::Pointer { to }) => self.convert(to, steps).pointer_to(),
                Some(btf::Type::Array { element, count, .. }) => {
                    self.convert(element, steps).array_of(count)
                }
                Some(btf::Type::Struct(c)) => {
                    self.composite(StructKind::Struct, c.name, alias, Some(c.size), id)
                }
                Some(btf::Type::Union(c)) => {
                    self.composite(StructKind::Union, c.name, alias, Some(c.size), id)
                }
                Some(btf::Type::Forward { name, is_union }) => {
                    let kind = if is_union { StructKind::Union } else { StructKind::Struct };
                    match self.definition(name, is_union) {
                        Some((id, size)) => self.composite(kind, name, alias, Some(size), id),
                        None => self.composite(kind, name, alias, None, id),
                    }
                }
                Some(btf::Type::Function { prototype, .. }) => {
                    id = prototype;
                    continue;
                }
                Some(btf::Type::Prototype(p)) => {
                    let mut function = Function {
                        result: self.convert(p.returns, steps),
                        params: Vec::new(),
                        is_variadic: false,
                    };
                    for (_, of) in p.parameters().take(STEPS as usize) {
                        match of {
                            VOID => function.is_variadic = true,
                            of => function.params.push(self.convert(of, steps)),
                        }
                    }
                    Type::Function(Arc::new(function))
                }
                _ => Type::Void,
            };
        }
    }

    fn composite(
        &self,
        kind: StructKind,
        tag: &str,
        alias: &str,
        size: Option<u32>,
        id: Id,
    ) -> Type {
        let (tag, alias, id) = (tag.into(), alias.into(), self.number(id));
        Type::Struct(Arc::new(Struct { kind, tag, alias, size, id }))
    }

    /// Returns the definition of a forward declaration, if the same file has it.
    fn definition(&self, tag: &str, is_union: bool) -> Option<(Id, u32)> {
        self.btf.named(tag).find_map(|(id, ty)| match ty {
            btf::Type::Struct(c) if !is_union => Some((id, c.size)),
            btf::Type::Union(c) if is_union => Some((id, c.size)),
            _ => None,
        })
    }

    /// Returns the constants of an enumeration, in order.
    pub fn enumerators(&self, id: Id) -> Vec<(String, u64)> {
        match self.btf.get(id) {
            Some(btf::Type::Enum(e)) => {
                e.variants().map(|v| (v.name.to_string(), v.value)).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Returns the members of a struct or union, in order.
    pub fn members(&self, id: Id) -> Option<Vec<Member>> {
        let (btf::Type::Struct(c) | btf::Type::Union(c)) = self.btf.get(id)? else {
            return None;
        };
        let member = |m: btf::Member<'_>| Member {
            name: m.name.into(),
            ty: self.ty(m.of),
            offset: m.offset,
            bits: m.bits.and_then(|b| u8::try_from(b).ok()),
        };
        Some(c.members().map(member).collect())
    }
}
