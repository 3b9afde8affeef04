// SPDX-License-Identifier: GPL-2.0
//! Tells whether a file has changed since it was read.

use std::fs::File;
use std::hash::{DefaultHasher, Hasher};
use std::os::unix::fs::{FileExt, MetadataExt};

/// A file and its state. After a write in place, or when another file gets the same number (a
/// snapshot, or a file that replaced a deleted one), the file is not mistaken for the one read
/// before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FileState {
    file: [u64; 2],
    size: u64,
    modified: [i64; 2],
    changed: [i64; 2],
    /// A hash of its first bytes, which contain the build id: the clocks of files are coarse.
    head: u64,
}

/// The number of first bytes that are hashed.
const HEAD: usize = 4096;

impl FileState {
    /// Returns the current state of a file.
    pub(crate) fn read(file: &File) -> Option<Self> {
        let mut head = [0; HEAD];
        let n = file.read_at(&mut head, 0).ok()?;
        let mut hash = DefaultHasher::new();
        hash.write(head.get(..n)?);
        Some(Self { head: hash.finish(), ..Self::about(file)? })
    }

    /// Returns its device and inode, which the file keeps.
    pub(crate) fn file(&self) -> [u64; 2] {
        self.file
    }

    fn about(file: &File) -> Option<Self> {
        let about = file.metadata().ok()?;
        Some(Self {
            file: [about.dev(), about.ino()],
            size: about.len(),
            modified: [about.mtime(), about.mtime_nsec()],
            changed: [about.ctime(), about.ctime_nsec()],
            head: 0,
        })
    }

    /// Tells whether a file is still in this state, except for its first bytes, which are not read.
    pub(crate) fn is_of(&self, file: &File) -> bool {
        Self::about(file).is_some_and(|now| now == Self { head: 0, ..*self })
    }
}
