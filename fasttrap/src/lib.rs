// SPDX-License-Identifier: GPL-2.0
//! The fasttrap provider: functions and instructions of programs.
//!
//! A probe is a breakpoint on an instruction of one process, in the process's own copy of the page.
//! Files, other processes and the program's stack do not change. A thread that hits the breakpoint
//! enters the kernel, and its probes fire. Then the instruction must take effect, without stopping
//! other threads, and without removing the breakpoint for a moment, in which another thread would
//! pass it:
//!
//! ```text
//!   jumps, branches, returns            emulated: we set the registers
//!   all other instructions              run in a slot, in memory that we map into the process:
//!                                       the instruction and a jump to the next one
//! ```
//! A slot serves all threads, and a hit needs no memory. So nothing is lost or left over when a
//! thread gets a signal, is killed, or calls `longjmp` in a handler.
//!
//! Return probes are on the instructions that leave a function; we do not change return addresses.
//! They fire after the instruction, when the thread is back in the caller.
//!
//! The consumer, which knows symbols, asks for probes (`abi::user`). We know a process by its
//! memory. A thread that executes another program leaves that memory. A child gets a copy of it and
//! removes our breakpoints from the copy before it runs. Probes live as long as their process.
//!
//! | file | holds |
//! |---|---|
//! | `provider` | start and end; forks, exits and executions of processes |
//! | `context` | the provider's context, for functions that get no reference to it |
//! | `code` | the code of a process: bringing it into memory, reading it |
//! | `copy` | copies of text that contain breakpoints |
//! | `make` | probes that the consumer asks for |
//! | `process` | a process: its places and slots |
//! | `processes` | all processes |
//! | `litter` | dead places of a process that has others |
//! | `helper` | probes that programs register |
//! | `probes` | probes by their numbers, with their places |
//! | `attach` | enabling and disabling |
//! | `raised` | how often semaphores are raised; pure |
//! | `table` | the tables that a hit reads: from process and address to probes |
//! | `trap` | the steps of a hit |
//! | `args` | arguments from registers |
//! | `index` | a hash index; pure |
//!
//! Locks: `Making`, then the framework's, then `State`, then the process's own (`mmap_lock`).
#![cfg_attr(CONFIG_RUST, no_std)]
#![forbid(unsafe_code)]

#[cfg(CONFIG_RUST)]
mod args;
#[cfg(CONFIG_RUST)]
mod attach;
#[cfg(CONFIG_RUST)]
mod code;
#[cfg(CONFIG_RUST)]
mod context;
#[cfg(CONFIG_RUST)]
mod copy;
#[cfg(CONFIG_RUST)]
mod helper;
#[cfg_attr(not(CONFIG_RUST), allow(dead_code, reason = "on the host only tests use it"))]
mod index;
#[cfg(CONFIG_RUST)]
mod litter;
#[cfg(CONFIG_RUST)]
mod make;
#[cfg(CONFIG_RUST)]
mod probes;
#[cfg(CONFIG_RUST)]
mod process;
#[cfg(CONFIG_RUST)]
mod processes;
#[cfg(CONFIG_RUST)]
mod provider;
#[cfg_attr(not(CONFIG_RUST), allow(dead_code, reason = "on the host only tests use it"))]
mod raised;
#[cfg(CONFIG_RUST)]
mod table;
#[cfg(CONFIG_RUST)]
mod trap;

#[cfg(CONFIG_RUST)]
pub use helper::{add, remove};
#[cfg(CONFIG_RUST)]
pub use make::make;
#[cfg(CONFIG_RUST)]
pub use provider::{start, Running};

// `pr_info!` and friends take their prefix from the crate root.
#[cfg(CONFIG_RUST)]
const __LOG_PREFIX: &[u8] = kapi::log::PREFIX;
