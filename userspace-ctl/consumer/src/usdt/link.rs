// SPDX-License-Identifier: GPL-2.0
//! `-G`: makes the object that turns other objects into a program with probes.

use super::dof;
use super::elf::{self, Object, Rela, GLOBAL, WEAK};
use super::sites::{self, Site};
use crate::error::{reason, Error};
use d::Provider;
use object::Object as _;
use std::collections::{BTreeSet, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};

/// The compiled code that registers the DOF with the kernel; its section for the DOF is empty.
const REGISTER: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/register.o"));
/// An object without code or data; one of 32 bits.
const EMPTY: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/empty.o"));
const EMPTY_NARROW: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/empty32.o"));
const DOF: &str = ".SUNW_dof";
/// `R_X86_64_PC64`: a distance from the relocated place.
const PC64: u64 = 24;
/// The most places of all probes together; the kernel takes no more.
const MOST: usize = abi::helper::MAX_PLACES;

/// Replaces the calls in the objects' files, and writes the object to be linked with them to `to`. If
/// one object is refused, no file is changed.
///
/// | objects | what happens |
/// |---|---|
/// | x86-64 | their calls are replaced |
/// | link-time optimisation | the new object defines the called functions, which contain the probes |
/// | none | the same |
/// | 32 bits | the new object is empty: the header has made notes (`<sys/sdt.h>`) |
///
/// Without providers the new object is empty. `is_narrow` (`-32`) asks for a 32-bit object, and
/// refuses others.
pub fn link(
    providers: &[Provider],
    objects: &[String],
    to: &str,
    is_narrow: bool,
) -> Result<(), Error> {
    let failed = |why: String| Error::new(format!("failed to write {to}"), why);
    let store = |bytes: &[u8]| named::replace(to, bytes).map_err(|e| failed(reason(&e)));
    if providers.is_empty() || (objects.is_empty() && is_narrow) {
        return store(if is_narrow { EMPTY_NARROW } else { EMPTY });
    }
    let mut all: Vec<(usize, Site)> = Vec::new();
    let mut known = BTreeSet::new();
    let mut changed = Vec::new();
    let mut narrow = Narrow::default();
    let mut has_functions = objects.is_empty();
    for (n, file) in objects.iter().enumerate() {
        let failed = |why: String| Error::new(format!("failed to link script with {file}"), why);
        let bytes = named::read(file).map_err(|e| failed(reason(&e)))?;
        if elf::is_narrow(&bytes) || is_narrow {
            narrow.add(&bytes).map_err(|why| failed(why.into()))?;
            continue;
        }
        if elf::is_bitcode(&bytes) {
            has_functions = true;
            continue;
        }
        let mut object = Object::read(&bytes).map_err(|why| failed(why.into()))?;
        if object.is_for_lto() {
            has_functions = true;
            continue;
        }
        let sites = sites::take(&mut object, &key(file), providers).map_err(failed)?;
        let new = object.write();
        if new != bytes {
            changed.push((file, new));
        }
        let first = |s: &Site| known.insert(s.symbol.clone());
        all.extend(sites.into_iter().filter(first).map(|s| (n, s)));
    }
    if narrow.objects > 0 && narrow.objects < objects.len() {
        let why = "some objects are of 32 bits and some are not, so they cannot be linked together";
        return Err(failed(why.into()));
    }
    if narrow.has_notes {
        return store(EMPTY_NARROW);
    }
    let mut object = Object::read(REGISTER).map_err(|why| failed(why.into()))?;
    if has_functions {
        let functions = sites::define(&mut object, &key(to), providers);
        let functions = functions
            .ok_or_else(|| failed("this dtrace was built without a place for functions".into()))?;
        all.extend(functions.into_iter().map(|s| (objects.len(), s)));
    }
    if all.is_empty() {
        let names: Vec<&str> = providers.iter().map(|p| p.name.as_str()).collect();
        let why = format!("no object calls a probe of provider {}", names.join(" or "));
        let hint = "use the macros of the header that `dtrace -h` writes";
        return Err(failed(why).hint(hint));
    }
    if all.len() > MOST {
        return Err(failed(format!("{} places of probes exceed the limit of {MOST}", all.len())));
    }
    let bytes = with_dof(object, providers, &all).map_err(|why| failed(why.into()))?;
    for (file, new) in changed {
        named::replace(file, &new)
            .map_err(|e| Error::new(format!("failed to write {file}"), reason(&e)))?;
    }
    store(&bytes)
}

/// The 32-bit objects of one `-G`.
#[derive(Default)]
struct Narrow {
    objects: usize,
    has_notes: bool,
}

impl Narrow {
    fn add(&mut self, bytes: &[u8]) -> Result<(), &'static str> {
        let kind = object::FileKind::parse(bytes).map_err(|_| "it is not an ELF object")?;
        if kind != object::FileKind::Elf32 {
            return Err("it is not a 32-bit object: leave out -32, or compile it with -m32");
        }
        let file = object::File::parse(bytes).map_err(|_| "it is damaged")?;
        self.objects += 1;
        self.has_notes |= file.section_by_name(".note.stapsdt").is_some();
        Ok(())
    }
}

/// Returns a word that makes the symbols of one object differ from those of another.
fn key(file: &str) -> String {
    let mut key = DefaultHasher::new();
    file.hash(&mut key);
    format!("{:x}", key.finish())
}

/// Puts the DOF into its section.
fn with_dof(
    mut object: Object,
    providers: &[Provider],
    sites: &[(usize, Site)],
) -> Result<Vec<u8>, &'static str> {
    let (bytes, addresses) = dof::write(providers, sites);
    let at = (0..object.sections.len()).find(|n| object.section_name(*n) == DOF);
    let at = at.ok_or("this dtrace was built without a place for the DOF")?;
    let own = object.symbols.iter().enumerate().filter(|(_, s)| s.section != 0);
    let own: HashMap<String, usize> = own
        .map(|(n, s)| (object.name(s).to_string(), n))
        .filter(|(name, _)| !name.is_empty())
        .collect();
    let mut known: HashMap<&str, usize> = HashMap::new();
    let mut relocations = Vec::new();
    for address in addresses {
        let name = address.of.symbol.as_str();
        // Objects may have different places in a common function.
        let binding = if address.of.is_shared { WEAK } else { GLOBAL };
        let symbol = known.entry(name).or_insert_with(|| match own.get(name) {
            Some(n) => *n,
            None => object.add_symbol(name, binding, 0, 0),
        });
        let info = (*symbol as u64) << 32 | PC64;
        relocations.push(Rela { offset: address.offset, info, addend: 0 });
    }
    if let Some(section) = object.sections.get_mut(at) {
        section.data = bytes;
    }
    object.add_relocations(&format!(".rela{DOF}"), at, &relocations);
    Ok(object.write())
}
