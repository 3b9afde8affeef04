// SPDX-License-Identifier: GPL-2.0
//! Control lines: `#pragma D option x=y`, `#pragma D attributes`, `#!`, `#line`.

use crate::diag::{did_you_mean, Diagnostic, Tag};
use crate::option;
use crate::source::{Source, Span};
use abi::option::OptionId;
use abi::stability::{Attributes, ProviderAttributes};

/// Options that only the compiler reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CompilerOption {
    /// `zdefs`: same as `-Z`.
    AllowZero,
    /// `empty`.
    AllowEmpty,
    /// `defaultargs`.
    DefaultArgs,
    /// `argref`: the program may leave arguments unused.
    SurplusArgs,
    /// `nolibs`: the compiler reads no library.
    NoLibraries,
}

/// The meaning of a control line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Control {
    /// A run-time option.
    Option(OptionId, u64),
    /// An option of the compiler, and whether it is on.
    Compiler(CompilerOption, bool),
    /// `amin`.
    Least(Attributes),
    /// An option of the command: name and value.
    Setting(String, Option<String>),
    /// An option without effect, and why.
    Ignored(String, String),
    /// `depends_on`: a library, module or provider of this name must exist.
    DependsOn(Dependence, String),
    /// `attributes`, `binding`.
    About(About),
    /// Nothing that concerns the compiler.
    Nothing,
}

/// A promise about a name that the program defines, or about a part of a provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct About {
    /// `attributes` or `binding`.
    pub word: &'static str,
    /// The name.
    pub name: String,
    /// For a provider: the index in [`ProviderAttributes::PARTS`].
    pub part: Option<usize>,
    /// The promised stability.
    pub attributes: Option<Attributes>,
}

/// Returns all promises in a source, with their places.
pub fn abouts(source: &Source, lines: &[Span]) -> Vec<(About, Span)> {
    let read = |span: &Span| match control(source.slice(*span), *span) {
        Ok(Control::About(about)) => Some((about, *span)),
        _ => None,
    };
    lines.iter().filter_map(read).collect()
}

/// The kind of thing that a program can depend on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dependence {
    /// A D library.
    Library,
    /// A kernel module.
    Module,
    /// A provider.
    Provider,
}

/// Reads a control line.
pub fn control(text: &str, span: Span) -> Result<Control, Diagnostic> {
    let body = text.strip_prefix('#').unwrap_or(text);
    if body.starts_with('!') {
        return Ok(Control::Nothing);
    }
    // A comment may follow.
    let body = body.split("/*").next().unwrap_or("").split(" //").next().unwrap_or("");
    let mut words = body.split_whitespace();
    match words.next() {
        None => Ok(Control::Nothing),
        Some("pragma") => pragma(&words.collect::<Vec<_>>(), span),
        Some("error") => {
            let rest: Vec<&str> = words.collect();
            Err(Diagnostic::new(Tag::PragErr, span, format!("#error: {}", rest.join(" "))))
        }
        Some("line" | "ident" | "sccs") => Ok(Control::Nothing),
        Some(n) if n.bytes().all(|b| b.is_ascii_digit()) => Ok(Control::Nothing),
        Some(other) => {
            let message = format!("invalid control directive: #{other}");
            let d = Diagnostic::new(Tag::PragctlInval, span, message)
                .label("expected #pragma, #error or #line");
            Err(match other {
                "include" | "define" | "if" | "ifdef" | "ifndef" | "endif" | "undef" | "else" => {
                    d.hint("dtrace -C runs the preprocessor over the program")
                }
                _ => d,
            })
        }
    }
}

fn pragma(words: &[&str], span: Span) -> Result<Control, Diagnostic> {
    let malformed = |message: String| Diagnostic::new(Tag::PragmaMalform, span, message);
    match words {
        ["D", "option", setting] => set_option(setting, span),
        ["D", "option", ..] => {
            Err(malformed("superfluous or missing arguments specified for #pragma D option".into())
                .label("expected `#pragma D option name` or `name=value`, without blanks"))
        }
        ["D", "attributes", attributes, about @ ..] if !about.is_empty() => {
            promised(attributes, about, span)
        }
        ["D", "binding", version, name] => binding(version, name, span),
        ["D", "depends_on", kind, name] => {
            let kind = match *kind {
                "library" => Dependence::Library,
                "module" => Dependence::Module,
                "provider" => Dependence::Provider,
                other => {
                    let message =
                        format!("invalid class specified by #pragma D depends_on: {other}");
                    return Err(malformed(message).label("expected library, module or provider"));
                }
            };
            Ok(Control::DependsOn(kind, (*name).into()))
        }
        ["D", word @ ("attributes" | "binding" | "depends_on"), ..] => {
            Err(malformed(format!("malformed #pragma D {word}")).label(match *word {
                "depends_on" => "expected `depends_on library|module|provider name`",
                "binding" => "expected `binding \"version\" name`",
                _ => "expected `attributes name/data/dependency name`",
            }))
        }
        ["error", rest @ ..] | ["D", "error", rest @ ..] => {
            Err(Diagnostic::new(Tag::PragErr, span, format!("#error: {}", rest.join(" "))))
        }
        ["D", "line", ..] => Ok(Control::Nothing),
        ["D", other, ..] => {
            let names = ["option", "attributes", "binding", "depends_on", "error", "line"];
            let message = format!("invalid #pragma D {other}");
            let mut d = Diagnostic::new(Tag::PragmaInval, span, message);
            d.hint = did_you_mean(other, names.map(String::from));
            Err(d.note(format!("there are {}", names.join(", "))))
        }
        ["D"] => Err(malformed("malformed #pragma D".into())),
        // Pragmas for other tools (ident, once ..) do not concern the compiler.
        _ => Ok(Control::Nothing),
    }
}

fn promised(attributes: &str, about: &[&str], span: Span) -> Result<Control, Diagnostic> {
    let malformed = |message: String| Diagnostic::new(Tag::PragmaMalform, span, message);
    let promised = Attributes::from_text(attributes);
    if promised.is_none() {
        let message = format!("invalid attributes specified by #pragma D attributes: {attributes}");
        return Err(malformed(message).label("expected such as Stable/Evolving/Common"));
    }
    let parts = ProviderAttributes::PARTS;
    let found = match about {
        [name] => Some((*name, None)),
        ["provider", name, word] => {
            parts.iter().position(|part| part == word).map(|part| (*name, Some(part)))
        }
        _ => None,
    };
    let Some((name, part)) = found else {
        return Err(malformed("malformed #pragma D attributes".into()).label(format!(
            "expected a name, or `provider name` and one of {}",
            parts.join(", ")
        )));
    };
    let (word, name) = ("attributes", name.into());
    Ok(Control::About(About { word, name, part, attributes: promised }))
}

fn binding(version: &str, name: &str, span: Span) -> Result<Control, Diagnostic> {
    let malformed = |message: String| Diagnostic::new(Tag::PragmaMalform, span, message);
    let inner = version.strip_prefix('"').and_then(|v| v.strip_suffix('"'));
    let is_version = inner.is_some_and(|v| {
        let parts: Vec<&str> = v.split('.').collect();
        matches!(parts.len(), 2 | 3) && parts.iter().all(|p| p.parse::<u8>().is_ok())
    });
    match is_version {
        true => {
            let (word, name) = ("binding", name.into());
            Ok(Control::About(About { word, name, part: None, attributes: None }))
        }
        false => {
            Err(malformed(format!("invalid version specified by #pragma D binding: {version}"))
                .label("expected a version such as \"1.6\", in quotes"))
        }
    }
}

fn set_option(setting: &str, span: Span) -> Result<Control, Diagnostic> {
    let (name, value) = match setting.split_once('=') {
        Some((name, value)) => (name, Some(value)),
        None => (setting, None),
    };
    let invalid = |why: &str| {
        let message = format!("failed to set option '{name}': Invalid value for specified option");
        Diagnostic::new(Tag::PragmaOptset, span, message).label(why.to_string())
    };
    let compiler = match name {
        "zdefs" => Some(CompilerOption::AllowZero),
        "empty" => Some(CompilerOption::AllowEmpty),
        "defaultargs" => Some(CompilerOption::DefaultArgs),
        "argref" => Some(CompilerOption::SurplusArgs),
        "nolibs" => Some(CompilerOption::NoLibraries),
        _ => None,
    };
    if let Some(c) = compiler {
        let is_on = option::flag(value).ok_or_else(|| invalid("expected yes or no"))?;
        return Ok(Control::Compiler(c, is_on));
    }
    match name {
        "amin" => {
            let least = value.and_then(Attributes::from_text);
            let least = least.ok_or_else(|| invalid("expected such as Evolving/Evolving/Common"));
            return least.map(Control::Least);
        }
        "version" if !value.is_some_and(option::is_version) => {
            let newest = format!("expected a version such as 1.0, {} at most", option::VERSION);
            return Err(invalid(&newest));
        }
        "errtags" | "droptags" if option::flag(value).is_none() => {
            return Err(invalid("expected yes or no"))
        }
        "encoding" if !matches!(value, Some("ascii" | "utf8")) => {
            return Err(invalid("expected ascii or utf8"))
        }
        _ if option::is_compile_time(name) => {
            return Ok(Control::Setting(name.into(), value.map(String::from)))
        }
        _ if option::is_of_command_line(name) => {
            let why = "it is read before the program is: set it on the command line, with -x";
            return Ok(Control::Ignored(name.into(), why.into()));
        }
        _ => {}
    }
    if let Some(why) = option::ignored(name) {
        return Ok(Control::Ignored(name.into(), why.into()));
    }
    let Some(id) = option::by_name(name) else {
        let message = format!("failed to set option '{name}': Invalid option name");
        let mut d = Diagnostic::new(Tag::PragmaOptset, span, message);
        d.hint = option::nearest(name).map(|near| format!("did you mean `{near}`?"));
        return Err(d);
    };
    match option::value(id, value) {
        Ok(v) => Ok(Control::Option(id, v)),
        Err(why) => Err(invalid(&why)),
    }
}
