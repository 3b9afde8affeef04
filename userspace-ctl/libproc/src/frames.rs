// SPDX-License-Identifier: GPL-2.0
//! Reads `.eh_frame`, by its section or by the program headers: the ends of functions without a
//! symbol, and the rules to unwind their frames, in the compact form of [`abi::unwind`].

use crate::budget::Share;
use crate::files::Source;
use crate::headers;
use crate::maps::{self, Map};
use crate::patient::Memory;
use crate::segment::{segments, Segment};
use crate::work::Work;
use abi::unwind::{Row, Rule, MAX_ROWS, REGISTER};
use gimli::CallFrameInstruction as Instruction;
use gimli::{
    BaseAddresses, CallFrameInstructionIter, CieOrFde, CommonInformationEntry, EhFrame,
    EhFrameOffset, EndianSlice, Error, LittleEndian, Reader, Register, Section, UnwindSection,
    X86_64,
};
use object::{Object, ObjectSection, ReadRef};
use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::HashMap;
use std::fs::File;

type Slice<'d> = EndianSlice<'d, LittleEndian>;
/// The most instructions of the rules that pieces share.
const MOST_COMMON: usize = 256;
/// The most letters that say what entries contain. Compilers write up to six.
const MOST_LETTERS: usize = 16;
/// The most states that the rules of a piece remember at a time.
const MOST_REMEMBERED: usize = 64;
/// The most rules of a piece that are kept for look-ups.
const MOST_RULES: usize = 1 << 16;
/// The most rules of all pieces that are kept for look-ups. A function can jump to thousands of
/// large pieces.
const MOST_KEPT: usize = 1 << 20;
/// The most steps to read the rules of a file: an instruction is one, a piece is [`PIECE`]. A
/// compiler's file with [`MAX_ROWS`] rules needs fewer. The pieces of another one may run the same
/// instructions again and again.
const MOST_STEPS: u64 = 1 << 26;
const PIECE: u64 = 16;

type Entry<'d> = gimli::FrameDescriptionEntry<Slice<'d>>;

/// Returns the unwinding rules of a file; an empty list, if it has none. `None`: they are too many,
/// or would take too long to read. The module counts stacks that end early in a file without rules
/// only if it was told nothing about the file.
pub fn rows(file: &File) -> Option<Vec<Row>> {
    Source::new(file).elf().map_or(Some(Vec::new()), |elf| rows_of(&elf))
}

/// Returns the unwinding rules of a file in memory, like [`rows`].
pub fn rows_in(file: &[u8]) -> Option<Vec<Row>> {
    object::File::parse(file).map_or(Some(Vec::new()), |elf| rows_of(&elf))
}

/// The name of the code that the kernel maps into every process, and the most bytes that it can
/// have.
const VDSO: &str = "[vdso]";
const MOST_VDSO: u64 = 1 << 20;

/// Returns the unwinding rules of the code that the kernel maps into every process. It is read from
/// our own process: another one may have a file of that name, or may have changed the code.
pub fn vdso() -> Vec<Row> {
    let own = std::process::id();
    let read = || {
        let maps = maps::read(own).ok()?;
        let is_it = |m: &&Map| m.identity.inode == 0 && m.path == VDSO;
        let map = maps.iter().find(is_it).filter(|m| m.end - m.start <= MOST_VDSO)?;
        let mut image = vec![0; usize::try_from(map.end - map.start).ok()?];
        Memory::open(own).ok()?.read(&mut image, map.start).ok()?;
        rows_in(&image)
    };
    read().unwrap_or_default()
}

fn rows_of<'d, R: ReadRef<'d>>(elf: &object::File<'d, R>) -> Option<Vec<Row>> {
    if !elf.is_64() || elf.architecture() != object::Architecture::X86_64 {
        return Some(Vec::new());
    }
    let code: Vec<_> = segments(elf).into_iter().filter(|s| s.is_executable).collect();
    Frames::of(elf).map_or(Some(Vec::new()), |f| f.rows(&code, &Work::new(MOST_STEPS)))
}

/// Reads the entry that pieces share. Any number of pieces may share it, and it is read again for
/// each of them, so its only part of any length is limited.
fn common<'d>(
    section: &EhFrame<Slice<'d>>,
    bases: &BaseAddresses,
    at: EhFrameOffset,
) -> gimli::Result<CommonInformationEntry<Slice<'d>>> {
    let mut rest = *section.reader();
    rest.skip(at.0)?;
    rest.read_initial_length()?;
    // The number that marks such an entry, and the version.
    rest.skip(4 + 1)?;
    let mut letters = rest.slice().iter().take(MOST_LETTERS + 1);
    if letters.all(|letter| *letter != 0) {
        return Err(Error::UnknownAugmentation);
    }
    section.cie_from_offset(bases, at)
}

/// An object's frame information.
#[derive(Debug)]
struct Frames<'d> {
    bytes: Cow<'d, [u8]>,
    bases: BaseAddresses,
}

impl<'d> Frames<'d> {
    fn of<R: ReadRef<'d>>(elf: &object::File<'d, R>) -> Option<Self> {
        let (begin, bytes) = match elf.section_by_name(".eh_frame") {
            Some(section) => (section.address(), section.data().ok()?),
            None => headers::eh_frame(elf)?,
        };
        let address = |name: &str| elf.section_by_name(name).map_or(0, |s| s.address());
        let bases = BaseAddresses::default()
            .set_eh_frame(begin)
            .set_text(address(".text"))
            .set_got(address(".got"));
        Some(Self { bytes: bytes.into(), bases })
    }

    fn section(&self) -> EhFrame<Slice<'_>> {
        EhFrame::new(&self.bytes, LittleEndian)
    }

    /// Calls `f` with each piece of code that has rules, until one is damaged. `None`: the work is
    /// over before.
    fn each<'a>(&'a self, work: &Work, f: &mut dyn FnMut(&Entry<'a>)) -> Option<()> {
        let section = self.section();
        let mut entries = section.entries(&self.bases);
        while let Ok(Some(entry)) = entries.next() {
            work.spend(PIECE)?;
            let CieOrFde::Fde(partial) = entry else { continue };
            match partial.parse(common) {
                Ok(fde) => f(&fde),
                Err(_) => break,
            }
        }
        (!work.is_over()).then_some(())
    }

    /// Returns the rules of an object with this code; `None`: they are too many, or take too much
    /// work.
    fn rows(&self, code: &[Segment], work: &Work) -> Option<Vec<Row>> {
        let mut rows = Vec::new();
        self.each(work, &mut |fde| {
            let Some(of) = code.iter().find(|s| s.contains(fde.initial_address())) else { return };
            let start =
                |a: u64| u32::try_from(a.wrapping_sub(of.address).wrapping_add(of.offset)).ok();
            let mut put = |at: u64, row: Option<Row>| {
                // The module takes no file with more rows. Some rows are dropped below.
                if rows.len() > 2 * MAX_ROWS {
                    return work.end();
                }
                rows.extend(start(at).map(|start| Row { start, ..row.unwrap_or_default() }));
            };
            match fde.is_signal_trampoline() {
                true => {
                    let row = Row { rule: Rule::Signal as u8, ..Row::default() };
                    put(fde.initial_address(), Some(row));
                }
                // A damaged piece keeps the rules before the damage.
                false => drop(self.run(fde, work, &mut put)),
            }
            // Behind the piece nothing is known, unless another piece begins there.
            put(fde.end_address(), None);
        })?;
        rows.sort_by_key(|r| (r.start, r.rule == Rule::Unknown as u8));
        rows.dedup_by_key(|r| r.start);
        rows.dedup_by(|next, last| Row { start: last.start, ..*next } == *last);
        Some(rows)
    }

    /// Calls `put` with the rules of a piece of code and the address of each.
    fn run(
        &self,
        fde: &Entry<'_>,
        work: &Work,
        put: &mut dyn FnMut(u64, Option<Row>),
    ) -> Option<()> {
        let cie = fde.cie();
        let mut state = State::default();
        let factors = (cie.code_alignment_factor(), cie.data_alignment_factor());
        let mut at = fde.initial_address();
        let section = self.section();
        let first = cie.instructions(&section, &self.bases);
        // Any number of pieces may share these instructions; each piece runs them again, so they
        // are limited.
        let first = Run { instructions: first, most: MOST_COMMON, work };
        self.change(first, &mut state, State::default(), factors, &mut at, &mut |_, _| {})?;
        let (initial, rest) = (state, fde.instructions(&section, &self.bases));
        let mut put_state = |at: u64, state: &State| put(at, state.row());
        let rest = Run { instructions: rest, most: usize::MAX, work };
        self.change(rest, &mut state, initial, factors, &mut at, &mut put_state)?;
        put(at, state.row());
        Some(())
    }

    /// Applies instructions to a state; calls `put` with the state at each new address.
    fn change(
        &self,
        Run { mut instructions, most, work }: Run<'_>,
        state: &mut State,
        initial: State,
        (code, data): (u64, i64),
        at: &mut u64,
        put: &mut dyn FnMut(u64, &State),
    ) -> Option<()> {
        let mut kept = Vec::new();
        let unfactored = |n: i64| n.wrapping_mul(data);
        let mut left = most;
        while let Some(instruction) = instructions.next().ok()? {
            left = left.checked_sub(1)?;
            work.spend(1)?;
            match instruction {
                Instruction::SetLoc { address } => {
                    put(*at, state);
                    *at = address;
                }
                Instruction::AdvanceLoc { delta } => {
                    put(*at, state);
                    *at = at.wrapping_add(u64::from(delta).wrapping_mul(code));
                }
                Instruction::DefCfa { register, offset } => {
                    state.cfa = Cfa::Behind(register, offset as i64);
                }
                Instruction::DefCfaSf { register, factored_offset } => {
                    state.cfa = Cfa::Behind(register, unfactored(factored_offset));
                }
                Instruction::DefCfaRegister { register } => state.cfa.set(Some(register), None),
                Instruction::DefCfaOffset { offset } => state.cfa.set(None, Some(offset as i64)),
                Instruction::DefCfaOffsetSf { factored_offset } => {
                    state.cfa.set(None, Some(unfactored(factored_offset)));
                }
                Instruction::DefCfaExpression { expression } => {
                    let rule = by_expression(expression.get(&self.section()).ok()?.0.slice());
                    state.cfa = rule.map_or(Cfa::Unknown, |(rule, n)| Cfa::Expression(rule, n));
                }
                Instruction::Undefined { register } => state.set(register, Kept::Nowhere),
                Instruction::SameValue { register } => state.set(register, Kept::Itself),
                Instruction::Offset { register, factored_offset } => {
                    state.set(register, Kept::At(unfactored(factored_offset as i64)));
                }
                Instruction::OffsetExtendedSf { register, factored_offset } => {
                    state.set(register, Kept::At(unfactored(factored_offset)));
                }
                Instruction::Expression { register, expression } => {
                    let e = expression.get(&self.section()).ok()?.0.slice();
                    let is_at_rbp = e == [0x76, 0];
                    state.set(register, if is_at_rbp { Kept::AtRbp } else { Kept::Otherwise });
                }
                Instruction::ValOffset { register, .. }
                | Instruction::ValOffsetSf { register, .. }
                | Instruction::ValExpression { register, .. }
                | Instruction::Register { dest_register: register, .. } => {
                    state.set(register, Kept::Otherwise);
                }
                Instruction::Restore { register } => state.set(register, initial.kept(register)),
                Instruction::RememberState if kept.len() == MOST_REMEMBERED => return None,
                Instruction::RememberState => kept.push(*state),
                Instruction::RestoreState => *state = kept.pop()?,
                _ => {}
            }
        }
        Some(())
    }
}

/// Instructions to run: at most so many, which are part of this work.
struct Run<'a> {
    instructions: CallFrameInstructionIter<'a, Slice<'a>>,
    most: usize,
    work: &'a Work,
}

/// The pieces of an object's code that have rules, for look-ups.
#[derive(Debug)]
pub(crate) struct Pieces {
    frames: Frames<'static>,
    /// The address and the bytes of each, and the offset of its rules; sorted by address.
    all: Vec<(u64, u64, usize)>,
    /// The memory of both.
    _share: Share,
}

impl Pieces {
    pub(crate) fn of<'d, R: ReadRef<'d>>(elf: &object::File<'d, R>) -> Option<Self> {
        let frames = Frames::of(elf)?;
        let mut all = Vec::new();
        let mut share = Share::default();
        // A piece has at least 12 bytes, and the list of pieces grows by doubling.
        if !share.grow(frames.bytes.len().saturating_mul(5)) {
            return None;
        }
        // The memory bounds the steps.
        let work = Work::new(u64::MAX);
        frames.each(&work, &mut |fde| {
            all.push((fde.initial_address(), fde.len(), fde.offset()));
        });
        all.sort_unstable();
        let bytes = frames.bytes.into_owned().into();
        Some(Self { frames: Frames { bytes, bases: frames.bases }, all, _share: share })
    }

    fn find(&self, address: u64) -> Option<&(u64, u64, usize)> {
        let after = self.all.partition_point(|p| p.0 <= address);
        let piece = self.all.get(after.checked_sub(1)?)?;
        (address - piece.0 < piece.1).then_some(piece)
    }

    /// Returns the address and the bytes of the piece around an address.
    pub(crate) fn around(&self, address: u64) -> Option<(u64, u64)> {
        self.find(address).map(|p| (p.0, p.1))
    }

    /// Returns the bytes of the piece that begins at an address; 0: there is none.
    pub(crate) fn size_at(&self, address: u64) -> u64 {
        self.around(address).filter(|p| p.0 == address).map_or(0, |p| p.1)
    }

    /// Returns the rules of a piece; none, if it is damaged.
    fn rules(&self, offset: usize, work: &Work) -> Vec<Start> {
        let section = self.frames.section();
        let fde = section.fde_from_offset(&self.frames.bases, offset.into(), common);
        let mut rules = Vec::new();
        let mut put = |at, row| {
            if rules.len() < MOST_RULES {
                rules.push((at, row));
            }
        };
        let run = |fde| self.frames.run(&fde, work, &mut put);
        match fde.ok().and_then(run) {
            Some(()) => rules,
            None => Vec::new(),
        }
    }
}

/// The address of a rule, and the rule if a [`Row`] can express it.
type Start = (u64, Option<Row>);

/// The rules of the pieces that were looked up last, by the offset of each.
#[derive(Default)]
struct Recent {
    all: HashMap<usize, Vec<Start>>,
    /// The number of rules, and one for each piece.
    count: usize,
}

impl Recent {
    /// Keeps the rules of a piece; forgets the others if they are too many.
    fn put(&mut self, offset: usize, rules: Vec<Start>) {
        let more = rules.len() + 1;
        if self.count + more > MOST_KEPT {
            *self = Self::default();
        }
        self.count += more;
        self.all.insert(offset, rules);
    }
}

/// The rules of [`Pieces`], which are read when they are looked up.
pub(crate) struct Rules<'a> {
    pub(crate) pieces: &'a Pieces,
    pub(crate) work: &'a Work,
    recent: RefCell<Recent>,
}

impl<'a> Rules<'a> {
    /// Looks up rules as part of this work.
    pub(crate) fn of(pieces: &'a Pieces, work: &'a Work) -> Self {
        Self { pieces, work, recent: RefCell::default() }
    }

    /// Returns the rule for the instruction at an address, if it is known; its `start` is not set.
    pub(crate) fn at(&self, address: u64) -> Option<Row> {
        let offset = self.pieces.find(address)?.2;
        let mut recent = self.recent.borrow_mut();
        if !recent.all.contains_key(&offset) {
            recent.put(offset, self.pieces.rules(offset, self.work));
        }
        let rules = recent.all.get(&offset)?;
        let after = rules.partition_point(|r| r.0 <= address);
        rules.get(after.checked_sub(1)?)?.1
    }
}

/// The place where the caller's frame begins.
#[derive(Debug, Clone, Copy, Default)]
enum Cfa {
    Behind(Register, i64),
    /// A rule and its number.
    Expression(u8, i16),
    #[default]
    Unknown,
}

impl Cfa {
    fn set(&mut self, register: Option<Register>, offset: Option<i64>) {
        if let Self::Behind(r, n) = self {
            (*r, *n) = (register.unwrap_or(*r), offset.unwrap_or(*n));
        }
    }
}

/// The place of a register of the caller.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Kept {
    #[default]
    Itself,
    Nowhere,
    /// At this offset from the caller's frame.
    At(i64),
    AtRbp,
    Otherwise,
}

/// The needed state of a frame, which its instructions change.
#[derive(Debug, Clone, Copy, Default)]
struct State {
    cfa: Cfa,
    rbp: Kept,
    back: Kept,
}

impl State {
    fn kept(&self, register: Register) -> Kept {
        if register == X86_64::RBP {
            self.rbp
        } else {
            self.back
        }
    }

    fn set(&mut self, register: Register, to: Kept) {
        match register {
            X86_64::RBP => self.rbp = to,
            X86_64::RA => self.back = to,
            _ => {}
        }
    }

    /// Returns the rule, if a [`Row`] can express it.
    fn row(&self) -> Option<Row> {
        match self.back {
            Kept::Nowhere => return Some(Row { rule: Rule::End as u8, ..Row::default() }),
            Kept::At(-8) => {}
            _ => return None,
        }
        let (rule, cfa) = match self.cfa {
            Cfa::Behind(register, n) => (by_register(register)?, i16::try_from(n).ok()?),
            Cfa::Expression(rule, n) => (rule, n),
            Cfa::Unknown => return None,
        };
        let is_saved = rule == Rule::Saved as u8;
        let rbp = match self.rbp {
            Kept::Itself | Kept::Nowhere => 0,
            Kept::At(at) if at % 8 == 0 && !is_saved => i8::try_from(at / 8).ok()?,
            Kept::AtRbp if is_saved => 0,
            _ => return None,
        };
        Some(Row { start: 0, cfa, rbp, rule })
    }
}

fn by_register(register: Register) -> Option<u8> {
    match register {
        X86_64::RSP => Some(Rule::Rsp as u8),
        X86_64::RBP => Some(Rule::Rbp as u8),
        Register(n @ 0..16) => Some(REGISTER + n as u8),
        _ => None,
    }
}

/// Reads a signed number; also returns the bytes behind it.
fn signed(e: &[u8]) -> Option<(i16, &[u8])> {
    match *e {
        [n @ 0..0x80, ref rest @ ..] => Some((i16::from((n << 1) as i8 >> 1), rest)),
        [low, high @ 0..0x80, ref rest @ ..] => {
            let n = u16::from(low & 0x7f) | u16::from(high) << 7;
            Some(((n << 2) as i16 >> 2, rest))
        }
        _ => None,
    }
}

/// Recognizes the expressions that compilers, linkers and assembly programmers write.
fn by_expression(e: &[u8]) -> Option<(u8, i16)> {
    let (rule, cfa) = match *e {
        // The word at n from rbp.
        [0x76, ref n @ ..] => match signed(n)? {
            (n, [0x06]) => (Rule::Saved, n),
            _ => return None,
        },
        // rsp + 8 + ((rip & 15 >= n) << 3)
        [0x77, 8, 0x80, 0, 0x3f, 0x1a, n @ 0x30..=0x3f, 0x2a, 0x33, 0x24, 0x22] => {
            (Rule::Plt, i16::from(n - 0x30))
        }
        // 8 bytes behind the word at n from rsp.
        [0x77, ref n @ ..] => match signed(n)? {
            (n, [0x06, 0x23, 8]) => (Rule::Kept, n),
            _ => return None,
        },
        _ => return None,
    };
    Some((rule as u8, cfa))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions() {
        let is = |rule: Rule, cfa| Some((rule as u8, cfa));
        assert_eq!(by_expression(&[0x76, 0x78, 0x06]), is(Rule::Saved, -8));
        let plt = [0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22];
        assert_eq!(by_expression(&plt), is(Rule::Plt, 11));
        assert_eq!(by_expression(&[0x77, 0x98, 0x01, 0x06, 0x23, 8]), is(Rule::Kept, 152));
        assert_eq!(by_expression(&[0x77, 0x78, 0x06, 0x23, 8]), is(Rule::Kept, -8));
        assert_eq!(by_expression(&[0x77, 0xf8, 0x7e, 0x06, 0x23, 8]), is(Rule::Kept, -136));
        for e in [&plt[..10], &[0x77, 8, 0x06], &[0x77, 0x98], &[0x76, 0x78], &[]] {
            assert_eq!(by_expression(e), None, "{e:x?}");
        }
        assert_eq!(by_register(X86_64::RAX), Some(REGISTER));
        assert_eq!(by_register(X86_64::RA), None);
    }

    /// Returns frame information with this many pieces that share an entry with this many
    /// instructions.
    fn sharing(letters: usize, instructions: usize, pieces: u32) -> Frames<'static> {
        frames(letters, instructions, pieces, 0)
    }

    /// Returns the same, with pieces that have this many rules each.
    fn frames(letters: usize, instructions: usize, pieces: u32, rules: u32) -> Frames<'static> {
        // Go one byte on.
        let advance = vec![0x41; rules as usize];
        let mut entry = vec![0, 0, 0, 0, 1, b'z'];
        entry.resize(5 + letters, b'S');
        // The end of the letters, the factors, the register of the return address, no data.
        entry.extend([0, 1, 0x78, 16, 0]);
        entry.resize(entry.len() + instructions, 0);
        let mut bytes = (entry.len() as u32).to_le_bytes().to_vec();
        bytes.extend(entry);
        for n in 0..u64::from(pieces) {
            bytes.extend((21 + rules).to_le_bytes());
            bytes.extend((bytes.len() as u32).to_le_bytes());
            bytes.extend([0x1000 + 16 * n, 16].map(u64::to_le_bytes).concat());
            bytes.push(0);
            bytes.extend(&advance);
        }
        bytes.extend([0; 4]);
        Frames { bytes: bytes.into(), bases: BaseAddresses::default().set_eh_frame(0) }
    }

    /// Otherwise a million pieces would each read a megabyte again.
    #[test]
    fn pieces_share_little() {
        for (letters, wanted) in [(1, 9), (MOST_LETTERS, 9), (MOST_LETTERS + 1, 0), (1 << 20, 0)] {
            let frames = sharing(letters, 0, 9);
            let mut found = Vec::new();
            let work = Work::new(MOST_STEPS);
            frames.each(&work, &mut |fde| found.push((fde.initial_address(), fde.offset())));
            assert_eq!(found.len(), wanted, "{letters}");
            let (bytes, bases) = (frames.bytes, frames.bases);
            let offset = 4 + 5 + letters + 5;
            let all = vec![(0x1000, 16, offset)];
            let frames = Frames { bytes, bases };
            let pieces = Pieces { frames, all, _share: Share::default() };
            assert_eq!(pieces.rules(offset, &work).is_empty(), wanted == 0, "{letters}");
        }
    }

    /// Otherwise a file of 100 MB can take gigabytes of memory.
    #[test]
    fn so_many_rules_are_kept() {
        let (frames, mut all) = (frames(1, 0, 40, MOST_RULES as u32), Vec::new());
        let work = Work::new(u64::MAX);
        frames.each(&work, &mut |fde| {
            all.push((fde.initial_address(), fde.len(), fde.offset()));
        });
        assert_eq!(all.len(), 40);
        let pieces = Pieces { frames, all, _share: Share::default() };
        let rules = Rules::of(&pieces, &work);
        for n in 0..40 {
            rules.at(0x1000 + 16 * n);
            let kept = |all: &HashMap<usize, Vec<Start>>| all.values().map(Vec::len).sum::<usize>();
            let recent = rules.recent.borrow();
            assert!((MOST_RULES..=MOST_KEPT).contains(&kept(&recent.all)), "{n}");
        }
        // A piece that was looked up last is not read again.
        let before = format!("{work:?}");
        rules.at(0x1000 + 16 * 39);
        assert_eq!(format!("{work:?}"), before);
    }

    /// A gigabyte of pieces takes minutes if each runs 256 instructions again.
    #[test]
    fn a_file_takes_so_many_steps_and_no_more() {
        const MANY: u32 = 1000;
        let frames = sharing(1, 250, MANY);
        let size = 16 * u64::from(MANY);
        let code = [Segment { offset: 0, size, address: 0x1000, is_executable: true }];
        let entries = u64::from(MANY) + 1;
        let steps = entries * PIECE + u64::from(MANY) * 250;
        let rows = |steps| frames.rows(&code, &Work::new(steps)).map(|rows| rows.len());
        // The rule of each piece is unknown.
        assert_eq!(rows(steps + 1), Some(1));
        assert_eq!([rows(steps), rows(1000), rows(0)], [None; 3]);
    }

    /// Each piece of code in this test's own program has a rule, and a [`Row`] can express most of
    /// them.
    #[test]
    fn our_own() {
        let rows = rows(&File::open("/proc/self/exe").unwrap()).unwrap();
        assert!(rows.is_sorted_by(|a, b| a.start < b.start) && rows.len() > 1000);
        let unknown = rows.windows(2).filter(|w| w[0].rule == Rule::Unknown as u8);
        assert!(unknown.count() * 2 < rows.len());
        assert_eq!(rows_in(b"no program"), Some(Vec::new()));
    }
}
