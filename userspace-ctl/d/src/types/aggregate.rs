// SPDX-License-Identifier: GPL-2.0
//! Structs, unions and function types.
//!
//! The kernel's types hang together: `struct file` leads to all of them. So a [`Struct`] is only a
//! name, a size and the number under which its maker knows it; its members are asked for when an
//! expression touches them ([`crate::World::members`]), and end at further structs of that kind.

use super::Type;

/// The number of a struct, a union or an enumeration: whoever made it knows its members by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct StructId(pub u64);

impl StructId {
    /// Numbers from here on are those of those that D programs define.
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
    /// As written.
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
    /// Which of the two.
    pub kind: StructKind,
    /// The tag: `file` of `struct file`; "" if it has none.
    pub tag: String,
    /// Name of a typedef that led here, for messages about what has no tag: `atomic_t`; or "".
    pub alias: String,
    /// Bytes; `None` if only its name is known.
    pub size: Option<u32>,
    /// What its members are asked for with.
    pub id: StructId,
}

/// C's rule over several files: one tag is one type. What has no tag is itself only.
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
    /// "" for a struct or union whose members count as members of this one.
    pub name: String,
    /// Type; of a bit field, the type it is declared with.
    pub ty: Type,
    /// Bits from the start of the struct to its lowest bit.
    pub offset: u32,
    /// Bits of a bit field.
    pub bits: Option<u8>,
}

impl Member {
    /// A member on a byte boundary.
    pub fn new(name: &str, ty: Type, offset: u32) -> Self {
        Self { name: name.into(), ty, offset: offset.saturating_mul(8), bits: None }
    }
    /// A bit field.
    pub fn bits(name: &str, ty: Type, offset: u32, bits: u8) -> Self {
        Self { name: name.into(), ty, offset, bits: Some(bits) }
    }
}

/// What a function returns and takes. D cannot call it; it can be pointed to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Function {
    /// Result.
    pub result: Type,
    /// Parameters.
    pub params: Vec<Type>,
    /// `...` behind them.
    pub is_variadic: bool,
}
