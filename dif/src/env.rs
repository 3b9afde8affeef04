// SPDX-License-Identifier: GPL-2.0
//! The interface between the machine and its host.
//!
//! In the kernel the host is the framework, in probe context. In a test it is a script. Calls are
//! dispatched statically, so they cost only what the host's functions cost. The machine promises:
//!
//! - it accesses variables only as the verified variable table declares them;
//! - addresses of the string table, of scratch and of regions without an owner never reach the
//!   host, and a range never wraps around the end of the address space;
//! - [`Env::store`] gets only addresses in the host's own regions (`0x10..=0x1f`), and the host
//!   still checks the offset;
//! - only objects for which [`Verified::is_destructive`](crate::Verified::is_destructive) holds
//!   call functions that change the traced system ([`Env::copyout`], [`Env::store_builtin`]).
//!
//! The host promises that every load is safe for any address, that nothing sleeps and that nothing
//! panics.

use abi::dif::{Builtin, Subr};
use abi::difo::{DifType, DifVar, SCOPE_LOCAL, SCOPE_THREAD};

use crate::fault::Raised;

/// One key of an associative array, in the form that the host gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Key<'k> {
    /// An integer or pointer.
    Value(u64),
    /// A string without its NUL, or the bytes of a structure.
    Bytes(&'k [u8]),
}

/// The scope of a variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Scope {
    /// One variable for all.
    Global,
    /// `self->`.
    Thread,
    /// `this->`.
    Local,
}

/// A variable of the D program, from the verified variable table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Var {
    /// Its scope.
    pub scope: Scope,
    /// Its id, unique within the scope.
    pub id: u16,
    /// Its type.
    pub ty: DifType,
}

impl Var {
    /// Returns the variable of one row of a verified table.
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

/// The memory that an address refers to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Space {
    /// `ld*`: the kernel's memory, and the host's regions.
    Kernel,
    /// `uld*`, `copyin`: the memory of the current process.
    User,
    /// `rld*`: as `Kernel`, but limited to what an enabling without kernel privilege may read.
    Restricted,
}

/// The maximum length in bytes of a name from [`Env::path`]. It returns the end of a longer name.
pub const MAX_PATH: usize = 256;
/// The steps that a host may take for one path, because it climbs the tree of files.
pub const PATH_STEPS: u32 = 1024;

/// The host of the machine.
///
/// A string or other value by reference is an address: 0 means none. Otherwise it lies in one of
/// the host's regions ([`crate::addr`]) or wherever [`Env::load`] can read it.
pub trait Env {
    /// The host observes every instruction, so all objects run in the loop.
    const WATCHES: bool = false;

    /// Called before each instruction, if the host watches. The default costs nothing.
    #[inline(always)]
    fn step(&mut self, _pc: u32) {}

    /// Called with the cost of the work that comes next, in steps: 1 for an instruction, more for
    /// one that works on strings or copies, about one for each 32 bytes. A host with a limit ends
    /// the object here.
    #[inline(always)]
    fn spend(&mut self, _cost: u32) -> Result<(), Raised> {
        Ok(())
    }

    /// Returns a builtin variable. `index` is for arrays (`args[]`, `uregs[]`) and is 0 otherwise.
    fn builtin(&mut self, builtin: Builtin, index: u64) -> Result<u64, Raised>;

    /// Returns the value of a variable; by reference, the address of its `ty.size` bytes. If the
    /// variable was never set, returns 0, or, for a struct or an array, the address of zeros.
    fn load_var(&mut self, var: &Var) -> Result<u64, Raised>;

    /// Sets a variable held by value. For a variable held by reference the value is always 0, and
    /// unsets it. Storing 0 frees a thread-local variable.
    fn store_var(&mut self, var: &Var, value: u64) -> Result<(), Raised>;

    /// Returns the address for the `ty.size` bytes of a global or local variable by reference, in a
    /// region of the host. `None`: there is no room; the host has counted the drop, and the store
    /// is skipped.
    fn ref_var_for_store(&mut self, var: &Var) -> Result<Option<u64>, Raised>;

    /// Sets a variable by reference that may be freed: a thread-local one (without keys), or an
    /// element of an associative array. The bytes of a string do not include its NUL. If there is
    /// no room, the host counts the drop and changes nothing.
    fn store_ref(&mut self, _v: &Var, _keys: &[Key<'_>], _bytes: &[u8]) -> Result<(), Raised> {
        Err(Raised::ill_op())
    }

    /// Works like [`Env::load_var`], for an element of an associative array.
    fn load_tuple(&mut self, _var: &Var, _keys: &[Key<'_>]) -> Result<u64, Raised> {
        Err(Raised::ill_op())
    }

    /// Works like [`Env::store_var`], for an element of an associative array; 0 removes the
    /// element.
    fn store_tuple(&mut self, _var: &Var, _keys: &[Key<'_>], _value: u64) -> Result<(), Raised> {
        Err(Raised::ill_op())
    }

    /// Copies from memory that is not the machine's own. It must be safe for every address.
    fn load(&mut self, space: Space, addr: u64, into: &mut [u8]) -> Result<(), Raised>;

    /// Loads a number of 1, 2, 4 or 8 bytes from kernel memory.
    #[inline(always)]
    fn kernel_number(&mut self, addr: u64, size: u8) -> Result<u64, Raised> {
        let mut into = [0; 8];
        self.load(Space::Kernel, addr, into.get_mut(..size.into()).unwrap_or_default())?;
        Ok(u64::from_le_bytes(into))
    }

    /// Copies a string up to its NUL, at most `into.len()` bytes. Returns the number of bytes
    /// without the NUL. If that is less than `into.len()`, the NUL was found.
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

    /// Writes to a variable of the host. Any other address is a fault.
    fn store(&mut self, addr: u64, bytes: &[u8]) -> Result<(), Raised>;

    /// Sets an element of a builtin array; only `uregs[]` can be set. Destructive.
    fn store_builtin(&mut self, _b: Builtin, _index: u64, _value: u64) -> Result<(), Raised> {
        Err(Raised::ill_op())
    }

    /// Writes to the current process. Destructive. The machine passes a long range in pieces, in
    /// order.
    fn copyout(&mut self, _uaddr: u64, _bytes: &[u8]) -> Result<(), Raised> {
        Err(Raised::ill_op())
    }

    /// Returns a pseudo-random number.
    fn random(&mut self) -> u64;

    /// Tells whether the current process is `pid` or descends from it.
    fn progenyof(&mut self, _pid: u64) -> Result<bool, Raised> {
        Err(Raised::ill_op())
    }

    /// Returns the id of a free speculation; 0 if none is free.
    fn speculation(&mut self) -> Result<u64, Raised> {
        Err(Raised::ill_op())
    }

    /// Returns the path name of the `struct path` at a kernel address, or of the mount point of its
    /// file system, in a part of `room`.
    fn path<'r>(
        &mut self,
        _at: u64,
        _of_mount: bool,
        _room: &'r mut [u8; MAX_PATH],
    ) -> Result<&'r [u8], Raised> {
        Err(Raised::ill_op())
    }

    /// Calls a subroutine that needs the kernel, with the values on the tuple stack.
    fn subr(&mut self, _subr: Subr, _args: &[u64]) -> Result<u64, Raised> {
        Err(Raised::ill_op())
    }
}
