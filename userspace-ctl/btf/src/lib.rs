// SPDX-License-Identifier: GPL-2.0
//! BTF, the types of a kernel: bytes in, values out. No IO, no panic on any input.
//!
//! A BTF blob is a header, a list of types (numbered from 1, of different lengths) and strings. A
//! module's blob continues the numbers and the strings of the kernel's, its *base*.
//!
//! Nothing is converted before it is needed. [`Btf::read`] makes one pass that records where each
//! type begins; the first [`Btf::named`] makes a second one, for the index of names. The two take
//! some milliseconds for the 120,000 types of a kernel; existing crates take 60 and more. The two
//! passes read no name: a query searches its name in the strings, then looks up the types that have
//! it.
#![forbid(unsafe_code)]
#![warn(clippy::too_many_lines)]
// They panic if the stream is closed or its disk is full.
#![cfg_attr(not(test), deny(clippy::print_stderr, clippy::print_stdout))]
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

/// The number of a type within a [`Btf`]; 0 is `void`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Id(pub u32);

/// The number of `void`.
pub const VOID: Id = Id(0);

/// The most steps along chains of typedefs and qualifiers, and into nested types; real ones are
/// short.
const DEPTH: u32 = 64;

/// The reason why bytes are not BTF.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Damage {
    /// A value in the header is wrong.
    Header(&'static str),
    /// Neither this reader nor the blob's own table of layouts knows a type's kind.
    Kind {
        /// The type's number.
        id: u32,
        /// The kind.
        kind: u32,
    },
    /// The list of types ends in the middle of a type.
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

/// The place of a part of the blob.
#[derive(Debug, Clone, Copy)]
struct Span {
    start: usize,
    len: usize,
}

impl Span {
    fn slice(self, bytes: &[u8]) -> &[u8] {
        bytes.get(self.start..).and_then(|rest| rest.get(..self.len)).unwrap_or_default()
    }
}

/// The types of a kernel, or of a module on top of its kernel's.
pub struct Btf {
    bytes: Cow<'static, [u8]>,
    strings: Span,
    /// The offset of each own type in `bytes`.
    starts: Vec<u32>,
    base: Option<Arc<Btf>>,
    index: OnceLock<Index>,
    /// An index by the hash of the name itself, made after many queries.
    by_hash: OnceLock<Index>,
    /// The offsets of names in the strings, for the names queried so far.
    places: Mutex<HashMap<String, Arc<[u32]>>>,
    asked: AtomicU32,
}

impl fmt::Debug for Btf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Btf({} types)", self.starts.len())
    }
}

/// The number of names that are searched in the strings; after that, all names are hashed, which
/// costs about as much.
const SEARCHES: u32 = 8;

/// Returns the FNV-1a hash, never 0.
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
        if strings.len > 0 && strings.slice(&bytes).last() != Some(&0) {
            return Err(Damage::Header("the last string has no end"));
        }
        let first = base.as_ref().map_or(1, |b| b.end());
        let starts = kind::starts(&bytes, types, layouts.slice(&bytes), first)?;
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

    /// Returns the number after the last type's.
    pub fn end(&self) -> u32 {
        self.first().saturating_add(self.starts.len() as u32)
    }

    /// Returns the number of the first own type, after the base's.
    pub fn first(&self) -> u32 {
        self.base.as_ref().map_or(1, |b| b.end())
    }

    /// Returns the kernel's types, if this is a module's BTF.
    pub fn base(&self) -> Option<&Arc<Btf>> {
        self.base.as_ref()
    }

    fn strings_end(&self) -> usize {
        let base = self.base.as_ref().map_or(0, |b| b.strings_end());
        base.saturating_add(self.strings.len)
    }

    /// Returns the string at this offset; "" if there is none, or if it is not UTF-8.
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
        let rest = self.strings.slice(&self.bytes).get(at..).unwrap_or_default();
        rest.split(|&b| b == 0).next().unwrap_or_default()
    }

    /// Returns the type of this number.
    pub fn get(&self, id: Id) -> Option<Type<'_>> {
        if id == VOID {
            return Some(Type::Void);
        }
        match id.0.checked_sub(self.first()) {
            Some(own) => {
                let start = *self.starts.get(own as usize)?;
                kind::decode(self, self.bytes.get(start as usize..)?)
            }
            // The base's numbers are valid here, and its types refer to none of ours.
            None => self.base.as_ref()?.get(id),
        }
    }

    /// Returns the types of this name, of any kind; own types before the base's.
    pub fn named<'a>(&'a self, name: &'a str) -> impl Iterator<Item = (Id, Type<'a>)> + 'a {
        let base = self.base.as_deref();
        self.own_named(name).chain(base.into_iter().flat_map(move |b| b.own_named(name)))
    }

    /// Returns the own types of this name, in order, without the base's.
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

    /// Finds the own types of this name by searching the name in the strings.
    fn searched(&self, name: &str) -> Vec<u32> {
        let index = self.index.get_or_init(|| Index::new(self.own_names()));
        let with = |place: u32| index.candidates(place).filter(move |&i| self.own_name(i) == place);
        self.places(name).into_iter().flat_map(with).collect()
    }

    /// Finds the own types of this name by the hash of all names.
    fn hashed(&self, name: &str) -> Vec<u32> {
        let of = |place: u32| if place == 0 { 0 } else { hash(self.raw_text(place)) };
        let index = self.by_hash.get_or_init(|| Index::new(self.own_names().map(of)));
        let is_it = |i: &u32| self.raw_text(self.own_name(*i)) == name.as_bytes();
        let all = index.candidates(hash(name.as_bytes()));
        all.filter(is_it).collect()
    }

    /// Returns the offsets of a name in the strings, ours and the base's. Most names have one
    /// offset; the end of another string can be a second one.
    fn places(&self, name: &str) -> Vec<u32> {
        let mut places = self.own_places(name).to_vec();
        if let Some(base) = &self.base {
            places.extend_from_slice(&base.own_places(name));
        }
        places
    }

    /// Returns the offsets of a name in the own strings, and remembers them. Each module asks its
    /// base for the same names, and a search costs more than the memory.
    fn own_places(&self, name: &str) -> Arc<[u32]> {
        let mut known = self.places.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(places) = known.get(name) {
            return places.clone();
        }
        let before = self.base.as_ref().map_or(0, |b| b.strings_end());
        let strings = self.strings.slice(&self.bytes);
        let all = memmem::find_iter(strings, name.as_bytes());
        let whole = all.filter(|at| strings.get(at.wrapping_add(name.len())) == Some(&0));
        let places: Arc<[u32]> =
            whole.filter_map(|at| u32::try_from(before.checked_add(at)?).ok()).collect();
        known.insert(name.into(), places.clone());
        places
    }

    /// Returns the offset of an own type's name.
    fn own_name(&self, own: u32) -> u32 {
        let start = self.starts.get(own as usize).copied();
        start.and_then(|start| u32_at(&self.bytes, start as usize)).unwrap_or(0)
    }

    fn own_names(&self) -> impl DoubleEndedIterator<Item = u32> + ExactSizeIterator + '_ {
        self.starts.iter().map(|&start| u32_at(&self.bytes, start as usize).unwrap_or(0))
    }

    /// Returns the values and enums of all constants of this name; own ones before the base's. They
    /// have no index: this reads each enum.
    pub fn constants<'a>(&'a self, name: &'a str) -> impl Iterator<Item = (u64, Id)> + 'a {
        let base = self.base.as_deref();
        self.own_constants(name).chain(base.into_iter().flat_map(move |b| b.own_constants(name)))
    }

    /// [`Self::constants`] without the base's.
    pub fn own_constants<'a>(&'a self, name: &'a str) -> impl Iterator<Item = (u64, Id)> + 'a {
        // Without the string there is no constant; this is the usual case.
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

    /// Tells whether a variable of this blob is a per-CPU variable.
    pub fn is_per_cpu(&self, variable: Id) -> bool {
        self.own_named(".data..percpu").any(|(_, ty)| match ty {
            Type::Section(s) => s.variables().any(|v| v == variable),
            _ => false,
        })
    }

    /// Returns the names of all functions of this blob, without the base's.
    pub fn functions(&self) -> impl Iterator<Item = &str> + '_ {
        (self.first()..self.end()).filter_map(|id| match self.get(Id(id)) {
            Some(Type::Function { name, .. }) => Some(name),
            _ => None,
        })
    }

    /// Returns the type without typedefs, qualifiers and tags.
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

    /// Returns the bytes of a value; `None` for a type without a size: void, functions, types that
    /// are only declared.
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

    /// Returns the type as C writes it.
    pub fn spell(&self, id: Id) -> String {
        display::spell(self, id)
    }
}
