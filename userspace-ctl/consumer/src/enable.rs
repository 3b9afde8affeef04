// SPDX-License-Identifier: GPL-2.0
//! Programs to DOF to the kernel.
//!
//! Before the programs' clauses goes one of our own: `dtrace:::ERROR` with the five values that say
//! which clause faulted where. Its records carry [`INTERNAL`] and become messages.

use abi::action::ActionKind;
use abi::dif::Op;
use abi::difo::{DifType, DifVar, SCOPE_GLOBAL, VAR_REF, VAR_SCALAR};
use abi::option::OptionId;
use d::{Action, Clause, DifObject, ProbePattern, Program};
use std::sync::Arc;

/// `uarg` of what the consumer enables for itself.
pub const INTERNAL: u64 = u64::MAX;

/// Id of arg0; arg1 and so on follow.
const VAR_ARG0: u16 = 0x0106;

/// Probes that our own clause matches.
pub const OWN_PROBES: u32 = 1;

/// One DOF of our own clause, all programs and the options in force. A consumer enables once, so
/// several programs travel together; options of the programs are in `options` already.
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

/// `trace(argN)`.
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
