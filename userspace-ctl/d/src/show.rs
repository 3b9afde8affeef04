// SPDX-License-Identifier: GPL-2.0
//! The result of each stage as text, for guided tours, `make show` and debugging. Trees are written
//! as `(operator operand ..)`.

use std::fmt::Write;

use crate::ast::{self, ExprKind, Item, StmtKind};
use crate::check::{Checker, Settings};
use crate::lexer::Lexer;
use crate::names::Names;
use crate::program::Program;
use crate::source::Source;
use crate::token::Tok;
use crate::typed::{self, Kind, Stmt};
use crate::{parser, Options, World};

/// Returns the tokens, as expressions read them, one per line with their place.
pub fn tokens(source: &Source, options: &Options) -> String {
    let mut lexer = Lexer::new(&source.text, options);
    let mut out = String::new();
    loop {
        let t = lexer.token();
        if t.tok == Tok::Eof {
            return out;
        }
        let _ = writeln!(out, "{:3}..{:<3} {:?}", t.span.start, t.span.end, t.tok);
    }
}

/// Returns the tree as written.
pub fn tree(source: &Source, options: &Options, world: &dyn World) -> String {
    let parsed = parser::parse(source, options, Default::default(), world);
    let mut out = String::new();
    for item in &parsed.items {
        match item {
            Item::Clause(c) => {
                let probes: Vec<&str> = c.probes.iter().map(|p| p.0.as_str()).collect();
                let _ = writeln!(out, "clause {}", probes.join(", "));
                if let Some(p) = &c.predicate {
                    let _ = writeln!(out, "  predicate {}", expr(p));
                }
                statements(c.body.as_deref().unwrap_or(&[]), 1, &mut out);
            }
            Item::Decl(d) => {
                let names: Vec<&str> = d.names.iter().map(|n| n.name.as_str()).collect();
                let class = d.class.as_ref().map_or("", |c| c.0.as_str());
                let _ = writeln!(out, "declare {class} {} {}", type_words(&d.ty), names.join(", "));
            }
            Item::Provider(p) => {
                let _ = writeln!(out, "provider {}", p.name);
                for probe in &p.probes {
                    let native = probe.native.params.iter().map(|p| type_words(&p.ty));
                    let _ = writeln!(out, "  {}", list(&probe.name, native));
                }
            }
            Item::Translator(t) => {
                let (output, input) = (type_words(&t.output), type_words(&t.input));
                let _ = writeln!(out, "translator {output} < {input} {} >", t.param);
                for rule in &t.rules {
                    let _ = writeln!(out, "  {} = {}", rule.name, expr(&rule.value));
                }
            }
        }
    }
    out
}

fn type_words(ty: &ast::TypeName) -> String {
    let words: Vec<&str> = ty.words.iter().map(|w| w.0.as_str()).collect();
    format!("{}{}", words.join(" "), "*".repeat(usize::from(ty.pointers)))
}

fn statements(list: &[ast::Stmt], depth: usize, out: &mut String) {
    let pad = "  ".repeat(depth);
    for s in list {
        match &s.kind {
            StmtKind::Expr(e) => {
                let _ = writeln!(out, "{pad}{}", expr(e));
            }
            StmtKind::If(c, then, other) => {
                let _ = writeln!(out, "{pad}if {}", expr(c));
                statements(then, depth + 1, out);
                let _ = writeln!(out, "{pad}else");
                statements(other, depth + 1, out);
            }
        }
    }
}

fn list(head: &str, parts: impl IntoIterator<Item = String>) -> String {
    let parts: Vec<String> = parts.into_iter().collect();
    if parts.is_empty() {
        return format!("({head})");
    }
    format!("({head} {})", parts.join(" "))
}

fn expr(e: &ast::Expr) -> String {
    let all = |es: &[ast::Expr]| es.iter().map(expr).collect::<Vec<_>>();
    match &e.kind {
        ExprKind::Int(v, _) => v.to_string(),
        ExprKind::Str(s) => format!("{:?}", String::from_utf8_lossy(s)),
        ExprKind::Ident(n) => n.clone(),
        ExprKind::Scoped(ast::Pseudo::Thread, n) => format!("self->{n}"),
        ExprKind::Scoped(ast::Pseudo::Local, n) => format!("this->{n}"),
        ExprKind::Symbol(n) => format!("`{n}"),
        ExprKind::Agg(n, None) => format!("@{n}"),
        ExprKind::Agg(n, Some(keys)) => list(&format!("@{n}"), all(keys)),
        ExprKind::Unary(op, a) => list(&format!("{op:?}"), [expr(a)]),
        ExprKind::Binary(op, a, b) => list(op.text(), [expr(a), expr(b)]),
        ExprKind::Assign(op, a, b) => {
            list(&format!("{}=", op.map_or("", |o| o.text())), [expr(a), expr(b)])
        }
        ExprKind::Cond(a, b, c) => list("?:", [expr(a), expr(b), expr(c)]),
        ExprKind::Comma(a, b) => list(",", [expr(a), expr(b)]),
        ExprKind::Call(f, args) => list("call", [expr(f)].into_iter().chain(all(args))),
        ExprKind::Index(a, keys) => list("index", [expr(a)].into_iter().chain(all(keys))),
        ExprKind::Member(a, n) if n.is_arrow => list("->", [expr(a), n.name.clone()]),
        ExprKind::Member(a, n) => list(".", [expr(a), n.name.clone()]),
        ExprKind::Xlate(ty, a) => list("xlate", [type_words(ty), expr(a)]),
        ExprKind::Cast(ty, a) => list("cast", [type_words(ty), expr(a)]),
        ExprKind::SizeofType(ty) => list("sizeof", [type_words(ty)]),
        ExprKind::SizeofExpr(a) => list("sizeof", [expr(a)]),
        ExprKind::Offsetof(ty, a) => list("offsetof", [type_words(ty), expr(a)]),
        ExprKind::Stringof(a) => list("stringof", [expr(a)]),
    }
}

/// Returns the tree as meant: every value has its type.
pub fn typed(source: &Source, options: &Options, world: &dyn World) -> String {
    let parsed = parser::parse(source, options, Default::default(), world);
    let settings = Settings {
        strsize: options.strsize,
        allow_zero: true,
        is_dry: false,
        libraries: &options.libraries,
        amin: None,
        is_weighed: false,
    };
    let mut checker = Checker::new(source, world, settings, Names::default());
    let mut out = String::new();
    for c in checker.program(&parsed.items) {
        for v in &c.variants {
            let probes = c.addresses(&v.members);
            let probes: Vec<String> = probes.iter().map(|p| p.to_string()).collect();
            let _ = writeln!(out, "clause {}", probes.join(", "));
            if let Some(p) = &v.predicate {
                let _ = writeln!(out, "  predicate {}", value(p));
            }
            typed_statements(&v.body, 1, &mut out);
        }
    }
    out
}

fn typed_statements(body: &[Stmt], depth: usize, out: &mut String) {
    let pad = "  ".repeat(depth);
    for s in body {
        let line = match s {
            Stmt::Expr(e) => list("expression", [value(e)]),
            Stmt::Trace(e) => list("trace", [value(e)]),
            Stmt::Exit(e) => list("exit", [value(e)]),
            Stmt::Tracemem(e, n, some) => {
                let parts = [value(e), n.to_string()];
                list("tracemem", parts.into_iter().chain(some.iter().map(value)))
            }
            Stmt::Print(e, _) => list("print", [value(e)]),
            Stmt::Printf(text, _, values) => {
                list("printf", [format!("{text:?}")].into_iter().chain(values.iter().map(value)))
            }
            Stmt::Printa(text, aggs) => {
                let text = text.iter().map(|t| format!("{:?}", t.0));
                list("printa", text.chain(aggs.iter().map(|n| format!("@{n}"))))
            }
            Stmt::Format(kind, text, _, values) => {
                let text = format!("{text:?}");
                list(kind.name(), [text].into_iter().chain(values.iter().map(value)))
            }
            Stmt::Act(kind, operand) => list(kind.name(), operand.iter().map(value)),
            Stmt::Ftruncate => list("ftruncate", []),
            Stmt::Setopt(texts) => list("setopt", texts.iter().map(value)),
            Stmt::Aggregate(n, keys, kind, _, v, weight) => {
                let keys = list("keys", keys.iter().map(value));
                let values = v.iter().chain(weight).map(value);
                let parts = [format!("@{n}"), keys].into_iter().chain(values);
                list(kind.name(), parts)
            }
            Stmt::LibAct(act, n, v) => {
                let parts = [format!("@{n}")].into_iter().chain(v.iter().map(value));
                list(&format!("{act:?}"), parts)
            }
            Stmt::If(c, then, other) => {
                let _ = writeln!(out, "{pad}if {}", value(c));
                typed_statements(then, depth + 1, out);
                let _ = writeln!(out, "{pad}else");
                typed_statements(other, depth + 1, out);
                continue;
            }
        };
        let _ = writeln!(out, "{pad}{line}");
    }
}

fn value(e: &typed::Expr) -> String {
    let name = |v: &crate::scope::Variable| format!("{}{}", v.scope.prefix(), v.name);
    let text = match &e.kind {
        Kind::Int(v) => match e.ty.int() {
            Some(i) if i.signed => (*v as i64).to_string(),
            _ => v.to_string(),
        },
        Kind::Str(s) => format!("{:?}", String::from_utf8_lossy(s)),
        Kind::Var(v) => name(v),
        Kind::Builtin(b) => format!("builtin {}", b.name()),
        Kind::Element(b, i) => list(&format!("element {}", b.name()), [value(i)]),
        Kind::Entry(v, keys) => list("entry", [name(v)].into_iter().chain(keys.iter().map(value))),
        Kind::SetEntry(v, keys, a) => {
            let keys = keys.iter().map(value);
            list("set", [name(v)].into_iter().chain(keys).chain([value(a)]))
        }
        Kind::SetVar(v, a) => list("set", [name(v), value(a)]),
        Kind::SetMem(a, b) => list("store", [value(a), value(b)]),
        Kind::SetBytes(a, b) => list("copy", [value(a), value(b)]),
        Kind::Within(a, count) => list(&format!("below {count}"), [value(a)]),
        // The value of a struct or an array is its address.
        Kind::Load(a) if e.ty.is_by_ref() => list("at", [value(a)]),
        Kind::Load(a) => list("load", [value(a)]),
        Kind::Bits(a, low, count) => list(&format!("bits {low}+{count}"), [value(a)]),
        Kind::Neg(a) => list("-", [value(a)]),
        Kind::BitNot(a) => list("~", [value(a)]),
        Kind::LogNot(a) => list("!", [value(a)]),
        Kind::Binary(op, a, b)
        | Kind::Compare(op, a, b)
        | Kind::Logic(op, a, b)
        | Kind::StrCompare(op, a, b) => list(op.text(), [value(a), value(b)]),
        Kind::Cond(a, b, c) => list("?:", [value(a), value(b), value(c)]),
        Kind::Comma(a, b) => list(",", [value(a), value(b)]),
        Kind::Convert(a) => list("convert", [value(a)]),
        Kind::As(a) => list("as", [value(a)]),
        Kind::Action(kind, arg, of) => {
            list(&format!("{} {arg:#x}", kind.name()), of.iter().map(|of| value(of)))
        }
        Kind::Param(n) => format!("parameter {n}"),
        Kind::Xlate(n, a) => list(&format!("translator {n}"), [value(a)]),
        Kind::Call(s, args) => list(&format!("call {}", s.name()), args.iter().map(value)),
    };
    format!("{text}: {}", e.ty)
}

/// Returns clauses and actions.
pub fn program(p: &Program) -> String {
    let mut out = String::new();
    for c in &p.clauses {
        let probes: Vec<String> = c.probes.iter().map(|p| p.to_string()).collect();
        let _ = writeln!(out, "clause {} on {}", c.uarg, probes.join(", "));
        if let Some(o) = &c.predicate {
            let _ = writeln!(out, "  predicate: {} instructions", o.text.len());
        }
        for a in &c.actions {
            let object = match &a.difo {
                Some(o) => format!("{} instructions, {} bytes", o.text.len(), o.rtype.size),
                None => "no object".into(),
            };
            let format = a.format.as_ref().map_or(String::new(), |f| format!(", format {f:?}"));
            let _ = writeln!(out, "  {:?} uarg {}: {object}{format}", a.kind, a.uarg);
        }
    }
    out
}
