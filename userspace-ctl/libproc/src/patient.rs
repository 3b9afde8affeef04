// SPDX-License-Identifier: GPL-2.0
//! Reads data whose arrival a process can delay: the list of its mappings, its memory, its mapped
//! files. The kernel answers when it gets the lock of that process's memory, and a process can hold
//! the lock as long as it likes: a thread that unmaps a file of a FUSE daemon holds it, and the
//! daemon may never answer.
//!
//! So another thread asks, and is abandoned if it does not come back in time. It ends when the
//! answer comes, or with this program: the kernel lets such a thread be killed. Until the process
//! answers, it is asked nothing more. On a busy machine the thread itself may have to wait for a
//! processor; as long as it is running or wants to run, we wait longer.

use crate::account::Account;
use std::collections::HashMap;
use std::fs::File;
use std::io::{self, ErrorKind};
use std::os::unix::fs::FileExt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// How long we wait for a process; how long when many of its user are silent; how many are many.
const PATIENCE: Duration = Duration::from_secs(2);
const LITTLE: Duration = Duration::from_millis(50);
const MANY: usize = 4;
/// How many times as long we wait for a thread that is not waiting. The kernel takes a consumer for
/// dead after half a minute.
const ROUNDS: usize = 5;
/// The bytes of a process's memory that one question reads.
const PIECE: usize = 1 << 20;

type Job = Box<dyn FnOnce() + Send>;

/// The thread that asks.
struct Asker {
    jobs: Sender<Job>,
    /// Its `stat` in `/proc`.
    stat: File,
}

impl Asker {
    fn new() -> io::Result<Self> {
        let (jobs, mine) = mpsc::channel::<Job>();
        let (tell, told) = mpsc::channel();
        std::thread::Builder::new().name("ask".into()).spawn(move || {
            // The receiver waits.
            let _ = tell.send(File::open("/proc/thread-self/stat"));
            mine.iter().for_each(|job| job());
        })?;
        let stat = told.recv().map_err(|_| ended())??;
        Ok(Self { jobs, stat })
    }

    /// Tells whether the thread is running or waits for nothing but a processor.
    fn runs(&self) -> bool {
        let mut text = [0; 256];
        let n = self.stat.read_at(&mut text, 0).unwrap_or(0);
        let after = text[..n].iter().rposition(|b| *b == b')').unwrap_or(n);
        text[after..n].starts_with(b") R")
    }
}

fn ended() -> io::Error {
    io::Error::other("the thread that asks has ended")
}

/// A process that has not answered in time.
struct Silent {
    of: Account,
    has_answered: Arc<AtomicBool>,
}

#[derive(Default)]
struct Asking {
    /// The thread that asks, between two questions.
    thread: Option<Asker>,
    /// The processes that have not answered in time.
    silent: HashMap<u32, Silent>,
    /// Those that were not told to the caller of [`silent`] yet.
    untold: Vec<u32>,
}

static ASKING: Mutex<Option<Asking>> = Mutex::new(None);

/// Returns the processes that have not answered in time since the last call. Whatever was asked is
/// unknown.
pub fn silent() -> Vec<u32> {
    let mut asking = ASKING.lock().unwrap_or_else(PoisonError::into_inner);
    asking.as_mut().map(|asking| std::mem::take(&mut asking.untold)).unwrap_or_default()
}

/// Returns the answer to a question about a process; `TimedOut`: there was none in time.
pub(crate) fn ask<T: Send + 'static>(
    pid: u32,
    question: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> io::Result<T> {
    let mut asking = ASKING.lock().unwrap_or_else(PoisonError::into_inner);
    let Asking { thread: kept, silent, untold } = asking.get_or_insert_default();
    silent.retain(|_, silent| !silent.has_answered.load(Ordering::Acquire));
    let late = || io::Error::new(ErrorKind::TimedOut, "it keeps its memory locked");
    if silent.contains_key(&pid) {
        return Err(late());
    }
    let (answer, answered) = mpsc::channel();
    let has_answered = Arc::new(AtomicBool::new(false));
    let done = has_answered.clone();
    let job: Job = Box::new(move || {
        // The receiver may have stopped waiting.
        let _ = answer.send(question());
        done.store(true, Ordering::Release);
    });
    let asker = kept.take().map_or_else(Asker::new, Ok)?;
    asker.jobs.send(job).map_err(|_| ended())?;
    let are_many = silent.len() >= MANY && {
        let of = Account::of(pid);
        silent.values().filter(|silent| silent.of == of).count() >= MANY
    };
    let patience = if are_many { LITTLE } else { PATIENCE };
    for _ in 0..ROUNDS {
        match answered.recv_timeout(patience) {
            Ok(answer) => {
                *kept = Some(asker);
                return answer;
            }
            Err(RecvTimeoutError::Timeout) if asker.runs() => {}
            Err(RecvTimeoutError::Timeout) => break,
            Err(RecvTimeoutError::Disconnected) => return Err(ended()),
        }
    }
    silent.insert(pid, Silent { of: Account::of(pid), has_answered });
    untold.push(pid);
    Err(late())
}

/// Returns the folder of a process in `/proc`. If its first thread has ended while others run,
/// returns the folder of one of those.
pub(crate) fn folder(pid: u32) -> String {
    let first = format!("/proc/{pid}");
    let has_ended = |folder: &str| {
        // The name in front may contain anything.
        let stat = std::fs::read(format!("{folder}/stat")).unwrap_or_default();
        String::from_utf8_lossy(&stat).rsplit_once(')').map(|(_, rest)| rest.starts_with(" Z"))
    };
    if has_ended(&first) != Some(true) {
        return first;
    }
    let tasks = std::fs::read_dir(format!("{first}/task")).into_iter().flatten().flatten();
    let mut folders = tasks.filter_map(|task| task.path().to_str().map(String::from));
    folders.find(|folder| has_ended(folder) == Some(false)).unwrap_or(first)
}

/// The memory of a process.
#[derive(Debug)]
pub struct Memory {
    pid: u32,
    file: Arc<File>,
}

impl Memory {
    /// Opens the memory of a process that has not ended.
    pub fn open(pid: u32) -> io::Result<Self> {
        Ok(Self { pid, file: Arc::new(File::open(format!("{}/mem", folder(pid)))?) })
    }

    /// Fills the whole of `into`.
    pub fn read(&self, into: &mut [u8], at: u64) -> io::Result<()> {
        let mut at = at;
        for piece in into.chunks_mut(PIECE) {
            let (file, size) = (self.file.clone(), piece.len());
            let bytes = ask(self.pid, move || {
                let mut bytes = vec![0; size];
                file.read_exact_at(&mut bytes, at)?;
                Ok(bytes)
            })?;
            piece.copy_from_slice(&bytes);
            at = at.wrapping_add(size as u64);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Instant;

    #[test]
    fn who_does_not_answer_is_left_waiting() {
        let (go, wait) = mpsc::channel::<()>();
        let silent = ask(u32::MAX, move || Ok(wait.recv().is_ok()));
        assert_eq!(silent.unwrap_err().kind(), ErrorKind::TimedOut);
        assert_eq!(super::silent(), [u32::MAX]);
        // The process is not asked again, and does not delay others.
        let again = ask(u32::MAX, || -> io::Result<()> { panic!("asked") });
        assert_eq!(again.unwrap_err().kind(), ErrorKind::TimedOut);
        assert_eq!(ask(u32::MAX - 1, || Ok(7)).unwrap(), 7);
        go.send(()).unwrap();
        while ask(u32::MAX, || Ok(8)).is_err() {
            std::thread::yield_now();
        }
    }

    /// A thread that computes is not one that waits.
    #[test]
    fn a_busy_thread_is_given_time() {
        let until = Instant::now() + PATIENCE + PATIENCE / 4;
        let busy = ask(u32::MAX - 2, move || {
            while Instant::now() < until {
                std::hint::spin_loop();
            }
            Ok(9)
        });
        assert_eq!(busy.unwrap(), 9);
    }

    /// One user's silent processes take no time from those of others.
    #[test]
    fn others_are_waited_for() {
        for n in 0..MANY as u32 {
            let silent = Silent { of: Account::user(4242), has_answered: Arc::default() };
            let mut asking = ASKING.lock().unwrap();
            asking.get_or_insert_default().silent.insert(u32::MAX - 10 - n, silent);
        }
        let slow = ask(std::process::id(), || {
            std::thread::sleep(6 * LITTLE);
            Ok(6)
        });
        assert_eq!(slow.unwrap(), 6);
    }

    #[test]
    fn our_own_memory() {
        let number = std::hint::black_box(0x1234_5678_9abc_def0u64);
        let mut bytes = [0; 8];
        let memory = Memory::open(std::process::id()).unwrap();
        memory.read(&mut bytes, std::ptr::from_ref(&number) as u64).unwrap();
        assert_eq!(u64::from_le_bytes(bytes), number);
        assert!(memory.read(&mut bytes, 0).is_err());
    }
}
