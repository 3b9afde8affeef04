// SPDX-License-Identifier: GPL-2.0
//! Notes of `sys/sdt.h`: the probes that a program brings along. Each is a nop, and a note that
//! says where the arguments are: `-4@%eax 8@-8(%rbp) 4@$3`.
//!
//! As everywhere in DTrace, `gc__start` is the probe `gc-start`.

use crate::files::{section, Source};
use abi::user::{UserArg, UserArgKind, LENS, MAX_ARGS, NO_REG};
use object::{Object, ObjectSection, ObjectSymbol};
use std::cell::OnceCell;
use std::collections::HashMap;
use std::fs::File;

/// The place of a USDT probe.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// The provider, without a process number.
    pub provider: String,
    /// The name of the probe.
    pub name: String,
    /// Its address in the file.
    pub address: u64,
    /// The counter of the probe's users; 0: none.
    pub semaphore: u64,
    /// The places of its arguments.
    pub args: Vec<UserArg>,
    /// The indices in `args` of floating-point numbers.
    pub floats: Vec<usize>,
    /// The function that contains it, if the symbols do not tell.
    pub function: Option<Box<str>>,
}

/// The type and the owner of such a note.
const TYPE: u32 = 3;
const OWNER: &[u8] = b"stapsdt\0";
/// The most memory of a note, in bytes.
pub(crate) const WEIGHT: usize = 1024;
/// The most notes of a file.
const MOST_NOTES: usize = 1 << 15;
/// The most symbols of a file that are searched for the names in its notes. Each takes more than a
/// microsecond. An argument that needs a later one is in a place that we cannot read.
const MOST_SYMBOLS: usize = 1 << 20;

/// Returns the notes of a file.
pub fn read(file: &File) -> Vec<Note> {
    let source = Source::new(file);
    let Some(elf) = source.elf() else { return Vec::new() };
    let Some(notes_of) = section(&elf, ".note.stapsdt") else { return Vec::new() };
    let base = elf.section_by_name(".stapsdt.base").map_or(0, |s| s.address());
    // Few notes name symbols.
    let symbols = OnceCell::new();
    let all = || addresses(elf.symbols().chain(elf.dynamic_symbols()), MOST_SYMBOLS);
    let symbol = |name: &str| symbols.get_or_init(all).get(name).copied();
    notes(notes_of, base, elf.is_64(), &symbol)
}

/// Returns the addresses of the first symbols with a definition. If a symbol is defined twice, the
/// first counts.
fn addresses<'d, S: ObjectSymbol<'d>>(
    symbols: impl Iterator<Item = S>,
    most: usize,
) -> HashMap<&'d str, u64> {
    let mut known = HashMap::new();
    for s in symbols.filter(|s| s.is_definition()).take(most) {
        if let Ok(name) = s.name() {
            known.entry(name).or_insert(s.address());
        }
    }
    known
}

fn notes(
    mut data: &[u8],
    base: u64,
    is_64: bool,
    symbol: &dyn Fn(&str) -> Option<u64>,
) -> Vec<Note> {
    let mut found = Vec::new();
    while let (true, Some((owner, kind, desc))) = (found.len() < MOST_NOTES, next(&mut data)) {
        if owner == OWNER && kind == TYPE {
            found.extend(note(desc, base, is_64, symbol));
        }
    }
    found
}

/// Takes the first note off `data`: owner, type and text.
fn next<'d>(data: &mut &'d [u8]) -> Option<(&'d [u8], u32, &'d [u8])> {
    let (head, rest) = data.split_at_checked(12)?;
    let word = |at: usize| Some(u32::from_le_bytes(head.get(at..at + 4)?.try_into().ok()?));
    let padded = |n: u32| (n as usize).next_multiple_of(4);
    let (name, desc) = (word(0)?, word(4)?);
    let (owner, rest) = rest.split_at_checked(padded(name))?;
    // The padding of the last note may be missing.
    let text = rest.get(..desc as usize)?;
    *data = rest.get(padded(desc)..).unwrap_or_default();
    Some((owner, word(8)?, text))
}

/// Returns as much of a name as shows that it is too long: `most` bytes, or the whole name. The
/// module refuses the probe, and dtrace says so.
fn cut(name: &str, most: usize) -> &str {
    let end = (most..name.len()).find(|at| name.is_char_boundary(*at));
    name.get(..end.unwrap_or(name.len())).unwrap_or_default()
}

/// Parses a note. Its three addresses are as wide as the file's. A note has at most [`WEIGHT`]
/// bytes, however long the names in the file are.
fn note(desc: &[u8], base: u64, is_64: bool, symbol: &dyn Fn(&str) -> Option<u64>) -> Option<Note> {
    let size = if is_64 { 8 } else { 4 };
    let word = |n: usize| {
        let mut word = [0; 8];
        word.get_mut(..size)?.copy_from_slice(desc.get(n * size..(n + 1) * size)?);
        Some(u64::from_le_bytes(word))
    };
    // The file may have been moved since (prelink).
    let moved = |a: u64, then: u64| match base {
        0 => a,
        now if is_64 => a.wrapping_add(now).wrapping_sub(then),
        now => a.wrapping_add(now).wrapping_sub(then) & u64::from(u32::MAX),
    };
    let (address, then, semaphore) = (word(0)?, word(1)?, word(2)?);
    let mut texts = desc.get(3 * size..)?.split(|b| *b == 0).map(std::str::from_utf8);
    let (provider, name, args) = (texts.next()?.ok()?, texts.next()?.ok()?, texts.next()?.ok()?);
    let [most_of_provider, .., most_of_name] = LENS;
    let args: Vec<_> = args.split_whitespace().take(MAX_ARGS).collect();
    let is_float = |text: &str| text.split_once('@').is_some_and(|(width, _)| width.ends_with('f'));
    Some(Note {
        provider: cut(provider, most_of_provider).into(),
        name: cut(&name.replace("__", "-"), most_of_name).into(),
        address: moved(address, then),
        semaphore: if semaphore == 0 { 0 } else { moved(semaphore, then) },
        floats: (0..args.len()).filter(|n| is_float(args[*n])).collect(),
        args: args.iter().map(|text| arg(text, symbol).unwrap_or(UNKNOWN)).collect(),
        function: None,
    })
}

/// An argument in a place that we cannot read: reading it is a fault, which dtrace reports.
const UNKNOWN: UserArg = UserArg {
    value: 0,
    kind: UserArgKind::Memory as u8,
    width: 8,
    reg: NO_REG,
    index: NO_REG,
    scale: 1,
    pad: [0; 3],
};

/// The bit of [`UserArg::width`] that marks a signed argument.
const SIGNED: u8 = 128;

/// Parses `-4@-8(%rbp)`, an operand in assembler syntax; `8f@%xmm0` is a `double`.
fn arg(text: &str, symbol: &dyn Fn(&str) -> Option<u64>) -> Option<UserArg> {
    let (width, operand) = match text.split_once('@') {
        Some((width, operand)) => {
            (width.strip_suffix('f').unwrap_or(width).parse::<i8>().ok()?, operand)
        }
        None => (8, text),
    };
    let size = width.unsigned_abs();
    if !matches!(size, 1 | 2 | 4 | 8) || operand.is_empty() {
        return None;
    }
    let width = size | if width < 0 { SIGNED } else { 0 };
    let arg = UserArg { width, ..UNKNOWN };
    if let Some(value) = operand.strip_prefix('$') {
        return Some(UserArg { kind: UserArgKind::Constant as u8, value: number(value)?, ..arg });
    }
    if let Some(n) = operand.strip_prefix("%xmm") {
        let reg = n.parse().ok().filter(|n| *n < 16)?;
        return Some(UserArg { kind: UserArgKind::Vector as u8, reg, ..arg });
    }
    if operand.starts_with('%') {
        return Some(UserArg { kind: UserArgKind::Register as u8, reg: register(operand)?, ..arg });
    }
    let (displacement, inside) = match operand.split_once('(') {
        Some((displacement, rest)) => (displacement, rest.strip_suffix(')')?),
        None => (operand, ""),
    };
    let mut parts = inside.split(',').map(str::trim);
    let base = parts.next().unwrap_or("");
    let or_none = |name: &str| if name.is_empty() { Some(NO_REG) } else { register(name) };
    if base == "%rip" {
        // The assembler counts from an instruction that no longer exists, so the operand means the
        // symbol.
        let value = place(displacement, symbol)? as i64;
        return Some(UserArg { value, reg: RIP, ..arg });
    }
    let value = match displacement {
        "" => 0,
        text => number(text).or_else(|| Some(place(text, symbol)? as i64))?,
    };
    let (reg, index) = (or_none(base)?, or_none(parts.next().unwrap_or(""))?);
    let scale = parts.next().map_or(Some(1), |s| s.parse().ok())?;
    Some(UserArg { value, reg, index, scale, ..arg })
}

/// The base of an argument whose `value` is an address in the file, until the file is mapped.
const RIP: u8 = 16;

impl Note {
    /// Returns the C types of its arguments.
    pub fn types(&self) -> impl Iterator<Item = &'static str> + '_ {
        let is_float = |n| self.floats.contains(&n);
        let of =
            move |(n, arg): (usize, &UserArg)| match (arg.width & !SIGNED, arg.width & SIGNED != 0)
            {
                (4, _) if is_float(n) => "float",
                (8, _) if is_float(n) => "double",
                (1, true) => "int8_t",
                (2, true) => "int16_t",
                (4, true) => "int32_t",
                (1, false) => "uint8_t",
                (2, false) => "uint16_t",
                (4, false) => "uint32_t",
                (_, true) => "int64_t",
                (_, false) => "uint64_t",
            };
        self.args.iter().enumerate().map(of)
    }

    /// Returns the places of its arguments in a process where the file's addresses are higher by
    /// `bias`.
    pub fn args_at(&self, bias: u64) -> Vec<UserArg> {
        let moved = |a: &UserArg| match a.reg {
            RIP => UserArg { value: a.value.wrapping_add_unsigned(bias), reg: NO_REG, ..*a },
            _ => *a,
        };
        self.args.iter().map(moved).collect()
    }
}

/// Returns the address of a symbol plus a number.
fn place(text: &str, symbol: &dyn Fn(&str) -> Option<u64>) -> Option<u64> {
    let split = text.get(1..)?.find(['+', '-']).map_or(text.len(), |at| at + 1);
    let (name, offset) = text.split_at(split);
    let offset = if offset.is_empty() { 0 } else { number(offset.trim_start_matches('+'))? };
    Some(symbol(name)?.wrapping_add_signed(offset))
}

fn number(text: &str) -> Option<i64> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text),
    };
    let n = match digits.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16).ok()?,
        None => digits.parse().ok()?,
    };
    let n = n as i64;
    Some(if negative { n.wrapping_neg() } else { n })
}

/// Parses `%rax`, `%eax`, `%ax`, `%al`, `%ah`; `%r9`, `%r9d`, `%r9w`, `%r9b`.
fn register(name: &str) -> Option<u8> {
    let name = name.strip_prefix('%')?;
    const OLD: [&str; 8] = ["ax", "cx", "dx", "bx", "sp", "bp", "si", "di"];
    const LOW: [&str; 8] = ["al", "cl", "dl", "bl", "spl", "bpl", "sil", "dil"];
    const HIGH: [&str; 4] = ["ah", "ch", "dh", "bh"];
    let at = |list: &[&str], name: &str| list.iter().position(|n| *n == name).map(|n| n as u8);
    if let Some(n) = at(&LOW, name) {
        return Some(n);
    }
    if let Some(n) = at(&HIGH, name) {
        return Some(32 + n);
    }
    if let Some(n) = at(&OLD, name.strip_prefix(['r', 'e']).unwrap_or(name)) {
        return Some(n);
    }
    let digits = name.strip_prefix('r')?.trim_end_matches(['d', 'w', 'b']);
    digits.parse().ok().filter(|n| (8..16).contains(n))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn symbols(name: &str) -> Option<u64> {
        (name == "table").then_some(0x4000)
    }

    fn of(text: &str) -> Option<UserArg> {
        arg(text, &symbols)
    }

    #[test]
    fn operands() {
        let none = NO_REG;
        let (constant, register, memory, vector) = (0, 1, 2, 3);
        for (text, kind, value, width, reg, index, scale) in [
            ("4@$3", constant, 3, 4, none, none, 1),
            ("-8@$-0x10", constant, -16, 8 | 128, none, none, 1),
            ("-4@%eax", register, 0, 4 | 128, 0, none, 1),
            ("8@%r15", register, 0, 8, 15, none, 1),
            ("4@%r9d", register, 0, 4, 9, none, 1),
            ("1@%ah", register, 0, 1, 32, none, 1),
            ("1@%sil", register, 0, 1, 6, none, 1),
            ("%rdi", register, 0, 8, 7, none, 1),
            ("8f@%xmm0", vector, 0, 8, 0, none, 1),
            ("4f@%xmm15", vector, 0, 4, 15, none, 1),
            ("8f@-16(%rbp)", memory, -16, 8, 5, none, 1),
            ("8@-8(%rbp)", memory, -8, 8, 5, none, 1),
            ("2@(%rsp)", memory, 0, 2, 4, none, 1),
            ("8@24(%rax,%rbx,8)", memory, 24, 8, 0, 3, 8),
            ("8@(,%r10,4)", memory, 0, 8, none, 10, 4),
            ("4@table(%rip)", memory, 0x4000, 4, 16, none, 1),
            ("4@table+12(%rip)", memory, 0x400c, 4, 16, none, 1),
            ("4@table-4(%rip)", memory, 0x3ffc, 4, 16, none, 1),
            ("4@table(,%rcx,4)", memory, 0x4000, 4, none, 1, 4),
        ] {
            let want = UserArg { value, kind, width, reg, index, scale, pad: [0; 3] };
            assert_eq!(of(text), Some(want), "{text}");
        }
        for odd in [
            "3@%eax",
            "8@%xmm16",
            "16@%xmm0",
            "8@8f",
            "8@other(%rip)",
            "8@8(%rax",
            "@",
            "",
            "8@",
            "8@$x",
        ] {
            assert_eq!(of(odd), None, "{odd}");
        }
    }

    /// The text of a note can be as long as its section.
    #[test]
    fn a_note_has_its_weight_at_most() {
        let found = |provider: &str, name: &str| {
            let texts = [provider, name, &"8f@%xmm0 ".repeat(99), ""].join("\0");
            let note = note(&[&[1; 24], texts.as_bytes()].concat(), 0, true, &symbols).unwrap();
            let lists = size_of_val(&*note.args) + size_of_val(&*note.floats);
            let bytes = size_of::<Note>() + note.provider.len() + note.name.len() + lists;
            assert!(note.args.len() == MAX_ARGS && bytes <= WEIGHT, "{bytes}");
            [note.provider.len(), note.name.len()]
        };
        let [provider, .., name] = LENS;
        let of = |n: usize| "n".repeat(n);
        assert_eq!(found(&of(provider - 1), &of(name - 1)), [provider - 1, name - 1]);
        // The module refuses these.
        assert_eq!(found(&of(provider), &of(name)), [provider, name]);
        assert_eq!(found(&of(1 << 20), &of(1 << 20)), [provider, name]);
        assert_eq!(found(&"\u{20ac}".repeat(99), ""), [provider, 0]);
        assert_eq!(found(&"\u{1f600}".repeat(99), ""), [provider + 2, 0]);
        // The name counts as the module sees it.
        assert_eq!(found("p", &"__".repeat(name - 1)), [1, name - 1]);
    }

    /// The names of eight million symbols take a quarter of a minute.
    #[test]
    fn so_many_symbols_of_a_file_are_searched() {
        let file = File::open("/proc/self/exe").unwrap();
        let source = Source::new(&file);
        let elf = source.elf().unwrap();
        let seen = std::cell::Cell::new(0);
        let symbols = || elf.symbols().inspect(|_| seen.set(seen.get() + 1));
        assert!(addresses(symbols(), MOST_SYMBOLS).len() > 100 && MOST_SYMBOLS <= 1 << 20);
        assert!(addresses(symbols(), 100).len() <= 100);
        let all = seen.replace(0);
        addresses(symbols(), 1);
        assert!(all > 100 && seen.get() < all);
    }

    #[test]
    fn a_section() {
        let desc = |address: u64, base: u64, semaphore: u64, texts: &str| {
            let words = [address, base, semaphore].map(u64::to_le_bytes).concat();
            [words, texts.as_bytes().to_vec()].concat()
        };
        let note = |owner: &[u8], desc: &[u8]| {
            let sizes = [owner.len() as u32, desc.len() as u32, 3].map(u32::to_le_bytes).concat();
            let mut all = [&sizes, owner, desc].concat();
            all.resize(all.len().next_multiple_of(4), 0);
            all
        };
        let first =
            desc(0x1010, 0x900, 0x3000, "python\0gc__start\0-4@%edi 8f@%xmm0 4f@table(%rip)\0");
        let second = desc(0x1020, 0x900, 0, "python\0line\0\0");
        let bytes = [note(OWNER, &first), note(b"GNU\0", &[1; 7]), note(OWNER, &second)].concat();
        let found = notes(&bytes, 0xa00, true, &symbols);
        let names: Vec<_> = found.iter().map(|n| (&*n.provider, &*n.name, n.address)).collect();
        assert_eq!(names, [("python", "gc-start", 0x1110), ("python", "line", 0x1120)]);
        assert_eq!((found[0].semaphore, found[1].semaphore, found[1].args.len()), (0x3100, 0, 0));
        let args = found[0].args_at(0x10000);
        assert_eq!(args.len(), 3);
        assert_eq!((args[1].kind, args[1].reg), (UserArgKind::Vector as u8, 0));
        assert_eq!(found[0].types().collect::<Vec<_>>(), ["int32_t", "double", "float"]);
        assert_eq!((args[2].value, args[2].reg), (0x14000, NO_REG));
        // Without the section that tells whether the file was moved, it was not moved.
        assert_eq!(notes(&bytes, 0, true, &symbols)[0].address, 0x1010);
        // A 32-bit file has addresses of four bytes.
        let words = [0x1010u32, 0x900, 0x3000].map(u32::to_le_bytes).concat();
        let narrow = note(OWNER, &[&words[..], b"shop\0sale\0-4@%eax 4@8(%ebp)\0"].concat());
        let found = notes(&narrow, 0x800, false, &symbols);
        let [sale] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!((&*sale.provider, &*sale.name), ("shop", "sale"));
        assert_eq!((sale.address, sale.semaphore), (0xf10, 0x2f00));
        assert_eq!((sale.args[0].reg, sale.args[1].reg, sale.args[1].value), (0, 5, 8));
        for cut in 0..bytes.len() {
            assert!(notes(&bytes[..cut], 0, true, &symbols).len() < 3);
        }
    }
}
