// SPDX-License-Identifier: GPL-2.0
//! The D compiler: text in, DIF objects and diagnostics out. No IO, no panic on any input.
//!
//! ```text
//! source -> lexer -> parser -> ast -> check (names, types) -> typed -> lower -> codegen -> program -> dof
//! ```
#![forbid(unsafe_code)]
#![deny(clippy::indexing_slicing, clippy::unwrap_used, clippy::expect_used)]

pub mod diag;
pub mod dof;
pub mod format;
pub mod program;
pub mod source;
pub mod world;

pub use diag::{Diagnostic, Tag};
pub use program::{
    Action, Aggregation, Clause, DifObject, Program, Statement, StatementKind, ValueType,
};
pub use source::{Source, SourceName, SpecKind};
pub use world::{Matches, ProbePattern, World};

/// What the command line says about compilation.
#[derive(Debug, Clone)]
pub struct Options {
    /// `$0`, then `$1` and so on; `$$1` is the same as a string.
    pub args: Vec<String>,
    /// `$target`: the process of `-c` or `-p`.
    pub target: Option<u32>,
    /// `$pid`, `$uid` and friends: the consumer's own identity.
    pub identity: Identity,
    /// `-Z`: a description may match no probe.
    pub allow_zero: bool,
    /// `-x empty`: a program may have no clause.
    pub allow_empty: bool,
    /// `-x defaultargs`: a missing `$n` is 0, `$$n` is "".
    pub default_args: bool,
    /// Bytes of a string with its NUL (`-x strsize`); a pragma in the program overrides it.
    pub strsize: u32,
}

/// Values of macro variables that describe the consumer.
#[derive(Debug, Clone, Copy, Default)]
#[allow(missing_docs, reason = "the macro variable's name says it")]
pub struct Identity {
    pub pid: u32,
    pub ppid: u32,
    pub pgid: u32,
    pub sid: u32,
    pub uid: u32,
    pub euid: u32,
    pub gid: u32,
    pub egid: u32,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            args: Vec::new(),
            target: None,
            identity: Identity::default(),
            allow_zero: false,
            allow_empty: false,
            default_args: false,
            strsize: 256,
        }
    }
}

/// What came out.
#[derive(Debug, Clone, Default)]
pub struct Compiled {
    /// The program, if there is nothing to complain about.
    pub program: Option<Program>,
    /// Complaints in order of the text; empty if there is a program.
    pub diagnostics: Vec<Diagnostic>,
}

/// The compiler with what several programs of one consumer share: global and thread-local
/// variables, aggregations, statement numbers. `dtrace -n A -n B` is two calls of
/// [`Compiler::compile`].
#[derive(Debug, Default)]
pub struct Compiler {
    options: Options,
}

impl Compiler {
    /// A compiler that knows no variables yet.
    pub fn new(options: Options) -> Self {
        Self { options }
    }

    /// Compiles one program.
    pub fn compile(&mut self, source: &Source, world: &dyn World) -> Compiled {
        let _ = (&self.options, source, world);
        Compiled::default()
    }
}

/// Compiles a single program.
pub fn compile(source: &Source, world: &dyn World, options: &Options) -> Compiled {
    Compiler::new(options.clone()).compile(source, world)
}
