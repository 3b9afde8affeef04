// SPDX-License-Identifier: GPL-2.0
//! DOF, the container that carries enablings: header, section table, sections.
//!
//! ```text
//! | Header 64 | SectionHeader 32 x n | section data ... |
//! ```
//! An enabling is a list of ECBDESC sections. Each names a PROBEDESC, optionally a DIFOHDR (the
//! predicate), and an ACTDESC list; an action names its DIFOHDR; a DIFOHDR links to DIF, INTTAB,
//! STRTAB and VARTAB sections. Options are in OPTDESC sections.

use crate::difo::DifType;
use zerocopy_derive::{FromBytes, Immutable, IntoBytes, KnownLayout};

/// First bytes of any DOF.
pub const MAGIC: [u8; 4] = [0x7f, b'D', b'O', b'F'];
/// LP64.
pub const MODEL_LP64: u8 = 2;
/// Little endian.
pub const ENCODING_LSB: u8 = 1;
/// The version that is written here; versions 1 and 2 are read.
pub const DOF_VERSION: u8 = 2;
/// Size of the largest accepted DOF, in bytes.
pub const MAX_SIZE: usize = 8 << 20;
/// Most sections of one DOF.
pub const MAX_SECTIONS: usize = 1 << 16;
/// A section index that names no section.
pub const SECIDX_NONE: u32 = u32::MAX;
/// The section must be loaded into the kernel.
pub const SECF_LOAD: u32 = 1;

/// The head of a DOF.
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
    /// The number of integer registers that the code uses.
    pub dif_ireg: u8,
    /// The number of tuple registers that the code uses.
    pub dif_treg: u8,
    /// Zero.
    pub ident_pad: [u8; 6],
    /// Zero.
    pub flags: u32,
    /// Bytes of this struct.
    pub header_size: u32,
    /// Bytes of a [`SectionHeader`].
    pub section_size: u32,
    /// The number of sections.
    pub section_count: u32,
    /// Byte offset of the section table.
    pub section_offset: u64,
    /// The bytes that the kernel needs.
    pub load_size: u64,
    /// The bytes in total.
    pub file_size: u64,
    /// Zero.
    pub pad: u64,
}

/// A row of the section table.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout)]
pub struct SectionHeader {
    /// [`SectionKind`].
    pub kind: u32,
    /// Alignment of `offset`, a power of two, at most 8.
    pub align: u32,
    /// [`SECF_LOAD`].
    pub flags: u32,
    /// Bytes of one entry, for a section that is a table; else 0.
    pub entry_size: u32,
    /// Byte offset of the data.
    pub offset: u64,
    /// Bytes of the data.
    pub size: u64,
}

macro_rules! sections {
    ($($num:literal $variant:ident),* $(,)?) => {
        /// The contents of a section.
        #[allow(missing_docs, reason = "the manual's words")]
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[repr(u32)]
        pub enum SectionKind { $($variant = $num),* }
        impl SectionKind {
            /// Returns the kind with this number.
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
    /// The clause's own number, which EPROBE returns.
    pub uarg: u64,
}

/// PROBEDESC: a probe description, as offsets into its string table.
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
    /// The probe id; 0: match by name.
    pub id: u32,
}

/// ACTDESC: an action.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout)]
pub struct ActDesc {
    /// DIFOHDR section or [`SECIDX_NONE`].
    pub difo: u32,
    /// STRTAB section of the format string, or [`SECIDX_NONE`].
    pub strtab: u32,
    /// [`crate::action::ActionKind`].
    pub kind: u32,
    /// For an aggregation: the number of actions before it that are its key.
    pub ntuple: u32,
    /// printf, printa, and other actions with a format: byte offset in `strtab`, if there is one.
    /// lquantize, llquantize: the encoded parameters. stack: the number of frames.
    pub arg: u64,
    /// The consumer's own number for the statement; for an aggregation, its D variable, from 1.
    pub uarg: u64,
}

/// DIFOHDR before its links (u32 section indices of DIF, INTTAB, STRTAB, VARTAB, at most one of
/// each).
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout)]
pub struct DifoHdr {
    /// The type of the returned value.
    pub rtype: DifType,
}

/// OPTDESC: an entry.
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

/// PROVIDER: the probes that a program brings along under one name. `name` is an offset into the
/// string table; the fields before it are sections.
#[repr(C)]
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout,
)]
pub struct DofProvider {
    /// STRTAB section.
    pub strtab: u32,
    /// PROBES section.
    pub probes: u32,
    /// PRARGS section: for each argument that scripts see, a byte with the number of the argument
    /// that the program passes.
    pub prargs: u32,
    /// PROFFS section: `u32` distances of places from the address of their probe.
    pub proffs: u32,
    /// Offset of the name, without the process id.
    pub name: u32,
    /// Stability of provider, module, function, name, arguments.
    pub attributes: [u32; 5],
    /// PRENOFFS section, in the form of PROFFS: the places where the program asks whether a probe
    /// is enabled. Since version 2.
    pub prenoffs: u32,
}

/// PROBES: an entry, for a probe in one function.
#[repr(C)]
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout,
)]
pub struct DofProbe {
    /// The address from which the distances of its places count.
    pub address: u64,
    /// Offset of the function.
    pub function: u32,
    /// Offset of the name.
    pub name: u32,
    /// Offset of the first of the types that the program passes; the others follow it.
    pub natives: u32,
    /// Offset of the first of the types that scripts see, likewise.
    pub args: u32,
    /// Its first entry of PRARGS.
    pub first_arg: u32,
    /// Its first entry of PROFFS.
    pub first_place: u32,
    /// The number of types that the program passes.
    pub native_count: u8,
    /// The number of types that scripts see.
    pub arg_count: u8,
    /// The number of its entries of PROFFS.
    pub place_count: u16,
    /// Its first entry of PRENOFFS.
    pub first_question: u32,
    /// The number of its entries of PRENOFFS.
    pub question_count: u16,
    /// Zero.
    pub pad: [u16; 3],
}

/// URELHDR: the relocations of a section.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout)]
pub struct DofRelHdr {
    /// STRTAB section.
    pub strtab: u32,
    /// RELTAB section.
    pub relocations: u32,
    /// The section that contains the numbers to relocate.
    pub target: u32,
}

/// RELTAB: an entry.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout)]
pub struct DofRelDesc {
    /// Offset of a name in the string table.
    pub name: u32,
    /// [`REL_SELF`].
    pub kind: u32,
    /// Offset of a `u64` in the target section.
    pub offset: u64,
    /// A number that is also added.
    pub data: u64,
}

/// The number is a distance from its own address.
pub const REL_SELF: u32 = 2;

/// Value of an option that is not set.
pub const OPT_UNSET: u64 = u64::MAX - 1;
