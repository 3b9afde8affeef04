// SPDX-License-Identifier: GPL-2.0
//! Unwinding rules for the module, which walks the stacks of processes. Each file is read once,
//! whichever process maps it first, and again if it had to give way to others ([`Ration`]).

use super::ration::Ration;
use crate::clock::Clock;
use crate::kernel::Kernel;
use abi::unwind::{Key, Row};
use libproc::account::Account;
use libproc::frames;
use libproc::maps::{self, Map};
use libproc::process;
use std::collections::HashSet;
use std::fs::File;
use std::time::{Duration, Instant};

/// How long processes are read before tracing begins; the others are read when they are met.
const PATIENCE: Duration = Duration::from_millis(500);
/// How long processes that are running at that moment are read.
const PATIENCE_WHILE_RUNNING: Duration = Duration::from_secs(2);
/// How long files met later are read at a time; no trace data is taken meanwhile.
const SLICE: Duration = Duration::from_millis(50);
/// How long the files of one process are opened; of one that the user has named, before tracing.
const PATIENCE_WITH_ONE: Duration = Duration::from_millis(250);
const PATIENCE_WITH_NAMED: Duration = Duration::from_secs(2);
/// How long the files of all processes that are met in one look are opened.
const PATIENCE_WITH_ALL: Duration = Duration::from_millis(500);
/// A refusal of rows that are larger than this, in bytes, does not say that the module takes no
/// smaller ones.
const LARGE: usize = 1 << 16;
/// The most unread files that are kept open; others are opened when they are met again.
const MOST: usize = 256;

/// The files that the module knows.
#[derive(Debug, Default)]
pub struct Objects {
    known: Ration,
    /// Files that are still to be read, and their sizes.
    wanted: Vec<(u64, Key, File)>,
    /// The module takes no more.
    is_full: bool,
}

impl Objects {
    /// Gives the module the files that running processes have mapped: those of all in `first`, and
    /// of as many others as there is time for.
    pub fn learn_all(&mut self, kernel: &mut dyn Kernel, mut first: Vec<u32>) {
        first.dedup();
        for pid in first {
            self.open(kernel, pid, Account::of(pid), PATIENCE_WITH_NAMED);
            while self.learn_next(kernel) {}
        }
        let (begin, mut spent) = (Instant::now(), Clock::default());
        let (running, others): (Vec<_>, Vec<_>) = process::busiest().into_iter().partition(|p| p.1);
        for (pid, _) in running {
            if begin.elapsed() > PATIENCE_WHILE_RUNNING {
                break;
            }
            self.meet_within(kernel, pid, &mut spent, PATIENCE_WHILE_RUNNING);
        }
        while begin.elapsed() < PATIENCE_WHILE_RUNNING && self.learn_next(kernel) {}
        for (pid, _) in others {
            if begin.elapsed() > PATIENCE {
                return;
            }
            self.meet_within(kernel, pid, &mut spent, PATIENCE_WHILE_RUNNING);
            while self.learn_next(kernel) {}
        }
    }

    /// Gives the module the files that a process has mapped.
    pub fn learn(&mut self, kernel: &mut dyn Kernel, pid: u32) {
        self.open(kernel, pid, Account::of(pid), PATIENCE_WITH_ONE);
        while self.learn_next(kernel) {}
    }

    /// Opens the files that a process has mapped, to read them when there is time: the process may
    /// have ended by then. A process that has ended already has none. `spent` is the time that the
    /// processes of this look have taken: no user's processes get more than their share.
    pub fn meet(&mut self, kernel: &mut dyn Kernel, pid: u32, spent: &mut Clock) {
        self.meet_within(kernel, pid, spent, PATIENCE_WITH_ALL);
    }

    fn meet_within(&mut self, kernel: &mut dyn Kernel, pid: u32, spent: &mut Clock, all: Duration) {
        let of = Account::of(pid);
        if spent.is_over(of, all) {
            return;
        }
        let begin = Instant::now();
        // So the last ones of all users together leave something to root.
        self.open(kernel, pid, of, PATIENCE_WITH_ONE.min(all / 4));
        spent.add(of, begin.elapsed());
    }

    fn open(&mut self, kernel: &mut dyn Kernel, pid: u32, of: Account, patience: Duration) {
        self.known.begin();
        let vdso = Key::default();
        if !self.known.meet(vdso) {
            self.add(kernel, vdso, Account::ROOT);
            self.tell(kernel, vdso, frames::vdso());
        }
        let begin = Instant::now();
        for map in code(&maps::read(pid).unwrap_or_default()) {
            // A process can have any number of files.
            if begin.elapsed() > patience {
                return;
            }
            let Some(file) = map.open(pid) else { continue };
            let Some(key) = map.key(&file).filter(|key| !self.known.meet(*key)) else {
                continue;
            };
            if self.wanted.len() < MOST && !self.is_full {
                self.add(kernel, key, of);
                let size = file.metadata().map_or(0, |m| m.len());
                self.wanted.push((size, key, file));
            }
        }
    }

    /// Reads some of the files that were met; tells whether there are more.
    pub fn learn_some(&mut self, kernel: &mut dyn Kernel) -> bool {
        let begin = Instant::now();
        while begin.elapsed() < SLICE && self.learn_next(kernel) {}
        !self.wanted.is_empty()
    }

    /// Reads the smallest file that was met, so that few wait for a large one; returns whether
    /// there was any.
    fn learn_next(&mut self, kernel: &mut dyn Kernel) -> bool {
        let sizes = self.wanted.iter().enumerate().map(|(n, w)| (w.0, n));
        let Some((_, n)) = sizes.min() else { return false };
        let (_, key, file) = self.wanted.swap_remove(n);
        // It may have given way meanwhile.
        if self.known.has(key) {
            match frames::rows(&file) {
                Some(rows) => self.tell(kernel, key, rows),
                // The module counts the stacks that end early in a file without rows.
                None => kernel.beat(),
            }
        }
        true
    }

    fn add(&mut self, kernel: &mut dyn Kernel, key: Key, of: Account) {
        let forgotten = self.known.add(key, of);
        forget(kernel, &forgotten);
    }

    fn tell(&mut self, kernel: &mut dyn Kernel, key: Key, rows: Vec<Row>) {
        if self.is_full {
            return;
        }
        let forgotten = self.known.weigh(key, size_of_val(&rows[..]));
        forget(kernel, &forgotten);
        // The author of a file decides how many rows it has, so a refusal of many concerns this
        // file only. So does ENOSPC: other files have its places.
        let is_large = size_of_val(&rows[..]) > LARGE;
        let refused = kernel.object(key, rows).err().map(|r| r.errno);
        self.is_full = !is_large && matches!(refused, Some(libc::E2BIG | libc::ENOMEM));
    }
}

/// Returns one mapping of each file with code: a process can map a file any number of times.
fn code(maps: &[Map]) -> impl Iterator<Item = &Map> {
    let mut seen = HashSet::new();
    maps.iter().filter(move |m| m.is_executable && seen.insert((&m.identity, &m.path)))
}

fn forget(kernel: &mut dyn Kernel, files: &[Key]) {
    for key in files {
        // A file that was refused is not there.
        let _ = kernel.forget(*key);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_mapped_often_is_opened_once() {
        let maps = maps::read(std::process::id()).unwrap();
        let files: Vec<&Map> = code(&maps).collect();
        assert!(files.len() > 1 && files.iter().all(|m| m.is_executable));
        let often: Vec<Map> = files.iter().flat_map(|m| vec![(*m).clone(); 10_000]).collect();
        assert_eq!(code(&often).collect::<Vec<_>>(), files);
    }
}
