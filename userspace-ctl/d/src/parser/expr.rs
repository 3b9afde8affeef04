// SPDX-License-Identifier: GPL-2.0
//! Expressions: C's operators and D's `^^`, parsed by rank.

use super::{decl, Complained, Parse, Parser};
use crate::ast::{BinOp, Expr, ExprKind, MemberName, Pseudo, TypeName, UnOp, MAX_HEIGHT};
use crate::diag::{Diagnostic, Tag};
use crate::source::Span;
use crate::token::{Tok, Token};
use crate::types::Int;

/// Binary operators with their rank; the higher rank binds tighter.
const BINARY: &[(&str, u8, BinOp)] = &[
    ("||", 4, BinOp::LogOr),
    ("^^", 5, BinOp::LogXor),
    ("&&", 6, BinOp::LogAnd),
    ("|", 7, BinOp::Or),
    ("^", 8, BinOp::Xor),
    ("&", 9, BinOp::And),
    ("==", 10, BinOp::Eq),
    ("!=", 10, BinOp::Ne),
    ("<", 11, BinOp::Lt),
    ("<=", 11, BinOp::Le),
    (">", 11, BinOp::Gt),
    (">=", 11, BinOp::Ge),
    ("<<", 12, BinOp::Shl),
    (">>", 12, BinOp::Shr),
    ("+", 13, BinOp::Add),
    ("-", 13, BinOp::Sub),
    ("*", 14, BinOp::Mul),
    ("/", 14, BinOp::Div),
    ("%", 14, BinOp::Rem),
];
const ASSIGN: &[(&str, Option<BinOp>)] = &[
    ("=", None),
    ("+=", Some(BinOp::Add)),
    ("-=", Some(BinOp::Sub)),
    ("*=", Some(BinOp::Mul)),
    ("/=", Some(BinOp::Div)),
    ("%=", Some(BinOp::Rem)),
    ("&=", Some(BinOp::And)),
    ("^=", Some(BinOp::Xor)),
    ("|=", Some(BinOp::Or)),
    ("<<=", Some(BinOp::Shl)),
    (">>=", Some(BinOp::Shr)),
];
const RANK_COND: u8 = 3;
const RANK_ASSIGN: u8 = 2;
const RANK_COMMA: u8 = 1;

/// An operator between operands; for `?:`, with the middle operand.
enum Operator {
    Binary(BinOp),
    Assign(Option<BinOp>),
    Cond(Expr),
    Comma,
}

/// An operator that waits for its right operand.
struct Waiting {
    left: Expr,
    operator: Operator,
    rank: u8,
}

impl Parser<'_> {
    /// Parses a whole expression, comma operator included.
    pub(super) fn parse_expr(&mut self) -> Parse<Expr> {
        self.parse_rank(RANK_COMMA)
    }

    /// Parses an argument, that is, an expression without comma operator.
    pub(super) fn parse_assignment(&mut self) -> Parse<Expr> {
        self.parse_rank(RANK_ASSIGN)
    }

    pub(super) fn node(&mut self, kind: ExprKind, span: Span) -> Parse<Expr> {
        let e = Expr::new(kind, span);
        if e.height <= MAX_HEIGHT {
            return Ok(e);
        }
        let message = format!("syntax error: expression is more than {MAX_HEIGHT} levels deep");
        Err(self.complain(Diagnostic::new(Tag::Syntax, span, message)))
    }

    /// Parses operands and operators in a loop. Operators that wait for their right operand are on
    /// a separate stack, so a chain costs no nesting, except for a chain of assignments.
    fn parse_rank(&mut self, least: u8) -> Parse<Expr> {
        let outer = self.depth;
        self.deeper()?;
        let mut waiting: Vec<Waiting> = Vec::new();
        let mut left = self.parse_unary()?;
        while let Some((operator, rank)) = self.parse_operator(least)? {
            // Of two operators of one rank, the left one goes first, unless C says otherwise.
            let least_ready = rank + u8::from(rank == RANK_ASSIGN || rank == RANK_COND);
            if rank == RANK_ASSIGN {
                self.deeper()?;
            }
            left = self.join(&mut waiting, least_ready, left)?;
            waiting.push(Waiting { left, operator, rank });
            left = self.parse_unary()?;
        }
        left = self.join(&mut waiting, 0, left)?;
        self.depth = outer;
        Ok(left)
    }

    /// Reads the next operator with its rank, if the rank is high enough.
    fn parse_operator(&mut self, least: u8) -> Parse<Option<(Operator, u8)>> {
        let (tok, end) = (self.peek().tok.clone(), self.peek().span.end);
        let Tok::Punct(p) = tok else { return Ok(None) };
        if p == "/" && self.predicate == Some(0) && self.lexer.ends_predicate(end) {
            return Ok(None);
        }
        let binary = BINARY.iter().find(|b| b.0 == p).map(|b| (Operator::Binary(b.2), b.1));
        let assign = ASSIGN.iter().find(|a| a.0 == p).map(|a| (Operator::Assign(a.1), RANK_ASSIGN));
        let found = match p {
            "?" if least <= RANK_COND => {
                self.bump();
                let then = self.inside(|p| p.parse_expr())?;
                self.expect(":")?;
                return Ok(Some((Operator::Cond(then), RANK_COND)));
            }
            "," => Some((Operator::Comma, RANK_COMMA)),
            _ => binary.or(assign),
        };
        let found = found.filter(|(_, rank)| *rank >= least);
        if found.is_some() {
            self.bump();
        }
        Ok(found)
    }

    /// Completes the waiting operators whose rank is at least `least`.
    fn join(&mut self, waiting: &mut Vec<Waiting>, least: u8, mut right: Expr) -> Parse<Expr> {
        while waiting.last().is_some_and(|w| w.rank >= least) {
            let Some(w) = waiting.pop() else { break };
            let span = w.left.span.to(right.span);
            let (left, other) = (Box::new(w.left), Box::new(right));
            let kind = match w.operator {
                Operator::Binary(op) => ExprKind::Binary(op, left, other),
                Operator::Assign(op) => ExprKind::Assign(op, left, other),
                Operator::Cond(then) => ExprKind::Cond(left, Box::new(then), other),
                Operator::Comma => ExprKind::Comma(left, other),
            };
            right = self.node(kind, span)?;
        }
        Ok(right)
    }

    /// Parses inside brackets, where a `/` is always a division.
    pub(super) fn inside<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<T> {
        let open = self.predicate;
        self.predicate = open.map(|n| n.saturating_add(1));
        let out = parse(self);
        self.predicate = open;
        out
    }

    fn parse_unary(&mut self) -> Parse<Expr> {
        let t = self.peek().clone();
        let op = match &t.tok {
            Tok::Punct("+") => UnOp::Plus,
            Tok::Punct("-") => UnOp::Neg,
            Tok::Punct("~") => UnOp::BitNot,
            Tok::Punct("!") => UnOp::LogNot,
            Tok::Punct("*") => UnOp::Deref,
            Tok::Punct("&") => UnOp::AddrOf,
            Tok::Punct("++") => UnOp::PreInc,
            Tok::Punct("--") => UnOp::PreDec,
            Tok::Punct("(") => return self.parse_paren(),
            Tok::Ident(word) => match word.as_str() {
                "sizeof" => return self.parse_sizeof(),
                "stringof" => {
                    self.bump();
                    let e = self.operand()?;
                    let span = t.span.to(e.span);
                    return self.node(ExprKind::Stringof(Box::new(e)), span);
                }
                _ => return self.parse_postfix(),
            },
            _ => return self.parse_postfix(),
        };
        self.bump();
        let e = self.operand()?;
        let span = t.span.to(e.span);
        self.node(ExprKind::Unary(op, Box::new(e)), span)
    }

    fn operand(&mut self) -> Parse<Expr> {
        self.deeper()?;
        let e = self.parse_unary()?;
        self.shallower();
        Ok(e)
    }

    /// Parses `self->name` or `this->name`.
    fn parse_scoped(&mut self, name: &str, span: Span) -> Parse<Expr> {
        self.bump();
        let pseudo = if name == "self" { Pseudo::Thread } else { Pseudo::Local };
        if !self.is("->") {
            return Err(self.unexpected(&format!("`->` after `{name}`")));
        }
        self.bump();
        let (field, end) = self.expect_ident(&format!("a variable's name after `{name}->`"))?;
        let e = self.node(ExprKind::Scoped(pseudo, field), span.to(end))?;
        self.parse_suffixes(e)
    }

    /// Parses `(type)operand` or `(expression)`.
    fn parse_paren(&mut self) -> Parse<Expr> {
        let open = self.bump().span;
        if self.at_type() {
            let ty = self.parse_type_name()?;
            self.expect(")")?;
            let e = self.operand()?;
            let span = open.to(e.span);
            return self.node(ExprKind::Cast(ty, Box::new(e)), span);
        }
        let first = self.peek().clone();
        let errors = self.diagnostics.len();
        let inner = self.inside(|p| {
            let e = p.parse_expr()?;
            p.expect(")")?;
            Ok(e)
        });
        let mut e = match inner {
            Ok(e) => e,
            Err(Complained) => return Err(self.maybe_cast(first, errors)),
        };
        e.span = open.to(self.last);
        self.parse_suffixes(e)
    }

    /// Reports an unknown type. `(name *)x` with an unknown name looks like a product without a
    /// second factor, and that message would mislead.
    fn maybe_cast(&mut self, first: Token, errors: usize) -> Complained {
        let at_close = self.is(")");
        match first.tok {
            Tok::Ident(name) if at_close && self.diagnostics.len() == errors + 1 => {
                self.diagnostics.truncate(errors);
                let message = format!("syntax error near `)`: `{name}` is not a type");
                let d = Diagnostic::new(Tag::Syntax, first.span, message)
                    .label("expected a type or an expression");
                self.complain(d)
            }
            _ => Complained,
        }
    }

    pub(super) fn at_type(&mut self) -> bool {
        match &self.peek().tok {
            Tok::Ident(word) => {
                let (word, end) = (word.clone(), self.peek().span.end);
                self.is_type_name(&word)
                    || self.is_scoped_type(end)
                    || self.lexer.follows(end, |c| c == ')' || c == '*') && self.is_typedef(&word)
            }
            _ => false,
        }
    }

    fn parse_sizeof(&mut self) -> Parse<Expr> {
        let start = self.bump().span;
        if self.is("(") {
            self.bump();
            if self.at_type() {
                let ty = self.parse_type_name()?;
                let end = self.expect(")")?;
                return self.node(ExprKind::SizeofType(ty), start.to(end));
            }
            let e = self.inside(|p| p.parse_expr())?;
            let end = self.expect(")")?;
            return self.node(ExprKind::SizeofExpr(Box::new(e)), start.to(end));
        }
        let e = self.operand()?;
        let span = start.to(e.span);
        self.node(ExprKind::SizeofExpr(Box::new(e)), span)
    }

    /// Parses `offsetof(type, member)`.
    fn parse_offsetof(&mut self) -> Parse<Expr> {
        let start = self.bump().span;
        self.expect("(")?;
        let ty = self.parse_type_name()?;
        let at = ty.span;
        if !self.is(",") {
            return Err(self.unexpected("`,` and a member's name"));
        }
        self.bump();
        let (name, span) = self.expect_ident("a member's name after `,`")?;
        let to = TypeName { pointers: ty.pointers.saturating_add(1), ..ty.clone() };
        let nothing = self.node(ExprKind::Int(0, Int::ULONG), at)?;
        let nowhere = self.node(ExprKind::Cast(to, Box::new(nothing)), at)?;
        let name = MemberName { name, is_arrow: true, span };
        let member = self.node(ExprKind::Member(Box::new(nowhere), name), at.to(span))?;
        let member = self.parse_suffixes(member)?;
        let end = self.expect(")")?;
        let offset = self.node(ExprKind::Offsetof(ty, Box::new(member)), start.to(end))?;
        self.parse_suffixes(offset)
    }

    fn parse_postfix(&mut self) -> Parse<Expr> {
        let t = self.peek().clone();
        let kind = match t.tok {
            Tok::Int(v, ty) => ExprKind::Int(v, ty),
            Tok::Str(bytes) => return self.parse_strings(bytes, t.span),
            Tok::Agg(name) => return self.parse_aggregation(name, t.span),
            Tok::Punct("`") => {
                self.bump();
                let (name, end) = self.expect_ident("a kernel symbol after `` ` ``")?;
                let e = self.node(ExprKind::Symbol(name), t.span.to(end))?;
                return self.parse_suffixes(e);
            }
            Tok::Ident(name) => return self.parse_name(name, t.span),
            _ => return Err(self.unexpected("an expression")),
        };
        self.bump();
        let e = self.node(kind, t.span)?;
        self.parse_suffixes(e)
    }

    fn parse_name(&mut self, name: String, span: Span) -> Parse<Expr> {
        let kind = match name.as_str() {
            "self" | "this" => return self.parse_scoped(&name, span),
            "offsetof" => return self.parse_offsetof(),
            "xlate" => return self.parse_xlate(),
            "if" | "else" | "while" | "for" | "do" | "switch" | "case" | "default" | "break"
            | "continue" | "goto" | "return" | "inline" | "translator" | "provider" | "probe" => {
                return Err(self.unexpected("an expression"))
            }
            word if decl::is_reserved(word) => return Err(self.reserved(word, span)),
            word if self.is_type_name(word) => {
                let what =
                    format!("an expression, but `{word}` names a type (a cast has parentheses)");
                return Err(self.unexpected(&what));
            }
            _ => {
                self.variables.insert(name.clone());
                ExprKind::Ident(name)
            }
        };
        if self.lexer.object_of_process(span).is_some() {
            return Err(self.symbol_of_process(span));
        }
        self.bump();
        if self.is("`") {
            self.bump();
            let (symbol, end) = self.expect_ident("a kernel symbol after `` ` ``")?;
            let ExprKind::Ident(module) = kind else { return Err(Complained) };
            let e = self.node(ExprKind::Symbol(format!("{module}`{symbol}")), span.to(end))?;
            return self.parse_suffixes(e);
        }
        let e = self.node(kind, span)?;
        self.parse_suffixes(e)
    }

    /// Joins neighbouring strings, as C does.
    fn parse_strings(&mut self, mut bytes: Vec<u8>, span: Span) -> Parse<Expr> {
        self.bump();
        while let Tok::Str(more) = &self.peek().tok {
            bytes.extend_from_slice(more);
            self.bump();
        }
        let e = self.node(ExprKind::Str(bytes), span.to(self.last))?;
        self.parse_suffixes(e)
    }

    fn parse_aggregation(&mut self, name: String, span: Span) -> Parse<Expr> {
        self.bump();
        let keys = if self.maybe("[") { Some(self.list("]")?) } else { None };
        let e = self.node(ExprKind::Agg(name, keys), span.to(self.last))?;
        self.parse_suffixes(e)
    }

    fn symbol_of_process(&mut self, span: Span) -> Complained {
        let object = self.lexer.object_of_process(span).unwrap_or_default();
        let message = format!(
            "{object} is not a module of the kernel: symbols of a process have no values here"
        );
        let d = Diagnostic::new(Tag::SymBadref, span, message);
        self.complain(d.label("expected a module of the kernel").hint(
            "usym(), ufunc() and ustack() name a process's symbols; copyin() reads its memory",
        ))
    }

    pub(super) fn parse_suffixes(&mut self, mut e: Expr) -> Parse<Expr> {
        loop {
            let t = self.peek().clone();
            let Tok::Punct(p) = t.tok else { return Ok(e) };
            let start = e.span;
            let kind = match p {
                "(" => {
                    self.bump();
                    let args = self.list(")")?;
                    ExprKind::Call(Box::new(e), args)
                }
                "[" => {
                    self.bump();
                    let args = self.list("]")?;
                    ExprKind::Index(Box::new(e), args)
                }
                "." | "->" => {
                    self.bump();
                    let (name, span) = self.member_name(p)?;
                    ExprKind::Member(Box::new(e), MemberName { name, is_arrow: p == "->", span })
                }
                "++" | "--" => {
                    self.bump();
                    let op = if p == "++" { UnOp::PostInc } else { UnOp::PostDec };
                    ExprKind::Unary(op, Box::new(e))
                }
                _ => return Ok(e),
            };
            e = self.node(kind, start.to(self.last))?;
        }
    }

    /// Parses the name after `.` or `->`.
    fn member_name(&mut self, op: &str) -> Parse<(String, Span)> {
        let t = self.peek().clone();
        let found = match &t.tok {
            Tok::Int(..) => "a number",
            Tok::Str(_) => "a string",
            Tok::Agg(_) => "an aggregation",
            Tok::Punct("(") => "an expression in parentheses",
            _ => return self.expect_ident(&format!("a member's name after `{op}`")),
        };
        let message = format!("operator {op} requires an identifier after it, found {found}");
        let d = Diagnostic::new(Tag::OpIdent, t.span, message);
        Err(self.complain(d.label("expected a member's name")))
    }

    /// Parses arguments up to the closing bracket; the opening one has been read.
    fn list(&mut self, close: &str) -> Parse<Vec<Expr>> {
        self.inside(|p| {
            let mut out = Vec::new();
            if p.maybe(close) {
                return Ok(out);
            }
            loop {
                out.push(p.parse_assignment()?);
                if p.maybe(close) {
                    return Ok(out);
                }
                if !p.is(",") {
                    return Err(p.unexpected(&format!("`,` or `{close}`")));
                }
                p.bump();
            }
        })
    }
}
