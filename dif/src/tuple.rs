// SPDX-License-Identifier: GPL-2.0
//! The tuple stack: arguments of a subroutine, keys of an associative array.
//!
//! As arguments, entries are values and addresses. As keys they are compared by their bytes, so
//! before the host is asked, strings and structures are brought to where they can be seen as
//! slices: those in the string table and in scratch stay, those of the host are copied into free
//! scratch memory for as long as the question takes.

use abi::dif::NTUPLE;

use crate::addr;
use crate::env::{Env, Var};
use crate::fault::{FaultKind, Raised};
use crate::mem::{Mem, Text, Texts};

/// One key of an associative array, as the host sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Key<'k> {
    /// An integer or pointer.
    Value(u64),
    /// A string without its NUL, or the bytes of a structure.
    Bytes(&'k [u8]),
}

/// One entry of the stack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Pushed {
    /// The value, or the address.
    pub(crate) value: u64,
    pub(crate) how: How,
}

/// How an entry was pushed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum How {
    /// `pushtv`.
    Value,
    /// `pushtr` of a string; at most so many bytes, NUL included; 0: strsize.
    String(u64),
    /// `pushtr` of so many bytes.
    Bytes(u64),
}

pub(crate) type Tuple = heapless::Vec<Pushed, NTUPLE>;

/// A key, found but not yet borrowed.
enum Found {
    Value(u64),
    Bytes(Text),
}

/// Asks the host with the keys in sight. A macro, since the question borrows host and scratch at
/// once, and each question is another function.
macro_rules! with_keys {
    ($mem:expr, $tuple:expr, |$env:ident, $keys:ident| $ask:expr) => {{
        let mark = $mem.clause.mark();
        let answer = match $mem.find_keys($tuple) {
            Ok(found) => {
                let texts = Texts::of($mem.strtab, $mem.clause.live());
                let seen: heapless::Vec<Key<'_>, NTUPLE> = found
                    .iter()
                    .map(|f| match f {
                        Found::Value(v) => Key::Value(*v),
                        Found::Bytes(t) => Key::Bytes(texts.get(t)),
                    })
                    .collect();
                let ($env, $keys) = (&mut *$mem.env, &*seen);
                $ask
            }
            Err(raised) => Err(raised),
        };
        $mem.clause.release(mark);
        answer
    }};
}

impl<E: Env> Mem<'_, '_, E> {
    #[inline(never)]
    pub(crate) fn load_tuple(&mut self, v: &Var, tuple: &[Pushed]) -> Result<u64, Raised> {
        with_keys!(self, tuple, |env, keys| env.load_tuple(v, keys))
    }

    #[inline(never)]
    pub(crate) fn store_tuple(
        &mut self,
        v: &Var,
        tuple: &[Pushed],
        value: u64,
    ) -> Result<(), Raised> {
        with_keys!(self, tuple, |env, keys| env.store_tuple(v, keys, value))
    }

    #[inline(never)]
    pub(crate) fn ref_tuple_for_store(
        &mut self,
        v: &Var,
        tuple: &[Pushed],
    ) -> Result<Option<u64>, Raised> {
        with_keys!(self, tuple, |env, keys| env.ref_tuple_for_store(v, keys))
    }

    #[inline(never)]
    fn find_keys(&mut self, tuple: &[Pushed]) -> Result<heapless::Vec<Found, NTUPLE>, Raised> {
        let strsize = self.clause.strsize();
        tuple
            .iter()
            .map(|pushed| {
                Ok(match pushed.how {
                    How::Value => Found::Value(pushed.value),
                    How::String(size) => {
                        let size = match usize::try_from(size) {
                            Ok(0) | Err(_) => strsize,
                            Ok(size) => size.min(strsize),
                        };
                        Found::Bytes(self.text(self.kernel, pushed.value, size)?)
                    }
                    How::Bytes(size) => Found::Bytes(self.bytes(pushed.value, size)?),
                })
            })
            .collect()
    }

    /// Puts a structure where its bytes can be looked at.
    fn bytes(&mut self, at: u64, size: u64) -> Result<Text, Raised> {
        let bad = Raised::bad_addr(at);
        let too_big = Raised::new(FaultKind::NoScratch, size);
        let len = usize::try_from(size).map_err(|_| too_big)?;
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
                let start = self.clause.alloc(size)?;
                // CAST: usize has at most 64 bits.
                self.load_into_scratch(self.kernel, at, start as u64, len)?;
                Ok(Text::Scratch(start..start.saturating_add(len)))
            }
        }
    }
}
