// SPDX-License-Identifier: GPL-2.0
//! Every question that the machine asks of its host.
//!
//! In the kernel the host is the framework, in probe context; in a test it is a script. Calls are
//! dispatched statically, so a host costs what its functions cost. What the machine promises:
//!
//! - variables are asked for only as the verified variable table declares them;
//! - addresses of the string table and of scratch never reach the host, nor addresses of regions
//!   nobody owns; a range never wraps around the end of the address space;
//! - [`Env::store`] gets only addresses of the host's own regions (`0x10..=0x1f`), and the host
//!   still checks the offset;
//! - what changes the traced system ([`Env::copyout`], [`Env::store_builtin`]) is asked only by
//!   objects that [`Verified::is_destructive`](crate::Verified::is_destructive) names.
//!
//! What the host promises: every load is safe against any address, nothing sleeps, nothing panics.

use abi::dif::{Builtin, Subr};
use abi::difo::{DifType, DifVar, SCOPE_LOCAL, SCOPE_THREAD};

use crate::fault::Raised;

/// One key of an associative array, as the host sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Key<'k> {
    /// An integer or pointer.
    Value(u64),
    /// A string without its NUL, or the bytes of a structure.
    Bytes(&'k [u8]),
}

/// Where a variable lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Scope {
    /// One for all.
    Global,
    /// `self->`.
    Thread,
    /// `this->`.
    Local,
}

/// A variable of the D program, from the verified variable table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Var {
    /// Where it lives.
    pub scope: Scope,
    /// Its id, unique within the scope.
    pub id: u16,
    /// What it holds.
    pub ty: DifType,
}

impl Var {
    /// The variable of one row of a verified table.
    pub const fn from_row(row: &DifVar) -> Var {
        let scope = match row.scope {
            SCOPE_THREAD => Scope::Thread,
            SCOPE_LOCAL => Scope::Local,
            _ => Scope::Global,
        };
        // CAST: a verified id has 16 bits.
        Var { scope, id: row.id as u16, ty: row.ty }
    }
}

/// Whose memory an address means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Space {
    /// `ld*`: the kernel's, and the host's regions.
    Kernel,
    /// `uld*`, `copyin`: the current process's.
    User,
    /// `rld*`: as `Kernel`, but only what an enabling without kernel privilege may read.
    Restricted,
}

/// Most bytes of a name that [`Env::path`] gives; of a longer one it gives the end.
pub const MAX_PATH: usize = 256;
/// Steps that a host may take for one: it goes up the tree of files.
pub const PATH_STEPS: u32 = 1024;

/// The host of the machine.
///
/// A string or other value by reference is an address: 0 means none, otherwise it lies in one of
/// the host's regions ([`crate::addr`]) or wherever [`Env::load`] can read it.
pub trait Env {
    /// The host wants to hear of every instruction: all objects take the loop.
    const WATCHES: bool = false;

    /// Called before each instruction, if the host watches. Costs nothing if left.
    #[inline(always)]
    fn step(&mut self, _pc: u32) {}

    /// What is done next costs so much: 1 for an instruction, more for one that works on strings
    /// or copies, about one for each 32 bytes. A host that has a limit ends the object here.
    #[inline(always)]
    fn spend(&mut self, _cost: u32) -> Result<(), Raised> {
        Ok(())
    }

    /// A builtin variable; `index` counts for arrays (`args[]`, `uregs[]`) and is 0 otherwise.
    fn builtin(&mut self, builtin: Builtin, index: u64) -> Result<u64, Raised>;

    /// The value of a variable; by reference, the address of its `ty.size` bytes. Never set: 0, or, of
    /// a struct or an array, the address of zeros.
    fn load_var(&mut self, var: &Var) -> Result<u64, Raised>;

    /// Sets a variable held by value. For one held by reference the value is always 0: unset it.
    /// Storing 0 frees a thread-local variable.
    fn store_var(&mut self, var: &Var, value: u64) -> Result<(), Raised>;

    /// Where the `ty.size` bytes of a global or local variable by reference go: an address of a host's
    /// region. `None`: no room, the host has counted the drop, the store is skipped.
    fn ref_var_for_store(&mut self, var: &Var) -> Result<Option<u64>, Raised>;

    /// Sets a variable by reference that may be freed: a thread-local one (without keys), an element of
    /// an associative array. Of a string the NUL is not among the bytes. No room: the host has counted
    /// the drop and leaves things as they are.
    fn store_ref(&mut self, _v: &Var, _keys: &[Key<'_>], _bytes: &[u8]) -> Result<(), Raised> {
        Err(Raised::ill_op())
    }

    /// As [`Env::load_var`], for an element of an associative array.
    fn load_tuple(&mut self, _var: &Var, _keys: &[Key<'_>]) -> Result<u64, Raised> {
        Err(Raised::ill_op())
    }

    /// As [`Env::store_var`], for an element of an associative array; 0 removes the element.
    fn store_tuple(&mut self, _var: &Var, _keys: &[Key<'_>], _value: u64) -> Result<(), Raised> {
        Err(Raised::ill_op())
    }

    /// Copies from memory that is not the machine's own. Safe for every address.
    fn load(&mut self, space: Space, addr: u64, into: &mut [u8]) -> Result<(), Raised>;

    /// Loads a number of 1, 2, 4 or 8 bytes that is the kernel's.
    #[inline(always)]
    fn kernel_number(&mut self, addr: u64, size: u8) -> Result<u64, Raised> {
        let mut into = [0; 8];
        self.load(Space::Kernel, addr, into.get_mut(..size.into()).unwrap_or_default())?;
        Ok(u64::from_le_bytes(into))
    }

    /// Copies a string up to its NUL, which is not counted, at most `into.len()` bytes. An answer
    /// shorter than `into` says that the NUL was found.
    fn load_str(&mut self, space: Space, addr: u64, into: &mut [u8]) -> Result<usize, Raised> {
        let mut at = addr;
        let mut len: usize = 0;
        for byte in into.iter_mut() {
            self.load(space, at, core::slice::from_mut(byte))?;
            if *byte == 0 {
                break;
            }
            at = at.wrapping_add(1);
            len = len.wrapping_add(1);
        }
        Ok(len)
    }

    /// Writes to a variable of the host's; any other address is an invalid one.
    fn store(&mut self, addr: u64, bytes: &[u8]) -> Result<(), Raised>;

    /// Sets an element of a builtin array: only `uregs[]`. Destructive.
    fn store_builtin(&mut self, _b: Builtin, _index: u64, _value: u64) -> Result<(), Raised> {
        Err(Raised::ill_op())
    }

    /// Writes to the current process. Destructive. A long range comes in pieces, in order.
    fn copyout(&mut self, _uaddr: u64, _bytes: &[u8]) -> Result<(), Raised> {
        Err(Raised::ill_op())
    }

    /// A pseudo-random number.
    fn random(&mut self) -> u64;

    /// True if the current process descends from `pid`, or is it.
    fn progenyof(&mut self, _pid: u64) -> Result<bool, Raised> {
        Err(Raised::ill_op())
    }

    /// A free speculation's id; 0 if none is free.
    fn speculation(&mut self) -> Result<u64, Raised> {
        Err(Raised::ill_op())
    }

    /// The name of what the `struct path` at an address of the kernel's stands for, in a part of `room`;
    /// or of where what it is on is mounted.
    fn path<'r>(
        &mut self,
        _at: u64,
        _of_mount: bool,
        _room: &'r mut [u8; MAX_PATH],
    ) -> Result<&'r [u8], Raised> {
        Err(Raised::ill_op())
    }

    /// A subroutine that needs the kernel, with the values on the tuple stack.
    fn subr(&mut self, _subr: Subr, _args: &[u64]) -> Result<u64, Raised> {
        Err(Raised::ill_op())
    }
}
