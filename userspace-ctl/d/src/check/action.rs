// SPDX-License-Identifier: GPL-2.0
//! Statements: actions, aggregations, expressions for their effect.

use super::convert::widened;
use super::member::decay;
use super::Checker;
use crate::ast::{self, ExprKind, StmtKind, UnOp};
use crate::diag::{Diagnostic, Tag};
use crate::source::Span;
use crate::typed::{Expr, Stmt};
use crate::types::{Int, Type};
use crate::vocabulary;
use abi::action::{ActionKind, LibAct};
use abi::difo::MAX_BY_REF;

impl Checker<'_> {
    /// Checks the statements of a block; leaves out broken ones.
    pub(super) fn statements(&mut self, statements: &[ast::Stmt]) -> Vec<Stmt> {
        let in_order = |s: &ast::Stmt| {
            let checked = self.statement(s)?;
            let span = match &s.kind {
                StmtKind::Expr(e) => e.span,
                StmtKind::If(condition, ..) => condition.span,
            };
            self.in_order(&checked, span).then_some(checked)
        };
        statements.iter().filter_map(in_order).collect()
    }

    /// Checks the order of actions around speculate() and commit() in a clause: a clause records in
    /// one place, and discarding a speculation does not undo changes made at once.
    fn in_order(&mut self, s: &Stmt, span: Span) -> bool {
        let kind = match s {
            Stmt::Expr(_) => return true,
            // Its branches have been checked separately.
            Stmt::If(..) => return true,
            Stmt::Act(kind, _) | Stmt::Format(kind, ..) => *kind,
            Stmt::Exit(_) => ActionKind::Exit,
            Stmt::Aggregate(_, _, kind, ..) => *kind,
            _ => ActionKind::DifExpr,
        };
        let order = self.order;
        let wrong = |what: &str, tag| Some((tag, what.to_string()));
        let found = match kind {
            ActionKind::Speculate if order.speculates => {
                wrong("speculate( ) may not follow speculate( )", Tag::SpecSpec)
            }
            ActionKind::Speculate if order.commits => {
                wrong("speculate( ) may not follow commit( )", Tag::SpecComm)
            }
            ActionKind::Speculate if order.records => {
                wrong("speculate( ) may not follow data-recording action(s)", Tag::SpecDrec)
            }
            ActionKind::Commit if order.commits => {
                wrong("commit( ) may not follow commit( )", Tag::CommComm)
            }
            ActionKind::Commit if order.records || order.speculates => {
                wrong("commit( ) may not follow data-recording action(s)", Tag::CommDrec)
            }
            ActionKind::Discard if order.speculates => {
                wrong("discard( ) may not follow speculate( )", Tag::CommDrec)
            }
            ActionKind::Speculate | ActionKind::Commit | ActionKind::Discard => None,
            ActionKind::Exit if order.speculates => {
                wrong("exit( ) may not follow speculate( )", Tag::ExitSpec)
            }
            kind if kind.is_destructive() && order.speculates => {
                wrong("destructive actions may not follow speculate( )", Tag::ActSpec)
            }
            kind if kind.is_aggregating() && order.commits => {
                wrong("aggregating actions may not follow commit( )", Tag::AggComm)
            }
            kind if kind.is_aggregating() && order.speculates => {
                wrong("aggregating actions may not follow speculate( )", Tag::AggSpec)
            }
            kind if kind.is_aggregating() => None,
            _ if order.commits && !matches!(s, Stmt::Act(..)) => {
                wrong("data-recording actions may not follow commit( )", Tag::DrecComm)
            }
            _ => None,
        };
        if let Some((tag, message)) = found {
            let d = Diagnostic::new(tag, span, message);
            self.fail(d.hint("put it into a clause of its own, on the same probe"));
            return false;
        }
        match kind {
            ActionKind::Speculate => self.order.speculates = true,
            ActionKind::Commit => self.order.commits = true,
            kind if kind.is_aggregating() => {}
            _ if matches!(s, Stmt::Act(..)) => {}
            _ => self.order.records = true,
        }
        true
    }

    /// Checks an action that takes at most a number and records nothing.
    fn act(
        &mut self,
        kind: ActionKind,
        parameter: Option<&str>,
        args: &[ast::Expr],
        span: Span,
    ) -> Option<Stmt> {
        let name = kind.name();
        match (parameter, args) {
            (None, []) => Some(Stmt::Act(kind, None)),
            (Some(what), [arg]) => {
                let e = self.expr(arg);
                match e.ty {
                    Type::Int(_) => Some(Stmt::Act(kind, Some(widened(e, &Type::Int(Int::INT64))))),
                    Type::Error => None,
                    _ => {
                        let message = format!(
                            "{name}( ) argument #1 is incompatible with prototype: expected {what}, found {}",
                            e.ty
                        );
                        let d = Diagnostic::new(Tag::ProtoArg, e.span, message);
                        self.fail(d.label(format!("expected {what}")));
                        None
                    }
                }
            }
            _ => {
                let n = usize::from(parameter.is_some());
                self.wrong_count(name, args.len(), n, n, "", span);
                None
            }
        }
    }

    fn statement(&mut self, s: &ast::Stmt) -> Option<Stmt> {
        let e = match &s.kind {
            StmtKind::Expr(e) => e,
            StmtKind::If(condition, then, other) => {
                let condition = self.expr(condition);
                if !condition.ty.is_scalar() && !condition.ty.is_error() {
                    let message =
                        format!("condition must be of scalar type, found {}", condition.ty);
                    self.fail(
                        Diagnostic::new(Tag::PredScalar, condition.span, message)
                            .label("expected a number or a pointer"),
                    );
                }
                // A speculation that begins in a branch ends with the branch.
                let before = self.order;
                let then = self.statements(then);
                let after_then = std::mem::replace(&mut self.order, before);
                let other = self.statements(other);
                self.order.records |= after_then.records;
                self.order.commits |= after_then.commits;
                self.order.speculates = before.speculates;
                return Some(Stmt::If(condition, then, other));
            }
        };
        match &e.kind {
            ExprKind::Call(callee, args) => {
                if let ExprKind::Ident(name) = &callee.kind {
                    if vocabulary::ACTIONS.contains(&name.as_str()) {
                        return self.action(name, args, e.span);
                    }
                    if vocabulary::RECORDED.iter().any(|r| r.0 == name) {
                        let value = self.record(e);
                        return (!value.ty.is_error()).then_some(Stmt::Trace(value));
                    }
                }
            }
            ExprKind::Agg(name, _) => {
                let message = format!("expression has null effect: @{name}");
                self.fail(
                    Diagnostic::new(Tag::AggNull, e.span, message)
                        .label("expected an assignment: @name[keys] = count();"),
                );
                return None;
            }
            ExprKind::Assign(op, left, right) => {
                if let ExprKind::Agg(name, keys) = &left.kind {
                    if op.is_some() {
                        let message = format!("aggregation @{name} can only be assigned with =");
                        self.fail(
                            Diagnostic::new(Tag::AggFunc, e.span, message)
                                .hint(format!("to add up: @{name} = sum(x);")),
                        );
                        return None;
                    }
                    return self.aggregate(name, keys.as_deref(), right, e.span);
                }
            }
            // Nothing uses the old value, so spare computing it.
            ExprKind::Unary(UnOp::PostInc, a) => {
                return Some(Stmt::Expr(self.increment(UnOp::PreInc, a, e.span)))
            }
            ExprKind::Unary(UnOp::PostDec, a) => {
                return Some(Stmt::Expr(self.increment(UnOp::PreDec, a, e.span)))
            }
            _ => {}
        }
        Some(Stmt::Expr(self.expr(e)))
    }

    fn action(&mut self, name: &str, args: &[ast::Expr], span: Span) -> Option<Stmt> {
        match name {
            "trace" => self.trace(args, span),
            "printf" => self.printf(args, span),
            "printa" => self.printa(args, span),
            "print" => self.print(args, span),
            "exit" => self.exit(args, span),
            "tracemem" => self.tracemem(args, span),
            "printm" => self.printm(args, span),
            "speculate" => self.act(ActionKind::Speculate, Some("int"), args, span),
            "commit" => self.act(ActionKind::Commit, Some("int"), args, span),
            "discard" => self.act(ActionKind::Discard, Some("int"), args, span),
            "stop" => self.act(ActionKind::Stop, None, args, span),
            "raise" => self.act(ActionKind::Raise, Some("int"), args, span),
            "breakpoint" => self.act(ActionKind::Breakpoint, None, args, span),
            "panic" => self.act(ActionKind::Panic, None, args, span),
            "chill" => self.act(ActionKind::Chill, Some("int"), args, span),
            "system" => self.formatted("system", ActionKind::System, args, span),
            "freopen" => self.formatted("freopen", ActionKind::Freopen, args, span),
            "ftruncate" => match args {
                [] => Some(Stmt::Ftruncate),
                _ => {
                    self.wrong_count(name, args.len(), 0, 0, "", span);
                    None
                }
            },
            "setopt" => self.setopt(args, span),
            "clear" => self.library(LibAct::Clear, name, args, span),
            "normalize" => self.library(LibAct::Normalize, name, args, span),
            "denormalize" => self.library(LibAct::Denormalize, name, args, span),
            "trunc" => self.library(LibAct::Trunc, name, args, span),
            _ => None,
        }
    }

    /// `setopt(name)`, `setopt(name, value)`: the consumer acts on it when it reads the record.
    fn setopt(&mut self, args: &[ast::Expr], span: Span) -> Option<Stmt> {
        if args.is_empty() || args.len() > 2 {
            let prototype = "void(string, [string])";
            self.wrong_count("setopt", args.len(), 1, 2, prototype, span);
            return None;
        }
        let mut texts = Vec::new();
        for (n, arg) in args.iter().enumerate() {
            let e = self.expr(arg);
            match e.ty {
                Type::String => texts.push(e),
                Type::Error => return None,
                _ => {
                    let message = format!(
                        "setopt( ) argument #{} is incompatible with prototype: expected string, found {}",
                        n + 1,
                        e.ty
                    );
                    let d = Diagnostic::new(Tag::ProtoArg, e.span, message);
                    self.fail(d.label("expected text in double quotes"));
                    return None;
                }
            }
        }
        Some(Stmt::Setopt(texts))
    }

    /// Returns the value that `trace()` or `print()` records. `agg` is the tag of the complaint
    /// about an aggregation.
    pub(super) fn traced(
        &mut self,
        name: &str,
        agg: Tag,
        args: &[ast::Expr],
        span: Span,
    ) -> Option<Expr> {
        let [arg] = args else {
            self.wrong_count(name, args.len(), 1, 1, "void(@)", span);
            return None;
        };
        if let ExprKind::Agg(of, _) = &arg.kind {
            let message = format!("{name}( ) may not be applied to an aggregation: @{of}");
            self.fail(Diagnostic::new(agg, arg.span, message).hint("use printa()"));
            return None;
        }
        Some(self.record(arg))
    }

    fn trace(&mut self, args: &[ast::Expr], span: Span) -> Option<Stmt> {
        let e = self.traced("trace", Tag::TraceAgg, args, span)?;
        match e.ty {
            Type::Void => {
                let message = "trace( ) may not be applied to a void expression";
                self.fail(Diagnostic::new(Tag::TraceVoid, e.span, message).label("no value"));
                None
            }
            Type::Error => None,
            _ => self.recordable("trace", &e).then_some(Stmt::Trace(e)),
        }
    }

    fn exit(&mut self, args: &[ast::Expr], span: Span) -> Option<Stmt> {
        let [arg] = args else {
            self.wrong_count("exit", args.len(), 1, 1, "void(int)", span);
            return None;
        };
        let e = self.expr(arg);
        match e.ty {
            Type::Int(_) => Some(Stmt::Exit(widened(e, &Type::Int(Int::INT)))),
            Type::Error => None,
            _ => {
                let message = format!(
                    "exit( ) argument #1 is incompatible with prototype: expected int, found {}",
                    e.ty
                );
                self.fail(Diagnostic::new(Tag::ProtoArg, e.span, message).label("expected int"));
                None
            }
        }
    }

    /// `printm(most, memref(address, size))`: same as `tracemem(address, most, size)`.
    fn printm(&mut self, args: &[ast::Expr], span: Span) -> Option<Stmt> {
        let [most, memory] = args else {
            self.wrong_count("printm", args.len(), 2, 2, "void(size_t, uintptr_t *)", span);
            return None;
        };
        let of = match &memory.kind {
            ExprKind::Call(callee, of) => match (&callee.kind, of.as_slice()) {
                (ExprKind::Ident(name), [address, size]) if name == "memref" => {
                    Some((address, size))
                }
                _ => None,
            },
            _ => None,
        };
        let Some((address, size)) = of else {
            let message = "printm( ) argument #2 is incompatible with prototype";
            let d = Diagnostic::new(Tag::ProtoArg, memory.span, message);
            self.fail(d.label("expected memref(address, size)"));
            return None;
        };
        self.tracemem(&[address.clone(), most.clone(), size.clone()], span)
    }

    fn tracemem(&mut self, args: &[ast::Expr], span: Span) -> Option<Stmt> {
        let (address, size, some) = match args {
            [address, size] => (address, size, None),
            [address, size, some] => (address, size, Some(some)),
            _ => {
                let message = format!(
                    "tracemem( ) prototype mismatch: {} arguments passed, 2 or 3 expected",
                    args.len()
                );
                self.fail(
                    Diagnostic::new(Tag::TracememArgs, span, message)
                        .label("expected tracemem(address, bytes, [number to show])"),
                );
                return None;
            }
        };
        let some = match some {
            Some(some) => {
                let some = self.expr(some);
                match some.ty {
                    Type::Int(_) => Some(widened(some, &Type::Int(Int::INT64))),
                    Type::Error => return None,
                    _ => {
                        let message =
                            format!("tracemem( ) argument #3 is not an integer: {}", some.ty);
                        self.fail(
                            Diagnostic::new(Tag::TracememDynsize, some.span, message)
                                .label("expected the number of bytes to show"),
                        );
                        return None;
                    }
                }
            }
            None => None,
        };
        let address = self.expr(address);
        let address = match address.ty {
            // A struct stands for its address.
            Type::Struct(_) => {
                let pointer = address.ty.clone().pointer_to();
                super::member::address(address, pointer)
            }
            _ => decay(address),
        };
        let size = self.expr(size);
        if !address.ty.is_scalar() && address.ty != Type::String {
            if !address.ty.is_error() {
                let message = format!("tracemem( ) argument #1 is not an address: {}", address.ty);
                self.fail(
                    Diagnostic::new(Tag::TracememAddr, address.span, message)
                        .label("expected a pointer or an integer"),
                );
            }
            return None;
        }
        match size.as_constant() {
            Some(n) if n > 0 && n <= u64::from(MAX_BY_REF) && size.ty.int().is_some() => {
                Some(Stmt::Tracemem(address, n as u32, some))
            }
            _ => {
                if !size.ty.is_error() {
                    let message =
                        "tracemem( ) argument #2 must be a non-zero positive integral constant";
                    self.fail(
                        Diagnostic::new(Tag::TracememSize, size.span, message)
                            .label(format!("expected 1 to {MAX_BY_REF}")),
                    );
                }
                None
            }
        }
    }

    /// Returns the number of the aggregation that an action gets.
    pub(super) fn agg_argument(
        &mut self,
        action: &str,
        arg: &ast::Expr,
        not_an_agg: Tag,
        unknown: Tag,
    ) -> Option<u32> {
        let ExprKind::Agg(name, keys) = &arg.kind else {
            let message = format!("{action}( ) argument is not an aggregation");
            self.fail(Diagnostic::new(not_an_agg, arg.span, message).label("expected @name"));
            return None;
        };
        if keys.is_some() {
            let message = format!("{action}( ) takes the whole aggregation @{name}, without keys");
            self.fail(
                Diagnostic::new(not_an_agg, arg.span, message).label(format!("expected @{name}")),
            );
            return None;
        }
        if let Some(agg) = self.names.agg(name) {
            return Some(agg.number);
        }
        let message = format!("undefined aggregation: @{name}");
        let mut d =
            Diagnostic::new(unknown, arg.span, message).label("not assigned in an earlier clause");
        let known = self.names.aggs.iter().map(|a| a.name.clone());
        d.hint = crate::diag::did_you_mean(name, known).map(|h| h.replace(" `", " `@"));
        self.fail(d);
        None
    }

    fn library(&mut self, act: LibAct, name: &str, args: &[ast::Expr], span: Span) -> Option<Stmt> {
        let (proto, aggarg, aggbad, scalar, counts) = match act {
            LibAct::Clear => (Tag::ClearProto, Tag::ClearAggarg, Tag::ClearAggbad, None, 1..=1),
            LibAct::Normalize => (
                Tag::NormalizeProto,
                Tag::NormalizeAggarg,
                Tag::NormalizeAggbad,
                Some(Tag::NormalizeScalar),
                2..=2,
            ),
            LibAct::Denormalize => {
                (Tag::NormalizeProto, Tag::NormalizeAggarg, Tag::NormalizeAggbad, None, 1..=1)
            }
            LibAct::Ftruncate => return Some(Stmt::Ftruncate),
            LibAct::Setopt => return self.setopt(args, span),
            LibAct::Trunc => {
                (Tag::TruncProto, Tag::TruncAggarg, Tag::TruncAggbad, Some(Tag::TruncScalar), 1..=2)
            }
        };
        let (true, Some(first)) = (counts.contains(&args.len()), args.first()) else {
            let message = format!("{name}( ) prototype mismatch: {} arguments passed", args.len());
            let wanted = match act {
                LibAct::Normalize => "expected normalize(@name, number)".to_string(),
                LibAct::Trunc => "expected trunc(@name) or trunc(@name, number)".to_string(),
                _ => format!("expected {name}(@name)"),
            };
            self.fail(Diagnostic::new(proto, span, message).label(wanted));
            return None;
        };
        let number = self.agg_argument(name, first, aggarg, aggbad)?;
        let mut operand: Option<Expr> = None;
        if let (Some(tag), Some(arg)) = (scalar, args.get(1)) {
            let e = self.expr(arg);
            match e.ty {
                Type::Int(_) => operand = Some(widened(e, &Type::Int(Int::INT64))),
                Type::Error => return None,
                _ => {
                    let message =
                        format!("{name}( ) argument #2 must be of scalar type, found {}", e.ty);
                    self.fail(Diagnostic::new(tag, e.span, message).label("expected an integer"));
                    return None;
                }
            }
        }
        Some(Stmt::LibAct(act, number, operand))
    }
}
