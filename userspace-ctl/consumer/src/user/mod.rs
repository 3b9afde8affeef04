// SPDX-License-Identifier: GPL-2.0
//! Probes of user programs. The module knows no symbols. When a description names a process, the
//! consumer reads the process's objects and asks the module for the probes. Then the description
//! matches like any other.
//!
//! ```text
//!  pid123:libc:malloc:entry ──► program::Process ──► expand ──► MAKE
//!           └──► pid123:libc.so.6:malloc:entry, as the probe is called ──► ENABLE
//! ```
//! Descriptions are kept. When a process maps more code, that code gets its probes
//! ([`Users::look`]), and the process waits for them. If any program may bring the probes along,
//! programs that start later get them too ([`Users::meet`]).

mod miss;
pub mod objects;
pub mod start;
pub mod told;

use crate::error::{reason, Error, Refusal};
use crate::kernel::Kernel;
use abi::probe::{is_glob, part_matches, ProbeDesc};
use abi::user::UserReason;
use d::world::Why;
use d::ProbePattern;
use miss::Missed;
use program::expand::{self, Batches, Pattern, Refused};
use program::maps::Identity;
use program::process::{self, Images, Object, Process, PROGRAM};
use program::stapsdt::Note;
use program::{locks, Memory, Miss};
use start::When;
use std::collections::hash_map::Entry;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::io::ErrorKind;
use std::path::Path;
use std::rc::Rc;

/// The provider of probes at functions and instructions.
const PID: &str = "pid";
/// The most places that one description may mean in a process.
const MOST_PLACES: usize = 4 << 20;
/// The most refusals that are reported by name.
const TOLD: usize = 8;

/// The process probes that descriptions ask for.
#[derive(Debug, Default)]
pub struct Users {
    /// Commands that are stopped at their first instruction.
    starting: Vec<u32>,
    /// Commands whose constructors have not run yet.
    linked: Vec<u32>,
    when: When,
    images: Images,
    wanted: Vec<Wanted>,
    anyones: Anyones,
    missed: HashMap<ProbePattern, Missed>,
    /// Refusals already reported, by process and module, function, place: several descriptions may
    /// mean one place.
    refused: HashSet<(u32, [String; 3])>,
    told: Vec<String>,
    /// Processes are being read while they map and unmap code.
    is_looking: bool,
    /// Programs that start wait for their probes.
    is_attending: bool,
}

/// Descriptions of probes that any program may bring along.
#[derive(Debug, Default)]
struct Anyones {
    patterns: Vec<ProbePattern>,
    /// Running programs that need no further look.
    old: HashSet<(u32, [u64; 2])>,
    /// Programs that have been read once; their libraries may not have been mapped yet.
    young: HashSet<(u32, [u64; 2])>,
}

impl Anyones {
    fn add(&mut self, pattern: &ProbePattern) {
        self.patterns.push(pattern.clone());
        self.old = process::running();
    }

    /// Tells whether a pattern may mean this provider of any process: one of the two names, as far
    /// as it is spelt out, must begin with the other.
    fn may_mean(&self, provider: &str) -> bool {
        let is_open = |c: char| c.is_ascii_digit() || is_glob(c.to_string().as_bytes());
        self.patterns.iter().any(|p| {
            let spelt = p.provider.split(is_open).next().unwrap_or_default();
            provider.starts_with(spelt) || spelt.starts_with(provider)
        })
    }

    /// Returns the programs that have started recently.
    fn begun(&mut self) -> Vec<u32> {
        if self.patterns.is_empty() {
            return Vec::new();
        }
        let now = process::running();
        self.old.extend(std::mem::take(&mut self.young));
        self.old.retain(|p| now.contains(p));
        self.young = now.difference(&self.old).copied().collect();
        self.young.iter().map(|(pid, _)| *pid).collect()
    }
}

/// A description that names a process.
#[derive(Debug)]
struct Wanted {
    pid: u32,
    pattern: ProbePattern,
    /// A library that is mapped later may have more matches.
    is_open: bool,
    /// The objects whose probes have been asked for.
    known: Known,
}

impl Wanted {
    /// From here on, a breakpoint that disappears counts as missed.
    fn note(&mut self, memory: Option<&Memory>) {
        let Some(memory) = memory else { return };
        self.known.values_mut().for_each(|sign| sign.note(memory));
    }
}

fn memory(pid: u32) -> Option<Memory> {
    Memory::of(pid).ok()
}

/// The objects whose probes have been asked for, each with the sign that shows when it is mapped
/// anew.
type Known = HashMap<(u64, Identity), Sign>;

/// The breakpoint of one of an object's probes, and the counter that tells the program that it is
/// traced. If they disappear, so have all others: the object was loaded again at its old place,
/// which the list of mappings does not show.
#[derive(Debug, Default)]
struct Sign {
    place: Option<u64>,
    counter: Option<u64>,
    was_there: bool,
}

impl Sign {
    fn of(out: &mut Batches) -> Self {
        Self { place: out.last.take(), counter: out.counter.take(), was_there: false }
    }

    /// Tells whether the sign is in memory; `None`: it cannot be read.
    fn is_there(&self, memory: &Memory) -> Option<bool> {
        let (mut code, mut count) = ([0], [1, 0]);
        memory.read(&mut code, self.place?).ok()?;
        if let Some(at) = self.counter {
            memory.read(&mut count, at).ok()?;
        }
        Some(code == [INT3] && count != [0, 0])
    }

    fn note(&mut self, memory: &Memory) {
        self.was_there |= self.is_there(memory) == Some(true);
    }

    fn is_lost(&mut self, memory: &Memory) -> bool {
        self.is_there(memory) == Some(false) && std::mem::take(&mut self.was_there)
    }

    /// Tells whether the probe was made but never seen in memory: the object may have been mapped
    /// anew after we read it.
    fn is_open(&self) -> bool {
        self.place.is_some() && !self.was_there
    }
}

/// The instruction of a breakpoint.
const INT3: u8 = 0xcc;

/// Returns the number in `pid123`; an error if it should be a number but is not valid.
fn pid_of(provider: &str) -> Option<Result<u32, ()>> {
    let digits = provider.strip_prefix(PID)?;
    if !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    Some(digits.parse().ok().filter(|n| *n > 0).ok_or(()))
}

/// Tells whether a glob names a provider; `*` only means existing providers.
fn is_named(provider: &str) -> bool {
    provider.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_')
}

/// Returns the processes whose own providers a description may mean: `python1234` means one
/// process, `python*` any.
fn those_with(provider: &str) -> Vec<u32> {
    if is_glob(provider.as_bytes()) {
        return if is_named(provider) { process::all() } else { Vec::new() };
    }
    let pids = split(provider).map(|(_, pid)| pid);
    pids.filter(|pid| Path::new(&format!("/proc/{pid}/maps")).exists()).collect()
}

/// Splits a provider into name and process number: `qemu2123` is `qemu` and 2123, or `qemu2` and
/// 123, and so on.
fn split(provider: &str) -> impl Iterator<Item = (&str, u32)> {
    let name = provider.trim_end_matches(|c: char| c.is_ascii_digit());
    let starts = (name.len()..provider.len()).filter(|at| *at > 0);
    starts.filter_map(|at| {
        let (name, digits) = provider.split_at(at);
        Some((name, digits.parse().ok()?))
    })
}

/// Returns a pattern for all probes of a process.
pub fn of_process(pid: u32) -> Option<ProbeDesc> {
    ProbeDesc::new(format!("*[!0-9]{pid}").as_bytes(), b"", b"", b"")
}

/// Tells whether a name is short for a library: `libc` for `libc.so.6`.
fn is_short(module: &str) -> bool {
    module.starts_with("lib") && !module.contains('.')
}

/// Returns a pattern that matches this name only.
fn literal(name: &str) -> String {
    let special = |c: char| matches!(c, '*' | '?' | '[' | '\\');
    name.chars().flat_map(|c| special(c).then_some('\\').into_iter().chain([c])).collect()
}

impl Users {
    /// Makes a set with commands that are stopped at their start. When the first probe in a command
    /// is wanted, the command runs to the place where its probes can be made.
    pub fn starting(commands: Vec<u32>, when: When) -> Self {
        Self { starting: commands, when, ..Self::default() }
    }

    /// Makes the probes that a description means, if it names a process; returns the description
    /// with the names of the probes.
    pub fn resolve(&mut self, kernel: &mut dyn Kernel, pattern: ProbePattern) -> ProbePattern {
        let pid = match pid_of(&pattern.provider) {
            None => return self.usdt(kernel, pattern),
            Some(Ok(pid)) => pid,
            Some(Err(())) => {
                self.missed.insert(pattern.clone(), Missed::Number);
                return pattern;
            }
        };
        if let Err(e) = self.advance(pid, self.when) {
            return self.miss(pattern, Missed::Start(pid, reason(&e)));
        }
        let process = match Process::read(pid) {
            Ok(process) if !process.objects.is_empty() => process,
            Ok(_) => return self.miss(pattern, Missed::Empty(pid)),
            // The missing file is the process's folder in /proc.
            Err(e) if e.kind() == ErrorKind::NotFound => {
                return self.miss(pattern, Missed::Grab(pid, "No such process".into()))
            }
            Err(e) => return self.miss(pattern, Missed::Grab(pid, reason(&e))),
        };
        let is_spelt = !expand::is_open(&pattern.module);
        let object = process.called(&pattern.module).next().filter(|_| is_spelt);
        let is_open = !object.is_some_and(|o| o.is_program);
        let mut wanted = Wanted { pid, pattern: pattern.clone(), is_open, known: Known::new() };
        let missed = self.make(kernel, &process, &mut wanted, false).err();
        self.wanted.push(wanted);
        let called = match object.map(|o| literal(&o.name)) {
            Some(module) => ProbePattern { module, ..pattern },
            // The short name may be that of a library that is loaded later.
            None if is_spelt && is_short(&pattern.module) => {
                ProbePattern { module: format!("{}.*", literal(&pattern.module)), ..pattern }
            }
            None => pattern,
        };
        match missed {
            Some(missed) => self.miss(called, missed),
            None => called,
        }
    }

    /// Lets a command that has not begun run to its place for `when`; other processes are left
    /// alone.
    fn advance(&mut self, pid: u32, when: When) -> std::io::Result<()> {
        match self.starting.iter().position(|p| *p == pid) {
            Some(at) => {
                start::advance(self.starting.swap_remove(at), when)?;
                if when == When::Preinit {
                    self.linked.push(pid);
                }
                Ok(())
            }
            None => Ok(()),
        }
    }

    /// Lets all commands that have not begun run until their libraries are mapped. A command that
    /// fails before has already printed the reason itself.
    pub fn link(&mut self) {
        for pid in std::mem::take(&mut self.starting) {
            let _ = start::advance(pid, When::Preinit);
        }
    }

    /// Makes the USDT probes that a description means.
    fn usdt(&mut self, kernel: &mut dyn Kernel, pattern: ProbePattern) -> ProbePattern {
        if pattern.provider == locks::PROVIDER {
            return self.miss(pattern, Missed::Number);
        }
        let (mut called, mut others) = (None, BTreeSet::new());
        let is_spelt = !is_glob(pattern.provider.as_bytes());
        if !is_spelt && is_named(&pattern.provider) {
            self.anyones.add(&pattern);
        }
        for pid in those_with(&pattern.provider) {
            // A glob does not certainly mean this command, so the command is not run for it.
            if let Err(e) = if is_spelt { self.advance(pid, self.when) } else { Ok(()) } {
                return self.miss(pattern, Missed::Start(pid, reason(&e)));
            }
            let process = match Process::read(pid) {
                Ok(process) => process,
                Err(e) if e.kind() == ErrorKind::TimedOut => {
                    self.told.push(format!("the probes of process {pid} are left out: {e}"));
                    continue;
                }
                Err(_) => continue,
            };
            let (mut out, mut known) = (Batches::default(), Known::new());
            let found = self.notes(&process, &pattern, &mut known, &mut out);
            called = called.or(found.map(literal));
            if found.is_some() && out.places == 0 {
                others.extend(self.brought(&process, &pattern.provider));
            }
            // The program's constructors may register the probes.
            let linked = self.linked.iter().position(|p| *p == pid);
            if let Some(at) = linked.filter(|_| is_spelt && found.is_none()) {
                self.linked.swap_remove(at);
                if let Err(e) = start::advance(pid, When::Main) {
                    return self.miss(pattern, Missed::Start(pid, reason(&e)));
                }
            }
            // A later library may bring along the probes of a spelt-out provider.
            if found.is_some() || is_spelt {
                self.wanted.push(Wanted { pid, pattern: pattern.clone(), is_open: true, known });
                if let Err(missed) = self.send(kernel, pid, out) {
                    self.missed.insert(pattern.clone(), missed);
                }
            }
        }
        let is_spelt = !expand::is_open(&pattern.module);
        let name = pattern.name.replace("__", "-");
        let called = match called.filter(|_| is_spelt) {
            Some(module) => ProbePattern { module, name, ..pattern },
            None => ProbePattern { name, ..pattern },
        };
        // `pid*` matches only probes that other descriptions made; most people who write it expect
        // more.
        let is_number = !is_glob(called.provider.as_bytes()) || !called.provider.starts_with(PID);
        match (others.is_empty(), is_number) {
            (true, true) => called,
            (true, false) => self.miss(called, Missed::Number),
            (false, _) => self.miss(called, Missed::Brought(others.into_iter().collect())),
        }
    }

    /// Returns the names of the probes that a process brings along for these providers.
    fn brought(&self, process: &Process, provider: &str) -> BTreeSet<String> {
        let is_meant =
            |n: &str| part_matches(provider.as_bytes(), format!("{n}{}", process.pid).as_bytes());
        let mut names = BTreeSet::new();
        for object in &process.objects {
            let notes = self.notes_of(object, process.pid, provider);
            let meant = notes.iter().filter(|n| is_meant(&n.provider));
            names.extend(meant.map(|n| n.name.clone()));
        }
        names
    }

    /// Returns the probes that an object brings along, or those of its locks if the pattern may
    /// mean the lock provider.
    fn notes_of(&self, object: &Object, pid: u32, provider: &str) -> Rc<[Note]> {
        match provider.starts_with(locks::PROVIDER) {
            true => locks::of(&object.image(pid, &self.images).0),
            false => object.notes(pid, &self.images),
        }
    }

    /// Makes all the probes that these processes bring along.
    pub fn own(&mut self, kernel: &mut dyn Kernel, pids: &[u32]) -> Result<(), Error> {
        for &pid in pids {
            let pattern = ProbePattern::new(&format!("*{pid}"), "", "", "");
            let grab =
                |e: &std::io::Error| Error::new(format!("failed to grab pid {pid}"), reason(e));
            let process = Process::read(pid).map_err(|e| grab(&e))?;
            let mut out = Batches::default();
            let found = self.notes(&process, &pattern, &mut Known::new(), &mut out);
            // The process may have registered some itself.
            let told =
                of_process(pid).is_some_and(|of| kernel.count(&of).is_ok_and(|n| n.probes > 0));
            if found.is_none() && !told {
                self.told.push(format!(
                    "process {pid} has no probes of its own; those of its functions are pid{pid}:::"
                ));
            }
            if let Err(Missed::Kernel(_, e)) = self.send(kernel, pid, out) {
                return Err(e.doing(format!("failed to make probes in process {pid}")));
            }
        }
        Ok(())
    }

    /// Adds the USDT probes of objects that are not known yet; returns the name of one that has
    /// some.
    fn notes<'p>(
        &self,
        process: &'p Process,
        pattern: &ProbePattern,
        known: &mut Known,
        out: &mut Batches,
    ) -> Option<&'p str> {
        let pid = process.pid;
        let is_meant =
            |p: &str| part_matches(pattern.provider.as_bytes(), format!("{p}{pid}").as_bytes());
        let mut first = None;
        let objects = process.objects.iter().filter(|o| o.is_called(&pattern.module));
        for object in objects {
            let Entry::Vacant(new) = known.entry(key(object)) else { continue };
            let notes = self.notes_of(object, pid, &pattern.provider);
            if !notes.iter().any(|n| is_meant(&n.provider)) {
                new.insert(Sign::default());
                continue;
            }
            let (image, bias) = object.image(pid, &self.images);
            // The dynamic linker is still mapping the object: its counters are not mapped yet.
            let is_there = |at: u64| at == 0 || process.may_write(at.wrapping_add(*bias));
            if !notes.iter().all(|n| is_there(n.semaphore)) {
                continue;
            }
            first = first.or(Some(object.name.as_str()));
            let meant = Pattern { function: &pattern.function, name: &pattern.name };
            expand::usdt((&object.name, image, *bias), &notes, &is_meant, meant, out);
            new.insert(Sign::of(out));
        }
        first
    }

    fn miss(&mut self, pattern: ProbePattern, missed: Missed) -> ProbePattern {
        self.missed.insert(pattern.clone(), missed);
        pattern
    }

    /// Tells why a description of a process matches nothing, if that is known.
    pub fn why(&self, pattern: &ProbePattern) -> Option<Why> {
        Some(self.missed.get(pattern)?.why(pattern))
    }

    /// Notes that tracing has begun: from here on breakpoints are visible.
    pub fn begin(&mut self) {
        for w in &mut self.wanted {
            w.note(memory(w.pid).as_ref());
        }
    }

    /// Makes the probes in objects that were mapped since the last call. `is_told` says that the
    /// module reported mappings. Processes that map code from now on wait for the next call.
    pub fn look(&mut self, kernel: &mut dyn Kernel, is_told: bool) {
        let pids: HashSet<u32> = self.named().into_iter().collect();
        self.is_looking = true;
        let mut wanted = std::mem::take(&mut self.wanted);
        let open: HashSet<u32> = wanted.iter().filter(|w| w.is_open).map(|w| w.pid).collect();
        // A process that cannot be followed is read from time to time, without a report.
        let cannot = |r: Refusal| r.errno != libc::ESRCH;
        let is_told = open
            .into_iter()
            .fold(is_told, |is_told, pid| kernel.follow(pid).is_err_and(cannot) || is_told);
        let read = |pid| Some((pid, (Process::read(pid).ok()?, memory(pid))));
        let processes: HashMap<_, _> = pids.into_iter().filter_map(read).collect();
        // All lost signs must be found before another description restores a breakpoint.
        wanted.retain_mut(|w| {
            let Some((process, memory)) = processes.get(&w.pid) else { return false };
            let now: HashSet<_> = process.objects.iter().map(key).collect();
            let is_lost = |sign: &mut Sign| memory.as_ref().is_some_and(|m| sign.is_lost(m));
            w.known.retain(|k, sign| {
                now.contains(k) && !is_lost(sign) && !(is_told && sign.is_open())
            });
            true
        });
        for w in &mut wanted {
            let Some((process, memory)) = processes.get(&w.pid) else { continue };
            // A spelt-out description may mean code that is mapped later, so a miss is no error.
            let _ = match pid_of(&w.pattern.provider) {
                Some(_) => self.make(kernel, process, w, true),
                None => {
                    let mut out = Batches::default();
                    let _ = self.notes(process, &w.pattern, &mut w.known, &mut out);
                    self.send(kernel, w.pid, out)
                }
            };
            w.note(memory.as_ref());
        }
        self.wanted = wanted;
        self.is_looking = false;
    }

    /// Makes the probes of programs that have started since the last call.
    pub fn meet(&mut self, kernel: &mut dyn Kernel) {
        for pid in self.anyones.begun() {
            let Ok(process) = Process::read(pid) else { continue };
            self.equip(kernel, &process, false);
        }
    }

    /// Makes every program that starts or loads a library wait until it has the probes that any
    /// program may bring along.
    pub fn attend(&mut self, kernel: &mut dyn Kernel) {
        if self.anyones.patterns.is_empty() {
            return;
        }
        match kernel.follow_everyone() {
            Ok(()) => self.is_attending = true,
            Err(e) => self.told.push(format!(
                "new programs do not wait for their probes ({e}), so dtrace misses those that end within the `statusrate`"
            )),
        }
        self.meet(kernel);
    }

    /// Tells whether starting programs may wait for us.
    pub fn is_attending(&self) -> bool {
        self.is_attending
    }

    /// Makes the probes of programs that wait for them.
    pub fn welcome(&mut self, kernel: &mut dyn Kernel) {
        while let Some(pids) = kernel.begun().ok().filter(|pids| !pids.is_empty()) {
            for pid in pids {
                let Ok(process) = Process::read(pid) else { continue };
                for object in &process.objects {
                    let locks = self.anyones.may_mean(locks::PROVIDER);
                    let notes = object.notes(pid, &self.images);
                    let has_locks = || !locks::of(&object.image(pid, &self.images).0).is_empty();
                    if notes.iter().any(|n| self.anyones.may_mean(&n.provider))
                        || locks && has_locks()
                    {
                        continue;
                    }
                    // If the module lacks memory to note this file, the next program that maps it
                    // waits, too.
                    let _ = object.file_key(pid).map(|key| kernel.ignore(key));
                }
                self.equip(kernel, &process, true);
            }
        }
    }

    /// Makes the probes that any program may bring along in a process that has not been read.
    /// `may_be_partial`: some of them may be in an object that is being mapped.
    fn equip(&mut self, kernel: &mut dyn Kernel, process: &Process, may_be_partial: bool) {
        let pid = process.pid;
        for pattern in self.anyones.patterns.clone() {
            if self.wanted.iter().any(|w| w.pid == pid && w.pattern == pattern) {
                continue;
            }
            let (mut out, mut known) = (Batches::default(), Known::new());
            let is_found = self.notes(process, &pattern, &mut known, &mut out).is_some();
            if is_found || may_be_partial && !self.brought(process, &pattern.provider).is_empty() {
                self.wanted.push(Wanted { pid, pattern, is_open: true, known });
                let _ = kernel.follow(pid);
                // `send` reports refusals itself.
                let _ = self.send(kernel, pid, out);
            }
        }
    }

    /// Returns the processes that descriptions name.
    pub fn named(&self) -> Vec<u32> {
        self.wanted.iter().map(|w| w.pid).collect()
    }

    /// Takes the messages to report.
    pub fn take_told(&mut self) -> Vec<String> {
        std::mem::take(&mut self.told)
    }

    /// Makes the probes of a description in objects that are not known yet. An object that is
    /// `being_mapped` gets them only after the dynamic linker has chosen the functions behind its
    /// names.
    fn make(
        &mut self,
        kernel: &mut dyn Kernel,
        process: &Process,
        wanted: &mut Wanted,
        being_mapped: bool,
    ) -> Result<(), Missed> {
        let Wanted { pid, pattern, known, .. } = wanted;
        let mut objects = process.called(&pattern.module).peekable();
        if objects.peek().is_none() {
            return Err(self.no_object(process, pattern));
        }
        let (mut out, mut missed, mut is_found) = (Batches::default(), None, false);
        for object in objects {
            let Entry::Vacant(new) = known.entry(key(object)) else { continue };
            let (image, bias) = object.image(*pid, &self.images);
            if being_mapped && !image.has_chosen() {
                continue;
            }
            let meant = Pattern { function: &pattern.function, name: &pattern.name };
            let asked = |out: &Batches| out.places + out.refused.len();
            let before = asked(&out);
            match expand::expand((&object.name, image, *bias), meant, &mut out) {
                Ok(()) => is_found |= asked(&out) > before,
                // One of several objects may have the function; an error in that one counts.
                Err(Miss::Function) => {}
                Err(miss) => missed = Some(Missed::Of(object.name.clone(), miss)),
            }
            new.insert(Sign::of(&mut out));
            if out.places > MOST_PLACES {
                return Err(Missed::TooMany(MOST_PLACES));
            }
        }
        self.send(kernel, *pid, out)?;
        match missed {
            Some(missed) if !is_found => Err(missed),
            None if !is_found => Err(Missed::Function(self.near(process, pattern))),
            _ => Ok(()),
        }
    }

    /// Asks the module for probes and notes the refusals.
    fn send(&mut self, kernel: &mut dyn Kernel, pid: u32, out: Batches) -> Result<(), Missed> {
        let mut refused = out.refused;
        let (mut more, mut failed) = (0, None);
        for batch in &out.packed {
            match kernel.make(pid, batch) {
                Ok(made) => {
                    more += (made.refused as usize).saturating_sub(made.refusals.len());
                    let of = made.refusals.iter().filter_map(|r| expand::refused(batch, r));
                    refused.extend(of);
                }
                Err(e) => failed = Some(e),
            }
        }
        let last = refused.last().map(|r| r.reason);
        self.tell(pid, refused, more);
        match (failed, last) {
            (Some(e), _) => Err(Missed::Kernel(pid, e)),
            (None, Some(reason)) => Err(Missed::Refused(reason)),
            (None, None) => Ok(()),
        }
    }

    fn tell(&mut self, pid: u32, mut refused: Vec<Refused>, more: usize) {
        // Places that vanished since we read the process are not reported; the next look reads what
        // replaced them.
        let is_gone = |r: UserReason| matches!(r, UserReason::Unmapped | UserReason::NotText);
        refused.retain(|r| {
            if self.is_looking && is_gone(r.reason) {
                return false;
            }
            let [module, function, name] = r.names.clone();
            // `entry` and `0` mean the same place.
            let place = r.place.map_or(name, |at| format!("{at:x}"));
            self.refused.insert((pid, [module, function, place]))
        });
        let n = refused.len() + more;
        if n == 0 {
            return;
        }
        let (s, were) = if n == 1 { ("", "was") } else { ("s", "were") };
        let mut text = format!("{n} place{s} of pid {pid} {were} left out:");
        for Refused { names, reason, .. } in refused.iter().take(TOLD) {
            let place = names.join(":");
            text.push_str(&format!("\n  {}: {}", place.trim_end_matches(':'), reason.words()));
        }
        match n.saturating_sub(TOLD.min(refused.len())) {
            0 => {}
            rest => text.push_str(&format!("\n  and {rest} more")),
        }
        self.told.push(text);
    }

    fn no_object(&self, process: &Process, pattern: &ProbePattern) -> Missed {
        let mut names: Vec<String> = process.objects.iter().map(|o| o.name.clone()).collect();
        names.dedup();
        let mut program = process.called(PROGRAM);
        let is_static = program.next().is_some_and(|o| {
            let (image, _) = o.image(process.pid, &self.images);
            image.is_native && !image.is_dynamic
        });
        match is_static && !is_glob(pattern.module.as_bytes()) {
            true => Missed::Static(pattern.module.clone()),
            false => Missed::Object(names),
        }
    }

    /// Returns names similar to that of a missing function.
    fn near(&self, process: &Process, pattern: &ProbePattern) -> Vec<String> {
        let mut near = Vec::new();
        for object in process.called(&pattern.module) {
            let (image, _) = object.image(process.pid, &self.images);
            let names = image.functions().iter().map(|f| &*f.name);
            let found = crate::nearest::nearest(&pattern.function, || names.clone(), 3);
            near.extend(found.iter().map(|n| format!("{}:{}", object.name, n.name)));
        }
        near.truncate(3);
        near
    }
}

fn key(object: &Object) -> (u64, Identity) {
    let (start, identity) = object.key();
    (start, identity.clone())
}
