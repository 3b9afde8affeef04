// SPDX-License-Identifier: GPL-2.0
//! Finds the probe and the arguments of a place that was hit.
//!
//! A hit costs one lookup in a hash table, whatever kind of place it is.
//!
//! | probe | arg0, arg1, ... |
//! |---|---|
//! | entry | the function's arguments |
//! | return | arg0: the offset of the return from the function's beginning; arg1: the value |
//!
//! [`View`] tells how a probe's arguments are read. A function that serves a system call receives
//! the registers of the process. It may end by a jump; then the call ends where the other function
//! returns.

use crate::site::{Ask, Role, Site, Table, View, TABLE};
use framework::{fire, Args, Outcome};
use kapi::publish::Published;
use kapi::syscall::{self, Abi, Dispatchers};
use kapi::trampoline::{Left, Regs, Saved};
use kapi::{context, nofault, ProbeCtx};

/// The places that call the functions of system calls; set before the first such function is
/// patched.
pub(crate) static DISPATCHERS: Published<Dispatchers> = Published::empty();

/// Handles a hit at an address. If the address was disarmed a moment ago, it is no longer in the
/// table, and nothing happens.
#[inline(always)]
fn serve(
    addr: u64,
    f: impl Fn(&ProbeCtx, &Site),
    odd: impl for<'a> Fn(&ProbeCtx, &'a Site, Rest<'a>),
) {
    context::enter(move |ctx| {
        let Some(table) = TABLE.load(ctx) else { return };
        let mut at = table.first(addr);
        // The search ends at a free slot; more than a third of the slots are free.
        while let Some(Some(site)) = table.slots.get(at) {
            if site.addr == addr {
                // Each closure is called at one place only, outside of a loop, so the compiler
                // inlines it and keeps nothing alive across the call.
                return match site.flags.odd {
                    false => f(ctx, site),
                    true => odd(ctx, site, Rest { table, at }),
                };
            }
            at = table.after(at);
        }
    });
}

/// The slots after slot `at`.
struct Rest<'a> {
    table: &'a Table,
    at: usize,
}

impl<'a> Rest<'a> {
    /// Returns the next site with the same address.
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

/// Handles an address that has several sites, or one that is odd.
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
/// *any*: at the entry of any function.
pub(crate) extern "C" fn entry(site: u64, saved: &Saved) {
    let f = move |ctx: &ProbeCtx, s: &Site| fire(ctx, &s.probe, args_of(saved));
    serve(site, f, move |ctx, s, rest| entries(s, saved, ctx, rest));
}

#[inline(always)]
fn args_of(saved: &Saved) -> Args<'_> {
    Args::Entry { registers: saved.regs(), stack: saved.stack() }
}

// The arguments of this function are in registers, in the order in which the caller has them, so
// nothing is saved or moved before it is needed.
#[inline(never)]
fn entries<'a>(site: &'a Site, saved: &Saved, ctx: &ProbeCtx, rest: Rest<'a>) {
    let mut served = Served::new(saved.to());
    serve_all(site, rest, |s| match s.view {
        View::Function => fire(ctx, &s.probe, args_of(saved)),
        View::Call { abi, number, ask } if served.is_meant(ctx, abi, number, ask) => {
            let [regs, ..] = *saved.regs();
            fire(ctx, &s.probe, Args::Call(abi, regs));
        }
        View::Call { .. } => {}
        View::Event(event) => event.happens(ctx, &s.probe, args_of(saved).pack()),
    });
}

/// The ABI of the system call that a function serves, found from its return address at the first
/// request.
struct Served {
    to: u64,
    abi: Option<Option<Abi>>,
}

impl Served {
    fn new(to: u64) -> Self {
        Self { to, abi: None }
    }

    /// Tells whether this caller is the one being traced.
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
/// *any*: at the return of any function.
pub(crate) extern "C" fn returned(site: u64, left: &Left) {
    let f = move |ctx: &ProbeCtx, s: &Site| {
        fire(ctx, &s.probe, Args::Returned(&[s.arg0(), left.value()]));
    };
    serve(site, f, move |ctx, s, rest| returns(s, left, ctx, rest));
}

#[inline(never)]
fn returns<'a>(site: &'a Site, left: &Left, ctx: &ProbeCtx, rest: Rest<'a>) {
    let mut served = Served::new(left.to());
    serve_all(site, rest, |s| match s.view {
        View::Function => fire(ctx, &s.probe, Args::Returned(&[s.arg0(), left.value()])),
        View::Call { abi, number, ask } if served.is_meant(ctx, abi, number, ask) => {
            fire(ctx, &s.probe, Args::Outcome(&Outcome::of(left.value())));
        }
        View::Call { .. } => {}
        View::Event(event) => event.happens(ctx, &s.probe, Args::Values(&[left.value()]).pack()),
    });
}

/// Fires return probes at a tail call. The value is not known yet: the other function returns it.
/// So this is no event of another provider, which has to name the other function, too.
///
/// # Context
/// *any*: at a tail call of any function.
pub(crate) fn tail(site: u64) {
    let f = |ctx: &ProbeCtx, s: &Site| match s.view {
        View::Event(_) => {}
        _ => fire(ctx, &s.probe, Args::Values(&[s.arg0(), 0])),
    };
    serve(site, f, |ctx, s, rest| serve_all(s, rest, |s| f(ctx, s)));
}

/// Fires the probes at a breakpoint. `goes` is the target of its instruction, if that is a jump.
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
                Role::Entry => Args::Call(abi, regs.arg(0)),
                Role::Exit => Args::Outcome(&outcome),
            };
            return fire(ctx, &s.probe, args);
        }
        let args = match s.role {
            // The other arguments are above the return address.
            Role::Entry => Args::Entry { registers: &entry, stack: regs.sp().wrapping_add(8) },
            Role::Exit if goes.is_some_and(|target| !s.leaves(target)) => return,
            Role::Exit => Args::Values(&exit),
        };
        if let View::Event(event) = s.view {
            let [_, value] = exit;
            let returned = [value];
            let args = match s.role {
                Role::Entry => args,
                Role::Exit if goes.is_some() => return,
                Role::Exit => Args::Values(&returned),
            };
            return event.happens(ctx, &s.probe, args.pack());
        }
        fire(ctx, &s.probe, args);
    };
    serve(addr, f, |ctx, s, rest| serve_all(s, rest, |s| f(ctx, s)));
}
