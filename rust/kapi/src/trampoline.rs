// SPDX-License-Identifier: GPL-2.0
//! Where a patched site leads: `trampoline.S` saves what the site relies on and comes in here.

use crate::sys;
use kernel::sync::SetOnce;

/// A piece of module text that a site may call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trampoline {
    /// For a probe in the middle of a function: it keeps every register and the flags.
    Sdt,
}

impl Trampoline {
    pub(crate) fn addr(self) -> u64 {
        match self {
            Self::Sdt => sys::kapi_sdt_trampoline as *const () as u64,
        }
    }
}

/// What serves an sdt site: its address, and the registers rdi, rsi, rdx, rcx, r8, r9, r10, r11
/// there.
pub type SdtHandler = fn(site: u64, args: &[u64; 8]);

static SDT_HANDLER: SetOnce<SdtHandler> = SetOnce::new();

/// Sets what is called from every site that is armed with [`Trampoline::Sdt`]; before the first is.
/// Only the first call counts.
///
/// `f` runs wherever the site stands and enters probe context before anything else.
pub fn set_sdt_handler(f: SdtHandler) {
    SDT_HANDLER.populate(f);
}

/// # Safety
///
/// Called by `kapi_sdt_trampoline` only: `args` are the registers on its stack.
#[no_mangle]
unsafe extern "C" fn kapi_sdt_fired(site: u64, args: *const [u64; 8]) {
    if let Some(handler) = SDT_HANDLER.as_ref() {
        // SAFETY: by the caller; the stack stays as it is until we return.
        handler(site, unsafe { &*args });
    }
}
