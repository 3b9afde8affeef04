// SPDX-License-Identifier: GPL-2.0
//! BTF, the types of a kernel: bytes in, values out. No IO, no panic on any input.
//!
//! A BTF blob is a header, a list of types (numbered from 1, of different lengths) and strings. A
//! module's blob continues the numbers and the strings of the kernel's, its *base*.
//!
//! Nothing is converted before it is asked for. [`Btf::read`] makes one pass that notes where each
//! type begins; the index of names is a second one, made by the first [`Btf::named`]. The two take
//! some milliseconds for the 120,000 types of a kernel: the crates that exist take 60 and more. No
//! name is looked at for that: one that is asked for is searched among the strings, then the types are
//! found that have it.
#![forbid(unsafe_code)]
#![deny(missing_docs)]
#![cfg_attr(
    not(test),
    deny(clippy::indexing_slicing, clippy::unwrap_used, clippy::expect_used, clippy::panic)
)]

pub mod builder;
mod display;
mod index;
mod kind;
pub mod signature;

use index::Index;
pub use kind::{Composite, Enumeration, Linkage, Member, Prototype, Section, Type, Variant};
use memchr::memmem;
pub use signature::{Parameter, Returns, Signature};
use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Number of a type within a [`Btf`]; 0 is `void`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Id(pub u32);

/// `void`.
pub const VOID: Id = Id(0);

/// Chains of typedefs and qualifiers, and nesting, are followed this far: real ones are short.
const DEPTH: u32 = 64;

/// Why bytes are not BTF.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Damage {
    /// What the header says does not fit.
    Header(&'static str),
    /// A type is of a kind that neither this reader nor the blob's own table of layouts knows.
    Kind {
        /// The type's number.
        id: u32,
        /// The kind.
        kind: u32,
    },
    /// The list of types ends in the middle of this one.
    Short {
        /// The type's number.
        id: u32,
    },
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Damage::Header(what) => write!(f, "damaged BTF: {what}"),
            Damage::Kind { id, kind } => {
                write!(f, "BTF type {id} is of kind {kind}; known are 1 to {}", kind::LAST)
            }
            Damage::Short { id } => write!(f, "BTF type {id} is cut off"),
        }
    }
}

impl std::error::Error for Damage {}

/// Where a part of the blob is.
#[derive(Debug, Clone, Copy)]
struct Span {
    start: usize,
    len: usize,
}

impl Span {
    fn of(self, bytes: &[u8]) -> &[u8] {
        bytes.get(self.start..).and_then(|rest| rest.get(..self.len)).unwrap_or_default()
    }
}

/// The types of a kernel, or of a module on top of its kernel's.
pub struct Btf {
    bytes: Cow<'static, [u8]>,
    strings: Span,
    /// Where each own type begins in `bytes`.
    starts: Vec<u32>,
    base: Option<Arc<Btf>>,
    index: OnceLock<Index>,
    /// The same by the hash of the name itself: made where many names are asked for.
    by_hash: OnceLock<Index>,
    /// Where names are among the strings, as far as they were asked for.
    places: Mutex<HashMap<String, Arc<[u32]>>>,
    asked: AtomicU32,
}

impl fmt::Debug for Btf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Btf({} types)", self.starts.len())
    }
}

/// So many names are searched among the strings; to hash all names costs about as much.
const SEARCHES: u32 = 8;

/// FNV-1a, never 0.
fn hash(name: &[u8]) -> u32 {
    let step = |h: u32, b: &u8| (h ^ u32::from(*b)).wrapping_mul(0x0100_0193);
    name.iter().fold(0x811c_9dc5, step) | 1
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    let raw = bytes.get(at..)?.get(..2)?;
    Some(u16::from_le_bytes(raw.try_into().ok()?))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    let raw = bytes.get(at..)?.get(..4)?;
    Some(u32::from_le_bytes(raw.try_into().ok()?))
}

impl Btf {
    /// Reads a kernel's blob.
    pub fn read(bytes: impl Into<Cow<'static, [u8]>>) -> Result<Self, Damage> {
        Self::open(bytes.into(), None)
    }

    /// Reads a module's blob, which continues the kernel's.
    pub fn read_split(
        bytes: impl Into<Cow<'static, [u8]>>,
        base: Arc<Btf>,
    ) -> Result<Self, Damage> {
        Self::open(bytes.into(), Some(base))
    }

    fn open(bytes: Cow<'static, [u8]>, base: Option<Arc<Btf>>) -> Result<Self, Damage> {
        let short = Damage::Header("the header is cut off");
        let word = |at| u32_at(&bytes, at).ok_or(short.clone());
        match u16_at(&bytes, 0) {
            Some(0xeb9f) => {}
            Some(0x9feb) => return Err(Damage::Header("it is big-endian, expected little-endian")),
            _ => return Err(Damage::Header("it does not begin with 0xeb9f")),
        }
        if bytes.get(2) != Some(&1) {
            return Err(Damage::Header("the version is not 1"));
        }
        let header = word(4)? as usize;
        if header < 24 {
            return Err(Damage::Header("the header is shorter than 24 bytes"));
        }
        let span = |at: usize, what| {
            let (offset, len) = (word(at)? as usize, word(at + 4)? as usize);
            let start = header.checked_add(offset).ok_or(Damage::Header(what))?;
            match start.checked_add(len) {
                Some(end) if end <= bytes.len() => Ok(Span { start, len }),
                _ => Err(Damage::Header(what)),
            }
        };
        let types = span(8, "the types reach past the end")?;
        let strings = span(16, "the strings reach past the end")?;
        let layouts = match header >= 32 {
            true => span(24, "the layouts reach past the end")?,
            false => Span { start: 0, len: 0 },
        };
        if strings.len > 0 && strings.of(&bytes).last() != Some(&0) {
            return Err(Damage::Header("the last string has no end"));
        }
        let first = base.as_ref().map_or(1, |b| b.end());
        let starts = kind::starts(&bytes, types, layouts.of(&bytes), first)?;
        Ok(Self {
            bytes,
            strings,
            starts,
            base,
            index: OnceLock::new(),
            by_hash: OnceLock::new(),
            places: Mutex::default(),
            asked: AtomicU32::new(0),
        })
    }

    /// The number after the last type's.
    pub fn end(&self) -> u32 {
        self.first().saturating_add(self.starts.len() as u32)
    }

    /// The number of the first type that is not the base's.
    pub fn first(&self) -> u32 {
        self.base.as_ref().map_or(1, |b| b.end())
    }

    /// The kernel's types, if these are a module's.
    pub fn base(&self) -> Option<&Arc<Btf>> {
        self.base.as_ref()
    }

    fn strings_end(&self) -> usize {
        let base = self.base.as_ref().map_or(0, |b| b.strings_end());
        base.saturating_add(self.strings.len)
    }

    /// The string at this offset; "" where there is none, or none in UTF-8.
    fn text(&self, offset: u32) -> &str {
        std::str::from_utf8(self.raw_text(offset)).unwrap_or_default()
    }

    fn raw_text(&self, offset: u32) -> &[u8] {
        let mut at = offset as usize;
        if let Some(base) = &self.base {
            match at.checked_sub(base.strings_end()) {
                Some(own) => at = own,
                None => return base.raw_text(offset),
            }
        }
        let rest = self.strings.of(&self.bytes).get(at..).unwrap_or_default();
        rest.split(|&b| b == 0).next().unwrap_or_default()
    }

    /// The type of this number.
    pub fn get(&self, id: Id) -> Option<Type<'_>> {
        if id == VOID {
            return Some(Type::Void);
        }
        match id.0.checked_sub(self.first()) {
            Some(own) => {
                let start = *self.starts.get(own as usize)?;
                kind::decode(self, self.bytes.get(start as usize..)?)
            }
            // The base's numbers mean the same here, and its types refer to none of ours.
            None => self.base.as_ref()?.get(id),
        }
    }

    /// Everything of this name, whatever kind it is; own types before the base's.
    pub fn named<'a>(&'a self, name: &'a str) -> impl Iterator<Item = (Id, Type<'a>)> + 'a {
        let base = self.base.as_deref();
        self.own_named(name).chain(base.into_iter().flat_map(move |b| b.own_named(name)))
    }

    /// Own types of this name, in order; none of the base's.
    pub fn own_named<'a>(&'a self, name: &'a str) -> impl Iterator<Item = (Id, Type<'a>)> + 'a {
        let mut found: Vec<u32> = match self.asked.fetch_add(1, Ordering::Relaxed) < SEARCHES {
            true => self.searched(name),
            false => self.hashed(name),
        };
        found.sort_unstable();
        let first = self.first();
        found.into_iter().filter_map(move |own| {
            let id = Id(first.checked_add(own)?);
            Some((id, self.get(id)?))
        })
    }

    /// Own types of this name: it is looked for among the strings.
    fn searched(&self, name: &str) -> Vec<u32> {
        let index = self.index.get_or_init(|| Index::new(self.own_names()));
        let with = |place: u32| index.candidates(place).filter(move |&i| self.own_name(i) == place);
        self.places(name).into_iter().flat_map(with).collect()
    }

    /// The same by the hash of all names.
    fn hashed(&self, name: &str) -> Vec<u32> {
        let of = |place: u32| if place == 0 { 0 } else { hash(self.raw_text(place)) };
        let index = self.by_hash.get_or_init(|| Index::new(self.own_names().map(of)));
        let is_it = |i: &u32| self.raw_text(self.own_name(*i)) == name.as_bytes();
        let all = index.candidates(hash(name.as_bytes()));
        all.filter(is_it).collect()
    }

    /// Where a name is among the strings, ours and the base's: mostly at one place, or the end of
    /// another string too.
    fn places(&self, name: &str) -> Vec<u32> {
        let mut places = self.own_places(name).to_vec();
        if let Some(base) = &self.base {
            places.extend_from_slice(&base.own_places(name));
        }
        places
    }

    /// The same of the own strings. Each module asks its base for the same names: to look through all
    /// strings costs more than to remember.
    fn own_places(&self, name: &str) -> Arc<[u32]> {
        let mut known = self.places.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(places) = known.get(name) {
            return places.clone();
        }
        let before = self.base.as_ref().map_or(0, |b| b.strings_end());
        let strings = self.strings.of(&self.bytes);
        let all = memmem::find_iter(strings, name.as_bytes());
        let whole = all.filter(|at| strings.get(at.wrapping_add(name.len())) == Some(&0));
        let places: Arc<[u32]> =
            whole.filter_map(|at| u32::try_from(before.checked_add(at)?).ok()).collect();
        known.insert(name.into(), places.clone());
        places
    }

    /// Where the name of an own type is.
    fn own_name(&self, own: u32) -> u32 {
        let start = self.starts.get(own as usize).copied();
        start.and_then(|start| u32_at(&self.bytes, start as usize)).unwrap_or(0)
    }

    fn own_names(&self) -> impl DoubleEndedIterator<Item = u32> + ExactSizeIterator + '_ {
        self.starts.iter().map(|&start| u32_at(&self.bytes, start as usize).unwrap_or(0))
    }

    /// The values and enums of all constants of this name; own ones before the base's. There is no
    /// index of them: each enum is looked at.
    pub fn constants<'a>(&'a self, name: &'a str) -> impl Iterator<Item = (u64, Id)> + 'a {
        let base = self.base.as_deref();
        self.own_constants(name).chain(base.into_iter().flat_map(move |b| b.own_constants(name)))
    }

    /// The same without the base's.
    pub fn own_constants<'a>(&'a self, name: &'a str) -> impl Iterator<Item = (u64, Id)> + 'a {
        // No string, no constant: mostly so.
        let is_there = !self.places(name).is_empty();
        let ids = (self.first()..self.end()).zip(&self.starts).filter(move |_| is_there);
        let enums = ids.filter_map(move |(id, &start)| {
            let bytes = self.bytes.get(start as usize..)?;
            match kind::is_enum(bytes).then(|| kind::decode(self, bytes))? {
                Some(Type::Enum(e)) => Some((Id(id), e)),
                _ => None,
            }
        });
        enums.flat_map(move |(id, e)| e.values_of(name).map(move |value| (value, id)))
    }

    /// Whether a variable of this blob is one of which each CPU has its own.
    pub fn is_per_cpu(&self, variable: Id) -> bool {
        self.own_named(".data..percpu").any(|(_, ty)| match ty {
            Type::Section(s) => s.variables().any(|v| v == variable),
            _ => false,
        })
    }

    /// The names of all functions of this blob; not the base's.
    pub fn functions(&self) -> impl Iterator<Item = &str> + '_ {
        (self.first()..self.end()).filter_map(|id| match self.get(Id(id)) {
            Some(Type::Function { name, .. }) => Some(name),
            _ => None,
        })
    }

    /// What remains without typedefs and qualifiers.
    pub fn strip(&self, id: Id) -> Id {
        let mut id = id;
        for _ in 0..DEPTH {
            match self.get(id) {
                Some(
                    Type::Typedef { of, .. }
                    | Type::Const { of }
                    | Type::Volatile { of }
                    | Type::Restrict { of }
                    | Type::TypeTag { of, .. },
                ) => id = of,
                _ => break,
            }
        }
        id
    }

    /// Bytes of a value; `None` of what has no size: void, functions, what is only declared.
    pub fn size(&self, id: Id) -> Option<u64> {
        let (mut id, mut times) = (id, 1u64);
        for _ in 0..DEPTH {
            id = self.strip(id);
            let one = match self.get(id)? {
                Type::Array { element, count, .. } => {
                    times = times.checked_mul(u64::from(count))?;
                    id = element;
                    continue;
                }
                Type::Pointer { .. } => 8,
                Type::Int { size, .. } | Type::Float { size, .. } => size,
                Type::Struct(c) | Type::Union(c) => c.size,
                Type::Enum(e) => e.size,
                _ => return None,
            };
            return times.checked_mul(u64::from(one));
        }
        None
    }

    /// The type as C writes it.
    pub fn spell(&self, id: Id) -> String {
        display::spell(self, id)
    }
}
