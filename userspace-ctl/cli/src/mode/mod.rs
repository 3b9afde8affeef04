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
    // Each collector got the last state with the last line.
    screen::tell_export(&sink);
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
    let mut pieces = (form.draw)(recording).map_err(|why| Error::new("", why))?;
    let mut out = open(file, true)?;
    pieces.try_for_each(|piece| out.write_all(&piece)).map_err(Failure::from)?;
    Ok(out.flush().map_err(Failure::from)?)
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

/// Returns the writer for output: the view, the recorder of a picture, the exporter, standard
/// output, or the file of `-o`.
pub fn output(args: &Args, settings: &Settings) -> Result<Box<dyn Write>, Failure> {
    match (&settings.view, &settings.recorder) {
        // Nothing to open, perhaps a FIFO, before the picture is drawn.
        (None, Some(recorder)) => Ok(Box::new(recorder.clone())),
        _ => Ok(output_and_file(args, settings)?.0),
    }
}

/// Returns the writer for output, and the file behind it for `ftruncate()`. Its name is looked up
/// once: in a folder of another user, it may become a link.
pub fn output_and_file(args: &Args, settings: &Settings) -> Result<Opened, Failure> {
    let (to, file) = opened(args.output.as_deref(), false)?;
    let out: Box<dyn Write> = match (&settings.view, &settings.recorder, &settings.exporter) {
        (Some(view), _, exporter) => {
            let shown = screen::Sink::new(view.clone(), args.output.is_some().then_some(to));
            match exporter {
                Some(exporter) => Box::new(Sink::new(exporter.clone(), shown, true)),
                None => Box::new(shown),
            }
        }
        (None, Some(recorder), _) => Box::new(recorder.clone()),
        (None, None, Some(exporter)) => {
            let is_stream = settings.form.is_some_and(|f| f.name == "json");
            Box::new(Sink::new(exporter.clone(), to, is_stream))
        }
        (None, None, None) => to,
    };
    Ok((out, file))
}

/// Starts to serve the exported metrics. Call it after signals are blocked, because the server's
/// threads inherit that.
pub fn start_export(settings: &Settings) -> Result<(), Error> {
    let started = settings.exporter.as_ref().map_or(Ok(()), Exporter::start);
    started.map_err(|why| Error::new("", why))
}

/// A writer, and the file behind it.
type Opened = (Box<dyn Write>, Option<File>);

/// Opens standard output, or a file, which is replaced or appended to.
pub fn open(file: Option<&str>, is_anew: bool) -> Result<Box<dyn Write>, Failure> {
    Ok(opened(file, is_anew)?.0)
}

fn opened(file: Option<&str>, is_anew: bool) -> Result<Opened, Failure> {
    let how = if is_anew { named::Use::Replace } else { named::Use::Append };
    let Some(name) = file else {
        let file = std::io::stdout().as_fd().try_clone_to_owned().ok().map(File::from);
        return Ok((Box::new(BufWriter::with_capacity(64 << 10, std::io::stdout())), file));
    };
    let failed = |e: std::io::Error| {
        let doing = format!("failed to open output file '{name}'");
        Error::new(doing, consumer::error::reason(&e))
    };
    let file = named::open(name, how).map_err(failed)?;
    let same = file.try_clone().map_err(failed)?;
    Ok((Box::new(BufWriter::with_capacity(64 << 10, file)), Some(same)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Another user may put a link in place of the file while we trace.
    #[test]
    fn the_file_that_is_emptied_is_the_one_that_is_written() {
        let folder = std::env::temp_dir().join(format!("dtrace-output-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let at = |name: &str| folder.join(name);
        let text = |name: &str| std::fs::read_to_string(at(name)).unwrap();
        let args = Args { output: at("out").to_str().map(String::from), ..Args::default() };
        let Ok((mut out, file)) = output_and_file(&args, &Settings::default()) else {
            panic!("the file cannot be opened")
        };
        out.write_all(b"before").unwrap();
        out.flush().unwrap();
        std::fs::rename(at("out"), at("ours")).unwrap();
        std::fs::write(at("victim"), "kept").unwrap();
        std::os::unix::fs::symlink("victim", at("out")).unwrap();
        file.unwrap().set_len(0).unwrap();
        out.write_all(b"after").unwrap();
        out.flush().unwrap();
        assert_eq!((text("victim"), text("ours")), ("kept".into(), "after".into()));
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
