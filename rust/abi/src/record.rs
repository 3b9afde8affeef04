// SPDX-License-Identifier: GPL-2.0
//! Records: how the bytes of an enabled probe lie in a buffer, and their description.
//!
//! ```text
//! | epid u32 | timestamp high u32 | timestamp low u32 | data of action 1 | pad | data of action 2 ...
//! ```
//! Data stands at its natural alignment (8 at most), counted from the start of the buffer; a
//! record starts at a multiple of 8, so its layout never depends on its place. An EPID of 0 is
//! padding: skip 4 bytes.

use crate::ids::{AggId, Epid, FormatId, ProbeId};
use zerocopy_derive::{FromBytes, Immutable, IntoBytes, KnownLayout};

/// Bytes before the data of a record: EPID and the time of the firing.
pub const HEADER_SIZE: usize = 12;
/// Alignment of the start of a record.
pub const RECORD_ALIGN: usize = 8;

/// Head of a record.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout)]
pub struct RecordHeader {
    /// Which enabling wrote it.
    pub epid: Epid,
    /// Upper half of the firing's monotonic time, ns.
    pub timestamp_high: u32,
    /// Lower half.
    pub timestamp_low: u32,
}

impl RecordHeader {
    /// A head for `epid` at `timestamp` (ns).
    pub const fn new(epid: Epid, timestamp: u64) -> Self {
        Self { epid, timestamp_high: (timestamp >> 32) as u32, timestamp_low: timestamp as u32 }
    }
    /// Monotonic time of the firing, ns.
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
    /// `ActionKind` that wrote it.
    pub action: u32,
    /// Bytes.
    pub size: u32,
    /// Bytes from the start of the record.
    pub offset: u32,
    /// 1, 2, 4 or 8.
    pub alignment: u32,
    /// Format string of printf and printa, else none.
    pub format: FormatId,
    /// Zero.
    pub pad: u32,
    /// The action's argument.
    pub arg: u64,
    /// The consumer's own number for the statement, handed back.
    pub uarg: u64,
    /// Type of the datum.
    pub ty: crate::difo::DifType,
}

/// Answer to the EPROBE ioctl, before its [`RecDesc`]s.
#[repr(C)]
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Default, FromBytes, IntoBytes, Immutable, KnownLayout,
)]
pub struct EprobeDesc {
    /// Asked for.
    pub epid: Epid,
    /// The probe behind it.
    pub probe: ProbeId,
    /// The clause's own number, from its ECB description.
    pub uarg: u64,
    /// Bytes of a whole record, header and padding included.
    pub size: u32,
    /// Data in the record.
    pub nrecs: u32,
    /// User address of an array of [`RecDesc`].
    pub recs: u64,
    /// Room in it; the kernel fills at most so many.
    pub capacity: u32,
    /// Zero.
    pub pad: u32,
}

/// Answer to the AGGDESC ioctl, before its [`RecDesc`]s. The records are the key's data in order,
/// then the value; offsets count from the start of the key.
#[repr(C)]
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Default, FromBytes, IntoBytes, Immutable, KnownLayout,
)]
pub struct AggDesc {
    /// Asked for.
    pub id: AggId,
    /// The D variable, numbered by the compiler from 1.
    pub variable: u32,
    /// The enabled probe that carries it.
    pub epid: Epid,
    /// Bytes of key and value together.
    pub size: u32,
    /// Data: keys and one value.
    pub nrecs: u32,
    /// Room in `recs`.
    pub capacity: u32,
    /// User address of an array of [`RecDesc`].
    pub recs: u64,
}

/// Head of one entry in an aggregation snapshot; `size` bytes of key and value follow. A snapshot
/// holds what a CPU aggregated since the snapshot before it: the consumer adds them up.
#[repr(C)]
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Default, FromBytes, IntoBytes, Immutable, KnownLayout,
)]
pub struct AggEntry {
    /// Which aggregating action; 0 ends the snapshot.
    pub id: AggId,
    /// Hash of the key bytes, as the kernel computed it.
    pub hash: u32,
    /// Bytes of key and value, a multiple of 8: the next entry stands behind them.
    pub size: u32,
    /// The kernel's own: next entry of the same hash bucket.
    pub link: u32,
}

/// Where the next datum goes.
#[derive(Debug, Clone, Copy)]
pub struct Layout {
    offset: usize,
}

impl Layout {
    /// Behind the header of a record.
    pub const fn record() -> Self {
        Self { offset: HEADER_SIZE }
    }
    /// At the start of an aggregation's key.
    pub const fn aggregation() -> Self {
        Self { offset: 0 }
    }
    /// Natural alignment of a datum: its size for 1, 2, 4, else 8 for scalars; by-reference data
    /// (strings, structs) are bytes.
    pub const fn alignment(size: usize, by_ref: bool) -> usize {
        match size {
            _ if by_ref => 1,
            0 | 1 => 1,
            2 => 2,
            3 | 4 => 4,
            _ => 8,
        }
    }
    /// Places a datum; gives its offset.
    pub fn place(&mut self, size: usize, alignment: usize) -> usize {
        let at = self.offset.next_multiple_of(if alignment == 0 { 1 } else { alignment });
        self.offset = at + size;
        at
    }
    /// Bytes of the whole, padded to [`RECORD_ALIGN`].
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
