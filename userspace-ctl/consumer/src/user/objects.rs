// SPDX-License-Identifier: GPL-2.0
//! Unwinding rules for the module, which walks the stacks of processes. Each file is read once,
//! whichever process maps it first, and again if it had to give way to others ([`Ration`]).

use super::is_silent;
use super::ration::Ration;
use super::unread::{Unread, Waiting};
use crate::clock::Clock;
use crate::kernel::Kernel;
use abi::unwind::{Key, Row};
use libproc::account::Account;
use libproc::frames;
use libproc::maps::{self, Map};
use libproc::process;
use std::collections::HashSet;
use std::io;
use std::time::{Duration, Instant};

/// How long processes are read before tracing begins; the others are read when they are met.
const PATIENCE: Duration = Duration::from_millis(500);
/// How long processes that are running at that moment are read.
const PATIENCE_WHILE_RUNNING: Duration = Duration::from_secs(2);
/// How long files met later are read at a time; no trace data is taken meanwhile.
const SLICE: Duration = Duration::from_millis(50);
/// How long the files of one process are opened; of one that the user has named, and how long files
/// are read after that. Others are read while tracing goes on.
const PATIENCE_WITH_ONE: Duration = Duration::from_millis(250);
const PATIENCE_WITH_NAMED: Duration = Duration::from_secs(2);
/// How long all processes that the user has named take before tracing begins. A glob may name those
/// of any user.
const PATIENCE_WITH_ALL_NAMED: Duration = Duration::from_secs(10);
/// How long the files of all processes that are met in one look are opened.
const PATIENCE_WITH_ALL: Duration = Duration::from_millis(500);
/// A refusal of rows that are larger than this, in bytes, does not say that the module takes no
/// smaller ones.
const LARGE: usize = 1 << 16;

/// The files that the module knows.
#[derive(Debug, Default)]
pub struct Objects {
    known: Ration,
    /// Files that are still to be read. Those without a place there are opened when they are met
    /// again.
    unread: Unread,
    /// The module takes no more.
    is_full: bool,
    /// A process did not let itself be read in time, which was reported.
    was_silent: bool,
    told: Vec<String>,
}

impl Objects {
    /// Gives the module the files that running processes have mapped: those of all in `first`, and
    /// of as many others as there is time for.
    pub fn learn_all(&mut self, kernel: &mut dyn Kernel, mut first: Vec<u32>) {
        first.dedup();
        let begin = Instant::now();
        for pid in first {
            if begin.elapsed() > PATIENCE_WITH_ALL_NAMED {
                break;
            }
            self.open(kernel, pid, Account::of(pid), PATIENCE_WITH_NAMED);
            self.learn_within(kernel, PATIENCE_WITH_NAMED);
        }
        let (begin, mut spent) = (Instant::now(), Clock::default());
        let (running, others): (Vec<_>, Vec<_>) = process::busiest().into_iter().partition(|p| p.1);
        for (pid, _) in running {
            if begin.elapsed() > PATIENCE_WHILE_RUNNING {
                break;
            }
            self.meet_within(kernel, (pid, Account::of(pid)), &mut spent, PATIENCE_WHILE_RUNNING);
        }
        self.learn_within(kernel, PATIENCE_WHILE_RUNNING.saturating_sub(begin.elapsed()));
        for (pid, _) in others {
            if begin.elapsed() > PATIENCE {
                return;
            }
            self.meet_within(kernel, (pid, Account::of(pid)), &mut spent, PATIENCE_WHILE_RUNNING);
            self.learn_within(kernel, PATIENCE.saturating_sub(begin.elapsed()));
        }
    }

    /// Gives the module the files that a process has mapped.
    pub fn learn(&mut self, kernel: &mut dyn Kernel, pid: u32) {
        self.open(kernel, pid, Account::of(pid), PATIENCE_WITH_ONE);
        self.learn_within(kernel, PATIENCE_WITH_NAMED);
    }

    /// Opens the files that a process has mapped, to read them when there is time: the process may
    /// have ended by then. A process that has ended already has none. `spent` is the time that the
    /// processes of this look have taken: no user's processes get more than their share.
    pub fn meet(&mut self, kernel: &mut dyn Kernel, process: (u32, Account), spent: &mut Clock) {
        self.meet_within(kernel, process, spent, PATIENCE_WITH_ALL);
    }

    fn meet_within(
        &mut self,
        kernel: &mut dyn Kernel,
        (pid, of): (u32, Account),
        spent: &mut Clock,
        all: Duration,
    ) {
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
        let maps = maps::read(pid).unwrap_or_else(|e| {
            self.miss(pid, &e);
            Vec::new()
        });
        for map in code(&maps) {
            // A process can have any number of files.
            if begin.elapsed() > patience {
                return;
            }
            let Some(file) = map.open(pid) else { continue };
            let Some(key) = map.key(&file) else { continue };
            if self.known.meet(key) {
                self.unread.join(key, of);
                continue;
            }
            if !self.is_full {
                let size = file.metadata().map_or(0, |m| m.len());
                let gone = self.unread.put(Waiting { of, others: vec![], size, key, file });
                let gone = gone.map(|gone| gone.key);
                if gone != Some(key) {
                    self.add(kernel, key, of);
                }
                gone.into_iter().for_each(|gone| self.known.remove(gone));
            }
        }
    }

    /// Reports the first process that could not be read in time. Any other that could not be read
    /// has ended, or has no memory of its own.
    fn miss(&mut self, pid: u32, e: &io::Error) {
        if is_silent(e) && !std::mem::replace(&mut self.was_silent, true) {
            self.told.push(format!(
                "process {pid} did not let itself be read in time, so its stacks may end early; \
                 this may happen to other processes, too, without a message"
            ));
        }
    }

    /// Returns the messages since the last call.
    pub fn take_told(&mut self) -> Vec<String> {
        std::mem::take(&mut self.told)
    }

    /// Reads some of the files that were met; tells whether there are more.
    pub fn learn_some(&mut self, kernel: &mut dyn Kernel) -> bool {
        self.learn_within(kernel, SLICE);
        !self.unread.is_empty()
    }

    /// Reads files that were met, as long as there is time.
    fn learn_within(&mut self, kernel: &mut dyn Kernel, time: Duration) {
        let begin = Instant::now();
        while begin.elapsed() < time && self.learn_next(kernel) {}
    }

    /// Reads a file that was met; returns whether there was any.
    fn learn_next(&mut self, kernel: &mut dyn Kernel) -> bool {
        let Some(Waiting { of, others, key, file, .. }) = self.unread.next() else { return false };
        // It may have given way to other files of its user meanwhile. That must not concern other
        // users who wait for it.
        if !self.known.has(key) && !others.is_empty() && !self.is_full {
            self.add(kernel, key, of);
        }
        if self.known.has(key) && !self.is_full {
            let begin = Instant::now();
            match frames::rows(&file) {
                Some(rows) => self.tell(kernel, key, rows),
                // The module counts the stacks that end early in a file without rows.
                None => kernel.beat(),
            }
            self.unread.spend(of, begin.elapsed());
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
    use crate::kernel::Deaf;

    #[test]
    fn a_file_that_is_mapped_often_is_opened_once() {
        let maps = maps::read(std::process::id()).unwrap();
        let files: Vec<&Map> = code(&maps).collect();
        assert!(files.len() > 1 && files.iter().all(|m| m.is_executable));
        let often: Vec<Map> = files.iter().flat_map(|m| vec![(*m).clone(); 10_000]).collect();
        assert_eq!(code(&often).collect::<Vec<_>>(), files);
    }

    #[test]
    fn a_process_that_does_not_answer_is_reported_once() {
        let mut objects = Objects::default();
        let of = Account::ROOT;
        objects.open(&mut Deaf::default(), u32::MAX, of, Duration::MAX);
        assert_eq!(objects.take_told(), [""; 0], "it does not exist");
        objects.miss(7, &io::ErrorKind::TimedOut.into());
        objects.miss(8, &io::ErrorKind::TimedOut.into());
        let told = objects.take_told();
        assert!(told.len() == 1 && told[0].starts_with("process 7 did not let itself be read"));
        assert_eq!(objects.take_told(), [""; 0]);
    }

    /// The first user maps more files, so that this one gives way before it is read.
    #[test]
    fn a_file_that_another_user_waits_for_is_not_forgotten() {
        let (me, mut kernel) = (std::process::id(), Deaf::default());
        let [first, other] = [1, 2].map(Account::user);
        let maps = maps::read(me).unwrap();
        let keys: Vec<Key> = code(&maps).filter_map(|m| m.key(&m.open(me)?)).collect();
        assert!(!keys.is_empty());
        let mut known_after = |users: &[Account]| {
            let mut objects = Objects::default();
            users.iter().for_each(|of| objects.open(&mut kernel, me, *of, Duration::MAX));
            keys.iter().for_each(|key| objects.known.remove(*key));
            while objects.learn_next(&mut kernel) {}
            keys.iter().filter(|key| objects.known.has(**key)).count()
        };
        assert_eq!(known_after(&[first, first]), 0);
        assert_eq!(known_after(&[first, other]), keys.len());
    }
}
