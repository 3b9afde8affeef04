// SPDX-License-Identifier: GPL-2.0
//! Bodies written by hand: their exits, and code that is not trusted.
#![forbid(unsafe_code)]

use x86::body::*;
use x86::encoding::{WIDE_NOP, WIDE_RET};
use x86::Shape;

const AT: u64 = 0xffff_ffff_8100_0000;
const THUNK: u64 = AT + 0x10_0000;
const COLD: core::ops::Range<u64> = AT + 0x2000..AT + 0x2100;

type Exits = Vec<(u64, Exit)>;

fn look(bytes: &[u8]) -> Result<(Exits, Found), Unfit> {
    let mut words = vec![!0; SCRATCH_WORDS];
    let mut scratch = Scratch::new(&mut words).expect("enough");
    let around = Around { return_thunk: THUNK, elsewhere: &|a| COLD.contains(&a), watched: AT };
    let mut seen = vec![];
    let code = Code { start: AT, bytes };
    let found = exits::<Unfit>(code, &around, &mut scratch, &mut |at, e| {
        seen.push((at.addr() - AT, e));
        Ok(())
    })?;
    Ok((seen, found))
}

fn jump(opcode: &[u8], from: u64, to: u64) -> Vec<u8> {
    let next = from + opcode.len() as u64 + 4;
    let mut bytes = opcode.to_vec();
    bytes.extend(((to as i64).wrapping_sub(next as i64) as i32).to_le_bytes());
    bytes
}

#[test]
fn returns_and_tail_calls_are_exits() {
    let mut code = vec![0x55];
    code.extend(WIDE_RET);
    code.extend(jump(&[0xe9], AT + 6, THUNK));
    code.extend(jump(&[0xe9], AT + 11, AT + 0x5000));
    code.extend([0xc3, 0x90]);
    code.extend([0xff, 0xe0, 0xcc]);
    code.extend(jump(&[0x0f, 0x84], AT + 21, AT + 0x6000));
    let (exits, found) = look(&code).expect("fit");
    assert_eq!(exits[..3], [(1, Exit::Return), (6, Exit::Return), (11, Exit::Tail)]);
    let narrow = exits[3..].iter().map(|(at, exit)| match exit {
        Exit::Narrow(insn) => (*at, insn.at().addr() - AT, insn.shape(), insn.size()),
        other => panic!("{other:?}"),
    });
    assert_eq!(
        narrow.collect::<Vec<_>>(),
        [
            (16, 16, Shape::Return, 1),
            (18, 18, Shape::JumpReg(0), 2),
            (21, 21, Shape::Branch(4, AT + 0x6000), 6),
        ]
    );
    assert_eq!(found, Found::default());
}

#[test]
fn jumps_within_and_to_the_cold_half_and_calls_are_not() {
    let mut code = vec![0x90, 0x74, 0xfd];
    code.extend(jump(&[0xe9], AT + 3, COLD.start + 7));
    code.extend(jump(&[0xe8], AT + 8, AT + 0x5000));
    code.extend([0xff, 0xd0, 0xff, 0x15, 1, 2, 3, 4, 0x0f, 0x0b, 0x0f, 0x01, 0xc1]);
    let (exits, found) = look(&code).expect("fit");
    assert_eq!(exits, []);
    assert_eq!(found, Found { loops: true, elsewhere: Some(COLD.start + 7) });
}

/// Another tracer's breakpoint may hide a return, so it is an error; padding is not.
#[test]
fn breakpoints_on_the_way_are_found() {
    // In place of the return; in place of the lea before it, which is then decoded wrongly; after a
    // branch.
    assert_eq!(look(&[0x90, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc]), Err(Unfit::Hidden(AT + 1)));
    assert_eq!(look(&[0xcc, 0x8d, 0x47, 1, 0xc3]), Err(Unfit::Hidden(AT)));
    assert_eq!(look(&[0x74, 1, 0xcc, 0x90, 0xc3]), Err(Unfit::Hidden(AT + 2)));
    assert_eq!(look(&[0xe8, 0, 0, 0, 0, 0xcc, 0x90, 0xc3]), Err(Unfit::Hidden(AT + 5)));
    // Padding after a jump, a return, a trap, and a call that does not return.
    assert_eq!(look(&[0xeb, 1, 0xcc, 0xc3]).expect("fit").0.len(), 1);
    assert_eq!(look(&[0xff, 0xe0, 0xcc]).expect("fit").0.len(), 1);
    assert_eq!(look(&[0x0f, 0x0b, 0xcc, 0xcc, 0xc3, 0xcc]).expect("fit").0.len(), 1);
    assert_eq!(look(&[0xe8, 0, 0, 0, 0, 0xcc, 0xcc, 0xcc]).expect("fit").0, []);
    assert_eq!(look(&[0xe8, 0, 0, 0, 0, 0xcc, 0x90, 0x90]).expect("fit").0, []);
    let wide = [&[0xe8, 0, 0, 0, 0, 0xcc, 0x90][..], &WIDE_NOP].concat();
    assert_eq!(look(&wide).expect("fit").0, []);
}

#[test]
fn nonsense_is_not_believed() {
    // A jump into the middle of the mov after it.
    assert_eq!(look(&[0xeb, 0x02, 0xb8, 1, 2, 3, 4, 0xc3]), Err(Unfit::Inconsistent(AT + 4)));
    assert_eq!(look(&[0x90, 0x06]), Err(Unfit::Undecodable(AT + 1)));
    assert_eq!(look(&[0xc2, 8, 0]), Err(Unfit::OddExit(AT)));
    assert_eq!(look(&[0x48, 0xcb]), Err(Unfit::OddExit(AT)));
    assert_eq!(look(&[0x48, 0xcf, 0x90]).expect("fit").0, []);
    assert_eq!(look(&vec![0x90; MAX_BODY + 1]), Err(Unfit::TooLarge));
    // The last byte of a body of maximum size counts as well.
    let mut large = vec![0x90; MAX_BODY];
    large[MAX_BODY - 5..].copy_from_slice(&WIDE_RET);
    assert_eq!(look(&large).expect("fit").0, [(MAX_BODY as u64 - 5, Exit::Return)]);
}

#[test]
fn the_trap_of_cfi_is_within_an_instruction() {
    // mov $-hash, %r10d; add -15(%r11), %r10d; jne .+3; test $0xd6, %al; call *%r11; ret
    let mut code = vec![0x41, 0xba, 1, 2, 3, 4, 0x45, 0x03, 0x53, 0xf1, 0x75, 0x01, 0xa8, 0xd6];
    code.extend([0x2e, 0x2e, 0x2e, 0x41, 0xff, 0xd3]);
    code.extend(WIDE_RET);
    assert_eq!(look(&code).expect("fit").0, [(20, Exit::Return)]);
    // Any other branch into an instruction is not believed.
    code[13] = 0xd5;
    assert_eq!(look(&code), Err(Unfit::Inconsistent(AT + 13)));
}

#[test]
fn a_glance_sees_what_the_decoder_sees() {
    let is_function = |a| a == AT + 0x5000;
    let glance = |bytes: &[u8]| glance(Code { start: AT, bytes }, THUNK, &is_function);
    let of = |returns, tails, narrow| Glance { returns, tails, narrow };
    assert_eq!(glance(&[0x90, 0x0f, 0x0b]), of(false, false, false));
    assert_eq!(glance(&WIDE_RET), of(true, false, false));
    assert_eq!(glance(&jump(&[0xe9], AT, THUNK)), of(true, false, false));
    assert_eq!(glance(&jump(&[0xe9], AT, AT + 0x5000)), of(false, true, false));
    assert_eq!(glance(&jump(&[0xe9], AT, AT + 0x5001)), of(false, false, false));
    assert_eq!(glance(&[0x41, 0xff, 0xe3, 0xcc]), of(false, false, true));
    assert_eq!(glance(&[0x5b, 0xc3]), of(false, false, true));
}

/// Computes a glance the slow way.
fn slow_glance(code: Code<'_>, thunk: u64, is_function: &dyn Fn(u64) -> bool) -> Glance {
    let mut g = Glance::default();
    for at in 0..code.bytes.len() {
        match code.bytes[at..] {
            [0xc3, 0xcc, 0xcc, 0xcc, 0xcc, ..] => g.returns = true,
            [0xc3] | [0xff, 0xe0..=0xe7] => g.narrow = true,
            [0xff, 0xe0..=0xe7, 0xcc | 0x90 | 0xd6, ..] => g.narrow = true,
            [0xe9, a, b, c, d, ..] => {
                let next = code.start + at as u64 + 5;
                let to = next.wrapping_add_signed(i32::from_le_bytes([a, b, c, d]).into());
                g.returns |= to == thunk;
                g.tails |= to != thunk && !code.range().contains(&to) && is_function(to);
            }
            [0xeb, d, ..] => {
                let to = (code.start + at as u64 + 2).wrapping_add_signed((d as i8).into());
                g.narrow |= !code.range().contains(&to) && is_function(to);
            }
            _ => {}
        }
    }
    g
}

/// Checks that a glimpse sees something where a glance does, and nothing else.
fn check_glimpse(code: Code<'_>, all: Glance, is_function: &dyn Fn(u64) -> bool) {
    let some = glimpse(code, THUNK, is_function);
    assert_eq!(some.any(), all.any(), "{:02x?}", code.bytes);
    let both = Glance {
        returns: some.returns && all.returns,
        tails: some.tails && all.tails,
        narrow: some.narrow && all.narrow,
    };
    assert_eq!(some, both, "{:02x?}", code.bytes);
}

/// Computes `may_loop` the slow way.
fn slow_may_loop(code: &[u8], at: usize) -> bool {
    let leads = |behind: usize, distance: i64| behind as i64 + distance == at as i64;
    (0..code.len()).any(|n| match code[n..] {
        [0x70..=0x7f | 0xeb | 0xe0..=0xe3, d, ..] if leads(n + 2, (d as i8).into()) => true,
        [a, b, c, d, ..] => leads(n + 4, i32::from_le_bytes([a, b, c, d]).into()),
        _ => false,
    })
}

#[test]
fn a_guess_is_the_same_at_any_offset() {
    let mut next = random();
    let mut looped = 0;
    for _ in 0..20_000 {
        let len = next() % 300;
        let at = (next() % 16) as usize;
        let kinds = [0x00, 0x01, 0xeb, 0x75, 0xff, 0xfe, 0x0b, next() as u8];
        let mut code: Vec<u8> = (0..len).map(|_| kinds[next() as usize % 8]).collect();
        let from = next() % (len + 1);
        if next() % 2 == 0 && from + 5 <= len {
            let bytes = jump(&[0xe9], AT + from, AT + at as u64);
            code.splice(from as usize..from as usize + 5, bytes);
        }
        let want = slow_may_loop(&code, at);
        assert_eq!(may_loop(&code, at), want, "{at}: {code:02x?}");
        looped += usize::from(want);
    }
    assert!((2000..18_000).contains(&looped), "{looped}");
}

fn random() -> impl FnMut() -> u64 {
    let mut seed = 0x9e37_79b9_7f4a_7c15u64;
    move || {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        seed
    }
}

#[test]
fn a_glance_is_the_same_at_any_offset() {
    let is_function = |a| a == AT + 0x5000;
    let pieces = |at: u64| {
        [
            WIDE_RET.to_vec(),
            vec![0xc3],
            vec![0xff, 0xe2],
            vec![0xff, 0xe7, 0xcc],
            vec![0xff, 0xe0, 0xd6, 0x01],
            vec![0xff, 0xff, 0xe8, 0x90],
            jump(&[0xe9], at, THUNK),
            jump(&[0xe9], at, AT + 0x5000),
            jump(&[0xe9], at, AT + 2),
        ]
    };
    let mut next = random();
    for len in 0..40u64 {
        for at in 0..len {
            for piece in pieces(AT + at) {
                let kinds: [u8; 6] = [0x90, 0xff, 0xe9, 0xc3, 0x01, next() as u8];
                for filling in kinds {
                    let mut bytes = vec![filling; len as usize];
                    bytes.splice(at as usize.., piece.iter().copied());
                    let code = Code { start: AT, bytes: &bytes };
                    let want = slow_glance(code, THUNK, &is_function);
                    assert_eq!(glance(code, THUNK, &is_function), want, "{bytes:02x?}");
                    check_glimpse(code, want, &is_function);
                }
            }
        }
    }
}

/// Returns the functions of this program, as far as direct calls show where they begin. Each ends
/// where the next begins.
fn functions() -> (Vec<u8>, Vec<std::ops::Range<usize>>) {
    let elf = std::fs::read(std::env::current_exe().expect("it")).expect("readable");
    let word = |at: usize, n: usize| {
        elf[at..at + n].iter().rev().fold(0usize, |w, b| (w << 8) | usize::from(*b))
    };
    let heads = (0..word(0x38, 2)).map(|i| word(0x20, 8) + i * word(0x36, 2));
    let code: Vec<u8> = heads
        .filter(|h| word(*h, 4) == 1 && word(h + 4, 4) & 1 != 0)
        .flat_map(|h| elf[word(h + 8, 8)..word(h + 8, 8) + word(h + 32, 8)].to_vec())
        .collect();
    let mut starts: Vec<usize> = x86::walk(&code, 0)
        .map_while(Result::ok)
        .filter_map(|(_, i)| match i.kind {
            x86::Flow::Call(to) if to < code.len() as u64 && to & 15 == 0 => Some(to as usize),
            _ => None,
        })
        .collect();
    starts.sort();
    starts.dedup();
    let ranges = starts.windows(2).map(|w| w[0]..w[1]).collect();
    (code, ranges)
}

#[test]
fn glance_and_guess_miss_nothing_in_real_code() {
    let (code, functions) = functions();
    let (mut left, mut looped, mut guessed) = (0, 0, 0);
    let mut words = vec![0; SCRATCH_WORDS];
    for f in &functions {
        let bytes = &code[f.clone()];
        let start = AT + f.start as u64;
        for skip in [0, 4, 9] {
            let Some((at, _)) = x86::walk(bytes, start).map_while(Result::ok).nth(skip / 4) else {
                continue;
            };
            let around = Around { return_thunk: THUNK, elsewhere: &|_| false, watched: at };
            let mut scratch = Scratch::new(&mut words).expect("enough");
            let mut narrow = false;
            let mut returns = 0;
            let piece = Code { start, bytes };
            let seen = exits::<Unfit>(piece, &around, &mut scratch, &mut |_, e| {
                returns += usize::from(e == Exit::Return);
                narrow |= matches!(e, Exit::Narrow(i) if matches!(i.shape(), Shape::JumpReg(_)));
                Ok(())
            });
            let Ok(seen) = seen else { continue };
            let guess = may_loop(bytes, (at - start) as usize);
            assert!(guess || !seen.loops, "{at:#x}: {bytes:02x?}");
            looped += usize::from(seen.loops);
            guessed += usize::from(guess);
            let glance = glance(piece, THUNK, &|_| true);
            assert_eq!(glance, slow_glance(piece, THUNK, &|_| true));
            check_glimpse(piece, glance, &|_| true);
            assert!(glance.returns || returns == 0, "{at:#x}: {bytes:02x?}");
            left += 1;
        }
    }
    println!("{left} bodies, {looped} loops, {guessed} guessed");
    assert!(left > 500 && looped > 0, "{left} {looped} {guessed}");
    // The guess is worth its cost.
    assert!(guessed < left / 2, "{guessed} of {left}");
}

#[test]
fn what_stands_behind_the_last_function_of_a_module_is_not_code() {
    for zeros in 1..20 {
        let mut code = vec![0x90];
        code.extend(WIDE_RET);
        code.extend(vec![0; zeros]);
        assert_eq!(look(&code).expect("fit").0, [(1, Exit::Return)], "{zeros} bytes");
    }
}

#[test]
fn a_glance_sees_a_short_jump_to_a_neighbour() {
    let neighbour = |a| a == AT - 16;
    let seen = |distance| {
        let code = [0x90, 0xeb, distance, 0xcc, 0xcc];
        glance(Code { start: AT, bytes: &code }, THUNK, &neighbour).narrow
    };
    assert!(seen(0xed));
    assert!(!seen(0xec) && !seen(0xff) && !seen(1));
}

#[test]
fn an_indirect_jump_in_a_page_of_its_own_is_a_thunk() {
    assert!(is_thunk(&[0xff, 0xe0, 0xcc, 0xcc])); // jmp *%rax
    assert!(is_thunk(&[0x41, 0xff, 0xe3, 0xcc])); // jmp *%r11
    assert!(!is_thunk(&[0xff, 0xd0, 0xcc, 0xcc])); // call *%rax
    assert!(!is_thunk(&[0xff, 0xe0, 0x90, 0x90]));
    assert!(!is_thunk(&[0x9c, 0x41, 0x57, 0x41])); // what an optimized kprobe leads to
}
