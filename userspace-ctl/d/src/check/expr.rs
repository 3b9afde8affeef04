// SPDX-License-Identifier: GPL-2.0
//! Expressions with one operand, elements of arrays, and which check an expression gets.

use super::convert::{convert, cut, fold, widened};
use super::member::{decay, is_in_register};
use super::xlate::dereferenced;
use super::Checker;
use crate::ast::{self, BinOp, ExprKind, UnOp};
use crate::diag::{Diagnostic, Tag};
use crate::scope::Scope;
use crate::source::Span;
use crate::typed::{Expr, Kind};
use crate::types::convert::{is_castable, promote};
use crate::types::{Int, Type};

/// Tells whether the expression is memory of an array variable, whose length the program knows.
fn is_own(e: &Expr) -> bool {
    match &e.kind {
        Kind::Var(v) => matches!(v.ty, Type::Array(..)),
        Kind::Binary(BinOp::Add, base, _) => is_own(base),
        // The memory inside the variable counts, the memory it points to does not.
        Kind::Load(at) => e.ty.is_by_ref() && is_own(at),
        _ => false,
    }
}

impl Checker<'_> {
    /// Checks an expression that must have a value or be a void call.
    pub(super) fn expr(&mut self, e: &ast::Expr) -> Expr {
        let value = self.place(e);
        self.whole(value, e.span)
    }

    /// Checks a value that is used as a whole, not only for a member.
    pub(super) fn whole(&mut self, value: Expr, span: Span) -> Expr {
        if let Kind::Xlate(id, from) = value.kind {
            return self.written_out(id, *from, value.ty, span);
        }
        if let Type::Action(kind) = value.ty {
            return self.no_value(kind.name(), None, span);
        }
        if !is_in_register(&value) {
            return value;
        }
        self.in_register(value, span)
    }

    fn in_register(&mut self, value: Expr, span: Span) -> Expr {
        let message = format!("{} is in a register: only its members can be used", value.ty);
        let d = Diagnostic::new(Tag::ArgsType, span, message).label("passed by value");
        let text = self.source.slice(span);
        let hint = match &value.ty {
            Type::Struct(s) => {
                self.members(s).and_then(|m| Some(format!("{text}.{}", m.first()?.name)))
            }
            _ => None,
        };
        self.fail(match hint {
            Some(example) => d.hint(format!("one of them: {example}")),
            None => d,
        })
    }

    /// Checks a value that is recorded as a whole. A struct in a register is recorded as a number.
    pub(super) fn record(&mut self, e: &ast::Expr) -> Expr {
        let value = self.place(e);
        if let Kind::Xlate(..) = value.kind {
            return self.whole(value, e.span);
        }
        if !is_in_register(&value) {
            return value;
        }
        let size = value.ty.size(0).and_then(|size| u8::try_from(size).ok());
        match size.and_then(|size| Int::new(size, false, &value.ty.to_string())) {
            Some(int) => {
                let word = Expr { ty: Type::Int(Int::UINT64), ..value };
                convert(word, &Type::Int(int))
            }
            None => self.in_register(value, e.span),
        }
    }

    /// [`Self::expr`], or a struct in a register, of which a member is taken next. Trees are deep,
    /// so this function has no large temporaries.
    pub(super) fn place(&mut self, e: &ast::Expr) -> Expr {
        let span = e.span;
        match &e.kind {
            ExprKind::Int(v, int) => Expr::constant(*v, *int, span),
            ExprKind::Str(bytes) => Expr::new(Kind::Str(bytes.clone()), Type::String, span),
            ExprKind::Ident(name) => self.identifier(name, span),
            ExprKind::Scoped(pseudo, name) => self.scoped(*pseudo, name, span),
            ExprKind::Symbol(name) => self.symbol(name, span),
            ExprKind::Agg(name, _) => self.agg_value(name, span),
            ExprKind::Unary(op, a) => self.unary(*op, a, span),
            ExprKind::Assign(op, a, b) => self.assign(*op, a, b, span),
            ExprKind::Call(callee, args) => self.call(callee, args, span),
            ExprKind::Index(base, indices) => self.index(base, indices, span),
            ExprKind::Member(base, name) => self.member(base, name, span),
            _ => self.operation(e),
        }
    }

    /// [`Self::place`] for operators; a separate function keeps the frames of the recursion small.
    fn operation(&mut self, e: &ast::Expr) -> Expr {
        let span = e.span;
        match &e.kind {
            ExprKind::Binary(..) => self.chain(e),
            ExprKind::Cond(..) => self.alternatives(e),
            ExprKind::Comma(a, b) => {
                let (a, b) = (self.operand(",", a), self.operand(",", b));
                let ty = b.ty.clone();
                Expr::new(Kind::Comma(Box::new(a), Box::new(b)), ty, span)
            }
            ExprKind::Cast(ty, a) => {
                let to = self.type_name(ty);
                let a = self.expr(a);
                self.cast(to, a, span)
            }
            ExprKind::Xlate(ty, a) => {
                let to = self.type_name(ty);
                let from = self.expr(a);
                self.xlate(to, from, span)
            }
            ExprKind::SizeofType(ty) => {
                let of = self.type_name(ty);
                self.sizeof(&of, span)
            }
            ExprKind::SizeofExpr(a) => self.sizeof_value(a, span),
            ExprKind::Offsetof(ty, member) => self.offsetof(ty, member, span),
            ExprKind::Stringof(a) => {
                let a = self.expr(a);
                self.stringof(a, span)
            }
            _ => Expr::error(span),
        }
    }

    /// Checks `a + b - c ..` in a loop, because such chains are long.
    fn chain(&mut self, e: &ast::Expr) -> Expr {
        let (mut first, mut first_op, mut others) = (e, "", Vec::new());
        while let ExprKind::Binary(op, a, b) = &first.kind {
            others.push((*op, b, first.span));
            (first, first_op) = (a, op.text());
        }
        let mut left = self.operand(first_op, first);
        for (op, b, span) in others.into_iter().rev() {
            let right = self.operand(op.text(), b);
            left = self.binary(op, left, right, span);
        }
        left
    }

    /// Checks `c ? a : d ? b : ..` in a loop, too.
    fn alternatives(&mut self, e: &ast::Expr) -> Expr {
        let (mut last, mut others) = (e, Vec::new());
        while let ExprKind::Cond(c, a, b) = &last.kind {
            others.push((self.operand("?:", c), self.operand("?:", a), last.span));
            last = b;
        }
        let mut value = self.operand("?:", last);
        for (c, a, span) in others.into_iter().rev() {
            value = self.conditional(c, a, value, span);
        }
        value
    }

    fn agg_value(&mut self, name: &str, span: Span) -> Expr {
        let message = format!("aggregation @{name} cannot be used as a value");
        self.fail(
            Diagnostic::new(Tag::OpScalar, span, message)
                .label("its value is known to the consumer only")
                .hint("use printa() to print it"),
        )
    }

    fn sizeof_value(&mut self, a: &ast::Expr, span: Span) -> Expr {
        let of = self.place(a);
        if matches!(of.kind, Kind::Bits(..)) && matches!(of.ty, Type::Int(_)) {
            let message = "cannot apply sizeof to a bit field";
            let d = Diagnostic::new(Tag::SizeofBitfield, span, message);
            return self.fail(d.other(of.span, "a bit field"));
        }
        if let Kind::Str(text) = &of.kind {
            // The size is that of a character array with its final NUL.
            let bytes = text.iter().position(|b| *b == 0).unwrap_or(text.len()) as u64;
            return Expr::constant(bytes + 1, Int::SIZE, span);
        }
        self.sizeof(&of.ty, span)
    }

    fn sizeof(&mut self, ty: &Type, span: Span) -> Expr {
        match self.size_of(ty) {
            Some(size) => Expr::constant(u64::from(size), Int::SIZE, span),
            None if ty.is_error() => Expr::error(span),
            None => self.fail(Diagnostic::new(
                Tag::SizeofType,
                span,
                format!("cannot apply sizeof to an operand of type {ty}"),
            )),
        }
    }

    /// Checks `offsetof`; `member` is a member of a struct at address 0.
    fn offsetof(&mut self, ty: &ast::TypeName, member: &ast::Expr, span: Span) -> Expr {
        let of = self.type_name(ty);
        if !matches!(of, Type::Struct(_) | Type::Error) {
            let message = format!("cannot apply offsetof to an operand of type {of}");
            let d = Diagnostic::new(Tag::OffsetofType, ty.span, message);
            return self.fail(d.label(format!("expected a struct or union, found {of}")));
        }
        if of.is_error() {
            return Expr::error(span);
        }
        let e = self.place(member);
        match e.kind {
            Kind::Load(address) => convert(Expr { span, ..*address }, &Type::Int(Int::SIZE)),
            Kind::Bits(..) => {
                let message = "cannot take offset of a bit field";
                let d = Diagnostic::new(Tag::OffsetofBitfield, span, message);
                self.fail(d.other(member.span, "a bit field").label("it may begin inside a byte"))
            }
            _ if e.ty.is_error() => e,
            _ => self.no_address(Tag::AddrofLval, span),
        }
    }

    fn stringof(&mut self, a: Expr, span: Span) -> Expr {
        match a.ty {
            Type::Void | Type::Struct(_) => self.fail(
                Diagnostic::new(
                    Tag::StringofType,
                    span,
                    format!("cannot apply stringof to a value of type {}", a.ty),
                )
                .label("expected a string, a pointer or an address"),
            ),
            Type::Error => a,
            _ => Expr::new(Kind::Convert(Box::new(a)), Type::String, span),
        }
    }

    fn cast(&mut self, to: Type, a: Expr, span: Span) -> Expr {
        let a = if to == Type::String { a } else { decay(a) };
        if matches!(to, Type::Struct(_)) && self.complete(&to) == self.complete(&a.ty) {
            return Expr { span, ..a };
        }
        if !is_castable(&to, &a.ty) {
            let message = format!("invalid cast expression: ({to}) of a value of type {}", a.ty);
            return self.fail(
                Diagnostic::new(Tag::CastInval, span, message)
                    .label(format!("expected an integer or a pointer, found {}", a.ty)),
            );
        }
        let mut e = cut(a, &to);
        e.span = span;
        e
    }

    fn unary(&mut self, op: UnOp, operand: &ast::Expr, span: Span) -> Expr {
        match op {
            UnOp::PreInc | UnOp::PreDec | UnOp::PostInc | UnOp::PostDec => {
                return self.increment(op, operand, span)
            }
            UnOp::AddrOf => return self.address_of(operand, span),
            _ => {}
        }
        if let Some(refused) = self.refused(op.text(), operand) {
            return refused;
        }
        let a = self.place(operand);
        if matches!((op, &a.kind, &a.ty), (UnOp::Deref, Kind::Xlate(..), Type::Pointer(_))) {
            return dereferenced(a, span);
        }
        let a = decay(self.whole(a, operand.span));
        if a.ty.is_error() {
            return Expr::error(span);
        }
        match (op, a.ty.clone()) {
            (UnOp::Deref, Type::Pointer(to)) => self.load(a, &to, span),
            (UnOp::Deref, ty) => {
                let message = format!("cannot dereference non-pointer type {ty}");
                let d = Diagnostic::new(Tag::DerefNonptr, span, message)
                    .label(format!("expected a pointer, found {ty}"));
                self.fail(match ty {
                    Type::Int(_) => d.hint("cast it first: *(int *)x"),
                    _ => d,
                })
            }
            (UnOp::LogNot, ty) if ty.is_scalar() => {
                fold(Expr::new(Kind::LogNot(Box::new(a)), Type::INT, span))
            }
            (UnOp::LogNot, ty) => {
                self.bad_operand(Tag::OpScalar, "!", "a number or a pointer", &ty, span)
            }
            (_, Type::Int(int)) => {
                let ty = Type::Int(promote(int));
                let a = Box::new(widened(a, &ty));
                fold(match op {
                    UnOp::Neg => Expr::new(Kind::Neg(a), ty, span),
                    UnOp::BitNot => Expr::new(Kind::BitNot(a), ty, span),
                    _ => *a,
                })
            }
            (UnOp::BitNot, ty) => self.bad_operand(Tag::OpInt, "~", "an integer", &ty, span),
            (op, ty) => self.bad_operand(Tag::OpArith, op.text(), "a number", &ty, span),
        }
    }

    pub(super) fn bad_operand(
        &mut self,
        tag: Tag,
        op: &str,
        wanted: &str,
        found: &Type,
        span: Span,
    ) -> Expr {
        let message = format!(
            "operator {op} requires an operand of another type: expected {wanted}, found {found}"
        );
        self.fail(Diagnostic::new(tag, span, message).label(format!("this is {found}")))
    }

    /// Makes `*a` for a pointer to `to`.
    pub(super) fn load(&mut self, a: Expr, to: &Type, span: Span) -> Expr {
        let to = self.complete(to);
        match &to {
            Type::Struct(s) if s.size.is_none() => {
                let message = format!("the value of {s} is not available: only its name is known");
                self.fail(Diagnostic::new(Tag::OpIncomplete, span, message).label("not defined"))
            }
            Type::Function(_) => {
                let message = format!("cannot dereference a pointer to a function: {}", a.ty);
                let d = Diagnostic::new(Tag::DerefFunc, span, message);
                self.fail(d.label("D cannot call functions of the kernel"))
            }
            Type::Float(4 | 8) => Expr::new(Kind::Load(Box::new(a)), to, span),
            Type::Float(_) => self.later(Tag::Unknown, span, "values of long double are"),
            Type::Void => self.fail(
                Diagnostic::new(Tag::DerefVoid, span, "cannot dereference pointer to void")
                    .label("how many bytes?")
                    .hint("cast it first: *(uint8_t *)p"),
            ),
            _ => Expr::new(Kind::Load(Box::new(a)), to, span),
        }
    }

    fn address_of(&mut self, operand: &ast::Expr, span: Span) -> Expr {
        match &operand.kind {
            ExprKind::Unary(UnOp::Deref, _) | ExprKind::Index(..) | ExprKind::Member(..) => {
                let e = self.expr(operand);
                match e.kind {
                    Kind::Load(address) => Expr { span, ..*address },
                    Kind::Bits(..) => self.no_address(Tag::AddrofBitfield, span),
                    _ if e.ty.is_error() => e,
                    _ => self.no_address(Tag::AddrofVar, span),
                }
            }
            ExprKind::Symbol(name) => self.symbol_address(name, span),
            ExprKind::Ident(_) | ExprKind::Scoped(..) | ExprKind::Agg(..) => {
                self.no_address(Tag::AddrofVar, span)
            }
            _ => self.no_address(Tag::AddrofLval, span),
        }
    }

    fn no_address(&mut self, tag: Tag, span: Span) -> Expr {
        let message = match tag {
            Tag::AddrofVar => "cannot take the address of a D variable",
            Tag::AddrofBitfield => "cannot take the address of a bit field",
            _ => "unacceptable operand for unary & operator",
        };
        self.fail(Diagnostic::new(tag, span, message).label("expected memory, such as *p or p[i]"))
    }

    fn index(&mut self, base: &ast::Expr, indices: &[ast::Expr], span: Span) -> Expr {
        match &base.kind {
            ExprKind::Ident(name) => {
                if let Some(e) = self.builtin_array(name, indices, span) {
                    return e;
                }
                match self.inline(name, base.span) {
                    Some(inline) if !inline.params.is_empty() => {
                        return self.inlined_with(name, &inline, indices, span)
                    }
                    Some(_) => {}
                    None => {
                        if let Some(v) = self.array_read(Scope::Global, name, base.span) {
                            return self.entry(v, indices, span);
                        }
                    }
                }
            }
            ExprKind::Agg(name, _) => {
                let message = format!("aggregation @{name} may be indexed only once");
                return self.fail(
                    Diagnostic::new(Tag::AggMdim, span, message)
                        .label("expected one list of keys: @name[a, b]"),
                );
            }
            ExprKind::Scoped(ast::Pseudo::Local, name) => {
                let known = self.names.variable(Scope::Local, name);
                if known.is_none() {
                    let message =
                        format!("local associative arrays are not supported: this->{name}");
                    return self.fail(Diagnostic::new(Tag::ArrLocal, span, message));
                }
            }
            ExprKind::Scoped(ast::Pseudo::Thread, name) => {
                if let Some(v) = self.array_read(Scope::Thread, name, base.span) {
                    return self.entry(v, indices, span);
                }
            }
            _ => {}
        }
        let base = self.expr(base);
        let bound = match base.ty {
            Type::Array(_, count) if is_own(&base) => Some(count),
            _ => None,
        };
        let base = decay(base);
        if base.ty.is_error() {
            return base;
        }
        let (Type::Pointer(to), [index]) = (base.ty.clone(), indices) else {
            let message = format!("cannot use an index on a value of type {}", base.ty);
            return self.fail(
                Diagnostic::new(Tag::ArrBadref, span, message)
                    .label("expected a pointer and one index"),
            );
        };
        let mut index = decay(self.expr(index));
        if let (Some(count), Type::Int(_)) = (bound, &index.ty) {
            match index.as_constant() {
                Some(n) if n < u64::from(count) => {}
                Some(_) => {
                    let message = format!("index is outside of an array of {count} elements");
                    return self.fail(
                        Diagnostic::new(Tag::ArrBadref, index.span, message)
                            .label(format!("expected 0 to {}", count.saturating_sub(1))),
                    );
                }
                None => {
                    let (ty, span) = (index.ty.clone(), index.span);
                    index = Expr::new(Kind::Within(Box::new(index), count), ty, span);
                }
            }
        }
        let address = self.binary(BinOp::Add, base, index, span);
        if address.ty.is_error() {
            return address;
        }
        self.load(address, &to, span)
    }
}
