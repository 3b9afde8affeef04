// SPDX-License-Identifier: GPL-2.0
//! The arguments of a probe, from the registers of the thread that hit it.
//!
//! | probe | arg0, arg1, ... |
//! |---|---|
//! | entry | the function's arguments |
//! | an instruction | the arguments that a function entered here would have |
//! | return | arg0: the offset of the return from the function's beginning; arg1: the value |
//! | USDT | the arguments that the program declares: constants, registers, memory |

use abi::user::{UserArg, UserArgKind, MAX_ARGS, NO_REG};
use framework::Args;
use kapi::nofault;
use kapi::user::Registers;

/// Returns the arguments of a function that begins at the current instruction.
#[inline]
pub(crate) fn entry<'a>(regs: &Registers, room: &'a mut [u64; 6]) -> Args<'a> {
    if regs.is_wide() {
        *room = regs.args();
        Args::Program { registers: room, stack: regs.sp().wrapping_add(8), is_wide: true }
    } else {
        Args::Program { registers: &[], stack: regs.sp().wrapping_add(4), is_wide: false }
    }
}

/// Returns the arguments of a USDT probe. An argument that cannot be read is 0.
pub(crate) fn usdt<'a>(
    regs: &Registers,
    args: &[UserArg],
    room: &'a mut [u64; MAX_ARGS],
) -> Args<'a> {
    for (to, arg) in room.iter_mut().zip(args) {
        *to = value(regs, arg);
    }
    Args::Values(room.get(..args.len()).unwrap_or_default())
}

fn value(regs: &Registers, arg: &UserArg) -> u64 {
    let size = arg.width & 15;
    // CAST: the same bits.
    let raw = match arg.kind {
        k if k == UserArgKind::Register as u8 => {
            // Bits 8 to 15 of one of the first four registers.
            let high = if arg.reg & 32 != 0 { 8 } else { 0 };
            regs.get(arg.reg & 31) >> high
        }
        k if k == UserArgKind::Vector as u8 => Registers::vector(arg.reg),
        k if k == UserArgKind::Memory as u8 => {
            let part = |reg| if reg == NO_REG { 0 } else { regs.get(reg) };
            let index = part(arg.index).wrapping_mul(arg.scale.into());
            let addr = part(arg.reg).wrapping_add(index).wrapping_add(arg.value as u64);
            let addr = if regs.is_wide() { addr } else { addr & 0xffff_ffff };
            let mut bytes = [0; 8];
            let room = bytes.get_mut(..usize::from(size.min(8))).unwrap_or_default();
            match nofault::read_user(addr, room) {
                Ok(()) => u64::from_le_bytes(bytes),
                Err(_) => 0,
            }
        }
        _ => arg.value as u64,
    };
    let unused = 64u32.saturating_sub(u32::from(size).wrapping_mul(8)) & 63;
    match arg.width & 128 {
        0 => raw.wrapping_shl(unused).wrapping_shr(unused),
        // CAST: the same bits; it keeps the sign.
        _ => (raw.wrapping_shl(unused) as i64).wrapping_shr(unused) as u64,
    }
}
