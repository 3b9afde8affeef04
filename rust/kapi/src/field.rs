// SPDX-License-Identifier: GPL-2.0
//! Reads members of kernel structures at an address. The loads may fail, so any address is allowed.

use crate::nofault;
use crate::sys;

/// Returns the member with this number (`helpers/field.c` lists them) of the structure at `base`,
/// without sign extension.
///
/// # Context
///
/// *any*
pub fn of(number: u32, base: u64) -> Option<u64> {
    let (mut offset, mut size) = (0, 0);
    if !sys::kapi_field(number, &mut offset, &mut size) {
        return None;
    }
    // CAST: no member is larger than 8 bytes.
    nofault::read_kernel_number(base.wrapping_add(offset.into()), size as u8).ok()
}

/// The bit in a block device's flags that means that bios go to the device's own function, not into
/// requests.
pub fn bdev_submits_bios() -> u64 {
    sys::kapi_bdev_submits_bios.into()
}

/// The bit in a folio's flags that means that it has several pages.
pub fn folio_is_large() -> u64 {
    sys::kapi_folio_is_large
}

/// Returns the dentry whose link to its inode is at `alias`.
pub fn dentry_of(alias: u64) -> u64 {
    alias.wrapping_sub(sys::kapi_dentry_alias.into())
}

/// Returns the address of the kernel's data about a CPU, or 0 if there is no such CPU.
///
/// # Context
///
/// *any*
pub fn cpu_info(cpu: u32) -> u64 {
    sys::kapi_cpu_info(cpu)
}
