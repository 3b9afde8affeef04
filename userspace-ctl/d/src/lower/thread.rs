// SPDX-License-Identifier: GPL-2.0
//! `-x threads`: each clause that leaves a record also records the thread that it ran in.

use super::{Action, Clause, Expr, Kind, Lower, Span, Statement, StatementKind, Type};
use crate::codegen::{self, Use};
use abi::action::ActionKind;
use abi::dif::Builtin;
use std::sync::Arc;

/// Bytes of a thread's name with its NUL: Linux's `TASK_COMM_LEN`.
const NAME: u32 = 16;

impl Lower<'_> {
    /// Adds the thread to all clauses that leave records.
    pub fn record_threads(&mut self, clauses: &mut [Clause]) {
        let places: Vec<Option<usize>> = clauses.iter().map(|c| place(&c.actions)).collect();
        if places.iter().all(Option::is_none) {
            return;
        }
        let number = self.next;
        let values = [
            (Builtin::Pid, Type::INT),
            (Builtin::Tid, Type::INT),
            (Builtin::Execname, Type::String),
        ];
        let mut actions = Vec::new();
        for (builtin, ty) in values {
            let e = Expr::new(Kind::Builtin(builtin), ty, Span::default());
            // One variable needs one register and no table, so this cannot fail.
            let Ok(object) = codegen::object(&e, Use::Record, NAME) else { return };
            self.verify(&object, Span::default());
            let bare = Action::bare(ActionKind::DifExpr, number);
            actions.push(Action { difo: Some(Arc::new(object)), ..bare });
        }
        for (clause, place) in clauses.iter_mut().zip(places) {
            if let Some(at) = place {
                clause.actions.splice(at..at, actions.iter().cloned());
            }
        }
        self.statements.push(Statement { number, kind: StatementKind::Thread });
        self.next += 1;
    }
}

/// Returns the index of the first action that records, `None` if the clause leaves no record.
/// speculate() stays before it.
fn place(actions: &[Action]) -> Option<usize> {
    if actions.is_empty() {
        return Some(0);
    }
    let is_key = |at: usize| {
        let later = actions.iter().enumerate().skip(at);
        later.clone().any(|(n, a)| a.kind.is_aggregating() && n - at <= a.ntuple as usize)
    };
    actions.iter().enumerate().position(|(n, a)| leaves_data(a) && !is_key(n))
}

/// Tells whether an action puts data into the record.
fn leaves_data(action: &Action) -> bool {
    use ActionKind as K;
    let acts = matches!(action.kind, K::Speculate | K::Commit | K::Discard)
        || action.kind.is_destructive();
    let says = matches!(action.kind, K::System | K::Freopen);
    let is_effect =
        action.kind == K::DifExpr && action.difo.as_ref().is_some_and(|o| o.rtype.size == 0);
    (says || !acts) && !is_effect && !action.kind.is_aggregating()
}
