// SPDX-License-Identifier: GPL-2.0
//! What a terminal can do; `-x color`: whether there are colours, and how many.

use live::look::Depth;

/// Tells whether the terminal can move its cursor.
pub fn can_redraw() -> bool {
    std::env::var("TERM").is_ok_and(|t| !t.is_empty() && t != "dumb")
}

/// The option's values.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Colours {
    /// On a terminal that has them, unless `NO_COLOR` is set.
    #[default]
    Auto,
    /// None.
    Never,
    /// As many as the terminal says it has, sixteen at least.
    Always,
    /// So many.
    These(Depth),
}

/// What the option can be.
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

    /// Is what goes to a terminal, or elsewhere, coloured?
    pub fn is_on(self, is_terminal: bool) -> bool {
        match self {
            Self::Auto => is_terminal && Self::said() != Depth::None,
            Self::Never => false,
            Self::Always | Self::These(_) => true,
        }
    }

    /// The colours of a screen.
    pub fn depth(self) -> Depth {
        match self {
            Self::Auto => Self::said(),
            Self::Never => Depth::None,
            // The option was given for this run, NO_COLOR for all programs: the option wins.
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
