// SPDX-License-Identifier: GPL-2.0
//! Traces; with `-e` only compiles.

use crate::args::{Args, Spec};
use crate::busy::{busy, message, say, Messages};
use crate::mode::disassemble;
use crate::screen;
use crate::settings::Settings;
use crate::{compile, Stop};
use abi::option::OptionId;
use consumer::device::Device;
use consumer::print::bars::Encoding;
use consumer::print::json::Line;
use consumer::print::listing;
use consumer::process::{Stdio, Target};
use consumer::session::{self, Enabled, Ended, Output, Tracing};
use consumer::user::ProcessProbes;
use consumer::wait::Signals;
use consumer::world::AnyProbe;
use consumer::{Error, Failure};
use d::Program;
use std::io::{IsTerminal as _, Write as _};

/// Compiles, enables, traces; returns the exit status.
pub fn run(args: &Args, settings: Settings) -> Result<i32, Stop> {
    let mut device = match Device::open() {
        Ok(device) => Some(device),
        // Compiling needs no kernel; without one, every description counts as matching.
        Err(_) if args.compile_only => None,
        Err(e) => return Err(e.into()),
    };
    let targets = match args.compile_only {
        true => Vec::new(),
        false => targets(args, &settings)?,
    };
    let (programs, process_probes) = match &mut device {
        Some(device) => compile::for_kernel(args, &settings, &targets, device)?,
        None => {
            let pid = args.pids.first().copied();
            (
                compile::all(args, &settings, pid, &mut AnyProbe::default())?,
                ProcessProbes::default(),
            )
        }
    };
    let settings = settings.with(&programs);
    if args.disassemble {
        let bounds = args.verbose.then(|| settings.get(OptionId::Strsize));
        programs.iter().for_each(|p| say(disassemble::listing(p, bounds).as_bytes()));
    }
    if args.verbose {
        tell_stability(args, &settings, &programs)?;
    }
    match device {
        Some(mut device) if !args.compile_only => {
            trace(args, &settings, &mut device, targets, programs, process_probes)
        }
        _ => Ok(0),
    }
}

/// Prints the stability of each program for `-v`.
fn tell_stability(args: &Args, settings: &Settings, programs: &[Program]) -> Result<(), Failure> {
    let mut out = Vec::new();
    for (spec, program) in args.specs.iter().zip(programs) {
        if let Some(least) = program.stability {
            let title = spec.title().replace('\'', "");
            listing::stability(&mut out, &title, least.probes, least.statements);
        }
    }
    if settings.is_json() {
        say(&out);
        return Ok(());
    }
    let mut to = crate::mode::output(args, settings)?;
    to.write_all(&out)?;
    Ok(to.flush()?)
}

/// Returns the processes of `-c` and `-p`. The output of commands stays apart from a stream of
/// JSON.
pub fn targets(args: &Args, settings: &Settings) -> Result<Vec<Target>, Error> {
    let is_apart = settings.is_json() && (args.output.is_none() || settings.recorder.is_some());
    let stdio = || match (&settings.view, is_apart) {
        (Some(view), _) => match view.entry() {
            Ok(Some(entry)) => Stdio::Into(entry),
            _ => Stdio::Apart,
        },
        (None, true) => Stdio::Apart,
        (None, false) => Stdio::Ours,
    };
    let created = args.commands.iter().map(|c| Target::create(c, stdio()));
    created.chain(args.pids.iter().map(|&p| Target::grab(p))).collect()
}

fn trace(
    args: &Args,
    settings: &Settings,
    device: &mut Device,
    targets: Vec<Target>,
    programs: Vec<Program>,
    process_probes: ProcessProbes,
) -> Result<i32, Stop> {
    let options = settings.over(&programs);
    let is_on = |id| options.contains(&(id, 1));
    let counts: Vec<usize> = programs.iter().map(|p| p.matched).collect();
    let name = match args.specs.as_slice() {
        [spec] => format!("'{}'", spec.name()),
        _ => "the programs".into(),
    };
    let (mut out, file) = crate::mode::output_and_file(args, settings)?;
    let mut err = Messages;
    let how = how(settings);
    let output = Output { out: &mut *out, err: &mut err, file };
    // From here on a signal ends the session in order.
    let pids: Vec<u32> = targets.iter().map(Target::pid).collect();
    let mut waiter = Signals::new(targets, settings.view.is_some())?;
    crate::mode::start_export(settings)?;
    let work = busy("enabling probes");
    let enabled = Enabled::new(device, output, how, &options, &name, programs)?;
    drop(work);
    let enabled = enabled.follow(process_probes, pids);
    let matched = enabled.matched();
    // The kernel's count is exact, but it covers all programs together.
    let counts = match counts.len() {
        1 => vec![matched as usize],
        _ => counts,
    };
    if settings.is_json() {
        let program = |(spec, probes)| Line::Program { name: Spec::name(spec).trim(), probes };
        let lines: Vec<Line<'_>> = args.specs.iter().zip(counts).map(program).collect();
        crate::mode::tell(args, settings, &lines)?;
    } else if !is_on(OptionId::Quiet) {
        for (spec, n) in args.specs.iter().zip(counts) {
            let s = if n == 1 { "" } else { "s" };
            message(format_args!("dtrace: {} matched {n} probe{s}", spec.title()));
        }
        if is_on(OptionId::Destructive) {
            message("dtrace: allowing destructive actions");
        }
    }
    if matched == 0 && !args.allow_zero && !settings.zdefs {
        return Err(Error::new("", "no probes matched").into());
    }
    let tracing = start(settings, enabled)?;
    waiter.resume()?;
    let mut ended = tracing.work(&mut waiter)?;
    leave(args, settings, &mut ended)?;
    Ok(ended.status())
}

/// Lets probes fire. From here on the program prints.
fn start<'a>(settings: &Settings, enabled: Enabled<'a>) -> Result<Tracing<'a>, Stop> {
    let matched = enabled.matched();
    let s = if matched == 1 { "" } else { "s" };
    let work = busy(format!("arming {matched} probe{s}"));
    let mut tracing = enabled.go()?;
    drop(work);
    let work = busy("reading the symbols of the processes");
    tracing.attend()?;
    drop(work);
    screen::start(settings)?;
    Ok(tracing)
}

/// Prints at the end of a view what the program has not printed, and at the end of every run on a
/// terminal a line that adds up the losses.
fn leave(args: &Args, settings: &Settings, ended: &mut Ended<'_>) -> Result<(), Failure> {
    if settings.view.is_some() {
        screen::end(settings);
        let mut out = crate::mode::open(args.output.as_deref(), false)?;
        ended.write_aggregations(&mut out)?;
        out.flush()?;
    } else if settings.is_json() {
        return Ok(());
    }
    // A program that reads the messages can add them up itself.
    if let Some(losses) = ended.losses().filter(|_| std::io::stderr().is_terminal()) {
        message(format_args!("dtrace: {losses}"));
    }
    Ok(())
}

fn how(settings: &Settings) -> session::Settings {
    let encoding = settings.encoding.unwrap_or_else(Encoding::of_locale);
    session::Settings {
        droptags: settings.droptags,
        shape: settings.shape,
        encoding,
        snaprate: settings.snaprate,
    }
}

/// Takes over programs that are already traced; with `-e` only prints the data that exist now.
pub fn consume(
    args: &Args,
    settings: &Settings,
    device: &mut Device,
    options: &[(OptionId, u64)],
    programs: Vec<Program>,
) -> Result<i32, Stop> {
    let (mut out, file) = crate::mode::output_and_file(args, settings)?;
    let mut err = Messages;
    let output = Output { out: &mut *out, err: &mut err, file };
    let mut waiter = Signals::new(Vec::new(), settings.view.is_some())?;
    crate::mode::start_export(settings)?;
    let tracing = Tracing::claimed(device, output, how(settings), options, programs)?;
    let mut ended = match args.compile_only {
        true => tracing.finish()?,
        false => {
            screen::start(settings)?;
            tracing.work(&mut waiter)?
        }
    };
    leave(args, settings, &mut ended)?;
    Ok(ended.status())
}
