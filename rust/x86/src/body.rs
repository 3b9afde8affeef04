// SPDX-License-Identifier: GPL-2.0
//! The body of a function: where control leaves it, and whether its code can be trusted.
//!
//! A body is decoded from its first byte to its last. This is correct only if every instruction
//! begins where the decoder expects it. Data in the code, or another tracer's breakpoint, would put
//! the decoder out of step. So each direct jump within the body must lead to the beginning of a
//! decoded instruction. Code that was decoded out of step fails this check.
//!
//! Control leaves a body by a return, or by a jump to another function: a *tail call*, after which
//! the other function returns to our caller. Each is an [`Exit`]. The compiler may have moved the
//! unlikely half of a function elsewhere (`.cold`); jumps from one half to the other are no exits.
//!
//! ```text
//!   foo:       ... je foo.cold ... jmp bar (tail)    ... ret
//!   foo.cold:  ... call warn ...   jmp back into foo ... ret
//! ```

use crate::encoding::{CFI_TRAP, INT3, JMP, NOP, RET, WIDE, WIDE_NOP, WIDE_RET};
use crate::{Boundary, Decoded, Flow, Insn, Shape, Undecodable};
use core::ops::Range;

/// The way in which control leaves at a site, which also decides how the site can be patched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// A return five bytes wide.
    Return,
    /// A jump five bytes wide to another function.
    Tail,
    /// This instruction, which has room only for a breakpoint. If it is a jump, it may stay in the
    /// function; this is known only when it is hit.
    Narrow(Decoded),
}

/// Why a body cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unfit {
    /// The bytes at this address cannot be decoded.
    Undecodable(u64),
    /// A jump leads to this address, which is in the middle of an instruction.
    Inconsistent(u64),
    /// The instruction at this address leaves the body and cannot be reproduced.
    OddExit(u64),
    /// A breakpoint at this address, which control reaches, hides an instruction.
    Hidden(u64),
    /// The body is larger than [`MAX_BODY`].
    TooLarge,
}

/// The maximum length of a body in bytes.
pub const MAX_BODY: usize = 128 << 10;

/// A piece of text.
#[derive(Debug, Clone, Copy)]
pub struct Code<'a> {
    /// Its address.
    pub start: u64,
    /// Its bytes.
    pub bytes: &'a [u8],
}

impl Code<'_> {
    /// Returns its addresses.
    pub fn range(&self) -> Range<u64> {
        self.start..self.start.wrapping_add(self.bytes.len() as u64)
    }
}

/// Two bits for each byte of a body: whether an instruction begins there, and whether a jump leads
/// there.
pub struct Scratch<'a> {
    begins: &'a mut [u64],
    targets: &'a mut [u64],
}

/// The length of a [`Scratch`] in words.
pub const SCRATCH_WORDS: usize = 2 * MAX_BODY / 64;

impl<'a> Scratch<'a> {
    /// Uses this memory; `None` if it has less than [`SCRATCH_WORDS`] words.
    pub fn new(words: &'a mut [u64]) -> Option<Self> {
        let (begins, rest) = words.split_at_mut_checked(SCRATCH_WORDS / 2)?;
        let targets = rest.get_mut(..SCRATCH_WORDS / 2)?;
        Some(Self { begins, targets })
    }

    /// Returns the offset of a jump's target, in a body of so many bytes, at which no instruction
    /// begins.
    fn stray(&self, bytes: usize) -> Option<u64> {
        let words = self.begins.iter().zip(self.targets.iter()).take((bytes / 64).wrapping_add(1));
        for (n, (begins, targets)) in words.enumerate() {
            let stray = targets & !begins;
            if stray != 0 {
                return Some(
                    (n as u64).wrapping_mul(64).wrapping_add(stray.trailing_zeros().into()),
                );
            }
        }
        None
    }

    fn clear(&mut self, bytes: usize) {
        for words in [&mut self.begins, &mut self.targets] {
            if let Some(used) = words.get_mut(..bytes.div_ceil(64)) {
                used.fill(0);
            }
        }
    }
}

fn set(words: &mut [u64], at: u64) {
    if let Some(w) = words.get_mut((at >> 6) as usize) {
        *w |= 1 << (at & 63);
    }
}

/// What [`exits`] finds besides the exits.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Found {
    /// A jump leads to [`Around::watched`].
    pub loops: bool,
    /// The target of a jump for which [`Around::elsewhere`] holds.
    pub elsewhere: Option<u64>,
}

/// The surroundings of a body.
pub struct Around<'f> {
    /// The address that returns jump to if the kernel diverts returns.
    pub return_thunk: u64,
    /// Tells whether an address belongs to the other half of the function.
    pub elsewhere: &'f dyn Fn(u64) -> bool,
    /// The address of an instruction; [`Found::loops`] tells whether a jump leads to it.
    pub watched: u64,
}

/// Calls `exit` for every exit of `code`. An error from `exit` ends the search. After an error from
/// here, forget what `exit` was called with: the code was decoded out of step.
pub fn exits<E: From<Unfit>>(
    code: Code<'_>,
    around: &Around<'_>,
    scratch: &mut Scratch<'_>,
    exit: &mut dyn FnMut(Boundary, Exit) -> Result<(), E>,
) -> Result<Found, E> {
    if code.bytes.len() > MAX_BODY {
        return Err(Unfit::TooLarge.into());
    }
    scratch.clear(code.bytes.len());
    let body = code.range();
    let mut found = Found::default();
    let begins = core::cell::Cell::from_mut(&mut *scratch.begins).as_slice_of_cells();
    let begin = |at: usize| {
        if let Some(w) = begins.get(at >> 6) {
            w.set(w.get() | (1 << (at & 63)));
        }
    };
    // The end of the last instruction after which control does not, or need not, continue.
    let mut closed = None;
    for step in crate::turns(code.bytes, code.start, begin) {
        let (ip, insn) = match step {
            Ok(step) => step,
            // The rest of the page after the last function of a module. Pairs of zeros decode as
            // instructions, which does no harm.
            Err(Undecodable(ip)) => {
                let from = ip.wrapping_sub(code.start) as usize;
                if is_filling(code.bytes.get(from..).unwrap_or_default()) {
                    break;
                }
                return Err(Unfit::Undecodable(ip).into());
            }
        };
        let at = ip.wrapping_sub(code.start);
        begin(at as usize);
        let rest = code.bytes.get(at as usize..).unwrap_or_default();
        if rest.first() == Some(&INT3) && closed != Some(ip) {
            return Err(Unfit::Hidden(ip).into());
        }
        let next = rest.get(insn.len..).unwrap_or_default();
        let ends = match insn.kind {
            Flow::Return | Flow::Jump(_) | Flow::Trap => true,
            // After a call that does not return, there may be padding to the end.
            Flow::Call(_) => is_padding(next),
            // An indirect call, or an indirect jump followed by a breakpoint.
            Flow::Indirect => next.first() == Some(&INT3),
            Flow::Next | Flow::Branch(_) => false,
        };
        closed = ends.then_some(ip.wrapping_add(insn.len as u64));
        let target = match insn.kind {
            Flow::Next | Flow::Call(_) | Flow::Trap => continue,
            // It leads into the middle of an instruction, and nothing continues there.
            Flow::Branch(_) if rest.starts_with(&CFI_TRAP) => continue,
            Flow::Jump(target) | Flow::Branch(target) => Some(target),
            Flow::Return | Flow::Indirect => None,
        };
        if let Some(target) = target {
            found.loops |= target == around.watched;
            if body.contains(&target) {
                set(scratch.targets, target.wrapping_sub(code.start));
                continue;
            }
            if (around.elsewhere)(target) {
                found.elsewhere = Some(target);
                continue;
            }
        }
        if let Some(e) = leaves(rest, ip, insn, around.return_thunk)? {
            exit(Boundary(ip), e)?;
        }
    }
    match scratch.stray(code.bytes.len()) {
        Some(at) => Err(Unfit::Inconsistent(code.start.wrapping_add(at)).into()),
        None => Ok(found),
    }
}

/// Tells whether the code at the target of a jump is only an indirect jump. On processors that must
/// not predict an indirect jump in the lower half of a cache line (ITS), the kernel puts it into a
/// page of its own outside of its text, and jumps there: `its_init_thunk()` in
/// `arch/x86/kernel/alternative.c`.
pub fn is_thunk(code: &[u8]) -> bool {
    matches!(code, [0xff, 0xe0..=0xe7, INT3, ..] | [0x41, 0xff, 0xe0..=0xe7, INT3, ..])
}

/// Tells whether there is only what fills the room between functions: breakpoints, then the nops in
/// front of the next one, which belong to this one if no symbol stands for them. The last may be
/// wide.
fn is_padding(rest: &[u8]) -> bool {
    let rest = rest.strip_suffix(&WIDE_NOP).unwrap_or(rest);
    rest.iter().skip_while(|b| **b == INT3).all(|b| *b == NOP)
}

/// Tells whether there are only zeros.
fn is_filling(rest: &[u8]) -> bool {
    rest.first() == Some(&0) && rest.iter().all(|b| *b == 0)
}

/// Returns how the instruction at the beginning of `rest` leaves the body; `None` if it does not.
fn leaves(rest: &[u8], ip: u64, insn: Insn, thunk: u64) -> Result<Option<Exit>, Unfit> {
    match insn.kind {
        Flow::Next | Flow::Call(_) | Flow::Trap => return Ok(None),
        Flow::Return if rest.starts_with(&WIDE_RET) => return Ok(Some(Exit::Return)),
        Flow::Jump(target) if insn.len == WIDE && rest.first() == Some(&JMP) => {
            return Ok(Some(if target == thunk { Exit::Return } else { Exit::Tail }));
        }
        Flow::Return | Flow::Jump(_) | Flow::Branch(_) | Flow::Indirect => {}
    }
    let there = Decoded::new(Boundary(ip), rest).ok_or(Unfit::OddExit(ip))?;
    match there.shape() {
        // After an indirect call, control continues behind it.
        Shape::CallReg(_) => Ok(None),
        Shape::Other if insn.kind == Flow::Indirect && !is_far(rest) => Ok(None),
        Shape::Other if is_iret(rest) => Ok(None),
        Shape::Return
        | Shape::Jump(_)
        | Shape::Branch(..)
        | Shape::JumpReg(_)
        | Shape::Plain(_) => Ok(Some(Exit::Narrow(there))),
        _ => Err(Unfit::OddExit(ip)),
    }
}

/// Tells whether this is an `iret`. Outside of entry code, the kernel uses it to serialize the CPU,
/// and it continues at the next instruction.
fn is_iret(rest: &[u8]) -> bool {
    matches!(rest, [0xcf, ..] | [0x48, 0xcf, ..])
}

/// Tells whether this is a far jump or return, which leaves in a way that we cannot reproduce. All
/// other indirect instructions without a shape are calls: through memory, or into a hypervisor.
fn is_far(rest: &[u8]) -> bool {
    let prefix = |b: &u8| matches!(b, 0x40..=0x4f | 0x66 | 0xf2 | 0xf3 | 0x2e | 0x3e);
    let bare = rest.iter().position(|b| !prefix(b));
    match rest.get(bare.unwrap_or(0)..) {
        Some([0xea | 0xcb | 0xca, ..]) => true,
        Some([0xff, modrm, ..]) => (modrm >> 3) & 7 == 5,
        _ => false,
    }
}

/// The kinds of exits that a function seems to have, judged by bytes without decoding.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Glance {
    /// Bytes like a wide return.
    pub returns: bool,
    /// Bytes like a wide jump to another function.
    pub tails: bool,
    /// Bytes like a jump through a register, a narrow return, or a short jump to another function.
    pub narrow: bool,
}

impl Glance {
    /// Tells whether any kind was seen.
    pub fn any(&self) -> bool {
        self.returns || self.tails || self.narrow
    }
}

/// Looks for the bytes of exits, at a small part of the cost of [`exits`]. It misses nothing, but
/// may, rarely, report bytes inside another instruction. `is_function` tells whether a function
/// begins at an address.
pub fn glance(code: Code<'_>, return_thunk: u64, is_function: &dyn Fn(u64) -> bool) -> Glance {
    backwards(code, return_thunk, is_function, &|_| false)
}

/// Works like [`glance`], but stops at the first match. Most functions end with an exit.
pub fn glimpse(code: Code<'_>, return_thunk: u64, is_function: &dyn Fn(u64) -> bool) -> Glance {
    backwards(code, return_thunk, is_function, &Glance::any)
}

/// Looks for the bytes of exits from the end of the code backwards, until `enough` holds.
#[inline(always)]
fn backwards(
    code: Code<'_>,
    return_thunk: u64,
    is_function: &dyn Fn(u64) -> bool,
    enough: &impl Fn(&Glance) -> bool,
) -> Glance {
    let mut g = Glance::default();
    let body = code.range();
    let see = |g: &mut Glance, at: usize| {
        let rest = code.bytes.get(at..).unwrap_or_default();
        let Some((&first, after)) = rest.split_first() else { return };
        match (first, after) {
            (RET, [INT3, INT3, INT3, INT3, ..]) => g.returns = true,
            (RET, []) => g.narrow = true,
            (JMP, &[a, b, c, d, ..]) if !(g.tails && g.returns) => {
                let distance = i64::from(i32::from_le_bytes([a, b, c, d]));
                let next = code.start.wrapping_add(at as u64).wrapping_add(5);
                let target = next.wrapping_add_signed(distance);
                if target == return_thunk {
                    g.returns = true;
                } else if !body.contains(&target) && is_function(target) {
                    g.tails = true;
                }
            }
            // A tail call to a function close by.
            (0xeb, &[d, ..]) if !g.narrow => {
                // CAST: the distance is signed.
                let next = code.start.wrapping_add(at as u64).wrapping_add(2);
                let target = next.wrapping_add_signed((d as i8).into());
                g.narrow = !body.contains(&target) && is_function(target);
            }
            // `jmp *%reg`, followed by padding only.
            (0xff, &[0xe0..=0xe7, INT3 | 0x90 | 0xd6, ..] | &[0xe0..=0xe7]) => g.narrow = true,
            _ => {}
        }
    };
    let words = code.bytes.chunks_exact(8);
    let mut at = code.bytes.len().wrapping_sub(words.remainder().len());
    for i in at..code.bytes.len() {
        see(&mut g, i);
    }
    if enough(&g) {
        return g;
    }
    for word in words.rev().filter_map(<[u8]>::first_chunk) {
        at = at.wrapping_sub(8);
        let mut marks = first_bytes(u64::from_le_bytes(*word));
        if marks == 0 {
            continue;
        }
        while marks != 0 {
            see(&mut g, at.wrapping_add((marks.trailing_zeros() >> 3) as usize));
            marks &= marks.wrapping_sub(1);
        }
        if enough(&g) {
            break;
        }
    }
    g
}

/// The value 1 in each byte.
const ONES: u64 = 0x0101_0101_0101_0101;

/// Returns a word with the top bit set in each byte of `w` that may begin an exit (and in few
/// others): a return, a jump, or the first byte of a jump through a register if its second byte, or
/// the end of the word, follows.
#[inline(always)]
fn first_bytes(w: u64) -> u64 {
    const fn all(byte: u8) -> u64 {
        (byte as u64).wrapping_mul(ONES)
    }
    // Each of these words has a zero byte where its pattern matches.
    let ret = w ^ all(RET);
    // Includes the short jump: 0xe9 and 0xeb differ in one bit.
    let jmp = w & !all(2) ^ all(JMP);
    let next = (w >> 8) | (0xe0 << 56);
    let reg = !w | (next & all(0xf8)) ^ all(0xe0);
    let zero = |v: u64| v.wrapping_sub(ONES) & !v;
    (zero(ret) | zero(jmp) | zero(reg)) & all(0x80)
}

/// Tells whether `code` may contain a jump to its offset `at`, which is near the beginning. It
/// misses no jump.
pub fn may_loop(code: &[u8], at: usize) -> bool {
    // Jumps with a distance of one byte, which follows one of these opcodes.
    let mut wanted = (at as u8).wrapping_sub(2);
    for (op, distance) in code.iter().zip(code.iter().skip(1)).take(at.wrapping_add(127)) {
        if *distance == wanted && matches!(op, 0x70..=0x7f | 0xeb | 0xe0..=0xe3) {
            return true;
        }
        wanted = wanted.wrapping_sub(1);
    }
    // CAST: the distance is signed; both sides wrap alike.
    let leads = |behind: usize, distance: i32| behind.wrapping_add_signed(distance as isize) == at;
    let leads = |n: usize| {
        let bytes = code.get(n..).and_then(|rest| rest.first_chunk());
        bytes.is_some_and(|b| leads(n.wrapping_add(4), i32::from_le_bytes(*b)))
    };
    // Jumps with a distance of four bytes. The last byte of a backward jump is 0xff, because no
    // body is that long.
    (0..at).any(leads) || any_negative(code, leads)
}

/// Tells whether `p` holds for the start of four bytes of which the last is 0xff.
fn any_negative(code: &[u8], p: impl Fn(usize) -> bool) -> bool {
    let words = code.chunks_exact(8);
    let behind = code.len().wrapping_sub(words.remainder().len());
    let mut at = 0usize;
    for word in words.filter_map(<[u8]>::first_chunk) {
        let not = !u64::from_le_bytes(*word);
        let mut marks = not.wrapping_sub(ONES) & !not & (ONES << 7);
        while marks != 0 {
            let last = at.wrapping_add((marks.trailing_zeros() >> 3) as usize);
            if last.checked_sub(3).is_some_and(&p) {
                return true;
            }
            marks &= marks.wrapping_sub(1);
        }
        at = at.wrapping_add(8);
    }
    (behind..code.len()).any(|last| last.checked_sub(3).is_some_and(&p))
}
