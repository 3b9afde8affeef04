// SPDX-License-Identifier: GPL-2.0
//! `provider name { probe name(native arguments) : (translated arguments); .. };`

use super::{Parse, Parser};
use crate::ast::{ProbeDecl, Provider};
use crate::token::Tok;

impl Parser<'_> {
    /// Parses a provider whose first word has been read.
    pub(super) fn parse_provider(&mut self) -> Parse<Provider> {
        let (name, span) = self.expect_ident("a provider's name")?;
        self.expect("{")?;
        let mut probes = Vec::new();
        while !self.is("}") {
            if self.peek().tok != Tok::Ident("probe".into()) {
                return Err(self.unexpected("`probe` or `}`"));
            }
            self.bump();
            let (name, span) = self.expect_ident("a probe's name")?;
            self.expect("(")?;
            let native = self.parse_prototype(")")?;
            let mut translated = None;
            if self.maybe(":") {
                self.expect("(")?;
                translated = Some(self.parse_prototype(")")?);
            }
            self.expect(";")?;
            probes.push(ProbeDecl { name, span, native, translated });
        }
        self.expect("}")?;
        self.expect(";")?;
        Ok(Provider { name, span, probes })
    }
}
