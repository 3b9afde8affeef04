// SPDX-License-Identifier: GPL-2.0
//! Makes packed probes, in the module's format, from a description and an object.
//!
//! | name | places |
//! |---|---|
//! | `entry` | the beginning of the function |
//! | `return` | returns, and jumps out of the function |
//! | hex digits | the instruction at this offset |
//! | a glob, or nothing | `entry`, `return` and all instructions, if their names match |
//!
//! A description without globs means all functions of that name. Their probes are one, with several
//! places. A description with globs means functions, not names: each function has one probe, by its
//! best name that matches. The parts of a function elsewhere ([`parts`]) are no functions of their
//! own.

use crate::function::Function;
use crate::image::{Chosen, Image};
use crate::parts;
use crate::stapsdt::Note;
use crate::work::{Beat, Work};
use abi::probe::{is_glob, part_matches};
use abi::user::{
    self, Expected, MappedFile, UserKind, UserProbe, UserProbeView, UserReason, MAX_MAKE,
};
use std::collections::HashSet;

/// The wanted probes of an object: globs, or names.
#[derive(Debug, Clone, Copy)]
pub struct Pattern<'a> {
    /// The function's name or glob.
    pub function: &'a str,
    /// The probe's name or glob.
    pub name: &'a str,
}

/// The reason why a spelt-out description has no probe.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Miss {
    /// There is no such function.
    Function,
    /// A probe of a function cannot have this name.
    Name,
    /// The place is behind the end of the function.
    Behind {
        /// The bytes of the function.
        size: u64,
    },
    /// The place is inside an instruction.
    Within {
        /// The offset where the instruction begins.
        begins: u64,
    },
}

/// A place without a probe.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// Module, function, name.
    pub names: [String; 3],
    /// The offset in the function; several probes may mean one place.
    pub place: Option<u32>,
    /// The reason.
    pub reason: UserReason,
}

/// Packed probes of one process, in batches for one MAKE each.
#[derive(Debug)]
pub struct Batches {
    /// The batches, each of at most [`MAX_MAKE`] bytes.
    pub packed: Vec<Vec<u8>>,
    /// The number of all places.
    pub places: usize,
    /// The first probes that could not be asked for.
    pub refused: Vec<Refused>,
    /// How many more there are.
    pub more_refused: usize,
    /// The address of the last place.
    pub last: Option<u64>,
    /// The counter of the last probe's users, if it has one.
    pub counter: Option<u64>,
    /// The work to find the places.
    work: Work,
}

/// The most places of one packed probe.
const AT_ONCE: usize = 1 << 15;
/// The most places that a description may mean in a process.
pub const MOST_PLACES: usize = 4 << 20;
/// The most steps to find them: about two for each instruction of the functions. The largest
/// programs need half of these; but functions in a file may overlap.
const MOST_STEPS: u64 = 1 << 28;
/// The steps to format an instruction's offset and to compare it with a glob.
const GLOB: u64 = 2;
/// The steps to pack a probe.
const PACK: usize = 16;
/// The most refusals with names.
const MOST_REFUSED: usize = 1 << 12;

impl Default for Batches {
    fn default() -> Self {
        Self::with(None)
    }
}

impl Batches {
    /// Returns empty batches; finding places for them [beats](Beat).
    pub fn with(beat: Beat) -> Self {
        let work = Work::with(MOST_STEPS, beat);
        let (packed, refused, last, counter) = Default::default();
        Self { packed, places: 0, refused, more_refused: 0, last, counter, work }
    }

    /// Tells whether there are more than [`MOST_PLACES`], so not all were added.
    pub fn are_too_many(&self) -> bool {
        self.places > MOST_PLACES
    }

    /// Tells whether finding the places took too much work, so not all were found.
    pub fn took_too_much(&self) -> bool {
        self.work.is_over()
    }

    /// Tells whether more places are of no use.
    fn is_over(&self) -> bool {
        self.are_too_many() || self.took_too_much()
    }

    /// Returns how many places were meant, with or without a probe.
    pub fn meant(&self) -> usize {
        self.places + self.refused.len() + self.more_refused
    }

    /// Adds a probe that cannot be asked for.
    fn refuse(&mut self, names: [&str; 3], place: Option<u32>, reason: UserReason) {
        match self.refused.len() < MOST_REFUSED {
            true => self.refused.push(Refused { names: names.map(String::from), place, reason }),
            false => self.more_refused += 1,
        }
    }

    /// Adds a probe. Its names have no characters that could change a terminal: they are printed in
    /// many places, and D programs get them as strings.
    pub fn put(
        &mut self,
        head: UserProbe,
        places: &[u32],
        expected: &[Expected],
        args: &[user::UserArg],
        names: [&str; 4],
    ) {
        // Without work the next function ends this.
        let _ = self.work.spend((PACK + places.len()) as u64);
        let names = names.each_ref().map(|name| plaintext::clean(name));
        let names = names.each_ref().map(|name| &**name);
        let mut one = Vec::new();
        let mut put = |bytes: &[u8]| one.extend_from_slice(bytes);
        if !user::pack(head, places, expected, args, names.map(str::as_bytes), &mut put) {
            let [_, module, function, name] = names;
            return self.refuse([module, function, name], None, UserReason::Names);
        }
        self.places += places.len();
        self.counter = (head.semaphore != 0).then_some(head.semaphore);
        self.last = places.last().map(|at| head.address.wrapping_add(u64::from(*at)));
        match self.packed.last_mut().filter(|b| b.len() + one.len() <= MAX_MAKE) {
            Some(batch) => batch.extend_from_slice(&one),
            None => self.packed.push(one),
        }
    }
}

/// Returns the probe of a batch that a refusal is about: module, function, name.
pub fn refused(batch: &[u8], which: &user::Refusal) -> Option<Refused> {
    let mut rest = batch;
    let mut all = std::iter::from_fn(|| UserProbeView::unpack(&mut rest));
    let probe = all.nth(which.probe as usize)?;
    let reason = UserReason::from_number(which.reason)?;
    let [_, module, function, name] = probe.names.map(|n| String::from_utf8_lossy(n).into_owned());
    let place = Some(which.place);
    let (name, place) = match UserKind::from_number(probe.head.kind) {
        Some(kind @ (UserKind::Entry | UserKind::Return | UserKind::Offset)) => {
            (name_of(kind, which.place), place)
        }
        _ => (name, None),
    };
    Some(Refused { names: [module, function, name], place, reason })
}

/// Returns the probe name of a place in a function.
fn name_of(kind: UserKind, place: u32) -> String {
    match kind {
        UserKind::Return => format!("return (+0x{place:x})"),
        UserKind::Offset => format!("{place:x}"),
        _ => "entry".into(),
    }
}

/// An object as it is in a process.
#[derive(Clone, Copy)]
pub struct Placed<'a> {
    /// Its name, for the module of the probes.
    pub module: &'a str,
    /// Its file.
    pub image: &'a Image,
    /// By how much its addresses are higher in the process.
    pub bias: u64,
    /// The file that the process has mapped, if it is known.
    pub file: MappedFile,
}

/// An object whose probes are being made.
struct Making<'a> {
    object: Placed<'a>,
    /// The description of the functions has globs or is empty.
    is_open: bool,
    out: &'a mut Batches,
}

/// Adds the probes of an object that match a pattern, until they [are too
/// many](Batches::are_too_many) or [took too much](Batches::took_too_much) work. `chosen` are the
/// choices of its resolvers in the process.
pub fn expand(
    object: Placed<'_>,
    chosen: &Chosen,
    pattern: Pattern<'_>,
    out: &mut Batches,
) -> Result<(), Miss> {
    let wanted = Name::of(pattern.name).ok_or(Miss::Name)?;
    let functions = functions(object.image, chosen, pattern.function, &out.work);
    if functions.is_empty() && !is_open(pattern.function) {
        return Err(Miss::Function);
    }
    let is_open = is_open(pattern.function);
    // When all resolvers have been called, one whose choice is not known is never run again.
    let (lost, functions): (Vec<_>, Vec<_>) =
        functions.into_iter().partition(|f| f.is_resolver && chosen.is_linked);
    for f in &lost {
        out.refuse([object.module, &f.name, pattern.name], None, UserReason::Resolver);
    }
    let mut making = Making { object, is_open, out };
    functions.iter().try_for_each(|f| making.function(f, wanted))
}

/// Adds the probes that an object brings along and that match a pattern, as many as are `left`.
/// `meant` tells whether a provider's name is wanted.
pub fn usdt(
    object: Placed<'_>,
    notes: &[Note],
    (meant, pattern): (&dyn Fn(&str) -> bool, Pattern<'_>),
    left: usize,
    out: &mut Batches,
) {
    let Placed { module, image, bias, file } = object;
    let wanted = pattern.name.replace("__", "-");
    let most = out.places.saturating_add(left);
    for note in notes.iter().filter(|n| meant(&n.provider)) {
        let function = note.function.as_deref();
        let symbol = || image.function_at(note.address).map_or("", |f| &f.name);
        let function = function.unwrap_or_else(symbol);
        let matches = |p: &str, text: &str| part_matches(p.as_bytes(), text.as_bytes());
        if !matches(&wanted, &note.name) || !matches(pattern.function, function) {
            continue;
        }
        if out.places >= most {
            return out.refuse([module, "", ""], None, UserReason::Share);
        }
        let semaphore = match note.semaphore {
            0 => 0,
            at => at.wrapping_add(bias),
        };
        let address = note.address.wrapping_add(bias);
        let kind = UserKind::Usdt as u8;
        let head = UserProbe { address, semaphore, file, kind, ..UserProbe::default() };
        let names = [&*note.provider, module, function, &*note.name];
        match image.expected(note.address, &[0]) {
            Some(expected) => out.put(head, &[0], &expected, &note.args_at(bias), names),
            None => out.refuse([module, function, &note.name], None, UserReason::Differs),
        }
    }
}

/// Tells whether a part of a description may match more than one name.
pub fn is_open(part: &str) -> bool {
    part.is_empty() || is_glob(part.as_bytes())
}

/// Returns the wanted functions, one for each address, as part of this work.
fn functions(image: &Image, chosen: &Chosen, wanted: &str, work: &Work) -> Vec<Function> {
    let is_meant = |f: &&Function| {
        let _ = work.spend(1 + (f.name.len() / parts::BYTES) as u64);
        match is_open(wanted) {
            true => !f.is_cold() && part_matches(wanted.as_bytes(), f.name.as_bytes()),
            false => *f.name == *wanted,
        }
    };
    let places = image.places().take_while(|_| !work.is_over());
    let meant = places.filter_map(|names| names.iter().find(is_meant));
    let mut seen = HashSet::new();
    let called = meant.map(|f| chosen.called(f)).filter(|f| seen.insert(f.address));
    // A resolver that has not been called yet is not the function of its name.
    called.filter(|f| !f.is_resolver || !is_open(wanted)).collect()
}

/// The wanted names of probes.
#[derive(Clone, Copy)]
enum Name<'a> {
    Entry,
    Return,
    Offset(u64),
    Glob(&'a str),
}

impl<'a> Name<'a> {
    fn of(text: &'a str) -> Option<Self> {
        match text {
            "entry" => Some(Self::Entry),
            "return" => Some(Self::Return),
            _ if is_open(text) => Some(Self::Glob(text)),
            // The text must be the probe's own name: lower case, no leading zeros.
            _ => u64::from_str_radix(text, 16)
                .ok()
                .filter(|n| format!("{n:x}") == text)
                .map(Self::Offset),
        }
    }

    fn has(self, name: &str) -> bool {
        match self {
            Self::Entry => name == "entry",
            Self::Return => name == "return",
            Self::Offset(_) => false,
            Self::Glob(glob) => part_matches(glob.as_bytes(), name.as_bytes()),
        }
    }
}

impl Making<'_> {
    /// Adds the probes of a function.
    fn function(&mut self, f: &Function, wanted: Name<'_>) -> Result<(), Miss> {
        if self.out.is_over() || self.out.work.spend(GLOB).is_none() {
            return Ok(());
        }
        if wanted.has("entry") {
            self.put(UserKind::Entry, (f.address, f.size), &f.name, &[0]);
        }
        if wanted.has("return") {
            for part in parts::pieces(self.object.image, f, &self.out.work) {
                if let Some(reason) = part.damage {
                    self.out.refuse([self.object.module, &f.name, "return"], None, reason);
                }
                self.put_all(UserKind::Return, part.range, &f.name, &part.leaves);
            }
        }
        let offsets = match self.offsets(f, wanted) {
            Err(_) if self.is_open => Vec::new(),
            found => found?,
        };
        self.put_all(UserKind::Offset, (f.address, f.size), &f.name, &offsets);
        Ok(())
    }

    /// Adds a probe of the code with any number of places.
    fn put_all(&mut self, kind: UserKind, code: (u64, u64), name: &str, places: &[u32]) {
        for places in places.chunks(AT_ONCE) {
            if self.out.is_over() {
                return;
            }
            self.put(kind, code, name, places);
        }
    }

    /// Adds a probe of the code (address and bytes).
    fn put(&mut self, kind: UserKind, code: (u64, u64), name: &str, places: &[u32]) {
        let is_left =
            |at: &&u32| !self.object.image.is_in_sequence(code.0.wrapping_add((**at).into()));
        let left: Vec<u32> = places.iter().filter(is_left).copied().collect();
        for &at in places.iter().filter(|at| !is_left(at)) {
            let names = [self.object.module, name, &name_of(kind, at)];
            self.out.refuse(names, Some(at), UserReason::Sequence);
        }
        let places = &left[..];
        if places.is_empty() {
            return;
        }
        let head = UserProbe {
            address: code.0.wrapping_add(self.object.bias),
            file: self.object.file,
            size: u32::try_from(code.1).unwrap_or(u32::MAX),
            kind: kind as u8,
            ..UserProbe::default()
        };
        let names = ["", self.object.module, name, ""];
        if let Some(expected) = self.object.image.expected(code.0, places) {
            return self.out.put(head, places, &expected, &[], names);
        }
        let what = match kind {
            UserKind::Entry => "entry",
            UserKind::Return => "return",
            _ => "",
        };
        self.out.refuse([self.object.module, name, what], None, UserReason::Differs);
    }

    /// Returns the offsets of the wanted instructions.
    fn offsets(&mut self, f: &Function, wanted: Name<'_>) -> Result<Vec<u32>, Miss> {
        if matches!(wanted, Name::Entry | Name::Return) {
            return Ok(Vec::new());
        }
        let code = self.object.image.code(f.address, f.size);
        if (code.len() as u64) < f.size {
            self.out.refuse([self.object.module, &f.name, ""], None, UserReason::Size);
            return Ok(Vec::new());
        }
        let work = &self.out.work;
        if work.spend((code.len() / parts::BYTES) as u64).is_none() {
            return Ok(Vec::new());
        }
        let steps = if matches!(wanted, Name::Offset(_)) { 1 } else { GLOB };
        let walk = x86::walk_in(self.object.image.mode(), &code, f.address).map_while(Result::ok);
        let walk = walk.take_while(|_| work.spend(steps).is_some());
        let begins = walk.filter_map(|(at, _)| distance(f, at));
        let Name::Offset(offset) = wanted else {
            return Ok(begins.filter(|at| wanted.has(&format!("{at:x}"))).collect());
        };
        if offset >= f.size {
            return Err(Miss::Behind { size: f.size });
        }
        let before = begins.take_while(|&at| u64::from(at) <= offset).last().unwrap_or(0);
        match u64::from(before) == offset {
            true => Ok(vec![before]),
            false => Err(Miss::Within { begins: before.into() }),
        }
    }
}

/// Returns the distance from the beginning of a function, if it fits.
fn distance(f: &Function, address: u64) -> Option<u32> {
    u32::try_from(address.checked_sub(f.address)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::{Images, Process, PROGRAM};
    use crate::segment::Segment;
    use std::cell::Cell;
    use std::rc::Rc;

    fn placed(image: &Image, bias: u64) -> Placed<'_> {
        Placed { module: "x", image, bias, file: MappedFile::default() }
    }

    /// A packed probe as function, kind, address, places.
    type Row = (String, u8, u64, Vec<u32>);

    fn rows(out: &Batches) -> Vec<Row> {
        let mut rows = Vec::new();
        for batch in &out.packed {
            assert!(batch.len() <= MAX_MAKE);
            let mut rest = &batch[..];
            while let Some(p) = UserProbeView::unpack(&mut rest) {
                let name = String::from_utf8_lossy(p.names[2]).into_owned();
                rows.push((name, p.head.kind, p.head.address, p.places().collect()));
            }
            assert!(rest.is_empty());
        }
        rows
    }

    /// Returns the probes that a pattern makes in one of our own objects.
    fn of(object: &str, function: &str, name: &str) -> (Vec<Row>, Result<(), Miss>) {
        let me = Process::read(std::process::id()).unwrap();
        let images = Images::default();
        let mut out = Batches::default();
        let mut result = Ok(());
        for object in me.called(object) {
            let pattern = Pattern { function, name };
            let of = object.placed(me.pid, &images);
            let chosen = object.chosen(me.pid, &images);
            result = result.and(expand(of, chosen, pattern, &mut out));
        }
        assert_eq!(out.refused, []);
        assert_eq!(out.places, rows(&out).iter().map(|r| r.3.len()).sum::<usize>());
        (rows(&out), result)
    }

    #[inline(never)]
    extern "C" fn landmark(n: u64) -> u64 {
        match std::hint::black_box(n) {
            0 => 7,
            n => std::hint::black_box(n / 3),
        }
    }

    /// Returns the compiler's name of the function.
    fn name() -> String {
        assert_eq!(landmark(6), 2);
        let at = landmark as *const () as u64;
        let all = of(PROGRAM, "*landmark*", "entry").0;
        all.into_iter().find(|r| r.2 + u64::from(r.3[0]) == at).unwrap().0
    }

    #[test]
    fn a_function_of_ours() {
        let at = landmark as *const () as u64;
        let name = &name();
        let (entry, _) = of(PROGRAM, name, "entry");
        assert_eq!(entry, [(name.clone(), UserKind::Entry as u8, at, vec![0])]);
        let (leaves, _) = of(PROGRAM, name, "return");
        assert!(leaves.len() == 1 && !leaves[0].3.is_empty(), "{leaves:?}");
        let (all, _) = of(PROGRAM, name, "");
        let kinds: Vec<u8> = all.iter().map(|r| r.1).collect();
        assert_eq!(kinds, [UserKind::Entry, UserKind::Return, UserKind::Offset].map(|k| k as u8));
        let offsets = &all[2].3;
        assert!(offsets[0] == 0 && offsets.is_sorted() && offsets.len() > 3);
        assert!(leaves[0].3.iter().all(|at| offsets.contains(at)));
        let second = format!("{:x}", offsets[1]);
        assert_eq!(of(PROGRAM, name, &second).0[0].3, [offsets[1]]);
        let ones = of(PROGRAM, name, "[0-9a-f]").0;
        assert!(ones.iter().all(|r| r.3.iter().all(|at| *at < 16)), "{ones:?}");
    }

    #[test]
    fn what_is_not_there() {
        let name = &name();
        assert_eq!(of(PROGRAM, "no_such_function", "entry").1, Err(Miss::Function));
        assert_eq!(of(PROGRAM, "no_such_function*", "entry"), (vec![], Ok(())));
        for odd in ["exit", "0x10", "00", "1F", "-1"] {
            assert_eq!(of(PROGRAM, name, odd).1, Err(Miss::Name), "{odd}");
        }
        assert!(
            matches!(of(PROGRAM, name, "ffffff").1, Err(Miss::Behind { size }) if size < 0x1000)
        );
        let all = of(PROGRAM, name, "").0;
        let offsets = &all[2].3;
        let gap = offsets.windows(2).find(|w| w[1] - w[0] > 1).unwrap();
        let within = of(PROGRAM, name, &format!("{:x}", gap[0] + 1)).1;
        assert_eq!(within, Err(Miss::Within { begins: gap[0].into() }));
    }

    #[test]
    fn all_of_libc() {
        let began = std::time::Instant::now();
        let (entries, _) = of("libc", "", "entry");
        let took = began.elapsed();
        assert!(entries.len() > 1500, "{}", entries.len());
        let mut places: Vec<u64> =
            entries.iter().flat_map(|r| r.3.iter().map(|at| r.2 + u64::from(*at))).collect();
        let n = places.len();
        places.sort();
        places.dedup();
        assert_eq!(places.len(), n, "each function once");
        let began = std::time::Instant::now();
        let (returns, _) = of("libc", "", "return");
        println!("{n} entries in {took:?}, returns in {:?}", began.elapsed());
        let left = |name: &str| returns.iter().any(|r| r.0 == name);
        assert!(["write", "malloc", "qsort"].iter().all(|f| left(f)));
        // The function that the resolver has chosen, not the resolver itself.
        let lengths = of("libc", "strlen", "return").0;
        assert!(lengths.len() == 1 && !lengths[0].3.is_empty(), "{lengths:?}");
        let me = Process::read(std::process::id()).unwrap();
        let images = Images::default();
        let libc = me.called("libc").next().unwrap();
        let (image, bias) = libc.image(me.pid, &images);
        let resolver = image.functions().iter().find(|f| &*f.name == "strlen").unwrap();
        assert!(resolver.is_resolver && resolver.address + bias != lengths[0].2);
        // If a place has several names, the wanted one counts.
        assert_eq!(of("libc", "__write", "entry").0[0].2, of("libc", "write", "entry").0[0].2);
        assert_eq!(of("libc", "__writ?", "entry").0.len(), 1);
    }

    /// A probe in a resolver would never fire: the dynamic linker has called it already.
    #[test]
    fn a_resolver_is_not_the_function_of_its_name() {
        let me = Process::read(std::process::id()).unwrap();
        let images = Images::default();
        let libc = me.called("libc").next().unwrap();
        let strlen = |chosen: &Chosen| {
            let mut out = Batches::default();
            let pattern = Pattern { function: "strlen", name: "entry" };
            assert_eq!(expand(libc.placed(me.pid, &images), chosen, pattern, &mut out), Ok(()));
            let refused = out.refused.pop().map(|r| (r.names.join(":"), r.reason));
            (out.places, refused)
        };
        // As if the library had no calls of it.
        let none = Image::default().chosen(me.pid, 0);
        let name = "libc.so.6:strlen:entry".to_string();
        assert!(none.is_linked && !Chosen::default().is_linked);
        assert_eq!(strlen(&none), (0, Some((name, UserReason::Resolver))));
        assert_eq!(strlen(&Chosen::default()), (1, None));
    }

    #[test]
    fn the_unlikely_part_is_of_its_function() {
        // f: je f.cold; ret; jmp f.cold; jmp elsewhere. f.cold: jmp f; ret.
        let text =
            [&[0x74, 0x0e, 0xc3, 0xeb, 0x0b, 0xeb, 0x7f][..], &[0x90; 9], &[0xeb, 0xee, 0xc3]];
        let path = std::env::temp_dir().join(format!("dtrace-cold-{}", std::process::id()));
        std::fs::write(&path, text.concat()).unwrap();
        let segment = Segment { offset: 0, size: 19, address: 0x1000, is_executable: true };
        let functions = [(0x1000, 7, "f"), (0x1010, 3, "f.cold")];
        let mut image = Image::fixed(segment, &functions);
        image.open(&path);
        std::fs::remove_file(&path).unwrap();
        let mut out = Batches::default();
        let pattern = Pattern { function: "*", name: "*[ent]*r*" };
        expand(placed(&image, 0x5000), &Chosen::default(), pattern, &mut out).unwrap();
        let (entry, left) = (UserKind::Entry as u8, UserKind::Return as u8);
        let row = |kind, at, places: &[u32]| ("f".to_string(), kind, at, places.to_vec());
        let want = [row(entry, 0x6000, &[0]), row(left, 0x6000, &[2, 5]), row(left, 0x6010, &[2])];
        assert_eq!(rows(&out), want);
    }

    #[test]
    fn names_are_harmless() {
        let mut out = Batches::default();
        let head = UserProbe { kind: UserKind::Entry as u8, ..UserProbe::default() };
        out.put(head, &[0], &[], &[], ["", "m\u{1b}[2J", "f\n", ""]);
        let which = user::Refusal { probe: 0, place: 0, reason: 7, pad: 0 };
        let names = ["m\u{fffd}[2J", "f\u{fffd}", "entry"].map(String::from);
        assert_eq!(refused(&out.packed[0], &which).map(|r| r.names), Some(names));
    }

    #[test]
    fn a_process_has_so_many_notes_and_no_more() {
        let path = std::env::temp_dir().join(format!("dtrace-notes-{}", std::process::id()));
        std::fs::write(&path, [0x90; 64]).unwrap();
        let segment = Segment { offset: 0, size: 64, address: 0x1000, is_executable: true };
        let mut image = Image::fixed(segment, &[]);
        image.open(&path);
        std::fs::remove_file(&path).unwrap();
        let note = |n: u64| Note {
            provider: ["shop", "bank"][n as usize % 2].into(),
            name: "sold".into(),
            address: 0x1000 + n,
            semaphore: 0,
            args: Vec::new(),
            floats: Vec::new(),
            function: None,
        };
        let notes: Vec<Note> = (0..10).map(note).collect();
        let wanted = (&(|p: &str| p == "shop") as _, Pattern { function: "", name: "" });
        let made = |left| {
            let mut out = Batches::default();
            usdt(placed(&image, 0), &notes, wanted, left, &mut out);
            (rows(&out).len(), out.refused)
        };
        assert_eq!(made(5), (5, vec![]));
        let names = ["x", "", ""].map(String::from);
        let refused = Refused { names, place: None, reason: UserReason::Share };
        assert_eq!(made(4), (4, vec![refused.clone()]));
        assert_eq!(made(0), (0, vec![refused]));
    }

    #[test]
    fn a_function_larger_than_its_file() {
        let path = std::env::temp_dir().join(format!("dtrace-large-{}", std::process::id()));
        let file = std::fs::File::create(&path).unwrap();
        file.set_len(1 << 34).unwrap();
        let segment = Segment { offset: 0, size: 1 << 46, address: 0, is_executable: true };
        let functions = [(0x1000, 1 << 46, "f"), (0x2000, 1 << 25, "g")];
        let mut image = Image::fixed(segment, &functions);
        image.open(&path);
        std::fs::remove_file(&path).unwrap();
        for (function, name) in [("f", "return"), ("f", "10"), ("g", "return"), ("g", "")] {
            let mut out = Batches::default();
            let pattern = Pattern { function, name };
            expand(placed(&image, 0), &Chosen::default(), pattern, &mut out).unwrap();
            assert!(out.refused.iter().any(|r| r.reason == UserReason::Size), "{function} {name}");
        }
    }

    /// Returns an image of a file with this instruction only, and functions that begin one byte
    /// apart and extend to its end.
    fn overlapping(name: &str, instruction: u8, bytes: usize, functions: u64) -> Image {
        let path = std::env::temp_dir().join(format!("dtrace-{name}-{}", std::process::id()));
        std::fs::write(&path, vec![instruction; bytes]).unwrap();
        let size = bytes as u64;
        let segment = Segment { offset: 0, size, address: 0x1000, is_executable: true };
        let functions: Vec<_> = (0..functions).map(|n| (0x1000 + n, size - n, "f")).collect();
        let mut image = Image::fixed(segment, &functions);
        image.open(&path);
        std::fs::remove_file(&path).unwrap();
        image
    }

    #[test]
    fn functions_that_overlap_have_so_many_places_and_no_more() {
        let image = overlapping("returns", 0xc3, 1 << 20, 100);
        let mut out = Batches::default();
        let pattern = Pattern { function: "", name: "return" };
        expand(placed(&image, 0), &Chosen::default(), pattern, &mut out).unwrap();
        assert!(out.are_too_many() && out.places <= MOST_PLACES + AT_ONCE, "{}", out.places);
        assert!(out.packed.iter().all(|batch| batch.len() <= MAX_MAKE));
    }

    /// A million functions of 16 MB that overlap take days.
    #[test]
    fn functions_that_overlap_take_so_much_work_and_no_more() {
        let image = overlapping("nops", 0x90, 1 << 12, 1 << 10);
        for name in ["return", "?zzz", "7ff"] {
            let steps = |steps| {
                let mut out = Batches { work: Work::new(steps), ..Batches::default() };
                let pattern = Pattern { function: "", name };
                expand(placed(&image, 0), &Chosen::default(), pattern, &mut out).unwrap();
                assert!(!out.are_too_many());
                out.took_too_much()
            };
            assert!(steps(1 << 20) && !steps(1 << 26), "{name}");
        }
    }

    /// A large program takes so long that the kernel would take us for dead.
    #[test]
    fn finding_places_beats() {
        let image = overlapping("beats", 0x90, 1 << 12, 1 << 10);
        let beats = Rc::new(Cell::new(0));
        let count = beats.clone();
        let mut out = Batches::with(Some(Box::new(move || count.set(count.get() + 1))));
        let pattern = Pattern { function: "", name: "?zzz" };
        expand(placed(&image, 0), &Chosen::default(), pattern, &mut out).unwrap();
        // 2^10 functions of 3.5 KB in the mean, 2 steps for each byte.
        assert!((5..9).contains(&beats.get()), "{}", beats.get());
        let head = UserProbe { kind: UserKind::Entry as u8, ..UserProbe::default() };
        beats.set(0);
        (0..1 << 17).for_each(|_| out.put(head, &[0], &[], &[], ["", "m", "f", ""]));
        assert!((2..4).contains(&beats.get()), "{}", beats.get());
    }

    #[test]
    fn so_many_refusals_have_names() {
        let mut out = Batches::default();
        for n in 0..MOST_REFUSED as u32 + 9 {
            out.refuse(["m", "f", ""], Some(n), UserReason::Sequence);
        }
        assert_eq!((out.refused.len(), out.more_refused), (MOST_REFUSED, 9));
        assert_eq!(out.meant(), MOST_REFUSED + 9);
    }

    #[test]
    fn many_places_are_several_probes() {
        let mut out = Batches::default();
        let places: Vec<u32> = (0..AT_ONCE as u32).collect();
        let head = UserProbe { kind: UserKind::Offset as u8, ..UserProbe::default() };
        (0..10).for_each(|_| out.put(head, &places, &[], &[], ["", "m", "f", ""]));
        assert!(out.packed.len() == 2 && rows(&out).len() == 10);
        let which = user::Refusal { probe: 2, place: 31, reason: 7, pad: 0 };
        let names = ["m", "f", "1f"].map(String::from);
        assert_eq!(
            refused(&out.packed[1], &which),
            Some(Refused { names, place: Some(31), reason: UserReason::TooFar })
        );
        assert_eq!(refused(&out.packed[1], &user::Refusal { probe: 7, ..which }), None);
        let long = "x".repeat(abi::probe::FUNCTION_LEN);
        out.put(head, &[], &[], &[], ["", "m", &long, ""]);
        assert_eq!(out.refused[0].reason, UserReason::Names);
    }
}
