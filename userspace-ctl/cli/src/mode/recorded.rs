// SPDX-License-Identifier: GPL-2.0
//! `--render`, `--merge` and `--diff`: draw, add up or compare recorded streams.

use crate::args::Args;
use crate::form;
use crate::mode;
use crate::settings::Settings;
use crate::Stop;
use consumer::{Error, Failure};
use recording::Recording;
use std::io::{BufRead, BufReader, ErrorKind, Write as _};

/// Reads the operands, combines them and draws the result.
pub fn run(args: &Args, settings: &Settings) -> Result<i32, Stop> {
    if !args.specs.is_empty() || !args.commands.is_empty() || !args.pids.is_empty() {
        let why = "--render, --merge and --diff read recorded streams; they run no program";
        return Err(Stop::Usage(why.into()));
    }
    if settings.hostkey && !args.merge {
        return Err(Stop::Usage("option -x hostkey is for --merge".into()));
    }
    let to = args.output.as_deref();
    if args.diff {
        let [before, after] = args.operands.as_slice() else {
            return Err(Stop::Usage("--diff needs two files: before and after".into()));
        };
        if let Some(form) = settings.form.filter(|f| f.name != "html") {
            return Err(Stop::Usage(format!("--diff draws a page, not -x oformat={}", form.name)));
        }
        let page = picture::diff(&read(before)?, &read(after)?);
        return mode::write_anew(to, page.as_bytes()).map(|()| 0);
    }
    if let (Some(_), false, [file]) = (&settings.exporter, args.merge, args.operands.as_slice()) {
        return pass(args, settings, file);
    }
    let (recording, default) = match (args.merge, args.operands.as_slice()) {
        (false, [file]) => (read(file)?, "html"),
        (false, _) => {
            let why = "--render needs one file, or - for standard input";
            return Err(Stop::Usage(why.into()));
        }
        (true, []) => {
            return Err(Stop::Usage("--merge needs the files of recorded streams".into()))
        }
        (true, files) => {
            let mut sum = recording::Merge::new(settings.hostkey);
            for file in files {
                sum.add(read(file)?);
            }
            (sum.finish(), "json")
        }
    };
    if let Some(form) = settings.form.or_else(|| form::by_name(default)) {
        mode::draw(to, form, &recording)?;
    }
    Ok(0)
}

/// Exports a stream while it arrives, for instance from another machine.
fn pass(args: &Args, settings: &Settings, file: &str) -> Result<i32, Stop> {
    mode::start_export(settings)?;
    let mut to = mode::output(args, settings)?;
    let failed = |e: std::io::Error| match e.kind() {
        ErrorKind::BrokenPipe => Failure::OutputClosed,
        _ => Error::new(format!("failed to export '{file}'"), e.to_string()).into(),
    };
    std::io::copy(&mut open(file)?, &mut to).map_err(failed)?;
    to.flush().map_err(failed)?;
    Ok(0)
}

/// Reads a recorded stream; `-` is standard input.
fn read(file: &str) -> Result<Recording, Stop> {
    let failed =
        |e: recording::Error| Error::new(format!("failed to read '{file}'"), e.to_string());
    Ok(Recording::read(open(file)?).map_err(failed)?)
}

fn open(file: &str) -> Result<Box<dyn BufRead>, Error> {
    let failed = |e: std::io::Error| {
        Error::new(format!("failed to read '{file}'"), consumer::error::reason(&e))
    };
    Ok(match file {
        "-" => Box::new(std::io::stdin().lock()),
        _ => Box::new(BufReader::new(named::open(file, named::Use::Read).map_err(failed)?)),
    })
}
