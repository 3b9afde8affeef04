// SPDX-License-Identifier: GPL-2.0
//! What can go wrong while an object runs. A fault ends the object, and only the object: the
//! framework abandons the record and fires `dtrace:::ERROR`.

pub use abi::fault::FaultKind;

/// What the host answers when it cannot do what the program asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Raised {
    /// What went wrong.
    pub kind: FaultKind,
    /// The address that was asked for; 0 where there is none.
    pub addr: u64,
}

impl Raised {
    /// A fault of `kind` at `addr`.
    pub const fn new(kind: FaultKind, addr: u64) -> Self {
        Self { kind, addr }
    }
    /// A fault without an address.
    pub const fn plain(kind: FaultKind) -> Self {
        Self { kind, addr: 0 }
    }
    /// An invalid address.
    pub const fn bad_addr(addr: u64) -> Self {
        Self { kind: FaultKind::BadAddr, addr }
    }
    /// Something this host does not do.
    pub const fn ill_op() -> Self {
        Self { kind: FaultKind::IllOp, addr: 0 }
    }
    /// The same, with the instruction that asked.
    pub const fn at(self, pc: u32) -> Fault {
        Fault { kind: self.kind, pc, addr: self.addr }
    }
}

/// Why an object stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fault {
    /// What went wrong.
    pub kind: FaultKind,
    /// Index of the instruction; times 4 it is the "DIF offset" of the message.
    pub pc: u32,
    /// The address concerned; 0 where there is none.
    pub addr: u64,
}
