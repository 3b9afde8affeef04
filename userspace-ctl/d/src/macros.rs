// SPDX-License-Identifier: GPL-2.0
//! Macro variables: `$1`, `$$1`, `$target`, `$pid` and friends. They are replaced while reading.

use crate::diag::{did_you_mean, Diagnostic, Tag};
use crate::source::Span;
use crate::Options;

/// Names of the macro variables that are not arguments.
const NAMES: &[&str] = &["pid", "ppid", "pgid", "sid", "uid", "euid", "gid", "egid", "target"];

/// Returns the text of the macro variable `$name`; with `is_string`, of `$$name`.
pub fn value(
    options: &Options,
    name: &str,
    is_string: bool,
    span: Span,
) -> Result<String, Diagnostic> {
    if name.bytes().all(|b| b.is_ascii_digit()) {
        return argument(options, name, is_string, span);
    }
    let id = &options.identity;
    let number = match name {
        "pid" => id.pid,
        "ppid" => id.ppid,
        "pgid" => id.pgid,
        "sid" => id.sid,
        "uid" => id.uid,
        "euid" => id.euid,
        "gid" => id.gid,
        "egid" => id.egid,
        "target" => match options.target {
            Some(pid) => pid,
            None if options.default_args || options.is_dry => 0,
            None => {
                return Err(Diagnostic::new(
                    Tag::MacroUndef,
                    span,
                    "macro variable $target is not defined: there is no target process",
                )
                .hint("give one with -c command or -p pid"))
            }
        },
        _ => {
            let message = format!("macro variable ${name} is not defined");
            let mut d = Diagnostic::new(Tag::MacroUndef, span, message);
            d.hint = did_you_mean(name, NAMES.iter().map(|n| n.to_string()));
            return Err(
                d.note(format!("the macro variables are $0, $1 .. and ${}", NAMES.join(", $")))
            );
        }
    };
    Ok(number.to_string())
}

fn argument(
    options: &Options,
    name: &str,
    is_string: bool,
    span: Span,
) -> Result<String, Diagnostic> {
    let overflow = || Diagnostic::new(Tag::MacroOflow, span, format!("${name} is out of range"));
    let index: usize = name.parse().map_err(|_| overflow())?;
    match options.args.get(index) {
        Some(text) => Ok(text.clone()),
        None if options.default_args => Ok(if is_string { "" } else { "0" }.into()),
        None => {
            let given = options.args.len().saturating_sub(1);
            let message = format!("macro argument ${name} is not defined");
            Err(Diagnostic::new(Tag::MacroUndef, span, message)
                .label(format!("needs an argument, {given} given"))
                .hint("append arguments after the options, or use -x defaultargs"))
        }
    }
}
