// SPDX-License-Identifier: GPL-2.0
//! `-A` saves a program that the module traces from its start; `-a` takes over that tracing.

use crate::args::{self, Args, Spec};
use crate::busy::message;
use crate::mode::run;
use crate::settings::{self, Settings};
use crate::{compile, Stop};
use consumer::anonymous::{self, Origin, FILE};
use consumer::device::Device;
use consumer::{enable, Error};

/// Does `-A`: saves the program, or without a program removes the saved one.
pub fn leave(args: &Args, settings: Settings) -> Result<i32, Stop> {
    if args.specs.is_empty() {
        match anonymous::remove()? {
            true => message(format_args!("dtrace: cleaned up old anonymous enabling in {FILE}")),
            false => message(format_args!("dtrace: no anonymous enabling in {FILE}")),
        }
        return Ok(0);
    }
    let mut device = Device::open()?;
    let mut args = args.clone();
    for spec in &args.specs {
        if let Spec::Script(file) = spec {
            let source = compile::source(spec, &args, &settings.cpp)?;
            args.scripts.push((file.clone(), source.text));
        }
    }
    let (programs, _) = compile::for_kernel(&args, &settings, &[], &mut device)?;
    let options = settings.over(&programs);
    consumer::session::check(&options, &programs, "failed to save the anonymous enabling")?;
    let origin = Origin {
        words: std::env::args_os().map(|w| w.to_string_lossy().into_owned()).collect(),
        scripts: args.scripts,
    };
    anonymous::store(&anonymous::pack(enable::dof(&programs, &options), &origin))?;
    message(format_args!("dtrace: saved anonymous enabling in {FILE}"));
    message(
        "dtrace: reload the module (modprobe -r dtrace; modprobe dtrace) or reboot to enable it",
    );
    Ok(0)
}

/// Does `-a` with the saved program; options given now are added to the program's own.
pub fn claim(args: &Args, now: Settings) -> Result<i32, Stop> {
    let mut device = Device::open()?;
    let file = device.claim().map_err(|r| {
        let hint = "`dtrace -A` leaves a program that is traced from when the module is inserted";
        r.doing("could not enable tracing").hint(hint)
    })?;
    let (dof, origin) = anonymous::unpack(&file)?;
    let words = origin.words.iter().map(Into::into);
    let left = args::parse(words).map_err(|e| Error::new("", e.to_string()))?;
    let all: Vec<_> = left.settings.iter().chain(&args.settings).cloned().collect();
    let settings = settings::read(&all)?.printed_by(now);
    let args = Args {
        output: args.output.clone(),
        compile_only: args.compile_only,
        scripts: origin.scripts,
        ..left
    };
    let (programs, _) = compile::for_kernel(&args, &settings, &[], &mut device)?;
    let then = settings::read(&args.settings)?.over(&programs);
    if enable::dof(&programs, &then) != dof {
        message("dtrace: note: compiled now, the program is not the same: the kernel's types have changed");
    }
    run::consume(&args, &settings.with(&programs), &mut device, &settings.over(&programs), programs)
}
