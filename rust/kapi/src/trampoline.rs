// SPDX-License-Identifier: GPL-2.0
//! The code that a patched site calls: `trampoline.S` saves the registers that the site needs, and
//! calls the functions here.

use crate::once::Once as SetOnce;
use crate::sys;
use crate::text;
use kernel::bindings;
use kernel::error::code::EOPNOTSUPP;
use kernel::error::Result;

/// A piece of module text that a site may call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trampoline {
    /// For a probe in the middle of a function: it preserves every register and the flags.
    Sdt,
    /// For a return: it returns instead of it.
    Return,
    /// For a jump out of a function: it jumps instead of it.
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

/// Returns the functions through which the kernel's text enters ours. All code that they call runs
/// whenever a probe fires.
pub fn roots() -> [u64; 4] {
    [
        Trampoline::Sdt.addr(),
        Trampoline::Return.addr(),
        Trampoline::Tail.addr(),
        sys::kapi_entry_trampoline as *const () as u64,
    ]
}

/// The handler of an sdt site: its address, and the registers rdi, rsi, rdx, rcx, r8, r9, r10, r11
/// there.
pub type SdtHandler = fn(site: u64, args: &[u64; 8]);

static SDT_HANDLER: SetOnce<SdtHandler> = SetOnce::new();

/// Sets the handler of all sites that are armed with [`Trampoline::Sdt`]. Call it before the first
/// is armed. Only the first call has an effect.
///
/// `f` runs in the context of the site and must enter probe context before anything else.
pub fn set_sdt_handler(f: SdtHandler) {
    SDT_HANDLER.populate(f);
}

/// # Safety
///
/// Only `kapi_sdt_trampoline` may call this; `args` are the registers on its stack.
#[no_mangle]
unsafe extern "C" fn kapi_sdt_fired(site: u64, args: *const [u64; 8]) {
    if let Some(handler) = SDT_HANDLER.as_ref() {
        // SAFETY: by the caller, `args` are the registers on the trampoline's stack; they do not
        // change until we return.
        handler(site, unsafe { &*args });
    }
}

/// The data that the entry trampoline saves: the registers rdi, rsi, rdx, rcx, r8, r9 at a
/// function's entry; the address after its nop; its return address.
#[repr(transparent)]
pub struct Saved([u64; 8]);

impl Saved {
    /// Returns the registers.
    #[inline]
    pub fn regs(&self) -> &[u64; 6] {
        self.0.first_chunk().unwrap_or(&[0; 6])
    }

    /// Returns the address to which the function will return.
    #[inline]
    pub fn to(&self) -> u64 {
        let [.., to] = self.0;
        to
    }

    /// Returns the address of the seventh argument, if there is one: after all of this.
    #[inline]
    pub fn stack(&self) -> u64 {
        (self.0.as_ptr() as u64).wrapping_add(size_of::<Self>() as u64)
    }
}

/// The handler of a function's entry: the address of its nop, and the registers there.
pub type EntryHandler = extern "C" fn(site: u64, saved: &Saved);

/// The data that the return trampoline saves: flags, r11, r10, r9, r8, rdi, rsi, rcx, rdx, rax; the
/// address after the site; the function's return address.
#[repr(transparent)]
pub struct Left([u64; 12]);

impl Left {
    /// Returns the value of the function.
    #[inline]
    pub fn value(&self) -> u64 {
        let [.., value, _, _] = self.0;
        value
    }

    /// Returns the address to which the function returns.
    #[inline]
    pub fn to(&self) -> u64 {
        let [.., to] = self.0;
        to
    }
}

/// The handler of a return: its address, and the data there.
pub type ReturnHandler = extern "C" fn(site: u64, left: &Left);

/// The handler of a jump out of a function: its address.
pub type TailHandler = fn(site: u64);

/// The handler of a breakpoint: its address, the registers there, and, if its instruction is a
/// jump, the next address; if a condition does not hold, that is the address of the jump itself.
pub type TrapHandler = fn(addr: u64, regs: &Regs, goes: Option<u64>);

static TAIL_HANDLER: SetOnce<TailHandler> = SetOnce::new();
static TRAP_HANDLER: SetOnce<TrapHandler> = SetOnce::new();

/// Works like [`set_sdt_handler`], for [`crate::ftrace`]. The trampoline calls `f` directly.
///
/// # Context
///
/// *process*
pub fn set_entry_handler(f: EntryHandler) -> Result {
    redirect(sys::kapi_entry_call as *const () as u64, f as *const () as u64)
}

/// Works like [`set_entry_handler`], for [`Trampoline::Return`].
///
/// # Context
///
/// *process*
pub fn set_return_handler(f: ReturnHandler) -> Result {
    redirect(sys::kapi_return_call as *const () as u64, f as *const () as u64)
}

/// `EOPNOTSUPP`: the call is still what it was, so no probe would fire from there.
fn redirect(call: u64, to: u64) -> Result {
    let is_set = text::redirect(call, sys::kapi_unset_handler as *const () as u64, to);
    is_set.then_some(()).ok_or(EOPNOTSUPP)
}

/// Works like [`set_sdt_handler`], for [`Trampoline::Tail`].
pub fn set_tail_handler(f: TailHandler) {
    TAIL_HANDLER.populate(f);
}

/// Works like [`set_sdt_handler`], for [`crate::int3`].
pub fn set_trap_handler(f: TrapHandler) {
    TRAP_HANDLER.populate(f);
}

/// The registers at a breakpoint.
#[repr(transparent)]
pub struct Regs(bindings::pt_regs);

impl Regs {
    /// Returns the register argument with this number of a function that begins here; 0 from number
    /// 6 on.
    pub fn arg(&self, n: usize) -> u64 {
        let r = &self.0;
        [r.di, r.si, r.dx, r.cx, r.r8, r.r9].get(n).copied().unwrap_or(0) as u64
    }

    /// Returns the value of a function that returns here.
    pub fn ret(&self) -> u64 {
        self.0.ax as u64
    }

    /// Returns the stack pointer.
    pub fn sp(&self) -> u64 {
        self.0.sp as u64
    }

    /// Returns the address of the breakpoint.
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
/// Only the notifier in `sites.c` may call this; `regs` are those before the instruction is
/// emulated.
#[no_mangle]
unsafe extern "C" fn kapi_trap_fired(addr: u64, regs: *const bindings::pt_regs, goes: u64) {
    if let Some(handler) = TRAP_HANDLER.as_ref() {
        // SAFETY: by the caller, `regs` are valid and do not change until we return; `Regs` is
        // transparent.
        handler(addr, unsafe { &*regs.cast::<Regs>() }, (goes != 0).then_some(goes));
    }
}
