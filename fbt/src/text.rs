// SPDX-License-Identifier: GPL-2.0
//! What is known of a piece of text, the kernel's or a module's: its symbols, and what in it must not
//! be touched.

use core::ops::Range;
use kapi::forbidden::{self, Why};
use kapi::modules::ModuleRef;
use kapi::{mem, nofault, symbols};
use kernel::prelude::*;

/// Where functions come from.
pub(crate) enum Source<'a> {
    /// The kernel proper.
    Kernel,
    /// A module.
    Module(&'a ModuleRef<'a>),
}

impl Source<'_> {
    /// The module part of the probes' names.
    pub(crate) fn name(&self) -> &[u8] {
        match self {
            Self::Kernel => b"vmlinux",
            Self::Module(m) => m.name(),
        }
    }

    /// The text in which functions are looked for: not that which is freed after the start.
    pub(crate) fn range(&self) -> Range<u64> {
        match self {
            Self::Kernel => symbols::text_range().unwrap_or(0..0),
            Self::Module(m) => m.text_range(),
        }
    }

    /// Whether code stood there that ran once, at the start.
    /// `sure`: what stands there is code.
    pub(crate) fn is_init(&self, addr: u64, sure: bool) -> bool {
        match self {
            Self::Kernel if sure => symbols::init_range().is_some_and(|r| r.contains(&addr)),
            Self::Kernel => symbols::init_text_range().is_some_and(|r| r.contains(&addr)),
            // A module's is not in its symbol table any more.
            Self::Module(_) => false,
        }
    }

    /// Calls `f` with every symbol.
    pub(crate) fn for_each(&self, f: &mut dyn FnMut(&[u8], u64)) -> Result {
        match self {
            Self::Kernel => symbols::for_each_kernel_symbol(b"", f),
            Self::Module(m) => {
                m.for_each_symbol(|name, addr, _| f(name, addr));
                Ok(())
            }
        }
    }
}

/// Fills `into` with what stands at `addr`, as far as there is anything.
pub(crate) fn read(addr: u64, into: &mut [u8]) -> bool {
    nofault::read_kernel(addr, into).is_ok()
}

/// A symbol: where, and its name in the common text.
#[derive(Clone, Copy, Default)]
pub(crate) struct Symbol {
    pub(crate) addr: u64,
    from: u32,
    len: u32,
}

/// What the names of room in front of functions begin with. There are as many as functions; the rest
/// of them is not kept.
pub(crate) const PADDING: &[u8] = b"__pfx_";

/// Appends a value; memory is asked for rarely.
fn add<T>(to: &mut KVVec<T>, value: T) -> Result {
    if to.len() == to.capacity() {
        mem::reserve(to, to.len().max(64))?;
    }
    to.push_within_capacity(value).map_err(|_| ENOMEM)
}

/// Appends a name.
fn append(to: &mut KVVec<u8>, name: &[u8]) -> Result {
    if to.capacity().wrapping_sub(to.len()) < name.len() {
        mem::reserve(to, to.len().max(1 << 12))?;
    }
    // There is room.
    Ok(to.extend_from_slice(name, GFP_KERNEL)?)
}

/// The symbols of a piece of text, ascending.
pub(crate) struct Symbols {
    names: KVVec<u8>,
    pub(crate) list: KVVec<Symbol>,
}

impl Symbols {
    pub(crate) fn of(source: &Source<'_>) -> Result<Self> {
        let range = source.range();
        let mut this = Self { names: KVVec::new(), list: KVVec::new() };
        mem::extend(&mut this.names, PADDING)?;
        let mut result = Ok(());
        let mut ascending = true;
        let mut last = 0;
        source.for_each(&mut |name, addr| {
            if result.is_err() || !range.contains(&addr) || name.is_empty() {
                return;
            }
            // CAST: all names together have some megabytes.
            let (mut from, mut len) = (this.names.len() as u32, name.len() as u32);
            if name.starts_with(PADDING) {
                (from, len) = (0, PADDING.len() as u32);
            } else {
                result = append(&mut this.names, name);
            }
            result = result.and_then(|()| add(&mut this.list, Symbol { addr, from, len }));
            ascending &= addr >= last;
            last = addr;
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

    /// Position of the first symbol at or behind `addr`.
    pub(crate) fn position(&self, addr: u64) -> usize {
        first(&self.list, |s| s.addr >= addr)
    }
}

/// A stretch of text that must not be touched.
#[derive(Clone, Copy)]
pub(crate) struct Stretch {
    pub(crate) start: u64,
    end: u64,
    why: Why,
}

/// What must not be touched in a piece of text.
pub(crate) struct Limits {
    stretches: KVVec<Stretch>,
    /// Where instructions stand that the kernel itself rewrites.
    rewritten: KVVec<u64>,
}

impl Limits {
    pub(crate) fn of(source: &Source<'_>) -> Result<Self> {
        let mut this = Self { stretches: KVVec::new(), rewritten: KVVec::new() };
        let range = source.range();
        let mut result = Ok(());
        let mut stretch = |r: Range<u64>, why| {
            if result.is_ok() && r.start < r.end {
                let s = Stretch { start: r.start, end: r.end, why };
                result = mem::push(&mut this.stretches, s);
            }
        };
        match source {
            Source::Kernel => forbidden::ranges(&mut stretch)?,
            Source::Module(m) => forbidden::of_module(m, &mut stretch)?,
        }
        let mut site = |addr: u64, _len: usize| {
            if result.is_ok() && range.contains(&addr) {
                result = mem::push(&mut this.rewritten, addr);
            }
        };
        match source {
            Source::Kernel => forbidden::sites(&mut site)?,
            Source::Module(m) => forbidden::sites_of_module(m, &mut site),
        }
        result?;
        sort(&mut this.stretches, |s| s.start);
        // A section holds functions that are listed as well: from each start on, the stretch that
        // reaches farthest counts.
        let mut farthest: Option<(u64, Why)> = None;
        for s in this.stretches.iter_mut() {
            match farthest {
                Some((end, why)) if end >= s.end => (s.end, s.why) = (end, why),
                _ => farthest = Some((s.end, s.why)),
            }
        }
        sort(&mut this.rewritten, |a| *a);
        Ok(this)
    }

    /// Why `addr` must not be touched.
    pub(crate) fn why(&self, addr: u64) -> Option<Why> {
        let behind = first(&self.stretches, |s| s.start > addr);
        let s = self.stretches.get(behind.checked_sub(1)?)?;
        (addr < s.end).then_some(s.why)
    }

    /// Whether the kernel rewrites an instruction that begins in there.
    pub(crate) fn any_rewritten(&self, range: Range<u64>) -> bool {
        self.rewritten_in(range).next().is_some()
    }

    /// Those that begin in there.
    pub(crate) fn rewritten_in(&self, range: Range<u64>) -> impl Iterator<Item = u64> + '_ {
        let from = first(&self.rewritten, |a| *a >= range.start);
        let rest = self.rewritten.get(from..).unwrap_or_default();
        rest.iter().copied().take_while(move |a| *a < range.end)
    }
}

/// Position of the first member for which `p` holds; it holds for all behind that, too.
pub(crate) fn first<T>(list: &[T], p: impl Fn(&T) -> bool) -> usize {
    let (mut low, mut high) = (0, list.len());
    while low < high {
        let middle = low.wrapping_add(high.wrapping_sub(low) / 2);
        match list.get(middle) {
            Some(m) if !p(m) => low = middle.wrapping_add(1),
            _ => high = middle,
        }
    }
    low
}

/// Heap sort: no memory, no recursion. (`core`'s sorts can panic in ways that objtool does not know.)
pub(crate) fn sort<T: Copy>(list: &mut [T], key: impl Fn(&T) -> u64) {
    let len = list.len();
    for root in (0..len / 2).rev() {
        sift(list, root, len, &key);
    }
    for end in (1..len).rev() {
        swap(list, 0, end);
        sift(list, 0, end, &key);
    }
}

fn sift<T: Copy>(list: &mut [T], mut root: usize, end: usize, key: &impl Fn(&T) -> u64) {
    let at = |list: &[T], i: usize| list.get(i).map_or(0, key);
    loop {
        let mut child = root.wrapping_mul(2).wrapping_add(1);
        if child >= end {
            return;
        }
        let right = child.wrapping_add(1);
        if right < end && at(list, right) > at(list, child) {
            child = right;
        }
        if at(list, root) >= at(list, child) {
            return;
        }
        swap(list, root, child);
        root = child;
    }
}

fn swap<T: Copy>(list: &mut [T], a: usize, b: usize) {
    let (Some(&x), Some(&y)) = (list.get(a), list.get(b)) else { return };
    if let Some(p) = list.get_mut(a) {
        *p = y;
    }
    if let Some(p) = list.get_mut(b) {
        *p = x;
    }
}
