// SPDX-License-Identifier: GPL-2.0
//! Programs: access to their memory from outside, and their events.
//!
//! A [`Space`] is the memory of a process, whichever threads use it. Writes to its text change its
//! own copy, not files or other processes. It may lose its last thread at any time: then nothing
//! can be read or changed in it.
//!
//! [`watch`] sets [`Handlers`] that are called when a process reaches a breakpoint, gets a signal,
//! is copied by fork, or ends.

use crate::context::{self, ProbeCtx};
use crate::events;
pub use crate::mapping::Room;
use crate::once::Once;
pub use crate::pages::{Counter, Ground, Poke, Text};
use crate::sites;
pub use crate::space::{Found, Space};
use crate::sys;
pub use crate::walk::{each_thread, Thread};
use core::cell::UnsafeCell;
use kernel::bindings;
use kernel::ffi::c_int;
use kernel::prelude::*;

/// Returns [`Space::key`] of the current process, or 0 if it has no memory.
///
/// # Context
///
/// *any*
#[inline]
pub fn key() -> u64 {
    crate::task::memory()
}

/// Tells whether the current thread has a shadow stack, which must see every call and return.
///
/// # Context
///
/// *any*
pub fn has_shadow_stack() -> bool {
    sys::kapi_shadow_stack()
}

/// The registers with which the current process will continue. The process could set them itself,
/// so any value is safe; a senseless value kills it. A firing probe reads them, too, by other ways
/// (`uregs[]`, `ustack()`), so nobody borrows them for himself alone.
#[repr(transparent)]
pub struct Registers(UnsafeCell<bindings::pt_regs>);

/// Reads a register.
macro_rules! register {
    ($regs:ident.$name:ident) => {
        // SAFETY: they are valid, and only the current thread changes them.
        unsafe { (*$regs.0.get()).$name }
    };
}

impl Registers {
    /// Changes them.
    #[inline(always)]
    fn set(&self, change: impl FnOnce(&mut bindings::pt_regs)) {
        // SAFETY: as in `register`; `change` is one of those below, which call nothing.
        change(unsafe { &mut *self.0.get() });
    }

    /// Returns a general register by its number in instructions: rax, rcx, rdx, rbx, rsp, rbp, rsi,
    /// rdi, r8 ... r15; 16 is rip. Returns 0 for other numbers.
    #[inline]
    pub fn get(&self, n: u8) -> u64 {
        // CAST: `c_ulong` has 64 bits.
        (match n {
            0 => register!(self.ax),
            1 => register!(self.cx),
            2 => register!(self.dx),
            3 => register!(self.bx),
            4 => register!(self.sp),
            5 => register!(self.bp),
            6 => register!(self.si),
            7 => register!(self.di),
            8 => register!(self.r8),
            9 => register!(self.r9),
            10 => register!(self.r10),
            11 => register!(self.r11),
            12 => register!(self.r12),
            13 => register!(self.r13),
            14 => register!(self.r14),
            15 => register!(self.r15),
            16 => register!(self.ip),
            _ => 0,
        }) as u64
    }

    /// Returns the low half of one of the current thread's vector registers, xmm0 ... xmm15, as it
    /// was when its program entered the kernel. Returns 0 for other numbers. Can be called while a
    /// probe fires.
    #[inline]
    pub fn vector(n: u8) -> u64 {
        sys::kapi_user_vector(n.into())
    }

    /// Returns the first six arguments of a function that begins here.
    #[inline]
    pub fn args(&self) -> [u64; 6] {
        let [di, si, dx] = [register!(self.di), register!(self.si), register!(self.dx)];
        let [cx, r8, r9] = [register!(self.cx), register!(self.r8), register!(self.r9)];
        [di, si, dx, cx, r8, r9].map(|v| v as u64)
    }

    /// Returns the instruction pointer.
    #[inline]
    pub fn ip(&self) -> u64 {
        register!(self.ip) as u64
    }

    /// Returns the stack pointer.
    #[inline]
    pub fn sp(&self) -> u64 {
        register!(self.sp) as u64
    }

    /// Returns the flags.
    #[inline]
    pub fn flags(&self) -> u64 {
        register!(self.flags) as u64
    }

    /// Returns rax, the value of a function.
    #[inline]
    pub fn value(&self) -> u64 {
        register!(self.ax) as u64
    }

    /// Tells whether it runs 64-bit code.
    #[inline]
    pub fn is_wide(&self) -> bool {
        // SAFETY: as in `register`; all members of the union are numbers.
        let cs = unsafe { (*self.0.get()).__bindgen_anon_1.cs };
        cs == USER_CS
    }

    /// Sets the instruction pointer.
    #[inline]
    pub fn set_ip(&self, to: u64) {
        self.set(|r| r.ip = to as usize);
    }

    /// Sets the stack pointer.
    #[inline]
    pub fn set_sp(&self, to: u64) {
        self.set(|r| r.sp = to as usize);
    }

    /// Sets rax, the value of a function.
    #[inline]
    pub fn set_value(&self, to: u64) {
        self.set(|r| r.ax = to as usize);
    }

    /// Sets rcx.
    #[inline]
    pub fn set_cx(&self, to: u64) {
        self.set(|r| r.cx = to as usize);
    }
}

/// `__USER_CS`
const USER_CS: u16 = 0x33;

/// What a breakpoint of a process was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trapped {
    /// It is not ours.
    Foreign,
    /// It is ours, and the thread can go on.
    Ours,
    /// It is ours, on a call, and the thread has a shadow stack: it stays at the breakpoint until
    /// [`Handlers::shadowed`] has removed that.
    Shadowed,
}

/// The callbacks for events.
pub struct Handlers {
    /// The current process has reached a breakpoint, one byte before its instruction pointer. Runs
    /// in *probe* context.
    pub trap: fn(&ProbeCtx, &Registers) -> Trapped,
    /// `trap` has returned [`Trapped::Shadowed`]. Runs in *process* context.
    pub shadowed: fn(),
    /// The current process is about to handle a signal, or to be killed by one that its instruction
    /// has `raised`. Runs in *probe* context.
    pub signal: fn(&ProbeCtx, &Registers, raised: bool),
    /// Tells whether the space with this key has ever had a breakpoint. Runs in *probe* context.
    pub is_traced: fn(&ProbeCtx, key: u64) -> bool,
    /// The current process is a copy of the one with this key, including its breakpoints, and has
    /// not run yet. Runs in *process* context.
    pub forked: fn(parent: u64),
    /// A process may have ended, or executed another program. Runs in *process* context.
    pub ended: fn(),
    /// The time of [`look_again`] has passed. Runs in *process* context.
    pub again: fn(),
}

static HANDLERS: Once<Handlers> = Once::new();

/// Calls the handlers from now on. Pass the same ones each time. Only one caller at a time.
///
/// # Context
///
/// *process*, may sleep
pub fn watch(handlers: Handlers) -> Result {
    HANDLERS.populate(handlers);
    // Tasks will enter our code, and we must be able to tell when they have left it.
    sites::expect();
    crate::mem::ask()?;
    events::on()
}

/// Stops the calls, after every copied process has been reported. No process may have a breakpoint
/// left. Only one caller at a time; it holds no lock that a handler takes.
///
/// # Context
///
/// *process*, may sleep
pub fn unwatch() {
    events::off();
}

/// Calls [`Handlers::again`] once, after this many milliseconds. It replaces an earlier request.
///
/// # Context
///
/// *process*
pub fn look_again(ms: u32) {
    if events::are_on() {
        sys::kapi_user_later(ms);
    }
}

/// Tells whether the process with this key was copied, and [`Handlers::forked`] has not yet
/// finished for the copy.
///
/// # Context
///
/// *process*
pub fn awaits_children(parent: u64) -> bool {
    sys::kapi_user_awaits_children(parent)
}

/// # Safety
///
/// Only the notifier in `watch.c` may call this; `regs` are the registers of the current process.
#[no_mangle]
unsafe extern "C" fn kapi_user_trapped(regs: *mut bindings::pt_regs) -> bool {
    let Some(handlers) = HANDLERS.as_ref() else { return false };
    // SAFETY: by the caller, `regs` are valid; `Registers` is transparent.
    let regs = unsafe { &*regs.cast::<Registers>() };
    match context::enter(|ctx| (handlers.trap)(ctx, regs)) {
        Some(Trapped::Ours) => true,
        Some(Trapped::Shadowed) => {
            sys::kapi_shadows_seen();
            true
        }
        Some(Trapped::Foreign) | None => false,
    }
}

/// # Safety
///
/// As for `kapi_user_trapped`, but only the tracepoint handler in `watch.c` may call this.
#[no_mangle]
unsafe extern "C" fn kapi_user_signalled(
    regs: *mut bindings::pt_regs,
    sig: c_int,
    code: c_int,
) -> bool {
    // CAST: the numbers of signals are small.
    let raises = matches!(
        sig as u32,
        bindings::SIGSEGV
            | bindings::SIGBUS
            | bindings::SIGILL
            | bindings::SIGFPE
            | bindings::SIGTRAP
    );
    // Codes that are not positive are of signals that a program has sent.
    let raised = raises && code > 0;
    let Some(handlers) = HANDLERS.as_ref() else { return raised };
    // SAFETY: by the caller, `regs` are valid; `Registers` is transparent.
    let regs = unsafe { &*regs.cast::<Registers>() };
    // No instruction with a probe raises this one by itself (`int3` has none). It says that the one
    // before was executed: a program that steps itself would never get past one that takes two.
    let by_itself = raised && sig as u32 != bindings::SIGTRAP;
    context::enter(|ctx| (handlers.signal)(ctx, regs, by_itself));
    raised
}

#[no_mangle]
extern "C" fn kapi_user_is_traced(mm: u64) -> bool {
    let Some(handlers) = HANDLERS.as_ref() else { return false };
    context::enter(|ctx| (handlers.is_traced)(ctx, mm)).unwrap_or(false)
}

#[no_mangle]
extern "C" fn kapi_user_forked(parent: u64) {
    if let Some(handlers) = HANDLERS.as_ref() {
        (handlers.forked)(parent);
    }
}

#[no_mangle]
extern "C" fn kapi_user_ended() {
    if let Some(handlers) = HANDLERS.as_ref() {
        (handlers.ended)();
    }
}

#[no_mangle]
extern "C" fn kapi_user_shadowed() {
    if let Some(handlers) = HANDLERS.as_ref() {
        (handlers.shadowed)();
    }
}

#[no_mangle]
extern "C" fn kapi_user_again() {
    if let Some(handlers) = HANDLERS.as_ref() {
        (handlers.again)();
    }
}
