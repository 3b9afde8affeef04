// SPDX-License-Identifier: GPL-2.0
//! What is mapped in a process.

use crate::files::{self, Root, View};
use crate::patient;
use abi::unwind::Key;
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::{FileExt, MetadataExt};

/// Which file.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Identity {
    /// Of the file system.
    pub device: String,
    /// 0: it is no file.
    pub inode: u64,
}

/// A piece of a file, or of something else, in memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Map {
    /// Its first address.
    pub start: u64,
    /// The first behind it.
    pub end: u64,
    /// It can be run.
    pub is_executable: bool,
    /// It can be written to.
    pub is_writable: bool,
    /// What is written there, others see.
    pub is_shared: bool,
    /// Where in the file it begins.
    pub offset: u64,
    /// The file.
    pub identity: Identity,
    /// As the process calls it.
    pub path: String,
}

/// Most bytes that are read of what is mapped: a process chooses how often, and how long names are.
const MOST: u64 = 64 << 20;

/// What the kernel appends to the name of a file that has none any more.
const DELETED: &str = " (deleted)";

impl Map {
    /// `55d0c0a00000-55d0c0a02000 r-xp 00002000 fe:01 1234   /usr/bin/cat`
    pub fn parse(line: &str) -> Option<Self> {
        let mut words = line.splitn(6, ' ');
        let (start, end) = words.next()?.split_once('-')?;
        let number = |text: &str| u64::from_str_radix(text, 16).ok();
        let (start, end) = (number(start)?, number(end)?);
        let flags = words.next()?;
        let offset = number(words.next()?)?;
        let identity =
            Identity { device: words.next()?.to_string(), inode: words.next()?.parse().ok()? };
        let path = words.next().unwrap_or("").trim_start().to_string();
        let [is_writable, is_executable, is_shared] = ['w', 'x', 's'].map(|c| flags.contains(c));
        Some(Self { start, end, is_executable, is_writable, is_shared, offset, identity, path })
    }

    /// The file's name; `[vdso]` and the like as they are.
    pub fn name(&self) -> &str {
        let path = self.file();
        path.rsplit_once('/').map_or(path, |(_, name)| name)
    }

    /// The path that the file has, or had.
    pub(crate) fn file(&self) -> &str {
        self.path.strip_suffix(DELETED).unwrap_or(&self.path)
    }

    /// Is it a piece of a file?
    pub fn is_file(&self) -> bool {
        self.identity.inode != 0 && self.path.starts_with('/')
    }

    /// As the module tells files apart, of the file that was [opened](Self::open).
    pub fn key(&self, file: &File) -> Option<Key> {
        let (major, minor) = self.identity.device.split_once(':')?;
        let number = |hex| u32::from_str_radix(hex, 16).ok();
        let about = file.metadata().ok()?;
        Some(Key {
            inode: self.identity.inode,
            modified: Key::modified(about.mtime(), about.mtime_nsec()),
            device: number(major)? << 20 | number(minor)?,
            pad: 0,
        })
    }

    /// The file itself, whatever its name has come to mean, or as the process would open it.
    pub fn open(&self, pid: u32) -> Option<File> {
        if !self.is_file() {
            return None;
        }
        let is_it = |file: &File| file.metadata().is_ok_and(|m| m.ino() == self.identity.inode);
        let itself = files::mapped(pid, &(self.start..self.end)).ok();
        let seen = || View::of(pid)?.open(&self.path).ok().filter(is_it);
        let ours = || Root::ours().ok()?.open(&self.path).ok().filter(is_it);
        itself.or_else(seen).or_else(ours)
    }
}

/// Everything that is mapped in a process, by address. A thread of the kernel has nothing.
pub fn of(pid: u32) -> io::Result<Vec<Map>> {
    Ok(open(pid)?.maps)
}

/// What was read of a process.
#[derive(Debug, Default)]
pub struct Mapped {
    /// By address.
    pub maps: Vec<Map>,
    /// That is all. It gives up its memory between two pieces that are read; what comes first is known then.
    pub is_whole: bool,
}

/// The same, with whether it was there to the end.
pub fn open(pid: u32) -> io::Result<Mapped> {
    patient::ask(pid, move || read(File::open(format!("{}/maps", patient::folder(pid)))?))
}

fn read(file: File) -> io::Result<Mapped> {
    // With room, the kernel is asked for as much at a time as it gives.
    let mut text = Vec::with_capacity(1 << 16);
    (&file).take(MOST).read_to_end(&mut text)?;
    let is_whole = file.read_at(&mut [0], 0).is_ok_and(|n| n > 0);
    let maps = String::from_utf8_lossy(&text).lines().filter_map(Map::parse).collect();
    Ok(Mapped { maps, is_whole })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines() {
        let line = "7f00-8f00 r-xp 00026000 fe:01 1234                       /usr/lib/libc.so.6";
        let map = Map::parse(line).unwrap();
        assert_eq!((map.start, map.end, map.offset), (0x7f00, 0x8f00, 0x26000));
        assert_eq!((map.name(), map.identity.inode), ("libc.so.6", 1234));
        assert!(map.is_executable && !map.is_writable && !map.is_shared && map.is_file());
        let deleted = Map::parse("1-2 rw-s 0 0:1 1 /tmp/a program (deleted)").unwrap();
        assert_eq!(deleted.name(), "a program");
        assert!(!deleted.is_executable && deleted.is_writable && deleted.is_shared);
        let vdso = Map::parse("1-2 r-xp 0 00:00 0 [vdso]").unwrap();
        assert!(vdso.name() == "[vdso]" && !vdso.is_file());
        for line in ["", "7f00", "7f00-8f00 r-xp", "7f00-8f0g r-xp 0 0:0 0", "1-2 r-xp 0 0:0 x"] {
            assert_eq!(Map::parse(line), None, "{line}");
        }
    }

    #[test]
    fn our_own() {
        let maps = of(std::process::id()).unwrap();
        let code = maps.iter().find(|m| m.is_executable && m.is_file()).unwrap();
        assert!(code.open(std::process::id()).is_some());
        assert!(maps.iter().any(|m| m.name() == "[stack]"));
        assert!(of(u32::MAX).is_err());
        assert!(open(std::process::id()).unwrap().is_whole);
    }

    #[test]
    fn one_that_has_ended() {
        let mut child = std::process::Command::new("sleep").arg("1000").spawn().unwrap();
        let mut file = File::open(format!("/proc/{}/maps", child.id())).unwrap();
        file.read_exact(&mut [0; 32]).unwrap();
        child.kill().unwrap();
        while !of(child.id()).unwrap().is_empty() {
            std::thread::yield_now();
        }
        let rest = read(file).unwrap();
        child.wait().unwrap();
        assert!(!rest.is_whole);
    }
}
