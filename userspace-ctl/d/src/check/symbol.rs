// SPDX-License-Identifier: GPL-2.0
//! Symbols of the kernel: `` `name `` and `` module`name ``.
//!
//! A variable is memory at a known address; a per-CPU variable is that of the CPU on which the
//! probe fires. The value of a function is its address.

use super::Checker;
use crate::ast::BinOp;
use crate::diag::{Diagnostic, Tag};
use crate::source::Span;
use crate::typed::{Expr, Kind};
use crate::types::{Int, Type};
use abi::dif::Builtin;

/// The kernel's array of offsets, one word per CPU, from the original of a per-CPU variable to the
/// CPU's copy.
const OFFSETS: &str = "__per_cpu_offset";

impl Checker<'_> {
    /// Returns the value of a symbol.
    pub(super) fn symbol(&mut self, name: &str, span: Span) -> Expr {
        let at = self.symbol_address(name, span);
        match at.ty.clone() {
            Type::Pointer(to) => match &*to {
                Type::Function(_) => at,
                Type::Void => {
                    let message = format!("the type of `{name} is not known");
                    let d = Diagnostic::new(Tag::SymNotypes, span, message);
                    self.fail(
                        d.label("how many bytes?")
                            .note("the kernel's BTF has only functions and per-CPU variables")
                            .hint(format!("give it a type: *(int *)&`{name}")),
                    )
                }
                to => self.load(at, to, span),
            },
            _ => at,
        }
    }

    /// Returns the address of a symbol; a `void *` if its type is not known.
    pub(super) fn symbol_address(&mut self, name: &str, span: Span) -> Expr {
        let (module, symbol) = name.split_once('`').unwrap_or(("", name));
        let Some(found) = self.world.symbol(module, symbol) else {
            let of = if module.is_empty() { "vmlinux" } else { module };
            let message = format!("failed to resolve {of}`{symbol}: Unknown symbol name");
            let d = Diagnostic::new(Tag::IdentUndef, span, message).label("not in /proc/kallsyms");
            return self.fail(d.hint(format!("to look for it: grep {symbol} /proc/kallsyms")));
        };
        let ty = found.ty.unwrap_or(Type::Void).pointer_to();
        let address = Expr::constant(found.address, Int::UINTPTR, span);
        if !found.is_per_cpu {
            return Expr { ty, ..address };
        }
        let Some(offsets) = self.world.symbol("vmlinux", OFFSETS) else {
            let message = format!("`{name} is per CPU, and this kernel has no {OFFSETS}");
            return self.fail(Diagnostic::new(Tag::SymNotypes, span, message));
        };
        let long = || Type::Int(Int::ULONG);
        let add = |a: Expr, b: Expr, ty: Type| {
            Expr::new(Kind::Binary(BinOp::Add, Box::new(a), Box::new(b)), ty, span)
        };
        let cpu = Expr::new(Kind::Builtin(Builtin::Cpu), Type::Int(Int::ULONG), span);
        let word = Expr::constant(8, Int::ULONG, span);
        let row = Expr::new(Kind::Binary(BinOp::Mul, Box::new(cpu), Box::new(word)), long(), span);
        let table = Expr::constant(offsets.address, Int::ULONG, span);
        let row = add(table, row, long().pointer_to());
        let offset = Expr::new(Kind::Load(Box::new(row)), long(), span);
        add(address, offset, ty)
    }
}
