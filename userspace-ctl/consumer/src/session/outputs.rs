// SPDX-License-Identifier: GPL-2.0
//! Where a session writes, and in which form.

use crate::error::Failure;
use crate::print::form::{Form, Stream};
use crate::print::json::Line;
use crate::print::Out;
use crate::status::{Drops, Losses};
use crate::symbol::Symbols;
use std::fs::File;
use std::io::{ErrorKind, Seek, Write};

/// The destinations of output.
pub struct Output<'a> {
    /// The traced data.
    pub out: &'a mut dyn Write,
    /// Messages.
    pub err: &'a mut dyn Write,
    /// The file behind `out`, if there is one; `ftruncate()` needs it.
    pub file: Option<File>,
}

/// The destinations of a running session.
pub(super) struct Outputs<'a> {
    output: Output<'a>,
    pub(super) form: &'static dyn Form,
    droptags: bool,
    /// The file that `freopen()` sends output to.
    pub(super) redirected: Option<File>,
    /// The losses that messages have reported so far.
    pub(super) losses: Losses,
    /// The session is ending, so that a closed pipe ends nothing more.
    pub(super) is_ending: bool,
    /// The reader of an output has gone.
    pub(super) was_closed: bool,
}

impl<'a> Outputs<'a> {
    pub(super) fn new(output: Output<'a>, form: &'static dyn Form, droptags: bool) -> Self {
        Self {
            output,
            form,
            droptags,
            redirected: None,
            losses: Losses::default(),
            is_ending: false,
            was_closed: false,
        }
    }

    /// Returns the current destination of data.
    fn out(&mut self) -> &mut dyn Write {
        match &mut self.redirected {
            Some(file) => file,
            None => self.output.out,
        }
    }

    /// Writes data.
    pub(super) fn emit(&mut self, text: &[u8]) -> Result<(), Failure> {
        let written = self.out().write_all(text);
        self.settle(written)
    }

    /// Writes what `f` adds to `text`. Long text goes out in pieces, with the last one: a message
    /// that is part of the same stream must not come in between. Short text stays in `text`.
    pub(super) fn write_long(
        &mut self,
        text: &mut Vec<u8>,
        symbols: &Symbols,
        f: impl FnOnce(&mut Out<'_>),
    ) -> Result<(), Failure> {
        let (mut written, mut any) = (Ok(()), false);
        let mut write = |piece: &[u8]| {
            symbols.beat();
            any = true;
            if written.is_ok() {
                written = self.emit(piece);
            }
        };
        f(&mut Out::new(text, &mut write));
        written?;
        if any {
            self.emit(text)?;
            text.clear();
        }
        Ok(())
    }

    pub(super) fn flush(&mut self) -> Result<(), Failure> {
        let written = self.out().flush();
        self.settle(written)
    }

    /// Returns the result of writing. A closed pipe is an error until the session ends: effects of
    /// the remaining records do not need it.
    fn settle(&mut self, written: std::io::Result<()>) -> Result<(), Failure> {
        match written {
            Err(e) if e.kind() == ErrorKind::BrokenPipe => {
                self.was_closed = true;
                match self.is_ending {
                    true => Ok(()),
                    false => Err(Failure::OutputClosed),
                }
            }
            written => Ok(written?),
        }
    }

    /// Returns the plain file that data go to, if it is one.
    fn plain_file(&self) -> Option<&File> {
        let file = self.redirected.as_ref().or(self.output.file.as_ref());
        file.filter(|f| f.metadata().is_ok_and(|m| m.is_file()))
    }

    /// Empties the file that data go to, if it is one.
    pub(super) fn truncate(&self) -> std::io::Result<()> {
        match self.plain_file() {
            Some(mut file) => file.set_len(0).and_then(|()| file.rewind()),
            None => Ok(()),
        }
    }

    /// Reports losses.
    pub(super) fn lost(&mut self, drops: &[Drops]) -> Result<(), Failure> {
        drops.iter().for_each(|d| self.losses.add(d));
        let (form, droptags) = (self.form, self.droptags);
        drops.iter().try_for_each(|d| self.write(|text| form.drops(text, d, droptags)))
    }

    /// Reports something in words.
    pub(super) fn say(&mut self, text: &str) -> Result<(), Failure> {
        self.news(&Line::Note { text })
    }

    /// Reports something that is not traced data.
    pub(super) fn news(&mut self, line: &Line<'_>) -> Result<(), Failure> {
        let form = self.form;
        self.write(|text| form.news(text, line))
    }

    fn write(&mut self, f: impl FnOnce(&mut Vec<u8>) -> Stream) -> Result<(), Failure> {
        let mut text = Vec::new();
        match f(&mut text) {
            Stream::Data => self.emit(&text),
            Stream::Messages => match self.output.err.write_all(&text) {
                // Nobody can be told; the data have their own destination. If that is a file, not
                // even a closed pipe matters: `dtrace -o data 2>&1 | head -1`.
                Err(e) if e.kind() != ErrorKind::BrokenPipe || self.plain_file().is_some() => {
                    Ok(())
                }
                written => self.settle(written),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::print::form::Json;

    #[test]
    fn a_message_interrupts_no_line() {
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let output = Output { out: &mut out, err: &mut err, file: None };
        let mut outputs = Outputs::new(output, &Json, false);
        let symbols = Symbols::default();
        let mut text = Vec::new();
        for length in [10, 100_000] {
            let line = "x".repeat(length) + "\n";
            let long = |out: &mut Out<'_>| {
                out.write_all(line.as_bytes()).unwrap();
                out.extend_from_slice(b"the end\n");
            };
            outputs.write_long(&mut text, &symbols, long).unwrap();
            outputs.say("lost").unwrap();
        }
        outputs.emit(&text).unwrap();
        let out = String::from_utf8(out).unwrap();
        let lines: Vec<&str> = out.lines().map(|line| &line[..line.len().min(7)]).collect();
        assert_eq!(lines, ["{\"type\"", "xxxxxxx", "the end", "xxxxxxx", "the end", "{\"type\""]);
    }
}
