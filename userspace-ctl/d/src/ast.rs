// SPDX-License-Identifier: GPL-2.0
//! The program as written: every node has a span; types and the meaning of names are added later.

use std::sync::Arc;

use crate::source::Span;
use crate::types::Int;

/// An item at the top level.
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
    /// The span of the name.
    pub span: Span,
    /// The probes, in the order of the text.
    pub probes: Vec<ProbeDecl>,
}

/// `probe name(native) : (translated);`
#[derive(Debug, Clone)]
pub struct ProbeDecl {
    /// The name, with `__` where scripts write `-`.
    pub name: String,
    /// The span of the name.
    pub span: Span,
    /// The arguments that the program passes.
    pub native: Prototype,
    /// The arguments that scripts see.
    pub translated: Option<Prototype>,
}

/// `translator output < input param > { rules };`
#[derive(Debug, Clone)]
pub struct Translator {
    /// The type that it makes.
    pub output: TypeName,
    /// The type that it translates.
    pub input: TypeName,
    /// The name of the input in the rules.
    pub param: String,
    /// The rules, in the order of the text.
    pub rules: Vec<Rule>,
    /// The span of the head, up to the `>`.
    pub span: Span,
}

/// `member = value;`
#[derive(Debug, Clone)]
pub struct Rule {
    /// The member's name.
    pub name: String,
    /// The span of the name.
    pub span: Span,
    /// The expression that gives the member's value.
    pub value: Expr,
}

/// A clause.
#[derive(Debug, Clone)]
pub struct Clause {
    /// The text of each description, with macro variables replaced.
    pub probes: Vec<(String, Span)>,
    /// The condition between the slashes.
    pub predicate: Option<Expr>,
    /// The statements between the braces; `None` if there are no braces (command line only).
    pub body: Option<Vec<Stmt>>,
}

/// A statement.
#[derive(Debug, Clone)]
pub struct Stmt {
    /// The kind.
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
    /// The kind.
    pub kind: ExprKind,
    /// The span.
    pub span: Span,
    /// Levels of the tree from this node down, itself included. A bound on it bounds all recursion.
    pub height: u16,
}

/// The deepest expression that the parser accepts, in levels.
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

/// The scope that a prefix names.
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
    /// An operator with one operand.
    Unary(UnOp, Box<Expr>),
    /// An operator with two operands.
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
    /// `offsetof(type, member)`: the member is written as one of a struct at address 0.
    Offsetof(TypeName, Box<Expr>),
    /// `stringof(a)`.
    Stringof(Box<Expr>),
    /// `xlate <type> (a)`.
    Xlate(TypeName, Box<Expr>),
}

/// The member's name after `.` or `->`.
#[derive(Debug, Clone)]
pub struct MemberName {
    /// The name.
    pub name: String,
    /// The operator is `->`.
    pub is_arrow: bool,
    /// The span of the name.
    pub span: Span,
}

/// A type as written.
#[derive(Debug, Clone)]
pub struct TypeName {
    /// Words of the base type: `unsigned`, `long`, `pid_t`, `struct task`.
    pub words: Vec<(String, Span)>,
    /// `{ .. }` after `struct`, `union` or `enum` and the tag.
    pub body: Option<Arc<Body>>,
    /// Number of stars.
    pub pointers: u16,
    /// `[4]` after the stars.
    pub arrays: Vec<Extent>,
    /// The span of the whole type.
    pub span: Span,
}

/// The body of a struct, union or enumeration.
#[derive(Debug, Clone)]
pub enum Body {
    /// Members. A declaration without names is a struct whose members count as this one's.
    Members(Vec<Decl>),
    /// Constants, with their values if the text gives them.
    Constants(Vec<Declarator>),
}

/// A declaration.
#[derive(Debug, Clone)]
pub struct Decl {
    /// The storage class, as written: `self`, `this`, `inline`, `typedef`, `extern`, `static` ..
    pub class: Option<(String, Span)>,
    /// The base type.
    pub ty: TypeName,
    /// The declared names.
    pub names: Vec<Declarator>,
    /// The span of the whole declaration.
    pub span: Span,
}

/// The text between the brackets of an array.
#[derive(Debug, Clone)]
pub enum Extent {
    /// Nothing: `[]`.
    Open,
    /// A number of elements.
    Count(Expr),
    /// Types: an associative array.
    Tuple(Prototype),
}

/// The parameters of a function, or the keys of an associative array.
#[derive(Debug, Clone)]
pub struct Prototype {
    /// The parameters, in order.
    pub params: Vec<Param>,
    /// `...` after them.
    pub dots: Option<Span>,
}

/// One parameter or key.
#[derive(Debug, Clone)]
pub struct Param {
    /// A storage class, as written.
    pub class: Option<(String, Span)>,
    /// The base type.
    pub ty: TypeName,
    /// The declarator; its name may be missing.
    pub name: Declarator,
    /// The span of the whole parameter.
    pub span: Span,
}

/// One name of a declaration.
#[derive(Debug, Clone)]
pub struct Declarator {
    /// The name; may be empty.
    pub name: String,
    /// Number of stars before the name.
    pub pointers: u16,
    /// `[..]` after the name.
    pub arrays: Vec<Extent>,
    /// `(..)` after the name: the parameters of a function.
    pub function: Option<Arc<Prototype>>,
    /// `(*name[..])`: the pointers and arrays in the parentheses. They apply before those outside.
    pub inner: Option<(u16, Vec<Extent>)>,
    /// `: bits` after the name.
    pub bits: Option<Expr>,
    /// The value after `=`.
    pub init: Option<Expr>,
    /// The span of the name.
    pub span: Span,
}

impl BinOp {
    /// Returns the operator as written.
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
    /// Tells whether the operator is `<`, `<=`, `>`, `>=`, `==` or `!=`.
    pub const fn is_comparison(self) -> bool {
        matches!(self, Self::Lt | Self::Le | Self::Gt | Self::Ge | Self::Eq | Self::Ne)
    }
}

impl UnOp {
    /// Returns the operator as written.
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
    /// Visits the direct children.
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
    /// Makes a node and computes its height from its children.
    pub fn new(kind: ExprKind, span: Span) -> Self {
        let mut below = 0u16;
        kind.each_child(&mut |e| below = below.max(e.height));
        Self { kind, span, height: below.saturating_add(1) }
    }
}

impl Declarator {
    /// Makes a declarator from a name and its stars only.
    pub fn plain(name: String, pointers: u16, span: Span) -> Self {
        let (arrays, function, inner) = (Vec::new(), None, None);
        Self { name, pointers, arrays, function, inner, bits: None, init: None, span }
    }
}
