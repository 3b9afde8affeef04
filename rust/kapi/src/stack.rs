// SPDX-License-Identifier: GPL-2.0
//! Stacks: the calls that led to the firing probe.
//!
//! Kernel frames come from the kernel's own unwinder; where it fails, the stack ends. For the
//! frames of the process, this module returns the start and the mappings.

use crate::context::ProbeCtx;
use crate::sys;
pub use crate::sys::Mapping;
use crate::task;
use core::ptr;

/// The place where a kernel stack begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Start {
    /// At the probe, without this number of frames.
    Here(u8),
    /// At the interrupted place, if it is in the kernel.
    Interrupt,
    /// At the place where the kernel serves a probe of a program.
    Program {
        /// The probe is on the first instruction of a function, so there is no frame yet.
        entered: bool,
    },
}

impl Start {
    /// Tells whether there is no frame yet: then the return address is on top of the stack.
    pub fn entered(self) -> bool {
        matches!(self, Self::Program { entered: true })
    }

    fn words(self) -> (u32, bool) {
        match self {
            Self::Here(skip) => (skip.into(), false),
            Self::Interrupt => (0, true),
            Self::Program { .. } => (0, false),
        }
    }
}

/// Returns how many frames of 8 bytes fit.
fn room(into: &[u8]) -> u32 {
    // CAST: records are far smaller than 2^35 bytes.
    (into.len() >> 3) as u32
}

/// Fills `into` with return addresses, 8 bytes each, the innermost first, and returns their number.
/// The rest of `into` is unchanged.
///
/// # Context
///
/// *probe*
pub fn kernel(_: &ProbeCtx, start: Start, into: &mut [u8]) -> usize {
    let (skip, interrupt) = start.words();
    // SAFETY: `into` has room for that many frames; the `ProbeCtx` proves probe context.
    let n = unsafe { sys::kapi_stack_kernel(into.as_mut_ptr(), room(into), skip, interrupt) };
    n as usize
}

/// Returns how many frames [`kernel`] would find, at most `most`.
///
/// # Context
///
/// *probe*
pub fn kernel_depth(_: &ProbeCtx, start: Start, most: u32) -> usize {
    let (skip, interrupt) = start.words();
    // SAFETY: with null nothing is written; the `ProbeCtx` proves probe context.
    let n = unsafe { sys::kapi_stack_kernel(ptr::null_mut(), most, skip, interrupt) };
    n as usize
}

/// Returns a register at the probe, by its place in `struct pt_regs`. `None`: there is no such
/// register, or it was not saved; for a probe that was called, only the place and the stack pointer
/// are known.
///
/// # Context
///
/// *probe*
pub fn register(_: &ProbeCtx, start: Start, n: u32) -> Option<u64> {
    if matches!(start, Start::Program { .. }) {
        return task::register(n);
    }
    let (_, interrupt) = start.words();
    let mut value = 0;
    // SAFETY: the `ProbeCtx` proves probe context.
    unsafe { sys::kapi_stack_register(n, interrupt, &mut value) }.then_some(value)
}

/// The place from which the process entered the kernel.
#[derive(Debug, Clone, Copy)]
pub struct Came {
    /// Its instruction pointer.
    pub ip: u64,
    /// Its stack pointer.
    pub sp: u64,
    /// rbp.
    pub bp: u64,
    /// It ran 64-bit code.
    pub wide: bool,
    /// It made a system call: `ip` is after that instruction.
    pub called: bool,
}

/// The selector of 64-bit user code.
const USER_CS: u64 = 0x33;

/// Returns the place from which the process entered the kernel. `None`: this is a kernel thread, or
/// one that ends.
///
/// # Context
///
/// *probe*
pub fn came(_: &ProbeCtx) -> Option<Came> {
    let [ip, sp, bp, cs, call] = [16, 19, 4, 17, 15].map(task::register);
    // CAST: it is a system call's number, or negative.
    let called = call? as i64 >= 0;
    Some(Came { ip: ip?, sp: sp?, bp: bp?, wide: cs? == USER_CS, called })
}

/// Returns a register of the process, by its number in DWARF.
///
/// # Context
///
/// *probe*
pub fn came_with(_: &ProbeCtx, n: u8) -> Option<u64> {
    const PLACES: [u8; 16] = [10, 12, 11, 5, 13, 14, 4, 19, 9, 8, 7, 6, 3, 2, 1, 0];
    task::register((*PLACES.get(usize::from(n))?).into())
}

/// Returns the code that is mapped at an address of the current process.
///
/// # Context
///
/// *probe*
pub fn mapping(_: &ProbeCtx, addr: u64) -> Option<Mapping> {
    let mut found = Mapping::default();
    sys::kapi_stack_mapping(addr, &mut found).then_some(found)
}
