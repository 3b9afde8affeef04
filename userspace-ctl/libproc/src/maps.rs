// SPDX-License-Identifier: GPL-2.0
//! The mappings of a process.

use crate::files::{self, Root, View};
use crate::limit::noted;
use crate::listed::{is_listed_as, Numbers};
use crate::patient;
use abi::unwind::Key;
use abi::user::MappedFile;
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::{FileExt, MetadataExt};

/// The identity of a file.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Identity {
    /// The device of the file system.
    pub device: String,
    /// The inode; 0: it is no file.
    pub inode: u64,
}

/// A mapping: a piece of a file, or of something else, in memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Map {
    /// Its first address.
    pub start: u64,
    /// The first address behind it.
    pub end: u64,
    /// It is executable.
    pub is_executable: bool,
    /// It is writable.
    pub is_writable: bool,
    /// It is shared: others see what is written there.
    pub is_shared: bool,
    /// Its offset in the file.
    pub offset: u64,
    /// The file.
    pub identity: Identity,
    /// The path, as the process sees it.
    pub path: String,
}

/// The most bytes that are read of the list of mappings: a process decides their number and the
/// length of names.
const MOST: u64 = 64 << 20;

/// The suffix that the kernel adds to the name of a deleted file.
const DELETED: &str = " (deleted)";

impl Map {
    /// Parses `55d0c0a00000-55d0c0a02000 r-xp 00002000 fe:01 1234   /usr/bin/cat`.
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

    /// Returns the file's name; `[vdso]` and the like stay unchanged.
    pub fn name(&self) -> &str {
        let path = self.file();
        path.rsplit_once('/').map_or(path, |(_, name)| name)
    }

    /// Returns the path that the file has, or had.
    pub(crate) fn file(&self) -> &str {
        self.path.strip_suffix(DELETED).unwrap_or(&self.path)
    }

    /// Tells whether it is a piece of a file.
    pub fn is_file(&self) -> bool {
        self.identity.inode != 0 && self.path.starts_with('/')
    }

    /// Tells whether the process may have generated its content: private memory has no file, and
    /// shared memory and memfds have a path that names none.
    pub fn is_memory(&self) -> bool {
        let paths = ["/memfd:", "/dev/zero", "/SYSV"];
        !self.is_file() || paths.iter().any(|path| self.path.starts_with(path))
    }

    /// Returns the bytes of memory that it takes.
    pub fn weight(&self) -> usize {
        size_of::<Self>() + self.path.len() + self.identity.device.len()
    }

    /// Returns the device and the inode number of its file.
    fn numbers(&self) -> Option<Numbers> {
        let (major, minor) = self.identity.device.split_once(':')?;
        let number = |hex| u32::from_str_radix(hex, 16).ok();
        Some(((number(major)?, number(minor)?), self.identity.inode))
    }

    /// Returns the file in the module's terms.
    pub fn mapped_file(&self) -> MappedFile {
        let file =
            |((major, minor), inode)| MappedFile { inode, device: major << 20 | minor, pad: 0 };
        self.numbers().map(file).unwrap_or_default()
    }

    /// Returns the module's key of the file that was [opened](Self::open).
    pub fn key(&self, file: &File) -> Option<Key> {
        let MappedFile { inode, device, .. } = self.mapped_file();
        let about = file.metadata().ok()?;
        let modified = Key::modified(about.mtime(), about.mtime_nsec());
        (inode != 0).then_some(Key { inode, modified, device, pad: 0 })
    }

    /// Opens the mapped file itself, whatever its name means now, or the file at its path, if that
    /// is the same file. `None`: neither can be opened, or the process has mapped another file
    /// there since its list was read.
    pub fn open(&self, pid: u32) -> Option<File> {
        if !self.is_file() {
            return None;
        }
        let numbers = self.numbers()?;
        let is_it = |file: &File| is_listed_as(file, pid, numbers);
        let itself = files::mapped(pid, &(self.start..self.end)).ok().filter(is_it);
        let seen = || View::of_process(pid)?.open(&self.path).ok().filter(is_it);
        let ours = || Root::ours().ok()?.open(&self.path).ok().filter(is_it);
        itself.or_else(seen).or_else(ours)
    }
}

/// Returns all mappings of a process, by address. A kernel thread has none.
pub fn read(pid: u32) -> io::Result<Vec<Map>> {
    Ok(open(pid)?.maps)
}

/// The mappings that were read.
#[derive(Debug, Default)]
pub struct Mapped {
    /// By address.
    pub maps: Vec<Map>,
    /// Tells whether the list is complete. A process may give up its memory while the list is read;
    /// then only its first mappings are known.
    pub is_whole: bool,
}

/// Returns all mappings, with whether the process had its memory to the end.
pub fn open(pid: u32) -> io::Result<Mapped> {
    patient::ask(pid, move || parse(noted(File::open(format!("{}/maps", patient::folder(pid))))?))
}

fn parse(file: File) -> io::Result<Mapped> {
    // With enough room, each read takes as much as the kernel gives.
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
        assert!(vdso.name() == "[vdso]" && !vdso.is_file() && vdso.is_memory());
        assert!(!map.is_memory() && !deleted.is_memory());
        for path in ["", "/memfd:doublemapper (deleted)", "/dev/zero (deleted)"] {
            assert!(Map::parse(&format!("1-2 rwxs 0 0:1 7 {path}")).unwrap().is_memory(), "{path}");
        }
        for line in ["", "7f00", "7f00-8f00 r-xp", "7f00-8f0g r-xp 0 0:0 0", "1-2 r-xp 0 0:0 x"] {
            assert_eq!(Map::parse(line), None, "{line}");
        }
    }

    #[test]
    fn our_own() {
        let maps = read(std::process::id()).unwrap();
        let code = maps.iter().find(|m| m.is_executable && m.is_file()).unwrap();
        assert!(code.open(std::process::id()).is_some());
        // The process has mapped another file there since.
        let mut other = code.clone();
        other.identity.inode += 1;
        assert!(other.open(std::process::id()).is_none());
        // A file elsewhere has the same inode number.
        let mut other = code.clone();
        other.identity.device = "fff:1".to_string();
        assert!(other.open(std::process::id()).is_none());
        assert!(maps.iter().any(|m| m.name() == "[stack]"));
        assert!(read(u32::MAX).is_err());
        assert!(open(std::process::id()).unwrap().is_whole);
    }

    #[test]
    fn one_that_has_ended() {
        let mut child = std::process::Command::new("sleep").arg("1000").spawn().unwrap();
        let mut file = File::open(format!("/proc/{}/maps", child.id())).unwrap();
        file.read_exact(&mut [0; 32]).unwrap();
        child.kill().unwrap();
        while !read(child.id()).unwrap().is_empty() {
            std::thread::yield_now();
        }
        let rest = parse(file).unwrap();
        child.wait().unwrap();
        assert!(!rest.is_whole);
    }
}
