// SPDX-License-Identifier: GPL-2.0
//! The colours and characters that a terminal can show.

use ratatui::style::{Color, Modifier, Style};

/// The colours of a terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Depth {
    /// No colours.
    None,
    /// The classic sixteen.
    Sixteen,
    /// A palette of 256.
    Palette,
    /// 24 bits for each colour.
    True,
}

/// The abilities that the view may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Look {
    /// The colours.
    pub depth: Depth,
    /// The terminal shows characters beyond ASCII.
    pub has_blocks: bool,
}

/// Heat in eight steps, the coldest first: dark blue, green, yellow, white.
const TRUE: [(u8, u8, u8); 8] = [
    (0x1d, 0x2b, 0x6b),
    (0x1f, 0x4e, 0x8c),
    (0x1c, 0x7a, 0x94),
    (0x1f, 0xa1, 0x87),
    (0x55, 0xc0, 0x66),
    (0xa5, 0xd6, 0x3c),
    (0xf4, 0xe0, 0x30),
    (0xff, 0xf8, 0xc0),
];
const PALETTE: [u8; 8] = [17, 25, 30, 36, 71, 149, 226, 230];
/// With sixteen colours the characters tell what the colours cannot.
const SIXTEEN: [(Color, char); 8] = [
    (Color::Blue, '.'),
    (Color::Blue, ':'),
    (Color::Cyan, '-'),
    (Color::Cyan, '='),
    (Color::Green, '+'),
    (Color::Green, '*'),
    (Color::Yellow, '#'),
    (Color::Red, '@'),
];
const ASCII: [char; 8] = ['.', ':', '-', '=', '+', '*', '#', '@'];
const BLOCKS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
const HEIGHTS: [char; 8] = ['_', '.', ',', '-', '=', '*', '%', '@'];

impl Depth {
    /// Reads the environment: `COLORTERM`, `TERM`, and `NO_COLOR`.
    pub fn of(variable: impl Fn(&str) -> Option<String>) -> Self {
        let set = |name: &str| variable(name).filter(|v| !v.is_empty());
        let term = set("TERM").unwrap_or_default();
        let direct = set("COLORTERM").is_some_and(|c| c == "truecolor" || c == "24bit");
        if set("NO_COLOR").is_some() {
            return Self::None;
        }
        match term.as_str() {
            "" | "dumb" => Self::None,
            t if t.starts_with("vt") => Self::None,
            t if direct || t.ends_with("-direct") => {
                // A Linux console has sixteen colours, whatever `COLORTERM` says.
                if t == "linux" {
                    Self::Sixteen
                } else {
                    Self::True
                }
            }
            t if t.contains("256") => Self::Palette,
            _ => Self::Sixteen,
        }
    }
}

impl Look {
    /// Returns a cell of a heat map; `part` is its heat, more than 0 and at most 1.
    pub fn heat(self, part: f64) -> (char, Style) {
        let step = ((part * 8.0).ceil().clamp(1.0, 8.0) as usize) - 1;
        let at = |all: [char; 8]| all.get(step).copied().unwrap_or('@');
        let plain = Style::default();
        match self.depth {
            Depth::None => (at(ASCII), plain),
            Depth::Sixteen => {
                let (colour, c) = SIXTEEN.get(step).copied().unwrap_or((Color::Red, '@'));
                (c, plain.fg(colour))
            }
            Depth::Palette => {
                let n = PALETTE.get(step).copied().unwrap_or(230);
                (' ', plain.bg(Color::Indexed(n)))
            }
            Depth::True => {
                let (r, g, b) = TRUE.get(step).copied().unwrap_or((255, 248, 192));
                (' ', plain.bg(Color::Rgb(r, g, b)))
            }
        }
    }

    /// Returns a column of a sparkline: blank for nothing, otherwise in eighths of the maximum.
    pub fn spark(self, part: f64) -> char {
        if part <= 0.0 {
            return ' ';
        }
        let step = ((part * 8.0).ceil().clamp(1.0, 8.0) as usize) - 1;
        let all = if self.has_blocks { BLOCKS } else { HEIGHTS };
        all.get(step).copied().unwrap_or(' ')
    }

    /// Returns a bar of up to `width` characters.
    pub fn bar(self, part: f64, width: usize) -> String {
        let length = part.clamp(0.0, 1.0) * width as f64;
        if !self.has_blocks {
            return "@".repeat(length.round() as usize);
        }
        let eighths = (length * 8.0).round() as usize;
        let mut bar = "█".repeat(eighths / 8);
        bar.extend(
            [' ', '▏', '▎', '▍', '▌', '▋', '▊', '▉'].get(eighths % 8).filter(|c| **c != ' '),
        );
        if bar.is_empty() && part > 0.0 {
            bar.push('▏');
        }
        bar
    }

    fn coloured(self, colour: Color) -> Style {
        match self.depth {
            Depth::None => Style::default(),
            _ => Style::default().fg(colour),
        }
    }

    /// The style of the title and the last line.
    pub fn head(self) -> Style {
        Style::default().add_modifier(Modifier::REVERSED)
    }

    /// The style of column names and selected tabs.
    pub fn strong(self) -> Style {
        Style::default().add_modifier(Modifier::BOLD)
    }

    /// The style of key names, axes, and other secondary text.
    pub fn faint(self) -> Style {
        match self.depth {
            Depth::None => Style::default(),
            _ => Style::default().add_modifier(Modifier::DIM),
        }
    }

    /// The style of sparklines and bars.
    pub fn drawn(self) -> Style {
        self.coloured(Color::Cyan)
    }

    /// The style of losses.
    pub fn bad(self) -> Style {
        self.coloured(Color::Red).add_modifier(Modifier::BOLD)
    }

    /// The style when nothing was lost.
    pub fn good(self) -> Style {
        self.coloured(Color::Green)
    }

    /// The style of messages among the program's lines.
    pub fn message(self) -> Style {
        self.coloured(Color::Yellow)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_environment_tells_the_colours() {
        let depth = |set: &[(&str, &str)]| {
            Depth::of(|name| set.iter().find(|s| s.0 == name).map(|s| s.1.to_string()))
        };
        assert_eq!(depth(&[("TERM", "xterm-256color")]), Depth::Palette);
        assert_eq!(depth(&[("TERM", "xterm-256color"), ("COLORTERM", "truecolor")]), Depth::True);
        assert_eq!(depth(&[("TERM", "linux"), ("COLORTERM", "truecolor")]), Depth::Sixteen);
        assert_eq!(depth(&[("TERM", "screen")]), Depth::Sixteen);
        assert_eq!(depth(&[("TERM", "xterm"), ("NO_COLOR", "1")]), Depth::None);
        assert_eq!(depth(&[("TERM", "xterm"), ("NO_COLOR", "")]), Depth::Sixteen);
        assert_eq!(depth(&[]), Depth::None);
    }

    #[test]
    fn bars_have_their_length() {
        let look = |has_blocks| Look { depth: Depth::None, has_blocks };
        assert_eq!(look(false).bar(0.5, 10), "@@@@@");
        assert_eq!(look(true).bar(0.55, 10), "█████▌");
        assert_eq!(look(true).bar(0.001, 10), "▏");
        assert_eq!((look(true).spark(1.0), look(false).spark(0.01)), ('█', '_'));
    }
}
