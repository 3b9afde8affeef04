// SPDX-License-Identifier: GPL-2.0
//! The pages made from a header: the usage, and the manual page as Markdown.

use crate::header::{Argument, Kind, Process, Tool};
use std::fmt::Write as _;

/// Returns the form of an option: `-n NAME`.
fn spelled(argument: &Argument) -> String {
    match argument.kind {
        Kind::Flag(c) => format!("-{c}"),
        Kind::Value(c) => format!("-{c} {}", argument.value),
        Kind::Operand => argument.value.clone(),
    }
}

impl Tool {
    /// Returns the first line of the usage, without "usage".
    pub fn synopsis(&self) -> String {
        let common = self.common();
        let bare = common.iter().filter(|c| c.1.is_empty()).map(|c| c.0);
        let own = self.arguments.iter().filter_map(|a| match a.kind {
            Kind::Flag(c) => Some(c),
            _ => None,
        });
        let flags: String = own.chain(bare).collect();
        let mut text = format!("{} [-{flags}]", self.name);
        for argument in self.arguments.iter().filter(|a| matches!(a.kind, Kind::Value(_))) {
            let _ = write!(text, " [{}]", spelled(argument));
        }
        for (letter, value, _) in common.iter().filter(|c| !c.1.is_empty()) {
            let _ = write!(text, " [-{letter} {value}]");
        }
        let mut closing = 0;
        for argument in self.arguments.iter().filter(|a| a.kind == Kind::Operand) {
            if argument.default.is_some() {
                text.push_str(" [");
                closing += 1;
            } else {
                text.push(' ');
            }
            text.push_str(&argument.value);
        }
        text.push_str(&"]".repeat(closing));
        if self.process == Process::Command {
            text.push_str(" [COMMAND [ARGUMENT...]]");
        }
        text
    }

    /// Returns all options with their help.
    fn rows(&self) -> Vec<(String, String)> {
        let default = |a: &Argument| match a.default.as_deref() {
            Some(d) if !d.is_empty() && !a.value.is_empty() => {
                format!(" (default: {d})")
            }
            _ => String::new(),
        };
        // A default of -1 means none, so it is not shown; nor is one that the help names.
        let shown =
            |a: &Argument| match a.help.contains("default") || a.default.as_deref() == Some("-1") {
                true => a.help.clone(),
                false => format!("{}{}", a.help, default(a)),
            };
        let own = self.arguments.iter().map(|a| (spelled(a), shown(a)));
        let common = self.common().into_iter().map(|(letter, value, help)| {
            (format!("-{letter} {value}").trim_end().to_string(), help.to_string())
        });
        own.chain(common).collect()
    }

    /// Returns the text of `-h`.
    pub fn usage(&self) -> String {
        let mut text = format!("usage: {}\n{}\n\n", self.synopsis(), self.title);
        for (option, help) in self.rows() {
            let _ = writeln!(text, "  {option:<14} {help}");
        }
        let _ = writeln!(text, "\noverhead: {}\nexample:", self.overhead);
        for line in &self.example {
            let _ = writeln!(text, "  {line}");
        }
        text
    }

    /// Returns the manual page, in the Markdown of `docs/`.
    pub fn markdown(&self) -> String {
        let mut text = format!("# {}: {}\n\n    {}\n\n", self.name, self.title, self.synopsis());
        for paragraph in &self.text {
            let _ = writeln!(text, "{paragraph}\n");
        }
        text.push_str("## Options\n\n| option | does |\n|---|---|\n");
        for (option, help) in self.rows() {
            let _ = writeln!(text, "| `{option}` | {} |", help.replace('|', "\\|"));
        }
        if let Some(needs) = &self.needs {
            let _ = writeln!(text, "\n## Requirements\n\n{needs}");
        }
        let _ = writeln!(text, "\n## Overhead\n\n{}\n\n## Example\n\n```", self.overhead);
        for line in &self.example {
            let _ = writeln!(text, "{line}");
        }
        text.push_str("```\n");
        text
    }
}

#[cfg(test)]
mod tests {
    use crate::header::parse;

    #[test]
    fn usage_and_page() {
        let text = "/*\n * look: shows it\n *\n * Text.\n *\n * options:\n *   $1 -t  the time\n \
                    *   $2 -n NAME = \"\"  only these\n *   $3 [COUNT] = 10  rows\n *   $4 [X] = \"\"  x\n \
                    * overhead: none.\n * example:\n *   # look\n *   A\n */\n";
        let tool = parse(text).unwrap();
        assert_eq!(
            tool.synopsis(),
            "look [-tjh] [-n NAME] [-c CMD] [-d SECONDS] [-o FILE] [COUNT [X]]"
        );
        let usage = tool.usage();
        assert!(
            usage.contains("\n  -n NAME        only these\n  COUNT          rows (default: 10)\n"),
            "{usage}"
        );
        let page = tool.markdown();
        assert!(page.contains("| `-t` | the time |\n"), "{page}");
        assert!(
            page.ends_with("## Overhead\n\nnone.\n\n## Example\n\n```\n# look\nA\n```\n"),
            "{page}"
        );
    }
}
