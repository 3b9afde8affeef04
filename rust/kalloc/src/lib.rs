// SPDX-License-Identifier: GPL-2.0
//! The allocator under `liballoc`, for one guest: iced-x86.
//!
//! iced builds its decoding tables on the heap at first use, some 7,700 blocks that it keeps for
//! ever, and allocates nothing afterwards. So the module makes it build them during init and then
//! calls [`seal`]: from there on no code can reach this allocator without being caught. Crates of
//! ours use the kernel's fallible collections instead; the build checks by `nm` that none of their
//! objects names these symbols.
//!
//! rustc writes an allocator shim only when it links the final artefact itself. Here Kbuild links,
//! so the shim's symbols stand below. `rustc_std_internal_symbol` spells them as each compiler
//! version expects.
#![no_std]
#![feature(rustc_attrs)]
#![allow(internal_features, non_upper_case_globals)]
#![deny(unsafe_op_in_unsafe_fn)]

use core::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use kernel::bindings;

// Running out of memory here could only end in a panic with half-built tables: so wait for memory
// instead. `kernel::alloc::flags` has no __GFP_NOFAIL; bindgen gives its bit.
const FLAGS: u32 = bindings::GFP_KERNEL | (1 << bindings::___GFP_NOFAIL_BIT);

static SEALED: AtomicBool = AtomicBool::new(false);
static IN_USE: AtomicUsize = AtomicUsize::new(0);

/// From here on an allocation is a bug, and stops the machine as one.
///
/// # Context
///
/// *process*; at the end of module init.
pub fn seal() {
    SEALED.store(true, Relaxed);
}

/// Bytes that the tables hold.
pub fn in_use() -> usize {
    IN_USE.load(Relaxed)
}

fn get(size: usize, align: usize, flags: u32) -> *mut u8 {
    if SEALED.load(Relaxed) {
        panic!("liballoc asked for {size} bytes after module init");
    }
    IN_USE.fetch_add(size, Relaxed);
    // SAFETY: a null pointer asks for a fresh block; it may sleep, and module init, the only time
    // before the seal, may sleep.
    unsafe {
        bindings::kvrealloc_node_align(
            core::ptr::null(),
            size,
            align,
            flags,
            bindings::NUMA_NO_NODE,
        )
    }
    .cast()
}

#[rustc_std_internal_symbol]
unsafe fn __rust_alloc(size: usize, align: usize) -> *mut u8 {
    get(size, align, FLAGS)
}

#[rustc_std_internal_symbol]
unsafe fn __rust_alloc_zeroed(size: usize, align: usize) -> *mut u8 {
    get(size, align, FLAGS | bindings::__GFP_ZERO)
}

#[rustc_std_internal_symbol]
unsafe fn __rust_dealloc(ptr: *mut u8, size: usize, _align: usize) {
    IN_USE.fetch_sub(size, Relaxed);
    // SAFETY: `ptr` came from `get`, by the contract of `GlobalAlloc::dealloc`.
    unsafe { bindings::kvfree(ptr.cast()) }
}

#[rustc_std_internal_symbol]
unsafe fn __rust_realloc(ptr: *mut u8, old: usize, align: usize, new: usize) -> *mut u8 {
    let p = get(new, align, FLAGS);
    // SAFETY: `ptr` has `old` bytes by the contract of `GlobalAlloc::realloc`, `p` has `new`
    // (NOFAIL: it is not null), and a fresh block overlaps nothing.
    unsafe { core::ptr::copy_nonoverlapping(ptr, p, old.min(new)) };
    // SAFETY: the caller gives up `ptr`.
    unsafe { __rust_dealloc(ptr, old, align) };
    p
}

#[rustc_std_internal_symbol]
unsafe fn __rust_alloc_error_handler(size: usize, _align: usize) -> ! {
    panic!("liballoc got no memory: {size} bytes");
}

#[cfg(not(alloc_shim_v2))]
mod shim {
    #[rustc_std_internal_symbol]
    static __rust_no_alloc_shim_is_unstable: u8 = 0;
    #[rustc_std_internal_symbol]
    static __rust_alloc_error_handler_should_panic: u8 = 1;
}

#[cfg(alloc_shim_v2)]
mod shim {
    #[rustc_std_internal_symbol]
    fn __rust_no_alloc_shim_is_unstable_v2() {}
    #[rustc_std_internal_symbol]
    fn __rust_alloc_error_handler_should_panic_v2() -> u8 {
        1
    }
}
