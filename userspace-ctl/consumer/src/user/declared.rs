// SPDX-License-Identifier: GPL-2.0
//! What programs declare about the probes that they bring along: the types of arguments, and the
//! stability that providers promise.
//!
//! The module has neither. They are in the program's file: in the DOF with which the program
//! registers its probes; notes have no types, but at least the width of each argument. A program
//! that has ended can no longer be read.

use super::provider::{split, PID};
use abi::dof::Header;
use abi::helper::{MAX_PROBES, MAX_PROVIDERS};
use abi::stability::{Attributes, ProviderAttributes};
use d::world::Declaration;
use dof::{Dof, DofError};
use libproc::account::Account;
use libproc::budget;
use libproc::cache::Cache;
use libproc::locks;
use libproc::process::{Images, Process};
use libproc::stapsdt::Note;
use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;
use std::sync::Arc;
use zerocopy::FromBytes;

/// The most memory of the declarations that are kept, in bytes.
const MOST: usize = 64 << 20;
/// The most memory of one program's declarations, in bytes; those beyond it are left out. In a
/// small file, thousands of probes can share the same long types.
const MOST_OF_ONE: usize = 8 << 20;
/// The memory of a text, in addition to its bytes.
const OVERHEAD: usize = 64;

/// The declarations of programs. If there was no room to keep some, they are read again.
#[derive(Debug, Default)]
pub struct ProgramDeclarations {
    images: Images,
    of: RefCell<Cache<u32, Rc<Own>, MOST>>,
    /// The processes whose programs declare too much, until that is told.
    cut: RefCell<BTreeSet<u32>>,
}

/// The declarations of one program.
#[derive(Debug, Default)]
struct Own {
    /// By provider, module, name.
    probes: HashMap<[String; 3], Arc<Declaration>>,
    /// By provider.
    promised: HashMap<String, ProviderAttributes>,
    /// The memory that it takes, in bytes.
    size: usize,
    /// The program declares too much, so something is left out.
    is_cut: bool,
}

/// What follows is left out: it is damaged, or there is too much already.
struct Rest;

impl From<DofError> for Rest {
    fn from(_: DofError) -> Self {
        Self
    }
}

impl ProgramDeclarations {
    /// Returns the declaration of a probe.
    pub fn declaration(&self, parts: [&str; 4]) -> Option<Arc<Declaration>> {
        let [provider, module, _, name] = parts;
        if split(provider).any(|(of, _)| of == locks::PROVIDER) {
            let natives: Vec<String> =
                locks::types(name)?.iter().map(ToString::to_string).collect();
            let args = natives.iter().cloned().zip(0..).collect();
            return Some(Declaration { natives, args }.into());
        }
        self.find(provider, |of, own| {
            own.probes.get(&[of, module, name].map(String::from)).cloned()
        })
    }

    /// Returns the types of a probe's `args[]`.
    pub fn spelled(&self, parts: [&str; 4]) -> Option<Vec<String>> {
        let told = self.declaration(parts)?;
        Some(told.args.iter().map(|(text, _)| text.clone()).collect())
    }

    /// Returns the attributes that a provider promises.
    pub fn promised(&self, provider: &str) -> Option<ProviderAttributes> {
        self.find(provider, |of, own| own.promised.get(of).copied())
    }

    /// Takes what is to be told about programs that declare too much.
    pub fn take_told(&self) -> Option<String> {
        let cut = self.cut.take();
        let more = match cut.len().saturating_sub(1) {
            0 => String::new(),
            more => format!(" ({} such processes)", more + 1),
        };
        Some(format!(
            "process {} declares more than {} MiB of types for its probes, so some probes have no \
             types{more}",
            cut.first()?,
            MOST_OF_ONE >> 20
        ))
    }

    fn find<T>(&self, provider: &str, look: impl Fn(&str, &Own) -> Option<T>) -> Option<T> {
        split(provider).filter(|(of, _)| *of != PID).find_map(|(of, pid)| look(of, &self.own(pid)))
    }

    fn own(&self, pid: u32) -> Rc<Own> {
        if let Some(known) = self.of.borrow().get(&pid) {
            return known.clone();
        }
        let of = Account::of(pid);
        let _bill = budget::bill(of);
        let mut own = Own::default();
        for object in Process::read(pid).unwrap_or_default().objects {
            // As the probes are called.
            let module = plaintext::clean(&object.name);
            let bytes = object.dof(pid, &self.images);
            let mut rest = &*bytes;
            while let Ok((head, _)) = Header::read_from_prefix(rest) {
                let size = usize::try_from(head.load_size).unwrap_or(0);
                let Some(dof) = rest.get(..size).filter(|dof| !dof.is_empty()) else { break };
                // The module has refused damaged DOF, too.
                let _ = own.read(&module, dof);
                // The linker aligns each DOF to a multiple of 8.
                rest = rest.get(size.next_multiple_of(8)..).unwrap_or_default();
            }
            let _ = own.note(&module, &object.notes(pid, &self.images).unwrap_or_default());
        }
        if own.is_cut {
            self.cut.borrow_mut().insert(pid);
        }
        let own = Rc::new(own);
        self.of.borrow_mut().put(pid, own.clone(), own.size + OVERHEAD, of);
        own
    }
}

impl Own {
    /// Returns a text that is to be kept, as it is printed.
    fn text(&mut self, text: &str) -> Result<String, Rest> {
        if self.size > MOST_OF_ONE {
            self.is_cut = true;
            return Err(Rest);
        }
        let text = plaintext::clean(text);
        self.size += OVERHEAD + text.len();
        Ok(text.into_owned())
    }

    /// Keeps what is declared about a probe: its provider, module, name.
    fn put(&mut self, key: [&str; 3], told: Declaration) -> Result<(), Rest> {
        let [provider, module, name] = key.map(|part| self.text(part));
        self.probes.entry([provider?, module?, name?]).or_insert_with(|| told.into());
        Ok(())
    }

    /// Reads what notes tell, in the order of the file: each run leaves out the same ones.
    fn note(&mut self, module: &str, notes: &[Note]) -> Result<(), Rest> {
        let mut noted: Vec<((&str, &str), Vec<&str>)> = Vec::new();
        let mut places = HashMap::new();
        for note in notes {
            let types: Vec<&str> = note.types().collect();
            let key = (note.provider.as_str(), note.name.as_str());
            let place = *places.entry(key).or_insert(noted.len());
            let Some((_, known)) = noted.get_mut(place) else {
                noted.push((key, types));
                continue;
            };
            // If places differ in a type, the argument is a 64-bit number, the widest.
            let differ = known.iter_mut().zip(types).filter(|(a, b)| **a != *b);
            differ.for_each(|(known, _)| *known = "int64_t");
        }
        for ((provider, name), types) in noted {
            let mut told = Declaration::default();
            for (ty, slot) in types.into_iter().zip(0..) {
                told.natives.push(self.text(ty)?);
                told.args.push((self.text(ty)?, slot));
            }
            self.put([provider, module, name], told)?;
        }
        Ok(())
    }

    fn read(&mut self, module: &str, bytes: &[u8]) -> Result<(), Rest> {
        // Any user's program supplies this data: it may name the same probes over and over.
        let mut probes = 0..MAX_PROBES;
        for provider in Dof::check(bytes)?.providers().take(MAX_PROVIDERS) {
            let provider = provider?;
            let name = String::from_utf8_lossy(provider.name);
            let packed = provider.attributes.map(Attributes::unpacked);
            if let [Some(a), Some(b), Some(c), Some(d), Some(e)] = packed {
                let name = self.text(&name)?;
                self.promised.entry(name).or_insert(ProviderAttributes([a, b, c, d, e]));
            }
            for (probe, _) in provider.probes().zip(&mut probes) {
                let probe = probe?;
                let mut told = Declaration::default();
                for native in probe.natives() {
                    told.natives.push(self.text(&String::from_utf8_lossy(native?))?);
                }
                for arg in probe.args() {
                    let (arg, slot) = arg?;
                    told.args.push((self.text(&String::from_utf8_lossy(arg))?, slot));
                }
                self.put([&name, module, &String::from_utf8_lossy(probe.name)], told)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use abi::user::UserArg;

    fn note(name: &str, widths: &[u8]) -> Note {
        let arg = |&width: &u8| UserArg { width, ..UserArg::default() };
        Note {
            provider: "hog".into(),
            name: name.into(),
            address: 0,
            semaphore: 0,
            args: widths.iter().map(arg).collect(),
            floats: Vec::new(),
            function: None,
        }
    }

    #[test]
    fn notes_of_one_probe_come_together() {
        let mut own = Own::default();
        let notes = [note("one", &[4, 4]), note("two", &[1]), note("one", &[4, 8])];
        assert!(own.note("a.out", &notes).is_ok());
        let natives = |name: &str| {
            let key = ["hog", "a.out", name].map(String::from);
            own.probes[&key].natives.clone()
        };
        assert_eq!(natives("one"), ["uint32_t", "int64_t"]);
        assert_eq!(natives("two"), ["uint8_t"]);
    }

    #[test]
    fn the_last_notes_of_too_many_are_left_out() {
        let notes: Vec<Note> = (0..1 << 15).map(|n| note(&n.to_string(), &[8; 12])).collect();
        let mut own = Own::default();
        assert!(own.note("a.out", &notes).is_err() && own.is_cut);
        let known =
            |n: &usize| own.probes.contains_key(&["hog".into(), "a.out".into(), n.to_string()]);
        let kept = (0..notes.len()).take_while(known).count();
        assert!(kept > 1000 && kept == own.probes.len(), "{kept} of {}", own.probes.len());
    }

    #[test]
    fn programs_that_declare_too_much_are_told_once() {
        let declared = ProgramDeclarations::default();
        assert_eq!(declared.take_told(), None);
        declared.cut.borrow_mut().insert(7);
        let one = "process 7 declares more than 8 MiB of types for its probes, so some probes \
                   have no types";
        assert_eq!(declared.take_told().as_deref(), Some(one));
        assert_eq!(declared.take_told(), None);
        declared.cut.borrow_mut().extend([7, 8, 9]);
        assert!(declared.take_told().unwrap().ends_with("types (3 such processes)"));
    }

    #[test]
    fn a_program_that_declares_too_much() {
        let mut own = Own::default();
        // Each is eight times as long when it is printed.
        let ty = "\t".repeat(500);
        let native = || vec![ty.clone(); 255];
        let notes = |own: &mut Own, n: u32| {
            let mut told = Declaration::default();
            for ty in native() {
                told.natives.push(own.text(&ty)?);
            }
            own.put(["hog", "a.out", &n.to_string()], told)
        };
        let fit = (0..10_000).take_while(|n| notes(&mut own, *n).is_ok()).count();
        assert!((1..100).contains(&fit) && own.probes.len() == fit, "{fit}");
        let kept = own.probes.values().flat_map(|told| &told.natives).map(String::len);
        assert!(kept.sum::<usize>() <= own.size && own.size < MOST_OF_ONE + (1 << 16));
    }
}
