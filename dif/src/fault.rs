// SPDX-License-Identifier: GPL-2.0
//! Faults of a running object. A fault ends the object, and only the object: the framework abandons
//! the record and fires `dtrace:::ERROR`.

pub use abi::fault::FaultKind;

/// The error of a host that cannot do what the program asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Raised {
    /// The kind of fault.
    pub kind: FaultKind,
    /// The address that the program asked for; 0 if there is none.
    pub addr: u64,
}

impl Raised {
    /// Returns a fault of `kind` at `addr`.
    pub const fn new(kind: FaultKind, addr: u64) -> Self {
        Self { kind, addr }
    }
    /// Returns a fault without an address.
    pub const fn plain(kind: FaultKind) -> Self {
        Self { kind, addr: 0 }
    }
    /// Returns a fault for an invalid address.
    pub const fn bad_addr(addr: u64) -> Self {
        Self { kind: FaultKind::BadAddr, addr }
    }
    /// Returns a fault for an operation that this host does not support.
    pub const fn ill_op() -> Self {
        Self { kind: FaultKind::IllOp, addr: 0 }
    }
    /// Returns the fault of the instruction at `pc`.
    pub const fn at(self, pc: u32) -> Fault {
        Fault { kind: self.kind, pc, addr: self.addr }
    }
}

/// Why an object stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fault {
    /// The kind of fault.
    pub kind: FaultKind,
    /// The index of the instruction; times 4 it is the "DIF offset" of the message.
    pub pc: u32,
    /// The address concerned; 0 if there is none.
    pub addr: u64,
}
