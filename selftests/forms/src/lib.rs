// SPDX-License-Identifier: GPL-2.0
//! A program that runs one instruction of every form that iced-x86 can decode, with registers, with
//! memory, and with memory relative to itself.
//!
//! [`forms`] finds them by decoding all opcodes with all prefixes. [`assembly`] makes a program of
//! them, together with `run.c`, which writes an [`Outcome`] for each. A form that this CPU lacks
//! ends in a fault, which must also be the same with and without tracing.
#![forbid(unsafe_code)]

mod find;

pub use find::{forms, is_left_out, Form, Shape};

use std::fmt::Write as _;
use std::io;
use std::path::Path;
use std::process::Command;
use x86::displace::Mode;

/// The address of the first instruction. All are [`STRIDE`] bytes apart.
pub const SITES: u64 = 0x1000_0000;
/// The address of the first slot.
pub const SLOTS: u64 = 0x1800_0000;
/// The number of bytes for each instruction or slot.
pub const STRIDE: u64 = 64;
/// The number of breakpoint bytes before an instruction.
const AHEAD: u64 = 16;
/// The address of operands in memory.
pub const OPERAND: u64 = 0x4000_0900;
/// The target of jumps through registers or memory.
pub const LANDING: u64 = 0x4800_0000;

/// A start of an instruction in a program of [`assembly`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Start {
    /// The address.
    pub at: u64,
    /// The value of rcx.
    pub rcx: u64,
    /// The flags.
    pub flags: u32,
    /// The operand in memory is [`LANDING`].
    pub lands: bool,
    /// The registers afterwards differ from run to run.
    pub varies: bool,
    /// The mode of the CPU.
    pub mode: Mode,
}

/// Returns the address of form number `n`.
pub fn site(n: usize) -> u64 {
    SITES + AHEAD + n as u64 * STRIDE
}

/// Returns the source of a program with these forms and slots, which runs from these starts.
pub fn assembly(forms: &[Form], slots: &[Vec<u8>], starts: &[Start]) -> String {
    let mut s = String::from(".section .note.GNU-stack\n.section .forms, \"ax\"\n");
    let bytes = |b: &[u8]| b.iter().map(u8::to_string).collect::<Vec<_>>().join(",");
    for (n, form) in forms.iter().enumerate() {
        let _ = writeln!(
            s,
            ".balign {STRIDE}, 0xcc\n.fill {AHEAD}, 1, 0xcc\n.type form_{n}, @function\nform_{n}: .byte {}\n\
             .size form_{n}, . - form_{n}",
            bytes(&form.bytes)
        );
    }
    // Conditional branches may lead behind the last instruction.
    let _ = writeln!(s, ".balign {STRIDE}, 0xcc\n.section .slots, \"ax\"");
    for slot in slots {
        let _ = writeln!(s, ".balign {STRIDE}, 0xcc\n.byte {}", bytes(slot));
    }
    s.push_str(".section .rodata\n.balign 8\n.globl entries, entries_end\nentries:\n");
    for start in starts {
        let how = u32::from(start.lands)
            | u32::from(start.varies) << 1
            | u32::from(start.mode == Mode::Bits32) << 2;
        let _ = writeln!(s, ".quad {}, {}\n.long {}, {how}", start.at, start.rcx, start.flags);
    }
    s.push_str("entries_end:\n");
    s
}

/// Assembles and links a program from an [`assembly`].
pub fn build(text: &str, program: &Path) -> io::Result<()> {
    let source = program.with_extension("S");
    std::fs::write(&source, text)?;
    let sections =
        format!("-Wl,--section-start=.forms={SITES:#x},--section-start=.slots={SLOTS:#x}");
    let mut gcc = Command::new("gcc");
    gcc.args(["-O2", "-fno-stack-protector", "-no-pie", &sections, "-o"]).arg(program);
    gcc.arg(concat!(env!("CARGO_MANIFEST_DIR"), "/run.c")).arg(source);
    match gcc.status()?.success() {
        true => Ok(()),
        false => Err(io::Error::other("gcc failed")),
    }
}

/// The state after an instruction, as `run.c` writes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Outcome {
    /// The signal and its code.
    pub signal: [u32; 2],
    /// The address in the signal; 0 for breakpoints.
    pub address: u64,
    /// In the order of `ucontext`: r8 to r15, rdi, rsi, rbp, rbx, rdx, rax, rcx, rsp, rip, eflags.
    pub regs: [u64; 18],
    /// fs and gs.
    pub bases: [u64; 2],
    /// Digests: memory, stack above where rsp was, below it, x87, vectors.
    pub digests: [u64; 5],
}

/// Indices into [`Outcome::regs`].
pub const RAX: usize = 13;
#[allow(missing_docs, reason = "see above")]
pub const RCX: usize = 14;
#[allow(missing_docs, reason = "see above")]
pub const RSP: usize = 15;
#[allow(missing_docs, reason = "see above")]
pub const RIP: usize = 16;
/// The index of the digest of the stack below rsp.
pub const BELOW: usize = 2;

/// Parses the output of a program of [`assembly`]; `None` if it is incomplete.
pub fn outcomes(bytes: &[u8]) -> Option<Vec<Outcome>> {
    let all = bytes.chunks(OUTCOME).map(Outcome::read);
    all.collect()
}

/// The size of an [`Outcome`] in bytes.
const OUTCOME: usize = 27 * 8;

impl Outcome {
    fn read(bytes: &[u8]) -> Option<Self> {
        let words = bytes.chunks_exact(8);
        let words: Vec<_> =
            words.map(|b| b.iter().rev().fold(0, |w, b| w << 8 | u64::from(*b))).collect();
        let words: [u64; OUTCOME / 8] = words.try_into().ok()?;
        let part = |from: usize| words.iter().copied().skip(from);
        let mut o = Outcome {
            signal: [words[0] as u32, (words[0] >> 32) as u32],
            address: words[1],
            regs: [0; 18],
            bases: [0; 2],
            digests: [0; 5],
        };
        o.regs.iter_mut().zip(part(2)).for_each(|(to, w)| *to = w);
        o.bases.iter_mut().zip(part(20)).for_each(|(to, w)| *to = w);
        o.digests.iter_mut().zip(part(22)).for_each(|(to, w)| *to = w);
        Some(o)
    }
}
