// SPDX-License-Identifier: GPL-2.0
//! The allocator under `liballoc`, for one guest: iced-x86.
//!
//! iced builds its decoding tables on the heap at first use, some 7,700 blocks that it keeps for
//! ever, and allocates nothing afterwards. So the module makes it build them during init and then
//! calls [`seal`]: from then on, code that reaches this allocator is caught. Our own crates use the
//! kernel's fallible collections instead; the build checks that none of their objects names these
//! symbols (`rust/crates.mk`).
//!
//! The tables are the same at every start, so the memory for them is a static of the module: it
//! cannot run out, and it is freed with the module, unlike heap blocks, which iced never frees.
//! Blocks are cut off its free end. Only the last one can be freed or resized in place, which
//! serves vectors that are being filled.
//!
//! rustc writes an allocator shim only when it links the final artefact itself. Here Kbuild links,
//! so this file defines the shim's symbols. `rustc_std_internal_symbol` spells them as each
//! compiler version expects.
#![no_std]
#![feature(rustc_attrs)]
#![allow(internal_features, non_upper_case_globals)]
#![deny(unsafe_op_in_unsafe_fn)]

use core::cell::UnsafeCell;
use core::mem::MaybeUninit;
use core::ptr;
use core::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

/// iced-x86 1.22 takes 367,688; the rest is for the next version.
const SIZE: usize = 448 << 10;

#[repr(align(64))]
struct Room(UnsafeCell<[MaybeUninit<u8>; SIZE]>);

// SAFETY: `get` cuts off each byte for one block, and the byte belongs to that block's user.
unsafe impl Sync for Room {}

static ROOM: Room = Room(UnsafeCell::new([MaybeUninit::uninit(); SIZE]));
/// The offset at which the free end begins.
static USED: AtomicUsize = AtomicUsize::new(0);
static SEALED: AtomicBool = AtomicBool::new(false);

/// Seals the allocator: from now on an allocation is a bug, and stops the machine as one.
///
/// # Context
///
/// *process*; at the end of module init.
pub fn seal() {
    SEALED.store(true, Relaxed);
}

/// Returns how many bytes the tables take, and how many there are.
pub fn used() -> (usize, usize) {
    (USED.load(Relaxed), SIZE)
}

fn room() -> *mut u8 {
    ROOM.0.get().cast()
}

fn get(size: usize, align: usize) -> *mut u8 {
    if SEALED.load(Relaxed) {
        panic!("liballoc asked for {size} bytes after module init");
    }
    let mut at = 0;
    let cut = USED.fetch_update(Relaxed, Relaxed, |used| {
        at = used.checked_next_multiple_of(align)?;
        at.checked_add(size).filter(|&end| end <= SIZE && align <= align_of::<Room>())
    });
    if cut.is_err() {
        return ptr::null_mut();
    }
    // SAFETY: `at + size` is within the room, as the closure has checked.
    unsafe { room().add(at) }
}

/// Makes the last block `size` bytes long. Returns false if it is not the last one, or there is no
/// room.
fn resize(block: *mut u8, old: usize, size: usize) -> bool {
    let at = (block as usize).wrapping_sub(room() as usize);
    USED.fetch_update(Relaxed, Relaxed, |used| {
        let last = at.checked_add(old) == Some(used);
        at.checked_add(size).filter(|&end| last && end <= SIZE)
    })
    .is_ok()
}

#[rustc_std_internal_symbol]
unsafe fn __rust_alloc(size: usize, align: usize) -> *mut u8 {
    get(size, align)
}

#[rustc_std_internal_symbol]
unsafe fn __rust_alloc_zeroed(size: usize, align: usize) -> *mut u8 {
    let p = get(size, align);
    if !p.is_null() {
        // SAFETY: `get` returned a block of `size` bytes.
        unsafe { ptr::write_bytes(p, 0, size) };
    }
    p
}

#[rustc_std_internal_symbol]
unsafe fn __rust_dealloc(block: *mut u8, size: usize, _align: usize) {
    resize(block, size, 0);
}

#[rustc_std_internal_symbol]
unsafe fn __rust_realloc(block: *mut u8, old: usize, align: usize, new: usize) -> *mut u8 {
    if !SEALED.load(Relaxed) && resize(block, old, new) {
        return block;
    }
    let p = get(new, align);
    if !p.is_null() {
        // SAFETY: `block` has `old` bytes by the contract of `GlobalAlloc::realloc`, `p` has `new`,
        // and they are different blocks.
        unsafe { ptr::copy_nonoverlapping(block, p, old.min(new)) };
    }
    p
}

#[rustc_std_internal_symbol]
unsafe fn __rust_alloc_error_handler(size: usize, _align: usize) -> ! {
    panic!("liballoc: no room for {size} bytes, {} of {SIZE} are in use", USED.load(Relaxed));
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
