// SPDX-License-Identifier: GPL-2.0
//! Loads from untrusted addresses, and stores to a process. They succeed or return an error.
//!
//! They never sleep, load no pages, and work in any context. Each function serves one half of the
//! address space. An address that is in the other half, crosses into it, is not canonical, not
//! mapped, or device memory is a [`BadAddr`].

use crate::sys;

/// The address that could not be read. For a range, the start of the first such piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BadAddr(pub u64);

const PAGE: u64 = 4096;

/// Fills `into` from kernel memory. After an error, its contents are undefined.
///
/// # Context
///
/// *any*
pub fn read_kernel(addr: u64, into: &mut [u8]) -> Result<(), BadAddr> {
    // SAFETY: `into` has room for `into.len()` bytes.
    match unsafe { sys::kapi_read_kernel(into.as_mut_ptr(), addr, into.len()) } {
        0 => Ok(()),
        _ => Err(BadAddr(addr)),
    }
}

/// Reads a number of at most 8 bytes from kernel memory.
///
/// # Context
///
/// *any*
#[inline]
pub fn read_kernel_number(addr: u64, size: u8) -> Result<u64, BadAddr> {
    let mut number = 0;
    let size = usize::from(size.min(8));
    // SAFETY: `number` has 8 bytes, and `size` is at most 8.
    match unsafe { sys::kapi_read_kernel((&raw mut number).cast(), addr, size) } {
        0 => Ok(number),
        _ => Err(BadAddr(addr)),
    }
}

/// Fills `into` from memory of the current process. After an error, its contents are undefined.
///
/// A page that is not in memory is a [`BadAddr`] too, because it cannot be loaded here.
///
/// # Context
///
/// *any*
pub fn read_user(addr: u64, into: &mut [u8]) -> Result<(), BadAddr> {
    // SAFETY: `into` has room for `into.len()` bytes.
    match unsafe { sys::kapi_read_user(into.as_mut_ptr(), addr, into.len()) } {
        0 => Ok(()),
        _ => Err(BadAddr(addr)),
    }
}

/// Writes to memory of the current process. After an error, a part may have been written.
///
/// A page that is not in memory, or not writable in its present state, is a [`BadAddr`].
///
/// # Context
///
/// *any*
pub fn write_user(addr: u64, from: &[u8]) -> Result<(), BadAddr> {
    // SAFETY: `from` has `from.len()` bytes.
    match unsafe { sys::kapi_write_user(addr, from.as_ptr(), from.len()) } {
        0 => Ok(()),
        _ => Err(BadAddr(addr)),
    }
}

/// Reads a string and returns its length without the NUL. If there is no NUL, it fills `into`.
///
/// # Context
///
/// *any*
pub fn read_kernel_str(addr: u64, into: &mut [u8]) -> Result<usize, BadAddr> {
    read_str(addr, into, read_kernel)
}

/// Works like [`read_kernel_str`] on memory of the current process.
///
/// # Context
///
/// *any*
pub fn read_user_str(addr: u64, into: &mut [u8]) -> Result<usize, BadAddr> {
    read_str(addr, into, read_user)
}

/// Reads in pieces that are no longer than most strings and do not cross a page, because the memory
/// after the NUL may be unmapped.
fn read_str(
    addr: u64,
    into: &mut [u8],
    read: fn(u64, &mut [u8]) -> Result<(), BadAddr>,
) -> Result<usize, BadAddr> {
    const PIECE: u64 = 64;
    let (mut at, mut len) = (addr, 0);
    let mut rest = into;
    while !rest.is_empty() {
        let n = (PAGE - at % PAGE).min(PIECE - at % PIECE).min(rest.len() as u64);
        let (piece, after) = rest.split_at_mut(n as usize);
        read(at, piece)?;
        if let Some(nul) = piece.iter().position(|&b| b == 0) {
            return Ok(len + nul);
        }
        len += piece.len();
        at = at.wrapping_add(n);
        rest = after;
    }
    Ok(len)
}
