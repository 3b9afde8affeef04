// SPDX-License-Identifier: GPL-2.0
//! The DIF virtual machine, which checks and runs compiled D expressions.
//!
//! It knows neither probes nor the kernel. An object arrives ([`difo`]), is checked against
//! numbered rules ([`mod@verify`]), and only then can be run ([`interp`]). The machine asks its
//! host ([`mod@env`]) for everything that it cannot compute itself. Everything is bounded: branches
//! only go forward, so an object takes at most as many steps as it has instructions; strsize limits
//! strings; the scratch memory of the clause limits allocations. No step allocates, locks, panics
//! or dereferences anything: D memory has addresses of its own ([`addr`]), and the host accesses
//! all other memory.
//!
//! | chapter | holds |
//! |---|---|
//! | [`op`] | one instruction word, taken apart |
//! | [`difo`] | a DIF object and its parts |
//! | [`mod@verify`] | the rules |
//! | [`bound`] | the upper bound of a run |
//! | [`decode`] | the decoded form of a verified text |
//! | [`interp`] | the loop |
//! | [`quick`] | shapes that need no loop |
//! | [`mod@env`] | the interface of the host |
//! | [`addr`] | addresses of D memory |
//! | [`scratch`] | memory of one clause: alloca and strings |
//! | [`mod@tuple`] | the tuple stack and keys |
//! | `subr` | subroutines, one family per file |
//! | [`fault`] | faults at run time |
//! | [`disasm`] | the listing of `dtrace -S` |
//! | `generate` | programs that pass the verifier, grown from any bytes (feature `std`) |
//! | `harness` | a scripted host, and the promises that fuzzing checks (feature `std`) |
//! | `asm` | assembles text to objects, for tests and tools (feature `std`) |
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
