// SPDX-License-Identifier: GPL-2.0
//! The tuple stack: arguments of a subroutine, or keys of an associative array.
//!
//! As arguments, entries are values and addresses. Keys are compared by their bytes, so strings and
//! structures must be accessible as slices before the host is called. Those in the string table and
//! in scratch stay where they are; those of the host are copied into free scratch memory for the
//! duration of the call.

use abi::dif::NTUPLE;
use abi::difo::MAX_BY_REF;

use crate::addr;
use crate::bound::price;
use crate::env::{Env, Key, Var};
use crate::fault::Raised;
use crate::mem::{Mem, Text, Texts};

/// One entry of the stack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Pushed {
    /// The value, or the address.
    pub(crate) value: u64,
    /// The number of bytes at the address. A size of more than 32 bits becomes the maximum, which
    /// fits nowhere.
    pub(crate) size: u32,
    pub(crate) how: How,
}

/// How an entry was pushed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum How {
    /// `pushtv`.
    Value,
    /// `pushtr` of a string of at most `size` bytes, NUL included; 0 means strsize.
    String,
    /// `pushtr` of `size` bytes.
    Bytes,
}

impl Pushed {
    /// Returns an entry by value.
    pub(crate) const fn value(value: u64) -> Self {
        Self { value, size: 0, how: How::Value }
    }

    /// Returns an entry by reference.
    pub(crate) fn reference(value: u64, size: u64, is_string: bool) -> Self {
        let how = if is_string { How::String } else { How::Bytes };
        Self { value, size: u32::try_from(size).unwrap_or(u32::MAX), how }
    }
}

pub(crate) type Tuple = heapless::Vec<Pushed, NTUPLE>;

/// The location of a key. It is small, because the machine's stack holds eight of them.
#[derive(Clone, Copy)]
enum Found {
    Value,
    Strtab(u32, u32),
    Scratch(u32, u32),
}

impl Found {
    fn text(text: &Text) -> Option<Self> {
        let part = |n: usize| u32::try_from(n).ok();
        match text {
            Text::Strtab(r) => Some(Found::Strtab(part(r.start)?, part(r.end)?)),
            Text::Scratch(r) => Some(Found::Scratch(part(r.start)?, part(r.end)?)),
        }
    }
}

impl<E: Env> Mem<'_, '_, E> {
    #[inline(never)]
    pub(crate) fn load_tuple(&mut self, v: &Var, tuple: &[Pushed]) -> Result<u64, Raised> {
        self.with_keys(tuple, |env, keys, _| env.load_tuple(v, keys))
    }

    #[inline(never)]
    pub(crate) fn store_tuple(
        &mut self,
        v: &Var,
        tuple: &[Pushed],
        value: u64,
    ) -> Result<(), Raised> {
        self.with_keys(tuple, |env, keys, _| env.store_tuple(v, keys, value))
    }

    /// Sets an element, or a thread-local variable, to the bytes of a value by reference.
    #[inline(never)]
    pub(crate) fn store_ref(
        &mut self,
        v: &Var,
        tuple: &[Pushed],
        value: u64,
    ) -> Result<(), Raised> {
        let mark = self.clause.mark();
        // CAST: 32 bits fit a usize wherever this runs.
        let size = v.ty.size as usize;
        let text = match v.ty.is_string() {
            true => self.text(self.kernel, value, size.min(self.clause.strsize())),
            false => self.bytes(value, size),
        };
        let stored = text.and_then(|text| {
            self.pay_for(&text, price::WHOLE)?;
            self.with_keys(tuple, |env, keys, texts| env.store_ref(v, keys, texts.get(&text)))
        });
        self.clause.release(mark);
        stored
    }

    /// Calls the host with the keys, and frees the scratch memory that they took.
    #[inline(always)]
    fn with_keys<R>(
        &mut self,
        tuple: &[Pushed],
        ask: impl FnOnce(&mut E, &[Key<'_>], Texts<'_>) -> Result<R, Raised>,
    ) -> Result<R, Raised> {
        let mark = self.clause.mark();
        let mut found = [Found::Value; NTUPLE];
        let ready = self.find_keys(tuple, &mut found).and_then(|()| self.pay_for_keys(&found));
        let answer = ready.and_then(|()| {
            let (strtab, live) = (self.strtab, self.clause.live());
            // CAST in this block: 32 bits fit a usize wherever this runs.
            let mut keys = [Key::Value(0); NTUPLE];
            for ((key, found), pushed) in keys.iter_mut().zip(found).zip(tuple) {
                *key = match found {
                    Found::Value => Key::Value(pushed.value),
                    Found::Strtab(a, b) => {
                        Key::Bytes(strtab.get(a as usize..b as usize).unwrap_or_default())
                    }
                    Found::Scratch(a, b) => {
                        Key::Bytes(live.get(a as usize..b as usize).unwrap_or_default())
                    }
                };
            }
            let keys = keys.get(..tuple.len()).unwrap_or_default();
            ask(self.env, keys, Texts::of(strtab, live))
        });
        self.clause.release(mark);
        answer
    }

    #[inline(never)]
    fn find_keys(&mut self, tuple: &[Pushed], found: &mut [Found; NTUPLE]) -> Result<(), Raised> {
        for (found, pushed) in found.iter_mut().zip(tuple) {
            // CAST: 32 bits fit a usize wherever this runs.
            let (at, size) = (pushed.value, pushed.size as usize);
            let text = match pushed.how {
                How::Value => continue,
                How::String => {
                    let strsize = self.clause.strsize();
                    let size = if size == 0 { strsize } else { size.min(strsize) };
                    self.text(self.kernel, at, size)?
                }
                How::Bytes => self.bytes(at, size)?,
            };
            *found = Found::text(&text).ok_or(Raised::bad_addr(at))?;
        }
        Ok(())
    }

    /// Pays for the host's work on the keys. This is due for each use, because keys may be pushed
    /// once and used often.
    fn pay_for_keys(&mut self, found: &[Found; NTUPLE]) -> Result<(), Raised> {
        found.iter().try_for_each(|found| match found {
            Found::Value => self.env.spend(1),
            Found::Strtab(a, b) | Found::Scratch(a, b) => {
                self.pay(b.saturating_sub(*a).into(), price::KEY)
            }
        })
    }

    /// Makes the bytes of a structure accessible as a slice; at most as many as a variable holds.
    fn bytes(&mut self, at: u64, len: usize) -> Result<Text, Raised> {
        let bad = Raised::bad_addr(at);
        // CAST: usize has at most 64 bits.
        if len as u64 > MAX_BY_REF.into() {
            return Err(bad);
        }
        self.pay(len as u64, 1)?;
        let range = |off: u64| {
            let start = usize::try_from(off).ok()?;
            Some(start..start.checked_add(len)?)
        };
        match addr::split(at) {
            Some((addr::STRTAB, off)) => {
                let range = range(off).filter(|r| r.end <= self.strtab.len()).ok_or(bad)?;
                Ok(Text::Strtab(range))
            }
            Some((addr::SCRATCH, off)) => {
                let range = range(off).filter(|r| r.end <= self.clause.used()).ok_or(bad)?;
                Ok(Text::Scratch(range))
            }
            _ => {
                // CAST: usize has at most 64 bits.
                let start = self.clause.alloc(len as u64)?;
                self.load_into_scratch(self.kernel, at, start as u64, len)?;
                Ok(Text::Scratch(start..start.saturating_add(len)))
            }
        }
    }
}
