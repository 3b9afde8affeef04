// SPDX-License-Identifier: GPL-2.0
//! Addresses of processes, named by their mappings: files, whose symbol tables are read once each,
//! or code that the process generated and described itself.
//!
//! After a process has ended nothing can be read. So its map is read at the first of its addresses,
//! and again when an address is not on the map. One read is enough for each batch taken from the
//! kernel, because a later read covers the whole batch. As far as there is time, it is read again
//! for each batch: another file may be at an address by then. Mappings that have gone since the
//! read before are kept where nothing else is now: addresses of the batch may be older.
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
use libproc::{unpack, Image, Seen};
use std::cell::Cell;
use std::collections::{HashMap, HashSet};
use std::io::ErrorKind;
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
/// How long, in each period, the maps of processes are read again for addresses that are on them.
/// Batches may follow each other much faster.
const TO_RENEW: Duration = Duration::from_millis(125);
const PERIOD: Duration = Duration::from_secs(1);
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
/// A look-up that takes longer has read something; what is known is found much faster.
const LONG: Duration = Duration::from_micros(20);

/// The processes seen so far.
#[derive(Debug, Default)]
pub(super) struct Processes {
    known: Cache<u64, Process, MOST>,
    images: Images,
    /// The number of batches taken from the kernel.
    taken: u64,
    spent: Spent,
    /// The begin of the current period, and the time for reading maps again in it.
    renewed: (Option<Instant>, Clock),
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
    /// By address.
    maps: Vec<Mapping>,
    jit: Jit,
    /// The memory of the mappings.
    share: Share,
    /// The value of `taken` when the map was read.
    read: u64,
}

#[derive(Debug)]
struct Mapping {
    map: Map,
    /// The file as it was when the map was read.
    seen: Option<Seen>,
    /// The last read of the map has not found it any more.
    is_gone: bool,
    /// The file could not be opened.
    is_closed: Cell<bool>,
}

/// Keeps those mappings of the read before that are not where others are now. `are_gone`: the list
/// would have them, if they were still there.
fn keep_gone(maps: &mut Vec<Mapping>, before: impl Iterator<Item = Mapping>, are_gone: bool) {
    let is_free = |old: &Map| {
        let behind = maps.partition_point(|m| m.map.start < old.end);
        let last = behind.checked_sub(1).and_then(|n| maps.get(n));
        last.is_none_or(|m| m.map.end <= old.start)
    };
    let gone = before.filter(|old| is_free(&old.map)).take(MOST_MAPS);
    let gone = gone.map(|old| Mapping { is_gone: old.is_gone || are_gone, ..old });
    let gone: Vec<_> = gone.collect();
    maps.extend(gone);
    maps.sort_by_key(|m| m.map.start);
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
        if unpack::was_late() {
            self.tell(2, SLOW);
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

    /// Reads the map of a process if it may have changed and there is time, before its addresses
    /// get names: another file may be where one of the map was. [Searching](Self::seek) an address
    /// that is nowhere on the map may take longer.
    pub(super) fn renew(&mut self, pid: u64) {
        if !self.is_due(pid) {
            return;
        }
        if self.renewed.0.is_none_or(|since| since.elapsed() > PERIOD) {
            self.renewed = (Some(Instant::now()), Clock::default());
        }
        let of = self.payer(pid);
        if self.renewed.1.is_over(of, TO_RENEW) || self.spent.learning.is_over(of, TO_LEARN) {
            return;
        }
        let begin = Instant::now();
        self.read(pid);
        self.renewed.1.add(of, begin.elapsed());
    }

    /// Reads the map of a process. Returns its user.
    pub(super) fn read(&mut self, pid: u64) -> Account {
        let Ok(number) = u32::try_from(pid) else { return Account::ROOT };
        // A pid may have come back since.
        let of = Account::of(number);
        if self.spent.learning.is_over(of, TO_LEARN) {
            self.tell(2, SLOW);
            return of;
        }
        let begin = Instant::now();
        let mapped = maps::open(number).unwrap_or_else(|e| {
            // Otherwise it has ended.
            if e.kind() == ErrorKind::TimedOut {
                self.tell(2, SLOW);
            }
            Mapped::default()
        });
        budget::on_behalf(of, || self.learn(number, mapped));
        self.spent.learning.add(of, begin.elapsed());
        of
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
        // The process is ending, so its previous map is the better one. But it may have mapped a
        // library since, or run another program.
        let is_known = |m: &Map| {
            let before = self.mapping(pid, m.start);
            before.is_some_and(|k| (k.map.start, &k.map.identity) == (m.start, &m.identity))
        };
        if maps.is_empty() || !is_whole && maps.iter().all(is_known) {
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
        // The process may have ended since its list was read, and may have been known before.
        let view = self.images.view(number).or_else(|| {
            let before = &self.known.get(&pid)?.maps;
            before.iter().find_map(|m| m.seen.as_ref()?.view()).cloned()
        });
        let mut lost = false;
        let hold = |map: Map| {
            let is_late = begin.elapsed() > TO_OPEN;
            // A map that is read again must not lose names because the machine is busy.
            let seen = match is_late {
                true => self.images.last(&map, view.as_ref()),
                false => self.images.hold(number, &map, view.as_ref()),
            };
            lost |= is_late && seen.is_none() && map.is_file();
            Mapping { map, seen, is_gone: false, is_closed: Cell::new(false) }
        };
        let mut share = Share::default();
        let mut fits = |map: &Map| share.grow(map.weight());
        let maps = maps.into_iter().take(MOST_MAPS).take_while(&mut fits);
        let mut maps: Vec<_> = maps.map(hold).collect();
        let mut jit = Jit::default();
        if let Some(before) = self.known.remove(&pid) {
            jit = before.jit;
            let is_of_batch = |m: &Mapping| !m.is_gone || before.read == self.taken;
            let gone = before.maps.into_iter().filter(is_of_batch);
            keep_gone(&mut maps, gone.take_while(|m| fits(&m.map)), is_whole);
        }
        jit.read(number);
        // If there are too many, a user's short-lived processes displace each other only.
        let of = share.of();
        self.known.put(pid, Process { maps, jit, share, read: self.taken }, 1, of);
        if lost {
            self.tell(2, SLOW);
        }
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
        let jit = &self.known.get(&pid)?.jit;
        let Some((symbol, offset)) = jit.symbol(address) else {
            if jit.is_behind() {
                self.tell(2, SLOW);
            }
            return None;
        };
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
        let mapping = self.mapping(pid, address).filter(|m| m.map.is_file())?;
        let image = self.image(pid, mapping)?;
        let map = &mapping.map;
        Some((map, image, address - map.start + map.offset))
    }

    /// Returns the file of a mapping, which is read at the expense of the process's user.
    fn image(&self, pid: u64, mapping: &Mapping) -> Option<Rc<Image>> {
        let (of, number) = (self.known.get(&pid)?.share.of(), u32::try_from(pid).ok()?);
        let Mapping { map, seen, is_closed, .. } = mapping;
        if is_closed.get() {
            return Some(Rc::default());
        }
        let image = budget::on_behalf(of, || self.images.held(seen.as_ref(), number, map));
        // Opening it takes time, for each of its addresses.
        is_closed.set(!image.is_open());
        Some(image)
    }

    /// Reads the process's map again if it does not contain an address.
    fn seek(&mut self, pid: u64, address: u64) {
        if self.mapping(pid, address).is_none() {
            self.refresh(pid);
        }
    }

    fn mapping(&self, pid: u64, address: u64) -> Option<&Mapping> {
        let maps = &self.known.get(&pid)?.maps;
        let after = maps.partition_point(|m| m.map.start <= address);
        maps.get(after.checked_sub(1)?).filter(|m| address < m.map.end)
    }

    /// Returns the name of an address.
    pub(super) fn place(&mut self, pid: u64, address: u64) -> Option<NamedAddress> {
        self.in_time(pid, |this| this.find(pid, address))
    }

    fn find(&mut self, pid: u64, address: u64) -> Option<NamedAddress> {
        self.seek(pid, address);
        if self.mapping(pid, address)?.map.is_memory() {
            if let Some(place) = self.made(pid, address) {
                return Some(place);
            }
        }
        let mapping = self.mapping(pid, address)?;
        let map = &mapping.map;
        let module = map.name().to_string();
        let offset = address - map.start + map.offset;
        let image = self.image(pid, mapping)?;
        Some(match image.symbol(offset) {
            Some((symbol, offset)) => NamedAddress { module, symbol: Some(symbol.into()), offset },
            None if module.is_empty() => return None,
            None => NamedAddress { module, symbol: None, offset },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::Symbols;
    use super::*;
    use crate::aggregate::Store;
    use crate::consume::{EnabledProbe, Record};
    use crate::print::bars::Encoding;
    use crate::print::report::{Progress, Reporter};
    use crate::print::written;
    use abi::action::ActionKind;
    use abi::ids::{Epid, ProbeId};
    use abi::option::Options;
    use abi::record::RecDesc;

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
        assert!(processes.mapping(pid, first).is_some() && processes.mapping(pid, last).is_none());
        processes.learn(us, Mapped { maps: whole.clone(), is_whole: true });
        assert!(processes.mapping(pid, last).is_some());
        processes.learn(us, cut());
        assert!(processes.mapping(pid, last).is_some());
        // A library that was mapped since, or another program.
        let (mut other, free) = (code.clone(), 0x1000);
        (other.start, other.end) = (free, 2 * free);
        processes.learn(us, Mapped { maps: vec![other], is_whole: false });
        assert!([free, first, last].iter().all(|at| processes.mapping(pid, *at).is_some()));
    }

    /// Otherwise its stripped files would lose the names that other files have for them.
    #[test]
    fn a_process_that_ends_while_its_map_is_read_keeps_its_view() {
        let mut child = std::process::Command::new("sleep").arg("1000").spawn().unwrap();
        let us = child.id();
        let whole = || Mapped { maps: maps::read(std::process::id()).unwrap(), is_whole: true };
        let mut processes = Processes::default();
        processes.learn(us, whole());
        let views = |processes: &Processes| {
            let maps = &processes.known.get(&us.into()).unwrap().maps;
            maps.iter().filter(|m| m.seen.as_ref().is_some_and(|s| s.view().is_some())).count()
        };
        let before = views(&processes);
        child.kill().unwrap();
        child.wait().unwrap();
        processes.learn(us, whole());
        assert!(before > 0 && views(&processes) == before);
    }

    #[test]
    fn a_process_of_many_mappings() {
        let us = std::process::id();
        let whole = maps::read(us).unwrap();
        let code = whole.iter().find(|m| m.is_executable && m.is_file()).unwrap();
        let maps = vec![code.clone(); 1 << 17];
        let mut processes = Processes::default();
        processes.learn(us, Mapped { maps, is_whole: true });
        let known = &processes.known.get(&u64::from(us)).unwrap().maps;
        assert!(known.len() == MOST_MAPS && known[0].seen.is_some());
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

    fn learn(processes: &mut Processes, maps: Vec<Map>) {
        processes.learn(std::process::id(), Mapped { maps, is_whole: true });
    }

    /// Returns a page of code at an address.
    fn page(address: u64, path: &str) -> Map {
        let start = address & !0xfff;
        Map::parse(&format!("{start:x}-{:x} r-xp 0 8:1 7 {path}", start + 0x1000)).unwrap()
    }

    #[test]
    fn what_is_unmapped_keeps_its_name_for_a_batch() {
        let pid = u64::from(std::process::id());
        let mut processes = Processes::default();
        let names = |processes: &Processes| {
            let name = |at| processes.mapping(pid, at).map_or("", |m| m.map.name()).to_string();
            [0x1000, 0x2000, 0x3fff].map(name).join(" ")
        };
        learn(&mut processes, vec![page(0x1000, "/a"), page(0x3000, "/b")]);
        assert_eq!(names(&processes), "a  b");
        let now = vec![page(0x1000, "/c"), page(0x2000, "/d")];
        for (is_new_batch, expected) in [(true, "c d b"), (false, "c d b"), (true, "c d ")] {
            if is_new_batch {
                processes.take();
            }
            learn(&mut processes, now.clone());
            assert_eq!(names(&processes), expected);
        }
    }

    /// A library is mapped at the place of another one.
    #[test]
    fn names_are_those_of_the_map_at_the_time_of_the_batch() {
        let here = our_place as *const () as u64;
        let pid = u64::from(std::process::id());
        let symbols = Symbols::default();
        symbols.set_target(pid);
        let old = || {
            let processes = &mut symbols.0.borrow_mut().processes;
            processes.known = Cache::default();
            processes.renewed = Default::default();
            learn(processes, vec![page(here, "/nowhere/old.so")]);
            processes.take();
        };
        let words = [pid, here, 0];
        let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
        let is_ours = |name: &str| name.contains("our_place");
        old();
        // An aggregated stack may be as old as the map.
        assert!(symbols.frames(ActionKind::Ustack, &bytes, 0)[0].starts_with("old.so`"));
        assert!(is_ours(&symbols.recorded(ActionKind::Uaddr, &bytes)));
        old();
        assert!(is_ours(&symbols.of_target(here)));
        old();
        let rec = RecDesc {
            action: ActionKind::Ustack.number(),
            size: 24,
            offset: 16,
            ..RecDesc::default()
        };
        let enabled = Rc::new(EnabledProbe {
            epid: Epid(1),
            probe: ProbeId(1),
            parts: Default::default(),
            uarg: 1,
            size: 40,
            recs: vec![rec],
        });
        let bytes = [vec![0; 16], bytes].concat();
        let record = Record { cpu: 0, enabled, is_followed_by_same_firing: false, bytes: &bytes };
        let mut reporter = Reporter::new(&Options::default(), Encoding::Ascii, symbols.clone());
        let (out, _) = written(|out| {
            let progress = &mut Progress::default();
            reporter.record(out, &record, &[], &mut Store::default(), progress);
        });
        assert!(is_ours(&String::from_utf8_lossy(&out)));
    }

    /// With too little time for a new map, the last one must do.
    #[test]
    fn maps_are_renewed_for_a_part_of_the_time() {
        let pid = u64::from(std::process::id());
        let mut processes = Processes::default();
        let us = processes.payer(pid);
        let mut is_renewed = |since, renewing, learning| {
            processes.take();
            learn(&mut processes, vec![page(0x1000, "/a")]);
            processes.take();
            processes.renewed = (Some(since), Clock::default());
            processes.renewed.1.add(us, renewing);
            processes.spent.learning.add(us, learning);
            processes.renew(pid);
            assert!(processes.told.is_empty());
            !processes.is_due(pid)
        };
        let (now, none) = (Instant::now(), Duration::ZERO);
        assert!(is_renewed(now + TO_READ, none, none));
        assert!(!is_renewed(now + TO_READ, TO_RENEW, none));
        assert!(!is_renewed(now + TO_READ, none, TO_LEARN));
        assert!(is_renewed(now.checked_sub(2 * PERIOD).unwrap(), TO_RENEW, none));
    }

    #[test]
    fn generated_code_in_shared_memory() {
        let us = std::process::id();
        let path = format!("/tmp/perf-{us}.map");
        std::fs::write(&path, "7010 10 generated\n").unwrap();
        let mut processes = Processes::default();
        learn(&mut processes, vec![page(0x7000, "/memfd:doublemapper (deleted)")]);
        let [made, other] = [0x7018, 0x7028].map(|at| processes.place(us.into(), at));
        std::fs::remove_file(&path).unwrap();
        assert_eq!(made.unwrap().full(), "[jit]`generated+0x8");
        assert_eq!(other.unwrap().full(), "memfd:doublemapper`0x28");
    }

    #[test]
    fn a_file_that_cannot_be_opened_is_asked_for_once() {
        let us = std::process::id();
        let pid = u64::from(us);
        let here = our_place as *const () as u64;
        let mut processes = Processes::default();
        processes.read(pid);
        // There was no room to hold the file, and it is gone.
        processes.images = Images::default();
        let find = |processes: &mut Processes, by: u64| {
            let maps = &mut processes.known.get_mut(&pid).unwrap().maps;
            let mapping = maps.iter_mut().find(|m| (m.map.start..m.map.end).contains(&here));
            let inode = &mut mapping.unwrap().map.identity.inode;
            *inode = inode.wrapping_add(by);
            processes.place(pid, here).unwrap().symbol
        };
        assert_eq!(find(&mut processes, 1), None);
        assert_eq!(find(&mut processes, 1_u64.wrapping_neg()), None);
        processes.take();
        processes.refresh(pid);
        assert!(find(&mut processes, 0).is_some());
    }

    #[test]
    fn every_look_that_takes_time_counts() {
        let mut processes = Processes::default();
        let long = LONG * 5;
        processes.spend(1, || std::thread::sleep(long));
        assert!(long < Duration::from_millis(1) && processes.spent.of[&1] >= long);
    }

    fn our_place() {}
}
