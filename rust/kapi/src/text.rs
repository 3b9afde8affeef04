// SPDX-License-Identifier: GPL-2.0
//! Patching kernel text: one batch on, one batch off, and what stood there before.
//!
//! A probe site is five bytes wide: a nop while nobody is interested, a `call` to a trampoline
//! while somebody is. The kernel changes it under running CPUs so that each of them executes either
//! the one or the other.
//!
//! What a batch is checked for before anything changes: that each site is text of the kernel or of
//! a module that is still there, and holds the bytes that the patch says were there. What cannot be
//! checked here is that a site begins where an instruction begins; its finder decodes the function
//! up to it (crate `x86`).
//!
//! Locks: module_mutex before text_mutex, both taken here.

use crate::symbols;
use crate::sys;
use crate::trampoline::Trampoline;
use core::sync::atomic::{AtomicBool, Ordering::Relaxed};
use kernel::bindings;
use kernel::ffi::c_int;

/// The five-byte nop of x86-64, the one which the kernel itself uses.
pub const NOP5: [u8; 5] = [0x0f, 0x1f, 0x44, 0x00, 0x00];

const CALL: u8 = 0xe8;

/// One site: where, what stands there, what is to stand there.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Patch {
    /// The first byte.
    pub addr: u64,
    /// What must stand there.
    pub old: [u8; 5],
    /// A nop5, a `call rel32` or a `jmp rel32`.
    pub new: [u8; 5],
}

impl Patch {
    /// The way back.
    pub fn undo(&self) -> Self {
        Self { addr: self.addr, old: self.new, new: self.old }
    }
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
    const EINVAL: c_int = -(bindings::EINVAL as c_int);
    const ENXIO: c_int = -(bindings::ENXIO as c_int);
    const EIO: c_int = -(bindings::EIO as c_int);
    let fns = symbols::text_fns().ok_or(PatchError::Unsupported)?;
    if batch.iter().any(|p| p.new.first() == Some(&CALL)) {
        HAS_CALLED.store(true, Relaxed);
    }
    let mut at = 0;
    // SAFETY: `fns` is from `symbols`, and the slice has that many members.
    match unsafe { sys::kapi_text_patch(fns, batch.as_ptr(), batch.len(), &mut at) } {
        0 => Ok(()),
        EINVAL => Err(PatchError::NotPatchable(at)),
        ENXIO => Err(PatchError::NotText(at)),
        EIO => Err(PatchError::ReadBack(at)),
        _ => Err(PatchError::Differs(at)),
    }
}

/// Set once a call may have been written: text may lead into a trampoline of ours.
static HAS_CALLED: AtomicBool = AtomicBool::new(false);

/// True if a task may ever have come into a trampoline.
pub(crate) fn has_called() -> bool {
    HAS_CALLED.load(Relaxed)
}

/// The instruction that calls `trampoline` from `site`; `None` if it is too far away for one.
pub fn call_to(trampoline: Trampoline, site: u64) -> Option<[u8; 5]> {
    let from = site.checked_add(5)?;
    let distance = i32::try_from(trampoline.addr().wrapping_sub(from) as i64).ok()?;
    let [a, b, c, d] = distance.to_le_bytes();
    Some([CALL, a, b, c, d])
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
