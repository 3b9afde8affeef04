// SPDX-License-Identifier: GPL-2.0
//! Records: the layout of an enabled probe's bytes in a buffer, and their description.
//!
//! ```text
//! | epid u32 | timestamp high u32 | low u32 | data of action 1 | pad | data of action 2 ...
//! ```
//! A datum is at its natural alignment (8 at most), counted from the start of the buffer. A record
//! starts at a multiple of 8, so its layout never depends on its place. An EPID of 0 is padding:
//! skip 4 bytes.

use crate::ids::{AggId, Epid, FormatId, ProbeId};
use zerocopy_derive::{FromBytes, Immutable, IntoBytes, KnownLayout};

/// Bytes before the data of a record: EPID and the time of the firing.
pub const HEADER_SIZE: usize = 12;
/// Alignment of the start of a record.
pub const RECORD_ALIGN: usize = 8;

/// The head of a record.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout)]
pub struct RecordHeader {
    /// The enabling that wrote it.
    pub epid: Epid,
    /// Upper half of the firing's monotonic time, ns.
    pub timestamp_high: u32,
    /// Lower half of that time.
    pub timestamp_low: u32,
}

impl RecordHeader {
    /// Creates a head for `epid` at `timestamp` (ns).
    pub const fn new(epid: Epid, timestamp: u64) -> Self {
        Self { epid, timestamp_high: (timestamp >> 32) as u32, timestamp_low: timestamp as u32 }
    }
    /// Returns the monotonic time of the firing, in ns.
    pub const fn timestamp(self) -> u64 {
        (self.timestamp_high as u64) << 32 | self.timestamp_low as u64
    }
}

/// One datum of a record.
#[repr(C)]
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Default, FromBytes, IntoBytes, Immutable, KnownLayout,
)]
pub struct RecDesc {
    /// The `ActionKind` that wrote it.
    pub action: u32,
    /// Its size in bytes.
    pub size: u32,
    /// Its offset in bytes, from the start of the record.
    pub offset: u32,
    /// 1, 2, 4 or 8.
    pub alignment: u32,
    /// The format string of printf and printa, else none.
    pub format: FormatId,
    /// Zero.
    pub pad: u32,
    /// The action's argument.
    pub arg: u64,
    /// The consumer's own number for the statement.
    pub uarg: u64,
    /// The type of the datum.
    pub ty: crate::difo::DifType,
}

/// Answer to the EPROBE ioctl, before its [`RecDesc`]s.
#[repr(C)]
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Default, FromBytes, IntoBytes, Immutable, KnownLayout,
)]
pub struct EprobeDesc {
    /// In: the enabled probe.
    pub epid: Epid,
    /// Its probe.
    pub probe: ProbeId,
    /// The clause's own number, from its ECB description.
    pub uarg: u64,
    /// Bytes of a whole record, with header and padding.
    pub size: u32,
    /// The number of data in the record.
    pub nrecs: u32,
    /// User address of an array of [`RecDesc`].
    pub recs: u64,
    /// In: the room there, in descriptions; the kernel fills no more.
    pub capacity: u32,
    /// Zero.
    pub pad: u32,
}

/// Answer to the AGGDESC ioctl, before its [`RecDesc`]s. These describe the data of the key, in
/// order, then the value; offsets count from the start of the key.
#[repr(C)]
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Default, FromBytes, IntoBytes, Immutable, KnownLayout,
)]
pub struct AggDesc {
    /// In: the aggregation.
    pub id: AggId,
    /// The D variable, numbered by the compiler from 1.
    pub variable: u32,
    /// The enabled probe that has the action; the module leaves it 0.
    pub epid: Epid,
    /// Bytes of the key and the value together.
    pub size: u32,
    /// The number of data: keys and one value.
    pub nrecs: u32,
    /// In: the room in `recs`, in descriptions.
    pub capacity: u32,
    /// User address of an array of [`RecDesc`].
    pub recs: u64,
}

/// The head of one entry in an aggregation snapshot; `size` bytes of key and value follow. A
/// snapshot contains what a CPU has aggregated since the snapshot before; the consumer adds the
/// snapshots up.
#[repr(C)]
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Default, FromBytes, IntoBytes, Immutable, KnownLayout,
)]
pub struct AggEntry {
    /// The aggregating action; 0 ends the snapshot.
    pub id: AggId,
    /// The hash of the key, as the kernel computed it.
    pub hash: u32,
    /// Bytes of key and value, a multiple of 8; the next entry follows them.
    pub size: u32,
    /// For the kernel: the next entry of the same hash bucket.
    pub link: u32,
}

/// The place of the next datum.
#[derive(Debug, Clone, Copy)]
pub struct Layout {
    offset: usize,
}

impl Layout {
    /// Starts after the header of a record.
    pub const fn record() -> Self {
        Self { offset: HEADER_SIZE }
    }
    /// Starts at the beginning of an aggregation's key.
    pub const fn aggregation() -> Self {
        Self { offset: 0 }
    }
    /// Returns the natural alignment of a datum: its size for 1, 2 and 4 bytes, 8 for larger
    /// scalars, and 1 for data by reference (strings, structs), which are bytes.
    pub const fn alignment(size: usize, by_ref: bool) -> usize {
        match size {
            _ if by_ref => 1,
            0 | 1 => 1,
            2 => 2,
            3 | 4 => 4,
            _ => 8,
        }
    }
    /// Places a datum and returns its offset.
    pub fn place(&mut self, size: usize, alignment: usize) -> usize {
        let at = self.offset.next_multiple_of(if alignment == 0 { 1 } else { alignment });
        self.offset = at + size;
        at
    }
    /// Returns the bytes of the whole, padded to [`RECORD_ALIGN`].
    pub const fn size(self) -> usize {
        self.offset.next_multiple_of(RECORD_ALIGN)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn trace_of_an_int64_stands_at_16() {
        let mut l = Layout::record();
        assert_eq!(l.place(8, Layout::alignment(8, false)), 16);
        assert_eq!(l.place(4, 4), 24);
        assert_eq!(l.place(256, Layout::alignment(256, true)), 28);
        assert_eq!(l.size(), 288);
    }
}
