// SPDX-License-Identifier: GPL-2.0
//! The object under construction: instructions, tables, labels.

use super::Problem;
use crate::program::DifObject;
use crate::scope::Variable;
use crate::source::Span;
use crate::types::{Int, Type};
use abi::dif::{Builtin, Op, VarKind, MAX_INTTAB, MAX_STRTAB, MAX_TEXT, NREGS};
use abi::difo::{DifType, DifVar, SCOPE_GLOBAL, VAR_ARRAY, VAR_MOD, VAR_REF, VAR_SCALAR};

/// A branch target whose position is not known yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Label(usize);

/// An object under construction.
pub struct Gen {
    out: DifObject,
    /// Position of each label.
    labels: Vec<Option<usize>>,
    /// Branch instructions and their labels.
    branches: Vec<(usize, Label)>,
    pub(super) strsize: u32,
}

/// The most rows that a variable table may have.
const MAX_VARS: usize = dif::verify::MAX_VARS;

impl Gen {
    /// Makes an empty object.
    pub fn new(strsize: u32) -> Self {
        Self { out: DifObject::default(), labels: Vec::new(), branches: Vec::new(), strsize }
    }

    /// Emits `ret` from register 1 and fills in the branch targets.
    pub(super) fn finish(mut self, rtype: DifType, span: Span) -> Result<DifObject, Problem> {
        self.op(Op::Ret, 0, 0, 1);
        for (at, Label(label)) in std::mem::take(&mut self.branches) {
            let target = self.labels.get(label).copied().flatten();
            let (Some(target), Some(word)) = (target, self.out.text.get_mut(at)) else {
                return Err(Problem::TooLarge(span, "labels"));
            };
            *word |= target as u32 & 0x00ff_ffff;
        }
        if self.out.text.len() > MAX_TEXT {
            return Err(Problem::TooLarge(span, "instructions"));
        }
        self.out.rtype = rtype;
        Ok(self.out)
    }

    /// Returns `rd` if that register exists.
    pub(super) fn reg(&self, rd: u8, span: Span) -> Result<u8, Problem> {
        if usize::from(rd) < NREGS {
            Ok(rd)
        } else {
            Err(Problem::NoReg(span))
        }
    }

    pub(super) fn op(&mut self, op: Op, r1: u8, r2: u8, rd: u8) {
        let word = u32::from_be_bytes([op as u8, r1, r2, rd]);
        // One instruction too many is enough for `finish` to notice.
        if self.out.text.len() <= MAX_TEXT {
            self.out.text.push(word);
        }
    }

    pub(super) fn op16(&mut self, op: Op, index: u16, rd: u8) {
        let [high, low] = index.to_be_bytes();
        self.op(op, high, low, rd);
    }

    pub(super) fn label(&mut self) -> Label {
        self.labels.push(None);
        Label(self.labels.len() - 1)
    }

    pub(super) fn branch(&mut self, op: Op, to: Label) {
        self.branches.push((self.out.text.len(), to));
        self.op(op, 0, 0, 0);
    }

    pub(super) fn place(&mut self, label: Label) {
        let here = self.out.text.len();
        if let Some(slot) = self.labels.get_mut(label.0) {
            *slot = Some(here);
        }
    }

    pub(super) fn setx(&mut self, value: u64, rd: u8, span: Span) -> Result<(), Problem> {
        let known = self.out.inttab.iter().position(|v| *v == value);
        let index = known.unwrap_or(self.out.inttab.len());
        if index >= MAX_INTTAB {
            return Err(Problem::TooLarge(span, "integer constants"));
        }
        if known.is_none() {
            self.out.inttab.push(value);
        }
        self.op16(Op::Setx, index as u16, rd);
        Ok(())
    }

    /// Returns the offset of a string in the string table. The string ends at its first NUL.
    fn string(&mut self, text: &[u8], span: Span) -> Result<u32, Problem> {
        let text = text.split(|b| *b == 0).next().unwrap_or(&[]);
        let table = &mut self.out.strtab;
        if table.is_empty() {
            table.push(0);
        }
        let mut at = 0;
        for known in table.split(|b| *b == 0) {
            if known == text {
                return Ok(at as u32);
            }
            at += known.len() + 1;
        }
        let at = table.len();
        if at + text.len() + 1 > MAX_STRTAB {
            return Err(Problem::TooLarge(span, "strings"));
        }
        table.extend_from_slice(text);
        table.push(0);
        Ok(at as u32)
    }

    pub(super) fn sets(&mut self, text: &[u8], rd: u8, span: Span) -> Result<(), Problem> {
        let at = self.string(text, span)?;
        self.op16(Op::Sets, at as u16, rd);
        Ok(())
    }

    /// Records in the variable table that the object reads or writes a variable.
    pub(super) fn variable(&mut self, v: &Variable, how: u16, span: Span) -> Result<(), Problem> {
        let ty = v.ty.dif(self.strsize);
        let kind = if v.keys.is_some() { VAR_ARRAY } else { VAR_SCALAR };
        let row = (u32::from(v.id), kind, v.scope.number(), ty);
        self.row(row, &v.name, how, span)
    }

    pub(super) fn builtin(&mut self, b: Builtin, span: Span) -> Result<(), Problem> {
        let ty = Type::from_table(b.type_name()).unwrap_or(Type::INT).dif(self.strsize);
        let kind = if b.kind() == VarKind::Array { VAR_ARRAY } else { VAR_SCALAR };
        self.row((u32::from(b.id()), kind, SCOPE_GLOBAL, ty), b.name(), VAR_REF, span)
    }

    fn row(
        &mut self,
        (id, kind, scope, ty): (u32, u8, u8, DifType),
        name: &str,
        how: u16,
        span: Span,
    ) -> Result<(), Problem> {
        let known = self.out.vars.iter_mut().find(|v| v.id == id && v.scope == scope);
        if let Some(v) = known {
            v.flags |= how;
            return Ok(());
        }
        if self.out.vars.len() >= MAX_VARS {
            return Err(Problem::TooLarge(span, "variables"));
        }
        let name = self.string(name.as_bytes(), span)?;
        self.out.vars.push(DifVar { name, id, kind, scope, flags: how, ty });
        Ok(())
    }

    pub(super) fn read(&mut self, v: &Variable, span: Span) -> Result<(), Problem> {
        self.variable(v, VAR_REF, span)
    }

    pub(super) fn write(&mut self, v: &Variable, span: Span) -> Result<(), Problem> {
        self.variable(v, VAR_MOD, span)
    }

    pub(super) fn destroys(&mut self) {
        self.out.is_destructive = true;
    }

    /// Extends the low bits of the value in `rd` to 64 bits by its type.
    pub(super) fn extended(&mut self, ty: &Type, rd: u8, span: Span) -> Result<(), Problem> {
        match ty {
            Type::Int(int) if int.size < 8 => self.extend(*int, rd, span),
            _ => Ok(()),
        }
    }

    fn extend(&mut self, int: Int, rd: u8, span: Span) -> Result<(), Problem> {
        let spare = self.reg(rd + 1, span)?;
        let bits = 8 * u64::from(int.size);
        if int.signed {
            self.setx(64 - bits, spare, span)?;
            self.op(Op::Sll, rd, spare, rd);
            self.op(Op::Sra, rd, spare, rd);
        } else {
            self.setx((1 << bits) - 1, spare, span)?;
            self.op(Op::And, rd, spare, rd);
        }
        Ok(())
    }
}
