// SPDX-License-Identifier: GPL-2.0
//! A place that was hit to its probe and arguments.
//!
//! One look into a hash table, from wherever the place stands. A table is never changed but replaced,
//! so a look sees the old one or the new. A place may serve several probes: a function has several
//! names, or its first instruction is its return.
//!
//! | probe | arg0, arg1, ... |
//! |---|---|
//! | entry | the function's arguments |
//! | return | arg0: where it returned, as the distance from its beginning; arg1: the value |
//!
//! What a probe is for decides how it is read ([`View`]): a function that serves a system call is passed
//! the registers of the process, and is over where another function returns that it has jumped to.

use crate::body::WIDE;
use core::sync::atomic::{AtomicBool, Ordering::Relaxed};
use framework::{fire, Args, Outcome, Probe};
use kapi::publish::Published;
use kapi::syscall::{self, Abi, Dispatchers};
use kapi::trampoline::{Left, Regs, Saved};
use kapi::{context, mem, nofault, ProbeCtx};
use kernel::prelude::*;
use kernel::sync::Arc;

/// What a place is patched with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum How {
    /// A call, by ftrace.
    Fentry,
    /// A breakpoint.
    Trap,
    /// A call in the place of a return.
    Return,
    /// A call in the place of a jump to another function.
    Tail,
}

/// What a place is to its function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// It begins here.
    Entry,
    /// It ends here.
    Exit,
}

/// What a place's probe tells of.
#[derive(Debug, Clone, Copy)]
pub enum View {
    /// A function.
    Function,
    /// A system call, which a function serves.
    Call {
        /// Who it is made by.
        abi: Abi,
        /// Its number.
        number: u16,
        /// Who else comes here.
        ask: Ask,
    },
    /// An event of another provider's.
    Event(Event),
}

/// What is called where a function is an event. It may run only what a firing probe runs anyway.
#[derive(Debug, Clone, Copy)]
pub struct Event {
    /// Called with `row`, the probe, and the function's arguments, or the value that it returns.
    pub hit: fn(&ProbeCtx, u16, &Probe, Args<'_>),
    /// The provider's own number.
    pub row: u16,
}

impl Event {
    #[inline(always)]
    fn happens(self, ctx: &ProbeCtx, probe: &Probe, args: Args<'_>) {
        (self.hit)(ctx, self.row, probe, args);
    }
}

/// Who else comes to a place of a system call: what must be asked there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ask {
    /// Nobody.
    Nothing,
    /// The same call of other processes: who is served.
    Abi,
    /// Others: who is served, if anybody, and with which call.
    All,
}

/// Where calls of system calls come from; there before the first such place is.
pub(crate) static DISPATCHERS: Published<Dispatchers> = Published::empty();

/// A place and a probe.
pub(crate) struct Site {
    pub(crate) addr: u64,
    pub(crate) probe: Arc<Probe>,
    /// From where the function begins; its unlikely half may be before that.
    offset: i32,
    /// Bytes of the function.
    size: u32,
    /// What stood here, but for what ftrace replaces.
    pub(crate) old: [u8; WIDE],
    pub(crate) how: How,
    role: Role,
    view: View,
    flags: Flags,
}

/// Of process context, but for `more` and `odd`, which do not change once published.
struct Flags {
    /// Patched.
    armed: AtomicBool,
    /// Another one of the same address comes later.
    more: bool,
    /// So it is, or this one is not read as a function.
    odd: bool,
    /// About to go.
    leaving: AtomicBool,
    /// Nobody wants it, but it could not be patched back yet.
    orphan: AtomicBool,
}

impl Site {
    pub(crate) fn new(
        addr: u64,
        probe: Arc<Probe>,
        offset: i32,
        size: u32,
        how: How,
        role: Role,
        old: [u8; WIDE],
    ) -> Self {
        let no = || AtomicBool::new(false);
        let flags = Flags { armed: no(), more: false, odd: false, leaving: no(), orphan: no() };
        let view = View::Function;
        Self { addr, probe, offset, size, old, how, role, view, flags }
    }

    /// The same for a probe that tells of something else.
    pub(crate) fn read_as(mut self, view: View) -> Self {
        self.view = view;
        self.flags.odd = !matches!(view, View::Function);
        self
    }

    /// As it goes into the next table.
    pub(crate) fn copy(&self) -> Self {
        let s = Self::new(
            self.addr,
            self.probe.clone(),
            self.offset,
            self.size,
            self.how,
            self.role,
            self.old,
        )
        .read_as(self.view);
        s.set_armed(self.is_armed());
        s.set_orphan(self.is_orphan());
        s
    }

    pub(crate) fn is_armed(&self) -> bool {
        self.flags.armed.load(Relaxed)
    }
    pub(crate) fn set_armed(&self, to: bool) {
        self.flags.armed.store(to, Relaxed);
    }
    pub(crate) fn is_leaving(&self) -> bool {
        self.flags.leaving.load(Relaxed)
    }
    pub(crate) fn set_leaving(&self, to: bool) {
        self.flags.leaving.store(to, Relaxed);
    }

    pub(crate) fn is_orphan(&self) -> bool {
        self.flags.orphan.load(Relaxed)
    }
    pub(crate) fn set_orphan(&self, to: bool) {
        self.flags.orphan.store(to, Relaxed);
    }

    /// Does a jump from here to `target` leave the function?
    fn leaves(&self, target: u64) -> bool {
        let start = self.addr.wrapping_sub(i64::from(self.offset) as u64);
        target.wrapping_sub(start) >= self.size.into()
    }

    fn arg0(&self) -> u64 {
        i64::from(self.offset) as u64
    }
}

/// All places that somebody wants, each in the first free slot from where its address is hashed to.
/// More than a third of the slots are free, so a search ends soon.
pub(crate) struct Table {
    slots: KVVec<Option<Site>>,
    shift: u32,
}

/// The one that firing probes look into.
pub(crate) static TABLE: Published<Table> = Published::empty();

impl Table {
    /// With room for `n`.
    pub(crate) fn new(n: usize) -> Result<Self> {
        let len = n.max(8).checked_mul(8).ok_or(ENOMEM)? / 5;
        let len = len.checked_next_power_of_two().ok_or(ENOMEM)?;
        let mut slots = mem::vec(len)?;
        for _ in 0..len {
            let _ = slots.push_within_capacity(None);
        }
        Ok(Self { slots, shift: len.leading_zeros().wrapping_add(1) })
    }

    /// The first slot to try for an address.
    #[inline]
    fn first(&self, addr: u64) -> usize {
        // Fibonacci hashing: the product's upper bits depend on all of the address.
        (addr.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (self.shift & 63)) as usize
    }

    /// The next one.
    #[inline]
    fn after(&self, at: usize) -> usize {
        at.wrapping_add(1) & self.slots.len().wrapping_sub(1)
    }

    /// All of them, in order.
    fn path(&self, addr: u64) -> impl Iterator<Item = usize> + '_ {
        let from = Some(self.first(addr));
        core::iter::successors(from, |at| Some(self.after(*at))).take(self.slots.len())
    }

    /// There is room.
    pub(crate) fn add(&mut self, site: Site) {
        let mut at = self.first(site.addr);
        for _ in 0..self.slots.len() {
            let next = self.after(at);
            match self.slots.get_mut(at) {
                Some(slot @ None) => {
                    *slot = Some(site);
                    return;
                }
                Some(Some(same)) if same.addr == site.addr => {
                    same.flags.more = true;
                    same.flags.odd = true;
                }
                _ => {}
            }
            at = next;
        }
    }

    /// All, in no order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Site> {
        self.slots.iter().flatten()
    }

    /// Those of one address.
    pub(crate) fn at(&self, addr: u64) -> impl Iterator<Item = &Site> {
        let mut done = false;
        self.path(addr)
            .map_while(|at| self.slots.get(at)?.as_ref())
            .take_while(move |s| {
                let go_on = !done;
                done |= s.addr == addr && !s.flags.more;
                go_on
            })
            .filter(move |s| s.addr == addr)
    }
}

/// Puts back into `bytes`, which were read at `start`, what stood where something of ours is now.
pub(crate) fn as_it_was(start: u64, bytes: &mut [u8]) {
    TABLE.with(|t| {
        let Some(t) = t else { return };
        for at in 0..bytes.len() {
            // What our places begin with.
            if !matches!(bytes.get(at), Some(0xcc | 0xe8)) {
                continue;
            }
            let ours = |s: &&Site| s.is_armed() && s.how != How::Fentry;
            let Some(s) = t.at(start.wrapping_add(at as u64)).find(ours) else { continue };
            let len = if s.how == How::Trap { 1 } else { WIDE };
            let to = bytes.get_mut(at..).unwrap_or_default();
            to.iter_mut().zip(s.old).take(len).for_each(|(to, was)| *to = was);
        }
    });
}

/// Serves an address. One that was disarmed a moment ago is not in the table any more: nothing
/// happens.
#[inline(always)]
fn serve(
    addr: u64,
    f: impl Fn(&ProbeCtx, &Site),
    odd: impl for<'a> Fn(&ProbeCtx, &'a Site, Rest<'a>),
) {
    context::enter(move |ctx| {
        let Some(table) = TABLE.load(ctx) else { return };
        let mut at = table.first(addr);
        // Ends at a free slot, of which there are as many as others.
        while let Some(Some(site)) = table.slots.get(at) {
            if site.addr == addr {
                // Called in one place only, and not in a loop: what it does is part of this function
                // and nothing has to be kept for after it.
                return match site.flags.odd {
                    false => f(ctx, site),
                    true => odd(ctx, site, Rest { table, at }),
                };
            }
            at = table.after(at);
        }
    });
}

/// What comes behind slot `at`.
struct Rest<'a> {
    table: &'a Table,
    at: usize,
}

impl<'a> Rest<'a> {
    /// The next site of the same address.
    #[inline(always)]
    fn next(&mut self, site: &Site) -> Option<&'a Site> {
        if !site.flags.more {
            return None;
        }
        loop {
            self.at = self.table.after(self.at);
            let next = self.table.slots.get(self.at)?.as_ref()?;
            if next.addr == site.addr {
                return Some(next);
            }
        }
    }
}

/// Serves an address that has several sites, or one that is odd.
#[inline(always)]
fn serve_all<'a>(mut site: &'a Site, mut rest: Rest<'a>, mut f: impl FnMut(&Site)) {
    loop {
        f(site);
        match rest.next(site) {
            Some(next) => site = next,
            None => return,
        }
    }
}

/// # Context
/// *any*: wherever a function begins.
pub(crate) extern "C" fn entry(site: u64, saved: &Saved) {
    let f = move |ctx: &ProbeCtx, s: &Site| fire(ctx, &s.probe, args_of(saved));
    serve(site, f, move |ctx, s, rest| entries(s, saved, ctx, rest));
}

#[inline(always)]
fn args_of(saved: &Saved) -> Args<'_> {
    Args::entry(saved.regs(), saved.stack())
}

// What is called with values has them in registers, here in the order in which they came: nothing is
// kept or moved before it is clear that it is needed.
#[inline(never)]
fn entries<'a>(site: &'a Site, saved: &Saved, ctx: &ProbeCtx, rest: Rest<'a>) {
    let mut served = Served::new(saved.to());
    serve_all(site, rest, |s| match s.view {
        View::Function => fire(ctx, &s.probe, args_of(saved)),
        View::Call { abi, number, ask } if served.is_meant(ctx, abi, number, ask) => {
            let [regs, ..] = *saved.regs();
            fire(ctx, &s.probe, Args::call(abi, regs));
        }
        View::Call { .. } => {}
        View::Event(event) => event.happens(ctx, &s.probe, args_of(saved)),
    });
}

/// Who is served by a function that will return there; found out when it is asked for the first time.
struct Served {
    to: u64,
    abi: Option<Option<Abi>>,
}

impl Served {
    fn new(to: u64) -> Self {
        Self { to, abi: None }
    }

    /// Whether who comes to such a place is meant.
    #[inline(always)]
    fn is_meant(&mut self, ctx: &ProbeCtx, abi: Abi, number: u16, ask: Ask) -> bool {
        if ask == Ask::Nothing {
            return true;
        }
        let to = self.to;
        let served = self.abi.get_or_insert_with(|| DISPATCHERS.load(ctx)?.abi(to));
        *served == Some(abi) && (ask == Ask::Abi || syscall::number() == number.into())
    }
}

/// # Context
/// *any*: wherever a function returns.
pub(crate) extern "C" fn returned(site: u64, left: &Left) {
    let f = move |ctx: &ProbeCtx, s: &Site| {
        fire(ctx, &s.probe, Args::returned(&[s.arg0(), left.value()]));
    };
    serve(site, f, move |ctx, s, rest| returns(s, left, ctx, rest));
}

#[inline(never)]
fn returns<'a>(site: &'a Site, left: &Left, ctx: &ProbeCtx, rest: Rest<'a>) {
    let mut served = Served::new(left.to());
    serve_all(site, rest, |s| match s.view {
        View::Function => fire(ctx, &s.probe, Args::returned(&[s.arg0(), left.value()])),
        View::Call { abi, number, ask } if served.is_meant(ctx, abi, number, ask) => {
            fire(ctx, &s.probe, Args::outcome(&Outcome::of(left.value())));
        }
        View::Call { .. } => {}
        View::Event(event) => event.happens(ctx, &s.probe, Args::values(&[left.value()])),
    });
}

/// The value is not known: it will be what the other function returns.
///
/// # Context
/// *any*: wherever a function calls another one as its last act.
pub(crate) fn tail(site: u64) {
    let f = |ctx: &ProbeCtx, s: &Site| fire(ctx, &s.probe, Args::values(&[s.arg0(), 0]));
    serve(site, f, |ctx, s, rest| serve_all(s, rest, |s| f(ctx, s)));
}

/// A breakpoint; `goes`: where its instruction jumps to, if it is a jump.
///
/// # Context
/// *any*: interrupts are off.
pub(crate) fn trap(addr: u64, regs: &Regs, goes: Option<u64>) {
    let entry = [0, 1, 2, 3, 4, 5].map(|n| regs.arg(n));
    let f = |ctx: &ProbeCtx, s: &Site| {
        let exit = [s.arg0(), if goes.is_none() { regs.ret() } else { 0 }];
        if let View::Call { abi, number, ask } = s.view {
            let mut to = [0; 8];
            let _ = nofault::read_kernel(regs.sp(), &mut to);
            if !Served::new(u64::from_le_bytes(to)).is_meant(ctx, abi, number, ask) {
                return;
            }
            let outcome = Outcome::of(regs.ret());
            let args = match s.role {
                Role::Entry => Args::call(abi, regs.arg(0)),
                Role::Exit => Args::outcome(&outcome),
            };
            return fire(ctx, &s.probe, args);
        }
        let args = match s.role {
            // The rest is above the return address.
            Role::Entry => Args::entry(&entry, regs.sp().wrapping_add(8)),
            Role::Exit if goes.is_some_and(|target| !s.leaves(target)) => return,
            Role::Exit => Args::values(&exit),
        };
        if let View::Event(event) = s.view {
            let [_, value] = exit;
            let returned = [value];
            let is_entry = s.role == Role::Entry;
            let args = if is_entry { args } else { Args::values(&returned) };
            return event.happens(ctx, &s.probe, args);
        }
        fire(ctx, &s.probe, args);
    };
    serve(addr, f, |ctx, s, rest| serve_all(s, rest, |s| f(ctx, s)));
}
