// SPDX-License-Identifier: GPL-2.0
//! The actions of each kind of statement.

use super::Lower;
use crate::codegen::Use;
use crate::program::{Action, Clause, DifObject, Statement, StatementKind, ValueType};
use crate::source::Span;
use crate::typed::{Expr, Kind, Stmt};
use crate::types::Int;
use abi::action::{ActionKind, LibAct};
use abi::difo::DifType;
use std::sync::Arc;

impl Lower<'_> {
    /// Adds the actions of a statement to a part. After a complaint, they are incomplete.
    pub(super) fn statement(&mut self, s: &Stmt, part: &mut Clause) {
        if let Some(kind) = self.actions(s, part) {
            self.statements.push(Statement { number: self.next, kind });
            self.next += 1;
        }
    }

    /// Adds the actions of a statement and returns its meaning; `None` if it has no number of its
    /// own, or after a complaint.
    fn actions(&mut self, s: &Stmt, part: &mut Clause) -> Option<StatementKind> {
        let number = self.next;
        let mut push = |kind, difo| {
            part.actions.push(Action { difo, ..Action::bare(kind, number) });
        };
        Some(match s {
            Stmt::Expr(e) => {
                push(ActionKind::DifExpr, Some(self.object(e, Use::Effect)?));
                StatementKind::Expr
            }
            Stmt::Trace(e) => {
                part.actions.push(self.datum(e, ActionKind::DifExpr, number)?);
                StatementKind::Trace(ValueType::of_type(&e.ty, self.strsize))
            }
            Stmt::Exit(e) => {
                push(ActionKind::Exit, Some(self.object(e, Use::Record)?));
                StatementKind::Exit
            }
            Stmt::Tracemem(e, size, some) => {
                push(ActionKind::Tracemem, Some(self.object(e, Use::Bytes(*size))?));
                if let Some(some) = some {
                    push(ActionKind::DifExpr, Some(self.object(some, Use::Record)?));
                }
                StatementKind::Tracemem(*size)
            }
            Stmt::Print(e, shown) => {
                part.actions.push(self.datum(e, ActionKind::DifExpr, number)?);
                StatementKind::Print(shown.clone())
            }
            Stmt::Printf(text, format, values) => {
                self.formatted(ActionKind::Printf, text, values, part)?;
                StatementKind::Printf(format.clone())
            }
            Stmt::Format(action, text, format, values) => {
                self.formatted(*action, text, values, part)?;
                match action {
                    ActionKind::System => StatementKind::System(format.clone()),
                    _ => StatementKind::Freopen(format.clone()),
                }
            }
            Stmt::Act(action, operand) => {
                let difo = match operand {
                    Some(e) => Some(self.object(e, Use::Whole)?),
                    None => None,
                };
                push(*action, difo);
                StatementKind::Expr
            }
            Stmt::Ftruncate => {
                let arg = LibAct::Ftruncate as u64;
                part.actions.push(Action { arg, ..Action::bare(ActionKind::LibAct, number) });
                StatementKind::Ftruncate
            }
            Stmt::Setopt(texts) => {
                for text in texts {
                    let a = self.datum(text, ActionKind::LibAct, number)?;
                    part.actions.push(Action { arg: LibAct::Setopt as u64, ..a });
                }
                StatementKind::Setopt
            }
            Stmt::Printa(format, aggs) => {
                let (text, format) = format.clone().unzip();
                let difo = Some(self.number(aggs.first().copied().unwrap_or(0))?);
                let bare = Action::bare(ActionKind::Printa, number);
                part.actions.push(Action { difo, format: text, ..bare });
                StatementKind::Printa { format, aggregations: aggs.clone() }
            }
            Stmt::Aggregate(number, keys, func, arg, value, weight) => {
                let values = (value.as_ref(), weight.as_ref());
                self.aggregate(*number, keys, (*func, *arg), values, part);
                return None;
            }
            Stmt::LibAct(act, aggregation, operand) => {
                self.lib_act(*act, *aggregation, operand.as_ref(), part)?
            }
            // A block with an `if` was split before.
            Stmt::If(..) => return None,
        })
    }

    /// Adds an action for each value of a format, or one without a value. The first one has the
    /// text.
    fn formatted(
        &mut self,
        kind: ActionKind,
        text: &str,
        values: &[Expr],
        part: &mut Clause,
    ) -> Option<()> {
        let (number, first) = (self.next, part.actions.len());
        for v in values {
            part.actions.push(self.datum(v, kind, number)?);
        }
        if values.is_empty() {
            part.actions.push(Action::bare(kind, number));
        }
        if let Some(action) = part.actions.get_mut(first) {
            action.format = Some(text.into());
        }
        Some(())
    }

    /// Adds the actions of a function that works on an aggregation in the consumer.
    fn lib_act(
        &mut self,
        act: LibAct,
        aggregation: u32,
        operand: Option<&Expr>,
        part: &mut Clause,
    ) -> Option<StatementKind> {
        let bare = Action { arg: act as u64, ..Action::bare(ActionKind::LibAct, self.next) };
        let difo = Some(self.number(aggregation)?);
        part.actions.push(Action { difo, ..bare.clone() });
        if let Some(e) = operand {
            let difo = Some(self.object(e, Use::Record)?);
            part.actions.push(Action { difo, ..bare });
        }
        Some(match act {
            LibAct::Ftruncate => StatementKind::Ftruncate,
            LibAct::Setopt => StatementKind::Setopt,
            LibAct::Clear => StatementKind::Clear(aggregation),
            LibAct::Normalize => StatementKind::Normalize(aggregation),
            LibAct::Denormalize => StatementKind::Denormalize(aggregation),
            LibAct::Trunc => StatementKind::Trunc { aggregation, has_count: operand.is_some() },
        })
    }

    fn aggregate(
        &mut self,
        number: u32,
        keys: &[Expr],
        (kind, arg): (ActionKind, u64),
        (value, weight): (Option<&Expr>, Option<&Expr>),
        part: &mut Clause,
    ) {
        let uarg = u64::from(number);
        for key in keys {
            let Some(action) = self.datum(key, ActionKind::DifExpr, uarg) else { return };
            part.actions.push(action);
        }
        // The weight follows the keys as if it were one, with size 0.
        if let Some(w) = weight {
            let Some(mut o) = self.object(w, Use::Whole) else { return };
            Arc::make_mut(&mut o).rtype = DifType::void();
            let kind = ActionKind::DifExpr;
            let (difo, format) = (Some(o), None);
            part.actions.push(Action { kind, difo, format, ntuple: 0, arg: 0, uarg });
        }
        let difo = match value {
            None => None,
            Some(v) => match self.object(v, Use::Whole) {
                Some(o) => Some(o),
                None => return,
            },
        };
        let n = keys.len() + usize::from(weight.is_some());
        let ntuple = u32::try_from(n).unwrap_or(u32::MAX);
        part.actions.push(Action { kind, difo, format: None, ntuple, arg, uarg });
    }

    /// Returns the action that records a value: the value's own action if it has one, else `kind`.
    fn datum(&mut self, e: &Expr, kind: ActionKind, uarg: u64) -> Option<Action> {
        let (kind, arg, of) = match &e.kind {
            Kind::Action(kind, arg, of) => (*kind, *arg, of.as_deref()),
            _ => (kind, 0, Some(e)),
        };
        let difo = match of {
            Some(of) => Some(self.object(of, Use::Record)?),
            None => None,
        };
        Some(Action { kind, difo, format: None, ntuple: 0, arg, uarg })
    }

    /// Returns an object that returns the number of an aggregation, 4 bytes.
    fn number(&mut self, number: u32) -> Option<Arc<DifObject>> {
        let e = Expr::constant(u64::from(number), Int::UINT, Span::default());
        self.object(&e, Use::Record)
    }
}
