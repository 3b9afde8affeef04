// SPDX-License-Identifier: GPL-2.0
//! Reads data whose arrival a process can delay: the list of its mappings, its memory, its mapped
//! files. The kernel answers when it gets the lock of that process's memory, and a process can hold
//! the lock as long as it likes: a thread that unmaps a file of a FUSE daemon holds it, and the
//! daemon may never answer.
//!
//! So another thread asks, and is abandoned if it does not come back in time. It ends when the
//! answer comes, or with this program: the kernel lets such a thread be killed. Until the process
//! answers, it is asked nothing more.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, ErrorKind};
use std::os::unix::fs::FileExt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// How long we wait for a process; how long when many are silent; and how many are many.
const PATIENCE: Duration = Duration::from_secs(2);
const LITTLE: Duration = Duration::from_millis(50);
const MANY: usize = 4;
/// The bytes of a process's memory that one question reads.
const PIECE: usize = 1 << 20;

type Job = Box<dyn FnOnce() + Send>;

#[derive(Default)]
struct Asking {
    /// The thread that asks, between two questions.
    thread: Option<Sender<Job>>,
    /// The processes that have not answered in time, and whether they have answered since.
    silent: HashMap<u32, Arc<AtomicBool>>,
}

static ASKING: Mutex<Option<Asking>> = Mutex::new(None);

fn thread() -> io::Result<Sender<Job>> {
    let (jobs, mine) = mpsc::channel::<Job>();
    std::thread::Builder::new()
        .name("ask".into())
        .spawn(move || mine.iter().for_each(|job| job()))?;
    Ok(jobs)
}

/// Returns the answer to a question about a process; `TimedOut`: there was none in time.
pub(crate) fn ask<T: Send + 'static>(
    pid: u32,
    question: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> io::Result<T> {
    let mut asking = ASKING.lock().unwrap_or_else(PoisonError::into_inner);
    let Asking { thread: kept, silent } = asking.get_or_insert_default();
    silent.retain(|_, has_answered| !has_answered.load(Ordering::Acquire));
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
    let jobs = kept.take().map_or_else(thread, Ok)?;
    jobs.send(job).map_err(|_| io::Error::other("the thread that asks has ended"))?;
    match answered.recv_timeout(if silent.len() < MANY { PATIENCE } else { LITTLE }) {
        Ok(answer) => {
            *kept = Some(jobs);
            answer
        }
        Err(RecvTimeoutError::Timeout) => {
            silent.insert(pid, has_answered);
            Err(late())
        }
        Err(RecvTimeoutError::Disconnected) => Err(io::Error::other("no answer")),
    }
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

    #[test]
    fn who_does_not_answer_is_left_waiting() {
        let (go, wait) = mpsc::channel::<()>();
        let silent = ask(u32::MAX, move || Ok(wait.recv().is_ok()));
        assert_eq!(silent.unwrap_err().kind(), ErrorKind::TimedOut);
        // The process is not asked again, and does not delay others.
        let again = ask(u32::MAX, || -> io::Result<()> { panic!("asked") });
        assert_eq!(again.unwrap_err().kind(), ErrorKind::TimedOut);
        assert_eq!(ask(u32::MAX - 1, || Ok(7)).unwrap(), 7);
        go.send(()).unwrap();
        while ask(u32::MAX, || Ok(8)).is_err() {
            std::thread::yield_now();
        }
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
