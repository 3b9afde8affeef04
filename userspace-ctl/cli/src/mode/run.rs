// SPDX-License-Identifier: GPL-2.0
//! Tracing, and `-e`: compiling only.

use crate::args::Args;
use crate::mode::disassemble;
use crate::settings::Settings;
use crate::{compile, Stop};
use abi::option::OptionId;
use consumer::device::Device;
use consumer::print::listing;
use consumer::process::Target;
use consumer::session::{self, Output, Session};
use consumer::user::Users;
use consumer::wait::Signals;
use consumer::world::AnyProbe;
use consumer::{Error, Failure};
use d::Program;
use std::io::Write as _;

/// Compiles, enables, traces; gives the exit status.
pub fn run(args: &Args, settings: Settings) -> Result<i32, Stop> {
    let mut device = match Device::open() {
        Ok(device) => Some(device),
        // Compiling needs no kernel; every description then counts as matching.
        Err(_) if args.compile_only => None,
        Err(e) => return Err(e.into()),
    };
    let targets = match args.compile_only {
        true => Vec::new(),
        false => targets(args)?,
    };
    let target = target(args, &targets);
    let (programs, users) = match &mut device {
        Some(device) => compile::with_users(args, &settings, target, device)?,
        None => (compile::all(args, &settings, target, &AnyProbe::default())?, Users::default()),
    };
    if args.disassemble {
        let bounds = args.verbose.then(|| settings.get(OptionId::Strsize));
        programs.iter().for_each(|p| eprint!("{}", disassemble::listing(p, bounds)));
    }
    if args.verbose && args.compile_only {
        let mut out = crate::mode::output(args.output.as_deref())?;
        out.write_all(&stability(args, &programs)).map_err(Failure::from)?;
        out.flush().map_err(Failure::from)?;
    }
    match device {
        Some(mut device) if !args.compile_only => {
            trace(args, &settings, &mut device, targets, programs, users)
        }
        _ => Ok(0),
    }
}

/// What `-v` says of each program.
fn stability(args: &Args, programs: &[Program]) -> Vec<u8> {
    let mut out = Vec::new();
    for (spec, program) in args.specs.iter().zip(programs) {
        if let Some(least) = program.stability {
            let title = spec.title().replace('\'', "");
            listing::stability(&mut out, &title, least.probes, least.statements);
        }
    }
    out
}

/// `$target`.
pub fn target(args: &Args, targets: &[Target]) -> Option<u32> {
    args.pids.first().copied().or_else(|| targets.first().map(Target::pid))
}

pub fn targets(args: &Args) -> Result<Vec<Target>, Error> {
    let created = args.commands.iter().map(|c| Target::create(c));
    created.chain(args.pids.iter().map(|&p| Target::grab(p))).collect()
}

fn trace(
    args: &Args,
    settings: &Settings,
    device: &mut Device,
    targets: Vec<Target>,
    programs: Vec<Program>,
    users: Users,
) -> Result<i32, Stop> {
    let options = settings.over(&programs)?;
    let is_on = |id| options.contains(&(id, 1));
    let counts: Vec<usize> = programs.iter().map(|p| p.matched).collect();
    let name = match args.specs.as_slice() {
        [spec] => format!("'{}'", spec.name()),
        _ => "the programs".into(),
    };
    let mut out = crate::mode::output(args.output.as_deref())?;
    if args.verbose {
        out.write_all(&stability(args, &programs)).map_err(Failure::from)?;
    }
    let mut err = std::io::stderr();
    let how = session::Settings { droptags: settings.droptags, shape: settings.shape };
    let file = crate::mode::file(args.output.as_deref());
    let output = Output { out: &mut *out, err: &mut err, file };
    // From here on a signal ends the session in order.
    let mut waiter = Signals::new(targets)?;
    let mut session = Session::enable(device, output, how, &options, &name, programs)?;
    session.follow(users);
    let matched = session.matched();
    if !is_on(OptionId::Quiet) {
        // The kernel's count is the truth; it cannot tell several programs apart.
        let counts = match counts.len() {
            1 => vec![matched as usize],
            _ => counts,
        };
        for (spec, n) in args.specs.iter().zip(counts) {
            let s = if n == 1 { "" } else { "s" };
            eprintln!("dtrace: {} matched {n} probe{s}", spec.title());
        }
        if is_on(OptionId::Destructive) {
            eprintln!("dtrace: allowing destructive actions");
        }
    }
    if matched == 0 && !args.allow_zero && !settings.zdefs {
        return Err(Error::new("", "no probes matched").into());
    }
    session.go()?;
    waiter.resume()?;
    Ok(session.work(&mut waiter)?)
}
