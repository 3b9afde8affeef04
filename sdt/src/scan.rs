// SPDX-License-Identifier: GPL-2.0
//! Finds the sites of a module by its symbols.
//!
//! When a module can be searched, its section headers and relocations are gone. Its symbols are
//! there, also the local ones. The first pass looks for labels of records and for stubs; nearly all
//! modules have none, and the search ends. The second pass collects the beginnings of functions,
//! from which instructions are decoded.
//!
//! A record that breaks a rule is logged, and only that record is lost.

use crate::record::{self, Image, Kind, Malformed, Record, LABEL, SITE_LEN, STUB};
use kapi::modules::ModuleRef;
use kapi::{mem, nofault, symbols, text};
use kernel::prelude::*;
use kernel::str::BStr;
use x86::Boundary;

/// The number of malformed records of one module that are logged one by one.
const MAX_LINES: usize = 32;
/// The most bytes of a function that are decoded.
const MAX_FUNCTION: u64 = 1 << 22;

/// The source of symbols and bytes: a module, or the kernel.
pub(crate) trait Source {
    /// Returns its name for the log.
    fn name(&self) -> &[u8];
    /// Calls `f` with the name and value of each symbol that begins with `prefix`.
    fn symbols(&self, prefix: &[u8], f: &mut dyn FnMut(&[u8], u64));
    /// Tells whether an address is text that stays.
    fn is_text(&self, addr: u64) -> bool;
    /// Tells whether an address is text that the kernel frees when the module is live.
    fn is_init(&self, addr: u64) -> bool;
    /// Copies its memory, text or data. Returns false if a part belongs to others.
    fn read(&self, addr: u64, into: &mut [u8]) -> bool;
}

impl Source for ModuleRef<'_> {
    fn name(&self) -> &[u8] {
        self.name()
    }
    fn symbols(&self, prefix: &[u8], f: &mut dyn FnMut(&[u8], u64)) {
        self.for_each_symbol(|name, addr, _| {
            if name.starts_with(prefix) {
                f(name, addr);
            }
        });
    }
    fn is_text(&self, addr: u64) -> bool {
        self.contains_text(addr)
    }
    fn is_init(&self, addr: u64) -> bool {
        self.contains_init_text(addr)
    }
    fn read(&self, addr: u64, into: &mut [u8]) -> bool {
        self.read(addr, into).is_ok()
    }
}

/// The kernel itself, if it was built with probes.
pub(crate) struct Vmlinux {
    stext: u64,
    etext: u64,
    end: u64,
}

impl Vmlinux {
    /// Returns `None` if it has no records; most kernels have none.
    pub(crate) fn with_records() -> Result<Option<Self>> {
        let mut any = false;
        symbols::for_each_kernel_symbol(LABEL, &mut |_, _| any = true)?;
        if !any {
            return Ok(None);
        }
        let bound = |wanted: &[u8]| {
            let mut found = 0;
            symbols::for_each_kernel_symbol(wanted, &mut |name, addr| {
                if name == wanted {
                    found = addr;
                }
            })?;
            Ok::<u64, Error>(found)
        };
        Ok(Some(Self { stext: bound(b"_stext")?, etext: bound(b"_etext")?, end: bound(b"_end")? }))
    }
}

impl Source for Vmlinux {
    fn name(&self) -> &[u8] {
        b"vmlinux"
    }
    fn symbols(&self, prefix: &[u8], f: &mut dyn FnMut(&[u8], u64)) {
        // `with_records` has checked that kernel symbols can be read.
        let _ = symbols::for_each_kernel_symbol(prefix, f);
    }
    fn is_text(&self, addr: u64) -> bool {
        (self.stext..self.etext).contains(&addr)
    }
    /// The kernel's init text is freed already.
    fn is_init(&self, _addr: u64) -> bool {
        false
    }
    fn read(&self, addr: u64, into: &mut [u8]) -> bool {
        let room = self.end.saturating_sub(addr);
        addr >= self.stext && into.len() as u64 <= room && nofault::read_kernel(addr, into).is_ok()
    }
}

/// A record that has passed, and whether its site is in init text.
pub(crate) struct Site {
    pub(crate) record: Record,
    pub(crate) init: bool,
}

/// A name: its place in the common text.
struct Named {
    addr: u64,
    from: usize,
    to: usize,
}

/// The findings of the two passes.
struct Collected<'a, S> {
    source: &'a S,
    names: KVVec<u8>,
    labels: KVVec<Named>,
    stubs: KVVec<Named>,
    functions: KVVec<u64>,
}

impl<'a, S: Source> Collected<'a, S> {
    fn first_pass(source: &'a S) -> Result<Self> {
        let mut names = KVVec::new();
        let mut labels = KVVec::new();
        let mut stubs = KVVec::new();
        let mut result = Ok(());
        source.symbols(STUB, &mut |name, addr| {
            if result.is_ok() {
                let list = if name.starts_with(LABEL) { &mut labels } else { &mut stubs };
                let from = names.len();
                result = mem::extend(&mut names, name)
                    .and_then(|()| mem::push(list, Named { addr, from, to: names.len() }));
            }
        });
        result?;
        Ok(Self { source, names, labels, stubs, functions: KVVec::new() })
    }

    fn second_pass(&mut self) -> Result {
        let mut result = Ok(());
        let (source, functions) = (self.source, &mut self.functions);
        source.symbols(b"", &mut |_, addr| {
            if result.is_ok() && (source.is_text(addr) || source.is_init(addr)) {
                result = mem::push(functions, addr);
            }
        });
        result
    }

    fn name(&self, n: &Named) -> &[u8] {
        self.names.get(n.from..n.to).unwrap_or_default()
    }

    fn is_any_text(&self, addr: u64) -> bool {
        self.source.is_text(addr) || self.source.is_init(addr)
    }
}

impl<S: Source> Image for Collected<'_, S> {
    fn data(&self, addr: u64, into: &mut [u8]) -> bool {
        !self.is_any_text(addr) && self.source.read(addr, into)
    }

    fn text(&self, addr: u64, into: &mut [u8]) -> bool {
        self.is_any_text(addr) && self.source.read(addr, into)
    }

    fn boundary(&self, addr: u64) -> Option<Boundary> {
        let start = self.functions.iter().copied().filter(|&f| f <= addr).max()?;
        let len = addr.wrapping_sub(start).wrapping_add(SITE_LEN as u64);
        if len > MAX_FUNCTION {
            return None;
        }
        let mut code = mem::filled(len as usize, 0_u8).ok()?;
        self.text(start, &mut code).then(|| Boundary::find(&code, start, addr))?
    }

    fn has_stub(&self, first: u64, last: u64, is_it: &mut dyn FnMut(&[u8]) -> bool) -> bool {
        self.stubs.iter().any(|s| (first..=last).contains(&s.addr) && is_it(self.name(s)))
    }
}

/// Returns all sites of a module. If it is `live`, its init text is gone, and a record of a site
/// there is no error.
///
/// # Context
/// *process* or *notifier*.
#[inline(never)]
pub(crate) fn sites<S: Source>(source: &S, live: bool) -> Result<KVVec<Site>> {
    let mut sites: KVVec<Site> = KVVec::new();
    let mut image = Collected::first_pass(source)?;
    if image.labels.is_empty() {
        return Ok(sites);
    }
    image.second_pass()?;
    let mut malformed = 0usize;
    for label in &image.labels {
        let checked = record::read(&image, label.addr).and_then(|r| {
            if sites.iter().any(|s| s.record.site == r.site) {
                Err(Malformed::Taken(r.site.addr()))
            } else if r.kind == Kind::Nop && text::is_reserved(r.site.addr(), SITE_LEN) {
                Err(Malformed::Shared(r.site.addr()))
            } else {
                Ok(r)
            }
        });
        match checked {
            Ok(record) => {
                let init = source.is_init(record.site.addr());
                if !(live && init) {
                    mem::push(&mut sites, Site { record, init })?;
                }
            }
            Err(Malformed::NotText(_)) if live => {}
            Err(why) => {
                malformed = malformed.wrapping_add(1);
                if malformed <= MAX_LINES {
                    let (module, label) =
                        (BStr::from_bytes(source.name()), BStr::from_bytes(image.name(label)));
                    pr_warn!("sdt: {module}: record {label} ignored: {}\n", format_args!("{why}"));
                }
            }
        }
    }
    if malformed > MAX_LINES {
        let module = BStr::from_bytes(source.name());
        pr_warn!("sdt: {module}: {malformed} records ignored in all\n");
    }
    Ok(sites)
}
