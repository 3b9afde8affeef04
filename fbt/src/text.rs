// SPDX-License-Identifier: GPL-2.0
//! What is known of a piece of text, the kernel's or a module's: its symbols, and what in it must not
//! be touched.

use crate::body::{self, Code, MAX_BODY};
use crate::eligible;
use crate::hit;
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

    /// Calls `f` with the symbols, of the kernel proper in the order of their addresses, until it says
    /// false; a module's are few.
    fn symbols(&self, f: &mut dyn FnMut(&[u8], u64) -> bool) -> Result {
        match self {
            Self::Kernel => symbols::kernel_symbols(f),
            Self::Module(m) => {
                m.for_each_symbol(|name, addr, _| {
                    f(name, addr);
                });
                Ok(())
            }
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

/// Does an indirect jump stand there that the kernel has put outside of its text?
pub(crate) fn is_thunk(addr: u64) -> bool {
    let mut there = [0; 4];
    read(addr, &mut there) && body::is_thunk(&there)
}

/// The same, without what we have put there.
pub(crate) fn read_as_it_was(addr: u64, into: &mut [u8]) -> bool {
    let there = read(addr, into);
    if there {
        hit::as_it_was(addr, into);
    }
    there
}

/// ftrace's site while nobody traces.
const NOP: [u8; 5] = [0x0f, 0x1f, 0x44, 0x00, 0x00];

/// What was read of a piece of text, which is asked for bit by bit.
pub(crate) struct Reader {
    bytes: KVVec<u8>,
    /// What of it stands there.
    window: Range<u64>,
    /// Much more will be asked for, in order.
    ahead: bool,
}

impl Reader {
    pub(crate) fn new(ahead: bool) -> Self {
        Self { bytes: KVVec::new(), window: 0..0, ahead }
    }

    /// The code at `start`, in text that ends at `end`. `None`: it cannot be read. The error: memory.
    pub(crate) fn code(&mut self, start: u64, size: u64, end: u64) -> Result<Option<Code<'_>>> {
        let behind = start.wrapping_add(size);
        if !(self.window.start <= start && behind <= self.window.end) {
            // Who asks here and there needs no more than that.
            let near = start.wrapping_sub(self.window.start) < MAX_BODY as u64;
            let most = if self.ahead && near { MAX_BODY as u64 } else { 0 };
            let much = end.saturating_sub(start).min(most).max(size);
            if !self.fill(start, much)? && (much == size || !self.fill(start, size)?) {
                return Ok(None);
            }
        }
        let from = start.wrapping_sub(self.window.start) as usize;
        let bytes = self.bytes.get(from..from.wrapping_add(size as usize));
        Ok(bytes.map(|bytes| Code { start, bytes }))
    }

    /// As [`Self::code`], with the nop that ftrace's site at `site` is while nobody traces: a tracer's
    /// call, or jump, is no part of the function.
    pub(crate) fn code_untraced(
        &mut self,
        start: u64,
        size: u64,
        end: u64,
        site: u64,
    ) -> Result<Option<Code<'_>>> {
        if self.code(start, size, end)?.is_none() {
            return Ok(None);
        }
        let from = site.wrapping_sub(self.window.start) as usize;
        if let Some(there) = self.bytes.get_mut(from..from.saturating_add(NOP.len())) {
            for (to, byte) in there.iter_mut().zip(NOP) {
                *to = byte;
            }
        }
        self.code(start, size, end)
    }

    fn fill(&mut self, start: u64, size: u64) -> Result<bool> {
        self.window = 0..0;
        if self.bytes.len() < size as usize {
            drop(core::mem::take(&mut self.bytes));
            self.bytes = mem::zeroed_bytes(size as usize)?;
        }
        let there = self.bytes.get_mut(..size as usize).is_some_and(|b| read_as_it_was(start, b));
        if there {
            self.window = start..start.wrapping_add(size);
        }
        Ok(there)
    }
}

/// A symbol: where, and its name in the common text.
#[derive(Clone, Copy, Default)]
pub(crate) struct Symbol {
    pub(crate) addr: u64,
    from: u32,
    len: u16,
    /// [`eligible::is_cold`], which is asked often.
    pub(crate) is_cold: bool,
}

impl Symbol {
    /// Does it end what stands before it? A label does not.
    pub(crate) fn begins(&self) -> bool {
        self.addr & 15 == 0 || self.is_cold || self.is_padding()
    }

    /// Is it room in front of a function?
    pub(crate) fn is_padding(&self) -> bool {
        self.from == 0
    }
}

/// Where the function that `addr` is in ends, the kernel's or a module's, or its unlikely half.
pub(crate) fn end(addr: u64) -> u64 {
    let mut at = addr;
    while let Some(symbol) = symbols::around(at) {
        at = symbol.end;
        // A label in the middle of it does not end it.
        if at & 15 == 0 || symbols::with_name(at, eligible::is_cold) {
            return at;
        }
    }
    u64::MAX
}

/// Where the function begins that `addr` is in.
pub(crate) fn start(addr: u64) -> Option<u64> {
    let mut at = addr;
    loop {
        at = symbols::around(at)?.start;
        if at & 15 == 0 {
            return Some(at);
        }
        at = at.wrapping_sub(1);
    }
}

/// What the names of room in front of functions begin with. There are as many as functions; the rest
/// of them is not kept.
pub(crate) const PADDING: &[u8] = b"__pfx_";

/// Appends a value; memory is asked for rarely.
pub(crate) fn add<T>(to: &mut KVVec<T>, value: T) -> Result {
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
        // About as many as there are; making room bit by bit costs more than twice as much.
        let bytes = range.end.wrapping_sub(range.start) as usize;
        let mut this = Self { names: mem::exact(bytes / 11)?, list: mem::exact(bytes / 140)? };
        mem::extend(&mut this.names, PADDING)?;
        let mut result = Ok(());
        let mut ascending = true;
        let mut last = 0;
        source.symbols(&mut |name, addr| {
            if result.is_err() || !range.contains(&addr) || name.is_empty() {
                // A third of the kernel's is behind its text.
                return result.is_ok() && (addr < range.end || !ascending);
            }
            // CAST: all names together have some megabytes, and one has at most KSYM_NAME_LEN.
            let mut symbol = Symbol {
                addr,
                from: this.names.len() as u32,
                len: name.len() as u16,
                is_cold: false,
            };
            if name.starts_with(PADDING) {
                (symbol.from, symbol.len) = (0, PADDING.len() as u16);
            } else {
                symbol.is_cold = eligible::is_cold(name);
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
        Ok(Self {
            stretches: mem::exact_copy(&this.stretches)?,
            rewritten: mem::exact_copy(&this.rewritten)?,
        })
    }

    /// Why `addr` must not be touched.
    pub(crate) fn why(&self, addr: u64) -> Option<Why> {
        let behind = first(&self.stretches, |s| s.start > addr);
        let s = self.stretches.get(behind.checked_sub(1)?)?;
        (addr < s.end).then_some(s.why)
    }

    /// A range with `addr` in which nothing is that must not be touched; `addr` itself is not.
    pub(crate) fn free(&self, addr: u64) -> Range<u64> {
        let behind = first(&self.stretches, |s| s.start > addr);
        let before = behind.checked_sub(1).and_then(|n| self.stretches.get(n));
        let next = self.stretches.get(behind);
        before.map_or(0, |s| s.end)..next.map_or(u64::MAX, |s| s.start)
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

/// Position of the first such byte. (`core` has a faster one for long texts; names are short.)
pub(crate) fn position(text: &[u8], byte: u8) -> Option<usize> {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let words = text.chunks_exact(8);
    let rest = words.remainder();
    let mut at = 0usize;
    for word in words.filter_map(<[u8]>::first_chunk) {
        let v = u64::from_le_bytes(*word) ^ ONES.wrapping_mul(byte.into());
        // The lowest bit of those that are set is right.
        let zeroes = v.wrapping_sub(ONES) & !v & (ONES << 7);
        if zeroes != 0 {
            return Some(at.wrapping_add((zeroes.trailing_zeros() >> 3) as usize));
        }
        at = at.wrapping_add(8);
    }
    rest.iter().position(|b| *b == byte).map(|n| at.wrapping_add(n))
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

/// Sorts. What is in order already, as most is, stays as it is; long lists are sorted digit by digit if
/// there is memory for it.
pub(crate) fn sort<T: Copy>(list: &mut [T], key: impl Fn(&T) -> u64) {
    let mut pairs = list.iter().zip(list.iter().skip(1));
    if pairs.all(|(a, b)| key(a) <= key(b)) {
        return;
    }
    drop(pairs);
    if list.len() < FEW || sort_by_digits(list, &key).is_none() {
        kapi::sort::heap(list, &key);
    }
}

/// Keeps the first of neighbours with the same key.
pub(crate) fn unique<T: Copy>(list: &mut KVVec<T>, key: impl Fn(&T) -> u64) {
    let mut last = None;
    list.retain(|m| last.replace(key(m)) != Some(key(m)));
}

/// Shorter lists are not worth a table.
const FEW: usize = 512;

/// Bits of a digit.
const DIGIT: u32 = 9;

/// `None`, and nothing has changed, if there is no memory.
fn sort_by_digits<T: Copy>(list: &mut [T], key: &impl Fn(&T) -> u64) -> Option<()> {
    let least = list.iter().map(key).min()?;
    let range = list.iter().map(key).max()?.wrapping_sub(least);
    let mut copy: KVVec<T> = mem::exact(list.len()).ok()?;
    let mut counts: KVVec<u64> = mem::zeroed_words(1 << DIGIT).ok()?;
    let mut shift = 0u32;
    while shift < 64 && range >> shift != 0 {
        let digit = |m: &T| (key(m).wrapping_sub(least) >> shift) as usize & ((1 << DIGIT) - 1);
        copy.clear();
        for m in list.iter() {
            // There is room.
            let _ = copy.push_within_capacity(*m);
        }
        counts.fill(0);
        for m in copy.iter() {
            if let Some(n) = counts.get_mut(digit(m)) {
                *n = n.wrapping_add(1);
            }
        }
        // How many have the digit: where the first of them goes.
        let mut sum = 0u64;
        for n in counts.iter_mut() {
            sum = sum.wrapping_add(core::mem::replace(n, sum));
        }
        for m in copy.iter() {
            let Some(at) = counts.get_mut(digit(m)) else { continue };
            if let Some(to) = list.get_mut(*at as usize) {
                *to = *m;
            }
            *at = at.wrapping_add(1);
        }
        shift = shift.wrapping_add(DIGIT);
    }
    Some(())
}
