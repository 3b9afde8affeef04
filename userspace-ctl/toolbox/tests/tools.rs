// SPDX-License-Identifier: GPL-2.0
//! Every tool's header is complete and matches its script; `docs/tools.md` lists all tools.

use toolbox::header::{self, Kind, Process, Tool};
use toolbox::SCRIPTS;

fn tools() -> impl Iterator<Item = (&'static str, &'static str, Tool)> {
    SCRIPTS.iter().map(|(name, text)| {
        (*name, *text, header::parse(text).unwrap_or_else(|why| panic!("{name}: {why}")))
    })
}

/// Returns the script after its header.
fn code(text: &str) -> &str {
    text.split_once("\n */\n").expect("a header has an end").1
}

#[test]
fn headers_are_complete() {
    assert!(SCRIPTS.len() >= 60);
    for (name, text, tool) in tools() {
        assert!(text.starts_with("#!/usr/sbin/dtrace --tool\n"), "{name}: not a command");
        assert_eq!(tool.name, name);
        assert!(tool.title.len() <= 90 && !tool.title.ends_with('.'), "{name}: its title");
        assert!(tool.overhead.ends_with('.'), "{name}: no sentence on overhead");
        let command = tool.example.first().map_or("", String::as_str);
        assert!(
            command.starts_with(&format!("# {name}")),
            "{name}: its example begins with {command}"
        );
        assert!(tool.example.len() > 1, "{name}: the example has no output");
        assert!(
            tool.arguments.iter().all(|a| !a.help.is_empty()),
            "{name}: an option without help"
        );
        // All tools have these options.
        let taken =
            |a: &header::Argument| matches!(a.kind, Kind::Flag('h' | 'j') | Kind::Value('h' | 'j'));
        assert!(!tool.arguments.iter().any(taken), "{name}: -h or -j is its own");
        assert!(tool.usage().lines().all(|l| l.len() <= 180), "{name}: a long line");
    }
}

#[test]
fn scripts_use_what_their_headers_say() {
    for (name, text, tool) in tools() {
        let code = code(text);
        for n in 1..=tool.arguments.len() {
            let is_used = code.contains(&format!("${n}")) || code.contains(&format!("${{{n}}}"));
            assert!(is_used, "{name}: ${n} is not used");
        }
        let next = tool.arguments.len() + 1;
        assert!(!code.contains(&format!("${next}")), "{name}: ${next} is not in the header");
        let is_one = tool.process != Process::None;
        assert_eq!(is_one, code.contains("$target"), "{name}: process: and $target");
        assert!(!tool.has_stacks || code.contains("stack()"), "{name}: stacks:");
    }
}

/// The words of the output's first line, that is, the column heads, are text of the script.
#[test]
fn heads_are_those_that_the_script_prints() {
    for (name, text, tool) in tools() {
        let code = code(text).replace("\\\"", "");
        let texts: String = code.split('"').skip(1).step_by(2).collect::<Vec<_>>().join(" ");
        let head = tool.example.get(1).map_or("", String::as_str);
        for word in head.split(|c: char| c.is_whitespace() || c == '/') {
            let word = word.trim_end_matches(['.', ',']);
            let given = tool.example.first().is_some_and(|command| command.contains(word));
            let is_number = word.bytes().all(|b| b.is_ascii_digit());
            assert!(
                texts.contains(word) || given || is_number,
                "{name}: {word} of its example's head"
            );
        }
    }
}

#[test]
fn the_page_lists_all() {
    let page = include_str!("../../../docs/tools.md");
    for (name, _, tool) in tools() {
        let row = format!("| `{name}` | {} |", tool.title);
        assert!(page.contains(&row), "docs/tools.md has no row: {row}");
    }
}
