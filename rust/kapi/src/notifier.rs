// SPDX-License-Identifier: GPL-2.0
//! A static `struct notifier_block`.

use core::cell::UnsafeCell;
use core::ptr;
use kernel::bindings::notifier_block;
use kernel::ffi::{c_int, c_ulong, c_void};

/// The function of a notifier.
type Call = unsafe extern "C" fn(*mut notifier_block, c_ulong, *mut c_void) -> c_int;

/// The kernel links it into one of its lists.
pub(crate) struct Notifier(UnsafeCell<notifier_block>);

// SAFETY: only the kernel uses its contents, under its own locks.
unsafe impl Sync for Notifier {}

impl Notifier {
    /// A higher `priority` is called earlier.
    pub(crate) const fn new(call: Call, priority: c_int) -> Self {
        let next = ptr::null_mut();
        Self(UnsafeCell::new(notifier_block { notifier_call: Some(call), next, priority }))
    }

    pub(crate) fn get(&self) -> *mut notifier_block {
        self.0.get()
    }
}
