// SPDX-License-Identifier: GPL-2.0
//! Finds where a function keeps a pointer that it was given, what it writes through it, and what it
//! returns. It follows all paths, with the known content of each register and of each place in the
//! frame.
//!
//! Two paths that meet at an instruction with different contents are two nodes there. So the value
//! that a path returns is known even where paths share their last instructions. A function that is
//! not like a compiler's, or too large, has no graph at all.

use crate::work::Work;
use iced_x86::{
    Code, Decoder, DecoderOptions, FlowControl, Instruction, InstructionInfoFactory, Mnemonic,
    OpAccess, OpKind, Register,
};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

/// The content of a register or of a place in the frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Value {
    /// The pointer plus this number of bytes.
    Pointer(i32),
    Constant(i32),
    /// An address in the file.
    Data(u64),
    /// An entry of the table of distances at this address.
    Entry(u64),
    /// The last result of the instruction at this address.
    Made(u64),
    Unknown,
}

/// The knowledge before an instruction.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct State {
    regs: [Value; 16],
    /// By distance from the initial stack pointer.
    frame: BTreeMap<i32, Value>,
    sp: i32,
    /// The two operands of the last comparison.
    compared: Option<(Value, i32)>,
    /// The largest possible value of the compared operand.
    bound: Option<i32>,
}

pub(crate) const CX: usize = 1;
const SP: usize = 4;
pub(crate) const AX: usize = 0;
pub(crate) const DX: usize = 2;
pub(crate) const SI: usize = 6;
pub(crate) const DI: usize = 7;
/// The registers that a call preserves: rbx, rsp, rbp, r12 to r15.
const KEPT: [usize; 7] = [3, SP, 5, 12, 13, 14, 15];

impl State {
    fn new(pointer: usize) -> Self {
        let mut regs = [Value::Unknown; 16];
        if let Some(reg) = regs.get_mut(pointer) {
            *reg = Value::Pointer(0);
        }
        Self { regs, frame: BTreeMap::new(), sp: 0, compared: None, bound: None }
    }

    pub(crate) fn reg(&self, n: usize) -> Value {
        self.regs.get(n).copied().unwrap_or(Value::Unknown)
    }

    /// Returns the places of the pointer: registers by number, then frame places by their distance
    /// from the stack pointer.
    pub(crate) fn homes(&self) -> BTreeSet<Home> {
        let is = |v: &Value| *v == Value::Pointer(0);
        let regs = self.regs.iter().enumerate().filter(|(_, v)| is(v)).map(|(n, _)| Home::Reg(n));
        let frame = self.frame.iter().filter(|(_, v)| is(v));
        regs.chain(frame.map(|(at, _)| Home::Frame(at.wrapping_sub(self.sp)))).collect()
    }

    /// Adds to the stack pointer; what lies below it is lost.
    fn adjust_sp(&mut self, by: i32) {
        self.sp = self.sp.wrapping_add(by);
        let sp = self.sp;
        self.frame.retain(|at, _| *at >= sp);
    }

    fn set(&mut self, n: usize, value: Value) {
        if let Some(reg) = self.regs.get_mut(n) {
            *reg = value;
        }
    }

    /// Notes that the instruction at `at` writes a register; its earlier result is no longer its
    /// last.
    fn make(&mut self, n: usize, at: u64) {
        let stale = |v: &mut Value| {
            if *v == Value::Made(at) {
                *v = Value::Unknown;
            }
        };
        self.regs.iter_mut().for_each(stale);
        self.frame.values_mut().for_each(stale);
        self.set(n, Value::Made(at));
    }

    /// Makes a value a constant wherever it is kept.
    fn learn(&mut self, value: Value, is: i32) {
        if !matches!(value, Value::Made(_)) {
            return;
        }
        let know = |v: &mut Value| {
            if *v == value {
                *v = Value::Constant(is);
            }
        };
        self.regs.iter_mut().for_each(know);
        self.frame.values_mut().for_each(know);
    }

    fn store(&mut self, at: i32, size: i32, value: Value) {
        self.frame.retain(|from, _| from.wrapping_add(8) <= at || at.wrapping_add(size) <= *from);
        if value != Value::Unknown {
            self.frame.insert(at, value);
        }
    }
}

/// A place that holds the pointer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Home {
    Reg(usize),
    Frame(i32),
}

/// A write through the pointer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Write {
    pub(crate) at: i32,
    pub(crate) size: i32,
    /// The written value, if it is a constant.
    pub(crate) value: Option<i32>,
}

/// An instruction with the knowledge before it.
#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) ip: u64,
    pub(crate) state: Rc<State>,
    pub(crate) next: Vec<usize>,
    pub(crate) writes: Vec<Write>,
    /// Reads through the pointer: offset and bytes.
    pub(crate) reads: Vec<(i32, i32)>,
    /// The function that it calls.
    pub(crate) call: Option<u64>,
    pub(crate) is_syscall: bool,
    /// The returned value, if the function ends here.
    pub(crate) returned: Option<Value>,
}

/// The graph of all paths of a function.
#[derive(Debug)]
pub(crate) struct Graph {
    pub(crate) nodes: Vec<Node>,
}

/// The code of a file, and the functions that never return.
pub(crate) trait Text {
    /// Returns the bytes of an instruction, and some more.
    fn code(&self, at: u64) -> Vec<u8>;
    /// Returns a word of four bytes that is not code.
    fn word(&self, at: u64) -> Option<i32>;
    fn never_returns(&self, function: u64) -> bool;
}

/// No function that handles a lock has more nodes.
const MOST_NODES: usize = 1 << 16;
/// The steps of each way to a node. A new node takes one more for each place of its frame.
const STEPS: u64 = 16;
const MOST_ENTRIES: i32 = 256;
/// No such function has a pointer or a constant in more places of its frame.
const MOST_PLACES: usize = 64;

/// Follows all paths of the function at `begin`, which gets the pointer in this register. The steps
/// of the work bound the memory, too.
pub(crate) fn graph(text: &dyn Text, work: &Work, begin: u64, pointer: usize) -> Option<Graph> {
    let (known, nodes, insns) = Default::default();
    let mut walk = Walk { text, work, known, nodes, insns };
    let mut info = InstructionInfoFactory::new();
    walk.node(begin, State::new(pointer))?;
    let mut at = 0;
    while at < walk.nodes.len() {
        walk.step(at, &mut info)?;
        at += 1;
    }
    Some(Graph { nodes: walk.nodes })
}

struct Walk<'a> {
    text: &'a dyn Text,
    work: &'a Work,
    known: HashMap<(u64, Rc<State>), usize>,
    nodes: Vec<Node>,
    insns: HashMap<u64, Instruction>,
}

/// Returns the number of the 64-bit register that contains this one.
fn number(register: Register) -> Option<usize> {
    let full = register.full_register();
    full.is_gpr64().then(|| full.number())
}

impl Walk<'_> {
    /// Returns the node with this knowledge; `None`: there are too many.
    fn node(&mut self, ip: u64, state: State) -> Option<usize> {
        self.work.spend(STEPS)?;
        let state = Rc::new(state);
        let n = self.nodes.len();
        let known = *self.known.entry((ip, state.clone())).or_insert(n);
        if known < n {
            return Some(known);
        }
        (n < MOST_NODES).then_some(())?;
        self.work.spend(state.frame.len() as u64)?;
        self.nodes.push(Node {
            ip,
            state,
            next: Vec::new(),
            writes: Vec::new(),
            reads: Vec::new(),
            call: None,
            is_syscall: false,
            returned: None,
        });
        Some(n)
    }

    fn insn(&mut self, ip: u64) -> Option<Instruction> {
        if let Some(known) = self.insns.get(&ip) {
            return Some(*known);
        }
        let code = self.text.code(ip);
        let insn = Decoder::with_ip(64, &code, ip, DecoderOptions::NONE).decode();
        self.insns.insert(ip, insn);
        (!insn.is_invalid()).then_some(insn)
    }

    fn step(&mut self, at: usize, info: &mut InstructionInfoFactory) -> Option<()> {
        let (ip, before) = self.nodes.get(at).map(|n| (n.ip, n.state.clone()))?;
        let insn = self.insn(ip)?;
        let (writes, reads) = through(&before, &insn, info);
        let mut next: Vec<(u64, State)> = Vec::new();
        let (mut call, mut returned) = (None, None);
        let mut state = State::clone(&before);
        let is_syscall = insn.mnemonic() == Mnemonic::Syscall;
        match insn.flow_control() {
            FlowControl::Return => returned = Some(before.reg(AX)),
            FlowControl::UnconditionalBranch => next.push((insn.near_branch_target(), state)),
            FlowControl::ConditionalBranch => next.extend(branches(state, &insn)),
            FlowControl::IndirectBranch => {
                let value = number(insn.op0_register()).map(|n| before.reg(n));
                let Some(Value::Entry(table)) = value else { return None };
                let last = before.bound.filter(|n| (0..MOST_ENTRIES).contains(n))?;
                state.bound = None;
                for n in 0..=last {
                    let word = self.text.word(table.checked_add_signed(i64::from(n) * 4)?)?;
                    next.push((table.wrapping_add_signed(word.into()), state.clone()));
                }
                next.dedup();
            }
            FlowControl::Call if is_syscall => {
                [AX, CX, 11].into_iter().for_each(|n| state.make(n, ip));
                state.compared = None;
                next.push((insn.next_ip(), state));
            }
            FlowControl::Call if insn.code() == Code::Call_rel32_64 => {
                let target = insn.near_branch_target();
                call = Some(target);
                // The call reports a failed assertion, whose text is its first argument; it does
                // not return.
                let is_last = matches!(before.reg(DI), Value::Data(_));
                if !is_last && !self.text.never_returns(target) {
                    let lost = (0..16).filter(|n| !KEPT.contains(n));
                    lost.for_each(|n| state.set(n, Value::Unknown));
                    state.make(AX, ip);
                    state.compared = None;
                    next.push((insn.next_ip(), state));
                }
            }
            FlowControl::Next => {
                effect(&mut state, &insn, info)?;
                (state.frame.len() <= MOST_PLACES).then_some(())?;
                next.push((insn.next_ip(), state));
            }
            FlowControl::XbeginXabortXend if insn.mnemonic() == Mnemonic::Xbegin => {
                state.make(AX, ip);
                next.push((insn.near_branch_target(), state.clone()));
                next.push((insn.next_ip(), state));
            }
            FlowControl::XbeginXabortXend => next.push((insn.next_ip(), state)),
            FlowControl::Exception | FlowControl::Interrupt => {}
            _ => return None,
        }
        let next = next.into_iter().map(|(ip, state)| self.node(ip, state));
        let next = next.collect::<Option<_>>()?;
        let node = self.nodes.get_mut(at)?;
        node.next = next;
        (node.writes, node.reads, node.call, node.returned) = (writes, reads, call, returned);
        node.is_syscall = is_syscall;
        Some(())
    }
}

/// Returns the ways that a conditional branch may go.
fn branches(mut state: State, insn: &Instruction) -> impl Iterator<Item = (u64, State)> {
    let mut taken = state.clone();
    let compared = state.compared;
    let may = |equal: bool| match compared {
        Some((Value::Constant(is), with)) => (is == with) == equal,
        _ => true,
    };
    let (mut goes, mut stays) = (true, true);
    match (insn.mnemonic(), compared) {
        (Mnemonic::Je, Some((value, with))) => {
            (goes, stays) = (may(true), may(false));
            taken.learn(value, with);
        }
        (Mnemonic::Jne, Some((value, with))) => {
            (goes, stays) = (may(false), may(true));
            state.learn(value, with);
        }
        (Mnemonic::Ja, Some((_, with))) => state.bound = Some(with),
        _ => {}
    }
    let goes = goes.then_some((insn.near_branch_target(), taken));
    goes.into_iter().chain(stays.then_some((insn.next_ip(), state)))
}

/// Returns the second operand of an instruction, if its value is known.
fn source(state: &State, insn: &Instruction) -> Value {
    match insn.op1_kind() {
        OpKind::Register => number(insn.op1_register()).map_or(Value::Unknown, |n| state.reg(n)),
        OpKind::Immediate8
        | OpKind::Immediate32
        | OpKind::Immediate64
        | OpKind::Immediate8to32
        | OpKind::Immediate8to64
        | OpKind::Immediate32to64 => Value::Constant(insn.immediate(1) as i32),
        _ => Value::Unknown,
    }
}

/// Returns the writes and reads of an instruction through the pointer.
fn through(
    state: &State,
    insn: &Instruction,
    info: &mut InstructionInfoFactory,
) -> (Vec<Write>, Vec<(i32, i32)>) {
    let (mut writes, mut reads) = (Vec::new(), Vec::new());
    for m in info.info(insn).used_memory() {
        let Some(Value::Pointer(plus)) = number(m.base()).map(|n| state.reg(n)) else { continue };
        if m.index() != Register::None || matches!(m.segment(), Register::FS | Register::GS) {
            continue;
        }
        let at = plus.wrapping_add(m.displacement() as i32);
        let size = m.memory_size().size() as i32;
        let is = |wanted: &[OpAccess]| wanted.contains(&m.access());
        if is(&[OpAccess::Write, OpAccess::ReadWrite, OpAccess::CondWrite, OpAccess::ReadCondWrite])
        {
            let value = match source(state, insn) {
                Value::Constant(value) if insn.mnemonic() == Mnemonic::Mov => Some(value),
                _ => None,
            };
            writes.push(Write { at, size, value });
        }
        if is(&[OpAccess::Read, OpAccess::ReadWrite, OpAccess::ReadCondWrite]) {
            reads.push((at, size));
        }
    }
    (writes, reads)
}

/// The operands of an instruction, as far as its effects need them.
struct Operands {
    /// The register that it writes, or that it compares.
    to: Option<usize>,
    /// The bytes of that register; 0 without one.
    size: usize,
    /// Whether it reads or writes memory of the stack frame.
    is_frame: bool,
    /// The place of that memory.
    slot: i32,
    /// The value of the second operand.
    value: Value,
    /// Whether both operands are the same register.
    same: bool,
}

impl Operands {
    fn of(state: &State, insn: &Instruction) -> Self {
        let is_register = insn.op0_kind() == OpKind::Register;
        Self {
            to: is_register.then(|| number(insn.op0_register())).flatten(),
            size: if is_register { insn.op0_register().size() } else { 0 },
            is_frame: insn.memory_base() == Register::RSP && insn.memory_index() == Register::None,
            slot: state.sp.wrapping_add(insn.memory_displacement64() as i32),
            value: source(state, insn),
            same: is_register
                && insn.op1_kind() == OpKind::Register
                && insn.op0_register() == insn.op1_register(),
        }
    }

    /// Returns what the register holds after a value was moved into it: a 32-bit register keeps a
    /// number whole, but not a pointer.
    fn whole(&self, value: Value) -> Option<Value> {
        match value {
            Value::Constant(_) | Value::Made(_) if self.size == 4 => Some(value),
            v if self.size == 8 && v != Value::Unknown => Some(v),
            _ => None,
        }
    }
}

/// Applies the effects of an instruction that continues with the next one; `None` if the stack
/// pointer is no longer known.
fn effect(state: &mut State, insn: &Instruction, info: &mut InstructionInfoFactory) -> Option<()> {
    if apply(state, insn)? {
        return Some(());
    }
    let ip = insn.ip();
    if insn.rflags_modified() != 0 {
        state.compared = None;
    }
    let info = info.info(insn);
    for used in info.used_registers() {
        let writes = !matches!(used.access(), OpAccess::Read | OpAccess::CondRead | OpAccess::None);
        match number(used.register()) {
            Some(SP) if writes => return None,
            Some(n) if writes => state.make(n, ip),
            _ => {}
        }
    }
    let written = info.used_memory().iter().filter(|m| {
        m.base() == Register::RSP && !matches!(m.access(), OpAccess::Read | OpAccess::CondRead)
    });
    for m in written {
        let at = state.sp.wrapping_add(m.displacement() as i32);
        state.store(at, m.memory_size().size() as i32, Value::Unknown);
    }
    Some(())
}

/// Applies the effects of an instruction whose values we follow, and tells whether it is one.
fn apply(state: &mut State, insn: &Instruction) -> Option<bool> {
    let operands = Operands::of(state, insn);
    let Operands { to, size, value, same, .. } = operands;
    match insn.mnemonic() {
        Mnemonic::Push => {
            let value = to.map_or(Value::Unknown, |n| state.reg(n));
            state.sp = state.sp.wrapping_sub(8);
            let sp = state.sp;
            state.store(sp, 8, value);
        }
        Mnemonic::Pop => {
            let value = state.frame.get(&state.sp).copied().unwrap_or(Value::Unknown);
            state.set(to?, value);
            state.adjust_sp(8);
        }
        Mnemonic::Sub | Mnemonic::Add if to == Some(SP) => {
            let Value::Constant(by) = value else { return None };
            let is_sub = insn.mnemonic() == Mnemonic::Sub;
            state.adjust_sp(if is_sub { by.wrapping_neg() } else { by });
        }
        Mnemonic::Cmp | Mnemonic::Test => {
            let first = to.filter(|_| size >= 4).map_or(Value::Unknown, |n| state.reg(n));
            state.compared = match (insn.mnemonic(), value) {
                (Mnemonic::Cmp, Value::Constant(with)) => Some((first, with)),
                (Mnemonic::Test, _) if same => Some((first, 0)),
                _ => None,
            };
        }
        Mnemonic::Mov => return Some(apply_mov(state, insn, &operands)),
        Mnemonic::Xor | Mnemonic::Sub if same && size >= 4 => {
            state.compared = None;
            state.set(to?, Value::Constant(0));
        }
        Mnemonic::Lea if size == 8 => match address(state, insn) {
            Value::Made(_) => state.make(to?, insn.ip()),
            value => state.set(to?, value),
        },
        // An entry of a table of distances from the table's beginning.
        Mnemonic::Movsxd if size == 8 && insn.memory_index() != Register::None => {
            let base = number(insn.memory_base()).map(|n| state.reg(n));
            let Some(Value::Data(table)) = base else { return Some(false) };
            state.set(to?, Value::Entry(table));
        }
        Mnemonic::Add if size == 8 => {
            let sum = match (to.map(|n| state.reg(n)), value) {
                (Some(Value::Entry(a)), Value::Data(b)) if a == b => Value::Entry(a),
                (Some(Value::Pointer(p)), Value::Constant(n)) => Value::Pointer(p.wrapping_add(n)),
                _ => return Some(false),
            };
            state.compared = None;
            state.set(to?, sum);
        }
        _ => return Some(false),
    }
    Some(true)
}

/// Applies a `mov`, and tells whether its operands are ones that we follow.
fn apply_mov(state: &mut State, insn: &Instruction, operands: &Operands) -> bool {
    let Operands { to, is_frame, slot, value, .. } = *operands;
    let is_load = insn.op1_kind() == OpKind::Memory;
    match to {
        Some(n) if is_load || n != SP => {
            let value = match is_load {
                true => state.frame.get(&slot).copied().filter(|_| is_frame),
                false => Some(value),
            };
            match value.and_then(|v| operands.whole(v)) {
                Some(value) => state.set(n, value),
                None => state.make(n, insn.ip()),
            }
            true
        }
        _ if is_frame && insn.op0_kind() == OpKind::Memory => {
            let size = insn.memory_size().size() as i32;
            let kept = match value {
                Value::Constant(_) | Value::Made(_) => value,
                _ if size == 8 => value,
                _ => Value::Unknown,
            };
            state.store(slot, size, kept);
            true
        }
        _ => false,
    }
}

/// Returns the address that a `lea` computes.
fn address(state: &State, insn: &Instruction) -> Value {
    let base = number(insn.memory_base()).map(|n| state.reg(n));
    match base {
        _ if insn.is_ip_rel_memory_operand() => Value::Data(insn.ip_rel_memory_address()),
        Some(Value::Pointer(plus)) if insn.memory_index() == Register::None => {
            Value::Pointer(plus.wrapping_add(insn.memory_displacement64() as i32))
        }
        _ => Value::Made(insn.ip()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    /// Each page of it has a table of jumps to as many other pages.
    #[derive(Default)]
    struct Tables {
        words: Cell<usize>,
    }

    const PAGE: u64 = 4096;
    const TABLE: u64 = 2048;

    impl Text for Tables {
        fn code(&self, at: u64) -> Vec<u8> {
            // cmp $29 or $255, %ecx; ja; lea TABLE(%rip), %rdx; movsxd (%rdx, %rcx, 4), %rax;
            // add %rdx, %rax; jmp *%rax; ret
            let last = if at < PAGE { 29 } else { 255u32 };
            let lea = (TABLE as u32 - 15).to_le_bytes();
            let parts: [&[u8]; 7] = [
                &[0x81, 0xf9],
                &last.to_le_bytes(),
                &[0x77, 16, 0x48, 0x8d, 0x15],
                &lea,
                &[0x48, 0x63, 0x04, 0x8a],
                &[0x48, 0x01, 0xd0, 0xff, 0xe0],
                &[0xc3],
            ];
            let code = parts.concat();
            code.get((at % PAGE) as usize..).unwrap_or_default().to_vec()
        }

        fn word(&self, at: u64) -> Option<i32> {
            self.words.set(self.words.get() + 1);
            let (page, nth) = (at / PAGE, (at % PAGE - TABLE) / 4);
            let to = (page * 256 + nth + 1) * PAGE;
            Some(to.wrapping_sub(page * PAGE + TABLE) as i32)
        }

        fn never_returns(&self, _: u64) -> bool {
            false
        }
    }

    /// Of eight thousand nodes each may have hundreds that follow it.
    #[test]
    fn nodes_are_counted_when_they_are_made() {
        let text = Tables::default();
        assert!(graph(&text, &Work::new(u64::MAX), 0, DI).is_none());
        let words = text.words.get();
        assert!((10_000..MOST_NODES).contains(&words), "{words}");
    }
}
