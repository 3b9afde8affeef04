// SPDX-License-Identifier: GPL-2.0
//! The pieces of a file that are mapped.

use object::{Object, ObjectSegment};

/// The most pieces of a file that are mapped.
const MOST_SEGMENTS: usize = 128;

/// A piece of the file that is mapped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Segment {
    /// Its offset in the file.
    pub offset: u64,
    /// Its bytes in the file.
    pub size: u64,
    /// Its address.
    pub address: u64,
    /// Tells whether it is executable.
    pub is_executable: bool,
}

impl Segment {
    pub(crate) fn contains(&self, address: u64) -> bool {
        address.wrapping_sub(self.address) < self.size
    }
}

/// Returns the pieces of a file that are not empty.
pub(crate) fn segments<'d>(elf: &impl Object<'d>) -> Vec<Segment> {
    let all = elf.segments().take(MOST_SEGMENTS).map(|s| {
        let (offset, size) = s.file_range();
        let is_executable = s.permissions().executable();
        Segment { offset, size, address: s.address(), is_executable }
    });
    all.filter(|s| s.size > 0).collect()
}
