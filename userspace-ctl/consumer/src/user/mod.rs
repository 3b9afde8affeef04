// SPDX-License-Identifier: GPL-2.0
//! Probes of user programs. The module knows no symbols. When a description names a process, the
//! consumer reads the process's objects and asks the module for the probes. Then the description
//! matches like any other.
//!
//! ```text
//!  pid123:libc:malloc:entry ──► libproc::Process ──► expand ──► MAKE
//!           └──► pid123:libc.so.6:malloc:entry, as the probe is called ──► ENABLE
//! ```
//! This happens before the program is compiled ([`ProcessProbes::prepare`]); the compiler only asks.
//! Descriptions are kept. When a process maps more code, that code gets its probes
//! ([`ProcessProbes::look`]), and the process waits for them. If any program may bring the probes
//! along, programs that start later get them too ([`ProcessProbes::meet`]).

mod any_program;
mod debtor;
pub mod declared;
mod make;
mod miss;
pub mod objects;
mod prepare;
mod provider;
mod ration;
pub mod start;
mod unread;
mod wanted;

use crate::clock::Debts;
use crate::error::{reason, Error};
use crate::kernel::Kernel;
use abi::probe::part_matches;
use abi::user::MAX_NOTES;
use any_program::AnyProgram;
use d::ProbePattern;
use debtor::Debtor;
use libproc::account::Account;
use libproc::budget;
use libproc::expand::{self, Batches, Pattern};
use libproc::locks;
use libproc::process::{Images, Object, Process};
use libproc::stapsdt::Note;
use libproc::Beat;
use make::Reported;
use miss::Missed;
pub use provider::of_process;
use provider::pid_of;
use start::When;
use std::cell::Cell;
use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::io::ErrorKind;
use std::rc::Rc;
use std::time::Instant;
use wanted::{key, memory, Known, Sign, Wanted};

const SHORT: &str =
    "programs, or those of one user, bring so many probes along, or map so many files, that \
                     dtrace has no memory for all: some programs have no probes of their own; \
                     dtrace tries again";

const SLOW: &str =
    "the files of one user's programs take so long to read that some programs have no probes of \
                    their own yet; dtrace tries again while it traces";

/// Tells whether a process could not be read because it has ended.
fn has_ended(e: &std::io::Error) -> bool {
    e.kind() == ErrorKind::NotFound || e.raw_os_error() == Some(libc::ESRCH)
}

/// Tells whether a process could not be read because it did not answer in time.
fn is_silent(e: &std::io::Error) -> bool {
    e.kind() == ErrorKind::TimedOut
}

/// Returns the message about such a process.
fn silence(pid: u32) -> String {
    format!(
        "process {pid} did not let itself be read in time, so code that it has mapped may have no probes; dtrace tries again"
    )
}

/// The process probes that descriptions ask for.
#[derive(Debug, Default)]
pub struct ProcessProbes {
    /// Commands that are stopped at their first instruction.
    starting: Vec<u32>,
    /// Commands whose constructors have not run yet.
    linked: Vec<u32>,
    when: When,
    images: Images,
    wanted: Vec<Wanted>,
    any_program: AnyProgram,
    /// The descriptions that were prepared, each with the names of its probes.
    called: HashMap<ProbePattern, ProbePattern>,
    missed: HashMap<ProbePattern, Missed>,
    /// Refusals already reported, by process.
    refused: HashMap<u32, Reported>,
    /// Failures already reported.
    failed: HashSet<String>,
    /// There was no memory for the probes that a program brings along.
    is_short: Cell<bool>,
    /// The time to read the files of programs for the probes that they bring along.
    debts: Debts,
    /// There was no time for a file since somebody asked.
    was_late: bool,
    told: Vec<String>,
    /// Processes are being read while they map and unmap code.
    is_looking: bool,
    /// Programs that start wait for their probes.
    is_attending: bool,
}

impl ProcessProbes {
    /// Makes a set with commands that are stopped at their start. When the first probe in a command
    /// is wanted, the command runs to the place where its probes can be made.
    pub fn starting(commands: Vec<u32>, when: When) -> Self {
        Self { starting: commands, when, ..Self::default() }
    }

    /// Forgets the files that were read on behalf of a user whose files and processes take too much
    /// memory. Root: all files.
    pub fn forget(&mut self, of: Account) {
        self.images.forget(of);
    }

    /// Tells whether there is no time now to read files for this debtor. They are read later.
    fn is_late(&mut self, debtor: &Debtor) -> bool {
        let is_late = self.debts.is_over(debtor.of);
        if is_late {
            self.tell_once(SLOW.into());
        }
        self.was_late |= is_late;
        is_late
    }

    /// Reads something of a process and counts the time.
    fn timed<T>(
        &mut self,
        kernel: &mut dyn Kernel,
        debtor: &mut Debtor,
        read: impl FnOnce(&Self) -> T,
    ) -> T {
        let begin = Instant::now();
        let it = read(self);
        self.debts.add(debtor.of, debtor.owes(begin.elapsed()));
        kernel.beat();
        it
    }

    /// Reads something of a process, if there is time, and counts the time.
    fn in_time<T>(
        &mut self,
        kernel: &mut dyn Kernel,
        debtor: &mut Debtor,
        read: impl FnOnce(&Self) -> T,
    ) -> Option<T> {
        let is_late = self.is_late(debtor);
        (!is_late).then(|| self.timed(kernel, debtor, read))
    }

    /// Reads a process. `None`: there is no time now; the process is met again, as is one that does
    /// not answer in time.
    fn read_in_time(
        &mut self,
        kernel: &mut dyn Kernel,
        pid: u32,
        debtor: &mut Debtor,
    ) -> Option<std::io::Result<Process>> {
        kernel.beat();
        let process = self.in_time(kernel, debtor, |_| Process::read(pid));
        let is_silent = matches!(&process, Some(Err(e)) if is_silent(e));
        if process.is_none() || is_silent {
            self.any_program.meet_again(pid);
        }
        if is_silent {
            self.tell_once(silence(pid));
        }
        process
    }

    /// Returns the names of the probes that a process brings along for these providers, as far as
    /// there is time. Its user pays for the memory.
    fn brought(
        &mut self,
        kernel: &mut dyn Kernel,
        process: &Process,
        provider: &str,
    ) -> BTreeSet<String> {
        let mut debtor = Debtor::for_provider(provider, process.pid);
        let _bill = budget::bill(Account::of(process.pid));
        let is_meant =
            |n: &str| part_matches(provider.as_bytes(), format!("{n}{}", process.pid).as_bytes());
        let mut names = BTreeSet::new();
        for object in &process.objects {
            let beat = kernel.pulse();
            let read = |own: &Self| own.notes_of(object, process.pid, provider, beat);
            let Some(notes) = self.in_time(kernel, &mut debtor, read) else { break };
            let notes = notes.unwrap_or_default();
            let meant = notes.iter().filter(|n| is_meant(&n.provider));
            names.extend(meant.map(|n| plaintext::clean(&n.name).into_owned()));
        }
        names
    }

    /// Returns the probes that an object brings along, or those of its locks if the pattern may
    /// mean the lock provider. `None`: it could not be opened, or there was no memory for it.
    fn notes_of(
        &self,
        object: &Object,
        pid: u32,
        provider: &str,
        beat: Beat,
    ) -> Option<Rc<[Note]>> {
        match provider.starts_with(locks::PROVIDER) {
            true => object.is_read(pid, &self.images).then(|| {
                let (image, _) = object.image(pid, &self.images);
                locks::probes(image, beat)
            }),
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
            let found = self.notes(kernel, &process, &pattern, &mut Known::default(), &mut out);
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

    /// Adds the USDT probes of objects that are not known yet, as far as there is time; returns the
    /// name of one that has some. The process's user pays for the memory.
    fn notes<'p>(
        &mut self,
        kernel: &mut dyn Kernel,
        process: &'p Process,
        pattern: &ProbePattern,
        known: &mut Known,
        out: &mut Batches,
    ) -> Option<&'p str> {
        let pid = process.pid;
        let mut debtor = Debtor::for_provider(&pattern.provider, pid);
        let _bill = budget::bill(Account::of(pid));
        let is_meant =
            |p: &str| part_matches(pattern.provider.as_bytes(), format!("{p}{pid}").as_bytes());
        if !known.reserve(process.objects.len()) {
            self.was_short(pid);
            return None;
        }
        let mut first = None;
        let mut left = known.signs.values().fold(MAX_NOTES, |left, s| left.saturating_sub(s.asked));
        let objects = process.objects.iter().filter(|o| o.is_called(&pattern.module));
        for object in objects {
            let Entry::Vacant(new) = known.signs.entry(key(object)) else { continue };
            // What others lacked says nothing of this one.
            let _ = self.images.was_short();
            let beat = kernel.pulse();
            let read = |own: &Self| own.notes_of(object, pid, &pattern.provider, beat);
            let Some(notes) = self.in_time(kernel, &mut debtor, read) else { continue };
            let Some(notes) = notes else {
                // The next look reads it again.
                if self.images.was_short() || object.was_short() {
                    self.was_short(pid);
                }
                continue;
            };
            if !notes.iter().any(|n| is_meant(&n.provider)) {
                new.insert(Sign::default());
                continue;
            }
            let placed = self.timed(kernel, &mut debtor, |own| object.placed(pid, &own.images));
            // The dynamic linker is still mapping the object: its counters are not mapped yet.
            let is_there = |at: u64| at == 0 || process.may_write(at.wrapping_add(placed.bias));
            if !notes.iter().all(|n| is_there(n.semaphore)) {
                continue;
            }
            first = first.or(Some(object.name.as_str()));
            let meant = Pattern { function: &pattern.function, name: &pattern.name };
            let before = out.places;
            self.timed(kernel, &mut debtor, |_| {
                expand::usdt(placed, &notes, (&is_meant, meant), left, out);
            });
            let asked = out.places - before;
            left -= asked;
            new.insert(Sign::take(out)).asked = asked;
        }
        first
    }

    /// Notes that there was no memory for the probes of a process. It is read again later.
    fn was_short(&mut self, pid: u32) {
        self.is_short.set(true);
        self.any_program.meet_again(pid);
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
        self.is_looking = true;
        let mut all = BTreeMap::<u32, Vec<Wanted>>::new();
        for wanted in std::mem::take(&mut self.wanted) {
            all.entry(wanted.pid).or_default().push(wanted);
        }
        let mut is_told = is_told;
        for (&pid, _) in all.iter().filter(|(_, wanted)| wanted.iter().any(|w| w.is_open)) {
            match kernel.follow(pid) {
                Err(e) if e.errno != libc::ESRCH => {
                    // It is read from time to time, without a report.
                    is_told = true;
                    self.fail(format!("process {pid} does not wait for its probes: {e}"));
                }
                _ => {}
            }
        }
        all.retain(|_, wanted| {
            wanted.iter_mut().for_each(|w| w.is_told |= is_told);
            self.look_at(kernel, wanted)
        });
        for pid in libproc::silent().into_iter().filter(|pid| all.contains_key(pid)) {
            self.tell_once(silence(pid));
        }
        self.wanted = all.into_values().flatten().collect();
        self.forget_refusals();
        self.is_looking = false;
    }

    /// Makes the probes in objects that one process has mapped since the last call, as far as there
    /// is time; returns false if it has ended. `wanted` are all descriptions of this process.
    fn look_at(&mut self, kernel: &mut dyn Kernel, wanted: &mut [Wanted]) -> bool {
        let Some(pid) = wanted.first().map(|w| w.pid) else { return false };
        kernel.beat();
        let providers = wanted.iter().map(|w| &*w.pattern.provider);
        let debtor = &mut Debtor::for_any(providers, pid);
        let process = match self.in_time(kernel, debtor, |_| Process::read(pid)) {
            Some(Ok(process)) => process,
            Some(Err(e)) if has_ended(&e) => return false,
            Some(Err(e)) => {
                // `look` reports the others.
                if !is_silent(&e) {
                    self.fail(format!("failed to read process {pid}: {}", reason(&e)));
                }
                return true;
            }
            None => return true,
        };
        let memory = memory(pid);
        let now: HashSet<_> = process.objects.iter().map(key).collect();
        // All lost signs must be found before another description restores a breakpoint.
        for w in &mut *wanted {
            self.timed(kernel, debtor, |_| w.check(&now, memory.as_ref()));
        }
        for w in wanted {
            let made = match pid_of(&w.pattern.provider) {
                Some(_) => self.make(kernel, &process, w, true),
                None => {
                    let mut out = Batches::default();
                    let _ = self.notes(kernel, &process, &w.pattern, &mut w.known, &mut out);
                    self.send(kernel, pid, out)
                }
            };
            // A spelt-out description may mean code that is mapped later, so a miss is no error.
            self.report(made, &w.pattern);
            self.timed(kernel, debtor, |_| w.note(memory.as_ref()));
        }
        true
    }

    /// Reports why a process has no probes, unless it has ended. `send` reports refused places
    /// itself.
    fn report(&mut self, made: Result<(), Missed>, pattern: &ProbePattern) {
        match made {
            Err(Missed::Kernel(_, e)) if e.errno == libc::ESRCH => {}
            Err(failed @ (Missed::Kernel(..) | Missed::TooMany(_) | Missed::TooLarge)) => {
                self.fail(failed.verdict(pattern).1);
            }
            _ => {}
        }
    }

    /// Reports, once, why probes in code that a process maps may be missing.
    fn fail(&mut self, why: String) {
        self.tell_once(format!("{why}; code that it maps may have no probes"));
    }

    fn tell_once(&mut self, what: String) {
        if self.failed.insert(what.clone()) {
            self.told.push(what);
        }
    }

    /// Makes the probes of programs that have started since the last call.
    pub fn meet(&mut self, kernel: &mut dyn Kernel) {
        for pid in self.any_program.begun() {
            let read = self.read_in_time(kernel, pid, &mut Debtor::of(pid));
            let Some(Ok(process)) = read else { continue };
            self.equip(kernel, &process, false);
        }
    }

    /// Makes every program that starts or loads a library wait until it has the probes that any
    /// program may bring along.
    pub fn attend(&mut self, kernel: &mut dyn Kernel) {
        if self.any_program.patterns.is_empty() {
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

    /// Makes the probes of programs that wait for them. The module notes no more of them than it
    /// tells at a time. Those that begin meanwhile wait for the next call: there may always be more.
    pub fn welcome(&mut self, kernel: &mut dyn Kernel) {
        for pid in kernel.begun().unwrap_or_default() {
            let mut debtor = Debtor::of(pid);
            let read = self.read_in_time(kernel, pid, &mut debtor);
            let Some(Ok(process)) = read else { continue };
            self.ignore(kernel, &process, &mut debtor);
            self.equip(kernel, &process, true);
        }
    }

    /// Stops reports about the files of a process that bring along no probes which any program may
    /// have.
    fn ignore(&mut self, kernel: &mut dyn Kernel, process: &Process, debtor: &mut Debtor) {
        let pid = process.pid;
        let _bill = budget::bill(Account::of(pid));
        let mut seen = HashSet::new();
        for object in process.objects.iter().filter(|object| seen.insert(object.key().1)) {
            let beat = kernel.pulse();
            let read = |own: &Self| {
                let may_mean = |provider: &str| own.any_program.may_mean(provider);
                object.key_without(pid, &own.images, &may_mean, beat)
            };
            let Some(key) = self.in_time(kernel, debtor, read) else { break };
            // If the module lacks memory to note this file, the next program that maps it waits,
            // too.
            let _ = key.map(|key| kernel.ignore(key));
        }
    }

    /// Makes the probes that any program may bring along in a process that has not been read.
    /// `may_be_partial`: some of them may be in an object that is being mapped.
    fn equip(&mut self, kernel: &mut dyn Kernel, process: &Process, may_be_partial: bool) {
        let pid = process.pid;
        for pattern in self.any_program.patterns.clone() {
            if self.wanted.iter().any(|w| w.pid == pid && w.pattern == pattern) {
                continue;
            }
            let (mut out, mut known) = (Batches::default(), Known::default());
            self.was_late = false;
            let is_found = self.notes(kernel, process, &pattern, &mut known, &mut out).is_some();
            let has_more = |own: &mut Self, kernel: &mut dyn Kernel| {
                may_be_partial && !own.brought(kernel, process, &pattern.provider).is_empty()
            };
            if is_found || has_more(self, kernel) {
                let _ = kernel.follow(pid);
                let made = self.send(kernel, pid, out);
                self.report(made, &pattern);
                self.wanted.push(Wanted::new(pid, pattern, true, known));
            } else if self.was_late {
                self.any_program.meet_again(pid);
            }
        }
    }

    /// Returns the processes that descriptions name.
    pub fn named(&self) -> Vec<u32> {
        self.wanted.iter().map(|w| w.pid).collect()
    }

    /// Adds messages to report.
    pub fn tell_too(&mut self, texts: impl IntoIterator<Item = String>) {
        self.told.extend(texts);
    }

    /// Takes the messages to report.
    pub fn take_told(&mut self) -> Vec<String> {
        if self.is_short.take() {
            self.tell_once(SHORT.into());
        }
        std::mem::take(&mut self.told)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Deaf;
    use libproc::maps::Identity;
    use std::io::{Read as _, Write as _};
    use std::os::unix::process::CommandExt;
    use std::process::{Child, Command, Stdio};
    use std::time::Duration;

    /// A process that ends with its test.
    struct Running(Child);

    impl Drop for Running {
        fn drop(&mut self) {
            self.0.kill().unwrap();
            self.0.wait().unwrap();
        }
    }

    /// Starts a process of another user, if we are root.
    fn cat() -> Option<Running> {
        let mut cat = Command::new("cat");
        let cat = cat.uid(77).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = cat.spawn().ok()?;
        // `spawn` returns before the kernel has mapped the dynamic linker.
        child.stdin.as_ref().unwrap().write_all(b"x").unwrap();
        child.stdout.as_mut().unwrap().read_exact(&mut [0]).unwrap();
        Some(Running(child))
    }

    /// A program may map files that take seconds each.
    #[test]
    fn a_user_whose_files_take_long_waits() {
        let child = cat();
        let pid = child.as_ref().map_or_else(std::process::id, |child| child.0.id());
        let (mut probes, mut kernel) = (ProcessProbes::default(), Deaf::default());
        let process = Process::read(pid).unwrap();
        let mut read = |probes: &mut ProcessProbes, provider: &str| {
            let (mut known, pattern) = (Known::default(), ProbePattern::new(provider, "", "", ""));
            probes.notes(&mut kernel, &process, &pattern, &mut known, &mut Batches::default());
            known.signs.len()
        };
        let named = [format!("shop{pid}"), format!("*{pid}"), format!("{}{pid}", locks::PROVIDER)];
        probes.debts.add(Account::of(pid), Duration::from_secs(3000));
        assert_eq!(["shop*", "*"].map(|provider| read(&mut probes, provider)), [0, 0]);
        assert!(std::mem::take(&mut probes.was_late) && probes.take_told() == [SLOW]);
        for provider in &named {
            assert_eq!(read(&mut probes, provider), process.objects.len());
        }
        // `Deaf` refuses the probes that libc may bring along.
        let _ = probes.own(&mut Deaf::default(), &[pid]);
        assert!(!probes.was_late);
        probes.debts = Debts::default();
        let objects = read(&mut probes, "shop*");
        assert!(objects > 1 && objects == process.objects.len() && !probes.was_late);
        // Each object is followed by a sign of life.
        assert!(kernel.0.get() >= objects);
        let pattern = ProbePattern::new(&format!("pid{pid}"), "", "no_such_function", "entry");
        kernel.0.set(0);
        probes.prepare(&mut kernel, vec![pattern]);
        assert!(kernel.0.get() >= objects);
    }

    /// Too many files may be open at that moment.
    #[test]
    fn an_object_that_could_not_be_opened_is_read_again() {
        let path = std::env::temp_dir().join(format!("dtrace-deleted-{}", std::process::id()));
        std::fs::copy("/usr/bin/sleep", &path).unwrap();
        let child = Running(Command::new(&path).arg("1000").spawn().unwrap());
        std::fs::remove_file(&path).unwrap();
        // spawn() returns before all of the program is mapped.
        let (process, program) = loop {
            let process = Process::read(child.0.id()).unwrap();
            let program = process.called(libproc::process::PROGRAM).map(key).next();
            if let Some(program) = program {
                break (process, program);
            }
            std::thread::yield_now();
        };
        drop(child);
        let (mut probes, mut kernel) = (ProcessProbes::default(), Deaf::default());
        for provider in ["shop*".into(), format!("pid{}", process.pid)] {
            let pattern = ProbePattern::new(&provider, "", "", "");
            let mut wanted = Wanted::new(process.pid, pattern, true, Known::default());
            let Wanted { pattern, known, .. } = &mut wanted;
            match pid_of(&provider) {
                Some(_) => drop(probes.make(&mut kernel, &process, &mut wanted, false)),
                None => drop(probes.notes(
                    &mut kernel,
                    &process,
                    pattern,
                    known,
                    &mut Batches::default(),
                )),
            }
            assert!(!wanted.known.signs.contains_key(&program), "{provider}");
        }
    }

    /// A file may bring along tens of thousands of probes.
    #[test]
    fn making_the_probes_of_an_object_is_followed_by_a_sign_of_life() {
        let (mut probes, mut kernel) = (ProcessProbes::default(), Deaf::default());
        let process = Process::read(std::process::id()).unwrap();
        let provider = format!("{}{}", locks::PROVIDER, process.pid);
        let pattern = ProbePattern::new(&provider, "", "", "");
        let mut known = Known::default();
        probes.notes(&mut kernel, &process, &pattern, &mut known, &mut Batches::default());
        let with_probes = known.signs.values().filter(|sign| sign.asked > 0).count();
        assert!(with_probes > 0 && known.signs.len() == process.objects.len());
        // The search for the functions' events beats, too.
        assert!(kernel.0.get() > known.signs.len() + 2 * with_probes);
    }

    /// Nothing may be said of a process that was not read.
    #[test]
    fn a_description_that_matches_nothing_tells_that_a_user_waits() {
        let child = cat();
        let pid = child.as_ref().map_or_else(std::process::id, |child| child.0.id());
        let (mut probes, mut kernel) = (ProcessProbes::default(), Deaf::default());
        let [any, named] = ["shop*".into(), format!("shop{pid}")];
        let [any, named] = [any, named].map(|p: String| ProbePattern::new(&p, "", "", ""));
        probes.debts.add(Account::of(pid), Duration::from_secs(3000));
        probes.prepare(&mut kernel, vec![any.clone(), named.clone()]);
        let why = probes.why(&any).unwrap();
        assert!(why.hint.as_ref().is_some_and(|hint| hint.contains("`shop1234")), "{why:?}");
        assert!(probes.why(&named).is_none());
        assert!(probes.any_program.begun().contains(&pid));
    }

    #[test]
    fn a_process_is_not_read_while_its_user_waits() {
        let child = cat();
        let pid = child.as_ref().map_or_else(std::process::id, |child| child.0.id());
        let (mut probes, mut kernel) = (ProcessProbes::default(), Deaf::default());
        let mut read = |probes: &mut ProcessProbes| {
            kernel.0.set(0);
            let is_read = probes.read_in_time(&mut kernel, pid, &mut Debtor::of(pid)).is_some();
            (is_read, kernel.0.get())
        };
        assert_eq!(read(&mut probes), (true, 2));
        probes.any_program.add(&ProbePattern::new("shop*", "", "", ""));
        assert!(!probes.any_program.begun().contains(&pid));
        probes.debts.add(Account::of(pid), Duration::from_secs(3000));
        assert_eq!(read(&mut probes), (false, 1));
        // However often we look, it is late.
        for _ in 0..3 {
            probes.meet(&mut Deaf::default());
        }
        assert!(probes.any_program.begun().contains(&pid));
    }

    /// A program can map a file that brings along no probes 65,000 times.
    #[test]
    fn a_file_that_is_mapped_often_is_ignored_once() {
        let (mut probes, mut kernel) = (ProcessProbes::default(), Deaf::default());
        let pid = std::process::id();
        let mut process = Process::read(pid).unwrap();
        let files: HashSet<_> = process.objects.iter().map(|o| o.key().1.clone()).collect();
        for _ in 0..9 {
            process.objects.extend(Process::read(pid).unwrap().objects);
        }
        probes.ignore(&mut kernel, &process, &mut Debtor::of(pid));
        assert_eq!(kernel.0.get(), files.len());
    }

    /// A user may run a hundred programs with 65,000 mappings each.
    #[test]
    fn looking_at_processes_does_not_read_those_whose_user_waits() {
        let child = cat();
        let pid = child.as_ref().map_or_else(std::process::id, |child| child.0.id());
        let (mut probes, mut kernel) = (ProcessProbes::default(), Deaf::default());
        // An object that has been unmapped shows whether the process was read.
        let want = |probes: &mut ProcessProbes, provider: &str| {
            let mut known = Known::default();
            known.signs.insert((1, Identity::default()), Sign::default());
            let pattern = ProbePattern::new(provider, "", "", "");
            probes.wanted = vec![Wanted::new(pid, pattern, true, known)];
        };
        let mut look = |probes: &mut ProcessProbes, is_told| {
            probes.look(&mut kernel, is_told);
            let wanted = &probes.wanted[0];
            let has_gone = |w: &Wanted| !w.known.signs.contains_key(&(1, Identity::default()));
            (has_gone(wanted), wanted.is_told)
        };
        want(&mut probes, "shop*");
        probes.debts.add(Account::of(pid), Duration::from_secs(3000));
        // What the module has told is not forgotten.
        assert_eq!(look(&mut probes, true), (false, true));
        assert!(probes.take_told().contains(&SLOW.into()));
        probes.debts = Debts::default();
        assert_eq!(look(&mut probes, false), (true, false));
        want(&mut probes, &format!("shop{pid}"));
        probes.debts.add(Account::of(pid), Duration::from_secs(3000));
        assert_eq!(look(&mut probes, true), (true, false));
    }

    #[test]
    fn a_user_pays_for_the_files_of_own_processes() {
        let Some(child) = cat() else { return };
        let pid = child.0.id();
        let mut probes = ProcessProbes::default();
        let process = Process::read(pid).unwrap();
        // Whether an object has probes of locks is seen in its symbols.
        let pattern = ProbePattern::new(&format!("{}{pid}", locks::PROVIDER), "ld-*", "", "");
        let kernel = &mut Deaf::default();
        probes.notes(kernel, &process, &pattern, &mut Known::default(), &mut Batches::default());
        let image = |probes: &ProcessProbes| {
            let process = Process::read(pid).unwrap();
            let linker = process.objects.into_iter().find(|o| o.name.starts_with("ld-"));
            linker.unwrap().image(pid, &probes.images).0.clone()
        };
        let first = image(&probes);
        probes.forget(Account::user(78));
        let is_kept = Rc::ptr_eq(&first, &image(&probes));
        probes.forget(Account::user(77));
        let is_forgotten = !Rc::ptr_eq(&first, &image(&probes));
        assert_eq!((is_kept, is_forgotten), (true, true));
    }
}
