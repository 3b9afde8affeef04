// SPDX-License-Identifier: GPL-2.0
//! Finds one encoding of each form, by trying all opcodes with all prefixes.

use crate::{site, Start, OPERAND};
use iced_x86::{
    Code, Decoder, DecoderOptions, FlowControl, Instruction, Mnemonic, OpKind, Register,
};
use std::collections::BTreeMap;
use x86::displace::Mode;

/// The kind of an instruction's operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Shape {
    /// No memory.
    Registers,
    /// Memory.
    Memory,
    /// Memory relative to %rip.
    Rip,
    /// Memory relative to %eip.
    Eip,
    /// Memory at an absolute address.
    Absolute,
    /// A branch target.
    Near,
    /// Chosen by hand.
    Chosen(&'static str),
}

/// An instruction form.
#[derive(Debug, Clone)]
pub struct Form {
    /// The form in iced's terms.
    pub code: Code,
    /// The kind of its operands.
    pub shape: Shape,
    /// Its bytes at its [`site`].
    pub bytes: Vec<u8>,
    /// The registers afterwards differ from run to run.
    pub varies: bool,
}

impl Form {
    /// Returns the starts with which it is tried at address `at`.
    pub fn starts(&self, at: u64, mode: Mode) -> Vec<Start> {
        let tries = if self.shape == Shape::Near { &TRIES[..] } else { &TRIES[..1] };
        // The target of a jump may be in a register or in memory.
        let goes_on = self.code.flow_control() == FlowControl::Next;
        let lands = if goes_on { &[true][..] } else { &[true, false] };
        let varies = self.varies;
        let all = tries.iter().flat_map(|t| lands.iter().map(move |&lands| (*t, lands)));
        all.map(|((flags, rcx), lands)| Start { at, rcx, flags, lands, varies, mode }).collect()
    }
}

/// The flags and values of rcx with which conditions are tried.
const TRIES: [(u32, u64); 8] = [
    (1, 2),
    (0, 1),
    (0x40, 1 << 32),
    (0x80, 0),
    (0x800, 0x1_0001),
    (0x880, 1 << 32 | 1),
    (4, u64::MAX),
    (0x8d5, 0),
];

/// Returns one instruction of each form, at the site of its number.
pub fn forms(mode: Mode) -> Vec<Form> {
    let bits = if mode == Mode::Bits64 { 64 } else { 32 };
    let mut found = Found { bits, all: BTreeMap::new() };
    legacy(&mut found);
    for map in 1..=3 {
        vector(&mut found, &|p1| vec![0xc4, 0xe0 | map, p1]);
    }
    for map in 8..=10 {
        vector(&mut found, &|p1| vec![0x8f, 0xe0 | map, p1]);
    }
    for map in [1, 2, 3, 5, 6] {
        // Vector lengths, broadcast or rounding, a mask.
        for p2 in (0..8).flat_map(|n| [n << 4 | 8, n << 4 | 10]) {
            vector(&mut found, &|p1| vec![0x62, 0xf0 | map, p1, p2]);
        }
    }
    let mut all: Vec<_> =
        found.all.into_iter().filter(|((c, _), _)| !is_left_out(*c, mode)).collect();
    all.sort_by_key(|((code, shape), _)| (*code as u32, *shape));
    let chosen = CHOSEN.iter().filter_map(|(name, bytes)| {
        let (insn, _) = decode(bytes, bits)?;
        let whole = insn.len() == bytes.len() && !is_left_out(insn.code(), mode);
        whole.then(|| ((insn.code(), Shape::Chosen(name)), bytes.to_vec()))
    });
    all.extend(chosen);
    let forms = all.into_iter().enumerate().map(|(n, ((code, shape), bytes))| {
        let varies = VARIES.contains(&code.mnemonic());
        Form { code, shape, bytes: placed(bytes, site(n), bits), varies }
    });
    forms.collect()
}

/// Tells whether a form is left out: a hypervisor may intercept it, or in 32-bit mode it returns
/// through a 32-bit vDSO, which this process does not have.
pub fn is_left_out(code: Code, mode: Mode) -> bool {
    use Mnemonic::*;
    match code.mnemonic() {
        Vmcall | Vmmcall | Vmgexit | Tdcall | Seamcall | Seamops | Seamret => true,
        Syscall | Sysenter => mode == Mode::Bits32,
        _ => false,
    }
}

/// Instructions whose results differ from run to run.
const VARIES: &[Mnemonic] = {
    use Mnemonic::*;
    &[Rdtsc, Rdtscp, Rdpmc, Rdpru, Rdrand, Rdseed, Cpuid, Mwaitx, Umwait, Tpause]
};

/// Important instructions that the search does not find.
const CHOSEN: &[(&str, &[u8])] = &[
    ("rep movsb", &[0xf3, 0xa4]),
    ("rep stosq", &[0xf3, 0x48, 0xab]),
    ("repne scasb", &[0xf2, 0xae]),
    ("lock addq $1, 0x100(%rbx)", &[0xf0, 0x48, 0x83, 0x83, 0, 1, 0, 0, 1]),
    ("lock incl 0(%rip)", &[0xf0, 0xff, 0x05, 0, 0, 0, 0]),
    ("enter $16, $0", &[0xc8, 16, 0, 0]),
    ("enter $16, $1", &[0xc8, 16, 0, 1]),
    ("push %rsp", &[0x54]),
    ("pop %rsp", &[0x5c]),
    ("push 8(%rsp)", &[0xff, 0x74, 0x24, 8]),
    ("pop 8(%rsp)", &[0x8f, 0x44, 0x24, 8]),
    ("pushw $1", &[0x66, 0x6a, 1]),
    ("ret $8", &[0xc2, 8, 0]),
    ("rep ret", &[0xf3, 0xc3]),
    ("bnd ret", &[0xf2, 0xc3]),
    ("retw", &[0x66, 0xc3]),
    ("int $0x80", &[0xcd, 0x80]),
    ("int $0x21", &[0xcd, 0x21]),
    ("call *%rax", &[0xff, 0xd0]),
    ("call *%r11", &[0x41, 0xff, 0xd3]),
    ("bnd call *%r11", &[0xf2, 0x41, 0xff, 0xd3]),
    ("notrack call *%rax", &[0x3e, 0xff, 0xd0]),
    ("data16 call *%rax", &[0x66, 0xff, 0xd0]),
    ("jmp *%r11", &[0x41, 0xff, 0xe3]),
    ("notrack jmp *%rax", &[0x3e, 0xff, 0xe0]),
    ("jmp *%rsp", &[0xff, 0xe4]),
    ("jmp *(%rsp)", &[0xff, 0x24, 0x24]),
    ("call *%rsp", &[0xff, 0xd4]),
    ("call *(%rsp)", &[0xff, 0x14, 0x24]),
    ("call *8(%rsp)", &[0xff, 0x54, 0x24, 8]),
    ("call *0x58(%rsp)", &[0xff, 0x54, 0x24, 0x58]),
    ("call *-8(%rsp)", &[0xff, 0x54, 0x24, 0xf8]),
    ("call *-4(%rsp)", &[0xff, 0x54, 0x24, 0xfc]),
    ("call *-16(%rsp)", &[0xff, 0x54, 0x24, 0xf0]),
    ("call *0x18(%rsp,%rbp)", &[0xff, 0x54, 0x2c, 0x18]),
    ("call *-0x48(%rsp,%rbp), below", &[0xff, 0x54, 0x2c, 0xb8]),
    ("call *0xfffff8(%rbx), below", &[0xff, 0x93, 0xf8, 0xff, 0xff, 0]),
    ("call *0xfffffc(%rdi), below", &[0xff, 0x97, 0xfc, 0xff, 0xff, 0]),
    ("call *0x58(%esp)", &[0x67, 0xff, 0x54, 0x24, 0x58]),
    ("call *0x100(%r12)", &[0x41, 0xff, 0x94, 0x24, 0, 1, 0, 0]),
    ("call *0(%rip)", &[0xff, 0x15, 0, 0, 0, 0]),
    ("call *0(%eip)", &[0x67, 0xff, 0x15, 0, 0, 0, 0]),
    ("call *%gs:0x100(%rbx)", &[0x65, 0xff, 0x93, 0, 1, 0, 0]),
    ("rex.W call *0(%rip)", &[0x48, 0xff, 0x15, 0, 0, 0, 0]),
    ("data16 data16 rex.W call", &[0x66, 0x66, 0x48, 0xe8, 0, 0, 0, 0]),
    ("bnd call", &[0xf2, 0xe8, 0, 0, 0, 0]),
    ("jz with a hint", &[0x3e, 0x74, 0]),
    ("bnd jmp", &[0xf2, 0xe9, 0, 0, 0, 0]),
    ("loop with prefixes", &[0x2e, 0x2e, 0x2e, 0x48, 0xe2, 0]),
    ("syscall with prefixes", &[0x2e, 0x3e, 0x0f, 0x05]),
    ("nopw %cs:0(%rax,%rax)", &[0x66, 0x2e, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0]),
    ("lea 0(%rip), %rsp", &[0x48, 0x8d, 0x25, 0, 0, 0, 0]),
    ("cmpl $0x12345678, 0(%rip)", &[0x81, 0x3d, 0, 0, 0, 0, 0x78, 0x56, 0x34, 0x12]),
    ("lea 0(%eip), %rax", &[0x67, 0x48, 0x8d, 0x05, 0, 0, 0, 0]),
];

fn decode(bytes: &[u8], bits: u32) -> Option<(Instruction, iced_x86::ConstantOffsets)> {
    let mut decoder = Decoder::try_with_ip(bits, bytes, 0, DecoderOptions::NONE).ok()?;
    let insn = decoder.decode();
    let at = decoder.get_constant_offsets(&insn);
    (!insn.is_invalid()).then_some((insn, at))
}

fn is_near(insn: &Instruction) -> bool {
    let kinds = [OpKind::NearBranch16, OpKind::NearBranch32, OpKind::NearBranch64];
    kinds.contains(&insn.op0_kind())
}

/// Tells whether the operand is at an address of 32 or 64 bits.
fn is_absolute(insn: &Instruction) -> bool {
    insn.op_kinds().any(|k| k == OpKind::Memory)
        && insn.memory_base() == Register::None
        && insn.memory_index() == Register::None
        && insn.memory_displ_size() >= 4
}

/// Returns an instruction for address `ip`, with relative operands that lead to the right place.
fn placed(mut bytes: Vec<u8>, ip: u64, bits: u32) -> Vec<u8> {
    let Some((insn, at)) = decode(&bytes, bits) else { return bytes };
    let next = ip + bytes.len() as u64;
    let (to, field, size) = if is_near(&insn) {
        (ip + 0x28, at.immediate_offset(), at.immediate_size())
    } else if insn.is_ip_rel_memory_operand() {
        (OPERAND, at.displacement_offset(), 4)
    } else if is_absolute(&insn) {
        (OPERAND + next, at.displacement_offset(), at.displacement_size())
    } else {
        return bytes;
    };
    let distance = to.wrapping_sub(next).to_le_bytes();
    bytes[field..field + size].copy_from_slice(&distance[..size]);
    bytes
}

/// The first encoding found of each form.
struct Found {
    bits: u32,
    all: BTreeMap<(Code, Shape), Vec<u8>>,
}

impl Found {
    fn add(&mut self, bytes: &[u8]) {
        let Some((insn, _)) = decode(bytes, self.bits) else { return };
        let memory = insn.op_kinds().any(|k| k == OpKind::Memory);
        let shape = match insn.memory_base() {
            _ if is_near(&insn) => Shape::Near,
            Register::RIP if memory => Shape::Rip,
            Register::EIP if memory => Shape::Eip,
            _ if is_absolute(&insn) => Shape::Absolute,
            _ if memory => Shape::Memory,
            _ => Shape::Registers,
        };
        let found = self.all.entry((insn.code(), shape));
        found.or_insert_with(|| bytes.iter().copied().take(insn.len()).collect());
    }
}

/// The bytes after ModRM: the operand 0xc0(%rbx,%rbp), or 0xc0(%rbx,%zmm5) for a gather; an
/// immediate.
const MEMORY: [u8; 9] = [0x2b, 0xc0, 0, 0, 0, 3, 0, 0, 0];
const RELATIVE: [u8; 9] = [0, 0, 0, 0, 3, 0, 0, 0, 0];
const IMMEDIATE: [u8; 9] = [3, 0, 0, 0, 0, 0, 0, 0, 0];

/// Returns the ModRM bytes with this middle, and the bytes that follow.
fn operands(middle: u8) -> [(u8, [u8; 9]); 3] {
    let reg = middle << 3;
    [(0xc3 | reg, IMMEDIATE), (0x84 | reg, MEMORY), (0x05 | reg, RELATIVE)]
}

fn legacy(found: &mut Found) {
    let prefixes: [&[u8]; 6] = [&[], &[0x66], &[0xf3], &[0xf2], &[0x66, 0xf3], &[0x66, 0xf2]];
    let short: [&[u8]; 4] = [&[0x67], &[0x67, 0xf3], &[0x67, 0x66], &[0x67, 0xf2]];
    let maps: [&[u8]; 4] = [&[], &[0x0f], &[0x0f, 0x38], &[0x0f, 0x3a]];
    let long = prefixes.iter().map(|p| [p, &[0x48][..]].concat());
    let heads = prefixes.into_iter().chain(short).map(<[u8]>::to_vec).chain(long);
    for head in heads {
        for (map, op) in maps.iter().flat_map(|m| (0..=255).map(move |op| (m, op))) {
            let start = [&head[..], map, &[op]].concat();
            for (modrm, rest) in (0..8).flat_map(operands) {
                found.add(&[&start[..], &[modrm], &rest].concat());
            }
            // Opcodes for which all of ModRM belongs to the opcode.
            if matches!(
                op,
                0x01 | 0x1e | 0xa6 | 0xa7 | 0xae | 0xc6 | 0xc7 | 0xd8..=0xdf | 0xf0 | 0xf8
            ) {
                for modrm in 0xc0..=0xff {
                    found.add(&[&start[..], &[modrm], &IMMEDIATE].concat());
                }
            }
        }
    }
    // Operands at a 64-bit address.
    for op in 0xa0..=0xa3 {
        found.add(&[op, 0, 0, 0, 0, 0, 0, 0, 0]);
        found.add(&[0x48, op, 0, 0, 0, 0, 0, 0, 0, 0]);
    }
    // 3DNow!: the opcode is the last byte.
    for op in 0..=255 {
        found.add(&[0x0f, 0x0f, 0xc3, op]);
        found.add(&[0x0f, 0x0f, 0x83, 0, 1, 0, 0, op]);
        found.add(&[0x0f, 0x0f, 0x05, 0, 0, 0, 0, op]);
    }
}

/// Adds all opcodes with a VEX, XOP or EVEX prefix. The prefix byte that `head` gets has W, the
/// register field (1 or none), a length and the kind of prefix.
fn vector(found: &mut Found, head: &dyn Fn(u8) -> Vec<u8>) {
    for n in 0..32u8 {
        let p1 = (n & 1) << 7 | if n & 2 == 0 { 0x70 } else { 0x78 } | n >> 2;
        let head = head(p1);
        for op in 0..=255 {
            // Opcodes with several instructions, selected by the middle of ModRM.
            let group =
                matches!(op, 0x01 | 0x02 | 0x12 | 0x49 | 0x71..=0x73 | 0xae | 0xc6 | 0xc7 | 0xf3);
            for (modrm, rest) in (0..if group { 8 } else { 1 }).flat_map(operands) {
                found.add(&[&head[..], &[op, modrm], &rest].concat());
            }
            if op == 0x49 {
                found.add(&[&head[..], &[op, 0xc0], &IMMEDIATE].concat());
            }
        }
    }
}
