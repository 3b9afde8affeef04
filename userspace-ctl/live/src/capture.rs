// SPDX-License-Identifier: GPL-2.0
//! Captures standard error while the view has the terminal: output of the commands of `-c` and
//! `system()`, and of dtrace itself. It goes into a pipe, and a thread turns it into lines of the
//! view.

use crate::model::{Kind, LONGEST};
use crate::view::Shared;
use rustix::io::ioctl_fionbio;
use rustix::pipe::{pipe_with, PipeFlags};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read as _, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

/// The most bytes that are still read at the end. It is the size of the largest pipe, so everything
/// that was written before is among them; a command that writes on cannot delay the end.
const WAITING: usize = 1 << 20;

/// The original standard error, while it is captured.
static SAVED: Mutex<Option<OwnedFd>> = Mutex::new(None);

/// A pipe into the view.
#[derive(Debug)]
pub struct Capture {
    into: File,
    /// A flag rather than a text in the pipe, because a command could write that text too.
    must_end: Arc<AtomicBool>,
    reader: Option<JoinHandle<()>>,
}

impl Capture {
    /// Makes the pipe and its reader; standard error stays as it is.
    pub fn new(shared: Shared) -> io::Result<Self> {
        let (from, into) = pipe_with(PipeFlags::CLOEXEC)?;
        let must_end = Arc::new(AtomicBool::new(false));
        let own = must_end.clone();
        let reader = std::thread::Builder::new().name("messages".into()).spawn(move || {
            read(BufReader::new(File::from(from)), &own, |line| {
                shared.change(|model| {
                    model.say(Kind::Message, &String::from_utf8_lossy(line));
                });
            });
        })?;
        Ok(Self { into: into.into(), must_end, reader: Some(reader) })
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
        self.must_end.store(true, Ordering::Release);
        // This wakes the reader. It may have ended by now.
        let _ = self.into.write_all(b"\n");
        if let Some(reader) = self.reader.take() {
            let _ = reader.join();
        }
    }
}

/// Reads lines until the flag is set and nothing waits in the pipe.
fn read(mut from: BufReader<File>, must_end: &AtomicBool, mut say: impl FnMut(&[u8])) {
    let mut line = Vec::new();
    let mut waiting = None;
    loop {
        if waiting.is_none() && must_end.load(Ordering::Acquire) {
            waiting = Some(WAITING);
            if ioctl_fionbio(from.get_ref(), true).is_err() {
                return;
            }
        }
        line.clear();
        let read = (&mut from).take(LONGEST as u64).read_until(b'\n', &mut line);
        if !line.is_empty() {
            say(&line);
        }
        waiting = waiting.map(|n| n.saturating_sub(line.len()));
        if waiting == Some(0) || !read.is_ok_and(|n| n > 0) {
            return;
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the lines of a view after a command has written this.
    fn lines(written: &[u8]) -> Vec<String> {
        let shared = Shared::default();
        let mut capture = Capture::new(shared.clone()).unwrap();
        let mut entry = capture.entry().unwrap();
        // If the reader ended too early, the pipe would break.
        let _ = entry.write_all(written);
        capture.end();
        shared.with(|model| model.all_lines().map(|(_, line)| line.into_owned()).collect())
    }

    #[test]
    fn a_command_cannot_end_the_messages() {
        let found = lines(b"one\n\0\ntwo\nunfinished");
        assert_eq!(found[0], "one");
        assert_eq!(found[2..4], ["two", "unfinished"]);
    }

    #[test]
    fn a_line_without_an_end_is_cut() {
        let found = lines(&vec![b'x'; 3 * LONGEST + 1]);
        assert!(found.iter().all(|line| line.len() <= LONGEST));
        assert_eq!(found.concat().len(), 3 * LONGEST + 1);
    }

    /// A command that runs on keeps the pipe open and full.
    #[test]
    fn a_command_that_writes_on_cannot_delay_the_end() {
        let mut capture = Capture::new(Shared::default()).unwrap();
        let mut entry = capture.entry().unwrap();
        let writer = std::thread::spawn(move || while entry.write_all(b"y\n").is_ok() {});
        capture.end();
        drop(capture);
        writer.join().unwrap();
    }
}
