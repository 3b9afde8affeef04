// SPDX-License-Identifier: GPL-2.0
//! The dtrace command: reads the command line, chooses a mode, turns failures into messages and
//! exit codes (0 success, 1 failure, 2 usage, N for `exit(N)`).
#![forbid(unsafe_code)]
#![warn(clippy::too_many_lines)]
// They panic if the stream is closed or its disk is full.
#![cfg_attr(not(test), deny(clippy::print_stderr, clippy::print_stdout))]
#![deny(clippy::unwrap_used, clippy::expect_used)]
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used))]

mod args;
mod busy;
mod compile;
mod cpp;
mod form;
mod group;
mod headers;
mod mode;
mod paint;
mod screen;
mod settings;
mod text;

use abi::option::OptionId;
use args::Args;
use busy::message;
use consumer::{Error, Failure};
use std::io::Write as _;
use std::process::ExitCode;

/// The reasons for which a run ends early.
pub(crate) enum Stop {
    /// A failure to report; exit 1.
    Failed(Failure),
    /// A failure that was reported; exit 1.
    Told,
    /// A command line that makes no sense; exit 2.
    Usage(String),
}

impl<E: Into<Failure>> From<E> for Stop {
    fn from(e: E) -> Self {
        Self::Failed(e.into())
    }
}

fn main() -> ExitCode {
    group::hand_over();
    // The words behind --tool belong to the tool.
    let words: Vec<_> = std::env::args_os().collect();
    if let Some((name, rest)) = mode::tool::asked(&words) {
        let status = mode::tool::run(&name, rest).and_then(|args| match args {
            Some(args) => run(&args),
            None => Ok(0),
        });
        return code(status);
    }
    let args = match args::parse(words) {
        Ok(args) => args,
        Err(e) => {
            if !e.use_stderr() {
                let _ = e.print();
                return ExitCode::SUCCESS;
            }
            let text = e.to_string();
            let text = text.strip_prefix("error: ").unwrap_or(&text).trim_end_matches('\n');
            message(format_args!("dtrace: {text}"));
            return ExitCode::from(2);
        }
    };
    code(run(&args))
}

/// Turns the end of a run into messages and an exit code.
fn code(end: Result<i32, Stop>) -> ExitCode {
    match end {
        // CAST: the exit status of a process has 8 bits.
        Ok(status) => ExitCode::from(status as u8),
        Err(Stop::Told) => ExitCode::from(1),
        Err(Stop::Usage(text)) => {
            let text = format!("{text}\n{}", args::command().render_usage());
            message(format_args!("dtrace: {}", plaintext::clean_lines(&text)));
            ExitCode::from(2)
        }
        Err(Stop::Failed(Failure::Error(e))) => {
            // It may quote what another machine has sent.
            message(format_args!("dtrace: {}", plaintext::clean_lines(&e.to_string())));
            ExitCode::from(1)
        }
        Err(Stop::Failed(Failure::OutputClosed)) => ExitCode::SUCCESS,
    }
}

fn run(args: &Args) -> Result<i32, Stop> {
    let modes = [
        (args.anonymous, "-A"),
        (args.link, "-G"),
        (args.header, "-h"),
        (args.list, "-l"),
        (args.version, "-V"),
        (args.doctor, "--doctor"),
        (args.render, "--render"),
        (args.merge, "--merge"),
        (args.diff, "--diff"),
    ];
    let mut given = modes.iter().filter(|m| m.0).map(|m| m.1);
    if let (Some(one), Some(other)) = (given.next(), given.next()) {
        return Err(Stop::Usage(format!("{one} and {other} exclude each other")));
    }
    if args.version {
        return version();
    }
    if args.tools {
        return mode::tool::list();
    }
    let mut settings = settings::read(&args.settings)?;
    if let Some(tag) = &settings.explain {
        return explain(tag);
    }
    if args.render || args.merge || args.diff {
        return mode::recorded::run(args, &settings);
    }
    if let Some(form) = settings.form.filter(|f| f.is_drawn() && (args.list || args.doctor)) {
        let why = "is drawn from what a program recorded; lists are text or JSON";
        return Err(Stop::Usage(format!("-x oformat={} {why}", form.name)));
    }
    if args.doctor {
        return mode::told(args, settings, mode::doctor::run);
    }
    let claims = settings.get(OptionId::Grabanon) == 1;
    let has_target = !args.commands.is_empty() || !args.pids.is_empty();
    let odd = match (claims, args.anonymous) {
        (true, true) => Some("-a and -A exclude each other"),
        (true, _) if args.list => Some("-a cannot be used with -l"),
        (true, _) if !args.specs.is_empty() => {
            Some("-a uses the program that -A saved, and takes no other")
        }
        (true, _) | (_, true) if has_target => Some("anonymous tracing cannot use -c or -p"),
        _ => None,
    };
    if let Some(why) = odd {
        return Err(Stop::Usage(why.into()));
    }
    if args.header || args.link {
        return mode::usdt::run(args, &settings);
    }
    if args.anonymous {
        return mode::anonymous::leave(args, settings);
    }
    if !args.list && !args.compile_only {
        settings.open_view(args.output.is_some())?;
    }
    if claims {
        return mode::told(args, settings, mode::anonymous::claim);
    }
    if args.specs.is_empty() && !args.list {
        return match std::env::args_os().len() {
            1 => Err(Stop::Usage("nothing to do; `dtrace --help` lists the options".into())),
            _ => Err(Error::new("", "no probes specified").into()),
        };
    }
    match args.list {
        true => mode::told(args, settings, mode::list::run),
        false => mode::told(args, settings, mode::run::run),
    }
}

/// Prints the page about a tag, for `-x explain`.
fn explain(name: &str) -> Result<i32, Stop> {
    let name = name.trim_matches(['[', ']']).to_ascii_uppercase();
    let mut out = std::io::stdout();
    if let Some(tag) = d::Tag::from_name(&name) {
        out.write_all(tag.page().as_bytes()).map_err(Failure::from)?;
        return Ok(0);
    }
    if let Some((name, why)) = d::diag::tag::NOT_GIVEN.iter().find(|t| t.0 == name) {
        writeln!(out, "# {name}: not used by this compiler\n\n{why}").map_err(Failure::from)?;
        return Ok(0);
    }
    let names = d::Tag::ALL.iter().map(|t| t.name().to_string());
    let near =
        d::diag::did_you_mean(&name, names).map_or(String::new(), |near| format!("; {near}"));
    Err(Error::new("", format!("failed to explain {name}: there is no such tag{near}")).into())
}

fn version() -> Result<i32, Stop> {
    let mut out = std::io::stdout();
    // Scripts test this number.
    let language = d::option::VERSION;
    writeln!(out, "dtrace: dtrace-rs D {language}").map_err(Failure::from)?;
    let ours = env!("CARGO_PKG_VERSION");
    let loaded = match std::fs::read_to_string("/sys/module/dtrace/version") {
        Ok(version) => format!("module {} loaded", version.trim()),
        Err(_) if std::path::Path::new("/sys/module/dtrace").exists() => "module loaded".into(),
        Err(_) => "module not loaded".into(),
    };
    writeln!(out, "dtrace: command {ours}, {loaded}").map_err(Failure::from)?;
    if let Some(sentence) = doctor::mismatch(std::path::Path::new("/"), ours) {
        let text = format!("{sentence}: {}", doctor::RELOAD);
        return Err(Error::new("", text).into());
    }
    Ok(0)
}
