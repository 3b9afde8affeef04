// SPDX-License-Identifier: GPL-2.0
//! The data about sites that is needed when a CPU comes from one: the table that
//! `helpers/sites.c` reads, and the pool of displaced instructions. For [`crate::int3`] and
//! [`crate::text`].

use crate::lock::{Held, Lock};
use crate::mem;
use crate::nofault;
use crate::poke::{Kprobes, Span, Text};
use crate::symbols;
use crate::sys::{self, TextFns};
pub(crate) use crate::sys::{Kind, Site};
use crate::xcall::{self, Cpus};
use core::ops::Range;
use core::sync::atomic::{AtomicBool, AtomicU32, AtomicU8, AtomicUsize, Ordering::Relaxed};
use x86::encoding::{CALL, INT3, STATIC_CALL_END, WIDE};
use x86::MAX_LEN;

/// The number of sites that are changed while the kernel's locks are held once.
pub(crate) const CHUNK: usize = 256;

/// Why a site was left unchanged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refused {
    /// This kernel does not have the required functions.
    Unsupported,
    /// This change is not possible for any site.
    Malformed,
    /// The address is not text, or is no longer text; for ftrace: it is not the entry of a function
    /// that ftrace knows.
    NotText,
    /// Another tracer has changed the bytes there, may change them yet, or already holds the site.
    Busy,
    /// There is no room for another displaced instruction.
    NoRoom,
    /// No memory.
    Memory,
}

impl Site {
    pub(crate) fn new(addr: u64, kind: Kind, target: u64, len: u8) -> Self {
        Self {
            addr,
            target,
            kind,
            reg: 0,
            len,
            armed: AtomicU8::new(0),
            touched: AtomicU8::new(0),
            bytes: [0; MAX_LEN],
            unused: [0; 4],
        }
    }

    /// Returns the bytes of its instruction.
    fn bytes(&self) -> &[u8] {
        self.bytes.get(..self.len.into()).unwrap_or(&self.bytes)
    }

    /// Returns what stands there while the breakpoint is armed.
    fn covered(&self) -> &'static [u8] {
        COVER.get(..self.len.into()).unwrap_or(&COVER)
    }
}

/// A breakpoint covers its instruction.
const COVER: [u8; MAX_LEN] = [INT3; MAX_LEN];

/// A part of an instruction that is written at once.
#[derive(Clone, Copy)]
enum Part {
    Head,
    Rest,
}

/// Bytes of the pool.
pub(crate) const POOL: usize = 256 << 10;

static POOL_USED: AtomicUsize = AtomicUsize::new(0);
static EXPECTED: AtomicBool = AtomicBool::new(false);
static BREAKPOINTS: AtomicBool = AtomicBool::new(false);

/// Notes that from now on a task may enter our text through a site.
pub(crate) fn expect() {
    EXPECTED.store(true, Relaxed);
}

/// Tells whether a task may ever have entered.
pub(crate) fn expected() -> bool {
    EXPECTED.load(Relaxed)
}

/// The number of armed breakpoints.
static ARMED: AtomicUsize = AtomicUsize::new(0);

/// Tells whether there are breakpoints.
pub(crate) fn has_breakpoints() -> bool {
    ARMED.load(Relaxed) != 0
}

impl Site {
    fn is_armed(&self) -> bool {
        self.armed.load(Relaxed) != 0
    }

    /// The table is locked.
    fn set_armed(&self, on: bool) {
        self.armed.store(on.into(), Relaxed);
        let n = ARMED.load(Relaxed);
        ARMED.store(if on { n.wrapping_add(1) } else { n.wrapping_sub(1) }, Relaxed);
    }
}

/// A place in the pool.
pub(crate) struct Slot(usize);

impl Slot {
    fn pool() -> u64 {
        sys::kapi_pool as *const () as u64
    }

    pub(crate) fn addr(&self) -> u64 {
        Self::pool().wrapping_add(self.0 as u64)
    }
}

/// Slots with instructions that were forgotten, for others of the same length: modules may load and
/// unload for ever. A slot that finds no room here is lost until the end. The upper bytes of a
/// number are the slot's offset in the pool, the lowest one is the length. A [`Table`] guards them.
static SPARE: [AtomicU32; 4096] = [const { AtomicU32::new(0) }; 4096];
static SPARES: AtomicUsize = AtomicUsize::new(0);

fn spare(site: &Site) {
    let n = SPARES.load(Relaxed);
    let (Kind::Slot, Some(to)) = (site.kind, SPARE.get(n)) else { return };
    let at = site.target.wrapping_sub(Slot::pool()) as u32;
    to.store(at << 8 | u32::from(site.len), Relaxed);
    SPARES.store(n.wrapping_add(1), Relaxed);
}

/// Takes a spare slot for an instruction of this length.
fn take_spare(len: u8) -> Option<Slot> {
    let list = SPARE.get(..SPARES.load(Relaxed))?;
    let (last, rest) = list.split_last()?;
    let fits = |slot: &&AtomicU32| slot.load(Relaxed) as u8 == len;
    let slot = rest.iter().find(fits).unwrap_or(last);
    if !fits(&slot) {
        return None;
    }
    let at = slot.load(Relaxed) >> 8;
    slot.store(last.load(Relaxed), Relaxed);
    SPARES.store(rest.len(), Relaxed);
    Some(Slot(at as usize))
}

/// The exclusive right to change the table.
pub(crate) struct Table {
    _held: Held,
}

impl Table {
    pub(crate) fn lock() -> Self {
        Self { _held: Lock::Sites.hold() }
    }

    /// Makes room for `n` more sites.
    pub(crate) fn reserve(&self, n: usize) -> Result<(), Refused> {
        mem::ask().map_err(|_| Refused::Memory)?;
        // SAFETY: a `Table` exists, so we hold the lock that guards the table.
        match unsafe { sys::kapi_sites_reserve(n) } {
            0 => Ok(()),
            _ => Err(Refused::Memory),
        }
    }

    /// Returns the site at an address.
    fn find(&self, addr: u64) -> Option<&Site> {
        // SAFETY: a `Table` exists, so we hold the lock.
        let site = unsafe { sys::kapi_site_find(addr) };
        // SAFETY: it is null or in the table, which changes through `&self` of this task only:
        // each function here has done with its site when it changes the table.
        unsafe { site.as_ref() }
    }

    /// Returns a site whose place is `place` or higher, and sets `place` to the one behind it.
    fn next(&self, place: &mut usize) -> Option<&Site> {
        // SAFETY: a `Table` exists, so we hold the lock.
        let site = unsafe { sys::kapi_site_next(place) };
        // SAFETY: as in `find`.
        unsafe { site.as_ref() }
    }

    /// Tells whether `site` is registered with the same effect; the place of its slot does not
    /// matter.
    pub(crate) fn knows(&self, site: &Site) -> Result<bool, Refused> {
        let Some(is) = self.find(site.addr) else { return Ok(false) };
        let same = (is.kind, is.reg, is.bytes()) == (site.kind, site.reg, site.bytes());
        if same && (is.target == site.target || is.kind == Kind::Slot) {
            Ok(true)
        } else {
            Err(Refused::Busy)
        }
    }

    /// Registers `site`. There must be room for it.
    pub(crate) fn add(&self, site: &Site) -> Result<(), Refused> {
        if self.knows(site)? {
            return Ok(());
        }
        // SAFETY: a `Table` exists, so we hold the lock; the site is not in the table yet.
        match unsafe { sys::kapi_sites_add(site) } {
            0 => Ok(()),
            _ => Err(Refused::Memory),
        }
    }

    /// Arms or disarms at most [`CHUNK`] breakpoints, each on its own. It is fastest if the
    /// addresses ascend. Call [`Self::sync_text`] afterwards, once for all. `whys` gets the reasons
    /// for those that fail.
    ///
    /// A breakpoint covers the whole instruction. Others decode the text, too: the kernel before it
    /// puts a kprobe there (`can_probe()`), or optimises one (`can_optimize()`). After a breakpoint in
    /// the first byte alone they would be out of step: a kprobe could come into the instruction,
    /// which is broken when the first byte comes back, or replace the target of a jump that they have
    /// not seen.
    ///
    /// The rest is written only while the first byte is a breakpoint that every CPU sees. A CPU that
    /// has decoded the instruction before has also executed it, because the synchronisation
    /// interrupts it behind an instruction.
    pub(crate) fn poke(&self, addrs: &[u64], on: bool, whys: &mut [Option<Refused>; CHUNK]) {
        let Some(fns) = symbols::breakpoint_fns() else { return };
        let kprobes = Kprobes::hold(fns);
        let cpus = Cpus::hold();
        let mut text = Text::hold(fns);
        let (mut changes, mut wide) = ([false; CHUNK], false);
        for ((addr, change), why) in addrs.iter().zip(&mut changes).zip(whys) {
            match self.check(&text, &kprobes, *addr, on) {
                Ok(Some(site)) => (*change, wide) = (true, wide || site.len > 1),
                Ok(None) => {}
                Err(e) => *why = Some(e),
            }
        }
        let mut write = |part| {
            let mut span = Span::new(&mut text);
            let all = addrs.iter().zip(&changes).filter(|(_, change)| **change);
            for site in all.filter_map(|(addr, _)| self.find(*addr)) {
                write_part(&mut span, site, on, part);
            }
            span.end();
        };
        let [first, then] = if on { [Part::Head, Part::Rest] } else { [Part::Rest, Part::Head] };
        if wide || on {
            write(first);
        }
        if wide {
            cpus.sync(fns);
        }
        if wide || !on {
            write(then);
        }
    }

    /// Returns the site if it is to be changed and can be changed; `None`: it is as desired.
    ///
    /// A breakpoint can always be removed again: no kprobe is near when it is written, and none that
    /// comes later can replace it or lie over it, because the kernel accepts no kprobe on a breakpoint
    /// that is not its own (`is_exception_insn()`), and copies none (`__copy_instruction()`).
    fn check(
        &self,
        text: &Text,
        kprobes: &Kprobes,
        addr: u64,
        on: bool,
    ) -> Result<Option<&Site>, Refused> {
        let site = self.find(addr).filter(|site| site.kind != Kind::Tail);
        let site = site.ok_or(Refused::Malformed)?;
        if site.is_armed() == on {
            return Ok(None);
        }
        if !on {
            site.set_armed(false);
        }
        let len = usize::from(site.len);
        if !text.is_text(addr, len) {
            return Err(Refused::NotText);
        }
        let old = if on { site.bytes() } else { site.covered() };
        if !stand(addr, old) || on && (kprobes.near(addr, len) || is_static_call(addr)) {
            return Err(Refused::Busy);
        }
        site.touched.store(1, Relaxed);
        if on {
            site.set_armed(true);
        }
        Ok(Some(site))
    }

    /// Replaces the armed instructions in `bytes`, a copy of the text at `start`, by the original
    /// ones.
    pub(crate) fn uncover(&self, start: u64, bytes: &mut [u8]) {
        for at in 0..bytes.len() {
            if bytes.get(at) != Some(&INT3) {
                continue;
            }
            let site = self.find(start.wrapping_add(at as u64));
            if let Some(site) = site.filter(|site| site.is_armed()) {
                let to = bytes.get_mut(at..).unwrap_or_default();
                to.iter_mut().zip(site.bytes()).for_each(|(to, from)| *to = *from);
            }
        }
    }

    /// Forgets the sites in text that disappears. A place in the table is used again only when
    /// nobody can be reading its old contents.
    pub(crate) fn forget(&self, range: Range<u64>) {
        let (mut place, mut any) = (0, false);
        while let Some(site) = self.next(&mut place) {
            if range.contains(&site.addr) {
                spare(site);
                // SAFETY: we hold the lock; `place` is that of the site, which is not used any more.
                unsafe { sys::kapi_site_forget(place) };
                any = true;
            }
        }
        if any {
            xcall::sync();
        }
    }

    /// Makes every CPU see the written text, and finish each breakpoint that it has hit before.
    /// CPUs that come or go need no more: while we hold the lock, such a CPU is off, and runs
    /// nothing that has a breakpoint, or it is on.
    pub(crate) fn sync_text(&self) {
        if let Some(fns) = symbols::breakpoint_fns() {
            Cpus::hold().sync(fns);
        }
    }

    /// Returns a slot for a displaced instruction of this length.
    pub(crate) fn slot(&self, len: u8) -> Slot {
        take_spare(len).unwrap_or_else(|| Slot(POOL_USED.load(Relaxed)))
    }

    /// Writes `code` into the slot.
    pub(crate) fn fill(&self, slot: Slot, code: &[u8]) -> Result<(), Refused> {
        let fns = symbols::breakpoint_fns().ok_or(Refused::Unsupported)?;
        let Slot(at) = slot;
        let end = at.checked_add(code.len()).filter(|end| *end <= POOL).ok_or(Refused::NoRoom)?;
        let mut text = Text::hold_own(fns);
        text.event(slot.addr(), &[], code);
        // SAFETY: no CPU runs there yet: `slot` lies behind all used slots, or was the slot of a
        // forgotten instruction of the same length, and a site that leads there is armed later.
        unsafe { text.write(slot.addr(), code) };
        POOL_USED.fetch_max(end, Relaxed);
        Ok(())
    }

    /// Starts to receive breakpoints.
    pub(crate) fn breakpoints_on(&self) -> Result<(), Refused> {
        if BREAKPOINTS.load(Relaxed) {
            return Ok(());
        }
        // SAFETY: this is called once: we hold the lock, and `BREAKPOINTS` was not set.
        if unsafe { sys::kapi_breakpoints_on() } != 0 {
            return Err(Refused::Memory);
        }
        BREAKPOINTS.store(true, Relaxed);
        Ok(())
    }

    /// Removes all breakpoints that are still armed, and stops receiving breakpoints.
    pub(crate) fn breakpoints_off(&self) {
        let Some(fns) = symbols::breakpoint_fns() else { return };
        if BREAKPOINTS.swap(false, Relaxed) {
            self.restore(fns);
            // SAFETY: no breakpoint is armed any more, and the notifier was registered.
            unsafe { sys::kapi_breakpoints_off() };
        }
    }

    /// Disarms all breakpoints. Then writes the original first byte a second time at every site that
    /// ever had one. TCG may have translated the breakpoint while it was being removed, and throws the
    /// translation away when the page is written.
    fn restore(&self, fns: &'static TextFns) {
        let (mut place, mut more) = (0, true);
        while more {
            let (mut armed, mut n) = ([0; CHUNK], 0_usize);
            while let Some(to) = armed.get_mut(n) {
                let Some(site) = self.next(&mut place) else {
                    more = false;
                    break;
                };
                if site.is_armed() {
                    *to = site.addr;
                    n = n.wrapping_add(1);
                }
            }
            self.poke(armed.get(..n).unwrap_or(&[]), false, &mut [None; CHUNK]);
            xcall::breathe();
        }
        self.sync_text();
        (place, more) = (0, true);
        while more {
            let mut text = Text::hold(fns);
            for _ in 0..CHUNK {
                match self.next(&mut place) {
                    Some(site) => write_again(&mut text, site),
                    None => more = false,
                }
            }
            drop(text);
            xcall::breathe();
        }
        self.sync_text();
    }

    /// Returns how many replaced jumps are still calls.
    fn calls(&self, fns: &'static TextFns) -> usize {
        let (text, mut place, mut calls) = (Text::hold(fns), 0, 0_usize);
        while let Some(site) = self.next(&mut place) {
            let is_call = || text.is_text(site.addr, 1) && text.read(site.addr) == Some([CALL]);
            if site.kind == Kind::Tail && is_call() {
                calls = calls.wrapping_add(1);
            }
        }
        calls
    }

    /// Waits until no task is on its way from a site, and forgets all sites. Call it after
    /// [`Table::breakpoints_off`], and after each call that replaced a jump is a jump again.
    pub(crate) fn end(self) {
        sys::kapi_quiesce();
        let Some(fns) = symbols::text_fns() else { return };
        let calls = self.calls(fns);
        // SAFETY: we hold the lock. Without the notifier no breakpoint is armed, and `kapi_quiesce`
        // has waited for all tasks that came from one.
        if unsafe { sys::kapi_sites_free(calls) } {
            SPARES.store(0, Relaxed);
            POOL_USED.store(0, Relaxed);
        }
    }
}

/// Tells whether the text there has these bytes, at most [`MAX_LEN`].
pub(crate) fn stand(addr: u64, bytes: &[u8]) -> bool {
    let mut there = [0; MAX_LEN];
    let there = there.get_mut(..bytes.len()).unwrap_or_default();
    nofault::read_kernel(addr, there).is_ok() && there == bytes
}

/// Tells whether the instruction at `addr` is that of a static call's trampoline.
pub(crate) fn is_static_call(addr: u64) -> bool {
    stand(addr.wrapping_add(WIDE as u64), &STATIC_CALL_END)
}

/// Writes a part of a breakpoint, or of the instruction under it.
fn write_part(span: &mut Span<'_>, site: &Site, on: bool, part: Part) {
    let (old, new) = (site.bytes(), site.covered());
    let (old, new) = if on { (old, new) } else { (new, old) };
    let (at, bytes) = match part {
        Part::Head => (site.addr, new.get(..1)),
        Part::Rest => (site.addr.wrapping_add(1), new.get(1..)),
    };
    let Some(bytes @ [_, ..]) = bytes else { return };
    if let Part::Head = part {
        span.text().event(site.addr, old, new);
    }
    // SAFETY: an instruction begins at the site, by its `Boundary`; `check` has found it, or the
    // breakpoints, there. Its first byte becomes a breakpoint, which `sites.c` handles because the
    // site is in the table, or a breakpoint becomes the first byte again. Every CPU sees a breakpoint
    // there while the rest changes: `poke` writes the rest after the synchronisation, or before it.
    unsafe { span.add(at, bytes) };
}

fn write_again(text: &mut Text, site: &Site) {
    let Some(head @ [first]) = site.bytes().get(..1) else { return };
    let stands = || text.is_text(site.addr, 1) && text.read(site.addr) == Some([*first]);
    if site.touched.load(Relaxed) != 0 && stands() {
        // SAFETY: it is the first byte of the instruction, which is there.
        unsafe { text.write(site.addr, head) };
    }
}
