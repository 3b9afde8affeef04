// SPDX-License-Identifier: GPL-2.0
//! Stacks: who called whom up to the probe that fires.
//!
//! Kernel frames come from the kernel's own unwinder; where it loses its way, the stack ends. For those of
//! the process, here is where they begin, and what is mapped where.

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
    /// There is no frame yet: the return address is on top of the stack.
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

/// Where the process was when it came into the kernel.
#[derive(Debug, Clone, Copy)]
pub struct Came {
    /// Its instruction.
    pub ip: u64,
    /// Its stack pointer.
    pub sp: u64,
    /// rbp.
    pub bp: u64,
    /// It was code of 64 bits.
    pub wide: bool,
    /// By a system call: `ip` is behind that instruction.
    pub called: bool,
}

/// The selector of user code of 64 bits.
const USER_CS: u64 = 0x33;

/// `None`: a thread of the kernel's, or one that ends.
///
/// # Context
///
/// *probe*
pub fn came(_: &ProbeCtx) -> Option<Came> {
    let [ip, sp, bp, cs, call] = [16, 19, 4, 17, 15].map(task::register);
    // CAST: it is the number of a call, or negative.
    let called = call? as i64 >= 0;
    Some(Came { ip: ip?, sp: sp?, bp: bp?, wide: cs? == USER_CS, called })
}

/// A register of the process, by its number in DWARF.
///
/// # Context
///
/// *probe*
pub fn came_with(_: &ProbeCtx, n: u8) -> Option<u64> {
    const PLACES: [u8; 16] = [10, 12, 11, 5, 13, 14, 4, 19, 9, 8, 7, 6, 3, 2, 1, 0];
    task::register((*PLACES.get(usize::from(n))?).into())
}

/// Code that is mapped. The kernel's helpers fill it.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
pub struct Mapping {
    /// Its first address.
    pub start: u64,
    /// The first behind it.
    pub end: u64,
    /// Where in the file it begins.
    pub offset: u64,
    /// The file, by its number,
    pub inode: u64,
    /// when it was changed,
    pub modified_s: i64,
    /// to the nanosecond,
    pub modified_ns: i64,
    /// and its file system. All zero: the vDSO.
    pub device: u32,
    /// It is of a file, or the vDSO.
    pub is_object: bool,
}

/// The code that is mapped at an address of the current process.
///
/// # Context
///
/// *probe*
pub fn mapping(_: &ProbeCtx, addr: u64) -> Option<Mapping> {
    let mut found = Mapping::default();
    sys::kapi_stack_mapping(addr, &mut found).then_some(found)
}
