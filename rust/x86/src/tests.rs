// SPDX-License-Identifier: GPL-2.0
//! The decoder's results for bytes written by hand and for functions of this program.

use super::*;

const IP: u64 = 0xffff_ffff_8100_0000;

fn insn(bytes: &[u8]) -> Insn {
    decode(bytes, IP).unwrap_or_else(|| panic!("{bytes:02x?} is an instruction"))
}

#[test]
fn lengths_and_where_control_goes() {
    let cases: &[(&[u8], usize, Flow)] = &[
        (&[0x90], 1, Flow::Next),
        (&[0x55], 1, Flow::Next),
        (&[0xf3, 0x0f, 0x1e, 0xfa], 4, Flow::Next),
        (&[0x0f, 0x1f, 0x44, 0, 0], 5, Flow::Next),
        (&[0x48, 0x8b, 0x05, 1, 2, 3, 4], 7, Flow::Next),
        (&[0xe8, 0x10, 0, 0, 0], 5, Flow::Call(IP + 5 + 0x10)),
        (&[0xe8, 0xfb, 0xff, 0xff, 0xff], 5, Flow::Call(IP)),
        (&[0xe9, 0, 0, 0, 0], 5, Flow::Jump(IP + 5)),
        (&[0xeb, 0xfe], 2, Flow::Jump(IP)),
        (&[0x74, 0x02], 2, Flow::Branch(IP + 4)),
        (&[0x0f, 0x84, 0, 1, 0, 0], 6, Flow::Branch(IP + 6 + 0x100)),
        (&[0xe3, 0x00], 2, Flow::Branch(IP + 2)),
        (&[0xff, 0xd0], 2, Flow::Indirect),
        (&[0xff, 0xe0], 2, Flow::Indirect),
        (&[0xff, 0x25, 0, 0, 0, 0], 6, Flow::Indirect),
        (&[0xc3], 1, Flow::Return),
        (&[0xc2, 8, 0], 3, Flow::Return),
        (&[0xcc], 1, Flow::Trap),
        (&[0x0f, 0x0b], 2, Flow::Trap),
        (&[0xd6], 1, Flow::Trap),
    ];
    for &(bytes, len, kind) in cases {
        assert_eq!(insn(bytes), Insn { len, kind }, "{bytes:02x?}");
        // The bytes after an instruction do not change it.
        let mut more = bytes.to_vec();
        more.extend([0x66; 20]);
        assert_eq!(insn(&more), Insn { len, kind }, "{more:02x?}");
        // A part of it is no instruction; for example, `0f` alone is a prefix of many.
        for n in 0..bytes.len() {
            assert_eq!(decode(&bytes[..n], IP), None, "{:02x?}", &bytes[..n]);
        }
    }
}

#[test]
fn nonsense_is_no_instruction() {
    assert_eq!(decode(&[], IP), None);
    // 64-bit mode has no such opcode; sixteen prefixes are one too many.
    assert_eq!(decode(&[0x06], IP), None);
    assert_eq!(decode(&[0x66; 16], IP), None);
}

#[test]
fn any_bytes_are_answered() {
    let mut seed = 0x9e37_79b9_7f4a_7c15u64;
    let mut bytes = [0; MAX_LEN + 1];
    let mut decoded = 0;
    for _ in 0..200_000 {
        for b in &mut bytes {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            *b = seed as u8;
        }
        if let Some(insn) = decode(&bytes, seed) {
            decoded += 1;
            assert!((1..=MAX_LEN).contains(&insn.len), "{bytes:02x?}");
            // The result depends only on the instruction's own bytes.
            assert_eq!(decode(&bytes[..insn.len], seed), Some(insn), "{bytes:02x?}");
        }
    }
    assert!(decoded > 50_000, "{decoded}");
}

#[test]
fn a_boundary_is_where_decoding_arrives() {
    // push rbp; mov rbp, rsp; nop5; mov eax, 0x00441f0f; nop; ret
    let code =
        [0x55, 0x48, 0x89, 0xe5, 0x0f, 0x1f, 0x44, 0, 0, 0xb8, 0x0f, 0x1f, 0x44, 0x00, 0x90, 0xc3];
    let starts = [0, 1, 4, 9, 14, 15];
    for at in 0..=code.len() as u64 {
        let found = Boundary::find(&code, IP, IP + at).map(Boundary::addr);
        assert_eq!(found, starts.contains(&at).then_some(IP + at), "{at}");
    }
    // The mov contains bytes that look like a nop5.
    assert_eq!(code[10..13], code[4..7]);
    assert_eq!(Boundary::find(&code, IP, IP - 1), None);
    assert_eq!(Boundary::find(&code, IP, IP + 100), None);
    assert_eq!(Boundary::find(&[], IP, IP), None);
}

#[test]
fn a_boundary_is_not_found_in_or_behind_data() {
    let code = [0x90, 0x06, 0x90, 0x90];
    assert!(Boundary::find(&code, IP, IP).is_some());
    assert_eq!(Boundary::find(&code, IP, IP + 1), None);
    assert_eq!(Boundary::find(&code, IP, IP + 2), None);
}

#[test]
fn only_a_near_call_has_a_target() {
    assert_eq!(call_target(&[0xe8, 1, 0, 0, 0], 0x1000), Some(0x1006));
    assert_eq!(call_target(&[0xe9, 1, 0, 0, 0], 0x1000), None);
    assert_eq!(call_target(&[0xff, 0xd0], 0x1000), None);
    assert_eq!(call_target(&[0xe8, 1, 0, 0], 0x1000), None);
}

#[test]
fn init_builds_tables_then_seals() {
    use std::sync::atomic::{AtomicU32, Ordering};
    static SEALED: AtomicU32 = AtomicU32::new(0);
    init(|| {
        SEALED.fetch_add(1, Ordering::Relaxed);
    });
    assert_eq!(SEALED.load(Ordering::Relaxed), 1);
}

#[test]
fn shapes() {
    use Shape::*;
    let cases: &[(&[u8], Shape)] = &[
        (&[0x55], Push(5)),
        (&[0x41, 0x57], Push(15)),
        (&[0x6a, 1], Plain(None)),
        (&[0xff, 0x35, 1, 0, 0, 0], Plain(Some(2))),
        (&[0x48, 0x8b, 0x05, 1, 2, 3, 4], Plain(Some(3))),
        (&[0x80, 0x3d, 1, 2, 3, 4, 9], Plain(Some(2))),
        (&[0x48, 0x89, 0xf8], Plain(None)),
        (&[0x0f, 0x1f, 0x40, 0xd6], Nop),
        (&[0x90], Nop),
        (&[0xf3, 0x0f, 0x1e, 0xfa], Nop),
        (&[0xe9, 0, 0, 0, 0], Jump(IP + 5)),
        (&[0xeb, 0xfe], Jump(IP)),
        (&[0x74, 0x02], Branch(4, IP + 4)),
        (&[0x0f, 0x8f, 0, 0, 0, 0], Branch(15, IP + 6)),
        (&[0xe3, 0x00], Other),
        (&[0xe8, 0, 0, 0, 0], Call(IP + 5)),
        (&[0xc3], Return),
        (&[0xc2, 8, 0], Other),
        (&[0xff, 0xe0], JumpReg(0)),
        (&[0x41, 0xff, 0xe3], JumpReg(11)),
        (&[0xff, 0xd2], CallReg(2)),
        (&[0xff, 0x25, 0, 0, 0, 0], Plain(Some(2))),
        (&[0xff, 0x15, 0, 0, 0, 0], Other),
        (&[0xcc], Trap),
        (&[0x0f, 0x0b], Trap),
        (&[0xd6], Trap),
        (&[0xcd, 0x80], Other),
        (&[0x0f, 0x05], Other),
        (&[0xfb], Other),
        (&[0xf4], Other),
        (&[0x8e, 0xd0], Other),
        (&[0xfa], Plain(None)),
    ];
    for &(bytes, want) in cases {
        assert_eq!(shape(bytes, IP), Some((want, bytes.len())), "{bytes:02x?}");
    }
    assert_eq!(shape(&[0x48, 0x8b], IP), None);
}

#[test]
fn a_walk_goes_on_behind_udb_and_ends_where_nothing_can_be_decoded() {
    let code = [0xff, 0xe0, 0xd6, 0x55, 0x06, 0x90];
    let seen: Vec<_> = walk(&code, IP).map(|r| r.map(|(ip, i)| (ip - IP, i.len))).collect();
    assert_eq!(seen, [Ok((0, 2)), Ok((2, 1)), Ok((3, 1)), Err(Undecodable(IP + 4))]);
}

#[test]
fn a_walk_in_32_bit_mode() {
    use displace::Mode::{Bits32, Bits64};
    // inc %eax; mov 0x1234, %eax; salc; jmp back: in 64-bit mode a REX and a longer address.
    let code = [0x40, 0xa1, 0x34, 0x12, 0, 0, 0xd6, 0xeb, 0xf7, 0x90, 0x90];
    let walk = |mode| walk_in(mode, &code, 0x8048000).map(|r| r.map(|(ip, i)| (ip & 0xff, i.len)));
    let short: Vec<_> = walk(Bits32).collect();
    assert_eq!(short, [(0, 1), (1, 5), (6, 1), (7, 2), (9, 1), (10, 1)].map(Ok));
    assert_eq!(walk(Bits64).next(), Some(Ok((0, 10))));
    let jump = walk_in(Bits32, &code, 0x8048000).nth(3);
    assert_eq!(jump, Some(Ok((0x8048007, Insn { len: 2, kind: Flow::Jump(0x8048000) }))));
}

/// Decodes by iced alone.
fn by_iced(bytes: &[u8], ip: u64) -> Option<Insn> {
    let mut decoder = Decoder::with_ip(64, bytes, ip, DecoderOptions::NONE);
    decode_into(&mut decoder, bytes, &mut Instruction::default())
}

#[test]
fn quick_is_right_where_it_answers() {
    let mut seed = 0x9e37_79b9_7f4a_7c15u64;
    let mut answered = 0;
    let mut check = |window: &[u8; quick::WINDOW], ip| {
        if let Some(insn) = quick::quick(window, ip) {
            answered += 1;
            assert_eq!(by_iced(window, ip), Some(insn), "{window:02x?}");
        }
    };
    // Every opcode and every ModRM, after possible prefixes, before any SIB.
    let before: &[&[u8]] = &[
        &[],
        &[0x66],
        &[0x48],
        &[0x41],
        &[0x4f],
        &[0x66, 0x48],
        &[0x66, 0x44],
        &[0x65],
        &[0x2e, 0x66, 0x66, 0x41],
        &[0x48, 0x66],
        &[0xf3],
        &[0xf0, 0x48],
    ];
    for n in 0..1u32 << 17 {
        for b in before {
            let [op, modrm, two, _] = n.to_le_bytes();
            let mut bytes = b.to_vec();
            bytes.extend(if two == 1 { &[0x0f][..] } else { &[] });
            bytes.extend([op, modrm]);
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            bytes.extend(seed.to_le_bytes());
            bytes.extend(seed.to_be_bytes());
            check(bytes.first_chunk().expect("enough"), seed);
        }
    }
    let mut window = [0; quick::WINDOW];
    for _ in 0..2_000_000 {
        for b in &mut window {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            *b = (seed >> 32) as u8;
        }
        check(&window, seed);
    }
    assert!(answered > 1_500_000, "{answered}");
}

/// Returns the executable segments of an ELF file.
fn code_of(elf: &[u8]) -> Vec<&[u8]> {
    let word = |at: usize, n: usize| {
        elf[at..at + n].iter().rev().fold(0usize, |w, b| w << 8 | usize::from(*b))
    };
    let (phoff, size, count) = (word(0x20, 8), word(0x36, 2), word(0x38, 2));
    let heads = (0..count).map(|i| phoff + i * size);
    heads
        .filter(|h| word(*h, 4) == 1 && word(h + 4, 4) & 1 != 0)
        .map(|h| &elf[word(h + 8, 8)..word(h + 8, 8) + word(h + 32, 8)])
        .collect()
}

#[test]
fn a_walk_through_real_code_is_iceds() {
    // This program, or any other.
    let path =
        std::env::var_os("CODE").map_or_else(|| std::env::current_exe().expect("it"), |p| p.into());
    let elf = std::fs::read(path).expect("readable");
    let (mut all, mut quickly) = (0, 0);
    for code in code_of(&elf) {
        let mut at = 0;
        while at < code.len() {
            let piece = &code[at..];
            for step in walk(piece, IP) {
                let Ok((ip, insn)) = step else { break };
                let here = (ip - IP) as usize;
                let bytes = &piece[here..piece.len().min(here + MAX_LEN)];
                assert_eq!(by_iced(bytes, ip), Some(insn), "{bytes:02x?}");
                all += 1;
                let known = bytes.iter().copied().chain([0; 16]).take(16).collect::<Vec<_>>();
                quickly +=
                    usize::from(quick::quick(known[..].try_into().expect("16"), ip).is_some());
                at += insn.len;
            }
            at += 1;
            let seen = std::cell::RefCell::new(vec![]);
            for step in turns(piece, IP, |at| seen.borrow_mut().push((at, Flow::Next))) {
                let Ok((ip, insn)) = step else { break };
                seen.borrow_mut().push(((ip - IP) as usize, insn.kind));
            }
            let plainly = walk(piece, IP).map_while(Result::ok);
            let plainly = plainly.map(|(ip, insn)| ((ip - IP) as usize, insn.kind));
            assert!(seen.into_inner().into_iter().eq(plainly));
        }
    }
    println!("{quickly} of {all}");
    assert!(all > 50_000, "{all}");
    assert!(quickly > all / 10 * 8, "{quickly} of {all}");
}
