// SPDX-License-Identifier: GPL-2.0
//! A program's file: segments, functions, bytes of code.
//!
//! Addresses here are the file's own; a process has them shifted by a [`bias`](Image::bias).
//!
//! | the file has | its functions come from |
//! |---|---|
//! | `.symtab` | `.symtab` |
//! | a file with its build id in `/usr/lib/debug`, or one that it names | that file's `.symtab` |
//! | `.gnu_debugdata` | `.gnu_debugdata` and `.dynsym` |
//! | none of these | `.dynsym`: functions that other objects can call |
//! | no sections | `.dynsym`, by the program headers |

use crate::account::Account;
use crate::budget::{self, Share};
use crate::file_state::FileState;
use crate::files::{Source, View};
use crate::frames::Pieces;
use crate::function::{function, Function, COLD};
use crate::inlined::Inlined;
use crate::patient::Memory;
use crate::ranges::Ranges;
use crate::segment::{segments, Segment};
use crate::stapsdt::Note;
use crate::{debug, headers, Map};
use abi::user::Expected;
use object::elf;
use object::{Object, ObjectSection, ObjectSymbol};
use object::{RelocationFlags, SectionKind, SymbolFlags, SymbolKind};
use std::cell::OnceCell;
use std::collections::HashMap;
use std::fs::File;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::rc::Rc;
use x86::displace::Mode;

/// The most names of functions that are read from one table, also those that are left out.
const MOST_FUNCTIONS: usize = 8 << 20;
/// The most sections with code that are read.
const MOST_SECTIONS: usize = 1 << 16;
/// The most restartable sequences that are read.
const MOST_SEQUENCES: usize = 1 << 12;

/// The most bytes of code that are read at a time: a function, and an instruction behind it.
const MOST_CODE: u64 = (16 << 20) + PAGE;
/// The most resolvers whose choices are read from a process, one question each.
const MOST_SLOTS: usize = 1 << 10;

/// The size of a page, in bytes.
const PAGE: u64 = 4096;

/// A file.
#[derive(Debug, Default)]
pub struct Image {
    segments: Vec<Segment>,
    /// The addresses of the sections with code, ascending; the gaps between them are padding. Empty
    /// in a file without sections.
    sections: Vec<Range<u64>>,
    functions: Vec<Function>,
    /// The unlikely part of each function by name; `None` if there are several.
    cold: HashMap<Box<str>, Option<usize>>,
    /// The index behind each run of unlikely parts in `functions`, ascending.
    behind_cold: Vec<usize>,
    file: Option<Rc<File>>,
    /// The state of the file when it was read.
    state: Option<FileState>,
    /// The memory of the functions and of the frame information.
    share: Share,
    /// There was no memory for some of its functions.
    is_cut: bool,
    /// The files that are searched for data that it lacks; `None`: only those that we installed.
    view: Option<Rc<View>>,
    /// It names a file with stripped data, and we have none installed.
    lacks_data: bool,
    /// The linker may change its code.
    is_relocated: bool,
    /// Its restartable sequences.
    sequences: Ranges,
    /// The file with the data stripped from it.
    separate: Option<File>,
    /// Its DWARF; `None`: it has none.
    inlined: OnceCell<Option<Inlined>>,
    /// The slots where the object keeps its resolvers' choices, each with its resolver.
    slots: Vec<(u64, u64)>,
    /// The probes of its lock functions.
    pub(crate) locks: OnceCell<Rc<[Note]>>,
    /// Its frame information; `None`: it has none.
    pieces: OnceCell<Option<Pieces>>,
    /// It can be traced: it is code for x86-64.
    pub is_native: bool,
    /// It is code for 32-bit x86.
    is_narrow: bool,
    /// The dynamic linker links it to its libraries.
    pub is_dynamic: bool,
}

impl Image {
    /// Reads segments and functions of the file at `path`. `view` has the files that are searched
    /// for symbols.
    pub fn read(file: Rc<File>, path: &str, view: Option<Rc<View>>) -> Option<Self> {
        let state = FileState::read(&file);
        let mut image = Self::parse(&file, path, view.as_deref())?;
        image.view = view.filter(|_| image.lacks_data);
        image.state = state;
        image.file = Some(file);
        Some(image)
    }

    /// Makes the image of an open file without anything in it.
    pub(crate) fn nothing(file: Rc<File>) -> Self {
        Self { file: Some(file), ..Self::default() }
    }

    fn parse(file: &File, path: &str, view: Option<&View>) -> Option<Self> {
        let source = Source::new(file);
        let elf = source.elf()?;
        let segments = segments(&elf);
        let (separate, is_complete) = debug::separate(&elf, path, view);
        let (mut functions, mut share, mut is_cut) = (Vec::new(), Share::default(), false);
        let mut add = |symbols: &mut dyn Iterator<Item = Function>| {
            let fits = |f: &Function| {
                let fits = share.grow(f.weight());
                is_cut |= !fits;
                fits
            };
            functions.extend(symbols.take(MOST_FUNCTIONS).take_while(fits));
        };
        let has_symtab = elf.symbol_table().is_some_and(|t| {
            let mut own = defined(object::ObjectSymbolTable::symbols(&t)).peekable();
            let is_there = own.peek().is_some();
            add(&mut own);
            is_there
        });
        if !has_symtab {
            add(&mut defined(elf.dynamic_symbols()));
            if elf.section_by_name(".dynsym").is_none() {
                add(&mut headers::functions(&elf).into_iter().flatten());
            }
            let source = separate.as_ref().map(|file| source.beside(file));
            let stripped = source.as_ref().and_then(Source::elf);
            match stripped {
                Some(elf) => add(&mut defined(elf.symbols())),
                None => {
                    let packed = debug::packed(&elf).unwrap_or_default();
                    if let Some(elf) = Source::of_bytes(&packed).elf() {
                        add(&mut defined(elf.symbols()));
                    }
                }
            }
        }
        // The second one is x32: 64-bit code with short addresses.
        let is_native = matches!(
            elf.architecture(),
            object::Architecture::X86_64 | object::Architecture::X86_64_X32
        );
        let is_dynamic = headers::part(&elf, elf::PT_INTERP).is_some();
        let sections = elf.sections().filter(|s| s.kind() == SectionKind::Text);
        let sections = sections.map(|s| s.address()..s.address().saturating_add(s.size()));
        let mut sections: Vec<_> = sections.take(MOST_SECTIONS).collect();
        sections.sort_unstable_by_key(|s| (s.start, s.end));
        let mut image = Self { segments, sections, functions, separate, share, ..Self::default() };
        (image.is_native, image.is_dynamic) = (is_native, is_dynamic);
        (image.lacks_data, image.is_cut) = (!is_complete, is_cut);
        image.is_relocated = headers::relocates_code(&elf);
        image.sequences = sequences(&elf).unwrap_or_default();
        image.is_narrow = elf.architecture() == object::Architecture::I386;
        if image.functions.iter().any(|f| f.is_resolver) {
            image.slots = slots(&elf);
        }
        if image.functions.iter().any(|f| f.size == 0 || f.is_resolver) {
            let _ = image.pieces.set(Pieces::of(&elf));
            image.measure();
        }
        image.settle();
        Some(image)
    }

    /// Tells whether some of its data may come from the files that its process sees.
    pub(crate) fn lacks_data(&self) -> bool {
        self.lacks_data
    }

    /// Tells whether there was no memory for some of its functions.
    pub(crate) fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// Tells whether there is a file: one that cannot be opened has an image without anything.
    pub fn is_open(&self) -> bool {
        self.file.is_some()
    }

    /// Returns the file itself.
    pub(crate) fn file(&self) -> Option<Rc<File>> {
        self.file.clone()
    }

    /// Tells whether an address is in a restartable sequence. An instruction with a breakpoint runs
    /// elsewhere, and if the kernel interrupts a thread outside of the sequence, it takes the
    /// sequence for done.
    pub(crate) fn is_in_sequence(&self, address: u64) -> bool {
        self.sequences.has(address)
    }

    /// Returns the mode in which the CPU decodes its code.
    pub(crate) fn mode(&self) -> Mode {
        if self.is_narrow {
            Mode::Bits32
        } else {
            Mode::Bits64
        }
    }

    /// Gives functions without a size the size from their frame information.
    fn measure(&mut self) {
        let mut functions = std::mem::take(&mut self.functions);
        for f in functions.iter_mut().filter(|f| f.size == 0) {
            f.size = self.measured(f.address);
        }
        self.functions = functions;
    }

    /// Returns the functions that the resolvers have chosen in a process: the object's slots for
    /// its own calls hold their addresses.
    pub(crate) fn chosen(&self, pid: u32, bias: u64) -> Chosen {
        if self.slots.is_empty() {
            return Chosen { is_linked: true, functions: HashMap::new() };
        }
        let Ok(memory) = Memory::open(pid) else { return Chosen::default() };
        self.chosen_in(bias, &|slot| {
            let mut word = [0; 8];
            memory.read(&mut word, slot).ok()?;
            Some(u64::from_le_bytes(word))
        })
    }

    /// Returns the choices in a process whose memory `read` reads. The process can write anything
    /// to a slot, so only the beginning of a function counts as a choice.
    fn chosen_in(&self, bias: u64, read: &dyn Fn(u64) -> Option<u64>) -> Chosen {
        let mut chosen = Chosen::default();
        for &(slot, resolver) in &self.slots {
            let Some(to) = read(slot.wrapping_add(bias)) else { continue };
            let address = to.wrapping_sub(bias);
            let is_code = |s: &Segment| s.is_executable && s.contains(address);
            if address == resolver || !self.segments.iter().any(is_code) {
                continue;
            }
            chosen.is_linked = true;
            if let Some(size) = self.size_from(address) {
                chosen.functions.insert(resolver, (address, size));
            }
        }
        chosen
    }

    /// Returns the bytes of the function that begins at an address, by its frame information or by
    /// a symbol.
    fn size_from(&self, address: u64) -> Option<u64> {
        let named = || self.function_at(address).filter(|f| f.address == address).map(|f| f.size);
        Some(self.measured(address)).filter(|size| *size > 0).or_else(named)
    }

    /// Sorts the functions, the best name of an address first, and gives each a size.
    fn settle(&mut self) {
        let Self { segments, sections, functions, cold, behind_cold, .. } = self;
        let end = |a: u64| {
            let within = segments.iter().find(|s| s.is_executable && s.contains(a));
            let end = within.map(|s| s.address.saturating_add(s.size))?;
            let before = sections.partition_point(|s| s.start <= a);
            let section = sections.get(before.wrapping_sub(1)).filter(|s| s.contains(&a));
            Some(section.map_or(end, |s| s.end.min(end)))
        };
        functions.retain(|f| end(f.address).is_some());
        functions.sort_unstable_by(|a, b| {
            let key = |f: &Function| (f.address, f.rank, f.name.len());
            key(a).cmp(&key(b)).then_with(|| a.name.cmp(&b.name))
        });
        functions.dedup_by(|a, b| (a.address, &a.name) == (b.address, &b.name));
        let mut next = u64::MAX;
        let mut last = u64::MAX;
        for f in functions.iter_mut().rev() {
            if f.address != last {
                (next, last) = (last, f.address);
            }
            let end = end(f.address).unwrap_or(f.address);
            if f.size == 0 {
                f.size = next.min(end) - f.address;
            }
            f.size = f.size.min(end - f.address);
        }
        for (at, f) in functions.iter().enumerate() {
            if let Some(of) = f.name.strip_suffix(COLD) {
                cold.entry(of.into()).and_modify(|c| *c = None).or_insert(Some(at));
                if functions.get(at + 1).is_none_or(|next| !next.is_cold()) {
                    behind_cold.push(at + 1);
                }
            }
        }
    }

    /// Returns all names of functions by address, the best of each address first.
    pub fn functions(&self) -> &[Function] {
        &self.functions
    }

    /// Returns the functions by address, each with all its names, the best first.
    pub fn places(&self) -> impl Iterator<Item = &[Function]> {
        self.functions.chunk_by(|a, b| a.address == b.address)
    }

    /// Returns the unlikely part of the function of this name, if it is elsewhere.
    pub(crate) fn cold(&self, name: &str) -> Option<&Function> {
        self.functions.get((*self.cold.get(name)?)?)
    }

    /// Returns the bytes of the code at an address by its frame information; 0: it has none.
    fn measured(&self, address: u64) -> u64 {
        self.pieces().map_or(0, |p| p.size_at(address))
    }

    /// Tells whether all symbols in this range, if any, name parts of functions.
    pub(crate) fn is_nameless(&self, (begin, size): (u64, u64)) -> bool {
        let from = self.functions.partition_point(|f| f.address < begin);
        // A function of 16 MB may ask about a million ranges with a million parts each.
        let behind = match self.functions.get(from) {
            Some(f) if f.is_cold() => {
                let run = self.behind_cold.partition_point(|behind| *behind <= from);
                self.behind_cold.get(run).and_then(|behind| self.functions.get(*behind))
            }
            other => other,
        };
        self.function_at(begin).is_none_or(Function::is_cold)
            && behind.is_none_or(|f| f.address - begin >= size)
    }

    /// Returns its frame information.
    pub(crate) fn pieces(&self) -> Option<&Pieces> {
        let read = || {
            let source = Source::new(self.file.as_ref()?);
            let elf = source.elf()?;
            Pieces::of(&elf)
        };
        self.pieces.get_or_init(|| budget::on_behalf(self.account(), read)).as_ref()
    }

    /// Returns by how much addresses are higher in a process that has this piece mapped.
    pub fn bias(&self, map: &Map) -> Option<u64> {
        let down = |n: u64| n & !(PAGE - 1);
        let of = |s: &&Segment| {
            s.is_executable == map.is_executable
                && map.offset.wrapping_sub(down(s.offset)) < s.size + (s.offset - down(s.offset))
        };
        let s = self.segments.iter().find(of)?;
        let address = down(s.address).wrapping_add(map.offset.wrapping_sub(down(s.offset)));
        Some(map.start.wrapping_sub(address))
    }

    /// Returns up to `size` bytes of code at an address; none if that is more than a function may
    /// have, or if the file is shorter.
    pub fn code(&self, address: u64, size: u64) -> Vec<u8> {
        let within = |s: &&Segment| s.contains(address);
        let (Some(file), Some(s)) = (&self.file, self.segments.iter().find(within)) else {
            return Vec::new();
        };
        let behind = address - s.address;
        let size = size.min(s.size - behind);
        let Some(at) = s.offset.checked_add(behind).filter(|_| size <= MOST_CODE) else {
            return Vec::new();
        };
        let mut bytes = vec![0; usize::try_from(size).unwrap_or(0)];
        match file.read_exact_at(&mut bytes, at) {
            Ok(()) => bytes,
            Err(_) => Vec::new(),
        }
    }

    /// Returns the bytes expected in a process at places behind an address; none for a file whose
    /// code the linker changes. `None`: the file has changed since its symbols were read.
    pub(crate) fn expected(&self, address: u64, places: &[u32]) -> Option<Vec<Expected>> {
        if self.is_relocated {
            return Some(Vec::new());
        }
        let (first, last) = (*places.first()?, *places.last()?);
        let begin = address.wrapping_add(first.into());
        let room = size_of::<Expected>();
        let code = self.code(begin, u64::from(last.checked_sub(first)?) + room as u64);
        let at = |place: &u32| {
            let from = code.get((*place - first) as usize..)?;
            let mut expected = Expected::default();
            from.iter().zip(&mut expected).for_each(|(from, to)| *to = *from);
            (!from.is_empty()).then_some(expected)
        };
        let all = places.iter().map(at).collect::<Option<Vec<_>>>()?;
        // The state is checked last, so that the bytes read before are of this state.
        let is_same = match &self.state {
            Some(state) => state.is_of(self.file.as_ref()?),
            None => true,
        };
        is_same.then_some(all)
    }

    /// Returns the function at an address.
    pub fn function_at(&self, address: u64) -> Option<&Function> {
        let after = self.functions.partition_point(|f| f.address <= address);
        let start = self.functions.get(after.checked_sub(1)?)?.address;
        let f = self.functions.get(self.functions.partition_point(|f| f.address < start))?;
        (address - start < f.size).then_some(f)
    }

    /// Returns the address of a symbol that other objects can see.
    pub fn exported(&self, name: &str) -> Option<u64> {
        let source = Source::new(self.file.as_ref()?);
        let elf = source.elf()?;
        let mut symbols = elf.dynamic_symbols().filter(|s| !s.is_undefined());
        symbols.find(|s| s.name() == Ok(name)).map(|s| s.address())
    }

    fn address(&self, offset: u64) -> Option<u64> {
        let within = |s: &&Segment| offset.wrapping_sub(s.offset) < s.size;
        let s = self.segments.iter().find(within)?;
        Some(s.address + (offset - s.offset))
    }

    /// Returns the function at an offset in the file, and the distance from its beginning.
    pub fn symbol(&self, offset: u64) -> Option<(&str, u64)> {
        let address = self.address(offset)?;
        let f = self.function_at(address)?;
        Some((&f.name, address - f.address))
    }

    /// Returns the names of the functions that are inlined at an offset in the file, the innermost
    /// first.
    pub fn inlined(&self, offset: u64) -> Rc<[String]> {
        let read = || {
            let files = [self.file.as_deref(), self.separate.as_ref()];
            files.into_iter().flatten().find_map(|file| Inlined::read(file, self.view.as_deref()))
        };
        let look = || match (self.inlined.get_or_init(read), self.address(offset)) {
            (Some(inlined), Some(address)) => inlined.at(address),
            _ => Rc::default(),
        };
        budget::on_behalf(self.account(), look)
    }

    /// Returns the user on whose behalf it was read.
    pub(crate) fn account(&self) -> Account {
        self.share.of()
    }

    /// Tells whether it lacks something because others took too much memory.
    pub(crate) fn was_short(&self) -> bool {
        let inlined = self.inlined.get().and_then(Option::as_ref);
        self.share.was_short() || inlined.is_some_and(Inlined::was_short)
    }

    /// Tells whether the code at an offset in the file leaves a signal handler, or has just tried
    /// to.
    pub fn leaves_signal(&self, offset: u64) -> bool {
        // mov $15, %rax (rt_sigreturn); syscall
        const LEAVES: [u8; 9] = [0x48, 0xc7, 0xc0, 15, 0, 0, 0, 0x0f, 0x05];
        let Some(address) = self.address(offset) else { return false };
        let size = LEAVES.len() as u64;
        let is_within = |f: &Function| address - f.address > size;
        if self.function_at(address).is_some_and(is_within) {
            return false;
        }
        [0, size].iter().any(|back| self.code(address.wrapping_sub(*back), size) == LEAVES)
    }

    #[cfg(test)]
    pub(crate) fn open(&mut self, path: &std::path::Path) {
        self.file = Some(Rc::new(File::open(path).unwrap()));
    }

    #[cfg(test)]
    pub(crate) fn fixed(segment: Segment, functions: &[(u64, u64, &str)]) -> Self {
        let symbols = functions.iter();
        let functions = symbols
            .filter_map(|&(address, size, name)| {
                function(name, address, size, false, elf::STT_FUNC)
            })
            .collect();
        let mut image = Self { segments: vec![segment], functions, ..Self::default() };
        image.settle();
        image
    }
}

/// The functions that an object's resolvers have chosen in a process.
#[derive(Debug, Clone, Default)]
pub struct Chosen {
    /// The choices are known, or there are no resolvers.
    pub is_linked: bool,
    /// Address and bytes, by resolver.
    functions: HashMap<u64, (u64, u64)>,
}

impl Chosen {
    /// Returns the function that is called by a name: for a resolver, the function that it has
    /// chosen.
    pub(crate) fn called(&self, f: &Function) -> Function {
        match self.functions.get(&f.address).filter(|_| f.is_resolver) {
            Some(&(address, size)) => Function { address, size, is_resolver: false, ..f.clone() },
            None => f.clone(),
        }
    }
}

/// Returns the relocations that call a resolver: the slot for the answer, and the resolver.
fn slots<'d>(elf: &impl Object<'d>) -> Vec<(u64, u64)> {
    let all = elf.dynamic_relocations().into_iter().flatten();
    let calls = all.filter(|(_, r)| {
        matches!(r.flags(), RelocationFlags::Elf { r_type } if r_type == elf::R_X86_64_IRELATIVE)
    });
    calls.take(MOST_SLOTS).map(|(slot, r)| (slot, r.addend() as u64)).collect()
}

/// Returns the restartable sequences in the section that `rseq(2)` names for their descriptors.
/// Each has a version, flags, a start, a length, and an abort address. The linker fills in the
/// addresses of an object that can move.
fn sequences<'d>(elf: &impl Object<'d>) -> Option<Ranges> {
    const SIZE: u64 = 32;
    const START: u64 = 8;
    let section = elf.section_by_name("__rseq_cs")?;
    let (from, bytes) = (section.address(), section.data().ok()?);
    let moved: HashMap<u64, u64> = elf
        .dynamic_relocations()?
        .filter(|(at, _)| (from..from.saturating_add(section.size())).contains(at))
        .map(|(at, r)| (at, r.addend() as u64))
        .collect();
    let number = |at: u64| {
        let at = usize::try_from(at).ok()?;
        Some(u64::from_le_bytes(bytes.get(at..at.checked_add(8)?)?.try_into().ok()?))
    };
    let all = (0..section.size() / SIZE).take(MOST_SEQUENCES).filter_map(|n| {
        let at = n * SIZE + START;
        let start = moved.get(&from.wrapping_add(at)).copied().or_else(|| number(at))?;
        Some(start..start.saturating_add(number(at + 8)?))
    });
    Some(all.collect())
}

/// Returns the functions among symbols.
fn defined<'d, S: ObjectSymbol<'d>>(
    symbols: impl Iterator<Item = S>,
) -> impl Iterator<Item = Function> {
    let functions = symbols.filter(|s| s.kind() == SymbolKind::Text && !s.is_undefined());
    functions.take(MOST_FUNCTIONS).filter_map(|s| {
        let SymbolFlags::Elf { st_info, .. } = s.flags() else { return None };
        function(s.name().ok()?, s.address(), s.size(), s.is_local(), st_info.st_type())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: Segment =
        Segment { offset: 0x100, size: 0x400, address: 0x1100, is_executable: true };

    #[test]
    fn what_lies_between_functions_is_nobodys() {
        let image = Image::fixed(TEXT, &[(0x1100, 0x10, "a"), (0x1200, 0, "asm")]);
        assert_eq!(image.symbol(0x10f), Some(("a", 15)));
        assert_eq!(image.symbol(0x110), None);
        // It extends to the end of the segment.
        assert_eq!(image.symbol(0x4ff), Some(("asm", 0x2ff)));
        assert_eq!(image.symbol(0x50), None);
        assert_eq!(image.symbol(0x500), None);
    }

    /// `_init` has no size; the code in the next section is not part of it.
    #[test]
    fn no_function_leaves_its_section() {
        let mut image = Image::fixed(TEXT, &[(0x1100, 0, "_init"), (0x1200, 0, "f")]);
        assert_eq!(image.functions[0].size, 0x100);
        image.sections = vec![0x1100..0x1117, 0x1120..0x1500];
        image.functions.iter_mut().for_each(|f| f.size = 0);
        image.settle();
        assert_eq!(image.functions.iter().map(|f| f.size).collect::<Vec<_>>(), [0x17, 0x300]);
    }

    #[test]
    fn of_several_names_the_best() {
        let names = [
            (0x1100, 0x10, "__libc_write"),
            (0x1100, 0x10, "write"),
            (0x1100, 0x10, "__write"),
            (0x1110, 0, "b.part.0"),
            (0x1120, 8, "c"),
            // This one is outside of the text.
            (0x900, 8, "d"),
        ];
        let image = Image::fixed(TEXT, &names);
        let first: Vec<_> = image.places().map(|p| (&*p[0].name, p[0].size, p.len())).collect();
        assert_eq!(first, [("write", 0x10, 3), ("b.part.0", 0x10, 1), ("c", 8, 1)]);
        assert_eq!(image.symbol(0x105), Some(("write", 5)));
    }

    #[test]
    fn ranges_without_names() {
        let names = [
            (0x1100, 0x10, "a"),
            (0x1110, 0x10, "a.cold"),
            (0x1120, 0x10, "b.cold"),
            (0x1120, 0x10, "b"),
            (0x1140, 0x10, "c.cold"),
            (0x1150, 0x10, "d.cold"),
            (0x1170, 0x10, "e"),
            (0x1180, 0x10, "f.cold"),
        ];
        let image = Image::fixed(TEXT, &names);
        for range in (0x10f0..0x11a0).flat_map(|begin| (0..0xb0).map(move |size| (begin, size))) {
            let (begin, size) = range;
            let mut within =
                image.functions.iter().filter(|f| (begin..begin + size).contains(&f.address));
            let wanted = image.function_at(begin).is_none_or(Function::is_cold)
                && within.all(Function::is_cold);
            assert_eq!(image.is_nameless(range), wanted, "{range:x?}");
        }
    }

    /// A function may jump to as many ranges as it has jumps, and each range may have as many parts
    /// as the file. All of them together were 10^10 steps here.
    #[test]
    fn a_range_costs_the_same_whatever_it_contains() {
        const MANY: u64 = 100_000;
        let text = Segment { size: MANY, ..TEXT };
        let names: Vec<_> = (0..MANY).map(|n| (0x1100 + n, 1, "f.cold")).collect();
        let image = Image::fixed(text, &names);
        let begin = std::time::Instant::now();
        assert!((0..MANY).all(|n| image.is_nameless((0x1100 + n, MANY))));
        assert!(begin.elapsed().as_secs() < 20);
    }

    /// A process can write any address to the slot of a resolver.
    #[test]
    fn a_choice_is_the_beginning_of_a_function() {
        let mut image = Image::fixed(TEXT, &[(0x1100, 0x10, "strlen"), (0x1200, 0x20, "avx2")]);
        image.functions[0].is_resolver = true;
        image.slots = vec![(0x3000, 0x1100)];
        let bias = 0x5000;
        let called = |to: u64| {
            let chosen = image.chosen_in(bias, &|at| (at == 0x8000).then_some(to));
            let f = chosen.called(&image.functions[0]);
            (chosen.is_linked, f.address, f.size, f.is_resolver)
        };
        assert_eq!(called(bias + 0x1200), (true, 0x1200, 0x20, false));
        assert_eq!(called(bias + 0x1204), (true, 0x1100, 0x10, true));
        // The linker has not called the resolver yet.
        assert_eq!(called(bias + 0x1100), (false, 0x1100, 0x10, true));
        assert_eq!(called(0x1200), (false, 0x1100, 0x10, true));
    }

    #[test]
    fn biases() {
        let image = Image::fixed(TEXT, &[]);
        let map = |line: &str| Map::parse(line).unwrap();
        // The bias counts from the page in which the segment begins.
        assert_eq!(
            image.bias(&map("555000001000-555000002000 r-xp 0 8:1 7 /bin/x")),
            Some(0x5550_0000_0000)
        );
        assert_eq!(image.bias(&map("1000-2000 r-xp 0 8:1 7 /bin/x")), Some(0));
        assert_eq!(image.bias(&map("1000-2000 rw-p 0 8:1 7 /bin/x")), None);
        assert_eq!(image.bias(&map("1000-2000 r-xp 1000 8:1 7 /bin/x")), None);
    }
}
