// SPDX-License-Identifier: GPL-2.0
//! Bodies written by hand: where they are left, and what is not believed.
#![forbid(unsafe_code)]

use fbt::body::*;
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
        seen.push((at - AT, e));
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
    assert_eq!(
        exits,
        [
            (1, Exit::Return),
            (6, Exit::Return),
            (11, Exit::Tail),
            (16, Exit::Narrow(Shape::Return, 1)),
            (18, Exit::Narrow(Shape::JumpReg(0), 2)),
            (21, Exit::Narrow(Shape::Branch(4, AT + 0x6000), 6)),
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

#[test]
fn nonsense_is_not_believed() {
    // A jump into the middle of the mov behind it.
    assert_eq!(look(&[0xeb, 0x02, 0xb8, 1, 2, 3, 4, 0xc3]), Err(Unfit::Inconsistent(AT + 4)));
    assert_eq!(look(&[0x90, 0x06]), Err(Unfit::Undecodable(AT + 1)));
    assert_eq!(look(&[0xc2, 8, 0]), Err(Unfit::OddExit(AT)));
    assert_eq!(look(&[0x48, 0xcb]), Err(Unfit::OddExit(AT)));
    assert_eq!(look(&[0x48, 0xcf, 0x90]).expect("fit").0, []);
    assert_eq!(look(&vec![0x90; MAX_BODY + 1]), Err(Unfit::TooLarge));
    // The last byte of the largest counts as well.
    let mut large = vec![0x90; MAX_BODY];
    large[MAX_BODY - 5..].copy_from_slice(&WIDE_RET);
    assert_eq!(look(&large).expect("fit").0, [(MAX_BODY as u64 - 5, Exit::Return)]);
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
