// SPDX-License-Identifier: GPL-2.0
//! Converts the Markdown of our manual to manual pages: headings, paragraphs, tables, lists,
//! examples.

use std::fmt::Write as _;

/// The data of a manual page apart from its text.
pub struct Page<'a> {
    pub name: &'a str,
    pub section: &'a str,
    pub title: &'a str,
    /// All pages, for SEE ALSO.
    pub others: &'a [String],
}

impl Page<'_> {
    /// Returns the page for its Markdown.
    pub fn roff(&self, text: &str) -> String {
        let Self { name, section, title, others } = self;
        let mut out = format!(
            ".TH {} {section} \"\" \"dtrace-rs\" \"DTrace for Linux\"\n",
            name.to_uppercase()
        );
        let _ = writeln!(out, ".SH NAME\n{name} \\- {}", words(title));
        let mut lines = text.lines().peekable();
        let mut has_heading = false;
        let mut columns: Vec<String> = Vec::new();
        while let Some(line) = lines.next() {
            if line.starts_with("```") {
                let body: Vec<&str> =
                    lines.by_ref().take_while(|l| !l.starts_with("```")).collect();
                example(&mut out, &body);
            } else if let Some(code) = line.strip_prefix("    ") {
                let mut body = vec![code];
                while let Some(more) = lines.next_if(|l| l.starts_with("    ")) {
                    body.push(more.get(4..).unwrap_or_default());
                }
                if !has_heading {
                    out.push_str(".SH SYNOPSIS\n");
                }
                example(&mut out, &body);
                if !has_heading {
                    out.push_str(".SH DESCRIPTION\n");
                    has_heading = true;
                }
            } else if line.starts_with("# ") {
                // The NAME section already has the title.
            } else if let Some(heading) = line.strip_prefix("## ") {
                let _ = writeln!(out, ".SH {}", words(heading).to_uppercase());
                has_heading = true;
            } else if let Some(heading) =
                line.trim_start_matches('#').strip_prefix(' ').filter(|_| line.starts_with('#'))
            {
                let _ = writeln!(out, ".SS {}", words(heading));
            } else if line.starts_with('|') {
                let cells = cells(line);
                let is_head =
                    lines.peek().is_some_and(|l| l.starts_with("|--") || l.starts_with("|:-"));
                if is_head {
                    columns = cells;
                    lines.next();
                } else {
                    row(&mut out, &columns, &cells);
                }
            } else if let Some(item) = line.strip_prefix("- ") {
                let _ = writeln!(out, ".IP \\(bu 2\n{}", words(item));
            } else if line.is_empty() {
                out.push_str(".PP\n");
            } else {
                if !has_heading {
                    out.push_str(".SH DESCRIPTION\n");
                    has_heading = true;
                }
                let _ = writeln!(out, "{}", words(line.trim_start()));
            }
        }
        let own = format!("{name}({section})");
        let others: Vec<&str> = others.iter().filter(|o| **o != own).map(String::as_str).collect();
        let _ = writeln!(out, ".SH SEE ALSO\n{}", words(&others.join(", ")));
        out
    }
}

fn cells(line: &str) -> Vec<String> {
    let inner = line.trim().trim_start_matches('|').trim_end_matches('|');
    // A bar inside a cell is written `\|`.
    inner.replace("\\|", "\u{1}").split('|').map(|c| c.trim().replace('\u{1}', "|")).collect()
}

/// Writes a row: the first cell is the subject; if there are several others, each gets its heading.
fn row(out: &mut String, columns: &[String], cells: &[String]) {
    let Some((first, rest)) = cells.split_first() else { return };
    let _ = writeln!(out, ".TP\n{}", words(first));
    let rest: Vec<String> = match rest {
        [one] => vec![words(one)],
        many => {
            let named = many.iter().zip(columns.iter().skip(1)).filter(|(c, _)| !c.is_empty());
            named.map(|(cell, name)| format!("{name}: {}", words(cell))).collect()
        }
    };
    let _ = writeln!(out, "{}", rest.join("; "));
}

fn example(out: &mut String, body: &[&str]) {
    out.push_str(".PP\n.RS 4\n.nf\n");
    for line in body {
        let _ = writeln!(out, "{}", guarded(plain(line)));
    }
    out.push_str(".fi\n.RE\n.PP\n");
}

/// Escapes text so that roff takes it literally, except a dot at the start of a line.
fn plain(text: &str) -> String {
    let text = text.replace('\\', "\\e").replace('-', "\\-");
    text.replace('`', "\\`").replace('\'', "\\(aq")
}

/// Guards text on a line of its own, where a dot would begin a request.
fn guarded(text: String) -> String {
    match text.starts_with('.') {
        true => format!("\\&{text}"),
        false => text,
    }
}

/// Converts text with `code`, **weight**, *weight* and [links](of) in it.
fn words(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(['`', '*', '[']) {
        let (before, from) = rest.split_at(at);
        out.push_str(&plain(before));
        let found = match from.as_bytes() {
            [b'`', b'`', b' ', ..] => {
                from.get(3..).and_then(|t| t.split_once(" ``")).map(|(t, r)| (t, r, "\\fB"))
            }
            [b'`', ..] => {
                from.get(1..).and_then(|t| t.split_once('`')).map(|(t, r)| (t, r, "\\fB"))
            }
            [b'*', b'*', ..] => {
                from.get(2..).and_then(|t| t.split_once("**")).map(|(t, r)| (t, r, "\\fB"))
            }
            [b'*', ..] => {
                from.get(1..).and_then(|t| t.split_once('*')).map(|(t, r)| (t, r, "\\fI"))
            }
            _ => from
                .get(1..)
                .and_then(|t| t.split_once("]("))
                .and_then(|(t, r)| Some((t, r.split_once(')')?.1, "\\fI"))),
        };
        match found {
            Some((inner, after, font)) => {
                let _ = write!(out, "{font}{}\\fR", plain(inner));
                rest = after;
            }
            None => {
                out.push_str(&plain(from.get(..1).unwrap_or_default()));
                rest = from.get(1..).unwrap_or_default();
            }
        }
    }
    out.push_str(&plain(rest));
    guarded(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markdown_becomes_roff() {
        let page = Page { name: "x", section: "8", title: "a-b", others: &["y(4)".to_string()] };
        let text = page.roff(
            "# x, the command\n\n    x [-n]\n\nSee `-n` and [this](that.md), *now*.\n\n## Tables\n\n\
             | option | does |\n|---|---|\n| `-X a\\|c` | **much** |\n\n```\n.dot 'q' \\n\n```\n- one\n",
        );
        for part in [
            ".TH X 8 ",
            ".SH NAME\nx \\- a\\-b\n",
            ".SH SYNOPSIS\n.PP\n.RS 4\n.nf\nx [\\-n]\n.fi\n.RE\n.PP\n.SH DESCRIPTION\n",
            "See \\fB\\-n\\fR and \\fIthis\\fR, \\fInow\\fR.\n",
            ".SH TABLES\n",
            ".TP\n\\fB\\-X a|c\\fR\n\\fBmuch\\fR\n",
            ".nf\n\\&.dot \\(aqq\\(aq \\en\n.fi",
            ".IP \\(bu 2\none\n",
            ".SH SEE ALSO\ny(4)\n",
        ] {
            assert!(text.contains(part), "{part}\n---\n{text}");
        }
    }
}
