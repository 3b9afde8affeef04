// SPDX-License-Identifier: GPL-2.0
//! The result of a compilation: clauses with their DIF objects, in DTrace's words.
//!
//! A clause becomes one ECB description for each of its probe descriptions; all of them share the
//! clause's predicate and actions. Each D statement becomes one or more *actions*:
//!
//! | statement | actions, in order |
//! |---|---|
//! | `a = 1;` | one `DifExpr` whose object returns nothing (size 0): no datum |
//! | `trace(x);` | one `DifExpr` |
//! | `stack(n);` `ustack(n);` | one `Stack`, `Ustack` without object, the frames in `arg`; 0: as many as the options say. Also as a value of printf and as a key |
//! | `sym(x);` `umod(x);` .. | one `Sym`, `Umod` .. whose object returns the address (8 bytes). Also as a value of printf and as a key |
//! | `printf("..", x, y);` | one `Printf` per value, the format on the first; without values one `Printf` without object |
//! | `printa("..", @a, @b);` | one `Printa` whose object returns the number of the first aggregation (4 bytes); the rest is in [`Statement`] |
//! | `exit(x);` | one `Exit` (4 bytes) |
//! | `speculate(id);` `commit(id);` `discard(id);` `raise(n);` `chill(n);` | one of that kind, its object returns the operand: no datum |
//! | `stop();` `breakpoint();` `panic();` | one of that kind, no object, no datum |
//! | `system("..", x);` `freopen("..", x);` | as printf, the first action of that kind |
//! | `ftruncate();` | one `LibAct` without object |
//! | `setopt("..", "..");` | one `LibAct` for each string |
//! | `@a[k, l] = sum(x);` | a `DifExpr` per key, then `Sum` with `ntuple` = number of keys; `count()` has no object |
//! | `clear(@a); normalize(@a, n);` .. | `LibAct` with a [`abi::action::LibAct`] in `arg`, its object returns the number of the aggregation; normalize and trunc are followed by a second `LibAct` with the same `arg`, whose object returns the operand |
//!
//! `uarg` of an action is the number of its statement, counted from 0 through all programs of one
//! [`crate::Compiler`]; of an aggregating action and of its keys it is the number of the D
//! variable, counted from 1. A clause without any action traces only that it fired (the default
//! action); a clause whose actions have no data leaves no record.

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
    /// In order of the text.
    pub clauses: Vec<Clause>,
    /// Number of the first of [`Self::statements`].
    pub first_statement: u64,
    /// What the data of a record mean: looked up by the `uarg` of a non-aggregating record.
    pub statements: Vec<Statement>,
    /// All aggregations known so far, those of earlier programs of the same compiler included;
    /// looked up by number - 1.
    pub aggregations: Vec<Aggregation>,
    /// `#pragma D option` for the run time; the command line overrides them.
    pub options: Vec<(OptionId, u64)>,
    /// The same for the command: name and value.
    pub settings: Vec<(String, Option<String>)>,
    /// Probes matched while compiling, for "matched N probes" of a dry run.
    pub matched: usize,
    /// How stable what it uses is, if [`crate::Options::is_weighed`].
    pub stability: Option<crate::Least>,
    /// Something in it changes the system or a process: needs `-w`.
    pub is_destructive: bool,
    /// The providers that it declares, in order.
    pub providers: Vec<Provider>,
}

/// A declared provider.
#[derive(Debug, Clone, PartialEq)]
pub struct Provider {
    /// Its name, without the number of a process.
    pub name: String,
    /// In order.
    pub probes: Vec<DeclaredProbe>,
    /// What the program's pragmas promise of it.
    pub promised: ProviderAttributes,
}

/// A probe of a declared provider.
#[derive(Debug, Clone, PartialEq)]
pub struct DeclaredProbe {
    /// As C writes it, with `__` where scripts have `-`.
    pub name: String,
    /// What the program passes.
    pub natives: Vec<Type>,
    /// What scripts see of it.
    pub args: Vec<Arg>,
}

/// Probe descriptions, predicate, actions.
#[derive(Debug, Clone, Default)]
pub struct Clause {
    /// At least one.
    pub probes: Vec<ProbePattern>,
    /// Condition.
    pub predicate: Option<Arc<DifObject>>,
    /// What happens, in order; none is the default action.
    pub actions: Vec<Action>,
    /// Number of the clause, from 0 through all programs of one compiler.
    pub uarg: u64,
}

/// One action as the kernel sees it.
#[derive(Debug, Clone)]
pub struct Action {
    /// Kind.
    pub kind: ActionKind,
    /// Its expression.
    pub difo: Option<Arc<DifObject>>,
    /// Format text that the kernel keeps for the consumer (printf, printa: first action only).
    pub format: Option<String>,
    /// Aggregating actions: how many actions before this one are its key.
    pub ntuple: u32,
    /// Parameters: lquantize's encoding, `LibAct` number.
    pub arg: u64,
    /// Number of the statement, or of the aggregation (from 1).
    pub uarg: u64,
}

impl Action {
    /// Without an object.
    pub fn bare(kind: ActionKind, uarg: u64) -> Self {
        Self { kind, difo: None, format: None, ntuple: 0, arg: 0, uarg }
    }
}

/// What a D statement means to whoever prints its records.
#[derive(Debug, Clone, PartialEq)]
pub struct Statement {
    /// `uarg` of its actions.
    pub number: u64,
    /// Meaning.
    pub kind: StatementKind,
}

/// Kinds of statements.
#[derive(Debug, Clone, PartialEq)]
pub enum StatementKind {
    /// Evaluated for its effect; leaves no datum.
    Expr,
    /// The thread that the clause ran in (`-x threads`): pid, tid, execname. It is no statement of the program.
    Thread,
    /// `trace(x)`: print one value of this type.
    Trace(ValueType),
    /// `printf`: the conversions name their values by number.
    Printf(Format),
    /// `printa`: aggregations by number from 1; without a format, the default print.
    Printa {
        /// Parsed format; conversions name the keys by number.
        format: Option<Format>,
        /// At least one.
        aggregations: Vec<u32>,
    },
    /// `exit(n)`.
    Exit,
    /// `system`: a command line, made as printf makes text.
    System(Format),
    /// `freopen`: a file's name, made as printf makes text.
    Freopen(Format),
    /// `ftruncate()`.
    Ftruncate,
    /// `setopt`: two strings, or one.
    Setopt,
    /// `tracemem(address, n)`: bytes to dump; of which a second record says how many are meant.
    Tracemem(u32),
    /// `print(x)`: one value, with the names and types of all that is in it.
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
        /// A second record holds how many entries stay (negative: the lowest ones).
        has_count: bool,
    },
}

/// Type of one datum, as far as printing needs it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValueType {
    /// Bytes (1, 2, 4, 8) and signedness.
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
    /// What an action records: frames of a stack, an address to be shown as a symbol.
    Action(ActionKind),
    /// A struct, a union or an array: its bytes. Characters up to a NUL are text.
    Bytes {
        /// Bytes of the datum.
        size: u32,
    },
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
    /// Names of the keys where the text has one, else "": `execname`, `pr_pid` of `curpsinfo->pr_pid`.
    pub key_names: Vec<String>,
}

/// A DIF object as the compiler makes it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DifObject {
    /// Instructions.
    pub text: Vec<u32>,
    /// Integer table.
    pub inttab: Vec<u64>,
    /// Strings, each with its NUL; byte 0 is the empty string.
    pub strtab: Vec<u8>,
    /// Variables it touches.
    pub vars: Vec<DifVar>,
    /// What it returns.
    pub rtype: DifType,
    /// It writes to memory of a process.
    pub is_destructive: bool,
}

impl Program {
    /// Every DIF object once, in order: of each clause the predicate, then the actions'. What `-S`
    /// lists.
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
    /// Does a format name an address of the target (`%A`)?
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
    /// The statement of this number.
    pub fn statement(&self, number: u64) -> Option<&Statement> {
        let index = number.checked_sub(self.first_statement)?;
        self.statements.get(usize::try_from(index).ok()?)
    }
}
