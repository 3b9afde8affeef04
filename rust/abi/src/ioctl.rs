// SPDX-License-Identifier: GPL-2.0
//! The ioctls of `/dev/dtrace/dtrace`: numbers, arguments, which side writes which field.
//!
//! Numbers are the classic ones under type letter `d`. A failing ioctl gives an errno and leaves a
//! sentence saying why, which [`REPORT`] fetches.

use crate::conf::Conf;
use crate::ids::FormatId;
use crate::probe::{ProbeDesc, FUNCTION_LEN};
use crate::record::{AggDesc, EprobeDesc};
use crate::status::Status;
use zerocopy_derive::{FromBytes, Immutable, IntoBytes, KnownLayout};

/// Where the device node is.
pub const DEVICE: &str = "/dev/dtrace/dtrace";
/// Type letter of all ioctls.
pub const TYPE: u32 = b'd' as u32;

/// `_IOWR(TYPE, nr, T)`: both sides' kernels agree on this encoding on x86-64.
pub(crate) const fn iowr<T>(nr: u32) -> u32 {
    3 << 30 | (size_of::<T>() as u32) << 16 | TYPE << 8 | nr
}

/// Iterate probes that match a pattern; argument [`Probes`].
pub const PROBES: u32 = iowr::<Probes>(2);
/// Take a CPU's principal buffer; argument [`BufDesc`].
pub const BUFSNAP: u32 = iowr::<BufDesc>(4);
/// Enable a DOF; argument [`Enable`].
pub const ENABLE: u32 = iowr::<Enable>(6);
/// Take what a CPU aggregated since the last time; argument [`BufDesc`].
pub const AGGSNAP: u32 = iowr::<BufDesc>(7);
/// Describe an enabled probe; argument [`EprobeDesc`].
pub const EPROBE: u32 = iowr::<EprobeDesc>(8);
/// What the module can do; argument [`Conf`].
pub const CONF: u32 = iowr::<Conf>(10);
/// Drops and liveness; argument [`Status`].
pub const STATUS: u32 = iowr::<Status>(11);
/// Start tracing, BEGIN fires; argument [`Go`].
pub const GO: u32 = iowr::<Go>(12);
/// Stop tracing, END fires; argument [`Go`].
pub const STOP: u32 = iowr::<Go>(13);
/// Describe an aggregation; argument [`AggDesc`].
pub const AGGDESC: u32 = iowr::<AggDesc>(15);
/// Fetch a format string; argument [`Format`].
pub const FORMAT: u32 = iowr::<Format>(16);
/// Why the last ioctl on this file failed; argument [`Report`].
pub const REPORT: u32 = iowr::<Report>(32);
/// Why a function has no probe; argument [`Explain`].
pub const EXPLAIN: u32 = iowr::<Explain>(33);
/// Which probes GO left out, and why: a line each, of the first 64; argument [`Report`].
pub const LEFTOUT: u32 = iowr::<Report>(34);
/// Where a symbol of the kernel is; argument [`Symbol`].
pub const SYMBOL: u32 = iowr::<Symbol>(35);
/// What to wake the consumer by: the number of an eventfd, an `i32`. It becomes readable when a buffer is half full,
/// and when the tracing ends by itself. Before GO; the last one counts.
pub const WAKE: u32 = iowr::<i32>(36);
/// This file becomes the consumer of what was enabled as the module was inserted, and the bytes of that enabling are
/// copied, those behind the DOF too; argument [`Report`]. If there is too little room for them, only the size is
/// told. ENOENT: nothing was, or somebody has it.
pub const CLAIM: u32 = iowr::<Report>(37);
/// Says up to when the consumer has printed all records, and gets the EPIDs that this frees; argument [`Done`].
pub const DONE: u32 = iowr::<Done>(38);
/// For tests, if the module was inserted with `fail_ioctl=1`: so many allocations succeed from now
/// on, whoever asks, and all others fail; with all bits set none fails. Argument: the number.
pub const FAIL: u32 = iowr::<u64>(127);

/// Argument of [`PROBES`].
#[repr(C)]
#[derive(Clone, Copy, FromBytes, IntoBytes, Immutable, KnownLayout)]
pub struct Probes {
    /// In: what to match. An id in it selects that probe alone.
    pub pattern: ProbeDesc,
    /// Out, if `size` is 0: most arguments that one of them is known to pass, or 0xffff_ffff.
    pub nargs: u32,
    /// In: user address for [packed](crate::probe::ProbeHead) probes.
    pub into: u64,
    /// In: bytes of room there; with 0 nothing is written, but all are counted. Out: bytes written.
    /// Room for less than [`crate::probe::MAX_PACKED`] may be too little (ENOSPC).
    pub size: u32,
    /// Out: probes written (0 ends the iteration), or how many match.
    pub count: u32,
    /// In: 0, then what came back. Out: where to go on.
    pub cursor: u32,
    /// Zero.
    pub pad: u32,
}

/// Argument of [`ENABLE`].
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, FromBytes, IntoBytes, Immutable, KnownLayout)]
pub struct Enable {
    /// In: user address of the DOF.
    pub dof: u64,
    /// In: its bytes.
    pub size: u64,
    /// Out: probes matched, over all statements.
    pub matched: u32,
    /// Zero.
    pub pad: u32,
}

/// Argument of [`BUFSNAP`] and [`AGGSNAP`].
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, FromBytes, IntoBytes, Immutable, KnownLayout)]
pub struct BufDesc {
    /// In: user address for the data.
    pub data: u64,
    /// In: room there. Out: bytes written. A buffer larger than the room is refused (ENOSPC) and
    /// stays as it is.
    pub size: u64,
    /// In: the CPU. An id without a CPU is ENOENT.
    pub cpu: u32,
    /// Out: faults on this CPU since the last snapshot.
    pub errors: u32,
    /// Out: records that found no room since the last snapshot.
    pub drops: u64,
    /// Out: byte offset of the oldest record (ring policy), else 0.
    pub oldest: u64,
    /// Out: monotonic time of the switch, ns: no record of this CPU that comes later is older.
    pub timestamp: u64,
}

/// Argument of [`GO`] and [`STOP`].
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, FromBytes, IntoBytes, Immutable, KnownLayout)]
pub struct Go {
    /// Out: CPU that ran BEGIN or END.
    pub cpu: u32,
    /// Out of GO: matching probes that could not be enabled.
    pub left_out: u32,
    /// Out of GO: bytes of a principal buffer; less than asked for if memory was short and the
    /// option bufresize is auto.
    pub bufsize: u64,
    /// Out of GO: the same of an aggregation buffer.
    pub aggsize: u64,
    /// Out of GO: the same of the room for dynamic variables.
    pub dynvarsize: u64,
    /// Out of GO: the same of a speculation.
    pub specsize: u64,
    /// Out of GO: probes that match, each once; those of the provider `dtrace` do not count.
    pub probes: u32,
    /// Zero.
    pub pad: u32,
}

/// Argument of [`DONE`]. The EPIDs of probes that have gone (a process has ended, a module was unloaded) are used
/// again, which takes both sides:
///
/// 1. The consumer says that it has done with all records older than `until`: no buffer that it has taken holds one. The
///    least [`BufDesc::timestamp`] of a round, when that has been printed, is such a time.
/// 2. The kernel answers with EPIDs of probes that fired for the last time before that, and of which no record waits in
///    a speculation (or in a ring, which is taken at the end only).
/// 3. The consumer forgets what it knew of them. Not before this answer has been given, the kernel uses them for others;
///    until it does, EPROBE says that there is none.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, FromBytes, IntoBytes, Immutable, KnownLayout)]
pub struct Done {
    /// In: monotonic time, ns. One that is to come is now.
    pub until: u64,
    /// In: user address of EPIDs. If they cannot be written there they are lost: nobody uses them.
    pub epids: u64,
    /// In: room for so many EPIDs. Out: how many there are; if there is no more room, there may be more.
    pub count: u32,
    /// Zero.
    pub pad: u32,
}

/// Argument of [`FORMAT`].
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, FromBytes, IntoBytes, Immutable, KnownLayout)]
pub struct Format {
    /// In: from a record description.
    pub id: FormatId,
    /// In: room at `text`. Out: bytes of the string, NUL included, whether or not they fitted.
    pub size: u32,
    /// In: user address.
    pub text: u64,
}

/// Argument of [`REPORT`].
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, FromBytes, IntoBytes, Immutable, KnownLayout)]
pub struct Report {
    /// In: user address.
    pub text: u64,
    /// In: room there. Out: bytes written, no NUL.
    pub size: u32,
    /// Zero.
    pub pad: u32,
}

/// Argument of [`EXPLAIN`]. A provider that knows nothing of the function answers ENOENT.
#[repr(C)]
#[derive(Clone, Copy, FromBytes, IntoBytes, Immutable, KnownLayout)]
pub struct Explain {
    /// In: the function, byte for byte; the other parts may be empty.
    pub pattern: ProbeDesc,
    /// Out: number of a [`crate::reason::Reason`].
    pub reason: u32,
    /// Out: the related name, NUL-terminated.
    pub symbol: [u8; FUNCTION_LEN],
}

/// Longest name of a [`Symbol`], its NUL included: a module's, a colon, and one of kallsyms'.
pub const SYMBOL_LEN: usize = 576;

/// Argument of [`SYMBOL`]. A symbol that is not there is ENOENT.
#[repr(C)]
#[derive(Clone, Copy, FromBytes, IntoBytes, Immutable, KnownLayout)]
pub struct Symbol {
    /// In: `name` for the first of the kernel and its modules, `module:name` for that module's,
    /// NUL-terminated.
    pub name: [u8; SYMBOL_LEN],
    /// Out: its address; of a per-CPU variable that of the original, which no CPU uses.
    pub address: u64,
}

/// Most probes of which [`LEFTOUT`] tells.
pub const MAX_LEFT_OUT: usize = 64;

/// Most EPIDs that one [`DONE`] call frees.
pub const MAX_DONE: usize = 4096;

/// Most probes one [`PROBES`] call returns.
pub const MAX_PROBES_A_CALL: u32 = 4096;
/// Most bytes of them: more room than this is of no use.
pub const MAX_PROBES_SIZE: u32 = 256 << 10;
