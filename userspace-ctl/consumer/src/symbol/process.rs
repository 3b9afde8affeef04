// SPDX-License-Identifier: GPL-2.0
//! Addresses of processes, named by their mappings: files, whose symbol tables are read once each,
//! or code that the process generated and described itself.
//!
//! After a process has ended nothing can be read. So its map is read at the first of its addresses,
//! and again when an address is not on the map. One read is enough for each batch taken from the
//! kernel, because a later read covers the whole batch.
//!
//! A process decides how many mappings it has, how large its files are, and how many processes are
//! like it. So there are limits for the time that one and all of them take of each batch, and for
//! the memory. Addresses beyond them have no names.

use super::NamedAddress;
use crate::clock::Clock;
use libproc::account::Account;
use libproc::budget::{self, Share};
use libproc::cache::Cache;
use libproc::jit::Jit;
use libproc::limit;
use libproc::maps::{self, Map, Mapped};
use libproc::process::Images;
use libproc::{Image, Seen};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use std::time::{Duration, Instant};

/// The most processes that are remembered.
const MOST: usize = 4096;
/// The most mappings of a process that are remembered.
const MOST_MAPS: usize = 8192;
/// How long the files that a process has mapped are opened for each batch, and how long the maps of
/// all processes are read.
const TO_OPEN: Duration = Duration::from_millis(250);
const TO_LEARN: Duration = Duration::from_secs(2);
/// How long the files of one process are read for each batch, and those of all processes.
const TO_READ: Duration = Duration::from_secs(10);
const TO_READ_ALL: Duration = Duration::from_secs(30);
/// Messages about addresses without names.
const SHORT: &str =
    "symbols of processes, or of one user's processes, take too much memory: dtrace \
                     forgets those that it has read, and some addresses have no names";
const FULL: &str = "too many files of processes are open: some addresses have no names. A higher \
                    limit (`ulimit -n`) helps";
const SLOW: &str =
    "reading what a process, or one user's processes, have mapped takes too long: some \
                    addresses have no names";
/// A look-up that takes longer has read a file.
const LONG: Duration = Duration::from_millis(1);

/// The processes seen so far.
#[derive(Debug, Default)]
pub(super) struct Processes {
    known: Cache<u64, Process, MOST>,
    images: Images,
    /// The number of batches taken from the kernel.
    taken: u64,
    spent: Spent,
    /// Messages that the user has not got yet, and which were sent already: each is sent once.
    pub(super) told: Vec<String>,
    has_told: [bool; 3],
}

/// The time spent since the last batch was taken.
#[derive(Debug, Default)]
struct Spent {
    /// Reading maps.
    learning: Clock,
    /// Reading files.
    reading: Clock,
    /// Reading the files of a process.
    of: HashMap<u64, Duration>,
    /// The users of processes that are not known.
    payers: HashMap<u64, Account>,
    /// Processes that had no map: they have ended, or do not answer.
    gone: HashSet<u64>,
}

#[derive(Debug)]
struct Process {
    /// Each mapping, with its file as it was at that time.
    maps: Vec<(Map, Option<Seen>)>,
    jit: Jit,
    /// The memory of the mappings.
    share: Share,
    /// The value of `taken` when the map was read.
    read: u64,
}

impl Processes {
    /// Notes a new batch: maps read before it may be older than its addresses. Returns the users who
    /// have too much memory; root: all users together have.
    pub(super) fn take(&mut self) -> HashSet<Account> {
        self.taken += 1;
        self.spent = Spent::default();
        let short = budget::was_short();
        for &of in &short {
            match of {
                Account::ROOT => self.known = Cache::default(),
                of => self.known.forget(of),
            }
            self.images.forget(of);
        }
        if !short.is_empty() {
            self.tell(0, SHORT);
        }
        if limit::was_reached() {
            self.tell(1, FULL);
        }
        short
    }

    /// Tells something once.
    fn tell(&mut self, which: usize, text: &str) {
        if let Some(has_told @ false) = self.has_told.get_mut(which) {
            *has_told = true;
            self.told.push(text.into());
        }
    }

    /// Looks something up for a process, unless its files have taken too long already.
    fn in_time<T>(&mut self, pid: u64, look: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        let of = self.payer(pid);
        let is_late = self.spent.of.get(&pid).is_some_and(|spent| *spent > TO_READ);
        if is_late || self.spent.reading.is_over(of, TO_READ_ALL) {
            self.tell(2, SLOW);
            return None;
        }
        let begin = Instant::now();
        let found = look(self);
        let took = begin.elapsed();
        if took > LONG {
            self.spent.reading.add(of, took);
            *self.spent.of.entry(pid).or_default() += took;
        }
        found
    }

    /// Does something that takes time for a process, unless its time is over.
    pub(super) fn spend(&mut self, pid: u64, work: impl FnOnce()) {
        self.in_time(pid, |_| {
            work();
            Some(())
        });
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
        // A pid may have come back since.
        let of = Account::of(number);
        if self.spent.learning.is_over(of, TO_LEARN) {
            self.tell(2, SLOW);
            return;
        }
        let begin = Instant::now();
        let mapped = maps::open(number).unwrap_or_default();
        budget::on_behalf(of, || self.learn(number, mapped));
        self.spent.learning.add(of, begin.elapsed());
    }

    /// Returns the user whose time a process takes.
    fn payer(&mut self, pid: u64) -> Account {
        match (self.known.get(&pid), u32::try_from(pid)) {
            (Some(process), _) => process.share.of(),
            (None, Ok(number)) => {
                *self.spent.payers.entry(pid).or_insert_with(|| Account::of(number))
            }
            (None, Err(_)) => Account::ROOT,
        }
    }

    fn learn(&mut self, number: u32, Mapped { mut maps, is_whole }: Mapped) {
        let pid = number.into();
        maps.retain(|m| m.is_executable);
        // The process is ending, so its previous map is the better one.
        if maps.is_empty() || !is_whole && self.known.has(&pid) {
            match self.known.get_mut(&pid) {
                Some(process) => {
                    process.jit.read(number);
                    process.read = self.taken;
                }
                None => drop(self.spent.gone.insert(pid)),
            }
            return;
        }
        // Holds the files, too, while they exist.
        let begin = Instant::now();
        let view = self.images.view(number);
        let hold = |map: Map| {
            let is_late = begin.elapsed() > TO_OPEN;
            let seen = if is_late { None } else { self.images.hold(number, &map, view.as_ref()) };
            (map, seen)
        };
        let mut share = Share::default();
        let fits = |map: &Map| share.grow(map.weight());
        let maps = maps.into_iter().take(MOST_MAPS).take_while(fits).map(hold).collect();
        let mut jit = self.known.remove(&pid).map(|p| p.jit).unwrap_or_default();
        jit.read(number);
        // If there are too many, a user's short-lived processes displace each other only.
        let of = share.of();
        self.known.put(pid, Process { maps, jit, share, read: self.taken }, 1, of);
    }

    fn is_due(&self, pid: u64) -> bool {
        match self.known.get(&pid) {
            Some(process) => process.read != self.taken,
            None => !self.spent.gone.contains(&pid),
        }
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
        self.in_time(pid, |this| {
            let (map, image, offset) = this.file(pid, address)?;
            let names = image.inlined(offset);
            (!names.is_empty()).then(|| (map.name().to_string(), names))
        })
    }

    /// Tells whether the code at an address returns from a signal handler.
    pub(super) fn leaves_signal(&mut self, pid: u64, address: u64) -> bool {
        let leaves = self.in_time(pid, |this| {
            let (_, image, offset) = this.file(pid, address)?;
            Some(image.leaves_signal(offset))
        });
        leaves == Some(true)
    }

    /// Returns the file that contains an address, and the offset there.
    fn file(&mut self, pid: u64, address: u64) -> Option<(&Map, Rc<Image>, u64)> {
        self.seek(pid, address);
        let (map, seen) = self.map(pid, address).filter(|(m, _)| m.is_file())?;
        let image = self.image(pid, map, seen.as_ref())?;
        Some((map, image, address - map.start + map.offset))
    }

    /// Returns the file of a mapping, which is read at the expense of the process's user.
    fn image(&self, pid: u64, map: &Map, seen: Option<&Seen>) -> Option<Rc<Image>> {
        let (of, number) = (self.known.get(&pid)?.share.of(), u32::try_from(pid).ok()?);
        Some(budget::on_behalf(of, || self.images.held(seen, number, map)))
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
        self.in_time(pid, |this| this.find(pid, address))
    }

    fn find(&mut self, pid: u64, address: u64) -> Option<NamedAddress> {
        self.seek(pid, address);
        if !self.map(pid, address)?.0.is_file() {
            if let Some(place) = self.made(pid, address) {
                return Some(place);
            }
        }
        let (map, seen) = self.map(pid, address)?;
        let module = map.name().to_string();
        let offset = address - map.start + map.offset;
        let image = self.image(pid, map, seen.as_ref())?;
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

    #[test]
    fn a_process_of_many_mappings() {
        let us = std::process::id();
        let whole = maps::read(us).unwrap();
        let code = whole.iter().find(|m| m.is_executable && m.is_file()).unwrap();
        let maps = vec![code.clone(); 1 << 17];
        let mut processes = Processes::default();
        let begin = Instant::now();
        processes.learn(us, Mapped { maps, is_whole: true });
        assert!(begin.elapsed() < TO_LEARN, "{:?}", begin.elapsed());
        let known = &processes.known.get(&u64::from(us)).unwrap().maps;
        assert!(known.len() == MOST_MAPS && known[0].1.is_some());
    }

    #[test]
    fn the_time_of_a_batch() {
        let pid = u64::from(std::process::id());
        let here = our_place as *const () as u64;
        let mut processes = Processes::default();
        assert!(processes.place(pid, here).is_some());
        processes.spent.of.insert(pid, TO_READ * 2);
        assert_eq!(processes.place(pid, here), None);
        processes.take();
        assert!(processes.place(pid, here).is_some());
        assert_eq!(processes.told, [SLOW]);
        let us = processes.payer(pid);
        processes.spent.learning.add(us, TO_LEARN * 2);
        processes.known = Cache::default();
        assert_eq!(processes.place(pid, here), None);
        processes.take();
        assert!(processes.place(pid, here).is_some());
        assert_eq!(processes.told, [SLOW]);
    }

    #[test]
    fn a_user_takes_the_time_of_no_other() {
        let (slow, other) = (Account::user(77), Account::user(78));
        let mut clock = Clock::default();
        clock.add(slow, TO_READ_ALL * 5 / 8);
        let is_over = |of| clock.is_over(of, TO_READ_ALL);
        assert_eq!([slow, other, Account::ROOT].map(is_over), [true, false, false]);
        // The same in a look-up.
        let pid = u64::from(std::process::id());
        let mut processes = Processes::default();
        let us = processes.payer(pid);
        processes.spent.reading.add(slow, TO_READ_ALL * 5 / 8);
        processes.spent.learning.add(slow, TO_LEARN * 5 / 8);
        assert!(us != slow && processes.place(pid, our_place as *const () as u64).is_some());
        assert!(processes.told.is_empty());
    }

    fn our_place() {}
}
