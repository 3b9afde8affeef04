// SPDX-License-Identifier: GPL-2.0
//! The abilities of the module. A consumer asks for them once.

use zerocopy_derive::{FromBytes, Immutable, IntoBytes, KnownLayout};

/// Version of this interface; the consumer refuses any other. Raise it with any change of a layout.
pub const ABI_VERSION: u32 = 17;

/// Answer to the CONF ioctl.
#[repr(C)]
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Default, FromBytes, IntoBytes, Immutable, KnownLayout,
)]
pub struct Conf {
    /// [`ABI_VERSION`] of the module.
    pub abi_version: u32,
    /// The DIF version that the module runs.
    pub dif_version: u32,
    /// Integer registers of the DIF machine.
    pub nregs: u32,
    /// Depth of its tuple stack.
    pub ntuple: u32,
    /// All CPU ids are below this.
    pub ncpus: u32,
    /// Zero.
    pub pad: u32,
    /// `FEATURE_*` bits. The kernel log has the reason for each that is not set.
    pub features: u64,
}

/// sdt probes can be armed (kernel text can be patched).
pub const FEATURE_SDT: u64 = 1 << 0;
