// SPDX-License-Identifier: GPL-2.0
//! Structs, unions and function types.
//!
//! The kernel's types are connected: `struct file` leads to all of them. So a [`Struct`] is only a
//! name, a size and a number. The compiler asks for its members when an expression uses them
//! ([`crate::World::members`]); the structs among them are again only names.

use super::Type;

/// The number of a struct, a union or an enumeration, by which its creator finds the members.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct StructId(pub u64);

impl StructId {
    /// Numbers from here on belong to types that D programs define.
    pub const PROGRAM: u64 = 1 << 63;
}

/// The word before a tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "C's own words")]
pub enum StructKind {
    Struct,
    Union,
}

impl StructKind {
    /// Returns the word as written.
    pub const fn text(self) -> &'static str {
        match self {
            Self::Struct => "struct",
            Self::Union => "union",
        }
    }
}

/// A struct or union.
#[derive(Debug, Clone)]
pub struct Struct {
    /// The kind.
    pub kind: StructKind,
    /// The tag: `file` of `struct file`; "" if it has none.
    pub tag: String,
    /// The name of a typedef that leads here, for messages about a type without tag: `atomic_t`; or
    /// "".
    pub alias: String,
    /// Size in bytes; `None` if only the name is known.
    pub size: Option<u32>,
    /// The number to ask for the members with.
    pub id: StructId,
}

/// Follows C's rule for several files: equal tags are equal types. A type without tag equals only
/// itself.
impl PartialEq for Struct {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
            || (!self.tag.is_empty() && (self.kind, &self.tag) == (other.kind, &other.tag))
    }
}
impl Eq for Struct {}

/// A member.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// The name; "" for a struct or union whose members count as members of this one.
    pub name: String,
    /// The type; for a bit field, its declared type.
    pub ty: Type,
    /// Offset from the start of the struct to the member's lowest bit, in bits.
    pub offset: u32,
    /// Number of bits of a bit field.
    pub bits: Option<u8>,
}

impl Member {
    /// Makes a member on a byte boundary; `offset` is in bytes.
    pub fn new(name: &str, ty: Type, offset: u32) -> Self {
        Self { name: name.into(), ty, offset: offset.saturating_mul(8), bits: None }
    }
    /// Makes a bit field; `offset` is in bits.
    pub fn bits(name: &str, ty: Type, offset: u32, bits: u8) -> Self {
        Self { name: name.into(), ty, offset, bits: Some(bits) }
    }
}

/// The type of a function. D cannot call it, but can have pointers to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Function {
    /// The type of the result.
    pub result: Type,
    /// The types of the parameters.
    pub params: Vec<Type>,
    /// `...` after the parameters.
    pub is_variadic: bool,
}
