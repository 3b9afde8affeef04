// SPDX-License-Identifier: GPL-2.0
//! The command line. Its options are the classic ones. The order of `-n -P -m -f -i -s` and of `-x`
//! matters, so the indices of clap are read as well as its values.

use clap::{value_parser, Arg, ArgAction, ArgMatches, Command};
use d::SpecKind;
use std::ffi::OsString;

/// A D program as the command line gives it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Spec {
    /// `-n`, `-P`, `-m`, `-f` or `-i`.
    Text(SpecKind, String),
    /// `-s`.
    Script(String),
}

impl Spec {
    /// Returns the beginning of "matched" messages: `description 'SPEC'`.
    pub fn title(&self) -> String {
        match self {
            Self::Text(..) => format!("description '{}'", self.name()),
            Self::Script(_) => format!("script '{}'", self.name()),
        }
    }

    /// Returns the name in messages about the run: the file, or the text up to the first predicate
    /// or body.
    pub fn name(&self) -> &str {
        match self {
            Self::Text(_, text) => text.split(['{', '/', ';']).next().unwrap_or(text),
            Self::Script(file) => file,
        }
    }

    /// Returns the text or the file as given.
    pub fn text(&self) -> &str {
        match self {
            Self::Text(_, text) => text,
            Self::Script(file) => file,
        }
    }
}

/// `-x name[=value]`, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting {
    pub name: String,
    pub value: Option<String>,
}

/// The whole command line.
#[derive(Debug, Clone, Default)]
pub struct Args {
    pub specs: Vec<Spec>,
    pub settings: Vec<Setting>,
    pub list: bool,
    pub compile_only: bool,
    pub disassemble: bool,
    pub verbose: bool,
    pub version: bool,
    /// `--doctor`.
    pub doctor: bool,
    /// `--render`.
    pub render: bool,
    /// `--merge`.
    pub merge: bool,
    /// `--diff`.
    pub diff: bool,
    /// `-A`.
    pub anonymous: bool,
    /// `-h`.
    pub header: bool,
    /// `-G`.
    pub link: bool,
    /// `-32`, with `-h` or `-G`.
    pub is_narrow: bool,
    pub allow_zero: bool,
    pub output: Option<String>,
    /// Scripts that have been read already: name and text.
    pub scripts: Vec<(String, String)>,
    /// Directories of `-L`.
    pub libraries: Vec<String>,
    pub commands: Vec<String>,
    pub pids: Vec<u32>,
    /// `$1` and so on.
    pub operands: Vec<String>,
    /// `--tools`.
    pub tools: bool,
    /// The conditions for a tool's probes to exist.
    pub needs: Option<String>,
}

/// Returns the options, for parsing, for `--help` and for the completions.
pub fn command() -> Command {
    let text = |id: &'static str, short: char, name: &'static str, help: &'static str| {
        Arg::new(id)
            .short(short)
            .value_name(name)
            .help(help)
            .action(ArgAction::Append)
            .allow_hyphen_values(true)
    };
    let flag = |id: &'static str, short: char, help: &'static str| {
        Arg::new(id).short(short).help(help).action(ArgAction::SetTrue).overrides_with(id)
    };
    let long = |id: &'static str, help: &'static str| {
        Arg::new(id).long(id).help(help).action(ArgAction::SetTrue).overrides_with(id)
    };
    Command::new("dtrace")
        .about("Dynamic tracing for Linux")
        .override_usage(
            "dtrace [-aABCeFGhHlqSTvVwZ] [-b bufsz] [-c cmd] [-D name[=value]] [-I path] [-L dir] [-o output] \
             [-p pid] [-U name] [-x opt[=val]] [-X a|c|s|t] [-P|-m|-f|-n|-i spec] [-s script] [ args ... ]",
        )
        .disable_help_flag(true)
        .disable_version_flag(true)
        .arg(text("provider", 'P', "PROVIDER", "enable or list the probes of a provider"))
        .arg(text("module", 'm', "[P:]MODULE", "enable or list the probes in a module"))
        .arg(text("function", 'f', "[[P:]M:]FUNC", "enable or list the probes in a function"))
        .arg(text("name", 'n', "[[[P:]M:]F:]NAME", "enable or list probes by name, or run a D program"))
        .arg(text("id", 'i', "ID", "enable or list the probe with this id"))
        .arg(text("script", 's', "FILE", "run a D script, or list its probes"))
        .arg(text("set", 'x', "OPT[=VAL]", "set a compiler or run-time option"))
        .arg(text("bufsize", 'b', "SIZE", "set the size of the trace buffers (k, m, g)"))
        .arg(text("define", 'D', "NAME[=VALUE]", "with -C: define a macro"))
        .arg(text("undef", 'U', "NAME", "with -C: undefine a macro"))
        .arg(text("incdir", 'I', "DIR", "with -C: look for included files in a directory"))
        .arg(text("stdc", 'X', "a|c|s|t", "with -C: select the C that the preprocessor reads"))
        .arg(text("command", 'c', "CMD", "run a command and end when it does; $target is its pid"))
        .arg(text("library", 'L', "DIR", "also read the D libraries in DIR"))
        .arg(text("output", 'o', "FILE", "append the output to a file"))
        .arg(
            Arg::new("pid")
                .short('p')
                .value_name("PID")
                .help("end when this process does; $target is its pid")
                .value_parser(value_parser!(u32).range(1..))
                .action(ArgAction::Append),
        )
        .arg(flag("anonymous", 'A', "save a program to run when the module loads, or remove the saved one"))
        .arg(flag("claim", 'a', "print the data of the saved program and continue its tracing"))
        .arg(flag("buffered", 'B', "write output a buffer at a time (the default)"))
        .arg(flag("cpp", 'C', "run the C preprocessor over the program"))
        .arg(flag("cpphdrs", 'H', "with -C: list included files on stderr"))
        .arg(flag("compile", 'e', "compile the program and do not run it"))
        .arg(flag("flow", 'F', "indent by entry and return"))
        .arg(flag("link", 'G', "make the object to link into a program with probes"))
        .arg(flag("header", 'h', "write the C header of the providers that a script declares"))
        .arg(flag("list", 'l', "list probes"))
        .arg(flag("live", 'T', "show the program live on the terminal: the same as -x view=live"))
        .arg(flag("quiet", 'q', "print only the output of the program"))
        .arg(flag("disassemble", 'S', "list the compiled program on stderr"))
        .arg(flag("verbose", 'v', "print stability; with -l: also arguments; with -S: the most steps of each object"))
        .arg(flag("version", 'V', "print the version of the D language and of the module"))
        .arg(flag("destructive", 'w', "allow destructive actions"))
        .arg(flag("zero", 'Z', "allow descriptions that match no probe"))
        .arg(long("doctor", "tell whether this machine can trace, and what is missing"))
        .arg(long("render", "draw a recorded stream of -x oformat=json in the form of -x oformat"))
        .arg(long("merge", "add up the recorded streams of several machines"))
        .arg(long("tools", "list the ready tools; `dtrace --tool NAME` runs one"))
        .arg(long("diff", "draw a page of what changed from one recorded stream to another"))
        .arg(Arg::new("help").long("help").help("print this text").action(ArgAction::Help))
        .arg(
            Arg::new("operand")
                .value_name("args")
                .help("arguments of the program: $1, $2, ...")
                .action(ArgAction::Append)
                .num_args(0..)
                .allow_negative_numbers(true),
        )
}

/// Returns values with their places on the command line.
fn placed<'a>(m: &'a ArgMatches, id: &str) -> impl Iterator<Item = (usize, &'a String)> {
    let indices = m.indices_of(id).into_iter().flatten();
    indices.zip(m.get_many::<String>(id).into_iter().flatten())
}

/// Removes `-64` and `-32` in front of the program; behind it they are the program's arguments.
/// Also returns whether `-32` was given.
fn without_model(words: impl IntoIterator<Item = OsString>) -> (Vec<OsString>, bool) {
    let (mut is_narrow, mut is_before) = (false, true);
    let is_kept = |word: &OsString| {
        let text = word.to_string_lossy();
        let flags = text.strip_prefix('-').unwrap_or("");
        is_before &= !flags.contains(['n', 's', 'P', 'm', 'f', 'i']);
        is_narrow |= is_before && text == "-32";
        !(is_before && matches!(&*text, "-32" | "-64"))
    };
    (words.into_iter().filter(is_kept).collect(), is_narrow)
}

/// Reads a command line, with the program name first.
pub fn parse(words: impl IntoIterator<Item = OsString>) -> Result<Args, clap::Error> {
    let (words, is_narrow) = without_model(words);
    let m = command().try_get_matches_from(words)?;
    if is_narrow && !m.get_flag("header") && !m.get_flag("link") {
        let why = "-32 is for -h and -G: D has the types of the kernel, which has 64 bits";
        return Err(command().error(clap::error::ErrorKind::InvalidValue, why));
    }
    let mut specs = Vec::new();
    for (id, kind) in [
        ("provider", SpecKind::Provider),
        ("module", SpecKind::Module),
        ("function", SpecKind::Function),
        ("name", SpecKind::Name),
        ("id", SpecKind::Id),
    ] {
        specs.extend(placed(&m, id).map(|(at, text)| (at, Spec::Text(kind, text.clone()))));
    }
    specs.extend(placed(&m, "script").map(|(at, file)| (at, Spec::Script(file.clone()))));
    specs.sort_by_key(|s| s.0);

    let mut settings: Vec<(usize, Setting)> = placed(&m, "set")
        .map(|(at, text)| {
            let (name, value) = match text.split_once('=') {
                Some((name, value)) => (name, Some(value.to_string())),
                None => (text.as_str(), None),
            };
            (at, Setting { name: name.to_string(), value })
        })
        .collect();
    for name in ["bufsize", "define", "undef", "incdir", "stdc"] {
        let value = |v: &String| Setting { name: name.into(), value: Some(v.clone()) };
        settings.extend(placed(&m, name).map(|(at, v)| (at, value(v))));
    }
    for (id, name) in [
        ("flow", "flowindent"),
        ("quiet", "quiet"),
        ("destructive", "destructive"),
        ("cpp", "cpp"),
        ("cpphdrs", "cpphdrs"),
        ("claim", "grabanon"),
    ] {
        if m.get_flag(id) {
            let at = m.index_of(id).unwrap_or(0);
            settings.push((at, Setting { name: name.into(), value: None }));
        }
    }
    if m.get_flag("live") {
        let (name, value) = ("view".into(), Some("live".into()));
        settings.push((m.index_of("live").unwrap_or(0), Setting { name, value }));
    }
    settings.sort_by_key(|s| s.0);

    let strings = |id: &str| -> Vec<String> {
        m.get_many::<String>(id).into_iter().flatten().cloned().collect()
    };
    Ok(Args {
        specs: specs.into_iter().map(|s| s.1).collect(),
        settings: settings.into_iter().map(|s| s.1).collect(),
        list: m.get_flag("list"),
        compile_only: m.get_flag("compile"),
        disassemble: m.get_flag("disassemble"),
        verbose: m.get_flag("verbose"),
        version: m.get_flag("version"),
        doctor: m.get_flag("doctor"),
        render: m.get_flag("render"),
        merge: m.get_flag("merge"),
        diff: m.get_flag("diff"),
        anonymous: m.get_flag("anonymous"),
        header: m.get_flag("header"),
        is_narrow,
        link: m.get_flag("link"),
        scripts: Vec::new(),
        allow_zero: m.get_flag("zero"),
        output: strings("output").pop(),
        libraries: strings("library"),
        commands: strings("command"),
        pids: m.get_many::<u32>("pid").into_iter().flatten().copied().collect(),
        operands: strings("operand"),
        tools: m.get_flag("tools"),
        needs: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(words: &[&str]) -> Args {
        parse(["dtrace"].iter().chain(words).map(Into::into)).unwrap()
    }

    #[test]
    fn order_is_kept() {
        let a = args(&["-n", "a", "-s", "f", "x", "-P", "p", "-i", "3", "-5", "-n", "-b"]);
        let text = |k, t: &str| Spec::Text(k, t.into());
        assert_eq!(
            a.specs,
            [
                text(SpecKind::Name, "a"),
                Spec::Script("f".into()),
                text(SpecKind::Provider, "p"),
                text(SpecKind::Id, "3"),
                text(SpecKind::Name, "-b"),
            ]
        );
        assert_eq!(a.operands, ["x", "-5"]);
    }

    #[test]
    fn data_models_stand_before_the_program() {
        let a = args(&["-64", "-q", "-n", "a", "-64"]);
        assert_eq!((a.specs.len(), a.settings.len()), (1, 1));
        assert_eq!(a.operands, ["-64"]);
        assert!(args(&["-32", "-h", "-s", "f"]).header);
        assert!(parse(["dtrace", "-32", "-n", "a"].map(Into::into)).is_err());
        assert!(args(&["-32", "-G", "-s", "f"]).is_narrow);
    }

    #[test]
    fn shebang_lines_and_joined_values() {
        let a = args(&["-qs", "file.d", "one"]);
        assert_eq!(a.specs, [Spec::Script("file.d".into())]);
        assert_eq!(a.settings.len(), 1);
        let a = args(&["-xquiet", "-b4k", "-x", "bufsize=8k", "-nBEGIN", "-qq"]);
        let names: Vec<&str> = a.settings.iter().map(|s| s.name.as_str()).collect();
        assert_eq!(names, ["quiet", "bufsize", "bufsize", "quiet"]);
        assert_eq!(a.settings[2].value.as_deref(), Some("8k"));
    }

    #[test]
    fn names_are_cropped_for_reporting() {
        let a = args(&["-n", "a:::b /x/ { exit(0); }", "-P", "p", "-s", "dir/f.d"]);
        let titles: Vec<String> = a.specs.iter().map(Spec::title).collect();
        assert_eq!(titles, ["description 'a:::b '", "description 'p'", "script 'dir/f.d'"]);
    }

    #[test]
    fn the_manual_has_every_option() {
        let manual = include_str!("../../../docs/dtrace.md");
        for arg in command().get_arguments().filter(|a| !a.is_positional()) {
            match arg.get_short() {
                Some(c) => {
                    let row = manual.lines().find(|l| l.starts_with(&format!("| `-{c}")));
                    let row = row.unwrap_or_else(|| panic!("-{c} is not in the manual"));
                    assert_eq!(row.contains(&format!("`-{c}`")), !arg.get_action().takes_values());
                }
                None => {
                    let name = arg.get_long().unwrap();
                    assert!(manual.contains(&format!("| `--{name}` |")), "--{name}");
                }
            }
        }
    }

    #[test]
    fn what_makes_no_sense() {
        assert!(parse(["dtrace", "-p", "0"].map(Into::into)).is_err());
        assert!(parse(["dtrace", "-K"].map(Into::into)).is_err());
    }
}
