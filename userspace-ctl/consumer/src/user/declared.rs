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
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;
use zerocopy::FromBytes;

/// The most memory of the declarations that are kept, in bytes.
const MOST: usize = 64 << 20;
/// The memory of a text, in addition to its bytes.
const OVERHEAD: usize = 64;

/// The declarations of programs. If there was no room to keep some, they are read again.
#[derive(Debug, Default)]
pub struct ProgramDeclarations {
    images: Images,
    of: RefCell<Cache<u32, Rc<Own>, MOST>>,
}

/// The declarations of one program.
#[derive(Debug, Default)]
struct Own {
    /// By provider, module, name.
    probes: HashMap<[String; 3], Arc<Declaration>>,
    /// By provider.
    promised: HashMap<String, ProviderAttributes>,
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
            let module = plaintext::clean(&object.name).into_owned();
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
            let mut noted: HashMap<_, Vec<&str>> = HashMap::new();
            let notes = object.notes(pid, &self.images);
            for note in notes.iter() {
                let types: Vec<&str> = note.types().collect();
                let known = noted.entry((&note.provider, &note.name)).or_insert(types.clone());
                // If places differ in a type, the argument is a 64-bit number, the widest.
                let differ = known.iter_mut().zip(types).filter(|(a, b)| **a != *b);
                differ.for_each(|(known, _)| *known = "int64_t");
            }
            for ((provider, name), types) in noted {
                let natives: Vec<String> = types.iter().map(ToString::to_string).collect();
                let args = natives.iter().cloned().zip(0..).collect();
                let key = [provider, &module, name].map(|n| plaintext::clean(n).into_owned());
                own.probes.entry(key).or_insert_with(|| Declaration { natives, args }.into());
            }
        }
        let own = Rc::new(own);
        self.of.borrow_mut().put(pid, own.clone(), own.weight(), of);
        own
    }
}

impl Own {
    /// Returns the memory that it takes, in bytes.
    fn weight(&self) -> usize {
        let probes = self.probes.iter().flat_map(|(key, told)| {
            let args = told.args.iter().map(|(text, _)| text);
            key.iter().chain(&told.natives).chain(args)
        });
        let texts = probes.chain(self.promised.keys());
        texts.map(|text| OVERHEAD + text.len()).sum::<usize>() + OVERHEAD
    }

    fn read(&mut self, module: &str, bytes: &[u8]) -> Result<(), DofError> {
        let text = |bytes: &[u8]| plaintext::clean(&String::from_utf8_lossy(bytes)).into_owned();
        // Any user's program supplies this data: it may name the same probes over and over.
        let mut probes = 0..MAX_PROBES;
        for provider in Dof::check(bytes)?.providers().take(MAX_PROVIDERS) {
            let provider = provider?;
            let name = text(provider.name);
            let packed = provider.attributes.map(Attributes::unpacked);
            if let [Some(a), Some(b), Some(c), Some(d), Some(e)] = packed {
                self.promised.entry(name.clone()).or_insert(ProviderAttributes([a, b, c, d, e]));
            }
            for (probe, _) in provider.probes().zip(&mut probes) {
                let probe = probe?;
                let mut told = Declaration::default();
                for native in probe.natives() {
                    told.natives.push(text(native?));
                }
                for arg in probe.args() {
                    let (arg, slot) = arg?;
                    told.args.push((text(arg), slot));
                }
                let key = [name.clone(), module.into(), text(probe.name)];
                self.probes.entry(key).or_insert_with(|| told.into());
            }
        }
        Ok(())
    }
}
