// SPDX-License-Identifier: GPL-2.0
//! Reads the command line of a tool by its header.

use crate::header::{Kind, Process, Tool};

/// The request of a command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Asked {
    Help,
    Run(Run),
}

/// The settings of a run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Run {
    /// The values of `$1` and so on.
    pub operands: Vec<String>,
    pub commands: Vec<String>,
    pub pids: Vec<u32>,
    pub seconds: Option<u64>,
    pub output: Option<String>,
    pub is_json: bool,
    pub is_folded: bool,
}

/// Reads the words after a tool's name; the error says what is wrong.
pub fn parse(tool: &Tool, words: &[String]) -> Result<Asked, String> {
    let mut given: Vec<Option<String>> = vec![None; tool.arguments.len()];
    let mut run = Run::default();
    let mut free: Vec<String> = Vec::new();
    let mut words = words.iter();
    let mut is_options = true;
    while let Some(word) = words.next() {
        let letters = word.strip_prefix('-').filter(|l| !l.is_empty() && is_options);
        let is_negative = || word.parse::<i64>().is_ok();
        let Some(letters) = letters.filter(|_| !is_negative()) else {
            // Options after the first word of a command belong to the command.
            is_options &= tool.process != Process::Command;
            free.push(word.clone());
            continue;
        };
        match letters {
            "-" => {
                is_options = false;
                continue;
            }
            "-help" => return Ok(Asked::Help),
            _ => {}
        }
        let mut rest = letters.chars();
        while let Some(letter) = rest.next() {
            let own = tool
                .arguments
                .iter()
                .position(|a| matches!(a.kind, Kind::Flag(c) | Kind::Value(c) if c == letter));
            let mut value = || {
                let joined: String = rest.by_ref().collect();
                let next = Some(joined).filter(|j| !j.is_empty()).or_else(|| words.next().cloned());
                next.ok_or_else(|| format!("-{letter} needs a value"))
            };
            if let Some((at, argument)) = own.and_then(|at| Some((at, tool.arguments.get(at)?))) {
                let text = match argument.kind {
                    Kind::Flag(_) => "1".into(),
                    _ => value()?,
                };
                if let Some(slot) = given.get_mut(at) {
                    *slot = Some(text);
                }
                continue;
            }
            if !tool.common().iter().any(|(c, ..)| *c == letter) {
                return Err(format!("there is no option -{letter}"));
            }
            match letter {
                'h' => return Ok(Asked::Help),
                'j' => run.is_json = true,
                'f' => run.is_folded = true,
                'c' => run.commands.push(value()?),
                'o' => run.output = Some(value()?),
                'p' => run.pids.push(number('p', &value()?)?),
                _ => run.seconds = Some(number('d', &value()?)?),
            }
        }
    }
    place(tool, &mut run, given, free)?;
    let has_process = !run.pids.is_empty() || !run.commands.is_empty();
    match tool.process {
        Process::Required if !has_process => Err("it needs a process: -p PID or -c CMD".into()),
        Process::Command if !has_process => Err("it needs a process: -p PID, or a command".into()),
        _ => Ok(Asked::Run(run)),
    }
}

/// Gives the words without an option their places: the command, then the operands.
fn place(
    tool: &Tool,
    run: &mut Run,
    mut given: Vec<Option<String>>,
    mut free: Vec<String>,
) -> Result<(), String> {
    let is_command = tool.process == Process::Command;
    if is_command && !free.is_empty() {
        run.commands.push(quoted(&std::mem::take(&mut free)));
    }
    let mut free = free.into_iter();
    for (argument, slot) in tool.arguments.iter().zip(&mut given) {
        if argument.kind == Kind::Operand {
            *slot = free.next();
        }
        let text = slot.take().or_else(|| argument.default.clone());
        let text = text.ok_or_else(|| format!("{} is missing", argument.value))?;
        if argument.is_number && text.parse::<i64>().is_err() {
            return Err(format!("{} must be a number, not '{text}'", argument.value));
        }
        run.operands.push(text);
    }
    if let Some(word) = free.next() {
        return Err(format!("'{word}' is one word too many"));
    }
    Ok(())
}

fn number<T: std::str::FromStr>(letter: char, text: &str) -> Result<T, String> {
    text.parse().map_err(|_| format!("-{letter} needs a number, not '{text}'"))
}

/// Quotes words for `-c`.
fn quoted(words: &[String]) -> String {
    let one = |word: &String| {
        let plain = word.replace('\\', "\\\\").replace('"', "\\\"");
        format!("\"{plain}\"")
    };
    words.iter().map(one).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::header::parse as header;

    fn tool(process: &str) -> Tool {
        let text = format!(
            "/*\n * look: x\n * options:\n *   $1 -t  a\n *   $2 -n NAME = \"\"  b\n *   $3 [COUNT] = 10  c\n * {process}\n */\n"
        );
        header(&text).unwrap()
    }

    fn run(process: &str, words: &[&str]) -> Result<Run, String> {
        let words: Vec<String> = words.iter().map(|w| w.to_string()).collect();
        match parse(&tool(process), &words)? {
            Asked::Run(run) => Ok(run),
            Asked::Help => Err("help".into()),
        }
    }

    #[test]
    fn options_become_arguments() {
        assert_eq!(run("", &[]).unwrap().operands, ["0", "", "10"]);
        assert_eq!(run("", &["-tn", "a b", "5"]).unwrap().operands, ["1", "a b", "5"]);
        assert_eq!(run("", &["-nx", "-5"]).unwrap().operands, ["0", "x", "-5"]);
        let all =
            run("process: optional", &["-j", "-d3", "-p", "7", "-c", "ls -l", "-o", "f"]).unwrap();
        assert_eq!((all.is_json, all.seconds, all.pids), (true, Some(3), vec![7]));
        assert_eq!((all.commands, all.output.as_deref()), (vec!["ls -l".into()], Some("f")));
    }

    #[test]
    fn words_that_make_no_sense() {
        for (words, why) in [
            (&["-q"][..], "there is no option -q"),
            (&["-p", "1"], "there is no option -p"),
            (&["-n"], "-n needs a value"),
            (&["x"], "COUNT must be a number, not 'x'"),
            (&["1", "2"], "'2' is one word too many"),
            (&["-d", "x"], "-d needs a number, not 'x'"),
            (&["-h"], "help"),
            (&["--help"], "help"),
        ] {
            assert_eq!(run("", words), Err(why.into()), "{words:?}");
        }
        assert_eq!(
            run("process: required", &[]),
            Err("it needs a process: -p PID or -c CMD".into())
        );
    }

    #[test]
    fn a_command_has_words_of_its_own() {
        let text = "/*\n * dt: x\n * options:\n *   $1 -f  a\n * process: command\n */\n";
        let tool = header(text).unwrap();
        let words = ["-f", "ls", "-l", "a \"b"].map(String::from);
        let Ok(Asked::Run(run)) = parse(&tool, &words) else { panic!() };
        assert_eq!(
            (run.operands, run.commands),
            (vec!["1".into()], vec![r#""ls" "-l" "a \"b""#.into()])
        );
    }
}
