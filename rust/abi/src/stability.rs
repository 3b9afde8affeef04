// SPDX-License-Identifier: GPL-2.0
//! Stability attributes: name stability / data stability / dependency class.

macro_rules! words {
    ($(#[$d:meta])* $name:ident { $($num:literal $variant:ident $text:literal),* $(,)? }) => {
        $(#[$d])*
        #[allow(missing_docs, reason = "the manual's words")]
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum $name { $($variant = $num),* }
        impl $name {
            /// As `dtrace -lv` prints it.
            pub const fn text(self) -> &'static str {
                match self { $($name::$variant => $text),* }
            }
        }
    };
}

words!(
    /// How likely an interface is to change, least stable first.
    Stability {
        0 Internal "Internal", 1 Private "Private", 2 Obsolete "Obsolete", 3 External "External",
        4 Unstable "Unstable", 5 Evolving "Evolving", 6 Stable "Stable", 7 Standard "Standard",
    }
);
words!(
    /// What an interface depends on.
    Class {
        0 Unknown "Unknown", 1 Cpu "CPU", 2 Platform "Platform", 3 Group "Group", 4 Isa "ISA",
        5 Common "Common",
    }
);

/// A triple of attributes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Attributes {
    /// Of the names.
    pub name: Stability,
    /// Of the data.
    pub data: Stability,
    /// What they depend on.
    pub class: Class,
}
