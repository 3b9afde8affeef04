// SPDX-License-Identifier: GPL-2.0
//! System calls: which functions serve them, and what a process passed.

use crate::symbols;
use crate::sys;
use core::ffi::CStr;
use core::ops::Range;
use kernel::prelude::*;

/// Which way into the kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Abi {
    /// That of 64-bit processes.
    X64,
    /// That of 32-bit processes, `int $0x80` of others too.
    Ia32,
}

impl Abi {
    /// Both.
    pub const ALL: [Self; 2] = [Self::X64, Self::Ia32];

    fn is_ia32(self) -> bool {
        self == Self::Ia32
    }

    /// All numbers are below this.
    pub fn count(self) -> u32 {
        sys::kapi_syscall_count(self.is_ia32())
    }

    /// The function that serves a number.
    pub fn symbol(self, number: u32) -> Option<&'static CStr> {
        let symbol = sys::kapi_syscall_symbol(self.is_ia32(), number);
        if symbol.is_null() {
            return None;
        }
        // SAFETY: a string of the table, which is constant.
        Some(unsafe { CStr::from_char_ptr(symbol) })
    }

    /// The six arguments of a call; `regs` is what its function was passed. Zeroes, if that is not
    /// what a system call of this task is passed.
    ///
    /// # Context
    ///
    /// *any*
    #[inline]
    pub fn args(self, regs: u64) -> [u64; 6] {
        let mut args = [0; 6];
        // SAFETY: six words are written at most.
        unsafe { sys::kapi_syscall_args(regs, self.is_ia32(), args.as_mut_ptr()) };
        args
    }
}

/// The number of the call that the task is in, if it is in one.
///
/// # Context
///
/// *any*
#[inline]
pub fn number() -> u32 {
    sys::kapi_syscall_number()
}

/// The functions that call those which serve system calls, or jump to them.
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

/// Where calls of system calls come from.
#[derive(Default)]
pub struct Dispatchers {
    x64: [Range<u64>; OF_X64.len()],
    ia32: [Range<u64>; OF_IA32.len()],
}

impl Dispatchers {
    /// Those of this kernel.
    ///
    /// # Context
    ///
    /// *process*
    pub fn find() -> Self {
        let range = |name| symbols::extent(name).unwrap_or(0..0);
        Self { x64: OF_X64.map(range), ia32: OF_IA32.map(range) }
    }

    /// Whose call a function has served that returns there, if it has.
    ///
    /// # Context
    ///
    /// *any*
    #[inline]
    pub fn abi(&self, addr: u64) -> Option<Abi> {
        if self.x64.iter().any(|r| r.contains(&addr)) {
            return Some(Abi::X64);
        }
        self.ia32.iter().any(|r| r.contains(&addr)).then_some(Abi::Ia32)
    }
}
