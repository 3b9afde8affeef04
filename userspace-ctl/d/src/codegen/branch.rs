// SPDX-License-Identifier: GPL-2.0
//! Conditions as branches. All of them go forward; the VM has no others.

use super::expr::is_signed;
use super::{Gen, Problem};
use crate::ast::BinOp;
use crate::typed::{Expr, Kind};
use abi::dif::Op;

use super::emit::Label;

impl Gen {
    /// Branches to `label` if the truth of `e` is `wanted`, falls through otherwise. May use `rd`
    /// and the registers above.
    pub(super) fn jump(
        &mut self,
        e: &Expr,
        rd: u8,
        wanted: bool,
        label: Label,
    ) -> Result<(), Problem> {
        match &e.kind {
            Kind::Int(v) => {
                if (*v != 0) == wanted {
                    self.branch(Op::Ba, label);
                }
                Ok(())
            }
            Kind::LogNot(a) => self.jump(a, rd, !wanted, label),
            Kind::Logic(op @ (BinOp::LogAnd | BinOp::LogOr), a, b) => {
                // `a && b` is decided by a false a, `a || b` by a true one.
                let decided = *op == BinOp::LogOr;
                if decided == wanted {
                    self.jump(a, rd, decided, label)?;
                    self.jump(b, rd, wanted, label)
                } else {
                    let past = self.label();
                    self.jump(a, rd, decided, past)?;
                    self.jump(b, rd, wanted, label)?;
                    self.place(past);
                    Ok(())
                }
            }
            Kind::Compare(op, a, b) => {
                let (r1, r2, _) = self.pair(a, b, rd)?;
                self.op(Op::Cmp, r1, r2, 0);
                self.branch(branch_op(*op, is_signed(&a.ty), wanted), label);
                Ok(())
            }
            Kind::StrCompare(op, a, b) => {
                let (r1, r2, _) = self.pair(a, b, rd)?;
                self.op(Op::Scmp, r1, r2, 0);
                self.branch(branch_op(*op, true, wanted), label);
                Ok(())
            }
            _ => {
                self.value(e, rd)?;
                self.op(Op::Tst, rd, 0, 0);
                self.branch(if wanted { Op::Bne } else { Op::Be }, label);
                Ok(())
            }
        }
    }
}

fn branch_op(op: BinOp, signed: bool, wanted: bool) -> Op {
    let op = match (op, wanted) {
        (op, true) => op,
        (BinOp::Lt, false) => BinOp::Ge,
        (BinOp::Le, false) => BinOp::Gt,
        (BinOp::Gt, false) => BinOp::Le,
        (BinOp::Ge, false) => BinOp::Lt,
        (BinOp::Eq, false) => BinOp::Ne,
        (_, false) => BinOp::Eq,
    };
    match (op, signed) {
        (BinOp::Lt, true) => Op::Bl,
        (BinOp::Lt, false) => Op::Blu,
        (BinOp::Le, true) => Op::Ble,
        (BinOp::Le, false) => Op::Bleu,
        (BinOp::Gt, true) => Op::Bg,
        (BinOp::Gt, false) => Op::Bgu,
        (BinOp::Ge, true) => Op::Bge,
        (BinOp::Ge, false) => Op::Bgeu,
        (BinOp::Eq, _) => Op::Be,
        _ => Op::Bne,
    }
}
