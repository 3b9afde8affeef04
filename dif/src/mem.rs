// SPDX-License-Identifier: GPL-2.0
//! The memory that a running object can access: its string table, the clause's scratch, and
//! everything else through the host. All bounds are those of slices.
//!
//! Nothing here keeps more than one chunk of a string on the stack.

use core::cmp::Ordering;
use core::ffi::CStr;
use core::ops::Range;

use abi::difo::MAX_BY_REF;

use crate::addr;
use crate::bound::{of_bytes, price};
use crate::env::{Env, Space};
use crate::fault::{FaultKind, Raised};
use crate::scratch::Clause;

/// The number of bytes of a string or a copy that are on the stack at a time.
pub(crate) const CHUNK: usize = 32;

/// The memory of a running object.
pub(crate) struct Mem<'a, 'm, E> {
    pub(crate) strtab: &'a [u8],
    pub(crate) clause: &'a mut Clause<'m>,
    pub(crate) env: &'a mut E,
    /// The memory that `ld*` accesses in this enabling.
    pub(crate) kernel: Space,
}

/// The location of the bytes of a string operand while a subroutine works.
#[derive(Debug, Clone)]
pub(crate) enum Text {
    Strtab(Range<usize>),
    Scratch(Range<usize>),
}

/// Access to the bytes of [`Text`]s while the result is being written.
#[derive(Clone, Copy)]
pub(crate) struct Texts<'t> {
    strtab: &'t [u8],
    live: &'t [u8],
}

impl<'t> Texts<'t> {
    pub(crate) fn of(strtab: &'t [u8], live: &'t [u8]) -> Self {
        Self { strtab, live }
    }

    pub(crate) fn get(&self, text: &Text) -> &'t [u8] {
        match text {
            Text::Strtab(r) => self.strtab.get(r.clone()),
            Text::Scratch(r) => self.live.get(r.clone()),
        }
        .unwrap_or_default()
    }
}

/// A string being written into free scratch memory, without its NUL yet.
pub(crate) struct Out<'o> {
    buf: &'o mut [u8],
    len: usize,
    /// Some bytes did not fit.
    cut: bool,
}

impl Out<'_> {
    pub(crate) fn push(&mut self, byte: u8) {
        let next = self.len.saturating_add(1);
        // Reserve one byte for the NUL.
        if next < self.buf.len() {
            if let Some(slot) = self.buf.get_mut(self.len) {
                *slot = byte;
                self.len = next;
                return;
            }
        }
        self.cut = true;
    }

    pub(crate) fn extend(&mut self, bytes: &[u8]) {
        let room = self.buf.len().saturating_sub(self.len).saturating_sub(1);
        let n = bytes.len().min(room);
        let end = self.len.saturating_add(n);
        if let (Some(to), Some(from)) = (self.buf.get_mut(self.len..end), bytes.get(..n)) {
            // Not `copy_from_slice`: objtool does not know that its panic never returns (rustc
            // 1.97).
            for (t, f) in to.iter_mut().zip(from) {
                *t = *f;
            }
            self.len = end;
        }
        if n < bytes.len() {
            self.cut = true;
        }
    }

    pub(crate) fn written(&self) -> &[u8] {
        self.buf.get(..self.len).unwrap_or_default()
    }

    pub(crate) fn truncate(&mut self, len: usize) {
        self.len = self.len.min(len);
    }
}

/// Returns the index of the first NUL, or the length.
pub(crate) fn str_len(bytes: &[u8]) -> usize {
    // This searches a word at a time.
    CStr::from_bytes_until_nul(bytes).map_or(bytes.len(), |text| text.count_bytes())
}

/// Copies up to a NUL. Returns `None` if memory ends before the NUL and before `into` is full.
fn str_from(from: &[u8], into: &mut [u8]) -> Option<usize> {
    let n = str_len(from.get(..into.len()).unwrap_or(from));
    if n == from.len() && n < into.len() {
        return None;
    }
    into.get_mut(..n)?.copy_from_slice(from.get(..n)?);
    Some(n)
}

fn number(n: usize) -> u64 {
    n as u64
}

fn tail(slice: &[u8], offset: u64) -> Option<&[u8]> {
    slice.get(usize::try_from(offset).ok()?..)
}

impl<E: Env> Mem<'_, '_, E> {
    /// Pays for work on `bytes` bytes, at a price for each 32 of them.
    pub(crate) fn pay(&mut self, bytes: u64, price: u32) -> Result<(), Raised> {
        self.env.spend(of_bytes(bytes).saturating_mul(price))
    }

    /// Pays for work on all of a text.
    pub(crate) fn pay_for(&mut self, text: &Text, price: u32) -> Result<(), Raised> {
        // CAST: usize has at most 64 bits.
        self.pay(self.texts().get(text).len() as u64, price)
    }

    /// Copies from any memory.
    pub(crate) fn load(&mut self, space: Space, at: u64, into: &mut [u8]) -> Result<(), Raised> {
        let bad = Raised::bad_addr(at);
        // CAST: usize has at most 64 bits.
        if at.checked_add(into.len() as u64).is_none() {
            return Err(bad);
        }
        match addr::split(at) {
            None => self.env.load(space, at, into),
            Some(_) if space == Space::User => Err(bad),
            Some((addr::STRTAB, off)) => {
                let from = tail(self.strtab, off).and_then(|t| t.get(..into.len())).ok_or(bad)?;
                into.copy_from_slice(from);
                Ok(())
            }
            Some((addr::SCRATCH, off)) => {
                into.copy_from_slice(self.clause.slice(off, into.len()).ok_or(bad)?);
                Ok(())
            }
            Some((region, _)) if addr::is_env(region) => self.env.load(space, at, into),
            Some(_) => Err(bad),
        }
    }

    /// Copies a piece of a string. If it is shorter than `into`, the NUL was found.
    pub(crate) fn load_str(
        &mut self,
        space: Space,
        at: u64,
        into: &mut [u8],
    ) -> Result<usize, Raised> {
        let bad = Raised::bad_addr(at);
        // CAST: usize has at most 64 bits.
        let end = at.checked_add(into.len() as u64).ok_or(bad)?;
        let n = match addr::split(at) {
            None if addr::runs_in(at, end) => return Err(bad),
            None => self.env.load_str(space, at, into)?,
            Some(_) if space == Space::User => return Err(bad),
            Some((addr::STRTAB, off)) => {
                tail(self.strtab, off).and_then(|t| str_from(t, into)).ok_or(bad)?
            }
            Some((addr::SCRATCH, off)) => {
                tail(self.clause.live(), off).and_then(|t| str_from(t, into)).ok_or(bad)?
            }
            Some((region, _)) if addr::is_env(region) => self.env.load_str(space, at, into)?,
            Some(_) => return Err(bad),
        };
        // If a host claims too much, do not use bytes that it did not write.
        Ok(n.min(into.len()))
    }

    /// Writes to D memory; other memory cannot be written.
    pub(crate) fn store(&mut self, at: u64, bytes: &[u8]) -> Result<(), Raised> {
        let bad = Raised::bad_addr(at);
        match addr::split(at) {
            Some((addr::SCRATCH, off)) => {
                self.clause.slice_mut(off, bytes.len()).ok_or(bad)?.copy_from_slice(bytes);
                Ok(())
            }
            // CAST: usize has at most 64 bits.
            Some((region, off))
                if addr::is_env(region)
                    && off.saturating_add(bytes.len() as u64) <= addr::MAX_OFFSET =>
            {
                self.env.store(at, bytes)
            }
            _ => Err(bad),
        }
    }

    /// Copies `len` bytes to D memory, like `memmove`.
    #[inline(never)]
    pub(crate) fn copy(&mut self, from: u64, to: u64, len: u64) -> Result<(), Raised> {
        if len == 0 {
            return Ok(());
        }
        let bad = Raised::bad_addr(to);
        if len > self.clause.longest_copy() {
            return Err(bad);
        }
        let count = usize::try_from(len).map_err(|_| bad)?;
        // The host's memory is written in pieces, and at most as much as a variable holds.
        let in_pieces = addr::split(to).is_some_and(|(region, _)| addr::is_env(region));
        if in_pieces && len > MAX_BY_REF.into() {
            return Err(bad);
        }
        self.pay(len, if in_pieces { price::LOOK + price::WRITE } else { 1 })?;
        match (addr::split(from), addr::split(to)) {
            (Some((addr::SCRATCH, f)), Some((addr::SCRATCH, t))) => {
                if self.clause.copy_within(f, t, count) {
                    return Ok(());
                }
                let wrong = if self.clause.slice(t, count).is_none() { to } else { from };
                Err(Raised::bad_addr(wrong))
            }
            (_, Some((addr::SCRATCH, t))) => {
                let space = self.kernel;
                self.load_into_scratch(space, from, t, count)
            }
            (_, Some((region, _))) if addr::is_env(region) => {
                // The host's variable is copied onto itself: start at the end that the copy does
                // not overwrite.
                let backwards = to > from && to.wrapping_sub(from) < len;
                let mut done: u64 = 0;
                let mut buf = [0; CHUNK];
                while done < len {
                    let n = len.wrapping_sub(done).min(CHUNK as u64);
                    let off = if backwards { len.wrapping_sub(done).wrapping_sub(n) } else { done };
                    // CAST: at most CHUNK.
                    let piece = buf.get_mut(..n as usize).unwrap_or_default();
                    let at = from.checked_add(off).ok_or(Raised::bad_addr(from))?;
                    self.load(self.kernel, at, piece)?;
                    self.store(to.wrapping_add(off), piece)?;
                    done = done.wrapping_add(n);
                }
                Ok(())
            }
            _ => Err(bad),
        }
    }

    /// Copies from memory other than scratch to live scratch memory at `offset`.
    pub(crate) fn load_into_scratch(
        &mut self,
        space: Space,
        from: u64,
        offset: u64,
        len: usize,
    ) -> Result<(), Raised> {
        let to_bad = Raised::bad_addr(addr::make(addr::SCRATCH, offset));
        let from_bad = Raised::bad_addr(from);
        // CAST: usize has at most 64 bits.
        if from.checked_add(len as u64).is_none() {
            return Err(from_bad);
        }
        let region = addr::split(from);
        if let Some((addr::SCRATCH, off)) = region {
            if space == Space::User {
                return Err(from_bad);
            }
            let ok = self.clause.copy_within(off, offset, len);
            return if ok { Ok(()) } else { Err(from_bad) };
        }
        let into = self.clause.slice_mut(offset, len).ok_or(to_bad)?;
        match region {
            None => self.env.load(space, from, into),
            Some(_) if space == Space::User => Err(from_bad),
            Some((addr::STRTAB, off)) => {
                let table = tail(self.strtab, off).and_then(|t| t.get(..len)).ok_or(from_bad)?;
                into.copy_from_slice(table);
                Ok(())
            }
            Some((region, _)) if addr::is_env(region) => self.env.load(space, from, into),
            Some(_) => Err(from_bad),
        }
    }

    /// Returns the length of a string, without its NUL, at most strsize - 1. NULL is empty.
    #[inline(never)]
    pub(crate) fn strlen(&mut self, at: u64) -> Result<usize, Raised> {
        let mut cursor = Cursor::new(at, self.clause.strsize());
        let mut len: usize = 0;
        while cursor.fill(self)? {
            len = len.wrapping_add(cursor.have().len());
            cursor.skip(cursor.have().len());
        }
        Ok(len)
    }

    /// Compares two strings byte by byte.
    #[inline(never)]
    pub(crate) fn strcmp(&mut self, a: u64, b: u64) -> Result<Ordering, Raised> {
        let strsize = self.clause.strsize();
        let (mut a, mut b) = (Cursor::new(a, strsize), Cursor::new(b, strsize));
        loop {
            match (a.fill(self)?, b.fill(self)?) {
                (false, false) => return Ok(Ordering::Equal),
                (false, true) => return Ok(Ordering::Less),
                (true, false) => return Ok(Ordering::Greater),
                (true, true) => {}
            }
            let n = a.have().len().min(b.have().len());
            match a.have().get(..n).cmp(&b.have().get(..n)) {
                Ordering::Equal => {}
                other => return Ok(other),
            }
            a.skip(n);
            b.skip(n);
        }
    }

    /// Copies a string to D memory with room for `room` bytes, NUL included.
    #[inline(never)]
    pub(crate) fn copy_str(&mut self, from: u64, to: u64, room: u64) -> Result<(), Raised> {
        // CAST: usize has at most 64 bits.
        let room = room.min(self.clause.strsize() as u64);
        let mut cursor = Cursor::new(from, usize::try_from(room).unwrap_or(usize::MAX));
        let mut at = to;
        while cursor.fill(self)? {
            // CAST: at most CHUNK.
            let n = cursor.have().len();
            self.env.spend(price::WRITE)?;
            self.store(at, cursor.have())?;
            at = at.wrapping_add(n as u64);
            cursor.skip(n);
        }
        if room == 0 {
            return Ok(());
        }
        self.store(at, &[0])
    }

    /// Works like [`Self::copy_str`] to the host's memory, by way of scratch, with only one request
    /// to the host.
    #[inline(never)]
    pub(crate) fn copy_whole(&mut self, from: u64, to: u64, room: u64) -> Result<(), Raised> {
        let room = usize::try_from(room).unwrap_or(usize::MAX).min(self.clause.strsize());
        if room == 0 {
            return Ok(());
        }
        let mark = self.clause.mark();
        let text = self.text(self.kernel, from, room)?;
        self.pay_for(&text, price::WHOLE)?;
        let bytes = Texts::of(self.strtab, self.clause.live()).get(&text);
        let end = to.saturating_add(number(bytes.len()));
        let stored = self.env.store(to, bytes).and_then(|()| self.env.store(end, &[0]));
        self.clause.release(mark);
        stored
    }

    /// Makes the bytes of a string accessible as a slice. Strings of the host are copied into free
    /// scratch memory, which the caller frees with `release` or `settle`.
    #[inline(never)]
    pub(crate) fn text(&mut self, space: Space, at: u64, size: usize) -> Result<Text, Raised> {
        let text = self.find_text(space, at, size)?;
        self.pay_for(&text, price::TEXT)?;
        Ok(text)
    }

    fn find_text(&mut self, space: Space, at: u64, size: usize) -> Result<Text, Raised> {
        let bad = Raised::bad_addr(at);
        let most = size.saturating_sub(1);
        match addr::split(at) {
            None if at == 0 => Ok(Text::Strtab(0..0)),
            Some((addr::STRTAB, off)) if space != Space::User => {
                let rest = tail(self.strtab, off).ok_or(bad)?;
                // The table ends with a NUL, so every offset is the beginning of a string.
                let n = str_len(rest.get(..most).unwrap_or(rest));
                if n == rest.len() {
                    return Err(bad);
                }
                let start = usize::try_from(off).map_err(|_| bad)?;
                Ok(Text::Strtab(start..start.saturating_add(n)))
            }
            Some((addr::SCRATCH, off)) if space != Space::User => {
                let rest = tail(self.clause.live(), off).ok_or(bad)?;
                let n = str_len(rest.get(..most).unwrap_or(rest));
                if n == rest.len() && n < most {
                    return Err(bad);
                }
                let start = usize::try_from(off).map_err(|_| bad)?;
                Ok(Text::Scratch(start..start.saturating_add(n)))
            }
            Some((region, _)) if !addr::is_env(region) || space == Space::User => Err(bad),
            _ => {
                // CAST: usize has at most 64 bits.
                if at.checked_add(most as u64).is_none_or(|end| addr::runs_in(at, end)) {
                    return Err(bad);
                }
                let start = self.clause.mark();
                let (_, free) = self.clause.split();
                let room = free.len().min(most);
                let into = free.get_mut(..room).unwrap_or_default();
                let n = self.env.load_str(space, at, into)?.min(room);
                if n == room && room < most {
                    // CAST: usize has at most 64 bits.
                    return Err(Raised::new(FaultKind::NoScratch, size as u64));
                }
                self.clause.settle(start, n);
                Ok(Text::Scratch(start..start.saturating_add(n)))
            }
        }
    }

    /// Makes the string argument at `at` accessible.
    pub(crate) fn arg_text(&mut self, at: u64) -> Result<Text, Raised> {
        self.text(self.kernel, at, self.clause.strsize())
    }

    /// Returns access to the bytes of texts, while nothing is written.
    pub(crate) fn texts(&self) -> Texts<'_> {
        Texts::of(self.strtab, self.clause.live())
    }

    /// Makes a string in scratch and returns its address. The operands between `mark` and the end
    /// of used memory are freed. A string longer than strsize is cut. If there is no room:
    /// NOSCRATCH.
    pub(crate) fn compose(
        &mut self,
        mark: usize,
        write: impl FnOnce(Texts<'_>, &mut Out<'_>),
    ) -> Result<u64, Raised> {
        let strsize = self.clause.strsize();
        // CAST: usize has at most 64 bits.
        let no_scratch = Raised::new(FaultKind::NoScratch, strsize as u64);
        let strtab = self.strtab;
        let (live, free) = self.clause.split();
        let room = free.len().min(strsize);
        let buf = free.get_mut(..room).unwrap_or_default();
        let mut out = Out { buf, len: 0, cut: false };
        write(Texts::of(strtab, live), &mut out);
        if out.cut && room < strsize {
            return Err(no_scratch);
        }
        let len = out.len;
        // CAST: usize has at most 64 bits.
        self.env.spend(of_bytes(len as u64).saturating_mul(price::MADE))?;
        *buf.get_mut(len).ok_or(no_scratch)? = 0;
        self.clause.settle(mark, len.saturating_add(1));
        // CAST: usize has at most 64 bits.
        Ok(addr::make(addr::SCRATCH, mark as u64))
    }
}

/// Reads one string, a chunk at a time.
pub(crate) struct Cursor {
    at: u64,
    /// The most bytes that can follow.
    left: usize,
    buf: [u8; CHUNK],
    start: usize,
    end: usize,
    /// The NUL was found, or strsize reached.
    done: bool,
}

impl Cursor {
    /// Creates a reader of the string at `at`, cut to `size` bytes with its NUL. NULL is empty.
    pub(crate) fn new(at: u64, size: usize) -> Self {
        let left = size.saturating_sub(1);
        Self { at, left, buf: [0; CHUNK], start: 0, end: 0, done: at == 0 }
    }

    /// Reads the next chunk if the current one is used up. Returns false at the end of the string.
    pub(crate) fn fill<E: Env>(&mut self, mem: &mut Mem<'_, '_, E>) -> Result<bool, Raised> {
        if self.start < self.end {
            return Ok(true);
        }
        if self.done || self.left == 0 {
            return Ok(false);
        }
        let want = self.left.min(CHUNK);
        mem.env.spend(price::LOOK)?;
        let space = mem.kernel;
        let into = self.buf.get_mut(..want).unwrap_or_default();
        let n = mem.load_str(space, self.at, into)?;
        self.done = n < want;
        // CAST: at most CHUNK.
        self.at = self.at.wrapping_add(n as u64);
        self.left = self.left.saturating_sub(n);
        (self.start, self.end) = (0, n);
        Ok(n > 0)
    }

    /// Returns the unused bytes of the current chunk.
    pub(crate) fn have(&self) -> &[u8] {
        self.buf.get(self.start..self.end).unwrap_or_default()
    }

    /// Marks `n` bytes as used.
    pub(crate) fn skip(&mut self, n: usize) {
        self.start = self.start.saturating_add(n).min(self.end);
    }
}
