// SPDX-License-Identifier: GPL-2.0
//! What structures of the kernel tell of an event, by the address of one. Loads that may miss: the
//! address may be any.

use crate::nofault;
use crate::sys;

/// What the structure at `base` has in the member of this number, one of those in `helpers/field.c`;
/// nothing is made of its sign.
///
/// # Context
///
/// *any*
pub fn of(number: u32, base: u64) -> Option<u64> {
    let (mut offset, mut size) = (0, 0);
    if !sys::kapi_field(number, &mut offset, &mut size) {
        return None;
    }
    // CAST: none is larger than 8.
    nofault::read_kernel_number(base.wrapping_add(offset.into()), size as u8).ok()
}

/// In a block device's flags: bios go to the device's own function, not into requests.
pub fn bdev_submits_bios() -> u64 {
    sys::kapi_bdev_submits_bios.into()
}

/// The dentry that has its inode's link at `alias`.
pub fn dentry_of(alias: u64) -> u64 {
    alias.wrapping_sub(sys::kapi_dentry_alias.into())
}

/// The address of what the kernel knows of a CPU; 0: there is no such CPU.
///
/// # Context
///
/// *any*
pub fn cpu_info(cpu: u32) -> u64 {
    sys::kapi_cpu_info(cpu)
}
