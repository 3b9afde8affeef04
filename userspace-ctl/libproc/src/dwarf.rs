// SPDX-License-Identifier: GPL-2.0
//! The parts of DWARF that tell which functions are inlined at an address.
//!
//! Everything here ends when the fuel of [`Metered`] is used up, and nothing recurses: the entries of
//! a hostile file can be nested as deeply as the file is long. Tables of lines are not needed, so
//! they are not read.

use crate::budget::Share;
use crate::function::MOST_NAME;
use crate::metered::{Fuel, Metered};
use gimli::{
    Abbreviation as Kind, Abbreviations, Attribute, AttributeSpecification, AttributeValue,
    DebugInfoOffset,
};
use gimli::{DebugAbbrevOffset, DebugAddrBase, DebugRngListsBase, DebugStrOffsetsBase, Dwarf};
use gimli::{DebugLocListsBase, EntriesRaw, Reader as _, Unit, UnitOffset, UnitType};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::sync::Arc;

/// The most units of a file.
const MOST_UNITS: usize = 1 << 20;
/// The most bytes of a table of abbreviations, and how many tables are kept.
const MOST_TABLE: u64 = 512 << 10;
const MOST_TABLES: usize = 4;
/// How many times its size a table takes in memory: an entry of 5 bytes takes 112, or more in a map.
const GROWTH: usize = 32;
/// The most functions that are inlined into one another at an address.
const MOST_INLINED: usize = 128;
/// The most entries through which a name is looked for.
const MOST_HOPS: usize = 16;

type Value = AttributeValue<Metered>;

/// Code, and the place of what is said about it.
pub(crate) type Code<P> = (u64, u64, P);

/// The attributes of an entry that tell where its code is.
#[derive(Default)]
struct Extent {
    low: Option<Value>,
    high: Option<Value>,
    ranges: Option<Value>,
}

impl Extent {
    fn note(&mut self, attribute: &Attribute<Metered>) {
        match attribute.name() {
            gimli::DW_AT_low_pc => self.low = Some(attribute.value()),
            gimli::DW_AT_high_pc => self.high = Some(attribute.value()),
            gimli::DW_AT_ranges => self.ranges = Some(attribute.value()),
            _ => {}
        }
    }

    /// Calls `f` with each piece of the code, until `f` returns false.
    fn each(
        self,
        (dwarf, unit): (&Dwarf<Metered>, &Unit<Metered>),
        f: &mut dyn FnMut(u64, u64) -> bool,
    ) -> Option<()> {
        if let Some(ranges) = self.ranges {
            let mut ranges = dwarf.attr_ranges(unit, ranges).ok()??;
            while let Ok(Some(range)) = ranges.next() {
                if range.begin < range.end && !f(range.begin, range.end) {
                    break;
                }
            }
            return Some(());
        }
        let begin = dwarf.attr_address(unit, self.low?).ok()??;
        let end = match self.high? {
            AttributeValue::Udata(size) => begin.checked_add(size)?,
            high => dwarf.attr_address(unit, high).ok()??,
        };
        if begin < end {
            f(begin, end);
        }
        Some(())
    }
}

/// Returns the piece of code around an address. Pieces are sorted; a few of them may overlap.
pub(crate) fn around<P>(all: &[Code<P>], address: u64) -> Option<&P> {
    const MOST_OVERLAPPING: usize = 8;
    let before = all.get(..all.partition_point(|c| c.0 <= address))?;
    let found = before.iter().rev().take(MOST_OVERLAPPING).find(|c| address < c.1)?;
    Some(&found.2)
}

type Table = (DebugAbbrevOffset, Arc<Abbreviations>, Share);

/// The DWARF of a file.
pub(crate) struct Units {
    dwarf: Dwarf<Metered>,
    /// The offsets of all units, ascending.
    offsets: Vec<usize>,
    /// The last tables of abbreviations.
    tables: RefCell<VecDeque<Table>>,
    fuel: Fuel,
    /// The file whose data several files share.
    common: Option<Box<Units>>,
}

impl Units {
    pub(crate) fn new(dwarf: Dwarf<Metered>, common: Option<Units>, fuel: &Fuel) -> Self {
        let mut offsets = Vec::new();
        let mut headers = dwarf.units();
        while let (true, Ok(Some(header))) = (offsets.len() < MOST_UNITS, headers.next()) {
            offsets.extend(header.offset().as_debug_info_offset().map(|at| at.0));
        }
        let (tables, common) = (RefCell::default(), common.map(Box::new));
        Self { dwarf, offsets, tables, fuel: fuel.clone(), common }
    }

    fn table(&self, at: DebugAbbrevOffset) -> Option<Arc<Abbreviations>> {
        let mut tables = self.tables.borrow_mut();
        if let Some((_, known, _)) = tables.iter().find(|t| t.0 == at) {
            return Some(known.clone());
        }
        // A table takes more memory than it has bytes in the file.
        let all = self.fuel.get();
        let most = all.min(MOST_TABLE);
        self.fuel.set(most);
        let found = self.dwarf.debug_abbrev.abbreviations(at);
        let used = most - self.fuel.get();
        self.fuel.set(all - used);
        let found = Arc::new(found.ok()?);
        let mut share = Share::default();
        if share.grow(used as usize * GROWTH) {
            tables.truncate(MOST_TABLES - 1);
            tables.push_front((at, found.clone(), share));
        }
        Some(found)
    }

    fn unit(&self, at: usize) -> Option<(Unit<Metered>, Extent)> {
        let header = self.dwarf.debug_info.header_from_offset(DebugInfoOffset(at)).ok()?;
        let (encoding, of) = (header.encoding(), self.dwarf.file_type);
        let mut unit = Unit {
            abbreviations: self.table(header.debug_abbrev_offset())?,
            name: None,
            comp_dir: None,
            low_pc: 0,
            str_offsets_base: DebugStrOffsetsBase::default_for_encoding_and_file(encoding, of),
            addr_base: DebugAddrBase(0),
            loclists_base: DebugLocListsBase::default_for_encoding_and_file(encoding, of),
            rnglists_base: DebugRngListsBase::default_for_encoding_and_file(encoding, of),
            line_program: None,
            dwo_id: None,
            header,
        };
        let (mut extent, mut bases) = (Extent::default(), [None, None, None]);
        self.each_attribute(&unit, None, &mut |attribute| {
            extent.note(attribute);
            match attribute.value() {
                AttributeValue::DebugStrOffsetsBase(base) => bases[0] = Some(base.0),
                AttributeValue::DebugAddrBase(base) => bases[1] = Some(base.0),
                AttributeValue::DebugRngListsBase(base) => bases[2] = Some(base.0),
                _ => {}
            }
        })?;
        let [strings, addresses, ranges] = bases;
        unit.str_offsets_base.0 = strings.unwrap_or(unit.str_offsets_base.0);
        unit.addr_base.0 = addresses.unwrap_or(unit.addr_base.0);
        unit.rnglists_base.0 = ranges.unwrap_or(unit.rnglists_base.0);
        let low = extent.low.clone().and_then(|low| self.dwarf.attr_address(&unit, low).ok()?);
        unit.low_pc = low.unwrap_or(0);
        Some((unit, extent))
    }

    /// Reads the kind of the next entry; `Some(None)`: the entry is the end of a list.
    fn kind<'t>(&self, entries: &mut EntriesRaw<'t, '_, Metered>) -> Option<Option<&'t Kind>> {
        let kind = entries.read_abbreviation().ok()?;
        // An attribute need not have any bytes in the entry, but takes time.
        let time = kind.map_or(0, |kind| kind.attributes().len() as u64);
        self.fuel.set(self.fuel.get().checked_sub(time)?);
        Some(kind)
    }

    fn each_attribute(
        &self,
        unit: &Unit<Metered>,
        at: Option<UnitOffset>,
        f: &mut dyn FnMut(&Attribute<Metered>),
    ) -> Option<()> {
        let mut entries = unit.header.entries_raw(&unit.abbreviations, at).ok()?;
        let kind = self.kind(&mut entries)??;
        read(&mut entries, kind.attributes(), f)
    }

    /// Returns the code of all units, with their offsets.
    pub(crate) fn code(&self, share: &mut Share) -> Vec<Code<usize>> {
        let mut code = Vec::new();
        for &at in &self.offsets {
            let Some((unit, extent)) = self.unit(at) else { continue };
            if unit.header.type_() == UnitType::Compilation {
                extent.each((&self.dwarf, &unit), &mut |begin, end| {
                    put(&mut code, (begin, end, at), share)
                });
            }
        }
        code.sort_unstable();
        code
    }

    /// Returns the code of the functions of a unit, with the offsets of their entries.
    pub(crate) fn functions(&self, at: usize, share: &mut Share) -> Vec<Code<usize>> {
        let mut code = Vec::new();
        self.each_function(at, &mut |unit, extent, offset| {
            extent.each((&self.dwarf, unit), &mut |begin, end| {
                put(&mut code, (begin, end, offset), share)
            });
        });
        code.sort_unstable();
        code
    }

    fn each_function(
        &self,
        at: usize,
        f: &mut dyn FnMut(&Unit<Metered>, Extent, usize),
    ) -> Option<()> {
        let (unit, _) = self.unit(at)?;
        let mut entries = unit.header.entries_raw(&unit.abbreviations, None).ok()?;
        while !entries.is_empty() {
            let offset = entries.next_offset().0;
            let Some(kind) = self.kind(&mut entries)? else { continue };
            if kind.tag() != gimli::DW_TAG_subprogram {
                entries.skip_attributes(kind.attributes()).ok()?;
                continue;
            }
            let mut extent = Extent::default();
            read(&mut entries, kind.attributes(), &mut |attribute| extent.note(attribute))?;
            f(&unit, extent, offset);
        }
        Some(())
    }

    /// Returns the functions that are inlined at an address into the function of a unit, the
    /// innermost first. `None`: one of them has no name, or the data are damaged.
    pub(crate) fn inlined(
        &self,
        (at, function): (usize, usize),
        address: u64,
    ) -> Option<Vec<String>> {
        let (unit, _) = self.unit(at)?;
        let from = Some(UnitOffset(function));
        let mut entries = unit.header.entries_raw(&unit.abbreviations, from).ok()?;
        let top = entries.next_depth();
        let kind = self.kind(&mut entries)??;
        entries.skip_attributes(kind.attributes()).ok()?;
        let mut names = Vec::new();
        // The depth of the innermost function that contains the address, and the depth of an entry
        // whose children do not.
        let (mut within, mut without) = (top, isize::MAX);
        while !entries.is_empty() && names.len() < MOST_INLINED {
            let depth = entries.next_depth();
            if depth <= within {
                break;
            }
            let Some(kind) = self.kind(&mut entries)? else { continue };
            if depth > without {
                entries.skip_attributes(kind.attributes()).ok()?;
                continue;
            }
            without = isize::MAX;
            if kind.tag() == gimli::DW_TAG_subprogram {
                without = depth;
            }
            if kind.tag() != gimli::DW_TAG_inlined_subroutine {
                entries.skip_attributes(kind.attributes()).ok()?;
                continue;
            }
            let (mut extent, mut naming) = (Extent::default(), Naming::default());
            read(&mut entries, kind.attributes(), &mut |attribute| {
                extent.note(attribute);
                naming.note(attribute);
            })?;
            let mut has = false;
            extent.each((&self.dwarf, &unit), &mut |begin, end| {
                has = (begin..end).contains(&address);
                !has
            });
            if has {
                within = depth;
                names.push(self.name(&unit, naming)?);
            } else {
                without = depth;
            }
        }
        names.reverse();
        Some(names)
    }

    fn name(&self, unit: &Unit<Metered>, mut naming: Naming) -> Option<String> {
        let (mut units, mut other) = (self, None);
        for _ in 0..MOST_HOPS {
            let unit = other.as_ref().unwrap_or(unit);
            let own = naming.linkage.or(naming.plain);
            if let Some(name) = own.and_then(|own| units.dwarf.attr_string(unit, own).ok()) {
                let is_short = name.len() <= MOST_NAME;
                return is_short.then(|| name.to_string_lossy().ok().map(|n| n.into_owned()))?;
            }
            let (next, offset) = match naming.origin? {
                AttributeValue::UnitRef(offset) => (None, offset),
                AttributeValue::DebugInfoRef(to) => units.entry(to)?,
                AttributeValue::DebugInfoRefSup(to) => {
                    units = units.common.as_deref()?;
                    units.entry(to)?
                }
                _ => return None,
            };
            naming = Naming::default();
            let here = next.as_ref().unwrap_or(unit);
            units.each_attribute(here, Some(offset), &mut |attribute| naming.note(attribute))?;
            other = next.or(other);
        }
        None
    }

    /// Returns the unit that contains an entry, and the entry's offset there.
    fn entry(&self, to: DebugInfoOffset) -> Option<(Option<Unit<Metered>>, UnitOffset)> {
        let after = self.offsets.partition_point(|at| *at <= to.0);
        let (unit, _) = self.unit(*self.offsets.get(after.checked_sub(1)?)?)?;
        let offset = to.to_unit_offset(&unit.header)?;
        Some((Some(unit), offset))
    }
}

/// The attributes of an entry that tell its name.
#[derive(Default)]
struct Naming {
    linkage: Option<Value>,
    plain: Option<Value>,
    /// The entry that it is an instance of.
    origin: Option<Value>,
}

impl Naming {
    fn note(&mut self, attribute: &Attribute<Metered>) {
        let place = match attribute.name() {
            gimli::DW_AT_linkage_name | gimli::DW_AT_MIPS_linkage_name => &mut self.linkage,
            gimli::DW_AT_name => &mut self.plain,
            gimli::DW_AT_abstract_origin | gimli::DW_AT_specification => &mut self.origin,
            _ => return,
        };
        *place = Some(attribute.value());
    }
}

/// Adds a piece of code, if there is room for it.
fn put(code: &mut Vec<Code<usize>>, piece: Code<usize>, share: &mut Share) -> bool {
    // The list grows by doubling.
    let fits = share.grow(2 * size_of::<Code<usize>>());
    code.extend(fits.then_some(piece));
    fits
}

fn read(
    entries: &mut EntriesRaw<'_, '_, Metered>,
    attributes: &[AttributeSpecification],
    f: &mut dyn FnMut(&Attribute<Metered>),
) -> Option<()> {
    attributes.iter().try_for_each(|a| entries.read_attribute(*a).map(|a| f(&a))).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use gimli::{DwarfSections, SectionId};

    /// A compilation unit, a function, a function inlined there, a unit with a list of ranges, an
    /// instance of another entry. Each has its attributes and their forms.
    const KINDS: &[u8] = &[
        1, 0x11, 1, 0x11, 0x01, 0x12, 0x06, 0, 0, //
        2, 0x2e, 1, 0x03, 0x08, 0x11, 0x01, 0x12, 0x06, 0, 0, //
        3, 0x1d, 1, 0x03, 0x08, 0x11, 0x01, 0x12, 0x06, 0, 0, //
        4, 0x11, 0, 0x55, 0x17, 0, 0, //
        5, 0x1d, 1, 0x31, 0x13, 0x11, 0x01, 0x12, 0x06, 0, 0, //
        0,
    ];

    fn code(begin: u64, size: u32) -> Vec<u8> {
        [&begin.to_le_bytes()[..], &size.to_le_bytes()].concat()
    }

    fn unit(entries: &[u8]) -> Vec<u8> {
        let size = (entries.len() as u32 + 7).to_le_bytes();
        [&size[..], &[4, 0, 0, 0, 0, 0, 8], entries].concat()
    }

    fn units(info: Vec<u8>, ranges: Vec<u8>, fuel: &Fuel) -> Units {
        let mut sections = [Some(info), Some(ranges)];
        let load = |id| {
            let bytes = match id {
                SectionId::DebugAbbrev => KINDS.to_vec(),
                SectionId::DebugInfo => sections[0].take().unwrap(),
                SectionId::DebugRanges => sections[1].take().unwrap(),
                _ => Vec::new(),
            };
            Ok::<_, ()>(Metered::new(bytes, fuel))
        };
        let sections = DwarfSections::load(load).unwrap();
        fuel.set(1 << 24);
        Units::new(sections.borrow(Metered::clone), None, fuel)
    }

    #[test]
    fn functions_within_one_another() {
        let named = |kind: u8, name: &str, begin, size| {
            [&[kind], name.as_bytes(), &[0], &code(begin, size)[..]].concat()
        };
        // The second function within `f` is an instance of the entry that names the first.
        let first = 11 + 13 + named(2, "f", 0, 0).len() as u32;
        let instance = [&[5][..], &first.to_le_bytes(), &code(0x1040, 0x20)].concat();
        let entries = [
            [&[1][..], &code(0x1000, 0x1000)].concat(),
            named(2, "f", 0x1000, 0x100),
            named(3, "one", 0x1010, 0x10),
            named(3, "two", 0x1018, 4),
            vec![0, 0],
            instance,
            vec![0, 0],
            named(2, "g", 0x1100, 0x100),
            vec![0, 0],
        ];
        let units = units(unit(&entries.concat()), Vec::new(), &Fuel::default());
        let code = units.code(&mut Share::default());
        assert_eq!(code, [(0x1000, 0x2000, 0)]);
        let functions = units.functions(0, &mut Share::default());
        assert_eq!(functions.len(), 2);
        let at = |address| units.inlined((0, *around(&functions, address)?), address);
        let names = |all: &[&str]| Some(all.iter().map(|n| n.to_string()).collect());
        assert_eq!(at(0x1000), names(&[]));
        assert_eq!(at(0x1010), names(&["one"]));
        assert_eq!(at(0x1019), names(&["two", "one"]));
        assert_eq!(at(0x1050), names(&["one"]));
        assert_eq!(at(0x1150), names(&[]));
        assert_eq!(at(0x1200), None);
    }

    /// Reading it by recursion would need more stack than there is.
    #[test]
    fn many_functions_within_one_another() {
        let one = [&[3, b'f', 0][..], &code(0x1000, 0x100)].concat();
        let entries = [&[1][..], &code(0x1000, 0x100), &[2, b'g', 0], &code(0x1000, 0x100)];
        let entries = [entries.concat(), one.repeat(100_000)].concat();
        let units = units(unit(&entries), Vec::new(), &Fuel::default());
        let functions = units.functions(0, &mut Share::default());
        assert_eq!(functions.len(), 1);
        assert_eq!(units.inlined((0, functions[0].2), 0x1000).unwrap().len(), MOST_INLINED);
    }

    /// A megabyte of units that share a megabyte of ranges: 4 thousand million pieces of code.
    #[test]
    fn units_that_share_a_list() {
        let ranges: Vec<u8> = (1..65_536u64)
            .flat_map(|n| [n << 8, (n << 8) + 1])
            .flat_map(u64::to_le_bytes)
            .collect();
        let all = unit(&[4, 0, 0, 0, 0]).repeat(1 << 16);
        let fuel = Fuel::default();
        let units = units(all, ranges, &fuel);
        fuel.set(1 << 21);
        let code = units.code(&mut Share::default());
        assert!(fuel.get() == 0 && (65_535..1 << 18).contains(&code.len()), "{}", code.len());
    }
}
