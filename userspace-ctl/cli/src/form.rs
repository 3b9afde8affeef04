// SPDX-License-Identifier: GPL-2.0
//! `-x oformat`: the forms of the output. A session writes some of them itself; the others are
//! drawn from its stream of JSON after it has ended, or from a recorded stream.

use crate::text::{self, Drawn};
use consumer::print::Shape;
use recording::{Pieces, Recording};
use std::cell::RefCell;
use std::io::{Error, ErrorKind, Write};
use std::rc::Rc;

/// Draws a recording; the error is a sentence.
type Draw = fn(&Recording) -> Result<Drawn<'_>, String>;

/// A form of the output.
#[derive(Debug)]
pub struct Form {
    /// The option's value.
    pub name: &'static str,
    /// The output of the session itself; `None` if it writes JSON, from which the form is drawn.
    pub shape: Option<Shape>,
    /// Makes the form from a recording.
    pub draw: Draw,
}

/// All forms.
pub const FORMS: &[Form] = &[
    Form { name: "text", shape: Some(Shape::Text), draw: text::draw },
    Form { name: "json", shape: Some(Shape::Json), draw: |r| whole(json(r)) },
    Form { name: "collapsed", shape: None, draw: |r| whole(Ok(picture::collapsed(r))) },
    Form { name: "flame", shape: None, draw: |r| whole(picture::flame(r)) },
    Form { name: "html", shape: None, draw: |r| whole(Ok(picture::page(r).into_bytes())) },
    Form { name: "heatmap", shape: None, draw: |r| whole(picture::heat_map(r)) },
    Form { name: "histogram", shape: None, draw: |r| whole(picture::histogram(r)) },
    Form { name: "perfetto", shape: None, draw: |r| whole(export::perfetto::draw(r)) },
    Form { name: "pprof", shape: None, draw: |r| whole(export::pprof::draw(r)) },
];

impl Form {
    /// Tells whether the form shows the threads of records.
    pub fn shows_threads(&self) -> bool {
        self.name == "perfetto"
    }

    /// Tells whether the form shows how aggregations change over time.
    pub fn shows_time(&self) -> bool {
        matches!(self.name, "html" | "heatmap" | "perfetto")
    }

    /// Tells whether a run with this form is recorded and drawn at its end.
    pub fn is_drawn(&self) -> bool {
        self.shape.is_none()
    }
}

/// Returns the form with this name.
pub fn by_name(name: &str) -> Option<&'static Form> {
    FORMS.iter().find(|f| f.name == name)
}

/// Returns all names, for messages.
pub fn names() -> String {
    let mut names: Vec<&str> = FORMS.iter().map(|f| f.name).collect();
    let last = names.pop().unwrap_or_default();
    format!("{} or {last}", names.join(", "))
}

/// Makes one piece of what is drawn at once.
fn whole<'a>(drawn: Result<Vec<u8>, String>) -> Result<Drawn<'a>, String> {
    Ok(Box::new(std::iter::once(drawn?)))
}

fn json(recording: &Recording) -> Result<Vec<u8>, String> {
    let mut out = Vec::new();
    recording.write(&mut out).map_err(|e| e.to_string())?;
    Ok(out)
}

/// A writer that records the stream of a running session. Clones share the recording.
#[derive(Debug, Clone, Default)]
pub struct Recorder(Rc<RefCell<(Recording, Pieces)>>);

impl Recorder {
    /// Takes the recording.
    pub fn take(&self) -> Recording {
        std::mem::take(&mut self.0.borrow_mut().0)
    }
}

impl Write for Recorder {
    fn write(&mut self, bytes: &[u8]) -> Result<usize, Error> {
        let (recording, pieces) = &mut *self.0.borrow_mut();
        recording
            .extend(&pieces.add(bytes)[..])
            .map_err(|e| Error::new(ErrorKind::InvalidData, e))?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> Result<(), Error> {
        Ok(())
    }
}
