// SPDX-License-Identifier: GPL-2.0
//! The ioctls of `/dev/dtrace/helper`, with which a program registers the probes that it brings
//! along.
//!
//! Any process may do so for itself. The DOF has PROVIDER sections ([`crate::dof::DofProvider`]);
//! it is read once, and its memory may be freed then. The node may be closed, too: the probes stay
//! until they are removed, or the process executes another program or ends. A child has them, too.

use zerocopy_derive::{FromBytes, Immutable, IntoBytes, KnownLayout};

/// The device node, below `/dev`.
pub const DEVICE: &str = "dtrace/helper";
const TYPE: u32 = b'h' as u32;

/// Adds the probes of a DOF; argument [`Helper`]. Returns a number, by which [`REMOVE`] removes
/// them.
pub const ADD: u32 = 1 << 30 | (size_of::<Helper>() as u32) << 16 | TYPE << 8 | 3;
/// Removes the probes of a DOF; the argument is the number itself.
pub const REMOVE: u32 = TYPE << 8 | 2;

/// Argument of [`ADD`].
#[repr(C)]
#[derive(Debug, Clone, Copy, FromBytes, IntoBytes, Immutable, KnownLayout)]
pub struct Helper {
    /// The object that contains the probes, which is their module. NUL-terminated.
    pub module: [u8; 64],
    /// Added to the addresses for which the DOF has no relocation.
    pub address: u64,
    /// User address of the DOF.
    pub dof: u64,
}

/// Most bytes of one DOF.
pub const MAX_SIZE: usize = 1 << 20;
/// Most DOFs of one process.
pub const MAX_HELPERS: usize = 256;
/// Most providers of one DOF.
pub const MAX_PROVIDERS: usize = 128;
/// Most probes of all providers of one DOF, each counted as often as a provider names its section.
pub const MAX_PROBES: usize = 1 << 14;
/// Most places of all probes of one process.
pub const MAX_PLACES: usize = 1 << 13;
/// Most places in all processes of one user other than root.
pub const MAX_USER: usize = 1 << 15;
/// Most places in the processes of all users except root.
pub const MAX_USERS: usize = 3 << 15;
/// Most places in all processes together.
pub const MAX_ALL: usize = 1 << 17;
