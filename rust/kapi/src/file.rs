// SPDX-License-Identifier: GPL-2.0
//! Files that the kernel itself reads, below the root of its first process. At start, that is an
//! initramfs.

use crate::mem;
use core::ptr;
use kernel::bindings::{self, kernel_read_file_id_READING_FIRMWARE as FIRMWARE};
use kernel::prelude::*;

/// Returns the bytes of a file, or `None` if it does not exist. `EFBIG`: it has more than `most`
/// bytes. Security modules treat it like firmware.
///
/// # Context
///
/// *process*
pub fn read(path: &CStr, most: usize) -> Result<Option<KVVec<u8>>> {
    let mut found = ptr::null_mut();
    // SAFETY: the path is NUL-terminated. `found` is null, so the kernel sets it to memory of the
    // file's size.
    let n = unsafe {
        bindings::kernel_read_file_from_path_initns(
            path.as_char_ptr(),
            0,
            &mut found,
            most,
            ptr::null_mut(),
            FIRMWARE,
        )
    };
    let n = match usize::try_from(n) {
        Ok(n) => n,
        // CAST: an errno.
        Err(_) if n as i32 == ENOENT.to_errno() => return Ok(None),
        Err(_) => return Err(Error::from_errno(n as i32)),
    };
    let copied = mem::zeroed_bytes(n).map(|mut bytes| {
        // SAFETY: both have `n` bytes, and `bytes` is new, so they do not overlap.
        unsafe { ptr::copy_nonoverlapping(found.cast::<u8>(), bytes.as_mut_ptr(), n) };
        bytes
    });
    // SAFETY: the kernel allocated `found` for us, and nothing refers to it any more.
    unsafe { bindings::kvfree(found) };
    copied.map(Some)
}
