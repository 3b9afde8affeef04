// SPDX-License-Identifier: GPL-2.0
//! Plans for instructions, and slots in disassembly. `selftests/forms` checks by running them that
//! they do what the instructions do.

use super::*;
use Mode::{Bits32, Bits64};

const IP: u64 = 0x5555_5555_4000;
const AT: u64 = 0x5555_5000_0000;

fn act(bytes: &[u8], mode: Mode) -> Act {
    let plan = plan(bytes, IP, mode).unwrap_or_else(|e| panic!("{bytes:02x?}: {e:?}"));
    assert_eq!(usize::from(plan.len), bytes.len(), "{bytes:02x?}");
    plan.act
}

#[test]
fn by_hand() {
    let cases: &[(&[u8], Act)] = &[
        (&[0x90], Act::Skip),
        (&[0xf3, 0x0f, 0x1e, 0xfa], Act::Skip),
        (&[0x66, 0x0f, 0x1f, 0x44, 0, 0], Act::Skip),
        (&[0x55], Act::Push { reg: 5 }),
        (&[0x41, 0x57], Act::Push { reg: 15 }),
        (&[0x66, 0x55], Act::Displaced),
        (&[0xeb, 0xfe], Act::Jump { to: IP }),
        (&[0xf2, 0xe9, 0, 1, 0, 0], Act::Jump { to: IP + 0x106 }),
        (&[0x74, 2], Act::Branch { cc: 4, to: IP + 4 }),
        (&[0x2e, 0x0f, 0x8f, 0, 0, 0, 0], Act::Branch { cc: 15, to: IP + 7 }),
        (&[0xe2, 0xfe], Act::CountBranch { by: Count::Loop, width: 8, to: IP }),
        (&[0x67, 0xe1, 0], Act::CountBranch { by: Count::LoopEqual, width: 4, to: IP + 3 }),
        (&[0xe0, 0], Act::CountBranch { by: Count::LoopUnequal, width: 8, to: IP + 2 }),
        (&[0x67, 0xe3, 0], Act::CountBranch { by: Count::Zero, width: 4, to: IP + 3 }),
        (&[0xe8, 0, 0, 0, 0], Act::Call { to: IP + 5 }),
        // With the padding that compilers use for calls of `__tls_get_addr`.
        (&[0x66, 0x66, 0x48, 0xe8, 0, 0, 0, 0], Act::Call { to: IP + 8 }),
        (&[0xc3], Act::Return { pops: 0 }),
        (&[0xf3, 0xc3], Act::Return { pops: 0 }),
        (&[0xc2, 8, 0], Act::Return { pops: 8 }),
        (&[0x66, 0xc3], Act::Displaced),
        (&[0xff, 0xd0], Act::Displaced),
        (&[0x0f, 0x05], Act::Displaced),
        (&[0x0f, 0x0b], Act::Displaced),
        (&[0xd6], Act::Displaced),
        (&[0xc7, 0xf8, 0, 0, 0, 0], Act::Displaced),
    ];
    for &(bytes, want) in cases {
        assert_eq!(act(bytes, Bits64), want, "{bytes:02x?}");
    }
    assert_eq!(act(&[0x55], Bits32), Act::Push { reg: 5 });
    // Jumps whose target is known: the sum, or the address stored there.
    let goes = |bytes: &[u8], mode| match act(bytes, mode) {
        Act::JumpThrough { by, loads } => Some((by.address(|n| 0x100 << n), loads)),
        _ => None,
    };
    for (bytes, mode, to) in [
        (&[0xff, 0xe0][..], Bits64, Some((0x100, false))),
        (&[0x3e, 0x41, 0xff, 0xe7], Bits64, Some((0x80_0000, false))),
        (&[0xff, 0x25, 0x10, 0, 0, 0], Bits64, Some((IP + 0x16, true))),
        (&[0xff, 0x24, 0xc5, 0, 1, 0, 0], Bits64, Some((0x100 + 8 * 0x100, true))),
        (&[0xff, 0x64, 0x8b, 0xf8], Bits64, Some((0x800 + 4 * 0x200 - 8, true))),
        (&[0xff, 0x24, 0x85, 0, 0, 0, 0x80], Bits32, Some((0x8000_0400, true))),
        // Refused: another segment, a 32-bit address, a 16-bit operand, a far jump.
        (&[0x64, 0xff, 0x20], Bits64, None),
        (&[0x67, 0xff, 0x20], Bits64, None),
        (&[0x66, 0xff, 0xe0], Bits32, None),
        (&[0xff, 0x28], Bits64, None),
    ] {
        assert_eq!(goes(bytes, mode), to, "{bytes:x?}");
    }
    assert_eq!(act(&[0x67, 0xe2, 0], Bits32), {
        Act::CountBranch { by: Count::Loop, width: 2, to: (IP + 3) & 0xffff_ffff }
    });
    assert_eq!(act(&[0xd6], Bits32), Act::Displaced);
    // No program can be at the target, so the CPU must raise the fault.
    assert_eq!(plan(&[0xeb, 0x7f], 0x7fff_ffff_fff0, Bits64).map(|p| p.act), Ok(Act::Displaced));
}

#[test]
fn refusals() {
    let cases: &[(&[u8], Mode, Cannot)] = &[
        (&[], Bits64, Cannot::Undecodable),
        (&[0x48, 0x8b], Bits64, Cannot::Undecodable),
        (&[0x06], Bits64, Cannot::Undecodable),
        (&[0xcc], Bits64, DEBUG),
        (&[0xcd, 3], Bits64, DEBUG),
        (&[0xf1], Bits32, DEBUG),
        (&[0xff, 0x1c, 0x24], Bits64, FAR),
        (&[0x9a, 1, 2, 3, 4, 5, 6], Bits32, FAR),
        (&[0x66, 0xe9, 0, 0, 0, 0], Bits64, TWICE),
        (&[0x48, 0x66, 0x74, 0], Bits64, TWICE),
        (&[0x66, 0xe8, 0, 0], Bits32, SHORT),
        (&[0x66, 0xff, 0xd0], Bits64, SHORT),
        (&[0x0f, 0x01, 0xd7], Bits64, ENCLAVE),
    ];
    for &(bytes, mode, want) in cases {
        assert_eq!(plan(bytes, IP, mode), Err(want), "{bytes:02x?}");
        assert_eq!(slot(bytes, IP, mode, AT), Err(want), "{bytes:02x?}");
    }
    let lea = [0x48, 0x8d, 0x05, 0, 0, 0, 0];
    assert!(plan(&lea, IP, Bits64).is_ok());
    assert_eq!(slot(&lea, IP, Bits64, IP + (1 << 31) + 8), Err(Cannot::TooFar));
    assert!(slot(&lea, IP, Bits64, IP + (1 << 31)).is_ok());
}

/// Returns the code of a slot. The tests compare it with assembled bytes.
fn code(bytes: &[u8], mode: Mode, at: u64) -> Vec<u8> {
    let slot = slot(bytes, IP, mode, at).expect("possible");
    assert!(slot.code[slot.len.into()..].iter().all(|b| *b == 0xcc));
    slot.code[..slot.len.into()].to_vec()
}

#[test]
fn slots() {
    // A jump back.
    let back = |from: u64, to: u64| {
        let mut jump = vec![0xe9];
        jump.extend((to.wrapping_sub(from + 5) as u32).to_le_bytes());
        jump
    };
    let mut want = vec![0x31, 0xc0];
    want.extend(back(AT + 2, IP + 2));
    assert_eq!(code(&[0x31, 0xc0], Bits64, AT), want);
    // The jump back reaches any distance.
    let mut want = vec![0x31, 0xc0, 0xff, 0x25, 0, 0, 0, 0];
    want.extend((IP + 2).to_le_bytes());
    assert_eq!(code(&[0x31, 0xc0], Bits64, 0x1_0000), want);
    // cmpb $9, 0x10(%rip)
    let mut want = vec![0x80, 0x3d];
    want.extend(((IP + 7 + 0x10).wrapping_sub(AT + 7) as u32).to_le_bytes());
    want.push(9);
    want.extend(back(AT + 7, IP + 7));
    assert_eq!(code(&[0x80, 0x3d, 0x10, 0, 0, 0, 9], Bits64, AT), want);
    // call: both halves of the next address, then the jump to the target.
    let next = (IP + 5).to_le_bytes();
    let mut want = vec![0x68];
    want.extend(&next[..4]);
    want.extend([0xc7, 0x44, 0x24, 4]);
    want.extend(&next[4..]);
    want.extend(back(AT + 13, IP + 5 + 0x100));
    assert_eq!(code(&[0xe8, 0, 1, 0, 0], Bits64, AT), want);
    // call *%rax
    let mut pushed = vec![0x68];
    pushed.extend(&(IP + 2).to_le_bytes()[..4]);
    pushed.extend([0xc7, 0x44, 0x24, 4]);
    pushed.extend(&next[4..]);
    assert_eq!(code(&[0xff, 0xd0], Bits64, AT), [&pushed[..], &[0xff, 0xe0]].concat());
    // Calls through memory read their target first: it may be in the word that a push overwrites.
    for (call, push) in [
        (&[0xff, 0xd4][..], &[0xff, 0xf4][..]),
        (&[0xff, 0x14, 0x24], &[0xff, 0x34, 0x24]),
        (&[0xff, 0x54, 0x44, 0x10], &[0xff, 0x74, 0x44, 0x10]),
        (&[0xff, 0x10], &[0xff, 0x30]),
        (&[0x41, 0xff, 0x51, 0xf8], &[0x41, 0xff, 0x71, 0xf8]),
        (&[0xff, 0x14, 0x25, 1, 2, 3, 4], &[0xff, 0x34, 0x25, 1, 2, 3, 4]),
    ] {
        let next = (IP + call.len() as u64).to_le_bytes();
        let mut want = [push, &[0xff, 0x34, 0x24, 0xc7, 0x44, 0x24, 8]].concat();
        want.extend(&next[..4]);
        want.extend([0xc7, 0x44, 0x24, 12]);
        want.extend(&next[4..]);
        want.push(0xc3);
        assert_eq!(code(call, Bits64, AT), want, "{call:02x?}");
    }
    let mut want = vec![0x65, 0xff, 0x35, 0x10, 0, 0, 0, 0xff, 0x34, 0x24, 0xc7, 0x44, 0x24, 4];
    want.extend((IP as u32 + 7).to_le_bytes());
    want.push(0xc3);
    assert_eq!(code(&[0x65, 0xff, 0x15, 0x10, 0, 0, 0], Bits32, AT), want);
    // jrcxz
    let mut want = vec![0xe3, 5];
    want.extend(back(AT + 2, IP + 2));
    want.extend(back(AT + 7, IP + 2 + 0x10));
    assert_eq!(code(&[0xe3, 0x10], Bits64, AT), want);
}

#[test]
fn places() {
    let before = |pushed| Place::Before { pushed };
    let after = |to, rcx| Place::After { to, rcx };
    let check = |bytes: &[u8], want: &[(u8, Place)]| {
        let slot = slot(bytes, IP, Bits64, AT).expect("possible");
        for (offset, place) in want {
            assert_eq!(slot.place(*offset), *place, "{bytes:02x?} at {offset}");
        }
    };
    check(&[0x31, 0xc0], &[(0, before(0)), (2, after(IP + 2, false))]);
    check(&[0xeb, 0x10], &[(0, before(0))]);
    check(&[0xc3], &[(0, before(0))]);
    let branch = [(0, before(0)), (2, after(IP + 2, false)), (7, after(IP + 18, false))];
    check(&[0x74, 0x10], &branch);
    check(&[0xe8, 0, 0, 0, 0], &[(0, before(0)), (5, before(8)), (13, before(8))]);
    let four = [(0, before(0)), (2, before(8)), (5, before(16)), (21, before(16))];
    check(&[0xff, 0xd4], &four);
    let syscall = [(0, before(0)), (2, after(IP + 2, true)), (12, after(IP + 2, false))];
    check(&[0x0f, 0x05], &syscall);
}

#[test]
fn any_bytes_are_answered_and_fit() {
    let mut seed = 0x9e37_79b9_7f4a_7c15u64;
    let mut bytes = [0; MAX_LEN];
    let mut most = 0;
    for n in 0..200_000u32 {
        for b in &mut bytes {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            *b = (seed >> 32) as u8;
        }
        // Instructions with special slots would be too rare.
        let op: &[u8] = match n % 8 {
            0 => &[0x0f, 0x05],
            1 => &[0xc7, 0xf8],
            2 => &[0x48, 0xff, 0x94],
            3 => &[0x2e, 0x3e, 0x64, 0x2e, 0x3e, 0xff, 0x54, 0x24, 0xf8],
            4 => &[0x2e, 0x3e, 0x64, 0x2e, 0x3e, 0xff, 0x94, 0x24],
            5 => &[0x2e, 0x2e, 0x2e, 0x2e, 0x2e, 0x2e, 0x2e, 0x2e, 0x2e, 0x2e, 0x2e, 0x2e, 0xe2],
            _ => &[],
        };
        bytes[..op.len()].copy_from_slice(op);
        for mode in [Bits64, Bits32] {
            let plan = plan(&bytes, seed, mode);
            let slot = slot(&bytes, seed, mode, seed.rotate_left(20));
            match slot {
                Ok(slot) => {
                    assert!(plan.is_ok(), "{bytes:02x?}");
                    most = most.max(slot.len);
                }
                Err(Cannot::TooFar) => assert!(plan.is_ok(), "{bytes:02x?}"),
                Err(e) => assert_eq!(plan, Err(e), "{bytes:02x?}"),
            }
        }
    }
    assert!((33..=SLOT_LEN as u8).contains(&most), "{most}");
}

#[test]
fn conditions() {
    let (cf, pf, zf, sf, of) = (1, 4, 0x40, 0x80, 0x800);
    for (cc, with, without) in [
        (0, of, cf),
        (2, cf, zf),
        (4, zf, cf),
        (6, cf, sf),
        (6, zf, of),
        (8, sf, of),
        (10, pf, cf),
        (12, sf, sf | of),
        (12, of, 0),
        (14, zf, sf | of),
        (14, of, 0),
    ] {
        assert!(holds(cc, with) && !holds(cc, without), "{cc}");
        assert!(!holds(cc + 1, with) && holds(cc + 1, without), "{cc}");
    }
    assert_eq!(count(Count::Loop, 8, 1, 0), (0, false));
    assert_eq!(count(Count::Loop, 8, 0, 0), (u64::MAX, true));
    assert_eq!(count(Count::Loop, 4, 1 << 32, 0), (0xffff_ffff, true));
    assert_eq!(count(Count::Loop, 2, 0x1_0001, 0), (0x1_0000, false));
    assert_eq!(count(Count::LoopEqual, 8, 9, 0), (8, false));
    assert_eq!(count(Count::LoopUnequal, 8, 9, 0), (8, true));
    assert_eq!(count(Count::Zero, 4, 1 << 32, 0), (1 << 32, true));
    assert_eq!(count(Count::Zero, 8, 1 << 32, 0), (1 << 32, false));
}
