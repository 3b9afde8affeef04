// SPDX-License-Identifier: GPL-2.0
//! The result of a compilation: clauses with their DIF objects, in DTrace's words.
//!
//! A clause becomes one ECB description for each of its probe descriptions; all of them share the
//! clause's predicate and actions. Each D statement becomes one or more *actions*, in this order:
//!
//! * `a = 1;`: one `DifExpr` whose object returns nothing (size 0): no datum.
//! * `trace(x);`: one `DifExpr`.
//! * `stack(n);` `ustack(n);`: one `Stack` or `Ustack` without object, with the number of frames in
//!   `arg`; 0 means the number from the options. It can also be a value of printf and a key.
//! * `sym(x);` `umod(x);` ..: one `Sym`, `Umod` .. whose object returns the address (8 bytes). It
//!   can also be a value of printf and a key.
//! * `printf("..", x, y);`: one `Printf` per value, the format on the first; without values one
//!   `Printf` without object.
//! * `printa("..", @a, @b);`: one `Printa` whose object returns the number of the first aggregation
//!   (4 bytes); the rest is in [`Statement`].
//! * `exit(x);`: one `Exit` (4 bytes).
//! * `speculate(id);` `commit(id);` `discard(id);` `raise(n);` `chill(n);`: one action of that kind
//!   whose object returns the operand: no datum.
//! * `stop();` `breakpoint();` `panic();`: one action of that kind, no object, no datum.
//! * `system("..", x);` `freopen("..", x);`: same as printf, with actions of that kind.
//! * `ftruncate();`: one `LibAct` without object.
//! * `setopt("..", "..");`: one `LibAct` for each string.
//! * `@a[k, l] = sum(x);`: a `DifExpr` per key, then `Sum` with `ntuple` = number of keys;
//!   `count()` has no object.
//! * `clear(@a); normalize(@a, n);` ..: a `LibAct` with a [`abi::action::LibAct`] in `arg`, whose
//!   object returns the number of the aggregation. For normalize and trunc, a second `LibAct` with
//!   the same `arg` follows, whose object returns the operand.
//!
//! `uarg` of an action is the number of its statement, counted from 0 through all programs of one
//! [`crate::Compiler`]; for an aggregating action and its keys it is the number of the aggregation,
//! counted from 1. A clause without any action traces only that it fired (the default action); a
//! clause whose actions have no data leaves no record.

use crate::format::{Format, Piece};
use crate::shape::Shown;
use crate::types::Type;
use crate::world::{Arg, ProbePattern};
use abi::action::ActionKind;
use abi::aggregation::AggFunc;
use abi::difo::{DifType, DifVar};
use abi::option::OptionId;
use abi::stability::ProviderAttributes;
use std::collections::HashSet;
use std::sync::Arc;

/// A compiled D program.
#[derive(Debug, Clone, Default)]
pub struct Program {
    /// The clauses, in the order of the text.
    pub clauses: Vec<Clause>,
    /// Number of the first of [`Self::statements`].
    pub first_statement: u64,
    /// The meaning of the data of a record, looked up by the `uarg` of a non-aggregating record.
    pub statements: Vec<Statement>,
    /// All aggregations known so far, including those of earlier programs of the same compiler;
    /// looked up by number - 1.
    pub aggregations: Vec<Aggregation>,
    /// Run-time options from `#pragma D option`; the command line overrides them.
    pub options: Vec<(OptionId, u64)>,
    /// Options of the command from `#pragma D option`: name and value.
    pub settings: Vec<(String, Option<String>)>,
    /// Probes matched while compiling, for "matched N probes" of a dry run.
    pub matched: usize,
    /// The stability of everything that the program uses, if [`crate::Options::is_weighed`].
    pub stability: Option<crate::Least>,
    /// The program changes the system or a process: it needs `-w`.
    pub is_destructive: bool,
    /// The providers that the program declares, in order.
    pub providers: Vec<Provider>,
}

/// A declared provider.
#[derive(Debug, Clone, PartialEq)]
pub struct Provider {
    /// The name, without the number of a process.
    pub name: String,
    /// The probes, in order.
    pub probes: Vec<DeclaredProbe>,
    /// The stability that the program's pragmas promise for it.
    pub promised: ProviderAttributes,
}

/// A probe of a declared provider.
#[derive(Debug, Clone, PartialEq)]
pub struct DeclaredProbe {
    /// The name, with `__` where scripts write `-`.
    pub name: String,
    /// The types of the arguments that the program passes.
    pub natives: Vec<Type>,
    /// The arguments that scripts see.
    pub args: Vec<Arg>,
}

/// Probe descriptions, predicate, actions.
#[derive(Debug, Clone, Default)]
pub struct Clause {
    /// The probe descriptions, at least one.
    pub probes: Vec<ProbePattern>,
    /// The condition.
    pub predicate: Option<Arc<DifObject>>,
    /// The actions, in order; an empty list is the default action.
    pub actions: Vec<Action>,
    /// Number of the clause, from 0 through all programs of one compiler.
    pub uarg: u64,
}

/// One action, as the kernel sees it.
#[derive(Debug, Clone)]
pub struct Action {
    /// The kind.
    pub kind: ActionKind,
    /// The expression.
    pub difo: Option<Arc<DifObject>>,
    /// Format text that the kernel keeps for the consumer; only on the first action of a statement.
    pub format: Option<String>,
    /// For aggregating actions: the number of actions before this one that are its key.
    pub ntuple: u32,
    /// Parameters: lquantize's encoding, `LibAct` number.
    pub arg: u64,
    /// Number of the statement, or of the aggregation (from 1).
    pub uarg: u64,
}

impl Action {
    /// Makes an action without an object.
    pub fn bare(kind: ActionKind, uarg: u64) -> Self {
        Self { kind, difo: None, format: None, ntuple: 0, arg: 0, uarg }
    }
}

/// The meaning of a D statement, for code that prints its records.
#[derive(Debug, Clone, PartialEq)]
pub struct Statement {
    /// `uarg` of its actions.
    pub number: u64,
    /// The meaning.
    pub kind: StatementKind,
}

/// Kinds of statements.
#[derive(Debug, Clone, PartialEq)]
pub enum StatementKind {
    /// Evaluated for its effect; leaves no datum.
    Expr,
    /// The thread in which the clause ran (`-x threads`): pid, tid, execname. The program has no
    /// such statement.
    Thread,
    /// `trace(x)`: print one value of this type.
    Trace(ValueType),
    /// `printf`: the conversions name their values by number.
    Printf(Format),
    /// `printa`: the numbers of the aggregations, from 1; without a format, the default output.
    Printa {
        /// Parsed format; conversions name the keys by number.
        format: Option<Format>,
        /// At least one number.
        aggregations: Vec<u32>,
    },
    /// `exit(n)`.
    Exit,
    /// `system`: a command line, formatted as printf formats text.
    System(Format),
    /// `freopen`: a file name, formatted as printf formats text.
    Freopen(Format),
    /// `ftruncate()`.
    Ftruncate,
    /// `setopt`: two strings, or one.
    Setopt,
    /// `tracemem(address, n)`: bytes to dump; a second record, if any, says how many of them to
    /// print.
    Tracemem(u32),
    /// `print(x)`: one value, with the names and types of everything in it.
    Print(Arc<Shown>),
    /// `clear(@a)`.
    Clear(u32),
    /// `normalize(@a, n)`: two records, the second holds n.
    Normalize(u32),
    /// `denormalize(@a)`.
    Denormalize(u32),
    /// `trunc(@a)` and, with a second record that holds n, `trunc(@a, n)`.
    Trunc {
        /// Number of the aggregation.
        aggregation: u32,
        /// A second record holds the number of entries to keep (negative: the lowest ones).
        has_count: bool,
    },
}

/// The type of one datum, as far as printing needs it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValueType {
    /// An integer.
    Int {
        /// 1, 2, 4 or 8.
        size: u8,
        /// Two's complement.
        signed: bool,
    },
    /// NUL-terminated within `size` bytes.
    String {
        /// Bytes of the datum.
        size: u32,
    },
    /// An address.
    Pointer,
    /// The data of an action: frames of a stack, an address to print as a symbol.
    Action(ActionKind),
    /// A struct, a union or an array: its bytes. Characters up to a NUL are text.
    Bytes {
        /// Bytes of the datum.
        size: u32,
    },
}

impl ValueType {
    /// Returns what printing needs to know of a type.
    pub fn of_type(ty: &Type, strsize: u32) -> Self {
        match ty {
            Type::Int(i) => Self::Int { size: i.size, signed: i.signed },
            Type::String => Self::String { size: strsize },
            Type::Pointer(_) => Self::Pointer,
            Type::Action(kind) => Self::Action(*kind),
            Type::Struct(_) | Type::Array(..) => {
                Self::Bytes { size: ty.size(strsize).unwrap_or(0) }
            }
            Type::Void | Type::Error | Type::Function(_) | Type::Float(_) => {
                Self::Int { size: 8, signed: true }
            }
        }
    }
}

/// An aggregation: `@name`.
#[derive(Debug, Clone, PartialEq)]
pub struct Aggregation {
    /// Number, from 1.
    pub number: u32,
    /// Name without `@`; "" for `@`.
    pub name: String,
    /// Function and parameters.
    pub func: AggFunc,
    /// Types of the keys.
    pub keys: Vec<ValueType>,
    /// Names of the keys if the text has one, else "": `execname`, `pr_pid` for
    /// `curpsinfo->pr_pid`.
    pub key_names: Vec<String>,
}

/// A DIF object made by the compiler.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DifObject {
    /// Instructions.
    pub text: Vec<u32>,
    /// Integer table.
    pub inttab: Vec<u64>,
    /// Strings, each with its NUL; byte 0 is the empty string.
    pub strtab: Vec<u8>,
    /// The variables that it reads or writes.
    pub vars: Vec<DifVar>,
    /// The type that it returns.
    pub rtype: DifType,
    /// It writes to the memory of a process.
    pub is_destructive: bool,
}

impl Program {
    /// Returns every DIF object once, in order: for each clause the predicate's, then the actions'.
    /// `-S` lists these.
    pub fn objects(&self) -> impl Iterator<Item = &DifObject> {
        let mut seen = HashSet::new();
        self.clauses
            .iter()
            .flat_map(|c| {
                c.predicate.iter().chain(c.actions.iter().filter_map(|a| a.difo.as_ref()))
            })
            .filter(move |o| seen.insert(Arc::as_ptr(o)))
            .map(|o| &**o)
    }
    /// Tells whether a format prints an address of the target (`%A`).
    pub fn prints_addresses(&self) -> bool {
        let names = |piece: &Piece| matches!(piece, Piece::Conversion(c) if c.letter == 'A');
        self.statements.iter().any(|s| match &s.kind {
            StatementKind::Printf(f) | StatementKind::System(f) | StatementKind::Freopen(f) => {
                f.pieces.iter().any(names)
            }
            StatementKind::Printa { format: Some(f), .. } => f.pieces.iter().any(names),
            _ => false,
        })
    }
    /// Returns the statement of this number.
    pub fn statement(&self, number: u64) -> Option<&Statement> {
        let index = number.checked_sub(self.first_statement)?;
        self.statements.get(usize::try_from(index).ok()?)
    }
}
