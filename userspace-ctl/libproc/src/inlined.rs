// SPDX-License-Identifier: GPL-2.0
//! Functions that the compiler has inlined into others, from a file's DWARF.
//!
//! The DWARF is read for the first question about an address of the file. Of its content only the
//! needed parts are parsed: the list of units, then the functions of the units that contain the
//! address.

use crate::debug;
use crate::files::{Source, View};
use addr2line::Context;
use gimli::{Dwarf, EndianRcSlice, LittleEndian, SectionId};
use object::{CompressionFormat, Object, ObjectSection};
use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt;
use std::fs::File;
use std::io::Read;
use std::os::unix::fs::FileExt;
use std::rc::Rc;

type Reader = EndianRcSlice<LittleEndian>;

/// The most bytes of DWARF that are kept of a file. Nothing is read of a file that has more.
const MOST: u64 = 512 << 20;

/// The inlined functions in a file's DWARF.
pub(crate) struct Inlined {
    context: Context<Reader>,
    /// Earlier answers: the same addresses are in many stacks.
    known: RefCell<HashMap<u64, Rc<[String]>>>,
}

impl fmt::Debug for Inlined {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Inlined").finish_non_exhaustive()
    }
}

impl Inlined {
    /// Reads the inlined functions of a file; `None`: it has none that can be read. Data that
    /// several files share comes from another file, which is looked for in `view`.
    pub(crate) fn read(file: &File, view: Option<&View>) -> Option<Self> {
        let source = Source::new(file);
        let elf = source.elf()?;
        let mut room = MOST;
        let mut dwarf = read(file, &elf, &mut room)?;
        if let Some(common) = debug::common(&elf, view) {
            let source = Source::new(&common);
            let elf = source.elf()?;
            dwarf.set_sup(read(&common, &elf, &mut room)?);
        }
        let context = Context::from_dwarf(dwarf).ok()?;
        Some(Self { context, known: RefCell::default() })
    }

    /// Returns the functions that are inlined at an address of the file, the innermost first.
    pub(crate) fn at(&self, address: u64) -> Rc<[String]> {
        let mut known = self.known.borrow_mut();
        known
            .entry(address)
            .or_insert_with(|| self.find(address).unwrap_or_default().into())
            .clone()
    }

    fn find(&self, address: u64) -> Option<Vec<String>> {
        let mut frames = self.context.find_frames(address).skip_all_loads().ok()?;
        let mut names = Vec::new();
        while let Some(frame) = frames.next().ok()? {
            names.push(frame.function?.raw_name().ok()?.into_owned());
        }
        // The last one is the function that contains the others.
        names.pop();
        Some(names)
    }
}

/// Reads the sections that functions need.
fn read<'d>(file: &File, elf: &impl Object<'d>, room: &mut u64) -> Option<Dwarf<Reader>> {
    elf.section_by_name(SectionId::DebugInfo.name())?;
    let load = |id: SectionId| {
        let needed = matches!(
            id,
            SectionId::DebugAbbrev
                | SectionId::DebugAddr
                | SectionId::DebugAranges
                | SectionId::DebugInfo
                | SectionId::DebugLine
                | SectionId::DebugLineStr
                | SectionId::DebugRanges
                | SectionId::DebugRngLists
                | SectionId::DebugStr
                | SectionId::DebugStrOffsets
        );
        let section = elf.section_by_name(id.name()).filter(|_| needed);
        let bytes = match section {
            Some(section) => contents(file, &section, room).ok_or(())?,
            None => Vec::new(),
        };
        Ok(Reader::new(bytes.into(), LittleEndian))
    };
    Dwarf::load::<_, ()>(load).ok()
}

/// Returns the bytes of a section, if there is room for them.
fn contents<'d>(file: &File, section: &impl ObjectSection<'d>, room: &mut u64) -> Option<Vec<u8>> {
    let packed = section.compressed_file_range().ok()?;
    *room = room.checked_sub(packed.uncompressed_size)?;
    let size = usize::try_from(packed.uncompressed_size).ok()?;
    // A damaged file may claim a size that it does not have.
    if packed.compressed_size > file.metadata().ok()?.len() {
        return None;
    }
    let mut bytes = vec![0; usize::try_from(packed.compressed_size).ok()?];
    file.read_exact_at(&mut bytes, packed.offset).ok()?;
    let plain = match packed.format {
        CompressionFormat::None => return Some(bytes),
        CompressionFormat::Zlib => {
            miniz_oxide::inflate::decompress_to_vec_zlib_with_limit(&bytes, size).ok()?
        }
        CompressionFormat::Zstandard => {
            let decoder = ruzstd::decoding::StreamingDecoder::new(&*bytes).ok()?;
            let mut plain = Vec::new();
            decoder.take(packed.uncompressed_size).read_to_end(&mut plain).ok()?;
            plain
        }
        _ => return None,
    };
    Some(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In this test's own program, the code of the standard library is optimized.
    #[test]
    fn our_own() {
        let file = || File::open("/proc/self/exe").unwrap();
        let inlined = Inlined::read(&file(), None).unwrap();
        assert!(inlined.at(0).is_empty());
        let image = crate::Image::read(file().into(), "", None).unwrap();
        let all = image.functions().iter();
        let has = all.filter(|f| !inlined.at(f.address + f.size / 2).is_empty()).count();
        assert!(has > 100, "{has}");
    }

    #[test]
    fn what_has_none() {
        assert!(Inlined::read(&File::open("/proc/self/maps").unwrap(), None).is_none());
    }
}
