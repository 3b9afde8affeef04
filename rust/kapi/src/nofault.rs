// SPDX-License-Identifier: GPL-2.0
//! Loads from addresses that nobody vouches for, and stores to a process: they succeed, or say so.
//!
//! They never sleep, take no fault in, and can be used in any context. Half of the address space
//! belongs to each function: what is not in its half, crosses into the other one, is not canonical,
//! not mapped, or device memory, is a [`BadAddr`].

use crate::sys;

/// The address that could not be read. For a range: where the piece begins that could not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BadAddr(pub u64);

const PAGE: u64 = 4096;

/// Fills `into` from kernel memory; its contents are undefined after an error.
///
/// # Context
///
/// *any*
pub fn read_kernel(addr: u64, into: &mut [u8]) -> Result<(), BadAddr> {
    // SAFETY: `into` takes as many bytes as it has.
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
    // SAFETY: 8 bytes take `size` bytes.
    match unsafe { sys::kapi_read_kernel((&raw mut number).cast(), addr, size) } {
        0 => Ok(number),
        _ => Err(BadAddr(addr)),
    }
}

/// Fills `into` from memory of the current process; its contents are undefined after an error.
///
/// A page that is not in memory is a [`BadAddr`] as well: it cannot be fetched here.
///
/// # Context
///
/// *any*
pub fn read_user(addr: u64, into: &mut [u8]) -> Result<(), BadAddr> {
    // SAFETY: `into` takes as many bytes as it has.
    match unsafe { sys::kapi_read_user(into.as_mut_ptr(), addr, into.len()) } {
        0 => Ok(()),
        _ => Err(BadAddr(addr)),
    }
}

/// Writes to memory of the current process; some of it may have been written after an error.
///
/// A page that is not in memory, or that cannot be written to as it is, is a [`BadAddr`].
///
/// # Context
///
/// *any*
pub fn write_user(addr: u64, from: &[u8]) -> Result<(), BadAddr> {
    // SAFETY: `from` has as many bytes as it says.
    match unsafe { sys::kapi_write_user(addr, from.as_ptr(), from.len()) } {
        0 => Ok(()),
        _ => Err(BadAddr(addr)),
    }
}

/// Reads a string up to its NUL, which is not counted in the result; as many bytes as `into` has if
/// no NUL is among them.
///
/// # Context
///
/// *any*
pub fn read_kernel_str(addr: u64, into: &mut [u8]) -> Result<usize, BadAddr> {
    read_str(addr, into, read_kernel)
}

/// Like [`read_kernel_str`], from memory of the current process.
///
/// # Context
///
/// *any*
pub fn read_user_str(addr: u64, into: &mut [u8]) -> Result<usize, BadAddr> {
    read_str(addr, into, read_user)
}

/// Piece by piece, none longer than most strings and none over the end of a page: what lies behind
/// the NUL need not be mapped.
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
