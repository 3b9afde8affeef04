// SPDX-License-Identifier: GPL-2.0
//! Conversions of values to other types, and the value of constant expressions.

use crate::ast::BinOp;
use crate::typed::{Expr, Kind};
use crate::types::Type;

/// Converts a value to another type and cuts it to that type. The caller has checked that the
/// conversion is allowed.
pub(super) fn convert(e: Expr, to: &Type) -> Expr {
    if e.ty == *to {
        return Expr { ty: to.clone(), ..e };
    }
    cut(e, to)
}

/// [`convert`] that also cuts a value which exceeds its own type.
pub(super) fn cut(e: Expr, to: &Type) -> Expr {
    let span = e.span;
    if let (Some(v), Type::Int(int)) = (e.as_constant(), to) {
        let v = match &e.ty {
            Type::Int(from) if from.signed && from.size < int.size => from.wrap(v),
            _ => v,
        };
        return Expr::constant(v, *int, span);
    }
    if let (Some(v), Type::Pointer(_)) = (e.as_constant(), to) {
        return Expr::new(Kind::Int(v), to.clone(), span);
    }
    if e.ty == *to && !may_exceed(&e) {
        return Expr { ty: to.clone(), ..e };
    }
    Expr::new(Kind::Convert(Box::new(e)), to.clone(), span)
}

/// Tells whether the value can exceed its type.
fn may_exceed(e: &Expr) -> bool {
    match &e.kind {
        Kind::Binary(..) | Kind::Neg(_) | Kind::BitNot(_) | Kind::As(_) | Kind::Cond(..) => {
            e.ty.int().is_some_and(|i| i.size < 8)
        }
        Kind::Comma(_, last) => may_exceed(last),
        _ => false,
    }
}

/// Keeps all 64 bits of the value, as an operand, an argument or a key of another type.
pub(super) fn widened(e: Expr, to: &Type) -> Expr {
    let span = e.span;
    match (&e.kind, &e.ty, to) {
        (_, from, to) if from == to => Expr { ty: to.clone(), ..e },
        (Kind::Int(v), Type::Int(_), Type::Int(_)) => Expr::new(Kind::Int(*v), to.clone(), span),
        (_, Type::Int(_), Type::Int(_)) => Expr::new(Kind::As(Box::new(e)), to.clone(), span),
        _ => convert(e, to),
    }
}

/// Returns the value for storing in a place of this type; the store itself cuts it.
pub(super) fn stored(e: Expr, to: &Type) -> Expr {
    match (e.as_constant(), to) {
        (Some(v), Type::Int(int)) => Expr::constant(v, *int, e.span),
        _ => widened(e, to),
    }
}

/// Computes constant expressions, exactly as the VM would.
pub(super) fn fold(e: Expr) -> Expr {
    let value = match &e.kind {
        Kind::Neg(a) => a.as_constant().map(u64::wrapping_neg),
        Kind::BitNot(a) => a.as_constant().map(|v| !v),
        Kind::LogNot(a) => a.as_constant().map(|v| u64::from(v == 0)),
        Kind::Binary(op, a, b) => match (a.as_constant(), b.as_constant(), &a.ty) {
            (Some(x), Some(y), Type::Int(int)) => arithmetic(*op, x, y, int.signed),
            _ => None,
        },
        Kind::Compare(op, a, b) => match (a.as_constant(), b.as_constant(), &a.ty) {
            (Some(x), Some(y), ty) => Some(u64::from(comparison(*op, x, y, is_signed(ty)))),
            _ => None,
        },
        Kind::Logic(op, a, b) => match (a.as_constant(), b.as_constant()) {
            (Some(x), Some(y)) => Some(u64::from(match op {
                BinOp::LogAnd => x != 0 && y != 0,
                BinOp::LogOr => x != 0 || y != 0,
                _ => (x != 0) != (y != 0),
            })),
            _ => None,
        },
        _ => None,
    };
    match (value, &e.ty) {
        (Some(v), Type::Int(_)) => Expr::new(Kind::Int(v), e.ty, e.span),
        _ => e,
    }
}

fn is_signed(ty: &Type) -> bool {
    ty.int().is_some_and(|i| i.signed)
}

fn arithmetic(op: BinOp, x: u64, y: u64, signed: bool) -> Option<u64> {
    let (sx, sy) = (x as i64, y as i64);
    Some(match op {
        BinOp::Add => x.wrapping_add(y),
        BinOp::Sub => x.wrapping_sub(y),
        BinOp::Mul => x.wrapping_mul(y),
        BinOp::Div | BinOp::Rem if y == 0 => return None,
        BinOp::Div if signed => sx.wrapping_div(sy) as u64,
        BinOp::Div => x.wrapping_div(y),
        BinOp::Rem if signed => sx.wrapping_rem(sy) as u64,
        BinOp::Rem => x.wrapping_rem(y),
        // The VM decides about counts of 64 and more.
        BinOp::Shl | BinOp::Shr if y > 63 => return None,
        BinOp::Shl => x.wrapping_shl(y as u32),
        BinOp::Shr if signed => sx.wrapping_shr(y as u32) as u64,
        BinOp::Shr => x.wrapping_shr(y as u32),
        BinOp::And => x & y,
        BinOp::Or => x | y,
        BinOp::Xor => x ^ y,
        _ => return None,
    })
}

fn comparison(op: BinOp, x: u64, y: u64, signed: bool) -> bool {
    let order = if signed { (x as i64).cmp(&(y as i64)) } else { x.cmp(&y) };
    match op {
        BinOp::Lt => order.is_lt(),
        BinOp::Le => order.is_le(),
        BinOp::Gt => order.is_gt(),
        BinOp::Ge => order.is_ge(),
        BinOp::Eq => order.is_eq(),
        _ => order.is_ne(),
    }
}
