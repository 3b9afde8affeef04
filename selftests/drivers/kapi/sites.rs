// SPDX-License-Identifier: GPL-2.0
//! Every way from an instruction to a handler: breakpoints of each kind, calls in place of returns
//! and jumps, ftrace. The tests require exact counts on two CPUs, right results, and restored text.

use crate::{kapi_race_pause, module_parameters, value};
use core::sync::atomic::{AtomicU64, Ordering::Relaxed};
use kapi::context::enter;
use kapi::forbidden::{self, Why};
use kapi::int3;
use kapi::modules;
use kapi::nofault::read_kernel;
use kapi::text::{self, Patch, PatchError, Refused};
use kapi::trampoline::{self, Regs, Saved, Trampoline};
use kapi::{ftrace, symbols};
use kernel::prelude::*;
use x86::encoding::WIDE_NOP;
use x86::{boundary, decoded, Decoded, Shape};

unsafe extern "C" {
    safe fn kapi_shape_site(n: u32) -> u64;
    safe fn kapi_shape_run(rounds: u64) -> u64;
    safe fn kapi_shape_start();
    safe fn kapi_shape_stop(calls: &mut u64) -> u64;
    safe fn kapi_shape_fentry() -> u64;
    safe fn kapi_shape_keeps_return() -> u32;
    safe fn kapi_shape_keeps_tail() -> u32;
    static kapi_shape_nothing_site: u8;
    static kapi_shape_jump_nothing_site: u8;
}

/// The order is that of shaped.c. The first sites are for breakpoints.
const TRAPS: usize = 11;
const RETURN5: usize = 11;
const TAIL: usize = 12;
const ALL: usize = 13;
const ENTRY: usize = 13;

#[allow(clippy::declare_interior_mutable_const)]
const ZERO: AtomicU64 = AtomicU64::new(0);
static HITS: [AtomicU64; ALL + 1] = [ZERO; ALL + 1];
static TAKEN: AtomicU64 = AtomicU64::new(0);
/// The target of shape 6; a breakpoint covers it.
static BRANCHES_TO: AtomicU64 = AtomicU64::new(0);
static STRANGE: AtomicU64 = AtomicU64::new(0);
static LAST: AtomicU64 = AtomicU64::new(0);

fn hit(addr: u64) -> Option<usize> {
    let n = (0..ALL).find(|n| kapi_shape_site(*n as u32) == addr)?;
    HITS.get(n)?.fetch_add(1, Relaxed);
    Some(n)
}

fn trapped(addr: u64, regs: &Regs, goes: Option<u64>) {
    enter(|_| {
        if hit(addr).is_none() || regs.ip() != addr || regs.sp() >> 63 == 0 {
            STRANGE.fetch_add(1, Relaxed);
        }
        if addr == kapi_shape_site(6) {
            let taken = goes == Some(BRANCHES_TO.load(Relaxed)) && goes != Some(addr + 2);
            TAKEN.fetch_add(u64::from(taken), Relaxed);
            // The branch is taken for even arguments; otherwise it leads to itself.
            if taken != (regs.arg(0) & 1 == 0) || !taken && goes != Some(addr) {
                STRANGE.fetch_add(1, Relaxed);
            }
        }
        let jumps = [5, 6, 8].map(|n| kapi_shape_site(n)).contains(&addr);
        if goes.is_some() != jumps {
            STRANGE.fetch_add(1, Relaxed);
        }
        if addr == kapi_shape_site(10) && regs.ret() as u32 != (regs.arg(0) as u32).wrapping_add(1)
        {
            STRANGE.fetch_add(1, Relaxed);
        }
    });
}

extern "C" fn returned(site: u64, left: &trampoline::Left) {
    enter(|_| {
        LAST.store(left.value(), Relaxed);
        hit(site);
    });
}

fn jumped(site: u64) {
    enter(|_| hit(site));
}

extern "C" fn entered(site: u64, saved: &Saved) {
    enter(|_| {
        let mut more = [0; 16];
        let read = read_kernel(saved.stack(), &mut more).is_ok();
        let word = |n: usize| u64::from_ne_bytes(more[n..n + 8].try_into().unwrap_or_default());
        let right = saved.regs()[1..] == [1, 2, 3, 4, 5] && read && (word(0), word(8)) == (6, 7);
        if Some(site) != ftrace::location(kapi_shape_fentry()) || !right {
            STRANGE.fetch_add(1, Relaxed);
        }
        HITS[ENTRY].fetch_add(1, Relaxed);
    });
}

fn bytes<const N: usize>(addr: u64) -> [u8; N] {
    let mut b = [0; N];
    let _ = read_kernel(addr, &mut b);
    b
}

fn rel32(addr: u64, len: u64) -> u64 {
    let d = i32::from_le_bytes(bytes(addr + len - 4));
    addr.wrapping_add(len).wrapping_add_signed(d.into())
}

fn rel8(addr: u64) -> u64 {
    let [d] = bytes(addr + 1);
    addr.wrapping_add(2).wrapping_add_signed((d as i8).into())
}

/// Returns the instructions at the sites, decoded by hand.
fn insns() -> Option<[Decoded; TRAPS]> {
    let mut all = KVVec::new();
    for n in 0..TRAPS {
        let addr = kapi_shape_site(n as u32);
        let (shape, len) = match n {
            0 => (Shape::Push(5), 1),
            1 => (Shape::Push(12), 2),
            2 => (Shape::Plain(Some(2)), 6),
            3 => (Shape::Plain(None), 3),
            4 => (Shape::Nop, 2),
            5 => (Shape::Jump(rel8(addr)), 2),
            6 => (Shape::Branch(4, rel8(addr)), 2),
            7 => (Shape::Call(rel32(addr, 5)), 5),
            8 => (Shape::JumpReg(11), 3),
            9 => (Shape::CallReg(0), 2),
            _ => (Shape::Return, 1),
        };
        all.push(decoded(addr, shape, &bytes::<15>(addr)[..len])?, GFP_KERNEL).ok()?;
    }
    all.as_slice().try_into().ok()
}

fn zero() {
    HITS.iter().for_each(|n| n.store(0, Relaxed));
    TAKEN.store(0, Relaxed);
}

fn none(what: &str) -> impl FnMut(usize, Refused) + '_ {
    move |i, why| {
        pr_err!("{what}: {i} refused: {why:?}\n");
        STRANGE.fetch_add(1, Relaxed);
    }
}

/// All sites.
struct Sites {
    addrs: [u64; TRAPS],
    patches: [Patch; 2],
    entry: [u64; 1],
}

impl Sites {
    fn on(&self) {
        int3::arm(&self.addrs, &mut none("arm"));
        text::patch_each(&self.patches, &mut none("patch"));
        ftrace::attach(&self.entry, &mut none("attach"));
    }

    fn off(&self) -> Result {
        int3::disarm(&self.addrs);
        let back = self.patches.map(|p| p.undo());
        text::patch_each(&back, &mut none("undo"));
        ftrace::detach(&self.entry)
    }
}

fn text_now() -> [[u8; 8]; ALL + 1] {
    core::array::from_fn(|n| match n {
        ENTRY => bytes(ftrace::location(kapi_shape_fentry()).unwrap_or(0)),
        _ => bytes(kapi_shape_site(n as u32)),
    })
}

pub(crate) fn all() -> Result {
    trampoline::set_trap_handler(trapped);
    trampoline::set_return_handler(returned)?;
    trampoline::set_tail_handler(jumped);
    trampoline::set_entry_handler(entered)?;
    let strange = || STRANGE.load(Relaxed);
    let before = text_now();
    check!(kapi_shape_run(100) == 0);

    BRANCHES_TO.store(rel8(kapi_shape_site(6)), Relaxed);
    let insns = insns().ok_or(EINVAL)?;
    int3::add(&insns, &mut none("add"));
    // The same breakpoint may be added again, but no other one.
    int3::add(&insns, &mut none("add"));
    let mut refused = 0;
    let addr = |n: usize| insns[n].at().addr();
    let lie = |addr, shape, bytes: &[u8]| decoded(addr, shape, bytes).ok_or(EINVAL);
    let other = lie(addr(0), Shape::Nop, insns[0].bytes())?;
    int3::add(&[other], &mut |_, why| refused += u64::from(why == Refused::Busy));
    // No probe may fire in this section, whatever instruction is there.
    let noinstr = symbols::find(c"__noinstr_text_start").ok_or(EINVAL)?;
    let wrong = [
        lie(noinstr, Shape::Nop, &bytes::<1>(noinstr))?,
        lie(addr(1) + 1, Shape::Trap, &bytes::<1>(addr(1) + 1))?,
        lie(addr(1) + 1, Shape::Other, &bytes::<1>(addr(1) + 1))?,
    ];
    int3::add(&wrong, &mut |_, why| refused += u64::from(why == Refused::Malformed));
    // A breakpoint is refused if the instruction at its site is another one.
    let mut changed = bytes::<3>(addr(3));
    changed[2] ^= 1;
    let mut lies = 0;
    // Forget the known one, which would be refused for another reason.
    int3::forget(addr(3)..addr(3) + 1);
    let other = lie(addr(3), Shape::Plain(None), &changed)?;
    int3::add(&[other], &mut |_, why| lies += u64::from(why == Refused::Busy));
    check!(lies == 1);
    int3::add(&insns[3..4], &mut none("add the true one"));
    int3::arm(&[1, addr(0) + 1], &mut |_, why| refused += u64::from(why == Refused::Malformed));
    check!(strange() == 0 && refused == 6);

    let at = |n: usize| kapi_shape_site(n as u32);
    let entry = [ftrace::location(kapi_shape_fentry()).ok_or(EINVAL)?];
    check!(bytes(entry[0]) == WIDE_NOP && ftrace::location(at(0)).is_none());
    let to = |n, t| Patch::to_call(boundary(at(n)), bytes(at(n)), t).ok_or(EINVAL);
    let patches = [to(RETURN5, Trampoline::Return)?, to(TAIL, Trampoline::Tail)?];
    let quiet = Patch::to_call(boundary(noinstr), WIDE_NOP, Trampoline::Sdt).ok_or(EINVAL)?;
    check!(text::patch(&[quiet]) == Err(PatchError::NotPatchable(0)));
    let mut jump = bytes::<5>(at(TAIL));
    jump[1] ^= 1;
    let astray = Patch::restore(at(TAIL), jump, Trampoline::Tail).ok_or(EINVAL)?;
    let sites = Sites { addrs: insns.map(|i| i.at().addr()), patches, entry };
    ftrace::attach(&[at(0), 0, u64::MAX], &mut |_, why| {
        refused += u64::from(why == Refused::NotText)
    });
    check!(refused == 9);

    // The counts are exact, with patches on and off.
    let long = value(module_parameters::toggles.value()) >= 20;
    for _ in 0..if long { 3 } else { 1 } {
        zero();
        sites.on();
        check!(strange() == 0);
        check!(text_now().iter().zip(&before).all(|(now, was)| now != was));
        // Breakpoints and ftrace sites that are armed may be armed again.
        int3::arm(&sites.addrs, &mut none("arm"));
        ftrace::attach(&sites.entry, &mut none("attach"));
        let mut twice = 0;
        text::patch_each(&patches, &mut |_, why| twice += u64::from(why == Refused::Busy));
        check!(strange() == 0 && twice == 2);
        // Only the jump that was there comes back.
        check!(text::patch(&[astray]) == Err(PatchError::NotPatchable(0)));
        let mut bent = 0;
        text::patch_each(&[astray], &mut |_, why| bent += u64::from(why == Refused::Malformed));
        check!(bent == 1);
        check!(kapi_shape_run(1000) == 0);
        sites.off()?;
        check!(text_now() == before);
        check!(kapi_shape_run(100) == 0);
        for (n, hits) in HITS.iter().enumerate() {
            if hits.load(Relaxed) != 2000 {
                pr_err!("shape {n}: {} hits\n", hits.load(Relaxed));
                STRANGE.fetch_add(1, Relaxed);
            }
        }
        check!(strange() == 0 && TAKEN.load(Relaxed) == 1000);
    }

    // Assume only what is known about the function, and check that it is kept.
    for (site, tail) in [
        (&raw const kapi_shape_nothing_site, false),
        (&raw const kapi_shape_jump_nothing_site, true),
    ] {
        let site = core::hint::black_box(site as u64);
        let trampoline = if tail { Trampoline::Tail } else { Trampoline::Return };
        let on = Patch::to_call(boundary(site), bytes(site), trampoline).ok_or(EINVAL)?;
        check!(text::patch(&[on]).is_ok());
        check!(kapi_shape_keeps_return() == 1 && kapi_shape_keeps_tail() == 1);
        check!(tail || LAST.load(Relaxed) == 0x99);
        check!(text::patch(&[on.undo()]).is_ok());
    }

    // Like a module that is loaded and unloaded repeatedly: the pool must get its memory back.
    for _ in 0..if long { 30_000 } else { 10 } {
        int3::forget(at(2)..at(2) + 1);
        int3::add(&insns[2..3], &mut none("add again"));
    }
    let mut forgotten = 0;
    int3::forget(at(2)..at(2) + 1);
    int3::arm(&[at(2)], &mut |_, why| forgotten += u64::from(why == Refused::Malformed));
    int3::add(&insns[2..3], &mut none("add again"));
    check!(forgotten == 1 && strange() == 0);

    // Patch and restore while threads run.
    kapi_shape_start();
    let mut result = Ok(());
    for _ in 0..value(module_parameters::toggles.value()) {
        zero();
        sites.on();
        while HITS.iter().any(|n| n.load(Relaxed) == 0) {
            kapi_race_pause();
        }
        result = result.and(sites.off());
    }
    let mut calls = 0;
    let wrong = kapi_shape_stop(&mut calls);
    check!(result.is_ok() && wrong == 0 && strange() == 0 && text_now() == before);
    pr_info!("{calls} rounds of all shapes under toggling\n");
    kapi::quiesce();
    check!(kapi_shape_run(100) == 0);
    // All breakpoints were forgotten, so none can be armed.
    let mut unknown = 0;
    int3::arm(&sites.addrs, &mut |_, why| unknown += usize::from(why == Refused::Malformed));
    check!(unknown == TRAPS);
    Ok(())
}

/// Checks the kernel's lists of forbidden text.
pub(crate) fn lists() -> Result {
    let text = symbols::text_range().ok_or(EINVAL)?;
    let is_in = |name: &CStr, whys: &[Why]| -> Result<bool> {
        let addr = symbols::find(name).ok_or(EINVAL)?;
        let mut seen = false;
        forbidden::ranges(&mut |r, why| seen |= r.contains(&addr) && whys.contains(&why))?;
        Ok(seen)
    };
    let (mut all, mut outside) = (0, 0);
    forbidden::ranges(&mut |r, _| {
        all += 1;
        outside += u64::from(
            !(text.contains(&r.start) && text.contains(&r.end.wrapping_sub(1))) && !r.is_empty(),
        );
    })?;
    pr_info!("{all} ranges, {outside} outside\n");
    check!(all > 500 && is_in(c"exc_int3", &[Why::Noinstr, Why::Entry])?);
    check!(
        is_in(c"get_kprobe", &[Why::Nokprobe])? && is_in(c"__rcu_read_lock", &[Why::Breakpoint])?
    );
    check!(is_in(c"hw_breakpoint_exceptions_notify", &[Why::Breakpoint])?);
    check!(
        is_in(c"asm_exc_page_fault", &[Why::Entry])?
            && !is_in(c"vfs_read", &[Why::Noinstr, Why::Nokprobe, Why::Breakpoint])?
    );
    let (mut fives, mut twos, mut wrong) = (0, 0, 0);
    forbidden::sites(&mut |addr, len, _| {
        match len {
            5 => fives += 1,
            2 => twos += 1,
            _ => wrong += 1,
        }
        wrong += u64::from(addr >> 63 == 0);
    })?;
    pr_info!("sites the kernel changes: {fives} of 5, {twos} of 2 bytes\n");
    check!(fives > 1000 && wrong == 0);
    let mut modules = 0;
    modules::for_each_loaded(&mut |m| {
        let known = forbidden::sites_of_module(m, &mut |addr, _, _| {
            modules += u64::from(!m.contains_text(addr) && !m.contains_init_text(addr))
        });
        modules += u64::from(known.is_err());
    })?;
    check!(modules == 0);
    let faults = symbols::find(c"rep_movs_alternative").ok_or(EINVAL)?;
    check!((faults..faults + 128).any(text::may_fault) && !text::may_fault(text.start));
    Ok(())
}
