// SPDX-License-Identifier: GPL-2.0
//! What this kernel side can do, asked once by a consumer.

use zerocopy_derive::{FromBytes, Immutable, IntoBytes, KnownLayout};

/// Version of this interface; the consumer refuses another. Raise it with any change of a layout.
pub const ABI_VERSION: u32 = 13;

/// Answer to the CONF ioctl.
#[repr(C)]
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Default, FromBytes, IntoBytes, Immutable, KnownLayout,
)]
pub struct Conf {
    /// [`ABI_VERSION`] of the module.
    pub abi_version: u32,
    /// DIF version it runs.
    pub dif_version: u32,
    /// Integer registers of its machine.
    pub nregs: u32,
    /// Depth of its tuple stack.
    pub ntuple: u32,
    /// CPU ids are below this.
    pub ncpus: u32,
    /// Zero.
    pub pad: u32,
    /// `FEATURE_*` bits: what is off has its reason in the kernel log.
    pub features: u64,
}

/// sdt probes can be armed (kernel text can be patched).
pub const FEATURE_SDT: u64 = 1 << 0;
