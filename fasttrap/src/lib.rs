// SPDX-License-Identifier: GPL-2.0
//! The fasttrap provider: functions and instructions of programs.
//!
//! A breakpoint is put on an instruction of one process, in its own copy of the page; files, other
//! processes and the program's stack stay as they are. A thread that meets it comes to us, in the
//! kernel, with its registers. The probes of the place fire; then the thread must have what the
//! instruction would have done, and nobody may be stopped for it, nor may the breakpoint be away for
//! a moment, when another thread would get past:
//!
//! ```text
//!   what only says where to go on       done by hand: the registers are set
//!   all the rest                        runs elsewhere: a slot in memory that was mapped for that,
//!                                       the instruction and a jump to the next one
//! ```
//! A slot knows no thread and serves all of them. Nothing is kept for a hit, so nothing can be lost or
//! left over: a thread may be sent signals, be killed, call `longjmp` out of a handler.
//!
//! Return probes are on the instructions that leave a function; return addresses are not touched.
//! They fire when the instruction has had its effect: the thread is with the caller.
//!
//! Who asks for probes is the consumer ([`abi::user`]): it knows symbols. We know processes by their
//! memory: a thread that executes another program has left it, one that forks gives a copy of it to its
//! child, who takes our breakpoints out of that before it runs. Probes live as long as their process.
//!
//! | file | holds |
//! |---|---|
//! | `provider` | start and end; what happens to processes |
//! | `context` | the provider, for callers from elsewhere |
//! | `make` | probes that the consumer asks for |
//! | `process` | what is known of a process: its places, its slots |
//! | `processes` | all of them |
//! | `helper` | probes that programs tell of themselves |
//! | `probes` | probes by their numbers: where they are |
//! | `attach` | enabling and disabling |
//! | `table` | a process and an address to what is there, for threads that are hit |
//! | `trap` | what happens at a hit, in order |
//! | `args` | registers to arguments |
//! | `index` | numbers by their hashes |
//!
//! Locks: `Making`, then the framework's, then `State`, then the process's own (`mmap_lock`).
#![no_std]
#![forbid(unsafe_code)]

mod args;
mod attach;
mod context;
mod helper;
mod index;
mod make;
mod probes;
mod process;
mod processes;
mod provider;
mod table;
mod trap;

pub use helper::{add, remove};
pub use make::make;
pub use provider::{start, Running};

// `pr_info!` and friends take their prefix from the crate root.
const __LOG_PREFIX: &[u8] = kapi::log::PREFIX;
