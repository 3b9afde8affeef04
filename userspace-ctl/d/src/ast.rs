// SPDX-License-Identifier: GPL-2.0
//! The program as written: no types, no meaning of names, a span on every node.

use std::sync::Arc;

use crate::source::Span;
use crate::types::Int;

/// A part at the top level.
#[derive(Debug, Clone)]
pub enum Item {
    /// Probe descriptions, predicate, actions.
    Clause(Clause),
    /// Variables, inlines, type names.
    Decl(Decl),
    /// `translator`.
    Translator(Translator),
    /// `provider`.
    Provider(Provider),
}

/// `provider name { probes };`
#[derive(Debug, Clone)]
pub struct Provider {
    /// The name.
    pub name: String,
    /// Its place.
    pub span: Span,
    /// In order.
    pub probes: Vec<ProbeDecl>,
}

/// `probe name(native) : (translated);`
#[derive(Debug, Clone)]
pub struct ProbeDecl {
    /// The name, as C writes it.
    pub name: String,
    /// Its place.
    pub span: Span,
    /// What it passes.
    pub native: Prototype,
    /// What scripts see of it.
    pub translated: Option<Prototype>,
}

/// `translator output < input param > { rules };`
#[derive(Debug, Clone)]
pub struct Translator {
    /// What it makes.
    pub output: TypeName,
    /// Of what.
    pub input: TypeName,
    /// The name of that in the rules.
    pub param: String,
    /// In order.
    pub rules: Vec<Rule>,
    /// Its head.
    pub span: Span,
}

/// `member = value;`
#[derive(Debug, Clone)]
pub struct Rule {
    /// The member.
    pub name: String,
    /// Its place.
    pub span: Span,
    /// How it is had.
    pub value: Expr,
}

/// A clause.
#[derive(Debug, Clone)]
pub struct Clause {
    /// Text of each description, macro variables already replaced.
    pub probes: Vec<(String, Span)>,
    /// Between the slashes.
    pub predicate: Option<Expr>,
    /// Between the braces; `None` if there are none (command line only).
    pub body: Option<Vec<Stmt>>,
}

/// A statement.
#[derive(Debug, Clone)]
pub struct Stmt {
    /// What.
    pub kind: StmtKind,
}

/// Kinds of statements.
#[derive(Debug, Clone)]
pub enum StmtKind {
    /// An expression or an action.
    Expr(Expr),
    /// `if (condition) { .. } else { .. }`.
    If(Expr, Vec<Stmt>, Vec<Stmt>),
}

/// An expression.
#[derive(Debug, Clone)]
pub struct Expr {
    /// What.
    pub kind: ExprKind,
    /// Where.
    pub span: Span,
    /// Levels of the tree below and including this node: bounded, so recursion over it is.
    pub height: u16,
}

/// Deepest expression taken.
pub const MAX_HEIGHT: u16 = 200;

/// Operators with two operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "C's own words")]
pub enum BinOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Shl,
    Shr,
    And,
    Or,
    Xor,
    Lt,
    Le,
    Gt,
    Ge,
    Eq,
    Ne,
    LogAnd,
    LogOr,
    LogXor,
}

/// Operators with one operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "C's own words")]
pub enum UnOp {
    Plus,
    Neg,
    BitNot,
    LogNot,
    Deref,
    AddrOf,
    PreInc,
    PreDec,
    PostInc,
    PostDec,
}

/// Where a scoped name lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pseudo {
    /// `self->`.
    Thread,
    /// `this->`.
    Local,
}

/// Kinds of expressions.
#[derive(Debug, Clone)]
pub enum ExprKind {
    /// A number or character.
    Int(u64, Int),
    /// A string.
    Str(Vec<u8>),
    /// A name.
    Ident(String),
    /// `self->name`, `this->name`.
    Scoped(Pseudo, String),
    /// A symbol of the kernel: `` `name `` or `` module`name ``.
    Symbol(String),
    /// `@name`, `@name[keys]`.
    Agg(String, Option<Vec<Expr>>),
    /// One operand.
    Unary(UnOp, Box<Expr>),
    /// Two operands.
    Binary(BinOp, Box<Expr>, Box<Expr>),
    /// `=`, or `op=`.
    Assign(Option<BinOp>, Box<Expr>, Box<Expr>),
    /// `a ? b : c`.
    Cond(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `a, b`.
    Comma(Box<Expr>, Box<Expr>),
    /// `callee(arguments)`.
    Call(Box<Expr>, Vec<Expr>),
    /// `a[indices]`.
    Index(Box<Expr>, Vec<Expr>),
    /// `a.name` or `a->name`.
    Member(Box<Expr>, MemberName),
    /// `(type)a`.
    Cast(TypeName, Box<Expr>),
    /// `sizeof (type)`.
    SizeofType(TypeName),
    /// `sizeof a`.
    SizeofExpr(Box<Expr>),
    /// `offsetof(type, member)`, the member as one of a struct at the address 0.
    Offsetof(TypeName, Box<Expr>),
    /// `stringof(a)`.
    Stringof(Box<Expr>),
    /// `xlate <type> (a)`.
    Xlate(TypeName, Box<Expr>),
}

/// What stands behind an expression: `.name` or `->name`.
#[derive(Debug, Clone)]
pub struct MemberName {
    /// The name.
    pub name: String,
    /// Behind `->`.
    pub is_arrow: bool,
    /// The name's place.
    pub span: Span,
}

/// A type as written.
#[derive(Debug, Clone)]
pub struct TypeName {
    /// Words of the base type: `unsigned`, `long`, `pid_t`, `struct task`.
    pub words: Vec<(String, Span)>,
    /// `{ .. }` behind struct, union, enum and their tag.
    pub body: Option<Arc<Body>>,
    /// Stars.
    pub pointers: u16,
    /// `[4]` behind them.
    pub arrays: Vec<Extent>,
    /// All of it.
    pub span: Span,
}

/// What a struct, union or enumeration consists of.
#[derive(Debug, Clone)]
pub enum Body {
    /// Members; one without names is a struct whose members count as this one's.
    Members(Vec<Decl>),
    /// Constants, with values if they are given.
    Constants(Vec<Declarator>),
}

/// A declaration.
#[derive(Debug, Clone)]
pub struct Decl {
    /// `self`, `this`, `inline`, `typedef`, `extern`, `static` .. as written.
    pub class: Option<(String, Span)>,
    /// Base type.
    pub ty: TypeName,
    /// Names.
    pub names: Vec<Declarator>,
    /// All of it.
    pub span: Span,
}

/// What stands between the brackets of an array.
#[derive(Debug, Clone)]
pub enum Extent {
    /// Nothing.
    Open,
    /// A number of elements.
    Count(Expr),
    /// Types: an associative array.
    Tuple(Prototype),
}

/// What a function takes, or the keys of an associative array.
#[derive(Debug, Clone)]
pub struct Prototype {
    /// In order.
    pub params: Vec<Param>,
    /// `...` behind them.
    pub dots: Option<Span>,
}

/// One of them.
#[derive(Debug, Clone)]
pub struct Param {
    /// A storage class, as written.
    pub class: Option<(String, Span)>,
    /// Base type.
    pub ty: TypeName,
    /// What stands around its name; the name may be missing.
    pub name: Declarator,
    /// All of it.
    pub span: Span,
}

/// One name of a declaration.
#[derive(Debug, Clone)]
pub struct Declarator {
    /// The name.
    pub name: String,
    /// Stars before it.
    pub pointers: u16,
    /// `[..]` behind it.
    pub arrays: Vec<Extent>,
    /// `(..)` behind it: a function's parameters.
    pub function: Option<Arc<Prototype>>,
    /// `(*name[..])`: pointers and arrays that count before what stands around the brackets.
    pub inner: Option<(u16, Vec<Extent>)>,
    /// `: bits` behind it.
    pub bits: Option<Expr>,
    /// Followed by `= expression`.
    pub init: Option<Expr>,
    /// The name's place.
    pub span: Span,
}

impl BinOp {
    /// As written.
    pub const fn text(self) -> &'static str {
        match self {
            Self::Add => "+",
            Self::Sub => "-",
            Self::Mul => "*",
            Self::Div => "/",
            Self::Rem => "%",
            Self::Shl => "<<",
            Self::Shr => ">>",
            Self::And => "&",
            Self::Or => "|",
            Self::Xor => "^",
            Self::Lt => "<",
            Self::Le => "<=",
            Self::Gt => ">",
            Self::Ge => ">=",
            Self::Eq => "==",
            Self::Ne => "!=",
            Self::LogAnd => "&&",
            Self::LogOr => "||",
            Self::LogXor => "^^",
        }
    }
    /// `<` and the like.
    pub const fn is_comparison(self) -> bool {
        matches!(self, Self::Lt | Self::Le | Self::Gt | Self::Ge | Self::Eq | Self::Ne)
    }
}

impl UnOp {
    /// As written.
    pub const fn text(self) -> &'static str {
        match self {
            Self::Plus => "+",
            Self::Neg => "-",
            Self::BitNot => "~",
            Self::LogNot => "!",
            Self::Deref => "*",
            Self::AddrOf => "&",
            Self::PreInc | Self::PostInc => "++",
            Self::PreDec | Self::PostDec => "--",
        }
    }
}

impl ExprKind {
    /// The expressions right below.
    pub fn each_child(&self, visit: &mut dyn FnMut(&Expr)) {
        match self {
            Self::Int(..)
            | Self::Str(_)
            | Self::Ident(_)
            | Self::Scoped(..)
            | Self::Symbol(_)
            | Self::SizeofType(_)
            | Self::Agg(_, None) => {}
            Self::Agg(_, Some(list)) => list.iter().for_each(visit),
            Self::Unary(_, a)
            | Self::Member(a, _)
            | Self::Cast(_, a)
            | Self::Xlate(_, a)
            | Self::SizeofExpr(a)
            | Self::Offsetof(_, a)
            | Self::Stringof(a) => visit(a),
            Self::Binary(_, a, b) | Self::Assign(_, a, b) | Self::Comma(a, b) => {
                visit(a);
                visit(b);
            }
            Self::Cond(a, b, c) => {
                visit(a);
                visit(b);
                visit(c);
            }
            Self::Call(a, list) | Self::Index(a, list) => {
                visit(a);
                list.iter().for_each(visit);
            }
        }
    }
}

impl Expr {
    /// A node over its children.
    pub fn new(kind: ExprKind, span: Span) -> Self {
        let mut below = 0u16;
        kind.each_child(&mut |e| below = below.max(e.height));
        Self { kind, span, height: below.saturating_add(1) }
    }
}

impl Declarator {
    /// A name and nothing more.
    pub fn plain(name: String, pointers: u16, span: Span) -> Self {
        let (arrays, function, inner) = (Vec::new(), None, None);
        Self { name, pointers, arrays, function, inner, bits: None, init: None, span }
    }
}
