// SPDX-License-Identifier: GPL-2.0
//! The shape of an instruction: how to reproduce it in place of a breakpoint.
//!
//! Most instructions are *displaced*: a copy runs elsewhere. This works for instructions that
//! neither use their own address nor change where the CPU continues. Memory relative to the
//! instruction pointer is the one common use of the address, and can be fixed in the copy. All
//! others are emulated, by their [`Shape`].

use crate::{decode_into, Boundary, Decoded, Flow, Shape, MAX_LEN};
use iced_x86::{ConditionCode, Decoder, DecoderOptions, Instruction, Mnemonic, OpKind, Register};

/// Returns the shape and length of the instruction at the beginning of `bytes`, whose address is
/// `ip`.
pub fn shape(bytes: &[u8], ip: u64) -> Option<(Shape, usize)> {
    let mut insn = Instruction::default();
    let mut decoder = Decoder::try_with_ip(64, bytes, ip, DecoderOptions::NONE).ok()?;
    let flow = decode_into(&mut decoder, bytes, &mut insn)?;
    Some((of(&decoder, &insn, flow.kind, bytes), flow.len))
}

impl Decoded {
    /// Decodes the instruction at a boundary, where `bytes` begin. `None` if there is none, or it is
    /// cut off.
    pub fn new(at: Boundary, bytes: &[u8]) -> Option<Self> {
        let (shape, len) = shape(bytes.get(..MAX_LEN).unwrap_or(bytes), at.addr())?;
        Self::claim(at, shape, bytes.get(..len)?)
    }
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
            // A jump through memory leaves nothing behind that would show its address.
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
        // Not elsewhere: no interrupt may come right after them, or an interrupt sees the address
        // of the next instruction.
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
        // CAST: below `MAX_LEN`.
        return Shape::Plain(Some(at.displacement_offset().min(MAX_LEN) as u8));
    }
    Shape::Plain(None)
}

fn is_segment(r: Register) -> bool {
    r.is_segment_register()
}

/// Returns the number of the 64-bit register that is the only explicit operand.
fn register(insn: &Instruction) -> Option<u8> {
    let r = insn.op0_register();
    if insn.op0_kind() != OpKind::Register || !r.is_gpr64() {
        return None;
    }
    // CAST: sixteen registers.
    Some((r as u32).wrapping_sub(Register::RAX as u32) as u8)
}
