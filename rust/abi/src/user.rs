// SPDX-License-Identifier: GPL-2.0
//! Probes in user programs, as the consumer requests them: it reads the symbols of a process, and
//! the module places breakpoints.
//!
//! The argument of [`MAKE`] refers to packed [`UserProbe`]s. Each is followed by its places (`u32`
//! distances from its address), the code that is expected there ([`Expected`]), its arguments
//! ([`UserArg`]) and its four names, and then by zeroes up to a multiple of [`PACK_ALIGN`]. A probe
//! that already exists is found by its names. A probe that cannot be made does not hinder the
//! others: it gets a [`Refusal`].

use crate::ioctl::iowr;
use crate::probe::{FUNCTION_LEN, MODULE_LEN, NAME_LEN, PROVIDER_LEN};
use zerocopy::{FromBytes as _, IntoBytes as _};
use zerocopy_derive::{FromBytes, Immutable, IntoBytes, KnownLayout};

/// Makes probes in a process; argument [`Make`].
pub const MAKE: u32 = iowr::<Make>(40);

/// Follows a process: the module reports new mappings before any code in them runs. It wakes the
/// consumer ([`crate::ioctl::WAKE`], which must be called before) and sets
/// [`crate::status::Status::mapped`]; the thread that made the mapping waits for [`SEEN`], a few
/// seconds at most. Argument: the process id in the caller's pid namespace, a `u32`. Following ends
/// with the process, its program, or STOP. ESRCH: there is no such process; ENOSPC: too many are
/// followed. With 0, every process is followed: the module reports each mapping of code, also in a
/// new program, except of files of [`IGNORE`], and each copy (fork) of a process that is also
/// followed itself and has probes; [`BEGUN`] returns the processes.
pub const FOLLOW: u32 = iowr::<u32>(43);
/// Says that the consumer has read the new mappings; argument [`Seen`].
pub const SEEN: u32 = iowr::<Seen>(44);

/// Stops reports about this file to a follower of every process, until the file is written to;
/// argument [`Key`]. The module keeps some thousands of files for a follower; beyond that, it
/// forgets the oldest and reports them again.
///
/// [`Key`]: crate::unwind::Key
pub const IGNORE: u32 = iowr::<crate::unwind::Key>(45);
/// Takes the processes that were reported because every process is followed: as many as there is
/// room for, then 0. Argument [`Strangers`].
///
/// [`Strangers`]: crate::unwind::Strangers
pub const BEGUN: u32 = iowr::<crate::unwind::Strangers>(46);

/// Argument of [`SEEN`].
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, FromBytes, IntoBytes, Immutable, KnownLayout)]
pub struct Seen {
    /// In: the value that [`crate::status::Status::mapped`] had before the mappings were read.
    pub mapped: u32,
    /// Out: the number of threads that went on before this answer, since the last call.
    pub late: u32,
}

/// Argument of [`MAKE`]. ESRCH: there is no such process.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, FromBytes, IntoBytes, Immutable, KnownLayout)]
pub struct Make {
    /// In: user address of the packed probes.
    pub from: u64,
    /// In: their size in bytes, at most [`MAX_MAKE`].
    pub size: u64,
    /// In: user address for the [`Refusal`]s.
    pub refusals: u64,
    /// In: the room there, in refusals. Out: the number of refusals, including those without room.
    pub refused: u32,
    /// In: the process id in the caller's pid namespace.
    pub pid: u32,
    /// Out: the number of probes that did not exist before.
    pub made: u32,
    /// Zero.
    pub pad: u32,
}

/// Most bytes of one [`Make`].
pub const MAX_MAKE: usize = 1 << 20;

/// Most places of probes that a process brings along in notes, for which a consumer asks by
/// [`MAKE`].
pub const MAX_NOTES: usize = 1 << 16;
/// Most such places in all processes of one user other than root.
pub const MAX_USER_NOTES: usize = 1 << 19;
/// Most such places in the processes of all users except root.
pub const MAX_USERS_NOTES: usize = 3 << 18;

/// Packed probes begin at multiples of this.
pub const PACK_ALIGN: usize = 8;

/// The meaning of a [`UserProbe`]'s places.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum UserKind {
    /// `pidN:::entry`: the first instruction of a function.
    Entry = 1,
    /// `pidN:::return`: the instructions that leave a function: returns, and jumps out of it.
    Return = 2,
    /// `pidN:::hex`: any instructions. Each place is a separate probe, named by its distance from
    /// the address, in hex.
    Offset = 3,
    /// USDT: provider and probe have their own names, and `args` says where the arguments are.
    Usdt = 4,
    /// USDT: the instruction `xor %eax,%eax`, by which the program asks whether the probe is
    /// enabled; its result 0 means no.
    Question = 5,
}

impl UserKind {
    /// Returns the kind with this number.
    pub const fn from_number(n: u8) -> Option<Self> {
        match n {
            1 => Some(Self::Entry),
            2 => Some(Self::Return),
            3 => Some(Self::Offset),
            4 => Some(Self::Usdt),
            5 => Some(Self::Question),
            _ => None,
        }
    }
}

/// A file, as `/proc/PID/maps` shows it. All zero: any file, or none.
#[repr(C)]
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout,
)]
pub struct MappedFile {
    /// The inode number in its file system.
    pub inode: u64,
    /// The file system: major << 20 | minor.
    pub device: u32,
    /// Zero.
    pub pad: u32,
}

/// The head of a packed probe.
#[repr(C)]
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout,
)]
pub struct UserProbe {
    /// The address from which its places count, in the process: of a function, its beginning.
    pub address: u64,
    /// For USDT: the address of the counter (`u16`) that is raised while the probe is enabled; 0:
    /// none.
    pub semaphore: u64,
    /// The file that is expected at the address.
    pub file: MappedFile,
    /// Bytes of the function; 0: unknown. A jump inside of the function is not a return.
    pub size: u32,
    /// The number of places that follow, ascending.
    pub places: u32,
    /// A [`UserKind`].
    pub kind: u8,
    /// The number of arguments that follow, at most [`MAX_ARGS`].
    pub args: u8,
    /// Bytes of provider (empty: `pid`; the module appends the process id), module, function and
    /// name (empty: the name of `kind`).
    pub lens: [u8; 4],
    /// Bytes that are expected at each place: the size of an [`Expected`], or 0.
    pub expects: u8,
    /// Zero.
    pub pad: u8,
}

/// The bytes at a place in the file of the symbols. There is no probe where the process has another
/// instruction: then the file has been written to since, or was mistaken for another one. If the
/// instruction is longer, these are its first bytes; after the end of the code they are zeroes.
pub type Expected = [u8; 8];

/// Most arguments of a USDT probe.
pub const MAX_ARGS: usize = 12;

/// The place of an argument of a USDT probe.
#[repr(C)]
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout,
)]
pub struct UserArg {
    /// For `Constant`: the value. For `Memory`: the displacement.
    pub value: i64,
    /// A [`UserArgKind`].
    pub kind: u8,
    /// Size in bytes: 1, 2, 4, 8; plus 128 if it is signed.
    pub width: u8,
    /// Register, or base register: 0 rax, 1 rcx, 2 rdx, 3 rbx, 4 rsp, 5 rbp, 6 rsi, 7 rdi, 8 r8 ...
    /// 15 r15, 16 rip, [`NO_REG`] none; plus 32 for ah, ch, dh, bh in a `Register` of one byte.
    pub reg: u8,
    /// Index register, or [`NO_REG`].
    pub index: u8,
    /// The factor of the index: 1, 2, 4, 8.
    pub scale: u8,
    /// Zero.
    pub pad: [u8; 3],
}

/// No register.
pub const NO_REG: u8 = 0xff;

/// The kind of a [`UserArg`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum UserArgKind {
    /// A constant.
    Constant = 0,
    /// In a register.
    Register = 1,
    /// At `value + reg + index * scale`.
    Memory = 2,
    /// In the low half of a vector register: `reg` is 0 for xmm0 ... 15 for xmm15.
    Vector = 3,
}

/// The reason why a probe, or one place of it, could not be made.
#[repr(C)]
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout,
)]
pub struct Refusal {
    /// The index of the packed probe.
    pub probe: u32,
    /// The place: its distance from the address.
    pub place: u32,
    /// The number of a [`UserReason`].
    pub reason: u32,
    /// Zero.
    pub pad: u32,
}

/// Calls a macro with every reason: `(number, Variant, "words")`.
#[macro_export]
macro_rules! for_each_user_reason {
    ($m:ident) => {
        $m! {
            (1, Unmapped, "nothing is mapped there"),
            (2, NotText, "that memory is not executable"),
            (3, Shared, "that memory is shared: other processes would run into the breakpoint"),
            (4, Undecodable, "no instruction of x86 begins there"),
            (5, Breakpoint, "a breakpoint is there already: a debugger's, another tracer's, or one that the program was compiled with"),
            (6, CannotMove, "its instruction cannot run anywhere else"),
            (7, TooFar, "its instruction refers to memory that is too far from any place where a copy could run"),
            (8, NoRoom, "there is no free address within 2 GiB of it"),
            (9, NoMemory, "there is no memory for it"),
            (10, Names, "a part of its name is too long"),
            (11, Gone, "the process is ending"),
            (12, Other, "another probe of that name has different places"),
            (13, Question, "the program does not ask for tracing there: the instruction is not `xor %eax,%eax`"),
            (14, Privileges, "enabling it writes to its semaphore, which needs CAP_SYS_ADMIN"),
            (15, Semaphore, "its semaphore is not in private, writable memory of the file that has the probe"),
            (16, Away, "its memory is not present, and a program decides when it becomes present: a FUSE file system, a userfaultfd, or a process that keeps its memory locked"),
            (17, Slots, "the process has unmapped the memory in which probed instructions run; the next attempt maps it anew"),
            (18, Differs, "the instruction there differs from the one in the file with its symbols, which has changed since dtrace read it"),
            (19, Sequence, "it is in a restartable sequence (rseq), which ends when the thread leaves its code"),
            (20, Places, "8,192 other places already have its name"),
            (21, Full, "the process has too many places of earlier probes, and may still run one of them: a signal handler or a debugger may return there"),
            (22, Share, "its process, or the user who runs it, has as many probes in notes as are allowed"),
            (23, Size, "the function has more than 16 MiB of code, or more than its file"),
            (24, Replaced, "the process has mapped another file there since dtrace read its map"),
            (25, Resolver, "it is a resolver (IFUNC) that its library does not call itself, so dtrace cannot tell which function it has chosen"),
        }
    };
}

macro_rules! define_user_reasons {
    ($(($num:literal, $variant:ident, $words:literal)),* $(,)?) => {
        /// The reasons why there is no probe at a place of a program.
        #[allow(missing_docs, reason = "the words are the documentation")]
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[repr(u32)]
        pub enum UserReason { $($variant = $num),* }
        impl UserReason {
            /// All reasons.
            pub const ALL: &'static [UserReason] = &[$(UserReason::$variant),*];
            /// Returns the reason with this number.
            pub const fn from_number(n: u32) -> Option<UserReason> {
                match n { $($num => Some(UserReason::$variant),)* _ => None }
            }
            /// Returns the explanation for the user.
            pub const fn words(self) -> &'static str {
                match self { $(UserReason::$variant => $words),* }
            }
        }
    };
}
for_each_user_reason!(define_user_reasons);

/// A packed probe, as a view of memory that belongs to others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UserProbeView<'a> {
    /// Its head.
    pub head: UserProbe,
    places: &'a [u8],
    expected: &'a [u8],
    args: &'a [u8],
    /// Provider, module, function, name.
    pub names: [&'a [u8]; 4],
}

/// The most bytes of each part, plus one for a NUL, which is not packed. The provider's name leaves
/// room for the process id that the module appends.
pub const LENS: [usize; 4] = [PROVIDER_LEN - 10, MODULE_LEN, FUNCTION_LEN, NAME_LEN];

impl<'a> UserProbeView<'a> {
    /// Reads the first packed probe and moves `from` past it. `None`: `from` is at its end, or
    /// malformed.
    pub fn unpack(from: &mut &'a [u8]) -> Option<Self> {
        let (head, rest) = UserProbe::read_from_prefix(from).ok()?;
        let bytes = usize::try_from(head.places).ok()?.checked_mul(size_of::<u32>())?;
        let (places, rest) = rest.split_at_checked(bytes)?;
        let expects = usize::from(head.expects);
        if expects != 0 && expects != size_of::<Expected>() {
            return None;
        }
        let bytes = usize::try_from(head.places).ok()?.checked_mul(expects)?;
        let (expected, rest) = rest.split_at_checked(bytes)?;
        let bytes = usize::from(head.args).checked_mul(size_of::<UserArg>())?;
        let (args, mut rest) = rest.split_at_checked(bytes)?;
        let mut names: [&[u8]; 4] = [&[]; 4];
        for (name, len) in names.iter_mut().zip(head.lens) {
            (*name, rest) = rest.split_at_checked(len.into())?;
        }
        let used = from.len().checked_sub(rest.len())?;
        *from = from.get(used.checked_next_multiple_of(PACK_ALIGN)?..).unwrap_or_default();
        Some(Self { head, places, expected, args, names })
    }

    /// Returns its places, as distances from its address.
    pub fn places(&self) -> impl Iterator<Item = u32> + Clone + 'a {
        self.places.chunks_exact(size_of::<u32>()).filter_map(|b| u32::read_from_bytes(b).ok())
    }

    /// Returns the bytes that are expected at each place, in their order; nothing if they are
    /// unknown.
    pub fn expected(&self) -> impl Iterator<Item = Expected> + Clone + 'a {
        let all = self.expected.chunks_exact(size_of::<Expected>());
        all.filter_map(|b| Expected::read_from_bytes(b).ok())
    }

    /// Returns its arguments.
    pub fn args(&self) -> impl Iterator<Item = UserArg> + Clone + 'a {
        self.args
            .chunks_exact(size_of::<UserArg>())
            .filter_map(|b| UserArg::read_from_bytes(b).ok())
    }
}

/// Packs a probe: calls `put` with the bytes, piece by piece. `head.places`, `expects`, `args` and
/// `lens` are set from the other arguments. `expected` is for all places, or empty. Returns false,
/// and puts nothing, if a name or a list is too long.
pub fn pack(
    mut head: UserProbe,
    places: &[u32],
    expected: &[Expected],
    args: &[UserArg],
    names: [&[u8]; 4],
    put: &mut dyn FnMut(&[u8]),
) -> bool {
    let fits = |(name, most): (&&[u8], usize)| name.len() < most && !name.contains(&0);
    if !names.iter().zip(LENS).all(fits) || args.len() > MAX_ARGS {
        return false;
    }
    let Ok(n) = u32::try_from(places.len()) else { return false };
    if !expected.is_empty() && expected.len() != places.len() {
        return false;
    }
    head.expects = if expected.is_empty() { 0 } else { size_of::<Expected>() as u8 };
    // CAST: checked above.
    (head.places, head.args, head.lens) = (n, args.len() as u8, names.map(|n| n.len() as u8));
    put(head.as_bytes());
    put(places.as_bytes());
    put(expected.as_bytes());
    put(args.as_bytes());
    names.iter().for_each(|name| put(name));
    let used = names.iter().fold(size_of_val(places), |sum, name| sum.wrapping_add(name.len()));
    let used = used.wrapping_add(size_of::<UserProbe>()).wrapping_add(size_of_val(args));
    let used = used.wrapping_add(size_of_val(expected));
    let gap = used.next_multiple_of(PACK_ALIGN).wrapping_sub(used);
    put([0; PACK_ALIGN].get(..gap).unwrap_or_default());
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packed_and_back() {
        let head = UserProbe {
            address: 0x401000,
            file: MappedFile { inode: 5, device: 1 << 20 | 2, pad: 0 },
            size: 99,
            kind: UserKind::Return as u8,
            ..Default::default()
        };
        let arg = UserArg {
            value: -20,
            kind: 2,
            width: 4 | 128,
            reg: 5,
            index: NO_REG,
            scale: 1,
            pad: [0; 3],
        };
        let mut bytes = Vec::new();
        for names in
            [["", "a.out", "main", "return"], ["python", "libpython3.13.so", "", "gc__start"]]
        {
            let expected = [[0xcd; 8], *b"expected"];
            let expected = if names[1] == "a.out" { &expected[..] } else { &[] };
            let ok =
                pack(head, &[4, 90], expected, &[arg; 2], names.map(str::as_bytes), &mut |b| {
                    bytes.extend_from_slice(b)
                });
            assert!(ok && bytes.len() % PACK_ALIGN == 0);
        }
        let long = [b'x'; FUNCTION_LEN];
        assert!(!pack(head, &[], &[], &[], [b"", b"", &long, b""], &mut |_| panic!("put")));
        assert!(!pack(head, &[1], &[[0; 8]; 2], &[], [b""; 4], &mut |_| panic!("put")));
        let mut rest = &bytes[..];
        let (a, b) =
            (UserProbeView::unpack(&mut rest).unwrap(), UserProbeView::unpack(&mut rest).unwrap());
        assert!(rest.is_empty() && UserProbeView::unpack(&mut rest).is_none());
        assert_eq!(a.places().collect::<Vec<_>>(), [4, 90]);
        assert_eq!(a.expected().collect::<Vec<_>>(), [[0xcd; 8], *b"expected"]);
        assert_eq!((b.places().count(), b.expected().count()), (2, 0));
        assert_eq!(b.args().collect::<Vec<_>>(), [arg; 2]);
        assert_eq!(
            (a.names[2], b.names[3], b.head.address, b.head.file),
            (&b"main"[..], &b"gc__start"[..], 0x401000, head.file)
        );
        let mut odd = bytes.clone();
        odd[std::mem::offset_of!(UserProbe, expects)] = 7;
        assert_eq!(UserProbeView::unpack(&mut &odd[..]), None);
        for cut in 0..48 + 8 + 16 + 32 + 15 {
            assert_eq!(UserProbeView::unpack(&mut &bytes[..cut]), None, "{cut} bytes are no probe");
        }
    }

    #[test]
    fn reasons_ascend() {
        for (i, &r) in UserReason::ALL.iter().enumerate() {
            assert_eq!(r as usize, i + 1);
            assert_eq!(UserReason::from_number(r as u32), Some(r));
            assert!(!r.words().ends_with('.'));
        }
    }
}
