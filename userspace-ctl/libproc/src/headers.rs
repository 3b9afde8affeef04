// SPDX-License-Identifier: GPL-2.0
//! Reads files without section headers by their program headers: sstrip removes section headers,
//! and programs made in memory may lack them. Everything that the kernel, the linker and exceptions
//! use is still there.

use crate::function::{function, Function, MOST_NAME};
use gimli::{BaseAddresses, EhFrameHdr, LittleEndian, Pointer};
use object::elf::{self, DynamicTag, ProgramType};
use object::pod::slice_from_bytes;
use object::read::elf::{ElfFile, FileHeader, GnuHashTable, HashTable, ProgramHeader, Sym};
use object::{Endianness, File, Object, ObjectSection, ObjectSegment, ReadRef};

/// The most bytes of names and versions that are read although no function has them. Any number of
/// symbols may share a name that is too long. Fewer in tests, which are slow.
const MOST_REJECTED: usize = if cfg!(test) { 8 << 20 } else { 64 << 20 };

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

/// Returns the functions that other objects can call, until too many names were read in vain. Any
/// number of symbols may share a name, so the caller limits what it keeps of them.
pub(crate) fn functions<'d, R: ReadRef<'d>>(
    file: &File<'d, R>,
) -> Option<impl Iterator<Item = Function> + 'd> {
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
    let may_be_function = move |s: &&Symbol| {
        let kind = s.st_type();
        (kind == elf::STT_FUNC || kind == elf::STT_GNU_IFUNC) && !s.is_undefined(endian)
    };
    let mut room = MOST_REJECTED;
    let named = symbols.iter().filter(may_be_function).map_while(move |s| {
        let name = strings.get(s.st_name(endian) as usize..).unwrap_or_default();
        let name = name.get(..=MOST_NAME).unwrap_or(name).split(|b| *b == 0).next()?;
        let (at, size) = (s.st_value(endian), s.st_size(endian));
        let of = |name| function(name, at, size, s.is_local(), s.st_type());
        let found = std::str::from_utf8(name).ok().and_then(of);
        let kept = found.as_ref().map_or(0, |f| f.name.len());
        room = room.checked_sub(name.len() - kept)?;
        Some(found)
    });
    Some(named.flatten())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::Source;

    /// Returns a file without sections whose symbols all have the same name.
    fn shared_name(symbols: usize, name: usize) -> Vec<u8> {
        const BASE: u64 = 64 + 2 * 56;
        let hash_at = BASE + 4 * 16;
        let symbols_at = hash_at + 16;
        let strings_at = symbols_at + 24 * symbols as u64;
        let end = strings_at + name as u64 + 1;
        let mut file = b"\x7fELF\x02\x01\x01".to_vec();
        let mut put = |bytes: &[u8]| file.extend_from_slice(bytes);
        let words = |all: &[u64]| all.iter().flat_map(|n| n.to_le_bytes()).collect::<Vec<_>>();
        put(&[0; 9]);
        put(&[3, 0, 62, 0, 1, 0, 0, 0]);
        put(&words(&[0, 64, 0]));
        put(&[0, 0, 0, 0, 64, 0, 56, 0, 2, 0, 64, 0, 0, 0, 0, 0]);
        put(&[1, 0, 0, 0, 5, 0, 0, 0]);
        put(&words(&[0, 0, 0, end, end, 0x1000]));
        put(&[2, 0, 0, 0, 4, 0, 0, 0]);
        put(&words(&[BASE, BASE, BASE, 4 * 16, 4 * 16, 8]));
        put(&words(&[4, hash_at, 6, symbols_at, 5, strings_at, 0, 0]));
        put(&[1, symbols as u32, 0, 0].map(u32::to_le_bytes).concat());
        for n in 0..symbols as u64 {
            put(&[0, 0, 0, 0, 0x12, 0, 1, 0]);
            put(&words(&[n % end, 1]));
        }
        put(&vec![b'f'; name]);
        put(&[0]);
        file
    }

    #[test]
    fn symbols_that_share_a_name() {
        for (name, wanted) in [(1, 50), (MOST_NAME, 50), (MOST_NAME + 1, 0), (1 << 20, 0)] {
            let file = shared_name(50, name);
            let source = Source::of_bytes(&file);
            let found: Vec<_> = functions(&source.elf().unwrap()).unwrap().collect();
            assert_eq!(found.len(), wanted, "{name}");
            assert!(found.iter().all(|f| f.name.len() == name));
        }
    }

    /// A file of a gigabyte would otherwise have 180 GB of names.
    #[test]
    fn names_that_are_too_long_are_read_up_to_a_limit() {
        let many = MOST_REJECTED / MOST_NAME;
        let count =
            |file: &[u8]| functions(&Source::of_bytes(file).elf().unwrap()).unwrap().count();
        for (symbols, wanted) in [(50, 1), (many - 50, 1), (many + 50, 0)] {
            let mut file = shared_name(symbols, MOST_NAME + 1);
            // The last symbol has one letter.
            let strings = file.len() - (MOST_NAME + 2);
            file[strings - 24..strings - 20].copy_from_slice(&(MOST_NAME as u32).to_le_bytes());
            assert_eq!(count(&file), wanted, "{symbols}");
        }
        // A version is read, but not kept.
        let mut file = shared_name(many + 50, MOST_NAME);
        let version = file.len() - MOST_NAME;
        file[version] = b'@';
        assert!((many..many + 50).contains(&count(&file)));
    }

    /// A file of half a megabyte whose names would take 80 MB, twice.
    #[test]
    fn an_image_has_its_share_only() {
        let path = std::env::temp_dir().join(format!("dtrace-names-{}", std::process::id()));
        std::fs::write(&path, shared_name(20_000, MOST_NAME)).unwrap();
        let file = std::fs::File::open(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        let image = crate::Image::read(file.into(), "", None).unwrap();
        let n = image.functions().len();
        assert!(image.is_cut() && (1..17_000).contains(&n), "{n}");
    }
}
