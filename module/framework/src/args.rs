// SPDX-License-Identifier: GPL-2.0
//! Arguments of a firing probe: a view, nothing copied.
//!
//! A provider hands them down with the firing, so nobody calls back into it to ask for more.

use kapi::nofault;
use kapi::syscall::Abi;

/// What `arg0` .. `arg9` and `args[]` read.
#[derive(Clone, Copy)]
pub struct Args<'a> {
    values: &'a [u64],
    /// Where those behind `values` stand in memory, a multiple of 8; 0: there are none. What else it can
    /// be is told by its lowest bits.
    stack: u64,
}

/// Arguments that a function is believed to have at most: what lies behind them on its caller's
/// stack is somebody else's.
const MOST: u64 = 32;

/// The values are an [`Outcome`]: there is no address.
const OUTCOME: u64 = 1;
/// It is the address of the registers of a system call.
const CALL_X64: u64 = 2;
const CALL_IA32: u64 = 3;
/// It is an address of the process's, whose words have 8 bytes.
const USER: u64 = 4;
/// The same with 4.
const NARROW: u64 = 5;
/// The values are where a function returns, and with what.
const RETURN: u64 = 6;
/// The values are registers, in the order of [`PASSED`].
const REGISTERS: u64 = 7;
/// Those bits.
const WHAT: u64 = 7;

/// Places of registers in `struct pt_regs`: the six that functions pass arguments in, and those that only
/// probes of drivers do: rdi, rsi, rdx, rcx, r8, r9, r10, r11.
const PASSED: [u32; 8] = [14, 13, 12, 11, 9, 8, 7, 6];
/// That of the one that values are returned in: rax.
const RETURNED: u32 = 10;

/// What a system call has come to: the value, twice, as the process sees it, and the error.
pub struct Outcome([u64; 3]);

impl Outcome {
    /// Of what the kernel returns: an error is its negative number.
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

    /// Values in order; what lies beyond reads 0.
    #[inline]
    pub const fn values(values: &'a [u64]) -> Self {
        Self { values, stack: 0 }
    }

    /// Of a function that was just entered: six in registers, the seventh at address `stack` and the
    /// others behind it.
    #[inline]
    pub const fn entry(regs: &'a [u64; 6], stack: u64) -> Self {
        Self { values: regs, stack }
    }

    /// Of a place that passes these, the next at address `stack` and the others behind it.
    #[inline]
    pub const fn passed_on(values: &'a [u64; 5], stack: u64) -> Self {
        Self { values, stack }
    }

    /// Of a function of a program that was just entered: those in registers, the others at `stack`, in
    /// words of 8 bytes, or of 4 in 32-bit code.
    #[inline]
    pub const fn program(regs: &'a [u64], stack: u64, is_wide: bool) -> Self {
        // Of 4 bytes, words may stand at any multiple of 4.
        let (what, stack) =
            if is_wide { (USER, stack & !WHAT) } else { (NARROW, stack << 1 & !WHAT) };
        Self { values: regs, stack: stack | what }
    }

    /// Of a probe in the middle of a function: in rdi, rsi, rdx, rcx, r8, r9, r10, r11.
    #[inline]
    pub const fn registers(values: &'a [u64]) -> Self {
        Self { values, stack: REGISTERS }
    }

    /// Of a function that returns: where it does, and with what.
    #[inline]
    pub const fn returned(values: &'a [u64; 2]) -> Self {
        Self { values, stack: RETURN }
    }

    /// Of a system call; `regs` is what its function was passed.
    #[inline]
    pub const fn call(abi: Abi, regs: u64) -> Self {
        let what = match abi {
            Abi::X64 => CALL_X64,
            Abi::Ia32 => CALL_IA32,
        };
        Self { values: &[], stack: regs & !WHAT | what }
    }

    /// Of a system call that is over.
    #[inline]
    pub const fn outcome(of: &'a Outcome) -> Self {
        Self { values: &of.0, stack: OUTCOME }
    }

    /// The error that a system call ended with; 0 if it did not, and for every other probe.
    pub fn errno(&self) -> u64 {
        match *self.values {
            [_, _, errno, ..] if self.stack == OUTCOME => errno,
            _ => 0,
        }
    }

    /// The register of this place in `struct pt_regs`, if it is one that tells of the arguments.
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

    /// Of [`Self::split`].
    #[inline(always)]
    pub(crate) const fn joined(values: &'a [u64], stack: u64) -> Self {
        Self { values, stack }
    }

    /// Argument `n`, 0 if the probe has none.
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

    /// Argument `n`, in words of this width on the stack.
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

/// Whose memory.
type Read = fn(u64, &mut [u8]) -> Result<(), nofault::BadAddr>;
