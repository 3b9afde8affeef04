// SPDX-License-Identifier: GPL-2.0
//! The processes of a session: their probes in newly mapped code, and what is known of them for
//! stacks and symbols.

use super::Session;
use crate::clock::Clock;
use crate::error::Failure;
use abi::option::OptionId;
use abi::status::Status;

impl Session<'_> {
    /// Learns what the addresses of the targets mean, if programs record any: the targets may have
    /// ended when the addresses are printed. Commands run until their libraries are mapped, and are
    /// traced meanwhile.
    pub(super) fn know_targets(&mut self) {
        // A process that stops itself must stay stopped.
        if !self.needs.addresses || self.options.get(OptionId::Destructive) == 1 {
            return;
        }
        self.process_probes.link();
        std::mem::take(&mut self.targets).into_iter().for_each(|pid| self.know(pid));
    }

    pub(super) fn know(&mut self, pid: u32) {
        if self.needs.stacks {
            self.objects.learn(self.kernel, pid);
        }
        self.symbols.know_process(pid.into());
    }

    /// Learns about unknown processes whose stacks were walked.
    pub(super) fn look_at_strangers(&mut self) {
        let mut spent = Clock::default();
        // If the kernel does not answer, the next look asks again.
        for pid in self.kernel.strangers().unwrap_or_default() {
            let of = self.symbols.know_process(pid.into());
            if self.needs.stacks {
                self.objects.meet(self.kernel, (pid, of), &mut spent);
            }
        }
    }

    /// From here on, a process that maps a library waits until the library has its probes. A
    /// command that we hold runs only after that.
    pub(super) fn attend(&mut self) -> Result<(), Failure> {
        self.process_probes.attend(self.kernel);
        self.process_probes.look(self.kernel, false);
        self.tell_processes()
    }

    /// Reads new mappings, if the status reports that a process which mapped something waits for
    /// that.
    pub(super) fn look_at_mapped(&mut self, now: &Status) -> Result<(), Failure> {
        if now.mapped == 0 {
            return Ok(());
        }
        self.process_probes.look(self.kernel, true);
        self.process_probes.welcome(self.kernel);
        let seen = self.kernel.seen(now.mapped);
        let late = seen.map_err(|r| r.doing("failed to let a process continue"))?;
        if late > 0 {
            self.outputs.say(&format!(
                "{late} times a process went on before the probes in a newly mapped file were ready"
            ))?;
        }
        self.tell_processes()
    }

    /// Attaches probes to code that processes have newly mapped.
    pub(super) fn look_at_processes(&mut self) -> Result<(), Failure> {
        self.process_probes.look(self.kernel, false);
        self.process_probes.meet(self.kernel);
        self.tell_processes()
    }

    /// Notes that data was taken from the kernel. Forgets everything that was read for users whose
    /// files and processes take too much memory.
    pub(super) fn take_symbols(&mut self) {
        for of in self.symbols.take() {
            self.process_probes.forget(of);
        }
    }

    /// Tells that names could not be found since data was last taken: keys of aggregations get
    /// their names when they are printed.
    pub(super) fn tell_lost_names(&mut self) -> Result<(), Failure> {
        self.take_symbols();
        self.tell_processes()
    }

    pub(super) fn tell_processes(&mut self) -> Result<(), Failure> {
        let mut told = self.process_probes.take_told();
        told.extend(self.symbols.take_told());
        told.extend(self.objects.take_told());
        told.iter().try_for_each(|line| self.outputs.say(line))
    }
}
