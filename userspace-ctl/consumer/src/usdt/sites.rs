// SPDX-License-Identifier: GPL-2.0
//! The probe sites of an object. They are found, replaced by instructions that do nothing, and
//! given symbols by which a later run finds them.
//!
//! | call | becomes | when the probe is enabled, the kernel |
//! |---|---|---|
//! | `call probe` | `nop` | fires |
//! | `jmp probe` | `ret; nop` | fires |
//! | `call question` | `xor %eax,%eax; nop` | makes it return 1 |
//! | `jmp question` | `xor %eax,%eax; ret; nop` | makes it return 1 |
//!
//! A conditional jump to one of these functions becomes a jump around the replacement.

use super::elf::{self, Object, Rela, ALLOC, EXEC, FUNC, GLOBAL, GROUP, HIDDEN, WEAK};
use super::{BETWEEN, CALL, QUESTION};
use d::Provider;
use std::collections::{BTreeMap, HashMap};
use std::mem::size_of;
use zerocopy::IntoBytes;

/// The prefix of the symbols of sites. Then follow: `p` for a probe or `e` for a question;
/// provider; probe; a number; and a key, which is unique to this object, or the name of a function
/// that several objects share.
const PLACE: &str = "$dtrace";

/// The alignment of functions.
const ALIGNED: usize = 16;

/// The most bytes of a function's name that are kept. The kernel refuses all probes of a program with
/// a longer one.
const MOST: usize = abi::probe::FUNCTION_LEN - 1;

/// A probe site, or the site of a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Site {
    /// The symbol at this site.
    pub symbol: String,
    /// Other objects may have the same site, and then only one of them counts.
    pub is_shared: bool,
    pub provider: usize,
    pub probe: usize,
    /// It is the question whether the probe is enabled.
    pub is_question: bool,
    pub function: String,
    pub section: u16,
    pub offset: u64,
}

/// The `R_X86_64_*` relocations of calls and jumps.
const PC32: u32 = 2;
const PLT32: u32 = 4;
const GOT: [u32; 3] = [9, 41, 42];

/// Provider number, probe number, and whether it is a question.
type Meaning = (usize, usize, bool);

/// Replaces the calls of the providers' probes; returns all sites, including those of earlier runs.
pub fn take(object: &mut Object, key: &str, providers: &[Provider]) -> Result<Vec<Site>, String> {
    let meanings: HashMap<String, Meaning> = functions(providers).collect();
    let mut wanted = HashMap::new();
    for (n, symbol) in object.symbols.iter().enumerate() {
        let name = object.name(symbol);
        match meanings.get(name) {
            Some(meaning) => drop(wanted.insert(n, *meaning)),
            None => undeclared(name, providers)?,
        }
    }
    let mut found = known(object, providers);
    let mut numbers: BTreeMap<String, usize> = BTreeMap::new();
    for n in 0..object.sections.len() {
        for site in in_section(object, n, &wanted)? {
            let Found { section, offset, meaning: (provider, probe, is_question) } = site;
            let function = function_at(object, section, offset);
            let row = object.sections.get(usize::from(section)).map(|s| s.row);
            let is_shared = row.is_some_and(|row| row.flags & GROUP != 0);
            let of = if is_shared { function.as_str() } else { key };
            let names = providers.get(provider).and_then(|p| Some((p, p.probes.get(probe)?)));
            let Some((p, q)) = names else { continue };
            let head = head(&p.name, &q.name, is_question);
            let number = numbers.entry(format!("{head}.{of}")).or_default();
            let symbol = format!("{head}.{number}.{of}");
            *number += 1;
            found.push(add(object, symbol, site, is_shared, &function));
        }
    }
    // The symbols are no longer used. They become weak, so that no library seems to need them.
    for n in wanted.keys() {
        if let Some(symbol) = object.symbols.get_mut(*n) {
            (symbol.info, symbol.other) = (WEAK << 4, HIDDEN);
        }
    }
    Ok(found)
}

/// Defines the functions that the program's probes and questions call, each with its one site; the
/// program's objects link unchanged. `None`: the object has no code section.
pub fn define(object: &mut Object, key: &str, providers: &[Provider]) -> Option<Vec<Site>> {
    let at = (0..object.sections.len()).find(|n| object.section_name(*n) == ".text")?;
    let section = u16::try_from(at).ok()?;
    let row = &mut object.sections.get_mut(at)?.row;
    row.align = row.align.max(ALIGNED as u64);
    let mut found = Vec::new();
    for (function, meaning) in functions(providers) {
        let (provider, probe, is_question) = meaning;
        let code = &mut object.sections.get_mut(at)?.data;
        code.resize(code.len().next_multiple_of(ALIGNED), NOPS.get(1)?.first().copied()?);
        let offset = code.len() as u64;
        // The same code as for a jump: arguments on the stack are behind a return address.
        code.extend_from_slice(if is_question { &CLEAR[..] } else { &[] });
        code.push(RET);
        code.extend_from_slice(NOPS.get(if is_question { 2 } else { 4 })?);
        let size = code.len() as u64 - offset;
        let n = object.add_symbol(&function, GLOBAL, section, offset);
        if let Some(s) = object.symbols.get_mut(n) {
            (s.info, s.size) = (GLOBAL << 4 | FUNC, size);
        }
        let p = providers.get(provider)?;
        let symbol = format!("{}.0.{key}", head(&p.name, &p.probes.get(probe)?.name, is_question));
        found.push(add(object, symbol, Found { section, offset, meaning }, false, &function));
    }
    Some(found)
}

/// Returns the prefix of the symbols of a probe's sites, or of its questions.
fn head(provider: &str, probe: &str, is_question: bool) -> String {
    let kind = if is_question { 'e' } else { 'p' };
    format!("{PLACE}.{kind}.{provider}.{probe}")
}

/// Gives a site its symbol.
fn add(object: &mut Object, symbol: String, at: Found, is_shared: bool, function: &str) -> Site {
    let Found { section, offset, meaning: (provider, probe, is_question) } = at;
    object.add_symbol(&symbol, GLOBAL, section, offset);
    let function = short(function);
    Site { symbol, is_shared, provider, probe, is_question, function, section, offset }
}

/// Returns the functions that a program calls for its probes. They exist nowhere.
fn functions(providers: &[Provider]) -> impl Iterator<Item = (String, Meaning)> + '_ {
    providers.iter().enumerate().flat_map(|(n, provider)| {
        provider.probes.iter().enumerate().flat_map(move |(m, probe)| {
            let name = format!("{}{BETWEEN}{}", provider.name, probe.name);
            [(false, CALL), (true, QUESTION)]
                .map(|(is_question, prefix)| (format!("{prefix}{name}"), (n, m, is_question)))
        })
    })
}

/// Rejects a probe that its provider does not declare; other providers are handled in another run.
fn undeclared(name: &str, providers: &[Provider]) -> Result<(), String> {
    let rest = name.strip_prefix(CALL).or_else(|| name.strip_prefix(QUESTION));
    for provider in providers {
        let of = rest.and_then(|rest| rest.strip_prefix(&provider.name)?.strip_prefix(BETWEEN));
        if let Some(probe) = of {
            return Err(format!(
                "it calls probe {probe}, which provider {} does not have",
                provider.name
            ));
        }
    }
    Ok(())
}

/// Returns the sites from earlier runs.
fn known(object: &Object, providers: &[Provider]) -> Vec<Site> {
    let mut found = Vec::new();
    for symbol in object.symbols.iter().filter(|s| s.section != 0) {
        let name = object.name(symbol);
        let mut words = name.splitn(6, '.');
        let mut word = || words.next().unwrap_or("");
        let [place, kind, of, called, _, key] = std::array::from_fn(|_| word());
        if place != PLACE {
            continue;
        }
        let Some(provider) = providers.iter().position(|p| p.name == of) else { continue };
        let probes = providers.get(provider).map_or(&[][..], |p| &p.probes);
        let Some(probe) = probes.iter().position(|p| p.name == called) else { continue };
        let function = function_at(object, symbol.section, symbol.value);
        found.push(Site {
            symbol: name.to_string(),
            is_shared: key == function,
            provider,
            probe,
            is_question: kind == "e",
            function: short(&function),
            section: symbol.section,
            offset: symbol.value,
        });
    }
    found
}

struct Found {
    section: u16,
    offset: u64,
    meaning: Meaning,
}

/// Replaces the calls of one relocation section.
fn in_section(
    object: &mut Object,
    at: usize,
    wanted: &HashMap<usize, Meaning>,
) -> Result<Vec<Found>, String> {
    let Some(row) = object.sections.get(at).map(|s| s.row) else { return Ok(Vec::new()) };
    let target = row.info as usize;
    let flags = object.sections.get(target).map_or(0, |s| s.row.flags);
    if row.kind != elf::RELA || flags & ALLOC == 0 {
        return Ok(Vec::new());
    }
    let mut all: Vec<Rela> = object.sections.get(at).map_or(Vec::new(), |s| elf::all(&s.data));
    let mut found = Vec::new();
    for (n, rela) in all.iter_mut().enumerate() {
        let Some(&meaning) = wanted.get(&rela.symbol()) else { continue };
        let section = u16::try_from(target).map_err(|_| "it has too many sections".to_string())?;
        let code = object.sections.get_mut(target).map(|s| &mut s.data);
        let is_code = flags & EXEC != 0;
        let place = code.filter(|_| is_code).and_then(|code| replace(code, rela, meaning.2));
        let Some(offset) = place else {
            let symbol = object.symbols.get(rela.symbol());
            let name = symbol.map_or("", |s| object.name(s));
            let function = function_at(object, section, rela.offset);
            return Err(format!(
                "{function} ({}+{:#x}) refers to {name} by what is no direct call: \
                 a probe can be called, by its macro, and no more",
                object.section_name(target),
                rela.offset
            ));
        };
        found.push(Found { section, offset, meaning });
        (rela.info, rela.addend) = (0, 0);
        let bytes = object.sections.get_mut(at).map(|s| &mut s.data);
        let from = n * size_of::<Rela>();
        if let Some(to) = bytes.and_then(|b| b.get_mut(from..from + size_of::<Rela>())) {
            to.copy_from_slice(rela.as_bytes());
        }
    }
    Ok(found)
}

/// Instructions that do nothing, by length.
const NOPS: [&[u8]; 7] = [
    &[],
    &[0x90],
    &[0x66, 0x90],
    &[0x0f, 0x1f, 0x00],
    &[0x0f, 0x1f, 0x40, 0x00],
    &[0x0f, 0x1f, 0x44, 0x00, 0x00],
    &[0x66, 0x0f, 0x1f, 0x44, 0x00, 0x00],
];
const RET: u8 = 0xc3;
const CLEAR: [u8; 2] = [0x31, 0xc0];

/// Replaces a call; returns the offset of the site. `None`: it is not a call.
fn replace(code: &mut [u8], rela: &Rela, is_question: bool) -> Option<u64> {
    let at = usize::try_from(rela.offset).ok()?;
    let before = |n: usize| Some(*code.get(at.checked_sub(n)?)?);
    let is_near = matches!(rela.kind(), PC32 | PLT32);
    let is_got = GOT.contains(&rela.kind());
    // The number of opcode bytes before the address, whether it jumps, and its condition.
    let (head, jumps, condition) = match (before(2), before(1)?) {
        (_, 0xe8) if is_near => (1, false, None),
        (_, 0xe9) if is_near => (1, true, None),
        (Some(0x0f), cc @ 0x80..=0x8f) if is_near => (2, true, Some(cc & 15)),
        (Some(0xff), 0x15) if is_got => (2, false, None),
        (Some(0xff), 0x25) if is_got => (2, true, None),
        _ => return None,
    };
    let mut new = Vec::new();
    // The opposite condition skips the rest.
    new.extend(condition.map(|cc| [0x70 | (cc ^ 1), 4]).into_iter().flatten());
    let offset = at - head + new.len();
    if is_question {
        new.extend(CLEAR);
    }
    new.extend(jumps.then_some(RET));
    let room = code.get_mut(at - head..at + 4)?;
    let rest = room.len().checked_sub(new.len())?;
    new.extend_from_slice(NOPS.get(rest)?);
    room.copy_from_slice(&new);
    Some(offset as u64)
}

/// Returns the name of the function around a place, or of the section without one.
fn function_at(object: &Object, section: u16, offset: u64) -> String {
    let holds = |s: &&elf::Symbol| {
        let within = offset.wrapping_sub(s.value) < s.size.max(1);
        s.info & 15 == FUNC && s.section == section && within
    };
    let found = object.symbols.iter().find(holds).map(|s| object.name(s));
    found.unwrap_or_else(|| object.section_name(section.into())).to_string()
}

/// Returns a function's name for its probes: without the suffixes of the compiler's copies and
/// parts.
fn short(function: &str) -> String {
    let plain = match function.find('.') {
        Some(at) if at > 0 => function.get(..at).unwrap_or(function),
        _ => function,
    };
    let mut end = plain.len().min(MOST);
    while !plain.is_char_boundary(end) {
        end -= 1;
    }
    plain.get(..end).unwrap_or_default().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_become_nothing() {
        let (near, got) = (PLT32, 41);
        for (kind, question, was, want, place) in [
            (near, false, &[0xe8][..], &[0x0f, 0x1f, 0x44, 0, 0][..], 0),
            (near, true, &[0xe8], &[0x31, 0xc0, 0x0f, 0x1f, 0], 0),
            (near, false, &[0xe9], &[RET, 0x0f, 0x1f, 0x40, 0], 0),
            (near, true, &[0xe9], &[0x31, 0xc0, RET, 0x66, 0x90], 0),
            (near, false, &[0x0f, 0x84], &[0x75, 4, RET, 0x0f, 0x1f, 0], 2),
            (near, true, &[0x0f, 0x85], &[0x74, 4, 0x31, 0xc0, RET, 0x90], 2),
            (got, false, &[0xff, 0x15], &[0x66, 0x0f, 0x1f, 0x44, 0, 0], 0),
            (got, true, &[0xff, 0x25], &[0x31, 0xc0, RET, 0x0f, 0x1f, 0], 0),
        ] {
            let mut code = [&[0x55][..], was, &[0; 4], &[0x5d]].concat();
            let offset = 1 + was.len() as u64;
            let rela = Rela { offset, info: kind.into(), addend: -4 };
            assert_eq!(replace(&mut code, &rela, question), Some(1 + place), "{was:x?}");
            assert_eq!(code, [&[0x55][..], want, &[0x5d]].concat());
        }
        let rela = Rela { offset: 3, info: PC32.into(), addend: -4 };
        // lea probe(%rip), %rdi
        assert_eq!(replace(&mut [0x48, 0x8d, 0x3d, 0, 0, 0, 0], &rela, false), None);
        assert_eq!(replace(&mut [0x55, 0xe8], &Rela { offset: 2, ..rela }, false), None);
    }

    #[test]
    fn names_of_parts() {
        assert_eq!(short("work.constprop.0"), "work");
        assert_eq!(short(".text.unlikely"), ".text.unlikely");
        assert_eq!(short(&"\u{e4}".repeat(150)), "\u{e4}".repeat(MOST / 2));
    }
}
