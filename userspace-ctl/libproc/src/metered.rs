// SPDX-License-Identifier: GPL-2.0
//! A reader of DWARF that comes to its end after a number of bytes, however often they are read.
//!
//! Parts of DWARF refer to each other: ten thousand units can share one table of abbreviations, and
//! as many functions one list of ranges. So the size of a file bounds neither the time to read it
//! nor what is made of it. The fuel of this reader bounds both.

use gimli::{EndianRcSlice, Error, LittleEndian, Reader, ReaderOffsetId, Result};
use std::borrow::Cow;
use std::cell::Cell;
use std::rc::Rc;

/// The number of bytes that may still be read.
pub(crate) type Fuel = Rc<Cell<u64>>;

/// A piece of a section.
#[derive(Debug, Clone)]
pub(crate) struct Metered {
    bytes: EndianRcSlice<LittleEndian>,
    fuel: Fuel,
}

impl Metered {
    pub(crate) fn new(bytes: Vec<u8>, fuel: &Fuel) -> Self {
        Self { bytes: EndianRcSlice::new(bytes.into(), LittleEndian), fuel: fuel.clone() }
    }

    fn burn(&self, bytes: usize) -> Result<()> {
        let left = self.fuel.get().checked_sub(bytes as u64);
        self.fuel.set(left.unwrap_or(0));
        left.map(drop).ok_or(Error::UnexpectedEof(self.offset_id()))
    }
}

impl Reader for Metered {
    type Endian = LittleEndian;
    type Offset = usize;

    fn endian(&self) -> LittleEndian {
        LittleEndian
    }

    #[inline]
    fn len(&self) -> usize {
        self.bytes.len()
    }

    #[inline]
    fn empty(&mut self) {
        self.bytes.empty();
    }

    #[inline]
    fn truncate(&mut self, len: usize) -> Result<()> {
        self.bytes.truncate(len)
    }

    #[inline]
    fn offset_from(&self, base: &Self) -> usize {
        self.bytes.offset_from(&base.bytes)
    }

    fn offset_id(&self) -> ReaderOffsetId {
        self.bytes.offset_id()
    }

    fn lookup_offset_id(&self, id: ReaderOffsetId) -> Option<usize> {
        self.bytes.lookup_offset_id(id)
    }

    fn find(&self, byte: u8) -> Result<usize> {
        let found = self.bytes.find(byte);
        self.burn(found.unwrap_or(self.bytes.len()))?;
        found
    }

    #[inline]
    fn skip(&mut self, len: usize) -> Result<()> {
        self.burn(1)?;
        self.bytes.skip(len)
    }

    #[inline]
    fn split(&mut self, len: usize) -> Result<Self> {
        self.burn(1)?;
        Ok(Self { bytes: self.bytes.split(len)?, fuel: self.fuel.clone() })
    }

    fn to_slice(&self) -> Result<Cow<'_, [u8]>> {
        self.burn(self.bytes.len())?;
        self.bytes.to_slice()
    }

    fn to_string(&self) -> Result<Cow<'_, str>> {
        self.burn(self.bytes.len())?;
        self.bytes.to_string()
    }

    fn to_string_lossy(&self) -> Result<Cow<'_, str>> {
        self.burn(self.bytes.len())?;
        self.bytes.to_string_lossy()
    }

    #[inline]
    fn read_slice(&mut self, buf: &mut [u8]) -> Result<()> {
        self.burn(buf.len())?;
        self.bytes.read_slice(buf)
    }
}
