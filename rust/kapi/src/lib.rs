// SPDX-License-Identifier: GPL-2.0
//! Kernel interfaces made safe: the only crate of the module that may say `unsafe`.
//!
//! Everything above it is written in safe Rust and asks here for what the kernel has. So each
//! subject has one file, named as one would ask for it, and each function of it either can be
//! called with any argument, or its signature demands the evidence that makes it safe: `&ProbeCtx`
//! for what is legal only while a probe fires.
//!
//! | subject | |
//! |---|---|
//! | [`context`] | probe context: interrupts off, and not inside another probe |
//! | [`percpu`], [`publish`] | what probes read: a slot per CPU; a pointer that others replace |
//! | [`global`] | a value that static code finds |
//! | [`xcall`] | run on a CPU; wait until all probes under way are over |
//! | [`nofault`] | loads that may miss |
//! | [`task`], [`time`] | who and when |
//! | [`threads`] | threads that end, or give the CPU to another one |
//! | [`tracepoint`], [`field`] | the kernel's tracepoints; what its structures tell of an event |
//! | [`syscall`] | who serves system calls, and what a process passed |
//! | [`timer`], [`alive`] | something at regular intervals; whether threads come to run |
//! | [`counter`] | something each time that so many events were counted |
//! | [`stack`] | how it came here |
//! | [`act`], [`wake`] | signals, a pause, the end; a process that waits |
//! | [`symbols`], [`modules`] | names to addresses; modules as they come and go |
//! | [`text`], [`trampoline`] | changing instructions of running code; where a changed one leads |
//! | [`ftrace`], [`int3`] | calls at the entries of functions; breakpoints on any instruction |
//! | [`user`], [`follow`] | programs: their memory, and what happens to them; what they map |
//! | [`forbidden`] | which instructions are not ours to change |
//! | [`stuck`] | what cannot be taken back yet |
//! | [`mem`], [`sort`] | allocation that can be refused; sorting that needs none |
//! | [`device`], [`log`] | device nodes that own the module; one prefix |
//!
//! Rules of the house, beyond those of `rust/README.md`:
//!
//! - Nothing here panics on an argument.
//! - A symbol that was looked up is called through `kapi_call4` only, never through a function
//!   pointer: the kernel has sealed the entries of functions whose address it does not take, and a
//!   machine with IBT dies of such a call. No test in a guest without IBT can show it.
//! - What the `kernel` crate learns to do is deleted here.
#![no_std]
#![deny(unsafe_op_in_unsafe_fn)]
#![deny(clippy::undocumented_unsafe_blocks, clippy::multiple_unsafe_ops_per_block)]

pub mod act;
pub mod alive;
pub mod context;
pub mod counter;
pub mod device;
pub mod field;
pub mod file;
pub mod follow;
pub mod forbidden;
pub mod ftrace;
pub mod global;
pub mod int3;
mod lock;
pub mod log;
pub mod mem;
pub mod modules;
pub mod nofault;
mod once;
pub mod percpu;
pub mod publish;
mod sites;
pub mod sort;
pub mod stack;
pub mod stuck;
pub mod symbols;
mod sys;
pub mod syscall;
pub mod task;
pub mod text;
pub mod threads;
pub mod time;
pub mod timer;
pub mod tracepoint;
pub mod trampoline;
pub mod user;
pub mod wake;
pub mod xcall;

pub use context::ProbeCtx;

use core::sync::atomic::{AtomicBool, Ordering};

const __LOG_PREFIX: &[u8] = log::PREFIX;

/// Makes the crate ready. What this kernel cannot give is logged, and off. For tests,
/// `without_text` has it take [text patching](text) for missing.
///
/// # Context
///
/// *process*; once, before anything else of the module.
pub fn init(without_text: bool) {
    static BEGUN: AtomicBool = AtomicBool::new(false);
    if BEGUN.swap(true, Ordering::Relaxed) {
        return;
    }
    context::init();
    sys::kapi_alive_init();
    sys::kapi_nofault_init();
    symbols::resolve(without_text);
}

/// The end of all sites: takes back what is left of them, and waits until no CPU and no task is in
/// module text that one led to. After disarming every site, and before the module goes away: a task
/// may have been preempted inside a trampoline. If no site ever led to us there is nobody to wait
/// for, and half a second is saved.
///
/// # Context
///
/// *process*; whoever patches, attaches or arms afterwards must call it again.
pub fn quiesce() {
    sys::kapi_probe_end();
    stuck::quiesce();
    act::quiesce();
    follow::quiesce();
    sys::kapi_alive_end();
    threads::quiesce();
    tracepoint::quiesce();
    if !sites::expected() {
        return;
    }
    ftrace::detach_all();
    let table = sites::Table::lock();
    table.breakpoints_off();
    table.end();
}
