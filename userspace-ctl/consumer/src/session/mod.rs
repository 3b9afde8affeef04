// SPDX-License-Identifier: GPL-2.0
//! A session from enabling to exit: the only code that knows the order of the steps.
//! ```text
//! enable .. go | round round round .. | stop, last round, aggregations
//! ```
//! Each phase is a type, and going to the next one consumes it: [`Enabled`], [`Tracing`], [`Ended`].
//!
//! A round takes principal buffers first and aggregations after them. So whatever a clause
//! aggregated before its printa() is surely in the aggregations that the printa() shows.

mod effect;
mod needs;
mod outputs;
mod processes;
mod rounds;
mod start;
mod work;

pub use outputs::Output;

use crate::aggregate::Store;
use crate::consume::{EnabledProbes, Timeline};
use crate::enable;
use crate::error::{Error, Failure};
use crate::kernel::Kernel;
use crate::print::bars::Encoding;
use crate::print::form::{self, Aggregated, Form as _};
use crate::print::report::Reporter;
use crate::print::{Out, Shape};
use crate::symbol::{Naming, Symbols};
use crate::user::objects::Objects;
use crate::user::ProcessProbes;
use crate::wait::Waiter;
use abi::option::{OptionId, Options};
use abi::status::Status;
use d::Program;
use needs::Needs;
use outputs::Outputs;
use std::fs::File;
use std::io::Write;

/// What the command line says about printing, in addition to the run-time options.
#[derive(Debug, Clone, Copy, Default)]
pub struct Settings {
    /// `-x droptags`.
    pub droptags: bool,
    /// `-x oformat`.
    pub shape: Shape,
    /// `-x encoding`.
    pub encoding: Encoding,
    /// `-x snaprate`, in ns: how often a stream shows all aggregations.
    pub snaprate: Option<u64>,
}

/// Programs that are enabled; nothing fires yet.
pub struct Enabled<'a>(Session<'a>);

/// Programs that are traced.
pub struct Tracing<'a>(Session<'a>);

/// A session whose output is complete.
pub struct Ended<'a> {
    session: Session<'a>,
    status: i32,
}

/// What all phases know.
struct Session<'a> {
    kernel: &'a mut dyn Kernel,
    outputs: Outputs<'a>,
    /// `-x snaprate`.
    snaprate: Option<u64>,
    options: Options,
    programs: Vec<Program>,
    needs: Needs,
    matched: u32,
    cpus: Vec<u32>,
    enabled: EnabledProbes,
    timeline: Timeline,
    store: Store,
    reporter: Reporter,
    status: Status,
    process_probes: ProcessProbes,
    /// Processes named on the command line.
    targets: Vec<u32>,
    /// What the module knows about files, for the stacks of processes.
    objects: Objects,
    symbols: Symbols,
    exit: Option<i32>,
    /// A bell that rings when there is work before the time is over.
    bell: Option<File>,
    /// Space for the text that is being printed.
    text: Vec<u8>,
}

/// Checks whether these programs may run with these options. Messages begin with `doing`.
pub fn check(
    set: &[(OptionId, u64)],
    programs: &[Program],
    doing: impl Into<String>,
) -> Result<(), Error> {
    let may_destroy = set.iter().rev().find(|o| o.0 == OptionId::Destructive);
    if may_destroy.is_none_or(|o| o.1 == 0) && programs.iter().any(|p| p.is_destructive) {
        let e = Error::new(doing, "destructive actions not allowed");
        return Err(e.hint("-w allows them"));
    }
    Ok(())
}

impl<'a> Enabled<'a> {
    /// Enables programs with the options that were set explicitly. Messages refer to all of them as
    /// `name`.
    pub fn new(
        kernel: &'a mut dyn Kernel,
        output: Output<'a>,
        settings: Settings,
        set: &[(OptionId, u64)],
        name: &str,
        programs: Vec<Program>,
    ) -> Result<Self, Failure> {
        let doing = || format!("failed to enable {name}");
        check(set, &programs, doing())?;
        let dof = enable::dof(&programs, set);
        let mut session = Session::new(kernel, output, settings, set, programs, &doing)?;
        let matched = session.kernel.enable(&dof).map_err(|r| r.doing(doing()))?;
        session.matched = matched.saturating_sub(enable::OWN_PROBES);
        Ok(Self(session))
    }

    /// Makes the session attach the probes that `process_probes` wants in processes, also when they load
    /// more code. Processes in `targets` are read first.
    pub fn follow(mut self, process_probes: ProcessProbes, targets: Vec<u32>) -> Self {
        targets.first().iter().for_each(|&&pid| self.0.symbols.set_target(pid.into()));
        (self.0.process_probes, self.0.targets) = (process_probes, targets);
        self
    }

    /// Returns the number of probes matched by all descriptions of all programs.
    pub fn matched(&self) -> u32 {
        self.0.matched
    }

    /// Starts tracing; BEGIN fires.
    pub fn go(mut self) -> Result<Tracing<'a>, Failure> {
        self.0.go()?;
        Ok(Tracing(self.0))
    }
}

impl<'a> Tracing<'a> {
    /// Makes a session for programs that the kernel already traces for this file's consumer.
    pub fn claimed(
        kernel: &'a mut dyn Kernel,
        output: Output<'a>,
        settings: Settings,
        set: &[(OptionId, u64)],
        programs: Vec<Program>,
    ) -> Result<Self, Failure> {
        let doing = || "failed to claim anonymous state".to_string();
        let mut session = Session::new(kernel, output, settings, set, programs, &doing)?;
        session.enabled.prefetch(session.kernel, start::PREFETCH);
        Ok(Self(session))
    }

    /// Gets to know the targets, and makes processes that map a library wait until the library has
    /// its probes. A command that we hold runs only after that.
    pub fn attend(&mut self) -> Result<(), Failure> {
        self.0.know_targets();
        self.0.attend()
    }

    /// Consumes until the program, a signal, the end of the targets or a closed output stops it.
    pub fn work(mut self, waiter: &mut dyn Waiter) -> Result<Ended<'a>, Failure> {
        match self.0.work(waiter) {
            // The end says so once more, after END has fired.
            Err(Failure::OutputClosed) => {}
            worked => worked?,
        }
        self.finish()
    }

    /// Stops tracing: END fires, the remaining records are printed, then the aggregations.
    pub fn finish(mut self) -> Result<Ended<'a>, Failure> {
        let status = self.0.finish()?;
        Ok(Ended { session: self.0, status })
    }
}

impl Ended<'_> {
    /// Returns the exit status.
    pub fn status(&self) -> i32 {
        self.status
    }

    /// Writes the aggregations that nothing has printed, as at the end of a program without
    /// printa().
    pub fn write_aggregations(&mut self, to: &mut dyn Write) -> Result<(), Failure> {
        let Session { programs, store, reporter, .. } = &self.session;
        let (mut text, mut written) = (Vec::new(), Ok(()));
        let mut write = |piece: &[u8]| {
            if written.is_ok() {
                written = to.write_all(piece);
            }
        };
        let all = Aggregated { programs, store, reporter };
        form::Text.rest(&mut Out::new(&mut text, &mut write), all);
        written?;
        to.write_all(&text)?;
        self.session.tell_lost_names()
    }

    /// Summarizes in one line what the run has lost; `None` if at most one message reported losses.
    pub fn losses(&self) -> Option<String> {
        self.session.outputs.losses.summary()
    }
}

impl<'a> Session<'a> {
    fn new(
        kernel: &'a mut dyn Kernel,
        output: Output<'a>,
        settings: Settings,
        set: &[(OptionId, u64)],
        programs: Vec<Program>,
        doing: &dyn Fn() -> String,
    ) -> Result<Self, Failure> {
        let mut options = Options::default();
        for &(id, value) in set {
            options.set(id, value);
        }
        let conf = kernel.conf().map_err(|r| r.doing(doing()))?;
        let only = u32::try_from(options.get(OptionId::Cpu)).ok();
        if let Some(cpu) = only.filter(|&cpu| cpu >= conf.ncpus) {
            let why =
                format!("option cpu: there is no CPU {cpu}, the last one is {}", conf.ncpus - 1);
            return Err(Error::new(doing(), why).into());
        }
        let cpus = only.map_or_else(|| (0..conf.ncpus).collect(), |cpu| vec![cpu]);
        let says = |id| options.get(id) != 0;
        let (demangles, inlines) = (says(OptionId::Demangle), says(OptionId::Inlined));
        let symbols = Symbols::new(Naming { demangles, inlines });
        symbols.set_pulse(kernel.pulse());
        // Files of processes stay open.
        libproc::limit::raise();
        Ok(Self {
            kernel,
            outputs: Outputs::new(output, settings.shape.form(), settings.droptags),
            snaprate: settings.snaprate,
            reporter: Reporter::new(&options, settings.encoding, symbols.clone()),
            options,
            matched: 0,
            cpus,
            enabled: EnabledProbes::default(),
            timeline: Timeline::default(),
            // The last program knows the aggregations of all programs.
            store: Store::new(programs.last().map_or(&[], |p| &p.aggregations), symbols.clone()),
            needs: Needs::of(&programs),
            programs,
            status: Status::default(),
            process_probes: ProcessProbes::default(),
            targets: Vec::new(),
            objects: Objects::default(),
            symbols,
            exit: None,
            bell: None,
            text: Vec::new(),
        })
    }
}
