// SPDX-License-Identifier: GPL-2.0
//! DOF, the container in which enablings travel: header, section table, sections.
//!
//! ```text
//! | Header 64 | SectionHeader 32 x n | section data ... |
//! ```
//! An enabling is a list of ECBDESC sections; each names a PROBEDESC, optionally a DIFOHDR
//! (predicate) and an ACTDESC list; an action names its DIFOHDR; a DIFOHDR links to DIF, INTTAB,
//! STRTAB and VARTAB sections. Options stand in OPTDESC sections.

use crate::difo::DifType;
use zerocopy_derive::{FromBytes, Immutable, IntoBytes, KnownLayout};

/// First bytes of any DOF.
pub const MAGIC: [u8; 4] = [0x7f, b'D', b'O', b'F'];
/// LP64.
pub const MODEL_LP64: u8 = 2;
/// Little endian.
pub const ENCODING_LSB: u8 = 1;
/// The version written here; 1 and 2 are read.
pub const DOF_VERSION: u8 = 2;
/// Largest DOF taken, bytes.
pub const MAX_SIZE: usize = 8 << 20;
/// Most sections of one DOF.
pub const MAX_SECTIONS: usize = 1 << 16;
/// Section index that names no section.
pub const SECIDX_NONE: u32 = u32::MAX;
/// Section is to be loaded into the kernel.
pub const SECF_LOAD: u32 = 1;

/// Head of a DOF.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout)]
pub struct Header {
    /// [`MAGIC`].
    pub magic: [u8; 4],
    /// [`MODEL_LP64`].
    pub model: u8,
    /// [`ENCODING_LSB`].
    pub encoding: u8,
    /// [`DOF_VERSION`].
    pub version: u8,
    /// [`crate::dif::DIF_VERSION`].
    pub dif_version: u8,
    /// Integer registers the code uses.
    pub dif_ireg: u8,
    /// Tuple registers the code uses.
    pub dif_treg: u8,
    /// Zero.
    pub ident_pad: [u8; 6],
    /// Zero.
    pub flags: u32,
    /// Bytes of this struct.
    pub header_size: u32,
    /// Bytes of a [`SectionHeader`].
    pub section_size: u32,
    /// Sections.
    pub section_count: u32,
    /// Byte offset of the section table.
    pub section_offset: u64,
    /// Bytes the kernel needs.
    pub load_size: u64,
    /// Bytes in all.
    pub file_size: u64,
    /// Zero.
    pub pad: u64,
}

/// One row of the section table.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout)]
pub struct SectionHeader {
    /// [`SectionKind`].
    pub kind: u32,
    /// Alignment of `offset`, a power of two, at most 8.
    pub align: u32,
    /// [`SECF_LOAD`].
    pub flags: u32,
    /// Bytes of an entry of a table section, else 0.
    pub entry_size: u32,
    /// Byte offset of the data.
    pub offset: u64,
    /// Bytes of the data.
    pub size: u64,
}

macro_rules! sections {
    ($($num:literal $variant:ident),* $(,)?) => {
        /// What a section holds.
        #[allow(missing_docs, reason = "the manual's words")]
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[repr(u32)]
        pub enum SectionKind { $($variant = $num),* }
        impl SectionKind {
            /// The kind of this number.
            pub const fn from_number(n: u32) -> Option<SectionKind> {
                match n { $($num => Some(SectionKind::$variant),)* _ => None }
            }
        }
    };
}
sections!(
    0 None, 1 Comments, 2 Source, 3 EcbDesc, 4 ProbeDesc, 5 ActDesc, 6 DifoHdr, 7 Dif, 8 StrTab,
    9 VarTab, 10 RelTab, 11 TypTab, 12 UrelHdr, 13 KrelHdr, 14 OptDesc, 15 Provider, 16 Probes,
    17 PrArgs, 18 PrOffs, 19 IntTab, 20 Utsname, 21 XlTab, 22 XlMembers, 23 XlImport, 24 XlExport,
    25 PrExport, 26 PrenOffs,
);

/// ECBDESC: a statement's probe, predicate and actions, by section index.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout)]
pub struct EcbDesc {
    /// PROBEDESC section.
    pub probe: u32,
    /// DIFOHDR section or [`SECIDX_NONE`].
    pub predicate: u32,
    /// ACTDESC section or [`SECIDX_NONE`].
    pub actions: u32,
    /// Zero.
    pub pad: u32,
    /// The clause's own number, handed back by EPROBE.
    pub uarg: u64,
}

/// PROBEDESC: a probe description; offsets into its string table.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout)]
pub struct DofProbeDesc {
    /// STRTAB section.
    pub strtab: u32,
    /// Offset of the provider.
    pub provider: u32,
    /// Offset of the module.
    pub module: u32,
    /// Offset of the function.
    pub function: u32,
    /// Offset of the name.
    pub name: u32,
    /// Probe id, 0 to match by name.
    pub id: u32,
}

/// ACTDESC: one action.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout)]
pub struct ActDesc {
    /// DIFOHDR section or [`SECIDX_NONE`].
    pub difo: u32,
    /// STRTAB section of the format string, or [`SECIDX_NONE`].
    pub strtab: u32,
    /// [`crate::action::ActionKind`].
    pub kind: u32,
    /// Aggregations: how many actions before this one are its key.
    pub ntuple: u32,
    /// printf, printa, and other actions with a format: byte offset in `strtab`, if there is one.
    /// lquantize, llquantize: the encoded parameters. stack: frames.
    pub arg: u64,
    /// The consumer's own number for the statement; for an aggregation its D variable, from 1.
    pub uarg: u64,
}

/// DIFOHDR before its links (u32 section indices of DIF, INTTAB, STRTAB, VARTAB, each at most once).
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout)]
pub struct DifoHdr {
    /// Type of the returned value.
    pub rtype: DifType,
}

/// OPTDESC entry.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout)]
pub struct OptDesc {
    /// [`crate::option::OptionId`].
    pub option: u32,
    /// STRTAB section for string values, else [`SECIDX_NONE`].
    pub strtab: u32,
    /// The value.
    pub value: u64,
}

/// PROVIDER: the probes that a program brings along under one name. Offsets into the string table; the
/// others are sections.
#[repr(C)]
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout,
)]
pub struct DofProvider {
    /// STRTAB section.
    pub strtab: u32,
    /// PROBES section.
    pub probes: u32,
    /// PRARGS section: bytes, for each of what scripts see the number of what is passed.
    pub prargs: u32,
    /// PROFFS section: `u32` distances from the address of a probe.
    pub proffs: u32,
    /// Offset of the name, without the number of a process.
    pub name: u32,
    /// Stability of provider, module, function, name, arguments.
    pub attributes: [u32; 5],
    /// PRENOFFS section, as PROFFS: where the program asks whether a probe is enabled. From version 2 on.
    pub prenoffs: u32,
}

/// An entry of PROBES: a probe in one function.
#[repr(C)]
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout,
)]
pub struct DofProbe {
    /// From where its places count.
    pub address: u64,
    /// Offset of the function.
    pub function: u32,
    /// Offset of the name.
    pub name: u32,
    /// Offset of the first of the types that are passed, which stand side by side.
    pub natives: u32,
    /// The same of the types that scripts see.
    pub args: u32,
    /// Its first entry of PRARGS.
    pub first_arg: u32,
    /// Its first entry of PROFFS.
    pub first_place: u32,
    /// How many types are passed.
    pub native_count: u8,
    /// How many types scripts see.
    pub arg_count: u8,
    /// How many places.
    pub place_count: u16,
    /// Its first entry of PRENOFFS.
    pub first_question: u32,
    /// How many of them.
    pub question_count: u16,
    /// Zero.
    pub pad: [u16; 3],
}

/// URELHDR: what is to be added to numbers of a section.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout)]
pub struct DofRelHdr {
    /// STRTAB section.
    pub strtab: u32,
    /// RELTAB section.
    pub relocations: u32,
    /// The section whose numbers they are.
    pub target: u32,
}

/// An entry of RELTAB.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout)]
pub struct DofRelDesc {
    /// Offset of a name.
    pub name: u32,
    /// [`REL_SELF`].
    pub kind: u32,
    /// Of a `u64`, in the target.
    pub offset: u64,
    /// To be added as well.
    pub data: u64,
}

/// The number is a distance from where it is itself.
pub const REL_SELF: u32 = 2;

/// Value of an option that is not set.
pub const OPT_UNSET: u64 = u64::MAX - 1;
