// SPDX-License-Identifier: GPL-2.0
//! Makes the probes that descriptions mean, before the compiler asks how many there are.

use super::debtor::Debtor;
use super::miss::Missed;
use super::provider::{is_named, is_short, literal, pid_of, those_with, PID};
use super::start::{self, When};
use super::wanted::{Known, Wanted};
use super::ProcessProbes;
use crate::error::reason;
use crate::kernel::Kernel;
use abi::probe::is_glob;
use d::world::Why;
use d::ProbePattern;
use libproc::expand::{self, Batches};
use libproc::locks;
use libproc::process::Process;
use std::collections::BTreeSet;
use std::io::ErrorKind;

impl ProcessProbes {
    /// Makes the probes that these descriptions mean in processes. The compiler then asks by
    /// [`Self::called`] for the names of the probes.
    pub fn prepare(&mut self, kernel: &mut dyn Kernel, descriptions: Vec<ProbePattern>) {
        for pattern in descriptions {
            let called = self.resolve(kernel, pattern.clone());
            self.called.insert(pattern, called);
        }
    }

    /// Returns a description with the names of the probes that were made for it.
    pub fn called(&self, pattern: ProbePattern) -> ProbePattern {
        self.called.get(&pattern).cloned().unwrap_or(pattern)
    }

    /// Makes the probes that a description means, if it names a process; returns the description
    /// with the names of the probes.
    fn resolve(&mut self, kernel: &mut dyn Kernel, pattern: ProbePattern) -> ProbePattern {
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
        let mut wanted = Wanted::new(pid, pattern.clone(), is_open, Known::default());
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
        let (mut is_made, mut is_late, mut failed) = (false, false, vec![]);
        let is_spelt = !is_glob(pattern.provider.as_bytes());
        if !is_spelt && is_named(&pattern.provider) {
            self.any_program.add(&pattern);
        }
        for pid in those_with(&pattern.provider) {
            let mut debtor = Debtor::for_provider(&pattern.provider, pid);
            // A glob does not certainly mean this command, so the command is not run for it.
            if let Err(e) = if is_spelt { self.advance(pid, self.when) } else { Ok(()) } {
                return self.miss(pattern, Missed::Start(pid, reason(&e)));
            }
            let process = match self.read_in_time(kernel, pid, &mut debtor) {
                None => {
                    is_late = true;
                    continue;
                }
                Some(Ok(process)) => process,
                Some(Err(e)) if e.kind() == ErrorKind::TimedOut => {
                    self.told.push(format!("the probes of process {pid} are left out: {e}"));
                    continue;
                }
                Some(Err(_)) => continue,
            };
            let (mut out, mut known) = (Batches::default(), Known::default());
            self.was_late = false;
            let found = self.notes(kernel, &process, &pattern, &mut known, &mut out);
            called = called.or(found.map(literal));
            if found.is_some() && out.places == 0 {
                others.extend(self.brought(kernel, &process, &pattern.provider));
            }
            is_late |= self.was_late;
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
                self.wanted.push(Wanted::new(pid, pattern.clone(), true, known));
                match self.send(kernel, pid, out) {
                    Ok(()) => is_made = true,
                    Err(missed) => failed.push(missed),
                }
            } else if self.was_late {
                self.any_program.meet_again(pid);
            }
        }
        for missed in failed {
            match missed {
                // Other processes are traced. `send` reports refused places itself.
                Missed::Kernel(..) if is_made => self.fail(missed.verdict(&pattern).1),
                _ => drop(self.missed.insert(pattern.clone(), missed)),
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
            (true, false) => self.miss(called, Missed::Number),
            _ if is_late => self.miss(called, Missed::Late),
            (true, true) => called,
            (false, _) => self.miss(called, Missed::Brought(others.into_iter().collect())),
        }
    }

    fn miss(&mut self, pattern: ProbePattern, missed: Missed) -> ProbePattern {
        self.missed.insert(pattern.clone(), missed);
        pattern
    }

    /// Tells why a description of a process matches nothing, if that is known.
    pub fn why(&self, pattern: &ProbePattern) -> Option<Why> {
        Some(self.missed.get(pattern)?.why(pattern))
    }
}
