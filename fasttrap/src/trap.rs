// SPDX-License-Identifier: GPL-2.0
//! The steps of a hit.
//!
//! Probes at an instruction fire before it. Return probes fire after it, with the registers that
//! the thread has then, so a stack begins with the caller. An instruction that must run in its slot
//! has no such moment: if it leaves the function, its return probes fire before it.
//!
//! A signal handler looks up the instruction pointer in tables, so it should not see a thread in a
//! slot. If the instruction itself raised the signal, we move the thread back to the instruction;
//! if it continues there, it hits the breakpoint again. If the signal came from elsewhere before
//! the instruction, the thread stays in the slot, because its probes have fired already. A system
//! call is the exception: glibc's handler that cancels a thread asks whether the thread is at the
//! call. If the call is then repeated, the probe fires again.

use crate::args;
use crate::table::{self, Hit, Role, Table, Use, SLOT_SIZE};
use abi::user::{UserArg, MAX_ARGS};
use core::sync::atomic::Ordering;
use framework::{fire, fire_without, pause, Args, Burst, Probe, Rest};
use kapi::user::{self, Registers, Trapped};
use kapi::{nofault, ProbeCtx};
use x86::displace::{self, Act, Mode, Place};
use x86::encoding::{INT3, SYSCALL};

/// The length of a breakpoint in bytes.
const LENGTH: u64 = 1;

/// # Context
/// *probe*: a breakpoint of the current process.
pub(crate) fn trap(ctx: &ProbeCtx, regs: &Registers) -> Trapped {
    let Some(entry) = table::entry(ctx, user::key()) else { return Trapped::Foreign };
    let Some(table) = entry.table.load(ctx) else { return Trapped::Foreign };
    let addr = regs.ip().wrapping_sub(LENGTH);
    let Some(hit) = table.at(addr) else { return Trapped::Foreign };
    // Our breakpoint is gone. Either the thread has just come from it, or another debugger has one
    // here.
    if hit.uses == 0 && !hit.armed && is_breakpoint(addr) {
        return Trapped::Foreign;
    }
    regs.set_ip(addr);
    // The program has turned its shadow stack on since the breakpoint was made. Only the call
    // itself can write to that.
    if hit.is_call && user::has_shadow_stack() {
        entry.shadowed.store(true, Ordering::Release);
        return Trapped::Shadowed;
    }
    let (mut returns, mut asks) = (false, false);
    let burst = Burst::new();
    for u in table.uses(hit) {
        match u.role {
            Role::Before | Role::Usdt => {
                if is_late(ctx, &burst, hit, &u.probe) {
                    continue;
                }
                if let Some(rest) = fire_without(ctx, &u.probe) {
                    with_args(ctx, regs, u, rest);
                }
            }
            Role::Return => returns = true,
            Role::Question => asks = true,
        }
    }
    if asks {
        // It replaces the instruction, which answers 0.
        regs.set_value(1);
        regs.set_ip(hit.next());
        return Trapped::Ours;
    }
    let value = regs.value();
    if done(hit, regs) {
        if returns {
            returned(ctx, table, hit, value, Some(regs.ip()), &burst);
        }
    } else {
        if returns {
            returned(ctx, table, hit, value, None, &burst);
        }
        // A place without a slot has no breakpoint any more.
        regs.set_ip(if hit.slot == 0 { addr } else { hit.slot });
    }
    Trapped::Ours
}

/// Tells whether the probes of a place have fired for as long as they may, and counts this one as
/// paused then: a program decides how many it has at one place. One that is alone there needs no
/// look at the clock.
fn is_late(ctx: &ProbeCtx, burst: &Burst, hit: &Hit, probe: &Probe) -> bool {
    let is_late = hit.uses > 1 && !burst.goes_on();
    if is_late {
        pause(ctx, probe, 1);
    }
    is_late
}

/// Tells whether a breakpoint is visible there.
fn is_breakpoint(addr: u64) -> bool {
    let mut first = [0];
    nofault::read_user(addr, &mut first).is_ok() && first == [INT3]
}

#[inline(never)]
fn with_args(ctx: &ProbeCtx, regs: &Registers, u: &Use, rest: Rest<'_>) {
    match &u.args {
        None => {
            let mut room = [0; 6];
            rest.fire(ctx, args::entry(regs, &mut room));
        }
        Some(args) => usdt(ctx, regs, args, rest),
    }
}

#[inline(never)]
fn usdt(ctx: &ProbeCtx, regs: &Registers, args: &[UserArg], rest: Rest<'_>) {
    let mut room = [0; MAX_ARGS];
    rest.fire(ctx, args::usdt(regs, args, &mut room));
}

/// Fires the return probes of a place. `to` is the address of the thread now, if it has left the
/// function.
#[inline(never)]
fn returned(ctx: &ProbeCtx, table: &Table, hit: &Hit, value: u64, to: Option<u64>, burst: &Burst) {
    // A recursive function returns into itself. A jump within the function is no return.
    let is_return = matches!(hit.act, Act::Return { .. });
    // It jumps through memory that is not present, perhaps within the function.
    let is_unknown = to.is_none() && matches!(hit.act, Act::JumpThrough { .. });
    for u in table.uses(hit).filter(|u| u.role == Role::Return) {
        let start = hit.addr.wrapping_sub(u.place.into());
        let leaves = |to: u64| to.wrapping_sub(start) >= u.size.into();
        if is_unknown {
            pause(ctx, &u.probe, 1);
        } else if (is_return || to.is_none_or(leaves)) && !is_late(ctx, burst, hit, &u.probe) {
            fire(ctx, &u.probe, Args::Returned(&[u.place.into(), value]));
        }
    }
}

/// Emulates the instruction. Returns false if it must run in its slot, and then changes nothing.
#[inline]
fn done(hit: &Hit, regs: &Registers) -> bool {
    let next = hit.next();
    match hit.act {
        Act::Skip => regs.set_ip(next),
        Act::Jump { to } => regs.set_ip(to),
        Act::Branch { cc, to } => {
            regs.set_ip(if displace::holds(cc, regs.flags()) { to } else { next });
        }
        Act::CountBranch { by, width, to } => {
            let (count, is) = displace::count(by, width, regs.get(1), regs.flags());
            regs.set_cx(count);
            regs.set_ip(if is { to } else { next });
        }
        Act::Return { pops } => {
            if user::has_shadow_stack() {
                return false;
            }
            let Some(to) = load(hit.mode, regs.sp()) else { return false };
            let sp = regs.sp().wrapping_add(word_of(hit.mode) as u64).wrapping_add(pops.into());
            regs.set_sp(narrow(hit.mode, sp));
            regs.set_ip(to);
        }
        Act::JumpThrough { by, loads } => {
            let at = by.address(|n| regs.get(n));
            let to = if loads { load(hit.mode, at) } else { program(at) };
            let Some(to) = to else { return false };
            regs.set_ip(to);
        }
        // A thread writes to its own stack faster than we can do it for it.
        Act::Push { .. } | Act::Call { .. } | Act::Displaced => return false,
    }
    true
}

/// Returns an address if a program can run there. Otherwise the CPU must raise the fault.
fn program(to: u64) -> Option<u64> {
    (to >> 47 == 0).then_some(to)
}

/// Reads an address from the program's memory.
#[inline]
fn load(mode: Mode, at: u64) -> Option<u64> {
    let mut word = [0; 8];
    nofault::read_user(at, word.get_mut(..word_of(mode))?).ok()?;
    program(u64::from_le_bytes(word))
}

fn word_of(mode: Mode) -> usize {
    match mode {
        Mode::Bits64 => 8,
        Mode::Bits32 => 4,
    }
}

fn narrow(mode: Mode, addr: u64) -> u64 {
    match mode {
        Mode::Bits64 => addr,
        Mode::Bits32 => addr & 0xffff_ffff,
    }
}

/// # Context
/// *probe*: the current process is sent a signal.
pub(crate) fn signal(ctx: &ProbeCtx, regs: &Registers, raised: bool) {
    let Some(entry) = table::entry(ctx, user::key()) else { return };
    let Some(table) = entry.table.load(ctx) else { return };
    let ip = regs.ip();
    let start = ip & !SLOT_SIZE.wrapping_sub(1);
    let Some(hit) = table.of_slot(start) else { return };
    let Ok(slot) = displace::slot(hit.code(), hit.addr, hit.mode, start) else { return };
    let is_system_call = hit.code().ends_with(&SYSCALL);
    // CAST: less than SLOT_SIZE.
    match slot.place(ip.wrapping_sub(start) as u8) {
        Place::Before { .. } if is_system_call => regs.set_ip(hit.addr),
        Place::After { to, rcx } if is_system_call => {
            if rcx {
                regs.set_cx(to);
            }
            // To restart a system call, the kernel moves back by its length, so the thread must be
            // at the original.
            regs.set_ip(to);
        }
        Place::Before { pushed } if raised => {
            regs.set_sp(regs.sp().wrapping_add(pushed.into()));
            regs.set_ip(hit.addr);
        }
        Place::After { to, .. } => regs.set_ip(to),
        Place::Before { .. } => {
            entry.interrupted.store(true, Ordering::Release);
        }
    }
}

/// # Context
/// *probe*
pub(crate) fn is_traced(ctx: &ProbeCtx, space: u64) -> bool {
    table::entry(ctx, space).is_some()
}
