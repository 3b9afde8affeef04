// SPDX-License-Identifier: GPL-2.0
//! Memory of the clause, and copies between it and the process: alloca, bcopy, copyin, copyinstr,
//! copyinto, copyout, copyoutstr, memstr.
//!
//! Copied-in data stays in scratch until the clause ends. Data is copied out a chunk at a time, at
//! most as much as fits into scratch or into a variable.

use crate::addr;
use crate::bound::{of_bytes, price};
use crate::env::{Env, Space};
use crate::fault::Raised;
use crate::mem::{Cursor, Mem, CHUNK};
use crate::subr::Args;

fn scratch_addr(offset: usize) -> u64 {
    // CAST: usize has at most 64 bits.
    addr::make(addr::SCRATCH, offset as u64)
}

/// `alloca(size)`, and the opcode `allocs`.
#[inline(never)]
pub(crate) fn alloc<E: Env>(mem: &mut Mem<'_, '_, E>, size: u64) -> Result<u64, Raised> {
    // The cost is for clearing; an allocation that does not fit clears nothing.
    mem.env.spend(of_bytes(size.min(mem.clause.longest_copy()) >> 1))?;
    mem.clause.alloc(size).map(scratch_addr)
}

/// Pays for a copy, but no more than for the longest copy that is made.
fn pay<E: Env>(mem: &mut Mem<'_, '_, E>, size: u64, price: u32) -> Result<(), Raised> {
    mem.pay(size.min(mem.clause.longest_copy()), price)
}

/// `bcopy(src, dest, size)`.
#[inline(never)]
pub(super) fn bcopy<E: Env>(mem: &mut Mem<'_, '_, E>, args: Args<'_>) -> Result<u64, Raised> {
    let size = args.get(2)?;
    mem.copy(args.get(0)?, args.get(1)?, size)?;
    Ok(0)
}

/// `copyin(uaddr, size)`.
#[inline(never)]
pub(super) fn copyin<E: Env>(mem: &mut Mem<'_, '_, E>, args: Args<'_>) -> Result<u64, Raised> {
    let (from, size) = (args.get(0)?, args.get(1)?);
    pay(mem, size, 1)?;
    let mark = mem.clause.mark();
    // One more byte, a NUL, because the data may be read as a string.
    let start = mem.clause.alloc(size.saturating_add(1))?;
    // CAST: both came from a usize, or were just allocated as one.
    match mem.load_into_scratch(Space::User, from, start as u64, size as usize) {
        Ok(()) => Ok(scratch_addr(start)),
        Err(raised) => {
            mem.clause.release(mark);
            Err(raised)
        }
    }
}

/// `copyinstr(uaddr, [size])`: at most `size` bytes, NUL included.
#[inline(never)]
pub(super) fn copyinstr<E: Env>(mem: &mut Mem<'_, '_, E>, args: Args<'_>) -> Result<u64, Raised> {
    let from = args.get(0)?;
    let strsize = mem.clause.strsize();
    let size = match args.opt(1) {
        Some(size) => usize::try_from(size).map_or(strsize, |s| s.min(strsize)),
        None => strsize,
    };
    if from == 0 {
        return Err(Raised::bad_addr(0));
    }
    let mark = mem.clause.mark();
    let text = mem.text(Space::User, from, size)?;
    mem.compose(mark, |texts, out| out.extend(texts.get(&text)))
}

/// `copyinto(uaddr, size, dest)`: `dest` is scratch.
#[inline(never)]
pub(super) fn copyinto<E: Env>(mem: &mut Mem<'_, '_, E>, args: Args<'_>) -> Result<u64, Raised> {
    let (from, size, to) = (args.get(0)?, args.get(1)?, args.get(2)?);
    pay(mem, size, 1)?;
    let bad = Raised::bad_addr(to);
    let size = usize::try_from(size).map_err(|_| bad)?;
    match addr::split(to) {
        Some((addr::SCRATCH, offset)) => {
            mem.load_into_scratch(Space::User, from, offset, size)?;
            Ok(0)
        }
        _ => Err(bad),
    }
}

/// `copyout(buf, uaddr, size)`.
#[inline(never)]
pub(super) fn copyout<E: Env>(mem: &mut Mem<'_, '_, E>, args: Args<'_>) -> Result<u64, Raised> {
    let (from, to, size) = (args.get(0)?, args.get(1)?, args.get(2)?);
    if size > mem.clause.longest_copy() || from.checked_add(size).is_none() {
        return Err(Raised::bad_addr(from));
    }
    check_user(to, size)?;
    pay(mem, size, price::WRITE)?;
    let mut buf = [0; CHUNK];
    let mut done: u64 = 0;
    while done < size {
        let n = size.wrapping_sub(done).min(CHUNK as u64);
        // CAST: at most CHUNK.
        let piece = buf.get_mut(..n as usize).unwrap_or_default();
        mem.load(mem.kernel, from.wrapping_add(done), piece)?;
        mem.env.copyout(to.wrapping_add(done), piece)?;
        done = done.wrapping_add(n);
    }
    Ok(0)
}

/// `copyoutstr(str, uaddr, maxlen)`: the string and a NUL, at most `maxlen` bytes.
#[inline(never)]
pub(super) fn copyoutstr<E: Env>(mem: &mut Mem<'_, '_, E>, args: Args<'_>) -> Result<u64, Raised> {
    let (from, to, size) = (args.get(0)?, args.get(1)?, args.get(2)?);
    let size = usize::try_from(size).unwrap_or(usize::MAX).min(mem.clause.strsize());
    if size == 0 {
        return Ok(0);
    }
    // CAST: usize has at most 64 bits.
    check_user(to, size as u64)?;
    let mut cursor = Cursor::new(from, size);
    let mut at = to;
    while cursor.fill(mem)? {
        let n = cursor.have().len();
        mem.env.spend(price::WRITE)?;
        mem.env.copyout(at, cursor.have())?;
        // CAST: at most CHUNK.
        at = at.wrapping_add(n as u64);
        cursor.skip(n);
    }
    mem.env.copyout(at, &[0])?;
    Ok(0)
}

/// `memstr(addr, c, size)`: `size - 1` bytes as a string, with `c` in place of each NUL.
#[inline(never)]
pub(super) fn memstr<E: Env>(mem: &mut Mem<'_, '_, E>, args: Args<'_>) -> Result<u64, Raised> {
    // CAST: a char.
    let (from, instead, size) = (args.get(0)?, args.get(1)? as u8, args.get(2)?);
    let Some(length) = size.checked_sub(1) else { return Ok(0) };
    // CAST: usize has at most 64 bits.
    let length = length.min(mem.clause.strsize().saturating_sub(1) as u64);
    mem.pay(length, price::LOOK + price::WRITE)?;
    let mark = mem.clause.mark();
    // The memory is cleared, so the byte after the text is its NUL.
    let start = scratch_addr(mem.clause.alloc(length.saturating_add(1))?);
    let mut buf = [0; CHUNK];
    let mut done: u64 = 0;
    while done < length {
        let n = length.wrapping_sub(done).min(CHUNK as u64);
        // CAST: at most CHUNK.
        let piece = buf.get_mut(..n as usize).unwrap_or_default();
        if let Err(raised) = mem.load(mem.kernel, from.wrapping_add(done), piece) {
            mem.clause.release(mark);
            return Err(raised);
        }
        piece.iter_mut().filter(|b| **b == 0).for_each(|b| *b = instead);
        mem.store(start.wrapping_add(done), piece)?;
        done = done.wrapping_add(n);
    }
    Ok(start)
}

/// Checks that a range for the host is not in D memory and does not wrap.
fn check_user(at: u64, size: u64) -> Result<(), Raised> {
    match (addr::split(at), at.checked_add(size)) {
        (None, Some(_)) => Ok(()),
        _ => Err(Raised::bad_addr(at)),
    }
}
