// SPDX-License-Identifier: GPL-2.0
//! Turns programs into the DOF that the kernel gets.
//!
//! The first clause is our own: `dtrace:::ERROR` with the five values that say which clause faulted
//! and where. Its records carry [`INTERNAL`] and become messages.

use abi::action::ActionKind;
use abi::dif::Op;
use abi::difo::{DifType, DifVar, SCOPE_GLOBAL, VAR_REF, VAR_SCALAR};
use abi::option::OptionId;
use d::{Action, Clause, DifObject, ProbePattern, Program};
use std::sync::Arc;

/// The `uarg` of everything that the consumer enables for itself.
pub const INTERNAL: u64 = u64::MAX;

/// The id of arg0; arg1 and the others follow.
const VAR_ARG0: u16 = 0x0106;

/// The number of probes that our own clause matches.
pub const OWN_PROBES: u32 = 1;

/// Returns one DOF with our own clause, all programs and the options in force. A consumer enables
/// once, so the programs share one DOF. `options` already contains the options that the programs
/// set.
pub fn dof(programs: &[Program], options: &[(OptionId, u64)]) -> Vec<u8> {
    let own = Clause {
        probes: vec![ProbePattern::new("dtrace", "", "", "ERROR")],
        predicate: None,
        actions: (1..=5).map(trace_arg).collect(),
        uarg: INTERNAL,
    };
    let clauses = programs.iter().flat_map(|p| p.clauses.iter().cloned());
    let all =
        Program { clauses: std::iter::once(own).chain(clauses).collect(), ..Program::default() };
    d::dof::write::write(&all, options)
}

/// The action `trace(argN)`.
fn trace_arg(n: u16) -> Action {
    let var = VAR_ARG0 + n;
    let load = (Op::Ldgs as u32) << 24 | u32::from(var) << 8 | 1;
    let ret = (Op::Ret as u32) << 24 | 1;
    let ty = DifType::integer(8);
    let vars = vec![DifVar {
        name: 1,
        id: u32::from(var),
        kind: VAR_SCALAR,
        scope: SCOPE_GLOBAL,
        flags: VAR_REF,
        ty,
    }];
    let strtab = format!("\0arg{n}\0").into_bytes();
    let difo = DifObject { text: vec![load, ret], strtab, vars, rtype: ty, ..Default::default() };
    Action {
        kind: ActionKind::DifExpr,
        difo: Some(Arc::new(difo)),
        format: None,
        ntuple: 0,
        arg: 0,
        uarg: INTERNAL,
    }
}
