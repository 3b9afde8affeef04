// SPDX-License-Identifier: GPL-2.0
//! The instructions that the module recognises or writes by their bytes, and the forms that the
//! kernel gives the beginning and the end of a function.
//!
//! A port to another processor has a file with the same names.

/// `int3`, the breakpoint.
pub const INT3: u8 = 0xcc;
/// `nop`.
pub const NOP: u8 = 0x90;
/// `ret`.
pub const RET: u8 = 0xc3;
/// `call rel32`.
pub const CALL: u8 = 0xe8;
/// `jmp rel32`.
pub const JMP: u8 = 0xe9;
/// `syscall`.
pub const SYSCALL: [u8; 2] = [0x0f, 0x05];

/// The end of the check before an indirect call, as the kernel writes it where CFI is on:
/// `jne` to the last byte of `test $0xd6, %al`, which alone is `udb`, a trap
/// (`cfi_enable_callers()` in `arch/x86/kernel/alternative.c`).
pub const CFI_TRAP: [u8; 4] = [0x75, 0x01, 0xa8, 0xd6];

/// The length in bytes of a call, and of a site that can become one.
pub const WIDE: usize = 5;
/// The nop of this length that the kernel uses.
pub const WIDE_NOP: [u8; WIDE] = [0x0f, 0x1f, 0x44, 0x00, 0x00];
/// A return as the compiler emits it for a kernel that may divert returns: it leaves room for a
/// jump to the return thunk.
pub const WIDE_RET: [u8; WIDE] = [RET, INT3, INT3, INT3, INT3];

/// The bytes behind the instruction of a static call's trampoline, by which the kernel knows it
/// (`tramp_ud` in `arch/x86/kernel/static_call.c`).
pub const STATIC_CALL_END: [u8; 3] = [0x0f, 0xb9, 0xcc];

/// `R_X86_64_PC32` and `R_X86_64_PLT32`: a distance of four bytes.
const DISTANCES: [u32; 2] = [2, 4];

/// Returns the number of bytes that the kernel writes for a relocation of this type
/// (`__write_relocate_add()` in `arch/x86/kernel/module.c`). For a type that it does not know, the
/// largest number.
pub fn relocated(kind: u32) -> usize {
    match kind {
        // `R_X86_64_NONE`
        0 => 0,
        // `R_X86_64_32` and `R_X86_64_32S`
        10 | 11 => 4,
        kind if DISTANCES.contains(&kind) => 4,
        _ => 8,
    }
}

/// Tells whether a relocation of this type, behind these bytes, may be the distance of a jump. They
/// cannot belong to another instruction: a displacement from the instruction pointer is behind a
/// byte of the form 00xxx101. A breakpoint may hide the opcode.
pub fn is_jump_distance(kind: u32, before: [u8; 2]) -> bool {
    let jumps = matches!(before, [_, JMP | INT3] | [0x0f | INT3, 0x80..=0x8f]);
    DISTANCES.contains(&kind) && jumps
}

/// The alignment of functions in bytes: `CONFIG_FUNCTION_ALIGNMENT`.
const ALIGNMENT: u64 = 16;
/// The length in bytes of the instructions in [`LANDINGS`].
const LANDING_LEN: u64 = 4;
/// `endbr64`, and the nop that the kernel writes over one to which no pointer leads.
const LANDINGS: [[u8; LANDING_LEN as usize]; 2] =
    [[0xf3, 0x0f, 0x1e, 0xfa], [0x0f, 0x1f, 0x40, 0xd6]];

/// Tells whether the alignment of an address is that of a function.
#[inline]
pub fn is_aligned(addr: u64) -> bool {
    addr & (ALIGNMENT - 1) == 0
}

/// Returns the aligned address at or before `addr`.
#[inline]
pub fn align_down(addr: u64) -> u64 {
    addr & !(ALIGNMENT - 1)
}

/// Tells whether a jump to `addr` may be one to a function. Such a jump may skip the landing.
#[inline]
pub fn may_be_function(addr: u64) -> bool {
    matches!(addr & (ALIGNMENT - 1), 0 | LANDING_LEN)
}

/// Returns the length in bytes of the instruction on which an indirect call of the function lands,
/// 0 if the function does not begin with one.
#[inline]
pub fn landing(function: &[u8]) -> u64 {
    match LANDINGS.iter().any(|l| function.starts_with(l)) {
        true => LANDING_LEN,
        false => 0,
    }
}

/// Tells whether code can begin with ftrace's nop or with what replaces it: a call, a jump, or a
/// breakpoint, which can hide anything.
#[inline]
pub fn may_be_ftrace(code: &[u8]) -> bool {
    matches!(code, [0x0f, 0x1f, 0x44, ..] | [CALL | JMP | INT3, ..])
}

/// Tells whether code begins with `mov $MSR_GS_BASE,%edi` or `%ecx`: what follows sets the GS base.
pub fn names_gs_base(code: &[u8]) -> bool {
    matches!(code, [0xbf | 0xb9, 0x01, 0x01, 0x00, 0xc0, ..])
}

/// Tells whether 64-bit code begins with a call: direct, through a register, or through memory.
pub fn is_call(code: &[u8]) -> bool {
    let is_prefix =
        |b: &u8| matches!(b, 0x26 | 0x2e | 0x36 | 0x3e | 0x40..=0x4f | 0x64..=0x67 | 0xf2 | 0xf3);
    let at = code.iter().position(|b| !is_prefix(b)).unwrap_or(0);
    match code.get(at..).unwrap_or_default() {
        [CALL, ..] => true,
        [0xff, modrm, ..] => matches!(modrm >> 3 & 7, 2 | 3),
        _ => false,
    }
}
