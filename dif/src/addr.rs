// SPDX-License-Identifier: GPL-2.0
//! Addresses of D memory.
//!
//! The machine and its host own memory that D programs read and write: string tables, scratch,
//! variables. Its addresses are numbers of our own. They are non-canonical in every x86 paging
//! mode, so they cannot be mistaken for kernel or user addresses. None is ever dereferenced: an
//! address is a region and an offset into a slice.
//!
//! ```text
//!  63      56 55      48 47                                0
//! +----------+----------+-----------------------------------+
//! |   0x0d   |  region  |              offset               |
//! +----------+----------+-----------------------------------+
//! ```

/// The upper bits of every address of D memory.
pub const BASE: u64 = 0x0d00_0000_0000_0000;
/// The string table of the running object.
pub const STRTAB: u8 = 0x01;
/// The scratch memory of the clause.
pub const SCRATCH: u8 = 0x02;
/// The first region that belongs to the host.
pub const ENV_FIRST: u8 = 0x10;
/// The last region that belongs to the host.
pub const ENV_LAST: u8 = 0x1f;
/// The largest offset.
pub const MAX_OFFSET: u64 = (1 << 48) - 1;

/// Returns the address of `offset` in `region`; the offset is cut to 48 bits.
pub const fn make(region: u8, offset: u64) -> u64 {
    BASE | (region as u64) << 48 | (offset & MAX_OFFSET)
}

/// Returns the region and the offset of an address of D memory; `None` for any other address.
pub const fn split(addr: u64) -> Option<(u8, u64)> {
    if addr >> 56 == BASE >> 56 {
        // CAST: the low byte of the shifted value is the region number.
        Some(((addr >> 48) as u8, addr & MAX_OFFSET))
    } else {
        None
    }
}

/// Tells whether memory from `addr` to `end` begins before D memory and ends in it. A host that
/// reads byte by byte would come to addresses that are not its own.
pub const fn runs_in(addr: u64, end: u64) -> bool {
    addr < BASE && end > BASE
}

/// Tells whether a region belongs to the host.
pub const fn is_env(region: u8) -> bool {
    region >= ENV_FIRST && region <= ENV_LAST
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn d_memory_is_never_canonical() {
        for region in [STRTAB, SCRATCH, ENV_FIRST, ENV_LAST, 0xff] {
            for offset in [0, 1, MAX_OFFSET] {
                let a = make(region, offset);
                assert_eq!(split(a), Some((region, offset)));
                // Canonical means: all bits from 47 (or 56) up are equal.
                for top in [47, 56] {
                    let high = (a as i64) >> top;
                    assert!(high != 0 && high != -1);
                }
            }
        }
        for a in [0, 0x1000, 0x7fff_ffff_ffff, 0xffff_8000_0000_0000, u64::MAX, 0x0e00 << 48] {
            assert_eq!(split(a), None);
        }
    }
}
