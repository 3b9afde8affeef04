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
use gimli::{DwarfSections, SectionId};
use object::{CompressionFormat, Object, ObjectSection};
use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt;
use std::fs::File;
use std::io::Read;
use std::os::unix::fs::FileExt;
use std::rc::Rc;

/// The most bytes of a section in the file.
const MOST_PACKED: usize = 512 << 20;
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
        let (fuel, mut share) = (Fuel::default(), Share::default());
        let mut dwarf = read(file, &elf, &fuel, &mut share)?.borrow(Metered::clone);
        let common = match debug::common(&elf, view) {
            Some(common) => {
                let source = Source::new(&common);
                let elf = source.elf()?;
                Some(read(&common, &elf, &fuel, &mut share)?)
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
    fuel: &Fuel,
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
            Some(section) => contents(file, &section, share).ok_or(())?,
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
) -> Option<Vec<u8>> {
    let packed = section.compressed_file_range().ok()?;
    let size = usize::try_from(packed.uncompressed_size).ok()?;
    let packed_size = usize::try_from(packed.compressed_size).ok()?;
    // A damaged file may claim sizes that it does not have.
    if packed.compressed_size > file.metadata().ok()?.len() || packed_size > MOST_PACKED {
        return None;
    }
    share.grow(size).then_some(())?;
    let mut bytes = vec![0; packed_size];
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
