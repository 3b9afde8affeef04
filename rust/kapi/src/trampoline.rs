// SPDX-License-Identifier: GPL-2.0
//! Where a patched site leads: `trampoline.S` saves what the site relies on and comes in here.

use crate::once::Once as SetOnce;
use crate::sys;
use crate::text;
use kernel::bindings;

/// A piece of module text that a site may call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trampoline {
    /// For a probe in the middle of a function: it keeps every register and the flags.
    Sdt,
    /// For a return: it returns in its place.
    Return,
    /// For a jump out of a function: it jumps in its place.
    Tail,
}

impl Trampoline {
    pub(crate) fn addr(self) -> u64 {
        match self {
            Self::Sdt => sys::kapi_sdt_trampoline as *const () as u64,
            Self::Return => sys::kapi_return_trampoline as *const () as u64,
            Self::Tail => sys::kapi_tail_trampoline as *const () as u64,
        }
    }
}

/// Where the kernel's text comes into ours: what is called from here on runs whenever a probe fires.
pub fn roots() -> [u64; 4] {
    [
        Trampoline::Sdt.addr(),
        Trampoline::Return.addr(),
        Trampoline::Tail.addr(),
        sys::kapi_entry_trampoline as *const () as u64,
    ]
}

/// What serves an sdt site: its address, and the registers rdi, rsi, rdx, rcx, r8, r9, r10, r11
/// there.
pub type SdtHandler = fn(site: u64, args: &[u64; 8]);

static SDT_HANDLER: SetOnce<SdtHandler> = SetOnce::new();

/// Sets what is called from every site that is armed with [`Trampoline::Sdt`]; before the first is.
/// Only the first call counts.
///
/// `f` runs wherever the site stands and enters probe context before anything else.
pub fn set_sdt_handler(f: SdtHandler) {
    SDT_HANDLER.populate(f);
}

/// # Safety
///
/// Called by `kapi_sdt_trampoline` only: `args` are the registers on its stack.
#[no_mangle]
unsafe extern "C" fn kapi_sdt_fired(site: u64, args: *const [u64; 8]) {
    if let Some(handler) = SDT_HANDLER.as_ref() {
        // SAFETY: by the caller; the stack stays as it is until we return.
        handler(site, unsafe { &*args });
    }
}

/// What the entry trampoline has saved: the registers rdi, rsi, rdx, rcx, r8, r9 where a function
/// begins; where its nop ends; where it will return to.
#[repr(transparent)]
pub struct Saved([u64; 8]);

impl Saved {
    /// The registers.
    #[inline]
    pub fn regs(&self) -> &[u64; 6] {
        self.0.first_chunk().unwrap_or(&[0; 6])
    }

    /// Where the function will return to.
    #[inline]
    pub fn to(&self) -> u64 {
        let [.., to] = self.0;
        to
    }

    /// The address of the seventh argument, if there is one: behind all that.
    #[inline]
    pub fn stack(&self) -> u64 {
        (self.0.as_ptr() as u64).wrapping_add(size_of::<Self>() as u64)
    }
}

/// What serves the entry of a function: where its nop is, and the registers there.
pub type EntryHandler = extern "C" fn(site: u64, saved: &Saved);

/// What the return trampoline has saved: flags, r11, r10, r9, r8, rdi, rsi, rcx, rdx, rax; the site's
/// end; where the function returns to.
#[repr(transparent)]
pub struct Left([u64; 12]);

impl Left {
    /// The value.
    #[inline]
    pub fn value(&self) -> u64 {
        let [.., value, _, _] = self.0;
        value
    }

    /// Where the function returns to.
    #[inline]
    pub fn to(&self) -> u64 {
        let [.., to] = self.0;
        to
    }
}

/// What serves a return: where it stands, and what is known there.
pub type ReturnHandler = extern "C" fn(site: u64, left: &Left);

/// What serves a jump out of a function: where it stands.
pub type TailHandler = fn(site: u64);

/// What serves a breakpoint: where it is, the registers there, and, if its instruction is a jump,
/// where that leads now; a condition that does not hold leads behind it.
pub type TrapHandler = fn(addr: u64, regs: &Regs, goes: Option<u64>);

static TAIL_HANDLER: SetOnce<TailHandler> = SetOnce::new();
static TRAP_HANDLER: SetOnce<TrapHandler> = SetOnce::new();

/// As [`set_sdt_handler`], for [`crate::ftrace`]; the trampoline calls it without a detour.
///
/// # Context
///
/// *process*
pub fn set_entry_handler(f: EntryHandler) {
    redirect(sys::kapi_entry_call as *const () as u64, f as *const () as u64);
}

/// As [`set_entry_handler`], for [`Trampoline::Return`].
///
/// # Context
///
/// *process*
pub fn set_return_handler(f: ReturnHandler) {
    redirect(sys::kapi_return_call as *const () as u64, f as *const () as u64);
}

/// Where no text can be patched, no site leads to a trampoline either.
fn redirect(call: u64, to: u64) {
    text::redirect(call, sys::kapi_unset_handler as *const () as u64, to);
}

/// As [`set_sdt_handler`], for [`Trampoline::Tail`].
pub fn set_tail_handler(f: TailHandler) {
    TAIL_HANDLER.populate(f);
}

/// As [`set_sdt_handler`], for [`crate::int3`].
pub fn set_trap_handler(f: TrapHandler) {
    TRAP_HANDLER.populate(f);
}

/// The registers at a breakpoint.
#[repr(transparent)]
pub struct Regs(bindings::pt_regs);

impl Regs {
    /// The argument of this number that a function which begins here has in a register; 0 for
    /// those from 6 on.
    pub fn arg(&self, n: usize) -> u64 {
        let r = &self.0;
        [r.di, r.si, r.dx, r.cx, r.r8, r.r9].get(n).copied().unwrap_or(0) as u64
    }

    /// The value of a function that returns here.
    pub fn ret(&self) -> u64 {
        self.0.ax as u64
    }

    /// The stack pointer.
    pub fn sp(&self) -> u64 {
        self.0.sp as u64
    }

    /// Where the breakpoint is.
    pub fn ip(&self) -> u64 {
        (self.0.ip as u64).wrapping_sub(1)
    }
}

#[no_mangle]
extern "C" fn kapi_tail_probe(site: u64) {
    if let Some(handler) = TAIL_HANDLER.as_ref() {
        handler(site);
    }
}

/// # Safety
///
/// Called by the notifier in `sites.c` only: `regs` are of the instruction before it is emulated.
#[no_mangle]
unsafe extern "C" fn kapi_trap_fired(addr: u64, regs: *const bindings::pt_regs, goes: u64) {
    if let Some(handler) = TRAP_HANDLER.as_ref() {
        // SAFETY: by the caller, they stay as they are until we return; `Regs` is transparent.
        handler(addr, unsafe { &*regs.cast::<Regs>() }, (goes != 0).then_some(goes));
    }
}
