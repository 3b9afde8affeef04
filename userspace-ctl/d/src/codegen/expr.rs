// SPDX-License-Identifier: GPL-2.0
//! Expressions that leave their value in a register.

use super::{Gen, Problem};
use crate::ast::BinOp;
use crate::scope::Scope;
use crate::source::Span;
use crate::typed::{is_pushed_singly, is_reversed, Expr, Kind};
use crate::types::{Int, Type};
use abi::dif::{Op, Subr, NREGS, NTUPLE};
use abi::difo::{KIND_CTF, KIND_STRING};

/// The deepest tree that is compiled, in levels. It bounds the recursion here.
const MAX_HEIGHT: u16 = 1000;

impl Gen {
    /// Leaves the value in `rd` and returns how much of the register is valid.
    pub(super) fn expr(&mut self, e: &Expr, rd: u8) -> Result<State, Problem> {
        if e.height > MAX_HEIGHT {
            return Err(Problem::TooLarge(e.span, "levels"));
        }
        let rd = self.reg(rd, e.span)?;
        match &e.kind {
            Kind::Neg(a) => {
                self.value(a, rd)?;
                self.op(Op::Sub, 0, rd, rd);
                Ok(computed(&e.ty))
            }
            Kind::BitNot(a) => {
                let state = self.value(a, rd)?;
                self.op(Op::Not, rd, 0, rd);
                Ok(if is_signed(&e.ty) { state } else { computed(&e.ty) })
            }
            Kind::Binary(op, a, b) => self.binary(*op, a, b, &e.ty, rd),
            Kind::Logic(BinOp::LogXor, a, b) => {
                self.truth(a, rd)?;
                let next = self.reg(rd + 1, e.span)?;
                self.truth(b, next)?;
                self.op(Op::Xor, rd, next, rd);
                Ok(State::Exact)
            }
            Kind::LogNot(_) | Kind::Compare(..) | Kind::StrCompare(..) | Kind::Logic(..) => {
                self.truth(e, rd)?;
                Ok(State::Exact)
            }
            Kind::Cond(c, a, b) => {
                let (other, end) = (self.label(), self.label());
                self.jump(c, rd, false, other)?;
                let x = self.value(a, rd)?;
                self.branch(Op::Ba, end);
                self.place(other);
                let y = self.value(b, rd)?;
                self.place(end);
                Ok(x.and(y))
            }
            Kind::Comma(a, b) => {
                self.expr(a, rd)?;
                self.expr(b, rd)
            }
            Kind::Convert(a) => self.convert(a, &e.ty, rd),
            Kind::As(a) => {
                let state = self.value(a, rd)?;
                let holds_all = match (a.ty.int(), e.ty.int()) {
                    (Some(from), Some(to)) => {
                        to.size == 8
                            || to.size > from.size && (to.signed || !from.signed)
                            || to.size == from.size && to.signed == from.signed
                    }
                    _ => true,
                };
                Ok(if holds_all && state == State::Exact { state } else { computed(&e.ty) })
            }
            Kind::Call(s, args) => self.call(*s, args, rd, e.span),
            _ => self.stored(e, rd),
        }
    }

    /// [`Self::expr`] for constants, variables and memory. It is a function of its own so that
    /// recursion over deep trees of operators has small frames.
    #[expect(clippy::too_many_lines, reason = "a flat match, with one arm for each kind")]
    fn stored(&mut self, e: &Expr, rd: u8) -> Result<State, Problem> {
        match &e.kind {
            Kind::Int(v) => {
                self.setx(*v, rd, e.span)?;
                let is_exact = e.ty.int().is_none_or(|int| int.wrap(*v) == *v);
                Ok(if is_exact { State::Exact } else { State::Wide })
            }
            Kind::Str(text) => {
                self.sets(text, rd, e.span)?;
                Ok(State::Exact)
            }
            Kind::Var(v) => {
                self.read(v, e.span)?;
                self.op16(load_var(v.scope), v.id, rd);
                Ok(State::Exact)
            }
            Kind::Within(index, count) => {
                self.value(index, rd)?;
                let most = self.reg(rd + 1, e.span)?;
                let within = self.label();
                self.setx(u64::from(*count), most, e.span)?;
                self.op(Op::Cmp, rd, most, 0);
                self.branch(Op::Blu, within);
                // Index out of range: a load from address 0 always faults.
                self.op(Op::Ldx, 0, 0, rd);
                self.place(within);
                Ok(State::Exact)
            }
            Kind::SetBytes(address, value) => {
                let (to, from, _) = self.pair(address, value, rd)?;
                let size = self.reg(rd + 2, e.span)?;
                self.setx(e.ty.dif(self.strsize).size.into(), size, e.span)?;
                self.op(Op::Copys, from, size, to);
                if to != rd {
                    self.op(Op::Mov, to, 0, rd);
                }
                Ok(State::Exact)
            }
            Kind::Builtin(b) => {
                self.builtin(*b, e.span)?;
                self.op16(Op::Ldgs, b.id(), rd);
                Ok(State::Exact)
            }
            Kind::Element(b, index) => {
                self.value(index, rd)?;
                self.builtin(*b, e.span)?;
                self.op(Op::Ldga, b.id() as u8, rd, rd);
                Ok(State::Exact)
            }
            Kind::SetVar(v, value) => {
                self.exact(value, rd)?;
                self.write(v, e.span)?;
                self.op16(store_var(v.scope), v.id, rd);
                Ok(State::Exact)
            }
            Kind::Entry(v, keys) => {
                self.tuple(keys, rd, e.span)?;
                self.read(v, e.span)?;
                let op = if v.scope == Scope::Thread { Op::Ldtaa } else { Op::Ldgaa };
                self.op16(op, v.id, rd);
                Ok(State::Exact)
            }
            Kind::SetEntry(v, keys, value) => {
                self.exact(value, rd)?;
                self.tuple(keys, rd + 1, e.span)?;
                self.write(v, e.span)?;
                let op = if v.scope == Scope::Thread { Op::Sttaa } else { Op::Stgaa };
                self.op16(op, v.id, rd);
                Ok(State::Exact)
            }
            Kind::SetMem(address, value) => self.store(address, value, &e.ty, rd),
            Kind::Load(address) if e.ty.is_by_ref() => self.expr(address, rd),
            Kind::Bits(a, low, count) => {
                self.value(a, rd)?;
                self.bits(u64::from(*low), u64::from(*count), a, &e.ty, rd)?;
                Ok(State::Exact)
            }
            Kind::Load(address) => {
                self.expr(address, rd)?;
                self.op(load_op(&e.ty), rd, 0, rd);
                Ok(State::Exact)
            }
            // An action decides itself what it records; only its operand is compiled.
            Kind::Action(..) => Err(Problem::TooLarge(e.span, "actions within")),
            // Checking has replaced all translations by their rules.
            _ => Err(Problem::TooLarge(e.span, "translations within")),
        }
    }

    /// [`Self::expr`] with all 64 bits valid, as operators and conditions need them.
    pub(super) fn value(&mut self, e: &Expr, rd: u8) -> Result<State, Problem> {
        match self.expr(e, rd)? {
            State::Low => {
                self.extended(&e.ty, rd, e.span)?;
                Ok(State::Exact)
            }
            state => Ok(state),
        }
    }

    /// [`Self::expr`] with the value cut to its type.
    fn exact(&mut self, e: &Expr, rd: u8) -> Result<(), Problem> {
        match self.expr(e, rd)? {
            State::Exact => Ok(()),
            State::Wide | State::Low => self.extended(&e.ty, rd, e.span),
        }
    }

    /// Leaves 0 or 1 in `rd`.
    fn truth(&mut self, e: &Expr, rd: u8) -> Result<(), Problem> {
        let rd = self.reg(rd, e.span)?;
        let (yes, end) = (self.label(), self.label());
        self.jump(e, rd, true, yes)?;
        self.op(Op::Mov, 0, 0, rd);
        self.branch(Op::Ba, end);
        self.place(yes);
        self.setx(1, rd, e.span)?;
        self.place(end);
        Ok(())
    }

    /// Evaluates both operands; returns the registers of `a` and of `b`.
    pub(super) fn pair(&mut self, a: &Expr, b: &Expr, rd: u8) -> Result<(u8, u8, State), Problem> {
        let reversed = is_reversed(a, b);
        let (first, second) = if reversed { (b, a) } else { (a, b) };
        let x = self.value(first, rd)?;
        let next = self.reg(rd + 1, second.span)?;
        let y = self.value(second, next)?;
        Ok(if reversed { (next, rd, x.and(y)) } else { (rd, next, x.and(y)) })
    }

    fn binary(
        &mut self,
        op: BinOp,
        a: &Expr,
        b: &Expr,
        ty: &Type,
        rd: u8,
    ) -> Result<State, Problem> {
        let signed = is_signed(ty);
        let op = match op {
            BinOp::Add => Op::Add,
            BinOp::Sub => Op::Sub,
            BinOp::Mul => Op::Mul,
            BinOp::And => Op::And,
            BinOp::Or => Op::Or,
            BinOp::Xor => Op::Xor,
            BinOp::Shl => Op::Sll,
            BinOp::Shr if signed => Op::Sra,
            BinOp::Shr => Op::Srl,
            BinOp::Div if signed => Op::Sdiv,
            BinOp::Div => Op::Udiv,
            BinOp::Rem if signed => Op::Srem,
            // Only `%` is left: comparisons and logic have nodes of their own.
            _ => Op::Urem,
        };
        let (r1, r2, state) = self.pair(a, b, rd)?;
        self.op(op, r1, r2, rd);
        Ok(match op {
            Op::And | Op::Or | Op::Xor | Op::Sra | Op::Srl | Op::Udiv | Op::Srem | Op::Urem => {
                state
            }
            // The least int divided by -1 is one more than an int can hold.
            _ => computed(ty),
        })
    }

    fn convert(&mut self, a: &Expr, to: &Type, rd: u8) -> Result<State, Problem> {
        let state = self.value(a, rd)?;
        let (Type::Int(from), Type::Int(to)) = (&a.ty, to) else {
            // Addresses, strings and 64-bit numbers have the same form in a register. An address
            // that becomes a smaller number is cut later.
            return Ok(if is_wide(to) || !matches!(to, Type::Int(_)) {
                State::Exact
            } else {
                State::Low
            });
        };
        if to.size <= from.size {
            let same = to.size == 8 || (state == State::Exact && to == from);
            return Ok(if same { State::Exact } else { State::Low });
        }
        if state == State::Wide && from.signed {
            self.extended(&a.ty, rd, a.span)?;
        } else if state == State::Wide {
            return Ok(if to.size == 8 { State::Exact } else { State::Low });
        }
        Ok(if !from.signed || to.signed || to.size == 8 { State::Exact } else { State::Low })
    }

    /// Extracts `count` bits of the value in `rd`, from bit `low` on, and extends them to 64 bits
    /// by the signedness of their type.
    fn bits(
        &mut self,
        low: u64,
        count: u64,
        from: &Expr,
        ty: &Type,
        rd: u8,
    ) -> Result<(), Problem> {
        let shift = |gen: &mut Self, op: Op, by: u64| {
            if by != 0 {
                let spare = gen.reg(rd + 1, from.span)?;
                gen.setx(by, spare, from.span)?;
                gen.op(op, rd, spare, rd);
            }
            Ok(())
        };
        let end = low.saturating_add(count);
        if is_signed(ty) {
            shift(self, Op::Sll, 64u64.saturating_sub(end))?;
            return shift(self, Op::Sra, 64u64.saturating_sub(count));
        }
        shift(self, Op::Srl, low)?;
        // A loaded value has zeros above its own bits.
        let all = from.ty.int().map_or(64, |i| 8 * u64::from(i.size));
        if end < all {
            let spare = self.reg(rd + 1, from.span)?;
            self.setx((1u64 << count.min(63)) - 1, spare, from.span)?;
            self.op(Op::And, rd, spare, rd);
        }
        Ok(())
    }

    fn store(&mut self, address: &Expr, value: &Expr, ty: &Type, rd: u8) -> Result<State, Problem> {
        let (at, from, state) = self.pair(address, value, rd)?;
        let op = match ty.size(self.strsize) {
            Some(1) => Op::Stb,
            Some(2) => Op::Sth,
            Some(4) => Op::Stw,
            _ => Op::Stx,
        };
        self.op(op, from, 0, at);
        if from != rd {
            self.op(Op::Mov, from, 0, rd);
        }
        Ok(if state == State::Wide { State::Low } else { state })
    }

    /// Puts values on the tuple stack; may use `rd` and the registers above.
    fn tuple(&mut self, list: &[Expr], rd: u8, span: Span) -> Result<(), Problem> {
        if list.len() > NTUPLE {
            return Err(Problem::TooLarge(span, "keys"));
        }
        let needs = list.iter().zip(rd..).map(|(e, at)| at.saturating_add(e.need));
        // If there are too few registers for all, each value is pushed before the next is
        // evaluated.
        let fits = needs.max().is_none_or(|end| usize::from(end) <= NREGS);
        if fits || !is_pushed_singly(list) {
            for (e, at) in list.iter().zip(rd..) {
                self.value(e, at)?;
            }
            self.op(Op::Flushts, 0, 0, 0);
            for (e, at) in list.iter().zip(rd..) {
                // CAST: at most NTUPLE.
                self.push(e, at, rd.saturating_add(list.len() as u8), span)?;
            }
            return Ok(());
        }
        for (n, e) in list.iter().enumerate() {
            self.value(e, rd)?;
            if n == 0 {
                self.op(Op::Flushts, 0, 0, 0);
            }
            self.push(e, rd, rd + 1, span)?;
        }
        Ok(())
    }

    /// Pushes the value in register `at`; may use `spare`.
    fn push(&mut self, e: &Expr, at: u8, spare: u8, span: Span) -> Result<(), Problem> {
        match &e.ty {
            Type::String => self.op(Op::Pushtr, KIND_STRING, 0, at),
            ty if ty.is_by_ref() => {
                let size = self.reg(spare, span)?;
                self.setx(ty.dif(self.strsize).size.into(), size, span)?;
                self.op(Op::Pushtr, KIND_CTF, size, at);
            }
            _ => self.op(Op::Pushtv, KIND_CTF, 0, at),
        }
        Ok(())
    }

    fn call(&mut self, s: Subr, args: &[Expr], rd: u8, span: Span) -> Result<State, Problem> {
        if args.len() > NTUPLE {
            return Err(Problem::TooLarge(span, "arguments"));
        }
        self.tuple(args, rd, span)?;
        if matches!(s, Subr::Copyout | Subr::Copyoutstr) {
            self.destroys();
        }
        self.op16(Op::Call, s as u16, rd);
        Ok(State::Exact)
    }
}

/// How much of a register is valid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    /// The whole value, and it fits its type.
    Exact,
    /// The whole value, which may exceed its type.
    Wide,
    /// As many low bits as the type has; the bits above are undefined.
    Low,
}

impl State {
    /// Combines the states of two values: exact only if both are. Neither may be `Low`.
    fn and(self, other: State) -> State {
        if self == State::Exact {
            other
        } else {
            self
        }
    }
}

/// The state after an operator.
fn computed(ty: &Type) -> State {
    if is_wide(ty) {
        State::Exact
    } else {
        State::Wide
    }
}

fn load_var(scope: Scope) -> Op {
    match scope {
        Scope::Global => Op::Ldgs,
        Scope::Thread => Op::Ldts,
        Scope::Local => Op::Ldls,
    }
}

fn store_var(scope: Scope) -> Op {
    match scope {
        Scope::Global => Op::Stgs,
        Scope::Thread => Op::Stts,
        Scope::Local => Op::Stls,
    }
}

pub(super) fn is_signed(ty: &Type) -> bool {
    ty.int().is_some_and(|i| i.signed)
}

/// Tells whether the type takes all 64 bits.
fn is_wide(ty: &Type) -> bool {
    match ty {
        Type::Int(i) => i.size == 8,
        _ => true,
    }
}

fn load_op(ty: &Type) -> Op {
    match ty {
        Type::Int(Int { size: 1, signed: true, .. }) => Op::Ldsb,
        Type::Int(Int { size: 2, signed: true, .. }) => Op::Ldsh,
        Type::Int(Int { size: 4, signed: true, .. }) => Op::Ldsw,
        Type::Int(Int { size: 1, .. }) => Op::Ldub,
        Type::Int(Int { size: 2, .. }) => Op::Lduh,
        Type::Int(Int { size: 4, .. }) | Type::Float(4) => Op::Lduw,
        _ => Op::Ldx,
    }
}
