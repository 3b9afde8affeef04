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
            /// What the word means, in any case of its letters.
            pub fn from_text(text: &str) -> Option<Self> {
                [$($name::$variant),*].into_iter().find(|w| w.text().eq_ignore_ascii_case(text))
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

impl Attributes {
    /// What D itself promises.
    pub const STABLE: Self = Self::new(Stability::Stable, Stability::Stable, Class::Common);
    /// The kernel's own types and symbols.
    pub const KERNEL: Self = Self::new(Stability::Private, Stability::Private, Class::Unknown);

    /// Of the three.
    pub const fn new(name: Stability, data: Stability, class: Class) -> Self {
        Self { name, data, class }
    }

    /// As DOF has them.
    pub const fn packed(self) -> u32 {
        (self.name as u32) << 24 | (self.data as u32) << 16 | (self.class as u32) << 8
    }

    /// `Evolving/Evolving/Common`.
    pub fn from_text(text: &str) -> Option<Self> {
        let mut words = text.split('/');
        let name = Stability::from_text(words.next()?)?;
        let data = Stability::from_text(words.next()?)?;
        let class = Class::from_text(words.next()?)?;
        words.next().is_none().then_some(Self { name, data, class })
    }

    /// The lesser of each.
    pub fn min(self, other: Self) -> Self {
        Self {
            name: self.name.min(other.name),
            data: self.data.min(other.data),
            class: self.class.min(other.class),
        }
    }

    /// What a provider promises of its probes and of their arguments. The least stable of the four
    /// parts of a name decides: a probe that carries a kernel function's name is private.
    pub fn of_provider(provider: &str) -> (Self, Self) {
        let evolving = Self::new(Stability::Evolving, Stability::Evolving, Class::Common);
        match provider {
            "dtrace" => (Self::STABLE, Self::STABLE),
            "profile" => (evolving, evolving),
            _ => (Self::KERNEL, Self::new(Stability::Private, Stability::Private, Class::Isa)),
        }
    }
}

impl core::fmt::Display for Attributes {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "{}/{}/{}", self.name.text(), self.data.text(), self.class.text())
    }
}
