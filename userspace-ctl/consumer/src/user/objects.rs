// SPDX-License-Identifier: GPL-2.0
//! How frames are left, for the module, which walks the stacks of processes: a file at a time, each once,
//! whichever process has it mapped first.

use crate::kernel::Kernel;
use abi::unwind::Key;
use program::frames;
use program::maps::{self, Map};
use program::process;
use std::collections::HashSet;
use std::fs::File;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::time::{Duration, Instant};

/// Before the tracing begins, processes are looked at for so long; the others are when they are met.
const PATIENCE: Duration = Duration::from_millis(500);
/// The name of the code that the kernel maps into every process.
const VDSO: &str = "[vdso]";

/// The files that the module knows.
#[derive(Debug, Default)]
pub struct Objects {
    known: HashSet<Key>,
    /// It wants no more.
    is_full: bool,
}

impl Objects {
    /// Tells of what the processes that run have mapped: of all in `first`, and of as many others as there is
    /// time for.
    pub fn learn_all(&mut self, kernel: &mut dyn Kernel, mut first: Vec<u32>) {
        first.dedup();
        first.into_iter().for_each(|pid| self.learn(kernel, pid));
        let begin = Instant::now();
        for pid in process::all() {
            if begin.elapsed() > PATIENCE {
                return;
            }
            self.learn(kernel, pid);
        }
    }

    /// Tells of what a process has mapped. One that has ended has nothing.
    pub fn learn(&mut self, kernel: &mut dyn Kernel, pid: u32) {
        for map in maps::of(pid).unwrap_or_default().iter().filter(|m| m.is_executable) {
            if self.is_full {
                return;
            }
            let is_new = |key: &Key| !self.known.contains(key);
            let found = match map.open(pid) {
                Some(file) => key(map, &file).filter(is_new).map(|key| (key, frames::rows(&file))),
                None => Some(Key::default())
                    .filter(|key| map.name() == VDSO && is_new(key))
                    .map(|key| (key, vdso(pid, map))),
            };
            let Some((key, rows)) = found else { continue };
            let refused = kernel.object(key, rows).err().map(|r| r.errno);
            self.is_full = matches!(refused, Some(libc::E2BIG | libc::ENOMEM));
            self.known.insert(key);
        }
    }
}

/// As the module tells files apart.
fn key(map: &Map, file: &File) -> Option<Key> {
    let (major, minor) = map.identity.device.split_once(':')?;
    let number = |hex| u32::from_str_radix(hex, 16).ok();
    let about = file.metadata().ok()?;
    Some(Key {
        inode: map.identity.inode,
        modified: Key::modified(about.mtime(), about.mtime_nsec()),
        device: number(major)? << 20 | number(minor)?,
        pad: 0,
    })
}

fn vdso(pid: u32, map: &Map) -> Vec<abi::unwind::Row> {
    let size = usize::try_from(map.end - map.start).unwrap_or(0);
    let mut image = vec![0; size];
    let memory = File::open(format!("/proc/{pid}/mem"));
    match memory.and_then(|m| m.read_exact_at(&mut image, map.start)) {
        Ok(()) => frames::rows_in(&image),
        Err(_) => Vec::new(),
    }
}
