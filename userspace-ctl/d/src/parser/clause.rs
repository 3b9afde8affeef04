// SPDX-License-Identifier: GPL-2.0
//! `descriptions /predicate/ { statements }`.

use super::{decl, Complained, Parse, Parser, MAX_DEPTH};
use crate::ast::{Clause, Expr, ExprKind, Stmt, StmtKind};
use crate::diag::{Diagnostic, Region, Tag};
use crate::source::Span;
use crate::token::Tok;
use crate::types::Int;

impl Parser<'_> {
    /// Parses a clause whose first description has been read.
    pub(super) fn parse_clause(&mut self, word: String, span: Span) -> Parse<Clause> {
        self.region = Some(Region::ProbeDescription);
        self.take_lexical();
        let mut probes = vec![(word, span)];
        while self.maybe(",") {
            match self.lexer.word() {
                Some((word, span)) => {
                    self.last = span;
                    self.take_lexical();
                    probes.push((word, span));
                }
                None => return Err(self.unexpected("a probe description after `,`")),
            }
        }
        let mut predicate = None;
        if self.maybe("/") {
            self.region = Some(Region::Predicate);
            self.predicate = Some(0);
            let expr = self.parse_expr()?;
            self.predicate = None;
            self.expect("/")?;
            predicate = Some(expr);
        }
        if self.is("{") {
            self.region = Some(Region::ActionList);
            let body = self.parse_block()?;
            return Ok(Clause { probes, predicate, body: Some(body) });
        }
        if self.is_command_line && self.peek().tok == Tok::Eof {
            return Ok(Clause { probes, predicate, body: None });
        }
        // The next word was meant as a description, so the message blames that word.
        let found = self.peek().clone();
        if let Tok::Ident(name) = &found.tok {
            let message = format!(
                "syntax error near `{name}`: expected predicate and/or actions following probe description"
            );
            let d = Diagnostic::new(Tag::Syntax, found.span, message)
                .label("expected `{` or `/`")
                .other(span, "after this description");
            return Err(self.complain(d));
        }
        Err(self.unexpected("predicate and/or actions following probe description"))
    }

    /// Parses `{ statements }`; complaints inside do not end it.
    fn parse_block(&mut self) -> Parse<Vec<Stmt>> {
        self.expect("{")?;
        self.deeper()?;
        let mut statements = Vec::new();
        loop {
            match self.peek().tok {
                Tok::Punct("}") => {
                    self.bump();
                    self.shallower();
                    return Ok(statements);
                }
                Tok::Punct(";") => {
                    self.bump();
                }
                Tok::Eof => return Err(self.unexpected("`}`")),
                _ => {
                    let depth = self.depth;
                    match self.parse_statement() {
                        Ok(s) => statements.push(s),
                        Err(_) => {
                            self.depth = depth;
                            self.skip_statement();
                        }
                    }
                }
            }
        }
    }

    fn parse_statement(&mut self) -> Parse<Stmt> {
        let start = self.peek().span;
        if let Tok::Ident(word) = &self.peek().tok {
            let word = word.clone();
            match word.as_str() {
                "if" => return self.parse_if(),
                "while" | "for" | "do" | "switch" | "goto" | "return" | "break" | "continue" => {
                    let d = Diagnostic::new(
                        Tag::Syntax,
                        start,
                        format!("syntax error near `{word}`: D has no such statement"),
                    )
                    .label("every clause must end: D has no loops and no jumps")
                    .hint("use predicates, `if`, or `?:`");
                    let _: Complained = self.complain(d);
                    self.skip_loop();
                    let nothing = Expr::new(ExprKind::Int(0, Int::INT), start);
                    return Ok(Stmt { kind: StmtKind::Expr(nothing) });
                }
                "self" | "this" => {}
                word if decl::is_reserved(word) => return Err(self.reserved(word, start)),
                _ if self.begins_declaration(&word) => {
                    let message = format!(
                        "syntax error near `{word}`: declarations must be outside of clauses"
                    );
                    let d = Diagnostic::new(Tag::Syntax, start, message)
                        .label("expected a statement")
                        .hint("put it before the clause, or just assign: the first assignment declares");
                    return Err(self.complain(d));
                }
                _ => {}
            }
        }
        let expr = self.parse_expr()?;
        if !self.is("}") && !self.is(";") {
            return Err(self.unexpected("`;` or `}`"));
        }
        self.maybe(";");
        Ok(Stmt { kind: StmtKind::Expr(expr) })
    }

    /// Skips a loop, which D does not have, with its body.
    fn skip_loop(&mut self) {
        self.bump();
        for (open, close) in [("(", ")"), ("{", "}")] {
            let mut depth = 0usize;
            while self.is(open) || depth > 0 && self.peek().tok != Tok::Eof {
                let t = self.bump();
                match t.tok {
                    Tok::Punct(p) if p == open => depth += 1,
                    Tok::Punct(p) if p == close => depth -= 1,
                    _ => {}
                }
                if depth == 0 {
                    break;
                }
            }
        }
        self.maybe(";");
    }

    /// Parses `if` with all its `else if`. It reads them in a loop and builds the tree from the
    /// last one.
    fn parse_if(&mut self) -> Parse<Stmt> {
        let mut arms = Vec::new();
        let mut kind = loop {
            self.bump();
            self.expect("(")?;
            let condition = self.parse_expr()?;
            self.expect(")")?;
            let then = self.parse_body()?;
            if !self.is_word("else") {
                break StmtKind::If(condition, then, Vec::new());
            }
            self.bump();
            if !self.is_word("if") {
                break StmtKind::If(condition, then, self.parse_body()?);
            }
            if arms.len() >= usize::from(MAX_DEPTH) {
                let message = format!("syntax error: `else if` more than {MAX_DEPTH} times");
                return Err(self.too_deep(message));
            }
            arms.push((condition, then));
        };
        for (condition, then) in arms.into_iter().rev() {
            kind = StmtKind::If(condition, then, vec![Stmt { kind }]);
        }
        Ok(Stmt { kind })
    }

    /// Parses a block or one statement.
    fn parse_body(&mut self) -> Parse<Vec<Stmt>> {
        if self.is("{") {
            return self.parse_block();
        }
        self.deeper()?;
        let s = if self.maybe(";") { Vec::new() } else { vec![self.parse_statement()?] };
        self.shallower();
        Ok(s)
    }

    /// Skips past the `;` of a broken statement, or up to the `}` of its block.
    fn skip_statement(&mut self) {
        let mut open = 0usize;
        loop {
            match self.peek().tok {
                Tok::Eof => return,
                Tok::Punct("}") if open == 0 => return,
                Tok::Punct("}") => open -= 1,
                Tok::Punct("{") => open += 1,
                Tok::Punct(";") if open == 0 => {
                    self.bump();
                    return;
                }
                _ => {}
            }
            self.bump();
        }
    }
}
