// SPDX-License-Identifier: GPL-2.0
//! Network byte order and addresses: hton*, ntoh*, inet_ntop, inet_ntoa, inet_ntoa6, link_ntop.

use crate::bound::price;
use crate::env::Env;
use crate::fault::Raised;
use crate::mem::{Mem, Out};
use crate::subr::convert::write_digits;
use crate::subr::Args;

/// Linux's address families.
const AF_INET: u64 = 2;
const AF_INET6: u64 = 10;

/// Kinds of hardware addresses, `ARPHRD_*`.
const ETHERNET: u64 = 1;
const INFINIBAND: u64 = 32;

// CAST: a uint16_t, uint32_t of D.
pub(super) fn swap16(value: u64) -> u64 {
    u64::from((value as u16).to_be())
}
pub(super) fn swap32(value: u64) -> u64 {
    u64::from((value as u32).to_be())
}
pub(super) fn swap64(value: u64) -> u64 {
    value.to_be()
}

/// `inet_ntop(family, addr)`.
pub(super) fn inet_ntop<E: Env>(mem: &mut Mem<'_, '_, E>, args: Args<'_>) -> Result<u64, Raised> {
    let at = args.get(1)?;
    match args.get(0)? {
        AF_INET => v4(mem, at),
        AF_INET6 => v6(mem, at),
        _ => Err(Raised::ill_op()),
    }
}

/// `inet_ntoa(addr)`.
pub(super) fn inet_ntoa<E: Env>(mem: &mut Mem<'_, '_, E>, args: Args<'_>) -> Result<u64, Raised> {
    v4(mem, args.get(0)?)
}

/// `inet_ntoa6(addr)`.
pub(super) fn inet_ntoa6<E: Env>(mem: &mut Mem<'_, '_, E>, args: Args<'_>) -> Result<u64, Raised> {
    v6(mem, args.get(0)?)
}

/// `link_ntop(kind, addr)`: the bytes of a hardware address in hexadecimal.
#[inline(never)]
pub(super) fn link_ntop<E: Env>(mem: &mut Mem<'_, '_, E>, args: Args<'_>) -> Result<u64, Raised> {
    mem.env.spend(price::DIGITS)?;
    let mut room = [0; 20];
    let length = match args.get(0)? {
        ETHERNET => 6,
        INFINIBAND => 20,
        _ => return Err(Raised::ill_op()),
    };
    let bytes = room.get_mut(..length).unwrap_or_default();
    mem.load(mem.kernel, args.get(1)?, bytes)?;
    let mark = mem.clause.mark();
    mem.compose(mark, |_, out| {
        for (n, &byte) in bytes.iter().enumerate() {
            if n > 0 {
                out.push(b':');
            }
            write_digits(u64::from(byte >> 4), 16, out);
            write_digits(u64::from(byte & 0xf), 16, out);
        }
    })
}

#[inline(never)]
fn v4<E: Env>(mem: &mut Mem<'_, '_, E>, at: u64) -> Result<u64, Raised> {
    mem.env.spend(price::DIGITS)?;
    let mut bytes = [0; 4];
    mem.load(mem.kernel, at, &mut bytes)?;
    let mark = mem.clause.mark();
    mem.compose(mark, |_, out| write_v4(&bytes, out))
}

#[inline(never)]
fn v6<E: Env>(mem: &mut Mem<'_, '_, E>, at: u64) -> Result<u64, Raised> {
    mem.env.spend(price::DIGITS)?;
    let mut bytes = [0; 16];
    mem.load(mem.kernel, at, &mut bytes)?;
    let mark = mem.clause.mark();
    mem.compose(mark, |_, out| write_v6(&bytes, out))
}

fn write_v4(bytes: &[u8], out: &mut Out<'_>) {
    for (n, byte) in bytes.iter().enumerate() {
        if n > 0 {
            out.push(b'.');
        }
        write_digits(u64::from(*byte), 10, out);
    }
}

/// Writes an IPv6 address by RFC 5952: "::" stands for the longest run of two or more zero groups,
/// the first one of several. An IPv4 address mapped into IPv6 keeps its dots.
fn write_v6(bytes: &[u8; 16], out: &mut Out<'_>) {
    if let [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, v4 @ ..] = bytes {
        out.extend(b"::ffff:");
        return write_v4(v4, out);
    }
    let mut groups = [0u16; 8];
    for (group, pair) in groups.iter_mut().zip(bytes.chunks_exact(2)) {
        *group = pair.iter().fold(0, |sum, b| sum << 8 | u16::from(*b));
    }
    let (mut gap_at, mut gap_len) = (groups.len(), 1);
    let mut run: usize = 0;
    for (n, group) in groups.iter().enumerate() {
        run = if *group == 0 { run.saturating_add(1) } else { 0 };
        if run > gap_len {
            gap_len = run;
            gap_at = n.saturating_add(1).saturating_sub(run);
        }
    }
    let gap_end = gap_at.saturating_add(gap_len);
    for (n, group) in groups.iter().enumerate() {
        if n == gap_at {
            out.extend(b"::");
        } else if n > gap_at && n < gap_end {
            continue;
        } else {
            if n > 0 && n != gap_end {
                out.push(b':');
            }
            write_digits(u64::from(*group), 16, out);
        }
    }
}
