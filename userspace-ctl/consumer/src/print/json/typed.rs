// SPDX-License-Identifier: GPL-2.0
//! Serializes the value of `print()` as a tree: structs become objects, arrays lists, enumerators
//! their names.

use super::super::typed::{bits, name_of};
use super::text;
use crate::datum::{signed, unsigned};
use abi::probe::until_nul;
use d::shape::{Field, Shape};
use serde::ser::{SerializeMap, Serializer};
use serde::Serialize;
use std::borrow::Cow;

/// Bytes with a type.
#[derive(Debug)]
pub struct Typed<'a> {
    /// The type.
    pub shape: &'a Shape,
    /// The bytes, possibly more than needed; a missing value becomes null.
    pub bytes: Cow<'a, [u8]>,
}

impl Serialize for Typed<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let some = |size: u32| self.bytes.get(..size as usize);
        match self.shape {
            Shape::Number { size, is_signed: true } => some(*size).and_then(signed).serialize(to),
            Shape::Number { size, .. } => some(*size).and_then(unsigned).serialize(to),
            Shape::Enum { size, names } => {
                enumerator(to, names, some(*size).and_then(unsigned), size * 8)
            }
            Shape::Char => match self.bytes.first() {
                Some(c @ b' '..=b'~') => to.serialize_char(char::from(*c)),
                other => other.serialize(to),
            },
            Shape::Float { size: 4 } => {
                self.bytes.first_chunk().map(|b| f32::from_le_bytes(*b)).serialize(to)
            }
            Shape::Float { .. } => {
                self.bytes.first_chunk().map(|b| f64::from_le_bytes(*b)).serialize(to)
            }
            Shape::Text { size } => {
                to.serialize_str(&text(until_nul(some(*size).unwrap_or(&self.bytes))))
            }
            Shape::Array { of, size, count } => to.collect_seq((0..*count as usize).map(|n| {
                let bytes = self.bytes.get(n * *size as usize..).unwrap_or_default();
                Typed { shape: of, bytes: bytes.into() }
            })),
            Shape::Struct(fields) => {
                let mut map = to.serialize_map(None)?;
                members(&mut map, fields, &self.bytes)?;
                map.end()
            }
            Shape::Unknown => to.serialize_none(),
        }
    }
}

/// Writes members; those of a nameless member count as the struct's own.
fn members<M: SerializeMap>(to: &mut M, fields: &[Field], bytes: &[u8]) -> Result<(), M::Error> {
    for f in fields {
        let inner = bytes.get(f.offset as usize / 8..).unwrap_or_default();
        match &f.shape {
            Shape::Struct(own) if f.name.is_empty() => members(to, own, inner)?,
            _ if f.name.is_empty() => {}
            shape => match f.bits {
                Some(count) => {
                    let v = bits(bytes, f.offset, count);
                    to.serialize_entry(&f.name, &BitField { shape, v, count })?;
                }
                None => to.serialize_entry(&f.name, &Typed { shape, bytes: inner.into() })?,
            },
        }
    }
    Ok(())
}

struct BitField<'a> {
    shape: &'a Shape,
    v: Option<u64>,
    count: u8,
}

impl Serialize for BitField<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let unused = 64u32.saturating_sub(self.count.into());
        match (self.shape, self.v) {
            (Shape::Enum { names, .. }, v) => enumerator(to, names, v, self.count.into()),
            (Shape::Number { is_signed: true, .. }, Some(v)) => {
                to.serialize_i64((v << unused) as i64 >> unused)
            }
            (_, v) => v.serialize(to),
        }
    }
}

/// Writes the name of a value of `bits` bits, or the number if it has no name.
fn enumerator<S: Serializer>(
    to: S,
    names: &[(String, u64)],
    v: Option<u64>,
    bits: u32,
) -> Result<S::Ok, S::Error> {
    match v.and_then(|v| name_of(names, v, bits)) {
        Some(name) => to.serialize_str(name),
        None => v.serialize(to),
    }
}
