// SPDX-License-Identifier: GPL-2.0
//! The bytes that the module recognises are what the decoder says they are.

use x86::encoding::*;
use x86::{decode, Flow};

fn flow(code: &[u8]) -> (usize, Flow) {
    let insn = decode(code, 0x1000).expect("an instruction");
    (insn.len, insn.kind)
}

#[test]
fn bytes_are_the_instructions_of_their_names() {
    assert_eq!(flow(&[INT3]), (1, Flow::Trap));
    assert_eq!(flow(&[RET]), (1, Flow::Return));
    assert_eq!(flow(&[CALL, 1, 0, 0, 0]), (WIDE, Flow::Call(0x1006)));
    assert_eq!(flow(&[JMP, 1, 0, 0, 0]), (WIDE, Flow::Jump(0x1006)));
    assert_eq!(flow(&WIDE_NOP), (WIDE, Flow::Next));
    assert_eq!(flow(&SYSCALL).0, SYSCALL.len());
}

#[test]
fn a_function_begins_where_calls_land() {
    let endbr = [0xf3, 0x0f, 0x1e, 0xfa, 0x55];
    let over_endbr = [0x0f, 0x1f, 0x40, 0xd6, 0x55];
    assert_eq!((landing(&endbr), landing(&over_endbr), landing(&[0x55, 0xc3])), (4, 4, 0));
    assert_eq!(landing(&endbr[..3]), 0, "it is cut off");
    for (addr, aligned, possible) in [(0x40, true, true), (0x44, false, true), (0x45, false, false)]
    {
        assert_eq!((is_aligned(addr), may_be_function(addr)), (aligned, possible), "{addr:#x}");
        assert_eq!(align_down(addr), 0x40);
    }
    assert!(may_be_ftrace(&WIDE_NOP) && may_be_ftrace(&[CALL, 0]) && may_be_ftrace(&[INT3]));
    assert!(!may_be_ftrace(&[0x55]) && !may_be_ftrace(&[]));
}

#[test]
fn calls_are_told_from_jumps() {
    let calls: [&[u8]; 5] = [
        &[CALL, 0, 0, 0, 0],
        &[0x2e, CALL, 0, 0, 0, 0],
        &[0xff, 0xd0],
        &[0x41, 0xff, 0xd3],
        &[0xff, 0x15, 0, 0, 0, 0],
    ];
    assert!(calls.iter().all(|c| is_call(c)));
    let others: [&[u8]; 4] = [&[JMP, 0, 0, 0, 0], &[0xff, 0xe0], &[0xff, 0x35, 0, 0, 0, 0], &[]];
    assert!(!others.iter().any(|c| is_call(c)));
    // mov $MSR_GS_BASE,%ecx
    assert!(names_gs_base(&[0xb9, 1, 1, 0, 0xc0]) && !names_gs_base(&[0xb9, 0, 1, 0, 0xc0]));
}

#[test]
fn relocations() {
    let sizes = [(0, 0), (1, 8), (2, 4), (4, 4), (10, 4), (11, 4), (24, 8), (9, 8)];
    for (kind, size) in sizes {
        assert_eq!(relocated(kind), size, "{kind}");
    }
    // What stands before the distance of `jmp`, `je`, and of those whose opcode a breakpoint hides.
    for before in [[0x90, 0xe9], [0x0f, 0x84], [0x90, 0xcc], [0xcc, 0x8f]] {
        assert!(is_jump_distance(4, before) && is_jump_distance(2, before), "{before:02x?}");
        // `sub $0, %ecx` has such a byte before an absolute number.
        assert!(!is_jump_distance(11, before));
    }
    // `call`, `mov 0(%rip), %eax`, `lea 0(%rip), %r9`, `cmovne 0(%rip), %eax`.
    for before in [[0x90, 0xe8], [0x8b, 0x05], [0x8d, 0x0d], [0x45, 0x05]] {
        assert!(!is_jump_distance(2, before), "{before:02x?}");
    }
}

/// An instruction with a displacement from the instruction pointer that looks like a jump would
/// cost a probe only, but there is none.
#[test]
fn no_displacement_looks_like_a_jump() {
    for modrm in (0..=u8::MAX).filter(|m| m & 0xc7 == 0x05) {
        for opcode in 0..=u8::MAX {
            assert!(!is_jump_distance(2, [opcode, modrm]));
        }
    }
}
