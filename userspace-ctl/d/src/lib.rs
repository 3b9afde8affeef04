// SPDX-License-Identifier: GPL-2.0
//! The D compiler: text in, DIF objects and diagnostics out. No IO, no panic on any input.
//!
//! ```text
//! source -> lexer -> parser -> ast -> check (names, types) -> typed -> lower -> codegen -> program -> dof
//! ```
#![forbid(unsafe_code)]
#![warn(clippy::too_many_lines)]
// They panic if the stream is closed or its disk is full.
#![cfg_attr(not(test), deny(clippy::print_stderr, clippy::print_stdout))]
#![cfg_attr(
    not(test),
    deny(clippy::indexing_slicing, clippy::unwrap_used, clippy::expect_used, clippy::panic)
)]

mod ast;
mod check;
mod codegen;
pub mod diag;
pub mod dof;
pub mod format;
mod lexer;
pub mod library;
mod lower;
mod macros;
mod names;
pub mod option;
mod parser;
pub mod program;
mod scope;
pub mod shape;
pub mod show;
pub mod source;
mod token;
mod typed;
pub mod types;
mod vocabulary;
pub mod world;

use abi::aggregation::AggFunc;
use abi::option::OptionId;
use abi::stability::Attributes;
use check::{Checker, Settings};
use lower::Lower;
use names::Names;
use parser::pragma::{self, About, CompilerOption, Control, Dependence};
use std::collections::HashMap;

pub use check::stability::Least;
pub use diag::{Diagnostic, Tag};
pub use program::{
    Action, Aggregation, Clause, DifObject, Program, Provider, Statement, StatementKind, ValueType,
};
pub use source::{Source, SourceName, SpecKind};
pub use world::{Arg, Matches, Probe, ProbePattern, Signature, TypeSpace, World};

/// The settings of a compilation from the command line.
#[derive(Debug, Clone)]
pub struct Options {
    /// `$0`, then `$1` and so on; `$$1` is the argument as a string.
    pub args: Vec<String>,
    /// `$target`: the process of `-c` or `-p`.
    pub target: Option<u32>,
    /// `$pid`, `$uid` and friends: the consumer's own identity.
    pub identity: Identity,
    /// `-Z`: a description may match no probe.
    pub allow_zero: bool,
    /// `-e`: without a target, `$target` is 0 and a description that begins with `pid$` may match
    /// no probe.
    pub is_dry: bool,
    /// `-x empty`: a program may have no clause.
    pub allow_empty: bool,
    /// `-x defaultargs`: a missing `$n` is 0, `$$n` is "".
    pub default_args: bool,
    /// The program may leave arguments unused (`-x argref`, or a later program uses them).
    pub surplus_args: bool,
    /// Bytes of a string with its NUL (`-x strsize`); a pragma in the program overrides it.
    pub strsize: u32,
    /// The libraries that programs may use.
    pub libraries: library::Libraries,
    /// `-x amin`: the least stability that programs may depend on.
    pub amin: Option<Attributes>,
    /// Whether to compute [`Program::stability`].
    pub is_weighed: bool,
    /// `-x threads`: each record names its thread.
    pub threads: bool,
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
            is_dry: false,
            allow_empty: false,
            default_args: false,
            surplus_args: false,
            strsize: 256,
            libraries: library::Libraries::default(),
            amin: None,
            is_weighed: false,
            threads: false,
        }
    }
}

/// The result of a compilation.
#[derive(Debug, Clone, Default)]
pub struct Compiled {
    /// The program, if there are no complaints.
    pub program: Option<Program>,
    /// Complaints in the order of the text; empty if there is a program.
    pub diagnostics: Vec<Diagnostic>,
    /// Remarks about a program that did compile: probes left out because they lack its `args[]`,
    /// options that have no effect.
    pub notes: Vec<Diagnostic>,
    /// Options of the command that the program sets: name and value, in order.
    pub settings: Vec<(String, Option<String>)>,
}

/// The compiler, with the state that several programs of one consumer share: global and
/// thread-local variables, aggregations, statement numbers. `dtrace -n A -n B` calls
/// [`Compiler::compile`] twice.
#[derive(Debug, Default)]
pub struct Compiler {
    /// The settings from the command line; they may change between programs.
    pub options: Options,
    names: Names,
    used_args: Vec<usize>,
    next_statement: u64,
    next_clause: u64,
}

/// A program that has been read and has no meaning yet.
#[derive(Debug)]
pub struct ReadProgram<'s> {
    source: &'s Source,
    options: Options,
    parsed: parser::Parsed,
}

impl ReadProgram<'_> {
    /// Returns its probe descriptions, in order. A world that makes probes on demand makes them
    /// before the program is compiled.
    pub fn descriptions(&self) -> Vec<ProbePattern> {
        let clauses = self.parsed.items.iter().filter_map(|item| match item {
            ast::Item::Clause(clause) => Some(clause),
            _ => None,
        });
        let texts = clauses.flat_map(|c| &c.probes);
        // The compiler complains about the malformed ones.
        let pattern = |(text, span): &(String, source::Span)| {
            parser::probe_desc::pattern(text, *span, self.source).ok()
        };
        texts.filter_map(pattern).collect()
    }
}

impl Compiler {
    /// Makes a compiler that knows no variables yet.
    pub fn new(options: Options) -> Self {
        Self { options, ..Self::default() }
    }

    /// Reads one program, without giving it a meaning.
    pub fn read<'s>(&self, source: &'s Source, world: &dyn World) -> ReadProgram<'s> {
        let mut options = self.options.clone();
        // This option is read first, because macro variables are replaced while reading.
        options.default_args |= has_default_args(source);
        let parsed = parser::parse(source, &options, self.names.known(), world);
        ReadProgram { source, options, parsed }
    }

    /// Reads and compiles one program. After a complaint, nothing of the program is kept.
    pub fn compile(&mut self, source: &Source, world: &dyn World) -> Compiled {
        self.compile_read(self.read(source, world), world)
    }

    /// Compiles a program that has been read. After a complaint, nothing of the program is kept.
    pub fn compile_read(&mut self, read: ReadProgram<'_>, world: &dyn World) -> Compiled {
        let ReadProgram { source, mut options, parsed } = read;
        let mut diagnostics = parsed.diagnostics;
        let mut told = Told::default();
        controls(source, &parsed.controls, world, &mut options, &mut told);
        let Told { run_time, settings: set, mut notes, complaints } = told;
        diagnostics.extend(complaints);
        if parsed.items.is_empty() && diagnostics.is_empty() && !options.allow_empty {
            let span = source::Span::new(0, source.text.len());
            let message = "empty D program translation unit";
            diagnostics.push(Diagnostic::new(Tag::Empty, span, message).label("nothing to trace"));
        }
        self.used_args.extend(&parsed.used_args);
        if diagnostics.is_empty() && !options.default_args && !options.surplus_args {
            diagnostics.extend(unused_argument(&options, &self.used_args, source));
        }
        let settings = Settings {
            strsize: options.strsize,
            allow_zero: options.allow_zero,
            is_dry: options.is_dry,
            libraries: &options.libraries,
            amin: options.amin,
            is_weighed: options.is_weighed || options.amin.is_some(),
        };
        let about = pragma::abouts(source, &parsed.controls);
        let mut names = self.names.clone();
        about.iter().for_each(|(about, _)| names.promise(about));
        let mut checker = Checker::new(source, world, settings, names);
        let clauses = checker.program(&parsed.items);
        let (mut names, matched) = (checker.names, checker.matched);
        notes.append(&mut checker.notes);
        diagnostics.append(&mut checker.diagnostics);
        diagnostics.extend(about.iter().filter_map(|(a, span)| not_own(a, *span, &names)));

        let mut program = Program {
            first_statement: self.next_statement,
            matched,
            options: run_time,
            settings: set.clone(),
            stability: Some(checker.stability).filter(|_| settings.is_weighed),
            providers: checker.providers,
            ..Program::default()
        };
        let mut next_clause = self.next_clause;
        if diagnostics.is_empty() {
            let (strsize, first) = (options.strsize, self.next_statement);
            let mut lower = Lower::new(&mut names, strsize, first, next_clause);
            for clause in &clauses {
                program.clauses.extend(lower.clause(clause));
            }
            if options.threads {
                lower.record_threads(&mut program.clauses);
            }
            next_clause += program.clauses.len() as u64;
            program.statements = lower.statements;
            diagnostics.append(&mut lower.diagnostics);
        }
        if !diagnostics.is_empty() {
            arrange(&mut diagnostics, source);
            blame_missing_types(&mut diagnostics, world);
            return Compiled { diagnostics, settings: set, ..Compiled::default() };
        }
        program.is_destructive = program.objects().any(|o| o.is_destructive)
            || program.clauses.iter().flat_map(|c| &c.actions).any(|a| a.kind.is_destructive());
        program.aggregations = names.aggs.iter().map(|a| aggregation(a, options.strsize)).collect();
        self.next_statement += program.statements.len() as u64;
        self.next_clause = next_clause;
        self.names = names;
        notes.iter_mut().for_each(|d| d.locate(source));
        Compiled { program: Some(program), diagnostics, notes, settings: set }
    }
}

/// Tells whether a program sets the option `defaultargs`.
fn has_default_args(source: &Source) -> bool {
    source.text.lines().map(str::trim).any(|line| {
        line.starts_with('#')
            && pragma::control(line, source::Span::default())
                == Ok(Control::Compiler(CompilerOption::DefaultArgs, true))
    })
}

/// Puts complaints in the order of the text, and drops repeated ones.
fn arrange(diagnostics: &mut Vec<Diagnostic>, source: &Source) {
    // Drop the second complaint about a description whose macro variable is undefined.
    let spans: Vec<_> =
        diagnostics.iter().filter(|d| d.tag == Tag::MacroUndef).map(|d| d.primary.span).collect();
    diagnostics.retain(|d| {
        let span = d.primary.span;
        let holds = |m: &source::Span| span.start <= m.start && m.end <= span.end;
        d.tag != Tag::PdescZero || !spans.iter().any(holds)
    });
    diagnostics.iter_mut().for_each(|d| d.locate(source));
    diagnostics.sort_by_key(|d| d.primary.span.start);
}

/// Says at the first complaint about a type that there are no types at all, if that is so.
fn blame_missing_types(diagnostics: &mut [Diagnostic], world: &dyn World) {
    use Tag::*;
    let is_about_types = |d: &Diagnostic| {
        let tags = [
            TypeErr,
            TypeMember,
            SizeofType,
            OffsetofType,
            OpPtr,
            OpSou,
            OpIncomplete,
            DerefNonptr,
            IdentUndef,
            SymNotypes,
            ArgsIdx,
            ArgsType,
            DeclIncomplete,
            XlateSou,
        ];
        tags.contains(&d.tag)
    };
    // The world reads its types to answer, so it is asked last.
    let Some(first) = diagnostics.iter().position(is_about_types) else { return };
    let Some(why) = world.no_types() else { return };
    if diagnostics.iter().flat_map(|d| &d.notes).any(|n| n.contains(&why)) {
        return;
    }
    if let Some(d) = diagnostics.get_mut(first) {
        d.notes.push(format!(
            "{why}: args[], struct members, and libraries such as io.d need the kernel's types \
             (CONFIG_DEBUG_INFO_BTF)"
        ));
    }
}

/// The types of `args[]` as written, by provider and name of a probe.
pub type Declared = HashMap<(String, String), Vec<String>>;

/// Returns what the libraries declare about probes.
pub fn declared(libraries: &library::Libraries, world: &dyn World) -> Declared {
    let source = Source::script("", "");
    let settings = Settings {
        strsize: Options::default().strsize,
        allow_zero: false,
        is_dry: false,
        libraries,
        amin: None,
        is_weighed: false,
    };
    Checker::new(&source, world, settings, Names::default()).declared_by_libraries()
}

/// The results of control lines, except for the compiler's own options.
#[derive(Default)]
struct Told {
    run_time: Vec<(OptionId, u64)>,
    settings: Vec<(String, Option<String>)>,
    notes: Vec<Diagnostic>,
    complaints: Vec<Diagnostic>,
}

/// Reads the control lines.
fn controls(
    source: &Source,
    lines: &[source::Span],
    world: &dyn World,
    options: &mut Options,
    told: &mut Told,
) {
    for span in lines {
        match pragma::control(source.slice(*span), *span) {
            Ok(Control::Option(id, value)) => {
                if id == OptionId::Strsize {
                    options.strsize = u32::try_from(value).unwrap_or(u32::MAX);
                }
                told.run_time.push((id, value));
            }
            Ok(Control::Compiler(option, is_on)) => match option {
                CompilerOption::AllowZero => {
                    options.allow_zero = is_on;
                    let value = if is_on { "yes" } else { "no" };
                    told.settings.push(("zdefs".into(), Some(value.into())));
                }
                CompilerOption::AllowEmpty => options.allow_empty = is_on,
                CompilerOption::SurplusArgs => options.surplus_args = is_on,
                CompilerOption::NoLibraries if is_on => {
                    options.libraries = library::Libraries::default();
                }
                // `DefaultArgs` was read before everything else; `nolibs=no` changes nothing.
                CompilerOption::DefaultArgs | CompilerOption::NoLibraries => {}
            },
            Ok(Control::Least(amin)) => options.amin = Some(amin),
            Ok(Control::Setting(name, value)) => told.settings.push((name, value)),
            Ok(Control::Ignored(name, why)) => {
                let message = format!("option {name} changes nothing: {why}");
                told.notes.push(Diagnostic::new(Tag::PragmaOptset, *span, message));
            }
            Ok(Control::DependsOn(kind, name)) => {
                told.complaints.extend(missing(kind, &name, world, &options.libraries, *span));
            }
            Ok(Control::About(..) | Control::Nothing) => {}
            Err(d) => told.complaints.push(d),
        }
    }
}

/// Returns a complaint if a pragma is about a name that the program does not define.
fn not_own(about: &About, span: source::Span, names: &Names) -> Option<Diagnostic> {
    let (word, name) = (about.word, &about.name);
    let is_provider = about.part.is_some();
    let is_own = match is_provider {
        true => names.providers.contains_key(name),
        false => names.values().any(|n| n == *name) || names.typedefs.contains_key(name),
    };
    if is_own {
        return None;
    }
    let is_other = vocabulary::builtin(name).is_some() || vocabulary::is_function(name);
    let (tag, why) = match is_other && !is_provider {
        true => (Tag::PragmaScope, "is D's own, its attributes cannot be changed"),
        false if is_provider => (Tag::PragmaUnused, "is no provider of this program"),
        false => (Tag::PragmaUnused, "is not defined by this program"),
    };
    let message = format!("#pragma D {word}: {name} {why}");
    Some(Diagnostic::new(tag, span, message).label("has nothing to be about"))
}

/// Returns a complaint if the library, module or provider does not exist.
fn missing(
    kind: Dependence,
    name: &str,
    world: &dyn World,
    libraries: &library::Libraries,
    span: source::Span,
) -> Option<Diagnostic> {
    let (what, is_there, hint) = match kind {
        Dependence::Library => ("library", libraries.has(name), "-L adds directories of libraries"),
        Dependence::Module => ("module", world.has_module(name), "load it first: modprobe"),
        Dependence::Provider => {
            let is_there = world.matches(&ProbePattern::new(name, "", "", "")).count > 0;
            ("provider", is_there, "dtrace -l lists the probes of all providers")
        }
    };
    let message = format!("program requires {what} {name}, which is not there");
    (!is_there).then(|| {
        Diagnostic::new(Tag::PragmaDepend, span, message).label("is not satisfied").hint(hint)
    })
}

/// Returns a complaint about an unused argument, which is most likely a mistake.
fn unused_argument(options: &Options, used: &[usize], source: &Source) -> Option<Diagnostic> {
    let (n, text) = options.args.iter().enumerate().skip(1).find(|(n, _)| !used.contains(n))?;
    let message = format!("extraneous argument '{text}' (${n} is not referenced)");
    let end = source.text.trim_end().len();
    let end = source::Span::new(end, end);
    let mut d = Diagnostic::new(Tag::MacroUnused, end, message)
        .hint("use it in the program, or allow it with -x argref");
    d.is_bare = true;
    Some(d)
}

fn aggregation(a: &names::Agg, strsize: u32) -> Aggregation {
    let func: AggFunc = a.func;
    let keys = a.keys.iter().map(|k| ValueType::of_type(k, strsize)).collect();
    let key_names = a.key_names.clone();
    Aggregation { number: a.number, name: a.name.clone(), func, keys, key_names }
}

/// Compiles a single program.
pub fn compile(source: &Source, world: &dyn World, options: &Options) -> Compiled {
    Compiler::new(options.clone()).compile(source, world)
}
