// SPDX-License-Identifier: GPL-2.0
//! Functions that the compiler has inlined into others, from a file's DWARF.
//!
//! The DWARF is read for the first question about an address of the file. Of its content only the
//! needed parts are parsed: the list of units, then the functions of the units that contain the
//! address.

use crate::budget::Share;
use crate::debug;
use crate::dwarf::{around, Code, Units};
use crate::files::{Source, View};
use crate::metered::{Fuel, Metered};
use crate::unpack::{self, Timed, Until};
use gimli::{DwarfSections, SectionId};
use object::{CompressionFormat, Object, ObjectSection};
use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::rc::Rc;

/// The most bytes that are read of the list of units, of the functions of a unit, and of a function
/// for one address.
const LIST: u64 = 256 << 20;
const UNIT: u64 = 256 << 20;
const FUNCTION: u64 = 32 << 20;
/// The memory of an answer without its names, in bytes.
const ANSWER: usize = 128;

/// The inlined functions in a file's DWARF.
pub(crate) struct Inlined {
    units: Units,
    fuel: Fuel,
    /// The code of the units.
    code: Vec<Code<usize>>,
    lookups: RefCell<Lookups>,
    share: Share,
}

/// What earlier look-ups have found.
#[derive(Default)]
struct Lookups {
    /// The functions of units.
    functions: HashMap<usize, Rc<[Code<usize>]>>,
    /// Answers: the same addresses are in many stacks.
    known: HashMap<u64, Rc<[String]>>,
    share: Share,
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
        let (fuel, mut share, until) = (Fuel::default(), Share::default(), Until::start());
        let mut dwarf = read(file, &elf, (&fuel, until), &mut share)?.borrow(Metered::clone);
        let common = match debug::common(&elf, view) {
            Some(common) => {
                let source = source.beside(&common);
                let elf = source.elf()?;
                Some(read(&common, &elf, (&fuel, until), &mut share)?)
            }
            None => None,
        };
        fuel.set(LIST);
        if let Some(common) = &common {
            dwarf.set_sup(common.borrow(Metered::clone));
        }
        let common = common.map(|c| Units::new(c.borrow(Metered::clone), None, &fuel));
        let units = Units::new(dwarf, common, &fuel);
        let code = units.code(&mut share);
        Some(Self { units, fuel, code, lookups: RefCell::default(), share })
    }

    /// Tells whether there was too little memory for it.
    pub(crate) fn was_short(&self) -> bool {
        self.share.was_short()
    }

    /// Returns the functions that are inlined at an address of the file, the innermost first.
    pub(crate) fn at(&self, address: u64) -> Rc<[String]> {
        let mut lookups = self.lookups.borrow_mut();
        if let Some(known) = lookups.known.get(&address) {
            return known.clone();
        }
        let found: Rc<[String]> = self.find(&mut lookups, address).unwrap_or_default().into();
        let names: usize = found.iter().map(|name| size_of::<String>() + name.len()).sum();
        if !lookups.share.grow(names + ANSWER) {
            *lookups = Lookups::default();
        } else {
            lookups.known.insert(address, found.clone());
        }
        found
    }

    fn find(&self, lookups: &mut Lookups, address: u64) -> Option<Vec<String>> {
        let unit = *around(&self.code, address)?;
        let Lookups { functions, share, .. } = lookups;
        let functions = functions.entry(unit).or_insert_with(|| {
            self.fuel.set(UNIT);
            self.units.functions(unit, share).into()
        });
        let function = *around(functions, address)?;
        self.fuel.set(FUNCTION);
        self.units.inlined((unit, function), address)
    }
}

/// Reads the sections that functions need.
fn read<'d>(
    file: &File,
    elf: &impl Object<'d>,
    (fuel, until): (&Fuel, Until),
    share: &mut Share,
) -> Option<DwarfSections<Metered>> {
    elf.section_by_name(SectionId::DebugInfo.name())?;
    let load = |id: SectionId| {
        let needed = matches!(
            id,
            SectionId::DebugAbbrev
                | SectionId::DebugAddr
                | SectionId::DebugInfo
                | SectionId::DebugLineStr
                | SectionId::DebugRanges
                | SectionId::DebugRngLists
                | SectionId::DebugStr
                | SectionId::DebugStrOffsets
        );
        let section = elf.section_by_name(id.name()).filter(|_| needed);
        let bytes = match section {
            Some(section) => contents(file, &section, share, until).ok_or(())?,
            None => Vec::new(),
        };
        Ok(Metered::new(bytes, fuel))
    };
    DwarfSections::load::<_, ()>(load).ok()
}

/// Returns the bytes of a section, if there is room for them.
fn contents<'d>(
    file: &File,
    section: &impl ObjectSection<'d>,
    share: &mut Share,
    until: Until,
) -> Option<Vec<u8>> {
    let packed = section.compressed_file_range().ok()?;
    let size = usize::try_from(packed.uncompressed_size).ok()?;
    // A damaged file may claim sizes that it does not have.
    if packed.compressed_size > file.metadata().ok()?.len() {
        return None;
    }
    share.grow(size).then_some(())?;
    let mut from = file;
    from.seek(SeekFrom::Start(packed.offset)).ok()?;
    let mut from = Timed::buffered(from.take(packed.compressed_size), until);
    match packed.format {
        CompressionFormat::None => {
            let mut bytes = vec![0; size];
            from.read_exact(&mut bytes).ok()?;
            Some(bytes)
        }
        CompressionFormat::Zlib => unpack::zlib(from, size),
        CompressionFormat::Zstandard => unpack::zstd(from, size),
        _ => None,
    }
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

    /// Returns an object whose section of DWARF is in the compressed form of zlib.
    fn compressed(data: &[u8], size: u64) -> Vec<u8> {
        const NAMES: &[u8] = b"\0.debug_info\0.shstrtab\0";
        let section = |name: u32, kind: u32, flags: u64, offset: usize, size: usize| {
            let words = [flags, 0, offset as u64, size as u64, 0, 1, 0];
            let name = [name.to_le_bytes(), kind.to_le_bytes()].concat();
            [name, words.map(u64::to_le_bytes).concat()].concat()
        };
        let header = std::fs::read("/proc/self/exe").unwrap()[..64].to_vec();
        let packed = [[1u64, size, 1].map(u64::to_le_bytes).concat().as_slice(), data].concat();
        let at = 64 + NAMES.len();
        let end = at + packed.len();
        let sections = [
            vec![0; 64],
            section(1, 1, 0x800, at, packed.len()),
            section(13, 3, 0, 64, NAMES.len()),
        ];
        let mut file = [header, NAMES.to_vec(), packed, sections.concat()].concat();
        file[0x20..0x30].copy_from_slice(&[0, end as u64].map(u64::to_le_bytes).concat());
        file[0x38..0x40].copy_from_slice(&[0u16, 0, 64, 0].map(u16::to_le_bytes).concat());
        file[0x3c..0x40].copy_from_slice(&[3u16, 2].map(u16::to_le_bytes).concat());
        file[0x3a..0x3c].copy_from_slice(&64u16.to_le_bytes());
        file
    }

    /// Each empty block of a few bits makes the decoder build its tables anew.
    #[test]
    fn a_section_that_takes_long_is_left_out() {
        let blocks = (1u64 << 1 | 1 << 11 | 1 << 21 | 1 << 31).to_le_bytes();
        let data = [&[0x78, 1], &*blocks[..5].repeat(4 << 20)].concat();
        let path = std::env::temp_dir().join(format!("dtrace-blocks-{}", std::process::id()));
        std::fs::write(&path, compressed(&data, 1)).unwrap();
        let begin = std::time::Instant::now();
        assert!(Inlined::read(&File::open(&path).unwrap(), None).is_none());
        assert!(begin.elapsed().as_secs() < 10, "{:?}", begin.elapsed());
        std::fs::remove_file(&path).unwrap();
    }

    #[test]
    fn what_has_none() {
        assert!(Inlined::read(&File::open("/proc/self/maps").unwrap(), None).is_none());
    }
}
