// SPDX-License-Identifier: GPL-2.0
//! `--tool` and `--tools`: the ready tools, and scripts with a header like theirs.
//!
//! `#!/usr/sbin/dtrace --tool` makes such a script a command: its words become `$1`, `$2` as its
//! header says.

use crate::args::{Args, Setting, Spec};
use crate::Stop;
use consumer::error::reason;
use consumer::{Error, Failure};
use d::SpecKind;
use std::ffi::OsString;
use std::io::Write as _;
use toolbox::{header, words, Asked};

/// Returns the tool and its words, if the first word is --tool.
pub fn asked(all: &[OsString]) -> Option<(Option<String>, Vec<String>)> {
    let is_tool = all.get(1).is_some_and(|word| word == "--tool");
    let mut rest = all.iter().skip(2).map(|word| word.to_string_lossy().into_owned());
    is_tool.then(|| (rest.next(), rest.collect()))
}

/// Does `--tools`.
pub fn list() -> Result<i32, Stop> {
    std::io::stdout().write_all(toolbox::list().as_bytes()).map_err(Failure::from)?;
    Ok(0)
}

/// Returns the command line that a tool stands for; `None` if only its usage was wanted.
pub fn run(name: &Option<String>, given: Vec<String>) -> Result<Option<Args>, Stop> {
    let Some(name) = name else {
        return Err(Stop::Usage("--tool needs a tool; `dtrace --tools` lists them".into()));
    };
    // A word with a slash is a file, as the kernel names the script of a `#!` line.
    let text = match (name.contains('/'), toolbox::script(name)) {
        (false, Some(text)) => text.to_string(),
        (false, None) => {
            let names = toolbox::SCRIPTS.iter().map(|(name, _)| name.to_string());
            let near = d::diag::did_you_mean(name, names).unwrap_or_default();
            let why = "there is no such tool; `dtrace --tools` lists them";
            return Err(Error::new(format!("failed to run tool {name}"), why).hint(near).into());
        }
        (true, _) => named::read(name)
            .and_then(|bytes| String::from_utf8(bytes).map_err(std::io::Error::other))
            .map_err(|e| Error::new(format!("failed to open {name}"), reason(&e)))?,
    };
    let tool = header::parse(&text)
        .map_err(|why| Error::new(format!("failed to read the header of {name}"), why))?;
    let asked = words::parse(&tool, &given).map_err(|why| {
        let hint = format!("usage: {}", tool.synopsis());
        Error::new(tool.name.clone(), why).hint(hint)
    })?;
    let Asked::Run(run) = asked else {
        std::io::stdout().write_all(tool.usage().as_bytes()).map_err(Failure::from)?;
        return Ok(None);
    };
    let set = |name: &str, value: Option<&str>| Setting {
        name: name.into(),
        value: value.map(String::from),
    };
    // $target is 0 without a process, and a script need not use all of its arguments.
    let mut settings = vec![set("quiet", None), set("defaultargs", None), set("argref", None)];
    settings.extend(run.is_folded.then(|| set("oformat", Some("collapsed"))));
    settings.extend(run.is_json.then(|| set("oformat", Some("json"))));
    let text = tool.filled(&text, &run.operands);
    let mut specs = vec![Spec::Script(tool.name.clone())];
    let end = |seconds| Spec::Text(SpecKind::Name, format!("tick-{seconds}s {{ exit(0); }}"));
    specs.extend(run.seconds.map(end));
    Ok(Some(Args {
        specs,
        settings,
        output: run.output,
        scripts: vec![(tool.name, text)],
        commands: run.commands,
        pids: run.pids,
        operands: run.operands,
        needs: tool.needs,
        ..Args::default()
    }))
}
