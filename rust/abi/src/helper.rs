// SPDX-License-Identifier: GPL-2.0
//! The ioctls of `/dev/dtrace/helper`, by which a program tells of the probes that it brings along.
//!
//! Any process may, for itself. The DOF has PROVIDER sections ([`crate::dof::DofProvider`]); it is read
//! once, and may go then. The node may be closed, too: probes stay until they are removed, the process
//! executes another program, or ends. A child has them, too.

use zerocopy_derive::{FromBytes, Immutable, IntoBytes, KnownLayout};

/// Where the device node is, below `/dev`.
pub const DEVICE: &str = "dtrace/helper";
const TYPE: u32 = b'h' as u32;

/// Adds the probes of a DOF; argument [`Helper`]. Gives a number to remove them by.
pub const ADD: u32 = 1 << 30 | (size_of::<Helper>() as u32) << 16 | TYPE << 8 | 3;
/// Removes them; the argument is the number itself.
pub const REMOVE: u32 = TYPE << 8 | 2;

/// Argument of [`ADD`].
#[repr(C)]
#[derive(Debug, Clone, Copy, FromBytes, IntoBytes, Immutable, KnownLayout)]
pub struct Helper {
    /// The object that the probes are in: their module. NUL-terminated.
    pub module: [u8; 64],
    /// Added to addresses for which the DOF has no relocation.
    pub address: u64,
    /// Where the DOF is.
    pub dof: u64,
}

/// Most bytes of a DOF.
pub const MAX_SIZE: usize = 1 << 20;
/// Most DOFs of a process.
pub const MAX_HELPERS: usize = 256;
/// Most providers of a DOF.
pub const MAX_PROVIDERS: usize = 128;
/// Most probes of all providers of a DOF, each counted as often as a provider names its section.
pub const MAX_PROBES: usize = 1 << 14;
/// Most places of all probes of a process.
pub const MAX_PLACES: usize = 1 << 13;
/// Most places of all processes of one user, who is not root.
pub const MAX_USER: usize = 1 << 15;
/// Most places of all users but root.
pub const MAX_USERS: usize = 3 << 15;
/// Most places of all processes together.
pub const MAX_ALL: usize = 1 << 17;
