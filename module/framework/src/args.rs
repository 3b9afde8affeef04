// SPDX-License-Identifier: GPL-2.0
//! The arguments of a firing probe, as a view without copies.
//!
//! A provider passes them with the firing, so no code calls it back for more.

use kapi::nofault;
use kapi::syscall::Abi;

/// The values of `arg0` .. `arg9` and `args[]`.
#[derive(Clone, Copy)]
pub struct Args<'a> {
    values: &'a [u64],
    /// The address of the arguments after `values`, a multiple of 8; 0: there are none. The lowest
    /// bits select its other meanings.
    stack: u64,
}

/// The most arguments of a function; the words after them on the caller's stack have other uses.
const MOST: u64 = 32;

/// The values are an [`Outcome`]: there is no address.
const OUTCOME: u64 = 1;
/// The address is that of the registers of a system call.
const CALL_X64: u64 = 2;
const CALL_IA32: u64 = 3;
/// The address is one of the process, with words of 8 bytes.
const USER: u64 = 4;
/// The address is one of the process, with words of 4 bytes.
const NARROW: u64 = 5;
/// The values are the place where a function returns, and its value.
const RETURN: u64 = 6;
/// The values are registers, in the order of [`PASSED`].
const REGISTERS: u64 = 7;
/// The mask of these bits.
const WHAT: u64 = 7;

/// The places in `struct pt_regs` of the registers that pass arguments: six for functions, all for
/// probes of drivers: rdi, rsi, rdx, rcx, r8, r9, r10, r11.
const PASSED: [u32; 8] = [14, 13, 12, 11, 9, 8, 7, 6];
/// The place of the register that returns values: rax.
const RETURNED: u32 = 10;

/// The result of a system call: the value as the process sees it, twice, and the error.
pub struct Outcome([u64; 3]);

impl Outcome {
    /// Creates it from the kernel's return value, in which an error is negative.
    #[inline]
    pub fn of(value: u64) -> Self {
        match value.wrapping_neg() {
            errno @ 1..=4095 => Self([u64::MAX, u64::MAX, errno]),
            _ => Self([value, value, 0]),
        }
    }
}

impl<'a> Args<'a> {
    /// No arguments: BEGIN, END.
    pub const NONE: Self = Self { values: &[], stack: 0 };

    /// Creates arguments from values in order; further arguments read 0.
    #[inline]
    pub const fn values(values: &'a [u64]) -> Self {
        Self { values, stack: 0 }
    }

    /// Creates the arguments of a function that was just entered: six in registers, the seventh at
    /// address `stack`, the others after it.
    #[inline]
    pub const fn entry(regs: &'a [u64; 6], stack: u64) -> Self {
        Self { values: regs, stack }
    }

    /// Creates arguments from these values, the next one at address `stack` and the others after
    /// it.
    #[inline]
    pub const fn passed_on(values: &'a [u64; 5], stack: u64) -> Self {
        Self { values, stack }
    }

    /// Creates the arguments of a program's function that was just entered: those in registers, the
    /// others at `stack`, in words of 8 bytes, or of 4 bytes in 32-bit code.
    #[inline]
    pub const fn program(regs: &'a [u64], stack: u64, is_wide: bool) -> Self {
        // Words of 4 bytes may be at any multiple of 4.
        let (what, stack) =
            if is_wide { (USER, stack & !WHAT) } else { (NARROW, stack << 1 & !WHAT) };
        Self { values: regs, stack: stack | what }
    }

    /// Creates the arguments of a probe in the middle of a function: rdi, rsi, rdx, rcx, r8, r9,
    /// r10, r11.
    #[inline]
    pub const fn registers(values: &'a [u64]) -> Self {
        Self { values, stack: REGISTERS }
    }

    /// Creates the arguments of a function's return: its place and its value.
    #[inline]
    pub const fn returned(values: &'a [u64; 2]) -> Self {
        Self { values, stack: RETURN }
    }

    /// Creates the arguments of a system call; `regs` is the argument of its function.
    #[inline]
    pub const fn call(abi: Abi, regs: u64) -> Self {
        let what = match abi {
            Abi::X64 => CALL_X64,
            Abi::Ia32 => CALL_IA32,
        };
        Self { values: &[], stack: regs & !WHAT | what }
    }

    /// Creates the arguments of a system call's return.
    #[inline]
    pub const fn outcome(of: &'a Outcome) -> Self {
        Self { values: &of.0, stack: OUTCOME }
    }

    /// Returns the error of a system call; 0 without an error, and for every other probe.
    pub fn errno(&self) -> u64 {
        match *self.values {
            [_, _, errno, ..] if self.stack == OUTCOME => errno,
            _ => 0,
        }
    }

    /// Returns the register at this place in `struct pt_regs`, if the arguments contain it.
    pub fn register(&self, n: u32) -> Option<u64> {
        match (self.stack & WHAT, self.values) {
            (OUTCOME, &[value, _, errno]) if n == RETURNED => {
                Some(if errno == 0 { value } else { errno.wrapping_neg() })
            }
            (RETURN, &[_, value]) if n == RETURNED => Some(value),
            (CALL_X64 | CALL_IA32, []) if n == PASSED[0] => Some(self.stack & !WHAT),
            (0, values @ [_, _, _, _, _, _]) if self.stack != 0 => Self::passed(values, n),
            (REGISTERS, values) => Self::passed(values, n),
            _ => None,
        }
    }

    fn passed(values: &[u64], n: u32) -> Option<u64> {
        values.get(PASSED.iter().position(|place| *place == n)?).copied()
    }

    /// The two parts.
    #[inline(always)]
    pub(crate) const fn split(self) -> (&'a [u64], u64) {
        (self.values, self.stack)
    }

    /// Joins what [`Self::split`] returns.
    #[inline(always)]
    pub(crate) const fn joined(values: &'a [u64], stack: u64) -> Self {
        Self { values, stack }
    }

    /// Returns argument `n`, or 0 if the probe has none.
    #[inline]
    pub fn get(&self, n: u64) -> u64 {
        match usize::try_from(n).ok().and_then(|n| self.values.get(n)) {
            Some(&value) => value,
            None => self.stacked(n),
        }
    }

    #[cold]
    fn stacked(&self, n: u64) -> u64 {
        let call = |abi: Abi| {
            let args = abi.args(self.stack & !WHAT);
            usize::try_from(n).ok().and_then(|n| args.get(n).copied()).unwrap_or(0)
        };
        match self.stack & WHAT {
            0 => {}
            CALL_X64 => return call(Abi::X64),
            CALL_IA32 => return call(Abi::Ia32),
            USER => return self.word(n, self.stack & !WHAT, 8, nofault::read_user),
            NARROW => return self.word(n, (self.stack & !WHAT) >> 1, 4, nofault::read_user),
            _ => return 0,
        }
        match self.stack {
            0 => 0,
            stack => self.word(n, stack, 8, nofault::read_kernel),
        }
    }

    /// Reads argument `n` from words of this width on the stack.
    fn word(&self, n: u64, stack: u64, width: usize, read: Read) -> u64 {
        if n >= MOST {
            return 0;
        }
        let behind = n.wrapping_sub(self.values.len() as u64).wrapping_mul(width as u64);
        let mut bytes = [0; 8];
        match read(stack.wrapping_add(behind), bytes.get_mut(..width).unwrap_or_default()) {
            Ok(()) => u64::from_le_bytes(bytes),
            Err(_) => 0,
        }
    }
}

/// The function that reads the memory.
type Read = fn(u64, &mut [u8]) -> Result<(), nofault::BadAddr>;
