// SPDX-License-Identifier: GPL-2.0
//! Makes text of traced programs harmless. A program chooses its file's name and the names of its
//! functions, and dtrace prints them on the terminal of root. An escape sequence there could change
//! the terminal, and a newline could invent a line of dtrace's own output.
#![forbid(unsafe_code)]
#![warn(clippy::too_many_lines)]
#![deny(missing_docs)]
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use std::borrow::Cow;

/// Stands for a character that was removed.
const REMOVED: char = '\u{fffd}';
/// The width of a tab.
const TAB: usize = 8;

/// Returns one line of text without characters that move the cursor or change the terminal.
pub fn clean(text: &str) -> Cow<'_, str> {
    if !text.contains(is_odd) {
        return text.into();
    }
    // Counting the column here keeps the work linear: a name may be megabytes of tabs.
    let (mut clean, mut column) = (String::with_capacity(text.len()), 0);
    for c in text.chars() {
        let width = if c == '\t' { TAB - column % TAB } else { 1 };
        match c {
            '\t' => clean.extend(std::iter::repeat_n(' ', width)),
            c if is_odd(c) => clean.push(REMOVED),
            c => clean.push(c),
        }
        column += width;
    }
    clean.into()
}

/// Does the same for text of several lines.
pub fn clean_lines(text: &str) -> Cow<'_, str> {
    match text.contains(|c| c != '\n' && is_odd(c)) {
        true => text.split('\n').map(clean).collect::<Vec<_>>().join("\n").into(),
        false => text.into(),
    }
}

/// Tells whether a character is a control character, or changes the direction of text.
fn is_odd(c: char) -> bool {
    c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odd_characters() {
        for (text, shown) in [
            ("std::vector<int, é>", "std::vector<int, é>"),
            ("\u{1b}]52;c;AAAA\u{7}", "\u{fffd}]52;c;AAAA\u{fffd}"),
            ("x\n   libc.so.6`malloc+0x10\r", "x\u{fffd}   libc.so.6`malloc+0x10\u{fffd}"),
            ("a\tb\u{9b}2J\u{7f}", "a       b\u{fffd}2J\u{fffd}"),
            ("\u{202e}gpj.exe\u{2069}", "\u{fffd}gpj.exe\u{fffd}"),
        ] {
            assert_eq!(clean(text), shown);
        }
        assert!(matches!(clean("main"), Cow::Borrowed(_)));
    }

    #[test]
    fn several_lines() {
        assert!(matches!(clean_lines("a\n  b"), Cow::Borrowed(_)));
        assert_eq!(clean_lines("a\u{1b}c\n\tb\n"), "a\u{fffd}c\n        b\n");
    }

    /// Each tab costs the same, however many came before it.
    #[test]
    fn a_name_of_many_tabs() {
        let (tabs, began) = (1 << 18, std::time::Instant::now());
        assert_eq!(clean(&"\t".repeat(tabs)).len(), TAB * tabs);
        assert!(began.elapsed().as_secs() < 5, "{:?}", began.elapsed());
    }
}
