// SPDX-License-Identifier: GPL-2.0
//! `-x view=live`: passes the stream of a session to the view, makes the files that the view
//! writes, and prints the last lines on the terminal when the view has ended.

use crate::form;
use crate::paint;
use crate::settings::Settings;
use consumer::print::bars::Encoding;
use consumer::Error;
use export::live::Exporter;
use live::look::Look;
use live::model::Kind;
use live::ui::Form;
use live::View;
use recording::{Action, Aggregation, Datum, Line, Pieces, Recording};
use std::io::{self, ErrorKind, IsTerminal as _, Write};

/// The number of lines that stay on the terminal.
const LEFT: usize = 100;

/// Makes the view, if it is wanted and there is a terminal for it.
pub fn open(settings: &Settings) -> Result<Option<View>, Error> {
    if !settings.wants_view || !paint::can_redraw() || !io::stdout().is_terminal() {
        return Ok(None);
    }
    let encoding = settings.encoding.unwrap_or_else(Encoding::of_locale);
    let look = Look { depth: settings.colours.depth(), has_blocks: encoding == Encoding::Utf8 };
    View::new(look, draw).map(Some).map_err(failed)
}

/// Gives the terminal to the view.
pub fn start(settings: &Settings) -> Result<(), Error> {
    settings.view.as_ref().map_or(Ok(()), View::start).map_err(failed)
}

fn failed(e: io::Error) -> Error {
    Error::new("failed to start the view", consumer::error::reason(&e))
}

/// Ends the view and prints the last lines that it has shown.
pub fn end(settings: &Settings) {
    let Some(view) = &settings.view else { return };
    let (lines, mut lost) = view.end();
    let skipped = lines.len().saturating_sub(LEFT);
    lost += lines.iter().take(skipped).filter(|l| l.0 == Kind::Text).count() as u64;
    if lost > 0 && !settings.has_file {
        let why = "earlier lines are not repeated here; -o FILE keeps all of them";
        let _ = writeln!(io::stderr(), "dtrace: {lost} {why}");
    }
    for (kind, line) in lines.iter().skip(skipped) {
        // A closed terminal is no reason to fail.
        let _ = match kind {
            Kind::Text if settings.has_file => Ok(()),
            Kind::Text => writeln!(io::stdout(), "{line}"),
            Kind::Message => writeln!(io::stderr(), "{line}"),
        };
    }
}

/// Prints what the exporter had to say while the view had the terminal.
pub fn tell_export(settings: &Settings) {
    let messages = settings.exporter.as_ref().map(Exporter::messages);
    for text in messages.into_iter().flatten() {
        let _ = writeln!(io::stderr(), "dtrace: {text}");
    }
}

/// Makes a file from the data that the view has kept.
fn draw(recording: &Recording, form: Form, shown: Option<&Aggregation>) -> Result<Vec<u8>, String> {
    let is_stack = |d: &Datum| matches!(d, Datum::Stack(_) | Datum::Ustack(_));
    let has_stacks = |a: &Aggregation| a.entries.iter().any(|e| e.keys.iter().any(is_stack));
    let name = match (form, shown) {
        (Form::Json, _) => "json",
        (Form::Html, _) => "html",
        (Form::Svg, Some(a)) if has_stacks(a) => "flame",
        (Form::Svg, Some(a)) if a.is_distribution() => "heatmap",
        (Form::Svg, _) => {
            return Err("An SVG shows distributions or stacks; this aggregation has none.".into())
        }
    };
    let draw = form::by_name(name).map(|f| f.draw);
    let draw = draw.ok_or_else(|| format!("{name} cannot be drawn."))?;
    Ok(draw(recording)?.flatten().collect())
}

/// A writer that passes the stream of a session to the view, and the program's text to a file if
/// there is one.
#[derive(Debug)]
pub struct Sink<W> {
    view: View,
    pieces: Pieces,
    file: Option<W>,
}

impl<W: Write> Sink<W> {
    /// Makes a sink.
    pub fn new(view: View, file: Option<W>) -> Self {
        Self { view, pieces: Pieces::default(), file }
    }
}

impl<W: Write> Write for Sink<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let whole = self.pieces.add(bytes);
        for text in whole.split(|b| *b == b'\n').filter(|l| !l.is_empty()) {
            let line: Line = recording::read_line(text)
                .map_err(|e| io::Error::new(ErrorKind::InvalidData, e))?;
            if let (Some(file), Line::Record(record)) = (&mut self.file, &line) {
                for text in record.actions.iter().filter_map(Action::said) {
                    file.write_all(text.as_bytes())?;
                }
            }
            self.view.take(line);
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.as_mut().map_or(Ok(()), Write::flush)
    }
}
