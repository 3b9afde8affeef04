// SPDX-License-Identifier: GPL-2.0
//! Reads, changes and writes a relocatable object.

use std::mem::size_of;
use zerocopy::{FromBytes, IntoBytes};
use zerocopy_derive::{FromBytes, Immutable, IntoBytes, KnownLayout};

const MAGIC: &[u8] = b"\x7fELF\x02\x01\x01";
const RELOCATABLE: u16 = 1;
const X86_64: u16 = 62;
const PAGE: usize = 4096;

/// `SHT_SYMTAB`, `SHT_RELA`, `SHT_NOBITS`.
const SYMTAB: u32 = 2;
pub const RELA: u32 = 4;
const NOBITS: u32 = 8;
/// `SHF_ALLOC`, `SHF_EXECINSTR`, `SHF_INFO_LINK`, `SHF_GROUP`.
pub const ALLOC: u64 = 2;
pub const EXEC: u64 = 4;
pub const INFO_LINK: u64 = 0x40;
pub const GROUP: u64 = 0x200;
/// `STB_GLOBAL`, `STB_WEAK`, `STT_FUNC`, `STV_HIDDEN`.
pub const GLOBAL: u8 = 1;
pub const WEAK: u8 = 2;
pub const FUNC: u8 = 2;
pub const HIDDEN: u8 = 2;

#[repr(C)]
#[derive(Debug, Clone, Copy, FromBytes, IntoBytes, Immutable, KnownLayout)]
struct Head {
    ident: [u8; 16],
    kind: u16,
    machine: u16,
    version: u32,
    entry: u64,
    segments_at: u64,
    sections_at: u64,
    flags: u32,
    size: u16,
    segment_size: u16,
    segments: u16,
    section_size: u16,
    sections: u16,
    names: u16,
}

#[repr(C)]
#[derive(Debug, Clone, Copy, Default, FromBytes, IntoBytes, Immutable, KnownLayout)]
pub struct Row {
    name: u32,
    pub kind: u32,
    pub flags: u64,
    addr: u64,
    offset: u64,
    size: u64,
    pub link: u32,
    pub info: u32,
    pub align: u64,
    pub entry_size: u64,
}

/// A section.
#[derive(Debug, Clone)]
pub struct Section {
    pub row: Row,
    pub data: Vec<u8>,
}

/// A symbol.
#[repr(C)]
#[derive(Debug, Clone, Copy, FromBytes, IntoBytes, Immutable, KnownLayout)]
pub struct Symbol {
    name: u32,
    pub info: u8,
    pub other: u8,
    pub section: u16,
    pub value: u64,
    pub size: u64,
}

/// A relocation: a place that refers to a symbol.
#[repr(C)]
#[derive(Debug, Clone, Copy, FromBytes, IntoBytes, Immutable, KnownLayout)]
pub struct Rela {
    pub offset: u64,
    pub info: u64,
    pub addend: i64,
}

impl Rela {
    pub fn kind(&self) -> u32 {
        // CAST: the lower half.
        self.info as u32
    }

    pub fn symbol(&self) -> usize {
        (self.info >> 32) as usize
    }
}

/// A relocatable object.
#[derive(Debug)]
pub struct Object {
    head: Head,
    pub sections: Vec<Section>,
    pub symbols: Vec<Symbol>,
    /// The sections of the symbols and of their names.
    symtab: usize,
    strtab: usize,
}

/// Tells whether a file is LLVM's intermediate code, which clang writes with `-flto`.
pub fn is_bitcode(bytes: &[u8]) -> bool {
    bytes.starts_with(b"BC\xc0\xde") || bytes.starts_with(&0x0b17_c0de_u32.to_le_bytes())
}

/// Tells whether a file is a 32-bit ELF object.
pub fn is_narrow(bytes: &[u8]) -> bool {
    bytes.starts_with(b"\x7fELF\x01")
}

/// Returns the structures that bytes contain.
pub fn all<T: FromBytes>(bytes: &[u8]) -> Vec<T> {
    bytes.chunks_exact(size_of::<T>()).filter_map(|b| T::read_from_bytes(b).ok()).collect()
}

fn text(strings: &[u8], at: u32) -> &str {
    let rest = strings.get(at as usize..).unwrap_or_default();
    let end = rest.iter().position(|b| *b == 0).unwrap_or(rest.len());
    rest.get(..end).and_then(|name| std::str::from_utf8(name).ok()).unwrap_or("")
}

impl Object {
    /// Reads an object; the error says why the file is not usable.
    pub fn read(bytes: &[u8]) -> Result<Self, &'static str> {
        if bytes.starts_with(b"!<arch>") {
            return Err("it is an archive: use the objects themselves");
        }
        let (head, _) = Head::read_from_prefix(bytes).map_err(|_| "it is not an ELF object")?;
        if !head.ident.starts_with(MAGIC) || head.machine != X86_64 {
            return Err("it is not an ELF object for x86-64");
        }
        if head.kind != RELOCATABLE {
            return Err("it is already linked: use the objects that the compiler makes (-c)");
        }
        let damaged = "it is damaged: a section lies outside of the file";
        if usize::from(head.section_size) != size_of::<Row>() || head.sections == 0 {
            return Err("it has no sections, or too many");
        }
        let part = |from: u64, size: u64| {
            let from = usize::try_from(from).ok()?;
            bytes.get(from..from.checked_add(usize::try_from(size).ok()?)?)
        };
        let table = u64::from(head.sections) * size_of::<Row>() as u64;
        let (mut sections, mut left) = (Vec::new(), bytes.len());
        for row in all::<Row>(part(head.sections_at, table).ok_or(damaged)?) {
            let size = if row.kind == NOBITS || row.kind == 0 { 0 } else { row.size };
            let data = part(row.offset, size).ok_or(damaged)?.to_vec();
            left = left.checked_sub(data.len()).ok_or("it is damaged: its sections overlap")?;
            sections.push(Section { row, data });
        }
        let symtab = sections.iter().position(|s| s.row.kind == SYMTAB);
        let symtab = symtab.ok_or("it has no symbols: it is stripped")?;
        let table = sections.get(symtab).ok_or(damaged)?;
        let (symbols, strtab) = (all(&table.data), table.row.link as usize);
        if sections.len() <= strtab.max(head.names.into()) {
            return Err(damaged);
        }
        Ok(Self { head, sections, symbols, symtab, strtab })
    }

    /// Tells whether the object is for link-time optimisation: the linker then compiles the program
    /// again, from sections beside the code.
    pub fn is_for_lto(&self) -> bool {
        (0..self.sections.len()).any(|n| self.section_name(n).starts_with(".gnu.lto_"))
    }

    /// A section's name.
    pub fn section_name(&self, at: usize) -> &str {
        let row = self.sections.get(at).map_or(0, |s| s.row.name);
        let names = self.sections.get(usize::from(self.head.names));
        names.map_or("", |s| text(&s.data, row))
    }

    /// A symbol's name.
    pub fn name(&self, symbol: &Symbol) -> &str {
        self.sections.get(self.strtab).map_or("", |s| text(&s.data, symbol.name))
    }

    fn add_text(&mut self, section: usize, text: &str) -> u32 {
        let Some(s) = self.sections.get_mut(section) else { return 0 };
        // CAST: the files that we read are smaller.
        let at = s.data.len() as u32;
        s.data.extend_from_slice(text.as_bytes());
        s.data.push(0);
        at
    }

    /// Adds a symbol that is visible to other objects, but not to other programs or libraries;
    /// returns its number. With section 0 the linker looks for the symbol in other objects.
    pub fn add_symbol(&mut self, name: &str, binding: u8, section: u16, value: u64) -> usize {
        let name = self.add_text(self.strtab, name);
        self.symbols.push(Symbol {
            name,
            info: binding << 4,
            other: HIDDEN,
            section,
            value,
            size: 0,
        });
        self.symbols.len() - 1
    }

    /// Adds a section with the relocations of section `of`.
    pub fn add_relocations(&mut self, name: &str, of: usize, all: &[Rela]) {
        let name = self.add_text(self.head.names.into(), name);
        // CAST: there are less than 2^16 sections.
        let row = Row {
            name,
            kind: RELA,
            flags: INFO_LINK,
            link: self.symtab as u32,
            info: of as u32,
            align: 8,
            entry_size: size_of::<Rela>() as u64,
            ..Row::default()
        };
        self.sections.push(Section { row, data: all.as_bytes().to_vec() });
    }

    /// Returns the object as a file.
    pub fn write(mut self) -> Vec<u8> {
        if let Some(table) = self.sections.get_mut(self.symtab) {
            table.data = self.symbols.as_bytes().to_vec();
        }
        let mut out = vec![0; size_of::<Head>()];
        for s in self.sections.iter_mut() {
            // The linker aligns the sections; in the file they need no more than a page.
            let align = usize::try_from(s.row.align).unwrap_or(1).clamp(1, PAGE);
            out.resize(out.len().next_multiple_of(align), 0);
            s.row.offset = out.len() as u64;
            if s.row.kind != NOBITS && s.row.kind != 0 {
                s.row.size = s.data.len() as u64;
            }
            out.extend_from_slice(&s.data);
        }
        out.resize(out.len().next_multiple_of(8), 0);
        self.head.sections_at = out.len() as u64;
        // CAST: the object had fewer, and few are added.
        self.head.sections = self.sections.len() as u16;
        for s in &self.sections {
            out.extend_from_slice(s.row.as_bytes());
        }
        if let Some(head) = out.get_mut(..size_of::<Head>()) {
            head.copy_from_slice(self.head.as_bytes());
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EMPTY: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/empty.o"));

    /// Returns an object with other rows in its table of sections.
    fn changed(change: impl Fn(&mut Row)) -> Vec<u8> {
        let mut bytes = EMPTY.to_vec();
        let at = Head::read_from_prefix(&bytes).unwrap().0.sections_at as usize;
        let mut rows = all::<Row>(&bytes[at..]);
        rows.iter_mut().for_each(change);
        bytes[at..at + size_of_val(&rows[..])].copy_from_slice(rows.as_bytes());
        bytes
    }

    #[test]
    fn an_object_takes_no_more_memory_than_its_file() {
        assert!(Object::read(&changed(|_| {})).is_ok());
        let whole = changed(|row| (row.offset, row.size) = (0, EMPTY.len() as u64));
        assert!(Object::read(&whole).is_err_and(|why| why.contains("overlap")));
        let aligned = changed(|row| row.align = 1 << 45);
        let written = Object::read(&aligned).unwrap().write();
        assert!(written.len() < EMPTY.len() + 64 * PAGE);
        assert!(Object::read(&written).is_ok());
    }
}
