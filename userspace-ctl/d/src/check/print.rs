// SPDX-License-Identifier: GPL-2.0
//! `print(x)`: collects what the printer needs about x's type.

use std::sync::Arc;

use super::Checker;
use crate::ast;
use crate::diag::{Diagnostic, Tag};
use crate::shape::{Field, Shape, Shown};
use crate::source::Span;
use crate::typed::Stmt;
use crate::types::{Int, StructId, Type};

/// The deepest nesting of structs.
const MAX_DEPTH: u8 = 16;
/// The most members of one value, members of members included.
const MAX_FIELDS: usize = 20_000;

impl Checker<'_> {
    pub(super) fn print(&mut self, args: &[ast::Expr], span: Span) -> Option<Stmt> {
        let e = self.traced("print", Tag::PrintAgg, args, span)?;
        let (tag, message) = match &e.ty {
            Type::Void => {
                (Tag::PrintVoid, "print( ) may not be applied to a void expression".into())
            }
            Type::Action(kind) => {
                let name = kind.name();
                (Tag::PrintDyn, format!("print( ) may not be applied to {name}( )"))
            }
            Type::Error => return None,
            _ if self.recordable("print", &e) => {
                let ty = self.complete(&e.ty);
                let mut left = MAX_FIELDS;
                let shape = self.shape(&ty, 0, &mut left);
                return Some(Stmt::Print(e, Arc::new(Shown { ty: ty.to_string(), shape })));
            }
            _ => return None,
        };
        let d = Diagnostic::new(tag, e.span, message);
        self.fail(match tag {
            Tag::PrintDyn => d.hint("trace() prints it"),
            _ => d.label("no value"),
        });
        None
    }

    fn number(&self, int: &Int) -> Shape {
        let size = u32::from(int.size);
        let plain = Shape::Number { size, is_signed: int.signed };
        let Some(id) = int.enumeration else { return plain };
        let mut names: Vec<_> = match id.0 >= StructId::PROGRAM {
            true => {
                let own =
                    self.names.enumerators.iter().filter(|(_, (_, of))| of.enumeration == Some(id));
                own.map(|(name, (value, _))| (name.clone(), *value)).collect()
            }
            false => self.world.enumerators(id),
        };
        // A value with several names always gets the alphabetically first one.
        names.sort();
        Shape::Enum { size, names }
    }

    fn shape(&self, ty: &Type, depth: u8, left: &mut usize) -> Shape {
        match ty {
            Type::Int(i) if i.size == 1 && i.name.contains("char") => Shape::Char,
            Type::Int(i) => self.number(i),
            Type::Pointer(_) => Shape::Number { size: 8, is_signed: false },
            Type::Float(size @ (4 | 8)) => Shape::Float { size: u32::from(*size) },
            Type::String => Shape::Text { size: self.settings.strsize },
            Type::Array(of, count) => {
                let of = self.complete(of);
                let size = of.size(self.settings.strsize).unwrap_or(0);
                match self.shape(&of, depth + 1, left) {
                    Shape::Char => Shape::Text { size: *count },
                    of => Shape::Array { of: Box::new(of), size, count: *count },
                }
            }
            Type::Struct(_) if depth < MAX_DEPTH => {
                let Type::Struct(s) = self.complete(ty) else { return Shape::Unknown };
                let Some(members) = self.members(&s) else { return Shape::Unknown };
                let mut fields = Vec::new();
                for m in members.iter() {
                    let Some(rest) = left.checked_sub(1) else { return Shape::Unknown };
                    *left = rest;
                    let ty = self.complete(&m.ty);
                    let shape = self.shape(&ty, depth + 1, left);
                    fields.push(Field {
                        name: m.name.clone(),
                        ty: ty.to_string(),
                        offset: m.offset,
                        bits: m.bits,
                        shape,
                    });
                }
                Shape::Struct(fields)
            }
            _ => Shape::Unknown,
        }
    }
}
