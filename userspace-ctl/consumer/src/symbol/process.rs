// SPDX-License-Identifier: GPL-2.0
//! Addresses of processes, named by their mappings: files, whose symbol tables are read once each,
//! or code that the process generated and described itself.
//!
//! After a process has ended nothing can be read. So its map is read at the first of its addresses,
//! and again when an address is not on the map. One read is enough for each batch taken from the
//! kernel, because a later read covers the whole batch.

use super::NamedAddress;
use libproc::jit::Jit;
use libproc::limit;
use libproc::maps::{self, Map, Mapped};
use libproc::process::Images;
use libproc::{Image, Seen};
use std::collections::HashMap;
use std::rc::Rc;

/// The most processes that are remembered.
const MOST: usize = 4096;
/// The message about addresses without names.
const FULL: &str = "too many files of processes are open: some addresses have no names. A higher \
                    limit (`ulimit -n`) helps";

/// The processes seen so far.
#[derive(Debug, Default)]
pub(super) struct Processes {
    known: HashMap<u64, Process>,
    images: Images,
    /// The number of batches taken from the kernel.
    taken: u64,
    /// What is to be told, and whether it was told: it is told once.
    pub(super) told: Vec<String>,
    has_told: bool,
}

#[derive(Debug)]
struct Process {
    /// Each mapping, with its file as it was at that time.
    maps: Vec<(Map, Option<Seen>)>,
    jit: Jit,
    /// The value of `taken` when the map was read.
    read: u64,
}

impl Processes {
    /// Notes a new batch: maps read before it may be older than its addresses.
    pub(super) fn take(&mut self) {
        self.taken += 1;
        if limit::was_reached() && !self.has_told {
            self.has_told = true;
            self.told.push(FULL.into());
        }
    }

    /// Reads the map of a process if it may have changed.
    pub(super) fn refresh(&mut self, pid: u64) {
        if self.is_due(pid) {
            self.read(pid);
        }
    }

    /// Reads the map of a process.
    pub(super) fn read(&mut self, pid: u64) {
        let Ok(number) = u32::try_from(pid) else { return };
        self.learn(number, maps::open(number).unwrap_or_default());
    }

    fn learn(&mut self, number: u32, Mapped { mut maps, is_whole }: Mapped) {
        let pid = number.into();
        maps.retain(|m| m.is_executable);
        // The process is ending, so its previous map is the better one.
        if maps.is_empty() || !is_whole && self.known.contains_key(&pid) {
            if let Some(process) = self.known.get_mut(&pid) {
                process.jit.read(number);
                process.read = self.taken;
            }
            return;
        }
        // Holds the files, too, while they exist.
        let view = self.images.view(number);
        let hold = |map: Map| {
            let seen = self.images.hold(number, &map, view.as_ref());
            (map, seen)
        };
        let maps = maps.into_iter().map(hold).collect();
        if self.known.len() >= MOST {
            self.known.clear();
        }
        let mut jit = self.known.remove(&pid).map(|p| p.jit).unwrap_or_default();
        jit.read(number);
        self.known.insert(pid, Process { maps, jit, read: self.taken });
    }

    fn is_due(&self, pid: u64) -> bool {
        self.known.get(&pid).is_none_or(|p| p.read != self.taken)
    }

    /// Returns the code at an address that the process generated.
    fn made(&mut self, pid: u64, address: u64) -> Option<NamedAddress> {
        let is_known = self.known.get(&pid)?.jit.symbol(address).is_some();
        if !is_known {
            self.refresh(pid);
        }
        let (symbol, offset) = self.known.get(&pid)?.jit.symbol(address)?;
        Some(NamedAddress { module: "[jit]".into(), symbol: Some(symbol.into()), offset })
    }

    /// Returns the name of an address's file, and the functions inlined there, the innermost first.
    pub(super) fn inlined(&mut self, pid: u64, address: u64) -> Option<(String, Rc<[String]>)> {
        let (map, image, offset) = self.file(pid, address)?;
        let names = image.inlined(offset);
        (!names.is_empty()).then(|| (map.name().to_string(), names))
    }

    /// Tells whether the code at an address returns from a signal handler.
    pub(super) fn leaves_signal(&mut self, pid: u64, address: u64) -> bool {
        self.file(pid, address).is_some_and(|(_, image, offset)| image.leaves_signal(offset))
    }

    /// Returns the file that contains an address, and the offset there.
    fn file(&mut self, pid: u64, address: u64) -> Option<(&Map, Rc<Image>, u64)> {
        self.seek(pid, address);
        let (map, seen) = self.map(pid, address).filter(|(m, _)| m.is_file())?;
        let image = self.images.held(seen.as_ref(), u32::try_from(pid).ok()?, map);
        Some((map, image, address - map.start + map.offset))
    }

    /// Reads the process's map again if it does not contain an address.
    fn seek(&mut self, pid: u64, address: u64) {
        if self.map(pid, address).is_none() {
            self.refresh(pid);
        }
    }

    fn map(&self, pid: u64, address: u64) -> Option<&(Map, Option<Seen>)> {
        let maps = &self.known.get(&pid)?.maps;
        let after = maps.partition_point(|(m, _)| m.start <= address);
        maps.get(after.checked_sub(1)?).filter(|(m, _)| address < m.end)
    }

    /// Returns the name of an address.
    pub(super) fn place(&mut self, pid: u64, address: u64) -> Option<NamedAddress> {
        self.seek(pid, address);
        if !self.map(pid, address)?.0.is_file() {
            if let Some(place) = self.made(pid, address) {
                return Some(place);
            }
        }
        let (map, seen) = self.map(pid, address)?;
        let module = map.name().to_string();
        let offset = address - map.start + map.offset;
        let image = self.images.held(seen.as_ref(), u32::try_from(pid).ok()?, map);
        Some(match image.symbol(offset) {
            Some((symbol, offset)) => NamedAddress { module, symbol: Some(symbol.into()), offset },
            None if module.is_empty() => return None,
            None => NamedAddress { module, symbol: None, offset },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_a_map_is_better_than_none_and_worse_than_a_whole_one() {
        let us = std::process::id();
        let pid = u64::from(us);
        let whole = maps::read(us).unwrap();
        let code = whole.iter().rfind(|m| m.is_executable && m.is_file()).unwrap();
        let (first, last) = (code.start, code.end - 1);
        let mut half = vec![code.clone()];
        half[0].end = last;
        let mut processes = Processes::default();
        let cut = || Mapped { maps: half.clone(), is_whole: false };
        processes.learn(us, cut());
        assert!(processes.map(pid, first).is_some() && processes.map(pid, last).is_none());
        processes.learn(us, Mapped { maps: whole.clone(), is_whole: true });
        assert!(processes.map(pid, last).is_some());
        processes.learn(us, cut());
        assert!(processes.map(pid, last).is_some());
    }
}
