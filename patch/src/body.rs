// SPDX-License-Identifier: GPL-2.0
//! A function's body: where it can be left, and whether it can be trusted at all.
//!
//! A body is decoded from its first byte to its last. That is only right if every instruction begins
//! where the decoder thinks it does; data in between, or another tracer's breakpoint, would have it
//! read nonsense from there on. So each direct jump within the body must lead to where an instruction
//! was found to begin: nonsense does not pass that.
//!
//! A body is left by a return, or by a jump to somewhere else: a *tail call*, after which the other
//! function returns to our caller. Each is an [`Exit`]. The compiler may have put the unlikely
//! half of a function elsewhere (`.cold`); jumps from one half to the other do not leave it.
//!
//! ```text
//!   foo:       ... je foo.cold ... jmp bar (tail)    ... ret
//!   foo.cold:  ... call warn ...   jmp back into foo ... ret
//! ```

use core::ops::Range;
use x86::{Flow, Shape, Undecodable};

/// Bytes of a site that can be made a `call`.
pub const WIDE: usize = 5;

const RET: u8 = 0xc3;
const INT3: u8 = 0xcc;
/// A return as the compiler writes it for a kernel that may have to divert returns: room for a jump.
pub const WIDE_RET: [u8; WIDE] = [RET, INT3, INT3, INT3, INT3];
/// `jmp rel32`.
pub const JMP: u8 = 0xe9;

/// How control leaves at a site, which is also how the site can be patched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// A return five bytes wide.
    Return,
    /// A jump five bytes wide to another function.
    Tail,
    /// By this instruction of that many bytes, which only a breakpoint fits on. If it is a jump, it
    /// may not leave at all: that shows when it is hit.
    Narrow(Shape, u8),
}

/// Why a body is no good.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unfit {
    /// Nothing can be decoded here.
    Undecodable(u64),
    /// A jump leads here, into the middle of something.
    Inconsistent(u64),
    /// It is left by an instruction that cannot be reproduced.
    OddExit(u64),
    /// A breakpoint here, where control gets to, hides an instruction.
    Hidden(u64),
    /// It is larger than any that should be looked at.
    TooLarge,
}

/// Most bytes of a body.
pub const MAX_BODY: usize = 128 << 10;

/// A piece of text.
#[derive(Debug, Clone, Copy)]
pub struct Code<'a> {
    /// Where it stands.
    pub start: u64,
    /// What stands there.
    pub bytes: &'a [u8],
}

impl Code<'_> {
    /// Its addresses.
    pub fn range(&self) -> Range<u64> {
        self.start..self.start.wrapping_add(self.bytes.len() as u64)
    }
}

/// Two bits for each byte of a body: does an instruction begin there, does a jump lead there.
pub struct Scratch<'a> {
    begins: &'a mut [u64],
    targets: &'a mut [u64],
}

/// Words that a [`Scratch`] takes.
pub const SCRATCH_WORDS: usize = 2 * MAX_BODY / 64;

impl<'a> Scratch<'a> {
    /// In this memory; `None` if it is less than [`SCRATCH_WORDS`].
    pub fn new(words: &'a mut [u64]) -> Option<Self> {
        let (begins, rest) = words.split_at_mut_checked(SCRATCH_WORDS / 2)?;
        let targets = rest.get_mut(..SCRATCH_WORDS / 2)?;
        Some(Self { begins, targets })
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

/// Where a piece of text is left, and what else is found on the way.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Found {
    /// A jump leads to `watched`.
    pub loops: bool,
    /// Where a jump led that leaves this piece for `elsewhere`.
    pub elsewhere: Option<u64>,
}

/// The surroundings of a body.
pub struct Around<'f> {
    /// What returns jump to where returns are diverted.
    pub return_thunk: u64,
    /// Whether an address belongs to the other half of the same function.
    pub elsewhere: &'f dyn Fn(u64) -> bool,
    /// An instruction of which one wants to know whether jumps lead to it.
    pub watched: u64,
}

/// Calls `exit` with every place where `code` is left; its error ends it.
pub fn exits<E: From<Unfit>>(
    code: Code<'_>,
    around: &Around<'_>,
    scratch: &mut Scratch<'_>,
    exit: &mut dyn FnMut(u64, Exit) -> Result<(), E>,
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
    // Where the last turn ends, if control does not go on behind it, or need not.
    let mut closed = None;
    for step in x86::turns(code.bytes, code.start, begin) {
        let (ip, insn) = match step {
            Ok(step) => step,
            // Behind the last function of a module, to the end of the page. Pairs of zeros pass for
            // instructions, which harms nobody.
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
            // Behind a call that does not return there may be filling to the end.
            Flow::Call(_) => next.iter().all(|b| *b == INT3),
            // Through a register: a call, or a jump with a breakpoint behind it.
            Flow::Indirect => next.first() == Some(&INT3),
            Flow::Next | Flow::Branch(_) => false,
        };
        closed = ends.then_some(ip.wrapping_add(insn.len as u64));
        let target = match insn.kind {
            Flow::Next | Flow::Call(_) | Flow::Trap => continue,
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
            exit(ip, e)?;
        }
    }
    for (n, (begins, targets)) in scratch.begins.iter().zip(scratch.targets.iter()).enumerate() {
        let stray = targets & !begins;
        if stray != 0 {
            let at = (n as u64).wrapping_mul(64).wrapping_add(stray.trailing_zeros().into());
            return Err(Unfit::Inconsistent(code.start.wrapping_add(at)).into());
        }
        if n >= code.bytes.len() / 64 {
            break;
        }
    }
    Ok(found)
}

/// Is this, at a place that a jump leads to, nothing but an indirect jump? On processors that must not predict
/// an indirect jump in the lower half of a cache line (ITS), the kernel has it in a page of its own making,
/// outside of its text, and jumps there: `its_init_thunk()` in `arch/x86/kernel/alternative.c`.
pub fn is_thunk(code: &[u8]) -> bool {
    matches!(code, [0xff, 0xe0..=0xe7, INT3, ..] | [0x41, 0xff, 0xe0..=0xe7, INT3, ..])
}

/// Is there nothing but zeros?
fn is_filling(rest: &[u8]) -> bool {
    rest.first() == Some(&0) && rest.iter().all(|b| *b == 0)
}

/// Is this instruction, at the beginning of `rest`, one that leaves the body?
fn leaves(rest: &[u8], ip: u64, insn: x86::Insn, thunk: u64) -> Result<Option<Exit>, Unfit> {
    match insn.kind {
        Flow::Next | Flow::Call(_) | Flow::Trap => return Ok(None),
        Flow::Return if rest.starts_with(&WIDE_RET) => return Ok(Some(Exit::Return)),
        Flow::Jump(target) if insn.len == WIDE && rest.first() == Some(&JMP) => {
            return Ok(Some(if target == thunk { Exit::Return } else { Exit::Tail }));
        }
        Flow::Return | Flow::Jump(_) | Flow::Branch(_) | Flow::Indirect => {}
    }
    match x86::shape(rest, ip) {
        // An indirect call goes on behind it.
        Some((Shape::CallReg(_), _)) => Ok(None),
        Some((Shape::Other, _)) if insn.kind == Flow::Indirect && !is_far(rest) => Ok(None),
        Some((Shape::Other, _)) if is_iret(rest) => Ok(None),
        // CAST: at most 15.
        Some((
            shape @ (Shape::Return
            | Shape::Jump(_)
            | Shape::Branch(..)
            | Shape::JumpReg(_)
            | Shape::Plain(_)),
            len,
        )) => Ok(Some(Exit::Narrow(shape, len as u8))),
        _ => Err(Unfit::OddExit(ip)),
    }
}

/// An `iret` outside of entry code goes to the next instruction: it is how the kernel has the CPU
/// forget what it has fetched.
fn is_iret(rest: &[u8]) -> bool {
    matches!(rest, [0xcf, ..] | [0x48, 0xcf, ..])
}

/// Far jumps leave, and not as anything we could reproduce. What else goes somewhere unknown is a
/// call: through memory, or into a hypervisor.
fn is_far(rest: &[u8]) -> bool {
    let prefix = |b: &u8| matches!(b, 0x40..=0x4f | 0x66 | 0xf2 | 0xf3 | 0x2e | 0x3e);
    let bare = rest.iter().position(|b| !prefix(b));
    match rest.get(bare.unwrap_or(0)..) {
        Some([0xea | 0xcb | 0xca, ..]) => true,
        Some([0xff, modrm, ..]) => (modrm >> 3) & 7 == 5,
        _ => false,
    }
}

/// What a function's last instructions look like, without decoding it.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Glance {
    /// Something that looks like a wide return.
    pub returns: bool,
    /// Something that looks like a wide jump to another function.
    pub tails: bool,
    /// Something that looks like a jump through a register, or a short one to another function.
    pub narrow: bool,
}

impl Glance {
    /// Is there anything?
    pub fn any(&self) -> bool {
        self.returns || self.tails || self.narrow
    }
}

/// Looks for the bytes of exits, at a small part of the price of [`exits`]. What is there is found;
/// what is found may, rarely, not be there, but be a part of another instruction. `is_function` tells
/// whether a function begins at an address.
pub fn glance(code: Code<'_>, return_thunk: u64, is_function: &dyn Fn(u64) -> bool) -> Glance {
    backwards(code, return_thunk, is_function, &|_| false)
}

/// The same, but only until something is found. Most functions end with an exit.
pub fn glimpse(code: Code<'_>, return_thunk: u64, is_function: &dyn Fn(u64) -> bool) -> Glance {
    backwards(code, return_thunk, is_function, &Glance::any)
}

/// Looks for the bytes of exits, from the end on, until it is enough.
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
            // A tail call of a neighbour.
            (0xeb, &[d, ..]) if !g.narrow => {
                // CAST: the distance is signed.
                let next = code.start.wrapping_add(at as u64).wrapping_add(2);
                let target = next.wrapping_add_signed((d as i8).into());
                g.narrow = !body.contains(&target) && is_function(target);
            }
            // jmp *%reg, and then nothing that would be executed
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

/// One in each byte.
const ONES: u64 = 0x0101_0101_0101_0101;

/// The top bit of each byte of `w` that an exit may begin with (and of few others): a return, a jump,
/// and half of a jump through a register if the other half, or nothing, follows.
#[inline(always)]
fn first_bytes(w: u64) -> u64 {
    const fn all(byte: u8) -> u64 {
        (byte as u64).wrapping_mul(ONES)
    }
    // Zero is in those bytes that are meant.
    let ret = w ^ all(RET);
    // The short jump, too: 0xe9 and 0xeb differ in one bit.
    let jmp = w & !all(2) ^ all(JMP);
    let next = (w >> 8) | (0xe0 << 56);
    let reg = !w | (next & all(0xf8)) ^ all(0xe0);
    let zero = |v: u64| v.wrapping_sub(ONES) & !v;
    (zero(ret) | zero(jmp) | zero(reg)) & all(0x80)
}

/// Does anything in `code` look like a jump to its byte number `at`, one of the first? A jump that is
/// there is found.
pub fn may_loop(code: &[u8], at: usize) -> bool {
    // A jump over a byte's distance: before the byte stands one of these.
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
    // One over four bytes': backwards, as no body is that long, the last of them is 0xff.
    (0..at).any(leads) || any_negative(code, leads)
}

/// Does `p` hold where the last of four bytes is 0xff?
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
