// SPDX-License-Identifier: GPL-2.0
//! The kinds of types: the data after each one's twelve bytes, and how to read it.

use crate::{u32_at, Btf, Damage, Id, Span};

/// The highest kind that this reader knows.
pub(crate) const LAST: u32 = 19;

/// Bytes of a type before the data that its kind adds.
const HEAD: usize = 12;

/// Bytes that each kind adds: once, and for each of its parts. No type has kind 0.
const ADDED: [Option<(u8, u8)>; LAST as usize + 1] = [
    None,
    Some((4, 0)),  // int
    Some((0, 0)),  // pointer
    Some((12, 0)), // array
    Some((0, 12)), // struct
    Some((0, 12)), // union
    Some((0, 8)),  // enum
    Some((0, 0)),  // forward
    Some((0, 0)),  // typedef
    Some((0, 0)),  // volatile
    Some((0, 0)),  // const
    Some((0, 0)),  // restrict
    Some((0, 0)),  // function
    Some((0, 8)),  // prototype
    Some((4, 0)),  // variable
    Some((0, 12)), // section
    Some((0, 0)),  // float
    Some((4, 0)),  // declaration tag
    Some((0, 0)),  // type tag
    Some((0, 12)), // enum of 64 bits
];

/// The second word of a type. Before Linux 7.2 it had fewer bits for parts and kind; the other bits
/// were 0.
#[derive(Clone, Copy)]
struct Info(u32);

impl Info {
    fn parts(self) -> usize {
        (self.0 & 0xff_ffff) as usize
    }
    fn kind(self) -> u32 {
        self.0 >> 24 & 0x7f
    }
    fn flag(self) -> bool {
        self.0 >> 31 != 0
    }
}

/// Returns the offset of each type. Unknown kinds are skipped if the blob gives their length.
pub(crate) fn starts(
    bytes: &[u8],
    types: Span,
    layouts: &[u8],
    first: u32,
) -> Result<Vec<u32>, Damage> {
    let section = types.slice(bytes);
    // Types have at least 20 bytes on average; a wrong guess only costs a copy.
    let mut starts = Vec::with_capacity(section.len() / 20);
    let (mut at, mut id) = (0usize, first);
    while at < section.len() {
        let short = Damage::Short { id };
        let info = Info(u32_at(section, at + 4).ok_or(short.clone())?);
        let kind = info.kind();
        let (once, each) = match ADDED.get(kind as usize) {
            Some(Some(added)) => *added,
            Some(None) => return Err(Damage::Kind { id, kind }),
            None => match layouts.get(kind as usize * 4..).and_then(|l| l.first_chunk::<4>()) {
                Some(&[once, each, _, _]) => (once, each),
                None => return Err(Damage::Kind { id, kind }),
            },
        };
        let parts = info.parts().checked_mul(each.into()).ok_or(short.clone())?;
        let end = at.checked_add(HEAD + usize::from(once)).and_then(|e| e.checked_add(parts));
        let end = end.filter(|&e| e <= section.len()).ok_or(short.clone())?;
        let start = u32::try_from(types.start + at).map_err(|_| short.clone())?;
        starts.push(start);
        id = id.checked_add(1).ok_or(short)?;
        at = end;
    }
    Ok(starts)
}

/// The code that can use a function or variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Linkage {
    /// Its file only.
    Static,
    /// All files.
    Global,
    /// All files; the definition is elsewhere.
    Extern,
}

impl Linkage {
    fn new(n: u32) -> Self {
        match n {
            0 => Self::Static,
            1 => Self::Global,
            _ => Self::Extern,
        }
    }
}

/// A type. A name is "" if C needs none.
#[derive(Debug, Clone, Copy)]
#[allow(missing_docs, reason = "C's words")]
pub enum Type<'a> {
    Void,
    /// An integer, including `char` and `bool`. `bits` and `offset` describe old bit fields.
    Int {
        name: &'a str,
        size: u32,
        signed: bool,
        bool: bool,
        bits: u32,
        offset: u32,
    },
    Float {
        name: &'a str,
        size: u32,
    },
    Pointer {
        to: Id,
    },
    Array {
        element: Id,
        index: Id,
        count: u32,
    },
    Struct(Composite<'a>),
    Union(Composite<'a>),
    Enum(Enumeration<'a>),
    /// A struct or union that is only declared, not defined.
    Forward {
        name: &'a str,
        is_union: bool,
    },
    Typedef {
        name: &'a str,
        of: Id,
    },
    Volatile {
        of: Id,
    },
    Const {
        of: Id,
    },
    Restrict {
        of: Id,
    },
    Function {
        name: &'a str,
        prototype: Id,
        linkage: Linkage,
    },
    Prototype(Prototype<'a>),
    Variable {
        name: &'a str,
        of: Id,
        linkage: Linkage,
    },
    /// A section of variables; a kernel's own BTF has only the per-CPU one.
    Section(Section<'a>),
    /// A tag of a declaration, or of its member or parameter.
    DeclTag {
        name: &'a str,
        of: Id,
        part: Option<u32>,
    },
    /// A tag of a type, such as `user` or `rcu`.
    TypeTag {
        name: &'a str,
        of: Id,
    },
    /// A type of a kind that is newer than this reader.
    Other {
        name: &'a str,
        kind: u32,
    },
}

impl<'a> Type<'a> {
    /// Returns the name, if the type has one.
    pub fn name(&self) -> Option<&'a str> {
        let name = match *self {
            Type::Int { name, .. }
            | Type::Float { name, .. }
            | Type::Forward { name, .. }
            | Type::Typedef { name, .. }
            | Type::Function { name, .. }
            | Type::Variable { name, .. }
            | Type::DeclTag { name, .. }
            | Type::TypeTag { name, .. }
            | Type::Other { name, .. } => name,
            Type::Struct(c) | Type::Union(c) => c.name,
            Type::Enum(e) => e.name,
            Type::Section(s) => s.name,
            _ => "",
        };
        (!name.is_empty()).then_some(name)
    }
}

/// A struct or union.
#[derive(Debug, Clone, Copy)]
pub struct Composite<'a> {
    /// The tag, or "".
    pub name: &'a str,
    /// Size in bytes.
    pub size: u32,
    btf: &'a Btf,
    parts: &'a [u8],
    flag: bool,
}

/// A member.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Member<'a> {
    /// The name; "" for an anonymous struct or union, whose members count as members of this one.
    pub name: &'a str,
    /// The type.
    pub of: Id,
    /// Offset from the start, in bits.
    pub offset: u32,
    /// Number of bits of a bit field.
    pub bits: Option<u32>,
}

impl<'a> Composite<'a> {
    /// Returns the members in order.
    pub fn members(&self) -> impl ExactSizeIterator<Item = Member<'a>> + 'a {
        let Composite { btf, flag, .. } = *self;
        self.parts.chunks_exact(12).map(move |part| {
            let [name, of, offset] = words(part);
            let (name, of) = (btf.text(name), Id(of));
            if flag {
                let bits = Some(offset >> 24).filter(|&b| b != 0);
                return Member { name, of, offset: offset & 0xff_ffff, bits };
            }
            // Without the flag, the width of a bit field is in its type.
            match btf.get(btf.strip(of)) {
                Some(Type::Int { size, bits, offset: more, .. })
                    if u64::from(bits) != u64::from(size) * 8 =>
                {
                    let offset = offset.saturating_add(more);
                    Member { name, of, offset, bits: Some(bits) }
                }
                _ => Member { name, of, offset, bits: None },
            }
        })
    }
}

/// An enum of any size.
#[derive(Debug, Clone, Copy)]
pub struct Enumeration<'a> {
    /// The tag, or "".
    pub name: &'a str,
    /// Size in bytes.
    pub size: u32,
    /// Its values are signed.
    pub signed: bool,
    btf: &'a Btf,
    parts: &'a [u8],
    wide: bool,
}

/// A named value of an enum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Variant<'a> {
    /// The name.
    pub name: &'a str,
    /// The value, extended by its sign if the enum is signed.
    pub value: u64,
}

impl<'a> Enumeration<'a> {
    /// Returns the values in order.
    pub fn variants(&self) -> impl ExactSizeIterator<Item = Variant<'a>> + 'a {
        let btf = self.btf;
        self.raw().map(move |(name, value)| Variant { name: btf.text(name), value })
    }

    /// Returns the values with this name.
    pub(crate) fn values_of(&self, name: &'a str) -> impl Iterator<Item = u64> + 'a {
        let btf = self.btf;
        let found = self.raw().filter(move |&(at, _)| btf.raw_text(at) == name.as_bytes());
        found.map(|(_, value)| value)
    }

    /// Returns offsets of names, with values.
    fn raw(&self) -> impl ExactSizeIterator<Item = (u32, u64)> + 'a {
        let Enumeration { wide, signed, .. } = *self;
        let each = if wide { 12 } else { 8 };
        self.parts.chunks_exact(each).map(move |part| {
            let [name, low, high] = words(part);
            let value = match (wide, signed) {
                (true, _) => u64::from(high) << 32 | u64::from(low),
                (false, true) => low as i32 as u64,
                (false, false) => u64::from(low),
            };
            (name, value)
        })
    }
}

/// The type of a function.
#[derive(Debug, Clone, Copy)]
pub struct Prototype<'a> {
    /// The type of the result.
    pub returns: Id,
    btf: &'a Btf,
    parts: &'a [u8],
}

impl<'a> Prototype<'a> {
    /// Returns names and types of parameters. A parameter with neither is `...`.
    pub fn parameters(&self) -> impl ExactSizeIterator<Item = (&'a str, Id)> + 'a {
        let btf = self.btf;
        self.parts.chunks_exact(8).map(move |part| {
            let [name, of, _] = words(part);
            (btf.text(name), Id(of))
        })
    }
}

/// A section of variables.
#[derive(Debug, Clone, Copy)]
pub struct Section<'a> {
    /// The name.
    pub name: &'a str,
    /// Size in bytes.
    pub size: u32,
    parts: &'a [u8],
}

impl<'a> Section<'a> {
    /// Returns the variables in it.
    pub fn variables(&self) -> impl ExactSizeIterator<Item = Id> + 'a {
        self.parts.chunks_exact(12).map(|part| {
            let [variable, _, _] = words(part);
            Id(variable)
        })
    }
}

/// Returns the first three words; 0 for a missing one.
fn words(part: &[u8]) -> [u32; 3] {
    [0, 4, 8].map(|at| u32_at(part, at).unwrap_or(0))
}

/// Tells whether these bytes begin with an enum.
pub(crate) fn is_enum(bytes: &[u8]) -> bool {
    u32_at(bytes, 4).is_some_and(|info| matches!(Info(info).kind(), 6 | 19))
}

/// Reads the type at the start of `bytes`.
pub(crate) fn decode<'a>(btf: &'a Btf, bytes: &'a [u8]) -> Option<Type<'a>> {
    let [name, info, of] = words(bytes.get(..HEAD)?);
    let (name, info) = (btf.text(name), Info(info));
    let (id, size) = (Id(of), of);
    let rest = bytes.get(HEAD..)?;
    let (once, each) = ADDED.get(info.kind() as usize).copied().flatten().unwrap_or((0, 0));
    let parts = rest.get(once.into()..)?.get(..info.parts().checked_mul(each.into())?)?;
    let [first, second, third] = words(rest);
    let composite = Composite { name, size, btf, parts, flag: info.flag() };
    Some(match info.kind() {
        1 => Type::Int {
            name,
            size,
            signed: first >> 24 & 1 != 0,
            bool: first >> 24 & 4 != 0,
            bits: first & 0xff,
            offset: first >> 16 & 0xff,
        },
        2 => Type::Pointer { to: id },
        3 => Type::Array { element: Id(first), index: Id(second), count: third },
        4 => Type::Struct(composite),
        5 => Type::Union(composite),
        kind @ (6 | 19) => {
            let wide = kind == 19;
            Type::Enum(Enumeration { name, size, signed: info.flag(), btf, parts, wide })
        }
        7 => Type::Forward { name, is_union: info.flag() },
        8 => Type::Typedef { name, of: id },
        9 => Type::Volatile { of: id },
        10 => Type::Const { of: id },
        11 => Type::Restrict { of: id },
        12 => {
            let linkage = Linkage::new(info.parts() as u32);
            Type::Function { name, prototype: id, linkage }
        }
        13 => Type::Prototype(Prototype { returns: id, btf, parts }),
        14 => Type::Variable { name, of: id, linkage: Linkage::new(first) },
        15 => Type::Section(Section { name, size, parts }),
        16 => Type::Float { name, size },
        17 => Type::DeclTag { name, of: id, part: Some(first).filter(|&p| p != u32::MAX) },
        18 => Type::TypeTag { name, of: id },
        kind => Type::Other { name, kind },
    })
}
