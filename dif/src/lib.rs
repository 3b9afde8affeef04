// SPDX-License-Identifier: GPL-2.0
//! The DIF virtual machine: what a D expression becomes, checked and run.
//!
//! It knows neither probes nor the kernel. An object arrives ([`difo`]), is checked against numbered
//! rules ([`mod@verify`]), and only then can be run ([`interp`]); every question that the machine cannot
//! answer itself goes to its host ([`mod@env`]). Everything is bounded: branches go forward only, so an
//! object takes at most as many steps as it has instructions; strings are bounded by strsize,
//! allocations by the scratch memory of the clause. No step allocates, locks, panics or
//! dereferences anything: D memory has addresses of its own ([`addr`]), the rest is the host's.
//!
//! | chapter | holds |
//! |---|---|
//! | [`op`] | one instruction word, taken apart |
//! | [`difo`] | a DIF object and its parts |
//! | [`mod@verify`] | the rules |
//! | [`bound`] | the most that a run can do |
//! | [`decode`] | a verified text made ready to run |
//! | [`interp`] | the loop |
//! | [`quick`] | what needs no loop |
//! | [`mod@env`] | what the machine asks of its host |
//! | [`addr`] | addresses of D memory |
//! | [`scratch`] | memory of one clause: alloca and strings |
//! | [`mod@tuple`] | the tuple stack and keys |
//! | `subr` | subroutines, one family per file |
//! | [`fault`] | what can go wrong at run time |
//! | [`disasm`] | the listing of `dtrace -S` |
//! | `generate` | programs that verify, grown from any bytes (feature `std`) |
//! | `harness` | a scripted host, and the promise that fuzzing checks (feature `std`) |
//! | `asm` | text to object, for tests and tools (feature `std`) |
#![cfg_attr(not(any(test, feature = "std")), no_std)]
#![forbid(unsafe_code)]
#![deny(missing_docs)]
#![cfg_attr(
    not(test),
    deny(
        clippy::indexing_slicing,
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::arithmetic_side_effects
    )
)]

pub mod addr;
#[cfg(any(test, feature = "std"))]
pub mod asm;
pub mod bound;
pub mod decode;
pub mod difo;
pub mod disasm;
pub mod env;
pub mod fault;
#[cfg(any(test, feature = "std"))]
pub mod generate;
#[cfg(any(test, feature = "std"))]
pub mod harness;
pub mod interp;
mod mem;
pub mod op;
pub mod quick;
pub mod scratch;
mod subr;
pub mod tuple;
pub mod verify;

#[cfg(test)]
mod tests;

pub use decode::{Decoded, Program};
pub use difo::{Difo, DifoRef};
pub use env::{Env, Key, Scope, Space, Var};
pub use fault::{Fault, Raised};
pub use interp::{fetch_bytes, fetch_str, fetch_text, run, run_loop};
pub use quick::Quick;
pub use scratch::Clause;
pub use verify::{verify, Rule, Rules, Verified, VerifyError};
