// SPDX-License-Identifier: GPL-2.0
//! `translator output < input param > { member = expression; .. };` and
//! `xlate <type> (expression)`.

use super::{Parse, Parser};
use crate::ast::{Expr, ExprKind, Rule, Translator, TypeName};
use crate::source::Span;

impl Parser<'_> {
    /// Parses a translator whose first word has been read.
    pub(super) fn parse_translator(&mut self, start: Span) -> Parse<Translator> {
        let output = self.parse_type_name()?;
        self.expect("<")?;
        let input = self.parse_type_name()?;
        let (param, _) = self.expect_ident("a name for what is translated")?;
        let end = self.expect(">")?;
        self.variables.insert(param.clone());
        self.expect("{")?;
        let mut rules = Vec::new();
        while !self.is("}") {
            let (name, span) = self.expect_ident("a member's name or `}`")?;
            self.expect("=")?;
            let value = self.parse_assignment()?;
            self.expect(";")?;
            rules.push(Rule { name, span, value });
        }
        self.expect("}")?;
        self.expect(";")?;
        Ok(Translator { output, input, param, rules, span: start.to(end) })
    }

    /// Parses `xlate <type> (expression)` and the suffixes after it.
    pub(super) fn parse_xlate(&mut self) -> Parse<Expr> {
        let start = self.bump().span;
        self.expect("<")?;
        let ty: TypeName = self.parse_type_name()?;
        self.expect(">")?;
        self.expect("(")?;
        let e = self.inside(|p| p.parse_expr())?;
        let end = self.expect(")")?;
        let e = self.node(ExprKind::Xlate(ty, Box::new(e)), start.to(end))?;
        self.parse_suffixes(e)
    }
}
