// SPDX-License-Identifier: GPL-2.0
//! Progress: a line on the terminal during long work. It appears after half a second and disappears
//! when the work is done. Nothing is written to a pipe or a file.

use crate::paint;
use std::fmt::Display;
use std::io::{self, IsTerminal as _, Write as _};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Work that is done within this time shows no line.
const PATIENCE: Duration = Duration::from_millis(500);
/// The line updates its time at this interval.
const STEP: Duration = Duration::from_secs(1);

/// The line that is on the terminal, or will be.
static CURRENT: Mutex<Option<Running>> = Mutex::new(None);

struct Running {
    end: Sender<()>,
    thread: JoinHandle<()>,
}

/// Unfinished work; dropping this ends it.
#[must_use]
pub struct Busy(());

/// Shows what is being done, if it takes long.
pub fn busy(what: impl Into<String>) -> Busy {
    done();
    if !paint::can_redraw() || !io::stderr().is_terminal() {
        return Busy(());
    }
    let what = what.into();
    let (end, ended) = mpsc::channel();
    let begin = Instant::now();
    let thread = std::thread::Builder::new().name("progress".into()).spawn(move || {
        if ended.recv_timeout(PATIENCE) != Err(RecvTimeoutError::Timeout) {
            return;
        }
        let mut err = io::stderr();
        loop {
            let seconds = begin.elapsed().as_secs();
            let time = if seconds > 0 { format!(" {seconds} s") } else { String::new() };
            let _ = write!(err, "\r\x1b[Kdtrace: {what} ...{time}");
            if ended.recv_timeout(STEP) != Err(RecvTimeoutError::Timeout) {
                break;
            }
        }
        let _ = write!(err, "\r\x1b[K");
    });
    // Without a thread there is no line, which is no reason to fail.
    if let Ok(thread) = thread {
        *CURRENT.lock().unwrap_or_else(PoisonError::into_inner) = Some(Running { end, thread });
    }
    Busy(())
}

/// Removes the line. Call it before writing anything else to the terminal.
pub fn done() {
    let running = CURRENT.lock().unwrap_or_else(PoisonError::into_inner).take();
    if let Some(Running { end, thread }) = running {
        drop(end);
        let _ = thread.join();
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        done();
    }
}

/// Writes a line to standard error, see [`say`].
pub fn message(line: impl Display) {
    say(format!("{line}\n").as_bytes());
}

/// Writes text to standard error in place of a progress line. A closed pipe or a full disk there is
/// no reason to fail: the exit status tells the same as the text.
pub fn say(text: &[u8]) {
    done();
    let _ = io::stderr().write_all(text);
}

/// Standard error, which removes a progress line first.
pub struct Messages;

impl io::Write for Messages {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        done();
        io::stderr().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().flush()
    }
}
