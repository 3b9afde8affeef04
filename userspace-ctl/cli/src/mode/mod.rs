// SPDX-License-Identifier: GPL-2.0
//! What a run of the command does: trace (or only compile), list.

pub mod anonymous;
pub mod disassemble;
pub mod doctor;
pub mod list;
pub mod run;
pub mod usdt;

use crate::args::Args;
use crate::settings::Settings;
use crate::Stop;
use consumer::print::json::{Line, SCHEMA};
use consumer::Failure;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::os::fd::AsFd;

/// What `-x oformat=json` adds to a run of the command: the head, what went wrong, and the end.
pub fn told(
    args: &Args,
    settings: Settings,
    run: impl FnOnce(&Args, Settings) -> Result<i32, Stop>,
) -> Result<i32, Stop> {
    if !settings.is_json() {
        return run(args, settings);
    }
    let head = Line::Dtrace { schema: SCHEMA, version: env!("CARGO_PKG_VERSION") };
    tell(args, &[head])?;
    let end = run(args, settings);
    let status = *end.as_ref().unwrap_or(&1);
    let error = match &end {
        Err(Stop::Failed(Failure::Error(e))) => Some(e.to_string()),
        _ => None,
    };
    let text = error.as_deref();
    let error = text.map(|text| Line::Error { text, tag: None, line: None, help: None });
    let lines: Vec<Line<'_>> = error.into_iter().chain([Line::Exit { status }]).collect();
    tell(args, &lines)?;
    end
}

/// Writes lines of JSON.
pub fn tell(args: &Args, lines: &[Line<'_>]) -> Result<(), Failure> {
    let mut text = Vec::new();
    lines.iter().for_each(|line| line.write(&mut text));
    let mut out = output(args.output.as_deref())?;
    out.write_all(&text)?;
    Ok(out.flush()?)
}

/// The file that [`output`] writes to.
pub fn file(name: Option<&str>) -> Option<File> {
    match name {
        None => std::io::stdout().as_fd().try_clone_to_owned().ok().map(File::from),
        Some(name) => File::options().write(true).open(name).ok(),
    }
}

/// Standard output, or the file of `-o`.
pub fn output(file: Option<&str>) -> Result<Box<dyn Write>, Failure> {
    match file {
        None => Ok(Box::new(BufWriter::with_capacity(64 << 10, std::io::stdout()))),
        Some(name) => match File::options().append(true).create(true).open(name) {
            Ok(file) => Ok(Box::new(BufWriter::with_capacity(64 << 10, file))),
            Err(e) => {
                let doing = format!("failed to open output file '{name}'");
                Err(consumer::Error::new(doing, consumer::error::reason(&e)).into())
            }
        },
    }
}
