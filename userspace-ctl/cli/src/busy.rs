// SPDX-License-Identifier: GPL-2.0
//! Progress: a line on the terminal while something takes long. It appears after half a second and goes away when the
//! work is done; nothing is written to a pipe or a file.

use crate::paint;
use std::io::{self, IsTerminal as _, Write as _};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Work that takes no longer needs no line.
const PATIENCE: Duration = Duration::from_millis(500);
/// The line tells the time once a second.
const STEP: Duration = Duration::from_secs(1);

/// The line that is on the terminal, or will be.
static CURRENT: Mutex<Option<Running>> = Mutex::new(None);

struct Running {
    end: Sender<()>,
    thread: JoinHandle<()>,
}

/// Work under way; it is done when this goes away.
#[must_use]
pub struct Busy(());

/// Says what is being done, if that takes long.
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

/// Takes the line away. Call it before something else is written to the terminal.
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

/// Standard error, without a line of progress in the way.
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
