// SPDX-License-Identifier: GPL-2.0
//! Captures standard error while the view has the terminal: output of the commands of `-c` and
//! `system()`, and of dtrace itself. It goes into a pipe, and a thread turns it into lines of the
//! view.

use crate::model::Kind;
use crate::view::Shared;
use rustix::pipe::{pipe_with, PipeFlags};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::sync::Mutex;
use std::thread::JoinHandle;

/// The text that ends the reading thread, after everything that was written before.
const END: &[u8] = b"\0\n";

/// The original standard error, while it is captured.
static SAVED: Mutex<Option<OwnedFd>> = Mutex::new(None);

/// A pipe into the view.
#[derive(Debug)]
pub struct Capture {
    into: File,
    reader: Option<JoinHandle<()>>,
}

impl Capture {
    /// Makes the pipe and its reader; standard error stays as it is.
    pub fn new(shared: Shared) -> io::Result<Self> {
        let (from, into) = pipe_with(PipeFlags::CLOEXEC)?;
        let reader = std::thread::Builder::new().name("messages".into()).spawn(move || {
            let mut from = BufReader::new(File::from(from));
            let mut line = Vec::new();
            while from.read_until(b'\n', &mut line).is_ok_and(|n| n > 0) && line != END {
                shared.change(|model| {
                    model.say(Kind::Message, &String::from_utf8_lossy(&line));
                });
                line.clear();
            }
        })?;
        Ok(Self { into: into.into(), reader: Some(reader) })
    }

    /// Returns a file that leads into the view, for a command's output.
    pub fn entry(&self) -> io::Result<File> {
        self.into.try_clone()
    }

    /// Captures standard error.
    pub fn take(&self) -> io::Result<()> {
        let before = io::stderr().as_fd().try_clone_to_owned()?;
        rustix::stdio::dup2_stderr(&self.into)?;
        if let Ok(mut saved) = SAVED.lock() {
            *saved = Some(before);
        }
        Ok(())
    }

    /// Restores standard error after all earlier output is in the view.
    pub fn end(&mut self) {
        give_back();
        // A command may have left an unfinished line.
        let _ = self.into.write_all(b"\n");
        let ended = self.into.write_all(END);
        if let (Some(reader), Ok(())) = (self.reader.take(), ended) {
            let _ = reader.join();
        }
    }
}

/// Restores standard error, if it was captured.
pub fn give_back() {
    if let Ok(mut saved) = SAVED.lock() {
        if let Some(before) = saved.take() {
            let _ = rustix::stdio::dup2_stderr(before);
        }
    }
}
