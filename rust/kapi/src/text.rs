// SPDX-License-Identifier: GPL-2.0
//! Patching kernel text: one batch on, one batch off, and what stood there before.
//!
//! A probe site is five bytes wide: a nop while nobody is interested, a `call` to a trampoline
//! while somebody is. The kernel changes it under running CPUs so that each of them executes either
//! the one or the other.
//!
//! What a batch is checked for before anything changes: that each site is text of the kernel or of
//! a module that is still there, and holds the bytes that the patch says were there. So what can be
//! changed is a nop, a return or a jump to a call of a trampoline that was made for it, and back. What
//! cannot be checked here is that a site begins where an instruction begins; its finder decodes the
//! function up to it (crate `x86`).
//!
//! Locks: module_mutex before text_mutex, both taken here.

use crate::sites::{self, Kind, Site, Table};
use crate::symbols;
use crate::sys;
use crate::trampoline::Trampoline;
use core::ops::Range;
use kernel::bindings;
use kernel::ffi::c_int;

/// The five-byte nop of x86-64, the one which the kernel itself uses.
pub const NOP5: [u8; 5] = [0x0f, 0x1f, 0x44, 0x00, 0x00];

const CALL: u8 = 0xe8;
const JUMP: u8 = 0xe9;

/// What the kernel makes of a return: it is as wide as the jump to a return thunk that stands in
/// its place on machines that need one.
pub const RET5: [u8; 5] = [0xc3, 0xcc, 0xcc, 0xcc, 0xcc];

/// So many sites are changed under one hold of the kernel's locks.
pub(crate) const CHUNK: usize = 256;

/// One site: where, what stands there, what is to stand there. It can be made of nothing but what
/// is known to be sound, and of its own undoing.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Patch {
    addr: u64,
    old: [u8; 5],
    new: [u8; 5],
}

impl Patch {
    /// A call of `trampoline` where `old` stands. `None`: it is too far away, or not made for such
    /// an instruction. What it may stand for: [`Trampoline::Sdt`] for a nop, [`Trampoline::Return`]
    /// for a return (or the jump to the kernel's return thunk), [`Trampoline::Tail`] for a jump.
    pub fn to_call(addr: u64, old: [u8; 5], trampoline: Trampoline) -> Option<Self> {
        let fits = match trampoline {
            Trampoline::Sdt => old == NOP5,
            Trampoline::Return => {
                let to = branch_target(addr, old, JUMP);
                old == RET5 || to.is_some() && to == symbols::return_thunk()
            }
            Trampoline::Tail => old.first() == Some(&JUMP),
        };
        let new = call_to(trampoline, addr)?;
        fits.then_some(Self { addr, old, new })
    }

    /// A nop where `call` stands. `None`: it is none.
    pub fn call_to_nop(addr: u64, call: [u8; 5]) -> Option<Self> {
        let fits = call.first() == Some(&CALL);
        fits.then_some(Self { addr, old: call, new: NOP5 })
    }

    /// The way back.
    pub fn undo(&self) -> Self {
        Self { addr: self.addr, old: self.new, new: self.old }
    }

    /// The first byte.
    pub fn addr(&self) -> u64 {
        self.addr
    }

    /// Where it calls, if it makes a call.
    fn calls(&self) -> Option<u64> {
        branch_target(self.addr, self.new, CALL)
    }

    /// Does it change a return, or put one back?
    fn is_return(&self) -> bool {
        self.old == RET5 || self.new == RET5
    }

    /// If it makes a jump a call that must know where the jump went: that.
    fn tail(&self) -> Option<Site> {
        let target = branch_target(self.addr, self.old, JUMP)?;
        (self.calls() == Some(Trampoline::Tail.addr()))
            .then(|| Site::new(self.addr, Kind::Tail, target, 5))
    }
}

/// Has a call in a trampoline of ours call another function of the same type. False: it calls the
/// old one.
pub(crate) fn redirect(call: u64, old: u64, new: u64) -> bool {
    match (call_from(call, old), call_from(call, new)) {
        // No site leads to us by this: whoever unloads us has nobody to wait for.
        (Some(old), Some(new)) => write(&[Patch { addr: call, old, new }]).is_ok(),
        _ => false,
    }
}

/// Where a five-byte instruction with this first byte leads.
fn branch_target(addr: u64, [first, a, b, c, d]: [u8; 5], opcode: u8) -> Option<u64> {
    let distance = i64::from(i32::from_le_bytes([a, b, c, d]));
    (first == opcode).then(|| addr.wrapping_add(5).wrapping_add_signed(distance))
}

/// Why nothing was patched. The number is the index of the patch that stood in the way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PatchError {
    /// This kernel lacks what it takes.
    Unsupported,
    /// `new` is none of the instructions that can be written.
    NotPatchable(usize),
    /// The address is not text, or no longer.
    NotText(usize),
    /// Other bytes than `old` stand there.
    Differs(usize),
    /// Everything was written, but this one does not read back as such.
    ReadBack(usize),
}

/// Makes all changes of the batch, or none. Fastest if the addresses ascend.
///
/// # Context
///
/// *process*; not under a lock that is taken in a callback of
/// [`crate::modules::ModuleRef::for_each_symbol`].
pub fn patch(batch: &[Patch]) -> Result<(), PatchError> {
    let mut unknown = None;
    let _held = announce(batch, &mut |i, _| unknown = Some(i));
    match unknown {
        Some(i) => Err(PatchError::NotPatchable(i)),
        None => write(batch),
    }
}

fn write(batch: &[Patch]) -> Result<(), PatchError> {
    const EINVAL: c_int = -(bindings::EINVAL as c_int);
    const ENXIO: c_int = -(bindings::ENXIO as c_int);
    const EIO: c_int = -(bindings::EIO as c_int);
    let fns = symbols::text_fns().ok_or(PatchError::Unsupported)?;
    let mut at = 0;
    // SAFETY: `fns` is from `symbols`, and the slice has that many members. Each is a change between two
    // instructions that a `Patch` can be made of, at a place that its finder vouches for.
    match unsafe { sys::kapi_text_patch(fns, batch.as_ptr(), batch.len(), &mut at) } {
        0 => Ok(()),
        EINVAL => Err(PatchError::NotPatchable(at)),
        ENXIO => Err(PatchError::NotText(at)),
        EIO => Err(PatchError::ReadBack(at)),
        _ => Err(PatchError::Differs(at)),
    }
}

/// Why one site was left as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refused {
    /// This kernel lacks what it takes.
    Unsupported,
    /// This cannot be done to any site.
    Malformed,
    /// The address is not text, or no longer; for ftrace: not the entry of a function that it
    /// knows.
    NotText,
    /// Somebody else has changed what stands there, or has it already.
    Busy,
    /// Nothing more can be displaced.
    NoRoom,
    /// No memory.
    Memory,
}

impl Refused {
    /// For a helper.
    pub(crate) fn errno(self) -> u8 {
        (match self {
            Self::Unsupported => bindings::EOPNOTSUPP,
            Self::Malformed => bindings::EINVAL,
            Self::NotText => bindings::ENXIO,
            Self::Busy => bindings::EEXIST,
            Self::NoRoom => bindings::ENOSPC,
            Self::Memory => bindings::ENOMEM,
        }) as u8
    }

    /// Of what a helper has in `why`.
    pub(crate) fn of(errno: u8) -> Option<Self> {
        match u32::from(errno) {
            0 => None,
            bindings::EINVAL | bindings::ENOENT => Some(Self::Malformed),
            bindings::EOPNOTSUPP => Some(Self::Unsupported),
            bindings::ENXIO => Some(Self::NotText),
            bindings::ENOSPC => Some(Self::NoRoom),
            bindings::ENOMEM => Some(Self::Memory),
            _ => Some(Self::Busy),
        }
    }
}

/// Makes those of the changes that can be made, and calls `refused` with the index of each that
/// cannot. Fastest if the addresses ascend.
///
/// # Context
///
/// *process*; as [`patch`].
pub fn patch_each(batch: &[Patch], refused: &mut dyn FnMut(usize, Refused)) {
    let Some(fns) = symbols::text_fns() else {
        return (0..batch.len()).for_each(|i| refused(i, Refused::Unsupported));
    };
    for (n, chunk) in batch.chunks(CHUNK).enumerate() {
        let mut whys = [0; CHUNK];
        let _held = announce(chunk, &mut |i, why| {
            if let Some(to) = whys.get_mut(i) {
                *to = why.errno();
            }
        });
        // SAFETY: as in `write`; `whys` has a member for each patch.
        unsafe { sys::kapi_text_patch_each(fns, chunk.as_ptr(), chunk.len(), whys.as_mut_ptr()) };
        for (i, why) in whys.iter().take(chunk.len()).enumerate() {
            if let Some(why) = Refused::of(*why) {
                refused(n.wrapping_mul(CHUNK).wrapping_add(i), why);
            }
        }
    }
}

/// Before calls are written: makes known where the jumps in their places went, which must be so as
/// soon as the first of them calls, and that tasks may come into our text at all; and has breakpoints
/// served, which stand there meanwhile. What is returned keeps others from doing the same at once.
fn announce(batch: &[Patch], refused: &mut dyn FnMut(usize, Refused)) -> Option<Table> {
    if batch.iter().any(|p| p.calls().is_some()) {
        sites::expect();
    }
    let tails = batch.iter().filter(|p| p.tail().is_some()).count();
    if tails == 0 && !batch.iter().any(Patch::is_return) {
        return None;
    }
    let table = Table::lock();
    // While they are changed, tails and returns hold breakpoints.
    let room = if tails == 0 { Ok(()) } else { table.reserve(tails) };
    let room = room.and_then(|()| table.breakpoints_on());
    for (i, p) in batch.iter().enumerate() {
        let tail = || p.tail().map_or(Ok(()), |site| table.add(&site));
        let known = room.and_then(|()| tail());
        if let Err(why) = known {
            refused(i, why);
        }
    }
    Some(table)
}

/// The instruction that calls `trampoline` from `site`; `None` if it is too far away for one.
fn call_to(trampoline: Trampoline, site: u64) -> Option<[u8; 5]> {
    call_from(site, trampoline.addr())
}

fn call_from(site: u64, to: u64) -> Option<[u8; 5]> {
    let from = site.checked_add(5)?;
    let distance = i32::try_from(to.wrapping_sub(from) as i64).ok()?;
    let [a, b, c, d] = distance.to_le_bytes();
    Some([CALL, a, b, c, d])
}

/// Whether the kernel expects the instruction at `addr` to fault, and knows it by its address: a
/// copy of it elsewhere would fault for good.
///
/// # Context
///
/// *process*
pub fn may_fault(addr: u64) -> bool {
    symbols::may_fault(addr)
}

/// Forgets the sites in text that goes, when nobody can come from there any more. Before other text
/// may take its place.
///
/// # Context
///
/// *process* or *notifier*
pub fn forget(range: Range<u64>) {
    Table::lock().forget(range);
}

/// Whether these bytes of text are the business of somebody else who patches: jump labels, static
/// calls, ftrace, alternatives. A kprobe is not asked for: it shows as bytes that differ. If this
/// kernel cannot tell: yes.
///
/// Of a module that is just coming, the kernel does not know its jump labels yet when our watcher
/// hears of it: ask again when it is live.
///
/// # Context
///
/// *process*
pub fn is_reserved(addr: u64, len: usize) -> bool {
    match symbols::text_fns() {
        // SAFETY: `fns` is from `symbols`.
        Some(fns) if len > 0 => unsafe { sys::kapi_text_reserved(fns, addr, len) },
        _ => true,
    }
}
