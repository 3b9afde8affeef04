// SPDX-License-Identifier: GPL-2.0
//! What has to be done in place of an instruction that a breakpoint has replaced.
//!
//! Most are *displaced*: a copy runs elsewhere. That is right for whatever neither asks where it
//! stands nor changes where the CPU goes on; of the former, the one common kind, memory relative to
//! the instruction pointer, can be mended in the copy. The rest is done by hand, by [`Shape`].

use crate::{decode_into, Flow, MAX_LEN};
use iced_x86::{ConditionCode, Decoder, DecoderOptions, Instruction, Mnemonic, OpKind, Register};

/// An instruction, as seen by who replaces it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// Nothing: a nop, an endbr.
    Nop,
    /// `push` of a 64-bit register, by its number in encodings.
    Push(u8),
    /// A direct jump.
    Jump(u64),
    /// A conditional jump: condition code as in encodings, and where to.
    Branch(u8, u64),
    /// A direct call.
    Call(u64),
    /// A return that pops nothing else.
    Return,
    /// A jump through a register, by its number.
    JumpReg(u8),
    /// A call through a register, by its number.
    CallReg(u8),
    /// Any that a copy can stand in for. If it addresses memory relative to itself: where in it
    /// the 32-bit displacement stands.
    Plain(Option<u8>),
    /// One that always traps: ud2, int3.
    Trap,
    /// One for which none of this is known to be right.
    Other,
}

/// The shape and length of the instruction at the beginning of `bytes`, which stand at `ip`.
pub fn shape(bytes: &[u8], ip: u64) -> Option<(Shape, usize)> {
    let mut insn = Instruction::default();
    let mut decoder = Decoder::try_with_ip(64, bytes, ip, DecoderOptions::NONE).ok()?;
    let flow = decode_into(&mut decoder, bytes, &mut insn)?;
    Some((of(&decoder, &insn, flow.kind, bytes), flow.len))
}

fn of(decoder: &Decoder<'_>, insn: &Instruction, flow: Flow, bytes: &[u8]) -> Shape {
    match flow {
        Flow::Next => plain(decoder, insn),
        Flow::Jump(target) => Shape::Jump(target),
        Flow::Branch(target) => match insn.condition_code() {
            // loop, jrcxz, xbegin
            ConditionCode::None => Shape::Other,
            // CAST: there are sixteen, numbered from 1 in the order of encodings.
            cc => Shape::Branch((cc as u8).wrapping_sub(1), target),
        },
        Flow::Call(target) => Shape::Call(target),
        Flow::Return if insn.mnemonic() == Mnemonic::Ret && insn.op_count() == 0 => Shape::Return,
        Flow::Return => Shape::Other,
        Flow::Indirect => match (insn.mnemonic(), register(insn)) {
            (Mnemonic::Jmp, Some(r)) => Shape::JumpReg(r),
            (Mnemonic::Call, Some(r)) => Shape::CallReg(r),
            // Through memory: the jump leaves nothing behind that would show where it stood.
            (Mnemonic::Jmp, None) if insn.op0_kind() == OpKind::Memory => plain(decoder, insn),
            _ => Shape::Other,
        },
        Flow::Trap => match (insn.mnemonic(), bytes.first()) {
            (Mnemonic::Ud2 | Mnemonic::Ud1 | Mnemonic::Ud0 | Mnemonic::Int3, _)
            | (_, Some(&crate::UDB)) => Shape::Trap,
            _ => Shape::Other,
        },
    }
}

fn plain(decoder: &Decoder<'_>, insn: &Instruction) -> Shape {
    match insn.mnemonic() {
        Mnemonic::Nop | Mnemonic::Endbr64 => return Shape::Nop,
        // Without an interrupt after it, or told where the next instruction is: not elsewhere.
        Mnemonic::Hlt | Mnemonic::Sti | Mnemonic::Mwait | Mnemonic::Mwaitx => return Shape::Other,
        Mnemonic::Mov if is_segment(insn.op0_register()) => return Shape::Other,
        Mnemonic::Pop if is_segment(insn.op0_register()) => return Shape::Other,
        Mnemonic::Push => {
            if let Some(r) = register(insn) {
                return Shape::Push(r);
            }
        }
        _ => {}
    }
    if insn.is_ip_rel_memory_operand() {
        let at = decoder.get_constant_offsets(insn);
        if !at.has_displacement() || at.displacement_size() != 4 {
            return Shape::Other;
        }
        // CAST: below MAX_LEN.
        return Shape::Plain(Some(at.displacement_offset().min(MAX_LEN) as u8));
    }
    Shape::Plain(None)
}

fn is_segment(r: Register) -> bool {
    r.is_segment_register()
}

/// The number of the 64-bit register that is the only explicit operand.
fn register(insn: &Instruction) -> Option<u8> {
    let r = insn.op0_register();
    if insn.op0_kind() != OpKind::Register || !r.is_gpr64() {
        return None;
    }
    // CAST: sixteen registers.
    Some((r as u32).wrapping_sub(Register::RAX as u32) as u8)
}
