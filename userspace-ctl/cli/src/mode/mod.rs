// SPDX-License-Identifier: GPL-2.0
//! The modes of the command: trace (or only compile), list, and others.

pub mod anonymous;
pub mod disassemble;
pub mod doctor;
pub mod list;
pub mod recorded;
pub mod run;
pub mod tool;
pub mod usdt;

use crate::args::Args;
use crate::form::Form;
use crate::screen;
use crate::settings::Settings;
use crate::Stop;
use ::doctor::Machine;
use consumer::print::json::{Line, SCHEMA};
use consumer::{sys, Error, Failure};
use export::live::{Exporter, Sink};
use recording::Recording;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::os::fd::AsFd;
use std::time::{SystemTime, UNIX_EPOCH};

/// Adds to a run the head, the error and the end of a stream of JSON. If a picture is wanted, this
/// draws it after the stream has ended.
pub fn told(
    args: &Args,
    settings: Settings,
    run: impl FnOnce(&Args, Settings) -> Result<i32, Stop>,
) -> Result<i32, Stop> {
    if !settings.is_json() {
        return run(args, settings);
    }
    if settings.recorder.is_some() {
        // Before hours of tracing, check that the file can be written.
        open(args.output.as_deref(), false)?;
    }
    let sink = settings.clone();
    let version = env!("CARGO_PKG_VERSION");
    let here = Machine::here(version);
    let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let machine = Line::Machine {
        host: &here.host(),
        kernel: &here.release(),
        architecture: &here.architecture,
        cpus: here.cpus(),
        walltimestamp: u64::try_from(since_epoch.as_nanos()).unwrap_or(u64::MAX),
        timestamp: sys::timestamp(),
    };
    tell(args, &sink, &[Line::Dtrace { schema: SCHEMA, version }, machine])?;
    let end = run(args, settings);
    // However the run ended, messages from here on belong on the terminal.
    screen::end(&sink);
    let status = *end.as_ref().unwrap_or(&1);
    let error = match &end {
        Err(Stop::Failed(Failure::Error(e))) => Some(e.to_string()),
        _ => None,
    };
    let text = error.as_deref();
    let error = text.map(|text| Line::Error { text, tag: None, line: None, help: None });
    let exit = Line::Exit { status, timestamp: sys::timestamp() };
    let lines: Vec<Line<'_>> = error.into_iter().chain([exit]).collect();
    let told = tell(args, &sink, &lines);
    if end.is_ok() {
        told?;
    }
    if let (Some(recorder), Some(form)) = (&sink.recorder, sink.form) {
        let recording = recorder.take();
        // If no program was enabled, there is nothing to draw.
        if !recording.programs.is_empty() {
            draw(args.output.as_deref(), form, &recording)?;
        }
    }
    end
}

/// Draws a recording, into the file of `-o` or to standard output.
pub fn draw(file: Option<&str>, form: &Form, recording: &Recording) -> Result<(), Stop> {
    let picture = (form.draw)(recording).map_err(|why| Error::new("", why))?;
    write_anew(file, &picture)
}

/// Replaces the file of `-o`, or writes to standard output.
pub fn write_anew(file: Option<&str>, content: &[u8]) -> Result<(), Stop> {
    let mut out = open(file, true)?;
    out.write_all(content).map_err(Failure::from)?;
    Ok(out.flush().map_err(Failure::from)?)
}

/// Writes lines of JSON.
pub fn tell(args: &Args, settings: &Settings, lines: &[Line<'_>]) -> Result<(), Failure> {
    let mut text = Vec::new();
    lines.iter().for_each(|line| line.write(&mut text));
    let mut out = output(args, settings)?;
    out.write_all(&text)?;
    Ok(out.flush()?)
}

/// Opens the file that [`output`] writes to.
pub fn file(name: Option<&str>) -> Option<File> {
    match name {
        None => std::io::stdout().as_fd().try_clone_to_owned().ok().map(File::from),
        Some(name) => File::options().write(true).open(name).ok(),
    }
}

/// Returns the writer for output: the view, the recorder of a picture, the exporter, standard
/// output, or the file of `-o`.
pub fn output(args: &Args, settings: &Settings) -> Result<Box<dyn Write>, Failure> {
    if let Some(view) = &settings.view {
        let name = args.output.as_deref();
        let file = name.map(|name| open(Some(name), false)).transpose()?;
        let shown = screen::Sink::new(view.clone(), file);
        return Ok(match &settings.exporter {
            Some(exporter) => Box::new(Sink::new(exporter.clone(), shown, true)),
            None => Box::new(shown),
        });
    }
    match &settings.recorder {
        Some(recorder) => Ok(Box::new(recorder.clone())),
        None => {
            let to = open(args.output.as_deref(), false)?;
            let is_stream = settings.form.is_some_and(|f| f.name == "json");
            Ok(match &settings.exporter {
                Some(exporter) => Box::new(Sink::new(exporter.clone(), to, is_stream)),
                None => to,
            })
        }
    }
}

/// Starts to serve the exported metrics. Call it after signals are blocked, because the server's
/// threads inherit that.
pub fn start_export(settings: &Settings) -> Result<(), Error> {
    let started = settings.exporter.as_ref().map_or(Ok(()), Exporter::start);
    started.map_err(|why| Error::new("", why))
}

/// Opens standard output, or a file, which is replaced or appended to.
pub fn open(file: Option<&str>, is_anew: bool) -> Result<Box<dyn Write>, Failure> {
    let mut how = File::options();
    match is_anew {
        true => how.write(true).truncate(true),
        false => how.append(true),
    };
    match file {
        None => Ok(Box::new(BufWriter::with_capacity(64 << 10, std::io::stdout()))),
        Some(name) => match how.create(true).open(name) {
            Ok(file) => Ok(Box::new(BufWriter::with_capacity(64 << 10, file))),
            Err(e) => {
                let doing = format!("failed to open output file '{name}'");
                Err(Error::new(doing, consumer::error::reason(&e)).into())
            }
        },
    }
}
