// SPDX-License-Identifier: GPL-2.0
//! System calls: the functions that serve them, and their arguments.

use crate::symbols;
use crate::sys;
use crate::task;
use core::ffi::CStr;
use core::ops::Range;
use kernel::prelude::*;

/// The way into the kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Abi {
    /// The one of 64-bit processes.
    X64,
    /// The one of 32-bit processes, and of `int $0x80` in others.
    Ia32,
}

impl Abi {
    /// Both.
    pub const ALL: [Self; 2] = [Self::X64, Self::Ia32];

    fn is_ia32(self) -> bool {
        self == Self::Ia32
    }

    /// Returns a number that is larger than all call numbers.
    pub fn count(self) -> u32 {
        sys::kapi_syscall_count(self.is_ia32())
    }

    /// Returns the function that serves this number.
    pub fn symbol(self, number: u32) -> Option<&'static CStr> {
        let symbol = sys::kapi_syscall_symbol(self.is_ia32(), number);
        if symbol.is_null() {
            return None;
        }
        // SAFETY: `symbol` is a string of a constant table.
        Some(unsafe { CStr::from_char_ptr(symbol) })
    }

    /// Returns the six arguments of a call. On entry to every call the registers of the process are
    /// at the end of the task's stack, so they can be read if, and only if, the function was passed
    /// that address: `regs` is the argument of its function. Returns zeroes
    /// if `regs` is not what a system call of this task gets.
    ///
    /// # Context
    ///
    /// *any*
    #[inline]
    pub fn args(self, regs: u64) -> [u64; 6] {
        let saved = task::registers();
        if saved as u64 != regs {
            return [0; 6];
        }
        // SAFETY: the registers stay as long as this code runs on behalf of the task.
        let r = unsafe { &*saved };
        match self {
            Self::X64 => [r.di, r.si, r.dx, r.r10, r.r8, r.r9].map(|word| word as u64),
            Self::Ia32 => [r.bx, r.cx, r.dx, r.si, r.di, r.bp].map(|word| u64::from(word as u32)),
        }
    }
}

/// Returns the number of the system call that the task is in, if it is in one.
///
/// # Context
///
/// *any*
#[inline]
pub fn number() -> u32 {
    // SAFETY: the registers stay as long as this code runs on behalf of the task.
    unsafe { (*task::registers()).orig_ax as u32 }
}

/// The functions that call, or jump to, the functions that serve system calls.
const OF_X64: [&CStr; 2] = [c"do_syscall_64", c"x64_sys_call"];
const OF_IA32: [&CStr; 7] = [
    c"__do_fast_syscall_32",
    c"do_fast_syscall_32",
    c"do_int80_emulation",
    c"int80_emulation",
    c"fred_int80_emulation",
    c"ia32_sys_call",
    c"do_SYSENTER_32",
];

/// The places to which a function returns whose return address another tracer has replaced.
const REPLACED: [&CStr; 2] = [c"return_to_handler", c"arch_rethook_trampoline"];

/// The code that calls the functions of system calls.
#[derive(Default)]
pub struct Dispatchers {
    x64: [Range<u64>; OF_X64.len()],
    ia32: [Range<u64>; OF_IA32.len()],
    replaced: [Range<u64>; REPLACED.len()],
    /// The kernel's own text. Outside of it are the trampolines of BPF, which call a function that a
    /// program traces. A module cannot call the functions of system calls.
    kernel: Range<u64>,
}

impl Dispatchers {
    /// Finds this code in the running kernel.
    ///
    /// # Context
    ///
    /// *process*
    pub fn find() -> Self {
        let range = |name| symbols::extent(name).unwrap_or(0..0);
        Self {
            x64: OF_X64.map(range),
            ia32: OF_IA32.map(range),
            replaced: REPLACED.map(range),
            kernel: symbols::text_range().unwrap_or(0..u64::MAX),
        }
    }

    /// Tells which kind of system call a function has served if it returns to this address. If
    /// another tracer stands between the two, the thread knows.
    ///
    /// # Context
    ///
    /// *any*
    #[inline]
    pub fn abi(&self, addr: u64) -> Option<Abi> {
        if self.x64.iter().any(|r| r.contains(&addr)) {
            return Some(Abi::X64);
        }
        self.rare(addr)
    }

    /// A function of its own, so that the usual case saves no registers for it.
    #[cold]
    #[inline(never)]
    fn rare(&self, addr: u64) -> Option<Abi> {
        if self.ia32.iter().any(|r| r.contains(&addr)) {
            return Some(Abi::Ia32);
        }
        let is_replaced =
            !self.kernel.contains(&addr) || self.replaced.iter().any(|r| r.contains(&addr));
        is_replaced.then(|| if sys::kapi_syscall_is_ia32() { Abi::Ia32 } else { Abi::X64 })
    }
}
