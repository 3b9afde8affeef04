// SPDX-License-Identifier: GPL-2.0
//! Reads files without section headers by their program headers: sstrip removes section headers,
//! and programs made in memory may lack them. Everything that the kernel, the linker and exceptions
//! use is still there.

use crate::function::{function, Function};
use gimli::{BaseAddresses, EhFrameHdr, LittleEndian, Pointer};
use object::elf::{self, DynamicTag, ProgramType};
use object::pod::slice_from_bytes;
use object::read::elf::{ElfFile, FileHeader, GnuHashTable, HashTable, ProgramHeader, Sym};
use object::{Endianness, File, Object, ObjectSection, ObjectSegment, ReadRef};

type Header = elf::FileHeader64<Endianness>;
type Symbol = elf::Sym64<Endianness>;

/// Returns the address, and the bytes in the file, of the first program header of this type.
pub(crate) fn part<'d, R: ReadRef<'d>>(file: &File<'d, R>, of: ProgramType) -> Option<(u64, u64)> {
    fn find<'d, E, R>(file: &ElfFile<'d, E, R>, of: ProgramType) -> Option<(u64, u64)>
    where
        E: FileHeader<Endian = Endianness>,
        R: ReadRef<'d>,
    {
        let endian = file.endian();
        let part = file.elf_program_headers().iter().find(|h| h.p_type(endian) == of)?;
        Some((part.p_vaddr(endian).into(), part.p_filesz(endian).into()))
    }
    match file {
        File::Elf32(file) => find(file, of),
        File::Elf64(file) => find(file, of),
        _ => None,
    }
}

/// Returns the bytes from an address to the end of its segment.
fn data<'d, R: ReadRef<'d>>(file: &File<'d, R>, address: u64) -> Option<&'d [u8]> {
    let segment = file.segments().find(|s| {
        let (_, size) = s.file_range();
        address.wrapping_sub(s.address()) < size
    })?;
    let behind = usize::try_from(address - segment.address()).ok()?;
    segment.data().ok()?.get(behind..)
}

/// Returns the address and the bytes of the frame information, up to the end of the last entry in
/// its table.
pub(crate) fn eh_frame<'d, R: ReadRef<'d>>(file: &File<'d, R>) -> Option<(u64, &'d [u8])> {
    let (header, size) = part(file, elf::PT_GNU_EH_FRAME)?;
    let bases = BaseAddresses::default().set_eh_frame_hdr(header);
    let table = data(file, header)?.get(..usize::try_from(size).ok()?)?;
    let table = EhFrameHdr::new(table, LittleEndian).parse(&bases, 8).ok()?;
    let Pointer::Direct(address) = table.eh_frame_ptr() else { return None };
    let frames = data(file, address)?;
    let mut last = 0;
    let table = table.table()?;
    let mut entries = table.iter(&bases);
    while let Ok(Some((_, Pointer::Direct(entry)))) = entries.next() {
        last = last.max(usize::try_from(entry.checked_sub(address)?).ok()?);
    }
    let size: [u8; 4] = frames.get(last..)?.first_chunk().copied()?;
    let end = last.checked_add(4)?.checked_add(u32::from_le_bytes(size) as usize)?;
    Some((address, frames.get(..end)?))
}

/// Tells whether the linker may change the file's code (`DT_TEXTREL`), so that a process has other
/// code than the file.
pub(crate) fn relocates_code<'d, R: ReadRef<'d>>(file: &File<'d, R>) -> bool {
    const DT_TEXTREL: u64 = 22;
    const DT_FLAGS: u64 = 30;
    const DF_TEXTREL: u64 = 4;
    let by_header = || {
        let (address, size) = part(file, elf::PT_DYNAMIC)?;
        data(file, address)?.get(..usize::try_from(size).ok()?)
    };
    let section = file.section_by_name(".dynamic");
    let dynamic = section.and_then(|s| s.data().ok()).or_else(by_header).unwrap_or_default();
    let word = if file.is_64() { 8 } else { 4 };
    let number = |bytes: &[u8]| bytes.iter().rev().fold(0, |n, b| n << 8 | u64::from(*b));
    dynamic.chunks_exact(2 * word).map(|entry| entry.split_at(word)).any(|(tag, value)| {
        let (tag, value) = (number(tag), number(value));
        tag == DT_TEXTREL || tag == DT_FLAGS && value & DF_TEXTREL != 0
    })
}

/// Returns the functions that other objects can call.
pub(crate) fn functions<'d, R: ReadRef<'d>>(file: &File<'d, R>) -> Option<Vec<Function>> {
    let File::Elf64(wide) = file else { return None };
    let endian = wide.endian();
    let (address, size) = part(file, elf::PT_DYNAMIC)?;
    let dynamic = data(file, address)?.get(..usize::try_from(size).ok()?)?;
    let is = |entry: &[u8], tag: DynamicTag| entry.starts_with(&tag.0.to_le_bytes());
    let at = |tag| {
        let entry = dynamic.chunks_exact(16).find(|entry| is(entry, tag))?;
        data(file, u64::from_le_bytes(*entry.last_chunk()?))
    };
    // Only the hash tables tell the number of symbols.
    let by_gnu = || {
        let table = GnuHashTable::<Header>::parse(endian, at(elf::DT_GNU_HASH)?).ok()?;
        table.symbol_table_length(endian)
    };
    let by_old = || {
        let table = HashTable::<Header>::parse(endian, at(elf::DT_HASH)?).ok()?;
        Some(table.symbol_table_length())
    };
    let count = by_gnu().or_else(by_old)? as usize;
    let (symbols, _) = slice_from_bytes::<Symbol>(at(elf::DT_SYMTAB)?, count).ok()?;
    let strings = at(elf::DT_STRTAB)?;
    let named = symbols.iter().filter_map(|s| {
        let name = strings.get(s.st_name(endian) as usize..)?.split(|b| *b == 0).next()?;
        let kind = s.st_type();
        let is_function = kind == elf::STT_FUNC || kind == elf::STT_GNU_IFUNC;
        if !is_function || s.is_undefined(endian) {
            return None;
        }
        let name = std::str::from_utf8(name).ok()?;
        function(name, s.st_value(endian), s.st_size(endian), s.is_local(), kind)
    });
    Some(named.collect())
}
