// SPDX-License-Identifier: GPL-2.0
//! What becomes of an instruction of a user program that a breakpoint has replaced.
//!
//! The few that say no more than where to go on are done by hand, with the registers that the breakpoint
//! saved: [`plan`] says what is to be done. All others, and these too where doing it by hand fails (the
//! stack's page is not there), run elsewhere: [`fn@slot`] makes the code. A slot serves all threads at once:
//! it ends in a jump back, needs no register and no memory of its own, and leaves alone what stands below
//! the stack pointer. A thread that is found inside of it (a signal, a fault, a debugger) is somewhere in
//! the middle of the original instruction: [`Slot::place`] says where.
//!
//! ```text
//!   most                 the instruction, its %rip-relative displacement mended     jmp next
//!   jcc, loop, jrcxz     the same over a short distance: L                          jmp next;  L: jmp target
//!   xbegin               xbegin L                                                   jmp next;  L: jmp target
//!   jmp                                                                             jmp target
//!   ret, jmp *           as it is
//!   call                 push low half of next;  mov its high half, 4(%rsp);        jmp target
//!   call *               push, mov as above;  jmp *, its operand 8 further if it is above %rsp
//!   call *%rsp, *-8(%rsp)  push what is called;  push (%rsp);  movs next, 8(%rsp);  ret
//!   syscall              syscall;  mov next, %rcx                                   jmp next
//! ```
//!
//! The last of the calls writes eight bytes below what the original would; the others would write over
//! what they are about to load. Return addresses are the original ones: unwinders, Go and exceptions see
//! nothing of it.
//!
//! What a program may not do runs displaced as well, and faults there as it would have at home: privileged
//! instructions, `ud2`, `int` of most vectors. `int $0x80`, `sysenter` and a displaced `syscall` enter the
//! kernel from the slot, and a system call to be restarted goes back two bytes to it.
//!
//! Refused ([`Cannot`]):
//!
//! | what | because |
//! |---|---|
//! | `int3`, `int $3`, `int1` | they are for debuggers, who ask where they stood |
//! | far calls | they push where they stand together with a code segment |
//! | near branches with a prefix 66 and no REX.W, in 64-bit mode | Intel's CPUs and AMD's take them for different instructions |
//! | `call` of 16 bits | it pushes two bytes of where it stands |
//! | `enclu` | an enclave is told where to come back to |
//!
//! What a displaced instruction does not hide: the x87's record of the last instruction's address
//! (`fnstenv`); a system call's address as seccomp filters, `ptrace` and syscall user dispatch see it.

mod slot;

pub use slot::{slot, Place, Slot, SLOT_LEN};

use crate::{decode_into, Flow, MAX_LEN};
use iced_x86::{
    Code, ConditionCode, Decoder, DecoderOptions, Instruction, Mnemonic, OpKind, Register,
};

/// How the CPU reads the code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Of a 64-bit program.
    Bits64,
    /// Of a 32-bit program.
    Bits32,
}

/// What is to be done in place of an instruction, in the order of words. `next` is the address behind it.
///
/// Where memory is not there (`Call`, `Return`, `Push`, `JumpThrough`), or what was found is no address of a
/// program (`Return`, `JumpThrough`), nothing is to be done but to go on in the slot: there it happens as it should.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Act {
    /// Go on at `next`.
    Skip,
    /// Go on there.
    Jump {
        /// Where.
        to: u64,
    },
    /// Go on there if [`holds`], else at `next`.
    Branch {
        /// The condition: the low four bits of the opcode.
        cc: u8,
        /// Where.
        to: u64,
    },
    /// As [`count`] says.
    CountBranch {
        /// Which one.
        by: Count,
        /// Bytes of rcx that count: 2, 4, 8.
        width: u8,
        /// Where.
        to: u64,
    },
    /// Push `next` (8 bytes in 64-bit mode, else 4), go on there.
    Call {
        /// Where.
        to: u64,
    },
    /// Pop an address (8 bytes in 64-bit mode, else 4) and so many bytes more, go on there.
    Return {
        /// Bytes.
        pops: u16,
    },
    /// Push a register (8 bytes in 64-bit mode, else 4), as it was before, go on at `next`.
    Push {
        /// Its number in encodings.
        reg: u8,
    },
    /// Go on where [`Operand::address`] says, or what is there (8 bytes in 64-bit mode, else 4).
    JumpThrough {
        /// What tells.
        by: Operand,
        /// It is in memory.
        loads: bool,
    },
    /// Go on in the slot.
    Displaced,
}

/// What is added up for an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Operand {
    /// A register by its number in encodings.
    base: Option<u8>,
    /// A register and by what it is multiplied.
    index: Option<(u8, u8)>,
    offset: u64,
    mode: Mode,
}

impl Operand {
    /// The sum, with these registers.
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

    /// Of the first operand of a jump, and whether it is in memory. `None`: of a segment of its own, or with
    /// registers of another width.
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

/// What branches by rcx.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Count {
    /// `loop`: one less, and there is something left.
    Loop,
    /// `loope`: the same, and ZF.
    LoopEqual,
    /// `loopne`: the same, and not ZF.
    LoopUnequal,
    /// `jrcxz`: there is nothing.
    Zero,
}

/// What is to be done instead of an instruction of this length.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Plan {
    /// What.
    pub act: Act,
    /// The instruction's bytes.
    pub len: u8,
}

/// Why an instruction cannot be reproduced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cannot {
    /// There is none.
    Undecodable,
    /// Anywhere; the words say why.
    CannotMove(&'static str),
    /// In this slot: what it refers to is more than 2 GiB away.
    TooFar,
}

/// Does a condition of a `jcc`, `setcc`, `cmovcc` hold with these flags?
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

/// What a branch by rcx does: the new rcx, and whether it branches.
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
    // What is written to ecx clears the rest of rcx; what is written to cx does not.
    let kept = if width == 2 { rcx & !mask } else { 0 };
    (kept | left, is && left != 0)
}

/// What kind of instruction it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Nop,
    Push(u8),
    Jump,
    Branch(u8),
    CountBranch(Count, u8),
    Begin,
    Call,
    CallThrough(Through),
    Return(u16),
    Syscall,
    /// Goes somewhere else, never to the next.
    Leaves,
    Plain,
}

/// How a call through a register or memory finds its target, once `next` has been pushed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Through {
    /// As before.
    Same,
    /// This much above the stack pointer.
    Stack(i32),
    /// Not any more.
    Lost,
}

/// An instruction, looked at.
struct Seen<'a> {
    bytes: &'a [u8],
    kind: Kind,
    mode: Mode,
    next: u64,
    /// Of a direct branch: where to.
    to: u64,
    relative: Option<Relative>,
    /// Of a jump through a register or memory.
    through: Option<(Operand, bool)>,
}

/// Memory that an instruction addresses relative to itself.
#[derive(Clone, Copy)]
struct Relative {
    /// Where in the instruction the displacement is.
    field: usize,
    /// What is meant.
    to: u64,
    /// By %rip, not by %eip.
    wide: bool,
}

/// What is to be done when the instruction at the beginning of `bytes`, which stand at `ip`, is to run.
pub fn plan(bytes: &[u8], ip: u64, mode: Mode) -> Result<Plan, Cannot> {
    let seen = Seen::new(bytes, ip, mode)?;
    let to = seen.to;
    let act = match seen.kind {
        Kind::Nop => Act::Skip,
        Kind::Push(reg) => Act::Push { reg },
        Kind::Return(pops) => Act::Return { pops },
        // To where no program can be: let the CPU say so.
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
        Kind::Begin | Kind::CallThrough(_) | Kind::Syscall | Kind::Plain => Act::Displaced,
    };
    // CAST: at most MAX_LEN.
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
                OpKind::Register => Kind::CallThrough(Through::of(insn, mode)),
                OpKind::Memory if matches!(insn.code(), Code::Call_rm32 | Code::Call_rm64) => {
                    Kind::CallThrough(Through::of(insn, mode))
                }
                _ => return Err(FAR),
            },
            Mnemonic::Push => match number(insn.op0_register(), mode) {
                Some(reg) if insn.op0_kind() == OpKind::Register => Kind::Push(reg),
                _ => Kind::Plain,
            },
            Mnemonic::Ret => match (insn.code(), mode) {
                // How much it pops, CPUs do not agree on.
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

impl Through {
    fn of(insn: &Instruction, mode: Mode) -> Self {
        if insn.op0_kind() == OpKind::Register {
            let stack = matches!(insn.op0_register(), Register::RSP | Register::ESP);
            return if stack { Through::Lost } else { Through::Same };
        }
        if !matches!(insn.memory_base(), Register::RSP | Register::ESP) {
            return Through::Same;
        }
        let word = i32::from(mode.word());
        // CAST: displacements are signed.
        let distance = insn.memory_displacement32() as i32;
        if distance < 0 && distance > word.wrapping_mul(-2) {
            return Through::Lost;
        }
        distance.checked_add(word).map_or(Through::Lost, Through::Stack)
    }
}

impl Mode {
    /// As the decoder calls it.
    pub(crate) const fn bits(self) -> u32 {
        match self {
            Mode::Bits64 => 64,
            Mode::Bits32 => 32,
        }
    }

    /// Bytes of what is pushed.
    const fn word(self) -> u8 {
        match self {
            Mode::Bits64 => 8,
            Mode::Bits32 => 4,
        }
    }
}

/// The number of a register that is pushed whole.
fn number(r: Register, mode: Mode) -> Option<u8> {
    let first = match mode {
        Mode::Bits64 if r.is_gpr64() => Register::RAX,
        Mode::Bits32 if r.is_gpr32() => Register::EAX,
        _ => return None,
    };
    // CAST: sixteen registers.
    Some((r as u32).wrapping_sub(first as u32) as u8)
}

/// What stands before an opcode.
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
            // A REX counts as the last prefix only.
            p.long = b & 0xf8 == 0x48 && mode == Mode::Bits64;
            p.len = p.len.wrapping_add(1);
        }
        p
    }

    /// Bytes of rcx that a `loop` or `jrcxz` behind them counts by.
    fn count_width(&self, mode: Mode) -> u8 {
        mode.word() >> u8::from(self.address)
    }
}

#[cfg(test)]
mod tests;
