// SPDX-License-Identifier: GPL-2.0
//! The functions of the kernel or of a module that can be traced.
//!
//! A function takes twelve bytes, because there are fifty thousand. The framework keeps the names.

use crate::eligible::{Entry, Judge, Untraceable};
use crate::limits::Limits;
use crate::list::{add, first, has};
use crate::names;
use crate::symtab::{self, Symbols};
use crate::text::{self, Reader, Source};
use abi::probe::Techniques;
use abi::reason::Reason;
use core::cell::Cell;
use core::ops::Range;
use kapi::{mem, symbols};
use kernel::prelude::*;
use x86::body::{self, Code, Glance, Scratch, MAX_BODY, SCRATCH_WORDS};
use x86::encoding;

/// A function.
#[derive(Clone, Copy)]
pub(crate) struct Function {
    /// The offset from the base of the catalog, in bytes.
    start: u32,
    pub(crate) size: u32,
    /// The bit of the technique for its entry; 0 if it has no entry probe.
    pub(crate) entry: u8,
    /// The bits of the techniques for its returns; 0 if it has no return probe.
    pub(crate) returns: u8,
    /// The offset of ftrace's site from the start, if ftrace traces the entry.
    fentry: u8,
}

/// The functions of one piece of text.
pub(crate) struct Catalog {
    /// The id of the text or of the set.
    pub(crate) id: u64,
    /// The text belongs to the kernel, not to a module.
    is_kernel: bool,
    /// The text belongs to a livepatch.
    pub(crate) is_livepatch: bool,
    /// It has only some functions of the text; the others are examined on request.
    is_partial: bool,
    pub(crate) range: Range<u64>,
    pub(crate) functions: KVVec<Function>,
    /// The unlikely halves of functions: offsets of start and end from the base.
    colds: KVVec<(u32, u32)>,
    pub(crate) limits: Limits,
}

/// Memory for examining functions.
pub(crate) struct Desk {
    pub(crate) code: Reader,
    /// For unlikely halves.
    pub(crate) cold: Reader,
    pub(crate) words: KVVec<u64>,
}

impl Desk {
    /// Allocates a desk for many functions in order of address (`many`), or for a few.
    pub(crate) fn new(many: bool) -> Result<Self> {
        Ok(Self::with(mem::filled(SCRATCH_WORDS, 0)?, many))
    }

    /// Makes a desk with the words of another one.
    pub(crate) fn with(words: KVVec<u64>, many: bool) -> Self {
        Self { code: Reader::new(many), cold: Reader::new(many), words }
    }
}

/// The maximum number of functions in a catalog.
pub const MAX_FUNCTIONS: usize = 1 << 19;

/// A catalog and the names of its functions.
pub struct Collected {
    pub(crate) catalog: KBox<Catalog>,
    symbols: Symbols,
    /// An index into `symbols` for each function.
    named: KVVec<u32>,
}

/// The rules that hold for every piece of text.
pub(crate) struct Rules<'a> {
    pub(crate) never: &'a Untraceable,
    pub(crate) only_breakpoints: bool,
    pub(crate) return_thunk: u64,
    /// The functions that a livepatch has replaced, in ascending order; empty if that does not
    /// matter.
    pub(crate) replaced: &'a [u64],
}

/// Collects the functions of a piece of text.
pub(crate) fn collect(
    id: u64,
    source: &Source<'_>,
    symbols: Symbols,
    rules: &Rules<'_>,
    desk: &mut Desk,
) -> Result<Collected> {
    let range = source.range();
    let limits = Limits::of(source)?;
    let judge = rules.judge(&limits);
    // Half of the symbols are for the padding before functions.
    let most = symbols.list.len() / 2;
    let (mut functions, mut named, mut colds) =
        (mem::exact(most)?, mem::exact(most)?, KVVec::new());
    let mut last: Option<(u64, Option<Function>)> = None;
    for (n, s) in symbols.list.iter().enumerate() {
        if s.is_cold {
            // CAST: text is smaller than 4 GiB.
            let start = s.addr.wrapping_sub(range.start) as u32;
            let end = symbols.next(n).unwrap_or(range.end).wrapping_sub(range.start) as u32;
            mem::push(&mut colds, (start, end))?;
            continue;
        }
        if s.is_padding() {
            continue;
        }
        // A symbol at the same address is another name of the same function.
        let known = last.filter(|(addr, _)| *addr == s.addr).map(|(_, f)| f);
        let function = match known {
            Some(f) => f,
            None if symbols.is_refused(n) => None,
            None => {
                let extent = symbols.extent(n, &range);
                let begins = |a| symbols.has(a);
                let l = look(&judge, rules, s.addr, extent, &begins, &range, desk)?;
                l.function(s.addr, extent, &range)
            }
        };
        last = Some((s.addr, function));
        if let Some(f) = function {
            if functions.len() < MAX_FUNCTIONS {
                add(&mut functions, f)?;
                // CAST: there are fewer symbols than bytes.
                add(&mut named, n as u32)?;
            }
        }
        if n & 63 == 0 {
            kapi::xcall::breathe();
        }
    }
    let (functions, colds) = (mem::exact_copy(&functions)?, mem::exact_copy(&colds)?);
    let (is_kernel, is_livepatch) = match source {
        Source::Kernel => (true, false),
        Source::Module(m) => (false, m.is_livepatch()),
    };
    let is_partial = false;
    let catalog =
        Catalog { id, is_kernel, is_livepatch, is_partial, range, functions, colds, limits };
    Ok(Collected { catalog: mem::boxed(catalog)?, symbols, named })
}

/// Collects the functions of the kernel proper that begin at `starts`, which are in ascending
/// order. The catalog examines other functions one by one on request.
pub(crate) fn collect_some(
    id: u64,
    starts: &[u64],
    rules: &Rules<'_>,
    desk: &mut Desk,
) -> Result<Catalog> {
    let (range, limits) = (Source::Kernel.range(), Limits::of(&Source::Kernel)?);
    let (functions, colds) = (mem::exact(starts.len())?, KVVec::new());
    let mut catalog = Catalog {
        id,
        is_kernel: true,
        is_livepatch: false,
        is_partial: true,
        range,
        functions,
        colds,
        limits,
    };
    for start in starts {
        if let Some(function) = catalog.one(*start, rules, desk)? {
            add(&mut catalog.functions, function)?;
        }
    }
    Ok(catalog)
}

/// The result of examining a function.
pub(crate) struct Look {
    pub(crate) entry: core::result::Result<Entry, Reason>,
    pub(crate) returns: core::result::Result<Glance, Reason>,
}

impl Look {
    fn any(&self) -> bool {
        self.entry.is_ok() || self.returns.is_ok()
    }

    /// The function has no probes, for this reason.
    fn never(reason: Reason) -> Self {
        Self { entry: Err(reason), returns: Err(reason) }
    }

    /// Returns the function that was examined, if it can be traced.
    fn function(&self, at: u64, size: u64, range: &Range<u64>) -> Option<Function> {
        let (entry, returns) = (self.entry_bits(), self.return_bits());
        // CAST: text is smaller than 4 GiB.
        let (start, size) = (at.wrapping_sub(range.start) as u32, size as u32);
        self.any().then(|| Function { start, size, entry, returns, fentry: self.fentry(at) })
    }

    fn entry_bits(&self) -> u8 {
        self.entry.map_or(0, |e| bit(e.technique()))
    }

    fn fentry(&self, start: u64) -> u8 {
        match self.entry {
            // CAST: below 16.
            Ok(Entry::Fentry(at)) => at.wrapping_sub(start) as u8,
            _ => 0,
        }
    }

    fn return_bits(&self) -> u8 {
        self.returns.map_or(0, return_bits)
    }
}

fn return_bits(g: Glance) -> u8 {
    let all = [
        (g.returns, Techniques::CALL_RETURN),
        (g.tails, Techniques::CALL_TAIL),
        (g.narrow, Techniques::TRAP_RETURN),
    ];
    all.iter().filter(|(there, _)| *there).fold(0, |bits, (_, t)| bits | bit(*t))
}

/// Returns the bit of a technique of the engine, which has fewer than eight.
fn bit(t: Techniques) -> u8 {
    // CAST: it fits into 8 bits.
    t.bits() as u8
}

/// Examines the function at `start`. `begins` tells whether a symbol is at an address. It fails
/// only if memory is short.
pub(crate) fn look(
    judge: &Judge<'_>,
    rules: &Rules<'_>,
    start: u64,
    size: u64,
    begins: &dyn Fn(u64) -> bool,
    range: &Range<u64>,
    desk: &mut Desk,
) -> Result<Look> {
    if let Err(reason) = judge.place(start) {
        return Ok(Look::never(reason));
    }
    let Desk { code, words, .. } = desk;
    let mut scratch = Scratch::new(words).ok_or(ENOMEM)?;
    let Some(code) = code.code(start, size.min(MAX_BODY as u64), range.end)? else {
        return Ok(Look::never(Reason::NotFunction));
    };
    let entry = judge.entry(code, &mut scratch);
    let returns = if size > MAX_BODY as u64 {
        Err(Reason::TooLarge)
    } else {
        returns(code, judge.limits, rules.return_thunk, begins, range)
    };
    Ok(Look { entry, returns })
}

/// Returns the exits that a glance finds. There may be other kinds as well.
fn returns(
    code: Code<'_>,
    limits: &Limits,
    thunk: u64,
    begins: &dyn Fn(u64) -> bool,
    range: &Range<u64>,
) -> core::result::Result<Glance, Reason> {
    let is_function = |a: u64| match range.contains(&a) {
        true => encoding::may_be_function(a) && begins(encoding::align_down(a)),
        false => encoding::may_be_function(a) || text::is_thunk(a),
    };
    // A static call in place of a tail call, or a livepatch's jump into a module that it patches:
    // the kernel rewrites it, so we must not patch it. A return probe that misses a return is worse
    // than none.
    let exit = |at: u64| {
        let from = at.wrapping_sub(code.start) as usize;
        let bytes = code.bytes.get(from..).unwrap_or_default();
        let piece = Code { start: at, bytes: bytes.get(..encoding::WIDE).unwrap_or(bytes) };
        let here = body::glance(piece, thunk, &|a| !code.range().contains(&a));
        here.returns || here.tails
    };
    if limits.any_jump(code.range(), &exit) {
        return Err(Reason::NoReturnSite);
    }
    match body::glimpse(code, thunk, &is_function) {
        g if g.any() => Ok(g),
        _ => Err(Reason::NeverReturns),
    }
}

impl Rules<'_> {
    pub(crate) fn judge<'l>(&'l self, limits: &'l Limits) -> Judge<'l> {
        let Self { never, only_breakpoints, .. } = *self;
        Judge { limits, never, only_breakpoints, free: Cell::new((0, 0)) }
    }

    /// Tells whether a livepatch has replaced the function at `start`.
    pub(crate) fn is_replaced(&self, start: u64) -> bool {
        has(self.replaced, start)
    }
}

impl Collected {
    /// Returns an upper bound for the length of all names, in bytes.
    pub fn names_len(&self) -> usize {
        self.symbols.names_len()
    }

    /// Returns the number of functions.
    pub fn len(&self) -> usize {
        self.catalog.functions.len()
    }

    /// Tells whether there are no functions.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the functions in the order of their numbers, which count from 0, each with its name
    /// and the techniques for it. A function with several names appears several times.
    pub fn functions(&self) -> impl Iterator<Item = (&[u8], Sides)> {
        self.catalog.functions.iter().zip(self.named.iter()).map(|(f, named)| {
            let symbol = self.symbols.list.get(*named as usize).copied().unwrap_or_default();
            (self.symbols.name(&symbol), f.sides())
        })
    }
}

/// The techniques for a function; empty if that side cannot be traced.
#[derive(Debug, Clone, Copy, Default)]
pub struct Sides {
    /// For its entry.
    pub entry: Techniques,
    /// For its returns.
    pub returns: Techniques,
}

impl Function {
    pub(crate) fn sides(&self) -> Sides {
        let of = |bits: u8| Techniques::from_bits_retain(bits.into());
        Sides { entry: of(self.entry), returns: of(self.returns) }
    }

    /// Returns the offset of ftrace's site from the start, if ftrace traces the entry.
    pub(crate) fn fentry(&self) -> Option<u64> {
        (self.entry == bit(Techniques::FENTRY)).then_some(self.fentry.into())
    }
}

impl Catalog {
    /// Returns the address of a function.
    pub(crate) fn start(&self, f: &Function) -> u64 {
        self.range.start.wrapping_add(f.start.into())
    }

    /// Returns the index of the function that begins at `start`, or whose `endbr` ends there.
    pub(crate) fn position(&self, start: u64) -> Option<usize> {
        let at = u32::try_from(start.checked_sub(self.range.start)? & !15).ok()?;
        let n = first(&self.functions, |f| f.start >= at);
        let is_landing = matches!(start & 15, 0 | 4);
        self.functions.get(n).filter(|f| f.start == at && is_landing).map(|_| n)
    }

    /// Returns the function that begins at `start`, or whose `endbr` ends there, if its returns can
    /// be traced. It fails only if memory is short.
    pub(crate) fn function_at(
        &self,
        start: u64,
        rules: &Rules<'_>,
        desk: &mut Desk,
    ) -> Result<Option<Function>> {
        let known = self.position(start).and_then(|n| self.functions.get(n));
        let function = match known {
            None if self.is_partial && encoding::may_be_function(start) => {
                self.one(start & !15, rules, desk)?
            }
            known => known.copied(),
        };
        Ok(function.filter(|f| f.returns != 0))
    }

    /// Tells whether the text belongs to the kernel, not to a module.
    pub(crate) fn is_kernel(&self) -> bool {
        self.is_kernel
    }

    /// Examines the function of the kernel proper at `start`. It fails only if memory is short.
    fn one(&self, start: u64, rules: &Rules<'_>, desk: &mut Desk) -> Result<Option<Function>> {
        let begins = |a| symbols::around(a).is_some_and(|s| s.start == a);
        let not = |name: &[u8]| names::not_by_name(name).is_some();
        if !self.range.contains(&start) || !begins(start) || symbols::with_name(start, not) {
            return Ok(None);
        }
        let judge = rules.judge(&self.limits);
        let size = symtab::end(start).min(self.range.end).wrapping_sub(start);
        let look = look(&judge, rules, start, size, &begins, &self.range, desk)?;
        Ok(look.function(start, size, &self.range))
    }

    /// Returns the range of the unlikely half that contains `addr`.
    pub(crate) fn cold(&self, addr: u64) -> Option<Range<u64>> {
        if self.is_partial {
            let is_cold = self.range.contains(&addr) && symbols::with_name(addr, names::is_cold);
            return symbols::around(addr).filter(|_| is_cold);
        }
        let at = u32::try_from(addr.checked_sub(self.range.start)?).ok()?;
        let behind = first(&self.colds, |(start, _)| *start > at);
        let (start, end) = *self.colds.get(behind.checked_sub(1)?)?;
        let range = |a: u32| self.range.start.wrapping_add(a.into());
        (at < end).then(|| range(start)..range(end))
    }
}
