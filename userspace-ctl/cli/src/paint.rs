// SPDX-License-Identifier: GPL-2.0
//! The abilities of the terminal; `-x color`: whether there are colours, and how many.

use live::look::Depth;

/// Tells whether the terminal can move its cursor.
pub fn can_redraw() -> bool {
    std::env::var("TERM").is_ok_and(|t| !t.is_empty() && t != "dumb")
}

/// The values of the option.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Colours {
    /// Colours on a terminal that has them, unless `NO_COLOR` is set.
    #[default]
    Auto,
    /// No colours.
    Never,
    /// As many colours as the terminal declares, at least sixteen.
    Always,
    /// This many colours.
    These(Depth),
}

/// The values that the option accepts.
pub const EXPECTED: &str = "auto, always, never, 16, 256 or truecolor";

impl Colours {
    /// Reads the option.
    pub fn from_text(text: &str) -> Option<Self> {
        Some(match text {
            "auto" => Self::Auto,
            "always" => Self::Always,
            "never" => Self::Never,
            "16" => Self::These(Depth::Sixteen),
            "256" => Self::These(Depth::Palette),
            "truecolor" => Self::These(Depth::True),
            _ => return None,
        })
    }

    /// Tells whether output to a terminal, or to another place, is coloured.
    pub fn is_on(self, is_terminal: bool) -> bool {
        match self {
            Self::Auto => is_terminal && Self::said() != Depth::None,
            Self::Never => false,
            Self::Always | Self::These(_) => true,
        }
    }

    /// Returns the colours of a screen.
    pub fn depth(self) -> Depth {
        match self {
            Self::Auto => Self::said(),
            Self::Never => Depth::None,
            // The option is for this run and NO_COLOR is for all programs, so the option wins.
            Self::Always => {
                let variable = |name: &str| std::env::var(name).ok().filter(|_| name != "NO_COLOR");
                Some(Depth::of(variable)).filter(|d| *d != Depth::None).unwrap_or(Depth::Sixteen)
            }
            Self::These(depth) => depth,
        }
    }

    fn said() -> Depth {
        Depth::of(|name| std::env::var(name).ok())
    }
}
