// SPDX-License-Identifier: GPL-2.0
//! Replacements for instructions of user programs under a breakpoint.
//!
//! An instruction that only determines where control continues is emulated, with the registers that
//! the breakpoint saved: [`plan`] returns what to do. All others run elsewhere, and so does an
//! emulated one if emulation fails (the stack's page is not present): [`fn@slot`] makes the code. A
//! slot serves all threads at once: it ends in a jump back, needs no register and no memory of its
//! own, and leaves memory below the stack pointer alone. If a thread is found in a slot (a signal,
//! a fault, a debugger), [`Slot::place`] returns how far the original instruction has got.
//!
//! ```text
//!   most                 the instruction, its %rip-relative displacement fixed      jmp next
//!   jcc, loop, jrcxz     the same over a short distance: L                          jmp next;  L: jmp target
//!   xbegin               xbegin L                                                   jmp next;  L: jmp target
//!   jmp                                                                             jmp target
//!   ret, jmp *           as it is
//!   call                 push low half of next;  mov its high half, 4(%rsp);        jmp target
//!   call *%rax           push, mov as above;  jmp *%rax
//!   call *%rsp, *memory  push what is called;  push (%rsp);  movs next, 8(%rsp);  ret
//!   syscall              syscall;  mov next, %rcx                                   jmp next
//! ```
//!
//! The last of the calls loads its target before the return address is pushed, because the target
//! may be in the word that the push overwrites. No register and no other memory can hold it
//! meanwhile, so that sequence writes eight bytes below what the original would. Return addresses
//! are the original ones, so unwinders, Go and exceptions do not notice the slot.
//!
//! Instructions that a program may not execute also run displaced, and fault there as they would at
//! their place: privileged instructions, `ud2`, `int` of most vectors. `int $0x80`, `sysenter` and
//! a displaced `syscall` enter the kernel from the slot. To restart the system call, the kernel
//! goes back two bytes, to the instruction in the slot.
//!
//! Instructions that are refused ([`Cannot`]):
//!
//! | instruction | reason |
//! |---|---|
//! | `int3`, `int $3`, `int1` | they are for debuggers, which need their address |
//! | far calls | they push their address together with a code segment |
//! | near branches with a prefix 66 and no REX.W, in 64-bit mode | Intel's and AMD's CPUs decode them differently |
//! | `call` of 16 bits | it pushes two bytes of its address |
//! | `enclu` | the enclave gets an address to return to |
//!
//! Displacement is visible in the x87's record of the last instruction's address (`fnstenv`), and
//! in the address of a system call that seccomp filters, `ptrace` and syscall user dispatch see.

mod slot;

pub use slot::{slot, Place, Slot, SLOT_LEN};

use crate::{decode_into, Flow, MAX_LEN};
use iced_x86::{
    Code, ConditionCode, Decoder, DecoderOptions, Instruction, Mnemonic, OpKind, Register,
};

/// The mode in which the CPU decodes the code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// 64-bit mode.
    Bits64,
    /// 32-bit mode.
    Bits32,
}

/// The work to do in place of an instruction, step by step. `next` is the address behind the
/// instruction.
///
/// If memory is not accessible (`Call`, `Return`, `Push`, `JumpThrough`), or the address found is
/// no address of a program (`Return`, `JumpThrough`), do nothing but continue in the slot, where
/// the right fault happens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Act {
    /// Continue at `next`.
    Skip,
    /// Continue at `to`.
    Jump {
        /// The target.
        to: u64,
    },
    /// Continue at `to` if [`holds`], otherwise at `next`.
    Branch {
        /// The condition: the low four bits of the opcode.
        cc: u8,
        /// The target.
        to: u64,
    },
    /// Count and branch as [`count`] says.
    CountBranch {
        /// The kind of branch.
        by: Count,
        /// The number of bytes of rcx that count: 2, 4, 8.
        width: u8,
        /// The target.
        to: u64,
    },
    /// Push `next` (8 bytes in 64-bit mode, otherwise 4), and continue at `to`.
    Call {
        /// The target.
        to: u64,
    },
    /// Pop an address (8 bytes in 64-bit mode, otherwise 4) and `pops` bytes more, and continue at
    /// the address.
    Return {
        /// The number of additional bytes.
        pops: u16,
    },
    /// Push a register with its original value (8 bytes in 64-bit mode, otherwise 4), and continue
    /// at `next`.
    Push {
        /// The number of the register in encodings.
        reg: u8,
    },
    /// Continue at the address [`Operand::address`], or at the address stored there (8 bytes in
    /// 64-bit mode, otherwise 4).
    JumpThrough {
        /// The operand.
        by: Operand,
        /// The address is stored in memory.
        loads: bool,
    },
    /// Continue in the slot.
    Displaced,
}

/// The terms of an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Operand {
    /// The number of a register in encodings.
    base: Option<u8>,
    /// The number of a register and its factor.
    index: Option<(u8, u8)>,
    offset: u64,
    mode: Mode,
}

impl Operand {
    /// Returns the sum, for these registers.
    #[inline]
    pub fn address(&self, register: impl Fn(u8) -> u64) -> u64 {
        let base = self.base.map_or(0, &register);
        let index = self.index.map_or(0, |(n, by)| register(n).wrapping_mul(by.into()));
        let sum = self.offset.wrapping_add(base).wrapping_add(index);
        match self.mode {
            Mode::Bits64 => sum,
            Mode::Bits32 => sum & 0xffff_ffff,
        }
    }

    /// Returns the operand of a jump, and whether it is in memory. `None`: it has a segment of its
    /// own, or registers of another width.
    fn of_jump(insn: &Instruction, mode: Mode) -> Option<(Self, bool)> {
        let none = Self { base: None, index: None, offset: 0, mode };
        if insn.op0_kind() == OpKind::Register {
            return Some((Self { base: Some(number(insn.op0_register(), mode)?), ..none }, false));
        }
        let is_flat = match mode {
            Mode::Bits64 => !matches!(insn.memory_segment(), Register::FS | Register::GS),
            Mode::Bits32 => insn.segment_prefix() == Register::None,
        };
        let code = match mode {
            Mode::Bits64 => Code::Jmp_rm64,
            Mode::Bits32 => Code::Jmp_rm32,
        };
        if insn.op0_kind() != OpKind::Memory || !is_flat || insn.code() != code {
            return None;
        }
        let offset = insn.memory_displacement64();
        if insn.is_ip_rel_memory_operand() {
            return Some((Self { offset, ..none }, true));
        }
        let register = |r| match r {
            Register::None => Some(None),
            r => number(r, mode).map(Some),
        };
        let index = register(insn.memory_index())?;
        // CAST: 1, 2, 4, 8.
        let index = index.map(|n| (n, insn.memory_index_scale() as u8));
        Some((Self { base: register(insn.memory_base())?, index, offset, mode }, true))
    }
}

/// The kinds of branches that depend on rcx.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Count {
    /// `loop`: decrement; branch if the rest is not 0.
    Loop,
    /// `loope`: the same, if ZF is set.
    LoopEqual,
    /// `loopne`: the same, if ZF is clear.
    LoopUnequal,
    /// `jrcxz`: branch if the count is 0.
    Zero,
}

/// The work to do instead of an instruction of this length.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Plan {
    /// The work.
    pub act: Act,
    /// The length of the instruction in bytes.
    pub len: u8,
}

/// Why an instruction cannot be reproduced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cannot {
    /// There is no instruction.
    Undecodable,
    /// It cannot run at another address; the text says why.
    CannotMove(&'static str),
    /// It cannot run in this slot: its operand is more than 2 GiB away.
    TooFar,
}

/// Tells whether a condition of a `jcc`, `setcc`, `cmovcc` holds with these flags.
pub const fn holds(cc: u8, flags: u64) -> bool {
    let (cf, pf, zf) = (flags & 1 != 0, flags & 4 != 0, flags & 0x40 != 0);
    let (sf, of) = (flags & 0x80 != 0, flags & 0x800 != 0);
    let is = match cc >> 1 & 7 {
        0 => of,
        1 => cf,
        2 => zf,
        3 => cf | zf,
        4 => sf,
        5 => pf,
        6 => sf != of,
        _ => zf | (sf != of),
    };
    is != (cc & 1 != 0)
}

/// Returns the new rcx after a branch by rcx, and whether it branches.
pub const fn count(by: Count, width: u8, rcx: u64, flags: u64) -> (u64, bool) {
    let mask = match width {
        2 => 0xffff,
        4 => 0xffff_ffff,
        _ => u64::MAX,
    };
    if matches!(by, Count::Zero) {
        return (rcx, rcx & mask == 0);
    }
    let left = rcx.wrapping_sub(1) & mask;
    let is = match by {
        Count::LoopEqual => holds(4, flags),
        Count::LoopUnequal => holds(5, flags),
        _ => true,
    };
    // A write to ecx clears the rest of rcx; a write to cx does not.
    let kept = if width == 2 { rcx & !mask } else { 0 };
    (kept | left, is && left != 0)
}

/// The kinds of instructions, by their treatment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Nop,
    Push(u8),
    Jump,
    Branch(u8),
    CountBranch(Count, u8),
    Begin,
    Call,
    /// A call through a register that a push does not change.
    CallRegister,
    /// A call whose target must be read before the push: through memory or the stack pointer.
    CallLoaded,
    Return(u16),
    Syscall,
    /// Continues elsewhere, never at the next instruction.
    Leaves,
    Plain,
}

/// A decoded instruction.
struct Seen<'a> {
    bytes: &'a [u8],
    kind: Kind,
    mode: Mode,
    next: u64,
    /// The target of a direct branch.
    to: u64,
    relative: Option<Relative>,
    /// The operand of a jump through a register or memory.
    through: Option<(Operand, bool)>,
}

/// An operand in memory relative to the instruction.
#[derive(Clone, Copy)]
struct Relative {
    /// The offset of the displacement in the instruction.
    field: usize,
    /// The address of the operand.
    to: u64,
    /// It is relative to %rip, not to %eip.
    wide: bool,
}

/// Returns the work to do in place of the instruction at the beginning of `bytes`, whose address is
/// `ip`.
pub fn plan(bytes: &[u8], ip: u64, mode: Mode) -> Result<Plan, Cannot> {
    let seen = Seen::new(bytes, ip, mode)?;
    let to = seen.to;
    let act = match seen.kind {
        Kind::Nop => Act::Skip,
        Kind::Push(reg) => Act::Push { reg },
        Kind::Return(pops) => Act::Return { pops },
        // No program can be at the target: let the CPU raise the fault.
        Kind::Jump | Kind::Branch(_) | Kind::CountBranch(..) | Kind::Call if to >> 47 != 0 => {
            Act::Displaced
        }
        Kind::Jump => Act::Jump { to },
        Kind::Branch(cc) => Act::Branch { cc, to },
        Kind::CountBranch(by, width) => Act::CountBranch { by, width, to },
        Kind::Call => Act::Call { to },
        Kind::Leaves => match seen.through {
            Some((by, loads)) => Act::JumpThrough { by, loads },
            None => Act::Displaced,
        },
        Kind::Begin | Kind::CallRegister | Kind::CallLoaded | Kind::Syscall | Kind::Plain => {
            Act::Displaced
        }
    };
    // CAST: at most `MAX_LEN`.
    Ok(Plan { act, len: seen.bytes.len() as u8 })
}

const TWICE: Cannot =
    Cannot::CannotMove("Intel's CPUs and AMD's take it for different instructions");
const FAR: Cannot = Cannot::CannotMove("a far call pushes where it stands");
const SHORT: Cannot = Cannot::CannotMove("a call of 16 bits pushes half of where it stands");
const DEBUG: Cannot = Cannot::CannotMove("it calls the debugger, who asks where it stood");
const ENCLAVE: Cannot = Cannot::CannotMove("it tells an enclave where to come back to");

impl<'a> Seen<'a> {
    fn new(bytes: &'a [u8], ip: u64, mode: Mode) -> Result<Self, Cannot> {
        let bytes = bytes.get(..MAX_LEN).unwrap_or(bytes);
        let mut insn = Instruction::default();
        let mut decoder = Decoder::try_with_ip(mode.bits(), bytes, ip, DecoderOptions::NONE)
            .map_err(|_| Cannot::Undecodable)?;
        let flow = decode_into(&mut decoder, bytes, &mut insn).ok_or(Cannot::Undecodable)?;
        let bytes = bytes.get(..flow.len).ok_or(Cannot::Undecodable)?;
        let kind = Kind::of(&insn, flow.kind, bytes, mode)?;
        let to = match flow.kind {
            Flow::Jump(to) | Flow::Branch(to) | Flow::Call(to) => to,
            _ => 0,
        };
        let next = ip.wrapping_add(flow.len as u64);
        let next = if mode == Mode::Bits64 { next } else { next & 0xffff_ffff };
        let relative = insn.is_ip_rel_memory_operand().then(|| Relative {
            field: decoder.get_constant_offsets(&insn).displacement_offset(),
            to: insn.ip_rel_memory_address(),
            wide: insn.memory_base() == Register::RIP,
        });
        let through = match kind {
            Kind::Leaves if insn.mnemonic() == Mnemonic::Jmp => Operand::of_jump(&insn, mode),
            _ => None,
        };
        Ok(Self { bytes, kind, mode, next, to, relative, through })
    }
}

impl Kind {
    fn of(insn: &Instruction, flow: Flow, bytes: &[u8], mode: Mode) -> Result<Self, Cannot> {
        let prefixes = Prefixes::of(bytes, mode);
        let direct = matches!(flow, Flow::Jump(_) | Flow::Branch(_) | Flow::Call(_));
        let begin = insn.mnemonic() == Mnemonic::Xbegin;
        let short = prefixes.short && !prefixes.long;
        if mode == Mode::Bits64 && short && direct && !begin {
            return Err(TWICE);
        }
        Ok(match insn.mnemonic() {
            Mnemonic::Nop | Mnemonic::Endbr64 | Mnemonic::Endbr32 => Kind::Nop,
            Mnemonic::Xbegin => Kind::Begin,
            Mnemonic::Int3 | Mnemonic::Int1 => return Err(DEBUG),
            Mnemonic::Int if insn.immediate8() == 3 => return Err(DEBUG),
            Mnemonic::Enclu => return Err(ENCLAVE),
            Mnemonic::Syscall if mode == Mode::Bits64 => Kind::Syscall,
            Mnemonic::Call => match insn.op0_kind() {
                _ if short => return Err(SHORT),
                OpKind::NearBranch32 | OpKind::NearBranch64 => Kind::Call,
                OpKind::Register => match insn.op0_register() {
                    Register::RSP | Register::ESP => Kind::CallLoaded,
                    _ => Kind::CallRegister,
                },
                OpKind::Memory if matches!(insn.code(), Code::Call_rm32 | Code::Call_rm64) => {
                    Kind::CallLoaded
                }
                _ => return Err(FAR),
            },
            Mnemonic::Push => match number(insn.op0_register(), mode) {
                Some(reg) if insn.op0_kind() == OpKind::Register => Kind::Push(reg),
                _ => Kind::Plain,
            },
            Mnemonic::Ret => match (insn.code(), mode) {
                // CPUs disagree on how much it pops.
                _ if short => Kind::Leaves,
                (Code::Retnq, Mode::Bits64) | (Code::Retnd, Mode::Bits32) => Kind::Return(0),
                (Code::Retnq_imm16, Mode::Bits64) | (Code::Retnd_imm16, Mode::Bits32) => {
                    Kind::Return(insn.immediate16())
                }
                _ => Kind::Leaves,
            },
            Mnemonic::Jmp => match flow {
                Flow::Jump(_) => Kind::Jump,
                _ => Kind::Leaves,
            },
            m => match (counted(m), flow) {
                (Some(by), _) => Kind::CountBranch(by, prefixes.count_width(mode)),
                (None, Flow::Return) => Kind::Leaves,
                (None, Flow::Branch(_)) if insn.condition_code() != ConditionCode::None => {
                    // CAST: there are sixteen, numbered from 1 in the order of encodings.
                    Kind::Branch((insn.condition_code() as u8).wrapping_sub(1))
                }
                (None, Flow::Next | Flow::Trap | Flow::Indirect) => Kind::Plain,
                _ => return Err(Cannot::CannotMove("it goes where we do not know")),
            },
        })
    }
}

fn counted(m: Mnemonic) -> Option<Count> {
    Some(match m {
        Mnemonic::Loop => Count::Loop,
        Mnemonic::Loope => Count::LoopEqual,
        Mnemonic::Loopne => Count::LoopUnequal,
        Mnemonic::Jcxz | Mnemonic::Jecxz | Mnemonic::Jrcxz => Count::Zero,
        _ => return None,
    })
}

impl Mode {
    /// Returns the decoder's name for the mode.
    pub(crate) const fn bits(self) -> u32 {
        match self {
            Mode::Bits64 => 64,
            Mode::Bits32 => 32,
        }
    }

    /// Returns the number of bytes that a push takes.
    const fn word(self) -> u8 {
        match self {
            Mode::Bits64 => 8,
            Mode::Bits32 => 4,
        }
    }
}

/// Returns the number of a register of full width.
fn number(r: Register, mode: Mode) -> Option<u8> {
    let first = match mode {
        Mode::Bits64 if r.is_gpr64() => Register::RAX,
        Mode::Bits32 if r.is_gpr32() => Register::EAX,
        _ => return None,
    };
    // CAST: sixteen registers.
    Some((r as u32).wrapping_sub(first as u32) as u8)
}

/// The prefixes before an opcode.
struct Prefixes {
    len: usize,
    /// 66
    short: bool,
    /// 67
    address: bool,
    /// REX.W
    long: bool,
}

impl Prefixes {
    fn of(bytes: &[u8], mode: Mode) -> Self {
        let mut p = Prefixes { len: 0, short: false, address: false, long: false };
        for b in bytes {
            match b {
                0x66 => p.short = true,
                0x67 => p.address = true,
                0xf0 | 0xf2 | 0xf3 | 0x26 | 0x2e | 0x36 | 0x3e | 0x64 | 0x65 => {}
                0x40..=0x4f if mode == Mode::Bits64 => {}
                _ => break,
            }
            // A REX only counts as the last prefix.
            p.long = b & 0xf8 == 0x48 && mode == Mode::Bits64;
            p.len = p.len.wrapping_add(1);
        }
        p
    }

    /// Returns the number of bytes of rcx that a `loop` or `jrcxz` with these prefixes counts by.
    fn count_width(&self, mode: Mode) -> u8 {
        mode.word() >> u8::from(self.address)
    }
}

#[cfg(test)]
mod tests;
