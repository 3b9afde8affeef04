// SPDX-License-Identifier: GPL-2.0
//! The function that is attached to tracepoints.
//!
//! A tracepoint with several users calls each of them through a pointer. With CFI, such a call
//! checks the function's type, which is encoded in the bytes before it. So each type of tracepoint
//! has an entry in `kapi_typed`: a copy of these bytes and of the first instruction of the kernel's
//! own function of that type (`probestub`), then a jump to `kapi_tracepoint`. A copy serves kCFI and
//! FineIBT. An entry stays for other tracepoints of its type.

use kernel::bindings::tracepoint;
use kernel::ffi::c_void;

/// Returns the function to attach; `None`: no room, no way to write text, or a check that depends
/// on where it lies.
///
/// # Safety
///
/// The tracepoint exists.
pub(crate) unsafe fn entry(tp: *const tracepoint) -> Option<*mut c_void> {
    #[cfg(CONFIG_CFI)]
    // SAFETY: by the caller.
    return unsafe { entries::entry(tp) };
    #[cfg(not(CONFIG_CFI))]
    // SAFETY: by the caller.
    return Some(unsafe { attached(tp) });
}

/// Returns the function that was attached.
///
/// # Safety
///
/// The tracepoint exists, and [`entry`] has returned a function for it.
pub(crate) unsafe fn attached(tp: *const tracepoint) -> *mut c_void {
    #[cfg(CONFIG_CFI)]
    // SAFETY: by the caller.
    return unsafe { entries::attached(tp) };
    #[cfg(not(CONFIG_CFI))]
    {
        let _ = tp;
        crate::sys::kapi_tracepoint as *mut c_void
    }
}

#[cfg(CONFIG_CFI)]
mod entries {
    use crate::lock::Lock;
    use crate::poke::Text;
    use crate::xcall::Cpus;
    use crate::{symbols, sys};
    use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};
    use kernel::bindings::tracepoint;
    use kernel::ffi::c_void;

    /// `trampoline.S` has room for so many entries of so many bytes.
    const ENTRIES: usize = 2048;
    const SIZE: usize = 32;
    /// The bytes before a function that encode its type.
    const BEFORE: usize = 16;
    const COPIED: usize = BEFORE + 4;
    const JUMP: u8 = 0xe9;

    /// The number of entries. [`Lock::Entries`] guards changes.
    static USED: AtomicUsize = AtomicUsize::new(0);

    fn at(n: usize) -> u64 {
        (sys::kapi_typed as *const () as u64).wrapping_add(n.wrapping_mul(SIZE) as u64)
    }

    /// Returns the function of an entry.
    fn function(n: usize) -> *mut c_void {
        at(n).wrapping_add(BEFORE as u64) as *mut c_void
    }

    /// Returns the bytes that say the type of a tracepoint's functions.
    ///
    /// # Safety
    ///
    /// The tracepoint exists.
    unsafe fn kind(tp: *const tracepoint) -> [u8; COPIED] {
        // SAFETY: by the caller.
        let stub = unsafe { (*tp).probestub }.cast::<[u8; COPIED]>();
        // SAFETY: each function lies behind its type, and is longer than the rest.
        #[allow(unused_mut, reason = "only without IBT does it change")]
        let mut kind = unsafe { stub.wrapping_byte_sub(BEFORE).read() };
        // Without IBT, functions do not begin with an instruction of their own kind.
        #[cfg(not(CONFIG_X86_KERNEL_IBT))]
        kind[BEFORE..].copy_from_slice(&[0x0f, 0x1f, 0x40, 0x00]);
        kind
    }

    /// Returns the number of the entry of this type, or of the first free one.
    fn find(kind: &[u8; COPIED]) -> usize {
        let used = USED.load(Relaxed);
        let is = |n: &usize| {
            // SAFETY: the entry was written, and does not change any more.
            unsafe { *(at(*n) as *const [u8; COPIED]) == *kind }
        };
        (0..used).find(is).unwrap_or(used)
    }

    /// # Safety
    ///
    /// The tracepoint exists.
    pub(super) unsafe fn entry(tp: *const tracepoint) -> Option<*mut c_void> {
        let fns = symbols::breakpoint_fns()?;
        // SAFETY: by the caller.
        let kind = unsafe { kind(tp) };
        // FineIBT's own jump leads into the copied instruction; cfi=bhi has a call to elsewhere
        // instead.
        let [.., first, second, _, _, _, _, _, _, _, _, _] = kind;
        if first == 0x2e && second != 0x0f {
            return None;
        }
        let _held = Lock::Entries.hold();
        let n = find(&kind);
        if n >= ENTRIES {
            return None;
        }
        if n == USED.load(Relaxed) {
            let to = at(n);
            let mut bytes = [0; COPIED + 5];
            let target = sys::kapi_tracepoint as *const () as u64;
            let distance = target.wrapping_sub(to.wrapping_add(bytes.len() as u64)) as u32;
            let jump = [JUMP].into_iter().chain(distance.to_le_bytes());
            bytes.iter_mut().zip(kind.into_iter().chain(jump)).for_each(|(to, from)| *to = from);
            let mut text = Text::hold_own(fns);
            text.event(to, &[], &bytes);
            // SAFETY: no CPU runs there yet: the entry lies behind all used ones.
            unsafe { text.write(to, &bytes) };
            drop(text);
            Cpus::hold().sync(fns);
            USED.store(n.wrapping_add(1), Relaxed);
        }
        Some(function(n))
    }

    /// # Safety
    ///
    /// The tracepoint exists, and has an entry.
    pub(super) unsafe fn attached(tp: *const tracepoint) -> *mut c_void {
        // SAFETY: by the caller.
        let kind = unsafe { kind(tp) };
        let _held = Lock::Entries.hold();
        function(find(&kind))
    }
}
