// SPDX-License-Identifier: GPL-2.0
//! Run-time faults as `dtrace:::ERROR` reports them.

use abi::fault::FaultKind;

/// arg1 to arg5 of the ERROR probe.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fault {
    /// Enabled probe whose clause faulted.
    pub epid: u32,
    /// The number of its action, from 1; 0 is the predicate.
    pub action: u32,
    /// Byte offset of the instruction; negative if there is none.
    pub offset: i64,
    /// The [`FaultKind`].
    pub kind: u32,
    /// The address, if the kind has one.
    pub address: u64,
}

impl Fault {
    /// Returns what went wrong.
    pub fn what(&self) -> String {
        let kind = FaultKind::from_number(self.kind);
        kind.map_or_else(|| format!("fault {}", self.kind), |k| k.text().to_string())
    }

    /// Returns the address, if the kind has one.
    pub fn address(&self) -> Option<String> {
        use FaultKind::{BadAddr, BadAlign, KPriv, UPriv};
        let kind = FaultKind::from_number(self.kind);
        let has_one = matches!(kind, Some(BadAddr | BadAlign | KPriv | UPriv));
        has_one.then(|| format!("0x{:x}", self.address))
    }
}

/// Returns the line for stderr, without its head and its newline. `id` and `name` are the probe's.
pub fn message(fault: &Fault, id: u32, name: &str) -> String {
    let what = fault.what();
    let address = fault.address().map_or_else(String::new, |a| format!(" ({a})"));
    let place = match fault.action {
        0 => "predicate".to_string(),
        n => format!("action #{n}"),
    };
    let offset = match fault.offset {
        o if o < 0 => String::new(),
        o => format!(" at DIF offset {o}"),
    };
    format!(
        "error on enabled probe ID {} (ID {id}: {name}): {what}{address} in {place}{offset}",
        fault.epid
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages() {
        let f = Fault { epid: 1, action: 2, offset: 16, kind: 1, address: 0 };
        assert_eq!(
            message(&f, 1, "dtrace:::BEGIN"),
            "error on enabled probe ID 1 (ID 1: dtrace:::BEGIN): \
             invalid address (0x0) in action #2 at DIF offset 16"
        );
        let f = Fault { epid: 3, action: 0, offset: -1, kind: 4, address: 0 };
        assert_eq!(
            message(&f, 7, "a:b:c:d"),
            "error on enabled probe ID 3 (ID 7: a:b:c:d): divide-by-zero in predicate"
        );
    }
}
