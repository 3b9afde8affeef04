// SPDX-License-Identifier: GPL-2.0
//! What a session must do for its programs, decided from their clauses.

use abi::action::ActionKind;
use abi::dif::Builtin;
use d::{Program, StatementKind};

/// What the programs of a session need.
#[derive(Debug, Clone, Copy)]
pub(super) struct Needs {
    /// Clauses end speculations.
    pub speculations: bool,
    /// Clauses record addresses of processes.
    pub addresses: bool,
    /// Clauses walk the stacks of processes.
    pub stacks: bool,
    /// Clauses aggregate.
    pub aggregations: bool,
    /// Printing records needs the aggregations.
    pub printed_aggregations: bool,
}

impl Needs {
    pub(super) fn of(programs: &[Program]) -> Self {
        use ActionKind::{Commit, Discard, Jstack, Uaddr, Umod, Ustack, Usym};
        let actions = || programs.iter().flat_map(|p| &p.clauses).flat_map(|c| &c.actions);
        let has = |kinds: &[ActionKind]| actions().any(|a| kinds.contains(&a.kind));
        let walking = [Builtin::Ucaller as u32, Builtin::Ustackdepth as u32];
        let mut objects = programs.iter().flat_map(Program::objects);
        let mut statements = programs.iter().flat_map(|p| &p.statements);
        Self {
            speculations: has(&[Commit, Discard]),
            addresses: has(&[Ustack, Jstack, Usym, Umod, Uaddr])
                || programs.iter().any(Program::prints_addresses),
            stacks: has(&[Ustack, Jstack])
                || objects.any(|o| o.vars.iter().any(|v| walking.contains(&v.id))),
            aggregations: programs.iter().any(|p| !p.aggregations.is_empty()),
            printed_aggregations: statements.any(|s| {
                matches!(
                    s.kind,
                    StatementKind::Printa { .. }
                        | StatementKind::Clear(_)
                        | StatementKind::Normalize(_)
                        | StatementKind::Denormalize(_)
                        | StatementKind::Trunc { .. }
                )
            }),
        }
    }
}
