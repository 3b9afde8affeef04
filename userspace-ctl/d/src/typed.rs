// SPDX-License-Identifier: GPL-2.0
//! The program as meant: every node has a type, every conversion is a node, every name is resolved.
//!
//! An integer in a register has 64 bits, extended by its own signedness. A constant is kept in that
//! form. Operators compute in 64 bits, whatever the types of their operands: their results may
//! exceed the type, and are cut to it where they are stored or cast.

use std::sync::Arc;

use crate::ast::BinOp;
use crate::scope::Variable;
use crate::source::Span;
use crate::types::Type;
use crate::world::ProbePattern;
use abi::action::ActionKind;
use abi::dif::{Builtin, Subr};

/// An expression with its type.
#[derive(Debug, Clone, PartialEq)]
pub struct Expr {
    /// The kind.
    pub kind: Kind,
    /// The type of the value.
    pub ty: Type,
    /// The span.
    pub span: Span,
    /// Number of registers that it needs; it decides which operand is evaluated first.
    pub need: u8,
    /// Evaluation changes nothing and gives the same value in any order.
    pub is_pure: bool,
    /// Height of the tree, in levels.
    pub height: u16,
    /// Number of nodes of the tree.
    pub size: u32,
}

/// Kinds of expressions.
#[derive(Debug, Clone, PartialEq)]
pub enum Kind {
    /// A constant.
    Int(u64),
    /// A string constant.
    Str(Vec<u8>),
    /// A variable's value.
    Var(Arc<Variable>),
    /// A builtin variable.
    Builtin(Builtin),
    /// An element of a builtin array.
    Element(Builtin, Box<Expr>),
    /// An element of an associative array; the keys have the array's key types.
    Entry(Arc<Variable>, Vec<Expr>),
    /// Sets a variable; the value has the variable's type.
    SetVar(Arc<Variable>, Box<Expr>),
    /// Sets an element of an associative array.
    SetEntry(Arc<Variable>, Vec<Expr>, Box<Expr>),
    /// Writes memory: address, value.
    SetMem(Box<Expr>, Box<Expr>),
    /// Copies a struct or an array: destination address, source address.
    SetBytes(Box<Expr>, Box<Expr>),
    /// An index; it faults unless it is below this number.
    Within(Box<Expr>, u32),
    /// Reads memory. For a struct or an array, whose value is its address, it reads nothing.
    Load(Box<Expr>),
    /// A bit field: the 64 bits that contain it, its lowest bit, its number of bits. Also a member
    /// of a struct that lies in a register.
    Bits(Box<Expr>, u8, u8),
    /// `-`.
    Neg(Box<Expr>),
    /// `~`.
    BitNot(Box<Expr>),
    /// `!`.
    LogNot(Box<Expr>),
    /// Arithmetic; both operands have the type of the result (a shift count keeps its own).
    Binary(BinOp, Box<Expr>, Box<Expr>),
    /// Compares numbers or addresses of one type.
    Compare(BinOp, Box<Expr>, Box<Expr>),
    /// Compares strings.
    StrCompare(BinOp, Box<Expr>, Box<Expr>),
    /// `&& || ^^`.
    Logic(BinOp, Box<Expr>, Box<Expr>),
    /// `?:`.
    Cond(Box<Expr>, Box<Expr>, Box<Expr>),
    /// Evaluates the first for its effect and returns the second.
    Comma(Box<Expr>, Box<Expr>),
    /// Converts to another type: the value is cut to that type.
    Convert(Box<Expr>),
    /// The same 64 bits as another integer type, for an operator.
    As(Box<Expr>),
    /// Calls a subroutine.
    Call(Subr, Vec<Expr>),
    /// The datum of an action: kind, argument, the address that it is about.
    Action(ActionKind, u64, Option<Box<Expr>>),
    /// A placeholder for the n-th value that an inline or a translator receives.
    Param(u8),
    /// The result of a translator for a value: a struct that exists only as rules, or a pointer to
    /// it. Taking a member takes its rule, so no node of this kind is left to compile.
    Xlate(u32, Box<Expr>),
}

impl Expr {
    /// Makes a node and measures it by its children.
    pub fn new(kind: Kind, ty: Type, span: Span) -> Self {
        let (need, is_pure) = measure(&kind);
        let (mut height, mut size) = (0u16, 1u32);
        each_child(&kind, &mut |child| {
            height = height.max(child.height);
            size = size.saturating_add(child.size);
        });
        Self { kind, ty, span, need, is_pure, height: height.saturating_add(1), size }
    }
    /// Makes a constant of an integer type.
    pub fn constant(value: u64, int: crate::types::Int, span: Span) -> Self {
        Self::new(Kind::Int(int.wrap(value)), Type::Int(int), span)
    }
    /// Makes a placeholder for an expression that caused a complaint.
    pub fn error(span: Span) -> Self {
        Self::new(Kind::Int(0), Type::Error, span)
    }
    /// Returns the value if this is an integer constant.
    pub fn as_constant(&self) -> Option<u64> {
        match self.kind {
            Kind::Int(v) => Some(v),
            _ => None,
        }
    }
    /// Tells whether this is `0` or `NULL`.
    pub fn is_null_constant(&self) -> bool {
        self.as_constant() == Some(0)
    }
}

/// Returns the number of registers needed, and the purity.
fn measure(kind: &Kind) -> (u8, bool) {
    match kind {
        Kind::Int(_) | Kind::Str(_) | Kind::Var(_) | Kind::Builtin(_) | Kind::Param(_) => (1, true),
        Kind::Xlate(_, a) => (a.need, a.is_pure),
        Kind::Within(a, _) => (a.need.max(2), a.is_pure),
        // The size needs a register.
        Kind::SetBytes(a, b) => (pair(a, b).max(3), false),
        Kind::Element(_, a) | Kind::Neg(a) | Kind::BitNot(a) | Kind::LogNot(a) => {
            (a.need, a.is_pure)
        }
        Kind::Load(a) => (a.need, a.is_pure),
        Kind::As(a) => (a.need, a.is_pure),
        // A shift's count needs a register.
        Kind::Bits(a, ..) => (a.need.max(2), a.is_pure),
        Kind::Convert(a) => (a.need.max(2), a.is_pure),
        Kind::SetVar(_, a) => (a.need.max(2), false),
        Kind::Entry(_, keys) => (tuple_need(keys).max(1), keys.iter().all(|k| k.is_pure)),
        Kind::SetEntry(_, keys, a) => {
            (a.need.max(2).max(tuple_need(keys).saturating_add(1)), false)
        }
        Kind::SetMem(a, b) => (pair(a, b), false),
        Kind::Binary(_, a, b) | Kind::Compare(_, a, b) | Kind::StrCompare(_, a, b) => {
            (pair(a, b), a.is_pure && b.is_pure)
        }
        Kind::Logic(BinOp::LogXor, a, b) => (pair(a, b), a.is_pure && b.is_pure),
        Kind::Logic(_, a, b) | Kind::Comma(a, b) => (a.need.max(b.need), a.is_pure && b.is_pure),
        Kind::Cond(a, b, c) => {
            (a.need.max(b.need).max(c.need), a.is_pure && b.is_pure && c.is_pure)
        }
        Kind::Action(_, _, of) => (of.as_ref().map_or(1, |of| of.need), false),
        Kind::Call(_, args) => (tuple_need(args).max(1), false),
    }
}

/// Returns the number of registers that a list needs: for all values at once or, if possible, for
/// one after the other.
fn tuple_need(list: &[Expr]) -> u8 {
    let needs = list.iter().enumerate().map(|(i, e)| e.need.saturating_add(i as u8));
    let all = needs.max().unwrap_or(0);
    if all > 4 && is_pushed_singly(list) {
        return list.iter().map(|e| e.need).max().unwrap_or(0);
    }
    all
}

/// Tells whether each value can be pushed before the next is evaluated: only the first may use the
/// tuple stack itself.
pub fn is_pushed_singly(list: &[Expr]) -> bool {
    list.iter().skip(1).all(|e| !uses_tuple(e))
}

fn uses_tuple(e: &Expr) -> bool {
    let mut uses = matches!(e.kind, Kind::Call(..) | Kind::Entry(..) | Kind::SetEntry(..));
    each_child(&e.kind, &mut |child| uses = uses || uses_tuple(child));
    uses
}

/// Tells whether the expression may be evaluated twice instead of once: it changes at most scratch
/// memory.
pub fn is_repeatable(e: &Expr) -> bool {
    use Subr::{Bcopy, Copyinto, Copyout, Copyoutstr, Rand, Speculation, Strtok};
    let mut is = !matches!(
        &e.kind,
        Kind::SetVar(..)
            | Kind::SetEntry(..)
            | Kind::SetMem(..)
            | Kind::SetBytes(..)
            | Kind::Call(Rand | Strtok | Speculation | Copyout | Copyoutstr | Copyinto | Bcopy, _)
    );
    each_child(&e.kind, &mut |child| is = is && is_repeatable(child));
    is
}

macro_rules! define_each_child {
    ($name:ident, $iter:ident $(, $mutable:tt)?) => {
        fn $name(kind: &$($mutable)? Kind, visit: &mut dyn FnMut(&$($mutable)? Expr)) {
            match kind {
                Kind::Int(_)
                | Kind::Str(_)
                | Kind::Var(_)
                | Kind::Builtin(_)
                | Kind::Param(_) => {}
                Kind::Element(_, a)
                | Kind::Neg(a)
                | Kind::BitNot(a)
                | Kind::LogNot(a)
                | Kind::Load(a)
                | Kind::Bits(a, ..)
                | Kind::Convert(a)
                | Kind::As(a)
                | Kind::Within(a, _)
                | Kind::Xlate(_, a)
                | Kind::SetVar(_, a) => visit(a),
                Kind::SetMem(a, b)
                | Kind::SetBytes(a, b)
                | Kind::Binary(_, a, b)
                | Kind::Compare(_, a, b)
                | Kind::StrCompare(_, a, b)
                | Kind::Logic(_, a, b)
                | Kind::Comma(a, b) => {
                    visit(a);
                    visit(b);
                }
                Kind::Cond(a, b, c) => {
                    visit(a);
                    visit(b);
                    visit(c);
                }
                Kind::Action(_, _, of) => of.$iter().for_each(|of| visit(of)),
                Kind::Call(_, args) | Kind::Entry(_, args) => args.$iter().for_each(visit),
                Kind::SetEntry(_, keys, a) => {
                    keys.$iter().for_each(&mut *visit);
                    visit(a);
                }
            }
        }
    };
}
define_each_child!(each_child, iter);
define_each_child!(each_child_mut, iter_mut, mut);

/// Counts the uses of the first parameter in an expression.
pub fn params(e: &Expr) -> u32 {
    let mut count = u32::from(e.kind == Kind::Param(0));
    each_child(&e.kind, &mut |child| count = count.saturating_add(params(child)));
    count
}

/// Returns the expression with these values as its parameters. All its nodes get the span `span`.
pub fn filled(e: &Expr, values: &[Expr], span: Span) -> Expr {
    let mut e = e.clone();
    fill(&mut e, values, span);
    e
}

fn fill(e: &mut Expr, values: &[Expr], span: Span) {
    if let Kind::Param(n) = e.kind {
        if let Some(value) = values.get(usize::from(n)) {
            // A struct is passed by its address.
            let kind = match &value.kind {
                Kind::Load(at) if value.ty.is_by_ref() && !e.ty.is_by_ref() => at.kind.clone(),
                kind => kind.clone(),
            };
            *e = Expr::new(kind, e.ty.clone(), span);
        }
        return;
    }
    each_child_mut(&mut e.kind, &mut |child| fill(child, values, span));
    let kind = std::mem::replace(&mut e.kind, Kind::Int(0));
    *e = Expr::new(kind, e.ty.clone(), span);
}

/// Tells whether the second operand should be evaluated first.
pub fn is_reversed(a: &Expr, b: &Expr) -> bool {
    (a.is_pure || b.is_pure) && b.need > a.need
}

fn pair(a: &Expr, b: &Expr) -> u8 {
    let (first, second) = if is_reversed(a, b) { (b, a) } else { (a, b) };
    first.need.max(second.need.saturating_add(1))
}

/// A statement.
#[derive(Debug, Clone, PartialEq)]
pub enum Stmt {
    /// An expression evaluated for its effect.
    Expr(Expr),
    /// `trace(x)`.
    Trace(Expr),
    /// `printf`: format text, parsed format, values.
    Printf(String, crate::format::Format, Vec<Expr>),
    /// `printa`: format, numbers of the aggregations.
    Printa(Option<(String, crate::format::Format)>, Vec<u32>),
    /// `exit(x)`.
    Exit(Expr),
    /// `tracemem(address, bytes)`, and how many of the bytes to print.
    Tracemem(Expr, u32, Option<Expr>),
    /// `print(x)`.
    Print(Expr, Arc<crate::shape::Shown>),
    /// `@a[keys] = func(x)`: number, keys, kind, parameters, value, weight.
    Aggregate(u32, Vec<Expr>, ActionKind, u64, Option<Expr>, Option<Expr>),
    /// An action that records nothing, with its operand: `speculate(id)`, `stop()`.
    Act(ActionKind, Option<Expr>),
    /// `system` and `freopen`: printf to a command or a file.
    Format(ActionKind, String, crate::format::Format, Vec<Expr>),
    /// `ftruncate()`.
    Ftruncate,
    /// `setopt`: name and value.
    Setopt(Vec<Expr>),
    /// `clear` and friends, with the operand.
    LibAct(abi::action::LibAct, u32, Option<Expr>),
    /// `if`.
    If(Expr, Vec<Stmt>, Vec<Stmt>),
}

/// A clause, checked once for each distinct list of types that its `args[]` have.
#[derive(Debug, Clone, PartialEq)]
pub struct Clause {
    /// The probe patterns, at least one.
    pub probes: Vec<ProbePattern>,
    /// The number of probes that each pattern matches; used when variants name probes one by one.
    pub counts: Vec<usize>,
    /// One variant for each of several disjoint sets of probes; a single one unless `args[]`
    /// differ.
    pub variants: Vec<Variant>,
    /// The span of the whole clause, for messages.
    pub span: Span,
}

/// The probes of one pattern that belong to a variant.
#[derive(Debug, Clone, PartialEq)]
pub enum Members {
    /// All that the pattern matches.
    All,
    /// Each named by a pattern of its own.
    Each(Vec<ProbePattern>),
}

impl Default for Members {
    fn default() -> Self {
        Self::Each(Vec::new())
    }
}

impl Members {
    /// Adds a probe.
    pub fn push(&mut self, probe: ProbePattern) {
        if let Self::Each(list) = self {
            list.push(probe);
        }
    }
    /// Adds the other probes.
    pub fn append(&mut self, other: Members) {
        match (&mut *self, other) {
            (Self::Each(list), Self::Each(mut more)) => list.append(&mut more),
            _ => *self = Self::All,
        }
    }
}

/// A clause, typed for some of its probes.
#[derive(Debug, Clone, PartialEq)]
pub struct Variant {
    /// For each pattern of the clause, the probes of this variant.
    pub members: Vec<Members>,
    /// The condition: a number or an address.
    pub predicate: Option<Expr>,
    /// The statements, in order.
    pub body: Vec<Stmt>,
}

impl Clause {
    /// Returns patterns for the given probes. A pattern of the clause stays if all its probes are
    /// given.
    pub fn addresses(&self, members: &[Members]) -> Vec<ProbePattern> {
        let mut out = Vec::new();
        for ((pattern, count), members) in self.probes.iter().zip(&self.counts).zip(members) {
            match members {
                Members::Each(list) if list.len() != *count => out.extend(list.iter().cloned()),
                Members::Each(list) if list.is_empty() => {}
                _ => out.push(pattern.clone()),
            }
        }
        out
    }
}
