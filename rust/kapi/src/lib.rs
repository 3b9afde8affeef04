// SPDX-License-Identifier: GPL-2.0
//! Kernel interfaces made safe: the only crate of the module that may say `unsafe`.
//!
//! All code above it is safe Rust and uses the kernel through this crate. Each subject has one
//! file, with the name that you would look for. Each function can be called with any argument, or
//! its signature demands the evidence that makes it safe: `&ProbeCtx` for work that is legal only
//! while a probe fires.
//!
//! | module | subject |
//! |---|---|
//! | [`context`] | probe context: interrupts off, and not inside another probe |
//! | [`percpu`], [`publish`] | data for probes: a slot per CPU; a pointer that others replace |
//! | [`global`] | a value that static code finds |
//! | [`xcall`] | code on a given CPU; waiting until all probes under way are over |
//! | [`nofault`] | loads that may fail |
//! | [`task`], [`time`] | the current task; clocks |
//! | [`threads`] | threads that end, or give the CPU to another one |
//! | [`tracepoint`], [`field`] | the kernel's tracepoints; members of its structures |
//! | [`syscall`] | the functions that serve system calls, and their arguments |
//! | [`timer`], [`alive`] | interrupts at regular intervals; whether threads still run |
//! | [`counter`] | a callback each time that a number of events was counted |
//! | [`stack`] | the calls that led to a probe |
//! | [`act`], [`wake`] | signals, a pause, a panic; waking a process |
//! | [`symbols`], [`modules`] | names to addresses; modules that load and unload |
//! | [`text`], [`trampoline`] | changes of running code; the code that a changed site calls |
//! | [`ftrace`], [`int3`] | calls at the entries of functions; breakpoints on any instruction |
//! | [`user`], [`follow`] | programs: their memory and events; what they map |
//! | [`forbidden`] | instructions that we must not change |
//! | [`livepatch`] | functions that do not run, because a livepatch has replaced them |
//! | [`stuck`] | patches that cannot be undone yet |
//! | [`mem`], [`sort`] | allocation that can fail; sorting without memory |
//! | [`device`], [`file`], [`log`] | device nodes that keep the module; files; the log's prefix |
//!
//! Rules, in addition to those of `rust/README.md`:
//!
//! - No function here panics because of an argument.
//! - A symbol that was looked up is called through `kapi_call4` only, never through a function
//!   pointer: the kernel has sealed the entries of functions whose address it does not take, and a
//!   machine with IBT dies of such a call. No test in a guest without IBT can show it.
//! - When the `kernel` crate learns to do something, the code for it here is deleted.
//!
//! # What the `kernel` crate has in its place
//!
//! In 7.3, the newest kernel that we build for:
//!
//! | module | the crate has | what it lacks for us |
//! |---|---|---|
//! | [`mem`] | `alloc`, which we use | failures for tests; release after a grace period |
//! | `lock` | `sync::Mutex`, `global_lock!` | a static that needs no `unsafe fn init` |
//! | `once` | `sync::SetOnce` | a read that calls no function, which may have a breakpoint |
//! | `rcu`, [`publish`] | `sync::rcu::Guard` | pointers and tables that RCU protects |
//! | [`percpu`] | nothing | per-CPU variables |
//! | [`xcall`] | `cpu::CpuId` | calls on other CPUs; the hotplug lock |
//! | [`timer`] | `time::hrtimer` | the start on another CPU; hotplug states |
//! | [`task`], `path` | `task::Task`, `fs::File` | most members; reads that may fail; paths |
//! | [`user`], `space`, `errand`, `walk` | `mm::Mm`, `VmaRef` | a killable lock; a mapping's file |
//! | `hook`, [`threads`], [`tracepoint`] | `declare_trace!` | a function of ours there |
//! | [`wake`] | nothing | `irq_work`; eventfd |
//! | [`act`] | `Task::wake_up` | signals |
//! | `notifier`, [`modules`] | nothing | notifier chains; the list of modules |
//! | [`device`] | `miscdevice`, which we use | in 7.2, the owner; a second kind of node |
//! | [`file`] | `firmware::Firmware` | a file by its path |
//! | [`log`] | the macros of `print` | a prefix for a crate that is not the module |
//!
//! It has nothing for [`counter`] (perf events), [`stack`], [`nofault`], [`symbols`], [`syscall`],
//! and for what changes the kernel's text ([`text`], [`trampoline`], [`ftrace`], [`int3`],
//! [`forbidden`], [`livepatch`], [`stuck`]). No driver needs these, so they will stay here.
#![no_std]
#![deny(unsafe_op_in_unsafe_fn)]
#![deny(clippy::undocumented_unsafe_blocks, clippy::multiple_unsafe_ops_per_block)]

pub mod act;
pub mod alive;
pub mod context;
pub mod counter;
pub mod device;
mod errand;
mod events;
pub mod field;
pub mod file;
pub mod follow;
pub mod forbidden;
pub mod ftrace;
pub mod global;
mod hook;
pub mod int3;
pub mod livepatch;
mod lock;
pub mod log;
mod mapped;
mod mapping;
pub mod mem;
pub mod modules;
pub mod nofault;
mod notifier;
mod once;
mod pages;
mod path;
pub mod patience;
pub mod percpu;
mod poke;
mod prototypes;
pub mod publish;
mod questions;
mod rcu;
mod sites;
pub mod sort;
mod space;
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
mod typed;
pub mod user;
pub mod wake;
mod walk;
pub mod xcall;

pub use context::ProbeCtx;

use core::sync::atomic::{AtomicBool, Ordering};

const __LOG_PREFIX: &[u8] = log::PREFIX;

/// Initialises the crate. Features that this kernel lacks are logged and stay off. For tests,
/// `without_text` makes it treat [text patching](text) as missing.
///
/// # Context
///
/// *process*; once, before anything else of the module.
pub fn init(without_text: bool) {
    static BEGUN: AtomicBool = AtomicBool::new(false);
    if BEGUN.swap(true, Ordering::Relaxed) {
        return;
    }
    // SAFETY: `BEGUN` lets only one caller get here, once, before anybody takes the patience.
    unsafe { patience::init() };
    rcu::init();
    context::init();
    alive::init();
    sys::kapi_nofault_init();
    symbols::resolve(without_text);
    forbidden::init();
    poke::init();
}

/// Ends all sites: removes those that are left, and waits until no CPU and no task is in module
/// text that one led to. Call it after disarming every site, and before the module goes away: a
/// task may have been preempted inside a trampoline. If no site ever led to us, there is nothing to
/// wait for, which saves half a second.
///
/// # Context
///
/// *process*; after it, code that patches, attaches or arms must call it again.
pub fn quiesce() {
    stuck::quiesce();
    follow::quiesce();
    alive::quiesce();
    threads::quiesce();
    tracepoint::quiesce();
    if sites::expected() {
        // Places that could not be restored for want of memory have fired until now.
        let _ = ftrace::detach_all();
        let table = sites::Table::lock();
        table.breakpoints_off();
        table.end();
    }
    sys::kapi_probe_end();
    act::quiesce();
}
