// SPDX-License-Identifier: GPL-2.0
//! The symbols of a piece of text: their addresses and names, and the ends of their functions.

use crate::list::{add, first, sort};
use crate::names::{self, PADDING};
use crate::text::Source;
use core::ops::Range;
use kapi::{mem, symbols};
use kernel::prelude::*;

/// A symbol: its address, and its name as a part of the common text.
#[derive(Clone, Copy, Default)]
pub(crate) struct Symbol {
    pub(crate) addr: u64,
    from: u32,
    len: u16,
    /// The result of [`names::is_cold`], which is needed often.
    pub(crate) is_cold: bool,
    /// The result of [`names::is_static_call`].
    is_static_call: bool,
}

impl Symbol {
    /// Tells whether it ends the function before it. A label does not.
    pub(crate) fn begins(&self) -> bool {
        self.addr & 15 == 0 || self.is_cold || self.is_static_call || self.is_padding()
    }

    /// Tells whether it is padding in front of a function.
    pub(crate) fn is_padding(&self) -> bool {
        self.from == 0
    }
}

/// Returns the end of the function of the kernel or a module, or of its unlikely half, that
/// contains `addr`.
pub(crate) fn end(addr: u64) -> u64 {
    let mut at = addr;
    while let Some(symbol) = symbols::around(at) {
        at = symbol.end;
        // A label in the middle of a function does not end it.
        let ends = |name: &[u8]| names::is_cold(name) || names::is_static_call(name);
        if at & 15 == 0 || symbols::with_name(at, ends) {
            return at;
        }
    }
    u64::MAX
}

/// Returns the start of the function that contains `addr`.
pub(crate) fn start(addr: u64) -> Option<u64> {
    let mut at = addr;
    loop {
        at = symbols::around(at)?.start;
        if at & 15 == 0 || symbols::with_name(at, names::is_static_call) {
            return Some(at);
        }
        at = at.wrapping_sub(1);
    }
}

/// Appends a name.
fn append(to: &mut KVVec<u8>, name: &[u8]) -> Result {
    if to.capacity().wrapping_sub(to.len()) < name.len() {
        mem::reserve(to, to.len().max(1 << 12))?;
    }
    // The capacity suffices.
    Ok(to.extend_from_slice(name, GFP_KERNEL)?)
}

/// The symbols of a piece of text, in ascending order.
pub(crate) struct Symbols {
    names: KVVec<u8>,
    pub(crate) list: KVVec<Symbol>,
}

impl Symbols {
    pub(crate) fn of(source: &Source<'_>) -> Result<Self> {
        let range = source.range();
        // An estimate of the number; growing bit by bit costs more than twice as much.
        let bytes = range.end.wrapping_sub(range.start) as usize;
        let mut this = Self { names: mem::exact(bytes / 11)?, list: mem::exact(bytes / 140)? };
        mem::extend(&mut this.names, PADDING)?;
        let mut result = Ok(());
        let mut ascending = true;
        let mut last = 0;
        source.symbols(&mut |name, addr| {
            if result.is_err() || !range.contains(&addr) || name.is_empty() {
                // A third of the kernel's symbols lie behind its text.
                return result.is_ok() && (addr < range.end || !ascending);
            }
            let name = symbols::own_name(name);
            // CAST: all names together take some megabytes, and one has at most `KSYM_NAME_LEN`
            // bytes.
            let mut symbol = Symbol {
                addr,
                from: this.names.len() as u32,
                len: name.len() as u16,
                is_cold: false,
                is_static_call: false,
            };
            if names::behind_padding(name).is_some() {
                (symbol.from, symbol.len) = (0, PADDING.len() as u16);
            } else {
                symbol.is_cold = names::is_cold(name);
                symbol.is_static_call = names::is_static_call(name);
                result = append(&mut this.names, name);
            }
            result = result.and_then(|()| add(&mut this.list, symbol));
            ascending &= addr >= last;
            last = addr;
            true
        })?;
        result?;
        if !ascending {
            sort(&mut this.list, |s| s.addr);
        }
        Ok(this)
    }

    pub(crate) fn name(&self, s: &Symbol) -> &[u8] {
        let from = s.from as usize;
        self.names.get(from..from.wrapping_add(s.len as usize)).unwrap_or_default()
    }

    pub(crate) fn names_len(&self) -> usize {
        self.names.len()
    }

    /// Returns the index of the first symbol at or after `addr`.
    pub(crate) fn position(&self, addr: u64) -> usize {
        first(&self.list, |s| s.addr >= addr)
    }

    /// Tells whether a symbol at the address of number `n`, the first one there, says that this is
    /// no function. The others may be labels of the linker.
    pub(crate) fn is_refused(&self, n: usize) -> bool {
        let all = self.list.get(n..).unwrap_or_default();
        let Some(addr) = all.first().map(|s| s.addr) else { return false };
        let mut here = all.iter().take_while(|s| s.addr == addr);
        here.any(|s| !s.is_padding() && names::not_by_prefix(self.name(s)).is_some())
    }

    /// Returns the address of the first symbol after number `n` that has another address.
    pub(crate) fn next(&self, n: usize) -> Option<u64> {
        let here = self.list.get(n)?.addr;
        self.list.get(n..)?.iter().map(|s| s.addr).find(|a| *a != here)
    }

    /// Returns the length in bytes of the function that begins with symbol number `n`. A label in
    /// the middle of it does not end it.
    pub(crate) fn extent(&self, n: usize, range: &Range<u64>) -> u64 {
        let rest = self.list.get(n..).unwrap_or_default();
        let Some(here) = rest.first().map(|s| s.addr) else { return 0 };
        let ends = |s: &&Symbol| s.addr != here && s.begins();
        rest.iter().find(ends).map_or(range.end, |s| s.addr).wrapping_sub(here)
    }

    /// Tells whether there is a symbol at `addr`.
    pub(crate) fn has(&self, addr: u64) -> bool {
        self.list.get(self.position(addr)).is_some_and(|s| s.addr == addr)
    }
}
