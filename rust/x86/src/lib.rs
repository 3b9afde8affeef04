// SPDX-License-Identifier: GPL-2.0
//! Wraps iced-x86 for our questions: how long is this instruction, where does control go after it,
//! does an instruction begin here.
//!
//! The types of iced stay inside this crate. iced builds its tables on the heap when it is first
//! used; [`init`] makes it do so while allocation is still allowed.
#![cfg_attr(not(test), no_std)]
#![forbid(unsafe_code)]
#![cfg_attr(
    not(test),
    deny(clippy::indexing_slicing, clippy::unwrap_used, clippy::arithmetic_side_effects)
)]

pub mod body;
mod decoded;
pub mod displace;
pub mod encoding;
pub mod follow;
mod quick;
mod shape;

pub use decoded::{Boundary, Decoded, Shape};
pub use shape::shape;

use displace::Mode;
use iced_x86::{Decoder, DecoderOptions, FlowControl, Instruction, OpKind};

/// The maximum length of an instruction in bytes.
pub const MAX_LEN: usize = 15;

/// Where control goes after an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flow {
    /// To the next instruction.
    Next,
    /// To this address, and nowhere else.
    Jump(u64),
    /// To this address or to the next instruction.
    Branch(u64),
    /// To this address, and to the next instruction after it returns.
    Call(u64),
    /// To an address in a register or memory; for a call, then to the next instruction.
    Indirect,
    /// Back to the caller.
    Return,
    /// Into the kernel, a debugger, a hypervisor; or nowhere, as for `ud2`.
    Trap,
}

/// The length and the flow of an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Insn {
    /// Its length in bytes, 1 to [`MAX_LEN`].
    pub len: usize,
    /// Where control goes after it.
    pub kind: Flow,
}

/// Builds iced's tables, then calls `seal`, which forbids further allocation by iced.
///
/// # Context
///
/// *process*; call it once, before everything else here.
pub fn init(seal: fn()) {
    // Creating the first decoder builds the tables.
    let _ = shape(&NOP, 0);
    seal();
}

const NOP: [u8; 1] = [encoding::NOP];

/// UDB, a one-byte undefined instruction that the kernel puts behind indirect jumps. iced 1.22 does
/// not know it.
const UDB: u8 = 0xd6;

/// Decodes the instruction at the beginning of `bytes`, whose address is `ip`. `None` if there is
/// none, or it is cut off.
pub fn decode(bytes: &[u8], ip: u64) -> Option<Insn> {
    walk(bytes, ip).next()?.ok().map(|(_, insn)| insn)
}

/// The address of bytes that cannot be decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Undecodable(pub u64);

/// Returns all instructions of `code`, whose address is `start`, each with its address. The first
/// that cannot be decoded ends the iteration.
pub fn walk(
    code: &[u8],
    start: u64,
) -> impl Iterator<Item = Result<(u64, Insn), Undecodable>> + '_ {
    walk_in(Mode::Bits64, code, start)
}

/// Works like [`walk`], in 64-bit or 32-bit mode.
pub fn walk_in(
    mode: Mode,
    code: &[u8],
    start: u64,
) -> impl Iterator<Item = Result<(u64, Insn), Undecodable>> + '_ {
    let mut walk = Walk { mode, code, start, at: 0, decoder: None };
    core::iter::from_fn(move || walk.step(quick::quick))
}

/// Works like [`walk`], but leaves out most instructions after which control goes to the next one.
/// For those, it calls `begins` with their offset from the start of `code`.
pub fn turns<'a>(
    code: &'a [u8],
    start: u64,
    mut begins: impl FnMut(usize) + 'a,
) -> impl Iterator<Item = Result<(u64, Insn), Undecodable>> + 'a {
    let mut walk = Walk { mode: Mode::Bits64, code, start, at: 0, decoder: None };
    core::iter::from_fn(move || {
        walk.skip(&mut begins);
        // `skip` stops at an instruction that is not plain, or close to the end.
        walk.step(quick::flow)
    })
}

/// An iterator over the instructions of `code`, whose address is `start`, from offset `at`.
struct Walk<'a> {
    mode: Mode,
    code: &'a [u8],
    start: u64,
    at: usize,
    /// Created on first use.
    decoder: Option<Decoder<'a>>,
}

impl Walk<'_> {
    /// Skips ordinary instructions, calling `begins` with the offset of each.
    #[inline(always)]
    fn skip(&mut self, begins: &mut impl FnMut(usize)) {
        let mut at = self.at;
        while let Some(window) = self.code.get(at..).and_then(|rest| rest.first_chunk()) {
            let len = quick::plain(window);
            if len == 0 {
                break;
            }
            begins(at);
            at = at.wrapping_add(len);
        }
        self.at = at;
    }

    fn ip(&self) -> u64 {
        self.start.wrapping_add(self.at as u64)
    }

    /// Decodes the next instruction, by `quick` if it can.
    #[inline(always)]
    fn step(
        &mut self,
        quick: impl Fn(&[u8; quick::WINDOW], u64) -> Option<Insn>,
    ) -> Option<Result<(u64, Insn), Undecodable>> {
        let rest = self.code.get(self.at..).filter(|rest| !rest.is_empty())?;
        let ip = self.ip();
        let insn = match rest.first_chunk() {
            _ if self.mode == Mode::Bits32 => None,
            Some(window) => quick(window, ip),
            None => last(rest, ip),
        };
        let Some(insn) = insn.or_else(|| self.decode()) else {
            self.at = self.code.len();
            return Some(Err(Undecodable(ip)));
        };
        self.at = self.at.wrapping_add(insn.len);
        Some(Ok((ip, insn)))
    }

    #[inline(never)]
    fn decode(&mut self) -> Option<Insn> {
        let rest = self.code.get(self.at..)?;
        let ip = self.ip();
        if self.decoder.is_none() {
            self.decoder =
                Decoder::try_with_ip(self.mode.bits(), self.code, self.start, DecoderOptions::NONE)
                    .ok();
        }
        let decoder = self.decoder.as_mut()?;
        decoder.set_position(self.at).ok()?;
        decoder.set_ip(ip);
        decode_into(decoder, rest, &mut Instruction::default())
    }
}

/// Works like [`quick::quick`], for fewer bytes than its window.
#[inline(never)]
fn last(rest: &[u8], ip: u64) -> Option<Insn> {
    let mut window = [0; quick::WINDOW];
    for (to, from) in window.iter_mut().zip(rest) {
        *to = *from;
    }
    quick::quick(&window, ip).filter(|i| i.len <= rest.len())
}

/// Decodes the instruction at the decoder's position, where `rest` begins.
fn decode_into(decoder: &mut Decoder<'_>, rest: &[u8], insn: &mut Instruction) -> Option<Insn> {
    if rest.first() == Some(&UDB) {
        let next = decoder.position().wrapping_add(1);
        decoder.set_position(next).ok()?;
        decoder.set_ip(decoder.ip().wrapping_add(1));
        return Some(Insn { len: 1, kind: Flow::Trap });
    }
    decoder.decode_out(insn);
    (!insn.is_invalid()).then(|| Insn { len: insn.len(), kind: flow(insn) })
}

fn flow(insn: &Instruction) -> Flow {
    let near = matches!(
        insn.op0_kind(),
        OpKind::NearBranch16 | OpKind::NearBranch32 | OpKind::NearBranch64
    );
    match insn.flow_control() {
        FlowControl::Next => Flow::Next,
        FlowControl::UnconditionalBranch if near => Flow::Jump(insn.near_branch_target()),
        FlowControl::ConditionalBranch | FlowControl::XbeginXabortXend if near => {
            Flow::Branch(insn.near_branch_target())
        }
        FlowControl::XbeginXabortXend => Flow::Next,
        FlowControl::Call if near => Flow::Call(insn.near_branch_target()),
        FlowControl::Return => Flow::Return,
        FlowControl::Interrupt | FlowControl::Exception => Flow::Trap,
        // All others are far, or through a register or memory; `syscall` counts as a call.
        _ => Flow::Indirect,
    }
}

impl Boundary {
    /// Finds the instruction at `target` by decoding `code`, a function at address `start`, from
    /// its beginning. Compilers lay out functions without gaps; data in the middle of the code ends
    /// the search.
    pub fn find(code: &[u8], start: u64, target: u64) -> Option<Self> {
        let mut begins = walk(code, start).map_while(Result::ok).map(|(ip, _)| ip);
        begins.find(|ip| *ip >= target).filter(|ip| *ip == target).map(Self)
    }
}

/// Returns the target of the `call rel32` at the beginning of `bytes`; `None` if it is another
/// instruction.
pub fn call_target(bytes: &[u8], ip: u64) -> Option<u64> {
    match decode(bytes, ip)?.kind {
        Flow::Call(target) => Some(target),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
