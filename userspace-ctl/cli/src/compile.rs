// SPDX-License-Identifier: GPL-2.0
//! Turns the command line into programs: reads, compiles, complains.

use crate::args::{Args, Spec};
use crate::busy::{busy, message};
use crate::cpp::Cpp;
use crate::settings::Settings;
use crate::Stop;
use abi::option::OptionId;
use consumer::error::reason;
use consumer::print::json::Line;
use consumer::process::Target;
use consumer::user::ProcessProbes;
use consumer::world::{self, KernelWorld, Prepare};
use consumer::{sys, Error, Failure, Kernel};
use d::{Compiler, Diagnostic, Program, Source, Tag};
use std::io::IsTerminal as _;

/// Compiles all programs of the command line, in order, with shared variables.
pub fn all<W: Prepare>(
    args: &Args,
    settings: &Settings,
    target: Option<u32>,
    world: &mut W,
) -> Result<Vec<Program>, Stop> {
    let script = args.specs.iter().find(|s| matches!(s, Spec::Script(_)));
    let name = script.map_or("dtrace", |s| s.text());
    let operands = std::iter::once(name.to_string()).chain(args.operands.iter().cloned());
    let options = d::Options {
        args: operands.collect(),
        target,
        identity: sys::identity(),
        allow_zero: args.allow_zero || settings.zdefs,
        is_dry: args.compile_only,
        allow_empty: settings.empty,
        default_args: settings.defaultargs,
        libraries: libraries(args, settings)?,
        surplus_args: settings.argref,
        strsize: u32::try_from(settings.get(OptionId::Strsize)).unwrap_or(256),
        amin: settings.amin,
        is_weighed: args.verbose,
        threads: settings.threads,
    };
    settings.notes.iter().for_each(|note| say(&format!("note: {note}")));
    let mut compiler = Compiler::new(options.clone());
    let mut programs = Vec::new();
    for (n, spec) in args.specs.iter().enumerate() {
        let source = source(spec, args, &settings.cpp)?;
        let is_tree = |line: &str| {
            let words: Vec<&str> = line.split_whitespace().collect();
            matches!(words.as_slice(), ["#pragma", "D", "option", set] if set.split('=').next() == Some("tree"))
        };
        if settings.tree || source.text.lines().any(is_tree) {
            let tree = d::show::tree(&source, &options, world);
            message(tree.trim_end_matches('\n'));
        }
        // All programs have the same arguments, so only the last one reports those that no program
        // uses.
        compiler.options.surplus_args = settings.argref || n + 1 < args.specs.len();
        let compiled = world::compile(&mut compiler, &source, world);
        match compiled.program {
            Some(program) => {
                compiled.notes.iter().for_each(|n| say(&format!("note: {}", n.message)));
                programs.push(program);
            }
            None => {
                let is_set = |s: &(String, Option<String>)| {
                    s.0 == "errtags" && d::option::flag(s.1.as_deref()) == Some(true)
                };
                let errtags = settings.errtags || compiled.settings.iter().any(is_set);
                let has_colours = settings.colours.is_on(std::io::stderr().is_terminal());
                complain(spec, &source, &compiled.diagnostics, errtags, has_colours);
                let is_missing = compiled.diagnostics.iter().any(|d| d.tag == Tag::PdescZero);
                if let Some(needs) = args.needs.as_ref().filter(|_| is_missing) {
                    message(format_args!("  = note: {needs}"));
                }
                if settings.is_json() {
                    // The messages say it too, and the status stays that of the failure.
                    let _ = tell(args, settings, &compiled.diagnostics);
                }
                return Err(Stop::Told);
            }
        }
    }
    Ok(programs)
}

/// Returns the libraries of `-L` and `-x libdir`, then the system's: the built-in ones, unless
/// another directory has them.
pub fn libraries(args: &Args, settings: &Settings) -> Result<d::library::Libraries, Error> {
    let own = args.libraries.iter().chain(&settings.libraries);
    let system = settings.system_libraries.iter().filter(|_| !settings.nolibs);
    let directories: Vec<String> = own.chain(system).cloned().collect();
    let with_built_in = settings.system_libraries.is_none() && !settings.nolibs;
    consumer::library::all(&directories, with_built_in)
}

/// Compiles all programs against the existing probes; also returns the probes that they want in
/// processes.
pub fn for_kernel(
    args: &Args,
    settings: &Settings,
    targets: &[Target],
    kernel: &mut dyn Kernel,
) -> Result<(Vec<Program>, ProcessProbes), Stop> {
    let commands = targets.iter().filter(|t| t.is_ours()).map(Target::pid);
    let commands: Vec<u32> = commands.collect();
    let _busy = busy(match commands.is_empty() {
        true => "compiling and looking for probes",
        false => "waiting for the command's libraries, compiling and looking for probes",
    });
    let process_probes = ProcessProbes::starting(commands, settings.evaltime);
    let mut world = KernelWorld::new(kernel).with_process_probes(process_probes);
    let first = args.pids.first().copied().or_else(|| targets.first().map(Target::pid));
    let programs = all(args, settings, first, &mut world);
    let mut process_probes = world.into_process_probes();
    process_probes.take_told().iter().for_each(|line| say(line));
    Ok((programs?, process_probes))
}

fn say(text: &str) {
    message(format_args!("dtrace: {text}"));
}

/// Returns the text of a program; a script may have been read already.
pub fn source(spec: &Spec, args: &Args, cpp: &Cpp) -> Result<Source, Stop> {
    if let Some((file, text)) =
        args.scripts.iter().find(|(file, _)| *spec == Spec::Script(file.clone()))
    {
        return Ok(Source::script(file.clone(), text.clone()));
    }
    match spec {
        Spec::Text(kind, text) if cpp.is_on => {
            Ok(Source::spec(*kind, characters(cpp.run("command line", text.as_bytes())?)))
        }
        Spec::Text(kind, text) => Ok(Source::spec(*kind, text.clone())),
        Spec::Script(file) => {
            let bytes = match file.as_str() {
                "-" => {
                    let mut bytes = Vec::new();
                    std::io::Read::read_to_end(&mut std::io::stdin(), &mut bytes).map(|_| bytes)
                }
                _ => named::read(file),
            };
            let bytes =
                bytes.map_err(|e| Error::new(format!("failed to open {file}"), reason(&e)))?;
            let bytes = if cpp.is_on { cpp.run(file, &bytes)? } else { bytes };
            Ok(Source::script(file.clone(), characters(bytes)))
        }
    }
}

/// Decodes a program. D is ASCII except in strings and comments; Latin-1 keeps the place of every
/// byte.
fn characters(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes)
        .unwrap_or_else(|e| e.into_bytes().into_iter().map(char::from).collect())
}

/// Writes diagnostics as lines of JSON.
fn tell(args: &Args, settings: &Settings, diagnostics: &[Diagnostic]) -> Result<(), Failure> {
    let mut lines = Vec::new();
    for d in diagnostics {
        let (tag, help) = (Some(d.tag.name()), d.hint.as_deref());
        lines.push(Line::Error { text: &d.message, tag, line: Some(d.line), help });
    }
    crate::mode::tell(args, settings, &lines)
}

/// Prints the classic line, the source with the blamed text, then the other complaints.
fn complain(spec: &Spec, source: &Source, diagnostics: &[Diagnostic], errtags: bool, colour: bool) {
    let what = match spec {
        Spec::Text(_, text) => format!("invalid probe specifier {text}"),
        Spec::Script(file) => format!("failed to compile script {file}"),
    };
    let Some(first) = diagnostics.first() else {
        return say(&format!("{what}: the compiler gave neither a program nor a reason"));
    };
    say(&format!("{what}: {}", first.headline(source, errtags)));
    message(d::diag::render::excerpt(first, source, colour));
    for diagnostic in diagnostics.iter().skip(1) {
        message(match colour {
            true => d::diag::render::render_coloured(diagnostic, source, errtags),
            false => d::diag::render::render(diagnostic, source, errtags),
        });
    }
}
