// SPDX-License-Identifier: GPL-2.0
//! The header of a tool: the first comment of its script.
//!
//! ```text
//! /*
//!  * NAME: what it does, in one line
//!  *
//!  * Paragraphs.
//!  *
//!  * options:
//!  *   $1 -t             a flag: 0 or 1
//!  *   $2 -n NAME = ""   an option with a value, and its default; a number if the default is one
//!  *   $3 [COUNT] = 10   an operand that can be left out
//!  *   $4 PROBE          an operand
//!  * process: optional
//!  * needs: a sentence that is printed if the script's probes do not exist
//!  * overhead: a sentence or two
//!  * example:
//!  *   # NAME
//!  *   its output
//!  */
//! ```
//!
//! `process` tells whether the script uses `$target`: `optional`, `required`, or `command`, which
//! is `required` and takes the operands as the command to run. `stacks: yes` offers `-f`. In the
//! script, `${N}` stands for the text of `$N` anywhere: in an expression, and in a part of a
//! probe's name.

/// The form of an option.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// `-t`.
    Flag(char),
    /// `-n NAME`.
    Value(char),
    /// A word without an option letter.
    Operand,
}

/// An argument of the script: `$1`, `$2`, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Argument {
    pub kind: Kind,
    /// The name of its value in usage and errors; empty for flags.
    pub value: String,
    /// The default; `None` if the argument is required.
    pub default: Option<String>,
    /// Its value is a number.
    pub is_number: bool,
    pub help: String,
}

/// Whether a tool can be limited to one process, or needs one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Process {
    None,
    Optional,
    Required,
    /// Required; operands are the command to run.
    Command,
}

/// The header of a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tool {
    pub name: String,
    pub title: String,
    /// The paragraphs.
    pub text: Vec<String>,
    pub arguments: Vec<Argument>,
    pub process: Process,
    /// It prints stacks, which can be folded.
    pub has_stacks: bool,
    /// The sentence to print if its probes do not exist.
    pub needs: Option<String>,
    pub overhead: String,
    /// Lines of the example; the command begins with `# `.
    pub example: Vec<String>,
}

/// Returns the lines of the first comment after the licence, without their stars.
fn comment(text: &str) -> Vec<&str> {
    let lines = text.lines().skip_while(|l| *l != "/*").skip(1);
    let body = lines.take_while(|l| *l != " */");
    body.map(|l| l.strip_prefix(" *").unwrap_or(l))
        .map(|l| l.strip_prefix(' ').unwrap_or(l))
        .collect()
}

/// Reads the header of a script; the error says what is wrong with it.
pub fn parse(text: &str) -> Result<Tool, String> {
    let lines = comment(text);
    let first = lines.first().copied().ok_or("the script has no header")?;
    let (name, title) =
        first.split_once(": ").ok_or("its first line is not `NAME: what it does`")?;
    let mut tool = Tool {
        name: name.into(),
        title: title.into(),
        text: Vec::new(),
        arguments: Vec::new(),
        process: Process::None,
        has_stacks: false,
        needs: None,
        overhead: String::new(),
        example: Vec::new(),
    };
    let mut section = "";
    let mut needs = String::new();
    for line in lines.into_iter().skip(1) {
        let (key, rest) = line.split_once(':').unwrap_or((line, ""));
        let rest = rest.trim();
        match key {
            "options" | "overhead" | "needs" | "example" if section != "example" => section = key,
            "process" if section != "example" => {
                tool.process = match rest {
                    "optional" => Process::Optional,
                    "required" => Process::Required,
                    "command" => Process::Command,
                    _ => {
                        return Err(format!(
                            "`process: {rest}` is not optional, required or command"
                        ))
                    }
                };
                section = "process";
                continue;
            }
            "stacks" if section != "example" => {
                tool.has_stacks = rest == "yes";
                section = "process";
                continue;
            }
            _ => {}
        }
        let is_head = key == section && !line.starts_with(' ');
        let more = if is_head { rest } else { line.trim() };
        match section {
            "example" if is_head => {}
            "example" => {
                tool.example.push(line.strip_prefix("  ").unwrap_or(line).trim_end().into())
            }
            "options" => option(&mut tool.arguments, more)?,
            "overhead" => join(&mut tool.overhead, more),
            "needs" => join(&mut needs, more),
            "process" if !more.is_empty() => return Err(format!("`{more}` belongs to no section")),
            _ if line.is_empty() => tool.text.push(String::new()),
            _ => match tool.text.last_mut() {
                Some(last) => join(last, more),
                None => tool.text.push(more.into()),
            },
        }
    }
    tool.needs = Some(needs).filter(|n| !n.is_empty());
    tool.text.retain(|t| !t.is_empty());
    while tool.example.last().is_some_and(String::is_empty) {
        tool.example.pop();
    }
    Ok(tool)
}

fn join(to: &mut String, more: &str) {
    if !to.is_empty() && !more.is_empty() {
        to.push(' ');
    }
    to.push_str(more);
}

/// Reads a row of `options:`, or a continuation of the last row's help.
fn option(arguments: &mut Vec<Argument>, line: &str) -> Result<(), String> {
    if line.is_empty() {
        return Ok(());
    }
    let Some(row) = line.strip_prefix('$') else {
        let last = arguments.last_mut().ok_or(format!("`{line}` follows no option"))?;
        join(&mut last.help, line);
        return Ok(());
    };
    let bad = || format!("`{line}` is not `$N OPTION  its help`");
    let (spec, help) = row.split_once("  ").ok_or_else(bad)?;
    let (number, spec) = spec.split_once(' ').ok_or_else(bad)?;
    if number.parse() != Ok(arguments.len() + 1) {
        return Err(format!("`{line}`: its number is not {}", arguments.len() + 1));
    }
    let (spec, default) = match spec.split_once(" = ") {
        Some((spec, default)) => (spec, Some(default)),
        None => (spec, None),
    };
    let letter = spec.strip_prefix('-').and_then(|s| s.chars().next());
    let (kind, value) = match (letter, spec.split_once(' ')) {
        (Some(c), Some((_, value))) => (Kind::Value(c), value),
        (Some(c), None) => (Kind::Flag(c), ""),
        (None, _) => (Kind::Operand, spec.trim_matches(['[', ']'])),
    };
    let is_text = default.is_none_or(|d| d.starts_with('"'));
    let default = match kind {
        Kind::Flag(_) => Some("0".into()),
        _ => default.map(|d| d.trim_matches('"').to_string()),
    };
    arguments.push(Argument {
        kind,
        value: value.into(),
        default,
        is_number: !is_text,
        help: help.trim().into(),
    });
    Ok(())
}

impl Tool {
    /// Returns the script with `${N}` replaced by the operands.
    pub fn filled(&self, text: &str, operands: &[String]) -> String {
        let numbered = operands.iter().enumerate();
        numbered.fold(text.to_string(), |text, (n, word)| {
            text.replace(&format!("${{{}}}", n + 1), word)
        })
    }

    /// Returns the options of every tool, except those whose letters this tool uses itself.
    pub fn common(&self) -> Vec<(char, &'static str, &'static str)> {
        let all = [
            ('p', "PID", "look only at this process, and end with it"),
            ('c', "CMD", "run a command, and end with it"),
            ('d', "SECONDS", "end after this time"),
            ('o', "FILE", "append the output to a file"),
            ('f', "", "print folded stacks, for tools that draw flame graphs"),
            ('j', "", "print JSON, see dtrace_json(5)"),
            ('h', "", "print this text"),
        ];
        let is_own = |c: char| {
            self.arguments
                .iter()
                .any(|a| matches!(a.kind, Kind::Flag(k) | Kind::Value(k) if k == c))
        };
        let has_process = self.process != Process::None;
        let is_there =
            |c: char| !is_own(c) && (c != 'p' || has_process) && (c != 'f' || self.has_stacks);
        all.into_iter().filter(|(c, ..)| is_there(*c)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "#!/usr/sbin/dtrace --tool\n/* SPDX-License-Identifier: GPL-2.0 */\n/*\n * look: shows it\n *\n \
        * One\n * paragraph.\n *\n * Two.\n *\n * options:\n *   $1 -t          print the time\n *   $2 -n NAME = \"\"   only\n \
        *                  these\n *   $3 [COUNT] = 10  rows\n * process: optional\n * overhead: none\n *   at all\n \
        * example:\n *   # look\n *     A   B\n */\nBEGIN { }\n";

    #[test]
    fn a_header_is_read() {
        let tool = parse(TEXT).unwrap();
        assert_eq!((tool.name.as_str(), tool.title.as_str()), ("look", "shows it"));
        assert_eq!(tool.text, ["One paragraph.", "Two."]);
        assert_eq!(tool.arguments.len(), 3);
        assert_eq!(tool.arguments[0].kind, Kind::Flag('t'));
        assert_eq!(tool.arguments[1].kind, Kind::Value('n'));
        assert_eq!(tool.arguments[1].help, "only these");
        assert_eq!(tool.arguments[1].default.as_deref(), Some(""));
        assert!(tool.arguments[2].is_number && !tool.arguments[1].is_number);
        assert_eq!(tool.process, Process::Optional);
        assert_eq!(tool.overhead, "none at all");
        assert_eq!(tool.example, ["# look", "  A   B"]);
    }

    #[test]
    fn arguments_as_text() {
        let words = ["0", "a b", "3"].map(String::from);
        let filled = parse(TEXT).unwrap().filled("tick-${3}s /${2} == $1/ ${9}", &words);
        assert_eq!(filled, "tick-3s /a b == $1/ ${9}");
    }

    #[test]
    fn what_is_no_header() {
        assert!(parse("BEGIN { }").is_err());
        assert!(parse("/*\n * x\n */").is_err());
        assert!(parse("/*\n * x: y\n * process: maybe\n */").is_err());
        assert!(parse("/*\n * x: y\n * options:\n *   $2 -t  z\n */").is_err());
    }
}
