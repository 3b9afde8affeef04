// SPDX-License-Identifier: GPL-2.0
//! A session from enabling to exit: the only code that knows the order of the steps.
//! ```text
//! enable .. go | round round round .. | stop, last round, aggregations
//! ```
//! A round takes principal buffers first and aggregations after them. So whatever a clause
//! aggregated before its printa() is surely in the aggregations that the printa() shows.

use crate::aggregate::{Sort, Store};
use crate::consume::{EnabledProbes, Record, Release, Timeline};
use crate::error::{reason, Error, Failure, Refusal};
use crate::kernel::{Kernel, Started};
use crate::print::bars::Encoding;
use crate::print::json::{self, Line};
use crate::print::report::{Effect, Report, Reporter};
use crate::print::Shape;
use crate::status::{self, Drops, Losses};
use crate::symbol::{Naming, Symbols};
use crate::user::objects::Objects;
use crate::user::ProcessProbes;
use crate::wait::{Event, Waiter};
use crate::{datum, enable, print, sys};
use abi::action::ActionKind;
use abi::dif::Builtin;
use abi::ids::Epid;
use abi::option::{policy, OptionId, Options};
use abi::status::Status;
use d::{Program, StatementKind};
use std::fs::File;
use std::io::{Read, Seek, Write};
use std::os::fd::AsRawFd;

/// The number of EPIDs whose layouts are read before tracing starts; the others follow when they
/// first appear.
const PREFETCH: u32 = 1024;

/// The longest silence towards the kernel, in ns, whatever the rates are. The kernel takes a
/// consumer for dead after half a minute of silence.
const SIGN_OF_LIFE: u64 = 5_000_000_000;

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

/// The destinations of output.
pub struct Output<'a> {
    /// The traced data.
    pub out: &'a mut dyn Write,
    /// Messages.
    pub err: &'a mut dyn Write,
    /// The file behind `out`, if there is one; `ftruncate()` needs it.
    pub file: Option<File>,
}

/// A consumer state and what we know about it.
pub struct Session<'a> {
    kernel: &'a mut dyn Kernel,
    output: Output<'a>,
    settings: Settings,
    options: Options,
    programs: Vec<Program>,
    matched: u32,
    cpus: Vec<u32>,
    enabled: EnabledProbes,
    timeline: Timeline,
    store: Store,
    reporter: Reporter,
    status: Status,
    losses: Losses,
    process_probes: ProcessProbes,
    /// Processes named on the command line.
    targets: Vec<u32>,
    /// What the module knows about files, for the stacks of processes.
    objects: Objects,
    symbols: Symbols,
    /// The file that `freopen()` sends output to.
    redirected: Option<File>,
    exit: Option<i32>,
    /// Tells whether clauses leave records in buffers that are switched.
    records: bool,
    /// A bell that rings when there is work before the time is over.
    bell: Option<File>,
    /// Space for the text that is being printed.
    text: Vec<u8>,
}

/// After this many printed records we check whether buffers are filling up.
const AT_A_TIME: usize = 1024;
/// The most bytes of records that wait for printing. Beyond it the kernel's buffers are left to
/// fill up.
const MOST_HELD: usize = 256 << 20;
/// Text is written out in pieces of about this many bytes.
const AT_ONCE: usize = 64 << 10;

/// Tells whether a buffer has become half full since the last question.
fn is_pressing(kernel: &mut dyn Kernel) -> bool {
    kernel.status().is_ok_and(|s| s.pressing != 0)
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

impl<'a> Session<'a> {
    /// Enables programs with the options that were set explicitly. Messages refer to all of them as
    /// `name`.
    pub fn enable(
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
        let mut this = Self::new(kernel, output, settings, set, programs, &doing)?;
        let matched = this.kernel.enable(&dof).map_err(|r| r.doing(doing()))?;
        this.matched = matched.saturating_sub(enable::OWN_PROBES);
        Ok(this)
    }

    /// Makes a session for programs that the kernel already traces for this file's consumer.
    pub fn claimed(
        kernel: &'a mut dyn Kernel,
        output: Output<'a>,
        settings: Settings,
        set: &[(OptionId, u64)],
        programs: Vec<Program>,
    ) -> Result<Self, Failure> {
        let doing = || "failed to claim anonymous state".to_string();
        let mut this = Self::new(kernel, output, settings, set, programs, &doing)?;
        this.learn(PREFETCH);
        Ok(this)
    }

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
        Ok(Self {
            kernel,
            output,
            settings,
            reporter: Reporter::new(&options, settings.encoding, symbols.clone()),
            options,
            matched: 0,
            cpus,
            enabled: EnabledProbes::default(),
            timeline: Timeline::default(),
            // The last program knows the aggregations of all programs.
            store: Store::new(programs.last().map_or(&[], |p| &p.aggregations), symbols.clone()),
            programs,
            status: Status::default(),
            losses: Losses::default(),
            process_probes: ProcessProbes::default(),
            targets: Vec::new(),
            objects: Objects::default(),
            symbols,
            redirected: None,
            exit: None,
            records: false,
            bell: None,
            text: Vec::new(),
        })
    }

    /// Makes the session attach the probes that `process_probes` wants in processes, also when they load
    /// more code. Processes in `targets` are read first.
    pub fn follow(&mut self, process_probes: ProcessProbes, targets: Vec<u32>) {
        targets.first().iter().for_each(|&&pid| self.symbols.set_target(pid.into()));
        (self.process_probes, self.targets) = (process_probes, targets);
    }

    /// Returns the number of probes matched by all descriptions of all programs.
    pub fn matched(&self) -> u32 {
        self.matched
    }

    /// Starts tracing; BEGIN fires.
    pub fn go(&mut self) -> Result<(), Failure> {
        let failed = |r: Refusal| r.doing("could not enable tracing");
        self.bell = self.kernel.bell().map_err(failed)?;
        if self.walks_users() {
            let mut first = self.process_probes.named();
            first.extend(&self.targets);
            self.objects.learn_all(self.kernel, first);
        }
        let started = self.kernel.go().map_err(failed)?;
        self.process_probes.begin();
        self.tell_left_out(&started)?;
        self.tell_sizes(&started)?;
        let count = self.matched.saturating_add(enable::OWN_PROBES).min(PREFETCH);
        self.learn(count);
        // Without temporal order, the CPU that ran BEGIN comes first.
        self.cpus.sort_by_key(|&c| c != started.cpu);
        Ok(())
    }

    /// Learns what the addresses of the targets mean, if programs record any: the targets may have
    /// ended when the addresses are printed. Commands run until their libraries are mapped, and are
    /// traced meanwhile.
    pub fn know_targets(&mut self) {
        // A process that stops itself must stay stopped.
        if !self.records_users() || self.options.get(OptionId::Destructive) == 1 {
            return;
        }
        self.process_probes.link();
        std::mem::take(&mut self.targets).into_iter().for_each(|pid| self.know(pid));
    }

    fn know(&mut self, pid: u32) {
        if self.walks_users() {
            self.objects.learn(self.kernel, pid);
        }
        self.symbols.know_process(pid.into());
    }

    /// Learns about unknown processes whose stacks were walked.
    fn look_at_strangers(&mut self) {
        // If the kernel does not answer, the next look asks again.
        for pid in self.kernel.strangers().unwrap_or_default() {
            self.symbols.know_process(pid.into());
            if self.walks_users() {
                self.objects.meet(self.kernel, pid);
            }
        }
    }

    /// From here on, a process that maps a library waits until the library has its probes. A
    /// command that we hold runs only after that.
    pub fn attend(&mut self) -> Result<(), Failure> {
        self.process_probes.attend(self.kernel);
        self.process_probes.look(self.kernel, false);
        self.tell_users()
    }

    /// Reads new mappings, if the status reports that a process which mapped something waits for
    /// that.
    fn look_at_mapped(&mut self, now: &Status) -> Result<(), Failure> {
        if now.mapped == 0 {
            return Ok(());
        }
        self.process_probes.look(self.kernel, true);
        self.process_probes.welcome(self.kernel);
        let seen = self.kernel.seen(now.mapped);
        let late = seen.map_err(|r| r.doing("failed to let a process continue"))?;
        if late > 0 {
            self.say(&format!(
                "{late} times a process went on before the probes in a newly mapped file were ready"
            ))?;
        }
        self.tell_users()
    }

    /// Asks for the layouts of the first `count` enabled probes.
    fn learn(&mut self, count: u32) {
        self.enabled.prefetch(self.kernel, count);
        self.records = self.is_switching() && self.enabled.any_records();
    }

    /// Reports the probes that match but could not be enabled.
    fn tell_left_out(&mut self, started: &Started) -> Result<(), Failure> {
        let Started { left_out: n, probes, .. } = *started;
        if n == 0 {
            return Ok(());
        }
        let were = if n == 1 { "was" } else { "were" };
        let mut text = format!("{n} of {probes} probes {were} left out:");
        // Without names the number is still useful.
        let names = self.kernel.left_out().unwrap_or_default();
        for line in names.lines() {
            text.push_str("\n  ");
            text.push_str(line);
        }
        match (n as usize).saturating_sub(names.lines().count()) {
            0 => {}
            more => text.push_str(&format!("\n  and {more} more")),
        }
        self.say(&text)
    }

    /// Reports the sizes that the kernel lowered for lack of memory.
    fn tell_sizes(&mut self, started: &Started) -> Result<(), Failure> {
        for (id, size) in started.sizes {
            if size == 0 || size >= self.options.get(id) {
                continue;
            }
            let what = match id {
                OptionId::Bufsize => "buffer",
                OptionId::Aggsize => "aggregation",
                OptionId::Dynvarsize => "dynamic variable",
                _ => "speculation",
            };
            let size = crate::option::text(id.unit(), size);
            self.say(&format!("{what} size lowered to {size}"))?;
        }
        Ok(())
    }

    /// Consumes until the program, a signal or the end of the targets stops it; returns the exit
    /// status.
    pub fn work(&mut self, waiter: &mut dyn Waiter) -> Result<i32, Failure> {
        let mut due = self.rates().map(|r| waiter.now().saturating_add(r));
        while !self.is_ending()? {
            let now = waiter.now();
            // A program may have changed the rates.
            for (at, rate) in due.iter_mut().zip(self.rates()) {
                *at = now.saturating_add(rate).min(*at);
            }
            let next = due.into_iter().min().unwrap_or(now);
            let mut is_rung = false;
            let has_more = self.objects.learn_some(self.kernel);
            let most = if has_more { 0 } else { SIGN_OF_LIFE };
            match waiter.wait(next.saturating_sub(now).min(most), self.bell.as_ref()) {
                Event::Timeout => {}
                // The bell rings again for anything that happens after this answer.
                Event::Rung => is_rung = is_pressing(self.kernel),
                Event::Interrupt => break,
                Event::TargetsGone(epitaphs) => {
                    // The target's last records are printed before the news of its end.
                    self.round(false)?;
                    if !self.is_quiet() {
                        epitaphs.iter().try_for_each(|t| self.say(t))?;
                    }
                    break;
                }
            }
            let now = waiter.now();
            let [switch, aggregate, status, snapshot] = [0, 1, 2, 3].map(|i| due[i] <= now);
            if switch || is_rung {
                self.round(false)?;
            }
            if aggregate {
                self.snap_aggregations()?;
            }
            if status {
                self.look_at_status()?;
                self.look_at_users()?;
            }
            if snapshot {
                self.show_aggregations(now)?;
            }
            for (at, rate) in due.iter_mut().zip(self.rates()) {
                if *at <= now {
                    *at = now.saturating_add(rate);
                }
            }
        }
        self.finish()
    }

    /// Returns four intervals in ns: between looks at the buffers, at the aggregations and at the
    /// status, and between snapshots in the stream.
    fn rates(&self) -> [u64; 4] {
        let rate = |id| self.options.get(id).max(1_000_000);
        let [switch, aggregate, status] =
            [OptionId::Switchrate, OptionId::Aggrate, OptionId::Statusrate].map(rate);
        let snapshot = self.settings.snaprate.map_or(u64::MAX, |r| r.max(1_000_000));
        let mut rates = [switch, aggregate, status, snapshot];
        if self.speculates() {
            // When we read the status, the kernel frees speculations that have ended.
            rates[2] = rates[2].min(rate(OptionId::Cleanrate));
        }
        rates
    }

    /// Tells whether the program has called exit() or the tracing is over otherwise. The question
    /// is cheap, so the session sees exit() without waiting for a round.
    fn is_ending(&mut self) -> Result<bool, Failure> {
        if self.exit.is_some() {
            return Ok(true);
        }
        let now = self.ask_status()?;
        if now.strangers != 0 {
            self.look_at_strangers();
        }
        self.look_at_mapped(&now)?;
        let is_over = now.exiting != 0 || now.filled != 0;
        if now.killed != 0 {
            self.tell_status(now)?;
        }
        Ok(is_over)
    }

    fn ask_status(&mut self) -> Result<Status, Failure> {
        Ok(self.kernel.status().map_err(|r| r.doing("failed to get the status"))?)
    }

    /// Reports what was dropped since the last look.
    fn look_at_status(&mut self) -> Result<(), Failure> {
        let now = self.ask_status()?;
        if !self.is_switching() {
            // We hold no records, so the kernel alone decides what it still needs.
            self.forget(u64::MAX);
        }
        self.tell_status(now)
    }

    fn tell_status(&mut self, now: Status) -> Result<(), Failure> {
        let before = std::mem::replace(&mut self.status, now);
        self.tell(&status::differences(&before, &now))?;
        if now.killed != 0 {
            let cause = "Abort due to systemic unresponsiveness";
            return Err(Error::new("processing aborted", cause).into());
        }
        Ok(())
    }

    /// Attaches probes to code that processes have newly mapped.
    fn look_at_users(&mut self) -> Result<(), Failure> {
        self.process_probes.look(self.kernel, false);
        self.process_probes.meet(self.kernel);
        self.tell_users()
    }

    fn tell_users(&mut self) -> Result<(), Failure> {
        self.process_probes.take_told().iter().try_for_each(|line| self.say(line))
    }

    /// Takes and prints the records that exist now.
    fn round(&mut self, is_last: bool) -> Result<(), Failure> {
        if !is_last && !self.is_switching() {
            return Ok(());
        }
        let is_temporal = self.options.get(OptionId::Temporal) == 1;
        let release = match (is_temporal, is_last) {
            (false, _) => Release::Unordered,
            (true, false) => Release::Temporal,
            (true, true) => Release::Last,
        };
        let drops = self.timeline.round(self.kernel, &mut self.enabled, &self.cpus, release)?;
        self.symbols.take();
        self.tell(&drops)?;
        if is_last || self.uses_aggregations() {
            self.snap_aggregations()?;
        }
        let mut timeline = std::mem::take(&mut self.timeline);
        let printed = self.print_due(&mut timeline, is_last);
        self.timeline = timeline;
        printed?;
        if !is_last {
            self.forget(self.timeline.taken_until());
        }
        Ok(self.out().flush()?)
    }

    /// Forgets removed probes once every record older than `until` has been printed, because the
    /// kernel reuses their EPIDs.
    fn forget(&mut self, until: u64) {
        // After an error the kernel still has the EPIDs and reports them later.
        while let Ok(freed) = self.kernel.done(until) {
            if freed.is_empty() {
                break;
            }
            self.enabled.forget(&freed);
        }
    }

    /// Prints the records that a round releases.
    fn print_due(&mut self, timeline: &mut Timeline, is_last: bool) -> Result<(), Failure> {
        let mut text = std::mem::take(&mut self.text);
        let mut n = 0;
        while let Some(record) = timeline.next(self.kernel, &mut self.enabled)? {
            self.print(&mut text, &record)?;
            if text.len() > AT_ONCE {
                self.emit(&text)?;
                text.clear();
            }
            n += 1;
            if n % AT_A_TIME == 0 && self.records && !is_last {
                self.take_more(timeline)?;
            }
        }
        self.emit(&text)?;
        text.clear();
        self.text = text;
        Ok(())
    }

    /// Tells whether buffers are taken while tracing goes on.
    fn is_switching(&self) -> bool {
        self.options.get(OptionId::Bufpolicy) == policy::SWITCH
    }

    /// Does urgent work while we are printing: empties buffers that have filled up, and reads the
    /// mappings of waiting processes.
    fn take_more(&mut self, timeline: &mut Timeline) -> Result<(), Failure> {
        let now = self.ask_status()?;
        self.look_at_mapped(&now)?;
        if now.pressing != 0 && timeline.held() < MOST_HELD {
            let (drops, _) = timeline.take(self.kernel, &self.cpus)?;
            self.symbols.take();
            self.tell(&drops)?;
        }
        Ok(())
    }

    /// Returns the current destination of output.
    fn out(&mut self) -> &mut dyn Write {
        match &mut self.redirected {
            Some(file) => file,
            None => self.output.out,
        }
    }

    fn emit(&mut self, text: &[u8]) -> Result<(), Failure> {
        Ok(self.out().write_all(text)?)
    }

    /// Returns the kinds of all actions of the clauses.
    fn kinds(&self) -> impl Iterator<Item = ActionKind> + '_ {
        let actions = self.programs.iter().flat_map(|p| &p.clauses).flat_map(|c| &c.actions);
        actions.map(|a| a.kind)
    }

    /// Tells whether clauses end speculations.
    fn speculates(&self) -> bool {
        self.kinds().any(|k| matches!(k, ActionKind::Commit | ActionKind::Discard))
    }

    /// Tells whether clauses record addresses of processes.
    fn records_users(&self) -> bool {
        use ActionKind::{Jstack, Uaddr, Umod, Ustack, Usym};
        self.kinds().any(|k| matches!(k, Ustack | Jstack | Usym | Umod | Uaddr))
            || self.programs.iter().any(Program::prints_addresses)
    }

    /// Tells whether clauses walk the stacks of processes.
    fn walks_users(&self) -> bool {
        let walking = [Builtin::Ucaller as u32, Builtin::Ustackdepth as u32];
        let mut objects = self.programs.iter().flat_map(Program::objects);
        self.kinds().any(|k| matches!(k, ActionKind::Ustack | ActionKind::Jstack))
            || objects.any(|o| o.vars.iter().any(|v| walking.contains(&v.id)))
    }

    /// Waits for a command that we started. It may itself wait for us, like any program that
    /// starts.
    fn await_command(
        &mut self,
        mut child: std::process::Child,
    ) -> Result<std::io::Result<()>, Failure> {
        if !self.process_probes.is_attending() {
            return Ok(child.wait().map(drop));
        }
        let Some(bell) = self.bell.take() else { return Ok(child.wait().map(drop)) };
        let mut waited = Ok(());
        let mut rung = false;
        match sys::pidfd_open(child.id()) {
            Ok(end) => loop {
                match sys::poll(&[end.as_raw_fd(), bell.as_raw_fd()], -1).as_deref() {
                    Ok([false, true]) => {}
                    Ok([false, false]) => continue,
                    Ok(_) | Err(_) => break,
                }
                rung |= (&bell).read_exact(&mut [0; 8]).is_ok();
                waited = self.ask_status().and_then(|now| self.look_at_mapped(&now));
                if waited.is_err() {
                    break;
                }
            },
            Err(e) => waited = Err(Error::new("failed to wait for a command", reason(&e)).into()),
        }
        // The bell may also have rung for buffers, so we ring it again.
        let _ = rung.then(|| (&bell).write_all(&1u64.to_ne_bytes()));
        self.bell = Some(bell);
        waited?;
        Ok(child.wait().map(drop))
    }

    /// Carries out what a record asks for; failures are reported and tracing goes on.
    fn effect(&mut self, effect: Effect) -> Result<(), Failure> {
        self.out().flush()?;
        let failed = match effect {
            Effect::System(line) => {
                let mut shell = std::process::Command::new("/bin/sh");
                if self.settings.shape == Shape::Json {
                    shell.stdout(std::io::stderr());
                }
                let run = shell.arg("-c").arg(&line).spawn();
                let run = match run {
                    Ok(child) => self.await_command(child)?,
                    Err(e) => Err(e),
                };
                run.err().map(|e| format!("system(\"{line}\"): {e}"))
            }
            Effect::Freopen(name) if name.is_empty() => {
                self.redirected = None;
                None
            }
            Effect::Freopen(name) => match File::create(&name) {
                Ok(file) => {
                    self.redirected = Some(file);
                    None
                }
                Err(e) => Some(format!("freopen(\"{name}\"): {e}")),
            },
            Effect::Setopt(Ok((id, value))) => {
                self.options.set(id, value);
                None
            }
            Effect::Setopt(Err(why)) => Some(why),
            Effect::Ftruncate => {
                let file = self.redirected.as_ref().or(self.output.file.as_ref());
                let is_file = file.filter(|f| f.metadata().is_ok_and(|m| m.is_file()));
                let done = is_file.map(|mut f| f.set_len(0).and_then(|()| f.rewind()));
                done.and_then(Result::err).map(|e| format!("ftruncate(): {e}"))
            }
        };
        match failed {
            Some(why) => self.say(&why),
            None => Ok(()),
        }
    }

    /// Tells whether printing records needs the aggregations.
    fn uses_aggregations(&self) -> bool {
        let mut kinds = self.programs.iter().flat_map(|p| &p.statements).map(|s| &s.kind);
        kinds.any(|k| {
            matches!(
                k,
                StatementKind::Printa { .. }
                    | StatementKind::Clear(_)
                    | StatementKind::Normalize(_)
                    | StatementKind::Denormalize(_)
                    | StatementKind::Trunc { .. }
            )
        })
    }

    fn snap_aggregations(&mut self) -> Result<(), Failure> {
        if self.programs.iter().all(|p| p.aggregations.is_empty()) {
            return Ok(());
        }
        self.symbols.take();
        let drops = self.store.snap(self.kernel, &self.cpus)?;
        self.tell(&drops)
    }

    /// Writes the current state of all aggregations into the stream.
    fn show_aggregations(&mut self, timestamp: u64) -> Result<(), Failure> {
        if self.settings.shape != Shape::Json {
            return Ok(());
        }
        self.snap_aggregations()?;
        let one = |n| self.reporter.aggregation(&self.programs, &self.store, n);
        let aggregations = self.store.filled().into_iter().filter_map(one).collect();
        let mut text = Vec::new();
        Line::Snapshot { timestamp, aggregations }.write(&mut text);
        self.emit(&text)?;
        Ok(self.out().flush()?)
    }

    fn print(&mut self, text: &mut Vec<u8>, record: &Record<'_>) -> Result<(), Failure> {
        if record.enabled.uarg == enable::INTERNAL {
            // Text from before the fault comes before the fault's message.
            self.emit(text)?;
            text.clear();
            self.out().flush()?;
            return self.fault(record);
        }
        // Collects text and effects, in order.
        let mut effects = Vec::new();
        let mut note = |out: &mut Vec<u8>, effect| effects.push((std::mem::take(out), effect));
        let Self { reporter, programs, store, .. } = self;
        let report = match self.settings.shape {
            Shape::Json => reporter.line(text, record, programs, store, &mut note),
            _ => reporter.record(text, record, programs, store, &mut note),
        };
        if !effects.is_empty() {
            for (before, effect) in effects {
                self.emit(&before)?;
                self.effect(effect)?;
            }
        }
        match report {
            Report::Printed => {}
            Report::Exit(status) => self.exit = Some(status),
        }
        Ok(())
    }

    fn fault(&mut self, record: &Record<'_>) -> Result<(), Failure> {
        let word = |i: usize| {
            let rec = record.enabled.recs.get(i)?;
            datum::signed(datum::bytes(record.bytes, rec)?)
        };
        let [epid, action, offset, kind, address] = [0, 1, 2, 3, 4].map(|i| word(i).unwrap_or(0));
        let fault = print::fault::Fault {
            epid: epid as u32,
            action: action as u32,
            offset,
            kind: kind as u32,
            address: address as u64,
        };
        let enabled = self.enabled.get(self.kernel, Epid(fault.epid)).ok();
        let probe = enabled.as_ref().map_or(json::Probe::new(0, [""; 4]), |e| (&**e).into());
        let name = enabled.as_ref().map_or_else(String::new, |e| e.parts.join(":"));
        let text = print::fault::message(&fault, probe.id, &name);
        let line = Line::Fault {
            probe,
            epid: fault.epid,
            action: fault.action,
            offset: (offset >= 0).then_some(offset),
            fault: &fault.what(),
            address: fault.address(),
            text,
        };
        self.news(&line)
    }

    /// Stops tracing: END fires, the remaining records are printed, then the aggregations.
    pub fn finish(&mut self) -> Result<i32, Failure> {
        let cpu = self.kernel.stop().map_err(|r| r.doing("failed to stop tracing"))?;
        // Without temporal order, the CPU that ran END comes last.
        self.cpus.sort_by_key(|&c| c == cpu);
        self.round(true)?;
        self.look_at_status()?;
        let text = self.aggregations();
        self.emit(&text)?;
        self.out().flush()?;
        Ok(self.exit.unwrap_or(0))
    }

    /// Returns the aggregations that nothing has printed yet, in the requested shape.
    fn aggregations(&mut self) -> Vec<u8> {
        let mut text = Vec::new();
        if self.settings.shape == Shape::Text {
            return self.text_of_aggregations();
        }
        for number in self.store.unprinted() {
            let found = self.reporter.aggregation(&self.programs, &self.store, number);
            found.into_iter().for_each(|a| Line::Aggregation(a).write(&mut text));
        }
        text
    }

    /// Returns the aggregations that nothing has printed, as the text at the end of a program
    /// without printa().
    pub fn text_of_aggregations(&self) -> Vec<u8> {
        let mut text = vec![b'\n'];
        for variable in self.store.unprinted() {
            let rows = self.store.rows(&[variable], Sort::new(&self.options));
            self.reporter.rows(&mut text, &rows);
        }
        text
    }

    fn is_quiet(&self) -> bool {
        self.options.get(OptionId::Quiet) == 1
    }

    /// Summarizes in one line what the run has lost; `None` if at most one message reported losses.
    pub fn losses(&self) -> Option<String> {
        self.losses.summary()
    }

    fn tell(&mut self, drops: &[Drops]) -> Result<(), Failure> {
        drops.iter().for_each(|d| self.losses.add(d));
        match self.settings.shape {
            Shape::Json => drops.iter().try_for_each(|d| self.news(&d.into())),
            _ => drops.iter().try_for_each(|d| self.say(&d.line(self.settings.droptags))),
        }
    }

    fn say(&mut self, text: &str) -> Result<(), Failure> {
        self.news(&Line::Note { text })
    }

    /// Reports something that is not traced data: a line of the stream, or a message.
    fn news(&mut self, line: &Line<'_>) -> Result<(), Failure> {
        if self.settings.shape == Shape::Json {
            let mut text = Vec::new();
            line.write(&mut text);
            return self.emit(&text);
        }
        Ok(writeln!(self.output.err, "dtrace: {}", line.text())?)
    }
}
