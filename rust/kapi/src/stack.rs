// SPDX-License-Identifier: GPL-2.0
//! Stacks: who called whom up to the probe that fires.
//!
//! Kernel frames come from the kernel's own unwinder; where it loses its way, the stack ends. User
//! frames come by frame pointers: a program built without them shows its innermost function only.

use crate::context::ProbeCtx;
use crate::sys;
use crate::task;
use core::ptr;

/// Where a kernel stack begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Start {
    /// Where the probe is, without so many frames.
    Here(u8),
    /// Where an interrupt came, if it came in the kernel.
    Interrupt,
    /// Where the kernel serves a probe of a program.
    Program {
        /// It is the first instruction of a function: there is no frame yet.
        entered: bool,
    },
}

impl Start {
    fn entered(self) -> bool {
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

/// Frames that fit, 8 bytes each.
fn room(into: &[u8]) -> u32 {
    // CAST: records are far smaller.
    (into.len() >> 3) as u32
}

/// Fills `into` with return addresses, 8 bytes each, the innermost first; gives their number. What is
/// behind them stays as it is.
///
/// # Context
///
/// *probe*
pub fn kernel(_: &ProbeCtx, start: Start, into: &mut [u8]) -> usize {
    let (skip, interrupt) = start.words();
    // SAFETY: `into` takes as many frames; in probe context by the evidence.
    let n = unsafe { sys::kapi_stack_kernel(into.as_mut_ptr(), room(into), skip, interrupt) };
    n as usize
}

/// How many frames [`kernel`] would find, `most` at most.
///
/// # Context
///
/// *probe*
pub fn kernel_depth(_: &ProbeCtx, start: Start, most: u32) -> usize {
    let (skip, interrupt) = start.words();
    // SAFETY: null; in probe context by the evidence.
    let n = unsafe { sys::kapi_stack_kernel(ptr::null_mut(), most, skip, interrupt) };
    n as usize
}

/// A register where the probe is, by its place in `struct pt_regs`. `None`: there is no such one, or nobody
/// has kept it: of a probe that was called only the place and the stack pointer are known.
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
    // SAFETY: in probe context by the evidence.
    unsafe { sys::kapi_stack_register(n, interrupt, &mut value) }.then_some(value)
}

/// As [`kernel`], for the process: from where it came into the kernel.
///
/// # Context
///
/// *probe*
pub fn user(_: &ProbeCtx, start: Start, into: &mut [u8]) -> usize {
    // SAFETY: `into` takes as many frames; in probe context by the evidence.
    let n = unsafe { sys::kapi_stack_user(into.as_mut_ptr(), room(into), start.entered()) };
    n as usize
}

/// How many frames [`user`] would find, `most` at most.
///
/// # Context
///
/// *probe*
pub fn user_depth(_: &ProbeCtx, start: Start, most: u32) -> usize {
    // SAFETY: null; in probe context by the evidence.
    let n = unsafe { sys::kapi_stack_user(ptr::null_mut(), most, start.entered()) };
    n as usize
}
