// SPDX-License-Identifier: GPL-2.0
//! D's types: C's types and `string`. Each name of an integer has one row.

use std::sync::Arc;

use super::name::intern;
use super::{Function, Struct, StructId, StructKind};
use abi::action::ActionKind;
use abi::difo::{ctf, DifType, BY_REF, KIND_CTF};

/// An integer type with its LP64 size.
#[derive(Debug, Clone, Copy)]
pub struct Int {
    /// 1, 2, 4 or 8 bytes.
    pub size: u8,
    /// Two's complement.
    pub signed: bool,
    /// The name as written; `enum pid_type` for an enumeration.
    pub name: &'static str,
    /// The enumeration that its values belong to, whatever the name of the type.
    pub enumeration: Option<StructId>,
}

/// Types are equal if they mean the same; the name does not matter.
impl PartialEq for Int {
    fn eq(&self, other: &Self) -> bool {
        (self.size, self.signed) == (other.size, other.signed)
    }
}
impl Eq for Int {}

/// A type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Type {
    /// No value.
    Void,
    /// An integer.
    Int(Int),
    /// D's string: an address of at most strsize bytes.
    String,
    /// A pointer.
    Pointer(Arc<Type>),
    /// A struct or union; its value is its address.
    Struct(Arc<Struct>),
    /// An array of this many elements; 0 if not known. Its value is its address.
    Array(Arc<Type>, u32),
    /// A function; only pointers to it have values.
    Function(Arc<Function>),
    /// A floating-point number of this many bytes. It has a size, but no operators.
    Float(u8),
    /// The data of this action, which only the consumer can read: a stack, a symbol.
    Action(ActionKind),
    /// The type of an expression that caused a complaint; it fits everywhere.
    Error,
}

/// The names of integers with size and signedness. [`crate::check::decl`] builds C names of several
/// words.
pub const INTEGERS: &[Int] = &[
    Int::plain(4, true, "int"),
    Int::plain(4, false, "unsigned int"),
    Int::plain(8, true, "long"),
    Int::plain(8, false, "unsigned long"),
    Int::plain(8, true, "long long"),
    Int::plain(8, false, "unsigned long long"),
    Int::plain(2, true, "short"),
    Int::plain(2, false, "unsigned short"),
    Int::plain(1, true, "char"),
    Int::plain(1, true, "signed char"),
    Int::plain(1, false, "unsigned char"),
    Int::plain(1, true, "int8_t"),
    Int::plain(2, true, "int16_t"),
    Int::plain(4, true, "int32_t"),
    Int::plain(8, true, "int64_t"),
    Int::plain(8, true, "intptr_t"),
    Int::plain(1, false, "uint8_t"),
    Int::plain(2, false, "uint16_t"),
    Int::plain(4, false, "uint32_t"),
    Int::plain(8, false, "uint64_t"),
    Int::plain(8, false, "uintptr_t"),
    Int::plain(8, false, "size_t"),
    Int::plain(8, true, "ssize_t"),
    Int::plain(8, true, "off_t"),
    Int::plain(8, true, "ptrdiff_t"),
    Int::plain(1, false, "uchar_t"),
    Int::plain(2, false, "ushort_t"),
    Int::plain(4, false, "uint_t"),
    Int::plain(8, false, "ulong_t"),
    Int::plain(8, true, "longlong_t"),
    Int::plain(8, false, "u_longlong_t"),
    Int::plain(8, true, "hrtime_t"),
    Int::plain(8, true, "time_t"),
    Int::plain(4, true, "pid_t"),
    Int::plain(4, true, "id_t"),
    Int::plain(4, false, "uid_t"),
    Int::plain(4, false, "gid_t"),
    Int::plain(4, true, "processorid_t"),
    Int::plain(4, false, "mode_t"),
    Int::plain(4, false, "dev_t"),
    Int::plain(8, false, "ino_t"),
    Int::plain(1, false, "u8"),
    Int::plain(2, false, "u16"),
    Int::plain(4, false, "u32"),
    Int::plain(8, false, "u64"),
    Int::plain(1, true, "s8"),
    Int::plain(2, true, "s16"),
    Int::plain(4, true, "s32"),
    Int::plain(8, true, "s64"),
    Int::plain(1, false, "bool"),
];

impl Int {
    /// `int`.
    pub const INT: Int = Int::plain(4, true, "int");
    /// `unsigned int`.
    pub const UINT: Int = Int::plain(4, false, "unsigned int");
    /// `long`.
    pub const LONG: Int = Int::plain(8, true, "long");
    /// `unsigned long`.
    pub const ULONG: Int = Int::plain(8, false, "unsigned long");
    /// `char`.
    pub const CHAR: Int = Int::plain(1, true, "char");
    /// `int64_t`: arguments of probes, `x++` of an undeclared x.
    pub const INT64: Int = Int::plain(8, true, "int64_t");
    /// `uint64_t`.
    pub const UINT64: Int = Int::plain(8, false, "uint64_t");
    /// `size_t`.
    pub const SIZE: Int = Int::plain(8, false, "size_t");
    /// `uintptr_t`: the type of an address as a number.
    pub const UINTPTR: Int = Int::plain(8, false, "uintptr_t");

    /// Returns the integer type of this name.
    pub fn named(name: &str) -> Option<Int> {
        INTEGERS.iter().copied().find(|i| i.name == name)
    }

    /// Returns an integer type of this size and signedness under any name: a typedef's,
    /// `enum pid_type`. Returns `None` if no integer has this size.
    pub fn new(size: u8, signed: bool, name: &str) -> Option<Int> {
        matches!(size, 1 | 2 | 4 | 8).then(|| Int::plain(size, signed, intern(name)))
    }

    const fn plain(size: u8, signed: bool, name: &'static str) -> Int {
        Int { size, signed, name, enumeration: None }
    }

    /// Cuts `value` to the size and extends it to 64 bits again, the form of a value in a register.
    pub fn wrap(self, value: u64) -> u64 {
        match (self.size, self.signed) {
            (1, true) => value as i8 as u64,
            (2, true) => value as i16 as u64,
            (4, true) => value as i32 as u64,
            (1, false) => u64::from(value as u8),
            (2, false) => u64::from(value as u16),
            (4, false) => u64::from(value as u32),
            _ => value,
        }
    }
}

impl Type {
    /// `int`.
    pub const INT: Type = Type::Int(Int::INT);

    /// Returns the type of a pointer to this.
    pub fn pointer_to(self) -> Type {
        Type::Pointer(Arc::new(self))
    }
    /// Returns the type of an array of these.
    pub fn array_of(self, count: u32) -> Type {
        Type::Array(Arc::new(self), count)
    }
    /// Counts the pointers and arrays around the innermost type.
    pub fn levels(&self) -> usize {
        let (mut ty, mut levels) = (self, 0usize);
        while let Type::Pointer(to) | Type::Array(to, _) = ty {
            levels += 1;
            ty = match &**to {
                Type::Function(f) => &f.result,
                to => to,
            };
        }
        levels
    }
    /// Returns `const char *`.
    pub fn char_pointer() -> Type {
        Type::Int(Int::CHAR).pointer_to()
    }
    /// Returns the type of this single name.
    pub fn named(name: &str) -> Option<Type> {
        match name {
            "void" => Some(Type::Void),
            "string" => Some(Type::String),
            "caddr_t" => Some(Type::char_pointer()),
            _ => Int::named(name).map(Type::Int),
        }
    }
    /// Parses a type such as `const char *`, as the tables of the contract write it.
    pub fn from_table(text: &str) -> Option<Type> {
        let text = text.trim();
        if let Some(to) = text.strip_suffix('*') {
            return Type::from_table(to).map(Type::pointer_to);
        }
        Type::named(text.strip_prefix("const ").unwrap_or(text).trim())
    }

    /// Returns the integer type, if this is one.
    pub fn int(&self) -> Option<Int> {
        match self {
            Type::Int(i) => Some(*i),
            _ => None,
        }
    }
    /// Tells whether a complaint was already made.
    pub fn is_error(&self) -> bool {
        *self == Type::Error
    }
    /// Tells whether this is a number or an address, which has a truth value.
    pub fn is_scalar(&self) -> bool {
        matches!(self, Type::Int(_) | Type::Pointer(_))
    }
    /// Tells whether this is a string, or can be read as one without a cast.
    pub fn is_stringlike(&self) -> bool {
        match self {
            Type::String => true,
            Type::Pointer(to) | Type::Array(to, _) => {
                matches!(**to, Type::Int(Int { size: 1, .. }))
            }
            _ => false,
        }
    }
    /// Tells whether the register holds the address of the bytes, not the value.
    pub fn is_by_ref(&self) -> bool {
        matches!(self, Type::String | Type::Struct(_) | Type::Array(..))
    }
    /// Returns the bytes of a value; `None` for void, functions and structs of which only the name
    /// is known.
    pub fn size(&self, strsize: u32) -> Option<u32> {
        match self {
            Type::Void | Type::Error | Type::Function(_) | Type::Action(_) => None,
            Type::Struct(s) => s.size,
            Type::Array(of, count) => of.size(strsize)?.checked_mul(*count),
            Type::Float(size) => Some(u32::from(*size)),
            Type::Int(i) => Some(u32::from(i.size)),
            Type::String => Some(strsize),
            Type::Pointer(_) => Some(8),
        }
    }
    /// Returns DIF's description of the type.
    pub fn dif(&self, strsize: u32) -> DifType {
        match self {
            Type::Void | Type::Error | Type::Function(_) | Type::Action(_) => DifType::void(),
            Type::Float(size) => {
                DifType { ctf_kind: ctf::FLOAT, ..DifType::integer(u32::from(*size)) }
            }
            Type::Struct(_) | Type::Array(..) => {
                let ctf_kind = match self {
                    Type::Struct(s) if s.kind == StructKind::Union => ctf::UNION,
                    Type::Struct(_) => ctf::STRUCT,
                    _ => ctf::ARRAY,
                };
                let size = self.size(strsize).unwrap_or(0);
                DifType { kind: KIND_CTF, ctf_kind, flags: BY_REF, pad: 0, size }
            }
            Type::Int(i) => DifType::integer(u32::from(i.size)),
            Type::String => DifType::string(strsize),
            Type::Pointer(_) => {
                DifType { kind: KIND_CTF, ctf_kind: ctf::POINTER, flags: 0, pad: 0, size: 8 }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn every_type_of_the_contract_is_known() {
        for b in abi::dif::Builtin::ALL {
            assert!(Type::from_table(b.type_name()).is_some(), "{}", b.type_name());
        }
        assert_eq!(Type::from_table("const char *"), Some(Type::char_pointer()));
        assert_eq!(Type::char_pointer().pointer_to().to_string(), "char **");
    }
    #[test]
    fn wrapping_extends_by_sign() {
        let of = |n: &str| Int::named(n).unwrap();
        assert_eq!(of("int").wrap(0xffff_ffff), u64::MAX);
        assert_eq!(of("uint32_t").wrap(u64::MAX), 0xffff_ffff);
        assert_eq!(of("int8_t").wrap(0x80), 0xffff_ffff_ffff_ff80);
        assert_eq!(of("uint64_t").wrap(u64::MAX), u64::MAX);
    }
}
