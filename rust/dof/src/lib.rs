// SPDX-License-Identifier: GPL-2.0
//! Reads DOF: bytes that claim to be an enabling become checked views, or an error.
//!
//! Nothing is certain until [`Dof::check`] has seen the header and the section table: then sections
//! lie inside the file, in ascending order, and do not overlap. References between sections (an
//! index, an offset into a string table) are checked when they are followed, so every accessor may
//! still return a [`DofError`]. This crate allocates nothing and expects no alignment: it copies
//! structures out. It knows nothing of probes.
#![cfg_attr(not(test), no_std)]
#![forbid(unsafe_code)]
#![deny(
    missing_docs,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::arithmetic_side_effects
)]

mod error;
mod provider;
mod statement;

pub use error::{DofError, Problem};
pub use provider::{Provider, ProviderProbe, Relocation, MAX_TYPE};
pub use statement::{Action, Actions, Difo, Pattern, Statement};

use abi::dof::{
    Header, OptDesc, SectionHeader, SectionKind, ENCODING_LSB, MAGIC, MAX_SECTIONS, MAX_SIZE,
    MODEL_LP64, SECIDX_NONE,
};
use core::marker::PhantomData;
use zerocopy::FromBytes;

/// A checked DOF.
#[derive(Clone, Copy)]
pub struct Dof<'a> {
    bytes: &'a [u8],
    table: &'a [u8],
    count: u32,
}

/// One section of a checked DOF.
#[derive(Clone, Copy)]
pub struct Section<'a> {
    index: u32,
    header: SectionHeader,
    data: &'a [u8],
}

const SECTION_SIZE: usize = size_of::<SectionHeader>();

impl<'a> Dof<'a> {
    /// Checks the header and the section table.
    pub fn check(bytes: &'a [u8]) -> Result<Self, DofError> {
        let head = |problem| DofError { section: SECIDX_NONE, problem };
        if bytes.len() > MAX_SIZE {
            return Err(head(Problem::TooLarge));
        }
        let (h, _) = Header::read_from_prefix(bytes).map_err(|_| head(Problem::Truncated))?;
        if h.magic != MAGIC {
            return Err(head(Problem::Magic));
        }
        if h.model != MODEL_LP64 || h.encoding != ENCODING_LSB {
            return Err(head(Problem::Model));
        }
        if !(1..=2).contains(&h.version) {
            return Err(head(Problem::Version(h.version)));
        }
        if h.dif_version > abi::dif::DIF_VERSION
            || usize::from(h.dif_ireg) > abi::dif::NREGS
            || usize::from(h.dif_treg) > abi::dif::NTUPLE
        {
            return Err(head(Problem::DifVersion));
        }
        if h.flags != 0 || h.ident_pad != [0; 6] || h.pad != 0 {
            return Err(head(Problem::Reserved));
        }
        if h.header_size as usize != size_of::<Header>() || h.section_size as usize != SECTION_SIZE
        {
            return Err(head(Problem::HeaderSize));
        }
        if h.section_count as usize > MAX_SECTIONS {
            return Err(head(Problem::TooManySections));
        }
        if h.load_size > h.file_size || h.load_size > bytes.len() as u64 {
            return Err(head(Problem::Truncated));
        }
        let bytes = bytes.get(..h.load_size as usize).ok_or(head(Problem::Truncated))?;
        let table_size = (h.section_count as usize).saturating_mul(SECTION_SIZE);
        let table = usize::try_from(h.section_offset)
            .ok()
            .and_then(|at| bytes.get(at..at.checked_add(table_size)?))
            .ok_or(head(Problem::SectionTable))?;
        // The table may be anywhere behind the header; sections may not reach into either.
        let table_start = h.section_offset;
        if table_start < size_of::<Header>() as u64 {
            return Err(head(Problem::SectionTable));
        }
        let table_end = table_start.saturating_add(table_size as u64);
        let dof = Self { bytes, table, count: h.section_count };
        let mut free_from = size_of::<Header>() as u64;
        for index in 0..h.section_count {
            let bad = |problem| DofError { section: index, problem };
            let s = dof.header(index).ok_or(bad(Problem::SectionTable))?;
            if SectionKind::from_number(s.kind).is_none() {
                return Err(bad(Problem::SectionKind(s.kind)));
            }
            if s.align > 8 || !s.align.is_power_of_two() {
                return Err(bad(Problem::Alignment));
            }
            if s.size == 0 {
                continue;
            }
            let end = s.offset.checked_add(s.size).ok_or(bad(Problem::Bounds))?;
            if end > h.load_size {
                return Err(bad(Problem::Bounds));
            }
            if s.offset & u64::from(s.align.wrapping_sub(1)) != 0 {
                return Err(bad(Problem::Alignment));
            }
            let in_table = table_size != 0 && s.offset < table_end && end > table_start;
            if s.offset < free_from || in_table {
                return Err(bad(Problem::Overlap));
            }
            free_from = end;
        }
        Ok(dof)
    }

    fn header(&self, index: u32) -> Option<SectionHeader> {
        let at = (index as usize).checked_mul(SECTION_SIZE)?;
        let bytes = self.table.get(at..at.checked_add(SECTION_SIZE)?)?;
        SectionHeader::read_from_bytes(bytes).ok()
    }

    /// Returns the section with this index. If there is none, the error names section `from`.
    fn section(&self, index: u32, from: u32) -> Result<Section<'a>, DofError> {
        let none = DofError { section: from, problem: Problem::NoSuchSection(index) };
        if index >= self.count {
            return Err(none);
        }
        let header = self.header(index).ok_or(none)?;
        let data = match header.size {
            0 => &[],
            size => usize::try_from(header.offset)
                .ok()
                .and_then(|at| self.bytes.get(at..at.checked_add(usize::try_from(size).ok()?)?))
                .ok_or(DofError { section: index, problem: Problem::Bounds })?,
        };
        Ok(Section { index, header, data })
    }

    /// Returns the section with this index, which must be of this kind.
    fn section_of(
        &self,
        index: u32,
        kind: SectionKind,
        from: u32,
    ) -> Result<Section<'a>, DofError> {
        let s = self.section(index, from)?;
        if s.header.kind == kind as u32 {
            Ok(s)
        } else {
            Err(DofError {
                section: from,
                problem: Problem::WrongKind { found: s.header.kind, expected: kind as u32 },
            })
        }
    }

    /// Returns all sections of a kind.
    fn sections(&self, kind: SectionKind) -> impl Iterator<Item = Section<'a>> {
        let dof = *self;
        (0..self.count)
            .filter_map(move |i| dof.section(i, i).ok())
            .filter(move |s| s.header.kind == kind as u32)
    }

    /// Returns the options, in order; a later one overrides an earlier one.
    pub fn options(&self) -> impl Iterator<Item = Result<OptDesc, DofError>> + 'a {
        let dof = *self;
        dof.sections(SectionKind::OptDesc).flat_map(|s| s.entries::<OptDesc>())
    }

    /// Returns the statements of the enabling, in order.
    pub fn statements(&self) -> impl Iterator<Item = Result<Statement<'a>, DofError>> {
        let dof = *self;
        dof.sections(SectionKind::EcbDesc).map(move |s| Statement::read(dof, s))
    }
}

/// The entries of a table.
struct Entries<'a, T> {
    rest: &'a [u8],
    /// The table is malformed: it has this error and no entries.
    error: Option<DofError>,
    of: PhantomData<T>,
}

impl<T: FromBytes> Iterator for Entries<'_, T> {
    type Item = Result<T, DofError>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Some(e) = self.error.take() {
            return Some(Err(e));
        }
        let (entry, rest) = T::read_from_prefix(self.rest).ok()?;
        self.rest = rest;
        Some(Ok(entry))
    }
}

impl<'a> Section<'a> {
    /// Returns the one structure that the section holds.
    fn one<T: FromBytes>(&self) -> Result<T, DofError> {
        T::read_from_prefix(self.data)
            .map(|(t, _)| t)
            .map_err(|_| DofError { section: self.index, problem: Problem::Truncated })
    }

    /// Returns the entries of the table that the section holds.
    fn entries<T: FromBytes>(&self) -> Entries<'a, T> {
        let whole = self.header.entry_size as usize == size_of::<T>()
            && self.data.len().checked_rem(size_of::<T>()) == Some(0);
        let bad = DofError { section: self.index, problem: Problem::EntrySize };
        let (rest, error) = if whole { (self.data, None) } else { (&[][..], Some(bad)) };
        Entries { rest, error, of: PhantomData }
    }

    /// Returns the NUL-terminated text at `offset` of a string table, if it has at most `most`
    /// bytes. It reads no more of it, because a file may name the same long text many thousand
    /// times.
    fn text(&self, offset: u64, most: usize) -> Result<&'a [u8], DofError> {
        let bad = |problem| DofError { section: self.index, problem };
        let tail = usize::try_from(offset).ok().and_then(|at| self.data.get(at..));
        let tail = tail.ok_or(bad(Problem::String))?;
        let near = tail.get(..most.saturating_add(1).min(tail.len())).unwrap_or_default();
        match near.iter().position(|&b| b == 0) {
            Some(end) => near.get(..end).ok_or(bad(Problem::String)),
            None if near.len() > most => Err(bad(Problem::TextLength(most))),
            None => Err(bad(Problem::String)),
        }
    }
}
