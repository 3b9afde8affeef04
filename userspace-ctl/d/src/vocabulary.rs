// SPDX-License-Identifier: GPL-2.0
//! The words of the language that a program need not define: functions and builtin variables.

use abi::action::ActionKind;
use abi::dif::{Builtin, Subr};

/// Functions of other systems that are not available, with the reason.
const REFUSED: &[(&str, &str)] = &[
    ("sx_shared_held", NO_SX),
    ("sx_exclusive_held", NO_SX),
    ("sx_isexclusive", NO_SX),
    ("msgsize", NO_STREAMS),
    ("msgdsize", NO_STREAMS),
    ("ddi_pathname", "Linux has no device tree of nodes and minors"),
    (
        "pcap",
        "the packets of a socket buffer lie in pieces, which a probe cannot gather; trace lengths and headers \
         by the providers ip, tcp and udp, and packets by tcpdump",
    ),
    ("memref", "its value is for printm( ) only, printm(size, memref(address, size))"),
];

const NO_SX: &str =
    "Linux has no sx locks; rw_read_held(), rw_write_held() and mutex_owned() ask about its own";
const NO_STREAMS: &str = "Linux has no STREAMS messages";

/// Returns the reason why a function of this name is refused.
pub fn refused(name: &str) -> Option<&'static str> {
    REFUSED.iter().find(|(of, _)| *of == name).map(|(_, why)| *why)
}

/// Returns the subroutine of this name.
pub fn subr(name: &str) -> Option<Subr> {
    Subr::ALL.iter().copied().find(|s| s.name() == name)
}

/// The actions that are statements.
pub const ACTIONS: &[&str] = &[
    "trace",
    "printf",
    "printa",
    "print",
    "exit",
    "tracemem",
    "printm",
    "clear",
    "normalize",
    "denormalize",
    "trunc",
    "speculate",
    "commit",
    "discard",
    "stop",
    "raise",
    "breakpoint",
    "panic",
    "chill",
    "system",
    "freopen",
    "ftruncate",
    "setopt",
];

/// Actions whose datum can be recorded, printed and used as a key, but not computed with. `func` is
/// another word for `sym`.
pub const RECORDED: &[(&str, ActionKind)] = &[
    ("stack", ActionKind::Stack),
    ("ustack", ActionKind::Ustack),
    ("jstack", ActionKind::Jstack),
    ("sym", ActionKind::Sym),
    ("func", ActionKind::Sym),
    ("mod", ActionKind::Mod),
    ("usym", ActionKind::Usym),
    ("ufunc", ActionKind::Usym),
    ("umod", ActionKind::Umod),
    ("uaddr", ActionKind::Uaddr),
];

/// Returns the aggregating function of this name.
pub fn aggregating(name: &str) -> Option<ActionKind> {
    (0x701..=0x709).filter_map(ActionKind::from_number).find(|k| k.name() == name)
}

/// Tells whether the name is a function of any kind.
pub fn is_function(name: &str) -> bool {
    subr(name).is_some()
        || ACTIONS.contains(&name)
        || aggregating(name).is_some()
        || RECORDED.iter().any(|r| r.0 == name)
        || refused(name).is_some()
}

/// Returns the builtin variable of this name.
pub fn builtin(name: &str) -> Option<Builtin> {
    Builtin::ALL.iter().copied().find(|b| b.name() == name)
}
