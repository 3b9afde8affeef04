// SPDX-License-Identifier: GPL-2.0
//! The ioctls of `/dev/dtrace/dtrace`: numbers, arguments, and which side writes which field.
//!
//! The numbers are the classic ones under type letter `d`. A failing ioctl returns an errno and
//! leaves a sentence with the reason, which [`REPORT`] fetches.

use crate::conf::Conf;
use crate::ids::FormatId;
use crate::probe::{ProbeDesc, FUNCTION_LEN};
use crate::record::{AggDesc, EprobeDesc};
use crate::status::Status;
use zerocopy_derive::{FromBytes, Immutable, IntoBytes, KnownLayout};

/// The device node.
pub const DEVICE: &str = "/dev/dtrace/dtrace";
/// Type letter of all ioctls.
pub const TYPE: u32 = b'd' as u32;

/// `_IOWR(TYPE, nr, T)`. The kernel and the consumer agree on this encoding on x86-64.
pub(crate) const fn iowr<T>(nr: u32) -> u32 {
    3 << 30 | (size_of::<T>() as u32) << 16 | TYPE << 8 | nr
}

/// Iterates over the probes that match a pattern; argument [`Probes`].
pub const PROBES: u32 = iowr::<Probes>(2);
/// Takes a CPU's principal buffer; argument [`BufDesc`]. EBUSY: a probe is firing on the CPU, or
/// another thread has not finished such a call on this file; a later call can succeed.
pub const BUFSNAP: u32 = iowr::<BufDesc>(4);
/// Enables a DOF; argument [`Enable`].
pub const ENABLE: u32 = iowr::<Enable>(6);
/// Takes the values that a CPU has aggregated since the last call; argument [`BufDesc`]. EBUSY: as
/// with [`BUFSNAP`].
pub const AGGSNAP: u32 = iowr::<BufDesc>(7);
/// Describes an enabled probe; argument [`EprobeDesc`].
pub const EPROBE: u32 = iowr::<EprobeDesc>(8);
/// Returns the abilities of the module; argument [`Conf`].
pub const CONF: u32 = iowr::<Conf>(10);
/// Returns drops and liveness; argument [`Status`].
pub const STATUS: u32 = iowr::<Status>(11);
/// Starts the tracing: BEGIN fires; argument [`Go`].
pub const GO: u32 = iowr::<Go>(12);
/// Stops the tracing: END fires; argument [`Go`].
pub const STOP: u32 = iowr::<Go>(13);
/// Describes an aggregation; argument [`AggDesc`].
pub const AGGDESC: u32 = iowr::<AggDesc>(15);
/// Fetches a format string; argument [`Format`].
pub const FORMAT: u32 = iowr::<Format>(16);
/// Returns why the last ioctl on this file failed; argument [`Report`].
pub const REPORT: u32 = iowr::<Report>(32);
/// Returns why a function has no probe; argument [`Explain`].
pub const EXPLAIN: u32 = iowr::<Explain>(33);
/// Returns a line for each of the first 64 probes that were left out, with the reason; argument
/// [`Report`].
pub const LEFTOUT: u32 = iowr::<Report>(34);
/// Returns the address of a kernel symbol; argument [`Symbol`].
pub const SYMBOL: u32 = iowr::<Symbol>(35);
/// Sets the eventfd that wakes the consumer, by its number, an `i32`. It becomes readable when a
/// buffer is half full, and when the tracing ends without STOP. To be called before GO; the last
/// call counts.
pub const WAKE: u32 = iowr::<i32>(36);
/// Makes this file the consumer of the anonymous tracing, which was enabled when the module was
/// loaded, and copies the bytes of that enabling, including those behind the DOF; argument
/// [`Report`]. If there is too little room for them, it only returns the size. ENOENT: there is no
/// anonymous tracing, or another file has claimed it.
pub const CLAIM: u32 = iowr::<Report>(37);
/// Tells the kernel up to when the consumer has printed all records, and returns the EPIDs that
/// this frees; argument [`Done`].
pub const DONE: u32 = iowr::<Done>(38);
/// For tests, if the module was loaded with `fail_ioctl=1`: from now on this many allocations
/// succeed, whichever code makes them, and all others fail; with all bits set none fails. Argument:
/// the number.
pub const FAIL: u32 = iowr::<u64>(127);

/// Argument of [`PROBES`].
#[repr(C)]
#[derive(Clone, Copy, FromBytes, IntoBytes, Immutable, KnownLayout)]
pub struct Probes {
    /// In: the pattern. An id in it selects that probe alone.
    pub pattern: ProbeDesc,
    /// Out, if `size` is 0: the most arguments that one of the probes is known to pass, or
    /// 0xffff_ffff.
    pub nargs: u32,
    /// In: user address for the [packed](crate::probe::ProbeHead) probes.
    pub into: u64,
    /// In: the room there, in bytes; 0: nothing is written, but all matching probes are counted.
    /// Out: bytes written. Room for less than [`crate::probe::MAX_PACKED`] may be too little
    /// (ENOSPC).
    pub size: u32,
    /// Out: the number of probes written (0 ends the iteration), or of matching probes.
    pub count: u32,
    /// In: 0, then the value that the last call returned. Out: the position to continue from.
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
    /// In: its size in bytes.
    pub size: u64,
    /// Out: the number of matching probes, over all statements.
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
    /// In: the room there, in bytes. Out: bytes written. If the room is smaller than the buffer,
    /// the call fails (ENOSPC) and the buffer is unchanged.
    pub size: u64,
    /// In: the CPU. ENOENT: there is no CPU with this id.
    pub cpu: u32,
    /// Out: faults on this CPU since the last snapshot.
    pub errors: u32,
    /// Out: records that found no room since the last snapshot.
    pub drops: u64,
    /// Out: byte offset of the oldest record (policy ring), else 0.
    pub oldest: u64,
    /// Out: monotonic time of the switch, in ns. All later records of this CPU are at least as new.
    pub timestamp: u64,
}

/// Argument of [`GO`] and [`STOP`].
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, FromBytes, IntoBytes, Immutable, KnownLayout)]
pub struct Go {
    /// Out: the CPU that ran BEGIN or END.
    pub cpu: u32,
    /// Out of GO: the number of matching probes that could not be enabled.
    pub left_out: u32,
    /// Out of GO: bytes of a principal buffer; less than the option says if memory was short and
    /// the option bufresize is auto.
    pub bufsize: u64,
    /// Out of GO: bytes of an aggregation buffer, likewise.
    pub aggsize: u64,
    /// Out of GO: bytes of the room for dynamic variables, likewise.
    pub dynvarsize: u64,
    /// Out of GO: bytes of a speculation, likewise.
    pub specsize: u64,
    /// Out of GO: the number of matching probes, each counted once, without those of the provider
    /// `dtrace`.
    pub probes: u32,
    /// Zero.
    pub pad: u32,
}

/// Argument of [`DONE`]. The EPIDs of retired probes (a process has ended, a module was unloaded)
/// are used again, which takes both sides:
///
/// 1. The consumer says that it has processed all records older than `until`: no buffer that it has
///    taken has one left. The least [`BufDesc::timestamp`] of a round of snapshots is such a time,
///    once the records of that round have been printed.
/// 2. The kernel answers with EPIDs of probes that fired for the last time before that, and that
///    have no record waiting in a speculation (or in a ring, which is taken only at the end).
/// 3. The consumer forgets its data about them. The kernel uses them for other probes only after
///    this answer was given; until it does, EPROBE says that they do not exist.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, FromBytes, IntoBytes, Immutable, KnownLayout)]
pub struct Done {
    /// In: monotonic time, in ns. A time in the future counts as now.
    pub until: u64,
    /// In: user address for the EPIDs. If they cannot be written there, they are never used again.
    pub epids: u64,
    /// In: the room there, in EPIDs. Out: their number; if they fill the room, there may be more.
    pub count: u32,
    /// Zero.
    pub pad: u32,
}

/// Argument of [`FORMAT`].
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, FromBytes, IntoBytes, Immutable, KnownLayout)]
pub struct Format {
    /// In: the id, from a record description.
    pub id: FormatId,
    /// In: the room at `text`, in bytes. Out: bytes of the string, NUL included, even if it does
    /// not fit.
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
    /// In: the room there, in bytes. Out: bytes written, without a NUL.
    pub size: u32,
    /// Zero.
    pub pad: u32,
}

/// Argument of [`EXPLAIN`]. ENOENT: no provider knows why.
#[repr(C)]
#[derive(Clone, Copy, FromBytes, IntoBytes, Immutable, KnownLayout)]
pub struct Explain {
    /// In: the function, or the probe's name if there is no function, byte for byte; the other
    /// parts may be empty.
    pub pattern: ProbeDesc,
    /// Out: the number of a [`crate::reason::Reason`].
    pub reason: u32,
    /// Out: the related name, NUL-terminated.
    pub symbol: [u8; FUNCTION_LEN],
}

/// Longest name of a [`Symbol`], NUL included: a module's name, a colon, and a name of kallsyms.
pub const SYMBOL_LEN: usize = 576;

/// Argument of [`SYMBOL`]. ENOENT: there is no such symbol.
#[repr(C)]
#[derive(Clone, Copy, FromBytes, IntoBytes, Immutable, KnownLayout)]
pub struct Symbol {
    /// In: `name` for the first symbol of that name in the kernel and its modules, or `module:name`
    /// for the one of that module; NUL-terminated.
    pub name: [u8; SYMBOL_LEN],
    /// Out: its address. For a per-CPU variable, this is the address of the original, which no CPU
    /// uses.
    pub address: u64,
}

/// Most probes that [`LEFTOUT`] lists.
pub const MAX_LEFT_OUT: usize = 64;

/// Most EPIDs that one [`DONE`] call frees.
pub const MAX_DONE: usize = 4096;

/// Most probes that one [`PROBES`] call returns.
pub const MAX_PROBES_A_CALL: u32 = 4096;
/// Most bytes of them; more room than this is useless.
pub const MAX_PROBES_SIZE: u32 = 256 << 10;
