// SPDX-License-Identifier: GPL-2.0
//! The arguments of a firing probe, as a view without copies.
//!
//! A provider passes them with the firing, so no code calls it back for more.

use nosleep::nofault;
use nosleep::syscall::Abi;

/// The values of `arg0` .. `arg9` and `args[]`. Arguments that a probe does not have read 0.
#[derive(Clone, Copy)]
pub enum Args<'a> {
    /// These values, in order.
    Values(&'a [u64]),
    /// The arguments of a kernel function that was just entered.
    Entry {
        /// Those in registers.
        registers: &'a [u64; 6],
        /// The kernel address of the seventh, a multiple of 8; the others are after it.
        stack: u64,
    },
    /// Some values, and more on the kernel's stack.
    PassedOn {
        /// The first ones.
        values: &'a [u64; 5],
        /// The kernel address of the next, a multiple of 8; the others are after it.
        stack: u64,
    },
    /// The arguments of a program's function that was just entered.
    Program {
        /// Those in registers.
        registers: &'a [u64],
        /// The address of the next in the process; the others are after it.
        stack: u64,
        /// The words there have 8 bytes, not 4 as in 32-bit code.
        is_wide: bool,
    },
    /// The registers that pass arguments to probes of drivers, in the order of [`PASSED`].
    Registers(&'a [u64]),
    /// The place where a function returns, and its value.
    Returned(&'a [u64; 2]),
    /// The arguments of a system call; the address is the argument of its function.
    Call(Abi, u64),
    /// The result of a system call.
    Outcome(&'a Outcome),
}

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

/// The places in `struct pt_regs` of the registers that pass arguments: six for functions, all for
/// probes of drivers: rdi, rsi, rdx, rcx, r8, r9, r10, r11.
pub const PASSED: [u32; 8] = [14, 13, 12, 11, 9, 8, 7, 6];
/// The place of the register that returns values: rax.
const RETURNED: u32 = 10;

impl<'a> Args<'a> {
    /// No arguments: BEGIN, END.
    pub const NONE: Self = Self::Values(&[]);

    /// Packs them.
    #[inline(always)]
    pub const fn pack(self) -> Packed<'a> {
        let (values, stack): (&[u64], u64) = match self {
            Self::Values(values) => (values, 0),
            Self::Entry { registers, stack } => (registers, stack),
            Self::PassedOn { values, stack } => (values, stack),
            Self::Program { registers, stack, is_wide: true } => (registers, stack & !WHAT | USER),
            // Words of 4 bytes may be at any multiple of 4.
            Self::Program { registers, stack, is_wide: false } => {
                (registers, stack << 1 & !WHAT | NARROW)
            }
            Self::Registers(values) => (values, REGISTERS),
            Self::Returned(values) => (values, RETURN),
            Self::Call(Abi::X64, regs) => (&[], regs & !WHAT | CALL_X64),
            Self::Call(Abi::Ia32, regs) => (&[], regs & !WHAT | CALL_IA32),
            Self::Outcome(outcome) => (&outcome.0, OUTCOME),
        };
        Packed { values, stack }
    }
}

impl<'a> From<Args<'a>> for Packed<'a> {
    #[inline(always)]
    fn from(args: Args<'a>) -> Self {
        args.pack()
    }
}

/// [`Args`] in three words, which are passed in registers: the cheapest firings cost a hundred
/// instructions, so they must not copy arguments to the stack.
#[derive(Clone, Copy)]
pub struct Packed<'a> {
    values: &'a [u64],
    /// The address of the arguments after `values`, a multiple of 8; 0: there are none. The lowest
    /// bits select its other meanings.
    stack: u64,
}

/// The values are an [`Outcome`]: there is no address.
const OUTCOME: u64 = 1;
/// The address is that of the registers of a system call.
const CALL_X64: u64 = 2;
const CALL_IA32: u64 = 3;
/// The address is one of the process, with words of 8 bytes.
const USER: u64 = 4;
/// The address is twice one of the process, with words of 4 bytes.
const NARROW: u64 = 5;
/// The values are the place where a function returns, and its value.
const RETURN: u64 = 6;
/// The values are registers, in the order of [`PASSED`].
const REGISTERS: u64 = 7;
/// The mask of these bits.
const WHAT: u64 = 7;

/// The most arguments of a function; the words after them on the caller's stack have other uses.
const MOST: u64 = 32;

impl<'a> Packed<'a> {
    /// Returns the two parts.
    #[inline(always)]
    pub(crate) const fn split(self) -> (&'a [u64], u64) {
        (self.values, self.stack)
    }

    /// Joins the parts that [`Self::split`] returns.
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

    /// Tells whether argument `n` is in the program's memory, where other threads can change it.
    pub(crate) fn is_program_s(&self, n: u64) -> bool {
        n >= self.values.len() as u64 && matches!(self.stack & WHAT, USER | NARROW)
    }

    #[cold]
    fn stacked(&self, n: u64) -> u64 {
        let call = |abi: Abi| {
            let args = abi.args(self.stack & !WHAT);
            usize::try_from(n).ok().and_then(|n| args.get(n).copied()).unwrap_or(0)
        };
        match self.stack & WHAT {
            0 if self.stack == 0 => 0,
            0 => self.word(n, self.stack, 8, nofault::read_kernel),
            CALL_X64 => call(Abi::X64),
            CALL_IA32 => call(Abi::Ia32),
            USER => self.word(n, self.stack & !WHAT, 8, nofault::read_user),
            NARROW => self.word(n, (self.stack & !WHAT) >> 1, 4, nofault::read_user),
            _ => 0,
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

    /// Returns the error of a system call; 0 without an error, and for every other probe.
    pub(crate) fn errno(&self) -> u64 {
        match *self.values {
            [_, _, errno, ..] if self.stack == OUTCOME => errno,
            _ => 0,
        }
    }

    /// Returns the register at this place in `struct pt_regs`, if the arguments contain it.
    pub(crate) fn register(&self, n: u32) -> Option<u64> {
        let passed = || self.values.get(PASSED.iter().position(|place| *place == n)?).copied();
        match (self.stack & WHAT, self.values) {
            (OUTCOME, &[value, _, errno]) if n == RETURNED => {
                Some(if errno == 0 { value } else { errno.wrapping_neg() })
            }
            (RETURN, &[_, value]) if n == RETURNED => Some(value),
            (CALL_X64 | CALL_IA32, []) if n == PASSED[0] => Some(self.stack & !WHAT),
            (0, [_, _, _, _, _, _]) if self.stack != 0 => passed(),
            (REGISTERS, _) => passed(),
            _ => None,
        }
    }
}

/// The function that reads the memory.
type Read = fn(u64, &mut [u8]) -> Result<(), nofault::BadAddr>;
