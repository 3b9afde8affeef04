// SPDX-License-Identifier: GPL-2.0
//! The problems that a DOF can have, and their places.

use abi::dof::SECIDX_NONE;
use core::fmt;

/// A problem of a DOF.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Problem {
    /// It is larger than the kernel accepts.
    TooLarge,
    /// It ends before it should.
    Truncated,
    /// It does not begin with 7f 'D' 'O' 'F'.
    Magic,
    /// It is not 64-bit little endian.
    Model,
    /// The DOF version is unknown.
    Version(u8),
    /// The DIF version or the register count is too large.
    DifVersion,
    /// A reserved field is not zero.
    Reserved,
    /// The size of the header or of a section header is not ours.
    HeaderSize,
    /// There are more sections than allowed.
    TooManySections,
    /// The section table is not inside the file or overlaps the header.
    SectionTable,
    /// The kind of section is unknown.
    SectionKind(u32),
    /// The alignment is above 8, not a power of two, or not kept.
    Alignment,
    /// The section, or a reference into one, reaches beyond the end.
    Bounds,
    /// The section overlaps another one, or lies before its predecessor.
    Overlap,
    /// It refers to a section that does not exist.
    NoSuchSection(u32),
    /// It refers to a section of another kind.
    WrongKind {
        /// The kind that is there.
        found: u32,
        /// The kind that should be there.
        expected: u32,
    },
    /// The entry size of a table, or its length, does not fit.
    EntrySize,
    /// An offset is outside of the string table, or a string has no NUL.
    String,
    /// The name or the type of a provider's probe is longer than this number of bytes.
    TextLength(usize),
    /// A part of a probe description is too long.
    PartLength,
    /// A part of a probe description has too many `*`.
    Globs,
    /// The kind of action is unknown.
    ActionKind(u32),
    /// A DIF object has no code, has two sections of one kind, or links to another kind.
    DifoLinks,
    /// The key of an aggregation names more actions than precede it.
    Tuple,
}

/// A problem and its section.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DofError {
    /// The index of the section; [`SECIDX_NONE`] for the header.
    pub section: u32,
    /// The problem.
    pub problem: Problem,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::TooLarge => write!(f, "larger than {} bytes", abi::dof::MAX_SIZE),
            Self::Truncated => f.write_str("truncated"),
            Self::Magic => f.write_str("not DOF: wrong magic number"),
            Self::Model => f.write_str("not 64-bit little endian"),
            Self::Version(v) => write!(f, "DOF version {v}, expected 1 or 2"),
            Self::DifVersion => f.write_str("DIF version or register count too large"),
            Self::Reserved => f.write_str("reserved field is not zero"),
            Self::HeaderSize => f.write_str("unexpected header size"),
            Self::TooManySections => write!(f, "more than {} sections", abi::dof::MAX_SECTIONS),
            Self::SectionTable => f.write_str("section table is outside of the file"),
            Self::SectionKind(k) => write!(f, "unknown section kind {k}"),
            Self::Alignment => f.write_str("bad alignment"),
            Self::Bounds => f.write_str("reaches beyond the end"),
            Self::Overlap => f.write_str("overlaps or precedes the section before it"),
            Self::NoSuchSection(i) => write!(f, "refers to section {i}, which does not exist"),
            Self::WrongKind { found, expected } => {
                write!(f, "refers to a section of kind {found}, expected kind {expected}")
            }
            Self::EntrySize => f.write_str("unexpected entry size"),
            Self::String => f.write_str("string offset out of range or string not terminated"),
            Self::TextLength(most) => {
                write!(f, "a name or type of a probe is longer than {most} bytes")
            }
            Self::PartLength => f.write_str("part of a probe description is too long"),
            Self::Globs => f.write_str("probe description has too many globbing characters"),
            Self::ActionKind(k) => write!(f, "unknown action {k:#x}"),
            Self::DifoLinks => f.write_str("DIF object has no code, or two parts of one kind"),
            Self::Tuple => f.write_str("aggregation key is longer than the actions before it"),
        }
    }
}

impl fmt::Display for DofError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.section {
            SECIDX_NONE => write!(f, "DOF header: {}", self.problem),
            s => write!(f, "DOF section {s}: {}", self.problem),
        }
    }
}
